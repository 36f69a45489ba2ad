use super::*;
use crate::ErrorKind;

fn resolve(pairs: &[(&str, &str)]) -> Result<FormatTableOptions> {
    FormatTableOptions::resolve(&pairs.iter().copied().collect())
}

fn error(pairs: &[(&str, &str)]) -> String {
    resolve(pairs).unwrap_err().to_string()
}

#[test]
fn defaults() {
    let options = resolve(&[("type", "format-table"), ("unknown", "x")]).unwrap();
    let expected = FormatTableOptions {
        format: FileFormatKind::Parquet,
        value_only_layout: false,
        default_partition_name: "__DEFAULT_PARTITION__".to_owned(),
        legacy_partition_name: true,
        compression: "snappy".to_owned(),
        extension: ".parquet".to_owned(),
        data_file_prefix: "data-".to_owned(),
        target_file_size: 268_435_456,
        target_file_row_num: 9_223_372_036_854_775_807,
        zstd_level: 1,
        block_size: None,
        split_target_size: 134_217_728,
        split_open_file_cost: 4_194_304,
        read_batch_size: 1024,
        read_max_line_length: 64 << 20,
        write_batch_size: 1024,
        write_max_open_files: 128,
        write_buffer_size: 256 << 20,
        commit_sync: CommitSync::Overwrite,
        list_parallelism: 64,
        catalog_managed_partitions: false,
        dynamic_partition_overwrite: true,
        ignore_corrupt_files: false,
        ignore_lost_files: false,
        format_options: Options::new(),
    };
    assert_eq!(options, expected);
}

#[test]
fn format_is_read_in_any_case() {
    assert_eq!(
        resolve(&[("file.format", "Parquet")]).unwrap().format,
        FileFormatKind::Parquet
    );
    assert_eq!(
        resolve(&[("file.format", "ORC")]).unwrap().extension,
        ".orc"
    );
    assert_eq!(
        error(&[("file.format", "avro")]),
        "file format 'avro' (option 'file.format') is not supported: format tables are read and written in \
         other formats only; use one of parquet, orc, csv, json, text"
    );
    assert_eq!(
        resolve(&[("file.format", "Mosaic")]).unwrap_err().kind(),
        ErrorKind::Unsupported
    );
    assert_eq!(
        error(&[("file.format", "xml")]),
        "option 'file.format' = 'xml': no such format; use one of parquet, orc, csv, json, text"
    );
    assert!(resolve(&[("file.format", " orc")]).is_err());
}

#[test]
fn compression_and_extension() {
    let suffix = "file.suffix.include.compression";
    for (format, key, value, plain, with_suffix, codec) in [
        ("csv", "file.compression", "none", ".csv", ".csv", "none"),
        (
            "csv",
            "file.compression",
            "gzip",
            ".csv.gz",
            ".csv.gz",
            "gzip",
        ),
        (
            "csv",
            "file.compression",
            "GZIP",
            ".csv.gz",
            ".csv.gz",
            "gzip",
        ),
        (
            "csv",
            "compression",
            "bzip2",
            ".csv.bz2",
            ".csv.bz2",
            "bzip2",
        ),
        (
            "csv",
            "compression",
            "deflate",
            ".csv.deflate",
            ".csv.deflate",
            "deflate",
        ),
        (
            "csv",
            "compression",
            "snappy",
            ".csv.snappy",
            ".csv.snappy",
            "snappy",
        ),
        ("csv", "compression", "lz4", ".csv.lz4", ".csv.lz4", "lz4"),
        ("csv", "compression", "zstd", ".csv.zst", ".csv.zst", "zstd"),
        ("csv", "x", "", ".csv", ".csv", "none"),
        ("json", "file.compression", "none", ".json", ".json", "none"),
        (
            "json",
            "format-table.file.compression",
            "gzip",
            ".json.gz",
            ".json.gz",
            "gzip",
        ),
        ("orc", "x", "", ".orc", ".zst.orc", "zstd"),
        (
            "orc",
            "file.compression",
            "zlib",
            ".orc",
            ".zlib.orc",
            "zlib",
        ),
        ("orc", "file.compression", "NONE", ".orc", ".orc", "none"),
        ("parquet", "x", "", ".parquet", ".snappy.parquet", "snappy"),
        (
            "parquet",
            "file.compression",
            "none",
            ".parquet",
            ".parquet",
            "none",
        ),
        (
            "parquet",
            "file.compression",
            "gzip",
            ".parquet",
            ".gz.parquet",
            "gzip",
        ),
        (
            "parquet",
            "file.compression",
            "brotli",
            ".parquet",
            ".brotli.parquet",
            "brotli",
        ),
        (
            "parquet",
            "parquet.compression",
            "ZSTD",
            ".parquet",
            ".snappy.parquet",
            "zstd",
        ),
        (
            "orc",
            "orc.compress",
            "SNAPPY",
            ".orc",
            ".zst.orc",
            "snappy",
        ),
        // Java writes `.text` and `.gz.text`, which it cannot read back.
        (
            "text",
            "file.compression",
            "gzip",
            ".text.gz",
            ".text.gz",
            "gzip",
        ),
        ("text", "x", "", ".text", ".text", "none"),
    ] {
        let options = resolve(&[("file.format", format), (key, value)]).unwrap();
        assert_eq!(
            (options.extension.as_str(), options.compression.as_str()),
            (plain, codec),
            "{format} {value}"
        );
        let options = resolve(&[("file.format", format), (key, value), (suffix, "true")]).unwrap();
        assert_eq!(options.extension, with_suffix, "{format} {value}");
    }
}

#[test]
fn the_general_key_of_compression_wins() {
    let all = [
        ("file.compression", "gzip"),
        ("format-table.file.compression", "zstd"),
        ("compression", "lz4"),
    ];
    assert_eq!(resolve(&all).unwrap().compression, "gzip");
    assert_eq!(resolve(&all[1..]).unwrap().compression, "zstd");
    assert_eq!(resolve(&all[2..]).unwrap().compression, "lz4");
    // The key of another format means nothing.
    assert_eq!(
        resolve(&[("orc.compress", "zlib")]).unwrap().compression,
        "snappy"
    );
}

#[test]
fn a_codec_that_the_format_lacks_is_refused() {
    for (format, key, value, list) in [
        (
            "csv",
            "file.compression",
            "zlib",
            "none, gzip, bzip2, deflate, snappy, lz4, zstd",
        ),
        (
            "csv",
            "file.compression",
            "",
            "none, gzip, bzip2, deflate, snappy, lz4, zstd",
        ),
        (
            "orc",
            "format-table.file.compression",
            "gzip",
            "none, zlib, snappy, lz4, zstd",
        ),
        (
            "orc",
            "orc.compress",
            "LZO",
            "none, zlib, snappy, lz4, zstd",
        ),
        (
            "parquet",
            "compression",
            "lzo",
            "none, uncompressed, snappy, gzip, lz4, lz4_raw, zstd, brotli",
        ),
    ] {
        let expected = format!(
            "option '{key}' = '{value}': no compression of {format} files; use one of {list}"
        );
        assert_eq!(error(&[("file.format", format), (key, value)]), expected);
    }
}

/// They are spellings of the extension and of another format.
#[test]
fn text_formats_know_a_codec_by_one_name() {
    for format in ["csv", "json", "text"] {
        for name in ["gz", "uncompressed"] {
            let expected = format!(
                "option 'file.compression' = '{name}': no compression of {format} files; use one of none, gzip, bzip2, \
                 deflate, snappy, lz4, zstd"
            );
            assert_eq!(
                error(&[("file.format", format), ("file.compression", name)]),
                expected
            );
        }
    }
}

#[test]
fn zstd_levels() {
    let level = |pairs: &[(&str, &str)]| resolve(pairs).map(|options| options.zstd_level);
    assert_eq!(level(&[("file.compression.zstd-level", "9")]).unwrap(), 9);
    let own = ("parquet.compression.codec.zstd.level", "3");
    assert_eq!(
        level(&[("file.compression.zstd-level", "9"), own]).unwrap(),
        3
    );
    let orc = [("file.format", "orc"), ("orc.compression.zstd.level", "30")];
    assert_eq!(
        error(&orc),
        "option 'orc.compression.zstd.level' = '30': the zstd level must be between 1 and 22"
    );
    assert!(level(&[("file.compression.zstd-level", "x")]).is_err());
    // The level of a codec that is not used is never applied.
    assert_eq!(level(&[("file.compression.zstd-level", "0")]).unwrap(), 0);
}

#[test]
fn block_sizes() {
    let size = |pairs: &[(&str, &str)]| resolve(pairs).unwrap().block_size;
    assert_eq!(
        size(&[("file.block-size", "8 mb"), ("parquet.block.size", "5")]),
        Some(8 << 20)
    );
    assert_eq!(size(&[("parquet.block.size", "5")]), Some(5));
    assert_eq!(
        size(&[("file.format", "orc"), ("orc.stripe.size", "65536")]),
        Some(65536)
    );
    assert_eq!(
        size(&[("file.format", "csv"), ("file.block-size", "1")]),
        None
    );
    assert!(resolve(&[("file.block-size", "0")]).is_err());
}

#[test]
fn numbers_that_must_be_positive() {
    for key in [
        "target-file-row-num",
        "source.split.target-size",
        "read.batch-size",
        "format-table.read.max-line-length",
        "write.batch-size",
    ] {
        let expected = format!("option '{key}' = '0': the value must be greater than 0");
        assert_eq!(error(&[(key, "0")]), expected);
    }
    assert!(resolve(&[("target-file-row-num", "-1")]).is_err());
    assert_eq!(
        error(&[("orc.write.batch-size", "0")]),
        "option 'orc.write.batch-size' = '0': the value must be greater than 0"
    );
    assert_eq!(
        resolve(&[("orc.write.batch-size", "7")])
            .unwrap()
            .write_batch_size,
        7
    );
    assert_eq!(
        resolve(&[("target-file-size", "0")])
            .unwrap()
            .target_file_size,
        1
    );
    for (value, expected) in [("0", 1), ("-5", 1), ("7", 7), ("5000", 1000)] {
        let key = "format-table.scan.list-parallelism";
        assert_eq!(resolve(&[(key, value)]).unwrap().list_parallelism, expected);
    }
}

#[test]
fn what_a_format_table_cannot_do_is_refused_by_name() {
    for (key, value, reason) in [
        ("primary-key", "id", "a format table has no primary key"),
        (
            "branch",
            "dev",
            "a format table has the branch main and no other",
        ),
        (
            "auto-create",
            "true",
            "a format table is created by its catalog",
        ),
        (
            "format-table.commit-hive-sync-url",
            "thrift://h:9083",
            "there is no Hive metastore client; add the partitions with Hive itself",
        ),
    ] {
        let expected =
            format!("option '{key}' = '{value}' is not supported: {reason}; leave the option out");
        assert_eq!(error(&[(key, value)]), expected);
    }
    for fine in [
        ("branch", "MAIN"),
        ("auto-create", "false"),
        ("metastore.partitioned-table", "false"),
        ("format-table.implementation", "engine"),
        ("data-file.path-directory", "x"),
        ("bucket", "-1"),
    ] {
        resolve(&[fine]).unwrap();
    }
    assert!(resolve(&[("auto-create", "yes")]).is_err());
}

#[test]
fn who_says_which_partitions_exist() {
    let key = "metastore.partitioned-table";
    let by_directories = resolve(&[(key, "false")]).unwrap();
    assert!(!by_directories.catalog_managed_partitions);
    by_directories.check_directories_decide().unwrap();

    let by_catalog = resolve(&[(key, "TRUE")]).unwrap();
    assert!(by_catalog.catalog_managed_partitions);
    let refused = by_catalog.check_directories_decide().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert_eq!(
        refused.to_string(),
        "option 'metastore.partitioned-table' = 'true' is not supported: it is set on a table whose catalog does \
         not manage partitions; leave the option out: the directories say which partitions exist"
    );
    let implementation = "format-table.implementation";
    assert!(
        error(&[(key, "true"), (implementation, "engine")]).starts_with(
            "option 'format-table.implementation' = 'engine' is not supported: the catalog manages"
        )
    );
    resolve(&[(key, "true"), (implementation, "paimon")]).unwrap();
    assert!(resolve(&[(key, "yes")]).is_err());
}

#[test]
fn the_name_of_the_null_partition() {
    let key = "partition.default-name";
    for value in ["", "  ", ".", ".."] {
        assert!(
            error(&[(key, value)]).starts_with(&format!("option '{key}' = '{value}': ")),
            "{value}"
        );
    }
    let only_value = ("format-table.partition-path-only-value", "true");
    assert!(resolve(&[(key, "_a=b")]).is_ok());
    assert!(resolve(&[(key, "a=b"), only_value]).is_ok());
    assert!(resolve(&[(key, "__HIVE_DEFAULT_PARTITION__"), only_value]).is_ok());
    assert!(resolve(&[(key, "_a=b"), only_value]).is_err());
    assert!(resolve(&[(key, ".a%"), only_value]).is_err());
}

#[test]
fn the_file_prefix_matters_to_writers_alone() {
    for (prefix, fine) in [
        ("part-", true),
        ("", true),
        ("_x", false),
        (".x", false),
        ("a/b", false),
        ("a\\b", false),
        ("a\nb", false),
    ] {
        let options = resolve(&[("data-file.prefix", prefix)]).unwrap();
        assert_eq!(options.check_writable().is_ok(), fine, "{prefix}");
    }
}

#[test]
fn options_of_the_formats_are_collected() {
    let options = resolve(&[
        ("file.format", "csv"),
        ("PARQUET.page.size", "1"),
        ("orc.stripe.size", "2"),
        ("delimiter", ";"),
        ("seq", "|"),
        ("lineSep", "\r\n"),
        ("csv.quote-character", "'"),
        ("quote", "x"),
        ("mode", "FAILFAST"),
        ("header", "TRUE"),
        ("nullvalue", "NA"),
        ("escape", "^"),
    ])
    .unwrap();
    let expected = Options::from([
        ("PARQUET.page.size", "1"),
        ("csv.escape-character", "^"),
        ("csv.field-delimiter", "|"),
        ("csv.include-header", "TRUE"),
        ("csv.line-delimiter", "\r\n"),
        ("csv.mode", "FAILFAST"),
        ("csv.null-literal", "NA"),
        ("csv.quote-character", "'"),
        ("orc.stripe.size", "2"),
    ]);
    assert_eq!(options.format_options, expected);
    let text = resolve(&[("file.format", "text"), ("lineSep", "x")]).unwrap();
    assert_eq!(
        text.format_options,
        Options::from([("text.line-delimiter", "x")])
    );
    let json = resolve(&[("file.format", "json"), ("lineSep", "x")]).unwrap();
    assert_eq!(json.format_options, Options::new());
}

#[test]
fn the_fallback_keys_of_the_field_delimiter_have_an_order() {
    let delimiter = |pairs: &[(&str, &str)]| {
        let mut all = vec![("file.format", "csv")];
        all.extend(pairs);
        resolve(&all)
            .unwrap()
            .format_options
            .get(&CSV_FIELD_DELIMITER)
            .unwrap()
    };
    let all = [
        ("csv.field-delimiter", "1"),
        ("field-delimiter", "2"),
        ("seq", "3"),
        ("delimiter", "4"),
    ];
    for (start, expected) in ["1", "2", "3", "4", ","].into_iter().enumerate() {
        assert_eq!(delimiter(&all[start..]), expected);
    }
}

#[test]
fn options_of_text_formats_are_verified() {
    for (format, key, value) in [
        ("csv", "csv.field-delimiter", ""),
        ("csv", "csv.field-delimiter", "||"),
        // A backslash and a letter are two characters, not a tabulator.
        ("csv", "csv.field-delimiter", "\\t"),
        ("csv", "csv.field-delimiter", "\0"),
        ("csv", "csv.field-delimiter", "\""),
        ("csv", "csv.field-delimiter", "\\"),
        ("csv", "csv.field-delimiter", "\n"),
        ("csv", "csv.line-delimiter", ""),
        ("csv", "csv.quote-character", ""),
        ("csv", "csv.escape-character", ""),
        ("csv", "csv.escape-character", "\""),
        ("csv", "csv.mode", "loose"),
        ("csv", "csv.include-header", "yes"),
        ("csv", "mode", "loose"),
        ("json", "json.line-delimiter", ""),
        ("json", "json.map-null-key-mode", "x"),
        ("json", "json.ignore-parse-errors", "1"),
        ("text", "text.line-delimiter", ""),
        ("text", "lineSep", ""),
    ] {
        let refused = resolve(&[("file.format", format), (key, value)]).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidOption, "{key} = {value}");
        // Another format does not care.
        resolve(&[("file.format", "orc"), (key, value)]).unwrap();
    }
    // One that there is not is nothing to any format.
    resolve(&[("file.format", "csv"), ("csv.ignore-extra-fields", "x")]).unwrap();
    resolve(&[("file.format", "json"), ("json.date-format", "x")]).unwrap();
    for fine in [
        ("csv.line-delimiter", "##"),
        ("csv.quote-character", "\0"),
        ("csv.field-delimiter", "\u{1}"),
    ] {
        resolve(&[("file.format", "csv"), fine]).unwrap();
    }
    resolve(&[
        ("file.format", "csv"),
        ("csv.quote-character", "\0"),
        ("csv.escape-character", "\0"),
    ])
    .unwrap();
}
