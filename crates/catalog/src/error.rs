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

    /// A REST server answered that it did not do what was asked.
    ///
    /// Its message is shown without what looks like a secret; a body that is not the protocol's is never
    /// shown.
    #[cfg(feature = "rest")]
    #[snafu(display(
        "{request}: the server answered {code}{}{}: {message}",
        times(*attempts),
        id(request_id.as_deref())
    ))]
    Server {
        /// Method and path.
        request: String,
        /// The code of the body, or the HTTP status where the body has none.
        code: u16,
        /// What kind of thing the message is about, as the server says: `TABLE`, `DATABASE`, …; empty when it
        /// does not say.
        resource_type: String,
        /// The name of that thing; empty when the server does not say.
        resource_name: String,
        /// What the server says.
        message: String,
        /// The request's id in the logs of the server.
        request_id: Option<String>,
        /// How often the request was sent.
        attempts: u32,
    },

    /// What the refusal of a REST server means for what was asked.
    #[cfg(feature = "rest")]
    #[snafu(display("{subject}"))]
    Refused {
        /// What is the matter, with the name of the database, table or partition.
        subject: String,
        /// What a caller can do about it.
        kind: ErrorKind,
        /// What the server answered.
        #[snafu(source(from(Error, Box::new)))]
        source: Box<Error>,
    },

    /// A REST server did not answer, or not to the end.
    #[cfg(feature = "rest")]
    #[snafu(display("{request}: {problem}{}", unknown(*may_be_done)))]
    Exchange {
        /// Method and path.
        request: String,
        /// What happened.
        problem: String,
        /// Whether the server may have done what was asked.
        may_be_done: bool,
        /// What the connection said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// The answer of a REST server makes no sense.
    #[cfg(feature = "rest")]
    #[snafu(display("{request}: the answer makes no sense: {message}"))]
    Answer {
        /// Method and path.
        request: String,
        /// What is wrong with it.
        message: String,
    },

    /// Partitions were given that a table cannot have, or that do not fit each other.
    #[cfg(feature = "rest")]
    #[snafu(display("partitions of table {table}: {message}"))]
    InvalidPartitions {
        /// The table.
        table: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// Credentials for a REST server cannot be had.
    #[cfg(feature = "rest")]
    #[snafu(display("no credentials from {place}: {message}"))]
    Credentials {
        /// Where they were to come from.
        place: String,
        /// What is wrong there.
        message: String,
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
            #[cfg(feature = "rest")]
            Self::Server { code, .. } => server_kind(*code),
            #[cfg(feature = "rest")]
            Self::Refused { kind, .. } => *kind,
            #[cfg(feature = "rest")]
            Self::Exchange { .. } => ErrorKind::Unavailable,
            // The nearest there is: bytes that are not what their format says.
            #[cfg(feature = "rest")]
            Self::Answer { .. } => ErrorKind::CorruptFile,
            #[cfg(feature = "rest")]
            Self::InvalidPartitions { .. } => ErrorKind::InvalidArgument,
            #[cfg(feature = "rest")]
            Self::Credentials { .. } => ErrorKind::PermissionDenied,
        }
    }

    /// Whether the same call may succeed later without any change. Not so where it may have been done already.
    pub fn retryable(&self) -> bool {
        match self {
            #[cfg(feature = "rest")]
            Self::Exchange { may_be_done, .. } => !may_be_done,
            #[cfg(feature = "rest")]
            Self::Refused { source, .. } => source.retryable(),
            _ => self.kind().retryable(),
        }
    }
}

/// What a caller can do about the code of a REST server.
#[cfg(feature = "rest")]
fn server_kind(code: u16) -> ErrorKind {
    match code {
        400 | 412 => ErrorKind::InvalidArgument,
        401 | 403 => ErrorKind::PermissionDenied,
        404 => ErrorKind::NotFound,
        409 => ErrorKind::AlreadyExists,
        // Redirects too: they are not followed.
        300..=399 | 405 | 406 | 501 => ErrorKind::Unsupported,
        429 | 502..=504 => ErrorKind::Unavailable,
        _ => ErrorKind::Internal,
    }
}

#[cfg(feature = "rest")]
fn times(attempts: u32) -> String {
    if attempts > 1 {
        format!(" at the last of {attempts} attempts")
    } else {
        String::new()
    }
}

#[cfg(feature = "rest")]
fn id(request_id: Option<&str>) -> String {
    request_id.map_or_else(String::new, |id| format!(" (request id {id})"))
}

#[cfg(feature = "rest")]
fn unknown(may_be_done: bool) -> &'static str {
    if may_be_done {
        "; whether the server did it is not known"
    } else {
        ""
    }
}
