#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int64Type, Time32MillisecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array,
    Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, StringArray,
    Time32MillisecondArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, cast::AsArray,
};
use ftable_core::types::to_arrow_type;
use ftable_core::{DataType, TypeKind};
use proptest::prelude::*;

use super::{TextColumn, Texts};
use crate::testing::{Random, data_type, primitive_type, random_array};

/// The column of one text, or `None` if it is rejected.
fn read(declared: &str, text: &str) -> Option<ArrayRef> {
    let declared = data_type(declared);
    let mut column = TextColumn::new(&declared).unwrap();
    let is_read = column.append(text).is_ok();
    assert_eq!(column.len(), usize::from(is_read));
    let array = column.finish().unwrap();
    assert_eq!(array.data_type(), &to_arrow_type(&declared).unwrap());
    assert_eq!(array.len(), usize::from(is_read));
    is_read.then_some(array)
}

fn reject(declared: &str, texts: &[&str]) {
    for text in texts {
        assert!(read(declared, text).is_none(), "{declared}: {text:?}");
    }
}

#[test]
fn booleans() {
    for (text, value) in [
        ("true", true),
        ("TRUE", true),
        ("False", false),
        ("fALSE", false),
    ] {
        let array = read("BOOLEAN", text).unwrap();
        assert_eq!(array.as_boolean().value(0), value, "{text}");
    }
    reject(
        "BOOLEAN",
        &["1", "t", "yes", " true", "true ", "xyz", "0", ""],
    );
}

#[test]
fn integers() {
    for (declared, text, value) in [
        ("TINYINT", "-128", -128_i64),
        ("TINYINT", "127", 127),
        ("SMALLINT", "-32768", -32_768),
        ("SMALLINT", "32767", 32_767),
        ("INT", "-2147483648", i32::MIN.into()),
        ("INT", "2147483647", i32::MAX.into()),
        ("BIGINT", "-9223372036854775808", i64::MIN),
        ("BIGINT", "9223372036854775807", i64::MAX),
        ("BIGINT", "999999999999999999", 999_999_999_999_999_999),
        ("INT", "+7", 7),
        ("INT", "-0", 0),
        ("INT", "007", 7),
        ("INT", "000000000000000000000000000000042", 42),
    ] {
        let array = read(declared, text).unwrap();
        let wide = arrow_cast::cast(&array, &arrow_schema::DataType::Int64).unwrap();
        assert_eq!(wide.as_primitive::<Int64Type>().value(0), value, "{text}");
    }
    reject("TINYINT", &["128", "-129"]);
    reject("SMALLINT", &["32768", "-32769"]);
    reject("INT", &["2147483648", "-2147483649"]);
    reject(
        "BIGINT",
        &[
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999999",
        ],
    );
    for declared in ["TINYINT", "INT", "BIGINT"] {
        reject(
            declared,
            &[
                "", "-", "+", " 1", "1 ", "1.0", "1e2", "0x1", "--1", "+-1", "1_0", "١", "1,0",
            ],
        );
    }
}

#[test]
fn doubles() {
    for (text, value) in [
        ("1e3", 1000.0),
        ("1E3", 1000.0),
        ("  1.5 ", 1.5),
        ("\t-1.5\u{1}", -1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("+5", 5.0),
        ("Infinity", f64::INFINITY),
        ("+Infinity", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
        ("1.5f", 1.5),
        ("1d", 1.0),
        ("1e1D", 10.0),
        ("1e400", f64::INFINITY),
        ("1e-400", 0.0),
        ("0x1p3", 8.0),
        ("0X1.8P1", 3.0),
        ("-0x.8p0", -0.5),
        ("0x1.p-1f", 0.5),
        ("0x1.fffffffffffffp1023", f64::MAX),
        ("0x1p1024", f64::INFINITY),
        ("0x1p-1074", 5e-324),
        // Halves go to the even neighbour, and what is more than a half goes up.
        ("0x1p-1075", 0.0),
        ("0x1.8p-1074", 1e-323),
        ("0x0.8000000000000000001p-1074", 5e-324),
        ("0x1.00000000000008p0", 1.0),
        ("0x1.000000000000080000001p0", 1.000_000_000_000_000_2),
        ("0x1.00000000000018p0", 1.000_000_000_000_000_4),
        ("0x0p0", 0.0),
        ("0x10000000000000000p0", 18_446_744_073_709_551_616.0),
        ("1.7976931348623157E308", f64::MAX),
        ("4.9E-324", 5e-324),
        ("-0.0", -0.0),
    ] {
        let array = read("DOUBLE", text).unwrap_or_else(|| panic!("{text}"));
        let found = array.as_primitive::<Float64Type>().value(0);
        assert_eq!(found.to_bits(), f64::to_bits(value), "{text}: {found}");
    }
    for text in ["NaN", "-NaN", " NaN "] {
        assert!(
            read("DOUBLE", text)
                .unwrap()
                .as_primitive::<Float64Type>()
                .value(0)
                .is_nan()
        );
    }
    let wrong = [
        "", " ", "inf", "nan", "INFINITY", "infinity", "x", "1e", "e1", ".", "-", "--1", "- 1",
        "1f2", "1ff", "0x1", "0xp1", "0x.p1", "0x1p", "0x1pd", "NaNf", "1,5", "1_0", "1 2",
        "\u{a0}1", "١",
    ];
    reject("DOUBLE", &wrong);
    reject("FLOAT", &wrong);
}

#[test]
fn floats() {
    for (text, value) in [
        ("0.1", 0.1_f32),
        ("3.4028235E38", f32::MAX),
        ("1.4E-45", f32::from_bits(1)),
        ("1e39", f32::INFINITY),
        // Rounded once: by way of a double it would be rounded down.
        ("1.00000017881393432617187499", 1.000_000_1),
        ("1.00000017881393432617187501", 1.000_000_2),
        ("0x1.000003p0", 1.000_000_2),
        ("0x1.000001p0", 1.0),
        ("0x1.0000010000001p0", 1.000_000_1),
        ("0x1p-149", f32::from_bits(1)),
        ("0x1p-150", 0.0),
        ("0x1p128", f32::INFINITY),
        ("2.5F", 2.5),
        (" Infinity", f32::INFINITY),
    ] {
        let array = read("FLOAT", text).unwrap_or_else(|| panic!("{text}"));
        let found = array.as_primitive::<Float32Type>().value(0);
        assert_eq!(found.to_bits(), value.to_bits(), "{text}: {found}");
    }
}

#[test]
fn decimals() {
    let max = 10_i128.pow(38) - 1;
    for (declared, text, unscaled) in [
        ("DECIMAL(10, 2)", "12.5", 1250),
        ("DECIMAL(10, 2)", "+.5", 50),
        ("DECIMAL(10, 2)", "5.", 500),
        ("DECIMAL(10, 2)", "1e3", 100_000),
        ("DECIMAL(10, 2)", "-1.5E-1", -15),
        ("DECIMAL(5, 2)", "1.235", 124),
        ("DECIMAL(5, 2)", "-1.235", -124),
        ("DECIMAL(5, 2)", "1.2349999999", 123),
        ("DECIMAL(5, 2)", "0.005", 1),
        ("DECIMAL(5, 2)", "999.99", 99_999),
        ("DECIMAL(5, 2)", "999.994", 99_999),
        ("DECIMAL(5, 0)", "0.5", 1),
        (
            "DECIMAL(38, 0)",
            "99999999999999999999999999999999999999",
            max,
        ),
        (
            "DECIMAL(38, 0)",
            "-99999999999999999999999999999999999999",
            -max,
        ),
        (
            "DECIMAL(38, 38)",
            "0.99999999999999999999999999999999999999",
            max,
        ),
        (
            "DECIMAL(38, 18)",
            "1234567890.123456789012345678",
            1_234_567_890_123_456_789_012_345_678,
        ),
        (
            "DECIMAL(38, 18)",
            "9999999999999999999",
            9_999_999_999_999_999_999 * 10_i128.pow(18),
        ),
        ("DECIMAL(18, 0)", "000000000000000000000000000000007", 7),
    ] {
        let array = read(declared, text).unwrap_or_else(|| panic!("{declared}: {text}"));
        assert_eq!(
            array.as_primitive::<Decimal128Type>().value(0),
            unscaled,
            "{declared}: {text}"
        );
    }
    reject(
        "DECIMAL(8, 2)",
        &[
            "99999999.99",
            "1000000",
            "-1000000",
            "999999.995",
            "1e6",
            "1e2000000000",
        ],
    );
    reject("DECIMAL(38, 38)", &["1", "9999999999999999999"]);
    reject(
        "DECIMAL(10, 2)",
        &[
            "", ".", "-", "-.", " 1", "1 ", "1,5", "1.2.3", "NaN", "Infinity", "1e", "x", "１",
        ],
    );
}

#[test]
fn binaries() {
    for (text, bytes) in [
        ("", &b""[..]),
        ("Zg==", b"f"),
        ("Zg", b"f"),
        ("Zm8=", b"fo"),
        ("Zm8", b"fo"),
        ("Zm9v", b"foo"),
        ("+/+/", &[0xFB, 0xFF, 0xBF]),
        ("AP8=", &[0x00, 0xFF]),
    ] {
        for declared in ["BYTES", "BINARY(1)", "VARBINARY(1)"] {
            assert_eq!(
                read(declared, text).unwrap().as_binary::<i32>().value(0),
                bytes,
                "{text}"
            );
        }
    }
    reject(
        "BYTES",
        &[
            "Z",
            "Zg=",
            " Zg==",
            "Zg== ",
            "-_-_",
            "Zg==Zg==",
            "Zm9v\u{e9}",
            "====",
        ],
    );
}

#[test]
fn strings_are_what_they_are() {
    for declared in ["STRING", "CHAR(2)", "VARCHAR(2)"] {
        for text in ["", " ", "abc", "日本 🦀", "\0", "NULL"] {
            assert_eq!(
                read(declared, text).unwrap().as_string::<i32>().value(0),
                text
            );
        }
    }
}

#[test]
fn dates() {
    for (text, days) in [
        ("2020", 2020),
        ("-1", -1),
        ("0", 0),
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2024-02-29", 19_782),
        ("2024-2-9", 19_762),
        ("2024-3", 19_783),
        (" 2024-01-01", 19_723),
        ("2024-01-01 12:34:56", 19_723),
        ("2024-01-01 x", 19_723),
        ("0000-01-01", -719_528),
        ("0001-01-01", -719_162),
        ("9999-12-31", 2_932_896),
    ] {
        let array = read("DATE", text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(array.as_primitive::<Date32Type>().value(0), days, "{text}");
    }
    reject(
        "DATE",
        &[
            "",
            "-",
            "2024-02-30",
            "2023-02-29",
            // A blank ends the day.
            "2024 - 01 - 01",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-01-05T10:00:00",
            "2024/01/05",
            "10000-01-01",
            "20240105x",
            "99999999999",
            "٢٠٢٤-01-01",
            "2024-01-0a",
        ],
    );
}

#[test]
fn times() {
    for (text, millis) in [
        ("0", 0),
        ("86399999", 86_399_999),
        ("00:00:00", 0),
        ("23:59:59.999", 86_399_999),
        ("10:20", 37_200_000),
        ("1:2:3", 3_723_000),
        ("10:20:30.12", 37_230_120),
        ("10:20:30.1234", 37_230_123),
        ("10:20:30.1235", 37_230_124),
        ("10:20:30.123499999", 37_230_123),
        ("10:20:30.120000", 37_230_120),
        ("10:20:30.1230001", 37_230_123),
        ("10:20+01:00", 40_800_000),
        ("10:20-1", 33_600_000),
        (" 10 : 20 : 30 ", 37_230_000),
    ] {
        let array = read("TIME(3)", text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            array.as_primitive::<Time32MillisecondType>().value(0),
            millis,
            "{text}"
        );
    }
    reject(
        "TIME(3)",
        &[
            "",
            "86400000",
            "-1",
            "24:00:00",
            "25:00:00",
            "12:60:00",
            "12:00:60",
            "23:59:59.9995",
            "a:b",
            "12:00:00.x",
        ],
    );
}

#[test]
fn timestamps() {
    let millis = |declared: &str, text: &str| {
        let array = read(declared, text).unwrap_or_else(|| panic!("{declared}: {text}"));
        array.as_primitive::<TimestampMillisecondType>().value(0)
    };
    // 2024-01-05T10:20:30Z
    let base = 1_704_450_030_000;
    for (declared, text, value) in [
        ("TIMESTAMP(3)", "2024-01-05 10:20:30", base),
        ("TIMESTAMP(3)", "2024-01-05T10:20:30", base),
        ("TIMESTAMP(3)", "2024-1-5 10:20:30", base),
        ("TIMESTAMP(3)", "2024-01-05 10:20:30.1", base + 100),
        ("TIMESTAMP(3)", "2024-01-05 10:20:30.", base),
        ("TIMESTAMP(3)", "2024-01-05 10:20:30.123999999", base + 123),
        ("TIMESTAMP(2)", "2024-01-05 10:20:30.129", base + 120),
        ("TIMESTAMP(0)", "2024-01-05 10:20:30.999", base),
        ("TIMESTAMP(3)", "2024-01-05T10:20", base - 30_000),
        ("TIMESTAMP(3)", "2024-01-05", base - 37_230_000),
        ("TIMESTAMP(3)", "1969-12-31 23:59:59.999", -1),
        ("TIMESTAMP(0)", "1969-12-31 23:59:59.999", -1000),
        ("TIMESTAMP(0)", "1704450030", base),
        ("TIMESTAMP(3)", "1704450030000", base),
        ("TIMESTAMP(3)", "-1", -1),
        (
            "TIMESTAMP(3)",
            "9999-12-31 23:59:59.999",
            253_402_300_799_999,
        ),
        ("TIMESTAMP(3)", "0000-01-01 00:00:00", -62_167_219_200_000),
        ("TIMESTAMP_LTZ(3)", "2024-01-05 10:20:30.5", base + 500),
    ] {
        assert_eq!(millis(declared, text), value, "{declared}: {text}");
    }
    let micros = read("TIMESTAMP(6)", "2024-01-05 10:20:30.1234567").unwrap();
    assert_eq!(
        micros.as_primitive::<TimestampMicrosecondType>().value(0),
        base * 1000 + 123_456
    );
    let micros = read("TIMESTAMP(6)", "1704450030000001").unwrap();
    assert_eq!(
        micros.as_primitive::<TimestampMicrosecondType>().value(0),
        base * 1000 + 1
    );
    for (text, value) in [
        (
            "2024-01-05 10:20:30.123456789",
            base * 1_000_000 + 123_456_789,
        ),
        ("1677-09-21 00:12:43.145224192", i64::MIN),
        ("2262-04-11 23:47:16.854775807", i64::MAX),
        ("1", 1),
    ] {
        let nanos = read("TIMESTAMP(9)", text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            nanos.as_primitive::<TimestampNanosecondType>().value(0),
            value,
            "{text}"
        );
    }
    reject(
        "TIMESTAMP(9)",
        &[
            "1677-09-21 00:12:43.145224191",
            "2262-04-11 23:47:16.854775808",
            "9999-12-31",
        ],
    );
    let wrong = [
        "",
        "2024-01-05 10:20",
        " 2024-01-05 10:20:30",
        "2024-01-05 10:20:30Z",
        "2024-01-05 10:20:30+08:00",
        "12024-01-05 10:20:30",
        "2023-02-31 00:00:00",
        "2024-01-05 24:00:00",
        "2024-01-05 10:60:30",
        "2024-01-05 10:20:60",
        "2024-01-05 10:20:30.1234567890",
        "2024-01-05 10:20:30 ",
        "2024/01/05 10:20:30",
        "x",
    ];
    for declared in [
        "TIMESTAMP(0)",
        "TIMESTAMP(3)",
        "TIMESTAMP(6)",
        "TIMESTAMP(9)",
        "TIMESTAMP_LTZ(6)",
    ] {
        reject(declared, &wrong);
    }
    // A count means something at four precisions, and nothing as an instant.
    reject("TIMESTAMP(1)", &["0", "-1"]);
    reject("TIMESTAMP_LTZ(3)", &["0", "1704450030000"]);
    reject("TIMESTAMP(3)", &["9223372036854775808"]);
}

#[test]
fn rows_can_be_taken_back() {
    for declared in [
        "BOOLEAN",
        "INT",
        "DOUBLE",
        "DECIMAL(5, 2)",
        "STRING",
        "BYTES",
        "DATE",
        "TIMESTAMP(6)",
    ] {
        let declared = data_type(declared);
        let text = match declared.kind() {
            TypeKind::Boolean => "true",
            TypeKind::Date | TypeKind::Timestamp { .. } => "2024-01-05",
            TypeKind::VarBinary { .. } => "Zm9v",
            _ => "12",
        };
        let mut column = TextColumn::new(&declared).unwrap();
        for _ in 0..3 {
            column.append(text).unwrap();
            column.append_null();
        }
        let size = column.memory_size();
        column.append_null();
        column.append(text).unwrap();
        assert!(column.memory_size() > size);
        column.truncate(6);
        assert_eq!((column.len(), column.memory_size()), (6, size));
        column.truncate(7);
        column.truncate(3);
        column.append(text).unwrap();
        let array = column.finish().unwrap();
        let valid: Vec<bool> = (0..array.len()).map(|row| array.is_valid(row)).collect();
        assert_eq!(valid, [true, false, true, true], "{declared}");
        assert_eq!(array.slice(0, 1).to_data(), array.slice(3, 1).to_data());
        // What comes next begins anew.
        assert_eq!((column.len(), column.finish().unwrap().len()), (0, 0));
        column.append(text).unwrap();
        assert_eq!(column.finish().unwrap().null_count(), 0);
    }
}

#[test]
fn nested_types_have_no_texts() {
    for declared in [
        "ARRAY<INT>",
        "MAP<INT, INT>",
        "ROW<a INT>",
        "MULTISET<INT>",
        "VARIANT",
        "BLOB",
    ] {
        let declared = data_type(declared);
        assert!(TextColumn::new(&declared).is_none(), "{declared}");
        let array = arrow_array::new_null_array(&to_arrow_type(&declared).unwrap(), 1);
        assert!(Texts::new(&array, &declared).is_none(), "{declared}");
    }
}

fn texts(declared: &str, array: impl Array) -> Vec<String> {
    let declared = data_type(declared);
    let texts = Texts::new(&array, &declared).unwrap_or_else(|| panic!("{declared}"));
    assert_eq!(texts.unwritable(), None);
    let text = |row| {
        let mut out = Vec::new();
        texts.write(row, &mut out);
        String::from_utf8(out).unwrap()
    };
    (0..array.len())
        .filter(|row| !texts.is_null(*row))
        .map(text)
        .collect()
}

/// The texts that Java writes.
#[test]
fn written() {
    let decimals = |precision, scale, values: Vec<i128>| {
        Decimal128Array::from(values)
            .with_precision_and_scale(precision, scale)
            .unwrap()
    };
    assert_eq!(
        texts(
            "BOOLEAN",
            BooleanArray::from(vec![Some(true), None, Some(false)])
        ),
        ["true", "false"]
    );
    assert_eq!(
        texts("TINYINT", Int8Array::from(vec![-128, 0, 127])),
        ["-128", "0", "127"]
    );
    assert_eq!(texts("SMALLINT", Int16Array::from(vec![-3])), ["-3"]);
    assert_eq!(
        texts("INT", Int32Array::from(vec![i32::MIN])),
        ["-2147483648"]
    );
    assert_eq!(
        texts(
            "BIGINT",
            Int64Array::from(vec![i64::MIN, i64::MAX, 10, -10])
        ),
        ["-9223372036854775808", "9223372036854775807", "10", "-10"]
    );
    assert_eq!(
        texts(
            "FLOAT",
            Float32Array::from(vec![
                1.1,
                1.0e10,
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                -0.0
            ])
        ),
        ["1.1", "1.0E10", "NaN", "Infinity", "-Infinity", "-0.0"]
    );
    assert_eq!(
        texts(
            "DOUBLE",
            Float64Array::from(vec![
                100.0,
                1e7,
                1e-4,
                5e-324,
                1234567.125,
                0.001,
                9_999_999.0
            ])
        ),
        [
            "100.0",
            "1.0E7",
            "1.0E-4",
            "4.9E-324",
            "1234567.125",
            "0.001",
            "9999999.0"
        ]
    );
    assert_eq!(
        texts(
            "DECIMAL(10, 3)",
            decimals(10, 3, vec![12_500, -1, 0, 9_999_999_999])
        ),
        ["12.500", "-0.001", "0.000", "9999999.999"]
    );
    assert_eq!(
        texts("DECIMAL(10, 10)", decimals(10, 10, vec![1000])),
        ["0.0000001000"]
    );
    let max = 10_i128.pow(38) - 1;
    assert_eq!(
        texts(
            "DECIMAL(38, 0)",
            decimals(38, 0, vec![max, -max, 10_i128.pow(19), 7])
        ),
        [
            "99999999999999999999999999999999999999",
            "-99999999999999999999999999999999999999",
            "10000000000000000000",
            "7"
        ]
    );
    assert_eq!(
        texts("DECIMAL(38, 38)", decimals(38, 38, vec![-max, 1])),
        [
            "-0.99999999999999999999999999999999999999",
            "0.00000000000000000000000000000000000001"
        ]
    );
    assert_eq!(
        texts("STRING", StringArray::from(vec!["", "a,b"])),
        ["", "a,b"]
    );
    assert_eq!(
        texts(
            "BYTES",
            BinaryArray::from(vec![&b""[..], b"f", b"fo", b"foo", &[0xFB, 0xFF, 0xBF]])
        ),
        ["", "Zg==", "Zm8=", "Zm9v", "+/+/"]
    );
    assert_eq!(
        texts(
            "DATE",
            Date32Array::from(vec![0, -719_528, 2_932_896, 19_782])
        ),
        ["1970-01-01", "0000-01-01", "9999-12-31", "2024-02-29"]
    );
    let time = |millis| Time32MillisecondArray::from(vec![millis]);
    for (declared, millis, text) in [
        ("TIME(3)", 37_230_120, "10:20:30.12"),
        ("TIME(3)", 0, "00:00:00.0"),
        ("TIME(0)", 37_230_000, "10:20:30"),
        ("TIME(3)", 86_399_999, "23:59:59.999"),
        // No digit is lost that Java would read.
        ("TIME(0)", 1, "00:00:00.001"),
    ] {
        assert_eq!(texts(declared, time(millis)), [text]);
    }
}

#[test]
fn written_timestamps() {
    let base = 1_704_450_030_000;
    for (declared, millis, text) in [
        ("TIMESTAMP(3)", base + 120, "2024-01-05 10:20:30.120"),
        ("TIMESTAMP(3)", base, "2024-01-05 10:20:30.000"),
        ("TIMESTAMP(0)", base, "2024-01-05 10:20:30"),
        ("TIMESTAMP(3)", -1, "1969-12-31 23:59:59.999"),
        ("TIMESTAMP(1)", base + 100, "2024-01-05 10:20:30.1"),
        (
            "TIMESTAMP(3)",
            253_402_300_799_999,
            "9999-12-31 23:59:59.999",
        ),
        (
            "TIMESTAMP(3)",
            -62_167_219_200_000,
            "0000-01-01 00:00:00.000",
        ),
    ] {
        assert_eq!(
            texts(declared, TimestampMillisecondArray::from(vec![millis])),
            [text]
        );
    }
    let instant = TimestampMillisecondArray::from(vec![base]).with_timezone("UTC");
    assert_eq!(
        texts("TIMESTAMP_LTZ(3)", instant),
        ["2024-01-05 10:20:30.000"]
    );
    let micros = TimestampMicrosecondArray::from(vec![1, -1]);
    assert_eq!(
        texts("TIMESTAMP(6)", micros),
        ["1970-01-01 00:00:00.000001", "1969-12-31 23:59:59.999999"]
    );
    let nanos = TimestampNanosecondArray::from(vec![i64::MIN, i64::MAX]);
    assert_eq!(
        texts("TIMESTAMP(9)", nanos),
        [
            "1677-09-21 00:12:43.145224192",
            "2262-04-11 23:47:16.854775807"
        ]
    );
}

#[test]
fn values_without_a_text_are_found() {
    let find = |declared: &str, array: &dyn Array| {
        Texts::new(array, &data_type(declared))
            .unwrap()
            .unwritable()
    };
    let outside = "lies outside the years 0000 to 9999";
    let dates = Date32Array::from(vec![Some(0), None, Some(2_932_897), Some(-719_529)]);
    assert_eq!(find("DATE", &dates), Some((2, outside)));
    assert_eq!(find("DATE", &dates.slice(3, 1)), Some((0, outside)));
    assert_eq!(find("DATE", &dates.slice(0, 2)), None);
    let late = TimestampMillisecondArray::from(vec![253_402_300_799_999, 253_402_300_800_000]);
    assert_eq!(find("TIMESTAMP(3)", &late), Some((1, outside)));
    let early = TimestampMicrosecondArray::from(vec![-62_167_219_200_000_001]);
    assert_eq!(find("TIMESTAMP(6)", &early), Some((0, outside)));
    let finer = "has more digits of the second than its type";
    let millis = TimestampMillisecondArray::from(vec![1000, 1100, 1010]);
    assert_eq!(find("TIMESTAMP(0)", &millis), Some((1, finer)));
    assert_eq!(find("TIMESTAMP(1)", &millis), Some((2, finer)));
    assert_eq!(find("TIMESTAMP(2)", &millis), None);
    let times = Time32MillisecondArray::from(vec![86_399_999, 86_400_000]);
    assert_eq!(find("TIME(3)", &times), Some((1, "is no time of a day")));
    assert_eq!(
        find("TIME(3)", &Time32MillisecondArray::from(vec![-1])),
        Some((0, "is no time of a day"))
    );
}

/// A text by the reader that takes every spelling.
fn slowly(declared: &DataType, text: &str) -> Option<i128> {
    use ftable_core::datum::parse;
    match declared.kind() {
        TypeKind::Decimal { precision, scale } => parse::decimal(text, *precision, *scale),
        TypeKind::Date => parse::date(text).map(i128::from),
        TypeKind::Time { .. } => parse::time(text).map(i128::from),
        TypeKind::Timestamp { precision } => parse::timestamp(text, *precision),
        TypeKind::TimestampLtz { precision } => parse::instant(text, *precision),
        other => panic!("{other:?}"),
    }
}

fn quickly(declared: &DataType, text: &str) -> Option<i128> {
    let mut column = TextColumn::new(declared).unwrap();
    column.append(text).ok()?;
    let array = column.finish().unwrap();
    Some(match declared.kind() {
        TypeKind::Decimal { .. } => array.as_primitive::<Decimal128Type>().value(0),
        TypeKind::Date => array.as_primitive::<Date32Type>().value(0).into(),
        TypeKind::Time { .. } => array
            .as_primitive::<Time32MillisecondType>()
            .value(0)
            .into(),
        TypeKind::Timestamp { precision } | TypeKind::TimestampLtz { precision } => {
            let per_unit = match precision {
                0..=3 => 1_000_000,
                4..=6 => 1000,
                _ => 1,
            };
            let units = arrow_cast::cast(&array, &arrow_schema::DataType::Int64).unwrap();
            i128::from(units.as_primitive::<Int64Type>().value(0)) * per_unit
        }
        other => panic!("{other:?}"),
    })
}

proptest! {
    /// The reader by hand and the reader of every spelling agree.
    #[test]
    fn usual_spellings_are_no_others(
        index in 0..9_usize,
        decimal in r"[+-]?[0-9]{0,12}(\.[0-9]{0,12})?(e[+-]?[0-9])?",
        date in r"[0-9]{4}-[0-1][0-9]-[0-3][0-9]",
        clock in r"[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{0,10})?",
        mark in "[ T]",
    ) {
        let (declared, text) = match index {
            0 => ("DECIMAL(9, 4)", decimal),
            1 => ("DECIMAL(30, 12)", decimal),
            2 => ("DATE", date),
            3 => ("TIME(3)", clock),
            4 => ("TIMESTAMP(0)", format!("{date}{mark}{clock}")),
            5 => ("TIMESTAMP(3)", format!("{date}{mark}{clock}")),
            6 => ("TIMESTAMP(5)", format!("{date}{mark}{clock}")),
            7 => ("TIMESTAMP_LTZ(6)", format!("{date}{mark}{clock}")),
            _ => ("TIMESTAMP(8)", format!("{date}{mark}{clock}")),
        };
        let declared = data_type(declared);
        let slow = slowly(&declared, &text)
            // Nanoseconds have no more years than 64 bits.
            .filter(|nanos| index < 8 || i64::try_from(*nanos).is_ok());
        prop_assert_eq!(quickly(&declared, &text), slow, "{}: {}", declared, text);
    }

    /// What is written is read back, or found not to be writable.
    #[test]
    fn texts_are_read_back(kind in primitive_type(), digits in (1_u8..=38, 0_u8..=38), seed in any::<u64>()) {
        let decimal = TypeKind::Decimal { precision: digits.0, scale: digits.1.min(digits.0) };
        for declared in [kind, DataType::from(decimal)] {
            let array = random_array(&declared, 40, &mut Random::new(seed));
            let texts = Texts::new(&array, &declared).unwrap();
            let mut column = TextColumn::new(&declared).unwrap();
            let mut written = Vec::new();
            let first = texts.unwritable().map_or(array.len(), |(row, _)| row);
            for row in 0..first {
                if texts.is_null(row) {
                    column.append_null();
                    continue;
                }
                written.clear();
                texts.write(row, &mut written);
                let text = std::str::from_utf8(&written).unwrap();
                prop_assert!(column.append(text).is_ok(), "{}: {}", declared, text);
            }
            let read = column.finish().unwrap();
            prop_assert_eq!(&canonical(&read), &canonical(&array.slice(0, first)), "{}", declared);
        }
    }
}

/// One NaN stands for all: texts have but one.
fn canonical(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        arrow_schema::DataType::Float32 => {
            let floats = array.as_primitive::<Float32Type>();
            Arc::new(floats.unary::<_, arrow_array::types::Int32Type>(|value| {
                (if value.is_nan() { f32::NAN } else { value }).to_bits() as i32
            }))
        }
        arrow_schema::DataType::Float64 => {
            let doubles = array.as_primitive::<Float64Type>();
            Arc::new(doubles.unary::<_, Int64Type>(|value| {
                (if value.is_nan() { f64::NAN } else { value }).to_bits() as i64
            }))
        }
        _ => Arc::clone(array),
    }
}
