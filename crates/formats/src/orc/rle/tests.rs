//! The examples of the ORC specification, and streams that end early.

use super::*;

fn all(mut integers: Integers) -> Vec<u64> {
    std::iter::from_fn(|| integers.next()).collect()
}

fn unsigned(bytes: &[u8]) -> Vec<u64> {
    all(Integers::unsigned(bytes.to_vec().into(), Version::V2))
}

fn signed(bytes: &[u8]) -> Vec<i64> {
    all(Integers::signed(bytes.to_vec().into(), Version::V2))
        .into_iter()
        .map(|value| value as i64)
        .collect()
}

#[test]
fn runs_of_version_one() {
    let read = |bytes: &[u8]| all(Integers::unsigned(bytes.to_vec().into(), Version::V1));
    assert_eq!(read(&[0x61, 0x00, 0x07]), [7; 100]);
    assert_eq!(
        read(&[0x61, 0xff, 0x64]),
        (1..=100).rev().collect::<Vec<_>>()
    );
    assert_eq!(
        read(&[0xfb, 0x02, 0x03, 0x06, 0x07, 0x0b]),
        [2, 3, 6, 7, 11]
    );
    let read = |bytes: &[u8]| all(Integers::signed(bytes.to_vec().into(), Version::V1));
    assert_eq!(read(&[0xfe, 0x03, 0x04]), [(-2_i64) as u64, 2]);
    assert_eq!(read(&[0x00, 0x01, 0x01]), [(-1_i64) as u64, 0, 1]);
}

#[test]
fn runs_of_version_two() {
    // Short repeat, direct, delta and patched base, as the specification spells them.
    assert_eq!(unsigned(&[0x0a, 0x27, 0x10]), [10_000; 5]);
    assert_eq!(
        unsigned(&[0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef]),
        [23_713, 43_806, 57_005, 48_879]
    );
    assert_eq!(
        unsigned(&[0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46]),
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    );
    let patched = [
        0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46, 0x50,
        0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8,
    ];
    let expected = [
        2030, 2000, 2020, 1_000_000, 2040, 2050, 2060, 2070, 2080, 2090, 2100, 2110, 2120, 2130,
        2140, 2150, 2160, 2170, 2180, 2190,
    ];
    assert_eq!(unsigned(&patched), expected);
    // Equal steps have no width, and signs are in the lowest bit.
    assert_eq!(unsigned(&[0xc0, 0x04, 0x05, 0x02]), [5, 6, 7, 8, 9]);
    assert_eq!(signed(&[0xc0, 0x03, 0x03, 0x01]), [-2, -3, -4, -5]);
    assert_eq!(signed(&[0x00, 0x03]), [-2, -2, -2]);
    assert_eq!(signed(&[0x46, 0x03, 0x04, 0x52]), [0, 2, -3, 1]);
}

#[test]
fn what_ends_early_gives_no_more_values() {
    let whole = [0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef];
    for length in 0..whole.len() {
        assert_eq!(unsigned(&whole[..length]), [0; 0], "{length}");
    }
    let mut random = crate::testing::Random::new(1);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.next() as u8).collect();
        for version in [Version::V1, Version::V2] {
            let most = bytes.len() as u64 * INTEGERS_PER_BYTE;
            let values = all(Integers::signed(bytes.clone().into(), version)).len() as u64;
            assert!(values <= most, "{bytes:?}: {values}");
        }
    }
}

#[test]
fn booleans_are_counted_from_the_highest_bit() {
    assert_eq!(count_true(&[0x61, 0x00], 800), Some(0));
    assert_eq!(count_true(&[0xff, 0x80], 8), Some(1));
    assert_eq!(count_true(&[0xff, 0x80], 1), Some(1));
    assert_eq!(count_true(&[0xff, 0x01], 7), Some(0));
    assert_eq!(count_true(&[0x00, 0xff], 24), Some(24));
    assert_eq!(count_true(&[0x00, 0xff], 20), Some(20));
    assert_eq!(count_true(&[0x00, 0xff], 25), None);
    assert_eq!(
        count_true(&[0xfe, 0x0f, 0xf0, 0x00, 0xaa], 16 + 24),
        Some(8 + 12)
    );
    assert_eq!(count_true(&[], 0), Some(0));
    assert_eq!(count_true(&[], 1), None);
    assert_eq!(count_true(&[0xfe, 0x0f], 16), None);
    assert_eq!(count_true(&[0x05], 8), None);
}
