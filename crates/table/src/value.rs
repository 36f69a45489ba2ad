//! One value of an Arrow column, and one value as a column.

mod constant;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use ftable_core::{DataType, Datum, TypeKind};

pub(crate) use constant::{constant, nanos_per_unit};

/// The value at a row of a column of a type that is not nested; `None` for null.
///
/// # Errors
/// A text naming both types, where the column's Arrow type is not the one that carries the declared type.
pub fn datum_at(
    array: &ArrayRef,
    row: usize,
    declared: &DataType,
) -> Result<Option<Datum>, String> {
    if array.is_null(row) {
        return Ok(None);
    }
    let value = match declared.kind() {
        TypeKind::Boolean => array
            .as_boolean_opt()
            .map(|values| Datum::Boolean(values.value(row))),
        TypeKind::TinyInt => primitive::<Int8Type>(array, row).map(Datum::TinyInt),
        TypeKind::SmallInt => primitive::<Int16Type>(array, row).map(Datum::SmallInt),
        TypeKind::Int => primitive::<Int32Type>(array, row).map(Datum::Int),
        TypeKind::BigInt => primitive::<Int64Type>(array, row).map(Datum::BigInt),
        TypeKind::Float => primitive::<Float32Type>(array, row).map(Datum::Float),
        TypeKind::Double => primitive::<Float64Type>(array, row).map(Datum::Double),
        TypeKind::Decimal { precision, scale } => {
            primitive::<Decimal128Type>(array, row).map(|unscaled| Datum::Decimal {
                unscaled,
                precision: *precision,
                scale: *scale,
            })
        }
        TypeKind::Char { .. } | TypeKind::VarChar { .. } => array
            .as_string_opt::<i32>()
            .map(|values| Datum::String(values.value(row).to_owned())),
        TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => array
            .as_binary_opt::<i32>()
            .map(|values| Datum::Binary(values.value(row).to_owned())),
        TypeKind::Date => primitive::<Date32Type>(array, row).map(Datum::Date),
        TypeKind::Time { .. } => primitive::<Time32MillisecondType>(array, row).map(Datum::Time),
        TypeKind::Timestamp { precision } => {
            nanos(array, row).map(|epoch_nanos| Datum::Timestamp {
                epoch_nanos,
                precision: *precision,
            })
        }
        TypeKind::TimestampLtz { precision } => {
            nanos(array, row).map(|epoch_nanos| Datum::TimestampLtz {
                epoch_nanos,
                precision: *precision,
            })
        }
        _ => None,
    };
    value
        .map(Some)
        .ok_or_else(|| format!("a value of type {declared} came as {}", array.data_type()))
}

fn primitive<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize) -> Option<T::Native> {
    array
        .as_primitive_opt::<T>()
        .map(|values| values.value(row))
}

fn nanos(array: &ArrayRef, row: usize) -> Option<i128> {
    let (value, factor) = match array.data_type() {
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => (
            primitive::<TimestampMillisecondType>(array, row)?,
            1_000_000,
        ),
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            (primitive::<TimestampMicrosecondType>(array, row)?, 1_000)
        }
        ArrowType::Timestamp(TimeUnit::Nanosecond, _) => {
            (primitive::<TimestampNanosecondType>(array, row)?, 1)
        }
        _ => return None,
    };
    Some(i128::from(value) * factor)
}
