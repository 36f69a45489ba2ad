//! What one task reads: a file or a range of one, with the values of its partition.

use std::sync::{Arc, Mutex, PoisonError};
use std::vec;

use ftable_core::Datum;
use ftable_core::predicate::{BoundPredicate, Known};
use snafu::ResultExt;

use super::columns::{Columns, Source};
use crate::error::{ForeignSnafu, Result};
use crate::format_table::FormatTable;
use crate::scan::Split;

/// Ranges that a file is cut into for reading side by side are not shorter.
const SHORTEST_RANGE: u64 = 8 * 1024 * 1024;

/// A file or a range of one.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Absolute path in the store.
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) range: Option<std::ops::Range<u64>>,
    pub(super) partition: Arc<PartitionConstants>,
}

/// Units in the order in which they are to be begun, shared by those who read them.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    units: Arc<Mutex<vec::IntoIter<Unit>>>,
}

impl Queue {
    pub(super) fn new(units: Vec<Unit>) -> Self {
        Self {
            units: Arc::new(Mutex::new(units.into_iter())),
        }
    }

    /// Lets those who read go no further than what they are at.
    pub(super) fn close(&self) {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        *units = Vec::new().into_iter();
    }

    /// The next one, for this caller alone.
    pub(super) fn next(&self) -> Option<Unit> {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        units.next()
    }
}

/// What is the same for all files of a partition.
#[derive(Debug)]
pub(super) struct PartitionConstants {
    pub(super) values: Vec<Option<Datum>>,
    /// What rows still have to satisfy.
    pub(super) filter: Option<BoundPredicate>,
}

impl Unit {
    /// Whether the partition's values have decided the filter for all rows.
    pub(super) fn is_decided(&self) -> bool {
        self.partition.filter.is_none()
    }
}

/// The files of splits, without those that the filter excludes by their partition.
pub(super) fn of_splits(
    table: &FormatTable,
    columns: &Columns,
    splits: &[Split],
) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    let mut last: Option<(&str, Option<Arc<PartitionConstants>>)> = None;
    for split in splits {
        split.check().map_err(|message| foreign(table, message))?;
        let path = split.partition().unwrap_or_default();
        if last.as_ref().is_none_or(|(known, _)| *known != path) {
            last = Some((path, constants(table, columns, split)?));
        }
        let Some((_, Some(partition))) = &last else {
            continue;
        };
        for file in split.files() {
            units.push(Unit {
                path: ftable_io::path::join(table.root(), &split.path_of(file)),
                size: file.size(),
                range: file.range(),
                partition: Arc::clone(partition),
            });
        }
    }
    Ok(units)
}

fn constants(
    table: &FormatTable,
    columns: &Columns,
    split: &Split,
) -> Result<Option<Arc<PartitionConstants>>> {
    let values = match split.partition() {
        None if table.codec().is_partitioned() => {
            return Err(foreign(
                table,
                "it names no partition of a partitioned table".to_owned(),
            ));
        }
        None => Vec::new(),
        Some(path) => table.codec().parse_path(path).context(table.core())?,
    };
    let mut filter = columns.filter().cloned();
    if let Some(predicate) = &filter {
        let known = |column: usize| match columns.source(column) {
            Some(Source::Partition(level)) => values.get(level).map_or(Known::Unknown, Known::from),
            _ => Known::Unknown,
        };
        let outcomes = predicate.outcomes(&known);
        if !outcomes.can_true {
            return Ok(None);
        }
        if !outcomes.can_false && !outcomes.can_null {
            filter = None;
        }
    }
    Ok(Some(Arc::new(PartitionConstants { values, filter })))
}

/// Cuts large files where there are too few units to keep every task busy.
pub(super) fn spread(table: &FormatTable, units: Vec<Unit>, parallelism: usize) -> Vec<Unit> {
    if parallelism < 2 || units.len() >= 2 * parallelism {
        return units;
    }
    let pieces_each = (2 * parallelism / units.len().max(1)) as u64;
    let mut spread = Vec::new();
    for unit in units {
        let whole = unit.range.clone().unwrap_or(0..unit.size);
        let length = whole.end - whole.start;
        let step = length.div_ceil(pieces_each.max(1)).max(SHORTEST_RANGE);
        if length <= step || !table.can_cut(&unit.path) {
            spread.push(unit);
            continue;
        }
        let mut start = whole.start;
        while start < whole.end {
            let end = whole.end.min(start.saturating_add(step));
            spread.push(Unit {
                range: Some(start..end),
                ..unit.clone()
            });
            start = end;
        }
    }
    spread
}

fn foreign(table: &FormatTable, message: String) -> crate::error::Error {
    ForeignSnafu {
        table: table.name(),
        what: "a split",
        message,
    }
    .build()
}
