//! The framing of Hadoop's block codecs, which is neither the snappy framing format nor an LZ4 frame.
//!
//! A block is the length of its text, then chunks until they hold as much: the length of a chunk, and the chunk, raw
//! snappy or a raw LZ4 block. Lengths have four bytes, the first the highest. A stream without text is one block of
//! length 0. Java's writers make blocks of one chunk of up to 256 KiB.

use super::{CUT_OFF, Unpack};

/// Bytes of a chunk, packed or not. No known writer comes near it.
const LARGEST: usize = 16 * 1024 * 1024;
/// An LZ4 block unpacks to at most so many times its bytes.
const LZ4_RATIO: usize = 255;
/// How the snappy framing format begins.
const SNAPPY_FRAME: [u8; 4] = [0xff, 6, 0, 0];
/// How an LZ4 frame begins.
const LZ4_FRAME: [u8; 4] = [4, 0x22, 0x4d, 0x18];

/// What chunks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    Snappy,
    Lz4,
}

/// What is read next.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// The length of a block.
    Block,
    /// The length of a chunk, in a block that lacks so much text.
    Length { lacking: usize },
    /// A chunk.
    Chunk { lacking: usize, length: usize },
}

pub(super) struct Blocks {
    raw: Raw,
    next: Next,
    /// The first length has been read.
    begun: bool,
    /// The part that is here of what is read next.
    part: Vec<u8>,
    /// The text of a chunk: what of it is there, and what has been given out.
    text: Vec<u8>,
    filled: usize,
    given: usize,
}

impl Blocks {
    pub(super) fn new(raw: Raw) -> Self {
        Self {
            raw,
            next: Next::Block,
            begun: false,
            part: Vec::new(),
            text: Vec::new(),
            filled: 0,
            given: 0,
        }
    }

    fn give(&mut self, out: &mut Vec<u8>) {
        let room = out.capacity() - out.len();
        let text = self.text.get(self.given..self.filled).unwrap_or_default();
        let piece = text.get(..room.min(text.len())).unwrap_or_default();
        out.extend_from_slice(piece);
        self.given += piece.len();
    }

    /// Takes in what was read.
    fn advance(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.next = match self.next {
            Next::Block => {
                let length = number(bytes);
                self.check_begin(bytes)?;
                match length {
                    0 => Next::Block,
                    lacking => Next::Length { lacking },
                }
            }
            Next::Length { lacking } => match number(bytes) {
                0 => return Err("a chunk has no bytes".to_owned()),
                length if length > LARGEST => {
                    return Err(format!(
                        "a chunk claims {length} bytes; {LARGEST} are read at most"
                    ));
                }
                length => Next::Chunk { lacking, length },
            },
            Next::Chunk { lacking, .. } => {
                self.given = 0;
                self.filled = 0;
                self.filled = self.unpack_chunk(bytes, lacking)?;
                match lacking - self.filled {
                    0 => Next::Block,
                    lacking => Next::Length { lacking },
                }
            }
        };
        Ok(())
    }

    /// Other framings of the same codecs would be read as blocks of gigabytes.
    fn check_begin(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (frame, name) = match self.raw {
            Raw::Snappy => (SNAPPY_FRAME, "the snappy framing format"),
            Raw::Lz4 => (LZ4_FRAME, "an LZ4 frame"),
        };
        match !std::mem::replace(&mut self.begun, true) && bytes == frame {
            true => Err(format!(
                "the file is in {name}; what is read is the framing of Hadoop's codec, so compress it anew"
            )),
            false => Ok(()),
        }
    }

    /// Unpacks a chunk of a block that lacks so much text, and says how much it held.
    fn unpack_chunk(&mut self, chunk: &[u8], lacking: usize) -> Result<usize, String> {
        let claimed = match self.raw {
            Raw::Snappy => snap::raw::decompress_len(chunk).map_err(|error| error.to_string())?,
            Raw::Lz4 => lacking.min(chunk.len().saturating_mul(LZ4_RATIO)),
        };
        if self.raw == Raw::Snappy && claimed > lacking {
            return Err("a chunk holds more than its block says".to_owned());
        }
        if self.raw == Raw::Snappy && claimed > LARGEST {
            return Err(format!(
                "a chunk claims {claimed} bytes of text; {LARGEST} are read at most"
            ));
        }
        let room = claimed.min(LARGEST);
        if self.text.len() < room {
            self.text.resize(room, 0);
        }
        let text = self.text.get_mut(..room).unwrap_or_default();
        match self.raw {
            Raw::Snappy => snap::raw::Decoder::new()
                .decompress(chunk, text)
                .map_err(|error| error.to_string()),
            Raw::Lz4 => {
                lz4_flex::block::decompress_into(chunk, text).map_err(|error| error.to_string())
            }
        }
    }
}

/// A length. Four bytes at most are given.
fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | usize::from(*byte))
}

impl Unpack for Blocks {
    fn unpack(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        if self.given < self.filled {
            self.give(out);
            return Ok(0);
        }
        let whole = match self.next {
            Next::Block | Next::Length { .. } => 4,
            Next::Chunk { length, .. } => length,
        };
        let taken = (whole - self.part.len()).min(input.len());
        let bytes = input.get(..taken).unwrap_or_default();
        if self.part.is_empty() && taken == whole {
            self.advance(bytes)?;
        } else {
            self.part.extend_from_slice(bytes);
            if self.part.len() < whole {
                return Ok(taken);
            }
            let part = std::mem::take(&mut self.part);
            self.advance(&part)?;
            self.part = part;
            self.part.clear();
        }
        self.give(out);
        Ok(taken)
    }

    fn end(&mut self) -> Result<(), String> {
        match (self.next, self.part.is_empty()) {
            (Next::Block, true) => Ok(()),
            _ => Err(CUT_OFF.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
