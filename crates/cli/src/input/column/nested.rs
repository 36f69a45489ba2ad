//! ARRAY, MAP, MULTISET and ROW from JSON.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType as ArrowType, Fields};
use ftable_core::{DataType, TypeKind};
use serde_json::value::RawValue;

use super::super::json::Members;
use super::{Column, kind_name, shortened};

/// The values of a nested column so far.
pub(super) struct Nested {
    declared: DataType,
    is_valid: Vec<bool>,
    /// Where the elements or entries of each row end; not used for ROW.
    ends: Vec<usize>,
    children: Children,
}

enum Children {
    Elements(Box<Column>),
    Entries {
        keys: Box<Column>,
        values: Box<Column>,
        count: usize,
    },
    Fields {
        names: Vec<String>,
        columns: Vec<Column>,
        is_given: Vec<bool>,
    },
}

impl Nested {
    pub(super) fn new(declared: &DataType) -> Result<Self, String> {
        let child = |child: &DataType| Column::of_type(child, child.is_nullable());
        let children = match declared.kind() {
            TypeKind::Array { element } => Children::Elements(Box::new(child(element)?)),
            TypeKind::Map { key, value } => Children::Entries {
                keys: Box::new(Column::of_type(key, false)?),
                values: Box::new(child(value)?),
                count: 0,
            },
            TypeKind::Multiset { element } => Children::Entries {
                keys: Box::new(Column::of_type(element, false)?),
                values: Box::new(child(&DataType::from(TypeKind::Int).not_null())?),
                count: 0,
            },
            TypeKind::Row { fields } => Children::Fields {
                names: fields.iter().map(|field| field.name.clone()).collect(),
                columns: fields
                    .iter()
                    .map(|field| child(&field.data_type))
                    .collect::<Result<_, _>>()?,
                is_given: vec![false; fields.len()],
            },
            _ => return Err(format!("type {declared} is not nested")),
        };
        Ok(Self {
            declared: declared.clone(),
            is_valid: Vec::new(),
            ends: Vec::new(),
            children,
        })
    }

    pub(super) fn append_null(&mut self) {
        if let Children::Fields { columns, .. } = &mut self.children {
            columns.iter_mut().for_each(Column::append_filler);
        }
        self.end_row(false);
    }

    pub(super) fn append(&mut self, raw: &RawValue) -> Result<(), String> {
        let refuse = |declared: &DataType, how: &str| {
            format!(
                "{} is no {}: write it as {how}",
                shortened(raw.get()),
                kind_name(declared)
            )
        };
        match &mut self.children {
            Children::Elements(elements) => {
                let items: Vec<&RawValue> = serde_json::from_str(raw.get())
                    .map_err(|_| refuse(&self.declared, "a list"))?;
                for item in items {
                    elements.append_json(item)?;
                }
            }
            Children::Entries {
                keys,
                values,
                count,
            } => {
                for (key, value) in
                    entries(raw).ok_or_else(|| refuse(&self.declared, "a list of [key, value]"))?
                {
                    match key {
                        Key::Value(key) => keys.append_json(key)?,
                        Key::Name(name) => keys.append_text(&name)?,
                    }
                    values.append_json(value)?;
                    *count += 1;
                }
            }
            Children::Fields {
                names,
                columns,
                is_given,
            } => {
                let members: Members<'_> = serde_json::from_str(raw.get())
                    .map_err(|_| refuse(&self.declared, "an object"))?;
                append_fields(names, columns, is_given, members)?;
            }
        }
        self.end_row(true);
        Ok(())
    }

    fn end_row(&mut self, is_valid: bool) {
        self.is_valid.push(is_valid);
        self.ends.push(match &self.children {
            Children::Elements(elements) => elements.len(),
            Children::Entries { count, .. } => *count,
            Children::Fields { .. } => 0,
        });
    }

    pub(super) fn len(&self) -> usize {
        self.is_valid.len()
    }

    pub(super) fn finish(&mut self, arrow: &ArrowType) -> Result<ArrayRef, String> {
        let nulls = Some(NullBuffer::from(std::mem::take(&mut self.is_valid)));
        let offsets = offsets(&std::mem::take(&mut self.ends))?;
        let array: Result<ArrayRef, ArrowError> = match (&mut self.children, arrow) {
            (Children::Elements(elements), ArrowType::List(field)) => {
                let values = elements.finish()?;
                ListArray::try_new(Arc::clone(field), offsets, values, nulls)
                    .map(|array| Arc::new(array) as ArrayRef)
            }
            (
                Children::Entries {
                    keys,
                    values,
                    count,
                },
                ArrowType::Map(field, sorted),
            ) => {
                *count = 0;
                let columns = vec![keys.finish()?, values.finish()?];
                let entries =
                    StructArray::try_new(struct_fields(field.data_type())?, columns, None);
                let array = entries.and_then(|entries| {
                    MapArray::try_new(Arc::clone(field), offsets, entries, nulls, *sorted)
                });
                array.map(|array| Arc::new(array) as ArrayRef)
            }
            (Children::Fields { columns, .. }, ArrowType::Struct(fields)) => {
                let columns = columns
                    .iter_mut()
                    .map(Column::finish)
                    .collect::<Result<Vec<_>, _>>()?;
                StructArray::try_new(fields.clone(), columns, nulls)
                    .map(|array| Arc::new(array) as ArrayRef)
            }
            (_, other) => return Err(format!("{} came as {other}", self.declared)),
        };
        array.map_err(|error| error.to_string())
    }
}

/// A key of a map: any value, or a name where the map is an object.
enum Key<'a> {
    Value(&'a RawValue),
    Name(String),
}

/// The entries of a map: a list of `[key, value]`, or an object whose names are the keys.
fn entries(raw: &RawValue) -> Option<Vec<(Key<'_>, &RawValue)>> {
    if raw.get().starts_with('{') {
        let members: Members<'_> = serde_json::from_str(raw.get()).ok()?;
        return Some(
            members
                .0
                .into_iter()
                .map(|(name, value)| (Key::Name(name), value))
                .collect(),
        );
    }
    let pairs: Vec<(&RawValue, &RawValue)> = serde_json::from_str(raw.get()).ok()?;
    Some(
        pairs
            .into_iter()
            .map(|(key, value)| (Key::Value(key), value))
            .collect(),
    )
}

fn append_fields(
    names: &[String],
    columns: &mut [Column],
    is_given: &mut [bool],
    members: Members<'_>,
) -> Result<(), String> {
    is_given.fill(false);
    for (name, value) in members.0 {
        let Some(at) = names.iter().position(|known| *known == name) else {
            return Err(format!("field '{name}' is not one of {}", names.join(", ")));
        };
        if let (Some(column), Some(is_given)) = (columns.get_mut(at), is_given.get_mut(at)) {
            if std::mem::replace(is_given, true) {
                return Err(format!("field '{name}' is there twice"));
            }
            column
                .append_json(value)
                .map_err(|message| format!("field '{name}': {message}"))?;
        }
    }
    for ((column, name), _) in columns
        .iter_mut()
        .zip(names)
        .zip(is_given)
        .filter(|(_, given)| !**given)
    {
        column
            .append_null()
            .map_err(|message| format!("field '{name}': {message}"))?;
    }
    Ok(())
}

fn offsets(ends: &[usize]) -> Result<OffsetBuffer<i32>, String> {
    let ends = ends.iter().map(|end| {
        i32::try_from(*end).map_err(|_| "a batch has more than 2^31 elements".to_owned())
    });
    let offsets = std::iter::once(Ok(0))
        .chain(ends)
        .collect::<Result<Vec<i32>, String>>()?;
    Ok(OffsetBuffer::new(offsets.into()))
}

fn struct_fields(entries: &ArrowType) -> Result<Fields, String> {
    match entries {
        ArrowType::Struct(fields) => Ok(fields.clone()),
        other => Err(format!("the entries of a map came as {other}")),
    }
}
