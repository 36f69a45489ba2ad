//! The table of docs/types.md, held against the read path row by row.

use std::collections::BTreeSet;
use std::path::Path;

use bytes::Bytes;
use ftable_core::{DataType, FileFormatKind, TypeKind};

use crate::common::{ORC, PARQUET, load, refusal};
use crate::made;

const MAX_LENGTH: u32 = ftable_core::types::MAX_LENGTH;

/// Declared types, with parameters on both sides of every limit.
const DECLARED: &[&str] = &[
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(4, 2)",
    "DECIMAL(5, 2)",
    "DECIMAL(5, 3)",
    "DECIMAL(3, 0)",
    "DECIMAL(4, 0)",
    "DECIMAL(7, 2)",
    "DECIMAL(9, 4)",
    "DECIMAL(9, 0)",
    "DECIMAL(11, 2)",
    "DECIMAL(12, 2)",
    "DECIMAL(18, 0)",
    "DECIMAL(21, 2)",
    "DECIMAL(22, 2)",
    "DECIMAL(38, 0)",
    "DECIMAL(38, 10)",
    "DECIMAL(38, 11)",
    "CHAR(3)",
    "VARCHAR(3)",
    "STRING",
    "BINARY(4)",
    "BINARY(5)",
    "BINARY(16)",
    "VARBINARY(3)",
    "VARBINARY(4)",
    "VARBINARY(16)",
    "BYTES",
    "DATE",
    "TIME(0)",
    "TIME(3)",
    "TIMESTAMP(0)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP(9)",
    "TIMESTAMP(3) WITH LOCAL TIME ZONE",
    "TIMESTAMP(9) WITH LOCAL TIME ZONE",
    "ARRAY<INT>",
    "MAP<STRING, INT>",
    "MULTISET<STRING>",
    "ROW<a INT>",
    "INT NOT NULL",
];

/// A column with a file type of the table: the type as the table names it, file, column, and the numbers in its type.
type Column = (&'static str, &'static str, &'static str, [u32; 2]);

const PARQUET_COLUMNS: &[Column] = &[
    ("BOOLEAN", "types", "bool", [0, 0]),
    ("INT32 INT_8", "types", "int8", [0, 0]),
    ("INT32 INT_16", "types", "int16", [0, 0]),
    ("INT32 INT_32", "made", "int32_annotated", [0, 0]),
    ("INT32", "types", "int32", [0, 0]),
    ("INT64", "types", "int64", [0, 0]),
    ("INT64 INT_64", "made", "int64_annotated", [0, 0]),
    ("INT32 UINT_8", "types", "uint8", [0, 0]),
    ("INT32 UINT_16", "types", "uint16", [0, 0]),
    ("INT32 UINT_32", "types", "uint32", [0, 0]),
    ("INT64 UINT_64", "types", "uint64", [0, 0]),
    ("FIXED_LEN_BYTE_ARRAY(2) FLOAT16", "types", "half", [0, 0]),
    ("FLOAT", "types", "float", [0, 0]),
    ("DOUBLE", "types", "double", [0, 0]),
    ("INT32 DECIMAL(p, s)", "types", "dec_5_2", [5, 2]),
    ("INT64 DECIMAL(p, s)", "types", "dec_12_2", [12, 2]),
    (
        "FIXED_LEN_BYTE_ARRAY(n) DECIMAL(p, s)",
        "types",
        "dec_30_2",
        [30, 2],
    ),
    ("BYTE_ARRAY DECIMAL(p, s)", "made", "dec_5_2_bytes", [5, 2]),
    ("INT32 DATE", "types", "date", [0, 0]),
    ("INT32 TIME(MILLIS)", "types", "time_ms", [0, 0]),
    ("INT64 TIME(MICROS)", "types", "time_us", [0, 0]),
    ("INT64 TIME(NANOS)", "types", "time_ns", [0, 0]),
    ("INT64 TIMESTAMP(MILLIS)", "types", "ts_ms", [0, 0]),
    ("INT64 TIMESTAMP(MICROS)", "types", "ts_us", [0, 0]),
    ("INT64 TIMESTAMP(NANOS)", "types", "ts_ns", [0, 0]),
    ("INT64 TIMESTAMP(MICROS, UTC)", "types", "ts_us_utc", [0, 0]),
    ("INT96", "made", "int96_negative", [0, 0]),
    ("BYTE_ARRAY STRING", "types", "string", [0, 0]),
    ("BYTE_ARRAY ENUM", "made", "enum", [0, 0]),
    ("BYTE_ARRAY JSON", "types", "json", [0, 0]),
    ("BYTE_ARRAY", "types", "binary", [0, 0]),
    ("FIXED_LEN_BYTE_ARRAY(n)", "types", "fixed4", [4, 0]),
    ("FIXED_LEN_BYTE_ARRAY(16) UUID", "types", "uuid", [16, 0]),
    ("LIST", "types", "list_int8", [0, 0]),
    ("MAP", "types", "map_int16", [0, 0]),
    ("group", "types", "struct", [0, 0]),
    ("INT32 UNKNOWN", "types", "null", [0, 0]),
    ("BYTE_ARRAY BSON", "made", "bson", [0, 0]),
    (
        "FIXED_LEN_BYTE_ARRAY(12) INTERVAL",
        "made",
        "interval",
        [0, 0],
    ),
];

const ORC_COLUMNS: &[Column] = &[
    ("BOOLEAN", "types", "bool", [0, 0]),
    ("BYTE", "types", "int8", [0, 0]),
    ("SHORT", "types", "int16", [0, 0]),
    ("INT", "types", "int32", [0, 0]),
    ("LONG", "types", "int64", [0, 0]),
    ("FLOAT", "types", "float", [0, 0]),
    ("DOUBLE", "types", "double", [0, 0]),
    ("DECIMAL(p, s)", "types", "dec_5_2", [5, 2]),
    ("DATE", "types", "date", [0, 0]),
    ("TIMESTAMP", "types", "ts", [0, 0]),
    ("TIMESTAMP_INSTANT", "types", "instant", [0, 0]),
    ("STRING", "types", "string", [0, 0]),
    ("VARCHAR(n)", "hive", "varchar5", [0, 0]),
    ("CHAR(n)", "hive", "char5", [0, 0]),
    ("BINARY", "types", "binary", [0, 0]),
    ("LIST", "types", "list_int8", [0, 0]),
    ("MAP", "types", "map_int16", [0, 0]),
    ("STRUCT", "types", "struct", [0, 0]),
    ("UNION", "hive", "union", [0, 0]),
];

fn bytes_of(kind: FileFormatKind, file: &str) -> Bytes {
    match file {
        "made" => made::file(),
        name => load(&format!("{name}.{}", kind.name())),
    }
}

/// Whether a cell of the table names a declared type, for a file type with these numbers.
fn names(cell: &str, declared: &DataType, [first, second]: [u32; 2]) -> bool {
    cell.split(", ")
        .filter(|term| !term.is_empty())
        .any(|term| is_meant(term, declared, first, second))
}

fn is_meant(term: &str, declared: &DataType, first: u32, second: u32) -> bool {
    use TypeKind as T;
    let kind = declared.kind();
    if let (Some(digits), T::Decimal { precision, scale }) = (
        term.strip_prefix("DECIMAL of ")
            .and_then(|rest| rest.strip_suffix(" integer digits")),
        kind,
    ) {
        return precision - scale >= digits.parse().unwrap();
    }
    match (term, kind) {
        ("DECIMAL of as many digits on both sides", T::Decimal { precision, scale }) => {
            let (precision, scale) = (u32::from(*precision), u32::from(*scale));
            scale >= second && precision - scale >= first - second
        }
        ("DECIMAL of the same scale", T::Decimal { scale, .. }) => u32::from(*scale) == second,
        ("BINARY of the same length", T::Binary { length }) => *length == first,
        ("VARBINARY as long or longer", T::VarBinary { length }) => {
            *length >= first && *length < MAX_LENGTH
        }
        ("every nullable type", _) => declared.is_nullable(),
        ("STRING", T::VarChar { length }) | ("BYTES", T::VarBinary { length }) => {
            *length == MAX_LENGTH
        }
        ("VARCHAR", T::VarChar { length }) | ("VARBINARY", T::VarBinary { length }) => {
            *length < MAX_LENGTH
        }
        ("TIME", T::Time { .. })
        | ("TIMESTAMP", T::Timestamp { .. })
        | ("local-zone TIMESTAMP", T::TimestampLtz { .. })
        | ("CHAR", T::Char { .. })
        | ("BINARY", T::Binary { .. })
        | ("ARRAY", T::Array { .. })
        | ("MAP", T::Map { .. })
        | ("MULTISET", T::Multiset { .. })
        | ("ROW", T::Row { .. }) => true,
        (term, kind) => kind.to_string() == term,
    }
}

/// The rows of the table: cells of Parquet, ORC, always and by value.
fn rows() -> Vec<[String; 4]> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/types.md");
    let text = std::fs::read_to_string(path).unwrap();
    let cells = |line: &str| -> Option<[String; 4]> {
        let cells: Vec<String> = line
            .strip_prefix('|')?
            .strip_suffix('|')?
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect();
        cells.try_into().ok()
    };
    text.lines().filter_map(cells).skip(2).collect()
}

#[test]
fn the_documented_table_is_what_is_read() {
    let rows = rows();
    assert!(rows.len() > 20, "{} rows", rows.len());
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for [parquet, orc, always, by_value] in &rows {
        for (kind, cell, columns) in [(PARQUET, parquet, PARQUET_COLUMNS), (ORC, orc, ORC_COLUMNS)]
        {
            for name in cell.split('`').skip(1).step_by(2) {
                let column = columns.iter().find(|(known, ..)| *known == name);
                let (_, file, column, numbers) =
                    column.unwrap_or_else(|| panic!("no column has the type {name}"));
                assert!(seen.insert((kind.name(), name)), "{name} is there twice");
                let bytes = bytes_of(kind, file);
                for declared in DECLARED {
                    let data_type: DataType = declared.parse().unwrap();
                    let documented = [always, by_value]
                        .iter()
                        .any(|cell| names(cell, &data_type, *numbers));
                    // NOT NULL is a matter of values; only a column of nothing but nulls is refused for it.
                    let nullable = data_type.clone().with_nullable(true);
                    let documented = documented
                        || name != "INT32 UNKNOWN"
                            && [always, by_value]
                                .iter()
                                .any(|cell| names(cell, &nullable, *numbers));
                    let read = refusal(kind, &bytes, &format!("{column} {declared}")).is_none();
                    if read != documented {
                        wrong.push(format!(
                            "{} {name} as {declared}: read {read}, documented {documented}",
                            kind.name()
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        seen.len(),
        PARQUET_COLUMNS.len() + ORC_COLUMNS.len(),
        "types without a row"
    );
}

/// A term that is misspelled would mean nothing, and its pairs would be refused rightly.
#[test]
fn every_term_of_the_table_is_known() {
    for [_, _, always, by_value] in rows() {
        for cell in [always, by_value] {
            for term in cell.split(", ").filter(|term| !term.is_empty()) {
                let meant = DECLARED.iter().any(|declared| {
                    let declared: DataType = declared.parse().unwrap();
                    // The numbers of the types that the terms depend on.
                    [[5, 2], [4, 0], [16, 0]]
                        .iter()
                        .any(|numbers| is_meant(term, &declared, numbers[0], numbers[1]))
                });
                assert!(meant, "the table has the term {term}, which means nothing");
            }
        }
    }
}
