//! Which column of a file feeds which column of the table.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::SchemaRef;
use ftable_core::DataField;
use ftable_core::types::to_arrow_schema;
use futures::{StreamExt, stream};

use crate::convert::{Conversion, FileType, Site};
use crate::error::{AmbiguousColumnSnafu, CorruptSnafu, Error, MissingNotNullSnafu, Result};
use crate::format::BatchStream;

/// How the columns of one file become the columns asked for.
pub(crate) struct Alignment {
    path: Arc<str>,
    format: &'static str,
    schema: SchemaRef,
    columns: Vec<Source>,
    /// Positions of the file's top-level columns that are read, ascending.
    projection: Vec<usize>,
}

enum Source {
    /// A column of the decoded batch, by its position there.
    File {
        index: usize,
        column: String,
        conversion: Conversion,
    },
    /// Not in the file.
    Null,
}

/// The positions of the columns asked for among the file's, matched by name.
///
/// # Errors
/// A name asked for that several columns of the file have.
pub(crate) fn positions_by_name(
    path: &str,
    names: &[impl AsRef<str>],
    fields: &[DataField],
) -> Result<Vec<Option<usize>>> {
    let mut positions: HashMap<&str, (usize, bool)> = HashMap::with_capacity(names.len());
    for (position, name) in names.iter().enumerate() {
        let entry = positions.entry(name.as_ref());
        entry
            .and_modify(|(_, unique)| *unique = false)
            .or_insert((position, true));
    }
    let find = |field: &DataField| match positions.get(field.name.as_str()) {
        None => Ok(None),
        Some((position, true)) => Ok(Some(*position)),
        Some((_, false)) => AmbiguousColumnSnafu {
            path,
            column: field.name.as_str(),
        }
        .fail(),
    };
    fields.iter().map(find).collect()
}

impl Alignment {
    /// Feeds each column asked for from the file's column at its position, or with nulls where it has none.
    ///
    /// # Errors
    /// A NOT NULL column that is missing, a type that cannot be read as the declared one.
    pub(crate) fn new(
        path: &str,
        format: &'static str,
        file: &[FileType],
        fields: &[DataField],
        positions: &[Option<usize>],
    ) -> Result<Self> {
        let mut projection: Vec<usize> = positions.iter().flatten().copied().collect();
        projection.sort_unstable();
        projection.dedup();
        let mut columns = Vec::with_capacity(fields.len());
        for (field, position) in fields.iter().zip(positions) {
            let found = position.and_then(|position| Some((position, file.get(position)?)));
            columns.push(match found {
                None if !field.data_type.is_nullable() => {
                    return MissingNotNullSnafu {
                        path,
                        column: field.name.as_str(),
                    }
                    .fail();
                }
                None => Source::Null,
                Some((position, file_type)) => {
                    let conversion = Conversion::plan(file_type, &field.data_type)
                        .map_err(|mismatch| mismatch.in_file(path, &field.name))?;
                    let index = projection.partition_point(|p| *p < position);
                    Source::File {
                        index,
                        column: field.name.clone(),
                        conversion,
                    }
                }
            });
        }
        let schema = to_arrow_schema(fields)?;
        Ok(Self {
            path: path.into(),
            format,
            schema,
            columns,
            projection,
        })
    }

    /// Positions of the file's top-level columns to decode, ascending.
    pub(crate) fn projection(&self) -> &[usize] {
        &self.projection
    }

    /// Turns a decoded batch, whose columns are those of [`Self::projection`], into one in the table's shape.
    ///
    /// `first_row` is the batch's first row in the file, for messages.
    pub(crate) fn assemble(
        &self,
        first_row: u64,
        rows: usize,
        decoded: &[ArrayRef],
    ) -> Result<RecordBatch> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for (source, field) in self.columns.iter().zip(self.schema.fields()) {
            columns.push(match source {
                Source::Null => new_null_array(field.data_type(), rows),
                Source::File {
                    index,
                    column,
                    conversion,
                } => {
                    let array = decoded
                        .get(*index)
                        .ok_or_else(|| self.corrupt("a column is missing in a batch"))?;
                    conversion
                        .apply(array, &Site::root(column))
                        .map_err(|failure| failure.in_file(&self.path, self.format, first_row))?
                }
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| self.corrupt(&error.to_string()))
    }

    /// Batches of a file none of whose columns is read: its number of rows is all there is to know.
    pub(crate) fn counted(self, rows: u64, batch_size: usize) -> BatchStream {
        let batch_size = batch_size.max(1) as u64;
        let mut left = rows;
        stream::iter(std::iter::from_fn(move || {
            let next = left.min(batch_size);
            let first = rows - left;
            left -= next;
            // No more than the batch size, which was an usize.
            (next > 0).then(|| self.assemble(first, next as usize, &[]))
        }))
        .boxed()
    }

    fn corrupt(&self, message: &str) -> Error {
        CorruptSnafu {
            path: &*self.path,
            format: self.format,
            message,
        }
        .build()
    }
}

#[cfg(test)]
mod tests;
