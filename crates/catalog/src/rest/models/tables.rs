//! Tables and their schemas.

use ftable_core::types::highest_field_id;
use ftable_core::{DataField, Identifier, Options, Schema, TableSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the schema format that the protocol speaks.
const VERSION: i32 = ftable_core::schema::CURRENT_VERSION;

/// A table as the server shows it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TableAnswer {
    /// The name; a listing has nothing else to know it by.
    pub(crate) name: Option<String>,
    /// Where the data lies.
    pub(crate) path: Option<String>,
    is_external: Option<bool>,
    schema_id: Option<i64>,
    schema: Map<String, Value>,
    owner: Option<String>,
    created_at: Option<i64>,
    created_by: Option<String>,
    updated_at: Option<i64>,
    updated_by: Option<String>,
}

impl TableAnswer {
    /// Whether the data is not the catalog's.
    pub(crate) fn is_external(&self) -> bool {
        self.is_external.unwrap_or_default()
    }

    /// The schema as the server keeps it.
    ///
    /// # Errors
    /// When a member is missing (`fields`, `partitionKeys`, `primaryKeys` and `options` must be there), or cannot be
    /// read; the error names the member or the column.
    pub(crate) fn table_schema(&self) -> ftable_core::Result<TableSchema> {
        let mut members = self.schema.clone();
        members.insert("version".to_owned(), VERSION.into());
        members.insert("id".to_owned(), self.schema_id.unwrap_or_default().into());
        // What a server stores there ignores nested fields, so it is counted anew.
        members.insert("highestFieldId".to_owned(), (-1).into());
        members.insert(
            "timeMillis".to_owned(),
            self.updated_at.unwrap_or_default().into(),
        );
        let mut schema = TableSchema::from_json(&Value::Object(members).to_string())?;
        schema.highest_field_id = highest_field_id(&schema.fields);
        Ok(schema)
    }

    /// Who made and changed the table and when, as Paimon puts it among the options.
    pub(crate) fn audit_options(&self) -> Options {
        let number = |value: Option<i64>| value.map(|value| value.to_string());
        let options = [
            ("owner", self.owner.clone()),
            ("createdAt", number(self.created_at)),
            ("createdBy", self.created_by.clone()),
            ("updatedAt", number(self.updated_at)),
            ("updatedBy", self.updated_by.clone()),
        ];
        options
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }
}

page! {
    /// Tables of one database with their schemas.
    TableDetailsPage { table_details: TableAnswer }
}

/// A table to be created.
#[derive(Serialize)]
pub(crate) struct CreateTable<'a> {
    identifier: &'a Identifier,
    schema: SchemaBody<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SchemaBody<'a> {
    fields: &'a [DataField],
    partition_keys: &'a [String],
    primary_keys: [&'a str; 0],
    options: &'a Options,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
}

impl<'a> CreateTable<'a> {
    pub(crate) fn new(identifier: &'a Identifier, schema: &'a Schema) -> Self {
        Self {
            identifier,
            schema: SchemaBody {
                fields: &schema.fields,
                partition_keys: &schema.partition_keys,
                primary_keys: [],
                options: &schema.options,
                comment: schema.comment.as_deref(),
            },
        }
    }
}

/// A table to be renamed.
#[derive(Serialize)]
pub(crate) struct RenameTable<'a> {
    pub(crate) source: &'a Identifier,
    pub(crate) destination: &'a Identifier,
}
