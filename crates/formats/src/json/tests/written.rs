//! What is written, byte by byte.

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array,
    Float64Array, Int8Array, Int32Array, Int64Array, ListArray, MapArray, RecordBatchOptions,
    StringArray, StructArray, Time32MillisecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType as ArrowType, Field, Fields};
use ftable_core::ErrorKind;
use ftable_core::types::to_arrow_schema;

use super::*;
use crate::json::cell::Cell;
use crate::json::keys::KeyWriter;
use crate::testing::{batch, data_type};

/// One column and its lines.
fn lines_of(declared: &str, array: impl Array + 'static) -> String {
    let fields = columns(&format!("a {declared}"));
    write(&fields, &batch(&fields, vec![Arc::new(array)]))
}

/// One column that is refused.
fn refused_write(given: &[(&str, &str)], declared: &str, array: ArrayRef) -> String {
    let fields = columns(&format!("a {declared}"));
    let schema = arrow_schema::Schema::new(vec![Field::new("a", array.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![array]).unwrap();
    try_write(given, &fields, &batch).unwrap_err().to_string()
}

/// A map column of one row that counts its keys from 0, as a batch writes it.
fn written_map(key: &str, keys: ArrayRef) -> Result<String> {
    let fields = columns(&format!("m MAP<{key}, INT>"));
    let (rows, len) = (to_arrow_schema(&fields).unwrap(), keys.len());
    let ArrowType::Map(field, _) = rows.field(0).data_type().clone() else {
        panic!("no map")
    };
    let ArrowType::Struct(entries) = field.data_type().clone() else {
        panic!("no entries")
    };
    let values = Arc::new(Int32Array::from_iter_values(0..len as i32));
    let entries = StructArray::new(entries, vec![keys, values], None);
    let maps = MapArray::new(
        field,
        OffsetBuffer::from_lengths([len]),
        entries,
        None,
        false,
    );
    try_write(&[], &fields, &batch(&fields, vec![Arc::new(maps)]))
}

/// The same of keys that may be null, which Arrow lets nobody build a map of; those of other processes have them.
fn written_entries(given: &[(&str, &str)], key: &str, keys: ArrayRef) -> Result<String> {
    let options = options(FileFormatKind::Json, given);
    let mut writer = KeyWriter::new(&options.format_options)?;
    let (key_type, value_type) = (data_type(key), data_type("INT"));
    let values = Int32Array::from_iter_values(0..keys.len() as i32);
    let (key, value) = (
        Cell::new(&key_type, &keys)?,
        Cell::new(&value_type, &values)?,
    );
    let mut out = Vec::new();
    writer
        .write_map(&key, &value, 0..keys.len(), &mut out)
        .map_err(|refused| refused.under("m").error())?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn scalars_have_the_forms_of_json_where_it_has_one() {
    let fields = columns(
        "bo BOOLEAN, ti TINYINT, big BIGINT, f FLOAT, d DOUBLE, de DECIMAL(38, 18), s STRING, bin BYTES, \
         da DATE, t TIME(3), t0 TIME(0), ts3 TIMESTAMP(3), ts0 TIMESTAMP(0), ts6 TIMESTAMP(6), ts9 TIMESTAMP(9), \
         ltz TIMESTAMP(3) WITH LOCAL TIME ZONE",
    );
    let decimals = Decimal128Array::from(vec![Some(1234567890123456789012345678), None]);
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(BooleanArray::from(vec![Some(true), None])),
        Arc::new(Int8Array::from(vec![Some(-3), None])),
        Arc::new(Int64Array::from(vec![Some(i64::MIN), None])),
        Arc::new(Float32Array::from(vec![Some(1.1), None])),
        Arc::new(Float64Array::from(vec![Some(1e10), None])),
        Arc::new(decimals.with_precision_and_scale(38, 18).unwrap()),
        Arc::new(StringArray::from(vec![Some("Zürich/漢 \"\n"), None])),
        Arc::new(BinaryArray::from(vec![Some(&[1_u8, 5, 2][..]), None])),
        Arc::new(Date32Array::from(vec![Some(19727), None])),
        Arc::new(Time32MillisecondArray::from(vec![Some(37_230_120), None])),
        Arc::new(Time32MillisecondArray::from(vec![Some(37_230_000), None])),
        Arc::new(TimestampMillisecondArray::from(vec![
            Some(1_704_450_030_120),
            None,
        ])),
        Arc::new(TimestampMillisecondArray::from(vec![Some(-1_000), None])),
        Arc::new(TimestampMicrosecondArray::from(vec![Some(1), None])),
        Arc::new(TimestampNanosecondArray::from(vec![
            Some(1_704_450_030_123_456_789),
            None,
        ])),
        Arc::new(
            TimestampMillisecondArray::from(vec![Some(1_704_450_030_120), None])
                .with_timezone("UTC"),
        ),
    ];
    let expected = [
        r#"{"bo":true,"ti":-3,"big":-9223372036854775808,"f":1.1,"d":1.0E10,"de":1234567890.123456789012345678,"#,
        r#""s":"Zürich/漢 \"\n","bin":"AQUC","da":"2024-01-05","t":"10:20:30.12","t0":"10:20:30","#,
        r#""ts3":"2024-01-05 10:20:30.120","ts0":"1969-12-31 23:59:59","ts6":"1970-01-01 00:00:00.000001","#,
        r#""ts9":"2024-01-05 10:20:30.123456789","ltz":"2024-01-05 10:20:30.120"}"#,
        "\n",
        r#"{"bo":null,"ti":null,"big":null,"f":null,"d":null,"de":null,"s":null,"bin":null,"da":null,"t":null,"#,
        r#""t0":null,"ts3":null,"ts0":null,"ts6":null,"ts9":null,"ltz":null}"#,
        "\n",
    ];
    assert_eq!(write(&fields, &batch(&fields, arrays)), expected.concat());
}

#[test]
fn numbers_that_json_has_not_are_strings() {
    let doubles = vec![
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        1e-4,
        5e-324,
        100.0,
    ];
    let expected = [
        r#"{"a":"NaN"}"#,
        r#"{"a":"Infinity"}"#,
        r#"{"a":"-Infinity"}"#,
        r#"{"a":-0.0}"#,
        r#"{"a":1.0E-4}"#,
        r#"{"a":4.9E-324}"#,
        r#"{"a":100.0}"#,
        "",
    ];
    assert_eq!(
        lines_of("DOUBLE", Float64Array::from(doubles)),
        expected.join("\n")
    );
    let floats = vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX];
    let expected = [
        r#"{"a":"NaN"}"#,
        r#"{"a":"Infinity"}"#,
        r#"{"a":"-Infinity"}"#,
        r#"{"a":3.4028235E38}"#,
        "",
    ];
    assert_eq!(
        lines_of("FLOAT", Float32Array::from(floats)),
        expected.join("\n")
    );
    let decimals = Decimal128Array::from(vec![-1, 0, 10_i128.pow(38) - 1, 1 - 10_i128.pow(38)]);
    let decimals = decimals.with_precision_and_scale(38, 10).unwrap();
    let expected = [
        r#"{"a":-0.0000000001}"#,
        r#"{"a":0.0000000000}"#,
        r#"{"a":9999999999999999999999999999.9999999999}"#,
        r#"{"a":-9999999999999999999999999999.9999999999}"#,
        "",
    ];
    assert_eq!(lines_of("DECIMAL(38, 10)", decimals), expected.join("\n"));
}

#[test]
fn nested_values_have_nulls_at_every_level() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), None, Some(3)]),
        None,
        Some(vec![]),
        Some(vec![None]),
    ]);
    let field = Arc::new(Field::new("element", ArrowType::Int32, true));
    let (_, offsets, values, nulls) = lists.into_parts();
    let lists = ListArray::new(field, offsets, values, nulls);
    assert_eq!(
        lines_of("ARRAY<INT>", lists),
        "{\"a\":[1,null,3]}\n{\"a\":null}\n{\"a\":[]}\n{\"a\":[null]}\n"
    );

    let fields = Fields::from(vec![
        Field::new("x y", ArrowType::Int32, true),
        Field::new("\"", ArrowType::Utf8, true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), Some(2), None])),
        Arc::new(StringArray::from(vec![Some("s"), Some("hidden"), None])),
    ];
    let rows = StructArray::new(
        fields,
        columns,
        Some(NullBuffer::from(vec![true, false, true])),
    );
    assert_eq!(
        lines_of("ROW<`x y` INT, `\"` STRING>", rows),
        "{\"a\":{\"x y\":1,\"\\\"\":\"s\"}}\n{\"a\":null}\n{\"a\":{\"x y\":null,\"\\\"\":null}}\n"
    );
}

#[test]
fn a_slice_is_written_as_what_it_shows() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1)]),
        Some(vec![Some(2), Some(3)]),
        Some(vec![Some(4)]),
    ]);
    let fields = columns("a ARRAY<INT>, b STRING");
    let field = Field::new("a", lists.data_type().clone(), true);
    let schema = arrow_schema::Schema::new(vec![field, Field::new("b", ArrowType::Utf8, true)]);
    let texts = StringArray::from(vec!["x", "y", "z"]);
    let batch =
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(lists), Arc::new(texts)]).unwrap();
    assert_eq!(
        write(&fields, &batch.slice(1, 1)),
        "{\"a\":[2,3],\"b\":\"y\"}\n"
    );
    assert_eq!(write(&fields, &batch.slice(3, 0)), "");
}

#[test]
fn rows_without_columns_are_empty_objects() {
    let options = RecordBatchOptions::new().with_row_count(Some(2));
    let schema = Arc::new(arrow_schema::Schema::empty());
    let batch = RecordBatch::try_new_with_options(schema, Vec::new(), &options).unwrap();
    assert_eq!(write(&[], &batch), "{}\n{}\n");
}

#[test]
fn keys_are_texts_that_read_back() {
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![19727, -1]));
    let times: ArrayRef = Arc::new(Time32MillisecondArray::from(vec![1500, 0]));
    let stamps: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1_704_450_030_120, 0]));
    let decimals = Decimal128Array::from(vec![15, -5]);
    let decimals: ArrayRef = Arc::new(decimals.with_precision_and_scale(4, 2).unwrap());
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![1e10, f64::NAN]));
    let integers: ArrayRef = Arc::new(Int32Array::from(vec![1, -2]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a\"b", ""]));
    let booleans: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    let cases = [
        (
            "DATE",
            dates,
            r#"{"2024-01-05":0,"1969-12-31":1}"#,
            "{2024-01-05: 0, 1969-12-31: 1}",
        ),
        (
            "TIME(3)",
            times,
            r#"{"00:00:01.5":0,"00:00:00.0":1}"#,
            "{00:00:01.500: 0, 00:00:00: 1}",
        ),
        (
            "TIMESTAMP(3)",
            stamps,
            r#"{"2024-01-05 10:20:30.120":0,"1970-01-01 00:00:00.000":1}"#,
            "{2024-01-05T10:20:30.120: 0, 1970-01-01T00:00:00: 1}",
        ),
        (
            "DECIMAL(4, 2)",
            decimals,
            r#"{"0.15":0,"-0.05":1}"#,
            "{0.15: 0, -0.05: 1}",
        ),
        (
            "DOUBLE",
            doubles,
            r#"{"1.0E10":0,"NaN":1}"#,
            "{10000000000.0: 0, NaN: 1}",
        ),
        ("INT", integers, r#"{"1":0,"-2":1}"#, "{1: 0, -2: 1}"),
        ("STRING", texts, r#"{"a\"b":0,"":1}"#, "{a\"b: 0, : 1}"),
        (
            "BOOLEAN",
            booleans,
            r#"{"true":0,"false":1}"#,
            "{true: 0, false: 1}",
        ),
    ];
    for (key, keys, expected, shown) in cases {
        let line = written_map(key, keys).unwrap();
        assert_eq!(line, format!("{{\"m\":{expected}}}\n"), "{key}");
        assert_eq!(
            read(&format!("m MAP<{key}, INT>"), &[line.trim_end()]),
            [shown]
        );
    }
}

#[test]
fn a_null_key_fails_is_left_out_or_gets_a_name() {
    let keys = || Arc::new(StringArray::from(vec![Some("a"), None, Some("b")])) as ArrayRef;
    let mode = "json.map-null-key-mode";
    let failed = written_entries(&[], "STRING", keys()).unwrap_err();
    assert_eq!(
        failed.to_string(),
        "json: column m.key: value NULL cannot be stored: it has no name as a key; \
         option json.map-null-key-mode says what else to do with it"
    );
    assert_eq!(failed.kind(), ErrorKind::InvalidArgument);
    let dropped = written_entries(&[(mode, "drop")], "STRING", keys()).unwrap();
    assert_eq!(dropped, "{\"a\":0,\"b\":2}");
    let first = Arc::new(StringArray::from(vec![None, Some("b")]));
    assert_eq!(
        written_entries(&[(mode, "drop")], "STRING", first).unwrap(),
        "{\"b\":1}"
    );
    let literal = written_entries(&[(mode, "literal")], "STRING", keys()).unwrap();
    assert_eq!(literal, "{\"a\":0,\"null\":1,\"b\":2}");
    let given = [(mode, "literal"), ("json.map-null-key-literal", "\"none\"")];
    let literal = written_entries(&given, "STRING", keys()).unwrap();
    assert_eq!(literal, "{\"a\":0,\"\\\"none\\\"\":1,\"b\":2}");
    let numbers = Arc::new(Int32Array::from(vec![Some(1), None]));
    let given = [(mode, "literal"), ("json.map-null-key-literal", "-1")];
    assert_eq!(
        written_entries(&given, "INT", numbers).unwrap(),
        "{\"1\":0,\"-1\":1}"
    );
}

#[test]
fn two_keys_of_one_name_are_refused() {
    let expected = |name: &str| {
        format!(
            "json: column m.key: value \"{name}\" cannot be stored: it is the name of two keys of one map"
        )
    };
    let same = Arc::new(StringArray::from(vec!["a", "b", "a"]));
    assert_eq!(
        written_map("STRING", same).unwrap_err().to_string(),
        expected("a")
    );
    let null_and_literal = Arc::new(StringArray::from(vec![Some("null"), None]));
    let given = [("json.map-null-key-mode", "literal")];
    let refused = written_entries(&given, "STRING", null_and_literal).unwrap_err();
    assert_eq!(refused.to_string(), expected("null"));
    let mut many: Vec<i32> = (0..100).collect();
    let distinct = Arc::new(Int32Array::from(many.clone()));
    assert!(written_map("INT", distinct).is_ok());
    many.push(42);
    let refused = written_map("INT", Arc::new(Int32Array::from(many))).unwrap_err();
    assert_eq!(refused.to_string(), expected("42"));
}

#[test]
fn years_that_have_no_four_digits_are_refused() {
    let days = |day: i32| Arc::new(Date32Array::from(vec![Some(day), None])) as ArrayRef;
    let ok = |declared: &str, array: ArrayRef| {
        let fields = columns(&format!("a {declared}"));
        write(&fields, &batch(&fields, vec![array]))
    };
    assert_eq!(
        ok("DATE", days(2_932_896)),
        "{\"a\":\"9999-12-31\"}\n{\"a\":null}\n"
    );
    assert_eq!(
        ok("DATE", days(-719_528)),
        "{\"a\":\"0000-01-01\"}\n{\"a\":null}\n"
    );
    for day in [2_932_897, -719_529, i32::MAX, i32::MIN] {
        let told = refused_write(&[], "DATE", days(day));
        assert!(
            told.ends_with("cannot be stored: it lies outside the years 0000 to 9999"),
            "{told}"
        );
    }
    assert_eq!(
        refused_write(&[], "DATE", days(2_932_897)),
        "json: column a: value +10000-01-01 cannot be stored: it lies outside the years 0000 to 9999"
    );
    let millis = |value: i64| Arc::new(TimestampMillisecondArray::from(vec![value])) as ArrayRef;
    let last = 253_402_300_799_999;
    assert_eq!(
        ok("TIMESTAMP(3)", millis(last)),
        "{\"a\":\"9999-12-31 23:59:59.999\"}\n"
    );
    for (declared, array) in [
        ("TIMESTAMP(3)", millis(last + 1)),
        ("TIMESTAMP(3)", millis(i64::MIN)),
        (
            "TIMESTAMP(6)",
            Arc::new(TimestampMicrosecondArray::from(vec![i64::MIN])),
        ),
    ] {
        let told = refused_write(&[], declared, array);
        assert!(
            told.ends_with("it lies outside the years 0000 to 9999"),
            "{told}"
        );
    }
    let time = Arc::new(Time32MillisecondArray::from(vec![86_400_000]));
    assert!(refused_write(&[], "TIME(3)", time).ends_with("it is no time of a day"));
    let told = refused_write(&[], "TIMESTAMP(0)", millis(1));
    assert!(
        told.ends_with("it has more digits of the second than its type"),
        "{told}"
    );
    // Keys too, and what no row shows does not matter.
    let told = written_map("DATE", days(i32::MAX).slice(0, 1))
        .unwrap_err()
        .to_string();
    assert!(
        told.starts_with("json: column m.key: value ") && told.ends_with("9999"),
        "{told}"
    );
    let hidden = StructArray::new(
        Fields::from(vec![Field::new("x", ArrowType::Date32, true)]),
        vec![Arc::new(Date32Array::from(vec![i32::MAX, 0]))],
        Some(NullBuffer::from(vec![false, true])),
    );
    let expected = "{\"a\":null}\n{\"a\":{\"x\":\"1970-01-01\"}}\n";
    assert_eq!(lines_of("ROW<x DATE>", hidden), expected);
}

#[test]
fn a_delimiter_of_ones_own_must_not_stand_in_a_row() {
    let fields = columns("a STRING, b INT");
    let rows = |texts: Vec<&str>| {
        let numbers = Int32Array::from_iter_values(0..texts.len() as i32);
        batch(
            &fields,
            vec![Arc::new(StringArray::from(texts)), Arc::new(numbers)],
        )
    };
    let with = |delimiter: &str, texts: Vec<&str>| {
        let given = [("json.line-delimiter", delimiter)];
        try_write(&given, &fields, &rows(texts)).map_err(|error| error.to_string())
    };
    assert_eq!(
        with("||", vec!["x", "y|"]).unwrap(),
        "{\"a\":\"x\",\"b\":0}||{\"a\":\"y|\",\"b\":1}||"
    );
    assert_eq!(
        with("\r\n", vec!["x\r\ny"]).unwrap(),
        "{\"a\":\"x\\r\\ny\",\"b\":0}\r\n"
    );
    let refused = |column: &str, value: &str| {
        let told = format!(
            "json: column {column}: value {value} cannot be stored: it holds the line delimiter; \
             set json.line-delimiter to another or to a line end, which JSON escapes"
        );
        Err(told)
    };
    assert_eq!(
        with("||", vec!["x", "y||z"]),
        refused("a", "\"a\":\"y||z\"")
    );
    assert_eq!(with(",", vec!["x"]), refused("b", "\"b\":0"));
    assert_eq!(with(":", vec!["x"]), refused("a", "\"a\":\"x\""));
    assert_eq!(with("\"a\"", vec!["x"]), refused("a", "\"a\":\"x\""));
    assert_eq!(with("}", vec!["x"]), refused("b", "\"b\":0"));
    // The end of the row and the beginning of the delimiter.
    assert_eq!(with("}}", vec!["x"]), refused("b", "\"b\":0"));
    assert_eq!(with("0}", vec!["x"]), refused("b", "\"b\":0"));
    assert_eq!(with("}x", vec!["x"]).unwrap(), "{\"a\":\"x\",\"b\":0}}x");
}

#[test]
fn what_is_refused_leaves_whole_rows_only() {
    let fields = columns("a DATE");
    let request = WriteRequest {
        fields: Arc::clone(&fields),
        options: options(FileFormatKind::Json, &[]),
    };
    let mut renderer = JsonRenderer::new(&request).unwrap();
    let mut out = Vec::new();
    let dates = Arc::new(Date32Array::from(vec![0, i32::MAX]));
    assert!(
        renderer
            .rows(&batch(&fields, vec![dates]), &mut out)
            .is_err()
    );
    assert_eq!(String::from_utf8(out).unwrap(), "{\"a\":\"1970-01-01\"}\n");
}

#[test]
fn batches_of_other_columns_are_refused() {
    let told = refused_write(&[], "STRING", Arc::new(Int32Array::from(vec![1])));
    assert_eq!(
        told,
        "encoding json failed: an array of Int32 instead of STRING"
    );
    let told = refused_write(&[], "ARRAY<INT>", Arc::new(Int32Array::from(vec![1])));
    assert_eq!(
        told,
        "encoding json failed: an array of Int32 instead of ARRAY<INT>"
    );
    let fields = columns("a INT, b INT");
    let one = columns("a INT");
    let one = batch(&one, vec![Arc::new(Int32Array::from(vec![1]))]);
    let told = try_write(&[], &fields, &one).unwrap_err().to_string();
    assert_eq!(told, "encoding json failed: 1 columns instead of 2");
}
