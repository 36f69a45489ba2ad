//! Names of directories: NULL, layouts, hidden names, other engines.

use super::*;

#[test]
fn null_and_blank() {
    let codec = codec(&[("p", "STRING")], &[]);
    for blank in ["", "   ", "\u{3000}", "\u{1C}", "\t\n", DEFAULT] {
        let name = codec.segment(0, Some(&string(blank))).unwrap();
        assert_eq!(name, "p=__DEFAULT_PARTITION__", "{blank:?}");
        assert_eq!(read_back(&codec, 0, &name), None);
    }
    for kept in ["\u{A0}", " a ", "\u{85}", "\u{2007}", "\u{202F}"] {
        let name = codec.segment(0, Some(&string(kept))).unwrap();
        assert_eq!(name, format!("p={kept}"));
        assert_eq!(read_back(&codec, 0, &name), Some(string(kept)));
    }
    // Only the writer makes blanks NULL.
    for (name, text) in [
        ("p=   ", "   "),
        ("p=%20", " "),
        ("p=NULL", "NULL"),
        ("p=null", "null"),
        ("p=__default_partition__", "__default_partition__"),
    ] {
        assert_eq!(read_back(&codec, 0, name), Some(string(text)), "{name}");
    }
    // The default name is recognised once unescaped.
    assert_eq!(read_back(&codec, 0, "p=%5F_DEFAULT_PARTITION__"), None);
}

#[test]
fn null_markers_of_other_engines() {
    let paimon = codec(&[("p", "STRING")], &[]);
    let hive = codec(
        &[("p", "STRING")],
        &[("partition.default-name", HIVE_DEFAULT)],
    );
    assert_eq!(
        read_back(&paimon, 0, "p=__HIVE_DEFAULT_PARTITION__"),
        Some(string(HIVE_DEFAULT))
    );
    assert_eq!(read_back(&hive, 0, "p=__HIVE_DEFAULT_PARTITION__"), None);
    assert_eq!(
        read_back(&hive, 0, "p=__DEFAULT_PARTITION__"),
        Some(string(DEFAULT))
    );
    assert_eq!(
        hive.segment(0, None).unwrap(),
        "p=__HIVE_DEFAULT_PARTITION__"
    );
    assert_eq!(paimon.foreign_null_marker(HIVE_DEFAULT), Some(HIVE_DEFAULT));
    assert_eq!(paimon.foreign_null_marker(DEFAULT), None);
    assert_eq!(hive.foreign_null_marker(DEFAULT), Some(DEFAULT));
    assert_eq!(hive.foreign_null_marker("a"), None);

    let message = codec(&[("m", "INT")], &[])
        .parse(0, HIVE_DEFAULT)
        .unwrap_err()
        .to_string();
    for part in ["'m'", "INT", HIVE_DEFAULT, "partition.default-name"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn names_that_are_no_partition() {
    let codec = codec(&[("p", "STRING"), ("a=b", "INT")], &[]);
    for (name, reason) in [
        ("p=a=b", ForeignReason::OtherKey),
        ("P=a", ForeignReason::OtherKey),
        ("q=a", ForeignReason::OtherKey),
        ("p=", ForeignReason::EmptyValue),
        ("p=a=", ForeignReason::EmptyValue),
        ("=a", ForeignReason::EmptyKey),
        ("=", ForeignReason::EmptyKey),
        ("p", ForeignReason::NoSeparator),
        ("junk", ForeignReason::NoSeparator),
        ("", ForeignReason::NoSeparator),
    ] {
        assert_eq!(
            codec.read_name(0, name),
            DirectoryName::Foreign(reason),
            "{name}"
        );
    }
    for name in [
        "_temporary",
        ".hive-staging",
        "_p=a",
        ".p=a",
        "__DEFAULT_PARTITION__",
    ] {
        assert_eq!(codec.read_name(0, name), DirectoryName::Hidden, "{name}");
    }
    let value = |text: &str| DirectoryName::Value(text.to_owned().into());
    // Any encoding of the key is the key.
    assert_eq!(codec.read_name(0, "%70=a%3Db"), value("a=b"));
    assert_eq!(codec.read_name(0, "p=%2E"), value("."));
    assert_eq!(codec.segment(1, Some(&Datum::Int(1))).unwrap(), "a%3Db=1");
    assert_eq!(codec.read_name(1, "a%3Db=1"), value("1"));
    assert_eq!(codec.read_name(1, "a%3db=1"), value("1"));
    // Split at the last sign of equality, whoever wrote the others raw.
    assert_eq!(codec.read_name(1, "a=b=1"), value("1"));
    assert_eq!(
        codec.read_name(2, "x=1"),
        DirectoryName::Foreign(ForeignReason::TooDeep)
    );
    // Dots are values like any other beside a key.
    for dots in [".", ".."] {
        let name = codec.segment(0, Some(&string(dots))).unwrap();
        assert_eq!(name, format!("p={dots}"));
        assert_eq!(read_back(&codec, 0, &name), Some(string(dots)));
    }
}

#[test]
fn value_only_layout() {
    let codec = codec(&[("y", "STRING"), ("m", "STRING")], &[VALUE_ONLY])
        .with_reserved_first_names(&["schema", "branch"]);
    assert_eq!(codec.layout(), Layout::ValueOnly);
    for (values, path) in [
        ([None, Some(string("01"))], "__DEFAULT_PARTITION__/01"),
        ([Some(string("2024")), None], "2024/__DEFAULT_PARTITION__"),
        ([Some(string("2024")), Some(string("01"))], "2024/01"),
        (
            [Some(string("a/b=c%d")), Some(string("schema"))],
            "a%2Fb%3Dc%25d/schema",
        ),
        (
            [Some(string("schemas")), Some(string("branch"))],
            "schemas/branch",
        ),
    ] {
        assert_eq!(codec.relative_path(&values).unwrap(), path);
        assert_eq!(codec.parse_path(path).unwrap(), values);
    }
    for refused in ["_tmp", ".x", ".", "..", "schema", "branch"] {
        let error = codec.segment(0, Some(&string(refused))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        let message = error.to_string();
        assert!(
            message.contains("'y'") && message.contains(&format!("'{refused}'")),
            "{message}"
        );
    }
    for name in ["schema", "branch", "_tmp", ".x", ".", ".."] {
        assert_eq!(codec.read_name(0, name), DirectoryName::Hidden, "{name}");
    }
    assert_eq!(
        codec.read_name(1, "schema"),
        DirectoryName::Value("schema".into())
    );
    assert_eq!(
        codec.read_name(0, "a%3Db"),
        DirectoryName::Value("a=b".into())
    );
    assert_eq!(
        codec.read_name(0, ""),
        DirectoryName::Foreign(ForeignReason::EmptyValue)
    );
}

#[test]
fn reserved_names_are_hidden_beside_keys_too() {
    let codec = codec(&[("p", "STRING")], &[]).with_reserved_first_names(&["schema", "branch"]);
    assert_eq!(codec.read_name(0, "schema"), DirectoryName::Hidden);
    assert_eq!(
        codec.segment(0, Some(&string("schema"))).unwrap(),
        "p=schema"
    );
}

#[test]
fn hidden_default_name_that_needs_escaping() {
    let mut options = options(&[VALUE_ONLY]);
    options.default_partition_name = "_a=b".to_owned();
    let codec = PartitionCodec::new(keys(&[("p", "STRING")]), &options).unwrap();
    let name = codec.segment(0, None).unwrap();
    assert_eq!(name, "_a%3Db");
    assert_eq!(read_back(&codec, 0, &name), None);
    assert_eq!(read_back(&codec, 0, "_a=b"), None);
    assert_eq!(codec.read_name(0, "_a"), DirectoryName::Hidden);
}

/// What other engines wrote, and the values they gave it.
#[test]
fn directories_of_other_engines() {
    let hive = ("partition.default-name", HIVE_DEFAULT);
    let three = codec(&[("y", "INT"), ("b", "BOOLEAN"), ("d", "DATE")], &[hive]);
    for (path, values) in [
        (
            "y=2024/b=true/d=2024-01-01",
            [
                Some(Datum::Int(2024)),
                Some(Datum::Boolean(true)),
                Some(days("2024-01-01")),
            ],
        ),
        (
            "y=-1/b=__HIVE_DEFAULT_PARTITION__/d=__HIVE_DEFAULT_PARTITION__",
            [Some(Datum::Int(-1)), None, None],
        ),
        (
            "y=__HIVE_DEFAULT_PARTITION__/b=False/d=1969-12-31",
            [None, Some(Datum::Boolean(false)), Some(days("1969-12-31"))],
        ),
    ] {
        assert_eq!(three.parse_path(path).unwrap(), values);
    }

    let strings = codec(&[("p", "STRING")], &[hive]);
    for (path, text) in [
        ("p=%20leading", " leading"),
        ("p=%3Cx%3E%7Cy~%21%24%28%29%40-.%60", "<x>|y~!$()@-.`"),
        ("p=%E6%97%A5%E6%9C%AC%20%E8%AA%9E", "日本 語"),
        ("p=M%C3%BCnchen", "München"),
        ("p=München", "München"),
        ("p=%7Bk}", "{k}"),
        ("p=%2541", "%41"),
        ("p=50%", "50%"),
        ("p=a:b", "a:b"),
        ("p=it's", "it's"),
        ("p=   ", "   "),
        ("p=01", "01"),
        ("p=1.000", "1.000"),
    ] {
        assert_eq!(
            strings.parse_path(path).unwrap(),
            [Some(string(text))],
            "{path}"
        );
    }

    let spark = codec(&[("ts", "TIMESTAMP(6)")], &[hive]);
    let clock = nanos("2024-01-01", 12, 34, 56, 120_000_000);
    assert_eq!(
        spark.parse_path("ts=2024-01-01 12%3A34%3A56.12").unwrap(),
        [Some(timestamp(6, clock))]
    );
    assert_eq!(
        spark
            .parse_path("ts=1969-12-31 23%3A59%3A59.999999")
            .unwrap(),
        [Some(timestamp(6, -1000))]
    );

    let java = codec(&[("d", "DECIMAL(4, 2)"), ("e", "DECIMAL(38, 18)")], &[]);
    assert_eq!(
        java.relative_path(&[Some(decimal(-9999, 4, 2)), None])
            .unwrap(),
        "d=-99.99/e=__DEFAULT_PARTITION__"
    );
}

#[test]
fn paths() {
    let partitioned = codec(&[("y", "INT"), ("m", "INT")], &[]);
    assert_eq!(
        partitioned
            .relative_path(&[Some(Datum::Int(2024)), Some(Datum::Int(7))])
            .unwrap(),
        "y=2024/m=7"
    );
    assert_eq!(
        partitioned.parse_path("y=2024/m=07/").unwrap(),
        [Some(Datum::Int(2024)), Some(Datum::Int(7))]
    );
    for path in [
        "",
        "y=2024",
        "y=2024/m=7/x=1",
        "m=7/y=2024",
        "y=2024/_m=7",
        "y=2024/m=foo",
        "y=2024//m=7",
        "/y=2024/m=7",
    ] {
        assert_eq!(
            partitioned.parse_path(path).unwrap_err().kind(),
            ErrorKind::InvalidPartition,
            "{path}"
        );
    }
    assert!(partitioned.relative_path(&[None]).is_err());
    assert!(partitioned.segment(2, None).is_err());
    assert!(partitioned.parse(2, "1").is_err());

    let flat = codec(&[], &[]);
    assert!(!flat.is_partitioned());
    assert_eq!(flat.relative_path(&[]).unwrap(), "");
    assert_eq!(flat.parse_path("").unwrap(), []);
    assert!(flat.parse_path("y=1").is_err());
}
