//! tests/golden: every case is in the catalogue and whole, nothing else lies there, all of it is small.

use std::collections::BTreeSet;
use std::path::Path;

use super::read;
use crate::Result;

/// What all cases may weigh together, in bytes.
pub const MAX_BYTES: u64 = 12 * 1024 * 1024;

/// One sentence for each fault of the folder of golden tables.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let catalogue = catalogued(&read(&root.join("README.md"))?);
    let cases: BTreeSet<String> = folders(root)?.into_iter().collect();
    for case in &cases {
        if !catalogue.contains(case) {
            findings.push(format!("golden: {case} is not in the catalogue"));
        }
        findings.extend(missing_parts(case, &|part| {
            root.join(case).join(part).exists()
        }));
    }
    for case in catalogue.difference(&cases) {
        findings.push(format!("golden: {case} is in the catalogue and not there"));
    }
    for (case, reason) in waiting(&read(&root.join("waiting.txt"))?) {
        if !cases.contains(case) {
            findings.push(format!(
                "golden: waiting.txt names {case}, which is not there"
            ));
        }
        if reason.is_empty() {
            findings.push(format!("golden: waiting.txt gives no reason for {case}"));
        }
    }
    let bytes = size(root)?;
    if bytes > MAX_BYTES {
        findings.push(format!(
            "golden: {bytes} bytes in all, more than {MAX_BYTES}"
        ));
    }
    Ok(findings)
}

/// The cases that the catalogue lists: the first cell of each row, between backquotes.
fn catalogued(readme: &str) -> BTreeSet<String> {
    readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .filter(|(_, rest)| rest.starts_with(" |"))
        .map(|(case, _)| case.to_owned())
        .filter(|case| !case.contains(['.', '/']))
        .collect()
}

/// The lines `case: reason` of the list of cases that are not passed yet; `#` begins a comment.
pub fn waiting(list: &str) -> Vec<(&str, &str)> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(':').unwrap_or((line, "")))
        .map(|(case, reason)| (case.trim(), reason.trim()))
        .collect()
}

fn missing_parts(case: &str, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut missing: Vec<&str> = ["data", "table.json", "partitions.jsonl"]
        .into_iter()
        .filter(|part| !exists(part))
        .collect();
    if exists("expected.jsonl") == exists("expected-error.json") {
        missing.push("one of expected.jsonl and expected-error.json");
    }
    missing
        .iter()
        .map(|part| format!("golden: {case} lacks {part}"))
        .collect()
}

fn folders(root: &Path) -> Result<Vec<String>> {
    let entries =
        std::fs::read_dir(root).map_err(|error| format!("{}: {error}", root.display()))?;
    Ok(entries
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect())
}

fn size(path: &Path) -> Result<u64> {
    let mut bytes = 0;
    let entries =
        std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for entry in entries.filter_map(|entry| entry.ok()) {
        let metadata = entry
            .metadata()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        bytes += if metadata.is_dir() {
            size(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_the_first_cells_of_its_rows() {
        let readme = "| case | x |\n| --- | --- |\n| `b-orc` | orc |\n| `a` | parquet |\n| `data/` | files |\n\
                      | `table.json` | schema |\ntext `c`\n";
        assert_eq!(catalogued(readme), ["a", "b-orc"].map(str::to_owned).into());
    }

    #[test]
    fn the_waiting_list_is_case_and_reason() {
        assert_eq!(
            waiting("# none\n\na: because\n b :x: y\nc\n"),
            [("a", "because"), ("b", "x: y"), ("c", "")]
        );
    }

    #[test]
    fn a_case_has_rows_or_an_error_and_not_both() {
        let with =
            |parts: &'static [&'static str]| missing_parts("c", &|part| parts.contains(&part));
        assert_eq!(
            with(&["data", "table.json", "partitions.jsonl", "expected.jsonl"]),
            [""; 0]
        );
        assert_eq!(
            with(&[
                "data",
                "table.json",
                "partitions.jsonl",
                "expected-error.json"
            ]),
            [""; 0]
        );
        assert_eq!(
            with(&[
                "data",
                "table.json",
                "expected.jsonl",
                "expected-error.json"
            ]),
            [
                "golden: c lacks partitions.jsonl",
                "golden: c lacks one of expected.jsonl and expected-error.json"
            ]
        );
    }
}
