//! TIMESTAMP and TIMESTAMP_INSTANT: seconds since 2015, and nanoseconds without their zeros
//! (specification: "Timestamp Columns").

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTimestampType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use super::stream::IntStream;
use super::values::for_valid_ranges;
use super::{Encoded, Encoder, Group, Refusal};
use crate::compress::Codec;
use crate::error::Result;
use crate::proto::{EncodingKind, StreamKind};
use crate::statistics::Values;

/// 2015-01-01 00:00:00 in seconds since 1970, both in UTC.
const BASE: i64 = 1_420_070_400;
const NANOS: i64 = 1_000_000_000;

pub(super) struct TimestampEncoder {
    instant: bool,
    seconds: IntStream,
    nanos: IntStream,
    /// Seconds and nanoseconds on their way into the streams.
    scratch: (Vec<i64>, Vec<i64>),
}

impl TimestampEncoder {
    pub(super) fn new(instant: bool) -> Self {
        Self {
            instant,
            seconds: IntStream::signed(),
            nanos: IntStream::unsigned(),
            scratch: (Vec::new(), Vec::new()),
        }
    }

    fn write_all<T: ArrowTimestampType>(
        &mut self,
        array: &PrimitiveArray<T>,
        per_second: i64,
        group: &mut Group,
    ) -> Result<(), Refusal> {
        let nanos_per_unit = NANOS / per_second;
        for_valid_ranges(array.nulls(), array.len(), |rows| {
            let values = &array.values()[rows];
            let (seconds, nanos) = &mut self.scratch;
            seconds.clear();
            nanos.clear();
            for &value in values {
                let (second, nano) =
                    stored(value, per_second).ok_or_else(|| lost(value, per_second))?;
                seconds.push(second);
                nanos.push(without_zeros(nano));
            }
            self.seconds.push(seconds);
            self.nanos.push(nanos);
            learn(group, values, nanos_per_unit);
            Ok(())
        })
    }
}

/// Seconds since the base and nanoseconds, as they are stored; `None` for what readers would take for another time.
///
/// Readers tell the seconds before 1970 by their sign once fractions of a millisecond or more count, and 0 has none:
/// such a fraction in the last second before 1970 would come back one second later (ORC-763).
fn stored(value: i64, per_second: i64) -> Option<(i64, i64)> {
    let second = value.div_euclid(per_second);
    let nano = value.rem_euclid(per_second) * (NANOS / per_second);
    let second = match nano > 999_999 {
        true if second == -1 => return None,
        true if second < 0 => second + 1,
        _ => second,
    };
    Some((second.checked_sub(BASE)?, nano))
}

fn lost(value: i64, per_second: i64) -> Refusal {
    if value >= 0 || value <= -per_second {
        return Refusal::Value {
            value: format!("{value} s since 1970"),
            reason: "is out of range".to_owned(),
        };
    }
    let nanos = value.rem_euclid(per_second) * (NANOS / per_second);
    let mut fraction = format!("{nanos:09}");
    while fraction.len() > 3 && fraction.ends_with("000") {
        fraction.truncate(fraction.len() - 3);
    }
    Refusal::Value {
        value: format!("1969-12-31T23:59:59.{fraction}"),
        reason: "lies in the last second before 1970, where ORC moves fractions by a second"
            .to_owned(),
    }
}

/// Nanoseconds with two zeros or more at their end taken off, and how many in the lowest three bits.
fn without_zeros(nanos: i64) -> i64 {
    if nanos == 0 {
        return 0;
    }
    if nanos % 100 != 0 {
        return nanos << 3;
    }
    let mut rest = nanos / 100;
    let mut zeros = 1;
    while rest % 10 == 0 && zeros < 7 {
        rest /= 10;
        zeros += 1;
    }
    rest << 3 | zeros
}

fn learn(group: &mut Group, values: &[i64], nanos_per_unit: i64) {
    let scaled = |value: i64| i128::from(value) * i128::from(nanos_per_unit);
    if let Values::Timestamp(range) = &mut group.statistics.values
        && let (Some(least), Some(most)) = (values.iter().min(), values.iter().max())
    {
        range.least = range.least.min(scaled(*least));
        range.most = range.most.max(scaled(*most));
    }
    if let Some(bloom) = &mut group.bloom {
        for value in values {
            let millis = scaled(*value).div_euclid(1_000_000);
            // Only seconds reach past 64 bits of milliseconds, and those are refused before.
            bloom.add_integer(i64::try_from(millis).unwrap_or(i64::MAX));
        }
    }
}

impl Encoder for TimestampEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        let DataType::Timestamp(unit, zone) = array.data_type() else {
            return Err(Refusal::Type);
        };
        if zone.is_some() != self.instant {
            return Err(Refusal::Type);
        }
        match unit {
            TimeUnit::Second => {
                self.write_all(array.as_primitive::<TimestampSecondType>(), 1, group)
            }
            TimeUnit::Millisecond => {
                let array = array.as_primitive::<TimestampMillisecondType>();
                self.write_all(array, 1_000, group)
            }
            TimeUnit::Microsecond => {
                let array = array.as_primitive::<TimestampMicrosecondType>();
                self.write_all(array, 1_000_000, group)
            }
            TimeUnit::Nanosecond => {
                let array = array.as_primitive::<TimestampNanosecondType>();
                self.write_all(array, NANOS, group)
            }
        }
    }

    fn begin_group(&mut self) {
        self.seconds.begin_group();
        self.nanos.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.seconds.settle(codec)?;
        self.nanos.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.seconds.encoded_bytes() + self.nanos.encoded_bytes()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        let mut positions = Vec::new();
        let seconds = self.seconds.finish(codec, &mut positions)?;
        let nanos = self.nanos.finish(codec, &mut positions)?;
        Ok(Encoded {
            encoding: EncodingKind::DirectV2,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, seconds), (StreamKind::Secondary, nanos)],
            positions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted() {
        for (nanos, expected) in [
            (0, 0),
            (1, 8),
            (1_000, 0x0a),
            (100_000, 0x0c),
            (500_000_000, 47),
            (123_456_789, 987_654_312),
        ] {
            assert_eq!(without_zeros(nanos), expected, "{nanos}");
        }
    }

    #[test]
    fn seconds_before_1970_carry_their_fraction() {
        // -1.5 s: two seconds before, and half a second.
        assert_eq!(stored(-1_500, 1_000), Some((-1 - BASE, 500_000_000)));
        assert_eq!(stored(-1_000, 1_000), Some((-1 - BASE, 0)));
        assert_eq!(stored(-500, 1_000), None);
        // Less than a millisecond after the second is not shifted, so it is not lost either.
        assert_eq!(stored(-999_999, 1_000_000), Some((-1 - BASE, 1_000)));
        assert_eq!(stored(0, 1), Some((-BASE, 0)));
        assert_eq!(stored(i64::MIN, 1), None);
    }
}
