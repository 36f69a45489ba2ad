//! The partitions that a catalog has registered: adding them, bringing them in line with the directories, and measuring
//! them.

mod analyze;
mod repair;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use ftable_catalog::{CreatedPartitions, PartitionRegistry, PartitionSpec};
use ftable_io::path::join;
use futures::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use snafu::ResultExt;

pub use repair::{PartitionRepair, PartitionRepairReport};

use crate::error::{Result, UnusableSnafu};
use crate::format_table::FormatTable;
use crate::scan::PartitionEntry;

/// Work on the partitions that a catalog has registered.
///
/// Nothing here touches a data file. Which partitions there are is listed by a scan.
#[async_trait]
pub trait TablePartitions: Send + Sync {
    /// Registers partitions and makes their directories. Values are text, read by the types of the keys and spelled as
    /// a writer would: on a table of day numbers `dt=2024-01-01` is the partition `dt=19723`.
    ///
    /// Files that lie in such a directory already are rows of the table from then on.
    ///
    /// # Errors
    /// An unknown key, a key that is missing, a value that does not parse: nothing is changed. `AlreadyExists` for one
    /// that is registered, where that is not to be ignored: none is registered. A catalog that cannot be asked, or a
    /// directory that cannot be made: the partition is registered and empty then.
    async fn add(&self, partitions: &[Vec<(String, String)>]) -> Result<AddedPartitions>;

    /// Brings what is registered in line with the directories, text by text: `m=3` and `m=03` are two partitions.
    ///
    /// # Errors
    /// A catalog that cannot be asked, a directory that cannot be listed or whose name does not parse: nothing is
    /// changed.
    async fn repair(&self, mode: PartitionRepair) -> Result<PartitionRepairReport>;

    /// Measures registered partitions and has the catalog take the numbers in place of its own: those that begin with
    /// the values given, or all. Rows are counted from footers; of a partition with a file whose footer cannot be read
    /// they are not known, and the catalog keeps its number.
    ///
    /// Rows that others commit meanwhile may be missing in the numbers: measure when nothing is being written.
    ///
    /// # Errors
    /// An unknown key, a key without those before it, a value that does not parse; `NotFound` when no partition begins
    /// with the values. A catalog that cannot be asked, a directory that cannot be listed: no number is changed.
    async fn analyze(&self, prefix: &[(String, String)]) -> Result<Vec<PartitionEntry>>;
}

/// What became of partitions that were to be registered, by their directories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AddedPartitions {
    /// Registered now.
    pub created: Vec<String>,
    /// Registered before.
    pub existed: Vec<String>,
}

/// How partitions are worked on.
#[derive(Debug, Clone)]
pub(crate) struct PartitionSettings {
    pub(crate) ignore_existing: bool,
    pub(crate) dry_run: bool,
    pub(crate) count_rows: bool,
}

impl Default for PartitionSettings {
    fn default() -> Self {
        Self {
            ignore_existing: true,
            dry_run: false,
            count_rows: true,
        }
    }
}

pub(crate) struct FormatTablePartitions {
    table: FormatTable,
    registry: Arc<dyn PartitionRegistry>,
    settings: PartitionSettings,
}

impl FormatTablePartitions {
    pub(crate) fn new(
        table: FormatTable,
        registry: Arc<dyn PartitionRegistry>,
        settings: PartitionSettings,
    ) -> Self {
        Self {
            table,
            registry,
            settings,
        }
    }

    /// The directory of a complete partition, as a writer spells it.
    fn directory(&self, partition: &[(String, String)]) -> Result<String> {
        let codec = self.table.codec();
        let values = codec.parse_spec(partition).context(self.table.core())?;
        if values.len() != codec.len() {
            let keys = self.table.partition_keys().join(", ");
            let message =
                format!("a partition is registered by a value for each of its keys: {keys}");
            return UnusableSnafu {
                table: self.table.name(),
                message,
            }
            .fail();
        }
        let values: Vec<_> = values.into_iter().map(|(_, value)| value).collect();
        codec.relative_path(&values).context(self.table.core())
    }

    fn spec(&self, path: &str) -> Result<PartitionSpec> {
        self.table.codec().raw_spec(path).context(self.table.core())
    }

    fn paths(&self, specs: &[PartitionSpec]) -> Result<Vec<String>> {
        let path = |spec: &PartitionSpec| self.table.codec().raw_path(spec);
        let paths: Result<Vec<_>, _> = specs.iter().map(path).collect();
        let mut paths = paths.context(self.table.core())?;
        paths.sort_unstable();
        Ok(paths)
    }
}

#[async_trait]
impl TablePartitions for FormatTablePartitions {
    async fn add(&self, partitions: &[Vec<(String, String)>]) -> Result<AddedPartitions> {
        let mut wanted = BTreeMap::new();
        for partition in partitions {
            let path = self.directory(partition)?;
            let spec = self.spec(&path)?;
            wanted.insert(path, spec);
        }
        if wanted.is_empty() {
            return Ok(AddedPartitions::default());
        }
        let specs: Vec<_> = wanted.values().cloned().collect();
        let CreatedPartitions { created, existed } = self
            .registry
            .create(&specs, self.settings.ignore_existing, &[], false)
            .await
            .context(self.table.registry_error("register the partitions"))?;
        let file_system = self.table.file_system();
        let make = async |path: String| file_system.create_dir(&path).await;
        let directories: Vec<_> = wanted
            .keys()
            .map(|path| make(join(self.table.root(), path)))
            .collect();
        stream::iter(directories)
            .buffer_unordered(self.table.options().list_parallelism)
            .try_collect::<()>()
            .await
            .context(self.table.io())?;
        Ok(AddedPartitions {
            created: self.paths(&created)?,
            existed: self.paths(&existed)?,
        })
    }

    async fn repair(&self, mode: PartitionRepair) -> Result<PartitionRepairReport> {
        self.bring_in_line(mode).await
    }

    async fn analyze(&self, prefix: &[(String, String)]) -> Result<Vec<PartitionEntry>> {
        self.measure_all(prefix).await
    }
}
