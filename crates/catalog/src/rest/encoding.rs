//! Percent-encoding of paths and queries, done once and never undone by a URL library.

use std::fmt::Write;

/// A name as one segment of a path, or the value of a query: all but the unreserved characters of RFC 3986 become `%XX`,
/// byte by byte of the UTF-8 text.
///
/// A blank is `%20`, which servers that decode forms and servers that do not both understand.
pub(super) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'~' | b'_') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a text cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// The text that was encoded; a `%` without two hexadecimal digits is itself.
pub(super) fn decode(encoded: &str) -> String {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = match behind {
            [high, low, after @ ..] if first == b'%' => {
                hex(*high).zip(hex(*low)).map(|digits| (digits, after))
            }
            _ => None,
        };
        match escaped {
            Some(((high, low), after)) => {
                bytes.push(high * 16 + low);
                rest = after;
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_unreserved_characters_are_encoded() {
        for (text, encoded) in [
            ("a b", "a%20b"),
            ("a+b", "a%2Bb"),
            ("a/b", "a%2Fb"),
            ("a%b", "a%25b"),
            ("t$branch_dev", "t%24branch_dev"),
            ("a*b~c", "a%2Ab~c"),
            ("é", "%C3%A9"),
            ("日 志/α", "%E6%97%A5%20%E5%BF%97%2F%CE%B1"),
            ("paimon/aaaa", "paimon%2Faaaa"),
            ("Az09._-", "Az09._-"),
            ("file:///data/w h", "file%3A%2F%2F%2Fdata%2Fw%20h"),
            ("dt=1", "dt%3D1"),
            ("dt=2026/%", "dt%3D2026%2F%25"),
        ] {
            assert_eq!(encode(text), encoded);
            assert_eq!(decode(encoded), text);
        }
    }

    #[test]
    fn what_is_not_encoded_decodes_to_itself() {
        for text in ["%", "%4", "%zz", "a%", "+"] {
            assert_eq!(decode(text), text);
        }
        assert_eq!(decode("%41%2f"), "A/");
    }
}
