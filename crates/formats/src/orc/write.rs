//! Writing what `orc-rust` can: flat columns without statistics and dictionaries.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType as ArrowType, Schema as ArrowSchema};
use bytes::Bytes;
use ftable_core::options::keys::ORC_COMPRESS_SIZE;
use ftable_core::types::to_arrow_field;
use ftable_core::{DataField, FormatTableOptions, TypeKind};
use orc_rust::arrow_writer::{ArrowWriter, ArrowWriterBuilder};
use orc_rust::compression::CompressionType;

use super::chunks::LARGEST_BLOCK;
use super::values::{self, Negatives};
use super::{NAME, retype};
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
    UnsupportedSnafu {
        format: NAME,
        what,
        reason: "the ORC encoder knows flat types without DECIMAL; use parquet",
    }
    .fail()
}

pub(super) struct OrcEncoder {
    fields: Arc<[DataField]>,
    schema: Arc<ArrowSchema>,
    worker: Worker,
    bytes: Shared,
    given_out: u64,
    /// Bytes of the batches since the last stripe was flushed, an upper bound of what the encoder holds.
    pending: u64,
    stripe_bytes: u64,
    /// By column.
    negatives: HashMap<usize, Negatives>,
}

impl OrcEncoder {
    pub(super) fn new(request: &WriteRequest) -> Result<Self> {
        request.fields.iter().try_for_each(check_column)?;
        let mut columns = Vec::with_capacity(request.fields.len());
        for field in request.fields.iter() {
            let arrow = to_arrow_field(field)?;
            columns.push(match values::is_widened(arrow.data_type()) {
                true => arrow.with_data_type(ArrowType::Int64),
                false => arrow,
            });
        }
        let schema = Arc::new(ArrowSchema::new(columns));
        let bytes = Shared::default();
        let settings = Settings {
            schema: Arc::clone(&schema),
            codec: codec(&request.options)?,
            chunk_bytes: chunk_bytes(&request.options)?,
            batch_size: request.options.write_batch_size.max(1),
            stripe_bytes: request.options.block_size.unwrap_or(STRIPE_BYTES).max(1),
        };
        let stripe_bytes = settings.stripe_bytes;
        let worker = Worker::start(settings, bytes.clone())?;
        Ok(Self {
            fields: Arc::clone(&request.fields),
            schema,
            worker,
            bytes,
            given_out: 0,
            pending: 0,
            stripe_bytes,
            negatives: HashMap::new(),
        })
    }
}

impl FileEncoder for OrcEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        for (index, field) in self.schema.fields().iter().enumerate() {
            let Some(column) = batch.columns().get(index) else {
                break;
            };
            values::check_timestamps(field.name(), column)?;
            self.negatives
                .entry(index)
                .or_default()
                .check(field.name(), column)?;
        }
        let columns: Vec<ArrayRef> = batch.columns().iter().map(values::widened).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| encode(&error.to_string()))?;
        let before = self.bytes.len();
        let added: usize = batch
            .columns()
            .iter()
            .map(|column| column.get_array_memory_size())
            .sum();
        self.worker.order(Order::Write(batch))?;
        self.pending = if self.bytes.len() > before {
            0
        } else {
            self.pending + added as u64
        };
        Ok(())
    }

    fn encoded_size(&self) -> u64 {
        // Of what is held in memory a fifth is expected in the file, Java Paimon's estimate.
        self.given_out + self.bytes.len() as u64 + self.pending.min(self.stripe_bytes) / 5
    }

    fn memory_size(&self) -> u64 {
        self.pending
    }

    fn flush(&mut self) -> Result<()> {
        if self.pending == 0 {
            // Nothing waits, and a stripe without rows would be one too many.
            return Ok(());
        }
        self.pending = 0;
        self.worker.order(Order::Flush)
    }

    fn take_bytes(&mut self) -> Bytes {
        let bytes = self.bytes.take();
        self.given_out += bytes.len() as u64;
        bytes.into()
    }

    fn finish(self: Box<Self>) -> Result<Bytes> {
        self.worker.finish()?;
        let end = retype::retyped(self.bytes.take(), &self.fields);
        end.map(Bytes::from).map_err(|message| encode(&message))
    }
}

struct Settings {
    schema: Arc<ArrowSchema>,
    codec: Option<CompressionType>,
    chunk_bytes: usize,
    batch_size: usize,
    stripe_bytes: u64,
}

impl Settings {
    fn writer(self, bytes: Shared) -> Result<ArrowWriter<Shared>> {
        let mut builder = ArrowWriterBuilder::new(bytes, self.schema)
            .with_batch_size(self.batch_size)
            .with_stripe_byte_size(usize::try_from(self.stripe_bytes).unwrap_or(usize::MAX));
        if let Some(codec) = self.codec {
            builder = builder
                .with_compression(codec)
                .with_compression_block_size(self.chunk_bytes);
        }
        builder
            .try_build()
            .map_err(|error| encode(&error.to_string()))
    }
}

/// The thread a writer lives on: `orc-rust`'s cannot move between threads.
struct Worker {
    orders: SyncSender<Order>,
    answers: Receiver<Result<()>>,
}

/// What the thread is told to do.
enum Order {
    Write(RecordBatch),
    /// End the stripe.
    Flush,
}

impl Worker {
    fn start(settings: Settings, bytes: Shared) -> Result<Self> {
        let (orders, received) = sync_channel::<Order>(0);
        let (answer, answers) = sync_channel(1);
        let work = move || {
            let (started, writer) = match settings.writer(bytes) {
                Ok(writer) => (Ok(()), Some(writer)),
                Err(error) => (Err(error), None),
            };
            let (Ok(()), Some(mut writer)) = (answer.send(started), writer) else {
                return;
            };
            while let Ok(order) = received.recv() {
                let done = match order {
                    Order::Write(batch) => writer.write(&batch),
                    Order::Flush => writer.flush_stripe(),
                };
                if answer
                    .send(done.map_err(|error| encode(&error.to_string())))
                    .is_err()
                {
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
        // Until the magic is written: what is written later is stripes.
        answers
            .recv()
            .unwrap_or_else(|_| Err(encode("the encoder gave up")))?;
        Ok(Self { orders, answers })
    }

    fn order(&self, order: Order) -> Result<()> {
        // A worker that has ended has left the reason.
        let _ = self.orders.send(order);
        self.answers
            .recv()
            .unwrap_or_else(|_| Err(encode("the encoder gave up")))
    }

    fn finish(self) -> Result<()> {
        let Self { orders, answers } = self;
        drop(orders);
        answers
            .recv()
            .unwrap_or_else(|_| Err(encode("the encoder gave up")))
    }
}

/// Bytes of a compression chunk.
fn chunk_bytes(options: &FormatTableOptions) -> Result<usize> {
    let size = options.format_options.get(&ORC_COMPRESS_SIZE)?;
    match usize::try_from(size)
        .ok()
        .filter(|size| (1..LARGEST_BLOCK).contains(&(*size as u64)))
    {
        Some(size) => Ok(size),
        None => {
            let what = format!("'{}' = '{size}'", ORC_COMPRESS_SIZE.name());
            UnsupportedSnafu {
                format: NAME,
                what,
                reason: "use 1 to 8388607 bytes",
            }
            .fail()
        }
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
            return UnsupportedSnafu {
                format: NAME,
                what,
                reason: "use none, zlib, snappy, lz4 or zstd",
            }
            .fail();
        }
    })
}

fn encode(message: &str) -> Error {
    EncodeSnafu {
        format: NAME,
        message,
    }
    .build()
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
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
