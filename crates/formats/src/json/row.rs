//! Objects with declared members: the line itself, and ROW.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType as ArrowType, Fields};
use ftable_core::types::to_arrow_type;
use ftable_core::{DataField, DataType};

use super::column::Column;
use super::cursor::{Cursor, LastMembers};
use super::fault::Fault;
use super::names::{Names, Place, write_quoted};
use super::schema;
use crate::error::Result;

/// The columns that the members of an object go to.
pub(super) struct Members {
    names: Names,
    columns: Vec<Member>,
    /// The number of the object at hand.
    object: u64,
}

struct Member {
    name: Box<str>,
    /// The name in quotes and a colon; empty if it has characters that must be escaped.
    quoted: Vec<u8>,
    column: Column,
    /// The last object that had the member.
    seen: u64,
}

impl Members {
    /// # Errors
    /// A column of a type that JSON files do not hold; `path` is the name of what the members are in, empty for a line.
    pub(super) fn new(path: &str, fields: &[DataField]) -> Result<Self> {
        let member = |field: &DataField| {
            let path = schema::join(path, &field.name);
            let mut quoted = Vec::new();
            write_quoted(&field.name, &mut quoted);
            Ok(Member {
                name: field.name.as_str().into(),
                quoted,
                column: Column::new(&path, &field.data_type)?,
                seen: 0,
            })
        };
        Ok(Self {
            names: Names::new(fields),
            columns: fields.iter().map(member).collect::<Result<_>>()?,
            object: 0,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Reads the object that comes next as value `len` of every column.
    ///
    /// Of members with one name the last counts; one that no column has is passed over; a column without member is
    /// null.
    pub(super) fn read(&mut self, len: usize, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        self.object += 1;
        let mut left = self.columns.len();
        let mut place = Place::default();
        let last = cursor.last_members()?;
        while let Some(found) = self.next_member(&mut place, last.as_ref(), cursor)? {
            let peek = cursor.peek()?;
            let Some(member) = found.and_then(|position| self.columns.get_mut(position)) else {
                cursor.skip(peek)?;
                continue;
            };
            if member.seen == self.object {
                member.column.truncate(len);
            } else {
                member.seen = self.object;
                left -= 1;
            }
            member
                .column
                .read(peek, cursor)
                .map_err(|fault| fault.under(&member.name))?;
        }
        if left > 0 {
            self.fill()?;
        }
        Ok(())
    }

    /// Reads the name of the next member: `None` at the end of the object, and within it the column it is for.
    #[inline]
    fn next_member(
        &mut self,
        place: &mut Place,
        last: Option<&LastMembers>,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Option<usize>>, Fault> {
        let opening = if place.is_first() { b'{' } else { b',' };
        if last.is_none()
            && let Some(found) = self.take_likely(*place, opening, cursor)
        {
            place.found(found);
            return Ok(Some(found));
        }
        let name = match place.is_first() {
            true => cursor.jiter.known_object()?,
            false => cursor.jiter.next_key()?,
        };
        let Some(name) = name else {
            return Ok(None);
        };
        let found = self.names.find(place, name);
        let counts = last.is_none_or(|last| last.is_last(name, place.ordinal()));
        Ok(Some(found.filter(|_| counts)))
    }

    /// Reads the name of the next member if it is, as it stands there, the one to expect: the column it is for.
    #[inline]
    fn take_likely(
        &self,
        place: Place,
        opening: u8,
        cursor: &mut Cursor<'_>,
    ) -> Option<Option<usize>> {
        let expected = place.expected();
        let quoted = self
            .columns
            .get(expected)
            .map_or(&[][..], |member| &member.quoted);
        if !quoted.is_empty() && cursor.take_member(opening, quoted) {
            return Some(Some(expected));
        }
        let (quoted, column) = self.names.remembered(place)?;
        cursor.take_member(opening, quoted).then_some(column)
    }

    /// Nulls for the columns that the object at hand has no member for.
    fn fill(&mut self) -> Result<(), Fault> {
        let object = self.object;
        let missing = self
            .columns
            .iter_mut()
            .filter(|member| member.seen != object);
        for member in missing {
            member
                .column
                .read_null()
                .map_err(|fault| fault.under(&member.name))?;
        }
        Ok(())
    }

    pub(super) fn truncate(&mut self, len: usize) {
        for member in &mut self.columns {
            member.column.truncate(len);
        }
    }

    pub(super) fn memory_size(&self) -> usize {
        let sizes = self
            .columns
            .iter()
            .map(|member| member.column.memory_size());
        sizes.sum()
    }

    pub(super) fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        let columns = self.columns.iter_mut();
        columns.map(|member| member.column.finish()).collect()
    }
}

/// Values of ROW.
pub(super) struct Row {
    members: Members,
    valid: NullBufferBuilder,
    fields: Fields,
}

impl Row {
    pub(super) fn new(path: &str, data_type: &DataType, fields: &[DataField]) -> Result<Self> {
        let ArrowType::Struct(arrow) = to_arrow_type(data_type)? else {
            return Err(schema::refused(path, data_type));
        };
        Ok(Self {
            members: Members::new(path, fields)?,
            valid: NullBufferBuilder::new(0),
            fields: arrow,
        })
    }

    pub(super) fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        self.members.read(self.valid.len(), cursor)?;
        self.valid.append_non_null();
        Ok(())
    }

    pub(super) fn append_null(&mut self) {
        for member in &mut self.members.columns {
            member.column.append_null();
        }
        self.valid.append_null();
    }

    pub(super) fn len(&self) -> usize {
        self.valid.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.members.truncate(len);
        self.valid.truncate(len);
    }

    pub(super) fn memory_size(&self) -> usize {
        self.members.memory_size() + self.valid.allocated_size()
    }

    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let len = self.valid.len();
        let (columns, nulls) = (self.members.finish()?, self.valid.finish());
        if columns.is_empty() {
            return Ok(Arc::new(StructArray::new_empty_fields(len, nulls)));
        }
        StructArray::try_new(self.fields.clone(), columns, nulls)
            .map(|rows| Arc::new(rows) as ArrayRef)
            .map_err(schema::broken)
    }
}
