//! Files in memory, and what the public read path makes of them.

// Every test binary uses a part of this; what cannot be made fails the test that needs it.
#![allow(dead_code, clippy::panic, clippy::unwrap_used)]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use async_trait::async_trait;
use bytes::Bytes;
use ftable_core::types::parse_columns;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions, Options};
use ftable_formats::{Error, ReadRequest, file_format};
use ftable_io::InputFile;
use futures::TryStreamExt;

pub(crate) const PARQUET: FileFormatKind = FileFormatKind::Parquet;
pub(crate) const ORC: FileFormatKind = FileFormatKind::Orc;

/// The path that every file in memory says it has.
pub(crate) const PATH: &str = "/t/data-1";

#[derive(Debug)]
struct MemoryFile(Bytes);

#[async_trait]
impl InputFile for MemoryFile {
    fn path(&self) -> &str {
        PATH
    }

    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> ftable_io::Result<Vec<Bytes>> {
        let slice = |range: &Range<u64>| {
            let inside = range.start <= range.end && range.end <= self.size();
            assert!(inside, "{range:?} of {} bytes was asked for", self.size());
            self.0.slice(range.start as usize..range.end as usize)
        };
        Ok(ranges.iter().map(slice).collect())
    }
}

pub(crate) fn file(bytes: &Bytes) -> Arc<dyn InputFile> {
    Arc::new(MemoryFile(bytes.clone()))
}

/// The folder of the files that other engines wrote for these tests.
pub(crate) fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

pub(crate) fn load(name: &str) -> Bytes {
    let path = data().join(name);
    std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .into()
}

pub(crate) fn columns(ddl: &str) -> Arc<[DataField]> {
    parse_columns(ddl)
        .unwrap_or_else(|error| panic!("{ddl}: {error}"))
        .into()
}

/// The options of a table of this format, with those given.
pub(crate) fn options(kind: FileFormatKind, given: &[(&str, &str)]) -> Arc<FormatTableOptions> {
    let mut all = Options::from_iter([("file.format".to_owned(), kind.name().to_owned())]);
    for (key, value) in given {
        all.set(*key, *value);
    }
    Arc::new(FormatTableOptions::resolve(&all).unwrap())
}

pub(crate) fn request(
    kind: FileFormatKind,
    bytes: &Bytes,
    fields: &Arc<[DataField]>,
) -> ReadRequest {
    ReadRequest {
        file: file(bytes),
        range: None,
        fields: Arc::clone(fields),
        table_fields: Arc::clone(fields),
        batch_size: 1024,
        options: options(kind, &[]),
        records: Arc::default(),
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap()
}

/// Why the columns of a file cannot be read as declared, whatever its values.
pub(crate) fn refusal(kind: FileFormatKind, bytes: &Bytes, ddl: &str) -> Option<Error> {
    let request = request(kind, bytes, &columns(ddl));
    let opened = runtime().block_on(file_format(kind).read(request));
    opened.err()
}

/// The values of the one column of a file that is asked for, as texts.
pub(crate) fn read(kind: FileFormatKind, bytes: &Bytes, ddl: &str) -> Result<Vec<String>, Error> {
    let request = request(kind, bytes, &columns(ddl));
    let batches: Vec<RecordBatch> = runtime().block_on(async {
        let stream = file_format(kind).read(request).await?;
        stream.try_collect().await
    })?;
    Ok(batches
        .iter()
        .flat_map(|batch| texts(batch.column(0).as_ref()))
        .collect())
}

fn texts(array: &dyn Array) -> Vec<String> {
    let options = FormatOptions::new().with_null("NULL");
    let formatter = ArrayFormatter::try_new(array, &options).unwrap();
    (0..array.len())
        .map(|row| formatter.value(row).to_string())
        .collect()
}
