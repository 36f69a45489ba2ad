//! Text: one column, whose values are the lines of a file.
//!
//! A line is a value, the empty one too, so that a value is never NULL. NULL is written as an empty line, which is
//! read as the empty text. A value is written as it is: one that holds the line delimiter, or with a common delimiter
//! any of LF and CR, is read as several rows, as Spark and Java have it.

mod rows;

use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::options::keys::TEXT_LINE_DELIMITER;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions, TypeKind};
use ftable_io::InputFile;

use crate::convert::FileFields;
use crate::error::{Result, UnsupportedSnafu};
use crate::format::{BatchStream, FileEncoder, FileFormat, ReadRequest, WriteRequest};
use crate::lines::{InvalidText, LineFormat, count_lines, line_encoder, read_lines};
use rows::{Renderer, Values};

const NAME: &str = "text";

/// The text format.
#[derive(Debug)]
pub(crate) struct TextFormat;

#[async_trait]
impl FileFormat for TextFormat {
    fn kind(&self) -> FileFormatKind {
        FileFormatKind::Text
    }

    fn check_write_schema(&self, fields: &[DataField]) -> Result<()> {
        check_columns(fields)
    }

    async fn read(&self, request: ReadRequest) -> Result<BatchStream> {
        check_columns(&request.table_fields)?;
        let values = Values::new(&request.fields)?;
        read_lines(&request, line_format(&request.options)?, values).await
    }

    fn encoder(&self, request: WriteRequest) -> Result<Box<dyn FileEncoder>> {
        check_columns(&request.fields)?;
        let renderer = Renderer::new(&request.fields, &line_format(&request.options)?);
        line_encoder(NAME, renderer, &request.options)
    }

    fn has_footer(&self) -> bool {
        false
    }

    /// Never: whether a file is compressed may show in its content alone.
    fn can_cut(&self, _name: &str, _options: &FormatTableOptions) -> bool {
        false
    }

    async fn file_fields(&self, file: Arc<dyn InputFile>) -> Result<FileFields> {
        UnsupportedSnafu {
            format: NAME,
            what: format!("{}: finding its columns", file.path()),
            reason: "text files do not say their columns; give a schema with one column of type STRING",
        }
        .fail()
    }

    async fn count_rows(&self, request: ReadRequest) -> Result<u64> {
        count_lines(&request, line_format(&request.options)?).await
    }
}

fn line_format(options: &FormatTableOptions) -> Result<LineFormat> {
    Ok(LineFormat {
        format: NAME,
        delimiter: options.format_options.get(&TEXT_LINE_DELIMITER)?,
        header: false,
        invalid_text: InvalidText::Refuse,
    })
}

/// A text table has one data column, of characters.
fn check_columns(fields: &[DataField]) -> Result<()> {
    let refuse = |what: String| {
        UnsupportedSnafu {
            format: NAME,
            what,
            reason: "beside its partition columns a text table has one column, of type STRING, VARCHAR or CHAR",
        }
        .fail()
    };
    match fields {
        [field] if is_text(field) => Ok(()),
        [field] => refuse(format!("column {} of type {}", field.name, field.data_type)),
        [] => refuse("a table without data columns".to_owned()),
        [_, second, ..] => refuse(format!("a second column, {},", second.name)),
    }
}

fn is_text(field: &DataField) -> bool {
    matches!(
        field.data_type.kind(),
        TypeKind::Char { .. } | TypeKind::VarChar { .. }
    )
}

#[cfg(test)]
mod tests;
