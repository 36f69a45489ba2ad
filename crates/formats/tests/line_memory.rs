//! How much memory lines take: one that never ends, and few compressed bytes that stand for many.

// What cannot be made fails the test that needs it.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::alloc::System;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use cap::Cap;
use common::{columns, request, runtime};
use ftable_core::{ErrorKind, FileFormatKind};
use ftable_formats::{ReadRequest, file_format};
use ftable_io::InputFile;
use futures::TryStreamExt;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

const MIB: u64 = 1024 * 1024;
/// Lines of a MiB in each compressed file.
const LINES: usize = 128;

/// Two gigabytes without an end of a line.
#[derive(Debug)]
struct Endless;

#[async_trait]
impl InputFile for Endless {
    fn path(&self) -> &str {
        "/t/endless"
    }

    fn size(&self) -> u64 {
        2048 * MIB
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> ftable_io::Result<Vec<Bytes>> {
        let length = |range: &Range<u64>| (range.end - range.start) as usize;
        Ok(ranges
            .iter()
            .map(|range| vec![b'a'; length(range)].into())
            .collect())
    }
}

/// A file in memory with a name.
#[derive(Debug)]
struct Named(&'static str, Bytes);

#[async_trait]
impl InputFile for Named {
    fn path(&self) -> &str {
        self.0
    }

    fn size(&self) -> u64 {
        self.1.len() as u64
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> ftable_io::Result<Vec<Bytes>> {
        let slice = |range: &Range<u64>| self.1.slice(range.start as usize..range.end as usize);
        Ok(ranges.iter().map(slice).collect())
    }
}

fn text(file: Arc<dyn InputFile>) -> ReadRequest {
    ReadRequest {
        file,
        batch_size: 4,
        ..request(FileFormatKind::Text, &Bytes::new(), &columns("line STRING"))
    }
}

/// 128 MiB of long lines, given to a compressor.
fn fill(mut out: impl Write) {
    let line = [vec![b'a'; MIB as usize - 1], vec![b'\n']].concat();
    for _ in 0..LINES {
        out.write_all(&line).unwrap();
    }
}

/// What reading takes beyond what is held already, at its highest.
fn taken(read: impl FnOnce()) -> u64 {
    let before = MEMORY.allocated() as u64;
    // The highest so far is of what came before, which is why the larger test comes last.
    read();
    (MEMORY.max_allocated() as u64).saturating_sub(before)
}

#[test]
fn memory_is_bounded_whatever_a_file_holds() {
    let format = file_format(FileFormatKind::Text);
    let mut files = Vec::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    fill(&mut gzip);
    files.push(Named("/t/a.gz", gzip.finish().unwrap().into()));
    let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    fill(&mut zstd);
    files.push(Named("/t/a.zst", zstd.finish().unwrap().into()));
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    fill(&mut bzip2);
    files.push(Named("/t/a.bz2", bzip2.finish().unwrap().into()));
    for file in files {
        let (name, packed) = (file.0, file.1.len());
        assert!(packed < 4 * MIB as usize, "{name}: {packed}");
        let file: Arc<dyn InputFile> = Arc::new(file);
        let request = text(Arc::clone(&file));
        let most = taken(|| {
            runtime().block_on(async {
                assert_eq!(
                    format.count_rows(request.clone()).await.unwrap(),
                    LINES as u64
                );
                let stream = format.read(request).await.unwrap();
                let batches = stream.map_ok(|batch| batch.num_rows());
                let rows = batches.try_fold(0, async |sum, rows| Ok(sum + rows)).await;
                assert_eq!(rows.unwrap(), LINES);
            });
        });
        assert!(most < 16 * MIB, "{name}: {most} bytes");
    }
    let most = taken(|| {
        let error = runtime().block_on(async {
            let stream = format.read(text(Arc::new(Endless))).await.unwrap();
            stream.try_for_each(async |_| Ok(())).await.unwrap_err()
        });
        assert_eq!(error.kind(), ErrorKind::CorruptFile);
        assert!(
            error
                .to_string()
                .starts_with("/t/endless: line 1: it is longer than 67108864 bytes;")
        );
    });
    // What is here of the line grows by copying it.
    assert!(most < 112 * MIB, "{most} bytes");
}
