//! Names, order, absent columns.

use arrow_array::{Array, Int32Array, StringArray};
use arrow_schema::DataType as A;

use futures::TryStreamExt;

use super::*;
use crate::testing::{columns, run};

fn file(types: &[A]) -> Vec<FileType> {
    types.iter().map(FileType::of_arrow).collect()
}

fn align(names: &[&str], types: &[A], declared: &str) -> Result<Alignment> {
    let fields = columns(declared);
    let positions = positions_by_name("/f", names, &fields)?;
    Alignment::new("/f", "test", &file(types), &fields, &positions)
}

fn error(names: &[&str], types: &[A], declared: &str) -> String {
    match align(names, types, declared) {
        Ok(_) => panic!("aligned"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn columns_are_found_by_name_in_any_order() {
    let alignment = align(
        &["x", "b", "y", "a"],
        &[A::Null, A::Utf8, A::Null, A::Int32],
        "a INT, n DATE, b STRING",
    )
    .unwrap();
    assert_eq!(alignment.projection(), [1, 3]);
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["p", "q"]));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let batch = alignment
        .assemble(0, 2, &[Arc::clone(&texts), Arc::clone(&numbers)])
        .unwrap();
    assert_eq!(
        batch.schema(),
        to_arrow_schema(&columns("a INT, n DATE, b STRING")).unwrap()
    );
    assert!(Arc::ptr_eq(batch.column(0), &numbers) && Arc::ptr_eq(batch.column(2), &texts));
    assert_eq!(batch.column(1).null_count(), 2);
}

#[test]
fn names_are_compared_exactly() {
    let alignment = align(&["A", "a"], &[A::Int32, A::Int32], "a INT").unwrap();
    assert_eq!(alignment.projection(), [1]);
    let alignment = align(&["A"], &[A::Int32], "a INT").unwrap();
    assert_eq!(alignment.projection(), [0; 0]);
}

#[test]
fn a_missing_not_null_column_is_refused() {
    assert_eq!(
        error(&["a"], &[A::Int32], "a INT, b INT NOT NULL"),
        "/f: column b is NOT NULL in the table but missing in the file"
    );
}

#[test]
fn a_name_that_stands_twice_is_refused_only_where_it_is_asked_for() {
    assert_eq!(
        error(
            &["a", "b", "a"],
            &[A::Int32, A::Int32, A::Int32],
            "b INT, a INT"
        ),
        "/f: the file has several columns named a; which one is meant cannot be told"
    );
    assert!(align(&["a", "b", "a"], &[A::Int32, A::Int32, A::Int32], "b INT").is_ok());
}

#[test]
fn types_are_compared_before_anything_is_decoded() {
    assert_eq!(
        error(&["a"], &[A::Int64], "a INT"),
        "/f: column a: file type Int64 cannot be read as INT"
    );
}

#[test]
fn rows_of_messages_count_from_the_start_of_the_file() {
    let alignment = align(&["a"], &[A::Int32], "a INT NOT NULL").unwrap();
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    assert_eq!(
        alignment
            .assemble(1000, 2, &[numbers])
            .unwrap_err()
            .to_string(),
        "/f: column a is NOT NULL in the table but null (row 1001)"
    );
}

#[test]
fn files_without_columns_give_rows_alone() {
    for (declared, columns) in [("a INT, b STRING", 2), ("", 0)] {
        let fields = if declared.is_empty() {
            Arc::from(Vec::new())
        } else {
            self::columns(declared)
        };
        let alignment =
            Alignment::new("/f", "test", &[], &fields, &vec![None; fields.len()]).unwrap();
        let batches: Vec<RecordBatch> = run(alignment.counted(2500, 1000).try_collect()).unwrap();
        let sizes: Vec<_> = batches.iter().map(RecordBatch::num_rows).collect();
        assert_eq!(sizes, [1000, 1000, 500]);
        assert!(batches.iter().all(|batch| batch.num_columns() == columns));
    }
}
