//! Repair: what a process left when it died is finished or undone.

use std::collections::BTreeSet;
use std::time::Duration;

use ftable_io::path::join;
use ftable_io::{FileStatus, contained};
use serde::Serialize;
use snafu::ResultExt;

use super::intent::{Intent, PRIVATE_DIRECTORY};
use super::replace::{Replacement, intents, now_millis};
use crate::error::Result;
use crate::format_table::FormatTable;
use crate::scan::discover_all;
use crate::write::{STAGED_PREFIX, STAGING_DIRECTORY, discard};

/// How long a staged file may lie before it counts as abandoned.
const STAGED_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// What a repair may do.
#[derive(Debug, Clone)]
pub struct RepairOptions {
    /// Only tell what would be done.
    pub dry_run: bool,
    /// Do not wait for leases: right when no other process is at work on the table.
    pub now: bool,
    /// How long a staged file must have lain untouched before it is removed. A day by default.
    pub staged_age: Duration,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self { dry_run: false, now: false, staged_age: STAGED_AGE }
    }
}

/// What a repair did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RepairReport {
    /// Interrupted commits that were finished: the table has their rows.
    pub finished: Vec<String>,
    /// Interrupted commits that were undone: the table has the rows from before them.
    pub undone: Vec<String>,
    /// Commits that may still be under way and were left alone.
    pub left: Vec<String>,
    /// Abandoned staged files that were removed, relative to the table.
    pub staged_removed: Vec<String>,
}

/// Repairs a table.
pub(crate) async fn repair(table: &FormatTable, options: &RepairOptions) -> Result<RepairReport> {
    let mut report = RepairReport::default();
    let mut awaited = BTreeSet::new();
    for intent in intents(table).await? {
        if intent.is_leased(now_millis()) && !options.now {
            awaited.extend(intent.publish.into_iter().map(|file| file.staged));
            report.left.push(intent.id);
            continue;
        }
        match resolve(table, &intent, options.dry_run).await? {
            Outcome::Finished => report.finished.push(intent.id),
            Outcome::Undone => report.undone.push(intent.id),
        }
    }
    if !options.dry_run {
        remove_leftovers(table).await?;
    }
    report.staged_removed = abandoned(table, options.staged_age, &awaited).await?;
    if !options.dry_run {
        let paths = report.staged_removed.iter().map(|path| join(table.root(), path)).collect();
        discard(&**table.file_system(), paths).await.context(table.io())?;
    }
    Ok(report)
}

/// Repairs what older commits left in the directories of one that is about to begin.
pub(super) async fn resolve_overlapping(table: &FormatTable, intent: &Intent) -> Result<()> {
    for other in intents(table).await? {
        if other.overlaps(intent) && !other.is_leased(now_millis()) {
            resolve(table, &other, false).await?;
        }
    }
    Ok(())
}

enum Outcome {
    Finished,
    Undone,
}

async fn resolve(table: &FormatTable, intent: &Intent, dry_run: bool) -> Result<Outcome> {
    let replacement = Replacement::new(table, intent);
    let undoing = replacement.exists(&intent.undo_marker()).await?;
    let finish = !undoing && (replacement.exists(&intent.done_marker()).await? || replacement.is_published().await?);
    match (finish, dry_run) {
        (true, true) => Ok(Outcome::Finished),
        (false, true) => Ok(Outcome::Undone),
        (true, false) => replacement.finish().await.map(|()| Outcome::Finished),
        (false, false) => replacement.undo().await.map(|()| Outcome::Undone),
    }
}

/// Markers whose intent is gone, and the private directory itself.
async fn remove_leftovers(table: &FormatTable) -> Result<()> {
    let directory = join(table.root(), PRIVATE_DIRECTORY);
    let entries = entries(table, &directory).await?;
    let names: BTreeSet<&str> = entries.iter().map(FileStatus::name).collect();
    for entry in entries.iter().filter(|entry| entry.is_file()) {
        let marked = entry.name().strip_suffix(".done").or_else(|| entry.name().strip_suffix(".undo"));
        if marked.is_some_and(|id| !names.contains(format!("{id}.json").as_str())) {
            table.file_system().delete_file(&entry.path).await.context(table.io())?;
        }
    }
    table.file_system().remove_dir(&directory).await.context(table.io()).map(|_| ())
}

/// Staged files that nobody touched for a while, relative to the table.
async fn abandoned(table: &FormatTable, age: Duration, awaited: &BTreeSet<String>) -> Result<Vec<String>> {
    let mut directories = vec![table.root().to_owned()];
    if table.codec().is_partitioned() {
        directories.extend(discover_all(table).await?.iter().map(|partition| join(table.root(), &partition.path)));
    }
    let oldest = now_millis().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
    let mut found = Vec::new();
    for directory in directories {
        for entry in entries(table, &join(&directory, STAGING_DIRECTORY)).await? {
            let is_staged = entry.is_file() && entry.name().starts_with(STAGED_PREFIX);
            // A store that does not say when a file was written does not let it be removed either.
            let is_old = entry.modified_millis.is_some_and(|modified| modified <= oldest);
            let relative = contained(table.root(), &entry.path);
            found.extend(relative.filter(|path| is_staged && is_old && !awaited.contains(path)));
        }
    }
    Ok(found)
}

async fn entries(table: &FormatTable, directory: &str) -> Result<Vec<FileStatus>> {
    match table.file_system().list(directory).await {
        Ok(entries) => Ok(entries),
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error).context(table.io()),
    }
}
