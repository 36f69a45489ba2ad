//! Comparing rows: as multisets, each value by what its type means.
//!
//! | type | equal when |
//! | --- | --- |
//! | integers | the same number, all 64 bits of it |
//! | `FLOAT`, `DOUBLE` | the same bits in that width, so `0.0` is not `-0.0`; any NaN is NaN |
//! | `MAP`, `MULTISET` | the same `[key, value]` pairs in any order |
//! | `ARRAY`, `ROW` | their elements and fields are |
//! | others | the same text |
//!
//! A value that is no spelling of its type equals only itself.

use std::collections::BTreeMap;
use std::fmt::Write;

use ftable_core::{DataField, DataType, TypeKind};
use serde_json::Value;

/// How many rows of each side a difference shows.
const SHOWN: usize = 5;

/// Fails unless both have the same rows with the same counts, in any order.
///
/// # Panics
/// With the rows that are missing and those that should not be there.
#[track_caller]
pub fn assert_rows_equal(expected: &[Value], actual: &[Value], fields: &[DataField]) {
    let difference = rows_difference(expected, actual, fields);
    assert!(difference.is_none(), "{}", difference.unwrap_or_default());
}

/// Fails unless both have the same partitions, in any order. An entry is
/// `{"partition": {...}, "path": "..."}`; `keys` are the partition columns.
///
/// # Panics
/// With the partitions that are missing and those that should not be there.
#[track_caller]
pub fn assert_partitions_equal(expected: &[Value], actual: &[Value], keys: &[DataField]) {
    let difference = partitions_difference(expected, actual, keys);
    assert!(difference.is_none(), "{}", difference.unwrap_or_default());
}

/// What [`assert_partitions_equal`] would fail with.
pub fn partitions_difference(
    expected: &[Value],
    actual: &[Value],
    keys: &[DataField],
) -> Option<String> {
    let values = DataType::row(keys.to_vec());
    let fields = [
        DataField::new(0, "partition", values),
        DataField::new(1, "path", DataType::string()),
    ];
    rows_difference(expected, actual, &fields)
}

/// What [`assert_rows_equal`] would fail with.
pub fn rows_difference(
    expected: &[Value],
    actual: &[Value],
    fields: &[DataField],
) -> Option<String> {
    let mut surplus: BTreeMap<String, i64> = BTreeMap::new();
    for row in expected {
        *surplus.entry(canonical_row(row, fields)).or_default() -= 1;
    }
    for row in actual {
        *surplus.entry(canonical_row(row, fields)).or_default() += 1;
    }
    surplus.retain(|_, count| *count != 0);
    if surplus.is_empty() {
        return None;
    }
    let mut message = format!("{} rows expected, {} read", expected.len(), actual.len());
    describe(
        &mut message,
        "missing",
        surplus.iter().filter(|(_, count)| **count < 0),
    );
    describe(
        &mut message,
        "unexpected",
        surplus.iter().filter(|(_, count)| **count > 0),
    );
    Some(message)
}

fn describe<'a>(
    message: &mut String,
    title: &str,
    rows: impl Iterator<Item = (&'a String, &'a i64)>,
) {
    let rows: Vec<_> = rows.collect();
    let total: u64 = rows.iter().map(|(_, count)| count.unsigned_abs()).sum();
    if total == 0 {
        return;
    }
    let _ = write!(message, "\n{title}: {total}");
    for (row, count) in rows.iter().take(SHOWN) {
        let _ = write!(message, "\n  {} x {row}", count.unsigned_abs());
    }
    if rows.len() > SHOWN {
        let _ = write!(message, "\n  and {} other rows", rows.len() - SHOWN);
    }
}

/// One text for all spellings of the same row: the fields in order, then members that are no field.
fn canonical_row(row: &Value, fields: &[DataField]) -> String {
    let Some(members) = row.as_object() else {
        return format!("no object: {row}");
    };
    let known = fields.iter().map(|field| match members.get(&field.name) {
        Some(value) => format!("{}: {}", field.name, canonical(value, &field.data_type)),
        None => format!("{}: absent", field.name),
    });
    let is_unknown = |name: &&String| fields.iter().all(|field| field.name != **name);
    let unknown = members
        .keys()
        .filter(is_unknown)
        .map(|name| format!("{name}: not asked for"));
    format!(
        "{{{}}}",
        known.chain(unknown).collect::<Vec<_>>().join(", ")
    )
}

fn canonical(value: &Value, data_type: &DataType) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let known = match data_type.kind() {
        TypeKind::Float => float(value).map(|number| format!("{:?}", number as f32)),
        TypeKind::Double => float(value).map(|number| format!("{number:?}")),
        TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt => {
            value.as_i64().map(|number| number.to_string())
        }
        TypeKind::Boolean => value.as_bool().map(|boolean| boolean.to_string()),
        TypeKind::Array { element } | TypeKind::Vector { element, .. } => list(value, element),
        TypeKind::Map { key, value: item } => pairs(value, key, item),
        TypeKind::Multiset { element } => pairs(value, element, &TypeKind::Int.into()),
        TypeKind::Row { fields } => value.is_object().then(|| canonical_row(value, fields)),
        _ => value.is_string().then(|| value.to_string()),
    };
    known.unwrap_or_else(|| format!("no {data_type}: {value}"))
}

fn float(value: &Value) -> Option<f64> {
    match value.as_str() {
        None => value.as_f64(),
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

fn list(value: &Value, element: &DataType) -> Option<String> {
    let items = value
        .as_array()?
        .iter()
        .map(|item| canonical(item, element));
    Some(format!("[{}]", items.collect::<Vec<_>>().join(", ")))
}

fn pairs(value: &Value, key: &DataType, item: &DataType) -> Option<String> {
    let mut entries = Vec::new();
    for pair in value.as_array()? {
        let [left, right] = pair.as_array()?.as_slice() else {
            return None;
        };
        entries.push(format!(
            "{} -> {}",
            canonical(left, key),
            canonical(right, item)
        ));
    }
    entries.sort();
    Some(format!("<{}>", entries.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str, kind: TypeKind) -> DataField {
        DataField::new(0, name, kind)
    }

    fn same(kind: TypeKind, left: &str, right: &str) -> bool {
        let row = |text: &str| json!({"c": serde_json::from_str::<Value>(text).unwrap()});
        rows_difference(&[row(left)], &[row(right)], &[field("c", kind)]).is_none()
    }

    #[test]
    fn floats_are_equal_in_their_width_and_zeros_by_sign() {
        assert!(same(TypeKind::Float, "0.1", "0.10000000149011612"));
        assert!(!same(TypeKind::Double, "0.1", "0.10000000149011612"));
        assert!(!same(TypeKind::Float, "0.0", "-0.0"));
        assert!(!same(TypeKind::Double, "0.0", "-0.0"));
        assert!(same(TypeKind::Double, "1", "1.0"));
        assert!(same(TypeKind::Float, "\"NaN\"", "\"NaN\""));
        assert!(!same(TypeKind::Float, "\"Infinity\"", "\"-Infinity\""));
        assert!(!same(TypeKind::Float, "\"1.5\"", "1.5"));
        assert!(same(
            TypeKind::Double,
            "1.7976931348623157e308",
            "1.7976931348623157e+308"
        ));
    }

    #[test]
    fn integers_are_exact_to_the_last_bit() {
        assert!(same(
            TypeKind::BigInt,
            "9223372036854775807",
            "9223372036854775807"
        ));
        assert!(!same(
            TypeKind::BigInt,
            "9223372036854775807",
            "9223372036854775806"
        ));
        assert!(!same(TypeKind::Int, "1", "1.0"));
        assert!(!same(TypeKind::Int, "1", "\"1\""));
    }

    #[test]
    fn texts_are_equal_as_they_are() {
        let decimal = TypeKind::Decimal {
            precision: 4,
            scale: 2,
        };
        assert!(same(decimal.clone(), "\"1.50\"", "\"1.50\""));
        assert!(!same(decimal.clone(), "\"1.50\"", "\"1.5\""));
        assert!(!same(decimal, "\"1.50\"", "1.50"));
        assert!(!same(TypeKind::Date, "\"2024-01-01\"", "null"));
    }

    #[test]
    fn maps_have_no_order_and_lists_do() {
        let string = || Box::new(DataType::string());
        let map = TypeKind::Map {
            key: string(),
            value: Box::new(TypeKind::Float.into()),
        };
        assert!(same(
            map.clone(),
            r#"[["a", 0.1], ["b", null]]"#,
            r#"[["b", null], ["a", 1e-1]]"#
        ));
        assert!(!same(
            map.clone(),
            r#"[["a", 1]]"#,
            r#"[["a", 1], ["a", 1]]"#
        ));
        assert!(!same(map, r#"[["a", 1]]"#, r#"{"a": 1}"#));
        let array = TypeKind::Array { element: string() };
        assert!(!same(array, r#"["a", "b"]"#, r#"["b", "a"]"#));
    }

    #[test]
    fn rows_are_compared_by_field() {
        let row = TypeKind::Row {
            fields: vec![field("x", TypeKind::Int), field("y", TypeKind::Float)],
        };
        assert!(same(
            row.clone(),
            r#"{"x": 1, "y": 0.1}"#,
            r#"{"y": 0.10000000149011612, "x": 1}"#
        ));
        assert!(!same(row.clone(), r#"{"x": 1, "y": null}"#, r#"{"x": 1}"#));
        assert!(!same(
            row,
            r#"{"x": 1, "y": null}"#,
            r#"{"x": 1, "y": null, "z": 1}"#
        ));
    }

    #[test]
    fn counts_matter_and_order_does_not() {
        let fields = [field("a", TypeKind::Int)];
        let (one, two) = (json!({"a": 1}), json!({"a": 2}));
        assert_rows_equal(
            &[one.clone(), two.clone()],
            &[two.clone(), one.clone()],
            &fields,
        );
        let difference =
            rows_difference(&[one.clone(), one.clone()], &[one, two], &fields).unwrap();
        let expected =
            "2 rows expected, 2 read\nmissing: 1\n  1 x {a: 1}\nunexpected: 1\n  1 x {a: 2}";
        assert_eq!(difference, expected);
    }

    #[test]
    fn a_difference_shows_a_few_rows_only() {
        let rows: Vec<Value> = (0..12).map(|index| json!({"a": index})).collect();
        let difference = rows_difference(&rows, &[], &[field("a", TypeKind::Int)]).unwrap();
        assert!(difference.contains("missing: 12"), "{difference}");
        assert!(difference.ends_with("and 7 other rows"), "{difference}");
    }

    #[test]
    fn partitions_are_compared_by_value_and_path() {
        let keys = [field("p", TypeKind::Float)];
        let entry = |value: f64, path: &str| json!({"partition": {"p": value}, "path": path});
        assert_partitions_equal(&[entry(0.25, "p=0.25")], &[entry(0.25, "p=0.25")], &keys);
        assert!(
            partitions_difference(&[entry(1.0, "p=1")], &[entry(1.0, "p=01")], &keys).is_some()
        );
    }
}
