//! The types of a file (specification: "Type Information"), by hand or from an Arrow schema.

use std::fmt;

use arrow_schema::{DataType, Field, Schema, TimeUnit};

use crate::error::{InvalidTypeSnafu, Result, UnsupportedTypeSnafu};
use crate::proto::{StringPair, Type, type_kind};

/// The most digits of a DECIMAL.
pub const MAX_PRECISION: u8 = 38;

/// Types nest no deeper than this, so that no reader and no writer runs out of stack.
const MAX_DEPTH: usize = 128;

/// A type of a file: its kind, and attributes that travel with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrcType {
    /// What values it has.
    pub kind: OrcKind,
    /// Names and values that readers find at the type, such as a field id.
    pub attributes: Vec<(String, String)>,
}

impl OrcType {
    /// A type without attributes.
    pub fn new(kind: OrcKind) -> Self {
        Self {
            kind,
            attributes: Vec::new(),
        }
    }

    /// The type with one more attribute.
    #[must_use]
    pub fn with_attribute(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.push((key.into(), value.into()));
        self
    }

    /// The struct that a file of these Arrow columns has at its root.
    ///
    /// | Arrow | ORC |
    /// | --- | --- |
    /// | Boolean | BOOLEAN |
    /// | Int8, Int16, Int32, Int64 | BYTE, SHORT, INT, LONG |
    /// | UInt8, UInt16, UInt32, UInt64 | SHORT, INT, LONG, DECIMAL(20, 0) |
    /// | Float16, Float32, Float64 | FLOAT, FLOAT, DOUBLE |
    /// | Decimal32, 64, 128, 256 (precision to 38, scale 0 to precision) | DECIMAL |
    /// | Utf8, LargeUtf8, Utf8View | STRING |
    /// | Binary, LargeBinary, BinaryView, FixedSizeBinary | BINARY |
    /// | Date32 | DATE |
    /// | Time32 (s, ms); Time64 (µs, ns) | INT; LONG: the number as it is |
    /// | Timestamp without, with zone | TIMESTAMP, TIMESTAMP_INSTANT |
    /// | List, LargeList, ListView, LargeListView, FixedSizeList | LIST |
    /// | Map | MAP |
    /// | Struct | STRUCT |
    /// | Dictionary | as its values |
    ///
    /// # Errors
    /// Every other type is refused by the name of its column.
    pub fn from_arrow(schema: &Schema) -> Result<Self> {
        let mut fields = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            fields.push(OrcField::from_arrow(field, field.name(), 1)?);
        }
        Ok(Self::new(OrcKind::Struct(fields)))
    }

    /// Column ids this type takes: itself and everything below it.
    pub(crate) fn columns(&self) -> usize {
        let below: usize = match &self.kind {
            OrcKind::List(element) => element.columns(),
            OrcKind::Map(key, value) => key.columns() + value.columns(),
            OrcKind::Struct(fields) => fields.iter().map(|field| field.orc_type.columns()).sum(),
            _ => 0,
        };
        1 + below
    }

    /// Refuses lengths, precisions and depths that ORC does not have.
    pub(crate) fn check(&self, path: &str, depth: usize) -> Result<()> {
        let invalid = |reason: String| {
            let column = path;
            InvalidTypeSnafu { column, reason }.fail()
        };
        if depth > MAX_DEPTH {
            return invalid(format!("types nest deeper than {MAX_DEPTH}"));
        }
        match &self.kind {
            OrcKind::Char { length: 0 } | OrcKind::Varchar { length: 0 } => {
                invalid("a length of 0 is none".to_owned())
            }
            OrcKind::Decimal { precision, scale } => {
                if !(1..=MAX_PRECISION).contains(precision) || scale > precision {
                    return invalid(format!("there is no DECIMAL({precision}, {scale})"));
                }
                Ok(())
            }
            OrcKind::List(element) => element.check(&join(path, "element"), depth + 1),
            OrcKind::Map(key, value) => {
                key.check(&join(path, "key"), depth + 1)?;
                value.check(&join(path, "value"), depth + 1)
            }
            OrcKind::Struct(fields) => fields.iter().try_for_each(|field| {
                let path = join(path, &field.name);
                field.orc_type.check(&path, depth + 1)
            }),
            _ => Ok(()),
        }
    }

    /// Appends this type and those below it in pre-order, which is what numbers the columns.
    pub(crate) fn describe(&self, types: &mut Vec<Type>) {
        let id = types.len();
        types.push(Type {
            kind: Some(self.kind.code()),
            attributes: self.attributes.iter().map(pair).collect(),
            ..Type::default()
        });
        let mut subtypes = Vec::new();
        let mut below = |orc_type: &OrcType, types: &mut Vec<Type>| {
            subtypes.push(u32::try_from(types.len()).unwrap_or(u32::MAX));
            orc_type.describe(types);
        };
        let mut names = Vec::new();
        match &self.kind {
            OrcKind::List(element) => below(element, types),
            OrcKind::Map(key, value) => {
                below(key, types);
                below(value, types);
            }
            OrcKind::Struct(fields) => {
                for field in fields {
                    names.push(field.name.clone());
                    below(&field.orc_type, types);
                }
            }
            _ => {}
        }
        let Some(described) = types.get_mut(id) else {
            return;
        };
        described.subtypes = subtypes;
        described.field_names = names;
        match self.kind {
            OrcKind::Char { length } | OrcKind::Varchar { length } => {
                described.maximum_length = Some(length);
            }
            OrcKind::Decimal { precision, scale } => {
                described.precision = Some(u32::from(precision));
                described.scale = Some(u32::from(scale));
            }
            _ => {}
        }
    }
}

fn pair((key, value): &(String, String)) -> StringPair {
    StringPair {
        key: Some(key.clone()),
        value: Some(value.clone()),
    }
}

/// The path of a child.
pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// A named child of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrcField {
    /// The name.
    pub name: String,
    /// The type.
    pub orc_type: OrcType,
}

impl OrcField {
    /// A field.
    pub fn new(name: impl Into<String>, orc_type: OrcType) -> Self {
        let name = name.into();
        Self { name, orc_type }
    }

    fn from_arrow(field: &Field, path: &str, depth: usize) -> Result<Self> {
        let kind = OrcKind::from_arrow(field.data_type(), path, depth)?;
        Ok(Self::new(field.name(), OrcType::new(kind)))
    }
}

/// What values a type has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrcKind {
    /// True or false.
    Boolean,
    /// 8 bits, signed.
    Byte,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// 64 bits, signed.
    Long,
    /// IEEE 754, 32 bits.
    Float,
    /// IEEE 754, 64 bits.
    Double,
    /// UTF-8 of any length.
    String,
    /// UTF-8 of this many characters, filled up with blanks.
    Char {
        /// Characters.
        length: u32,
    },
    /// UTF-8 of at most this many characters.
    Varchar {
        /// Characters.
        length: u32,
    },
    /// Bytes of any length.
    Binary,
    /// Days since 1970-01-01.
    Date,
    /// What a clock on the wall shows, to the nanosecond.
    Timestamp,
    /// A point in time, to the nanosecond.
    TimestampInstant,
    /// An exact number.
    Decimal {
        /// Digits in all, 1 to 38.
        precision: u8,
        /// Digits after the point, at most `precision`.
        scale: u8,
    },
    /// A list of values of one type.
    List(Box<OrcType>),
    /// Keys and their values.
    Map(Box<OrcType>, Box<OrcType>),
    /// Named values.
    Struct(Vec<OrcField>),
}

impl OrcKind {
    fn from_arrow(arrow: &DataType, path: &str, depth: usize) -> Result<Self> {
        if depth > MAX_DEPTH {
            let reason = format!("types nest deeper than {MAX_DEPTH}");
            return InvalidTypeSnafu {
                column: path,
                reason,
            }
            .fail();
        }
        let child = |field: &Field, name: &str| -> Result<Box<OrcType>> {
            let kind = Self::from_arrow(field.data_type(), &join(path, name), depth + 1)?;
            Ok(Box::new(OrcType::new(kind)))
        };
        Ok(match arrow {
            DataType::Boolean => Self::Boolean,
            DataType::Int8 => Self::Byte,
            DataType::Int16 | DataType::UInt8 => Self::Short,
            DataType::Int32 | DataType::UInt16 => Self::Int,
            DataType::Int64 | DataType::UInt32 => Self::Long,
            DataType::UInt64 => Self::Decimal {
                precision: 20,
                scale: 0,
            },
            DataType::Float16 | DataType::Float32 => Self::Float,
            DataType::Float64 => Self::Double,
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale)
                if *precision <= MAX_PRECISION && u8::try_from(*scale).is_ok() =>
            {
                Self::Decimal {
                    precision: *precision,
                    scale: scale.unsigned_abs(),
                }
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::String,
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Self::Binary,
            DataType::Date32 => Self::Date,
            DataType::Time32(TimeUnit::Second | TimeUnit::Millisecond) => Self::Int,
            DataType::Time64(TimeUnit::Microsecond | TimeUnit::Nanosecond) => Self::Long,
            DataType::Timestamp(_, None) => Self::Timestamp,
            DataType::Timestamp(_, Some(_)) => Self::TimestampInstant,
            DataType::List(element)
            | DataType::LargeList(element)
            | DataType::ListView(element)
            | DataType::LargeListView(element)
            | DataType::FixedSizeList(element, _) => Self::List(child(element, "element")?),
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(pair) if pair.len() == 2 => {
                    Self::Map(child(&pair[0], "key")?, child(&pair[1], "value")?)
                }
                _ => return unsupported(path, arrow),
            },
            DataType::Struct(children) => {
                let mut fields = Vec::with_capacity(children.len());
                for field in children {
                    let path = join(path, field.name());
                    fields.push(OrcField::from_arrow(field, &path, depth + 1)?);
                }
                Self::Struct(fields)
            }
            DataType::Dictionary(_, values) => Self::from_arrow(values, path, depth + 1)?,
            _ => return unsupported(path, arrow),
        })
    }

    fn code(&self) -> i32 {
        match self {
            Self::Boolean => type_kind::BOOLEAN,
            Self::Byte => type_kind::BYTE,
            Self::Short => type_kind::SHORT,
            Self::Int => type_kind::INT,
            Self::Long => type_kind::LONG,
            Self::Float => type_kind::FLOAT,
            Self::Double => type_kind::DOUBLE,
            Self::String => type_kind::STRING,
            Self::Char { .. } => type_kind::CHAR,
            Self::Varchar { .. } => type_kind::VARCHAR,
            Self::Binary => type_kind::BINARY,
            Self::Date => type_kind::DATE,
            Self::Timestamp => type_kind::TIMESTAMP,
            Self::TimestampInstant => type_kind::TIMESTAMP_INSTANT,
            Self::Decimal { .. } => type_kind::DECIMAL,
            Self::List(_) => type_kind::LIST,
            Self::Map(..) => type_kind::MAP,
            Self::Struct(_) => type_kind::STRUCT,
        }
    }
}

fn unsupported<T>(path: &str, arrow: &DataType) -> Result<T> {
    UnsupportedTypeSnafu {
        column: path,
        arrow: arrow.clone(),
    }
    .fail()
}

impl fmt::Display for OrcKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::Byte => f.write_str("BYTE"),
            Self::Short => f.write_str("SHORT"),
            Self::Int => f.write_str("INT"),
            Self::Long => f.write_str("LONG"),
            Self::Float => f.write_str("FLOAT"),
            Self::Double => f.write_str("DOUBLE"),
            Self::String => f.write_str("STRING"),
            Self::Char { length } => write!(f, "CHAR({length})"),
            Self::Varchar { length } => write!(f, "VARCHAR({length})"),
            Self::Binary => f.write_str("BINARY"),
            Self::Date => f.write_str("DATE"),
            Self::Timestamp => f.write_str("TIMESTAMP"),
            Self::TimestampInstant => f.write_str("TIMESTAMP_INSTANT"),
            Self::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            Self::List(_) => f.write_str("LIST"),
            Self::Map(..) => f.write_str("MAP"),
            Self::Struct(_) => f.write_str("STRUCT"),
        }
    }
}
