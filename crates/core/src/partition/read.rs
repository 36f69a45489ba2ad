//! Text of a directory name, unescaped, as a value. NULL is not decided here.

use std::str::FromStr;

use super::write::longer_than;
use crate::datum::decimal::ExactDecimal;
use crate::datum::{Datum, parse};
use crate::types::TypeKind;

/// The value a text names in a column of a type; `None` if it names none.
pub(super) fn read(text: &str, kind: &TypeKind) -> Option<Datum> {
    match kind {
        TypeKind::Boolean => boolean(text).map(Datum::Boolean),
        TypeKind::TinyInt => integer(text).map(Datum::TinyInt),
        TypeKind::SmallInt => integer(text).map(Datum::SmallInt),
        TypeKind::Int => integer(text).map(Datum::Int),
        TypeKind::BigInt => integer(text).map(Datum::BigInt),
        TypeKind::Decimal { precision, scale } => {
            parse::decimal(text, *precision, *scale).map(|unscaled| Datum::Decimal {
                unscaled,
                precision: *precision,
                scale: *scale,
            })
        }
        TypeKind::Float => float(text).map(Datum::Float),
        TypeKind::Double => double(text).map(Datum::Double),
        TypeKind::Char { length } | TypeKind::VarChar { length } => {
            (!longer_than(text, *length)).then(|| Datum::String(text.to_owned()))
        }
        TypeKind::Date => parse::date(text).map(Datum::Date),
        TypeKind::Time { .. } => parse::time(text).map(Datum::Time),
        TypeKind::Timestamp { precision } => {
            parse::timestamp(text, *precision).map(|epoch_nanos| Datum::Timestamp {
                epoch_nanos,
                precision: *precision,
            })
        }
        TypeKind::TimestampLtz { precision } => {
            parse::instant(text, *precision).map(|epoch_nanos| Datum::TimestampLtz {
                epoch_nanos,
                precision: *precision,
            })
        }
        _ => None,
    }
}

/// What a text of the type looks like, for messages.
pub(super) fn expected(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Boolean => "true, t, yes, y, 1, false, f, no, n or 0",
        TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt => {
            "an integer in its range"
        }
        TypeKind::Decimal { .. } => "a decimal number in its range",
        TypeKind::Float => "a decimal number with no more digits than a float has, NaN or Infinity",
        TypeKind::Double => "a decimal number, NaN or Infinity",
        TypeKind::Char { .. } | TypeKind::VarChar { .. } => "a text of at most its length",
        TypeKind::Date => "yyyy-MM-dd or a number of days since 1970-01-01",
        TypeKind::Time { .. } => "HH:mm:ss.fff or a number of milliseconds, within a day",
        TypeKind::Timestamp { .. } => "yyyy-MM-dd HH:mm:ss.f or yyyy-MM-ddTHH:mm:ss.f",
        TypeKind::TimestampLtz { .. } => "yyyy-MM-dd HH:mm:ss.f or yyyy-MM-ddTHH:mm:ss.f, in UTC",
        _ => "nothing",
    }
}

fn boolean(text: &str) -> Option<bool> {
    let any = |words: [&str; 5]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if any(["t", "true", "y", "yes", "1"]) {
        Some(true)
    } else if any(["f", "false", "n", "no", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// An optional sign and digits, in range; exactly what `FromStr` of the integers takes.
fn integer<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn double(text: &str) -> Option<f64> {
    let named = matches!(text, "NaN" | "Infinity" | "+Infinity" | "-Infinity");
    (named || ExactDecimal::parse(text).is_some()).then(|| text.parse().ok())?
}

/// A float, if the text says no other number: rounded to as many digits as the text has, the float must show the same
/// ones. That admits the longer texts of older JDKs (`3.29999995E10`), and where a float lies in the middle of two texts
/// both of them, as writers differ in which they choose (487677.625 as `487677.62` or `487677.63`).
fn float(text: &str) -> Option<f32> {
    let wide = double(text)?;
    // Not by way of the double, which would round twice.
    let narrow: f32 = text.parse().ok()?;
    if !wide.is_finite() {
        return Some(narrow);
    }
    let fraction_digits = format!("{wide:e}")
        .bytes()
        .take_while(|byte| *byte != b'e')
        .filter(u8::is_ascii_digit)
        .count()
        .saturating_sub(1);
    let is_shown = |shown: &str| shown.parse() == Ok(wide);
    let shows = is_shown(&format!("{narrow:.fraction_digits$e}"))
        // Below a power of two the shortest text need not be the nearest of its length.
        || is_shown(&format!("{narrow:e}"))
        || is_half_way(narrow, wide, fraction_digits);
    shows.then_some(narrow)
}

/// Whether a float lies exactly in the middle of two texts with so many digits, of which one is the text.
fn is_half_way(narrow: f32, wide: f64, fraction_digits: usize) -> bool {
    // A float has at most 112 digits.
    let exact = format!("{:.112e}", narrow.abs());
    let Some((mantissa, exponent)) = exact.split_once('e') else {
        return false;
    };
    let digits = mantissa.replace('.', "");
    let Some(kept) = digits.trim_end_matches('0').strip_suffix('5') else {
        return false;
    };
    let (Ok(lower), Ok(exponent)) = (kept.parse::<u128>(), exponent.parse::<i32>()) else {
        return false;
    };
    let scale =
        exponent.saturating_sub_unsigned(u32::try_from(fraction_digits).unwrap_or(u32::MAX));
    kept.len() == fraction_digits + 1
        && [lower, lower.saturating_add(1)]
            .iter()
            .any(|number| format!("{number}e{scale}").parse() == Ok(wide.abs()))
}
