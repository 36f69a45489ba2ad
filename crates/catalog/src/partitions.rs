//! Partitions whose existence the catalog decides, not the directory tree.

use std::fmt::Debug;

use async_trait::async_trait;
use ftable_core::Predicate;

use crate::Result;

/// The values of one partition, or of a leading part of its keys, in the order of the table's
/// partition keys.
///
/// Values are raw text, never escaped as in a path; NULL is the table's `partition.default-name`.
pub type PartitionSpec = Vec<(String, String)>;

/// What is known about the content of one partition.
///
/// A negative number means unknown, zero is an exact zero (Paimon `PartitionStatistics`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionStatistics {
    /// The partition that the numbers describe: all keys of the table.
    pub spec: PartitionSpec,
    /// Rows of the partition.
    pub record_count: i64,
    /// Bytes of the partition's data files.
    pub file_size_in_bytes: i64,
    /// Number of data files.
    pub file_count: i64,
    /// When the newest data file was made, in milliseconds since the epoch.
    pub last_file_creation_millis: i64,
    /// Number of buckets; a format table has none and reports
    /// [`UNKNOWN`](Self::UNKNOWN).
    pub total_buckets: i32,
}

impl PartitionStatistics {
    /// The number that stands for "not known".
    pub const UNKNOWN: i64 = -1;

    /// Statistics of `spec` in which nothing is known yet.
    pub fn unknown(spec: PartitionSpec) -> Self {
        Self {
            spec,
            record_count: Self::UNKNOWN,
            file_size_in_bytes: Self::UNKNOWN,
            file_count: Self::UNKNOWN,
            last_file_creation_millis: Self::UNKNOWN,
            total_buckets: -1,
        }
    }
}

/// A partition as the registry lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredPartition {
    /// The partition and what is known about its content.
    pub statistics: PartitionStatistics,
    /// Whether the partition was marked as complete.
    pub done: bool,
}

/// What became of the partitions that were to be registered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CreatedPartitions {
    /// Registered by this call.
    pub created: Vec<PartitionSpec>,
    /// Registered before.
    pub existed: Vec<PartitionSpec>,
}

/// What became of the partitions that were to be unregistered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DroppedPartitions {
    /// Unregistered by this call.
    pub dropped: Vec<PartitionSpec>,
    /// Were not registered.
    pub missing: Vec<PartitionSpec>,
}

/// The partitions of one table whose visibility the catalog decides
/// (`metastore.partitioned-table` = `true`).
///
/// A directory that is not registered is invisible, a registered partition without a directory is
/// empty. A registry never touches files, and its errors are never answered by listing
/// directories instead.
#[async_trait]
pub trait PartitionRegistry: Send + Sync + Debug + 'static {
    /// The registered partitions that begin with the values of `prefix` and may match `filter`.
    ///
    /// An empty prefix leaves all in. The answer may hold more than what matches: a registry may
    /// compare text where the table compares typed values, so the caller checks again.
    ///
    /// # Errors
    /// When the catalog cannot be asked or its answer makes no sense.
    async fn list(
        &self,
        prefix: &[(String, String)],
        filter: Option<&Predicate>,
    ) -> Result<Vec<RegisteredPartition>>;

    /// Those of `specs` that are registered, each once.
    ///
    /// # Errors
    /// When the catalog cannot be asked or its answer makes no sense.
    async fn list_by_names(&self, specs: &[PartitionSpec]) -> Result<Vec<RegisteredPartition>>;

    /// Registers `specs` and reports `statistics` in the same request.
    ///
    /// With `ignore_existing` = false nothing is registered when one of them already is. Every
    /// statistic is about one of `specs`, no spec has two. With `replace_statistics` the numbers
    /// take the place of the stored ones (an overwrite), without it they are added (an append),
    /// which makes the request one that must not be sent twice.
    ///
    /// # Errors
    /// `AlreadyExists` when one is registered and `ignore_existing` is false, `InvalidArgument`
    /// for statistics that do not fit `specs`, and when the catalog cannot be asked.
    async fn create(
        &self,
        specs: &[PartitionSpec],
        ignore_existing: bool,
        statistics: &[PartitionStatistics],
        replace_statistics: bool,
    ) -> Result<CreatedPartitions>;

    /// Unregisters `specs`; those that are not registered are reported, not refused.
    ///
    /// Not called `drop`: on an `Arc` that name is taken by the destructor.
    ///
    /// # Errors
    /// When the catalog cannot be asked.
    async fn drop_partitions(&self, specs: &[PartitionSpec]) -> Result<DroppedPartitions>;
}
