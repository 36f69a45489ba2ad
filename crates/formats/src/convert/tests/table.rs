//! Which types are read as which.

use super::*;

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
