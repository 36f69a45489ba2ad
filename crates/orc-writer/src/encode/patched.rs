//! PATCHED_BASE: values as their distance from the least, the few that are too far patched afterwards
//! (specification: "Patched Base").

use super::integers::header;
use super::packing::{bits, closest, code, pack};

/// The most entries of a patch list.
const MOST_PATCHES: usize = 31;
/// The farthest an entry is from the one before.
const LONGEST_GAP: usize = 255;
/// The base is stored with its sign in at most 8 bytes; ORC's own writers stop at 7 bytes of magnitude.
const LARGEST_BASE: u64 = 1 << 56;
/// The most bits a gap and a patch share.
const WIDEST_ENTRY: u32 = 64;

/// How a run is patched.
pub(super) struct Patched {
    base: i64,
    /// Bits of a value in its place.
    width: u32,
    /// Bits of a patch.
    patch_width: u32,
    gap_width: u32,
    /// Gap and patch.
    patches: Vec<(u64, u64)>,
}

impl Patched {
    /// A plan, if one is shorter than packing the values as they are with `direct_width` bits each.
    pub(super) fn plan(run: &[i64], direct_width: u32) -> Option<Self> {
        let (least, most) = bounds(run)?;
        most.checked_sub(least)?;
        if least.unsigned_abs() >= LARGEST_BASE {
            return None;
        }
        let (width, widest) = widths(run, least)?;
        // The bits above the place, rounded up to a width there is a code for.
        let patch_width = closest(widest - width);
        let (patches, gap_width) = patches(run, least, width)?;
        if gap_width + patch_width > WIDEST_ENTRY || width + patch_width > WIDEST_ENTRY {
            return None;
        }
        let plan = Self {
            base: least,
            width,
            patch_width,
            gap_width,
            patches,
        };
        (plan.encoded_bytes(run.len()) < 2 + bytes_of(run.len(), direct_width)).then_some(plan)
    }

    fn encoded_bytes(&self, count: usize) -> usize {
        let list = bytes_of(self.patches.len(), self.entry_width());
        4 + self.base_bytes() + bytes_of(count, self.width) + list
    }

    fn entry_width(&self) -> u32 {
        closest(self.gap_width + self.patch_width)
    }

    /// Bytes of the base with its sign bit.
    fn base_bytes(&self) -> usize {
        (bits(self.base.unsigned_abs()) as usize + 1).div_ceil(8)
    }

    pub(super) fn encode(&self, run: &[i64], out: &mut Vec<u8>) {
        let base_bytes = self.base_bytes();
        out.extend(header(2, code(self.width), run.len()));
        out.push(((base_bytes - 1) as u8) << 5 | code(self.patch_width));
        out.push(((self.gap_width - 1) as u8) << 5 | self.patches.len() as u8);
        let sign = u64::from(self.base < 0) << (base_bytes * 8 - 1);
        let base = self.base.unsigned_abs() | sign;
        out.extend_from_slice(&base.to_be_bytes()[8 - base_bytes..]);
        let place = mask(self.width);
        let values = run.iter().map(|value| value.abs_diff(self.base) & place);
        pack(values, self.width, out);
        let patch_width = self.patch_width;
        let entries = self.patches.iter();
        let entries = entries.map(|(gap, patch)| (gap << patch_width) | patch);
        pack(entries, self.entry_width(), out);
    }
}

fn bounds(run: &[i64]) -> Option<(i64, i64)> {
    Some((*run.iter().min()?, *run.iter().max()?))
}

fn bytes_of(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(8)
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

/// The width that all but one in twenty distances fit in, and the bits of the largest; `None` where there is nothing
/// to patch.
fn widths(run: &[i64], least: i64) -> Option<(u32, u32)> {
    let mut counts = [0_usize; 65];
    for value in run {
        counts[bits(value.abs_diff(least)) as usize] += 1;
    }
    let widest = counts.iter().rposition(|count| *count > 0)? as u32;
    let mut patched = (run.len() / 20).min(MOST_PATCHES);
    let mut width = widest;
    while width > 1 {
        let here = counts[width as usize];
        if here > patched {
            break;
        }
        patched -= here;
        width -= 1;
    }
    let width = closest(width);
    (width < widest).then_some((width, widest))
}

/// The patch list and the bits of its largest gap; `None` if it would be too long.
fn patches(run: &[i64], least: i64, width: u32) -> Option<(Vec<(u64, u64)>, u32)> {
    let mut list = Vec::new();
    let mut last = 0;
    let mut largest = 0;
    for (index, value) in run.iter().enumerate() {
        let high = value.abs_diff(least) >> width;
        if high == 0 {
            continue;
        }
        let mut gap = index - last;
        last = index;
        // An entry that patches nothing carries on a gap that is too long for one.
        while gap > LONGEST_GAP {
            list.push((LONGEST_GAP as u64, 0));
            largest = LONGEST_GAP;
            gap -= LONGEST_GAP;
        }
        list.push((gap as u64, high));
        largest = largest.max(gap);
    }
    let fits = (1..=MOST_PATCHES).contains(&list.len());
    fits.then(|| (list, bits(largest as u64)))
}
