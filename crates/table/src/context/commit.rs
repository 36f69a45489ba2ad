//! The settings of a commit.

use std::time::Duration;

use super::{Base, FormatTable, NO_SNAPSHOTS, context_base};
use crate::commit::{CommitSettings, FormatTableCommit, Scope, TableCommit};
use crate::error::Result;

/// Collects how staged files are to be made visible.
#[derive(Debug, Clone)]
pub struct CommitContext {
    pub(crate) base: Base,
    settings: CommitSettings,
}

context_base!(CommitContext);

impl CommitContext {
    pub(crate) fn new(table: FormatTable) -> Self {
        Self {
            base: Base::new(table),
            settings: CommitSettings::default(),
        }
    }

    /// Replaces rows instead of adding to them.
    ///
    /// A partitioned table loses the rows of the partitions that the commit writes to, or all of them where the option
    /// `dynamic-partition-overwrite` is off; an unpartitioned table loses all rows.
    #[must_use]
    pub fn overwrite(mut self) -> Self {
        let table = &self.base.table;
        let dynamic = table.codec().is_partitioned() && table.options().dynamic_partition_overwrite;
        self.settings.scope = Some(if dynamic {
            Scope::Written
        } else {
            Scope::Table
        });
        self
    }

    /// Replaces all rows of one partition, or of all below a prefix, whether or not the commit writes to them. Values
    /// are text, read by the types of the keys, and name every directory with an equal value.
    ///
    /// # Errors
    /// An unknown key, a key without those before it, a value that does not parse.
    pub fn overwrite_partition(mut self, partition: &[(String, String)]) -> Result<Self> {
        self.settings.scope = Some(Scope::Prefix(self.base.table.partition_prefix(partition)?));
        Ok(self)
    }

    /// How long a commit of more than one file, or one that replaces rows, may take before another process may take it
    /// for dead and repair what it left. Ten minutes by default; all processes must agree roughly on the time of day.
    /// A commit that takes longer takes itself back.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.settings.lease = Some(lease);
        self
    }

    /// Whether a commit without files leaves no trace, the default; keeping one is refused.
    #[must_use]
    pub fn ignore_empty_commit(mut self, ignore: bool) -> Self {
        if !ignore {
            self.base.refuse(
                "keeping an empty commit",
                NO_SNAPSHOTS,
                "leave ignore_empty_commit at true",
            );
        }
        self
    }

    /// Whether a REST catalog is sent the snapshot; refused when on.
    #[must_use]
    pub fn use_rest_catalog_commit(mut self, through_catalog: bool) -> Self {
        if through_catalog {
            self.base.refuse(
                "a commit through the REST catalog",
                NO_SNAPSHOTS,
                "leave it off",
            );
        }
        self
    }

    /// The table's id in a catalog's commit request; refused.
    #[must_use]
    pub fn table_id(mut self, id: &str) -> Self {
        self.base.refuse(
            format!("table id '{id}'"),
            "no request of a commit carries one",
            "leave it out",
        );
        self
    }

    /// Whether an append looks for conflicts with concurrent commits; refused when on.
    #[must_use]
    pub fn append_commit_check_conflict(mut self, check: bool) -> Self {
        if check {
            self.base.refuse(
                "the conflict check of appends",
                NO_SNAPSHOTS,
                "leave it off: appends never replace a file, so they cannot conflict",
            );
        }
        self
    }

    /// Checks the settings and gives the committer.
    ///
    /// # Errors
    /// A refused setting.
    pub fn build(self) -> Result<Box<dyn TableCommit>> {
        self.base.check()?;
        Ok(Box::new(FormatTableCommit::new(
            self.base.table,
            self.settings,
        )))
    }
}
