use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use bytes::Bytes;
use ftable_core::ErrorKind;
use futures::TryStreamExt;
use proptest::prelude::*;

use super::*;
use crate::lines::testing::named;
use crate::testing::{Read, batch, columns, count_request, file, options, run};
use crate::{Error, file_format};

const TEXT: FileFormatKind = FileFormatKind::Text;

fn column() -> Arc<[DataField]> {
    columns("line STRING")
}

fn values(texts: &[Option<&str>]) -> RecordBatch {
    batch(&column(), vec![Arc::new(StringArray::from(texts.to_vec()))])
}

fn written(given: &[(&str, &str)], texts: &[Option<&str>]) -> Bytes {
    crate::testing::write(TEXT, given, &column(), &[values(texts)]).unwrap()
}

/// The values of a file with this name and these options.
fn read(path: &str, bytes: &Bytes, given: &[(&str, &str)]) -> Result<Vec<String>> {
    let request = ReadRequest {
        file: named(path, bytes.clone()),
        options: options(TEXT, given),
        ..Read::new(TEXT, &column()).request(bytes)
    };
    let batches: Vec<RecordBatch> = run(async {
        let stream = file_format(TEXT).read(request).await?;
        stream.try_collect().await
    })?;
    let texts = batches.iter().flat_map(|batch| {
        let texts = batch.column(0).as_string::<i32>();
        texts
            .iter()
            .map(|text| text.unwrap().to_owned())
            .collect::<Vec<_>>()
    });
    Ok(texts.collect())
}

#[test]
fn each_line_is_a_value() {
    let bytes = Bytes::from("a\n\n  b\r\n\u{1f980}\"c,\n");
    assert_eq!(
        read("/t/a", &bytes, &[]).unwrap(),
        ["a", "", "  b", "\u{1f980}\"c,"]
    );
    assert_eq!(read("/t/a", &Bytes::new(), &[]).unwrap(), [""; 0]);
    let given = [("text.line-delimiter", "||")];
    assert_eq!(
        read("/t/a", &Bytes::from("a\nb||c||"), &given).unwrap(),
        ["a\nb", "c"]
    );
    let given = [("lineSep", ";")];
    assert_eq!(
        read("/t/a", &Bytes::from("a;b"), &given).unwrap(),
        ["a", "b"]
    );
    // Lengths are not looked at.
    let short = Read::new(TEXT, &columns("line CHAR(2) NOT NULL"));
    let batch = short.read(&Bytes::from("abc\nd")).unwrap();
    assert_eq!(
        *batch.column(0).as_string::<i32>(),
        StringArray::from(vec!["abc", "d"])
    );
}

#[test]
fn null_is_an_empty_line_and_delimiters_are_written_as_they_are() {
    assert_eq!(
        written(&[], &[Some("a"), None, Some(""), Some("b")]),
        "a\n\n\nb\n"
    );
    assert_eq!(
        written(&[("text.line-delimiter", "||")], &[Some("a"), None]),
        "a||||"
    );
    let broken = written(&[], &[Some("bb\ncc"), Some("d\re")]);
    assert_eq!(broken, "bb\ncc\nd\re\n");
    assert_eq!(read("/t/a", &broken, &[]).unwrap(), ["bb", "cc", "d", "e"]);
    assert_eq!(written(&[], &[]), "");
    // A part of a larger array.
    let part = values(&[Some("a"), Some("b"), None, Some("d")]).slice(1, 2);
    assert_eq!(
        crate::testing::write(TEXT, &[], &column(), &[part]).unwrap(),
        "b\n\n"
    );
}

#[test]
fn rows_are_counted_without_columns() {
    let bytes = Bytes::from("a\nb\r\n\nc");
    let mut none = Read::new(TEXT, &column()).batch_size(3);
    none.fields = Arc::default();
    let batches = run(none.batches(&bytes)).unwrap();
    let rows: Vec<_> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(rows, [3, 1]);
    assert_eq!(none.count(&bytes).unwrap(), 4);
    assert_eq!(none.range(0..2).count(&bytes).unwrap(), 2);
    let given = options(TEXT, &[("text.line-delimiter", ";")]);
    let request = count_request(file("a;b\n;"), None, given);
    assert_eq!(run(file_format(TEXT).count_rows(request)).unwrap(), 2);
}

#[test]
fn one_column_of_characters_is_required() {
    let reason =
        "beside its partition columns a text table has one column, of type STRING, VARCHAR or CHAR";
    for (ddl, what) in [
        ("a INT", "column a of type INT"),
        ("a BYTES NOT NULL", "column a of type BYTES NOT NULL"),
        ("a STRING, b STRING", "a second column, b,"),
    ] {
        let expected = format!("text: {what} is not supported: {reason}");
        let fields = columns(ddl);
        let format = file_format(TEXT);
        let error = format.check_write_schema(&fields).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            Read::new(TEXT, &fields).error(&Bytes::from("a\n")),
            expected
        );
        let written = crate::testing::write(TEXT, &[], &fields, &[]);
        assert_eq!(written.unwrap_err().to_string(), expected);
    }
    let error = TextFormat.check_write_schema(&[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("text: a table without data columns is not supported: {reason}")
    );
    for ddl in ["a STRING", "a VARCHAR(3) NOT NULL", "a CHAR(1)"] {
        TextFormat.check_write_schema(&columns(ddl)).unwrap();
    }
}

#[test]
fn files_do_not_say_their_columns() {
    let error = run(TextFormat.file_fields(named("/t/a.text", "a\n"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "text: /t/a.text: finding its columns is not supported: text files do not say their columns; give a schema \
         with one column of type STRING"
    );
}

#[test]
fn bytes_that_are_no_utf_8_are_refused() {
    let error = read("/t/a", &Bytes::from(&b"a\nb\xff\n"[..]), &[]).unwrap_err();
    assert!(matches!(error, Error::BadRecord { .. }));
    assert_eq!(
        error.to_string(),
        "/t/a: line 2: byte 2 of it is no UTF-8; convert the file to UTF-8"
    );
}

#[test]
fn compressed_files_are_read_under_the_plain_name_that_java_gives_them() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"a\nb\n").unwrap();
    let gzip = Bytes::from(encoder.finish().unwrap());
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(b"a\nb\n").unwrap();
    let bzip2 = Bytes::from(encoder.finish().unwrap());
    let zstd = Bytes::from(zstd::encode_all(&b"a\nb\n"[..], 1).unwrap());
    for (bytes, extension) in [(gzip, "gz"), (bzip2, "bz2"), (zstd, "zst")] {
        for path in [
            "/t/a.text".to_owned(),
            format!("/t/a.{extension}.text"),
            format!("/t/a.text.{extension}"),
        ] {
            assert_eq!(read(&path, &bytes, &[]).unwrap(), ["a", "b"], "{path}");
            let (file, given) = (named(&path, bytes.clone()), options(TEXT, &[]));
            let counted = run(TextFormat.count_rows(count_request(file, None, given)));
            assert_eq!(counted.unwrap(), 2, "{path}");
        }
        let mut cut = bytes.clone();
        cut.truncate(bytes.len() - 1);
        assert!(
            read("/t/a.text", &cut, &[])
                .unwrap_err()
                .to_string()
                .starts_with("/t/a.text: ")
        );
    }
    let xz = Bytes::from(&b"\xfd7zXZ\0\0\x04"[..]);
    assert_eq!(
        read("/t/a.text", &xz, &[]).unwrap_err().to_string(),
        "/t/a.text: not a readable text file: its content is compressed with xz but its name does not end with .xz; \
         rename it"
    );
}

/// What is written, or the message of the refusal.
fn try_written(given: &[(&str, &str)], texts: &[Option<&str>]) -> Result<Bytes> {
    crate::testing::write(TEXT, given, &column(), &[values(texts)])
}

#[test]
fn what_would_be_read_as_another_value_is_refused() {
    let bars = [("text.line-delimiter", "||")];
    let said = |given: &[(&str, &str)], texts: &[&str]| {
        let texts: Vec<_> = texts.iter().map(|text| Some(*text)).collect();
        try_written(given, &texts).unwrap_err().to_string()
    };
    let told = said(&bars, &["a", "b|"]);
    assert!(
        told.contains("line") && told.contains("'b|'") && told.contains("text.line-delimiter"),
        "{told}"
    );
    let told = said(&[], &["\u{feff}a", "b"]);
    assert!(
        told.contains("line") && told.contains("byte order mark"),
        "{told}"
    );
    for format in [TEXT, FileFormatKind::Csv] {
        let rows = [values(&[Some("BZh91AY&SYx")])];
        let told = crate::testing::write(format, &[], &column(), &rows)
            .unwrap_err()
            .to_string();
        assert!(told.contains("file.compression"), "{told}");
    }
    // Where it is no first value, no common delimiter, or compressed, it is what it is.
    assert_eq!(
        written(&[], &[Some("a"), Some("\u{feff}b")]),
        "a\n\u{feff}b\n"
    );
    assert_eq!(
        written(&bars, &[Some("\u{feff}a"), Some("|b")]),
        "\u{feff}a|||b||"
    );
    let gzip = [("file.compression", "gzip")];
    let bytes = written(&gzip, &[Some("BZh91AY&SYx")]);
    assert_eq!(
        read("/t/a.text.gz", &bytes, &gzip).unwrap(),
        ["BZh91AY&SYx"]
    );
    // A whole delimiter in a value makes two of it, as in Java.
    assert_eq!(
        read("/t/a", &written(&bars, &[Some("a||b")]), &bars).unwrap(),
        ["a", "b"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn values_come_back_or_are_refused_by_column(
        texts in prop::collection::vec("[|a\u{feff}\n]{0,5}", 1..12),
        delimiter in prop::sample::select(vec!["\n", "||", "aa", "a|a", "\u{feff}|"]),
    ) {
        let given = [("text.line-delimiter", delimiter)];
        let is_common = delimiter == "\n";
        let holds = |text: &String| text.contains(delimiter) || (is_common && text.contains('\n'));
        prop_assume!(!texts.iter().any(holds));
        let given_texts: Vec<_> = texts.iter().map(|text| Some(text.as_str())).collect();
        match try_written(&given, &given_texts) {
            Ok(bytes) => prop_assert_eq!(read("/t/a", &bytes, &given).unwrap(), texts),
            Err(error) => prop_assert!(error.to_string().contains("column line"), "{error}"),
        }
    }

    #[test]
    fn values_come_back(
        texts in prop::collection::vec(prop::option::of("[^\r\n\u{feff}]{0,12}"), 1..40),
        codec in prop::sample::select(vec!["none", "gzip", "deflate", "bzip2", "zstd", "snappy", "lz4"]),
        delimiter in prop::sample::select(vec!["\n", "\r", "\r\n", "\n\r"]),
    ) {
        let given = [("file.compression", codec), ("text.line-delimiter", delimiter)];
        let texts: Vec<_> = texts.iter().map(Option::as_deref).collect();
        let bytes = written(&given, &texts);
        let path = format!("/t/data-1{}", options(TEXT, &given).extension);
        let expected: Vec<_> = texts.iter().map(|text| text.unwrap_or_default()).collect();
        prop_assert_eq!(read(&path, &bytes, &given).unwrap(), expected);
    }
}
