#![allow(clippy::unwrap_used, clippy::panic)]

mod agreement;
mod files;
mod hostile;
mod modes;
mod parsing;
mod round_trip;
mod written;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use ftable_core::{DataField, FileFormatKind};

use super::dialect::Dialect;
use super::read::CsvDecoder;
use super::write::CsvRenderer;
use crate::error::Result;
use crate::format::{ReadRequest, RecordCounts};
use crate::lines::{BadLine, LineDecoder, RowRenderer};
use crate::testing;

/// Rows of texts.
pub(super) type Rows<'a> = Vec<Vec<Option<&'a str>>>;

pub(super) fn dialect(options: &[(&str, &str)]) -> Dialect {
    Dialect::new(&testing::options(FileFormatKind::Csv, options)).unwrap()
}

/// A decoder of some columns of a table, all if none are named, and its counters.
pub(super) fn decoder(
    table: &Arc<[DataField]>,
    names: &[&str],
    options: &[(&str, &str)],
) -> (CsvDecoder, Arc<RecordCounts>) {
    let fields = names.iter().map(|name| {
        let mut columns = table.iter();
        columns.find(|field| field.name == *name).unwrap().clone()
    });
    let request = ReadRequest {
        file: testing::file(""),
        range: None,
        fields: if names.is_empty() {
            Arc::clone(table)
        } else {
            fields.collect()
        },
        table_fields: Arc::clone(table),
        batch_size: 1024,
        options: testing::options(FileFormatKind::Csv, options),
        records: Arc::default(),
    };
    let decoder = CsvDecoder::new(&request, dialect(options)).unwrap();
    (decoder, request.records)
}

pub(super) fn decode(
    table: &Arc<[DataField]>,
    options: &[(&str, &str)],
    lines: &[&str],
) -> Result<RecordBatch, BadLine> {
    let (mut decoder, _) = decoder(table, &[], options);
    for line in lines {
        decoder.line(line)?;
    }
    Ok(decoder.take_batch().unwrap())
}

/// Columns of strings, `c0` and so on.
pub(super) fn strings(count: usize) -> Arc<[DataField]> {
    let types = vec![testing::data_type("STRING"); count];
    testing::named(types).into()
}

/// The fields of lines read as strings.
pub(super) fn fields(
    columns: usize,
    options: &[(&str, &str)],
    lines: &[&str],
) -> Vec<Vec<Option<String>>> {
    let batch = decode(&strings(columns), options, lines).unwrap();
    texts(&batch)
}

pub(super) fn texts(batch: &RecordBatch) -> Vec<Vec<Option<String>>> {
    let cell = |column: &ArrayRef, row| {
        let mut values = column.as_string::<i32>().iter().skip(row);
        values.next().flatten().map(str::to_owned)
    };
    (0..batch.num_rows())
        .map(|row| {
            batch
                .columns()
                .iter()
                .map(|column| cell(column, row))
                .collect()
        })
        .collect()
}

/// Short, long, malformed and dropped records.
pub(super) fn counted(counts: &RecordCounts) -> [u64; 4] {
    [
        &counts.short,
        &counts.long,
        &counts.malformed,
        &counts.dropped,
    ]
    .map(|counter| counter.load(Ordering::Relaxed))
}

/// Everything that is written of a batch.
pub(super) fn render(
    fields: &Arc<[DataField]>,
    options: &[(&str, &str)],
    batch: &RecordBatch,
) -> Result<String> {
    let mut renderer = CsvRenderer::new(dialect(options), fields)?;
    let mut out = Vec::new();
    renderer.header(&mut out)?;
    renderer.rows(batch, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

/// A batch of strings.
pub(super) fn string_batch(rows: &Rows<'_>) -> RecordBatch {
    let columns = rows.first().map_or(1, Vec::len);
    let column = |index: usize| -> ArrayRef {
        Arc::new(rows.iter().map(|row| row[index]).collect::<StringArray>())
    };
    testing::batch(&strings(columns), (0..columns).map(column).collect())
}
