//! Maps as objects: their keys become the names of members.

use std::collections::HashSet;
use std::ops::Range;

use ftable_core::Options;
use ftable_core::options::MapNullKeyMode;
use ftable_core::options::keys::{JSON_MAP_NULL_KEY_LITERAL, JSON_MAP_NULL_KEY_MODE};

use super::NAME;
use super::cell::Cell;
use super::escape::write_string;
use super::fault::cut;
use crate::error::{Error, Result, UnstorableSnafu};

/// The most entries of a map whose keys are compared in pairs.
const FEW: usize = 16;

/// A value that JSON files cannot hold.
#[derive(Debug)]
pub(super) struct Refused(Box<Reason>);

#[derive(Debug)]
struct Reason {
    /// Names of the columns it is in, innermost first.
    path: Vec<String>,
    value: String,
    reason: String,
}

impl Refused {
    pub(super) fn new(value: impl Into<String>, reason: impl Into<String>) -> Self {
        Self(Box::new(Reason {
            path: Vec::new(),
            value: value.into(),
            reason: reason.into(),
        }))
    }

    /// The same, seen from the column `name` that holds the value.
    #[must_use]
    pub(super) fn under(mut self, name: &str) -> Self {
        self.0.path.push(name.to_owned());
        self
    }

    pub(super) fn error(self) -> Error {
        let Reason {
            mut path,
            value,
            reason,
        } = *self.0;
        path.reverse();
        UnstorableSnafu {
            format: NAME,
            column: path.join("."),
            value,
            reason,
        }
        .build()
    }
}

/// What becomes of a null key.
enum NullKey {
    Fail,
    Drop,
    /// The name it gets, as JSON.
    Literal(Vec<u8>),
}

/// Writes maps.
pub(super) struct KeyWriter {
    null_key: NullKey,
    /// Where the names of the maps at hand are, those of the innermost last.
    names: Vec<Range<usize>>,
}

impl KeyWriter {
    /// # Errors
    /// Option `json.map-null-key-mode`.
    pub(super) fn new(options: &Options) -> Result<Self> {
        let null_key = match options.get(&JSON_MAP_NULL_KEY_MODE)? {
            MapNullKeyMode::Fail => NullKey::Fail,
            MapNullKeyMode::Drop => NullKey::Drop,
            MapNullKeyMode::Literal => {
                let mut literal = Vec::new();
                write_string(&options.get(&JSON_MAP_NULL_KEY_LITERAL)?, &mut literal);
                NullKey::Literal(literal)
            }
        };
        Ok(Self {
            null_key,
            names: Vec::new(),
        })
    }

    /// Writes the entries of one map.
    pub(super) fn write_map(
        &mut self,
        key: &Cell<'_>,
        value: &Cell<'_>,
        mut entries: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refused> {
        let outer = self.names.len();
        out.push(b'{');
        let written = entries.try_for_each(|entry| self.write_entry(key, value, entry, outer, out));
        out.push(b'}');
        let distinct = written.and_then(|()| self.check_distinct(outer, out));
        self.names.truncate(outer);
        distinct
    }

    fn write_entry(
        &mut self,
        key: &Cell<'_>,
        value: &Cell<'_>,
        entry: usize,
        outer: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Refused> {
        let is_null = key.is_null(entry);
        if is_null && matches!(self.null_key, NullKey::Drop) {
            return Ok(());
        }
        if self.names.len() > outer {
            out.push(b',');
        }
        let start = out.len();
        match &self.null_key {
            NullKey::Literal(literal) if is_null => out.extend_from_slice(literal),
            _ if is_null => {
                let reason = format!(
                    "has no name as a key; option {} says what else to do with it",
                    JSON_MAP_NULL_KEY_MODE.name()
                );
                return Err(Refused::new("NULL", reason).under("key"));
            }
            _ => key
                .write_key(entry, out)
                .map_err(|refused| refused.under("key"))?,
        }
        self.names.push(start..out.len());
        out.push(b':');
        value
            .write(entry, out, self)
            .map_err(|refused| refused.under("value"))
    }

    /// Two keys with one name would be read as one.
    fn check_distinct(&self, outer: usize, out: &[u8]) -> Result<(), Refused> {
        let names = self.names.get(outer..).unwrap_or_default();
        let text = |name: &Range<usize>| out.get(name.clone()).unwrap_or_default();
        let twice = if names.len() <= FEW {
            let mut pairs = names.iter().enumerate();
            pairs.find_map(|(position, name)| {
                let before = names.get(..position).unwrap_or_default();
                let same = before.iter().any(|other| text(other) == text(name));
                same.then_some(name)
            })
        } else {
            let mut seen = HashSet::with_capacity(names.len());
            names.iter().find(|name| !seen.insert(text(name)))
        };
        match twice {
            None => Ok(()),
            Some(name) => {
                let name = cut(&String::from_utf8_lossy(text(name)));
                Err(Refused::new(name, "is the name of two keys of one map").under("key"))
            }
        }
    }
}
