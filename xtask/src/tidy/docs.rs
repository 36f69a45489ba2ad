//! docs/architecture.md is the map: every crate has a section, every module is named in its crate's section,
//! and what documents point to is there.

use super::SourceFile;
use crate::workspace::Member;

/// The map of the house.
const ARCHITECTURE: &str = "docs/architecture.md";

/// Where a path in a document must lead to something, when it begins with one of these.
const OUR_FOLDERS: [&str; 5] = ["crates/", "docs/", "tests/", "xtask/", ".ci/"];

/// One sentence for each crate without a section and each module that its section does not name.
///
/// A module counts as named when the name of its file, or of a folder above it, is a word of the section.
pub fn check_modules(members: &[Member], files: &[SourceFile]) -> Vec<String> {
    let Some(map) = files.iter().find(|file| file.path == ARCHITECTURE) else {
        return vec![format!("docs: {ARCHITECTURE} is missing")];
    };
    let mut findings = Vec::new();
    for member in members {
        let Some(section) = section(&map.text, member) else {
            findings.push(format!(
                "docs: {ARCHITECTURE} has no section for {} ({})",
                member.folder, member.package
            ));
            continue;
        };
        let words: Vec<&str> = words(&section).collect();
        let sources = format!("{}/src/", member.folder);
        for file in files {
            let Some(module) = file.path.strip_prefix(&sources) else {
                continue;
            };
            if !is_named(module, &words) {
                findings.push(format!(
                    "docs: {} is not mentioned in the section of {} in {ARCHITECTURE}",
                    file.path, member.package
                ));
            }
        }
    }
    findings
}

/// One sentence for each link or path of a document that leads nowhere.
pub fn check_links(files: &[SourceFile], exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in links(&file.text) {
            if !exists(&joined(folder, target)) {
                findings.push(format!(
                    "docs: {} links to {target}, which is not there",
                    file.path
                ));
            }
        }
        for path in quoted_paths(&file.text) {
            if !exists(path) {
                findings.push(format!(
                    "docs: {} mentions `{path}`, which is not there",
                    file.path
                ));
            }
        }
    }
    findings
}

/// The text below the first heading that names the crate, up to the next heading of its level.
fn section(map: &str, member: &Member) -> Option<String> {
    let mut lines = map.lines().skip_while(|line| !is_heading_of(line, member));
    let level = heading_level(lines.next()?);
    let body = lines.take_while(|line| heading_level(line) == 0 || heading_level(line) > level);
    Some(body.collect::<Vec<_>>().join("\n"))
}

fn heading_level(line: &str) -> usize {
    let level = line
        .chars()
        .take_while(|&character| character == '#')
        .count();
    if line[level..].starts_with(' ') {
        level
    } else {
        0
    }
}

fn is_heading_of(line: &str, member: &Member) -> bool {
    heading_level(line) > 0
        && words(line).any(|word| word == member.folder || word == member.package)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '/');
    text.split(move |character| !is_part(character))
        .filter(|word| !word.is_empty())
}

/// Whether a module, given by its path below `src`, is one of the words; roots and tests need no mention.
fn is_named(module: &str, words: &[&str]) -> bool {
    let Some(path) = module.strip_suffix(".rs") else {
        return true;
    };
    let parts: Vec<&str> = path.split('/').collect();
    if matches!(parts.last(), Some(&("tests" | "lib" | "main"))) || parts.contains(&"bin") {
        return true;
    }
    parts.iter().any(|part| {
        words
            .iter()
            .any(|word| word.split('/').any(|step| step == *part))
    })
}

/// The targets of relative links: `](target)`, without what follows `#`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.contains(' '))
}

/// Paths of our own folders between backquotes, outside code blocks; patterns and placeholders are no paths.
fn quoted_paths(text: &str) -> Vec<&str> {
    let mut paths = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let spans = line.split('`').skip(1).step_by(2);
            paths.extend(spans.filter(|span| {
                OUR_FOLDERS.iter().any(|folder| span.starts_with(folder))
                    && !span.contains(|character: char| " *<>{}…".contains(character))
            }));
        }
    }
    paths
}

fn joined(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn member(folder: &str, package: &str) -> Member {
        Member {
            folder: folder.to_owned(),
            package: package.to_owned(),
            dependencies: Vec::new(),
        }
    }

    const MAP: &str = "# Map\n\n## crates/a: `ft-a`\n\n`types` and `x/deep.rs`.\n\n### More\n\n`late`\n\n## `ft-b`\n\n`other`\n";

    #[test]
    fn modules_are_named_by_file_or_folder_in_their_own_section() {
        let members = [member("crates/a", "ft-a"), member("crates/b", "ft-b")];
        let files = [
            file("crates/a/src/lib.rs", ""),
            file("crates/a/src/types/json.rs", ""),
            file("crates/a/src/x/deep.rs", ""),
            file("crates/a/src/late.rs", ""),
            file("crates/a/src/late/tests.rs", ""),
            file("crates/a/src/other.rs", ""),
            file("crates/b/src/other.rs", ""),
            file("crates/b/src/types.rs", ""),
            file(ARCHITECTURE, MAP),
        ];
        assert_eq!(
            check_modules(&members, &files),
            [
                "docs: crates/a/src/other.rs is not mentioned in the section of ft-a in docs/architecture.md",
                "docs: crates/b/src/types.rs is not mentioned in the section of ft-b in docs/architecture.md",
            ]
        );
    }

    #[test]
    fn a_part_of_a_word_is_no_mention() {
        let files = [file("crates/a/src/type.rs", ""), file(ARCHITECTURE, MAP)];
        assert_eq!(
            check_modules(&[member("crates/a", "ft-a")], &files).len(),
            1
        );
    }

    #[test]
    fn a_crate_without_a_section_is_found() {
        let files = [file(ARCHITECTURE, MAP)];
        let expected = "docs: docs/architecture.md has no section for crates/c (ft)";
        assert_eq!(
            check_modules(&[member("crates/c", "ft")], &files),
            [expected]
        );
        assert_eq!(
            check_modules(&[], &[]),
            ["docs: docs/architecture.md is missing"]
        );
    }

    #[test]
    fn links_and_paths_must_lead_somewhere() {
        let text = "[a](concepts.md#x) [b](../README.md) [c](gone.md) [d](https://e.org/f) [g](#here)\n\
                    `crates/core` `crates/gone` `crates/*/src` `docs/<name>.md`\n\
                    ```text\n`crates/in-a-block`\n```\n";
        let there = ["docs/concepts.md", "README.md", "crates/core"];
        let findings = check_links(&[file("docs/page.md", text)], &|path| there.contains(&path));
        assert_eq!(
            findings,
            [
                "docs: docs/page.md links to gone.md, which is not there",
                "docs: docs/page.md mentions `crates/gone`, which is not there",
            ]
        );
    }
}
