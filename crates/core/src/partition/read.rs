//! Text of a directory name, unescaped, as a value. NULL is not decided here.

use std::str::FromStr;

use super::write::longer_than;
use crate::datum::Datum;
use crate::datum::calendar::{
    CivilDate, MILLIS_PER_DAY, NANOS_PER_SECOND, digits, join_timestamp, parse_civil_date,
    parse_clock,
};
use crate::datum::decimal::ExactDecimal;
use crate::types::TypeKind;

/// The value a text names in a column of a type; `None` if it names none.
pub(super) fn read(text: &str, kind: &TypeKind) -> Option<Datum> {
    match kind {
        TypeKind::Boolean => boolean(text).map(Datum::Boolean),
        TypeKind::TinyInt => integer(text).map(Datum::TinyInt),
        TypeKind::SmallInt => integer(text).map(Datum::SmallInt),
        TypeKind::Int => integer(text).map(Datum::Int),
        TypeKind::BigInt => integer(text).map(Datum::BigInt),
        TypeKind::Decimal { precision, scale } => decimal(text, *precision, *scale),
        TypeKind::Float => float(text).map(Datum::Float),
        TypeKind::Double => double(text).map(Datum::Double),
        TypeKind::Char { length } | TypeKind::VarChar { length } => {
            (!longer_than(text, *length)).then(|| Datum::String(text.to_owned()))
        }
        TypeKind::Date => date(text).map(Datum::Date),
        TypeKind::Time { .. } => time(text).map(Datum::Time),
        TypeKind::Timestamp { precision } => {
            let epoch_nanos =
                epoch_count(text, *precision).unwrap_or_else(|| timestamp(text, *precision))?;
            Some(Datum::Timestamp {
                epoch_nanos,
                precision: *precision,
            })
        }
        TypeKind::TimestampLtz { precision } => {
            let epoch_nanos = timestamp(text, *precision)?;
            Some(Datum::TimestampLtz {
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

fn decimal(text: &str, precision: u8, scale: u8) -> Option<Datum> {
    let unscaled = ExactDecimal::parse(text)?.scaled(scale).half_up();
    let limit = 10_u128.pow(u32::from(precision.min(38)));
    (unscaled.unsigned_abs() < limit).then_some(Datum::Decimal {
        unscaled,
        precision,
        scale,
    })
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

/// A count of days: digits, with a minus sign or none; else `y-M[-d]` up to the first blank.
fn date(text: &str) -> Option<i32> {
    if signed_digits(text) {
        return text.parse().ok();
    }
    let trimmed = text.trim_start_matches(' ');
    let day_text = trimmed.split(' ').next().unwrap_or(trimmed);
    let mut parts = day_text.splitn(3, '-').map(trim);
    let year: i64 = digits(parts.next()?)?;
    let month: u32 = digits(parts.next()?)?;
    let day: u32 = parts.next().map_or(Some(1), digits)?;
    if year > 9999 {
        return None;
    }
    i32::try_from(CivilDate::new(year, month, day)?.to_days()).ok()
}

fn signed_digits(text: &str) -> bool {
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    !magnitude.is_empty() && magnitude.bytes().all(|b| b.is_ascii_digit())
}

/// Java's `String.trim`.
fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// A count of milliseconds, or `H:m[:s[.f]]` with the fraction rounded to milliseconds and an
/// offset `±h[:m]` added as it stands.
fn time(text: &str) -> Option<i32> {
    let millis = match digits::<i64>(text) {
        Some(millis) => millis,
        None => clock_millis(text)?,
    };
    if !(0..MILLIS_PER_DAY).contains(&millis) {
        return None;
    }
    i32::try_from(millis).ok()
}

fn clock_millis(text: &str) -> Option<i64> {
    let (clock, shift) = match text.find('-').or_else(|| text.find('+')) {
        Some(at) => (&text[..at], time_offset(&text[at..])?),
        None => (text, 0),
    };
    let mut parts = clock.splitn(3, ':').map(trim);
    let hour: i64 = small(parts.next()?)?;
    let minute: i64 = small(parts.next()?)?;
    let (second, millis) = match parts.next() {
        None => (0, 0),
        Some(rest) => match rest.split_once('.') {
            None => (small(rest)?, 0),
            Some((second, fraction)) => (small(trim(second))?, fraction_millis(trim(fraction))?),
        },
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(((hour * 60 + minute) * 60 + second) * 1000 + millis + shift)
}

/// Digits that cannot overflow what is computed from them.
fn small(text: &str) -> Option<i64> {
    digits::<u16>(text).map(i64::from)
}

fn time_offset(text: &str) -> Option<i64> {
    let (sign, magnitude) = text.split_at_checked(1)?;
    let (hours, minutes) = match magnitude.split_once(':') {
        Some((hours, minutes)) => (small(trim(hours))?, small(trim(minutes))?),
        None => (small(trim(magnitude))?, 0),
    };
    let millis = (hours * 60 + minutes) * 60_000;
    Some(if sign == "-" { -millis } else { millis })
}

/// Milliseconds of the digits after the point, the fourth rounding the third.
fn fraction_millis(text: &str) -> Option<i64> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digit = |at: usize| text.as_bytes().get(at).map_or(0, |b| i64::from(b - b'0'));
    Some(digit(0) * 100 + digit(1) * 10 + digit(2) + i64::from(digit(3) >= 5))
}

/// A count of the units that precision 0, 3, 6 or 9 has since 1970-01-01T00:00. The outer `None`
/// means the text is not a number, the inner one that it is, but counts nothing.
fn epoch_count(text: &str, precision: u8) -> Option<Option<i128>> {
    if !signed_digits(text) {
        return None;
    }
    let unit = match precision {
        0 => NANOS_PER_SECOND,
        3 => 1_000_000,
        6 => 1000,
        9 => 1,
        _ => return Some(None),
    };
    // Java counts in 64 bits.
    Some(
        text.parse::<i64>()
            .ok()
            .map(|count| i128::from(count) * unit),
    )
}

/// `y-M-d`, then nothing, ` H:m:s[.f]` or `TH:m[:s[.f]]`; the fraction is cut to the precision.
fn timestamp(text: &str, precision: u8) -> Option<i128> {
    let (day, clock) = match text.find([' ', 'T']) {
        None => (text, 0),
        Some(at) => {
            let seconds_required = text.as_bytes().get(at) == Some(&b' ');
            (&text[..at], parse_clock(&text[at + 1..], seconds_required)?)
        }
    };
    let unit = 10_i64.pow(9 - u32::from(precision.min(9)));
    Some(join_timestamp(
        parse_civil_date(day)?.to_days(),
        clock - clock % unit,
    ))
}
