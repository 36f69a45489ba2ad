//! What a commit makes durable, and when.
//!
//! A process that dies takes nothing with it that the system was given, so this is about power failures alone. What
//! deletes or hides rows must not do it before what replaces them would survive one:
//!
//! | before | is durable |
//! | --- | --- |
//! | an old file is moved or deleted | the bytes of the new files, the intent |
//! | a new file is published | where the old ones were moved to |
//! | the outcome `done` | the names of the new files |
//! | a replaced file is deleted | the outcome `done` |
//! | the intent of an undone commit is deleted | that its files are gone and the old ones back |
//!
//! An append deletes nothing and leaves all of this to the system, unless `format-table.commit.sync` is `always`. Its
//! intent may then be found without bytes, as only what is not durable can be: see
//! [`journal`](super::journal).

use std::collections::BTreeSet;

use bytes::Bytes;
use ftable_core::options::CommitSync;
use ftable_io::path::join;
use snafu::ResultExt;

use super::intent::PRIVATE_DIRECTORY;
use super::replace::{Failing, Replacement, each};
use crate::error::Result;
use crate::format_table::FormatTable;

/// What it means that a directory is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Fails,
    /// Whoever removed it had no use for it any more.
    IsFine,
}

impl Replacement<'_> {
    /// Whether this commit has to survive a power failure when it is done.
    fn is_durable(&self) -> bool {
        !self.appends() || self.table.options().commit_sync == CommitSync::Always
    }

    /// Writes the intent or the outcome, if it is not there.
    pub(super) async fn write_record(
        &self,
        path: &str,
        json: Bytes,
    ) -> Result<bool, ftable_io::Error> {
        let file_system = self.table.file_system();
        match self.is_durable() {
            true => file_system.create_whole(path, json).await,
            false => file_system.create_whole_unsynced(path, json).await,
        }
    }

    /// The bytes of the new files, still under their staged names.
    pub(super) async fn sync_staged(&self) -> Result<()> {
        if !self.is_durable() {
            return Ok(());
        }
        let sync = async |path: String| {
            let synced = self.table.file_system().sync_file(&path).await;
            synced.context(self.table.io())
        };
        let staged = self.intent.publish.iter().map(|file| &file.staged);
        each(staged.map(|file| sync(self.path(file))), Failing::Stops).await
    }

    /// Where files are now that were moved out of sight, before it is durable that they are not in their places.
    pub(super) async fn sync_hidden(&self, files: &[String]) -> Result<()> {
        let hidden: Vec<String> = files.iter().map(|file| self.intent.hidden(file)).collect();
        let paths = hidden.iter().map(String::as_str);
        // One that was gone was not moved.
        sync_names(self.table, paths, Absent::IsFine).await
    }

    /// The names of the new files.
    pub(super) async fn sync_targets(&self) -> Result<()> {
        match self.is_durable() {
            true => {
                let targets = self.intent.publish.iter().map(|file| file.target.as_str());
                sync_names(self.table, targets, Absent::Fails).await
            }
            false => Ok(()),
        }
    }

    /// That files which had been published are gone.
    pub(super) async fn sync_removed(&self, targets: &[&str]) -> Result<()> {
        match self.is_durable() {
            true => sync_names(self.table, targets.iter().copied(), Absent::IsFine).await,
            false => Ok(()),
        }
    }

    /// Which intents and outcomes there are, before anything is done that they have to answer for.
    pub(super) async fn sync_journal(&self, absent: Absent) -> Result<()> {
        match self.is_durable() {
            true => sync_directory(self.table, PRIVATE_DIRECTORY, absent).await,
            false => Ok(()),
        }
    }
}

/// Makes durable which names are in the directories of files, and in those above them up to the table's own.
pub(super) async fn sync_names<'a>(
    table: &FormatTable,
    paths: impl Iterator<Item = &'a str>,
    absent: Absent,
) -> Result<()> {
    let directories = directories(paths).into_iter();
    each(
        directories.map(|directory| sync_directory(table, directory, absent)),
        Failing::Stops,
    )
    .await
}

async fn sync_directory(table: &FormatTable, directory: &str, absent: Absent) -> Result<()> {
    let path = join(table.root(), directory);
    match table.file_system().sync_directory(&path).await {
        Err(error) if absent == Absent::IsFine && error.is_not_found() => Ok(()),
        synced => synced.context(table.io()),
    }
}

/// The directories that files lie in, and those above, the table's own as the empty path.
fn directories<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut directories = BTreeSet::new();
    for path in paths {
        let mut rest = path;
        while !rest.is_empty() {
            rest = rest.rsplit_once('/').map_or("", |(directory, _)| directory);
            if !directories.insert(rest) {
                break;
            }
        }
    }
    directories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_named_once_up_to_the_table() {
        let named = |paths: &[&'static str]| {
            directories(paths.iter().copied())
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(
            named(&["p=a/q=x/f", "p=a/q=y/f", "p=a/q=x/g"]),
            ["", "p=a", "p=a/q=x", "p=a/q=y"]
        );
        assert_eq!(named(&["f"]), [""]);
        assert_eq!(named(&[]), [""; 0]);
    }
}
