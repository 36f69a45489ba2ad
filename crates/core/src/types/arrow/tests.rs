use arrow_schema::IntervalUnit;

use super::*;

fn sql(text: &str) -> DataType {
    text.parse().unwrap()
}

fn list(element: Field) -> ArrowType {
    ArrowType::List(Arc::new(element))
}

fn map(key: ArrowType, value: Field) -> ArrowType {
    let entries = Fields::from(vec![Field::new("key", key, false), value]);
    ArrowType::Map(
        Arc::new(Field::new("key_value", ArrowType::Struct(entries), false)),
        false,
    )
}

#[test]
fn every_type_and_its_arrow_type() {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond};
    let utc = || Some("UTC".into());
    for (text, arrow) in [
        ("BOOLEAN", ArrowType::Boolean),
        ("TINYINT", ArrowType::Int8),
        ("SMALLINT", ArrowType::Int16),
        ("INT", ArrowType::Int32),
        ("BIGINT", ArrowType::Int64),
        ("FLOAT", ArrowType::Float32),
        ("DOUBLE", ArrowType::Float64),
        ("DECIMAL(9, 2)", ArrowType::Decimal128(9, 2)),
        ("DECIMAL(38, 38)", ArrowType::Decimal128(38, 38)),
        ("CHAR(3)", ArrowType::Utf8),
        ("VARCHAR(3)", ArrowType::Utf8),
        ("STRING", ArrowType::Utf8),
        ("BINARY(3)", ArrowType::Binary),
        ("VARBINARY(3)", ArrowType::Binary),
        ("BYTES", ArrowType::Binary),
        ("DATE", ArrowType::Date32),
        ("TIME(0)", ArrowType::Time32(Millisecond)),
        ("TIME(9)", ArrowType::Time32(Millisecond)),
        ("TIMESTAMP(0)", ArrowType::Timestamp(Millisecond, None)),
        ("TIMESTAMP(3)", ArrowType::Timestamp(Millisecond, None)),
        ("TIMESTAMP(4)", ArrowType::Timestamp(Microsecond, None)),
        ("TIMESTAMP(6)", ArrowType::Timestamp(Microsecond, None)),
        ("TIMESTAMP(7)", ArrowType::Timestamp(Nanosecond, None)),
        ("TIMESTAMP(9)", ArrowType::Timestamp(Nanosecond, None)),
        ("TIMESTAMP_LTZ(3)", ArrowType::Timestamp(Millisecond, utc())),
        ("TIMESTAMP_LTZ(6)", ArrowType::Timestamp(Microsecond, utc())),
        ("TIMESTAMP_LTZ(9)", ArrowType::Timestamp(Nanosecond, utc())),
        (
            "ARRAY<INT NOT NULL>",
            list(Field::new("element", ArrowType::Int32, false)),
        ),
        (
            "ARRAY<INT>",
            list(Field::new("element", ArrowType::Int32, true)),
        ),
        (
            "MAP<STRING, INT>",
            map(ArrowType::Utf8, Field::new("value", ArrowType::Int32, true)),
        ),
        (
            "MAP<STRING, INT NOT NULL>",
            map(
                ArrowType::Utf8,
                Field::new("value", ArrowType::Int32, false),
            ),
        ),
        (
            "MULTISET<STRING>",
            map(
                ArrowType::Utf8,
                Field::new("value", ArrowType::Int32, false),
            ),
        ),
        (
            "VECTOR<FLOAT, 3>",
            ArrowType::FixedSizeList(Arc::new(Field::new("element", ArrowType::Float32, true)), 3),
        ),
        (
            "ROW<a INT NOT NULL, b STRING>",
            ArrowType::Struct(Fields::from(vec![
                Field::new("a", ArrowType::Int32, false),
                Field::new("b", ArrowType::Utf8, true),
            ])),
        ),
        ("GEOMETRY", ArrowType::Binary),
        ("BLOB", ArrowType::Binary),
    ] {
        assert_eq!(to_arrow_type(&sql(text)).unwrap(), arrow, "{text}");
    }
}

#[test]
fn every_arrow_type_and_its_column_type() {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let item = || Arc::new(Field::new("item", ArrowType::Int16, false));
    let dictionary = |value| ArrowType::Dictionary(Box::new(ArrowType::Int32), Box::new(value));
    for (arrow, text) in [
        (ArrowType::UInt8, "SMALLINT"),
        (ArrowType::UInt16, "INT"),
        (ArrowType::UInt32, "BIGINT"),
        (ArrowType::UInt64, "DECIMAL(20, 0)"),
        (ArrowType::Float16, "FLOAT"),
        (ArrowType::Decimal32(5, 2), "DECIMAL(5, 2)"),
        (ArrowType::Decimal64(18, 2), "DECIMAL(18, 2)"),
        (ArrowType::Decimal256(38, 0), "DECIMAL(38, 0)"),
        (ArrowType::LargeUtf8, "STRING"),
        (ArrowType::Utf8View, "STRING"),
        (ArrowType::LargeBinary, "BYTES"),
        (ArrowType::BinaryView, "BYTES"),
        (ArrowType::FixedSizeBinary(16), "BINARY(16)"),
        (ArrowType::FixedSizeBinary(0), "BYTES"),
        (ArrowType::Time32(Second), "TIME(0)"),
        (ArrowType::Time32(Millisecond), "TIME(3)"),
        (ArrowType::Time64(Microsecond), "TIME(6)"),
        (ArrowType::Time64(Nanosecond), "TIME(9)"),
        (ArrowType::Timestamp(Second, None), "TIMESTAMP(0)"),
        (ArrowType::Timestamp(Nanosecond, None), "TIMESTAMP(9)"),
        (
            ArrowType::Timestamp(Microsecond, Some("Europe/Vienna".into())),
            "TIMESTAMP_LTZ(6)",
        ),
        (dictionary(ArrowType::Utf8), "STRING"),
        (dictionary(dictionary(ArrowType::Int8)), "TINYINT"),
        (ArrowType::LargeList(item()), "ARRAY<SMALLINT NOT NULL>"),
        (ArrowType::ListView(item()), "ARRAY<SMALLINT NOT NULL>"),
        (ArrowType::LargeListView(item()), "ARRAY<SMALLINT NOT NULL>"),
        (
            ArrowType::FixedSizeList(item(), 4),
            "ARRAY<SMALLINT NOT NULL>",
        ),
        (
            map(ArrowType::Utf8, Field::new("value", ArrowType::Int32, true)),
            "MAP<STRING NOT NULL, INT>",
        ),
    ] {
        assert_eq!(from_arrow_type(&arrow, true).unwrap(), sql(text), "{arrow}");
        assert_eq!(
            from_arrow_type(&arrow, false).unwrap(),
            sql(text).not_null(),
            "{arrow}"
        );
    }
}

#[test]
fn schemas_go_there_and_back() {
    let text = "id BIGINT NOT NULL, s ROW<x ROW<p INT>, y ARRAY<TIMESTAMP(3)>>, \
                m MAP<STRING NOT NULL, DECIMAL(4, 1)>, t TIME(3), l TIMESTAMP_LTZ(9) NOT NULL";
    let fields = super::super::parse_columns(text).unwrap();
    let schema = to_arrow_schema(&fields).unwrap();
    assert_eq!(schema.fields().len(), 5);
    assert!(schema.metadata().is_empty());
    assert!(!schema.field(0).is_nullable());
    assert_eq!(from_arrow_schema(&schema).unwrap(), fields);
}

#[test]
fn what_no_column_type_holds_is_refused_by_name() {
    let duration = ArrowType::Duration(TimeUnit::Second);
    for arrow in [
        ArrowType::Null,
        ArrowType::Date64,
        duration.clone(),
        ArrowType::Interval(IntervalUnit::YearMonth),
        ArrowType::Decimal128(38, -2),
        ArrowType::Decimal128(2, 3),
        ArrowType::Decimal256(40, 0),
    ] {
        let error = from_arrow_type(&arrow, true).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
        let expected = format!("type Arrow {arrow} has no counterpart in column types");
        assert_eq!(error.to_string(), expected);
    }
    let inner = ArrowType::Struct(Fields::from(vec![Field::new(
        "b",
        list(Field::new("item", duration, true)),
        true,
    )]));
    let error =
        from_arrow_schema(&ArrowSchema::new(vec![Field::new("a", inner, true)])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "type Arrow Duration(s) of column 'a.b.item' has no counterpart in column types"
    );
}

#[test]
fn deep_arrow_types_are_refused() {
    let mut arrow = ArrowType::Int32;
    for _ in 0..=MAX_NESTING {
        arrow = list(Field::new("element", arrow, true));
    }
    assert!(from_arrow_type(&arrow, true).is_err());
}
