//! Writing: batches to the bytes of one file, as Java Paimon lays them out.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema as ArrowSchema};
use bytes::Bytes;
use ftable_core::types::to_arrow_field;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::PARQUET_FIELD_ID_META_KEY;
use parquet::errors::ParquetError;

use super::{NAME, options};
use crate::error::{EncodeSnafu, Error, Result};
use crate::format::{FileEncoder, WriteRequest};

/// The name Java Paimon gives the root of a Parquet schema.
const ROOT: &str = "paimon_schema";

pub(super) struct ParquetEncoder {
    schema: Arc<ArrowSchema>,
    writer: ArrowWriter<Vec<u8>>,
}

impl ParquetEncoder {
    pub(super) fn new(request: &WriteRequest) -> Result<Self> {
        let mut columns = Vec::with_capacity(request.fields.len());
        for field in request.fields.iter() {
            let arrow: Field = to_arrow_field(field)?;
            let mut metadata = arrow.metadata().clone();
            metadata.insert(PARQUET_FIELD_ID_META_KEY.to_owned(), field.id.to_string());
            columns.push(arrow.with_metadata(metadata));
        }
        let schema = Arc::new(ArrowSchema::new(columns));
        let writer_options = ArrowWriterOptions::new()
            .with_properties(options::writer_properties(&request.options)?)
            .with_skip_arrow_metadata(true)
            .with_schema_root(ROOT.to_owned());
        let writer = ArrowWriter::try_new_with_options(Vec::new(), Arc::clone(&schema), writer_options)
            .map_err(|error| encode(&error))?;
        Ok(Self { schema, writer })
    }
}

impl FileEncoder for ParquetEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = with_schema(batch, &self.schema)?;
        self.writer.write(&batch).map_err(|error| encode(&error))
    }

    fn encoded_size(&self) -> u64 {
        (self.writer.bytes_written() + self.writer.in_progress_size()) as u64
    }

    fn take_bytes(&mut self) -> Bytes {
        std::mem::take(self.writer.inner_mut()).into()
    }

    fn finish(self: Box<Self>) -> Result<Bytes> {
        self.writer.into_inner().map(Bytes::from).map_err(|error| encode(&error))
    }
}

/// The batch's columns under the writer's schema, which carries the field ids.
pub(crate) fn with_schema(batch: &RecordBatch, schema: &Arc<ArrowSchema>) -> Result<RecordBatch> {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), batch.columns().to_vec(), &options)
        .map_err(|error| EncodeSnafu { format: NAME, message: error.to_string() }.build())
}

fn encode(error: &ParquetError) -> Error {
    EncodeSnafu { format: NAME, message: error.to_string() }.build()
}
