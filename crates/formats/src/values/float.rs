//! FLOAT and DOUBLE as Java's `Float.parseFloat` and `Double.parseDouble` read them.

use std::str::FromStr;

/// One of the two widths.
pub(super) trait Float: FromStr + Sized {
    /// Bits of the significand.
    const DIGITS: i32;
    /// The power of two of the least number above zero.
    const LEAST: i32;

    /// The value of this width, from one that it has.
    fn exactly(value: f64) -> Self;
}

impl Float for f32 {
    const DIGITS: i32 = 24;
    const LEAST: i32 = -149;

    fn exactly(value: f64) -> Self {
        value as f32
    }
}

impl Float for f64 {
    const DIGITS: i32 = 53;
    const LEAST: i32 = -1074;

    fn exactly(value: f64) -> Self {
        value
    }
}

/// A number, `NaN` or `Infinity` with a sign or none; blanks around it mean nothing.
#[inline]
pub(super) fn read<F: Float>(text: &str) -> Option<F> {
    // Rust reads what Java reads, and `inf` and `nan` in any case, which Java does not.
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if is_number(digits)
        && let Ok(value) = text.parse()
    {
        return Some(value);
    }
    unusual(text)
}

#[inline]
fn is_number(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'0'..=b'9' | b'.'))
}

/// With blanks, names, hexadecimal digits or the letter of a type.
fn unusual<F: Float>(text: &str) -> Option<F> {
    let text = text.trim_matches(|c| c <= ' ');
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match magnitude {
        "NaN" => return Some(F::exactly(f64::NAN)),
        "Infinity" => return Some(F::exactly(f64::INFINITY * sign)),
        _ => {}
    }
    if let Some(value) = hexadecimal::<F>(magnitude) {
        return Some(F::exactly(value * sign));
    }
    if !is_number(magnitude) {
        return None;
    }
    let number = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
    number.parse().ok()
}

/// `0x`, hexadecimal digits with a point or none, `p` and a power of two, rounded to the width once.
fn hexadecimal<F: Float>(text: &str) -> Option<f64> {
    let text = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    let (significand, exponent) = text.split_once(['p', 'P'])?;
    let exponent = exponent
        .strip_suffix(['f', 'F', 'd', 'D'])
        .unwrap_or(exponent);
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let places = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    let mut power = exponent.parse::<i32>().ok()?.checked_sub(places)?;
    let mut mantissa = 0_u64;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u64::from(digit.to_digit(16)?);
        if mantissa >> 59 == 0 {
            mantissa = mantissa << 4 | digit;
        } else {
            // Too far right to be kept, but a half with something after it is more than a half.
            mantissa |= u64::from(digit != 0);
            power = power.checked_add(4)?;
        }
    }
    let bits = 64 - mantissa.leading_zeros() as i32;
    let shift = (bits - F::DIGITS)
        .max(F::LEAST.saturating_sub(power))
        .max(0);
    if shift > 64 || mantissa == 0 {
        return Some(0.0);
    }
    let kept = half_even(mantissa, shift);
    Some(kept as f64 * power_of_two(power.saturating_add(shift)))
}

/// A number without its last bits, rounded to the nearest, halves to the even one.
fn half_even(mantissa: u64, shift: i32) -> u64 {
    let (wide, step) = (u128::from(mantissa), 1_u128 << shift);
    let (kept, cut) = (wide / step, wide % step);
    let up = cut * 2 > step || (cut * 2 == step && kept % 2 == 1);
    (kept as u64) + u64::from(up)
}

/// Infinity above what a double holds; the least power is that of the least double.
fn power_of_two(power: i32) -> f64 {
    match power {
        1024.. => f64::INFINITY,
        -1022..1024 => f64::from_bits(((power + 1023) as u64) << 52),
        -1074..-1022 => f64::from_bits(1 << (power + 1074)),
        _ => 0.0,
    }
}
