//! Pairs of types with what becomes of the values.

use bytes::Bytes;
use ftable_core::{ErrorKind, FileFormatKind};

use crate::common::{ORC, PARQUET, PATH, load, read};
use crate::made;

/// What reading a column as a declared type gives.
#[derive(Clone, Copy)]
enum Outcome {
    /// These values.
    Is(&'static [&'static str]),
    /// An error for the pair, whatever the values.
    Refused,
    /// An error for the value of a row.
    Value(u64, &'static str),
    /// An error with these words behind the path of the file.
    Says(&'static str),
}

use Outcome::{Is, Refused, Says, Value};

/// A column, the type it is declared as, and what comes of it.
type Pair = (&'static str, &'static str, Outcome);

/// Columns that `types.parquet` and `types.orc` both have.
const BOTH: &[Pair] = &[
    ("bool", "BOOLEAN", Is(&["true", "false", "NULL"])),
    ("bool", "INT", Refused),
    ("bool", "STRING", Refused),
    ("int8", "TINYINT", Is(&["-128", "127", "NULL"])),
    ("int8", "SMALLINT", Is(&["-128", "127", "NULL"])),
    ("int8", "BIGINT", Is(&["-128", "127", "NULL"])),
    ("int8", "FLOAT", Is(&["-128.0", "127.0", "NULL"])),
    ("int8", "DECIMAL(5, 2)", Is(&["-128.00", "127.00", "NULL"])),
    ("int8", "DECIMAL(4, 2)", Refused),
    ("int8", "STRING", Refused),
    ("int16", "TINYINT", Refused),
    ("int16", "SMALLINT", Is(&["-32768", "32767", "NULL"])),
    ("int16", "INT", Is(&["-32768", "32767", "NULL"])),
    ("int16", "DOUBLE", Is(&["-32768.0", "32767.0", "NULL"])),
    ("int16", "DECIMAL(5, 0)", Is(&["-32768", "32767", "NULL"])),
    ("int16", "DECIMAL(4, 0)", Refused),
    ("int32", "INT", Is(&["-2147483648", "2147483647", "NULL"])),
    (
        "int32",
        "BIGINT",
        Is(&["-2147483648", "2147483647", "NULL"]),
    ),
    (
        "int32",
        "DOUBLE",
        Is(&["-2147483648.0", "2147483647.0", "NULL"]),
    ),
    ("int32", "FLOAT", Refused),
    (
        "int32",
        "DECIMAL(12, 2)",
        Is(&["-2147483648.00", "2147483647.00", "NULL"]),
    ),
    ("int32", "DECIMAL(10, 2)", Refused),
    ("int32", "DATE", Refused),
    (
        "int64",
        "BIGINT",
        Is(&["-9223372036854775808", "9223372036854775807", "NULL"]),
    ),
    (
        "int64",
        "DECIMAL(19, 0)",
        Is(&["-9223372036854775808", "9223372036854775807", "NULL"]),
    ),
    ("int64", "DECIMAL(18, 0)", Refused),
    ("int64", "INT", Refused),
    ("int64", "DOUBLE", Refused),
    ("int64", "TIMESTAMP(3)", Refused),
    ("float", "FLOAT", Is(&["0.1", "-1.5", "NULL"])),
    (
        "float",
        "DOUBLE",
        Is(&["0.10000000149011612", "-1.5", "NULL"]),
    ),
    ("float", "INT", Refused),
    ("float", "DECIMAL(38, 10)", Refused),
    ("double", "DOUBLE", Is(&["0.1", "1e300", "NULL"])),
    ("double", "FLOAT", Refused),
    (
        "dec_5_2",
        "DECIMAL(5, 2)",
        Is(&["123.45", "-999.99", "NULL"]),
    ),
    (
        "dec_5_2",
        "DECIMAL(9, 4)",
        Is(&["123.4500", "-999.9900", "NULL"]),
    ),
    ("dec_5_2", "DECIMAL(4, 2)", Value(0, "123.45")),
    ("dec_5_2", "DECIMAL(5, 3)", Refused),
    ("dec_5_2", "DECIMAL(7, 1)", Refused),
    ("dec_5_2", "INT", Refused),
    ("dec_5_2", "DOUBLE", Refused),
    (
        "dec_12_2",
        "DECIMAL(38, 10)",
        Is(&["1234567890.1200000000", "-0.0100000000", "NULL"]),
    ),
    ("dec_12_2", "DECIMAL(11, 2)", Value(0, "1234567890.12")),
    (
        "dec_30_2",
        "DECIMAL(38, 10)",
        Is(&[
            "1234567890123456789012345678.1200000000",
            "-0.0100000000",
            "NULL",
        ]),
    ),
    ("dec_30_2", "DECIMAL(38, 11)", Refused),
    ("dec_30_2", "STRING", Refused),
    ("date", "DATE", Is(&["1969-12-31", "2024-02-29", "NULL"])),
    (
        "date",
        "TIMESTAMP(3)",
        Is(&["1969-12-31T00:00:00", "2024-02-29T00:00:00", "NULL"]),
    ),
    (
        "date",
        "TIMESTAMP(9)",
        Is(&["1969-12-31T00:00:00", "2024-02-29T00:00:00", "NULL"]),
    ),
    ("date", "TIMESTAMP(3) WITH LOCAL TIME ZONE", Refused),
    ("date", "INT", Refused),
    ("date", "STRING", Refused),
    ("string", "STRING", Is(&["ab", "héllo", "NULL"])),
    ("string", "VARCHAR(5)", Is(&["ab", "héllo", "NULL"])),
    ("string", "VARCHAR(4)", Value(1, "héllo")),
    ("string", "CHAR(5)", Is(&["ab", "héllo", "NULL"])),
    ("string", "CHAR(4)", Value(1, "héllo")),
    ("string", "BYTES", Is(&["6162", "68c3a96c6c6f", "NULL"])),
    ("string", "VARBINARY(9)", Refused),
    ("string", "INT", Refused),
    ("string_blank", "CHAR(2)", Is(&["ab   ", "", "NULL"])),
    ("string_blank", "VARCHAR(2)", Value(0, "ab   ")),
    ("binary", "BYTES", Is(&["6162", "00ff", "NULL"])),
    ("binary", "BINARY(2)", Is(&["6162", "00ff", "NULL"])),
    ("binary", "VARBINARY(1)", Value(0, "6162")),
    ("binary", "STRING", Value(1, "00ff")),
    ("binary", "VARCHAR(9)", Refused),
    ("binary_utf8", "STRING", Is(&["ab", "é", "NULL"])),
    (
        "list_int8",
        "ARRAY<TINYINT>",
        Is(&["[-128, NULL, 127]", "[]", "NULL"]),
    ),
    (
        "list_int8",
        "ARRAY<BIGINT>",
        Is(&["[-128, NULL, 127]", "[]", "NULL"]),
    ),
    (
        "list_int8",
        "ARRAY<DECIMAL(4, 1)>",
        Is(&["[-128.0, NULL, 127.0]", "[]", "NULL"]),
    ),
    (
        "list_int8",
        "ARRAY<INT NOT NULL>",
        Says("column list_int8.element is NOT NULL in the table but null (row 0)"),
    ),
    ("list_int8", "MAP<STRING, INT>", Refused),
    ("list_int8", "INT", Refused),
    (
        "map_int16",
        "MAP<STRING, BIGINT>",
        Is(&["{a: 1, b: NULL}", "{}", "NULL"]),
    ),
    (
        "map_int16",
        "MAP<BYTES, INT>",
        Is(&["{61: 1, 62: NULL}", "{}", "NULL"]),
    ),
    (
        "map_int16",
        "MULTISET<STRING>",
        Says("column map_int16.value is NOT NULL in the table but null (row 0)"),
    ),
    ("map_int16", "ARRAY<STRING>", Refused),
    (
        "struct",
        "ROW<a BIGINT, b STRING>",
        Is(&["{a: 1, b: x}", "{a: NULL, b: NULL}", "NULL"]),
    ),
    (
        "struct",
        "ROW<b STRING, a TINYINT>",
        Is(&["{b: x, a: 1}", "{b: NULL, a: NULL}", "NULL"]),
    ),
    (
        "struct",
        "ROW<c DOUBLE, d INT>",
        Is(&["{c: 2.5, d: NULL}", "{c: NULL, d: NULL}", "NULL"]),
    ),
    (
        "struct",
        "ROW<a INT, d INT NOT NULL>",
        Says("column struct.d is NOT NULL in the table but missing in the file"),
    ),
    (
        "struct",
        "ROW<a TINYINT NOT NULL>",
        Says("column struct.a is NOT NULL in the table but null (row 1)"),
    ),
    ("struct", "MAP<STRING, INT>", Refused),
    (
        "list_struct",
        "ARRAY<ROW<a INT, z STRING>>",
        Is(&["[{a: 1, z: NULL}, NULL]", "[]", "NULL"]),
    ),
    (
        "list_struct",
        "ARRAY<ROW<a INT NOT NULL>>",
        Is(&["[{a: 1}, NULL]", "[]", "NULL"]),
    ),
    (
        "struct_list",
        "ROW<l ARRAY<DECIMAL(5, 0)>>",
        Is(&["{l: [1, 2]}", "{l: NULL}", "NULL"]),
    ),
];

const TYPES_PARQUET: &[Pair] = &[
    ("uint8", "SMALLINT", Is(&["0", "255", "NULL"])),
    ("uint8", "TINYINT", Refused),
    ("uint8", "DECIMAL(3, 0)", Is(&["0", "255", "NULL"])),
    ("uint8", "DOUBLE", Refused),
    ("uint16", "INT", Is(&["0", "65535", "NULL"])),
    ("uint16", "SMALLINT", Refused),
    ("uint16", "DECIMAL(5, 0)", Is(&["0", "65535", "NULL"])),
    ("uint32", "BIGINT", Is(&["0", "4294967295", "NULL"])),
    ("uint32", "INT", Refused),
    ("uint32", "DECIMAL(10, 0)", Is(&["0", "4294967295", "NULL"])),
    (
        "uint64",
        "DECIMAL(20, 0)",
        Is(&["0", "18446744073709551615", "NULL"]),
    ),
    ("uint64", "DECIMAL(19, 0)", Refused),
    ("uint64", "BIGINT", Refused),
    ("int32_small", "TINYINT", Is(&["-128", "127", "NULL"])),
    ("int32_small", "SMALLINT", Is(&["-128", "127", "NULL"])),
    ("int32", "TINYINT", Value(0, "-2147483648")),
    ("int32_day", "TIME(3)", Refused),
    ("half", "FLOAT", Is(&["1.5", "-65504.0", "NULL"])),
    ("half", "DOUBLE", Is(&["1.5", "-65504.0", "NULL"])),
    ("time_ms", "TIME(3)", Is(&["00:00:00", "23:59:59", "NULL"])),
    ("time_us", "TIME(0)", Is(&["00:00:00", "23:59:59", "NULL"])),
    ("time_us_odd", "TIME(3)", Value(0, "00:00:00.000001")),
    ("time_ns", "TIME(9)", Is(&["00:00:00", "23:59:59", "NULL"])),
    ("time_ms", "INT", Refused),
    ("time_ms", "TIMESTAMP(3)", Refused),
    ("ts_ms", "TIMESTAMP(3)", Is(EVEN)),
    ("ts_ms", "TIMESTAMP(6)", Is(EVEN)),
    ("ts_ms", "TIMESTAMP(9)", Is(EVEN)),
    ("ts_ms", "TIMESTAMP(3) WITH LOCAL TIME ZONE", Is(EVEN_UTC)),
    ("ts_ms", "DATE", Refused),
    ("ts_ms", "BIGINT", Refused),
    ("ts_ms", "STRING", Refused),
    ("ts_us", "TIMESTAMP(3)", Is(EVEN)),
    (
        "ts_us_odd",
        "TIMESTAMP(3)",
        Value(0, "1969-12-31T23:59:58.123456"),
    ),
    ("ts_us_odd", "TIMESTAMP(9)", Is(ODD)),
    (
        "ts_us_far",
        "TIMESTAMP(6)",
        Is(&["0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", "NULL"]),
    ),
    ("ts_us_far", "TIMESTAMP(9)", Value(0, "0001-01-01T00:00:00")),
    ("ts_us_utc", "TIMESTAMP(6)", Is(ODD)),
    (
        "ts_us_utc",
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        Is(ODD_UTC),
    ),
    (
        "ts_us_utc",
        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        Value(0, "1969-12-31T23:59:58.123456Z"),
    ),
    ("ts_ns", "TIMESTAMP(9)", Is(FINE)),
    (
        "ts_ns",
        "TIMESTAMP(6)",
        Value(0, "1969-12-31T23:59:58.123456789"),
    ),
    ("ts_ns_us", "TIMESTAMP(6)", Is(ODD)),
    ("fixed4", "BYTES", Is(&["61626364", "000102ff", "NULL"])),
    ("fixed4", "BINARY(4)", Is(&["61626364", "000102ff", "NULL"])),
    ("fixed4", "BINARY(5)", Refused),
    (
        "fixed4",
        "VARBINARY(5)",
        Is(&["61626364", "000102ff", "NULL"]),
    ),
    ("fixed4", "VARBINARY(3)", Refused),
    ("fixed4", "STRING", Refused),
    (
        "uuid",
        "BINARY(16)",
        Is(&[
            "00000000000000000000000000000001",
            "00000000000000000000000000000002",
            "NULL",
        ]),
    ),
    ("uuid", "STRING", Refused),
    ("json", "STRING", Is(&["{\"a\":1}", "[]", "NULL"])),
    ("json", "VARCHAR(6)", Value(0, "{\"a\":1}")),
    ("json", "BYTES", Is(&["7b2261223a317d", "5b5d", "NULL"])),
    ("null", "INT", Is(&["NULL", "NULL", "NULL"])),
    ("null", "ARRAY<ROW<a INT>>", Is(&["NULL", "NULL", "NULL"])),
    ("null", "INT NOT NULL", Refused),
    (
        "list_int32",
        "ARRAY<TINYINT>",
        Says(
            "column list_int32.element: file type INT32 cannot be read as TINYINT: row 0 value 300",
        ),
    ),
    (
        "list_int8",
        "ARRAY<STRING>",
        Says("column list_int8.element: file type INT32 INT_8 cannot be read as STRING"),
    ),
    (
        "map_int16",
        "MAP<STRING, TINYINT>",
        Says("column map_int16.value: file type INT32 INT_16 cannot be read as TINYINT"),
    ),
    (
        "struct",
        "ROW<b CHAR(3), a STRING>",
        Says("column struct.a: file type INT32 INT_8 cannot be read as STRING"),
    ),
];

const INT96: &[Pair] = &[
    ("even", "TIMESTAMP(3)", Is(EVEN)),
    ("even", "TIMESTAMP(9)", Is(EVEN)),
    ("even", "TIMESTAMP(3) WITH LOCAL TIME ZONE", Is(EVEN_UTC)),
    ("odd", "TIMESTAMP(6)", Is(ODD)),
    (
        "odd",
        "TIMESTAMP(3)",
        Value(0, "1969-12-31T23:59:58.123456"),
    ),
    ("fine", "TIMESTAMP(9)", Is(FINE)),
    (
        "fine",
        "TIMESTAMP(6)",
        Is(&["1969-12-31T23:59:58.123456", "2024-02-29T12:00:00", "NULL"]),
    ),
    ("even", "DATE", Refused),
    ("even", "BYTES", Refused),
];

const MADE: &[Pair] = &[
    ("int32_annotated", "INT", Is(&["300"])),
    ("int32_annotated", "SMALLINT", Refused),
    ("int16_converted", "BIGINT", Is(&["-7"])),
    ("int64_annotated", "BIGINT", Is(&["300"])),
    ("enum", "STRING", Is(&["RED"])),
    ("enum", "VARCHAR(2)", Value(0, "RED")),
    ("enum", "BYTES", Is(&["524544"])),
    ("enum", "BINARY(3)", Refused),
    ("bson", "BYTES", Refused),
    ("bson", "STRING", Refused),
    ("interval", "BYTES", Refused),
    ("dec_5_2_bytes", "DECIMAL(5, 2)", Is(&["-999.99"])),
    ("dec_5_2_bytes", "DECIMAL(9, 4)", Is(&["-999.9900"])),
    ("dec_5_2_bytes", "BYTES", Refused),
    ("dec_5_2_beyond", "DECIMAL(5, 2)", Value(0, "100000.00")),
    ("dec_5_2_beyond", "DECIMAL(9, 4)", Value(0, "100000.00")),
    ("dec_5_2_fixed", "DECIMAL(5, 2)", Is(&["999.99"])),
    ("dec_40_0", "DECIMAL(38, 0)", Is(&["65536"])),
    ("dec_40_0", "DECIMAL(38, 1)", Refused),
    (
        "ts_millis_converted",
        "TIMESTAMP(3)",
        Is(&["1969-12-31T23:59:59.999"]),
    ),
    (
        "ts_millis_converted",
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        Is(&["1969-12-31T23:59:59.999Z"]),
    ),
    (
        "ts_micros_converted",
        "TIMESTAMP(6)",
        Is(&["1969-12-31T23:59:59.999999"]),
    ),
    ("time_millis_converted", "TIME(3)", Is(&["00:00:00.001"])),
    ("time_beyond", "TIME(3)", Value(0, "86400000")),
    ("time_micros_converted", "TIME(3)", Is(&["23:59:59.999"])),
    ("date_converted", "DATE", Is(&["1969-12-31"])),
    (
        "int96_negative",
        "TIMESTAMP(9)",
        Is(&["1969-12-31T23:59:59.999999999"]),
    ),
    (
        "int96_negative",
        "TIMESTAMP(6)",
        Is(&["1969-12-31T23:59:59.999999"]),
    ),
    ("int96_year_1", "TIMESTAMP(3)", Is(&["0001-01-01T00:00:00"])),
    (
        "int96_year_9999",
        "TIMESTAMP(6)",
        Is(&["9999-12-31T23:59:59.999999"]),
    ),
    (
        "int96_year_9999",
        "TIMESTAMP(9)",
        Value(0, "9999-12-31T23:59:59.999999"),
    ),
];

const TYPES_ORC: &[Pair] = &[
    (
        "int32_day",
        "TIME(3)",
        Is(&["00:00:00", "23:59:59.999", "NULL"]),
    ),
    ("int32", "TIME(3)", Value(0, "-2147483648")),
    ("int32_small", "TINYINT", Refused),
    ("int64", "TIME(3)", Refused),
    ("ts", "TIMESTAMP(3)", Is(EVEN)),
    ("ts", "TIMESTAMP(6)", Is(EVEN)),
    ("ts", "TIMESTAMP(9)", Is(EVEN)),
    ("ts", "TIMESTAMP(6) WITH LOCAL TIME ZONE", Refused),
    ("ts", "DATE", Refused),
    ("ts", "BIGINT", Refused),
    ("ts_odd", "TIMESTAMP(6)", Is(ODD)),
    (
        "ts_odd",
        "TIMESTAMP(3)",
        Value(0, "1969-12-31T23:59:58.123456000"),
    ),
    ("ts_fine", "TIMESTAMP(9)", Is(FINE)),
    (
        "ts_fine",
        "TIMESTAMP(6)",
        Value(0, "1969-12-31T23:59:58.123456789"),
    ),
    ("instant", "TIMESTAMP(6) WITH LOCAL TIME ZONE", Is(ODD_UTC)),
    (
        "instant",
        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        Value(0, "1969-12-31T23:59:58.123456000"),
    ),
    ("instant", "TIMESTAMP(6)", Refused),
    (
        "list_int32",
        "ARRAY<TINYINT>",
        Says("column list_int32.element: file type INT cannot be read as TINYINT"),
    ),
    (
        "list_int8",
        "ARRAY<STRING>",
        Says("column list_int8.element: file type BYTE cannot be read as STRING"),
    ),
    (
        "map_int16",
        "MAP<STRING, TINYINT>",
        Says("column map_int16.value: file type SHORT cannot be read as TINYINT"),
    ),
    (
        "struct",
        "ROW<b CHAR(3), a STRING>",
        Says("column struct.a: file type BYTE cannot be read as STRING"),
    ),
];

const HIVE: &[Pair] = &[
    ("char5", "STRING", Is(&["ab", "héllo", "NULL"])),
    ("char5", "CHAR(5)", Is(&["ab", "héllo", "NULL"])),
    ("char5", "VARCHAR(4)", Value(1, "héllo")),
    ("char5", "BYTES", Refused),
    ("varchar5", "STRING", Is(&["ab", "hé ", "NULL"])),
    ("varchar5", "VARCHAR(2)", Value(1, "hé ")),
    ("varchar5", "CHAR(2)", Is(&["ab", "hé ", "NULL"])),
    ("varchar5", "BYTES", Refused),
    (
        "far",
        "TIMESTAMP(3)",
        Is(&["0001-01-01T00:00:00", "9999-12-31T00:00:00", "NULL"]),
    ),
    ("far", "TIMESTAMP(9)", Value(0, "0001-01-01T00:00:00")),
    ("union", "STRING", Refused),
    ("union", "INT", Refused),
    ("inner", "ROW<n INT>", Refused),
];

const EVEN: &[&str] = &["1969-12-31T23:59:58.123", "2024-02-29T12:00:00", "NULL"];
const EVEN_UTC: &[&str] = &["1969-12-31T23:59:58.123Z", "2024-02-29T12:00:00Z", "NULL"];
const ODD: &[&str] = &[
    "1969-12-31T23:59:58.123456",
    "2024-02-29T12:00:00.000001",
    "NULL",
];
const ODD_UTC: &[&str] = &[
    "1969-12-31T23:59:58.123456Z",
    "2024-02-29T12:00:00.000001Z",
    "NULL",
];
const FINE: &[&str] = &[
    "1969-12-31T23:59:58.123456789",
    "2024-02-29T12:00:00.000000001",
    "NULL",
];

/// The types of columns as messages name them: those in Parquet, then in ORC.
const NAMES: &[(&str, &str, &str)] = &[
    ("bool", "BOOLEAN", "BOOLEAN"),
    ("int8", "INT32 INT_8", "BYTE"),
    ("int16", "INT32 INT_16", "SHORT"),
    ("int32", "INT32", "INT"),
    ("int32_small", "INT32", "INT"),
    ("int32_day", "INT32", "INT"),
    ("int64", "INT64", "LONG"),
    ("float", "FLOAT", "FLOAT"),
    ("double", "DOUBLE", "DOUBLE"),
    ("dec_5_2", "INT32 DECIMAL(5, 2)", "DECIMAL(5, 2)"),
    ("dec_12_2", "INT64 DECIMAL(12, 2)", "DECIMAL(12, 2)"),
    (
        "dec_30_2",
        "FIXED_LEN_BYTE_ARRAY(13) DECIMAL(30, 2)",
        "DECIMAL(30, 2)",
    ),
    ("date", "INT32 DATE", "DATE"),
    ("string", "BYTE_ARRAY STRING", "STRING"),
    ("string_blank", "BYTE_ARRAY STRING", "STRING"),
    ("binary", "BYTE_ARRAY", "BINARY"),
    ("list_int8", "LIST", "LIST"),
    ("map_int16", "MAP", "MAP"),
    ("struct", "group", "STRUCT"),
    ("uint8", "INT32 UINT_8", ""),
    ("uint16", "INT32 UINT_16", ""),
    ("uint32", "INT32 UINT_32", ""),
    ("uint64", "INT64 UINT_64", ""),
    ("time_ms", "INT32 TIME(MILLIS)", ""),
    ("time_us_odd", "INT64 TIME(MICROS)", ""),
    ("ts_ms", "INT64 TIMESTAMP(MILLIS)", ""),
    ("ts_us_odd", "INT64 TIMESTAMP(MICROS)", ""),
    ("ts_us_far", "INT64 TIMESTAMP(MICROS)", ""),
    ("ts_us_utc", "INT64 TIMESTAMP(MICROS, UTC)", ""),
    ("ts_ns", "INT64 TIMESTAMP(NANOS)", ""),
    ("fixed4", "FIXED_LEN_BYTE_ARRAY(4)", ""),
    ("uuid", "FIXED_LEN_BYTE_ARRAY(16) UUID", ""),
    ("json", "BYTE_ARRAY JSON", ""),
    ("null", "INT32 UNKNOWN", ""),
    ("even", "INT96", ""),
    ("odd", "INT96", ""),
    ("int96_year_9999", "INT96", ""),
    ("int32_annotated", "INT32 INT_32", ""),
    ("enum", "BYTE_ARRAY ENUM", ""),
    ("bson", "BYTE_ARRAY BSON", ""),
    ("interval", "FIXED_LEN_BYTE_ARRAY(12) INTERVAL", ""),
    ("dec_5_2_bytes", "BYTE_ARRAY DECIMAL(5, 2)", ""),
    ("dec_5_2_beyond", "INT32 DECIMAL(5, 2)", ""),
    ("time_beyond", "INT32 TIME_MILLIS", ""),
    ("dec_40_0", "FIXED_LEN_BYTE_ARRAY(17) DECIMAL(40, 0)", ""),
    ("ts", "", "TIMESTAMP"),
    ("ts_odd", "", "TIMESTAMP"),
    ("ts_fine", "", "TIMESTAMP"),
    ("instant", "", "TIMESTAMP_INSTANT"),
    ("char5", "", "CHAR(5)"),
    ("varchar5", "", "VARCHAR(5)"),
    ("far", "", "TIMESTAMP"),
    ("union", "", "UNION"),
    ("inner", "", "STRUCT with a UNION"),
];

fn check(kind: FileFormatKind, bytes: &Bytes, pairs: &[Pair]) -> Vec<String> {
    let name = |column: &str| {
        let found = NAMES.iter().find(|(name, ..)| *name == column);
        let (_, parquet, orc) = found.unwrap_or_else(|| panic!("{column} has no name"));
        if kind == PARQUET { *parquet } else { *orc }
    };
    let mut wrong = Vec::new();
    for (column, declared, outcome) in pairs {
        let got =
            read(kind, bytes, &format!("{column} {declared}")).map_err(|error| error.to_string());
        let pair = || {
            let name = name(column);
            format!("{PATH}: column {column}: file type {name} cannot be read as {declared}")
        };
        let expected = match outcome {
            Is(values) => Ok(values.iter().map(|value| (*value).to_owned()).collect()),
            Refused => Err(pair()),
            Value(row, value) => Err(format!("{}: row {row} value {value}", pair())),
            Says(words) => match &got {
                Err(text) if text.starts_with(PATH) && text.contains(words) => continue,
                _ => Err((*words).to_owned()),
            },
        };
        if got != expected {
            wrong.push(format!("{column} as {declared}: {got:?}, not {expected:?}"));
        }
    }
    wrong
}

#[test]
fn every_pair_gives_its_values_or_its_refusal() {
    let mut wrong = Vec::new();
    for (file, kind, lists) in [
        ("types.parquet", PARQUET, [BOTH, TYPES_PARQUET]),
        ("int96.parquet", PARQUET, [INT96, &[]]),
        ("types.orc", ORC, [BOTH, TYPES_ORC]),
        ("hive.orc", ORC, [HIVE, &[]]),
    ] {
        wrong.extend(check(kind, &load(file), &lists.concat()));
    }
    wrong.extend(check(PARQUET, &made::file(), MADE));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn encrypted_files_are_refused_by_name() {
    for file in ["encrypted.parquet", "encrypted-columns.parquet"] {
        let bytes = load(file);
        // The column a is in the clear in the second file; its footer says that the file is not.
        let error = read(PARQUET, &bytes, "a INT").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            format!(
                "parquet: {PATH}: an encrypted file is not supported: have it written in the clear by an engine that \
                 has the keys"
            )
        );
    }
}
