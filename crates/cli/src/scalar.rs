//! Texts of dates, times and numbers, as filters and files of rows have them.
//!
//! ISO forms only, two digits a part, and nothing is rounded: a text that has no exact value is refused.

/// Nanoseconds of a second.
const NANOS_PER_SECOND: i64 = 1_000_000_000;
/// Nanoseconds of a day.
const NANOS_PER_DAY: i128 = 86_400 * NANOS_PER_SECOND as i128;
/// Digits that fit the widest DECIMAL.
const MAX_DIGITS: usize = 38;

/// `yyyy-MM-dd` as days since 1970-01-01; years past 9999 begin with `+`, years below 0 with `-`.
pub(crate) fn date(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (Some(1), text.get(1..)?),
        b'-' => (Some(-1), text.get(1..)?),
        _ => (None, text),
    };
    let mut parts = rest.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let year_is_whole = match sign {
        None => year.len() == 4,
        Some(1) => (5..=9).contains(&year.len()),
        Some(_) => (4..=9).contains(&year.len()),
    };
    if !year_is_whole {
        return None;
    }
    let year = digits(year)? * sign.unwrap_or(1);
    let (month, day) = (digits(month)?, digits(day)?);
    let exists = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    exists.then(|| days_since_epoch(year, month, day))
}

/// `HH:mm[:ss[.f]]` as nanoseconds of the day, with up to nine digits of fraction.
pub(crate) fn clock(text: &str) -> Option<i64> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let parts: Vec<&str> = whole.split(':').collect();
    let (hour, minute, second) = match (parts.as_slice(), fraction) {
        ([hour, minute], None) => (*hour, *minute, "00"),
        ([hour, minute, second], _) => (*hour, *minute, *second),
        _ => return None,
    };
    let part = |text: &str, limit: i64| {
        (text.len() == 2)
            .then(|| digits(text))?
            .filter(|value| *value < limit)
    };
    let seconds = (part(hour, 24)? * 60 + part(minute, 60)?) * 60 + part(second, 60)?;
    let nanos = match fraction {
        None => 0,
        Some(fraction) if fraction.len() <= 9 => {
            digits(fraction)? * 10_i64.pow(9 - u32::try_from(fraction.len()).ok()?)
        }
        Some(_) => return None,
    };
    Some(seconds * NANOS_PER_SECOND + nanos)
}

/// `yyyy-MM-dd[( |T)HH:mm[:ss[.f]]]` as nanoseconds since 1970-01-01T00:00 of the same clock.
pub(crate) fn timestamp(text: &str) -> Option<i128> {
    let (day, time) = match text.split_once([' ', 'T']) {
        Some((day, time)) => (day, clock(time)?),
        None => (text, 0),
    };
    Some(i128::from(date(day)?) * NANOS_PER_DAY + i128::from(time))
}

/// A [`timestamp`] with `Z` or `±HH:mm` behind the clock, UTC without, as nanoseconds since 1970-01-01T00:00Z.
pub(crate) fn instant(text: &str) -> Option<i128> {
    if let Some(utc) = text.strip_suffix('Z') {
        return utc.contains([' ', 'T']).then(|| timestamp(utc))?;
    }
    let clock_begins = text.find([' ', 'T']);
    let zone = clock_begins.and_then(|begin| text.rfind(['+', '-']).filter(|at| *at > begin));
    let Some(zone) = zone else {
        return timestamp(text);
    };
    let (local, offset) = text.split_at(zone);
    let ahead = clock(offset.get(1..).filter(|offset| offset.len() == 5)?)?;
    let ahead = if offset.starts_with('-') {
        -ahead
    } else {
        ahead
    };
    Some(timestamp(local)? - i128::from(ahead))
}

/// A number of at most 38 digits as `value * 10^scale`.
///
/// # Errors
/// What is wrong with the text: no number, more digits after the point than `scale`, or more in all than `precision`.
pub(crate) fn decimal(text: &str, precision: u8, scale: u8) -> Result<i128, &'static str> {
    const NO_NUMBER: &str = "it is no number";
    let (negative, rest) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| NO_NUMBER)?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NO_NUMBER);
    }
    let kept = all.trim_start_matches('0').trim_end_matches('0');
    if kept.is_empty() {
        return Ok(0);
    }
    let trailing_zeros = all.len() - all.trim_end_matches('0').len();
    let point = i64::from(exponent) - fraction.len() as i64 + trailing_zeros as i64;
    let Ok(zeros) = u32::try_from(point + i64::from(scale)) else {
        return Err("it has too many digits after the point");
    };
    let limit = usize::from(precision).min(MAX_DIGITS);
    if kept.len() + zeros as usize > limit {
        return Err("it has too many digits");
    }
    let magnitude = kept.parse::<i128>().map_err(|_| NO_NUMBER)? * 10_i128.pow(zeros);
    Ok(if negative { -magnitude } else { magnitude })
}

/// A floating-point number: `NaN`, `Infinity`, `-Infinity`, or decimal text that is not beyond the type's range.
pub(crate) fn float<F: std::str::FromStr + Into<f64> + Copy>(text: &str) -> Option<F> {
    let plain = |text: &str| {
        text.bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
    };
    let value: F = match text {
        "NaN" | "Infinity" | "-Infinity" => return text.parse().ok(),
        text if plain(text) => text.parse().ok()?,
        _ => return None,
    };
    value.into().is_finite().then_some(value)
}

/// A number of digits alone.
fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of a proleptic Gregorian date since 1970-01-01.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that a leap day is the last of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    // 0000-03-01 is 719,468 days before 1970-01-01.
    year * 365 + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2024-01-01", 19_723),
            ("2024-02-29", 19_782),
            ("0001-01-01", -719_162),
            ("0000-01-01", -719_528),
            ("-0001-12-31", -719_529),
            ("9999-12-31", 2_932_896),
            ("+10000-01-01", 2_932_897),
        ] {
            assert_eq!(date(text), Some(days), "{text}");
        }
        let wrong = "2024-1-01 2024-01-1 24-01-01 2023-02-29 1900-02-29 2024-13-01 2024-00-01 2024-04-31 +2024-01-01 \
                     10000-01-01 2024-01-01x 2024-01 2024 - + 20240101 2024-01-01-01";
        for text in wrong.split(' ').chain(["", "２０２４-01-01"]) {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn clocks() {
        for (text, nanos) in [
            ("00:00", 0),
            ("12:34:56.7", 45_296_700_000_000),
            ("23:59:59.999999999", 86_399_999_999_999),
        ] {
            assert_eq!(clock(text), Some(nanos), "{text}");
        }
        for text in [
            "24:00:00",
            "12:60:00",
            "12:00:60",
            "1:00:00",
            "12",
            "12:00.5",
            "12:00:00.",
            "12:00:00.1234567890",
        ] {
            assert_eq!(clock(text), None, "{text}");
        }
    }

    #[test]
    fn timestamps_and_instants() {
        let second = i128::from(NANOS_PER_SECOND);
        for (text, nanos) in [
            ("1970-01-01", 0),
            ("1970-01-01 00:00:01", second),
            ("1970-01-01T00:00:00.000000001", 1),
            ("1969-12-31T23:59:59.5", -second / 2),
        ] {
            assert_eq!(timestamp(text), Some(nanos), "{text}");
            assert_eq!(instant(text), Some(nanos), "{text}");
        }
        for (text, nanos) in [
            ("1970-01-01T00:00:01Z", second),
            ("1970-01-01 02:00:00+02:00", 0),
            ("1970-01-01 00:00-01:30", 5400 * second),
            ("-0001-12-31T00:00:00Z", -719_529 * NANOS_PER_DAY),
        ] {
            assert_eq!(instant(text), Some(nanos), "{text}");
            assert_eq!(timestamp(text), None, "{text}");
        }
        for text in [
            "1970-01-01Z",
            "1970-01-01T00:00+2:00",
            "1970-01-01T00:00+02",
            "1970-01-01T",
            "Z",
            "+",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }

    #[test]
    fn decimals_are_exact_or_refused() {
        for (text, unscaled) in [
            ("1.5", 150),
            ("-0.01", -1),
            ("0", 0),
            ("-0.000", 0),
            ("1.500", 150),
            ("1e2", 10_000),
            ("12e-1", 120),
            (".5", 50),
            ("5.", 500),
            ("+7", 700),
            ("99999999.99", 9_999_999_999),
        ] {
            assert_eq!(decimal(text, 10, 2), Ok(unscaled), "{text}");
        }
        for text in ["0.001", "1e-3", "1.005"] {
            assert_eq!(
                decimal(text, 10, 2),
                Err("it has too many digits after the point"),
                "{text}"
            );
        }
        for text in ["100000000", "1e2000000000", "1e30"] {
            assert_eq!(
                decimal(text, 10, 2),
                Err("it has too many digits"),
                "{text}"
            );
        }
        for text in [
            "",
            "-",
            "x",
            "1,5",
            "0x1",
            "1e",
            "e5",
            "NaN",
            "1 ",
            "--1",
            "1e99999999999",
        ] {
            assert_eq!(decimal(text, 10, 2), Err("it is no number"), "{text}");
        }
        let widest = "9".repeat(38);
        assert_eq!(decimal(&widest, 38, 0), Ok(10_i128.pow(38) - 1));
        assert_eq!(
            decimal("-0.00000000000000000000000000000000000001", 38, 38),
            Ok(-1)
        );
    }

    #[test]
    fn floats() {
        assert_eq!(float::<f32>("3.4028235e38"), Some(f32::MAX));
        assert_eq!(float::<f32>("1e39"), None);
        assert_eq!(float::<f64>("1e39"), Some(1e39));
        assert_eq!(float::<f64>("-Infinity"), Some(f64::NEG_INFINITY));
        assert!(float::<f64>("NaN").is_some_and(f64::is_nan));
        assert_eq!(
            float::<f64>("-0.0").map(f64::to_bits),
            Some((-0.0_f64).to_bits())
        );
        for text in ["", "inf", "nan", "infinity", "1_0", "0x1", "1e400", " 1"] {
            assert_eq!(float::<f64>(text), None, "{text}");
        }
    }
}
