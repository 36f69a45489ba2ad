//! Strings as JSON.

/// The bytes looked at in one step.
const STEP: usize = 16;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Writes `text` between quotes. Nothing is escaped that need not be: not `/`, and no character above U+001F.
#[inline]
pub(super) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some((clean, special, behind)) = split(rest) {
        out.extend_from_slice(clean);
        write_escape(special, out);
        rest = behind;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// What is before the first byte that must be escaped, that byte, and what is behind it.
#[inline]
fn split(bytes: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (steps, _) = bytes.as_chunks::<STEP>();
    // Without a way out of the inner loop it is one comparison of whole vectors.
    let dirty = |step: &[u8; STEP]| {
        step.iter()
            .fold(false, |found, byte| found | special(*byte))
    };
    let clean = steps.iter().take_while(|step| !dirty(step)).count() * STEP;
    let (_, tail) = bytes.split_at_checked(clean)?;
    let at = clean + tail.iter().position(|byte| special(*byte))?;
    let (clean, tail) = bytes.split_at_checked(at)?;
    let (special, behind) = tail.split_first()?;
    Some((clean, *special, behind))
}

#[inline]
fn special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        _ => {
            let digit = |four: u8| HEX.get(usize::from(four & 15)).copied().unwrap_or(b'0');
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[digit(byte >> 4), digit(byte)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_string(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_must_be_is_escaped() {
        let cases = [
            ("", r#""""#),
            ("plain", r#""plain""#),
            ("a/b", r#""a/b""#),
            ("q\"q\\", r#""q\"q\\""#),
            ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
            ("\0\u{1f}\u{b}", r#""\u0000\u001F\u000B""#),
            ("\u{7f}\u{80}\u{2028}é漢🦀", "\"\u{7f}\u{80}\u{2028}é漢🦀\""),
            ("0123456789abcde\"f", r#""0123456789abcde\"f""#),
            ("0123456789abcdef\"", r#""0123456789abcdef\"""#),
            (
                "0123456789abcdef0123456789abcdef\n",
                r#""0123456789abcdef0123456789abcdef\n""#,
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn another_reader_reads_what_was_written(text in r#"[a-z\x00-\x30"\\é漢🦀]{0,80}"#) {
            let read: String = serde_json::from_str(&written(&text)).unwrap();
            prop_assert_eq!(read, text);
        }
    }
}
