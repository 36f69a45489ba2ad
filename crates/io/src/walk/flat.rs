//! The walk of a store that lists keys at any depth: one listing, from which the directories are read.

use std::sync::Arc;

use futures::stream;
use futures::{FutureExt, StreamExt};

use super::{Guide, Leaf, LeafFile, LeafStream, Visit, WalkOptions};
use crate::error::Result;
use crate::file_system::{FileStatus, FileSystem, RawEntry};
use ftable_core::partition::is_hidden;

pub(super) fn walk<G: Guide>(
    file_system: Arc<dyn FileSystem>,
    root: String,
    node: G::Node,
    guide: Arc<G>,
    options: WalkOptions,
) -> LeafStream<G> {
    let leaves = async move {
        options.count_listing();
        let mut entries = match file_system.list_recursive(&root).await {
            Ok(entries) => entries,
            Err(error) if error.is_not_found() => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        entries.sort_unstable_by(|a, b| by_names(&a.path).cmp(by_names(&b.path)));
        let mut tree = Tree {
            guide: &*guide,
            list_leaves: options.list_leaves,
            open: Vec::new(),
            leaves: Vec::new(),
        };
        for entry in &entries {
            let below = entry
                .path
                .strip_prefix(&root)
                .unwrap_or(&entry.path)
                .trim_start_matches('/');
            tree.add(&node, below, entry)?;
        }
        tree.close(0);
        Ok(tree.leaves)
    };
    stream::once(leaves.boxed()).boxed()
}

/// Orders paths so that all of a directory comes together: name by name, not byte by byte.
fn by_names(path: &str) -> impl Iterator<Item = u8> + '_ {
    path.bytes().map(|byte| if byte == b'/' { 0 } else { byte })
}

/// A directory on the way to the entry at hand.
struct Open<N> {
    name: String,
    state: State<N>,
}

enum State<N> {
    Skipped,
    Inner(N),
    Leaf(Leaf<N>),
}

struct Tree<'a, G: Guide> {
    guide: &'a G,
    list_leaves: bool,
    /// The directories above the last entry. Entries come sorted, so those of one directory come together.
    open: Vec<Open<G::Node>>,
    leaves: Vec<Leaf<G::Node>>,
}

impl<G: Guide> Tree<'_, G> {
    fn add(&mut self, root: &G::Node, path: &str, entry: &FileStatus) -> Result<(), G::Error> {
        let names: Vec<&str> = path.split('/').collect();
        let shared = self
            .open
            .iter()
            .zip(&names)
            .take_while(|(open, name)| open.name == **name)
            .count();
        self.close(shared);
        let last = names.len().saturating_sub(1);
        for (depth, name) in names.iter().enumerate().skip(self.open.len()) {
            if let Some(Open {
                state: State::Leaf(leaf),
                ..
            }) = self.open.last_mut()
            {
                let below = names.get(depth..).unwrap_or_default();
                if self.list_leaves && entry.is_file() && !below.iter().any(|name| is_hidden(name))
                {
                    let (size, modified_millis) = (entry.size, entry.modified_millis);
                    leaf.files.push(LeafFile {
                        name: below.join("/").into(),
                        size,
                        modified_millis,
                    });
                }
                return Ok(());
            }
            let is_dir = depth < last || entry.is_dir();
            let parent = match self.open.last() {
                None => root,
                Some(Open {
                    state: State::Inner(node),
                    ..
                }) => node,
                Some(_) => return Ok(()),
            };
            let directory = names.get(..depth).unwrap_or_default().join("/");
            let raw = RawEntry {
                name,
                is_dir,
                size: if is_dir { 0 } else { entry.size },
                modified_millis: if is_dir { None } else { entry.modified_millis },
            };
            let state = match self.guide.visit(parent, &directory, raw)? {
                Visit::Skip => State::Skipped,
                Visit::Descend(node) => State::Inner(node),
                Visit::Leaf(node) => {
                    let path = names.get(..=depth).unwrap_or_default().join("/");
                    State::Leaf(Leaf {
                        node,
                        path,
                        files: Vec::new(),
                    })
                }
            };
            if is_dir {
                self.open.push(Open {
                    name: (*name).to_owned(),
                    state,
                });
            }
        }
        Ok(())
    }

    /// Ends the directories below a depth.
    fn close(&mut self, depth: usize) {
        for open in self.open.drain(depth.min(self.open.len())..) {
            if let State::Leaf(mut leaf) = open.state {
                leaf.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
                self.leaves.push(leaf);
            }
        }
    }
}
