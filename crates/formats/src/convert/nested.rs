//! Lists, maps and structs: their children convert one by one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, ListArray, MapArray, StructArray, new_null_array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, Field, FieldRef, Fields};
use arrow_select::nullif::nullif;
use ftable_core::{DataField, DataType, TypeKind};

use super::Conversion;
use super::elements::{Elements, Entries, plain_list, plain_map, unwrap_list, unwrap_map};
use super::file_type::{FileType, Form};
use super::mismatch::{Failure, Mismatch, Site};

/// The conversions of a nested type's children.
#[derive(Debug, Clone)]
pub(super) enum Children {
    List {
        wrapped: bool,
        element: Conversion,
    },
    Map {
        wrapped: bool,
        key: Conversion,
        value: Conversion,
    },
    Struct {
        children: Vec<(String, Child)>,
    },
}

#[derive(Debug, Clone)]
pub(super) enum Child {
    /// A child of the file, by its position.
    File {
        index: usize,
        conversion: Conversion,
    },
    /// Not in the file.
    Missing,
}

impl Children {
    pub(super) fn plan(file: &FileType, declared: &DataType) -> Result<Self, Mismatch> {
        if let Some(planned) = Self::unwrapped(file, declared) {
            return planned;
        }
        match (&file.arrow, file.children.as_slice(), declared.kind()) {
            (
                ArrowType::List(_)
                | ArrowType::LargeList(_)
                | ArrowType::FixedSizeList(..)
                | ArrowType::ListView(_)
                | ArrowType::LargeListView(_),
                [element],
                TypeKind::Array { element: declared },
            ) => Self::list(element, declared, false),
            (ArrowType::Map(..), [file_key, file_value], TypeKind::Map { key, value }) => {
                Self::map(file_key, file_value, key, value, false)
            }
            (ArrowType::Map(..), [file_key, file_value], TypeKind::Multiset { element }) => {
                Self::map(file_key, file_value, element, &counts(), false)
            }
            (ArrowType::Struct(fields), children, TypeKind::Row { fields: declared })
                if fields.len() == children.len() =>
            {
                Self::row(fields, children, declared)
            }
            _ => Err(Mismatch::new(&file.name, declared)),
        }
    }

    /// A group around one repeated field, where a list or a map is declared.
    ///
    /// As in Java the annotation is not needed: the first field of the repeated group is the element, and a map
    /// has fields named `key` and `value`.
    fn unwrapped(file: &FileType, declared: &DataType) -> Option<Result<Self, Mismatch>> {
        let [repeated] = file.children.as_slice() else {
            return None;
        };
        let [inner] = repeated.children.as_slice() else {
            return None;
        };
        if file.form != Form::Wrapper {
            return None;
        }
        match (declared.kind(), &inner.arrow) {
            (TypeKind::Array { element }, ArrowType::Struct(_)) => {
                Some(Self::list(inner.children.first()?, element, true))
            }
            (TypeKind::Array { element }, _) => Some(Self::list(inner, element, true)),
            (TypeKind::Map { key, value }, ArrowType::Struct(fields)) => {
                let [file_key, file_value] = key_and_value(fields, &inner.children)?;
                Some(Self::map(file_key, file_value, key, value, true))
            }
            (TypeKind::Multiset { element }, ArrowType::Struct(fields)) => {
                let [file_key, file_value] = key_and_value(fields, &inner.children)?;
                Some(Self::map(file_key, file_value, element, &counts(), true))
            }
            _ => None,
        }
    }

    fn list(element: &FileType, declared: &DataType, wrapped: bool) -> Result<Self, Mismatch> {
        let element =
            Conversion::plan(element, declared).map_err(|mismatch| mismatch.under("element"))?;
        Ok(Self::List { wrapped, element })
    }

    fn map(
        file_key: &FileType,
        file_value: &FileType,
        key: &DataType,
        value: &DataType,
        wrapped: bool,
    ) -> Result<Self, Mismatch> {
        let key = Conversion::plan(file_key, key).map_err(|mismatch| mismatch.under("key"))?;
        let value =
            Conversion::plan(file_value, value).map_err(|mismatch| mismatch.under("value"))?;
        Ok(Self::Map {
            wrapped,
            key,
            value,
        })
    }

    fn row(fields: &Fields, types: &[FileType], declared: &[DataField]) -> Result<Self, Mismatch> {
        let mut children = Vec::with_capacity(declared.len());
        for field in declared {
            let mut found = fields
                .iter()
                .zip(types)
                .enumerate()
                .filter(|(_, (file, _))| *file.name() == field.name);
            let child = match found.next() {
                Some((index, (_, file_type))) => {
                    let conversion = Conversion::plan(file_type, &field.data_type)
                        .map_err(|mismatch| mismatch.under(&field.name))?;
                    Child::File { index, conversion }
                }
                None if field.data_type.is_nullable() => Child::Missing,
                None => return Err(Mismatch::missing_child(&field.name)),
            };
            if found.next().is_some() {
                return Err(Mismatch::ambiguous_child(&field.name));
            }
            children.push((field.name.clone(), child));
        }
        Ok(Self::Struct { children })
    }

    pub(super) fn apply(
        &self,
        array: &ArrayRef,
        target: &ArrowType,
        site: &Site<'_>,
    ) -> Result<ArrayRef, Failure> {
        match (self, target) {
            (Self::List { wrapped, element }, ArrowType::List(field)) => {
                let lists = match wrapped {
                    true => unwrap_list(array),
                    false => plain_list(array),
                };
                let lists = lists.ok_or_else(|| Failure::broken(site, "not a list"))?;
                apply_list(&lists, element, field, site)
            }
            (
                Self::Map {
                    wrapped,
                    key,
                    value,
                },
                ArrowType::Map(field, _),
            ) => {
                let entries = match wrapped {
                    true => unwrap_map(array),
                    false => plain_map(array),
                };
                let entries = entries.ok_or_else(|| Failure::broken(site, "not a map"))?;
                apply_map(&entries, key, value, field, site)
            }
            (Self::Struct { children }, ArrowType::Struct(fields)) => {
                apply_struct(array, children, fields, site)
            }
            _ => Err(Failure::broken(
                site,
                "decoded to another type than planned",
            )),
        }
    }
}

/// The type of a multiset's counts.
fn counts() -> DataType {
    DataType::new(TypeKind::Int, false)
}

fn key_and_value<'a>(fields: &Fields, children: &'a [FileType]) -> Option<[&'a FileType; 2]> {
    let [key, value] = children else { return None };
    let named = fields.first()?.name() == "key" && fields.get(1)?.name() == "value";
    named.then_some([key, value])
}

fn apply_list(
    lists: &ListArray,
    element: &Conversion,
    field: &FieldRef,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let inner = site.child("element");
    let values = vec![Arc::clone(lists.values())];
    let elements = Elements::new(lists.offsets(), lists.nulls(), values)
        .ok_or_else(|| Failure::broken(site, "offsets outside of the elements"))?;
    elements.convert(|elements| {
        let values = elements.columns.first().ok_or_else(|| no_column(site))?;
        let converted = child(element, values, field, None, &inner)?;
        ListArray::try_new(
            Arc::clone(field),
            elements.offsets.clone(),
            converted,
            elements.nulls.clone(),
        )
        .map(|list| Arc::new(list) as ArrayRef)
        .map_err(|error| (Failure::broken(site, error), 0))
    })
}

fn apply_map(
    maps: &Entries,
    key: &Conversion,
    value: &Conversion,
    entries_field: &FieldRef,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let broken = || Failure::broken(site, "not a map");
    let ArrowType::Struct(fields) = entries_field.data_type() else {
        return Err(broken());
    };
    let [key_field, value_field] = &fields[..] else {
        return Err(broken());
    };
    let (key_site, value_site) = (site.child("key"), site.child("value"));
    let columns = vec![Arc::clone(&maps.keys), Arc::clone(&maps.values)];
    let elements = Elements::new(&maps.offsets, maps.nulls.as_ref(), columns)
        .ok_or_else(|| Failure::broken(site, "offsets outside of the entries"))?;
    elements.convert(|elements| {
        let [keys, values] = &elements.columns[..] else {
            return Err(no_column(site));
        };
        let keys = child(key, keys, key_field, None, &key_site)?;
        let values = child(value, values, value_field, None, &value_site)?;
        let failed = |error| (Failure::broken(site, error), 0);
        let entries =
            StructArray::try_new(fields.clone(), vec![keys, values], None).map_err(failed)?;
        let (offsets, nulls) = (elements.offsets.clone(), elements.nulls.clone());
        MapArray::try_new(Arc::clone(entries_field), offsets, entries, nulls, false)
            .map(|map| Arc::new(map) as ArrayRef)
            .map_err(failed)
    })
}

fn apply_struct(
    array: &ArrayRef,
    children: &[(String, Child)],
    fields: &Fields,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let rows = array
        .as_struct_opt()
        .ok_or_else(|| Failure::broken(site, "not a struct"))?;
    let nulls = rows.nulls();
    let mut columns = Vec::with_capacity(children.len());
    for ((name, source), field) in children.iter().zip(fields) {
        let inner = site.child(name);
        columns.push(match source {
            Child::Missing => new_null_array(field.data_type(), rows.len()),
            Child::File { index, conversion } => {
                let column = rows.columns().get(*index);
                let column = column.ok_or_else(|| Failure::broken(&inner, "missing"))?;
                let converted = child(conversion, column, field, nulls, &inner);
                converted.or_else(|first| {
                    masked(column, nulls, first, |seen| {
                        child(conversion, seen, field, nulls, &inner)
                    })
                })?
            }
        });
    }
    let made = if fields.is_empty() {
        Ok(StructArray::new_empty_fields(rows.len(), nulls.cloned()))
    } else {
        StructArray::try_new(fields.clone(), columns, nulls.cloned())
    };
    made.map(|made| Arc::new(made) as ArrayRef)
        .map_err(|error| Failure::broken(site, error))
}

/// Converts once more with null wherever the parent is null: what lies there is not seen.
fn masked(
    column: &ArrayRef,
    parent: Option<&NullBuffer>,
    (first, _): (Failure, usize),
    again: impl Fn(&ArrayRef) -> Result<ArrayRef, (Failure, usize)>,
) -> Result<ArrayRef, Failure> {
    let Some(parent) = parent.filter(|parent| parent.null_count() > 0) else {
        return Err(first);
    };
    let hidden = BooleanArray::new(!parent.inner(), None);
    match nullif(column, &hidden) {
        Ok(seen) => again(&seen).map_err(|(failure, _)| failure),
        Err(_) => Err(first),
    }
}

fn no_column(site: &Site<'_>) -> (Failure, usize) {
    (Failure::broken(site, "no elements"), 0)
}

/// Converts a child and refuses a null in a NOT NULL one, unless its parent is null too.
///
/// A failure comes with its position in the child.
fn child(
    conversion: &Conversion,
    column: &ArrayRef,
    field: &Field,
    parent: Option<&NullBuffer>,
    site: &Site<'_>,
) -> Result<ArrayRef, (Failure, usize)> {
    let converted = conversion.apply(column, site).map_err(|failure| {
        let row = failure.row();
        (failure, row)
    })?;
    if field.is_nullable() || converted.null_count() == 0 {
        return Ok(converted);
    }
    let wrong =
        |row: &usize| converted.is_null(*row) && parent.is_none_or(|parent| parent.is_valid(*row));
    match (0..converted.len()).find(wrong) {
        Some(row) => Err((Failure::null(site, row), row)),
        None => Ok(converted),
    }
}
