//! The settings of work on registered partitions.

use std::sync::Arc;

use super::{Base, FormatTable, context_base};
use crate::error::{RefusedSnafu, Result};
use crate::partitions::{FormatTablePartitions, PartitionSettings, TablePartitions};

/// Collects how the partitions that a catalog has registered are to be worked on.
///
/// ```no_run
/// # async fn example(table: ftable_table::FormatTable) -> ftable_table::Result<()> {
/// use ftable_table::PartitionRepair;
/// let report = table.partitions().build()?.repair(PartitionRepair::Add).await?;
/// println!("{} directories were registered", report.added.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct PartitionContext {
    pub(crate) base: Base,
    settings: PartitionSettings,
}

context_base!(PartitionContext);

impl PartitionContext {
    pub(crate) fn new(table: FormatTable) -> Self {
        Self {
            base: Base::new(table),
            settings: PartitionSettings::default(),
        }
    }

    /// Whether adding partitions that are registered already is fine, the default. When off, one of them has all of
    /// them refused.
    #[must_use]
    pub fn ignore_existing(mut self, ignore: bool) -> Self {
        self.settings.ignore_existing = ignore;
        self
    }

    /// Only tell what a repair would do. Off by default.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.settings.dry_run = dry_run;
        self
    }

    /// Whether an analysis counts rows, which reads the footer of every file. On by default.
    #[must_use]
    pub fn count_rows(mut self, count_rows: bool) -> Self {
        self.settings.count_rows = count_rows;
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// A refused setting; a table whose partitions no catalog manages.
    pub fn build(self) -> Result<Arc<dyn TablePartitions>> {
        let Some(registry) = self.base.table.registry().cloned() else {
            let reason = match self.base.table.codec().is_partitioned() {
                true => {
                    "the catalog of this one does not manage its partitions: they are its directories"
                }
                false => "this one has no partition keys",
            };
            return RefusedSnafu {
                what: "registering or measuring partitions",
                reason,
                instead: "write rows instead",
            }
            .fail();
        };
        self.base.check()?;
        let partitions = FormatTablePartitions::new(self.base.table, registry, self.settings);
        Ok(Arc::new(partitions))
    }
}
