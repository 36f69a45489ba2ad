//! Exact decimal numbers of any length, as a text or a float names them.

use super::calendar::digits as all_digits;

/// A finite number as digits times a power of ten, without rounding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExactDecimal {
    negative: bool,
    /// ASCII digits without leading zeros; empty for zero.
    digits: Vec<u8>,
    exponent: i64,
}

/// An [`ExactDecimal`] counted in units of a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scaled {
    /// The integer part with its sign, cut toward zero; saturated when it has more than 38 digits.
    pub(crate) truncated: i128,
    /// Whether digits were cut off.
    pub(crate) inexact: bool,
    /// Whether the part cut off is half a unit or more.
    pub(crate) half_or_more: bool,
    /// Whether the number is below zero.
    pub(crate) negative: bool,
}

/// More units than any `DECIMAL` or integer column holds.
pub(crate) const BEYOND: i128 = i128::MAX;

impl Scaled {
    /// The greatest integer that is not above the number.
    pub(crate) fn floor(self) -> i128 {
        self.truncated
            .saturating_sub(i128::from(self.negative && self.inexact))
    }

    /// The nearest integer, halves away from zero, as Java's `HALF_UP`.
    pub(crate) fn half_up(self) -> i128 {
        let step = i128::from(self.half_or_more);
        if self.negative {
            self.truncated.saturating_sub(step)
        } else {
            self.truncated.saturating_add(step)
        }
    }
}

impl ExactDecimal {
    /// Reads `[+-]digits[.digits][e[+-]digits]` with a digit before or after the point.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, power) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], parse_exponent(&rest[at + 1..])?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let leading = digits.iter().take_while(|d| **d == b'0').count();
        let digits = digits[leading..].to_vec();
        Some(Self {
            negative,
            digits,
            exponent: power - fraction.len() as i64,
        })
    }

    /// The exact value of a finite float.
    pub(crate) fn from_f64(value: f64) -> Option<Self> {
        // 1074 digits of fraction spell every double exactly.
        if value.is_finite() {
            Self::parse(&format!("{value:.1074}"))
        } else {
            None
        }
    }

    /// The number in units of `10^-scale`.
    pub(crate) fn scaled(&self, scale: u8) -> Scaled {
        let length = self.digits.len() as i64;
        let shift = self.exponent + i64::from(scale);
        let kept = (length + shift).clamp(0, length.max(0)) as usize;
        let (whole, cut) = self
            .digits
            .split_at(if shift >= 0 { self.digits.len() } else { kept });
        let zeros = shift.max(0);
        let magnitude = if whole.is_empty() {
            0
        } else if whole.len() as i64 + zeros > 38 {
            BEYOND
        } else {
            let head = whole
                .iter()
                .fold(0_i128, |sum, d| sum * 10 + i128::from(d - b'0'));
            head * 10_i128.pow(zeros as u32)
        };
        // With fewer digits than places cut, the first place cut holds a zero.
        let first_cut = if length + shift < 0 {
            None
        } else {
            cut.first()
        };
        Scaled {
            truncated: if self.negative { -magnitude } else { magnitude },
            inexact: cut.iter().any(|d| *d != b'0'),
            half_or_more: first_cut.is_some_and(|d| *d >= b'5'),
            negative: self.negative,
        }
    }
}

fn parse_exponent(text: &str) -> Option<i64> {
    let (sign, magnitude) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    // Java's exponents have 32 bits.
    all_digits::<i32>(magnitude).map(|value| sign * i64::from(value))
}

/// Plain text of `unscaled * 10^-scale` with exactly `scale` digits after the point.
pub(crate) fn plain_text(unscaled: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if unscaled < 0 { "-" } else { "" };
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

/// How `a * 10^-a_scale` compares with `b * 10^-b_scale`.
pub(crate) fn compare(a: (i128, u8), b: (i128, u8)) -> std::cmp::Ordering {
    let shared = a.1.max(b.1);
    let lift = |(unscaled, scale): (i128, u8)| {
        10_i128
            .checked_pow(u32::from(shared - scale))
            .and_then(|power| unscaled.checked_mul(power))
    };
    if let (Some(left), Some(right)) = (lift(a), lift(b)) {
        return left.cmp(&right);
    }
    // Out of 128 bits: whole parts first, then the fractions, which stay below 10^38 each.
    let whole = |(unscaled, scale): (i128, u8)| {
        let unit = 10_i128.checked_pow(u32::from(scale)).unwrap_or(BEYOND);
        (unscaled.div_euclid(unit), unscaled.rem_euclid(unit))
    };
    let ((left, left_rest), (right, right_rest)) = (whole(a), whole(b));
    left.cmp(&right).then_with(|| {
        let width = usize::from(shared);
        let pad = |rest: i128, scale: u8| {
            format!("{:0<width$}", format!("{rest:0n$}", n = usize::from(scale)))
        };
        pad(left_rest, a.1).cmp(&pad(right_rest, b.1))
    })
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    fn half_up(text: &str, scale: u8) -> i128 {
        ExactDecimal::parse(text).unwrap().scaled(scale).half_up()
    }

    #[test]
    fn rounds_half_up() {
        for (text, scale, expected) in [
            ("1.555", 2, 156),
            ("1.554", 2, 155),
            ("-1.555", 2, -156),
            ("123.45", 2, 12_345),
            ("0.005", 2, 1),
            ("0.004999", 2, 0),
            ("0.0005", 2, 0),
            ("-0.5", 0, -1),
            ("5e-1", 0, 1),
            ("5e-2", 0, 0),
            ("1E+3", 2, 100_000),
            (".5", 1, 5),
            ("5.", 0, 5),
            ("+7", 0, 7),
            ("000", 3, 0),
            ("1e-2000000000", 2, 0),
            ("1e2000000000", 2, BEYOND),
            ("0e2000000000", 2, 0),
            (
                "99999999999999999999999999999999999999",
                0,
                10_i128.pow(38) - 1,
            ),
            ("999999999999999999999999999999999999999", 0, BEYOND),
        ] {
            assert_eq!(half_up(text, scale), expected, "{text}");
        }
        for text in [
            "",
            ".",
            "-",
            "1e",
            "e5",
            "1 ",
            " 1",
            "1_0",
            "0x1",
            "NaN",
            "1.2.3",
            "1e99999999999",
            "１",
        ] {
            assert_eq!(ExactDecimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn floors() {
        for (value, scale, floor, inexact) in [
            (1.5, 0, 1, true),
            (-1.5, 0, -2, true),
            (2.0, 0, 2, false),
            (0.1, 1, 1, true),
            (-0.1, 1, -2, true),
            (5e-324, 0, 0, true),
            (-5e-324, 0, -1, true),
        ] {
            let scaled = ExactDecimal::from_f64(value).unwrap().scaled(scale);
            assert_eq!(
                (scaled.floor(), scaled.inexact),
                (floor, inexact),
                "{value}"
            );
        }
        let big = ExactDecimal::from_f64(9_223_372_036_854_775_808.0)
            .unwrap()
            .scaled(0);
        assert_eq!(big.floor(), 9_223_372_036_854_775_808);
        assert_eq!(ExactDecimal::from_f64(f64::NAN), None);
    }

    #[test]
    fn plain_texts() {
        for (unscaled, scale, text) in [
            (150, 2, "1.50"),
            (0, 2, "0.00"),
            (-1, 18, "-0.000000000000000001"),
            (7, 0, "7"),
            (-9999, 2, "-99.99"),
        ] {
            assert_eq!(plain_text(unscaled, scale), text);
        }
    }

    #[test]
    fn compares_across_scales() {
        assert_eq!(compare((150, 2), (15, 1)), Ordering::Equal);
        assert_eq!(compare((-150, 2), (15, 1)), Ordering::Less);
        let max = 10_i128.pow(38) - 1;
        assert_eq!(compare((max, 0), (max, 38)), Ordering::Greater);
        assert_eq!(compare((1, 0), (max, 38)), Ordering::Greater);
        assert_eq!(compare((max / 10, 0), (max, 1)), Ordering::Less);
        assert_eq!(compare((-max, 38), (-max, 37)), Ordering::Greater);
    }
}
