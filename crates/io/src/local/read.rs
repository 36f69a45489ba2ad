//! Reading ranges of a local file that stays open.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use crate::blocking::blocking;
use crate::error::{Error, OutOfMemorySnafu, Result, ShortReadSnafu};
use crate::file_system::{BlockingReader, InputFile};
use crate::ranges::{Coalesce, FetchPlan};

const READ: &str = "read";

/// On a local disk a call saved is worth little, so little is read in vain.
const COALESCE: Coalesce = Coalesce {
    max_gap: 64 * 1024,
    max_fetch: 8 * 1024 * 1024,
};

/// A local file, opened once.
#[derive(Debug)]
pub(super) struct LocalInputFile {
    path: String,
    size: u64,
    file: Arc<File>,
}

impl LocalInputFile {
    pub(super) fn open(path: &str) -> Result<Self> {
        let failed = |error| Error::from_io("open", path, error);
        // Looked at before it is opened: opening a named pipe would wait for its writer.
        let metadata = fs::metadata(path).map_err(failed)?;
        if !metadata.is_file() {
            return Err(Error::NotAFile {
                operation: "open",
                path: path.to_owned(),
            });
        }
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        Ok(Self {
            path: path.to_owned(),
            size,
            file: Arc::new(file),
        })
    }
}

#[async_trait]
impl InputFile for LocalInputFile {
    fn path(&self) -> &str {
        &self.path
    }

    fn size(&self) -> u64 {
        self.size
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let plan = FetchPlan::new(&self.path, self.size, ranges, COALESCE)?;
        let file = Arc::clone(&self.file);
        let path = self.path.clone();
        blocking(READ, &self.path, move || {
            let fetch = |range: &Range<u64>| read_range(&file, &path, range).map(Bytes::from);
            let buffers = plan
                .fetches()
                .iter()
                .map(fetch)
                .collect::<Result<Vec<_>>>()?;
            // Each buffer has the length planned, so the slices lie inside.
            Ok(plan.slice(&buffers).unwrap_or_default())
        })
        .await
    }

    fn blocking_reader(&self) -> Option<&dyn BlockingReader> {
        Some(self)
    }
}

impl BlockingReader for LocalInputFile {
    fn read_blocking(&self, range: Range<u64>) -> Result<Bytes> {
        // Refuses what does not lie inside the file.
        FetchPlan::new(
            &self.path,
            self.size,
            std::slice::from_ref(&range),
            COALESCE,
        )?;
        read_range(&self.file, &self.path, &range).map(Bytes::from)
    }
}

fn read_range(file: &File, path: &str, range: &Range<u64>) -> Result<Vec<u8>> {
    let length = range.end - range.start;
    let mut buffer = Vec::new();
    let reserved = usize::try_from(length)
        .ok()
        .filter(|&length| buffer.try_reserve_exact(length).is_ok());
    let Some(reserved) = reserved else {
        return OutOfMemorySnafu { path, length }.fail();
    };
    buffer.resize(reserved, 0);
    match read_exact_at(file, &mut buffer, range.start) {
        Ok(()) => Ok(buffer),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => ShortReadSnafu {
            path,
            start: range.start,
            end: range.end,
            size: file
                .metadata()
                .map_or(range.start, |metadata| metadata.len()),
        }
        .fail(),
        Err(error) => Err(Error::from_io(READ, path, error)),
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !buffer.is_empty() {
        match file.seek_read(buffer, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                offset += read as u64;
                buffer = buffer.get_mut(read..).unwrap_or_default();
            }
        }
    }
    Ok(())
}
