//! CSV: a line a row, fields by position, without types.
//!
//! The reader is Java Paimon's: a line is a row whatever quotes say, missing fields are NULL and surplus ones are not
//! read, a blank line is a row of NULLs. An unquoted field that says the literal for NULL is NULL, a quoted one is the
//! text. What the values of types look like is in `values`.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `dialect` | the `csv.*` options of a table |
//! | `record` | one line to fields |
//! | `read` | lines to batches, and what becomes of values that cannot be read |
//! | `write` | batches to lines, and what is refused because it would be read differently |

mod dialect;
mod read;
mod record;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::options::CsvMode;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions};
use ftable_io::InputFile;

use crate::convert::FileFields;
use crate::error::{Result, UnsupportedSnafu};
use crate::format::{BatchStream, FileEncoder, FileFormat, ReadRequest, WriteRequest};
use crate::lines;
use dialect::Dialect;

pub(crate) const NAME: &str = "csv";

/// The csv format.
#[derive(Debug)]
pub(crate) struct CsvFormat;

#[async_trait]
impl FileFormat for CsvFormat {
    fn kind(&self) -> FileFormatKind {
        FileFormatKind::Csv
    }

    fn check_write_schema(&self, fields: &[DataField]) -> Result<()> {
        let mut columns = fields.iter();
        columns.try_for_each(|field| read::text_column(field).map(|_| ()))
    }

    /// Fields belong to the columns of the table by position, whatever a header says. A line with fewer has NULL in the
    /// columns it does not reach, and a NULL in a NOT NULL column fails the scan.
    async fn read(&self, request: ReadRequest) -> Result<BatchStream> {
        let dialect = Dialect::new(&request.options)?;
        let format = dialect.lines();
        let decoder = read::CsvDecoder::new(&request, dialect)?;
        lines::read_lines(&request, format, decoder).await
    }

    fn encoder(&self, request: WriteRequest) -> Result<Box<dyn FileEncoder>> {
        let renderer = write::CsvRenderer::new(Dialect::new(&request.options)?, &request.fields)?;
        lines::line_encoder(NAME, renderer, &request.options)
    }

    fn has_footer(&self) -> bool {
        false
    }

    fn can_cut(&self, name: &str, options: &FormatTableOptions) -> bool {
        Dialect::new(options).is_ok_and(|dialect| lines::can_cut(name, &dialect.lines()))
    }

    async fn file_fields(&self, file: Arc<dyn InputFile>) -> Result<FileFields> {
        UnsupportedSnafu {
            format: NAME,
            what: format!("{}: finding out its columns", file.path()),
            reason: "csv files do not say the types of their columns; give a schema",
        }
        .fail()
    }

    /// The lines, which are read but not taken apart: each is a row. Where malformed ones are left out, as many as a read
    /// of all columns gives.
    async fn count_rows(&self, request: ReadRequest) -> Result<u64> {
        let dialect = Dialect::new(&request.options)?;
        match dialect.mode {
            CsvMode::DropMalformed => lines::count_by_reading(self, request).await,
            CsvMode::Permissive | CsvMode::FailFast => {
                lines::count_lines(&request, dialect.lines()).await
            }
        }
    }
}

#[cfg(test)]
mod tests;
