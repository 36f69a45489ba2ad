//! Which columns a read gives, and which it needs from files.

use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema, SchemaRef};
use ftable_core::predicate::BoundPredicate;
use ftable_core::types::to_arrow_field;
use ftable_core::{DataField, Predicate};
use snafu::ResultExt;

use super::ReadSettings;
use crate::error::{DuplicateColumnSnafu, NoSuchColumnSnafu, Result};
use crate::format_table::FormatTable;

/// The column that says what kind of change a row is: always 0, an insert.
pub const VALUE_KIND_FIELD: &str = "_VALUE_KIND";

/// Where a column of the table comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A column read from files, by its position among those.
    Data(usize),
    /// A partition key, by its level.
    Partition(usize),
}

/// The columns of a read.
#[derive(Debug)]
pub(crate) struct Columns {
    schema: SchemaRef,
    value_kind: bool,
    /// The columns given out.
    output: Vec<Source>,
    /// The columns asked of files.
    data: Arc<[DataField]>,
    /// For each column of the table where it comes from, if it is needed.
    sources: Vec<Option<Source>>,
    /// What every row must satisfy; columns are those of the table.
    filter: Option<BoundPredicate>,
}

impl Columns {
    pub(super) fn new(
        table: &FormatTable,
        settings: &ReadSettings,
        planned: Option<&Predicate>,
    ) -> Result<Self> {
        let output = projection(table, settings.columns.as_deref())?;
        let filters: Vec<Predicate> = settings.filters.iter().chain(planned).cloned().collect();
        let filter = match filters.is_empty() {
            true => None,
            false => Some(
                Predicate::And(filters)
                    .bind(table.fields())
                    .context(table.core())?,
            ),
        };
        let mut needed = vec![false; table.fields().len()];
        let of_filter = filter.iter().flat_map(BoundPredicate::columns);
        for column in output.iter().copied().chain(of_filter) {
            if let Some(needed) = needed.get_mut(column) {
                *needed = true;
            }
        }
        let mut data = Vec::new();
        let mut sources = vec![None; needed.len()];
        for (column, field) in table.fields().iter().enumerate() {
            if !needed.get(column).copied().unwrap_or(false) {
                continue;
            }
            let source = match table.partition_position(column) {
                Some(level) => Source::Partition(level),
                None => {
                    data.push(field.clone());
                    Source::Data(data.len() - 1)
                }
            };
            if let Some(slot) = sources.get_mut(column) {
                *slot = Some(source);
            }
        }
        Ok(Self {
            schema: output_schema(table, &output, settings.value_kind)?,
            value_kind: settings.value_kind,
            output: output
                .iter()
                .filter_map(|column| sources.get(*column).copied().flatten())
                .collect(),
            data: data.into(),
            sources,
            filter,
        })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn value_kind(&self) -> bool {
        self.value_kind
    }

    pub(super) fn output(&self) -> &[Source] {
        &self.output
    }

    pub(super) fn data(&self) -> &Arc<[DataField]> {
        &self.data
    }

    pub(super) fn source(&self, column: usize) -> Option<Source> {
        self.sources.get(column).copied().flatten()
    }

    pub(super) fn filter(&self) -> Option<&BoundPredicate> {
        self.filter.as_ref()
    }
}

/// The positions of the columns asked for.
fn projection(table: &FormatTable, names: Option<&[String]>) -> Result<Vec<usize>> {
    let Some(names) = names else {
        return Ok((0..table.fields().len()).collect());
    };
    let mut positions = Vec::with_capacity(names.len());
    for name in names {
        let position = table.fields().iter().position(|field| field.name == *name);
        let Some(position) = position else {
            return NoSuchColumnSnafu {
                table: table.name(),
                column: name,
                known: table.known_columns(),
            }
            .fail();
        };
        if positions.contains(&position) {
            return DuplicateColumnSnafu {
                table: table.name(),
                column: name,
            }
            .fail();
        }
        positions.push(position);
    }
    Ok(positions)
}

fn output_schema(table: &FormatTable, output: &[usize], value_kind: bool) -> Result<SchemaRef> {
    let mut fields = Vec::with_capacity(output.len() + 1);
    if value_kind {
        fields.push(Field::new(VALUE_KIND_FIELD, ArrowType::Int8, false));
    }
    for field in output
        .iter()
        .filter_map(|column| table.fields().get(*column))
    {
        let arrow = to_arrow_field(field).context(table.core())?;
        // The default partition reads as null whatever the column declares.
        let is_key = table.partition_keys().contains(&field.name);
        fields.push(if is_key {
            arrow.with_nullable(true)
        } else {
            arrow
        });
    }
    Ok(Arc::new(ArrowSchema::new(fields)))
}
