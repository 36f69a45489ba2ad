//! The values of an Arrow column as text.
//!
//! A column is looked at once, so that writing a value is a match and no search. Which Arrow type stands for which
//! column type is `ftable_core`'s to say; how a value is spelled is `Datum`'s.

use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BinaryArray, BooleanArray, ListArray, MapArray, PrimitiveArray,
    StringArray,
};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ftable_core::Datum;

/// The values of a column.
pub(super) struct Values<'a> {
    array: &'a dyn Array,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Boolean(&'a BooleanArray),
    Int8(&'a PrimitiveArray<Int8Type>),
    Int16(&'a PrimitiveArray<Int16Type>),
    Int32(&'a PrimitiveArray<Int32Type>),
    Int64(&'a PrimitiveArray<Int64Type>),
    Float32(&'a PrimitiveArray<Float32Type>),
    Float64(&'a PrimitiveArray<Float64Type>),
    Decimal {
        array: &'a PrimitiveArray<Decimal128Type>,
        precision: u8,
        scale: u8,
    },
    Text(&'a StringArray),
    Binary(&'a BinaryArray),
    Date(&'a PrimitiveArray<Date32Type>),
    Time(&'a PrimitiveArray<Time32MillisecondType>),
    Timestamp {
        values: &'a [i64],
        nanos_per_unit: i128,
        precision: u8,
        zoned: bool,
    },
    List {
        array: &'a ListArray,
        items: Box<Values<'a>>,
    },
    Map {
        array: &'a MapArray,
        keys: Box<Values<'a>>,
        values: Box<Values<'a>>,
    },
    Row(Vec<(Vec<u8>, Values<'a>)>),
}

impl<'a> Values<'a> {
    /// Looks at a column.
    ///
    /// # Errors
    /// An Arrow type that stands for no column type of a format table, as text.
    pub(super) fn new(array: &'a dyn Array) -> Result<Self, String> {
        let kind = match array.data_type() {
            ArrowType::Boolean => array.as_boolean_opt().map(Kind::Boolean),
            ArrowType::Int8 => primitive(array).map(Kind::Int8),
            ArrowType::Int16 => primitive(array).map(Kind::Int16),
            ArrowType::Int32 => primitive(array).map(Kind::Int32),
            ArrowType::Int64 => primitive(array).map(Kind::Int64),
            ArrowType::Float32 => primitive(array).map(Kind::Float32),
            ArrowType::Float64 => primitive(array).map(Kind::Float64),
            ArrowType::Decimal128(precision, scale) => {
                let scale = u8::try_from(*scale).ok();
                let precision = *precision;
                primitive(array)
                    .zip(scale)
                    .map(|(array, scale)| Kind::Decimal {
                        array,
                        precision,
                        scale,
                    })
            }
            ArrowType::Utf8 => array.as_string_opt().map(Kind::Text),
            ArrowType::Binary => array.as_binary_opt().map(Kind::Binary),
            ArrowType::Date32 => primitive(array).map(Kind::Date),
            ArrowType::Time32(TimeUnit::Millisecond) => primitive(array).map(Kind::Time),
            ArrowType::Timestamp(unit, zone) => timestamps(array, *unit, zone.is_some()),
            ArrowType::List(_) => match array.as_list_opt() {
                Some(array) => Some(Kind::List {
                    array,
                    items: Box::new(Self::new(array.values())?),
                }),
                None => None,
            },
            ArrowType::Map(..) => match array.as_map_opt() {
                Some(array) => Some(Kind::Map {
                    array,
                    keys: Box::new(Self::new(array.keys())?),
                    values: Box::new(Self::new(array.values())?),
                }),
                None => None,
            },
            ArrowType::Struct(fields) => {
                let children = array
                    .as_struct_opt()
                    .map(|array| array.columns())
                    .unwrap_or_default();
                let named = fields.iter().zip(children);
                let row =
                    named.map(|(field, child)| Ok((json_key(field.name()), Self::new(child)?)));
                Some(Kind::Row(row.collect::<Result<_, String>>()?))
            }
            _ => None,
        };
        match kind {
            Some(kind) => Ok(Self { array, kind }),
            None => Err(format!(
                "Arrow type {} stands for no column type",
                array.data_type()
            )),
        }
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row)
    }

    /// Appends a value as JSON.
    pub(super) fn write_json(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            out.extend_from_slice(b"null");
            return;
        }
        match &self.kind {
            Kind::Text(array) => write_json_text(array.value(row), out),
            Kind::Float32(array) if array.value(row).is_finite() => self.write_text(row, out),
            Kind::Float64(array) if array.value(row).is_finite() => self.write_text(row, out),
            Kind::Boolean(_) | Kind::Int8(_) | Kind::Int16(_) | Kind::Int32(_) | Kind::Int64(_) => {
                self.write_text(row, out);
            }
            Kind::List { array, items } => {
                let range = row_range(array.value_offsets(), row);
                write_json_list(range, out, |item, out| items.write_json(item, out));
            }
            Kind::Map {
                array,
                keys,
                values,
            } => {
                write_json_list(row_range(array.value_offsets(), row), out, |entry, out| {
                    out.push(b'[');
                    keys.write_json(entry, out);
                    out.push(b',');
                    values.write_json(entry, out);
                    out.push(b']');
                });
            }
            Kind::Row(children) => {
                out.push(b'{');
                for (at, (key, child)) in children.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(key);
                    child.write_json(row, out);
                }
                out.push(b'}');
            }
            // Texts without a character that JSON escapes.
            _ => {
                out.push(b'"');
                self.write_text(row, out);
                out.push(b'"');
            }
        }
    }

    /// Appends a value as plain text, a nested one as JSON; nothing for null.
    pub(super) fn write_text(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            return;
        }
        match &self.kind {
            Kind::Boolean(array) => write_display(array.value(row), out),
            Kind::Int8(array) => write_display(array.value(row), out),
            Kind::Int16(array) => write_display(array.value(row), out),
            Kind::Int32(array) => write_display(array.value(row), out),
            Kind::Int64(array) => write_display(array.value(row), out),
            Kind::Float32(array) if array.value(row).is_finite() => {
                write_number(array.value(row), out);
            }
            Kind::Float32(array) => write_display(Datum::Float(array.value(row)), out),
            Kind::Float64(array) if array.value(row).is_finite() => {
                write_number(array.value(row), out);
            }
            Kind::Float64(array) => write_display(Datum::Double(array.value(row)), out),
            Kind::Decimal {
                array,
                precision,
                scale,
            } => {
                let (unscaled, precision, scale) = (array.value(row), *precision, *scale);
                let value = Datum::Decimal {
                    unscaled,
                    precision,
                    scale,
                };
                write_display(value, out);
            }
            Kind::Text(array) => out.extend_from_slice(array.value(row).as_bytes()),
            Kind::Binary(array) => {
                out.extend_from_slice(BASE64_STANDARD.encode(array.value(row)).as_bytes())
            }
            Kind::Date(array) => write_display(Datum::Date(array.value(row)), out),
            Kind::Time(array) => write_display(Datum::Time(array.value(row)), out),
            Kind::Timestamp {
                values,
                nanos_per_unit,
                precision,
                zoned,
            } => {
                let value = values.get(row).copied().unwrap_or_default();
                let epoch_nanos = i128::from(value) * nanos_per_unit;
                write_timestamp(epoch_nanos, *precision, *zoned, out);
            }
            Kind::List { .. } | Kind::Map { .. } | Kind::Row(_) => self.write_json(row, out),
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&PrimitiveArray<T>> {
    array.as_primitive_opt::<T>()
}

/// The unit says how many digits are written: six, or nine where it is finer than microseconds.
fn timestamps(array: &dyn Array, unit: TimeUnit, zoned: bool) -> Option<Kind<'_>> {
    let (values, nanos_per_unit, precision): (&[i64], _, _) = match unit {
        TimeUnit::Second => return None,
        TimeUnit::Millisecond => (
            primitive::<TimestampMillisecondType>(array)?.values(),
            1_000_000,
            3,
        ),
        TimeUnit::Microsecond => (
            primitive::<TimestampMicrosecondType>(array)?.values(),
            1_000,
            6,
        ),
        TimeUnit::Nanosecond => (primitive::<TimestampNanosecondType>(array)?.values(), 1, 9),
    };
    Some(Kind::Timestamp {
        values,
        nanos_per_unit,
        precision,
        zoned,
    })
}

/// A member's name with the colon behind it.
pub(super) fn json_key(name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() + 3);
    write_json_text(name, &mut key);
    key.push(b':');
    key
}

pub(super) fn write_json_text(text: &str, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// A finite number with the fewest digits that read back as it.
fn write_number(value: impl serde::Serialize, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, &value);
}

fn write_timestamp(epoch_nanos: i128, precision: u8, zoned: bool, out: &mut Vec<u8>) {
    let value = match zoned {
        true => Datum::TimestampLtz {
            epoch_nanos,
            precision,
        },
        false => Datum::Timestamp {
            epoch_nanos,
            precision,
        },
    };
    write_display(value, out);
}

fn write_display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    let _ = write!(out, "{value}");
}

fn write_json_list(
    range: std::ops::Range<usize>,
    out: &mut Vec<u8>,
    write: impl Fn(usize, &mut Vec<u8>),
) {
    out.push(b'[');
    let first = range.start;
    for item in range {
        if item > first {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

fn row_range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    let offset = |at: usize| {
        offsets
            .get(at)
            .copied()
            .and_then(|offset| usize::try_from(offset).ok())
            .unwrap_or(0)
    };
    offset(row)..offset(row + 1)
}
