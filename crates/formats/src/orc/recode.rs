//! What the decoder leaves to be done: blanks of CHAR, fractions and zones of timestamps.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_schema::{DataType as ArrowType, Field, FieldRef, Fields};

use super::timestamp::Fractions;
use crate::convert::{Failure, Site};

/// What is done to a decoded column.
#[derive(Debug)]
pub(super) enum Recode {
    /// Nothing.
    Keep,
    /// CHAR: the blanks that pad its values are cut, as every ORC reader of Hive and Paimon does.
    Trim,
    /// Seconds and fractions become timestamps.
    Timestamp(TimestampColumn),
    List(Box<Recode>),
    Map(Box<[Recode; 2]>),
    Struct(Vec<Recode>),
}

/// A timestamp column of a file.
#[derive(Debug)]
pub(super) struct TimestampColumn {
    pub(super) id: usize,
    pub(super) instant: bool,
    pub(super) target: ArrowType,
    pub(super) file_type: String,
    pub(super) declared: String,
}

/// The fractions of a stripe's timestamps, by column.
pub(super) type StripeFractions = HashMap<usize, Fractions>;

impl Recode {
    pub(super) fn list(element: Self) -> Self {
        match element {
            Self::Keep => Self::Keep,
            other => Self::List(Box::new(other)),
        }
    }

    pub(super) fn map(key: Self, value: Self) -> Self {
        match (key, value) {
            (Self::Keep, Self::Keep) => Self::Keep,
            (key, value) => Self::Map(Box::new([key, value])),
        }
    }

    pub(super) fn row(children: Vec<Self>) -> Self {
        match children.iter().all(|child| matches!(child, Self::Keep)) {
            true => Self::Keep,
            false => Self::Struct(children),
        }
    }

    /// The timestamp columns in this one.
    pub(super) fn timestamps<'a>(&'a self, found: &mut Vec<&'a TimestampColumn>) {
        match self {
            Self::Keep | Self::Trim => {}
            Self::Timestamp(column) => found.push(column),
            Self::List(element) => element.timestamps(found),
            Self::Map(entries) => entries.iter().for_each(|child| child.timestamps(found)),
            Self::Struct(children) => children.iter().for_each(|child| child.timestamps(found)),
        }
    }

    pub(super) fn apply(
        &self,
        array: &ArrayRef,
        fractions: &mut StripeFractions,
        site: &Site<'_>,
    ) -> Result<ArrayRef, Failure> {
        match self {
            Self::Keep => Ok(Arc::clone(array)),
            Self::Trim => trim(array).ok_or_else(|| Failure::broken(site, "not a text")),
            Self::Timestamp(column) => timestamps(column, array, fractions, site),
            Self::List(element) => list(array, element, fractions, site),
            Self::Map(entries) => map(array, entries, fractions, site),
            Self::Struct(children) => row(array, children, fractions, site),
        }
    }
}

fn trim(array: &ArrayRef) -> Option<ArrayRef> {
    let text = array.as_string_opt::<i32>()?;
    let mut trimmed = StringBuilder::with_capacity(text.len(), text.value_data().len());
    for value in text {
        trimmed.append_option(value.map(|value| value.trim_end_matches(' ')));
    }
    Some(Arc::new(trimmed.finish()))
}

fn timestamps(
    column: &TimestampColumn,
    array: &ArrayRef,
    fractions: &mut StripeFractions,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let seconds = array.as_primitive_opt::<Int64Type>();
    let (Some(seconds), Some(fractions)) = (seconds, fractions.get_mut(&column.id)) else {
        return Err(Failure::broken(site, "no seconds"));
    };
    fractions
        .timestamps(seconds, &column.target)
        .map_err(|fault| match fault.value {
            Some(text) => {
                Failure::value(site, fault.row, &text, &column.file_type, &column.declared)
            }
            None => Failure::broken(site, "its fractions of seconds end early or make no sense"),
        })
}

fn with_type(field: &Field, array: &ArrayRef) -> FieldRef {
    Arc::new(field.clone().with_data_type(array.data_type().clone()))
}

/// A failure of an element, counted in lists.
fn of_list(failure: Failure, offsets: &[i32]) -> Failure {
    let element = failure.row();
    let before = |offset: &i32| usize::try_from(*offset).is_ok_and(|at| at <= element);
    let row = offsets.partition_point(before).saturating_sub(1);
    failure.at_row(row)
}

fn list(
    array: &ArrayRef,
    element: &Recode,
    fractions: &mut StripeFractions,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let lists = array
        .as_list_opt::<i32>()
        .ok_or_else(|| Failure::broken(site, "not a list"))?;
    let ArrowType::List(field) = lists.data_type() else {
        return Err(Failure::broken(site, "not a list"));
    };
    let values = element
        .apply(lists.values(), fractions, &site.child("element"))
        .map_err(|failure| of_list(failure, lists.offsets()))?;
    let field = with_type(field, &values);
    ListArray::try_new(
        field,
        lists.offsets().clone(),
        values,
        lists.nulls().cloned(),
    )
    .map(|list| Arc::new(list) as ArrayRef)
    .map_err(|error| Failure::broken(site, error))
}

fn map(
    array: &ArrayRef,
    [key, value]: &[Recode; 2],
    fractions: &mut StripeFractions,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let broken = || Failure::broken(site, "not a map");
    let maps = array.as_map_opt().ok_or_else(broken)?;
    let ArrowType::Map(entries_field, _) = maps.data_type() else {
        return Err(broken());
    };
    let ArrowType::Struct(fields) = entries_field.data_type() else {
        return Err(broken());
    };
    let [key_field, value_field] = &fields[..] else {
        return Err(broken());
    };
    let keys = key
        .apply(maps.keys(), fractions, &site.child("key"))
        .map_err(|failure| of_list(failure, maps.offsets()))?;
    let values = value
        .apply(maps.values(), fractions, &site.child("value"))
        .map_err(|failure| of_list(failure, maps.offsets()))?;
    let fields = Fields::from(vec![
        with_type(key_field, &keys),
        with_type(value_field, &values),
    ]);
    let failed = |error| Failure::broken(site, error);
    let entries = StructArray::try_new(fields.clone(), vec![keys, values], None).map_err(failed)?;
    let field = Field::clone(entries_field).with_data_type(ArrowType::Struct(fields));
    let (offsets, nulls) = (maps.offsets().clone(), maps.nulls().cloned());
    MapArray::try_new(Arc::new(field), offsets, entries, nulls, false)
        .map(|map| Arc::new(map) as ArrayRef)
        .map_err(failed)
}

fn row(
    array: &ArrayRef,
    children: &[Recode],
    fractions: &mut StripeFractions,
    site: &Site<'_>,
) -> Result<ArrayRef, Failure> {
    let rows = array
        .as_struct_opt()
        .ok_or_else(|| Failure::broken(site, "not a struct"))?;
    let mut fields = Vec::with_capacity(children.len());
    let mut columns = Vec::with_capacity(children.len());
    for ((field, column), child) in rows.fields().iter().zip(rows.columns()).zip(children) {
        let column = child.apply(column, fractions, &site.child(field.name()))?;
        fields.push(with_type(field, &column));
        columns.push(column);
    }
    StructArray::try_new(Fields::from(fields), columns, rows.nulls().cloned())
        .map(|rows| Arc::new(rows) as ArrayRef)
        .map_err(|error| Failure::broken(site, error))
}
