//! The bytes of one stream of a stripe, compressed chunk by chunk as they come.

use crate::compress::Codec;
use crate::error::Result;

/// A stream that is being filled.
#[derive(Default)]
pub(crate) struct Stream {
    /// Finished bytes: chunks with their headers.
    done: Vec<u8>,
    /// Where in `done` each finished chunk starts.
    chunks: Vec<u64>,
    /// Bytes that wait for their chunk to be full; encoders append here.
    tail: Vec<u8>,
    /// Bytes that went into finished chunks.
    settled: u64,
}

impl Stream {
    /// Where encoders append.
    pub(crate) fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.tail
    }

    /// Bytes so far, before compression: what a position in the stream is given as until it is finished.
    pub(crate) fn position(&self) -> u64 {
        self.settled + self.tail.len() as u64
    }

    /// Compresses the chunks that are full.
    pub(crate) fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        if !codec.is_compressing() || self.tail.len() < codec.chunk_bytes() {
            return Ok(());
        }
        let tail = std::mem::take(&mut self.tail);
        let chunks = tail.chunks_exact(codec.chunk_bytes());
        let rest = chunks.remainder();
        for chunk in chunks {
            self.append(chunk, codec)?;
        }
        self.tail.extend_from_slice(rest);
        Ok(())
    }

    fn append(&mut self, chunk: &[u8], codec: &mut Codec) -> Result<()> {
        self.chunks.push(self.done.len() as u64);
        self.settled += chunk.len() as u64;
        codec.append_chunk(chunk, &mut self.done)
    }

    /// Compresses what is left.
    pub(crate) fn finish(mut self, codec: &mut Codec) -> Result<FinishedStream> {
        if !codec.is_compressing() {
            return Ok(FinishedStream {
                bytes: self.tail,
                chunks: None,
            });
        }
        self.settle(codec)?;
        let tail = std::mem::take(&mut self.tail);
        if !tail.is_empty() {
            self.append(&tail, codec)?;
        }
        Ok(FinishedStream {
            bytes: self.done,
            chunks: Some((self.chunks, codec.chunk_bytes() as u64)),
        })
    }
}

/// A stream as it lies in the file.
pub(crate) struct FinishedStream {
    pub(crate) bytes: Vec<u8>,
    /// Where chunks start, and how many bytes went into each; `None` without a codec.
    chunks: Option<(Vec<u64>, u64)>,
}

impl FinishedStream {
    /// Appends what the row index says of a position: the byte, or the chunk's start and the byte within what it
    /// unpacks to.
    pub(crate) fn locate(&self, position: u64, out: &mut Vec<u64>) {
        let Some((chunks, chunk_bytes)) = &self.chunks else {
            out.push(position);
            return;
        };
        let chunk = usize::try_from(position / chunk_bytes).ok();
        match chunk.and_then(|chunk| chunks.get(chunk)) {
            Some(start) => out.extend([*start, position % chunk_bytes]),
            // The end of the stream: nothing follows there.
            None => out.extend([self.bytes.len() as u64, 0]),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::options::Compression;

    #[test]
    fn positions_name_the_chunk_and_the_byte_in_it() {
        let mut codec = Codec::new(Compression::Snappy, 4).unwrap();
        let mut stream = Stream::default();
        stream.tail().extend_from_slice(&[1, 2, 3, 4, 5, 6]);
        stream.settle(&mut codec).unwrap();
        assert_eq!(stream.position(), 6);
        stream.tail().extend_from_slice(&[7, 8]);
        let finished = stream.finish(&mut codec).unwrap();
        // Four bytes never become fewer, so chunks are stored: 3 bytes of header, then 4 of data.
        assert_eq!(finished.bytes, [9, 0, 0, 1, 2, 3, 4, 9, 0, 0, 5, 6, 7, 8]);
        let mut positions = Vec::new();
        for position in [0, 3, 4, 6, 8] {
            finished.locate(position, &mut positions);
        }
        assert_eq!(positions, [0, 0, 0, 3, 7, 0, 7, 2, 14, 0]);
    }

    #[test]
    fn without_a_codec_bytes_are_left_alone() {
        let mut codec = Codec::new(Compression::None, 4).unwrap();
        let mut stream = Stream::default();
        stream.tail().extend_from_slice(&[1, 2, 3, 4, 5, 6]);
        stream.settle(&mut codec).unwrap();
        let finished = stream.finish(&mut codec).unwrap();
        assert_eq!(finished.bytes, [1, 2, 3, 4, 5, 6]);
        let mut positions = Vec::new();
        finished.locate(5, &mut positions);
        assert_eq!(positions, [5]);
    }
}
