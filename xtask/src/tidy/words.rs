//! No loose ends and nothing of one machine in what others read.
//!
//! Comments and documents stay true wherever the project is checked out: they say the rule, not where
//! its author found it.

use super::SourceFile;

/// This file names what it looks for.
const THIS_FILE: &str = "xtask/src/tidy/words.rs";

/// Macros that leave code unwritten.
const UNWRITTEN: [&str; 2] = ["todo!", "unimplemented!"];

/// Marks of work left over; each needs its reason: `TODO: what is missing and why`.
const MARKS: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// Roots of paths that exist on one machine only.
const MACHINE_PATHS: [&str; 4] = ["/work/", "/tmp/", "/root/", "/home/"];

/// How many characters a reason has at least.
const MIN_REASON: usize = 10;

/// One sentence for each line that says what it should not.
pub fn check(files: &[SourceFile]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path != THIS_FILE) {
        for (index, line) in file.text.lines().enumerate() {
            let mut report = |what: String| {
                findings.push(format!("words: {}:{}: {what}", file.path, index + 1));
            };
            if let Some(macro_name) = unwritten(&file.path, line) {
                report(format!("{macro_name} leaves code unwritten"));
            }
            let Some(prose) = prose(&file.path, line) else {
                continue;
            };
            if let Some(mark) = mark_without_reason(prose) {
                report(format!("{mark} without a reason"));
            }
            if let Some(root) = machine_path(prose) {
                report(format!("a path of one machine ({root})"));
            }
            if names_an_issue(prose) {
                report("an issue by its number; say the rule itself".to_owned());
            }
        }
    }
    findings
}

fn unwritten(path: &str, line: &str) -> Option<&'static str> {
    let is_code = path.ends_with(".rs") && !line.trim_start().starts_with("//");
    let calls = |name: &&str| line.contains(&format!("{name}("));
    UNWRITTEN.into_iter().find(|name| is_code && calls(name))
}

/// The part of a line that people read: documents whole, comments of code.
fn prose<'a>(path: &str, line: &'a str) -> Option<&'a str> {
    let line = line.trim_start();
    if path.ends_with(".md") {
        return Some(line);
    }
    let sign = if path.ends_with(".rs") { "//" } else { "#" };
    if line.starts_with(sign) {
        return Some(line);
    }
    // A sign inside a text literal is taken for a comment only when a blank stands on both sides.
    line.split_once(&format!(" {sign} "))
        .map(|(_, comment)| comment)
}

fn mark_without_reason(prose: &str) -> Option<&'static str> {
    MARKS.into_iter().find(|mark| {
        prose.match_indices(mark).any(|(at, _)| {
            let alone = prose[..at]
                .chars()
                .next_back()
                .is_none_or(|before| !before.is_alphanumeric());
            let rest = &prose[at + mark.len()..];
            let ends = rest
                .chars()
                .next()
                .is_none_or(|after| !after.is_alphanumeric());
            let reason = rest
                .strip_prefix(':')
                .map_or(0, |reason| reason.trim().chars().count());
            alone && ends && reason < MIN_REASON
        })
    })
}

fn machine_path(prose: &str) -> Option<&'static str> {
    MACHINE_PATHS.into_iter().find(|root| {
        prose.match_indices(root).any(|(at, _)| {
            let before = prose[..at].chars().next_back();
            before.is_none_or(|before| {
                !before.is_alphanumeric() && !matches!(before, '.' | '_' | '-')
            })
        })
    })
}

fn names_an_issue(prose: &str) -> bool {
    let lower = prose.to_lowercase();
    [
        "issue #",
        "issues #",
        "pull request #",
        "pr #",
        "fixes #",
        "closes #",
    ]
    .iter()
    .any(|words| {
        lower.match_indices(words).any(|(at, _)| {
            lower[at + words.len()..].starts_with(|next: char| next.is_ascii_digit())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&[SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }])
    }

    #[test]
    fn a_mark_needs_its_reason() {
        let rust = "crates/a/src/x.rs";
        assert_eq!(
            findings(rust, "// TODO\n"),
            ["words: crates/a/src/x.rs:1: TODO without a reason"]
        );
        assert_eq!(findings(rust, "let a = 1; // FIXME soon\n").len(), 1);
        assert_eq!(
            findings(rust, "// TODO: the ORC reader cannot skip stripes yet\n"),
            [""; 0]
        );
        assert_eq!(findings(rust, "/// The TODOS column\n"), [""; 0]);
        assert_eq!(findings(rust, "let text = \"TODO\";\n"), [""; 0]);
        assert_eq!(findings("docs/a.md", "TODO later\n").len(), 1);
    }

    #[test]
    fn unwritten_code_is_found_in_code_only() {
        let rust = "crates/a/src/x.rs";
        let expected = "words: crates/a/src/x.rs:2: todo! leaves code unwritten";
        assert_eq!(findings(rust, "fn f() {\n    todo!()\n}\n"), [expected]);
        assert_eq!(findings(rust, "// todo!() is denied\n"), [""; 0]);
        assert_eq!(findings("clippy.md", "todo!()\n"), [""; 0]);
    }

    #[test]
    fn paths_of_one_machine_are_found_in_prose_only() {
        assert_eq!(findings("docs/a.md", "see /home/somebody/x\n").len(), 1);
        assert_eq!(findings("docs/a.md", "`/tmp/table`\n").len(), 1);
        assert_eq!(
            findings("docs/a.md", "s3://bucket/work/x, my/tmp/x, .../tmp/x\n"),
            [""; 0]
        );
        assert_eq!(
            findings("crates/a/src/x.rs", "let path = \"/tmp/wh\";\n"),
            [""; 0]
        );
        assert_eq!(
            findings("crates/a/src/x.rs", "/// As in /home/me/x\n").len(),
            1
        );
        assert_eq!(findings("a.py", "# /root/venv\n").len(), 1);
    }

    #[test]
    fn issues_are_not_named_by_number() {
        assert_eq!(findings("docs/a.md", "Fixes #12\n").len(), 1);
        assert_eq!(findings("crates/a/src/x.rs", "// see issue #7\n").len(), 1);
        assert_eq!(
            findings("docs/a.md", "the value #1 of issue # none\n"),
            [""; 0]
        );
    }
}
