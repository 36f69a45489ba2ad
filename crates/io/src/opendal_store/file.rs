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
use crate::opendal_store::{
    CONCURRENT_REQUESTS, FIRST_PAUSE, RETRIES, file_key, is_taken, patiently,
};
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
    /// Stays here during calls, so that one that is given up half-way leaves what takes back what was sent. Absent once
    /// there is nothing to take back.
    writer: Option<Writer>,
    /// A call failed or was given up.
    broken: bool,
    written: u64,
    closed: bool,
}

impl OpendalOutputFile {
    pub(super) fn new(path: &str, writer: Writer) -> Self {
        Self {
            path: path.to_owned(),
            writer: Some(writer),
            broken: false,
            written: 0,
            closed: false,
        }
    }

    /// The writer for a call. Until the call says that it went well the file cannot be used any more.
    fn begin(&mut self, operation: &'static str) -> Result<&mut Writer> {
        let unusable = |state| OutputUnusableSnafu {
            operation,
            path: self.path.clone(),
            state,
        };
        if self.closed {
            return unusable("it is closed").fail();
        }
        if self.broken {
            return unusable("an earlier write failed, or it was given up").fail();
        }
        let removed = unusable("it was removed");
        self.broken = true;
        self.writer.as_mut().ok_or_else(|| removed.build())
    }
}

impl Drop for OpendalOutputFile {
    /// What was sent of a file that was given up is not seen, but takes room in some stores.
    fn drop(&mut self) {
        let given_up = self.writer.take().filter(|_| !self.closed);
        if let (Some(mut writer), Ok(runtime)) = (given_up, Handle::try_current()) {
            runtime.spawn(async move { take_back(&mut writer).await });
        }
    }
}

/// Removes what was sent, which may be asked for more than once.
async fn take_back(writer: &mut Writer) -> opendal::Result<()> {
    for _ in 0..RETRIES {
        match writer.abort().await {
            Err(error) if error.is_temporary() => tokio::time::sleep(FIRST_PAUSE).await,
            done => return done,
        }
    }
    writer.abort().await
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
        let length = bytes.len() as u64;
        let written = self.begin("write")?.write(bytes).await;
        written.map_err(|error| Error::from_opendal("write", &self.path, error))?;
        self.written += length;
        self.broken = false;
        Ok(())
    }

    async fn close(&mut self) -> Result<u64> {
        if self.closed {
            return Ok(self.written);
        }
        match self.begin("close")?.close().await {
            Ok(_) => {
                self.closed = true;
                self.writer = None;
                Ok(self.written)
            }
            Err(error) if is_taken(&error) => Err(Error::AlreadyExists {
                operation: "close",
                path: self.path.clone(),
            }),
            Err(error) => Err(Error::from_opendal("close", &self.path, error)),
        }
    }

    async fn abort(&mut self) -> Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        self.broken = true;
        let taken_back = take_back(writer).await;
        taken_back.map_err(|error| Error::from_opendal("delete", &self.path, error))?;
        self.writer = None;
        Ok(())
    }
}
