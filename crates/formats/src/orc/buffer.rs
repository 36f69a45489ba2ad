//! Parts of a file held in memory, served to the decoder as if they were the file.

use std::io::{self, Cursor};

use bytes::Bytes;
use orc_rust::reader::ChunkReader;

/// Parts of a file by their first byte. A read of anything else fails.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    size: u64,
    parts: Vec<(u64, Bytes)>,
}

impl Parts {
    pub(super) fn new(size: u64, mut parts: Vec<(u64, Bytes)>) -> Self {
        parts.sort_by_key(|(start, _)| *start);
        Self { size, parts }
    }

    pub(super) fn find(&self, offset: u64, length: u64) -> Option<Bytes> {
        if length == 0 {
            return Some(Bytes::new());
        }
        let after = self.parts.partition_point(|(start, _)| *start <= offset);
        let (start, bytes) = self.parts.get(after.checked_sub(1)?)?;
        let from = usize::try_from(offset - start).ok()?;
        let to = from.checked_add(usize::try_from(length).ok()?)?;
        (to <= bytes.len()).then(|| bytes.slice(from..to))
    }
}

fn absent(offset: u64, length: u64) -> io::Error {
    let message = format!("bytes {offset}+{length} are not in the file");
    io::Error::new(io::ErrorKind::UnexpectedEof, message)
}

impl ChunkReader for Parts {
    type T = Cursor<Bytes>;

    fn len(&self) -> u64 {
        self.size
    }

    fn get_read(&self, offset: u64) -> io::Result<Self::T> {
        Err(absent(offset, 0))
    }

    fn get_bytes(&self, offset: u64, length: u64) -> io::Result<Bytes> {
        self.find(offset, length)
            .ok_or_else(|| absent(offset, length))
    }
}
