//! A limit is one for the whole read, applied after filtering; a limit of 0 lists and opens nothing.

use std::sync::Arc;

use ftable::{ErrorKind, FormatTable, Plan, col};
use futures::TryStreamExt;

use crate::support::rows::parquet_of_ids;
use crate::support::watched::Watched;
use crate::support::{Store, assert_error, plan, schema};

/// A table of so many files of one row each, every file a split of its own.
async fn one_row_files(store: &Store, files: i32) -> FormatTable {
    for id in 0..files {
        store.ids(&format!("d={}/f{id}", id % 3), &[id]).await;
    }
    let options = [
        ("source.split.target-size", "100 mb"),
        ("source.split.open-file-cost", "100 mb"),
    ];
    store.table_with("id INT, d INT", &["d"], &options).await
}

async fn rows(table: &FormatTable, plan: &Plan, limit: Option<u64>) -> usize {
    let mut read = table.read();
    if let Some(limit) = limit {
        read = read.limit(limit);
    }
    let reader = read.build().unwrap();
    let batches: Vec<_> = reader.stream(plan).unwrap().try_collect().await.unwrap();
    let rows = batches.iter().map(arrow_array::RecordBatch::num_rows).sum();
    assert_eq!(reader.count(plan).await.unwrap(), rows as u64);
    rows
}

async fn limited(table: &FormatTable, limit: u64) -> Plan {
    table
        .scan()
        .limit(limit)
        .build()
        .unwrap()
        .plan()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_limit_counts_rows_over_all_splits() {
    for store in Store::each() {
        let table = one_row_files(&store, 6).await;
        let everything = plan(&table, None).await;
        assert_eq!(everything.splits().len(), 6);
        for (limit, expected) in [(0, 0), (1, 1), (4, 4), (6, 6), (7, 6), (u64::MAX, 6)] {
            // Given to the scan, to the reader, to both.
            let planned = limited(&table, limit).await;
            assert_eq!(planned.limit(), Some(limit));
            assert_eq!(rows(&table, &planned, None).await, expected, "{limit}");
            assert_eq!(
                rows(&table, &everything, Some(limit)).await,
                expected,
                "{limit}"
            );
            assert_eq!(
                rows(&table, &planned, Some(2)).await,
                expected.min(2),
                "{limit}"
            );
        }
        assert_eq!(rows(&table, &limited(&table, 2).await, Some(5)).await, 2);
    }
}

#[tokio::test]
async fn a_limit_of_zero_lists_and_opens_nothing() {
    for keys in [&["d"][..], &[]] {
        let store = Store::local();
        store.ids("d=1/f", &[1]).await;
        for blocking in [true, false] {
            let watched = Arc::new(Watched::new(&store.file_system, blocking));
            let builder = FormatTable::builder(&store.location)
                .unwrap()
                .file_system(watched.clone());
            let columns = if keys.is_empty() {
                "id INT"
            } else {
                "id INT, d INT"
            };
            let table = builder
                .schema(schema(columns, keys, &[]))
                .open()
                .await
                .unwrap();
            let scan = table
                .scan()
                .filter(col("id").gt(0))
                .limit(0)
                .build()
                .unwrap();
            let planned = scan.plan().await.unwrap();
            assert_eq!(
                (planned.splits().len(), planned.metrics().directories_listed),
                (0, 0)
            );
            assert!(scan.plan_stream().try_next().await.unwrap().is_none());
            assert_eq!(watched.listed(), [""; 0]);
            // Splits of another plan are not opened either.
            let everything = plan(&table, None).await;
            assert_eq!(rows(&table, &everything, Some(0)).await, 0);
            assert_eq!(watched.opened(), [""; 0]);
        }
    }
}

#[tokio::test]
async fn a_limit_counts_what_the_filter_keeps() {
    for store in Store::each() {
        let table = one_row_files(&store, 30).await;
        for (filter, limit, expected) in [
            (col("id").eq(29), 1, vec![29]),
            (col("id").eq(17).and(col("d").eq(2)), 1, vec![17]),
            (col("id").gt_eq(28), 5, vec![28, 29]),
            (col("id").eq(28).or(col("d").eq(7)), 1, vec![28]),
            (col("id").eq(99), 1, vec![]),
        ] {
            let scan = table
                .scan()
                .filter(filter.clone())
                .limit(limit)
                .build()
                .unwrap();
            let found = crate::support::read(&table, &scan.plan().await.unwrap()).await;
            assert_eq!(
                found
                    .iter()
                    .map(|row| crate::support::rows::id(row))
                    .collect::<Vec<_>>(),
                expected,
                "{filter}"
            );
        }
        // Decided by directories alone: any 3 of the 10 rows.
        let scan = table
            .scan()
            .filter(col("d").eq(1))
            .limit(3)
            .build()
            .unwrap();
        let found = crate::support::read(&table, &scan.plan().await.unwrap()).await;
        assert_eq!(found.len(), 3);
        assert!(
            found
                .iter()
                .all(|row| crate::support::rows::id(row) % 3 == 1)
        );
    }
}

#[tokio::test]
async fn files_without_rows_do_not_use_a_limit_up() {
    for store in Store::each() {
        for day in 0..20 {
            store
                .put(&format!("d={day:02}/empty"), parquet_of_ids(&[]))
                .await;
        }
        store.ids("d=99/f", &[1, 2]).await;
        let table = store.table("id INT, d INT", &["d"]).await;
        for limit in [1, 2, 3] {
            let planned = limited(&table, limit).await;
            assert_eq!(
                rows(&table, &planned, None).await as u64,
                limit.min(2),
                "{}",
                store.location
            );
        }
    }
}

#[tokio::test]
async fn files_that_a_reader_leaves_out_do_not_use_a_limit_up() {
    let store = Store::local();
    store.put("d=1/corrupt", "no parquet").await;
    store.ids("d=2/f", &[1, 2]).await;
    let table = store.table("id INT, d INT", &["d"]).await;
    let error = table
        .scan()
        .limit(1)
        .build()
        .unwrap()
        .plan()
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::CorruptFile, &["d=1/corrupt"]);
    let options = [("scan.ignore-corrupt-files", "true")];
    let table = store.table_with("id INT, d INT", &["d"], &options).await;
    for limit in [1, 2, 3] {
        let planned = limited(&table, limit).await;
        assert_eq!(rows(&table, &planned, None).await as u64, limit.min(2));
    }
}

#[tokio::test]
async fn planning_ends_where_the_files_found_hold_enough_rows() {
    let store = Store::local();
    for day in 0..500 {
        store
            .ids(&format!("y={}/d={day}/f", day / 10), &[day])
            .await;
    }
    let table = store.table("id INT, y INT, d INT", &["y", "d"]).await;
    let planned = limited(&table, 3).await;
    assert!(planned.file_count() >= 3);
    assert!(
        planned.file_count() < 10,
        "{} files for 3 rows",
        planned.file_count()
    );
    assert_eq!(rows(&table, &planned, None).await, 3);
    // What is left to a filter on rows cannot be told from footers: everything is planned.
    let scan = table
        .scan()
        .filter(col("id").gt_eq(0))
        .limit(3)
        .build()
        .unwrap();
    let planned = scan.plan().await.unwrap();
    assert_eq!(
        (planned.file_count(), rows(&table, &planned, None).await),
        (500, 3)
    );
}

#[tokio::test]
async fn a_limit_inside_a_file_cuts_its_batches() {
    let store = Store::local();
    store.ids("f", &(0..5000).collect::<Vec<_>>()).await;
    let table = store
        .table_with("id INT", &[], &[("read.batch-size", "100")])
        .await;
    for limit in [1, 99, 100, 101, 4999, 5001] {
        let expected = usize::try_from(limit).unwrap().min(5000);
        assert_eq!(
            rows(&table, &limited(&table, limit).await, None).await,
            expected
        );
    }
}

#[tokio::test]
async fn a_limit_travels_with_its_plan() {
    let store = Store::local();
    let table = one_row_files(&store, 6).await;
    let text = serde_json::to_string(&limited(&table, 2).await).unwrap();
    let plan: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!(rows(&table, &plan, None).await, 2);
}
