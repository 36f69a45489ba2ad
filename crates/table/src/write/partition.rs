//! The writer of one partition: rows wait until there are enough to encode, then a task encodes them.

use std::sync::Arc;

use arrow_array::RecordBatch;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::held::Memory;
use super::message::CommitMessage;
use super::roll::FileRoller;
use super::route::Directory;
use super::stage::Ledger;
use crate::error::{CutOffSnafu, Result, UnusableSnafu};
use crate::format_table::FormatTable;

/// Rows that are encoded at once: enough that the cost of each call does not count.
const ENOUGH_ROWS: usize = 32 * 1024;
/// Bytes that are encoded at once, for wide rows.
const ENOUGH_BYTES: u64 = 8 * 1024 * 1024;

/// Files that are ended side by side: enough to keep a store busy that takes its time to end one.
const ENDINGS: usize = 16;

/// Whose turn it is, over all partitions of a writer.
#[derive(Clone)]
pub(super) struct Turns {
    /// Encoding.
    processors: Arc<Semaphore>,
    /// Ending a file.
    endings: Arc<Semaphore>,
}

impl Turns {
    pub(super) fn new(processors: usize) -> Self {
        Self {
            processors: Arc::new(Semaphore::new(processors)),
            endings: Arc::new(Semaphore::new(ENDINGS)),
        }
    }
}

pub(super) struct PartitionWriter {
    table: FormatTable,
    turns: Turns,
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
    waiting_bytes: u64,
    /// Whether a file may be open.
    has_open_file: bool,
    last_encoded: u64,
    state: State,
}

enum State {
    Idle(Box<FileRoller>),
    Encoding(JoinHandle<Result<Box<FileRoller>>>),
    /// A task failed; its error was given out.
    Lost,
}

impl Drop for PartitionWriter {
    fn drop(&mut self) {
        if let State::Encoding(task) = &self.state {
            task.abort();
        }
    }
}

impl PartitionWriter {
    pub(super) fn new(
        table: &FormatTable,
        directory: Directory,
        turns: Turns,
        ledger: Ledger,
        memory: Memory,
    ) -> Self {
        Self {
            table: table.clone(),
            turns,
            waiting: Vec::new(),
            waiting_rows: 0,
            waiting_bytes: 0,
            has_open_file: false,
            last_encoded: 0,
            state: State::Idle(Box::new(FileRoller::new(
                table,
                directory.path,
                ledger,
                memory,
            ))),
        }
    }

    pub(super) fn push(&mut self, batch: RecordBatch, bytes: u64) {
        self.waiting_rows += batch.num_rows();
        self.waiting_bytes += bytes;
        self.waiting.push(batch);
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting_rows >= ENOUGH_ROWS || self.waiting_bytes >= ENOUGH_BYTES
    }

    /// Bytes that wait to be encoded.
    pub(super) fn buffered(&self) -> u64 {
        self.waiting_bytes
    }

    /// Whether a file may be open, waiting for more rows.
    pub(super) fn has_open_file(&self) -> bool {
        self.has_open_file
    }

    /// When rows were last encoded, on the clock of the caller.
    pub(super) fn last_encoded(&self) -> u64 {
        self.last_encoded
    }

    /// Starts to encode what waits, once a processor is free.
    pub(super) async fn encode(&mut self, now: u64) -> Result<()> {
        self.last_encoded = now;
        self.start(false).await
    }

    /// Starts to encode what waits and to end the file.
    pub(super) async fn end_file(&mut self) -> Result<()> {
        self.start(true).await
    }

    async fn start(&mut self, end_file: bool) -> Result<()> {
        let Ok(runtime) = Handle::try_current() else {
            let message = "a write needs a tokio runtime: run it inside one";
            return UnusableSnafu {
                table: self.table.name(),
                message,
            }
            .fail();
        };
        self.has_open_file = !end_file;
        let mut roller = self.roller().await?;
        let batches = std::mem::take(&mut self.waiting);
        (self.waiting_rows, self.waiting_bytes) = (0, 0);
        // Rows that go on to wait in memory wait for a processor here; a file that ends waits for its turn alone, as
        // its last bytes go to the store while others are encoded.
        let turns = if end_file {
            &self.turns.endings
        } else {
            &self.turns.processors
        };
        let Ok(turn) = Arc::clone(turns).acquire_owned().await else {
            return self.cut_off();
        };
        let processors = Arc::clone(&self.turns.processors);
        let table = self.table.clone();
        self.state = State::Encoding(runtime.spawn(async move {
            if !end_file {
                roller.append(batches).await?;
                drop(turn);
                return Ok(roller);
            }
            let Ok(processor) = processors.acquire_owned().await else {
                return CutOffSnafu {
                    table: table.name(),
                    what: "a write",
                }
                .fail();
            };
            roller.append(batches).await?;
            roller.end_file(Some(processor)).await?;
            drop(turn);
            Ok(roller)
        }));
        Ok(())
    }

    fn cut_off<T>(&self) -> Result<T> {
        CutOffSnafu {
            table: self.table.name(),
            what: "a write",
        }
        .fail()
    }

    async fn roller(&mut self) -> Result<Box<FileRoller>> {
        // The task stays where it is meanwhile: a caller that gives up must not set it free.
        let ended = match &mut self.state {
            State::Encoding(task) => Some(task.await),
            _ => None,
        };
        match (std::mem::replace(&mut self.state, State::Lost), ended) {
            (State::Idle(roller), _) => Ok(roller),
            (State::Encoding(_), Some(Ok(result))) => result,
            (State::Encoding(_), _) => CutOffSnafu {
                table: self.table.name(),
                what: "a write",
            }
            .fail(),
            (State::Lost, _) => CutOffSnafu {
                table: self.table.name(),
                what: "a write that had failed",
            }
            .fail(),
        }
    }

    /// The messages of the files that were ended.
    pub(super) async fn take_messages(&mut self) -> Result<Vec<CommitMessage>> {
        let mut roller = self.roller().await?;
        let messages = roller.take_messages();
        self.state = State::Idle(roller);
        Ok(messages)
    }

    /// Waits until no task works on the partition any more.
    pub(super) async fn stop(&mut self) {
        if let State::Encoding(task) = std::mem::replace(&mut self.state, State::Lost) {
            task.abort();
            // Aborted or failed: either way it has stopped.
            let _ = task.await;
        }
    }
}
