//! Compressing one chunk (specification: "Compression").

use std::io;

use flate2::{Compress, FlushCompress, Status};
use snafu::ResultExt;

use crate::error::{CompressSnafu, Result};
use crate::options::Compression;
use crate::proto::compression_kind;

/// Bytes of a chunk's header.
const HEADER: usize = 3;

/// A codec with what it keeps from chunk to chunk.
pub(crate) struct Codec {
    engine: Engine,
    chunk_bytes: usize,
    scratch: Vec<u8>,
}

enum Engine {
    None,
    Zlib(Compress),
    Snappy(Box<snap::raw::Encoder>),
    Lz4,
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Codec {
    pub(crate) fn new(compression: Compression, chunk_bytes: usize) -> Result<Self> {
        let engine = match compression {
            Compression::None => Engine::None,
            Compression::Zlib { level } => {
                Engine::Zlib(Compress::new(flate2::Compression::new(level), false))
            }
            Compression::Snappy => Engine::Snappy(Box::new(snap::raw::Encoder::new())),
            Compression::Lz4 => Engine::Lz4,
            Compression::Zstd { level } => {
                Engine::Zstd(zstd::bulk::Compressor::new(level).context(CompressSnafu)?)
            }
        };
        Ok(Self {
            engine,
            chunk_bytes,
            scratch: Vec::new(),
        })
    }

    /// Whether streams are cut into chunks at all.
    pub(crate) fn is_compressing(&self) -> bool {
        !matches!(self.engine, Engine::None)
    }

    /// Bytes that go into a chunk.
    pub(crate) fn chunk_bytes(&self) -> usize {
        self.chunk_bytes
    }

    /// `PostScript.compression`.
    pub(crate) fn kind(&self) -> i32 {
        match self.engine {
            Engine::None => compression_kind::NONE,
            Engine::Zlib(_) => compression_kind::ZLIB,
            Engine::Snappy(_) => compression_kind::SNAPPY,
            Engine::Lz4 => compression_kind::LZ4,
            Engine::Zstd(_) => compression_kind::ZSTD,
        }
    }

    /// Appends a chunk with its header: compressed, or as it is where that is not smaller.
    pub(crate) fn append_chunk(&mut self, chunk: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let packed = self.pack(chunk).context(CompressSnafu)?;
        let (body, original) = match packed {
            Some(length) if length < chunk.len() => (self.scratch.get(..length), 0),
            _ => (Some(chunk), 1),
        };
        let body = body.unwrap_or(chunk);
        let header = ((body.len() as u32) << 1) | original;
        out.extend_from_slice(&header.to_le_bytes()[..HEADER]);
        out.extend_from_slice(body);
        Ok(())
    }

    /// A whole message or stream, cut into chunks where there is a codec.
    pub(crate) fn pack_all(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        if !self.is_compressing() {
            return Ok(bytes);
        }
        let mut out = Vec::new();
        for chunk in bytes.chunks(self.chunk_bytes) {
            self.append_chunk(chunk, &mut out)?;
        }
        Ok(out)
    }

    /// Compresses into the scratch buffer and says how long that became; `None` without a codec, and where the
    /// codec found out that the result would be no shorter.
    fn pack(&mut self, chunk: &[u8]) -> io::Result<Option<usize>> {
        let room = match &self.engine {
            Engine::None => return Ok(None),
            // What is not smaller is not wanted, so deflate needs no more room than that.
            Engine::Zlib(_) => chunk.len(),
            Engine::Snappy(_) => snap::raw::max_compress_len(chunk.len()),
            Engine::Lz4 => lz4_flex::block::get_maximum_output_size(chunk.len()),
            Engine::Zstd(_) => zstd::zstd_safe::compress_bound(chunk.len()),
        };
        if self.scratch.len() < room {
            self.scratch.resize(room, 0);
        }
        let scratch = &mut self.scratch[..room];
        match &mut self.engine {
            Engine::None => Ok(None),
            Engine::Zlib(deflate) => {
                deflate.reset();
                let status = deflate.compress(chunk, scratch, FlushCompress::Finish)?;
                let length = usize::try_from(deflate.total_out()).ok();
                Ok(length.filter(|_| status == Status::StreamEnd))
            }
            Engine::Snappy(encoder) => {
                let length = encoder.compress(chunk, scratch);
                length.map(Some).map_err(io::Error::other)
            }
            Engine::Lz4 => {
                let length = lz4_flex::block::compress_into(chunk, scratch);
                length.map(Some).map_err(io::Error::other)
            }
            Engine::Zstd(compressor) => compressor.compress_to_buffer(chunk, scratch).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn headers_hold_the_length_and_whether_bytes_are_original() {
        // The specification's examples: 100,000 compressed bytes, and 5 that did not become fewer.
        assert_eq!((100_000_u32 << 1).to_le_bytes()[..3], [0x40, 0x0d, 0x03]);
        let mut codec = Codec::new(Compression::Zlib { level: 6 }, 1024).unwrap();
        let mut out = Vec::new();
        codec.append_chunk(&[1, 2, 3, 4, 5], &mut out).unwrap();
        assert_eq!(out, [0x0b, 0x00, 0x00, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn every_codec_makes_its_raw_form() {
        let input = b"abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc".repeat(20);
        for compression in [
            Compression::Zlib { level: 6 },
            Compression::Snappy,
            Compression::Lz4,
            Compression::Zstd { level: 1 },
        ] {
            let mut codec = Codec::new(compression, 4096).unwrap();
            let mut out = Vec::new();
            codec.append_chunk(&input, &mut out).unwrap();
            let header = u32::from_le_bytes([out[0], out[1], out[2], 0]);
            assert_eq!(header & 1, 0, "{compression:?} did not compress");
            assert_eq!((header >> 1) as usize, out.len() - HEADER);
            let body = &out[HEADER..];
            let back = match compression {
                Compression::Zlib { .. } => {
                    let mut back = Vec::new();
                    let mut decoder = flate2::read::DeflateDecoder::new(body);
                    io::Read::read_to_end(&mut decoder, &mut back).unwrap();
                    back
                }
                Compression::Snappy => snap::raw::Decoder::new().decompress_vec(body).unwrap(),
                Compression::Lz4 => lz4_flex::block::decompress(body, input.len()).unwrap(),
                _ => zstd::bulk::decompress(body, input.len()).unwrap(),
            };
            assert_eq!(back, input, "{compression:?}");
        }
    }
}
