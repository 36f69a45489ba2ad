//! The checks that keep the house in order. Each gives sentences for a person, none when all is well.
//!
//! | module | what must hold |
//! | --- | --- |
//! | [`layers`] | a crate depends only on crates above it in the member list |
//! | [`dependencies`] | no crate has a dependency it may not have; one arrow version; the facade stays light, and without a network |
//! | [`facade`] | the public items of the facade are those of its list |
//! | [`sizes`] | no file outgrows a reader's patience |
//! | [`docs`] | docs/architecture.md mentions every crate and module; links lead somewhere |
//! | [`words`] | no loose ends and nothing of one machine in comments and documents |
//! | [`golden`] | every table of another engine is in the catalogue, whole and small |

pub mod dependencies;
pub mod docs;
pub mod facade;
pub mod golden;
pub mod layers;
pub mod sizes;
pub mod words;

use std::path::Path;

use crate::Result;
use crate::workspace::{Workspace, compiled_with};

/// Folders that hold nothing written by hand.
const SKIPPED_FOLDERS: [&str; 4] = ["target", "golden", "node_modules", "__pycache__"];
/// Hidden folders that do.
const HIDDEN_FOLDERS: [&str; 2] = [".ci", ".cargo"];
/// What is read as text; a file without extension is read when it lies in a hidden folder.
const TEXT_EXTENSIONS: [&str; 7] = ["md", "py", "rs", "sh", "toml", "yaml", "yml"];

/// A text file of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path below the root, with `/` between its parts.
    pub path: String,
    /// The content.
    pub text: String,
}

/// Runs every check on the workspace under `root`.
///
/// # Errors
/// A workspace that cannot be read.
pub fn run(root: &Path) -> Result<Vec<String>> {
    let workspace = Workspace::load(root)?;
    let files = source_files(root)?;
    let lock = read(&root.join("Cargo.lock"))?;
    let mut findings = layers::check(&workspace.members);
    findings.extend(dependencies::check_forbidden(&workspace.members));
    findings.extend(dependencies::check_single_versions(&lock));
    findings.extend(dependencies::check_facade(&compiled_with(
        root,
        dependencies::FACADE,
    )?));
    let listing = read(&root.join(facade::LISTING))?;
    findings.extend(facade::check(&files, &listing));
    findings.extend(sizes::check(&files));
    findings.extend(docs::check_modules(&workspace.members, &files));
    findings.extend(docs::check_links(&files, &|path| root.join(path).exists()));
    findings.extend(words::check(&files));
    findings.extend(golden::check(&root.join("tests/golden"))?);
    Ok(findings)
}

/// The text files under `root`, ordered by path.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn source_files(root: &Path) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    collect(root, "", &mut files)?;
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = format!("{prefix}{name}");
        let kind = entry
            .file_type()
            .map_err(|error| format!("{path}: {error}"))?;
        if kind.is_dir() && is_ours(&name) {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() && is_text(&path) {
            let text = read(&entry.path())?;
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

fn is_ours(folder: &str) -> bool {
    if folder.starts_with('.') {
        return HIDDEN_FOLDERS.contains(&folder);
    }
    !SKIPPED_FOLDERS.contains(&folder)
}

fn is_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, extension)) => TEXT_EXTENSIONS.contains(&extension),
        None => HIDDEN_FOLDERS.iter().any(|folder| path.starts_with(folder)),
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_known_by_extension_or_by_hidden_folder() {
        assert!(is_text("docs/concepts.md"));
        assert!(is_text(".ci/run"));
        assert!(!is_text("LICENSE"));
        assert!(!is_text("crates/core/data.parquet"));
    }

    #[test]
    fn hidden_and_generated_folders_are_not_ours() {
        assert!(is_ours("crates") && is_ours(".ci"));
        assert!(!is_ours("target") && !is_ours(".git") && !is_ours("golden") && !is_ours(".venv"));
    }
}
