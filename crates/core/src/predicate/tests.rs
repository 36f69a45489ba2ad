use proptest::prelude::*;

use super::*;
use crate::datum::Datum;
use crate::error::{Error, ErrorKind};
use crate::types::{DataField, DataType};

fn fields(columns: &[(&str, &str)]) -> Vec<DataField> {
    let field = |(at, (name, text)): (usize, &(&str, &str))| {
        DataField::new(at as i32, *name, text.parse::<DataType>().unwrap())
    };
    columns.iter().enumerate().map(field).collect()
}

/// What a predicate says of one value of a column `k`.
fn test_value(predicate: &Predicate, type_text: &str, value: Option<Datum>) -> Option<bool> {
    let bound = predicate.bind(&fields(&[("k", type_text)])).unwrap();
    let outcomes = bound.outcomes(&|_| Known::from(&value));
    result(outcomes)
}

fn result(outcomes: Outcomes) -> Option<bool> {
    let all = [Some(true), Some(false), None];
    let [only] = all
        .into_iter()
        .filter(|r| Outcomes::of(*r) == outcomes)
        .collect::<Vec<_>>()[..]
    else {
        panic!("not decided: {outcomes:?}")
    };
    only
}

fn decimal(unscaled: i128, precision: u8, scale: u8) -> Datum {
    Datum::Decimal {
        unscaled,
        precision,
        scale,
    }
}

const DAY: i128 = 86_400_000_000_000;

fn big(text: &str) -> Literal {
    Literal::BigNumber(text.to_owned())
}

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

/// Values and predicates over two INT columns, a STRING and a DOUBLE, small enough to collide.
mod generated {
    use super::*;

    pub(super) const NAMES: [&str; 4] = ["p", "q", "s", "d"];

    pub(super) fn columns() -> Vec<DataField> {
        fields(&[("p", "INT"), ("q", "INT"), ("s", "STRING"), ("d", "DOUBLE")])
    }

    /// A literal as halves of one, or text.
    fn literal(column: usize) -> BoxedStrategy<Literal> {
        if column == 2 {
            return prop_oneof![4 => "[ab]{0,2}".prop_map(Literal::String), 1 => Just(Literal::Null)].boxed();
        }
        prop_oneof![
            4 => (-2..3_i64).prop_map(Literal::Int),
            2 => (-4..5_i64).prop_map(|halves| Literal::Double(halves as f64 / 2.0)),
            1 => (-4..5_i64).prop_map(|halves| Literal::BigNumber(format!("{:.1}", halves as f64 / 2.0))),
            1 => Just(Literal::Null),
            1 => Just(Literal::Int(1 << 40)),
        ]
        .boxed()
    }

    fn leaf() -> impl Strategy<Value = Predicate> {
        let ops = prop::sample::select(vec![
            CompareOp::Eq,
            CompareOp::NotEq,
            CompareOp::Lt,
            CompareOp::LtEq,
            CompareOp::Gt,
            CompareOp::GtEq,
        ]);
        (0..4_usize, any::<bool>()).prop_flat_map(move |(at, negated)| {
            let column = NAMES[at].to_owned();
            let (c1, c2, c3, c4) = (column.clone(), column.clone(), column.clone(), column.clone());
            let pattern = "[ab%_]{0,3}".prop_map(move |pattern| Predicate::Like { column: c4.clone(), pattern, escape: None, negated });
            let is_null = Just(Predicate::IsNull { column, negated });
            prop_oneof![
                4 => (ops.clone(), literal(at)).prop_map(move |(op, value)| Predicate::Compare { column: c1.clone(), op, value }),
                2 => prop::collection::vec(literal(at), 0..4).prop_map(move |values| Predicate::In { column: c2.clone(), values, negated }),
                1 => (literal(at), literal(at)).prop_map(move |(low, high)| Predicate::Between { column: c3.clone(), low, high, negated }),
                1 => if at == 2 { pattern.boxed() } else { is_null.clone().boxed() },
                1 => is_null,
            ]
        })
    }

    pub(super) fn predicate() -> impl Strategy<Value = Predicate> {
        let base = prop_oneof![8 => leaf(), 1 => any::<bool>().prop_map(Predicate::Constant)];
        base.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::And),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::Or),
                inner.prop_map(Predicate::negate),
            ]
        })
    }

    pub(super) fn row() -> impl Strategy<Value = Vec<Option<Datum>>> {
        let int = || prop::option::of((-2..3_i32).prop_map(Datum::Int));
        let text = prop::option::of("[ab]{0,2}".prop_map(Datum::String));
        let double = prop::option::of(prop_oneof![
            4 => (-4..5_i32).prop_map(|halves| Datum::Double(f64::from(halves) / 2.0)),
            1 => Just(Datum::Double(f64::NAN)),
        ]);
        (int(), int(), text, double).prop_map(|(p, q, s, d)| vec![p, q, s, d])
    }

    /// How a value compares with a literal, written without the code under test.
    fn order(value: &Datum, literal: &Literal) -> std::cmp::Ordering {
        let number = match literal {
            Literal::Int(value) => *value as f64,
            Literal::Double(value) => *value,
            Literal::BigNumber(text) => text.parse().unwrap(),
            Literal::String(text) => {
                let Datum::String(value) = value else {
                    panic!()
                };
                return value.cmp(text);
            }
            _ => panic!(),
        };
        match value {
            Datum::Int(value) => f64::from(*value).partial_cmp(&number).unwrap(),
            Datum::Double(value) if value.is_nan() => std::cmp::Ordering::Greater,
            Datum::Double(value) => value.partial_cmp(&number).unwrap(),
            _ => panic!(),
        }
    }

    fn negate(result: Option<bool>, negated: bool) -> Option<bool> {
        result.map(|r| r != negated)
    }

    fn and(results: impl Iterator<Item = Option<bool>>) -> Option<bool> {
        let results: Vec<_> = results.collect();
        if results.contains(&Some(false)) {
            return Some(false);
        }
        (!results.contains(&None)).then_some(true)
    }

    /// SQL's three-valued logic by its definition.
    pub(super) fn oracle(predicate: &Predicate, row: &[Option<Datum>]) -> Option<bool> {
        let value = |name: &str| row[NAMES.iter().position(|n| *n == name).unwrap()].as_ref();
        let compare = |column: &str, op: CompareOp, literal: &Literal| {
            if *literal == Literal::Null {
                return None;
            }
            Some(op.holds(order(value(column)?, literal)))
        };
        match predicate {
            Predicate::Constant(result) => Some(*result),
            Predicate::Compare { column, op, value } => compare(column, *op, value),
            Predicate::In {
                column,
                values,
                negated,
            } => {
                value(column)?;
                let equals = values
                    .iter()
                    .map(|v| negate(compare(column, CompareOp::Eq, v), true));
                negate(and(equals), !negated)
            }
            Predicate::Between {
                column,
                low,
                high,
                negated,
            } => {
                let both = [
                    compare(column, CompareOp::GtEq, low),
                    compare(column, CompareOp::LtEq, high),
                ];
                negate(and(both.into_iter()), *negated)
            }
            Predicate::Like {
                column,
                pattern,
                negated,
                ..
            } => {
                let Datum::String(text) = value(column)? else {
                    panic!()
                };
                Some(LikePattern::new(pattern, None).unwrap().matches(text) != *negated)
            }
            Predicate::IsNull { column, negated } => Some(value(column).is_none() != *negated),
            Predicate::And(children) => and(children.iter().map(|child| oracle(child, row))),
            Predicate::Or(children) => negate(
                and(children
                    .iter()
                    .map(|child| negate(oracle(child, row), true))),
                true,
            ),
            Predicate::Not(child) => negate(oracle(child, row), true),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn outcomes_are_sound(predicate in generated::predicate(), row in generated::row(), mask: [bool; 4]) {
        let bound = predicate.bind(&generated::columns()).unwrap();
        let truth = generated::oracle(&predicate, &row);
        let full = bound.outcomes(&|column| Known::from(&row[column]));
        prop_assert_eq!(full, Outcomes::of(truth), "{}", predicate);
        prop_assert_eq!(bound.clone().negate().outcomes(&|column| Known::from(&row[column])), full.negate());

        let partial = bound.outcomes(&|column| if mask[column] { Known::from(&row[column]) } else { Known::Unknown });
        let contained = match truth {
            Some(true) => partial.can_true,
            Some(false) => partial.can_false,
            None => partial.can_null,
        };
        prop_assert!(contained, "{} {:?} {:?}", predicate, truth, partial);
    }

    #[test]
    fn split_is_sound(predicate in generated::predicate(), row in generated::row(), mask: [bool; 4]) {
        let bound = predicate.bind(&generated::columns()).unwrap();
        let truth = generated::oracle(&predicate, &row);
        let (partition, rows) = bound.split(&|column| mask[column]);
        let is_true = |part: &Option<BoundPredicate>| {
            part.as_ref().is_none_or(|part| part.outcomes(&|column| Known::from(&row[column])) == Outcomes::TRUE)
        };
        if let Some(partition) = &partition {
            prop_assert!(partition.columns().into_iter().all(|column| mask[column]));
        }
        prop_assert!(truth != Some(true) || is_true(&partition), "{}", predicate);
        prop_assert_eq!(truth == Some(true), is_true(&partition) && is_true(&rows), "{}", predicate);
    }

    #[test]
    fn predicates_survive_serialization(predicate in generated::predicate()) {
        let json = serde_json::to_string(&predicate).unwrap();
        prop_assert_eq!(serde_json::from_str::<Predicate>(&json).unwrap(), predicate);
    }
}
