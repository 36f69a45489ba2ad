//! Values become directory names exactly as Java Paimon's `PartitionPathUtils` spells them, and come back equal.

#![allow(clippy::unwrap_used)] // what cannot be made fails the test that needs it

mod common;

use std::sync::Arc;

use arrow_array::Int64Array;
use common::values::column;
use common::{ID_AND_P, Place, append, batch, commit, ids_and_p, lines_of, schema, stage, text_of};
use ftable::{CatalogExt, ErrorKind};
use ftable_core::{DataType, Datum};

const VALUE_ONLY: (&str, &str) = ("format-table.partition-path-only-value", "true");
const DEFAULT: &str = "__DEFAULT_PARTITION__";

/// A text and its spelling. Every row follows from the list of escaped characters.
const TEXTS: [(&str, &str); 33] = [
    ("plain", "plain"),
    ("AC/DC", "AC%2FDC"),
    ("a=b", "a%3Db"),
    ("50%", "50%25"),
    ("%41", "%2541"),
    ("x:y", "x%3Ay"),
    ("q?", "q%3F"),
    ("#1", "%231"),
    ("[z]", "%5Bz%5D"),
    ("{k}", "%7Bk%7D"),
    ("c^d", "c%5Ed"),
    ("back\\slash", "back%5Cslash"),
    ("a*b", "a%2Ab"),
    ("it's", "it%27s"),
    ("\"q\"", "%22q%22"),
    ("\0", "%00"),
    ("\u{1}", "%01"),
    ("tab\tend", "tab%09end"),
    ("line\nend", "line%0Aend"),
    ("\u{1f}x", "%1Fx"),
    ("\u{7f}", "%7F"),
    ("München", "München"),
    ("中 文+&~", "中 文+&~"),
    ("a b", "a b"),
    (" lead trail ", " lead trail "),
    ("+", "+"),
    ("&,;<>|~!$()@-`", "&,;<>|~!$()@-`"),
    ("a_.b", "a_.b"),
    // No blank to Java: a no-break space.
    ("\u{a0}", "\u{a0}"),
    ("\u{85}", "\u{85}"),
    ("NULL", "NULL"),
    ("__HIVE_DEFAULT_PARTITION_", "__HIVE_DEFAULT_PARTITION_"),
    ("_x", "_x"),
];

/// What is stored as the default partition and comes back as NULL.
const BLANKS: [Option<&str>; 7] = [
    None,
    Some(""),
    Some("   "),
    Some("\t\n"),
    Some("\u{1c}"),
    Some("\u{3000}"),
    Some(DEFAULT),
];

/// The names of the directories directly below the table.
fn directories(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.root()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn texts_are_spelled_byte_for_byte_and_read_back() {
    for (options, prefix) in [(&[][..], "p="), (&[VALUE_ONLY], "")] {
        let place = Place::new(ID_AND_P, &["p"], options).await;
        let mut texts = TEXTS.to_vec();
        // A hidden directory is never read, so the value-only layout refuses the value.
        texts.retain(|(text, _)| !prefix.is_empty() || !text.starts_with('_'));
        let mut rows: Vec<(i64, Option<&str>)> = Vec::new();
        rows.extend(
            texts
                .iter()
                .zip(0..)
                .map(|((text, _), id)| (id, Some(*text))),
        );
        rows.extend(BLANKS.iter().zip(100..).map(|(blank, id)| (id, *blank)));
        append(&place.table, ids_and_p(&rows)).await.unwrap();

        let mut expected: Vec<String> = texts
            .iter()
            .map(|(_, name)| format!("{prefix}{name}"))
            .chain([format!("{prefix}{DEFAULT}")])
            .collect();
        expected.sort();
        assert_eq!(directories(&place), expected);
        let null_blanks = rows
            .iter()
            .map(|(id, text)| (*id, text.filter(|_| *id < 100)));
        assert_eq!(
            place.rows().await,
            lines_of(&null_blanks.collect::<Vec<_>>())
        );
    }
}

#[tokio::test]
async fn the_keys_are_escaped_too() {
    let place = Place::new("id BIGINT, `a=b/c` STRING", &["a=b/c"], &[]).await;
    let rows = batch([
        ("id", Arc::new(Int64Array::from(vec![1]))),
        ("a=b/c", Arc::new(arrow_array::StringArray::from(vec!["v"]))),
    ]);
    append(&place.table, rows).await.unwrap();
    assert_eq!(directories(&place), ["a%3Db%2Fc=v"]);
    assert_eq!(place.rows().await, ["1 \"v\""]);
}

#[tokio::test]
async fn another_default_name_stands_for_null() {
    for layout in ["false", "true"] {
        let options = [
            ("partition.default-name", "__HIVE_DEFAULT_PARTITION__"),
            (VALUE_ONLY.0, layout),
        ];
        let place = Place::new(ID_AND_P, &["p"], &options).await;
        let rows = [(1, None), (2, Some("")), (3, Some("a"))];
        append(&place.table, ids_and_p(&rows)).await.unwrap();
        let prefix = if layout == "true" { "" } else { "p=" };
        let null = format!("{prefix}__HIVE_DEFAULT_PARTITION__");
        assert_eq!(directories(&place), [null, format!("{prefix}a")]);
        assert_eq!(
            place.rows().await,
            lines_of(&[(1, None), (2, None), (3, Some("a"))])
        );
    }
}

#[tokio::test]
async fn null_has_its_directory_at_every_level_of_the_value_only_layout() {
    let columns = "id BIGINT, y STRING, m STRING";
    let place = Place::new(columns, &["y", "m"], &[VALUE_ONLY]).await;
    let texts =
        |values: [Option<&str>; 3]| Arc::new(arrow_array::StringArray::from(values.to_vec()));
    let rows = batch([
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3]))),
        ("y", texts([None, Some("2024"), Some("2024")])),
        ("m", texts([Some("01"), None, Some("01")])),
    ]);
    append(&place.table, rows).await.unwrap();
    for directory in [
        "__DEFAULT_PARTITION__/01",
        "2024/__DEFAULT_PARTITION__",
        "2024/01",
    ] {
        assert!(place.path(directory).is_dir(), "{directory}");
    }
    let expected = ["1 NULL \"01\"", "2 \"2024\" NULL", "3 \"2024\" \"01\""];
    assert_eq!(place.rows().await, expected);
}

fn timestamp(text_millis: i64, precision: u8) -> Datum {
    let epoch_nanos = i128::from(text_millis) * 1_000_000;
    Datum::Timestamp {
        epoch_nanos,
        precision,
    }
}

fn decimal(unscaled: i128, precision: u8, scale: u8) -> Datum {
    Datum::Decimal {
        unscaled,
        precision,
        scale,
    }
}

/// Milliseconds of 2024-01-01T00:00.
const NEW_YEAR: i64 = 1_704_067_200_000;

/// A type, a value, its name with `partition.legacy-name` and without.
fn typed() -> Vec<(&'static str, Datum, &'static str, &'static str)> {
    vec![
        ("BOOLEAN", Datum::Boolean(true), "true", "true"),
        ("TINYINT", Datum::TinyInt(-7), "-7", "-7"),
        ("SMALLINT", Datum::SmallInt(300), "300", "300"),
        ("INT", Datum::Int(7), "7", "7"),
        (
            "BIGINT",
            Datum::BigInt(i64::MIN),
            "-9223372036854775808",
            "-9223372036854775808",
        ),
        ("DECIMAL(4, 2)", decimal(150, 4, 2), "1.50", "1.50"),
        (
            "DECIMAL(38, 18)",
            decimal(-1, 38, 18),
            "-0.000000000000000001",
            "-0.000000000000000001",
        ),
        ("FLOAT", Datum::Float(0.001), "0.001", "0.001"),
        ("DOUBLE", Datum::Double(1e7), "1.0E7", "1.0E7"),
        (
            "DOUBLE",
            Datum::Double(f64::NEG_INFINITY),
            "-Infinity",
            "-Infinity",
        ),
        (
            "CHAR(5)",
            Datum::String("ab   ".to_owned()),
            "ab   ",
            "ab   ",
        ),
        ("DATE", Datum::Date(19_723), "19723", "2024-01-01"),
        ("DATE", Datum::Date(-365), "-365", "1969-01-01"),
        (
            "TIME(0)",
            Datum::Time(45_296_000),
            "45296000",
            "12%3A34%3A56",
        ),
        (
            "TIME(3)",
            Datum::Time(45_296_700),
            "45296700",
            "12%3A34%3A56.7",
        ),
        ("TIME(3)", Datum::Time(0), "0", "00%3A00%3A00.0"),
        (
            "TIMESTAMP(0)",
            timestamp(NEW_YEAR, 0),
            "2024-01-01T00%3A00",
            "2024-01-01 00%3A00%3A00",
        ),
        (
            "TIMESTAMP(3)",
            timestamp(NEW_YEAR, 3),
            "2024-01-01T00%3A00",
            "2024-01-01 00%3A00%3A00.000",
        ),
        (
            "TIMESTAMP(3)",
            timestamp(NEW_YEAR + 5_120, 3),
            "2024-01-01T00%3A00%3A05.120",
            "2024-01-01 00%3A00%3A05.120",
        ),
        (
            "TIMESTAMP(9)",
            timestamp(NEW_YEAR + 5_120, 9),
            "2024-01-01T00%3A00%3A05.120",
            "2024-01-01 00%3A00%3A05.120000000",
        ),
    ]
}

#[tokio::test]
async fn values_of_other_types_are_spelled_as_the_option_says_and_read_back() {
    for (data_type, value, legacy, cast) in typed() {
        for (legacy_name, name) in [("true", legacy), ("false", cast)] {
            for (layout, prefix) in [("false", "p="), ("true", "")] {
                let options = [
                    ("partition.legacy-name", legacy_name),
                    (VALUE_ONLY.0, layout),
                ];
                let columns = format!("id BIGINT, p {data_type}");
                let place = Place::new(&columns, &["p"], &options).await;
                let parsed: DataType = data_type.parse().unwrap();
                let rows = batch([
                    ("id", Arc::new(Int64Array::from(vec![1, 2]))),
                    ("p", column(&parsed, &[Some(value.clone()), None])),
                ]);
                append(&place.table, rows).await.unwrap();
                let mut expected = [format!("{prefix}{DEFAULT}"), format!("{prefix}{name}")];
                expected.sort();
                assert_eq!(directories(&place), expected, "{data_type}");
                let expected = [
                    format!("1 {}", text_of(&Some(value.clone()))),
                    "2 NULL".to_owned(),
                ];
                assert_eq!(place.rows().await, expected, "{data_type} {legacy_name}");
            }
        }
    }
}

#[tokio::test]
async fn both_spellings_of_a_date_are_one_value_in_two_directories() {
    let columns = "id BIGINT, dt DATE";
    let place = Place::new(columns, &["dt"], &[]).await;
    for (id, legacy_name) in [(1, "true"), (2, "false")] {
        let options = ftable::Options::from([("partition.legacy-name", legacy_name)]);
        let rows = batch([
            ("id", Arc::new(Int64Array::from(vec![id]))),
            ("dt", Arc::new(arrow_array::Date32Array::from(vec![19_723]))),
        ]);
        append(&place.table.with_options(&options).unwrap(), rows)
            .await
            .unwrap();
    }
    assert_eq!(directories(&place), ["dt=19723", "dt=2024-01-01"]);
    assert_eq!(place.rows().await, ["1 2024-01-01", "2 2024-01-01"]);
}

#[tokio::test]
async fn values_that_could_not_be_read_back_are_refused_in_the_value_only_layout() {
    let place = Place::new(ID_AND_P, &["p"], &[VALUE_ONLY]).await;
    let mut write = place.table.write().build().unwrap();
    write.write(ids_and_p(&[(1, Some("a"))])).await.unwrap();
    for text in ["_x", "_", ".x", ".", "..", "__HIVE_DEFAULT_PARTITION__"] {
        let error = write
            .write(ids_and_p(&[(2, Some("b")), (3, Some(text))]))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        let message = error.to_string();
        assert!(
            message.contains("'p'") && message.contains(&format!("'{text}'")),
            "{message}"
        );
        let spec = [("p".to_owned(), text.to_owned())];
        let error = write
            .write_partition(&spec, ids_and_p(&[(3, None)]))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition, "{error}");
    }
    // The writer goes on, without the rows of refused batches.
    let messages = write.prepare_commit().await.unwrap();
    commit(&place.table, messages).await.unwrap();
    assert_eq!(place.rows().await, lines_of(&[(1, Some("a"))]));

    // Behind a key they are read.
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let rows = [
        (1, Some("_x")),
        (2, Some(".x")),
        (3, Some(".")),
        (4, Some("..")),
    ];
    append(&place.table, ids_and_p(&rows)).await.unwrap();
    assert_eq!(directories(&place), ["p=.", "p=..", "p=.x", "p=_x"]);
    assert_eq!(place.rows().await, lines_of(&rows));
}

#[tokio::test]
async fn directories_of_metadata_are_no_partitions() {
    let warehouse = tempfile::tempdir().unwrap();
    let options = [("warehouse", warehouse.path().to_str().unwrap())];
    let catalog = ftable_catalog::open(options.into_iter().collect())
        .await
        .unwrap();
    catalog.create_database("db", false).await.unwrap();
    let identifier = "db.t".parse().unwrap();
    let columns = "id BIGINT, p STRING, q STRING";
    let schema_of = schema(columns, &["p", "q"], &[VALUE_ONLY]);
    catalog
        .create_format_table(&identifier, &schema_of, None, false)
        .await
        .unwrap();
    let table = catalog.get_format_table(&identifier).await.unwrap();

    let rows = |p: &str, q: &str| {
        let text = |text: &str| Arc::new(arrow_array::StringArray::from(vec![text.to_owned()]));
        batch([
            ("id", Arc::new(Int64Array::from(vec![1])) as _),
            ("p", text(p)),
            ("q", text(q)),
        ])
    };
    for text in ["schema", "branch"] {
        let error = append(&table, rows(text, "x")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        assert!(
            error.to_string().contains("'p'") && error.to_string().contains(text),
            "{error}"
        );
        // Deeper down the names mean nothing.
        append(&table, rows("x", text)).await.unwrap();
    }
    append(&table, rows("schemas", "x")).await.unwrap();
    let expected = [
        "1 \"schemas\" \"x\"",
        "1 \"x\" \"branch\"",
        "1 \"x\" \"schema\"",
    ];
    assert_eq!(common::rows(&table).await.unwrap(), expected);
    let names = common::tree(&warehouse.path().join("db.db/t/schema"));
    assert_eq!(names, ["schema-0"]);

    // Where the schema does not lie under the table they are ordinary values.
    let place = Place::new(columns, &["p", "q"], &[VALUE_ONLY]).await;
    append(&place.table, rows("schema", "branch"))
        .await
        .unwrap();
    assert_eq!(place.rows().await, ["1 \"schema\" \"branch\""]);
}

#[tokio::test]
async fn names_that_are_too_long_are_refused_before_anything_is_staged() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    // 255 bytes with the key, and one more. Escaped characters take three.
    let fits = ["x".repeat(253), "%".repeat(84), "é".repeat(126)];
    let too_long = ["x".repeat(254), "%".repeat(85), "é".repeat(127)];
    for text in &too_long {
        let rows = [(1, Some("a")), (2, Some(text.as_str()))];
        let error = stage(&place.table, ids_and_p(&rows)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        let message = error.to_string();
        assert!(
            message.contains("'p'") && message.contains("more than 255"),
            "{message}"
        );
        assert!(!place.root().exists());
    }
    let rows: Vec<_> = fits.iter().map(|text| (1, Some(text.as_str()))).collect();
    append(&place.table, ids_and_p(&rows)).await.unwrap();
    assert_eq!(place.rows().await, lines_of(&rows));
}

fn spec(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

#[tokio::test]
async fn declared_values_are_read_by_the_types_of_the_keys() {
    let columns = "id BIGINT, dt DATE, m INT";
    let place = Place::new(columns, &["dt", "m"], &[]).await;
    let ids = |id: i64| batch([("id", Arc::new(Int64Array::from(vec![id])))]);
    let mut write = place.table.write().build().unwrap();
    for (id, dt, m) in [
        (1, "2024-01-01", "7"),
        (2, "19723", "07"),
        (3, "2024-1-1", "+7"),
    ] {
        let declared = spec(&[("m", m), ("dt", dt)]);
        write.write_partition(&declared, ids(id)).await.unwrap();
    }
    let null = spec(&[("dt", DEFAULT), ("m", "8")]);
    write.write_partition(&null, ids(4)).await.unwrap();
    for (declared, words) in [
        (spec(&[("dt", "2024-01-01")]), "'m'"),
        (spec(&[("dt", "2024-01-01"), ("m", "7"), ("x", "1")]), "'x'"),
        (spec(&[("dt", "2024-01-01"), ("m", "7"), ("m", "7")]), "'m'"),
        (spec(&[("dt", "2024-02-30"), ("m", "7")]), "2024-02-30"),
        (spec(&[("dt", "2024-01-01"), ("m", "7.0")]), "7.0"),
        (spec(&[("dt", ""), ("m", "7")]), "'dt'"),
        (spec(&[("dt", "2024-01-01"), ("m", "  ")]), "'m'"),
        (spec(&[]), "'dt'"),
    ] {
        let error = write.write_partition(&declared, ids(9)).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let messages = write.prepare_commit().await.unwrap();
    assert_eq!(messages.len(), 2);
    commit(&place.table, messages).await.unwrap();
    assert_eq!(
        directories(&place),
        ["dt=19723", "dt=__DEFAULT_PARTITION__"]
    );
    let expected = [
        "1 2024-01-01 7",
        "2 2024-01-01 7",
        "3 2024-01-01 7",
        "4 NULL 8",
    ];
    assert_eq!(place.rows().await, expected);
}

#[tokio::test]
async fn a_declared_partition_wins_over_the_columns_of_the_batch() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut write = place.table.write().build().unwrap();
    let rows = ids_and_p(&[(1, Some("x")), (2, None)]);
    write
        .write_partition(&spec(&[("p", "a")]), rows)
        .await
        .unwrap();
    let messages = write.prepare_commit().await.unwrap();
    commit(&place.table, messages).await.unwrap();
    assert_eq!(
        place.rows().await,
        lines_of(&[(1, Some("a")), (2, Some("a"))])
    );
}
