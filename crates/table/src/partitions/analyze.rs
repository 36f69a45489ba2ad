//! Statistics of registered partitions, measured.

use std::sync::Arc;

use std::collections::BTreeSet;

use ftable_catalog::PartitionStatistics;
use ftable_core::ErrorKind;
use ftable_io::path::join;
use ftable_io::walk::LeafFile;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::FormatTablePartitions;
use crate::error::{Error, NotRegisteredSnafu, Result};
use crate::format_table::FormatTable;
use crate::read::count::count_file;
use crate::scan::{PartitionEntry, PlanLog, Registered, beginning_with, measure, shown};

/// Files counted side by side, of all partitions that are measured side by side.
const CONCURRENT_FILES: usize = 8;
/// Partitions whose rows are counted side by side.
const CONCURRENT_COUNTS: usize = 4;

impl FormatTablePartitions {
    pub(super) async fn measure_all(
        &self,
        prefix: &[(String, String)],
    ) -> Result<Vec<PartitionEntry>> {
        let table = &self.table;
        let values = match prefix.is_empty() {
            true => Vec::new(),
            false => table.partition_prefix(prefix)?,
        };
        let found = beginning_with(table, &*self.registry, &values).await?;
        if found.is_empty() && !prefix.is_empty() {
            return NotRegisteredSnafu {
                table: table.name(),
                partition: shown(prefix),
            }
            .fail();
        }
        let parallelism = match self.settings.count_rows {
            true => CONCURRENT_COUNTS,
            false => table.options().list_parallelism,
        };
        let measured: Vec<_> = found
            .into_iter()
            .map(|partition| self.measured(partition))
            .collect();
        let measured: Vec<(PartitionEntry, PartitionStatistics)> = stream::iter(measured)
            .buffered(parallelism)
            .try_collect()
            .await?;
        self.report(&measured).await?;
        Ok(measured.into_iter().map(|(entry, _)| entry).collect())
    }

    async fn measured(
        &self,
        partition: Registered,
    ) -> Result<(PartitionEntry, PartitionStatistics)> {
        let table = &self.table;
        let spec = partition.statistics.spec.clone();
        let (mut entry, files) = measure(table, partition, &PlanLog::default()).await?;
        if self.settings.count_rows {
            entry.record_count = count(table, &entry.path, &files).await?;
        }
        let statistics = PartitionStatistics {
            record_count: number(entry.record_count),
            file_size_in_bytes: number(Some(entry.total_bytes)),
            file_count: number(Some(entry.file_count)),
            last_file_creation_millis: entry
                .last_modified_millis
                .unwrap_or(PartitionStatistics::UNKNOWN),
            ..PartitionStatistics::unknown(spec)
        };
        Ok((entry, statistics))
    }

    /// Reports the numbers of partitions that are still registered: reporting them would register the others again.
    async fn report(&self, measured: &[(PartitionEntry, PartitionStatistics)]) -> Result<()> {
        let table = &self.table;
        let all: Vec<_> = measured
            .iter()
            .map(|(_, statistics)| statistics.spec.clone())
            .collect();
        if all.is_empty() {
            return Ok(());
        }
        let registered = self.registry.list_by_names(&all).await;
        let registered = registered.context(table.registry_error("say which partitions it has"))?;
        let path = |spec: &[(String, String)]| table.codec().raw_path(spec).context(table.core());
        let mut still = BTreeSet::new();
        for partition in registered {
            still.insert(path(&partition.statistics.spec)?);
        }
        let statistics: Vec<_> = measured
            .iter()
            .filter(|(entry, _)| still.contains(&entry.path))
            .map(|(_, statistics)| statistics.clone())
            .collect();
        let specs: Vec<_> = statistics
            .iter()
            .map(|statistics| statistics.spec.clone())
            .collect();
        if specs.is_empty() {
            return Ok(());
        }
        let reported = self.registry.create(&specs, true, &statistics, true).await;
        reported
            .map(|_| ())
            .context(table.registry_error("take the statistics"))
    }
}

/// The rows of files; none where one cannot tell.
async fn count(table: &FormatTable, partition: &str, files: &[LeafFile]) -> Result<Option<u64>> {
    let directory = join(table.root(), partition);
    let footers: Vec<_> = files
        .iter()
        .map(|file| rows_of(table, join(&directory, &file.name), file.size))
        .collect();
    stream::iter(footers)
        .buffer_unordered(CONCURRENT_FILES)
        .try_fold(Some(0_u64), |sum, rows| async move {
            Ok(sum.zip(rows).and_then(|(sum, rows)| sum.checked_add(rows)))
        })
        .await
}

async fn rows_of(table: &FormatTable, path: String, size: u64) -> Result<Option<u64>> {
    match count_file(table, &path, size, None, Arc::default()).await {
        Ok(rows) => Ok(Some(rows)),
        Err(error) if is_unreadable(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a failure is the file's own, and no reason to think that the others cannot be read.
fn is_unreadable(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::CorruptFile | ErrorKind::NotFound | ErrorKind::Unsupported
    )
}

fn number(known: Option<u64>) -> i64 {
    known
        .and_then(|number| i64::try_from(number).ok())
        .unwrap_or(PartitionStatistics::UNKNOWN)
}
