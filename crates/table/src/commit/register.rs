//! What the catalog is told of a commit, where it manages the table's partitions.
//!
//! It is told once, when the files are published and before the commit is decided. A catalog that refuses fails the
//! commit, which is then taken back. So is one whose answer is lost: then nobody knows whether the catalog has taken
//! note, and the error says what it may hold. An append adds to its counts and must not be sent twice. What replaces
//! counts, and what drops partitions, says the same a second time and is tried again.

use std::collections::BTreeMap;
use std::sync::Arc;

use ftable_catalog::{PartitionRegistry, PartitionSpec, PartitionStatistics};
use ftable_core::ErrorKind;
use snafu::ResultExt;

use super::intent::Intent;
use super::replace::persist_while;
use crate::error::{Error, RegistrationSnafu, Result};
use crate::format_table::FormatTable;
use crate::write::CommitMessage;

/// Partitions that a catalog takes in one request. Of more, a refusal may leave some that were taken.
const ONE_REQUEST: usize = 1000;

const UNCHANGED: &str = "the catalog is as it was";
const MAY_COUNT: &str = "if it did all the same, they are registered, and its statistics count rows that are not \
                         there: analyze them";
const MAY_HAVE_DROPPED: &str = "if it did all the same, their rows are there but are not seen: drop them again, or \
                                have repair add them";
const COUNTED: &str = "its statistics count rows that are not there: analyze them";
const DROPPED: &str =
    "their rows are there but are not seen: drop them again, or have repair add them";

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Partitions and what they hold more.
    Adds,
    /// Partitions and what they hold.
    Replaces,
    /// Partitions that are no more.
    Drops,
}

/// What the catalog is told of one commit.
#[derive(Debug)]
pub(super) struct Registration {
    registry: Arc<dyn PartitionRegistry>,
    kind: Kind,
    /// Sums over the published files, by directory.
    written: BTreeMap<String, PartitionStatistics>,
    /// A partition that is registered even without a file.
    named: Option<String>,
    /// When the commit was, in milliseconds since 1970: one reading of the clock for all of it.
    time: i64,
}

impl Registration {
    /// What is to be told of a commit; none where the catalog does not manage the partitions.
    ///
    /// # Errors
    /// A message whose directory is no partition.
    pub(super) fn of(
        table: &FormatTable,
        kind: Kind,
        messages: &[CommitMessage],
        named: Option<String>,
        intent: &Intent,
    ) -> Result<Option<Self>> {
        let Some(registry) = table.registry().cloned() else {
            return Ok(None);
        };
        let time = intent.created_millis;
        let mut written = BTreeMap::new();
        for message in messages {
            let path = message.directory();
            if !written.contains_key(path) {
                written.insert(path.to_owned(), empty(spec_of(table, path)?, time));
            }
            if let Some(sums) = written.get_mut(path) {
                sums.record_count = plus(sums.record_count, message.rows());
                sums.file_size_in_bytes = plus(sums.file_size_in_bytes, message.bytes());
                sums.file_count = plus(sums.file_count, 1);
            }
        }
        Ok(Some(Self {
            registry,
            kind,
            written,
            named,
            time,
        }))
    }

    /// Tells the catalog; `replaced` are the registered partitions whose rows the commit replaces.
    ///
    /// # Errors
    /// What the catalog said, and what it may hold now.
    pub(super) async fn send(
        &self,
        table: &FormatTable,
        replaced: &BTreeMap<String, PartitionSpec>,
    ) -> Result<()> {
        if self.kind == Kind::Drops {
            return self.send_drop(table, replaced).await;
        }
        let reported = self.reported(table, replaced)?;
        if reported.is_empty() {
            return Ok(());
        }
        let specs: Vec<_> = reported
            .values()
            .map(|statistics| statistics.spec.clone())
            .collect();
        let statistics: Vec<_> = reported.values().cloned().collect();
        let replaces = self.kind == Kind::Replaces;
        let create = || self.registry.create(&specs, true, &statistics, replaces);
        let told = match replaces {
            true => persist_while(may_pass, create).await,
            false => create().await,
        };
        match told {
            Ok(_) => Ok(()),
            Err(error) => Err(error).with_context(|error| RegistrationSnafu {
                table: table.name(),
                state: state(error, specs.len(), MAY_COUNT),
                partitions: reported.into_keys().collect::<Vec<_>>(),
            }),
        }
    }

    async fn send_drop(
        &self,
        table: &FormatTable,
        dropped: &BTreeMap<String, PartitionSpec>,
    ) -> Result<()> {
        if dropped.is_empty() {
            return Ok(());
        }
        let specs: Vec<_> = dropped.values().cloned().collect();
        let told = persist_while(may_pass, || self.registry.drop_partitions(&specs));
        match told.await {
            Ok(_) => Ok(()),
            Err(error) => Err(error).with_context(|error| RegistrationSnafu {
                table: table.name(),
                state: state(error, specs.len(), MAY_HAVE_DROPPED),
                partitions: dropped.keys().cloned().collect::<Vec<_>>(),
            }),
        }
    }

    /// Every partition that is told of, by its directory: what was written, and what holds nothing any more.
    fn reported(
        &self,
        table: &FormatTable,
        replaced: &BTreeMap<String, PartitionSpec>,
    ) -> Result<BTreeMap<String, PartitionStatistics>> {
        let mut reported = self.written.clone();
        for (path, spec) in replaced {
            if !reported.contains_key(path) {
                reported.insert(path.clone(), empty(spec.clone(), self.time));
            }
        }
        if let Some(named) = &self.named
            && !reported.contains_key(named)
        {
            reported.insert(named.clone(), empty(spec_of(table, named)?, self.time));
        }
        Ok(reported)
    }

    /// The error of a commit that was taken back after the catalog had taken note of it.
    pub(super) fn taken_back(&self, table: &FormatTable, source: Error) -> Error {
        let state = match self.kind {
            Kind::Adds | Kind::Replaces => COUNTED,
            Kind::Drops => DROPPED,
        };
        Error::AfterRegistration {
            table: table.name().to_owned(),
            state,
            source: Box::new(source),
        }
    }
}

/// Whether a request that says the same a second time may get its answer then, whatever became of the first.
fn may_pass(error: &ftable_catalog::Error) -> bool {
    error.kind() == ErrorKind::Unavailable
}

/// What the catalog may hold after it failed to answer that it took note.
fn state(error: &ftable_catalog::Error, partitions: usize, unknown: &'static str) -> &'static str {
    let is_refusal = matches!(
        error.kind(),
        ErrorKind::InvalidOption
            | ErrorKind::InvalidSchema
            | ErrorKind::InvalidPartition
            | ErrorKind::InvalidArgument
            | ErrorKind::NotFound
            | ErrorKind::AlreadyExists
            | ErrorKind::Conflict
            | ErrorKind::Unsupported
            | ErrorKind::TypeMismatch
            | ErrorKind::PermissionDenied
    );
    match is_refusal && partitions <= ONE_REQUEST {
        true => UNCHANGED,
        false => unknown,
    }
}

fn spec_of(table: &FormatTable, path: &str) -> Result<PartitionSpec> {
    table.codec().raw_spec(path).context(table.core())
}

/// A partition without a file.
fn empty(spec: PartitionSpec, time: i64) -> PartitionStatistics {
    PartitionStatistics {
        record_count: 0,
        file_size_in_bytes: 0,
        file_count: 0,
        last_file_creation_millis: time,
        ..PartitionStatistics::unknown(spec)
    }
}

/// A sum of which nothing is known as soon as one part is not.
fn plus(sum: i64, more: u64) -> i64 {
    let known = i64::try_from(more).ok().filter(|_| sum >= 0);
    known
        .and_then(|more| sum.checked_add(more))
        .unwrap_or(PartitionStatistics::UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_with_an_unknown_part_is_unknown() {
        assert_eq!(plus(1, 2), 3);
        assert_eq!(plus(0, 0), 0);
        assert_eq!(plus(-1, 2), -1);
        assert_eq!(plus(1, u64::MAX), -1);
        assert_eq!(plus(i64::MAX, 1), -1);
    }
}
