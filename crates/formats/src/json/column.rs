//! Columns under construction: values go in one by one, and can be taken back.

use arrow_array::ArrayRef;
use ftable_core::{DataType, TypeKind};
use jiter::Peek;

use super::cursor::Cursor;
use super::fault::{Fault, cut};
use super::nested::{List, Map};
use super::row::Row;
use super::schema;
use crate::error::Result;
use crate::values::TextColumn;

/// Digits that every finite number of the type has room for, whatever they are.
const DIGITS_OF_FLOAT: usize = 38;
const DIGITS_OF_DOUBLE: usize = 308;

/// The values of one column, or of what is inside one.
pub(super) struct Column {
    data: Data,
    nullable: bool,
    /// The type, for messages.
    declared: Box<str>,
}

enum Data {
    Scalar(Scalar),
    List(Box<List>),
    Map(Box<Map>),
    Row(Box<Row>),
}

impl Column {
    /// A column without values; `path` is its name, with those of the columns around it.
    ///
    /// # Errors
    /// A type that JSON files do not hold, by name.
    pub(super) fn new(path: &str, data_type: &DataType) -> Result<Self> {
        let data = match data_type.kind() {
            TypeKind::Array { element } => {
                Data::List(Box::new(List::new(path, data_type, element)?))
            }
            TypeKind::Map { key, value } => {
                Data::Map(Box::new(Map::new(path, data_type, key, value)?))
            }
            TypeKind::Row { fields } => Data::Row(Box::new(Row::new(path, data_type, fields)?)),
            _ => Data::Scalar(Scalar::new(path, data_type)?),
        };
        Ok(Self {
            data,
            nullable: data_type.is_nullable(),
            declared: data_type.clone().with_nullable(true).to_string().into(),
        })
    }

    /// Reads the next value, which begins with `peek`.
    ///
    /// After a fault the column holds less or more than it did: truncate it.
    #[inline]
    pub(super) fn read(&mut self, peek: Peek, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let start = cursor.position();
        let expected = match (&mut self.data, peek) {
            (_, Peek::Null) => {
                cursor.jiter.known_null()?;
                return self.read_null();
            }
            (Data::Scalar(scalar), _) => match scalar.read(peek, cursor)? {
                Ok(()) => return Ok(()),
                Err(expected) => expected,
            },
            (Data::List(list), Peek::Array) => return list.read(cursor),
            (Data::Map(map), Peek::Object) => return map.read(cursor),
            (Data::Row(row), Peek::Object) => return row.read(cursor),
            (Data::List(_), _) => {
                cursor.skip(peek)?;
                "an array"
            }
            (Data::Map(_) | Data::Row(_), _) => {
                cursor.skip(peek)?;
                "an object"
            }
        };
        self.reject(cursor.since(start), expected, cursor)
    }

    /// The value stands there and is null, or is not there at all.
    pub(super) fn read_null(&mut self) -> Result<(), Fault> {
        if !self.nullable {
            return Err(Fault::value(
                "it is NOT NULL in the table but null in the line",
            ));
        }
        self.append_null();
        Ok(())
    }

    #[cold]
    fn reject(&mut self, text: &str, expected: &str, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        if cursor.lenient && self.nullable {
            cursor.malformed = true;
            self.append_null();
            return Ok(());
        }
        let (text, declared) = (cut(text), &self.declared);
        let not_null = match cursor.lenient {
            true => ", and it is NOT NULL, so NULL cannot stand for the value",
            false => "",
        };
        Err(Fault::value(format!(
            "{text} cannot be read as {declared}: expected {expected}{not_null}"
        )))
    }

    /// Appends a null, also where a NOT NULL column has none: under a null row.
    pub(super) fn append_null(&mut self) {
        match &mut self.data {
            Data::Scalar(scalar) => scalar.values.append_null(),
            Data::List(list) => list.append_null(),
            Data::Map(map) => map.append_null(),
            Data::Row(row) => row.append_null(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.data {
            Data::Scalar(scalar) => scalar.values.len(),
            Data::List(list) => list.len(),
            Data::Map(map) => map.len(),
            Data::Row(row) => row.len(),
        }
    }

    /// Takes back all but the first `len` values.
    pub(super) fn truncate(&mut self, len: usize) {
        match &mut self.data {
            Data::Scalar(scalar) => scalar.values.truncate(len),
            Data::List(list) => list.truncate(len),
            Data::Map(map) => map.truncate(len),
            Data::Row(row) => row.truncate(len),
        }
    }

    /// Bytes of memory held.
    pub(super) fn memory_size(&self) -> usize {
        match &self.data {
            Data::Scalar(scalar) => scalar.values.memory_size(),
            Data::List(list) => list.memory_size(),
            Data::Map(map) => map.memory_size(),
            Data::Row(row) => row.memory_size(),
        }
    }

    /// Gives the values as an array and begins anew.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        match &mut self.data {
            Data::Scalar(scalar) => scalar.values.finish(),
            Data::List(list) => list.finish(),
            Data::Map(map) => map.finish(),
            Data::Row(row) => row.finish(),
        }
    }
}

/// Values that have a text.
struct Scalar {
    values: TextColumn,
    /// The digits that cannot be too many for a number to be finite; of floating-point types only.
    digits: Option<usize>,
    single: bool,
}

impl Scalar {
    fn new(path: &str, data_type: &DataType) -> Result<Self> {
        let values = TextColumn::new(data_type).ok_or_else(|| schema::refused(path, data_type))?;
        let single = matches!(data_type.kind(), TypeKind::Float);
        let digits = match data_type.kind() {
            TypeKind::Float => Some(DIGITS_OF_FLOAT),
            TypeKind::Double => Some(DIGITS_OF_DOUBLE),
            _ => None,
        };
        Ok(Self {
            values,
            digits,
            single,
        })
    }

    /// Reads a value other than null by its text: of a string what it says, of a number its digits as they stand
    /// there, so that nothing is rounded on the way. The inner error says what was expected.
    #[inline]
    fn read(
        &mut self,
        peek: Peek,
        cursor: &mut Cursor<'_>,
    ) -> Result<Result<(), &'static str>, Fault> {
        let appended = match peek {
            Peek::String => self.values.append(cursor.jiter.known_str()?),
            Peek::True | Peek::False => match cursor.jiter.known_bool(peek)? {
                true => self.values.append("true"),
                false => self.values.append("false"),
            },
            Peek::Array | Peek::Object => {
                cursor.skip(peek)?;
                return Ok(Err("a string, a number or a boolean"));
            }
            _ => {
                let text = cursor.number(peek)?;
                if self.overflows(text) {
                    return Ok(Err("a number in its range"));
                }
                self.values.append(text)
            }
        };
        Ok(appended.map_err(|rejected| rejected.expected))
    }

    /// Whether a number is too large for its floating-point type. As a number it means itself and not infinity, which
    /// has a name.
    #[inline]
    fn overflows(&self, text: &str) -> bool {
        let Some(digits) = self.digits else {
            return false;
        };
        let short = text.len() <= digits && !text.bytes().any(|byte| byte | 0x20 == b'e');
        !short
            && match self.single {
                true => text.parse::<f32>().is_ok_and(f32::is_infinite),
                false => text.parse::<f64>().is_ok_and(f64::is_infinite),
            }
    }
}
