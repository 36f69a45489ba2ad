//! Commits that replace the same rows at the same time: one wins, the others are told, and nothing is lost.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;
mod overwrite_support;

use std::time::Duration;

use common::{ID_AND_P, Place, append, eventually, ids_and_p, lines_of, stage};
use ftable::{CommitMessage, ErrorKind, FormatTable, Result};
use ftable_table::{Error, RepairOptions};
use ftable_testkit::faulty::{Fault, FaultyFileSystem, Operation, Rule};
use overwrite_support::{now, spec};

type Row = (i64, Option<&'static str>);

const OLD: [Row; 3] = [(1, Some("a")), (2, Some("b")), (3, Some("c"))];

async fn place() -> Place {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    append(&place.seen, ids_and_p(&OLD)).await.unwrap();
    place
}

async fn overwrite(
    table: FormatTable,
    messages: Vec<CommitMessage>,
    lease: Duration,
) -> Result<()> {
    let context = table.commit().overwrite().lease(lease);
    context.build()?.commit(messages).await.map(|_| ())
}

const MINUTE: Duration = Duration::from_secs(60);

/// An overwrite that died after it had moved the old rows away and published one of two files.
async fn left_behind(place: &Place, lease: Duration) -> Vec<CommitMessage> {
    let rows = [(10, Some("a")), (11, Some("b"))];
    let messages = stage(&place.table, ids_and_p(&rows)).await.unwrap();
    place.files.reset_counters();
    place
        .files
        .inject(Rule::new(Operation::Publish, Fault::Crash).call(2));
    overwrite(place.table.clone(), messages.clone(), lease)
        .await
        .unwrap_err();
    place.files.heal();
    assert!(place.path("_ftable").is_dir());
    assert!(place.rows().await.len() < 3);
    messages
}

#[tokio::test]
async fn an_overwrite_of_what_another_replaces_is_refused_and_changes_nothing() {
    let place = place().await;
    left_behind(&place, MINUTE).await;
    let tree = place.tree();
    let mine = stage(&place.seen, ids_and_p(&[(20, Some("a"))]))
        .await
        .unwrap();
    let staged = place.tree();
    let table = &place.seen;
    let prefix = spec(&[("p", "b")]);
    for error in [
        overwrite(table.clone(), mine.clone(), MINUTE)
            .await
            .unwrap_err(),
        table
            .commit()
            .build()
            .unwrap()
            .truncate_table()
            .await
            .unwrap_err(),
        table
            .commit()
            .build()
            .unwrap()
            .truncate_partitions(std::slice::from_ref(&prefix))
            .await
            .unwrap_err(),
        table
            .commit()
            .build()
            .unwrap()
            .drop_partitions(&[prefix])
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert!(error.to_string().contains("run repair"), "{error}");
    }
    assert_eq!(place.tree(), staged);
    // Disjoint directories and appends do not conflict.
    let other = stage(table, ids_and_p(&[(30, Some("c"))])).await.unwrap();
    overwrite(table.clone(), other, MINUTE).await.unwrap();
    append(table, ids_and_p(&[(40, Some("a"))])).await.unwrap();
    assert!(
        tree.iter()
            .filter(|path| path.starts_with("_ftable"))
            .all(|path| place.path(path).exists())
    );

    // A repair that waits for leases leaves it alone.
    let report = table.repair(&RepairOptions::default()).await.unwrap();
    assert_eq!(
        (
            report.left.len(),
            report.undone.len() + report.finished.len()
        ),
        (1, 0)
    );
    let report = table.repair(&now()).await.unwrap();
    assert_eq!(report.undone.len(), 1);
    let expected = [OLD[0], OLD[1], (30, Some("c")), (40, Some("a"))];
    assert_eq!(place.rows().await, lines_of(&expected));
    overwrite(table.clone(), mine, MINUTE).await.unwrap();
    assert_eq!(
        place.rows().await,
        lines_of(&[(20, Some("a")), OLD[1], (30, Some("c"))])
    );
}

#[tokio::test]
async fn the_next_overwrite_repairs_what_a_dead_one_left() {
    let place = place().await;
    let dead = left_behind(&place, Duration::from_millis(200)).await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    let mine = stage(&place.seen, ids_and_p(&[(20, Some("a"))]))
        .await
        .unwrap();
    overwrite(place.seen.clone(), mine, MINUTE).await.unwrap();
    assert_eq!(
        place.rows().await,
        lines_of(&[(20, Some("a")), OLD[1], OLD[2]])
    );
    // All that is left is word for the process that is not dead after all.
    let left = place
        .tree()
        .into_iter()
        .filter(|path| path.starts_with("_ftable/"));
    assert!(left.skip(1).all(|path| path.ends_with(".outcome")));
    // Its messages are not taken for committed, and not committed in part.
    let error = overwrite(place.seen.clone(), dead, MINUTE)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

#[tokio::test]
async fn a_commit_that_outlives_its_lease_is_taken_back() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&[(10, Some("a")), (11, Some("b"))]))
        .await
        .unwrap();
    place.files.inject(Rule::new(
        Operation::Publish,
        Fault::Delay(Duration::from_millis(150)),
    ));
    let error = overwrite(place.table.clone(), messages, Duration::from_millis(100))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("lease"), "{error}");
    assert_eq!(place.rows().await, lines_of(&OLD));
    assert!(!place.path("_ftable").exists());
}

/// A commit that stops in one of its calls until its lease is over and another process has taken it for dead.
async fn taken_for_dead(call: usize) {
    let place = place().await;
    let rows = [(10, Some("a")), (11, Some("b"))];
    let messages = stage(&place.table, ids_and_p(&rows)).await.unwrap();
    place.files.reset_counters();
    let stop = Fault::Delay(Duration::from_millis(900));
    place.files.inject(Rule::any(stop).call(call));
    let lease = Duration::from_millis(400);
    let slow = tokio::spawn(overwrite(place.table.clone(), messages, lease));
    tokio::time::sleep(Duration::from_millis(600)).await;
    let options = RepairOptions::default();
    place.seen.repair(&options).await.unwrap();
    let done = slow.await.unwrap();
    let new = lines_of(&[rows[0], rows[1], OLD[2]]);
    let rows = place.rows().await;
    match &done {
        Ok(()) => assert_eq!(rows, new, "call {call}"),
        // Whether the other process went forward or back is not known.
        Err(Error::Unfinished { .. }) => assert!(
            rows == new || rows == lines_of(&OLD),
            "call {call}: {rows:?}"
        ),
        Err(error) => assert_eq!(rows, lines_of(&OLD), "call {call}: {error}"),
    }
    assert_eq!(
        place.seen.repair(&options).await.unwrap(),
        Default::default()
    );
    assert_eq!(place.rows().await, rows, "call {call}");
    place.seen.repair(&now()).await.unwrap();
    assert!(!place.path("_ftable").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_that_is_taken_for_dead_while_it_stops_is_old_or_new() {
    let cases: Vec<_> = (1..=25)
        .map(|call| tokio::spawn(taken_for_dead(call)))
        .collect();
    for case in cases {
        case.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_overwrites_at_once_none_is_lost_in_silence() {
    let mut won_at_all = 0;
    for round in 0..16 {
        let place = place().await;
        let mut tasks = Vec::new();
        for task in 0..4_i64 {
            let rows = [
                (round * 100 + task * 10 + 4, Some("a")),
                (round * 100 + task * 10 + 5, Some("b")),
            ];
            let messages = stage(&place.seen, ids_and_p(&rows)).await.unwrap();
            let job = tokio::spawn(overwrite(place.seen.clone(), messages, MINUTE));
            tasks.push((rows, job));
        }
        let mut won = Vec::new();
        for (rows, job) in tasks {
            match job.await.unwrap() {
                Ok(()) => won.push(rows),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
            }
        }
        won_at_all += won.len();
        // They may have come one after the other: the table has the rows of one, and no row of the others.
        let rows = place.rows().await;
        let of = |new: &[Row]| lines_of(&[new, &OLD[2..]].concat());
        let is_one = won.iter().any(|new| rows == of(new));
        assert!(
            is_one || (won.is_empty() && rows == lines_of(&OLD)),
            "{rows:?}"
        );
        assert!(!place.path("_ftable").exists());
    }
    assert!(won_at_all > 0);
}

#[tokio::test]
async fn what_is_replaced_is_listed_when_no_other_can_replace_it() {
    // One waits before its intent is written while another comes and goes.
    let place = place().await;
    let first = stage(&place.table, ids_and_p(&[(10, Some("a"))]))
        .await
        .unwrap();
    let second = stage(&place.seen, ids_and_p(&[(20, Some("a"))]))
        .await
        .unwrap();
    let slow = Fault::Delay(Duration::from_millis(200));
    place.files.reset_counters();
    place
        .files
        .inject(Rule::new(Operation::CreateWhole, slow).call(1));
    let waiting = tokio::spawn(overwrite(place.table.clone(), first, MINUTE));
    let files: &FaultyFileSystem = &place.files;
    eventually("it waits", || files.calls(Operation::CreateWhole) == 1).await;
    overwrite(place.seen.clone(), second, MINUTE).await.unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(
        place.rows().await,
        lines_of(&[(10, Some("a")), OLD[1], OLD[2]])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn appends_beside_overwrites_are_whole_or_replaced() {
    let place = place().await;
    let appending = tokio::spawn({
        let table = place.seen.clone();
        async move {
            for id in 0..30 {
                append(&table, ids_and_p(&[(1000 + id, Some("c"))]))
                    .await
                    .unwrap();
            }
        }
    });
    for id in 0..10 {
        let messages = stage(&place.seen, ids_and_p(&[(100 + id, Some("a"))]))
            .await
            .unwrap();
        overwrite(place.seen.clone(), messages, MINUTE)
            .await
            .unwrap();
    }
    appending.await.unwrap();
    let kept = (0..30)
        .map(|id| (1000 + id, Some("c")))
        .chain([(109, Some("a")), OLD[1], OLD[2]]);
    assert_eq!(place.rows().await, lines_of(&kept.collect::<Vec<_>>()));
}
