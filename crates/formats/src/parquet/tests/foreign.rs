//! Files as other writers lay them out: INT96, old shapes of lists and maps, bare integers, odd columns.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::data_type::Int96;

use super::{Leaf, foreign_file, foreign_file_with, reader};
use crate::testing::{PATH, columns};

/// An INT96 of nanoseconds and days since 1970.
fn int96(nanos: i64, days: i32) -> Int96 {
    let mut value = Int96::new();
    value.set_data(
        nanos as u32,
        (nanos >> 32) as u32,
        (days + 2_440_588) as u32,
    );
    value
}

fn read(bytes: &Bytes, declared: &str) -> RecordBatch {
    reader(&columns(declared)).read(bytes).unwrap()
}

fn error(bytes: &Bytes, declared: &str) -> String {
    reader(&columns(declared)).error(bytes)
}

/// The rows of a column as text.
fn texts(batch: &RecordBatch, column: usize) -> Vec<String> {
    let options = FormatOptions::new().with_null("null");
    let formatter = ArrayFormatter::try_new(batch.column(column), &options).unwrap();
    (0..batch.num_rows())
        .map(|row| formatter.value(row).to_string())
        .collect()
}

#[test]
fn int96_is_exact_in_every_year() {
    let values = || {
        vec![
            // 9999-12-31T23:59:59.999999999, 0001-01-01, and one nanosecond before 1970 as Java writes it.
            int96(86_399_999_999_999, 2_932_896),
            int96(0, -719_162),
            int96(-1, 0),
            int96(1_000, 0),
        ]
    };
    let schema = "message m { optional int96 t; required int32 id; }";
    let ids = || Leaf::Int32(vec![1, 2, 3, 4, 5], &[], &[]);
    for codec in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let leaves = [Leaf::Int96(values(), &[1, 1, 1, 0, 1], &[]), ids()];
        let bytes = foreign_file_with(schema, codec, &leaves);
        for declared in ["TIMESTAMP(6)", "TIMESTAMP(4) WITH LOCAL TIME ZONE"] {
            let batch = read(&bytes, &format!("id INT, t {declared}"));
            let column = batch.column(1).as_primitive::<TimestampMicrosecondType>();
            let expected = [
                Some(253_402_300_799_999_999),
                Some(-62_135_596_800_000_000),
                Some(-1),
                None,
                Some(1),
            ];
            assert_eq!(column.iter().collect::<Vec<_>>(), expected);
        }
        assert_eq!(
            error(&bytes, "t TIMESTAMP(9)"),
            format!(
                "{PATH}: column t: file type INT96 cannot be read as TIMESTAMP(9): \
                 row 0 value 9999-12-31T23:59:59.999999 and 999 ns"
            )
        );
        assert!(error(&bytes, "t TIMESTAMP(3)").contains("row 0 value 9999"));
        assert!(error(&bytes, "t BIGINT").ends_with("file type INT96 cannot be read as BIGINT"));
        assert!(error(&bytes, "t BYTES").ends_with("file type INT96 cannot be read as BYTES"));
        // Not asked for, it is no concern.
        assert_eq!(read(&bytes, "id INT").num_rows(), 5);
    }
    let near = || {
        vec![
            int96(-1, 0),
            int96(86_399_999_999_999, -1),
            int96(1, 19_723),
        ]
    };
    let bytes = foreign_file(
        "message m { required int96 t; }",
        &[Leaf::Int96(near(), &[], &[])],
    );
    let batch = read(&bytes, "t TIMESTAMP(9)");
    let column = batch.column(0).as_primitive::<TimestampNanosecondType>();
    assert_eq!(column.values(), &[-1, -1, 1_704_067_200_000_000_001]);
}

#[test]
fn int96_inside_of_lists_maps_and_rows_is_exact_too() {
    let schema = "message m {
        optional group l (LIST) { repeated group list { optional int96 element; } }
        optional group r { optional int96 t; }
        optional group m (MAP) { repeated group key_value { required binary key (UTF8); optional int96 value; } }
        optional fixed_len_byte_array(12) f;
    }";
    let value = || vec![int96(-1, 0), int96(0, 2_932_896)];
    let keys: Vec<&[u8]> = vec![b"a", b"b"];
    let fixed = parquet::data_type::ByteArray::from(vec![7_u8; 12]);
    let mut leaves = vec![
        // [[-1 ns, 9999], [null], null]
        Leaf::Int96(value(), &[3, 3, 2, 0], &[0, 1, 0, 0]),
        Leaf::Int96(value(), &[2, 2, 1], &[]),
        Leaf::Bytes(keys, &[2, 2, 0], &[0, 0, 0]),
        Leaf::Int96(vec![int96(-1, 0)], &[3, 2, 0], &[0, 0, 0]),
    ];
    leaves.push(Leaf::Bytes(Vec::new(), &[0, 0, 0], &[]));
    drop(fixed);
    // The last column is fixed bytes without a value: written as such below.
    let leaves = &leaves[..4];
    let schema = schema.replace("optional fixed_len_byte_array(12) f;", "");
    let bytes = foreign_file(&schema, leaves);
    let batch = read(
        &bytes,
        "l ARRAY<TIMESTAMP(6)>, r ROW<t TIMESTAMP(6)>, m MAP<STRING, TIMESTAMP(6)>",
    );
    assert_eq!(
        texts(&batch, 0),
        [
            "[1969-12-31T23:59:59.999999, 9999-12-31T00:00:00]",
            "[null]",
            "null"
        ]
    );
    assert_eq!(
        texts(&batch, 1),
        [
            "{t: 1969-12-31T23:59:59.999999}",
            "{t: 9999-12-31T00:00:00}",
            "{t: null}"
        ]
    );
    assert_eq!(
        texts(&batch, 2),
        ["{a: 1969-12-31T23:59:59.999999}", "{b: null}", "null"]
    );
    assert!(error(&bytes, "l ARRAY<TIMESTAMP(9)>").contains(
        "column l.element: file type INT96 cannot be read as TIMESTAMP(9): row 0 value 9999-12-31"
    ),);
    assert!(error(&bytes, "r ROW<t TIMESTAMP(9)>").contains("column r.t:"));
}

#[test]
fn timestamps_of_other_units_are_exact_or_refused() {
    let schema = "message m {
        required int64 ms (TIMESTAMP(MILLIS,true)); required int64 us (TIMESTAMP(MICROS,false));
        required int64 ns (TIMESTAMP(NANOS,true)); required int64 old (TIMESTAMP_MILLIS); required int64 bare;
    }";
    let one = |value| Leaf::Int64(vec![value, -value], &[], &[]);
    let bytes = foreign_file(
        schema,
        &[one(1), one(1_000), one(1_000_000), one(1), one(1)],
    );
    let batch = read(
        &bytes,
        "ms TIMESTAMP(6), us TIMESTAMP(3), ns TIMESTAMP(6) WITH LOCAL TIME ZONE, old TIMESTAMP(9)",
    );
    assert_eq!(
        batch
            .column(0)
            .as_primitive::<TimestampMicrosecondType>()
            .values(),
        &[1_000, -1_000]
    );
    assert_eq!(
        batch
            .column(1)
            .as_primitive::<TimestampMillisecondType>()
            .values(),
        &[1, -1]
    );
    assert_eq!(
        batch
            .column(2)
            .as_primitive::<TimestampMicrosecondType>()
            .values(),
        &[1_000, -1_000]
    );
    assert_eq!(
        batch
            .column(3)
            .as_primitive::<TimestampNanosecondType>()
            .values(),
        &[1_000_000, -1_000_000]
    );
    // Without a unit nothing is guessed.
    assert_eq!(
        error(&bytes, "bare TIMESTAMP(3)"),
        format!("{PATH}: column bare: file type INT64 cannot be read as TIMESTAMP(3)")
    );
    let bytes = foreign_file(
        "message m { required int64 us (TIMESTAMP(MICROS,true)); }",
        &[Leaf::Int64(vec![1_000, 1_001], &[], &[])],
    );
    assert_eq!(
        error(&bytes, "us TIMESTAMP(3)"),
        format!(
            "{PATH}: column us: file type INT64 TIMESTAMP(MICROS, UTC) cannot be read as TIMESTAMP(3): row 1 value 1970-01-01T00:00:00.001001Z"
        )
    );
    let bytes = foreign_file(
        "message m { required int64 ms (TIMESTAMP_MILLIS); }",
        &[Leaf::Int64(vec![0, i64::MAX], &[], &[])],
    );
    assert!(
        error(&bytes, "ms TIMESTAMP(6)")
            .contains("INT64 TIMESTAMP_MILLIS cannot be read as TIMESTAMP(6): row 1")
    );
}

#[test]
fn integers_without_annotation_may_be_small_ones() {
    let schema = "message m { required int32 bare; required int32 wide (INTEGER(32,true)); required int32 byte (INTEGER(8,true)); }";
    let values = |last| Leaf::Int32(vec![-128, last], &[], &[]);
    let bytes = foreign_file(schema, &[values(127), values(127), values(127)]);
    let batch = read(&bytes, "bare TINYINT, byte TINYINT");
    assert_eq!(
        batch.column(0).as_primitive::<Int8Type>().values(),
        &[-128, 127]
    );
    assert_eq!(
        error(&bytes, "wide TINYINT"),
        format!("{PATH}: column wide: file type INT32 INT_32 cannot be read as TINYINT")
    );
    assert_eq!(
        error(&bytes, "bare TIME(3)"),
        format!("{PATH}: column bare: file type INT32 cannot be read as TIME(3)")
    );
    let bytes = foreign_file(schema, &[values(300), values(0), values(0)]);
    assert_eq!(
        error(&bytes, "bare TINYINT"),
        format!("{PATH}: column bare: file type INT32 cannot be read as TINYINT: row 1 value 300")
    );
}

#[test]
fn old_shapes_of_lists_are_lists() {
    let def: &[i16] = &[2, 2, 1, 0];
    let rep: &[i16] = &[0, 1, 0, 0];
    let values = || vec![1, 2];
    let expected = ["[1, 2]", "[]", "null"];
    for schema in [
        // The repeated field is the element.
        "message m { optional group l (LIST) { repeated int32 element; } }",
        // The same without annotation, as Java reads it.
        "message m { optional group l { repeated int32 x; } }",
    ] {
        let bytes = foreign_file(schema, &[Leaf::Int32(values(), def, rep)]);
        assert_eq!(
            texts(&read(&bytes, "l ARRAY<INT>"), 0),
            expected,
            "{schema}"
        );
        assert_eq!(
            texts(&read(&bytes, "l ARRAY<BIGINT NOT NULL>"), 0),
            expected,
            "{schema}"
        );
    }
    for schema in [
        "message m { optional group l (LIST) { repeated group bag { required int32 array_element; } } }",
        "message m { optional group l (LIST) { repeated group list { required int32 element; } } }",
        "message m { optional group l { repeated group bag { required int32 array_element; } } }",
        "message m { optional group l { repeated group anything { required int32 goes; } } }",
    ] {
        let bytes = foreign_file(schema, &[Leaf::Int32(values(), def, rep)]);
        assert_eq!(
            texts(&read(&bytes, "l ARRAY<INT>"), 0),
            expected,
            "{schema}"
        );
    }
    // A group that is the element: by its name, or for its two fields.
    let bytes = foreign_file(
        "message m { optional group l (LIST) { repeated group array { required int32 x; } } }",
        &[Leaf::Int32(values(), def, rep)],
    );
    assert_eq!(
        texts(&read(&bytes, "l ARRAY<ROW<x INT>>"), 0),
        ["[{x: 1}, {x: 2}]", "[]", "null"]
    );
    let bytes = foreign_file(
        "message m { optional group l (LIST) { repeated group e { required int32 x; required int32 y; } } }",
        &[
            Leaf::Int32(values(), def, rep),
            Leaf::Int32(vec![3, 4], def, rep),
        ],
    );
    assert_eq!(
        texts(&read(&bytes, "l ARRAY<ROW<y INT, x INT>>"), 0),
        ["[{y: 3, x: 1}, {y: 4, x: 2}]", "[]", "null"]
    );
    // A repeated field on its own.
    let bytes = foreign_file(
        "message m { repeated int32 l; }",
        &[Leaf::Int32(values(), &[1, 1, 0], &[0, 1, 0])],
    );
    assert_eq!(texts(&read(&bytes, "l ARRAY<INT>"), 0), ["[1, 2]", "[]"]);
}

#[test]
fn old_shapes_of_maps_are_maps() {
    let (def, rep): (&[i16], &[i16]) = (&[2, 2, 1, 0], &[0, 1, 0, 0]);
    let leaves = || {
        let keys: Vec<&[u8]> = vec![b"a", b"b"];
        [
            Leaf::Bytes(keys, def, rep),
            Leaf::Int32(vec![1], &[3, 2, 1, 0], rep),
        ]
    };
    let fields = "{ required binary key (UTF8); optional int32 value; }";
    for schema in [
        format!("message m {{ optional group p (MAP) {{ repeated group key_value {fields} }} }}"),
        format!(
            "message m {{ optional group p (MAP) {{ repeated group map (MAP_KEY_VALUE) {fields} }} }}"
        ),
        format!(
            "message m {{ optional group p (MAP_KEY_VALUE) {{ repeated group map {fields} }} }}"
        ),
        format!("message m {{ optional group p {{ repeated group entries {fields} }} }}"),
    ] {
        let bytes = foreign_file(&schema, &leaves());
        let batch = read(&bytes, "p MAP<STRING, BIGINT>");
        assert_eq!(
            texts(&batch, 0),
            ["{a: 1, b: null}", "{}", "null"],
            "{schema}"
        );
    }
    let schema = "message m { optional group p { repeated group e { required binary k (UTF8); optional int32 v; } } }";
    let bytes = foreign_file(schema, &leaves());
    assert_eq!(
        error(&bytes, "p MAP<STRING, INT>"),
        format!("{PATH}: column p: file type group cannot be read as MAP<STRING, INT>")
    );
    assert_eq!(
        texts(&read(&bytes, "p ROW<e ARRAY<ROW<v INT>>>"), 0)[0],
        "{e: [{v: 1}, {v: null}]}"
    );
}

#[test]
fn shapes_without_annotation_are_found_inside_of_others() {
    let schema = "message m { optional group r { optional group l { repeated group bag { required int32 e; } } } }";
    let bytes = foreign_file(
        schema,
        &[Leaf::Int32(vec![1, 2], &[3, 3, 2, 1, 0], &[0, 1, 0, 0, 0])],
    );
    let batch = read(&bytes, "r ROW<l ARRAY<INT>>");
    assert_eq!(
        texts(&batch, 0),
        ["{l: [1, 2]}", "{l: []}", "{l: null}", "null"]
    );
    let schema = "message m { optional group a (LIST) { repeated group list { optional group element { repeated int32 e; } } } }";
    let bytes = foreign_file(
        schema,
        &[Leaf::Int32(vec![1, 2], &[4, 4, 2, 0], &[0, 2, 1, 0])],
    );
    assert_eq!(
        texts(&read(&bytes, "a ARRAY<ARRAY<INT>>"), 0),
        ["[[1, 2], null]", "null"]
    );
}

#[test]
fn columns_that_are_not_asked_for_may_be_as_odd_as_they_like() {
    // Arrow knows no TIME of 64 bits in milliseconds, nor a map of lists this shape.
    let schema = "message m {
        required fixed_len_byte_array(12) interval (INTERVAL);
        optional group weird (MAP) { repeated group key_value { required int32 a; required int32 b; required int32 c; } }
        required int32 id;
    }";
    let schema = schema.replace("required fixed_len_byte_array(12) interval (INTERVAL);", "");
    let three = || Leaf::Int32(vec![1], &[2, 0], &[0, 0]);
    let bytes = foreign_file(
        &schema,
        &[three(), three(), three(), Leaf::Int32(vec![7, 8], &[], &[])],
    );
    assert_eq!(texts(&read(&bytes, "id INT, new STRING"), 0), ["7", "8"]);
    assert!(
        error(&bytes, "weird MAP<INT, INT>")
            .starts_with(&format!("{PATH}: not a readable parquet file"))
    );
}

#[test]
fn unsigned_integers_are_read_as_the_next_wider_type() {
    let schema = "message m { required int32 u8 (INTEGER(8,false)); required int32 u16 (UINT_16); required int32 u32 (INTEGER(32,false)); required int64 u64 (UINT_64); }";
    let bytes = foreign_file(
        schema,
        &[
            Leaf::Int32(vec![255], &[], &[]),
            Leaf::Int32(vec![65_535], &[], &[]),
            Leaf::Int32(vec![-1], &[], &[]),
            Leaf::Int64(vec![-1], &[], &[]),
        ],
    );
    let batch = read(
        &bytes,
        "u8 SMALLINT, u16 INT, u32 BIGINT, u64 DECIMAL(20, 0)",
    );
    let all: Vec<_> = (0..4)
        .map(|column| texts(&batch, column).remove(0))
        .collect();
    assert_eq!(all, ["255", "65535", "4294967295", "18446744073709551615"]);
    for (declared, name) in [
        ("u8 TINYINT", "INT32 UINT_8"),
        ("u16 SMALLINT", "INT32 UINT_16"),
        ("u32 INT", "INT32 UINT_32"),
        ("u64 BIGINT", "INT64 UINT_64"),
    ] {
        assert!(
            error(&bytes, declared).contains(&format!("file type {name} cannot be read as")),
            "{declared}"
        );
    }
}

#[test]
fn texts_by_any_annotation() {
    let schema = "message m { required binary utf8 (UTF8); required binary string (STRING); required binary json (JSON); required binary enum (ENUM); required binary bare; }";
    let leaf = |value| Leaf::Bytes(vec![value], &[], &[]);
    let bytes = foreign_file(
        schema,
        &[
            leaf(b"a"),
            leaf(b"b"),
            leaf(b"{}"),
            leaf(b"E"),
            leaf(b"\xc3\xa9"),
        ],
    );
    let batch = read(
        &bytes,
        "utf8 STRING, string VARCHAR(1), json STRING, enum CHAR(1), bare STRING",
    );
    let all: Vec<_> = (0..5)
        .map(|column| texts(&batch, column).remove(0))
        .collect();
    assert_eq!(all, ["a", "b", "{}", "E", "é"]);
    assert_eq!(read(&bytes, "utf8 BYTES, bare BINARY(2)").num_rows(), 1);
    let bytes = foreign_file("message m { required binary bare; }", &[leaf(b"\xff")]);
    assert_eq!(
        error(&bytes, "bare STRING"),
        format!(
            "{PATH}: column bare: file type BYTE_ARRAY cannot be read as STRING: row 0 value ff"
        )
    );
    let bytes = foreign_file(
        "message m { required binary s (STRING); }",
        &[leaf(b"\xff")],
    );
    assert!(error(&bytes, "s STRING").contains("not a readable parquet file"));
}

#[test]
fn a_null_in_a_not_null_column_is_refused_with_its_row() {
    let leaf = Leaf::Int32(vec![1, 2], &[1, 1, 0], &[]);
    let bytes = foreign_file("message m { optional int32 a; }", &[leaf]);
    assert_eq!(
        reader(&columns("a INT NOT NULL"))
            .batch_size(1)
            .error(&bytes),
        format!("{PATH}: column a is NOT NULL in the table but null (row 2)")
    );
    assert_eq!(
        error(&bytes, "b INT NOT NULL"),
        format!("{PATH}: column b is NOT NULL in the table but missing in the file")
    );
}

#[test]
fn duplicate_names_are_refused_where_asked_for() {
    let leaf = || Leaf::Int32(vec![1], &[], &[]);
    let bytes = foreign_file(
        "message m { required int32 a; required int32 b; required int32 a; }",
        &[leaf(), leaf(), leaf()],
    );
    assert!(error(&bytes, "a INT").contains("several columns named a"));
    assert_eq!(read(&bytes, "b INT").num_rows(), 1);
}

#[test]
fn files_of_only_nulls_are_read_as_anything() {
    let bytes = foreign_file(
        "message m { optional int32 n (UNKNOWN); }",
        &[Leaf::Int32(Vec::new(), &[0, 0], &[])],
    );
    let batch = read(&bytes, "n MAP<STRING, INT>");
    assert_eq!((batch.num_rows(), batch.column(0).null_count()), (2, 2));
}
