//! One value as a column.

use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, PrimitiveArray, StringArray, new_null_array,
};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use ftable_core::Datum;

/// A column of one value, repeated; `None` where the value is not one of the type.
pub(crate) fn constant(
    value: Option<&Datum>,
    data_type: &ArrowType,
    rows: usize,
) -> Option<ArrayRef> {
    let Some(value) = value else {
        return Some(new_null_array(data_type, rows));
    };
    Some(match (value, data_type) {
        (Datum::Boolean(value), ArrowType::Boolean) => {
            Arc::new(BooleanArray::from(vec![*value; rows]))
        }
        (Datum::TinyInt(value), ArrowType::Int8) => primitive::<Int8Type>(*value, rows),
        (Datum::SmallInt(value), ArrowType::Int16) => primitive::<Int16Type>(*value, rows),
        (Datum::Int(value), ArrowType::Int32) => primitive::<Int32Type>(*value, rows),
        (Datum::BigInt(value), ArrowType::Int64) => primitive::<Int64Type>(*value, rows),
        (Datum::Float(value), ArrowType::Float32) => primitive::<Float32Type>(*value, rows),
        (Datum::Double(value), ArrowType::Float64) => primitive::<Float64Type>(*value, rows),
        (Datum::Date(value), ArrowType::Date32) => primitive::<Date32Type>(*value, rows),
        (Datum::Time(value), ArrowType::Time32(_)) => {
            primitive::<Time32MillisecondType>(*value, rows)
        }
        (Datum::String(value), ArrowType::Utf8) => Arc::new(StringArray::from_iter_values(
            std::iter::repeat_n(value.as_str(), rows),
        )),
        (Datum::Binary(value), ArrowType::Binary) => Arc::new(BinaryArray::from_iter_values(
            std::iter::repeat_n(value.as_slice(), rows),
        )),
        (Datum::Decimal { unscaled, .. }, ArrowType::Decimal128(precision, scale)) => {
            let array = PrimitiveArray::<Decimal128Type>::from_value(*unscaled, rows);
            Arc::new(array.with_precision_and_scale(*precision, *scale).ok()?)
        }
        (
            Datum::Timestamp { epoch_nanos, .. } | Datum::TimestampLtz { epoch_nanos, .. },
            ArrowType::Timestamp(unit, zone),
        ) => {
            let value = i64::try_from(epoch_nanos.div_euclid(nanos_per_unit(*unit))).ok()?;
            let zone = zone.clone();
            match unit {
                TimeUnit::Second => return None,
                TimeUnit::Millisecond => Arc::new(
                    PrimitiveArray::<TimestampMillisecondType>::from_value(value, rows)
                        .with_timezone_opt(zone),
                ),
                TimeUnit::Microsecond => Arc::new(
                    PrimitiveArray::<TimestampMicrosecondType>::from_value(value, rows)
                        .with_timezone_opt(zone),
                ),
                TimeUnit::Nanosecond => Arc::new(
                    PrimitiveArray::<TimestampNanosecondType>::from_value(value, rows)
                        .with_timezone_opt(zone),
                ),
            }
        }
        _ => return None,
    })
}

fn primitive<T: arrow_array::ArrowPrimitiveType>(value: T::Native, rows: usize) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_value(value, rows))
}

/// Nanoseconds in one unit.
pub(crate) fn nanos_per_unit(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}
