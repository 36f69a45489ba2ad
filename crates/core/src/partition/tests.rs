mod directories;
mod random;
mod refused;
mod texts;

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
