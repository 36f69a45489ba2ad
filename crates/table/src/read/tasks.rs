//! Files read side by side, each by a task of its own with a bound on what waits for the caller.

use std::sync::Arc;

use arrow_array::RecordBatch;
use ftable_formats::ReadRequest;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

use super::BatchStream;
use super::assemble::Assembler;
use super::columns::Columns;
use super::metrics::ReadLog;
use super::units::Unit;
use crate::error::{CutOffSnafu, Result, UnusableSnafu};
use crate::format_table::FormatTable;

/// KiB of decoded batches that wait for the caller, for each file being read.
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
    let started = stream::iter(units).map(move |unit| start(job.clone(), unit));
    Ok(match preserve_order {
        // Of the ready futures as many are polled, and so as many tasks started, as may run side by side.
        true => started
            .map(std::future::ready)
            .buffered(parallelism)
            .flatten()
            .boxed(),
        false => started.flatten_unordered(parallelism).boxed(),
    })
}

/// A task that is ended when the caller stops listening.
struct Task {
    handle: JoinHandle<()>,
    receiver: UnboundedReceiver<Result<Waiting>>,
    table: FormatTable,
}

impl Drop for Task {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

impl Task {
    /// The next batch. A task that was cut off is an error, never an early end.
    async fn next(&mut self) -> Option<Result<RecordBatch>> {
        if let Some(item) = self.receiver.recv().await {
            return Some(item.map(|waiting| waiting.batch));
        }
        match (&mut self.handle).await {
            Ok(()) => None,
            Err(_) => Some(
                CutOffSnafu {
                    table: self.table.name(),
                    what: "a read",
                }
                .fail(),
            ),
        }
    }
}

struct Waiting {
    batch: RecordBatch,
    /// Held until the caller takes the batch.
    _room: OwnedSemaphorePermit,
}

fn start(job: Job, unit: Unit) -> BatchStream {
    let (sender, receiver) = unbounded_channel();
    let table = job.table.clone();
    let handle = tokio::spawn(async move {
        let path = unit.path.clone();
        let outcome = match job.run(unit, &sender).await {
            Err(error) => job.log.forgive(&job.table, &path, error),
            done => done,
        };
        if let Err(error) = outcome {
            // Fails only when the caller has stopped listening.
            let _ = sender.send(Err(error));
        }
    });
    stream::unfold(
        Some(Task {
            handle,
            receiver,
            table,
        }),
        |task| async move {
            let mut task = task?;
            let item = task.next().await?;
            // An error is the last item.
            let task = item.is_ok().then_some(task);
            Some((item, task))
        },
    )
    .boxed()
}

impl Job {
    async fn run(&self, unit: Unit, sender: &UnboundedSender<Result<Waiting>>) -> Result<()> {
        let (table, columns) = (&self.table, &self.columns);
        let room = Arc::new(Semaphore::new(WAITING_KIB as usize));
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
        while let Some(batch) = decoded.try_next().await.context(table.format_error())? {
            let batch = assembler.assemble(&batch)?;
            if batch.num_rows() == 0 {
                continue;
            }
            let kib = u32::try_from(batch.get_array_memory_size() / 1024)
                .unwrap_or(u32::MAX)
                .clamp(1, WAITING_KIB);
            let permit = Arc::clone(&room).acquire_many_owned(kib).await;
            let Ok(permit) = permit else {
                return CutOffSnafu {
                    table: table.name(),
                    what: "a read",
                }
                .fail();
            };
            if sender
                .send(Ok(Waiting {
                    batch,
                    _room: permit,
                }))
                .is_err()
            {
                return Ok(());
            }
        }
        Ok(())
    }
}
