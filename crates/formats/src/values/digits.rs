//! Numbers, dates and clocks to texts, without room of their own: files have millions of them.

use std::io::Write as _;

use ftable_core::datum::calendar::CivilDate;

/// 10^19, the greatest power of ten in 64 bits.
const CHUNK: u128 = 10_000_000_000_000_000_000;
/// No number of 128 bits has more digits.
const MOST: usize = 40;

type Room = [u8; MOST];

/// Digits at the end of the room, as many as the number has; what is before them stays.
fn fill(room: &mut [u8], mut value: u64) -> usize {
    let mut count = 0;
    for byte in room.iter_mut().rev() {
        *byte = b'0' + (value % 10) as u8;
        value /= 10;
        count += 1;
        if value == 0 {
            break;
        }
    }
    count
}

fn fill_wide(room: &mut Room, value: u128) -> usize {
    match u64::try_from(value) {
        Ok(short) => fill(room, short),
        Err(_) => {
            fill(room, (value % CHUNK) as u64);
            let (high, _) = room.split_at_mut(MOST - 19);
            19 + fill(high, (value / CHUNK) as u64)
        }
    }
}

fn last(room: &Room, count: usize) -> &[u8] {
    room.get(MOST.saturating_sub(count)..).unwrap_or_default()
}

pub(super) fn integer(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    let mut room = [b'0'; MOST];
    let count = fill(&mut room, value.unsigned_abs());
    out.extend_from_slice(last(&room, count));
}

/// With zeros before it up to the width.
fn padded(out: &mut Vec<u8>, value: u64, width: usize) {
    let mut room = [b'0'; MOST];
    let count = fill(&mut room, value);
    out.extend_from_slice(last(&room, count.max(width)));
}

/// `unscaled * 10^-scale`, plain, with all its places.
pub(super) fn decimal(out: &mut Vec<u8>, unscaled: i128, scale: u8) {
    if unscaled < 0 {
        out.push(b'-');
    }
    let scale = usize::from(scale);
    let mut room = [b'0'; MOST];
    let count = fill_wide(&mut room, unscaled.unsigned_abs());
    let (whole, places) = last(&room, count.max(scale + 1)).split_at(count.max(scale + 1) - scale);
    out.extend_from_slice(whole);
    if !places.is_empty() {
        out.push(b'.');
        out.extend_from_slice(places);
    }
}

/// `yyyy-MM-dd`.
pub(super) fn date(out: &mut Vec<u8>, days: i64) {
    let date = CivilDate::from_days(days);
    match u32::try_from(date.year) {
        Ok(year @ 0..=9999) => {
            let [[y, e], [a, r]] = [pair(year / 100), pair(year)];
            let [[m, n], [d, f]] = [pair(date.month), pair(date.day)];
            out.extend_from_slice(&[y, e, a, r, b'-', m, n, b'-', d, f]);
        }
        // Refused before it comes to this; a sign keeps it apart at least.
        _ => drop(write!(out, "{date}")),
    }
}

/// `HH:mm:ss` of a second of the day.
pub(super) fn clock(out: &mut Vec<u8>, second: i64) {
    let second = second.unsigned_abs() as u32;
    let [[h, o], [m, n], [s, c]] = [
        pair(second / 3600),
        pair(second / 60 % 60),
        pair(second % 60),
    ];
    out.extend_from_slice(&[h, o, b':', m, n, b':', s, c]);
}

/// The last two digits.
fn pair(value: u32) -> [u8; 2] {
    [value / 10 % 10, value % 10].map(|digit| b'0' + digit as u8)
}

/// A point and so many places, those at the end left out that are 0, down to `least`; nothing if none are left.
pub(super) fn fraction(out: &mut Vec<u8>, value: i64, places: usize, least: usize) {
    let (mut value, mut places) = (value.unsigned_abs(), places);
    while places > least && value % 10 == 0 {
        value /= 10;
        places -= 1;
    }
    if places > 0 {
        out.push(b'.');
        padded(out, value, places);
    }
}
