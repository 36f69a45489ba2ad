//! SQL text of types.

use std::fmt::{self, Display, Formatter};

use super::lexer::is_plain_word;
use super::{DataField, DataType, MAX_LENGTH, TypeKind};

impl Display for DataType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)?;
        f.write_str(if self.is_nullable() { "" } else { " NOT NULL" })
    }
}

impl Display for TypeKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::TinyInt => f.write_str("TINYINT"),
            Self::SmallInt => f.write_str("SMALLINT"),
            Self::Int => f.write_str("INT"),
            Self::BigInt => f.write_str("BIGINT"),
            Self::Float => f.write_str("FLOAT"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            Self::Char { length } => write!(f, "CHAR({length})"),
            Self::VarChar { length: MAX_LENGTH } => f.write_str("STRING"),
            Self::VarChar { length } => write!(f, "VARCHAR({length})"),
            Self::Binary { length } => write!(f, "BINARY({length})"),
            Self::VarBinary { length: MAX_LENGTH } => f.write_str("BYTES"),
            Self::VarBinary { length } => write!(f, "VARBINARY({length})"),
            Self::Date => f.write_str("DATE"),
            Self::Time { precision } => write!(f, "TIME({precision})"),
            Self::Timestamp { precision } => write!(f, "TIMESTAMP({precision})"),
            Self::TimestampLtz { precision } => {
                write!(f, "TIMESTAMP({precision}) WITH LOCAL TIME ZONE")
            }
            Self::Array { element } => write!(f, "ARRAY<{element}>"),
            Self::Multiset { element } => write!(f, "MULTISET<{element}>"),
            Self::Map { key, value } => write!(f, "MAP<{key}, {value}>"),
            Self::Row { fields } => {
                f.write_str("ROW<")?;
                for (index, field) in fields.iter().enumerate() {
                    write!(f, "{}{field}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str(">")
            }
            Self::Vector { element, length } => write!(f, "VECTOR<{element}, {length}>"),
            Self::Variant => f.write_str("VARIANT"),
            Self::Blob => f.write_str("BLOB"),
            Self::Geometry { crs } => write!(f, "GEOMETRY({})", Parameter(crs)),
            Self::Geography { crs, algorithm } => {
                write!(f, "GEOGRAPHY({}, {})", Parameter(crs), Parameter(algorithm))
            }
        }
    }
}

impl Display for DataField {
    /// As a column of a DDL list: `name TYPE [DEFAULT 'text'] [COMMENT 'text']`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plain = !self.name.starts_with(|c: char| c.is_ascii_digit())
            && !self.name.is_empty()
            && self
                .name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain {
            f.write_str(&self.name)?;
        } else {
            write!(f, "`{}`", self.name.replace('`', "``"))?;
        }
        write!(f, " {}", self.data_type)?;
        if let Some(text) = &self.default_value {
            write!(f, " DEFAULT {}", Literal(text))?;
        }
        if let Some(text) = &self.description {
            write!(f, " COMMENT {}", Literal(text))?;
        }
        Ok(())
    }
}

/// A text in single quotes.
struct Literal<'a>(&'a str);

impl Display for Literal<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

/// A parameter of a geospatial type, bare where it can be read back so.
struct Parameter<'a>(&'a str);

impl Display for Parameter<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let bare = self.0.split(':').any(|part| !part.is_empty())
            && self
                .0
                .split(':')
                .all(|part| part.is_empty() || is_plain_word(part));
        if bare {
            f.write_str(self.0)
        } else {
            Literal(self.0).fmt(f)
        }
    }
}
