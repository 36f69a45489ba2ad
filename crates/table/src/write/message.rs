//! What a writer hands to the committer.

use serde::{Deserialize, Serialize};

/// The form of a serialized message.
const VERSION: u32 = 1;

/// A staged file, and where it belongs.
///
/// Messages can be serialized: many writers in many processes hand theirs to one committer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitMessage {
    version: u32,
    /// The table's location in its normal form.
    table: String,
    /// The partition's directory relative to the table; empty for an unpartitioned table.
    partition: String,
    /// The staged file relative to the table.
    staged: String,
    /// The file's place once it is published, relative to the table.
    target: String,
    rows: u64,
    bytes: u64,
}

impl CommitMessage {
    pub(super) fn new(
        table: String,
        partition: &str,
        staged: String,
        target: String,
        rows: u64,
        bytes: u64,
    ) -> Self {
        Self {
            version: VERSION,
            table,
            partition: partition.to_owned(),
            staged,
            target,
            rows,
            bytes,
        }
    }

    /// The partition's directory relative to the table; `None` for an unpartitioned table.
    pub fn partition(&self) -> Option<&str> {
        (!self.partition.is_empty()).then_some(self.partition.as_str())
    }

    /// Where the file will be, relative to the table.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Rows in the file.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn staged(&self) -> &str {
        &self.staged
    }

    pub(crate) fn table(&self) -> &str {
        &self.table
    }

    pub(crate) fn directory(&self) -> &str {
        &self.partition
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.version == VERSION
    }
}
