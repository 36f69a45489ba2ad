//! Files that are cut, changed or lie: an error that names the file, never a crash or a wrong row.

use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use ftable_core::{DataField, ErrorKind};
use futures::StreamExt;

use super::super::stripe::{DATA, LENGTH, PRESENT, SECONDARY};
use super::*;
use crate::file_format;
use crate::testing::{
    PATH, Random, columns, concat, count_request, options, random_batches, run, write,
};

/// The batches that come before an error, and the error.
async fn read_all(
    bytes: &Bytes,
    fields: &Arc<[DataField]>,
) -> (Vec<RecordBatch>, Option<crate::Error>) {
    let request = reader(fields).batch_size(16).request(bytes);
    let mut stream = match file_format(ORC).read(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut batches = Vec::new();
    while let Some(next) = stream.next().await {
        match next {
            Ok(batch) => batches.push(batch),
            Err(error) => return (batches, Some(error)),
        }
    }
    (batches, None)
}

fn assert_names_file(error: &crate::Error) {
    assert!(error.to_string().contains(PATH), "{error}");
    let kinds = [
        ErrorKind::CorruptFile,
        ErrorKind::TypeMismatch,
        ErrorKind::Unsupported,
    ];
    assert!(kinds.contains(&error.kind()), "{error}");
}

fn fields() -> Arc<[DataField]> {
    columns("a BIGINT, b STRING, c BOOLEAN, d TIMESTAMP(9), e DOUBLE, f TIME(3)")
}

fn small_file(codec: &str) -> (Bytes, RecordBatch) {
    let batches = random_batches(&fields(), &[60], 11);
    let bytes = write(ORC, &[("file.compression", codec)], &fields(), &batches).unwrap();
    (bytes, concat(&fields(), &batches))
}

#[test]
fn files_cut_anywhere_are_refused() {
    let fields = fields();
    for codec in ["none", "zstd"] {
        let (bytes, _) = small_file(codec);
        run(async {
            for length in 1..bytes.len() {
                let (batches, error) = read_all(&bytes.slice(..length), &fields).await;
                assert!(batches.is_empty(), "cut at {length}");
                assert_names_file(&error.unwrap_or_else(|| panic!("cut at {length} is read")));
                let file = crate::testing::file(bytes.slice(..length));
                assert!(
                    file_format(ORC)
                        .count_rows(count_request(file, None, options(ORC, &[])))
                        .await
                        .is_err()
                );
            }
        });
    }
}

/// One byte changed: an error, or as many rows as there were. ORC has no checksums, so values may be others.
fn never_crash(bytes: &Bytes, fields: &Arc<[DataField]>, rounds: u64) {
    let mut random = Random::new(3);
    run(async {
        let rows: usize = read_all(bytes, fields)
            .await
            .0
            .iter()
            .map(RecordBatch::num_rows)
            .sum();
        assert!(rows > 0);
        for round in 0..rounds {
            let mut changed = bytes.to_vec();
            let at = random.below(changed.len() as u64) as usize;
            changed[at] ^= 1 + random.below(255) as u8;
            let (batches, error) = read_all(&changed.into(), fields).await;
            let read: usize = batches.iter().map(RecordBatch::num_rows).sum();
            match error {
                Some(error) => assert_names_file(&error),
                None => assert_eq!(read, rows, "round {round}, byte {at}"),
            }
        }
    });
}

#[test]
fn changed_bytes_never_crash() {
    for codec in ["none", "snappy", "zstd"] {
        never_crash(&small_file(codec).0, &fields(), 1_000);
    }
}

#[test]
fn changed_bytes_of_nested_files_never_crash() {
    let table: &[(&str, &str)] = &[
        (
            "pyarrow-nested-orc/data/part-0.orc",
            "pyarrow-nested-orc/table.json",
        ),
        (
            "pyarrow-nested-deep-orc/data/part-0.orc",
            "pyarrow-nested-deep-orc/table.json",
        ),
    ];
    for (path, schema) in table {
        let text = String::from_utf8(golden(schema).to_vec()).unwrap();
        let fields = fields_of(&text);
        never_crash(&golden(path), &fields, 600);
    }
}

/// The fields of a table description.
fn fields_of(text: &str) -> Arc<[DataField]> {
    let at = text.find("\"fields\"").unwrap();
    let from = at + text[at..].find('[').unwrap();
    let mut depth = 0;
    let length = text[from..]
        .find(|character| {
            depth += i32::from(character == '[') - i32::from(character == ']');
            depth == 0
        })
        .unwrap();
    let schema = format!(
        "{{\"version\": 3, \"id\": 0, \"fields\": {}, \"highestFieldId\": 99, \"partitionKeys\": [], \
         \"primaryKeys\": [], \"options\": {{}}, \"timeMillis\": 0}}",
        &text[from..=from + length]
    );
    ftable_core::TableSchema::from_json(&schema)
        .unwrap()
        .fields
        .into()
}

fn error(file: &FileDef, declared: &str) -> String {
    let message = reader(&columns(declared)).error(&file.build());
    assert!(
        message.starts_with(&format!("{PATH}: not a readable orc file: ")),
        "{message}"
    );
    message
}

fn longs(values: &[i64]) -> FileDef {
    FileDef::types(vec![row(&[("n", 1)]), leaf(LONG)], values.len() as u64).stream(
        DATA,
        1,
        &numbers(values, true),
    )
}

#[test]
fn rows_that_the_streams_do_not_hold_are_never_promised() {
    let mut file = longs(&[1, 2, 3]);
    assert_eq!(
        reader(&columns("n BIGINT"))
            .read(&file.build())
            .unwrap()
            .num_rows(),
        3
    );
    file.claimed = Some(4);
    assert!(error(&file, "n BIGINT").contains("the stripes hold 3 rows, the footer claims 4"));
    assert!(reader(&columns("n BIGINT")).count(&file.build()).is_err());
    for rows in [4, 1 << 40, u64::MAX] {
        file.rows = rows;
        file.claimed = None;
        error(&file, "n BIGINT");
    }
    file.rows = 1 << 40;
    assert!(
        error(&file, "n BIGINT")
            .contains("column n: type 1: its streams cannot hold 1099511627776 values")
    );
}

#[test]
fn nulls_that_are_not_marked_to_the_end_are_not_taken_for_values() {
    let file = FileDef::types(vec![row(&[("n", 1)]), leaf(LONG)], 20)
        .stream(PRESENT, 1, &bits(&[true; 8]))
        .stream(DATA, 1, &numbers(&[7; 20], true));
    assert!(error(&file, "n BIGINT").contains("its nulls are marked for fewer than 20 rows"));
}

#[test]
fn lists_longer_than_can_be_are_refused_before_room_is_made() {
    let types = || vec![row(&[("l", 1)]), group(LIST, &[2]), leaf(LONG)];
    for length in [10_000, i64::from(i32::MAX), 1 << 40, i64::MAX, -1] {
        let file = FileDef::types(types(), 2)
            .stream(LENGTH, 1, &numbers(&[1, length], false))
            .stream(DATA, 2, &numbers(&[1], true));
        let message = error(&file, "l ARRAY<BIGINT>");
        assert!(message.contains("column l: type"), "{length}: {message}");
    }
    let file = FileDef::types(types(), 2).stream(LENGTH, 1, &numbers(&[1], false));
    assert!(error(&file, "l ARRAY<BIGINT>").contains("it has too few lengths"));
    let types = vec![
        row(&[("m", 1)]),
        group(MAP, &[2, 3]),
        leaf(LONG),
        leaf(STRING),
    ];
    let file = FileDef::types(types, 1)
        .stream(LENGTH, 1, &numbers(&[1 << 30], false))
        .stream(DATA, 2, &numbers(&[1], true));
    assert!(error(&file, "m MAP<BIGINT, STRING>").contains("cannot hold 1073741824 values"));
}

#[test]
fn texts_longer_than_their_stream_are_refused() {
    let types = || vec![row(&[("s", 1)]), leaf(STRING)];
    for length in [2, i64::from(i32::MAX), 1 << 40, -1] {
        let file = FileDef::types(types(), 1).stream(DATA, 1, b"x").stream(
            LENGTH,
            1,
            &numbers(&[length], false),
        );
        assert!(
            error(&file, "s STRING").contains(
                "column s: type 1: its texts are said to be longer than their stream of at most 1 bytes"
            ),
            "{length}"
        );
    }
    let mut file = FileDef::types(types(), 1)
        .stream(DATA, 1, &numbers(&[0], false))
        .stream(3, 1, b"x")
        .stream(LENGTH, 1, &numbers(&[1], false));
    file.encodings = vec![(0, 0), (3, 1)];
    assert_eq!(
        reader(&columns("s STRING"))
            .read(&file.build())
            .unwrap()
            .num_rows(),
        1
    );
    file.encodings[1] = (3, u64::from(u32::MAX));
    assert!(error(&file, "s STRING").contains("cannot hold a dictionary of 4294967295 entries"));
    file.encodings[1] = (3, 0);
    error(&file, "s STRING");
}

#[test]
fn types_that_are_no_tree_are_refused() {
    let refused = |types: Vec<TypeDef>, reason: &str| {
        let message = error(&FileDef::types(types, 0), "a BIGINT");
        assert!(message.contains(reason), "{message}");
    };
    refused(vec![], "the footer has no types");
    refused(vec![leaf(LONG)], "its root is LONG, not a STRUCT");
    // Its own child, a parent, a type that is not there, one of another.
    refused(
        vec![row(&[("a", 0)])],
        "type 0 cannot have type 0 for a child",
    );
    refused(
        vec![row(&[("a", 1)]), group(LIST, &[1])],
        "type 1 cannot have type 1 for a child",
    );
    refused(
        vec![row(&[("a", 1)]), group(LIST, &[0])],
        "type 1 cannot have type 0 for a child",
    );
    refused(
        vec![row(&[("a", 7)]), leaf(LONG)],
        "type 0 cannot have type 7 for a child",
    );
    refused(
        vec![row(&[("a", 1), ("b", 1)]), leaf(LONG)],
        "type 0 cannot have type 1 for a child",
    );
    refused(
        vec![row(&[("a", 1)]), leaf(LONG), leaf(LONG)],
        "type 2 belongs to no column",
    );
    refused(
        vec![row(&[("a", 1)]), group(LIST, &[])],
        "type 1, a LIST, has 0 children",
    );
    refused(
        vec![row(&[("a", 1)]), group(LONG, &[2]), leaf(LONG)],
        "type 1, a LONG, has 1 children",
    );
    let deep = |levels: u64| {
        let mut types = vec![row(&[("a", 1)])];
        types.extend((1..levels).map(|id| group(LIST, &[id + 1])));
        types.push(leaf(LONG));
        types
    };
    for levels in [150, 50_000] {
        refused(deep(levels), "deep in each other");
    }
    // The deepest that is taken does not overflow the stack.
    let message = reader(&columns("a BIGINT")).error(&FileDef::types(deep(127), 0).build());
    assert!(
        message.ends_with("file type LIST cannot be read as BIGINT"),
        "{message}"
    );
    let mut declared = "BIGINT".to_owned();
    (0..100).for_each(|_| declared = format!("ARRAY<{declared}>"));
    let file = FileDef::types(deep(101), 1);
    error(&file, &format!("a {declared}"));
}

#[test]
fn stripes_outside_of_the_file_are_refused() {
    let file = longs(&[1, 2, 3]).build();
    // The stripe's lengths are the numbers 2 to 4 of the message that begins 0x1a: data of 18 bytes.
    let at = (0..file.len())
        .rfind(|at| file[*at..].starts_with(&[0x10, 0x00, 0x18, 18, 0x20]))
        .unwrap();
    for (place, value) in [(at + 1, 0x7f), (at + 3, 0x7f), (at + 5, 0x7f)] {
        let mut lying = file.to_vec();
        lying[place] = value;
        let message = reader(&columns("n BIGINT")).error(&lying.into());
        assert!(message.starts_with(PATH), "{message}");
    }
}

#[test]
fn streams_longer_than_their_stripe_are_refused() {
    let file = longs(&[1, 2, 3]).build();
    // The stream's length: kind DATA, column 1, 18 bytes.
    let at = (0..file.len())
        .find(|at| file[*at..].starts_with(&[0x08, 0x01, 0x10, 0x01, 0x18, 18]))
        .unwrap();
    let mut lying = file.to_vec();
    lying[at + 5] = 19;
    let message = reader(&columns("n BIGINT")).error(&lying.into());
    assert!(
        message.contains("the footer of the stripe at 3: its streams are longer than the stripe"),
        "{message}"
    );
    let twice = longs(&[1]).stream(DATA, 1, &numbers(&[2], true));
    assert!(error(&twice, "n BIGINT").contains("there is another of its kind"));
}

#[test]
fn tails_that_lie_are_refused() {
    let read = |bytes: Bytes| reader(&columns("n BIGINT")).error(&bytes);
    assert!(read(Bytes::from_static(b"ORC")).contains("3 bytes are too few"));
    assert!(
        read(Bytes::from_static(b"ORC\0\0")).contains("the last byte is no length of a postscript")
    );
    assert!(read(Bytes::from(vec![b'x'; 300])).contains("postscript"));
    let footer = [0x22, 0x02, 0x08, 0x0c];
    let tail = |codec, block| with_footer(b"ORC".to_vec(), &footer, codec, block);
    assert_eq!(
        reader(&columns("n BIGINT"))
            .read(&tail(0, None))
            .unwrap()
            .num_rows(),
        0
    );
    assert!(read(tail(6, None)).contains("BROTLI"));
    assert!(read(tail(9, None)).contains("compression 9 is not known"));
    for block in [0, 1 << 24, u64::MAX] {
        assert!(
            read(tail(4, Some(block))).contains("compression chunks of"),
            "{block}"
        );
    }
    // A chunk that ends after the footer, and one of more than a block.
    assert!(read(tail(1, None)).contains("the footer: a chunk"));
    let stored = [[9, 0, 0].as_slice(), &footer].concat();
    assert_eq!(
        reader(&columns("n BIGINT"))
            .read(&with_footer(b"ORC".to_vec(), &stored, 1, None))
            .unwrap()
            .num_rows(),
        0
    );
    let snappy = [0x0c, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x07, 0];
    assert!(
        read(with_footer(b"ORC".to_vec(), &snappy, 2, None))
            .contains("is more than the block of 262144")
    );
    // A zstd frame that says it holds 2 GiB.
    let zstd = [
        0x12, 0, 0, 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0x7f,
    ];
    assert!(
        read(with_footer(b"ORC".to_vec(), &zstd, 5, None))
            .contains("a chunk of 2147483647 bytes is more than the block of 262144")
    );
    let encrypted = [footer.as_slice(), &[0x52, 0x00]].concat();
    assert!(read(with_footer(b"ORC".to_vec(), &encrypted, 0, None)).contains("encrypted"));
    let garbage = [0x22, 0x7f, 0x08];
    assert!(
        read(with_footer(b"ORC".to_vec(), &garbage, 0, None)).contains("the footer is malformed")
    );
}

#[test]
fn fractions_that_are_missing_are_not_zero() {
    let file = FileDef::types(vec![row(&[("t", 1)]), leaf(TIMESTAMP)], 2)
        .stream(DATA, 1, &numbers(&[1, 2], true))
        .stream(SECONDARY, 1, &numbers(&[0], false));
    assert!(
        error(&file, "t TIMESTAMP(6)").contains("column t: its fractions of seconds end early")
    );
}
