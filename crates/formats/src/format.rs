//! What every file format must be able to do.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::RecordBatch;
use async_trait::async_trait;
use bytes::Bytes;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions};
use ftable_io::InputFile;
use futures::stream::BoxStream;

use crate::convert::FileFields;
use crate::error::Result;
use crate::{
    csv::CsvFormat, json::JsonFormat, orc::OrcFormat, parquet::ParquetFormat, text::TextFormat,
};

/// The batches of one file, in file order.
pub type BatchStream = BoxStream<'static, Result<RecordBatch>>;

/// What to read of one file.
#[derive(Clone)]
pub struct ReadRequest {
    /// The file.
    pub file: Arc<dyn InputFile>,
    /// Read only the row groups, stripes or lines that start in this byte range; `None` reads the whole file.
    pub range: Option<Range<u64>>,
    /// The columns asked for, in the order of the batches. May be empty: batches then carry row counts alone.
    pub fields: Arc<[DataField]>,
    /// All data columns of the table, for formats that match by position.
    pub table_fields: Arc<[DataField]>,
    /// The most rows of one batch.
    pub batch_size: usize,
    /// The options of the table.
    pub options: Arc<FormatTableOptions>,
    /// Where records that are not as the table declares are counted.
    pub records: Arc<RecordCounts>,
}

/// Records of text files that were not as the table declares, counted while they are read.
///
/// Relaxed counters: read them when the stream has ended.
#[derive(Debug, Default)]
pub struct RecordCounts {
    /// Records with fewer fields than columns: the missing ones are NULL.
    pub short: AtomicU64,
    /// Records with more fields than columns: the surplus is not read.
    pub long: AtomicU64,
    /// Records with a value that cannot be read, which was made NULL.
    pub malformed: AtomicU64,
    /// Records that were left out because they cannot be read.
    pub dropped: AtomicU64,
}

/// What a file is to be written from.
#[derive(Clone)]
pub struct WriteRequest {
    /// The columns of the file, in order.
    pub fields: Arc<[DataField]>,
    /// The options of the table.
    pub options: Arc<FormatTableOptions>,
}

/// One file format: how it is read, written and counted.
#[async_trait]
pub trait FileFormat: Send + Sync + Debug {
    /// Which format this is.
    fn kind(&self) -> FileFormatKind;

    /// Refuses, by name, the first column whose type this format cannot write.
    fn check_write_schema(&self, fields: &[DataField]) -> Result<()>;

    /// Opens a file and decodes it.
    ///
    /// The file's columns are matched to `request.fields` by name. A column the file does not hold is filled
    /// with nulls, unless it is NOT NULL: then the file is refused. Decoding runs on the blocking pool.
    async fn read(&self, request: ReadRequest) -> Result<BatchStream>;

    /// Starts a file in memory. The encoder does no I/O: its bytes are taken from it.
    fn encoder(&self, request: WriteRequest) -> Result<Box<dyn FileEncoder>>;

    /// Whether files end with a footer that says how many rows they hold.
    fn has_footer(&self) -> bool;

    /// Whether a file of this name can be read in ranges, by several readers at once.
    fn can_cut(&self, name: &str, options: &FormatTableOptions) -> bool;

    /// The columns that a file has by its own schema, from its footer alone.
    ///
    /// # Errors
    /// A file that is not of this format, by name.
    async fn file_fields(&self, file: Arc<dyn InputFile>) -> Result<FileFields>;

    /// How many rows a file holds, or the row groups, stripes or lines of it that start in `range`.
    ///
    /// From its footer alone where it has one; else the file is read, but decoded only where that tells which lines are
    /// rows. The columns asked for are not looked at.
    async fn count_rows(&self, request: ReadRequest) -> Result<u64>;
}

/// Turns batches into the bytes of one file.
///
/// Encoding is CPU work: call it where blocking is allowed.
pub trait FileEncoder: Send {
    /// Encodes a batch whose columns are exactly those of the [`WriteRequest`].
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// The bytes of the file so far: those given out, and an estimate of those still held.
    fn encoded_size(&self) -> u64;

    /// Bytes of memory held for rows whose bytes are not final yet.
    fn memory_size(&self) -> u64;

    /// Ends the row group or stripe at hand, so that its bytes become final; rows written next begin another.
    fn flush(&mut self) -> Result<()>;

    /// Takes the bytes that are final, leaving what is still being encoded.
    fn take_bytes(&mut self) -> Bytes;

    /// Ends the file and gives its remaining bytes.
    fn finish(self: Box<Self>) -> Result<Bytes>;
}

/// The implementation of a format.
pub fn file_format(kind: FileFormatKind) -> Arc<dyn FileFormat> {
    match kind {
        FileFormatKind::Parquet => Arc::new(ParquetFormat),
        FileFormatKind::Orc => Arc::new(OrcFormat),
        FileFormatKind::Csv => Arc::new(CsvFormat),
        FileFormatKind::Json => Arc::new(JsonFormat),
        FileFormatKind::Text => Arc::new(TextFormat),
    }
}
