//! What can go wrong with one file.

use ftable_core::ErrorKind;
use snafu::Snafu;

/// Errors of this crate. Every variant about a file names it.
#[derive(Debug, Snafu)]
#[snafu(visibility(pub(crate)))]
#[non_exhaustive]
pub enum Error {
    /// The file is not what its format says it should be.
    #[snafu(display("{path}: not a readable {format} file: {message}"))]
    Corrupt {
        /// The file.
        path: String,
        /// The format it was read as.
        format: &'static str,
        /// What is wrong.
        message: String,
    },

    /// A column of the file has a type that cannot be read as the declared one without loss.
    #[snafu(display(
        "{path}: column {column}: file type {file_type} cannot be read as {declared}"
    ))]
    TypeMismatch {
        /// The file.
        path: String,
        /// The column, with the path of nested names.
        column: String,
        /// The type in the file.
        file_type: String,
        /// The type the table declares.
        declared: String,
    },

    /// A value of the file cannot be read as the declared type without loss.
    #[snafu(display(
        "{path}: column {column}: file type {file_type} cannot be read as {declared}: row {row} value {value}"
    ))]
    ValueMismatch {
        /// The file.
        path: String,
        /// The column, with the path of nested names.
        column: String,
        /// The type in the file.
        file_type: Box<str>,
        /// The type the table declares.
        declared: Box<str>,
        /// The row of the file, from 0.
        row: u64,
        /// The value.
        value: String,
    },

    /// A record of a text file cannot be read.
    #[snafu(display("{path}: {position}: {}{reason}", of_column(column.as_deref())))]
    BadRecord {
        /// The file.
        path: String,
        /// Which line it is: `line 5`, the first being 1, or `the line at byte 1234`.
        position: String,
        /// The column, with the path of nested names, if one is to blame.
        column: Option<String>,
        /// What is wrong.
        reason: String,
    },

    /// A NOT NULL column is absent from the file.
    #[snafu(display("{path}: column {column} is NOT NULL in the table but missing in the file"))]
    MissingNotNull {
        /// The file.
        path: String,
        /// The column, with the path of nested names.
        column: String,
    },

    /// A NOT NULL column holds a null.
    #[snafu(display("{path}: column {column} is NOT NULL in the table but null (row {row})"))]
    NullInNotNull {
        /// The file.
        path: String,
        /// The column, with the path of nested names.
        column: String,
        /// The row of the file, from 0.
        row: u64,
    },

    /// Two columns of the file have the name of one column asked for.
    #[snafu(display(
        "{path}: the file has several columns named {column}; which one is meant cannot be told"
    ))]
    AmbiguousColumn {
        /// The file.
        path: String,
        /// The column.
        column: String,
    },

    /// A column of the file has a type that no column of a table has.
    #[snafu(display(
        "{path}: column {column}: file type {file_type} is no type of a table; give a schema that leaves the column out"
    ))]
    NoTableType {
        /// The file.
        path: String,
        /// The column, with the path of nested names.
        column: String,
        /// The type in the file.
        file_type: String,
    },

    /// No type of a table reads a column of two files without loss.
    #[snafu(display(
        "column {column} is {first} in {first_path} and {second} in {second_path}: no type reads both without loss; \
         give a schema that says which one is meant"
    ))]
    NoCommonType {
        /// The column, with the path of nested names.
        column: String,
        /// The type of one file.
        first: Box<str>,
        /// That file.
        first_path: Box<str>,
        /// The type of the other.
        second: Box<str>,
        /// The other file.
        second_path: Box<str>,
    },

    /// A file names its columns by their position only, and has more than other files name.
    #[snafu(display(
        "{path}: of its {columns} columns without names the other files name only the first {named}; give a schema"
    ))]
    UnnamedColumns {
        /// The file.
        path: String,
        /// Its columns.
        columns: usize,
        /// The columns that other files name.
        named: usize,
    },

    /// The store failed.
    #[snafu(display("{source}"))]
    Io {
        /// What the store said.
        source: ftable_io::Error,
    },

    /// A setting or type is not available in this format.
    #[snafu(display("{format}: {what} is not supported: {reason}"))]
    Unsupported {
        /// The format.
        format: &'static str,
        /// What was asked.
        what: String,
        /// Why not, and what to use instead.
        reason: String,
    },

    /// A core rule refused.
    #[snafu(display("{source}"))]
    Core {
        /// What was refused.
        source: ftable_core::Error,
    },

    /// A value that the format cannot hold.
    #[snafu(display("{format}: column {column}: value {value} cannot be stored: it {reason}"))]
    Unstorable {
        /// The format.
        format: &'static str,
        /// The column.
        column: String,
        /// The value.
        value: String,
        /// Why not.
        reason: String,
    },

    /// A batch could not be encoded.
    #[snafu(display("encoding {format} failed: {message}"))]
    Encode {
        /// The format.
        format: &'static str,
        /// What went wrong.
        message: String,
    },

    /// Work on the blocking pool was cut off.
    #[snafu(display("{path}: {what} was cut off: the runtime is shutting down"))]
    CutOff {
        /// The file.
        path: String,
        /// What was being done.
        what: &'static str,
    },
}

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A file that is encrypted, as a whole or in columns: nothing is wrong with it, but nothing here has the keys.
    pub(crate) fn encrypted(path: &str, format: &'static str) -> Self {
        UnsupportedSnafu {
            format,
            what: format!("{path}: an encrypted file"),
            reason: "have it written in the clear by an engine that has the keys",
        }
        .build()
    }

    /// What a caller can do about this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Corrupt { .. } | Self::BadRecord { column: None, .. } => ErrorKind::CorruptFile,
            Self::TypeMismatch { .. }
            | Self::ValueMismatch { .. }
            | Self::BadRecord { .. }
            | Self::MissingNotNull { .. }
            | Self::NullInNotNull { .. }
            | Self::AmbiguousColumn { .. }
            | Self::NoCommonType { .. }
            | Self::UnnamedColumns { .. } => ErrorKind::TypeMismatch,
            Self::Io { source } => source.kind(),
            Self::Core { source } => source.kind(),
            Self::Unsupported { .. } | Self::NoTableType { .. } => ErrorKind::Unsupported,
            Self::Unstorable { .. } => ErrorKind::InvalidArgument,
            Self::Encode { .. } => ErrorKind::Internal,
            Self::CutOff { .. } => ErrorKind::Unavailable,
        }
    }

    /// Whether the same call may succeed later without any change.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Io { source } => source.retryable(),
            other => other.kind().retryable(),
        }
    }
}

/// The column at fault, for a message that goes on.
fn of_column(column: Option<&str>) -> String {
    column.map_or_else(String::new, |column| format!("column {column}: "))
}

impl From<ftable_io::Error> for Error {
    fn from(source: ftable_io::Error) -> Self {
        Self::Io { source }
    }
}

impl From<ftable_core::Error> for Error {
    fn from(source: ftable_core::Error) -> Self {
        Self::Core { source }
    }
}
