//! A store with faults.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use ftable_io::{
    Capabilities, Error, FileStatus, FileSystem, InputFile, OutputFile, PublishOutcome, Result,
};

use super::Warehouse;

/// The store of a warehouse, with faults.
#[derive(Debug)]
pub(super) struct Faulty {
    inner: Arc<dyn FileSystem>,
    lose_answers: bool,
    stuck: Option<String>,
}

impl Faulty {
    pub(super) fn over(warehouse: &Warehouse) -> Self {
        Self {
            inner: Arc::clone(&warehouse.catalog.file_system),
            lose_answers: false,
            stuck: None,
        }
    }

    /// Conditional puts take effect and then say that something was there.
    pub(super) fn losing_answers(mut self) -> Self {
        self.lose_answers = true;
        self
    }

    /// This path, and what holds it, cannot be deleted.
    pub(super) fn with_stuck(mut self, path: String) -> Self {
        self.stuck = Some(path);
        self
    }
}

#[async_trait]
impl FileSystem for Faulty {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        self.inner.list(dir).await
    }
    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        self.inner.stat(path).await
    }
    async fn open(&self, path: &str, size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        self.inner.open(path, size).await
    }
    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>> {
        self.inner.create(path).await
    }
    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool> {
        self.inner
            .create_whole(path, bytes)
            .await
            .map(|created| created && !self.lose_answers)
    }
    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome> {
        self.inner.publish(staged, target).await
    }
    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.inner.rename(from, to).await
    }
    async fn delete_file(&self, path: &str) -> Result<bool> {
        self.inner.delete_file(path).await
    }
    async fn create_dir(&self, path: &str) -> Result<()> {
        self.inner.create_dir(path).await
    }
    async fn remove_dir(&self, path: &str) -> Result<bool> {
        self.inner.remove_dir(path).await
    }
    async fn delete_tree(&self, path: &str) -> Result<()> {
        if self
            .stuck
            .as_ref()
            .is_some_and(|stuck| stuck.starts_with(path))
        {
            return Err(Error::NotAFile {
                operation: "delete",
                path: path.to_owned(),
            });
        }
        self.inner.delete_tree(path).await
    }
}
