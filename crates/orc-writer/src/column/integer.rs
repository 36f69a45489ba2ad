//! BYTE as run lengths of bytes; SHORT, INT, LONG and DATE as run lengths of integers.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use super::stream::{ByteStream, IntStream};
use super::values::for_valid_ranges;
use super::{Encoded, Encoder, Group, Refusal};
use crate::compress::Codec;
use crate::encode::bytes;
use crate::error::Result;
use crate::proto::{EncodingKind, StreamKind};
use crate::statistics::Values;
use crate::types::OrcKind;

/// The values that are not null, if the array is of integers of at most `width` bits, or of days.
fn integers(array: &dyn Array, width: u32, date: bool, out: &mut Vec<i64>) -> Result<(), Refusal> {
    fn copy<T>(array: &dyn Array, out: &mut Vec<i64>)
    where
        T: ArrowPrimitiveType,
        T::Native: Into<i64>,
    {
        let Some(array): Option<&PrimitiveArray<T>> = array.as_primitive_opt() else {
            return;
        };
        let copied = for_valid_ranges(array.nulls(), array.len(), |rows| {
            out.extend(array.values()[rows].iter().map(|value| (*value).into()));
            Ok::<_, Refusal>(())
        });
        debug_assert!(copied.is_ok());
    }
    out.clear();
    match array.data_type() {
        DataType::Date32 if date => copy::<Date32Type>(array, out),
        _ if date => return Err(Refusal::Type),
        DataType::Int8 => copy::<Int8Type>(array, out),
        DataType::UInt8 if width > 8 => copy::<UInt8Type>(array, out),
        DataType::Int16 if width >= 16 => copy::<Int16Type>(array, out),
        DataType::UInt16 if width > 16 => copy::<UInt16Type>(array, out),
        DataType::Int32 if width >= 32 => copy::<Int32Type>(array, out),
        DataType::Time32(TimeUnit::Second) if width >= 32 => copy::<Time32SecondType>(array, out),
        DataType::Time32(_) if width >= 32 => copy::<Time32MillisecondType>(array, out),
        DataType::UInt32 if width > 32 => copy::<UInt32Type>(array, out),
        DataType::Int64 if width >= 64 => copy::<Int64Type>(array, out),
        DataType::Time64(TimeUnit::Microsecond) if width >= 64 => {
            copy::<Time64MicrosecondType>(array, out);
        }
        DataType::Time64(_) if width >= 64 => copy::<Time64NanosecondType>(array, out),
        _ => return Err(Refusal::Type),
    }
    Ok(())
}

fn learn(group: &mut Group, values: &[i64]) {
    if let Values::Integer(range) | Values::Date(range) = &mut group.statistics.values {
        range.add(values);
    }
    if let Some(bloom) = &mut group.bloom {
        values.iter().for_each(|value| bloom.add_integer(*value));
    }
}

pub(super) struct IntegerEncoder {
    width: u32,
    date: bool,
    data: IntStream,
    scratch: Vec<i64>,
}

impl IntegerEncoder {
    pub(super) fn new(kind: &OrcKind) -> Self {
        Self {
            width: match kind {
                OrcKind::Short => 16,
                OrcKind::Long => 64,
                _ => 32,
            },
            date: *kind == OrcKind::Date,
            data: IntStream::signed(),
            scratch: Vec::new(),
        }
    }
}

impl Encoder for IntegerEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        integers(array, self.width, self.date, &mut self.scratch)?;
        learn(group, &self.scratch);
        self.data.push(&self.scratch);
        Ok(())
    }

    fn begin_group(&mut self) {
        self.data.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.data.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.data.encoded_bytes()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        let mut positions = Vec::new();
        let data = self.data.finish(codec, &mut positions)?;
        Ok(Encoded {
            encoding: EncodingKind::DirectV2,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, data)],
            positions,
        })
    }
}

pub(super) struct ByteEncoder {
    data: ByteStream,
    /// Bytes of the row group at hand, whose runs are not decided yet.
    pending: Vec<u8>,
    scratch: Vec<i64>,
}

impl ByteEncoder {
    pub(super) fn new() -> Self {
        Self {
            data: ByteStream::default(),
            pending: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn end_run(&mut self) {
        bytes::encode(&self.pending, self.data.tail());
        self.pending.clear();
    }
}

impl Encoder for ByteEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        integers(array, 8, false, &mut self.scratch)?;
        learn(group, &self.scratch);
        // Eight bits wide, so nothing is cut.
        self.pending
            .extend(self.scratch.iter().map(|value| *value as u8));
        Ok(())
    }

    fn begin_group(&mut self) {
        self.end_run();
        self.data.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.data.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.data.encoded_bytes() + self.pending.len()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        self.end_run();
        let mut positions = Vec::new();
        let data = self.data.finish(codec, &mut positions)?;
        // Every position is the start of a run.
        positions.iter_mut().for_each(|positions| positions.push(0));
        Ok(Encoded {
            encoding: EncodingKind::Direct,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, data)],
            positions,
        })
    }
}
