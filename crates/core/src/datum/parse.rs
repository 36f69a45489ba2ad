//! Texts of values as Java Paimon's casts read them: those of partition directories and of text files.

use super::calendar::{
    CivilDate, MILLIS_PER_DAY, NANOS_PER_SECOND, digits, join_timestamp, parse_civil_date,
    parse_clock,
};
use super::decimal::ExactDecimal;

/// Units of `10^-scale`: `[+-]digits[.digits][e[+-]digits]`, rounded half up, with no more than `precision` digits.
pub fn decimal(text: &str, precision: u8, scale: u8) -> Option<i128> {
    let unscaled = ExactDecimal::parse(text)?.scaled(scale).half_up();
    let limit = 10_u128.pow(u32::from(precision.min(38)));
    (unscaled.unsigned_abs() < limit).then_some(unscaled)
}

/// Days since 1970-01-01: a count of them, digits with a minus sign or none; else `y-M[-d]` up to the first blank, of the
/// years 0 to 9999, a day that the calendar has.
pub fn date(text: &str) -> Option<i32> {
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

/// Milliseconds of the day: a count of them, or `H:m[:s[.f]]` with the fraction rounded to milliseconds and an
/// offset `±h[:m]` added as it stands.
pub fn time(text: &str) -> Option<i32> {
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

/// Nanoseconds of a wall clock since 1970-01-01T00:00: a count of seconds, or of milli-, micro- or nanoseconds, as
/// precision 0, 3, 6 or 9 has them; else as [`instant`].
pub fn timestamp(text: &str, precision: u8) -> Option<i128> {
    epoch_count(text, precision).unwrap_or_else(|| instant(text, precision))
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

/// Nanoseconds since 1970-01-01T00:00Z: `y-M-d`, then nothing, ` H:m:s[.f]` or `TH:m[:s[.f]]`, in UTC; the fraction is cut
/// to the precision.
pub fn instant(text: &str, precision: u8) -> Option<i128> {
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
