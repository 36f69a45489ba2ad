//! A stream of a column with the starts of its row groups.

use crate::compress::Codec;
use crate::encode::integers::IntEncoder;
use crate::error::Result;
use crate::stream::{FinishedStream, Stream};

/// Bytes as they are.
#[derive(Default)]
pub(super) struct ByteStream {
    stream: Stream,
    starts: Vec<u64>,
}

impl ByteStream {
    /// Where bytes are appended.
    pub(super) fn tail(&mut self) -> &mut Vec<u8> {
        self.stream.tail()
    }

    pub(super) fn begin_group(&mut self) {
        self.starts.push(self.stream.position());
    }

    pub(super) fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.stream.settle(codec)
    }

    pub(super) fn encoded_bytes(&self) -> usize {
        usize::try_from(self.stream.position()).unwrap_or(usize::MAX)
    }

    /// Ends the stream, appends its positions to those of every row group, and begins another.
    pub(super) fn finish(
        &mut self,
        codec: &mut Codec,
        positions: &mut Vec<Vec<u64>>,
    ) -> Result<FinishedStream> {
        let Self { stream, starts } = std::mem::take(self);
        let finished = stream.finish(codec)?;
        positions.resize_with(starts.len().max(positions.len()), Vec::new);
        for (start, positions) in starts.iter().zip(positions) {
            finished.locate(*start, positions);
        }
        Ok(finished)
    }
}

/// Integers in runs.
pub(super) struct IntStream {
    encoder: IntEncoder,
    bytes: ByteStream,
}

impl IntStream {
    /// For values of either sign.
    pub(super) fn signed() -> Self {
        Self::new(IntEncoder::signed())
    }

    /// For values that are never negative.
    pub(super) fn unsigned() -> Self {
        Self::new(IntEncoder::unsigned())
    }

    fn new(encoder: IntEncoder) -> Self {
        let bytes = ByteStream::default();
        Self { encoder, bytes }
    }

    pub(super) fn push(&mut self, values: &[i64]) {
        self.encoder.push(values, self.bytes.tail());
    }

    pub(super) fn extend(&mut self, values: impl Iterator<Item = i64>) {
        self.encoder.extend(values, self.bytes.tail());
    }

    pub(super) fn begin_group(&mut self) {
        self.encoder.flush(self.bytes.tail());
        self.bytes.begin_group();
    }

    pub(super) fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.bytes.settle(codec)
    }

    pub(super) fn encoded_bytes(&self) -> usize {
        self.encoder.memory() + self.bytes.encoded_bytes()
    }

    /// As [`ByteStream::finish`]; every position is the start of a run.
    pub(super) fn finish(
        &mut self,
        codec: &mut Codec,
        positions: &mut Vec<Vec<u64>>,
    ) -> Result<FinishedStream> {
        self.encoder.flush(self.bytes.tail());
        let groups = self.bytes.starts.len();
        let finished = self.bytes.finish(codec, positions)?;
        positions
            .iter_mut()
            .take(groups)
            .for_each(|positions| positions.push(0));
        Ok(finished)
    }
}
