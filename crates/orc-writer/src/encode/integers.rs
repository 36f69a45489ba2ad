//! Run lengths of integers (specification: "Run Length Encoding version 2").
//!
//! | sub-encoding | chosen for |
//! | --- | --- |
//! | SHORT_REPEAT | 3 to 10 times one value |
//! | DELTA | longer repeats, even steps, and sorted values whose steps need fewer bits than they |
//! | PATCHED_BASE | values of which a few need more bits than the rest, where it is shorter |
//! | DIRECT | everything else |

use super::packing::{aligned, bits, code, pack};
use super::patched::Patched;
use super::varint;

/// The most values of a run.
pub(super) const LONGEST_RUN: usize = 512;
const SHORTEST_REPEAT: usize = 3;
const LONGEST_SHORT_REPEAT: usize = 10;

/// Encodes a stream of integers run by run.
pub(crate) struct IntEncoder {
    signed: bool,
    /// Values whose run is not decided yet.
    pending: Vec<i64>,
}

impl IntEncoder {
    /// For values of either sign.
    pub(crate) fn signed() -> Self {
        Self::new(true)
    }

    /// For values that are never negative.
    pub(crate) fn unsigned() -> Self {
        Self::new(false)
    }

    fn new(signed: bool) -> Self {
        let pending = Vec::new();
        Self { signed, pending }
    }

    /// Takes values and appends the runs that are sure.
    pub(crate) fn push(&mut self, values: &[i64], out: &mut Vec<u8>) {
        if self.pending.is_empty() {
            let rest = self.encode(values, false, out);
            self.pending.extend_from_slice(rest);
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.extend_from_slice(values);
        let used = pending.len() - self.encode(&pending, false, out).len();
        pending.drain(..used);
        self.pending = pending;
    }

    /// Takes values one by one.
    pub(crate) fn extend(&mut self, values: impl Iterator<Item = i64>, out: &mut Vec<u8>) {
        self.pending.extend(values);
        self.push(&[], out);
    }

    /// Ends the run at hand, so that the next value begins another.
    pub(crate) fn flush(&mut self, out: &mut Vec<u8>) {
        let mut pending = std::mem::take(&mut self.pending);
        self.encode(&pending, true, out);
        pending.clear();
        self.pending = pending;
    }

    /// Bytes of memory that wait.
    pub(crate) fn memory(&self) -> usize {
        self.pending.len() * size_of::<i64>()
    }

    /// Encodes whole runs and returns what is left: fewer values than fill a run, or none if `all`.
    fn encode<'a>(&self, mut values: &'a [i64], all: bool, out: &mut Vec<u8>) -> &'a [i64] {
        while values.len() >= LONGEST_RUN || (all && !values.is_empty()) {
            let window = &values[..values.len().min(LONGEST_RUN)];
            values = &values[self.encode_run(window, out)..];
        }
        values
    }

    /// Encodes a first run of a window and says how many values it took.
    fn encode_run(&self, window: &[i64], out: &mut Vec<u8>) -> usize {
        let repeat = repeat_length(window);
        if repeat >= SHORTEST_REPEAT {
            self.encode_repeat(window[0], repeat, out);
            return repeat;
        }
        let run = &window[..self.before_repeat(window)];
        self.encode_literals(run, out);
        run.len()
    }

    fn encode_repeat(&self, value: i64, count: usize, out: &mut Vec<u8>) {
        if count > LONGEST_SHORT_REPEAT {
            return self.encode_steps(value, 0, count, out);
        }
        let stored = self.stored(value);
        let width = bits(stored).div_ceil(8) as usize;
        out.push((((width - 1) << 3) | (count - SHORTEST_REPEAT)) as u8);
        out.extend_from_slice(&stored.to_be_bytes()[8 - width..]);
    }

    /// DELTA without deltas: every value is one step from the one before.
    fn encode_steps(&self, first: i64, step: i64, count: usize, out: &mut Vec<u8>) {
        out.extend(header(3, 0, count));
        self.encode_base(first, out);
        varint::signed(step, out);
    }

    fn encode_literals(&self, run: &[i64], out: &mut Vec<u8>) {
        let shape = Shape::of(run, |value| self.stored(value));
        let width = aligned(bits(shape.stored));
        if let Some(sorted) = shape.sorted {
            if sorted.even {
                return self.encode_steps(run[0], sorted.first, run.len(), out);
            }
            // A width of one bit has no code here: its place says that there are no deltas.
            let delta_width = aligned(bits(sorted.largest)).max(2);
            if sorted.first != 0 && delta_width < width {
                out.extend(header(3, code(delta_width), run.len()));
                self.encode_base(run[0], out);
                varint::signed(sorted.first, out);
                let steps = run.windows(2).skip(1);
                let deltas = steps.map(|pair| pair[1].abs_diff(pair[0]));
                return pack(deltas, delta_width, out);
            }
        }
        if let Some(patched) = Patched::plan(run, width) {
            return patched.encode(run, out);
        }
        out.extend(header(1, code(width), run.len()));
        pack(run.iter().map(|value| self.stored(*value)), width, out);
    }

    fn encode_base(&self, value: i64, out: &mut Vec<u8>) {
        varint::unsigned(self.stored(value), out);
    }

    fn stored(&self, value: i64) -> u64 {
        if self.signed {
            varint::zigzag(value)
        } else {
            value as u64
        }
    }

    /// How many values come before a repeat that is worth a run of its own.
    fn before_repeat(&self, window: &[i64]) -> usize {
        let widest = window
            .iter()
            .fold(0, |all, value| all | self.stored(*value));
        // What is saved must pay for the repeat and for the header of the run after it.
        let worth = SHORTEST_REPEAT.max(1 + 40 / aligned(bits(widest)) as usize);
        let mut same = 1;
        for (index, pair) in window.windows(2).enumerate() {
            same = if pair[0] == pair[1] { same + 1 } else { 1 };
            if same == worth {
                return index + 2 - worth;
            }
        }
        window.len()
    }
}

fn repeat_length(values: &[i64]) -> usize {
    let first = values.first();
    values
        .iter()
        .take_while(|value| Some(*value) == first)
        .count()
}

/// The first two bytes of DIRECT, DELTA and PATCHED_BASE.
pub(super) fn header(encoding: u8, width_code: u8, count: usize) -> [u8; 2] {
    let length = count.saturating_sub(1);
    [
        (encoding << 6) | (width_code << 1) | (length >> 8) as u8,
        length as u8,
    ]
}

/// What decides how a run is encoded.
struct Shape {
    /// All stored values or-ed: as wide as the widest.
    stored: u64,
    /// The steps, if they all go one way.
    sorted: Option<Sorted>,
}

struct Sorted {
    first: i64,
    /// The largest step after the first, without its sign.
    largest: u64,
    /// All steps are the same.
    even: bool,
}

impl Shape {
    fn of(run: &[i64], stored: impl Fn(i64) -> u64) -> Self {
        let all = run.iter().fold(0, |all, value| all | stored(*value));
        let sorted = Sorted::of(run);
        Self {
            stored: all,
            sorted,
        }
    }
}

impl Sorted {
    /// `None` for fewer than three values, which DIRECT holds as well, and for steps past 64 bits.
    fn of(run: &[i64]) -> Option<Self> {
        let (first, last) = match run {
            [first, _, .., last] if run.len() >= SHORTEST_REPEAT => (*first, *last),
            _ => return None,
        };
        let second = *run.get(1)?;
        let rising = run.is_sorted();
        if !rising && !run.is_sorted_by(|left, right| left >= right) {
            return None;
        }
        // No step is larger than all together, and readers turn the sign of steps down.
        last.checked_sub(first)?.checked_abs()?;
        let step = second - first;
        let mut largest = 0;
        let mut even = true;
        for pair in run.windows(2).skip(1) {
            let delta = pair[1] - pair[0];
            even &= delta == step;
            largest = largest.max(delta.unsigned_abs());
        }
        Some(Self {
            first: step,
            largest,
            even,
        })
    }
}

#[cfg(test)]
mod tests;
