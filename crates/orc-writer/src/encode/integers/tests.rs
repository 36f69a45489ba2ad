#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn encoded(values: &[i64], signed: bool) -> Vec<u8> {
    let mut encoder = IntEncoder::new(signed);
    let mut out = Vec::new();
    encoder.push(values, &mut out);
    encoder.flush(&mut out);
    out
}

#[test]
fn short_repeat_of_the_specification() {
    assert_eq!(encoded(&[10_000; 5], false), [0x0a, 0x27, 0x10]);
}

#[test]
fn direct_of_the_specification() {
    assert_eq!(
        encoded(&[23_713, 43_806, 57_005, 48_879], false),
        [0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef]
    );
}

#[test]
fn patched_base_of_the_specification() {
    let values = [
        2030, 2000, 2020, 1_000_000, 2040, 2050, 2060, 2070, 2080, 2090, 2100, 2110, 2120, 2130,
        2140, 2150, 2160, 2170, 2180, 2190,
    ];
    assert_eq!(
        encoded(&values, false),
        [
            0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
            0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8
        ]
    );
}

#[test]
fn delta_of_the_specification() {
    // The specification packs the steps with 4 bits, the least that hold them, as is done here.
    assert_eq!(
        encoded(&[2, 3, 5, 7, 11, 13, 17, 19, 23, 29], false),
        [0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46]
    );
}

#[test]
fn even_steps_take_no_bits() {
    let values: Vec<i64> = (100..612).collect();
    // DELTA, width 0, 512 values; the base 100 zigzag is 200; the step 1 zigzag is 2.
    assert_eq!(encoded(&values, true), [0xc1, 0xff, 0xc8, 0x01, 0x02]);
    assert_eq!(encoded(&[7; 11], true), [0xc0, 0x0a, 0x0e, 0x00]);
}

/// Readers negate a step down, and the least integer has no opposite.
#[test]
fn a_step_to_the_least_integer_is_no_delta() {
    let bytes = encoded(&[0, -1, i64::MIN], true);
    assert_eq!(bytes[0] >> 6, 1, "not DIRECT");
    assert_eq!(decoded(&bytes, true), [0, -1, i64::MIN]);
}

#[test]
fn single_values_and_extremes() {
    assert_eq!(encoded(&[0], true), [0x40, 0x00, 0x00]);
    assert_eq!(encoded(&[], true), [0_u8; 0]);
    for values in [
        vec![i64::MIN, i64::MAX],
        vec![i64::MIN; 3],
        vec![i64::MIN, 0, i64::MAX],
        vec![i64::MAX, 0, i64::MIN, 5],
        vec![-(1 << 56), 0, 1, 2, 3],
    ] {
        assert_eq!(decoded(&encoded(&values, true), true), values);
    }
}

/// Reads runs as the specification describes them.
fn decoded(bytes: &[u8], signed: bool) -> Vec<i64> {
    let mut input = Input { bytes, bit: 0 };
    let mut out = Vec::new();
    while input.bit < bytes.len() * 8 {
        match input.take(2) {
            0 => short_repeat(&mut input, signed, &mut out),
            1 => direct(&mut input, signed, &mut out),
            2 => patched_base(&mut input, &mut out),
            _ => delta(&mut input, signed, &mut out),
        }
    }
    out
}

struct Input<'a> {
    bytes: &'a [u8],
    bit: usize,
}

impl Input<'_> {
    fn take(&mut self, width: u32) -> u64 {
        let mut value = 0;
        for _ in 0..width {
            let byte = self.bytes[self.bit / 8];
            value = (value << 1) | u64::from((byte >> (7 - self.bit % 8)) & 1);
            self.bit += 1;
        }
        value
    }

    fn align(&mut self) {
        self.bit = self.bit.div_ceil(8) * 8;
    }

    fn width(&mut self) -> u32 {
        match self.take(5) as u32 {
            code @ 0..=23 => code + 1,
            24 => 26,
            25 => 28,
            26 => 30,
            27 => 32,
            28 => 40,
            29 => 48,
            30 => 56,
            _ => 64,
        }
    }

    fn varint(&mut self) -> u64 {
        let mut value = 0;
        let mut shift = 0;
        loop {
            let byte = self.take(8);
            value |= (byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

fn value(stored: u64, signed: bool) -> i64 {
    if signed {
        unzigzag(stored)
    } else {
        stored as i64
    }
}

fn short_repeat(input: &mut Input<'_>, signed: bool, out: &mut Vec<i64>) {
    let width = input.take(3) as u32 + 1;
    let count = input.take(3) as usize + 3;
    let stored = input.take(width * 8);
    out.extend(std::iter::repeat_n(value(stored, signed), count));
}

fn direct(input: &mut Input<'_>, signed: bool, out: &mut Vec<i64>) {
    let width = input.width();
    let count = input.take(9) + 1;
    for _ in 0..count {
        out.push(value(input.take(width), signed));
    }
    input.align();
}

fn patched_base(input: &mut Input<'_>, out: &mut Vec<i64>) {
    let width = input.width();
    let count = input.take(9) as usize + 1;
    let base_width = (input.take(3) as u32 + 1) * 8;
    let patch_width = input.width();
    let gap_width = input.take(3) as u32 + 1;
    let patches = input.take(5);
    assert!(patches > 0, "readers refuse a list without entries");
    let negative = input.take(1) == 1;
    let magnitude = input.take(base_width - 1) as i64;
    let base = if negative { -magnitude } else { magnitude };
    let mut values: Vec<u64> = (0..count).map(|_| input.take(width)).collect();
    input.align();
    let entry_width = closest_width(gap_width + patch_width);
    let mut at = 0;
    for _ in 0..patches {
        let entry = input.take(entry_width);
        at += (entry >> patch_width) as usize;
        let patch = entry & (u64::MAX >> (64 - patch_width));
        values[at] |= patch.checked_shl(width).unwrap();
    }
    input.align();
    out.extend(
        values
            .iter()
            .map(|distance| base.wrapping_add(*distance as i64)),
    );
}

fn closest_width(width: u32) -> u32 {
    let widths = (1..=24).chain([26, 28, 30, 32, 40, 48, 56, 64]);
    widths.into_iter().find(|known| *known >= width).unwrap()
}

fn delta(input: &mut Input<'_>, signed: bool, out: &mut Vec<i64>) {
    let width = match input.bytes[input.bit / 8] >> 1 & 0x1f {
        0 => {
            input.take(5);
            0
        }
        _ => input.width(),
    };
    let count = input.take(9) as usize + 1;
    let mut last = value(input.varint(), signed);
    out.push(last);
    let first = unzigzag(input.varint());
    for index in 1..count {
        let step = match index {
            1 => first,
            _ if width == 0 => first,
            _ if first < 0 => -(input.take(width) as i64),
            _ => input.take(width) as i64,
        };
        last += step;
        out.push(last);
    }
    input.align();
}

fn shapes() -> impl Strategy<Value = Vec<i64>> {
    let step = prop_oneof![Just(0_i64), Just(1), 0_i64..3, -2_i64..3, 0_i64..100_000];
    prop_oneof![
        prop::collection::vec(any::<i64>(), 0..600),
        prop::collection::vec(0_i64..2, 0..1200),
        prop::collection::vec(-3_i64..300, 0..1200),
        // Mostly small, a few far away.
        prop::collection::vec(
            prop_oneof![30 => 0_i64..200, 1 => -(1_i64 << 60)..(1 << 60), 1 => 0_i64..1 << 40],
            0..1200
        ),
        // Runs of repeats and steps.
        prop::collection::vec((any::<i32>(), step, 1_usize..30), 0..40).prop_map(|parts| {
            let parts = parts.into_iter();
            parts
                .flat_map(|(first, step, count)| {
                    (0..count as i64).map(move |index| i64::from(first) + step * index)
                })
                .collect()
        }),
        // Sorted with uneven steps.
        (
            any::<i32>(),
            prop::collection::vec(0_i64..70_000, 0..1200),
            any::<bool>()
        )
            .prop_map(|(first, steps, down)| {
                let sign = if down { -1 } else { 1 };
                let sums = steps.into_iter().scan(i64::from(first), move |at, step| {
                    *at += sign * step;
                    Some(*at)
                });
                sums.collect()
            }),
    ]
}

proptest! {
    #[test]
    fn signed_values_decode(values in shapes(), cut in 0_usize..1200) {
        let (left, right) = values.split_at(cut.min(values.len()));
        let mut encoder = IntEncoder::signed();
        let mut out = Vec::new();
        encoder.push(left, &mut out);
        encoder.extend(right.iter().copied(), &mut out);
        encoder.flush(&mut out);
        prop_assert_eq!(decoded(&out, true), values);
    }

    #[test]
    fn unsigned_values_decode(values in shapes()) {
        let values: Vec<i64> = values.iter().map(|value| value & i64::MAX).collect();
        prop_assert_eq!(decoded(&encoded(&values, false), false), values);
    }
}
