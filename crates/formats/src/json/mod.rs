//! JSON, one object a line.
//!
//! A line is read by what its first value is; what follows it on the line is not looked at, as in Java.
//!
//! | line | gives |
//! | --- | --- |
//! | an object | a row: its members go to the columns of their exact names, columns without member are NULL |
//! | `null` | nothing |
//! | another value, nothing or no JSON | an error, or nothing with `json.ignore-parse-errors` |
//!
//! A value is read by its text, so `1` and `"1"` are the same. The text of a number is its digits as they stand there:
//! a DECIMAL is exact, and a STRING of `1.50` is `1.50`. What a text means is decided in `values`, with two rules more:
//! a number beyond FLOAT or DOUBLE is none of it (`"Infinity"` is), and arrays and objects have no text.
//! Of several members with one name the last counts, and of several keys of a MAP that mean the same.
//!
//! With `json.ignore-parse-errors` a value that cannot be read is NULL, alone: the other elements of its ARRAY and the
//! other members of its ROW stay; an entry of a MAP whose key cannot be read is left out. A NOT NULL column that is
//! null is an error all the same: the option is for what cannot be read.
//!
//! Strings are Unicode: an escape of one half of a surrogate pair is no JSON, as is a control character without escape.
//! Arrays and objects may nest 200 levels deep, and integers may have 4300 digits.
//!
//! Written are numbers and booleans as such, decimals as numbers with all their digits, NaN and infinities as strings,
//! everything else as strings with the texts of `values`. Java writes all of them as strings, and reads both.

mod cell;
mod column;
mod cursor;
mod decoder;
mod escape;
mod fault;
mod keys;
mod map_keys;
mod names;
mod nested;
mod render;
mod row;
mod schema;

use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::options::keys::{JSON_IGNORE_PARSE_ERRORS, JSON_LINE_DELIMITER};
use ftable_core::{DataField, FileFormatKind, FormatTableOptions};
use ftable_io::InputFile;

use crate::convert::FileFields;
use crate::error::{Result, UnsupportedSnafu};
use crate::format::{BatchStream, FileEncoder, FileFormat, ReadRequest, WriteRequest};
use crate::lines::{self, InvalidText, LineFormat, line_encoder, read_lines};
use decoder::JsonDecoder;
use render::JsonRenderer;

pub(crate) const NAME: &str = "json";

/// The JSON format.
#[derive(Debug)]
pub(crate) struct JsonFormat;

#[async_trait]
impl FileFormat for JsonFormat {
    fn kind(&self) -> FileFormatKind {
        FileFormatKind::Json
    }

    fn check_write_schema(&self, fields: &[DataField]) -> Result<()> {
        schema::check(fields)
    }

    async fn read(&self, request: ReadRequest) -> Result<BatchStream> {
        let lenient = ignores_errors(&request.options)?;
        let records = Arc::clone(&request.records);
        let decoder = JsonDecoder::new(&request.fields, lenient, records)?;
        read_lines(&request, line_format(&request.options)?, decoder).await
    }

    fn encoder(&self, request: WriteRequest) -> Result<Box<dyn FileEncoder>> {
        let renderer = JsonRenderer::new(&request)?;
        line_encoder(NAME, renderer, &request.options)
    }

    fn has_footer(&self) -> bool {
        false
    }

    fn can_cut(&self, name: &str, options: &FormatTableOptions) -> bool {
        line_format(options).is_ok_and(|format| lines::can_cut(name, &format))
    }

    async fn file_fields(&self, file: Arc<dyn InputFile>) -> Result<FileFields> {
        UnsupportedSnafu {
            format: NAME,
            what: format!("{}: finding out its columns", file.path()),
            reason: "json files do not say the types of their columns; give a schema",
        }
        .fail()
    }

    /// By reading it: whether a line is a row is seen by its whole text alone.
    async fn count_rows(&self, request: ReadRequest) -> Result<u64> {
        lines::count_by_reading(self, request).await
    }
}

/// Whether what cannot be read is left out instead of failing the scan.
fn ignores_errors(options: &FormatTableOptions) -> Result<bool> {
    Ok(options.format_options.get(&JSON_IGNORE_PARSE_ERRORS)?)
}

/// How the lines of a file are told apart.
fn line_format(options: &FormatTableOptions) -> Result<LineFormat> {
    Ok(LineFormat {
        format: NAME,
        delimiter: options.format_options.get(&JSON_LINE_DELIMITER)?,
        header: false,
        invalid_text: match ignores_errors(options)? {
            true => InvalidText::Replace,
            false => InvalidText::Refuse,
        },
    })
}

#[cfg(test)]
mod tests;
