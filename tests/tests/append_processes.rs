//! Eight processes that append to one table while another reads it in a loop.
//!
//! `cargo xtask appends [EACH]` makes more appends than the thirty of each process in a test run.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};

use common::{ID_AND_P, Place, append, ids_and_p, lines_of, schema};
use ftable::FormatTable;

/// Where the table lies; set in children only.
const LOCATION: &str = "FTABLE_APPENDS_LOCATION";
const NUMBER: &str = "FTABLE_APPENDS_NUMBER";
/// How many appends each process makes.
const EACH: &str = "FTABLE_APPENDS_EACH";

const PROCESSES: i64 = 8;
const PARTITIONS: [&str; 3] = ["a", "b", "c"];

fn each() -> i64 {
    std::env::var(EACH).map_or(30, |each| each.parse().unwrap())
}

/// The rows of an append; every fourth goes to two partitions.
fn rows_of(process: i64, number: i64) -> Vec<(i64, Option<&'static str>)> {
    let id = process * 1_000_000 + number;
    let partition = |shift: i64| Some(PARTITIONS[usize::try_from((number + shift) % 3).unwrap()]);
    match number % 4 {
        0 => vec![(id, partition(0)), (id + 500_000, partition(1))],
        _ => vec![(id, partition(0))],
    }
}

/// Not a test of its own: does the work of one process when another test starts it.
#[tokio::test]
async fn child() {
    let (Ok(location), Ok(number)) = (std::env::var(LOCATION), std::env::var(NUMBER)) else {
        return;
    };
    let builder = FormatTable::builder(&location).unwrap();
    let table = builder
        .schema(schema(ID_AND_P, &["p"], &[]))
        .open()
        .await
        .unwrap();
    for append_number in 0..each() {
        let rows = rows_of(number.parse().unwrap(), append_number);
        append(&table, ids_and_p(&rows)).await.unwrap();
    }
}

fn start(place: &Place, number: i64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]);
    command
        .env(LOCATION, place.root())
        .env(NUMBER, number.to_string());
    command.stdout(Stdio::null()).spawn().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_of_many_processes_lose_and_double_nothing() {
    if std::env::var(LOCATION).is_ok() {
        return;
    }
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut children: Vec<Child> = (0..PROCESSES).map(|number| start(&place, number)).collect();
    let (mut scans, mut before) = (0, BTreeSet::new());
    while children
        .iter_mut()
        .any(|child| child.try_wait().unwrap().is_none())
    {
        let rows = place.rows().await;
        let seen: BTreeSet<String> = rows.iter().cloned().collect();
        assert_eq!(seen.len(), rows.len(), "a row is there twice");
        assert!(seen.is_superset(&before), "a row is gone");
        before = seen;
        scans += 1;
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let appends =
        (0..PROCESSES).flat_map(|process| (0..each()).map(move |number| (process, number)));
    let rows: Vec<_> = appends
        .flat_map(|(process, number)| rows_of(process, number))
        .collect();
    assert_eq!(place.rows().await, lines_of(&rows));
    assert_eq!(place.staged(), [""; 0]);
    assert!(!place.path("_ftable").exists());
    eprintln!("{} appends, {scans} scans meanwhile", PROCESSES * each());
}
