//! Options of the writer: Java's names, Java's defaults.

use ftable_core::FormatTableOptions;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::NAME;
use crate::error::{Result, UnsupportedSnafu};

/// Uncompressed bytes buffered per row group (parquet-java `parquet.block.size`).
const ROW_GROUP_BYTES: u64 = 128 * 1024 * 1024;

/// The writer's settings for a table.
///
/// # Errors
/// A codec or a value that is not understood, by key and value.
pub(super) fn writer_properties(options: &FormatTableOptions) -> Result<WriterProperties> {
    let get = |key: &str| options.format_options.get_raw(key);
    let row_group = options.block_size.unwrap_or(ROW_GROUP_BYTES);
    let mut properties = WriterProperties::builder()
        .set_compression(compression(options)?)
        .set_max_row_group_bytes(Some(usize::try_from(row_group.max(1)).unwrap_or(usize::MAX)))
        .set_created_by(concat!("ftable version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_statistics_truncate_length(None);
    if let Some(size) = size(get("parquet.page.size"), "parquet.page.size")? {
        properties = properties.set_data_page_size_limit(usize::try_from(size).unwrap_or(usize::MAX));
    }
    if let Some(size) = size(get("parquet.dictionary.page.size"), "parquet.dictionary.page.size")? {
        properties = properties.set_dictionary_page_size_limit(usize::try_from(size).unwrap_or(usize::MAX));
    }
    if let Some(rows) = size(get("parquet.page.row.count.limit"), "parquet.page.row.count.limit")? {
        properties = properties.set_data_page_row_count_limit(usize::try_from(rows).unwrap_or(usize::MAX));
    }
    if let Some(text) = get("parquet.enable.dictionary") {
        properties = properties.set_dictionary_enabled(boolean(text, "parquet.enable.dictionary")?);
    }
    if let Some(text) = get("parquet.writer.version") {
        properties = properties.set_writer_version(writer_version(text)?);
    }
    Ok(properties.build())
}

fn compression(options: &FormatTableOptions) -> Result<Compression> {
    Ok(match options.compression.as_str() {
        "none" | "uncompressed" => Compression::UNCOMPRESSED,
        "snappy" => Compression::SNAPPY,
        "gzip" => Compression::GZIP(GzipLevel::default()),
        "lz4" => Compression::LZ4,
        "lz4_raw" => Compression::LZ4_RAW,
        "brotli" => Compression::BROTLI(BrotliLevel::default()),
        "zstd" => {
            let level = options.zstd_level;
            match ZstdLevel::try_new(level) {
                Ok(level) => Compression::ZSTD(level),
                Err(_) => return refused("file.compression.zstd-level", &level.to_string(), "use 1 to 22"),
            }
        }
        other => {
            let known = "use none, snappy, gzip, lz4, lz4_raw, zstd or brotli";
            return refused("file.compression", other, known);
        }
    })
}

fn writer_version(text: &str) -> Result<WriterVersion> {
    match text.to_ascii_uppercase().as_str() {
        "PARQUET_1_0" | "V1" => Ok(WriterVersion::PARQUET_1_0),
        "PARQUET_2_0" | "V2" => Ok(WriterVersion::PARQUET_2_0),
        _ => refused("parquet.writer.version", text, "use PARQUET_1_0 or PARQUET_2_0"),
    }
}

fn boolean(text: &str, key: &str) -> Result<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => refused(key, text, "use true or false"),
    }
}

fn integer(text: Option<&str>, key: &str) -> Result<Option<i64>> {
    match text.map(|text| (text, text.trim().parse())) {
        None => Ok(None),
        Some((_, Ok(value))) => Ok(Some(value)),
        Some((text, Err(_))) => refused(key, text, "use an integer"),
    }
}

fn size(text: Option<&str>, key: &str) -> Result<Option<u64>> {
    match integer(text, key)? {
        None => Ok(None),
        Some(value) if value > 0 => Ok(u64::try_from(value).ok()),
        Some(value) => refused(key, &value.to_string(), "use a positive number of bytes or rows"),
    }
}

fn refused<T>(key: &str, value: &str, reason: &str) -> Result<T> {
    UnsupportedSnafu { format: NAME, what: format!("'{key}' = '{value}'"), reason }.fail()
}
