//! Lists, maps and structs: their children convert one by one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_null_array};
use arrow_buffer::NullBuffer;
use arrow_cast::cast;
use arrow_schema::{DataType as ArrowType, Field, FieldRef, Fields};
use ftable_core::{DataField, DataType, TypeKind};

use super::mismatch::{Failure, Mismatch, Site};
use super::Conversion;

/// The conversions of a nested type's children.
#[derive(Debug, Clone)]
pub(super) enum Children {
    List { element: Conversion },
    Map { key: Conversion, value: Conversion },
    Struct { children: Vec<(String, Child)> },
}

#[derive(Debug, Clone)]
pub(super) enum Child {
    /// A child of the file, by its position.
    File { index: usize, conversion: Conversion },
    /// Not in the file.
    Missing,
}

impl Children {
    pub(super) fn plan(file: &ArrowType, declared: &DataType) -> Result<Self, Mismatch> {
        match (file, declared.kind()) {
            (
                ArrowType::List(element)
                | ArrowType::LargeList(element)
                | ArrowType::FixedSizeList(element, _)
                | ArrowType::ListView(element)
                | ArrowType::LargeListView(element),
                TypeKind::Array { element: declared },
            ) => Self::list(element, declared),
            (ArrowType::Map(entries, _), TypeKind::Map { key, value }) => Self::map(entries, key, value),
            (ArrowType::Map(entries, _), TypeKind::Multiset { element }) => {
                Self::map(entries, element, &DataType::new(TypeKind::Int, false))
            }
            (ArrowType::Struct(fields), TypeKind::Row { fields: declared }) => Self::row(fields, declared),
            _ => Err(Mismatch::new(file.to_string(), declared.to_string())),
        }
    }

    fn list(element: &FieldRef, declared: &DataType) -> Result<Self, Mismatch> {
        let element =
            Conversion::plan(element.data_type(), declared).map_err(|mismatch| mismatch.under("element"))?;
        Ok(Self::List { element })
    }

    fn map(entries: &FieldRef, key: &DataType, value: &DataType) -> Result<Self, Mismatch> {
        let refuse = || Mismatch::new(entries.data_type().to_string(), format!("MAP<{key}, {value}>"));
        let ArrowType::Struct(children) = entries.data_type() else { return Err(refuse()) };
        let (Some(file_key), Some(file_value)) = (children.first(), children.get(1)) else {
            return Err(refuse());
        };
        Ok(Self::Map {
            key: Conversion::plan(file_key.data_type(), key).map_err(|mismatch| mismatch.under("key"))?,
            value: Conversion::plan(file_value.data_type(), value).map_err(|mismatch| mismatch.under("value"))?,
        })
    }

    fn row(file: &Fields, declared: &[DataField]) -> Result<Self, Mismatch> {
        let mut children = Vec::with_capacity(declared.len());
        for field in declared {
            let child = match file.find(&field.name) {
                Some((index, found)) => {
                    let conversion = Conversion::plan(found.data_type(), &field.data_type)
                        .map_err(|mismatch| mismatch.under(&field.name))?;
                    Child::File { index, conversion }
                }
                None if field.data_type.is_nullable() => Child::Missing,
                None => return Err(Mismatch::missing_child(&field.name)),
            };
            children.push((field.name.clone(), child));
        }
        Ok(Self::Struct { children })
    }

    pub(super) fn apply(&self, array: &ArrayRef, target: &ArrowType, site: &Site<'_>) -> Result<ArrayRef, Failure> {
        match (self, target) {
            (Self::List { element }, ArrowType::List(field)) => apply_list(array, element, field, site),
            (Self::Map { key, value }, ArrowType::Map(entries, _)) => apply_map(array, key, value, entries, site),
            (Self::Struct { children }, ArrowType::Struct(fields)) => apply_struct(array, children, fields, site),
            _ => Err(Failure::null(site, 0)),
        }
    }
}

fn apply_list(
    array: &ArrayRef,
    element: &Conversion,
    field: &FieldRef,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let lists = plain_list(array).ok_or_else(|| Failure::null(site, 0))?;
    let inner = site.child("element");
    let values = element.apply(lists.values(), &inner)?;
    check_not_null(&values, field, lists.values().len(), None, &inner)?;
    ListArray::try_new(Arc::clone(field), lists.offsets().clone(), values, lists.nulls().cloned())
        .map(|list| Arc::new(list) as ArrayRef)
        .map_err(|_| Failure::null(&inner, 0))
}

/// Any list shape as the one with 32-bit offsets.
fn plain_list(array: &ArrayRef) -> Option<ListArray> {
    let plain = match array.data_type() {
        ArrowType::List(_) => return array.as_list_opt::<i32>().cloned(),
        ArrowType::LargeList(field)
        | ArrowType::FixedSizeList(field, _)
        | ArrowType::ListView(field)
        | ArrowType::LargeListView(field) => cast(array, &ArrowType::List(Arc::clone(field))).ok()?,
        _ => return None,
    };
    plain.as_list_opt::<i32>().cloned()
}

fn apply_map(
    array: &ArrayRef,
    key: &Conversion,
    value: &Conversion,
    entries_field: &FieldRef,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let fail = || Failure::null(site, 0);
    let maps = array.as_map_opt().ok_or_else(fail)?;
    let ArrowType::Struct(fields) = entries_field.data_type() else { return Err(fail()) };
    let (Some(key_field), Some(value_field)) = (fields.first(), fields.get(1)) else { return Err(fail()) };
    let (key_site, value_site) = (site.child("key"), site.child("value"));
    let keys = key.apply(maps.keys(), &key_site)?;
    check_not_null(&keys, key_field, keys.len(), None, &key_site)?;
    let values = value.apply(maps.values(), &value_site)?;
    check_not_null(&values, value_field, values.len(), None, &value_site)?;
    let entries = StructArray::try_new(fields.clone(), vec![keys, values], None).map_err(|_| fail())?;
    MapArray::try_new(Arc::clone(entries_field), maps.offsets().clone(), entries, maps.nulls().cloned(), false)
        .map(|map| Arc::new(map) as ArrayRef)
        .map_err(|_| fail())
}

fn apply_struct(
    array: &ArrayRef,
    children: &[(String, Child)],
    fields: &Fields,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let rows = array.as_struct_opt().ok_or_else(|| Failure::null(site, 0))?;
    let mut columns = Vec::with_capacity(children.len());
    for ((name, child), field) in children.iter().zip(fields) {
        let inner = site.child(name);
        let column = match child {
            Child::Missing => new_null_array(field.data_type(), rows.len()),
            Child::File { index, conversion } => {
                let column = rows.columns().get(*index).ok_or_else(|| Failure::null(&inner, 0))?;
                conversion.apply(column, &inner)?
            }
        };
        check_not_null(&column, field, rows.len(), rows.nulls(), &inner)?;
        columns.push(column);
    }
    let made = if fields.is_empty() {
        Ok(StructArray::new_empty_fields(rows.len(), rows.nulls().cloned()))
    } else {
        StructArray::try_new(fields.clone(), columns, rows.nulls().cloned())
    };
    made.map(|made| Arc::new(made) as ArrayRef).map_err(|_| Failure::null(site, 0))
}

/// Refuses a null in a NOT NULL child, unless its parent is null too.
fn check_not_null(
    child: &ArrayRef,
    field: &Field,
    rows: usize,
    parent: Option<&NullBuffer>,
    site: &Site<'_>,
) -> Result<(), Failure> {
    if field.is_nullable() || child.null_count() == 0 {
        return Ok(());
    }
    let wrong = |row: &usize| child.is_null(*row) && parent.is_none_or(|parent| parent.is_valid(*row));
    (0..rows).find(wrong).map_or(Ok(()), |row| Err(Failure::null(site, row)))
}
