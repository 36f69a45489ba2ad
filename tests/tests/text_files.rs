//! Tables of csv, json and text files: cut, compressed, ragged and malformed ones, and what their readers tell.

// What cannot be made fails the test that needs it.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::io::{Read, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use common::{Place, append, batch, ids_and_p, rows, rows_in_order};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use ftable::{ErrorKind, FormatTable};
use ftable_table::RecordMetrics;
use ftable_testkit::faulty::Operation;
use futures::TryStreamExt;

async fn place(format: &str, columns: &str, options: &[(&str, &str)]) -> Place {
    let format = [("file.format", format)];
    Place::new(columns, &[], &[&format, options].concat()).await
}

/// The rows and what was told of records.
async fn read(table: &FormatTable) -> (Vec<String>, RecordMetrics, Vec<String>) {
    let plan = table.scan().build().unwrap().plan().await.unwrap();
    let read = table.read().value_kind(false).build().unwrap();
    let batches: Vec<RecordBatch> = read.stream(&plan).unwrap().try_collect().await.unwrap();
    let mut lines: Vec<String> = batches
        .iter()
        .flat_map(|batch| common::lines(table.fields(), batch))
        .collect();
    lines.sort();
    let counted = table.read().build().unwrap().count(&plan).await.unwrap();
    assert_eq!(counted, lines.len() as u64);
    (lines, read.metrics().records, read.metrics().warnings())
}

async fn refused(table: &FormatTable) -> (ErrorKind, String) {
    let error = rows(table).await.unwrap_err();
    (error.kind(), error.to_string())
}

fn gzip(members: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for member in members {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(member.as_bytes()).unwrap();
        bytes.extend(encoder.finish().unwrap());
    }
    bytes
}

#[tokio::test]
async fn a_file_has_one_header_wherever_it_is_cut() {
    let mut content = "v,id\n".to_owned();
    (0..20).for_each(|row| content.push_str(&format!("{row},text {row}\n")));
    let mut expected: Vec<String> = (0..20).map(|row| format!("{row} \"text {row}\"")).collect();
    expected.sort();
    for pieces in 1..=7_usize {
        let target = content.len().div_ceil(pieces).to_string();
        let options = [
            ("csv.include-header", "true"),
            ("source.split.target-size", target.as_str()),
            ("source.split.open-file-cost", "0"),
        ];
        let place = place("csv", "id INT, v STRING", &options).await;
        place.put("f.csv", &content);
        place.put("header-only.csv", "id,v\n");
        let plan = place.table.scan().build().unwrap().plan().await.unwrap();
        // The second file is no longer than a piece, and may share a split with the end of the first.
        assert_eq!(plan.file_count(), pieces + 1);
        assert_eq!(rows(&place.table).await.unwrap(), expected, "{pieces}");
        let read = place.table.read().build().unwrap();
        assert_eq!(read.count(&plan).await.unwrap(), 20, "{pieces}");
    }
}

#[tokio::test]
async fn only_plain_files_with_common_line_ends_are_cut() {
    let content = "1,a\n2,b\n3,c\n";
    for (format, name, option, pieces) in [
        ("csv", "f.csv", None, 3),
        ("csv", "f", None, 3),
        ("csv", "f.gz", None, 1),
        ("csv", "f.csv", Some(("csv.line-delimiter", "\r\n")), 3),
        ("csv", "f.csv", Some(("csv.line-delimiter", ";\n")), 1),
        ("json", "f.json", None, 3),
        ("text", "f.text", None, 1),
    ] {
        let mut options = vec![("source.split.target-size", "4")];
        options.extend(option);
        let columns = if format == "text" {
            "s STRING"
        } else {
            "id INT, s STRING"
        };
        let place = place(format, columns, &options).await;
        place.put(name, content);
        let plan = place.table.scan().build().unwrap().plan().await.unwrap();
        assert_eq!(plan.file_count(), pieces, "{format} {name} {option:?}");
    }
}

#[tokio::test]
async fn the_last_extension_says_how_a_file_is_compressed() {
    let options = [("source.split.target-size", "16")];
    let place = place("csv", "id INT, s STRING", &options).await;
    place.put("a.csv", "1,a\n");
    place.put("d", "4,d\n");
    let put = |name: &str, bytes: &[u8]| std::fs::write(place.path(name), bytes).unwrap();
    put("b.csv.gz", &gzip(&["2,b\n", "3,c\n"]));
    put("c.gz", &gzip(&["5,e\n"]));
    put("e.csv.zst", &zstd::bulk::compress(b"6,f\n", 3).unwrap());
    let expected = [
        "1 \"a\"", "2 \"b\"", "3 \"c\"", "4 \"d\"", "5 \"e\"", "6 \"f\"",
    ];
    assert_eq!(rows(&place.table).await.unwrap(), expected);
    let plan = place.table.scan().build().unwrap().plan().await.unwrap();
    assert_eq!(plan.file_count(), 5);

    place.put("x.csv.br", "7,g\n");
    let (kind, message) = refused(&place.table).await;
    assert_eq!(kind, ErrorKind::Unsupported);
    assert!(
        message.contains("x.csv.br") && message.contains(".br"),
        "{message}"
    );
    std::fs::remove_file(place.path("x.csv.br")).unwrap();
    put("x.csv", &gzip(&["7,g\n"]));
    let (_, message) = refused(&place.table).await;
    assert!(
        message.contains("x.csv") && message.contains("gzip"),
        "{message}"
    );
}

#[tokio::test]
async fn ragged_lines_are_rows_in_every_mode_and_counted() {
    let content = "Alice,25,Rome\nBob,30\nCarol,35,\nDan,40,Milan,EXTRA\n\n";
    for mode in ["permissive", "dropmalformed", "failfast"] {
        let columns = "name STRING, age INT, city STRING";
        let place = place("csv", columns, &[("csv.mode", mode)]).await;
        place.put("f.csv", content);
        let (rows, records, warnings) = read(&place.table).await;
        assert_eq!(
            rows,
            [
                "\"Alice\" 25 \"Rome\"",
                "\"Bob\" 30 NULL",
                "\"Carol\" 35 NULL",
                "\"Dan\" 40 \"Milan\"",
                "NULL NULL NULL",
            ],
            "{mode}"
        );
        let expected = RecordMetrics {
            short: 1,
            long: 1,
            ..RecordMetrics::default()
        };
        assert_eq!(records, expected, "{mode}");
        assert_eq!(
            warnings,
            [
                "1 record has fewer fields than columns: the missing ones are NULL",
                "1 record has more fields than columns: the surplus was not read",
            ]
        );
    }
}

#[tokio::test]
async fn malformed_lines_are_null_left_out_or_an_error() {
    let content = "1,a\nx,b\n3,c\n";
    let with = async |mode: &str| {
        let place = place("csv", "id INT, s STRING", &[("csv.mode", mode)]).await;
        place.put("f.csv", content);
        place
    };
    let place = with("permissive").await;
    let (rows, records, warnings) = read(&place.table).await;
    assert_eq!(rows, ["1 \"a\"", "3 \"c\"", "NULL NULL"]);
    assert_eq!((records.malformed, records.dropped), (1, 0));
    assert_eq!(
        warnings,
        ["1 record has a value that cannot be read, and NULL in its place"]
    );

    let place = with("dropmalformed").await;
    let (rows, records, warnings) = read(&place.table).await;
    assert_eq!(rows, ["1 \"a\"", "3 \"c\""]);
    assert_eq!((records.malformed, records.dropped), (0, 1));
    assert_eq!(warnings, ["1 record cannot be read and was left out"]);

    let place = with("failfast").await;
    let (kind, message) = refused(&place.table).await;
    assert_eq!(kind, ErrorKind::TypeMismatch);
    for part in ["f.csv", "line 2", "column id", "'x'"] {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn json_lines_of_wrong_shapes() {
    let content = "{\"id\":1,\"loc\":{\"x\":1}}\n{\"id\":2,\"loc\":\"Rome\"}\n{\"id\":\"x3\",\"loc\":null}\n\
                   {\"id\":4,\n{\"other\":1}\n";
    let strict = place("json", "id INT, loc ROW<x INT>", &[]).await;
    strict.put("f.json", content);
    let (_, message) = refused(&strict.table).await;
    assert!(
        message.contains("f.json") && message.contains("line 2"),
        "{message}"
    );

    let options = [("json.ignore-parse-errors", "true")];
    let lenient = place("json", "id INT, loc ROW<x INT>", &options).await;
    lenient.put("f.json", content);
    let (rows, records, _) = read(&lenient.table).await;
    assert_eq!(rows, ["1 {x: 1}", "2 ", "NULL ", "NULL "]);
    assert_eq!((records.malformed, records.dropped), (2, 1));
}

#[tokio::test]
async fn files_are_named_by_their_compression_and_leave_the_keys_out() {
    let sent = [(1, Some("a")), (2, None), (3, Some(""))];
    for (format, codec, extension) in [
        ("csv", "none", ".csv"),
        ("csv", "gzip", ".csv.gz"),
        ("csv", "snappy", ".csv.snappy"),
        ("json", "bzip2", ".json.bz2"),
        ("json", "lz4", ".json.lz4"),
        ("json", "zstd", ".json.zst"),
        ("json", "deflate", ".json.deflate"),
    ] {
        let options = [("file.format", format), ("file.compression", codec)];
        let place = Place::new("id BIGINT, p STRING, k INT", &["k"], &options).await;
        let rows = ids_and_p(&sent);
        let keys: ArrayRef = Arc::new(Int32Array::from(vec![7, 8, 7]));
        let columns = [("id", rows.column(0)), ("p", rows.column(1)), ("k", &keys)];
        let rows = columns.map(|(name, column)| (name, Arc::clone(column)));
        append(&place.table, batch(rows)).await.unwrap();
        let files = place.data_files();
        assert_eq!(files.len(), 2, "{files:?}");
        for (file, key) in files.iter().zip(["k=7/", "k=8/"]) {
            assert!(file.starts_with(key), "{file}");
            common::name_parts(file, "data-", extension);
        }
        assert_eq!(
            place.rows().await,
            ["1 \"a\" 7", "2 NULL 8", "3 \"\" 7"],
            "{format} {codec}"
        );
        if codec == "none" {
            let content = std::fs::read_to_string(place.path(&files[0])).unwrap();
            assert_eq!(content, "1,a\n3,\"\"\n");
        }
    }
}

#[tokio::test]
async fn line_delimiters_in_values() {
    let value = |text: &str| batch([("s", Arc::new(StringArray::from(vec![text])) as ArrayRef)]);
    for text in ["a\nb", "a\rb"] {
        let csv = place("csv", "s STRING", &[]).await;
        let error = append(&csv.table, value(text)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("column s"), "{error}");
        assert!(csv.data_files().is_empty());
        assert!(csv.staged().is_empty());

        let json = place("json", "s STRING", &[]).await;
        append(&json.table, value(text)).await.unwrap();
        assert_eq!(json.rows().await, [format!("{text:?}")]);

        let lines = place("text", "s STRING", &[]).await;
        append(&lines.table, value(text)).await.unwrap();
        assert_eq!(lines.rows().await, ["\"a\"", "\"b\""]);
    }
}

#[tokio::test]
async fn rolled_files_hold_each_row_once() {
    for format in ["csv", "json"] {
        let place = place(format, "id BIGINT", &[("target-file-row-num", "300")]).await;
        let ids = Int64Array::from_iter_values(0..1000);
        append(&place.table, batch([("id", Arc::new(ids))]))
            .await
            .unwrap();
        assert_eq!(place.data_files().len(), 4);
        let mut found: Vec<i64> = place
            .rows()
            .await
            .iter()
            .map(|row| row.parse().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, (0..1000).collect::<Vec<_>>());
    }
}

/// Compressed files roll by the bytes they have, and each is whole: with a header, and with its own end.
#[tokio::test]
async fn compressed_files_roll_by_size_and_begin_with_a_header() {
    let options = [
        ("file.compression", "gzip"),
        ("csv.include-header", "true"),
        ("target-file-size", "128 kb"),
    ];
    let place = place("csv", "id BIGINT, v STRING", &options).await;
    // Texts that do not become much shorter.
    let text = |id: i64| format!("{:016x}", id.wrapping_mul(0x5851_f42d_4c95_7f2d));
    let mut write = place.table.write().build().unwrap();
    for start in (0..40_000).step_by(1000) {
        let ids = Int64Array::from_iter_values(start..start + 1000);
        let texts = StringArray::from_iter_values((start..start + 1000).map(text));
        let rows = batch([("id", Arc::new(ids)), ("v", Arc::new(texts))]);
        write.write(rows).await.unwrap();
    }
    let messages = write.prepare_commit().await.unwrap();
    common::commit(&place.table, messages).await.unwrap();

    let files = place.data_files();
    let (mut found, mut sizes) = (Vec::new(), Vec::new());
    for file in &files {
        common::name_parts(file, "data-", ".csv.gz");
        let bytes = std::fs::read(place.path(file)).unwrap();
        sizes.push(bytes.len() / 1024);
        let mut content = String::new();
        GzDecoder::new(bytes.as_slice())
            .read_to_string(&mut content)
            .unwrap();
        let rows = content.strip_prefix("id,v\n").unwrap();
        found.extend(rows.lines().map(str::to_owned));
    }
    // What the compressor has not given out yet is estimated; the last file has what is left.
    sizes.sort_unstable();
    let near_target = |kib: &usize| (96..192).contains(kib);
    assert!(
        sizes.len() >= 3 && sizes.iter().skip(1).all(near_target),
        "{sizes:?} KiB"
    );
    found.sort();
    let mut expected: Vec<String> = (0..40_000).map(|id| format!("{id},{}", text(id))).collect();
    expected.sort();
    assert_eq!(found, expected);
    let expected: Vec<String> = expected
        .iter()
        .map(|line| line.replacen(',', " \"", 1) + "\"")
        .collect();
    let mut seen = place.rows().await;
    seen.sort_by_key(|row| row.replacen(" \"", ",", 1));
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn text_files_are_named_by_their_compression_and_leave_the_keys_out() {
    for (codec, extension) in [("none", ".text"), ("gzip", ".text.gz")] {
        let options = [("file.format", "text"), ("file.compression", codec)];
        let place = Place::new("s STRING, k INT", &["k"], &options).await;
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a,\"b"), None, Some("ü")]));
        let keys: ArrayRef = Arc::new(Int32Array::from(vec![7, 8, 7]));
        append(&place.table, batch([("s", texts), ("k", keys)]))
            .await
            .unwrap();
        let files = place.data_files();
        assert_eq!(files.len(), 2, "{files:?}");
        for (file, (key, lines)) in files.iter().zip([("k=7/", "a,\"b\nü\n"), ("k=8/", "\n")]) {
            assert!(file.starts_with(key), "{file}");
            common::name_parts(file, "data-", extension);
            let bytes = std::fs::read(place.path(file)).unwrap();
            let mut content = String::new();
            match codec {
                "gzip" => GzDecoder::new(bytes.as_slice()).read_to_string(&mut content),
                _ => bytes.as_slice().read_to_string(&mut content),
            }
            .unwrap();
            assert_eq!(content, lines, "{file}");
        }
        // An empty line is the empty text, whatever it was written of.
        assert_eq!(place.rows().await, ["\"\" 8", "\"a,\\\"b\" 7", "\"ü\" 7"]);
    }
}

#[tokio::test]
async fn a_limit_reads_no_file_to_the_end_while_planning() {
    let place = place("csv", "id INT", &[]).await;
    place.put("a.csv", "1\n2\n3\n");
    place.put("b.csv", "4\n");
    let plan = place.table.scan().limit(2).build().unwrap().plan().await;
    assert_eq!(place.files.calls(Operation::Open), 0);
    let read = place.table.read().value_kind(false).preserve_order(true);
    let stream = read.build().unwrap().stream(&plan.unwrap()).unwrap();
    let batches: Vec<RecordBatch> = stream.try_collect().await.unwrap();
    let found: Vec<_> = batches
        .iter()
        .flat_map(|batch| common::lines(place.table.fields(), batch))
        .collect();
    assert_eq!(found, ["1", "2"]);
}

#[tokio::test]
async fn order_is_that_of_the_lines() {
    let options = [("source.split.target-size", "10"), ("read.batch-size", "3")];
    let place = place("csv", "id INT", &options).await;
    let content: String = (0..50).map(|row| format!("{row}\r\n")).collect();
    place.put("f.csv", &content);
    let expected: Vec<String> = (0..50).map(|row| row.to_string()).collect();
    assert_eq!(rows_in_order(&place.table).await.unwrap(), expected);
}

#[tokio::test]
async fn what_a_format_cannot_hold_is_refused_by_column() {
    for (format, columns, column) in [
        ("csv", "id INT, l ARRAY<INT>", "l"),
        ("json", "id INT, m MULTISET<STRING>", "m"),
    ] {
        let place = place(format, columns, &[]).await;
        let error = match place.table.write().build() {
            Ok(_) => panic!("{format} {columns}"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(&format!("column {column}")), "{error}");
    }
}
