//! What a reader left out because its options said so.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use ftable_core::{ErrorKind, FormatTableOptions};

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

/// What a reader has left out so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadMetrics {
    /// Files that were gone when they were opened, under `scan.ignore-lost-files`.
    pub lost_files: SkippedFiles,
    /// Files of which the rest could not be decoded, under `scan.ignore-corrupt-files`.
    pub corrupt_files: SkippedFiles,
}

impl ReadMetrics {
    /// One line for each kind of file that was left out.
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
        .collect()
    }
}

/// Collects the metrics while files are read.
#[derive(Debug, Default)]
pub(super) struct ReadLog {
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
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .metrics
            .clone()
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
