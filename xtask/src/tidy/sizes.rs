//! No file past 500 lines, tests not counted.

use super::SourceFile;

/// How many lines a file may have before it is two files.
pub const MAX_LINES: usize = 500;

/// One sentence for each file that has too many lines.
pub fn check(files: &[SourceFile]) -> Vec<String> {
    let test_modules: Vec<String> = files.iter().flat_map(test_modules).collect();
    let is_test =
        |path: &str| is_test(path) || test_modules.iter().any(|module| is_within(path, module));
    files
        .iter()
        .filter(|file| file.path.ends_with(".rs") && !is_test(&file.path))
        .map(|file| (file, code_lines(&file.text)))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(file, lines)| {
            format!(
                "sizes: {} has {lines} lines without its tests, more than {MAX_LINES}",
                file.path
            )
        })
        .collect()
}

/// The modules that a file declares for its tests only, as paths without extension.
fn test_modules(file: &SourceFile) -> Vec<String> {
    let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    let roots = ["/lib", "/main", "/mod"];
    let folder = roots
        .iter()
        .find_map(|root| stem.strip_suffix(root))
        .unwrap_or(stem);
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    lines
        .windows(2)
        .filter(|pair| pair[0] == "#[cfg(test)]")
        .filter_map(|pair| pair[1].strip_suffix(';')?.rsplit_once("mod "))
        .map(|(_, name)| format!("{folder}/{name}"))
        .collect()
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module)
        .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// The lines before the module of tests; a module of tests in a file of its own ends nothing.
pub fn code_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let opens_tests = |index: &usize| {
        lines[*index].trim() == "#[cfg(test)]"
            && lines
                .get(index + 1)
                .is_some_and(|next| next.trim_end().ends_with('{'))
    };
    (0..lines.len()).find(opens_tests).unwrap_or(lines.len())
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.starts_with("tests/") || path.contains("/tests/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, lines: usize) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: "x\n".repeat(lines),
        }
    }

    #[test]
    fn counting_ends_at_the_tests() {
        assert_eq!(code_lines("a\nb\n#[cfg(test)]\nmod tests {\n}\n"), 2);
        assert_eq!(code_lines("a\n#[cfg(test)]\nmod tests;\nb\n"), 4);
        assert_eq!(code_lines(""), 0);
    }

    #[test]
    fn a_module_for_tests_only_is_a_test() {
        let declares = |path: &str| SourceFile {
            path: path.to_owned(),
            text: "#[cfg(test)]\npub(crate) mod suite;\nmod code;\n".to_owned(),
        };
        let files = [
            declares("crates/a/src/lib.rs"),
            declares("crates/a/src/x.rs"),
            file("crates/a/src/suite.rs", 900),
            file("crates/a/src/x/suite/part.rs", 900),
            file("crates/a/src/suites.rs", 900),
            file("crates/a/src/code.rs", 900),
        ];
        let findings = check(&files);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(
            findings[0].contains("suites.rs") && findings[1].contains("code.rs"),
            "{findings:?}"
        );
    }

    #[test]
    fn only_code_past_the_limit_is_found() {
        let files = [
            file("crates/a/src/long.rs", MAX_LINES + 1),
            file("crates/a/src/right.rs", MAX_LINES),
            file("crates/a/src/long/tests.rs", 900),
            file("crates/a/tests/all.rs", 900),
            file("tests/tests/all.rs", 900),
            file("docs/long.md", 900),
        ];
        let expected = "sizes: crates/a/src/long.rs has 501 lines without its tests, more than 500";
        assert_eq!(check(&files), [expected]);
    }
}
