//! How a file is written: codec, sizes, indexes.

use crate::error::{OptionSnafu, Result};

/// The codec that streams and metadata go through, chunk by chunk (specification: "Compression").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// Bytes as they are, without chunk headers.
    None,
    /// Raw deflate.
    Zlib {
        /// 0 (stored) to 9 (smallest).
        level: u32,
    },
    /// Raw snappy blocks.
    Snappy,
    /// Raw LZ4 blocks.
    Lz4,
    /// Zstandard, one frame a chunk.
    Zstd {
        /// 1 (fast) to 22 (small).
        level: i32,
    },
}

/// The settings of a file.
///
/// The defaults are those of ORC's Java writer, with ZSTD of level 1 as its codec.
#[derive(Debug, Clone, PartialEq)]
pub struct WriterOptions {
    pub(crate) compression: Compression,
    pub(crate) chunk_bytes: usize,
    pub(crate) stripe_bytes: usize,
    pub(crate) row_index_stride: usize,
    pub(crate) dictionary_threshold: f64,
    pub(crate) direct_columns: Vec<String>,
    pub(crate) bloom_columns: Vec<String>,
    pub(crate) bloom_fpp: f64,
    pub(crate) software_version: String,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            compression: Compression::Zstd { level: 1 },
            chunk_bytes: 256 * 1024,
            stripe_bytes: 64 * 1024 * 1024,
            row_index_stride: 10_000,
            dictionary_threshold: 0.8,
            direct_columns: Vec::new(),
            bloom_columns: Vec::new(),
            bloom_fpp: 0.01,
            software_version: concat!("ftable-orc-writer ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl WriterOptions {
    /// The codec.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Bytes that are compressed at a time, 1 to 8,388,607 (`orc.compress.size`).
    #[must_use]
    pub fn with_chunk_bytes(mut self, bytes: usize) -> Self {
        self.chunk_bytes = bytes;
        self
    }

    /// A stripe ends when its encoded, not yet compressed bytes reach this (`orc.stripe.size`).
    #[must_use]
    pub fn with_stripe_bytes(mut self, bytes: usize) -> Self {
        self.stripe_bytes = bytes;
        self
    }

    /// Rows of an entry of the row index; 0 writes no index (`orc.row.index.stride`).
    #[must_use]
    pub fn with_row_index_stride(mut self, rows: usize) -> Self {
        self.row_index_stride = rows;
        self
    }

    /// Texts of a stripe get a dictionary if at most this share of them are distinct: 0 for never, 1 for always
    /// (`orc.dictionary.key.threshold`).
    #[must_use]
    pub fn with_dictionary_threshold(mut self, share: f64) -> Self {
        self.dictionary_threshold = share;
        self
    }

    /// Columns that never get a dictionary, by their path (`orc.column.encoding.direct`).
    #[must_use]
    pub fn with_direct_columns<I, S>(mut self, columns: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        self.direct_columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Columns that get a bloom filter for every entry of the row index, by their path: `a`, `a.b`, `a.element`,
    /// `m.key` (`orc.bloom.filter.columns`).
    #[must_use]
    pub fn with_bloom_filter_columns<I, S>(mut self, columns: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        self.bloom_columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// How often a bloom filter may say yes wrongly, between 0 and 1 (`orc.bloom.filter.fpp`).
    #[must_use]
    pub fn with_bloom_filter_fpp(mut self, fpp: f64) -> Self {
        self.bloom_fpp = fpp;
        self
    }

    /// The software that the footer names.
    #[must_use]
    pub fn with_software_version(mut self, name: impl Into<String>) -> Self {
        self.software_version = name.into();
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        // Three bytes hold a chunk's length, and one bit of them says whether it is compressed.
        if !(1..1 << 23).contains(&self.chunk_bytes) {
            return refused("chunk_bytes", self.chunk_bytes, "use 1 to 8388607 bytes");
        }
        if self.stripe_bytes == 0 {
            return refused("stripe_bytes", 0, "use at least 1 byte");
        }
        if u32::try_from(self.row_index_stride).is_err() {
            let rows = self.row_index_stride;
            return refused("row_index_stride", rows, "use at most 4294967295 rows");
        }
        if !(0.0..=1.0).contains(&self.dictionary_threshold) {
            let share = self.dictionary_threshold;
            return refused("dictionary_threshold", share, "use 0 to 1");
        }
        if !(self.bloom_fpp > 0.0 && self.bloom_fpp < 1.0) {
            let fpp = self.bloom_fpp;
            return refused("bloom_filter_fpp", fpp, "use a number between 0 and 1");
        }
        if !self.bloom_columns.is_empty() && self.row_index_stride == 0 {
            let reason = "bloom filters are part of the row index; give it a stride";
            return refused("row_index_stride", 0, reason);
        }
        match self.compression {
            Compression::Zlib { level } if level > 9 => refused("zlib level", level, "use 0 to 9"),
            Compression::Zstd { level } if !(1..=22).contains(&level) => {
                refused("zstd level", level, "use 1 to 22")
            }
            _ => Ok(()),
        }
    }
}

fn refused(option: &'static str, value: impl ToString, reason: &'static str) -> Result<()> {
    let value = value.to_string();
    OptionSnafu {
        option,
        value,
        reason,
    }
    .fail()
}
