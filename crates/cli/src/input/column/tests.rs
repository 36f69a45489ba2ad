use ftable_core::types::parse_columns;

use super::super::testing::{lines, source, wanted};
use super::super::{csv, json};

/// The JSON of one column read from a JSON value.
fn from_json(data_type: &str, value: &str) -> Result<String, String> {
    let text = format!("{{\"c\":{value}}}");
    let read = json::Rows::new(
        source(text.as_bytes()),
        wanted(&format!("c {data_type}"), &[]),
    )
    .and_then(lines);
    value_of(read)
}

/// The JSON of one column read from a field of CSV.
fn from_csv(data_type: &str, field: &str) -> Result<String, String> {
    let text = format!("c\n\"{}\"\n", field.replace('"', "\"\""));
    let read = csv::Rows::open(
        source(text.as_bytes()),
        wanted(&format!("c {data_type}"), &[]),
    )
    .and_then(lines);
    value_of(read)
}

fn value_of(read: crate::Result<Vec<String>>) -> Result<String, String> {
    let lines = read.map_err(|error| {
        let text = error.to_string();
        text.split_once("column 'c': ")
            .map(|(_, message)| message.to_owned())
            .unwrap_or(text)
    })?;
    Ok(lines[0]
        .strip_prefix("{\"c\":")
        .unwrap()
        .strip_suffix('}')
        .unwrap()
        .to_owned())
}

#[test]
fn json_values_of_every_type_are_kept() {
    for (data_type, value) in [
        ("BOOLEAN", "true"),
        ("TINYINT", "-128"),
        ("SMALLINT", "32767"),
        ("INT", "-2147483648"),
        ("BIGINT", "9223372036854775807"),
        ("FLOAT", "0.1"),
        ("FLOAT", "\"-Infinity\""),
        ("DOUBLE", "1e+23"),
        ("DOUBLE", "-0.0"),
        ("DOUBLE", "\"NaN\""),
        ("DECIMAL(10, 2)", "\"-0.01\""),
        (
            "DECIMAL(38, 10)",
            "\"9999999999999999999999999999.9999999999\"",
        ),
        ("STRING", "\"Zürich \\\"q\\\" \\n 🙂\""),
        ("CHAR(3)", "\"\""),
        ("BYTES", "\"AP/+\""),
        ("BINARY(2)", "\"\""),
        ("DATE", "\"0001-01-01\""),
        ("TIME", "\"12:34:56.700\""),
        ("TIMESTAMP(3)", "\"2024-01-01T00:00:00.123000\""),
        ("TIMESTAMP(6)", "\"9999-12-31T23:59:59.999999\""),
        ("TIMESTAMP(9)", "\"1969-12-31T23:59:59.999999999\""),
        (
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            "\"2024-03-10T02:30:00.123456Z\"",
        ),
        ("ARRAY<INT>", "[1,null,3]"),
        ("ARRAY<ARRAY<STRING>>", "[[\"a\"],[],null]"),
        ("MAP<STRING, BIGINT>", "[[\"a\",1],[\"b\",null]]"),
        ("MULTISET<STRING>", "[[\"a\",2]]"),
        (
            "ROW<x INT, y ARRAY<DECIMAL(4, 1)>>",
            "{\"x\":1,\"y\":[\"2.5\"]}",
        ),
        ("ROW<x INT NOT NULL>", "null"),
        ("ARRAY<ROW<x INT NOT NULL>>", "[null,{\"x\":1}]"),
    ] {
        assert_eq!(
            from_json(data_type, value).as_deref(),
            Ok(value),
            "{data_type}"
        );
        let text = value
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let text: String = match text {
            Some(_) => serde_json::from_str(value).unwrap(),
            None => value.to_owned(),
        };
        let expected = if value == "null" { continue } else { value };
        assert_eq!(
            from_csv(data_type, &text).as_deref(),
            Ok(expected),
            "{data_type} in CSV"
        );
    }
}

#[test]
fn other_spellings_of_the_same_value() {
    for (data_type, value, expected) in [
        ("BOOLEAN", "\"TRUE\"", "true"),
        ("INT", "\"7\"", "7"),
        ("DOUBLE", "1", "1.0"),
        (
            "DECIMAL(20, 2)",
            "123456789012345678.9",
            "\"123456789012345678.90\"",
        ),
        ("DECIMAL(10, 2)", "1e2", "\"100.00\""),
        (
            "TIMESTAMP(6)",
            "\"2024-01-01 10:00\"",
            "\"2024-01-01T10:00:00.000000\"",
        ),
        (
            "TIMESTAMP(6)",
            "\"2024-01-01\"",
            "\"2024-01-01T00:00:00.000000\"",
        ),
        (
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            "\"2024-01-01T01:00:00+02:00\"",
            "\"2023-12-31T23:00:00.000000Z\"",
        ),
        ("TIME", "\"12:34\"", "\"12:34:00.000\""),
        ("MAP<INT, STRING>", "{\"1\": \"a\"}", "[[1,\"a\"]]"),
        ("ROW<x INT, y INT>", "{\"y\": 2}", "{\"x\":null,\"y\":2}"),
    ] {
        assert_eq!(
            from_json(data_type, value).as_deref(),
            Ok(expected),
            "{data_type} {value}"
        );
    }
}

#[test]
fn what_has_no_exact_value_is_refused() {
    for (data_type, value, message) in [
        ("BOOLEAN", "1", "1 is no BOOLEAN"),
        ("BOOLEAN", "\"yes\"", "'yes' is no BOOLEAN"),
        ("TINYINT", "128", "'128' is no TINYINT"),
        ("INT", "1.5", "'1.5' is no INT"),
        ("INT", "1.0", "'1.0' is no INT"),
        ("INT", "true", "true is no INT"),
        ("INT", "\" 1\"", "' 1' is no INT"),
        ("INT", "[1]", "[1] is no INT"),
        ("FLOAT", "1e39", "'1e39' is no FLOAT"),
        (
            "DECIMAL(4, 2)",
            "1.005",
            "'1.005' is no DECIMAL(4, 2): it has too many digits after the point",
        ),
        (
            "DECIMAL(4, 2)",
            "100",
            "'100' is no DECIMAL(4, 2): it has too many digits",
        ),
        (
            "DECIMAL(4, 2) NOT NULL",
            "\"x\"",
            "'x' is no DECIMAL(4, 2): it is no number",
        ),
        ("STRING", "5", "'5' is no STRING: write it in quotes"),
        ("STRING", "{}", "'{}' is no STRING: write it in quotes"),
        ("BYTES", "\"?\"", "'?' is no BYTES: it is no base64"),
        (
            "DATE",
            "\"2024-02-30\"",
            "'2024-02-30' is no DATE: write it as yyyy-MM-dd",
        ),
        ("DATE", "19723", "'19723' is no DATE: write it in quotes"),
        (
            "TIME",
            "\"12:34:56.7891\"",
            "'12:34:56.7891' is no TIME(0): it is finer than milliseconds",
        ),
        (
            "TIMESTAMP(3)",
            "\"2024-01-01T00:00:00.1234\"",
            "'2024-01-01T00:00:00.1234' is no TIMESTAMP(3): it has more digits than the type",
        ),
        (
            "TIMESTAMP(6)",
            "\"2024-01-01T00:00:00Z\"",
            "'2024-01-01T00:00:00Z' is no TIMESTAMP(6): write it as yyyy-MM-ddTHH:mm:ss.f without a zone",
        ),
        (
            "TIMESTAMP(9)",
            "\"9999-12-31\"",
            "'9999-12-31' is no TIMESTAMP(9): it is beyond the range of the type",
        ),
        (
            "ARRAY<INT>",
            "{\"a\":1}",
            "{\"a\":1} is no ARRAY<INT>: write it as a list",
        ),
        (
            "ARRAY<INT NOT NULL>",
            "[null]",
            "a null stands where INT NOT NULL is declared",
        ),
        (
            "MAP<STRING, INT>",
            "[[\"a\"]]",
            "[[\"a\"]] is no MAP<STRING, INT>: write it as a list of [key, value]",
        ),
        (
            "MAP<STRING, INT>",
            "[[null,1]]",
            "a null stands where STRING is declared",
        ),
        (
            "ROW<x INT>",
            "[1]",
            "[1] is no ROW<x INT>: write it as an object",
        ),
        ("ROW<x INT>", "{\"z\":1}", "field 'z' is not one of x"),
        (
            "ROW<x INT>",
            "{\"x\":1,\"x\":1}",
            "field 'x' is there twice",
        ),
        (
            "ROW<x INT NOT NULL>",
            "{}",
            "field 'x': a null stands where INT NOT NULL is declared",
        ),
        ("ROW<x INT>", "{\"x\":\"y\"}", "field 'x': 'y' is no INT"),
    ] {
        assert_eq!(
            from_json(data_type, value),
            Err(message.to_owned()),
            "{data_type}"
        );
    }
    assert_eq!(
        from_csv("ARRAY<INT>", "1;2"),
        Err("'1;2' is no ARRAY<INT>: write it as JSON".to_owned())
    );
    let long = from_json("INT", &format!("\"{}\"", "9".repeat(100))).unwrap_err();
    assert_eq!(long, format!("'{}…' is no INT", "9".repeat(60)));
}

#[test]
fn types_without_a_text_are_refused() {
    let fields = parse_columns("c INT").unwrap();
    let variant = ftable_core::DataField {
        data_type: ftable_core::TypeKind::Variant.into(),
        ..fields[0].clone()
    };
    let message = super::Column::new(&variant).err().unwrap();
    assert_eq!(message, "column 'c': type VARIANT cannot be read from text");
}
