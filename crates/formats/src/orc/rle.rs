//! Run lengths of booleans and integers, where they have to be known before the decoder runs, or are not its own.

use bytes::Bytes;

/// The most values that one byte of integer run lengths can stand for: a run of 512 takes three bytes.
pub(super) const INTEGERS_PER_BYTE: u64 = 171;
/// The most values that one byte of byte run lengths can stand for: a run of 130 takes two bytes.
pub(super) const BYTES_PER_BYTE: u64 = 65;

/// How many of the first `count` booleans are true; `None` where there are not that many.
pub(super) fn count_true(mut bytes: &[u8], count: u64) -> Option<u64> {
    let mut left = count;
    let mut found = 0_u64;
    while left > 0 {
        let (header, rest) = bytes.split_first()?;
        // Whole bytes of the run, and the one of which only the first bits are asked for.
        let (whole, last) = match header {
            0..=127 => {
                let (value, rest) = rest.split_first()?;
                bytes = rest;
                let whole = (left / 8).min(u64::from(*header) + 3);
                found += whole * u64::from(value.count_ones());
                let is_longer = whole < u64::from(*header) + 3;
                (whole, Some(*value).filter(|_| is_longer))
            }
            _ => {
                let (literals, rest) = rest.split_at_checked(256 - usize::from(*header))?;
                bytes = rest;
                let whole = usize::try_from(left / 8)
                    .map_or(literals.len(), |whole| whole.min(literals.len()));
                let ones = literals.iter().take(whole).map(|byte| byte.count_ones());
                found += u64::from(ones.sum::<u32>());
                (whole as u64, literals.get(whole).copied())
            }
        };
        left -= whole * 8;
        if let (Some(last), 1..) = (last, left) {
            // The first value of a byte is its highest bit.
            let seen = last & !(0xff_u16 >> left) as u8;
            return Some(found + u64::from(seen.count_ones()));
        }
    }
    Some(found)
}

/// Which of the two run length encodings of integers a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V1,
    V2,
}

/// Integers of a stream, one after the other.
#[derive(Debug)]
pub(super) struct Integers {
    bytes: Bytes,
    at: usize,
    version: Version,
    signed: bool,
    run: Vec<u64>,
    next: usize,
}

impl Integers {
    /// A stream of lengths or counts.
    pub(super) fn unsigned(bytes: Bytes, version: Version) -> Self {
        Self {
            bytes,
            at: 0,
            version,
            signed: false,
            run: Vec::new(),
            next: 0,
        }
    }

    /// A stream of numbers that may be negative: they come as the bits of an `i64`.
    pub(super) fn signed(bytes: Bytes, version: Version) -> Self {
        Self {
            signed: true,
            ..Self::unsigned(bytes, version)
        }
    }

    /// A value as it is stored, with the sign in its lowest bit if the stream has signs.
    fn stored(&self, value: u64) -> u64 {
        match self.signed {
            true => unzigzag(value) as u64,
            false => value,
        }
    }

    /// The next value; `None` where the stream ends or makes no sense.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        if self.next == self.run.len() {
            self.read_run()?;
        }
        let value = *self.run.get(self.next)?;
        self.next += 1;
        Some(value)
    }

    /// The next values, at least one and at most `most`, as many as one run has; `None` as for [`next`](Self::next).
    pub(super) fn next_values(&mut self, most: u64) -> Option<&[u64]> {
        if self.next == self.run.len() {
            self.read_run()?;
        }
        let from = self.next;
        let left = self.run.len() - from;
        self.next = from + usize::try_from(most).map_or(left, |most| most.min(left));
        self.run
            .get(from..self.next)
            .filter(|values| !values.is_empty())
    }

    fn read_run(&mut self) -> Option<()> {
        self.run.clear();
        self.next = 0;
        match self.version {
            Version::V1 => self.read_v1(),
            Version::V2 => self.read_v2(),
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut rest = self.bytes.get(self.at..)?;
        let value = super::wire::varint(&mut rest)?;
        self.at = self.bytes.len() - rest.len();
        Some(value)
    }

    fn zigzag(&mut self) -> Option<i64> {
        self.varint().map(unzigzag)
    }

    fn big_endian(&mut self, width: usize) -> Option<u64> {
        (0..width).try_fold(0_u64, |value, _| Some(value << 8 | u64::from(self.byte()?)))
    }

    /// Adds `count` numbers of `width` bits to `values`, the highest bit first, up to the end of the last byte.
    fn packed(&mut self, count: usize, width: u32, values: &mut Vec<u64>) -> Option<()> {
        let length = (count as u64 * u64::from(width)).div_ceil(8);
        let end = self.at.checked_add(usize::try_from(length).ok()?)?;
        let packed = self.bytes.get(self.at..end)?;
        self.at = end;
        let word = |at: usize| match packed.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => u64::from_be_bytes(*bytes),
            None => {
                let mut bytes = [0; 8];
                for (byte, left) in bytes.iter_mut().zip(packed.iter().skip(at)) {
                    *byte = *left;
                }
                u64::from_be_bytes(bytes)
            }
        };
        let mut bit = 0;
        values.extend((0..count).map(|_| {
            // Numbers of more than 32 bits begin with a byte, others end within the eight from theirs.
            let value = word(bit / 8) << (bit % 8) >> (64 - width);
            bit += width as usize;
            value
        }));
        Some(())
    }

    fn read_v1(&mut self) -> Option<()> {
        let header = self.byte()?;
        if header >= 0x80 {
            let count = 256 - usize::from(header);
            for _ in 0..count {
                let value = self.varint()?;
                self.run.push(self.stored(value));
            }
            return Some(());
        }
        let delta = i64::from(self.byte()? as i8);
        let base = self.varint()?;
        let base = self.stored(base);
        let count = u64::from(header) + 3;
        let values =
            (0..count).map(|index| base.wrapping_add_signed(delta.wrapping_mul(index as i64)));
        self.run.extend(values);
        Some(())
    }

    fn read_v2(&mut self) -> Option<()> {
        let header = self.byte()?;
        match header >> 6 {
            0 => {
                let value = self.big_endian(usize::from(header >> 3 & 7) + 1)?;
                let value = self.stored(value);
                self.run
                    .extend(std::iter::repeat_n(value, usize::from(header & 7) + 3));
                Some(())
            }
            1 => {
                let count = self.length(header)?;
                let mut values = std::mem::take(&mut self.run);
                self.packed(count, width_of(header >> 1 & 31), &mut values)?;
                if self.signed {
                    for value in &mut values {
                        *value = unzigzag(*value) as u64;
                    }
                }
                self.run = values;
                Some(())
            }
            2 => self.read_patched(header),
            _ => self.read_delta(header),
        }
    }

    fn length(&mut self, header: u8) -> Option<usize> {
        Some((usize::from(header & 1) << 8 | usize::from(self.byte()?)) + 1)
    }

    fn read_patched(&mut self, header: u8) -> Option<()> {
        let count = self.length(header)?;
        let width = width_of(header >> 1 & 31);
        let (third, fourth) = (self.byte()?, self.byte()?);
        let base_width = usize::from(third >> 5) + 1;
        let patch_width = width_of(third & 31);
        let gap_width = u32::from(fourth >> 5) + 1;
        let patches = usize::from(fourth & 31);
        let raw = self.big_endian(base_width)?;
        // The highest bit is the sign, the rest the magnitude.
        let sign = 1_u64 << (base_width * 8 - 1);
        let base = match raw & sign {
            0 => raw as i64,
            _ => ((raw & (sign - 1)) as i64).wrapping_neg(),
        };
        let (mut values, mut entries) = (Vec::with_capacity(count), Vec::with_capacity(patches));
        self.packed(count, width, &mut values)?;
        let entry_width = closest_width(gap_width + patch_width)?;
        self.packed(patches, entry_width, &mut entries)?;
        let mut at = 0_usize;
        for entry in entries {
            let gap = entry.checked_shr(patch_width).unwrap_or(0);
            at = at.checked_add(usize::try_from(gap).ok()?)?;
            let patch = entry & (u64::MAX >> (64 - patch_width));
            *values.get_mut(at)? |= patch.checked_shl(width).unwrap_or(0);
        }
        self.run.extend(
            values
                .into_iter()
                .map(|value| value.wrapping_add_signed(base)),
        );
        Some(())
    }

    fn read_delta(&mut self, header: u8) -> Option<()> {
        let count = self.length(header)?;
        let code = header >> 1 & 31;
        let base = self.varint()?;
        let mut value = self.stored(base);
        let first = self.zigzag()?;
        self.run.push(value);
        if code == 0 {
            for _ in 1..count {
                value = value.wrapping_add_signed(first);
                self.run.push(value);
            }
            return Some(());
        }
        value = value.wrapping_add_signed(first);
        self.run.push(value);
        let mut deltas = Vec::with_capacity(count);
        self.packed(count.checked_sub(2)?, width_of(code), &mut deltas)?;
        for delta in deltas {
            value = match first < 0 {
                true => value.wrapping_sub(delta),
                false => value.wrapping_add(delta),
            };
            self.run.push(value);
        }
        Some(())
    }
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The bits a width code of five bits stands for.
fn width_of(code: u8) -> u32 {
    match code {
        0..=23 => u32::from(code) + 1,
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

/// The least width that a code stands for and that has room for `bits`.
fn closest_width(bits: u32) -> Option<u32> {
    (0..=31).map(width_of).find(|width| *width >= bits)
}

#[cfg(test)]
mod tests;
