//! Stores behind opendal.
//!
//! Such a store keeps keys: a directory exists as long as a key lies below it or a marker (an empty
//! object whose key ends in `/`) stands for it. What is told here of every store, opendal tells
//! differently from one service to the next, so nothing is left to it: a listing may contain the
//! directory itself, a missing directory lists as empty, and a directory only exists when it is asked
//! for with a `/` at its end.
//!
//! A file is published by writing it a second time under the condition that nothing is there.

mod file;
#[cfg(feature = "s3")]
mod s3;

use std::collections::HashMap;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use opendal::{Entry, Metadata, Operator, services};

use self::file::{OpendalInputFile, OpendalOutputFile};
use ftable_core::ErrorKind;

use crate::error::{Error, InvalidPathSnafu, Result};
use crate::file_system::{
    Capabilities, EntryKind, FileStatus, FileSystem, InputFile, OutputFile, PublishMode,
    PublishOutcome,
};
use crate::path::{check_deletable, contained, trim_end};

/// Requests that are under way at the same time for one call.
const CONCURRENT_REQUESTS: usize = 16;

/// Bytes of a file that are copied with one request; longer ones go part by part.
const COPIED_AT_ONCE: u64 = 16 * 1024 * 1024;

/// How often a request that changes nothing twice is tried again, and for how long is waited before it first.
const RETRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The stores of the scheme `memory`: two operators that are built apart hold different data.
static MEMORY: LazyLock<Mutex<HashMap<String, Operator>>> = LazyLock::new(Mutex::default);

/// A store that opendal serves.
#[derive(Clone)]
pub struct OpendalFileSystem {
    operator: Operator,
    name: String,
}

impl OpendalFileSystem {
    /// The store of `memory://authority`, the same for every caller in this process.
    ///
    /// # Errors
    /// What opendal says when it cannot be built.
    pub fn memory(authority: &str) -> Result<Self> {
        let mut stores = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        let operator = match stores.get(authority) {
            Some(operator) => operator.clone(),
            None => {
                let operator = Operator::new(services::Memory::default())
                    .map_err(|error| Error::from_opendal("open", "/", error))?;
                stores.insert(authority.to_owned(), operator.clone());
                operator
            }
        };
        Ok(Self {
            operator,
            name: format!("memory://{authority}"),
        })
    }

    /// Whether anything is at a path, by the two keys it may have.
    async fn look_up(&self, operation: &'static str, path: &str) -> Result<Option<FileStatus>> {
        if trim_end(path).is_empty() {
            return Ok(Some(directory_status("/")));
        }
        let failed = |error| Error::from_opendal(operation, path, error);
        // What cannot be the key of a file can still be a directory.
        if let Ok(key) = file_key(path) {
            match patiently(|| self.operator.stat(key)).await {
                Ok(metadata) if metadata.is_file() => {
                    return Ok(Some(file_status(path, &metadata)));
                }
                Ok(_) => return Ok(Some(directory_status(path))),
                Err(error) if error.kind() == opendal::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let key = directory_key(path);
        match patiently(|| self.operator.stat(&key)).await {
            Ok(_) => Ok(Some(directory_status(trim_end(path)))),
            Err(error) if error.kind() == opendal::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// What an entry of a listing is; `None` when it is gone since.
    async fn describe(&self, entry: Entry) -> Result<Option<FileStatus>> {
        let path = store_path(entry.path());
        let metadata = entry.metadata();
        if entry.path().ends_with('/') || metadata.is_dir() {
            return Ok(Some(directory_status(&path)));
        }
        if metadata.is_file() {
            return Ok(Some(file_status(&path, metadata)));
        }
        let status = self.look_up("list", &path).await?;
        Ok(status.filter(FileStatus::is_file))
    }

    /// What lies directly below a directory, or at any depth.
    async fn listing(&self, dir: &str, recursive: bool) -> Result<Vec<FileStatus>> {
        let failed = |error| Error::from_opendal("list", dir, error);
        let key = directory_key(dir);
        let list = || {
            self.operator
                .list_with(&key)
                .recursive(recursive)
                .into_future()
        };
        let listed = patiently(list).await;
        let mut entries = listed.map_err(failed)?;
        if entries.is_empty() && key != "/" {
            return Err(self.not_listed(trim_end(dir)).await?);
        }
        let itself = store_path(&key);
        entries.retain(|entry| store_path(entry.path()) != itself);
        let described: Vec<Option<FileStatus>> = stream::iter(entries)
            .map(|entry| self.describe(entry))
            .buffered(CONCURRENT_REQUESTS)
            .try_collect()
            .await?;
        let mut statuses: Vec<FileStatus> = described.into_iter().flatten().collect();
        statuses.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(statuses)
    }

    /// Why a directory has no listing.
    async fn not_listed(&self, path: &str) -> Result<Error> {
        let (operation, path) = ("list", path.to_owned());
        Ok(match self.look_up(operation, &path).await? {
            Some(status) if status.is_file() => Error::NotADirectory { operation, path },
            _ => Error::NotFound { operation, path },
        })
    }

    /// The status of something that must be a file.
    async fn existing_file(&self, operation: &'static str, path: &str) -> Result<FileStatus> {
        let path = path.to_owned();
        match self.look_up(operation, &path).await? {
            Some(status) if status.is_file() => Ok(status),
            Some(_) => Err(Error::NotAFile { operation, path }),
            None => Err(Error::NotFound { operation, path }),
        }
    }

    /// The whole content of a file.
    async fn content(&self, operation: &'static str, path: &str) -> Result<opendal::Buffer> {
        let key = file_key(path)?;
        patiently(|| self.operator.read(key))
            .await
            .map_err(|error| Error::from_opendal(operation, path, error))
    }

    /// Writes a file if nothing is there; `false` when something is.
    async fn put_if_absent(
        &self,
        operation: &'static str,
        path: &str,
        content: impl Into<opendal::Buffer>,
    ) -> Result<bool> {
        let written = self
            .operator
            .write_with(file_key(path)?, content)
            .if_not_exists(true)
            .await;
        match written {
            Ok(_) => Ok(true),
            Err(error) if is_taken(&error) => Ok(false),
            Err(error) => Err(Error::from_opendal(operation, path, error)),
        }
    }

    /// Writes the content of a file a second time if nothing is there; `false` when something is.
    async fn copy_if_absent(
        &self,
        operation: &'static str,
        from: &FileStatus,
        to: &str,
    ) -> Result<bool> {
        if from.size <= COPIED_AT_ONCE {
            let content = self.content(operation, &from.path).await?;
            return self.put_if_absent(operation, to, content).await;
        }
        let writer = self
            .operator
            .writer_with(file_key(to)?)
            .if_not_exists(true)
            .await
            .map_err(|error| Error::from_opendal(operation, to, error))?;
        let source = OpendalInputFile::new(self.operator.clone(), &from.path, from.size);
        let mut target = OpendalOutputFile::new(to, writer);
        match copy_parts(&source, &mut target).await {
            Ok(()) => Ok(true),
            Err(error) => {
                // The error that led here is the one to tell; parts of a file are never seen.
                let _ = target.abort().await;
                match error.kind() {
                    ErrorKind::AlreadyExists => Ok(false),
                    _ => Err(error),
                }
            }
        }
    }

    async fn delete_key(&self, operation: &'static str, key: &str) -> Result<()> {
        patiently(|| self.operator.delete(key))
            .await
            .map_err(|error| Error::from_opendal(operation, &store_path(key), error))
    }

    /// The keys of everything below a directory, its own marker included.
    async fn keys_below(&self, operation: &'static str, path: &str) -> Result<Vec<String>> {
        let key = directory_key(path);
        let list = || self.operator.list_with(&key).recursive(true).into_future();
        let entries = patiently(list)
            .await
            .map_err(|error| Error::from_opendal(operation, path, error))?;
        Ok(entries
            .into_iter()
            .map(|entry| entry.path().to_owned())
            .collect())
    }

    async fn rename_file(&self, from: &str, to: &str) -> Result<()> {
        let status = self.existing_file("rename", from).await?;
        if !self.copy_if_absent("rename", &status, to).await? {
            return Err(taken(to));
        }
        self.delete_key("rename", file_key(from)?).await
    }

    async fn rename_directory(&self, from: &str, to: &str) -> Result<()> {
        for key in self.keys_below("rename", from).await? {
            let source = store_path(&key);
            // The marker of the directory itself is below it by no name.
            let target = match contained(from, &source) {
                Some(below) => crate::path::join(to, &below),
                None => to.to_owned(),
            };
            if key.ends_with('/') {
                self.create_dir(&target).await?;
                self.delete_key("rename", &key).await?;
            } else {
                self.rename_file(&source, &target).await?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for OpendalFileSystem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("OpendalFileSystem")
            .field(&self.name)
            .finish()
    }
}

#[async_trait]
impl FileSystem for OpendalFileSystem {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            rename: false,
            publish: PublishMode::ConditionalPut,
            flat_listing: true,
            local: false,
        }
    }

    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        self.listing(dir, false).await
    }

    async fn list_recursive(&self, dir: &str) -> Result<Vec<FileStatus>> {
        self.listing(dir, true).await
    }

    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        self.look_up("inspect", path).await
    }

    async fn open(&self, path: &str, _size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        let status = self.existing_file("open", path).await?;
        Ok(Arc::new(OpendalInputFile::new(
            self.operator.clone(),
            path,
            status.size,
        )))
    }

    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>> {
        if self.look_up("create", path).await?.is_some() {
            return Err(Error::AlreadyExists {
                operation: "create",
                path: path.to_owned(),
            });
        }
        let writer = self
            .operator
            .writer_with(file_key(path)?)
            .if_not_exists(true)
            .await
            .map_err(|error| Error::from_opendal("create", path, error))?;
        Ok(Box::new(OpendalOutputFile::new(path, writer)))
    }

    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool> {
        self.put_if_absent("create", path, bytes).await
    }

    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome> {
        let status = self.existing_file("publish", staged).await?;
        if !self.copy_if_absent("publish", &status, target).await? {
            return Ok(PublishOutcome::TargetExists);
        }
        // The target stands; a leftover of the staged key is hidden and found by a clean-up.
        let _ = self.operator.delete(file_key(staged)?).await;
        Ok(PublishOutcome::Published)
    }

    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        let Some(status) = self.look_up("rename", from).await? else {
            return Err(Error::NotFound {
                operation: "rename",
                path: from.to_owned(),
            });
        };
        let is_below = from == to || contained(from, to).is_some();
        if is_below || self.look_up("rename", to).await?.is_some() {
            return Err(taken(to));
        }
        if status.is_file() {
            self.rename_file(from, to).await
        } else {
            self.rename_directory(from, to).await
        }
    }

    async fn delete_file(&self, path: &str) -> Result<bool> {
        match self.existing_file("delete", path).await {
            Ok(_) => self
                .delete_key("delete", file_key(path)?)
                .await
                .map(|()| true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn create_dir(&self, path: &str) -> Result<()> {
        match self.look_up("make directory", path).await? {
            Some(status) if status.is_file() => Err(Error::AlreadyExists {
                operation: "make directory",
                path: path.to_owned(),
            }),
            Some(_) if trim_end(path).is_empty() => Ok(()),
            _ => self
                .operator
                .create_dir(&directory_key(path))
                .await
                .map_err(|error| Error::from_opendal("make directory", path, error)),
        }
    }

    async fn remove_dir(&self, path: &str) -> Result<bool> {
        match self.list(path).await {
            Ok(children) if children.is_empty() && !trim_end(path).is_empty() => {}
            Ok(_) => return Ok(false),
            Err(error) if error.is_not_found() => return Ok(false),
            Err(error) => return Err(error),
        }
        self.delete_key("remove directory", &directory_key(path))
            .await?;
        Ok(true)
    }

    async fn delete_tree(&self, path: &str) -> Result<()> {
        check_deletable(path)?;
        let path = trim_end(path);
        for key in self.keys_below("delete", path).await? {
            self.delete_key("delete", &key).await?;
        }
        self.delete_key("delete", &directory_key(path)).await?;
        self.delete_key("delete", file_key(path)?).await
    }
}

/// Tries a request again that failed in passing. It has to be one that changes nothing when it is done twice.
async fn patiently<T, F>(mut request: impl FnMut() -> F) -> opendal::Result<T>
where
    F: Future<Output = opendal::Result<T>>,
{
    let mut pause = FIRST_PAUSE;
    for _ in 0..RETRIES {
        match request().await {
            Err(error) if error.is_temporary() => tokio::time::sleep(pause).await,
            done => return done,
        }
        pause *= 4;
    }
    request().await
}

/// Copies a file part by part, and ends the copy.
async fn copy_parts(source: &OpendalInputFile, target: &mut OpendalOutputFile) -> Result<()> {
    let mut start = 0;
    while start < source.size() {
        let end = source.size().min(start + COPIED_AT_ONCE);
        target.write(source.read(start..end).await?).await?;
        start = end;
    }
    target.close().await.map(|_| ())
}

/// Whether a conditional write found something there.
fn is_taken(error: &opendal::Error) -> bool {
    matches!(
        error.kind(),
        opendal::ErrorKind::ConditionNotMatch | opendal::ErrorKind::AlreadyExists
    )
}

fn taken(path: &str) -> Error {
    Error::AlreadyExists {
        operation: "rename to",
        path: path.to_owned(),
    }
}

/// The key of a file, to be given to opendal as it is.
///
/// Opendal drops white space around the whole text; the slash in front keeps it at the start.
fn file_key(path: &str) -> Result<&str> {
    let message = if path.ends_with(char::is_whitespace) {
        "a file name that ends in white space cannot be kept in this store"
    } else if trim_end(path).len() != path.len() || path.is_empty() {
        "a file name cannot end in a slash"
    } else {
        return Ok(path);
    };
    InvalidPathSnafu { path, message }.fail()
}

/// The key of a directory: it ends in a slash.
fn directory_key(path: &str) -> String {
    format!("{}/", trim_end(path))
}

/// The absolute path of a key in a listing.
fn store_path(key: &str) -> String {
    format!("/{}", trim_end(key.trim_start_matches('/')))
}

fn directory_status(path: &str) -> FileStatus {
    FileStatus {
        path: path.to_owned(),
        kind: EntryKind::Directory,
        size: 0,
        modified_millis: None,
    }
}

fn file_status(path: &str, metadata: &Metadata) -> FileStatus {
    FileStatus {
        path: path.to_owned(),
        kind: EntryKind::File,
        size: metadata.content_length(),
        modified_millis: metadata
            .last_modified()
            .map(|modified| modified.into_inner().as_millisecond()),
    }
}

#[cfg(test)]
mod tests;
