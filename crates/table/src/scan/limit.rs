//! A limit that ends planning: once the footers of the files found so far hold enough rows, nothing more is listed.

use std::sync::Arc;

use ftable_core::ErrorKind;
use ftable_io::path::join;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};

use super::FoundPartition;
use crate::error::Result;
use crate::format_table::FormatTable;
use crate::read::count::count_file;

type Found = BoxStream<'static, Result<Vec<FoundPartition>>>;

/// The partitions that are found first and together hold at least `limit` rows, or all there are.
///
/// Of the last one only the files that are needed are kept.
pub(super) fn first(table: FormatTable, found: Found, limit: u64) -> Found {
    stream::try_unfold(
        (table, found, limit),
        |(table, mut found, left)| async move {
            if left == 0 {
                return Ok(None);
            }
            let Some(mut partitions) = found.try_next().await? else {
                return Ok(None);
            };
            partitions.sort_unstable_by(|a, b| a.path.cmp(&b.path));
            let mut left = left;
            let mut enough = Vec::new();
            for mut partition in partitions {
                let mut needed = 0;
                for file in &partition.files {
                    if left == 0 {
                        break;
                    }
                    let rows = count(&table, &partition.path, &file.name, file.size).await?;
                    left = left.saturating_sub(rows);
                    needed += 1;
                }
                partition.files.truncate(needed);
                enough.push(partition);
                if left == 0 {
                    break;
                }
            }
            Ok(Some((enough, (table, found, left))))
        },
    )
    .boxed()
}

async fn count(table: &FormatTable, partition: &str, name: &str, size: u64) -> Result<u64> {
    let directory = if partition.is_empty() {
        table.root().to_owned()
    } else {
        join(table.root(), partition)
    };
    match count_file(table, &join(&directory, name), size, None, Arc::default()).await {
        // It stays in the plan: to leave it out, and to tell, is the reader's.
        Err(error) if is_forgiven(table, error.kind()) => Ok(0),
        counted => counted,
    }
}

/// Whether a file that fails so holds no rows for a reader.
fn is_forgiven(table: &FormatTable, kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::NotFound => table.options().ignore_lost_files,
        ErrorKind::CorruptFile => table.options().ignore_corrupt_files,
        _ => false,
    }
}
