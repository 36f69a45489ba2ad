//! One line to fields, the values as Java Paimon's parser gives them; but for quoted texts that say NULL.

use proptest::prelude::*;
use proptest::sample::select;

use super::{counted, decoder, fields, strings};
use crate::lines::LineDecoder;

/// What a line is with three columns of strings.
fn assert_fields(options: &[(&str, &str)], line: &str, expected: [Option<&str>; 3]) {
    let found = fields(3, options, &[line]);
    let expected: Vec<_> = expected
        .iter()
        .map(|text| text.map(str::to_owned))
        .collect();
    assert_eq!(found, [expected], "{line:?}");
}

#[test]
fn lines_with_the_usual_options() {
    for (line, expected) in [
        ("a,b", [Some("a"), Some("b"), None]),
        ("a,b,c,d", [Some("a"), Some("b"), Some("c")]),
        ("a,b,", [Some("a"), Some("b"), None]),
        (" a , b ,c ", [Some(" a "), Some(" b "), Some("c ")]),
        ("\"a\"\"b\",c,d", [Some("a\"b"), Some("c"), Some("d")]),
        ("abc\"d\"ef,g,h", [Some("abc\"d\"ef"), Some("g"), Some("h")]),
        (
            "3,\"Json\"v,300.64",
            [Some("3"), Some("Json\"v"), Some("300.64")],
        ),
        ("a\"b,c,d", [None, None, None]),
        ("\"abc,d,e", [None, None, None]),
        ("x,\"abc,d", [Some("x"), None, None]),
        ("xy,  \"q\" ,y", [Some("xy"), Some("q\" "), Some("y")]),
        ("ab, \"x,y\",c", [Some("ab"), Some("x,y"), Some("c")]),
        ("a,b\\,c,d", [Some("a"), Some("b"), Some("c")]),
        ("a,\"x\\\",c", [Some("a"), None, None]),
        ("\"a", [None, None, None]),
        ("b\",c,d", [None, None, None]),
        ("a,\"x,y\",c", [Some("a"), Some("x,y"), Some("c")]),
        (
            "\"say \"\"hi\"\"\",2,x",
            [Some("say \"hi\""), Some("2"), Some("x")],
        ),
        (
            "\"say \\\"ho\\\"\",3,y",
            [Some("say \"ho\""), Some("3"), Some("y")],
        ),
        (
            "\"back\\\\slash\",1,2",
            [Some("back\\slash"), Some("1"), Some("2")],
        ),
        ("a\\b,\\N,x\\\\y", [Some("ab"), Some("N"), Some("x\\y")]),
        ("x\\\"y,1,2", [Some("x\"y"), Some("1"), Some("2")]),
        ("\"\"\"\",1,2", [Some("\""), Some("1"), Some("2")]),
        ("é漢\"x,1,2", [None, None, None]),
        ("é漢ü\"x\"y,1,2", [Some("é漢ü\"x\"y"), Some("1"), Some("2")]),
        // A character beyond 16 bits counts twice, as Java counts.
        ("🦀a\"x\"y,1,2", [Some("🦀a\"x\"y"), Some("1"), Some("2")]),
        ("🦀\"x\"y,1,2", [Some("🦀x\"y"), Some("1"), Some("2")]),
    ] {
        assert_fields(&[], line, expected);
    }
}

#[test]
fn blank_lines_are_rows_of_nulls() {
    let unbroken = "\u{a0}";
    for literal in ["", "NULL"] {
        let options = &[("csv.null-literal", literal)];
        for line in [
            "",
            " ",
            "   ",
            "\t",
            "\u{b}\u{c}",
            "\u{1c}\u{1d}\u{1e}\u{1f}",
            "\u{1680}\u{2003}\u{2028}\u{3000}",
        ] {
            assert_fields(options, line, [None; 3]);
        }
        for line in [unbroken, "\u{2007}", "\u{202f}", "\u{85}", "\u{200b}", " x"] {
            assert_fields(options, line, [Some(line), None, None]);
        }
    }
    let tabs = &[("csv.field-delimiter", "\t"), ("csv.null-literal", "NULL")];
    assert_fields(tabs, "\t\t", [None; 3]);
    assert_fields(tabs, "\tx\t", [Some(""), Some("x"), Some("")]);
}

/// An unquoted field that says the literal is NULL, a quoted one is the text.
#[test]
fn null_against_quoted_text() {
    assert_fields(&[], "1,,2", [Some("1"), None, Some("2")]);
    assert_fields(&[], "1,\"\",2", [Some("1"), Some(""), Some("2")]);
    assert_fields(&[], "\"\",\"\",\"\"", [Some(""), Some(""), Some("")]);
    assert_fields(&[], "xyz,  \"NA\",2", [Some("xyz"), Some("NA"), Some("2")]);
    // After blanks two quotes are one.
    assert_fields(&[], "xyz,  \"\",2", [Some("xyz"), Some("  \""), Some("2")]);
    let na = &[("csv.null-literal", "NA")];
    assert_fields(na, "1,NA,2", [Some("1"), None, Some("2")]);
    assert_fields(na, "1,\"NA\",2", [Some("1"), Some("NA"), Some("2")]);
    assert_fields(na, "NA,na, NA", [None, Some("na"), Some(" NA")]);
    assert_fields(na, "x,,y", [Some("x"), Some(""), Some("y")]);
    // What is left of it after an escape counts too.
    assert_fields(na, "x,N\\A,\"N\\A\"", [Some("x"), None, Some("NA")]);
}

/// A literal with an escape or a quote is compared with the field as it stands.
#[test]
fn null_literals_with_marks() {
    let hive = &[("csv.null-literal", "\\N")];
    assert_fields(hive, "\\N,N,\"\\N\"", [None, Some("N"), Some("N")]);
    assert_fields(hive, "\"\\\\N\",x\\N,\\N", [Some("\\N"), Some("xN"), None]);
    let unescaped = &[("csv.null-literal", "\\N"), ("csv.escape-character", "\0")];
    assert_fields(unescaped, "\\N,a\\b,N", [None, Some("a\\b"), Some("N")]);
    let quoted = &[("csv.null-literal", "\"\"")];
    assert_fields(quoted, "\"\",,\"x\"", [None, Some(""), Some("x")]);
}

#[test]
fn other_marks() {
    let pipes = &[("csv.field-delimiter", "|")];
    assert_fields(
        pipes,
        "1|a,b|\"x|y\"",
        [Some("1"), Some("a,b"), Some("x|y")],
    );
    let single = &[("csv.quote-character", "'"), ("csv.escape-character", "^")];
    assert_fields(
        single,
        "'a,b','^'',\"c\"",
        [Some("a,b"), Some("'"), Some("\"c\"")],
    );
    let off = &[
        ("csv.quote-character", "\0"),
        ("csv.escape-character", "\0"),
    ];
    assert_fields(
        off,
        "\"a,b\",\\\\\0",
        [Some("\"a"), Some("b\""), Some("\\\\\0")],
    );
    // Characters of several bytes, beside others that begin with the same byte.
    let wide = &[
        ("csv.field-delimiter", "é"),
        ("csv.quote-character", "è"),
        ("csv.escape-character", "ê"),
    ];
    assert_fields(wide, "üéèéüèéê", [Some("ü"), Some("éü"), None]);
    assert_fields(wide, "èêèêêëèéüéê", [Some("èêë"), Some("ü"), None]);
    assert_fields(
        &[("csv.field-delimiter", "🦀")],
        "a🦀🦐🦀c",
        [Some("a"), Some("🦐"), Some("c")],
    );
}

#[test]
fn names_of_options() {
    let line = "1\u{1}x\u{1}";
    for key in ["csv.field-delimiter", "field-delimiter", "seq", "delimiter"] {
        assert_fields(&[(key, "\u{1}")], line, [Some("1"), Some("x"), None]);
    }
    assert_fields(
        &[("seq", ";"), ("delimiter", "|")],
        "1;x|y",
        [Some("1"), Some("x|y"), None],
    );
    assert_fields(
        &[("csv.field-delimiter", ","), ("seq", ";")],
        "1,x;y",
        [Some("1"), Some("x;y"), None],
    );
    let all = &[("quote", "'"), ("escape", "^"), ("nullvalue", "NA")];
    assert_fields(all, "'a,b','^'',NA", [Some("a,b"), Some("'"), None]);
}

/// Raggedness is counted and never malformed.
#[test]
fn short_and_long_lines_are_counted() {
    for mode in ["PERMISSIVE", "DROPMALFORMED", "FAILFAST"] {
        let table = crate::testing::columns("name STRING, age INT, city STRING");
        let (mut decoder, counts) = decoder(&table, &[], &[("csv.mode", mode)]);
        for line in [
            "Alice,25,Rome",
            "Bob,30",
            "Carol,35,",
            "Dan,40,Milan,EXTRA",
            "",
            "Eve",
            "   ",
            "Fay,41,Oslo",
        ] {
            decoder.line(line).unwrap();
        }
        assert_eq!(counted(&counts), [2, 1, 0, 0]);
        assert_eq!(decoder.rows(), 8);
        let batch = decoder.take_batch().unwrap();
        let rows: Vec<String> = (0..8)
            .map(|row| {
                let cells = batch.columns().iter();
                let cells = cells.map(|array| {
                    let text = arrow_cast::display::array_value_to_string(array, row).unwrap();
                    if array.is_null(row) {
                        "-".to_owned()
                    } else {
                        text
                    }
                });
                cells.collect::<Vec<_>>().join(" ")
            })
            .collect();
        let expected = [
            "Alice 25 Rome",
            "Bob 30 -",
            "Carol 35 -",
            "Dan 40 Milan",
            "- - -",
            "Eve - -",
            "- - -",
            "Fay 41 Oslo",
        ];
        assert_eq!(rows, expected);
    }
}

/// Fields past those that are needed are counted and not looked at.
#[test]
fn fields_that_are_not_needed() {
    for (line, short, long) in [
        ("a,b,c,d", 0, 0),
        ("a,b,c", 1, 0),
        ("a", 1, 0),
        ("a,", 1, 0),
        ("a,b,c,d,e", 0, 1),
        ("a,b,c,", 0, 0),
        ("a,b,c,,", 0, 1),
        ("a,\"b,c\",d,e", 0, 0),
        ("a,b,\"c,d", 1, 0),
        ("a,b,c,\"x,y,z\"", 0, 0),
        ("a,b,c,d\\,e", 0, 1),
    ] {
        let (mut decoder, counts) = decoder(&strings(4), &["c0"], &[]);
        decoder.line(line).unwrap();
        assert_eq!(counted(&counts), [short, long, 0, 0], "{line}");
        assert_eq!(
            super::texts(&decoder.take_batch().unwrap()),
            [[Some("a".to_owned())]],
            "{line}"
        );
    }
    let wide = &[("csv.field-delimiter", "é")];
    let (mut decoder, counts) = decoder(&strings(3), &["c0"], wide);
    decoder.line("aéüéb").unwrap();
    decoder.line("aéüüü").unwrap();
    assert_eq!(counted(&counts), [1, 0, 0, 0]);
}

/// The parser as it is described, unit by unit: all fields of a line, NULL where a quote stays open or an unquoted field is
/// empty.
fn described(line: &str, separator: u16, quote: u16, escape: u16) -> Vec<Option<String>> {
    let units: Vec<u16> = line.encode_utf16().collect();
    let is_blank = |buffer: &[u16]| {
        buffer
            .iter()
            .all(|unit| [0x20, 0x09, 0x3000].contains(unit))
    };
    let mut fields = Vec::new();
    let (mut buffer, mut quoted, mut in_field, mut kept) = (Vec::<u16>::new(), false, false, false);
    let mut i = 0;
    let text = |buffer: &[u16], kept: bool| {
        (kept || !buffer.is_empty()).then(|| String::from_utf16(buffer).unwrap())
    };
    while i < units.len() {
        let (unit, next) = (units[i], units.get(i + 1).copied());
        if unit == escape {
            if (quoted || in_field) && (next == Some(quote) || next == Some(escape)) {
                buffer.extend(next);
                i += 1;
            }
        } else if unit == quote {
            if (quoted || in_field) && next == Some(quote) {
                buffer.push(quote);
                i += 1;
            } else {
                if i > 2 && units[i - 1] != separator && next.is_some() && next != Some(separator) {
                    if !buffer.is_empty() && is_blank(&buffer) {
                        buffer.clear();
                        kept = true;
                    } else {
                        buffer.push(quote);
                    }
                } else {
                    kept = true;
                }
                quoted = !quoted;
            }
            in_field = !in_field;
        } else if unit == separator && !quoted {
            fields.push(text(&buffer, kept));
            buffer.clear();
            (in_field, kept) = (false, false);
        } else {
            buffer.push(unit);
            in_field = true;
        }
        i += 1;
    }
    fields.push(text(&buffer, kept).filter(|_| !quoted));
    fields
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Fields are cut as the description says, whichever way they are read.
    #[test]
    fn fields_are_those_described(
        line in prop::collection::vec(select(&["\"", "\"", "\"", "\\", ",", ",", "a", "b", " ", "\t", "é", "ê", "🦀", "\u{3000}", "\"\"", ",\"", "\","][..]), 0..14),
        marks in select(&[(",", "\"", "\\"), (",", "\"", "\0"), (",", "\0", "\\"), ("é", "\"", "ê"), ("\t", "ê", "a"), (" ", "é", "\"")][..]),
    ) {
        let line = line.concat();
        // Blank lines have a rule of their own.
        if line.chars().all(char::is_whitespace) {
            return Ok(());
        }
        let (separator, quote, escape) = marks;
        let options =
            [("csv.field-delimiter", separator), ("csv.quote-character", quote), ("csv.escape-character", escape)];
        let unit = |mark: &str| mark.encode_utf16().next().unwrap();
        let mut expected = described(&line, unit(separator), unit(quote), unit(escape));
        let width = expected.len();
        prop_assert_eq!(&fields(width, &options, &[&line])[0], &expected, "{}", line);
        // The line ends where the last column does.
        expected.truncate(2);
        let found = fields(2, &options, &[&line]);
        prop_assert_eq!(found[0].get(..expected.len()), Some(&expected[..]), "{}", line);
        // What is only counted is counted as it would be read.
        let (mut reader, counts) = decoder(&strings(width), &["c0"], &options);
        reader.line(&line).unwrap();
        prop_assert_eq!(counted(&counts), [0; 4], "{}", line);
    }
}
