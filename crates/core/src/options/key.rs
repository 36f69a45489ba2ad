//! Typed keys.

use std::marker::PhantomData;

use super::value::OptionValue;

/// What an option does for a format table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It does what its documentation says.
    Honoured,
    /// It is accepted and changes nothing, for this reason.
    NoEffect(&'static str),
    /// A value that asks for it is refused, for this reason.
    Refused(&'static str),
}

/// What is known about a key, its type aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionInfo {
    /// The key.
    pub name: &'static str,
    /// Keys consulted, in order, when the key itself is not set.
    pub fallback: &'static [&'static str],
    /// The name of the value's type.
    pub type_name: &'static str,
    /// The default as the text a user would write.
    pub default: Option<&'static str>,
    /// What the option means.
    pub doc: &'static str,
    /// Whether it is honoured.
    pub status: Status,
}

/// A key whose values have the type `T`.
#[derive(Debug, Clone, Copy)]
pub struct OptionKey<T> {
    info: OptionInfo,
    value: PhantomData<fn() -> T>,
}

impl<T: OptionValue> OptionKey<T> {
    pub(crate) const fn new(
        name: &'static str,
        fallback: &'static [&'static str],
        default: Option<&'static str>,
        status: Status,
        doc: &'static str,
    ) -> Self {
        let info = OptionInfo {
            name,
            fallback,
            type_name: T::TYPE_NAME,
            default,
            doc,
            status,
        };
        Self {
            info,
            value: PhantomData,
        }
    }
}

impl<T> OptionKey<T> {
    /// The key.
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// Keys consulted, in order, when the key itself is not set.
    pub const fn fallback(&self) -> &'static [&'static str] {
        self.info.fallback
    }

    /// The default as the text a user would write.
    pub const fn default_text(&self) -> Option<&'static str> {
        self.info.default
    }

    /// What the option means.
    pub const fn doc(&self) -> &'static str {
        self.info.doc
    }

    /// Whether it is honoured.
    pub const fn status(&self) -> Status {
        self.info.status
    }

    /// All of it, the type of the values aside.
    pub const fn info(&self) -> OptionInfo {
        self.info
    }
}
