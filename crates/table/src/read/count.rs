//! Row counts from footers.

use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::metrics::ReadLog;
use super::units::Unit;
use crate::error::{InternalSnafu, Result};
use crate::format_table::FormatTable;

/// Footers read side by side.
const CONCURRENT_FOOTERS: usize = 32;

pub(super) async fn from_footers(
    table: &FormatTable,
    units: Vec<Unit>,
    log: &ReadLog,
) -> Result<u64> {
    stream::iter(units)
        .map(|unit| count(table, unit, log))
        .buffer_unordered(CONCURRENT_FOOTERS)
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
    let path = unit.path.clone();
    match from_footer(table, unit).await {
        Ok(rows) => Ok(rows),
        Err(error) => log.forgive(table, &path, error).map(|()| 0),
    }
}

async fn from_footer(table: &FormatTable, unit: Unit) -> Result<u64> {
    let file = table
        .file_system()
        .open(&unit.path, Some(unit.size))
        .await
        .context(table.io())?;
    table
        .file_format()
        .count_rows(file, unit.range, table.options())
        .await
        .context(table.format_error())
}
