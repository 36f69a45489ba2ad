//! Repair: what is finished, undone, left alone, removed and refused.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;
mod overwrite_support;

use std::time::{Duration, SystemTime};

use common::{ID_AND_P, Place, append, ids_and_p, lines_of, stage};
use ftable::ErrorKind;
use ftable_table::{RepairOptions, RepairReport};
use ftable_testkit::faulty::{Fault, Operation, Rule};
use overwrite_support::now;
use serde_json::{Value, json};

type Row = (i64, Option<&'static str>);

const OLD: [Row; 3] = [(1, Some("a")), (2, Some("b")), (3, Some("c"))];
const NEW: [Row; 2] = [(10, Some("a")), (11, Some("b"))];
const ID: &str = "0d9f8a54-6a60-4a2a-8a57-3a3a4d5a7a11";

async fn place() -> Place {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    append(&place.seen, ids_and_p(&OLD)).await.unwrap();
    place
}

/// An overwrite that dies when it asks for something for the n-th time.
async fn dies(operation: Operation, call: usize) -> Place {
    let place = place().await;
    let messages = stage(&place.table, ids_and_p(&NEW)).await.unwrap();
    place.files.reset_counters();
    place
        .files
        .inject(Rule::new(operation, Fault::Crash).call(call));
    let committer = place.table.commit().overwrite().build();
    committer.unwrap().commit(messages).await.unwrap_err();
    place.files.heal();
    place
}

fn intent(edit: impl Fn(&mut Value)) -> String {
    let mut value = json!({
        "version": 1, "id": ID, "created_millis": 0, "lease_millis": 1, "replaces": ["p=a"], "moves": true,
        "publish": [], "create_directories": [], "remove_directories": [],
    });
    edit(&mut value);
    value.to_string()
}

#[tokio::test]
async fn a_dry_run_tells_the_same_and_changes_nothing() {
    // Moving, publishing, deciding, and deleting what was moved.
    for (operation, call, is_done) in [
        (Operation::Rename, 2, false),
        (Operation::Publish, 1, false),
        (Operation::CreateWhole, 2, false),
        (Operation::DeleteTree, 1, true),
    ] {
        let place = dies(operation, call).await;
        let tree = place.tree();
        let options = RepairOptions {
            staged_age: Duration::ZERO,
            ..now()
        };
        let told = place
            .seen
            .repair(&RepairOptions {
                dry_run: true,
                ..options.clone()
            })
            .await
            .unwrap();
        assert_eq!(place.tree(), tree);
        let done = place.seen.repair(&options).await.unwrap();
        assert_eq!(told, done, "{operation:?}");
        assert_eq!(
            (done.finished.len(), done.undone.len()),
            (usize::from(is_done), usize::from(!is_done))
        );
        let expected = if is_done {
            lines_of(&[NEW[0], NEW[1], OLD[2]])
        } else {
            lines_of(&OLD)
        };
        assert_eq!(place.rows().await, expected, "{operation:?}");
        assert_eq!(place.staged(), [""; 0]);
        assert!(!place.path("_ftable").exists());
        assert_eq!(
            place.seen.repair(&options).await.unwrap(),
            RepairReport::default()
        );
    }
}

#[tokio::test]
async fn staged_files_are_removed_by_age_alone() {
    let place = place().await;
    stage(&place.seen, ids_and_p(&NEW)).await.unwrap();
    let staged = place.staged();
    for foreign in [
        "p=a/_temporary/other",
        "p=a/_temporary/0/_temporary/part",
        "p=a/_x/.tmp.1",
    ] {
        place.put(foreign, "foreign");
    }
    let age = |path: &str, hours: u64| {
        let file = std::fs::File::options()
            .write(true)
            .open(place.path(path))
            .unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600))
            .unwrap();
    };
    age(&staged[0], 25);
    age("p=a/_temporary/other", 100);
    age(&staged[1], 23);
    let report = place.seen.repair(&now()).await.unwrap();
    assert_eq!(
        report,
        RepairReport {
            staged_removed: vec![staged[0].clone()],
            ..RepairReport::default()
        }
    );
    assert_eq!(place.staged(), staged[1..]);
    let options = RepairOptions {
        staged_age: Duration::from_secs(3600),
        ..RepairOptions::default()
    };
    assert_eq!(
        place.seen.repair(&options).await.unwrap().staged_removed,
        staged[1..]
    );
    assert!(place.path("p=a/_temporary/0/_temporary/part").exists());
    assert!(place.path("p=a/_temporary/other").exists() && place.path("p=a/_x/.tmp.1").exists());
    assert_eq!(place.rows().await, lines_of(&OLD));
}

#[tokio::test]
async fn staged_files_that_a_commit_under_way_waits_for_stay() {
    let place = dies(Operation::Publish, 1).await;
    let staged = place.staged();
    let options = RepairOptions {
        staged_age: Duration::ZERO,
        ..RepairOptions::default()
    };
    let report = place.seen.repair(&options).await.unwrap();
    assert_eq!((report.left.len(), report.staged_removed.len()), (1, 0));
    assert_eq!(place.staged(), staged);
}

/// An edit of an intent, and words of the refusal.
type Edit = (fn(&mut Value), &'static str);

const HOSTILE: [Edit; 20] = [
    (|i| i["version"] = json!(2), "form 2"),
    (|i| i["id"] = json!("../../x"), "../../x"),
    (|i| i["replaces"] = json!(["../a"]), "../a"),
    (|i| i["replaces"] = json!(["/etc"]), "/etc"),
    (|i| i["replaces"] = json!(["p=a/b"]), "p=a/b"),
    (|i| i["replaces"] = json!(["_ftable"]), "_ftable"),
    (|i| i["create_directories"] = json!(["../x"]), "../x"),
    (|i| i["create_directories"] = json!([""]), ""),
    (
        |i| i["remove_directories"] = json!(["../victim"]),
        "../victim",
    ),
    (|i| i["remove_directories"] = json!([""]), ""),
    (|i| i["remove_directories"] = json!(["other"]), "other"),
    (
        |i| i["publish"] = publish("p=a/_temporary/.tmp.x", "../victim/f"),
        "../victim/f",
    ),
    (
        |i| i["publish"] = publish("p=a/_temporary/.tmp.x", "/etc/passwd"),
        "/etc/passwd",
    ),
    (
        |i| i["publish"] = publish("p=a/_temporary/.tmp.x", "p=a/_hidden"),
        "p=a/_hidden",
    ),
    (
        |i| i["publish"] = publish("p=a/_temporary/.tmp.x", "p=a/sub/f"),
        "p=a/sub/f",
    ),
    (
        |i| i["publish"] = publish("p=a/_temporary/.tmp.x", "f"),
        "f does not lie",
    ),
    (
        |i| i["publish"] = publish("p=b/_temporary/.tmp.x", "p=a/f"),
        "p=b/_temporary",
    ),
    (|i| i["publish"] = publish("p=a/f", "p=a/g"), "p=a/f"),
    (
        |i| i["publish"] = publish("../_temporary/.tmp.x", "p=a/f"),
        "../_temporary",
    ),
    (|i| i["moves"] = json!("yes"), "boolean"),
];

fn publish(staged: &str, target: &str) -> Value {
    json!([{ "staged": staged, "target": target }])
}

#[tokio::test]
async fn hostile_intents_are_refused_by_name_and_nothing_is_deleted() {
    let place = place().await;
    let victim = place.root().parent().unwrap().join("victim");
    std::fs::create_dir(&victim).unwrap();
    std::fs::write(victim.join("f"), "outside").unwrap();
    std::fs::create_dir(place.path("other")).unwrap();
    let file = format!("_ftable/{ID}.json");
    for (edit, words) in HOSTILE {
        place.put(&file, &intent(edit));
        place.put(
            &format!("_ftable/{ID}.outcome"),
            r#"{"version":1,"decision":"undo","delete":[]}"#,
        );
        let tree = place.tree();
        let messages = stage(&place.seen, ids_and_p(&NEW[..1])).await.unwrap();
        let overwritten = place
            .table
            .commit()
            .overwrite()
            .build()
            .unwrap()
            .commit(messages.clone())
            .await;
        place
            .seen
            .commit()
            .build()
            .unwrap()
            .abort(messages)
            .await
            .unwrap();
        for error in [
            overwritten.unwrap_err(),
            place.table.repair(&now()).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            assert!(error.to_string().contains(&file), "{error}");
            assert!(error.to_string().contains(words), "{words}: {error}");
        }
        assert_eq!(place.tree(), tree, "{words}");
        assert!(victim.join("f").exists());
    }
    assert_eq!(place.files.calls_outside(&place.location()), []);
    assert_eq!(place.rows().await, lines_of(&OLD));
}

#[tokio::test]
async fn hostile_outcomes_are_refused_by_name_and_nothing_is_deleted() {
    let place = place().await;
    let data = place.data_files();
    let of_b = data.iter().find(|file| file.starts_with("p=b/")).unwrap();
    for path in [
        "../victim/f",
        "/etc/passwd",
        "p=a/_hidden/x",
        "_ftable/x",
        "p=a/..",
        of_b.as_str(),
    ] {
        place.put(&format!("_ftable/{ID}.json"), &intent(|_| {}));
        let outcome = json!({ "version": 1, "decision": "done", "delete": [path] });
        place.put(&format!("_ftable/{ID}.outcome"), &outcome.to_string());
        let error = place.table.repair(&now()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains(path), "{path}: {error}");
        assert!(
            error.to_string().contains(&format!("{ID}.outcome")),
            "{error}"
        );
    }
    assert_eq!(place.data_files(), data);
    assert_eq!(place.files.calls_outside(&place.location()), []);
}

#[tokio::test]
async fn good_intents_are_repaired_beside_one_that_is_refused() {
    let place = dies(Operation::Publish, 1).await;
    place.put(&format!("_ftable/{ID}.json"), "no JSON");
    let error = place.seen.repair(&now()).await.unwrap_err();
    assert!(error.to_string().contains(ID), "{error}");
    assert_eq!(place.rows().await, lines_of(&OLD));
}

#[tokio::test]
async fn moved_files_without_an_intent_are_brought_back() {
    let place = place().await;
    let file = place.data_files().swap_remove(0);
    std::fs::create_dir_all(place.path(&format!("_ftable/{ID}/p=a"))).unwrap();
    std::fs::rename(
        place.path(&file),
        place.path(&format!("_ftable/{ID}/{file}")),
    )
    .unwrap();
    place.put(&format!("_ftable/{ID}.outcome"), "whatever");
    assert_eq!(place.rows().await, lines_of(&OLD[1..]));
    let told = place
        .seen
        .repair(&RepairOptions {
            dry_run: true,
            ..now()
        })
        .await
        .unwrap();
    assert_eq!(told.undone, [ID]);
    assert_eq!(
        place.seen.repair(&RepairOptions::default()).await.unwrap(),
        told
    );
    assert_eq!(place.rows().await, lines_of(&OLD));
    // The outcome stays for the process that may come back, unless none can.
    assert!(place.path(&format!("_ftable/{ID}.outcome")).exists());
    place.seen.repair(&now()).await.unwrap();
    assert!(!place.path("_ftable").exists());
}

#[tokio::test]
async fn a_name_that_was_taken_meanwhile_keeps_both_files() {
    let place = place().await;
    let file = place.data_files().swap_remove(0);
    let hidden = format!("_ftable/{ID}/{file}");
    std::fs::create_dir_all(place.path(&hidden).parent().unwrap()).unwrap();
    std::fs::copy(place.path(&file), place.path(&hidden)).unwrap();
    place.put(&format!("_ftable/{ID}.json"), &intent(|_| {}));
    let report = place.seen.repair(&RepairOptions::default()).await.unwrap();
    assert_eq!(report.undone, [ID]);
    assert_eq!(
        place.rows().await,
        lines_of(&[OLD[0], OLD[0], OLD[1], OLD[2]])
    );
}

#[tokio::test]
async fn what_a_process_leaves_that_dies_while_it_writes_an_intent_goes() {
    let place = place().await;
    place.put(&format!("_ftable/.{ID}.json.{ID}.tmp"), "{");
    place.put("_ftable/notes", "of others");
    place.seen.repair(&RepairOptions::default()).await.unwrap();
    assert_eq!(
        place
            .tree()
            .iter()
            .filter(|path| path.starts_with("_ftable/"))
            .count(),
        3
    );
    place.seen.repair(&now()).await.unwrap();
    assert!(place.path("_ftable/notes").exists());
    assert_eq!(
        place
            .tree()
            .iter()
            .filter(|path| path.starts_with("_ftable/"))
            .count(),
        2
    );
}

#[tokio::test]
async fn a_table_that_needs_no_repair_is_left_as_it_is() {
    let place = place().await;
    let tree = place.tree();
    assert_eq!(
        place.seen.repair(&now()).await.unwrap(),
        RepairReport::default()
    );
    assert_eq!(place.tree(), tree);
}
