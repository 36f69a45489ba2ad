//! A complete writer of ORC v1 files for Arrow batches.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use ftable_orc_writer::{Compression, OrcType, OrcWriter, WriterOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
//! let names: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c")]));
//! let batch = RecordBatch::try_from_iter([("id", ids), ("name", names)])?;
//!
//! let schema = OrcType::from_arrow(&batch.schema())?;
//! let options = WriterOptions::default().with_compression(Compression::Zstd { level: 3 });
//! let mut writer = OrcWriter::new(Vec::new(), &schema, options)?;
//! writer.write(&batch)?;
//! let file: Vec<u8> = writer.finish()?;
//! assert!(file.starts_with(b"ORC"));
//! # Ok(())
//! # }
//! ```
//!
//! | module | part of the [specification](https://orc.apache.org/specification/ORCv1/) |
//! | --- | --- |
//! | `types` | Type Information, Type Attributes |
//! | `writer` | File Tail, Stripes, Stripe Footer |
//! | `column` | Column Encodings, Row Group Index |
//! | `encode` | Run Length Encoding of bytes, booleans and integers (version 2) |
//! | `stream`, `compress` | Compression |
//! | `statistics` | Column Statistics |
//! | `bloom` | Bloom Filter Index |
//! | `proto` | the messages |
//!
//! What is written is what every reader of today reads: file version 0.12, run lengths of version 2, statistics of
//! row groups, stripes and the file, the time zone UTC. What no reader would give back as it was is refused: texts
//! longer than their type, decimals with too many digits, and the fractions before 1970 that ORC cannot tell.

mod bloom;
mod column;
mod compress;
mod encode;
mod error;
mod options;
mod proto;
mod statistics;
mod stream;
mod types;
mod writer;

pub use error::{Error, Result};
pub use options::{Compression, WriterOptions};
pub use types::{MAX_PRECISION, OrcField, OrcKind, OrcType};
pub use writer::OrcWriter;
