//! What could not be converted, and where.

use std::fmt;

use arrow_array::ArrayRef;
use arrow_cast::display::array_value_to_string;

use crate::error::{Error, MissingNotNullSnafu, NullInNotNullSnafu, TypeMismatchSnafu, ValueMismatchSnafu};

/// Where in a nested column a value stands: names joined by dots.
pub(crate) struct Site<'a> {
    parent: Option<&'a Site<'a>>,
    name: &'a str,
    checks_nulls: bool,
}

impl<'a> Site<'a> {
    pub(crate) fn root(name: &'a str) -> Self {
        Self { parent: None, name, checks_nulls: true }
    }

    /// A child whose nulls are checked where its parent's validity is known.
    pub(crate) fn child(&'a self, name: &'a str) -> Site<'a> {
        Site { parent: Some(self), name, checks_nulls: false }
    }

    pub(crate) fn checks_nulls(&self) -> bool {
        self.checks_nulls
    }
}

impl fmt::Display for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(f, "{parent}.")?;
        }
        f.write_str(self.name)
    }
}

/// A pair of types that do not convert, found while planning.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// Names of the children that lead to it, innermost first.
    children: Vec<String>,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    Types { file_type: String, declared: String },
    MissingChild,
}

impl Mismatch {
    pub(crate) fn new(file_type: String, declared: String) -> Self {
        Self { children: Vec::new(), reason: Reason::Types { file_type, declared } }
    }

    pub(crate) fn missing_child(name: &str) -> Self {
        Self { children: vec![name.to_owned()], reason: Reason::MissingChild }
    }

    pub(crate) fn under(mut self, name: &str) -> Self {
        self.children.push(name.to_owned());
        self
    }

    pub(crate) fn in_file(self, path: &str, column: &str) -> Error {
        let mut name = column.to_owned();
        for child in self.children.iter().rev() {
            name.push('.');
            name.push_str(child);
        }
        match self.reason {
            Reason::Types { file_type, declared } => {
                TypeMismatchSnafu { path, column: name, file_type, declared }.build()
            }
            Reason::MissingChild => MissingNotNullSnafu { path, column: name }.build(),
        }
    }
}

/// A value that does not convert, found while converting.
#[derive(Debug)]
pub(crate) struct Failure {
    column: String,
    row: usize,
    value: Option<Value>,
}

#[derive(Debug)]
struct Value {
    text: String,
    file_type: String,
    declared: String,
}

impl Failure {
    pub(crate) fn null(site: &Site<'_>, row: usize) -> Self {
        Self { column: site.to_string(), row, value: None }
    }

    pub(crate) fn value(site: &Site<'_>, row: usize, array: &ArrayRef, file_type: &str, declared: &str) -> Self {
        let mut text = array_value_to_string(array, row).unwrap_or_else(|_| "?".to_owned());
        const LONGEST: usize = 100;
        if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(cut);
            text.push('…');
        }
        let value = Value { text, file_type: file_type.to_owned(), declared: declared.to_owned() };
        Self { column: site.to_string(), row, value: Some(value) }
    }

    pub(crate) fn in_file(self, path: &str) -> Error {
        let Self { column, row, value } = self;
        match value {
            None => NullInNotNullSnafu { path, column, row }.build(),
            Some(Value { text, file_type, declared }) => {
                ValueMismatchSnafu { path, column, file_type, declared, row, value: text }.build()
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            None => write!(f, "column {} is NOT NULL but row {} is null", self.column, self.row),
            Some(Value { text, file_type, declared }) => write!(
                f,
                "column {}: {file_type} cannot be stored as {declared}: row {} value {text}",
                self.column, self.row
            ),
        }
    }
}
