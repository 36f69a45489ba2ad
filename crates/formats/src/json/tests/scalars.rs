//! One value under one type.

use super::*;

/// What a value reads as, written as it stands in the line.
fn value(declared: &str, json: &str) -> String {
    let rows = read(&format!("a {declared}"), &[&format!("{{\"a\":{json}}}")]);
    rows.into_iter().next().unwrap()
}

/// What is told of a value that cannot be read.
fn rejected(declared: &str, json: &str) -> String {
    let (column, reason) = refused(&format!("a {declared}"), &format!("{{\"a\":{json}}}"));
    assert_eq!(column.as_deref(), Some("a"), "{declared} {json}");
    reason
}

#[test]
fn values_read_alike_with_and_without_quotes() {
    let cases = [
        ("TINYINT", "-128", "-128"),
        ("TINYINT", "127", "127"),
        ("SMALLINT", "-32768", "-32768"),
        ("INT", "2147483647", "2147483647"),
        ("INT", "-2147483648", "-2147483648"),
        ("INT", "-0", "0"),
        ("BIGINT", "9223372036854775807", "9223372036854775807"),
        ("BIGINT", "-9223372036854775808", "-9223372036854775808"),
        ("BIGINT", "9007199254740993", "9007199254740993"),
        ("FLOAT", "1.1", "1.1"),
        ("FLOAT", "3.4028235E38", "3.4028235e38"),
        // Midway between two floats: by way of a double it would be the other one.
        ("FLOAT", "1.00000017881393432617187499", "1.0000001"),
        ("FLOAT", "1.00000017881393432617187501", "1.0000002"),
        ("DOUBLE", "1e-3", "0.001"),
        ("DOUBLE", "1.7976931348623157E308", "1.7976931348623157e308"),
        ("DOUBLE", "4.9E-324", "5e-324"),
        ("DOUBLE", "-0.0", "-0.0"),
        ("DOUBLE", "1e-999", "0.0"),
        ("DECIMAL(5, 2)", "1.235", "1.24"),
        ("DECIMAL(5, 2)", "-1.5", "-1.50"),
        ("DECIMAL(5, 2)", "1e2", "100.00"),
        (
            "DECIMAL(38, 18)",
            "1234567890.123456789012345678",
            "1234567890.123456789012345678",
        ),
        (
            "DECIMAL(38, 18)",
            "99999999999999999999.999999999999999999",
            "99999999999999999999.999999999999999999",
        ),
        (
            "DECIMAL(38, 0)",
            "-99999999999999999999999999999999999999",
            "-99999999999999999999999999999999999999",
        ),
        (
            "DECIMAL(38, 38)",
            "1e-38",
            "0.00000000000000000000000000000000000001",
        ),
        ("STRING", "5", "5"),
        ("STRING", "1.50", "1.50"),
        ("STRING", "1e2", "1e2"),
        ("STRING", "-12345678901234567890", "-12345678901234567890"),
        ("STRING", "true", "true"),
        ("STRING", "false", "false"),
        ("VARCHAR(2)", "10", "10"),
        ("BOOLEAN", "true", "true"),
        ("BOOLEAN", "false", "false"),
        // Digits alone count from the epoch, as they do for Java.
        ("DATE", "2020", "1975-07-14"),
        ("TIME(3)", "1500", "00:00:01.500"),
        ("TIMESTAMP(3)", "1500", "1970-01-01T00:00:01.500"),
    ];
    for (declared, literal, expected) in cases {
        assert_eq!(value(declared, literal), expected, "{declared} {literal}");
        let quoted = format!("\"{literal}\"");
        assert_eq!(value(declared, &quoted), expected, "{declared} {quoted}");
    }
}

#[test]
fn strings_read_as_their_types_say() {
    let cases = [
        ("BOOLEAN", r#""TRUE""#, "true"),
        ("BOOLEAN", r#""False""#, "false"),
        ("FLOAT", r#""NaN""#, "NaN"),
        ("FLOAT", r#""-Infinity""#, "-inf"),
        ("DOUBLE", r#""Infinity""#, "inf"),
        ("DOUBLE", r#""NaN""#, "NaN"),
        ("BYTES", r#""AQUC""#, "010502"),
        ("BYTES", r#""AP/+""#, "00fffe"),
        ("BYTES", r#""AP\/+""#, "00fffe"),
        ("BINARY(2)", r#""w6Q=""#, "c3a4"),
        ("BYTES", r#""""#, ""),
        ("DATE", r#""2024-01-05""#, "2024-01-05"),
        ("TIME(3)", r#""10:20:30.12""#, "10:20:30.120"),
        (
            "TIMESTAMP(3)",
            r#""2024-01-05 10:20:30.120""#,
            "2024-01-05T10:20:30.120",
        ),
        (
            "TIMESTAMP(3)",
            r#""2024-01-05T10:20:30.120""#,
            "2024-01-05T10:20:30.120",
        ),
        (
            "TIMESTAMP(9)",
            r#""2024-01-05 10:20:30.123456789""#,
            "2024-01-05T10:20:30.123456789",
        ),
        (
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            r#""2024-01-05 10:20:30.000001""#,
            "2024-01-05T10:20:30.000001Z",
        ),
        ("STRING", r#""""#, ""),
        ("STRING", r#""null""#, "null"),
        ("STRING", r#""a\u0000b""#, "a\0b"),
        ("STRING", r#""\b\f\n\r\t\/\\\"""#, "\u{8}\u{c}\n\r\t/\\\""),
        ("STRING", r#""\uD83E\uDD80\u00e9é漢""#, "🦀éé漢"),
        ("STRING", "\"\u{7f}\u{2028}\"", "\u{7f}\u{2028}"),
        ("STRING", "null", "NULL"),
        ("INT", "null", "NULL"),
    ];
    for (declared, json, expected) in cases {
        assert_eq!(value(declared, json), expected, "{declared} {json}");
    }
}

#[test]
fn values_that_are_none_of_their_type_are_refused() {
    let integer = "an integer in its range";
    let number = "a number, NaN or Infinity";
    let finite = "a number in its range";
    let text = "a string, a number or a boolean";
    let cases = [
        ("INT", "1.0", integer),
        ("INT", "1e2", integer),
        ("INT", r#""1.0""#, integer),
        ("INT", r#"" 1""#, integer),
        ("INT", r#""""#, integer),
        ("INT", "2147483648", integer),
        ("INT", "true", integer),
        ("TINYINT", "128", integer),
        ("SMALLINT", "-32769", integer),
        ("BIGINT", "9223372036854775808", integer),
        ("BIGINT", "1e400", integer),
        ("BOOLEAN", "1", "true or false"),
        ("BOOLEAN", "0", "true or false"),
        ("BOOLEAN", r#""yes""#, "true or false"),
        ("BOOLEAN", r#"" true""#, "true or false"),
        ("DOUBLE", "true", number),
        ("DOUBLE", r#""inf""#, number),
        ("DOUBLE", r#""nan""#, number),
        ("DOUBLE", "1e400", finite),
        ("DOUBLE", "-1E400", finite),
        ("FLOAT", "1e39", finite),
        ("FLOAT", "3.5e38", finite),
        ("FLOAT", "-1000000000000000000000000000000000000000", finite),
        (
            "DECIMAL(8, 2)",
            "99999999.99",
            "a decimal number in its range",
        ),
        ("DECIMAL(8, 2)", r#""x""#, "a decimal number in its range"),
        ("STRING", r#"{"x":1}"#, text),
        ("STRING", "[1, 2]", text),
        ("INT", "{}", text),
        ("BYTES", r#""a b""#, "base64"),
        ("BYTES", "[1]", text),
        ("ARRAY<INT>", "{}", "an array"),
        ("ARRAY<INT>", r#""[1]""#, "an array"),
        ("ROW<x INT>", "[1]", "an object"),
        ("ROW<x INT>", r#""Rome""#, "an object"),
        ("MAP<STRING, INT>", "[]", "an object"),
        ("MAP<STRING, INT>", "1", "an object"),
    ];
    for (declared, json, expected) in cases {
        let expected = format!("{json} cannot be read as {declared}: expected {expected}");
        assert_eq!(rejected(declared, json), expected);
    }
    for (declared, json) in [
        ("DATE", r#""2024-02-30""#),
        ("DATE", r#""2024/01/05""#),
        ("TIME", r#""25:00:00""#),
        ("TIME", r#""24:00:00""#),
        ("TIME", r#"" 12""#),
        ("DATE", r#"" 2024""#),
        ("INT", r#""١٢""#),
        ("TIMESTAMP(3)", r#""2024-01-05 24:00:00""#),
        ("TIMESTAMP(7)", r#""1677-09-21 00:12:43""#),
        ("TIMESTAMP(9)", r#""2262-04-11 23:47:17""#),
        ("TIMESTAMP(3)", r#""2023-02-31 00:00:00""#),
        ("TIMESTAMP(3)", r#""2024-01-05 10:20:30Z""#),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "1500"),
    ] {
        assert!(rejected(declared, json).starts_with(&format!("{json} cannot be read as ")));
    }
}

/// In quotes it is a text, which means what it means in csv.
#[test]
fn texts_of_numbers_beyond_the_type_are_infinities() {
    assert_eq!(value("DOUBLE", r#""1e400""#), "inf");
    assert_eq!(value("DOUBLE", r#""-1e400""#), "-inf");
    assert_eq!(value("FLOAT", r#""1e39""#), "inf");
    assert_eq!(value("DOUBLE", r#""Infinity""#), "inf");
}

#[test]
fn numbers_that_are_long_but_not_large_are_read() {
    let zeros = "0".repeat(400);
    assert_eq!(value("DOUBLE", &format!("0.{zeros}1")), "0.0");
    assert_eq!(value("DOUBLE", &format!("1.{zeros}1")), "1.0");
    assert_eq!(value("FLOAT", &format!("1.{zeros}e5")), "100000.0");
    assert_eq!(value("DECIMAL(5, 2)", &format!("1.{zeros}1")), "1.00");
    let limit = format!("1{}", "0".repeat(308));
    assert_eq!(value("DOUBLE", &limit), "1e308");
    let expected = "expected a number in its range";
    assert!(rejected("DOUBLE", &format!("{limit}0")).ends_with(expected));
}

#[test]
fn long_texts_are_cut_in_messages() {
    let long = "é".repeat(5000);
    let expected = format!(
        "\"{}… cannot be read as INT: expected an integer in its range",
        "é".repeat(99)
    );
    assert_eq!(rejected("INT", &format!("\"{long}\"")), expected);
}

#[test]
fn not_null_columns_are_never_null() {
    let ddl =
        "a INT NOT NULL, r ROW<x INT NOT NULL>, l ARRAY<INT NOT NULL>, m MAP<STRING, INT NOT NULL>";
    let reason = "it is NOT NULL in the table but null in the line";
    for (line, column) in [
        ("{}", "a"),
        (r#"{"a":null}"#, "a"),
        (r#"{"a":1,"r":{}}"#, "r.x"),
        (r#"{"a":1,"r":{"x":null}}"#, "r.x"),
        (r#"{"a":1,"l":[1,null]}"#, "l.element"),
        (r#"{"a":1,"m":{"k":null}}"#, "m.value"),
    ] {
        for lenient in [false, true] {
            let mut decoding = Decoding::new(&columns(ddl), lenient);
            decoding.line(r#"{"a":7,"l":[1],"m":{"k":2}}"#).unwrap();
            let bad = decoding.line(line).unwrap_err();
            assert_eq!(
                (bad.column.as_deref(), bad.reason.as_str()),
                (Some(column), reason),
                "{line}"
            );
            assert_eq!(show(&decoding.rows()), ["7 | NULL | [1] | {k: 2}"]);
        }
    }
    let mut decoding = Decoding::lenient(ddl);
    let bad = decoding.line(r#"{"a":"x"}"#).unwrap_err();
    let expected = "\"x\" cannot be read as INT: expected an integer in its range, \
                    and it is NOT NULL, so NULL cannot stand for the value";
    assert_eq!(
        (bad.column.as_deref(), bad.reason.as_str()),
        (Some("a"), expected)
    );
    // A null ROW has no members to be null.
    let rows = read(ddl, &[r#"{"a":1,"r":null,"l":[],"m":{}}"#, r#"{"a":2}"#]);
    assert_eq!(rows, ["1 | NULL | [] | {}", "2 | NULL | NULL | NULL"]);
}
