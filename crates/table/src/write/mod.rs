//! Writes: batch → partitions → staged files → messages.

mod check;
mod held;
mod message;
mod partition;
mod roll;
mod route;
mod stage;

use std::sync::Arc;

use arrow_array::RecordBatch;
use async_trait::async_trait;
use snafu::ResultExt;

pub use message::CommitMessage;
pub(crate) use stage::{STAGED_PREFIX, STAGING_DIRECTORY, discard, is_staged};

use crate::error::{Result, WriterEndedSnafu};
use crate::format_table::FormatTable;
use check::Checker;
use held::Memory;
use partition::{PartitionWriter, Turns};
use route::Router;
use stage::Ledger;

/// The state of a writer while a call is under way, and for ever if the call's future is dropped: which rows were
/// taken is not known then, and a second try would write some of them twice.
const GIVEN_UP: &str = "was given up in the middle of a call";

/// Writes rows into hidden files beside their partitions. A commit makes them visible.
///
/// Rows of many partitions may come in any order. At most 128 files are open at once: where rows go to more partitions
/// than that, the file that waited longest for rows is ended, and its partition gets another one later.
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
    /// goes on. An error of the store or the encoder ends the writer and removes what it staged. A future that is dropped
    /// half-way ends the writer too: which rows were taken is not known then.
    async fn write(&mut self, batch: RecordBatch) -> Result<()>;

    /// Writes rows into one partition, given as text for each key and read by the types of the keys.
    ///
    /// The batch holds the data columns. Partition columns may be there too and are not looked at.
    ///
    /// # Errors
    /// As [`Self::write`]; a key that is missing or unknown, a value that does not parse.
    async fn write_partition(
        &mut self,
        partition: &[(String, String)],
        batch: RecordBatch,
    ) -> Result<()>;

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
    turns: Turns,
    ledger: Ledger,
    memory: Memory,
    buffered: u64,
    /// Counts encodings, to tell which file waits longest.
    clock: u64,
    ended: Option<&'static str>,
}

impl FormatTableWrite {
    pub(crate) fn new(table: FormatTable, parallelism: Option<usize>) -> Result<Self> {
        table
            .file_format()
            .check_write_schema(table.data_fields())
            .context(table.format_error())?;
        table.options().check_writable().context(table.core())?;
        let parallelism = parallelism
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        Ok(Self {
            checker: Checker::new(&table),
            router: Router::new(&table)?,
            partitions: Vec::new(),
            turns: Turns::new(parallelism),
            memory: Memory::default(),
            ledger: Ledger::new(Arc::clone(table.file_system())),
            buffered: 0,
            clock: 0,
            ended: None,
            table,
        })
    }

    fn check_open(&self) -> Result<()> {
        match self.ended {
            None => Ok(()),
            Some(state) => WriterEndedSnafu {
                table: self.table.name(),
                state,
            }
            .fail(),
        }
    }

    /// Hands rows to the writers of their partitions.
    async fn accept(&mut self, routed: Vec<route::Routed>) -> Result<()> {
        self.ended = Some(GIVEN_UP);
        match self.distribute(routed).await {
            Ok(()) => {
                self.ended = None;
                Ok(())
            }
            Err(error) => self.fail(error).await,
        }
    }

    async fn distribute(&mut self, routed: Vec<route::Routed>) -> Result<()> {
        for part in routed {
            while self.partitions.len() <= part.partition {
                let directory = self.router.directory(self.partitions.len());
                self.partitions.push(PartitionWriter::new(
                    &self.table,
                    directory,
                    self.turns.clone(),
                    self.ledger.clone(),
                    self.memory.clone(),
                ));
            }
            let Some(writer) = self.partitions.get_mut(part.partition) else {
                continue;
            };
            self.buffered += part.bytes;
            writer.push(part.batch, part.bytes);
            if writer.is_full() {
                self.encode(part.partition).await?;
            }
        }
        while self.buffered > self.table.options().write_buffer_size {
            let fullest = self
                .partitions
                .iter()
                .enumerate()
                .max_by_key(|(_, writer)| writer.buffered());
            let Some((fullest, _)) = fullest else { break };
            self.encode(fullest).await?;
        }
        Ok(())
    }

    /// Starts to encode what waits for a partition, once a file may be open for it.
    async fn encode(&mut self, partition: usize) -> Result<()> {
        if self
            .partitions
            .get(partition)
            .is_some_and(|writer| !writer.has_open_file())
        {
            self.make_room().await?;
        }
        if let Some(writer) = self.partitions.get_mut(partition) {
            self.buffered -= writer.buffered();
            self.clock += 1;
            writer.encode(self.clock).await?;
        }
        Ok(())
    }

    /// Ends the file that waited longest for rows if no more may be open.
    async fn make_room(&mut self) -> Result<()> {
        let is_open = |writer: &&mut PartitionWriter| writer.has_open_file();
        if self.partitions.iter_mut().filter(is_open).count()
            < self.table.options().write_max_open_files
        {
            return Ok(());
        }
        let longest = self
            .partitions
            .iter_mut()
            .filter(is_open)
            .min_by_key(|writer| writer.last_encoded());
        let Some(writer) = longest else { return Ok(()) };
        self.buffered -= writer.buffered();
        writer.end_file().await
    }

    async fn prepare(&mut self) -> Result<Vec<CommitMessage>> {
        self.buffered = 0;
        for writer in &mut self.partitions {
            writer.end_file().await?;
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
        self.stop().await;
        // What cannot be removed is hidden; the error that led here is the one to tell.
        let _ = self.ledger.remove_staged().await;
        Err(error)
    }

    /// Waits until nothing is encoded any more, so that no file comes into being after the staged ones are removed.
    async fn stop(&mut self) {
        for writer in &mut self.partitions {
            writer.stop().await;
        }
        self.partitions.clear();
    }
}

#[async_trait]
impl TableWrite for FormatTableWrite {
    async fn write(&mut self, batch: RecordBatch) -> Result<()> {
        self.check_open()?;
        let checked = self.checker.check(&batch)?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let routed = self.router.route(checked)?;
        self.accept(routed).await
    }

    async fn write_partition(
        &mut self,
        partition: &[(String, String)],
        batch: RecordBatch,
    ) -> Result<()> {
        self.check_open()?;
        let declared = self.router.declared(partition)?;
        let data = self.checker.check_data(&batch)?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.accept(vec![route::Routed::new(declared, data)]).await
    }

    async fn prepare_commit(&mut self) -> Result<Vec<CommitMessage>> {
        self.check_open()?;
        self.ended = Some(GIVEN_UP);
        match self.prepare().await {
            Ok(messages) => {
                self.ended = None;
                self.ledger.hand_over();
                Ok(messages)
            }
            Err(error) => self.fail(error).await,
        }
    }

    async fn abort(&mut self) -> Result<()> {
        self.ended = Some("was aborted");
        self.stop().await;
        self.ledger.remove_all().await.context(self.table.io())
    }
}
