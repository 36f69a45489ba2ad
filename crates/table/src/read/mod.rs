//! Reads: split → file → columns → batches.

mod assemble;
mod columns;
pub(crate) mod count;
mod filter;
mod metrics;
mod tasks;
mod units;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use ftable_core::Predicate;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};

pub use columns::VALUE_KIND_FIELD;
pub use metrics::{ReadMetrics, RecordMetrics, SkippedFiles};

use crate::error::{ForeignSnafu, Result};
use crate::format_table::FormatTable;
use crate::scan::{Plan, Split};
use columns::Columns;
use metrics::ReadLog;
use units::Unit;

/// The batches of a read.
pub type BatchStream = BoxStream<'static, Result<RecordBatch>>;

/// Gives the rows of planned splits.
#[async_trait]
pub trait TableRead: Send + Sync {
    /// The schema of every batch.
    fn schema(&self) -> SchemaRef;

    /// The rows of a plan that match its filter, at most as many as its limit.
    ///
    /// Files are opened as the stream gets to them and decoded side by side on the blocking pool, with a bounded
    /// number of bytes waiting for each. Dropping the stream ends the read.
    ///
    /// # Errors
    /// A plan or split of another form or with paths outside the table; the stream fails with errors that name the file.
    fn stream(&self, plan: &Plan) -> Result<BatchStream>;

    /// The rows of splits. A filter that a plan held has to be given to the reader.
    ///
    /// # Errors
    /// As [`Self::stream`].
    fn stream_splits(&self, splits: Vec<Split>) -> Result<BatchStream>;

    /// How many rows [`Self::stream`] would give: from footers alone, in formats that have them, where no filter has to
    /// look at rows.
    ///
    /// # Errors
    /// As [`Self::stream`].
    async fn count(&self, plan: &Plan) -> Result<u64>;

    /// The files that this reader has left out so far, because `scan.ignore-lost-files` or
    /// `scan.ignore-corrupt-files` says so, and the records of csv and json files that were not as the table declares.
    /// Complete once its streams have ended.
    fn metrics(&self) -> ReadMetrics;
}

/// What a read was asked for.
#[derive(Debug, Clone)]
pub(crate) struct ReadSettings {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) filters: Vec<Predicate>,
    pub(crate) limit: Option<u64>,
    pub(crate) value_kind: bool,
    pub(crate) preserve_order: bool,
    pub(crate) parallelism: Option<usize>,
}

impl Default for ReadSettings {
    fn default() -> Self {
        Self {
            columns: None,
            filters: Vec::new(),
            limit: None,
            value_kind: true,
            preserve_order: false,
            parallelism: None,
        }
    }
}

impl ReadSettings {
    fn parallelism(&self) -> usize {
        self.parallelism
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

pub(crate) struct FormatTableRead {
    table: FormatTable,
    settings: ReadSettings,
    /// The columns without a plan's filter.
    columns: Arc<Columns>,
    log: Arc<ReadLog>,
}

impl FormatTableRead {
    pub(crate) fn new(table: FormatTable, settings: ReadSettings) -> Result<Self> {
        let columns = Arc::new(Columns::new(&table, &settings, None)?);
        Ok(Self {
            table,
            settings,
            columns,
            log: Arc::default(),
        })
    }

    fn columns_for(&self, plan: &Plan) -> Result<Arc<Columns>> {
        match plan.residual() {
            None => Ok(Arc::clone(&self.columns)),
            Some(filter) => Ok(Arc::new(Columns::new(
                &self.table,
                &self.settings,
                Some(filter),
            )?)),
        }
    }

    fn limit(&self, plan: &Plan) -> Option<u64> {
        match (self.settings.limit, plan.limit()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn check(&self, plan: &Plan) -> Result<()> {
        if !plan.is_readable() {
            let message = "its form is not one of this version; plan again";
            return ForeignSnafu {
                table: self.table.name(),
                what: "a plan",
                message,
            }
            .fail();
        }
        Ok(())
    }

    fn start(
        &self,
        columns: &Arc<Columns>,
        splits: &[Split],
        limit: Option<u64>,
    ) -> Result<BatchStream> {
        if limit == Some(0) {
            return Ok(stream::empty().boxed());
        }
        let units = units::of_splits(&self.table, columns, splits)?;
        let parallelism = self.settings.parallelism();
        let units = units::spread(&self.table, units, parallelism);
        let job = tasks::Job {
            table: self.table.clone(),
            columns: Arc::clone(columns),
            log: Arc::clone(&self.log),
        };
        let batches = tasks::read(job, units, parallelism, self.settings.preserve_order)?;
        Ok(match limit {
            None => batches,
            Some(limit) => limited(batches, limit),
        })
    }
}

#[async_trait]
impl TableRead for FormatTableRead {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.columns.schema())
    }

    fn stream(&self, plan: &Plan) -> Result<BatchStream> {
        self.check(plan)?;
        self.start(&self.columns_for(plan)?, plan.splits(), self.limit(plan))
    }

    fn stream_splits(&self, splits: Vec<Split>) -> Result<BatchStream> {
        self.start(&self.columns, &splits, self.settings.limit)
    }

    async fn count(&self, plan: &Plan) -> Result<u64> {
        self.check(plan)?;
        let settings = ReadSettings {
            columns: Some(Vec::new()),
            value_kind: false,
            ..self.settings.clone()
        };
        let columns = Arc::new(Columns::new(&self.table, &settings, plan.residual())?);
        let limit = self.limit(plan);
        if limit == Some(0) {
            return Ok(0);
        }
        let units = units::of_splits(&self.table, &columns, plan.splits())?;
        let counted = if units.iter().all(Unit::is_decided) {
            count::of_files(&self.table, units, &self.log).await?
        } else {
            let batches = self.start(&columns, plan.splits(), limit)?;
            batches
                .try_fold(0, |rows, batch| async move {
                    Ok(rows + batch.num_rows() as u64)
                })
                .await?
        };
        Ok(limit.map_or(counted, |limit| counted.min(limit)))
    }

    fn metrics(&self) -> ReadMetrics {
        self.log.metrics()
    }
}

/// Ends a stream after a number of rows.
fn limited(batches: BatchStream, limit: u64) -> BatchStream {
    stream::try_unfold((batches, limit), |(mut batches, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let Some(batch) = batches.try_next().await? else {
            return Ok(None);
        };
        let rows =
            usize::try_from(left).map_or(batch.num_rows(), |left| left.min(batch.num_rows()));
        Ok(Some((batch.slice(0, rows), (batches, left - rows as u64))))
    })
    .boxed()
}
