//! Files for the tests of this module: with a name of their own, and of any length without being held.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use async_trait::async_trait;
use bytes::Bytes;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions};
use ftable_io::InputFile;
use futures::TryStreamExt;
use proptest::prelude::*;
use proptest::sample::select;

use super::{BadLine, InvalidText, LineDecoder, LineFormat, read_lines};
use crate::testing::{concat, options, run, write};
use crate::{ReadRequest, file_format};

/// A file in memory with a name.
#[derive(Debug)]
struct Named(String, Bytes);

#[async_trait]
impl InputFile for Named {
    fn path(&self) -> &str {
        &self.0
    }

    fn size(&self) -> u64 {
        self.1.len() as u64
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> ftable_io::Result<Vec<Bytes>> {
        let slice = |range: &Range<u64>| self.1.slice(range.start as usize..range.end as usize);
        Ok(ranges.iter().map(slice).collect())
    }
}

pub(crate) fn named(path: &str, bytes: impl Into<Bytes>) -> Arc<dyn InputFile> {
    Arc::new(Named(path.to_owned(), bytes.into()))
}

/// What is read of a file, with nothing asked of it that a test of lines does not need.
pub(crate) fn request(
    file: Arc<dyn InputFile>,
    range: Option<Range<u64>>,
    batch_size: usize,
) -> ReadRequest {
    ReadRequest {
        file,
        range,
        fields: Arc::default(),
        table_fields: Arc::default(),
        batch_size,
        options: text_options(&[]),
        records: Arc::default(),
    }
}

pub(crate) fn text_options(given: &[(&str, &str)]) -> Arc<FormatTableOptions> {
    options(FileFormatKind::Text, given)
}

/// Makes a byte of its position.
type ByteAt = fn(u64) -> u8;

/// A file that makes its bytes up and records what is asked of it.
pub(crate) struct Recorded {
    path: String,
    size: u64,
    byte: ByteAt,
    asked: Mutex<Vec<Range<u64>>>,
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

impl Recorded {
    /// Bytes that differ from block to block.
    pub(crate) fn new(path: &str, size: u64) -> Self {
        Self::of(path, size, |at| (at ^ at >> 8 ^ at >> 16) as u8)
    }

    pub(crate) fn of(path: &str, size: u64, byte: ByteAt) -> Self {
        Self {
            path: path.to_owned(),
            size,
            byte,
            asked: Mutex::default(),
        }
    }

    pub(crate) fn bytes(&self, range: Range<u64>) -> Bytes {
        range.map(self.byte).collect()
    }

    /// The ranges that were asked for, in order.
    pub(crate) fn asked(&self) -> Vec<Range<u64>> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl InputFile for Recorded {
    fn path(&self) -> &str {
        &self.path
    }

    fn size(&self) -> u64 {
        self.size
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> ftable_io::Result<Vec<Bytes>> {
        self.asked.lock().unwrap().extend_from_slice(ranges);
        Ok(ranges
            .iter()
            .map(|range| self.bytes(range.clone()))
            .collect())
    }
}

/// Makes a row of each line, its text, and refuses lines that begin with `bad`.
pub(crate) struct Lines(Vec<String>);

impl Lines {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }
}

impl LineDecoder for Lines {
    fn line(&mut self, line: &str) -> Result<(), BadLine> {
        if let Some(rest) = line.strip_prefix("bad") {
            let column = rest.strip_prefix(':').map(str::to_owned);
            return Err(BadLine {
                column,
                reason: format!("{line} is no value"),
            });
        }
        if line != "drop" {
            self.0.push(line.to_owned());
        }
        Ok(())
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn memory_size(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }

    fn take_batch(&mut self) -> crate::Result<RecordBatch> {
        let texts = StringArray::from_iter_values(self.0.drain(..));
        let column: ArrayRef = Arc::new(texts);
        Ok(RecordBatch::try_from_iter([("line", column)]).unwrap())
    }
}

/// LF, no header, and the format csv.
pub(crate) fn csv() -> LineFormat {
    LineFormat {
        format: "csv",
        delimiter: "\n".to_owned(),
        header: false,
        invalid_text: InvalidText::Refuse,
    }
}

/// The texts of a batch of [`Lines`].
pub(crate) fn texts(batch: &RecordBatch) -> Vec<String> {
    let column = batch.column(0).as_string::<i32>();
    column.iter().map(|text| text.unwrap().to_owned()).collect()
}

/// The batches that are read of a request, as texts.
pub(crate) fn read_batches(
    request: &ReadRequest,
    format: LineFormat,
) -> crate::Result<Vec<Vec<String>>> {
    run(async {
        let stream = read_lines(request, format, Lines::new()).await?;
        stream.map_ok(|batch| texts(&batch)).try_collect().await
    })
}

/// The lines of a file, in whatever batches.
pub(crate) fn read_all(
    file: Arc<dyn InputFile>,
    range: Option<Range<u64>>,
    format: LineFormat,
) -> crate::Result<Vec<String>> {
    Ok(read_batches(&request(file, range, 3), format)?.concat())
}

/// Batches through the encoder and the reader of a format, whole: the rows read, and how many are counted.
pub(crate) fn written_and_read(
    kind: FileFormatKind,
    path: &str,
    given: &[(&str, &str)],
    fields: &Arc<[DataField]>,
    batches: &[RecordBatch],
) -> crate::Result<(RecordBatch, u64)> {
    let bytes = write(kind, given, fields, batches)?;
    let request = ReadRequest {
        fields: Arc::clone(fields),
        table_fields: Arc::clone(fields),
        options: options(kind, given),
        ..request(named(path, bytes), None, 7)
    };
    let format = file_format(kind);
    let (batches, count) = run(async {
        let count = format.count_rows(request.clone()).await?;
        let stream = format.read(request).await?;
        let batches: Vec<RecordBatch> = stream.try_collect().await?;
        Ok::<_, crate::Error>((batches, count))
    })?;
    Ok((concat(fields, &batches), count))
}

/// A codec of new files, and how a file of this kind that it compressed is named.
pub(crate) fn codec_and_path(
    kind: FileFormatKind,
) -> impl Strategy<Value = (&'static str, String)> {
    const CODECS: [(&str, &str); 7] = [
        ("none", ""),
        ("gzip", ".gz"),
        ("bzip2", ".bz2"),
        ("deflate", ".deflate"),
        ("snappy", ".snappy"),
        ("lz4", ".lz4"),
        ("zstd", ".zst"),
    ];
    let named = move |(codec, ending)| (codec, format!("/t/data-1.{}{ending}", kind.name()));
    select(&CODECS[..]).prop_map(named)
}

/// Bytes that hexadecimal digits stand for.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(u8::is_ascii_hexdigit)
        .map(|digit| (digit as char).to_digit(16).unwrap() as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}
