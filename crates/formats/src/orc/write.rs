//! Writing what `orc-rust` can: flat columns without statistics.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema, TimeUnit};
use bytes::Bytes;
use ftable_core::options::keys::ORC_COMPRESS_SIZE;
use ftable_core::types::to_arrow_field;
use ftable_core::{DataField, FormatTableOptions, TypeKind};
use orc_rust::arrow_writer::{ArrowWriter, ArrowWriterBuilder};
use orc_rust::compression::CompressionType;

use super::NAME;
use super::chunks::LARGEST_BLOCK;
use crate::error::{EncodeSnafu, Error, Result, UnstorableSnafu, UnsupportedSnafu};
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
            columns.push(match arrow.data_type() {
                // ORC has no time of day: Java Paimon stores the milliseconds as INT.
                ArrowType::Time32(_) => {
                    Field::new(arrow.name(), ArrowType::Int32, arrow.is_nullable())
                }
                _ => arrow,
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
            check_timestamps(field.name(), column)?;
            self.negatives
                .entry(index)
                .or_default()
                .check(field.name(), column)?;
        }
        let columns: Vec<ArrayRef> = batch.columns().iter().map(time_as_int).collect();
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
        Ok(self.bytes.take().into())
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
            let mut writer = match settings.writer(bytes) {
                Ok(writer) => writer,
                Err(error) => {
                    let _ = answer.send(Err(error));
                    return;
                }
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

fn time_as_int(array: &ArrayRef) -> ArrayRef {
    match array.as_primitive_opt::<Time32MillisecondType>() {
        Some(times) => Arc::new(times.reinterpret_cast::<Int32Type>()),
        None => Arc::clone(array),
    }
}

/// Refuses what every ORC reader would take for another value.
///
/// Readers tell the seconds before 1970 by their sign, and 0 has none: a fraction of a millisecond or more in the
/// last second before 1970 would come back one second later (ORC-763).
fn check_timestamps(column: &str, array: &ArrayRef) -> Result<()> {
    let lost = match array.data_type() {
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            find::<TimestampMillisecondType>(array, -999)
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            find::<TimestampMicrosecondType>(array, -999_000)
        }
        ArrowType::Timestamp(TimeUnit::Nanosecond, _) => {
            find::<TimestampNanosecondType>(array, -999_000_000)
        }
        _ => None,
    };
    let Some(row) = lost else { return Ok(()) };
    let value = array_value_to_string(array, row).unwrap_or_else(|_| "?".to_owned());
    let reason = "ORC moves fractions in the last second before 1970 by a second; use parquet for such times";
    UnstorableSnafu {
        format: NAME,
        column,
        row,
        value,
        reason,
    }
    .fail()
}

/// The first row with a value from `least` to -1.
fn find<T: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef, least: i64) -> Option<usize> {
    let values = array.as_primitive_opt::<T>()?;
    let is_lost = |value: i64| (least..0).contains(&value);
    // Nulls may hide anything, so look at all values first and at nulls where one was found.
    if !values.values().iter().any(|value| is_lost(*value)) {
        return None;
    }
    (0..values.len()).find(|row| values.is_valid(*row) && is_lost(values.value(*row)))
}

/// Negative numbers of a BIGINT column that stand side by side.
///
/// Where the least BIGINT is among them `orc-rust` may pack them upon a base that has no room for its sign, and
/// would give back other numbers. It does so only for four and more, and never beside a number that is not negative.
#[derive(Debug, Default, Clone, Copy)]
struct Negatives {
    count: usize,
    has_least: bool,
}

impl Negatives {
    /// The most negative numbers side by side that are always packed otherwise.
    const SAFE: usize = 3;

    /// Refuses a column, whose values go on from those before, that could be packed wrongly.
    fn check(&mut self, column: &str, array: &ArrayRef) -> Result<()> {
        let Some(values) = array.as_primitive_opt::<Int64Type>() else {
            return Ok(());
        };
        if !self.has_least && !values.values().contains(&i64::MIN) {
            self.skip(values);
            return Ok(());
        }
        for row in (0..values.len()).filter(|row| values.is_valid(*row)) {
            let value = values.value(row);
            if value >= 0 {
                *self = Self::default();
                continue;
            }
            self.count += 1;
            self.has_least |= value == i64::MIN;
            if self.has_least && self.count > Self::SAFE {
                let value = i64::MIN.to_string();
                let reason = "the ORC encoder may lose the least BIGINT beside other negative ones; use parquet";
                return UnstorableSnafu {
                    format: NAME,
                    column,
                    row,
                    value,
                    reason,
                }
                .fail();
            }
        }
        Ok(())
    }
}

impl Negatives {
    /// Goes past a column without the least number: how many are negative at its end is all that counts.
    fn skip(&mut self, values: &PrimitiveArray<Int64Type>) {
        for row in (0..values.len())
            .rev()
            .filter(|row| values.is_valid(*row))
            .take(Self::SAFE)
        {
            if values.value(row) >= 0 {
                break;
            }
            self.count += 1;
        }
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
