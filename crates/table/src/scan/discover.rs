//! Directories → partitions: level by level, with typed values, pruned before descending.

use std::sync::Arc;

use ftable_core::partition::DirectoryName;
use ftable_core::predicate::{BoundPredicate, Known};
use ftable_core::Datum;
use ftable_io::RawEntry;
use ftable_io::data_files::list_data_files;
use ftable_io::walk::{Guide, LeafFile, Visit, WalkOptions, walk};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::plan::{PlanLog, SkipReason};
use crate::error::{DirectorySnafu, Error, Result};
use crate::format_table::FormatTable;

/// A partition and its data files.
#[derive(Debug)]
pub(crate) struct FoundPartition {
    pub(crate) values: Vec<Option<Datum>>,
    /// The directory relative to the table; empty for the whole of an unpartitioned table.
    pub(crate) path: String,
    /// Names relative to the directory.
    pub(crate) files: Vec<LeafFile>,
}

/// What to discover.
pub(super) struct Discovery {
    table: FormatTable,
    filter: Option<BoundPredicate>,
    list_files: bool,
}

impl Discovery {
    pub(super) fn new(table: FormatTable, filter: Option<BoundPredicate>, list_files: bool) -> Self {
        Self { table, filter, list_files }
    }

    /// Partitions as they are found.
    pub(super) fn stream(self, log: &Arc<PlanLog>) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
        if self.table.codec().is_partitioned() { self.partitions(log) } else { self.whole_table(log) }
    }

    fn whole_table(self, log: &Arc<PlanLog>) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
        // A filter without columns may still be false.
        if self.filter.is_some_and(|filter| !filter.might_match(&|_| Known::Unknown)) {
            return stream::empty().boxed();
        }
        log.listings().fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let table = self.table;
        stream::once(async move {
            let root = table.root();
            let listed = list_data_files(&**table.file_system(), root, table.protected_names()).await;
            let files = listed.context(table.io())?.into_iter().map(|file| LeafFile {
                name: relative_name(root, &file.path).into(),
                size: file.size,
                modified_millis: file.modified_millis,
            });
            Ok(vec![FoundPartition { values: Vec::new(), path: String::new(), files: files.collect() }])
        })
        .boxed()
    }

    fn partitions(self, log: &Arc<PlanLog>) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
        let options = WalkOptions {
            parallelism: self.table.options().list_parallelism,
            list_leaves: self.list_files,
            listings: Arc::clone(log.listings()),
        };
        let table = self.table.name().to_owned();
        let guide = PartitionGuide { table: self.table.clone(), filter: self.filter, log: Arc::clone(log) };
        let (file_system, root) = (Arc::clone(self.table.file_system()), self.table.root());
        walk(file_system, root, Vec::new(), Arc::new(guide), options)
            .map_ok(|leaves| {
                let found = leaves.into_iter().map(|leaf| FoundPartition {
                    values: leaf.node,
                    path: leaf.path,
                    files: leaf.files,
                });
                found.collect()
            })
            .map_err(move |failure| failure.in_table(&table))
            .boxed()
    }
}

fn relative_name<'a>(root: &str, path: &'a str) -> &'a str {
    path.strip_prefix(root).unwrap_or(path).trim_start_matches('/')
}

/// Reads directory names as partition values and goes where the filter may still match.
struct PartitionGuide {
    table: FormatTable,
    filter: Option<BoundPredicate>,
    log: Arc<PlanLog>,
}

/// What ends a walk.
enum Failure {
    Listing(ftable_io::Error),
    Name(Error),
}

impl Failure {
    fn in_table(self, table: &str) -> Error {
        match self {
            Self::Listing(source) => Error::Io { table: table.to_owned(), source },
            Self::Name(error) => error,
        }
    }
}

impl From<ftable_io::Error> for Failure {
    fn from(source: ftable_io::Error) -> Self {
        Self::Listing(source)
    }
}

impl Guide for PartitionGuide {
    /// The values of the keys above and at the directory.
    type Node = Vec<Option<Datum>>;
    type Error = Failure;

    fn visit(
        &self,
        parent: &Self::Node,
        directory: &str,
        entry: RawEntry<'_>,
    ) -> Result<Visit<Self::Node>, Failure> {
        let (codec, level) = (self.table.codec(), parent.len());
        let raw = match codec.read_name(level, entry.name) {
            DirectoryName::Hidden => {
                self.log.skip_hidden();
                return Ok(Visit::Skip);
            }
            _ if !entry.is_dir => {
                self.log.skip(SkipReason::StrayFile, directory, entry.name);
                return Ok(Visit::Skip);
            }
            DirectoryName::Foreign(_) => {
                self.log.skip(SkipReason::NotAPartition, directory, entry.name);
                return Ok(Visit::Skip);
            }
            DirectoryName::Value(raw) => raw,
        };
        let value = codec.parse(level, &raw).with_context(|_| DirectorySnafu {
            table: self.table.name(),
            directory: if directory.is_empty() { entry.name.to_owned() } else { format!("{directory}/{}", entry.name) },
        });
        let value = value.map_err(Failure::Name)?;
        if let Some(filter) = &self.filter {
            let known = |column: usize| match parent.get(column) {
                Some(bound) => Known::from(bound),
                None if column == level => Known::from(&value),
                None => Known::Unknown,
            };
            if !filter.might_match(&known) {
                self.log.skip_pruned();
                return Ok(Visit::Skip);
            }
        }
        let mut values = Vec::with_capacity(codec.len());
        values.extend_from_slice(parent);
        values.push(value);
        Ok(if values.len() == codec.len() { Visit::Leaf(values) } else { Visit::Descend(values) })
    }
}
