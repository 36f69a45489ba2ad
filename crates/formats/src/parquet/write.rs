//! Writing: batches to the bytes of one file, as Java Paimon lays them out.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema as ArrowSchema;
use bytes::Bytes;
use ftable_core::types::to_arrow_schema;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;

use super::{NAME, options, schema};
use crate::error::{EncodeSnafu, Error, Result};
use crate::format::{FileEncoder, WriteRequest};

/// Row groups of fewer bytes are filled with few rows at a time.
const SMALL_ROW_GROUP: usize = 16 * 1024 * 1024;
/// Rows given to the writer at a time for small row groups: it cuts a batch by recursion, once a row group.
const FEW_ROWS: usize = 1024;

pub(super) struct ParquetEncoder {
    schema: Arc<ArrowSchema>,
    writer: ArrowWriter<Vec<u8>>,
    /// The most rows given to the writer at a time.
    step: usize,
}

impl ParquetEncoder {
    pub(super) fn new(request: &WriteRequest) -> Result<Self> {
        let schema = to_arrow_schema(&request.fields)?;
        let writer_options = ArrowWriterOptions::new()
            .with_properties(options::writer_properties(&request.options)?)
            .with_skip_arrow_metadata(true)
            .with_parquet_schema(schema::parquet_schema(&request.fields)?);
        let writer =
            ArrowWriter::try_new_with_options(Vec::new(), Arc::clone(&schema), writer_options)
                .map_err(|error| encode(&error))?;
        let step = match options::row_group_bytes(&request.options) < SMALL_ROW_GROUP {
            true => FEW_ROWS,
            false => usize::MAX,
        };
        Ok(Self {
            schema,
            writer,
            step,
        })
    }
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

fn encode(error: &ParquetError) -> Error {
    EncodeSnafu {
        format: NAME,
        message: error.to_string(),
    }
    .build()
}
