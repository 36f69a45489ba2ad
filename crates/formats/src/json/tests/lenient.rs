//! Option `json.ignore-parse-errors`.

use super::*;

#[test]
fn wrong_shapes_are_null_and_broken_lines_are_left_out() {
    let ddl = "id INT, loc ROW<x INT>";
    let lines = [
        r#"{"id":1,"loc":{"x":1}}"#,
        r#"{"id":2,"loc":"Rome"}"#,
        r#"{"id":"x3","loc":null}"#,
        r#"{"id":4,"#,
        r#"{"other":1}"#,
    ];
    let mut strict = Decoding::strict(ddl);
    strict.line(lines[0]).unwrap();
    let bad = strict.line(lines[1]).unwrap_err();
    assert_eq!(bad.column.as_deref(), Some("loc"));
    assert!(
        bad.reason.starts_with("\"Rome\" cannot be read as ROW<"),
        "{bad:?}"
    );

    let (rows, counts) = read_lenient(ddl, &lines);
    assert_eq!(
        rows,
        ["1 | {x: 1}", "2 | NULL", "NULL | NULL", "NULL | NULL"]
    );
    assert_eq!(counts, (2, 1));
}

#[test]
fn lines_that_are_no_objects_are_left_out() {
    let lines = [
        "",
        "  ",
        "[1]",
        "1",
        "\"x\"",
        "true",
        "garbage",
        "null",
        r#"{"a":1}"#,
        r#"{"a":1]"#,
    ];
    let (rows, counts) = read_lenient("a INT", &lines);
    assert_eq!((rows, counts), (vec!["1".to_owned()], (0, 8)));
}

#[test]
fn a_value_that_cannot_be_read_is_null_alone() {
    let ddl = "a ARRAY<INT>, r ROW<x INT, y STRING>, m MAP<INT, INT>, s STRING, \
               deep ARRAY<ROW<l ARRAY<BOOLEAN>, z INT>>";
    let lines = [
        r#"{"a":[1,"x",3,{},[4]],"r":{"x":"x","y":"y"}}"#,
        r#"{"m":{"1":1,"x":2,"3":"y","4":4},"s":[1]}"#,
        r#"{"a":{"1":2},"r":[1],"m":[{}],"s":{"x":[1,2]},"deep":7}"#,
        r#"{"deep":[{"l":[true,1,null],"z":1.5},5,{"l":true,"z":2}]}"#,
        r#"{"m":{"x":1,"5":5}}"#,
    ];
    let expected = [
        "[1, NULL, 3, NULL, NULL] | {x: NULL, y: y} | NULL | NULL | NULL",
        "NULL | NULL | {1: 1, 3: NULL, 4: 4} | NULL | NULL",
        "NULL | NULL | NULL | NULL | NULL",
        "NULL | NULL | NULL | NULL | [{l: [true, NULL, NULL], z: NULL}, NULL, {l: NULL, z: 2}]",
        "NULL | NULL | {5: 5} | NULL | NULL",
    ];
    let (rows, counts) = read_lenient(ddl, &lines);
    assert_eq!(rows, expected);
    assert_eq!(counts, (5, 0), "once a row");
}

#[test]
fn what_was_read_of_a_broken_line_is_taken_back() {
    let ddl = "i INT, s STRING, a ARRAY<ARRAY<STRING>>, m MAP<STRING, ROW<x INT, l ARRAY<INT>>>, r ROW<x INT>";
    let whole = r#"{"i":1,"s":"one","a":[["a","b"],null,[]],"m":{"k":{"x":1,"l":[1,2]},"n":null},"r":{"x":9}}"#;
    let shown = "1 | one | [[a, b], NULL, []] | {k: {x: 1, l: [1, 2]}, n: NULL} | {x: 9}";
    // Every beginning of the line but the whole is broken.
    let broken = (0..whole.len()).map(|end| &whole[..end]);
    let mut lines = vec![whole];
    for line in broken.clone() {
        lines.extend([line, whole]);
    }
    let (rows, counts) = read_lenient(ddl, &lines);
    assert_eq!(counts, (0, whole.len() as u64));
    assert_eq!(rows.len(), whole.len() + 1);
    assert!(rows.iter().all(|row| row == shown), "{rows:#?}");

    let mut strict = Decoding::strict(ddl);
    for line in broken {
        strict.line(line).unwrap_err();
        strict.line(whole).unwrap();
    }
    let rows = show(&strict.rows());
    assert!(
        rows.len() == whole.len() && rows.iter().all(|row| row == shown),
        "{rows:#?}"
    );
}

#[test]
fn values_that_can_be_read_count_for_nothing() {
    let lines = [r#"{"a":"1","b":[{"c":1}]}"#, "{}", "null"];
    let (rows, counts) = read_lenient("a INT", &lines);
    assert_eq!((rows.len(), counts), (2, (0, 0)));
    // Read once more, since a NOT NULL column is null at first.
    let lines = [r#"{"a":"x","n":null,"a":1,"n":2}"#];
    let (rows, counts) = read_lenient("a INT, n INT NOT NULL", &lines);
    assert_eq!((rows, counts), (vec!["1 | 2".to_owned()], (0, 0)));
}
