//! Files of a faulty file system.

use std::mem;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use ftable_io::{InputFile, OutputFile, Result};

use super::rule::Operation;
use super::state::State;
use super::watch;

#[derive(Debug)]
pub(super) struct WatchedInput {
    inner: Arc<dyn InputFile>,
    state: Arc<State>,
}

impl WatchedInput {
    pub(super) fn new(inner: Arc<dyn InputFile>, state: Arc<State>) -> Self {
        Self { inner, state }
    }
}

#[async_trait]
impl InputFile for WatchedInput {
    fn path(&self) -> &str {
        self.inner.path()
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let work = self.inner.read_ranges(ranges);
        watch(&self.state, Operation::Read, self.path(), None, work).await
    }
}

#[derive(Debug)]
pub(super) struct WatchedOutput {
    path: String,
    /// There until this is dropped.
    inner: Option<Box<dyn OutputFile>>,
    state: Arc<State>,
}

impl WatchedOutput {
    pub(super) fn new(inner: Box<dyn OutputFile>, state: Arc<State>) -> Self {
        Self {
            path: inner.path().to_owned(),
            inner: Some(inner),
            state,
        }
    }
}

#[async_trait]
impl OutputFile for WatchedOutput {
    fn path(&self) -> &str {
        &self.path
    }

    async fn write(&mut self, bytes: Bytes) -> Result<()> {
        let Some(inner) = &mut self.inner else {
            return Ok(());
        };
        let work = inner.write(bytes);
        watch(&self.state, Operation::Write, &self.path, None, work).await
    }

    async fn close(&mut self) -> Result<u64> {
        let Some(inner) = &mut self.inner else {
            return Ok(0);
        };
        let work = inner.close();
        watch(&self.state, Operation::Close, &self.path, None, work).await
    }

    async fn abort(&mut self) -> Result<()> {
        let Some(inner) = &mut self.inner else {
            return Ok(());
        };
        let work = inner.abort();
        watch(&self.state, Operation::DeleteFile, &self.path, None, work).await
    }
}

impl Drop for WatchedOutput {
    fn drop(&mut self) {
        // A process that died removes nothing.
        if self.state.has_crashed() {
            mem::forget(self.inner.take());
        }
    }
}
