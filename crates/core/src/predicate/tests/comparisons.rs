//! Comparisons between columns and literals of every type.

use super::*;

const DAY: i128 = 86_400_000_000_000;

/// Type, value, and literals below, at and above it.
type Place = (
    &'static str,
    Datum,
    Vec<Literal>,
    Vec<Literal>,
    Vec<Literal>,
);

fn places() -> Vec<Place> {
    let new_year = 19_723 * DAY;
    let timestamp = |precision, epoch_nanos| Datum::Timestamp {
        epoch_nanos,
        precision,
    };
    let ltz = |precision, epoch_nanos| Datum::TimestampLtz {
        epoch_nanos,
        precision,
    };
    let nan = f64::NAN;
    vec![
        (
            "BOOLEAN",
            Datum::Boolean(true),
            vec![false.into(), "False".into()],
            vec![true.into(), "TRUE".into()],
            vec![],
        ),
        (
            "INT",
            Datum::Int(2),
            vec![
                1.into(),
                1.5.into(),
                big("1.999999999999999999999999"),
                (-3_000_000_000_i64).into(),
                f64::NEG_INFINITY.into(),
                big("-1e400"),
                "1.5".into(),
            ],
            vec![
                2.into(),
                2.0.into(),
                big("2.000"),
                big("20e-1"),
                "2".into(),
                "+02".into(),
            ],
            vec![
                3.into(),
                2.5.into(),
                3_000_000_000_i64.into(),
                f64::INFINITY.into(),
                nan.into(),
                big("1e400"),
                1e300.into(),
            ],
        ),
        (
            "TINYINT",
            Datum::TinyInt(127),
            vec![126.into(), 126.5.into(), (-1000).into()],
            vec![127.into()],
            vec![127.5.into(), 128.into()],
        ),
        (
            "TINYINT",
            Datum::TinyInt(-128),
            vec![(-128.5).into(), (-129).into()],
            vec![(-128).into()],
            vec![(-127.5).into()],
        ),
        (
            "BIGINT",
            Datum::BigInt(9_007_199_254_740_993),
            vec![
                9_007_199_254_740_992.0.into(),
                9_007_199_254_740_992_i64.into(),
            ],
            vec![9_007_199_254_740_993_i64.into(), big("9007199254740993")],
            vec![9_007_199_254_740_994.0.into()],
        ),
        (
            "BIGINT",
            Datum::BigInt(i64::MAX),
            vec![big("9223372036854775806.5")],
            vec![i64::MAX.into()],
            vec![
                9_223_372_036_854_775_807.0.into(),
                big("9223372036854775808"),
            ],
        ),
        (
            "DECIMAL(4, 2)",
            decimal(150, 4, 2),
            vec![
                1.into(),
                big("1.499"),
                1.49.into(),
                (-100).into(),
                i64::MIN.into(),
            ],
            vec![1.5.into(), big("1.5"), big("1.50000"), "1.5".into()],
            vec![
                2.into(),
                big("1.505"),
                1.51.into(),
                100.into(),
                i64::MAX.into(),
                nan.into(),
            ],
        ),
        // A double stands for the shortest decimal, and 0.1 is exactly the decimal 0.10.
        (
            "DECIMAL(4, 2)",
            decimal(10, 4, 2),
            vec![0.0.into()],
            vec![0.1.into(), big("0.1")],
            vec![0.11.into()],
        ),
        (
            "DECIMAL(38, 0)",
            decimal(10_i128.pow(38) - 1, 38, 0),
            vec![i64::MAX.into()],
            vec![big("99999999999999999999999999999999999999")],
            vec![big("1e38"), 1e300.into()],
        ),
        (
            "DECIMAL(38, 38)",
            decimal(1, 38, 38),
            vec![0.into(), i64::MIN.into()],
            vec![big("1e-38")],
            vec![1.into(), big("11e-39"), i64::MAX.into()],
        ),
        // The nearest float to 0.1 is a little above it.
        (
            "FLOAT",
            Datum::Float(0.1),
            vec![0.1.into(), big("0.1"), 0.into(), f64::NEG_INFINITY.into()],
            vec!["0.1".into(), 0.1_f32.into()],
            vec![
                0.11.into(),
                1.into(),
                1e300.into(),
                big("1e400"),
                nan.into(),
            ],
        ),
        (
            "FLOAT",
            Datum::Float(16_777_216.0),
            vec![16_777_215.into()],
            vec![16_777_216.into(), 16_777_216.0.into()],
            vec![16_777_217.into(), 16_777_217.0.into()],
        ),
        (
            "FLOAT",
            Datum::Float(f32::MAX),
            vec![0.into()],
            vec![],
            vec![f64::INFINITY.into(), big("1e39"), 1e39.into()],
        ),
        (
            "FLOAT",
            Datum::Float(f32::INFINITY),
            vec![1e39.into(), big("1e39"), big("1e400")],
            vec![f64::INFINITY.into(), "Infinity".into()],
            vec![nan.into()],
        ),
        (
            "FLOAT",
            Datum::Float(f32::NEG_INFINITY),
            vec![],
            vec![f64::NEG_INFINITY.into()],
            vec![big("-1e400"), (-1e300).into(), 0.into()],
        ),
        (
            "FLOAT",
            Datum::Float(f32::NAN),
            vec![f64::INFINITY.into(), 1.into(), big("1e400")],
            vec![nan.into(), "NaN".into()],
            vec![],
        ),
        (
            "DOUBLE",
            Datum::Double(0.1),
            vec![0.into()],
            vec![0.1.into(), big("0.1"), "0.1".into()],
            vec![1.into()],
        ),
        (
            "DOUBLE",
            Datum::Double(-0.0),
            vec![(-1).into()],
            vec![0.into(), 0.0.into(), (-0.0).into()],
            vec![1.into()],
        ),
        (
            "DOUBLE",
            Datum::Double(9_007_199_254_740_992.0),
            vec![],
            vec![9_007_199_254_740_992_i64.into()],
            vec![9_007_199_254_740_993_i64.into(), big("9007199254740993")],
        ),
        (
            "DOUBLE",
            Datum::Double(f64::MAX),
            vec![1e300.into()],
            vec![f64::MAX.into()],
            vec![big("1e400"), f64::INFINITY.into()],
        ),
        (
            "DOUBLE",
            Datum::Double(f64::INFINITY),
            vec![big("1e400")],
            vec![f64::INFINITY.into()],
            vec![nan.into()],
        ),
        (
            "STRING",
            Datum::String("b".into()),
            vec!["a".into(), "B".into(), "".into()],
            vec!["b".into()],
            vec!["ba".into(), "é".into()],
        ),
        (
            "CHAR(3)",
            Datum::String("b  ".into()),
            vec!["b".into()],
            vec!["b  ".into()],
            vec![],
        ),
        (
            "DATE",
            Datum::Date(19_723),
            vec![
                Literal::Date(19_722),
                "2023-12-31".into(),
                Literal::Timestamp {
                    epoch_nanos: new_year - 1,
                },
            ],
            vec![
                Literal::Date(19_723),
                "2024-01-01".into(),
                Literal::Timestamp {
                    epoch_nanos: new_year,
                },
            ],
            vec![
                Literal::Date(19_724),
                Literal::Timestamp {
                    epoch_nanos: new_year + 1,
                },
                "+10000-01-01".into(),
                Literal::Timestamp {
                    epoch_nanos: i128::MAX,
                },
            ],
        ),
        (
            "TIME(3)",
            Datum::Time(45_296_700),
            vec![
                Literal::Time(45_296_699),
                "12:34:56.6999".into(),
                "12:34".into(),
            ],
            vec![Literal::Time(45_296_700), "12:34:56.7".into()],
            vec!["12:34:56.7001".into(), "12:35".into()],
        ),
        (
            "TIMESTAMP(3)",
            timestamp(3, new_year),
            vec![
                Literal::Timestamp {
                    epoch_nanos: new_year - 1,
                },
                Literal::Date(19_722),
                "2023-12-31T23:59:59.999999999".into(),
            ],
            vec![
                Literal::Timestamp {
                    epoch_nanos: new_year,
                },
                Literal::Date(19_723),
                "2024-01-01".into(),
                "2024-01-01 00:00".into(),
                "2024-01-01T00:00:00.000".into(),
            ],
            vec![
                Literal::Timestamp {
                    epoch_nanos: new_year + 1,
                },
                "2024-01-01 00:00:00.000001".into(),
            ],
        ),
        (
            "TIMESTAMP(9) WITH LOCAL TIME ZONE",
            ltz(9, new_year),
            vec![
                Literal::TimestampLtz {
                    epoch_nanos: new_year - 1,
                },
                "2024-01-01T00:00:00+00:01".into(),
            ],
            vec![
                Literal::TimestampLtz {
                    epoch_nanos: new_year,
                },
                Literal::Timestamp {
                    epoch_nanos: new_year,
                },
                Literal::Date(19_723),
                "2024-01-01 00:00:00".into(),
                "2024-01-01T01:00:00+01:00".into(),
                "2024-01-01T00:00:00Z".into(),
            ],
            vec![
                Literal::TimestampLtz {
                    epoch_nanos: new_year + 1,
                },
                "2024-01-01T00:00:00-00:01".into(),
            ],
        ),
    ]
}

#[test]
fn comparisons_are_exact() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    const OPS: [CompareOp; 6] = [
        CompareOp::Eq,
        CompareOp::NotEq,
        CompareOp::Lt,
        CompareOp::LtEq,
        CompareOp::Gt,
        CompareOp::GtEq,
    ];
    for (type_text, value, below, at, above) in places() {
        let sides = [(below, Greater), (at, Equal), (above, Less)];
        for (literal, order) in sides
            .iter()
            .flat_map(|(list, order)| list.iter().map(move |l| (l, *order)))
        {
            for op in OPS {
                let predicate = Predicate::Compare {
                    column: "k".into(),
                    op,
                    value: literal.clone(),
                };
                let expected = Some(op.holds(order));
                assert_eq!(
                    test_value(&predicate, type_text, Some(value.clone())),
                    expected,
                    "{type_text} {value} {predicate}"
                );
                assert_eq!(
                    test_value(&predicate, type_text, None),
                    None,
                    "NULL {predicate}"
                );
                let opposite =
                    test_value(&predicate.clone().negate(), type_text, Some(value.clone()));
                assert_eq!(opposite, expected.map(|e| !e), "{value} NOT {predicate}");
                assert_eq!(test_value(&predicate.negate(), type_text, None), None);
            }
            let list = col("k").in_list([literal.clone()]);
            assert_eq!(
                test_value(&list, type_text, Some(value.clone())),
                Some(order == Equal),
                "{type_text} {list}"
            );
            let between = col("k").between(literal.clone(), literal.clone());
            assert_eq!(
                test_value(&between, type_text, Some(value.clone())),
                Some(order == Equal),
                "{type_text} {between}"
            );
        }
    }
}

#[test]
fn rewritten_to_the_column() {
    let int = fields(&[("k", "INT")]);
    let compare = |op, value| BoundPredicate::Compare {
        column: 0,
        op,
        value: Datum::Int(value),
    };
    let never = BoundPredicate::In {
        column: 0,
        values: vec![],
        has_null: false,
        negated: false,
    };
    assert_eq!(
        col("k").gt(1.5).bind(&int).unwrap(),
        compare(CompareOp::GtEq, 2)
    );
    assert_eq!(
        col("k").lt(1.5).bind(&int).unwrap(),
        compare(CompareOp::LtEq, 1)
    );
    assert_eq!(col("k").eq(3_000_000_000_i64).bind(&int).unwrap(), never);
    assert_eq!(col("k").gt(3_000_000_000_i64).bind(&int).unwrap(), never);
    assert_eq!(
        col("k").eq(Literal::Null).bind(&int).unwrap(),
        BoundPredicate::Constant(None)
    );
    assert_eq!(
        (!col("k").lt(5)).bind(&int).unwrap(),
        compare(CompareOp::GtEq, 5)
    );
    let list = col("k").in_list([
        Literal::Int(3),
        1.into(),
        Literal::Null,
        1.5.into(),
        3.0.into(),
    ]);
    let values = vec![Datum::Int(1), Datum::Int(3)];
    assert_eq!(
        list.bind(&int).unwrap(),
        BoundPredicate::In {
            column: 0,
            values,
            has_null: true,
            negated: false
        }
    );
    // A declared precision of 0 is carried in milliseconds.
    let at = |epoch_nanos| Datum::Timestamp {
        epoch_nanos,
        precision: 0,
    };
    let bound = col("k")
        .gt("1970-01-01T00:00:00.0005")
        .bind(&fields(&[("k", "TIMESTAMP(0)")]))
        .unwrap();
    assert_eq!(
        bound,
        BoundPredicate::Compare {
            column: 0,
            op: CompareOp::GtEq,
            value: at(1_000_000)
        }
    );
}

#[test]
fn a_datum_equals_its_own_literal() {
    for (type_text, value, ..) in places() {
        let predicate = col("k").eq(Literal::from(value.clone()));
        assert_eq!(
            test_value(&predicate, type_text, Some(value.clone())),
            Some(true),
            "{type_text} {value}"
        );
    }
}

#[test]
fn a_text_that_is_no_number_equals_none() {
    let decimal = Datum::Decimal {
        unscaled: 150,
        precision: 4,
        scale: 2,
    };
    for (type_text, text, value) in [
        ("INT", "foo", Datum::Int(1)),
        ("SMALLINT", "", Datum::SmallInt(0)),
        ("DECIMAL(4, 2)", "1,5", decimal),
        ("DOUBLE", "inf", Datum::Double(f64::INFINITY)),
    ] {
        for (predicate, expected) in [
            (col("k").eq(text), false),
            (col("k").in_list([text]), false),
            (col("k").not_eq(text), true),
        ] {
            let of = |value| test_value(&predicate, type_text, value);
            assert_eq!(of(Some(value.clone())), Some(expected), "{predicate}");
            assert_eq!(of(None), None, "{predicate}");
        }
    }
}

#[test]
fn refused_literals() {
    let columns = [
        ("b", "BOOLEAN"),
        ("i", "INT"),
        ("d", "DECIMAL(4, 2)"),
        ("f", "DOUBLE"),
        ("s", "STRING"),
        ("y", "BYTES"),
        ("dt", "DATE"),
        ("t", "TIME(3)"),
        ("ts", "TIMESTAMP(3)"),
        ("z", "TIMESTAMP(3) WITH LOCAL TIME ZONE"),
        ("a", "ARRAY<INT>"),
        ("Upper", "INT"),
    ];
    let columns = fields(&columns);
    let bytes = Literal::Binary(vec![1]);
    let zoned = Literal::TimestampLtz { epoch_nanos: 0 };
    for (predicate, words) in [
        (col("b").eq(1), "BOOLEAN"),
        (col("b").eq("yes"), "BOOLEAN"),
        (col("i").lt("foo"), "'foo'"),
        (col("i").gt_eq(""), "INT"),
        (col("i").eq(true), "INT"),
        (col("i").eq(Literal::Date(1)), "INT"),
        (col("i").eq(big("abc")), "abc"),
        (col("d").gt("1,5"), "DECIMAL(4, 2)"),
        (col("f").lt_eq("inf"), "DOUBLE"),
        (col("s").eq(1), "quotes"),
        (col("s").in_list([Literal::Int(1)]), "quotes"),
        (col("s").eq(Literal::Date(1)), "STRING"),
        (col("y").eq("a"), "BYTES"),
        (col("y").lt(bytes.clone()), "<"),
        (col("y").between(bytes.clone(), bytes.clone()), ">="),
        (col("dt").eq("19723"), "yyyy-MM-dd"),
        (col("dt").eq("2024-1-1"), "yyyy-MM-dd"),
        (col("dt").eq("2024-02-30"), "yyyy-MM-dd"),
        (col("dt").eq(19_723), "DATE"),
        (col("t").eq("45296700"), "HH:mm:ss"),
        (col("ts").eq("2024-01-01T00:00Z"), "without a zone"),
        (col("ts").eq("2024-01-01T25:00"), "TIMESTAMP(3)"),
        (col("ts").eq(zoned.clone()), "TIMESTAMP(3)"),
        (col("z").eq("1686142800000"), "UTC"),
        (col("dt").eq(zoned), "DATE"),
        (col("a").eq(1), "IS NULL"),
        (col("a").in_list([1]), "IS NULL"),
        (col("i").like("1%"), "LIKE"),
        (
            Predicate::Like {
                column: "s".into(),
                pattern: "a!".into(),
                escape: Some('!'),
                negated: false,
            },
            "escape",
        ),
        (col("nope").is_null(), "no such column"),
        (col("upper").is_null(), "'Upper'"),
        (col("a.b").eq(1), "no such column"),
    ] {
        let error = predicate.bind(&columns).expect_err(&predicate.to_string());
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let name = predicate
            .column_names()
            .into_iter()
            .next()
            .unwrap()
            .to_owned();
        let message = error.to_string();
        assert!(
            message.contains(words) && message.contains(&format!("'{name}'")),
            "{message}"
        );
    }
    for predicate in [
        col("a").is_null(),
        col("y").is_not_null(),
        col("y").eq(bytes.clone()),
        col("y").in_list([bytes]),
        col("z").eq("2024-01-01"),
    ] {
        assert!(predicate.bind(&columns).is_ok(), "{predicate}");
    }
}
