//! What a commit replaces: directories, and the data files in them.

use std::collections::BTreeSet;

use ftable_core::Datum;
use ftable_core::partition::{DirectoryName, Layout, is_hidden};
use ftable_io::data_files::list_data_files;
use ftable_io::path::join;
use ftable_io::{FileStatus, contained};
use snafu::ResultExt;

use super::journal::entries;
use super::managed::{Managed, Purpose, Replaced};
use crate::error::{DirectorySnafu, Result, UnusableSnafu};
use crate::format_table::FormatTable;
use crate::scan::discover_all;

/// Which rows a commit replaces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scope {
    /// Those of the partitions that it writes to.
    Written,
    /// Those of a partition, or of all below a prefix of one: values of the first keys.
    Prefix(Vec<Option<Datum>>),
    /// All.
    Table,
}

/// What a scope comes to in a table as it is now. Paths are relative to the table.
#[derive(Debug, Clone, Default)]
pub(super) struct Selection {
    /// Directories whose rows are replaced; the empty path is the whole table.
    pub(super) directories: Vec<String>,
    /// Whether only the partitions in them are replaced, not what else lies in them.
    partitions_only: bool,
    /// Directories that must exist afterwards.
    pub(super) create: Vec<String>,
    /// Directories above those that are dropped, to be removed with them where nothing else is in them.
    pub(super) remove_above: Vec<String>,
    /// What is replaced where the catalog says which partitions exist.
    pub(super) managed: Option<Managed>,
}

impl Selection {
    /// Finds the directories that a scope replaces; `written` are the partitions that the commit writes to.
    ///
    /// # Errors
    /// A directory that cannot be listed, or whose name does not parse.
    pub(super) async fn find(
        table: &FormatTable,
        scope: &Scope,
        written: &BTreeSet<&str>,
        purpose: Purpose,
    ) -> Result<Self> {
        if let Some(registry) = table.registry() {
            return Managed::find(table, &**registry, scope, written, purpose).await;
        }
        let whole = |partitions_only| Self {
            directories: vec![String::new()],
            partitions_only,
            ..Self::default()
        };
        match scope {
            _ if !table.codec().is_partitioned() => Ok(whole(false)),
            Scope::Table => Ok(whole(true)),
            Scope::Written => {
                let directories = written.iter().map(|path| (*path).to_owned()).collect();
                Ok(Self {
                    directories,
                    ..Self::default()
                })
            }
            Scope::Prefix(values) => prefix(table, values).await,
        }
    }

    /// Adds the directories of another, of a scope of the same kind.
    pub(super) fn extend(&mut self, other: Self) {
        self.directories.extend(other.directories);
        self.create.extend(other.create);
        self.remove_above.extend(other.remove_above);
        match (&mut self.managed, other.managed) {
            (Some(managed), Some(other)) => managed.extend(other),
            (managed, other) => *managed = other.or_else(|| managed.take()),
        }
    }

    /// What is replaced, as it is now.
    ///
    /// # Errors
    /// A catalog that cannot be asked, and as [`files`](Self::files).
    pub(super) async fn replaced(&self, table: &FormatTable) -> Result<Replaced> {
        match (table.registry(), &self.managed) {
            (Some(registry), Some(managed)) => {
                managed
                    .replaced(table, &**registry, &self.directories)
                    .await
            }
            _ => Ok(Replaced {
                files: self.files(table).await?,
                ..Replaced::default()
            }),
        }
    }

    /// The data files that are replaced, as they are now.
    ///
    /// # Errors
    /// A directory that cannot be listed, or whose name does not parse: nothing is replaced then.
    async fn files(&self, table: &FormatTable) -> Result<Vec<String>> {
        let mut files = Vec::new();
        if self.partitions_only {
            for partition in discover_all(table).await? {
                files.extend(
                    partition
                        .files
                        .iter()
                        .map(|file| format!("{}/{}", partition.path, file.name)),
                );
            }
        } else {
            for directory in &self.directories {
                files.extend(files_below(table, directory).await?);
            }
        }
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }
}

/// Every directory whose first values are equal to those asked for, however it is spelled, with all that lies
/// below it: files above the partitions and in directories that are none included.
async fn prefix(table: &FormatTable, values: &[Option<Datum>]) -> Result<Selection> {
    let canonical = spelled(table, values)?;
    let mut directories = equal_directories(table, values).await?;
    if !directories.contains(&canonical) {
        directories.push(canonical.clone());
    }
    Ok(Selection {
        directories,
        create: vec![canonical],
        ..Selection::default()
    })
}

/// The directory of the values of the first keys, as this table spells it.
pub(super) fn spelled(table: &FormatTable, values: &[Option<Datum>]) -> Result<String> {
    let mut segments = Vec::with_capacity(values.len());
    for (level, value) in values.iter().enumerate() {
        segments.push(
            table
                .codec()
                .segment(level, value.as_ref())
                .context(table.core())?,
        );
    }
    Ok(segments.join("/"))
}

/// The directories at the depth of a prefix whose values are equal to it.
async fn equal_directories(table: &FormatTable, values: &[Option<Datum>]) -> Result<Vec<String>> {
    let mut directories = vec![String::new()];
    for (level, wanted) in values.iter().enumerate() {
        let mut below = Vec::new();
        for directory in &directories {
            for entry in listed(table, directory)
                .await?
                .iter()
                .filter(|entry| entry.is_dir())
            {
                let DirectoryName::Value(raw) = table.codec().read_name(level, entry.name()) else {
                    continue;
                };
                let path = if directory.is_empty() {
                    entry.name().to_owned()
                } else {
                    join(directory, entry.name())
                };
                let value = table
                    .codec()
                    .parse(level, &raw)
                    .with_context(|_| DirectorySnafu {
                        table: table.name(),
                        directory: path.clone(),
                    })?;
                if same(&value, wanted) {
                    below.push(path);
                }
            }
        }
        directories = below;
    }
    Ok(directories)
}

pub(super) fn same(a: &Option<Datum>, b: &Option<Datum>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.compare(b).is_some_and(std::cmp::Ordering::is_eq),
        _ => false,
    }
}

/// The entries of a directory relative to the table.
async fn listed(table: &FormatTable, directory: &str) -> Result<Vec<FileStatus>> {
    entries(table, &place(table, directory)).await
}

fn place(table: &FormatTable, directory: &str) -> String {
    if directory.is_empty() {
        table.root().to_owned()
    } else {
        join(table.root(), directory)
    }
}

/// The data files at any depth below a directory, hidden ones left out. A partition of null may have a hidden name
/// in the value-only layout and is content all the same.
async fn files_below(table: &FormatTable, directory: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let path = place(table, &directory);
        let protected = if directory.is_empty() {
            table.protected_names()
        } else {
            &[]
        };
        let listed = list_data_files(&**table.file_system(), &path, protected)
            .await
            .context(table.io())?;
        for file in listed {
            match contained(table.root(), &file.path) {
                Some(relative) => files.push(relative),
                None => {
                    let message = format!("{} does not lie below the table", file.path);
                    return UnusableSnafu {
                        table: table.name(),
                        message,
                    }
                    .fail();
                }
            }
        }
        pending.extend(hidden_partitions(table, &directory).await?);
    }
    Ok(files)
}

/// Hidden directories between a directory and the last partition level that stand for null.
async fn hidden_partitions(table: &FormatTable, directory: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let level = if directory.is_empty() {
            0
        } else {
            directory.split('/').count()
        };
        if level >= table.codec().len() || table.codec().layout() != Layout::ValueOnly {
            continue;
        }
        for entry in listed(table, &directory)
            .await?
            .iter()
            .filter(|entry| entry.is_dir())
        {
            let DirectoryName::Value(_) = table.codec().read_name(level, entry.name()) else {
                continue;
            };
            let path = if directory.is_empty() {
                entry.name().to_owned()
            } else {
                join(&directory, entry.name())
            };
            match is_hidden(entry.name()) {
                true => found.push(path),
                false => pending.push(path),
            }
        }
    }
    Ok(found)
}
