//! Repair: what a process left when it died is finished or undone.

use std::collections::BTreeSet;
use std::time::Duration;

use ftable_io::path::join;
use ftable_io::{FileStatus, contained};
use serde::Serialize;
use snafu::ResultExt;

use super::intent::{
    Decision, Entry, Intent, Outcome, PRIVATE_DIRECTORY, intent_file, now_millis, outcome_file,
};
use super::journal::{Journal, Record, entries, intents, moved_files, read_outcome};
use super::replace::Replacement;
use super::settle::bring_back;
use crate::error::{ConflictSnafu, Result};
use crate::format_table::FormatTable;
use crate::scan::{PlanLog, data_files, discover_directories};
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
        Self {
            dry_run: false,
            now: false,
            staged_age: STAGED_AGE,
        }
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
    let journal = Journal::read(table).await?;
    for intent in journal.intents {
        if intent.is_leased(now_millis()) && !options.now {
            awaited.extend(intent.publish.into_iter().map(|file| file.staged));
            report.left.push(intent.id);
            continue;
        }
        match resolve(table, &intent, options).await? {
            Some(Decision::Done) => report.finished.push(intent.id),
            Some(Decision::Undo) => report.undone.push(intent.id),
            None => {}
        }
    }
    if !options.dry_run {
        // An intent without bytes hides that what else there is of its commit is nobody's.
        remove_strays(table, journal.strays, options).await?;
    }
    for id in journal.orphans {
        if resolve_orphan(table, &id, options).await? {
            report.undone.push(id);
        }
    }
    report.staged_removed = abandoned(table, options.staged_age, &awaited).await?;
    if !options.dry_run {
        let abandoned = report.staged_removed.iter();
        let paths = abandoned.map(|path| join(table.root(), path)).collect();
        discard(&**table.file_system(), paths)
            .await
            .context(table.io())?;
        let directory = join(table.root(), PRIVATE_DIRECTORY);
        table
            .file_system()
            .remove_dir(&directory)
            .await
            .context(table.io())?;
    }
    // The others are repaired by now.
    journal.refused.into_iter().next().map_or(Ok(report), Err)
}

/// Repairs what older commits left in the directories of one that is about to begin.
///
/// # Errors
/// A conflict with one that may still be under way.
pub(super) async fn resolve_overlapping(table: &FormatTable, intent: &Intent) -> Result<()> {
    for other in intents(table).await? {
        if !other.overlaps(intent) {
            continue;
        }
        if other.is_leased(now_millis()) {
            return ConflictSnafu {
                table: table.name(),
                id: other.id,
            }
            .fail();
        }
        resolve(table, &other, &RepairOptions::default()).await?;
    }
    Ok(())
}

/// Ends a commit; tells how, unless somebody else did meanwhile.
async fn resolve(
    table: &FormatTable,
    intent: &Intent,
    options: &RepairOptions,
) -> Result<Option<Decision>> {
    let replacement = Replacement::left(table, intent, !options.now);
    if options.dry_run {
        let outcome = match read_outcome(table, intent).await?.whole() {
            Some(outcome) => outcome,
            None => undecided(table, intent).await?,
        };
        return Ok(Some(outcome.decision));
    }
    if matches!(read_outcome(table, intent).await?, Record::Blank) {
        // Only an append's can be, and its process is dead: nobody will decide it but repairs, and all alike.
        replacement.delete(&intent.outcome_file()).await?;
    }
    let Some(outcome) = replacement.decide(undecided(table, intent).await?).await? else {
        return Ok(None);
    };
    match outcome.decision {
        Decision::Done => replacement.finish(&outcome).await?,
        Decision::Undo => replacement.undo().await?,
    }
    Ok(Some(outcome.decision))
}

/// What becomes of a commit that nobody has decided. It is undone, but for a drop of partitions that the catalog has
/// unregistered already: files that came back would be seen by nobody until the partition is written to again.
async fn undecided(table: &FormatTable, intent: &Intent) -> Result<Outcome> {
    let levels = table.codec().len();
    let dropped = intent.remove_directories.iter();
    let dropped: Vec<&String> = dropped
        .filter(|path| path.split('/').count() == levels)
        .collect();
    let Some(registry) = table.registry().filter(|_| !dropped.is_empty()) else {
        return Ok(Outcome::undo());
    };
    let specs: Result<Vec<_>, _> = dropped
        .iter()
        .map(|path| table.codec().raw_spec(path))
        .collect();
    let registered = registry.list_by_names(&specs.context(table.core())?).await;
    let registered = registered.context(table.registry_error("say which partitions it has"))?;
    if !registered.is_empty() {
        return Ok(Outcome::undo());
    }
    let mut delete = Vec::new();
    if !intent.moves {
        for path in dropped {
            let files = data_files(table, path, &PlanLog::default()).await?;
            delete.extend(files.iter().map(|file| format!("{path}/{}", file.name)));
        }
    }
    Ok(Outcome::done(delete))
}

/// What is left without an intent: an outcome, of a commit that has ended; moved files, of one that went on after it
/// was taken for dead and undone. Tells whether there were files to bring back.
async fn resolve_orphan(table: &FormatTable, id: &str, options: &RepairOptions) -> Result<bool> {
    let stat = async |path: &str| {
        let path = join(table.root(), path);
        table.file_system().stat(&path).await.context(table.io())
    };
    // The intent is written first, so it may have come since the directory was listed.
    if stat(&intent_file(id)).await?.is_some() {
        return Ok(false);
    }
    let (files, _) = moved_files(table, id).await?;
    if !options.dry_run {
        bring_back(table, id).await?;
        if let Some(outcome) = stat(&outcome_file(id)).await?
            && (options.now || is_older(&outcome, oldest(options.staged_age)))
        {
            table
                .file_system()
                .delete_file(&outcome.path)
                .await
                .context(table.io())?;
        }
    }
    Ok(!files.is_empty())
}

/// Removes what nobody who is alive needs.
async fn remove_strays(
    table: &FormatTable,
    strays: Vec<FileStatus>,
    options: &RepairOptions,
) -> Result<()> {
    let oldest = match options.now {
        true => i64::MAX,
        false => oldest(options.staged_age),
    };
    let strays = strays
        .into_iter()
        .filter(|file| is_stray(file) && is_older(file, oldest))
        .map(|file| file.path);
    discard(&**table.file_system(), strays.collect())
        .await
        .context(table.io())
}

/// Whether a file is an intent, which is one without bytes, or what a process leaves that dies while it writes one or an
/// outcome.
fn is_stray(file: &FileStatus) -> bool {
    let name = file.name();
    matches!(Entry::of(name, false), Entry::Intent(_))
        || (name.starts_with('.') && name.ends_with(".tmp"))
}

/// A store that does not say when a file was written does not let it be removed either.
fn is_older(file: &FileStatus, oldest: i64) -> bool {
    file.modified_millis
        .is_some_and(|modified| modified <= oldest)
}

fn oldest(age: Duration) -> i64 {
    now_millis().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
}

/// Staged files that nobody touched for a while, relative to the table.
async fn abandoned(
    table: &FormatTable,
    age: Duration,
    awaited: &BTreeSet<String>,
) -> Result<Vec<String>> {
    let mut directories = vec![table.root().to_owned()];
    if table.codec().is_partitioned() {
        directories.extend(
            discover_directories(table)
                .await?
                .iter()
                .map(|partition| join(table.root(), &partition.path)),
        );
    }
    let oldest = oldest(age);
    let mut found = Vec::new();
    for directory in directories {
        for entry in entries(table, &join(&directory, STAGING_DIRECTORY)).await? {
            let is_staged = entry.is_file() && entry.name().starts_with(STAGED_PREFIX);
            let relative = contained(table.root(), &entry.path);
            found.extend(
                relative.filter(|path| {
                    is_staged && is_older(&entry, oldest) && !awaited.contains(path)
                }),
            );
        }
    }
    Ok(found)
}
