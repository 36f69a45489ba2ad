//! Row counts of files, from footers where there are any.

use std::ops::Range;
use std::sync::Arc;

use ftable_formats::ReadRequest;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::metrics::ReadLog;
use super::units::Unit;
use crate::error::{InternalSnafu, Result};
use crate::format_table::FormatTable;

/// Files counted side by side.
const CONCURRENT_FILES: usize = 32;

pub(super) async fn of_files(table: &FormatTable, units: Vec<Unit>, log: &ReadLog) -> Result<u64> {
    stream::iter(units)
        .map(|unit| count(table, unit, log))
        .buffer_unordered(CONCURRENT_FILES)
        .try_fold(0_u64, |sum, rows| async move {
            match sum.checked_add(rows) {
                Some(sum) => Ok(sum),
                None => InternalSnafu {
                    table: table.name(),
                    message: "the row count does not fit 64 bits",
                }
                .fail(),
            }
        })
        .await
}

async fn count(table: &FormatTable, unit: Unit, log: &ReadLog) -> Result<u64> {
    match count_file(table, &unit.path, unit.size, unit.range).await {
        Ok(rows) => Ok(rows),
        Err(error) => log.forgive(table, &unit.path, error).map(|()| 0),
    }
}

/// The rows of a file or of a range of it.
pub(crate) async fn count_file(
    table: &FormatTable,
    path: &str,
    size: u64,
    range: Option<Range<u64>>,
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
        records: Arc::default(),
    };
    table
        .file_format()
        .count_rows(request)
        .await
        .context(table.format_error())
}
