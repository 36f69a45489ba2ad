//! The bytes of a file in order, the next block fetched while one is worked on.
//!
//! Blocks of a local file are read where they are worked on: passing them from thread to thread takes longer than
//! copying them from the memory of the system.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use ftable_io::InputFile;
use tokio::task::JoinSet;

use crate::error::{CutOffSnafu, Result};

/// Bytes of a block that is worth a request.
const BLOCK: u64 = 4 * 1024 * 1024;
/// Bytes of the first block, for those who need a few rows only, of what follows a range, which is the end of its last
/// line, and of all blocks of a local file: they stay near the processor.
const SMALL: u64 = 256 * 1024;
/// Each block is so many times as long as the one before, up to a whole one.
const GROWTH: u64 = 4;
/// Bytes at the start of a file that tell what it is.
pub(super) const HEAD: u64 = 16;

/// Blocks of a file from the start of a range on.
pub(super) struct Blocks {
    file: Arc<dyn InputFile>,
    /// The first byte that has not been asked for.
    next: u64,
    /// Where the range ends. What lies behind it is fetched on demand only.
    end: u64,
    /// Bytes of the block to be asked for next.
    length: u64,
    /// What lies behind the range has been asked for.
    behind: bool,
    /// A block that is here.
    ready: Option<Bytes>,
    /// The fetch of the block after it; gives up when it is dropped.
    ahead: JoinSet<ftable_io::Result<Bytes>>,
}

impl Blocks {
    /// Fetches the first block, and the first bytes of the file.
    pub(super) async fn open(
        file: Arc<dyn InputFile>,
        range: &Range<u64>,
    ) -> Result<(Self, Bytes)> {
        let size = file.size();
        let mut blocks = Self {
            file,
            next: range.start.min(size),
            end: range.end.min(size),
            length: SMALL,
            behind: false,
            ready: None,
            ahead: JoinSet::new(),
        };
        let Some(first) = blocks.next_range() else {
            return Ok((blocks, Bytes::new()));
        };
        let head = 0..HEAD.min(size);
        let fetched = match first.start {
            0 => vec![blocks.file.read(first).await?],
            _ => blocks.file.read_ranges(&[head, first]).await?,
        };
        blocks.ready = fetched.last().cloned();
        let head = fetched.first().cloned().unwrap_or_default();
        let length = head.len().min(HEAD as usize);
        Ok((blocks, head.slice(..length)))
    }

    /// The block that follows, read on this thread where the file can be; `None` where it has to be waited for.
    pub(super) fn next_blocking(&mut self) -> Option<Result<Option<Bytes>>> {
        self.file.blocking_reader()?;
        if let Some(block) = self.ready.take() {
            return Some(Ok(Some(block)));
        }
        let range = self.next_range();
        let reader = self.file.blocking_reader()?;
        Some(
            range
                .map(|range| Ok(reader.read_blocking(range)?))
                .transpose(),
        )
    }

    /// The block that follows; `None` at the end of the file, not of the range.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>> {
        let block = match self.ready.take() {
            Some(block) => block,
            None => match self.ahead.join_next().await {
                Some(Ok(fetched)) => fetched?,
                Some(Err(_)) => {
                    return CutOffSnafu {
                        path: self.file.path(),
                        what: "reading",
                    }
                    .fail();
                }
                None => match self.next_range() {
                    Some(range) => self.file.read(range).await?,
                    None => return Ok(None),
                },
            },
        };
        if self.file.blocking_reader().is_none()
            && self.next < self.end
            && let Some(range) = self.next_range()
        {
            let file = Arc::clone(&self.file);
            self.ahead.spawn(async move { file.read(range).await });
        }
        Ok(Some(block))
    }

    fn next_range(&mut self) -> Option<Range<u64>> {
        let size = self.file.size();
        let start = self.next;
        if start >= size {
            return None;
        }
        if start >= self.end && !std::mem::replace(&mut self.behind, true) {
            self.length = SMALL;
        }
        let mut stop = start.saturating_add(self.length);
        if start < self.end && stop >= self.end {
            // The last line of the range ends a little behind it.
            stop = self.end.saturating_add(SMALL);
        }
        let most = match self.file.blocking_reader() {
            Some(_) => SMALL,
            None => BLOCK,
        };
        self.length = (self.length * GROWTH).min(most);
        self.next = stop.min(size);
        Some(start..self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::testing::Recorded;
    use crate::testing::run;

    const KIB: u64 = 1024;

    /// The ranges that are asked for when a range is read and so many blocks are taken.
    fn asked(size: u64, range: Range<u64>, blocks: usize) -> Vec<Range<u64>> {
        let file = Arc::new(Recorded::new("/t/a.csv", size));
        run(async {
            let shared = Arc::clone(&file) as Arc<dyn InputFile>;
            let (mut source, head) = Blocks::open(shared, &range).await.unwrap();
            assert_eq!(head, file.bytes(0..HEAD.min(size)));
            let mut at = range.start;
            for _ in 0..blocks {
                match source.next().await.unwrap() {
                    Some(block) => {
                        let end = at + block.len() as u64;
                        assert!(block == file.bytes(at..end), "{at}");
                        at = end;
                    }
                    None => assert_eq!(at, size),
                }
            }
            // The fetch ahead has no part in what was taken, but is on its way.
            while let Some(fetched) = source.ahead.join_next().await {
                fetched.unwrap().unwrap();
            }
        });
        file.asked()
    }

    #[test]
    fn blocks_grow_and_follow_each_other() {
        let size = 9_000 * KIB;
        let blocks = [
            0..256 * KIB,
            256 * KIB..1_280 * KIB,
            1_280 * KIB..5_376 * KIB,
            5_376 * KIB..size,
        ];
        assert_eq!(asked(size, 0..size, 9), blocks);
        // One block is fetched ahead of the one that is taken, and no more.
        assert_eq!(asked(size, 0..size, 0), blocks[..1]);
        assert_eq!(asked(size, 0..size, 1), blocks[..2]);
        assert_eq!(asked(size, 0..size, 2), blocks[..3]);
        // A small file is one block.
        assert_eq!(asked(10, 0..10, 3), [Range { start: 0, end: 10 }]);
        assert_eq!(asked(0, 0..0, 3), Vec::<Range<u64>>::new());
    }

    #[test]
    fn what_follows_a_range_is_fetched_on_demand() {
        let size = 9_000 * KIB;
        let (start, end) = (1_000, 1_000 + 300 * KIB);
        let mut ranges = vec![
            0..HEAD,
            start..start + 256 * KIB,
            start + 256 * KIB..end + 256 * KIB,
        ];
        assert_eq!(asked(size, start..end, 2), ranges);
        ranges.extend([
            end + 256 * KIB..end + 512 * KIB,
            end + 512 * KIB..end + 1_536 * KIB,
        ]);
        assert_eq!(asked(size, start..end, 4), ranges);
        // A range at the end of a file goes no further than it.
        let last = size - 10..size;
        assert_eq!(asked(size, last.clone(), 3), [0..HEAD, last]);
    }
}
