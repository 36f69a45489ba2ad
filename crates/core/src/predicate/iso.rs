//! Dates and times in literals: ISO forms only, two digits a part.

use crate::datum::calendar::{
    NANOS_PER_SECOND, digits, join_timestamp, parse_civil_date, parse_clock,
};

/// `yyyy-MM-dd` as days since 1970-01-01, if a DATE can hold it.
pub(super) fn date(text: &str) -> Option<i32> {
    let date = parse_civil_date(text)?;
    // The calendar reader also takes one digit for months and days.
    if date.to_string() != text {
        return None;
    }
    i32::try_from(date.to_days()).ok()
}

/// `HH:mm[:ss[.f]]` as nanoseconds of the day.
pub(super) fn clock(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let whole = match bytes.len() {
        5 => bytes[2] == b':',
        8 => bytes[2] == b':' && bytes[5] == b':',
        10.. => bytes[2] == b':' && bytes[5] == b':' && bytes[8] == b'.',
        _ => false,
    };
    if whole {
        parse_clock(text, false)
    } else {
        None
    }
}

/// `yyyy-MM-dd[( |T)HH:mm[:ss[.f]]]` as nanoseconds since 1970-01-01T00:00.
pub(super) fn timestamp(text: &str) -> Option<i128> {
    match text.split_once([' ', 'T']) {
        Some((day, time)) => Some(join_timestamp(i64::from(date(day)?), clock(time)?)),
        None => Some(join_timestamp(i64::from(date(text)?), 0)),
    }
}

/// A [`timestamp`] with `Z` or `±HH:mm` behind the clock, UTC without.
pub(super) fn instant(text: &str) -> Option<i128> {
    if let Some(local) = text.strip_suffix('Z') {
        // A zone belongs to a clock, not to a date.
        return local.contains([' ', 'T']).then(|| timestamp(local))?;
    }
    let clock_at = text.find([' ', 'T']).unwrap_or(text.len());
    let Some(offset_at) = text[clock_at..].find(['+', '-']) else {
        return timestamp(text);
    };
    let (local, offset) = text.split_at(clock_at + offset_at);
    let (hours, minutes) = offset[1..].split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes): (i128, i128) = (digits(hours)?, digits(minutes)?);
    if hours > 18 || minutes > 59 {
        return None;
    }
    let shift = (hours * 60 + minutes) * 60 * NANOS_PER_SECOND;
    let shift = if offset.starts_with('-') {
        -shift
    } else {
        shift
    };
    Some(timestamp(local)? - shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i128 = 1_704_110_400_000_000_000; // 2024-01-01T12:00Z

    #[test]
    fn accepted() {
        assert_eq!(date("2024-01-01"), Some(19_723));
        assert_eq!(clock("12:34"), Some(45_240_000_000_000));
        assert_eq!(clock("12:34:56.7"), Some(45_296_700_000_000));
        for text in [
            "2024-01-01 12:00",
            "2024-01-01T12:00:00",
            "2024-01-01 12:00:00.000",
        ] {
            assert_eq!(timestamp(text), Some(NOON), "{text}");
            assert_eq!(instant(text), Some(NOON), "{text}");
        }
        for text in [
            "2024-01-01T12:00:00Z",
            "2024-01-01 13:00+01:00",
            "2024-01-01T04:30:00.0-07:30",
        ] {
            assert_eq!(instant(text), Some(NOON), "{text}");
            assert_eq!(timestamp(text), None, "{text}");
        }
        assert_eq!(timestamp("1970-01-01"), Some(0));
    }

    #[test]
    fn refused() {
        for text in [
            "19723",
            "2024-1-1",
            "2024-01",
            "2024-02-30",
            "20240101",
            "2024-01-01 ",
            "2024-01-01 00:00",
            "",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
        for text in [
            "1:02",
            "12",
            "12:3",
            "12:34:5",
            "12:34:5.67",
            "12:34:56.",
            "24:00",
            "12:34:56.1234567890",
            "１２:３４",
        ] {
            assert_eq!(clock(text), None, "{text}");
        }
        for text in [
            "2024-01-01Z",
            "2024-01-01T12:00+1:00",
            "2024-01-01T12:00+19:00",
            "2024-01-01T12:00+é0:00",
            "é",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }
}
