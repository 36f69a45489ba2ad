//! The file: header, stripes, and the tail that says where they are.

use std::io::Write;

use arrow_array::RecordBatch;
use prost::Message;
use snafu::ResultExt;

use crate::column::{Column, FinishedColumn};
use crate::compress::Codec;
use crate::error::{ColumnCountSnafu, FailedSnafu, OptionSnafu, Result, SinkSnafu};
use crate::options::WriterOptions;
use crate::proto::{
    BloomFilterIndex, ColumnEncoding, Footer, Metadata, PostScript, RowIndex, Stream, StreamKind,
    StripeFooter, StripeInformation, StripeStatistics, Type, UserMetadataItem,
};
use crate::types::{OrcKind, OrcType};

const MAGIC: &[u8] = b"ORC";
/// File format 0.12.
const VERSION: [u32; 2] = [0, 12];
/// Of the numbered writers none; readers take it for one they do not know yet.
const WRITER: u32 = i32::MAX as u32;
/// Every repair that readers tell by the version is in: the last is ORC-14.
const WRITER_VERSION: u32 = 9;
/// Filters over UTF-8 bytes, timestamps in UTC.
const BLOOM_ENCODING: u32 = 1;
/// A batch is encoded in pieces of about so many bytes, after each of which the size of the stripe is looked at.
const PIECE_BYTES: usize = 4 * 1024 * 1024;

/// Writes Arrow batches as an ORC file.
///
/// Bytes reach the sink stripe by stripe; up to a stripe is held in memory. Dropping a writer without
/// [`finish`](Self::finish) leaves a file that no reader accepts.
pub struct OrcWriter<W> {
    sink: W,
    /// Bytes the sink has.
    offset: u64,
    options: WriterOptions,
    codec: Codec,
    root: Column,
    types: Vec<Type>,
    columns: usize,
    stripes: Vec<StripeInformation>,
    stripe_statistics: Vec<StripeStatistics>,
    user_metadata: Vec<UserMetadataItem>,
    rows: u64,
    /// Rows of the stripe at hand, and of its last row group.
    stripe_rows: u64,
    group_rows: usize,
    failed: bool,
}

impl<W: Write> OrcWriter<W> {
    /// Begins a file whose root is the given struct.
    ///
    /// # Errors
    /// Settings and types that no file can have, columns for bloom filters that there are none for, and what the sink
    /// says.
    pub fn new(mut sink: W, schema: &OrcType, options: WriterOptions) -> Result<Self> {
        options.check()?;
        schema.check("", 0)?;
        let OrcKind::Struct(fields) = &schema.kind else {
            let column = "";
            let reason = format!("the root of a file is a STRUCT, not {}", schema.kind);
            return crate::error::InvalidTypeSnafu { column, reason }.fail();
        };
        let root = Column::new(schema, String::new(), &mut 0, &options);
        check_bloom_columns(&root, &options)?;
        let mut types = Vec::with_capacity(schema.columns());
        schema.describe(&mut types);
        sink.write_all(MAGIC).context(SinkSnafu)?;
        Ok(Self {
            sink,
            offset: MAGIC.len() as u64,
            codec: Codec::new(options.compression, options.chunk_bytes)?,
            options,
            root,
            types,
            columns: fields.len(),
            stripes: Vec::new(),
            stripe_statistics: Vec::new(),
            user_metadata: Vec::new(),
            rows: 0,
            stripe_rows: 0,
            group_rows: 0,
            failed: false,
        })
    }

    /// Encodes a batch, whose columns are matched to those of the file by position.
    ///
    /// # Errors
    /// Columns of other types, values that a reader would take for others, and what the sink says. The file is given
    /// up then: every later call fails.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_columns() != self.columns {
            let (expected, found) = (self.columns, batch.num_columns());
            return ColumnCountSnafu { expected, found }.fail();
        }
        self.attempt(|writer| writer.write_pieces(batch))
    }

    /// Ends the stripe at hand; does nothing where it has no rows.
    ///
    /// # Errors
    /// What the codec or the sink says.
    pub fn flush_stripe(&mut self) -> Result<()> {
        self.attempt(Self::end_stripe)
    }

    /// Adds an entry to the metadata of the file, replacing one of the same name.
    pub fn set_user_metadata(&mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) {
        let name = Some(name.into());
        let value = Some(value.into());
        self.user_metadata.retain(|item| item.name != name);
        self.user_metadata.push(UserMetadataItem { name, value });
    }

    /// Bytes of the file that the sink has.
    pub fn bytes_written(&self) -> u64 {
        self.offset
    }

    /// Bytes of the stripe at hand, before compression.
    pub fn stripe_bytes(&self) -> usize {
        if self.stripe_rows == 0 {
            return 0;
        }
        self.root.encoded_bytes()
    }

    /// The sink. Bytes that are written to it are not part of the file.
    pub fn sink_mut(&mut self) -> &mut W {
        &mut self.sink
    }

    /// Ends the file and returns the sink.
    ///
    /// # Errors
    /// What the codec or the sink says, and whatever failed before.
    pub fn finish(mut self) -> Result<W> {
        self.flush_stripe()?;
        let metadata = Metadata {
            stripe_statistics: std::mem::take(&mut self.stripe_statistics),
        };
        let content_length = self.offset;
        let metadata_length = self.append_message(&metadata)?;
        let mut statistics = Vec::with_capacity(self.types.len());
        self.root.file_statistics(&mut statistics);
        let footer = Footer {
            header_length: Some(MAGIC.len() as u64),
            content_length: Some(content_length),
            stripes: std::mem::take(&mut self.stripes),
            types: std::mem::take(&mut self.types),
            metadata: std::mem::take(&mut self.user_metadata),
            number_of_rows: Some(self.rows),
            statistics,
            row_index_stride: u32::try_from(self.options.row_index_stride).ok(),
            writer: Some(WRITER),
            software_version: Some(self.options.software_version.clone()),
        };
        let footer_length = self.append_message(&footer)?;
        let post_script = PostScript {
            footer_length: Some(footer_length),
            compression: Some(self.codec.kind()),
            compression_block_size: Some(self.options.chunk_bytes as u64),
            version: VERSION.to_vec(),
            metadata_length: Some(metadata_length),
            writer_version: Some(WRITER_VERSION),
            magic: Some("ORC".to_owned()),
        };
        let mut end = post_script.encode_to_vec();
        // A handful of numbers: far below the 255 bytes that fit.
        end.push(end.len() as u8);
        self.append(&end)?;
        self.sink.flush().context(SinkSnafu)?;
        Ok(self.sink)
    }

    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.failed {
            return FailedSnafu.fail();
        }
        let done = work(self);
        self.failed = done.is_err();
        done
    }

    fn write_pieces(&mut self, batch: &RecordBatch) -> Result<()> {
        let bytes: usize = batch
            .columns()
            .iter()
            .map(|column| array_bytes(column.as_ref()))
            .sum();
        let row_bytes = bytes / batch.num_rows().max(1) + 1;
        let most = (PIECE_BYTES.min(self.options.stripe_bytes) / row_bytes).max(1);
        let mut from = 0;
        while from < batch.num_rows() {
            let mut rows = (batch.num_rows() - from).min(most);
            if let stride @ 1.. = self.options.row_index_stride {
                rows = rows.min(stride - self.group_rows);
            }
            self.write_piece(&batch.slice(from, rows))?;
            from += rows;
        }
        Ok(())
    }

    /// Writes rows that lie in one row group.
    fn write_piece(&mut self, piece: &RecordBatch) -> Result<()> {
        if self.group_rows == 0 {
            self.root.begin_group();
        }
        let rows = piece.num_rows();
        self.root
            .write_rows(piece.columns(), rows, &mut self.codec)?;
        self.group_rows += rows;
        self.stripe_rows += rows as u64;
        self.rows += rows as u64;
        if self.group_rows == self.options.row_index_stride {
            self.root.end_group();
            self.group_rows = 0;
        }
        if self.root.encoded_bytes() >= self.options.stripe_bytes {
            self.end_stripe()?;
        }
        Ok(())
    }

    fn end_stripe(&mut self) -> Result<()> {
        if self.stripe_rows == 0 {
            return Ok(());
        }
        if self.group_rows > 0 {
            self.root.end_group();
            self.group_rows = 0;
        }
        let mut columns = Vec::with_capacity(self.types.len());
        self.root.finish_stripe(&mut self.codec, &mut columns)?;
        let stripe = StripeInformation {
            offset: Some(self.offset),
            number_of_rows: Some(std::mem::take(&mut self.stripe_rows)),
            ..StripeInformation::default()
        };
        let (stripe, statistics) = self.append_stripe(stripe, columns)?;
        self.stripes.push(stripe);
        self.stripe_statistics.push(statistics);
        Ok(())
    }

    /// Index streams, data streams, footer.
    fn append_stripe(
        &mut self,
        mut stripe: StripeInformation,
        mut columns: Vec<FinishedColumn>,
    ) -> Result<(StripeInformation, StripeStatistics)> {
        let begin = self.offset;
        let mut streams = Vec::new();
        if self.options.row_index_stride > 0 {
            for column in &mut columns {
                self.append_index(column, &mut streams)?;
            }
        }
        let data = self.offset;
        let mut encodings = Vec::with_capacity(columns.len());
        let mut statistics = StripeStatistics::default();
        for column in columns {
            for (kind, bytes) in &column.streams {
                self.append_stream(column.id, *kind, bytes, &mut streams)?;
            }
            encodings.push(ColumnEncoding {
                kind: Some(column.encoding as i32),
                dictionary_size: column.dictionary_size,
                bloom_encoding: (!column.blooms.is_empty()).then_some(BLOOM_ENCODING),
            });
            statistics.columns.push(column.statistics);
        }
        stripe.index_length = Some(data - begin);
        stripe.data_length = Some(self.offset - data);
        let footer = StripeFooter {
            streams,
            columns: encodings,
            writer_timezone: Some("UTC".to_owned()),
        };
        stripe.footer_length = Some(self.append_message(&footer)?);
        Ok((stripe, statistics))
    }

    fn append_index(
        &mut self,
        column: &mut FinishedColumn,
        streams: &mut Vec<Stream>,
    ) -> Result<()> {
        let entries = std::mem::take(&mut column.index);
        let index = RowIndex { entries }.encode_to_vec();
        let index = self.codec.pack_all(index)?;
        self.append_stream(column.id, StreamKind::RowIndex, &index, streams)?;
        if column.blooms.is_empty() {
            return Ok(());
        }
        let filters = column.blooms.clone();
        let blooms = BloomFilterIndex { filters }.encode_to_vec();
        let blooms = self.codec.pack_all(blooms)?;
        self.append_stream(column.id, StreamKind::BloomFilterUtf8, &blooms, streams)
    }

    fn append_stream(
        &mut self,
        column: u32,
        kind: StreamKind,
        bytes: &[u8],
        streams: &mut Vec<Stream>,
    ) -> Result<()> {
        streams.push(Stream {
            kind: Some(kind as i32),
            column: Some(column),
            length: Some(bytes.len() as u64),
        });
        self.append(bytes)
    }

    /// Appends a message through the codec and says how long it became.
    fn append_message(&mut self, message: &impl Message) -> Result<u64> {
        let bytes = self.codec.pack_all(message.encode_to_vec())?;
        self.append(&bytes)?;
        Ok(bytes.len() as u64)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.sink.write_all(bytes).context(SinkSnafu)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

/// Bytes that an array's rows take, roughly: a slice counts as what it is a slice of only for its share.
fn array_bytes(array: &dyn arrow_array::Array) -> usize {
    let sliced = array.to_data().get_slice_memory_size();
    sliced.unwrap_or_else(|_| array.get_array_memory_size())
}

fn check_bloom_columns(root: &Column, options: &WriterOptions) -> Result<()> {
    let mut paths = Vec::new();
    root.bloom_paths(&mut paths);
    for wanted in &options.bloom_columns {
        if !paths.contains(&wanted.as_str()) {
            return OptionSnafu {
                option: "bloom_filter_columns",
                value: wanted,
                reason: "there is no such column, or ORC has no bloom filters for its type",
            }
            .fail();
        }
    }
    Ok(())
}
