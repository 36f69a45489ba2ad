//! FLOAT and DOUBLE: IEEE 754, little-endian.

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::DataType;

use super::stream::ByteStream;
use super::values::for_valid_ranges;
use super::{Encoded, Encoder, Group, Refusal};
use crate::compress::Codec;
use crate::error::Result;
use crate::proto::{EncodingKind, StreamKind};
use crate::statistics::{Range, Values};

/// A stream of numbers of `N` bytes.
struct Numbers<const N: usize> {
    data: ByteStream,
}

impl<const N: usize> Numbers<N> {
    fn write<T>(
        &mut self,
        array: &PrimitiveArray<T>,
        group: &mut Group,
        encode: impl Fn(T::Native) -> [u8; N],
    ) -> Result<(), Refusal>
    where
        T: ArrowPrimitiveType,
        T::Native: Into<f64>,
    {
        for_valid_ranges(array.nulls(), array.len(), |rows| {
            let values = &array.values()[rows];
            let tail = self.data.tail();
            let before = tail.len();
            tail.resize(before + values.len() * N, 0);
            let places = tail[before..].as_chunks_mut::<N>().0;
            for (place, value) in places.iter_mut().zip(values) {
                *place = encode(*value);
            }
            learn(group, values.iter().map(|value| (*value).into()));
            Ok(())
        })
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        let mut positions = Vec::new();
        let data = self.data.finish(codec, &mut positions)?;
        Ok(Encoded {
            encoding: EncodingKind::Direct,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, data)],
            positions,
        })
    }
}

fn learn(group: &mut Group, values: impl Iterator<Item = f64> + Clone) {
    if let Values::Double { bounds } = &mut group.statistics.values {
        *bounds = bounds.and_then(|range| widened(range, values.clone()));
    }
    if let Some(bloom) = &mut group.bloom {
        values.for_each(|value| bloom.add_double(value));
    }
}

/// The range with further values in it; `None` if one is NaN.
fn widened(range: Range<f64, f64>, values: impl Iterator<Item = f64>) -> Option<Range<f64, f64>> {
    let Range {
        mut least,
        mut most,
        mut sum,
    } = range;
    let mut nan = false;
    for value in values {
        nan |= value.is_nan();
        least = if value < least { value } else { least };
        most = if value > most { value } else { most };
        sum += value;
    }
    (!nan).then_some(Range { least, most, sum })
}

pub(super) struct FloatEncoder(Numbers<4>);

impl FloatEncoder {
    pub(super) fn new() -> Self {
        let data = ByteStream::default();
        Self(Numbers { data })
    }
}

impl Encoder for FloatEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        match array.data_type() {
            DataType::Float16 => {
                let array = array.as_primitive::<Float16Type>();
                self.0
                    .write(array, group, |value| value.to_f32().to_le_bytes())
            }
            DataType::Float32 => {
                let array = array.as_primitive::<Float32Type>();
                self.0.write(array, group, f32::to_le_bytes)
            }
            _ => Err(Refusal::Type),
        }
    }

    fn begin_group(&mut self) {
        self.0.data.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.0.data.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.0.data.encoded_bytes()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        self.0.finish(codec)
    }
}

pub(super) struct DoubleEncoder(Numbers<8>);

impl DoubleEncoder {
    pub(super) fn new() -> Self {
        let data = ByteStream::default();
        Self(Numbers { data })
    }
}

impl Encoder for DoubleEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        match array.data_type() {
            DataType::Float32 => {
                let array = array.as_primitive::<Float32Type>();
                self.0
                    .write(array, group, |value| f64::from(value).to_le_bytes())
            }
            DataType::Float64 => {
                let array = array.as_primitive::<Float64Type>();
                self.0.write(array, group, f64::to_le_bytes)
            }
            _ => Err(Refusal::Type),
        }
    }

    fn begin_group(&mut self) {
        self.0.data.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.0.data.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.0.data.encoded_bytes()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        self.0.finish(codec)
    }
}
