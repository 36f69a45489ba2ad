//! Format tables for Rust.
//!
//! A format table is a directory of files of one format in Hive layout: no snapshots, no manifests, the files are
//! the table. Reading lists directories, writing adds files. The semantics are Apache Paimon's, so Java
//! Paimon, Spark, Hive, Trino, DuckDB and pyarrow can share one directory.
//!
//! ```
//! use ftable::{CatalogExt, FormatTable};
//! use futures::TryStreamExt;
//! # use std::sync::Arc;
//! # use arrow_array::{Date32Array, Int64Array, RecordBatch};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let warehouse = tempfile::tempdir()?;
//! # let warehouse = warehouse.path().to_str().ok_or("not UTF-8")?;
//! let catalog = ftable_catalog::open([("warehouse", warehouse)].into_iter().collect()).await?;
//! let schema = ftable::Schema::builder()
//!     .column("id", "BIGINT NOT NULL")?
//!     .column("dt", "DATE")?
//!     .partition_by(["dt"])
//!     .build()?;
//! catalog.create_database("db", true).await?;
//! catalog.create_format_table(&"db.events".parse()?, &schema, None, false).await?;
//!
//! let table: FormatTable = catalog.get_format_table(&"db.events".parse()?).await?;
//! # let batch = RecordBatch::try_from_iter([
//! #     ("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _),
//! #     ("dt", Arc::new(Date32Array::from(vec![19723, 19724, 19724])) as _),
//! # ])?;
//! let mut write = table.write().build()?; // rows go to the partitions their columns name
//! write.write(batch).await?;
//! let messages = write.prepare_commit().await?;
//! table.commit().build()?.commit(messages).await?;
//!
//! let plan = table.scan().filter(ftable::col("dt").gt_eq("2024-01-02")).build()?.plan().await?;
//! let batches = table.read().columns(["id"]).value_kind(false).build()?.stream(&plan)?;
//! let rows: usize = batches.try_fold(0, |rows, batch| async move { Ok(rows + batch.num_rows()) }).await?;
//! assert_eq!(rows, 2);
//! # Ok(())
//! # }
//! ```

#![deny(missing_docs)]

pub use ftable_catalog::Catalog;
pub use ftable_core::{ErrorKind, Identifier, Options, Predicate, Schema, col};
pub use ftable_io::FileSystem;
pub use ftable_table::{
    AddedPartitions, BatchStream, CatalogExt, CommitContext, CommitMessage, CommitReport, Error,
    FileSlice, FormatTable, FormatTableBuilder, InferOptions, Inferred, PartitionContext,
    PartitionEntry, PartitionRepair, PartitionRepairReport, Plan, PlanMetrics, ReadContext,
    ReadMetrics, RecordMetrics, RepairOptions, RepairReport, Result, ScanContext, Skipped,
    SkippedFiles, Split, TableCommit, TablePartitions, TableRead, TableScan, TableWrite,
    WriteContext,
};
