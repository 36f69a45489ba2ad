//! Which types JSON files hold.

use std::fmt;

use ftable_core::{DataField, DataType, TypeKind};

use super::NAME;
use crate::error::{EncodeSnafu, Error, Result, UnsupportedSnafu};

/// Refuses, by its path, the first column of a type that JSON files do not hold.
///
/// They hold what Java Paimon writes to them: every type with a text, ARRAY, ROW, and MAP from keys with a text. Those
/// of bytes have none: Java writes the name of the object in memory.
///
/// # Errors
/// The column and its type.
pub(super) fn check(fields: &[DataField]) -> Result<()> {
    check_fields("", fields)
}

fn check_fields(parent: &str, fields: &[DataField]) -> Result<()> {
    fields
        .iter()
        .try_for_each(|field| check_type(&join(parent, &field.name), &field.data_type))
}

fn check_type(path: &str, data_type: &DataType) -> Result<()> {
    match data_type.kind() {
        TypeKind::Array { element } => check_type(&join(path, "element"), element),
        TypeKind::Row { fields } => check_fields(path, fields),
        TypeKind::Map { key, value } => {
            if !is_key(key) {
                return Err(refused_key(&join(path, "key"), key));
            }
            check_type(&join(path, "value"), value)
        }
        TypeKind::Multiset { .. }
        | TypeKind::Vector { .. }
        | TypeKind::Variant
        | TypeKind::Blob
        | TypeKind::Geometry { .. }
        | TypeKind::Geography { .. } => Err(refused(path, data_type)),
        _ => Ok(()),
    }
}

/// Whether the values of a type can be names of members.
fn is_key(data_type: &DataType) -> bool {
    let bytes = matches!(
        data_type.kind(),
        TypeKind::Binary { .. } | TypeKind::VarBinary { .. }
    );
    !bytes && !data_type.is_nested() && check_type("", data_type).is_ok()
}

/// The error for a column of a type that JSON files do not hold.
pub(super) fn refused(path: &str, data_type: &DataType) -> Error {
    let reason = match data_type.kind() {
        TypeKind::Multiset { element } => format!("use MAP<{element}, INT> instead"),
        _ => "the type has no form in JSON; use parquet or orc".to_owned(),
    };
    unsupported(path, data_type, reason)
}

/// The error for the keys of a MAP that have no text.
pub(super) fn refused_key(path: &str, data_type: &DataType) -> Error {
    let reason = "keys of a MAP are the names of members, so they must be strings, numbers, booleans, dates or times";
    unsupported(path, data_type, reason.to_owned())
}

fn unsupported(path: &str, data_type: &DataType, reason: String) -> Error {
    UnsupportedSnafu {
        format: NAME,
        what: format!("column {path} of type {data_type}"),
        reason,
    }
    .build()
}

/// The path of what is named `name` inside of `parent`.
pub(super) fn join(parent: &str, name: &str) -> String {
    match parent {
        "" => name.to_owned(),
        parent => format!("{parent}.{name}"),
    }
}

/// The error for values that Arrow makes no array of, which no file can lead to.
pub(super) fn broken(error: impl fmt::Display) -> Error {
    EncodeSnafu {
        format: NAME,
        message: format!("rows to a batch: {error}"),
    }
    .build()
}
