//! What a line is, and which member goes where.

use super::*;

#[test]
fn numbers_and_strings_are_one_in_either_direction() {
    let ddl = "i INT, b BIGINT, d DOUBLE, f BOOLEAN, s STRING";
    let lines = [
        r#"{"i":"42","b":"7","d":"1.5","f":"true","s":"x"}"#,
        r#"{"i":42,"b":7,"d":1.5,"f":true,"s":5}"#,
    ];
    let expected = ["42 | 7 | 1.5 | true | x", "42 | 7 | 1.5 | true | 5"];
    assert_eq!(read(ddl, &lines), expected);
}

#[test]
fn members_come_in_any_order_with_others_between_and_some_missing() {
    let ddl = "i INT, b BIGINT, s STRING, t TIMESTAMP(3), a ARRAY<INT>, r ROW<x INT, y STRING>";
    let lines = [
        r#"{"zz":[1,{"q":2}],"s":"\u00fc\ud83d\ude42\n\"","i":1}"#,
        "{}",
        r#" { "r" : {"y":"k","x":"3","w":0}, "a" :[ 1 , "2",null ] ,"t":"2024-01-01 00:00:00.123","b":9223372036854775807 } "#,
        r#"{"I":1,"i ":2,"":3}"#,
    ];
    let expected = [
        "1 | NULL | ü🙂\n\" | NULL | NULL | NULL",
        "NULL | NULL | NULL | NULL | NULL | NULL",
        "NULL | 9223372036854775807 | NULL | 2024-01-01T00:00:00.123 | [1, 2, NULL] | {x: 3, y: k}",
        "NULL | NULL | NULL | NULL | NULL | NULL",
    ];
    assert_eq!(read(ddl, &lines), expected);
}

#[test]
fn names_with_escapes_are_the_names_they_mean() {
    let lines = [
        r#"{"\u0061":1,"\"":2,"\ud83e\udd80é":3}"#,
        r#"{"🦀\u00E9":4,"a":5}"#,
    ];
    let fields = columns("a INT, `\"` INT, `🦀é` INT");
    let mut decoding = Decoding::new(&fields, false);
    for line in lines {
        decoding.line(line).unwrap();
    }
    assert_eq!(show(&decoding.rows()), ["1 | 2 | 3", "5 | NULL | 4"]);
}

#[test]
fn what_follows_the_first_value_is_not_looked_at() {
    let lines = [
        r#"{"a":1} garbage"#,
        r#"{"a":2}{"a":3}"#,
        r#"{"a":4}]"#,
        "\t{\"a\":5} // more",
    ];
    assert_eq!(read("a INT", &lines), ["1", "2", "4", "5"]);
}

#[test]
fn the_line_null_is_no_row() {
    let lines = [
        "null",
        r#"{"a":1}"#,
        " null ",
        "null null",
        "null,",
        "null\"x",
    ];
    assert_eq!(read("a INT", &lines), ["1"]);
    assert_eq!(
        no_row("nullx"),
        "no JSON at byte 4: more follows on the word null: nullx"
    );
    assert_eq!(
        no_row("null1"),
        "no JSON at byte 4: more follows on the word null: null1"
    );
    assert_eq!(
        no_row("nul"),
        "no JSON at byte 3: EOF while parsing a value: nul"
    );
}

#[test]
fn other_lines_are_no_rows_and_say_what_they_hold() {
    let nothing = "an object is expected, but the line holds nothing";
    assert_eq!(no_row(""), nothing);
    assert_eq!(no_row(" \t\r"), nothing);
    for (line, held) in [
        ("[1]", "an array"),
        (r#"[{"a":1}]"#, "an array"),
        ("1", "a number"),
        ("-1.5e3", "a number"),
        (r#""{}""#, "a string"),
        ("true", "a boolean"),
        ("false", "a boolean"),
    ] {
        let expected = format!("an object is expected, but the line holds {held}");
        assert_eq!(no_row(line), expected, "{line}");
    }
}

#[test]
fn what_is_no_json_is_refused_in_every_place() {
    let lines = [
        "{'a':1}",
        "{a:1}",
        r#"{"a":NaN}"#,
        r#"{"a":Infinity}"#,
        r#"{"a":-Infinity}"#,
        r#"{"a":1,}"#,
        r#"{"a":1 /* one */}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a" 1}"#,
        r#"{"a":}"#,
        r#"{"a":1"#,
        r#"{"a":"#,
        r#"{"a"#,
        "{",
        "{,}",
        "}",
        r#"{"a":01}"#,
        r#"{"a":+1}"#,
        r#"{"a":.5}"#,
        r#"{"a":1.}"#,
        r#"{"a":1e}"#,
        r#"{"a":-}"#,
        r#"{"a":0x10}"#,
        r#"{"a":tru}"#,
        r#"{"a":truex}"#,
        r#"{"a":nul}"#,
        r#"{"a":TRUE}"#,
        r#"{"a":undefined}"#,
        "\u{feff}{\"a\":1}",
        "garbage",
        "\0",
    ];
    for line in lines {
        assert!(no_row(line).starts_with("no JSON at byte "), "{line}");
    }
    // The same where no column has the name, inside of arrays, and without columns at all.
    for line in lines.iter().filter(|line| line.starts_with(r#"{"a":"#)) {
        let elsewhere = line.replacen("\"a\"", "\"other\"", 1);
        assert!(
            no_row(&elsewhere).starts_with("no JSON at byte "),
            "{elsewhere}"
        );
        let within = line.replacen("\"a\":", "\"a\":1,\"other\":[1,{\"x\":", 1);
        assert!(no_row(&within).starts_with("no JSON at byte "), "{within}");
        let mut nothing_asked = Decoding::new(&[], false);
        assert!(nothing_asked.line(line).is_err(), "{line}");
    }
}

#[test]
fn the_place_of_an_error_is_counted_from_the_start_of_the_line() {
    for (line, at) in [
        (r#"{"a":1,"b":tru}"#, 14),
        (r#"{"a":1,"x":tru}"#, 14),
        (r#"{"b":1, "a":tru}"#, 15),
        (r#"{"a":1,"r":{"y":2,"x":tru}}"#, 25),
        (r#"{"a":1,"b":1"#, 12),
        // Members that are known begin with a comma, but for the first.
        (r#"{"a":1{"b":1}"#, 6),
        (r#"{,"a":1}"#, 1),
    ] {
        let mut decoding = Decoding::strict("a INT, b INT, r ROW<y INT, x INT>");
        decoding.line(r#"{"a":1,"x":1,"y":2}"#).unwrap();
        let bad = decoding.line(line).unwrap_err();
        let expected = format!("no JSON at byte {at}: ");
        assert!(bad.reason.starts_with(&expected), "{line} {bad:?}");
    }
}

#[test]
fn of_several_members_with_one_name_the_last_counts() {
    let ddl = "a INT, s STRING, r ROW<x INT, y INT>, l ARRAY<INT>, m MAP<STRING, ROW<z INT>>";
    let lines = [
        r#"{"a":1,"s":"x","a":2,"s":null,"a":3}"#,
        r#"{"r":{"x":1,"x":2,"y":3},"l":[1,2,3],"l":[4]}"#,
        r#"{"r":{"x":1,"y":2},"r":{"y":3},"l":[1],"l":null}"#,
        r#"{"m":{"k":{"z":1,"z":2},"j":null,"k":{"z":3}}}"#,
    ];
    let expected = [
        "3 | NULL | NULL | NULL | NULL",
        "NULL | NULL | {x: 2, y: 3} | [4] | NULL",
        "NULL | NULL | {x: NULL, y: 3} | NULL | NULL",
        "NULL | NULL | NULL | NULL | {j: NULL, k: {z: 3}}",
    ];
    assert_eq!(read(ddl, &lines), expected);
}

#[test]
fn a_member_that_is_replaced_may_hold_anything() {
    let ddl = "a INT, r ROW<x INT NOT NULL>, l ARRAY<INT>, m MAP<INT, INT>, n INT NOT NULL";
    let lines = [
        r#"{"n":1,"a":"x","r":{"x":"y","x":1},"a":2}"#,
        r#"{"r":{"x":null},"l":[1,"x"],"n":null,"r":{"x":5},"n":2,"l":[3]}"#,
        r#"{"n":3,"m":{"1":"x","2":{},"1":4,"2":5}}"#,
    ];
    let expected = [
        "2 | {x: 1} | NULL | NULL | 1",
        "NULL | {x: 5} | [3] | NULL | 2",
        "NULL | NULL | NULL | {1: 4, 2: 5} | 3",
    ];
    assert_eq!(read(ddl, &lines), expected);

    let mut decoding = Decoding::strict("a INT");
    let bad = decoding.line(r#"{"a":1,"a":"x","b":1}"#).unwrap_err();
    assert_eq!(bad.column.as_deref(), Some("a"));
    let mut decoding = Decoding::strict("m MAP<STRING, INT>");
    let bad = decoding.line(r#"{"m":{"k":1,"k":"x"}}"#).unwrap_err();
    assert_eq!(bad.column.as_deref(), Some("m.value"));
}

#[test]
fn lines_make_the_same_rows_whatever_is_asked_of_them() {
    let lines = [
        r#"{"a":1}"#,
        "null",
        r#"{"b":[1,2,{"c":null}]}"#,
        "{}",
        r#"{"a":2} trailing"#,
        "[1]",
        "",
        r#"{"a":3"#,
        r#"{"a":"x"}"#,
    ];
    let rows_and_drops = |fields: &[DataField]| {
        let mut decoding = Decoding::new(fields, true);
        for line in lines {
            decoding.line(line).unwrap();
        }
        (decoding.rows().num_rows(), decoding.counts().1)
    };
    assert_eq!(rows_and_drops(&columns("a INT")), (5, 3));
    assert_eq!(rows_and_drops(&columns("z STRING")), (5, 3));
    assert_eq!(rows_and_drops(&[]), (5, 3));
}

#[test]
fn a_batch_is_what_came_since_the_last() {
    let mut decoding = Decoding::strict("a INT, l ARRAY<STRING>");
    decoding.line(r#"{"a":1,"l":["x","y"]}"#).unwrap();
    let held = decoding.decoder.memory_size();
    decoding
        .line(r#"{"a":2,"l":["a longer text than before"]}"#)
        .unwrap();
    assert!(decoding.decoder.memory_size() > held && held > 0);
    assert_eq!(
        show(&decoding.rows()),
        ["1 | [x, y]", "2 | [a longer text than before]"]
    );
    decoding.line(r#"{"l":[]}"#).unwrap();
    assert_eq!(show(&decoding.rows()), ["NULL | []"]);
    assert_eq!(decoding.rows().num_rows(), 0);
}
