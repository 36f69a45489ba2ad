//! Commits that are given twice, tampered with, raced or cut off: the table is as before, or it has all rows once.

#![allow(clippy::unwrap_used)] // what cannot be made fails the test that needs it

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use common::{ID_AND_P, Place, append, commit, eventually, ids_and_p, lines_of, stage};
use ftable::{CommitMessage, ErrorKind, FormatTable, Result};
use ftable_table::{CommitReport, Error};
use ftable_testkit::faulty::{Fault, FaultyFileSystem, Operation, Rule};
use serde_json::{Value, json};

type Row = (i64, Option<&'static str>);

const BEFORE: [Row; 2] = [(1, Some("a")), (2, Some("b"))];

/// Five partitions, so five files.
const ROWS: [Row; 10] = [
    (10, Some("a")),
    (11, Some("b")),
    (12, Some("c")),
    (13, Some("d")),
    (14, Some("e")),
    (15, Some("a")),
    (16, Some("b")),
    (17, Some("c")),
    (18, Some("d")),
    (19, Some("e")),
];

fn before() -> Vec<String> {
    lines_of(&BEFORE)
}

fn after() -> Vec<String> {
    lines_of(&[&BEFORE[..], &ROWS].concat())
}

/// A table with rows in it.
async fn place() -> Place {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    append(&place.seen, ids_and_p(&BEFORE)).await.unwrap();
    place
}

/// What a careful caller does: whatever fails is cleaned up after.
async fn whole_job(table: &FormatTable) -> Result<CommitReport> {
    let mut write = table.write().build()?;
    let mut prepared = write.write(ids_and_p(&ROWS)).await.map(|()| Vec::new());
    if prepared.is_ok() {
        prepared = write.prepare_commit().await;
    }
    let messages = match prepared {
        Ok(messages) => messages,
        Err(error) => {
            // Once more if a fault hits the clean-up itself.
            if write.abort().await.is_err() {
                let _ = write.abort().await;
            }
            return Err(error);
        }
    };
    let mut committer = table.commit().build()?;
    let committed = committer.commit(messages.clone()).await;
    if committed.is_err() && committer.abort(messages.clone()).await.is_err() {
        let _ = committer.abort(messages).await;
    }
    committed
}

/// Path and content of every file that readers see.
fn snapshot(place: &Place) -> Vec<(String, Vec<u8>)> {
    let files = place.data_files().into_iter();
    let read = |file: String| (std::fs::read(place.path(&file)).unwrap(), file);
    files.map(read).map(|(bytes, file)| (file, bytes)).collect()
}

/// Changed by nothing that was asked for.
fn assert_untouched(files: &FaultyFileSystem) {
    for operation in Operation::ALL {
        if !matches!(operation, Operation::List | Operation::Stat) {
            assert_eq!(files.calls(operation), 0, "{operation:?}");
        }
    }
}

#[tokio::test]
async fn a_second_commit_of_the_same_messages_is_refused_and_changes_nothing() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
    let mut committer = place.table.commit().build().unwrap();
    committer.commit(messages.clone()).await.unwrap();
    let published = snapshot(&place);
    let text = serde_json::to_string(&messages).unwrap();
    let from_text: Vec<CommitMessage> = serde_json::from_str(&text).unwrap();
    place.files.reset_counters();
    for error in [
        committer.commit(messages.clone()).await.unwrap_err(),
        commit(&place.table, from_text).await.unwrap_err(),
        commit(&place.seen, messages.clone()).await.unwrap_err(),
        // One of them beside files that are new.
        commit(&place.table, messages[..1].to_vec())
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert!(!error.retryable());
        assert!(error.to_string().contains("already committed"), "{error}");
        assert!(error.to_string().ends_with("nothing was changed"));
    }
    assert_untouched(&place.files);
    // Nor does an abort take published files away.
    committer.abort(messages).await.unwrap();
    assert_eq!(snapshot(&place), published);
    assert_eq!(place.rows().await, after());
}

#[tokio::test]
async fn a_commit_that_a_dead_process_left_half_way_says_how_far_it_came() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
    let value = serde_json::to_value(&messages).unwrap();
    let path = |index: usize, member: &str| place.path(value[index][member].as_str().unwrap());
    // One file was moved; of another the new name was made and the old one not yet removed.
    std::fs::rename(path(1, "staged"), path(1, "target")).unwrap();
    std::fs::hard_link(path(3, "staged"), path(3, "target")).unwrap();
    let error = commit(&place.table, messages.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    let text = error.to_string();
    assert!(text.contains("2 of 5 files are published"), "{text}");
    assert!(text.contains(messages[1].target()), "{text}");
    assert_eq!(place.staged().len(), 4);
}

/// An edit of a message, and words of the refusal.
type Edit = (&'static str, fn(&mut Value), &'static str);

const EDITS: [Edit; 22] = [
    ("newer form", |m| m["version"] = json!(2), "form"),
    (
        "other table",
        |m| m["table"] = json!("/elsewhere/t"),
        "/elsewhere/t",
    ),
    (
        "target above",
        |m| m["target"] = json!("p=a/../../x.parquet"),
        "x.parquet",
    ),
    (
        "target absolute",
        |m| m["target"] = json!("/x.parquet"),
        "x.parquet",
    ),
    (
        "target of the root",
        |m| m["target"] = json!("x.parquet"),
        "x.parquet",
    ),
    (
        "target deeper",
        |m| m["target"] = json!("p=a/sub/x.parquet"),
        "sub/x.parquet",
    ),
    (
        "target hidden",
        |m| m["target"] = json!("p=a/_x.parquet"),
        "_x.parquet",
    ),
    (
        "target hidden too",
        |m| m["target"] = json!("p=a/.x.parquet"),
        ".x.parquet",
    ),
    (
        "target elsewhere",
        |m| m["target"] = json!("p=b/x.parquet"),
        "p=b/x.parquet",
    ),
    (
        "target is the directory",
        |m| m["target"] = json!("p=a/"),
        "p=a/",
    ),
    (
        "target with a zero",
        |m| m["target"] = json!("p=a/x\0y"),
        "control character",
    ),
    (
        "staged above",
        |m| m["staged"] = json!("../_temporary/.tmp.x"),
        "_temporary/.tmp.x",
    ),
    (
        "staged absolute",
        |m| m["staged"] = json!("/etc/passwd"),
        "/etc/passwd",
    ),
    (
        "staged is data",
        |m| m["staged"] = json!("p=a/x.parquet"),
        "p=a/x.parquet",
    ),
    (
        "staged of others",
        |m| m["staged"] = json!("p=a/_temporary/0"),
        "p=a/_temporary/0",
    ),
    (
        "staged deeper",
        |m| m["staged"] = json!("p=a/_temporary/.tmp.x/y"),
        ".tmp.x/y",
    ),
    (
        "staged elsewhere",
        |m| m["staged"] = json!("p=b/_temporary/.tmp.x"),
        "p=b/_temporary",
    ),
    ("no partition", |m| m["partition"] = json!(""), "path ''"),
    ("other key", |m| relocate(m, "q=a"), "q=a"),
    ("two levels", |m| relocate(m, "p=a/p=b"), "p"),
    ("other spelling", |m| relocate(m, "p=%61"), "spelled 'p=a'"),
    ("upwards", |m| relocate(m, ".."), ".."),
];

/// A message that agrees with itself, for another directory.
fn relocate(message: &mut Value, directory: &str) {
    for member in ["staged", "target"] {
        let path = message[member].as_str().unwrap();
        let moved = path.replacen("p=a", directory, 1);
        message[member] = json!(moved);
    }
    message["partition"] = json!(directory);
}

#[tokio::test]
async fn tampered_messages_are_refused_before_anything_is_changed() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
    let position = messages
        .iter()
        .position(|message| message.partition() == Some("p=a"));
    let position = position.unwrap();
    let good = serde_json::to_value(&messages).unwrap();
    let tree = place.tree();
    place.files.reset_counters();
    for (name, edit, words) in EDITS {
        let mut value = good.clone();
        edit(&mut value[position]);
        let edited: Vec<CommitMessage> = serde_json::from_value(value).unwrap();
        for error in [
            commit(&place.table, edited.clone()).await.unwrap_err(),
            place
                .table
                .commit()
                .build()
                .unwrap()
                .abort(edited)
                .await
                .unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{name}: {error}");
            let text = error.to_string();
            assert!(text.contains("a commit message refused"), "{name}: {text}");
            assert!(text.contains(words), "{name}: {text}");
        }
    }
    for member in ["staged", "target"] {
        let mut value = good.clone();
        let mut second = value[position].clone();
        let other = value[position][member].as_str().unwrap();
        second["staged"] =
            json!(format!("{other}x").replacen("p=a/data-", "p=a/_temporary/.tmp.", 1));
        second["target"] = json!("p=a/data-other.parquet");
        second[member] = value[position][member].clone();
        value.as_array_mut().unwrap().push(second);
        let edited: Vec<CommitMessage> = serde_json::from_value(value).unwrap();
        let error = commit(&place.table, edited).await.unwrap_err();
        assert!(
            error.to_string().contains("named by two messages"),
            "{error}"
        );
    }
    assert_untouched(&place.files);
    assert_eq!(place.tree(), tree);
    commit(&place.table, messages).await.unwrap();
    assert_eq!(place.rows().await, after());
}

#[tokio::test]
async fn messages_of_another_table_are_refused() {
    let (place, other) = (place().await, place().await);
    let messages = stage(&other.table, ids_and_p(&ROWS)).await.unwrap();
    let error = commit(&place.table, messages.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains(&other.location()), "{error}");
    assert_eq!(other.staged().len(), 5);
    commit(&other.table, messages).await.unwrap();
}

#[tokio::test]
async fn without_all_staged_files_nothing_is_published() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
    let lost = place.staged().swap_remove(2);
    std::fs::remove_file(place.path(&lost)).unwrap();
    let error = commit(&place.table, messages.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains(&lost), "{error}");
    assert_eq!(place.files.calls(Operation::Publish), 0);
    assert_eq!(place.rows().await, before());
    assert_eq!(place.staged().len(), 4);
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
async fn a_target_that_others_made_is_never_touched() {
    // Before the commit, and while it is under way.
    for meanwhile in [false, true] {
        let place = place().await;
        let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
        let target = messages[2].target().to_owned();
        if meanwhile {
            let slow = Fault::Delay(Duration::from_millis(100));
            let rule = Rule::new(Operation::Publish, slow);
            place.files.inject(rule.on_path(target.clone()));
        } else {
            place.put(&target, "foreign");
        }
        let table = place.table.clone();
        let committed = tokio::spawn(commit_owned(table, messages.clone()));
        if meanwhile {
            eventually("others are published", || place.data_files().len() == 6).await;
            place.put(&target, "foreign");
        }
        let error = committed.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let text = error.to_string();
        assert!(
            text.contains(&format!("{target} exists already and is left as it is")),
            "{text}"
        );
        assert_eq!(text.contains("was taken back"), meanwhile, "{text}");

        assert_eq!(
            std::fs::read_to_string(place.path(&target)).unwrap(),
            "foreign"
        );
        std::fs::remove_file(place.path(&target)).unwrap();
        assert_eq!(place.rows().await, before());
        assert_eq!(place.staged().len(), if meanwhile { 1 } else { 5 });
        place
            .table
            .commit()
            .build()
            .unwrap()
            .abort(messages)
            .await
            .unwrap();
        assert_eq!(place.staged(), [""; 0]);
        whole_job(&place.table).await.unwrap();
        assert_eq!(place.rows().await, after());
    }
}

async fn commit_owned(table: FormatTable, messages: Vec<CommitMessage>) -> Result<CommitReport> {
    commit(&table, messages).await
}

#[tokio::test]
async fn a_commit_of_files_that_another_is_publishing_is_refused() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
    let slow = Fault::Delay(Duration::from_millis(300));
    place.files.inject(Rule::new(Operation::Publish, slow));
    let first = tokio::spawn(commit_owned(place.table.clone(), messages.clone()));
    eventually("it publishes", || {
        place.files.calls(Operation::Publish) == 5
    })
    .await;
    // Should the first one die, its repair takes back every file that it names.
    let error = commit(&place.seen, messages.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    first.await.unwrap().unwrap();
    assert_eq!(place.rows().await, after());
}

#[tokio::test]
async fn a_commit_that_lost_a_race_does_not_undo_the_other() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
    // The slow one has looked at everything when the quick one begins.
    let slow = Fault::Delay(Duration::from_millis(300));
    place
        .files
        .inject(Rule::new(Operation::CreateWholeUnsynced, slow));
    let loser = tokio::spawn(commit_owned(place.table.clone(), messages.clone()));
    eventually("it begins", || {
        place.files.calls(Operation::CreateWholeUnsynced) == 1
    })
    .await;
    commit(&place.seen, messages).await.unwrap();
    let error = loser.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::CommitFailed { .. }), "{error}");
    assert_eq!(place.rows().await, after());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_racing_commits_of_the_same_messages_one_wins_at_most() {
    for _ in 0..20 {
        let place = place().await;
        let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
        let racers =
            (0..3).map(|_| tokio::spawn(commit_owned(place.seen.clone(), messages.clone())));
        let racers: Vec<_> = racers.collect();
        let mut won = 0;
        for racer in racers {
            won += usize::from(racer.await.unwrap().is_ok());
        }
        assert!(won <= 1);
        let expected = if won == 1 { after() } else { before() };
        assert_eq!(place.rows().await, expected);
    }
}

#[tokio::test]
async fn a_commit_whose_publish_fails_is_taken_back() {
    for fault in [Fault::Fail, Fault::LoseAnswer] {
        let mut failed = 0;
        for call in 1.. {
            let place = place().await;
            let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
            place
                .files
                .inject(Rule::new(Operation::Publish, fault).call(call));
            let committed = commit(&place.table, messages.clone()).await;
            if place.files.faults() == 0 {
                committed.unwrap();
                break;
            }
            failed += 1;
            let error = committed.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert!(error.retryable());
            let text = error.to_string();
            assert!(
                text.contains("the commit failed and was taken back: "),
                "{text}"
            );
            assert!(text.contains("injected fault"), "{text}");
            assert_eq!(place.rows().await, before(), "{fault:?} {call}");

            // What was not published is there for an abort.
            let left = place.staged().len();
            let at_least = usize::from(fault == Fault::Fail);
            assert!((at_least..=5).contains(&left), "{left}");
            place
                .table
                .commit()
                .build()
                .unwrap()
                .abort(messages)
                .await
                .unwrap();
            assert_eq!(place.staged(), [""; 0]);
            place.files.heal();
            whole_job(&place.table).await.unwrap();
            assert_eq!(place.rows().await, after());
        }
        assert_eq!(failed, 5);
    }
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_named() {
    for fault in [Fault::Fail, Fault::LoseAnswer] {
        for deletes in [Fault::Fail, Fault::LoseAnswer] {
            let place = place().await;
            let old: BTreeSet<String> = place.data_files().into_iter().collect();
            let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
            place
                .files
                .inject(Rule::new(Operation::Publish, fault).call(3));
            place
                .files
                .inject(Rule::new(Operation::DeleteFile, deletes));
            let error = commit(&place.table, messages).await.unwrap_err();
            let Error::CommitFailed { not_removed, .. } = &error else {
                panic!("{error}")
            };
            let new: Vec<String> = place
                .data_files()
                .into_iter()
                .filter(|file| !old.contains(file))
                .collect();
            assert_eq!(*not_removed, new);
            assert_eq!(new.is_empty(), deletes == Fault::LoseAnswer);
            let text = error.to_string();
            assert!(new.iter().all(|file| text.contains(file)), "{text}");
            assert_eq!(
                text.contains("could not be removed"),
                !new.is_empty(),
                "{text}"
            );
        }
    }
}

#[tokio::test]
async fn a_fault_at_any_call_leaves_the_table_as_it_was_or_whole() {
    for fault in [Fault::Fail, Fault::LoseAnswer] {
        for call in 1.. {
            let place = place().await;
            place.files.inject(Rule::any(fault).call(call));
            let done = whole_job(&place.table).await;
            if place.files.faults() == 0 {
                assert!(call > 25, "{call}");
                done.unwrap();
                break;
            }
            let expected = if done.is_ok() { after() } else { before() };
            let call = place.files.trace().swap_remove(call - 1);
            assert_eq!(place.rows().await, expected, "{fault:?} {call:?}");
            eventually("nothing is left staged", || place.staged().is_empty()).await;
            let root = place.location();
            assert_eq!(place.files.calls_outside(&root), []);
            if let Err(error) = done {
                assert!(error.retryable(), "{error}");
                place.files.heal();
                whole_job(&place.table).await.unwrap();
            }
            assert_eq!(place.rows().await, after());
        }
    }
}

#[tokio::test]
async fn after_a_crash_every_visible_file_is_whole_and_named_in_the_error() {
    let mut partly = 0;
    for call in 1.. {
        let place = place().await;
        place.files.inject(Rule::any(Fault::Crash).call(call));
        let done = whole_job(&place.table).await;
        if !place.files.has_crashed() {
            done.unwrap();
            break;
        }
        let Err(error) = done else {
            // All was decided; what is left is hidden.
            assert_eq!(place.rows().await, after());
            continue;
        };
        let rows = place.rows().await;
        let mut new: Vec<&String> = rows.iter().filter(|row| !before().contains(row)).collect();
        assert_eq!(rows.len(), new.len() + 2);
        // Whole files of two rows, no row twice.
        assert!(new.len().is_multiple_of(2) && new.iter().all(|row| after().contains(row)));
        new.dedup();
        assert_eq!(rows.len(), new.len() + 2);
        partly += usize::from(!new.is_empty());
        if !new.is_empty() {
            let Error::CommitFailed { not_removed, .. } = &error else {
                panic!("{error}")
            };
            let unnamed = |file: &String| !not_removed.contains(file);
            assert_eq!(
                place.data_files().into_iter().filter(unnamed).count(),
                2,
                "{error}"
            );
        }
    }
    assert!(partly > 0);
}

#[tokio::test]
async fn no_file_outside_the_table_is_touched() {
    let place = place().await;
    place
        .files
        .inject(Rule::new(Operation::Publish, Fault::Fail).call(4));
    whole_job(&place.table).await.unwrap_err();
    whole_job(&place.table).await.unwrap();
    common::rows(&place.table).await.unwrap();
    let root = place.location();
    assert_eq!(place.files.calls_outside(&root), []);
    assert!(Path::new(&root).join("p=e").is_dir());
    for operation in [Operation::Rename, Operation::DeleteTree] {
        assert_eq!(
            place.files.calls(operation),
            0,
            "an append needs no {operation:?}"
        );
    }
}
