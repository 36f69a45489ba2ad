//! Members of the JSON of a schema.

use serde_json::{Map, Value};

use crate::Options;
use crate::error::{Error, Result};
use crate::options::json_text;

pub(super) fn broken(message: impl Into<String>) -> Error {
    Error::SchemaJson {
        message: message.into(),
    }
}

/// The members of the object that `text` holds.
pub(super) fn members(text: &str) -> Result<Map<String, Value>> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        match error.classify() {
            serde_json::error::Category::Eof if text.trim().is_empty() => {
                broken("the text is empty")
            }
            serde_json::error::Category::Eof => broken(format!(
                "the text ends at {place}, in the middle of a value: it is cut off"
            )),
            _ => broken(format!("no JSON: {error}")),
        }
    })?;
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(broken("a schema must be an object")),
    }
}

/// A member that must be there and not null.
pub(super) fn required<'a>(members: &'a Map<String, Value>, name: &str) -> Result<&'a Value> {
    let found = members.get(name).filter(|value| !value.is_null());
    found.ok_or_else(|| broken(format!("the member '{name}' is missing")))
}

/// An integer member, if it is there.
pub(super) fn optional_integer<T>(members: &Map<String, Value>, name: &str) -> Result<Option<T>>
where
    T: TryFrom<i64>,
{
    let Some(value) = members.get(name).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let integer = value.as_i64().and_then(|value| T::try_from(value).ok());
    integer.map(Some).ok_or_else(|| {
        broken(format!(
            "the member '{name}' is no integer of its size: {value}"
        ))
    })
}

/// A list of texts; empty when the member is not there.
pub(super) fn optional_texts(members: &Map<String, Value>, name: &str) -> Result<Vec<String>> {
    let items = match members.get(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => {
            return Err(broken(format!(
                "the member '{name}' must be a list of names"
            )));
        }
    };
    let texts = items
        .iter()
        .map(|item| item.as_str().map(str::to_owned))
        .collect::<Option<Vec<_>>>();
    texts.ok_or_else(|| broken(format!("the member '{name}' must be a list of names")))
}

/// A text; null is the same as absent.
pub(super) fn optional_text(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(json_text)
}

/// The member `options`; empty when it is not there.
pub(super) fn options(members: &Map<String, Value>) -> Result<Options> {
    match members.get("options") {
        None | Some(Value::Null) => Ok(Options::new()),
        Some(Value::Object(options)) => Ok(options
            .iter()
            .filter_map(|(key, value)| Some((key, json_text(value)?)))
            .collect()),
        Some(_) => Err(broken("the member 'options' must be an object")),
    }
}
