//! A plan: the splits, what is left to apply to rows, and what planning saw.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ftable_core::Predicate;
use serde::{Deserialize, Serialize};

use super::{FoundPartition, Split};

/// Examples kept of each kind of entry that was skipped.
const EXAMPLES: usize = 5;
/// The form of a serialized plan.
const VERSION: u32 = 1;

/// The files that hold the rows asked for.
///
/// A plan can be serialized: one process plans, others read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    version: u32,
    table: String,
    splits: Vec<Split>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    residual: Option<Predicate>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    limit: Option<u64>,
    #[serde(default)]
    metrics: PlanMetrics,
}

impl Plan {
    pub(super) fn new(
        table: &str,
        splits: Vec<Split>,
        residual: Option<Predicate>,
        limit: Option<u64>,
        metrics: PlanMetrics,
    ) -> Self {
        Self { version: VERSION, table: table.to_owned(), splits, residual, limit, metrics }
    }

    /// The splits, partition by partition.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// The filter that the reader still applies to every row; none where directories decided everything.
    pub fn residual(&self) -> Option<&Predicate> {
        self.residual.as_ref()
    }

    /// At most this many rows over all splits.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// What planning saw and skipped.
    pub fn metrics(&self) -> &PlanMetrics {
        &self.metrics
    }

    /// How many files the splits read; a file that is cut counts once for each range.
    pub fn file_count(&self) -> usize {
        self.splits.iter().map(|split| split.files().len()).sum()
    }

    /// Whether the form is one this version reads.
    pub(crate) fn is_readable(&self) -> bool {
        self.version == VERSION
    }
}

/// Why an entry of a directory is not part of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// A directory whose name is not that of a partition of the next key.
    NotAPartition,
    /// A file above the partitions.
    StrayFile,
}

/// Entries that were skipped for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The first few, as paths relative to the table.
    pub examples: Vec<String>,
}

/// What planning did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanMetrics {
    /// Directories that were listed.
    pub directories_listed: u64,
    /// Partitions that were selected.
    pub partitions: u64,
    /// Data files that were found in them.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Splits they were packed into.
    pub splits: u64,
    /// Directories left out because the filter excludes their values.
    pub directories_pruned: u64,
    /// Hidden entries above the partitions.
    pub hidden: u64,
    /// Directories that are no partition of the next key.
    pub not_partitions: Skipped,
    /// Files above the partitions.
    pub stray_files: Skipped,
}

impl PlanMetrics {
    /// One line for each kind of entry that was skipped and that somebody may miss.
    pub fn warnings(&self) -> Vec<String> {
        let kinds = [
            (&self.not_partitions, "is no partition of the next key and was skipped", "are no partitions of the next key and were skipped"),
            (&self.stray_files, "lies above the partitions and was skipped", "lie above the partitions and were skipped"),
        ];
        let told = kinds.into_iter().filter(|(skipped, _, _)| skipped.count > 0);
        told.map(|(skipped, one, many)| {
            let names = skipped.examples.join(", ");
            match skipped.count {
                1 => format!("{names} {one}"),
                count if count > skipped.examples.len() as u64 => format!("{count} entries {many}, among them {names}"),
                count => format!("{count} entries {many}: {names}"),
            }
        })
        .collect()
    }
}

/// Collects the metrics while a plan is made.
#[derive(Debug, Default)]
pub(crate) struct PlanLog {
    listings: Arc<AtomicU64>,
    partitions: AtomicU64,
    files: AtomicU64,
    bytes: AtomicU64,
    pruned: AtomicU64,
    hidden: AtomicU64,
    skipped: Mutex<(Skipped, Skipped)>,
}

impl PlanLog {
    pub(super) fn listings(&self) -> &Arc<AtomicU64> {
        &self.listings
    }

    pub(super) fn count(&self, partition: &FoundPartition) {
        self.partitions.fetch_add(1, Ordering::Relaxed);
        self.files.fetch_add(partition.files.len() as u64, Ordering::Relaxed);
        self.bytes.fetch_add(partition.files.iter().map(|file| file.size).sum(), Ordering::Relaxed);
    }

    pub(super) fn skip_hidden(&self) {
        self.hidden.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn skip_pruned(&self) {
        self.pruned.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn skip(&self, reason: SkipReason, directory: &str, name: &str) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = match reason {
            SkipReason::NotAPartition => &mut skipped.0,
            SkipReason::StrayFile => &mut skipped.1,
        };
        skipped.count += 1;
        if skipped.examples.len() < EXAMPLES {
            let path = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
            skipped.examples.push(path);
        }
    }

    pub(super) fn metrics(&self, splits: usize) -> PlanMetrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (mut not_partitions, mut stray_files) =
            self.skipped.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Directories are listed side by side, so the examples come in any order.
        not_partitions.examples.sort_unstable();
        stray_files.examples.sort_unstable();
        PlanMetrics {
            directories_listed: read(&self.listings),
            partitions: read(&self.partitions),
            files: read(&self.files),
            bytes: read(&self.bytes),
            splits: splits as u64,
            directories_pruned: read(&self.pruned),
            hidden: read(&self.hidden),
            not_partitions,
            stray_files,
        }
    }
}
