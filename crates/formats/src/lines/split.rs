//! Text to lines, and which of them belong to a range.
//!
//! With one of the common ends configured a line ends at LF, CR or CR LF, whichever of them it was, and a byte order
//! mark at the start of the file is dropped. Any other delimiter is searched as it is, and nothing is dropped. Text
//! behind the last end is a line if there is any; an end at the end of the file makes no line behind it.
//!
//! A line that starts at `s` belongs to the range from `o` to `e` if `o < s <= e`, or if `s` and `o` are 0. So a range
//! passes over what comes before the first end at or behind its start, and reads on behind its end until its last line
//! is over. This is Paimon's rule (`StandardLineReader`), but for a byte order mark cut by the first range: the line
//! behind it starts at 0, so that it is not lost.

use std::borrow::Cow;
use std::ops::Range;
use std::str;
use std::sync::Arc;

use ftable_core::options::keys::FORMAT_TABLE_READ_MAX_LINE_LENGTH;
use memchr::memmem::Finder;
use memchr::{memchr2, memchr2_iter, memrchr2};

use super::{BadLine, InvalidText, LineFormat};
use crate::error::{BadRecordSnafu, Error, Result};

const LF: u8 = b'\n';
const CR: u8 = b'\r';
/// U+FEFF in UTF-8.
pub(super) const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
/// No array of texts holds more.
const LONGEST: u64 = i32::MAX as u64;
/// Room for the parts of a line is given back when there was one as long.
const KEPT: usize = 1024 * 1024;

/// Why a line stops a read.
pub(super) enum Failure {
    /// The line is at fault.
    Line(BadLine),
    /// Something else is.
    Other(Error),
}

impl From<BadLine> for Failure {
    fn from(bad: BadLine) -> Self {
        Self::Line(bad)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// What takes the lines.
pub(super) trait TakeLine: FnMut(&str) -> Result<(), Failure> {}

impl<F: FnMut(&str) -> Result<(), Failure>> TakeLine for F {}

/// How lines end.
enum Ends {
    /// LF, CR or CR LF.
    Common,
    Delimiter(Arc<Finder<'static>>),
}

/// Splits the text of one range.
pub(super) struct Splitter {
    path: Arc<str>,
    ends: Ends,
    invalid_text: InvalidText,
    /// Bytes of a line.
    longest: u64,
    /// Lines can be counted.
    from_start: bool,
    /// Lines that start behind it belong to the next range.
    last_start: u64,
    /// The line at hand is the header.
    header: bool,
    /// The line at hand belongs to the range before.
    foreign: bool,
    /// Bytes of a byte order mark that were seen, as long as there may be one.
    mark: Option<usize>,
    /// A CR ended the last line; an LF would be a part of its end.
    after_cr: bool,
    /// What is here of the line at hand.
    kept: Vec<u8>,
    /// Where the text that follows starts in the file.
    at: u64,
    /// Where the line at hand starts.
    start: u64,
    /// Its number, from 1.
    number: u64,
}

impl Splitter {
    /// Splits what starts at `range.start`; `last_start` is `range.end` where that is not the end of the file.
    pub(super) fn new(
        path: Arc<str>,
        format: &LineFormat,
        range: &Range<u64>,
        whole: bool,
        longest: u64,
    ) -> Self {
        let common = format.has_common_ends();
        let from_start = range.start == 0;
        Self {
            path,
            ends: match common {
                true => Ends::Common,
                false => Ends::Delimiter(Arc::new(Finder::new(&format.delimiter).into_owned())),
            },
            invalid_text: format.invalid_text,
            longest: longest.min(LONGEST),
            from_start,
            last_start: if whole { u64::MAX } else { range.end },
            header: format.header && from_start,
            foreign: !from_start,
            mark: (common && from_start).then_some(0),
            after_cr: false,
            kept: Vec::new(),
            at: range.start,
            start: range.start,
            number: 1,
        }
    }

    /// Splits the text that follows; `false` when no line that follows belongs to the range.
    pub(super) fn feed(&mut self, text: &[u8], take: &mut impl TakeLine) -> Result<bool> {
        let text = self.without_mark(text)?;
        match &self.ends {
            Ends::Common => self.common(text, take),
            Ends::Delimiter(finder) => {
                let finder = Arc::clone(finder);
                self.delimited(&finder, text, take)
            }
        }
    }

    /// Ends the file.
    pub(super) fn finish(&mut self, take: &mut impl TakeLine) -> Result<()> {
        if let Some(seen) = self.mark.take() {
            self.keep(MARK.get(..seen).unwrap_or_default())?;
        }
        if !self.kept.is_empty() && self.start <= self.last_start {
            self.end_line(&[], take)?;
        }
        Ok(())
    }

    /// The text behind a byte order mark, of which bytes may be seen and others follow.
    fn without_mark<'a>(&mut self, mut text: &'a [u8]) -> Result<&'a [u8]> {
        while let (Some(seen), Some((byte, rest))) = (self.mark, text.split_first()) {
            if MARK.get(seen) == Some(byte) {
                text = rest;
                self.at += 1;
                self.mark = Some(seen + 1).filter(|seen| *seen < MARK.len());
            } else {
                self.mark = None;
                self.at -= seen as u64;
                self.keep(MARK.get(..seen).unwrap_or_default())?;
            }
        }
        Ok(text)
    }

    fn common(&mut self, mut text: &[u8], take: &mut impl TakeLine) -> Result<bool> {
        if text.is_empty() {
            return Ok(true);
        }
        if std::mem::take(&mut self.after_cr)
            && let Some(rest) = text.strip_prefix(&[LF])
        {
            text = rest;
            self.at += 1;
            self.start = self.at;
        }
        if self.start > self.last_start {
            return Ok(false);
        }
        if self.foreign || !self.kept.is_empty() {
            let Some(end) = memchr2(LF, CR, text) else {
                return self.keep(text).map(|()| true);
            };
            let (line, rest) = text.split_at(end);
            self.end_line(line, take)?;
            text = self.behind_end(line.len() as u64, rest);
        }
        let Some(last) = memrchr2(LF, CR, text) else {
            return self.keep_begin(text);
        };
        let (lines, rest) = text.split_at(last + 1);
        let base = self.at;
        let more = match str::from_utf8(lines) {
            Ok(lines) => self.lines(
                lines.as_bytes(),
                |range| Ok(Cow::Borrowed(&lines[range])),
                take,
            )?,
            // Which line is at fault is found by looking at each.
            Err(_) => {
                let invalid_text = self.invalid_text;
                let line = |range| as_text(&lines[range], invalid_text);
                self.lines(lines, line, take)?
            }
        };
        if !more {
            return Ok(false);
        }
        self.at = base + lines.len() as u64;
        self.start = self.at;
        self.after_cr = rest.is_empty() && lines.ends_with(&[CR]);
        self.keep_begin(rest)
    }

    /// Takes lines that are all whole, the last end included; `false` when one begins behind the range.
    fn lines<'a>(
        &mut self,
        lines: &[u8],
        text: impl Fn(Range<usize>) -> Result<Cow<'a, str>, BadLine>,
        take: &mut impl TakeLine,
    ) -> Result<bool> {
        let base = self.at;
        let mut from = 0;
        for end in memchr2_iter(LF, CR, lines) {
            // The LF of a CR LF: the CR ended the line.
            if end == from && lines[end] == LF && from > 0 && lines[from - 1] == CR {
                from += 1;
                continue;
            }
            // The first line may have started before, with a byte order mark.
            if from > 0 {
                self.start = base + from as u64;
            }
            if self.start > self.last_start {
                return Ok(false);
            }
            let line = text(from..end).map_err(|bad| self.bad(bad))?;
            self.take(&line, take)?;
            from = end + 1;
        }
        Ok(true)
    }

    /// Splits at a delimiter other than the common ends.
    fn delimited(
        &mut self,
        finder: &Finder<'_>,
        mut text: &[u8],
        take: &mut impl TakeLine,
    ) -> Result<bool> {
        let length = finder.needle().len();
        if !self.kept.is_empty()
            && let Some((kept, end)) = across(finder, &self.kept, text)
        {
            self.kept.truncate(kept);
            self.end_line(&[], take)?;
            text = text.get(end..).unwrap_or_default();
        }
        while let Some(end) = finder.find(text) {
            let (line, rest) = text.split_at(end);
            self.end_line(line, take)?;
            text = rest.get(length..).unwrap_or_default();
        }
        self.keep(text)?;
        Ok(true)
    }

    /// Passes over the end that `text` begins with, of a line whose last part has so many bytes.
    fn behind_end<'a>(&mut self, line: u64, text: &'a [u8]) -> &'a [u8] {
        let length = match text {
            [CR, LF, ..] => 2,
            _ => 1,
        };
        self.after_cr = text == [CR];
        self.at += line + length as u64;
        self.start = self.at;
        text.get(length..).unwrap_or_default()
    }

    /// Keeps the begin of a line, unless it belongs to the next range.
    fn keep_begin(&mut self, text: &[u8]) -> Result<bool> {
        if self.start > self.last_start {
            return Ok(false);
        }
        self.keep(text).map(|()| true)
    }

    /// Keeps a part of the line at hand.
    fn keep(&mut self, part: &[u8]) -> Result<()> {
        self.at += part.len() as u64;
        if self.foreign {
            return Ok(());
        }
        let length = self.kept.len() + part.len();
        // The begin of a delimiter may be among it.
        let slack = match &self.ends {
            Ends::Common => 0,
            Ends::Delimiter(finder) => finder.needle().len(),
        };
        let most = self.longest.saturating_add(slack as u64);
        if length as u64 > most {
            return Err(self.too_long());
        }
        if length > self.kept.capacity() {
            // As a vector grows, but never beyond what may be needed.
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let room = (self.kept.capacity() * 2).clamp(length, most.max(length));
            self.kept.reserve_exact(room - self.kept.len());
        }
        self.kept.extend_from_slice(part);
        Ok(())
    }

    /// Ends the line at hand, whose last part is given.
    fn end_line(&mut self, part: &[u8], take: &mut impl TakeLine) -> Result<()> {
        if std::mem::take(&mut self.foreign) {
            return Ok(());
        }
        if self.kept.is_empty() {
            let line = as_text(part, self.invalid_text).map_err(|bad| self.bad(bad))?;
            return self.take(&line, take);
        }
        self.keep(part)?;
        // What follows counts the part itself.
        self.at -= part.len() as u64;
        let mut kept = std::mem::take(&mut self.kept);
        let line = as_text(&kept, self.invalid_text).map_err(|bad| self.bad(bad))?;
        self.take(&line, take)?;
        drop(line);
        if kept.capacity() <= KEPT {
            kept.clear();
            self.kept = kept;
        }
        Ok(())
    }

    fn take(&mut self, line: &str, take: &mut impl TakeLine) -> Result<()> {
        if line.len() as u64 > self.longest {
            return Err(self.too_long());
        }
        if !std::mem::take(&mut self.header) {
            take(line).map_err(|failure| match failure {
                Failure::Line(bad) => self.bad(bad),
                Failure::Other(error) => error,
            })?;
        }
        self.number += 1;
        Ok(())
    }

    fn too_long(&self) -> Error {
        let reason = format!(
            "it is longer than {} bytes; raise the option '{}' if lines are so long, which takes as much memory",
            self.longest,
            FORMAT_TABLE_READ_MAX_LINE_LENGTH.name()
        );
        self.bad(BadLine {
            column: None,
            reason,
        })
    }

    fn bad(&self, bad: BadLine) -> Error {
        let position = match self.from_start {
            true => format!("line {}", self.number),
            false => format!("the line at byte {}", self.start),
        };
        BadRecordSnafu {
            path: &*self.path,
            position,
            column: bad.column,
            reason: bad.reason,
        }
        .build()
    }
}

/// A line as text.
fn as_text(line: &[u8], invalid_text: InvalidText) -> Result<Cow<'_, str>, BadLine> {
    match (str::from_utf8(line), invalid_text) {
        (Ok(line), _) => Ok(Cow::Borrowed(line)),
        (Err(_), InvalidText::Replace) => Ok(String::from_utf8_lossy(line)),
        (Err(error), InvalidText::Refuse) => Err(BadLine {
            column: None,
            reason: format!(
                "byte {} of it is no UTF-8; convert the file to UTF-8",
                error.valid_up_to() + 1
            ),
        }),
    }
}

/// A delimiter that begins in what is kept and ends in `text`: where it begins in one and ends in the other.
fn across(finder: &Finder<'_>, kept: &[u8], text: &[u8]) -> Option<(usize, usize)> {
    let length = finder.needle().len();
    let tail = kept.get(kept.len().saturating_sub(length - 1)..)?;
    let head = text.get(..text.len().min(length - 1))?;
    let begin = finder.find(&[tail, head].concat())?;
    Some((kept.len() - tail.len() + begin, begin + length - tail.len()))
}

#[cfg(test)]
mod tests;
