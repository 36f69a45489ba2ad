//! Options that change what a write stores and what a read leaves out.

// What cannot be made fails the test that needs it.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, StringArray};
use common::{Place, append, batch, ids_and_p, lines_of, rows, stage};
use ftable::{ErrorKind, Options};
use futures::TryStreamExt;

fn numbers(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[tokio::test]
async fn a_default_takes_the_place_of_null_in_data_and_in_keys() {
    let columns = "id INT, state STRING DEFAULT 'new', n INT DEFAULT '7', p STRING DEFAULT 'none'";
    let place = Place::new(columns, &["p"], &[]).await;
    let given = batch([
        ("id", numbers(&[Some(1), Some(2), None])),
        ("state", texts(&[None, Some("old"), None])),
        ("n", numbers(&[Some(1), None, None])),
        ("p", texts(&[None, Some("a"), None])),
    ]);
    append(&place.table, given).await.unwrap();
    assert_eq!(
        place.rows().await,
        [
            r#"1 "new" 1 "none""#,
            r#"2 "old" 7 "a""#,
            r#"NULL "new" 7 "none""#
        ]
    );
    assert!(
        place.tree().contains(&"p=none/".to_owned()),
        "{:?}",
        place.tree()
    );
}

#[tokio::test]
async fn a_default_does_not_save_a_null_in_a_not_null_column() {
    let place = Place::new("id INT, n INT NOT NULL DEFAULT '7'", &[], &[]).await;
    let given = batch([("id", numbers(&[Some(1)])), ("n", numbers(&[None]))]);
    let error = append(&place.table, given).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("column n is NOT NULL but row 0 is null"),
        "{error}"
    );
}

/// A table of three files; the middle one is the partition `b`.
async fn three_files() -> Place {
    let place = Place::new(common::ID_AND_P, &["p"], &[]).await;
    for (id, p) in [(1, "a"), (2, "b"), (3, "c")] {
        append(&place.table, ids_and_p(&[(id, Some(p))]))
            .await
            .unwrap();
    }
    place
}

fn file_of(place: &Place, partition: &str) -> std::path::PathBuf {
    let files = place.data_files();
    place.path(
        files
            .iter()
            .find(|file| file.starts_with(partition))
            .unwrap(),
    )
}

fn options(key: &str) -> Options {
    [(key, "true")].into_iter().collect()
}

#[tokio::test]
async fn a_file_that_is_gone_is_an_error_or_left_out_and_named() {
    let place = three_files().await;
    let plan = place.table.scan().build().unwrap().plan().await.unwrap();
    let lost = file_of(&place, "p=b");
    std::fs::remove_file(&lost).unwrap();
    let name = lost.file_name().unwrap().to_str().unwrap().to_owned();

    let read = place.table.read().build().unwrap();
    let error = read
        .stream(&plan)
        .unwrap()
        .try_collect::<Vec<_>>()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains(&name), "{error}");
    assert_eq!(
        read.count(&plan).await.unwrap_err().kind(),
        ErrorKind::NotFound
    );

    let tolerant = place
        .table
        .read()
        .options(&options("scan.ignore-lost-files"))
        .unwrap()
        .build()
        .unwrap();
    let batches: Vec<_> = tolerant.stream(&plan).unwrap().try_collect().await.unwrap();
    assert_eq!(
        batches.iter().map(|batch| batch.num_rows()).sum::<usize>(),
        2
    );
    let metrics = tolerant.metrics();
    assert_eq!(
        (metrics.lost_files.count, metrics.corrupt_files.count),
        (1, 0)
    );
    assert_eq!(metrics.lost_files.examples, [format!("p=b/{name}")]);
    assert!(
        metrics.warnings()[0].contains(&name),
        "{:?}",
        metrics.warnings()
    );
    assert_eq!(tolerant.count(&plan).await.unwrap(), 2);
}

#[tokio::test]
async fn a_corrupt_file_is_an_error_or_left_out_and_named() {
    let place = three_files().await;
    let corrupt = file_of(&place, "p=b");
    let content = std::fs::read(&corrupt).unwrap();
    std::fs::write(&corrupt, &content[..content.len() / 2]).unwrap();

    let error = rows(&place.table).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptFile);
    assert!(error.to_string().contains("p=b/data-"), "{error}");

    let only_lost = place
        .table
        .with_options(&options("scan.ignore-lost-files"))
        .unwrap();
    assert_eq!(
        rows(&only_lost).await.unwrap_err().kind(),
        ErrorKind::CorruptFile
    );

    let tolerant = place
        .table
        .with_options(&options("scan.ignore-corrupt-files"))
        .unwrap();
    assert_eq!(
        rows(&tolerant).await.unwrap(),
        lines_of(&[(1, Some("a")), (3, Some("c"))])
    );
    let plan = tolerant.scan().build().unwrap().plan().await.unwrap();
    let read = tolerant.read().build().unwrap();
    assert_eq!(read.count(&plan).await.unwrap(), 2);
    assert_eq!(read.metrics().corrupt_files.count, 1);
}

/// Rows of `partitions` partitions, each as often as the others, neighbours in different ones.
fn scattered(rows: i64, partitions: i64) -> arrow_array::RecordBatch {
    let ids: Int64Array = (0..rows).collect();
    let keys: StringArray = (0..rows)
        .map(|row| Some(format!("k{}", row % partitions)))
        .collect();
    batch([("id", Arc::new(ids)), ("p", Arc::new(keys))])
}

#[tokio::test]
async fn rows_wait_in_memory_and_not_in_open_files() {
    let place = Place::new(common::ID_AND_P, &["p"], &[]).await;
    let mut write = place.table.write().build().unwrap();
    for _ in 0..4 {
        write.write(scattered(2_000, 500)).await.unwrap();
    }
    assert_eq!(place.staged(), Vec::<String>::new());
    let messages = write.prepare_commit().await.unwrap();
    assert_eq!(messages.len(), 500);
    assert!(messages.iter().all(|message| message.rows() == 16));
}

#[tokio::test]
async fn a_small_buffer_and_few_open_files_make_more_files_and_lose_nothing() {
    let options = [
        ("format-table.write.max-open-files", "3"),
        ("format-table.write.buffer-size", "4 kb"),
    ];
    let place = Place::new(common::ID_AND_P, &["p"], &options).await;
    let mut write = place.table.write().build().unwrap();
    for _ in 0..10 {
        write.write(scattered(200, 20)).await.unwrap();
    }
    let messages = write.prepare_commit().await.unwrap();
    assert!(messages.len() > 20, "{} files", messages.len());
    place
        .table
        .commit()
        .build()
        .unwrap()
        .commit(messages)
        .await
        .unwrap();
    let mut expected: Vec<String> = Vec::new();
    for _ in 0..10 {
        expected.extend((0..200).map(|row| format!("{row} \"k{}\"", row % 20)));
    }
    expected.sort();
    assert_eq!(place.rows().await, expected);
}

#[tokio::test]
async fn sorted_rows_make_one_file_a_partition_whatever_the_bounds() {
    let options = [
        ("format-table.write.max-open-files", "1"),
        ("format-table.write.buffer-size", "1 kb"),
    ];
    let place = Place::new(common::ID_AND_P, &["p"], &options).await;
    let mut write = place.table.write().build().unwrap();
    for partition in 0..5 {
        for part in 0..4 {
            let ids: Int64Array = (part * 100..part * 100 + 100).collect();
            let keys: StringArray = (0..100).map(|_| Some(format!("k{partition}"))).collect();
            write
                .write(batch([("id", Arc::new(ids)), ("p", Arc::new(keys))]))
                .await
                .unwrap();
        }
    }
    let messages = write.prepare_commit().await.unwrap();
    assert_eq!(messages.len(), 5);
    assert!(messages.iter().all(|message| message.rows() == 400));
}

#[tokio::test]
async fn encoders_that_hold_too_much_end_a_row_group_early() {
    let options = [
        ("format-table.write.buffer-size", "1 mb"),
        ("parquet.enable.dictionary", "false"),
    ];
    let place = Place::new("id BIGINT", &[], &options).await;
    let mut write = place.table.write().build().unwrap();
    for part in 0..10_i64 {
        let ids: Int64Array = (0..200_000)
            .map(|row| (part * 200_000 + row) * 0x9E37_79B9)
            .collect();
        write.write(batch([("id", Arc::new(ids))])).await.unwrap();
    }
    let messages = write.prepare_commit().await.unwrap();
    assert_eq!(messages.len(), 1);
    place
        .table
        .commit()
        .build()
        .unwrap()
        .commit(messages)
        .await
        .unwrap();
    let file = std::fs::File::open(place.path(&place.data_files()[0])).unwrap();
    let footer = parquet::file::metadata::ParquetMetaDataReader::new()
        .parse_and_finish(&file)
        .unwrap();
    assert!(
        footer.num_row_groups() >= 2,
        "{} row groups",
        footer.num_row_groups()
    );
    assert_eq!(footer.file_metadata().num_rows(), 2_000_000);
}

#[tokio::test]
async fn bounds_that_bound_nothing_are_refused() {
    let place = Place::new(common::ID_AND_P, &["p"], &[]).await;
    let none: Options = [("format-table.write.max-open-files", "0")]
        .into_iter()
        .collect();
    let error = place.table.with_options(&none).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("format-table.write.max-open-files"),
        "{error}"
    );
    stage(&place.table, ids_and_p(&[(1, Some("a"))]))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_partitions_in_random_order_make_a_file_each() {
    let place = Place::new(common::ID_AND_P, &["p"], &[]).await;
    let mut write = place.seen.write().build().unwrap();
    // 7919 has no divisor in common with 30,000, so each row comes once and neighbours lie far apart.
    let order: Vec<i64> = (0..30_000).map(|row| row * 7919 % 30_000).collect();
    for rows in order.chunks(1_000) {
        let ids = Int64Array::from(rows.to_vec());
        let keys: StringArray = rows
            .iter()
            .map(|row| Some(format!("k{}", row % 10_000)))
            .collect();
        write
            .write(batch([("id", Arc::new(ids)), ("p", Arc::new(keys))]))
            .await
            .unwrap();
    }
    let messages = write.prepare_commit().await.unwrap();
    assert_eq!(messages.len(), 10_000);
    assert!(messages.iter().all(|message| message.rows() == 3));
    let report = place
        .seen
        .commit()
        .build()
        .unwrap()
        .commit(messages)
        .await
        .unwrap();
    assert_eq!(
        (report.rows, report.files, report.partitions),
        (30_000, 10_000, 10_000)
    );
    let plan = place.seen.scan().build().unwrap().plan().await.unwrap();
    assert_eq!(plan.file_count(), 10_000);
    assert_eq!(
        place
            .seen
            .read()
            .build()
            .unwrap()
            .count(&plan)
            .await
            .unwrap(),
        30_000
    );
}
