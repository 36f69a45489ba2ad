//! Options of the writer: Java's names, Java's defaults.

use ftable_core::options::OptionKey;
use ftable_core::options::keys::{
    PARQUET_COLUMNINDEX_TRUNCATE_LENGTH, PARQUET_DICTIONARY_PAGE_SIZE, PARQUET_ENABLE_DICTIONARY,
    PARQUET_PAGE_ROW_COUNT_LIMIT, PARQUET_PAGE_SIZE, PARQUET_STATISTICS_TRUNCATE_LENGTH,
    PARQUET_WRITER_VERSION,
};
use ftable_core::{FormatTableOptions, Options};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::schema::types::ColumnPath;

use super::NAME;
use crate::error::{Result, UnsupportedSnafu};

/// Uncompressed bytes buffered per row group (parquet-java `parquet.block.size`).
const ROW_GROUP_BYTES: u64 = 128 * 1024 * 1024;

/// What written files say wrote them.
pub(super) const CREATED_BY: &str = concat!("ftable version ", env!("CARGO_PKG_VERSION"));

/// The bytes of a row group.
pub(super) fn row_group_bytes(options: &FormatTableOptions) -> usize {
    usize::try_from(options.block_size.unwrap_or(ROW_GROUP_BYTES).max(1)).unwrap_or(usize::MAX)
}

/// The writer's settings for a table.
///
/// # Errors
/// A codec or a value that is not understood, by key and value.
pub(super) fn writer_properties(options: &FormatTableOptions) -> Result<WriterProperties> {
    let given = &options.format_options;
    let mut properties = WriterProperties::builder()
        .set_compression(compression(options)?)
        .set_max_row_group_bytes(Some(row_group_bytes(options)))
        .set_created_by(CREATED_BY.to_owned())
        .set_data_page_size_limit(positive(given, &PARQUET_PAGE_SIZE)?)
        .set_dictionary_page_size_limit(positive(given, &PARQUET_DICTIONARY_PAGE_SIZE)?)
        .set_data_page_row_count_limit(positive(given, &PARQUET_PAGE_ROW_COUNT_LIMIT)?)
        .set_column_index_truncate_length(Some(positive(
            given,
            &PARQUET_COLUMNINDEX_TRUNCATE_LENGTH,
        )?))
        .set_dictionary_enabled(given.get(&PARQUET_ENABLE_DICTIONARY)?)
        .set_writer_version(writer_version(&given.get(&PARQUET_WRITER_VERSION)?)?);
    let truncate = match given.get_optional(&PARQUET_STATISTICS_TRUNCATE_LENGTH)? {
        None => None,
        Some(_) => Some(positive(given, &PARQUET_STATISTICS_TRUNCATE_LENGTH)?),
    };
    properties = properties.set_statistics_truncate_length(truncate);
    Ok(dictionaries(properties, given)?.build())
}

/// `parquet.enable.dictionary#column`, one column at a time.
fn dictionaries(
    mut properties: WriterPropertiesBuilder,
    given: &Options,
) -> Result<WriterPropertiesBuilder> {
    for (key, value) in given.iter() {
        let column = key
            .strip_prefix(PARQUET_ENABLE_DICTIONARY.name())
            .and_then(|rest| rest.strip_prefix('#'));
        if let Some(column) = column {
            let enabled = match value.to_ascii_lowercase().as_str() {
                "true" => true,
                "false" => false,
                _ => return refused(key, value, "use true or false"),
            };
            let path = ColumnPath::from(column.split('.').map(str::to_owned).collect::<Vec<_>>());
            properties = properties.set_column_dictionary_enabled(path, enabled);
        }
    }
    Ok(properties)
}

/// The settings without dictionaries for these columns, but for those that the table's options name.
pub(super) fn without_dictionaries(
    properties: WriterProperties,
    options: &FormatTableOptions,
    columns: &[String],
) -> WriterProperties {
    let given = &options.format_options;
    let is_named =
        |name: &&String| given.contains(&format!("{}#{name}", PARQUET_ENABLE_DICTIONARY.name()));
    let plain = columns.iter().filter(|name| !is_named(name));
    plain
        .fold(properties.into_builder(), |builder, name| {
            builder.set_column_dictionary_enabled(ColumnPath::from(name.as_str()), false)
        })
        .build()
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
                Err(_) => {
                    let key = "file.compression.zstd-level";
                    return refused(key, &level.to_string(), "use 1 to 22");
                }
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
        _ => refused(
            PARQUET_WRITER_VERSION.name(),
            text,
            "use PARQUET_1_0 or PARQUET_2_0",
        ),
    }
}

fn positive(given: &Options, key: &OptionKey<i32>) -> Result<usize> {
    let value = given.get(key)?;
    match usize::try_from(value) {
        Ok(value) if value > 0 => Ok(value),
        _ => refused(key.name(), &value.to_string(), "use a positive number"),
    }
}

fn refused<T>(key: &str, value: &str, reason: &str) -> Result<T> {
    UnsupportedSnafu {
        format: NAME,
        what: format!("'{key}' = '{value}'"),
        reason,
    }
    .fail()
}
