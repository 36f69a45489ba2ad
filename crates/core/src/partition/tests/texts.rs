//! Values and the texts that name them.

use super::*;

#[test]
fn documented_encodings() {
    for (type_text, value, legacy, cast) in documented() {
        let type_text = if type_text == "any" { "INT" } else { type_text };
        let columns = [("k", type_text)];
        for (codec, name) in [
            (codec(&columns, &[]), legacy),
            (codec(&columns, &[CAST]), cast),
        ] {
            assert_eq!(
                codec.segment(0, value.as_ref()).unwrap(),
                name,
                "{type_text} {value:?}"
            );
            let expected = value.clone().filter(|value| *value != string(" "));
            // Each setting reads what the other writes.
            assert_eq!(
                read_back(&codec, 0, legacy),
                expected,
                "{type_text} {legacy}"
            );
            assert_eq!(read_back(&codec, 0, cast), expected, "{type_text} {cast}");
        }
    }
}

#[test]
fn documentation_has_the_tested_rows() {
    let table = include_str!("../mod.rs")
        .split("# Text to value")
        .next()
        .unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"))
        .map(|line| line.split(" | ").collect())
        .skip(2)
        .collect();
    let tested: Vec<_> = documented()
        .into_iter()
        .map(|(type_text, _, legacy, cast)| (type_text, format!("`{legacy}`"), format!("`{cast}`")))
        .collect();
    let written: Vec<_> = rows
        .iter()
        .map(|row| (row[0], row[2].to_owned(), row[3].to_owned()))
        .collect();
    assert_eq!(written, tested);
}

/// Type, setting of legacy, value, text before escaping.
#[test]
fn further_texts() {
    let second = nanos("2024-01-01", 12, 34, 56, 0);
    for (type_text, legacy, value, text) in [
        ("DATE", true, Datum::Date(i32::MIN), "-2147483648"),
        ("DATE", false, days("0000-01-01"), "0000-01-01"),
        ("DATE", false, days("9999-12-31"), "9999-12-31"),
        ("TIME(3)", false, Datum::Time(45_296_789), "12:34:56.789"),
        (
            "TIMESTAMP(9)",
            true,
            timestamp(9, second + 120_300_001),
            "2024-01-01T12:34:56.120300001",
        ),
        (
            "TIMESTAMP(9)",
            true,
            timestamp(9, second + 120_300_000),
            "2024-01-01T12:34:56.120300",
        ),
        (
            "TIMESTAMP(9)",
            false,
            timestamp(9, second + 120_000_000),
            "2024-01-01 12:34:56.120000000",
        ),
        (
            "TIMESTAMP(6)",
            false,
            timestamp(6, second),
            "2024-01-01 12:34:56.000000",
        ),
        (
            "TIMESTAMP(0)",
            false,
            timestamp(0, -1_000_000_000),
            "1969-12-31 23:59:59",
        ),
        (
            "TIMESTAMP(3)",
            true,
            timestamp(3, -1_000_000),
            "1969-12-31T23:59:59.999",
        ),
        (
            "TIMESTAMP(3)",
            true,
            timestamp(3, nanos("+10000-01-01", 0, 0, 0, 0)),
            "+10000-01-01T00:00",
        ),
        (
            "TIMESTAMP(3)",
            true,
            timestamp(3, nanos("-0001-12-31", 0, 0, 0, 0)),
            "-0001-12-31T00:00",
        ),
        ("FLOAT", true, Datum::Float(-0.0), "-0.0"),
        ("DOUBLE", true, Datum::Double(f64::NAN), "NaN"),
        (
            "DECIMAL(38, 18)",
            true,
            decimal(-12_345_678_901_234_567_890_123_456_789_012_345_678, 38, 18),
            "-12345678901234567890.123456789012345678",
        ),
        ("DECIMAL(5, 0)", true, decimal(-7, 5, 0), "-7"),
    ] {
        let pairs = if legacy { vec![] } else { vec![CAST] };
        let codec = codec(&[("k", type_text)], &pairs);
        assert_eq!(codec.text(0, Some(&value)).unwrap(), text, "{type_text}");
        assert_eq!(
            codec.parse(0, text).unwrap(),
            Some(value),
            "{type_text} {text}"
        );
    }
}

/// Type, text, and the value or nothing.
#[test]
fn texts_of_every_type() {
    let noon = nanos("2023-06-07", 13, 0, 0, 0);
    let day = nanos("2023-06-07", 0, 0, 0, 0);
    let rows: Vec<(&str, &[&str], Option<Datum>)> = vec![
        (
            "BOOLEAN",
            &["t", "true", "y", "yes", "1", "TRUE", "Yes", "True"],
            Some(Datum::Boolean(true)),
        ),
        (
            "BOOLEAN",
            &["f", "false", "n", "no", "0", "FALSE", "False", "N"],
            Some(Datum::Boolean(false)),
        ),
        ("BOOLEAN", &["on", "", " true", "2"], None),
        ("INT", &["7", "007", "+7"], Some(Datum::Int(7))),
        ("INT", &["-03", "-3"], Some(Datum::Int(-3))),
        ("INT", &["0", "-0", "+0"], Some(Datum::Int(0))),
        (
            "INT",
            &[" 7", "7.0", "foo", "2147483648", "", "+", "１", "7 ", "1e2"],
            None,
        ),
        ("TINYINT", &["128", "-129"], None),
        ("SMALLINT", &["007"], Some(Datum::SmallInt(7))),
        (
            "BIGINT",
            &["-9223372036854775808"],
            Some(Datum::BigInt(i64::MIN)),
        ),
        (
            "DECIMAL(4, 2)",
            &["1.5", "1.50", "1.500", "15e-1", "+1.5", "01.5"],
            Some(decimal(150, 4, 2)),
        ),
        (
            "DECIMAL(4, 2)",
            &["1.555", "1.5551", "1.56"],
            Some(decimal(156, 4, 2)),
        ),
        ("DECIMAL(4, 2)", &["-1.555"], Some(decimal(-156, 4, 2))),
        (
            "DECIMAL(4, 2)",
            &["123.45", "99.995", "1e10", "abc", "", " 1"],
            None,
        ),
        ("FLOAT", &["0.1", "0.10", "1e-1"], Some(Datum::Float(0.1))),
        (
            "FLOAT",
            &["3.3E10", "3.29999995E10"],
            Some(Datum::Float(3.3e10)),
        ),
        ("FLOAT", &["16777216"], Some(Datum::Float(16_777_216.0))),
        // Writers differ in which of two texts they choose that are equally near.
        (
            "FLOAT",
            &["487677.62", "487677.63", "4.8767762E5", "487677.625"],
            Some(Datum::Float(487_677.63)),
        ),
        (
            "FLOAT",
            &["-300000.37", "-300000.38"],
            Some(Datum::Float(-300_000.38)),
        ),
        ("FLOAT", &["487677.61", "16777217", "16777219"], None),
        (
            "FLOAT",
            &["0.123456789", "1e40", "1d", "0x1p3", "nan", "inf", " 1"],
            None,
        ),
        ("FLOAT", &["NaN"], Some(Datum::Float(f32::NAN))),
        ("DOUBLE", &["0.1"], Some(Datum::Double(0.1))),
        (
            "DOUBLE",
            &["9.999999999999999E22", "1.0E23"],
            Some(Datum::Double(1e23)),
        ),
        (
            "DOUBLE",
            &["Infinity", "1e400"],
            Some(Datum::Double(f64::INFINITY)),
        ),
        (
            "DOUBLE",
            &["1d", "1f", "0x1p3", " 1", "infinity", "inf", "1_0"],
            None,
        ),
        ("CHAR(3)", &["ab"], Some(string("ab"))),
        ("VARCHAR(3)", &["日本語"], Some(string("日本語"))),
        ("VARCHAR(3)", &["abcd", "日本語x"], None),
        ("STRING", &["1.000"], Some(string("1.000"))),
        (
            "DATE",
            &[
                "19723",
                "2024-01-01",
                "2024-1-1",
                "2024-01",
                "2024-1",
                "2024-01-01 12:00:00",
                "02024-01-01",
            ],
            Some(days("2024-01-01")),
        ),
        ("DATE", &["2024"], Some(days("1975-07-18"))),
        ("DATE", &["20240101"], Some(Datum::Date(20_240_101))),
        ("DATE", &["-365"], Some(days("1969-01-01"))),
        ("DATE", &["0000-01-01"], Some(Datum::Date(-719_528))),
        (
            "DATE",
            &[
                "2024-02-30",
                "2024-01-01T00:00",
                "10000-01-01",
                "2147483648",
                "",
                "+5",
                "a-b",
                "2024-",
                "-2024-01-01",
            ],
            None,
        ),
        ("TIME(3)", &["12"], Some(Datum::Time(12))),
        (
            "TIME(3)",
            &[
                "45296700",
                "12:34:56.7",
                "12:34:56.700",
                "12:34:56.69951",
                "11:34:56.7+01:00",
                "11:34:56.7+1",
            ],
            Some(Datum::Time(45_296_700)),
        ),
        (
            "TIME(3)",
            &["12:34", "12:34:00", "12:34:00.0"],
            Some(Datum::Time(45_240_000)),
        ),
        (
            "TIME(3)",
            &[
                "25:00:00",
                "86400000",
                "23:59:59.9999",
                "-1",
                "12:60:00",
                "12:00:60",
                "",
                "a:b",
                "12:34:56.x",
            ],
            None,
        ),
        (
            "TIMESTAMP(3)",
            &["2023-06-07", "2023-6-7"],
            Some(timestamp(3, day)),
        ),
        (
            "TIMESTAMP(3)",
            &[
                "2023-06-07 13:00:00",
                "2023-06-07 13:00:00.000",
                "2023-06-07T13:00",
                "2023-06-07T13:00:00",
                "2023-6-7 13:0:0",
                "1686142800000",
                "2023-06-07 13:00:00.0001",
            ],
            Some(timestamp(3, noon)),
        ),
        (
            "TIMESTAMP(3)",
            &["2023-06-07 13:00:00.123456"],
            Some(timestamp(3, noon + 123_000_000)),
        ),
        (
            "TIMESTAMP(3)",
            &[
                "2023-06-07 13:00",
                "2023-06-07T13:00Z",
                "10000-01-01T00:00",
                "2023-02-30",
                "2023-06-07 25:00:00",
                "",
            ],
            None,
        ),
        ("TIMESTAMP(0)", &["1686142800"], Some(timestamp(0, noon))),
        (
            "TIMESTAMP(6)",
            &["1686142800000000"],
            Some(timestamp(6, noon)),
        ),
        ("TIMESTAMP(9)", &["-1"], Some(timestamp(9, -1))),
        (
            "TIMESTAMP(9)",
            &["2023-06-07 13:00:00.000000001"],
            Some(timestamp(9, noon + 1)),
        ),
        ("TIMESTAMP(2)", &["1686142800"], None),
        (
            "TIMESTAMP(2)",
            &["2023-06-07 13:00:00.129"],
            Some(timestamp(2, noon + 120_000_000)),
        ),
        (
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            &["2023-06-07T13:00", "2023-06-07 13:00:00.000"],
            Some(Datum::TimestampLtz {
                epoch_nanos: noon,
                precision: 3,
            }),
        ),
        (
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            &["1686142800000", "2023-06-07T13:00:00Z"],
            None,
        ),
    ];
    for (type_text, texts, expected) in rows {
        let codec = codec(&[("k", type_text)], &[]);
        for text in texts {
            let found = codec.parse(0, text);
            match &expected {
                Some(_) => assert_eq!(found.unwrap(), expected, "{type_text} {text}"),
                None => {
                    let message = found.expect_err(text).to_string();
                    assert!(
                        message.contains("'k'") && message.contains(text),
                        "{message}"
                    );
                }
            }
        }
    }
}
