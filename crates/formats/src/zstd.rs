//! What zstd frames say of their length, read from their headers before anything is unpacked (RFC 8878, section 3.1).

/// The first bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The most bytes that a compressed block unpacks to.
const LARGEST_BLOCK: u64 = 128 * 1024;

/// The length that a frame says it unpacks to, if it does.
pub(crate) fn content_size(frame: &[u8]) -> Option<u64> {
    header(frame)?.0
}

/// The most bytes that frames one after the other unpack to; `None` where they are none.
pub(crate) fn most(mut bytes: &[u8]) -> Option<u64> {
    let mut most = 0_u64;
    while !bytes.is_empty() {
        let (size, has_checksum, rest) = header(bytes)?;
        let (held, rest) = blocks(rest)?;
        most = most.checked_add(size.map_or(held, |size| size.min(held)))?;
        bytes = rest.get(if has_checksum { 4 } else { 0 }..)?;
    }
    Some(most)
}

/// The length that a frame says, whether a checksum ends it, and its blocks.
fn header(frame: &[u8]) -> Option<(Option<u64>, bool, &[u8])> {
    let rest = frame.strip_prefix(&MAGIC)?;
    let (descriptor, rest) = rest.split_first()?;
    let single_segment = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let rest = rest.get(dictionary + usize::from(!single_segment)..)?;
    let width = match descriptor >> 6 {
        0 => usize::from(single_segment),
        power => 1 << power,
    };
    let (size, rest) = rest.split_at_checked(width)?;
    let number = size
        .iter()
        .rev()
        .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let size = match width {
        0 => None,
        2 => Some(number + 256),
        _ => Some(number),
    };
    Some((size, descriptor & 4 != 0, rest))
}

/// The most bytes that the blocks of a frame unpack to, and what lies behind them.
fn blocks(mut bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut most = 0_u64;
    loop {
        let (header, rest) = bytes.split_first_chunk::<3>()?;
        let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let size = header >> 3;
        let (held, stored) = match header >> 1 & 3 {
            0 => (u64::from(size), size),
            // One byte, repeated.
            1 => (u64::from(size), 1),
            2 => (LARGEST_BLOCK, size),
            _ => return None,
        };
        most += held;
        bytes = rest.get(usize::try_from(stored).ok()?..)?;
        if header & 1 == 1 {
            return Some((most, bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame with a window of 1 KiB: blocks of three stored bytes, of a thousand equal ones and of eight packed ones.
    fn frame(descriptor: u8, size: &[u8]) -> Vec<u8> {
        let window: &[u8] = if descriptor & 0x20 == 0 { &[0] } else { &[] };
        let block = |last: u32, kind: u32, size: u32, stored: &[u8]| {
            let header = (last | kind << 1 | size << 3).to_le_bytes();
            [&header[..3], stored].concat()
        };
        let blocks = [
            block(0, 0, 3, b"abc"),
            block(0, 1, 1000, b"x"),
            block(1, 2, 8, &[0; 8]),
        ];
        [&MAGIC[..], &[descriptor], window, size, &blocks.concat()].concat()
    }

    #[test]
    fn frames_tell_their_length_or_the_most_of_their_blocks() {
        let without = frame(0, &[]);
        assert_eq!(content_size(&without), None);
        assert_eq!(most(&without), Some(3 + 1000 + LARGEST_BLOCK));
        for (descriptor, size, expected) in [
            (0x20, &[200][..], 200),
            (0x40, &[0, 1], 512),
            (0x80, &[0, 0, 1, 0], 65_536),
            (0xc0, &[0, 0, 0, 0, 1, 0, 0, 0], 1 << 32),
        ] {
            let frame = frame(descriptor, size);
            assert_eq!(content_size(&frame), Some(expected));
            // However long it says it is, its blocks are no longer.
            assert_eq!(most(&frame), Some(expected.min(3 + 1000 + LARGEST_BLOCK)));
        }
        let checked = [frame(0x24, &[9]), vec![1, 2, 3, 4], frame(0x20, &[1])].concat();
        assert_eq!(most(&checked), Some(10));
    }

    #[test]
    fn what_is_no_frame_has_no_length() {
        let whole = frame(0x40, &[0, 1]);
        for length in 1..whole.len() {
            assert_eq!(most(&whole[..length]), None, "{length}");
        }
        assert_eq!(content_size(b"PAR1"), None);
        assert_eq!(most(&[frame(0, &[]), vec![0]].concat()), None);
    }
}
