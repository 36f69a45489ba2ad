//! Writing: batches to the bytes of one file, as Java Paimon lays them out.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema as ArrowSchema;
use bytes::Bytes;
use ftable_core::types::to_arrow_schema;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;
use parquet::schema::types::SchemaDescriptor;

use super::{NAME, options, rows_only, schema};
use crate::error::{EncodeSnafu, Error, Result};
use crate::format::{FileEncoder, WriteRequest};

/// Starts a file.
pub(super) fn encoder(request: &WriteRequest) -> Result<Box<dyn FileEncoder>> {
    let properties = options::writer_properties(&request.options)?;
    let parquet_schema = schema::parquet_schema(&request.fields)?;
    if request.fields.is_empty() {
        return Ok(Box::new(RowCounter {
            schema: parquet_schema,
            rows: 0,
        }));
    }
    let schema = to_arrow_schema(&request.fields)?;
    let writer_options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(parquet_schema);
    let writer = ArrowWriter::try_new_with_options(Vec::new(), Arc::clone(&schema), writer_options)
        .map_err(|error| encode(&error))?;
    let step = step(options::row_group_bytes(&request.options));
    Ok(Box::new(ParquetEncoder {
        schema,
        writer,
        step,
    }))
}

/// The most rows given to the writer at a time: it looks at the size of a row group between two batches, and cuts a
/// batch that does not fit by recursion.
fn step(row_group_bytes: usize) -> usize {
    const MIB: usize = 1024 * 1024;
    const SMALL: usize = 16 * MIB - 1;
    match row_group_bytes {
        // As few rows as Java looks after.
        ..MIB => 100,
        MIB..=SMALL => 1024,
        _ => usize::MAX,
    }
}

struct ParquetEncoder {
    schema: Arc<ArrowSchema>,
    writer: ArrowWriter<Vec<u8>>,
    /// The most rows given to the writer at a time.
    step: usize,
}

impl FileEncoder for ParquetEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let (schema, columns) = (Arc::clone(&self.schema), batch.columns().to_vec());
        let batch =
            RecordBatch::try_new_with_options(schema, columns, &options).map_err(|error| {
                EncodeSnafu {
                    format: NAME,
                    message: error.to_string(),
                }
                .build()
            })?;
        let mut from = 0;
        while from < batch.num_rows() {
            let rows = self.step.min(batch.num_rows() - from);
            self.writer
                .write(&batch.slice(from, rows))
                .map_err(|error| encode(&error))?;
            from += rows;
        }
        Ok(())
    }

    fn encoded_size(&self) -> u64 {
        (self.writer.bytes_written() + self.writer.in_progress_size()) as u64
    }

    fn memory_size(&self) -> u64 {
        self.writer.memory_size() as u64
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|error| encode(&error))
    }

    fn take_bytes(&mut self) -> Bytes {
        std::mem::take(self.writer.inner_mut()).into()
    }

    fn finish(self: Box<Self>) -> Result<Bytes> {
        self.writer
            .into_inner()
            .map(Bytes::from)
            .map_err(|error| encode(&error))
    }
}

/// Counts the rows of a file without columns.
struct RowCounter {
    schema: SchemaDescriptor,
    rows: u64,
}

impl FileEncoder for RowCounter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn encoded_size(&self) -> u64 {
        0
    }

    fn memory_size(&self) -> u64 {
        0
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn take_bytes(&mut self) -> Bytes {
        Bytes::new()
    }

    fn finish(self: Box<Self>) -> Result<Bytes> {
        rows_only::file(self.rows, self.schema, options::CREATED_BY).map_err(|error| encode(&error))
    }
}

fn encode(error: &ParquetError) -> Error {
    EncodeSnafu {
        format: NAME,
        message: error.to_string(),
    }
    .build()
}
