//! The columns of a batch, ready to be written value by value.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, ListArray, MapArray, PrimitiveArray, StringArray, StructArray,
};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType as ArrowType;
use ftable_core::{DataField, DataType, TypeKind};

use super::NAME;
use super::escape::write_string;
use super::keys::{KeyWriter, Refused};
use crate::error::{EncodeSnafu, Error, Result};
use crate::values::Texts;

/// One column of a batch, or what is inside one.
pub(super) enum Cell<'a> {
    Boolean(&'a BooleanArray),
    Float(&'a PrimitiveArray<Float32Type>, Texts<'a>),
    Double(&'a PrimitiveArray<Float64Type>, Texts<'a>),
    /// Integers and decimals.
    Number(Texts<'a>),
    Text(&'a StringArray),
    /// Values with a text that needs no escape: bytes, dates and times.
    Quoted(Texts<'a>, Option<Suspects<'a>>),
    List(&'a ListArray, Box<Cell<'a>>),
    Map(&'a MapArray, Box<(Cell<'a>, Cell<'a>)>),
    Row(&'a StructArray, Vec<Member<'a>>),
}

/// A column with values whose texts would not be read as them. They may lie where no row shows them.
pub(super) struct Suspects<'a> {
    array: &'a dyn Array,
    data_type: &'a DataType,
}

impl Suspects<'_> {
    #[cold]
    fn check(&self, row: usize) -> Result<(), Refused> {
        let value = self.array.slice(row, 1);
        let fault = Texts::new(&value, self.data_type).and_then(|texts| texts.unwritable());
        match fault {
            None => Ok(()),
            Some((_, reason)) => {
                let value = array_value_to_string(&value, 0).unwrap_or_default();
                Err(Refused::new(value, reason))
            }
        }
    }
}

/// A column with its name.
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    /// What stands before the value: a brace or a comma, the name, a colon.
    pub(super) before: Vec<u8>,
    pub(super) cell: Cell<'a>,
}

/// The members of an object.
pub(super) fn members<'a>(
    fields: &'a [DataField],
    arrays: &'a [ArrayRef],
) -> Result<Vec<Member<'a>>> {
    if fields.len() != arrays.len() {
        let (given, expected) = (arrays.len(), fields.len());
        return Err(mismatch(format!("{given} columns instead of {expected}")));
    }
    let member = |(position, (field, array)): (usize, (&'a DataField, &'a ArrayRef))| {
        let mut before = vec![if position == 0 { b'{' } else { b',' }];
        write_string(&field.name, &mut before);
        before.push(b':');
        Ok(Member {
            name: &field.name,
            before,
            cell: Cell::new(&field.data_type, array)?,
        })
    };
    fields.iter().zip(arrays).enumerate().map(member).collect()
}

impl<'a> Cell<'a> {
    /// # Errors
    /// An array that is not of the Arrow type that carries `data_type`.
    pub(super) fn new(data_type: &'a DataType, array: &'a dyn Array) -> Result<Self> {
        let wrong = || wrong(data_type, array);
        let texts = || Texts::new(array, data_type).ok_or_else(wrong);
        Ok(match data_type.kind() {
            TypeKind::Boolean => Self::Boolean(array.as_boolean_opt().ok_or_else(wrong)?),
            TypeKind::Float => Self::Float(array.as_primitive_opt().ok_or_else(wrong)?, texts()?),
            TypeKind::Double => Self::Double(array.as_primitive_opt().ok_or_else(wrong)?, texts()?),
            TypeKind::Char { .. } | TypeKind::VarChar { .. } => {
                Self::Text(array.as_string_opt().ok_or_else(wrong)?)
            }
            TypeKind::Binary { .. }
            | TypeKind::VarBinary { .. }
            | TypeKind::Date
            | TypeKind::Time { .. }
            | TypeKind::Timestamp { .. }
            | TypeKind::TimestampLtz { .. } => {
                let texts = texts()?;
                let suspects = texts.unwritable().map(|_| Suspects { array, data_type });
                Self::Quoted(texts, suspects)
            }
            TypeKind::Array { element } => {
                let lists = array.as_list_opt().ok_or_else(wrong)?;
                Self::List(lists, Box::new(Cell::new(element, lists.values())?))
            }
            TypeKind::Map { key, value } => {
                let maps = array.as_map_opt().ok_or_else(wrong)?;
                let key = Cell::new(key, maps.keys())?;
                Self::Map(maps, Box::new((key, Cell::new(value, maps.values())?)))
            }
            TypeKind::Row { fields } => {
                let rows = array.as_struct_opt().ok_or_else(wrong)?;
                Self::Row(rows, members(fields, rows.columns())?)
            }
            _ => Self::Number(texts()?),
        })
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Boolean(values) => values.is_null(row),
            Self::Float(_, texts)
            | Self::Double(_, texts)
            | Self::Number(texts)
            | Self::Quoted(texts, _) => texts.is_null(row),
            Self::Text(values) => values.is_null(row),
            Self::List(lists, _) => lists.is_null(row),
            Self::Map(maps, _) => maps.is_null(row),
            Self::Row(rows, _) => rows.is_null(row),
        }
    }

    /// Writes the value of a row.
    ///
    /// # Errors
    /// A value that JSON files cannot hold. What was written of it is still there.
    #[inline]
    pub(super) fn write(
        &self,
        row: usize,
        out: &mut Vec<u8>,
        keys: &mut KeyWriter,
    ) -> Result<(), Refused> {
        if self.is_null(row) {
            out.extend_from_slice(b"null");
            return Ok(());
        }
        match self {
            Self::Boolean(values) => out.extend_from_slice(boolean(values.value(row))),
            Self::Float(values, texts) if values.value(row).is_finite() => texts.write(row, out),
            Self::Double(values, texts) if values.value(row).is_finite() => texts.write(row, out),
            Self::Number(texts) => texts.write(row, out),
            Self::Text(values) => write_string(values.value(row), out),
            Self::Quoted(texts, suspects) => {
                suspects.as_ref().map_or(Ok(()), |some| some.check(row))?;
                quoted(texts, row, out);
            }
            Self::Float(_, texts) | Self::Double(_, texts) => quoted(texts, row, out),
            Self::List(lists, elements) => {
                out.push(b'[');
                let range = range(lists.value_offsets(), row);
                let first = range.start;
                for element in range {
                    if element > first {
                        out.push(b',');
                    }
                    elements
                        .write(element, out, keys)
                        .map_err(|refused| refused.under("element"))?;
                }
                out.push(b']');
            }
            Self::Map(maps, entries) => {
                let (key, value) = entries.as_ref();
                let range = range(maps.value_offsets(), row);
                keys.write_map(key, value, range, out)?;
            }
            Self::Row(_, members) => write_object(members, row, out, keys, |_| ())?,
        }
        Ok(())
    }

    /// Writes the value of a row as the name of a member.
    pub(super) fn write_key(&self, row: usize, out: &mut Vec<u8>) -> Result<(), Refused> {
        match self {
            Self::Boolean(values) => {
                out.push(b'"');
                out.extend_from_slice(boolean(values.value(row)));
                out.push(b'"');
            }
            Self::Text(values) => write_string(values.value(row), out),
            Self::Quoted(texts, suspects) => {
                suspects.as_ref().map_or(Ok(()), |some| some.check(row))?;
                quoted(texts, row, out);
            }
            Self::Float(_, texts) | Self::Double(_, texts) | Self::Number(texts) => {
                quoted(texts, row, out);
            }
            Self::List(..) | Self::Map(..) | Self::Row(..) => {
                return Err(Refused::new("", "has no text to be a key"));
            }
        }
        Ok(())
    }
}

/// Writes an object; `ended` is called after each member.
#[inline]
pub(super) fn write_object(
    members: &[Member<'_>],
    row: usize,
    out: &mut Vec<u8>,
    keys: &mut KeyWriter,
    mut ended: impl FnMut(&[u8]),
) -> Result<(), Refused> {
    if members.is_empty() {
        out.push(b'{');
    }
    for member in members {
        out.extend_from_slice(&member.before);
        member
            .cell
            .write(row, out, keys)
            .map_err(|refused| refused.under(member.name))?;
        ended(out);
    }
    out.push(b'}');
    Ok(())
}

fn boolean(value: bool) -> &'static [u8] {
    match value {
        true => b"true",
        false => b"false",
    }
}

fn quoted(texts: &Texts<'_>, row: usize, out: &mut Vec<u8>) {
    out.push(b'"');
    texts.write(row, out);
    out.push(b'"');
}

/// The elements of a value.
fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    match (offsets.get(row), offsets.get(row + 1)) {
        (Some(start), Some(end)) => *start as usize..*end as usize,
        _ => 0..0,
    }
}

fn wrong(data_type: &DataType, array: &dyn Array) -> Error {
    let given: &ArrowType = array.data_type();
    mismatch(format!("an array of {given} instead of {data_type}"))
}

fn mismatch(message: String) -> Error {
    EncodeSnafu {
        format: NAME,
        message,
    }
    .build()
}
