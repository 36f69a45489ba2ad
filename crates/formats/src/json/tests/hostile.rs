//! Lines made to do harm.

use proptest::prelude::*;

use super::*;

const EVERYTHING: &str = "i INT, s STRING, d DOUBLE, b BOOLEAN, x BYTES, c DECIMAL(20, 5), t TIMESTAMP(6), \
                          a ARRAY<ARRAY<INT>>, m MAP<INT, STRING>, r ROW<i INT, a ARRAY<STRING>>";

fn nested(open: &str, close: &str, depth: usize) -> String {
    format!("{}1{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn depth_is_an_error_and_no_overflow() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"a":"#, "}]")] {
        for name in ["a", "other"] {
            let deep = format!("{{\"{name}\":{}}}", nested(open, close, 10_000));
            let (column, reason) = refused("a STRING", &deep);
            assert_eq!(column, None);
            assert!(reason.contains("recursion limit exceeded"), "{reason}");
            // An end is never reached.
            let open_only = format!("{{\"{name}\":{}", open.repeat(100_000));
            assert_eq!(refused("a STRING", &open_only).0, None);
        }
        let deep = nested(open, close, 10_000);
        assert!(Decoding::new(&[], false).line(&deep).is_err());
        assert_eq!(read_lenient("a INT", &[&deep]).1, (0, 1));
    }
    // Levels that nobody asked for, as deep as they may be.
    let most = format!("{{\"other\":{}}}", nested("[", "]", 200));
    assert_eq!(read("a STRING", &[&most]), ["NULL"]);
    let more = format!("{{\"other\":{}}}", nested("[", "]", 201));
    assert_eq!(refused("a STRING", &more).0, None);
}

#[test]
fn declared_depth_is_read_to_its_end() {
    // As deep as types may be.
    let declared = format!("a {}INT{}", "ARRAY<".repeat(112), ">".repeat(112));
    let line = format!("{{\"a\":{}}}", nested("[", "]", 112));
    let expected = nested("[", "]", 112);
    assert_eq!(read(&declared, &[&line]), [expected]);
    let deeper = format!("{{\"a\":{}}}", nested("[", "]", 113));
    let (column, _) = refused(&declared, &deeper);
    assert_eq!(column, Some(format!("a{}", ".element".repeat(112))));
}

#[test]
fn halves_of_characters_and_bad_escapes_are_no_json() {
    for text in [
        r"\ud800",
        r"\udc00",
        r"\ud800x",
        r"\ud800\n",
        r"\ud800\ud800",
        r"\udc00\ud800",
        r"\u12",
        r"\u12g4",
        r"\x41",
        r"\'",
        r"\",
        "\u{1}",
        "\0",
        "\n",
        "\t",
        "\u{1f}",
    ] {
        for name in ["a", "other"] {
            let line = format!("{{\"{name}\":\"{text}\"}}");
            assert!(no_row_of_text(&line), "{line}");
            let key = format!("{{\"{text}\":1}}");
            assert!(no_row_of_text(&key), "{key}");
        }
    }
}

fn no_row_of_text(line: &str) -> bool {
    let (column, reason) = refused("a STRING", line);
    let lenient = read_lenient("a STRING", &[line]);
    column.is_none() && reason.starts_with("no JSON at byte ") && lenient == (vec![], (0, 1))
}

#[test]
fn very_long_integers_are_refused() {
    let line = |digits: usize| format!("{{\"a\":{}}}", "7".repeat(digits));
    assert_eq!(read("a STRING", &[&line(4300)]), ["7".repeat(4300)]);
    assert!(no_row_of_text(&line(4302)));
}

#[test]
fn many_replaced_members_take_no_more_than_one_more_reading() {
    let bad: String = (0..5_000).map(|key| format!("\"{key}\":\"x\",")).collect();
    let good: Vec<String> = (0..5_000).map(|key| format!("\"{key}\":{key}")).collect();
    let line = format!("{{\"m\":{{{bad}{}}}}}", good.join(","));
    let mut decoding = Decoding::strict("m MAP<INT, INT>");
    decoding.line(&line).unwrap();
    let rows = show(&decoding.rows());
    assert!(rows[0].starts_with("{0: 0, 1: 1, ") && rows[0].ends_with(", 4999: 4999}"));
}

/// Texts that are near JSON.
fn nearly_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just(":".to_owned()),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("\"2024-01-01 00:00:00\"".to_owned()),
        prop::sample::select(vec![
            "i", "s", "d", "b", "x", "c", "t", "a", "m", "r", "\\u0069", "é"
        ])
        .prop_map(|name| format!("\"{name}\":")),
        ".{0,3}",
    ];
    let pieces =
        prop::collection::vec(piece, 0..30).prop_map(|pieces| format!("{{{}}}", pieces.concat()));
    prop_oneof![1 => pieces, 3 => object(), 3 => (object(), 0_usize..80, ".{0,2}").prop_map(spoiled)]
}

/// A text that is JSON.
fn object() -> impl Strategy<Value = String> {
    let name = || {
        let names = [
            "i", "s", "d", "b", "x", "c", "t", "a", "m", "r", "1", "\\u0069", "other",
        ];
        prop::sample::select(names.to_vec())
    };
    let blank = || prop_oneof![6 => Just(""), 1 => Just(" "), 1 => Just("\t \r")];
    let scalar = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            "false",
            "0",
            "-7",
            "1.5",
            "-2.5E-3",
            "12345678901",
            "\"\""
        ])
        .prop_map(str::to_owned),
        "\"[a-z0-9 :{}\\[\\],é漢]{0,6}\"",
        prop::sample::select(vec![
            r#""\n""#,
            r#""\"\\""#,
            r#""\ud83e\udd80""#,
            r#""2024-01-01""#
        ])
        .prop_map(str::to_owned),
    ];
    let members = move |value: BoxedStrategy<String>| {
        let member = (name(), blank(), blank(), value).prop_map(|(name, before, after, value)| {
            format!("{before}\"{name}\"{after}:{before}{value}{after}")
        });
        prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(",")))
    };
    let value = scalar.prop_recursive(3, 12, 4, move |value| {
        let elements = prop::collection::vec(value.clone(), 0..4);
        prop_oneof![
            elements.prop_map(|elements| format!("[{}]", elements.join(","))),
            members(value),
        ]
    });
    members(value.boxed())
}

/// The same text with characters in place of one of its own.
fn spoiled((text, at, put): (String, usize, String)) -> String {
    let kept = |(position, c): (usize, char)| match position == at {
        true => put.clone(),
        false => c.to_string(),
    };
    text.chars().enumerate().map(kept).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever the lines are, rows before and after them are whole, and each line is a row, counted or told of.
    #[test]
    fn no_line_does_harm(
        lines in prop::collection::vec(
            prop_oneof![
                nearly_json(),
                prop::collection::vec(any::<u8>(), 0..60).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            ],
            1..12,
        ),
        lenient in any::<bool>(),
    ) {
        let mut decoding = Decoding::new(&columns(EVERYTHING), lenient);
        let good = r#"{"i":1,"s":"x","a":[[1],null],"m":{"1":"y"},"r":{"i":2,"a":["z"]}}"#;
        let mut rows = 0;
        for line in &lines {
            decoding.line(good).unwrap();
            let before = decoding.decoder.rows();
            let told = decoding.line(line).is_err();
            let made = decoding.decoder.rows() - before;
            prop_assert!(made <= 1 && (made == 0 || !told));
            prop_assert!(!(told && lenient), "nothing is NOT NULL");
            rows += 1 + made;
        }
        let batch = decoding.rows();
        prop_assert_eq!(batch.num_rows(), rows);
        let good = "1 | x | NULL | NULL | NULL | NULL | NULL | [[1], NULL] | {1: y} | {i: 2, a: [z]}";
        let whole = show(&batch).iter().filter(|row| *row == good).count();
        prop_assert!(whole >= lines.len());
    }

    /// A line is a row where another parser finds an object first, and nowhere else; twice, since names are remembered.
    #[test]
    fn rows_are_what_another_parser_takes_for_objects(line in nearly_json()) {
        let mut parser = serde_json::Deserializer::from_str(&line).into_iter::<serde_json::Value>();
        let is_object = match parser.next() {
            Some(Ok(value)) => value.is_object(),
            // It has numbers of 64 bits alone.
            Some(Err(error)) => {
                prop_assume!(!error.to_string().starts_with("number out of range"));
                false
            }
            None => false,
        };
        let mut decoding = Decoding::new(&columns(EVERYTHING), true);
        for rows in 1..3 {
            decoding.line(&line).unwrap();
            prop_assert_eq!(decoding.decoder.rows(), if is_object { rows } else { 0 });
        }
        let mut nothing_asked = Decoding::new(&[], true);
        nothing_asked.line(&line).unwrap();
        prop_assert_eq!(nothing_asked.decoder.rows(), usize::from(is_object));
    }
}
