//! What can go wrong with a table.

use ftable_core::ErrorKind;
use snafu::Snafu;

/// Errors of this crate.
#[derive(Debug, Snafu)]
#[snafu(visibility(pub(crate)))]
#[non_exhaustive]
pub enum Error {
    /// A setting a format table cannot act on.
    #[snafu(display("{what} is not possible on a format table: {reason}; {instead}"))]
    Refused {
        /// What was asked.
        what: String,
        /// Why a format table cannot.
        reason: &'static str,
        /// What to use instead.
        instead: &'static str,
    },

    /// The table's schema, options or partition values do not allow the call.
    #[snafu(display("table {table}: {source}"))]
    Core {
        /// The table.
        table: String,
        /// What is wrong.
        source: ftable_core::Error,
    },

    /// The store failed.
    #[snafu(display("table {table}: {source}"))]
    Io {
        /// The table.
        table: String,
        /// What the store said.
        source: ftable_io::Error,
    },

    /// A file could not be read or written.
    #[snafu(display("table {table}: {source}"))]
    Format {
        /// The table.
        table: String,
        /// What is wrong with the file.
        source: ftable_formats::Error,
    },

    /// The catalog failed.
    #[snafu(display("{source}"))]
    Catalog {
        /// What the catalog said.
        source: ftable_catalog::Error,
    },

    /// The catalog, which says which partitions the table has, could not be asked or told.
    #[snafu(display("table {table}: the catalog did not {action}: {source}"))]
    Registry {
        /// The table.
        table: String,
        /// What was asked of it.
        action: &'static str,
        /// What it said.
        source: ftable_catalog::Error,
    },

    /// The catalog did not take note of what a commit did.
    #[snafu(display(
        "table {table}: the catalog did not take note of partitions {}: {source}; {state}",
        few(partitions)
    ))]
    Registration {
        /// The table.
        table: String,
        /// Their directories.
        partitions: Vec<String>,
        /// What the catalog may hold now, and what to do.
        state: &'static str,
        /// What it said.
        source: ftable_catalog::Error,
    },

    /// A commit failed when the catalog had already taken note of it.
    #[snafu(display(
        "{source}; the catalog of table {table} had taken note of the commit's partitions before: {state}"
    ))]
    AfterRegistration {
        /// The table.
        table: String,
        /// What the catalog holds now, and what to do.
        state: &'static str,
        /// Why the commit failed.
        #[snafu(source(from(Error, Box::new)))]
        source: Box<Error>,
    },

    /// A partition that the catalog lists cannot be one of the table's.
    #[snafu(display(
        "table {table}: partition {partition}, which the catalog lists, cannot be read: {source}; drop it in the \
         catalog, or correct the table's schema and options"
    ))]
    Registered {
        /// The table.
        table: String,
        /// The partition as the catalog lists it.
        partition: String,
        /// What is wrong.
        source: ftable_core::Error,
    },

    /// No partition of the catalog matches.
    #[snafu(display("table {table}: the catalog has no partition {partition}"))]
    NotRegistered {
        /// The table.
        table: String,
        /// What was asked for.
        partition: String,
    },

    /// A partition directory's name cannot be read as the declared type.
    #[snafu(display("table {table}: directory {directory}: {source}"))]
    Directory {
        /// The table.
        table: String,
        /// The directory, relative to the table.
        directory: String,
        /// What is wrong.
        source: ftable_core::Error,
    },

    /// A column asked for or given is not one of the table's.
    #[snafu(display("table {table}: there is no column '{column}'; the columns are {known}"))]
    NoSuchColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The table's columns.
        known: String,
    },

    /// A column is named twice.
    #[snafu(display("table {table}: column '{column}' is named twice; name it once"))]
    DuplicateColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },

    /// A batch does not fit the table.
    #[snafu(display("table {table}: the batch cannot be written: {message}"))]
    Batch {
        /// The table.
        table: String,
        /// What is wrong, by column.
        message: String,
    },

    /// A plan or message does not belong to this table, or is malformed.
    #[snafu(display("table {table}: {what} refused: {message}"))]
    Foreign {
        /// The table.
        table: String,
        /// Split, plan or commit message.
        what: &'static str,
        /// What is wrong.
        message: String,
    },

    /// Messages that were committed before.
    #[snafu(display(
        "table {table}: already committed: {count} of {of} files are published, {target} the first of them; nothing was changed"
    ))]
    AlreadyCommitted {
        /// The table.
        table: String,
        /// A published file.
        target: String,
        /// How many of the files are published.
        count: usize,
        /// How many files there are.
        of: usize,
    },

    /// A staged file is gone before it was published.
    #[snafu(display(
        "table {table}: staged file {staged} is gone; nothing was changed, write the rows again"
    ))]
    StagedFileGone {
        /// The table.
        table: String,
        /// The staged file.
        staged: String,
    },

    /// A staged file is not as long as it was when it was written.
    #[snafu(display(
        "table {table}: staged file {staged} has {size} of the {bytes} bytes that were written to it, as after a \
         power failure; nothing was changed, write the rows again"
    ))]
    StagedFileCut {
        /// The table.
        table: String,
        /// The staged file.
        staged: String,
        /// Its bytes.
        size: u64,
        /// The bytes it had when it was written.
        bytes: u64,
    },

    /// A commit failed and was taken back.
    #[snafu(display(
        "table {table}: the commit failed and was taken back{}: {source}",
        left_over(not_removed)
    ))]
    CommitFailed {
        /// The table.
        table: String,
        /// Published files that could not be removed again: their rows are visible.
        not_removed: Vec<String>,
        /// Why it failed.
        #[snafu(source(from(Error, Box::new)))]
        source: Box<Error>,
    },

    /// A target exists that this commit did not make.
    #[snafu(display(
        "table {table}: {target} exists already and is left as it is; write the rows again"
    ))]
    TargetExists {
        /// The table.
        table: String,
        /// The target.
        target: String,
    },

    /// Another commit replaces rows of the same directories.
    #[snafu(display(
        "table {table}: the commit {id} is replacing rows of the same directories; try again when it is through, or \
         run repair if its process has died"
    ))]
    Conflict {
        /// The table.
        table: String,
        /// The other commit.
        id: String,
    },

    /// A commit could neither be ended nor taken back.
    #[snafu(display(
        "table {table}: the commit {id} stands half-way; run repair on the table: {source}"
    ))]
    Unfinished {
        /// The table.
        table: String,
        /// The commit.
        id: String,
        /// What went wrong.
        #[snafu(source(from(Error, Box::new)))]
        source: Box<Error>,
    },

    /// A file cannot be served.
    #[snafu(display("table {table}: {message}"))]
    Unusable {
        /// The table.
        table: String,
        /// What is wrong.
        message: String,
    },

    /// What lies in a directory contradicts itself, so that no schema can be inferred.
    #[snafu(display("table {table}: its schema cannot be inferred: {message}"))]
    NotInferred {
        /// The directory.
        table: String,
        /// What contradicts what, and what to do.
        message: String,
    },

    /// Nothing lies in a directory from which a schema could be inferred.
    #[snafu(display("table {table}: its schema cannot be inferred: {message}"))]
    NothingToInfer {
        /// The directory.
        table: String,
        /// What is missing, and what to do.
        message: String,
    },

    /// A schema lies under a directory whose schema was to be inferred.
    #[snafu(display(
        "table {table}: its schema cannot be inferred: one lies under it already; open the table by its path"
    ))]
    SchemaThere {
        /// The directory.
        table: String,
    },

    /// A writer was used after it ended or failed.
    #[snafu(display("table {table}: the writer {state}; open a new one"))]
    WriterEnded {
        /// The table.
        table: String,
        /// How it ended.
        state: &'static str,
    },

    /// Work on another task was cut off.
    #[snafu(display("table {table}: {what} was cut off: the runtime is shutting down"))]
    CutOff {
        /// The table.
        table: String,
        /// What was being done.
        what: &'static str,
    },

    /// A kernel refused what it was given: a defect of this library.
    #[snafu(display("table {table}: internal error: {message}"))]
    Internal {
        /// The table.
        table: String,
        /// What happened.
        message: String,
    },
}

fn left_over(paths: &[String]) -> String {
    match paths.is_empty() {
        true => String::new(),
        false => format!(
            ", but these files could not be removed: {}",
            paths.join(", ")
        ),
    }
}

/// The first of many, and how many more there are.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What a caller can do about this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused { .. } => ErrorKind::Unsupported,
            Self::Core { source, .. } => source.kind(),
            Self::Io { source, .. } => source.kind(),
            Self::Format { source, .. } => source.kind(),
            Self::Catalog { source } => source.kind(),
            Self::Registry { source, .. } | Self::Registration { source, .. } => source.kind(),
            Self::Directory { source, .. } | Self::Registered { source, .. } => source.kind(),
            Self::NotRegistered { .. } => ErrorKind::NotFound,
            Self::NoSuchColumn { .. } | Self::DuplicateColumn { .. } => ErrorKind::InvalidArgument,
            Self::Batch { .. } => ErrorKind::TypeMismatch,
            Self::Foreign { .. } | Self::WriterEnded { .. } => ErrorKind::InvalidArgument,
            Self::AlreadyCommitted { .. } | Self::TargetExists { .. } => ErrorKind::AlreadyExists,
            Self::StagedFileGone { .. } => ErrorKind::NotFound,
            Self::StagedFileCut { .. } => ErrorKind::CorruptFile,
            Self::Conflict { .. } => ErrorKind::Conflict,
            Self::CommitFailed { source, .. }
            | Self::Unfinished { source, .. }
            | Self::AfterRegistration { source, .. } => source.kind(),
            Self::Unusable { .. } => ErrorKind::InvalidArgument,
            Self::NotInferred { .. } => ErrorKind::InvalidSchema,
            Self::NothingToInfer { .. } => ErrorKind::NotFound,
            Self::SchemaThere { .. } => ErrorKind::AlreadyExists,
            Self::CutOff { .. } => ErrorKind::Unavailable,
            Self::Internal { .. } => ErrorKind::Internal,
        }
    }

    /// Whether the same call may succeed later without any change.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Io { source, .. } => source.retryable(),
            Self::Format { source, .. } => source.retryable(),
            Self::Catalog { source } => source.retryable(),
            Self::Registry { source, .. } => source.retryable(),
            // What the catalog counted before its answer was lost would be counted twice.
            Self::Registration { .. } | Self::AfterRegistration { .. } => false,
            Self::CommitFailed { source, .. } => source.retryable(),
            other => other.kind().retryable(),
        }
    }
}

impl From<ftable_catalog::Error> for Error {
    fn from(source: ftable_catalog::Error) -> Self {
        Self::Catalog { source }
    }
}
