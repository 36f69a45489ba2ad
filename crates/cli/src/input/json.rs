//! JSON lines: one object a row, members named like the columns, in any order.
//!
//! Values are spelled as [`crate::render::json`] writes them; numbers of any size are read by their digits. A member
//! that is missing is null. Blank lines are skipped.

use std::fmt;
use std::io::BufRead;

use arrow_array::RecordBatch;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::column::{Column, batch};
use super::{BATCH_BYTES, BATCH_ROWS, Source, Wanted};
use crate::error::{Error, LineSnafu, Result};

/// The batches of a file.
pub(super) struct Rows {
    source: Source,
    wanted: Wanted,
    columns: Vec<Column>,
    /// Whether the line has had a value for each column.
    is_given: Vec<bool>,
    line: u64,
    buffer: Vec<u8>,
}

impl Rows {
    pub(super) fn new(source: Source, wanted: Wanted) -> Result<Self> {
        let columns = wanted
            .fields
            .iter()
            .map(Column::new)
            .collect::<Result<Vec<_>, _>>();
        let columns = columns.map_err(|message| source.error(message))?;
        Ok(Self {
            source,
            is_given: vec![false; columns.len()],
            wanted,
            columns,
            line: 0,
            buffer: Vec::new(),
        })
    }

    fn error(&self, message: impl Into<String>) -> Error {
        LineSnafu {
            file: &self.source.name,
            line: self.line,
            message,
        }
        .build()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let (mut rows, mut bytes) = (0, 0);
        while rows < BATCH_ROWS && bytes < BATCH_BYTES && self.read_line()? {
            if self.buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line = std::mem::take(&mut self.buffer);
            self.append(&line)?;
            rows += 1;
            bytes += line.len();
            self.buffer = line;
        }
        if rows == 0 {
            return Ok(None);
        }
        let arrays = self
            .columns
            .iter_mut()
            .map(Column::finish)
            .collect::<Result<Vec<_>, _>>();
        let batch = arrays.and_then(|arrays| batch(&self.wanted.fields, arrays, rows));
        batch.map(Some).map_err(|message| self.error(message))
    }

    fn read_line(&mut self) -> Result<bool> {
        self.buffer.clear();
        let read = self.source.reader.read_until(b'\n', &mut self.buffer);
        let read =
            read.map_err(|error| self.source.error(format!("it cannot be read: {error}")))?;
        self.line += 1;
        Ok(read > 0)
    }

    fn append(&mut self, line: &[u8]) -> Result<()> {
        let members: Members<'_> =
            serde_json::from_slice(line).map_err(|error| self.error(not_an_object(&error)))?;
        self.is_given.fill(false);
        for (name, value) in members.0 {
            let Some(position) = self
                .wanted
                .position(&name)
                .map_err(|message| self.error(message))?
            else {
                continue;
            };
            let is_given = self
                .is_given
                .get_mut(position)
                .map(|given| std::mem::replace(given, true));
            if is_given == Some(true) {
                return Err(self.error(format!("column '{name}' is there twice")));
            }
            let appended = self
                .columns
                .get_mut(position)
                .map_or(Ok(()), |column| column.append_json(value));
            appended.map_err(|message| self.error(format!("column '{name}': {message}")))?;
        }
        for (column, _) in self
            .columns
            .iter_mut()
            .zip(&self.is_given)
            .filter(|(_, given)| !**given)
        {
            column.append_null().map_err(|message| {
                LineSnafu {
                    file: &self.source.name,
                    line: self.line,
                    message,
                }
                .build()
            })?;
        }
        Ok(())
    }
}

impl Iterator for Rows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

/// A parser's message without its own idea of lines.
fn not_an_object(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let told = text.split(" at line ").next().unwrap_or_default();
    match error.column() {
        0 => format!("not a JSON object on one line: {told}"),
        column => format!("not a JSON object on one line: {told} (at byte {column})"),
    }
}

/// The members of an object in their order, values unread.
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(map.size_hint().unwrap_or_default());
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lines, source, wanted};
    use super::*;

    fn read(text: &str, columns: &str) -> Result<Vec<String>> {
        Rows::new(source(text.as_bytes()), wanted(columns, &[])).and_then(lines)
    }

    #[test]
    fn members_in_any_order_and_missing_ones() {
        let text = "{\"name\": \"a\", \"id\": 1}\n\n  \r\n{\"id\":2}\r\n{\"name\":null}";
        let expected = [
            r#"{"id":1,"name":"a"}"#,
            r#"{"id":2,"name":null}"#,
            r#"{"id":null,"name":null}"#,
        ];
        assert_eq!(read(text, "id INT, name STRING").unwrap(), expected);
        assert_eq!(read("", "id INT").unwrap(), [""; 0]);
    }

    #[test]
    fn many_rows_are_several_batches() {
        let text = "{\"id\":7}\n".repeat(BATCH_ROWS + 1);
        let rows = Rows::new(source(text.as_bytes()), wanted("id INT", &[])).unwrap();
        let sizes: Vec<usize> = rows.map(|batch| batch.unwrap().num_rows()).collect();
        assert_eq!(sizes, [BATCH_ROWS, 1]);
    }

    #[test]
    fn what_does_not_fit_is_refused_by_line_and_column() {
        for (text, message) in [
            (
                "{\"id\":1}\n{\"x\":1}",
                "rows: line 2: column 'x' is not one of the table's: id",
            ),
            (
                "{\"id\":1,\"id\":2}",
                "rows: line 1: column 'id' is there twice",
            ),
            (
                "\n{\"id\":\"x\"}",
                "rows: line 2: column 'id': 'x' is no INT",
            ),
            (
                "[1]",
                "rows: line 1: not a JSON object on one line: invalid type: sequence, expected an object",
            ),
            (
                "{\"id\":",
                "rows: line 1: not a JSON object on one line: EOF while parsing a value (at byte 6)",
            ),
            (
                "{\"id\":1} {}",
                "rows: line 1: not a JSON object on one line: trailing characters (at byte 10)",
            ),
        ] {
            assert_eq!(
                read(text, "id INT").unwrap_err().to_string(),
                message,
                "{text}"
            );
        }
    }
}
