//! Constants in predicates, before they have a column's type.

use serde::{Deserialize, Serialize};

use crate::datum::{Datum, decimal};

/// A constant in a [`Predicate`](super::Predicate).
///
/// Serialized with 64-bit floats and 128-bit integers as text, so that every value survives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Literal {
    /// NULL.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer of up to 64 bits.
    Int(i64),
    /// An exact number of any size as decimal text: `1.50`, `9007199254740993`, `1e3`.
    BigNumber(String),
    /// A double.
    Double(#[serde(with = "as_text")] f64),
    /// Text; against a column of another type it is read as that type's literal.
    String(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// Days since 1970-01-01.
    Date(i32),
    /// Milliseconds of the day.
    Time(i32),
    /// A wall clock.
    Timestamp {
        /// Nanoseconds since 1970-01-01T00:00.
        #[serde(with = "as_text")]
        epoch_nanos: i128,
    },
    /// An instant.
    TimestampLtz {
        /// Nanoseconds since 1970-01-01T00:00Z.
        #[serde(with = "as_text")]
        epoch_nanos: i128,
    },
}

impl Literal {
    /// What kind of constant this is, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Boolean(_) => "BOOLEAN",
            Self::Int(_) | Self::BigNumber(_) | Self::Double(_) => "number",
            Self::String(_) => "text",
            Self::Binary(_) => "binary",
            Self::Date(_) => "DATE",
            Self::Time(_) => "TIME",
            Self::Timestamp { .. } => "TIMESTAMP",
            Self::TimestampLtz { .. } => "TIMESTAMP WITH LOCAL TIME ZONE",
        }
    }
}

/// Numbers that JSON does not carry exactly, as text.
mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

macro_rules! integers {
    ($($int:ty),*) => {$(
        impl From<$int> for Literal {
            fn from(value: $int) -> Self {
                Self::Int(value.into())
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32);

impl From<bool> for Literal {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<f32> for Literal {
    fn from(value: f32) -> Self {
        Self::Double(value.into())
    }
}

impl From<f64> for Literal {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl From<&str> for Literal {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for Literal {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<Vec<u8>> for Literal {
    fn from(value: Vec<u8>) -> Self {
        Self::Binary(value)
    }
}

impl From<&[u8]> for Literal {
    fn from(value: &[u8]) -> Self {
        Self::Binary(value.to_vec())
    }
}

impl<T: Into<Self>> From<Option<T>> for Literal {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The constant that equals exactly this value of a column of its type.
impl From<Datum> for Literal {
    fn from(value: Datum) -> Self {
        match value {
            Datum::Boolean(value) => Self::Boolean(value),
            Datum::TinyInt(value) => Self::Int(value.into()),
            Datum::SmallInt(value) => Self::Int(value.into()),
            Datum::Int(value) => Self::Int(value.into()),
            Datum::BigInt(value) => Self::Int(value),
            Datum::Float(value) => Self::Double(value.into()),
            Datum::Double(value) => Self::Double(value),
            Datum::Decimal {
                unscaled, scale, ..
            } => Self::BigNumber(decimal::plain_text(unscaled, scale)),
            Datum::String(value) => Self::String(value),
            Datum::Binary(value) => Self::Binary(value),
            Datum::Date(days) => Self::Date(days),
            Datum::Time(millis) => Self::Time(millis),
            Datum::Timestamp { epoch_nanos, .. } => Self::Timestamp { epoch_nanos },
            Datum::TimestampLtz { epoch_nanos, .. } => Self::TimestampLtz { epoch_nanos },
        }
    }
}
