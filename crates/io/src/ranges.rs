//! Which byte ranges are fetched together.
//!
//! A column chunk is next to the one before it, so many ranges cost few requests when near ones are
//! fetched as one. What is asked for is then a slice of what was fetched, without a copy.

use std::ops::Range;

use bytes::Bytes;

use crate::error::{Result, ShortReadSnafu};

/// When ranges are near enough to be fetched as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coalesce {
    /// Bytes between two ranges that may be fetched in vain.
    pub max_gap: u64,
    /// Bytes of a fetch that no further range is added to, unless it overlaps.
    pub max_fetch: u64,
}

/// A set of fetches that together hold every range asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchPlan {
    fetches: Vec<Range<u64>>,
    slices: Vec<Slice>,
}

/// Where a range asked for lies in what is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slice {
    fetch: usize,
    within: Range<usize>,
}

impl FetchPlan {
    /// Plans the fetches for ranges of a file of `size` bytes.
    ///
    /// # Errors
    /// `CorruptFile` for a range that does not lie inside the file, before anything is allocated.
    pub fn new(path: &str, size: u64, ranges: &[Range<u64>], coalesce: Coalesce) -> Result<Self> {
        for range in ranges {
            if range.start > range.end || range.end > size {
                return short_read(path, range, size);
            }
        }
        let mut order: Vec<usize> = (0..ranges.len()).collect();
        order
            .sort_unstable_by_key(|&index| ranges.get(index).map(|range| (range.start, range.end)));

        let mut plan = Self {
            fetches: Vec::new(),
            slices: vec![
                Slice {
                    fetch: 0,
                    within: 0..0
                };
                ranges.len()
            ],
        };
        for index in order {
            let (Some(range), Some(slice)) = (ranges.get(index), plan.slices.get_mut(index)) else {
                continue;
            };
            if range.is_empty() {
                continue;
            }
            match plan.fetches.last_mut() {
                Some(last) if coalesce.joins(last, range) => last.end = last.end.max(range.end),
                _ => plan.fetches.push(range.clone()),
            }
            slice.fetch = plan.fetches.len() - 1;
            let start = plan.fetches.last().map_or(range.start, |fetch| fetch.start);
            let offset = |position: u64| usize::try_from(position - start);
            let (Ok(first), Ok(last)) = (offset(range.start), offset(range.end)) else {
                return short_read(path, range, size);
            };
            slice.within = first..last;
        }
        Ok(plan)
    }

    /// What is to be fetched: sorted, inside the file, none empty.
    pub fn fetches(&self) -> &[Range<u64>] {
        &self.fetches
    }

    /// Cuts what was fetched into the ranges asked for, in their order, without a copy.
    ///
    /// `None` when the buffers are not those of [`fetches`](Self::fetches).
    pub fn slice(&self, buffers: &[Bytes]) -> Option<Vec<Bytes>> {
        self.slices
            .iter()
            .map(|slice| {
                if slice.within.is_empty() {
                    return Some(Bytes::new());
                }
                let buffer = buffers.get(slice.fetch)?;
                (slice.within.end <= buffer.len()).then(|| buffer.slice(slice.within.clone()))
            })
            .collect()
    }
}

impl Coalesce {
    /// Whether `next`, which begins no earlier than `last`, is fetched with it.
    fn joins(self, last: &Range<u64>, next: &Range<u64>) -> bool {
        let overlaps = next.start < last.end;
        let near = next.start <= last.end.saturating_add(self.max_gap);
        overlaps || (near && next.end - last.start <= self.max_fetch)
    }
}

fn short_read<T>(path: &str, range: &Range<u64>, size: u64) -> Result<T> {
    ShortReadSnafu {
        path,
        start: range.start,
        end: range.end,
        size,
    }
    .fail()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEAR: Coalesce = Coalesce {
        max_gap: 4,
        max_fetch: 20,
    };

    fn fetches(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        FetchPlan::new("/f", 100, ranges, NEAR).unwrap().fetches
    }

    #[test]
    fn near_ranges_are_fetched_together() {
        assert_eq!(fetches(&[0..2, 6..8]), vec![0..8]);
        assert_eq!(fetches(&[0..2, 7..8]), vec![0..2, 7..8]);
        assert_eq!(fetches(&[6..8, 0..2]), vec![0..8]);
        assert_eq!(fetches(&[0..4, 2..3, 0..4]), vec![0..4]);
    }

    #[test]
    fn a_fetch_grows_past_its_limit_only_by_overlap() {
        assert_eq!(fetches(&[0..12, 12..21]), vec![0..12, 12..21]);
        assert_eq!(fetches(&[0..12, 12..20]), vec![0..20]);
        assert_eq!(fetches(&[0..12, 11..40]), vec![0..40]);
    }

    #[test]
    fn empty_ranges_are_not_fetched() {
        let plan = FetchPlan::new("/f", 100, &[5..5, 100..100], NEAR).unwrap();
        assert!(plan.fetches().is_empty());
        assert_eq!(plan.slice(&[]).unwrap(), vec![Bytes::new(), Bytes::new()]);
    }

    #[test]
    fn ranges_outside_the_file_are_refused() {
        let backwards = Range { start: 5, end: 4 };
        for range in [90..101, u64::MAX - 1..u64::MAX, 0..u64::MAX, backwards] {
            let error = FetchPlan::new("/t/f", 100, &[0..1, range.clone()], NEAR).unwrap_err();
            assert_eq!(error.kind(), ftable_core::ErrorKind::CorruptFile);
            let text = error.to_string();
            let expected = format!(
                "bytes {}..{} of '/t/f': it has 100 bytes",
                range.start, range.end
            );
            assert!(text.contains(&expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_served_is_what_was_asked_for(
            content in proptest::collection::vec(any::<u8>(), 0..300),
            bounds in proptest::collection::vec((any::<u16>(), any::<u16>()), 0..20),
            max_gap in 0_u64..50,
            max_fetch in 0_u64..200,
        ) {
            let size = content.len() as u64;
            let within = |position: u16| u64::from(position) % (size + 1);
            let ranges: Vec<Range<u64>> = bounds
                .iter()
                .map(|&(a, b)| within(a).min(within(b))..within(a).max(within(b)))
                .collect();
            let coalesce = Coalesce { max_gap, max_fetch };
            let plan = FetchPlan::new("/f", size, &ranges, coalesce).unwrap();
            let content = Bytes::from(content);
            let cut = |range: &Range<u64>| content.slice(range.start as usize..range.end as usize);
            let buffers: Vec<Bytes> = plan.fetches().iter().map(cut).collect();
            let expected: Vec<Bytes> = ranges.iter().map(cut).collect();
            prop_assert_eq!(plan.slice(&buffers).unwrap(), expected);
            // Fetches never overlap, so no byte is fetched twice.
            prop_assert!(plan.fetches().windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
