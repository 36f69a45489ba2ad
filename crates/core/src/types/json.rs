//! The JSON of types and fields in a schema file.
//!
//! Atomic types are strings. `ARRAY`, `MULTISET`, `MAP`, `ROW` and `VECTOR` are objects whose member
//! `type` begins with the kind and holds `NOT NULL` for a type that is not nullable. Other members
//! are ignored, also a `nullable` as pypaimon writes it.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::data_type::too_deep;
use super::{DataField, DataType, MAX_NESTING, TypeKind, check_field_ids};
use crate::error::{Error, Result};
use crate::options::json_text;

/// Reads a list of field objects. Fields without ids are numbered in reading order.
///
/// # Errors
/// [`Error::SchemaJson`] or [`Error::InvalidColumn`]: a member is missing or has another JSON type, a
/// type cannot be read, only some fields have an id. [`Error::InvalidSchema`]: an id occurs twice.
pub fn fields_from_json(value: &Value) -> Result<Vec<DataField>> {
    let fields = Reader::default().fields(value, "", 0)?;
    check_field_ids(&fields)?;
    Ok(fields)
}

impl Serialize for DataType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = match self.kind() {
            TypeKind::Array { .. } => "ARRAY",
            TypeKind::Multiset { .. } => "MULTISET",
            TypeKind::Map { .. } => "MAP",
            TypeKind::Row { .. } => "ROW",
            TypeKind::Vector { .. } => "VECTOR",
            _ => return serializer.collect_str(self),
        };
        let suffix = if self.is_nullable() { "" } else { " NOT NULL" };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", &format_args!("{name}{suffix}"))?;
        match self.kind() {
            TypeKind::Array { element } | TypeKind::Multiset { element } => {
                map.serialize_entry("element", element)?;
            }
            TypeKind::Map { key, value } => {
                map.serialize_entry("key", key)?;
                map.serialize_entry("value", value)?;
            }
            TypeKind::Row { fields } => map.serialize_entry("fields", fields)?,
            TypeKind::Vector { element, length } => {
                map.serialize_entry("element", element)?;
                map.serialize_entry("length", length)?;
            }
            _ => {}
        }
        map.end()
    }
}

impl Serialize for DataField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("type", &self.data_type)?;
        if let Some(text) = &self.description {
            map.serialize_entry("description", text)?;
        }
        if let Some(text) = &self.default_value {
            map.serialize_entry("defaultValue", text)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for DataType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Reader::default()
            .data_type(&value, "", 0)
            .map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for DataField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Reader::default()
            .field(&value, "", 0)
            .map_err(D::Error::custom)
    }
}

/// Where the ids of a schema come from: all from the file, or all from a counter.
#[derive(Default)]
enum Reader {
    #[default]
    Undecided,
    Given,
    Counted(i32),
}

impl Reader {
    fn fields(&mut self, value: &Value, parent: &str, depth: usize) -> Result<Vec<DataField>> {
        let Value::Array(items) = value else {
            return Err(broken(parent, "'fields' must be a list of objects"));
        };
        items
            .iter()
            .map(|item| self.field(item, parent, depth))
            .collect()
    }

    fn field(&mut self, value: &Value, parent: &str, depth: usize) -> Result<DataField> {
        if !value.is_object() {
            return Err(broken(parent, "a field must be an object"));
        }
        let name = match value.get("name") {
            Some(Value::String(name)) => name.clone(),
            _ => return Err(broken(parent, "a field has no 'name'")),
        };
        let path = if parent.is_empty() {
            name.clone()
        } else {
            format!("{parent}.{name}")
        };
        // The id first: a counter numbers a field before the fields inside it.
        let id = self.id(value, &path)?;
        let data_type = match value.get("type") {
            Some(text) if !text.is_null() => self.data_type(text, &path, depth)?,
            _ => return Err(broken(&path, "the field has no 'type'")),
        };
        let text = |member| value.get(member).and_then(json_text);
        let (description, default_value) = (text("description"), text("defaultValue"));
        Ok(DataField {
            id,
            name,
            data_type,
            description,
            default_value,
        })
    }

    fn id(&mut self, field: &Value, path: &str) -> Result<i32> {
        let given = match field.get("id") {
            None | Some(Value::Null) => None,
            Some(id) => Some(
                id.as_i64()
                    .and_then(|id| i32::try_from(id).ok())
                    .ok_or_else(|| broken(path, "'id' must be a 32-bit integer"))?,
            ),
        };
        let (next, id) = match (&*self, given) {
            (Self::Undecided | Self::Given, Some(id)) => (Self::Given, id),
            (Self::Undecided, None) => (Self::Counted(0), 0),
            (Self::Counted(last), None) => (Self::Counted(last + 1), last + 1),
            (Self::Given, None) | (Self::Counted(_), Some(_)) => {
                let message = "partial field id is not allowed: give all fields an 'id' or none";
                return Err(broken(path, message));
            }
        };
        *self = next;
        Ok(id)
    }

    fn data_type(&mut self, value: &Value, path: &str, depth: usize) -> Result<DataType> {
        if depth > MAX_NESTING {
            return Err(broken(path, too_deep()));
        }
        match value {
            Value::String(text) => {
                let parsed = DataType::parse_json_text(text);
                parsed.map_err(|error| {
                    if path.is_empty() {
                        error
                    } else {
                        broken(path, error.to_string())
                    }
                })
            }
            Value::Object(_) => self.nested(value, path, depth),
            _ => Err(broken(path, "a type must be a string or an object")),
        }
    }

    fn nested(&mut self, value: &Value, path: &str, depth: usize) -> Result<DataType> {
        let Some(Value::String(text)) = value.get("type") else {
            return Err(broken(
                path,
                "the object of a nested type has no 'type' text",
            ));
        };
        let member = |name: &str| {
            let found = value.get(name).filter(|member| !member.is_null());
            found.ok_or_else(|| broken(path, format!("the type {text} has no '{name}'")))
        };
        let upper = text.to_ascii_uppercase();
        let kind = if upper.starts_with("ARRAY") {
            TypeKind::Array {
                element: self.boxed(member("element")?, path, depth)?,
            }
        } else if upper.starts_with("VECTOR") {
            let length = member("length")?
                .as_u64()
                .and_then(|n| u32::try_from(n).ok());
            let length =
                length.ok_or_else(|| broken(path, "'length' must be a positive integer"))?;
            TypeKind::Vector {
                element: self.boxed(member("element")?, path, depth)?,
                length,
            }
        } else if upper.starts_with("MULTISET") {
            TypeKind::Multiset {
                element: self.boxed(member("element")?, path, depth)?,
            }
        } else if upper.starts_with("MAP") {
            let key = self.boxed(member("key")?, path, depth)?;
            TypeKind::Map {
                key,
                value: self.boxed(member("value")?, path, depth)?,
            }
        } else if upper.starts_with("ROW") {
            TypeKind::Row {
                fields: self.fields(member("fields")?, path, depth + 3)?,
            }
        } else {
            return Err(broken(path, format!("'{text}' is no nested type")));
        };
        // Paimon looks for these two words anywhere in the text.
        let data_type = DataType::new(kind, !upper.contains("NOT NULL"));
        if matches!(data_type.kind(), TypeKind::Vector { .. }) {
            data_type
                .check()
                .map_err(|error| broken(path, error.to_string()))?;
        }
        Ok(data_type)
    }

    fn boxed(&mut self, value: &Value, path: &str, depth: usize) -> Result<Box<DataType>> {
        self.data_type(value, path, depth + 1).map(Box::new)
    }
}

/// The error for a member, of a column where one is known.
fn broken(path: &str, message: impl Into<String>) -> Error {
    let message = message.into();
    match path {
        "" => Error::SchemaJson { message },
        column => Error::InvalidColumn {
            column: column.to_owned(),
            message,
        },
    }
}

#[cfg(test)]
mod tests;
