//! The footer: fetched with one request where it is small, and checked before and after it is decoded.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use ftable_io::InputFile;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::schema::types::SchemaDescPtr;

use super::{NAME, footer};
use crate::error::{CorruptSnafu, Error, Result};
use crate::offload;

/// Bytes fetched from the end at first: enough for the footer of most files.
const FOOTER_GUESS: u64 = 64 * 1024;
/// The shortest file: magic, footer length, magic.
const SHORTEST: u64 = 12;

/// The footer of a file.
#[derive(Debug, Clone)]
pub(super) struct Footer {
    pub(super) metadata: Arc<ParquetMetaData>,
    /// As it stands in the file.
    bytes: Bytes,
}

impl Footer {
    /// The footer read once more, as that of a file with another schema of the same columns.
    pub(super) fn with_schema(&self, path: &str, schema: SchemaDescPtr) -> Result<Self> {
        let options = ParquetMetaDataOptions::new().with_schema(schema);
        let metadata =
            ParquetMetaDataReader::decode_metadata_with_options(&self.bytes, Some(&options))
                .and_then(without_empty_dictionaries)
                .map_err(|error| corrupt(path, &error))?;
        Ok(Self {
            metadata: Arc::new(metadata),
            bytes: self.bytes.clone(),
        })
    }
}

/// Reads the footer of a file.
///
/// # Errors
/// A file too short, without magic, encrypted, or whose footer cannot be decoded or contradicts itself.
pub(super) async fn load(file: &Arc<dyn InputFile>) -> Result<Footer> {
    let (path, size) = (file.path().to_owned(), file.size());
    if size < SHORTEST {
        let message = match size {
            0 => "it is empty".to_owned(),
            _ => format!("{size} bytes are too few for a footer"),
        };
        return CorruptSnafu {
            path,
            format: NAME,
            message,
        }
        .fail();
    }
    let tail_start = size.saturating_sub(FOOTER_GUESS);
    let tail = file.read(tail_start..size).await?;
    let range = footer_range(&path, &tail, size)?;
    let bytes = match range.start.checked_sub(tail_start) {
        Some(from) => {
            // Inside of the tail, as its range ends before the file does.
            let to = usize::try_from(range.end - tail_start).unwrap_or(usize::MAX);
            tail.slice(usize::try_from(from).unwrap_or(usize::MAX)..to)
        }
        None => file.read(range).await?,
    };
    let owned_path = path.clone();
    offload::decode(&path, NAME, move || decode(&owned_path, bytes, size)).await
}

/// Where the footer lies, from the length and the magic at the end of the file.
fn footer_range(path: &str, tail: &[u8], size: u64) -> Result<Range<u64>> {
    let broken = |message: String| {
        CorruptSnafu {
            path,
            format: NAME,
            message,
        }
        .build()
    };
    let (length, magic) = tail
        .last_chunk::<8>()
        .and_then(|end| end.split_first_chunk::<4>())
        .ok_or_else(|| broken("the end of the file is missing".to_owned()))?;
    match magic {
        b"PAR1" => {}
        b"PARE" => return Err(Error::encrypted(path, NAME)),
        _ => {
            return Err(broken(
                "it does not end in PAR1; it is no parquet file, or cut off".to_owned(),
            ));
        }
    }
    let length = u64::from(u32::from_le_bytes(*length));
    let end = size - footer::TRAILER;
    match end.checked_sub(length).filter(|start| *start >= 4) {
        Some(start) => Ok(start..end),
        None => Err(broken(format!(
            "a footer of {length} bytes does not fit into {size}"
        ))),
    }
}

fn decode(path: &str, bytes: Bytes, size: u64) -> Result<Footer> {
    let broken = |message: String| {
        CorruptSnafu {
            path,
            format: NAME,
            message,
        }
        .build()
    };
    if footer::check_bytes(&bytes).map_err(broken)? {
        return Err(Error::encrypted(path, NAME));
    }
    let metadata = ParquetMetaDataReader::decode_metadata(&bytes)
        .and_then(without_empty_dictionaries)
        .map_err(|error| corrupt(path, &error))?;
    footer::check(&metadata, size).map_err(broken)?;
    Ok(Footer {
        metadata: Arc::new(metadata),
        bytes,
    })
}

/// Removes the offset 0 that old writers leave where there is no dictionary: there would be the magic.
fn without_empty_dictionaries(metadata: ParquetMetaData) -> Result<ParquetMetaData, ParquetError> {
    let is_empty = |offset: Option<i64>| offset.is_some_and(|offset| offset <= 0);
    let columns = |group: &RowGroupMetaData| group.columns().to_vec();
    let mut chunks = metadata
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns);
    if !chunks.any(|column| is_empty(column.dictionary_page_offset())) {
        return Ok(metadata);
    }
    let mut groups = Vec::with_capacity(metadata.num_row_groups());
    for group in metadata.row_groups() {
        let mut repaired = columns(group);
        for column in &mut repaired {
            if is_empty(column.dictionary_page_offset()) {
                let builder = column.clone().into_builder();
                *column = builder.set_dictionary_page_offset(None).build()?;
            }
        }
        groups.push(
            group
                .clone()
                .into_builder()
                .set_column_metadata(repaired)
                .build()?,
        );
    }
    Ok(metadata.into_builder().set_row_groups(groups).build())
}

/// The row groups that start in a byte range.
///
/// Every group starts in exactly one range of a file cut anywhere, so cut files give each row once.
pub(super) fn row_groups_in(metadata: &ParquetMetaData, range: Option<&Range<u64>>) -> Vec<usize> {
    let mut earlier_end = 0;
    let mut found = Vec::new();
    for (index, group) in metadata.row_groups().iter().enumerate() {
        let start = start_of(group).unwrap_or(earlier_end);
        earlier_end = start;
        if range.is_none_or(|range| range.contains(&start)) {
            found.push(index);
        }
    }
    found
}

/// Where a row group starts; `None` for one without columns.
fn start_of(group: &RowGroupMetaData) -> Option<u64> {
    let chunks = group.columns().iter().filter_map(footer::chunk_range);
    chunks.map(|range| range.start).min()
}

/// The rows of some row groups.
pub(super) fn count(metadata: &ParquetMetaData, groups: &[usize]) -> u64 {
    let groups = groups
        .iter()
        .filter_map(|group| metadata.row_groups().get(*group));
    // The footer was checked: none is negative and their sum is no more than an i64.
    groups
        .map(|group| u64::try_from(group.num_rows()).unwrap_or(0))
        .sum()
}

pub(super) fn corrupt(path: &str, error: &ParquetError) -> Error {
    CorruptSnafu {
        path,
        format: NAME,
        message: plain(error),
    }
    .build()
}

/// The decoder's text without its own prefix.
fn plain(error: &ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) | ParquetError::ArrowError(text) => {
            text.clone()
        }
        other => other.to_string(),
    }
}
