//! Messages and splits travel between processes: many write and one commits, one plans and many read.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{ID_AND_P, Place, commit, ids_and_p, lines, lines_of, schema, stage};
use ftable::{CommitMessage, FormatTable, Split};
use futures::TryStreamExt;

/// Where the table lies; set in children only.
const LOCATION: &str = "FTABLE_HANDOVER_LOCATION";
/// The number of a writer, or the splits of a reader.
const WORK: &str = "FTABLE_HANDOVER_WORK";
/// The file a child leaves what it made in.
const RESULT: &str = "FTABLE_HANDOVER_RESULT";

const WRITERS: i64 = 4;

fn rows_of(writer: i64) -> [(i64, Option<&'static str>); 3] {
    [
        (writer, Some("a")),
        (writer + 100, Some("b")),
        (writer + 200, None),
    ]
}

/// Not a test of its own: does the work of one process when another test starts it.
#[tokio::test]
async fn child() {
    let Ok(location) = std::env::var(LOCATION) else {
        return;
    };
    let builder = FormatTable::builder(&location).unwrap();
    let table = builder
        .schema(schema(ID_AND_P, &["p"], &[]))
        .open()
        .await
        .unwrap();
    let work = std::env::var(WORK).unwrap();
    let result = match work.parse::<i64>() {
        Ok(writer) => {
            let messages = stage(&table, ids_and_p(&rows_of(writer))).await.unwrap();
            serde_json::to_string(&messages).unwrap()
        }
        Err(_) => {
            let splits: Vec<Split> = serde_json::from_str(&work).unwrap();
            let read = table.read().value_kind(false).build().unwrap();
            let batches: Vec<_> = read
                .stream_splits(splits)
                .unwrap()
                .try_collect()
                .await
                .unwrap();
            let rows: Vec<String> = batches
                .iter()
                .flat_map(|batch| lines(table.fields(), batch))
                .collect();
            serde_json::to_string(&rows).unwrap()
        }
    };
    std::fs::write(std::env::var(RESULT).unwrap(), result).unwrap();
}

fn start(place: &Place, work: &str, result: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--nocapture"])
        .stdout(Stdio::null());
    command
        .env(LOCATION, place.root())
        .env(WORK, work)
        .env(RESULT, result);
    command.spawn().unwrap()
}

/// What children made of their work, in order.
fn results(place: &Place, works: &[String]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let file = |number: usize| directory.path().join(number.to_string());
    let children: Vec<Child> = works
        .iter()
        .enumerate()
        .map(|(number, work)| start(place, work, &file(number)))
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    (0..works.len())
        .map(|number| std::fs::read_to_string(file(number)).unwrap())
        .collect()
}

#[tokio::test]
async fn many_processes_write_one_commits_and_many_read() {
    if std::env::var(LOCATION).is_ok() {
        return;
    }
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let writers: Vec<String> = (0..WRITERS).map(|writer| writer.to_string()).collect();
    let mut messages: Vec<CommitMessage> = Vec::new();
    for written in results(&place, &writers) {
        messages.extend(serde_json::from_str::<Vec<CommitMessage>>(&written).unwrap());
    }
    assert_eq!(
        place.rows().await,
        [""; 0],
        "nothing is visible before the commit"
    );
    let report = commit(&place.table, messages.clone()).await.unwrap();
    assert_eq!((report.rows, report.files, report.partitions), (12, 12, 3));
    commit(&place.table, messages).await.unwrap_err();

    let plan = place.table.scan().build().unwrap().plan().await.unwrap();
    let splits: Vec<String> = plan
        .splits()
        .iter()
        .map(|split| serde_json::to_string(&[split]).unwrap())
        .collect();
    assert_eq!(splits.len(), 3);
    let mut rows: Vec<String> = Vec::new();
    for read in results(&place, &splits) {
        rows.extend(serde_json::from_str::<Vec<String>>(&read).unwrap());
    }
    rows.sort();
    let expected: Vec<_> = (0..WRITERS).flat_map(rows_of).collect();
    assert_eq!(rows, lines_of(&expected));
}
