//! ORC, decoded by `orc-rust` and encoded by our own writer.
//!
//! What `orc-rust` reads is right for plain full reads of right files; its predicates and row selections are not
//! used. It believes what a file says of itself, so everything that says how much there is stands before it here:
//!
//! | module | what it answers |
//! | --- | --- |
//! | `metadata` | postscript and footer: types, stripes, and the tail that the decoder is given in their place |
//! | `types` | which types a file has, what they decode to and what is left to be done |
//! | `stripe` | which streams of a stripe are needed, and where they lie |
//! | `chunks` | what compression chunks claim to hold, and unpacking them |
//! | `expect` | how many values the streams must hold |
//! | `rle` | run lengths of booleans and integers |
//! | `wire` | protobuf messages, read and written field by field |
//! | `recode`, `timestamp` | blanks of CHAR, fractions and zones of timestamps |
//! | `read` | one stripe at a time, its streams fetched together |
//! | `write`, `schema` | writing, and the types of what is written |
//! | `buffer` | parts of a file, served to the decoder |
//!
//! Where `orc-rust` 0.9 (github.com/datafusion-contrib/orc-rust) is wrong, and what is done about it:
//!
//! | upstream | does | here |
//! | --- | --- | --- |
//! | `array_decoder/timestamp.rs` | panics at zones it does not know, fails at years far from 1970, loses values at the edge | decodes seconds alone; `timestamp` makes the rest |
//! | `array_decoder/decimal.rs`, `fix_i128_scale` | cuts digits of a larger scale, wraps what it multiplies | `expect` refuses both before |
//! | `array_decoder/string.rs` | keeps the blanks that pad CHAR | `recode` cuts them |
//! | `array_decoder/union.rs` | gives a type that no table has | `types` refuses UNION by name |
//! | `reader/metadata.rs`, `schema.rs`, `stripe.rs` | believe every length and follow types wherever they point | `metadata`, `types`, `stripe` check them and make the tail anew |
//! | `compression.rs`, `encoding` | make room for what chunks and runs claim | `chunks`, `expect` hold the claims against the bytes |
//! | `predicate.rs`, `row_selection.rs` | lose rows, and give too many | are not used |
//!
//! How much memory a wrong file can take: streams of up to 32 MiB together, none longer than 8 MiB, are unpacked here,
//! no chunk to more than a block. The decoder unpacks longer ones, where a chunk that does not say how long it will be
//! (zlib, and zstd frames without a size) becomes what its bytes really hold, and one that cannot be unpacked is a panic
//! that is caught. Values, lists and texts are held against the most that their streams can unpack to.

mod buffer;
mod chunks;
mod expect;
mod metadata;
mod read;
mod recode;
mod rle;
mod schema;
mod stripe;
mod timestamp;
mod types;
mod wire;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions};
use ftable_io::InputFile;

use crate::convert::FileFields;
use crate::error::Result;
use crate::format::{BatchStream, FileEncoder, FileFormat, ReadRequest, WriteRequest};

pub(crate) const NAME: &str = "orc";

/// The ORC format.
#[derive(Debug)]
pub(crate) struct OrcFormat;

#[async_trait]
impl FileFormat for OrcFormat {
    fn kind(&self) -> FileFormatKind {
        FileFormatKind::Orc
    }

    fn check_write_schema(&self, fields: &[DataField]) -> Result<()> {
        write::check_columns(fields)
    }

    async fn read(&self, request: ReadRequest) -> Result<BatchStream> {
        read::open(request).await
    }

    fn encoder(&self, request: WriteRequest) -> Result<Box<dyn FileEncoder>> {
        Ok(Box::new(write::OrcEncoder::new(&request)?))
    }

    fn has_footer(&self) -> bool {
        true
    }

    fn can_cut(&self, _name: &str, _options: &FormatTableOptions) -> bool {
        true
    }

    async fn file_fields(&self, file: Arc<dyn InputFile>) -> Result<FileFields> {
        let tail = metadata::load(&file).await?;
        Ok(read::file_fields(file.path(), tail.as_deref()))
    }

    async fn count_rows(&self, request: ReadRequest) -> Result<u64> {
        let Some(tail) = metadata::load(&request.file).await? else {
            return Ok(0);
        };
        Ok(metadata::count(&metadata::stripes_in(
            &tail,
            request.range.as_ref(),
        )))
    }
}

#[cfg(test)]
mod tests;
