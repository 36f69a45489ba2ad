//! How many lines there are, without splitting them.
//!
//! A line starts at the start of the file, unless the file is empty, and behind each end but one at the end of the
//! file. So it is ends that are counted, and of those behind which the range ends the byte that follows.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use futures::TryStreamExt;
use memchr::{memchr, memchr_iter};
use tokio::task::yield_now;

use super::LineFormat;
use super::blocks::Blocks;
use super::source::{Next, Source, Text};
use super::split::{MARK, Splitter};
use crate::error::Result;
use crate::format::{FileFormat, ReadRequest};
use crate::offload;

/// Blocks of a local file that are counted in one visit to the blocking pool.
const VISIT_BLOCKS: usize = 64;
const LF: u8 = b'\n';
const CR: u8 = b'\r';

/// How many lines belong to a file or to a range of it, the header not counted.
///
/// Lines with a common end are not looked into: neither their length nor their encoding is checked.
///
/// # Errors
/// A compressed file that is broken, and what reading refuses of its name.
pub(crate) async fn count_lines(request: &ReadRequest, format: LineFormat) -> Result<u64> {
    let (file, range) = (Arc::clone(&request.file), request.range.clone());
    let Some(source) = Source::open(file, range, &format).await? else {
        return Ok(0);
    };
    let Source {
        path,
        mut blocks,
        mut text,
        range,
        whole,
    } = source;
    let mut counter = match format.has_common_ends() {
        true => Counter::Ends(Starts::new(&range, whole, format.header)),
        false => Counter::Lines(
            Box::new(Splitter::new(
                Arc::clone(&path),
                &format,
                &range,
                whole,
                request.options.read_max_line_length,
            )),
            0,
        ),
    };
    loop {
        text.push(blocks.next().await?);
        let (state, ended) = offload::decode(&path, format.format, move || {
            let ended = visit(&mut counter, &mut text, &mut blocks)?;
            Ok(((counter, text, blocks), ended))
        })
        .await?;
        (counter, text, blocks) = state;
        if ended {
            return Ok(counter.lines());
        }
        // A caller that gave up is noticed where this waits.
        yield_now().await;
    }
}

/// How many rows a read of no column gives, where not every line is one.
///
/// # Errors
/// What the read refuses.
pub(crate) async fn count_by_reading(format: &dyn FileFormat, request: ReadRequest) -> Result<u64> {
    let request = ReadRequest {
        fields: Arc::default(),
        ..request
    };
    let batches = format.read(request).await?;
    let count = |rows, batch: RecordBatch| async move { Ok(rows + batch.num_rows() as u64) };
    batches.try_fold(0, count).await
}

/// Counts until another block has to be waited for, or for a while; `true` when all has been counted.
fn visit(counter: &mut Counter, text: &mut Text, blocks: &mut Blocks) -> Result<bool> {
    for _ in 1..VISIT_BLOCKS {
        if counter.visit(text)? {
            return Ok(true);
        }
        match blocks.next_blocking() {
            Some(block) => text.push(block?),
            None => return Ok(false),
        }
    }
    counter.visit(text)
}

enum Counter {
    Ends(Starts),
    /// Delimiters other than the common ends may overlap, so lines are split to be counted.
    Lines(Box<Splitter>, u64),
}

impl Counter {
    /// Counts what is here of a text; `true` when all has been counted.
    fn visit(&mut self, text: &mut Text) -> Result<bool> {
        loop {
            match (text.next()?, &mut *self) {
                (Next::Needs, _) => return Ok(false),
                (Next::Ended, Self::Ends(_)) => return Ok(true),
                (Next::Ended, Self::Lines(splitter, lines)) => {
                    splitter.finish(&mut |_: &str| {
                        *lines += 1;
                        Ok(())
                    })?;
                    return Ok(true);
                }
                (Next::Window(window), Self::Ends(starts)) => {
                    if starts.feed(window) {
                        return Ok(true);
                    }
                }
                (Next::Window(window), Self::Lines(splitter, lines)) => {
                    splitter.feed(window, &mut |_: &str| {
                        *lines += 1;
                        Ok(())
                    })?;
                }
            }
        }
    }

    fn lines(self) -> u64 {
        match self {
            Self::Ends(starts) => starts.lines(),
            Self::Lines(_, lines) => lines,
        }
    }
}

/// Counts where lines start that end at LF, CR or CR LF.
struct Starts {
    lines: u64,
    header: bool,
    /// Bytes of the range that are still to come.
    left: u64,
    /// The last byte, if it ended a line or is a CR that may.
    end: Option<u8>,
    /// Whether there is a first line, as long as that is not known: bytes of a byte order mark that were seen.
    mark: Option<usize>,
}

impl Starts {
    fn new(range: &Range<u64>, whole: bool, header: bool) -> Self {
        let from_start = range.start == 0;
        Self {
            lines: 0,
            header: header && from_start,
            left: match whole {
                true => u64::MAX,
                false => range.end.saturating_sub(range.start),
            },
            end: None,
            mark: from_start.then_some(0),
        }
    }

    /// Counts the text that follows, which is not empty; `true` when nothing that follows counts.
    fn feed(&mut self, text: &[u8]) -> bool {
        self.look_for_first(text);
        let inside = usize::try_from(self.left).map_or(text.len(), |left| left.min(text.len()));
        self.left -= inside as u64;
        let (counted, behind) = text.split_at(inside);
        if let Some(first) = counted.first().or(behind.first()) {
            self.end_before(*first);
        }
        if let Some((last, _)) = counted.split_last() {
            self.lines += starts_within(counted);
            self.end = Some(*last).filter(|byte| matches!(*byte, LF | CR));
        }
        if let (false, Some(first)) = (counted.is_empty(), behind.first()) {
            self.end_before(*first);
        }
        self.left == 0 && self.end.is_none() && self.mark.is_none()
    }

    /// The first line is there once a byte is that is not a part of a byte order mark.
    fn look_for_first(&mut self, text: &[u8]) {
        for byte in text {
            let Some(seen) = self.mark else {
                return;
            };
            if MARK.get(seen) == Some(byte) {
                self.mark = Some(seen + 1);
            } else {
                self.mark = None;
                self.lines += 1;
            }
        }
    }

    /// A line starts behind the last end, since a byte follows it.
    fn end_before(&mut self, next: u8) {
        match self.end.take() {
            None => {}
            // The two end one line together.
            Some(CR) if next == LF => {}
            Some(_) => self.lines += 1,
        }
    }

    fn lines(self) -> u64 {
        let first = match self.mark {
            // A part of a mark is a line.
            Some(seen) if seen > 0 && seen < MARK.len() => 1,
            _ => 0,
        };
        (self.lines + first).saturating_sub(u64::from(self.header))
    }
}

/// Lines that start in `text` behind an end in it.
fn starts_within(text: &[u8]) -> u64 {
    let Some((_, body)) = text.split_last() else {
        return 0;
    };
    let mut starts = memchr_iter(LF, body).count();
    if let Some(first) = memchr(CR, body) {
        let alone = |at: &usize| text.get(first + at + 1) != Some(&LF);
        starts += memchr_iter(CR, &body[first..]).filter(alone).count();
    }
    starts as u64
}

#[cfg(test)]
mod tests;
