//! A plan: the splits, what is left to apply to rows, and what planning saw.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ftable_core::Predicate;
use ftable_io::path::join;
use serde::{Deserialize, Serialize};

use super::{FoundPartition, PartitionEntry, Split};

/// Examples kept of each kind of entry that was skipped.
const EXAMPLES: usize = 5;
/// What is told about values that look like another engine's NULL.
const NULL_MARKER: &str =
    "is read as text; where it stands for NULL, set 'partition.default-name' to its value";
const NULL_MARKERS: &str =
    "are read as text; where they stand for NULL, set 'partition.default-name' to their value";
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
        Self {
            version: VERSION,
            table: table.to_owned(),
            splits,
            residual,
            limit,
            metrics,
        }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SkipReason {
    /// A directory whose name is not that of a partition of the next key.
    NotAPartition,
    /// A file above the partitions.
    StrayFile,
}

/// Entries that planning has a word to say about: skipped for one reason, or read as they may not be meant.
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
    /// Directories of a value that other engines write for NULL, but this table reads as text.
    #[serde(default)]
    pub null_markers: Skipped,
    /// Partitions that the catalog has registered and that have no directory: they are read as empty.
    #[serde(default)]
    pub missing_directories: Skipped,
    /// Directories of partitions that the catalog has not registered, where it has registered none at all: a table
    /// whose partitions it has come to manage later reads as empty until they are.
    #[serde(default)]
    pub unregistered: Skipped,
}

impl PlanMetrics {
    /// One line for each kind of entry that was skipped, or read as text, and that somebody may miss.
    pub fn warnings(&self) -> Vec<String> {
        let kinds = [
            (
                &self.not_partitions,
                "is no partition of the next key and was skipped",
                "are no partitions of the next key and were skipped",
            ),
            (
                &self.stray_files,
                "lies above the partitions and was skipped",
                "lie above the partitions and were skipped",
            ),
            (&self.null_markers, NULL_MARKER, NULL_MARKERS),
            (
                &self.missing_directories,
                "is registered without a directory and is read as empty",
                "are registered without a directory and are read as empty",
            ),
            (
                &self.unregistered,
                "is not read, as the catalog has no partition registered; repair with add registers it",
                "are not read, as the catalog has no partition registered; repair with add registers them",
            ),
        ];
        let told = kinds
            .into_iter()
            .filter(|(skipped, _, _)| skipped.count > 0);
        told.map(|(skipped, one, many)| {
            let names = skipped.examples.join(", ");
            match skipped.count {
                1 => format!("{names} {one}"),
                count if count > skipped.examples.len() as u64 => {
                    format!("{count} entries {many}, among them {names}")
                }
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
    seen: Mutex<Seen>,
}

/// The entries of each kind.
#[derive(Debug, Default, Clone)]
struct Seen {
    not_partitions: Skipped,
    stray_files: Skipped,
    null_markers: Skipped,
    missing_directories: Skipped,
    unregistered: Skipped,
}

impl Skipped {
    fn add(&mut self, directory: &str, name: &str) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(join(directory, name));
        }
    }

    /// Directories are listed side by side, so the examples come in any order.
    fn sorted(mut self) -> Self {
        self.examples.sort_unstable();
        self
    }
}

impl PlanLog {
    pub(super) fn count_entry(&self, entry: &PartitionEntry) {
        self.partitions.fetch_add(1, Ordering::Relaxed);
        self.files.fetch_add(entry.file_count, Ordering::Relaxed);
        self.bytes.fetch_add(entry.total_bytes, Ordering::Relaxed);
    }

    pub(super) fn listings(&self) -> &Arc<AtomicU64> {
        &self.listings
    }

    pub(super) fn count(&self, partition: &FoundPartition) {
        self.partitions.fetch_add(1, Ordering::Relaxed);
        self.files
            .fetch_add(partition.files.len() as u64, Ordering::Relaxed);
        self.bytes.fetch_add(
            partition.files.iter().map(|file| file.size).sum(),
            Ordering::Relaxed,
        );
    }

    pub(super) fn skip_hidden(&self) {
        self.hidden.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn skip_pruned(&self) {
        self.pruned.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn skip(&self, reason: SkipReason, directory: &str, name: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match reason {
            SkipReason::NotAPartition => seen.not_partitions.add(directory, name),
            SkipReason::StrayFile => seen.stray_files.add(directory, name),
        }
    }

    /// A directory whose value is another engine's marker of NULL.
    pub(super) fn see_null_marker(&self, directory: &str, name: &str) {
        self.see(|seen| seen.null_markers.add(directory, name));
    }

    /// A registered partition without a directory.
    pub(super) fn see_missing(&self, path: &str) {
        self.see(|seen| seen.missing_directories.add("", path));
    }

    /// The directory of a partition that is not registered.
    pub(super) fn see_unregistered(&self, path: &str) {
        self.see(|seen| seen.unregistered.add("", path));
    }

    fn see(&self, add: impl FnOnce(&mut Seen)) {
        add(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn metrics(&self, splits: usize) -> PlanMetrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let seen = self
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        PlanMetrics {
            directories_listed: read(&self.listings),
            partitions: read(&self.partitions),
            files: read(&self.files),
            bytes: read(&self.bytes),
            splits: splits as u64,
            directories_pruned: read(&self.pruned),
            hidden: read(&self.hidden),
            not_partitions: seen.not_partitions.sorted(),
            stray_files: seen.stray_files.sorted(),
            null_markers: seen.null_markers.sorted(),
            missing_directories: seen.missing_directories.sorted(),
            unregistered: seen.unregistered.sorted(),
        }
    }
}
