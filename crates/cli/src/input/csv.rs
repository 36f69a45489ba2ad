//! CSV as RFC 4180 has it, with a header that names the columns.
//!
//! An empty field is null, a quoted empty one is the empty text. A field's quotes are its first and last character;
//! a quote anywhere else is refused rather than guessed at. Lines end with `\n` or `\r\n`; in quotes both are text.

use std::io::BufRead;

use arrow_array::{RecordBatch, new_null_array};
use ftable_core::types::to_arrow_type;

use super::column::{Column, batch};
use super::{BATCH_BYTES, BATCH_ROWS, Source, Wanted};
use crate::error::{InputSnafu, LineSnafu, Result};

/// The batches of a file.
pub(super) struct Rows {
    records: Records,
    wanted: Wanted,
    /// For each field of a record its column; `None` for a field that is not read.
    fields: Vec<Option<usize>>,
    names: Vec<String>,
    /// For each wanted column its values, if the file has it.
    columns: Vec<Option<Column>>,
    is_ended: bool,
}

impl Rows {
    /// Reads the header.
    pub(super) fn open(source: Source, wanted: Wanted) -> Result<Self> {
        let mut records = Records::new(source);
        let mut header = Record::default();
        if !records.read(&mut header)? {
            return InputSnafu {
                file: records.name(),
                message: "it has no header",
            }
            .fail();
        }
        let names = header
            .texts()
            .map(|text| text.map(|text| text.unwrap_or_default().to_owned()));
        let names = names
            .collect::<Result<Vec<String>, String>>()
            .map_err(|message| records.error(message))?;
        let mut columns: Vec<Option<Column>> = wanted.fields.iter().map(|_| None).collect();
        let mut fields = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            if names.iter().take(at).any(|other| other == name) {
                return Err(records.error(format!("column '{name}' is there twice")));
            }
            let position = wanted
                .position(name)
                .map_err(|message| records.error(message))?;
            if let Some((field, slot)) =
                position.and_then(|at| wanted.fields.get(at).zip(columns.get_mut(at)))
            {
                *slot = Some(Column::new(field).map_err(|message| records.error(message))?);
            }
            fields.push(position);
        }
        wanted
            .check_keys(|key| names.iter().any(|name| name == key))
            .map_err(|message| records.error(message))?;
        Ok(Self {
            records,
            wanted,
            fields,
            names,
            columns,
            is_ended: false,
        })
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let mut record = Record::default();
        let (mut rows, mut bytes) = (0, 0);
        while !self.is_ended && rows < BATCH_ROWS && bytes < BATCH_BYTES {
            if !self.records.read(&mut record)? {
                self.is_ended = true;
                break;
            }
            if record.is_blank() && self.fields.len() > 1 {
                continue;
            }
            self.append(&record)?;
            rows += 1;
            bytes += record.text.len();
        }
        if rows == 0 {
            return Ok(None);
        }
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (column, field) in self.columns.iter_mut().zip(self.wanted.fields.iter()) {
            arrays.push(match column {
                Some(column) => column
                    .finish()
                    .map_err(|message| self.records.error(message))?,
                None => new_null_array(&to_arrow_type(&field.data_type)?, rows),
            });
        }
        batch(&self.wanted.fields, arrays, rows)
            .map(Some)
            .map_err(|message| self.records.error(message))
    }

    fn append(&mut self, record: &Record) -> Result<()> {
        let (given, expected) = (record.ends.len(), self.fields.len());
        if given != expected {
            let message = format!("fields: {given}, where the header has {expected}");
            return Err(self.records.error(message));
        }
        for ((position, name), text) in self.fields.iter().zip(&self.names).zip(record.texts()) {
            let Some(column) = position
                .and_then(|at| self.columns.get_mut(at))
                .and_then(Option::as_mut)
            else {
                continue;
            };
            let appended = text.and_then(|text| match text {
                None => column.append_null(),
                Some(text) => column.append_text(text),
            });
            if let Err(message) = appended {
                return Err(self.records.error(format!("column '{name}': {message}")));
            }
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

/// One line of a file, or several where quotes span them.
#[derive(Default)]
struct Record {
    /// The texts of all fields behind each other, without their quotes.
    text: Vec<u8>,
    /// Where each field ends, and whether it was quoted.
    ends: Vec<(usize, bool)>,
}

impl Record {
    /// The fields; `None` is null.
    fn texts(&self) -> impl Iterator<Item = Result<Option<&str>, String>> {
        let mut begin = 0;
        self.ends.iter().map(move |(end, quoted)| {
            let bytes = self.text.get(begin..*end).unwrap_or_default();
            begin = *end;
            if bytes.is_empty() && !quoted {
                return Ok(None);
            }
            std::str::from_utf8(bytes)
                .map(Some)
                .map_err(|_| "it is not valid UTF-8".to_owned())
        })
    }

    fn is_blank(&self) -> bool {
        self.ends.as_slice() == [(0, false)]
    }
}

/// Where a character of a record stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldBegin,
    Plain,
    Quoted,
    /// Behind a quote in a quoted field: its end, or the first of a doubled quote.
    BehindQuote,
}

/// Cuts a file into records.
struct Records {
    source: Source,
    line: u64,
    /// The line that the record began with, for messages.
    first_line: u64,
    buffer: Vec<u8>,
}

impl Records {
    fn new(source: Source) -> Self {
        Self {
            source,
            line: 0,
            first_line: 0,
            buffer: Vec::new(),
        }
    }

    fn name(&self) -> &str {
        &self.source.name
    }

    fn error(&self, message: String) -> crate::Error {
        LineSnafu {
            file: &self.source.name,
            line: self.first_line.max(1),
            message,
        }
        .build()
    }

    /// Reads the next record; `false` at the end of the file.
    fn read(&mut self, record: &mut Record) -> Result<bool> {
        record.text.clear();
        record.ends.clear();
        self.first_line = self.line + 1;
        let mut place = Place::FieldBegin;
        let mut is_first = true;
        loop {
            if !self.read_line()? {
                if place == Place::Quoted {
                    return Err(self.error("a quote is not closed".to_owned()));
                }
                return Ok(!is_first);
            }
            is_first = false;
            place = self.cut(record, place)?;
            if place != Place::Quoted {
                return Ok(true);
            }
        }
    }

    fn read_line(&mut self) -> Result<bool> {
        self.buffer.clear();
        let read = self.source.reader.read_until(b'\n', &mut self.buffer);
        let read =
            read.map_err(|error| self.source.error(format!("it cannot be read: {error}")))?;
        if self.line == 0 && self.buffer.starts_with(&[0xEF, 0xBB, 0xBF]) {
            // A byte order mark is no part of the first name.
            self.buffer.drain(..3);
        }
        self.line += 1;
        Ok(read > 0)
    }

    /// Cuts the line in the buffer into fields, and says where its end stands.
    fn cut(&self, record: &mut Record, begin: Place) -> Result<Place> {
        let mut place = begin;
        let mut rest = self.buffer.as_slice();
        while let Some((byte, behind)) = rest.split_first() {
            let ends_line = matches!(rest, b"\n" | b"\r\n" | b"\r");
            place = match (place, *byte) {
                (Place::Quoted, b'"') => Place::BehindQuote,
                (Place::Quoted, byte) => {
                    record.text.push(byte);
                    Place::Quoted
                }
                (_, _) if ends_line => break,
                (Place::FieldBegin, b'"') => Place::Quoted,
                (Place::BehindQuote, b'"') => {
                    record.text.push(b'"');
                    Place::Quoted
                }
                (_, b',') => {
                    record
                        .ends
                        .push((record.text.len(), place == Place::BehindQuote));
                    Place::FieldBegin
                }
                (Place::BehindQuote, _) => {
                    return Err(self.error(
                        "there is text behind a closing quote; a quote inside quotes is doubled"
                            .to_owned(),
                    ));
                }
                (Place::Plain, b'"') => {
                    let message = "there is a quote inside a field that does not begin with one; put the field into quotes and double the quote";
                    return Err(self.error(message.to_owned()));
                }
                (Place::FieldBegin | Place::Plain, byte) => {
                    record.text.push(byte);
                    Place::Plain
                }
            };
            rest = behind;
        }
        if place != Place::Quoted {
            record
                .ends
                .push((record.text.len(), place == Place::BehindQuote));
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lines, source, wanted};
    use super::*;

    fn read(text: &str, columns: &str, keys: &[&str]) -> Result<Vec<String>> {
        Rows::open(source(text.as_bytes()), wanted(columns, keys)).and_then(lines)
    }

    #[test]
    fn fields_by_the_names_of_the_header() {
        let text = "\u{feff}name,id\r\nplain,1\r\n\"a,\"\"b\"\"\",2\n\"two\r\nlines\",3\n\n,4\n\"\",5\nlast,6";
        let expected = [
            r#"{"id":1,"name":"plain","dt":null}"#,
            r#"{"id":2,"name":"a,\"b\"","dt":null}"#,
            r#"{"id":3,"name":"two\r\nlines","dt":null}"#,
            r#"{"id":4,"name":null,"dt":null}"#,
            r#"{"id":5,"name":"","dt":null}"#,
            r#"{"id":6,"name":"last","dt":null}"#,
        ];
        assert_eq!(
            read(text, "id INT, name STRING, dt DATE", &[]).unwrap(),
            expected
        );
    }

    #[test]
    fn a_blank_line_is_a_null_where_there_is_one_column() {
        assert_eq!(
            read("id\n1\n\n3\n", "id INT", &[]).unwrap(),
            [r#"{"id":1}"#, r#"{"id":null}"#, r#"{"id":3}"#]
        );
        assert_eq!(read("id\n", "id INT", &[]).unwrap(), [""; 0]);
        assert_eq!(
            read("id,name\r", "id INT, name STRING", &[]).unwrap(),
            [""; 0]
        );
    }

    #[test]
    fn many_rows_are_several_batches() {
        let text = format!("id\n{}", "7\n".repeat(2 * BATCH_ROWS + 1));
        let batches: Vec<_> = Rows::open(source(text.as_bytes()), wanted("id INT", &[]))
            .unwrap()
            .collect();
        let sizes: Vec<usize> = batches
            .into_iter()
            .map(|batch| batch.unwrap().num_rows())
            .collect();
        assert_eq!(sizes, [BATCH_ROWS, BATCH_ROWS, 1]);
    }

    #[test]
    fn what_does_not_fit_is_refused_by_line_and_column() {
        let columns = "id INT, name STRING, dt DATE";
        for (text, message) in [
            ("", "rows: it has no header"),
            (
                "id,x\n",
                "rows: line 1: column 'x' is not one of the table's: id, name, dt",
            ),
            ("id,id\n", "rows: line 1: column 'id' is there twice"),
            (
                "id,,name\n",
                "rows: line 1: column '' is not one of the table's: id, name, dt",
            ),
            (
                "id,name\n1\n",
                "rows: line 2: fields: 1, where the header has 2",
            ),
            (
                "id,name\n1,a,b\n",
                "rows: line 2: fields: 3, where the header has 2",
            ),
            ("id\n1\nx\n", "rows: line 3: column 'id': 'x' is no INT"),
            ("id\n\"\"\n", "rows: line 2: column 'id': '' is no INT"),
            (
                "name,id\n\"a\nb\",\"1\n",
                "rows: line 2: a quote is not closed",
            ),
            (
                "name\na\"b\n",
                "rows: line 2: there is a quote inside a field that does not begin with one; put the field into quotes and double the quote",
            ),
            (
                "name\n\"a\" b\n",
                "rows: line 2: there is text behind a closing quote; a quote inside quotes is doubled",
            ),
        ] {
            assert_eq!(
                read(text, columns, &[]).unwrap_err().to_string(),
                message,
                "{text}"
            );
        }
        let error = read("id,name\n1,a\n", columns, &["dt"])
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "rows: line 1: the partition key 'dt' is missing; say --partition dt=VALUE"
        );
        let error = Rows::open(source(b"name\n\xFF\n"), wanted("name STRING", &[]))
            .and_then(lines)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "rows: line 2: column 'name': it is not valid UTF-8");
    }

    #[test]
    fn keys_of_a_given_partition_are_not_read() {
        let fields = ftable_core::types::parse_columns("id INT, dt DATE").unwrap();
        let wanted = Wanted::new(&fields, &["dt".to_owned()], true);
        let rows = Rows::open(source(b"dt,id\nnot a date,1\n"), wanted)
            .and_then(lines)
            .unwrap();
        assert_eq!(rows, [r#"{"id":1}"#]);
    }
}
