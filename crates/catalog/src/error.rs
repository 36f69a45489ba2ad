//! What can go wrong in a catalog.

use ftable_core::ErrorKind;
use snafu::Snafu;

/// Errors of this crate.
#[derive(Debug, Snafu)]
#[snafu(visibility(pub(crate)))]
#[non_exhaustive]
pub enum Error {
    /// A name cannot be that of a database or table.
    #[snafu(display("{what} name '{name}' is refused"))]
    InvalidName {
        /// `database` or `table`.
        what: &'static str,
        /// The name as given.
        name: String,
        /// What is wrong with it.
        #[snafu(source(from(ftable_core::Error, Box::new)))]
        source: Box<ftable_core::Error>,
    },

    /// The database `sys` is not one that can be changed.
    #[snafu(display(
        "cannot {action} database 'sys': it is the system database; choose another name"
    ))]
    SystemDatabase {
        /// What was asked.
        action: &'static str,
    },

    /// No such database.
    #[snafu(display("database '{database}' does not exist"))]
    DatabaseNotFound {
        /// The database.
        database: String,
    },

    /// The database is there already.
    #[snafu(display("database '{database}' already exists"))]
    DatabaseExists {
        /// The database.
        database: String,
    },

    /// The database is not empty.
    #[snafu(display(
        "database '{database}' is not empty (it holds '{child}'); drop its tables first or drop it with cascade"
    ))]
    DatabaseNotEmpty {
        /// The database.
        database: String,
        /// One thing that lies in it.
        child: String,
    },

    /// No such table.
    #[snafu(display("table {table} does not exist"))]
    TableNotFound {
        /// The table.
        table: String,
    },

    /// A path holds no schema.
    #[snafu(display(
        "{location} has no schema under it (schema/schema-<n>); give the schema, or name a directory that has one"
    ))]
    NoSchema {
        /// The path.
        location: String,
    },

    /// The table is there already.
    #[snafu(display("table {table} already exists"))]
    TableExists {
        /// The table.
        table: String,
    },

    /// Something that is no table or database is in the way.
    #[snafu(display("{subject}: '{path}' is in the way; {advice}"))]
    PathExists {
        /// The table or database that was asked for.
        subject: String,
        /// What is in the way.
        path: String,
        /// What to do.
        advice: &'static str,
    },

    /// The table is of another kind.
    #[snafu(display(
        "table {table} has type '{table_type}'; only tables with type 'format-table' are served, use an engine that supports '{table_type}'"
    ))]
    WrongTableType {
        /// The table.
        table: String,
        /// Its `type` option.
        table_type: String,
    },

    /// The schema that was given for a table is refused.
    #[snafu(display("table {table} cannot be created"))]
    RefusedSchema {
        /// The table.
        table: String,
        /// Why.
        #[snafu(source(from(ftable_core::Error, Box::new)))]
        source: Box<ftable_core::Error>,
    },

    /// A schema file cannot be read.
    #[snafu(display("schema file '{path}' cannot be read"))]
    SchemaFile {
        /// The file.
        path: String,
        /// What is wrong with it.
        #[snafu(source(from(ftable_core::Error, Box::new)))]
        source: Box<ftable_core::Error>,
    },

    /// A schema file is not even text.
    #[snafu(display("schema file '{path}' cannot be read: {message}"))]
    BrokenSchemaFile {
        /// The file.
        path: String,
        /// What is wrong with it.
        message: String,
    },

    /// A location cannot be that of a table.
    #[snafu(display("location '{location}' of table {table}: {message}"))]
    InvalidLocation {
        /// The table.
        table: String,
        /// The location as given.
        location: String,
        /// What is wrong and what to do.
        message: String,
    },

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

    /// A required option is missing.
    #[snafu(display("option '{key}' is not set: {message}"))]
    MissingOption {
        /// The option's key.
        key: &'static str,
        /// What to set it to.
        message: &'static str,
    },

    /// A catalog or a format table cannot do what was asked.
    #[snafu(display("{what} is not supported: {reason}; {instead}"))]
    Unsupported {
        /// What was asked, and of which table, database or option.
        what: String,
        /// Why it cannot be done.
        reason: String,
        /// What to use instead.
        instead: String,
    },

    /// The rules of the core refused an argument.
    #[snafu(display("{subject} is refused"))]
    Core {
        /// What was refused.
        subject: String,
        /// Why.
        #[snafu(source(from(ftable_core::Error, Box::new)))]
        source: Box<ftable_core::Error>,
    },

    /// The store failed.
    #[snafu(display("cannot {action} '{path}'"))]
    Storage {
        /// What was being done.
        action: &'static str,
        /// The file or directory.
        path: String,
        /// What the store said.
        #[snafu(source(from(ftable_io::Error, Box::new)))]
        source: Box<ftable_io::Error>,
    },
}

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What a caller can do about this error; that of the cause where there is one.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::SystemDatabase { .. } | Self::InvalidLocation { .. } => {
                ErrorKind::InvalidArgument
            }
            Self::DatabaseNotFound { .. } | Self::TableNotFound { .. } | Self::NoSchema { .. } => {
                ErrorKind::NotFound
            }
            Self::DatabaseExists { .. } | Self::TableExists { .. } | Self::PathExists { .. } => {
                ErrorKind::AlreadyExists
            }
            Self::DatabaseNotEmpty { .. } => ErrorKind::InvalidArgument,
            Self::WrongTableType { .. } | Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::BrokenSchemaFile { .. } => ErrorKind::CorruptFile,
            Self::InvalidOption { .. } | Self::MissingOption { .. } => ErrorKind::InvalidOption,
            Self::InvalidName { source, .. }
            | Self::RefusedSchema { source, .. }
            | Self::SchemaFile { source, .. }
            | Self::Core { source, .. } => source.kind(),
            Self::Storage { source, .. } => source.kind(),
        }
    }

    /// Whether the same call may succeed later without any change.
    pub fn retryable(&self) -> bool {
        self.kind().retryable()
    }
}
