//! Lines to values and back.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::SchemaRef;
use ftable_core::DataField;
use ftable_core::types::to_arrow_schema;

use super::NAME;
use crate::error::{EncodeSnafu, Error, Result};
use crate::lines::{BadLine, LineDecoder, RowRenderer};

/// Collects the lines of a file as values of the one column, or their number where it is not asked for.
pub(super) struct Values {
    schema: SchemaRef,
    values: StringBuilder,
    rows: usize,
}

impl Values {
    pub(super) fn new(fields: &[DataField]) -> Result<Self> {
        Ok(Self {
            schema: to_arrow_schema(fields)?,
            values: StringBuilder::with_capacity(0, 0),
            rows: 0,
        })
    }

    fn is_asked_for(&self) -> bool {
        !self.schema.fields().is_empty()
    }
}

impl LineDecoder for Values {
    #[inline]
    fn line(&mut self, line: &str) -> Result<(), BadLine> {
        if self.is_asked_for() {
            self.values.append_value(line);
        }
        self.rows += 1;
        Ok(())
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn memory_size(&self) -> usize {
        self.values.values_slice().len() + size_of_val(self.values.offsets_slice())
    }

    fn take_batch(&mut self) -> Result<RecordBatch> {
        let options =
            RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        let values: ArrayRef = Arc::new(self.values.finish());
        let columns = self.schema.fields().iter().map(|_| Arc::clone(&values));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns.collect(), &options)
            .map_err(|error| failed(error.to_string()))
    }
}

/// Writes each value and the delimiter.
pub(super) struct Renderer {
    delimiter: String,
}

impl Renderer {
    pub(super) fn new(delimiter: String) -> Self {
        Self { delimiter }
    }
}

impl RowRenderer for Renderer {
    fn header(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn rows(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let column = batch
            .columns()
            .first()
            .and_then(|array| array.as_string_opt());
        let values: &StringArray =
            column.ok_or_else(|| failed("a batch does not hold one column of texts".to_owned()))?;
        let offsets = values.value_offsets();
        let bytes = match (offsets.first(), offsets.last()) {
            (Some(first), Some(last)) => usize::try_from(last - first).unwrap_or_default(),
            _ => 0,
        };
        out.reserve(bytes + values.len() * self.delimiter.len());
        for value in values {
            out.extend_from_slice(value.unwrap_or_default().as_bytes());
            out.extend_from_slice(self.delimiter.as_bytes());
        }
        Ok(())
    }
}

fn failed(message: String) -> Error {
    EncodeSnafu {
        format: NAME,
        message,
    }
    .build()
}
