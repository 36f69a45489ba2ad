//! Why a line is no row.

use jiter::{JiterError, Peek};

use crate::lines::BadLine;

/// The most characters of a text that a message shows.
const LONGEST: usize = 100;

/// What is wrong with a line. Boxed: it is carried through the result of every value that is read.
#[derive(Debug)]
pub(super) struct Fault(Box<What>);

#[derive(Debug)]
enum What {
    /// The line is no JSON.
    Syntax { at: usize, message: String },
    /// The line is JSON, but no object.
    NoObject { found: &'static str },
    /// A value is not what its column declares.
    Value {
        /// Names of the columns it is in, innermost first.
        path: Vec<String>,
        reason: String,
    },
}

impl Fault {
    /// Text that is no JSON, from byte `at` on.
    pub(super) fn syntax(at: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(What::Syntax { at, message }))
    }

    /// A line that holds something else than an object.
    pub(super) fn no_object(found: &'static str) -> Self {
        Self(Box::new(What::NoObject { found }))
    }

    /// A value that is none of its column.
    pub(super) fn value(reason: impl Into<String>) -> Self {
        let (path, reason) = (Vec::new(), reason.into());
        Self(Box::new(What::Value { path, reason }))
    }

    /// The same fault, seen from the column `name` that holds the value.
    #[must_use]
    pub(super) fn under(mut self, name: &str) -> Self {
        if let What::Value { path, .. } = self.0.as_mut() {
            path.push(name.to_owned());
        }
        self
    }

    /// The same fault, of text that begins at byte `base` of the line.
    #[must_use]
    pub(super) fn behind(mut self, base: usize) -> Self {
        if let What::Syntax { at, .. } = self.0.as_mut() {
            *at += base;
        }
        self
    }

    /// Whether a value is to blame, in a line that is an object as far as it was read.
    pub(super) fn is_value(&self) -> bool {
        matches!(*self.0, What::Value { .. })
    }

    /// What is told of the line.
    pub(super) fn bad_line(self, line: &str) -> BadLine {
        match *self.0 {
            What::Syntax { at, message } => BadLine {
                column: None,
                reason: format!("no JSON at byte {at}: {message}: {}", cut(line)),
            },
            What::NoObject { found } => BadLine {
                column: None,
                reason: format!("an object is expected, but the line holds {found}"),
            },
            What::Value { mut path, reason } => {
                path.reverse();
                BadLine {
                    column: Some(path.join(".")),
                    reason,
                }
            }
        }
    }
}

impl From<JiterError> for Fault {
    fn from(error: JiterError) -> Self {
        Self::syntax(error.index, error.error_type.to_string())
    }
}

/// What kind of value begins with `peek`.
pub(super) fn kind(peek: Peek) -> &'static str {
    match peek {
        Peek::Null => "null",
        Peek::True | Peek::False => "a boolean",
        Peek::String => "a string",
        Peek::Array => "an array",
        Peek::Object => "an object",
        _ => "a number",
    }
}

/// The beginning of a text, for messages.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
