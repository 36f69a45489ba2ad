use proptest::prelude::*;

use super::super::parse_columns;
use super::super::testing::{any_data_type, any_fields};
use super::*;

fn json(text: &str) -> String {
    DataType::parse_json_text(text)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .to_string()
}

fn sql(text: &str) -> String {
    text.parse::<DataType>()
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .to_string()
}

#[test]
fn every_spelling_of_an_atomic_type() {
    for (text, written) in [
        ("BOOLEAN", "BOOLEAN"),
        ("TINYINT", "TINYINT"),
        ("SMALLINT", "SMALLINT"),
        ("INT", "INT"),
        ("INTEGER", "INT"),
        ("BIGINT", "BIGINT"),
        ("FLOAT", "FLOAT"),
        ("DOUBLE", "DOUBLE"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("DOUBLE PRECISION NOT NULL", "DOUBLE NOT NULL"),
        ("DATE", "DATE"),
        ("DECIMAL", "DECIMAL(10, 0)"),
        ("DEC", "DECIMAL(10, 0)"),
        ("NUMERIC", "DECIMAL(10, 0)"),
        ("DECIMAL(5)", "DECIMAL(5, 0)"),
        ("DECIMAL(10,2)", "DECIMAL(10, 2)"),
        ("decimal ( 38 ,38 )", "DECIMAL(38, 38)"),
        ("CHAR", "CHAR(1)"),
        ("CHAR(2147483647)", "CHAR(2147483647)"),
        ("VARCHAR", "VARCHAR(1)"),
        ("VARCHAR(16)", "VARCHAR(16)"),
        ("VARCHAR(2147483647)", "STRING"),
        ("STRING", "STRING"),
        ("BINARY", "BINARY(1)"),
        ("VARBINARY", "VARBINARY(1)"),
        ("VARBINARY(2147483647)", "BYTES"),
        ("BYTES", "BYTES"),
        ("TIME", "TIME(0)"),
        ("TIME(3) WITHOUT TIME ZONE", "TIME(3)"),
        ("TIMESTAMP", "TIMESTAMP(6)"),
        (
            "TIMESTAMP(3) WITHOUT TIME ZONE NOT NULL",
            "TIMESTAMP(3) NOT NULL",
        ),
        (
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        ),
        (
            "TIMESTAMP WITH LOCAL TIME ZONE",
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        ),
        ("TIMESTAMP_LTZ", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        (
            "timestamp_ltz(3) not null",
            "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL",
        ),
        ("VARIANT", "VARIANT"),
        ("BLOB NOT NULL", "BLOB NOT NULL"),
        ("GEOMETRY", "GEOMETRY(OGC:CRS84)"),
        ("GEOMETRY(EPSG:4326)", "GEOMETRY(EPSG:4326)"),
        ("GEOMETRY('EPSG:4326')", "GEOMETRY(EPSG:4326)"),
        ("GEOMETRY('a ''b''')", "GEOMETRY('a ''b''')"),
        ("GEOMETRY(`a b`)", "GEOMETRY('a b')"),
        ("GEOGRAPHY", "GEOGRAPHY(OGC:CRS84, spherical)"),
        ("GEOGRAPHY(EPSG:4326)", "GEOGRAPHY(EPSG:4326, spherical)"),
        (
            "GEOGRAPHY(EPSG:4326,Vincenty)",
            "GEOGRAPHY(EPSG:4326, vincenty)",
        ),
        ("VECTOR<FLOAT, 3>", "VECTOR<FLOAT, 3>"),
        (
            "VECTOR < FLOAT NOT NULL ,3 > NOT NULL",
            "VECTOR<FLOAT NOT NULL, 3> NOT NULL",
        ),
        ("  int\t\nNULL ", "INT"),
        ("INT NULL", "INT"),
        ("INT ARRAY", "ARRAY<INT>"),
        (
            "INT NOT NULL ARRAY NOT NULL",
            "ARRAY<INT NOT NULL> NOT NULL",
        ),
        ("INT NULL ARRAY NULL", "ARRAY<INT>"),
        ("VARCHAR(3) MULTISET", "MULTISET<VARCHAR(3)>"),
        // Java accepts a WITH that leads nowhere.
        ("TIMESTAMP(9) WITH", "TIMESTAMP(9)"),
        ("TIMESTAMP(9) WITH NOT NULL", "TIMESTAMP(9) NOT NULL"),
    ] {
        assert_eq!(json(text), written, "{text}");
        assert_eq!(sql(text), written, "{text}");
        assert_eq!(sql(written), written);
    }
}

#[test]
fn what_is_no_type_in_either_grammar() {
    for (text, message) in [
        ("", "a type is expected, not the end of the text"),
        ("FOO", "'FOO' is no type"),
        ("INT INT", "unexpected 'INT'"),
        ("INT NOT", "unexpected 'NOT'"),
        ("INT NOT NULL NULL", "unexpected 'NULL'"),
        ("INT ARRAY ARRAY", "unexpected 'ARRAY'"),
        ("INT)", "unexpected ')'"),
        ("INT(3)", "unexpected '('"),
        (
            "DECIMAL(0)",
            "the precision of a DECIMAL must be between 1 and 38",
        ),
        (
            "DECIMAL(39)",
            "the precision of a DECIMAL must be between 1 and 38",
        ),
        (
            "DECIMAL(300, 2)",
            "the precision of a DECIMAL must be between 1 and 38",
        ),
        (
            "DECIMAL(4, 5)",
            "the scale of a DECIMAL must be between 0 and its precision",
        ),
        ("DECIMAL(4, -1)", "a number is expected, not '-1'"),
        ("DECIMAL(4", "')' is expected, not the end of the text"),
        ("DECIMAL()", "a number is expected, not ')'"),
        ("CHAR(0)", "the length must be between 1 and 2147483647"),
        (
            "VARCHAR(2147483648)",
            "the length must be between 1 and 2147483647",
        ),
        (
            "VARCHAR(99999999999999999999)",
            "the number 99999999999999999999 is too large",
        ),
        (
            "TIME(10)",
            "the precision of a time type must be between 0 and 9",
        ),
        (
            "TIMESTAMP(10)",
            "the precision of a time type must be between 0 and 9",
        ),
        ("TIMESTAMP WITH TIME ZONE", "unexpected 'TIME'"),
        (
            "TIMESTAMP WITH LOCAL ZONE",
            "TIME ZONE is expected, not 'ZONE'",
        ),
        (
            "TIMESTAMP WITHOUT",
            "TIME ZONE is expected, not the end of the text",
        ),
        ("TIME WITH LOCAL TIME ZONE", "unexpected 'WITH'"),
        (
            "VECTOR<STRING, 3>",
            "the elements of a VECTOR must be BOOLEAN, TINYINT, SMALLINT, INT, \
            BIGINT, FLOAT or DOUBLE",
        ),
        (
            "VECTOR<INT, 0>",
            "the length must be between 1 and 2147483647",
        ),
        ("VECTOR<INT>", "',' is expected, not '>'"),
        ("GEOMETRY()", "a parameter is expected, not ')'"),
        ("GEOMETRY(' ')", "the coordinate reference system is blank"),
        ("GEOMETRY('a", "the text after ' has no closing '"),
        (
            "GEOGRAPHY(a, b)",
            "unknown edge algorithm 'b'; use one of spherical, vincenty, thomas, andoyer, karney",
        ),
        ("'INT'", "a type is expected, not ''INT''"),
    ] {
        let expected = format!("type '{text}': {message}");
        assert_eq!(
            DataType::parse_json_text(text).unwrap_err().to_string(),
            expected
        );
        assert_eq!(text.parse::<DataType>().unwrap_err().to_string(), expected);
    }
}

#[test]
fn nested_text_belongs_to_sql_alone() {
    for (text, written) in [
        ("ARRAY<INT NOT NULL>", "ARRAY<INT NOT NULL>"),
        ("array < array<int>> not null", "ARRAY<ARRAY<INT>> NOT NULL"),
        (
            "MAP<STRING NOT NULL,BIGINT>",
            "MAP<STRING NOT NULL, BIGINT>",
        ),
        ("MULTISET<STRING>", "MULTISET<STRING>"),
        ("ROW<a INT, b STRING>", "ROW<a INT, b STRING>"),
        (
            "ROW(a INT, b STRING) NOT NULL",
            "ROW<a INT, b STRING> NOT NULL",
        ),
        (
            "STRUCT<a: INT, b:ARRAY<STRING>>",
            "ROW<a INT, b ARRAY<STRING>>",
        ),
        ("STRUCT<a INT, b STRING>", "ROW<a INT, b STRING>"),
        ("ROW<>", "ROW<>"),
        ("ROW()", "ROW<>"),
        (
            "ROW<`a b` INT 'x', \"c\" DATE COMMENT 'it''s'>",
            "ROW<`a b` INT COMMENT 'x', c DATE COMMENT 'it''s'>",
        ),
        (
            "ROW<date DATE, int INT, row ROW<`1` INT>>",
            "ROW<date DATE, int INT, row ROW<`1` INT>>",
        ),
        ("ARRAY<INT> ARRAY", "ARRAY<ARRAY<INT>>"),
    ] {
        assert_eq!(sql(text), written, "{text}");
        if !text.ends_with(" ARRAY") {
            assert!(DataType::parse_json_text(text).is_err(), "{text}");
        }
    }
    assert_eq!(
        DataType::parse_json_text("ARRAY<INT>")
            .unwrap_err()
            .to_string(),
        "type 'ARRAY<INT>': ARRAY in a schema file is a JSON object, not text"
    );
    for text in [
        "ARRAY",
        "ARRAY<>",
        "ARRAY(INT)",
        "MAP<INT>",
        "MAP<INT, INT, INT>",
        "ROW<a>",
        "ROW<a INT",
        "ROW<a INT,>",
        "ROW<a INT)",
        "ROW(a INT>",
        "STRUCT(a INT)",
        "ROW<a INT, a STRING>",
        "ROW<`` INT>",
        "ROW<'a' INT>",
    ] {
        assert!(text.parse::<DataType>().is_err(), "{text}");
    }
}

#[test]
fn fields_of_a_row_are_numbered_children_first() {
    let data_type: DataType = "ROW<x ROW<p INT>, y INT>".parse().unwrap();
    let TypeKind::Row { fields } = data_type.kind() else {
        unreachable!()
    };
    assert_eq!(fields.iter().map(|f| f.id).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn deep_text_is_refused_and_not_followed() {
    let nest = |levels: usize| format!("{}INT{}", "ARRAY<".repeat(levels), ">".repeat(levels));
    assert!(nest(MAX_NESTING).parse::<DataType>().is_ok());
    for levels in [MAX_NESTING + 1, 200_000] {
        let error = nest(levels).parse::<DataType>().unwrap_err().to_string();
        assert!(
            error.ends_with("it nests deeper than 112 levels (a ROW counts as three)"),
            "{error}"
        );
        assert!(error.len() < 2_000);
    }
    let rows = format!("{}INT{}", "ROW<a ".repeat(100_000), ">".repeat(100_000));
    assert!(rows.parse::<DataType>().is_err());
    assert!(parse_columns(&format!("a {rows}")).is_err());
    // The suffix adds a level that the way down does not see.
    let suffixed = format!("{} ARRAY", nest(MAX_NESTING));
    assert!(suffixed.parse::<DataType>().is_err());
    let vectors = "VECTOR<".repeat(100_000);
    assert!(DataType::parse_json_text(&vectors).is_err());
}

proptest! {
    #[test]
    fn sql_text_is_read_back(data_type in any_data_type()) {
        prop_assert_eq!(data_type.to_string().parse::<DataType>().unwrap(), data_type);
    }

    #[test]
    fn column_lists_are_read_back(fields in any_fields(1..5)) {
        let list: Vec<_> = fields.iter().map(ToString::to_string).collect();
        prop_assert_eq!(parse_columns(&list.join(", ")).unwrap(), fields);
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "[A-Za-z0-9<>(),:'` \\-\"é]{0,40}") {
        let _ = text.parse::<DataType>();
        let _ = DataType::parse_json_text(&text);
        let _ = parse_columns(&text);
    }
}
