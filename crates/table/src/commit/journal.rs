//! The private directory: which commits are under way, and how they were decided.
//!
//! An append leaves it to the system when its intent and its outcome become durable, so that after a power failure one
//! may be there without its bytes. A living process shows neither before it has them, and a commit that replaces rows
//! makes them durable first. So what has no bytes is a dead append's: an intent that names nothing, or an outcome
//! that decides nothing.

use std::collections::BTreeSet;

use ftable_io::FileStatus;
use ftable_io::path::join;
use snafu::ResultExt;

use super::intent::{Entry, Intent, Outcome, PRIVATE_DIRECTORY, attic, intent_file};
use super::validate;
use crate::error::{Error, Result, UnusableSnafu};
use crate::format_table::FormatTable;

/// What lies in the private directory.
#[derive(Default)]
pub(super) struct Journal {
    pub(super) intents: Vec<Intent>,
    /// What cannot be read as an intent of this table.
    pub(super) refused: Vec<Error>,
    /// Ids of which there is an outcome or moved files, but no intent.
    pub(super) orphans: BTreeSet<String>,
    /// Files that are none of this, as a process leaves them that dies while it writes one, and intents without bytes.
    pub(super) strays: Vec<FileStatus>,
}

impl Journal {
    /// Reads it; intents of commits that ended meanwhile are left out.
    pub(super) async fn read(table: &FormatTable) -> Result<Self> {
        let entries = entries(table, &join(table.root(), PRIVATE_DIRECTORY)).await?;
        let mut journal = Self::default();
        let mut known = BTreeSet::new();
        for entry in &entries {
            match Entry::of(entry.name(), entry.is_dir()) {
                Entry::Intent(id) => {
                    let read = read_intent(table, id).await;
                    if matches!(read, Ok(Record::Blank)) {
                        journal.strays.push(entry.clone());
                        continue;
                    }
                    known.insert(id.to_owned());
                    match read {
                        Ok(intent) => journal.intents.extend(intent.whole()),
                        Err(error @ Error::Unusable { .. }) => journal.refused.push(error),
                        Err(error) => return Err(error),
                    }
                }
                Entry::Outcome(id) | Entry::Attic(id) => {
                    journal.orphans.insert(id.to_owned());
                }
                Entry::Other if entry.is_file() => journal.strays.push(entry.clone()),
                Entry::Other => {}
            }
        }
        journal.orphans.retain(|id| !known.contains(id));
        Ok(journal)
    }
}

/// The intents of a table.
///
/// # Errors
/// An intent that cannot be read: what it replaces is not known, so nothing else may be replaced.
pub(super) async fn intents(table: &FormatTable) -> Result<Vec<Intent>> {
    let journal = Journal::read(table).await?;
    match journal.refused.into_iter().next() {
        None => Ok(journal.intents),
        Some(error) => Err(error),
    }
}

/// What is found where an intent or an outcome may be.
pub(super) enum Record<T> {
    Absent,
    /// A file that a power failure left without its bytes.
    Blank,
    Whole(T),
}

impl<T> Record<T> {
    pub(super) fn whole(self) -> Option<T> {
        match self {
            Self::Whole(record) => Some(record),
            Self::Absent | Self::Blank => None,
        }
    }
}

async fn read_intent(table: &FormatTable, id: &str) -> Result<Record<Intent>> {
    let path = join(table.root(), &intent_file(id));
    let parse = |text: &str| {
        let intent = Intent::from_json(text)?;
        match intent.id == id {
            true => validate::intent(table, &intent).map(|()| intent),
            false => Err(format!("it is that of {}", intent.id)),
        }
    };
    read(table, &path, "an intent", parse).await
}

/// How a commit was decided, if it is yet.
pub(super) async fn read_outcome(table: &FormatTable, intent: &Intent) -> Result<Record<Outcome>> {
    let path = join(table.root(), &intent.outcome_file());
    let parse = |text: &str| {
        let outcome = Outcome::from_json(text)?;
        validate::outcome(table, intent, &outcome).map(|()| outcome)
    };
    read(table, &path, "an outcome", parse).await
}

/// Reads a file that may be gone.
async fn read<T>(
    table: &FormatTable,
    path: &str,
    what: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Record<T>> {
    let content = async {
        let file = table.file_system().open(path, None).await?;
        file.read(0..file.size()).await
    };
    let content = match content.await {
        Ok(content) => content,
        Err(error) if error.is_not_found() => return Ok(Record::Absent),
        Err(error) => return Err(error).context(table.io()),
    };
    // Some file systems give a file its length before its bytes.
    if content.iter().all(|byte| *byte == 0) {
        return Ok(Record::Blank);
    }
    match std::str::from_utf8(&content)
        .map_err(|error| error.to_string())
        .and_then(parse)
    {
        Ok(parsed) => Ok(Record::Whole(parsed)),
        Err(message) => {
            let message = format!(
                "{path} is not used as {what} of a commit: {message}; if no commit is under way, move it away"
            );
            UnusableSnafu {
                table: table.name(),
                message,
            }
            .fail()
        }
    }
}

/// The files that a commit moved out of sight, relative to the table's directory of them, and the directories they lie
/// in, each before those in it.
pub(super) async fn moved_files(
    table: &FormatTable,
    id: &str,
) -> Result<(Vec<String>, Vec<String>)> {
    let root = join(table.root(), &attic(id));
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    let mut pending = vec![root.clone()];
    while let Some(directory) = pending.pop() {
        for entry in entries(table, &directory).await? {
            match entry.is_dir() {
                true => pending.push(entry.path),
                false => files.extend(ftable_io::contained(&root, &entry.path)),
            }
        }
        directories.push(directory);
    }
    Ok((files, directories))
}

/// The entries of a directory; none if it is absent.
pub(super) async fn entries(table: &FormatTable, directory: &str) -> Result<Vec<FileStatus>> {
    match table.file_system().list(directory).await {
        Ok(entries) => Ok(entries),
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error).context(table.io()),
    }
}
