//! A commit that loses no rows, whatever it dies of.
//!
//! | step | where renames are atomic | elsewhere |
//! | --- | --- | --- |
//! | 1 | make the new files' bytes durable, write the intent | the same |
//! | 2 | list what is replaced and move it out of sight | list what is replaced |
//! | 3 | publish; tell a catalog that manages the partitions | the same |
//! | 4 | write the outcome `done` | write the outcome `done` |
//! | 5 | delete what was moved | delete what is replaced |
//! | 6 | delete the intent, then the outcome | delete the intent, then the outcome |
//!
//! The outcome is written once and never replaced: whoever writes it first decides, be it the commit itself or a
//! repair that takes it for dead. Without an outcome the commit is undone, so a failure before step 4 leaves
//! the old rows. From step 4 on the commit has happened, and what is left is finished here or by repair. So a
//! reader of a repaired table sees exactly the old rows or exactly the new.
//!
//! What is replaced is listed when the intent is there: no other commit changes it from then on.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use ftable_core::ErrorKind;
use ftable_io::PublishOutcome;
use ftable_io::path::join;
use futures::{StreamExt, stream};
use snafu::ResultExt;

use super::durable::Absent;
use super::intent::{Decision, Intent, Outcome, PRIVATE_DIRECTORY, Publication, now_millis};
use super::journal::{Record, intents, read_outcome};
use super::managed::Replaced;
use super::register::Registration;
use crate::error::{
    CommitFailedSnafu, ConflictSnafu, Error, InternalSnafu, Result, TargetExistsSnafu,
    UnusableSnafu,
};
use crate::format_table::FormatTable;

/// Files moved, published or deleted side by side.
const CONCURRENT_FILES: usize = 16;
/// How long to wait before something is tried again that must not be left undone.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(100)];

/// How often an intent is tried to be written while others remove its directory.
const MOST_TRIES: usize = 100;

/// One commit, from its intent.
pub(super) struct Replacement<'a> {
    pub(super) table: &'a FormatTable,
    pub(super) intent: &'a Intent,
    /// Targets that this process made, as far as it knows; none in a repair, which does not know.
    pub(super) ours: Option<Mutex<BTreeSet<&'a str>>>,
    /// Whether the intent is on disk. One file that is added appears in one step and needs none.
    pub(super) journaled: bool,
    /// Whether an outcome `undo` outlives the intent, for the process that wrote the intent to find if it is not dead
    /// after all.
    pub(super) leaves_word: bool,
    /// What a catalog that manages the partitions is told.
    registration: Option<Registration>,
    /// Whether it has been told.
    registered: AtomicBool,
}

impl<'a> Replacement<'a> {
    /// A commit that this process does.
    pub(super) fn new(
        table: &'a FormatTable,
        intent: &'a Intent,
        registration: Option<Registration>,
    ) -> Self {
        // A file that is published in a commit of one is seen at once, but where the catalog has to be told, not by all.
        let in_one_step = intent.publish.len() <= usize::from(registration.is_none());
        let journaled = !intent.replaces.is_empty() || !in_one_step;
        Self {
            table,
            intent,
            ours: Some(Mutex::default()),
            journaled,
            leaves_word: false,
            registration,
            registered: AtomicBool::new(false),
        }
    }

    /// A commit that another process left.
    pub(super) fn left(table: &'a FormatTable, intent: &'a Intent, leaves_word: bool) -> Self {
        Self {
            table,
            intent,
            ours: None,
            journaled: true,
            leaves_word,
            registration: None,
            registered: AtomicBool::new(false),
        }
    }

    /// Does all steps; `replaced` finds what is replaced.
    ///
    /// # Errors
    /// A conflict with another commit, or a failure after which the table is as it was; `Unfinished` where neither
    /// could be brought about, and repair has to.
    pub(super) async fn run(
        &self,
        replaced: impl Future<Output = Result<Replaced>> + Send,
    ) -> Result<()> {
        // Before others are kept from the directories: this may take as long as the files are large.
        self.sync_staged().await?;
        self.begin().await?;
        let asked = AtomicBool::new(false);
        match self.attempt(replaced, &asked).await {
            Ok(Some(outcome)) => self.settle(&outcome, None).await,
            Ok(None) => {
                let error = self.with_registration(self.superseded());
                Err(self.unfinished(error).await)
            }
            Err(error) => match persist(|| self.decide(Outcome::undo())).await {
                Ok(Some(outcome)) => self.settle(&outcome, Some(error)).await,
                // Another process has undone it. What this one did since is taken back too.
                Ok(None) if !asked.load(Ordering::Relaxed) => {
                    self.settle(&Outcome::undo(), Some(error)).await
                }
                Ok(None) | Err(_) => Err(self.unfinished(self.with_registration(error)).await),
            },
        }
    }

    /// Steps 2 to 4. `None` if another process took this one for dead and has ended the commit.
    async fn attempt(
        &self,
        replaced: impl Future<Output = Result<Replaced>> + Send,
        asked: &AtomicBool,
    ) -> Result<Option<Outcome>> {
        let Replaced {
            mut files,
            partitions,
        } = replaced.await?;
        if self.intent.moves {
            each(files.iter().map(|file| self.hide(file)), Failing::Stops).await?;
            self.sync_hidden(&files).await?;
            files.clear();
        }
        each(
            self.intent.publish.iter().map(|file| self.publish(file)),
            Failing::Stops,
        )
        .await?;
        self.sync_targets().await?;
        if let Some(registration) = &self.registration {
            self.check_lease()?;
            registration.send(self.table, &partitions).await?;
            self.registered.store(true, Ordering::Relaxed);
        }
        self.check_lease()?;
        asked.store(true, Ordering::Relaxed);
        self.decide(Outcome::done(files)).await
    }

    /// Steps 5 and 6, or the way back. `error` is why a commit that was not done failed.
    async fn settle(&self, outcome: &Outcome, error: Option<Error>) -> Result<()> {
        if outcome.decision == Decision::Done {
            // The rows are replaced. What fails from here on leaves hidden files or, where nothing could be moved, old
            // ones, and the intent says so to repair. Added rows are all there: adding them again would double them.
            return match persist(|| self.finish(outcome)).await {
                Err(error) if !self.appends() => Err(self.unfinished(error).await),
                _ => Ok(()),
            };
        }
        let error = self.with_registration(error.unwrap_or_else(|| self.superseded()));
        match persist(|| self.undo()).await {
            Ok(()) => Err(error).context(CommitFailedSnafu {
                table: self.table.name(),
                not_removed: Vec::new(),
            }),
            Err(_) => Err(self.unfinished(error).await),
        }
    }

    /// Adds to the error of a commit that does not come about that the catalog had been told of it.
    fn with_registration(&self, error: Error) -> Error {
        match &self.registration {
            Some(registration) if self.registered.load(Ordering::Relaxed) => {
                registration.taken_back(self.table, error)
            }
            _ => error,
        }
    }

    pub(super) fn appends(&self) -> bool {
        self.intent.replaces.is_empty()
    }

    /// The error of a commit that could not be undone.
    async fn unfinished(&self, source: Error) -> Error {
        let table = self.table.name().to_owned();
        match self.appends() {
            true => Error::CommitFailed {
                table,
                not_removed: self.not_removed().await,
                source: Box::new(source),
            },
            false => Error::Unfinished {
                table,
                id: self.intent.id.clone(),
                source: Box::new(source),
            },
        }
    }

    /// Published files that may still be there.
    async fn not_removed(&self) -> Vec<String> {
        let mut left = Vec::new();
        for file in self.published() {
            if !matches!(self.exists(file).await, Ok(false)) {
                left.push(file.to_owned());
            }
        }
        left
    }

    /// Writes the intent, unless another commit is at work on the same directories.
    async fn begin(&self) -> Result<()> {
        if !self.journaled {
            return Ok(());
        }
        // Two that begin at once see each other's intents here, and both step back.
        let begun = match self.write_intent().await {
            Ok(()) => match self.sync_journal(Absent::Fails).await {
                Ok(()) => self.refuse_conflict().await,
                failed => failed,
            },
            failed => failed,
        };
        if begun.is_err() {
            // If it stays, it says that nothing was decided yet, and repair removes it.
            let intent = self.intent.file();
            let _ = persist(|| self.delete(&intent)).await;
            let _ = self.remove_private_directory().await;
        }
        begun
    }

    async fn write_intent(&self) -> Result<()> {
        let json = self.intent.to_json();
        let json = json.map_err(|message| {
            InternalSnafu {
                table: self.table.name(),
                message,
            }
            .build()
        })?;
        let (path, json) = (self.path(&self.intent.file()), Bytes::from(json));
        let mut written = self.write_record(&path, json.clone()).await;
        for _ in 0..MOST_TRIES {
            // Commits that end remove the directory when it is empty, which may be while it is made. The intent's own
            // name is a new one, so neither error is about it.
            match &written {
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => {}
                _ => break,
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
            written = self.write_record(&path, json.clone()).await;
        }
        written.context(self.table.io()).map(|_| ())
    }

    async fn refuse_conflict(&self) -> Result<()> {
        if self.appends() {
            return Ok(());
        }
        for other in intents(self.table).await? {
            if other.id != self.intent.id && other.overlaps(self.intent) {
                return ConflictSnafu {
                    table: self.table.name(),
                    id: other.id,
                }
                .fail();
            }
        }
        Ok(())
    }

    /// A commit that takes longer than its lease may already be under repair by another process.
    fn check_lease(&self) -> Result<()> {
        match !self.journaled || self.intent.is_leased(now_millis()) {
            true => Ok(()),
            false => Err(self.superseded()),
        }
    }

    fn superseded(&self) -> Error {
        let message = "the commit took longer than its lease; commit fewer files at once, or lengthen the lease";
        UnusableSnafu {
            table: self.table.name(),
            message,
        }
        .build()
    }

    async fn hide(&self, file: &str) -> Result<()> {
        self.check_lease()?;
        let (from, to) = (self.path(file), self.path(&self.intent.hidden(file)));
        match self.table.file_system().rename(&from, &to).await {
            // Somebody else removed it: its rows are gone, as they should be.
            Err(error) if error.is_not_found() => Ok(()),
            moved => moved.context(self.table.io()),
        }
    }

    async fn publish(&self, file: &'a Publication) -> Result<()> {
        self.check_lease()?;
        let (staged, target) = (self.path(&file.staged), self.path(&file.target));
        // The store may do it and lose the answer. The target is ours then: its name carries the uuid of its
        // writer, and it was not there before. Where it is somebody else's or the staged file is gone, another
        // commit of the same message made it, and removing it would undo that one.
        self.claim(|ours| ours.insert(&file.target));
        match self.table.file_system().publish(&staged, &target).await {
            Ok(PublishOutcome::Published) => Ok(()),
            Ok(PublishOutcome::TargetExists) => {
                self.claim(|ours| ours.remove(file.target.as_str()));
                TargetExistsSnafu {
                    table: self.table.name(),
                    target: file.target.as_str(),
                }
                .fail()
            }
            Err(error) => {
                if error.is_not_found() {
                    self.claim(|ours| ours.remove(file.target.as_str()));
                }
                Err(error).context(self.table.io())
            }
        }
    }

    fn claim(&self, change: impl FnOnce(&mut BTreeSet<&'a str>) -> bool) {
        if let Some(ours) = &self.ours {
            change(&mut ours.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The targets that an undo removes.
    pub(super) fn published(&self) -> Vec<&'a str> {
        match &self.ours {
            Some(ours) => ours
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .iter()
                .copied()
                .collect(),
            None => self
                .intent
                .publish
                .iter()
                .map(|file| file.target.as_str())
                .collect(),
        }
    }

    /// Decides the commit, or tells how it was decided before; `None` if it has ended.
    ///
    /// An outcome counts only as long as the intent is there: the intent goes first when a commit ends, so an
    /// outcome that is written later is seen to be late.
    pub(super) async fn decide(&self, wanted: Outcome) -> Result<Option<Outcome>> {
        if !self.journaled {
            return Ok(Some(wanted));
        }
        let json = wanted.to_json();
        let json = json.map_err(|message| {
            InternalSnafu {
                table: self.table.name(),
                message,
            }
            .build()
        })?;
        let path = self.path(&self.intent.outcome_file());
        let written = self.write_record(&path, Bytes::from(json)).await;
        let is_ours = matches!(written, Ok(true));
        let decided = match written {
            Ok(true) => Some(wanted),
            Ok(false) => read_outcome(self.table, self.intent).await?.whole(),
            Err(error) => match read_outcome(self.table, self.intent).await {
                Ok(Record::Whole(outcome)) => Some(outcome),
                _ => return Err(error).context(self.table.io()),
            },
        };
        if self.exists(&self.intent.file()).await? {
            return Ok(decided);
        }
        if is_ours {
            let _ = self.delete(&self.intent.outcome_file()).await;
            let _ = self.remove_private_directory().await;
        }
        Ok(None)
    }

    pub(super) async fn exists(&self, path: &str) -> Result<bool> {
        Ok(self
            .table
            .file_system()
            .stat(&self.path(path))
            .await
            .context(self.table.io())?
            .is_some())
    }

    pub(super) async fn delete(&self, path: &str) -> Result<()> {
        let deleted = self.table.file_system().delete_file(&self.path(path)).await;
        // It may be gone all the same, if only the answer was lost.
        if deleted.is_err() && matches!(self.exists(path).await, Ok(false)) {
            return Ok(());
        }
        deleted.context(self.table.io()).map(|_| ())
    }

    pub(super) async fn remove_private_directory(&self) -> Result<()> {
        // Another commit may be using it.
        self.table
            .file_system()
            .remove_dir(&self.path(PRIVATE_DIRECTORY))
            .await
            .context(self.table.io())
            .map(|_| ())
    }

    pub(super) fn path(&self, relative: &str) -> String {
        join(self.table.root(), relative)
    }
}

/// Whether the first failure keeps the rest from being begun.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Failing {
    Stops,
    GoesOn,
}

/// Works side by side. Whatever was begun has ended when this returns: what is still on its way could otherwise
/// arrive after it was taken back.
pub(super) async fn each<F>(work: impl Iterator<Item = F>, failing: Failing) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    let failed = AtomicBool::new(false);
    let one = |work: F| async {
        if failing == Failing::Stops && failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let done = work.await;
        failed.fetch_or(done.is_err(), Ordering::Relaxed);
        done
    };
    let work: Vec<_> = work.map(one).collect();
    let mut running = stream::iter(work).buffer_unordered(CONCURRENT_FILES);
    let mut outcome = Ok(());
    while let Some(done) = running.next().await {
        outcome = outcome.and(done);
    }
    outcome
}

/// Tries again what must not be left undone.
pub(super) async fn persist<T, F>(work: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    persist_while(|_| true, work).await
}

/// Tries again as long as an error is one that may pass.
pub(super) async fn persist_while<T, E, F>(
    may_pass: impl Fn(&E) -> bool,
    work: impl Fn() -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    let mut outcome = work().await;
    for pause in PAUSES {
        if !matches!(&outcome, Err(error) if may_pass(error)) {
            break;
        }
        tokio::time::sleep(pause).await;
        outcome = work().await;
    }
    outcome
}
