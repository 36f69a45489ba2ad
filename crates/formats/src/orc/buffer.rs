//! Parts of a file held in memory, served to the decoder as if they were the file.

use std::io::{self, Cursor};
use std::ops::Range;
use std::sync::Mutex;

use bytes::Bytes;
use orc_rust::reader::ChunkReader;

/// Parts of a file. A read of anything else fails.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    size: u64,
    parts: Vec<(u64, Bytes)>,
}

impl Parts {
    pub(super) fn with(size: u64, ranges: &[Range<u64>], bytes: Vec<Bytes>) -> Self {
        let mut parts: Vec<_> = ranges.iter().map(|range| range.start).zip(bytes).collect();
        parts.sort_unstable_by_key(|(start, _)| *start);
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
    io::Error::new(io::ErrorKind::UnexpectedEof, format!("bytes {offset}+{length} are not in the file"))
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
        self.find(offset, length).ok_or_else(|| absent(offset, length))
    }
}

/// Parts of a file, and a record of the reads that wanted other parts.
///
/// Those are answered with no bytes, so that a decoder which only collects its inputs says what it will need.
pub(super) struct Recorder<'a> {
    parts: &'a Parts,
    wanted: Mutex<Vec<Range<u64>>>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(parts: &'a Parts) -> Self {
        Self { parts, wanted: Mutex::new(Vec::new()) }
    }

    pub(super) fn wanted(self) -> Vec<Range<u64>> {
        self.wanted.into_inner().unwrap_or_default()
    }
}

impl ChunkReader for Recorder<'_> {
    type T = Cursor<Bytes>;

    fn len(&self) -> u64 {
        self.parts.size
    }

    fn get_read(&self, offset: u64) -> io::Result<Self::T> {
        Err(absent(offset, 0))
    }

    fn get_bytes(&self, offset: u64, length: u64) -> io::Result<Bytes> {
        if let Some(bytes) = self.parts.find(offset, length) {
            return Ok(bytes);
        }
        let end = offset.checked_add(length).filter(|end| *end <= self.parts.size);
        let end = end.ok_or_else(|| absent(offset, length))?;
        match self.wanted.lock() {
            Ok(mut wanted) => wanted.push(offset..end),
            Err(_) => return Err(absent(offset, length)),
        }
        Ok(Bytes::new())
    }
}
