//! What is written, and what is refused.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array,
    StringArray, TimestampMillisecondArray,
};

use super::{render, string_batch, strings};
use crate::testing::{batch, columns};

/// One row of strings as it is written.
fn line(options: &[(&str, &str)], row: &[Option<&str>]) -> String {
    let batch = string_batch(&vec![row.to_vec()]);
    render(&strings(row.len()), options, &batch).unwrap()
}

fn refusal(options: &[(&str, &str)], row: &[Option<&str>]) -> String {
    let batch = string_batch(&vec![row.to_vec()]);
    render(&strings(row.len()), options, &batch)
        .unwrap_err()
        .to_string()
}

/// The file that Java Paimon writes of the same rows, but for the empty text, which it does not tell from NULL.
#[test]
fn the_lines_that_java_writes() {
    let fields = columns(
        "id INT, s STRING, d DOUBLE, b BOOLEAN, dec DECIMAL(10, 2), dt DATE, ts TIMESTAMP(3), bin BYTES",
    );
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![1, 2, 3, 4, 5])),
        Arc::new(StringArray::from(vec![
            Some("plain"),
            Some(""),
            None,
            Some("comma, \"quoted\" and 'single'"),
            Some("back\\slash|pipe;semi\ttab"),
        ])),
        Arc::new(Float64Array::from(vec![
            Some(1.5),
            Some(0.1),
            None,
            Some(-1.0e300),
            Some(1e-10),
        ])),
        Arc::new(BooleanArray::from(vec![
            Some(true),
            Some(false),
            None,
            Some(true),
            Some(false),
        ])),
        Arc::new(
            Decimal128Array::from(vec![
                Some(150),
                Some(-1),
                None,
                Some(9_999_999_999),
                Some(0),
            ])
            .with_precision_and_scale(10, 2)
            .unwrap(),
        ),
        Arc::new(Date32Array::from(vec![
            Some(19_723),
            Some(-1),
            None,
            Some(2_932_896),
            Some(-719_162),
        ])),
        Arc::new(TimestampMillisecondArray::from(vec![
            Some(1_704_112_496_789),
            Some(-1),
            None,
            Some(1_709_164_800_000),
            Some(1_686_142_805_100),
        ])),
        Arc::new(BinaryArray::from(vec![
            Some(&b"foo"[..]),
            Some(b"f"),
            None,
            Some(&[0xFB, 0xFF]),
            Some(b"fo"),
        ])),
    ];
    let rendered = render(&fields, &[], &batch(&fields, arrays)).unwrap();
    let expected = [
        "1,plain,1.5,true,1.50,2024-01-01,2024-01-01 12:34:56.789,Zm9v\n",
        "2,\"\",0.1,false,-0.01,1969-12-31,1969-12-31 23:59:59.999,Zg==\n",
        "3,,,,,,,\n",
        "4,\"comma, \\\"quoted\\\" and 'single'\",-1.0E300,true,99999999.99,9999-12-31,2024-02-29 00:00:00.000,+/8=\n",
        "5,\"back\\\\slash|pipe;semi\ttab\",1.0E-10,false,0.00,0001-01-01,2023-06-07 13:00:05.100,Zm8=\n",
    ];
    assert_eq!(rendered, expected.concat());
}

#[test]
fn nulls_and_texts_that_say_null() {
    assert_eq!(line(&[], &[None, Some(""), Some("NULL")]), ",\"\",NULL\n");
    let na = &[("csv.null-literal", "NA")];
    assert_eq!(
        line(na, &[None, Some("NA"), Some(""), Some("na")]),
        "NA,\"NA\",,na\n"
    );
    let hive = &[("csv.null-literal", "\\N")];
    assert_eq!(
        line(hive, &[None, Some("\\N"), Some("N")]),
        "\\N,\"\\\\N\",N\n"
    );
    // A number may say it too.
    let fields = columns("a INT, b INT");
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(0), None])),
        Arc::new(Int32Array::from(vec![10, 100])),
    ];
    let zero = &[("csv.null-literal", "0")];
    assert_eq!(
        render(&fields, zero, &batch(&fields, arrays)).unwrap(),
        "\"0\",10\n0,100\n"
    );
    // The literal is a text where quotes are off.
    let off = &[("csv.quote-character", "\0"), ("csv.null-literal", "NA")];
    assert_eq!(line(off, &[Some("x"), None]), "x,NA\n");
    assert_eq!(
        refusal(off, &[Some("x"), Some("NA")]),
        "csv: column c1: value 'NA' cannot be stored: it would be read as another value with the table's 'csv.' \
         options; change them, or use json"
    );
}

#[test]
fn quotes_and_escapes() {
    assert_eq!(
        line(&[], &[Some("a,b"), Some(" x "), Some("it's")]),
        "\"a,b\", x ,it's\n"
    );
    assert_eq!(
        line(&[], &[Some("a\"b"), Some("a\\b")]),
        "\"a\\\"b\",\"a\\\\b\"\n"
    );
    let unescaped = &[("csv.escape-character", "\0")];
    assert_eq!(
        line(unescaped, &[Some("a\"b"), Some("a\\b")]),
        "\"a\"\"b\",a\\b\n"
    );
    let pipes = &[
        ("csv.field-delimiter", "|"),
        ("csv.quote-character", "'"),
        ("csv.escape-character", "^"),
    ];
    assert_eq!(
        line(pipes, &[Some("a|b"), Some("a,b"), Some("'^")]),
        "'a|b'|a,b|'^'^^'\n"
    );
    // A separator that numbers have.
    let fields = columns("a DOUBLE, b DOUBLE");
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Float64Array::from(vec![1.5])),
        Arc::new(Float64Array::from(vec![1e10])),
    ];
    let dots = &[("csv.field-delimiter", ".")];
    assert_eq!(
        render(&fields, dots, &batch(&fields, arrays)).unwrap(),
        "\"1.5\".\"1.0E10\"\n"
    );
    // Other characters that begin with the same byte are no marks.
    let wide = &[("csv.field-delimiter", "é")];
    assert_eq!(line(wide, &[Some("ü"), Some("é")]), "üé\"é\"\n");
}

#[test]
fn lines_that_would_say_nothing() {
    assert_eq!(line(&[], &[Some(" ")]), "\" \"\n");
    assert_eq!(line(&[], &[Some("\t\u{3000}")]), "\"\t\u{3000}\"\n");
    assert_eq!(line(&[], &[Some("\u{a0}")]), "\u{a0}\n");
    assert_eq!(line(&[], &[None]), "\n");
    let tabs = &[("csv.field-delimiter", "\t"), ("csv.null-literal", "-")];
    assert_eq!(line(tabs, &[Some(""), Some("")]), "\"\"\t\"\"\n");
    assert_eq!(line(tabs, &[None, Some("")]), "-\t\n");
    let off = &[("csv.quote-character", "\0"), ("csv.null-literal", "-")];
    assert!(refusal(off, &[Some(" ")]).starts_with("csv: column c0: value ' ' cannot be stored"));
    assert_eq!(line(off, &[Some(" "), Some("")]), " ,\n");
}

#[test]
fn a_byte_order_mark_is_a_text_in_quotes() {
    assert_eq!(line(&[], &[Some("\u{feff}x")]), "\"\u{feff}x\"\n");
    let rows = vec![vec![Some("a")], vec![Some("\u{feff}x")]];
    assert_eq!(
        render(&strings(1), &[], &string_batch(&rows)).unwrap(),
        "a\n\u{feff}x\n"
    );
    let header = &[("csv.include-header", "true")];
    assert_eq!(line(header, &[Some("\u{feff}x")]), "c0\n\u{feff}x\n");
    let custom = &[("csv.line-delimiter", "|")];
    assert_eq!(line(custom, &[Some("\u{feff}x")]), "\u{feff}x|");
    let off = &[("csv.quote-character", "\0")];
    assert!(refusal(off, &[Some("\u{feff}x")]).contains("column c0"));
}

#[test]
fn texts_with_line_delimiters_are_refused() {
    for delimiter in ["\n", "\r", "\r\n"] {
        let options = &[("csv.line-delimiter", delimiter)];
        for (text, shown) in [("a\nb", "a\\nb"), ("a\rb", "a\\rb"), ("\n", "\\n")] {
            assert_eq!(
                refusal(options, &[Some("x"), Some(text)]),
                format!(
                    "csv: column c1: value '{shown}' cannot be stored: it has a line delimiter, at which its line would \
                     end; use json, which escapes it"
                )
            );
        }
        assert_eq!(line(options, &[Some("a")]), format!("a{delimiter}"));
    }
    let custom = &[("csv.line-delimiter", "##")];
    assert_eq!(line(custom, &[Some("a\nb"), Some("#c")]), "a\nb,#c##");
    assert!(
        refusal(custom, &[Some("x"), Some("a##b"), Some("y")])
            .starts_with("csv: column c1: value 'a##b'")
    );
    // The text ends as the delimiter begins: the line would end one character early.
    assert!(refusal(custom, &[Some("x"), Some("c#")]).starts_with("csv: column c1: value 'c#'"));
    assert!(
        refusal(&[("csv.null-literal", "\n")], &[Some("x"), None]).starts_with("csv: column c1")
    );
}

#[test]
fn headers() {
    let fields = columns("id INT, `a,b` INT, `q\"q` INT");
    let array = || -> ArrayRef { Arc::new(Int32Array::from(vec![1])) };
    let rows = batch(&fields, vec![array(), array(), array()]);
    let header = &[("csv.include-header", "true")];
    assert_eq!(
        render(&fields, header, &rows).unwrap(),
        "id,\"a,b\",\"q\\\"q\"\n1,1,1\n"
    );
    assert_eq!(render(&fields, &[], &rows).unwrap(), "1,1,1\n");
    let fields = columns("id INT, `a\nb` INT");
    let rows = batch(&fields, vec![array(), array()]);
    assert_eq!(
        render(&fields, header, &rows).unwrap_err().to_string(),
        "csv: column a\nb: value 'a\\nb' cannot be stored: it has a line delimiter, at which its line would end; use \
         json, which escapes it"
    );
    assert_eq!(render(&fields, &[], &rows).unwrap(), "1,1\n");
}

#[test]
fn null_literals_that_cannot_be_written() {
    let separator = &[("csv.null-literal", "a,b")];
    assert!(refusal(separator, &[Some("x"), None]).starts_with("csv: column c1: value 'a,b'"));
    assert_eq!(line(separator, &[Some("x"), Some("y")]), "x,y\n");
    let open = &[("csv.null-literal", "\"")];
    // It opens a quote that takes in what is after it.
    assert!(refusal(open, &[None, Some("x")]).starts_with("csv: column c1: value 'x'"));
    let pair = &[("csv.null-literal", "\"\"")];
    assert_eq!(line(pair, &[None, Some(""), Some("x")]), "\"\",,x\n");
}

#[test]
fn values_without_a_text() {
    let fields = columns("id INT, d DATE");
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![1])),
        Arc::new(Date32Array::from(vec![2_932_897])),
    ];
    assert_eq!(
        render(&fields, &[], &batch(&fields, arrays))
            .unwrap_err()
            .to_string(),
        "csv: column d: value '+10000-01-01' cannot be stored: it lies outside the years 0000 to 9999"
    );
    let other = columns("id INT, d STRING");
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![1])),
        Arc::new(Date32Array::from(vec![0])),
    ];
    let error = render(&other, &[], &batch(&fields, arrays))
        .unwrap_err()
        .to_string();
    assert_eq!(error, "encoding csv failed: column d is Date32 for STRING");
}
