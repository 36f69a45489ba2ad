//! Which column of a file feeds which column of the table.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use ftable_core::DataField;
use ftable_core::types::to_arrow_schema;

use crate::convert::{Conversion, Site};
use crate::error::{AmbiguousColumnSnafu, CorruptSnafu, Error, MissingNotNullSnafu, Result};

/// How the columns of one file become the columns asked for.
pub(crate) struct Alignment {
    path: Arc<str>,
    schema: SchemaRef,
    columns: Vec<Source>,
    /// Positions of the file's top-level columns that are read, ascending.
    projection: Vec<usize>,
}

enum Source {
    /// A column of the decoded batch, by its position there.
    File { index: usize, column: String, conversion: Conversion },
    /// Not in the file.
    Null,
}

impl Alignment {
    /// Matches the columns asked for with the file's by name; `file_index` gives the position of a table column
    /// in the file, for formats that may match otherwise.
    ///
    /// # Errors
    /// A NOT NULL column that is missing, a type that cannot be read as the declared one, a name that several
    /// columns of the file have.
    pub(crate) fn new(
        path: &str,
        file: &ArrowSchema,
        fields: &[DataField],
        file_index: impl Fn(&DataField) -> Option<usize>,
    ) -> Result<Self> {
        let mut matches = Vec::with_capacity(fields.len());
        for field in fields {
            let found = file_index(field);
            if found.is_none() && !field.data_type.is_nullable() {
                return MissingNotNullSnafu { path, column: field.name.as_str() }.fail();
            }
            matches.push(found);
        }
        let mut projection: Vec<usize> = matches.iter().flatten().copied().collect();
        projection.sort_unstable();
        projection.dedup();
        let mut columns = Vec::with_capacity(fields.len());
        for (field, found) in fields.iter().zip(matches) {
            columns.push(match found {
                None => Source::Null,
                Some(position) => {
                    let file_type = file.field(position).data_type();
                    let conversion = Conversion::plan(file_type, &field.data_type)
                        .map_err(|mismatch| mismatch.in_file(path, &field.name))?;
                    let index = projection.partition_point(|p| *p < position);
                    Source::File { index, column: field.name.clone(), conversion }
                }
            });
        }
        let schema = to_arrow_schema(fields)?;
        Ok(Self { path: path.into(), schema, columns, projection })
    }

    /// The position of a name among the file's columns.
    ///
    /// # Errors
    /// A name that several columns have.
    pub(crate) fn position_by_name(path: &str, file: &ArrowSchema, name: &str) -> Result<Option<usize>> {
        let mut positions = file.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
        let first = positions.next().map(|(position, _)| position);
        if positions.next().is_some() {
            return AmbiguousColumnSnafu { path, column: name }.fail();
        }
        Ok(first)
    }

    /// Positions of the file's top-level columns to decode, ascending.
    pub(crate) fn projection(&self) -> &[usize] {
        &self.projection
    }

    /// Turns a decoded batch, whose columns are those of [`Self::projection`], into one in the table's shape.
    pub(crate) fn assemble(&self, rows: usize, decoded: &[ArrayRef]) -> Result<RecordBatch> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for (source, field) in self.columns.iter().zip(self.schema.fields()) {
            columns.push(match source {
                Source::Null => new_null_array(field.data_type(), rows),
                Source::File { index, column, conversion } => {
                    let array = decoded.get(*index).ok_or_else(|| self.corrupt("a column is missing in a batch"))?;
                    conversion
                        .apply(array, &Site::root(column))
                        .map_err(|failure| failure.in_file(&self.path))?
                }
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| self.corrupt(&error.to_string()))
    }

    fn corrupt(&self, message: &str) -> Error {
        CorruptSnafu { path: &*self.path, format: "columnar", message }.build()
    }
}
