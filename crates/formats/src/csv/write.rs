//! Batches to lines.
//!
//! What is written is what the reader reads back, or it is refused: a value with a mark, or one that says what NULL says,
//! is put in quotes, and a line with quotes is held against the reader before it is written.

use std::sync::Arc;

use arrow_array::RecordBatch;
use ftable_core::DataField;
use memchr::memmem::Finder;
use memchr::{memchr2, memchr2_iter};

use super::dialect::{Dialect, is_blank};
use super::record::Record;
use super::{NAME, read};
use crate::error::{EncodeSnafu, Error, Result, UnstorableSnafu};
use crate::lines::RowRenderer;
use crate::values::Texts;

/// What a file may begin with, and every reader skips.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

const READ_DIFFERENTLY: &str =
    "would be read as another value with the table's 'csv.' options; change them, or use json";
const HAS_DELIMITER: &str =
    "has a line delimiter, at which its line would end; use json, which escapes it";

/// Makes lines of rows.
pub(super) struct CsvRenderer {
    dialect: Dialect,
    fields: Arc<[DataField]>,
    delimiter: Finder<'static>,
    /// Whether the literal for NULL has marks, so that what is read of it has to be seen.
    is_null_doubtful: bool,
    is_first_line: bool,
    /// For reading back what may be read differently.
    record: Record,
    spare: Vec<u8>,
}

/// What has been put into a line.
#[derive(Default)]
struct Line {
    has_values: bool,
    /// Whether what is read from it has to be seen.
    is_doubtful: bool,
}

impl CsvRenderer {
    pub(super) fn new(dialect: Dialect, fields: &Arc<[DataField]>) -> Result<Self> {
        for field in fields.iter() {
            read::text_column(field)?;
        }
        Ok(Self {
            delimiter: Finder::new(dialect.line_delimiter.as_bytes()).into_owned(),
            is_null_doubtful: dialect.marks(dialect.null_literal.as_bytes()),
            dialect,
            fields: Arc::clone(fields),
            is_first_line: true,
            record: Record::default(),
            spare: Vec::new(),
        })
    }

    fn row(&mut self, columns: &[Texts<'_>], row: usize, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let mut line = self.render(columns, row, out, false);
        if self.is_lost(&line, written(out, start)) {
            out.truncate(start);
            line = self.render(columns, row, out, true);
            if self.is_lost(&line, written(out, start)) {
                let column = columns.iter().position(|texts| !texts.is_null(row));
                return Err(self.refuse(
                    columns,
                    row,
                    column.unwrap_or_default(),
                    READ_DIFFERENTLY,
                ));
            }
        }
        if line.is_doubtful
            && let Some(column) = self.read_differently(columns, row, written(out, start))
        {
            return Err(self.refuse(columns, row, column, READ_DIFFERENTLY));
        }
        if !self.end_line(out, start) {
            let column = self.column_with_delimiter(columns, row);
            return Err(self.refuse(columns, row, column, HAS_DELIMITER));
        }
        self.is_first_line = false;
        Ok(())
    }

    /// Appends the fields of a row, those that need it in quotes, or all.
    fn render(
        &mut self,
        columns: &[Texts<'_>],
        row: usize,
        out: &mut Vec<u8>,
        quotes_all: bool,
    ) -> Line {
        let mut line = Line::default();
        for (index, texts) in columns.iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(self.dialect.separator.bytes());
            }
            let literal = self.dialect.null_literal.as_bytes();
            if texts.is_null(row) {
                out.extend_from_slice(literal);
                line.is_doubtful |= self.is_null_doubtful;
                continue;
            }
            line.has_values = true;
            let start = out.len();
            texts.write(row, out);
            let text = written(out, start);
            if quotes_all || text == literal || self.dialect.marks(text) {
                self.put_in_quotes(out, start);
                line.is_doubtful = true;
            }
        }
        line
    }

    /// Puts what was written from `start` on in quotes, if there are any.
    fn put_in_quotes(&mut self, out: &mut Vec<u8>, start: usize) {
        let (quote, escape) = (&self.dialect.quote, &self.dialect.escape);
        if quote.is_off() {
            return;
        }
        let guard = if escape.is_off() { quote } else { escape };
        self.spare.clear();
        self.spare.extend_from_slice(written(out, start));
        let text = self.spare.as_slice();
        out.truncate(start);
        out.extend_from_slice(quote.bytes());
        let mut from = 0;
        for at in memchr2_iter(quote.first(), escape.first(), text) {
            if quote.after(text, at).is_some() || escape.after(text, at).is_some() {
                out.extend_from_slice(text.get(from..at).unwrap_or_default());
                out.extend_from_slice(guard.bytes());
                from = at;
            }
        }
        out.extend_from_slice(text.get(from..).unwrap_or_default());
        out.extend_from_slice(quote.bytes());
    }

    /// Ends the line, if the reader would see its end there and nowhere before.
    fn end_line(&self, out: &mut Vec<u8>, start: usize) -> bool {
        let end = out.len() - start;
        if self.dialect.has_usual_lines() {
            let is_whole = memchr2(b'\n', b'\r', written(out, start)).is_none();
            out.extend_from_slice(self.delimiter.needle());
            return is_whole;
        }
        out.extend_from_slice(self.delimiter.needle());
        self.delimiter.find(written(out, start)) == Some(end)
    }

    /// Whether the reader would see nothing of the values of a line: a blank line is a row of NULLs to it, and a mark of
    /// the byte order no text.
    fn is_lost(&self, line: &Line, text: &[u8]) -> bool {
        let may_be_blank = !matches!(text.first(), Some(b'!'..=b'~'));
        let is_blank = may_be_blank && std::str::from_utf8(text).is_ok_and(is_blank);
        let is_skipped = self.is_first_line
            && self.dialect.has_usual_lines()
            && text.starts_with(BYTE_ORDER_MARK);
        (line.has_values && is_blank) || is_skipped
    }

    /// The first column that is read as something else than the row has.
    fn read_differently(
        &mut self,
        columns: &[Texts<'_>],
        row: usize,
        line: &[u8],
    ) -> Option<usize> {
        let Ok(line) = std::str::from_utf8(line) else {
            return Some(0);
        };
        let rest = self.record.read(&self.dialect, line, columns.len());
        for (index, texts) in columns.iter().enumerate() {
            let found = self.record.get(line, index);
            self.spare.clear();
            let is_same = if texts.is_null(row) {
                found.is_none() && index < self.record.len()
            } else {
                texts.write(row, &mut self.spare);
                found.is_some_and(|text| text.as_bytes() == self.spare)
            };
            if !is_same {
                return Some(index);
            }
        }
        rest.map(|_| columns.len().saturating_sub(1))
    }

    /// The column whose value has the delimiter, or begins it: the first text then.
    fn column_with_delimiter(&self, columns: &[Texts<'_>], row: usize) -> usize {
        let has = |texts: &&Texts<'_>| {
            let text = text_of(texts, row, &self.dialect);
            if self.dialect.has_usual_lines() {
                memchr2(b'\n', b'\r', text.as_bytes()).is_some()
            } else {
                self.delimiter.find(text.as_bytes()).is_some()
            }
        };
        let found = columns.iter().position(|texts| has(&texts));
        found.unwrap_or(columns.len().saturating_sub(1))
    }

    fn refuse(
        &self,
        columns: &[Texts<'_>],
        row: usize,
        column: usize,
        reason: &'static str,
    ) -> Error {
        let texts = columns.get(column);
        let value = texts.map(|texts| text_of(texts, row, &self.dialect));
        self.unstorable(column, &value.unwrap_or_default(), reason)
    }

    fn unstorable(&self, column: usize, value: &str, reason: &str) -> Error {
        let field = self.fields.get(column);
        UnstorableSnafu {
            format: NAME,
            column: field.map_or("", |field| field.name.as_str()),
            value: format!("'{}'", read::shown(value)),
            reason,
        }
        .build()
    }

    fn texts<'a>(&self, batch: &'a RecordBatch) -> Result<Vec<Texts<'a>>> {
        if batch.num_columns() != self.fields.len() {
            return Err(other_columns(format!(
                "{} columns for {}",
                batch.num_columns(),
                self.fields.len()
            )));
        }
        let columns = batch.columns().iter().zip(self.fields.iter()).enumerate();
        columns
            .map(|(index, (array, field))| {
                let texts = Texts::new(array, &field.data_type).ok_or_else(|| {
                    let (name, found) = (&field.name, array.data_type());
                    other_columns(format!("column {name} is {found} for {}", field.data_type))
                })?;
                match texts.unwritable() {
                    None => Ok(texts),
                    Some((row, reason)) => {
                        let value = text_of(&texts, row, &self.dialect);
                        Err(self.unstorable(index, &value, reason))
                    }
                }
            })
            .collect()
    }
}

impl RowRenderer for CsvRenderer {
    fn header(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.dialect.has_header {
            return Ok(());
        }
        let fields = Arc::clone(&self.fields);
        let start = out.len();
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(self.dialect.separator.bytes());
            }
            let name = field.name.as_bytes();
            let start = out.len();
            out.extend_from_slice(name);
            if name == self.dialect.null_literal.as_bytes() || self.dialect.marks(name) {
                self.put_in_quotes(out, start);
            }
        }
        if !self.end_line(out, start) {
            let has = |field: &DataField| {
                memchr2(b'\n', b'\r', field.name.as_bytes()).is_some()
                    || field.name.contains(&self.dialect.line_delimiter)
            };
            let column = fields.iter().position(has).unwrap_or_default();
            let name = fields.get(column).map_or("", |field| field.name.as_str());
            return Err(self.unstorable(column, name, HAS_DELIMITER));
        }
        self.is_first_line = false;
        Ok(())
    }

    fn rows(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let columns = self.texts(batch)?;
        (0..batch.num_rows()).try_for_each(|row| self.row(&columns, row, out))
    }
}

fn written(out: &[u8], start: usize) -> &[u8] {
    out.get(start..).unwrap_or_default()
}

fn text_of(texts: &Texts<'_>, row: usize, dialect: &Dialect) -> String {
    let mut text = Vec::new();
    if texts.is_null(row) {
        return dialect.null_literal.clone();
    }
    texts.write(row, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

fn other_columns(message: String) -> Error {
    EncodeSnafu {
        format: NAME,
        message,
    }
    .build()
}
