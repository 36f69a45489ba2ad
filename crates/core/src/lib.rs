//! The vocabulary of format tables: types, schemas, options, identifiers, partitions and predicates.
//!
//! Nothing here touches a file or a runtime. What is decided here is decided once: how a type is
//! spelled, which options mean anything, and how a partition value becomes a directory name.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`types`] | which column types exist, how they are spelled and which Arrow type carries them |
//! | [`schema`] | what a table looks like on disk, and what is refused |
//! | [`options`] | which options do anything, their defaults and their values |
//! | [`partition`] | how a value is spelled in a directory name, and how a name is read back |
//! | [`predicate`] | filters: typed, three-valued, and decidable on partial knowledge |
//! | [`datum`] | one typed value |

#![deny(missing_docs)]

pub mod datum;
mod error;
mod identifier;
pub mod options;
pub mod partition;
pub mod predicate;
pub mod schema;
pub mod types;

pub use datum::Datum;
pub use error::{Error, ErrorKind, Result};
pub use identifier::Identifier;
pub use options::{FileFormatKind, FormatTableOptions, Options};
pub use partition::PartitionCodec;
pub use predicate::{Predicate, col};
pub use schema::{Schema, TableSchema};
pub use types::{DataField, DataType, TypeKind};
