use proptest::prelude::*;

use super::*;

#[test]
fn expressions_and_what_they_mean() {
    for (text, meaning) in [
        ("id = 1", "id = 1"),
        ("id<>1", "id <> 1"),
        ("id != 1", "id <> 1"),
        ("id == 1", "id = 1"),
        ("id < 1", "id < 1"),
        ("id <= 1", "id <= 1"),
        ("id > -1", "id > -1"),
        ("id >= +1", "id >= 1"),
        ("1 < id", "id > 1"),
        ("1 >= id", "id <= 1"),
        ("'x' = name", "name = 'x'"),
        ("id = (1)", "id = 1"),
        ("(id) = 1", "id = 1"),
        ("id = 9223372036854775807", "id = 9223372036854775807"),
        ("id = -9223372036854775808", "id = -9223372036854775808"),
        ("id = 9223372036854775808", "id = 9223372036854775808"),
        ("price > 1.50", "price > 1.50"),
        ("price > -1e3", "price > -1e3"),
        ("price > .5", "price > .5"),
        ("name = 'it''s'", "name = 'it''s'"),
        ("name = 'a\\b'", "name = 'a\\b'"),
        ("name = ''", "name = ''"),
        ("id IN (1, 2, 3)", "id IN (1, 2, 3)"),
        ("name not in ('a', NULL)", "name NOT IN ('a', NULL)"),
        ("id BETWEEN 1 AND 2", "id BETWEEN 1 AND 2"),
        ("id NOT BETWEEN -2 AND -1", "id NOT BETWEEN -2 AND -1"),
        (
            "id between 1 and 2 and b",
            "id BETWEEN 1 AND 2 AND b = TRUE",
        ),
        ("name LIKE 'a%_'", "name LIKE 'a%_'"),
        (
            "name NOT LIKE 'a!%' ESCAPE '!'",
            "name NOT LIKE 'a!%' ESCAPE '!'",
        ),
        ("id IS NULL", "id IS NULL"),
        ("id is not null", "id IS NOT NULL"),
        ("id = NULL", "id = NULL"),
        ("TRUE", "TRUE"),
        ("false", "FALSE"),
        ("b", "b = TRUE"),
        ("NOT b", "NOT (b = TRUE)"),
        ("b = FALSE", "b = FALSE"),
        ("a = 1 AND b = 2 AND c = 3", "a = 1 AND b = 2 AND c = 3"),
        ("a = 1 OR b = 2 AND c = 3", "a = 1 OR b = 2 AND c = 3"),
        ("(a = 1 OR b = 2) AND c = 3", "(a = 1 OR b = 2) AND c = 3"),
        ("NOT a = 1 AND b = 2", "NOT (a = 1) AND b = 2"),
        ("NOT (a = 1 AND b = 2)", "NOT (a = 1 AND b = 2)"),
        ("dt = DATE '2024-01-01'", "dt = DATE '2024-01-01'"),
        ("DATE '0001-01-01' <= dt", "dt >= DATE '0001-01-01'"),
        ("t = TIME '12:34:56.7'", "t = TIME '12:34:56.700'"),
        (
            "ts = TIMESTAMP '2023-06-07 13:00:00'",
            "ts = TIMESTAMP '2023-06-07 13:00:00.000000'",
        ),
        (
            "ts = timestamp '2023-06-07T13:00'",
            "ts = TIMESTAMP '2023-06-07 13:00:00.000000'",
        ),
        (
            "ts = TIMESTAMP '2023-06-07 13:00:00.123456789'",
            "ts = TIMESTAMP '2023-06-07 13:00:00.123456789'",
        ),
        (
            "ts = TIMESTAMP '2023-06-07 13:00:00Z'",
            "ts = TIMESTAMP '2023-06-07 13:00:00.000000Z'",
        ),
        (
            "ts = TIMESTAMP '2023-06-07 13:00:00+02:00'",
            "ts = TIMESTAMP '2023-06-07 11:00:00.000000Z'",
        ),
        ("raw = X'00aB'", "raw = X'00AB'"),
        ("d = DOUBLE 'NaN'", "d = DOUBLE 'NaN'"),
        ("\"Weird name\" = 1", "\"Weird name\" = 1"),
        ("`Weird name` = 1", "\"Weird name\" = 1"),
        ("Id = 1", "\"Id\" = 1"),
        ("é = 1", "\"é\" = 1"),
        ("date = DATE '2024-01-01'", "\"date\" = DATE '2024-01-01'"),
        (
            "user = 'x' AND current_date IS NULL",
            "user = 'x' AND current_date IS NULL",
        ),
    ] {
        let parsed = parse_filter(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(parsed.to_string(), meaning, "{text}");
    }
}

#[test]
fn what_a_filter_cannot_say_is_refused_by_name() {
    for (text, message) in [
        ("", "Expected: an expression"),
        ("id =", "Expected: an expression"),
        ("id = 1 x", "'x' is not expected after the expression"),
        (
            "id = 1; DROP TABLE t",
            "';' is not expected after the expression",
        ),
        ("id = 1, b", "',' is not expected after the expression"),
        ("(id = 1", "Expected: )"),
        ("name = 'x", "Unterminated string literal"),
        (
            "name = \"x\"",
            "comparing columns name and x is not supported",
        ),
        ("a = b", "comparing columns a and b is not supported"),
        ("1 = 1", "a comparison of two literals names no column"),
        ("1 IS NULL", "a test of the literal 1 names no column"),
        ("1 IN (1)", "a test of the literal 1 names no column"),
        ("id IN (a)", "a literal is wanted where column a stands"),
        ("id IN (SELECT 1)", "a subquery is not supported"),
        ("id + 1 = 2", "'id + 1' is not supported"),
        ("id = 1 + 1", "'1 + 1' is not supported"),
        ("id <=> 1", "operator <=> is not supported"),
        ("a || b", "operator || is not supported"),
        ("lower(name) = 'x'", "function lower is not supported"),
        ("now()", "function now is not supported"),
        ("s.x = 1", "the nested field s.x is not supported"),
        ("CAST(id AS STRING) = '1'", "CAST is not supported"),
        ("CASE WHEN b THEN TRUE END", "CASE is not supported"),
        ("name ILIKE 'x'", "ILIKE is not supported"),
        ("name LIKE 1", "LIKE wants a pattern in quotes, not 1"),
        (
            "name LIKE 'x' ESCAPE '!!'",
            "ESCAPE wants one character, not '!!'",
        ),
        ("b IS TRUE", "IS TRUE or IS FALSE is not supported"),
        ("NULL", "NULL alone is no condition"),
        ("1", "1 alone is no condition"),
        ("'x'", "'x' alone is no condition"),
        ("id = -'x'", "-'x' is no number"),
        (
            "dt = DATE '2024-1-1'",
            "DATE '2024-1-1' is no date; write it as yyyy-MM-dd",
        ),
        ("dt = DATE '2023-02-29'", "DATE '2023-02-29' is no date"),
        (
            "t = TIME '12:34:56.7891'",
            "TIME '12:34:56.7891' is finer than milliseconds",
        ),
        ("t = TIME 'noon'", "TIME 'noon' is no time"),
        ("ts = TIMESTAMP 'now'", "TIMESTAMP 'now' is no timestamp"),
        (
            "ts = TIMESTAMP(3) '2024-01-01 00:00:00'",
            "a literal of type TIMESTAMP(3) is not supported",
        ),
        (
            "raw = X'0'",
            "X'0' wants an even number of hexadecimal digits",
        ),
        ("id = ?", "the literal ? is not supported"),
        ("id = INTERVAL '1' DAY", "INTERVAL is not supported"),
        ("dt = DATE 5", "DATE wants a text in quotes, not 5"),
    ] {
        let error = parse_filter(text)
            .map(|parsed| parsed.to_string())
            .unwrap_err()
            .one_line();
        let prefix = format!("filter '{text}': ");
        assert!(
            error.starts_with(&prefix) && error.contains(message),
            "{error}"
        );
    }
}

#[test]
fn long_chains_and_deep_nesting_end() {
    let long = vec!["id = 1"; 20_000].join(" OR ");
    let Predicate::Or(operands) = parse_filter(&long).unwrap() else {
        panic!("not OR")
    };
    assert_eq!(operands.len(), 20_000);
    let deep = format!("{}b{}", "(".repeat(5000), ")".repeat(5000));
    assert!(
        parse_filter(&deep)
            .unwrap_err()
            .to_string()
            .ends_with("it is nested too deeply")
    );
    let nots = format!("{}b", "NOT ".repeat(5000));
    assert!(parse_filter(&nots).is_err());
}

fn literals() -> impl Strategy<Value = Literal> {
    prop_oneof![
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Boolean),
        any::<i64>().prop_map(Literal::Int),
        ".{0,8}".prop_map(Literal::String),
        proptest::collection::vec(any::<u8>(), 0..4).prop_map(Literal::Binary),
        (-100_000..3_000_000).prop_map(Literal::Date),
        (0..86_400_000).prop_map(Literal::Time),
        any::<i64>().prop_map(|nanos| Literal::Timestamp {
            epoch_nanos: nanos.into()
        }),
        any::<i64>().prop_map(|nanos| Literal::TimestampLtz {
            epoch_nanos: nanos.into()
        }),
    ]
}

proptest! {
    #[test]
    fn the_text_of_a_predicate_reads_back(
        name in "[a-zA-Z_\"` ][a-z\"]{0,6}",
        values in proptest::collection::vec(literals(), 1..4),
        negated: bool,
        pattern in ".{0,6}",
    ) {
        let column = || name.clone();
        let first = values.first().cloned().unwrap_or(Literal::Null);
        let parts = vec![
            Predicate::Compare { column: column(), op: CompareOp::LtEq, value: first.clone() },
            Predicate::Or(vec![
                Predicate::In { column: column(), values, negated },
                Predicate::Between { column: column(), low: first.clone(), high: first, negated },
            ]),
            Predicate::Like { column: column(), pattern, escape: Some('\''), negated }.negate(),
            Predicate::IsNull { column: column(), negated },
        ];
        let predicate = Predicate::And(parts);
        prop_assert_eq!(parse_filter(&predicate.to_string()).unwrap(), predicate);
    }

    #[test]
    fn no_text_panics(text in "[a-z0-9'\"()=<>,.% ANDORTILKEBW-]{0,40}") {
        let _ = parse_filter(&text);
    }
}
