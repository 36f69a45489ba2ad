//! How a commit that was decided ends: forward or back. Each step may be done again after a failure.

use ftable_core::partition::{DirectoryName, is_hidden};
use ftable_io::path::{file_name, join};
use ftable_io::{FileStatus, contained};
use snafu::ResultExt;

use super::durable::{Absent, sync_names};
use super::intent::{Decision, Outcome};
use super::journal::{entries, moved_files};
use super::replace::{Failing, Replacement, each};
use crate::error::Result;
use crate::format_table::FormatTable;
use crate::write::STAGING_DIRECTORY;

impl Replacement<'_> {
    /// Deletes what was replaced, then the intent.
    pub(super) async fn finish(&self, outcome: &Outcome) -> Result<()> {
        // Whoever wrote the outcome may have died before it was durable, and from here on old rows are deleted.
        if !self.appends() {
            self.sync_journal(Absent::IsFine).await?;
        }
        for directory in &self.intent.create_directories {
            self.table
                .file_system()
                .create_dir(&self.path(directory))
                .await
                .context(self.table.io())?;
        }
        each(
            outcome.delete.iter().map(|file| self.delete(file)),
            Failing::GoesOn,
        )
        .await?;
        if self.intent.moves {
            self.table
                .file_system()
                .delete_tree(&self.path(&self.intent.attic()))
                .await
                .context(self.table.io())?;
        }
        for directory in &self.intent.remove_directories {
            self.remove_directory(directory).await?;
        }
        self.end(Decision::Done).await
    }

    /// Removes what was published and brings the old rows back, then deletes the intent.
    pub(super) async fn undo(&self) -> Result<()> {
        let published = self.published();
        each(
            published.iter().map(|file| self.delete(file)),
            Failing::GoesOn,
        )
        .await?;
        self.sync_removed(&published).await?;
        if self.intent.moves {
            bring_back(self.table, &self.intent.id).await?;
        }
        self.end(Decision::Undo).await
    }

    /// The intent goes before the outcome: without an intent, an outcome says nothing.
    async fn end(&self, decision: Decision) -> Result<()> {
        if !self.journaled {
            return Ok(());
        }
        self.delete(&self.intent.file()).await?;
        if decision == Decision::Undo && self.leaves_word {
            return Ok(());
        }
        self.delete(&self.intent.outcome_file()).await?;
        self.remove_private_directory().await
    }

    /// Removes a directory, and those of data in it, where nothing else is left in them.
    ///
    /// Staging directories without files go too. What others keep in hidden directories stays, and with it what it
    /// lies in.
    async fn remove_directory(&self, directory: &str) -> Result<()> {
        let mut pending = vec![self.path(directory)];
        let mut directories = Vec::new();
        while let Some(path) = pending.pop() {
            let is_entered = |entry: &FileStatus| {
                entry.name() == STAGING_DIRECTORY || self.is_visible(&entry.path)
            };
            // What lies in a staging directory is files, or the directories of another engine's job.
            if file_name(&path) != STAGING_DIRECTORY {
                let below = entries(self.table, &path).await?.into_iter();
                pending.extend(
                    below
                        .filter(|entry| entry.is_dir() && is_entered(entry))
                        .map(|entry| entry.path),
                );
            }
            directories.push(path);
        }
        // The deepest first; one that is not empty stays, and so do those above it.
        for path in directories.iter().rev() {
            match self.table.file_system().remove_dir(path).await {
                Ok(_) => {}
                // A symbolic link to a directory: what it leads to is not ours to remove.
                Err(ftable_io::Error::NotADirectory { .. }) => {}
                Err(error) => return Err(error).context(self.table.io()),
            }
        }
        Ok(())
    }

    /// Whether readers look into a directory below one that they look into. The partition of null may have a hidden
    /// name in the value-only layout.
    fn is_visible(&self, path: &str) -> bool {
        let Some(relative) = contained(self.table.root(), path) else {
            return false;
        };
        let level = relative.matches('/').count();
        let is_partition = |name| {
            matches!(
                self.table.codec().read_name(level, name),
                DirectoryName::Value(_)
            )
        };
        !is_hidden(file_name(path)) || is_partition(file_name(path))
    }
}

/// Moves what a commit had moved out of sight back to its place.
///
/// Nothing is deleted here but directories that are empty: whatever lies there is somebody's rows.
pub(super) async fn bring_back(table: &FormatTable, id: &str) -> Result<()> {
    let (files, directories) = moved_files(table, id).await?;
    each(
        files.iter().map(|file| bring_one_back(table, id, file)),
        Failing::GoesOn,
    )
    .await?;
    sync_names(table, files.iter().map(String::as_str), Absent::IsFine).await?;
    for directory in directories.iter().rev() {
        table
            .file_system()
            .remove_dir(directory)
            .await
            .context(table.io())?;
    }
    Ok(())
}

async fn bring_one_back(table: &FormatTable, id: &str, file: &str) -> Result<()> {
    let from = join(
        table.root(),
        &format!("{}/{file}", super::intent::attic(id)),
    );
    let moved = table
        .file_system()
        .rename(&from, &join(table.root(), file))
        .await;
    let moved = match moved {
        // Another engine, whose names are no uuids, has written a file of the same name since. Both are rows.
        Err(ftable_io::Error::AlreadyExists { .. }) => {
            let (directory, name) = file.rsplit_once('/').unwrap_or(("", file));
            let other = join(
                &join(table.root(), directory),
                &format!("restored-{id}-{name}"),
            );
            table.file_system().rename(&from, &other).await
        }
        moved => moved,
    };
    match moved {
        // Another process that undoes the same commit was faster.
        Err(error) if error.is_not_found() => Ok(()),
        moved => moved.context(table.io()),
    }
}
