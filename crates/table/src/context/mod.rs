//! One builder for each operation: settings are collected, and checked when the operation is built.
//!
//! The generic settings of other table kinds are accepted and, where a format table cannot act on one, refused by
//! name: what was asked, why a format table cannot, and what to use instead. Left at its default a setting is
//! never refused.

mod commit;
mod partitions;
mod read;
mod scan;
mod write;

pub use commit::CommitContext;
pub use partitions::PartitionContext;
pub use read::ReadContext;
pub use scan::ScanContext;
pub use write::WriteContext;

use crate::error::{RefusedSnafu, Result};
use crate::format_table::FormatTable;

/// A setting that a format table cannot act on.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    what: String,
    reason: &'static str,
    instead: &'static str,
}

/// What every context collects.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    pub(crate) table: FormatTable,
    refusals: Vec<Refusal>,
}

const NO_SNAPSHOTS: &str = "it keeps no snapshots and no manifests";

impl Base {
    pub(crate) fn new(table: FormatTable) -> Self {
        Self {
            table,
            refusals: Vec::new(),
        }
    }

    pub(crate) fn refuse(
        &mut self,
        what: impl Into<String>,
        reason: &'static str,
        instead: &'static str,
    ) {
        self.refusals.push(Refusal {
            what: what.into(),
            reason,
            instead,
        });
    }

    /// A branch other than the main one.
    pub(crate) fn refuse_branch(&mut self, branch: &str) {
        if !branch.eq_ignore_ascii_case("main") {
            self.refuse(
                format!("branch '{branch}'"),
                "it keeps no metadata to branch",
                "leave the branch out, or keep the other data in a table of its own",
            );
        }
    }

    pub(crate) fn refuse_streaming(&mut self, streaming: bool) {
        if streaming {
            self.refuse(
                "streaming mode",
                NO_SNAPSHOTS,
                "plan again to see files that were added",
            );
        }
    }

    /// The first setting that was refused.
    pub(crate) fn check(&self) -> Result<()> {
        match self.refusals.first().cloned() {
            None => Ok(()),
            Some(Refusal {
                what,
                reason,
                instead,
            }) => RefusedSnafu {
                what,
                reason,
                instead,
            }
            .fail(),
        }
    }
}

/// Implements what every context has: opening from a path, and the settings that all of them refuse.
macro_rules! context_base {
    ($context:ident) => {
        impl $context {
            /// A context of the table at a path, whose schema lies under it.
            ///
            /// # Errors
            /// As [`FormatTable::open`].
            pub async fn open(
                location: &str,
                options: ftable_core::Options,
            ) -> $crate::error::Result<Self> {
                Ok(Self::new(FormatTable::open(location, options).await?))
            }

            /// Options of this call alone. They win over the table's, except `type`.
            ///
            /// # Errors
            /// A value that cannot be honoured, or an option that cannot change from call to call.
            pub fn options(
                mut self,
                options: &ftable_core::Options,
            ) -> $crate::error::Result<Self> {
                self.base.table = self.base.table.with_options(options)?;
                Ok(self)
            }

            /// A branch; any but `main` is refused when the operation is built.
            #[must_use]
            pub fn branch(mut self, branch: &str) -> Self {
                self.base.refuse_branch(branch);
                self
            }

            /// Streaming mode; refused when the operation is built, as a format table has no snapshots.
            #[must_use]
            pub fn streaming_mode(mut self, streaming: bool) -> Self {
                self.base.refuse_streaming(streaming);
                self
            }
        }
    };
}
pub(crate) use context_base;
