//! What every store can do, and what a caller may rely on.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use crate::error::Result;

/// Whether a path is a file or a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// Something with bytes in it.
    File,
    /// Something with entries in it.
    Directory,
}

/// What a store says about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStatus {
    /// The absolute path in the store, exactly as the store spells it, to be handed back unchanged.
    pub path: String,
    /// File or directory, symbolic links followed.
    pub kind: EntryKind,
    /// Bytes of a file; 0 for a directory.
    pub size: u64,
    /// When a file was last modified, in milliseconds since 1970-01-01T00:00:00Z; `None` where the
    /// store does not say, and for directories met in a listing.
    pub modified_millis: Option<i64>,
}

impl FileStatus {
    /// The last component of the path.
    pub fn name(&self) -> &str {
        crate::path::file_name(&self.path)
    }

    /// Whether this is a directory.
    pub fn is_dir(&self) -> bool {
        self.kind == EntryKind::Directory
    }

    /// Whether this is a file.
    pub fn is_file(&self) -> bool {
        self.kind == EntryKind::File
    }
}

/// How a store puts a finished file in place without replacing another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PublishMode {
    /// A hard link, which fails when the target exists.
    HardLink,
    /// A rename that fails when the target exists.
    RenameNoReplace,
    /// A write that fails when the target exists. The content is written a second time.
    ConditionalPut,
}

/// What a store can do beyond the operations themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Files and directories are renamed in one step, whatever their size. Where this is false a
    /// rename copies and deletes file by file, and may stop half-way.
    pub rename: bool,
    /// How a file is published.
    pub publish: PublishMode,
    /// The store keeps keys rather than directories: a directory exists as long as a key lies below
    /// it or a marker stands for it.
    pub flat_listing: bool,
    /// Paths are paths of this machine's file system.
    pub local: bool,
}

/// What became of a file that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PublishOutcome {
    /// The file is at its target.
    Published,
    /// Something else is at the target. Both are as they were.
    TargetExists,
}

/// One store: a tree of files and directories under absolute paths (`/data/wh/t`).
///
/// A relative path and a `..` are errors where following them could do harm. What a listing returns
/// is handed back unchanged to the other calls: no path is ever encoded or decoded.
///
/// A dropped future leaves at most what its doc says may be left: work that has begun on the blocking
/// pool or in a store is not taken back.
#[async_trait]
pub trait FileSystem: Send + Sync + Debug + 'static {
    /// What this store can do.
    fn capabilities(&self) -> Capabilities;

    /// The children of a directory, never deeper, sorted by the bytes of their names.
    ///
    /// Hidden entries are included. Symbolic links are followed; one that leads nowhere, and what
    /// vanishes during the listing, is left out. The root of the store always exists.
    ///
    /// # Errors
    /// `NotFound` when there is no such directory; an error naming the file for a name that is not
    /// UTF-8 (a hidden one is left out); any other failure, which is never taken for an empty listing.
    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>>;

    /// Everything below a directory at any depth, sorted by the bytes of the paths, in one listing.
    ///
    /// Only for stores whose [`Capabilities::flat_listing`] is set: they keep keys, so this costs a request for a
    /// page of keys however deep they lie. Directories are those that have a marker. Hidden entries are
    /// included.
    ///
    /// # Errors
    /// `NotFound` when there is no such directory; `Unsupported` for other stores.
    async fn list_recursive(&self, dir: &str) -> Result<Vec<FileStatus>> {
        crate::error::NoFlatListingSnafu { path: dir }.fail()
    }

    /// What is at a path, symbolic links followed; `None` when nothing is.
    async fn stat(&self, path: &str) -> Result<Option<FileStatus>>;

    /// Opens a file once for any number of reads.
    ///
    /// `size` is what a listing said. It may save a store a request; it is never believed over the store.
    ///
    /// # Errors
    /// `NotFound` when there is nothing; an error for what is not a regular file.
    async fn open(&self, path: &str, size: Option<u64>) -> Result<Arc<dyn InputFile>>;

    /// Makes a new file and the directories above it.
    ///
    /// Nothing is promised about when the file becomes visible, so use hidden names only. A file that
    /// is dropped without [`OutputFile::close`] is removed as far as possible.
    ///
    /// # Errors
    /// `AlreadyExists` when there is something already, here or at [`OutputFile::close`].
    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>>;

    /// Writes a whole file if nothing is there, making the directories above it, and makes it durable.
    ///
    /// `false` when something is there already, which stays as it is. Exactly one of several writers
    /// gets `true`, and no reader ever sees a part of the bytes.
    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool>;

    /// As [`create_whole`](Self::create_whole), but leaves it to the operating system when the file becomes
    /// durable: after a power failure it may be gone, or be there without its bytes.
    ///
    /// The same where every write is durable.
    async fn create_whole_unsynced(&self, path: &str, bytes: Bytes) -> Result<bool> {
        self.create_whole(path, bytes).await
    }

    /// Makes the bytes of a closed file durable, but not its name; see
    /// [`sync_directory`](Self::sync_directory).
    ///
    /// Does nothing where closing a file makes it durable, which is what this default is for.
    ///
    /// # Errors
    /// `NotFound` when there is nothing, where there is something to do; a failure of the disk, which may be one
    /// of an earlier write.
    async fn sync_file(&self, _path: &str) -> Result<()> {
        Ok(())
    }

    /// Makes durable which names are directly in a directory, and the directory's own name above it.
    ///
    /// Does nothing in a store without directories, which is what this default is for, and where directories
    /// cannot be synced.
    ///
    /// # Errors
    /// As for [`sync_file`](Self::sync_file).
    async fn sync_directory(&self, _path: &str) -> Result<()> {
        Ok(())
    }

    /// Puts a finished file in place, making the directories above the target.
    ///
    /// Where closing a file does not make it durable, nor does this: see [`sync_file`](Self::sync_file) and
    /// [`sync_directory`](Self::sync_directory). Never replaces anything, whatever runs at the same time. The target appears whole. After
    /// [`PublishOutcome::Published`] the staged file is gone, unless removing it failed: the target
    /// then stands all the same and the leftover is for a later clean-up.
    ///
    /// # Errors
    /// `NotFound` naming the staged file when it is missing.
    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome>;

    /// Moves a file or a directory, making the directories above the target. Durable as after
    /// [`publish`](Self::publish).
    ///
    /// # Errors
    /// `NotFound` when there is nothing to move, `AlreadyExists` when something is at the target.
    async fn rename(&self, from: &str, to: &str) -> Result<()>;

    /// Deletes a file, or a symbolic link itself; `false` when nothing was there.
    ///
    /// # Errors
    /// An error for a directory.
    async fn delete_file(&self, path: &str) -> Result<bool>;

    /// Makes a directory and those above it, and makes what it made durable; fine when it exists.
    async fn create_dir(&self, path: &str) -> Result<()>;

    /// Removes a directory if it is empty; `false` when it is not, or is absent.
    async fn remove_dir(&self, path: &str) -> Result<bool>;

    /// Deletes a file, or a directory and everything below it; fine when it is absent.
    ///
    /// A symbolic link is deleted, never followed.
    ///
    /// # Errors
    /// The root of the store and a path with `..` are refused.
    async fn delete_tree(&self, path: &str) -> Result<()>;

    /// The lister for walks that run as a whole on a blocking thread; `None` where listing is not a
    /// matter of system calls.
    fn blocking_lister(&self) -> Option<Arc<dyn BlockingLister>> {
        None
    }
}

/// One entry of a directory, as cheaply as the store can tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawEntry<'a> {
    /// The entry's name, without the directory.
    pub name: &'a str,
    /// Directory or file, symbolic links followed.
    pub is_dir: bool,
    /// Bytes of a file, if asked for; else 0.
    pub size: u64,
    /// Last modification of a file in milliseconds since the epoch, if asked for.
    pub modified_millis: Option<i64>,
}

/// Lists directories on the calling thread.
pub trait BlockingLister: Send + Sync + Debug {
    /// Calls `visit` once per child of `dir`, in the order of the system.
    ///
    /// Sizes and times are looked up only for files and only if `want_metadata`. What is listed and
    /// what fails is as for [`FileSystem::list`]. Blocks: call it on a thread that may.
    fn list(
        &self,
        dir: &str,
        want_metadata: bool,
        visit: &mut dyn FnMut(RawEntry<'_>),
    ) -> Result<()>;
}

/// A file that is open for reading.
#[async_trait]
pub trait InputFile: Send + Sync + Debug {
    /// The path it was opened by.
    fn path(&self) -> &str;

    /// Its size in bytes when it was opened.
    fn size(&self) -> u64;

    /// Reads several ranges of bytes, in any order and overlap, and returns them in the order asked for.
    ///
    /// Near ranges are fetched together and served as slices of one buffer.
    ///
    /// # Errors
    /// `CorruptFile` naming path, range and size when a range does not lie inside the file.
    async fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>>;

    /// Reads one range of bytes; errors as for [`read_ranges`](Self::read_ranges).
    async fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let mut buffers = self.read_ranges(std::slice::from_ref(&range)).await?;
        Ok(buffers.pop().unwrap_or_default())
    }

    /// The reader for work that runs as a whole on a blocking thread; `None` where reading is not a matter of system
    /// calls.
    fn blocking_reader(&self) -> Option<&dyn BlockingReader> {
        None
    }
}

/// Reads an open file on the calling thread.
pub trait BlockingReader: Send + Sync {
    /// Reads one range of bytes; errors as for [`InputFile::read_ranges`]. Blocks: call it on a thread that may.
    fn read_blocking(&self, range: Range<u64>) -> Result<Bytes>;
}

/// A file that is being written.
///
/// Dropped without [`close`](Self::close), it is removed as far as possible.
#[async_trait]
pub trait OutputFile: Send + Debug {
    /// The path it was created by.
    fn path(&self) -> &str;

    /// Appends bytes.
    ///
    /// After an error, or when this future was dropped before it was done, the file cannot be written
    /// or closed any more.
    async fn write(&mut self, bytes: Bytes) -> Result<()>;

    /// Ends the file, for every reader to see whole, and returns its size in bytes. May be called again.
    ///
    /// Whether it is durable then is the store's: [`FileSystem::sync_file`] makes it so.
    async fn close(&mut self) -> Result<u64>;

    /// Gives the file up and removes it. A closed file is left alone: it belongs to the caller.
    async fn abort(&mut self) -> Result<()>;
}
