//! Whole files, by way of the format.

use std::ops::Range;

use arrow_array::{ArrayRef, Int32Array, StringArray};
use bytes::Bytes;
use ftable_core::ErrorKind;
use futures::TryStreamExt;

use super::*;
use crate::lines::testing::named;
use crate::testing::{Read, batch, concat, count_request, run};
use crate::{Error, ReadRequest, file_format};

const JSON: FileFormatKind = FileFormatKind::Json;

/// A file and how it is read.
struct File<'a> {
    path: &'a str,
    bytes: Bytes,
    ddl: &'a str,
    given: &'a [(&'a str, &'a str)],
}

impl<'a> File<'a> {
    fn new(ddl: &'a str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self {
            path: "/t/a.json",
            bytes,
            ddl,
            given: &[],
        }
    }

    fn given(mut self, given: &'a [(&'a str, &'a str)]) -> Self {
        self.given = given;
        self
    }

    /// The rows of a range of the file, and how many were made NULL in part and left out.
    fn part(&self, range: Option<Range<u64>>) -> Result<(Vec<String>, (u64, u64))> {
        let fields = columns(self.ddl);
        let request = ReadRequest {
            file: named(self.path, self.bytes.clone()),
            range,
            options: options(JSON, self.given),
            ..Read::new(JSON, &fields).batch_size(2).request(&self.bytes)
        };
        let records = Arc::clone(&request.records);
        let batches: Vec<RecordBatch> = run(async {
            let stream = file_format(JSON).read(request).await?;
            stream.try_collect().await
        })?;
        let counts = (&records.malformed, &records.dropped);
        let counts = (
            counts.0.load(Ordering::Relaxed),
            counts.1.load(Ordering::Relaxed),
        );
        Ok((show(&concat(&fields, &batches)), counts))
    }

    fn rows(&self) -> Vec<String> {
        self.part(None).unwrap().0
    }

    fn error(&self) -> Error {
        self.part(None).expect_err("rows")
    }

    fn count(&self, range: Option<Range<u64>>) -> Result<u64> {
        let file = named(self.path, self.bytes.clone());
        let options = options(JSON, self.given);
        run(file_format(JSON).count_rows(count_request(file, range, options)))
    }
}

const PLACES: &str = "{\"id\":1,\"loc\":{\"x\":1}}\n{\"id\":2,\"loc\":\"Rome\"}\n\
                      {\"id\":\"x3\",\"loc\":null}\n{\"id\":4,\n{\"other\":1}\n";

#[test]
fn an_error_names_file_line_and_column() {
    let file = File::new("id INT, loc ROW<x INT>", PLACES);
    let error = file.error();
    assert_eq!(
        error.to_string(),
        "/t/a.json: line 2: column loc: \"Rome\" cannot be read as ROW<x INT>: expected an object"
    );
    assert_eq!(error.kind(), ErrorKind::TypeMismatch);
    // Of columns that nobody asked for only the form matters.
    let file = File::new("other STRING", PLACES);
    let error = file.error();
    assert_eq!(
        error.to_string(),
        "/t/a.json: line 4: no JSON at byte 8: EOF while parsing a value: {\"id\":4,"
    );
    assert_eq!(error.kind(), ErrorKind::CorruptFile);
    assert_eq!(file.count(None).unwrap_err().to_string(), error.to_string());

    let lenient = [("json.ignore-parse-errors", "true")];
    let file = File::new("id INT, loc ROW<x INT>", PLACES).given(&lenient);
    let rows = ["1 | {x: 1}", "2 | NULL", "NULL | NULL", "NULL | NULL"];
    let (read, counts) = file.part(None).unwrap();
    assert_eq!((read, counts), (rows.map(str::to_owned).to_vec(), (2, 1)));
    assert_eq!(file.count(None).unwrap(), 4);
}

#[test]
fn lines_without_a_row_are_not_counted() {
    let file = File::new("a INT", "{\"a\":1}\nnull\n{\"b\":1}\n null \n{}");
    assert_eq!(file.rows(), ["1", "NULL", "NULL"]);
    assert_eq!(file.count(None).unwrap(), 3);
    assert_eq!(File::new("a INT", "").count(None).unwrap(), 0);
    let blank = File::new("a INT", "{}\n\n{}\n");
    let told = "/t/a.json: line 2: an object is expected, but the line holds nothing";
    assert_eq!(blank.error().to_string(), told);
    assert_eq!(blank.count(None).unwrap_err().to_string(), told);
}

#[test]
fn byte_order_marks_and_all_ends_of_lines_are_taken() {
    let file = File::new("a INT", "\u{feff}{\"a\":1}\r\n{\"a\":2}\r{\"a\":3}\n");
    assert_eq!(file.rows(), ["1", "2", "3"]);
}

#[test]
fn every_row_is_of_one_range() {
    let text =
        "{\"a\":1,\"s\":\"é\"}\n{\"a\":2}\r\nnull\n{\"a\":3,\"s\":\"longer than the others\"}\n{}";
    let file = File::new("a INT, s STRING", text);
    let (whole, size) = (file.rows(), text.len() as u64);
    assert_eq!(whole.len(), 4);
    for cut in 1..size {
        let parts = [Some(0..cut), Some(cut..size)];
        let rows = parts.clone().map(|range| file.part(range).unwrap().0);
        assert_eq!(rows.concat(), whole, "{cut}");
        let counts = parts.map(|range| file.count(range).unwrap());
        assert_eq!(counts.iter().sum::<u64>(), 4, "{cut}");
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error_or_replaced() {
    let bytes = Bytes::from_static(b"{\"s\":\"a\"}\n{\"s\":\"a\xFFb\"}\n");
    let error = File::new("s STRING", bytes.clone()).error().to_string();
    assert!(error.starts_with("/t/a.json: line 2: "), "{error}");
    let lenient = [("json.ignore-parse-errors", "true")];
    let file = File::new("s STRING", bytes).given(&lenient);
    assert_eq!(file.rows(), ["a", "a\u{fffd}b"]);
}

#[test]
fn files_are_written_and_read_with_every_compression() {
    let fields = columns("a INT, s STRING");
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None])),
        Arc::new(StringArray::from(vec!["x\ny||", "é"])),
    ];
    let rows = batch(&fields, arrays);
    let expected = show(&rows);
    for (codec, suffix) in [
        ("none", ""),
        ("gzip", ".gz"),
        ("bzip2", ".bz2"),
        ("deflate", ".deflate"),
        ("snappy", ".snappy"),
        ("lz4", ".lz4"),
        ("zstd", ".zst"),
    ] {
        let given = [("file.compression", codec)];
        let bytes = crate::testing::write(JSON, &given, &fields, &[rows.clone(), rows.clone()]);
        let path = format!("/t/a.json{suffix}");
        let file = File {
            path: &path,
            ..File::new("a INT, s STRING", bytes.unwrap())
        };
        assert_eq!(
            file.rows(),
            [expected.clone(), expected.clone()].concat(),
            "{codec}"
        );
    }
    let given = [("json.line-delimiter", "\u{1}")];
    let bytes = crate::testing::write(JSON, &given, &fields, &[rows]).unwrap();
    assert_eq!(
        bytes,
        "{\"a\":1,\"s\":\"x\\ny||\"}\u{1}{\"a\":null,\"s\":\"é\"}\u{1}"
    );
    assert_eq!(
        File::new("a INT, s STRING", bytes).given(&given).rows(),
        expected
    );
    assert_eq!(crate::testing::write(JSON, &[], &fields, &[]).unwrap(), "");
}

#[test]
fn columns_are_not_found_out() {
    let format = file_format(JSON);
    let error = run(format.file_fields(named("/t/a.json", "{}"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "json: /t/a.json: finding out its columns is not supported: \
         json files do not say the types of their columns; give a schema"
    );
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}
