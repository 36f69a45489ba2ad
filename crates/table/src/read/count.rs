//! Row counts of files, from footers where there are any.

use std::ops::Range;
use std::sync::Arc;

use ftable_formats::{ReadRequest, RecordCounts};
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::metrics::ReadLog;
use super::tasks;
use super::units::{Queue, Unit};
use crate::error::{InternalSnafu, Result};
use crate::format_table::FormatTable;

/// Files counted side by side: most of the time is spent waiting for the store.
const CONCURRENT_FILES: usize = 32;
/// Local files counted side by side, each on a thread: enough for a disk to have something to do.
const CONCURRENT_LOCAL_FILES: usize = 8;

/// Counts files side by side.
pub(super) async fn of_files(
    table: &FormatTable,
    units: Vec<Unit>,
    log: &Arc<ReadLog>,
) -> Result<u64> {
    let tasks = match table.file_system().capabilities().local {
        true => CONCURRENT_LOCAL_FILES,
        false => CONCURRENT_FILES,
    };
    let tasks = tasks.min(units.len());
    let queue = Queue::new(units);
    // After an error, or when the caller gives up, nothing more is opened.
    let _closing = Closing(queue.clone());
    stream::iter(0..tasks)
        .map(|_| {
            let sum = sum(table.clone(), queue.clone(), Arc::clone(log));
            tasks::in_place(table, sum)
        })
        .buffer_unordered(tasks.max(1))
        .map(|counted| counted.unwrap_or_else(|_| Err(tasks::cut_off(table))))
        .try_fold(0, |sum, rows| async move { add(table, sum, rows) })
        .await
}

/// Closes a queue when it is dropped.
struct Closing(Queue);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The rows of the units of a queue, one after the other.
async fn sum(table: FormatTable, queue: Queue, log: Arc<ReadLog>) -> Result<u64> {
    let mut sum = 0;
    while let Some(unit) = queue.next() {
        let records = Arc::clone(log.records());
        let rows = match count_file(&table, &unit.path, unit.size, unit.range, records).await {
            Ok(rows) => rows,
            Err(error) => log.forgive(&table, &unit.path, error).map(|()| 0)?,
        };
        sum = add(&table, sum, rows)?;
    }
    Ok(sum)
}

fn add(table: &FormatTable, sum: u64, rows: u64) -> Result<u64> {
    match sum.checked_add(rows) {
        Some(sum) => Ok(sum),
        None => InternalSnafu {
            table: table.name(),
            message: "the row count does not fit 64 bits",
        }
        .fail(),
    }
}

/// The rows of a file or of a range of it. What of csv and json records is not as declared is added to `records`, as far
/// as counting looks at it.
pub(crate) async fn count_file(
    table: &FormatTable,
    path: &str,
    size: u64,
    range: Option<Range<u64>>,
    records: Arc<RecordCounts>,
) -> Result<u64> {
    let file = table
        .file_system()
        .open(path, Some(size))
        .await
        .context(table.io())?;
    let request = ReadRequest {
        file,
        range,
        fields: Arc::default(),
        table_fields: Arc::clone(table.data_fields()),
        batch_size: table.options().read_batch_size,
        options: Arc::clone(table.shared_options()),
        records,
    };
    table
        .file_format()
        .count_rows(request)
        .await
        .context(table.format_error())
}
