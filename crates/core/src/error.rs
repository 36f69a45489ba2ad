//! What can go wrong, by what a caller can do about it.

use snafu::Snafu;

/// What a caller can do about an error.
///
/// Every crate of the workspace has an error enum of its own whose `kind()` gives one of these,
/// unchanged by wrapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option has a value that cannot be honoured.
    InvalidOption,
    /// A schema is malformed or describes a table that cannot be served.
    InvalidSchema,
    /// A partition value or directory does not fit the partition columns.
    InvalidPartition,
    /// A call was made with arguments that make no sense together.
    InvalidArgument,
    /// The table, database, file or column does not exist.
    NotFound,
    /// What was to be created exists already.
    AlreadyExists,
    /// Another job works on the same data.
    Conflict,
    /// A format table cannot do what was asked.
    Unsupported,
    /// A file is not what its format says it should be.
    CorruptFile,
    /// A column has another type than the table declares.
    TypeMismatch,
    /// The store refused access.
    PermissionDenied,
    /// The store did not answer, or answered that it cannot right now.
    Unavailable,
    /// A defect of this library.
    Internal,
}

impl ErrorKind {
    /// Whether the same call may succeed later without any change.
    pub fn retryable(self) -> bool {
        matches!(self, Self::Unavailable)
    }
}

/// Errors of this crate.
#[derive(Debug, Snafu)]
#[snafu(visibility(pub(crate)))]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that cannot be honoured.
    #[snafu(display("option '{key}' = '{value}': {message}"))]
    InvalidOption {
        /// The option's key.
        key: String,
        /// The value as given.
        value: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// A schema is malformed or describes a table that cannot be served.
    #[snafu(display("invalid schema: {message}"))]
    InvalidSchema {
        /// What is wrong and what to do.
        message: String,
    },

    /// A column cannot be part of the schema.
    #[snafu(display("invalid schema: column '{column}': {message}"))]
    InvalidColumn {
        /// The column.
        column: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// The JSON of a schema cannot be read.
    #[snafu(display("schema JSON cannot be read: {message}"))]
    SchemaJson {
        /// What is wrong.
        message: String,
    },

    /// A type text cannot be read.
    #[snafu(display("type '{text}': {message}"))]
    InvalidType {
        /// The text as given.
        text: String,
        /// What is wrong.
        message: String,
    },

    /// A name of a table or database cannot be read.
    #[snafu(display("identifier '{text}': {message}"))]
    InvalidIdentifier {
        /// The text as given.
        text: String,
        /// What is wrong.
        message: String,
    },

    /// A partition value does not fit its column.
    #[snafu(display("partition column '{column}', value '{value}': {message}"))]
    InvalidPartition {
        /// The partition column.
        column: String,
        /// The value or directory name.
        value: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// A predicate cannot be evaluated on this table.
    #[snafu(display("filter on column '{column}': {message}"))]
    InvalidPredicate {
        /// The column.
        column: String,
        /// What is wrong.
        message: String,
    },

    /// A type has no counterpart.
    #[snafu(display("type {from} has no counterpart in {to}"))]
    NoCounterpart {
        /// The type that was given.
        from: String,
        /// The type system it was to be expressed in.
        to: String,
    },

    /// A format table cannot do what was asked.
    #[snafu(display("{what} is not supported: {reason}; {instead}"))]
    Unsupported {
        /// What was asked.
        what: String,
        /// Why a format table cannot.
        reason: String,
        /// What to use instead.
        instead: String,
    },
}

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What a caller can do about this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidOption { .. } => ErrorKind::InvalidOption,
            Self::InvalidSchema { .. } | Self::InvalidColumn { .. } | Self::SchemaJson { .. } => {
                ErrorKind::InvalidSchema
            }
            Self::InvalidType { .. } => ErrorKind::InvalidSchema,
            Self::InvalidIdentifier { .. } => ErrorKind::InvalidArgument,
            Self::InvalidPartition { .. } => ErrorKind::InvalidPartition,
            Self::InvalidPredicate { .. } => ErrorKind::InvalidArgument,
            Self::NoCounterpart { .. } => ErrorKind::Unsupported,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
        }
    }

    /// Whether the same call may succeed later without any change.
    pub fn retryable(&self) -> bool {
        self.kind().retryable()
    }
}
