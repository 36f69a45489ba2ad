//! Does a batch fit the table: columns by name, types, nulls, kinds of rows.

use std::sync::Arc;

use arrow_arith::boolean::is_not_null;
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, Scalar, cast::AsArray};
use arrow_schema::SchemaRef;
use arrow_select::zip::zip;
use ftable_core::DataField;
use ftable_core::schema::default_value;
use ftable_core::types::{to_arrow_schema, to_arrow_type};
use ftable_formats::Conversion;
use snafu::ResultExt;

use crate::error::{BatchSnafu, Error, Result};
use crate::format_table::FormatTable;
use crate::read::VALUE_KIND_FIELD;
use crate::value::constant;

/// A batch whose columns have the table's types.
pub(super) struct Checked {
    /// The partition keys in their order.
    pub(super) keys: Vec<ArrayRef>,
    /// The data columns in the table's order.
    pub(super) data: RecordBatch,
}

/// Checks batches; what it works out for a schema it keeps for the next batch.
pub(super) struct Checker {
    table: FormatTable,
    last: Option<(SchemaRef, bool, Arc<Plan>)>,
}

/// Where the columns of the table are in a batch.
struct Plan {
    /// For each column of the table.
    columns: Vec<Option<Column>>,
    value_kind: Option<usize>,
}

/// A column of a batch on its way to one of the table.
struct Column {
    index: usize,
    conversion: Conversion,
    /// What takes the place of null: an array of one value.
    default: Option<ArrayRef>,
}

impl Checker {
    pub(super) fn new(table: &FormatTable) -> Self {
        Self {
            table: table.clone(),
            last: None,
        }
    }

    /// A batch that holds every column of the table.
    pub(super) fn check(&mut self, batch: &RecordBatch) -> Result<Checked> {
        let plan = self.plan(&batch.schema(), true)?;
        self.check_kind(batch, &plan)?;
        let fields = Arc::clone(self.table.fields());
        let mut keys: Vec<Option<ArrayRef>> = vec![None; self.table.codec().len()];
        let mut data = Vec::with_capacity(self.table.data_fields().len());
        for (column, field) in fields.iter().enumerate() {
            let array = self.convert(batch, &plan, column, field)?;
            match self.table.partition_position(column) {
                Some(level) => {
                    if let Some(slot) = keys.get_mut(level) {
                        *slot = Some(array);
                    }
                }
                None => data.push(array),
            }
        }
        Ok(Checked {
            keys: keys.into_iter().flatten().collect(),
            data: self.data_batch(data, batch.num_rows())?,
        })
    }

    /// A batch whose partition was declared: only data columns are looked at.
    pub(super) fn check_data(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let plan = self.plan(&batch.schema(), false)?;
        self.check_kind(batch, &plan)?;
        let fields = Arc::clone(self.table.fields());
        let mut data = Vec::with_capacity(self.table.data_fields().len());
        for (column, field) in fields.iter().enumerate() {
            if self.table.partition_position(column).is_none() {
                data.push(self.convert(batch, &plan, column, field)?);
            }
        }
        self.data_batch(data, batch.num_rows())
    }

    fn data_batch(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
        let schema = to_arrow_schema(self.table.data_fields()).context(self.table.core())?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|error| self.refuse(error.to_string()))
    }

    fn plan(&mut self, schema: &SchemaRef, with_keys: bool) -> Result<Arc<Plan>> {
        if let Some((known, keys, plan)) = &self.last
            && *keys == with_keys
            && (Arc::ptr_eq(known, schema) || known == schema)
        {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(self.make_plan(schema, with_keys)?);
        self.last = Some((Arc::clone(schema), with_keys, Arc::clone(&plan)));
        Ok(plan)
    }

    fn make_plan(&self, schema: &SchemaRef, with_keys: bool) -> Result<Plan> {
        let fields = self.table.fields();
        let mut value_kind = None;
        for (index, given) in schema.fields().iter().enumerate() {
            let name = given.name();
            if name == VALUE_KIND_FIELD {
                value_kind = Some(index);
            } else if !fields.iter().any(|field| field.name == *name) {
                let known = self.table.known_columns();
                return Err(self.refuse(format!(
                    "column '{name}' is not one of the table's: {known}"
                )));
            }
            if schema
                .fields()
                .iter()
                .filter(|other| other.name() == name)
                .count()
                > 1
            {
                return Err(self.refuse(format!("column '{name}' is there twice")));
            }
        }
        let mut columns = Vec::with_capacity(fields.len());
        for (column, field) in fields.iter().enumerate() {
            if self.table.partition_position(column).is_some() && !with_keys {
                columns.push(None);
                continue;
            }
            let Some((index, given)) = schema.fields().find(&field.name) else {
                let name = &field.name;
                return Err(self.refuse(format!(
                    "column '{name}' is missing; add it, with nulls if there are no values"
                )));
            };
            let conversion = Conversion::for_input(given.data_type(), &field.data_type).ok_or_else(|| {
                let (name, given, declared) = (&field.name, given.data_type(), &field.data_type);
                self.refuse(format!("column '{name}' of type {given} cannot be stored as {declared} without loss; cast it"))
            })?;
            columns.push(Some(Column {
                index,
                conversion,
                default: self.default_of(field)?,
            }));
        }
        Ok(Plan {
            columns,
            value_kind,
        })
    }

    /// The default of a column, as Java Paimon's writer applies it: to nulls, of partition keys too. A NOT NULL column
    /// is checked before, so a default does not save a null there.
    fn default_of(&self, field: &DataField) -> Result<Option<ArrayRef>> {
        let Some(value) = default_value(field).context(self.table.core())? else {
            return Ok(None);
        };
        let data_type = to_arrow_type(&field.data_type).context(self.table.core())?;
        match constant(Some(&value), &data_type, 1) {
            Some(array) => Ok(Some(array)),
            None => Err(self.refuse(format!(
                "the default of column '{}' is no {}",
                field.name, field.data_type
            ))),
        }
    }

    fn convert(
        &self,
        batch: &RecordBatch,
        plan: &Plan,
        column: usize,
        field: &DataField,
    ) -> Result<ArrayRef> {
        let found = plan.columns.get(column).and_then(Option::as_ref);
        let array = found.and_then(|column| Some((batch.columns().get(column.index)?, column)));
        let Some((array, column)) = array else {
            return Err(self.refuse(format!("column '{}' is missing", field.name)));
        };
        let converted = column
            .conversion
            .convert_input(&field.name, array)
            .map_err(|message| self.refuse(message))?;
        match &column.default {
            Some(default) if converted.null_count() > 0 => {
                let valid =
                    is_not_null(&converted).map_err(|error| self.refuse(error.to_string()))?;
                zip(&valid, &converted, &Scalar::new(Arc::clone(default)))
                    .map_err(|error| self.refuse(error.to_string()))
            }
            _ => Ok(converted),
        }
    }

    fn check_kind(&self, batch: &RecordBatch, plan: &Plan) -> Result<()> {
        let Some(column) = plan.value_kind.and_then(|index| batch.columns().get(index)) else {
            return Ok(());
        };
        let kinds = column.as_primitive_opt::<Int8Type>();
        let inserts = kinds.is_some_and(|kinds| {
            kinds.null_count() == 0 && kinds.values().iter().all(|kind| *kind == 0)
        });
        match inserts {
            true => Ok(()),
            false => Err(self.refuse(format!(
                "{VALUE_KIND_FIELD} marks rows that are not inserts (0 as Int8); a format table keeps no row identity, so write inserts only"
            ))),
        }
    }

    fn refuse(&self, message: String) -> Error {
        BatchSnafu {
            table: self.table.name(),
            message,
        }
        .build()
    }
}
