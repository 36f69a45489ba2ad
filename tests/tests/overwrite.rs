//! What an overwrite, a truncate and a drop replace, and what they leave.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;
mod overwrite_support;

use std::sync::Arc;

use arrow_array::{Int32Array, Int64Array, RecordBatch, StringArray};
use common::{ID_AND_P, Place, append, batch, commit, ids_and_p, lines_of, stage};
use ftable::{CommitMessage, ErrorKind, FormatTable, Options, Result};
use overwrite_support::{now, rows_batch, spec};

type Row = (i64, Option<&'static str>);

const THREE: [Row; 3] = [(1, Some("1")), (2, Some("2")), (3, Some("3"))];

async fn overwrite(table: &FormatTable, messages: Vec<CommitMessage>) -> Result<()> {
    table
        .commit()
        .overwrite()
        .build()?
        .commit(messages)
        .await
        .map(|_| ())
}

async fn overwrite_partition(
    table: &FormatTable,
    values: &[(&str, &str)],
    messages: Vec<CommitMessage>,
) -> Result<()> {
    let context = table.commit().overwrite_partition(&spec(values))?;
    context.build()?.commit(messages).await.map(|_| ())
}

async fn with_rows(keys: &[&str], options: &[(&str, &str)], rows: &[Row]) -> Place {
    let place = Place::new(ID_AND_P, keys, options).await;
    append(&place.seen, ids_and_p(rows)).await.unwrap();
    place
}

/// `id BIGINT, p INT`
fn ids_and_numbers(rows: &[(i64, Option<i32>)]) -> RecordBatch {
    let ids: Int64Array = rows.iter().map(|(id, _)| Some(*id)).collect();
    let numbers: Int32Array = rows.iter().map(|(_, number)| *number).collect();
    batch([("id", Arc::new(ids)), ("p", Arc::new(numbers))])
}

#[tokio::test]
async fn the_option_decides_whether_other_partitions_are_replaced() {
    for (option, expected) in [
        (None, &[(1, Some("1")), (9, Some("2")), (3, Some("3"))][..]),
        (
            Some("true"),
            &[(1, Some("1")), (9, Some("2")), (3, Some("3"))],
        ),
        (Some("false"), &[(9, Some("2"))]),
    ] {
        let options: Vec<_> = option
            .map(|value| ("dynamic-partition-overwrite", value))
            .into_iter()
            .collect();
        let place = with_rows(&["p"], &options, &THREE).await;
        let messages = stage(&place.table, ids_and_p(&[(9, Some("2"))]))
            .await
            .unwrap();
        let committer = place.table.commit().overwrite().build().unwrap();
        let gone = committer.preview(&messages).await.unwrap();
        let old = place.data_files();
        let kept = |file: &&String| {
            expected
                .iter()
                .any(|row| row.0 < 9 && file.starts_with(&format!("p={}/", row.0)))
        };
        let replaced: Vec<_> = old.iter().filter(|file| !kept(file)).cloned().collect();
        assert_eq!(gone, replaced, "{option:?}");
        overwrite(&place.table, messages).await.unwrap();
        assert_eq!(place.rows().await, lines_of(expected), "{option:?}");
        // Emptied directories stay; nothing of the commit does.
        for directory in ["p=1", "p=2", "p=3"] {
            assert!(place.path(directory).is_dir());
        }
        assert!(!place.path("_ftable").exists());
        assert_eq!(place.files.calls_outside(&place.location()), []);
    }
}

#[tokio::test]
async fn without_files_an_overwrite_clears_what_it_names() {
    for (keys, options, clears) in [
        (&["p"][..], &[][..], false),
        (&["p"], &[("dynamic-partition-overwrite", "false")], true),
        (&[], &[], true),
        (&[], &[("dynamic-partition-overwrite", "true")], true),
    ] {
        let place = with_rows(keys, options, &THREE).await;
        overwrite(&place.table, Vec::new()).await.unwrap();
        let expected = if clears { Vec::new() } else { lines_of(&THREE) };
        assert_eq!(place.rows().await, expected, "{keys:?} {options:?}");
    }
    let place = with_rows(&["p"], &[], &THREE).await;
    overwrite_partition(&place.table, &[("p", "2")], Vec::new())
        .await
        .unwrap();
    overwrite_partition(&place.table, &[("p", "7")], Vec::new())
        .await
        .unwrap();
    assert_eq!(place.rows().await, lines_of(&[THREE[0], THREE[2]]));
    assert!(place.path("p=2").is_dir() && place.path("p=7").is_dir());
}

#[tokio::test]
async fn a_static_value_is_read_by_its_type() {
    let place = Place::new("id BIGINT, p INT", &["p"], &[]).await;
    append(
        &place.seen,
        ids_and_numbers(&[(1, Some(12)), (2, Some(13)), (3, None)]),
    )
    .await
    .unwrap();
    let file = place
        .data_files()
        .into_iter()
        .find(|file| file.starts_with("p=12/"))
        .unwrap();
    for spelling in ["p=012", "p=+12"] {
        std::fs::create_dir(place.path(spelling)).unwrap();
        std::fs::copy(
            place.path(&file),
            place.path(&format!("{spelling}/f.parquet")),
        )
        .unwrap();
    }
    assert_eq!(place.rows().await.len(), 5);
    let messages = stage(&place.table, ids_and_numbers(&[(9, Some(12))]))
        .await
        .unwrap();
    overwrite_partition(&place.table, &[("p", "00012")], messages)
        .await
        .unwrap();
    assert_eq!(place.rows().await, ["2 13", "3 NULL", "9 12"]);
    assert!(!place.path("p=00012").exists());
    overwrite_partition(&place.table, &[("p", "__DEFAULT_PARTITION__")], Vec::new())
        .await
        .unwrap();
    assert_eq!(place.rows().await, ["2 13", "9 12"]);

    // A day is written as a number by default, and named as a date all the same.
    let place = Place::new("id BIGINT, dt DATE", &["dt"], &[]).await;
    let day = |id: i64| {
        let days = arrow_array::Date32Array::from(vec![19723]);
        batch([
            ("id", Arc::new(Int64Array::from(vec![id]))),
            ("dt", Arc::new(days)),
        ])
    };
    append(&place.seen, day(1)).await.unwrap();
    let messages = stage(&place.table, day(2)).await.unwrap();
    overwrite_partition(&place.table, &[("dt", "2024-01-01")], messages)
        .await
        .unwrap();
    assert_eq!(place.rows().await, ["2 2024-01-01"]);
    assert!(place.path("dt=19723").is_dir() && !place.path("dt=2024-01-01").exists());
}

#[tokio::test]
async fn a_static_value_that_names_nothing_is_refused_before_anything_changes() {
    let place = Place::new("id BIGINT, p INT, q STRING", &["p", "q"], &[]).await;
    for values in [
        &[("p", "")][..],
        &[("p", "  ")],
        &[("p", "abc")],
        &[("q", "x")],
        &[("r", "1")],
        &[("id", "1")],
        &[("p", "1"), ("p", "2")],
        &[],
    ] {
        let refused = place
            .table
            .commit()
            .overwrite_partition(&spec(values))
            .map(|_| ())
            .unwrap_err();
        assert!(
            matches!(
                refused.kind(),
                ErrorKind::InvalidArgument | ErrorKind::InvalidPartition
            ),
            "{refused}"
        );
        let mut committer = place.table.commit().build().unwrap();
        committer
            .truncate_partitions(&[spec(values)])
            .await
            .unwrap_err();
        committer
            .drop_partitions(&[spec(&[("p", "1")]), spec(values)])
            .await
            .unwrap_err();
    }
    let mut committer = place.table.commit().build().unwrap();
    committer.truncate_partitions(&[]).await.unwrap_err();
    assert_eq!(place.files.all_calls(), 0);
    let unpartitioned = Place::new(ID_AND_P, &[], &[]).await;
    unpartitioned
        .table
        .commit()
        .overwrite_partition(&spec(&[("p", "1")]))
        .map(|_| ())
        .unwrap_err();
}

#[tokio::test]
async fn below_a_prefix_everything_visible_goes() {
    let place = Place::new("id BIGINT, p STRING, q STRING", &["p", "q"], &[]).await;
    append(
        &place.seen,
        rows_batch(&[(1, "a", "x"), (2, "a", "y"), (3, "b", "x")]),
    )
    .await
    .unwrap();
    let gone = ["p=a/orphan", "p=a/junk/j", "p=a/q=x/nested/n"];
    let kept = [
        "p=a/_t/j",
        "p=a/q=x/_h/n",
        "p=a/q=x/.crc",
        "stray",
        "junk/j",
        "p=a/q=x/_temporary/0/part",
    ];
    for path in gone.iter().chain(&kept) {
        place.put(path, "foreign");
    }
    let directories = |tree: Vec<String>| {
        tree.into_iter()
            .filter(|path| path.ends_with('/'))
            .collect::<Vec<_>>()
    };
    let before = directories(place.tree());
    let messages = stage(&place.table, rows_batch(&[(9, "a", "x")]))
        .await
        .unwrap();
    overwrite_partition(&place.table, &[("p", "a")], messages)
        .await
        .unwrap();
    for path in gone {
        assert!(!place.path(path).exists(), "{path}");
    }
    for path in kept {
        assert!(place.path(path).exists(), "{path}");
    }
    assert_eq!(directories(place.tree()), before);
    assert_eq!(place.rows().await, ["3 \"b\" \"x\"", "9 \"a\" \"x\""]);
}

#[tokio::test]
async fn a_whole_overwrite_keeps_what_is_no_partition() {
    let place = with_rows(&["p"], &[("dynamic-partition-overwrite", "false")], &THREE).await;
    for path in ["stray", "junk/j", "_hidden/h", "p=/x"] {
        place.put(path, "foreign");
    }
    place.put("p=1/nested/n", "gone");
    overwrite(&place.table, Vec::new()).await.unwrap();
    for path in ["stray", "junk/j", "_hidden/h", "p=/x"] {
        assert!(place.path(path).exists(), "{path}");
    }
    assert_eq!(place.rows().await, [""; 0]);
    assert!(place.path("p=1/nested").is_dir() && !place.path("p=1/nested/n").exists());
}

#[tokio::test]
async fn messages_outside_the_static_partition_are_refused_before_anything_changes() {
    let place = with_rows(&["p"], &[], &THREE).await;
    let messages = stage(&place.table, ids_and_p(&[(8, Some("2")), (9, Some("3"))]))
        .await
        .unwrap();
    let tree = place.tree();
    let error = overwrite_partition(&place.table, &[("p", "2")], messages)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error.to_string().contains("outside the partition"),
        "{error}"
    );
    assert_eq!(place.tree(), tree);
}

#[tokio::test]
async fn a_second_commit_is_refused_and_an_abort_takes_nothing_away() {
    let place = with_rows(&["p"], &[], &THREE).await;
    let messages = stage(&place.table, ids_and_p(&[(8, Some("2"))]))
        .await
        .unwrap();
    overwrite(&place.table, messages.clone()).await.unwrap();
    let tree = place.tree();
    for error in [
        overwrite(&place.table, messages.clone()).await.unwrap_err(),
        overwrite_partition(&place.table, &[("p", "2")], messages.clone())
            .await
            .unwrap_err(),
        commit(&place.table, messages.clone()).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    }
    place
        .table
        .commit()
        .build()
        .unwrap()
        .abort(messages)
        .await
        .unwrap();
    assert_eq!(place.tree(), tree);
}

#[tokio::test]
async fn messages_of_a_failed_overwrite_can_be_aborted() {
    use ftable_testkit::faulty::{Fault, Operation, Rule};
    let place = with_rows(&["p"], &[], &THREE).await;
    let messages = stage(&place.table, ids_and_p(&[(8, Some("2")), (9, Some("3"))]))
        .await
        .unwrap();
    place
        .files
        .inject(Rule::new(Operation::Publish, Fault::Fail).call(1));
    overwrite(&place.table, messages.clone()).await.unwrap_err();
    assert_eq!(place.rows().await, lines_of(&THREE));
    assert!(!place.staged().is_empty());
    overwrite(&place.table, messages.clone())
        .await
        .map(|_| ())
        .ok();
    place
        .table
        .commit()
        .build()
        .unwrap()
        .abort(messages)
        .await
        .unwrap();
    assert_eq!(place.staged(), [""; 0]);
}

#[tokio::test]
async fn truncates_leave_directories_and_drops_do_not() {
    let place = Place::new("id BIGINT, p STRING, q STRING", &["p", "q"], &[]).await;
    let rows = [(1, "a", "x"), (2, "a", "y"), (3, "b", "x"), (4, "c", "x")];
    append(&place.seen, rows_batch(&rows)).await.unwrap();
    let mut committer = place.table.commit().build().unwrap();
    committer
        .truncate_partitions(&[spec(&[("p", "a"), ("q", "x")]), spec(&[("p", "b")])])
        .await
        .unwrap();
    assert_eq!(place.rows().await, ["2 \"a\" \"y\"", "4 \"c\" \"x\""]);
    assert!(place.path("p=a/q=x").is_dir() && place.path("p=b/q=x").is_dir());
    // One that is not there is fine, and is not made.
    committer
        .truncate_partitions(&[spec(&[("p", "z")])])
        .await
        .unwrap();
    committer
        .drop_partitions(&[spec(&[("p", "z")])])
        .await
        .unwrap();
    assert!(!place.path("p=z").exists());

    place.put("p=b/q=x/_temporary/.tmp.of-another", "staged");
    place.put("p=c/_kept/k", "foreign");
    committer
        .drop_partitions(&[
            spec(&[("p", "a"), ("q", "x")]),
            spec(&[("p", "b")]),
            spec(&[("p", "c")]),
        ])
        .await
        .unwrap();
    assert_eq!(place.rows().await, ["2 \"a\" \"y\""]);
    assert!(place.path("p=a/q=y").is_dir() && !place.path("p=a/q=x").exists());
    assert!(place.path("p=b/q=x/_temporary/.tmp.of-another").exists());
    assert!(place.path("p=c/_kept/k").exists() && !place.path("p=c/q=x").exists());

    committer
        .drop_partitions(&[spec(&[("p", "a")])])
        .await
        .unwrap();
    assert!(!place.path("p=a").exists());
    committer.truncate_table().await.unwrap();
    assert_eq!(place.rows().await, [""; 0]);
    assert_eq!(place.files.calls_outside(&place.location()), []);
}

#[cfg(unix)]
#[tokio::test]
async fn a_drop_does_not_follow_links_out_of_the_table() {
    let place = with_rows(&["p"], &[], &THREE).await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir(outside.path().join("empty")).unwrap();
    std::os::unix::fs::symlink(outside.path(), place.path("p=1/_link")).unwrap();
    let mut committer = place.table.commit().build().unwrap();
    committer
        .drop_partitions(&[spec(&[("p", "1")])])
        .await
        .unwrap();
    assert!(outside.path().join("empty").is_dir());
    assert_eq!(place.rows().await, lines_of(&THREE[1..]));
}

#[tokio::test]
async fn the_null_partition_of_the_value_only_layout_is_replaced_and_dropped() {
    let options = [("format-table.partition-path-only-value", "true")];
    let place = with_rows(
        &["p"],
        &options,
        &[(1, Some("a")), (2, None), (3, Some("b"))],
    )
    .await;
    let messages = stage(&place.table, ids_and_p(&[(9, None)])).await.unwrap();
    overwrite(&place.table, messages).await.unwrap();
    assert_eq!(
        place.rows().await,
        lines_of(&[(1, Some("a")), (9, None), (3, Some("b"))])
    );
    let null = [("p", "__DEFAULT_PARTITION__")];
    overwrite_partition(&place.table, &null, Vec::new())
        .await
        .unwrap();
    assert_eq!(
        place.rows().await,
        lines_of(&[(1, Some("a")), (3, Some("b"))])
    );
    append(&place.seen, ids_and_p(&[(4, None)])).await.unwrap();
    let mut committer = place.table.commit().build().unwrap();
    committer
        .drop_partitions(&[spec(&null), spec(&[("p", "a")])])
        .await
        .unwrap();
    assert_eq!(place.rows().await, lines_of(&[(3, Some("b"))]));
    assert!(!place.path("__DEFAULT_PARTITION__").exists() && !place.path("a").exists());
    place.put("loose", "no partition");
    committer.truncate_table().await.unwrap();
    assert_eq!(place.rows().await, [""; 0]);
    assert!(place.path("loose").exists());
}

/// A table of a file system catalog, which keeps its schema below the table.
async fn in_catalog(
    warehouse: &std::path::Path,
    keys: &[&str],
    options: &[(&str, &str)],
) -> FormatTable {
    let schema = common::schema(ID_AND_P, keys, options);
    let pairs = [("warehouse", warehouse.to_str().unwrap())];
    let catalog = ftable_catalog::open(pairs.into_iter().collect::<Options>())
        .await
        .unwrap();
    catalog.create_database("db", true).await.unwrap();
    let identifier = "db.t".parse().unwrap();
    catalog
        .create_table(&identifier, &schema, false)
        .await
        .unwrap();
    FormatTable::new(catalog.get_table(&identifier).await.unwrap()).unwrap()
}

#[tokio::test]
async fn the_catalogs_directories_are_never_cleared() {
    let value_only = [
        ("type", "format-table"),
        ("format-table.partition-path-only-value", "true"),
    ];
    for (keys, options) in [
        (&[][..], &value_only[..1]),
        (&["p"], &value_only[..1]),
        (&["p"], &value_only),
    ] {
        let warehouse = tempfile::tempdir().unwrap();
        let table = in_catalog(warehouse.path(), keys, options).await;
        append(&table, ids_and_p(&THREE)).await.unwrap();
        let root = warehouse.path().join("db.db/t");
        std::fs::create_dir_all(root.join("branch/b")).unwrap();
        std::fs::write(root.join("branch/b/x"), "metadata").unwrap();
        let whole: Options = [("dynamic-partition-overwrite", "false")]
            .into_iter()
            .collect();
        for _ in 0..2 {
            let messages = stage(&table, ids_and_p(&[(9, Some("2"))])).await.unwrap();
            let committer = table.commit().options(&whole).unwrap().overwrite();
            committer.build().unwrap().commit(messages).await.unwrap();
            assert_eq!(
                common::rows(&table).await.unwrap(),
                lines_of(&[(9, Some("2"))])
            );
        }
        table
            .commit()
            .build()
            .unwrap()
            .truncate_table()
            .await
            .unwrap();
        if options.len() == 2 {
            for name in ["schema", "branch"] {
                let named = spec(&[("p", name)]);
                if let Ok(context) = table.commit().overwrite_partition(&named) {
                    context
                        .build()
                        .unwrap()
                        .commit(Vec::new())
                        .await
                        .unwrap_err();
                }
                table
                    .commit()
                    .build()
                    .unwrap()
                    .drop_partitions(&[named])
                    .await
                    .unwrap_err();
            }
        }
        table.repair(&now()).await.unwrap();
        assert!(root.join("schema/schema-0").exists() && root.join("branch/b/x").exists());
        assert_eq!(common::rows(&table).await.unwrap(), [""; 0]);
    }
}

#[tokio::test]
async fn an_unpartitioned_overwrite_replaces_files_at_any_depth() {
    let place = Place::new(ID_AND_P, &[], &[]).await;
    append(&place.seen, ids_and_p(&THREE)).await.unwrap();
    let file = place.data_files().swap_remove(0);
    std::fs::create_dir_all(place.path("sub/k=v")).unwrap();
    std::fs::copy(place.path(&file), place.path("sub/k=v/c")).unwrap();
    place.put("_SUCCESS", "");
    let texts = StringArray::from(vec!["z"]);
    let new = batch([
        ("id", Arc::new(Int64Array::from(vec![9]))),
        ("p", Arc::new(texts)),
    ]);
    let messages = stage(&place.table, new).await.unwrap();
    overwrite(&place.table, messages).await.unwrap();
    assert_eq!(place.rows().await, lines_of(&[(9, Some("z"))]));
    assert!(place.path("_SUCCESS").exists() && place.path("sub/k=v").is_dir());
}
