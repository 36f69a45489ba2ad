//! Formats whose records are lines: what csv, json and text files share.
//!
//! A file is a sequence of bytes, those of a compressed file after decompression; lines end with a delimiter; a
//! decoder of the format makes at most one row of each line. Blocks of bytes are fetched by the async side, one
//! ahead; they are unpacked, split and decoded on the blocking pool.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `decode` | what a format makes of a line, and how a line that it cannot read is told |
//! | `blocks` | the bytes of a file in order, the next block fetched while one is worked on |
//! | `codec` | how a file is compressed: by its name, and where its content contradicts it |
//! | `decompress` | compressed blocks to text |
//! | `source` | a file or a range of one, opened: its codec, its blocks, the windows of its text |
//! | `split` | text to lines, and which of them belong to a range |
//! | `read` | lines to batches |
//! | `count` | how many lines there are |
//! | `encode` | rows to the bytes of a file |
//! | `compress` | text to compressed bytes |
//!
//! How much memory a file can take: two blocks of 4 MiB, a line of at most `format-table.read.max-line-length`
//! bytes, the rows of a batch, about 8 MiB of batches, and what a decoder needs: the window of a zstd or xz file, at
//! most 128 MiB, and 16 MiB for a chunk of Hadoop's framing.

mod blocks;
mod codec;
mod compress;
mod count;
mod decode;
mod decompress;
mod encode;
mod read;
mod source;
mod split;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use count::{count_by_reading, count_lines};
pub(crate) use decode::{BadLine, InvalidText, LineDecoder};
pub(crate) use encode::{RowRenderer, line_encoder};
pub(crate) use read::read_lines;

/// How the lines of a file are to be taken.
#[derive(Debug, Clone)]
pub(crate) struct LineFormat {
    /// The format, for messages.
    pub(crate) format: &'static str,
    /// What ends a line, as it is configured. One of LF, CR and CR LF stands for all three.
    pub(crate) delimiter: String,
    /// The first line of a file is no row.
    pub(crate) header: bool,
    /// What becomes of bytes that are not UTF-8.
    pub(crate) invalid_text: InvalidText,
}

/// Whether a file of this name can be read in ranges: its lines end where each reader sees it, and it is not compressed.
pub(crate) fn can_cut(name: &str, format: &LineFormat) -> bool {
    format.has_common_ends() && matches!(codec::by_name(name, format.format), Ok(None))
}

impl LineFormat {
    /// Whether lines end at LF, CR and CR LF alike, as they do where one of them is configured.
    pub(crate) fn has_common_ends(&self) -> bool {
        matches!(self.delimiter.as_str(), "\n" | "\r" | "\r\n")
    }
}
