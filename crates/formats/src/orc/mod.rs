//! ORC, decoded and for now also encoded by `orc-rust`.
//!
//! What `orc-rust` reads is right for plain full reads; its predicates and row selections are not used. Around it:
//! each stripe's streams are fetched with coalesced requests, panics on bad bytes become errors, timestamps are
//! decoded in the unit of the declared precision, and batches get the table's nullability. Its writer knows
//! no DECIMAL, ARRAY, MAP or ROW, so such columns are refused when they are to be written.

mod buffer;
mod chunks;
mod expect;
mod metadata;
mod read;
mod recode;
mod rle;
mod stripe;
mod timestamp;
mod types;
mod wire;
mod write;

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::{DataField, FileFormatKind};
use ftable_io::InputFile;

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
        fields.iter().try_for_each(write::check_column)
    }

    async fn read(&self, request: ReadRequest) -> Result<BatchStream> {
        read::open(request).await
    }

    fn encoder(&self, request: WriteRequest) -> Result<Box<dyn FileEncoder>> {
        Ok(Box::new(write::OrcEncoder::new(&request)?))
    }

    async fn count_rows(&self, file: Arc<dyn InputFile>, range: Option<Range<u64>>) -> Result<u64> {
        let Some(tail) = metadata::load(&file).await? else {
            return Ok(0);
        };
        Ok(metadata::count(&metadata::stripes_in(
            &tail,
            range.as_ref(),
        )))
    }
}

#[cfg(test)]
mod tests;
