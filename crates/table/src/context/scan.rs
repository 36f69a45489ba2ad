//! The settings of a scan.

use std::sync::Arc;

use ftable_core::Predicate;

use super::{Base, FormatTable, context_base};
use crate::error::Result;
use crate::scan::{FormatTableScan, TableScan};

/// Collects what a scan is to find.
///
/// ```no_run
/// # async fn example(table: ftable_table::FormatTable) -> ftable_table::Result<()> {
/// use ftable_core::col;
/// let plan = table.scan().filter(col("dt").gt_eq("2024-01-01")).build()?.plan().await?;
/// println!("{} files", plan.file_count());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ScanContext {
    pub(crate) base: Base,
    pub(crate) filters: Vec<Predicate>,
    pub(crate) limit: Option<u64>,
}

context_base!(ScanContext);

impl ScanContext {
    pub(crate) fn new(table: FormatTable) -> Self {
        Self {
            base: Base::new(table),
            filters: Vec::new(),
            limit: None,
        }
    }

    /// Only rows that match; several filters must all match.
    ///
    /// The part over partition columns decides which directories are listed. The rest is kept in the plan, and
    /// the reader applies it to every row.
    #[must_use]
    pub fn filter(mut self, predicate: Predicate) -> Self {
        self.filters.push(predicate);
        self
    }

    /// Only one partition, or all below a prefix: values as text, read by the types of their columns; the default
    /// partition's name stands for null.
    ///
    /// # Errors
    /// An unknown key, or a value that does not parse.
    pub fn partition(self, spec: &[(String, String)]) -> Result<Self> {
        let predicate = self.base.table.partition_predicate(spec)?;
        Ok(self.filter(predicate))
    }

    /// Any of several partitions.
    ///
    /// # Errors
    /// An unknown key, or a value that does not parse.
    pub fn partitions(self, specs: &[Vec<(String, String)>]) -> Result<Self> {
        let any: Result<Vec<_>> = specs
            .iter()
            .map(|spec| self.base.table.partition_predicate(spec))
            .collect();
        let any = Predicate::Or(any?);
        Ok(self.filter(any))
    }

    /// At most this many rows in all; 0 plans nothing and lists nothing.
    #[must_use]
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(rows);
        self
    }

    /// Rows of one bucket; refused when the scan is built, as a format table has no buckets.
    #[must_use]
    pub fn bucket_filter(mut self, bucket: u32) -> Self {
        self.base.refuse(
            format!("bucket filter {bucket}"),
            "it has no buckets",
            "filter by partition columns",
        );
        self
    }

    /// A result of a global index; refused when the scan is built, as a format table has no index.
    #[must_use]
    pub fn global_index_result(mut self, name: &str) -> Self {
        self.base.refuse(
            format!("global index '{name}'"),
            "it keeps no index",
            "filter by columns",
        );
        self
    }

    /// Rows of a snapshot; refused when the scan is built, as a format table has no snapshots.
    #[must_use]
    pub fn snapshot(mut self, id: i64) -> Self {
        self.base.refuse(
            format!("snapshot {id}"),
            super::NO_SNAPSHOTS,
            "read the files as they are now",
        );
        self
    }

    /// Checks the settings and gives the scan.
    ///
    /// # Errors
    /// A refused setting, an unknown column in a filter, a literal that cannot be its column's type.
    pub fn build(self) -> Result<Arc<dyn TableScan>> {
        self.base.check()?;
        Ok(Arc::new(FormatTableScan::new(
            self.base.table,
            self.filters,
            self.limit,
        )?))
    }
}
