//! DECIMAL: varints of the unscaled values, and the scale of each.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::DataType;

use super::stream::{ByteStream, IntStream};
use super::values::for_valid_ranges;
use super::{Encoded, Encoder, Group, Refusal};
use crate::compress::Codec;
use crate::encode::varint;
use crate::error::Result;
use crate::proto::{EncodingKind, StreamKind};
use crate::statistics::{Values, decimal_text};

pub(super) struct DecimalEncoder {
    precision: u8,
    scale: u8,
    /// The least magnitude that has too many digits.
    limit: u128,
    data: ByteStream,
    scales: IntStream,
}

impl DecimalEncoder {
    pub(super) fn new(precision: u8, scale: u8) -> Self {
        Self {
            precision,
            scale,
            // There are at most 38 digits, and 10^38 fits.
            limit: 10_u128.saturating_pow(u32::from(precision)),
            data: ByteStream::default(),
            scales: IntStream::signed(),
        }
    }

    fn write_all<T: ArrowPrimitiveType>(
        &mut self,
        array: &PrimitiveArray<T>,
        group: &mut Group,
        unscaled: impl Fn(T::Native) -> Option<i128>,
    ) -> Result<(), Refusal> {
        for_valid_ranges(array.nulls(), array.len(), |rows| {
            let count = rows.len();
            for &native in &array.values()[rows] {
                let value = unscaled(native).filter(|value| value.unsigned_abs() < self.limit);
                let Some(value) = value else {
                    return Err(self.too_long(unscaled(native)));
                };
                varint::wide(value, self.data.tail());
                learn(group, value, self.scale);
            }
            let scale = i64::from(self.scale);
            self.scales.extend(std::iter::repeat_n(scale, count));
            Ok(())
        })
    }

    fn too_long(&self, value: Option<i128>) -> Refusal {
        let precision = self.precision;
        Refusal::Value {
            value: value.map_or_else(
                || "a number past 128 bits".to_owned(),
                |value| decimal_text(value, self.scale),
            ),
            reason: format!("has more digits than the {precision} of its type"),
        }
    }
}

fn learn(group: &mut Group, value: i128, scale: u8) {
    if let Values::Decimal { range, .. } = &mut group.statistics.values {
        range.add(value);
    }
    if let Some(bloom) = &mut group.bloom {
        bloom.add_bytes(shortest_text(value, scale).as_bytes());
    }
}

/// The decimal without zeros at its end, as Hive spells it.
fn shortest_text(unscaled: i128, scale: u8) -> String {
    let text = decimal_text(unscaled, scale);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Encoder for DecimalEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        let scale = match array.data_type() {
            DataType::UInt64 => 0,
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => *scale,
            _ => return Err(Refusal::Type),
        };
        if u8::try_from(scale).ok() != Some(self.scale) {
            return Err(Refusal::Type);
        }
        match array.data_type() {
            DataType::UInt64 => {
                let array = array.as_primitive::<UInt64Type>();
                self.write_all(array, group, |value| Some(value.into()))
            }
            DataType::Decimal32(..) => {
                let array = array.as_primitive::<Decimal32Type>();
                self.write_all(array, group, |value| Some(value.into()))
            }
            DataType::Decimal64(..) => {
                let array = array.as_primitive::<Decimal64Type>();
                self.write_all(array, group, |value| Some(value.into()))
            }
            DataType::Decimal128(..) => {
                let array = array.as_primitive::<Decimal128Type>();
                self.write_all(array, group, Some)
            }
            _ => {
                let array = array.as_primitive::<Decimal256Type>();
                self.write_all(array, group, |value| value.to_i128())
            }
        }
    }

    fn begin_group(&mut self) {
        self.data.begin_group();
        self.scales.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.data.settle(codec)?;
        self.scales.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.data.encoded_bytes() + self.scales.encoded_bytes()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        let mut positions = Vec::new();
        let data = self.data.finish(codec, &mut positions)?;
        let scales = self.scales.finish(codec, &mut positions)?;
        Ok(Encoded {
            encoding: EncodingKind::DirectV2,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, data), (StreamKind::Secondary, scales)],
            positions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_hold_what_hive_spells() {
        assert_eq!(shortest_text(150, 2), "1.5");
        assert_eq!(shortest_text(200, 2), "2");
        assert_eq!(shortest_text(200, 0), "200");
        assert_eq!(shortest_text(0, 3), "0");
        assert_eq!(shortest_text(-10, 3), "-0.01");
    }
}
