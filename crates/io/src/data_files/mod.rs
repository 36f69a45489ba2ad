//! The definition of a data file.
//!
//! Below a directory of data (a leaf partition, or the location of an unpartitioned table) every file
//! at any depth is data, whatever its name, extension or length, unless it is hidden: its own name or
//! that of a directory on the way begins with `_` or `.`. The directory the walk begins at is never
//! tested. So `sub/b.csv`, `k=v/c` and files without any bytes are data; `_SUCCESS`, `.e.csv.crc`,
//! `_temporary/x` and `.hive-staging_1/y` are not. This is the rule of Paimon's `FormatTableScan`.

use std::sync::Arc;

use ftable_core::partition::is_hidden;
use futures::StreamExt;
use futures::stream::FuturesUnordered;

use crate::blocking::on_path;
use crate::error::{Error, Result, TooDeepSnafu};
use crate::file_system::{BlockingLister, EntryKind, FileStatus, FileSystem};
use crate::path::{join, trim_end};

/// Levels below the root that are followed. No table nests its directories this deep, but a symbolic
/// link to a directory above itself does.
pub const MAX_DEPTH: usize = 64;

/// Directories that are listed at the same time.
const CONCURRENT_LISTINGS: usize = 16;

/// Whether a file of this name is data, as far as its name says.
pub fn is_data_name(name: &str) -> bool {
    !name.is_empty() && !name.ends_with('/') && !is_hidden(name)
}

/// Lists the data files below `root`, sorted by the bytes of their paths.
///
/// Entries directly below `root` whose name is one of `protected` are left out: they are the
/// directories a catalog keeps inside a table. A missing root has no files, and a directory that
/// vanishes during the walk has none either.
///
/// # Errors
/// Any other failure to list, never taken for an empty directory; `Unsupported` for directories
/// nested deeper than [`MAX_DEPTH`].
pub async fn list_data_files(
    fs: &dyn FileSystem,
    root: &str,
    protected: &[&str],
) -> Result<Vec<FileStatus>> {
    let mut files = match fs.blocking_lister() {
        Some(lister) => {
            let protected: Vec<String> = protected.iter().map(|&name| name.to_owned()).collect();
            on_path("list", root, move |root| {
                walk_blocking(&lister, root, &protected)
            })
            .await?
        }
        None => walk(fs, root, protected).await?,
    };
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// A directory that is still to be listed.
struct Pending {
    path: String,
    depth: usize,
}

/// What is known while walking.
struct Walk<'a> {
    root: &'a str,
    /// The deepest are listed first, so that a cycle is found before it multiplies.
    pending: Vec<Pending>,
    files: Vec<FileStatus>,
}

impl<'a> Walk<'a> {
    fn new(root: &'a str) -> Self {
        let pending = vec![Pending {
            path: if trim_end(root).is_empty() {
                root
            } else {
                trim_end(root)
            }
            .to_owned(),
            depth: 0,
        }];
        Self {
            root,
            pending,
            files: Vec::new(),
        }
    }

    /// Whether the walk goes on after listing a directory: one that is gone has nothing in it.
    fn tolerate(listed: Result<()>) -> Result<()> {
        match listed {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }

    fn descend(&mut self, path: String, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return TooDeepSnafu {
                path,
                root: self.root,
                limit: MAX_DEPTH,
            }
            .fail();
        }
        self.pending.push(Pending { path, depth });
        Ok(())
    }
}

fn walk_blocking(
    lister: &Arc<dyn BlockingLister>,
    root: &str,
    protected: &[String],
) -> Result<Vec<FileStatus>> {
    let mut walk = Walk::new(root);
    while let Some(Pending { path, depth }) = walk.pending.pop() {
        let mut directories = Vec::new();
        let listed = lister.list(&path, true, &mut |entry| {
            let is_protected = depth == 0 && protected.iter().any(|name| name == entry.name);
            if is_protected || !is_data_name(entry.name) {
                return;
            }
            let child = join(&path, entry.name);
            if entry.is_dir {
                directories.push(child);
            } else {
                walk.files.push(FileStatus {
                    path: child,
                    kind: EntryKind::File,
                    size: entry.size,
                    modified_millis: entry.modified_millis,
                });
            }
        });
        Walk::tolerate(listed)?;
        for directory in directories {
            walk.descend(directory, depth + 1)?;
        }
    }
    Ok(walk.files)
}

async fn walk(fs: &dyn FileSystem, root: &str, protected: &[&str]) -> Result<Vec<FileStatus>> {
    let list = |Pending { path, depth }| async move { (fs.list(&path).await, depth) };
    let mut walk = Walk::new(root);
    let mut listings = FuturesUnordered::new();
    loop {
        while listings.len() < CONCURRENT_LISTINGS
            && let Some(pending) = walk.pending.pop()
        {
            listings.push(list(pending));
        }
        let Some((listed, depth)) = listings.next().await else {
            return Ok(walk.files);
        };
        let (entries, outcome) = match listed {
            Ok(entries) => (entries, Ok(())),
            Err(error) => (Vec::new(), Err::<(), Error>(error)),
        };
        Walk::tolerate(outcome)?;
        for entry in entries {
            let is_protected = depth == 0 && protected.contains(&entry.name());
            if is_protected || !is_data_name(entry.name()) {
                continue;
            }
            match entry.kind {
                EntryKind::Directory => walk.descend(entry.path, depth + 1)?,
                EntryKind::File => walk.files.push(entry),
            }
        }
    }
}

#[cfg(test)]
mod tests;
