//! Rows to the bytes of a file.

use arrow_array::RecordBatch;
use bytes::Bytes;
use ftable_core::FormatTableOptions;

use super::codec::of_magic;
use super::compress::{Compress, compressor};
use crate::error::{EncodeSnafu, Error, Result, UnsupportedSnafu};
use crate::format::FileEncoder;

/// About what codecs leave of text.
const COMPRESSED_SHARE: u64 = 3;
/// Room for the text of a batch is given back when one took as much.
const KEPT: usize = 4 * 1024 * 1024;

/// Renders rows as bytes, each with its line delimiter.
pub(crate) trait RowRenderer: Send + 'static {
    /// Appends what comes before the first row of a file. Called once, when there is a row.
    fn header(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Appends the rows of a batch.
    fn rows(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()>;
}

/// Encodes what `renderer` makes of rows, compressed as `file.compression` says: `none`, `gzip`, `bzip2`, `deflate`,
/// `snappy`, `lz4` or `zstd`.
///
/// A file without rows has no content, or an empty compressed stream, and no header.
///
/// # Errors
/// A compression that is none of these.
pub(crate) fn line_encoder<R: RowRenderer>(
    format: &'static str,
    renderer: R,
    options: &FormatTableOptions,
) -> Result<Box<dyn FileEncoder>> {
    let codec = options.compression.as_str();
    let compressor = compressor(codec, options.zstd_level).map_err(|reason| {
        let what = format!("'file.compression' = '{codec}'");
        UnsupportedSnafu {
            format,
            what,
            reason,
        }
        .build()
    })?;
    Ok(Box::new(LineEncoder {
        format,
        renderer,
        compressor,
        begun: false,
        text: Vec::new(),
        ready: Vec::new(),
        given: 0,
    }))
}

struct LineEncoder<R> {
    format: &'static str,
    renderer: R,
    compressor: Option<Box<dyn Compress>>,
    /// There was a row.
    begun: bool,
    /// The text of a batch that is to be compressed.
    text: Vec<u8>,
    /// Bytes of the file that were not given out.
    ready: Vec<u8>,
    /// How many were.
    given: u64,
}

impl<R: RowRenderer> FileEncoder for LineEncoder<R> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let text = match &self.compressor {
            Some(_) => &mut self.text,
            None => &mut self.ready,
        };
        if !std::mem::replace(&mut self.begun, true) {
            self.renderer.header(text)?;
        }
        self.renderer.rows(batch, text)?;
        // Readers look at what a file begins with.
        if self.compressor.is_none() && self.given == 0 && of_magic(&self.ready).is_some() {
            return UnsupportedSnafu {
                format: self.format,
                what: "a first line that begins like a compressed file",
                reason: "the file would be taken for one; put another row first, or set 'file.compression'",
            }
            .fail();
        }
        if let Some(compressor) = &mut self.compressor {
            compressor
                .write(&self.text, &mut self.ready)
                .map_err(|message| failed(self.format, message))?;
            self.text.clear();
            self.text.shrink_to(KEPT);
        }
        Ok(())
    }

    fn encoded_size(&self) -> u64 {
        self.given + self.ready.len() as u64 + self.memory_size() / COMPRESSED_SHARE
    }

    fn memory_size(&self) -> u64 {
        let held = self.compressor.as_ref().map(|compressor| compressor.held());
        held.unwrap_or_default() as u64
    }

    fn flush(&mut self) -> Result<()> {
        match &mut self.compressor {
            None => Ok(()),
            Some(compressor) => compressor
                .flush(&mut self.ready)
                .map_err(|message| failed(self.format, message)),
        }
    }

    fn take_bytes(&mut self) -> Bytes {
        self.given += self.ready.len() as u64;
        std::mem::take(&mut self.ready).into()
    }

    fn finish(mut self: Box<Self>) -> Result<Bytes> {
        if let Some(compressor) = &mut self.compressor {
            compressor
                .finish(&mut self.ready)
                .map_err(|message| failed(self.format, message))?;
        }
        Ok(self.take_bytes())
    }
}

fn failed(format: &'static str, message: String) -> Error {
    EncodeSnafu { format, message }.build()
}

#[cfg(test)]
mod tests;
