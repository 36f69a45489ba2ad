//! Whole files, by the format.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use ftable_core::{DataField, FileFormatKind};
use futures::TryStreamExt;

use super::counted;
use crate::csv::CsvFormat;
use crate::error::Result;
use crate::format::{FileFormat, ReadRequest, WriteRequest};
use crate::testing::{self, columns, run};

fn request(table: &Arc<[DataField]>, options: &[(&str, &str)], bytes: &[u8]) -> ReadRequest {
    ReadRequest {
        file: testing::file(bytes.to_vec()),
        range: None,
        fields: Arc::clone(table),
        table_fields: Arc::clone(table),
        batch_size: 3,
        options: testing::options(FileFormatKind::Csv, options),
        records: Arc::default(),
    }
}

fn read(request: &ReadRequest) -> Result<RecordBatch> {
    let batches: Vec<RecordBatch> = run(async {
        let stream = CsvFormat.read(request.clone()).await?;
        stream.try_collect().await
    })?;
    assert!(
        batches
            .iter()
            .all(|batch| (1..=request.batch_size).contains(&batch.num_rows()))
    );
    Ok(testing::concat(&request.fields, &batches))
}

fn count(request: &ReadRequest) -> u64 {
    run(CsvFormat.count_rows(request.clone())).unwrap()
}

fn write(
    table: &Arc<[DataField]>,
    options: &[(&str, &str)],
    batches: &[RecordBatch],
) -> Result<Vec<u8>> {
    let request = WriteRequest {
        fields: Arc::clone(table),
        options: testing::options(FileFormatKind::Csv, options),
    };
    let mut encoder = CsvFormat.encoder(request)?;
    let mut bytes = Vec::new();
    for batch in batches {
        encoder.write(batch)?;
        bytes.extend_from_slice(&encoder.take_bytes());
    }
    bytes.extend_from_slice(&encoder.finish()?);
    Ok(bytes)
}

fn id_and_v(ids: Vec<i32>, texts: Vec<Option<&str>>) -> RecordBatch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(ids)),
        Arc::new(StringArray::from(texts)),
    ];
    testing::batch(&self::columns("id INT, v STRING"), columns)
}

fn cut(size: usize, ranges: usize) -> impl Iterator<Item = Range<u64>> {
    (0..ranges)
        .map(move |index| (size * index / ranges) as u64..(size * (index + 1) / ranges) as u64)
}

/// A file has one header, however many ranges it is read in.
#[test]
fn one_header_a_file() {
    let table = columns("id INT, v STRING");
    let rows: Vec<String> = (0..20).map(|id| format!("{id},v{id}\n")).collect();
    for (header, ends) in [("id,v", "\n"), ("v,id", "\n"), ("id,v", "\r\n")] {
        let file = format!("{header}\n{}", rows.concat()).replace('\n', ends);
        let mut request = request(&table, &[("csv.include-header", "true")], file.as_bytes());
        for ranges in 1..=7 {
            let (mut ids, mut counts) = (Vec::new(), 0);
            for range in cut(file.len(), ranges) {
                request.range = Some(range);
                counts += count(&request);
                let batch = read(&request).unwrap();
                ids.extend_from_slice(batch.column(0).as_primitive::<Int32Type>().values());
            }
            assert_eq!(ids, (0..20).collect::<Vec<_>>(), "{header} {ranges}");
            assert_eq!(counts, 20, "{header} {ranges}");
        }
    }
    for (file, rows) in [
        ("", 0),
        ("id,v\n", 0),
        ("id,v", 0),
        ("id,v\n1,a", 1),
        ("id,v\n\n", 1),
    ] {
        let request = request(&table, &[("csv.include-header", "true")], file.as_bytes());
        assert_eq!(read(&request).unwrap().num_rows(), rows, "{file:?}");
        assert_eq!(count(&request), rows as u64, "{file:?}");
    }
}

#[test]
fn headers_are_written_with_the_first_row() {
    let table = columns("id INT, v STRING");
    let header = &[("csv.include-header", "true")];
    assert_eq!(write(&table, header, &[]).unwrap(), b"");
    assert_eq!(
        write(&table, header, &[id_and_v(vec![], vec![])]).unwrap(),
        b""
    );
    let batches = [
        id_and_v(vec![1], vec![Some("a")]),
        id_and_v(vec![2], vec![None]),
    ];
    let bytes = write(&table, header, &batches).unwrap();
    assert_eq!(bytes, b"id,v\n1,a\n2,\n");
    let found = read(&request(&table, header, &bytes)).unwrap();
    assert_eq!(found, id_and_v(vec![1, 2], vec![Some("a"), None]));
}

/// NULL, the empty text and the literal's text are three values.
#[test]
fn null_and_texts_that_say_it_survive() {
    let table = columns("id INT, v STRING");
    let rows = id_and_v(vec![1, 2, 3], vec![None, Some(""), Some("NA")]);
    for (options, file) in [
        (&[][..], "1,\n2,\"\"\n3,NA\n"),
        (&[("csv.null-literal", "NA")], "1,NA\n2,\n3,\"NA\"\n"),
    ] {
        let bytes = write(&table, options, std::slice::from_ref(&rows)).unwrap();
        assert_eq!(std::str::from_utf8(&bytes).unwrap(), file);
        assert_eq!(read(&request(&table, options, &bytes)).unwrap(), rows);
    }
}

/// Quotes do not hold lines together.
#[test]
fn a_quoted_line_end_ends_the_line() {
    let table = columns("a STRING, b STRING, c STRING");
    let request = request(&table, &[], b"\"a\nb\",c,d\n");
    let batch = read(&request).unwrap();
    assert_eq!(batch.num_rows(), 2);
    assert!(
        batch
            .columns()
            .iter()
            .all(|column| column.null_count() == 2)
    );
    assert_eq!(counted(&request.records), [2, 0, 0, 0]);
}

#[test]
fn lines_of_any_end() {
    let table = columns("id INT, v STRING");
    let expected = id_and_v(vec![1, 2, 3], vec![Some("a"), Some("b"), Some("c")]);
    for file in ["1,a\n2,b\r\n3,c", "\u{feff}1,a\r2,b\r3,c\r"] {
        assert_eq!(
            read(&request(&table, &[], file.as_bytes())).unwrap(),
            expected,
            "{file:?}"
        );
    }
    let custom = &[("csv.line-delimiter", "|#|")];
    assert_eq!(
        read(&request(&table, custom, b"1,a|#|2,b|#|3,c")).unwrap(),
        expected
    );
    assert_eq!(
        write(&table, custom, &[expected]).unwrap(),
        b"1,a|#|2,b|#|3,c|#|"
    );
}

#[test]
fn bytes_that_are_no_text() {
    let table = columns("id INT, v STRING");
    let bytes = b"1,a\n2,a\xFFb\n";
    for mode in ["permissive", "dropmalformed"] {
        let found = read(&request(&table, &[("csv.mode", mode)], bytes)).unwrap();
        assert_eq!(
            found,
            id_and_v(vec![1, 2], vec![Some("a"), Some("a\u{fffd}b")])
        );
    }
    let error = read(&request(&table, &[("csv.mode", "failfast")], bytes))
        .unwrap_err()
        .to_string();
    assert!(error.contains(testing::PATH), "{error}");
}

#[test]
fn failfast_names_file_column_and_text() {
    let table = columns("id INT, v STRING");
    let error = read(&request(
        &table,
        &[("csv.mode", "failfast")],
        b"1,a\nx1,b\n",
    ))
    .unwrap_err()
    .to_string();
    for part in [testing::PATH, "id", "'x1' is not an integer in its range"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn columns_are_counted_and_not_read() {
    let table = columns("id INT, v STRING");
    let mut request = request(&table, &[("csv.mode", "failfast")], b"x\n\n1,2,3\n");
    request.fields = Vec::new().into();
    let batch = read(&request).unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (3, 0));
    assert_eq!(count(&request), 3);
}

/// A count is that of the rows that a scan of all columns gives, and so is a scan of none.
#[test]
fn dropped_rows_are_not_counted() {
    let table = columns("id INT, v STRING");
    let file = b"x,a\n1,b\n\n2\n99999999999,c\n";
    let mut request = request(&table, &[("csv.mode", "dropmalformed")], file);
    assert_eq!(
        (read(&request).unwrap().num_rows(), count(&request)),
        (3, 3)
    );
    request.fields = Vec::new().into();
    assert_eq!(
        (read(&request).unwrap().num_rows(), count(&request)),
        (3, 3)
    );
    request.options = testing::options(FileFormatKind::Csv, &[("csv.mode", "permissive")]);
    assert_eq!(
        (read(&request).unwrap().num_rows(), count(&request)),
        (5, 5)
    );
    request.fields = Arc::clone(&table);
    assert_eq!(
        (read(&request).unwrap().num_rows(), count(&request)),
        (5, 5)
    );
}

/// A table whose every column is a partition column has rows too.
#[test]
fn rows_without_columns_are_lines() {
    let none: Arc<[DataField]> = Vec::new().into();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(2));
    let schema = ftable_core::types::to_arrow_schema(&none).unwrap();
    let rows = RecordBatch::try_new_with_options(schema, Vec::new(), &options).unwrap();
    let bytes = write(&none, &[], &[rows]).unwrap();
    assert_eq!(bytes, b"\n\n");
    let request = request(&none, &[], &bytes);
    assert_eq!(
        (read(&request).unwrap().num_rows(), count(&request)),
        (2, 2)
    );
}

#[test]
fn what_the_format_refuses() {
    let nested = columns("id INT, r ROW<a INT>");
    let expected = "csv: column r of type ROW<a INT> is not supported: a field of a line is one value; use json, parquet or orc";
    assert_eq!(
        CsvFormat
            .check_write_schema(&nested)
            .unwrap_err()
            .to_string(),
        expected
    );
    assert_eq!(write(&nested, &[], &[]).unwrap_err().to_string(), expected);
    assert_eq!(
        read(&request(&nested, &[], b"1,2"))
            .unwrap_err()
            .to_string(),
        expected
    );
    assert!(
        CsvFormat
            .check_write_schema(&columns("id INT, v STRING"))
            .is_ok()
    );
    let error = run(CsvFormat.file_fields(testing::file("1,2")))
        .err()
        .unwrap()
        .to_string();
    assert_eq!(
        error,
        "csv: /t/data-1: finding out its columns is not supported: csv files do not say the types of their columns; \
         give a schema"
    );
}
