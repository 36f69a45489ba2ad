//! Booleans, eight to a byte, the first in the highest bit (specification: "Boolean Run Length Encoding").

use arrow_buffer::BooleanBufferBuilder;

use super::bytes;
use crate::stream::Stream;

/// Where a bit lies in an encoded stream: the byte its run starts at, and its number within the run's first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BitPosition {
    pub(crate) byte: u64,
    pub(crate) bit: u64,
}

/// Encodes bits into a stream and says where those numbered `starts` (ascending) lie.
///
/// A run begins at the byte of each, so that a reader can begin there.
pub(crate) fn encode(
    bits: &BooleanBufferBuilder,
    starts: &[usize],
    stream: &mut Stream,
) -> Vec<BitPosition> {
    // Arrow has the first bit in the lowest, and what lies beyond the last is not promised to be 0.
    let used = bits.len().div_ceil(8);
    let mut packed: Vec<u8> = bits
        .as_slice()
        .iter()
        .take(used)
        .map(|byte| byte.reverse_bits())
        .collect();
    if let (Some(last), rest @ 1..) = (packed.last_mut(), bits.len() % 8) {
        *last &= 0xff << (8 - rest);
    }
    let mut positions = Vec::with_capacity(starts.len());
    let mut from = 0;
    let mut begun = stream.position();
    for &start in starts {
        let byte = (start / 8).min(used);
        if byte > from {
            bytes::encode(&packed[from..byte], stream.tail());
            from = byte;
            begun = stream.position();
        }
        positions.push(BitPosition {
            byte: begun,
            bit: (start % 8) as u64,
        });
    }
    bytes::encode(&packed[from..], stream.tail());
    positions
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::compress::Codec;
    use crate::options::Compression;

    fn encoded(bits: &[bool], starts: &[usize]) -> (Vec<u8>, Vec<(u64, u64)>) {
        let mut builder = BooleanBufferBuilder::new(bits.len());
        builder.append_slice(bits);
        let mut stream = Stream::default();
        let positions = encode(&builder, starts, &mut stream);
        let mut codec = Codec::new(Compression::None, 1).unwrap();
        let positions = positions.iter().map(|at| (at.byte, at.bit)).collect();
        (stream.finish(&mut codec).unwrap().bytes, positions)
    }

    #[test]
    fn the_first_bit_is_the_highest() {
        let mut bits = [false; 8];
        bits[0] = true;
        assert_eq!(encoded(&bits, &[0]).0, [0xff, 0x80]);
        assert_eq!(encoded(&[true; 3], &[0]).0, [0xff, 0xe0]);
    }

    #[test]
    fn runs_begin_where_readers_may() {
        // Twenty bytes of ones, entered at the bits 0, 77 (byte 9), 79 (the same byte) and 160 (the end).
        let (bytes, positions) = encoded(&[true; 160], &[0, 77, 79, 160]);
        assert_eq!(bytes, [6, 0xff, 8, 0xff]);
        assert_eq!(positions, [(0, 0), (2, 5), (2, 7), (4, 0)]);
    }
}
