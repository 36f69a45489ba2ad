//! Lines to batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use ftable_core::DataField;
use ftable_core::options::CsvMode;
use ftable_core::types::to_arrow_schema;

use super::NAME;
use super::dialect::{Dialect, is_blank};
use super::record::{Record, count_fields};
use crate::error::{EncodeSnafu, Result, UnsupportedSnafu};
use crate::format::{ReadRequest, RecordCounts};
use crate::lines::{BadLine, LineDecoder};
use crate::values::{Rejected, TextColumn};

/// Characters of a text that a message shows.
const SHOWN: usize = 80;

/// Makes rows of lines.
pub(super) struct CsvDecoder {
    dialect: Dialect,
    schema: SchemaRef,
    /// The columns asked for, in the order of the batches. Where none is and malformed lines are no rows, all columns:
    /// their values are looked at and dropped.
    columns: Vec<Column>,
    /// How many fields of a line are needed.
    needed: usize,
    /// How many fields a line should have.
    width: usize,
    rows: usize,
    record: Record,
    /// For fields that are only counted.
    spare: Record,
    counts: Arc<RecordCounts>,
}

struct Column {
    name: String,
    is_nullable: bool,
    /// Its field in a line.
    position: usize,
    values: TextColumn,
}

impl CsvDecoder {
    pub(super) fn new(request: &ReadRequest, dialect: Dialect) -> Result<Self> {
        let fields = &request.fields;
        let looked_at = match (fields.is_empty(), dialect.mode) {
            (true, CsvMode::DropMalformed) => &request.table_fields,
            _ => fields,
        };
        let columns = looked_at
            .iter()
            .map(|field| Column::new(field, &request.table_fields))
            .collect::<Result<Vec<_>>>()?;
        let last = columns.iter().map(|column| column.position + 1).max();
        Ok(Self {
            dialect,
            schema: to_arrow_schema(fields)?,
            columns,
            needed: last.unwrap_or_default(),
            width: request.table_fields.len(),
            rows: 0,
            record: Record::default(),
            spare: Record::default(),
            counts: Arc::clone(&request.records),
        })
    }

    /// Appends the fields of the record. A column that cannot be read is given with its text and why; it and those after
    /// it are not appended to.
    fn append(&mut self, line: &str) -> Result<Option<(usize, String)>, BadLine> {
        for (index, column) in self.columns.iter_mut().enumerate() {
            match self.record.get(line, column.position) {
                None => column.append_null()?,
                Some(text) => {
                    if let Err(rejected) = column.values.append(text) {
                        return Ok(Some((index, not_read(text, rejected))));
                    }
                }
            }
        }
        Ok(None)
    }

    fn append_nulls(&mut self, from: usize) -> Result<(), BadLine> {
        let columns = self.columns.get_mut(from..).unwrap_or_default();
        columns.iter_mut().try_for_each(Column::append_null)
    }

    /// Appends a row, or not, by the mode. Gives whether there is one.
    fn append_row(&mut self, line: &str) -> Result<bool, BadLine> {
        let Some((index, reason)) = self.append(line)? else {
            return Ok(true);
        };
        match self.dialect.mode {
            CsvMode::Permissive => {
                self.append_nulls(index)?;
                count(&self.counts.malformed);
                Ok(true)
            }
            CsvMode::DropMalformed => {
                count(&self.counts.dropped);
                Ok(false)
            }
            CsvMode::FailFast => {
                let column = self.columns.get(index).map(|column| column.name.clone());
                Err(BadLine { column, reason })
            }
        }
    }

    /// Counts a line that has fewer or more fields than the table has columns, `next` beginning the first that was not
    /// needed.
    fn count_width(&mut self, line: &str, next: Option<usize>) {
        let read = self.record.len();
        let found = match next {
            None => read,
            // One too many is enough to know.
            Some(_) if read >= self.width => read + 1,
            Some(next) => read + count_fields(&self.dialect, line, next, &mut self.spare),
        };
        if found < self.width {
            count(&self.counts.short);
        } else if found > self.width {
            count(&self.counts.long);
        }
    }

    fn take_back(&mut self) {
        for column in &mut self.columns {
            column.values.truncate(self.rows);
        }
    }
}

impl LineDecoder for CsvDecoder {
    fn line(&mut self, line: &str) -> Result<(), BadLine> {
        if self.columns.is_empty() {
            self.rows += 1;
            return Ok(());
        }
        let is_blank = is_blank(line);
        let mut next = None;
        let appended = if is_blank {
            self.append_nulls(0).map(|()| true)
        } else {
            next = self.record.read(&self.dialect, line, self.needed);
            self.append_row(line)
        };
        match appended {
            Ok(true) => {
                self.rows += 1;
                if !is_blank {
                    self.count_width(line, next);
                }
                Ok(())
            }
            Ok(false) => {
                self.take_back();
                Ok(())
            }
            Err(bad) => {
                self.take_back();
                Err(bad)
            }
        }
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn memory_size(&self) -> usize {
        let sizes = self
            .columns
            .iter()
            .map(|column| column.values.memory_size());
        sizes.sum()
    }

    fn take_batch(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.rows);
        let columns = self.columns.iter_mut();
        let mut arrays = columns
            .map(|column| column.values.finish())
            .collect::<Result<Vec<_>>>()?;
        arrays.truncate(self.schema.fields().len());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map_err(
            |error| {
                EncodeSnafu {
                    format: NAME,
                    message: error.to_string(),
                }
                .build()
            },
        )
    }
}

impl Column {
    fn new(field: &DataField, table: &[DataField]) -> Result<Self> {
        let position = table.iter().position(|column| column.name == field.name);
        let Some(position) = position else {
            return UnsupportedSnafu {
                format: NAME,
                what: format!("column {}", field.name),
                reason: "fields of lines belong to the columns of the table by position, and it is none of them",
            }
            .fail();
        };
        Ok(Self {
            name: field.name.clone(),
            is_nullable: field.data_type.is_nullable(),
            position,
            values: text_column(field)?,
        })
    }

    #[inline]
    fn append_null(&mut self) -> Result<(), BadLine> {
        if self.is_nullable {
            self.values.append_null();
            return Ok(());
        }
        Err(BadLine {
            column: Some(self.name.clone()),
            reason: "it is NOT NULL in the table but null in the line".to_owned(),
        })
    }
}

/// A column of values, or why csv has none of the type.
pub(super) fn text_column(field: &DataField) -> Result<TextColumn> {
    TextColumn::new(&field.data_type).ok_or_else(|| {
        UnsupportedSnafu {
            format: NAME,
            what: format!("column {} of type {}", field.name, field.data_type),
            reason: "a field of a line is one value; use json, parquet or orc",
        }
        .build()
    })
}

fn not_read(text: &str, rejected: Rejected) -> String {
    format!("'{}' is not {}", shown(text), rejected.expected)
}

/// A text for messages: cut where it is long, and on one line.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

fn escaped(character: char) -> impl Iterator<Item = char> {
    let control = character.is_control().then(|| character.escape_default());
    let plain = control.is_none().then_some(character);
    control.into_iter().flatten().chain(plain)
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
