//! The footer: fetched with one request where it is small, and checked against the file's length.

use std::ops::Range;
use std::sync::Arc;

use ftable_io::InputFile;
use parquet::DecodeResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataPushDecoder, RowGroupMetaData};

use super::NAME;
use crate::error::{CorruptSnafu, Error, Result};
use crate::offload;

/// Bytes fetched from the end at first: enough for the footer of most files.
const FOOTER_GUESS: u64 = 64 * 1024;
/// The shortest file: magic, footer length, magic.
const SHORTEST: u64 = 12;

/// Reads the footer of a file.
///
/// # Errors
/// A file too short, without magic, encrypted, or whose footer cannot be decoded.
pub(super) async fn load(file: &Arc<dyn InputFile>) -> Result<Arc<ParquetMetaData>> {
    let (path, size) = (file.path().to_owned(), file.size());
    if size < SHORTEST {
        let message = format!("{size} bytes are too few for a footer");
        return CorruptSnafu { path, format: NAME, message }.fail();
    }
    let mut decoder = ParquetMetaDataPushDecoder::try_new(size)
        .map_err(|error| corrupt(&path, &error))?
        .with_page_index_policy(PageIndexPolicy::Skip);
    let mut wanted = vec![size.saturating_sub(FOOTER_GUESS)..size];
    loop {
        let bytes = file.read_ranges(&wanted).await?;
        let owned_path = path.clone();
        let (next, result) = offload::decode(&path, NAME, move || {
            let step = decoder.push_ranges(wanted, bytes).and_then(|()| decoder.try_decode());
            let result = step.map_err(|error| corrupt(&owned_path, &error))?;
            Ok((decoder, result))
        })
        .await?;
        decoder = next;
        match result {
            DecodeResult::Data(metadata) => return Ok(Arc::new(metadata)),
            DecodeResult::NeedsData(ranges) => wanted = checked(&path, size, ranges)?,
            DecodeResult::Finished => {
                return CorruptSnafu { path, format: NAME, message: "the footer ended early" }.fail();
            }
        }
    }
}

fn checked(path: &str, size: u64, ranges: Vec<Range<u64>>) -> Result<Vec<Range<u64>>> {
    match ranges.iter().find(|range| range.start > range.end || range.end > size) {
        None => Ok(ranges),
        Some(range) => {
            let message = format!("the footer names bytes {}..{} of {size}", range.start, range.end);
            CorruptSnafu { path, format: NAME, message }.fail()
        }
    }
}

/// The row groups that start in a byte range.
///
/// Every group starts in exactly one range of a file cut anywhere, so cut files give each row once.
pub(super) fn row_groups_in(metadata: &ParquetMetaData, range: Option<&Range<u64>>) -> Vec<usize> {
    let starts_inside = |group: &RowGroupMetaData| range.is_none_or(|range| range.contains(&start_of(group)));
    let groups = metadata.row_groups().iter().enumerate();
    groups.filter(|(_, group)| starts_inside(group)).map(|(index, _)| index).collect()
}

fn start_of(group: &RowGroupMetaData) -> u64 {
    let starts = group.columns().iter().map(|column| {
        let data = column.data_page_offset();
        column.dictionary_page_offset().map_or(data, |dictionary| dictionary.min(data))
    });
    starts.min().and_then(|start| u64::try_from(start).ok()).unwrap_or(0)
}

/// The rows of some row groups.
pub(super) fn count(metadata: &ParquetMetaData, groups: &[usize], path: &str) -> Result<u64> {
    let mut rows = 0_u64;
    for group in groups {
        let count = metadata.row_groups().get(*group).map_or(0, RowGroupMetaData::num_rows);
        let sum = u64::try_from(count).ok().and_then(|count| rows.checked_add(count));
        rows = match sum {
            Some(rows) => rows,
            None => {
                let message = format!("the footer claims {count} rows in row group {group}");
                return CorruptSnafu { path, format: NAME, message }.fail();
            }
        };
    }
    Ok(rows)
}

pub(super) fn corrupt(path: &str, error: &ParquetError) -> Error {
    CorruptSnafu { path, format: NAME, message: plain(error) }.build()
}

/// The decoder's text without its own prefix.
fn plain(error: &ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) | ParquetError::ArrowError(text) => text.clone(),
        other => other.to_string(),
    }
}
