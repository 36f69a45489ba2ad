//! A file's columns and a partition's values → batches in the order asked for.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int8Array, RecordBatch, RecordBatchOptions};
use arrow_schema::DataType as ArrowType;
use arrow_select::filter::{FilterBuilder, prep_null_mask_filter};
use ftable_core::Datum;
use ftable_core::predicate::BoundPredicate;
use ftable_core::types::to_arrow_type;

use super::columns::{Columns, Source};
use super::filter::evaluate;
use crate::error::{Error, InternalSnafu, Result};
use crate::format_table::FormatTable;
use crate::value::constant;

/// Puts the batches of one partition together.
pub(super) struct Assembler {
    table: String,
    columns: Arc<Columns>,
    filter: Option<BoundPredicate>,
    keys: Vec<Key>,
    value_kind: Int8Array,
}

/// A partition key with its value as a column, as long as the longest batch so far.
struct Key {
    value: Option<Datum>,
    data_type: ArrowType,
    column: ArrayRef,
}

impl Assembler {
    pub(super) fn new(
        table: &FormatTable,
        columns: Arc<Columns>,
        values: &[Option<Datum>],
        filter: Option<BoundPredicate>,
    ) -> Result<Self> {
        let mut keys = Vec::with_capacity(values.len());
        for (field, value) in table.codec().keys().iter().zip(values) {
            let data_type = to_arrow_type(&field.data_type).map_err(|source| Error::Core {
                table: table.name().to_owned(),
                source,
            })?;
            let column = arrow_array::new_empty_array(&data_type);
            keys.push(Key {
                value: value.clone(),
                data_type,
                column,
            });
        }
        let name = table.name().to_owned();
        Ok(Self {
            table: name,
            columns,
            filter,
            keys,
            value_kind: Int8Array::from_value(0, 0),
        })
    }

    /// The rows of a decoded batch that match, with the columns asked for.
    pub(super) fn assemble(&mut self, decoded: &RecordBatch) -> Result<RecordBatch> {
        let rows = decoded.num_rows();
        let Some(filter) = self.filter.clone() else {
            return self.output(decoded, rows, None);
        };
        let columns = Arc::clone(&self.columns);
        let mask = evaluate(&filter, rows, &mut |column| {
            let source = columns
                .source(column)
                .ok_or("a filter's column was not read")?;
            self.column(source, decoded, rows)
                .map_err(|error| error.to_string())
        });
        let mask = mask.map_err(|message| self.internal(message))?;
        let mask = if mask.nulls().is_some() {
            prep_null_mask_filter(&mask)
        } else {
            mask
        };
        match mask.true_count() {
            matching if matching == rows => self.output(decoded, rows, None),
            matching => self.output(decoded, matching, Some(&mask)),
        }
    }

    fn output(
        &mut self,
        decoded: &RecordBatch,
        rows: usize,
        mask: Option<&BooleanArray>,
    ) -> Result<RecordBatch> {
        let columns = Arc::clone(&self.columns);
        let filter = mask.map(|mask| FilterBuilder::new(mask).optimize().build());
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.output().len() + 1);
        if columns.value_kind() {
            if self.value_kind.len() < rows {
                self.value_kind = Int8Array::from_value(0, rows);
            }
            arrays.push(Arc::new(self.value_kind.slice(0, rows)));
        }
        for source in columns.output() {
            arrays.push(match (source, &filter) {
                (Source::Data(_), Some(filter)) => {
                    let column = self.column(*source, decoded, decoded.num_rows())?;
                    filter
                        .filter(&column)
                        .map_err(|error| self.internal(error.to_string()))?
                }
                _ => self.column(*source, decoded, rows)?,
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(columns.schema()), arrays, &options)
            .map_err(|error| self.internal(error.to_string()))
    }

    fn column(&mut self, source: Source, decoded: &RecordBatch, rows: usize) -> Result<ArrayRef> {
        match source {
            Source::Data(index) => match decoded.columns().get(index) {
                Some(column) => Ok(Arc::clone(column)),
                None => Err(self.internal("a column was not decoded".to_owned())),
            },
            Source::Partition(level) => {
                match self.keys.get_mut(level).and_then(|key| key.repeated(rows)) {
                    Some(column) => Ok(column),
                    None => {
                        Err(self.internal("a partition value does not fit its column".to_owned()))
                    }
                }
            }
        }
    }

    fn internal(&self, message: String) -> Error {
        InternalSnafu {
            table: &self.table,
            message,
        }
        .build()
    }
}

impl Key {
    fn repeated(&mut self, rows: usize) -> Option<ArrayRef> {
        if self.column.len() < rows {
            self.column = constant(self.value.as_ref(), &self.data_type, rows)?;
        }
        Some(self.column.slice(0, rows))
    }
}
