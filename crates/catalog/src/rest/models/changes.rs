//! Changes of a table's schema.

use std::fmt;

use ftable_core::DataType;
use ftable_core::options::is_secret_key;
use serde::Serialize;

/// One change of a table's schema, as a REST catalog takes it.
///
/// A column is named by its path: the column, then the fields inside it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "action",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum SchemaChange {
    /// Sets an option.
    SetOption {
        /// Its key.
        key: String,
        /// Its new value.
        value: String,
    },
    /// Takes an option away.
    RemoveOption {
        /// Its key.
        key: String,
    },
    /// Sets the comment of the table, or takes it away.
    UpdateComment {
        /// The new comment.
        comment: Option<String>,
    },
    /// Takes the primary key away. A format table has none.
    DropPrimaryKey,
    /// Adds a column, which must be nullable.
    AddColumn {
        /// Its path.
        field_names: Vec<String>,
        /// Its type.
        data_type: DataType,
        /// Its comment.
        comment: Option<String>,
        /// Where it goes; the last place without.
        r#move: Option<ColumnMove>,
    },
    /// Renames a column.
    RenameColumn {
        /// Its path.
        field_names: Vec<String>,
        /// Its new name.
        new_name: String,
    },
    /// Drops a column.
    DropColumn {
        /// Its path.
        field_names: Vec<String>,
    },
    /// Changes the type of a column.
    UpdateColumnType {
        /// Its path.
        field_names: Vec<String>,
        /// Its new type.
        new_data_type: DataType,
        /// Whether it stays as nullable as it is.
        keep_nullability: bool,
    },
    /// Changes whether a column may be NULL.
    UpdateColumnNullability {
        /// Its path.
        field_names: Vec<String>,
        /// Whether it may.
        new_nullability: bool,
    },
    /// Sets the comment of a column.
    UpdateColumnComment {
        /// Its path.
        field_names: Vec<String>,
        /// The new comment.
        new_comment: Option<String>,
    },
    /// Sets the default of a column, as the text of a literal.
    UpdateColumnDefaultValue {
        /// Its path.
        field_names: Vec<String>,
        /// The new default.
        new_default_value: Option<String>,
    },
    /// Moves a column.
    UpdateColumnPosition {
        /// Which, and where to.
        r#move: ColumnMove,
    },
}

/// Where a column goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnMove {
    /// The column that is moved.
    pub field_name: String,
    /// The column it goes next to; none for the first and the last place.
    pub reference_field_name: Option<String>,
    /// Which place.
    #[serde(rename = "type")]
    pub place: ColumnPlace,
}

/// A place among columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ColumnPlace {
    /// Before all others.
    First,
    /// Directly after the reference.
    After,
    /// Directly before the reference.
    Before,
    /// After all others.
    Last,
}

impl fmt::Debug for SchemaChange {
    /// The JSON of the change, without the value of an option that is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = match self {
            Self::SetOption { key, .. } if is_secret_key(key) => Self::SetOption {
                key: key.clone(),
                value: "******".to_owned(),
            },
            other => other.clone(),
        };
        f.write_str(&serde_json::to_string(&hidden).unwrap_or_default())
    }
}
