//! Files of a store behind opendal.

use std::fmt;
use std::future::IntoFuture;
use std::ops::Range;

use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use opendal::{Operator, Writer};
use tokio::runtime::Handle;

use crate::error::{Error, OutputUnusableSnafu, Result, ShortReadSnafu};
use crate::file_system::{InputFile, OutputFile};
use crate::opendal_store::{CONCURRENT_REQUESTS, file_key, is_taken, patiently};
use crate::ranges::{Coalesce, FetchPlan};

/// A request costs as much time as reading many bytes does.
const COALESCE: Coalesce = Coalesce {
    max_gap: 1024 * 1024,
    max_fetch: 16 * 1024 * 1024,
};

/// A file of a store, read by requests.
#[derive(Debug)]
pub(super) struct OpendalInputFile {
    operator: Operator,
    path: String,
    size: u64,
}

impl OpendalInputFile {
    pub(super) fn new(operator: Operator, path: &str, size: u64) -> Self {
        Self {
            operator,
            path: path.to_owned(),
            size,
        }
    }

    async fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        let key = file_key(&self.path)?;
        let read = || {
            self.operator
                .read_with(key)
                .range(range.clone())
                .into_future()
        };
        let read = patiently(read).await;
        let buffer = match read {
            Ok(buffer) => buffer.to_bytes(),
            Err(error) if error.kind() == opendal::ErrorKind::RangeNotSatisfied => Bytes::new(),
            Err(error) => return Err(Error::from_opendal("read", &self.path, error)),
        };
        if buffer.len() as u64 == range.end - range.start {
            return Ok(buffer);
        }
        ShortReadSnafu {
            path: self.path.clone(),
            start: range.start,
            end: range.end,
            size: range.start + buffer.len() as u64,
        }
        .fail()
    }
}

#[async_trait]
impl InputFile for OpendalInputFile {
    fn path(&self) -> &str {
        &self.path
    }

    fn size(&self) -> u64 {
        self.size
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let plan = FetchPlan::new(&self.path, self.size, ranges, COALESCE)?;
        let buffers: Vec<Bytes> = stream::iter(plan.fetches().to_vec())
            .map(|range| self.fetch(range))
            .buffered(CONCURRENT_REQUESTS)
            .try_collect()
            .await?;
        // Each buffer has the length planned, so the slices lie inside.
        Ok(plan.slice(&buffers).unwrap_or_default())
    }
}

/// A file that appears when it is closed.
pub(super) struct OpendalOutputFile {
    path: String,
    writer: Option<Writer>,
    /// The writer after a call that failed: of no use but to take back what it has sent.
    failed: Option<Writer>,
    written: u64,
    closed: bool,
}

impl OpendalOutputFile {
    pub(super) fn new(path: &str, writer: Writer) -> Self {
        Self {
            path: path.to_owned(),
            writer: Some(writer),
            failed: None,
            written: 0,
            closed: false,
        }
    }

    /// Takes the writer for a call; without it the file cannot be used any more.
    fn take_writer(&mut self, operation: &'static str) -> Result<Writer> {
        let state = if self.closed {
            "it is closed"
        } else {
            "an earlier write failed, or it was given up"
        };
        self.writer.take().ok_or_else(|| {
            OutputUnusableSnafu {
                operation,
                path: self.path.clone(),
                state,
            }
            .build()
        })
    }
}

impl Drop for OpendalOutputFile {
    /// What was sent of a file that was given up is not seen, but takes room in some stores.
    fn drop(&mut self) {
        let given_up = self.writer.take().or(self.failed.take());
        if let (Some(mut writer), Ok(runtime)) = (given_up, Handle::try_current()) {
            runtime.spawn(async move { writer.abort().await });
        }
    }
}

impl fmt::Debug for OpendalOutputFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OpendalOutputFile")
            .field("path", &self.path)
            .field("written", &self.written)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl OutputFile for OpendalOutputFile {
    fn path(&self) -> &str {
        &self.path
    }

    async fn write(&mut self, bytes: Bytes) -> Result<()> {
        let mut writer = self.take_writer("write")?;
        let length = bytes.len() as u64;
        if let Err(error) = writer.write(bytes).await {
            self.failed = Some(writer);
            return Err(Error::from_opendal("write", &self.path, error));
        }
        self.written += length;
        self.writer = Some(writer);
        Ok(())
    }

    async fn close(&mut self) -> Result<u64> {
        if self.closed {
            return Ok(self.written);
        }
        let mut writer = self.take_writer("close")?;
        let Err(error) = writer.close().await else {
            self.closed = true;
            return Ok(self.written);
        };
        self.failed = Some(writer);
        match is_taken(&error) {
            true => Err(Error::AlreadyExists {
                operation: "close",
                path: self.path.clone(),
            }),
            false => Err(Error::from_opendal("close", &self.path, error)),
        }
    }

    async fn abort(&mut self) -> Result<()> {
        match self.writer.take().or(self.failed.take()) {
            Some(mut writer) => writer
                .abort()
                .await
                .map_err(|error| Error::from_opendal("delete", &self.path, error)),
            None => Ok(()),
        }
    }
}
