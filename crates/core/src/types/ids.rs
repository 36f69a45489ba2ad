//! Field ids.
//!
//! Ids are unique in a schema, `ROW` fields included, and never handed out again. Numbering follows
//! Paimon: a column takes its own id before the fields inside it, while inside a `ROW` the nested
//! fields come before the field that holds them. Elements, keys and values have no ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{DataField, DataType, TypeKind};
use crate::error::{Error, Result};

/// Ids from here up belong to system fields and do not count.
const FIRST_SYSTEM_ID: i32 = 1_073_741_823;

/// Numbers the columns of a new table from 0 and returns the highest id, -1 without columns.
///
/// ```
/// use ftable_core::types::{assign_field_ids, parse_columns};
/// let mut columns = parse_columns("a INT, s ROW<x ROW<p INT>, y INT>, b INT")?;
/// assert_eq!(assign_field_ids(&mut columns), 5);
/// assert_eq!(columns.iter().map(|c| c.id).collect::<Vec<_>>(), [0, 1, 5]);
/// # Ok::<(), ftable_core::Error>(())
/// ```
pub fn assign_field_ids(fields: &mut [DataField]) -> i32 {
    let mut highest = -1;
    for field in fields {
        number_column(field, &mut highest);
    }
    highest
}

/// Numbers a column added to a table whose highest id so far is `highest`, and returns the new
/// highest id.
///
/// # Errors
/// [`Error::InvalidSchema`] when the ids are used up.
pub fn assign_new_field_ids(field: &mut DataField, highest: i32) -> Result<i32> {
    // Paimon takes -1 for a table without fields; anything below is no id at all.
    let mut last = highest.max(-1);
    let left = i64::from(FIRST_SYSTEM_ID) - 1 - i64::from(last);
    if count(std::slice::from_ref(field)) > left {
        let message = format!("no field ids are left after {highest}");
        return Err(Error::InvalidSchema { message });
    }
    number_column(field, &mut last);
    Ok(last)
}

/// The highest id in the whole tree, ids of system fields aside; -1 without fields.
pub fn highest_field_id(fields: &[DataField]) -> i32 {
    let mut highest = -1;
    visit_fields(fields, &mut |field| {
        if field.id < FIRST_SYSTEM_ID {
            highest = highest.max(field.id);
        }
    });
    highest
}

/// Verifies that no id occurs twice in the whole tree.
///
/// # Errors
/// [`Error::InvalidSchema`] with the id and both fields.
pub fn check_field_ids(fields: &[DataField]) -> Result<()> {
    let mut seen: HashMap<i32, &str> = HashMap::new();
    let mut duplicate = None;
    visit_fields(fields, &mut |field| match seen.entry(field.id) {
        Entry::Vacant(entry) => {
            entry.insert(&field.name);
        }
        Entry::Occupied(entry) => {
            duplicate.get_or_insert((field.id, entry.get().to_owned(), field.name.as_str()));
        }
    });
    match duplicate {
        None => Ok(()),
        Some((id, first, second)) => Err(Error::InvalidSchema {
            message: format!("field id {id} is duplicated: '{first}' and '{second}' have it"),
        }),
    }
}

/// Numbers the fields inside a type that stands alone, from 0.
pub(super) fn assign_type_ids(data_type: &mut DataType) {
    number_type(data_type, &mut -1);
}

fn number_column(field: &mut DataField, highest: &mut i32) {
    *highest += 1;
    field.id = *highest;
    number_type(&mut field.data_type, highest);
}

fn number_type(data_type: &mut DataType, highest: &mut i32) {
    match data_type.kind_mut() {
        TypeKind::Row { fields } => {
            for field in fields {
                number_type(&mut field.data_type, highest);
                *highest += 1;
                field.id = *highest;
            }
        }
        TypeKind::Array { element }
        | TypeKind::Multiset { element }
        | TypeKind::Vector { element, .. } => number_type(element, highest),
        TypeKind::Map { key, value } => {
            number_type(key, highest);
            number_type(value, highest);
        }
        _ => {}
    }
}

fn count(fields: &[DataField]) -> i64 {
    let mut count = 0;
    visit_fields(fields, &mut |_| count += 1);
    count
}

fn visit_fields<'a>(fields: &'a [DataField], visit: &mut dyn FnMut(&'a DataField)) {
    for field in fields {
        visit(field);
        visit_type(&field.data_type, visit);
    }
}

fn visit_type<'a>(data_type: &'a DataType, visit: &mut dyn FnMut(&'a DataField)) {
    match data_type.kind() {
        TypeKind::Row { fields } => visit_fields(fields, visit),
        TypeKind::Array { element }
        | TypeKind::Multiset { element }
        | TypeKind::Vector { element, .. } => visit_type(element, visit),
        TypeKind::Map { key, value } => {
            visit_type(key, visit);
            visit_type(value, visit);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_columns;
    use super::*;

    fn ids(fields: &[DataField]) -> Vec<(String, i32)> {
        let mut found = Vec::new();
        visit_fields(fields, &mut |field| {
            found.push((field.name.clone(), field.id))
        });
        found.sort_by_key(|(_, id)| *id);
        found
    }

    fn named(pairs: &[(&str, i32)]) -> Vec<(String, i32)> {
        pairs
            .iter()
            .map(|(name, id)| ((*name).to_owned(), *id))
            .collect()
    }

    #[test]
    fn columns_come_before_their_fields_and_nested_fields_before_their_parent() {
        let text = "a INT, s ROW<x ROW<p INT, q STRING>, y ARRAY<ROW<z BIGINT>>>, \
                    m MAP<STRING, ROW<k INT>>";
        let mut fields = parse_columns(text).unwrap();
        fields.iter_mut().for_each(|field| field.id = 77);
        assert_eq!(assign_field_ids(&mut fields), 8);
        let expected = [
            ("a", 0),
            ("s", 1),
            ("p", 2),
            ("q", 3),
            ("x", 4),
            ("z", 5),
            ("y", 6),
            ("m", 7),
            ("k", 8),
        ];
        assert_eq!(ids(&fields), named(&expected));
        assert_eq!(highest_field_id(&fields), 8);
        check_field_ids(&fields).unwrap();
    }

    #[test]
    fn an_added_column_takes_its_id_before_its_fields() {
        let mut added = DataField::new(0, "r", "ROW<p INT>".parse::<DataType>().unwrap());
        assert_eq!(assign_new_field_ids(&mut added, 4).unwrap(), 6);
        assert_eq!(ids(&[added]), named(&[("r", 5), ("p", 6)]));

        let mut deep = DataField::new(0, "r", "ROW<s ROW<p INT>>".parse::<DataType>().unwrap());
        assert_eq!(assign_new_field_ids(&mut deep, 4).unwrap(), 7);
        assert_eq!(ids(&[deep]), named(&[("r", 5), ("p", 6), ("s", 7)]));
    }

    #[test]
    fn ids_never_reach_those_of_system_fields() {
        let mut added = DataField::new(0, "r", TypeKind::Int);
        assert_eq!(
            assign_new_field_ids(&mut added, FIRST_SYSTEM_ID - 2).unwrap(),
            FIRST_SYSTEM_ID - 1
        );
        assert!(assign_new_field_ids(&mut added, FIRST_SYSTEM_ID - 1).is_err());
        assert!(assign_new_field_ids(&mut added, i32::MAX).is_err());
        assert_eq!(assign_new_field_ids(&mut added, i32::MIN).unwrap(), 0);

        let system = DataField::new(2_147_483_646, "_SEQUENCE_NUMBER", TypeKind::BigInt);
        assert_eq!(
            highest_field_id(&[DataField::new(3, "a", TypeKind::Int), system]),
            3
        );
        assert_eq!(highest_field_id(&[]), -1);
        assert_eq!(assign_field_ids(&mut []), -1);
    }

    #[test]
    fn a_duplicate_is_named_wherever_it_hides() {
        let inner = DataType::row(vec![DataField::new(0, "p", TypeKind::Int)]);
        let fields = [
            DataField::new(0, "a", TypeKind::Int),
            DataField::new(1, "m", DataType::array(inner)),
        ];
        let error = check_field_ids(&fields).unwrap_err().to_string();
        assert_eq!(
            error,
            "invalid schema: field id 0 is duplicated: 'a' and 'p' have it"
        );
    }
}
