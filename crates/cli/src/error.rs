//! What can go wrong at the command line, and what the process exits with.

use std::io;

use ftable_core::ErrorKind;
use snafu::Snafu;

/// Errors of this crate.
#[derive(Debug, Snafu)]
#[snafu(visibility(pub(crate)))]
#[non_exhaustive]
pub enum Error {
    /// The arguments make no sense together.
    #[snafu(display("{message}"))]
    Usage {
        /// What is wrong and what to do.
        message: String,
    },

    /// The text of a filter cannot be read.
    #[snafu(display("filter '{text}': {message}"))]
    Filter {
        /// The filter as given.
        text: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// A file of rows cannot be read.
    #[snafu(display("{file}: {message}"))]
    Input {
        /// The file.
        file: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// A line of a file of rows cannot be read.
    #[snafu(display("{file}: line {line}: {message}"))]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong, by column and value.
        message: String,
    },

    /// A local file cannot be used.
    #[snafu(display("cannot {action} '{path}'"))]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },

    /// Rows cannot be written in the format asked for.
    #[snafu(display("cannot write rows as {format}: {message}"))]
    Render {
        /// The format.
        format: &'static str,
        /// What is wrong.
        message: String,
    },

    /// The table said no.
    #[snafu(display("{source}"))]
    Table {
        /// What it said.
        #[snafu(source(from(ftable_table::Error, Box::new)))]
        source: Box<ftable_table::Error>,
    },

    /// The catalog said no.
    #[snafu(display("{source}"))]
    Catalog {
        /// What it said.
        source: ftable_catalog::Error,
    },

    /// A file format said no.
    #[snafu(display("{source}"))]
    Format {
        /// What it said.
        source: ftable_formats::Error,
    },

    /// The store said no.
    #[snafu(display("{source}"))]
    Store {
        /// What it said.
        source: ftable_io::Error,
    },

    /// A rule of the core said no.
    #[snafu(display("{source}"))]
    Core {
        /// What it said.
        source: ftable_core::Error,
    },

    /// The standard output cannot be written to.
    #[snafu(display("cannot write to the standard output"))]
    Output {
        /// What the system said.
        source: io::Error,
    },

    /// Whoever read the standard output has had enough.
    #[snafu(display("the standard output is closed"))]
    Closed,
}

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What a caller can do about this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Usage { .. } | Self::Filter { .. } => ErrorKind::InvalidArgument,
            Self::Input { .. } | Self::Line { .. } => ErrorKind::TypeMismatch,
            Self::Render { .. } => ErrorKind::Unsupported,
            Self::File { source, .. } | Self::Output { source } => match source.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                _ => ErrorKind::Unavailable,
            },
            Self::Table { source } => source.kind(),
            Self::Catalog { source } => source.kind(),
            Self::Format { source } => source.kind(),
            Self::Store { source } => source.kind(),
            Self::Core { source } => source.kind(),
            Self::Closed => ErrorKind::Unavailable,
        }
    }

    /// What the process exits with: 0 where nobody wants to read on, 2 for bad usage, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Usage { .. } => 2,
            _ => 1,
        }
    }

    /// The message with the causes it does not mention already, on one line.
    pub fn one_line(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let told = error.to_string();
            if !text.contains(&told) {
                text.push_str(": ");
                text.push_str(&told);
            }
            cause = error.source();
        }
        text.split(['\r', '\n'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl From<ftable_table::Error> for Error {
    fn from(source: ftable_table::Error) -> Self {
        Self::Table {
            source: Box::new(source),
        }
    }
}

impl From<ftable_catalog::Error> for Error {
    fn from(source: ftable_catalog::Error) -> Self {
        Self::Catalog { source }
    }
}

impl From<ftable_formats::Error> for Error {
    fn from(source: ftable_formats::Error) -> Self {
        Self::Format { source }
    }
}

impl From<ftable_io::Error> for Error {
    fn from(source: ftable_io::Error) -> Self {
        Self::Store { source }
    }
}

impl From<ftable_core::Error> for Error {
    fn from(source: ftable_core::Error) -> Self {
        Self::Core { source }
    }
}

/// Tells a reader that went away from a real failure.
pub(crate) fn output_error(source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::BrokenPipe => Error::Closed,
        _ => Error::Output { source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_once_and_on_one_line() {
        let source = io::Error::new(io::ErrorKind::NotFound, "no\nsuch file");
        let error = Error::File {
            action: "open",
            path: "a.csv".to_owned(),
            source,
        };
        assert_eq!(error.one_line(), "cannot open 'a.csv': no such file");
        assert_eq!((error.kind(), error.exit_code()), (ErrorKind::NotFound, 1));

        let core = ftable_core::Error::InvalidSchema {
            message: "no columns".to_owned(),
        };
        assert_eq!(Error::from(core).one_line(), "invalid schema: no columns");
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let error = output_error(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(error.exit_code(), 0);
        assert_eq!(output_error(io::Error::other("disk full")).exit_code(), 1);
        let usage = Error::Usage {
            message: String::new(),
        };
        assert_eq!(usage.exit_code(), 2);
    }
}
