//! A process that replaces rows in a loop is killed at random moments, its table repaired and looked at.
//!
//! `cargo xtask kill [ROUNDS]` runs more rounds than the ten of a test run.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{ID_AND_P, Place, append, ids_and_p, lines_of, schema, stage};
use ftable::FormatTable;
use ftable_table::RepairOptions;

/// Where the table lies; set in the child only.
const LOCATION: &str = "FTABLE_KILL_LOCATION";
/// The number of the overwrite that the child begins with.
const FIRST: &str = "FTABLE_KILL_FIRST";
/// How many rounds.
const ROUNDS: &str = "FTABLE_KILL_ROUNDS";

const PARTITIONS: [&str; 3] = ["a", "b", "c"];
/// Rows of a partition that no overwrite names.
const KEPT: (i64, Option<&str>) = (-1, Some("kept"));

/// The rows after an overwrite: its number in each partition.
fn rows_of(number: i64) -> Vec<(i64, Option<&'static str>)> {
    PARTITIONS
        .iter()
        .map(|partition| (number, Some(*partition)))
        .collect()
}

/// Where the child says how many overwrites are done.
fn log(directory: &Path) -> std::path::PathBuf {
    directory.join("done")
}

/// Not a test of its own: replaces rows until it is killed when another test starts it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let (Ok(location), Ok(first)) = (std::env::var(LOCATION), std::env::var(FIRST)) else {
        return;
    };
    let builder = FormatTable::builder(&location).unwrap();
    let table = builder
        .schema(schema(ID_AND_P, &["p"], &[]))
        .open()
        .await
        .unwrap();
    let done = log(Path::new(&location).parent().unwrap());
    for number in first.parse().unwrap().. {
        let messages = stage(&table, ids_and_p(&rows_of(number))).await.unwrap();
        let committer = table.commit().overwrite().build();
        committer.unwrap().commit(messages).await.unwrap();
        // In one step: a kill must not leave half a number.
        let written = done.with_extension("new");
        std::fs::write(&written, number.to_string()).unwrap();
        std::fs::rename(written, &done).unwrap();
    }
}

fn start(place: &Place, first: i64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]);
    command
        .env(LOCATION, place.root())
        .env(FIRST, first.to_string());
    command.stdout(Stdio::null()).spawn().unwrap()
}

/// The number of the last overwrite that was told to be done.
fn last_done(place: &Place) -> i64 {
    let text = std::fs::read_to_string(log(place.root().parent().unwrap())).unwrap_or_default();
    text.parse().unwrap_or(0)
}

/// A number below a bound; the moment of the kill does the rest of the chance.
fn random(bound: u64) -> u64 {
    u64::from(uuid::Uuid::new_v4().as_fields().0) % bound
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_whose_writer_is_killed_has_old_or_new_rows_after_repair() {
    if std::env::var(LOCATION).is_ok() {
        return;
    }
    let rounds: usize = std::env::var(ROUNDS).map_or(10, |rounds| rounds.parse().unwrap());
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    append(&place.seen, ids_and_p(&[rows_of(0), vec![KEPT]].concat()))
        .await
        .unwrap();
    let options = RepairOptions {
        now: true,
        staged_age: Duration::ZERO,
        ..RepairOptions::default()
    };
    let (mut current, mut finished, mut undone) = (0, 0, 0);
    for round in 0..rounds {
        std::fs::write(log(place.root().parent().unwrap()), current.to_string()).unwrap();
        let mut child = start(&place, current + 1);
        // Past its start, so that the kill hits an overwrite.
        let deadline = Instant::now() + Duration::from_secs(60);
        while last_done(&place) == current {
            assert!(
                child.try_wait().unwrap().is_none() && Instant::now() < deadline,
                "the child does nothing"
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_micros(random(30_000))).await;
        child.kill().unwrap();
        child.wait().unwrap();

        let report = place.seen.repair(&options).await.unwrap();
        (finished, undone) = (
            finished + report.finished.len(),
            undone + report.undone.len(),
        );
        let rows = place.rows().await;
        let told = last_done(&place);
        let after = |number: i64| lines_of(&[rows_of(number), vec![KEPT]].concat());
        // The last one that was told to be done, or the one after it, whole.
        let found = (told..=told + 1).find(|number| rows == after(*number));
        current = found.unwrap_or_else(|| panic!("round {round}, after {told}: {rows:?}"));
        assert_eq!(place.data_files().len(), 4, "round {round}");
        assert_eq!(place.staged(), [""; 0]);
        assert!(
            !place.path("_ftable").exists(),
            "round {round}: {:?}",
            place.tree()
        );
    }
    eprintln!(
        "{rounds} kills, {current} overwrites; repair finished {finished} and undid {undone}"
    );
}
