//! What is written is read.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use arrow_select::take::take;
use ftable_core::types::to_arrow_schema;
use ftable_core::{DataType, TypeKind};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::json::{map_keys, schema};
use crate::lines::testing::{codec_and_path, written_and_read};
use crate::testing::{any_type, concat, named, random_batches};

const DAY: i64 = 86_400;
const FIRST_DAY: i64 = -719_528;
const DAYS: i64 = 2_932_897 - FIRST_DAY;

/// A value between the years 0000 and 9999, as far as its unit reaches, without digits below `step`.
fn within(value: i64, per_day: i64, step: i64) -> i64 {
    // Half of it, so that moving the beginning does not overflow.
    let value = match DAYS.checked_mul(per_day) {
        Some(span) => (value / 2 - FIRST_DAY * per_day).rem_euclid(span) + FIRST_DAY * per_day,
        None => value / 2,
    };
    value - value.rem_euclid(step)
}

/// Ticks of the clock of a type from one of its values to the next.
fn step(declared: &DataType) -> i64 {
    let (TypeKind::Timestamp { precision } | TypeKind::TimestampLtz { precision }) =
        declared.kind()
    else {
        return 1;
    };
    let digits = match precision {
        0..=3 => 3,
        4..=6 => 6,
        _ => 9,
    };
    10_i64.pow(digits - u32::from(*precision))
}

/// The same array with values that have a text, one kind of NaN, and keys that differ.
fn tamed(declared: &DataType, array: &ArrayRef) -> ArrayRef {
    let step = step(declared);
    match (array.data_type(), declared.kind()) {
        (ArrowType::Date32, _) => {
            let tame = |day: i32| within(i64::from(day), 1, 1) as i32;
            Arc::new(
                array
                    .as_primitive::<Date32Type>()
                    .unary::<_, Date32Type>(tame),
            )
        }
        (ArrowType::Timestamp(TimeUnit::Millisecond, zone), _) => {
            let values = array.as_primitive::<TimestampMillisecondType>();
            let tame = |value: i64| within(value, DAY * 1_000, step);
            let tamed = values.unary::<_, TimestampMillisecondType>(tame);
            Arc::new(tamed.with_timezone_opt(zone.clone()))
        }
        (ArrowType::Timestamp(TimeUnit::Microsecond, zone), _) => {
            let values = array.as_primitive::<TimestampMicrosecondType>();
            let tame = |value: i64| within(value, DAY * 1_000_000, step);
            let tamed = values.unary::<_, TimestampMicrosecondType>(tame);
            Arc::new(tamed.with_timezone_opt(zone.clone()))
        }
        (ArrowType::Timestamp(_, zone), _) => {
            let values = array.as_primitive::<TimestampNanosecondType>();
            let tame = |value: i64| within(value, DAY * 1_000_000_000, step);
            let tamed = values.unary::<_, TimestampNanosecondType>(tame);
            Arc::new(tamed.with_timezone_opt(zone.clone()))
        }
        (ArrowType::Float32, _) => {
            let tame = |value: f32| if value.is_nan() { f32::NAN } else { value };
            Arc::new(
                array
                    .as_primitive::<Float32Type>()
                    .unary::<_, Float32Type>(tame),
            )
        }
        (ArrowType::Float64, _) => {
            let tame = |value: f64| if value.is_nan() { f64::NAN } else { value };
            Arc::new(
                array
                    .as_primitive::<Float64Type>()
                    .unary::<_, Float64Type>(tame),
            )
        }
        (ArrowType::List(field), TypeKind::Array { element }) => {
            let (_, offsets, values, nulls) = array.as_list::<i32>().clone().into_parts();
            Arc::new(ListArray::new(
                Arc::clone(field),
                offsets,
                tamed(element, &values),
                nulls,
            ))
        }
        (ArrowType::Map(field, _), TypeKind::Map { key, value }) => {
            let (_, offsets, entries, nulls, _) = array.as_map().clone().into_parts();
            let (fields, columns, _) = entries.into_parts();
            let (mut keys, mut values) = (tamed(key, &columns[0]), tamed(value, &columns[1]));
            let mut offsets = offsets.to_vec();
            if let Some(last) = map_keys::last_of_equal(&keys, &offsets) {
                keys = take(&keys, &last.entries, None).unwrap();
                values = take(&values, &last.entries, None).unwrap();
                offsets = last.ends;
            }
            let entries = StructArray::new(fields, vec![keys, values], None);
            let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
            Arc::new(MapArray::new(
                Arc::clone(field),
                offsets,
                entries,
                nulls,
                false,
            ))
        }
        (ArrowType::Struct(_), TypeKind::Row { fields: declared }) => {
            let (fields, columns, nulls) = array.as_struct().clone().into_parts();
            let columns = declared.iter().zip(&columns);
            let columns = columns
                .map(|(field, column)| tamed(&field.data_type, column))
                .collect();
            Arc::new(StructArray::new(fields, columns, nulls))
        }
        _ => Arc::clone(array),
    }
}

fn json_type() -> impl Strategy<Value = DataType> {
    let taken = |declared: &DataType| schema::check(&named(vec![declared.clone()])).is_ok();
    any_type().prop_filter("JSON files hold it", taken)
}

proptest! {
    /// Every type, nulls at every level; each line is what another reader takes for an object with the columns in order.
    #[test]
    fn random_rows_come_back(
        types in prop::collection::vec(json_type(), 1..5),
        rows in 0_usize..40,
        offset in 0_usize..3,
        lenient in any::<bool>(),
        delimiter in prop_oneof![Just("\n"), Just("\r\n"), Just("\u{1}\u{2}|")],
        seed in any::<u64>(),
    ) {
        let fields = named(types);
        let batch = &random_batches(&fields, &[rows + offset], seed)[0];
        let columns = fields.iter().zip(batch.columns());
        let columns = columns.map(|(field, column)| tamed(&field.data_type, column)).collect();
        let schema = to_arrow_schema(&fields).unwrap();
        let batch = RecordBatch::try_new(schema, columns).unwrap().slice(offset, rows);
        let text = try_write(&[("json.line-delimiter", delimiter)], &fields, &batch).unwrap();

        let mut decoding = Decoding::new(&fields, lenient);
        let mut lines: Vec<&str> = text.split(delimiter).collect();
        prop_assert_eq!(lines.pop(), Some(""));
        prop_assert_eq!(lines.len(), rows);
        for line in lines {
            decoding.line(line).unwrap();
            let Value::Object(object) = serde_json::from_str(line).unwrap() else {
                return Err(TestCaseError::fail("no object"));
            };
            let names: Vec<&String> = object.keys().collect();
            prop_assert_eq!(names, fields.iter().map(|field| &field.name).collect::<Vec<_>>());
        }
        prop_assert_eq!(decoding.counts(), (0, 0));
        prop_assert_eq!(decoding.rows(), batch);
    }

    /// Whole files, of several batches and compressed.
    #[test]
    fn files_of_random_rows_come_back(
        types in prop::collection::vec(json_type(), 1..4),
        sizes in prop::collection::vec(0_usize..20, 0..4),
        delimiter in prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("\u{1}\u{2}|")],
        (codec, path) in codec_and_path(FileFormatKind::Json),
        seed in any::<u64>(),
    ) {
        let fields: Arc<[DataField]> = named(types).into();
        let tame = |batch: &RecordBatch| {
            let columns = fields.iter().zip(batch.columns());
            let columns = columns.map(|(field, column)| tamed(&field.data_type, column)).collect();
            RecordBatch::try_new(batch.schema(), columns).unwrap()
        };
        let batches: Vec<RecordBatch> = random_batches(&fields, &sizes, seed).iter().map(tame).collect();
        let options = [("json.line-delimiter", delimiter), ("file.compression", codec)];
        let (read, count) = written_and_read(FileFormatKind::Json, &path, &options, &fields, &batches).unwrap();
        prop_assert_eq!(count, sizes.iter().sum::<usize>() as u64);
        prop_assert_eq!(read, concat(&fields, &batches));
    }
}
