//! Exact conversions between primitive types.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use ftable_core::types::MAX_LENGTH;
use ftable_core::{DataType, TypeKind};

/// A conversion that keeps every value or names the first it cannot keep.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Exact {
    /// Arrow's cast, which is exact for the pair or fails at a value that does not fit.
    Cast,
    /// A cast, then no text longer than this many characters; trailing blanks do not count for CHAR.
    Text { longest: u32, ignore_trailing_blanks: bool },
    /// A cast, then no value longer than this many bytes.
    Bytes { longest: u32 },
    /// Whole units of time, multiplied or divided without remainder.
    Scale { multiply: i64, divide: i64 },
    /// Days to midnights.
    Midnight { per_day: i64 },
}

impl Exact {
    /// The conversion of a dictionary's values.
    pub(super) fn unpacked(value: &ArrowType, declared: &DataType, target: &ArrowType) -> Option<Self> {
        if value == target && !limits_length(declared.kind()) {
            return Some(Self::Cast);
        }
        match Self::plan(value, declared, target)? {
            // These read the values themselves, so the dictionary would have to be unpacked before.
            Self::Scale { .. } | Self::Midnight { .. } => None,
            exact => Some(exact),
        }
    }

    /// The conversion of a pair of types, or `None` where it would lose something.
    pub(super) fn plan(file: &ArrowType, declared: &DataType, target: &ArrowType) -> Option<Self> {
        use ArrowType as A;
        match (file, declared.kind()) {
            (A::Utf8 | A::LargeUtf8 | A::Utf8View, kind) => Self::from_text(kind),
            (A::Binary | A::LargeBinary | A::BinaryView, kind) => Self::from_bytes(kind),
            (A::FixedSizeBinary(_), TypeKind::Binary { length } | TypeKind::VarBinary { length }) => {
                Some(Self::Bytes { longest: *length })
            }
            (_, TypeKind::Decimal { precision, scale }) => Self::to_decimal(file, *precision, *scale),
            (A::Date32, TypeKind::Timestamp { .. }) => {
                Some(Self::Midnight { per_day: 86_400 * units_per_second(timestamp_unit(target)?) })
            }
            (A::Time32(unit) | A::Time64(unit), TypeKind::Time { .. }) => {
                Some(Self::rescale(*unit, TimeUnit::Millisecond))
            }
            (A::Timestamp(unit, _), TypeKind::Timestamp { .. } | TypeKind::TimestampLtz { .. }) => {
                Some(Self::rescale(*unit, timestamp_unit(target)?))
            }
            (_, kind) => widens(file, kind).then_some(Self::Cast),
        }
    }

    fn from_text(declared: &TypeKind) -> Option<Self> {
        match declared {
            TypeKind::VarChar { length } if *length == MAX_LENGTH => Some(Self::Cast),
            TypeKind::VarChar { length } => Some(Self::Text { longest: *length, ignore_trailing_blanks: false }),
            TypeKind::Char { length } => Some(Self::Text { longest: *length, ignore_trailing_blanks: true }),
            TypeKind::Binary { length } | TypeKind::VarBinary { length } => Some(Self::Bytes { longest: *length }),
            _ => None,
        }
    }

    fn from_bytes(declared: &TypeKind) -> Option<Self> {
        match declared {
            TypeKind::Binary { length } | TypeKind::VarBinary { length } => Some(Self::Bytes { longest: *length }),
            // The cast fails at bytes that are not UTF-8.
            other => Self::from_text(other),
        }
    }

    fn to_decimal(file: &ArrowType, precision: u8, scale: u8) -> Option<Self> {
        let room = i16::from(precision) - i16::from(scale);
        let fits = match file {
            ArrowType::Int8 | ArrowType::UInt8 => room >= 3,
            ArrowType::Int16 | ArrowType::UInt16 => room >= 5,
            ArrowType::Int32 | ArrowType::UInt32 => room >= 10,
            ArrowType::Int64 => room >= 19,
            ArrowType::UInt64 => room >= 20,
            ArrowType::Decimal32(p, s)
            | ArrowType::Decimal64(p, s)
            | ArrowType::Decimal128(p, s)
            | ArrowType::Decimal256(p, s) => {
                let (p, s, scale) = (i16::from(*p), i16::from(*s), i16::from(scale));
                // With the same scale fewer digits are checked value by value.
                s == scale || (scale > s && room >= p - s)
            }
            _ => false,
        };
        fits.then_some(Self::Cast)
    }

    fn rescale(from: TimeUnit, to: TimeUnit) -> Self {
        let (from, to) = (units_per_second(from), units_per_second(to));
        Self::Scale { multiply: (to / from).max(1), divide: (from / to).max(1) }
    }

    /// Converts, or gives the position of the first value that does not.
    pub(super) fn apply(&self, array: &ArrayRef, target: &ArrowType) -> Result<ArrayRef, usize> {
        match self {
            Self::Cast => cast(array, target),
            Self::Text { longest, ignore_trailing_blanks } => {
                let text = cast(array, &ArrowType::Utf8)?;
                check_text(&text, *longest, *ignore_trailing_blanks)?;
                Ok(text)
            }
            Self::Bytes { longest } => {
                let bytes = cast(array, &ArrowType::Binary)?;
                check_bytes(&bytes, *longest)?;
                Ok(bytes)
            }
            Self::Scale { multiply, divide } => {
                let values = units(array).ok_or(0_usize)?;
                let scaled = scale(&values, *multiply, *divide)?;
                with_unit(scaled, target).ok_or(0)
            }
            Self::Midnight { per_day } => {
                let days = array.as_primitive_opt::<Date32Type>().ok_or(0_usize)?;
                let days: PrimitiveArray<Int64Type> = days.unary(i64::from);
                with_unit(scale(&days, *per_day, 1)?, target).ok_or(0)
            }
        }
    }
}

/// Whether a type bounds the length of its values.
pub(super) fn limits_length(declared: &TypeKind) -> bool {
    match declared {
        TypeKind::Char { length }
        | TypeKind::VarChar { length }
        | TypeKind::Binary { length }
        | TypeKind::VarBinary { length } => *length < MAX_LENGTH,
        _ => false,
    }
}

/// Whether every value of a file's number is a value of the declared type.
fn widens(file: &ArrowType, declared: &TypeKind) -> bool {
    use ArrowType as A;
    use TypeKind as T;
    match file {
        A::Int8 => matches!(declared, T::TinyInt | T::SmallInt | T::Int | T::BigInt | T::Float | T::Double),
        A::Int16 | A::UInt8 => matches!(declared, T::SmallInt | T::Int | T::BigInt | T::Float | T::Double),
        A::UInt16 => matches!(declared, T::Int | T::BigInt | T::Float | T::Double),
        A::Int32 => matches!(declared, T::Int | T::BigInt | T::Double),
        A::UInt32 => matches!(declared, T::BigInt | T::Double),
        A::Float16 | A::Float32 => matches!(declared, T::Float | T::Double),
        _ => false,
    }
}

fn timestamp_unit(target: &ArrowType) -> Option<TimeUnit> {
    match target {
        ArrowType::Timestamp(unit, _) => Some(*unit),
        _ => None,
    }
}

fn units_per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn cast(array: &ArrayRef, target: &ArrowType) -> Result<ArrayRef, usize> {
    if array.data_type() == target {
        return Ok(Arc::clone(array));
    }
    // Not safe: a value that does not fit is an error, never null.
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, target, &options).map_err(|_| {
        let fails = |row: &usize| cast_with_options(&array.slice(*row, 1), target, &options).is_err();
        (0..array.len()).find(fails).unwrap_or(0)
    })
}

fn check_text(array: &ArrayRef, longest: u32, ignore_trailing_blanks: bool) -> Result<(), usize> {
    let longest = longest as usize;
    let text = array.as_string::<i32>();
    let too_long = |row: &usize| {
        let value = text.value(*row);
        let value = if ignore_trailing_blanks { value.trim_end_matches(' ') } else { value };
        text.is_valid(*row) && value.len() > longest && value.chars().count() > longest
    };
    (0..text.len()).find(too_long).map_or(Ok(()), Err)
}

fn check_bytes(array: &ArrayRef, longest: u32) -> Result<(), usize> {
    let longest = longest as usize;
    let bytes = array.as_binary::<i32>();
    let too_long = |row: &usize| bytes.is_valid(*row) && bytes.value(*row).len() > longest;
    (0..bytes.len()).find(too_long).map_or(Ok(()), Err)
}

/// The values of a time or timestamp column, as counts of its unit.
fn units(array: &ArrayRef) -> Option<PrimitiveArray<Int64Type>> {
    Some(match array.data_type() {
        ArrowType::Time32(TimeUnit::Second) => array.as_primitive::<Time32SecondType>().unary(i64::from),
        ArrowType::Time32(_) => array.as_primitive::<Time32MillisecondType>().unary(i64::from),
        ArrowType::Time64(TimeUnit::Microsecond) => array.as_primitive::<Time64MicrosecondType>().reinterpret_cast(),
        ArrowType::Time64(_) => array.as_primitive::<Time64NanosecondType>().reinterpret_cast(),
        ArrowType::Timestamp(TimeUnit::Second, _) => array.as_primitive::<TimestampSecondType>().reinterpret_cast(),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            array.as_primitive::<TimestampMillisecondType>().reinterpret_cast()
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            array.as_primitive::<TimestampMicrosecondType>().reinterpret_cast()
        }
        ArrowType::Timestamp(TimeUnit::Nanosecond, _) => {
            array.as_primitive::<TimestampNanosecondType>().reinterpret_cast()
        }
        _ => return None,
    })
}

/// Counts of a unit as a column of the declared type.
fn with_unit(values: PrimitiveArray<Int64Type>, target: &ArrowType) -> Option<ArrayRef> {
    Some(match target {
        ArrowType::Time32(TimeUnit::Millisecond) => {
            // In range: a time of day in milliseconds.
            let narrow: PrimitiveArray<Time32MillisecondType> = values.unary(|value| value as i32);
            Arc::new(narrow)
        }
        ArrowType::Timestamp(TimeUnit::Millisecond, zone) => {
            Arc::new(values.reinterpret_cast::<TimestampMillisecondType>().with_timezone_opt(zone.clone()))
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, zone) => {
            Arc::new(values.reinterpret_cast::<TimestampMicrosecondType>().with_timezone_opt(zone.clone()))
        }
        ArrowType::Timestamp(TimeUnit::Nanosecond, zone) => {
            Arc::new(values.reinterpret_cast::<TimestampNanosecondType>().with_timezone_opt(zone.clone()))
        }
        _ => return None,
    })
}

fn scale(
    values: &PrimitiveArray<Int64Type>,
    multiply: i64,
    divide: i64,
) -> Result<PrimitiveArray<Int64Type>, usize> {
    if multiply == 1 && divide == 1 {
        return Ok(values.clone());
    }
    let convert = |value: i64| if divide > 1 { exact_quotient(value, divide) } else { value.checked_mul(multiply) };
    values.try_unary::<_, Int64Type, usize>(|value| convert(value).ok_or(0)).map_err(|_| {
        (0..values.len()).find(|row| values.is_valid(*row) && convert(values.value(*row)).is_none()).unwrap_or(0)
    })
}

fn exact_quotient(value: i64, divisor: i64) -> Option<i64> {
    (value % divisor == 0).then_some(value / divisor)
}
