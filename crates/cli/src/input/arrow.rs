//! Arrow IPC: files, which begin with `ARROW1`, and streams.

use std::io::{BufRead, Read, Seek};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Field, Schema as ArrowSchema, SchemaRef};
use ftable_core::types::to_arrow_type;
use ftable_table::VALUE_KIND_FIELD;

use super::{Source, Wanted, spool};
use crate::error::{Error, InputSnafu, Result};

/// What an IPC file begins with.
const MAGIC: &[u8] = b"ARROW1";

/// The batches of a file or a stream.
pub(super) fn open(
    mut source: Source,
    wanted: Wanted,
) -> Result<Box<dyn Iterator<Item = Result<RecordBatch>>>> {
    let name = source.name.clone();
    let refuse = |error: ArrowError| refusal(&name, &error);
    let beginning = source
        .reader
        .fill_buf()
        .map_err(|error| source_error(&name, &error))?;
    if !beginning.starts_with(MAGIC) {
        let reader = StreamReader::try_new(source.reader, None).map_err(refuse)?;
        let picked = Picked::new(&name, &reader.schema(), wanted)?;
        return Ok(Box::new(picked.apply(reader)));
    }
    // A file begins at its end: what cannot be read backwards is copied.
    let spooled = spool(&mut source.reader)?;
    let file = spooled
        .reopen()
        .map_err(|error| source_error(&name, &error))?;
    let reader = file_reader(file).map_err(refuse)?;
    let picked = Picked::new(&name, &reader.schema(), wanted)?;
    Ok(Box::new(picked.apply(reader)))
}

fn file_reader<R: Read + Seek>(file: R) -> Result<FileReader<std::io::BufReader<R>>, ArrowError> {
    FileReader::try_new_buffered(file, None)
}

fn refusal(file: &str, error: &ArrowError) -> Error {
    InputSnafu {
        file,
        message: format!("not a readable Arrow file or stream: {error}"),
    }
    .build()
}

fn source_error(file: &str, error: &std::io::Error) -> Error {
    InputSnafu {
        file,
        message: format!("it cannot be read: {error}"),
    }
    .build()
}

/// Which columns of the batches are written.
struct Picked {
    name: String,
    schema: SchemaRef,
    /// For each column given out its position in the batches; `None` for one that is filled with nulls.
    positions: Vec<Option<usize>>,
}

impl Picked {
    fn new(name: &str, given: &ArrowSchema, wanted: Wanted) -> Result<Self> {
        let refuse = |message: String| {
            InputSnafu {
                file: name,
                message,
            }
            .build()
        };
        for field in given
            .fields()
            .iter()
            .filter(|field| field.name() != VALUE_KIND_FIELD)
        {
            wanted.position(field.name()).map_err(refuse)?;
            if given
                .fields()
                .iter()
                .filter(|other| other.name() == field.name())
                .count()
                > 1
            {
                return Err(refuse(format!("column '{}' is there twice", field.name())));
            }
        }
        wanted
            .check_keys(|key| given.fields().find(key).is_some())
            .map_err(refuse)?;
        let (mut fields, mut positions) = (Vec::new(), Vec::new());
        // The writer makes sure that all rows are inserts.
        if let Some((position, field)) = given.fields().find(VALUE_KIND_FIELD) {
            fields.push(Field::clone(field));
            positions.push(Some(position));
        }
        for wanted in wanted.fields.iter() {
            match given.fields().find(&wanted.name) {
                Some((position, field)) => {
                    fields.push(Field::clone(field));
                    positions.push(Some(position));
                }
                None => {
                    fields.push(Field::new(
                        &wanted.name,
                        to_arrow_type(&wanted.data_type)?,
                        true,
                    ));
                    positions.push(None);
                }
            }
        }
        Ok(Self {
            name: name.to_owned(),
            schema: Arc::new(ArrowSchema::new(fields)),
            positions,
        })
    }

    fn apply(
        self,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> impl Iterator<Item = Result<RecordBatch>> {
        batches.map(move |batch| {
            batch
                .and_then(|batch| self.pick(&batch))
                .map_err(|error| refusal(&self.name, &error))
        })
    }

    fn pick(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = self
            .positions
            .iter()
            .zip(self.schema.fields())
            .map(|(position, field)| {
                let given = position
                    .and_then(|position| batch.columns().get(position))
                    .cloned();
                given.unwrap_or_else(|| new_null_array(field.data_type(), batch.num_rows()))
            });
        let columns: Vec<ArrayRef> = columns.collect();
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int32Array, StringArray};
    use arrow_ipc::writer::{FileWriter, StreamWriter};

    use super::super::testing::{lines, source, wanted};
    use super::*;

    fn batch() -> RecordBatch {
        let name: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
        let id: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        RecordBatch::try_from_iter([("name", name), ("id", id)]).unwrap()
    }

    fn stream() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch().schema()).unwrap();
        writer.write(&batch()).unwrap();
        writer.finish().unwrap();
        bytes
    }

    fn read(bytes: &[u8], columns: &str, keys: &[&str]) -> Result<Vec<String>> {
        open(source(bytes), wanted(columns, keys)).and_then(lines)
    }

    #[test]
    fn files_and_streams_by_name_with_nulls_for_what_is_missing() {
        let mut file = Vec::new();
        let mut writer = FileWriter::try_new(&mut file, &batch().schema()).unwrap();
        writer.write(&batch()).unwrap();
        writer.finish().unwrap();
        let expected = [
            r#"{"id":1,"price":null,"name":"a"}"#,
            r#"{"id":2,"price":null,"name":null}"#,
        ];
        for bytes in [file, stream()] {
            assert_eq!(
                read(&bytes, "id INT, price DOUBLE, name STRING", &[]).unwrap(),
                expected
            );
        }
    }

    #[test]
    fn unknown_columns_and_missing_keys_are_refused() {
        for (columns, keys, message) in [
            (
                "id INT",
                &[][..],
                "rows: column 'name' is not one of the table's: id",
            ),
            (
                "id INT, name STRING, dt DATE",
                &["dt"],
                "rows: the partition key 'dt' is missing; say --partition dt=VALUE",
            ),
        ] {
            assert_eq!(
                read(&stream(), columns, keys).unwrap_err().to_string(),
                message
            );
        }
    }

    #[test]
    fn what_is_no_arrow_is_refused() {
        for bytes in [
            &b""[..],
            b"id\n1\n",
            b"ARROW1",
            b"ARROW1\0\0 and no footer at all",
        ] {
            let error = read(bytes, "id INT", &[]).unwrap_err().to_string();
            assert!(
                error.starts_with("rows: not a readable Arrow file or stream: "),
                "{error}"
            );
        }
        let cut = stream();
        let error = read(&cut[..cut.len() - 40], "id INT, name STRING", &[]);
        assert!(error.is_err());
    }
}
