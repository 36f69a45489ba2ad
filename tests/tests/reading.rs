//! Reads that end before their files do, and reads that wait for each other.

#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{Place, append, eventually, ids_and_p, rows};
use ftable::ErrorKind;
use ftable_testkit::faulty::Operation;
use futures::TryStreamExt;
use tokio::runtime::Builder;

const FILES: usize = 300;

/// A csv table of many files, one row in each.
async fn many_files() -> Place {
    let place = Place::new(common::ID_AND_P, &[], &[("file.format", "csv")]).await;
    for number in 0..FILES {
        place.put(&format!("part-{number:03}.csv"), "1,a\n");
    }
    place
}

/// Waits until no file has been opened for a while, and says how many were.
async fn opened_in_the_end(place: &Place) -> usize {
    let mut opened = place.files.calls(Operation::Open);
    loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        match place.files.calls(Operation::Open) {
            same if same == opened => return opened,
            more => opened = more,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_that_fails_opens_no_further_files() {
    let place = many_files().await;
    let plan = place.table.scan().build().unwrap().plan().await.unwrap();
    std::fs::remove_file(place.path("part-000.csv")).unwrap();
    let read = place.table.read().build().unwrap();
    let error = read.count(&plan).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let opened = opened_in_the_end(&place).await;
    assert!(opened < FILES, "{opened}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_is_dropped_opens_no_further_files() {
    let place = many_files().await;
    let plan = place.table.scan().build().unwrap().plan().await.unwrap();
    let read = place.table.read().parallelism(2).build().unwrap();
    let mut batches = read.stream(&plan).unwrap();
    assert_eq!(batches.try_next().await.unwrap().unwrap().num_rows(), 1);
    drop(batches);
    let opened = opened_in_the_end(&place).await;
    assert!(opened < FILES, "{opened}");
}

/// More readers than the pool has threads, each with more rows than may wait for it.
#[test]
fn readers_that_nobody_listens_to_hold_up_no_other() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let place = Place::new(common::ID_AND_P, &[], &[("file.format", "csv")]).await;
        let text = "x".repeat(1024);
        let lines: String = (0..20_000).map(|id| format!("{id},{text}\n")).collect();
        place.put("part-0.csv", &lines);
        let plan = place.table.scan().build().unwrap().plan().await.unwrap();
        let read = place.table.read().value_kind(false).parallelism(1).build();
        let read = read.unwrap();
        let mut readers = Vec::new();
        for _ in 0..4 {
            let mut batches = read.stream(&plan).unwrap();
            let first = batches.try_next().await.unwrap().unwrap();
            readers.push((first.num_rows(), batches));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        for (first, batches) in readers {
            let rest =
                batches.try_fold(0, |rows, batch| async move { Ok(rows + batch.num_rows()) });
            assert_eq!(first + rest.await.unwrap(), 20_000);
        }
        append(&place.table, ids_and_p(&[(1, Some("a"))]))
            .await
            .unwrap();
        assert_eq!(rows(&place.seen).await.unwrap().len(), 20_001);
        eventually("no file is staged", || place.staged().is_empty()).await;
    });
}
