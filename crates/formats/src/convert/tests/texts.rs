//! Texts and bytes.

use super::*;

#[test]
fn lengths_of_texts_are_counted_in_characters() {
    let text = |values: Vec<&str>| StringArray::from(values);
    converts(
        text(vec!["漢字é", ""]),
        "VARCHAR(3)",
        text(vec!["漢字é", ""]),
    );
    converts(text(vec!["abc  "]), "CHAR(3)", text(vec!["abc  "]));
    converts(
        StringViewArray::from(vec!["a longer text than fits inline"]),
        "STRING",
        text(vec!["a longer text than fits inline"]),
    );
    converts(
        LargeStringArray::from(vec![Some("x"), None]),
        "CHAR(1)",
        StringArray::from(vec![Some("x"), None]),
    );
    refuses(
        text(vec!["abc", "abcd"]),
        "CHAR(3)",
        "/f: column c: file type Utf8 cannot be read as CHAR(3): row 101 value abcd",
    );
    refuses(
        text(vec!["abc "]),
        "VARCHAR(3)",
        "/f: column c: file type Utf8 cannot be read as VARCHAR(3): row 100 value abc ",
    );
    let long = "x".repeat(500);
    let error = convert(text(vec![&long]), "VARCHAR(3)").unwrap_err();
    assert!(
        error.ends_with(&format!("value {}…", "x".repeat(100))),
        "{error}"
    );
}

#[test]
fn bytes_are_text_where_they_are_utf8() {
    let bytes = |values: Vec<&'static [u8]>| BinaryArray::from(values);
    converts(
        bytes(vec!["é".as_bytes()]),
        "STRING",
        StringArray::from(vec!["é"]),
    );
    converts(
        BinaryViewArray::from(vec![&b"twelve bytes or more"[..]]),
        "STRING",
        StringArray::from(vec!["twelve bytes or more"]),
    );
    converts(
        LargeBinaryArray::from(vec![&b"ab"[..]]),
        "BYTES",
        bytes(vec![b"ab"]),
    );
    converts(
        StringViewArray::from(vec!["é"]),
        "BYTES",
        bytes(vec!["é".as_bytes()]),
    );
    refuses(
        bytes(vec![b"ok", b"\xff"]),
        "STRING",
        "/f: column c: file type Binary cannot be read as STRING: row 101 value ff",
    );
    refuses(
        StringArray::from(vec!["éé"]),
        "BINARY(4)",
        "/f: column c: file type Utf8 cannot be read as BINARY(4)",
    );
    refuses(
        bytes(vec![b"abc", b"abcd"]),
        "BINARY(3)",
        "/f: column c: file type Binary cannot be read as BINARY(3): row 101 value 61626364",
    );
    refuses(
        bytes(vec![b"abc"]),
        "VARCHAR(3)",
        "/f: column c: file type Binary cannot be read as VARCHAR(3)",
    );
    // What is not seen need not be UTF-8.
    let hidden = BinaryArray::new(
        OffsetBuffer::from_lengths([1, 1, 2]),
        b"a\xffbc".to_vec().into(),
        Some(NullBuffer::from(vec![true, false, true])),
    );
    converts(
        hidden,
        "STRING",
        StringArray::from(vec![Some("a"), None, Some("bc")]),
    );
    converts(
        bytes(vec![b"ok", b"\xff"]).slice(0, 1),
        "STRING",
        StringArray::from(vec!["ok"]),
    );
    let fixed = FixedSizeBinaryArray::try_from_iter([b"abc"].into_iter()).unwrap();
    converts(fixed.clone(), "VARBINARY(3)", bytes(vec![b"abc"]));
    refuses(
        fixed,
        "BINARY(2)",
        "/f: column c: file type FixedSizeBinary(3) cannot be read as BINARY(2)",
    );
}

#[test]
fn dictionaries_are_unpacked() {
    let texts: DictionaryArray<Int32Type> = vec![Some("a"), None, Some("a"), Some("bb")]
        .into_iter()
        .collect();
    converts(
        texts.clone(),
        "STRING",
        StringArray::from(vec![Some("a"), None, Some("a"), Some("bb")]),
    );
    refuses(
        texts,
        "VARCHAR(1)",
        "/f: column c: file type Dictionary(Int32, Utf8) cannot be read as VARCHAR(1): row 103 value bb",
    );
    let numbers = DictionaryArray::new(Int32Array::from(vec![1, 0]), ints(vec![Some(7), Some(9)]));
    converts(numbers.clone(), "BIGINT", Int64Array::from(vec![9, 7]));
    let stamps: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1]));
    let stamps = DictionaryArray::new(Int32Array::from(vec![0]), stamps);
    converts(
        stamps.clone(),
        "TIMESTAMP(3)",
        TimestampMillisecondArray::from(vec![1]),
    );
    converts(
        stamps,
        "TIMESTAMP(6)",
        TimestampMicrosecondArray::from(vec![1000]),
    );
}
