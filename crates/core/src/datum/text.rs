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
    let mut text = Vec::with_capacity(24);
    write_java_float(value, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Appends the text that Java (19 and later) gives a FLOAT or DOUBLE, without room of its own: files have many of them.
///
/// ```
/// # use ftable_core::datum::text::write_java_float;
/// let mut text = Vec::new();
/// write_java_float(1e7_f64, &mut text);
/// assert_eq!(text, b"1.0E7");
/// ```
pub fn write_java_float<F>(value: F, out: &mut Vec<u8>)
where
    F: LowerExp + FromStr + PartialEq + Into<f64> + Copy,
{
    let wide: f64 = value.into();
    if wide.is_nan() {
        out.extend_from_slice(b"NaN");
        return;
    }
    if wide.is_sign_negative() {
        out.push(b'-');
    }
    if wide.is_infinite() || wide == 0.0 {
        let text: &[u8] = if wide == 0.0 { b"0.0" } else { b"Infinity" };
        out.extend_from_slice(text);
        return;
    }
    let mut short = Short::default();
    // It has room for every shortest text.
    let _ = write!(short, "{value:e}");
    let chosen;
    let mut shown = short.as_str();
    if is_chosen_otherwise(wide.abs(), shown) {
        chosen = shortest(value);
        shown = &chosen;
    }
    let (mantissa, exponent) = shown.split_once('e').unwrap_or((shown, "0"));
    let mantissa = mantissa.trim_start_matches('-');
    let (first, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let power: i32 = exponent.parse().unwrap_or_default();
    if !(-3..7).contains(&power) {
        for part in [first, ".", fraction, "E", exponent] {
            out.extend_from_slice(part.as_bytes());
        }
        return;
    }
    let fraction = fraction.trim_end_matches('0');
    match usize::try_from(power) {
        Ok(places) => {
            let (whole, rest) = fraction.split_at(places.min(fraction.len()));
            out.extend_from_slice(first.as_bytes());
            out.extend_from_slice(whole.as_bytes());
            out.extend(std::iter::repeat_n(b'0', places - whole.len()));
            out.push(b'.');
            out.extend_from_slice(if rest.is_empty() {
                b"0"
            } else {
                rest.as_bytes()
            });
        }
        Err(_) => {
            out.extend_from_slice(b"0.");
            out.extend(std::iter::repeat_n(b'0', power.unsigned_abs() as usize - 1));
            out.extend_from_slice(first.as_bytes());
            out.extend_from_slice(fraction.as_bytes());
        }
    }
}

/// Whether Java may choose other digits than these shortest ones: more than one where they are the only digit of a number
/// near the least there is, and the even ones where the number lies in the middle of two texts of their length.
fn is_chosen_otherwise(positive: f64, shortest: &str) -> bool {
    let digits = shortest
        .bytes()
        .take_while(|byte| *byte != b'e')
        .filter(u8::is_ascii_digit)
        .count();
    // Below a normal FLOAT digits mean less and less; above, the next text of two digits is far off.
    if digits == 1 {
        return positive < 1e-36;
    }
    // A number of up to six digits is the only FLOAT near it, so its own digits are the shortest.
    if digits < 6 {
        return false;
    }
    // In the middle lies only a number whose own text is one digit longer. It is odd * 2^power, whose digits are those
    // of odd * 5^-power; shortest texts have at most 17 digits, and with 5^26 there are 19 at least.
    let bits = positive.to_bits();
    let exponent = (bits >> 52) as i32;
    let mantissa = bits & ((1 << 52) - 1) | u64::from(exponent > 0) << 52;
    let zeros = mantissa.trailing_zeros();
    let power = exponent.max(1) - 1075 + zeros as i32;
    (-25..0).contains(&power)
        && (u128::from(mantissa >> zeros) * 5_u128.pow(power.unsigned_abs()))
            .checked_ilog10()
            .is_some_and(|log| log as usize == digits)
}

/// Room for the shortest text of any float.
#[derive(Default)]
struct Short {
    bytes: [u8; 32],
    len: usize,
}

impl Short {
    fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl std::fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
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

/// Whether Java's `Character.isWhitespace` holds for every character; true for no character.
///
/// Rust's own notion differs: it has U+0085, U+00A0, U+2007 and U+202F, and lacks U+001C to U+001F.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|character| {
        matches!(
            character,
            '\u{9}'..='\u{D}' | '\u{1C}'..='\u{20}' | '\u{1680}' | '\u{2000}'..='\u{2006}' | '\u{2008}'..='\u{200A}'
                | '\u{2028}' | '\u{2029}' | '\u{205F}' | '\u{3000}'
        )
    })
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
    fn blank_is_javas_whitespace() {
        for blank in [
            "",
            "   ",
            "\t\n\u{B}\u{C}\r",
            "\u{1C}\u{1D}\u{1E}\u{1F}",
            "\u{3000}",
            "\u{1680}\u{2000}\u{2006}\u{2008}\u{200A}\u{2028}\u{2029}\u{205F}",
        ] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for text in [
            "\u{A0}", "\u{85}", "\u{2007}", "\u{202F}", "\u{180E}", " a ", "\u{200B}", "\u{8}",
            "\u{E}", "\u{1B}",
        ] {
            assert!(!is_blank(text), "{text:?}");
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

        /// Where one look says that the shortest digits are Java's, they are; numbers with few binary places are those
        /// that lie in the middle of two texts.
        #[test]
        fn one_look_is_enough(bits in any::<u64>(), small in any::<u32>(), places in 0..40_i32) {
            let chosen = |shortest: &str, chosen: &str, wide: f64| {
                let bare = |text: &str| text.replace(".0e", "e");
                is_chosen_otherwise(wide.abs(), shortest) || bare(shortest) == bare(chosen)
            };
            let dyadic = (bits >> 11) as f64 / 2_f64.powi(places);
            for value in [f64::from_bits(bits), dyadic, f64::from_bits(bits >> 12)] {
                if value.is_finite() && value != 0.0 {
                    prop_assert!(chosen(&format!("{value:e}"), &shortest(value), value), "{:e}", value);
                }
            }
            let dyadic = (small >> 8) as f32 / 2_f32.powi(places);
            for value in [f32::from_bits(small), dyadic, f32::from_bits(small >> 9)] {
                if value.is_finite() && value != 0.0 {
                    let wide = f64::from(value);
                    prop_assert!(chosen(&format!("{value:e}"), &shortest(value), wide), "{:e}", value);
                }
            }
        }
    }
}
