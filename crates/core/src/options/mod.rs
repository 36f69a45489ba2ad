//! Options: every key that means anything, its default, its values and its status.
//!
//! [`Options`] is the string map as a user or a schema file gives it; unknown keys stay in it
//! untouched. [`keys`] has one typed [`OptionKey`] for each key that is read.
//! [`FormatTableOptions::resolve`] turns a merged map into validated values.

mod compression;
mod docs;
mod dynamic;
mod format_kind;
mod key;
pub mod keys;
mod map;
mod resolve;
mod secret;
mod text_formats;
mod value;

pub use docs::option_docs_markdown;
pub use dynamic::check_dynamic;
pub use format_kind::FileFormatKind;
pub use key::{OptionInfo, OptionKey, Status};
pub use map::Options;
pub(crate) use map::json_text;
pub use resolve::FormatTableOptions;
pub use secret::is_secret_key;
pub use value::{
    CommitSync, CsvMode, MapNullKeyMode, MemorySize, OptionValue, PartitionSinkStrategy,
    TableImplementation, TableType,
};
