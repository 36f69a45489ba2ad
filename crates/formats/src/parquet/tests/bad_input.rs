//! Files that are cut, changed or lie: an error that names the file, never a crash or a wrong row.

use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use ftable_core::{DataField, ErrorKind};
use futures::StreamExt;

use super::{PARQUET, reader};
use crate::file_format;
use crate::testing::{
    PATH, Random, columns, concat, count_request, options, random_batches, run, write,
};

fn fields() -> Arc<[DataField]> {
    columns(
        "a BIGINT, b STRING, c ARRAY<INT>, d TIMESTAMP(9), e ROW<x DECIMAL(20, 2), y MAP<STRING, DATE>>",
    )
}

fn small_file(given: &[(&str, &str)]) -> (Bytes, RecordBatch) {
    let batches = random_batches(&fields(), &[40], 11);
    let bytes = write(PARQUET, given, &fields(), &batches).unwrap();
    (bytes, concat(&fields(), &batches))
}

/// The batches that come before an error, and the error.
async fn read_all(
    bytes: &Bytes,
    fields: &Arc<[DataField]>,
) -> (Vec<RecordBatch>, Option<crate::Error>) {
    let request = reader(fields).batch_size(16).request(bytes);
    let mut stream = match file_format(PARQUET).read(request).await {
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
    // A changed byte may say that columns are encrypted.
    let kinds = [
        ErrorKind::CorruptFile,
        ErrorKind::TypeMismatch,
        ErrorKind::Unsupported,
    ];
    assert!(kinds.contains(&error.kind()), "{error}");
}

#[test]
fn empty_and_short_files_are_refused() {
    let read = reader(&fields());
    assert_eq!(
        read.error(&Bytes::new()),
        format!("{PATH}: not a readable parquet file: it is empty")
    );
    assert_eq!(
        read.error(&Bytes::from_static(b"PAR1PAR1")),
        format!("{PATH}: not a readable parquet file: 8 bytes are too few for a footer")
    );
    assert_eq!(
        read.error(&Bytes::from(vec![7; 100])),
        format!(
            "{PATH}: not a readable parquet file: it does not end in PAR1; it is no parquet file, or cut off"
        )
    );
    let mut encrypted = small_file(&[]).0.to_vec();
    let end = encrypted.len();
    encrypted[end - 4..].copy_from_slice(b"PARE");
    assert!(read.error(&encrypted.into()).contains("encrypted"));
}

#[test]
fn files_cut_anywhere_are_refused() {
    let (bytes, _) = small_file(&[]);
    let fields = fields();
    run(async {
        for length in 0..bytes.len() {
            let (batches, error) = read_all(&bytes.slice(..length), &fields).await;
            assert!(batches.is_empty(), "cut at {length}");
            assert_names_file(&error.unwrap_or_else(|| panic!("cut at {length} is read")));
            let file = crate::testing::file(bytes.slice(..length));
            assert!(
                file_format(PARQUET)
                    .count_rows(count_request(file, None, options(PARQUET, &[])))
                    .await
                    .is_err()
            );
        }
    });
}

/// One byte changed: mostly an error; where the change is in a value it cannot be told, but the rows are as many.
#[test]
fn changed_bytes_never_crash() {
    for given in [
        &[][..],
        &[
            ("file.compression", "none"),
            ("parquet.writer.version", "PARQUET_2_0"),
        ],
        &[
            ("file.compression", "zstd"),
            ("parquet.enable.dictionary", "false"),
        ],
    ] {
        let (bytes, rows) = small_file(given);
        let fields = fields();
        let mut random = Random::new(3);
        run(async {
            for round in 0..1_000 {
                let mut changed = bytes.to_vec();
                let at = random.below(changed.len() as u64) as usize;
                changed[at] ^= 1 + random.below(255) as u8;
                let (batches, error) = read_all(&changed.into(), &fields).await;
                let read: usize = batches.iter().map(RecordBatch::num_rows).sum();
                match error {
                    Some(error) => assert_names_file(&error),
                    None => assert_eq!(read, rows.num_rows(), "round {round}, byte {at}"),
                }
            }
        });
    }
}

/// The footer of a file, its length, and the file with another one.
fn footer(bytes: &Bytes) -> (usize, Vec<u8>) {
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    (end - length, bytes[end - length..end].to_vec())
}

fn with_footer(bytes: &Bytes, footer_start: usize, footer: &[u8]) -> Bytes {
    let mut made = bytes[..footer_start].to_vec();
    made.extend_from_slice(footer);
    made.extend_from_slice(&(footer.len() as u32).to_le_bytes());
    made.extend_from_slice(b"PAR1");
    made.into()
}

#[test]
fn a_footer_longer_than_the_file_is_refused() {
    let (bytes, _) = small_file(&[]);
    for length in [u32::MAX, bytes.len() as u32, bytes.len() as u32 - 8] {
        let mut lying = bytes.to_vec();
        let at = lying.len() - 8;
        lying[at..at + 4].copy_from_slice(&length.to_le_bytes());
        let error = reader(&fields()).error(&lying.into());
        assert!(error.contains("does not fit"), "{error}");
    }
}

/// A footer built by hand: `schema` elements, rows of the file, row groups.
struct Thrift(Vec<u8>);

impl Thrift {
    fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    fn integer(self, value: i64) -> Self {
        self.varint((value << 1 ^ value >> 63) as u64)
    }

    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

/// `version = 1`, then a schema of `count` elements in all.
fn schema_of(elements: &[u8], count: u64) -> Thrift {
    Thrift(vec![0x15, 0x02, 0x19, 0xfc])
        .varint(count)
        .raw(elements)
}

/// A group `g` with `children`, or the leaf `a INT32 OPTIONAL` where there are none.
fn element(children: i64) -> Vec<u8> {
    match children {
        // type = INT32, repetition = OPTIONAL, name.
        0 => vec![0x15, 0x02, 0x25, 0x02, 0x18, 0x01, b'a', 0x00],
        // repetition = OPTIONAL, name, children.
        _ => {
            Thrift(vec![0x35, 0x02, 0x18, 0x01, b'g', 0x15])
                .integer(children)
                .raw(&[0])
                .0
        }
    }
}

#[test]
fn schemas_too_deep_or_too_wide_are_refused() {
    let refused = |footer: Vec<u8>| {
        let error =
            reader(&columns("a INT")).error(&with_footer(&Bytes::from_static(b"PAR1"), 4, &footer));
        assert!(error.starts_with(PATH), "{error}");
        error
    };
    let deep = |levels: usize| {
        let mut elements: Vec<u8> = (0..levels).flat_map(|_| element(1)).collect();
        elements.extend_from_slice(&element(0));
        // rows = 0, row groups = none.
        schema_of(&elements, levels as u64 + 1)
            .raw(&[0x16, 0x00, 0x19, 0x0c, 0x00])
            .0
    };
    for levels in [300, 100_000] {
        assert!(refused(deep(levels)).contains("groups deep"));
    }
    // The deepest that is taken does not overflow the stack.
    let bytes = with_footer(&Bytes::from_static(b"PAR1"), 4, &deep(250));
    assert_eq!(
        reader(&columns("b INT")).read(&bytes).unwrap().num_rows(),
        0
    );
    // More children, elements or row groups than there are bytes.
    let wide = schema_of(&element(i64::from(i32::MAX)), 1)
        .raw(&[0x16, 0x00, 0x19, 0x0c, 0x00])
        .0;
    assert!(refused(wide).contains("children"));
    let many = schema_of(&element(1), u64::from(u32::MAX / 2)).0;
    assert!(refused(many).contains("malformed"));
    let elements = [element(1), element(0)].concat();
    let groups = schema_of(&elements, 2)
        .raw(&[0x16, 0x00, 0x19, 0xfc])
        .varint(i32::MAX as u64)
        .raw(&[0; 8])
        .0;
    assert!(refused(groups).contains("malformed"));
    let endless = schema_of(&elements, 2)
        .raw(&[0x16, 0x00, 0x19])
        .raw(&[0x19; 5_000])
        .0;
    assert!(refused(endless).contains("malformed"));
}

/// Replaces the one place where `from` stands in a footer.
fn replaced(footer: &[u8], from: &[u8], to: &[u8], which: usize) -> Vec<u8> {
    let places: Vec<usize> = (0..footer.len())
        .filter(|at| footer[*at..].starts_with(from))
        .collect();
    let at = places[which];
    [&footer[..at], to, &footer[at + from.len()..]].concat()
}

#[test]
fn rows_that_the_pages_do_not_hold_are_never_promised() {
    let fields = columns("a INT NOT NULL");
    // 77 rows: 77 zigzagged is 154, two bytes that stand nowhere else.
    let batches = random_batches(&fields, &[77], 1);
    let given = [
        ("file.compression", "none"),
        ("parquet.enable.dictionary", "false"),
    ];
    let bytes = write(PARQUET, &given, &fields, &batches).unwrap();
    let (start, footer) = footer(&bytes);
    let old = Thrift(Vec::new()).integer(77).0;
    let places = (0..footer.len())
        .filter(|at| footer[*at..].starts_with(&old))
        .count();
    assert_eq!(
        places, 3,
        "rows of the file, values of the column, rows of the group"
    );
    for rows in [76, 78, 100, 1 << 40, -1] {
        let new = Thrift(Vec::new()).integer(rows).0;
        // One place after the other, then all of them.
        for which in 0..3 {
            let lying = with_footer(&bytes, start, &replaced(&footer, &old, &new, which));
            let error = reader(&fields).error(&lying);
            assert!(error.contains("row"), "{error}");
            assert!(reader(&fields).count(&lying).is_err());
        }
        let all = replaced(
            &replaced(&replaced(&footer, &old, &new, 0), &old, &new, 0),
            &old,
            &new,
            0,
        );
        let error = reader(&fields).error(&with_footer(&bytes, start, &all));
        assert!(error.starts_with(PATH), "{rows}: {error}");
    }
}

#[test]
fn chunks_outside_of_the_file_are_refused() {
    let fields = columns("a INT NOT NULL");
    let batches = random_batches(&fields, &[77], 1);
    let given = [
        ("file.compression", "none"),
        ("parquet.enable.dictionary", "false"),
    ];
    let bytes = write(PARQUET, &given, &fields, &batches).unwrap();
    let (start, footer) = footer(&bytes);
    let metadata =
        parquet::file::metadata::ParquetMetaDataReader::decode_metadata(&footer).unwrap();
    let column = metadata.row_group(0).column(0);
    let length = Thrift(Vec::new()).integer(column.compressed_size()).0;
    for wrong in [-1, 1 << 20, i64::MAX] {
        let new = Thrift(Vec::new()).integer(wrong).0;
        for which in 0..(0..footer.len())
            .filter(|at| footer[*at..].starts_with(&length))
            .count()
        {
            let lying = with_footer(&bytes, start, &replaced(&footer, &length, &new, which));
            if let Err(error) = reader(&fields).read(&lying) {
                assert_names_file(&error);
            }
        }
    }
    let offset = [0x26, 0x08];
    let new = Thrift(vec![0x26]).integer(bytes.len() as i64).0;
    let lying = with_footer(&bytes, start, &replaced(&footer, &offset, &new, 0));
    let error = reader(&fields).error(&lying);
    assert!(error.contains("column a is said to lie at"), "{error}");
}

/// The first page of a file without dictionary, its header made anew.
fn with_first_page(bytes: &Bytes, uncompressed: i64) -> Bytes {
    // type = DATA_PAGE, uncompressed size, compressed size.
    let header = super::super::thrift::Thrift::new(&bytes[4..]);
    let mut walk = header;
    let mut sizes = (0, 0);
    walk.fields(|thrift, id, kind| match id {
        2 => {
            sizes.0 = thrift.integer()?;
            Some(())
        }
        3 => {
            sizes.1 = thrift.integer()?;
            Some(())
        }
        _ => thrift.skip(kind),
    })
    .unwrap();
    let old = Thrift(vec![0x15, 0x00, 0x15]).integer(sizes.0).0;
    assert!(bytes[4..].starts_with(&old), "{:?}", &bytes[4..20]);
    let new = Thrift(vec![0x15, 0x00, 0x15]).integer(uncompressed).0;
    [&bytes[..4], &new, &bytes[4 + old.len()..]].concat().into()
}

#[test]
fn pages_that_claim_what_they_do_not_hold_are_refused_before_room_is_made() {
    let fields = columns("a STRING NOT NULL");
    let batches = random_batches(&fields, &[200], 1);
    for codec in ["snappy", "lz4_raw", "lz4", "zstd", "gzip", "brotli"] {
        let given = [
            ("file.compression", codec),
            ("parquet.enable.dictionary", "false"),
        ];
        let bytes = write(PARQUET, &given, &fields, &batches).unwrap();
        assert_eq!(
            reader(&fields).read(&bytes).unwrap(),
            concat(&fields, &batches)
        );
        // Two bytes, as the right number has.
        let error = reader(&fields).error(&with_first_page(&bytes, 8_000));
        assert!(error.starts_with(PATH), "{codec}: {error}");
        let claims = error.contains("a page of column a claims 8000 bytes");
        assert_eq!(
            claims,
            matches!(codec, "snappy" | "zstd"),
            "{codec}: {error}"
        );
        // However long the chunk is said to be.
        let metadata = parquet::file::metadata::ParquetMetaDataReader::new();
        let metadata = metadata.parse_and_finish(&bytes).unwrap();
        let chunk = metadata.row_group(0).column(0);
        let lying = with_first_page(&bytes, i64::from(i32::MAX)).slice(4..);
        let checked = super::super::pages::check(&lying, chunk);
        assert!(
            checked.is_err_and(|message| message.contains("claims 2147483647 bytes")),
            "{codec}"
        );
    }
}

#[test]
fn lists_of_lengths_longer_than_their_page_are_refused() {
    let fields = columns("a STRING NOT NULL");
    let batches = random_batches(&fields, &[200], 1);
    let given = [
        ("file.compression", "none"),
        ("parquet.enable.dictionary", "false"),
        ("parquet.writer.version", "PARQUET_2_0"),
    ];
    let bytes = write(PARQUET, &given, &fields, &batches).unwrap();
    // A block of 128 values in 4 mini blocks, 200 values: 0x80 0x01 0x04 0xc8 0x01.
    let header = [0x80, 0x01, 0x04, 0xc8, 0x01];
    let places: Vec<usize> = (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(&header))
        .collect();
    assert_eq!(places.len(), 2, "prefixes and suffixes");
    for at in places {
        let mut lying = bytes.to_vec();
        // The same bytes read as one huge number.
        lying[at + 3..at + 8].fill(0xff);
        lying[at + 8] = 0x7f;
        let error = reader(&fields).error(&lying.into());
        assert!(error.contains("lengths for 200 values"), "{error}");
    }
}

#[test]
fn dictionaries_larger_than_their_page_are_refused() {
    let fields = columns("a BIGINT NOT NULL");
    let batches = random_batches(&fields, &[200], 1);
    let bytes = write(PARQUET, &[("file.compression", "none")], &fields, &batches).unwrap();
    let mut walk = super::super::thrift::Thrift::new(&bytes[4..]);
    let mut entries = 0;
    walk.fields(|thrift, id, kind| match id {
        7 => thrift.fields(|thrift, id, kind| match id {
            1 => {
                entries = thrift.integer()?;
                Some(())
            }
            _ => thrift.skip(kind),
        }),
        _ => thrift.skip(kind),
    })
    .unwrap();
    let old = Thrift(vec![0x4c, 0x15]).integer(entries).0;
    let new = Thrift(vec![0x4c, 0x15]).integer(i64::from(i32::MAX)).0;
    let header = replaced(&bytes[4..40], &old, &new, 0);
    let lying: Bytes = [&bytes[..4], &header, &bytes[40..]].concat().into();
    let error = reader(&fields).error(&lying);
    assert!(error.contains("dictionary entries"), "{error}");
}
