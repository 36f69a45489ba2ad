//! One list of columns for many files: by name, each with a type that every file's reads as without loss.
//!
//! | in one file | in another | together |
//! | --- | --- | --- |
//! | the same | the same | the same |
//! | integer | wider integer | the wider |
//! | TINYINT, SMALLINT | FLOAT | FLOAT |
//! | TINYINT, SMALLINT, INT | DOUBLE | DOUBLE |
//! | INT | FLOAT | DOUBLE |
//! | integer, DECIMAL | DECIMAL | DECIMAL with the most digits of both on either side of the point, 38 in all |
//! | FLOAT | DOUBLE | DOUBLE |
//! | CHAR, VARCHAR, STRING | CHAR, VARCHAR, STRING | the longer; VARCHAR where both kinds occur |
//! | text | bytes | BYTES |
//! | BINARY(n) | BINARY(m), BYTES | the longer, as VARBINARY or BYTES |
//! | DATE | TIMESTAMP | TIMESTAMP |
//! | TIME, TIMESTAMP, local-zone TIMESTAMP | the same, another precision | the finer |
//! | INT96 | DATE, TIMESTAMP or instant | TIMESTAMP(9), or an instant of that precision |
//! | ARRAY, MAP, ROW | the same | their children merged, those of ROW by name |
//! | only nulls | anything | the other |
//!
//! Everything else has no common type and is refused: BIGINT beside FLOAT or DOUBLE, TIMESTAMP beside an instant. A
//! column or ROW child that one file lacks is NULL there.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ftable_core::types::MAX_LENGTH;
use ftable_core::{DataType, TypeKind};

use super::file_type::FileType;
use super::shape::Shape;
use crate::error::{
    AmbiguousColumnSnafu, NoCommonTypeSnafu, NoTableTypeSnafu, Result, UnnamedColumnsSnafu,
};

/// The columns of one file by its own schema.
#[derive(Debug, Clone)]
pub struct FileFields {
    path: Arc<str>,
    columns: Vec<(String, Shape)>,
    /// Whether the names are placeholders, so that columns are matched by position.
    by_position: bool,
}

impl FileFields {
    /// The columns with these names and types.
    pub(crate) fn new(path: &str, columns: impl IntoIterator<Item = (String, FileType)>) -> Self {
        Self {
            path: path.into(),
            columns: columns
                .into_iter()
                .map(|(name, file_type)| (name, Shape::of(&file_type)))
                .collect(),
            by_position: false,
        }
    }

    /// The same columns, named by nothing but their position.
    pub(crate) fn unnamed(mut self) -> Self {
        self.by_position = true;
        for (position, (name, _)) in self.columns.iter_mut().enumerate() {
            *name = format!("_col{position}");
        }
        self
    }
}

/// A column and the file that its type comes from.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    /// None for a partition column: its values are those of the directories.
    shape: Option<Shape>,
    path: Arc<str>,
}

/// Columns by name, in the order they were first met.
#[derive(Debug, Default)]
struct Columns {
    list: Vec<Column>,
    positions: HashMap<String, usize>,
}

/// The columns of several files, merged by name: each with a type that every file's reads as without loss.
#[derive(Debug, Default)]
pub struct MergedFields {
    partition_keys: Vec<String>,
    named: Columns,
    /// The columns of files that name none.
    unnamed: Columns,
}

impl MergedFields {
    /// No columns yet. The types that files have for `partition_keys` are not looked at.
    pub fn new(partition_keys: &[String]) -> Self {
        Self {
            partition_keys: partition_keys.to_vec(),
            ..Self::default()
        }
    }

    /// Adds the columns of a file.
    ///
    /// # Errors
    /// By file and column: a type that no column of a table has, two columns of one name, a type that has none in
    /// common with the one in an earlier file.
    pub fn add(&mut self, file: &FileFields) -> Result<()> {
        let columns = match file.by_position {
            true => &mut self.unnamed,
            false => &mut self.named,
        };
        let mut seen = HashSet::with_capacity(file.columns.len());
        for (name, shape) in &file.columns {
            let is_key = !file.by_position && self.partition_keys.contains(name);
            if !is_key {
                check(&file.path, name, shape)?;
            }
            if !seen.insert(name) {
                return AmbiguousColumnSnafu {
                    path: &*file.path,
                    column: name.as_str(),
                }
                .fail();
            }
            let at = columns.place(name, &file.path);
            if !is_key {
                columns.merge(at, shape, &file.path)?;
            }
        }
        Ok(())
    }

    /// The columns with their types; a partition column that files hold has none, and stands where they have it.
    ///
    /// Files without names of columns take the names of the others, by position, as reading does.
    ///
    /// # Errors
    /// A file without names that has more columns than are named, or types that do not go together with theirs.
    pub fn finish(self) -> Result<Vec<(String, Option<DataType>)>> {
        let Self {
            mut named, unnamed, ..
        } = self;
        if named.list.is_empty() {
            named = unnamed;
        } else {
            let is_data = |at: &usize| named.list.get(*at).is_some_and(|c| c.shape.is_some());
            let data: Vec<usize> = (0..named.list.len()).filter(is_data).collect();
            for (position, column) in unnamed.list.iter().enumerate() {
                let Some(at) = data.get(position) else {
                    return UnnamedColumnsSnafu {
                        path: &*column.path,
                        columns: unnamed.list.len(),
                        named: data.len(),
                    }
                    .fail();
                };
                if let Some(shape) = &column.shape {
                    named.merge(*at, shape, &column.path)?;
                }
            }
        }
        let typed = |column: Column| (column.name, column.shape.map(|shape| shape.data_type()));
        Ok(named.list.into_iter().map(typed).collect())
    }
}

impl Columns {
    /// The position of a column, which is made where there is none.
    fn place(&mut self, name: &str, path: &Arc<str>) -> usize {
        if let Some(at) = self.positions.get(name) {
            return *at;
        }
        let at = self.list.len();
        self.positions.insert(name.to_owned(), at);
        self.list.push(Column {
            name: name.to_owned(),
            shape: None,
            path: Arc::clone(path),
        });
        at
    }

    fn merge(&mut self, at: usize, shape: &Shape, path: &Arc<str>) -> Result<()> {
        let Some(column) = self.list.get_mut(at) else {
            return Ok(());
        };
        let Some(known) = &column.shape else {
            column.shape = Some(shape.clone());
            return Ok(());
        };
        if known == shape {
            return Ok(());
        }
        let merged = merge(known, shape).map_err(|conflict| {
            let mut name = column.name.clone();
            for child in conflict.children.iter().rev() {
                name.push('.');
                name.push_str(child);
            }
            NoCommonTypeSnafu {
                column: name,
                first: conflict.first.to_string(),
                first_path: &*column.path,
                second: conflict.second.to_string(),
                second_path: &**path,
            }
            .build()
        })?;
        if merged != *known {
            column.path = Arc::clone(path);
        }
        column.shape = Some(merged);
        Ok(())
    }
}

/// Refuses a type that no column has, and ROW children of one name.
fn check(path: &Arc<str>, column: &str, shape: &Shape) -> Result<()> {
    let full = |below: &[&str]| {
        let names: Vec<&str> = [column].into_iter().chain(below.iter().copied()).collect();
        names.join(".")
    };
    if let Some((below, file_type)) = shape.foreign() {
        return NoTableTypeSnafu {
            path: &**path,
            column: full(&below),
            file_type,
        }
        .fail();
    }
    match shape.repeated_name() {
        Some(below) => AmbiguousColumnSnafu {
            path: &**path,
            column: full(&below),
        }
        .fail(),
        None => Ok(()),
    }
}

/// Two types without a common one.
#[derive(Debug)]
struct Conflict {
    /// Names of the children that lead to it, innermost first.
    children: Vec<String>,
    first: DataType,
    second: DataType,
}

impl Conflict {
    fn under(mut self, name: &str) -> Self {
        self.children.push(name.to_owned());
        self
    }
}

fn merge(first: &Shape, second: &Shape) -> Result<Shape, Conflict> {
    let below = |name: &'static str, first: &Shape, second: &Shape| {
        merge(first, second)
            .map(Box::new)
            .map_err(|conflict| conflict.under(name))
    };
    let together = match (first, second) {
        (Shape::Nulls, other) | (other, Shape::Nulls) => Some(other.clone()),
        (Shape::Value(one), Shape::Value(other)) => common(one, other).map(Shape::Value),
        (Shape::Unsigned(one), Shape::Unsigned(other) | Shape::Value(other))
        | (Shape::Value(other), Shape::Unsigned(one)) => unsigned(one, other),
        (Shape::Unzoned, Shape::Unzoned) => Some(Shape::Unzoned),
        (Shape::Unzoned, Shape::Value(kind)) | (Shape::Value(kind), Shape::Unzoned) => {
            finest(kind).map(Shape::Value)
        }
        (Shape::Array(one), Shape::Array(other)) => {
            Some(Shape::Array(below("element", one, other)?))
        }
        (Shape::Map(key, value), Shape::Map(other_key, other_value)) => Some(Shape::Map(
            below("key", key, other_key)?,
            below("value", value, other_value)?,
        )),
        (Shape::Row(one), Shape::Row(other)) => Some(Shape::Row(rows(one, other)?)),
        _ => None,
    };
    together.ok_or_else(|| Conflict {
        children: Vec::new(),
        first: first.data_type(),
        second: second.data_type(),
    })
}

fn rows(
    first: &[(String, Shape)],
    second: &[(String, Shape)],
) -> Result<Vec<(String, Shape)>, Conflict> {
    let mut merged = first.to_vec();
    let positions: HashMap<&str, usize> = first
        .iter()
        .enumerate()
        .map(|(at, (name, _))| (name.as_str(), at))
        .collect();
    for (name, shape) in second {
        let known = positions
            .get(name.as_str())
            .and_then(|at| merged.get_mut(*at));
        match known {
            Some((_, known)) => {
                *known = merge(known, shape).map_err(|conflict| conflict.under(name))?;
            }
            None => merged.push((name.clone(), shape.clone())),
        }
    }
    Ok(merged)
}

/// What an integer without sign and another value have in common, which stays one without sign while it is an integer.
fn unsigned(one: &TypeKind, other: &TypeKind) -> Option<Shape> {
    if matches!(other, TypeKind::Float | TypeKind::Double) {
        return None;
    }
    let kind = common(one, other)?;
    let integer = !matches!(kind, TypeKind::Decimal { .. });
    Some(if integer {
        Shape::Unsigned(kind)
    } else {
        Shape::Value(kind)
    })
}

/// The type that both read as without loss.
fn common(one: &TypeKind, other: &TypeKind) -> Option<TypeKind> {
    if one == other {
        return Some(one.clone());
    }
    ordered(one, other).or_else(|| ordered(other, one))
}

/// [`common`] for one order of the two.
fn ordered(one: &TypeKind, other: &TypeKind) -> Option<TypeKind> {
    use TypeKind as T;
    if let Some(digits) = integer_digits(one) {
        return match other {
            T::Float => (digits < 10)
                .then_some(T::Float)
                .or_else(|| (digits == 10).then_some(T::Double)),
            T::Double => (digits <= 10).then_some(T::Double),
            T::Decimal { precision, scale } => {
                decimal(digits.max(precision.saturating_sub(*scale)), *scale)
            }
            wider => (integer_digits(wider)? > digits).then(|| wider.clone()),
        };
    }
    match (one, other) {
        (T::Float, T::Double) => Some(T::Double),
        (
            T::Decimal { precision, scale },
            T::Decimal {
                precision: other_precision,
                scale: other_scale,
            },
        ) => {
            let room = precision
                .saturating_sub(*scale)
                .max(other_precision.saturating_sub(*other_scale));
            decimal(room, *scale.max(other_scale))
        }
        (T::Char { length }, T::Char { length: other }) => Some(T::Char {
            length: *length.max(other),
        }),
        (T::Char { length } | T::VarChar { length }, T::VarChar { length: other }) => {
            Some(T::VarChar {
                length: *length.max(other),
            })
        }
        (T::Char { .. } | T::VarChar { .. }, T::Binary { .. } | T::VarBinary { .. }) => {
            Some(T::VarBinary { length: MAX_LENGTH })
        }
        (T::Binary { length }, T::Binary { length: other } | T::VarBinary { length: other })
        | (T::VarBinary { length }, T::VarBinary { length: other }) => Some(T::VarBinary {
            length: *length.max(other),
        }),
        (T::Date, T::Timestamp { .. }) => Some(other.clone()),
        (T::Time { precision }, T::Time { precision: other }) => Some(T::Time {
            precision: *precision.max(other),
        }),
        (T::Timestamp { precision }, T::Timestamp { precision: other }) => Some(T::Timestamp {
            precision: *precision.max(other),
        }),
        (T::TimestampLtz { precision }, T::TimestampLtz { precision: other }) => {
            Some(T::TimestampLtz {
                precision: *precision.max(other),
            })
        }
        _ => None,
    }
}

/// The type of a column that has INT96 in another file, which says nothing of its zone.
fn finest(kind: &TypeKind) -> Option<TypeKind> {
    match kind {
        TypeKind::Date | TypeKind::Timestamp { .. } => Some(TypeKind::Timestamp { precision: 9 }),
        TypeKind::TimestampLtz { .. } => Some(TypeKind::TimestampLtz { precision: 9 }),
        _ => None,
    }
}

/// The most decimal digits of an integer type.
fn integer_digits(kind: &TypeKind) -> Option<u8> {
    match kind {
        TypeKind::TinyInt => Some(3),
        TypeKind::SmallInt => Some(5),
        TypeKind::Int => Some(10),
        TypeKind::BigInt => Some(19),
        _ => None,
    }
}

/// A DECIMAL with these digits before and after the point.
fn decimal(room: u8, scale: u8) -> Option<TypeKind> {
    let precision = room.checked_add(scale)?;
    (precision <= 38).then_some(TypeKind::Decimal { precision, scale })
}

#[cfg(test)]
mod tests;
