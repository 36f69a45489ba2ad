//! ARRAY and MAP.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType as ArrowType, FieldRef};
use arrow_select::take::take;
use ftable_core::DataType;
use ftable_core::types::to_arrow_type;

use super::column::Column;
use super::cursor::Cursor;
use super::fault::{Fault, cut};
use super::map_keys::last_of_equal;
use super::schema;
use crate::error::Result;
use crate::values::TextColumn;

/// Where the elements of each value end, and which values are null.
struct Ends {
    /// One more than there are values, from 0.
    ends: Vec<i32>,
    valid: NullBufferBuilder,
}

impl Ends {
    fn new() -> Self {
        Self {
            ends: vec![0],
            valid: NullBufferBuilder::new(0),
        }
    }

    fn len(&self) -> usize {
        self.valid.len()
    }

    /// The elements of the first `len` values.
    fn end(&self, len: usize) -> usize {
        let end = self.ends.get(len).or(self.ends.last());
        end.map_or(0, |end| *end as usize)
    }

    /// Ends a value after `elements` elements in all.
    fn append(&mut self, elements: usize) -> Result<(), Fault> {
        let end = i32::try_from(elements).map_err(|_| {
            Fault::value(
                "the elements of one batch are more than 2147483647; use a smaller read.batch-size",
            )
        })?;
        self.ends.push(end);
        self.valid.append_non_null();
        Ok(())
    }

    fn append_null(&mut self) {
        let end = self.ends.last().copied().unwrap_or(0);
        self.ends.push(end);
        self.valid.append_null();
    }

    fn truncate(&mut self, len: usize) {
        self.ends.truncate(len + 1);
        self.valid.truncate(len);
    }

    fn memory_size(&self) -> usize {
        self.ends.capacity() * size_of::<i32>() + self.valid.allocated_size()
    }

    fn take_ends(&mut self) -> Vec<i32> {
        std::mem::replace(&mut self.ends, vec![0])
    }
}

/// The ends as Arrow has them; they begin with 0 and never fall.
fn offsets(ends: Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(ends))
}

/// Values of ARRAY.
pub(super) struct List {
    ends: Ends,
    elements: Column,
    field: FieldRef,
}

impl List {
    pub(super) fn new(path: &str, data_type: &DataType, element: &DataType) -> Result<Self> {
        let ArrowType::List(field) = to_arrow_type(data_type)? else {
            return Err(schema::refused(path, data_type));
        };
        Ok(Self {
            ends: Ends::new(),
            elements: Column::new(&schema::join(path, "element"), element)?,
            field,
        })
    }

    pub(super) fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let mut next = cursor.jiter.known_array()?;
        while let Some(peek) = next {
            self.elements
                .read(peek, cursor)
                .map_err(|fault| fault.under("element"))?;
            next = cursor.jiter.array_step()?;
        }
        self.ends.append(self.elements.len())
    }

    pub(super) fn append_null(&mut self) {
        self.ends.append_null();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.elements.truncate(self.ends.end(len));
        self.ends.truncate(len);
    }

    pub(super) fn memory_size(&self) -> usize {
        self.ends.memory_size() + self.elements.memory_size()
    }

    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let (ends, nulls) = (self.ends.take_ends(), self.ends.valid.finish());
        let elements = self.elements.finish()?;
        ListArray::try_new(Arc::clone(&self.field), offsets(ends), elements, nulls)
            .map(|lists| Arc::new(lists) as ArrayRef)
            .map_err(schema::broken)
    }
}

/// Values of MAP.
pub(super) struct Map {
    ends: Ends,
    keys: TextColumn,
    key_type: Box<str>,
    values: Column,
    field: FieldRef,
}

impl Map {
    pub(super) fn new(
        path: &str,
        data_type: &DataType,
        key: &DataType,
        value: &DataType,
    ) -> Result<Self> {
        let ArrowType::Map(field, _) = to_arrow_type(data_type)? else {
            return Err(schema::refused(path, data_type));
        };
        let key_path = schema::join(path, "key");
        Ok(Self {
            ends: Ends::new(),
            keys: TextColumn::new(key).ok_or_else(|| schema::refused_key(&key_path, key))?,
            key_type: key.clone().with_nullable(true).to_string().into(),
            values: Column::new(&schema::join(path, "value"), value)?,
            field,
        })
    }

    /// Reads the object that comes next. In a lenient reading an entry whose key cannot be read is left out.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let last = cursor.last_members()?;
        let mut ordinal = 0;
        let mut next = cursor.jiter.known_object()?;
        while let Some(name) = next {
            let mut counts = last.as_ref().is_none_or(|last| last.is_last(name, ordinal));
            ordinal += 1;
            if counts && let Err(rejected) = self.keys.append(name) {
                if !cursor.lenient {
                    return Err(self.bad_key(name, rejected.expected).under("key"));
                }
                cursor.malformed = true;
                counts = false;
            }
            let peek = cursor.peek()?;
            if counts {
                self.values
                    .read(peek, cursor)
                    .map_err(|fault| fault.under("value"))?;
            } else {
                cursor.skip(peek)?;
            }
            next = cursor.jiter.next_key()?;
        }
        self.ends.append(self.values.len())
    }

    #[cold]
    fn bad_key(&self, name: &str, expected: &str) -> Fault {
        let (name, declared) = (cut(name), &self.key_type);
        Fault::value(format!(
            "{name:?} cannot be read as {declared}: expected {expected}"
        ))
    }

    pub(super) fn append_null(&mut self) {
        self.ends.append_null();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        let entries = self.ends.end(len);
        self.keys.truncate(entries);
        self.values.truncate(entries);
        self.ends.truncate(len);
    }

    pub(super) fn memory_size(&self) -> usize {
        self.ends.memory_size() + self.keys.memory_size() + self.values.memory_size()
    }

    /// Of equal keys in one value the last counts, however they are spelled.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let (mut ends, nulls) = (self.ends.take_ends(), self.ends.valid.finish());
        let mut keys = self.keys.finish()?;
        let mut values = self.values.finish()?;
        if let Some(last) = last_of_equal(&keys, &ends) {
            keys = take(&keys, &last.entries, None).map_err(schema::broken)?;
            values = take(&values, &last.entries, None).map_err(schema::broken)?;
            ends = last.ends;
        }
        let ArrowType::Struct(fields) = self.field.data_type() else {
            return Err(schema::broken("the entries of a map are no struct"));
        };
        StructArray::try_new(fields.clone(), vec![keys, values], None)
            .and_then(|entries| {
                let field = Arc::clone(&self.field);
                MapArray::try_new(field, offsets(ends), entries, nulls, false)
            })
            .map(|maps| Arc::new(maps) as ArrayRef)
            .map_err(schema::broken)
    }
}
