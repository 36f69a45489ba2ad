//! Timestamps: seconds since 2015 and a fraction, in a time zone that the stripe names.
//!
//! A `TIMESTAMP` is a wall clock, stored as the instant at which a clock in the writer's zone showed it. Its
//! seconds count from the start of 2015 in that zone. A `TIMESTAMP_INSTANT` counts from the start of 2015 in UTC.
//! Before 1970 a writer adds one second where the fraction is a millisecond or more, which is taken back here
//! (ORC-763); the ORC C++ library writes negative fractions instead, which simply add up.

use std::str::FromStr;
use std::sync::Arc;

use arrow_array::temporal_conversions::as_datetime_with_timezone;
use arrow_array::timezone::Tz;
use arrow_array::types::{
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, TimestampSecondArray};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType as ArrowType, TimeUnit};

use super::rle::Integers;

/// Seconds from the start of 1970 to that of 2015, in UTC.
const EPOCH: i64 = 1_420_070_400;
const NANOS: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// A fraction from which on the second before 1970 was moved.
const MOVED: i64 = 999_999;

/// The clock that the values of a column were read from.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    /// Where the stored seconds count from.
    base: i64,
    zone: Zone,
}

#[derive(Debug, Clone)]
enum Zone {
    /// The same distance from UTC at all times, in seconds.
    Fixed(i64),
    /// A zone with a history.
    Named(Tz),
}

impl Clock {
    /// The clock of instants.
    pub(super) fn utc() -> Self {
        Self {
            base: EPOCH,
            zone: Zone::Fixed(0),
        }
    }

    /// The clock of a zone, by any name that a Java virtual machine gives its default zone; `None` if it is not known.
    pub(super) fn of_zone(name: &str) -> Option<Self> {
        let zone = match fixed_offset(name) {
            Some(offset) => Zone::Fixed(offset),
            None => Zone::Named(Tz::from_str(java_zone(name)).ok()?),
        };
        // The instant at which 2015 began there: the offset is asked for twice, in case it is another at the guess.
        let guess = EPOCH - zone.offset(EPOCH)?;
        let base = EPOCH - zone.offset(guess)?;
        Some(Self { base, zone })
    }
}

impl Zone {
    /// Seconds that a clock of the zone is ahead of UTC at an instant.
    fn offset(&self, instant: i64) -> Option<i64> {
        match self {
            Self::Fixed(offset) => Some(*offset),
            Self::Named(zone) => {
                let there = as_datetime_with_timezone::<TimestampSecondType>(instant, *zone)?;
                Some(there.naive_local().and_utc().timestamp() - instant)
            }
        }
    }
}

/// `Z`, `UTC`, `GMT`, `+08:00`, `GMT+08:00`, `UTC-3` and the like.
fn fixed_offset(name: &str) -> Option<i64> {
    let rest = ["GMT", "UTC", "UT"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    let rest = match rest.unwrap_or(name) {
        "" | "Z" | "0" => return Some(0),
        rest => rest,
    };
    let (sign, digits) = match rest.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let parts: Vec<&str> = match digits.contains(':') {
        true => digits.split(':').collect(),
        false if digits.len() > 2 => vec![
            digits.get(..digits.len() - 2)?,
            digits.get(digits.len() - 2..)?,
        ],
        false => vec![digits],
    };
    let number = |text: &&str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text.parse::<i64>().ok(),
        false => None,
    };
    let (hours, minutes, seconds) = match parts.iter().map(number).collect::<Option<Vec<_>>>()?[..]
    {
        [hours] => (hours, 0, 0),
        [hours, minutes] => (hours, minutes, 0),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    let valid = hours <= 18 && minutes < 60 && seconds < 60;
    valid.then_some(sign * (hours * 3600 + minutes * 60 + seconds))
}

/// The zone that Java means by one of its names of three letters.
fn java_zone(name: &str) -> &str {
    match name {
        "ACT" => "Australia/Darwin",
        "AET" => "Australia/Sydney",
        "AGT" => "America/Argentina/Buenos_Aires",
        "ART" => "Africa/Cairo",
        "AST" => "America/Anchorage",
        "BET" => "America/Sao_Paulo",
        "BST" => "Asia/Dhaka",
        "CAT" => "Africa/Harare",
        "CNT" => "America/St_Johns",
        "CST" => "America/Chicago",
        "CTT" => "Asia/Shanghai",
        "EAT" => "Africa/Addis_Ababa",
        "ECT" => "Europe/Paris",
        "IET" => "America/Indiana/Indianapolis",
        "IST" => "Asia/Kolkata",
        "JST" => "Asia/Tokyo",
        "MIT" => "Pacific/Apia",
        "NET" => "Asia/Yerevan",
        "NST" => "Pacific/Auckland",
        "PLT" => "Asia/Karachi",
        "PNT" => "America/Phoenix",
        "PRT" => "America/Puerto_Rico",
        "PST" => "America/Los_Angeles",
        "SST" => "Pacific/Guadalcanal",
        "VST" => "Asia/Ho_Chi_Minh",
        other => other,
    }
}

/// The fractions of a column's timestamps in one stripe, taken in step with its seconds.
#[derive(Debug)]
pub(super) struct Fractions {
    stored: Integers,
    clock: Clock,
    day: Option<(i64, i64)>,
}

/// What is wrong with a timestamp.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) row: usize,
    /// The timestamp, if there is one that the declared type does not have.
    pub(super) value: Option<String>,
}

impl Fractions {
    pub(super) fn new(stored: Integers, clock: Clock) -> Self {
        Self {
            stored,
            clock,
            day: None,
        }
    }

    /// Timestamps of the type `target` from the seconds as the file stores them.
    pub(super) fn timestamps(
        &mut self,
        seconds: &PrimitiveArray<Int64Type>,
        target: &ArrowType,
    ) -> Result<ArrayRef, Fault> {
        let broken = |row| Fault { row, value: None };
        let ArrowType::Timestamp(unit, zone) = target else {
            return Err(broken(0));
        };
        let values = match unit {
            TimeUnit::Second => self.values::<1>(seconds),
            TimeUnit::Millisecond => self.values::<1_000>(seconds),
            TimeUnit::Microsecond => self.values::<1_000_000>(seconds),
            TimeUnit::Nanosecond => self.values::<NANOS>(seconds),
        }?;
        let (values, nulls) = (values.into(), seconds.nulls().cloned());
        let zone = zone.clone();
        Ok(match unit {
            TimeUnit::Second => Arc::new(
                PrimitiveArray::<TimestampSecondType>::new(values, nulls).with_timezone_opt(zone),
            ),
            TimeUnit::Millisecond => Arc::new(
                PrimitiveArray::<TimestampMillisecondType>::new(values, nulls)
                    .with_timezone_opt(zone),
            ),
            TimeUnit::Microsecond => Arc::new(
                PrimitiveArray::<TimestampMicrosecondType>::new(values, nulls)
                    .with_timezone_opt(zone),
            ),
            TimeUnit::Nanosecond => Arc::new(
                PrimitiveArray::<TimestampNanosecondType>::new(values, nulls)
                    .with_timezone_opt(zone),
            ),
        })
    }

    /// Timestamps in a unit of which there are so many a second; 0 for a null.
    fn values<const PER_SECOND: i64>(
        &mut self,
        seconds: &PrimitiveArray<Int64Type>,
    ) -> Result<Vec<i64>, Fault> {
        let broken = |row| Fault { row, value: None };
        let mut values = Vec::with_capacity(seconds.len());
        for (row, stored) in seconds.iter().enumerate() {
            let Some(stored) = stored else {
                values.push(0);
                continue;
            };
            let fraction = self.stored.next().and_then(nanos);
            let (seconds, fraction) = fraction
                .and_then(|fraction| self.wall_clock(stored, fraction))
                .ok_or_else(|| broken(row))?;
            let value = in_unit::<PER_SECOND>(seconds, fraction);
            values.push(value.ok_or_else(|| Fault {
                row,
                value: Some(text(seconds, fraction)),
            })?);
        }
        Ok(values)
    }

    /// What the clock showed, as seconds since 1970 and nanoseconds of a second, never negative.
    fn wall_clock(&mut self, stored: i64, fraction: i64) -> Option<(i64, i64)> {
        let mut instant = stored.checked_add(self.clock.base)?;
        if instant < 0 && fraction > MOVED {
            instant = instant.checked_sub(1)?;
        }
        instant = instant.checked_add(fraction.div_euclid(NANOS))?;
        let shown = instant.checked_add(self.offset(instant)?)?;
        Some((shown, fraction.rem_euclid(NANOS)))
    }

    fn offset(&mut self, instant: i64) -> Option<i64> {
        if let Zone::Fixed(offset) = self.clock.zone {
            return Some(offset);
        }
        // Within a day whose both ends agree the offset is one.
        let day = instant.div_euclid(SECONDS_PER_DAY);
        if let Some((known, offset)) = self.day
            && known == day
        {
            return Some(offset);
        }
        let start = day.checked_mul(SECONDS_PER_DAY)?;
        let ends =
            [start, start.checked_add(SECONDS_PER_DAY)?].map(|end| self.clock.zone.offset(end));
        if let [Some(first), Some(last)] = ends
            && first == last
        {
            self.day = Some((day, first));
            return Some(first);
        }
        self.clock.zone.offset(instant)
    }
}

/// What digits are multiplied with: a count of zeros above nothing says one less than were left out.
const POWERS_OF_TEN: [i64; 8] = [
    1,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// The nanoseconds that a stored fraction stands for: zeros at its end are counted in the lowest three bits.
fn nanos(stored: u64) -> Option<i64> {
    let zeros = (stored & 7) as usize;
    // The C++ library stores negative fractions.
    let digits = stored as i64 >> 3;
    let nanos = digits.checked_mul(*POWERS_OF_TEN.get(zeros)?)?;
    (-NANOS < nanos && nanos < NANOS).then_some(nanos)
}

fn in_unit<const PER_SECOND: i64>(seconds: i64, fraction: i64) -> Option<i64> {
    let per_unit = NANOS / PER_SECOND;
    if fraction % per_unit != 0 {
        return None;
    }
    let part = fraction / per_unit;
    match seconds
        .checked_mul(PER_SECOND)
        .and_then(|whole| whole.checked_add(part))
    {
        Some(value) => Some(value),
        // The whole seconds alone may be less than the least value.
        None => i64::try_from(i128::from(seconds) * i128::from(PER_SECOND) + i128::from(part)).ok(),
    }
}

fn text(seconds: i64, fraction: i64) -> String {
    match array_value_to_string(&TimestampSecondArray::from_value(seconds, 1), 0) {
        Ok(text) if fraction == 0 => text,
        Ok(text) => format!("{text}.{fraction:09}"),
        Err(_) => format!("{seconds} s after 1970"),
    }
}
