//! Base-128 varints and zigzag (specification: "Base 128 Varint").

/// Appends a varint.
pub(crate) fn unsigned(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a zigzag varint.
pub(crate) fn signed(value: i64, out: &mut Vec<u8>) {
    unsigned(zigzag(value), out);
}

/// Appends the zigzag varint of an integer of up to 128 bits.
pub(crate) fn wide(value: i128, out: &mut Vec<u8>) {
    if let Ok(narrow) = i64::try_from(value) {
        return signed(narrow, out);
    }
    let mut rest = ((value << 1) ^ (value >> 127)) as u128;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Small numbers for small magnitudes: 0, -1, 1, -2 become 0, 1, 2, 3.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_specification() {
        for (value, bytes) in [
            (0_u64, vec![0x00]),
            (1, vec![0x01]),
            (127, vec![0x7f]),
            (128, vec![0x80, 0x01]),
            (129, vec![0x81, 0x01]),
            (16_383, vec![0xff, 0x7f]),
            (16_384, vec![0x80, 0x80, 0x01]),
            (16_385, vec![0x81, 0x80, 0x01]),
        ] {
            let mut out = Vec::new();
            unsigned(value, &mut out);
            assert_eq!(out, bytes, "{value}");
        }
        assert_eq!([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4]);
        assert_eq!(zigzag(i64::MIN), u64::MAX);
    }

    #[test]
    fn wide_integers_are_zigzag_of_128_bits() {
        // 12.34 of scale 2 is 1234, doubled 2468.
        let mut out = Vec::new();
        wide(1234, &mut out);
        assert_eq!(out, [0xa4, 0x13]);
        out.clear();
        wide(-(1_i128 << 70), &mut out);
        // 2^71 - 1: ten groups of seven ones, and one bit more.
        let mut expected = vec![0xff; 10];
        expected.push(0x01);
        assert_eq!(out, expected);
    }
}
