//! Escaping of directory names, as Paimon's `PartitionPathUtils` does.

use std::borrow::Cow;

use crate::error::{Error, Result};

/// Whether a character cannot stand in a directory name as it is.
fn must_escape(byte: u8) -> bool {
    matches!(
        byte,
        0x00..=0x1F
            | 0x7F
            | b'"'
            | b'#'
            | b'%'
            | b'\''
            | b'*'
            | b'/'
            | b':'
            | b'='
            | b'?'
            | b'\\'
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b'^'
    )
}

/// Makes text fit for a directory name: control characters and `"#%'*/:=?\{}[]^` become `%` and two
/// upper-case hexadecimal digits, everything else stays, non-ASCII included.
///
/// # Errors
///
/// `InvalidPartition` when the text is empty: no directory has an empty name.
///
/// ```
/// # use ftable_core::partition::escape;
/// assert_eq!(escape("a/b=c%d é")?, "a%2Fb%3Dc%25d é");
/// # Ok::<(), ftable_core::Error>(())
/// ```
pub fn escape(text: &str) -> Result<String> {
    if text.is_empty() {
        return Err(Error::InvalidPartition {
            column: String::new(),
            value: String::new(),
            message: "an empty text cannot be a directory name".to_owned(),
        });
    }
    Ok(escape_text(text).into_owned())
}

/// [`escape`] without the check for emptiness.
pub(super) fn escape_text(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(must_escape) {
        return Cow::Borrowed(text);
    }
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) if must_escape(byte) => {
                escaped.push('%');
                escaped.push(char::from(HEX[usize::from(byte >> 4)]));
                escaped.push(char::from(HEX[usize::from(byte & 0xF)]));
            }
            _ => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Reads a directory name back: each `%` with two hexadecimal digits of either case is the byte
/// they name, every other `%` is itself.
///
/// Consecutive escaped bytes from 0x80 up are UTF-8 where they are valid as such, which is what
/// DuckDB and pyarrow write; else each is one character, as Java always takes it. Java itself writes
/// no such bytes.
///
/// ```
/// # use ftable_core::partition::unescape;
/// assert_eq!(unescape("a%2fb%"), "a/b%");
/// assert_eq!(unescape("M%C3%BCnchen"), "München");
/// ```
pub fn unescape(name: &str) -> String {
    unescape_name(name).into_owned()
}

/// [`unescape`] without a copy where there is nothing to do.
pub(super) fn unescape_name(name: &str) -> Cow<'_, str> {
    let Some(first) = name.find('%') else {
        return Cow::Borrowed(name);
    };
    let mut text = String::with_capacity(name.len());
    text.push_str(&name[..first]);
    let mut rest = &name[first..];
    // Escaped bytes from 0x80 up that follow one another.
    let mut high = Vec::new();
    while let Some(character) = rest.chars().next() {
        match escaped_byte(rest) {
            Some(byte) => {
                rest = &rest[3..];
                if byte >= 0x80 {
                    high.push(byte);
                    continue;
                }
                flush(&mut high, &mut text);
                text.push(char::from(byte));
            }
            None => {
                flush(&mut high, &mut text);
                text.push(character);
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    flush(&mut high, &mut text);
    Cow::Owned(text)
}

/// The byte that `%XX` at the start of the text names.
fn escaped_byte(text: &str) -> Option<u8> {
    let [b'%', high, low, ..] = text.as_bytes() else {
        return None;
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    Some(digit(high)? << 4 | digit(low)?)
}

fn flush(high: &mut Vec<u8>, text: &mut String) {
    match std::str::from_utf8(high) {
        Ok(valid) => text.push_str(valid),
        Err(_) => text.extend(high.iter().map(|byte| char::from(*byte))),
    }
    high.clear();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_set_is_javas() {
        // Written out, not computed: the characters of PartitionPathUtils.
        let escaped = "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\t\n\u{B}\u{C}\r\u{E}\u{F}\u{10}\u{11}\u{12}\u{13}\u{14}\u{15}\u{16}\u{17}\u{18}\u{19}\u{1A}\u{1B}\u{1C}\u{1D}\u{1E}\u{1F}\u{7F}\"#%'*/:=?\\{}[]^";
        for code in 0..=0x2FF_u32 {
            let character = char::from_u32(code).unwrap();
            let expected = if escaped.contains(character) {
                format!("%{code:02X}")
            } else {
                character.to_string()
            };
            assert_eq!(
                escape(&character.to_string()).unwrap(),
                expected,
                "U+{code:04X}"
            );
        }
    }

    #[test]
    fn escapes() {
        for (text, name) in [
            ("AC/DC", "AC%2FDC"),
            ("a=b", "a%3Db"),
            ("50%", "50%25"),
            ("x:y", "x%3Ay"),
            ("q?", "q%3F"),
            ("#1", "%231"),
            ("[z]", "%5Bz%5D"),
            ("{k}", "%7Bk%7D"),
            ("c^d", "c%5Ed"),
            ("back\\slash", "back%5Cslash"),
            ("tab\tend", "tab%09end"),
            ("it's", "it%27s"),
            ("\"q\"", "%22q%22"),
            ("a*b", "a%2Ab"),
            ("\u{1}", "%01"),
            ("\n", "%0A"),
            ("\u{0}", "%00"),
            ("a/b=c%d", "a%2Fb%3Dc%25d"),
            ("中 文+&~", "中 文+&~"),
            ("München", "München"),
            ("🙂", "🙂"),
            (" +&,;<>|~!$()@-_.`", " +&,;<>|~!$()@-_.`"),
            ("12:34:56", "12%3A34%3A56"),
            ("%41", "%2541"),
            ("a%2Fb", "a%252Fb"),
        ] {
            assert_eq!(escape(text).unwrap(), name);
            assert_eq!(unescape(name), text);
        }
        assert!(escape("").is_err());
    }

    #[test]
    fn unescapes() {
        for (name, text) in [
            ("a%2Fb", "a/b"),
            ("a%2fb", "a/b"),
            ("%41", "A"),
            ("a%4", "a%4"),
            ("a%", "a%"),
            ("%", "%"),
            ("%zz", "%zz"),
            ("%GG", "%GG"),
            ("% 5", "% 5"),
            ("%25%32%46", "%2F"),
            ("a+b", "a+b"),
            ("%+5x", "%+5x"),
            ("%-0x", "%-0x"),
            ("%-1x", "%-1x"),
            ("%２F", "%２F"),
            ("%é", "%é"),
            ("é%", "é%"),
            ("%%41", "%A"),
            ("%00", "\u{0}"),
            ("San%20Francisco", "San Francisco"),
            // Valid UTF-8 is taken as such; Java reads the first three byte by byte.
            ("%C3%A9", "é"),
            ("M%C3%BCnchen", "München"),
            ("%E4%B8%AD", "中"),
            ("%F0%9F%99%82", "🙂"),
            ("é", "é"),
            ("%C3%BC%2F", "ü/"),
            ("%2F%C3%BC", "/ü"),
            ("%C3%BC%C3%A9", "üé"),
            // What is not valid is taken byte by byte, as Java does.
            ("%E9", "é"),
            ("%C3", "Ã"),
            ("%C3x", "Ãx"),
            ("%A9%C3", "©Ã"),
            ("%C3%BC%E9", "Ã¼é"),
            ("%C3%41", "ÃA"),
            ("%E6%97%A5%E6%9C%AC%20%E8%AA%9E", "日本 語"),
        ] {
            assert_eq!(unescape(name), text, "{name}");
        }
    }

    proptest! {
        #[test]
        fn unescape_undoes_escape(text in "\\PC*|[\\x00-\\x7F]{1,20}|[%0-9A-Fa-f]{1,12}") {
            prop_assume!(!text.is_empty());
            prop_assert_eq!(unescape(&escape(&text).unwrap()), text);
        }

        #[test]
        fn any_name_can_be_read(name in any::<String>()) {
            let _ = unescape(&name);
        }
    }
}
