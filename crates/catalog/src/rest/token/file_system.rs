//! A file system over one whose credentials come and go.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use ftable_io::{
    Capabilities, Error, ErrorKind, FileStatus, FileSystem, InputFile, OutputFile, PublishOutcome,
    Result,
};

use super::grants::Work;
use super::source::{TokenSource, Vended};

/// A store that is opened anew whenever its credentials are.
///
/// A call that is refused for lack of permission is done once more with new credentials: what was refused was not
/// done. A file that is being written keeps the credentials it was begun with, which are fresher for that, unless the
/// store asks for new ones itself: such a store is left to do so.
#[derive(Debug)]
pub(super) struct TokenFileSystem {
    source: Arc<TokenSource>,
    capabilities: Capabilities,
}

impl TokenFileSystem {
    /// Over the stores of `source`, which can do what `capabilities` says.
    pub(super) fn new(source: Arc<TokenSource>, capabilities: Capabilities) -> Self {
        Self {
            source,
            capabilities,
        }
    }
}

/// Does a call on the store of the moment, and once more with new credentials where it is refused.
macro_rules! on_store {
    ($self:ident, $work:expr, $operation:literal, $path:expr, $store:ident => $call:expr) => {{
        let vended = $self.source.store($work, $operation, $path).await?;
        let $store = &vended.store;
        match $call.await {
            Err(error) if is_refusal(&error) && !$self.source.asks_itself() => {
                let vended = $self.source.renew(&vended, $operation, $path).await?;
                let $store = &vended.store;
                $call.await
            }
            result => result,
        }
    }};
}

/// Whether new credentials may help.
fn is_refusal(error: &Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied
}

#[async_trait]
impl FileSystem for TokenFileSystem {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        on_store!(self, Work::Call, "list", dir, store => store.list(dir))
    }

    async fn list_recursive(&self, dir: &str) -> Result<Vec<FileStatus>> {
        on_store!(self, Work::Call, "list", dir, store => store.list_recursive(dir))
    }

    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        on_store!(self, Work::Call, "look at", path, store => store.stat(path))
    }

    async fn open(&self, path: &str, size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        let vended = self.source.store(Work::Call, "open", path).await?;
        let (vended, file) = match vended.store.open(path, size).await {
            Ok(file) => (vended, file),
            Err(error) if is_refusal(&error) && !self.source.asks_itself() => {
                let vended = self.source.renew(&vended, "open", path).await?;
                let file = vended.store.open(path, size).await?;
                (vended, file)
            }
            Err(error) => return Err(error),
        };
        Ok(Arc::new(TokenInputFile {
            source: Arc::clone(&self.source),
            path: path.to_owned(),
            size: file.size(),
            opened: Mutex::new((vended.store_number, file)),
        }))
    }

    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>> {
        on_store!(self, Work::Write, "create", path, store => store.create(path))
    }

    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool> {
        on_store!(self, Work::Call, "create", path, store => store.create_whole(path, bytes.clone()))
    }

    async fn create_whole_unsynced(&self, path: &str, bytes: Bytes) -> Result<bool> {
        on_store!(self, Work::Call, "create", path, store => store.create_whole_unsynced(path, bytes.clone()))
    }

    async fn sync_file(&self, path: &str) -> Result<()> {
        on_store!(self, Work::Call, "sync", path, store => store.sync_file(path))
    }

    async fn sync_directory(&self, path: &str) -> Result<()> {
        on_store!(self, Work::Call, "sync", path, store => store.sync_directory(path))
    }

    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome> {
        on_store!(self, Work::Call, "publish", target, store => store.publish(staged, target))
    }

    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        on_store!(self, Work::Call, "rename", from, store => store.rename(from, to))
    }

    async fn delete_file(&self, path: &str) -> Result<bool> {
        on_store!(self, Work::Call, "delete", path, store => store.delete_file(path))
    }

    async fn create_dir(&self, path: &str) -> Result<()> {
        on_store!(self, Work::Call, "create directory", path, store => store.create_dir(path))
    }

    async fn remove_dir(&self, path: &str) -> Result<bool> {
        on_store!(self, Work::Call, "remove directory", path, store => store.remove_dir(path))
    }

    async fn delete_tree(&self, path: &str) -> Result<()> {
        on_store!(self, Work::Call, "delete", path, store => store.delete_tree(path))
    }
}

/// A file that is opened anew when the store is.
#[derive(Debug)]
struct TokenInputFile {
    source: Arc<TokenSource>,
    path: String,
    size: u64,
    /// The number of the store, and the file in it.
    opened: Mutex<(u64, Arc<dyn InputFile>)>,
}

impl TokenInputFile {
    /// The file in a store.
    async fn within(&self, vended: &Vended) -> Result<Arc<dyn InputFile>> {
        {
            let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            if opened.0 == vended.store_number {
                return Ok(Arc::clone(&opened.1));
            }
        }
        let file = vended.store.open(&self.path, Some(self.size)).await?;
        if file.size() != self.size {
            return Err(Error::Store {
                operation: "read",
                path: self.path.clone(),
                reason: "it was replaced while it was read".to_owned(),
                kind: ErrorKind::Conflict,
                source: format!("it had {} bytes and now has {}", self.size, file.size()).into(),
            });
        }
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        *opened = (vended.store_number, Arc::clone(&file));
        Ok(file)
    }

    async fn read_within(&self, vended: &Vended, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.within(vended).await?.read_ranges(ranges).await
    }
}

#[async_trait]
impl InputFile for TokenInputFile {
    fn path(&self) -> &str {
        &self.path
    }

    fn size(&self) -> u64 {
        self.size
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let vended = self.source.store(Work::Call, "read", &self.path).await?;
        match self.read_within(&vended, ranges).await {
            Err(error) if is_refusal(&error) && !self.source.asks_itself() => {
                let vended = self.source.renew(&vended, "read", &self.path).await?;
                self.read_within(&vended, ranges).await
            }
            result => result,
        }
    }
}
