//! One typed value.

pub mod calendar;
pub(crate) mod decimal;
pub mod parse;
pub mod text;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde_json::Value;

use calendar::CivilDate;

/// A value that is not NULL, of one of the types a column other than a nested one can have.
///
/// NULL is the `None` of an `Option<Datum>`.
///
/// Equality and hash are structural, so that a datum can be a key: NaN equals NaN, `-0.0` differs
/// from `0.0`, and `1.5` differs from `1.50`. [`Datum::compare`] is the order of SQL.
#[derive(Debug, Clone)]
pub enum Datum {
    /// `BOOLEAN`.
    Boolean(bool),
    /// `TINYINT`.
    TinyInt(i8),
    /// `SMALLINT`.
    SmallInt(i16),
    /// `INT`.
    Int(i32),
    /// `BIGINT`.
    BigInt(i64),
    /// `FLOAT`.
    Float(f32),
    /// `DOUBLE`.
    Double(f64),
    /// `DECIMAL(precision, scale)`: `unscaled * 10^-scale`.
    Decimal {
        /// The digits as an integer.
        unscaled: i128,
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// `CHAR`, `VARCHAR` and `STRING`.
    String(String),
    /// `BINARY`, `VARBINARY` and `BYTES`.
    Binary(Vec<u8>),
    /// `DATE`: days since 1970-01-01.
    Date(i32),
    /// `TIME`: milliseconds of the day.
    Time(i32),
    /// `TIMESTAMP(precision)`: a wall clock.
    Timestamp {
        /// Nanoseconds since 1970-01-01T00:00 of the same clock. May lie outside what an Arrow
        /// array of the type's unit can hold.
        epoch_nanos: i128,
        /// Digits after the second that the type has, 0..=9.
        precision: u8,
    },
    /// `TIMESTAMP(precision) WITH LOCAL TIME ZONE`: an instant.
    TimestampLtz {
        /// Nanoseconds since 1970-01-01T00:00Z. May lie outside what an Arrow array of the type's
        /// unit can hold.
        epoch_nanos: i128,
        /// Digits after the second that the type has, 0..=9.
        precision: u8,
    },
}

impl Datum {
    /// The order SQL gives two values of one type; `None` for values of different types.
    ///
    /// NaN equals NaN and is greater than every other float, as in Java and Spark; `-0.0` equals
    /// `0.0`. Decimals and timestamps compare by value, whatever their scale and precision. Strings
    /// compare by code point, binaries by byte.
    ///
    /// ```
    /// # use ftable_core::Datum;
    /// # use std::cmp::Ordering;
    /// assert_eq!(Datum::Int(1).compare(&Datum::Int(2)), Some(Ordering::Less));
    /// assert_eq!(Datum::Double(f64::NAN).compare(&Datum::Double(f64::INFINITY)), Some(Ordering::Greater));
    /// assert_eq!(Datum::Int(1).compare(&Datum::BigInt(1)), None);
    /// ```
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::TinyInt(a), Self::TinyInt(b)) => a.cmp(b),
            (Self::SmallInt(a), Self::SmallInt(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::BigInt(a), Self::BigInt(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => compare_floats(f64::from(*a), f64::from(*b)),
            (Self::Double(a), Self::Double(b)) => compare_floats(*a, *b),
            (
                Self::Decimal {
                    unscaled: a,
                    scale: a_scale,
                    ..
                },
                Self::Decimal {
                    unscaled: b,
                    scale: b_scale,
                    ..
                },
            ) => decimal::compare((*a, *a_scale), (*b, *b_scale)),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Binary(a), Self::Binary(b)) => a.cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            (Self::Timestamp { epoch_nanos: a, .. }, Self::Timestamp { epoch_nanos: b, .. }) => {
                a.cmp(b)
            }
            (
                Self::TimestampLtz { epoch_nanos: a, .. },
                Self::TimestampLtz { epoch_nanos: b, .. },
            ) => a.cmp(b),
            _ => return None,
        })
    }

    /// The value as JSON rows spell it.
    ///
    /// Integers and finite floats are numbers, a FLOAT with the digits that read back as it; NaN
    /// and infinities are the strings `NaN`, `Infinity`, `-Infinity`; binaries are base64;
    /// everything else is the string that [`Display`](fmt::Display) gives.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Boolean(value) => Value::from(*value),
            Self::TinyInt(value) => Value::from(*value),
            Self::SmallInt(value) => Value::from(*value),
            Self::Int(value) => Value::from(*value),
            Self::BigInt(value) => Value::from(*value),
            Self::Float(value) => finite_json(shortest_double(*value)),
            Self::Double(value) => finite_json(*value),
            other => Value::from(other.to_string()),
        }
    }

    /// The name of the type, without its parameters.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "BOOLEAN",
            Self::TinyInt(_) => "TINYINT",
            Self::SmallInt(_) => "SMALLINT",
            Self::Int(_) => "INT",
            Self::BigInt(_) => "BIGINT",
            Self::Float(_) => "FLOAT",
            Self::Double(_) => "DOUBLE",
            Self::Decimal { .. } => "DECIMAL",
            Self::String(_) => "STRING",
            Self::Binary(_) => "BYTES",
            Self::Date(_) => "DATE",
            Self::Time(_) => "TIME",
            Self::Timestamp { .. } => "TIMESTAMP",
            Self::TimestampLtz { .. } => "TIMESTAMP WITH LOCAL TIME ZONE",
        }
    }
}

/// Total order with NaN last and both zeros equal.
pub(crate) fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The double with the fewest digits that still reads back as this float.
fn shortest_double(value: f32) -> f64 {
    let short: f64 = value
        .to_string()
        .parse()
        .unwrap_or_else(|_| f64::from(value));
    if short as f32 == value {
        short
    } else {
        f64::from(value)
    }
}

fn finite_json(value: f64) -> Value {
    if value.is_finite() {
        Value::from(value)
    } else {
        Value::from(text::java_float(value))
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => {
                float_key(f64::from(*a)) == float_key(f64::from(*b))
            }
            (Self::Double(a), Self::Double(b)) => float_key(*a) == float_key(*b),
            (
                Self::Decimal {
                    precision, scale, ..
                },
                Self::Decimal {
                    precision: other_precision,
                    scale: other_scale,
                    ..
                },
            ) if (precision, scale) != (other_precision, other_scale) => false,
            (
                Self::Timestamp { precision, .. },
                Self::Timestamp {
                    precision: other_precision,
                    ..
                },
            )
            | (
                Self::TimestampLtz { precision, .. },
                Self::TimestampLtz {
                    precision: other_precision,
                    ..
                },
            ) if precision != other_precision => false,
            _ => self.compare(other) == Some(Ordering::Equal),
        }
    }
}

impl Eq for Datum {}

impl Hash for Datum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Boolean(value) => value.hash(state),
            Self::TinyInt(value) => value.hash(state),
            Self::SmallInt(value) => value.hash(state),
            Self::Int(value) | Self::Date(value) | Self::Time(value) => value.hash(state),
            Self::BigInt(value) => value.hash(state),
            Self::Float(value) => float_key(f64::from(*value)).hash(state),
            Self::Double(value) => float_key(*value).hash(state),
            Self::Decimal {
                unscaled,
                precision,
                scale,
            } => {
                (unscaled, precision, scale).hash(state);
            }
            Self::String(value) => value.hash(state),
            Self::Binary(value) => value.hash(state),
            Self::Timestamp {
                epoch_nanos,
                precision,
            }
            | Self::TimestampLtz {
                epoch_nanos,
                precision,
            } => (epoch_nanos, precision).hash(state),
        }
    }
}

/// Bits of a float, the same for every NaN.
fn float_key(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        value.to_bits()
    }
}

/// The value for people and for JSON: ISO dates and times, decimals with all fraction digits,
/// floats as Java writes them, binaries as base64.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(f, "{value}"),
            Self::TinyInt(value) => write!(f, "{value}"),
            Self::SmallInt(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::BigInt(value) => write!(f, "{value}"),
            Self::Float(value) => f.write_str(&text::java_float(*value)),
            Self::Double(value) => f.write_str(&text::java_float(*value)),
            Self::Decimal {
                unscaled, scale, ..
            } => f.write_str(&decimal::plain_text(*unscaled, *scale)),
            Self::String(value) => f.write_str(value),
            Self::Binary(value) => f.write_str(&text::base64(value)),
            Self::Date(days) => write!(f, "{}", CivilDate::from_days(i64::from(*days))),
            Self::Time(millis) => f.write_str(&text::iso_time(*millis)),
            Self::Timestamp {
                epoch_nanos,
                precision,
            } => f.write_str(&text::iso_timestamp(*epoch_nanos, *precision)),
            Self::TimestampLtz {
                epoch_nanos,
                precision,
            } => {
                write!(f, "{}Z", text::iso_timestamp(*epoch_nanos, *precision))
            }
        }
    }
}

#[cfg(test)]
mod tests;
