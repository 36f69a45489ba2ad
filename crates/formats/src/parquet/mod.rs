//! Parquet.
//!
//! Files are read with the Parquet schema alone: an embedded Arrow schema, which other writers use to carry
//! dictionaries, views or zones, is not looked at. Row groups are fetched with few, coalesced requests and
//! decoded on the blocking pool. Written files follow Java Paimon: root `paimon_schema`, three-level lists
//! (`list`, `element`), maps (`key_value`, `key`, `value`), field ids, no Arrow metadata.
//!
//! How much memory a wrong file can take: what a page claims to hold is held against its bytes before room is made.
//! Brotli alone has no limit that would help, so its pages unpack to what their bytes really hold.

mod dictionary;
mod footer;
mod metadata;
mod options;
mod pages;
mod read;
mod rows_only;
mod schema;
mod thrift;
mod types;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions};
use ftable_io::InputFile;

use crate::convert::FileFields;
use crate::error::Result;
use crate::format::{BatchStream, FileEncoder, FileFormat, ReadRequest, WriteRequest};
use crate::offload;

pub(crate) const NAME: &str = "parquet";

/// The Parquet format.
#[derive(Debug)]
pub(crate) struct ParquetFormat;

#[async_trait]
impl FileFormat for ParquetFormat {
    fn kind(&self) -> FileFormatKind {
        FileFormatKind::Parquet
    }

    fn check_write_schema(&self, fields: &[DataField]) -> Result<()> {
        ftable_core::types::to_arrow_schema(fields)?;
        Ok(())
    }

    async fn read(&self, request: ReadRequest) -> Result<BatchStream> {
        read::open(request).await
    }

    fn encoder(&self, request: WriteRequest) -> Result<Box<dyn FileEncoder>> {
        write::encoder(&request)
    }

    fn has_footer(&self) -> bool {
        true
    }

    fn can_cut(&self, _name: &str, _options: &FormatTableOptions) -> bool {
        true
    }

    async fn file_fields(&self, file: Arc<dyn InputFile>) -> Result<FileFields> {
        let footer = metadata::load(&file).await?;
        let path = file.path().to_owned();
        offload::decode(file.path(), NAME, move || types::file_fields(&path, footer)).await
    }

    async fn count_rows(&self, request: ReadRequest) -> Result<u64> {
        let metadata = metadata::load(&request.file).await?.metadata;
        Ok(metadata::count(
            &metadata,
            &metadata::row_groups_in(&metadata, request.range.as_ref()),
        ))
    }
}

#[cfg(test)]
mod tests;
