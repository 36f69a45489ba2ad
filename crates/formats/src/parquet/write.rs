//! Writing: batches to the bytes of one file, as Java Paimon lays them out.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema as ArrowSchema;
use bytes::Bytes;
use ftable_core::FormatTableOptions;
use ftable_core::types::to_arrow_schema;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::SchemaDescriptor;

use super::{NAME, dictionary, options, rows_only, schema};
use crate::error::{EncodeSnafu, Error, Result};
use crate::format::{FileEncoder, WriteRequest};

/// Starts a file.
pub(super) fn encoder(request: &WriteRequest) -> Result<Box<dyn FileEncoder>> {
    let parquet_schema = schema::parquet_schema(&request.fields)?;
    if request.fields.is_empty() {
        return Ok(Box::new(RowCounter {
            schema: parquet_schema,
            rows: 0,
        }));
    }
    let schema = to_arrow_schema(&request.fields)?;
    let properties = options::writer_properties(&request.options)?;
    Ok(Box::new(ParquetEncoder {
        schema,
        step: step(options::row_group_bytes(&request.options)),
        first: Some(FirstPage {
            options: Arc::clone(&request.options),
            properties,
            parquet_schema,
            most_bytes: most_bytes(&request.options),
            batches: Vec::new(),
            rows: 0,
            bytes: 0,
        }),
        writer: None,
    }))
}

/// Rows of the first page of a column, as Java's writer counts them by default.
const FIRST_PAGE_ROWS: usize = 20_000;
/// Bytes of rows that wait for the end of the first page.
const FIRST_PAGE_BYTES: u64 = 4 * 1024 * 1024;

/// A small file or row group begins early, as its size is not known before.
fn most_bytes(options: &FormatTableOptions) -> usize {
    let least = options
        .target_file_size
        .min(options.block_size.unwrap_or(u64::MAX))
        / 4;
    usize::try_from(least.min(FIRST_PAGE_BYTES)).unwrap_or(usize::MAX)
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
    /// The most rows given to the writer at a time.
    step: usize,
    /// Until the first page is complete.
    first: Option<FirstPage>,
    /// From then on.
    writer: Option<ArrowWriter<Vec<u8>>>,
}

/// The rows that decide which columns get a dictionary; that cannot be changed after.
struct FirstPage {
    options: Arc<FormatTableOptions>,
    properties: WriterProperties,
    parquet_schema: SchemaDescriptor,
    most_bytes: usize,
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl FirstPage {
    fn push(&mut self, batch: RecordBatch) {
        self.rows += batch.num_rows();
        self.bytes += sliced_size(&batch);
        self.batches.push(batch);
    }

    fn is_full(&self) -> bool {
        self.rows >= FIRST_PAGE_ROWS || self.bytes >= self.most_bytes
    }

    /// Starts the file with the rows that are here.
    fn begin(self, schema: Arc<ArrowSchema>, step: usize) -> Result<ArrowWriter<Vec<u8>>> {
        let plain = dictionary::not_worth_one(&self.batches);
        let properties = options::without_dictionaries(self.properties, &self.options, &plain);
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(true)
            .with_parquet_schema(self.parquet_schema);
        let mut writer = ArrowWriter::try_new_with_options(Vec::new(), schema, options)
            .map_err(|error| encode(&error))?;
        for batch in &self.batches {
            write(&mut writer, batch, step)?;
        }
        Ok(writer)
    }
}

/// The bytes of the rows of a batch, whatever it was cut from.
fn sliced_size(batch: &RecordBatch) -> usize {
    let sizes = batch.columns().iter().map(|column| {
        let size = column.to_data().get_slice_memory_size();
        size.unwrap_or_else(|_| column.get_array_memory_size())
    });
    sizes.sum()
}

impl ParquetEncoder {
    fn writer(&mut self) -> Result<&mut ArrowWriter<Vec<u8>>> {
        if let Some(first) = self.first.take() {
            self.writer = Some(first.begin(Arc::clone(&self.schema), self.step)?);
        }
        self.writer.as_mut().ok_or_else(|| {
            EncodeSnafu {
                format: NAME,
                message: "an error has ended the file",
            }
            .build()
        })
    }
}

fn write(writer: &mut ArrowWriter<Vec<u8>>, batch: &RecordBatch, step: usize) -> Result<()> {
    let mut from = 0;
    while from < batch.num_rows() {
        let rows = step.min(batch.num_rows() - from);
        writer
            .write(&batch.slice(from, rows))
            .map_err(|error| encode(&error))?;
        from += rows;
    }
    Ok(())
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
        let Some(first) = &mut self.first else {
            let step = self.step;
            return write(self.writer()?, &batch, step);
        };
        first.push(batch);
        if first.is_full() {
            self.writer()?;
        }
        Ok(())
    }

    fn encoded_size(&self) -> u64 {
        let waiting = self.first.as_ref().map_or(0, |first| first.bytes);
        let written = self.writer.as_ref().map_or(0, |writer| {
            writer.bytes_written() + writer.in_progress_size()
        });
        (waiting + written) as u64
    }

    fn memory_size(&self) -> u64 {
        let waiting = self.first.as_ref().map_or(0, |first| first.bytes);
        let written = self.writer.as_ref().map_or(0, ArrowWriter::memory_size);
        (waiting + written) as u64
    }

    fn flush(&mut self) -> Result<()> {
        self.writer()?.flush().map_err(|error| encode(&error))
    }

    fn take_bytes(&mut self) -> Bytes {
        let written = self.writer.as_mut();
        written.map_or_else(Bytes::new, |writer| {
            std::mem::take(writer.inner_mut()).into()
        })
    }

    fn finish(mut self: Box<Self>) -> Result<Bytes> {
        self.writer()?;
        let bytes = self.writer.map(ArrowWriter::into_inner).transpose();
        let bytes = bytes.map_err(|error| encode(&error))?;
        Ok(bytes.unwrap_or_default().into())
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
