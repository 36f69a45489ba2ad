//! What is written is read back, or refused.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::array_value_to_string;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions, Options, TypeKind};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;

use super::{CsvRenderer, decode, dialect, render, string_batch, strings};
use crate::lines::RowRenderer;
use crate::lines::testing::{codec_and_path, written_and_read};
use crate::testing::{self, Random, named, random_array, scalar_type};

const SEPARATORS: [&str; 11] = [",", "\t", ";", "|", "\u{1}", " ", "é", "🦀", "a", "1", "\\"];
const QUOTES: [&str; 6] = ["\"", "'", "\0", "é", " ", "\u{feff}"];
const ESCAPES: [&str; 6] = ["\\", "\0", "^", "x", "\"", "ü"];
const NULLS: [&str; 12] = [
    "", "NULL", "\\N", " ", "\"\"", "a", "1", ",", "\\", "\"", "\n", "x\\N",
];
const LINES: [&str; 8] = ["\n", "\r\n", "\r", "|#|", "aa", "\u{2}", "##", "\n\n"];
/// What texts are made of: marks, blanks, beginnings of delimiters and of literals.
const PIECES: [&str; 28] = [
    "\"", "\\", ",", "'", "\0", "é", "ü", " ", "\t", "a", "b", "N", "NULL", "1", "\n", "\r", "|",
    "#", "\u{feff}", "🦀", "^", "x", ";", "\u{1}", "\u{3000}", "\u{a0}", "\"\"", "\\\"",
];

fn text() -> impl Strategy<Value = Option<String>> {
    let pieces = prop::collection::vec(select(&PIECES[..]), 0..5);
    prop_oneof![
        1 => Just(None),
        6 => pieces.prop_map(|pieces| Some(pieces.concat())),
    ]
}

fn rows() -> impl Strategy<Value = Vec<Vec<Option<String>>>> {
    (1_usize..4)
        .prop_flat_map(|width| prop::collection::vec(prop::collection::vec(text(), width), 1..4))
}

fn batch_of(rows: &[Vec<Option<String>>]) -> RecordBatch {
    let rows = rows
        .iter()
        .map(|row| row.iter().map(Option::as_deref).collect());
    string_batch(&rows.collect())
}

/// The lines of a file: by LF, CR or both for the usual delimiters, a mark of the byte order at the beginning left out.
fn lines<'a>(file: &'a str, delimiter: &str) -> Vec<&'a str> {
    if !["\n", "\r", "\r\n"].contains(&delimiter) {
        let file = file.strip_suffix(delimiter).unwrap();
        return file.split(delimiter).collect();
    }
    let mut rest = file.strip_prefix('\u{feff}').unwrap_or(file);
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(['\n', '\r']).unwrap();
        lines.push(&rest[..end]);
        rest = rest[end..].strip_prefix("\r\n").unwrap_or(&rest[end + 1..]);
    }
    lines
}

fn resolve(options: &[(&str, &str)]) -> Option<FormatTableOptions> {
    let mut all = Options::from_iter([("file.format".to_owned(), "csv".to_owned())]);
    for (key, value) in options {
        all.set(*key, *value);
    }
    FormatTableOptions::resolve(&all).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Over dialects of any kind, rows are read back as they were or refused.
    #[test]
    fn hostile_texts_in_any_dialect(
        separator in select(&SEPARATORS[..]),
        quote in select(&QUOTES[..]),
        escape in select(&ESCAPES[..]),
        null in select(&NULLS[..]),
        delimiter in select(&LINES[..]),
        header in any::<bool>(),
        rows in rows(),
    ) {
        let options = [
            ("csv.field-delimiter", separator),
            ("csv.quote-character", quote),
            ("csv.escape-character", escape),
            ("csv.null-literal", null),
            ("csv.line-delimiter", delimiter),
            ("csv.include-header", if header { "true" } else { "false" }),
            ("csv.mode", "failfast"),
        ];
        // Some of these no table may have.
        if resolve(&options).is_none() {
            return Ok(());
        }
        let table = strings(rows[0].len());
        let batch = batch_of(&rows);
        let Ok(file) = render(&table, &options, &batch) else {
            return Ok(());
        };
        let lines = lines(&file, delimiter);
        let read = decode(&table, &options, &lines[usize::from(header)..]);
        prop_assert_eq!(read.as_ref(), Ok(&batch), "{:?}", file);
    }

    /// With quotes and an escape every text on one line can be written.
    #[test]
    fn nothing_on_one_line_is_refused(
        separator in select(&[",", "\t", ";", "\u{1}", "é"][..]),
        null in select(&["", "NULL", "a", "\\N", "-"][..]),
        escape in select(&["\\", "\0"][..]),
        rows in rows(),
    ) {
        let options = [
            ("csv.field-delimiter", separator),
            ("csv.null-literal", null),
            ("csv.escape-character", escape),
        ];
        let one_line = |text: &Option<String>| text.as_ref().map(|text| text.replace(['\n', '\r'], "_"));
        let rows: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(one_line).collect()).collect();
        let table = strings(rows[0].len());
        let batch = batch_of(&rows);
        let file = render(&table, &options, &batch);
        prop_assert!(file.is_ok(), "{:?}", file);
        let file = file.unwrap();
        let read = decode(&table, &options, &lines(&file, "\n"));
        prop_assert_eq!(read.as_ref(), Ok(&batch), "{:?}", file);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Random columns of every type: a row is refused by the column that csv does not hold, or is the same when it is
    /// read, alone and in a file of all such rows.
    #[test]
    fn every_type(
        types in prop::collection::vec(scalar_type(), 1..5),
        separator in select(&[",", ";", ":", "-", "1"][..]),
        null in select(&["", "NULL", "\\N", "true"][..]),
        delimiter in select(&["\n", "\r\n", "\r", "|#|"][..]),
        header in any::<bool>(),
        (codec, path) in codec_and_path(FileFormatKind::Csv),
        seed in any::<u64>(),
    ) {
        let fields: Arc<[DataField]> = named(types).into();
        let options = [
            ("csv.field-delimiter", separator),
            ("csv.null-literal", null),
            ("csv.line-delimiter", delimiter),
            ("csv.include-header", if header { "true" } else { "false" }),
            ("csv.mode", "failfast"),
            ("file.compression", codec),
        ];
        let mut random = Random::new(seed);
        let arrays = fields.iter().map(|field| random_array(&field.data_type, 20, &mut random)).collect();
        let batch = testing::batch(&fields, arrays);
        // A row at a time, as some have values that csv does not hold.
        let mut held = Vec::new();
        for row in 0..batch.num_rows() {
            let row = batch.slice(row, 1);
            let mut renderer = CsvRenderer::new(dialect(&options), &fields).unwrap();
            let mut out = Vec::new();
            if let Err(error) = renderer.rows(&row, &mut out) {
                is_known(&fields, &row, &error.to_string())?;
                continue;
            }
            let line = std::str::from_utf8(&out).unwrap().strip_suffix(delimiter).unwrap();
            let read = decode(&fields, &options, &[line]);
            prop_assert!(read.is_ok(), "{}", line);
            is_same(&fields, &read.unwrap(), &row)?;
            held.push(row);
        }
        let (read, count) = written_and_read(FileFormatKind::Csv, &path, &options, &fields, &held).unwrap();
        prop_assert_eq!(count, held.len() as u64);
        is_same(&fields, &read, &testing::concat(&fields, &held))?;
    }
}

/// A refusal names a column, whose type may have what it says and whose value it shows.
fn is_known(fields: &[DataField], row: &RecordBatch, message: &str) -> Result<(), TestCaseError> {
    let blamed = fields.iter().position(|field| {
        let start = format!("csv: column {}: value '", field.name);
        message.starts_with(&start)
    });
    prop_assert!(blamed.is_some(), "{}", message);
    let column = row.column(blamed.unwrap());
    let kind = fields[blamed.unwrap()].data_type.kind();
    let is_known = if message.contains("line delimiter") {
        // The texts here are short enough to be shown whole.
        let text = column.as_string_opt::<i32>().map(|texts| texts.value(0));
        text.is_some_and(|text| {
            let shown = text.replace('\0', "\\u{0}").replace('\n', "\\n");
            text.contains('\n') && message.contains(&format!("value '{shown}' cannot"))
        })
    } else if message.contains("outside the years") {
        matches!(
            kind,
            TypeKind::Date | TypeKind::Timestamp { .. } | TypeKind::TimestampLtz { .. }
        )
    } else {
        message.contains("digits of the second")
            && matches!(
                kind,
                TypeKind::Timestamp { .. } | TypeKind::TimestampLtz { .. }
            )
    };
    prop_assert!(is_known, "{}: {}", kind, message);
    Ok(())
}

/// Rows read are those written, but for the many NaN.
fn is_same(
    fields: &[DataField],
    read: &RecordBatch,
    written: &RecordBatch,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(read.num_rows(), written.num_rows());
    for (index, field) in fields.iter().enumerate() {
        let (read, written) = (read.column(index), written.column(index));
        for row in 0..written.len() {
            prop_assert_eq!(read.is_null(row), written.is_null(row), "{}", field);
        }
        if matches!(field.data_type.kind(), TypeKind::Float | TypeKind::Double) {
            // One NaN stands for all, and is no equal of itself.
            let shown = |array: &ArrayRef| -> Vec<String> {
                let value = |row| array_value_to_string(array, row).unwrap();
                (0..array.len()).map(value).collect()
            };
            prop_assert_eq!(shown(read), shown(written), "{}", field);
        } else {
            prop_assert_eq!(read, written, "{}", field);
        }
    }
    Ok(())
}
