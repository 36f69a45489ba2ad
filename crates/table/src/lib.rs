//! Format tables: a directory of files of one format in Hive layout, read and written as one table.
//!
//! A [`FormatTable`] is opened from a catalog's [`LoadedTable`](ftable_catalog::LoadedTable) or from a path. It
//! gives a context for each operation, and each context builds the generic trait that does it:
//!
//! | context | builds | the way of the data |
//! | --- | --- | --- |
//! | [`ScanContext`] | [`TableScan`] | directories → partitions → files → splits |
//! | [`ReadContext`] | [`TableRead`] | split → file → columns → batches |
//! | [`WriteContext`] | [`TableWrite`] | batch → partitions → staged files → messages |
//! | [`CommitContext`] | [`TableCommit`] | messages → visible files |
//! | [`PartitionContext`] | [`TablePartitions`] | directories ⇄ what a catalog has registered |
//!
//! A directory that has no schema yet is given one by [`infer_schema`].
//!
//! What implements the traits stays private, so that another kind of table can be added without a break.

#![deny(missing_docs)]

mod catalog_ext;
mod commit;
mod context;
mod error;
mod format_table;
mod infer;
mod partitions;
mod read;
mod scan;
mod value;
mod write;

pub use catalog_ext::CatalogExt;
pub use commit::{CommitReport, RepairOptions, RepairReport, TableCommit};
pub use context::{CommitContext, PartitionContext, ReadContext, ScanContext, WriteContext};
pub use error::{Error, Result};
pub use format_table::{FormatTable, FormatTableBuilder};
pub use infer::{InferOptions, Inferred, infer_schema};
pub use partitions::{AddedPartitions, PartitionRepair, PartitionRepairReport, TablePartitions};
pub use read::{
    BatchStream, ReadMetrics, RecordMetrics, SkippedFiles, TableRead, VALUE_KIND_FIELD,
};
pub use scan::{FileSlice, PartitionEntry, Plan, PlanMetrics, Skipped, Split, TableScan};
pub use value::datum_at;
pub use write::{CommitMessage, TableWrite};
