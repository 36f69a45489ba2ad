//! Walking a tree of directories level by level, under a guide that says where to go on.
//!
//! The guide sees each entry of a directory once and says whether to skip it, go into it, or take it for a leaf:
//! a directory whose files are wanted. Siblings are listed side by side, and leaves come out as they are found, so a
//! caller works on the first while the last is not listed yet. A directory that vanishes during the walk is
//! left out; every other failure ends the walk.
//!
//! Local disks are walked by a few threads that need one system call for a name and one for a file's size; other
//! stores by concurrent requests, or by one listing of everything where that needs fewer.

mod blocking;
mod flat;
mod requests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ftable_core::partition::is_hidden;
use futures::stream::BoxStream;

use crate::data_files::MAX_DEPTH;
use crate::error::{Error, Result, TooDeepSnafu};
use crate::file_system::{FileSystem, RawEntry};

/// What to do with an entry of a directory.
#[derive(Debug)]
pub enum Visit<N> {
    /// Leave it out.
    Skip,
    /// Go into it.
    Descend(N),
    /// Take it, and the data files at any depth below it.
    Leaf(N),
}

/// Says where a walk goes on.
pub trait Guide: Send + Sync + 'static {
    /// What is known about a directory when its entries are visited.
    type Node: Send + 'static;
    /// What ends a walk.
    type Error: From<Error> + Send + 'static;

    /// Decides about an entry of the directory `parent`, which lies at `directory` relative to the root.
    ///
    /// # Errors
    /// An error ends the walk.
    fn visit(
        &self,
        parent: &Self::Node,
        directory: &str,
        entry: RawEntry<'_>,
    ) -> Result<Visit<Self::Node>, Self::Error>;
}

/// A file below a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafFile {
    /// Path relative to the leaf.
    pub name: Box<str>,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last modification in milliseconds since 1970, where the listing gives it.
    pub modified_millis: Option<i64>,
}

/// A leaf that was found.
#[derive(Debug)]
pub struct Leaf<N> {
    /// What the guide knows about it.
    pub node: N,
    /// Path relative to the root.
    pub path: String,
    /// Its data files, sorted by the bytes of their names; empty where they were not wanted.
    pub files: Vec<LeafFile>,
}

/// How a walk is done, and what it counted.
#[derive(Debug, Clone)]
pub struct WalkOptions {
    /// Directories listed side by side.
    pub parallelism: usize,
    /// Whether the files of leaves are listed.
    pub list_leaves: bool,
    /// Whether one listing of everything is preferred where the store offers it: right where the guide will leave
    /// out little.
    pub prefer_flat: bool,
    /// Counts the listings as they are done.
    pub listings: Arc<AtomicU64>,
}

impl WalkOptions {
    fn count_listing(&self) {
        self.listings.fetch_add(1, Ordering::Relaxed);
    }
}

/// Leaves as they are found, several at a time.
pub type LeafStream<G> =
    BoxStream<'static, Result<Vec<Leaf<<G as Guide>::Node>>, <G as Guide>::Error>>;

/// Walks the tree below `root`, an absolute path of the store. A missing root has no leaves.
///
/// Dropping the stream ends the walk.
pub fn walk<G: Guide>(
    file_system: Arc<dyn FileSystem>,
    root: &str,
    node: G::Node,
    guide: Arc<G>,
    options: WalkOptions,
) -> LeafStream<G> {
    match file_system.blocking_lister() {
        Some(lister) => blocking::walk(lister, root.to_owned(), node, guide, options),
        None if options.prefer_flat && file_system.capabilities().flat_listing => {
            flat::walk(file_system, root.to_owned(), node, guide, options)
        }
        None => requests::walk(file_system, root.to_owned(), node, guide, options),
    }
}

fn join_relative(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        return name.to_owned();
    }
    let mut path = String::with_capacity(directory.len() + 1 + name.len());
    path.push_str(directory);
    path.push('/');
    path.push_str(name);
    path
}

/// What is found below a leaf: hidden entries are neither read nor entered.
#[derive(Default)]
struct LeafContents {
    files: Vec<LeafFile>,
    directories: Vec<String>,
}

impl LeafContents {
    fn add(&mut self, below: &str, entry: RawEntry<'_>) {
        if is_hidden(entry.name) {
            return;
        }
        let path = join_relative(below, entry.name);
        if entry.is_dir {
            self.directories.push(path);
        } else {
            let (size, modified_millis) = (entry.size, entry.modified_millis);
            self.files.push(LeafFile {
                name: path.into(),
                size,
                modified_millis,
            });
        }
    }

    /// The next directory below the leaf.
    fn next_directory(&mut self, leaf: &str) -> Result<Option<String>> {
        let Some(below) = self.directories.pop() else {
            return Ok(None);
        };
        if below.split('/').count() > MAX_DEPTH {
            return TooDeepSnafu {
                path: below,
                root: leaf,
                limit: MAX_DEPTH,
            }
            .fail();
        }
        Ok(Some(below))
    }

    fn into_files(mut self) -> Vec<LeafFile> {
        self.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.files
    }
}

#[cfg(test)]
mod tests;
