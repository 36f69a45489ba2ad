//! What must hold of a footer before it is decoded, and after.

use std::ops::Range;

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::thrift::{Kind, Thrift};

/// How deep groups may lie in each other: a table's types go to 112 levels, and a list takes two groups.
pub(super) const MAX_DEPTH: usize = 256;
/// Magic and length behind the footer.
pub(super) const TRAILER: u64 = 8;

/// Refuses a footer whose lists are longer than the bytes behind them, or whose schema is too deep; else says whether
/// columns are encrypted.
///
/// The decoder makes room for lists of any length and goes down a schema by recursion.
pub(super) fn check_bytes(footer: &[u8]) -> Result<bool, String> {
    let mut fault = Ok(());
    let mut encrypted = false;
    let walked = Thrift::new(footer).fields(|thrift, id, kind| match (id, kind) {
        // The algorithm that columns are encrypted with, under a footer that is not.
        (8, Kind::Struct) => {
            encrypted = true;
            thrift.skip(kind)
        }
        (2, Kind::List) => {
            let (length, kind) = thrift.list()?;
            fault = check_schema(thrift, length, kind)?;
            fault.is_ok().then_some(())
        }
        _ => thrift.skip(kind),
    });
    match (fault, walked) {
        (Err(message), _) => Err(message),
        (Ok(()), None) => Err("the footer is malformed".to_owned()),
        (Ok(()), Some(())) => Ok(encrypted),
    }
}

/// Walks the schema's elements, which stand in pre-order, each with the number of its children.
fn check_schema(thrift: &mut Thrift<'_>, length: usize, kind: Kind) -> Option<Result<(), String>> {
    if kind != Kind::Struct {
        return None;
    }
    // For each group that is open, how many of its children are still to come.
    let mut open: Vec<i64> = Vec::new();
    for _ in 0..length {
        let mut children = 0;
        thrift.fields(|thrift, id, kind| match (id, kind) {
            (5, Kind::Integer) => {
                children = thrift.integer()?;
                Some(())
            }
            _ => thrift.skip(kind),
        })?;
        if children < 0 || usize::try_from(children).is_ok_and(|children| children >= length) {
            return Some(Err(format!(
                "a group of the schema claims {children} children"
            )));
        }
        if let Some(parent) = open.last_mut() {
            *parent -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > MAX_DEPTH {
            return Some(Err(format!(
                "the schema is more than {MAX_DEPTH} groups deep"
            )));
        }
    }
    Some(Ok(()))
}

/// Refuses a footer that contradicts itself or names bytes that are not there.
pub(super) fn check(metadata: &ParquetMetaData, size: u64) -> Result<(), String> {
    let mut total = 0_i64;
    for (index, group) in metadata.row_groups().iter().enumerate() {
        let rows = group.num_rows();
        if rows < 0 {
            return Err(format!(
                "the footer claims {rows} rows in row group {index}"
            ));
        }
        total = total
            .checked_add(rows)
            .ok_or_else(|| format!("the footer claims {rows} rows in row group {index}"))?;
        for column in group.columns() {
            check_chunk(column, group, size)
                .map_err(|message| format!("row group {index}: {message}"))?;
        }
    }
    let claimed = metadata.file_metadata().num_rows();
    if claimed != total {
        return Err(format!(
            "the row groups hold {total} rows, the footer claims {claimed}"
        ));
    }
    Ok(())
}

fn check_chunk(
    column: &ColumnChunkMetaData,
    group: &RowGroupMetaData,
    size: u64,
) -> Result<(), String> {
    let name = || column.column_path().string();
    let range = chunk_range(column).filter(|range| range.end <= size.saturating_sub(TRAILER));
    if range.is_none() {
        let (start, length) = (column.data_page_offset(), column.compressed_size());
        return Err(format!(
            "column {} is said to lie at {start} with {length} bytes, in a file of {size}",
            name()
        ));
    }
    // A column without repetition has a value, null or not, in every row.
    let (values, rows) = (column.num_values(), group.num_rows());
    if column.column_descr().max_rep_level() == 0 && values != rows {
        return Err(format!(
            "column {} is said to have {values} values in {rows} rows",
            name()
        ));
    }
    Ok(())
}

/// Where a column chunk lies; `None` where its offsets make no sense.
pub(super) fn chunk_range(column: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let start = match column.dictionary_page_offset() {
        // Old writers leave 0 where there is no dictionary.
        Some(dictionary) if dictionary > 0 => dictionary,
        _ => column.data_page_offset(),
    };
    let start = u64::try_from(start).ok()?;
    let length = u64::try_from(column.compressed_size()).ok()?;
    Some(start..start.checked_add(length)?)
}
