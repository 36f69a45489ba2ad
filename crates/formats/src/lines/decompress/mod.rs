//! Compressed blocks to text, in bounded pieces.
//!
//! Decoders are pushed: each takes what it can of the bytes at hand and fills the room it is given, so it goes on
//! wherever a block ends, and a few bytes that stand for many make no more than one piece at a time.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `streams` | gzip, zlib, bzip2, zstd and xz, of several members, streams or frames |
//! | `hadoop` | snappy and LZ4 in the framing of Hadoop's block codecs |

mod hadoop;
mod streams;

use bytes::{Buf, Bytes};

use super::codec::Codec;
use super::source::WINDOW;
use hadoop::{Blocks, Raw};
use streams::{Bzip2, Inflate, Xz, Zstd};

/// A decoder. What goes wrong is told as a text; the caller knows the file and the codec.
trait Unpack: Send {
    /// Unpacks some of `input` into the room that `out` has, and says how many bytes of it were taken.
    ///
    /// Bytes of text may follow without input, but only after the room was filled up.
    fn unpack(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String>;

    /// Told that no more input comes.
    fn end(&mut self) -> Result<(), String>;
}

/// What a file that stops too early is told as.
const CUT_OFF: &str = "the file ends within it, so it is cut off";

/// Unpacks the blocks of one file.
pub(super) struct Unpacker {
    codec: Codec,
    decoder: Box<dyn Unpack>,
    out: Vec<u8>,
    /// The last piece filled its room, so that there may be more.
    full: bool,
}

impl Unpacker {
    pub(super) fn new(codec: Codec) -> Result<Self, String> {
        let decoder: Result<Box<dyn Unpack>, String> = match codec {
            Codec::Gzip => Ok(Box::new(Inflate::gzip())),
            Codec::Deflate => Ok(Box::new(Inflate::zlib())),
            Codec::Bzip2 => Ok(Box::new(Bzip2::new())),
            Codec::Zstd => Zstd::new().map(|zstd| Box::new(zstd) as Box<dyn Unpack>),
            Codec::Xz => Xz::new().map(|xz| Box::new(xz) as Box<dyn Unpack>),
            Codec::Snappy => Ok(Box::new(Blocks::new(Raw::Snappy))),
            Codec::Lz4 => Ok(Box::new(Blocks::new(Raw::Lz4))),
        };
        Ok(Self {
            codec,
            decoder: decoder.map_err(|error| of_codec(codec, &error))?,
            out: Vec::with_capacity(WINDOW),
            full: false,
        })
    }

    /// Makes the piece of text that follows, taking of `block` what it needs; `false` when it needs another block.
    pub(super) fn next(&mut self, block: &mut Bytes) -> Result<bool, String> {
        self.out.clear();
        while self.full || !block.is_empty() {
            let taken = self
                .decoder
                .unpack(block, &mut self.out)
                .map_err(|error| of_codec(self.codec, &error))?;
            block.advance(taken.min(block.len()));
            self.full = self.out.len() == self.out.capacity();
            if !self.out.is_empty() {
                return Ok(true);
            }
            if taken == 0 && !block.is_empty() {
                return Err(of_codec(self.codec, "its bytes lead nowhere"));
            }
        }
        Ok(false)
    }

    /// The piece that was made last.
    pub(super) fn piece(&self) -> &[u8] {
        &self.out
    }

    /// Told that the file has ended.
    pub(super) fn end(&mut self) -> Result<(), String> {
        self.decoder
            .end()
            .map_err(|error| of_codec(self.codec, &error))
    }
}

fn of_codec(codec: Codec, reason: &str) -> String {
    format!("decompressing {}: {reason}", codec.name())
}

#[cfg(test)]
mod tests;
