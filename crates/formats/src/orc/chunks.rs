//! Compression chunks: what their headers claim, looked at before anything is unpacked.
//!
//! Every stream and message of a compressed file is cut into chunks, each with a header of three bytes. The
//! decoder takes headers at their word and makes room for whatever a chunk says it holds.

use std::fmt::Display;
use std::io::{Cursor, Read};

use ::zstd::bulk::Decompressor;
use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use orc_rust::compression::{Compression, Decompressor as OrcDecompressor};

use crate::zstd;

/// Bytes of the header of a chunk.
pub(super) const HEADER: usize = 3;
/// A header has 23 bits for a length.
pub(super) const LARGEST_BLOCK: u64 = 1 << 23;
/// The most bytes that DEFLATE and LZ4 make of one, and what they may make beyond it.
const DEFLATE_RATIO: u64 = 1032;
const LZ4_RATIO: u64 = 255;
const SLACK: u64 = 1024;
/// The block size of writers that do not name one.
const DEFAULT_BLOCK: u64 = 256 * 1024;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Codec {
    pub(super) kind: CodecKind,
    /// No chunk holds more bytes than this.
    pub(super) block: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodecKind {
    None,
    Zlib,
    Snappy,
    Lzo,
    Lz4,
    Zstd,
}

impl Codec {
    /// From the number and the block size of a postscript.
    pub(super) fn new(number: u64, block: Option<u64>) -> Result<Self, String> {
        let kind = match number {
            0 => CodecKind::None,
            1 => CodecKind::Zlib,
            2 => CodecKind::Snappy,
            3 => CodecKind::Lzo,
            4 => CodecKind::Lz4,
            5 => CodecKind::Zstd,
            6 => return Err("compression BROTLI is not supported".to_owned()),
            other => return Err(format!("compression {other} is not known")),
        };
        let block = block.unwrap_or(DEFAULT_BLOCK);
        if kind != CodecKind::None && !(1..=LARGEST_BLOCK).contains(&block) {
            return Err(format!("compression chunks of {block} bytes cannot be"));
        }
        Ok(Self { kind, block })
    }

    /// The number of this codec in a postscript.
    pub(super) fn number(self) -> u64 {
        match self.kind {
            CodecKind::None => 0,
            CodecKind::Zlib => 1,
            CodecKind::Snappy => 2,
            CodecKind::Lzo => 3,
            CodecKind::Lz4 => 4,
            CodecKind::Zstd => 5,
        }
    }

    /// Refuses chunks that reach beyond their stream or claim more than a block; else the most bytes they unpack to.
    pub(super) fn check(self, mut bytes: &[u8]) -> Result<u64, String> {
        if self.kind == CodecKind::None {
            return Ok(bytes.len() as u64);
        }
        let mut most = 0_u64;
        while !bytes.is_empty() {
            let (header, rest) = bytes
                .split_first_chunk::<3>()
                .ok_or("a chunk's header is cut")?;
            let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
            let length = (header >> 1) as usize;
            let (chunk, rest) = rest
                .split_at_checked(length)
                .ok_or("a chunk is longer than its stream")?;
            bytes = rest;
            most += match header & 1 {
                1 => length as u64,
                _ => self.check_chunk(chunk)?,
            };
        }
        Ok(most)
    }

    fn check_chunk(self, chunk: &[u8]) -> Result<u64, String> {
        let stored = chunk.len() as u64;
        let claimed = match self.kind {
            CodecKind::Snappy => super::wire::varint(&mut &*chunk),
            CodecKind::Zstd => zstd::content_size(chunk),
            _ => None,
        };
        let length = claimed.unwrap_or(0).max(stored);
        if length > self.block {
            return Err(format!(
                "a chunk of {length} bytes is more than the block of {}",
                self.block
            ));
        }
        let most = match self.kind {
            CodecKind::Snappy => claimed,
            CodecKind::Zstd => zstd::most(chunk),
            CodecKind::Zlib => Some(stored * DEFLATE_RATIO + SLACK),
            CodecKind::Lz4 => Some(stored * LZ4_RATIO + SLACK),
            CodecKind::None | CodecKind::Lzo => None,
        };
        Ok(most.map_or(self.block, |most| most.min(self.block)))
    }

    /// Whether a stream that unpacks to at most so many bytes can be made [one chunk](Unpacker::repack).
    pub(super) fn can_repack(self, most: u64) -> bool {
        !matches!(self.kind, CodecKind::None | CodecKind::Lzo) && most > 0 && most < LARGEST_BLOCK
    }

    /// Stores bytes as the chunks of a file with this codec.
    pub(super) fn store(self, bytes: &[u8]) -> Vec<u8> {
        if self.kind == CodecKind::None {
            return bytes.to_vec();
        }
        let mut stored = Vec::with_capacity(bytes.len() + 3);
        for chunk in bytes.chunks(self.block.clamp(1, LARGEST_BLOCK - 1) as usize) {
            // Less than 2^23, so that it fits with the mark of what is stored as it is.
            let header = (chunk.len() as u32) << 1 | 1;
            stored.extend_from_slice(&header.to_le_bytes()[..3]);
            stored.extend_from_slice(chunk);
        }
        stored
    }
}

/// Unpacks streams, with what a codec needs made once.
pub(super) struct Unpacker {
    codec: Codec,
    compression: Option<Compression>,
    zstd: Option<Decompressor<'static>>,
    deflate: Decompress,
}

impl Unpacker {
    /// `compression` is the codec as the decoder has it.
    pub(super) fn new(codec: Codec, compression: Option<Compression>) -> Self {
        Self {
            codec,
            compression,
            zstd: None,
            deflate: Decompress::new(false),
        }
    }

    /// Unpacks chunks that were [checked](Codec::check).
    pub(super) fn unpack(&mut self, stored: &Bytes) -> Result<Bytes, String> {
        match self.codec.kind {
            CodecKind::None => Ok(stored.clone()),
            CodecKind::Lzo => self.unpack_lzo(stored),
            _ => {
                let mut unpacked = Vec::new();
                self.unpack_into(stored, &mut unpacked)?;
                Ok(unpacked.into())
            }
        }
    }

    /// The stream again, as one chunk that is stored as it is; `most` are the most bytes that it unpacks to.
    pub(super) fn repack(&mut self, stored: &Bytes, most: u64) -> Result<Bytes, String> {
        let mut chunk = Vec::with_capacity(3 + usize::try_from(most).unwrap_or(0));
        chunk.extend_from_slice(&[0; HEADER]);
        self.unpack_into(stored, &mut chunk)?;
        let length = u32::try_from(chunk.len() - HEADER).unwrap_or(u32::MAX);
        let header = (length << 1 | 1).to_le_bytes();
        for (to, from) in chunk.iter_mut().take(HEADER).zip(header) {
            *to = from;
        }
        Ok(chunk.into())
    }

    fn unpack_into(&mut self, mut stored: &[u8], unpacked: &mut Vec<u8>) -> Result<(), String> {
        while let Some((header, rest)) = stored.split_first_chunk::<HEADER>() {
            let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
            let (chunk, rest) = rest
                .split_at_checked((header >> 1) as usize)
                .ok_or("a chunk is longer than its stream")?;
            match header & 1 {
                1 => unpacked.extend_from_slice(chunk),
                _ => self
                    .unpack_chunk(chunk, unpacked)
                    .map_err(|message| format!("a chunk cannot be unpacked: {message}"))?,
            }
            stored = rest;
        }
        Ok(())
    }

    /// Adds what a chunk holds, never more than a block.
    fn unpack_chunk(&mut self, chunk: &[u8], unpacked: &mut Vec<u8>) -> Result<(), String> {
        let most = usize::try_from(self.codec.check_chunk(chunk)?).map_err(text)?;
        let from = unpacked.len();
        match self.codec.kind {
            CodecKind::Zstd => {
                let decoder = match &mut self.zstd {
                    Some(decoder) => decoder,
                    none => none.insert(Decompressor::new().map_err(text)?),
                };
                unpacked.reserve(most);
                let mut room = Cursor::new(unpacked);
                room.set_position(from as u64);
                decoder
                    .decompress_to_buffer(chunk, &mut room)
                    .map_err(text)?;
            }
            CodecKind::Zlib => {
                unpacked.reserve(most);
                self.deflate.reset(false);
                let finish = FlushDecompress::Finish;
                let ended = self.deflate.decompress_vec(chunk, unpacked, finish);
                if ended.map_err(text)? != Status::StreamEnd {
                    return Err("it is cut, or holds more than a block".to_owned());
                }
            }
            CodecKind::Snappy => {
                unpacked.resize(from + most, 0);
                let room = unpacked.get_mut(from..).unwrap_or_default();
                let length = snap::raw::Decoder::new().decompress(chunk, room);
                unpacked.truncate(from + length.map_err(text)?);
            }
            CodecKind::Lz4 => {
                unpacked.resize(from + most, 0);
                let room = unpacked.get_mut(from..).unwrap_or_default();
                let length = lz4_flex::block::decompress_into(chunk, room);
                unpacked.truncate(from + length.map_err(text)?);
            }
            CodecKind::None | CodecKind::Lzo => unpacked.extend_from_slice(chunk),
        }
        Ok(())
    }

    /// No other crate of ours unpacks LZO.
    fn unpack_lzo(&self, stored: &Bytes) -> Result<Bytes, String> {
        let mut unpacked = Vec::new();
        OrcDecompressor::new(stored.clone(), self.compression, Vec::new())
            .read_to_end(&mut unpacked)
            .map_err(text)?;
        Ok(unpacked.into())
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression as Level;
    use flate2::write::DeflateEncoder;

    use super::*;

    const BLOCK: u64 = 64 * 1024;
    const KINDS: [CodecKind; 4] = [
        CodecKind::Zlib,
        CodecKind::Snappy,
        CodecKind::Lz4,
        CodecKind::Zstd,
    ];

    fn unpacker(kind: CodecKind) -> Unpacker {
        Unpacker::new(Codec { kind, block: BLOCK }, None)
    }

    fn compressed(kind: CodecKind, bytes: &[u8]) -> Vec<u8> {
        match kind {
            CodecKind::Zlib => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Level::default());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            CodecKind::Snappy => snap::raw::Encoder::new().compress_vec(bytes).unwrap(),
            CodecKind::Lz4 => lz4_flex::block::compress(bytes),
            CodecKind::Zstd => ::zstd::bulk::compress(bytes, 3).unwrap(),
            CodecKind::None | CodecKind::Lzo => bytes.to_vec(),
        }
    }

    fn chunk(bytes: &[u8], is_original: bool) -> Vec<u8> {
        let header = (bytes.len() as u32) << 1 | u32::from(is_original);
        [&header.to_le_bytes()[..HEADER], bytes].concat()
    }

    fn text(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * at / 7 % 31) as u8).collect()
    }

    #[test]
    fn chunks_of_every_kind_are_joined() {
        for kind in KINDS {
            let (first, second, third) = (text(5_000), text(40), text(BLOCK as usize));
            let stored: Bytes = [
                chunk(&compressed(kind, &first), false),
                chunk(&second, true),
                chunk(&compressed(kind, &third), false),
            ]
            .concat()
            .into();
            let all = [first, second, third].concat();
            let mut unpacker = unpacker(kind);
            let most = unpacker.codec.check(&stored).unwrap();
            assert!(most >= all.len() as u64, "{kind:?}");
            assert_eq!(unpacker.unpack(&stored).unwrap(), all, "{kind:?}");
            let one = unpacker.repack(&stored, most).unwrap();
            assert_eq!(one, chunk(&all, true), "{kind:?}");
        }
    }

    #[test]
    fn chunks_that_cannot_be_unpacked_are_an_error() {
        for kind in KINDS {
            let whole = compressed(kind, &text(5_000));
            let cut = chunk(&whole[..whole.len() - 9], false).into();
            let error = unpacker(kind).unpack(&cut).unwrap_err();
            assert!(error.starts_with("a chunk cannot be unpacked"), "{error}");
        }
    }

    #[test]
    fn no_chunk_holds_more_than_a_block() {
        for kind in KINDS {
            let large = chunk(&compressed(kind, &text(BLOCK as usize + 1)), false).into();
            let error = unpacker(kind).unpack(&large);
            assert!(error.is_err(), "{kind:?}");
        }
    }

    #[test]
    fn only_what_one_chunk_can_hold_is_repacked() {
        let zstd = unpacker(CodecKind::Zstd).codec;
        assert!(zstd.can_repack(LARGEST_BLOCK - 1));
        assert!(!zstd.can_repack(LARGEST_BLOCK) && !zstd.can_repack(0));
        assert!(!unpacker(CodecKind::None).codec.can_repack(10));
        assert!(!unpacker(CodecKind::Lzo).codec.can_repack(10));
    }
}
