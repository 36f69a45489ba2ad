//! Values as the text of a directory name, before NULL and escaping.

use std::borrow::Cow;

use crate::datum::calendar::{CivilDate, Clock, MILLIS_PER_DAY, NANOS_PER_MILLI, split_timestamp};
use crate::datum::decimal::plain_text;
use crate::datum::{Datum, text::java_float};
use crate::types::{DataType, TypeKind};

/// The text of a value in a column of a type, or what is wrong with it.
pub(super) fn render<'a>(
    value: &'a Datum,
    data_type: &DataType,
    legacy: bool,
) -> Result<Cow<'a, str>, String> {
    let text = match (data_type.kind(), value) {
        (TypeKind::Boolean, Datum::Boolean(value)) => value.to_string(),
        (TypeKind::TinyInt, Datum::TinyInt(value)) => value.to_string(),
        (TypeKind::SmallInt, Datum::SmallInt(value)) => value.to_string(),
        (TypeKind::Int, Datum::Int(value)) => value.to_string(),
        (TypeKind::BigInt, Datum::BigInt(value)) => value.to_string(),
        (TypeKind::Float, Datum::Float(value)) => java_float(*value),
        (TypeKind::Double, Datum::Double(value)) => java_float(*value),
        (
            TypeKind::Decimal { precision, scale },
            Datum::Decimal {
                unscaled,
                scale: value_scale,
                ..
            },
        ) if scale == value_scale => {
            if unscaled.unsigned_abs() >= 10_u128.pow(u32::from(*precision.min(&38))) {
                return Err(format!("has more digits than {data_type}"));
            }
            plain_text(*unscaled, *scale)
        }
        (TypeKind::Char { length } | TypeKind::VarChar { length }, Datum::String(value)) => {
            if longer_than(value, *length) {
                return Err(format!("is longer than {data_type}"));
            }
            return Ok(Cow::Borrowed(value));
        }
        (TypeKind::Date, Datum::Date(days)) if legacy => days.to_string(),
        (TypeKind::Date, Datum::Date(days)) => {
            written_year(CivilDate::from_days(i64::from(*days)))?.to_string()
        }
        (TypeKind::Time { precision }, Datum::Time(millis)) => {
            if !(0..MILLIS_PER_DAY).contains(&i64::from(*millis)) {
                return Err("is not within a day".to_owned());
            }
            if legacy {
                millis.to_string()
            } else {
                cast_time(*millis, *precision, data_type)?
            }
        }
        (TypeKind::Timestamp { precision }, Datum::Timestamp { epoch_nanos, .. })
        | (TypeKind::TimestampLtz { precision }, Datum::TimestampLtz { epoch_nanos, .. }) => {
            timestamp(*epoch_nanos, *precision, data_type, legacy)?
        }
        _ => {
            return Err(format!(
                "is a {} value, but the column is {data_type}",
                value.type_name()
            ));
        }
    };
    Ok(Cow::Owned(text))
}

/// Whether text has more than so many characters; counts no further than it must.
pub(super) fn longer_than(text: &str, length: u32) -> bool {
    let length = length as usize;
    text.len() > length && text.chars().nth(length).is_some()
}

/// Refuses years for which Java's cast to text writes another date.
fn written_year(date: CivilDate) -> Result<CivilDate, String> {
    if (0..=9999).contains(&date.year) {
        Ok(date)
    } else {
        Err("lies outside the years 0000 to 9999, which only 'partition.legacy-name' = 'true' can write".to_owned())
    }
}

/// `HH:mm:ss`, and above precision 0 a point and the fraction without trailing zeros, one digit at
/// least.
fn cast_time(millis: i32, precision: u8, data_type: &DataType) -> Result<String, String> {
    let clock = Clock(i64::from(millis) * NANOS_PER_MILLI as i64);
    let fraction = format!("{:03}", clock.fraction() / NANOS_PER_MILLI as u32);
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > usize::from(precision) {
        return Err(format!("has more digits of fraction than {data_type}"));
    }
    Ok(match precision {
        0 => clock.to_string(),
        _ => format!(
            "{clock}.{}",
            if fraction.is_empty() { "0" } else { fraction }
        ),
    })
}

fn timestamp(
    epoch_nanos: i128,
    precision: u8,
    data_type: &DataType,
    legacy: bool,
) -> Result<String, String> {
    let (date, nanos) = split_timestamp(epoch_nanos);
    let clock = Clock(nanos);
    let digits = format!("{:09}", clock.fraction());
    let significant = digits.trim_end_matches('0').len();
    if significant > usize::from(precision) {
        return Err(format!("has more digits of fraction than {data_type}"));
    }
    if legacy {
        return Ok(iso_local(date, clock, &digits, significant));
    }
    let date = written_year(date)?;
    Ok(match usize::from(precision.min(9)) {
        0 => format!("{date} {clock}"),
        shown => format!("{date} {clock}.{}", &digits[..shown]),
    })
}

/// Java's `LocalDateTime.toString`: no seconds when they and the fraction are zero, and the fraction
/// in groups of three digits.
fn iso_local(date: CivilDate, clock: Clock, digits: &str, significant: usize) -> String {
    let time = clock.to_string();
    if significant > 0 {
        return format!("{date}T{time}.{}", &digits[..significant.div_ceil(3) * 3]);
    }
    if clock.second() == 0 {
        return format!("{date}T{}", time.strip_suffix(":00").unwrap_or(&time));
    }
    format!("{date}T{time}")
}
