//! Constants in filters.

use ftable_core::predicate::Literal;
use sqlparser::ast::{DataType, ExactNumberInfo, Expr, TimezoneInfo, UnaryOperator, Value};

use super::refusal;
use crate::scalar;

/// Nanoseconds of a millisecond.
const NANOS_PER_MILLI: i64 = 1_000_000;

/// The constant that an expression is.
pub(super) fn read(expression: Expr) -> Result<Literal, String> {
    match expression {
        Expr::Nested(inner) => read(*inner),
        Expr::Value(value) => constant(value.value),
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => negative(*expr),
        Expr::UnaryOp {
            op: UnaryOperator::Plus,
            expr,
        } => match read(*expr)? {
            number @ (Literal::Int(_) | Literal::BigNumber(_)) => Ok(number),
            other => Err(format!("+{other} is no number")),
        },
        Expr::TypedString(typed) => match typed.value.value {
            Value::SingleQuotedString(text) => typed_text(&typed.data_type, &text),
            other => Err(format!(
                "{} wants a text in quotes, not {other}",
                typed.data_type
            )),
        },
        Expr::Identifier(name) => Err(format!(
            "a literal is wanted where column {name} stands; put a text into single quotes"
        )),
        other => Err(refusal(&other)),
    }
}

fn constant(value: Value) -> Result<Literal, String> {
    match value {
        Value::Number(text, _) => Ok(number(text)),
        Value::SingleQuotedString(text) => Ok(Literal::String(text)),
        Value::Boolean(value) => Ok(Literal::Boolean(value)),
        Value::Null => Ok(Literal::Null),
        Value::HexStringLiteral(digits) => match bytes(&digits) {
            Some(bytes) => Ok(Literal::Binary(bytes)),
            None => Err(format!(
                "X'{digits}' wants an even number of hexadecimal digits"
            )),
        },
        other => Err(format!(
            "the literal {other} is not supported; put a text into single quotes"
        )),
    }
}

/// Exact: an integer of 64 bits where it fits, else the digits as they are.
fn number(text: String) -> Literal {
    match text.parse::<i64>() {
        Ok(value) => Literal::Int(value),
        Err(_) => Literal::BigNumber(text),
    }
}

/// The opposite of a number. Its sign is part of the digits, so that the least integer fits too.
fn negative(expression: Expr) -> Result<Literal, String> {
    let inner = match expression {
        Expr::Nested(inner) => return negative(*inner),
        Expr::Value(value) => value.value,
        other => return Err(format!("-{other} is no number")),
    };
    match inner {
        Value::Number(text, _) => Ok(number(format!("-{text}"))),
        other => Err(format!("-{other} is no number")),
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|value| u8::try_from(value).ok())
    };
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    pairs.collect()
}

fn typed_text(data_type: &DataType, text: &str) -> Result<Literal, String> {
    match data_type {
        DataType::Date => {
            let days = scalar::date(text).and_then(|days| i32::try_from(days).ok());
            days.map(Literal::Date)
                .ok_or_else(|| format!("DATE '{text}' is no date; write it as yyyy-MM-dd"))
        }
        DataType::Time(None, TimezoneInfo::None) => match scalar::clock(text) {
            Some(nanos) if nanos % NANOS_PER_MILLI == 0 => {
                // In range: a day has 86,400,000 milliseconds.
                Ok(Literal::Time(
                    i32::try_from(nanos / NANOS_PER_MILLI).unwrap_or_default(),
                ))
            }
            Some(_) => Err(format!(
                "TIME '{text}' is finer than milliseconds, which is what TIME holds"
            )),
            None => Err(format!(
                "TIME '{text}' is no time; write it as HH:mm:ss.fff"
            )),
        },
        DataType::Timestamp(None, TimezoneInfo::None) => {
            let clock =
                scalar::timestamp(text).map(|epoch_nanos| Literal::Timestamp { epoch_nanos });
            let instant =
                || scalar::instant(text).map(|epoch_nanos| Literal::TimestampLtz { epoch_nanos });
            clock.or_else(instant).ok_or_else(|| {
                format!(
                    "TIMESTAMP '{text}' is no timestamp; write it as yyyy-MM-dd HH:mm:ss.f, with Z or an offset for an instant"
                )
            })
        }
        // Floats that have no digits.
        DataType::Double(ExactNumberInfo::None) => match scalar::float::<f64>(text) {
            Some(value) => Ok(Literal::Double(value)),
            None => Err(format!("DOUBLE '{text}' is no number")),
        },
        other => Err(format!(
            "a literal of type {other} is not supported; use DATE, TIME, TIMESTAMP, a number or a text"
        )),
    }
}
