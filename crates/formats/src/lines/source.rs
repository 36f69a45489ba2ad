//! A file or a range of one, opened: its codec, its blocks, and the windows of its text.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use ftable_io::InputFile;

use super::LineFormat;
use super::blocks::Blocks;
use super::codec::{by_content, by_name};
use super::decompress::Unpacker;
use crate::error::{CorruptSnafu, Error, Result, UnsupportedSnafu};

/// Bytes of text looked at at a time: they are scanned more than once, so they should stay near.
pub(super) const WINDOW: usize = 128 * 1024;

/// A file that has lines to read.
pub(super) struct Source {
    pub(super) path: Arc<str>,
    pub(super) blocks: Blocks,
    pub(super) text: Text,
    /// The range: a line belongs to it that starts behind its start and not behind its end, and the first of the file.
    pub(super) range: Range<u64>,
    /// The range is the file.
    pub(super) whole: bool,
}

impl Source {
    /// Opens a file; `None` when no line can belong to the range.
    ///
    /// # Errors
    /// A compression that is not read, and a part of a file that is read as a whole only.
    pub(super) async fn open(
        file: Arc<dyn InputFile>,
        range: Option<Range<u64>>,
        format: &LineFormat,
    ) -> Result<Option<Self>> {
        let path: Arc<str> = file.path().into();
        let size = file.size();
        let whole = range
            .as_ref()
            .is_none_or(|range| range.start == 0 && range.end >= size);
        let range = range.filter(|_| !whole).unwrap_or(0..size);
        let named = by_name(&path, format.format)?;
        if !whole && named.is_some() {
            return Err(no_parts(&path, format, "a compressed file"));
        }
        if !whole && !format.has_common_ends() {
            return Err(no_parts(
                &path,
                format,
                "a file with a line delimiter of its own",
            ));
        }
        if named.is_none() && (range.is_empty() || range.start >= size) {
            return Ok(None);
        }
        let (blocks, head) = Blocks::open(file, &range).await?;
        let codec = match named {
            Some(codec) => Some(codec),
            None => by_content(&path, format.format, &head)?,
        };
        if !whole && codec.is_some() {
            return Err(no_parts(&path, format, "a compressed file"));
        }
        let unpacker = codec.map(Unpacker::new).transpose();
        let text = Text {
            path: Arc::clone(&path),
            format: format.format,
            unpacker: unpacker.map_err(|message| corrupt(&path, format.format, message))?,
            block: Bytes::new(),
            window: 0,
            ended: false,
        };
        Ok(Some(Self {
            path,
            blocks,
            text,
            range,
            whole,
        }))
    }
}

fn no_parts(path: &str, format: &LineFormat, what: &str) -> Error {
    UnsupportedSnafu {
        format: format.format,
        what: format!("{path}: reading a byte range of {what}"),
        reason: "where its lines begin cannot be told; read it as a whole",
    }
    .build()
}

fn corrupt(path: &str, format: &'static str, message: String) -> Error {
    CorruptSnafu {
        path,
        format,
        message,
    }
    .build()
}

/// The text of blocks, as they are or unpacked.
pub(super) struct Text {
    path: Arc<str>,
    format: &'static str,
    unpacker: Option<Unpacker>,
    block: Bytes,
    /// Bytes of `block` that were given out, where it is text.
    window: usize,
    ended: bool,
}

/// What comes next of a text.
pub(super) enum Next<'a> {
    /// Some of it, not empty.
    Window(&'a [u8]),
    /// Another block has to be given first.
    Needs,
    /// Nothing.
    Ended,
}

impl Text {
    /// Gives the block that follows; `None` at the end of the file.
    pub(super) fn push(&mut self, block: Option<Bytes>) {
        self.ended = block.is_none();
        self.block = block.unwrap_or_default();
        self.window = 0;
    }

    /// The text that follows.
    ///
    /// # Errors
    /// A compressed file that is broken or cut off.
    pub(super) fn next(&mut self) -> Result<Next<'_>> {
        let Some(unpacker) = &mut self.unpacker else {
            self.block.advance(self.window);
            self.window = self.block.len().min(WINDOW);
            return Ok(match self.block.get(..self.window) {
                Some(window) if !window.is_empty() => Next::Window(window),
                _ if self.ended => Next::Ended,
                _ => Next::Needs,
            });
        };
        let failed = |message| corrupt(&self.path, self.format, message);
        if unpacker.next(&mut self.block).map_err(failed)? {
            return Ok(Next::Window(unpacker.piece()));
        }
        if self.ended {
            unpacker.end().map_err(failed)?;
            return Ok(Next::Ended);
        }
        Ok(Next::Needs)
    }
}
