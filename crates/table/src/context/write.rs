//! The settings of a write.

use super::{Base, FormatTable, context_base};
use crate::error::Result;
use crate::write::{FormatTableWrite, TableWrite};

/// Collects how rows are to be written.
///
/// ```no_run
/// # async fn example(table: ftable_table::FormatTable, batch: arrow_array::RecordBatch) -> ftable_table::Result<()> {
/// let mut write = table.write().build()?;
/// write.write(batch).await?;
/// let messages = write.prepare_commit().await?;
/// table.commit().build()?.commit(messages).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct WriteContext {
    pub(crate) base: Base,
    parallelism: Option<usize>,
}

context_base!(WriteContext);

impl WriteContext {
    pub(crate) fn new(table: FormatTable) -> Self {
        Self {
            base: Base::new(table),
            parallelism: None,
        }
    }

    /// How many files are encoded side by side; by default one for each processor.
    #[must_use]
    pub fn parallelism(mut self, files: usize) -> Self {
        self.parallelism = Some(files.max(1));
        self
    }

    /// A subset of the columns to write; refused when the writer is built.
    #[must_use]
    pub fn write_schema(mut self) -> Self {
        self.base.refuse(
            "a write schema",
            "its files hold all data columns",
            "write nulls in the other columns",
        );
        self
    }

    /// A prefix for the files of a postpone-bucket writer; refused when the writer is built.
    #[must_use]
    pub fn write_id(mut self, id: i32) -> Self {
        self.base.refuse(
            format!("write id {id}"),
            "it has no buckets",
            "leave it out",
        );
        self
    }

    /// Checks the settings and gives the writer.
    ///
    /// # Errors
    /// A refused setting, or a column that the table's format cannot write.
    pub fn build(self) -> Result<Box<dyn TableWrite>> {
        self.base.check()?;
        Ok(Box::new(FormatTableWrite::new(
            self.base.table,
            self.parallelism,
        )?))
    }
}
