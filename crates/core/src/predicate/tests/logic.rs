//! Three-valued logic, partial knowledge, splitting and text.

use super::*;

#[test]
fn null_logic() {
    let null = || Predicate::Compare {
        column: "k".into(),
        op: CompareOp::Eq,
        value: Literal::Null,
    };
    let t = || Predicate::Constant(true);
    let f = || Predicate::Constant(false);
    for (predicate, expected) in [
        (null().and(t()), None),
        (null().and(f()), Some(false)),
        (null().or(t()), Some(true)),
        (null().or(f()), None),
        (!null(), None),
        (Predicate::And(vec![]), Some(true)),
        (Predicate::Or(vec![]), Some(false)),
        (!(t().and(f())), Some(true)),
        (
            col("k").in_list([Literal::Null, Literal::Int(1)]),
            Some(true),
        ),
        (col("k").in_list([Literal::Null, Literal::Int(2)]), None),
        (col("k").not_in_list([Literal::Null, Literal::Int(2)]), None),
        (col("k").not_in_list([2, 3]), Some(true)),
        (col("k").in_list(Vec::<i32>::new()), Some(false)),
        (
            col("k").between(Literal::Null, Literal::Int(0)),
            Some(false),
        ),
        (col("k").between(Literal::Null, Literal::Int(2)), None),
        (!col("k").between(0, 2), Some(false)),
        (col("k").is_null(), Some(false)),
        (!col("k").is_null(), Some(true)),
    ] {
        assert_eq!(
            test_value(&predicate, "INT", Some(Datum::Int(1))),
            expected,
            "{predicate}"
        );
    }
    assert_eq!(test_value(&col("k").is_null(), "INT", None), Some(true));
    assert_eq!(
        test_value(&!col("k").in_list(Vec::<i32>::new()), "INT", None),
        None
    );
}

#[test]
fn like_on_strings() {
    let text = |text: &str| Some(Datum::String(text.to_owned()));
    assert_eq!(
        test_value(&col("k").like("a%"), "STRING", text("a=b")),
        Some(true)
    );
    assert_eq!(
        test_value(&!col("k").like("a%"), "VARCHAR(9)", text("a=b")),
        Some(false)
    );
    assert_eq!(
        test_value(&col("k").like("%日本%"), "CHAR(3)", text("x日本")),
        Some(true)
    );
    assert_eq!(test_value(&col("k").like("%"), "STRING", None), None);
}

#[test]
fn partial_knowledge() {
    let columns = fields(&[("y", "INT"), ("m", "INT"), ("x", "DOUBLE")]);
    let year = Datum::Int(2024);
    let known = |column: usize| {
        if column == 0 {
            Known::Value(&year)
        } else {
            Known::Unknown
        }
    };
    for (predicate, expected) in [
        (col("y").eq(2024), Outcomes::TRUE),
        (col("y").eq(2023), Outcomes::FALSE),
        (col("y").eq(2023).and(col("m").eq(1)), Outcomes::FALSE),
        (
            col("m").eq(1).and(col("y").eq(2023)),
            Outcomes {
                can_true: false,
                can_false: true,
                can_null: false,
            },
        ),
        (col("y").eq(2024).and(col("m").eq(1)), Outcomes::ANY),
        (col("y").eq(2023).or(col("m").eq(1)), Outcomes::ANY),
        (col("y").eq(2024).or(col("m").eq(1)), Outcomes::TRUE),
        (
            col("m").is_null(),
            Outcomes {
                can_true: true,
                can_false: true,
                can_null: false,
            },
        ),
        (!col("x").gt(1.0), Outcomes::ANY),
    ] {
        let bound = predicate.bind(&columns).unwrap();
        assert_eq!(bound.outcomes(&known), expected, "{predicate}");
        assert_eq!(bound.might_match(&known), expected.can_true);
    }
}

#[test]
fn splits() {
    let columns = fields(&[("p", "INT"), ("q", "INT"), ("x", "INT")]);
    let is_partition = |column: usize| column < 2;
    let bind = |predicate: &Predicate| predicate.bind(&columns).unwrap();
    let mixed = || col("p").eq(1).and(col("x").gt(2));
    for (predicate, partition, rows) in [
        (col("p").eq(1), Some(col("p").eq(1)), None),
        (col("x").eq(1), None, Some(col("x").eq(1))),
        (mixed(), Some(col("p").eq(1)), Some(col("x").gt(2))),
        (
            mixed().or(col("p").eq(3)),
            Some(col("p").eq(1).or(col("p").eq(3))),
            Some(mixed().or(col("p").eq(3))),
        ),
        (
            col("p").eq(1).or(col("x").gt(2)),
            None,
            Some(col("p").eq(1).or(col("x").gt(2))),
        ),
        (
            !(col("p").eq(1).or(col("x").gt(2))),
            Some(col("p").not_eq(1)),
            Some(col("x").lt_eq(2)),
        ),
        (
            !mixed(),
            None,
            Some(col("p").not_eq(1).or(col("x").lt_eq(2))),
        ),
        (
            col("p").eq(1).and(col("q").eq(2)),
            Some(col("p").eq(1).and(col("q").eq(2))),
            None,
        ),
        (Predicate::Constant(true), None, None),
        (
            Predicate::Constant(false),
            Some(Predicate::Constant(false)),
            Some(Predicate::Constant(false)),
        ),
        (
            col("p").is_null().and(Predicate::Constant(true)),
            Some(col("p").is_null()),
            None,
        ),
    ] {
        let (found_partition, found_rows) = bind(&predicate).split(&is_partition);
        assert_eq!(
            found_partition,
            partition.as_ref().map(bind),
            "partitions of {predicate}"
        );
        assert_eq!(found_rows, rows.as_ref().map(bind), "rows of {predicate}");
    }
}

#[test]
fn shown_as_sql() {
    for (predicate, text) in [
        (
            col("dt")
                .gt_eq("2024-01-01")
                .and(col("m").eq(7))
                .and(col("x").is_not_null()),
            "dt >= '2024-01-01' AND m = 7 AND x IS NOT NULL",
        ),
        (
            col("a").eq(1).or(col("b").eq(2)).and(col("c").eq(3)),
            "(a = 1 OR b = 2) AND c = 3",
        ),
        (
            col("a").eq(1).and(col("b").eq(2)).or(col("c").eq(3)),
            "a = 1 AND b = 2 OR c = 3",
        ),
        (!(col("a").eq(1).or(col("b").eq(2))), "NOT (a = 1 OR b = 2)"),
        (col("p").eq("it's"), "p = 'it''s'"),
        (
            col("Order Id").not_in_list([1, 2]),
            "\"Order Id\" NOT IN (1, 2)",
        ),
        (col("date").is_null(), "\"date\" IS NULL"),
        (col("q\"").eq(Literal::Null), "\"q\"\"\" = NULL"),
        (
            col("f").between(0.5, f64::NAN),
            "f BETWEEN 0.5 AND DOUBLE 'NaN'",
        ),
        (
            Predicate::Like {
                column: "p".into(),
                pattern: "5!%".into(),
                escape: Some('!'),
                negated: true,
            },
            "p NOT LIKE '5!%' ESCAPE '!'",
        ),
        (
            col("dt").eq(Literal::Date(19_723)),
            "dt = DATE '2024-01-01'",
        ),
        (
            col("t").eq(Literal::Time(45_296_700)),
            "t = TIME '12:34:56.700'",
        ),
        (
            col("ts").lt(Literal::Timestamp { epoch_nanos: 1 }),
            "ts < TIMESTAMP '1970-01-01 00:00:00.000000001'",
        ),
        (
            col("z").lt(Literal::TimestampLtz { epoch_nanos: 0 }),
            "z < TIMESTAMP '1970-01-01 00:00:00.000000Z'",
        ),
        (col("y").not_eq(vec![0_u8, 255]), "y <> X'00FF'"),
        (col("d").gt(big("1.50")), "d > 1.50"),
        (col("b").eq(true), "b = TRUE"),
        (Predicate::And(vec![]), "TRUE"),
        (Predicate::Or(vec![]), "FALSE"),
        (
            Predicate::And(vec![col("a").eq(1).or(col("b").eq(2))]).and(col("c").eq(3)),
            "(a = 1 OR b = 2) AND c = 3",
        ),
    ] {
        assert_eq!(predicate.to_string(), text);
    }
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| (0..depth).fold(col("k").eq(1), |inner, _| !inner);
    let columns = fields(&[("k", "INT")]);
    assert!(nested(MAX_DEPTH).bind(&columns).is_ok());
    let error = nested(MAX_DEPTH + 1).bind(&columns).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(nested(1000).to_string().contains('…'));
}

#[test]
fn columns_of_a_bound_predicate() {
    let columns = fields(&[("a", "INT"), ("b", "INT"), ("c", "INT")]);
    let bound = col("a")
        .eq(1)
        .or(!col("c").between(1, 2))
        .bind(&columns)
        .unwrap();
    assert_eq!(bound.columns().into_iter().collect::<Vec<_>>(), [0, 2]);
    let moved = bound
        .clone()
        .map_columns(&|column| Some(column + 1))
        .unwrap();
    assert_eq!(moved.columns().into_iter().collect::<Vec<_>>(), [1, 3]);
    assert_eq!(
        bound.map_columns(&|column| (column == 0).then_some(0)),
        None
    );
}

#[test]
fn literals_survive_serialization() {
    for literal in [
        Literal::Null,
        true.into(),
        i64::MIN.into(),
        big("9007199254740993.10"),
        0.1.into(),
        f64::MAX.into(),
        f64::NEG_INFINITY.into(),
        "é".into(),
        vec![0_u8, 255].into(),
        Literal::Date(-1),
        Literal::Time(1),
        Literal::Timestamp {
            epoch_nanos: i128::MIN,
        },
        Literal::TimestampLtz {
            epoch_nanos: i128::MAX,
        },
    ] {
        let predicate = col("k").eq(literal);
        let json = serde_json::to_string(&predicate).unwrap();
        assert_eq!(
            serde_json::from_str::<Predicate>(&json).unwrap(),
            predicate,
            "{json}"
        );
    }
    let json = serde_json::to_string(&col("k").eq(f64::NAN)).unwrap();
    assert!(json.contains("NaN"), "{json}");
    assert!(serde_json::from_str::<Predicate>(&json).is_ok());
}
