//! BINARY: bytes one after the other, and their lengths.

use arrow_array::Array;

use super::stream::{ByteStream, IntStream};
use super::values::for_bytes;
use super::{Encoded, Encoder, Group, Refusal};
use crate::compress::Codec;
use crate::error::Result;
use crate::proto::{EncodingKind, StreamKind};
use crate::statistics::Values;

/// Values of any length one after the other: the direct encoding of bytes and of texts.
pub(super) struct Direct {
    data: ByteStream,
    lengths: IntStream,
}

impl Direct {
    pub(super) fn new() -> Self {
        Self {
            data: ByteStream::default(),
            lengths: IntStream::unsigned(),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.data.tail().extend_from_slice(bytes);
        // No slice is longer than i64.
        self.lengths.extend(std::iter::once(bytes.len() as i64));
    }

    pub(super) fn begin_group(&mut self) {
        self.data.begin_group();
        self.lengths.begin_group();
    }

    pub(super) fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.data.settle(codec)?;
        self.lengths.settle(codec)
    }

    pub(super) fn encoded_bytes(&self) -> usize {
        self.data.encoded_bytes() + self.lengths.encoded_bytes()
    }

    pub(super) fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        let mut positions = Vec::new();
        let data = self.data.finish(codec, &mut positions)?;
        let lengths = self.lengths.finish(codec, &mut positions)?;
        Ok(Encoded {
            encoding: EncodingKind::DirectV2,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, data), (StreamKind::Length, lengths)],
            positions,
        })
    }
}

pub(super) struct BinaryEncoder(Direct);

impl BinaryEncoder {
    pub(super) fn new() -> Self {
        Self(Direct::new())
    }
}

impl Encoder for BinaryEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        let mut total = 0;
        let known = for_bytes(array, |bytes| {
            self.0.push(bytes);
            total += bytes.len() as u64;
            if let Some(bloom) = &mut group.bloom {
                bloom.add_bytes(bytes);
            }
            Ok(())
        })?;
        if let Values::Binary(sum) = &mut group.statistics.values {
            *sum += total;
        }
        if known { Ok(()) } else { Err(Refusal::Type) }
    }

    fn begin_group(&mut self) {
        self.0.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.0.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.0.encoded_bytes()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        self.0.finish(codec)
    }
}
