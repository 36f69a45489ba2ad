//! The files of one partition: when one is full the next begins.

use arrow_array::{RecordBatch, new_null_array};
use arrow_schema::{ArrowError, DataType as ArrowType};
use arrow_select::concat::concat_batches;
use ftable_core::types::to_arrow_schema;
use ftable_core::{DataField, TypeKind};
use ftable_formats::{FileEncoder, WriteRequest};
use ftable_io::OutputFile;
use snafu::ResultExt;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use super::held::{Held, Memory};
use super::message::CommitMessage;
use super::stage::{Ledger, staged_path};
use crate::error::{CutOffSnafu, Error, InternalSnafu, Result};
use crate::format_table::FormatTable;

/// Rows after which the size of a file that is nearly full is looked at.
const CHECK_ROWS: u64 = 1000;
/// Rows encoded in one step while the file is far from full.
const STEP_ROWS: u64 = 32 * 1024;
/// Bytes an encoder must hold before its row group or stripe is ended early: smaller ones are slow to read.
const SMALLEST_GROUP: u64 = 4 * 1024 * 1024;

/// Writes one file after the other.
pub(super) struct FileRoller {
    table: FormatTable,
    directory: String,
    ledger: Ledger,
    memory: Memory,
    /// In the names of all files of this writer and partition.
    uuid: Uuid,
    next_number: u64,
    open: Option<OpenFile>,
    messages: Vec<CommitMessage>,
}

struct OpenFile {
    encoder: Box<dyn FileEncoder>,
    /// What the encoder holds, counted over all open files.
    held: Held,
    output: Box<dyn OutputFile>,
    staged: String,
    target: String,
    rows: u64,
}

impl FileRoller {
    pub(super) fn new(
        table: &FormatTable,
        directory: String,
        ledger: Ledger,
        memory: Memory,
    ) -> Self {
        Self {
            table: table.clone(),
            directory,
            ledger,
            memory,
            uuid: Uuid::new_v4(),
            next_number: 0,
            open: None,
            messages: Vec::new(),
        }
    }

    pub(super) fn take_messages(&mut self) -> Vec<CommitMessage> {
        std::mem::take(&mut self.messages)
    }

    /// Encodes rows into the open file, and further ones when it gets full.
    pub(super) async fn append(&mut self, batches: Vec<RecordBatch>) -> Result<()> {
        if batches.is_empty() {
            return Ok(());
        }
        let mut left = match batches.len() {
            1 => batches.into_iter().next(),
            _ => Some(concatenated(&self.table, batches).await?),
        };
        while let Some(batch) = left.take() {
            let mut file = match self.open.take() {
                Some(file) => file,
                None => self.open_file().await?,
            };
            let limits = Limits::new(&self.table);
            let (encoder, mut step) = blocking(&self.table, move || {
                limits.encode(file.encoder, &batch, file.rows)
            })
            .await?;
            file.encoder = encoder;
            file.rows = step.rows;
            if !step.bytes.is_empty() {
                file.output
                    .write(std::mem::take(&mut step.bytes))
                    .await
                    .context(self.table.io())?;
            }
            self.open = Some(relieved(&self.table, file).await?);
            if step.full {
                self.end_file(None).await?;
            }
            left = step.left;
        }
        Ok(())
    }

    /// Ends the open file, if there is one, and makes its message. The processor is given back once it is encoded.
    pub(super) async fn end_file(&mut self, processor: Option<OwnedSemaphorePermit>) -> Result<()> {
        let Some(OpenFile {
            encoder,
            mut output,
            staged,
            target,
            rows,
            ..
        }) = self.open.take()
        else {
            return Ok(());
        };
        let table = self.table.clone();
        let bytes = blocking(&self.table, move || {
            encoder.finish().context(table.format_error())
        })
        .await?;
        drop(processor);
        output.write(bytes).await.context(self.table.io())?;
        let size = output.close().await.context(self.table.io())?;
        let location = self.table.location().normalized();
        self.messages.push(CommitMessage::new(
            location,
            &self.directory,
            staged,
            target,
            rows,
            size,
        ));
        Ok(())
    }

    async fn open_file(&mut self) -> Result<OpenFile> {
        let options = self.table.options();
        let name = format!(
            "{}{}-{}{}",
            options.data_file_prefix, self.uuid, self.next_number, options.extension
        );
        let target = if self.directory.is_empty() {
            name
        } else {
            format!("{}/{name}", self.directory)
        };
        let staged = staged_path(&self.directory);
        let path = ftable_io::path::join(self.table.root(), &staged);
        self.ledger.add(path.clone());
        let output = self
            .table
            .file_system()
            .create(&path)
            .await
            .context(self.table.io())?;
        let request = WriteRequest {
            fields: file_fields(&self.table),
            options: Arc::clone(self.table.shared_options()),
        };
        let encoder = self
            .table
            .file_format()
            .encoder(request)
            .context(self.table.format_error())?;
        self.next_number += 1;
        Ok(OpenFile {
            encoder,
            held: Held::new(&self.memory),
            output,
            staged,
            target,
            rows: 0,
        })
    }
}

/// Ends the row group or stripe at hand where all encoders together hold more than they may.
async fn relieved(table: &FormatTable, mut file: OpenFile) -> Result<OpenFile> {
    let own = file.encoder.memory_size();
    let total = file.held.update(own);
    if own < SMALLEST_GROUP || total <= table.options().write_buffer_size {
        return Ok(file);
    }
    let of_work = table.clone();
    let (encoder, bytes) = blocking(table, move || {
        let mut encoder = file.encoder;
        encoder.flush().context(of_work.format_error())?;
        let bytes = encoder.take_bytes();
        Ok((encoder, bytes))
    })
    .await?;
    file.encoder = encoder;
    file.held.update(file.encoder.memory_size());
    file.output.write(bytes).await.context(table.io())?;
    Ok(file)
}

async fn concatenated(table: &FormatTable, batches: Vec<RecordBatch>) -> Result<RecordBatch> {
    let of_work = table.clone();
    blocking(table, move || {
        let schema = to_arrow_schema(of_work.data_fields()).context(of_work.core())?;
        concat_batches(&schema, &batches).map_err(|error| {
            InternalSnafu {
                table: of_work.name(),
                message: error.to_string(),
            }
            .build()
        })
    })
    .await
}

async fn blocking<T: Send + 'static>(
    table: &FormatTable,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => InternalSnafu {
            table: table.name(),
            message: "the encoder panicked",
        }
        .fail(),
        Err(_) => CutOffSnafu {
            table: table.name(),
            what: "a write",
        }
        .fail(),
    }
}

/// The column of files whose table has partition columns only. Parquet keeps no count of rows without a column.
const ROW_COLUMN: &str = "_ROW";

/// The columns of a file: the data columns, or one that does nothing but count the rows.
fn file_fields(table: &FormatTable) -> Arc<[DataField]> {
    match table.data_fields().is_empty() {
        true => Arc::new([DataField::new(0, ROW_COLUMN, TypeKind::Boolean)]),
        false => Arc::clone(table.data_fields()),
    }
}

/// The rows of a batch in the columns of a file.
fn file_columns(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    match batch.num_columns() {
        0 => RecordBatch::try_from_iter([(
            ROW_COLUMN,
            new_null_array(&ArrowType::Boolean, batch.num_rows()),
        )]),
        _ => Ok(batch.clone()),
    }
}

/// When a file is full.
struct Limits {
    table: FormatTable,
    rows: u64,
    bytes: u64,
}

/// What became of a batch.
struct Step {
    /// Rows of the file now.
    rows: u64,
    /// Bytes of the file that are final.
    bytes: bytes::Bytes,
    full: bool,
    /// What belongs into the next file.
    left: Option<RecordBatch>,
}

impl Limits {
    fn new(table: &FormatTable) -> Self {
        let options = table.options();
        Self {
            table: table.clone(),
            rows: options.target_file_row_num,
            bytes: options.target_file_size,
        }
    }

    /// Encodes a batch until it ends or the file is full.
    fn encode(
        &self,
        mut encoder: Box<dyn FileEncoder>,
        batch: &RecordBatch,
        mut rows: u64,
    ) -> Result<(Box<dyn FileEncoder>, Step), Error> {
        let total = batch.num_rows();
        let columns = file_columns(batch).map_err(|error| {
            InternalSnafu {
                table: self.table.name(),
                message: error.to_string(),
            }
            .build()
        })?;
        let mut done = 0;
        let mut full = false;
        while done < total && !full {
            let step = self
                .step(rows, encoder.encoded_size())
                .min((total - done) as u64);
            let count = usize::try_from(step).unwrap_or(total - done);
            encoder
                .write(&columns.slice(done, count))
                .context(self.table.format_error())?;
            done += count;
            rows += step;
            full = rows >= self.rows || encoder.encoded_size() >= self.bytes;
        }
        let left = (done < total).then(|| batch.slice(done, total - done));
        let bytes = encoder.take_bytes();
        Ok((
            encoder,
            Step {
                rows,
                bytes,
                full,
                left,
            },
        ))
    }

    /// How many rows to encode before looking again: all that surely fit, and never fewer than Java looks after. An
    /// estimate from few rows may be far off, so never more than the file has already.
    fn step(&self, rows: u64, size: u64) -> u64 {
        let until_rows = self.rows.saturating_sub(rows).max(1);
        let per_row = (size / rows.max(1)).max(1);
        let until_bytes = match rows {
            0 => CHECK_ROWS,
            _ => (self.bytes.saturating_sub(size) / per_row / 2)
                .min(rows)
                .max(CHECK_ROWS),
        };
        until_rows.min(until_bytes).min(STEP_ROWS)
    }
}
