//! Run lengths of booleans and integers, where they have to be known before the decoder runs, or are not its own.

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
        let (run, rest) = match header {
            0..=127 => {
                let (value, rest) = rest.split_first()?;
                let (bits, counted) = (u64::from(*header) * 8 + 24, u64::from(value.count_ones()));
                if bits <= left {
                    found += counted * (bits / 8);
                    left -= bits;
                    bytes = rest;
                    continue;
                }
                (
                    std::iter::repeat_n(*value, usize::from(*header) + 3).collect::<Vec<_>>(),
                    rest,
                )
            }
            _ => {
                let (literals, rest) = rest.split_at_checked(256 - usize::from(*header))?;
                (literals.to_vec(), rest)
            }
        };
        bytes = rest;
        for byte in run {
            // The first value of a byte is its highest bit.
            let bits = left.min(8);
            let seen = byte & !(0xff_u16 >> bits) as u8;
            found += u64::from(seen.count_ones());
            left -= bits;
            if left == 0 {
                break;
            }
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
    bytes: Vec<u8>,
    at: usize,
    version: Version,
    signed: bool,
    run: Vec<u64>,
    next: usize,
}

impl Integers {
    /// A stream of lengths or counts.
    pub(super) fn unsigned(bytes: Vec<u8>, version: Version) -> Self {
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
    pub(super) fn signed(bytes: Vec<u8>, version: Version) -> Self {
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
    pub(super) fn next(&mut self) -> Option<u64> {
        if self.next == self.run.len() {
            self.run.clear();
            self.next = 0;
            match self.version {
                Version::V1 => self.read_v1()?,
                Version::V2 => self.read_v2()?,
            }
        }
        let value = *self.run.get(self.next)?;
        self.next += 1;
        Some(value)
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

    /// `count` numbers of `width` bits, the highest bit first, up to the end of the last byte.
    fn packed(&mut self, count: usize, width: u32) -> Option<Vec<u64>> {
        let length = (count as u64 * u64::from(width)).div_ceil(8);
        let end = self.at.checked_add(usize::try_from(length).ok()?)?;
        let packed = self.bytes.get(self.at..end)?;
        self.at = end;
        let mut bytes = packed.iter();
        let mut values = Vec::with_capacity(count);
        let (mut held, mut bits) = (0_u128, 0_u32);
        for _ in 0..count {
            while bits < width {
                held = held << 8 | u128::from(*bytes.next()?);
                bits += 8;
            }
            bits -= width;
            values.push((held >> bits) as u64 & (u64::MAX >> (64 - width)));
            held &= (1_u128 << bits) - 1;
        }
        Some(values)
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
                let mut values = self.packed(count, width_of(header >> 1 & 31))?;
                values
                    .iter_mut()
                    .for_each(|value| *value = self.stored(*value));
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
        let mut values = self.packed(count, width)?;
        let entries = self.packed(patches, closest_width(gap_width + patch_width)?)?;
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
        for delta in self.packed(count.checked_sub(2)?, width_of(code))? {
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
