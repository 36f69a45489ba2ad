//! JSON as Paimon writes it: two spaces a level, ` : ` behind keys, lists on one line, empty containers
//! as `[ ]` and `{ }`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};

/// The JSON of `value` in that layout.
pub(super) fn to_pretty_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(
        &mut bytes,
        Pretty::default(),
    ))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

#[derive(Default)]
struct Pretty {
    /// Objects around the current place; lists do not indent.
    depth: usize,
    /// Whether the container that is ending had a member.
    filled: bool,
}

impl Pretty {
    fn line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Pretty {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.filled = false;
        writer.write_all(b"[")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b" " } else { b", " })
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b" ]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.filled = false;
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        self.line(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b" : ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.filled {
            self.line(writer)?;
        } else {
            writer.write_all(b" ")?;
        }
        writer.write_all(b"}")
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let text: &[u8] = match escape {
            CharEscape::Quote => b"\\\"",
            CharEscape::ReverseSolidus => b"\\\\",
            CharEscape::Solidus => b"/",
            CharEscape::Backspace => b"\\b",
            CharEscape::FormFeed => b"\\f",
            CharEscape::LineFeed => b"\\n",
            CharEscape::CarriageReturn => b"\\r",
            CharEscape::Tab => b"\\t",
            // Jackson writes the hex digits in upper case.
            CharEscape::AsciiControl(byte) => return write!(writer, "\\u{byte:04X}"),
        };
        writer.write_all(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn layout() {
        let value = json!({"a": 1, "l": [], "o": {}, "t": ["x", "y"],
            "f": [{"id": 0, "type": {"type": "ROW", "fields": [{"id": 1, "x": []}]}}, {"id": 2}]});
        let expected = r#"{
  "a" : 1,
  "l" : [ ],
  "o" : { },
  "t" : [ "x", "y" ],
  "f" : [ {
    "id" : 0,
    "type" : {
      "type" : "ROW",
      "fields" : [ {
        "id" : 1,
        "x" : [ ]
      } ]
    }
  }, {
    "id" : 2
  } ]
}"#;
        assert_eq!(to_pretty_json(&value).unwrap(), expected);
    }

    #[test]
    fn escapes() {
        let text = to_pretty_json(&"\"\\/\u{8}\u{c}\n\r\t\u{1f}\u{7f}é").unwrap();
        assert_eq!(text, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u001F\u{7f}é\"");
    }
}
