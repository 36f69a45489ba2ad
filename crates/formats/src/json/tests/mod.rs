//! Tests of json, of lines and rows alone: how a file is cut into lines is tested with `lines`.
//!
//! Rows are shown by Arrow's own display, columns between bars, NULL as `NULL`.

mod files;
mod hostile;
mod lenient;
mod nested;
mod others;
mod round_trip;
mod scalars;
mod shapes;
mod types;
mod written;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use ftable_core::{DataField, FileFormatKind};

use super::decoder::JsonDecoder;
use super::render::JsonRenderer;
use crate::error::Result;
use crate::format::{RecordCounts, WriteRequest};
use crate::lines::{BadLine, LineDecoder, RowRenderer};
use crate::testing::{columns, options};

/// A decoder with its counts.
struct Decoding {
    decoder: JsonDecoder,
    records: Arc<RecordCounts>,
}

impl Decoding {
    fn new(fields: &[DataField], lenient: bool) -> Self {
        let records: Arc<RecordCounts> = Arc::default();
        let decoder = JsonDecoder::new(fields, lenient, Arc::clone(&records)).unwrap();
        Self { decoder, records }
    }

    fn strict(ddl: &str) -> Self {
        Self::new(&columns(ddl), false)
    }

    fn lenient(ddl: &str) -> Self {
        Self::new(&columns(ddl), true)
    }

    fn line(&mut self, line: &str) -> Result<(), BadLine> {
        self.decoder.line(line)
    }

    /// The rows held.
    fn rows(&mut self) -> RecordBatch {
        let rows = self.decoder.rows();
        let batch = self.decoder.take_batch().unwrap();
        assert_eq!((batch.num_rows(), self.decoder.rows()), (rows, 0));
        batch
    }

    /// Lines made NULL in part, and lines left out.
    fn counts(&self) -> (u64, u64) {
        let (malformed, dropped) = (&self.records.malformed, &self.records.dropped);
        (
            malformed.load(Ordering::Relaxed),
            dropped.load(Ordering::Relaxed),
        )
    }
}

/// Each row as a text.
fn show(batch: &RecordBatch) -> Vec<String> {
    let format = FormatOptions::new().with_null("NULL");
    let columns = batch.columns().iter();
    let columns: Vec<ArrayFormatter<'_>> = columns
        .map(|column| ArrayFormatter::try_new(column, &format).unwrap())
        .collect();
    let row = |row: usize| {
        let values = columns.iter().map(|column| column.value(row).to_string());
        values.collect::<Vec<_>>().join(" | ")
    };
    (0..batch.num_rows()).map(row).collect()
}

/// The rows of lines that can all be read.
fn read(ddl: &str, lines: &[&str]) -> Vec<String> {
    let mut decoding = Decoding::strict(ddl);
    for line in lines {
        decoding
            .line(line)
            .unwrap_or_else(|bad| panic!("{line}: {bad:?}"));
    }
    assert_eq!(decoding.counts(), (0, 0));
    show(&decoding.rows())
}

/// The rows of lines with `json.ignore-parse-errors`, and how many were made NULL in part and left out.
fn read_lenient(ddl: &str, lines: &[&str]) -> (Vec<String>, (u64, u64)) {
    let mut decoding = Decoding::lenient(ddl);
    for line in lines {
        decoding.line(line).unwrap();
    }
    let rows = show(&decoding.rows());
    (rows, decoding.counts())
}

/// The column to blame for a line that cannot be read, and what is told of it. Rows before and after it are as if it
/// were not there.
fn refused(ddl: &str, line: &str) -> (Option<String>, String) {
    let mut decoding = Decoding::strict(ddl);
    decoding.line("{}").unwrap();
    let bad = decoding.line(line).expect_err(line);
    decoding.line("{}").unwrap();
    let rows = show(&decoding.rows());
    assert_eq!(rows.len(), 2, "{line}");
    assert_eq!(rows[0], rows[1], "{line}");
    (bad.column, bad.reason)
}

/// What is told of a line that is no row by itself.
fn no_row(line: &str) -> String {
    let (column, reason) = refused("a INT", line);
    assert_eq!(column, None, "{line}");
    reason
}

/// The lines of a batch.
fn try_write(given: &[(&str, &str)], fields: &[DataField], batch: &RecordBatch) -> Result<String> {
    let request = WriteRequest {
        fields: fields.into(),
        options: options(FileFormatKind::Json, given),
    };
    let mut renderer = JsonRenderer::new(&request)?;
    let mut out = b"before".to_vec();
    renderer.header(&mut out)?;
    renderer.rows(batch, &mut out)?;
    let text = String::from_utf8(out).unwrap();
    Ok(text.strip_prefix("before").unwrap().to_owned())
}

fn write(fields: &[DataField], batch: &RecordBatch) -> String {
    try_write(&[], fields, batch).unwrap()
}
