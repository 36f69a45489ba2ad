//! Files become splits as in Paimon, each row is in exactly one of them, and a split read elsewhere is not trusted.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use ftable::{ErrorKind, FormatTable, Plan, Split, col};
use futures::TryStreamExt;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::rows::{id, of_batches, parquet, write};
use crate::support::{Store, assert_error, ids, int, plan, text};

/// The splits of a plan as `name offset+length`.
fn bins(plan: &Plan) -> Vec<Vec<String>> {
    let slice = |split: &Split, file: &ftable_table::FileSlice| {
        format!(
            "{} {}+{}",
            split.path_of(file),
            file.offset(),
            file.length()
        )
    };
    plan.splits()
        .iter()
        .map(|split| {
            split
                .files()
                .iter()
                .map(|file| slice(split, file))
                .collect()
        })
        .collect()
}

/// A table of files of these sizes, which are planned and never opened.
async fn of_sizes(files: &[(&str, usize)], target: &str, cost: &str) -> (Store, FormatTable) {
    let store = Store::local();
    for (name, size) in files {
        store.put(name, vec![b'x'; *size]).await;
    }
    let options = [
        ("source.split.target-size", target),
        ("source.split.open-file-cost", cost),
    ];
    let keys: &[&str] = if files[0].0.starts_with("p=") {
        &["p"]
    } else {
        &[]
    };
    let table = store
        .table_with(
            if keys.is_empty() {
                "id INT"
            } else {
                "id INT, p STRING"
            },
            keys,
            &options,
        )
        .await;
    (store, table)
}

#[tokio::test]
async fn small_files_share_a_split_and_large_ones_are_cut() {
    let files = [("a", 2), ("b", 6), ("c", 18), ("d", 2), ("e", 10)];
    let (_store, table) = of_sizes(&files, "10 b", "4 b").await;
    let expected = [
        vec!["a 0+2", "b 0+6"],
        vec!["c 0+10"],
        vec!["c 10+8"],
        vec!["d 0+2"],
        vec!["e 0+10"],
    ];
    assert_eq!(bins(&plan(&table, None).await), expected);
    let (_store, table) = of_sizes(&files, "10 b", "0 b").await;
    let expected = [
        vec!["a 0+2", "b 0+6"],
        vec!["c 0+10"],
        vec!["c 10+8", "d 0+2"],
        vec!["e 0+10"],
    ];
    assert_eq!(bins(&plan(&table, None).await), expected);
}

#[tokio::test]
async fn a_split_is_full_when_the_next_file_would_pass_the_target() {
    let (_store, table) = of_sizes(&[("a", 2), ("b", 6)], "10 b", "4 b").await;
    assert_eq!(bins(&plan(&table, None).await), [["a 0+2", "b 0+6"]]);
    let (_store, table) = of_sizes(&[("a", 2), ("b", 7)], "10 b", "4 b").await;
    assert_eq!(bins(&plan(&table, None).await), [["a 0+2"], ["b 0+7"]]);
    let (_store, table) = of_sizes(&[("a", 0), ("b", 10)], "10 b", "0 b").await;
    assert_eq!(bins(&plan(&table, None).await), [["a 0+0", "b 0+10"]]);
}

#[tokio::test]
async fn thirty_two_tiny_files_fill_a_split_by_default() {
    let store = Store::local();
    for number in 0..70 {
        store.put(&format!("f{number:02}"), "12345678").await;
    }
    let table = store.table("id INT", &[]).await;
    let plan = plan(&table, None).await;
    assert_eq!(
        plan.splits()
            .iter()
            .map(|split| split.files().len())
            .collect::<Vec<_>>(),
        [32, 32, 6]
    );
    assert_eq!(
        plan.splits().iter().map(Split::total_bytes).sum::<u64>(),
        560
    );
    assert_eq!(
        (
            plan.metrics().files,
            plan.metrics().bytes,
            plan.metrics().splits
        ),
        (70, 560, 3)
    );
}

#[tokio::test]
async fn a_split_never_holds_two_partitions() {
    let (_store, table) =
        of_sizes(&[("p=a/f", 1), ("p=b/f", 1), ("p=b/g", 1)], "10 b", "0 b").await;
    let plan = plan(&table, None).await;
    assert_eq!(
        bins(&plan),
        [vec!["p=a/f 0+1"], vec!["p=b/f 0+1", "p=b/g 0+1"]]
    );
    assert_eq!(
        plan.splits()
            .iter()
            .map(Split::partition)
            .collect::<Vec<_>>(),
        [Some("p=a"), Some("p=b")]
    );
}

#[tokio::test]
async fn options_of_the_call_decide_the_splits_of_the_call() {
    let (_store, table) = of_sizes(&[("a", 2), ("b", 6)], "10 b", "4 b").await;
    let options = [
        ("source.split.target-size", "3 b"),
        ("source.split.open-file-cost", "0 b"),
    ]
    .into_iter()
    .collect();
    let scan = table.scan().options(&options).unwrap().build().unwrap();
    assert_eq!(
        bins(&scan.plan().await.unwrap()),
        [["a 0+2"], ["b 0+3"], ["b 3+3"]]
    );
}

/// Reads every split apart, by a table opened anew, and gives the ids of each.
async fn ids_of_splits(table: &FormatTable, splits: &[Split]) -> Vec<Vec<i32>> {
    let reader = table
        .read()
        .value_kind(false)
        .columns(["id"])
        .build()
        .unwrap();
    let mut all = Vec::new();
    for split in splits {
        let batches: Vec<_> = reader
            .stream_splits(vec![split.clone()])
            .unwrap()
            .try_collect()
            .await
            .unwrap();
        let rows = of_batches(&table.fields()[..1], &batches);
        all.push(rows.iter().map(|row| id(row)).collect());
    }
    all
}

/// A batch of ids from 0, with text that does not compress away.
fn batch(rows: usize) -> RecordBatch {
    let count = i32::try_from(rows).unwrap();
    let column: ArrayRef = Arc::new(Int32Array::from_iter_values(0..count));
    let words = (0..count).map(|id| {
        format!(
            "{:x}",
            u64::try_from(id)
                .unwrap()
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        )
    });
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(words));
    RecordBatch::try_from_iter([("id", column), ("s", text)]).unwrap()
}

/// A table with one file of many row groups or stripes, and the size of the file.
async fn many_parts(
    store: &Store,
    format: &str,
    rows: usize,
    rows_per_part: usize,
) -> (FormatTable, u64) {
    let columns = "id INT, s STRING";
    if format == "parquet" {
        store.put("f", parquet(&batch(rows), rows_per_part)).await;
    } else {
        let per_batch = rows_per_part.to_string();
        let options = [
            ("file.format", format),
            ("file.block-size", "1 b"),
            ("write.batch-size", &per_batch),
        ];
        let table = store.table_with(columns, &[], &options).await;
        let mut writer = table.write().build().unwrap();
        writer.write(batch(rows)).await.unwrap();
        let messages = writer.prepare_commit().await.unwrap();
        table
            .commit()
            .build()
            .unwrap()
            .commit(messages)
            .await
            .unwrap();
    }
    let table = store
        .table_with(columns, &[], &[("file.format", format)])
        .await;
    let size = plan(&table, None).await.metrics().bytes;
    (table, size)
}

async fn cover_each_row_once(table: &FormatTable, rows: usize, target: u64) -> usize {
    let options = [
        ("source.split.target-size", format!("{target} b")),
        ("source.split.open-file-cost", "0 b".to_owned()),
    ];
    let scan = table
        .scan()
        .options(&options.into_iter().collect())
        .unwrap()
        .build()
        .unwrap();
    let planned = scan.plan().await.unwrap();
    let parts = ids_of_splits(table, planned.splits()).await;
    let mut all: Vec<i32> = parts.concat();
    all.sort_unstable();
    assert!(
        all.into_iter().eq(0..i32::try_from(rows).unwrap()),
        "{rows} rows in splits of {target}"
    );
    assert_eq!(
        table.read().build().unwrap().count(&planned).await.unwrap(),
        rows as u64
    );
    parts.iter().filter(|ids| !ids.is_empty()).count()
}

#[tokio::test]
async fn a_cut_at_any_byte_gives_each_row_group_and_stripe_to_one_split() {
    for format in ["parquet", "orc"] {
        let store = Store::local();
        let (table, size) = many_parts(&store, format, 2000, 100).await;
        assert_eq!(ids(&table, None).await.len(), 2000);
        // As fine as it goes every part is read apart; 50 rows around the size itself nothing is cut away.
        assert!(
            cover_each_row_once(&table, 2000, 97).await > 5,
            "{format} has several parts"
        );
        assert_eq!(cover_each_row_once(&table, 2000, size).await, 1);
        assert_eq!(cover_each_row_once(&table, 2000, size + 1).await, 1);
        for target in [size - 1, size / 2, size / 3 + 1, 1000] {
            cover_each_row_once(&table, 2000, target).await;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn splits_of_any_size_cover_each_row_once(
        orc in any::<bool>(),
        rows in 1_usize..1500,
        rows_per_part in 1_usize..400,
        target in 40_u64..20_000,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = Store::local();
            let format = if orc { "orc" } else { "parquet" };
            let (table, _) = many_parts(&store, format, rows, rows_per_part).await;
            cover_each_row_once(&table, rows, target).await;
        });
    }
}

/// A table of two partitions and its plan as JSON.
async fn planned() -> (Store, FormatTable, Value) {
    let store = Store::local();
    let table = store.table("id INT, p STRING", &["p"]).await;
    write(
        &table,
        &[
            vec![int(1), text("a/b")],
            vec![int(2), text("é")],
            vec![int(3), None],
        ],
    )
    .await;
    let plan = plan(&table, col("id").gt(1)).await;
    (store, table, serde_json::to_value(plan).unwrap())
}

#[tokio::test]
async fn a_plan_made_in_one_place_is_read_in_another() {
    let (store, _, plan) = planned().await;
    let text = serde_json::to_string(&plan).unwrap();
    let elsewhere = store.table("id INT, p STRING", &["p"]).await;
    let plan: Plan = serde_json::from_str(&text).unwrap();
    // The filter on rows travels with it.
    assert_eq!(
        crate::support::read(&elsewhere, &plan)
            .await
            .iter()
            .map(|row| id(row))
            .collect::<Vec<_>>(),
        [2, 3]
    );
    assert_eq!(serde_json::to_string(&plan).unwrap(), text);
    assert_eq!((plan.metrics().partitions, plan.file_count()), (3, 3));
    for split in plan.splits() {
        let text = serde_json::to_string(split).unwrap();
        assert_eq!(serde_json::from_str::<Split>(&text).unwrap(), *split);
    }
    let mut every: Vec<i32> = ids_of_splits(&elsewhere, plan.splits()).await.concat();
    every.sort_unstable();
    assert_eq!(every, [1, 2, 3]);
}

#[tokio::test]
async fn a_plan_or_split_of_a_newer_form_is_refused() {
    let (_store, table, plan) = planned().await;
    let reader = table.read().build().unwrap();
    let mut newer = plan.clone();
    newer["version"] = json!(2);
    let newer: Plan = serde_json::from_value(newer).unwrap();
    assert_error(
        &reader.stream(&newer).err().unwrap(),
        ErrorKind::InvalidArgument,
        &["plan"],
    );
    assert_error(
        &reader.count(&newer).await.unwrap_err(),
        ErrorKind::InvalidArgument,
        &["plan"],
    );
    let mut newer = plan["splits"][0].clone();
    newer["version"] = json!(2);
    let newer: Split = serde_json::from_value(newer).unwrap();
    assert_error(
        &reader.stream_splits(vec![newer]).err().unwrap(),
        ErrorKind::InvalidArgument,
        &["form 2"],
    );
}

#[tokio::test]
async fn a_split_that_leads_out_of_the_table_is_refused() {
    let (store, table, plan) = planned().await;
    std::fs::write(format!("{}/../secret", store.root), "x").unwrap();
    let good = plan["splits"][0].clone();
    let reader = table.read().build().unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut split = good.clone();
        change(&mut split);
        let text = split.to_string();
        let split: Split = serde_json::from_value(split).unwrap();
        let error = reader
            .stream_splits(vec![split.clone()])
            .err()
            .unwrap_or_else(|| panic!("{text}"));
        let expected = [ErrorKind::InvalidArgument, ErrorKind::InvalidPartition];
        assert!(expected.contains(&error.kind()), "{text}: {error}");
        error.to_string()
    };
    for name in [
        "../secret",
        "../../secret",
        "/etc/passwd",
        "x/../../../secret",
        ".",
        "..",
        "",
        "a//b",
        "a/",
        "./f",
    ] {
        let message = refused(&|split| split["files"][0]["name"] = json!(name));
        assert!(
            message.contains("does not lie inside the table"),
            "{message}"
        );
    }
    for partition in [
        "..", "p=a/..", "../t/p=a", "/", "q=a", "p=a/q=b", "", "_p=a", "p=", "p=a/",
    ] {
        refused(&|split| split["partition"] = json!(partition));
    }
    for (offset, length) in [
        (0_u64, u64::MAX),
        (u64::MAX, 1),
        (u64::MAX, u64::MAX),
        (1_000_000, 0),
    ] {
        refused(&|split| {
            split["files"][0]["offset"] = json!(offset);
            split["files"][0]["length"] = json!(length);
        });
    }
}

#[tokio::test]
async fn a_split_of_a_partition_means_nothing_without_partitions() {
    let (store, _, plan) = planned().await;
    let split: Split = serde_json::from_value(plan["splits"][0].clone()).unwrap();
    let table = store.table("id INT, p STRING", &[]).await;
    let reader = table.read().build().unwrap();
    assert!(reader.stream_splits(vec![split]).is_err());
}

#[tokio::test]
async fn a_file_that_changed_since_the_plan_is_an_error_or_its_new_rows() {
    let store = Store::local();
    store.ids("f", &(0..1000).collect::<Vec<_>>()).await;
    let table = store.table("id INT", &[]).await;
    let planned = plan(&table, None).await;
    std::fs::write(store.path("f"), crate::support::rows::parquet_of_ids(&[7])).unwrap();
    // The footer is found by the size the file has now.
    assert_eq!(crate::support::read(&table, &planned).await, [vec![int(7)]]);
    std::fs::write(store.path("f"), "no parquet").unwrap();
    let error = table
        .read()
        .build()
        .unwrap()
        .stream(&planned)
        .unwrap()
        .try_collect::<Vec<_>>()
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::CorruptFile, &[&store.path("f")]);
}
