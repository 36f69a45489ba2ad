//! Named columns and row fields.

use super::DataType;

/// A column of a table or a field of a `ROW`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DataField {
    /// The id, unique in the schema. Format tables match columns by name; ids are kept for others.
    pub id: i32,
    /// The name.
    pub name: String,
    /// The type.
    pub data_type: DataType,
    /// The comment.
    pub description: Option<String>,
    /// The text written in place of a NULL; it can be cast to the type.
    pub default_value: Option<String>,
}

impl DataField {
    /// A field without comment and default.
    pub fn new(id: i32, name: impl Into<String>, data_type: impl Into<DataType>) -> Self {
        Self {
            id,
            name: name.into(),
            data_type: data_type.into(),
            description: None,
            default_value: None,
        }
    }

    /// The same field with a comment.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same field with a default, as the text of a literal.
    #[must_use]
    pub fn with_default(mut self, default_value: impl Into<String>) -> Self {
        self.default_value = Some(default_value.into());
        self
    }
}
