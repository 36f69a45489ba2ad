use std::sync::Arc;

use arrow_array::{Float64Array, Int32Array, StringArray, TimestampMillisecondArray};
use ftable_core::types::parse_columns;
use ftable_core::{Predicate, col};

use super::*;

fn rows() -> Vec<ArrayRef> {
    vec![
        Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])),
        Arc::new(StringArray::from(vec![Some("ab"), Some("b"), None])),
        Arc::new(Float64Array::from(vec![Some(-0.0), Some(f64::NAN), None])),
        Arc::new(TimestampMillisecondArray::from(vec![
            Some(-1),
            Some(0),
            None,
        ])),
    ]
}

/// What SQL gives for each of the three rows.
fn check(predicate: &Predicate, expected: [Option<bool>; 3]) {
    let fields = parse_columns("i INT, s STRING, d DOUBLE, t TIMESTAMP(3)").unwrap();
    let bound = predicate.bind(&fields).unwrap();
    let columns = rows();
    let mask = evaluate(&bound, 3, &mut |index| Ok(Arc::clone(&columns[index]))).unwrap();
    assert_eq!(mask.iter().collect::<Vec<_>>(), expected, "{predicate}");
}

const T: Option<bool> = Some(true);
const F: Option<bool> = Some(false);
const N: Option<bool> = None;

#[test]
fn comparisons_are_null_where_the_value_is() {
    check(&col("i").eq(1), [T, N, F]);
    check(&col("i").gt(1), [F, N, T]);
    check(&col("i").gt(2.5), [F, N, T]);
    check(&col("s").lt_eq("ab"), [T, F, N]);
    check(&col("i").is_null(), [F, T, F]);
    check(&col("i").is_not_null(), [T, F, T]);
}

#[test]
fn lists_follow_three_valued_logic() {
    check(&col("i").in_list([1, 2]), [T, N, F]);
    check(&col("i").not_in_list([1, 2]), [F, N, T]);
    let with_null = Predicate::In {
        column: "i".to_owned(),
        values: vec![1.into(), ftable_core::predicate::Literal::Null],
        negated: false,
    };
    check(&with_null, [T, N, N]);
    check(&with_null.negate(), [F, N, N]);
}

#[test]
fn and_or_not_follow_three_valued_logic() {
    check(&col("i").eq(1).and(col("s").eq("b")), [F, N, F]);
    check(&col("i").eq(1).or(col("s").eq("b")), [T, T, N]);
    check(&Predicate::Not(Box::new(col("i").eq(1))), [F, N, T]);
}

#[test]
fn floats_order_nan_last_and_zeros_alike() {
    check(&col("d").eq(0.0), [T, F, N]);
    check(&col("d").eq(f64::NAN), [F, T, N]);
    check(&col("d").gt(1e308), [F, T, N]);
}

#[test]
fn timestamps_compare_as_instants() {
    check(&col("t").lt("1970-01-01 00:00:00"), [T, F, N]);
    check(&col("t").eq("1969-12-31T23:59:59.999"), [T, F, N]);
    check(&col("s").like("a%"), [T, F, N]);
}
