use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array,
    Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, StringArray, StructArray,
    Time32MillisecondArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray,
};
use arrow_schema::{DataType as ArrowType, Field, Fields};
use serde_json::json;

use super::*;

fn text(columns: Vec<(&str, ArrayRef)>) -> String {
    let mut out = Vec::new();
    write_rows(&RecordBatch::try_from_iter(columns).unwrap(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The values of one column.
fn values(array: impl Array + 'static) -> Vec<String> {
    let lines = text(vec![("c", Arc::new(array))]);
    let value = |line: &str| {
        line.strip_prefix("{\"c\":")
            .and_then(|rest| rest.strip_suffix('}'))
            .map(str::to_owned)
    };
    lines.lines().map(|line| value(line).unwrap()).collect()
}

#[test]
fn integers_have_all_their_digits() {
    assert_eq!(
        values(Int8Array::from(vec![Some(-128), Some(127), None])),
        ["-128", "127", "null"]
    );
    assert_eq!(
        values(Int16Array::from(vec![i16::MIN, i16::MAX])),
        ["-32768", "32767"]
    );
    assert_eq!(
        values(Int32Array::from(vec![i32::MIN, 0])),
        ["-2147483648", "0"]
    );
    let wide = [i64::MIN, i64::MAX, 9_007_199_254_740_993];
    assert_eq!(
        values(Int64Array::from(wide.to_vec())),
        [
            "-9223372036854775808",
            "9223372036854775807",
            "9007199254740993"
        ]
    );
}

#[test]
fn floats_have_their_own_shortest_digits() {
    let floats = [
        0.1,
        3.402_823_5e38,
        1.175_494_4e-38,
        1.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    let expected = [
        "0.1",
        "3.4028235e+38",
        "1.1754944e-38",
        "1.0",
        "-0.0",
        "\"NaN\"",
        "\"Infinity\"",
        "\"-Infinity\"",
    ];
    assert_eq!(values(Float32Array::from(floats.to_vec())), expected);
    let doubles = [
        0.1,
        f64::MAX,
        5e-324,
        1e23,
        -0.0,
        f64::NAN,
        f64::NEG_INFINITY,
    ];
    let expected = [
        "0.1",
        "1.7976931348623157e+308",
        "5e-324",
        "1e+23",
        "-0.0",
        "\"NaN\"",
        "\"-Infinity\"",
    ];
    assert_eq!(values(Float64Array::from(doubles.to_vec())), expected);
}

#[test]
fn booleans_decimals_texts_and_bytes() {
    assert_eq!(
        values(BooleanArray::from(vec![Some(true), Some(false), None])),
        ["true", "false", "null"]
    );
    let decimals = Decimal128Array::from(vec![Some(150), Some(-1), Some(0), None])
        .with_precision_and_scale(9, 2);
    assert_eq!(
        values(decimals.unwrap()),
        ["\"1.50\"", "\"-0.01\"", "\"0.00\"", "null"]
    );
    let whole = Decimal128Array::from(vec![-7])
        .with_precision_and_scale(38, 0)
        .unwrap();
    assert_eq!(values(whole), ["\"-7\""]);
    let texts = StringArray::from(vec![
        Some("Zürich 日本 🙂"),
        Some("q\" \\ \n\t\u{1}"),
        Some(""),
        None,
    ]);
    assert_eq!(
        values(texts),
        [
            "\"Zürich 日本 🙂\"",
            "\"q\\\" \\\\ \\n\\t\\u0001\"",
            "\"\"",
            "null"
        ]
    );
    let bytes = BinaryArray::from_opt_vec(vec![
        Some(&[0x00, 0xFF, 0xFE]),
        Some(b"abc"),
        Some(b"a"),
        Some(b""),
        None,
    ]);
    assert_eq!(
        values(bytes),
        ["\"AP/+\"", "\"YWJj\"", "\"YQ==\"", "\"\"", "null"]
    );
}

#[test]
fn dates_and_times() {
    let dates = Date32Array::from(vec![
        Some(0),
        Some(19_723),
        Some(-719_162),
        Some(2_932_896),
        None,
    ]);
    assert_eq!(
        values(dates),
        [
            "\"1970-01-01\"",
            "\"2024-01-01\"",
            "\"0001-01-01\"",
            "\"9999-12-31\"",
            "null"
        ]
    );
    let times =
        Time32MillisecondArray::from(vec![Some(45_296_700), Some(0), Some(86_399_999), None]);
    assert_eq!(
        values(times),
        [
            "\"12:34:56.700\"",
            "\"00:00:00.000\"",
            "\"23:59:59.999\"",
            "null"
        ]
    );
}

#[test]
fn timestamps_have_six_digits_or_nine() {
    let millis = TimestampMillisecondArray::from(vec![Some(1_704_067_200_123), Some(-1), None]);
    assert_eq!(
        values(millis.clone()),
        [
            "\"2024-01-01T00:00:00.123000\"",
            "\"1969-12-31T23:59:59.999000\"",
            "null"
        ]
    );
    let zoned = values(millis.with_timezone("UTC"));
    assert_eq!(
        zoned,
        [
            "\"2024-01-01T00:00:00.123000Z\"",
            "\"1969-12-31T23:59:59.999000Z\"",
            "null"
        ]
    );
    let micros =
        TimestampMicrosecondArray::from(vec![1_704_067_200_123_456, -62_135_596_800_000_000]);
    assert_eq!(
        values(micros),
        [
            "\"2024-01-01T00:00:00.123456\"",
            "\"0001-01-01T00:00:00.000000\""
        ]
    );
    let nanos = TimestampNanosecondArray::from(vec![1_704_067_200_123_456_789, -1]);
    assert_eq!(
        values(nanos.clone()),
        [
            "\"2024-01-01T00:00:00.123456789\"",
            "\"1969-12-31T23:59:59.999999999\""
        ]
    );
    assert_eq!(
        values(nanos.with_timezone("UTC"))[0],
        "\"2024-01-01T00:00:00.123456789Z\""
    );
}

#[test]
fn nested_values() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), None, Some(3)]);
    lists.append_value([]);
    lists.append_null();
    let lists = lists.finish();
    assert_eq!(values(lists.clone()), ["[1,null,3]", "[]", "null"]);
    assert_eq!(values(lists.slice(1, 2)), ["[]", "null"]);

    let names = MapFieldNames {
        entry: "key_value".into(),
        key: "key".into(),
        value: "value".into(),
    };
    let mut maps = MapBuilder::new(Some(names), StringBuilder::new(), Int32Builder::new());
    maps.keys().append_value("a");
    maps.values().append_value(1);
    maps.keys().append_value("b");
    maps.values().append_null();
    maps.append(true).unwrap();
    maps.append(true).unwrap();
    maps.append(false).unwrap();
    assert_eq!(
        values(maps.finish()),
        ["[[\"a\",1],[\"b\",null]]", "[]", "null"]
    );

    let fields = Fields::from(vec![
        Field::new("x \"", ArrowType::Int32, true),
        Field::new("l", lists.data_type().clone(), true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(7), None, Some(9)])),
        Arc::new(lists),
    ];
    let rows = StructArray::new(fields, columns, Some(vec![true, true, false].into()));
    assert_eq!(
        values(rows),
        [
            "{\"x \\\"\":7,\"l\":[1,null,3]}",
            "{\"x \\\"\":null,\"l\":[]}",
            "null"
        ]
    );
}

#[test]
fn columns_come_in_the_order_of_the_batch() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("b", Arc::new(Int32Array::from(vec![1]))),
        ("a", Arc::new(StringArray::from(vec!["x"]))),
    ];
    assert_eq!(text(columns.clone()), "{\"b\":1,\"a\":\"x\"}\n");
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    assert_eq!(rows(&batch).unwrap(), [json!({"b": 1, "a": "x"})]);
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(2));
    let empty = RecordBatch::try_new_with_options(
        Arc::new(arrow_schema::Schema::empty()),
        vec![],
        &options,
    )
    .unwrap();
    assert_eq!(rows(&empty).unwrap(), [json!({}), json!({})]);
}

#[test]
fn values_read_back_exactly() {
    let doubles: Vec<f64> = vec![
        0.1 + 0.2,
        1.0 / 3.0,
        2.225_073_858_507_201e-308,
        123_456_789.123_456_79,
    ];
    let batch = RecordBatch::try_from_iter([(
        "c",
        Arc::new(Float64Array::from(doubles.clone())) as ArrayRef,
    )])
    .unwrap();
    let read: Vec<f64> = rows(&batch)
        .unwrap()
        .iter()
        .map(|row| row["c"].as_f64().unwrap())
        .collect();
    assert_eq!(read, doubles);
}

#[test]
fn a_type_of_no_column_is_refused_by_name() {
    let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("when", seconds)]).unwrap();
    let error = write_rows(&batch, &mut Vec::new()).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot write rows as JSON: column 'when': Arrow type Timestamp(s)"),
        "{error}"
    );
}
