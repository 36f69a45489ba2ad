//! The option map.

use std::collections::BTreeMap;
use std::collections::btree_map;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::key::OptionKey;
use super::secret::{MASK, is_secret_key};
use super::value::OptionValue;
use crate::error::{Error, Result};

/// Options as given: texts by key, in the order of the keys.
///
/// `Debug` hides the values of keys that look like secrets. Keys this library does not know are
/// kept untouched, so that a copy of a table's options is complete.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Options(BTreeMap<String, String>);

impl Options {
    /// No options.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of `key`, if it is set. Fallback keys are not consulted.
    pub fn get_raw(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Whether `key` is set.
    pub fn contains(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The value of `key`, from its fallback keys when it is not set itself, else its default.
    ///
    /// # Errors
    /// The text is no value of the key's type, or the key is neither set nor has a default.
    pub fn get<T: OptionValue>(&self, key: &OptionKey<T>) -> Result<T> {
        match (self.get_optional(key)?, key.default_text()) {
            (Some(value), _) => Ok(value),
            (None, Some(text)) => T::parse(key.name(), text),
            (None, None) => Err(Error::InvalidOption {
                key: key.name().to_owned(),
                value: String::new(),
                message: "the option is required and has no default; set it".to_owned(),
            }),
        }
    }

    /// The value of `key`, from its fallback keys when it is not set itself; its default is not
    /// consulted.
    ///
    /// # Errors
    /// The text is no value of the key's type.
    pub fn get_optional<T: OptionValue>(&self, key: &OptionKey<T>) -> Result<Option<T>> {
        match self.find(key) {
            Some((name, text)) => T::parse(name, text).map(Some),
            None => Ok(None),
        }
    }

    /// The key's own or a fallback name that is set, with its text.
    pub(crate) fn find<T>(&self, key: &OptionKey<T>) -> Option<(&'static str, &str)> {
        std::iter::once(key.name())
            .chain(key.fallback().iter().copied())
            .find_map(|name| self.get_raw(name).map(|text| (name, text)))
    }

    /// Sets `key` and returns what it was.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>) -> Option<String> {
        self.0.insert(key.into(), value.into())
    }

    /// Removes `key` and returns what it was.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.0.remove(key)
    }

    /// Keys and texts, sorted by key.
    pub fn iter(&self) -> btree_map::Iter<'_, String, String> {
        self.0.iter()
    }

    /// The number of keys that are set.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no key is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `base` overlaid with these options: where both set a key, this one wins.
    #[must_use]
    pub fn merged_over(&self, base: &Options) -> Options {
        let mut merged = base.clone();
        merged.extend(self.iter().map(|(key, value)| (key.clone(), value.clone())));
        merged
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self
            .iter()
            .map(|(k, v)| (k, if is_secret_key(k) { MASK } else { v.as_str() }));
        f.debug_map().entries(shown).finish()
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Options {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

impl<K: Into<String>, V: Into<String>, const N: usize> From<[(K, V); N]> for Options {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl<K: Into<String>, V: Into<String>> Extend<(K, V)> for Options {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        self.0.extend(
            pairs
                .into_iter()
                .map(|(key, value)| (key.into(), value.into())),
        );
    }
}

impl IntoIterator for Options {
    type Item = (String, String);
    type IntoIter = btree_map::IntoIter<String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Options {
    type Item = (&'a String, &'a String);
    type IntoIter = btree_map::Iter<'a, String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'de> Deserialize<'de> for Options {
    /// Numbers and booleans are taken as their text, null as an absent key, containers as the empty
    /// text: what Paimon's reader makes of an options object, its text `null` excepted.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
        Ok(members
            .iter()
            .filter_map(|(key, value)| Some((key, json_text(value)?)))
            .collect())
    }
}

/// The text of a JSON scalar; null has none and a container has the empty text.
pub(crate) fn json_text(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match value {
        Value::Null => None,
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        Value::Array(_) | Value::Object(_) => Some(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys;
    use super::*;
    use crate::options::{CsvMode, MemorySize};

    #[test]
    fn secrets_are_never_shown() {
        for key in [
            "fs.s3.access-key",
            "fs.oss.accessKeySecret",
            "s3.session.token",
            "my_pass.word",
            "dlf.security-token",
            "fs.azure.account.key.x",
            "PRIVATE_KEY",
            "http.Authorization",
            "encryption-key",
            "api.key",
            "fs.azure.sas.x",
            "credential",
        ] {
            let options = Options::from([(key, "hunter2"), ("path", "/data")]);
            let shown = format!("{options:?}");
            assert!(
                shown.contains("******") && !shown.contains("hunter2"),
                "{shown}"
            );
            assert!(shown.contains("/data"), "{shown}");
        }
        let plain = Options::from([("type", "format-table")]);
        assert_eq!(format!("{plain:?}"), r#"{"type": "format-table"}"#);
    }

    #[test]
    fn a_bad_value_of_a_secret_is_not_repeated() {
        const KEY: OptionKey<bool> =
            OptionKey::new("x.token", &[], None, super::super::Status::Honoured, "doc");
        let error = Options::from([("x.token", "hunter2")])
            .get(&KEY)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "option 'x.token' = '******': not a boolean; use true or false"
        );
    }

    #[test]
    fn fallback_keys_count_only_without_the_key() {
        let options = Options::from([("mode", "dropmalformed")]);
        assert_eq!(
            options.get(&keys::CSV_MODE).unwrap(),
            CsvMode::DropMalformed
        );
        let options = Options::from([("mode", "dropmalformed"), ("csv.mode", "FailFast")]);
        assert_eq!(options.get(&keys::CSV_MODE).unwrap(), CsvMode::FailFast);
        let error = Options::from([("mode", "x")])
            .get(&keys::CSV_MODE)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "option 'mode' = 'x': no such value; use one of permissive, dropmalformed, failfast"
        );
    }

    #[test]
    fn absent_options() {
        let none = Options::new();
        assert_eq!(
            none.get(&keys::TARGET_FILE_SIZE).unwrap(),
            MemorySize(256 << 20)
        );
        assert_eq!(none.get_optional(&keys::TARGET_FILE_SIZE).unwrap(), None);
        assert_eq!(
            none.get(&keys::WAREHOUSE).unwrap_err().to_string(),
            "option 'warehouse' = '': the option is required and has no default; set it"
        );
    }

    #[test]
    fn the_options_of_a_call_lie_over_those_of_the_table() {
        let table = Options::from([("a", "1"), ("b", "1")]);
        let merged = Options::from([("b", "2"), ("c", "2")]).merged_over(&table);
        assert_eq!(merged, Options::from([("a", "1"), ("b", "2"), ("c", "2")]));
    }

    #[test]
    fn json_scalars_are_texts_and_null_is_absent() {
        let json =
            r#"{"b": true, "n": 12, "f": 1.5, "s": "x", "null": null, "o": {"x": 1}, "a": [1]}"#;
        let options: Options = serde_json::from_str(json).unwrap();
        let expected = Options::from([
            ("b", "true"),
            ("n", "12"),
            ("f", "1.5"),
            ("s", "x"),
            ("o", ""),
            ("a", ""),
        ]);
        assert_eq!(options, expected);
        let written = serde_json::to_string(&Options::from([("b", "2"), ("a", "1")])).unwrap();
        assert_eq!(written, r#"{"a":"1","b":"2"}"#);
    }
}
