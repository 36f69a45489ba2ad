//! The type that a column of a file proposes for a column of a table: the inverse of the conversions.
//!
//! Every proposal is a type that the file type reads as without loss, and nullable: a file says nothing of the next
//! one. Unsigned integers take the next wider integer, UINT64 takes DECIMAL(20, 0). ORC timestamps have no unit and
//! are proposed with the default precision of 6; what is finer is refused when it is read. INT96 is proposed with
//! precision 9, since a coarser one would cut its nanoseconds, and without zone unless another file has an instant.

use std::collections::HashSet;

use arrow_schema::{DataType as ArrowType, Fields, TimeUnit};
use ftable_core::types::MAX_LENGTH;
use ftable_core::{DataField, DataType, TypeKind};

use super::file_type::{FileType, Form};

/// Precision of a timestamp whose file type has no unit.
const DEFAULT_PRECISION: u8 = 6;

/// What a timestamp is that says nothing of its zone, unless other files say it.
const FINEST: TypeKind = TypeKind::Timestamp { precision: 9 };

/// What is known of a column's type while files are looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Only nulls: any type will do.
    Nulls,
    /// A type without others inside.
    Value(TypeKind),
    /// An integer of which a file has no sign: it reads as wider integers and DECIMAL, never as FLOAT or DOUBLE.
    Unsigned(TypeKind),
    /// A timestamp to the nanosecond of which the file does not say whether it is an instant.
    Unzoned,
    /// A list of these.
    Array(Box<Shape>),
    /// A map from these to those.
    Map(Box<Shape>, Box<Shape>),
    /// Fields in order.
    Row(Vec<(String, Shape)>),
    /// A type that no column of a table has.
    Foreign(String),
}

impl Shape {
    /// What a column of a file proposes.
    pub(crate) fn of(file: &FileType) -> Self {
        if let Some(own) = &file.own {
            return Self::Value(own.clone());
        }
        match (file.form, &file.arrow) {
            (Form::Foreign, _) => Self::Foreign(file.name.clone()),
            (Form::Int96, _) => Self::Unzoned,
            (Form::WallClock, _) => Self::Value(TypeKind::Timestamp {
                precision: DEFAULT_PRECISION,
            }),
            (Form::Instant, _) => Self::Value(TypeKind::TimestampLtz {
                precision: DEFAULT_PRECISION,
            }),
            (_, ArrowType::Null) => Self::Nulls,
            (_, ArrowType::List(_)) => match file.children.as_slice() {
                [element] => Self::Array(Box::new(Self::of(element))),
                _ => Self::Foreign(file.name.clone()),
            },
            (_, ArrowType::Map(..)) => match file.children.as_slice() {
                [key, value] => Self::Map(Box::new(Self::of(key)), Box::new(Self::of(value))),
                _ => Self::Foreign(file.name.clone()),
            },
            (_, ArrowType::Struct(fields)) => Self::row(fields, file),
            (_, arrow) => match value(arrow) {
                Some(kind) if arrow.is_unsigned_integer() => Self::Unsigned(kind),
                Some(kind) => Self::Value(kind),
                None => Self::Foreign(file.name.clone()),
            },
        }
    }

    fn row(fields: &Fields, file: &FileType) -> Self {
        if fields.len() != file.children.len() {
            return Self::Foreign(file.name.clone());
        }
        let children = fields.iter().zip(&file.children);
        Self::Row(
            children
                .map(|(field, child)| (field.name().clone(), Self::of(child)))
                .collect(),
        )
    }

    /// The first type inside that no column has: the names that lead to it, and its own.
    pub(super) fn foreign(&self) -> Option<(Vec<&str>, &str)> {
        match self {
            Self::Foreign(name) => Some((Vec::new(), name)),
            Self::Nulls | Self::Value(_) | Self::Unsigned(_) | Self::Unzoned => None,
            Self::Array(element) => element.foreign_below("element"),
            Self::Map(key, value) => key
                .foreign_below("key")
                .or_else(|| value.foreign_below("value")),
            Self::Row(fields) => fields
                .iter()
                .find_map(|(name, child)| child.foreign_below(name)),
        }
    }

    fn foreign_below<'a>(&'a self, name: &'a str) -> Option<(Vec<&'a str>, &'a str)> {
        let (mut path, found) = self.foreign()?;
        path.insert(0, name);
        Some((path, found))
    }

    /// The names that lead to a name which two fields of one ROW have.
    pub(super) fn repeated_name(&self) -> Option<Vec<&str>> {
        match self {
            Self::Nulls | Self::Value(_) | Self::Unsigned(_) | Self::Unzoned | Self::Foreign(_) => {
                None
            }
            Self::Array(element) => element.repeated_below("element"),
            Self::Map(key, value) => key
                .repeated_below("key")
                .or_else(|| value.repeated_below("value")),
            Self::Row(fields) => {
                let mut seen = HashSet::new();
                fields
                    .iter()
                    .find_map(|(name, child)| match seen.insert(name) {
                        true => child.repeated_below(name),
                        false => Some(vec![name.as_str()]),
                    })
            }
        }
    }

    fn repeated_below<'a>(&'a self, name: &'a str) -> Option<Vec<&'a str>> {
        let mut path = self.repeated_name()?;
        path.insert(0, name);
        Some(path)
    }

    /// The nullable type; STRING where nothing but nulls was seen, which every type can be read beside.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Nulls | Self::Foreign(_) => DataType::string(),
            Self::Value(kind) | Self::Unsigned(kind) => kind.clone().into(),
            Self::Unzoned => FINEST.into(),
            Self::Array(element) => DataType::array(element.data_type()),
            Self::Map(key, value) => DataType::map(key.data_type(), value.data_type()),
            Self::Row(fields) => DataType::row(
                fields
                    .iter()
                    .map(|(name, shape)| DataField::new(-1, name, shape.data_type()))
                    .collect(),
            ),
        }
    }
}

fn value(arrow: &ArrowType) -> Option<TypeKind> {
    use ArrowType as A;
    Some(match arrow {
        A::Boolean => TypeKind::Boolean,
        A::Int8 => TypeKind::TinyInt,
        A::Int16 | A::UInt8 => TypeKind::SmallInt,
        A::Int32 | A::UInt16 => TypeKind::Int,
        A::Int64 | A::UInt32 => TypeKind::BigInt,
        A::UInt64 => decimal(20, 0)?,
        A::Float16 | A::Float32 => TypeKind::Float,
        A::Float64 => TypeKind::Double,
        A::Decimal32(precision, scale)
        | A::Decimal64(precision, scale)
        | A::Decimal128(precision, scale)
        | A::Decimal256(precision, scale) => decimal(*precision, *scale)?,
        A::Utf8 | A::LargeUtf8 | A::Utf8View => TypeKind::VarChar { length: MAX_LENGTH },
        A::Binary | A::LargeBinary | A::BinaryView => TypeKind::VarBinary { length: MAX_LENGTH },
        A::FixedSizeBinary(length) => match u32::try_from(*length) {
            Ok(length) if length > 0 => TypeKind::Binary { length },
            _ => TypeKind::VarBinary { length: MAX_LENGTH },
        },
        A::Date32 => TypeKind::Date,
        A::Time32(unit) | A::Time64(unit) => TypeKind::Time {
            precision: digits(*unit),
        },
        A::Timestamp(unit, None) => TypeKind::Timestamp {
            precision: digits(*unit),
        },
        A::Timestamp(unit, Some(_)) => TypeKind::TimestampLtz {
            precision: digits(*unit),
        },
        _ => return None,
    })
}

fn decimal(precision: u8, scale: i8) -> Option<TypeKind> {
    let scale = u8::try_from(scale).ok()?;
    ((1..=38).contains(&precision) && scale <= precision)
        .then_some(TypeKind::Decimal { precision, scale })
}

/// Digits after the seconds that a unit holds.
fn digits(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}
