//! Scans: directories → partitions → files → splits.

mod discover;
mod limit;
mod plan;
mod registered;
mod split;

use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::predicate::BoundPredicate;
use ftable_core::{Datum, Predicate};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use snafu::ResultExt;

pub use plan::{Plan, PlanMetrics, Skipped};
pub use split::{FileSlice, Split};

use crate::error::{Error, Result};
use crate::format_table::FormatTable;
use discover::Discovery;
pub(crate) use discover::FoundPartition;
pub(crate) use plan::PlanLog;
pub(crate) use registered::{Registered, beginning_with, data_files, measure, registered, shown};
use split::Packing;

/// Finds the files of a table.
#[async_trait]
pub trait TableScan: Send + Sync {
    /// Lists what the filter needs and gives the files, packed into splits.
    ///
    /// Partitions come sorted by their directories, files by their paths. A plan is a snapshot of a listing: files
    /// added later are not in it.
    ///
    /// # Errors
    /// A directory that cannot be listed, or whose name does not parse as its column's type. A plan never
    /// leaves rows out because of an error.
    async fn plan(&self) -> Result<Plan>;

    /// The splits as they are found, in no order.
    fn plan_stream(&self) -> BoxStream<'static, Result<Split>>;

    /// The partitions that the filter's partition part selects, sorted by their directories. None for an
    /// unpartitioned table. Empty partitions are listed too. Where the catalog manages the partitions, those that it
    /// has registered, with its statistics; what it does not know is looked up in the directories.
    ///
    /// # Errors
    /// As [`Self::plan`].
    async fn list_partitions(&self) -> Result<Vec<PartitionEntry>> {
        Ok(self.list_partitions_with_metrics().await?.0)
    }

    /// The same, and what listing saw and skipped.
    ///
    /// # Errors
    /// As [`Self::plan`].
    async fn list_partitions_with_metrics(&self) -> Result<(Vec<PartitionEntry>, PlanMetrics)>;
}

/// A partition that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionEntry {
    /// The value of each partition key, in the order of the keys; `None` is null.
    pub values: Vec<Option<Datum>>,
    /// The directory relative to the table, as it is spelled.
    pub path: String,
    /// Data files at any depth below the directory.
    pub file_count: u64,
    /// Their bytes.
    pub total_bytes: u64,
    /// When the newest of them was modified, in milliseconds since 1970, where the listing or the catalog says.
    pub last_modified_millis: Option<i64>,
    /// Their rows, where the catalog or a count says.
    pub record_count: Option<u64>,
}

/// All partition directories, whether or not the catalog has them registered.
pub(crate) async fn discover_directories(table: &FormatTable) -> Result<Vec<FoundPartition>> {
    let discovery = Discovery::new(table.clone(), None, true).of_directories();
    sorted(discovery.stream(&Arc::default())).await
}

/// The partitions of a stream, sorted by their directories.
async fn sorted(
    mut stream: BoxStream<'static, Result<Vec<FoundPartition>>>,
) -> Result<Vec<FoundPartition>> {
    let mut found = Vec::new();
    while let Some(partitions) = stream.try_next().await? {
        found.extend(partitions);
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// All partitions of a partitioned table and their files.
pub(crate) async fn discover_all(table: &FormatTable) -> Result<Vec<FoundPartition>> {
    let scan = FormatTableScan::new(table.clone(), Vec::new(), None)?;
    scan.found(true, &Arc::default()).await
}

pub(crate) struct FormatTableScan {
    table: FormatTable,
    /// What a partition's values must satisfy; columns are positions among the keys.
    partition_filter: Option<BoundPredicate>,
    /// What the reader still has to apply to rows.
    residual: Option<Predicate>,
    limit: Option<u64>,
}

impl FormatTableScan {
    pub(crate) fn new(
        table: FormatTable,
        filters: Vec<Predicate>,
        limit: Option<u64>,
    ) -> Result<Self> {
        let whole = match filters.len() {
            0 => None,
            1 => filters.into_iter().next(),
            _ => Some(Predicate::And(filters)),
        };
        let (mut partition_filter, mut residual) = (None, None);
        if let Some(whole) = whole {
            let bound = whole.bind(table.fields()).context(table.core())?;
            let is_partition = |column: usize| table.partition_position(column).is_some();
            let (partition, rest) = bound.split(&is_partition);
            partition_filter = partition
                .and_then(|part| part.map_columns(&|column| table.partition_position(column)));
            residual = rest.map(|_| whole);
        }
        Ok(Self {
            table,
            partition_filter,
            residual,
            limit,
        })
    }

    fn discovery(&self, list_files: bool) -> Discovery {
        Discovery::new(
            self.table.clone(),
            self.partition_filter.clone(),
            list_files,
        )
    }

    fn packing(&self) -> Packing {
        Packing::new(self.table.options())
    }

    /// The partitions to plan: all of them, or the first that hold as many rows as the limit asks for.
    fn enough(&self, log: &Arc<PlanLog>) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
        match self.limit {
            Some(0) => stream::empty().boxed(),
            // Footers, where there are any, cannot say how many rows a filter leaves.
            Some(limit) if self.residual.is_none() && self.table.file_format().has_footer() => {
                limit::first(self.table.clone(), self.discovery(true).stream(log), limit)
            }
            _ => self.discovery(true).stream(log),
        }
    }

    async fn found(&self, list_files: bool, log: &Arc<PlanLog>) -> Result<Vec<FoundPartition>> {
        sorted(self.discovery(list_files).stream(log)).await
    }

    async fn entries(&self, log: &Arc<PlanLog>) -> Result<Vec<PartitionEntry>> {
        match self.table.registry() {
            Some(registry) => {
                let filter = self.partition_filter.as_ref();
                registered::entries(&self.table, &**registry, filter, log).await
            }
            None => {
                let found = self.found(true, log).await?;
                Ok(found.into_iter().map(PartitionEntry::from).collect())
            }
        }
    }
}

#[async_trait]
impl TableScan for FormatTableScan {
    async fn plan(&self) -> Result<Plan> {
        let log = Arc::new(PlanLog::default());
        let packing = self.packing();
        let mut splits = Vec::new();
        let mut found = self.enough(&log);
        while let Some(partitions) = found.try_next().await? {
            for partition in partitions {
                log.count(&partition);
                packing.pack(partition, |name| self.table.can_cut(name), &mut splits);
            }
        }
        // Stable: the splits of a partition keep their order.
        splits.sort_by(|a: &Split, b| a.partition().cmp(&b.partition()));
        splits.shrink_to_fit();
        let metrics = log.metrics(splits.len());
        Ok(Plan::new(
            self.table.name(),
            splits,
            self.residual.clone(),
            self.limit,
            metrics,
        ))
    }

    fn plan_stream(&self) -> BoxStream<'static, Result<Split>> {
        let packing = self.packing();
        let log = Arc::new(PlanLog::default());
        let table = self.table.clone();
        self.enough(&log)
            .map_ok(move |partitions| {
                let mut splits = Vec::new();
                for partition in partitions {
                    packing.pack(partition, |name| table.can_cut(name), &mut splits);
                }
                stream::iter(splits.into_iter().map(Ok::<_, Error>))
            })
            .try_flatten()
            .boxed()
    }

    async fn list_partitions_with_metrics(&self) -> Result<(Vec<PartitionEntry>, PlanMetrics)> {
        let log = Arc::new(PlanLog::default());
        let mut entries = Vec::new();
        if self.table.codec().is_partitioned() && self.limit != Some(0) {
            entries = self.entries(&log).await?;
            entries.iter().for_each(|entry| log.count_entry(entry));
        }
        Ok((entries, log.metrics(0)))
    }
}

impl From<FoundPartition> for PartitionEntry {
    fn from(found: FoundPartition) -> Self {
        Self {
            file_count: found.files.len() as u64,
            total_bytes: found.files.iter().map(|file| file.size).sum(),
            last_modified_millis: found
                .files
                .iter()
                .filter_map(|file| file.modified_millis)
                .max(),
            record_count: None,
            values: found.values,
            path: found.path,
        }
    }
}
