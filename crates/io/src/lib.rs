//! The file systems a format table lives on.
//!
//! Everything the layers above know about stores is here: how a location is written, what a listing
//! means, what makes a file a data file, how byte ranges are read, and how a finished file is put in
//! place without ever replacing another one.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`Location`] | what a path text means, and whether two texts name the same place |
//! | [`path`] | paths inside one store: joining, containment, what a relative path may look like |
//! | [`FileSystem`] | what every store can do, and what a caller may rely on |
//! | [`LocalFileSystem`] | local disks, on the blocking pool of the runtime |
//! | [`OpendalFileSystem`] | every other store, through opendal |
//! | [`data_files`] | which files below a directory are data |
//! | [`walk`] | how a tree of directories is walked under a guide |
//! | [`blocking`] | where work that blocks is done |
//! | [`ranges`] | which byte ranges are fetched together |
//! | [`open_file_system`] | the file system of a location |
//! | [`CredentialSource`] | credentials that are replaced while a store is used |

#![deny(missing_docs)]

mod credentials;
mod error;
mod file_system;
mod local;
mod location;
mod open;
mod opendal_store;

pub mod blocking;
pub mod data_files;
pub mod path;
pub mod ranges;
#[cfg(feature = "tls")]
pub mod tls;
pub mod walk;

pub use credentials::CredentialSource;
pub use error::{Error, Result, Source};
pub use file_system::{
    BlockingLister, BlockingReader, Capabilities, EntryKind, FileStatus, FileSystem, InputFile,
    OutputFile, PublishMode, PublishOutcome, RawEntry,
};
pub use ftable_core::ErrorKind;
pub use local::LocalFileSystem;
pub use location::Location;
pub use open::{
    SUPPORTED_SCHEMES, asks_for_credentials, open_file_system, open_vended_file_system,
};
pub use opendal_store::OpendalFileSystem;
pub use path::{check_relative, contained};

#[cfg(test)]
mod conformance;
