//! Writing, by our own ORC writer: columns and options of a table become those of a file.

use arrow_array::RecordBatch;
use bytes::Bytes;
use ftable_core::options::OptionKey;
use ftable_core::options::keys::{
    ORC_BLOOM_FILTER_COLUMNS, ORC_BLOOM_FILTER_FPP, ORC_COLUMN_ENCODING_DIRECT, ORC_COMPRESS_SIZE,
    ORC_DICTIONARY_KEY_THRESHOLD, ORC_ROW_INDEX_STRIDE, ORC_STRIPE_SIZE,
};
use ftable_core::{DataField, FormatTableOptions};
use ftable_orc_writer::{Compression, OrcWriter, WriterOptions};

use super::chunks::LARGEST_BLOCK;
use super::{NAME, schema};
use crate::error::{EncodeSnafu, Error, Result, UnstorableSnafu, UnsupportedSnafu};
use crate::format::{FileEncoder, WriteRequest};

/// The level of ZLIB: ORC's writers prefer speed too.
const ZLIB_LEVEL: u32 = 3;
/// About what codecs leave of encoded values; a file is misjudged by its last stripe at most.
const COMPRESSED_SHARE: u64 = 3;

/// Refuses, by name, the first column that ORC has no type for.
pub(super) fn check_columns(fields: &[DataField]) -> Result<()> {
    schema::root(fields).map(|_| ())
}

pub(super) struct OrcEncoder {
    writer: OrcWriter<Vec<u8>>,
    compressed: bool,
}

impl OrcEncoder {
    pub(super) fn new(request: &WriteRequest) -> Result<Self> {
        let root = schema::root(&request.fields)?;
        let options = writer_options(&request.options)?;
        let writer = OrcWriter::new(Vec::new(), &root, options).map_err(encode)?;
        Ok(Self {
            writer,
            compressed: request.options.compression != "none",
        })
    }
}

impl FileEncoder for OrcEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch).map_err(encode)
    }

    fn encoded_size(&self) -> u64 {
        let stripe = self.writer.stripe_bytes() as u64;
        let share = if self.compressed { COMPRESSED_SHARE } else { 1 };
        self.writer.bytes_written() + stripe / share
    }

    fn memory_size(&self) -> u64 {
        self.writer.stripe_bytes() as u64
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush_stripe().map_err(encode)
    }

    fn take_bytes(&mut self) -> Bytes {
        std::mem::take(self.writer.sink_mut()).into()
    }

    fn finish(self: Box<Self>) -> Result<Bytes> {
        self.writer.finish().map(Bytes::from).map_err(encode)
    }
}

fn writer_options(options: &FormatTableOptions) -> Result<WriterOptions> {
    let keys = &options.format_options;
    let chunk = chunk_bytes(keys.get(&ORC_COMPRESS_SIZE)?)?;
    let stride = size(
        &ORC_ROW_INDEX_STRIDE,
        keys.get(&ORC_ROW_INDEX_STRIDE)?.into(),
    )?;
    let stripe = match options.block_size {
        Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        None => size(&ORC_STRIPE_SIZE, keys.get(&ORC_STRIPE_SIZE)?)?,
    };
    let bloom = keys.get_optional(&ORC_BLOOM_FILTER_COLUMNS)?;
    let direct = keys.get_optional(&ORC_COLUMN_ENCODING_DIRECT)?;
    Ok(WriterOptions::default()
        .with_compression(compression(options)?)
        .with_chunk_bytes(chunk)
        .with_stripe_bytes(stripe)
        .with_row_index_stride(stride)
        .with_dictionary_threshold(keys.get(&ORC_DICTIONARY_KEY_THRESHOLD)?)
        .with_direct_columns(names(direct.as_deref()))
        .with_bloom_filter_columns(names(bloom.as_deref()))
        .with_bloom_filter_fpp(keys.get(&ORC_BLOOM_FILTER_FPP)?)
        .with_software_version(concat!("ftable ", env!("CARGO_PKG_VERSION"))))
}

fn names(list: Option<&str>) -> impl Iterator<Item = &str> {
    let names = list.unwrap_or_default().split(',').map(str::trim);
    names.filter(|name| !name.is_empty())
}

/// Three bytes say how long a chunk is.
fn chunk_bytes(value: i32) -> Result<usize> {
    match usize::try_from(value) {
        Ok(bytes) if (1..LARGEST_BLOCK).contains(&(bytes as u64)) => Ok(bytes),
        _ => UnsupportedSnafu {
            format: NAME,
            what: format!("'{}' = '{value}'", ORC_COMPRESS_SIZE.name()),
            reason: "use 1 to 8388607 bytes",
        }
        .fail(),
    }
}

fn size<T>(key: &OptionKey<T>, value: i64) -> Result<usize> {
    usize::try_from(value).map_err(|_| {
        UnsupportedSnafu {
            format: NAME,
            what: format!("'{}' = '{value}'", key.name()),
            reason: "use a number that is not negative",
        }
        .build()
    })
}

fn compression(options: &FormatTableOptions) -> Result<Compression> {
    Ok(match options.compression.as_str() {
        "none" => Compression::None,
        "zlib" => Compression::Zlib { level: ZLIB_LEVEL },
        "snappy" => Compression::Snappy,
        "lz4" => Compression::Lz4,
        "zstd" => Compression::Zstd {
            level: options.zstd_level,
        },
        other => {
            let what = format!("'file.compression' = '{other}'");
            return UnsupportedSnafu {
                format: NAME,
                what,
                reason: "use none, zlib, snappy, lz4 or zstd",
            }
            .fail();
        }
    })
}

fn encode(error: ftable_orc_writer::Error) -> Error {
    use ftable_orc_writer::Error as Failure;
    match error {
        Failure::Value {
            column,
            value,
            reason,
        } => UnstorableSnafu {
            format: NAME,
            column,
            value,
            reason,
        }
        .build(),
        Failure::Option {
            option,
            value,
            reason,
        } => UnsupportedSnafu {
            format: NAME,
            what: format!("{option} = {value}"),
            reason,
        }
        .build(),
        other => EncodeSnafu {
            format: NAME,
            message: other.to_string(),
        }
        .build(),
    }
}
