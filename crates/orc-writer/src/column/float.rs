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
use crate::types::OrcKind;

pub(super) struct FloatEncoder {
    double: bool,
    data: ByteStream,
}

impl FloatEncoder {
    pub(super) fn new(kind: &OrcKind) -> Self {
        Self {
            double: *kind == OrcKind::Double,
            data: ByteStream::default(),
        }
    }

    /// Appends numbers of `N` bytes.
    fn write_all<T, const N: usize>(
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

impl Encoder for FloatEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        match (array.data_type(), self.double) {
            (DataType::Float16, false) => {
                let array = array.as_primitive::<Float16Type>();
                self.write_all(array, group, |value| value.to_f32().to_le_bytes())
            }
            (DataType::Float32, false) => {
                self.write_all(array.as_primitive::<Float32Type>(), group, f32::to_le_bytes)
            }
            (DataType::Float32, true) => {
                let array = array.as_primitive::<Float32Type>();
                self.write_all(array, group, |value| f64::from(value).to_le_bytes())
            }
            (DataType::Float64, true) => {
                self.write_all(array.as_primitive::<Float64Type>(), group, f64::to_le_bytes)
            }
            _ => Err(Refusal::Type),
        }
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
            encoding: EncodingKind::Direct,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, data)],
            positions,
        })
    }
}
