//! A request as the calls see it: parameters of path and query, members of the body.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::answer::{Done, Failure};

/// The parameters and the body of a request.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) parameters: BTreeMap<String, String>,
    pub(super) query: BTreeMap<String, String>,
    pub(super) body: Value,
}

impl Call {
    pub(super) fn database(&self) -> &str {
        self.parameter("database")
    }

    pub(super) fn table(&self) -> &str {
        self.parameter("table")
    }

    /// A parameter of the path. Its route has it.
    pub(super) fn parameter(&self, name: &str) -> &str {
        self.parameters.get(name).map_or("", String::as_str)
    }

    /// A parameter of the query.
    pub(super) fn asked(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }
}

/// The body of a request; null without one.
pub(super) fn body(bytes: &[u8]) -> Done<Value> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let refuse = |error| Failure::bad_request(format!("the body is no JSON: {error}"));
    serde_json::from_slice(bytes).map_err(refuse)
}

/// A member that is there and not null.
pub(super) fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

pub(super) fn required<'a>(object: &'a Value, name: &str) -> Done<&'a Value> {
    member(object, name)
        .ok_or_else(|| Failure::bad_request(format!("the member '{name}' is missing")))
}

pub(super) fn text(object: &Value, name: &str) -> Done<Option<String>> {
    let value = member(object, name);
    value.map(|value| as_text(value, name)).transpose()
}

pub(super) fn required_text(object: &Value, name: &str) -> Done<String> {
    as_text(required(object, name)?, name)
}

pub(super) fn flag(object: &Value, name: &str) -> Done<Option<bool>> {
    let read = |value: &Value| value.as_bool().ok_or_else(|| wrong(name, "true or false"));
    member(object, name).map(read).transpose()
}

pub(super) fn integer(object: &Value, name: &str) -> Done<Option<i64>> {
    let read = |value: &Value| value.as_i64().ok_or_else(|| wrong(name, "an integer"));
    member(object, name).map(read).transpose()
}

pub(super) fn required_list<'a>(object: &'a Value, name: &str) -> Done<&'a [Value]> {
    as_list(required(object, name)?, name)
}

/// A list; empty when it is not there.
pub(super) fn list<'a>(object: &'a Value, name: &str) -> Done<&'a [Value]> {
    member(object, name).map_or(Ok(&[]), |value| as_list(value, name))
}

/// A list of texts; empty when it is not there.
pub(super) fn texts(object: &Value, name: &str) -> Done<Vec<String>> {
    let items = list(object, name)?.iter();
    items.map(|item| as_text(item, name)).collect()
}

/// An object of texts; members that are null are left out.
pub(super) fn text_map(value: &Value, name: &str) -> Done<BTreeMap<String, String>> {
    let members = value.as_object().ok_or_else(|| wrong(name, "an object"))?;
    let present = members.iter().filter(|(_, value)| !value.is_null());
    present
        .map(|(key, value)| Ok((key.clone(), as_text(value, key)?)))
        .collect()
}

/// Verifies that an object has no members beside these: what a client sends and nobody reads is a mistake.
pub(super) fn only(object: &Value, names: &[&str]) -> Done<()> {
    let empty = Map::new();
    let members = object.as_object().unwrap_or(&empty);
    let known: BTreeSet<&str> = names.iter().copied().collect();
    match members.keys().find(|name| !known.contains(name.as_str())) {
        Some(unknown) => Err(Failure::bad_request(format!("unknown member '{unknown}'"))),
        None => Ok(()),
    }
}

fn as_text(value: &Value, name: &str) -> Done<String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| wrong(name, "a text"))
}

fn as_list<'a>(value: &'a Value, name: &str) -> Done<&'a [Value]> {
    let items = value.as_array().map(Vec::as_slice);
    items.ok_or_else(|| wrong(name, "a list"))
}

fn wrong(name: &str, kind: &str) -> Failure {
    Failure::bad_request(format!("the member '{name}' is not {kind}"))
}
