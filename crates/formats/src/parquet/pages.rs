//! What page headers claim, looked at before a column chunk is decoded.
//!
//! The decoder makes room for what a header claims, and fills some of that room, before it finds that the bytes
//! are not there. A claim that the page's own bytes refute is found here. What the decoder finds itself without
//! harm is left to it.

use std::io::Cursor;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type as PhysicalType};
use parquet::column::page::{Page, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::footer;
use super::thrift::{Kind, Thrift};
use crate::zstd;

/// LZ4 makes at most 255 bytes of one, DEFLATE 1032.
const LZ4_RATIO: u64 = 255;
const GZIP_RATIO: u64 = 1032;
/// Brotli has no such limit that would help: this much is taken for true of any page, and of one byte.
const BROTLI_PAGE: u64 = 64 * 1024 * 1024;
const BROTLI_RATIO: u64 = 16 * 1024;
/// What a compressed page may be longer by than its ratio allows: headers of frames.
const SLACK: u64 = 1024;

/// What is needed of a page header.
#[derive(Debug, Default)]
struct Header {
    kind: i64,
    uncompressed: i64,
    compressed: i64,
    values: i64,
    /// Bytes of levels that stand uncompressed before the values.
    levels: i64,
    is_plain: bool,
}

const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
const DATA_PAGE_V2: i64 = 3;

/// Refuses a column chunk with a page that cannot hold what its header claims.
pub(super) fn check(bytes: &Bytes, chunk: &ColumnChunkMetaData) -> Result<(), String> {
    let mut rest = Thrift::new(bytes);
    let mut values = 0_i64;
    let mut at = 0_usize;
    while values < chunk.num_values() && at < bytes.len() {
        let Some(header) = Header::read(&mut rest) else {
            break;
        };
        at = bytes.len() - rest.left();
        let page = usize::try_from(header.compressed)
            .ok()
            .and_then(|length| bytes.get(at..at + length));
        let Some(page) = page else { break };
        header.check(page, chunk)?;
        if matches!(header.kind, DATA_PAGE | DATA_PAGE_V2) {
            values = values.saturating_add(header.values.max(0));
        }
        at += page.len();
        rest = Thrift::new(bytes.get(at..).unwrap_or_default());
    }
    match has_delta_lengths(chunk) {
        true => check_delta_lengths(bytes, chunk),
        false => Ok(()),
    }
}

impl Header {
    fn read(thrift: &mut Thrift<'_>) -> Option<Self> {
        let mut header = Self::default();
        thrift.fields(|thrift, id, kind| {
            match (id, kind) {
                (1, Kind::Integer) => header.kind = thrift.integer()?,
                (2, Kind::Integer) => header.uncompressed = thrift.integer()?,
                (3, Kind::Integer) => header.compressed = thrift.integer()?,
                (5 | 7 | 8, Kind::Struct) => header.read_page(thrift, id)?,
                _ => thrift.skip(kind)?,
            }
            Some(())
        })?;
        Some(header)
    }

    /// The header of a data page (5), a dictionary (7) or a data page of version 2 (8).
    fn read_page(&mut self, thrift: &mut Thrift<'_>, page: i64) -> Option<()> {
        thrift.fields(|thrift, id, kind| {
            match (id, kind) {
                (1, Kind::Integer) => self.values = thrift.integer()?,
                (5 | 6, Kind::Integer) if page == 8 => {
                    self.levels = self.levels.checked_add(thrift.integer()?)?;
                }
                (7, Kind::False) if page == 8 => self.is_plain = true,
                _ => thrift.skip(kind)?,
            }
            Some(())
        })
    }

    fn check(&self, page: &[u8], chunk: &ColumnChunkMetaData) -> Result<(), String> {
        let claims = |what: String| {
            Err(format!(
                "a page of column {} claims {what}",
                chunk.column_path().string()
            ))
        };
        let uncompressed = u64::try_from(self.uncompressed).unwrap_or(0);
        if self.kind == DICTIONARY_PAGE {
            let least = least_bytes(chunk).saturating_mul(u64::try_from(self.values).unwrap_or(0));
            if least > uncompressed {
                return claims(format!(
                    "{} dictionary entries in {uncompressed} bytes",
                    self.values
                ));
            }
        }
        let levels = usize::try_from(self.levels).unwrap_or(0);
        let (Some(compressed), false) = (page.get(levels..), self.is_plain) else {
            return Ok(());
        };
        let expected = uncompressed.saturating_sub(levels as u64);
        let length = compressed.len() as u64;
        let ratio = |ratio| expected <= length.saturating_mul(ratio).saturating_add(SLACK);
        let fits = match chunk.compression() {
            // Snappy says itself how long it will be; the decoder would fill up what is missing with zeros.
            Compression::SNAPPY => {
                expected == 0 || Thrift::new(compressed).varint() == Some(expected)
            }
            Compression::LZ4 | Compression::LZ4_RAW => ratio(LZ4_RATIO),
            Compression::GZIP(_) => ratio(GZIP_RATIO),
            Compression::ZSTD(_) => {
                expected == 0 || zstd::most(compressed).is_some_and(|most| expected <= most)
            }
            Compression::BROTLI(_) => expected <= BROTLI_PAGE || ratio(BROTLI_RATIO),
            _ => true,
        };
        match fits {
            true => Ok(()),
            false => claims(format!(
                "{expected} bytes, which its {length} compressed ones are not"
            )),
        }
    }
}

/// The fewest bytes an entry of a dictionary takes.
fn least_bytes(chunk: &ColumnChunkMetaData) -> u64 {
    match chunk.column_type() {
        PhysicalType::BOOLEAN => 0,
        PhysicalType::INT32 | PhysicalType::FLOAT | PhysicalType::BYTE_ARRAY => 4,
        PhysicalType::INT64 | PhysicalType::DOUBLE => 8,
        PhysicalType::INT96 => 12,
        PhysicalType::FIXED_LEN_BYTE_ARRAY => {
            u64::try_from(chunk.column_descr().type_length()).unwrap_or(0)
        }
    }
}

/// Whether pages may begin with a list of lengths, for which the decoder makes room as the list claims.
fn has_delta_lengths(chunk: &ColumnChunkMetaData) -> bool {
    chunk.encodings().any(|encoding| {
        matches!(
            encoding,
            Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY
        )
    })
}

fn check_delta_lengths(bytes: &Bytes, chunk: &ColumnChunkMetaData) -> Result<(), String> {
    let Some(range) = footer::chunk_range(chunk) else {
        return Ok(());
    };
    let rows = usize::try_from(chunk.num_values()).unwrap_or(0);
    let source = Arc::new(At {
        start: range.start,
        bytes: bytes.clone(),
    });
    let Ok(mut pages) = SerializedPageReader::new(source, chunk, rows, None) else {
        return Ok(());
    };
    // A page that cannot be read is the decoder's to report.
    while let Ok(Some(page)) = pages.get_next_page() {
        let values = page.num_values() as usize;
        let lists = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => continue,
        };
        let Some(mut rest) = behind_levels(&page, chunk) else {
            continue;
        };
        for _ in 0..lists {
            let Some((count, end)) = delta_list(rest) else {
                break;
            };
            if count > values as u64 {
                let column = chunk.column_path().string();
                return Err(format!(
                    "a page of column {column} claims {count} lengths for {values} values"
                ));
            }
            let Some(behind) = end.and_then(|end| rest.get(end..)) else {
                break;
            };
            rest = behind;
        }
    }
    Ok(())
}

/// A column chunk, read as the part of its file that it is.
struct At {
    start: u64,
    bytes: Bytes,
}

impl Length for At {
    fn len(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for At {
    type T = Cursor<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let bytes = self.from(start)?;
        Ok(Cursor::new(bytes))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.from(start)?;
        match length <= bytes.len() {
            true => Ok(bytes.slice(..length)),
            false => Err(ParquetError::EOF("the column chunk ends".to_owned())),
        }
    }
}

impl At {
    fn from(&self, start: u64) -> ParquetResult<Bytes> {
        let from = start
            .checked_sub(self.start)
            .and_then(|from| usize::try_from(from).ok());
        match from.filter(|from| *from <= self.bytes.len()) {
            Some(from) => Ok(self.bytes.slice(from..)),
            None => Err(ParquetError::EOF("outside of the column chunk".to_owned())),
        }
    }
}

/// The values of a data page, behind its levels.
fn behind_levels<'a>(page: &'a Page, chunk: &ColumnChunkMetaData) -> Option<&'a [u8]> {
    match page {
        Page::DataPageV2 {
            buf,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            let levels = def_levels_byte_len.checked_add(*rep_levels_byte_len)?;
            buf.get(usize::try_from(levels).ok()?..)
        }
        Page::DataPage {
            buf,
            def_level_encoding,
            rep_level_encoding,
            ..
        } => {
            let packed = [def_level_encoding, rep_level_encoding];
            if packed.iter().any(|encoding| **encoding != Encoding::RLE) {
                return None;
            }
            let column = chunk.column_descr();
            let mut rest: &[u8] = buf;
            for level in [column.max_rep_level(), column.max_def_level()] {
                if level > 0 {
                    let (length, behind) = rest.split_first_chunk::<4>()?;
                    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
                    rest = behind.get(length..)?;
                }
            }
            Some(rest)
        }
        Page::DictionaryPage { .. } => None,
    }
}

/// How many numbers a delta-packed list claims, and where it ends if it does.
fn delta_list(bytes: &[u8]) -> Option<(u64, Option<usize>)> {
    let mut list = Thrift::new(bytes);
    let (block, mini_blocks, count) = (list.varint()?, list.varint()?, list.varint()?);
    let end = delta_end(bytes, list, block, mini_blocks, count.saturating_sub(1));
    Some((count, end))
}

/// Where the blocks end that hold `left` numbers, each block with its least number, widths and packed numbers.
fn delta_end(
    bytes: &[u8],
    mut list: Thrift<'_>,
    block: u64,
    mini_blocks: u64,
    mut left: u64,
) -> Option<usize> {
    list.integer()?;
    let mut at = bytes.len() - list.left();
    let in_mini_block = block.checked_div(mini_blocks)?;
    while left > 0 {
        let mut header = Thrift::new(bytes.get(at..)?);
        header.integer()?;
        at = bytes.len() - header.left();
        let widths = bytes.get(at..at.checked_add(usize::try_from(mini_blocks).ok()?)?)?;
        at += widths.len();
        for width in widths {
            if left == 0 {
                break;
            }
            let bits = u64::from(*width).checked_mul(in_mini_block)?;
            at = at.checked_add(usize::try_from(bits / 8).ok()?)?;
            left = left.saturating_sub(in_mini_block);
        }
    }
    Some(at)
}
