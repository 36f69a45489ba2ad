//! Generated documents say what the code says.
//!
//! `cargo xtask docs` runs these tests with `UPDATE_DOCS` set, which makes them write what they would
//! compare.

#![allow(clippy::unwrap_used)] // a test that cannot read its file fails

use std::env;
use std::fs;
use std::path::Path;

const OPTIONS: &str = "../docs/options.md";

const OPTIONS_HEAD: &str = "\
# Options

<!-- Generated from the keys in `crates/core/src/options` by `cargo xtask docs`; do not edit. -->

Options are given when a table is created and stored with its schema, or given for one call, where they win.
The option `type` is the exception: it is the schema's alone.
Keys that are not listed are kept and mean nothing.

";

fn check_document(path: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(
        found == expected,
        "{} is out of date; run `cargo xtask docs`",
        path.display()
    );
}

#[test]
fn options_are_documented_as_they_are() {
    let table = ftable_core::options::option_docs_markdown();
    check_document(OPTIONS, &format!("{OPTIONS_HEAD}{}\n", table.trim_end()));
}
