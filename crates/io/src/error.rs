//! What can go wrong with a store, always with the operation and the path.

use std::fmt;
use std::io;

use ftable_core::ErrorKind;
use snafu::Snafu;

/// The cause below an error that came out of a store's client.
pub type Source = Box<dyn std::error::Error + Send + Sync>;

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors of this crate.
///
/// `operation` is a verb (`read`, `publish`), `path` is the absolute path inside the store.
#[derive(Debug, Snafu)]
#[snafu(visibility(pub(crate)))]
#[non_exhaustive]
pub enum Error {
    /// The file or directory does not exist.
    #[snafu(display("cannot {operation} '{path}': it does not exist"))]
    NotFound {
        /// What was tried.
        operation: &'static str,
        /// The path that is missing.
        path: String,
    },

    /// What was to be created exists already.
    #[snafu(display("cannot {operation} '{path}': it exists already"))]
    AlreadyExists {
        /// What was tried.
        operation: &'static str,
        /// The path that exists.
        path: String,
    },

    /// A file was asked for and the path is something else.
    #[snafu(display("cannot {operation} '{path}': it is not a file"))]
    NotAFile {
        /// What was tried.
        operation: &'static str,
        /// The path that is no file.
        path: String,
    },

    /// A directory was asked for and the path is something else.
    #[snafu(display("cannot {operation} '{path}': it is not a directory"))]
    NotADirectory {
        /// What was tried.
        operation: &'static str,
        /// The path that is no directory.
        path: String,
    },

    /// The operating system refused a local operation.
    #[snafu(display("cannot {operation} '{path}': {}", source.kind()))]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The path it was tried on.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },

    /// A store behind a client refused an operation.
    #[snafu(display("cannot {operation} '{path}': {reason}"))]
    Store {
        /// What was tried.
        operation: &'static str,
        /// The path it was tried on.
        path: String,
        /// The client's name for what happened.
        reason: String,
        /// What a caller can do about it.
        kind: ErrorKind,
        /// What the client said.
        source: Source,
    },

    /// A file has fewer bytes than its own content or the plan says.
    #[snafu(display(
        "cannot read bytes {start}..{end} of '{path}': it has {size} bytes; \
         the file is truncated, or it was replaced while it was read"
    ))]
    ShortRead {
        /// The file.
        path: String,
        /// First byte asked for.
        start: u64,
        /// One past the last byte asked for.
        end: u64,
        /// The bytes the file has.
        size: u64,
    },

    /// A range to read is so large that memory for it cannot be had.
    #[snafu(display("cannot read {length} bytes of '{path}' at once: not enough memory"))]
    OutOfMemory {
        /// The file.
        path: String,
        /// The bytes asked for.
        length: u64,
    },

    /// The text of a location cannot be read.
    #[snafu(display("location '{text}': {message}"))]
    InvalidLocation {
        /// The text as given.
        text: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// A path cannot be used inside a store.
    #[snafu(display("path '{path}': {message}"))]
    InvalidPath {
        /// The path as given.
        path: String,
        /// What is wrong and what to do.
        message: String,
    },

    /// The store has real directories, so it lists one at a time.
    #[snafu(display(
        "'{path}' cannot be listed at any depth at once; list its directories one by one"
    ))]
    NoFlatListing {
        /// The directory.
        path: String,
    },

    /// No file system serves a scheme.
    #[snafu(display(
        "location '{location}': no file system for the scheme '{scheme}' in this build; \
         supported are {supported}"
    ))]
    UnsupportedScheme {
        /// The location as given.
        location: String,
        /// Its scheme.
        scheme: String,
        /// The schemes that are served.
        supported: String,
    },

    /// A file name is not text.
    #[snafu(display(
        "the name '{name}' in directory '{directory}' is not valid UTF-8; rename or remove it"
    ))]
    NameNotUtf8 {
        /// The directory.
        directory: String,
        /// The name, with what is no text replaced.
        name: String,
    },

    /// Directories are nested so deep that a cycle is likelier than a table.
    #[snafu(display(
        "directory '{path}' lies more than {limit} levels below '{root}'; \
         does a symbolic link lead back to a directory above it?"
    ))]
    TooDeep {
        /// The directory.
        path: String,
        /// Where the walk began.
        root: String,
        /// The levels that are followed.
        limit: usize,
    },

    /// A file cannot be put in place without the danger of replacing another.
    #[snafu(display(
        "cannot {operation} '{path}': the file system refuses a hard link from '{staged}', \
         and a file is put in place without replacing another only by a hard link; \
         use a location on a file system with hard links"
    ))]
    NoHardLink {
        /// What was tried.
        operation: &'static str,
        /// Where the file was to appear.
        path: String,
        /// Where the file lies.
        staged: String,
        /// What the operating system said.
        source: io::Error,
    },

    /// A directory that must stay was to be deleted.
    #[snafu(display("refused to delete '{path}': it is the root of the store"))]
    DeleteRoot {
        /// The path as given.
        path: String,
    },

    /// A file was used after it was closed, or after a write to it failed.
    #[snafu(display("cannot {operation} '{path}': {state}"))]
    OutputUnusable {
        /// What was tried.
        operation: &'static str,
        /// The file.
        path: String,
        /// Why the file cannot be used any more.
        state: &'static str,
    },

    /// No runtime runs the calling task.
    #[snafu(display(
        "cannot {operation} '{path}': local files are read and written on the blocking pool \
         of a tokio runtime, and none runs this task"
    ))]
    NoRuntime {
        /// What was tried.
        operation: &'static str,
        /// The path it was tried on.
        path: String,
    },

    /// Options of a store, or its location, do not say what is needed.
    #[snafu(display("{message}"))]
    InvalidStoreOption {
        /// The option or location, its value, and what to do.
        message: String,
    },

    /// The task that did the work ended without an answer.
    #[snafu(display("cannot {operation} '{path}': the task doing it ended without an answer"))]
    TaskFailed {
        /// What was tried.
        operation: &'static str,
        /// The path it was tried on.
        path: String,
        /// How the task ended.
        source: tokio::task::JoinError,
    },
}

impl Error {
    /// What a caller can do about this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::AlreadyExists { .. } => ErrorKind::AlreadyExists,
            Self::Io { source, .. } => io_kind(source),
            Self::Store { kind, .. } => *kind,
            Self::ShortRead { .. } => ErrorKind::CorruptFile,
            Self::OutOfMemory { .. } => ErrorKind::Unavailable,
            Self::NotAFile { .. }
            | Self::NotADirectory { .. }
            | Self::InvalidLocation { .. }
            | Self::InvalidPath { .. }
            | Self::DeleteRoot { .. }
            | Self::OutputUnusable { .. }
            | Self::NoRuntime { .. } => ErrorKind::InvalidArgument,
            Self::InvalidStoreOption { .. } => ErrorKind::InvalidOption,
            Self::UnsupportedScheme { .. }
            | Self::NameNotUtf8 { .. }
            | Self::TooDeep { .. }
            | Self::NoHardLink { .. }
            | Self::NoFlatListing { .. } => ErrorKind::Unsupported,
            // A cancelled task belongs to a runtime that shuts down; the other way to end is a panic.
            Self::TaskFailed { source, .. } if source.is_cancelled() => ErrorKind::Unavailable,
            Self::TaskFailed { .. } => ErrorKind::Internal,
        }
    }

    /// Whether the same call may succeed later without any change.
    pub fn retryable(&self) -> bool {
        self.kind().retryable()
    }

    /// Whether the file or directory was missing.
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound
    }

    /// The error of a local operation on `path`.
    pub(crate) fn from_io(operation: &'static str, path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { operation, path },
            io::ErrorKind::AlreadyExists => Self::AlreadyExists { operation, path },
            io::ErrorKind::IsADirectory => Self::NotAFile { operation, path },
            io::ErrorKind::NotADirectory => Self::NotADirectory { operation, path },
            _ => Self::Io {
                operation,
                path,
                source,
            },
        }
    }

    /// The error of an operation on `path` through opendal.
    pub(crate) fn from_opendal(
        operation: &'static str,
        path: &str,
        source: opendal::Error,
    ) -> Self {
        use opendal::ErrorKind as Kind;
        let path = path.to_owned();
        let kind = match source.kind() {
            Kind::NotFound => return Self::NotFound { operation, path },
            Kind::AlreadyExists => return Self::AlreadyExists { operation, path },
            Kind::IsADirectory => return Self::NotAFile { operation, path },
            Kind::NotADirectory => return Self::NotADirectory { operation, path },
            Kind::PermissionDenied => ErrorKind::PermissionDenied,
            _ if source.message() == UNSIGNED => {
                return Self::Store {
                    operation,
                    path,
                    reason: "there are no keys to sign requests with; set the options \
                             's3.access-key' and 's3.secret-key'"
                        .to_owned(),
                    kind: ErrorKind::PermissionDenied,
                    source: Box::new(Said(source)),
                };
            }
            Kind::RateLimited => ErrorKind::Unavailable,
            Kind::Unsupported => ErrorKind::Unsupported,
            Kind::ConfigInvalid => ErrorKind::InvalidOption,
            Kind::RangeNotSatisfied => ErrorKind::CorruptFile,
            Kind::Conflict | Kind::ConditionNotMatch => ErrorKind::Conflict,
            _ if source.is_temporary() => ErrorKind::Unavailable,
            _ if is_expiry(source.message()) => ErrorKind::PermissionDenied,
            _ => ErrorKind::Internal,
        };
        Self::Store {
            operation,
            path,
            reason: source.kind().to_string(),
            kind,
            source: Box::new(Said(source)),
        }
    }
}

/// What the client says of a request for which it has no keys.
const UNSIGNED: &str = "signing http request";

/// Codes of S3 for credentials that were good once.
pub(crate) const EXPIRED: [&str; 3] = ["ExpiredToken", "InvalidToken", "TokenRefreshRequired"];

/// Whether a service says that credentials have expired, which it does with a status of its own.
fn is_expiry(message: &str) -> bool {
    quoted(message, "code: ").is_some_and(|code| EXPIRED.contains(&code))
}

/// What a store said, without the requests and headers that led to it.
struct Said(opendal::Error);

impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.0.message();
        match (quoted(message, "code: "), quoted(message, "message: ")) {
            (Some(code), Some(text)) if !text.is_empty() => write!(formatter, "{text} ({code})"),
            (Some(code), _) if !code.is_empty() => formatter.write_str(code),
            _ => formatter.write_str(message),
        }
    }
}

impl fmt::Debug for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Said {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// A text in quotes behind a name, as the client writes the errors of a service.
fn quoted<'a>(message: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = message.split_once(name)?;
    Some(rest.strip_prefix('"')?.split_once('"')?.0)
}

/// Error numbers the standard library has no stable kind for, the same on every Unix: an error of the
/// device, and no further open files in the system or the process.
const EIO: i32 = 5;
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

/// Too many symbolic links on the way.
const ELOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// What a caller can do about an error of the operating system.
fn io_kind(error: &io::Error) -> ErrorKind {
    use io::ErrorKind as Kind;
    match error.raw_os_error() {
        Some(EIO | ENFILE | EMFILE) if cfg!(unix) => return ErrorKind::Unavailable,
        Some(ELOOP) if cfg!(unix) => return ErrorKind::Unsupported,
        _ => {}
    }
    match error.kind() {
        Kind::NotFound => ErrorKind::NotFound,
        Kind::AlreadyExists => ErrorKind::AlreadyExists,
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => ErrorKind::PermissionDenied,
        Kind::UnexpectedEof => ErrorKind::CorruptFile,
        // The disk is full or busy now; nothing about the call is wrong.
        Kind::TimedOut
        | Kind::Interrupted
        | Kind::WouldBlock
        | Kind::ResourceBusy
        | Kind::StorageFull
        | Kind::QuotaExceeded
        | Kind::OutOfMemory
        | Kind::ConnectionReset
        | Kind::ConnectionAborted
        | Kind::NotConnected
        | Kind::HostUnreachable
        | Kind::NetworkUnreachable
        | Kind::NetworkDown
        | Kind::StaleNetworkFileHandle => ErrorKind::Unavailable,
        Kind::Unsupported | Kind::CrossesDevices | Kind::TooManyLinks => ErrorKind::Unsupported,
        Kind::InvalidInput
        | Kind::InvalidFilename
        | Kind::IsADirectory
        | Kind::NotADirectory
        | Kind::DirectoryNotEmpty => ErrorKind::InvalidArgument,
        _ => ErrorKind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    fn from_kind(kind: io::ErrorKind) -> Error {
        Error::from_io("list", "/data/wh", io::Error::new(kind, "from the test"))
    }

    #[test]
    fn io_errors_map_to_what_a_caller_can_do() {
        for (kind, expected) in [
            (io::ErrorKind::NotFound, ErrorKind::NotFound),
            (io::ErrorKind::AlreadyExists, ErrorKind::AlreadyExists),
            (io::ErrorKind::PermissionDenied, ErrorKind::PermissionDenied),
            (io::ErrorKind::UnexpectedEof, ErrorKind::CorruptFile),
            (io::ErrorKind::TimedOut, ErrorKind::Unavailable),
            (io::ErrorKind::Interrupted, ErrorKind::Unavailable),
            (io::ErrorKind::StorageFull, ErrorKind::Unavailable),
            (io::ErrorKind::NotADirectory, ErrorKind::InvalidArgument),
            (io::ErrorKind::Other, ErrorKind::Internal),
        ] {
            assert_eq!(from_kind(kind).kind(), expected, "{kind:?}");
        }
        #[cfg(unix)]
        for (code, expected) in [
            (24, ErrorKind::Unavailable),
            (ELOOP, ErrorKind::Unsupported),
            (13, ErrorKind::PermissionDenied),
            (2, ErrorKind::NotFound),
        ] {
            let error = Error::from_io("list", "/wh", io::Error::from_raw_os_error(code));
            assert_eq!(error.kind(), expected, "{code}");
        }
        assert!(from_kind(io::ErrorKind::TimedOut).retryable());
        assert!(!from_kind(io::ErrorKind::PermissionDenied).retryable());
    }

    #[test]
    fn a_permission_error_names_operation_and_directory_and_keeps_its_source() {
        let error = from_kind(io::ErrorKind::PermissionDenied);
        assert_eq!(
            error.to_string(),
            "cannot list '/data/wh': permission denied"
        );
        assert_eq!(error.source().unwrap().to_string(), "from the test");
    }

    #[test]
    fn opendal_errors_map_to_what_a_caller_can_do() {
        let of = |kind, temporary| {
            let error = opendal::Error::new(kind, "from the test").with_temporary(temporary);
            Error::from_opendal("read", "/t/a.csv", error)
        };
        use opendal::ErrorKind as Kind;
        assert_eq!(of(Kind::NotFound, false).kind(), ErrorKind::NotFound);
        assert_eq!(
            of(Kind::PermissionDenied, false).kind(),
            ErrorKind::PermissionDenied
        );
        assert_eq!(of(Kind::Unexpected, true).kind(), ErrorKind::Unavailable);
        assert_eq!(of(Kind::Unexpected, false).kind(), ErrorKind::Internal);
        assert_eq!(of(Kind::RateLimited, true).kind(), ErrorKind::Unavailable);
        assert_eq!(
            of(Kind::PermissionDenied, false).to_string(),
            "cannot read '/t/a.csv': PermissionDenied"
        );
        let unsigned = opendal::Error::new(Kind::Unexpected, UNSIGNED);
        let unsigned = Error::from_opendal("read", "/t/a.csv", unsigned);
        assert_eq!(unsigned.kind(), ErrorKind::PermissionDenied);
        assert_eq!(
            unsigned.to_string(),
            "cannot read '/t/a.csv': there are no keys to sign requests with; set the options 's3.access-key' and \
             's3.secret-key'"
        );
        let said = |message: &str| Said(opendal::Error::new(Kind::Unexpected, message)).to_string();
        let service =
            r#"S3Error { code: "NoSuchBucket", message: "There is no bucket", resource: "" }"#;
        assert_eq!(said(service), "There is no bucket (NoSuchBucket)");
        let short = r#"S3Error { code: "SlowDown", message: "", resource: "" }"#;
        assert_eq!(said(short), "SlowDown");
        assert_eq!(said("send http request"), "send http request");
    }
}
