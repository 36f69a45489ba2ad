//! What a directory name is, before its value is typed.

use std::borrow::Cow;
use std::fmt;

use super::path::unescape_name;

/// What a directory name at a partition level is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectoryName<'a> {
    /// Not part of the table and not worth a word: hidden, or reserved for metadata.
    Hidden,
    /// Not a partition of the level's key; to be skipped and reported.
    Foreign(ForeignReason),
    /// The unescaped text of a value, for [`PartitionCodec::parse`](super::PartitionCodec::parse).
    Value(Cow<'a, str>),
}

/// Why a visible directory is no partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForeignReason {
    /// The name has no `=`.
    NoSeparator,
    /// Nothing stands before the last `=`.
    EmptyKey,
    /// Nothing stands after the last `=`, or the name is empty.
    EmptyValue,
    /// What stands before the last `=` is not the key of this level, case included.
    OtherKey,
    /// The table has no key at this level.
    TooDeep,
}

impl fmt::Display for ForeignReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSeparator => "the name is not key=value",
            Self::EmptyKey => "the name has no key before '='",
            Self::EmptyValue => "the name has no value",
            Self::OtherKey => "the name is not of this level's partition column",
            Self::TooDeep => "the table has no partition column at this level",
        })
    }
}

/// What a directory name `key=value` says by itself, both unescaped: for directories whose keys are not known yet.
///
/// `None` for a name without key, without value or with a second `=`, which no writer leaves unescaped.
///
/// ```
/// # use ftable_core::partition::key_and_value;
/// let both = |key: &str, value: &str| Some((key.to_owned(), value.to_owned()));
/// assert_eq!(key_and_value("a%20b=x%2Fy"), both("a b", "x/y"));
/// assert_eq!(key_and_value("a=b=c"), None);
/// assert_eq!(key_and_value("a="), None);
/// ```
pub fn key_and_value(name: &str) -> Option<(String, String)> {
    let (key, value) = name.split_once('=')?;
    let whole = !key.is_empty() && !value.is_empty() && !value.contains('=');
    whole.then(|| {
        (
            unescape_name(key).into_owned(),
            unescape_name(value).into_owned(),
        )
    })
}

/// Reads `key=value`, split at the last `=`.
pub(super) fn read_key_value<'a>(key: &str, name: &'a str) -> DirectoryName<'a> {
    let reason = match name.rsplit_once('=') {
        None => ForeignReason::NoSeparator,
        Some(("", _)) => ForeignReason::EmptyKey,
        Some((_, "")) => ForeignReason::EmptyValue,
        Some((own, value)) if unescape_name(own) == key => {
            return DirectoryName::Value(unescape_name(value));
        }
        Some(_) => ForeignReason::OtherKey,
    };
    DirectoryName::Foreign(reason)
}
