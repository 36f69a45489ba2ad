//! Bit widths and the packing of values of one width, highest bit first (specification: "Run Length Encoding
//! version 2").

/// Bits that hold a value; 1 for 0.
pub(crate) fn bits(value: u64) -> u32 {
    (64 - value.leading_zeros()).max(1)
}

/// The least width there is a code for.
pub(crate) fn closest(width: u32) -> u32 {
    match width {
        0..=24 => width.max(1),
        25..=26 => 26,
        27..=28 => 28,
        29..=30 => 30,
        31..=32 => 32,
        33..=40 => 40,
        41..=48 => 48,
        49..=56 => 56,
        _ => 64,
    }
}

/// The least width with which values do not straddle bytes more than they must: quick to pack, and repeated values
/// stay repeated bytes for the codec behind.
pub(crate) fn aligned(width: u32) -> u32 {
    match width {
        0..=1 => 1,
        2 => 2,
        3..=4 => 4,
        _ => width.div_ceil(8) * 8,
    }
}

/// The code of a width that [`closest`] or [`aligned`] gave.
pub(crate) fn code(width: u32) -> u8 {
    match width {
        0..=24 => width.max(1) as u8 - 1,
        25..=26 => 24,
        27..=28 => 25,
        29..=30 => 26,
        31..=32 => 27,
        33..=40 => 28,
        41..=48 => 29,
        49..=56 => 30,
        _ => 31,
    }
}

/// Appends values of `width` bits each, the last byte filled up with zeros.
pub(crate) fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    match width {
        8 => out.extend(values.map(|value| value as u8)),
        16 => values.for_each(|value| out.extend_from_slice(&(value as u16).to_be_bytes())),
        24 => values.for_each(|value| out.extend_from_slice(&(value as u32).to_be_bytes()[1..])),
        32 => values.for_each(|value| out.extend_from_slice(&(value as u32).to_be_bytes())),
        64 => values.for_each(|value| out.extend_from_slice(&value.to_be_bytes())),
        _ => pack_bits(values, width, out),
    }
}

fn pack_bits(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    // At most 7 bits wait when 64 more come.
    let mut held: u128 = 0;
    let mut count = 0;
    for value in values {
        held = (held << width) | u128::from(value);
        count += width;
        while count >= 8 {
            count -= 8;
            out.push((held >> count) as u8);
        }
    }
    if count > 0 {
        out.push((held << (8 - count)) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_widths() {
        for (width, expected) in [
            (1, 0),
            (2, 1),
            (4, 3),
            (8, 7),
            (16, 15),
            (24, 23),
            (26, 24),
            (28, 25),
            (30, 26),
            (32, 27),
            (40, 28),
            (48, 29),
            (56, 30),
            (64, 31),
        ] {
            assert_eq!(code(width), expected, "{width}");
        }
        for width in 1..=64 {
            assert!(closest(width) >= width && aligned(width) >= width);
            assert_eq!(closest(closest(width)), closest(width));
            assert_eq!(closest(aligned(width)), aligned(width));
        }
        assert_eq!([0, 1, 255, 256, u64::MAX].map(bits), [1, 1, 8, 9, 64]);
    }

    #[test]
    fn values_are_packed_highest_bit_first() {
        let mut out = Vec::new();
        pack([1, 0, 1].into_iter(), 1, &mut out);
        assert_eq!(out, [0b1010_0000]);
        out.clear();
        pack([5, 2, 7].into_iter(), 3, &mut out);
        assert_eq!(out, [0b1010_1011, 0b1000_0000]);
        out.clear();
        pack([0x0102_0304_0506].into_iter(), 48, &mut out);
        assert_eq!(out, [1, 2, 3, 4, 5, 6]);
    }
}
