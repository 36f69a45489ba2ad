//! What a reader left out because its options said so, and which records were not as declared.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ftable_core::{ErrorKind, FormatTableOptions};
use ftable_formats::RecordCounts;

use crate::error::Error;
use crate::format_table::FormatTable;

/// Files kept as examples of each kind.
const EXAMPLES: usize = 5;

/// Files that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkippedFiles {
    /// How many.
    pub count: u64,
    /// The first few, relative to the table.
    pub examples: Vec<String>,
}

/// Records of csv and json files that were not as the table declares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordMetrics {
    /// Records with fewer fields than columns: the missing ones are NULL.
    pub short: u64,
    /// Records with more fields than columns: the surplus is not read.
    pub long: u64,
    /// Records with a value that cannot be read, which was made NULL.
    pub malformed: u64,
    /// Records that were left out because they cannot be read.
    pub dropped: u64,
}

impl RecordMetrics {
    fn of(counts: &RecordCounts) -> Self {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Self {
            short: read(&counts.short),
            long: read(&counts.long),
            malformed: read(&counts.malformed),
            dropped: read(&counts.dropped),
        }
    }

    fn warnings(&self) -> impl Iterator<Item = String> {
        let kinds = [
            (
                self.short,
                "fewer fields than columns: the missing ones are NULL",
            ),
            (
                self.long,
                "more fields than columns: the surplus was not read",
            ),
            (
                self.malformed,
                "a value that cannot be read, and NULL in its place",
            ),
        ];
        let with = kinds.into_iter().map(|(count, what)| match count {
            1 => format!("1 record has {what}"),
            count => format!("{count} records have {what}"),
        });
        let dropped = match self.dropped {
            1 => "1 record cannot be read and was left out".to_owned(),
            count => format!("{count} records cannot be read and were left out"),
        };
        let told = [self.short, self.long, self.malformed, self.dropped];
        with.chain([dropped])
            .zip(told)
            .filter(|(_, count)| *count > 0)
            .map(|(text, _)| text)
    }
}

/// What a reader has met so far that is not as the table says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadMetrics {
    /// Files that were gone when they were opened, under `scan.ignore-lost-files`.
    pub lost_files: SkippedFiles,
    /// Files of which the rest could not be decoded, under `scan.ignore-corrupt-files`.
    pub corrupt_files: SkippedFiles,
    /// Records of csv and json files.
    pub records: RecordMetrics,
}

impl ReadMetrics {
    /// One line for each kind of file that was left out, and of record that is not as the table declares.
    pub fn warnings(&self) -> Vec<String> {
        let kinds = [
            (&self.lost_files, "gone and left out"),
            (
                &self.corrupt_files,
                "corrupt, and what could not be read was left out",
            ),
        ];
        let told = kinds.into_iter().filter(|(files, _)| files.count > 0);
        told.map(|(files, what)| {
            let were = if files.count == 1 {
                "file was"
            } else {
                "files were"
            };
            format!(
                "{} {were} {what}: {}",
                files.count,
                files.examples.join(", ")
            )
        })
        .chain(self.records.warnings())
        .collect()
    }
}

/// Collects the metrics while files are read.
#[derive(Debug, Default)]
pub(super) struct ReadLog {
    records: Arc<RecordCounts>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    metrics: ReadMetrics,
    /// Paths that were counted: a file that is read in ranges fails once for each.
    counted: HashSet<String>,
}

impl ReadLog {
    pub(super) fn metrics(&self) -> ReadMetrics {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        ReadMetrics {
            records: RecordMetrics::of(&self.records),
            ..state.metrics.clone()
        }
    }

    /// Where records are counted.
    pub(super) fn records(&self) -> &Arc<RecordCounts> {
        &self.records
    }

    /// Notes a file that an option lets be left out.
    ///
    /// # Errors
    /// An error that no option covers.
    pub(super) fn forgive(
        &self,
        table: &FormatTable,
        path: &str,
        error: Error,
    ) -> Result<(), Error> {
        let options: &FormatTableOptions = table.options();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { metrics, counted } = &mut *state;
        let skipped = match error.kind() {
            ErrorKind::NotFound if options.ignore_lost_files => &mut metrics.lost_files,
            ErrorKind::CorruptFile if options.ignore_corrupt_files => &mut metrics.corrupt_files,
            _ => return Err(error),
        };
        if counted.insert(path.to_owned()) {
            skipped.count += 1;
            if skipped.examples.len() < EXAMPLES {
                let name = ftable_io::contained(table.root(), path);
                skipped
                    .examples
                    .push(name.unwrap_or_else(|| path.to_owned()));
            }
        }
        Ok(())
    }
}
