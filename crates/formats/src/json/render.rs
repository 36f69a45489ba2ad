//! Rows to lines.

use std::sync::Arc;

use arrow_array::RecordBatch;
use ftable_core::DataField;
use ftable_core::options::keys::JSON_LINE_DELIMITER;
use memchr::memmem::Finder;

use super::cell::{members, write_object};
use super::fault::cut;
use super::keys::{KeyWriter, Refused};
use super::schema;
use crate::error::Result;
use crate::format::WriteRequest;
use crate::lines::RowRenderer;

/// Writes each row as one object without blanks, all columns in order.
pub(super) struct JsonRenderer {
    fields: Arc<[DataField]>,
    keys: KeyWriter,
    delimiter: Vec<u8>,
    /// Looks for the delimiter in what is written. `None` for line ends, which JSON always escapes.
    finder: Option<Finder<'static>>,
    /// Where the members of the row at hand end.
    ends: Vec<usize>,
}

impl JsonRenderer {
    /// # Errors
    /// A column of a type that JSON files do not hold; an option of the format.
    pub(super) fn new(request: &WriteRequest) -> Result<Self> {
        schema::check(&request.fields)?;
        let options = &request.options.format_options;
        let delimiter = options.get(&JSON_LINE_DELIMITER)?.into_bytes();
        let line_end = delimiter.iter().all(|byte| matches!(byte, b'\n' | b'\r'));
        Ok(Self {
            fields: Arc::clone(&request.fields),
            keys: KeyWriter::new(options)?,
            finder: (!line_end).then(|| Finder::new(&delimiter).into_owned()),
            delimiter,
            ends: Vec::new(),
        })
    }

    /// A reader ends a line where it first finds the delimiter, which must be behind the row.
    fn check_line(&self, line: &[u8]) -> Result<(), Refused> {
        let Some(finder) = &self.finder else {
            return Ok(());
        };
        let row = line.len() - self.delimiter.len();
        let Some(at) = finder.find(line).filter(|at| *at < row) else {
            return Ok(());
        };
        // The column that the delimiter is completed in, or the last one for the brace that ends the row.
        let end = at + self.delimiter.len();
        let column = self.ends.iter().position(|column| end <= *column);
        let column = column.unwrap_or(self.ends.len().saturating_sub(1));
        let name = self.fields.get(column).map_or("", |field| &field.name);
        let start = match column.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let stop = self.ends.get(column).copied().unwrap_or(row);
        let text = line.get(start + 1..stop).unwrap_or_default();
        let reason = format!(
            "holds the line delimiter; set {} to another or to a line end, which JSON escapes",
            JSON_LINE_DELIMITER.name()
        );
        Err(Refused::new(cut(&String::from_utf8_lossy(text)), reason).under(name))
    }
}

impl RowRenderer for JsonRenderer {
    fn header(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn rows(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let fields = Arc::clone(&self.fields);
        let members = members(&fields, batch.columns())?;
        for row in 0..batch.num_rows() {
            let start = out.len();
            let (keys, ends) = (&mut self.keys, &mut self.ends);
            ends.clear();
            let written = write_object(&members, row, out, keys, |so_far| {
                ends.push(so_far.len() - start);
            });
            out.extend_from_slice(&self.delimiter);
            let line = out.get(start..).unwrap_or_default();
            if let Err(refused) = written.and_then(|()| self.check_line(line)) {
                out.truncate(start);
                return Err(refused.error());
            }
        }
        Ok(())
    }
}
