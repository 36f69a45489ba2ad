//! Local disks.
//!
//! Built on `std::fs`, each call as one task on the blocking pool of the runtime, rather than on
//! opendal's local service, because of what that service does: its rename replaces an existing file
//! in silence, its conditional write lets several writers win when it goes through a temporary file
//! and shows a partial file when it does not, and its reader opens the file again for every range.
//!
//! Here a file is put in place by a hard link, which fails when the target exists, whatever else runs
//! at the same time, in this process or another. A file system without hard links is refused by name
//! where that matters, rather than served with a race.

mod list;
mod publish;
mod read;
mod sync;
mod write;

use std::fs;
use std::io;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use async_trait::async_trait;
use bytes::Bytes;

use crate::blocking::on_path;
use crate::error::{Error, Result};
use crate::file_system::{
    BlockingLister, Capabilities, EntryKind, FileStatus, FileSystem, InputFile, OutputFile,
    PublishMode, PublishOutcome,
};
use crate::path::{check_deletable, parent, trim_end};

/// The file systems mounted on this machine, under their absolute paths.
///
/// Must be used inside a tokio runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalFileSystem;

impl LocalFileSystem {
    /// The local file systems.
    pub fn new() -> Self {
        Self
    }
}

#[async_trait]
impl FileSystem for LocalFileSystem {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            rename: true,
            publish: PublishMode::HardLink,
            flat_listing: false,
            local: true,
        }
    }

    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        on_path("list", dir, list::list_sorted).await
    }

    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        on_path("inspect", path, stat).await
    }

    async fn open(&self, path: &str, _size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        let file = on_path("open", path, read::LocalInputFile::open).await?;
        Ok(Arc::new(file))
    }

    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>> {
        let file = on_path("create", path, write::LocalOutputFile::create).await?;
        Ok(Box::new(file))
    }

    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool> {
        on_path("create", path, move |path| {
            publish::create_whole(path, &bytes, true)
        })
        .await
    }

    async fn create_whole_unsynced(&self, path: &str, bytes: Bytes) -> Result<bool> {
        on_path("create", path, move |path| {
            publish::create_whole(path, &bytes, false)
        })
        .await
    }

    async fn sync_file(&self, path: &str) -> Result<()> {
        on_path("sync", path, sync::file).await
    }

    async fn sync_directory(&self, path: &str) -> Result<()> {
        on_path("sync", path, sync::directory).await
    }

    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome> {
        let staged = staged.to_owned();
        on_path("publish", target, move |target| {
            publish::publish(&staged, target)
        })
        .await
    }

    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        let to = to.to_owned();
        on_path("rename", from, move |from| publish::rename(from, &to)).await
    }

    async fn delete_file(&self, path: &str) -> Result<bool> {
        on_path("delete", path, delete_file).await
    }

    async fn create_dir(&self, path: &str) -> Result<()> {
        on_path("make directory", path, create_dirs).await
    }

    async fn remove_dir(&self, path: &str) -> Result<bool> {
        on_path("remove directory", path, remove_dir).await
    }

    async fn delete_tree(&self, path: &str) -> Result<()> {
        on_path("delete", path, delete_tree).await
    }

    fn blocking_lister(&self) -> Option<Arc<dyn BlockingLister>> {
        Some(Arc::new(list::LocalLister))
    }
}

fn stat(path: &str) -> Result<Option<FileStatus>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(file_status(path, &metadata))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(Error::from_io("inspect", path, error)),
    }
}

fn file_status(path: &str, metadata: &fs::Metadata) -> FileStatus {
    let is_dir = metadata.is_dir();
    FileStatus {
        path: path.to_owned(),
        kind: if is_dir {
            EntryKind::Directory
        } else {
            EntryKind::File
        },
        size: if is_dir { 0 } else { metadata.len() },
        modified_millis: modified_millis(metadata),
    }
}

/// Whether an error says that there is nothing at a path: no entry, or no directory above it.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn modified_millis(metadata: &fs::Metadata) -> Option<i64> {
    let modified = metadata.modified().ok()?;
    match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).ok(),
        Err(before) => i64::try_from(before.duration().as_millis())
            .ok()
            .map(|millis| -millis),
    }
}

fn delete_file(path: &str) -> Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if is_absent(&error) => Ok(false),
        // Some systems answer with a refusal instead of naming the reason.
        Err(_) if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) => {
            Err(Error::NotAFile {
                operation: "delete",
                path: path.to_owned(),
            })
        }
        Err(error) => Err(Error::from_io("delete", path, error)),
    }
}

fn remove_dir(path: &str) -> Result<bool> {
    match fs::remove_dir(path) {
        Ok(()) => Ok(true),
        // A directory that is not empty is reported either way.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::DirectoryNotEmpty
                    | io::ErrorKind::AlreadyExists
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(Error::from_io("remove directory", path, error)),
    }
}

fn delete_tree(path: &str) -> Result<()> {
    check_deletable(path)?;
    // Without the slash a link to a directory is the link, not the directory.
    let path = trim_end(path);
    let result = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match result {
        Err(error) if !is_absent(&error) => Err(Error::from_io("delete", path, error)),
        _ => Ok(()),
    }
}

/// Makes a directory and those above it, and makes the new entries durable.
fn create_dirs(path: &str) -> Result<()> {
    for made in make_dirs(path)? {
        parent(made).map_or(Ok(()), sync::entries)?;
    }
    Ok(())
}

/// Makes the directories above a file. When they become durable is for the system to say, or for who syncs them.
fn create_parents(path: &str) -> Result<()> {
    parent(path).map_or(Ok(()), |directory| make_dirs(directory).map(|_| ()))
}

/// Makes a directory and those above it; gives those that were missing, the deepest first.
fn make_dirs(path: &str) -> Result<Vec<&str>> {
    let mut missing = Vec::new();
    let mut directory = Some(path);
    while let Some(current) = directory {
        match fs::metadata(current) {
            Ok(metadata) if metadata.is_dir() => break,
            Ok(_) if missing.is_empty() => {
                return Err(Error::AlreadyExists {
                    operation: "make directory",
                    path: current.to_owned(),
                });
            }
            _ => missing.push(current),
        }
        directory = parent(current);
    }
    if !missing.is_empty() {
        fs::create_dir_all(path).map_err(|error| Error::from_io("make directory", path, error))?;
    }
    Ok(missing)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
