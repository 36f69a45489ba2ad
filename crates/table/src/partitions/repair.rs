//! What is registered and what lies in the directories, brought in line.

use std::collections::BTreeMap;

use serde::Serialize;
use snafu::ResultExt;

use super::FormatTablePartitions;
use crate::error::{Result, UnusableSnafu};
use crate::scan::{PlanLog, discover_directories, registered};

/// Which side gives way when partitions and directories differ (Spark `MSCK REPAIR TABLE`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionRepair {
    /// Directories without a partition are registered.
    Add,
    /// Partitions without a directory are unregistered.
    Drop,
    /// Both.
    Sync,
}

/// What a repair of partitions did, or would do, by their directories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PartitionRepairReport {
    /// Registered: what lies in them is read now.
    pub added: Vec<String>,
    /// Unregistered: they had no directory.
    pub dropped: Vec<String>,
    /// Directories that cannot be registered, as they are not spelled as a catalog's partition of their values is.
    /// Rename them.
    pub skipped: Vec<String>,
}

impl FormatTablePartitions {
    pub(super) async fn bring_in_line(
        &self,
        mode: PartitionRepair,
    ) -> Result<PartitionRepairReport> {
        let table = &self.table;
        // The catalog is asked first: what is registered by then has its directory when these are listed.
        let known = registered(table, &*self.registry, None, &PlanLog::default()).await?;
        let known: BTreeMap<_, _> = known
            .into_iter()
            .map(|partition| (partition.path, partition.statistics.spec))
            .collect();
        let directories = discover_directories(table).await?;
        let mut report = PartitionRepairReport::default();
        let (mut add, mut drop) = (Vec::new(), Vec::new());
        if mode != PartitionRepair::Drop {
            for directory in &directories {
                if known.contains_key(&directory.path) {
                    continue;
                }
                let spec = self.spec(&directory.path)?;
                match table.codec().raw_path(&spec) {
                    Ok(path) if path == directory.path => {
                        report.added.push(path);
                        add.push(spec);
                    }
                    _ => report.skipped.push(directory.path.clone()),
                }
            }
        }
        if mode != PartitionRepair::Add {
            let is_there = |path: &String| {
                directories
                    .binary_search_by(|found| found.path.cmp(path))
                    .is_ok()
            };
            for (path, spec) in known.into_iter().filter(|(path, _)| !is_there(path)) {
                report.dropped.push(path);
                drop.push(spec);
            }
        }
        if !drop.is_empty() {
            self.check_location().await?;
        }
        if self.settings.dry_run {
            return Ok(report);
        }
        if !add.is_empty() {
            let added = self.registry.create(&add, true, &[], false).await;
            added.context(table.registry_error("register the partitions"))?;
        }
        if !drop.is_empty() {
            let dropped = self.registry.drop_partitions(&drop).await;
            dropped.context(table.registry_error("unregister the partitions"))?;
        }
        Ok(report)
    }

    /// A location that is gone as a whole is more likely a disk that is not there than a table that lost every
    /// partition.
    async fn check_location(&self) -> Result<()> {
        let table = &self.table;
        let found = table.file_system().stat(table.root()).await;
        if found.context(table.io())?.is_some() {
            return Ok(());
        }
        let message = format!(
            "there is nothing at {}, so no partition was unregistered; bring the directory back, or drop the partitions \
             by name",
            table.location()
        );
        UnusableSnafu {
            table: table.name(),
            message,
        }
        .fail()
    }
}
