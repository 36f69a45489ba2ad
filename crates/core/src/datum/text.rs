//! Texts of values that more than one part of the crate writes.

use std::fmt::{LowerExp, Write as _};
use std::str::FromStr;

use super::calendar::{Clock, split_timestamp};

/// The text Java (19 and later) gives a float: the shortest digits that read back as the value, of those the nearest to
/// it, and of two that are equally near the one with an even last digit; plain from 10^-3 up to 10^7 and as
/// `d.dE[-]n` elsewhere (`Float.toString`, `Double.toString`).
pub(crate) fn java_float<F>(value: F) -> String
where
    F: LowerExp + FromStr + PartialEq + Into<f64> + Copy,
{
    let wide: f64 = value.into();
    if wide.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if wide.is_sign_negative() { "-" } else { "" };
    if wide.is_infinite() {
        return format!("{sign}Infinity");
    }
    if wide == 0.0 {
        return format!("{sign}0.0");
    }
    let shortest = shortest(value);
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let mantissa = mantissa.trim_start_matches('-');
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-3..7).contains(&exponent) {
        return format!("{sign}{mantissa}E{exponent}");
    }
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    if exponent < 0 {
        let zeros = (-exponent - 1) as usize;
        return format!("{sign}0.{:0<zeros$}{digits}", "");
    }
    let point = exponent as usize + 1;
    let padded = format!("{digits:0<point$}");
    let (whole, fraction) = padded.split_at(point);
    format!(
        "{sign}{whole}.{}",
        if fraction.is_empty() { "0" } else { fraction }
    )
}

/// The digits Java chooses, at least two, as `d.de[-]n`.
fn shortest<F: LowerExp + FromStr + PartialEq>(value: F) -> String {
    let shortest = format!("{value:e}");
    // Java takes the nearest of two digits where one would do: 4.9E-324, not 5.0E-324.
    let fraction_digits = match shortest.split_once('.') {
        Some((_, rest)) => rest.split('e').next().map_or(1, str::len),
        None => 1,
    };
    // Rounded exactly, ties to the even digit, where the text above has the odd one of two that are equally near. Below a
    // power of two, where floats are closer together, the nearest need not be one that reads back.
    let nearest = format!("{value:.fraction_digits$e}");
    match nearest.parse() {
        Ok(read) if value == read => nearest,
        _ => shortest,
    }
}

/// `HH:mm:ss.fff` of milliseconds of the day.
pub(crate) fn iso_time(millis: i32) -> String {
    let clock = Clock(i64::from(millis) * 1_000_000);
    format!("{clock}.{:03}", clock.fraction() / 1_000_000)
}

/// `yyyy-MM-ddTHH:mm:ss.ffffff`, with nine digits above precision 6.
pub(crate) fn iso_timestamp(epoch_nanos: i128, precision: u8) -> String {
    let (date, nanos) = split_timestamp(epoch_nanos);
    let clock = Clock(nanos);
    if precision > 6 {
        format!("{date}T{clock}.{:09}", clock.fraction())
    } else {
        format!("{date}T{clock}.{:06}", clock.fraction() / 1000)
    }
}

/// RFC 4648 base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .enumerate()
            .fold(0_u32, |sum, (at, b)| sum | u32::from(*b) << (16 - 8 * at));
        for at in 0..4 {
            let index = (group >> (18 - 6 * at) & 0x3F) as usize;
            let symbol = if at <= chunk.len() {
                ALPHABET[index]
            } else {
                b'='
            };
            text.push(char::from(symbol));
        }
    }
    text
}

/// Upper-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02X}");
            text
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn java_doubles() {
        for (value, text) in [
            (1.0, "1.0"),
            (0.001, "0.001"),
            (9.999e-4, "9.999E-4"),
            (1.0e7, "1.0E7"),
            (9_999_999.0, "9999999.0"),
            (-0.0, "-0.0"),
            (0.0, "0.0"),
            (1e23, "1.0E23"),
            (123_456.789, "123456.789"),
            (0.5, "0.5"),
            (-0.125, "-0.125"),
            (1024.0, "1024.0"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (5e-324, "4.9E-324"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
            (0.012, "0.012"),
            (1.25e10, "1.25E10"),
            (100.0, "100.0"),
            (2e-3, "0.002"),
        ] {
            assert_eq!(java_float(value), text);
        }
        for (value, text) in [
            (3.3e10_f32, "3.3E10"),
            (0.1, "0.1"),
            (1.4e-45, "1.4E-45"),
            (f32::MAX, "3.4028235E38"),
            // In the middle of two shortest texts, floats there being 1/32 apart: the even one.
            (487_677.63, "487677.62"),
            (-487_677.63, "-487677.62"),
            (300_000.38, "300000.38"),
            // Floats there are 1/128 apart, so neither text of two fraction digits reads back.
            (123_456.125, "123456.125"),
        ] {
            assert_eq!(java_float(value), text);
        }
    }

    #[test]
    fn base64_of_the_rfc() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), text);
        }
        assert_eq!(base64(&[0xFB, 0xFF, 0xBF]), "+/+/");
        assert_eq!(hex(&[0x00, 0xAB]), "00AB");
    }

    proptest! {
        #[test]
        fn java_text_reads_back(bits in any::<u64>(), small in any::<u32>()) {
            let value = f64::from_bits(bits);
            if !value.is_nan() && value.is_finite() {
                prop_assert_eq!(java_float(value).parse::<f64>().unwrap().to_bits(), bits);
            }
            let value = f32::from_bits(small);
            if value.is_finite() {
                prop_assert_eq!(java_float(value).parse::<f32>().unwrap().to_bits(), small);
            }
        }
    }
}
