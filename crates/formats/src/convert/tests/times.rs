//! Dates, times and timestamps.

use super::*;

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
