//! How a file is compressed.
//!
//! The last extension of its name decides, letter by letter, as in Java: `a.csv.gz` and `c.gz` are gzip whatever
//! the options of the table say. What that would read as garbage is refused: a name that looks like compression but
//! is none of these, and content that is compressed under a plain name. Text files are the exception, since Java
//! writes them compressed under `.text`: there the content decides.

use ftable_core::FileFormatKind;

use crate::error::{CorruptSnafu, Result, UnsupportedSnafu};

/// A compression of whole files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    /// RFC 1952, of several members.
    Gzip,
    /// RFC 1950: zlib, which Hadoop calls deflate.
    Deflate,
    /// Of several streams.
    Bzip2,
    /// RFC 8878, of several frames.
    Zstd,
    /// Of several streams.
    Xz,
    /// Raw snappy in the framing of Hadoop's block codecs.
    Snappy,
    /// Raw LZ4 blocks in the framing of Hadoop's block codecs.
    Lz4,
}

impl Codec {
    /// Those that extensions mean.
    pub(super) const ALL: [Self; 7] = [
        Self::Gzip,
        Self::Deflate,
        Self::Bzip2,
        Self::Zstd,
        Self::Xz,
        Self::Snappy,
        Self::Lz4,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Bzip2 => "bzip2",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
        }
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Deflate => "deflate",
            Self::Bzip2 => "bz2",
            Self::Zstd => "zst",
            Self::Xz => "xz",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
        }
    }
}

/// Extensions, in lower case, of files that are compressed but not read.
const OTHERS: [&str; 28] = [
    "7z",
    "br",
    "brotli",
    "bz",
    "bzip",
    "bzip2",
    "gzip",
    "lz",
    "lzip",
    "lzma",
    "lzo",
    "lzo_deflate",
    "lzop",
    "rar",
    "sz",
    "tbz",
    "tbz2",
    "tgz",
    "tlz",
    "txz",
    "tzst",
    "xzip",
    "z",
    "zip",
    "zipx",
    "zlib",
    "zstd",
    "zstandard",
];

/// The codec that the name of a file means; none for a plain name.
///
/// # Errors
/// A name that looks like a compression that is not read.
pub(super) fn by_name(path: &str, format: &'static str) -> Result<Option<Codec>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        return Ok(None);
    };
    if let Some(codec) = Codec::ALL
        .into_iter()
        .find(|codec| codec.extension() == extension)
    {
        return Ok(Some(codec));
    }
    let lower = extension.to_ascii_lowercase();
    let meant = Codec::ALL
        .into_iter()
        .any(|codec| codec.extension() == lower);
    if meant || OTHERS.contains(&lower.as_str()) {
        return UnsupportedSnafu {
            format,
            what: format!("{path}: a file with the extension .{extension}"),
            reason: "compressed files are read as .gz, .deflate, .bz2, .zst, .xz, .snappy and .lz4, in lower case; \
                     rename the file if it is one of these, or compress it anew",
        }
        .fail();
    }
    Ok(None)
}

/// The codec of a file with a plain name, by its first bytes.
///
/// # Errors
/// Compressed content, but in text files, of which Java writes some so.
pub(super) fn by_content(path: &str, format: &'static str, head: &[u8]) -> Result<Option<Codec>> {
    let Some(codec) = of_magic(head) else {
        return Ok(None);
    };
    // Java has no xz.
    if format == FileFormatKind::Text.name() && codec != Codec::Xz {
        return Ok(Some(codec));
    }
    let (codec, extension) = (codec.name(), codec.extension());
    CorruptSnafu {
        path,
        format,
        message: format!(
            "its content is compressed with {codec} but its name does not end with .{extension}; rename it"
        ),
    }
    .fail()
}

/// The codec whose files begin so. Texts do not: each has bytes that are no text, or ten that no text begins with.
pub(super) fn of_magic(head: &[u8]) -> Option<Codec> {
    const BLOCK: [u8; 6] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
    const END: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
    match head {
        [0x1f, 0x8b, 8, ..] => Some(Codec::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Codec::Zstd),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Codec::Xz),
        [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..]
            if rest.starts_with(&BLOCK) || rest.starts_with(&END) =>
        {
            Some(Codec::Bzip2)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn the_last_extension_decides() {
        for (path, expected) in [
            ("/t/a.csv", None),
            ("/t/d", None),
            ("/t.gz/d", None),
            ("/t/a.gz.csv", None),
            ("/t/a.gz.", None),
            ("/t/gz", None),
            ("/t/a.csv.gz", Some(Codec::Gzip)),
            ("/t/c.gz", Some(Codec::Gzip)),
            ("c.gz", Some(Codec::Gzip)),
            ("/t/a.csv.deflate", Some(Codec::Deflate)),
            ("/t/a.csv.bz2", Some(Codec::Bzip2)),
            ("/t/a.csv.zst", Some(Codec::Zstd)),
            ("/t/a.csv.snappy", Some(Codec::Snappy)),
            ("/t/a.csv.lz4", Some(Codec::Lz4)),
            ("/t/a.csv.xz", Some(Codec::Xz)),
            ("/t/a.zip.gz", Some(Codec::Gzip)),
        ] {
            assert_eq!(by_name(path, "csv").unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn other_compressions_are_refused_by_name() {
        for extension in [
            "GZ",
            "gzip",
            "Gz",
            "zstd",
            "ZST",
            "bz",
            "BZ2",
            "br",
            "lzo",
            "Z",
            "z",
            "zip",
            "ZIP",
            "7z",
            "lzma",
            "sz",
            "tgz",
            "zlib",
            "lzo_deflate",
            "XZ",
            "Snappy",
            "LZ4",
        ] {
            let path = format!("/t/a.csv.{extension}");
            let error = by_name(&path, "csv").unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }));
            assert_eq!(
                error.to_string(),
                format!(
                    "csv: {path}: a file with the extension .{extension} is not supported: compressed files are \
                     read as .gz, .deflate, .bz2, .zst, .xz, .snappy and .lz4, in lower case; rename the file if \
                     it is one of these, or compress it anew"
                )
            );
        }
    }

    /// What gzip, bzip2, zstd and xz make of `a` and a line feed, and bzip2 of nothing.
    const HEADS: [(&[u8], Codec); 5] = [
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", Codec::Gzip),
        (b"BZh91AY&SY\x63\x3e\xd6\xe2\x00\x00", Codec::Bzip2),
        (
            b"BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00",
            Codec::Bzip2,
        ),
        (b"\x28\xb5\x2f\xfd\x04\x58\x11\x00\x00\x61\x0a", Codec::Zstd),
        (b"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46", Codec::Xz),
    ];

    #[test]
    fn compressed_content_under_a_plain_name_is_refused_but_for_text() {
        for (head, codec) in HEADS {
            for format in ["csv", "json"] {
                let error = by_content("/t/a.csv", format, head).unwrap_err();
                assert!(matches!(error, Error::Corrupt { .. }));
                assert_eq!(
                    error.to_string(),
                    format!(
                        "/t/a.csv: not a readable {format} file: its content is compressed with {} but its name does \
                         not end with .{}; rename it",
                        codec.name(),
                        codec.extension()
                    )
                );
            }
            let text = by_content("/t/a.text", "text", head);
            match codec {
                Codec::Xz => assert!(text.is_err()),
                _ => assert_eq!(text.unwrap(), Some(codec)),
            }
        }
    }

    #[test]
    fn texts_that_begin_like_a_codec_are_texts() {
        for head in [
            &b""[..],
            b"BZh9,1,2",
            b"BZh91AY&",
            b"BZh01AY&SY",
            b"\x1f,8b",
            b"\x28\xc2\xb5/",
            b"7zXZ",
        ] {
            assert_eq!(by_content("/t/a", "csv", head).unwrap(), None);
        }
    }
}
