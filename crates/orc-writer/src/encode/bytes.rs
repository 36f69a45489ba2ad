//! Run lengths of bytes (specification: "Byte Run Length Encoding").

const SHORTEST_RUN: usize = 3;
const LONGEST_RUN: usize = 130;
const MOST_LITERALS: usize = 128;

/// Appends the bytes as runs and literals; what is appended next begins a run of its own.
pub(crate) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Some(first) = rest.first() {
        let run = run_length(rest, *first);
        if run >= SHORTEST_RUN {
            // 0 to 127 say how many more than the shortest run there are.
            out.extend([(run - SHORTEST_RUN) as u8, *first]);
            rest = &rest[run..];
            continue;
        }
        let literals = literals(rest);
        // -1 to -128 say how many bytes follow as they are.
        out.push((literals as u8).wrapping_neg());
        out.extend_from_slice(&rest[..literals]);
        rest = &rest[literals..];
    }
}

fn run_length(bytes: &[u8], value: u8) -> usize {
    let same = bytes.iter().take(LONGEST_RUN);
    same.take_while(|byte| **byte == value).count()
}

/// How many bytes come before the next run.
fn literals(bytes: &[u8]) -> usize {
    let most = bytes.len().min(MOST_LITERALS);
    let next = bytes
        .windows(SHORTEST_RUN)
        .take(most)
        .position(|window| window[0] == window[1] && window[1] == window[2]);
    next.unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        encode(bytes, &mut out);
        out
    }

    #[test]
    fn examples_of_the_specification() {
        assert_eq!(encoded(&[0; 100]), [0x61, 0x00]);
        assert_eq!(encoded(&[0x44, 0x45]), [0xfe, 0x44, 0x45]);
    }

    #[test]
    fn the_longest_runs_and_literals() {
        assert_eq!(encoded(&[7; 130]), [0x7f, 7]);
        assert_eq!(encoded(&[7; 131]), [0x7f, 7, 0xff, 7]);
        let alternating: Vec<u8> = (0..129).map(|i| i % 2).collect();
        let mut expected = vec![0x80];
        expected.extend(&alternating[..128]);
        expected.extend([0xff, 0]);
        assert_eq!(encoded(&alternating), expected);
        assert_eq!(encoded(&[1, 2, 2, 2]), [0xff, 1, 0x00, 2]);
    }

    /// Written from the specification alone.
    fn decoded(mut bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some((&control, rest)) = bytes.split_first() {
            if control < 0x80 {
                out.extend(std::iter::repeat_n(rest[0], usize::from(control) + 3));
                bytes = &rest[1..];
            } else {
                let count = 256 - usize::from(control);
                out.extend_from_slice(&rest[..count]);
                bytes = &rest[count..];
            }
        }
        out
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes(bytes in prop::collection::vec(0_u8..3, 0..1000)) {
            prop_assert_eq!(decoded(&encoded(&bytes)), bytes);
        }
    }
}
