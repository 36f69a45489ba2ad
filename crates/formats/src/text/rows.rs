//! Lines to values and back.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::SchemaRef;
use ftable_core::DataField;
use ftable_core::types::to_arrow_schema;
use memchr::memmem::Finder;

use super::NAME;
use crate::error::{EncodeSnafu, Error, Result, UnstorableSnafu};
use crate::lines::{BadLine, LineDecoder, LineFormat, RowRenderer};

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

/// Characters of a value that a message shows.
const SHOWN: usize = 80;

/// Writes each value and the delimiter. A value that holds the delimiter is written as it is, as Java does; one that the
/// reader would see another value in is refused.
pub(super) struct Renderer {
    column: String,
    delimiter: Finder<'static>,
    /// The reader takes any of the common line ends, and passes over a mark of the byte order.
    is_common: bool,
    is_first: bool,
}

impl Renderer {
    pub(super) fn new(fields: &[DataField], format: &LineFormat) -> Self {
        Self {
            column: fields
                .first()
                .map_or_else(String::new, |field| field.name.clone()),
            delimiter: Finder::new(format.delimiter.as_bytes()).into_owned(),
            is_common: format.has_common_ends(),
            is_first: true,
        }
    }

    fn check(&self, value: &str) -> Result<()> {
        if self.is_first && self.is_common && value.starts_with('\u{feff}') {
            return self.refuse(
                value,
                "begins with a byte order mark, which is passed over at the start of a file; put another row first",
            );
        }
        let needle = self.delimiter.needle();
        if needle.len() < 2 || self.is_common {
            return Ok(());
        }
        // Only the end of the value can be taken for a part of the delimiter.
        let overlap = value.len().min(needle.len() - 1);
        let tail = value.as_bytes().get(value.len() - overlap..);
        let seen = [tail.unwrap_or_default(), needle].concat();
        if self.delimiter.find(&seen) == Some(overlap)
            || self.delimiter.find(value.as_bytes()).is_some()
        {
            return Ok(());
        }
        self.refuse(
            value,
            "would be read as another value with the line delimiter behind it; choose another 'text.line-delimiter'",
        )
    }

    fn refuse(&self, value: &str, reason: &str) -> Result<()> {
        let shown: String = value.chars().take(SHOWN).collect();
        UnstorableSnafu {
            format: NAME,
            column: &self.column,
            value: format!("'{}'", shown.escape_debug()),
            reason,
        }
        .fail()
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
        let delimiter = self.delimiter.needle().len();
        out.reserve(bytes + values.len() * delimiter);
        for value in values {
            let value = value.unwrap_or_default();
            self.check(value)?;
            self.is_first = false;
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(self.delimiter.needle());
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
