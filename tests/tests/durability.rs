//! What a commit makes durable, and before which of its steps.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;
mod overwrite_support;

use std::collections::BTreeSet;

use common::{ID_AND_P, Place, append, ids_and_p, lines_of, stage};
use ftable::{CommitMessage, ErrorKind};
use ftable_table::RepairReport;
use ftable_testkit::faulty::{Call, Operation};
use overwrite_support::{Copy, Job, Template, now};
use serde_json::json;

/// A call as `verb path`, relative to the table, with names that differ each time replaced: `TMP` for a staged file,
/// `DATA` for one of data, `ID` for that of a commit.
fn line(call: &Call, root: &str) -> Option<String> {
    let verb = match call.operation {
        Operation::SyncFile => "sync file",
        Operation::SyncDirectory => "sync directory",
        Operation::CreateWhole => "write durably",
        Operation::CreateWholeUnsynced => "write",
        Operation::Publish => "publish",
        Operation::Rename => "move to",
        Operation::DeleteFile => "delete",
        Operation::DeleteTree => "delete tree",
        _ => return None,
    };
    Some(format!("{verb} {}", neutral(&call.path, root)))
}

fn neutral(path: &str, root: &str) -> String {
    let relative = path.strip_prefix(root).unwrap().trim_start_matches('/');
    let part = |part: &str| match part {
        part if part.starts_with(".tmp.") => "TMP".to_owned(),
        part if part.starts_with("data-") => "DATA".to_owned(),
        part if part.ends_with(".json") => "ID.json".to_owned(),
        part if part.ends_with(".outcome") => "ID.outcome".to_owned(),
        part if part.len() == 36 => "ID".to_owned(),
        part => part.to_owned(),
    };
    let parts: Vec<String> = relative.split('/').map(part).collect();
    match relative {
        "" => "/".to_owned(),
        _ => parts.join("/"),
    }
}

/// The steps of a job in their order; those of one kind side by side are sorted.
fn steps(copy: &Copy) -> Vec<String> {
    let mut steps: Vec<Vec<String>> = Vec::new();
    let mut last = None;
    for call in copy.files.trace() {
        let Some(line) = line(&call, &copy.root) else {
            continue;
        };
        match steps.last_mut() {
            Some(step) if last == Some(call.operation) => step.push(line),
            _ => steps.push(vec![line]),
        }
        last = Some(call.operation);
    }
    let sorted = |mut step: Vec<String>| {
        // Of two files deleted one after the other the order is the point.
        if !step.iter().any(|line| line.contains("ID.outcome")) {
            step.sort();
        }
        step
    };
    steps.into_iter().flat_map(sorted).collect()
}

async fn steps_of(job: Job, on_disk: bool) -> Vec<String> {
    let copy = Template::new(job).await.copy(on_disk).await;
    let done = job.run(&copy.table, copy.messages[0].clone()).await;
    done.unwrap();
    assert_eq!(copy.rows().await, job.new_rows());
    steps(&copy)
}

const SYNC_STAGED: [&str; 3] = [
    "sync file p=a/q=x/_temporary/TMP",
    "sync file p=a/q=y/_temporary/TMP",
    "sync file p=a/q=z/_temporary/TMP",
];
const BEGIN: [&str; 2] = ["write durably _ftable/ID.json", "sync directory _ftable"];
const PUBLISH: [&str; 3] = [
    "publish p=a/q=x/DATA",
    "publish p=a/q=y/DATA",
    "publish p=a/q=z/DATA",
];
const SYNC_TARGETS: [&str; 5] = [
    "sync directory /",
    "sync directory p=a",
    "sync directory p=a/q=x",
    "sync directory p=a/q=y",
    "sync directory p=a/q=z",
];
const DECIDE: [&str; 2] = ["write durably _ftable/ID.outcome", "sync directory _ftable"];
const END: [&str; 2] = ["delete _ftable/ID.json", "delete _ftable/ID.outcome"];

#[tokio::test]
async fn an_append_syncs_nothing() {
    let expected = [
        &["write _ftable/ID.json"][..],
        &PUBLISH,
        &["write _ftable/ID.outcome"],
        &END,
    ];
    assert_eq!(steps_of(Job::Append, true).await, expected.concat());
    let one_file = steps_of(Job::AppendOneFile, true).await;
    assert_eq!(one_file, ["publish p=a/q=x/DATA"]);
}

#[tokio::test]
async fn an_append_that_always_syncs_is_durable_when_it_is_decided() {
    let expected = [
        &SYNC_STAGED[..],
        &BEGIN,
        &PUBLISH,
        &SYNC_TARGETS,
        &["write durably _ftable/ID.outcome"],
        &END,
    ];
    assert_eq!(steps_of(Job::AppendAlways, true).await, expected.concat());
}

#[tokio::test]
async fn writing_syncs_nothing_whatever_the_option_says() {
    for sync in ["overwrite", "always"] {
        let options = [("format-table.commit.sync", sync)];
        let place = Place::new(ID_AND_P, &["p"], &options).await;
        let rows = ids_and_p(&[(1, Some("a")), (2, Some("b"))]);
        let messages = stage(&place.table, rows).await.unwrap();
        let synced = |operation| place.files.calls(operation);
        assert_eq!(synced(Operation::SyncFile), 0);
        assert_eq!(synced(Operation::SyncDirectory), 0);
        // One file: no intent, and the option of the table is as good as that of a call.
        common::commit(&place.table, messages[..1].to_vec())
            .await
            .unwrap();
        let expected = if sync == "always" { (1, 2) } else { (0, 0) };
        assert_eq!(
            (
                synced(Operation::SyncFile),
                synced(Operation::SyncDirectory)
            ),
            expected
        );
        assert_eq!(synced(Operation::CreateWhole), 0);
        assert_eq!(synced(Operation::CreateWholeUnsynced), 0);
    }
}

#[tokio::test]
async fn an_overwrite_is_durable_before_it_hides_and_before_it_deletes() {
    let expected = [
        &SYNC_STAGED[..],
        &BEGIN,
        &[
            "move to _ftable/ID/p=a/q=x/DATA",
            "move to _ftable/ID/p=a/q=x/DATA",
            "move to _ftable/ID/p=a/q=y/DATA",
            "sync directory /",
            "sync directory _ftable",
            "sync directory _ftable/ID",
            "sync directory _ftable/ID/p=a",
            "sync directory _ftable/ID/p=a/q=x",
            "sync directory _ftable/ID/p=a/q=y",
        ],
        &PUBLISH,
        &SYNC_TARGETS,
        &DECIDE,
        &["delete tree _ftable/ID"],
        &END,
    ];
    assert_eq!(steps_of(Job::Dynamic, true).await, expected.concat());
}

#[tokio::test]
async fn an_overwrite_without_renames_is_durable_before_it_deletes() {
    let expected = [
        &SYNC_STAGED[..],
        &BEGIN,
        &PUBLISH,
        &SYNC_TARGETS,
        &DECIDE,
        &[
            "delete p=a/q=x/DATA",
            "delete p=a/q=x/DATA",
            "delete p=a/q=y/DATA",
        ],
        &END,
    ];
    let mut steps = steps_of(Job::Dynamic, false).await;
    // Old files and the records are deleted in one row of calls; the old files first, in any order.
    let deletes = steps.len() - 5;
    steps[deletes..deletes + 3].sort();
    assert_eq!(steps, expected.concat());
}

#[tokio::test]
async fn a_truncate_is_durable_before_it_deletes() {
    let expected = [
        &BEGIN[..],
        &[
            "move to _ftable/ID/p=a/q=x/DATA",
            "move to _ftable/ID/p=a/q=x/DATA",
            "move to _ftable/ID/p=a/q=y/DATA",
            "move to _ftable/ID/p=b/q=x/DATA",
            "sync directory /",
            "sync directory _ftable",
            "sync directory _ftable/ID",
            "sync directory _ftable/ID/p=a",
            "sync directory _ftable/ID/p=a/q=x",
            "sync directory _ftable/ID/p=a/q=y",
            "sync directory _ftable/ID/p=b",
            "sync directory _ftable/ID/p=b/q=x",
        ],
        &DECIDE,
        &["delete tree _ftable/ID"],
        &END,
    ];
    assert_eq!(steps_of(Job::Truncate, true).await, expected.concat());
}

type Row = (i64, Option<&'static str>);

const OLD: [Row; 2] = [(1, Some("a")), (2, Some("b"))];
const NEW: [Row; 2] = [(10, Some("a")), (11, Some("b"))];
const ID: &str = "0d9f8a54-6a60-4a2a-8a57-3a3a4d5a7a11";

async fn place() -> Place {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    append(&place.seen, ids_and_p(&OLD)).await.unwrap();
    place
}

/// An append whose two files are published while its intent is still there.
async fn published(place: &Place) -> Vec<CommitMessage> {
    let messages = stage(&place.seen, ids_and_p(&NEW)).await.unwrap();
    let value = serde_json::to_value(&messages).unwrap();
    for message in value.as_array().unwrap() {
        let path = |member: &str| place.path(message[member].as_str().unwrap());
        std::fs::rename(path("staged"), path("target")).unwrap();
    }
    let publish: Vec<_> = value
        .as_array()
        .unwrap()
        .iter()
        .map(|message| json!({ "staged": message["staged"], "target": message["target"] }))
        .collect();
    let intent = json!({
        "version": 1, "id": ID, "created_millis": 0, "lease_millis": 1, "replaces": [], "moves": false,
        "publish": publish, "create_directories": [], "remove_directories": [],
    });
    place.put(&format!("_ftable/{ID}.json"), &intent.to_string());
    messages
}

#[tokio::test]
async fn an_intent_that_a_power_failure_left_without_bytes_hinders_nobody() {
    for content in ["", "\0\0\0\0\0"] {
        let place = place().await;
        published(&place).await;
        place.put(&format!("_ftable/{ID}.json"), content);
        place.put(&format!("_ftable/{ID}.outcome"), content);
        // It names nothing, so its files are visible, as those of an append without an intent.
        let all = lines_of(&[OLD, NEW].concat());
        assert_eq!(place.rows().await, all);
        append(&place.table, ids_and_p(&[(20, Some("a")), (21, Some("c"))]))
            .await
            .unwrap();
        let messages = stage(&place.table, ids_and_p(&[(30, Some("c"))]));
        let overwrite = place.table.commit().overwrite().build();
        overwrite
            .unwrap()
            .commit(messages.await.unwrap())
            .await
            .unwrap();
        let rows = lines_of(&[&OLD[..], &NEW, &[(20, Some("a")), (30, Some("c"))]].concat());
        assert_eq!(place.rows().await, rows);

        let tree: BTreeSet<String> = place.tree().into_iter().collect();
        // It may be young, and only a repair that was told so knows that nobody is at work.
        assert_eq!(
            place.seen.repair(&Default::default()).await.unwrap(),
            RepairReport::default()
        );
        assert_eq!(place.tree().into_iter().collect::<BTreeSet<_>>(), tree);
        let report = place.seen.repair(&now()).await.unwrap();
        assert_eq!(report, RepairReport::default());
        assert!(!place.path("_ftable").exists());
        assert_eq!(place.rows().await, rows);
    }
}

#[tokio::test]
async fn an_append_whose_outcome_lost_its_bytes_is_undone_whole() {
    for content in ["", "\0\0\0\0\0"] {
        let place = place().await;
        published(&place).await;
        place.put(&format!("_ftable/{ID}.outcome"), content);
        let report = place.seen.repair(&now()).await.unwrap();
        assert_eq!(report.undone, [ID]);
        assert_eq!(place.rows().await, lines_of(&OLD));
        assert!(!place.path("_ftable").exists());
    }
}

#[tokio::test]
async fn a_staged_file_that_lost_bytes_is_not_published() {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&NEW)).await.unwrap();
    let value = serde_json::to_value(&messages[1]).unwrap();
    let name = value["staged"].as_str().unwrap();
    let staged = place.path(name);
    std::fs::File::options()
        .write(true)
        .open(&staged)
        .unwrap()
        .set_len(0)
        .unwrap();
    let error = common::commit(&place.table, messages.clone())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptFile);
    let text = error.to_string();
    assert!(text.contains(name), "{text}");
    assert!(text.contains("has 0 of the "), "{text}");
    assert_eq!(place.rows().await, lines_of(&OLD));
    assert_eq!(place.files.calls(Operation::Publish), 0);
}
