//! Literals as values of a column's type, exactly.

use super::Literal;
use super::iso;
use crate::datum::Datum;
use crate::datum::calendar::{MILLIS_PER_DAY, NANOS_PER_DAY, NANOS_PER_MILLI};
use crate::datum::decimal::ExactDecimal;
use crate::error::{Error, Result};
use crate::types::{DataField, TypeKind};

/// Which tests besides `IS NULL` a type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Support {
    /// All of them.
    Order,
    /// `=`, `<>` and `IN`.
    Equality,
    /// None.
    Nothing,
}

/// A literal's place among the values of a type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Typed {
    /// It is this value.
    Exact(Datum),
    /// It lies strictly between these neighbours; a missing one means it lies beyond all values.
    Between {
        /// The greatest value below it.
        low: Option<Datum>,
        /// The smallest value above it.
        high: Option<Datum>,
    },
    /// It is a text that is no number, and the column holds numbers: it equals none of them and has no order.
    NoNumber,
}

pub(super) fn support(kind: &TypeKind) -> Support {
    match kind {
        TypeKind::Boolean
        | TypeKind::TinyInt
        | TypeKind::SmallInt
        | TypeKind::Int
        | TypeKind::BigInt
        | TypeKind::Float
        | TypeKind::Double
        | TypeKind::Decimal { .. }
        | TypeKind::Char { .. }
        | TypeKind::VarChar { .. }
        | TypeKind::Date
        | TypeKind::Time { .. }
        | TypeKind::Timestamp { .. }
        | TypeKind::TimestampLtz { .. } => Support::Order,
        TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => Support::Equality,
        _ => Support::Nothing,
    }
}

/// The place of a literal among the values of a column's type; `None` for NULL.
pub(super) fn typed(literal: &Literal, field: &DataField) -> Result<Option<Typed>> {
    if *literal == Literal::Null {
        return Ok(None);
    }
    match place(literal, field.data_type.kind()) {
        Some(place) => Ok(Some(place)),
        None if matches!(literal, Literal::String(_)) && is_number(field.data_type.kind()) => {
            Ok(Some(Typed::NoNumber))
        }
        None => Err(incomparable(literal, field)),
    }
}

pub(super) fn incomparable(literal: &Literal, field: &DataField) -> Error {
    Error::InvalidPredicate {
        column: field.name.clone(),
        message: format!(
            "{} literal {literal} cannot be compared with type {}{}",
            literal.kind_name(),
            field.data_type,
            hint(literal, field.data_type.kind())
        ),
    }
}

fn is_number(kind: &TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::TinyInt
            | TypeKind::SmallInt
            | TypeKind::Int
            | TypeKind::BigInt
            | TypeKind::Float
            | TypeKind::Double
            | TypeKind::Decimal { .. }
    )
}

fn hint(literal: &Literal, kind: &TypeKind) -> &'static str {
    match (kind, literal) {
        (TypeKind::Char { .. } | TypeKind::VarChar { .. }, _) => "; write it in quotes",
        (TypeKind::Date, Literal::String(_)) => "; write it as yyyy-MM-dd",
        (TypeKind::Time { .. }, Literal::String(_)) => "; write it as HH:mm:ss.fff",
        (TypeKind::Timestamp { .. }, Literal::String(_)) => {
            "; write it as yyyy-MM-dd HH:mm:ss.f without a zone"
        }
        (TypeKind::TimestampLtz { .. }, Literal::String(_)) => {
            "; write it as yyyy-MM-dd HH:mm:ss.f, with Z or an offset where it is not UTC"
        }
        _ => "",
    }
}

fn place(literal: &Literal, kind: &TypeKind) -> Option<Typed> {
    match kind {
        TypeKind::Boolean => boolean(literal),
        TypeKind::TinyInt => integer(
            literal,
            |v| Datum::TinyInt(v as i8),
            i8::MIN.into(),
            i8::MAX.into(),
        ),
        TypeKind::SmallInt => integer(
            literal,
            |v| Datum::SmallInt(v as i16),
            i16::MIN.into(),
            i16::MAX.into(),
        ),
        TypeKind::Int => integer(
            literal,
            |v| Datum::Int(v as i32),
            i32::MIN.into(),
            i32::MAX.into(),
        ),
        TypeKind::BigInt => integer(
            literal,
            |v| Datum::BigInt(v as i64),
            i64::MIN.into(),
            i64::MAX.into(),
        ),
        TypeKind::Decimal { precision, scale } => decimal(literal, *precision, *scale),
        TypeKind::Float => float(literal),
        TypeKind::Double => double(literal),
        TypeKind::Char { .. } | TypeKind::VarChar { .. } => match literal {
            Literal::String(text) => Some(Typed::Exact(Datum::String(text.clone()))),
            _ => None,
        },
        TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => match literal {
            Literal::Binary(bytes) => Some(Typed::Exact(Datum::Binary(bytes.clone()))),
            _ => None,
        },
        TypeKind::Date => date(literal),
        TypeKind::Time { .. } => time(literal),
        TypeKind::Timestamp { precision } => {
            let precision = *precision;
            let make = |epoch_nanos| Datum::Timestamp {
                epoch_nanos,
                precision,
            };
            Some(on_clock(wall_clock(literal)?, precision, make))
        }
        TypeKind::TimestampLtz { precision } => {
            let precision = *precision;
            let make = |epoch_nanos| Datum::TimestampLtz {
                epoch_nanos,
                precision,
            };
            Some(on_clock(instant(literal)?, precision, make))
        }
        _ => None,
    }
}

fn boolean(literal: &Literal) -> Option<Typed> {
    let value = match literal {
        Literal::Boolean(value) => *value,
        Literal::String(text) if text.eq_ignore_ascii_case("true") => true,
        Literal::String(text) if text.eq_ignore_ascii_case("false") => false,
        _ => return None,
    };
    Some(Typed::Exact(Datum::Boolean(value)))
}

/// A number, not yet of any type.
enum Number {
    Integer(i128),
    Decimal(ExactDecimal),
    NegativeInfinity,
    /// Infinity and NaN, which is greater still: both are above every integer and decimal.
    Above,
}

impl Number {
    /// Reads a literal; `double` says what a finite double stands for.
    fn of(literal: &Literal, double: fn(f64) -> Option<ExactDecimal>) -> Option<Self> {
        Some(match literal {
            Literal::Int(value) => Self::Integer(i128::from(*value)),
            Literal::BigNumber(text) | Literal::String(text) => {
                Self::Decimal(ExactDecimal::parse(text)?)
            }
            Literal::Double(value) if value.is_finite() => Self::Decimal(double(*value)?),
            Literal::Double(f64::NEG_INFINITY) => Self::NegativeInfinity,
            Literal::Double(_) => Self::Above,
            _ => return None,
        })
    }

    /// The place on the grid of `10^-scale` from `min` to `max` units.
    fn on_grid(&self, scale: u8, min: i128, max: i128, make: impl Fn(i128) -> Datum) -> Typed {
        match self {
            Self::Integer(value) => {
                let unit = 10_i128.pow(u32::from(scale.min(38)));
                grid(value.saturating_mul(unit), false, min, max, make)
            }
            Self::Decimal(value) => {
                let scaled = value.scaled(scale);
                grid(scaled.floor(), scaled.inexact, min, max, make)
            }
            Self::NegativeInfinity => Typed::Between {
                low: None,
                high: Some(make(min)),
            },
            Self::Above => Typed::Between {
                low: Some(make(max)),
                high: None,
            },
        }
    }
}

/// The place of a number between whole units, given its floor and whether it has a remainder.
fn grid(floor: i128, inexact: bool, min: i128, max: i128, make: impl Fn(i128) -> Datum) -> Typed {
    if floor < min {
        Typed::Between {
            low: None,
            high: Some(make(min)),
        }
    } else if floor > max || (floor == max && inexact) {
        Typed::Between {
            low: Some(make(max)),
            high: None,
        }
    } else if inexact {
        Typed::Between {
            low: Some(make(floor)),
            high: Some(make(floor + 1)),
        }
    } else {
        Typed::Exact(make(floor))
    }
}

fn integer(literal: &Literal, make: fn(i128) -> Datum, min: i128, max: i128) -> Option<Typed> {
    Some(Number::of(literal, ExactDecimal::from_f64)?.on_grid(0, min, max, make))
}

fn decimal(literal: &Literal, precision: u8, scale: u8) -> Option<Typed> {
    let max = 10_i128.pow(u32::from(precision.min(38))) - 1;
    let make = |unscaled| Datum::Decimal {
        unscaled,
        precision,
        scale,
    };
    let number = Number::of(literal, |value| ExactDecimal::parse(&value.to_string()))?;
    Some(number.on_grid(scale, -max, max, make))
}

/// Reads decimal text, or one of Java's names of what is not finite.
fn float_text<T: std::str::FromStr>(text: &str) -> Option<T> {
    let named = matches!(text, "NaN" | "Infinity" | "+Infinity" | "-Infinity");
    (named || ExactDecimal::parse(text).is_some()).then(|| text.parse().ok())?
}

/// A numeric literal as a whole number, if it is one of up to 128 bits.
fn whole(literal: &Literal) -> Option<i128> {
    match literal {
        Literal::Int(value) => Some(i128::from(*value)),
        Literal::BigNumber(text) => {
            let scaled = ExactDecimal::parse(text)?.scaled(0);
            let fits = scaled.truncated.unsigned_abs() < 10_u128.pow(38);
            (fits && !scaled.inexact).then_some(scaled.truncated)
        }
        _ => None,
    }
}

fn double(literal: &Literal) -> Option<Typed> {
    if let Some(value) = whole(literal) {
        let nearest = value as f64;
        return Some(double_neighbours(nearest, (nearest as i128).cmp(&value)));
    }
    let value = match literal {
        Literal::Double(value) => *value,
        Literal::BigNumber(text) => {
            let value: f64 = float_text(text)?;
            if value.is_infinite() {
                // Beyond every finite double, but not infinite.
                let side = if value > 0.0 {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Less
                };
                return Some(double_neighbours(value, side));
            }
            value
        }
        Literal::String(text) => float_text(text)?,
        _ => return None,
    };
    Some(Typed::Exact(Datum::Double(value)))
}

/// The place of a number, given the nearest double and how that compares with the number.
fn double_neighbours(nearest: f64, side: std::cmp::Ordering) -> Typed {
    between(
        nearest,
        side,
        (nearest.next_down(), nearest.next_up()),
        Datum::Double,
    )
}

fn between<T: Copy>(
    nearest: T,
    side: std::cmp::Ordering,
    (down, up): (T, T),
    make: fn(T) -> Datum,
) -> Typed {
    let (low, high) = match side {
        std::cmp::Ordering::Equal => return Typed::Exact(make(nearest)),
        std::cmp::Ordering::Greater => (down, nearest),
        std::cmp::Ordering::Less => (nearest, up),
    };
    Typed::Between {
        low: Some(make(low)),
        high: Some(make(high)),
    }
}

fn float(literal: &Literal) -> Option<Typed> {
    let neighbours = |nearest: f32, side| {
        between(
            nearest,
            side,
            (nearest.next_down(), nearest.next_up()),
            Datum::Float,
        )
    };
    if let Literal::String(text) = literal {
        return Some(Typed::Exact(Datum::Float(float_text(text)?)));
    }
    if let Some(value) = whole(literal) {
        let nearest = value as f32;
        return Some(neighbours(nearest, (nearest as i128).cmp(&value)));
    }
    match double(literal)? {
        Typed::Exact(Datum::Double(value)) => {
            let nearest = value as f32;
            // NaN has no order, and is a float as it is.
            let side = f64::from(nearest)
                .partial_cmp(&value)
                .unwrap_or(std::cmp::Ordering::Equal);
            Some(neighbours(nearest, side))
        }
        // Beyond the doubles is beyond the floats.
        Typed::Between {
            low: Some(Datum::Double(low)),
            ..
        } if low > 0.0 => Some(neighbours(f32::INFINITY, std::cmp::Ordering::Greater)),
        _ => Some(neighbours(f32::NEG_INFINITY, std::cmp::Ordering::Less)),
    }
}

/// A literal as nanoseconds on a clock without zone; a date is its midnight.
fn wall_clock(literal: &Literal) -> Option<i128> {
    match literal {
        Literal::Timestamp { epoch_nanos } => Some(*epoch_nanos),
        Literal::Date(days) => Some(i128::from(*days) * NANOS_PER_DAY),
        Literal::String(text) => iso::timestamp(text),
        _ => None,
    }
}

/// A literal as an instant; what has no zone is UTC.
fn instant(literal: &Literal) -> Option<i128> {
    match literal {
        Literal::TimestampLtz { epoch_nanos } => Some(*epoch_nanos),
        Literal::String(text) => iso::instant(text),
        other => wall_clock(other),
    }
}

fn date(literal: &Literal) -> Option<Typed> {
    let nanos = match literal {
        Literal::Date(_) | Literal::Timestamp { .. } => wall_clock(literal)?,
        Literal::String(text) => i128::from(iso::date(text)?) * NANOS_PER_DAY,
        _ => return None,
    };
    let inexact = nanos.rem_euclid(NANOS_PER_DAY) != 0;
    let make = |days: i128| Datum::Date(days as i32);
    Some(grid(
        nanos.div_euclid(NANOS_PER_DAY),
        inexact,
        i32::MIN.into(),
        i32::MAX.into(),
        make,
    ))
}

fn time(literal: &Literal) -> Option<Typed> {
    let nanos = match literal {
        Literal::Time(millis) => i128::from(*millis) * NANOS_PER_MILLI,
        Literal::String(text) => i128::from(iso::clock(text)?),
        _ => return None,
    };
    let inexact = nanos.rem_euclid(NANOS_PER_MILLI) != 0;
    let make = |millis: i128| Datum::Time(millis as i32);
    Some(grid(
        nanos.div_euclid(NANOS_PER_MILLI),
        inexact,
        0,
        i128::from(MILLIS_PER_DAY) - 1,
        make,
    ))
}

/// The place among timestamps counted in the unit that carries the precision in Arrow:
/// milliseconds up to 3, microseconds up to 6, nanoseconds above. The unit and not the precision
/// decides, because a file may hold finer values than the column declares.
fn on_clock(nanos: i128, precision: u8, make: impl Fn(i128) -> Datum) -> Typed {
    let unit = match precision {
        0..=3 => 1_000_000,
        4..=6 => 1000,
        _ => 1,
    };
    let inexact = nanos.rem_euclid(unit) != 0;
    let (min, max) = (i128::MIN / unit, i128::MAX / unit);
    grid(nanos.div_euclid(unit), inexact, min, max, |units| {
        make(units * unit)
    })
}
