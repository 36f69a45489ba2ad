//! Which codec new files get, and how it shows in their names.

use super::format_kind::FileFormatKind;
use super::keys::*;
use super::map::Options;
use super::value::invalid_option;
use crate::error::Result;

/// The codec of new files and the end of their names.
pub(super) struct Compression {
    /// In lower case.
    pub(super) codec: String,
    /// With its leading dot.
    pub(super) extension: String,
}

impl Compression {
    /// The first of `file.compression`, `format-table.file.compression` and `compression` that is set,
    /// else the default of the format; the format's own key then decides the codec but not the name.
    pub(super) fn resolve(format: FileFormatKind, options: &Options) -> Result<Self> {
        let keys = [
            &FILE_COMPRESSION,
            &FORMAT_TABLE_FILE_COMPRESSION,
            &COMPRESSION,
        ];
        let given = keys
            .into_iter()
            .find_map(|key| Some((key.name(), options.get_raw(key.name())?)));
        let named = match given {
            Some((key, text)) => accepted(format, key, text)?,
            None => default_codec(format).to_owned(),
        };
        let include = options.get(&FILE_SUFFIX_INCLUDE_COMPRESSION)?;
        let extension = extension(format, &named, include);
        let own = match format {
            FileFormatKind::Parquet => Some(PARQUET_COMPRESSION.name()),
            FileFormatKind::Orc => Some(ORC_COMPRESS.name()),
            _ => None,
        };
        let codec = match own.and_then(|key| Some((key, options.get_raw(key)?))) {
            Some((key, text)) => accepted(format, key, text)?,
            None => named,
        };
        Ok(Self { codec, extension })
    }
}

/// The codecs a format can be written with.
fn codecs(format: FileFormatKind) -> &'static [&'static str] {
    match format {
        FileFormatKind::Parquet => &[
            "none",
            "uncompressed",
            "snappy",
            "gzip",
            "lz4",
            "lz4_raw",
            "zstd",
            "brotli",
        ],
        FileFormatKind::Orc => &["none", "zlib", "snappy", "lz4", "zstd"],
        FileFormatKind::Csv | FileFormatKind::Json | FileFormatKind::Text => {
            &["none", "gzip", "bzip2", "deflate", "snappy", "lz4", "zstd"]
        }
    }
}

fn default_codec(format: FileFormatKind) -> &'static str {
    match format {
        FileFormatKind::Parquet => "snappy",
        FileFormatKind::Orc => "zstd",
        FileFormatKind::Csv | FileFormatKind::Json | FileFormatKind::Text => "none",
    }
}

fn accepted(format: FileFormatKind, key: &str, text: &str) -> Result<String> {
    let codec = text.to_ascii_lowercase();
    let codecs = codecs(format);
    if codecs.contains(&codec.as_str()) {
        return Ok(codec);
    }
    let list = codecs.join(", ");
    Err(invalid_option(
        key,
        text,
        format!("no compression of {format} files; use one of {list}"),
    ))
}

/// Names as Paimon's `DataFilePathFactory` makes them, but for text: Java writes `.text`, which its own
/// reader, looking at the last extension, then reads as plain text.
fn extension(format: FileFormatKind, codec: &str, include: bool) -> String {
    let name = format.name();
    let suffix = match codec {
        "none" => return format!(".{name}"),
        "gzip" => "gz",
        "bzip2" => "bz2",
        "zstd" => "zst",
        other => other,
    };
    match format {
        FileFormatKind::Csv | FileFormatKind::Json | FileFormatKind::Text => {
            format!(".{name}.{suffix}")
        }
        FileFormatKind::Parquet | FileFormatKind::Orc if include => format!(".{suffix}.{name}"),
        FileFormatKind::Parquet | FileFormatKind::Orc => format!(".{name}"),
    }
}

/// The zstd level: the format's own key wins over `file.compression.zstd-level`.
pub(super) fn zstd_level(format: FileFormatKind, codec: &str, options: &Options) -> Result<i32> {
    let own = match format {
        FileFormatKind::Parquet => Some(&PARQUET_COMPRESSION_CODEC_ZSTD_LEVEL),
        FileFormatKind::Orc => Some(&ORC_COMPRESSION_ZSTD_LEVEL),
        _ => None,
    };
    let key = own
        .filter(|key| options.contains(key.name()))
        .unwrap_or(&FILE_COMPRESSION_ZSTD_LEVEL);
    let level = options.get(key)?;
    if codec == "zstd" && !(1..=22).contains(&level) {
        let text = level.to_string();
        return Err(invalid_option(
            key.name(),
            &text,
            "the zstd level must be between 1 and 22",
        ));
    }
    Ok(level)
}
