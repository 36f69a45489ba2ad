//! What the creator of a table gives.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::json::{members, optional_text, optional_texts};
use crate::error::{Error, Result};
use crate::options::TableType;
use crate::options::keys::{PARTITION, PRIMARY_KEY, TYPE};
use crate::types::{assign_field_ids, fields_from_json};
use crate::{DataField, DataType, Options};

/// What the creator of a table gives: columns, partition columns, options and a comment.
///
/// ```
/// use ftable_core::Schema;
/// let schema = Schema::builder()
///     .column("id", "BIGINT NOT NULL")?
///     .column("dt", "DATE")?
///     .partition_by(["dt"])
///     .option("file.format", "orc")
///     .build()?;
/// assert_eq!(schema.partition_keys, ["dt"]);
/// assert_eq!(schema.options.get_raw("type"), Some("format-table"));
/// # Ok::<(), ftable_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Value", try_from = "Value")]
pub struct Schema {
    /// The columns.
    pub fields: Vec<DataField>,
    /// The names of the partition columns, in the order of the directories.
    pub partition_keys: Vec<String>,
    /// The options.
    pub options: Options,
    /// The comment.
    pub comment: Option<String>,
}

impl Schema {
    /// A builder without columns.
    pub fn builder() -> SchemaBuilder {
        SchemaBuilder::default()
    }

    /// Reads the members `fields`, `partitionKeys`, `options` and `comment` of a JSON object, as a
    /// schema file or a request that creates a table has them. Only `fields` is required; options are
    /// kept as they are and ids as given, or numbered when no field has one.
    ///
    /// # Errors
    /// [`Error::SchemaJson`] or an error that names the column.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_members(&members(text)?)
    }

    fn from_members(members: &Map<String, Value>) -> Result<Self> {
        let missing = || Error::SchemaJson {
            message: "the member 'fields' is missing".to_owned(),
        };
        let fields = members
            .get("fields")
            .filter(|fields| !fields.is_null())
            .ok_or_else(missing)?;
        if !optional_texts(members, "primaryKeys")?.is_empty() {
            return Err(super::validate::no_primary_key());
        }
        Ok(Self {
            fields: fields_from_json(fields)?,
            partition_keys: optional_texts(members, "partitionKeys")?,
            options: super::json::options(members)?,
            comment: optional_text(members, "comment"),
        })
    }
}

impl From<Schema> for Value {
    fn from(schema: Schema) -> Self {
        let mut value = serde_json::json!({
            "fields": schema.fields,
            "partitionKeys": schema.partition_keys,
            "primaryKeys": [],
            "options": schema.options,
        });
        if let (Some(comment), Value::Object(members)) = (schema.comment, &mut value) {
            members.insert("comment".to_owned(), comment.into());
        }
        value
    }
}

impl TryFrom<Value> for Schema {
    type Error = Error;

    fn try_from(value: Value) -> Result<Self> {
        match value {
            Value::Object(members) => Self::from_members(&members),
            _ => Err(Error::SchemaJson {
                message: "a schema must be an object".to_owned(),
            }),
        }
    }
}

/// Collects the parts of a [`Schema`].
#[derive(Debug, Default, Clone)]
pub struct SchemaBuilder {
    fields: Vec<DataField>,
    partition_keys: Vec<String>,
    options: Options,
    comment: Option<String>,
}

impl SchemaBuilder {
    /// Adds a column of a type in SQL text.
    ///
    /// # Errors
    /// [`Error::InvalidColumn`]: the type cannot be read.
    pub fn column(self, name: impl Into<String>, data_type: &str) -> Result<Self> {
        let name = name.into();
        match data_type.parse::<DataType>() {
            Ok(data_type) => Ok(self.field(DataField::new(-1, name, data_type))),
            Err(error) => Err(Error::InvalidColumn {
                column: name,
                message: error.to_string(),
            }),
        }
    }

    /// Adds a column; its id is assigned by [`SchemaBuilder::build`].
    #[must_use]
    pub fn field(mut self, field: DataField) -> Self {
        self.fields.push(field);
        self
    }

    /// Adds columns; their ids are assigned by [`SchemaBuilder::build`].
    #[must_use]
    pub fn fields(mut self, fields: impl IntoIterator<Item = DataField>) -> Self {
        self.fields.extend(fields);
        self
    }

    /// Adds partition columns, in the order of the directories.
    #[must_use]
    pub fn partition_by<I: IntoIterator<Item: Into<String>>>(mut self, keys: I) -> Self {
        self.partition_keys.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Sets an option.
    #[must_use]
    pub fn option(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.set(key, value);
        self
    }

    /// Sets options.
    #[must_use]
    pub fn options<I, K, V>(mut self, options: I) -> Self
    where
        I: IntoIterator<Item = (K, V)>,
        K: Into<String>,
        V: Into<String>,
    {
        self.options.extend(options);
        self
    }

    /// Sets the comment.
    #[must_use]
    pub fn comment(mut self, comment: impl Into<String>) -> Self {
        self.comment = Some(comment.into());
        self
    }

    /// Numbers the columns, turns option `partition` into partition columns and sets option `type` to
    /// `format-table` when it is not set.
    ///
    /// The result is not validated beyond that: [`super::validate_create`] does, on the options that a
    /// catalog has completed.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for option `primary-key`; [`Error::InvalidOption`] when partition columns
    /// are given by option `partition` and by [`SchemaBuilder::partition_by`].
    pub fn build(mut self) -> Result<Schema> {
        if self.options.contains(PRIMARY_KEY.name()) {
            return Err(super::validate::no_primary_key());
        }
        if let Some(list) = self.options.remove(PARTITION.name()) {
            let keys = comma_list(&list);
            if !self.partition_keys.is_empty() {
                return Err(Error::InvalidOption {
                    key: PARTITION.name().to_owned(),
                    value: list,
                    message: "partition columns are declared too; use one of both".to_owned(),
                });
            }
            self.partition_keys = keys;
        }
        if !self.options.contains(TYPE.name()) {
            self.options.set(TYPE.name(), TableType::FormatTable.name());
        }
        assign_field_ids(&mut self.fields);
        let Self {
            fields,
            partition_keys,
            options,
            comment,
        } = self;
        Ok(Schema {
            fields,
            partition_keys,
            options,
            comment,
        })
    }
}

/// The names in a comma list, trimmed, without empty ones.
pub(super) fn comma_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_columns() -> SchemaBuilder {
        Schema::builder()
            .column("a", "ROW<p INT>")
            .unwrap()
            .column("dt", "DATE")
            .unwrap()
    }

    #[test]
    fn columns_are_numbered() {
        let schema = two_columns()
            .field(DataField::new(99, "c", DataType::string()))
            .build()
            .unwrap();
        assert_eq!(
            schema.fields.iter().map(|f| f.id).collect::<Vec<_>>(),
            [0, 2, 3]
        );
        let error = Schema::builder()
            .column("a", "FOO")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "invalid schema: column 'a': type 'FOO': 'FOO' is no type"
        );
    }

    #[test]
    fn option_partition_becomes_partition_keys() {
        let schema = two_columns()
            .option("partition", " dt , ,a ")
            .option("k", "v")
            .build()
            .unwrap();
        assert_eq!(schema.partition_keys, ["dt", "a"]);
        assert_eq!(
            schema.options,
            Options::from([("k", "v"), ("type", "format-table")])
        );
        let both = two_columns()
            .partition_by(["dt"])
            .option("partition", "dt")
            .build()
            .unwrap_err();
        assert_eq!(
            both.to_string(),
            "option 'partition' = 'dt': partition columns are declared too; use one of both"
        );
    }

    #[test]
    fn primary_keys_are_refused() {
        let error = two_columns()
            .option("primary-key", "a")
            .build()
            .unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
        assert!(error.to_string().contains("primary-key"));
        let json = r#"{"fields": [], "primaryKeys": ["a"]}"#;
        assert_eq!(
            Schema::from_json(json).unwrap_err().kind(),
            crate::ErrorKind::Unsupported
        );
    }

    #[test]
    fn a_given_type_stays() {
        let schema = two_columns().option("type", "table").build().unwrap();
        assert_eq!(schema.options.get_raw("type"), Some("table"));
    }

    #[test]
    fn null_members_are_absent() {
        let json = r#"{"fields": [{"id": 0, "name": "a", "type": "INT"}], "partitionKeys": [],
            "primaryKeys": [], "options": {"k": null, "type": "FORMAT-TABLE"}, "comment": null}"#;
        let schema = Schema::from_json(json).unwrap();
        assert_eq!(schema.comment, None);
        assert_eq!(schema.options, Options::from([("type", "FORMAT-TABLE")]));
        assert_eq!(schema.options.get(&TYPE).unwrap(), TableType::FormatTable);
        let fields_only =
            Schema::from_json(r#"{"fields": [{"name": "a", "type": "INT"}], "options": null}"#);
        assert_eq!(fields_only.unwrap().fields, schema.fields);
        assert_eq!(
            Schema::from_json("{}").unwrap_err().to_string(),
            "schema JSON cannot be read: the member 'fields' is missing"
        );
    }

    #[test]
    fn serde_goes_there_and_back() {
        let schema = two_columns()
            .partition_by(["dt"])
            .comment("c")
            .build()
            .unwrap();
        let json = serde_json::to_string(&schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    }
}
