//! What other readers make of the lines that are written.

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array,
    ListArray, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, Field, Fields};
use serde_json::json;

use super::*;
use crate::testing::batch;

fn sample(fields: &[DataField]) -> RecordBatch {
    let decimals = Decimal128Array::from(vec![Some(-1), None, Some(10_i128.pow(38) - 1)]);
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
    ]);
    let field = Arc::new(Field::new("element", ArrowType::Int32, true));
    let (_, offsets, values, nulls) = lists.into_parts();
    let members: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None, None])),
        Arc::new(StringArray::from(vec![Some("é/\"\\\u{1}"), None, Some("")])),
    ];
    let names = Fields::from(vec![
        Field::new("x", ArrowType::Int32, true),
        Field::new("y", ArrowType::Utf8, true),
    ]);
    let shown = Some(NullBuffer::from(vec![true, false, true]));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(i64::MIN)])),
        Arc::new(Float64Array::from(vec![Some(1e-300), None, Some(-0.1)])),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        Arc::new(decimals.with_precision_and_scale(38, 18).unwrap()),
        Arc::new(Date32Array::from(vec![Some(19727), None, Some(-719_162)])),
        Arc::new(TimestampMicrosecondArray::from(vec![
            Some(-1),
            None,
            Some(1),
        ])),
        Arc::new(ListArray::new(field, offsets, values, nulls)),
        Arc::new(StructArray::new(names, members, shown)),
    ];
    batch(fields, columns)
}

const DDL: &str = "b BIGINT, d DOUBLE, bo BOOLEAN, de DECIMAL(38, 18), da DATE, ts TIMESTAMP(6), l ARRAY<INT>, \
                   r ROW<x INT, y STRING>";

#[test]
fn arrow_reads_the_same_batch() {
    let fields = columns(DDL);
    let expected = sample(&fields);
    let text = write(&fields, &expected);
    let mut reader = arrow_json::ReaderBuilder::new(expected.schema())
        .with_strict_mode(true)
        .build(text.as_bytes())
        .unwrap();
    assert_eq!(reader.next().unwrap().unwrap(), expected);
    assert!(reader.next().is_none());
}

#[test]
fn serde_reads_the_same_values() {
    let fields = columns(DDL);
    let text = write(&fields, &sample(&fields));
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut first = json!({
        "b": i64::MAX, "d": 1e-300, "bo": true, "da": "2024-01-05", "ts": "1969-12-31 23:59:59.999999",
        "l": [1, null], "r": {"x": 1, "y": "é/\"\\\u{1}"},
    });
    first["de"] = json!(-1e-18);
    assert_eq!(lines[0], first);
    let nulls = lines[1].as_object().unwrap();
    assert!(nulls.len() == 8 && nulls.values().all(serde_json::Value::is_null));
    assert_eq!(lines[2]["r"], json!({"x": null, "y": ""}));
    assert_eq!(lines[2]["da"], json!("0001-01-01"));
}
