//! The rows of the table, and that every file's type really reads as the merged one.

use std::collections::HashMap;

use arrow_schema::{DataType as A, Field, Fields, TimeUnit};
use proptest::prelude::*;

use super::super::file_type::Form;
use super::*;
use crate::convert::Conversion;
use crate::testing::data_type;

/// Leaf types of files, by a spelling of the type that each proposes.
fn files() -> Vec<(&'static str, FileType)> {
    let arrow = |arrow: A| FileType::of_arrow(&arrow);
    let leaf = |arrow: A, form| FileType::leaf(arrow, "as the format says", form);
    let named = |name: &str| {
        FileType::leaf(A::Utf8, name, Form::Plain).with_own(Some(data_type(name).kind().clone()))
    };
    let utc = || Some("UTC".into());
    vec![
        ("BOOLEAN", arrow(A::Boolean)),
        // Those without a sign first: where a pair is looked up by name, it is the signed one.
        ("SMALLINT", arrow(A::UInt8)),
        ("INT", arrow(A::UInt16)),
        ("BIGINT", arrow(A::UInt32)),
        ("TINYINT", arrow(A::Int8)),
        ("SMALLINT", arrow(A::Int16)),
        ("INT", leaf(A::Int32, Form::Bare)),
        ("INT", leaf(A::Int32, Form::MaybeTime)),
        ("BIGINT", arrow(A::Int64)),
        ("DECIMAL(20, 0)", arrow(A::UInt64)),
        ("FLOAT", arrow(A::Float32)),
        ("FLOAT", arrow(A::Float16)),
        ("DOUBLE", arrow(A::Float64)),
        ("DECIMAL(5, 2)", arrow(A::Decimal128(5, 2))),
        ("DECIMAL(7, 3)", arrow(A::Decimal128(7, 3))),
        ("DECIMAL(12, 2)", arrow(A::Decimal128(12, 2))),
        ("DECIMAL(38, 0)", arrow(A::Decimal128(38, 0))),
        ("STRING", arrow(A::Utf8)),
        ("CHAR(3)", named("CHAR(3)")),
        ("CHAR(5)", named("CHAR(5)")),
        ("VARCHAR(4)", named("VARCHAR(4)")),
        ("BYTES", arrow(A::Binary)),
        ("BINARY(16)", arrow(A::FixedSizeBinary(16))),
        ("BINARY(4)", arrow(A::FixedSizeBinary(4))),
        ("DATE", arrow(A::Date32)),
        ("TIME(3)", arrow(A::Time32(TimeUnit::Millisecond))),
        ("TIME(6)", arrow(A::Time64(TimeUnit::Microsecond))),
        (
            "TIMESTAMP(3)",
            arrow(A::Timestamp(TimeUnit::Millisecond, None)),
        ),
        (
            "TIMESTAMP(6)",
            arrow(A::Timestamp(TimeUnit::Microsecond, None)),
        ),
        (
            "TIMESTAMP(9)",
            arrow(A::Timestamp(TimeUnit::Nanosecond, None)),
        ),
        ("TIMESTAMP(9)", leaf(A::FixedSizeBinary(12), Form::Int96)),
        (
            "TIMESTAMP(6)",
            leaf(A::Timestamp(TimeUnit::Nanosecond, None), Form::WallClock),
        ),
        (
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            arrow(A::Timestamp(TimeUnit::Millisecond, utc())),
        ),
        (
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            leaf(A::Timestamp(TimeUnit::Nanosecond, None), Form::Instant),
        ),
    ]
}

fn merged(files: &[(&str, Vec<(&str, FileType)>)], keys: &[&str]) -> Result<Vec<String>, String> {
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let mut merged = MergedFields::new(&keys);
    for (path, columns) in files {
        let columns = columns
            .iter()
            .map(|(name, file)| ((*name).to_owned(), file.clone()));
        merged
            .add(&FileFields::new(path, columns))
            .map_err(|error| error.to_string())?;
    }
    let columns = merged.finish().map_err(|error| error.to_string())?;
    let text = |(name, data_type): &(String, Option<DataType>)| match data_type {
        Some(data_type) => format!("{name} {data_type}"),
        None => name.clone(),
    };
    Ok(columns.iter().map(text).collect())
}

fn one_column(types: &[&FileType]) -> Result<Vec<String>, String> {
    let files: Vec<_> = types
        .iter()
        .zip(["/a", "/b", "/c"])
        .map(|(file, path)| (path, vec![("x", (*file).clone())]))
        .collect();
    merged(&files, &[])
}

/// What two types come to, written out; what is not here has no common type. Files first.
const TOGETHER: [(&str, &str, &str); 37] = [
    ("TINYINT", "SMALLINT", "SMALLINT"),
    ("TINYINT", "INT", "INT"),
    ("TINYINT", "BIGINT", "BIGINT"),
    ("SMALLINT", "INT", "INT"),
    ("SMALLINT", "BIGINT", "BIGINT"),
    ("INT", "BIGINT", "BIGINT"),
    ("TINYINT", "FLOAT", "FLOAT"),
    ("SMALLINT", "FLOAT", "FLOAT"),
    ("INT", "FLOAT", "DOUBLE"),
    ("TINYINT", "DOUBLE", "DOUBLE"),
    ("SMALLINT", "DOUBLE", "DOUBLE"),
    ("INT", "DOUBLE", "DOUBLE"),
    ("FLOAT", "DOUBLE", "DOUBLE"),
    ("TINYINT", "DECIMAL(5, 2)", "DECIMAL(5, 2)"),
    ("SMALLINT", "DECIMAL(5, 2)", "DECIMAL(7, 2)"),
    ("INT", "DECIMAL(12, 2)", "DECIMAL(12, 2)"),
    ("INT", "DECIMAL(5, 2)", "DECIMAL(12, 2)"),
    ("BIGINT", "DECIMAL(12, 2)", "DECIMAL(21, 2)"),
    ("BIGINT", "DECIMAL(20, 0)", "DECIMAL(20, 0)"),
    ("DECIMAL(5, 2)", "DECIMAL(7, 3)", "DECIMAL(7, 3)"),
    ("DECIMAL(12, 2)", "DECIMAL(7, 3)", "DECIMAL(13, 3)"),
    ("DECIMAL(38, 0)", "DECIMAL(20, 0)", "DECIMAL(38, 0)"),
    ("CHAR(3)", "CHAR(5)", "CHAR(5)"),
    ("CHAR(5)", "VARCHAR(4)", "VARCHAR(5)"),
    ("CHAR(3)", "STRING", "STRING"),
    ("VARCHAR(4)", "STRING", "STRING"),
    ("STRING", "BYTES", "BYTES"),
    ("CHAR(3)", "BINARY(4)", "BYTES"),
    ("BINARY(16)", "BINARY(4)", "VARBINARY(16)"),
    ("BINARY(16)", "BYTES", "BYTES"),
    ("DATE", "TIMESTAMP(3)", "TIMESTAMP(3)"),
    ("DATE", "TIMESTAMP(9)", "TIMESTAMP(9)"),
    ("TIME(3)", "TIME(6)", "TIME(6)"),
    ("TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(6)"),
    ("TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP(9)"),
    (
        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    ),
    ("DECIMAL(5, 2)", "DECIMAL(12, 2)", "DECIMAL(12, 2)"),
];

#[test]
fn one_file_proposes_what_reads_as_it_is() {
    for (proposed, file) in files() {
        assert_eq!(one_column(&[&file]), Ok(vec![format!("x {proposed}")]));
        assert!(
            Conversion::plan(&file, &data_type(proposed)).is_ok(),
            "{file:?} as {proposed}"
        );
    }
}

#[test]
fn two_types_come_to_what_is_written_out() {
    for (first, second, expected) in TOGETHER {
        let files: HashMap<&str, FileType> = files().into_iter().collect();
        let pair = [&files[first], &files[second]];
        let expected = Ok(vec![format!("x {expected}")]);
        assert_eq!(one_column(&pair), expected, "{first}, {second}");
        assert_eq!(
            one_column(&[pair[1], pair[0]]),
            expected,
            "{second}, {first}"
        );
    }
}

#[test]
fn what_is_not_written_out_is_refused_or_reads_from_both() {
    let refused = [
        ("BIGINT", "DOUBLE"),
        ("BIGINT", "FLOAT"),
        ("BOOLEAN", "TINYINT"),
        ("INT", "STRING"),
        ("DECIMAL(5, 2)", "DOUBLE"),
        ("DECIMAL(38, 0)", "DECIMAL(5, 2)"),
        ("DATE", "TIMESTAMP(3) WITH LOCAL TIME ZONE"),
        ("TIMESTAMP(6)", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("DATE", "INT"),
        ("TIME(3)", "TIMESTAMP(3)"),
    ];
    let by_name: HashMap<&str, FileType> = files().into_iter().collect();
    for (first, second) in refused {
        let error = one_column(&[&by_name[first], &by_name[second]]).unwrap_err();
        let expected = format!(
            "column x is {first} in /a and {second} in /b: no type reads both without loss; \
             give a schema that says which one is meant"
        );
        assert_eq!(error, expected);
    }
    let (mut read, mut no_type) = (0, 0);
    for (_, first) in files() {
        for (_, second) in files() {
            let Ok(column) = one_column(&[&first, &second]) else {
                no_type += 1;
                continue;
            };
            let declared = data_type(column[0].strip_prefix("x ").unwrap());
            for file in [&first, &second] {
                // An ORC timestamp never stands beside a Parquet one: a table has one format.
                let planned = Conversion::plan(file, &declared);
                assert!(planned.is_ok(), "{file:?} as {declared}");
            }
            read += 1;
        }
    }
    assert!(read > 150 && no_type > 150, "{read} {no_type}");
}

#[test]
fn integers_without_a_sign_stay_integers() {
    let arrow = |arrow: A| FileType::leaf(arrow.clone(), arrow.to_string(), Form::Plain);
    let (small, wide, float) = (arrow(A::UInt8), arrow(A::Int32), arrow(A::Float64));
    assert_eq!(one_column(&[&small, &wide]), Ok(vec!["x INT".to_owned()]));
    for files in [
        [&small, &float, &wide],
        [&small, &wide, &float],
        [&float, &wide, &small],
    ] {
        assert!(one_column(&files).is_err());
    }
}

#[test]
fn int96_is_an_instant_where_another_file_has_one() {
    let int96 = FileType::leaf(A::FixedSizeBinary(12), "INT96", Form::Int96);
    let by_name: HashMap<&str, FileType> = files().into_iter().collect();
    let (instant, clock) = (
        &by_name["TIMESTAMP(3) WITH LOCAL TIME ZONE"],
        &by_name["TIMESTAMP(3)"],
    );
    for (types, expected) in [
        (vec![&int96, &int96], "x TIMESTAMP(9)"),
        (vec![&int96, clock], "x TIMESTAMP(9)"),
        (vec![&int96, &by_name["DATE"]], "x TIMESTAMP(9)"),
        (vec![instant, &int96], "x TIMESTAMP(9) WITH LOCAL TIME ZONE"),
    ] {
        assert_eq!(one_column(&types).unwrap(), [expected]);
    }
    assert!(one_column(&[&int96, instant, clock]).is_err());
    assert!(one_column(&[&int96, &by_name["BIGINT"]]).is_err());
}

#[test]
fn names_nulls_and_keys() {
    let int = || FileType::of_arrow(&A::Int32);
    let text = || FileType::of_arrow(&A::Utf8);
    let nulls = || FileType::of_arrow(&A::Null);
    let files = [
        ("/a", vec![("id", int()), ("k", text()), ("note", nulls())]),
        (
            "/b",
            vec![("note", text()), ("more", nulls()), ("id", int())],
        ),
    ];
    assert_eq!(
        merged(&files, &["k"]).unwrap(),
        ["id INT", "k", "note STRING", "more STRING"]
    );
    let twice = [("/a", vec![("id", int()), ("id", text())])];
    assert_eq!(
        merged(&twice, &[]).unwrap_err(),
        "/a: the file has several columns named id; which one is meant cannot be told"
    );
    // What a partition column is in the files is nobody's business.
    let odd = FileType::leaf(A::Null, "INTERVAL", Form::Foreign);
    let files = [("/a", vec![("k", odd.clone()), ("id", int())])];
    assert_eq!(merged(&files, &["k"]).unwrap(), ["k", "id INT"]);
    assert_eq!(
        merged(&files, &[]).unwrap_err(),
        "/a: column k: file type INTERVAL is no type of a table; give a schema that leaves the column out"
    );
}

fn of(fields: Vec<(&str, A)>) -> FileType {
    let fields: Fields = fields
        .into_iter()
        .map(|(name, arrow)| Field::new(name, arrow, true))
        .collect();
    FileType::of_arrow(&A::Struct(fields))
}

fn list(arrow: A) -> A {
    A::List(Field::new("item", arrow, true).into())
}

#[test]
fn nested_types_merge_child_by_child() {
    let first = of(vec![("a", A::Int32), ("l", list(A::Null))]);
    let second = of(vec![
        ("l", list(A::Float32)),
        ("b", A::Utf8),
        ("a", A::Int64),
    ]);
    assert_eq!(
        one_column(&[&first, &second]).unwrap(),
        ["x ROW<a BIGINT, l ARRAY<FLOAT>, b STRING>"]
    );
    let third = of(vec![("l", list(A::Boolean))]);
    assert_eq!(
        one_column(&[&first, &second, &third]).unwrap_err(),
        "column x.l.element is FLOAT in /b and BOOLEAN in /c: no type reads both without loss; \
         give a schema that says which one is meant"
    );
    let other = FileType::of_arrow(&A::Int32);
    assert_eq!(
        one_column(&[&third, &other]).unwrap_err(),
        "column x is ROW<l ARRAY<BOOLEAN>> in /a and INT in /b: no type reads both without loss; \
         give a schema that says which one is meant"
    );
    let twice = of(vec![("a", A::Int32), ("a", A::Int32)]);
    assert_eq!(
        one_column(&[&twice]).unwrap_err(),
        "/a: the file has several columns named x.a; which one is meant cannot be told"
    );
}

fn unnamed(path: &str, types: &[A]) -> FileFields {
    let columns = types.iter().enumerate();
    let columns = columns.map(|(at, arrow)| (format!("_col{}", at + 7), FileType::of_arrow(arrow)));
    FileFields::new(path, columns).unnamed()
}

#[test]
fn files_without_names_take_them_from_the_others() {
    let named = FileFields::new(
        "/n",
        [
            ("k".to_owned(), FileType::of_arrow(&A::Utf8)),
            ("id".to_owned(), FileType::of_arrow(&A::Int32)),
        ],
    );
    let add = |files: &[&FileFields]| {
        let mut merged = MergedFields::new(&["k".to_owned()]);
        for file in files {
            merged.add(file).unwrap();
        }
        merged.finish().map_err(|error| error.to_string())
    };
    let nullable = |text: &str| Some(data_type(text));
    assert_eq!(
        add(&[&unnamed("/u", &[A::Int64]), &named]).unwrap(),
        [
            ("k".to_owned(), None),
            ("id".to_owned(), nullable("BIGINT"))
        ]
    );
    assert_eq!(
        add(&[&unnamed("/u", &[A::Int64, A::Utf8])]).unwrap(),
        [
            ("_col0".to_owned(), nullable("BIGINT")),
            ("_col1".to_owned(), nullable("STRING"))
        ]
    );
    assert_eq!(
        add(&[&named, &unnamed("/u", &[A::Int64, A::Utf8])]).unwrap_err(),
        "/u: of its 2 columns without names the other files name only the first 1; give a schema"
    );
    assert!(
        add(&[&named, &unnamed("/u", &[A::Utf8])])
            .unwrap_err()
            .starts_with("column id is INT in /n and STRING in /u")
    );
}

proptest! {
    /// Whatever the order of three files, they come to the same type or are all refused.
    #[test]
    fn order_does_not_matter(a in 0..34_usize, b in 0..34_usize, c in 0..34_usize) {
        let files = files();
        let types = [&files[a].1, &files[b].1, &files[c].1];
        let forward = one_column(&types).ok();
        let orders = [[1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]];
        for order in orders {
            prop_assert_eq!(one_column(&order.map(|at| types[at])).ok(), forward.clone());
        }
    }
}
