//! Exact conversions between primitive types.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
};
use arrow_array::{Array, ArrayRef};
use arrow_cast::display::{FormatOptions, array_value_to_string};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType as ArrowType, TimeUnit};
use ftable_core::types::MAX_LENGTH;
use ftable_core::{DataType, TypeKind};

use super::file_type::{FileType, Form};
use super::time;

/// Not what Arrow calls safe: a value that does not fit is an error, never null.
const STRICT: CastOptions<'_> = CastOptions {
    safe: false,
    format_options: FormatOptions::new(),
};

/// A conversion that keeps every value or names the first it cannot keep.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Exact {
    /// Arrow's cast, which is exact for the pair or fails at a value that does not fit.
    Cast,
    /// The same for decimals, after their digits were held against the type that they come with.
    Decimal,
    /// Text, of valid bytes too, and none longer than this many characters; trailing blanks do not count for CHAR.
    Text {
        longest: u32,
        ignore_trailing_blanks: bool,
    },
    /// A cast, then no value longer than this many bytes.
    Bytes { longest: u32 },
    /// Whole units of time, multiplied or divided without remainder.
    Scale { multiply: i64, divide: i64 },
    /// Parts of a day, divided without remainder into its milliseconds.
    TimeOfDay { divide: i64 },
    /// Days to midnights.
    Midnight { per_day: i64 },
    /// Parquet's twelve bytes, in this many nanoseconds; below microseconds the floor is taken.
    Int96 { unit: i64 },
}

impl Exact {
    /// The conversion of a pair of types, or `None` where it would lose something.
    pub(super) fn plan(file: &FileType, declared: &DataType, target: &ArrowType) -> Option<Self> {
        use ArrowType as A;
        let kind = declared.kind();
        match file.form {
            Form::Plain => {}
            Form::Int96 => return Self::from_int96(kind),
            Form::Bare if matches!(kind, TypeKind::TinyInt | TypeKind::SmallInt) => {
                return Some(Self::Cast);
            }
            Form::MaybeTime if matches!(kind, TypeKind::Time { .. }) => {
                return Some(Self::TimeOfDay { divide: 1 });
            }
            Form::Bare | Form::MaybeTime => {}
            Form::WallClock if !matches!(kind, TypeKind::Timestamp { .. }) => return None,
            Form::Instant if !matches!(kind, TypeKind::TimestampLtz { .. }) => return None,
            Form::WallClock | Form::Instant => {}
            Form::Text => return Self::from_text(kind),
            Form::BoundedText => return Self::to_text(kind),
            Form::Wrapper | Form::Foreign => return None,
        }
        match (&file.arrow, kind) {
            (A::Utf8 | A::LargeUtf8 | A::Utf8View, kind) => Self::from_text(kind),
            (A::Binary | A::LargeBinary | A::BinaryView, kind) => Self::from_bytes(kind),
            (A::FixedSizeBinary(fixed), kind) => {
                Self::from_fixed(u32::try_from(*fixed).ok()?, kind)
            }
            (arrow, TypeKind::Decimal { precision, scale }) => {
                Self::to_decimal(arrow, *precision, *scale)
            }
            (A::Date32, TypeKind::Timestamp { .. }) => {
                let per_day = 86_400 * time::units_per_second(timestamp_unit(target)?);
                Some(Self::Midnight { per_day })
            }
            (A::Time32(TimeUnit::Second), TypeKind::Time { .. }) => Some(Self::Cast),
            (A::Time32(unit) | A::Time64(unit), TypeKind::Time { .. }) => Some(Self::TimeOfDay {
                divide: time::units_per_second(*unit) / 1_000,
            }),
            (A::Timestamp(unit, _), TypeKind::Timestamp { .. } | TypeKind::TimestampLtz { .. }) => {
                Some(Self::rescale(*unit, timestamp_unit(target)?))
            }
            (arrow, kind) => widens(arrow, kind).then_some(Self::Cast),
        }
    }

    fn from_text(declared: &TypeKind) -> Option<Self> {
        match declared {
            TypeKind::VarBinary { length } if *length == MAX_LENGTH => {
                Some(Self::Bytes { longest: *length })
            }
            other => Self::to_text(other),
        }
    }

    fn to_text(declared: &TypeKind) -> Option<Self> {
        match declared {
            TypeKind::VarChar { length } => Some(Self::Text {
                longest: *length,
                ignore_trailing_blanks: false,
            }),
            TypeKind::Char { length } => Some(Self::Text {
                longest: *length,
                ignore_trailing_blanks: true,
            }),
            _ => None,
        }
    }

    fn from_bytes(declared: &TypeKind) -> Option<Self> {
        match declared {
            TypeKind::Binary { length } | TypeKind::VarBinary { length } => {
                Some(Self::Bytes { longest: *length })
            }
            // As text where they are UTF-8.
            TypeKind::VarChar { length } if *length == MAX_LENGTH => Self::to_text(declared),
            _ => None,
        }
    }

    /// Bytes that are all of one length.
    fn from_fixed(fixed: u32, declared: &TypeKind) -> Option<Self> {
        let fits = match declared {
            TypeKind::Binary { length } => *length == fixed,
            TypeKind::VarBinary { length } => *length >= fixed,
            _ => false,
        };
        fits.then_some(Self::Bytes { longest: fixed })
    }

    fn from_int96(declared: &TypeKind) -> Option<Self> {
        let (TypeKind::Timestamp { precision } | TypeKind::TimestampLtz { precision }) = declared
        else {
            return None;
        };
        let unit = match precision {
            0..=3 => 1_000_000,
            4..=6 => 1_000,
            _ => 1,
        };
        Some(Self::Int96 { unit })
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
        fits.then_some(match file.is_decimal() {
            true => Self::Decimal,
            false => Self::Cast,
        })
    }

    fn rescale(from: TimeUnit, to: TimeUnit) -> Self {
        let (from, to) = (time::units_per_second(from), time::units_per_second(to));
        Self::Scale {
            multiply: (to / from).max(1),
            divide: (from / to).max(1),
        }
    }

    /// Converts, or gives the position of the first value that does not.
    pub(super) fn apply(&self, array: &ArrayRef, target: &ArrowType) -> Result<ArrayRef, usize> {
        match self {
            Self::Cast => cast(array, target),
            Self::Decimal => {
                check_digits(array)?;
                cast(array, target)
            }
            Self::Text {
                longest,
                ignore_trailing_blanks,
            } => {
                let text = match array.data_type() {
                    ArrowType::Binary | ArrowType::LargeBinary | ArrowType::BinaryView => {
                        text_of_bytes(&cast(array, &ArrowType::Binary)?)?
                    }
                    _ => cast(array, &ArrowType::Utf8)?,
                };
                if *longest < MAX_LENGTH {
                    check_text(&text, *longest, *ignore_trailing_blanks)?;
                }
                Ok(text)
            }
            Self::Bytes { longest } => {
                let bytes = cast(array, &ArrowType::Binary)?;
                check_bytes(&bytes, *longest)?;
                Ok(bytes)
            }
            Self::Scale { multiply, divide } => time::scale(array, *multiply, *divide, target),
            Self::TimeOfDay { divide } => time::time_of_day(array, *divide),
            Self::Midnight { per_day } => time::midnight(array, *per_day, target),
            Self::Int96 { unit } => time::from_int96(array, *unit, target),
        }
    }

    /// A value for a message.
    pub(super) fn text(&self, array: &ArrayRef, row: usize) -> String {
        let text = match self {
            Self::Int96 { .. } => time::int96_text(array, row),
            Self::TimeOfDay { .. } => time::time_text(array, row),
            Self::Decimal => decimal_text(array, row),
            // As hexadecimal digits only where the bytes are no text.
            Self::Text { .. } => cast(&array.slice(row, 1), &ArrowType::Utf8)
                .and_then(|text| array_value_to_string(&text, 0).map_err(|_| 0))
                .or_else(|_| array_value_to_string(array, row))
                .ok(),
            _ => array_value_to_string(array, row).ok(),
        };
        text.unwrap_or_else(|| "?".to_owned())
    }
}

/// Whether a type has fewer values than the Arrow type that carries it: then values of that type are checked too.
pub(super) fn limits_values(declared: &TypeKind) -> bool {
    match declared {
        TypeKind::Char { length }
        | TypeKind::VarChar { length }
        | TypeKind::Binary { length }
        | TypeKind::VarBinary { length } => *length < MAX_LENGTH,
        TypeKind::Decimal { .. } | TypeKind::Time { .. } => true,
        _ => false,
    }
}

/// Whether every value of a file's number is a value of the declared type.
fn widens(file: &ArrowType, declared: &TypeKind) -> bool {
    use ArrowType as A;
    use TypeKind as T;
    match file {
        A::Int8 => {
            matches!(
                declared,
                T::TinyInt | T::SmallInt | T::Int | T::BigInt | T::Float | T::Double
            )
        }
        A::Int16 => {
            matches!(
                declared,
                T::SmallInt | T::Int | T::BigInt | T::Float | T::Double
            )
        }
        A::UInt8 => matches!(declared, T::SmallInt | T::Int | T::BigInt),
        A::UInt16 => matches!(declared, T::Int | T::BigInt),
        A::Int32 => matches!(declared, T::Int | T::BigInt | T::Double),
        A::UInt32 => matches!(declared, T::BigInt),
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

fn cast(array: &ArrayRef, target: &ArrowType) -> Result<ArrayRef, usize> {
    if array.data_type() == target {
        return Ok(Arc::clone(array));
    }
    cast_with_options(array, target, &STRICT).map_err(|_| {
        let fails = |row: &usize| {
            array.is_valid(*row)
                && cast_with_options(&array.slice(*row, 1), target, &STRICT).is_err()
        };
        (0..array.len()).find(fails).unwrap_or(0)
    })
}

/// Bytes as text, or the position of the first that are not UTF-8.
fn text_of_bytes(array: &ArrayRef) -> Result<ArrayRef, usize> {
    if let Ok(text) = cast_with_options(array, &ArrowType::Utf8, &STRICT) {
        return Ok(text);
    }
    // Bytes under nulls and outside of a slice count there, but are not seen.
    let bytes = array.as_binary_opt::<i32>().ok_or(0_usize)?;
    let mut text = StringBuilder::with_capacity(bytes.len(), bytes.value_data().len());
    for (row, value) in bytes.iter().enumerate() {
        let value = value.map(std::str::from_utf8).transpose();
        text.append_option(value.map_err(|_| row)?);
    }
    Ok(Arc::new(text.finish()))
}

/// Refuses decimals with more digits than their own type has: a cast would take them for fewer.
fn check_digits(array: &ArrayRef) -> Result<(), usize> {
    let too_long = match array.data_type() {
        ArrowType::Decimal32(precision, _) => too_long::<Decimal32Type>(array, *precision),
        ArrowType::Decimal64(precision, _) => too_long::<Decimal64Type>(array, *precision),
        ArrowType::Decimal128(precision, _) => too_long::<Decimal128Type>(array, *precision),
        ArrowType::Decimal256(precision, _) => too_long::<Decimal256Type>(array, *precision),
        _ => None,
    };
    too_long.map_or(Ok(()), Err)
}

fn too_long<T: DecimalType>(array: &ArrayRef, precision: u8) -> Option<usize> {
    let decimals = array.as_primitive_opt::<T>()?;
    let fits = |value: &T::Native| T::is_valid_decimal_precision(*value, precision);
    // Nulls may hide anything, so they are looked at only where something does not fit.
    if decimals.values().iter().all(fits) {
        return None;
    }
    (0..decimals.len()).find(|row| decimals.is_valid(*row) && !fits(&decimals.value(*row)))
}

/// A decimal with all digits that it has, be they more than its type's.
fn decimal_text(array: &ArrayRef, row: usize) -> Option<String> {
    let Some(decimals) = array.as_primitive_opt::<Decimal128Type>() else {
        return array_value_to_string(array, row).ok();
    };
    let value = decimals.slice(row, 1);
    let scale = value.scale();
    let value = value.with_precision_and_scale(DECIMAL128_MAX_PRECISION, scale);
    array_value_to_string(&value.ok()?, 0).ok()
}

fn check_text(array: &ArrayRef, longest: u32, ignore_trailing_blanks: bool) -> Result<(), usize> {
    let longest = longest as usize;
    let text = array.as_string_opt::<i32>().ok_or(0_usize)?;
    let too_long = |row: &usize| {
        let value = text.value(*row);
        // No text has more characters than bytes.
        if value.len() <= longest || text.is_null(*row) {
            return false;
        }
        let value = if ignore_trailing_blanks {
            value.trim_end_matches(' ')
        } else {
            value
        };
        value.chars().count() > longest
    };
    (0..text.len()).find(too_long).map_or(Ok(()), Err)
}

fn check_bytes(array: &ArrayRef, longest: u32) -> Result<(), usize> {
    let longest = longest as usize;
    let bytes = array.as_binary_opt::<i32>().ok_or(0_usize)?;
    let too_long = |row: &usize| bytes.value(*row).len() > longest && bytes.is_valid(*row);
    (0..bytes.len()).find(too_long).map_or(Ok(()), Err)
}
