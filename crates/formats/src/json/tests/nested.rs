//! ARRAY, MAP and ROW inside of each other.

use super::*;

/// The columns of a table that Java Paimon wrote.
const JAVA: &str = "id INT, a ARRAY<INT>, m MAP<STRING, BIGINT>, s ROW<x INT, y STRING>, \
                    as_ ARRAY<ROW<k STRING, v DOUBLE>>, aa ARRAY<ARRAY<STRING>>, \
                    ms MAP<INT, ROW<d DATE, l ARRAY<DECIMAL(10, 2)>>>, \
                    ss ROW<`in` ROW<t TIMESTAMP(6), b BYTES>, n SMALLINT>";

#[test]
fn lines_of_java_with_nulls_at_every_level() {
    let lines = [
        r#"{"id":"1","a":["1","2","3"],"m":{"a":"1","b":"2"},"s":{"x":"1","y":"one"},"as_":[{"k":"k1","v":"1.5"},{"k":"k2","v":"2.5"}],"aa":[["a"],["b","c"]],"ms":{"1":{"d":"2024-01-01","l":["1.00","2.50"]}},"ss":{"in":{"t":"2024-01-01 00:00:00.000001","b":"eA=="},"n":"1"}}"#,
        r#"{"id":"2","a":null,"m":null,"s":null,"as_":null,"aa":null,"ms":null,"ss":null}"#,
        r#"{"id":"3","a":[],"m":{},"s":{"x":null,"y":null},"as_":[],"aa":[],"ms":{},"ss":{"in":null,"n":null}}"#,
        r#"{"id":"4","a":[null],"m":{"a":null},"s":{"x":null,"y":"y"},"as_":[null],"aa":[null],"ms":{"2":null},"ss":{"in":{"t":null,"b":null},"n":"2"}}"#,
        r#"{"id":"5","a":[null,"5",null],"m":{"":"0","ü":"-1"},"s":{"x":"5","y":null},"as_":[{"k":null,"v":null},null,{"k":"z","v":null}],"aa":[[],[null],null,["x",null]],"ms":{"-1":{"d":null,"l":null},"3":{"d":"1969-12-31","l":[]},"4":{"d":null,"l":[null,"0.01"]}},"ss":{"in":{"t":"1969-12-31 23:59:58.999999","b":""},"n":"-1"}}"#,
    ];
    let expected = [
        "1 | [1, 2, 3] | {a: 1, b: 2} | {x: 1, y: one} | [{k: k1, v: 1.5}, {k: k2, v: 2.5}] | [[a], [b, c]] | {1: {d: 2024-01-01, l: [1.00, 2.50]}} | {in: {t: 2024-01-01T00:00:00.000001, b: 78}, n: 1}",
        "2 | NULL | NULL | NULL | NULL | NULL | NULL | NULL",
        "3 | [] | {} | {x: NULL, y: NULL} | [] | [] | {} | {in: NULL, n: NULL}",
        "4 | [NULL] | {a: NULL} | {x: NULL, y: y} | [NULL] | [NULL] | {2: NULL} | {in: {t: NULL, b: NULL}, n: 2}",
        "5 | [NULL, 5, NULL] | {: 0, ü: -1} | {x: 5, y: NULL} | [{k: NULL, v: NULL}, NULL, {k: z, v: NULL}] | [[], [NULL], NULL, [x, NULL]] | {-1: {d: NULL, l: NULL}, 3: {d: 1969-12-31, l: []}, 4: {d: NULL, l: [NULL, 0.01]}} | {in: {t: 1969-12-31T23:59:58.999999, b: }, n: -1}",
    ];
    assert_eq!(read(JAVA, &lines), expected);
}

#[test]
fn the_same_with_numbers_and_with_members_left_out() {
    let lines = [
        r#"{"id":1,"a":[1,2,3],"m":{"a":1,"b":2},"s":{"x":1,"y":"one"},"as_":[{"k":"k1","v":1.5},{"k":"k2","v":2.5}],"aa":[["a"],["b","c"]],"ms":{"1":{"d":"2024-01-01","l":[1.00,2.50]}},"ss":{"in":{"t":"2024-01-01T00:00:00.001","b":"eA=="},"n":1}}"#,
        r#"{"id":2}"#,
        r#"{"id":3,"a":[],"m":{},"s":{},"as_":[{}],"aa":[],"ms":{"7":{}},"ss":{}}"#,
    ];
    let expected = [
        "1 | [1, 2, 3] | {a: 1, b: 2} | {x: 1, y: one} | [{k: k1, v: 1.5}, {k: k2, v: 2.5}] | [[a], [b, c]] | {1: {d: 2024-01-01, l: [1.00, 2.50]}} | {in: {t: 2024-01-01T00:00:00.001, b: 78}, n: 1}",
        "2 | NULL | NULL | NULL | NULL | NULL | NULL | NULL",
        "3 | [] | {} | {x: NULL, y: NULL} | [{k: NULL, v: NULL}] | [] | {7: {d: NULL, l: NULL}} | {in: NULL, n: NULL}",
    ];
    assert_eq!(read(JAVA, &lines), expected);
}

#[test]
fn a_line_of_java_with_a_string_for_every_scalar() {
    let ddl = "bo BOOLEAN, ti TINYINT, f FLOAT, d DOUBLE, `dec` DECIMAL(10, 3), `date` DATE, \
               ts3 TIMESTAMP(3), bin BYTES";
    let line = r#"{"bo":"true","ti":"-3","f":"1.1","d":"1.0E10","dec":"12.500","date":"2024-01-05","ts3":"2024-01-05 10:20:30.120","bin":"AQUC"}"#;
    let expected =
        "true | -3 | 1.1 | 10000000000.0 | 12.500 | 2024-01-05 | 2024-01-05T10:20:30.120 | 010502";
    assert_eq!(read(ddl, &[line]), [expected]);
}

#[test]
fn keys_of_maps_read_as_their_types() {
    let cases = [
        ("INT", r#"{"1":1,"-2":2}"#, "{1: 1, -2: 2}"),
        ("BOOLEAN", r#"{"true":1,"false":2}"#, "{true: 1, false: 2}"),
        (
            "DOUBLE",
            r#"{"1.0E10":1,"NaN":2}"#,
            "{10000000000.0: 1, NaN: 2}",
        ),
        ("DECIMAL(4, 2)", r#"{"1.5":1}"#, "{1.50: 1}"),
        // Java writes the numbers that stand for dates and times, and reads both.
        (
            "DATE",
            r#"{"19727":1,"2024-01-06":2}"#,
            "{2024-01-05: 1, 2024-01-06: 2}",
        ),
        (
            "TIME(3)",
            r#"{"1500":1,"00:00:02.5":2}"#,
            "{00:00:01.500: 1, 00:00:02.500: 2}",
        ),
        (
            "TIMESTAMP(3)",
            r#"{"2024-01-05T10:20:30.120":1}"#,
            "{2024-01-05T10:20:30.120: 1}",
        ),
        ("STRING", r#"{"\u0061":1,"":2}"#, "{a: 1, : 2}"),
        // Keys that mean the same are one, however they are spelled.
        ("INT", r#"{"1":1,"2":2,"01":3,"+1":4}"#, "{2: 2, 1: 4}"),
        ("DECIMAL(4, 2)", r#"{"1.5":1,"1.50":2}"#, "{1.50: 2}"),
        ("STRING", r#"{"a":1,"b":2,"\u0061":3}"#, "{b: 2, a: 3}"),
        ("DATE", r#"{"19727":1,"2024-01-05":2}"#, "{2024-01-05: 2}"),
    ];
    for (key, json, expected) in cases {
        let rows = read(
            &format!("m MAP<{key}, INT>"),
            &[&format!("{{\"m\":{json}}}")],
        );
        assert_eq!(rows, [expected], "{key} {json}");
    }
    let lines = [
        r#"{"m":{"1":1,"01":2}}"#,
        "{}",
        r#"{"m":{"1":3}}"#,
        r#"{"m":{"2":4,"2":null}}"#,
    ];
    assert_eq!(
        read("m MAP<INT, INT>", &lines),
        ["{1: 2}", "NULL", "{1: 3}", "{2: NULL}"]
    );
}

#[test]
fn faults_name_the_column_with_all_that_are_around_it() {
    let ddl = "a ARRAY<ROW<k STRING, m MAP<INT, ARRAY<DATE>>>>, b INT";
    for (line, column, reason) in [
        (
            r#"{"a":[{"m":{"1":["2024-01-01","x"]}}]}"#,
            "a.element.m.value.element",
            "\"x\" cannot be read as DATE: ",
        ),
        (
            r#"{"a":[{"m":{"x\n":[]}}]}"#,
            "a.element.m.key",
            "\"x\\n\" cannot be read as INT: expected an integer in its range",
        ),
        (
            r#"{"a":[{"m":{"1":{}}}]}"#,
            "a.element.m.value",
            "{} cannot be read as ARRAY<DATE>: expected an array",
        ),
        (
            r#"{"a":[{"k":"x"},7]}"#,
            "a.element",
            "7 cannot be read as ROW<",
        ),
        (
            r#"{"a":[{"k":[ 1 ,2]}]}"#,
            "a.element.k",
            "[ 1 ,2] cannot be read as STRING: expected a string, a number or a boolean",
        ),
        (r#"{"b":1,"a":1}"#, "a", "1 cannot be read as ARRAY<ROW<"),
    ] {
        let (found, told) = refused(ddl, line);
        assert_eq!(found.as_deref(), Some(column), "{line}");
        assert!(told.starts_with(reason), "{told}");
    }
}
