//! What could not be converted, and where.

use std::fmt;

use ftable_core::DataType;

use crate::error::{
    AmbiguousColumnSnafu, CorruptSnafu, Error, MissingNotNullSnafu, NullInNotNullSnafu,
    TypeMismatchSnafu, ValueMismatchSnafu,
};

/// Where in a nested column a value stands: names joined by dots.
pub(crate) struct Site<'a> {
    parent: Option<&'a Site<'a>>,
    name: &'a str,
    checks_nulls: bool,
}

impl<'a> Site<'a> {
    pub(crate) fn root(name: &'a str) -> Self {
        Self {
            parent: None,
            name,
            checks_nulls: true,
        }
    }

    /// A child whose nulls are checked where its parent's validity is known.
    pub(crate) fn child(&'a self, name: &'a str) -> Site<'a> {
        Site {
            parent: Some(self),
            name,
            checks_nulls: false,
        }
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
    AmbiguousChild,
}

impl Mismatch {
    pub(crate) fn new(file_type: &str, declared: &DataType) -> Self {
        let reason = Reason::Types {
            file_type: file_type.to_owned(),
            declared: declared.to_string(),
        };
        Self {
            children: Vec::new(),
            reason,
        }
    }

    pub(crate) fn missing_child(name: &str) -> Self {
        Self {
            children: vec![name.to_owned()],
            reason: Reason::MissingChild,
        }
    }

    pub(crate) fn ambiguous_child(name: &str) -> Self {
        Self {
            children: vec![name.to_owned()],
            reason: Reason::AmbiguousChild,
        }
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
            Reason::Types {
                file_type,
                declared,
            } => TypeMismatchSnafu {
                path,
                column: name,
                file_type,
                declared,
            }
            .build(),
            Reason::MissingChild => MissingNotNullSnafu { path, column: name }.build(),
            Reason::AmbiguousChild => AmbiguousColumnSnafu { path, column: name }.build(),
        }
    }
}

/// A value that does not convert, found while converting.
#[derive(Debug)]
pub(crate) struct Failure {
    column: String,
    row: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A null where there must be none.
    Null,
    /// A value that is none of the declared type.
    Value {
        text: String,
        file_type: String,
        declared: String,
    },
    /// The decoded array is not built as its type says.
    Broken(String),
}

impl Failure {
    pub(crate) fn null(site: &Site<'_>, row: usize) -> Self {
        Self {
            column: site.to_string(),
            row,
            what: What::Null,
        }
    }

    pub(crate) fn broken(site: &Site<'_>, message: impl fmt::Display) -> Self {
        Self {
            column: site.to_string(),
            row: 0,
            what: What::Broken(message.to_string()),
        }
    }

    pub(crate) fn value(
        site: &Site<'_>,
        row: usize,
        text: &str,
        file_type: &str,
        declared: &str,
    ) -> Self {
        const LONGEST: usize = 100;
        let mut text = text.to_owned();
        if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(cut);
            text.push('…');
        }
        let what = What::Value {
            text,
            file_type: file_type.to_owned(),
            declared: declared.to_owned(),
        };
        Self {
            column: site.to_string(),
            row,
            what,
        }
    }

    /// The position in the array that was converted.
    pub(crate) fn row(&self) -> usize {
        self.row
    }

    /// The same failure, counted in the rows of the parent.
    pub(crate) fn at_row(mut self, row: usize) -> Self {
        self.row = row;
        self
    }

    /// The same failure, of a file's type with another name.
    pub(crate) fn of_type(mut self, name: &str) -> Self {
        if let What::Value { file_type, .. } = &mut self.what {
            name.clone_into(file_type);
        }
        self
    }

    /// The failure of a file, whose batch began at row `first_row`.
    pub(crate) fn in_file(self, path: &str, format: &'static str, first_row: u64) -> Error {
        let Self { column, row, what } = self;
        let row = first_row.saturating_add(row as u64);
        match what {
            What::Null => NullInNotNullSnafu { path, column, row }.build(),
            What::Value {
                text,
                file_type,
                declared,
            } => ValueMismatchSnafu {
                path,
                column,
                file_type,
                declared,
                row,
                value: text,
            }
            .build(),
            What::Broken(message) => CorruptSnafu {
                path,
                format,
                message: format!("column {column}: {message}"),
            }
            .build(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, row, what } = self;
        match what {
            What::Null => write!(f, "column {column} is NOT NULL but row {row} is null"),
            What::Value {
                text,
                file_type,
                declared,
            } => write!(
                f,
                "column {column}: {file_type} cannot be stored as {declared}: row {row} value {text}"
            ),
            What::Broken(message) => write!(f, "column {column}: {message}"),
        }
    }
}
