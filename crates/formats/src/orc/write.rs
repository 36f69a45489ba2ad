//! Writing what `orc-rust` can: flat columns without statistics.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::types::{Int32Type, Time32MillisecondType};
use arrow_array::{Array, ArrayRef, RecordBatch, cast::AsArray};
use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema};
use bytes::Bytes;
use ftable_core::types::to_arrow_field;
use ftable_core::{DataField, FormatTableOptions, TypeKind};
use orc_rust::arrow_writer::{ArrowWriter, ArrowWriterBuilder};
use orc_rust::compression::CompressionType;

use super::NAME;
use crate::error::{EncodeSnafu, Error, Result, UnsupportedSnafu};
use crate::format::{FileEncoder, WriteRequest};

/// Estimated bytes of a stripe (ORC Java `orc.stripe.size`).
const STRIPE_BYTES: u64 = 64 * 1024 * 1024;

/// Refuses a column whose type the encoder does not know.
pub(super) fn check_column(field: &DataField) -> Result<()> {
    let known = matches!(
        field.data_type.kind(),
        TypeKind::Boolean
            | TypeKind::TinyInt
            | TypeKind::SmallInt
            | TypeKind::Int
            | TypeKind::BigInt
            | TypeKind::Float
            | TypeKind::Double
            | TypeKind::Char { .. }
            | TypeKind::VarChar { .. }
            | TypeKind::Binary { .. }
            | TypeKind::VarBinary { .. }
            | TypeKind::Date
            | TypeKind::Time { .. }
            | TypeKind::Timestamp { .. }
            | TypeKind::TimestampLtz { .. }
    );
    if known {
        return Ok(());
    }
    let what = format!("writing column {} of type {}", field.name, field.data_type);
    UnsupportedSnafu { format: NAME, what, reason: "the ORC encoder knows flat types without DECIMAL; use parquet" }
        .fail()
}

pub(super) struct OrcEncoder {
    schema: Arc<ArrowSchema>,
    worker: Worker,
    bytes: Shared,
    given_out: u64,
    /// Bytes of the batches since the last stripe was flushed, an upper bound of what the encoder holds.
    pending: u64,
    stripe_bytes: u64,
}

impl OrcEncoder {
    pub(super) fn new(request: &WriteRequest) -> Result<Self> {
        request.fields.iter().try_for_each(check_column)?;
        let mut columns = Vec::with_capacity(request.fields.len());
        for field in request.fields.iter() {
            let arrow = to_arrow_field(field)?;
            columns.push(match arrow.data_type() {
                // ORC has no time of day: Java Paimon stores the milliseconds as INT.
                ArrowType::Time32(_) => Field::new(arrow.name(), ArrowType::Int32, arrow.is_nullable()),
                _ => arrow,
            });
        }
        let schema = Arc::new(ArrowSchema::new(columns));
        let bytes = Shared::default();
        let settings = Settings {
            schema: Arc::clone(&schema),
            codec: codec(&request.options)?,
            batch_size: request.options.write_batch_size.max(1),
            stripe_bytes: request.options.block_size.unwrap_or(STRIPE_BYTES).max(1),
        };
        let stripe_bytes = settings.stripe_bytes;
        let worker = Worker::start(settings, bytes.clone())?;
        Ok(Self { schema, worker, bytes, given_out: 0, pending: 0, stripe_bytes })
    }
}

impl FileEncoder for OrcEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns: Vec<ArrayRef> = batch.columns().iter().map(time_as_int).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| encode(&error.to_string()))?;
        let before = self.bytes.len();
        let added: usize = batch.columns().iter().map(|column| column.get_array_memory_size()).sum();
        self.worker.write(batch)?;
        self.pending = if self.bytes.len() > before { 0 } else { self.pending + added as u64 };
        Ok(())
    }

    fn encoded_size(&self) -> u64 {
        // Of what is held in memory a fifth is expected in the file, Java Paimon's estimate.
        self.given_out + self.bytes.len() as u64 + self.pending.min(self.stripe_bytes) / 5
    }

    fn take_bytes(&mut self) -> Bytes {
        let bytes = self.bytes.take();
        self.given_out += bytes.len() as u64;
        bytes.into()
    }

    fn finish(self: Box<Self>) -> Result<Bytes> {
        self.worker.finish()?;
        Ok(self.bytes.take().into())
    }
}

struct Settings {
    schema: Arc<ArrowSchema>,
    codec: Option<CompressionType>,
    batch_size: usize,
    stripe_bytes: u64,
}

impl Settings {
    fn writer(self, bytes: Shared) -> Result<ArrowWriter<Shared>> {
        let mut builder = ArrowWriterBuilder::new(bytes, self.schema)
            .with_batch_size(self.batch_size)
            .with_stripe_byte_size(usize::try_from(self.stripe_bytes).unwrap_or(usize::MAX));
        if let Some(codec) = self.codec {
            builder = builder.with_compression(codec);
        }
        builder.try_build().map_err(|error| encode(&error.to_string()))
    }
}

/// The thread a writer lives on: `orc-rust`'s cannot move between threads.
struct Worker {
    batches: SyncSender<RecordBatch>,
    answers: Receiver<Result<()>>,
}

impl Worker {
    fn start(settings: Settings, bytes: Shared) -> Result<Self> {
        let (batches, received) = sync_channel::<RecordBatch>(0);
        let (answer, answers) = sync_channel(1);
        let work = move || {
            let mut writer = match settings.writer(bytes) {
                Ok(writer) => writer,
                Err(error) => {
                    let _ = answer.send(Err(error));
                    return;
                }
            };
            while let Ok(batch) = received.recv() {
                let written = writer.write(&batch).map_err(|error| encode(&error.to_string()));
                if answer.send(written).is_err() {
                    // The encoder was dropped: the file is not wanted.
                    return;
                }
            }
            let closed = writer.close().map_err(|error| encode(&error.to_string()));
            let _ = answer.send(closed);
        };
        std::thread::Builder::new()
            .name("orc-encoder".to_owned())
            .spawn(work)
            .map_err(|error| encode(&format!("no thread for the encoder: {error}")))?;
        Ok(Self { batches, answers })
    }

    fn write(&self, batch: RecordBatch) -> Result<()> {
        // A worker that has ended has left the reason.
        let _ = self.batches.send(batch);
        self.answer()
    }

    fn finish(self) -> Result<()> {
        let Self { batches, answers } = self;
        drop(batches);
        answers.recv().unwrap_or_else(|_| Err(encode("the encoder gave up")))
    }

    fn answer(&self) -> Result<()> {
        self.answers.recv().unwrap_or_else(|_| Err(encode("the encoder gave up")))
    }
}

fn time_as_int(array: &ArrayRef) -> ArrayRef {
    match array.as_primitive_opt::<Time32MillisecondType>() {
        Some(times) => Arc::new(times.reinterpret_cast::<Int32Type>()),
        None => Arc::clone(array),
    }
}

fn codec(options: &FormatTableOptions) -> Result<Option<CompressionType>> {
    Ok(match options.compression.as_str() {
        "none" => None,
        "zlib" => Some(CompressionType::Zlib),
        "snappy" => Some(CompressionType::Snappy),
        "lz4" => Some(CompressionType::Lz4),
        "zstd" => Some(CompressionType::Zstd),
        other => {
            let what = format!("'file.compression' = '{other}'");
            return UnsupportedSnafu { format: NAME, what, reason: "use none, zlib, snappy, lz4 or zstd" }.fail();
        }
    })
}

fn encode(message: &str) -> Error {
    EncodeSnafu { format: NAME, message }.build()
}

/// A buffer that the encoder writes into and its owner takes from.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
