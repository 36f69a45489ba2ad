//! Typed values as Arrow columns.

use std::sync::Arc;

use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, Date32Array, Decimal128Array,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, PrimitiveArray,
    StringArray, Time32MillisecondArray,
};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use ftable_core::types::to_arrow_type;
use ftable_core::{DataType, Datum};

/// Collects the values that a variant holds.
macro_rules! of {
    ($array:ty, $variant:ident, $values:expr) => {{
        let values = $values.iter().map(|value| match value {
            Some(Datum::$variant(value)) => Some(value.clone()),
            None => None,
            Some(other) => panic!("{other:?} in a column of another type"),
        });
        Arc::new(values.collect::<$array>()) as ArrayRef
    }};
}

/// A column of a flat type.
pub(crate) fn column(data_type: &DataType, values: &[Option<Datum>]) -> ArrayRef {
    let arrow = to_arrow_type(data_type).unwrap();
    match &arrow {
        ArrowType::Boolean => of!(BooleanArray, Boolean, values),
        ArrowType::Int8 => of!(Int8Array, TinyInt, values),
        ArrowType::Int16 => of!(Int16Array, SmallInt, values),
        ArrowType::Int32 => of!(Int32Array, Int, values),
        ArrowType::Int64 => of!(Int64Array, BigInt, values),
        ArrowType::Float32 => of!(Float32Array, Float, values),
        ArrowType::Float64 => of!(Float64Array, Double, values),
        ArrowType::Utf8 => of!(StringArray, String, values),
        ArrowType::Binary => of!(BinaryArray, Binary, values),
        ArrowType::Date32 => of!(Date32Array, Date, values),
        ArrowType::Time32(TimeUnit::Millisecond) => of!(Time32MillisecondArray, Time, values),
        ArrowType::Decimal128(precision, scale) => {
            let unscaled = values.iter().map(|value| match value {
                Some(Datum::Decimal { unscaled, .. }) => Some(*unscaled),
                _ => None,
            });
            let unscaled: Decimal128Array = unscaled.collect();
            Arc::new(
                unscaled
                    .with_precision_and_scale(*precision, *scale)
                    .unwrap(),
            )
        }
        ArrowType::Timestamp(unit, _) => match unit {
            TimeUnit::Millisecond => {
                timestamps::<TimestampMillisecondType>(&arrow, values, 1_000_000)
            }
            TimeUnit::Microsecond => timestamps::<TimestampMicrosecondType>(&arrow, values, 1_000),
            TimeUnit::Nanosecond => timestamps::<TimestampNanosecondType>(&arrow, values, 1),
            TimeUnit::Second => panic!("no type is stored as seconds"),
        },
        other => panic!("no flat type is stored as {other}"),
    }
}

fn timestamps<T: ArrowPrimitiveType<Native = i64>>(
    arrow: &ArrowType,
    values: &[Option<Datum>],
    nanos_per_unit: i128,
) -> ArrayRef {
    let units = values.iter().map(|value| match value {
        Some(Datum::Timestamp { epoch_nanos, .. } | Datum::TimestampLtz { epoch_nanos, .. }) => {
            Some(i64::try_from(epoch_nanos / nanos_per_unit).unwrap())
        }
        _ => None,
    });
    let units: PrimitiveArray<T> = units.collect();
    let array = units.with_data_type(arrow.clone());
    assert_eq!(array.data_type(), arrow);
    Arc::new(array)
}
