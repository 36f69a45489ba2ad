//! Compression chunks: what their headers claim, looked at before anything is unpacked.
//!
//! Every stream and message of a compressed file is cut into chunks, each with a header of three bytes. The
//! decoder takes headers at their word and makes room for whatever a chunk says it holds.

use std::io::Read;

use bytes::Bytes;
use orc_rust::compression::{Compression, Decompressor};

use crate::zstd;

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

/// Unpacks chunks that were [checked](Codec::check).
pub(super) fn unpack(bytes: &Bytes, compression: Option<Compression>) -> Result<Vec<u8>, String> {
    if compression.is_none() {
        return Ok(bytes.to_vec());
    }
    let mut unpacked = Vec::new();
    Decompressor::new(bytes.clone(), compression, Vec::new())
        .read_to_end(&mut unpacked)
        .map_err(|error| error.to_string())?;
    Ok(unpacked)
}
