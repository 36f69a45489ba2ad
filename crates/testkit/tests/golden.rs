//! Every golden case of the workspace can be loaded, and its rows are spelled as its schema says.

#![allow(clippy::unwrap_used)] // a case that cannot be loaded fails the test

use std::path::Path;

use ftable_testkit::golden::{Expected, Golden, partitions_difference, rows_difference};
use serde_json::Value;

fn cases() -> Vec<Golden> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    Golden::all(&root).unwrap()
}

/// How the text of a row shows a value that is no spelling of its type, at any depth.
const FAULTS: [&str; 7] = [
    ": no ",
    "[no ",
    ", no ",
    "<no ",
    "-> no ",
    ": absent",
    ": not asked for",
];

/// Rows nobody expected are shown as they were understood, which brings misspelled values to light.
fn has_fault(difference: Option<String>) -> Option<String> {
    difference.filter(|text| FAULTS.iter().any(|mark| text.contains(mark)))
}

#[test]
fn every_case_is_whole() {
    let cases = cases();
    assert_eq!(cases.len(), 159);
    for case in &cases {
        assert!(!case.schema().fields.is_empty(), "{}", case.name());
        assert_eq!(
            case.partition_fields().len(),
            case.schema().partition_keys.len(),
            "{}",
            case.name()
        );
    }
}

#[test]
fn every_expected_row_is_spelled_by_its_schema() {
    for case in cases() {
        let Expected::Rows(rows) = case.expected() else {
            continue;
        };
        for row in rows {
            let shown = rows_difference(&[], std::slice::from_ref(row), &case.schema().fields);
            assert_eq!(has_fault(shown), None, "{}", case.name());
        }
        let reversed: Vec<Value> = rows.iter().rev().cloned().collect();
        assert_eq!(
            rows_difference(rows, &reversed, &case.schema().fields),
            None,
            "{}",
            case.name()
        );
    }
}

#[test]
fn every_partition_is_spelled_by_its_schema() {
    for case in cases() {
        let keys = case.partition_fields();
        for entry in case.partitions() {
            let shown = partitions_difference(&[], std::slice::from_ref(entry), &keys);
            assert_eq!(has_fault(shown), None, "{}", case.name());
        }
    }
}

#[test]
fn every_copy_has_the_directories_of_its_partitions() {
    for case in cases() {
        let directory = tempfile::tempdir().unwrap();
        let table = case.prepare(directory.path()).unwrap();
        for entry in case.partitions() {
            let path = entry["path"].as_str().unwrap();
            assert!(table.join(path).is_dir(), "{}: {path}", case.name());
        }
    }
}
