//! Writes: batch → partitions → staged files → messages.

mod check;
mod message;
mod partition;
mod roll;
mod route;
mod stage;

use std::sync::Arc;

use arrow_array::RecordBatch;
use async_trait::async_trait;
use snafu::ResultExt;
use tokio::sync::Semaphore;

pub use message::CommitMessage;
pub(crate) use stage::{STAGING_DIRECTORY, STAGED_PREFIX, discard};

use crate::error::{Result, WriterEndedSnafu};
use crate::format_table::FormatTable;
use check::Checker;
use partition::PartitionWriter;
use route::Router;
use stage::Ledger;

/// Bytes of routed rows, over all partitions, after which the fullest are encoded.
const BUFFERED_BYTES: u64 = 64 * 1024 * 1024;

/// Writes rows into hidden files beside their partitions. A commit makes them visible.
///
/// A writer that is dropped before [`prepare_commit`](Self::prepare_commit) removes what it staged.
#[async_trait]
pub trait TableWrite: Send {
    /// Writes rows into the partitions that their own columns name.
    ///
    /// Columns are matched by name and may come in any order; a column of a type that holds no more than the declared
    /// one is converted, dictionaries and views included. A leading `_VALUE_KIND` column may say that all rows are
    /// inserts.
    ///
    /// # Errors
    /// A missing or unknown column, a type or value that does not fit, a null in a NOT NULL column, a row that is no
    /// insert, a partition value that cannot be a directory: nothing of the batch is written, and the writer
    /// goes on. An error of the store or the encoder ends the writer and removes what it staged.
    async fn write(&mut self, batch: RecordBatch) -> Result<()>;

    /// Writes rows into one partition, given as text for each key and read by the types of the keys.
    ///
    /// The batch holds the data columns. Partition columns may be there too and are not looked at.
    ///
    /// # Errors
    /// As [`Self::write`]; a key that is missing or unknown, a value that does not parse.
    async fn write_partition(&mut self, partition: &[(String, String)], batch: RecordBatch) -> Result<()>;

    /// Ends all files and gives a message for each. More rows may be written and prepared after.
    ///
    /// # Errors
    /// An error of the store or the encoder ends the writer and removes what it staged.
    async fn prepare_commit(&mut self) -> Result<Vec<CommitMessage>>;

    /// Removes what the writer staged, prepared files included, and ends it. Published files stay.
    ///
    /// # Errors
    /// Files that could not be removed; they are hidden, so no reader sees them.
    async fn abort(&mut self) -> Result<()>;
}

pub(crate) struct FormatTableWrite {
    table: FormatTable,
    checker: Checker,
    router: Router,
    partitions: Vec<PartitionWriter>,
    permits: Arc<Semaphore>,
    ledger: Ledger,
    buffered: u64,
    ended: Option<&'static str>,
}

impl FormatTableWrite {
    pub(crate) fn new(table: FormatTable, parallelism: Option<usize>) -> Result<Self> {
        table.file_format().check_write_schema(table.data_fields()).context(table.format_error())?;
        table.options().check_writable().context(table.core())?;
        let parallelism =
            parallelism.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        Ok(Self {
            checker: Checker::new(&table),
            router: Router::new(&table)?,
            partitions: Vec::new(),
            permits: Arc::new(Semaphore::new(parallelism)),
            ledger: Ledger::new(Arc::clone(table.file_system())),
            buffered: 0,
            ended: None,
            table,
        })
    }

    fn check_open(&self) -> Result<()> {
        match self.ended {
            None => Ok(()),
            Some(state) => WriterEndedSnafu { table: self.table.name(), state }.fail(),
        }
    }

    /// Hands rows to the writers of their partitions.
    async fn accept(&mut self, routed: Vec<route::Routed>) -> Result<()> {
        for part in routed {
            while self.partitions.len() <= part.partition {
                let directory = self.router.directory(self.partitions.len());
                self.partitions.push(PartitionWriter::new(
                    &self.table,
                    directory,
                    Arc::clone(&self.permits),
                    self.ledger.clone(),
                ));
            }
            if let Some(writer) = self.partitions.get_mut(part.partition) {
                self.buffered += part.bytes;
                writer.push(part.batch, part.bytes);
                if writer.is_full() {
                    self.buffered -= writer.buffered();
                    writer.encode().await?;
                }
            }
        }
        while self.buffered > BUFFERED_BYTES {
            let Some(fullest) = self.partitions.iter_mut().max_by_key(|writer| writer.buffered()) else { break };
            self.buffered -= fullest.buffered();
            fullest.encode().await?;
        }
        Ok(())
    }

    async fn prepare(&mut self) -> Result<Vec<CommitMessage>> {
        self.buffered = 0;
        for writer in &mut self.partitions {
            writer.finish().await?;
        }
        let mut messages = Vec::new();
        for writer in &mut self.partitions {
            messages.extend(writer.take_messages().await?);
        }
        Ok(messages)
    }

    /// Ends the writer after a failure.
    async fn fail<T>(&mut self, error: crate::error::Error) -> Result<T> {
        self.ended = Some("failed");
        self.partitions.clear();
        // What cannot be removed is hidden; the error that led here is the one to tell.
        let _ = self.ledger.remove_staged().await;
        Err(error)
    }
}

#[async_trait]
impl TableWrite for FormatTableWrite {
    async fn write(&mut self, batch: RecordBatch) -> Result<()> {
        self.check_open()?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let checked = self.checker.check(&batch)?;
        let routed = self.router.route(checked)?;
        match self.accept(routed).await {
            Ok(()) => Ok(()),
            Err(error) => self.fail(error).await,
        }
    }

    async fn write_partition(&mut self, partition: &[(String, String)], batch: RecordBatch) -> Result<()> {
        self.check_open()?;
        let declared = self.router.declared(partition)?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let data = self.checker.check_data(&batch)?;
        match self.accept(vec![route::Routed::new(declared, data)]).await {
            Ok(()) => Ok(()),
            Err(error) => self.fail(error).await,
        }
    }

    async fn prepare_commit(&mut self) -> Result<Vec<CommitMessage>> {
        self.check_open()?;
        match self.prepare().await {
            Ok(messages) => {
                self.ledger.hand_over();
                Ok(messages)
            }
            Err(error) => self.fail(error).await,
        }
    }

    async fn abort(&mut self) -> Result<()> {
        self.ended.get_or_insert("was aborted");
        for writer in &mut self.partitions {
            writer.stop().await;
        }
        self.partitions.clear();
        self.ledger.remove_all().await.context(self.table.io())
    }
}
