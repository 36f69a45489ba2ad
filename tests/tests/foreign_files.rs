//! Tables over files of other writers: columns that differ, placeholder names, time zones, absent statistics.
//!
//! `foreign_files` has the files, written by `xtask/interop/test_files.py`, which says their rows.

// What cannot be made fails the test that needs it.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{Place, lines, rows};
use ftable::{ErrorKind, FormatTable, Options, Predicate, col};
use futures::TryStreamExt;
use parquet::data_type::{Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const FORMATS: [&str; 2] = ["parquet", "orc"];

fn foreign(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign_files");
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn put(place: &Place, relative: &str, content: &[u8]) {
    let path = place.path(relative);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A table with files of others in it.
async fn table(format: &str, columns: &str, keys: &[&str], files: &[(&str, &str)]) -> Place {
    let place = Place::new(columns, keys, &[("file.format", format)]).await;
    for (path, name) in files {
        put(&place, path, &foreign(&format!("{name}.{format}")));
    }
    place
}

/// The rows of some columns, sorted, after a filter; and that the count is the same.
async fn selected(table: &FormatTable, columns: &[&str], filter: Option<Predicate>) -> Vec<String> {
    let mut scan = table.scan();
    if let Some(filter) = filter {
        scan = scan.filter(filter);
    }
    let plan = scan.build().unwrap().plan().await.unwrap();
    let read = table
        .read()
        .columns(columns.iter().copied())
        .value_kind(false)
        .build()
        .unwrap();
    let batches: Vec<_> = read.stream(&plan).unwrap().try_collect().await.unwrap();
    let fields: Vec<_> = columns
        .iter()
        .map(|name| {
            let mut fields = table.fields().iter();
            fields.find(|field| field.name == *name).unwrap().clone()
        })
        .collect();
    let mut found: Vec<String> = batches
        .iter()
        .inspect(|batch| assert_eq!(batch.num_columns(), columns.len()))
        .flat_map(|batch| lines(&fields, batch))
        .collect();
    found.sort();
    let counted = table.read().build().unwrap().count(&plan).await.unwrap();
    assert_eq!(counted, found.len() as u64);
    found
}

#[tokio::test]
async fn columns_come_and_go_by_name() {
    for format in FORMATS {
        let files = [("m=06/f", "ab"), ("m=07/f", "cab"), ("m=08/f", "abcd")];
        let place = table(format, "a INT, b STRING, c INT, m STRING", &["m"], &files).await;
        assert_eq!(
            place.rows().await,
            [r#"1 "x" 3 "07""#, r#"1 "x" 3 "08""#, r#"1 "x" NULL "06""#]
        );
        // A missing NOT NULL column is an error only where it is asked for.
        let strict = "a INT, b STRING, c INT NOT NULL, m STRING";
        let place = table(format, strict, &["m"], &files).await;
        let error = rows(&place.seen).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TypeMismatch);
        let text = error.to_string();
        assert!(
            text.contains("m=06/f: column c is NOT NULL in the table but missing in the file"),
            "{text}"
        );
        assert_eq!(
            selected(&place.seen, &["b", "a"], None).await,
            [r#""x" 1"#; 3]
        );
    }
}

#[tokio::test]
async fn the_directory_says_the_partition_whatever_the_file_holds() {
    for format in FORMATS {
        let files = [("data=2023-08-28/f", "id_data")];
        let place = table(format, "id INT, data STRING", &["data"], &files).await;
        assert_eq!(place.rows().await, [r#"1 "2023-08-28""#]);
        for (filter, found) in [
            (col("data").eq("2023-08-28"), 1),
            (col("data").eq("2023-08-28 07:04:58.013"), 0),
            (col("data").is_null(), 0),
        ] {
            let rows = selected(&place.seen, &["data"], Some(filter)).await;
            assert_eq!(rows, vec![r#""2023-08-28""#; found]);
        }
    }
}

#[tokio::test]
async fn partition_columns_alone_and_no_column_at_all() {
    for format in FORMATS {
        let files = [("year=2020/f", "ids_3"), ("year=2021/f", "ids_2")];
        let place = table(format, "id INT, year INT", &["year"], &files).await;
        assert_eq!(
            selected(&place.seen, &["year"], None).await,
            ["2020", "2020", "2020", "2021", "2021"]
        );
        let nothing = selected(&place.seen, &[], None).await;
        assert_eq!(nothing, [""; 5]);
        let filter = col("year").eq(2021);
        assert_eq!(selected(&place.seen, &[], Some(filter)).await, [""; 2]);
    }
}

#[tokio::test]
async fn placeholder_names_are_positions_file_by_file() {
    let files = [
        ("a.orc", "col0_col1"),
        ("b.orc", "name_id"),
        ("c.orc", "col0_name"),
    ];
    let place = table("orc", "id INT, name STRING", &[], &files).await;
    assert_eq!(
        place.rows().await,
        [
            r#"1 "x""#,
            r#"1 "x""#,
            r#"2 "y""#,
            r#"2 "y""#,
            r#"NULL "x""#,
            r#"NULL "y""#
        ]
    );
    // Partition columns are no positions, wherever the table declares them.
    let files = [("p=1/a.orc", "col0_col1")];
    let place = table("orc", "p INT, id INT, name STRING", &["p"], &files).await;
    assert_eq!(place.rows().await, [r#"1 1 "x""#, r#"1 2 "y""#]);
    assert_eq!(
        selected(&place.seen, &["name"], None).await,
        [r#""x""#, r#""y""#]
    );
}

#[tokio::test]
async fn positions_are_forced_for_every_file_where_the_table_says_so() {
    let force: Options = [("orc.force.positional.evolution", "true")]
        .into_iter()
        .collect();
    let files = [("a.orc", "col0_col1"), ("c.orc", "col0_name")];
    let place = table("orc", "id INT, name STRING, later INT", &[], &files).await;
    let forced = place.seen.with_options(&force).unwrap();
    assert_eq!(
        rows(&forced).await.unwrap(),
        [
            r#"1 "x" NULL"#,
            r#"1 "x" NULL"#,
            r#"2 "y" NULL"#,
            r#"2 "y" NULL"#
        ]
    );
    // The names are as the table's, in another order: by position the types do not fit.
    let place = table("orc", "id INT, name STRING", &[], &[("b.orc", "name_id")]).await;
    assert_eq!(place.rows().await, [r#"1 "x""#, r#"2 "y""#]);
    let forced = place.seen.with_options(&force).unwrap();
    let error = rows(&forced).await.unwrap_err().to_string();
    assert!(
        error.contains("b.orc: column id: file type STRING cannot be read as INT"),
        "{error}"
    );
    let wrong: Options = [("orc.force.positional.evolution", "perhaps")]
        .into_iter()
        .collect();
    let refused = match place.seen.with_options(&wrong) {
        Ok(table) => rows(&table).await.unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(
        refused.contains("orc.force.positional.evolution") && refused.contains("perhaps"),
        "{refused}"
    );
}

const WALL_CLOCKS: &str = "wall_clocks_are_those_of_the_writer";

#[tokio::test]
async fn wall_clocks_are_those_of_the_writer() {
    for name in ["zone_shanghai", "zone_utc", "zone_newyork"] {
        let place = table("orc", "t TIMESTAMP(6)", &[], &[("f", name)]).await;
        // One in winter, one in summer.
        assert_eq!(
            place.rows().await,
            ["2024-01-01T00:00:00.000000", "2024-07-01T12:30:00.000000"],
            "{name}"
        );
    }
}

#[test]
fn wall_clocks_do_not_depend_on_the_zone_of_the_reader() {
    for zone in [
        None,
        Some("UTC"),
        Some("America/New_York"),
        Some("Asia/Shanghai"),
    ] {
        let mut reader = Command::new(std::env::current_exe().unwrap());
        reader.args([WALL_CLOCKS, "--exact"]);
        match zone {
            Some(zone) => reader.env("TZ", zone),
            None => reader.env_remove("TZ"),
        };
        let output = reader.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{zone:?}: {text}"
        );
    }
}

#[tokio::test]
async fn absent_statistics_prune_nothing() {
    for name in ["no_row_index", "no_has_null"] {
        let place = table("orc", "a INT", &[], &[("f", name)]).await;
        assert_eq!(place.rows().await, ["1", "3", "NULL"], "{name}");
        for (filter, found) in [
            (col("a").is_null(), &["NULL"][..]),
            (col("a").eq(3), &["3"]),
            (col("a").gt(5), &[]),
        ] {
            assert_eq!(
                selected(&place.seen, &["a"], Some(filter)).await,
                found,
                "{name}"
            );
        }
    }
}

/// A Parquet file of INT96, each the nanoseconds of a day and its Julian day.
fn int96_file(values: &[(u64, u32)]) -> Vec<u8> {
    let schema = parse_message_type("message m { required int96 t; }").unwrap();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values: Vec<Int96> = values
        .iter()
        .map(|(nanos, day)| {
            let mut value = Int96::new();
            value.set_data(*nanos as u32, (nanos >> 32) as u32, *day);
            value
        })
        .collect();
    let typed = column.typed::<Int96Type>();
    typed.write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[tokio::test]
async fn int96_is_exact_in_every_year_or_refused() {
    const SECOND: u64 = 1_000_000_000;
    let last = (86_400 * SECOND - 1_000, 5_373_484);
    let others = [
        (0, 1_721_426),
        (0, 2_086_303),
        (0, 2_816_788),
        ((3 * 3600 + 2 * 60 + 37) * SECOND, 2_459_375),
    ];
    let texts = [
        "0001-01-01T00:00:00",
        "1000-01-01T00:00:00",
        "2021-06-09T03:02:37",
        "3000-01-01T00:00:00",
    ];
    let with_micros = texts.map(|text| format!("{text}.000000"));
    let table = |precision: u8, files: Vec<Vec<u8>>| async move {
        let columns = format!("t TIMESTAMP({precision})");
        let place = Place::new(&columns, &[], &[]).await;
        for (index, file) in files.iter().enumerate() {
            put(&place, &format!("f{index}.parquet"), file);
        }
        rows(&place.seen).await.map_err(|error| error.to_string())
    };
    let everything = [&others[..], &[last]].concat();
    assert_eq!(
        table(6, vec![int96_file(&everything)]).await.unwrap(),
        [&with_micros[..], &["9999-12-31T23:59:59.999999".to_owned()]].concat()
    );
    assert_eq!(
        table(3, vec![int96_file(&others)]).await.unwrap(),
        with_micros
    );
    assert_eq!(
        table(9, vec![int96_file(&others[3..])]).await.unwrap(),
        ["2021-06-09T03:02:37.000000000"]
    );
    // Finer than a millisecond, and outside of 64-bit nanoseconds: refused, never cut or wrapped.
    let error = table(3, vec![int96_file(&everything)]).await.unwrap_err();
    assert!(
        error.contains(
            "f0.parquet: column t: file type INT96 cannot be read as TIMESTAMP(3): row 4 value \
             9999-12-31T23:59:59.999999"
        ),
        "{error}"
    );
    for outside in [others[0], others[1], others[2], last] {
        let error = table(9, vec![int96_file(&[others[3], outside])])
            .await
            .unwrap_err();
        assert!(
            error.contains(
                "f0.parquet: column t: file type INT96 cannot be read as TIMESTAMP(9): row 1 value "
            ),
            "{error}"
        );
    }
}
