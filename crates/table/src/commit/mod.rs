//! Commits: messages → validated → what they replace is selected → published, or taken back.

mod durable;
mod intent;
mod journal;
mod managed;
mod publish;
mod register;
mod repair;
mod replace;
mod select;
mod settle;
mod validate;

use async_trait::async_trait;
use serde::Serialize;
use snafu::ResultExt;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::runtime::Handle;

pub(crate) use repair::repair;
pub use repair::{RepairOptions, RepairReport};
pub(crate) use select::Scope;

use crate::error::{CutOffSnafu, Result, UnusableSnafu};
use crate::format_table::FormatTable;
use crate::write::{CommitMessage, discard};
use intent::Intent;
use managed::Purpose;
use register::{Kind, Registration};
use replace::Replacement;
use select::Selection;

/// How long a commit may take before others take it for dead, unless the context says otherwise.
const LEASE: Duration = Duration::from_secs(10 * 60);

/// Makes staged files visible, and takes rows away.
#[async_trait]
pub trait TableCommit: Send {
    /// Publishes the files of messages, each under a name of its own and never over an existing file; an overwrite
    /// replaces the rows it was asked to.
    ///
    /// A reader may see some of the files before the rest. Once started, a commit goes on to its end or is taken back
    /// even if the returned future is dropped. An append without messages changes nothing; an overwrite without
    /// messages still replaces what it names.
    ///
    /// # Errors
    /// Messages of another table, with paths outside their partition, given twice or committed before: nothing is
    /// changed. A failure of the store: what this commit published is removed again, what it had not published
    /// stays staged for [`abort`](Self::abort), what an overwrite had replaced is back, and the error names what
    /// could not be undone. Write the rows again. So it is, too, when a catalog that manages the partitions does not
    /// take note of the commit; the error then also says what the catalog may hold. An overwrite of directories that another commit is replacing
    /// is a conflict.
    async fn commit(&mut self, messages: Vec<CommitMessage>) -> Result<CommitReport>;

    /// The data files that [`commit`](Self::commit) of these messages would replace, relative to the table.
    ///
    /// # Errors
    /// Messages of another table; a directory that cannot be listed.
    async fn preview(&self, messages: &[CommitMessage]) -> Result<Vec<String>>;

    /// Removes the staged files of messages that will not be committed. Published files stay.
    ///
    /// # Errors
    /// Messages of another table; files that could not be removed, which are hidden.
    async fn abort(&mut self, messages: Vec<CommitMessage>) -> Result<()>;

    /// Removes all rows; partition directories, and partitions that a catalog has registered, stay.
    ///
    /// # Errors
    /// As an overwrite.
    async fn truncate_table(&mut self) -> Result<()>;

    /// Removes the rows of partitions, or of all below a prefix; their directories stay.
    ///
    /// # Errors
    /// An unknown key, a key without those before it, a value that does not parse: nothing is changed.
    /// Otherwise as an overwrite.
    async fn truncate_partitions(&mut self, partitions: &[Vec<(String, String)>]) -> Result<()>;

    /// Removes partitions, or all below a prefix: their rows, and their directories where nothing else is in them. A
    /// catalog that manages the partitions has them registered no more.
    ///
    /// # Errors
    /// As [`truncate_partitions`](Self::truncate_partitions).
    async fn drop_partitions(&mut self, partitions: &[Vec<(String, String)>]) -> Result<()>;
}

/// What a commit made visible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CommitReport {
    /// Rows in the published files.
    pub rows: u64,
    /// Published files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Partitions they lie in; 0 for an unpartitioned table.
    pub partitions: u64,
}

impl CommitReport {
    fn of(messages: &[CommitMessage]) -> Self {
        let partitions: BTreeSet<&str> = messages
            .iter()
            .filter_map(CommitMessage::partition)
            .collect();
        Self {
            rows: messages.iter().map(CommitMessage::rows).sum(),
            files: messages.len() as u64,
            bytes: messages.iter().map(CommitMessage::bytes).sum(),
            partitions: partitions.len() as u64,
        }
    }
}

/// What a commit was asked to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommitSettings {
    /// What an overwrite replaces; `None` for an append.
    pub(crate) scope: Option<Scope>,
    pub(crate) lease: Option<Duration>,
}

pub(crate) struct FormatTableCommit {
    table: FormatTable,
    settings: CommitSettings,
}

impl FormatTableCommit {
    pub(crate) fn new(table: FormatTable, settings: CommitSettings) -> Self {
        Self { table, settings }
    }

    /// Replaces rows in a task of its own: a caller that gives up must not leave the table half-way.
    async fn replace(
        &self,
        selection: Selection,
        messages: Vec<CommitMessage>,
        purpose: Purpose,
    ) -> Result<()> {
        let mut intent = Intent::leased(self.lease());
        intent.replaces.clone_from(&selection.directories);
        intent.moves = self.table.file_system().capabilities().rename;
        intent.publish = messages.iter().map(publish::publication).collect();
        intent.create_directories.clone_from(&selection.create);
        let kind = match purpose {
            Purpose::Overwrite | Purpose::Truncate => Kind::Replaces,
            Purpose::Drop => {
                intent.remove_directories.clone_from(&intent.replaces);
                let above = selection.remove_above.iter().cloned();
                intent.remove_directories.extend(above);
                Kind::Drops
            }
        };
        let table = self.table.clone();
        let named = selection
            .managed
            .as_ref()
            .and_then(|managed| managed.named.clone());
        let registration = Registration::of(&table, kind, &messages, named, &intent)?;
        let task = self.runtime()?.spawn(async move {
            repair::resolve_overlapping(&table, &intent).await?;
            // Only now: what a dead commit published looks as if it were committed until it is undone.
            publish::check_files(&table, &messages).await?;
            Replacement::new(&table, &intent, registration)
                .run(selection.replaced(&table))
                .await
        });
        match task.await {
            Ok(replaced) => replaced,
            Err(_) => CutOffSnafu {
                table: self.table.name(),
                what: "a commit",
            }
            .fail(),
        }
    }

    /// The runtime for tasks that go on when the caller gives up.
    fn runtime(&self) -> Result<Handle> {
        let message = "a commit needs a tokio runtime: run it inside one";
        Handle::try_current().map_err(|_| {
            UnusableSnafu {
                table: self.table.name(),
                message,
            }
            .build()
        })
    }

    fn lease(&self) -> Duration {
        self.settings.lease.unwrap_or(LEASE)
    }

    async fn selection(
        &self,
        scope: &Scope,
        messages: &[CommitMessage],
        purpose: Purpose,
    ) -> Result<Selection> {
        validate::within(&self.table, scope, messages)?;
        let written = messages.iter().map(CommitMessage::directory).collect();
        Selection::find(&self.table, scope, &written, purpose).await
    }

    async fn remove(
        &mut self,
        partitions: &[Vec<(String, String)>],
        purpose: Purpose,
    ) -> Result<()> {
        let mut prefixes = Vec::with_capacity(partitions.len());
        for partition in partitions {
            prefixes.push(self.table.partition_prefix(partition)?);
        }
        if prefixes.is_empty() {
            let message = "no partition was named; name at least one, or truncate the table";
            return UnusableSnafu {
                table: self.table.name(),
                message,
            }
            .fail();
        }
        let mut all = Selection::default();
        for prefix in prefixes {
            let scope = Scope::Prefix(prefix);
            all.extend(self.selection(&scope, &[], purpose).await?);
        }
        all.create.clear();
        self.replace(all, Vec::new(), purpose).await
    }
}

#[async_trait]
impl TableCommit for FormatTableCommit {
    async fn commit(&mut self, messages: Vec<CommitMessage>) -> Result<CommitReport> {
        validate::messages(&self.table, &messages)?;
        let report = CommitReport::of(&messages);
        if let Some(scope) = &self.settings.scope {
            if matches!(scope, Scope::Written)
                && messages.is_empty()
                && self.table.codec().is_partitioned()
            {
                return Ok(report);
            }
            let purpose = Purpose::Overwrite;
            let selection = self.selection(scope, &messages, purpose).await?;
            self.replace(selection, messages, purpose).await?;
            return Ok(report);
        }
        let (table, lease) = (self.table.clone(), self.lease());
        // A task of its own: a caller that gives up must not leave half of the files visible.
        match self
            .runtime()?
            .spawn(async move { publish::append(&table, &messages, lease).await })
            .await
        {
            Ok(published) => published.map(|()| report),
            Err(_) => CutOffSnafu {
                table: self.table.name(),
                what: "a commit",
            }
            .fail(),
        }
    }

    async fn preview(&self, messages: &[CommitMessage]) -> Result<Vec<String>> {
        validate::messages(&self.table, messages)?;
        match &self.settings.scope {
            None => Ok(Vec::new()),
            Some(scope) => {
                let selection = self.selection(scope, messages, Purpose::Overwrite);
                Ok(selection.await?.replaced(&self.table).await?.files)
            }
        }
    }

    async fn abort(&mut self, messages: Vec<CommitMessage>) -> Result<()> {
        validate::messages(&self.table, &messages)?;
        let staged = messages
            .iter()
            .map(|message| ftable_io::path::join(self.table.root(), message.staged()));
        discard(&**self.table.file_system(), staged.collect())
            .await
            .context(self.table.io())
    }

    async fn truncate_table(&mut self) -> Result<()> {
        let purpose = Purpose::Truncate;
        let selection = self.selection(&Scope::Table, &[], purpose).await?;
        self.replace(selection, Vec::new(), purpose).await
    }

    async fn truncate_partitions(&mut self, partitions: &[Vec<(String, String)>]) -> Result<()> {
        self.remove(partitions, Purpose::Truncate).await
    }

    async fn drop_partitions(&mut self, partitions: &[Vec<(String, String)>]) -> Result<()> {
        self.remove(partitions, Purpose::Drop).await
    }
}
