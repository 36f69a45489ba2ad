//! The rows of the table, and what is not in it.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal256Type, Float16Type, Float64Type, Int32Type};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType as A, Field, Fields, TimeUnit};
use ftable_core::types::to_arrow_type;

use super::*;
use crate::testing::data_type;

fn plan(file: &FileType, declared: &str) -> Result<Conversion, String> {
    Conversion::plan(file, &data_type(declared))
        .map_err(|mismatch| mismatch.in_file("/f", "c").to_string())
}

fn convert_as(file: FileType, array: ArrayRef, declared: &str) -> Result<ArrayRef, String> {
    let conversion = plan(&file, declared)?;
    conversion
        .apply(&array, &Site::root("c"))
        .map_err(|failure| failure.in_file("/f", "test", 100).to_string())
}

fn convert(array: impl Array + 'static, declared: &str) -> Result<ArrayRef, String> {
    let array: ArrayRef = Arc::new(array);
    convert_as(FileType::of_arrow(array.data_type()), array, declared)
}

/// Converts, and expects exactly these values in the declared Arrow type.
fn converts(array: impl Array + 'static, declared: &str, expected: impl Array + 'static) {
    let target = to_arrow_type(&data_type(declared)).unwrap();
    assert_eq!(
        *expected.data_type(),
        target,
        "the test is wrong about {declared}"
    );
    let converted = convert(array, declared).unwrap();
    assert_eq!(&*converted, &expected as &dyn Array, "as {declared}");
    converted.to_data().validate_full().unwrap();
}

fn refuses(array: impl Array + 'static, declared: &str, message: &str) {
    assert_eq!(convert(array, declared).unwrap_err(), message);
}

/// Every kind of declared type, by a spelling of its own.
const DECLARED: [&str; 29] = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(4, 2)",
    "DECIMAL(5, 2)",
    "DECIMAL(7, 2)",
    "DECIMAL(12, 2)",
    "DECIMAL(21, 2)",
    "DECIMAL(22, 2)",
    "DECIMAL(10, 4)",
    "CHAR(3)",
    "VARCHAR(3)",
    "STRING",
    "BINARY(3)",
    "VARBINARY(3)",
    "BYTES",
    "DATE",
    "TIME(3)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP(9) WITH LOCAL TIME ZONE",
    "ARRAY<INT>",
    "MAP<STRING, INT>",
    "MULTISET<STRING>",
    "ROW<a INT>",
];

/// The declared types among [`DECLARED`] that a file type is read as.
fn accepted(file: &FileType) -> Vec<&'static str> {
    DECLARED
        .into_iter()
        .filter(|declared| plan(file, declared).is_ok())
        .collect()
}

fn arrow(arrow: A) -> FileType {
    FileType::of_arrow(&arrow)
}

#[test]
fn numbers_are_read_as_the_types_that_hold_all_of_them() {
    let accepted = |file: A| accepted(&arrow(file));
    let small = ["FLOAT", "DOUBLE"];
    let decimals = [
        "DECIMAL(5, 2)",
        "DECIMAL(7, 2)",
        "DECIMAL(12, 2)",
        "DECIMAL(21, 2)",
        "DECIMAL(22, 2)",
        "DECIMAL(10, 4)",
    ];
    let all = |integers: &[&'static str], floats: &[&'static str], decimals: &[&'static str]| {
        [integers, floats, decimals].concat()
    };
    assert_eq!(accepted(A::Boolean), ["BOOLEAN"]);
    assert_eq!(
        accepted(A::Int8),
        all(&["TINYINT", "SMALLINT", "INT", "BIGINT"], &small, &decimals)
    );
    // DECIMAL(7, 2) has 5 digits before the point, DECIMAL(10, 4) has 6.
    assert_eq!(
        accepted(A::Int16),
        all(&["SMALLINT", "INT", "BIGINT"], &small, &decimals[1..])
    );
    assert_eq!(
        accepted(A::Int32),
        all(&["INT", "BIGINT"], &["DOUBLE"], &decimals[2..5])
    );
    assert_eq!(accepted(A::Int64), all(&["BIGINT"], &[], &decimals[3..5]));
    assert_eq!(
        accepted(A::UInt8),
        all(&["SMALLINT", "INT", "BIGINT"], &[], &decimals)
    );
    assert_eq!(
        accepted(A::UInt16),
        all(&["INT", "BIGINT"], &[], &decimals[1..])
    );
    assert_eq!(accepted(A::UInt32), all(&["BIGINT"], &[], &decimals[2..5]));
    assert_eq!(accepted(A::UInt64), ["DECIMAL(22, 2)"]);
    assert_eq!(accepted(A::Float16), ["FLOAT", "DOUBLE"]);
    assert_eq!(accepted(A::Float32), ["FLOAT", "DOUBLE"]);
    assert_eq!(accepted(A::Float64), ["DOUBLE"]);
    assert_eq!(
        accepted(A::Decimal128(5, 2)),
        // The first by value, as its scale is the same.
        [
            "DECIMAL(4, 2)",
            "DECIMAL(5, 2)",
            "DECIMAL(7, 2)",
            "DECIMAL(12, 2)",
            "DECIMAL(21, 2)",
            "DECIMAL(22, 2)",
            "DECIMAL(10, 4)"
        ]
    );
    assert_eq!(accepted(A::Decimal128(9, 4)), ["DECIMAL(10, 4)"]);
    assert_eq!(accepted(A::Decimal256(40, 4)), ["DECIMAL(10, 4)"]);
    assert_eq!(
        accepted(A::Decimal32(9, 1)),
        ["DECIMAL(12, 2)", "DECIMAL(21, 2)", "DECIMAL(22, 2)"]
    );
}

#[test]
fn texts_bytes_and_times_are_read_as_their_like() {
    let accepted = |file: A| accepted(&arrow(file));
    for text in [A::Utf8, A::LargeUtf8, A::Utf8View] {
        assert_eq!(accepted(text), ["CHAR(3)", "VARCHAR(3)", "STRING", "BYTES"]);
    }
    for bytes in [A::Binary, A::LargeBinary, A::BinaryView] {
        assert_eq!(
            accepted(bytes),
            ["STRING", "BINARY(3)", "VARBINARY(3)", "BYTES"]
        );
    }
    let fixed = |length| accepted(A::FixedSizeBinary(length));
    assert_eq!(fixed(2), ["VARBINARY(3)", "BYTES"]);
    assert_eq!(fixed(3), ["BINARY(3)", "VARBINARY(3)", "BYTES"]);
    assert_eq!(fixed(12), ["BYTES"]);
    assert_eq!(
        accepted(A::Date32),
        ["DATE", "TIMESTAMP(3)", "TIMESTAMP(6)"]
    );
    for time in [
        A::Time32(TimeUnit::Second),
        A::Time32(TimeUnit::Millisecond),
        A::Time64(TimeUnit::Microsecond),
        A::Time64(TimeUnit::Nanosecond),
    ] {
        assert_eq!(accepted(time), ["TIME(3)"]);
    }
    let timestamps = [
        "TIMESTAMP(3)",
        "TIMESTAMP(6)",
        "TIMESTAMP(9) WITH LOCAL TIME ZONE",
    ];
    for unit in [
        TimeUnit::Second,
        TimeUnit::Millisecond,
        TimeUnit::Microsecond,
        TimeUnit::Nanosecond,
    ] {
        assert_eq!(accepted(A::Timestamp(unit, None)), timestamps);
        assert_eq!(accepted(A::Timestamp(unit, Some("UTC".into()))), timestamps);
    }
    for foreign in [
        A::Date64,
        A::Duration(TimeUnit::Second),
        A::Interval(arrow_schema::IntervalUnit::MonthDayNano),
    ] {
        assert_eq!(accepted(foreign), [""; 0]);
    }
}

#[test]
fn forms_of_files_are_read_as_what_they_stand_for() {
    let leaf = |arrow, form| accepted(&FileType::leaf(arrow, "x", form));
    assert_eq!(
        leaf(A::Int32, Form::Bare),
        [
            "TINYINT",
            "SMALLINT",
            "INT",
            "BIGINT",
            "DOUBLE",
            "DECIMAL(12, 2)",
            "DECIMAL(21, 2)",
            "DECIMAL(22, 2)"
        ]
    );
    assert_eq!(
        leaf(A::Int32, Form::MaybeTime),
        [
            "INT",
            "BIGINT",
            "DOUBLE",
            "DECIMAL(12, 2)",
            "DECIMAL(21, 2)",
            "DECIMAL(22, 2)",
            "TIME(3)"
        ]
    );
    assert_eq!(
        leaf(A::FixedSizeBinary(12), Form::Int96),
        [
            "TIMESTAMP(3)",
            "TIMESTAMP(6)",
            "TIMESTAMP(9) WITH LOCAL TIME ZONE"
        ]
    );
    let micros = A::Timestamp(TimeUnit::Microsecond, None);
    assert_eq!(
        leaf(micros.clone(), Form::WallClock),
        ["TIMESTAMP(3)", "TIMESTAMP(6)"]
    );
    assert_eq!(
        leaf(micros.clone(), Form::Instant),
        ["TIMESTAMP(9) WITH LOCAL TIME ZONE"]
    );
    assert_eq!(leaf(micros, Form::Foreign), [""; 0]);
    assert_eq!(
        leaf(A::Binary, Form::Text),
        ["CHAR(3)", "VARCHAR(3)", "STRING", "BYTES"]
    );
    assert_eq!(
        leaf(A::Utf8, Form::BoundedText),
        ["CHAR(3)", "VARCHAR(3)", "STRING"]
    );
}

#[test]
fn a_column_of_nulls_is_read_as_every_nullable_type() {
    assert_eq!(accepted(&arrow(A::Null)), DECLARED);
    let converted = convert(NullArray::new(3), "ARRAY<INT>").unwrap();
    assert_eq!((converted.len(), converted.null_count()), (3, 3));
    refuses(
        NullArray::new(1),
        "INT NOT NULL",
        "/f: column c: file type Null cannot be read as INT NOT NULL",
    );
}

#[test]
fn integers_widen_exactly() {
    converts(
        Int8Array::from(vec![Some(-128), None, Some(127)]),
        "BIGINT",
        Int64Array::from(vec![Some(-128), None, Some(127)]),
    );
    converts(
        Int16Array::from(vec![i16::MIN, i16::MAX]),
        "FLOAT",
        Float32Array::from(vec![-32768.0, 32767.0]),
    );
    converts(
        Int32Array::from(vec![i32::MIN, i32::MAX]),
        "DOUBLE",
        Float64Array::from(vec![-2147483648.0, 2147483647.0]),
    );
    converts(
        UInt8Array::from(vec![255]),
        "SMALLINT",
        Int16Array::from(vec![255]),
    );
    converts(
        UInt16Array::from(vec![65535]),
        "INT",
        Int32Array::from(vec![65535]),
    );
    converts(
        UInt32Array::from(vec![u32::MAX]),
        "BIGINT",
        Int64Array::from(vec![4294967295]),
    );
    let decimal = |values: Vec<i128>, precision, scale| {
        Decimal128Array::from(values)
            .with_precision_and_scale(precision, scale)
            .unwrap()
    };
    converts(
        UInt64Array::from(vec![u64::MAX]),
        "DECIMAL(20, 0)",
        decimal(vec![18446744073709551615], 20, 0),
    );
    converts(
        Int64Array::from(vec![i64::MIN, i64::MAX]),
        "DECIMAL(21, 2)",
        decimal(vec![-922337203685477580800, 922337203685477580700], 21, 2),
    );
    converts(
        Int32Array::from(vec![300]),
        "DECIMAL(12, 2)",
        decimal(vec![30000], 12, 2),
    );
}

#[test]
fn floats_widen_exactly() {
    converts(
        Float32Array::from(vec![0.1, f32::INFINITY]),
        "DOUBLE",
        Float64Array::from(vec![0.10000000149011612, f64::INFINITY]),
    );
    let halves = Float16Array::from(vec![half(0x3c00), half(0xfbff)]);
    converts(
        halves.clone(),
        "FLOAT",
        Float32Array::from(vec![1.0, -65504.0]),
    );
    converts(halves, "DOUBLE", Float64Array::from(vec![1.0, -65504.0]));
    let nan = convert(Float32Array::from(vec![f32::NAN]), "DOUBLE").unwrap();
    assert!(nan.as_primitive::<Float64Type>().value(0).is_nan());
}

/// A number of sixteen bits by its bits.
fn half(bits: u16) -> <Float16Type as ArrowPrimitiveType>::Native {
    <Float16Type as ArrowPrimitiveType>::Native::from_bits(bits)
}

#[test]
fn decimals_keep_every_digit() {
    let decimal = |values: Vec<i128>, precision, scale| {
        Decimal128Array::from(values)
            .with_precision_and_scale(precision, scale)
            .unwrap()
    };
    converts(
        decimal(vec![1234, -99999], 9, 2),
        "DECIMAL(11, 4)",
        decimal(vec![123400, -9999900], 11, 4),
    );
    // Fewer digits, the same scale: by value.
    converts(
        decimal(vec![9999, -9999], 9, 2),
        "DECIMAL(4, 2)",
        decimal(vec![9999, -9999], 4, 2),
    );
    refuses(
        decimal(vec![9999, 10000], 9, 2),
        "DECIMAL(4, 2)",
        "/f: column c: file type Decimal128(9, 2) cannot be read as DECIMAL(4, 2): row 101 value 100.00",
    );
    let wide = PrimitiveArray::<Decimal256Type>::from(vec![i256::from_i128(10_i128.pow(37))]);
    let wide = wide.with_precision_and_scale(50, 0).unwrap();
    converts(
        wide.clone(),
        "DECIMAL(38, 0)",
        decimal(vec![10_i128.pow(37)], 38, 0),
    );
    let too_wide = PrimitiveArray::<Decimal256Type>::from(vec![i256::from_i128(10_i128.pow(38))]);
    let too_wide = too_wide.with_precision_and_scale(50, 0).unwrap();
    assert!(
        convert(too_wide, "DECIMAL(38, 0)")
            .unwrap_err()
            .contains("row 100 value 1000")
    );
    let small = Decimal32Array::from(vec![-12345])
        .with_precision_and_scale(9, 1)
        .unwrap();
    converts(small, "DECIMAL(12, 2)", decimal(vec![-123450], 12, 2));
    let tens = decimal(vec![12], 5, -2);
    converts(tens, "DECIMAL(8, 1)", decimal(vec![12000], 8, 1));
}

#[test]
fn smaller_integers_behind_bare_ones_are_checked() {
    let bare = || FileType::leaf(A::Int32, "INT32", Form::Bare);
    let array = |values: Vec<i32>| Arc::new(Int32Array::from(values)) as ArrayRef;
    let converted = convert_as(bare(), array(vec![-128, 127]), "TINYINT").unwrap();
    assert_eq!(&*converted, &Int8Array::from(vec![-128, 127]) as &dyn Array);
    assert_eq!(
        convert_as(bare(), array(vec![1, 300]), "TINYINT").unwrap_err(),
        "/f: column c: file type INT32 cannot be read as TINYINT: row 101 value 300"
    );
    assert_eq!(
        convert_as(bare(), array(vec![40000]), "SMALLINT").unwrap_err(),
        "/f: column c: file type INT32 cannot be read as SMALLINT: row 100 value 40000"
    );
}

#[test]
fn lengths_of_texts_are_counted_in_characters() {
    let text = |values: Vec<&str>| StringArray::from(values);
    converts(
        text(vec!["漢字é", ""]),
        "VARCHAR(3)",
        text(vec!["漢字é", ""]),
    );
    converts(text(vec!["abc  "]), "CHAR(3)", text(vec!["abc  "]));
    converts(
        StringViewArray::from(vec!["a longer text than fits inline"]),
        "STRING",
        text(vec!["a longer text than fits inline"]),
    );
    converts(
        LargeStringArray::from(vec![Some("x"), None]),
        "CHAR(1)",
        StringArray::from(vec![Some("x"), None]),
    );
    refuses(
        text(vec!["abc", "abcd"]),
        "CHAR(3)",
        "/f: column c: file type Utf8 cannot be read as CHAR(3): row 101 value abcd",
    );
    refuses(
        text(vec!["abc "]),
        "VARCHAR(3)",
        "/f: column c: file type Utf8 cannot be read as VARCHAR(3): row 100 value abc ",
    );
    let long = "x".repeat(500);
    let error = convert(text(vec![&long]), "VARCHAR(3)").unwrap_err();
    assert!(
        error.ends_with(&format!("value {}…", "x".repeat(100))),
        "{error}"
    );
}

#[test]
fn bytes_are_text_where_they_are_utf8() {
    let bytes = |values: Vec<&'static [u8]>| BinaryArray::from(values);
    converts(
        bytes(vec!["é".as_bytes()]),
        "STRING",
        StringArray::from(vec!["é"]),
    );
    converts(
        BinaryViewArray::from(vec![&b"twelve bytes or more"[..]]),
        "STRING",
        StringArray::from(vec!["twelve bytes or more"]),
    );
    converts(
        LargeBinaryArray::from(vec![&b"ab"[..]]),
        "BYTES",
        bytes(vec![b"ab"]),
    );
    converts(
        StringViewArray::from(vec!["é"]),
        "BYTES",
        bytes(vec!["é".as_bytes()]),
    );
    refuses(
        bytes(vec![b"ok", b"\xff"]),
        "STRING",
        "/f: column c: file type Binary cannot be read as STRING: row 101 value ff",
    );
    refuses(
        StringArray::from(vec!["éé"]),
        "BINARY(4)",
        "/f: column c: file type Utf8 cannot be read as BINARY(4)",
    );
    refuses(
        bytes(vec![b"abc", b"abcd"]),
        "BINARY(3)",
        "/f: column c: file type Binary cannot be read as BINARY(3): row 101 value 61626364",
    );
    refuses(
        bytes(vec![b"abc"]),
        "VARCHAR(3)",
        "/f: column c: file type Binary cannot be read as VARCHAR(3)",
    );
    // What is not seen need not be UTF-8.
    let hidden = BinaryArray::new(
        OffsetBuffer::from_lengths([1, 1, 2]),
        b"a\xffbc".to_vec().into(),
        Some(NullBuffer::from(vec![true, false, true])),
    );
    converts(
        hidden,
        "STRING",
        StringArray::from(vec![Some("a"), None, Some("bc")]),
    );
    converts(
        bytes(vec![b"ok", b"\xff"]).slice(0, 1),
        "STRING",
        StringArray::from(vec!["ok"]),
    );
    let fixed = FixedSizeBinaryArray::try_from_iter([b"abc"].into_iter()).unwrap();
    converts(fixed.clone(), "VARBINARY(3)", bytes(vec![b"abc"]));
    refuses(
        fixed,
        "BINARY(2)",
        "/f: column c: file type FixedSizeBinary(3) cannot be read as BINARY(2)",
    );
}

#[test]
fn times_of_finer_units_are_checked() {
    let millis = |values: Vec<i32>| Time32MillisecondArray::from(values);
    converts(
        Time32SecondArray::from(vec![0, 86_399]),
        "TIME(0)",
        millis(vec![0, 86_399_000]),
    );
    converts(
        Time64MicrosecondArray::from(vec![1_000, 86_399_999_000]),
        "TIME(9)",
        millis(vec![1, 86_399_999]),
    );
    converts(
        Time64NanosecondArray::from(vec![5_000_000]),
        "TIME(3)",
        millis(vec![5]),
    );
    let refused = |value| {
        format!(
            "/f: column c: file type Time64(µs) cannot be read as TIME(3): row 100 value {value}"
        )
    };
    refuses(
        Time64MicrosecondArray::from(vec![1_500]),
        "TIME(3)",
        &refused("00:00:00.001500"),
    );
    // Not a time of day, and more milliseconds than an Arrow time holds: neither may wrap.
    let error = convert(
        Time64MicrosecondArray::from(vec![86_400_000_000]),
        "TIME(3)",
    )
    .unwrap_err();
    assert!(error.starts_with(&refused("")), "{error}");
    assert!(
        convert(
            Time64MicrosecondArray::from(vec![i64::MAX / 1000 * 1000]),
            "TIME(3)"
        )
        .is_err()
    );
    assert!(convert(Time64NanosecondArray::from(vec![-1_000_000]), "TIME(3)").is_err());
    let int = FileType::leaf(A::Int32, "INT", Form::MaybeTime);
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(86_399_999), None]));
    let converted = convert_as(int.clone(), array, "TIME(3)").unwrap();
    assert_eq!(
        &*converted,
        &Time32MillisecondArray::from(vec![Some(86_399_999), None]) as &dyn Array
    );
    let error = convert_as(int, Arc::new(Int32Array::from(vec![86_400_000])), "TIME(3)");
    assert_eq!(
        error.unwrap_err(),
        "/f: column c: file type INT cannot be read as TIME(3): row 100 value 86400000"
    );
}

#[test]
fn dates_are_midnights() {
    converts(
        Date32Array::from(vec![Some(-1), None, Some(1)]),
        "TIMESTAMP(3)",
        TimestampMillisecondArray::from(vec![Some(-86_400_000), None, Some(86_400_000)]),
    );
    converts(
        Date32Array::from(vec![106_751_991]),
        "TIMESTAMP(6)",
        TimestampMicrosecondArray::from(vec![106_751_991 * 86_400_000_000]),
    );
    assert!(convert(Date32Array::from(vec![i32::MAX]), "TIMESTAMP(6)").is_err());
    // 2262-04-12 has no midnight in nanoseconds.
    converts(
        Date32Array::from(vec![106_751]),
        "TIMESTAMP(9)",
        TimestampNanosecondArray::from(vec![106_751 * 86_400_000_000_000]),
    );
    refuses(
        Date32Array::from(vec![0, 106_752]),
        "TIMESTAMP(9)",
        "/f: column c: file type Date32 cannot be read as TIMESTAMP(9): row 101 value 2262-04-12",
    );
}

#[test]
fn timestamps_change_their_unit_exactly_or_not_at_all() {
    converts(
        TimestampSecondArray::from(vec![-1]),
        "TIMESTAMP(9)",
        TimestampNanosecondArray::from(vec![-1_000_000_000]),
    );
    converts(
        TimestampMillisecondArray::from(vec![1]).with_timezone("UTC"),
        "TIMESTAMP(6)",
        TimestampMicrosecondArray::from(vec![1_000]),
    );
    let zoned = TimestampMicrosecondArray::from(vec![-1_000]).with_timezone("UTC");
    converts(
        TimestampNanosecondArray::from(vec![-1_000_000]),
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        zoned,
    );
    converts(
        TimestampMicrosecondArray::from(vec![7]).with_timezone("+08:00"),
        "TIMESTAMP(6)",
        TimestampMicrosecondArray::from(vec![7]),
    );
    refuses(
        TimestampNanosecondArray::from(vec![0, -1]),
        "TIMESTAMP(6)",
        "/f: column c: file type Timestamp(ns) cannot be read as TIMESTAMP(6): row 101 value 1969-12-31T23:59:59.999999999",
    );
    // 2262-04-11T23:47:16.854776 is the first microsecond past the last nanosecond.
    converts(
        TimestampMicrosecondArray::from(vec![9_223_372_036_854_775]),
        "TIMESTAMP(9)",
        TimestampNanosecondArray::from(vec![9_223_372_036_854_775_000]),
    );
    refuses(
        TimestampMicrosecondArray::from(vec![9_223_372_036_854_776]),
        "TIMESTAMP(9)",
        "/f: column c: file type Timestamp(µs) cannot be read as TIMESTAMP(9): row 100 value 2262-04-11T23:47:16.854776",
    );
    assert!(
        convert(
            TimestampMicrosecondArray::from(vec![i64::MIN]),
            "TIMESTAMP(9)"
        )
        .is_err()
    );
}

/// An INT96 of nanoseconds and days since 1970.
fn int96(nanos: i64, days: i32) -> Vec<u8> {
    [
        &nanos.to_le_bytes()[..],
        &(days + 2_440_588).to_le_bytes()[..],
    ]
    .concat()
}

fn convert_int96(values: Vec<Option<Vec<u8>>>, declared: &str) -> Result<ArrayRef, String> {
    let array =
        FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.into_iter(), 12).unwrap();
    let file = FileType::leaf(A::FixedSizeBinary(12), "INT96", Form::Int96);
    convert_as(file, Arc::new(array), declared)
}

#[test]
fn int96_spans_every_year_and_cuts_towards_the_past() {
    // 9999-12-31T23:59:59.999999999 and 0001-01-01, as microseconds.
    let last = int96(86_399_999_999_999, 2_932_896);
    let first = int96(0, -719_162);
    let converted =
        convert_int96(vec![Some(last.clone()), None, Some(first)], "TIMESTAMP(6)").unwrap();
    let expected = [
        Some(253_402_300_799_999_999),
        None,
        Some(-62_135_596_800_000_000),
    ];
    assert_eq!(
        &*converted,
        &TimestampMicrosecondArray::from(expected.to_vec()) as &dyn Array
    );
    // Java gives one nanosecond before 1970 as -1 of that day.
    let converted = convert_int96(vec![Some(int96(-1, 0))], "TIMESTAMP(6)").unwrap();
    assert_eq!(
        &*converted,
        &TimestampMicrosecondArray::from(vec![-1]) as &dyn Array
    );
    let converted = convert_int96(
        vec![Some(int96(86_399_999_999_999, -1)), Some(int96(-1, 0))],
        "TIMESTAMP(9)",
    )
    .unwrap();
    assert_eq!(
        &*converted,
        &TimestampNanosecondArray::from(vec![-1, -1]) as &dyn Array
    );
    assert_eq!(
        convert_int96(vec![None, Some(last)], "TIMESTAMP(9)").unwrap_err(),
        "/f: column c: file type INT96 cannot be read as TIMESTAMP(9): row 101 value 9999-12-31T23:59:59.999999 and 999 ns"
    );
    // The first and the last instant that nanoseconds since 1970 can tell.
    let (least, most) = (
        int96(763_145_224_192, -106_752),
        int96(85_636_854_775_807, 106_751),
    );
    let converted = convert_int96(
        vec![Some(least), Some(most)],
        "TIMESTAMP(9) WITH LOCAL TIME ZONE",
    )
    .unwrap();
    let expected = TimestampNanosecondArray::from(vec![i64::MIN, i64::MAX]).with_timezone("UTC");
    assert_eq!(&*converted, &expected as &dyn Array);
    assert!(convert_int96(vec![Some(int96(763_145_224_191, -106_752))], "TIMESTAMP(9)").is_err());
    assert!(
        convert_int96(
            vec![Some(int96(85_636_854_775_808, 106_751))],
            "TIMESTAMP(9)"
        )
        .is_err()
    );
    // Whole milliseconds only where milliseconds are declared.
    let converted = convert_int96(vec![Some(int96(1_000_000, 1))], "TIMESTAMP(3)").unwrap();
    assert_eq!(
        &*converted,
        &TimestampMillisecondArray::from(vec![86_400_001]) as &dyn Array
    );
    assert_eq!(
        convert_int96(vec![Some(int96(1_001_000, 0))], "TIMESTAMP(3)").unwrap_err(),
        "/f: column c: file type INT96 cannot be read as TIMESTAMP(3): row 100 value 1970-01-01T00:00:00.001001"
    );
}

fn list(values: Vec<Option<Vec<Option<i32>>>>) -> ListArray {
    ListArray::from_iter_primitive::<Int32Type, _, _>(values)
}

fn elements(array: ListArray, nullable: bool, name: &str, values: ArrayRef) -> ListArray {
    let field = Field::new(name, values.data_type().clone(), nullable);
    ListArray::new(
        Arc::new(field),
        array.offsets().clone(),
        values,
        array.nulls().cloned(),
    )
}

#[test]
fn lists_convert_element_by_element() {
    let given = list(vec![
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
        Some(vec![Some(3)]),
    ]);
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    converts(
        given.clone(),
        "ARRAY<BIGINT>",
        elements(given.clone(), true, "element", wide),
    );
    // Every layout of lists.
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let field = Arc::new(Field::new("item", A::Int32, true));
    let expected = || {
        elements(
            list(vec![
                Some(vec![Some(1), Some(2)]),
                Some(vec![Some(3), Some(4)]),
            ]),
            true,
            "element",
            Arc::clone(&values),
        )
    };
    converts(
        FixedSizeListArray::new(Arc::clone(&field), 2, Arc::clone(&values), None),
        "ARRAY<INT>",
        expected(),
    );
    let offsets = OffsetBuffer::<i64>::from_lengths([2, 2]);
    converts(
        LargeListArray::new(Arc::clone(&field), offsets, Arc::clone(&values), None),
        "ARRAY<INT>",
        expected(),
    );
    let (starts, sizes) = (
        ScalarBuffer::from(vec![0, 2]),
        ScalarBuffer::from(vec![2, 2]),
    );
    converts(
        ListViewArray::new(field, starts, sizes, Arc::clone(&values), None),
        "ARRAY<INT>",
        expected(),
    );
    // The row is the list's.
    refuses(
        list(vec![
            Some(vec![Some(1), Some(2)]),
            Some(vec![]),
            Some(vec![Some(3), Some(i32::MAX)]),
        ]),
        "ARRAY<DECIMAL(9, 0)>",
        "/f: column c.element: file type Int32 cannot be read as DECIMAL(9, 0)",
    );
    let texts = StringArray::from(vec!["a", "b", "c", "dd"]);
    let nested = list(vec![
        Some(vec![Some(1), Some(2)]),
        Some(vec![]),
        Some(vec![Some(3), Some(4)]),
    ]);
    refuses(
        elements(nested, true, "item", Arc::new(texts)),
        "ARRAY<VARCHAR(1)>",
        "/f: column c.element: file type Utf8 cannot be read as VARCHAR(1): row 102 value dd",
    );
}

#[test]
fn null_elements_are_refused_where_they_are_seen() {
    let given = list(vec![Some(vec![Some(1)]), Some(vec![Some(2), None])]);
    refuses(
        given.clone(),
        "ARRAY<INT NOT NULL>",
        "/f: column c.element is NOT NULL in the table but null (row 101)",
    );
    // Outside of the slice, and under a null list, nothing is seen.
    let first: ArrayRef = Arc::new(given.slice(0, 1));
    let converted = convert_as(
        FileType::of_arrow(first.data_type()),
        first,
        "ARRAY<INT NOT NULL>",
    )
    .unwrap();
    assert_eq!(converted.len(), 1);
    let hidden = ListArray::new(
        Arc::new(Field::new("item", A::Int32, true)),
        given.offsets().clone(),
        Arc::clone(given.values()),
        Some(NullBuffer::from(vec![true, false])),
    );
    let expected = elements(
        list(vec![Some(vec![Some(1)]), None]),
        false,
        "element",
        Arc::new(Int32Array::from(vec![1])),
    );
    converts(hidden, "ARRAY<INT NOT NULL>", expected);
    // So too what is too long there.
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "bb", "cc"]));
    let hidden = ListArray::new(
        Arc::new(Field::new("item", A::Utf8, true)),
        given.offsets().clone(),
        texts,
        Some(NullBuffer::from(vec![true, false])),
    );
    let converted = convert(hidden, "ARRAY<VARCHAR(1)>").unwrap();
    assert_eq!((converted.len(), converted.null_count()), (2, 1));
}

/// The entries of a map, or none for a null.
type Entries<'a> = Option<Vec<(&'a str, Option<i32>)>>;

fn map(names: (&str, &str), rows: Vec<Entries<'_>>) -> MapArray {
    let names = MapFieldNames {
        entry: "e".to_owned(),
        key: names.0.to_owned(),
        value: names.1.to_owned(),
    };
    let mut builder = MapBuilder::new(Some(names), StringBuilder::new(), Int32Builder::new());
    for row in rows {
        for (key, value) in row.iter().flatten() {
            builder.keys().append_value(key);
            builder.values().append_option(*value);
        }
        builder.append(row.is_some()).unwrap();
    }
    builder.finish()
}

#[test]
fn maps_convert_by_key_and_value_whatever_their_names() {
    let rows = vec![Some(vec![("a", Some(1)), ("b", None)]), None, Some(vec![])];
    let converted = convert(map(("keys", "values"), rows.clone()), "MAP<STRING, BIGINT>").unwrap();
    assert_eq!(
        *converted.data_type(),
        to_arrow_type(&data_type("MAP<STRING, BIGINT>")).unwrap()
    );
    let maps = converted.as_map();
    assert_eq!(
        &**maps.values(),
        &Int64Array::from(vec![Some(1), None]) as &dyn Array
    );
    assert_eq!((maps.len(), maps.null_count()), (3, 1));
    refuses(
        map(("k", "v"), rows.clone()),
        "MULTISET<STRING>",
        "/f: column c.value is NOT NULL in the table but null (row 100)",
    );
    let counted = vec![Some(vec![("a", Some(1)), ("b", Some(2))]), None];
    assert_eq!(
        convert(map(("k", "v"), counted), "MULTISET<STRING>")
            .unwrap()
            .len(),
        2
    );
    refuses(
        map(("k", "v"), rows.clone()),
        "MAP<INT, INT>",
        "/f: column c.key: file type Utf8 cannot be read as INT",
    );
    refuses(
        map(("k", "v"), rows),
        "MAP<STRING, STRING>",
        "/f: column c.value: file type Int32 cannot be read as STRING",
    );
}

fn row(fields: Vec<(&str, ArrayRef)>, nulls: Option<Vec<bool>>) -> StructArray {
    let (names, columns): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let fields = names
        .into_iter()
        .zip(&columns)
        .map(|(name, column)| Field::new(name, column.data_type().clone(), true));
    StructArray::new(
        fields.collect::<Fields>(),
        columns,
        nulls.map(NullBuffer::from),
    )
}

fn ints(values: Vec<Option<i32>>) -> ArrayRef {
    Arc::new(Int32Array::from(values))
}

#[test]
fn rows_are_matched_by_name() {
    let given = || {
        row(
            vec![
                ("b", ints(vec![Some(2), Some(4)])),
                ("x", ints(vec![None, None])),
                ("a", ints(vec![Some(1), None])),
            ],
            None,
        )
    };
    let converted = convert(given(), "ROW<a BIGINT, missing STRING, b INT>").unwrap();
    let rows = converted.as_struct();
    assert_eq!(
        &**rows.column(0),
        &Int64Array::from(vec![Some(1), None]) as &dyn Array
    );
    assert_eq!(rows.column(1).null_count(), 2);
    assert_eq!(
        &**rows.column(2),
        &Int32Array::from(vec![2, 4]) as &dyn Array
    );
    refuses(
        given(),
        "ROW<a INT, n INT NOT NULL>",
        "/f: column c.n is NOT NULL in the table but missing in the file",
    );
    refuses(
        given(),
        "ROW<a INT NOT NULL>",
        "/f: column c.a is NOT NULL in the table but null (row 101)",
    );
    refuses(
        given(),
        "ROW<a STRING>",
        "/f: column c.a: file type Int32 cannot be read as STRING",
    );
    let twice = || {
        row(
            vec![("a", ints(vec![Some(1)])), ("a", ints(vec![Some(2)]))],
            None,
        )
    };
    assert!(
        convert(twice(), "ROW<a INT>")
            .unwrap_err()
            .contains("several columns named c.a")
    );
    assert!(convert(twice(), "ROW<b INT>").is_ok());
    let nothing = convert(given(), "ROW<p INT, q INT>").unwrap();
    assert_eq!((nothing.len(), nothing.null_count()), (2, 0));
}

#[test]
fn what_lies_under_a_null_row_is_not_seen() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("too long"), None]));
    let given = || {
        row(
            vec![("a", Arc::clone(&texts))],
            Some(vec![true, false, false]),
        )
    };
    let converted = convert(given(), "ROW<a VARCHAR(1) NOT NULL>").unwrap();
    assert_eq!((converted.len(), converted.null_count()), (3, 2));
    let seen = row(vec![("a", texts)], None);
    assert!(
        convert(seen, "ROW<a VARCHAR(1)>")
            .unwrap_err()
            .ends_with("row 101 value too long")
    );
}

#[test]
fn nesting_names_the_whole_path() {
    let inner = row(vec![("x", ints(vec![Some(1), Some(2), None]))], None);
    let shape = list(vec![
        Some(vec![Some(0)]),
        Some(vec![]),
        Some(vec![Some(0), Some(0)]),
    ]);
    let given = elements(shape, true, "item", Arc::new(inner));
    refuses(
        given.clone(),
        "ARRAY<ROW<x STRING>>",
        "/f: column c.element.x: file type Int32 cannot be read as STRING",
    );
    refuses(
        given,
        "ARRAY<ROW<x INT NOT NULL>>",
        "/f: column c.element.x is NOT NULL in the table but null (row 102)",
    );
}

#[test]
fn groups_around_a_repeated_field_are_lists_and_maps_where_declared_so() {
    let wrapper = |array: StructArray| {
        let file = FileType::of_arrow(array.data_type()).with_form(Form::Wrapper);
        move |declared: &str| convert_as(file.clone(), Arc::new(array.clone()), declared)
    };
    let nulls = Some(vec![true, false, true]);
    let shape = list(vec![
        Some(vec![Some(1), None]),
        Some(vec![]),
        Some(vec![Some(3)]),
    ]);
    let expected = elements(
        list(vec![Some(vec![Some(1), None]), None, Some(vec![Some(3)])]),
        true,
        "element",
        ints(vec![Some(1), None, Some(3)]),
    );
    // group { repeated group bag { optional int32 array_element } }
    let bag = row(
        vec![("array_element", ints(vec![Some(1), None, Some(3)]))],
        None,
    );
    let given = row(
        vec![(
            "bag",
            Arc::new(elements(shape.clone(), false, "bag", Arc::new(bag))),
        )],
        nulls.clone(),
    );
    let read = wrapper(given.clone());
    assert_eq!(&*read("ARRAY<INT>").unwrap(), &expected as &dyn Array);
    // The same shape is still a row where a row is declared, and nothing else.
    assert_eq!(
        read("ROW<bag ARRAY<ROW<array_element INT>>>")
            .unwrap()
            .len(),
        3
    );
    assert!(read("MAP<INT, INT>").is_err());
    let plain = FileType::of_arrow(given.data_type());
    assert!(convert_as(plain, Arc::new(given), "ARRAY<INT>").is_err());
    // group { repeated int32 x }
    let given = row(vec![("x", Arc::new(shape))], nulls.clone());
    assert_eq!(
        &*wrapper(given)("ARRAY<INT>").unwrap(),
        &expected as &dyn Array
    );
    // group { repeated group map { key, value } }
    let shape = list(vec![Some(vec![Some(0)]), Some(vec![]), Some(vec![Some(0)])]);
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let entries = row(
        vec![
            ("key", Arc::clone(&keys)),
            ("value", ints(vec![Some(1), None])),
        ],
        None,
    );
    let given = row(
        vec![(
            "map",
            Arc::new(elements(shape.clone(), false, "map", Arc::new(entries))),
        )],
        nulls.clone(),
    );
    let maps = wrapper(given)("MAP<STRING, INT>").unwrap();
    assert_eq!((maps.len(), maps.null_count()), (3, 1));
    let entries = row(vec![("k", keys), ("v", ints(vec![Some(1), None]))], None);
    let given = row(
        vec![(
            "map",
            Arc::new(elements(shape, false, "map", Arc::new(entries))),
        )],
        nulls,
    );
    assert!(wrapper(given)("MAP<STRING, INT>").is_err());
}

#[test]
fn nulls_are_refused_in_not_null_columns() {
    refuses(
        Int32Array::from(vec![Some(1), None]),
        "INT NOT NULL",
        "/f: column c is NOT NULL in the table but null (row 101)",
    );
    converts(
        Int32Array::from(vec![1]),
        "INT NOT NULL",
        Int32Array::from(vec![1]),
    );
}

#[test]
fn input_is_judged_by_the_same_table() {
    let array: ArrayRef = Arc::new(StringArray::from(vec!["ab", "abc"]));
    let conversion = Conversion::for_input(array.data_type(), &data_type("VARCHAR(2)")).unwrap();
    assert_eq!(
        conversion.convert_input("name", &array).unwrap_err(),
        "column name: Utf8 cannot be stored as VARCHAR(2): row 1 value abc"
    );
    let conversion = Conversion::for_input(&A::Int32, &data_type("INT NOT NULL")).unwrap();
    assert_eq!(
        conversion
            .convert_input("id", &ints(vec![Some(1), None]))
            .unwrap_err(),
        "column id is NOT NULL but row 1 is null"
    );
    assert!(Conversion::for_input(&A::Int64, &data_type("INT")).is_none());
    assert!(Conversion::for_input(&A::Int32, &data_type("SMALLINT")).is_none());
}

#[test]
fn dictionaries_are_unpacked() {
    let texts: DictionaryArray<Int32Type> = vec![Some("a"), None, Some("a"), Some("bb")]
        .into_iter()
        .collect();
    converts(
        texts.clone(),
        "STRING",
        StringArray::from(vec![Some("a"), None, Some("a"), Some("bb")]),
    );
    refuses(
        texts,
        "VARCHAR(1)",
        "/f: column c: file type Dictionary(Int32, Utf8) cannot be read as VARCHAR(1): row 103 value bb",
    );
    let numbers = DictionaryArray::new(Int32Array::from(vec![1, 0]), ints(vec![Some(7), Some(9)]));
    converts(numbers.clone(), "BIGINT", Int64Array::from(vec![9, 7]));
    let stamps: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1]));
    let stamps = DictionaryArray::new(Int32Array::from(vec![0]), stamps);
    converts(
        stamps.clone(),
        "TIMESTAMP(3)",
        TimestampMillisecondArray::from(vec![1]),
    );
    converts(
        stamps,
        "TIMESTAMP(6)",
        TimestampMicrosecondArray::from(vec![1000]),
    );
}

#[test]
fn same_types_are_not_copied() {
    let array: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let file = FileType::of_arrow(array.data_type());
    let converted = convert_as(file, Arc::clone(&array), "BIGINT").unwrap();
    assert!(Arc::ptr_eq(&array, &converted));
    let lists: ArrayRef = Arc::new(list(vec![Some(vec![Some(1)])]));
    let converted = convert_as(
        FileType::of_arrow(lists.data_type()),
        Arc::clone(&lists),
        "ARRAY<INT>",
    )
    .unwrap();
    let values = |array: &ArrayRef| Arc::clone(array.as_list::<i32>().values());
    assert!(Arc::ptr_eq(&values(&lists), &values(&converted)));
}
