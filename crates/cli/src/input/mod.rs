//! Files of rows that `insert` reads.
//!
//! | module | what it reads |
//! | --- | --- |
//! | `columnar` | Parquet and ORC, through the table formats' own readers |
//! | `arrow` | Arrow IPC files and streams |
//! | `csv` | RFC 4180 with a header |
//! | `json` | one object a line |
//! | `column` | texts and JSON values → a column of the declared type |
//!
//! Columns are matched by name. A nullable column that a file does not have is null, except a partition key: rows
//! would go to the default partition without anybody having said so.

mod arrow;
mod column;
mod columnar;
mod csv;
mod json;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use clap::ValueEnum;
use ftable_core::{DataField, FileFormatKind};
use ftable_io::Location;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use snafu::ResultExt;
use tempfile::NamedTempFile;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::error::{Error, FileSnafu, InputSnafu, Result, UsageSnafu};

/// Rows of a batch.
const BATCH_ROWS: usize = 8192;
/// Bytes of text after which a batch ends before it has [`BATCH_ROWS`].
const BATCH_BYTES: usize = 8 * 1024 * 1024;
/// The operand that means the standard input.
const STDIN: &str = "-";
/// Batches that wait to be written.
const WAITING: usize = 2;

/// The rows of a file.
pub(crate) type Batches = BoxStream<'static, Result<RecordBatch>>;

/// A format that rows are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    Parquet,
    Orc,
    /// With a header.
    Csv,
    /// One object a line.
    Json,
    /// A file or a stream.
    Arrow,
}

impl InputFormat {
    /// The format that a file's extension says.
    fn of_file(file: &str) -> Result<Self> {
        let extension = Path::new(file)
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        Ok(match extension.to_ascii_lowercase().as_str() {
            "parquet" => Self::Parquet,
            "orc" => Self::Orc,
            "csv" => Self::Csv,
            "json" | "jsonl" | "ndjson" => Self::Json,
            "arrow" | "arrows" | "ipc" | "feather" => Self::Arrow,
            _ => {
                let what = if file == STDIN {
                    "the standard input".to_owned()
                } else {
                    format!("'{file}'")
                };
                let message = format!(
                    "the format of {what} is not known; say --input-format parquet, orc, csv, json or arrow"
                );
                return UsageSnafu { message }.fail();
            }
        })
    }
}

/// Which columns rows have to have.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The columns to read.
    fields: Arc<[DataField]>,
    /// Columns that may be there and are not read.
    ignored: Vec<String>,
    /// Columns that a file must have, though they may be null.
    needed: Vec<String>,
}

impl Wanted {
    /// What rows need for a table: all its columns, or those that are no partition keys where the partition is given.
    pub(crate) fn new(
        fields: &[DataField],
        partition_keys: &[String],
        partition_is_given: bool,
    ) -> Self {
        let is_read =
            |field: &&DataField| !partition_is_given || !partition_keys.contains(&field.name);
        let keys = partition_keys.to_vec();
        let (ignored, needed) = if partition_is_given {
            (keys, Vec::new())
        } else {
            (Vec::new(), keys)
        };
        Self {
            fields: fields.iter().filter(is_read).cloned().collect(),
            ignored,
            needed,
        }
    }

    /// The position of a column among those read; `None` for one that is not read.
    ///
    /// # Errors
    /// A column that the table does not have.
    fn position(&self, name: &str) -> Result<Option<usize>, String> {
        let position = self.fields.iter().position(|field| field.name == name);
        if position.is_some() || self.ignored.iter().any(|ignored| ignored == name) {
            return Ok(position);
        }
        let known: Vec<&str> = self
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        Err(format!(
            "column '{name}' is not one of the table's: {}",
            known.join(", ")
        ))
    }

    /// Refuses a file that lacks a partition key.
    fn check_keys<'a>(&self, present: impl Fn(&str) -> bool + 'a) -> Result<(), String> {
        match self.needed.iter().find(|key| !present(key)) {
            None => Ok(()),
            Some(key) => Err(format!(
                "the partition key '{key}' is missing; say --partition {key}=VALUE"
            )),
        }
    }
}

/// Opens a file of rows, or the standard input for `-`.
pub(crate) async fn open(
    file: &str,
    format: Option<InputFormat>,
    wanted: &Wanted,
) -> Result<Batches> {
    let format = match format {
        Some(format) => format,
        None => InputFormat::of_file(file)?,
    };
    let wanted = wanted.clone();
    match format {
        InputFormat::Parquet => columnar::open(file, FileFormatKind::Parquet, &wanted).await,
        InputFormat::Orc => columnar::open(file, FileFormatKind::Orc, &wanted).await,
        InputFormat::Csv => Ok(blocking(file, move |source| {
            csv::Rows::open(source, wanted)
        })),
        InputFormat::Json => Ok(blocking(file, move |source| {
            json::Rows::new(source, wanted)
        })),
        InputFormat::Arrow => Ok(blocking(file, move |source| arrow::open(source, wanted))),
    }
}

/// A file or the standard input, open for reading.
struct Source {
    /// What messages call it.
    name: String,
    reader: Box<dyn BufRead + Send>,
}

impl Source {
    fn open(file: &str) -> Result<Self> {
        if file == STDIN {
            let reader = Box::new(BufReader::with_capacity(1 << 16, io::stdin()));
            return Ok(Self {
                name: "the standard input".to_owned(),
                reader,
            });
        }
        let reader = Box::new(BufReader::with_capacity(1 << 16, open_local(file)?));
        Ok(Self {
            name: file.to_owned(),
            reader,
        })
    }

    fn error(&self, message: impl Into<String>) -> Error {
        InputSnafu {
            file: &self.name,
            message,
        }
        .build()
    }
}

fn open_local(file: &str) -> Result<File> {
    let location: Location = file.parse()?;
    if !location.scheme().eq_ignore_ascii_case("file") {
        let message = "csv, json and arrow are read from local files; copy it to this machine, or pipe it in as -";
        return InputSnafu { file, message }.fail();
    }
    let context = FileSnafu {
        action: "open",
        path: file,
    };
    let opened = File::open(location.path()).context(context)?;
    let is_directory = opened.metadata().is_ok_and(|metadata| metadata.is_dir());
    match is_directory {
        true => InputSnafu {
            file,
            message: "it is a directory; name its files",
        }
        .fail(),
        false => Ok(opened),
    }
}

/// Copies what is left of a reader to a file that goes away with its handle.
fn spool(reader: &mut dyn Read) -> Result<NamedTempFile> {
    let context = FileSnafu {
        action: "copy to a temporary file",
        path: "the standard input",
    };
    let mut file = NamedTempFile::new().context(context)?;
    io::copy(reader, &mut file).context(context)?;
    Ok(file)
}

/// Reads on the blocking pool, a few batches ahead.
fn blocking<I>(file: &str, rows: impl FnOnce(Source) -> Result<I> + Send + 'static) -> Batches
where
    I: Iterator<Item = Result<RecordBatch>>,
{
    let (sender, receiver) = mpsc::channel(WAITING);
    let file = file.to_owned();
    let name = file.clone();
    let work = spawn_blocking(move || match Source::open(&file).and_then(rows) {
        Ok(batches) => {
            for batch in batches {
                let failed = batch.is_err();
                if sender.blocking_send(batch).is_err() || failed {
                    return;
                }
            }
        }
        // Nobody listens where this fails.
        Err(error) => drop(sender.blocking_send(Err(error))),
    });
    received(name, receiver, work)
}

/// What a reader sends. One that ends without having said so has failed: its rows are not all there.
fn received(
    name: String,
    receiver: mpsc::Receiver<Result<RecordBatch>>,
    work: JoinHandle<()>,
) -> Batches {
    let state = (receiver, Some(work));
    stream::unfold(state, move |(mut receiver, mut work)| {
        let name = name.clone();
        async move {
            if let Some(batch) = receiver.recv().await {
                return Some((batch, (receiver, work)));
            }
            let ended = work.take()?.await;
            let message = "the reader gave up; is the file what its format says";
            ended.is_err().then(|| {
                (
                    InputSnafu {
                        file: name,
                        message,
                    }
                    .fail(),
                    (receiver, None),
                )
            })
        }
    })
    .boxed()
}

#[cfg(test)]
mod testing {
    use super::*;

    /// A source of these bytes.
    pub(super) fn source(bytes: &[u8]) -> Source {
        Source {
            name: "rows".to_owned(),
            reader: Box::new(io::Cursor::new(bytes.to_vec())),
        }
    }

    /// What a table of these columns wants, no partition given.
    pub(super) fn wanted(columns: &str, keys: &[&str]) -> Wanted {
        let fields = ftable_core::types::parse_columns(columns).unwrap();
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        Wanted::new(&fields, &keys, false)
    }

    /// All rows as JSON lines.
    pub(super) fn lines(batches: impl Iterator<Item = Result<RecordBatch>>) -> Result<Vec<String>> {
        let mut text = Vec::new();
        for batch in batches {
            crate::render::json::write_rows(&batch?, &mut text)?;
        }
        Ok(String::from_utf8(text)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;

    use super::*;

    #[test]
    fn extensions_say_the_format() {
        for (file, format) in [
            ("a/b.parquet", InputFormat::Parquet),
            ("b.ORC", InputFormat::Orc),
            ("x.y.csv", InputFormat::Csv),
            ("x.jsonl", InputFormat::Json),
            ("x.feather", InputFormat::Arrow),
        ] {
            assert_eq!(InputFormat::of_file(file).unwrap(), format);
        }
        for file in ["-", "x", "x.csv.gz", ".csv"] {
            let error = InputFormat::of_file(file).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains("say --input-format"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_reader_that_panics_is_an_error_and_no_end() {
        struct Broken;
        impl Iterator for Broken {
            type Item = Result<RecordBatch>;
            fn next(&mut self) -> Option<Self::Item> {
                panic!("bad bytes")
            }
        }
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.arrow");
        std::fs::write(&file, "x").unwrap();
        let batches = blocking(file.to_str().unwrap(), |_| Ok(Broken));
        let error = batches
            .try_collect::<Vec<_>>()
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("x.arrow: the reader gave up; is the file what its format says"),
            "{error}"
        );
    }
}
