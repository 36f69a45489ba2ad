//! Integers, floats and decimals.

use super::*;

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
