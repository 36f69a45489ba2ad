//! Which file types may be read as which declared types: lossless, or refused.
//!
//! | file type | accepted declared types |
//! | --- | --- |
//! | the type itself | always |
//! | INT8, INT16, INT32 | wider integers; FLOAT (up to INT16), DOUBLE; DECIMAL with room for every value |
//! | INT64 | DECIMAL with at least 19 integer digits |
//! | UINT8, UINT16, UINT32 | the next wider integer and beyond; DECIMAL with room |
//! | UINT64 | DECIMAL with at least 20 integer digits |
//! | Parquet INT32 without annotation | TINYINT and SMALLINT too, value by value |
//! | ORC INT | TIME too, value by value: ORC has no time of day |
//! | FLOAT16, FLOAT | FLOAT, DOUBLE |
//! | DECIMAL(p, s) | DECIMAL with as many digits on both sides; same scale and fewer digits: value by value |
//! | DATE | TIMESTAMP, as midnight |
//! | TIME of any unit | TIME, value by value: whole milliseconds within a day |
//! | TIMESTAMP of another unit | TIMESTAMP and local-zone TIMESTAMP; coarser units value by value; never wrapped |
//! | Parquet INT96 | the same; below microseconds the floor is taken, since its writers mean microseconds |
//! | ORC TIMESTAMP, TIMESTAMP_INSTANT | TIMESTAMP, local-zone TIMESTAMP, never crosswise |
//! | strings | STRING, BYTES (not of ORC CHAR and VARCHAR); VARCHAR(n) and CHAR(n) value by value |
//! | bytes | BYTES; BINARY(n) and VARBINARY(n) value by value; STRING where the bytes are UTF-8, value by value |
//! | bytes of a fixed length n | BYTES, BINARY(n), VARBINARY of n and more |
//! | only nulls | every nullable type |
//! | LIST, MAP, STRUCT | the same kind; STRUCT children by name, a missing nullable child is null |
//! | Parquet group around one repeated field, without annotation | ARRAY or MAP of its shape too |
//!
//! For users the table is `docs/types.md`, which a test holds against this module row by row.
//!
//! "Value by value" means that the first value which does not convert exactly is an error. Nothing else is
//! rounded, wrapped or replaced by null.
//!
//! The way back, from the types of files to the type of a table that is yet to be declared, is in `shape` for one file
//! and in `merge` for many.

mod elements;
mod file_type;
mod merge;
mod mismatch;
mod nested;
mod primitive;
mod shape;
mod time;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_cast::cast;
use arrow_schema::DataType as ArrowType;
use ftable_core::types::to_arrow_type;
use ftable_core::{DataType, TypeKind};

pub(crate) use file_type::{FileType, Form};
pub use merge::{FileFields, MergedFields};
pub(crate) use mismatch::{Failure, Mismatch, Site};
use nested::Children;
use primitive::{Exact, limits_values};

/// How the values of one column become values of the declared type.
#[derive(Debug, Clone)]
pub struct Conversion {
    target: ArrowType,
    nullable: bool,
    step: Step,
    file_type: String,
    declared: String,
}

#[derive(Debug, Clone)]
enum Step {
    /// The types are the same.
    Same,
    /// All values are null.
    Nulls,
    /// A value of a primitive type.
    Primitive(Exact),
    /// A dictionary, whose values convert once each stands in its row.
    Unpacked(ArrowType, Box<Conversion>),
    /// A nested type whose children convert.
    Nested(Box<Children>),
}

impl Conversion {
    /// Decides whether columns of `file` can be read as `declared`.
    ///
    /// # Errors
    /// The pair is not in the table of this module.
    pub(crate) fn plan(file: &FileType, declared: &DataType) -> Result<Self, Mismatch> {
        let refuse = || Mismatch::new(&file.name, declared);
        let target = to_arrow_type(declared).map_err(|_| refuse())?;
        let plain = matches!(
            file.form,
            Form::Plain | Form::Bare | Form::MaybeTime | Form::BoundedText
        );
        let step = match (&file.arrow, declared.kind()) {
            _ if file.form == Form::Foreign => return Err(refuse()),
            (ArrowType::Null, _) if declared.is_nullable() => Step::Nulls,
            (ArrowType::Dictionary(_, value), _) if !value.is_nested() => {
                let values = Self::plan(&FileType::of_arrow(value), declared);
                Step::Unpacked(
                    value.as_ref().clone(),
                    Box::new(values.map_err(|_| refuse())?),
                )
            }
            (
                _,
                TypeKind::Array { .. }
                | TypeKind::Multiset { .. }
                | TypeKind::Map { .. }
                | TypeKind::Row { .. },
            ) => Step::Nested(Box::new(Children::plan(file, declared)?)),
            (arrow, kind) if plain && *arrow == target && !limits_values(kind) => Step::Same,
            _ => Step::Primitive(Exact::plan(file, declared, &target).ok_or_else(refuse)?),
        };
        Ok(Self {
            target,
            nullable: declared.is_nullable(),
            step,
            file_type: file.name.clone(),
            declared: declared.to_string(),
        })
    }

    /// Decides whether an input column of type `given` can be written as `declared`; the same table as for files.
    pub fn for_input(given: &ArrowType, declared: &DataType) -> Option<Self> {
        Self::plan(&FileType::of_arrow(given), declared).ok()
    }

    /// Converts an input column.
    ///
    /// # Errors
    /// The text says which value at which row does not convert.
    pub fn convert_input(&self, column: &str, array: &ArrayRef) -> Result<ArrayRef, String> {
        self.apply(array, &Site::root(column))
            .map_err(|failure| failure.to_string())
    }

    /// Converts a decoded column.
    pub(crate) fn apply(&self, array: &ArrayRef, site: &Site<'_>) -> Result<ArrayRef, Failure> {
        let converted = match &self.step {
            Step::Same => Arc::clone(array),
            Step::Nulls => new_null_array(&self.target, array.len()),
            Step::Primitive(exact) => exact
                .apply(array, &self.target)
                .map_err(|row| self.failure(exact, array, row, site))?,
            Step::Unpacked(value, values) => {
                let unpacked = cast(array, value)
                    .map_err(|error| Failure::broken(site, format!("its dictionary: {error}")))?;
                values
                    .apply(&unpacked, site)
                    .map_err(|failure| failure.of_type(&self.file_type))?
            }
            Step::Nested(children) => children.apply(array, &self.target, site)?,
        };
        if !self.nullable && site.checks_nulls() && converted.null_count() > 0 {
            let row = (0..converted.len())
                .find(|row| converted.is_null(*row))
                .unwrap_or(0);
            return Err(Failure::null(site, row));
        }
        Ok(converted)
    }

    fn failure(&self, exact: &Exact, array: &ArrayRef, row: usize, site: &Site<'_>) -> Failure {
        Failure::value(
            site,
            row,
            &exact.text(array, row),
            &self.file_type,
            &self.declared,
        )
    }
}

#[cfg(test)]
mod tests;
