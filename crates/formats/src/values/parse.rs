//! One text to one value, the usual spellings by hand.
//!
//! The rules are those of [`ftable_core::datum::parse`], which reads every spelling part by part and in 128 bits. Files
//! have millions of values in the one spelling that writers use: those are read here from their bytes, and every other
//! goes there.

use ftable_core::datum::calendar::CivilDate;
use ftable_core::datum::parse;

const SECONDS_PER_DAY: i64 = 86_400;

/// Powers of ten from 10^0 to 10^38.
const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

#[inline]
pub(super) fn boolean(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// A sign or none, then digits, in range.
#[inline]
pub(super) fn integer<T: TryFrom<i64>>(text: &str) -> Option<T> {
    let (negative, digits) = split_sign(text.as_bytes());
    let value = match digits.len() {
        0 => return None,
        // No sum of 18 digits overflows.
        1..=18 => {
            let sum = whole(digits)?.cast_signed();
            if negative { -sum } else { sum }
        }
        _ => text.parse().ok()?,
    };
    T::try_from(value).ok()
}

/// What digits say; no more than 19 of them.
#[inline]
fn whole(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |sum, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then_some(sum * 10 + u64::from(digit))
    })
}

#[inline]
fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Units of `10^-scale`.
#[inline]
pub(super) fn decimal(text: &str, precision: u8, scale: u8) -> Option<i128> {
    match short_decimal(text.as_bytes(), scale) {
        Some(unscaled) => {
            let limit = POWERS.get(usize::from(precision))?;
            (unscaled.abs() < *limit).then_some(unscaled)
        }
        None => parse::decimal(text, precision, scale),
    }
}

/// A decimal of up to 19 digits, of which none has to be rounded away.
#[inline]
fn short_decimal(text: &[u8], scale: u8) -> Option<i128> {
    let (negative, digits) = split_sign(text);
    if digits.len() > 19 {
        return None;
    }
    let (mut sum, mut count, mut places, mut has_point) = (0_u64, 0_u8, 0_u8, false);
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            sum = sum * 10 + u64::from(digit);
            count += 1;
            places += u8::from(has_point);
        } else if *byte == b'.' && !has_point {
            has_point = true;
        } else {
            return None;
        }
    }
    let missing = scale.checked_sub(places).filter(|_| count > 0)?;
    let unscaled = i128::from(sum).checked_mul(*POWERS.get(usize::from(missing))?)?;
    Some(if negative { -unscaled } else { unscaled })
}

/// Days since 1970-01-01.
#[inline]
pub(super) fn date(text: &str) -> Option<i32> {
    match text.as_bytes().as_array().and_then(plain_date) {
        Some(days) => i32::try_from(days).ok(),
        None => parse::date(text),
    }
}

/// Days of `yyyy-MM-dd`.
#[inline]
fn plain_date(text: &[u8; 10]) -> Option<i64> {
    let [y, e, a, r, b'-', m, n, b'-', d, f] = *text else {
        return None;
    };
    let year = number([y, e, a, r])?;
    let date = CivilDate::new(i64::from(year), number([m, n])?, number([d, f])?)?;
    Some(date.to_days())
}

#[inline]
fn number<const N: usize>(digits: [u8; N]) -> Option<u32> {
    let mut sum = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        sum = sum * 10 + u32::from(digit);
    }
    Some(sum)
}

/// Milliseconds of the day.
#[inline]
pub(super) fn time(text: &str) -> Option<i32> {
    match plain_clock(text.as_bytes()) {
        // What is finer than a millisecond is rounded, by the rule of the other reader.
        Some((seconds, nanos)) if nanos % 1_000_000 == 0 => {
            i32::try_from(seconds * 1000 + nanos / 1_000_000).ok()
        }
        _ => parse::time(text),
    }
}

/// Seconds of the day and nanoseconds of the second of `HH:mm:ss` and `HH:mm:ss.f` with up to nine places.
#[inline]
fn plain_clock(text: &[u8]) -> Option<(i64, i64)> {
    let (clock, fraction) = text.split_first_chunk::<8>()?;
    let [h, o, b':', m, n, b':', s, c] = *clock else {
        return None;
    };
    let (hour, minute, second) = (number([h, o])?, number([m, n])?, number([s, c])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = match fraction {
        [] => 0,
        [b'.', places @ ..] if (1..=9).contains(&places.len()) => {
            let scale = POWERS.get(9 - places.len())?;
            whole(places)?.cast_signed() * *scale as i64
        }
        _ => return None,
    };
    Some((i64::from((hour * 60 + minute) * 60 + second), nanos))
}

/// How texts become timestamps of one type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timestamps {
    /// Units of the Arrow type in a second.
    pub(super) per_second: i64,
    /// Digits after the second that the type has.
    pub(super) precision: u8,
    /// Whether it is an instant, for which counts are no text.
    pub(super) is_instant: bool,
}

impl Timestamps {
    /// Units since 1970-01-01T00:00.
    #[inline]
    pub(super) fn read(&self, text: &str) -> Option<i64> {
        // Beyond what 64 bits hold by the way, too, the other reader decides.
        match self.plain(text.as_bytes()) {
            Some(units) => Some(units),
            None => self.any(text),
        }
    }

    /// Of `yyyy-MM-dd HH:mm:ss[.f]`, with a blank or a `T`.
    #[inline]
    fn plain(&self, text: &[u8]) -> Option<i64> {
        let (day, rest) = text.split_first_chunk::<10>()?;
        let [b' ' | b'T', clock @ ..] = rest else {
            return None;
        };
        let (seconds, nanos) = plain_clock(clock)?;
        let seconds = plain_date(day)? * SECONDS_PER_DAY + seconds;
        seconds
            .checked_mul(self.per_second)?
            .checked_add(self.cut(nanos) / self.nanos_per_unit())
    }

    fn any(&self, text: &str) -> Option<i64> {
        let nanos = if self.is_instant {
            parse::instant(text, self.precision)?
        } else {
            parse::timestamp(text, self.precision)?
        };
        i64::try_from(nanos.div_euclid(i128::from(self.nanos_per_unit()))).ok()
    }

    fn nanos_per_unit(&self) -> i64 {
        1_000_000_000 / self.per_second
    }

    /// Nanoseconds without the digits that the type does not have.
    #[inline]
    fn cut(&self, nanos: i64) -> i64 {
        let places = 9 - self.precision.min(9);
        match POWERS.get(usize::from(places)) {
            Some(step) if nanos != 0 => nanos - nanos % *step as i64,
            _ => nanos,
        }
    }
}
