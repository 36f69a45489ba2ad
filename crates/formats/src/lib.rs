//! File formats of format tables: from the bytes of one file to Arrow batches in the table's shape.
//!
//! A format sees a file through [`ftable_io::InputFile`] and gives back batches that hold exactly the
//! columns asked for, in the order and with the Arrow types the table declares. It never sees a store,
//! a directory or a catalog.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `format` | what every format must be able to do |
//! | `align` | which column of a file feeds which column of the table |
//! | `convert` | which file types may be read as which declared types |
//! | `parquet`, `orc`, `csv`, `json`, `text` | the formats |
//! | `field_ids` | the ids of the types inside a column |
//! | `zstd` | what zstd frames say of their length |
//! | `lines` | what formats share whose records are lines |
//! | `values` | values as texts, read and written |
//! | `offload` | where decoding and encoding run, and what becomes of a decoder that panics |

#![deny(missing_docs)]

mod align;
mod convert;
mod csv;
mod error;
mod field_ids;
mod format;
mod json;
mod lines;
mod offload;
mod orc;
mod parquet;
#[cfg(test)]
mod testing;
mod text;
mod values;
mod zstd;

pub use convert::{Conversion, FileFields, MergedFields};
pub use error::{Error, Result};
pub use format::{
    BatchStream, FileEncoder, FileFormat, ReadRequest, RecordCounts, WriteRequest, file_format,
};
