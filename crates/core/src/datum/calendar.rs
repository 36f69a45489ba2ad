//! Days, clocks and the texts of both, in the proleptic Gregorian calendar.
//!
//! Days count from 1970-01-01, clocks in nanoseconds of the day, timestamps in nanoseconds from
//! 1970-01-01T00:00 in 128 bits, which holds every timestamp Paimon can.

use std::fmt;

/// Nanoseconds of a second.
pub(crate) const NANOS_PER_SECOND: i128 = 1_000_000_000;
/// Nanoseconds of a millisecond.
pub(crate) const NANOS_PER_MILLI: i128 = 1_000_000;
/// Milliseconds of a day.
pub(crate) const MILLIS_PER_DAY: i64 = 86_400_000;
/// Nanoseconds of a day.
pub(crate) const NANOS_PER_DAY: i128 = MILLIS_PER_DAY as i128 * NANOS_PER_MILLI;

/// Days of an era of 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01, where eras begin, to 1970-01-01.
const ERA_OFFSET: i64 = 719_468;

/// A calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CivilDate {
    /// Astronomical year: 0 is 1 BC.
    pub year: i64,
    /// 1..=12.
    pub month: u32,
    /// 1..=31.
    pub day: u32,
}

impl CivilDate {
    /// The day that lies `days` after 1970-01-01.
    pub fn from_days(days: i64) -> Self {
        // Years are counted from March, so that the leap day is the last of its year.
        // Only the last days of 64 bits need more of them.
        let (era, day_of_era) = match days.checked_add(ERA_OFFSET) {
            Some(shifted) => (
                shifted.div_euclid(DAYS_PER_ERA),
                shifted.rem_euclid(DAYS_PER_ERA),
            ),
            None => {
                let shifted = i128::from(days) + i128::from(ERA_OFFSET);
                (
                    shifted.div_euclid(DAYS_PER_ERA.into()) as i64,
                    shifted.rem_euclid(DAYS_PER_ERA.into()) as i64,
                )
            }
        };
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * march_month + 2) / 5 + 1) as u32;
        let month = if march_month < 10 {
            march_month + 3
        } else {
            march_month - 9
        } as u32;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day }
    }

    /// The date, if the calendar has it.
    pub fn new(year: i64, month: u32, day: u32) -> Option<Self> {
        let valid = (1..=12).contains(&month) && day >= 1 && day <= days_of_month(year, month);
        // Beyond this, days no longer fit into 64 bits.
        (valid && year.abs() < 1_000_000_000_000).then_some(Self { year, month, day })
    }

    /// Days since 1970-01-01.
    pub fn to_days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let march_month = i64::from(if self.month > 2 {
            self.month - 3
        } else {
            self.month + 9
        });
        let day_of_year = (153 * march_month + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * DAYS_PER_ERA + day_of_era - ERA_OFFSET
    }
}

/// ISO text: four digits of year at least, `-` before years below 0 and `+` before those past 9999.
impl fmt::Display for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day } = *self;
        match year {
            ..0 => write!(f, "-{:04}", year.unsigned_abs())?,
            0..=9999 => write!(f, "{year:04}")?,
            _ => write!(f, "+{year}")?,
        }
        write!(f, "-{month:02}-{day:02}")
    }
}

fn days_of_month(year: i64, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The date and the nanosecond of the day of a timestamp.
pub(crate) fn split_timestamp(epoch_nanos: i128) -> (CivilDate, i64) {
    let days = epoch_nanos.div_euclid(NANOS_PER_DAY);
    let nanos = epoch_nanos.rem_euclid(NANOS_PER_DAY) as i64;
    // 128 bits of nanoseconds are more days than 64 bits hold; such a value is clamped, not wrapped.
    let days = days.clamp(i128::from(i64::MIN / 2), i128::from(i64::MAX / 2)) as i64;
    (CivilDate::from_days(days), nanos)
}

/// `HH:mm:ss` of a nanosecond of the day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(pub(crate) i64);

impl Clock {
    /// Nanoseconds past the whole second.
    pub(crate) fn fraction(self) -> u32 {
        self.0.rem_euclid(NANOS_PER_SECOND as i64) as u32
    }

    /// Seconds past the whole minute.
    pub(crate) fn second(self) -> i64 {
        self.0.div_euclid(NANOS_PER_SECOND as i64).rem_euclid(60)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(NANOS_PER_SECOND as i64);
        write!(
            f,
            "{:02}:{:02}:{:02}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )
    }
}

/// A value that is digits only, if there is at least one and it fits.
pub(crate) fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Reads `y-M-d` with the sign rules of a four-digit ISO year: `+` before years past 9999 and only
/// there, `-` before years below 0. Month and day have one or two digits.
pub(crate) fn parse_civil_date(text: &str) -> Option<CivilDate> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (Some('+'), &text[1..]),
        b'-' => (Some('-'), &text[1..]),
        _ => (None, text),
    };
    let mut parts = rest.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let long = year.len() > 4;
    if year.len() < 4 || year.len() > 10 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let magnitude: i64 = digits(year)?;
    let year = match sign {
        Some('+') if long => magnitude,
        Some('-') => -magnitude,
        None if !long => magnitude,
        _ => return None,
    };
    CivilDate::new(year, digits(month)?, digits(day)?)
}

/// Reads `H:m[:s[.f]]` into nanoseconds of the day; hours to 23, one or two digits a part, up to
/// nine digits of fraction. `seconds` says whether the seconds may be left out.
pub(crate) fn parse_clock(text: &str, seconds_required: bool) -> Option<i64> {
    let mut parts = text.splitn(3, ':');
    let (hour, minute) = (parts.next()?, parts.next()?);
    let (second, fraction) = match parts.next() {
        Some(rest) => rest.split_once('.').map_or((rest, ""), |(s, f)| (s, f)),
        None if seconds_required => return None,
        None => ("0", ""),
    };
    let part = |text: &str, limit: i64| {
        let value: i64 = if text.len() <= 2 {
            digits(text)?
        } else {
            return None;
        };
        (value < limit).then_some(value)
    };
    let (hour, minute, second) = (part(hour, 24)?, part(minute, 60)?, part(second, 60)?);
    let nanos = parse_fraction(fraction)?;
    Some(((hour * 60 + minute) * 60 + second) * NANOS_PER_SECOND as i64 + nanos)
}

/// Reads the digits after the point of a second into nanoseconds; nothing is 0.
fn parse_fraction(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    if text.len() > 9 {
        return None;
    }
    let value: i64 = digits(text)?;
    Some(value * 10_i64.pow(9 - text.len() as u32))
}

/// Joins a day and a nanosecond of it to nanoseconds since 1970-01-01T00:00.
pub(crate) fn join_timestamp(days: i64, nanos_of_day: i64) -> i128 {
    i128::from(days) * NANOS_PER_DAY + i128::from(nanos_of_day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn days_of_known_dates() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (19_723, "2024-01-01"),
            (19_782, "2024-02-29"),
            (-719_162, "0001-01-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+10000-01-01"),
            (2024, "1975-07-18"),
            (-25_509, "1900-02-28"),
            (11_016, "2000-02-29"),
            (i64::from(i32::MAX), "+5881580-07-11"),
            (i64::from(i32::MIN), "-5877641-06-23"),
        ] {
            let date = CivilDate::from_days(days);
            assert_eq!(date.to_string(), text);
            assert_eq!(date.to_days(), days);
            assert_eq!(parse_civil_date(text), Some(date));
        }
    }

    #[test]
    fn dates_the_calendar_does_not_have() {
        for text in [
            "2024-02-30",
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-04-31",
            "2024-1",
            "2024",
            "10000-01-01",
            "+2024-01-01",
            "24-01-01",
            "2024-01-01x",
            "2024-001-01",
            "",
            "-",
            "２０２４-01-01",
        ] {
            assert_eq!(parse_civil_date(text), None, "{text}");
        }
    }

    #[test]
    fn clocks() {
        for (text, nanos) in [
            ("00:00:00", 0),
            ("1:2:3", 3_723_000_000_000),
            ("23:59:59.999999999", 86_399_999_999_999),
            ("12:34:56.7", 45_296_700_000_000),
            ("13:00", 46_800_000_000_000),
        ] {
            assert_eq!(parse_clock(text, false), Some(nanos), "{text}");
        }
        for text in [
            "24:00:00",
            "12:60:00",
            "12:00:60",
            "12",
            "12:00:00.1234567890",
            "a:b",
            "-1:00",
            "123:00",
        ] {
            assert_eq!(parse_clock(text, false), None, "{text}");
        }
        assert_eq!(parse_clock("13:00", true), None);
        assert_eq!(Clock(45_296_700_000_000).to_string(), "12:34:56");
    }

    proptest! {
        #[test]
        fn days_and_dates_are_inverse(days in any::<i32>()) {
            let date = CivilDate::from_days(i64::from(days));
            prop_assert_eq!(CivilDate::new(date.year, date.month, date.day), Some(date));
            prop_assert_eq!(date.to_days(), i64::from(days));
            prop_assert_eq!(parse_civil_date(&date.to_string()), Some(date));
        }
    }
}
