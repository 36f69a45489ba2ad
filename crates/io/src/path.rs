//! Paths inside one store: text with `/` between components, no scheme, no encoding.

use crate::error::{DeleteRootSnafu, InvalidPathSnafu, Result};

/// The part of `path` below `base`, when `path` lies strictly under it.
///
/// Purely lexical: runs of `/` and a trailing `/` mean nothing, and a path with a `.` or `..`
/// component lies nowhere. `None` also when the two are the same.
///
/// ```
/// use ftable_io::contained;
///
/// assert_eq!(contained("/wh/t", "/wh/t/dt=1/a.csv").as_deref(), Some("dt=1/a.csv"));
/// assert_eq!(contained("/wh/t", "/wh/t2/a.csv"), None);
/// assert_eq!(contained("/wh/t", "/wh/t/../u/a.csv"), None);
/// ```
pub fn contained(base: &str, path: &str) -> Option<String> {
    if base.starts_with('/') != path.starts_with('/') {
        return None;
    }
    let mut components = components(path);
    for expected in self::components(base) {
        if is_dots(expected) || components.next() != Some(expected) {
            return None;
        }
    }
    let below: Vec<&str> = components.collect();
    if below.is_empty() || below.iter().any(|component| is_dots(component)) {
        return None;
    }
    Some(below.join("/"))
}

/// Refuses a text that is no plain path below some directory.
///
/// # Errors
/// `InvalidArgument` for an absolute path, a `.`, `..` or empty component, and a control character.
pub fn check_relative(path: &str) -> Result<()> {
    let problem = if path.starts_with('/') {
        Some("it must be relative")
    } else if path.contains(|c: char| c.is_ascii_control()) {
        Some("it has a control character in it")
    } else if path.split('/').any(str::is_empty) {
        Some("it has an empty component")
    } else if path.split('/').any(is_dots) {
        Some("it has a '.' or '..' component")
    } else {
        None
    };
    match problem {
        Some(message) => InvalidPathSnafu { path, message }.fail(),
        None => Ok(()),
    }
}

/// The directory of a path; `None` for the root and for a relative path of one component.
///
/// ```
/// use ftable_io::path::parent;
///
/// assert_eq!(parent("/wh/t/a.csv"), Some("/wh/t"));
/// assert_eq!(parent("/wh"), Some("/"));
/// assert_eq!(parent("/"), None);
/// ```
pub fn parent(path: &str) -> Option<&str> {
    let path = trim_end(path);
    let slash = path.rfind('/')?;
    match path.get(..slash).map(trim_end) {
        Some("") if path.len() > 1 => Some("/"),
        Some("") | None => None,
        directory => directory,
    }
}

/// The last component of a path; empty for the root.
pub fn file_name(path: &str) -> &str {
    let path = trim_end(path);
    path.rsplit('/').next().unwrap_or(path)
}

/// `base`, one slash, `relative`. Either may be empty, and then the other is the result.
///
/// Nothing is checked: use [`check_relative`] on what comes from outside.
pub fn join(base: &str, relative: &str) -> String {
    if relative.is_empty() {
        return base.to_owned();
    }
    if base.is_empty() {
        return relative.to_owned();
    }
    let separator = if base.ends_with('/') { "" } else { "/" };
    [base, separator, relative].concat()
}

/// Refuses the root, what resolves to it, and what a `..` may lead to.
pub(crate) fn check_deletable(path: &str) -> Result<()> {
    if !path.starts_with('/') || components(path).any(|component| component == "..") {
        return InvalidPathSnafu {
            path,
            message: "only an absolute path without '..' is deleted with everything below it",
        }
        .fail();
    }
    if components(path).all(is_dots) {
        return DeleteRootSnafu { path }.fail();
    }
    Ok(())
}

/// The components of a path; empty ones are passed over.
pub(crate) fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|component| !component.is_empty())
}

/// Whether a component stands for a directory that is not its own name.
pub(crate) fn is_dots(component: &str) -> bool {
    component == "." || component == ".."
}

/// The path without trailing slashes; the root becomes empty.
pub(crate) fn trim_end(path: &str) -> &str {
    path.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contained_is_strict_and_lexical() {
        for (base, path, expected) in [
            ("/wh/t", "/wh/t/a", Some("a")),
            ("/wh/t/", "/wh//t//a/b/", Some("a/b")),
            ("/", "/a", Some("a")),
            ("t", "t/a", Some("a")),
            ("/wh/t", "/wh/t", None),
            ("/wh/t", "/wh/t/", None),
            ("/wh/t", "/wh/tt/a", None),
            ("/wh/t", "/wh", None),
            ("/wh/t", "wh/t/a", None),
            ("/wh/t", "/wh/t/..", None),
            ("/wh/t", "/wh/t/./a", None),
            ("/wh/t", "/wh/t/a/../../u", None),
            ("/wh/..", "/wh/../a", None),
            ("/wh/t", "/wh/t/..a/b..", Some("..a/b..")),
            ("/wh/t", "/wh/T/a", None),
        ] {
            assert_eq!(contained(base, path).as_deref(), expected, "{base} {path}");
        }
    }

    #[test]
    fn check_relative_takes_plain_paths_only() {
        for path in [
            "a",
            "a/b",
            "dt=2024-01-01/a b.csv",
            "..a",
            "a..b/...",
            "p=x%2Fy",
            "é",
        ] {
            assert!(check_relative(path).is_ok(), "{path}");
        }
        for path in [
            "", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "./a", "a\0b", "a\nb",
            "a\u{7f}",
        ] {
            let error = check_relative(path).unwrap_err();
            assert_eq!(
                error.kind(),
                ftable_core::ErrorKind::InvalidArgument,
                "{path:?}"
            );
        }
    }

    #[test]
    fn parent_name_and_join() {
        for (path, directory, name) in [
            ("/a/b", Some("/a"), "b"),
            ("/a/b/", Some("/a"), "b"),
            ("/a//b", Some("/a"), "b"),
            ("/a", Some("/"), "a"),
            ("//a", Some("/"), "a"),
            ("/", None, ""),
            ("", None, ""),
            ("a", None, "a"),
            ("a/b", Some("a"), "b"),
        ] {
            assert_eq!(parent(path), directory, "{path}");
            assert_eq!(file_name(path), name, "{path}");
        }
        assert_eq!(join("/", "a"), "/a");
        assert_eq!(join("/a", "b/c"), "/a/b/c");
        assert_eq!(join("/a/", "b"), "/a/b");
        assert_eq!(join("/a", ""), "/a");
        assert_eq!(join("", "b"), "b");
    }
}
