//! Rows as text: JSON lines, CSV, or a table for people.
//!
//! | module | what it writes |
//! | --- | --- |
//! | [`json`] | one object a row, values spelled so that none is changed |
//! | `csv` | RFC 4180 with a header; null is nothing, the empty text is `""` |
//! | `table` | columns under each other |
//! | `values` | one value of an Arrow column, which all of them share |
//! | `records` | what verbs other than `scan` have to tell, in any of the three |

mod csv;
pub mod json;
pub(crate) mod records;
mod table;
mod values;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use clap::ValueEnum;

use crate::error::Result;

/// How output is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Columns under each other, for people.
    Table,
    /// One JSON object a line.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

/// Writes batches of one schema into a buffer, row by row.
pub(crate) enum RowWriter {
    Json,
    Csv { schema: SchemaRef },
    Table(table::Layout),
}

impl RowWriter {
    pub(crate) fn new(format: OutputFormat, schema: &SchemaRef) -> Self {
        match format {
            OutputFormat::Json => Self::Json,
            OutputFormat::Csv => Self::Csv {
                schema: SchemaRef::clone(schema),
            },
            OutputFormat::Table => Self::Table(table::Layout::of_schema(schema)),
        }
    }

    /// What comes before the first row.
    pub(crate) fn begin(&self, out: &mut Vec<u8>) {
        if let Self::Csv { schema } = self {
            csv::write_header(
                schema.fields().iter().map(|field| field.name().as_str()),
                out,
            );
        }
    }

    /// The rows of a batch.
    pub(crate) fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Json => json::write_rows(batch, out),
            Self::Csv { .. } => csv::write_rows(batch, out),
            Self::Table(layout) => layout.write_rows(batch, out),
        }
    }

    /// What comes after the last row.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) {
        if let Self::Table(layout) = self {
            layout.finish(out);
        }
    }
}
