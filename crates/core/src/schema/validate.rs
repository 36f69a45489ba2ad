//! Which schemas a format table can have.
//!
//! The same rules hold when a table is created and when it is opened, on the table's options
//! overlaid with those of the call. `type` alone is taken from the schema, so that a call cannot
//! decide what kind of table this is, and what matters to writers alone is left to the first write.

use std::collections::HashSet;

use super::builder::{Schema, comma_list};
use super::defaults::default_value;
use super::table_schema::TableSchema;
use crate::error::{Error, Result};
use crate::options::TableType;
use crate::options::keys::{PARTITION, TYPE};
use crate::types::check_names;
use crate::{
    DataField, DataType, FileFormatKind, FormatTableOptions, Options, PartitionCodec, TypeKind,
};

/// Names that Paimon gives to columns of its own.
const SYSTEM_NAMES: [&str; 5] = [
    "_SEQUENCE_NUMBER",
    "_VALUE_KIND",
    "_LEVEL",
    "rowkind",
    "_ROW_ID",
];
/// What names of Paimon's own key columns begin with.
const KEY_PREFIX: &str = "_KEY_";

/// Verifies that a format table can be created with this schema.
///
/// # Errors
/// [`Error::InvalidSchema`], [`Error::InvalidColumn`], [`Error::InvalidOption`] or
/// [`Error::Unsupported`] that names the column or the option.
pub fn validate_create(schema: &Schema) -> Result<()> {
    check_type(&schema.options)?;
    let resolved = FormatTableOptions::resolve(&schema.options)?;
    resolved.check_writable()?;
    check_columns(
        &schema.fields,
        &schema.partition_keys,
        &schema.options,
        &resolved,
    )
}

/// Verifies that a table with this schema can be served, and gives its validated options.
///
/// `merged` are the table's options overlaid with those of the call.
///
/// # Errors
/// As [`validate_create`]; `data-file.prefix` is left to [`FormatTableOptions::check_writable`].
pub fn validate_open(schema: &TableSchema, merged: &Options) -> Result<FormatTableOptions> {
    check_type(&schema.options)?;
    if !schema.primary_keys.is_empty() {
        return Err(no_primary_key());
    }
    let resolved = FormatTableOptions::resolve(merged)?;
    check_columns(&schema.fields, &schema.partition_keys, merged, &resolved)?;
    Ok(resolved)
}

/// The refusal of primary keys, however they are declared.
pub(super) fn no_primary_key() -> Error {
    Error::Unsupported {
        what: "a primary key (option 'primary-key' or member 'primaryKeys')".to_owned(),
        reason: "a format table records no row identity".to_owned(),
        instead: "leave it out".to_owned(),
    }
}

fn check_type(options: &Options) -> Result<()> {
    match options.get(&TYPE)? {
        TableType::FormatTable => Ok(()),
        other => Err(Error::Unsupported {
            what: format!("table type '{other}' (option '{}')", TYPE.name()),
            reason: "only tables of type 'format-table' are served".to_owned(),
            instead: "use a format table, or Paimon itself for this one".to_owned(),
        }),
    }
}

fn check_columns(
    fields: &[DataField],
    partition_keys: &[String],
    options: &Options,
    resolved: &FormatTableOptions,
) -> Result<()> {
    if fields.is_empty() {
        return Err(invalid("a table needs at least one column"));
    }
    check_names(fields).map_err(invalid)?;
    for field in fields {
        check_column(field)?;
    }
    check_partition_option(options, partition_keys)?;
    let keys = partition_fields(fields, partition_keys)?;
    // Names and types of partition columns are the codec's to judge: it spells and reads them.
    PartitionCodec::new(keys, resolved)?;
    if resolved.format == FileFormatKind::Text {
        check_text_columns(fields, partition_keys)?;
    }
    Ok(())
}

fn check_column(field: &DataField) -> Result<()> {
    let refuse = |message: String| Error::InvalidColumn {
        column: field.name.clone(),
        message,
    };
    if SYSTEM_NAMES.contains(&field.name.as_str()) || field.name.starts_with(KEY_PREFIX) {
        return Err(refuse(
            "the name is reserved for Paimon; use another".to_owned(),
        ));
    }
    field
        .data_type
        .check()
        .map_err(|error| refuse(error.to_string()))?;
    if let Some(unsupported) = find_unsupported(&field.data_type) {
        return Err(refuse(format!(
            "type {unsupported} cannot be stored in a format table"
        )));
    }
    default_value(field).map(|_| ())
}

/// The first type inside that no file format here holds.
fn find_unsupported(data_type: &DataType) -> Option<&DataType> {
    match data_type.kind() {
        TypeKind::Variant
        | TypeKind::Blob
        | TypeKind::Geometry { .. }
        | TypeKind::Geography { .. }
        | TypeKind::Vector { .. } => Some(data_type),
        TypeKind::Array { element } | TypeKind::Multiset { element } => find_unsupported(element),
        TypeKind::Map { key, value } => find_unsupported(key).or_else(|| find_unsupported(value)),
        TypeKind::Row { fields } => fields
            .iter()
            .find_map(|field| find_unsupported(&field.data_type)),
        _ => None,
    }
}

/// Option `partition` is turned into keys when a schema is built. One that stayed, or came later, must
/// not say anything else.
fn check_partition_option(options: &Options, partition_keys: &[String]) -> Result<()> {
    match options.get_raw(PARTITION.name()) {
        Some(list) if comma_list(list) != partition_keys => Err(Error::InvalidOption {
            key: PARTITION.name().to_owned(),
            value: list.to_owned(),
            message: format!(
                "the partition columns of the schema are [{}]; leave the option out",
                partition_keys.join(", ")
            ),
        }),
        _ => Ok(()),
    }
}

fn partition_fields(fields: &[DataField], partition_keys: &[String]) -> Result<Vec<DataField>> {
    let mut seen = HashSet::new();
    let mut keys = Vec::with_capacity(partition_keys.len());
    for key in partition_keys {
        if !seen.insert(key.as_str()) {
            return Err(invalid(format!("partition column '{key}' is given twice")));
        }
        match fields.iter().find(|field| field.name == *key) {
            Some(column) => keys.push(column.clone()),
            None => {
                return Err(invalid(format!(
                    "partition column '{key}' is no column of the table"
                )));
            }
        }
    }
    Ok(keys)
}

fn check_text_columns(fields: &[DataField], partition_keys: &[String]) -> Result<()> {
    let mut data = fields
        .iter()
        .filter(|field| !partition_keys.contains(&field.name));
    match (data.next(), data.next()) {
        (Some(only), None) => match only.data_type.kind() {
            TypeKind::VarChar { .. } | TypeKind::Char { .. } => Ok(()),
            _ => Err(Error::InvalidColumn {
                column: only.name.clone(),
                message: format!(
                    "file.format 'text' holds one STRING column, not {}; use another format",
                    only.data_type
                ),
            }),
        },
        _ => {
            let columns = fields.len().saturating_sub(partition_keys.len());
            Err(invalid(format!(
                "file.format 'text' holds exactly one STRING column beside partition columns, not {columns}; \
                 use another format"
            )))
        }
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::InvalidSchema {
        message: message.into(),
    }
}

#[cfg(test)]
mod tests;
