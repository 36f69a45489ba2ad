//! The columns of a file by its own schema.

use ftable_core::types::parse_columns;

use super::*;
use crate::convert::MergedFields;
use crate::format::file_format;
use crate::testing::{file, run};

/// What a file of a schema in Parquet's own words, without rows, proposes: the columns as text.
fn proposed(schema: &str, keys: &[&str]) -> Result<Vec<String>, String> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let bytes = Bytes::from(writer.into_inner().unwrap());
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let merge = async {
        let mut merged = MergedFields::new(&keys);
        let format = file_format(PARQUET);
        merged.add(&format.file_fields(file(bytes)).await?)?;
        merged.finish()
    };
    let columns = run(merge).map_err(|error| error.to_string())?;
    let text = |(name, data_type): &(String, Option<ftable_core::DataType>)| match data_type {
        Some(data_type) => format!("{name} {data_type}"),
        None => name.clone(),
    };
    Ok(columns.iter().map(text).collect())
}

#[test]
fn every_type_of_a_file_proposes_its_own() {
    let schema = "message m {
        required boolean a;
        optional int32 b (INTEGER(8, true));
        optional int32 c (INTEGER(16, true));
        required int32 d;
        optional int64 e;
        optional int32 f (INTEGER(8, false));
        optional int32 g (INTEGER(16, false));
        optional int32 h (INTEGER(32, false));
        optional int64 i (INTEGER(64, false));
        optional float j;
        optional double k;
        optional int32 l (DECIMAL(9, 2));
        optional fixed_len_byte_array(16) m (DECIMAL(38, 10));
        optional binary n (STRING);
        optional binary o (ENUM);
        optional binary p;
        optional fixed_len_byte_array(7) q;
        optional fixed_len_byte_array(16) r (UUID);
        optional int32 s (DATE);
        optional int32 t (TIME(MILLIS, true));
        optional int64 u (TIME(NANOS, false));
        optional int64 v (TIMESTAMP(MILLIS, false));
        optional int64 w (TIMESTAMP(MICROS, true));
        optional int64 x (TIMESTAMP(NANOS, false));
        optional int96 y;
        optional group z (LIST) { repeated group list { optional group element { required int32 b; } } }
        required group aa (MAP) { repeated group key_value { required binary key (STRING); optional int96 value; } }
        repeated int32 bb;
    }";
    let expected = "a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f SMALLINT, g INT, h BIGINT, i DECIMAL(20, 0), \
        j FLOAT, k DOUBLE, l DECIMAL(9, 2), m DECIMAL(38, 10), n STRING, o STRING, p BYTES, q BINARY(7), r BINARY(16), \
        s DATE, t TIME(3), u TIME(9), v TIMESTAMP(3), w TIMESTAMP(6) WITH LOCAL TIME ZONE, x TIMESTAMP(9), \
        y TIMESTAMP(9), z ARRAY<ROW<b INT>>, aa MAP<STRING, TIMESTAMP(9)>, bb ARRAY<INT>";
    let expected = parse_columns(expected).unwrap();
    let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
    assert_eq!(proposed(schema, &[]).unwrap(), expected);
}

#[test]
fn what_no_table_has_is_named() {
    let interval = "message m {
        optional int32 id;
        optional group z { optional fixed_len_byte_array(12) gap (INTERVAL); }
    }";
    assert_eq!(
        proposed(interval, &[]).unwrap_err(),
        "/t/data-1: column z.gap: file type FIXED_LEN_BYTE_ARRAY(12) INTERVAL is no type of a table; give a schema \
         that leaves the column out"
    );
    // A map without keys has no Arrow type at all, and spoils the schema as a whole.
    let map = "message m {
        optional int96 at;
        optional group odd (MAP) { repeated int32 key; }
        optional int32 id;
    }";
    assert_eq!(
        proposed(map, &[]).unwrap_err(),
        "/t/data-1: column odd: file type group is no type of a table; give a schema that leaves the column out"
    );
    // It does no harm where its values are not read.
    assert_eq!(
        proposed(map, &["odd"]).unwrap(),
        ["at TIMESTAMP(9)", "odd", "id INT"]
    );
}
