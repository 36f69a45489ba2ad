//! The walk of a store that answers requests: many of them under way at once.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::{self, FuturesUnordered};
use futures::{FutureExt, StreamExt};

use super::{Guide, Leaf, LeafContents, LeafFile, LeafStream, Visit, WalkOptions, join_relative};
use crate::error::Result;
use crate::file_system::{FileStatus, FileSystem, RawEntry};
use crate::path::join;

pub(super) fn walk<G: Guide>(
    file_system: Arc<dyn FileSystem>,
    root: String,
    node: G::Node,
    guide: Arc<G>,
    options: WalkOptions,
) -> LeafStream<G> {
    let crew = Arc::new(Crew {
        file_system,
        root,
        guide,
        options,
    });
    let walk = Walk {
        crew,
        waiting: vec![Work::Directory(String::new(), node)],
        running: FuturesUnordered::new(),
    };
    stream::unfold(Some(walk), |walk| async move {
        let mut walk = walk?;
        match walk.next().await {
            None => None,
            Some(Ok(leaves)) => Some((Ok(leaves), Some(walk))),
            // The first failure is the last item.
            Some(Err(error)) => Some((Err(error), None)),
        }
    })
    .boxed()
}

enum Work<N> {
    Directory(String, N),
    Leaf(String, N),
}

/// What the listing of one directory came to.
struct Listed<N> {
    work: Vec<Work<N>>,
    leaf: Option<Leaf<N>>,
}

type Running<G> = BoxFuture<'static, Result<Listed<<G as Guide>::Node>, <G as Guide>::Error>>;

struct Walk<G: Guide> {
    crew: Arc<Crew<G>>,
    waiting: Vec<Work<G::Node>>,
    running: FuturesUnordered<Running<G>>,
}

impl<G: Guide> Walk<G> {
    async fn next(&mut self) -> Option<Result<Vec<Leaf<G::Node>>, G::Error>> {
        loop {
            while self.running.len() < self.crew.options.parallelism.max(1)
                && let Some(work) = self.waiting.pop()
            {
                let crew = Arc::clone(&self.crew);
                self.running
                    .push(async move { crew.list(work).await }.boxed());
            }
            match self.running.next().await? {
                Err(error) => return Some(Err(error)),
                Ok(listed) => {
                    self.waiting.extend(listed.work);
                    if let Some(leaf) = listed.leaf {
                        return Some(Ok(vec![leaf]));
                    }
                }
            }
        }
    }
}

struct Crew<G: Guide> {
    file_system: Arc<dyn FileSystem>,
    root: String,
    guide: Arc<G>,
    options: WalkOptions,
}

impl<G: Guide> Crew<G> {
    async fn list(&self, work: Work<G::Node>) -> Result<Listed<G::Node>, G::Error> {
        match work {
            Work::Directory(path, node) => {
                let entries = self.entries(&path).await?.unwrap_or_default();
                let mut work = Vec::new();
                for entry in &entries {
                    match self.guide.visit(&node, &path, raw(entry))? {
                        Visit::Skip => {}
                        Visit::Descend(child) => {
                            work.push(Work::Directory(join_relative(&path, entry.name()), child))
                        }
                        Visit::Leaf(child) => {
                            work.push(Work::Leaf(join_relative(&path, entry.name()), child))
                        }
                    }
                }
                Ok(Listed { work, leaf: None })
            }
            Work::Leaf(path, node) => {
                let files = if self.options.list_leaves {
                    self.files(&path).await?
                } else {
                    Some(Vec::new())
                };
                Ok(Listed {
                    work: Vec::new(),
                    leaf: files.map(|files| Leaf { node, path, files }),
                })
            }
        }
    }

    async fn files(&self, path: &str) -> Result<Option<Vec<LeafFile>>> {
        let Some(entries) = self.entries(path).await? else {
            return Ok(None);
        };
        let mut contents = LeafContents::default();
        entries
            .iter()
            .for_each(|entry| contents.add("", raw(entry)));
        while let Some(below) = contents.next_directory(path)? {
            let entries = self
                .entries(&join_relative(path, &below))
                .await?
                .unwrap_or_default();
            entries
                .iter()
                .for_each(|entry| contents.add(&below, raw(entry)));
        }
        Ok(Some(contents.into_files()))
    }

    /// The entries of a directory; `None` when there is no such directory.
    async fn entries(&self, path: &str) -> Result<Option<Vec<FileStatus>>> {
        let full = if path.is_empty() {
            self.root.clone()
        } else {
            join(&self.root, path)
        };
        self.options.count_listing();
        match self.file_system.list(&full).await {
            Ok(entries) => Ok(Some(entries)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn raw(entry: &FileStatus) -> RawEntry<'_> {
    RawEntry {
        name: entry.name(),
        is_dir: entry.is_dir(),
        size: entry.size,
        modified_millis: entry.modified_millis,
    }
}
