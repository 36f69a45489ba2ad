//! BOOLEAN: one stream of bits.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_buffer::BooleanBufferBuilder;

use super::values::for_valid_ranges;
use super::{Encoded, Encoder, Group, Refusal, finish_bits};
use crate::compress::Codec;
use crate::error::Result;
use crate::proto::{EncodingKind, StreamKind};
use crate::statistics::Values;

pub(super) struct BooleanEncoder {
    bits: BooleanBufferBuilder,
    starts: Vec<usize>,
}

impl BooleanEncoder {
    pub(super) fn new() -> Self {
        Self {
            bits: BooleanBufferBuilder::new(0),
            starts: Vec::new(),
        }
    }
}

impl Encoder for BooleanEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        let array = array.as_boolean_opt().ok_or(Refusal::Type)?;
        for_valid_ranges(array.nulls(), array.len(), |rows| {
            let values = array.values().slice(rows.start, rows.len());
            self.bits.append_buffer(&values);
            Ok::<_, Refusal>(())
        })?;
        if let Values::Boolean(trues) = &mut group.statistics.values {
            *trues += array.true_count() as u64;
        }
        Ok(())
    }

    fn begin_group(&mut self) {
        self.starts.push(self.bits.len());
    }

    fn settle(&mut self, _: &mut Codec) -> Result<()> {
        Ok(())
    }

    fn encoded_bytes(&self) -> usize {
        self.bits.len() / 8
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        let Self { bits, starts } = std::mem::replace(self, Self::new());
        let (stream, positions) = finish_bits(&bits, &starts, codec)?;
        Ok(Encoded {
            encoding: EncodingKind::Direct,
            dictionary_size: None,
            streams: vec![(StreamKind::Data, stream)],
            positions,
        })
    }
}
