use proptest::prelude::*;

use super::*;
use crate::datum::Datum;
use crate::datum::calendar::parse_civil_date;
use crate::datum::text::is_blank;
use crate::error::{Error, ErrorKind};
use crate::options::{FormatTableOptions, Options};
use crate::types::{DataField, DataType};

const DEFAULT: &str = "__DEFAULT_PARTITION__";
const HIVE_DEFAULT: &str = "__HIVE_DEFAULT_PARTITION__";

fn options(pairs: &[(&str, &str)]) -> FormatTableOptions {
    let options: Options = pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    FormatTableOptions::resolve(&options).unwrap()
}

fn keys(columns: &[(&str, &str)]) -> Vec<DataField> {
    let field = |(at, (name, text)): (usize, &(&str, &str))| {
        DataField::new(at as i32, *name, text.parse::<DataType>().unwrap())
    };
    columns.iter().enumerate().map(field).collect()
}

fn codec(columns: &[(&str, &str)], pairs: &[(&str, &str)]) -> PartitionCodec {
    PartitionCodec::new(keys(columns), &options(pairs)).unwrap()
}

const CAST: (&str, &str) = ("partition.legacy-name", "false");
const VALUE_ONLY: (&str, &str) = ("format-table.partition-path-only-value", "true");

fn string(text: &str) -> Datum {
    Datum::String(text.to_owned())
}

fn decimal(unscaled: i128, precision: u8, scale: u8) -> Datum {
    Datum::Decimal {
        unscaled,
        precision,
        scale,
    }
}

/// Nanoseconds of `yyyy-MM-dd HH:mm:ss` and a fraction in nanoseconds.
fn nanos(day: &str, hour: i64, minute: i64, second: i64, fraction: i128) -> i128 {
    let days = parse_civil_date(day).unwrap().to_days();
    i128::from(((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000_000 + fraction
}

fn timestamp(precision: u8, epoch_nanos: i128) -> Datum {
    Datum::Timestamp {
        epoch_nanos,
        precision,
    }
}

fn days(text: &str) -> Datum {
    Datum::Date(i32::try_from(parse_civil_date(text).unwrap().to_days()).unwrap())
}

/// The rows of the table in the module's documentation: type, value, directory with
/// `partition.legacy-name` true, directory with false.
fn documented() -> Vec<(&'static str, Option<Datum>, &'static str, &'static str)> {
    let midnight = nanos("2024-01-01", 0, 0, 0, 0);
    let clock = nanos("2024-01-01", 12, 34, 56, 0);
    vec![
        ("BOOLEAN", Some(Datum::Boolean(true)), "k=true", "k=true"),
        ("TINYINT", Some(Datum::TinyInt(-128)), "k=-128", "k=-128"),
        ("SMALLINT", Some(Datum::SmallInt(7)), "k=7", "k=7"),
        ("INT", Some(Datum::Int(-3)), "k=-3", "k=-3"),
        (
            "BIGINT",
            Some(Datum::BigInt(i64::MAX)),
            "k=9223372036854775807",
            "k=9223372036854775807",
        ),
        (
            "DECIMAL(4, 2)",
            Some(decimal(150, 4, 2)),
            "k=1.50",
            "k=1.50",
        ),
        (
            "DECIMAL(38, 18)",
            Some(decimal(-1, 38, 18)),
            "k=-0.000000000000000001",
            "k=-0.000000000000000001",
        ),
        ("FLOAT", Some(Datum::Float(0.25)), "k=0.25", "k=0.25"),
        ("DOUBLE", Some(Datum::Double(1e7)), "k=1.0E7", "k=1.0E7"),
        (
            "DOUBLE",
            Some(Datum::Double(0.000_999_9)),
            "k=9.999E-4",
            "k=9.999E-4",
        ),
        (
            "DOUBLE",
            Some(Datum::Double(f64::NEG_INFINITY)),
            "k=-Infinity",
            "k=-Infinity",
        ),
        ("CHAR(5)", Some(string("ab   ")), "k=ab   ", "k=ab   "),
        ("VARCHAR(10)", Some(string("it's")), "k=it%27s", "k=it%27s"),
        (
            "STRING",
            Some(string("a/b=c%d")),
            "k=a%2Fb%3Dc%25d",
            "k=a%2Fb%3Dc%25d",
        ),
        (
            "STRING",
            Some(string("中 文+&~")),
            "k=中 文+&~",
            "k=中 文+&~",
        ),
        (
            "STRING",
            Some(string(" ")),
            "k=__DEFAULT_PARTITION__",
            "k=__DEFAULT_PARTITION__",
        ),
        ("DATE", Some(days("2024-01-01")), "k=19723", "k=2024-01-01"),
        ("DATE", Some(days("1969-01-01")), "k=-365", "k=1969-01-01"),
        (
            "TIME(0)",
            Some(Datum::Time(45_296_000)),
            "k=45296000",
            "k=12%3A34%3A56",
        ),
        (
            "TIME(3)",
            Some(Datum::Time(45_296_700)),
            "k=45296700",
            "k=12%3A34%3A56.7",
        ),
        ("TIME(3)", Some(Datum::Time(0)), "k=0", "k=00%3A00%3A00.0"),
        (
            "TIMESTAMP(0)",
            Some(timestamp(0, midnight)),
            "k=2024-01-01T00%3A00",
            "k=2024-01-01 00%3A00%3A00",
        ),
        (
            "TIMESTAMP(3)",
            Some(timestamp(3, midnight)),
            "k=2024-01-01T00%3A00",
            "k=2024-01-01 00%3A00%3A00.000",
        ),
        (
            "TIMESTAMP(3)",
            Some(timestamp(3, midnight + 5_000_000_000)),
            "k=2024-01-01T00%3A00%3A05",
            "k=2024-01-01 00%3A00%3A05.000",
        ),
        (
            "TIMESTAMP(3)",
            Some(timestamp(3, clock + 120_000_000)),
            "k=2024-01-01T12%3A34%3A56.120",
            "k=2024-01-01 12%3A34%3A56.120",
        ),
        (
            "TIMESTAMP(6)",
            Some(timestamp(6, clock + 120_300_000)),
            "k=2024-01-01T12%3A34%3A56.120300",
            "k=2024-01-01 12%3A34%3A56.120300",
        ),
        (
            "TIMESTAMP(9)",
            Some(timestamp(9, midnight + 1)),
            "k=2024-01-01T00%3A00%3A00.000000001",
            "k=2024-01-01 00%3A00%3A00.000000001",
        ),
        (
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            Some(Datum::TimestampLtz {
                epoch_nanos: clock,
                precision: 3,
            }),
            "k=2024-01-01T12%3A34%3A56",
            "k=2024-01-01 12%3A34%3A56.000",
        ),
        (
            "any",
            None,
            "k=__DEFAULT_PARTITION__",
            "k=__DEFAULT_PARTITION__",
        ),
    ]
}

/// Reads a directory name as a scan does.
fn read_back(codec: &PartitionCodec, level: usize, name: &str) -> Option<Datum> {
    match codec.read_name(level, name) {
        DirectoryName::Value(raw) => codec.parse(level, &raw).unwrap(),
        other => panic!("{name}: {other:?}"),
    }
}

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
    let table = include_str!("mod.rs")
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

#[test]
fn null_and_blank() {
    let codec = codec(&[("p", "STRING")], &[]);
    for blank in ["", "   ", "\u{3000}", "\u{1C}", "\t\n", DEFAULT] {
        let name = codec.segment(0, Some(&string(blank))).unwrap();
        assert_eq!(name, "p=__DEFAULT_PARTITION__", "{blank:?}");
        assert_eq!(read_back(&codec, 0, &name), None);
    }
    for kept in ["\u{A0}", " a ", "\u{85}", "\u{2007}", "\u{202F}"] {
        let name = codec.segment(0, Some(&string(kept))).unwrap();
        assert_eq!(name, format!("p={kept}"));
        assert_eq!(read_back(&codec, 0, &name), Some(string(kept)));
    }
    // Only the writer makes blanks NULL.
    for (name, text) in [
        ("p=   ", "   "),
        ("p=%20", " "),
        ("p=NULL", "NULL"),
        ("p=null", "null"),
        ("p=__default_partition__", "__default_partition__"),
    ] {
        assert_eq!(read_back(&codec, 0, name), Some(string(text)), "{name}");
    }
    // The default name is recognised once unescaped.
    assert_eq!(read_back(&codec, 0, "p=%5F_DEFAULT_PARTITION__"), None);
}

#[test]
fn null_markers_of_other_engines() {
    let paimon = codec(&[("p", "STRING")], &[]);
    let hive = codec(
        &[("p", "STRING")],
        &[("partition.default-name", HIVE_DEFAULT)],
    );
    assert_eq!(
        read_back(&paimon, 0, "p=__HIVE_DEFAULT_PARTITION__"),
        Some(string(HIVE_DEFAULT))
    );
    assert_eq!(read_back(&hive, 0, "p=__HIVE_DEFAULT_PARTITION__"), None);
    assert_eq!(
        read_back(&hive, 0, "p=__DEFAULT_PARTITION__"),
        Some(string(DEFAULT))
    );
    assert_eq!(
        hive.segment(0, None).unwrap(),
        "p=__HIVE_DEFAULT_PARTITION__"
    );
    assert_eq!(paimon.foreign_null_marker(HIVE_DEFAULT), Some(HIVE_DEFAULT));
    assert_eq!(paimon.foreign_null_marker(DEFAULT), None);
    assert_eq!(hive.foreign_null_marker(DEFAULT), Some(DEFAULT));
    assert_eq!(hive.foreign_null_marker("a"), None);

    let message = codec(&[("m", "INT")], &[])
        .parse(0, HIVE_DEFAULT)
        .unwrap_err()
        .to_string();
    for part in ["'m'", "INT", HIVE_DEFAULT, "partition.default-name"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn names_that_are_no_partition() {
    let codec = codec(&[("p", "STRING"), ("a=b", "INT")], &[]);
    for (name, reason) in [
        ("p=a=b", ForeignReason::OtherKey),
        ("P=a", ForeignReason::OtherKey),
        ("q=a", ForeignReason::OtherKey),
        ("p=", ForeignReason::EmptyValue),
        ("p=a=", ForeignReason::EmptyValue),
        ("=a", ForeignReason::EmptyKey),
        ("=", ForeignReason::EmptyKey),
        ("p", ForeignReason::NoSeparator),
        ("junk", ForeignReason::NoSeparator),
        ("", ForeignReason::NoSeparator),
    ] {
        assert_eq!(
            codec.read_name(0, name),
            DirectoryName::Foreign(reason),
            "{name}"
        );
    }
    for name in [
        "_temporary",
        ".hive-staging",
        "_p=a",
        ".p=a",
        "__DEFAULT_PARTITION__",
    ] {
        assert_eq!(codec.read_name(0, name), DirectoryName::Hidden, "{name}");
    }
    let value = |text: &str| DirectoryName::Value(text.to_owned().into());
    // Any encoding of the key is the key.
    assert_eq!(codec.read_name(0, "%70=a%3Db"), value("a=b"));
    assert_eq!(codec.read_name(0, "p=%2E"), value("."));
    assert_eq!(codec.segment(1, Some(&Datum::Int(1))).unwrap(), "a%3Db=1");
    assert_eq!(codec.read_name(1, "a%3Db=1"), value("1"));
    assert_eq!(codec.read_name(1, "a%3db=1"), value("1"));
    // Split at the last sign of equality, whoever wrote the others raw.
    assert_eq!(codec.read_name(1, "a=b=1"), value("1"));
    assert_eq!(
        codec.read_name(2, "x=1"),
        DirectoryName::Foreign(ForeignReason::TooDeep)
    );
    // Dots are values like any other beside a key.
    for dots in [".", ".."] {
        let name = codec.segment(0, Some(&string(dots))).unwrap();
        assert_eq!(name, format!("p={dots}"));
        assert_eq!(read_back(&codec, 0, &name), Some(string(dots)));
    }
}

#[test]
fn value_only_layout() {
    let codec = codec(&[("y", "STRING"), ("m", "STRING")], &[VALUE_ONLY])
        .with_reserved_first_names(&["schema", "branch"]);
    assert_eq!(codec.layout(), Layout::ValueOnly);
    for (values, path) in [
        ([None, Some(string("01"))], "__DEFAULT_PARTITION__/01"),
        ([Some(string("2024")), None], "2024/__DEFAULT_PARTITION__"),
        ([Some(string("2024")), Some(string("01"))], "2024/01"),
        (
            [Some(string("a/b=c%d")), Some(string("schema"))],
            "a%2Fb%3Dc%25d/schema",
        ),
        (
            [Some(string("schemas")), Some(string("branch"))],
            "schemas/branch",
        ),
    ] {
        assert_eq!(codec.relative_path(&values).unwrap(), path);
        assert_eq!(codec.parse_path(path).unwrap(), values);
    }
    for refused in ["_tmp", ".x", ".", "..", "schema", "branch"] {
        let error = codec.segment(0, Some(&string(refused))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        let message = error.to_string();
        assert!(
            message.contains("'y'") && message.contains(&format!("'{refused}'")),
            "{message}"
        );
    }
    for name in ["schema", "branch", "_tmp", ".x", ".", ".."] {
        assert_eq!(codec.read_name(0, name), DirectoryName::Hidden, "{name}");
    }
    assert_eq!(
        codec.read_name(1, "schema"),
        DirectoryName::Value("schema".into())
    );
    assert_eq!(
        codec.read_name(0, "a%3Db"),
        DirectoryName::Value("a=b".into())
    );
    assert_eq!(
        codec.read_name(0, ""),
        DirectoryName::Foreign(ForeignReason::EmptyValue)
    );
}

#[test]
fn reserved_names_are_hidden_beside_keys_too() {
    let codec = codec(&[("p", "STRING")], &[]).with_reserved_first_names(&["schema", "branch"]);
    assert_eq!(codec.read_name(0, "schema"), DirectoryName::Hidden);
    assert_eq!(
        codec.segment(0, Some(&string("schema"))).unwrap(),
        "p=schema"
    );
}

#[test]
fn hidden_default_name_that_needs_escaping() {
    let mut options = options(&[VALUE_ONLY]);
    options.default_partition_name = "_a=b".to_owned();
    let codec = PartitionCodec::new(keys(&[("p", "STRING")]), &options).unwrap();
    let name = codec.segment(0, None).unwrap();
    assert_eq!(name, "_a%3Db");
    assert_eq!(read_back(&codec, 0, &name), None);
    assert_eq!(read_back(&codec, 0, "_a=b"), None);
    assert_eq!(codec.read_name(0, "_a"), DirectoryName::Hidden);
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

/// What other engines wrote, and the values they gave it.
#[test]
fn directories_of_other_engines() {
    let hive = ("partition.default-name", HIVE_DEFAULT);
    let three = codec(&[("y", "INT"), ("b", "BOOLEAN"), ("d", "DATE")], &[hive]);
    for (path, values) in [
        (
            "y=2024/b=true/d=2024-01-01",
            [
                Some(Datum::Int(2024)),
                Some(Datum::Boolean(true)),
                Some(days("2024-01-01")),
            ],
        ),
        (
            "y=-1/b=__HIVE_DEFAULT_PARTITION__/d=__HIVE_DEFAULT_PARTITION__",
            [Some(Datum::Int(-1)), None, None],
        ),
        (
            "y=__HIVE_DEFAULT_PARTITION__/b=False/d=1969-12-31",
            [None, Some(Datum::Boolean(false)), Some(days("1969-12-31"))],
        ),
    ] {
        assert_eq!(three.parse_path(path).unwrap(), values);
    }

    let strings = codec(&[("p", "STRING")], &[hive]);
    for (path, text) in [
        ("p=%20leading", " leading"),
        ("p=%3Cx%3E%7Cy~%21%24%28%29%40-.%60", "<x>|y~!$()@-.`"),
        ("p=%E6%97%A5%E6%9C%AC%20%E8%AA%9E", "日本 語"),
        ("p=M%C3%BCnchen", "München"),
        ("p=München", "München"),
        ("p=%7Bk}", "{k}"),
        ("p=%2541", "%41"),
        ("p=50%", "50%"),
        ("p=a:b", "a:b"),
        ("p=it's", "it's"),
        ("p=   ", "   "),
        ("p=01", "01"),
        ("p=1.000", "1.000"),
    ] {
        assert_eq!(
            strings.parse_path(path).unwrap(),
            [Some(string(text))],
            "{path}"
        );
    }

    let spark = codec(&[("ts", "TIMESTAMP(6)")], &[hive]);
    let clock = nanos("2024-01-01", 12, 34, 56, 120_000_000);
    assert_eq!(
        spark.parse_path("ts=2024-01-01 12%3A34%3A56.12").unwrap(),
        [Some(timestamp(6, clock))]
    );
    assert_eq!(
        spark
            .parse_path("ts=1969-12-31 23%3A59%3A59.999999")
            .unwrap(),
        [Some(timestamp(6, -1000))]
    );

    let java = codec(&[("d", "DECIMAL(4, 2)"), ("e", "DECIMAL(38, 18)")], &[]);
    assert_eq!(
        java.relative_path(&[Some(decimal(-9999, 4, 2)), None])
            .unwrap(),
        "d=-99.99/e=__DEFAULT_PARTITION__"
    );
}

#[test]
fn refused_on_write() {
    let long_text = "é".repeat(127);
    for (type_text, pairs, value, words) in [
        ("DATE", vec![CAST], days("+10000-01-01"), "years"),
        ("DATE", vec![CAST], days("-0001-12-31"), "years"),
        (
            "TIMESTAMP(3)",
            vec![CAST],
            timestamp(3, nanos("+10000-01-01", 0, 0, 0, 0)),
            "years",
        ),
        ("TIMESTAMP(3)", vec![], timestamp(3, 1), "TIMESTAMP(3)"),
        (
            "TIMESTAMP(0)",
            vec![CAST],
            timestamp(0, 1_000_000),
            "TIMESTAMP(0)",
        ),
        ("TIME(0)", vec![CAST], Datum::Time(1), "TIME(0)"),
        ("TIME(3)", vec![], Datum::Time(86_400_000), "day"),
        ("TIME(3)", vec![], Datum::Time(-1), "day"),
        ("DECIMAL(4, 2)", vec![], decimal(10_000, 5, 2), "digits"),
        ("DECIMAL(4, 2)", vec![], decimal(15, 4, 1), "DECIMAL"),
        ("VARCHAR(2)", vec![], string("abc"), "longer"),
        ("INT", vec![], Datum::BigInt(1), "BIGINT"),
        ("STRING", vec![], string(&long_text), "256 bytes"),
    ] {
        let codec = codec(&[("k", type_text)], &pairs);
        let error = codec.segment(0, Some(&value)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        let message = error.to_string();
        assert!(
            message.contains("'k'") && message.contains(words) && message.len() < 300,
            "{message}"
        );
    }
    // 255 bytes are a name: `k=` and 253 more.
    let codec = codec(&[("k", "STRING")], &[]);
    let fits = format!("x{}", "é".repeat(126));
    assert_eq!(codec.segment(0, Some(&string(&fits))).unwrap().len(), 255);
    // Escaping counts.
    assert!(codec.segment(0, Some(&string(&"/".repeat(85)))).is_err());
}

#[test]
fn refused_tables() {
    for type_text in [
        "BYTES",
        "BINARY(3)",
        "ARRAY<INT>",
        "MAP<INT, INT>",
        "ROW<a INT>",
    ] {
        let error = PartitionCodec::new(keys(&[("k", type_text)]), &options(&[])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSchema);
        assert!(error.to_string().contains("'k'"), "{error}");
    }
    for name in ["_k", ".k", ""] {
        assert!(
            PartitionCodec::new(keys(&[(name, "INT")]), &options(&[])).is_err(),
            "{name}"
        );
    }
    assert!(PartitionCodec::new(keys(&[("_k", "INT")]), &options(&[VALUE_ONLY])).is_ok());
    let mut dots = options(&[VALUE_ONLY]);
    for name in [".", "..", "", " "] {
        dots.default_partition_name = name.to_owned();
        let error = PartitionCodec::new(keys(&[("k", "INT")]), &dots).unwrap_err();
        assert!(matches!(error, Error::InvalidOption { .. }), "{error}");
    }
}

#[test]
fn filters_take_blank_text_as_it_is() {
    let codec = codec(&[("p", "STRING"), ("y", "INT")], &[]);
    let filter = |key: &str, text: &str| codec.parse_filter(&[(key.to_owned(), text.to_owned())]);
    for text in ["", "  ", "a"] {
        assert_eq!(filter("p", text).unwrap(), [(0, Some(string(text)))]);
    }
    assert_eq!(filter("p", DEFAULT).unwrap(), [(0, None)]);
    assert!(filter("y", "").is_err());
    assert!(filter("z", "a").is_err());
}

#[test]
fn specs_of_users() {
    let codec = codec(&[("y", "INT"), ("dt", "DATE"), ("p", "STRING")], &[]);
    let spec = |pairs: &[(&str, &str)]| {
        let owned: Vec<_> = pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        codec.parse_spec(&owned)
    };
    assert_eq!(
        spec(&[("p", "a/b"), ("y", "07"), ("dt", "2024-01-01")]).unwrap(),
        [
            (0, Some(Datum::Int(7))),
            (1, Some(days("2024-01-01"))),
            (2, Some(string("a/b")))
        ]
    );
    assert_eq!(
        spec(&[("dt", "19723")]).unwrap(),
        [(1, Some(days("2024-01-01")))]
    );
    assert_eq!(spec(&[("y", DEFAULT)]).unwrap(), [(0, None)]);
    assert_eq!(spec(&[]).unwrap(), []);
    for (pairs, column, words) in [
        (&[("z", "1")][..], "'z'", "y, dt, p"),
        (&[("Y", "1")], "'Y'", "not a partition column"),
        (&[("y", "1"), ("y", "2")], "'y'", "twice"),
        (&[("p", "")], "'p'", "empty or blank"),
        (&[("p", "  ")], "'p'", "empty or blank"),
        (&[("y", "foo")], "'foo'", "INT"),
    ] {
        let message = spec(pairs).unwrap_err().to_string();
        assert!(
            message.contains(column) && message.contains(words),
            "{message}"
        );
    }
}

#[test]
fn paths() {
    let partitioned = codec(&[("y", "INT"), ("m", "INT")], &[]);
    assert_eq!(
        partitioned
            .relative_path(&[Some(Datum::Int(2024)), Some(Datum::Int(7))])
            .unwrap(),
        "y=2024/m=7"
    );
    assert_eq!(
        partitioned.parse_path("y=2024/m=07/").unwrap(),
        [Some(Datum::Int(2024)), Some(Datum::Int(7))]
    );
    for path in [
        "",
        "y=2024",
        "y=2024/m=7/x=1",
        "m=7/y=2024",
        "y=2024/_m=7",
        "y=2024/m=foo",
        "y=2024//m=7",
        "/y=2024/m=7",
    ] {
        assert_eq!(
            partitioned.parse_path(path).unwrap_err().kind(),
            ErrorKind::InvalidPartition,
            "{path}"
        );
    }
    assert!(partitioned.relative_path(&[None]).is_err());
    assert!(partitioned.segment(2, None).is_err());
    assert!(partitioned.parse(2, "1").is_err());

    let flat = codec(&[], &[]);
    assert!(!flat.is_partitioned());
    assert_eq!(flat.relative_path(&[]).unwrap(), "");
    assert_eq!(flat.parse_path("").unwrap(), []);
    assert!(flat.parse_path("y=1").is_err());
}

/// A type with a value of it that both settings of legacy can write.
fn typed_value() -> impl Strategy<Value = (String, Datum)> {
    // The years 0000 to 9999.
    let day = -719_528..2_932_897_i32;
    let clock =
        (day.clone(), 0..86_400_000_000_000_i64, 0..=9_u8).prop_map(|(day, of_day, precision)| {
            let unit = 10_i64.pow(9 - u32::from(precision));
            (
                precision,
                i128::from(day) * 86_400_000_000_000 + i128::from(of_day - of_day % unit),
            )
        });
    let numeric = (1..=38_u8, any::<i128>()).prop_flat_map(|(precision, bits)| {
        (0..=precision).prop_map(move |scale| {
            (
                format!("DECIMAL({precision}, {scale})"),
                decimal(bits % 10_i128.pow(u32::from(precision)), precision, scale),
            )
        })
    });
    let plain = |name: &'static str| move |value: Datum| (name.to_owned(), value);
    prop_oneof![
        any::<bool>()
            .prop_map(Datum::Boolean)
            .prop_map(plain("BOOLEAN")),
        any::<i8>()
            .prop_map(Datum::TinyInt)
            .prop_map(plain("TINYINT")),
        any::<i16>()
            .prop_map(Datum::SmallInt)
            .prop_map(plain("SMALLINT")),
        any::<i32>().prop_map(Datum::Int).prop_map(plain("INT")),
        any::<i64>()
            .prop_map(Datum::BigInt)
            .prop_map(plain("BIGINT")),
        any::<u32>()
            .prop_map(|bits| Datum::Float(f32::from_bits(bits)))
            .prop_map(plain("FLOAT")),
        any::<u64>()
            .prop_map(|bits| Datum::Double(f64::from_bits(bits)))
            .prop_map(plain("DOUBLE")),
        numeric,
        day.prop_map(Datum::Date).prop_map(plain("DATE")),
        (0..86_400_000_i32)
            .prop_map(Datum::Time)
            .prop_map(plain("TIME(3)")),
        clock
            .clone()
            .prop_map(|(p, nanos)| (format!("TIMESTAMP({p})"), timestamp(p, nanos))),
        clock.prop_map(|(precision, epoch_nanos)| {
            (
                format!("TIMESTAMP({precision}) WITH LOCAL TIME ZONE"),
                Datum::TimestampLtz {
                    epoch_nanos,
                    precision,
                },
            )
        }),
        "[a-z%/=.é日 _]{1,30}|\\PC{1,20}|[\\x00-\\x7F]{1,20}"
            .prop_map(|text| ("VARCHAR(30)".to_owned(), Datum::String(text))),
    ]
}

/// Floats of every kind, and many that lie in the middle of two short texts or at a power of two.
fn any_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        (0..1_u32 << 24, 0..8_i32).prop_map(|(digits, shift)| digits as f32 / 2_f32.powi(shift)),
        (0..255_u32, 0..4_u32)
            .prop_map(|(exponent, below)| f32::from_bits((exponent << 23).saturating_sub(below))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn floats_read_back_bit_by_bit(value in any_float(), negative: bool) {
        let value = if negative { -value } else { value };
        let codec = PartitionCodec::new(keys(&[("k", "FLOAT")]), &options(&[])).unwrap();
        let name = codec.segment(0, Some(&Datum::Float(value))).unwrap();
        let Some(Datum::Float(read)) = read_back(&codec, 0, &name) else {
            panic!("{name}")
        };
        // All that is no number is `NaN`.
        let expected = if value.is_nan() { f32::NAN } else { value };
        prop_assert_eq!(read.to_bits(), expected.to_bits(), "{}", name);
        prop_assert_eq!(name == "k=NaN", value.is_nan());
        // The shortest text of another writer, which may choose the other digit of two.
        let other = if value.is_finite() { format!("{value:e}") } else { name[2..].to_owned() };
        prop_assert_eq!(read_back(&codec, 0, &format!("k={other}")), Some(Datum::Float(value)));
    }
}

proptest! {
    #[test]
    fn names_read_back((type_text, value) in typed_value(), legacy: bool, value_only: bool, null in 0..20) {
        let mut options = options(&[]);
        options.legacy_partition_name = legacy;
        options.value_only_layout = value_only;
        let codec = PartitionCodec::new(keys(&[("k=", &type_text)]), &options).unwrap();
        let value = (null > 0).then_some(value);
        match codec.segment(0, value.as_ref()) {
            Ok(name) => {
                let expected = value.filter(|value| !matches!(value, Datum::String(text) if is_blank(text)));
                prop_assert_eq!(read_back(&codec, 0, &name), expected.clone());
                prop_assert_eq!(codec.parse_path(&name).unwrap(), vec![expected]);
                prop_assert!(!name.contains('/') && name.len() <= 255);
            }
            Err(error) => {
                let hidden = matches!(&value, Some(Datum::String(text)) if is_hidden(text));
                prop_assert!(value_only && hidden, "{}", error);
            }
        }
    }

    #[test]
    fn no_name_is_too_strange(name in "\\PC*|[kK=%_.0-9a-fA-F]{0,20}|[\\x00-\\x7F]*", value_only: bool) {
        let mut options = options(&[]);
        options.value_only_layout = value_only;
        for type_text in ["BOOLEAN", "INT", "DECIMAL(38, 10)", "FLOAT", "DOUBLE", "CHAR(3)", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(9) WITH LOCAL TIME ZONE"] {
            let codec = PartitionCodec::new(keys(&[("k", type_text)]), &options).unwrap();
            if let DirectoryName::Value(raw) = codec.read_name(0, &name) {
                let _ = codec.parse(0, &raw);
            }
            let _ = codec.parse(0, &name);
        }
    }

    #[test]
    fn odd_times_do_not_panic(text in "[-+0-9:. TZe]{0,25}") {
        for type_text in ["DECIMAL(38, 10)", "FLOAT", "DATE", "TIME(3)", "TIMESTAMP(3)"] {
            let codec = PartitionCodec::new(keys(&[("k", type_text)]), &options(&[])).unwrap();
            let _ = codec.parse(0, &text);
        }
    }
}
