//! A column to texts.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, BinaryArray, BooleanArray, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, TimeUnit};
use base64::Engine as _;
use ftable_core::datum::text::write_java_float;
use ftable_core::{DataType, TypeKind};

use super::{BASE64, digits};

const SECONDS_PER_DAY: i64 = 86_400;
const MILLIS_PER_DAY: i32 = 86_400_000;
/// 0000-01-01 and 9999-12-31, in days since 1970-01-01.
const WRITTEN_DAYS: std::ops::RangeInclusive<i64> = -719_528..=2_932_896;

/// The texts of one scalar column, as Java Paimon renders the type in text files.
pub(crate) struct Texts<'a> {
    nulls: Option<&'a NullBuffer>,
    values: Values<'a>,
}

enum Values<'a> {
    Boolean(&'a BooleanArray),
    TinyInt(&'a [i8]),
    SmallInt(&'a [i16]),
    Int(&'a [i32]),
    BigInt(&'a [i64]),
    Float(&'a [f32]),
    Double(&'a [f64]),
    Decimal(&'a [i128], u8),
    Text(&'a StringArray),
    Binary(&'a BinaryArray),
    Date(&'a [i32]),
    Time(&'a [i32], u8),
    Timestamp(&'a [i64], Clock),
}

/// How timestamps are counted and shown.
#[derive(Clone, Copy)]
struct Clock {
    per_second: i64,
    precision: u8,
}

impl<'a> Texts<'a> {
    /// The texts of an array that has the Arrow type of `data_type`; `None` for every other array, and for a type that
    /// has no texts.
    pub(crate) fn new(array: &'a dyn Array, data_type: &DataType) -> Option<Self> {
        let values = match data_type.kind() {
            TypeKind::Boolean => Values::Boolean(array.as_boolean_opt()?),
            TypeKind::TinyInt => Values::TinyInt(primitive::<Int8Type>(array)?),
            TypeKind::SmallInt => Values::SmallInt(primitive::<Int16Type>(array)?),
            TypeKind::Int => Values::Int(primitive::<Int32Type>(array)?),
            TypeKind::BigInt => Values::BigInt(primitive::<Int64Type>(array)?),
            TypeKind::Float => Values::Float(primitive::<Float32Type>(array)?),
            TypeKind::Double => Values::Double(primitive::<Float64Type>(array)?),
            TypeKind::Decimal { scale, .. } => match array.data_type() {
                ArrowType::Decimal128(_, found) if i16::from(*found) == i16::from(*scale) => {
                    Values::Decimal(primitive::<Decimal128Type>(array)?, *scale)
                }
                _ => return None,
            },
            TypeKind::Char { .. } | TypeKind::VarChar { .. } => {
                Values::Text(array.as_string_opt()?)
            }
            TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => {
                Values::Binary(array.as_binary_opt()?)
            }
            TypeKind::Date => Values::Date(primitive::<Date32Type>(array)?),
            TypeKind::Time { precision } => {
                Values::Time(primitive::<Time32MillisecondType>(array)?, *precision)
            }
            TypeKind::Timestamp { precision } | TypeKind::TimestampLtz { precision } => {
                timestamps(array, *precision)?
            }
            _ => return None,
        };
        Some(Self {
            nulls: array.nulls(),
            values,
        })
    }

    #[inline]
    pub(crate) fn is_null(&self, row: usize) -> bool {
        self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }

    /// The first value whose text would not be read as the value, and what it is or does.
    pub(crate) fn unwritable(&self) -> Option<(usize, &'static str)> {
        match &self.values {
            Values::Date(days) => self.first(days, |day| {
                (!WRITTEN_DAYS.contains(&i64::from(day))).then_some(OUTSIDE)
            }),
            Values::Time(times, _) => self.first(times, |millis| {
                (!(0..MILLIS_PER_DAY).contains(&millis)).then_some("is no time of a day")
            }),
            Values::Timestamp(units, clock) => self.first(units, |units| clock.unwritable(units)),
            _ => None,
        }
    }

    fn first<T: Copy>(
        &self,
        values: &[T],
        fault: impl Fn(T) -> Option<&'static str>,
    ) -> Option<(usize, &'static str)> {
        let mut rows = values.iter().enumerate();
        rows.find_map(|(row, value)| {
            let fault = fault(*value)?;
            (!self.is_null(row)).then_some((row, fault))
        })
    }

    /// Appends the text of a row that is not NULL.
    #[inline]
    pub(crate) fn write(&self, row: usize, out: &mut Vec<u8>) {
        match &self.values {
            Values::Boolean(values) => {
                let text: &[u8] = if values.value(row) { b"true" } else { b"false" };
                out.extend_from_slice(text);
            }
            Values::TinyInt(values) => digits::integer(out, at(values, row).into()),
            Values::SmallInt(values) => digits::integer(out, at(values, row).into()),
            Values::Int(values) => digits::integer(out, at(values, row).into()),
            Values::BigInt(values) => digits::integer(out, at(values, row)),
            Values::Float(values) => write_java_float(at(values, row), out),
            Values::Double(values) => write_java_float(at(values, row), out),
            Values::Decimal(values, scale) => digits::decimal(out, at(values, row), *scale),
            Values::Text(values) => out.extend_from_slice(values.value(row).as_bytes()),
            Values::Binary(values) => write_base64(values.value(row), out),
            Values::Date(values) => digits::date(out, at(values, row).into()),
            Values::Time(values, precision) => write_time(at(values, row), *precision, out),
            Values::Timestamp(values, clock) => clock.write(at(values, row), out),
        }
    }
}

const OUTSIDE: &str = "lies outside the years 0000 to 9999";

impl Clock {
    /// Units from one value that the type can have to the next: an array can have values between them.
    fn step(self) -> i64 {
        let places = self.per_second.ilog10();
        10_i64.pow(places.saturating_sub(self.precision.into()))
    }

    fn unwritable(self, units: i64) -> Option<&'static str> {
        let days = units.div_euclid(self.per_second * SECONDS_PER_DAY);
        if !WRITTEN_DAYS.contains(&days) {
            Some(OUTSIDE)
        } else if units % self.step() != 0 {
            Some("has more digits of the second than its type")
        } else {
            None
        }
    }

    /// `yyyy-MM-dd HH:mm:ss` and as many digits of the second as the value has, those of the type at least.
    fn write(self, units: i64, out: &mut Vec<u8>) {
        let seconds = units.div_euclid(self.per_second);
        digits::date(out, seconds.div_euclid(SECONDS_PER_DAY));
        out.push(b' ');
        digits::clock(out, seconds.rem_euclid(SECONDS_PER_DAY));
        let nanos = units.rem_euclid(self.per_second) * (1_000_000_000 / self.per_second);
        digits::fraction(out, nanos, 9, self.precision.min(9).into());
    }
}

/// `HH:mm:ss` and the milliseconds without zeros at their end: one digit at least above precision 0, where Java shows
/// no more than the precision and loses what is finer.
fn write_time(millis: i32, precision: u8, out: &mut Vec<u8>) {
    let millis = i64::from(millis);
    digits::clock(out, millis.div_euclid(1000));
    digits::fraction(out, millis.rem_euclid(1000), 3, precision.min(1).into());
}

fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, b'=');
    // The room is what the text with its padding needs.
    let room = out.get_mut(start..).unwrap_or_default();
    let _ = BASE64.encode_slice(bytes, room);
}

fn timestamps(array: &dyn Array, precision: u8) -> Option<Values<'_>> {
    let ArrowType::Timestamp(unit, _) = array.data_type() else {
        return None;
    };
    let (units, per_second) = match unit {
        TimeUnit::Second => return None,
        TimeUnit::Millisecond => (primitive::<TimestampMillisecondType>(array)?, 1_000),
        TimeUnit::Microsecond => (primitive::<TimestampMicrosecondType>(array)?, 1_000_000),
        TimeUnit::Nanosecond => (primitive::<TimestampNanosecondType>(array)?, 1_000_000_000),
    };
    let clock = Clock {
        per_second,
        precision,
    };
    Some(Values::Timestamp(units, clock))
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
    let values: &[T::Native] = array.as_primitive_opt::<T>()?.values();
    Some(values)
}

/// Rows come from the batch that the values are of.
#[inline]
fn at<T: Copy + Default>(values: &[T], row: usize) -> T {
    values.get(row).copied().unwrap_or_default()
}
