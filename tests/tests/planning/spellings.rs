//! Every spelling other writers give a value is the value: read as it, found by it, and refused when it is none.

use ftable::{ErrorKind, Predicate, col};
use ftable_core::Datum;
use ftable_core::partition::escape;
use ftable_core::predicate::Literal;

use crate::support::rows::write;
use crate::support::{
    NO_IDS, Store, assert_error, files, ids, int, plan, select, shown, spec, try_plan,
};

/// Lays out a directory for each text and checks what it is read as and by what it is found.
async fn spelled(declared: &str, texts: &[(&str, Datum)]) {
    for store in Store::each() {
        let names: Vec<_> = texts
            .iter()
            .map(|(text, _)| format!("k={}/f", escape(text).unwrap()))
            .collect();
        store.numbered(names.iter().map(String::as_str)).await;
        let table = store.table(&format!("id INT, k {declared}"), &["k"]).await;
        let expected: Vec<_> = (1..)
            .zip(texts)
            .map(|(id, (_, value))| vec![int(id), Some(value.clone())])
            .collect();
        assert_eq!(select(&table, None).await, expected, "{declared}");
        for (text, value) in texts {
            let equal = |other: &Datum| other.compare(value).is_some_and(std::cmp::Ordering::is_eq);
            let same: Vec<i32> = (1..)
                .zip(texts)
                .filter(|(_, (_, other))| equal(other))
                .map(|(id, _)| id)
                .collect();
            let literal = || Literal::from(value.clone());
            assert_eq!(
                ids(&table, col("k").eq(literal())).await,
                same,
                "{declared} {text}"
            );
            assert_eq!(
                ids(&table, col("k").in_list([literal()])).await,
                same,
                "{declared} {text}"
            );
            assert_eq!(
                ids(&table, col("k").between(literal(), literal())).await,
                same,
                "{declared} {text}"
            );
            let scan = table
                .scan()
                .partition(&spec(&[("k", text)]))
                .unwrap()
                .build()
                .unwrap();
            assert_eq!(
                scan.plan().await.unwrap().file_count(),
                same.len(),
                "{declared} {text}"
            );
        }
    }
}

/// Lays out a directory for each text that is no value and checks that it fails every plan that reaches it.
async fn refused(declared: &str, texts: &[&str]) {
    for text in texts {
        let store = Store::local();
        let name = format!("k={}", escape(text).unwrap());
        store.numbered([format!("a=1/{name}/f").as_str()]).await;
        let table = store
            .table(&format!("id INT, a INT, k {declared}"), &["a", "k"])
            .await;
        let told = [
            &format!("directory a=1/{name}"),
            "'k'",
            &format!("'{text}'"),
            declared,
        ];
        for filter in [None, Some(col("k").is_null()), Some(col("a").eq(1))] {
            let error = try_plan(&table, filter).await.unwrap_err();
            assert_error(&error, ErrorKind::InvalidPartition, &told);
            let scan = table.scan().build().unwrap();
            assert_error(
                &scan.list_partitions().await.unwrap_err(),
                ErrorKind::InvalidPartition,
                &told,
            );
        }
        assert_eq!(
            try_plan(&table, col("a").eq(2)).await.unwrap().file_count(),
            0
        );
        let error = table.scan().partition(&spec(&[("k", text)])).unwrap_err();
        assert_error(&error, ErrorKind::InvalidPartition, &["'k'", declared]);
    }
}

#[tokio::test]
async fn booleans() {
    let on = ["t", "true", "y", "yes", "1", "T", "TRUE", "Yes", "yEs"]
        .map(|text| (text, Datum::Boolean(true)));
    let off = ["f", "false", "n", "no", "0", "F", "False", "NO"]
        .map(|text| (text, Datum::Boolean(false)));
    spelled("BOOLEAN", &[&on[..], &off[..]].concat()).await;
    refused("BOOLEAN", &["on", "off", "2", "truee", " true"]).await;
}

#[tokio::test]
async fn integers() {
    let sevens = ["7", "07", "007", "+7", "+07"].map(|text| (text, Datum::Int(7)));
    let others = [
        ("-7", Datum::Int(-7)),
        ("-07", Datum::Int(-7)),
        ("-0", Datum::Int(0)),
        ("000", Datum::Int(0)),
    ];
    spelled("INT", &[&sevens[..], &others[..]].concat()).await;
    spelled(
        "BIGINT",
        &[("0009223372036854775807", Datum::BigInt(i64::MAX))],
    )
    .await;
    refused(
        "INT",
        &[
            "foo",
            " 7",
            "7 ",
            "7.0",
            "1e3",
            "0x7",
            "2147483648",
            "+",
            "-",
            "٣",
        ],
    )
    .await;
    refused("TINYINT", &["128", "-129"]).await;
}

#[tokio::test]
async fn decimals_are_rounded_half_up_and_never_overflow_into_null() {
    let decimal = |unscaled| Datum::Decimal {
        unscaled,
        precision: 4,
        scale: 2,
    };
    let texts = [
        ("1.5", decimal(150)),
        ("1.50", decimal(150)),
        ("1.500000", decimal(150)),
        ("+1.5", decimal(150)),
        ("15e-1", decimal(150)),
        ("0.15E1", decimal(150)),
        ("001.5", decimal(150)),
        ("1.555", decimal(156)),
        ("1.5549", decimal(155)),
        ("-1.555", decimal(-156)),
        ("1e1", decimal(1000)),
        ("99.99", decimal(9999)),
        ("-0", decimal(0)),
    ];
    spelled("DECIMAL(4, 2)", &texts).await;
    refused(
        "DECIMAL(4, 2)",
        &["123.45", "99.995", "abc", "1,5", "1.5d", "NaN"],
    )
    .await;
}

#[tokio::test]
async fn floats() {
    let float = Datum::Float;
    let texts = [
        ("0.1", float(0.1)),
        ("0.10", float(0.1)),
        ("1", float(1.0)),
        ("1.0", float(1.0)),
        ("1e0", float(1.0)),
        ("3.3E10", float(3.3e10)),
        // JDKs before 19 print this float with more digits than it needs.
        ("3.29999995E10", float(3.3e10)),
        ("NaN", float(f32::NAN)),
        ("Infinity", float(f32::INFINITY)),
        ("-Infinity", float(f32::NEG_INFINITY)),
    ];
    spelled("FLOAT", &texts).await;
    refused(
        "FLOAT",
        &["0.123456789", "1d", "1.0f", "0x1p3", "nan", "inf", "abc"],
    )
    .await;
}

#[tokio::test]
async fn doubles() {
    let double = Datum::Double;
    let texts = [
        ("1.0E23", double(1e23)),
        ("9.999999999999999E22", double(1e23)),
        ("100", double(100.0)),
        ("100.0", double(100.0)),
        ("1e2", double(100.0)),
        ("-0.0", double(-0.0)),
        ("0", double(0.0)),
        ("NaN", double(f64::NAN)),
        ("-Infinity", double(f64::NEG_INFINITY)),
    ];
    spelled("DOUBLE", &texts).await;
    refused("DOUBLE", &["1d", "1.0f", "0x1p3", "abc", "infinity"]).await;
}

#[tokio::test]
async fn characters_are_taken_as_they_are_up_to_their_length() {
    let string = |text: &str| Datum::String(text.to_owned());
    spelled(
        "CHAR(3)",
        &[
            ("ab", string("ab")),
            ("ab ", string("ab ")),
            ("日本語", string("日本語")),
        ],
    )
    .await;
    spelled("VARCHAR(3)", &[("abc", string("abc")), ("a", string("a"))]).await;
    refused("CHAR(3)", &["abcd", "ab  "]).await;
    refused("VARCHAR(3)", &["日本語日"]).await;
}

#[tokio::test]
async fn a_declared_string_stays_text() {
    let string = |text: &str| Datum::String(text.to_owned());
    let texts =
        ["01", "1", "1.000", "true", "2024-01-01", "NaN", "+1"].map(|text| (text, string(text)));
    spelled("STRING", &texts).await;
    for store in Store::each() {
        store
            .numbered(["hour=01/f", "hour=1/f", "hour=1.000/f", "hour=true/f"])
            .await;
        let table = store.table("id INT, hour STRING", &["hour"]).await;
        assert_eq!(shown(&table).await, ["1|01", "2|1", "3|1.000", "4|true"]);
        assert_eq!(ids(&table, col("hour").eq("1")).await, [2]);
        assert_eq!(ids(&table, col("hour").lt("1")).await, [1]);
    }
}

#[tokio::test]
async fn dates_are_days_when_digits_and_calendar_days_otherwise() {
    let date = Datum::Date;
    let texts = [
        ("19723", date(19_723)),
        ("2024-01-01", date(19_723)),
        ("2024-1-1", date(19_723)),
        ("2024-01", date(19_723)),
        ("2024-1", date(19_723)),
        ("2024-01-01 00:00:00", date(19_723)),
        ("019723", date(19_723)),
        ("-365", date(-365)),
        ("1969-01-01", date(-365)),
        // Digits alone are days, whatever they look like: 1975-07-18, and a day in the year 57383.
        ("2024", date(2024)),
        ("1975-07-18", date(2024)),
        ("20240101", date(20_240_101)),
        ("2024-02-29", date(19_782)),
    ];
    spelled("DATE", &texts).await;
    let bad = [
        "2023-02-29",
        "2024-02-30",
        "2024-13-01",
        "2024-01-01T00:00",
        "10000-01-01",
        "today",
        "01.01.2024",
    ];
    refused("DATE", &bad).await;
}

#[tokio::test]
async fn times_are_milliseconds_when_digits_and_clocks_otherwise() {
    let time = Datum::Time;
    let texts = [
        ("12", time(12)),
        ("45296700", time(45_296_700)),
        ("12:34:56.7", time(45_296_700)),
        ("12:34:56.700", time(45_296_700)),
        ("12:34:56.6996", time(45_296_700)),
        ("12:34", time(45_240_000)),
        ("12:34:00.0", time(45_240_000)),
        ("1:2:3", time(3_723_000)),
        ("00:00:00", time(0)),
    ];
    spelled("TIME(3)", &texts).await;
    refused("TIME(3)", &["25:00:00", "12:60", "86400000", "-1", "noon"]).await;
}

#[tokio::test]
async fn timestamps_in_both_spellings_and_as_counts() {
    // 2023-06-07T13:00 and 2024-01-01T00:00.
    let (june, new_year) = (1_686_142_800_000_000_000, 1_704_067_200_000_000_000);
    let millis = |epoch_nanos| Datum::Timestamp {
        epoch_nanos,
        precision: 3,
    };
    let texts = [
        ("2023-06-07 13:00:00", millis(june)),
        ("2023-06-07T13:00", millis(june)),
        ("2023-06-07T13:00:00.000", millis(june)),
        ("2023-06-07 13:0:0.0", millis(june)),
        ("2023-6-7T13:00:00", millis(june)),
        ("1686142800000", millis(june)),
        ("2023-06-07 13:00:00.1239", millis(june + 123_000_000)),
        ("2024-01-01", millis(new_year)),
        ("-1", millis(-1_000_000)),
    ];
    spelled("TIMESTAMP(3)", &texts).await;
    for (precision, text) in [
        (0, "1704067200"),
        (6, "1704067200000000"),
        (9, "1704067200000000000"),
    ] {
        let value = Datum::Timestamp {
            epoch_nanos: new_year,
            precision,
        };
        spelled(
            &format!("TIMESTAMP({precision})"),
            &[(text, value.clone()), ("2024-01-01T00:00", value)],
        )
        .await;
    }
    let bad = [
        "2024-01-01 00:00",
        "2024-01-01T00:00Z",
        "2023-02-30T00:00",
        "2024-01-01T24:00",
        "10000-01-01T00:00",
    ];
    refused("TIMESTAMP(3)", &bad).await;
    // Java has no unit for a count at other precisions.
    refused("TIMESTAMP(2)", &["1704067200"]).await;
}

#[tokio::test]
async fn local_zone_timestamps_are_read_as_utc_without_counts() {
    let value = Datum::TimestampLtz {
        epoch_nanos: 1_686_142_800_000_000_000,
        precision: 3,
    };
    let texts = [
        "2023-06-07 13:00:00",
        "2023-06-07T13:00",
        "2023-06-07T13:00:00.000",
    ];
    spelled(
        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        &texts.map(|text| (text, value.clone())),
    )
    .await;
    refused(
        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        &["1686142800000", "2023-06-07T13:00Z"],
    )
    .await;
}

#[tokio::test]
async fn zero_padded_directories_are_found_by_number() {
    for store in Store::each() {
        store
            .numbered(["day=06/hour=00/f", "day=06/hour=01/f", "day=7/hour=1/f"])
            .await;
        let table = store
            .table("id INT, day INT, hour INT", &["day", "hour"])
            .await;
        for (filter, expected) in [
            (Predicate::Constant(true), vec![1, 2, 3]),
            (col("day").eq(6), vec![1, 2]),
            (col("day").eq(6).and(col("hour").eq(0)), vec![1]),
            (col("day").in_list([6, 7]), vec![1, 2, 3]),
            (col("day").gt_eq(7), vec![3]),
            (col("hour").eq(1), vec![2, 3]),
            (col("day").eq("06"), vec![1, 2]),
            (col("day").eq(6.0), vec![1, 2]),
            (col("day").gt(6.5), vec![3]),
        ] {
            assert_eq!(ids(&table, filter.clone()).await, expected, "{filter}");
        }
    }
}

#[tokio::test]
async fn hive_and_paimon_dates_are_one_day() {
    for store in Store::each() {
        store
            .numbered(["dt=2024-01-01/f1", "dt=19723/f2", "dt=2023-12-31/f3"])
            .await;
        let table = store.table("id INT, dt DATE", &["dt"]).await;
        // A second past midnight of the day.
        let later = Literal::Timestamp {
            epoch_nanos: 1_704_067_201_000_000_000,
        };
        for (filter, expected) in [
            (col("dt").eq(Literal::Date(19_723)), vec![1, 2]),
            (col("dt").eq("2024-01-01"), vec![1, 2]),
            (col("dt").gt_eq("2024-01-01"), vec![1, 2]),
            (
                col("dt").in_list(["2024-01-01", "2023-12-31"]),
                vec![1, 2, 3],
            ),
            (col("dt").lt("2024-01-01"), vec![3]),
            // A day is its midnight.
            (col("dt").lt(later.clone()), vec![1, 2, 3]),
            (col("dt").eq(later.clone()), vec![]),
        ] {
            assert_eq!(ids(&table, filter.clone()).await, expected, "{filter}");
        }
        for day in ["19723", "2024-01-01", "2024-1-1"] {
            let scan = table
                .scan()
                .partition(&spec(&[("dt", day)]))
                .unwrap()
                .build()
                .unwrap();
            assert_eq!(
                files(&scan.plan().await.unwrap()),
                ["dt=19723/f2", "dt=2024-01-01/f1"],
                "{day}"
            );
        }
    }
}

#[tokio::test]
async fn hive_and_paimon_timestamps_are_one_moment() {
    for store in Store::each() {
        store
            .numbered(["ts=2023-06-07 13%3A00%3A00/f", "ts=2023-06-07T13%3A00/f"])
            .await;
        let table = store.table("id INT, ts TIMESTAMP(3)", &["ts"]).await;
        assert_eq!(
            shown(&table).await,
            [
                "1|2023-06-07T13:00:00.000000",
                "2|2023-06-07T13:00:00.000000"
            ]
        );
        assert_eq!(
            ids(&table, col("ts").eq("2023-06-07 13:00:00")).await,
            [1, 2]
        );
        assert_eq!(
            ids(&table, col("ts").gt("2023-06-07T12:59:59.999")).await,
            [1, 2]
        );
        assert_eq!(
            ids(&table, col("ts").gt("2023-06-07 13:00:00.0001")).await,
            NO_IDS
        );
    }
}

#[tokio::test]
async fn a_row_joins_its_canonical_directory_and_aliases_stay_as_they_are() {
    for store in Store::each() {
        store.numbered(["m=3/f", "m=03/f"]).await;
        let table = store.table("id INT, m INT", &["m"]).await;
        write(&table, &[vec![int(3), int(3)]]).await;
        assert_eq!(ids(&table, col("m").eq(3)).await, [1, 2, 3]);
        let scan = table.scan().build().unwrap();
        let entries = scan.list_partitions().await.unwrap();
        let listed: Vec<_> = entries
            .iter()
            .map(|entry| (&*entry.path, entry.file_count, &entry.values[0]))
            .collect();
        assert_eq!(listed, [("m=03", 1, &int(3)), ("m=3", 2, &int(3))]);
    }
}

#[tokio::test]
async fn a_declared_partition_is_read_by_its_types_and_named_as_the_table_names_it() {
    for store in Store::each() {
        let table = store.table("id INT, dt DATE, m INT", &["dt", "m"]).await;
        let data = crate::support::rows::batch(&table.fields()[..1], &[vec![int(1)]]);
        let mut writer = table.write().build().unwrap();
        let declared = spec(&[("m", "007"), ("dt", "2024-01-01")]);
        writer
            .write_partition(&declared, data.clone())
            .await
            .unwrap();
        for (bad, column) in [
            (&[("dt", "2024-01-01")][..], "m"),
            (&[("dt", "x"), ("m", "1")], "dt"),
            (&[("dt", ""), ("m", "1")], "dt"),
        ] {
            let error = writer
                .write_partition(&spec(bad), data.clone())
                .await
                .unwrap_err();
            assert!(
                error.to_string().contains(&format!("'{column}'")),
                "{error}"
            );
        }
        let messages = writer.prepare_commit().await.unwrap();
        table
            .commit()
            .build()
            .unwrap()
            .commit(messages)
            .await
            .unwrap();
        assert_eq!(
            crate::support::partitions(&table, None).await,
            ["dt=19723/m=7"]
        );
        assert_eq!(
            ids(&table, col("dt").eq("2024-01-01").and(col("m").eq(7))).await,
            [1]
        );
    }
}

#[tokio::test]
async fn values_of_mixed_kinds_are_texts_or_an_error_that_says_where() {
    for store in Store::each() {
        store
            .numbered(["partition=123/t.csv", "partition=abc/t.csv"])
            .await;
        let table = store
            .table("id INT, partition STRING", &["partition"])
            .await;
        assert_eq!(shown(&table).await, ["1|123", "2|abc"]);
        let table = store
            .table("id INT, partition BIGINT", &["partition"])
            .await;
        let error = try_plan(&table, None).await.unwrap_err();
        let told = [
            "partition=abc",
            "'partition'",
            "BIGINT",
            "'abc'",
            &store.location,
        ];
        assert_error(&error, ErrorKind::InvalidPartition, &told);
    }
}

#[tokio::test]
async fn a_value_is_not_parsed_where_another_key_excludes_its_directory() {
    for store in Store::each() {
        store
            .numbered(["a=1/m=5/z=1/f", "a=2/m=abc/z=1/f", "a=1/m=abc/z=2/f"])
            .await;
        let table = store
            .table("id INT, a INT, m INT, z INT", &["a", "m", "z"])
            .await;
        // By a key above it, by a key below it, and by both.
        assert_eq!(ids(&table, col("a").eq(1).and(col("z").eq(1))).await, [1]);
        assert_eq!(ids(&table, col("a").eq(3)).await, NO_IDS);
        assert_eq!(ids(&table, col("z").eq(7)).await, NO_IDS);
        for (filter, directory) in [
            (col("a").eq(2), "a=2/m=abc"),
            (col("z").eq(2), "a=1/m=abc"),
            (col("z").eq(2).and(col("m").eq(5)), "a=1/m=abc"),
        ] {
            let error = try_plan(&table, filter).await.unwrap_err();
            assert_error(
                &error,
                ErrorKind::InvalidPartition,
                &[&format!("directory {directory}:"), "'m'", "INT"],
            );
        }
        // A directory without any partition in it holds no rows to lose.
        store.directory("a=9/m=abc").await;
        assert_eq!(plan(&table, col("a").eq(9)).await.file_count(), 0);
    }
}
