//! Commits: messages → validated → published, or taken back.

mod publish;
mod validate;

use async_trait::async_trait;
use serde::Serialize;
use snafu::ResultExt;
use std::collections::BTreeSet;

use crate::error::{CutOffSnafu, Result};
use crate::format_table::FormatTable;
use crate::write::{CommitMessage, discard};

/// Makes staged files visible.
#[async_trait]
pub trait TableCommit: Send {
    /// Publishes the files of messages, each under a name of its own and never over an existing file.
    ///
    /// A reader may see some of the files before the rest. Once started, a commit goes on to its end or is taken back
    /// even if the returned future is dropped. Messages without files are a commit that changes nothing.
    ///
    /// # Errors
    /// Messages of another table, with paths outside their partition, given twice or committed before: nothing is
    /// changed. A failure of the store: what this commit published is removed again, what it had not published
    /// stays staged for [`abort`](Self::abort), and the error names files that could not be removed. Write the rows
    /// again.
    async fn commit(&mut self, messages: Vec<CommitMessage>) -> Result<CommitReport>;

    /// Removes the staged files of messages that will not be committed. Published files stay.
    ///
    /// # Errors
    /// Messages of another table; files that could not be removed, which are hidden.
    async fn abort(&mut self, messages: Vec<CommitMessage>) -> Result<()>;
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
        let partitions: BTreeSet<&str> = messages.iter().filter_map(CommitMessage::partition).collect();
        Self {
            rows: messages.iter().map(CommitMessage::rows).sum(),
            files: messages.len() as u64,
            bytes: messages.iter().map(CommitMessage::bytes).sum(),
            partitions: partitions.len() as u64,
        }
    }
}

pub(crate) struct FormatTableCommit {
    table: FormatTable,
}

impl FormatTableCommit {
    pub(crate) fn new(table: FormatTable) -> Self {
        Self { table }
    }
}

#[async_trait]
impl TableCommit for FormatTableCommit {
    async fn commit(&mut self, messages: Vec<CommitMessage>) -> Result<CommitReport> {
        validate::messages(&self.table, &messages)?;
        let report = CommitReport::of(&messages);
        let table = self.table.clone();
        // A task of its own: a caller that gives up must not leave half of the files visible.
        match tokio::spawn(async move { publish::append(&table, &messages).await }).await {
            Ok(published) => published.map(|()| report),
            Err(_) => CutOffSnafu { table: self.table.name(), what: "a commit" }.fail(),
        }
    }

    async fn abort(&mut self, messages: Vec<CommitMessage>) -> Result<()> {
        validate::messages(&self.table, &messages)?;
        let staged = messages.iter().map(|message| ftable_io::path::join(self.table.root(), message.staged()));
        discard(&**self.table.file_system(), staged.collect()).await.context(self.table.io())
    }
}
