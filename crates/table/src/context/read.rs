//! The settings of a read.

use std::sync::Arc;

use ftable_core::Predicate;

use super::{Base, FormatTable, context_base};
use crate::error::Result;
use crate::read::{FormatTableRead, ReadSettings, TableRead};

/// Collects what a read is to give back.
///
/// ```no_run
/// # async fn example(table: ftable_table::FormatTable) -> ftable_table::Result<()> {
/// use futures::TryStreamExt;
/// let plan = table.scan().build()?.plan().await?;
/// let mut batches = table.read().columns(["id", "dt"]).value_kind(false).build()?.stream(&plan)?;
/// while let Some(batch) = batches.try_next().await? {
///     println!("{} rows", batch.num_rows());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ReadContext {
    pub(crate) base: Base,
    settings: ReadSettings,
}

context_base!(ReadContext);

impl ReadContext {
    pub(crate) fn new(table: FormatTable) -> Self {
        Self {
            base: Base::new(table),
            settings: ReadSettings::default(),
        }
    }

    /// The columns to give back, in this order; without it all of them in the table's order.
    #[must_use]
    pub fn columns<I, S>(mut self, columns: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        self.settings.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Only rows that match, beside what the plan's own filter asks; several filters must all match.
    #[must_use]
    pub fn filter(mut self, predicate: Predicate) -> Self {
        self.settings.filters.push(predicate);
        self
    }

    /// At most this many rows over all splits, after filtering.
    #[must_use]
    pub fn limit(mut self, rows: u64) -> Self {
        self.settings.limit = Some(rows);
        self
    }

    /// Whether batches begin with the `_VALUE_KIND` column (Int8, 0 for an inserted row). On by default.
    #[must_use]
    pub fn value_kind(mut self, value_kind: bool) -> Self {
        self.settings.value_kind = value_kind;
        self
    }

    /// Whether batches come in the order of the plan. Off by default: splits are read side by side, and a batch is
    /// given out as soon as it is there.
    #[must_use]
    pub fn preserve_order(mut self, preserve_order: bool) -> Self {
        self.settings.preserve_order = preserve_order;
        self
    }

    /// How many files are decoded side by side; by default one for each processor.
    #[must_use]
    pub fn parallelism(mut self, files: usize) -> Self {
        self.settings.parallelism = Some(files.max(1));
        self
    }

    /// A read schema; refused when the read is built, as a projection here is a list of top-level names.
    #[must_use]
    pub fn read_schema(mut self) -> Self {
        self.base.refuse(
            "a read schema",
            "a projection is a list of top-level names",
            "use columns(..)",
        );
        self
    }

    /// Checks the settings and gives the reader.
    ///
    /// # Errors
    /// A refused setting, an unknown or repeated column, a filter that does not fit.
    pub fn build(self) -> Result<Arc<dyn TableRead>> {
        self.base.check()?;
        Ok(Arc::new(FormatTableRead::new(
            self.base.table,
            self.settings,
        )?))
    }
}
