//! Schema files.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::builder::Schema;
use super::json::{
    broken, members, optional_integer, optional_text, optional_texts, options, required,
};
use super::pretty::to_pretty_json;
use crate::error::Result;
use crate::options::keys::FILE_FORMAT;
use crate::types::{assign_new_field_ids, fields_from_json, highest_field_id};
use crate::{DataField, Options};

/// The version of the schema format that is written.
pub const CURRENT_VERSION: i32 = 3;

/// One version of a table's schema, as it lies in a file `schema-<id>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Value")]
pub struct TableSchema {
    /// The version of the format, [`CURRENT_VERSION`] when written anew.
    pub version: i32,
    /// The id of this version of the schema, the number in the name of its file.
    pub id: i64,
    /// The columns.
    pub fields: Vec<DataField>,
    /// The highest field id ever handed out, dropped columns included; -1 without columns.
    pub highest_field_id: i32,
    /// The names of the partition columns, in the order of the directories.
    pub partition_keys: Vec<String>,
    /// The names of the primary key columns; a format table has none.
    pub primary_keys: Vec<String>,
    /// The options.
    pub options: Options,
    /// The comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// When this version was made, in milliseconds since the epoch.
    pub time_millis: i64,
}

impl TableSchema {
    /// The first version of a new table. Field ids stay as they are, and option `file.format` is stored
    /// explicitly, so that a later default cannot change what the files are.
    pub fn new(id: i64, schema: &Schema, time_millis: i64) -> Self {
        let mut options = schema.options.clone();
        if let (false, Some(format)) = (
            options.contains(FILE_FORMAT.name()),
            FILE_FORMAT.default_text(),
        ) {
            options.set(FILE_FORMAT.name(), format);
        }
        Self {
            version: CURRENT_VERSION,
            id,
            highest_field_id: highest_field_id(&schema.fields),
            fields: schema.fields.clone(),
            partition_keys: schema.partition_keys.clone(),
            primary_keys: Vec::new(),
            options,
            comment: schema.comment.clone(),
            time_millis,
        }
    }

    /// The text of the schema file, laid out as Paimon's Java writes it, options sorted by key.
    pub fn to_json(&self) -> String {
        // Texts and numbers with text keys: nothing in a schema can fail to serialize.
        to_pretty_json(self).unwrap_or_default()
    }

    /// Reads the text of a schema file.
    ///
    /// Unknown members are ignored and null is the same as absent. Files of version 1 without option
    /// `bucket` get `bucket` = `1`, those of version 1 and 2 without `file.format` get `orc`.
    ///
    /// # Errors
    /// [`crate::Error::SchemaJson`] when the text is cut or no JSON, a member is missing or has another
    /// JSON type, or the version is newer than [`CURRENT_VERSION`]; an error that names the column for a
    /// type that cannot be read; [`crate::Error::InvalidSchema`] for a duplicated field id.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_members(&members(text)?)
    }

    fn from_members(members: &Map<String, Value>) -> Result<Self> {
        let version = optional_integer(members, "version")?.unwrap_or(1);
        if version > CURRENT_VERSION {
            return Err(broken(format!(
                "version {version} is newer than {CURRENT_VERSION}, the newest that is known; use a newer release"
            )));
        }
        for name in [
            "id",
            "fields",
            "highestFieldId",
            "partitionKeys",
            "primaryKeys",
            "options",
        ] {
            required(members, name)?;
        }
        let mut options = options(members)?;
        let mut default = |last_version: i32, key: &str, value: &str| {
            if version <= last_version && !options.contains(key) {
                options.set(key, value);
            }
        };
        default(1, "bucket", "1");
        default(2, FILE_FORMAT.name(), "orc");
        Ok(Self {
            version,
            id: optional_integer(members, "id")?.unwrap_or_default(),
            fields: fields_from_json(required(members, "fields")?)?,
            highest_field_id: optional_integer(members, "highestFieldId")?.unwrap_or(-1),
            partition_keys: optional_texts(members, "partitionKeys")?,
            primary_keys: optional_texts(members, "primaryKeys")?,
            options,
            comment: optional_text(members, "comment"),
            time_millis: optional_integer(members, "timeMillis")?.unwrap_or_default(),
        })
    }

    /// The partition columns, in the order of the partition keys. A key that is no column is left out;
    /// [`super::validate_open`] refuses such a schema.
    pub fn partition_fields(&self) -> Vec<&DataField> {
        let by_name: HashMap<&str, &DataField> = self
            .fields
            .iter()
            .map(|field| (field.name.as_str(), field))
            .collect();
        self.partition_keys
            .iter()
            .filter_map(|key| by_name.get(key.as_str()).copied())
            .collect()
    }

    /// The columns that data files hold: all but the partition columns, in the order of the table.
    pub fn data_fields(&self) -> Vec<&DataField> {
        self.fields
            .iter()
            .filter(|field| !self.partition_keys.contains(&field.name))
            .collect()
    }

    /// The parts that a creator gives.
    pub fn to_schema(&self) -> Schema {
        Schema {
            fields: self.fields.clone(),
            partition_keys: self.partition_keys.clone(),
            options: self.options.clone(),
            comment: self.comment.clone(),
        }
    }

    /// Numbers a column that is to be added, and the fields inside it, after every id ever handed out,
    /// and returns the new highest id.
    ///
    /// Some servers store a highest id that ignores nested fields, so the ids in use count too.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSchema`] when the ids are used up.
    pub fn number_new_field(&self, field: &mut DataField) -> Result<i32> {
        assign_new_field_ids(
            field,
            self.highest_field_id.max(highest_field_id(&self.fields)),
        )
    }
}

impl TryFrom<Value> for TableSchema {
    type Error = crate::Error;

    fn try_from(value: Value) -> Result<Self> {
        match value {
            Value::Object(members) => Self::from_members(&members),
            _ => Err(broken("a schema must be an object")),
        }
    }
}

#[cfg(test)]
mod tests;
