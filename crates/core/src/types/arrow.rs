//! Which Arrow type carries which column type, and back.
//!
//! | column type | Arrow type |
//! | --- | --- |
//! | `BOOLEAN`, integers, `FLOAT`, `DOUBLE` | the same width |
//! | `DECIMAL(p, s)` | `Decimal128(p, s)` |
//! | `CHAR`, `VARCHAR`, `STRING` | `Utf8` |
//! | `BINARY`, `VARBINARY`, `BYTES`, `BLOB`, `GEOMETRY`, `GEOGRAPHY` | `Binary` |
//! | `DATE` | `Date32` |
//! | `TIME(p)` | `Time32(ms)`: Paimon keeps milliseconds at every precision |
//! | `TIMESTAMP(p)` | `Timestamp`: ms up to precision 3, µs up to 6, ns up to 9 |
//! | `TIMESTAMP(p) WITH LOCAL TIME ZONE` | the same with zone `UTC` |
//! | `ARRAY<T>` | `List` of `element` |
//! | `MAP<K, V>` | `Map` of `key_value { key, value }`, the key never null |
//! | `MULTISET<T>` | `Map` from `T` to `Int32`, never null |
//! | `ROW<...>` | `Struct` |
//! | `VECTOR<T, n>` | `FixedSizeList` |
//! | `VARIANT` | `Struct { value: Binary, metadata: Binary }` |
//!
//! Paimon's own mapping uses seconds for precision 0. Parquet writers store such a column without
//! annotation and Java then reads the seconds as milliseconds, so milliseconds are used here.

use std::sync::Arc;

use arrow_schema::{
    DataType as ArrowType, Field, FieldRef, Fields, Schema as ArrowSchema, SchemaRef, TimeUnit,
};

use super::data_type::too_deep;
use super::{DataField, DataType, MAX_LENGTH, MAX_NESTING, TypeKind, assign_field_ids};
use crate::error::{Error, Result};

/// The zone of instants.
const UTC: &str = "UTC";

/// The Arrow type that carries `data_type`.
///
/// # Errors
/// [`Error::NoCounterpart`]: a `DECIMAL` scale or `VECTOR` length that Arrow cannot express.
pub fn to_arrow_type(data_type: &DataType) -> Result<ArrowType> {
    let no_counterpart = || Error::NoCounterpart {
        from: data_type.to_string(),
        to: "Arrow".to_owned(),
    };
    Ok(match data_type.kind() {
        TypeKind::Boolean => ArrowType::Boolean,
        TypeKind::TinyInt => ArrowType::Int8,
        TypeKind::SmallInt => ArrowType::Int16,
        TypeKind::Int => ArrowType::Int32,
        TypeKind::BigInt => ArrowType::Int64,
        TypeKind::Float => ArrowType::Float32,
        TypeKind::Double => ArrowType::Float64,
        TypeKind::Decimal { precision, scale } => ArrowType::Decimal128(
            *precision,
            i8::try_from(*scale).map_err(|_| no_counterpart())?,
        ),
        TypeKind::Char { .. } | TypeKind::VarChar { .. } => ArrowType::Utf8,
        TypeKind::Binary { .. }
        | TypeKind::VarBinary { .. }
        | TypeKind::Blob
        | TypeKind::Geometry { .. }
        | TypeKind::Geography { .. } => ArrowType::Binary,
        TypeKind::Date => ArrowType::Date32,
        TypeKind::Time { .. } => ArrowType::Time32(TimeUnit::Millisecond),
        TypeKind::Timestamp { precision } => ArrowType::Timestamp(unit_of(*precision), None),
        TypeKind::TimestampLtz { precision } => {
            ArrowType::Timestamp(unit_of(*precision), Some(UTC.into()))
        }
        TypeKind::Array { element } => ArrowType::List(element_field(element)?),
        TypeKind::Multiset { element } => {
            map_type(element, &DataType::from(TypeKind::Int).not_null())?
        }
        TypeKind::Map { key, value } => map_type(key, value)?,
        TypeKind::Row { fields } => ArrowType::Struct(
            fields
                .iter()
                .map(to_arrow_field)
                .collect::<Result<Fields>>()?,
        ),
        TypeKind::Vector { element, length } => {
            let length = i32::try_from(*length).map_err(|_| no_counterpart())?;
            ArrowType::FixedSizeList(element_field(element)?, length)
        }
        TypeKind::Variant => ArrowType::Struct(Fields::from(vec![
            Field::new("value", ArrowType::Binary, false),
            Field::new("metadata", ArrowType::Binary, false),
        ])),
    })
}

/// The Arrow field that carries a column: its name, type and nullability, without metadata.
///
/// # Errors
/// As [`to_arrow_type`].
pub fn to_arrow_field(field: &DataField) -> Result<Field> {
    let data_type = to_arrow_type(&field.data_type)?;
    Ok(Field::new(
        &field.name,
        data_type,
        field.data_type.is_nullable(),
    ))
}

/// The Arrow schema of a list of columns, without metadata.
///
/// # Errors
/// As [`to_arrow_type`].
pub fn to_arrow_schema(fields: &[DataField]) -> Result<SchemaRef> {
    let fields = fields
        .iter()
        .map(to_arrow_field)
        .collect::<Result<Fields>>()?;
    Ok(Arc::new(ArrowSchema::new(fields)))
}

fn unit_of(precision: u8) -> TimeUnit {
    match precision {
        0..=3 => TimeUnit::Millisecond,
        4..=6 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    }
}

fn element_field(element: &DataType) -> Result<FieldRef> {
    Ok(Arc::new(Field::new(
        "element",
        to_arrow_type(element)?,
        element.is_nullable(),
    )))
}

fn map_type(key: &DataType, value: &DataType) -> Result<ArrowType> {
    let entries = Fields::from(vec![
        Field::new("key", to_arrow_type(key)?, false),
        Field::new("value", to_arrow_type(value)?, value.is_nullable()),
    ]);
    let entries = Field::new("key_value", ArrowType::Struct(entries), false);
    Ok(ArrowType::Map(Arc::new(entries), false))
}

/// The column type that holds every value of an Arrow type.
///
/// Dictionaries and runs stand for their values, unsigned integers for the next wider signed type
/// (`UInt64` for `DECIMAL(20, 0)`), all string layouts for `STRING`, all list layouts for `ARRAY`. A
/// timestamp with any zone is an instant. Fields of a `ROW` are numbered from 0.
///
/// # Errors
/// [`Error::NoCounterpart`] for a type whose values no column type holds, such as `Null`, `Date64`
/// and durations, named with the path of the child that has it.
pub fn from_arrow_type(data_type: &ArrowType, nullable: bool) -> Result<DataType> {
    let mut found = read_type(data_type, nullable, "", 0)?;
    super::ids::assign_type_ids(&mut found);
    Ok(found)
}

/// The columns that hold every value of an Arrow schema, numbered as in [`assign_field_ids`].
///
/// # Errors
/// As [`from_arrow_type`]; the error names the column.
pub fn from_arrow_schema(schema: &ArrowSchema) -> Result<Vec<DataField>> {
    let mut fields = read_fields(schema.fields(), "", 0)?;
    assign_field_ids(&mut fields);
    Ok(fields)
}

fn read_fields(fields: &Fields, parent: &str, depth: usize) -> Result<Vec<DataField>> {
    fields
        .iter()
        .map(|field| {
            Ok(DataField::new(
                -1,
                field.name(),
                read_field(field, parent, depth)?,
            ))
        })
        .collect()
}

fn read_field(field: &Field, parent: &str, depth: usize) -> Result<DataType> {
    let path = match parent {
        "" => field.name().clone(),
        parent => format!("{parent}.{}", field.name()),
    };
    read_type(field.data_type(), field.is_nullable(), &path, depth)
}

fn read_type(arrow: &ArrowType, nullable: bool, path: &str, depth: usize) -> Result<DataType> {
    if depth > MAX_NESTING {
        return Err(Error::InvalidColumn {
            column: path.to_owned(),
            message: too_deep(),
        });
    }
    if let Some(kind) = read_atomic(arrow) {
        return Ok(DataType::new(kind, nullable));
    }
    let kind = match arrow {
        ArrowType::Dictionary(_, value) => return read_type(value, nullable, path, depth + 1),
        ArrowType::RunEndEncoded(_, values) => {
            return read_type(values.data_type(), nullable, path, depth + 1);
        }
        ArrowType::List(element)
        | ArrowType::LargeList(element)
        | ArrowType::ListView(element)
        | ArrowType::LargeListView(element)
        | ArrowType::FixedSizeList(element, _) => TypeKind::Array {
            element: Box::new(read_field(element, path, depth + 1)?),
        },
        ArrowType::Map(entries, _) => match entries.data_type() {
            ArrowType::Struct(children) if let [key, value] = &children[..] => TypeKind::Map {
                key: Box::new(read_field(key, path, depth + 1)?.not_null()),
                value: Box::new(read_field(value, path, depth + 1)?),
            },
            _ => return Err(no_column_type(arrow, path)),
        },
        ArrowType::Struct(fields) => TypeKind::Row {
            fields: read_fields(fields, path, depth + 3)?,
        },
        _ => return Err(no_column_type(arrow, path)),
    };
    Ok(DataType::new(kind, nullable))
}

fn read_atomic(arrow: &ArrowType) -> Option<TypeKind> {
    Some(match arrow {
        ArrowType::Boolean => TypeKind::Boolean,
        ArrowType::Int8 => TypeKind::TinyInt,
        ArrowType::Int16 | ArrowType::UInt8 => TypeKind::SmallInt,
        ArrowType::Int32 | ArrowType::UInt16 => TypeKind::Int,
        ArrowType::Int64 | ArrowType::UInt32 => TypeKind::BigInt,
        ArrowType::UInt64 => TypeKind::Decimal {
            precision: 20,
            scale: 0,
        },
        ArrowType::Float16 | ArrowType::Float32 => TypeKind::Float,
        ArrowType::Float64 => TypeKind::Double,
        ArrowType::Decimal32(precision, scale)
        | ArrowType::Decimal64(precision, scale)
        | ArrowType::Decimal128(precision, scale)
        | ArrowType::Decimal256(precision, scale) => read_decimal(*precision, *scale)?,
        ArrowType::Utf8 | ArrowType::LargeUtf8 | ArrowType::Utf8View => {
            TypeKind::VarChar { length: MAX_LENGTH }
        }
        ArrowType::Binary | ArrowType::LargeBinary | ArrowType::BinaryView => {
            TypeKind::VarBinary { length: MAX_LENGTH }
        }
        ArrowType::FixedSizeBinary(length) => match u32::try_from(*length) {
            Ok(length @ 1..) => TypeKind::Binary { length },
            _ => TypeKind::VarBinary { length: MAX_LENGTH },
        },
        ArrowType::Date32 => TypeKind::Date,
        ArrowType::Time32(unit) | ArrowType::Time64(unit) => TypeKind::Time {
            precision: precision_of(*unit),
        },
        ArrowType::Timestamp(unit, None) => TypeKind::Timestamp {
            precision: precision_of(*unit),
        },
        ArrowType::Timestamp(unit, Some(_)) => TypeKind::TimestampLtz {
            precision: precision_of(*unit),
        },
        _ => return None,
    })
}

fn read_decimal(precision: u8, scale: i8) -> Option<TypeKind> {
    let scale = u8::try_from(scale).ok()?;
    let fits = (1..=38).contains(&precision) && scale <= precision;
    fits.then_some(TypeKind::Decimal { precision, scale })
}

fn precision_of(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

fn no_column_type(arrow: &ArrowType, path: &str) -> Error {
    let column = if path.is_empty() {
        String::new()
    } else {
        format!(" of column '{path}'")
    };
    Error::NoCounterpart {
        from: format!("Arrow {arrow}{column}"),
        to: "column types".to_owned(),
    }
}

#[cfg(test)]
mod tests;
