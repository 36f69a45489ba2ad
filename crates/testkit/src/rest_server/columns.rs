//! Columns and nested fields by their path.
//!
//! A path is the names from a column inwards. An `ARRAY` or `MULTISET` is passed by the step `element`, a
//! `MAP` by the step `value`.

use ftable_core::{DataField, DataType, TypeKind};
use serde_json::Value;

use super::answer::{Done, Failure};
use super::call::{required_text, text};

/// A change of the fields beside which the last name of a path stands.
type SiblingsEdit<'a> = &'a mut dyn FnMut(&mut Vec<DataField>, &str) -> Done<()>;

/// Changes the fields among which the last name of a path is, or is to be.
pub(super) fn edit_siblings(
    fields: &mut Vec<DataField>,
    path: &[String],
    edit: SiblingsEdit<'_>,
) -> Done<()> {
    match path {
        [] => Ok(()),
        [name] => edit(fields, name),
        [parents @ .., name] => edit_type(fields, parents, &mut |parent| {
            let TypeKind::Row { fields } = parent.kind() else {
                return Err(Failure::no_column(&path.join(".")));
            };
            let mut fields = fields.clone();
            edit(&mut fields, name)?;
            let row = TypeKind::Row { fields };
            Ok(DataType::new(row, parent.is_nullable()))
        }),
    }
}

/// Changes the field that a path names.
pub(super) fn edit_column(
    fields: &mut Vec<DataField>,
    path: &[String],
    edit: &mut dyn FnMut(&mut DataField) -> Done<()>,
) -> Done<()> {
    edit_siblings(fields, path, &mut |fields, name| {
        let found = fields.iter_mut().find(|field| field.name == name);
        edit(found.ok_or_else(|| Failure::no_column(&path.join(".")))?)
    })
}

/// Changes the type that a path leads to, which may be that of an element or a value.
pub(super) fn edit_type(
    fields: &mut [DataField],
    path: &[String],
    edit: &mut dyn FnMut(&DataType) -> Done<DataType>,
) -> Done<()> {
    let missing = || Failure::no_column(&path.join("."));
    let (name, inner) = path.split_first().ok_or_else(missing)?;
    let found = fields.iter_mut().find(|field| field.name == *name);
    let field = found.ok_or_else(missing)?;
    field.data_type = edited(&field.data_type, inner, edit, &missing)?;
    Ok(())
}

fn edited(
    data_type: &DataType,
    path: &[String],
    edit: &mut dyn FnMut(&DataType) -> Done<DataType>,
    missing: &dyn Fn() -> Failure,
) -> Done<DataType> {
    let Some((step, rest)) = path.split_first() else {
        return edit(data_type);
    };
    let kind = match (data_type.kind(), step.as_str()) {
        (TypeKind::Row { fields }, name) => {
            let mut fields = fields.clone();
            let found = fields.iter_mut().find(|field| field.name == name);
            let field = found.ok_or_else(missing)?;
            field.data_type = edited(&field.data_type, rest, edit, missing)?;
            TypeKind::Row { fields }
        }
        (TypeKind::Array { element }, "element") => TypeKind::Array {
            element: Box::new(edited(element, rest, edit, missing)?),
        },
        (TypeKind::Multiset { element }, "element") => TypeKind::Multiset {
            element: Box::new(edited(element, rest, edit, missing)?),
        },
        (TypeKind::Map { key, value }, "value") => TypeKind::Map {
            key: key.clone(),
            value: Box::new(edited(value, rest, edit, missing)?),
        },
        _ => return Err(missing()),
    };
    Ok(DataType::new(kind, data_type.is_nullable()))
}

/// Where a field goes among others, as the member `move` of a change says.
pub(super) fn position(fields: &[DataField], moved: &Value) -> Done<usize> {
    let reference = || {
        let name = text(moved, "referenceFieldName")?.unwrap_or_default();
        let place = fields.iter().position(|field| field.name == name);
        place.ok_or_else(|| Failure::no_column(&name))
    };
    match required_text(moved, "type")?.as_str() {
        "FIRST" => Ok(0),
        "LAST" => Ok(fields.len()),
        "BEFORE" => reference(),
        "AFTER" => Ok(reference()? + 1),
        unknown => Err(Failure::bad_request(format!("unknown move '{unknown}'"))),
    }
}
