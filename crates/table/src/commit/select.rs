//! What a commit replaces: directories, and the data files in them.

use std::collections::BTreeSet;

use ftable_core::Datum;
use ftable_io::data_files::list_data_files;
use ftable_io::path::join;
use ftable_io::{FileStatus, contained};
use snafu::ResultExt;

use crate::error::{Result, UnusableSnafu};
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
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Directories whose rows are replaced; the empty path is the whole table.
    pub(super) directories: Vec<String>,
    /// Their data files.
    pub(super) files: Vec<String>,
    /// Directories that must exist afterwards.
    pub(super) create: Vec<String>,
}

/// Finds what a scope replaces; `written` are the partitions that the commit writes to.
///
/// # Errors
/// A directory that cannot be listed, or whose name does not parse: nothing is replaced then.
pub(super) async fn select(table: &FormatTable, scope: &Scope, written: &BTreeSet<&str>) -> Result<Selection> {
    if !table.codec().is_partitioned() {
        let files = files_below(table, "").await?;
        return Ok(Selection { directories: vec![String::new()], files, create: Vec::new() });
    }
    match scope {
        Scope::Written => {
            let directories: Vec<String> = written.iter().map(|path| (*path).to_owned()).collect();
            let files = files_below_all(table, &directories).await?;
            Ok(Selection { directories, files, create: Vec::new() })
        }
        Scope::Prefix(values) => prefix(table, values).await,
        Scope::Table => {
            let found = discover_all(table).await?;
            let files = found
                .iter()
                .flat_map(|partition| partition.files.iter().map(|file| format!("{}/{}", partition.path, file.name)));
            Ok(Selection { directories: vec![String::new()], files: files.collect(), create: Vec::new() })
        }
    }
}

/// Every directory whose first values are equal to those asked for, however it is spelled, with all that lies
/// below it: files above the partitions and in directories that are none included.
async fn prefix(table: &FormatTable, values: &[Option<Datum>]) -> Result<Selection> {
    let mut segments = Vec::with_capacity(values.len());
    for (level, value) in values.iter().enumerate() {
        segments.push(table.codec().segment(level, value.as_ref()).context(table.core())?);
    }
    let canonical = segments.join("/");
    let mut directories = equal_directories(table, values).await?;
    if !directories.contains(&canonical) {
        directories.push(canonical.clone());
    }
    let files = files_below_all(table, &directories).await?;
    Ok(Selection { directories, files, create: vec![canonical] })
}

/// The directories at the depth of a prefix whose values are equal to it.
async fn equal_directories(table: &FormatTable, values: &[Option<Datum>]) -> Result<Vec<String>> {
    use ftable_core::partition::DirectoryName;
    let mut directories = vec![String::new()];
    for (level, wanted) in values.iter().enumerate() {
        let mut below = Vec::new();
        for directory in &directories {
            for entry in entries(table, directory).await?.iter().filter(|entry| entry.is_dir()) {
                let DirectoryName::Value(raw) = table.codec().read_name(level, entry.name()) else { continue };
                let path = if directory.is_empty() { entry.name().to_owned() } else { join(directory, entry.name()) };
                let value = table.codec().parse(level, &raw).with_context(|_| crate::error::DirectorySnafu {
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

fn same(a: &Option<Datum>, b: &Option<Datum>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.compare(b).is_some_and(std::cmp::Ordering::is_eq),
        _ => false,
    }
}

async fn entries(table: &FormatTable, directory: &str) -> Result<Vec<FileStatus>> {
    let path = if directory.is_empty() { table.root().to_owned() } else { join(table.root(), directory) };
    match table.file_system().list(&path).await {
        Ok(entries) => Ok(entries),
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error).context(table.io()),
    }
}

async fn files_below_all(table: &FormatTable, directories: &[String]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for directory in directories {
        files.extend(files_below(table, directory).await?);
    }
    Ok(files)
}

/// The data files at any depth below a directory, hidden ones left out. A partition of null may have a hidden name
/// in the value-only layout and is content all the same.
async fn files_below(table: &FormatTable, directory: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let path = if directory.is_empty() { table.root().to_owned() } else { join(table.root(), &directory) };
        let protected = if directory.is_empty() { table.protected_names() } else { &[] };
        let listed = list_data_files(&**table.file_system(), &path, protected).await.context(table.io())?;
        for file in listed {
            match contained(table.root(), &file.path) {
                Some(relative) => files.push(relative),
                None => {
                    let message = format!("{} does not lie below the table", file.path);
                    return UnusableSnafu { table: table.name(), message }.fail();
                }
            }
        }
        pending.extend(hidden_partitions(table, &directory).await?);
    }
    Ok(files)
}

/// Hidden directories between a directory and the last partition level that stand for null.
async fn hidden_partitions(table: &FormatTable, directory: &str) -> Result<Vec<String>> {
    use ftable_core::partition::{DirectoryName, is_hidden};
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let level = if directory.is_empty() { 0 } else { directory.split('/').count() };
        if level >= table.codec().len() || table.codec().layout() != ftable_core::partition::Layout::ValueOnly {
            continue;
        }
        for entry in entries(table, &directory).await?.iter().filter(|entry| entry.is_dir()) {
            let DirectoryName::Value(_) = table.codec().read_name(level, entry.name()) else { continue };
            let path = if directory.is_empty() { entry.name().to_owned() } else { join(&directory, entry.name()) };
            match is_hidden(entry.name()) {
                true => found.push(path),
                false => pending.push(path),
            }
        }
    }
    Ok(found)
}
