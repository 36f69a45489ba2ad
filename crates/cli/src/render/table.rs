//! Columns under each other, for people.
//!
//! Rows are not held back: the first of them decide how wide the columns are, and a later value that is wider moves
//! what follows it in its line.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::json::columns;
use crate::error::Result;

/// Rows that decide the widths.
const LOOKAHEAD: usize = 1000;
/// What stands for null.
const NULL: &str = "NULL";

/// A column's place.
struct Column {
    name: String,
    width: usize,
    /// Numbers end under each other.
    to_the_right: bool,
}

/// Lays rows out.
pub(crate) struct Layout {
    columns: Vec<Column>,
    /// Rows that wait for the widths to be known.
    waiting: Vec<Vec<String>>,
    is_begun: bool,
    rows: u64,
}

impl Layout {
    pub(super) fn of_schema(schema: &SchemaRef) -> Self {
        Self::new(
            schema
                .fields()
                .iter()
                .map(|field| (field.name().clone(), field.data_type().is_numeric())),
        )
    }

    /// Names, and whether a column holds numbers.
    pub(super) fn new(columns: impl IntoIterator<Item = (String, bool)>) -> Self {
        let columns = columns.into_iter().map(|(name, to_the_right)| {
            let name = printable(&name);
            Column {
                width: width(&name),
                name,
                to_the_right,
            }
        });
        Self {
            columns: columns.collect(),
            waiting: Vec::new(),
            is_begun: false,
            rows: 0,
        }
    }

    pub(super) fn write_rows(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let values = columns(batch, "a table")?;
        let mut field = Vec::new();
        for row in 0..batch.num_rows() {
            let cells = values.iter().map(|values| {
                if values.is_null(row) {
                    return None;
                }
                field.clear();
                values.write_text(row, &mut field);
                Some(String::from_utf8_lossy(&field).into_owned())
            });
            let cells = cells.collect();
            self.push(cells, out);
        }
        Ok(())
    }

    /// Adds a row; `None` is null.
    pub(super) fn push(&mut self, cells: Vec<Option<String>>, out: &mut Vec<u8>) {
        let cells: Vec<String> = cells
            .into_iter()
            .map(|cell| cell.map_or_else(|| NULL.to_owned(), |text| printable(&text)))
            .collect();
        self.rows += 1;
        if self.is_begun {
            return self.write_line(&cells, out);
        }
        for (column, cell) in self.columns.iter_mut().zip(&cells) {
            column.width = column.width.max(width(cell));
        }
        self.waiting.push(cells);
        if self.waiting.len() >= LOOKAHEAD {
            self.begin(out);
        }
    }

    /// Writes what waits, and how many rows there were.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.is_begun {
            self.begin(out);
        }
        let rows = if self.rows == 1 { "row" } else { "rows" };
        out.extend_from_slice(format!("({} {rows})\n", self.rows).as_bytes());
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        self.is_begun = true;
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
        self.write_line(&names, out);
        let rules: Vec<String> = self
            .columns
            .iter()
            .map(|column| "-".repeat(column.width))
            .collect();
        self.write_line(&rules, out);
        for cells in std::mem::take(&mut self.waiting) {
            self.write_line(&cells, out);
        }
    }

    fn write_line(&self, cells: &[String], out: &mut Vec<u8>) {
        let begin = out.len();
        for (at, (column, cell)) in self.columns.iter().zip(cells).enumerate() {
            if at > 0 {
                out.extend_from_slice(b"  ");
            }
            let blanks = " ".repeat(column.width.saturating_sub(width(cell)));
            let (before, after) = if column.to_the_right {
                (blanks.as_str(), "")
            } else {
                ("", blanks.as_str())
            };
            for part in [before, cell, after] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        while out.len() > begin && out.last() == Some(&b' ') {
            out.pop();
        }
        out.push(b'\n');
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text with control characters escaped, so that a row stays one line and no value steers the terminal.
fn printable(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    let escaped = text
        .chars()
        .flat_map(|character| match character.is_control() {
            true => character.escape_default().collect::<Vec<_>>(),
            false => vec![character],
        });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Int32Array, StringArray};

    use super::*;

    fn laid_out(batches: &[RecordBatch]) -> String {
        let mut out = Vec::new();
        let mut layout = Layout::of_schema(&batches[0].schema());
        for batch in batches {
            layout.write_rows(batch, &mut out).unwrap();
        }
        layout.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_stand_under_each_other() {
        let columns: [(&str, ArrayRef); 3] = [
            (
                "id",
                Arc::new(Int32Array::from(vec![Some(1), None, Some(-300)])),
            ),
            (
                "name",
                Arc::new(StringArray::from(vec![
                    Some("Zürich"),
                    Some("a\n\u{1b}[1mb"),
                    None,
                ])),
            ),
            (
                "ok",
                Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
            ),
        ];
        let expected = "  id  name           ok\n\
                        ----  -------------  -----\n   \
                        1  Zürich         true\n\
                        NULL  a\\n\\u{1b}[1mb  NULL\n\
                        -300  NULL           false\n\
                        (3 rows)\n";
        assert_eq!(
            laid_out(&[RecordBatch::try_from_iter(columns).unwrap()]),
            expected
        );
    }

    #[test]
    fn later_rows_are_written_as_they_come() {
        let batch = |numbers: Vec<i32>| {
            let column: ArrayRef = Arc::new(Int32Array::from(numbers));
            RecordBatch::try_from_iter([("n", column)]).unwrap()
        };
        let mut out = Vec::new();
        let first = batch(vec![1; LOOKAHEAD]);
        let mut layout = Layout::of_schema(&first.schema());
        layout.write_rows(&first, &mut out).unwrap();
        assert_eq!(out.len(), 2 * (LOOKAHEAD + 2));
        layout.write_rows(&batch(vec![22]), &mut out).unwrap();
        layout.finish(&mut out);
        assert!(
            String::from_utf8(out)
                .unwrap()
                .ends_with("1\n22\n(1001 rows)\n")
        );
    }

    #[test]
    fn no_rows_have_a_header() {
        let column: ArrayRef = Arc::new(Int32Array::from(Vec::<i32>::new()));
        assert_eq!(
            laid_out(&[RecordBatch::try_from_iter([("n", column)]).unwrap()]),
            "n\n-\n(0 rows)\n"
        );
    }
}
