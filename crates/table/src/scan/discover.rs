//! Directories → partitions: level by level, with typed values, pruned before descending.

use std::sync::Arc;

use ftable_core::Datum;
use ftable_core::partition::DirectoryName;
use ftable_core::predicate::{BoundPredicate, Known};
use ftable_io::RawEntry;
use ftable_io::data_files::list_data_files;
use ftable_io::path::join;
use ftable_io::walk::{Guide, LeafFile, Visit, WalkOptions, walk};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::plan::{PlanLog, SkipReason};
use super::registered;
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
    /// Whether directories are looked for although the catalog says which partitions exist.
    of_directories: bool,
}

impl Discovery {
    pub(super) fn new(
        table: FormatTable,
        filter: Option<BoundPredicate>,
        list_files: bool,
    ) -> Self {
        Self {
            table,
            filter,
            list_files,
            of_directories: false,
        }
    }

    /// Looks for directories, whatever the catalog says.
    pub(super) fn of_directories(mut self) -> Self {
        self.of_directories = true;
        self
    }

    /// Partitions as they are found.
    pub(super) fn stream(
        self,
        log: &Arc<PlanLog>,
    ) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
        // A filter may be false whatever the values are.
        if self
            .filter
            .as_ref()
            .is_some_and(|filter| !filter.might_match(&|_| Known::Unknown))
        {
            return stream::empty().boxed();
        }
        if !self.table.codec().is_partitioned() {
            return self.whole_table(log);
        }
        match self.table.registry().cloned() {
            Some(registry) if !self.of_directories => {
                registered::stream(self.table, registry, self.filter, Arc::clone(log))
            }
            _ => self.partitions(log),
        }
    }

    fn whole_table(self, log: &Arc<PlanLog>) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
        log.listings()
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let table = self.table;
        stream::once(async move {
            let root = table.root();
            let listed =
                list_data_files(&**table.file_system(), root, table.protected_names()).await;
            let files = listed
                .context(table.io())?
                .into_iter()
                .map(|file| LeafFile {
                    name: relative_name(root, &file.path).into(),
                    size: file.size,
                    modified_millis: file.modified_millis,
                });
            Ok(vec![FoundPartition {
                values: Vec::new(),
                path: String::new(),
                files: files.collect(),
            }])
        })
        .boxed()
    }

    fn partitions(self, log: &Arc<PlanLog>) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
        let options = WalkOptions {
            parallelism: self.table.options().list_parallelism,
            list_leaves: self.list_files,
            // A filter on the first key leaves out whole subtrees; on another key it leaves out directories that a
            // descent would have to list one by one.
            prefer_flat: !self
                .filter
                .as_ref()
                .is_some_and(|filter| filter.columns().contains(&0)),
            listings: Arc::clone(log.listings()),
        };
        let table = self.table.name().to_owned();
        let guide = PartitionGuide {
            table: self.table.clone(),
            filter: self.filter,
            log: Arc::clone(log),
        };
        let (file_system, root) = (Arc::clone(self.table.file_system()), self.table.root());
        walk(file_system, root, Node::default(), Arc::new(guide), options)
            .map_ok(|leaves| {
                let found = leaves.into_iter().map(|leaf| FoundPartition {
                    values: leaf.node.values,
                    path: leaf.path,
                    files: leaf.files,
                });
                found.collect()
            })
            .map_err(move |failure| failure.in_table(&table))
            .boxed()
    }
}

pub(super) fn relative_name<'a>(root: &str, path: &'a str) -> &'a str {
    path.strip_prefix(root)
        .unwrap_or(path)
        .trim_start_matches('/')
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
            Self::Listing(source) => Error::Io {
                table: table.to_owned(),
                source,
            },
            Self::Name(error) => error,
        }
    }
}

impl From<ftable_io::Error> for Failure {
    fn from(source: ftable_io::Error) -> Self {
        Self::Listing(source)
    }
}

/// What the names from the table down to a directory say.
#[derive(Default)]
struct Node {
    /// The values of the keys so far.
    values: Vec<Option<Datum>>,
    /// The levels whose names do not parse. That is an error only where the other keys leave a partition below: a
    /// directory that they exclude is nobody's business.
    unread: Vec<usize>,
}

impl Node {
    fn known(&self, level: usize) -> Known<'_> {
        match self.values.get(level) {
            Some(value) if !self.unread.contains(&level) => Known::from(value),
            _ => Known::Unknown,
        }
    }

    /// The node of a directory below this one; `value` is none where its name does not parse.
    fn child(&self, keys: usize, value: Option<Option<Datum>>) -> Self {
        let mut unread = self.unread.clone();
        if value.is_none() {
            unread.push(self.values.len());
        }
        let mut values = Vec::with_capacity(keys);
        values.extend_from_slice(&self.values);
        values.push(value.flatten());
        Self { values, unread }
    }
}

impl PartitionGuide {
    /// Fails where a name on the way to a partition does not parse.
    fn check(&self, partition: &Node, path: &str) -> Result<()> {
        let codec = self.table.codec();
        let names: Vec<&str> = path.split('/').collect();
        for level in &partition.unread {
            let Some(name) = names.get(*level) else {
                continue;
            };
            if let DirectoryName::Value(raw) = codec.read_name(*level, name) {
                codec.parse(*level, &raw).with_context(|_| DirectorySnafu {
                    table: self.table.name(),
                    directory: names[..=*level].join("/"),
                })?;
            }
        }
        Ok(())
    }
}

impl Guide for PartitionGuide {
    type Node = Node;
    type Error = Failure;

    fn visit(
        &self,
        parent: &Node,
        directory: &str,
        entry: RawEntry<'_>,
    ) -> Result<Visit<Node>, Failure> {
        let (codec, level) = (self.table.codec(), parent.values.len());
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
                self.log
                    .skip(SkipReason::NotAPartition, directory, entry.name);
                return Ok(Visit::Skip);
            }
            DirectoryName::Value(raw) => raw,
        };
        let value = codec.parse(level, &raw).ok();
        // Told also where the filter excludes it: whoever asks for NULL misses these rows.
        if value.is_some() && codec.foreign_null_marker(&raw).is_some() {
            self.log.see_null_marker(directory, entry.name);
        }
        if let Some(filter) = &self.filter {
            let known = |column: usize| match &value {
                Some(value) if column == level => Known::from(value),
                _ => parent.known(column),
            };
            if !filter.might_match(&known) {
                self.log.skip_pruned();
                return Ok(Visit::Skip);
            }
        }
        let node = parent.child(codec.len(), value);
        if node.values.len() < codec.len() {
            return Ok(Visit::Descend(node));
        }
        if !node.unread.is_empty() {
            self.check(&node, &join(directory, entry.name))
                .map_err(Failure::Name)?;
        }
        Ok(Visit::Leaf(node))
    }
}
