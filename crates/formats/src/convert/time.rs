//! Times, dates and timestamps: whole units, never wrapped.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Int32Type, Int64Type, Time32MillisecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, TimestampMicrosecondArray};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType as ArrowType, TimeUnit};

type Units = PrimitiveArray<Int64Type>;

const MILLIS_PER_DAY: i64 = 86_400_000;
const NANOS_PER_DAY: i128 = 86_400_000_000_000;
/// The Julian day that begins at noon of 1970-01-01, by which INT96 counts days.
const JULIAN_EPOCH: i32 = 2_440_588;

pub(super) fn units_per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Timestamps in another unit, or the position of the first that is none.
pub(super) fn scale(
    array: &ArrayRef,
    multiply: i64,
    divide: i64,
    target: &ArrowType,
) -> Result<ArrayRef, usize> {
    let values = units(array).ok_or(0_usize)?;
    if multiply == 1 && divide == 1 {
        return with_unit(values, target).ok_or(0);
    }
    let scaled = convert(&values, |value| match divide {
        1 => value.checked_mul(multiply),
        _ => exact_quotient(value, divide),
    })?;
    with_unit(scaled, target).ok_or(0)
}

/// Parts of a day as its milliseconds, or the position of the first that is no time of day.
pub(super) fn time_of_day(array: &ArrayRef, divide: i64) -> Result<ArrayRef, usize> {
    let values = units(array).ok_or(0_usize)?;
    let millis = convert(&values, |value| {
        exact_quotient(value, divide).filter(|millis| (0..MILLIS_PER_DAY).contains(millis))
    })?;
    // In range, as just checked.
    let millis: PrimitiveArray<Time32MillisecondType> = millis.unary(|value| value as i32);
    Ok(Arc::new(millis))
}

/// Days as the timestamps of their midnights.
pub(super) fn midnight(
    array: &ArrayRef,
    per_day: i64,
    target: &ArrowType,
) -> Result<ArrayRef, usize> {
    let days = array.as_primitive_opt::<Date32Type>().ok_or(0_usize)?;
    let days: Units = days.unary(i64::from);
    with_unit(convert(&days, |day| day.checked_mul(per_day))?, target).ok_or(0)
}

/// Parquet's INT96: nanoseconds of a day and its Julian day, both little-endian.
///
/// Java Paimon gives instants before 1970 with a fraction as a negative part of the day, so the parts are added
/// before anything is cut. What is finer than a microsecond is cut towards the past for a declared precision up to
/// 6; a millisecond precision takes whole milliseconds only.
pub(super) fn from_int96(
    array: &ArrayRef,
    unit: i64,
    target: &ArrowType,
) -> Result<ArrayRef, usize> {
    let values = array.as_fixed_size_binary_opt().ok_or(0_usize)?;
    let to_units = |row: usize| {
        let nanos = int96_nanos(values.value(row))?;
        let units = match unit {
            1 => nanos,
            _ => {
                let micros = nanos.div_euclid(1_000);
                let per_unit = i128::from(unit / 1_000);
                (micros % per_unit == 0).then_some(micros / per_unit)?
            }
        };
        i64::try_from(units).ok()
    };
    let mut converted = Vec::with_capacity(values.len());
    for row in 0..values.len() {
        converted.push(match values.is_valid(row) {
            true => to_units(row).ok_or(row)?,
            false => 0,
        });
    }
    with_unit(
        Units::new(converted.into(), values.nulls().cloned()),
        target,
    )
    .ok_or(0)
}

/// A time of day, or its number where it is none.
pub(super) fn time_text(array: &ArrayRef, row: usize) -> Option<String> {
    let value = units(array)?.value(row);
    let per_day = match array.data_type() {
        ArrowType::Time64(TimeUnit::Microsecond) => MILLIS_PER_DAY * 1_000,
        ArrowType::Time64(TimeUnit::Nanosecond) => MILLIS_PER_DAY * 1_000_000,
        _ => MILLIS_PER_DAY,
    };
    match (0..per_day).contains(&value) {
        true => array_value_to_string(array, row).ok(),
        false => Some(value.to_string()),
    }
}

/// An INT96 as a date and time.
pub(super) fn int96_text(array: &ArrayRef, row: usize) -> Option<String> {
    let nanos = int96_nanos(array.as_fixed_size_binary_opt()?.value(row))?;
    let micros = i64::try_from(nanos.div_euclid(1_000)).ok()?;
    let text = array_value_to_string(&TimestampMicrosecondArray::from_value(micros, 1), 0).ok()?;
    let rest = nanos.rem_euclid(1_000);
    Some(match rest {
        0 => text,
        _ => format!("{text} and {rest} ns"),
    })
}

fn int96_nanos(bytes: &[u8]) -> Option<i128> {
    let (nanos, day) = bytes.split_first_chunk::<8>()?;
    let day = i32::from_le_bytes(day.try_into().ok()?);
    let days = i128::from(day) - i128::from(JULIAN_EPOCH);
    Some(days * NANOS_PER_DAY + i128::from(i64::from_le_bytes(*nanos)))
}

/// Converts each value, or gives the position of the first that does not convert.
fn convert(values: &Units, one: impl Fn(i64) -> Option<i64>) -> Result<Units, usize> {
    values
        .try_unary::<_, Int64Type, usize>(|value| one(value).ok_or(0))
        .map_err(|_| {
            let fails = |row: &usize| values.is_valid(*row) && one(values.value(*row)).is_none();
            (0..values.len()).find(fails).unwrap_or(0)
        })
}

fn exact_quotient(value: i64, divisor: i64) -> Option<i64> {
    (value % divisor == 0).then_some(value / divisor)
}

/// The values of a time or timestamp column, as counts of its unit.
fn units(array: &ArrayRef) -> Option<Units> {
    use ArrowType as A;
    Some(match array.data_type() {
        A::Int32 => array.as_primitive::<Int32Type>().unary(i64::from),
        A::Time32(TimeUnit::Millisecond) => array
            .as_primitive::<Time32MillisecondType>()
            .unary(i64::from),
        A::Time64(TimeUnit::Microsecond) => array
            .as_primitive::<Time64MicrosecondType>()
            .reinterpret_cast(),
        A::Time64(TimeUnit::Nanosecond) => array
            .as_primitive::<Time64NanosecondType>()
            .reinterpret_cast(),
        A::Timestamp(TimeUnit::Second, _) => array
            .as_primitive::<TimestampSecondType>()
            .reinterpret_cast(),
        A::Timestamp(TimeUnit::Millisecond, _) => array
            .as_primitive::<TimestampMillisecondType>()
            .reinterpret_cast(),
        A::Timestamp(TimeUnit::Microsecond, _) => array
            .as_primitive::<TimestampMicrosecondType>()
            .reinterpret_cast(),
        A::Timestamp(TimeUnit::Nanosecond, _) => array
            .as_primitive::<TimestampNanosecondType>()
            .reinterpret_cast(),
        _ => return None,
    })
}

/// Counts of a unit as a timestamp column of that unit.
pub(crate) fn with_unit(values: Units, target: &ArrowType) -> Option<ArrayRef> {
    let ArrowType::Timestamp(unit, zone) = target else {
        return None;
    };
    let zone = zone.clone();
    Some(match unit {
        TimeUnit::Second => Arc::new(
            values
                .reinterpret_cast::<TimestampSecondType>()
                .with_timezone_opt(zone),
        ),
        TimeUnit::Millisecond => Arc::new(
            values
                .reinterpret_cast::<TimestampMillisecondType>()
                .with_timezone_opt(zone),
        ),
        TimeUnit::Microsecond => Arc::new(
            values
                .reinterpret_cast::<TimestampMicrosecondType>()
                .with_timezone_opt(zone),
        ),
        TimeUnit::Nanosecond => Arc::new(
            values
                .reinterpret_cast::<TimestampNanosecondType>()
                .with_timezone_opt(zone),
        ),
    })
}
