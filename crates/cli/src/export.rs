//! Batches → a file, in the format that its extension says.
//!
//! The file appears under its name when it is complete, and then replaces what was there.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use ftable_core::types::assign_field_ids;
use ftable_core::{DataField, FileFormatKind, FormatTableOptions, Options, TypeKind};
use ftable_formats::{FileEncoder, WriteRequest, file_format};
use snafu::ResultExt;

use crate::error::{Error, FileSnafu, RenderSnafu, Result, UsageSnafu};
use crate::render::{OutputFormat, RowWriter};

/// A file that is being written.
pub(crate) struct Export {
    staged: Staged,
    encoding: Encoding,
}

enum Encoding {
    Text(RowWriter),
    Columnar(Box<dyn FileEncoder>),
    Arrow(Box<FileWriter<Vec<u8>>>),
}

impl Export {
    /// Begins a file for batches of this schema; `fields` are the table's columns.
    ///
    /// # Errors
    /// An extension that says no format, a type that the format cannot hold, a directory that cannot be written to.
    pub(crate) fn create(file: &str, schema: &SchemaRef, fields: &[DataField]) -> Result<Self> {
        let extension = Path::new(file)
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        let encoding = match extension.to_ascii_lowercase().as_str() {
            "parquet" => columnar(FileFormatKind::Parquet, schema, fields)?,
            "orc" => columnar(FileFormatKind::Orc, schema, fields)?,
            "csv" => Encoding::Text(RowWriter::new(OutputFormat::Csv, schema)),
            "json" | "jsonl" => Encoding::Text(RowWriter::new(OutputFormat::Json, schema)),
            "arrow" => Encoding::Arrow(Box::new(
                FileWriter::try_new(Vec::new(), schema).map_err(arrow_error)?,
            )),
            _ => {
                let message = format!(
                    "the format of '{file}' is not known; end its name with .parquet, .orc, .csv, .json or .arrow"
                );
                return UsageSnafu { message }.fail();
            }
        };
        let mut export = Self {
            staged: Staged::create(file)?,
            encoding,
        };
        if let Encoding::Text(writer) = &export.encoding {
            let mut header = Vec::new();
            writer.begin(&mut header);
            export.staged.write(&header)?;
        }
        Ok(export)
    }

    /// Adds the rows of a batch.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.encoding {
            Encoding::Text(writer) => {
                let mut text = Vec::new();
                writer.write(batch, &mut text)?;
                self.staged.write(&text)
            }
            Encoding::Columnar(encoder) => {
                encoder.write(batch)?;
                self.staged.write(&encoder.take_bytes())
            }
            Encoding::Arrow(writer) => {
                writer.write(batch).map_err(arrow_error)?;
                self.staged.write(&std::mem::take(writer.get_mut()))
            }
        }
    }

    /// Ends the file, puts it under its name and says how many bytes it has.
    pub(crate) fn finish(mut self) -> Result<u64> {
        match self.encoding {
            Encoding::Text(mut writer) => {
                let mut text = Vec::new();
                writer.end(&mut text);
                self.staged.write(&text)?;
            }
            Encoding::Columnar(encoder) => self.staged.write(&encoder.finish()?)?,
            Encoding::Arrow(mut writer) => {
                writer.finish().map_err(arrow_error)?;
                self.staged.write(&std::mem::take(writer.get_mut()))?;
            }
        }
        self.staged.publish()
    }
}

fn arrow_error(error: arrow_schema::ArrowError) -> Error {
    RenderSnafu {
        format: "Arrow",
        message: error.to_string(),
    }
    .build()
}

fn columnar(kind: FileFormatKind, schema: &SchemaRef, fields: &[DataField]) -> Result<Encoding> {
    let mut columns = Vec::with_capacity(schema.fields().len());
    for column in schema.fields() {
        let declared = fields
            .iter()
            .find(|field| field.name == *column.name())
            .cloned();
        // What is no column of the table says what kind of change a row is.
        let mut field =
            declared.unwrap_or_else(|| DataField::new(-1, column.name(), TypeKind::TinyInt));
        field.data_type = field.data_type.with_nullable(column.is_nullable());
        columns.push(field);
    }
    assign_field_ids(&mut columns);
    let format = file_format(kind);
    format.check_write_schema(&columns)?;
    let options = FormatTableOptions::resolve(&Options::from([("file.format", kind.name())]))?;
    let request = WriteRequest {
        fields: columns.into(),
        options: Arc::new(options),
    };
    Ok(Encoding::Columnar(format.encoder(request)?))
}

/// A hidden file beside its target, removed unless it is published.
struct Staged {
    target: PathBuf,
    path: PathBuf,
    file: Option<BufWriter<File>>,
    bytes: u64,
}

impl Staged {
    fn create(target: &str) -> Result<Self> {
        let target = PathBuf::from(target);
        let name = target
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let path = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let created = File::create_new(&path);
        let file = created.context(FileSnafu {
            action: "create",
            path: target.to_string_lossy(),
        })?;
        Ok(Self {
            target,
            path,
            file: Some(BufWriter::new(file)),
            bytes: 0,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        let written = self
            .file
            .as_mut()
            .map_or(Ok(()), |file| file.write_all(bytes));
        written.context(FileSnafu {
            action: "write",
            path: self.target.to_string_lossy(),
        })
    }

    fn publish(mut self) -> Result<u64> {
        let context = |path: &Path| FileSnafu {
            action: "write",
            path: path.to_string_lossy().into_owned(),
        };
        if let Some(file) = self.file.take() {
            let file = file
                .into_inner()
                .map_err(std::io::IntoInnerError::into_error);
            file.and_then(|file| file.sync_all())
                .context(context(&self.target))?;
        }
        fs::rename(&self.path, &self.target).context(context(&self.target))?;
        Ok(self.bytes)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // Gone already where it was published.
        let _ = fs::remove_file(&self.path);
    }
}
