//! One column of the file and those below it: what is null, what is known of its values, and where its row groups
//! start.
//!
//! | module | types |
//! | --- | --- |
//! | `boolean` | BOOLEAN |
//! | `integer` | BYTE, SHORT, INT, LONG, DATE |
//! | `float` | FLOAT, DOUBLE |
//! | `text` | STRING, CHAR, VARCHAR, with `dictionary` |
//! | `binary` | BINARY |
//! | `decimal` | DECIMAL |
//! | `timestamp` | TIMESTAMP, TIMESTAMP_INSTANT |
//! | `nested` | LIST, MAP, STRUCT |

mod binary;
mod boolean;
mod decimal;
mod dictionary;
mod float;
mod integer;
mod nested;
mod stream;
mod text;
mod timestamp;
mod values;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::BooleanBufferBuilder;

use crate::bloom::BloomFilter;
use crate::compress::Codec;
use crate::encode::bits::{self, BitPosition};
use crate::error::{Result, TypeMismatchSnafu};
use crate::options::WriterOptions;
use crate::proto::{
    BloomFilter as BloomMessage, ColumnStatistics, EncodingKind, RowIndexEntry, StreamKind,
};
use crate::statistics::Statistics;
use crate::stream::{FinishedStream, Stream};
use crate::types::{OrcKind, OrcType, join};

/// What is known of the values of the row group at hand.
pub(crate) struct Group {
    pub(crate) statistics: Statistics,
    pub(crate) bloom: Option<BloomFilter>,
}

/// Encodes the values of one column of a stripe that are not null.
pub(crate) trait Encoder: Send {
    /// Encodes the values of an array, whose type it checks, and takes them into what is known of the group.
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal>;

    /// Ends the runs at hand: the next value begins a row group.
    fn begin_group(&mut self);

    /// Compresses what fills chunks.
    fn settle(&mut self, codec: &mut Codec) -> Result<()>;

    /// Bytes that the values take, before compression and as far as it is known.
    fn encoded_bytes(&self) -> usize;

    /// Ends the stripe and begins another.
    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded>;
}

/// Why an encoder does not take an array; the column is added by whoever knows it.
pub(crate) enum Refusal {
    /// The array is of another type.
    Type,
    /// A value would come back as another.
    Value { value: String, reason: String },
}

/// The values of a column of a stripe.
pub(crate) struct Encoded {
    pub(crate) encoding: EncodingKind,
    pub(crate) dictionary_size: Option<u32>,
    /// In the order that positions follow.
    pub(crate) streams: Vec<(StreamKind, FinishedStream)>,
    /// Of every row group.
    pub(crate) positions: Vec<Vec<u64>>,
}

/// What a stripe holds of one column.
pub(crate) struct FinishedColumn {
    pub(crate) id: u32,
    pub(crate) encoding: EncodingKind,
    pub(crate) dictionary_size: Option<u32>,
    pub(crate) streams: Vec<(StreamKind, Vec<u8>)>,
    pub(crate) index: Vec<RowIndexEntry>,
    pub(crate) blooms: Vec<BloomMessage>,
    pub(crate) statistics: ColumnStatistics,
}

/// A column of the file.
pub(crate) struct Column {
    id: u32,
    path: String,
    kind: OrcKind,
    encoder: Box<dyn Encoder>,
    children: Vec<Column>,
    present: Present,
    group: Group,
    /// Entries and filters before the row group at hand.
    groups: Vec<(ColumnStatistics, Option<BloomMessage>)>,
    stripe: Statistics,
    file: Statistics,
    bytes_on_disk: u64,
    /// Values and false positives of a bloom filter, if there is one.
    bloom: Option<(usize, f64)>,
}

impl Column {
    /// The column of a type, and those below it, numbered from `next` on in pre-order.
    pub(crate) fn new(
        orc_type: &OrcType,
        path: String,
        next: &mut u32,
        options: &WriterOptions,
    ) -> Self {
        let id = *next;
        *next += 1;
        let kind = &orc_type.kind;
        let mut child =
            |name: &str, orc_type: &OrcType| Self::new(orc_type, join(&path, name), next, options);
        let children = match kind {
            OrcKind::List(element) => vec![child("element", element)],
            OrcKind::Map(key, value) => vec![child("key", key), child("value", value)],
            OrcKind::Struct(fields) => {
                let fields = fields.iter();
                fields
                    .map(|field| child(&field.name, &field.orc_type))
                    .collect()
            }
            _ => Vec::new(),
        };
        let direct = options.direct_columns.contains(&path);
        let threshold = if direct {
            0.0
        } else {
            options.dictionary_threshold
        };
        let wanted = options.bloom_columns.contains(&path) && has_bloom(kind);
        let bloom = wanted.then_some((options.row_index_stride, options.bloom_fpp));
        Self {
            id,
            path,
            kind: kind.clone(),
            encoder: encoder(kind, threshold),
            children,
            present: Present::new(),
            group: Group {
                statistics: Statistics::new(kind),
                bloom: None,
            },
            groups: Vec::new(),
            stripe: Statistics::new(kind),
            file: Statistics::new(kind),
            bytes_on_disk: 0,
            bloom,
        }
    }

    /// Paths of this column and those below it that may have a bloom filter.
    pub(crate) fn bloom_paths<'a>(&'a self, paths: &mut Vec<&'a str>) {
        if has_bloom(&self.kind) {
            paths.push(&self.path);
        }
        for child in &self.children {
            child.bloom_paths(paths);
        }
    }

    /// Writes rows of the root: columns that stand beside each other.
    pub(crate) fn write_rows(
        &mut self,
        columns: &[ArrayRef],
        rows: usize,
        codec: &mut Codec,
    ) -> Result<()> {
        self.group.statistics.count += rows as u64;
        for (child, array) in self.children.iter_mut().zip(columns) {
            child.write(array, codec)?;
        }
        Ok(())
    }

    /// Writes the slots of this column.
    fn write(&mut self, array: &ArrayRef, codec: &mut Codec) -> Result<()> {
        let unpacked = values::unpacked(array, &self.path)?;
        let array = unpacked.as_ref().unwrap_or(array);
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        match nulls {
            Some(nulls) => self.present.append(nulls.inner()),
            None => self.present.append_all(array.len()),
        }
        let null_count = nulls.map_or(0, arrow_buffer::NullBuffer::null_count);
        self.group.statistics.has_null |= null_count > 0;
        self.group.statistics.count += (array.len() - null_count) as u64;
        let written = self.encoder.write(array.as_ref(), &mut self.group);
        written.map_err(|refusal| refused(refusal, &self.path, array, &self.kind))?;
        self.encoder.settle(codec)?;
        if self.children.is_empty() {
            return Ok(());
        }
        let below = nested::children(array, &self.path)?;
        if below.len() != self.children.len() {
            return Err(refused(Refusal::Type, &self.path, array, &self.kind));
        }
        for (child, array) in self.children.iter_mut().zip(&below) {
            child.write(array, codec)?;
        }
        Ok(())
    }

    /// The rows to come are a row group.
    pub(crate) fn begin_group(&mut self) {
        self.encoder.begin_group();
        self.present.begin_group();
        let bloom = self.bloom;
        self.group.bloom = bloom.map(|(entries, fpp)| BloomFilter::new(entries, fpp));
        self.children.iter_mut().for_each(Self::begin_group);
    }

    /// The row group is complete.
    pub(crate) fn end_group(&mut self) {
        let empty = Statistics::new(&self.kind);
        let statistics = std::mem::replace(&mut self.group.statistics, empty);
        let bloom = self.group.bloom.take();
        let bloom = bloom.map(|bloom| bloom.message());
        self.groups.push((statistics.message(None), bloom));
        self.stripe.merge(&statistics);
        self.children.iter_mut().for_each(Self::end_group);
    }

    /// Bytes that the stripe at hand takes, before compression.
    pub(crate) fn encoded_bytes(&self) -> usize {
        let below: usize = self.children.iter().map(Self::encoded_bytes).sum();
        self.encoder.encoded_bytes() + self.present.bits.len() / 8 + below
    }

    /// Ends the stripe; appends what it holds of this column and of those below it.
    pub(crate) fn finish_stripe(
        &mut self,
        codec: &mut Codec,
        out: &mut Vec<FinishedColumn>,
    ) -> Result<()> {
        let encoded = self.encoder.finish(codec)?;
        let (present, present_positions) = self.present.finish(codec)?;
        let mut streams = Vec::new();
        streams.extend(present.map(|present| (StreamKind::Present, present.bytes)));
        let values = encoded.streams.into_iter();
        streams.extend(values.map(|(kind, stream)| (kind, stream.bytes)));
        let on_disk: usize = streams.iter().map(|(_, bytes)| bytes.len()).sum();
        self.bytes_on_disk += on_disk as u64;

        let mut index = Vec::with_capacity(self.groups.len());
        let mut blooms = Vec::new();
        for (number, (statistics, bloom)) in self.groups.drain(..).enumerate() {
            let mut positions = present_positions.get(number).cloned().unwrap_or_default();
            positions.extend(encoded.positions.get(number).into_iter().flatten());
            index.push(RowIndexEntry {
                positions,
                statistics: Some(statistics),
            });
            blooms.extend(bloom);
        }
        let stripe = std::mem::replace(&mut self.stripe, Statistics::new(&self.kind));
        out.push(FinishedColumn {
            id: self.id,
            encoding: encoded.encoding,
            dictionary_size: encoded.dictionary_size,
            streams,
            index,
            blooms,
            statistics: stripe.message(Some(on_disk as u64)),
        });
        self.file.merge(&stripe);
        for child in &mut self.children {
            child.finish_stripe(codec, out)?;
        }
        Ok(())
    }

    /// The statistics of the file, of this column and those below it in pre-order.
    pub(crate) fn file_statistics(&self, out: &mut Vec<ColumnStatistics>) {
        out.push(self.file.message(Some(self.bytes_on_disk)));
        for child in &self.children {
            child.file_statistics(out);
        }
    }
}

fn refused(refusal: Refusal, path: &str, array: &ArrayRef, kind: &OrcKind) -> crate::Error {
    let column = path.to_owned();
    match refusal {
        Refusal::Type => TypeMismatchSnafu {
            column,
            arrow: array.data_type().clone(),
            kind: kind.clone(),
        }
        .build(),
        Refusal::Value { value, reason } => crate::Error::Value {
            column,
            value,
            reason,
        },
    }
}

/// Whether ORC has bloom filters for a type.
fn has_bloom(kind: &OrcKind) -> bool {
    !matches!(
        kind,
        OrcKind::Boolean | OrcKind::List(_) | OrcKind::Map(..) | OrcKind::Struct(_)
    )
}

fn encoder(kind: &OrcKind, threshold: f64) -> Box<dyn Encoder> {
    match kind {
        OrcKind::Boolean => Box::new(boolean::BooleanEncoder::new()),
        OrcKind::Byte => Box::new(integer::ByteEncoder::new()),
        OrcKind::Short | OrcKind::Int | OrcKind::Long | OrcKind::Date => {
            Box::new(integer::IntegerEncoder::new(kind))
        }
        OrcKind::Float | OrcKind::Double => Box::new(float::FloatEncoder::new(kind)),
        OrcKind::String | OrcKind::Char { .. } | OrcKind::Varchar { .. } => {
            Box::new(text::TextEncoder::new(kind, threshold))
        }
        OrcKind::Binary => Box::new(binary::BinaryEncoder::new()),
        OrcKind::Decimal { precision, scale } => {
            Box::new(decimal::DecimalEncoder::new(*precision, *scale))
        }
        OrcKind::Timestamp | OrcKind::TimestampInstant => {
            let instant = *kind == OrcKind::TimestampInstant;
            Box::new(timestamp::TimestampEncoder::new(instant))
        }
        OrcKind::List(_) => Box::new(nested::CollectionEncoder::list()),
        OrcKind::Map(..) => Box::new(nested::CollectionEncoder::map()),
        OrcKind::Struct(_) => Box::new(nested::StructEncoder),
    }
}

/// Which slots of a stripe hold a value.
struct Present {
    bits: BooleanBufferBuilder,
    any_null: bool,
    /// The first slot of every row group.
    starts: Vec<usize>,
}

impl Present {
    fn new() -> Self {
        Self {
            bits: BooleanBufferBuilder::new(0),
            any_null: false,
            starts: Vec::new(),
        }
    }

    fn append(&mut self, valid: &arrow_buffer::BooleanBuffer) {
        self.any_null = true;
        self.bits.append_buffer(valid);
    }

    fn append_all(&mut self, slots: usize) {
        self.bits.append_n(slots, true);
    }

    fn begin_group(&mut self) {
        self.starts.push(self.bits.len());
    }

    /// The stream and the positions in it, both left out where nothing is null.
    fn finish(&mut self, codec: &mut Codec) -> Result<(Option<FinishedStream>, Vec<Vec<u64>>)> {
        let present = std::mem::replace(self, Self::new());
        if !present.any_null {
            return Ok((None, Vec::new()));
        }
        let (stream, positions) = finish_bits(&present.bits, &present.starts, codec)?;
        Ok((Some(stream), positions))
    }
}

/// A stream of bits with the positions of its row groups.
fn finish_bits(
    bits: &BooleanBufferBuilder,
    starts: &[usize],
    codec: &mut Codec,
) -> Result<(FinishedStream, Vec<Vec<u64>>)> {
    let mut stream = Stream::default();
    let positions = bits::encode(bits, starts, &mut stream);
    let finished = stream.finish(codec)?;
    let located = |position: &BitPosition| {
        let mut out = Vec::new();
        finished.locate(position.byte, &mut out);
        // A run begins there, and the bit lies in its first byte.
        out.extend([0, position.bit]);
        out
    };
    let positions = positions.iter().map(located).collect();
    Ok((finished, positions))
}
