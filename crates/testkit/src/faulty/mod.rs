//! A file system that counts what is asked of it and fails on command.
//!
//! ```
//! use std::sync::Arc;
//!
//! use ftable_io::{FileSystem, OpendalFileSystem};
//! use ftable_testkit::faulty::{Fault, FaultyFileSystem, Operation, Rule};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), ftable_io::Error> {
//! // Each directory in turn cannot be made, until a run makes no more of them.
//! for call in 1.. {
//!     let store = Arc::new(OpendalFileSystem::memory(&format!("sweep-{call}"))?);
//!     let files = FaultyFileSystem::over(store);
//!     files.inject(Rule::new(Operation::CreateDir, Fault::Fail).call(call));
//!     let made = [files.create_dir("/a").await, files.create_dir("/b").await];
//!     if files.faults() == 0 {
//!         assert_eq!(call, 3);
//!         break;
//!     }
//!     assert!(made[call - 1].is_err());
//! }
//! # Ok(())
//! # }
//! ```

mod file;
mod rule;
mod state;

#[cfg(test)]
mod tests;

use std::mem;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use ftable_io::{
    Capabilities, FileStatus, FileSystem, InputFile, OutputFile, PublishOutcome, Result,
};

pub use rule::{Fault, Operation, Rule};
pub use state::Call;

use file::{WatchedInput, WatchedOutput};
use state::{State, Verdict};

/// A [`FaultyFileSystem`] that is used without rules: it only counts.
pub use FaultyFileSystem as CountingFileSystem;

/// Any file system, with faults, counters and a record of what was asked.
///
/// Files that are opened or created through it are watched too. Listings always go through
/// [`FileSystem::list`]: there is no short way past the counters.
///
/// Clones share everything.
#[derive(Debug, Clone)]
pub struct FaultyFileSystem {
    inner: Arc<dyn FileSystem>,
    state: Arc<State>,
}

impl FaultyFileSystem {
    /// A file system over another one, without rules.
    pub fn over(inner: Arc<dyn FileSystem>) -> Self {
        Self {
            inner,
            state: Arc::default(),
        }
    }

    /// Adds a rule. The first rule that fits a call decides it; delays add up before that.
    pub fn inject(&self, rule: Rule) {
        self.state.add(rule);
    }

    /// Takes all rules away. A crash is over too.
    pub fn heal(&self) {
        self.state.heal();
    }

    /// Begins to count anew and forgets the record; rules stay.
    pub fn reset_counters(&self) {
        self.state.reset_counters();
    }

    /// How often an operation was asked for, failed calls included. After a crash nothing counts.
    pub fn calls(&self, operation: Operation) -> usize {
        self.state.calls(operation)
    }

    /// How often anything was asked for.
    pub fn all_calls(&self) -> usize {
        self.state.all_calls()
    }

    /// How many calls a rule other than a delay decided.
    pub fn faults(&self) -> usize {
        self.state.faults()
    }

    /// Whether a crash has happened.
    pub fn has_crashed(&self) -> bool {
        self.state.has_crashed()
    }

    /// What was asked for, in the order it began.
    pub fn trace(&self) -> Vec<Call> {
        self.state.trace()
    }

    /// What was asked for outside a directory. The directory itself is inside.
    pub fn calls_outside(&self, directory: &str) -> Vec<Call> {
        let mut calls = self.trace();
        calls.retain(|call| !call.is_within(directory));
        calls
    }

    async fn run<T: Send>(
        &self,
        operation: Operation,
        path: &str,
        from: Option<&str>,
        work: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        watch(&self.state, operation, path, from, work).await
    }
}

/// Does the work, or what a rule says in its place.
async fn watch<T: Send>(
    state: &State,
    operation: Operation,
    path: &str,
    from: Option<&str>,
    work: impl Future<Output = Result<T>> + Send,
) -> Result<T> {
    match state.begin(operation, path, from).await {
        Verdict::Pass => work.await,
        Verdict::Fail(error) => Err(error),
        Verdict::LoseAnswer(error) => {
            // The caller never gets what the store made, so nothing undoes it either.
            mem::forget(work.await);
            Err(error)
        }
    }
}

#[async_trait]
impl FileSystem for FaultyFileSystem {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        let work = self.inner.list(dir);
        self.run(Operation::List, dir, None, work).await
    }

    async fn list_recursive(&self, dir: &str) -> Result<Vec<FileStatus>> {
        let work = self.inner.list_recursive(dir);
        self.run(Operation::List, dir, None, work).await
    }

    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        let work = self.inner.stat(path);
        self.run(Operation::Stat, path, None, work).await
    }

    async fn open(&self, path: &str, size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        let work = async {
            let file = self.inner.open(path, size).await?;
            let watched = WatchedInput::new(file, Arc::clone(&self.state));
            Ok(Arc::new(watched) as Arc<dyn InputFile>)
        };
        self.run(Operation::Open, path, None, work).await
    }

    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>> {
        let work = async {
            let file = self.inner.create(path).await?;
            let watched = WatchedOutput::new(file, Arc::clone(&self.state));
            Ok(Box::new(watched) as Box<dyn OutputFile>)
        };
        self.run(Operation::Create, path, None, work).await
    }

    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool> {
        let work = self.inner.create_whole(path, bytes);
        self.run(Operation::CreateWhole, path, None, work).await
    }

    async fn create_whole_unsynced(&self, path: &str, bytes: Bytes) -> Result<bool> {
        let work = self.inner.create_whole_unsynced(path, bytes);
        self.run(Operation::CreateWholeUnsynced, path, None, work)
            .await
    }

    async fn sync_file(&self, path: &str) -> Result<()> {
        let work = self.inner.sync_file(path);
        self.run(Operation::SyncFile, path, None, work).await
    }

    async fn sync_directory(&self, path: &str) -> Result<()> {
        let work = self.inner.sync_directory(path);
        self.run(Operation::SyncDirectory, path, None, work).await
    }

    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome> {
        let work = self.inner.publish(staged, target);
        self.run(Operation::Publish, target, Some(staged), work)
            .await
    }

    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        let work = self.inner.rename(from, to);
        self.run(Operation::Rename, to, Some(from), work).await
    }

    async fn delete_file(&self, path: &str) -> Result<bool> {
        let work = self.inner.delete_file(path);
        self.run(Operation::DeleteFile, path, None, work).await
    }

    async fn create_dir(&self, path: &str) -> Result<()> {
        let work = self.inner.create_dir(path);
        self.run(Operation::CreateDir, path, None, work).await
    }

    async fn remove_dir(&self, path: &str) -> Result<bool> {
        let work = self.inner.remove_dir(path);
        self.run(Operation::RemoveDir, path, None, work).await
    }

    async fn delete_tree(&self, path: &str) -> Result<()> {
        let work = self.inner.delete_tree(path);
        self.run(Operation::DeleteTree, path, None, work).await
    }
}
