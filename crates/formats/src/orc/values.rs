//! Values on their way into a file: what is widened, and what is refused because it would come back as another.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, Int64Array, PrimitiveArray};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType as ArrowType, TimeUnit};

use super::NAME;
use crate::error::{Result, UnstorableSnafu};

/// Whether a column is given to the encoder as BIGINT; why is said in [`super::retype`].
pub(super) fn is_widened(arrow: &ArrowType) -> bool {
    matches!(
        arrow,
        ArrowType::Int16 | ArrowType::Int32 | ArrowType::Date32 | ArrowType::Time32(_)
    )
}

/// A column as it is given to the encoder.
pub(super) fn widened(array: &ArrayRef) -> ArrayRef {
    let wide: Int64Array = match array.data_type() {
        ArrowType::Int16 => array.as_primitive::<Int16Type>().unary(i64::from),
        ArrowType::Int32 => array.as_primitive::<Int32Type>().unary(i64::from),
        ArrowType::Date32 => array.as_primitive::<Date32Type>().unary(i64::from),
        ArrowType::Time32(TimeUnit::Millisecond) => array
            .as_primitive::<Time32MillisecondType>()
            .unary(i64::from),
        _ => return Arc::clone(array),
    };
    Arc::new(wide)
}

/// Refuses what every ORC reader would take for another value.
///
/// Readers tell the seconds before 1970 by their sign, and 0 has none: a fraction of a millisecond or more in the
/// last second before 1970 would come back one second later (ORC-763).
pub(super) fn check_timestamps(column: &str, array: &ArrayRef) -> Result<()> {
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
pub(super) struct Negatives {
    count: usize,
    has_least: bool,
}

impl Negatives {
    /// The most negative numbers side by side that are always packed otherwise.
    const SAFE: usize = 3;

    /// Refuses a column, whose values go on from those before, that could be packed wrongly.
    pub(super) fn check(&mut self, column: &str, array: &ArrayRef) -> Result<()> {
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
