//! Files of csv and json cut anywhere: each row is read once, by the range its line belongs to.
//!
//! The rows are known before the file is made of them.

#![allow(clippy::unwrap_used)]

mod common;

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use common::{columns, options, request, runtime};
use ftable_core::{DataField, FileFormatKind};
use ftable_formats::{ReadRequest, file_format};
use futures::TryStreamExt;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseError;
use tokio::runtime::Runtime;

const CSV: FileFormatKind = FileFormatKind::Csv;
const JSON: FileFormatKind = FileFormatKind::Json;

/// An id and a text, the columns of every file here.
type Row = (i32, Option<String>);

/// A file and what is in it.
#[derive(Default)]
struct Content {
    bytes: Vec<u8>,
    /// Where each line starts, and the row that it is, if it is one.
    lines: Vec<(u64, Option<Row>)>,
}

impl Content {
    fn new(mark: bool) -> Self {
        let mut content = Self::default();
        if mark {
            content.bytes.extend_from_slice("\u{feff}".as_bytes());
        }
        content
    }

    fn push(&mut self, line: &str, row: Option<Row>, end: &str) {
        // The mark belongs to the first line.
        let start = if self.lines.is_empty() {
            0
        } else {
            self.bytes.len() as u64
        };
        self.lines.push((start, row));
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.extend_from_slice(end.as_bytes());
    }

    /// The rows of the lines that start in a range or right behind it; the file's first line is that of its first range.
    fn rows(&self, range: &Range<u64>) -> Vec<Row> {
        let mine = |start: u64| {
            range.start < start && start <= range.end || start == 0 && range.start == 0
        };
        let lines = self.lines.iter().filter(|(start, _)| mine(*start));
        lines.filter_map(|(_, row)| row.clone()).collect()
    }
}

fn rows_of(batch: &RecordBatch) -> Vec<Row> {
    let ids = batch.column(0).as_primitive::<Int32Type>().values();
    let texts = batch.column(1).as_string::<i32>();
    let texts = texts.iter().map(|text| text.map(str::to_owned));
    ids.iter().copied().zip(texts).collect()
}

/// Reads files, and counts their rows beside.
struct Reader {
    kind: FileFormatKind,
    given: Vec<(&'static str, &'static str)>,
    batch_size: usize,
    fields: Arc<[DataField]>,
    runtime: Runtime,
}

impl Reader {
    fn new(
        kind: FileFormatKind,
        given: &[(&'static str, &'static str)],
        batch_size: usize,
    ) -> Self {
        Self {
            kind,
            given: given.to_vec(),
            batch_size,
            fields: columns("id INT, v STRING"),
            runtime: runtime(),
        }
    }

    fn rows(
        &self,
        content: &Content,
        range: Option<Range<u64>>,
    ) -> Result<Vec<Row>, TestCaseError> {
        let request = ReadRequest {
            range,
            batch_size: self.batch_size,
            options: options(self.kind, &self.given),
            ..request(self.kind, &content.bytes.clone().into(), &self.fields)
        };
        let format = file_format(self.kind);
        let (batches, count) = self.runtime.block_on(async {
            let stream = format.read(request.clone()).await.unwrap();
            let batches: Vec<RecordBatch> = stream.try_collect().await.unwrap();
            (batches, format.count_rows(request).await.unwrap())
        });
        let rows: Vec<Row> = batches.iter().flat_map(rows_of).collect();
        prop_assert_eq!(count, rows.len() as u64);
        Ok(rows)
    }

    /// The whole file, and its ranges between the cuts.
    fn check(&self, content: &Content, cuts: &[u64]) -> Result<(), TestCaseError> {
        let size = content.bytes.len() as u64;
        let shown = || format!("{:?} by {cuts:?}", String::from_utf8_lossy(&content.bytes));
        let all = content.rows(&(0..size));
        prop_assert_eq!(&self.rows(content, None)?, &all, "{}", shown());
        let mut ends: Vec<u64> = cuts.to_vec();
        ends.extend([0, size]);
        ends.sort_unstable();
        ends.dedup();
        let mut seen = Vec::new();
        for pair in ends.windows(2) {
            let range = pair[0]..pair[1];
            let rows = self.rows(content, Some(range.clone()))?;
            prop_assert_eq!(&rows, &content.rows(&range), "{} in {:?}", shown(), range);
            seen.extend(rows);
        }
        prop_assert_eq!(seen, all, "{}", shown());
        Ok(())
    }
}

fn cuts_of(content: &Content, cuts: &[Index]) -> Vec<u64> {
    let size = content.bytes.len() + 1;
    cuts.iter().map(|cut| cut.index(size) as u64).collect()
}

/// A text on one line.
fn text() -> impl Strategy<Value = Option<String>> {
    let pieces = select(
        &[
            "a", "bc", "é", "漢字", "🦀", " ", ",", "\"", "1", "\u{feff}",
        ][..],
    );
    let pieces = prop::collection::vec(pieces, 0..8);
    prop::option::weighted(0.9, pieces.prop_map(|pieces| pieces.concat()))
}

fn line_end() -> impl Strategy<Value = &'static str> {
    select(&["\n", "\n", "\r\n", "\r\n", "\r"][..])
}

/// A field of csv: NULL is nothing at all, and the empty text has quotes.
fn field(text: Option<&str>, quoted: bool) -> String {
    match text {
        None => String::new(),
        Some(text) if quoted || text.is_empty() || text.contains([',', '"']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Some(text) => text.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn csv_rows_are_read_once(
        header in prop::option::of((text(), line_end())),
        rows in prop::collection::vec((any::<i16>(), text(), any::<bool>(), line_end()), 0..25),
        mark in any::<bool>(),
        open_end in any::<bool>(),
        cuts in prop::collection::vec(any::<Index>(), 1..50),
        batch_size in 1_usize..6,
    ) {
        let mut content = Content::new(mark);
        let given = [("csv.include-header", if header.is_some() { "true" } else { "false" })];
        if let Some((name, end)) = &header {
            content.push(&format!("id,{}", field(name.as_deref(), true)), None, end);
        }
        for (index, (id, text, quoted, end)) in rows.iter().enumerate() {
            let end = if open_end && index + 1 == rows.len() { "" } else { end };
            let line = format!("{id},{}", field(text.as_deref(), *quoted));
            content.push(&line, Some((i32::from(*id), text.clone())), end);
        }
        Reader::new(CSV, &given, batch_size).check(&content, &cuts_of(&content, &cuts))?;
    }

    /// Lines with members in any order and with others between them, and lines that are no rows.
    #[test]
    fn json_rows_are_read_once(
        rows in prop::collection::vec((any::<i16>(), text(), 0..5_u8, line_end()), 0..25),
        mark in any::<bool>(),
        open_end in any::<bool>(),
        cuts in prop::collection::vec(any::<Index>(), 1..50),
        batch_size in 1_usize..6,
    ) {
        let mut content = Content::new(mark);
        for (index, (id, text, shape, end)) in rows.iter().enumerate() {
            let end = if open_end && index + 1 == rows.len() { "" } else { end };
            let value = serde_json::to_string(text).unwrap();
            let line = match shape {
                0 => "null".to_owned(),
                1 => format!("{{\"v\":{value},\"id\":\"{id}\"}}"),
                2 => format!(" {{ \"id\" : {id} , \"é\" : [{{\"v\":1}}] , \"v\" : {value} }} "),
                _ => format!("{{\"id\":{id},\"v\":{value}}}"),
            };
            let row = (*shape != 0).then(|| (i32::from(*id), text.clone()));
            content.push(&line, row, end);
        }
        Reader::new(JSON, &[], batch_size).check(&content, &cuts_of(&content, &cuts))?;
    }
}

/// Two cuts at every place of a small file, inside the header, a character and a line end too.
#[test]
fn a_header_is_cut_anywhere() {
    let reader = Reader::new(CSV, &[("csv.include-header", "true")], 1024);
    for (mark, end) in [(false, "\n"), (true, "\r\n"), (false, "\r")] {
        let mut content = Content::new(mark);
        content.push("h1,ñ2", None, end);
        content.push("1,2", Some((1, Some("2".to_owned()))), end);
        let size = content.bytes.len() as u64;
        for first in 1..size {
            for second in first..size {
                reader.check(&content, &[first, second]).unwrap();
            }
        }
    }
}
