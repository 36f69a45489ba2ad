//! Partition columns of every type: written in both spellings, named as Paimon names them, found by every test.

use ftable::{FormatTable, Predicate, col};
use ftable_core::Datum;
use ftable_core::predicate::Literal;

use crate::support::rows::{Row, write};
use crate::support::{NO_IDS, Store, VALUE_ONLY, ids, int, partitions, select};

const DEFAULT: &str = "__DEFAULT_PARTITION__";
const CAST: (&str, &str) = ("partition.legacy-name", "false");

/// A value with the text of its directory when `partition.legacy-name` is true and when it is false.
struct Named(Datum, &'static str, &'static str);

fn same(value: Datum, name: &'static str) -> Named {
    Named(value, name, name)
}

fn time(millis: i32, legacy: &'static str, cast: &'static str) -> Named {
    Named(Datum::Time(millis), legacy, cast)
}

/// Nanoseconds of 2024-01-01T00:00.
const NEW_YEAR: i128 = 1_704_067_200_000_000_000;
const SECOND: i128 = 1_000_000_000;
/// 12:34:56 of a day.
const LATER: i128 = 45_296 * SECOND;

fn timestamp(precision: u8, nanos: i128, legacy: &'static str, cast: &'static str) -> Named {
    Named(
        Datum::Timestamp {
            epoch_nanos: NEW_YEAR + nanos,
            precision,
        },
        legacy,
        cast,
    )
}

fn instant(precision: u8, nanos: i128, legacy: &'static str, cast: &'static str) -> Named {
    Named(
        Datum::TimestampLtz {
            epoch_nanos: NEW_YEAR + nanos,
            precision,
        },
        legacy,
        cast,
    )
}

fn decimal(precision: u8, scale: u8, unscaled: i128, name: &'static str) -> Named {
    same(
        Datum::Decimal {
            unscaled,
            precision,
            scale,
        },
        name,
    )
}

fn string(value: &'static str, name: &'static str) -> Named {
    same(Datum::String(value.to_owned()), name)
}

/// Writes a row for each value and one for NULL, in both spellings and layouts, and looks for each of them.
async fn round_trip(declared: &str, values: &[Named]) {
    for (options, cast) in [
        (&[][..], false),
        (&[CAST], true),
        (&[VALUE_ONLY], false),
        (&[VALUE_ONLY, CAST], true),
    ] {
        let store = Store::local();
        let table = store
            .table_with(&format!("id INT, k {declared}"), &["k"], options)
            .await;
        let mut rows: Vec<Row> = (0..)
            .zip(values)
            .map(|(id, named)| vec![int(id), Some(named.0.clone())])
            .collect();
        let null = i32::try_from(values.len()).unwrap();
        rows.push(vec![int(null), None]);
        write(&table, &rows).await;

        let prefix = if options.contains(&VALUE_ONLY) {
            ""
        } else {
            "k="
        };
        let names = values
            .iter()
            .map(|Named(_, legacy, text)| if cast { *text } else { *legacy });
        let mut expected: Vec<String> = names
            .chain([DEFAULT])
            .map(|name| format!("{prefix}{name}"))
            .collect();
        expected.sort_unstable();
        assert_eq!(
            partitions(&table, None).await,
            expected,
            "{declared}, cast {cast}"
        );
        assert_eq!(select(&table, None).await, rows, "{declared}");
        find_each(&table, values, null).await;
    }
}

/// Looks for ascending values by every comparison; the last row is NULL.
async fn find_each(table: &FormatTable, values: &[Named], null: i32) {
    let k = || col("k");
    let literal = |index: i32| Literal::from(values[usize::try_from(index).unwrap()].0.clone());
    let check = async |filter: Predicate, expected: Vec<i32>| {
        assert_eq!(ids(table, filter.clone()).await, expected, "{filter}");
        let plan = crate::support::plan(table, filter.clone()).await;
        // Directories alone decide: nothing is left to apply to rows, and no other file is planned.
        assert_eq!(plan.file_count(), expected.len(), "{filter}");
        assert!(
            plan.splits().is_empty() || plan.residual().is_none(),
            "{filter}"
        );
    };
    for i in 0..null {
        check(k().eq(literal(i)), vec![i]).await;
        check(
            k().not_eq(literal(i)),
            (0..null).filter(|other| *other != i).collect(),
        )
        .await;
        check(k().lt(literal(i)), (0..i).collect()).await;
        check(k().gt_eq(literal(i)), (i..null).collect()).await;
        check(!k().gt_eq(literal(i)), (0..i).collect()).await;
    }
    let last = null - 1;
    check(k().lt_eq(literal(last)), (0..null).collect()).await;
    check(k().gt(literal(0)), (1..null).collect()).await;
    check(k().between(literal(0), literal(last)), (0..null).collect()).await;
    let ends = if last == 0 { vec![0] } else { vec![0, last] };
    check(k().in_list([literal(last), literal(0)]), ends.clone()).await;
    check(
        k().not_in_list([literal(last), literal(0)]),
        (1..last).collect(),
    )
    .await;
    check(k().in_list([literal(0), Literal::Null]), vec![0]).await;
    check(k().not_in_list([literal(0), Literal::Null]), vec![]).await;
    check(k().is_null(), vec![null]).await;
    check(k().is_not_null(), (0..null).collect()).await;
    check(k().eq(Literal::Null), vec![]).await;
    check(k().eq(literal(last)).or(k().is_null()), vec![last, null]).await;
}

#[tokio::test]
async fn booleans() {
    round_trip(
        "BOOLEAN",
        &[
            same(Datum::Boolean(false), "false"),
            same(Datum::Boolean(true), "true"),
        ],
    )
    .await;
}

#[tokio::test]
async fn integers() {
    round_trip(
        "TINYINT",
        &[
            same(Datum::TinyInt(-128), "-128"),
            same(Datum::TinyInt(127), "127"),
        ],
    )
    .await;
    round_trip(
        "SMALLINT",
        &[
            same(Datum::SmallInt(-32768), "-32768"),
            same(Datum::SmallInt(7), "7"),
        ],
    )
    .await;
    round_trip(
        "INT",
        &[
            same(Datum::Int(-3), "-3"),
            same(Datum::Int(0), "0"),
            same(Datum::Int(10), "10"),
        ],
    )
    .await;
    let ends = [
        same(Datum::BigInt(i64::MIN), "-9223372036854775808"),
        same(Datum::BigInt(9), "9"),
    ];
    round_trip("BIGINT", &ends).await;
}

#[tokio::test]
async fn decimals() {
    let values = [
        decimal(10, 2, -1, "-0.01"),
        decimal(10, 2, 0, "0.00"),
        decimal(10, 2, 150, "1.50"),
        decimal(10, 2, 9_999_999_999, "99999999.99"),
    ];
    round_trip("DECIMAL(10, 2)", &values).await;
    let values = [
        decimal(38, 18, -1, "-0.000000000000000001"),
        decimal(38, 18, 1, "0.000000000000000001"),
    ];
    round_trip("DECIMAL(38, 18)", &values).await;
    round_trip(
        "DECIMAL(5, 0)",
        &[decimal(5, 0, -99_999, "-99999"), decimal(5, 0, 10, "10")],
    )
    .await;
}

#[tokio::test]
async fn floats_are_spelled_as_java_spells_them() {
    let float = |value, name| same(Datum::Float(value), name);
    let values = [
        float(f32::NEG_INFINITY, "-Infinity"),
        float(-0.0, "-0.0"),
        float(1.4e-45, "1.4E-45"),
        float(9.999e-4, "9.999E-4"),
        float(0.001, "0.001"),
        float(0.1, "0.1"),
        float(1.0, "1.0"),
        float(9_999_999.0, "9999999.0"),
        float(1.0e7, "1.0E7"),
        float(f32::MAX, "3.4028235E38"),
        float(f32::NAN, "NaN"),
    ];
    round_trip("FLOAT", &values).await;
}

#[tokio::test]
async fn doubles_are_spelled_as_java_spells_them() {
    let double = |value, name| same(Datum::Double(value), name);
    let values = [
        double(f64::NEG_INFINITY, "-Infinity"),
        double(-1.5, "-1.5"),
        double(0.0, "0.0"),
        double(9.999e-4, "9.999E-4"),
        double(0.001, "0.001"),
        double(0.1, "0.1"),
        double(100.0, "100.0"),
        double(1.0e7, "1.0E7"),
        double(f64::INFINITY, "Infinity"),
        double(f64::NAN, "NaN"),
    ];
    round_trip("DOUBLE", &values).await;
}

#[tokio::test]
async fn characters_keep_their_padding() {
    round_trip(
        "CHAR(5)",
        &[
            string("ab", "ab"),
            string("ab   ", "ab   "),
            string("b", "b"),
        ],
    )
    .await;
    round_trip(
        "VARCHAR(3)",
        &[
            string("a b", "a b"),
            string("it'", "it%27"),
            string("日本語", "日本語"),
        ],
    )
    .await;
    round_trip(
        "STRING",
        &[
            string("00", "00"),
            string("NULL", "NULL"),
            string("a/b", "a%2Fb"),
        ],
    )
    .await;
}

#[tokio::test]
async fn dates_are_day_numbers_or_iso() {
    let date = |days, legacy, cast| Named(Datum::Date(days), legacy, cast);
    let values = [
        date(-719_528, "-719528", "0000-01-01"),
        date(-365, "-365", "1969-01-01"),
        date(0, "0", "1970-01-01"),
        date(19_723, "19723", "2024-01-01"),
        date(2_932_896, "2932896", "9999-12-31"),
    ];
    round_trip("DATE", &values).await;
}

#[tokio::test]
async fn times_are_milliseconds_or_clocks() {
    round_trip(
        "TIME(0)",
        &[
            time(0, "0", "00%3A00%3A00"),
            time(45_296_000, "45296000", "12%3A34%3A56"),
        ],
    )
    .await;
    let values = [
        time(0, "0", "00%3A00%3A00.0"),
        time(45_296_700, "45296700", "12%3A34%3A56.7"),
        time(45_296_789, "45296789", "12%3A34%3A56.789"),
        time(86_399_999, "86399999", "23%3A59%3A59.999"),
    ];
    round_trip("TIME(3)", &values).await;
}

#[tokio::test]
async fn timestamps_of_seconds_and_milliseconds() {
    let values = [
        timestamp(0, 0, "2024-01-01T00%3A00", "2024-01-01 00%3A00%3A00"),
        timestamp(
            0,
            5 * SECOND,
            "2024-01-01T00%3A00%3A05",
            "2024-01-01 00%3A00%3A05",
        ),
    ];
    round_trip("TIMESTAMP(0)", &values).await;
    let values = [
        timestamp(
            3,
            -NEW_YEAR - 1_000_000,
            "1969-12-31T23%3A59%3A59.999",
            "1969-12-31 23%3A59%3A59.999",
        ),
        timestamp(3, 0, "2024-01-01T00%3A00", "2024-01-01 00%3A00%3A00.000"),
        timestamp(
            3,
            60 * SECOND,
            "2024-01-01T00%3A01",
            "2024-01-01 00%3A01%3A00.000",
        ),
        timestamp(
            3,
            LATER + 120_000_000,
            "2024-01-01T12%3A34%3A56.120",
            "2024-01-01 12%3A34%3A56.120",
        ),
    ];
    round_trip("TIMESTAMP(3)", &values).await;
}

#[tokio::test]
async fn timestamps_of_microseconds_and_nanoseconds() {
    let values = [
        timestamp(6, 0, "2024-01-01T00%3A00", "2024-01-01 00%3A00%3A00.000000"),
        timestamp(
            6,
            LATER + 120_000_000,
            "2024-01-01T12%3A34%3A56.120",
            "2024-01-01 12%3A34%3A56.120000",
        ),
        timestamp(
            6,
            LATER + 120_300_000,
            "2024-01-01T12%3A34%3A56.120300",
            "2024-01-01 12%3A34%3A56.120300",
        ),
    ];
    round_trip("TIMESTAMP(6)", &values).await;
    let values = [
        timestamp(
            9,
            0,
            "2024-01-01T00%3A00",
            "2024-01-01 00%3A00%3A00.000000000",
        ),
        timestamp(
            9,
            1,
            "2024-01-01T00%3A00%3A00.000000001",
            "2024-01-01 00%3A00%3A00.000000001",
        ),
        timestamp(
            9,
            LATER + 120_300_001,
            "2024-01-01T12%3A34%3A56.120300001",
            "2024-01-01 12%3A34%3A56.120300001",
        ),
    ];
    round_trip("TIMESTAMP(9)", &values).await;
}

#[tokio::test]
async fn local_zone_timestamps_are_named_in_utc() {
    let values = [
        instant(3, 0, "2024-01-01T00%3A00", "2024-01-01 00%3A00%3A00.000"),
        instant(
            3,
            LATER,
            "2024-01-01T12%3A34%3A56",
            "2024-01-01 12%3A34%3A56.000",
        ),
    ];
    round_trip("TIMESTAMP(3) WITH LOCAL TIME ZONE", &values).await;
    let values = [
        instant(
            6,
            LATER + 120_300_000,
            "2024-01-01T12%3A34%3A56.120300",
            "2024-01-01 12%3A34%3A56.120300",
        ),
        instant(
            6,
            2 * LATER,
            "2024-01-02T01%3A09%3A52",
            "2024-01-02 01%3A09%3A52.000000",
        ),
    ];
    round_trip("TIMESTAMP(6) WITH LOCAL TIME ZONE", &values).await;
}

#[tokio::test]
async fn zeros_of_both_signs_are_two_directories_of_one_value() {
    let store = Store::local();
    let table = store.table("id INT, k DOUBLE", &["k"]).await;
    write(
        &table,
        &[
            vec![int(1), Some(Datum::Double(0.0))],
            vec![int(2), Some(Datum::Double(-0.0))],
        ],
    )
    .await;
    assert_eq!(partitions(&table, None).await, ["k=-0.0", "k=0.0"]);
    assert_eq!(ids(&table, col("k").eq(0)).await, [1, 2]);
    assert_eq!(ids(&table, col("k").lt(0)).await, NO_IDS);
}

#[tokio::test]
async fn changing_the_spelling_keeps_old_directories_visible() {
    let store = Store::local();
    let columns = "id INT, dt DATE, ts TIMESTAMP(3)";
    let row = |id| {
        vec![
            int(id),
            Some(Datum::Date(19_723)),
            Some(Datum::Timestamp {
                epoch_nanos: NEW_YEAR,
                precision: 3,
            }),
        ]
    };
    let legacy = store.table(columns, &["dt", "ts"]).await;
    write(&legacy, &[row(1)]).await;
    let cast = store.table_with(columns, &["dt", "ts"], &[CAST]).await;
    write(&cast, &[row(2)]).await;
    for table in [legacy, cast] {
        let expected = [
            "dt=19723/ts=2024-01-01T00%3A00",
            "dt=2024-01-01/ts=2024-01-01 00%3A00%3A00.000",
        ];
        assert_eq!(partitions(&table, None).await, expected);
        assert_eq!(ids(&table, col("dt").eq("2024-01-01")).await, [1, 2]);
        assert_eq!(
            ids(&table, col("ts").eq("2024-01-01 00:00:00")).await,
            [1, 2]
        );
        assert_eq!(ids(&table, col("dt").gt("2024-01-01")).await, NO_IDS);
    }
}

#[tokio::test]
async fn dates_the_cast_would_write_wrong_are_refused() {
    let store = Store::local();
    let table = store.table_with("id INT, dt DATE", &["dt"], &[CAST]).await;
    for days in [2_932_897, -719_529] {
        let error =
            crate::support::rows::try_write(&table, &[vec![int(1), Some(Datum::Date(days))]])
                .await
                .unwrap_err();
        crate::support::assert_error(
            &error,
            ftable::ErrorKind::InvalidPartition,
            &["'dt'", "0000 to 9999"],
        );
    }
    let legacy = store.table("id INT, dt DATE", &["dt"]).await;
    write(&legacy, &[vec![int(1), Some(Datum::Date(2_932_897))]]).await;
    assert_eq!(
        select(&legacy, None).await,
        [vec![int(1), Some(Datum::Date(2_932_897))]]
    );
}
