//! Rows → partitions: the rows of a batch are grouped by their keys and each group goes to one directory.

use std::collections::HashMap;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_row::{RowConverter, SortField};
use arrow_select::take::take_arrays;
use ftable_core::Datum;
use ftable_core::types::to_arrow_type;
use snafu::ResultExt;

use super::check::Checked;
use crate::error::{InternalSnafu, Result, UnusableSnafu};
use crate::format_table::FormatTable;
use crate::value::datum_at;

/// Rows of one partition.
pub(super) struct Routed {
    /// The partition's number, in the order of first appearance.
    pub(super) partition: usize,
    pub(super) batch: RecordBatch,
    /// Bytes the rows take in memory.
    pub(super) bytes: u64,
}

impl Routed {
    pub(super) fn new(partition: usize, batch: RecordBatch) -> Self {
        let bytes = batch.get_array_memory_size() as u64;
        Self {
            partition,
            batch,
            bytes,
        }
    }
}

/// Where a partition's files go.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    /// Relative to the table; empty for an unpartitioned table.
    pub(super) path: String,
}

/// Finds the partition of every row.
pub(super) struct Router {
    table: FormatTable,
    /// Turns the keys of a row into bytes that are equal where the keys are; none without keys.
    converter: Option<RowConverter>,
    by_keys: HashMap<Box<[u8]>, usize>,
    /// Several keys may share a directory: null, the empty and the blank string do.
    by_path: HashMap<String, usize>,
    directories: Vec<Directory>,
}

impl Router {
    pub(super) fn new(table: &FormatTable) -> Result<Self> {
        let mut fields = Vec::new();
        for key in table.codec().keys() {
            fields.push(SortField::new(
                to_arrow_type(&key.data_type).context(table.core())?,
            ));
        }
        let converter = match fields.is_empty() {
            true => None,
            false => Some(RowConverter::new(fields).map_err(|error| {
                InternalSnafu {
                    table: table.name(),
                    message: error.to_string(),
                }
                .build()
            })?),
        };
        Ok(Self {
            table: table.clone(),
            converter,
            by_keys: HashMap::new(),
            by_path: HashMap::new(),
            directories: Vec::new(),
        })
    }

    /// The directory of a partition.
    pub(super) fn directory(&self, partition: usize) -> Directory {
        self.directories
            .get(partition)
            .cloned()
            .unwrap_or(Directory {
                path: String::new(),
            })
    }

    /// The partition that the caller named.
    pub(super) fn declared(&mut self, spec: &[(String, String)]) -> Result<usize> {
        let parsed = self
            .table
            .codec()
            .parse_spec(spec)
            .context(self.table.core())?;
        let mut values: Vec<Option<Option<Datum>>> = vec![None; self.table.codec().len()];
        for (level, value) in parsed {
            if let Some(slot) = values.get_mut(level) {
                *slot = Some(value);
            }
        }
        let missing = values
            .iter()
            .position(Option::is_none)
            .and_then(|level| self.table.partition_keys().get(level));
        if let Some(key) = missing {
            let message = format!(
                "the declared partition has no value for key '{key}'; give one for every key"
            );
            return UnusableSnafu {
                table: self.table.name(),
                message,
            }
            .fail();
        }
        let values: Vec<Option<Datum>> = values.into_iter().flatten().collect();
        self.partition_of(&values)
    }

    fn partition_of(&mut self, values: &[Option<Datum>]) -> Result<usize> {
        let path = self
            .table
            .codec()
            .relative_path(values)
            .context(self.table.core())?;
        if let Some(partition) = self.by_path.get(&path) {
            return Ok(*partition);
        }
        // Rows in a directory that does not read as a partition would be lost to every reader.
        self.table
            .codec()
            .parse_path(&path)
            .context(self.table.core())?;
        self.directories.push(Directory { path: path.clone() });
        self.by_path.insert(path, self.directories.len() - 1);
        Ok(self.directories.len() - 1)
    }

    /// Groups the rows of a batch; the order of rows within a partition is kept.
    pub(super) fn route(&mut self, checked: Checked) -> Result<Vec<Routed>> {
        let Checked { keys, data } = checked;
        if self.converter.is_none() {
            let partition = self.partition_of(&[])?;
            return Ok(vec![Routed::new(partition, data)]);
        }
        let partitions = self.partitions(&keys, data.num_rows())?;
        let first = partitions.first().copied().unwrap_or(0);
        if partitions.iter().all(|partition| *partition == first) {
            return Ok(vec![Routed::new(first, data)]);
        }
        self.grouped(&partitions, &data)
    }

    /// The partition of each row.
    fn partitions(&mut self, keys: &[ArrayRef], rows: usize) -> Result<Vec<usize>> {
        let table = self.table.clone();
        let internal = |message: String| {
            InternalSnafu {
                table: table.name(),
                message,
            }
            .build()
        };
        let Some(converter) = &self.converter else {
            return Ok(vec![0; rows]);
        };
        let converted = converter
            .convert_columns(keys)
            .map_err(|error| internal(error.to_string()))?;
        let mut partitions = Vec::with_capacity(rows);
        let mut last: Option<(&[u8], usize)> = None;
        for row in 0..rows {
            let key = converted.row(row).data();
            let partition = match last {
                // Neighbours often share a partition.
                Some((known, partition)) if known == key => partition,
                _ => match self.by_keys.get(key) {
                    Some(partition) => *partition,
                    None => {
                        let fields = self.table.codec().keys().iter();
                        let values = fields
                            .zip(keys)
                            .map(|(field, array)| datum_at(array, row, &field.data_type));
                        let values = values
                            .collect::<Result<Vec<_>, String>>()
                            .map_err(&internal)?;
                        let partition = self.partition_of(&values)?;
                        self.by_keys.insert(key.into(), partition);
                        partition
                    }
                },
            };
            last = Some((key, partition));
            partitions.push(partition);
        }
        Ok(partitions)
    }

    /// One copy of the batch in the order of the partitions, cut where the partition changes.
    fn grouped(&self, partitions: &[usize], data: &RecordBatch) -> Result<Vec<Routed>> {
        let internal = |message: String| {
            InternalSnafu {
                table: self.table.name(),
                message,
            }
            .build()
        };
        let mut groups: HashMap<usize, Vec<u32>> = HashMap::new();
        for (row, partition) in partitions.iter().enumerate() {
            let row = u32::try_from(row)
                .map_err(|_| internal("a batch has more than 2^32 rows".to_owned()))?;
            groups.entry(*partition).or_default().push(row);
        }
        let mut groups: Vec<(usize, Vec<u32>)> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|(partition, _)| *partition);
        let order: Vec<u32> = groups
            .iter()
            .flat_map(|(_, rows)| rows.iter().copied())
            .collect();
        let columns = take_arrays(data.columns(), &UInt32Array::from(order), None);
        let columns = columns.map_err(|error| internal(error.to_string()))?;
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(data.num_rows()));
        let sorted = RecordBatch::try_new_with_options(data.schema(), columns, &options)
            .map_err(|error| internal(error.to_string()))?;
        let bytes_per_row = sorted.get_array_memory_size() as u64 / sorted.num_rows().max(1) as u64;
        let mut start = 0;
        let cut = groups.into_iter().map(|(partition, rows)| {
            let batch = sorted.slice(start, rows.len());
            start += rows.len();
            Routed {
                partition,
                batch,
                bytes: bytes_per_row * rows.len() as u64,
            }
        });
        Ok(cut.collect())
    }
}
