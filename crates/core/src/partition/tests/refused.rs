//! What is refused, and texts that users give.

use super::*;

#[test]
fn refused_on_write() {
    let long_text = "é".repeat(127);
    for (type_text, pairs, value, words) in [
        ("DATE", vec![CAST], days("+10000-01-01"), "years"),
        ("DATE", vec![CAST], days("-0001-12-31"), "years"),
        (
            "TIMESTAMP(3)",
            vec![CAST],
            timestamp(3, nanos("+10000-01-01", 0, 0, 0, 0)),
            "years",
        ),
        ("TIMESTAMP(3)", vec![], timestamp(3, 1), "TIMESTAMP(3)"),
        (
            "TIMESTAMP(0)",
            vec![CAST],
            timestamp(0, 1_000_000),
            "TIMESTAMP(0)",
        ),
        ("TIME(0)", vec![CAST], Datum::Time(1), "TIME(0)"),
        ("TIME(3)", vec![], Datum::Time(86_400_000), "day"),
        ("TIME(3)", vec![], Datum::Time(-1), "day"),
        ("DECIMAL(4, 2)", vec![], decimal(10_000, 5, 2), "digits"),
        ("DECIMAL(4, 2)", vec![], decimal(15, 4, 1), "DECIMAL"),
        ("VARCHAR(2)", vec![], string("abc"), "longer"),
        ("INT", vec![], Datum::BigInt(1), "BIGINT"),
        ("STRING", vec![], string(&long_text), "256 bytes"),
    ] {
        let codec = codec(&[("k", type_text)], &pairs);
        let error = codec.segment(0, Some(&value)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        let message = error.to_string();
        assert!(
            message.contains("'k'") && message.contains(words) && message.len() < 300,
            "{message}"
        );
    }
    // 255 bytes are a name: `k=` and 253 more.
    let codec = codec(&[("k", "STRING")], &[]);
    let fits = format!("x{}", "é".repeat(126));
    assert_eq!(codec.segment(0, Some(&string(&fits))).unwrap().len(), 255);
    // Escaping counts.
    assert!(codec.segment(0, Some(&string(&"/".repeat(85)))).is_err());
}

#[test]
fn refused_tables() {
    for type_text in [
        "BYTES",
        "BINARY(3)",
        "ARRAY<INT>",
        "MAP<INT, INT>",
        "ROW<a INT>",
    ] {
        let error = PartitionCodec::new(keys(&[("k", type_text)]), &options(&[])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSchema);
        assert!(error.to_string().contains("'k'"), "{error}");
    }
    for name in ["_k", ".k", ""] {
        assert!(
            PartitionCodec::new(keys(&[(name, "INT")]), &options(&[])).is_err(),
            "{name}"
        );
    }
    assert!(PartitionCodec::new(keys(&[("_k", "INT")]), &options(&[VALUE_ONLY])).is_ok());
    let mut dots = options(&[VALUE_ONLY]);
    for name in [".", "..", "", " "] {
        dots.default_partition_name = name.to_owned();
        let error = PartitionCodec::new(keys(&[("k", "INT")]), &dots).unwrap_err();
        assert!(matches!(error, Error::InvalidOption { .. }), "{error}");
    }
}

#[test]
fn filters_take_blank_text_as_it_is() {
    let codec = codec(&[("p", "STRING"), ("y", "INT")], &[]);
    let filter = |key: &str, text: &str| codec.parse_filter(&[(key.to_owned(), text.to_owned())]);
    for text in ["", "  ", "a"] {
        assert_eq!(filter("p", text).unwrap(), [(0, Some(string(text)))]);
    }
    assert_eq!(filter("p", DEFAULT).unwrap(), [(0, None)]);
    assert!(filter("y", "").is_err());
    assert!(filter("z", "a").is_err());
}

#[test]
fn specs_of_users() {
    let codec = codec(&[("y", "INT"), ("dt", "DATE"), ("p", "STRING")], &[]);
    let spec = |pairs: &[(&str, &str)]| {
        let owned: Vec<_> = pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        codec.parse_spec(&owned)
    };
    assert_eq!(
        spec(&[("p", "a/b"), ("y", "07"), ("dt", "2024-01-01")]).unwrap(),
        [
            (0, Some(Datum::Int(7))),
            (1, Some(days("2024-01-01"))),
            (2, Some(string("a/b")))
        ]
    );
    assert_eq!(
        spec(&[("dt", "19723")]).unwrap(),
        [(1, Some(days("2024-01-01")))]
    );
    assert_eq!(spec(&[("y", DEFAULT)]).unwrap(), [(0, None)]);
    assert_eq!(spec(&[]).unwrap(), []);
    for (pairs, column, words) in [
        (&[("z", "1")][..], "'z'", "y, dt, p"),
        (&[("Y", "1")], "'Y'", "not a partition column"),
        (&[("y", "1"), ("y", "2")], "'y'", "twice"),
        (&[("p", "")], "'p'", "empty or blank"),
        (&[("p", "  ")], "'p'", "empty or blank"),
        (&[("y", "foo")], "'foo'", "INT"),
    ] {
        let message = spec(pairs).unwrap_err().to_string();
        assert!(
            message.contains(column) && message.contains(words),
            "{message}"
        );
    }
}
