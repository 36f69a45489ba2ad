//! CSV as RFC 4180 has it: a header, `"` around what needs it, `"` inside doubled, lines ended by `\n`.
//!
//! Null is an empty field and the empty text is `""`, so that both read back as what they were. Nested values are JSON.

use arrow_array::RecordBatch;

use super::json::columns;
use crate::error::Result;

/// Appends the line of names.
pub(super) fn write_header<'a>(names: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    for (at, name) in names.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_field(Some(name.as_bytes()), out);
    }
    out.push(b'\n');
}

/// Appends the rows of a batch.
pub(super) fn write_rows(batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    let columns = columns(batch, "CSV")?;
    let mut field = Vec::new();
    for row in 0..batch.num_rows() {
        for (at, values) in columns.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            if !values.is_null(row) {
                field.clear();
                values.write_text(row, &mut field);
                write_field(Some(&field), out);
            }
        }
        out.push(b'\n');
    }
    Ok(())
}

/// Appends one field; `None` is null.
pub(super) fn write_field(text: Option<&[u8]>, out: &mut Vec<u8>) {
    let Some(text) = text else { return };
    let quoted = text.is_empty()
        || text
            .iter()
            .any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'));
    if !quoted {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for byte in text {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, StringArray};

    use super::*;

    fn csv(batch: &RecordBatch) -> String {
        let mut out = Vec::new();
        write_header(
            batch
                .schema_ref()
                .fields()
                .iter()
                .map(|field| field.name().as_str()),
            &mut out,
        );
        write_rows(batch, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let texts = [
            Some("plain"),
            Some("a,b"),
            Some("say \"hi\""),
            Some("two\nlines"),
            Some("cr\r"),
            Some(""),
            None,
            Some(" b "),
        ];
        let numbers = [
            Some(1),
            None,
            Some(-3),
            Some(4),
            Some(5),
            Some(6),
            Some(7),
            Some(8),
        ];
        let columns: [(&str, ArrayRef); 2] = [
            ("n", Arc::new(Int32Array::from(numbers.to_vec()))),
            ("text, quoted", Arc::new(StringArray::from(texts.to_vec()))),
        ];
        let expected = "n,\"text, quoted\"\n1,plain\n,\"a,b\"\n-3,\"say \"\"hi\"\"\"\n4,\"two\nlines\"\n5,\"cr\r\"\n6,\"\"\n7,\n8, b \n";
        assert_eq!(csv(&RecordBatch::try_from_iter(columns).unwrap()), expected);
    }
}
