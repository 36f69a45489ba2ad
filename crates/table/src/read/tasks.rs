//! Files read side by side by tasks, with a bound on what each has waiting for the caller.

use std::future::Future;
use std::sync::Arc;

use arrow_array::RecordBatch;
use ftable_formats::ReadRequest;
use ftable_io::blocking::OnPool;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinHandle};

use super::BatchStream;
use super::assemble::Assembler;
use super::columns::Columns;
use super::metrics::ReadLog;
use super::units::{Queue, Unit};
use crate::error::{CutOffSnafu, Error, Result, UnusableSnafu};
use crate::format_table::FormatTable;

/// KiB of decoded batches that wait for the caller, for each task.
const WAITING_KIB: u32 = 16 * 1024;

/// What all tasks of a read share.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) table: FormatTable,
    pub(super) columns: Arc<Columns>,
    pub(super) log: Arc<ReadLog>,
}

/// Reads units side by side.
pub(super) fn read(
    job: Job,
    units: Vec<Unit>,
    parallelism: usize,
    preserve_order: bool,
) -> Result<BatchStream> {
    if Handle::try_current().is_err() {
        let message = "a read needs a tokio runtime: start it inside one";
        return UnusableSnafu {
            table: job.table.name(),
            message,
        }
        .fail();
    }
    let parallelism = parallelism.max(1);
    Ok(match preserve_order {
        // Of the ready futures as many are polled, and so as many tasks started, as may run side by side.
        true => stream::iter(units)
            .map(move |unit| std::future::ready(start(job.clone(), Queue::new(vec![unit]))))
            .buffered(parallelism)
            .flatten()
            .boxed(),
        false => {
            let tasks = parallelism.min(units.len());
            let queue = Queue::new(units);
            stream::iter(0..tasks)
                .map(move |_| start(job.clone(), queue.clone()))
                .flatten_unordered(None)
                .boxed()
        }
    })
}

/// Does work on files of a table: as a whole on the blocking pool where they are reached by system calls, as there is
/// nothing to wait for then but a slow caller.
pub(super) async fn in_place<T: Send + 'static>(
    table: &FormatTable,
    work: impl Future<Output = T> + Send + 'static,
) -> std::result::Result<T, JoinError> {
    match table.file_system().capabilities().local {
        true => OnPool::new(work).await,
        false => Ok(work.await),
    }
}

/// The error of a read that did not come to its end.
pub(super) fn cut_off(table: &FormatTable) -> Error {
    CutOffSnafu {
        table: table.name(),
        what: "a read",
    }
    .build()
}

/// A task that is ended when the caller stops listening.
struct Source {
    task: JoinHandle<std::result::Result<(), JoinError>>,
    receiver: UnboundedReceiver<Result<Waiting>>,
    table: FormatTable,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Source {
    /// The next batch. A task that was cut off is an error, never an early end.
    async fn next(&mut self) -> Option<Result<RecordBatch>> {
        if let Some(item) = self.receiver.recv().await {
            return Some(item.map(|waiting| waiting.batch));
        }
        match (&mut self.task).await {
            Ok(Ok(())) => None,
            Ok(Err(_)) | Err(_) => Some(Err(cut_off(&self.table))),
        }
    }
}

struct Waiting {
    batch: RecordBatch,
    /// Held until the caller takes the batch.
    _room: OwnedSemaphorePermit,
}

/// Reads units of a queue one after the other.
fn start(job: Job, queue: Queue) -> BatchStream {
    let (sender, receiver) = unbounded_channel();
    let table = job.table.clone();
    let work = job.run(queue, sender);
    let of_work = table.clone();
    let task = tokio::spawn(async move { in_place(&of_work, work).await });
    let source = Source {
        task,
        receiver,
        table,
    };
    stream::unfold(Some(source), |source| async move {
        let mut source = source?;
        let item = source.next().await?;
        // An error is the last item.
        let source = item.is_ok().then_some(source);
        Some((item, source))
    })
    .boxed()
}

impl Job {
    async fn run(self, queue: Queue, sender: UnboundedSender<Result<Waiting>>) {
        let room = Arc::new(Semaphore::new(WAITING_KIB as usize));
        while !sender.is_closed()
            && let Some(unit) = queue.next()
        {
            let path = unit.path.clone();
            let outcome = match self.read(unit, &sender, &room).await {
                Err(error) => self.log.forgive(&self.table, &path, error),
                done => done,
            };
            if let Err(error) = outcome {
                // Fails only when the caller has stopped listening.
                let _ = sender.send(Err(error));
                return;
            }
        }
    }

    /// Reads a unit; ends early when the caller has stopped listening.
    async fn read(
        &self,
        unit: Unit,
        sender: &UnboundedSender<Result<Waiting>>,
        room: &Arc<Semaphore>,
    ) -> Result<()> {
        let (table, columns) = (&self.table, &self.columns);
        let file = table
            .file_system()
            .open(&unit.path, Some(unit.size))
            .await
            .context(table.io())?;
        let request = ReadRequest {
            file,
            range: unit.range,
            fields: Arc::clone(columns.data()),
            table_fields: Arc::clone(table.data_fields()),
            batch_size: table.options().read_batch_size,
            options: Arc::clone(table.shared_options()),
            records: Arc::clone(self.log.records()),
        };
        let mut decoded = table
            .file_format()
            .read(request)
            .await
            .context(table.format_error())?;
        let partition = &unit.partition;
        let mut assembler = Assembler::new(
            table,
            Arc::clone(columns),
            &partition.values,
            partition.filter.clone(),
        )?;
        while !sender.is_closed() {
            let Some(batch) = decoded.try_next().await.context(table.format_error())? else {
                break;
            };
            let batch = assembler.assemble(&batch)?;
            if batch.num_rows() == 0 {
                continue;
            }
            let kib = u32::try_from(batch.get_array_memory_size() / 1024)
                .unwrap_or(u32::MAX)
                .clamp(1, WAITING_KIB);
            let permit = Arc::clone(room).acquire_many_owned(kib).await;
            let Ok(permit) = permit else {
                return Err(cut_off(table));
            };
            // Fails only when the caller has stopped listening.
            let _ = sender.send(Ok(Waiting {
                batch,
                _room: permit,
            }));
        }
        Ok(())
    }
}
