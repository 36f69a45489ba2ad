//! Which of the partitions that the catalog manages a commit replaces.
//!
//! Those that are registered, and those that will be: a commit clears the directories it writes to, and the complete
//! partition it was told to overwrite, even if they are not registered yet. Otherwise rows that nobody sees in such a
//! directory would come to light with the new ones.

use std::collections::{BTreeMap, BTreeSet};

use ftable_catalog::{PartitionRegistry, PartitionSpec};
use ftable_core::Datum;
use futures::{StreamExt, TryStreamExt, stream};

use super::select::{Scope, Selection, spelled};
use crate::error::Result;
use crate::format_table::FormatTable;
use crate::scan::{PlanLog, beginning_with, data_files};

/// What rows are replaced for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Overwrite,
    Truncate,
    Drop,
}

/// What a commit replaces, as it is found once the commit has begun.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    /// Data files, relative to the table.
    pub(super) files: Vec<String>,
    /// The registered partitions among what is replaced, those without a file too, by their directories.
    pub(super) partitions: BTreeMap<String, PartitionSpec>,
}

/// What is replaced in a table whose partitions the catalog manages.
#[derive(Debug, Clone, Default)]
pub(super) struct Managed {
    /// Values of the first keys: of every registered partition that begins with one of them. No values begin all.
    prefixes: Vec<Vec<Option<Datum>>>,
    /// Directories that are replaced whether or not they are registered.
    own: BTreeSet<String>,
    /// The complete partition that an overwrite was told to replace: it is registered even without a file.
    pub(super) named: Option<String>,
}

impl Managed {
    /// Finds the directories that a scope replaces; `written` are the partitions that the commit writes to.
    ///
    /// # Errors
    /// A catalog that cannot be asked.
    pub(super) async fn find(
        table: &FormatTable,
        registry: &dyn PartitionRegistry,
        scope: &Scope,
        written: &BTreeSet<&str>,
        purpose: Purpose,
    ) -> Result<Selection> {
        let mut managed = Self {
            own: written.iter().map(|path| (*path).to_owned()).collect(),
            ..Self::default()
        };
        let mut selection = Selection::default();
        match scope {
            Scope::Table => {
                managed.prefixes.push(Vec::new());
                selection.directories.push(String::new());
            }
            Scope::Written => selection.directories.extend(managed.own.iter().cloned()),
            Scope::Prefix(values) => {
                managed
                    .prefix(table, registry, values, purpose, &mut selection)
                    .await?;
            }
        }
        selection.managed = Some(managed);
        Ok(selection)
    }

    async fn prefix(
        &mut self,
        table: &FormatTable,
        registry: &dyn PartitionRegistry,
        values: &[Option<Datum>],
        purpose: Purpose,
        selection: &mut Selection,
    ) -> Result<()> {
        let canonical = spelled(table, values)?;
        let is_complete = values.len() == table.codec().len();
        let found = beginning_with(table, registry, values).await?;
        let mut above: BTreeSet<String> = found
            .iter()
            .map(|partition| first_levels(&partition.path, values.len()).to_owned())
            .collect();
        if is_complete && purpose != Purpose::Truncate {
            self.own.insert(canonical.clone());
        }
        if purpose == Purpose::Overwrite {
            self.named = is_complete.then(|| canonical.clone());
            selection.create.push(canonical.clone());
            above.insert(canonical.clone());
        }
        match purpose {
            Purpose::Drop => {
                let mut leaves: BTreeSet<String> =
                    found.into_iter().map(|partition| partition.path).collect();
                if is_complete {
                    leaves.insert(canonical);
                } else {
                    selection.remove_above.extend(above);
                }
                selection.directories.extend(leaves);
            }
            Purpose::Overwrite | Purpose::Truncate => selection.directories.extend(above),
        }
        self.prefixes.push(values.to_vec());
        Ok(())
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.prefixes.extend(other.prefixes);
        self.own.extend(other.own);
    }

    /// What is replaced as it is now, of what lies in `directories`: nobody else replaces rows there.
    ///
    /// # Errors
    /// A catalog that cannot be asked, a directory that cannot be listed.
    pub(super) async fn replaced(
        &self,
        table: &FormatTable,
        registry: &dyn PartitionRegistry,
        directories: &[String],
    ) -> Result<Replaced> {
        let covering: BTreeSet<&str> = directories.iter().map(String::as_str).collect();
        let mut partitions = BTreeMap::new();
        for prefix in &self.prefixes {
            for partition in beginning_with(table, registry, prefix).await? {
                if is_covered(&covering, &partition.path) {
                    partitions.insert(partition.path, partition.statistics.spec);
                }
            }
        }
        let all: BTreeSet<&String> = self.own.iter().chain(partitions.keys()).collect();
        let listings: Vec<_> = all
            .into_iter()
            .map(|directory| files_in(table, directory))
            .collect();
        let mut files: Vec<String> = stream::iter(listings)
            .buffered(table.options().list_parallelism)
            .try_collect::<Vec<_>>()
            .await?
            .concat();
        files.sort_unstable();
        Ok(Replaced { files, partitions })
    }
}

async fn files_in(table: &FormatTable, directory: &str) -> Result<Vec<String>> {
    let files = data_files(table, directory, &PlanLog::default()).await?;
    let paths = files
        .iter()
        .map(|file| format!("{directory}/{}", file.name));
    Ok(paths.collect())
}

/// The first directories of a path.
fn first_levels(path: &str, levels: usize) -> &str {
    match path.match_indices('/').nth(levels.saturating_sub(1)) {
        Some((at, _)) => path.get(..at).unwrap_or(path),
        None => path,
    }
}

/// Whether a path or one above it is in a set; the empty path is above all.
fn is_covered(directories: &BTreeSet<&str>, path: &str) -> bool {
    let mut rest = path;
    loop {
        if directories.contains(rest) {
            return true;
        }
        if rest.is_empty() {
            return false;
        }
        rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_levels_of_a_path() {
        for (levels, expected) in [(1, "a"), (2, "a/b"), (3, "a/b/c"), (4, "a/b/c")] {
            assert_eq!(first_levels("a/b/c", levels), expected);
        }
    }

    #[test]
    fn a_path_is_covered_by_itself_and_those_above() {
        let covered = |directories: &[&'static str], path: &str| {
            is_covered(&directories.iter().copied().collect(), path)
        };
        assert!(covered(&[""], "y=1/m=2"));
        assert!(covered(&["y=1"], "y=1/m=2"));
        assert!(covered(&["y=1/m=2"], "y=1/m=2"));
        assert!(!covered(&["y=1/m=2"], "y=1/m=20"));
        assert!(!covered(&["y=1/m=2"], "y=1"));
        assert!(!covered(&[], "y=1"));
    }
}
