//! A commit that replaces rows and loses none, whatever it dies of.
//!
//! | step | where renames are atomic | elsewhere |
//! | --- | --- | --- |
//! | 1 | write the intent | write the intent |
//! | 2 | move what is replaced out of sight | – |
//! | 3 | publish | publish |
//! | 4 | write the `done` marker | write the `done` marker |
//! | 5 | delete what was moved | delete what is replaced |
//! | 6 | delete the intent and the marker | delete the intent and the marker |
//!
//! A failure before step 4 is taken back at once, and by repair where that fails too. From step 4 on the commit has
//! happened, and what is left is finished by repair. So a reader of a repaired table sees exactly the old rows or
//! exactly the new.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use ftable_io::PublishOutcome;
use ftable_io::path::join;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::intent::{Intent, PRIVATE_DIRECTORY, Publication, id_of_file, intent_file};
use crate::error::{
    ConflictSnafu, Error, InternalSnafu, Result, TargetExistsSnafu, UnusableSnafu,
};
use crate::format_table::FormatTable;

/// Files moved, published or deleted side by side.
const CONCURRENT_FILES: usize = 16;

/// Milliseconds since 1970.
pub(super) fn now_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// One replacement, from its intent.
pub(super) struct Replacement<'a> {
    table: &'a FormatTable,
    intent: &'a Intent,
}

impl<'a> Replacement<'a> {
    pub(super) fn new(table: &'a FormatTable, intent: &'a Intent) -> Self {
        Self { table, intent }
    }

    /// Does all steps.
    ///
    /// # Errors
    /// A conflict with another commit, or a failure after which the table is as it was; `Unfinished` where neither
    /// could be brought about, and repair has to.
    pub(super) async fn run(&self) -> Result<()> {
        self.begin().await?;
        let done = async {
            self.hide().await?;
            self.check_lease()?;
            self.publish().await?;
            self.check_lease()?;
            self.mark(&self.intent.done_marker()).await
        };
        if let Err(error) = done.await {
            return Err(self.give_up(error).await);
        }
        // The rows are replaced. What fails from here on leaves hidden files or, where nothing could be moved, old
        // ones, and the intent says so to repair.
        self.finish().await.map_err(|error| self.unfinished(error))
    }

    fn unfinished(&self, source: Error) -> Error {
        Error::Unfinished {
            table: self.table.name().to_owned(),
            id: self.intent.id.clone(),
            source: Box::new(source),
        }
    }

    async fn give_up(&self, error: Error) -> Error {
        match self.undo().await {
            Ok(()) => error,
            Err(_) => self.unfinished(error),
        }
    }

    /// Writes the intent, unless another commit is at work on the same directories.
    async fn begin(&self) -> Result<()> {
        self.refuse_conflict().await?;
        let json = self.intent.to_json();
        let json = json.map_err(|message| InternalSnafu { table: self.table.name(), message }.build())?;
        let path = self.path(&self.intent.file());
        let written = self.table.file_system().create_whole(&path, Bytes::from(json)).await.context(self.table.io());
        // Two that begin at once see each other's intents here, and both step back.
        let begun = match written {
            Ok(_) => self.refuse_conflict().await,
            Err(error) => Err(error),
        };
        if begun.is_err() {
            // If it stays, it says that nothing was done yet, and repair removes it.
            let _ = self.delete(&self.intent.file()).await;
            let _ = self.remove_private_directory().await;
        }
        begun
    }

    async fn refuse_conflict(&self) -> Result<()> {
        for other in intents(self.table).await? {
            if other.id != self.intent.id && other.overlaps(self.intent) {
                return ConflictSnafu { table: self.table.name(), id: other.id }.fail();
            }
        }
        Ok(())
    }

    /// A commit that takes longer than its lease may already be under repair by another process.
    fn check_lease(&self) -> Result<()> {
        match self.intent.is_leased(now_millis()) {
            true => Ok(()),
            false => {
                let message = "the commit took longer than its lease; commit fewer files at once";
                UnusableSnafu { table: self.table.name(), message }.fail()
            }
        }
    }

    fn moves(&self) -> bool {
        self.table.file_system().capabilities().rename
    }

    async fn hide(&self) -> Result<()> {
        if !self.moves() {
            return Ok(());
        }
        side_by_side(self.intent.hide.iter().map(|file| self.hide_one(file))).await
    }

    async fn hide_one(&self, file: &str) -> Result<()> {
        let (from, to) = (self.path(file), self.path(&self.intent.hidden(file)));
        match self.table.file_system().rename(&from, &to).await {
            // Somebody else removed it: its rows are gone, as they should be.
            Err(error) if error.is_not_found() => Ok(()),
            moved => moved.context(self.table.io()),
        }
    }

    async fn publish(&self) -> Result<()> {
        side_by_side(self.intent.publish.iter().map(|file| self.publish_one(file))).await
    }

    async fn publish_one(&self, file: &Publication) -> Result<()> {
        let (staged, target) = (self.path(&file.staged), self.path(&file.target));
        match self.table.file_system().publish(&staged, &target).await.context(self.table.io())? {
            PublishOutcome::Published => Ok(()),
            PublishOutcome::TargetExists => {
                TargetExistsSnafu { table: self.table.name(), target: file.target.as_str() }.fail()
            }
        }
    }

    async fn mark(&self, marker: &str) -> Result<()> {
        let created = self.table.file_system().create_whole(&self.path(marker), Bytes::new()).await;
        created.context(self.table.io()).map(|_| ())
    }

    /// Whether every file was published.
    pub(super) async fn is_published(&self) -> Result<bool> {
        for file in &self.intent.publish {
            if !self.exists(&file.target).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) async fn exists(&self, path: &str) -> Result<bool> {
        Ok(self.table.file_system().stat(&self.path(path)).await.context(self.table.io())?.is_some())
    }

    /// Deletes what was replaced, then the intent. May be done again after a failure.
    pub(super) async fn finish(&self) -> Result<()> {
        self.mark(&self.intent.done_marker()).await?;
        // Where files are moved, one that a crash kept in its place is replaced all the same.
        side_by_side(self.intent.hide.iter().map(|file| self.delete(file))).await?;
        self.table.file_system().delete_tree(&self.path(&self.intent.attic())).await.context(self.table.io())?;
        for directory in &self.intent.remove_directories {
            self.remove_directory(directory).await?;
        }
        self.end(&self.intent.done_marker()).await
    }

    /// Brings the old rows back, then deletes the intent. May be done again after a failure.
    pub(super) async fn undo(&self) -> Result<()> {
        self.mark(&self.intent.undo_marker()).await?;
        side_by_side(self.intent.publish.iter().map(|file| self.delete(&file.target))).await?;
        if self.moves() {
            side_by_side(self.intent.hide.iter().map(|file| self.bring_back(file))).await?;
        }
        self.table.file_system().delete_tree(&self.path(&self.intent.attic())).await.context(self.table.io())?;
        self.end(&self.intent.undo_marker()).await
    }

    async fn bring_back(&self, file: &str) -> Result<()> {
        let hidden = self.intent.hidden(file);
        if !self.exists(&hidden).await? {
            return Ok(());
        }
        let (from, to) = (self.path(&hidden), self.path(file));
        self.table.file_system().rename(&from, &to).await.context(self.table.io())
    }

    async fn delete(&self, path: &str) -> Result<()> {
        self.table.file_system().delete_file(&self.path(path)).await.context(self.table.io()).map(|_| ())
    }

    /// The intent goes before its marker: a marker alone says nothing.
    async fn end(&self, marker: &str) -> Result<()> {
        self.delete(&self.intent.file()).await?;
        self.delete(marker).await?;
        self.remove_private_directory().await
    }

    async fn remove_private_directory(&self) -> Result<()> {
        // Another commit may be using it.
        self.table.file_system().remove_dir(&self.path(PRIVATE_DIRECTORY)).await.context(self.table.io()).map(|_| ())
    }

    /// Removes a directory, and those in it, where no file is left but nothing of ours staged.
    async fn remove_directory(&self, directory: &str) -> Result<()> {
        let file_system = self.table.file_system();
        let path = self.path(directory);
        let mut pending = vec![path];
        let mut directories = Vec::new();
        while let Some(path) = pending.pop() {
            match file_system.list(&path).await {
                Ok(entries) => pending.extend(entries.into_iter().filter(|entry| entry.is_dir()).map(|entry| entry.path)),
                Err(error) if error.is_not_found() => continue,
                Err(error) => return Err(error).context(self.table.io()),
            }
            directories.push(path);
        }
        // The deepest first; one that is not empty stays, and so do those above it.
        for path in directories.iter().rev() {
            file_system.remove_dir(path).await.context(self.table.io())?;
        }
        Ok(())
    }

    fn path(&self, relative: &str) -> String {
        join(self.table.root(), relative)
    }
}

/// The intents of a table, of finished commits none.
pub(super) async fn intents(table: &FormatTable) -> Result<Vec<Intent>> {
    let directory = join(table.root(), PRIVATE_DIRECTORY);
    let entries = match table.file_system().list(&directory).await {
        Ok(entries) => entries,
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        Err(error) => return Err(error).context(table.io()),
    };
    let mut intents = Vec::new();
    for id in entries.iter().filter(|entry| entry.is_file()).filter_map(|entry| id_of_file(entry.name())) {
        if let Some(intent) = read_intent(table, id).await? {
            intents.push(intent);
        }
    }
    Ok(intents)
}

async fn read_intent(table: &FormatTable, id: &str) -> Result<Option<Intent>> {
    let path = join(table.root(), &intent_file(id));
    let content = async {
        let file = table.file_system().open(&path, None).await?;
        file.read(0..file.size()).await
    };
    let content = match content.await {
        Ok(content) => content,
        // Finished since the directory was listed.
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error).context(table.io()),
    };
    let parsed = std::str::from_utf8(&content).map_err(|error| error.to_string()).and_then(Intent::from_json);
    match parsed {
        Ok(intent) if intent.id == id => Ok(Some(intent)),
        Ok(intent) => {
            let message = format!("{path} holds the intent {}; remove the file if no commit is under way", intent.id);
            UnusableSnafu { table: table.name(), message }.fail()
        }
        Err(message) => {
            let message = format!("{path} is no intent: {message}; remove the file if no commit is under way");
            UnusableSnafu { table: table.name(), message }.fail()
        }
    }
}

async fn side_by_side<F>(work: impl Iterator<Item = F>) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    let work: Vec<F> = work.collect();
    stream::iter(work).buffer_unordered(CONCURRENT_FILES).try_collect().await
}
