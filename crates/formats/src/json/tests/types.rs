//! Types that JSON files do not hold.

use super::*;
use crate::format::FileFormat;
use crate::json::JsonFormat;

/// The refusal of a column of this type, which is the same for creating, reading and writing.
fn refusal(declared: &str) -> String {
    let fields = columns(&format!("ok INT, c {declared}"));
    let created = JsonFormat.check_write_schema(&fields).unwrap_err();
    let read = JsonDecoder::new(&fields, false, Arc::default())
        .err()
        .unwrap();
    let request = WriteRequest {
        fields: Arc::clone(&fields),
        options: options(FileFormatKind::Json, &[]),
    };
    let written = JsonRenderer::new(&request).err().unwrap();
    assert_eq!(created.to_string(), read.to_string());
    assert_eq!(created.to_string(), written.to_string());
    assert_eq!(created.kind(), ftable_core::ErrorKind::Unsupported);
    created.to_string()
}

#[test]
fn columns_without_a_form_in_json_are_refused_by_their_path() {
    let keys = "keys of a MAP are the names of members, so they must be strings, numbers, booleans, dates or times";
    let none = "the type has no form in JSON; use parquet or orc";
    let cases = [
        (
            "MULTISET<STRING>",
            "c of type MULTISET<STRING>",
            "use MAP<STRING, INT> instead",
        ),
        (
            "ARRAY<MULTISET<INT>>",
            "c.element of type MULTISET<INT>",
            "use MAP<INT, INT> instead",
        ),
        ("MAP<BYTES, INT>", "c.key of type BYTES NOT NULL", keys),
        (
            "ROW<x MAP<BINARY(2), INT>>",
            "c.x.key of type BINARY(2) NOT NULL",
            keys,
        ),
        (
            "MAP<ARRAY<INT>, INT>",
            "c.key of type ARRAY<INT> NOT NULL",
            keys,
        ),
        (
            "MAP<ROW<x INT>, INT>",
            "c.key of type ROW<x INT> NOT NULL",
            keys,
        ),
        (
            "MAP<INT, ROW<v VARIANT>>",
            "c.value.v of type VARIANT",
            none,
        ),
        ("VECTOR<FLOAT, 3>", "c of type VECTOR<FLOAT, 3>", none),
        ("VARIANT", "c of type VARIANT", none),
        ("BLOB", "c of type BLOB", none),
    ];
    for (declared, what, reason) in cases {
        let expected = format!("json: column {what} is not supported: {reason}");
        assert_eq!(
            refusal(declared).replace(" NOT NULL", ""),
            expected.replace(" NOT NULL", "")
        );
    }
}

#[test]
fn every_other_type_is_taken() {
    let fields = columns(
        "a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(38, 10), i CHAR(3), \
         j VARCHAR(3), k STRING, l BINARY(3), m VARBINARY(3), n BYTES, o DATE, p TIME(3), q TIMESTAMP(9), \
         r TIMESTAMP(3) WITH LOCAL TIME ZONE, s ARRAY<ARRAY<BYTES>>, t MAP<DATE, MAP<STRING, BYTES>>, \
         u ROW<x ROW<y INT>>, v MAP<BOOLEAN, INT>, w MAP<DOUBLE, INT>, x MAP<TIME(3), INT>, y MAP<DECIMAL(3, 1), INT>",
    );
    JsonFormat.check_write_schema(&fields).unwrap();
    assert_eq!(Decoding::new(&fields, false).rows().num_columns(), 25);
}
