//! The type model.

use std::collections::HashSet;

use super::DataField;
use crate::error::{Error, Result};

/// The length that stands for "no limit": `STRING` is `VARCHAR(2147483647)`.
pub const MAX_LENGTH: u32 = 2_147_483_647;

/// How deep a type may nest, counted in levels of its JSON: one for `ARRAY`, `MAP`, `MULTISET` and
/// `VECTOR`, three for `ROW` (object, list of fields, field).
///
/// JSON readers stop at 128 levels; the limit keeps every type that can be written readable, inside
/// a schema file and inside a message that carries one.
pub const MAX_NESTING: usize = 112;

/// The edge algorithms a `GEOGRAPHY` type may name.
pub const GEOGRAPHY_ALGORITHMS: [&str; 5] =
    ["spherical", "vincenty", "thomas", "andoyer", "karney"];

/// What a value is, nullability aside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `BOOLEAN`.
    Boolean,
    /// `TINYINT`, 8 bits.
    TinyInt,
    /// `SMALLINT`, 16 bits.
    SmallInt,
    /// `INT`, 32 bits.
    Int,
    /// `BIGINT`, 64 bits.
    BigInt,
    /// `FLOAT`, 32 bits.
    Float,
    /// `DOUBLE`, 64 bits.
    Double,
    /// `DECIMAL(p, s)`.
    Decimal {
        /// Digits in all, 1..=38.
        precision: u8,
        /// Digits after the point, 0..=precision.
        scale: u8,
    },
    /// `CHAR(n)`.
    Char {
        /// Length in characters, 1..=[`MAX_LENGTH`].
        length: u32,
    },
    /// `VARCHAR(n)`; `STRING` when the length is [`MAX_LENGTH`].
    VarChar {
        /// Greatest length in characters, 1..=[`MAX_LENGTH`].
        length: u32,
    },
    /// `BINARY(n)`.
    Binary {
        /// Length in bytes, 1..=[`MAX_LENGTH`].
        length: u32,
    },
    /// `VARBINARY(n)`; `BYTES` when the length is [`MAX_LENGTH`].
    VarBinary {
        /// Greatest length in bytes, 1..=[`MAX_LENGTH`].
        length: u32,
    },
    /// `DATE`, days since 1970-01-01.
    Date,
    /// `TIME(p)`, milliseconds of the day at every precision.
    Time {
        /// Digits after the seconds, 0..=9.
        precision: u8,
    },
    /// `TIMESTAMP(p)`, a wall clock without zone.
    Timestamp {
        /// Digits after the seconds, 0..=9.
        precision: u8,
    },
    /// `TIMESTAMP(p) WITH LOCAL TIME ZONE`, an instant.
    TimestampLtz {
        /// Digits after the seconds, 0..=9.
        precision: u8,
    },
    /// `ARRAY<T>`.
    Array {
        /// The type of the elements.
        element: Box<DataType>,
    },
    /// `MULTISET<T>`, carried as a map from element to count.
    Multiset {
        /// The type of the elements.
        element: Box<DataType>,
    },
    /// `MAP<K, V>`.
    Map {
        /// The type of the keys.
        key: Box<DataType>,
        /// The type of the values.
        value: Box<DataType>,
    },
    /// `ROW<a T, ...>`.
    Row {
        /// The fields in order.
        fields: Vec<DataField>,
    },
    /// `VECTOR<T, n>`, an array of fixed length. Format tables refuse it.
    Vector {
        /// The type of the elements: `BOOLEAN` or a number that is no `DECIMAL`.
        element: Box<DataType>,
        /// The number of elements, at least 1.
        length: u32,
    },
    /// `VARIANT`. Format tables refuse it.
    Variant,
    /// `BLOB`. Format tables refuse it.
    Blob,
    /// `GEOMETRY(crs)`. Format tables refuse it.
    Geometry {
        /// The coordinate reference system, `OGC:CRS84` by default.
        crs: String,
    },
    /// `GEOGRAPHY(crs, algorithm)`. Format tables refuse it.
    Geography {
        /// The coordinate reference system, `OGC:CRS84` by default.
        crs: String,
        /// One of [`GEOGRAPHY_ALGORITHMS`].
        algorithm: String,
    },
}

/// A column type: what a value is, and whether it may be NULL.
///
/// ```
/// use ftable_core::{DataType, TypeKind};
/// let price: DataType = "DECIMAL(10,2) NOT NULL".parse()?;
/// assert_eq!(price.kind(), &TypeKind::Decimal { precision: 10, scale: 2 });
/// assert!(!price.is_nullable());
/// assert_eq!(price.to_string(), "DECIMAL(10, 2) NOT NULL");
/// # Ok::<(), ftable_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DataType {
    kind: TypeKind,
    nullable: bool,
}

impl From<TypeKind> for DataType {
    /// The nullable type of this kind.
    fn from(kind: TypeKind) -> Self {
        Self::new(kind, true)
    }
}

impl DataType {
    /// A type of `kind`. Its parameters are taken as they are; [`DataType::check`] verifies them.
    pub fn new(kind: TypeKind, nullable: bool) -> Self {
        Self { kind, nullable }
    }

    /// `STRING`.
    pub fn string() -> Self {
        TypeKind::VarChar { length: MAX_LENGTH }.into()
    }

    /// `BYTES`.
    pub fn bytes() -> Self {
        TypeKind::VarBinary { length: MAX_LENGTH }.into()
    }

    /// `ARRAY<element>`.
    pub fn array(element: DataType) -> Self {
        TypeKind::Array {
            element: Box::new(element),
        }
        .into()
    }

    /// `MAP<key, value>`.
    pub fn map(key: DataType, value: DataType) -> Self {
        TypeKind::Map {
            key: Box::new(key),
            value: Box::new(value),
        }
        .into()
    }

    /// `ROW<fields>`.
    pub fn row(fields: Vec<DataField>) -> Self {
        TypeKind::Row { fields }.into()
    }

    /// What a value is.
    pub fn kind(&self) -> &TypeKind {
        &self.kind
    }

    pub(super) fn kind_mut(&mut self) -> &mut TypeKind {
        &mut self.kind
    }

    /// Whether a value may be NULL.
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// The same kind with this nullability.
    #[must_use]
    pub fn with_nullable(mut self, nullable: bool) -> Self {
        self.nullable = nullable;
        self
    }

    /// The same kind, not nullable.
    #[must_use]
    pub fn not_null(self) -> Self {
        self.with_nullable(false)
    }

    /// Whether this is `STRING`.
    pub fn is_string(&self) -> bool {
        matches!(self.kind, TypeKind::VarChar { length: MAX_LENGTH })
    }

    /// Whether this type holds other types.
    pub fn is_nested(&self) -> bool {
        matches!(
            self.kind,
            TypeKind::Array { .. }
                | TypeKind::Multiset { .. }
                | TypeKind::Map { .. }
                | TypeKind::Row { .. }
                | TypeKind::Vector { .. }
        )
    }

    /// Verifies the limits of every parameter, the names of `ROW` fields and the depth.
    ///
    /// # Errors
    /// [`Error::InvalidType`] with the type's text.
    pub fn check(&self) -> Result<()> {
        self.check_at(0).map_err(|message| Error::InvalidType {
            text: self.to_string(),
            message,
        })
    }

    fn check_at(&self, depth: usize) -> Result<(), String> {
        if depth > MAX_NESTING {
            return Err(too_deep());
        }
        match &self.kind {
            TypeKind::Decimal { precision, scale } => check_decimal(*precision, *scale),
            TypeKind::Char { length }
            | TypeKind::VarChar { length }
            | TypeKind::Binary { length }
            | TypeKind::VarBinary { length } => check_length(u64::from(*length)),
            TypeKind::Time { precision }
            | TypeKind::Timestamp { precision }
            | TypeKind::TimestampLtz { precision } => check_time_precision(u64::from(*precision)),
            TypeKind::Array { element } | TypeKind::Multiset { element } => {
                element.check_at(depth + 1)
            }
            TypeKind::Map { key, value } => {
                key.check_at(depth + 1)?;
                value.check_at(depth + 1)
            }
            TypeKind::Row { fields } => {
                check_names(fields)?;
                fields
                    .iter()
                    .try_for_each(|field| field.data_type.check_at(depth + 3))
            }
            TypeKind::Vector { element, length } => {
                check_vector(element, *length)?;
                element.check_at(depth + 1)
            }
            TypeKind::Geometry { crs } => check_crs(crs),
            TypeKind::Geography { crs, algorithm } => {
                check_crs(crs)?;
                check_algorithm(algorithm)
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn too_deep() -> String {
    format!("it nests deeper than {MAX_NESTING} levels (a ROW counts as three)")
}

fn check_decimal(precision: u8, scale: u8) -> Result<(), String> {
    match (precision, scale) {
        (1..=38, _) if scale <= precision => Ok(()),
        (1..=38, _) => Err("the scale of a DECIMAL must be between 0 and its precision".to_owned()),
        _ => Err("the precision of a DECIMAL must be between 1 and 38".to_owned()),
    }
}

pub(super) fn check_length(length: u64) -> Result<(), String> {
    match length {
        1..=2_147_483_647 => Ok(()),
        _ => Err(format!("the length must be between 1 and {MAX_LENGTH}")),
    }
}

pub(super) fn check_time_precision(precision: u64) -> Result<(), String> {
    match precision {
        0..=9 => Ok(()),
        _ => Err("the precision of a time type must be between 0 and 9".to_owned()),
    }
}

fn check_vector(element: &DataType, length: u32) -> Result<(), String> {
    let allowed = matches!(
        element.kind,
        TypeKind::Boolean
            | TypeKind::TinyInt
            | TypeKind::SmallInt
            | TypeKind::Int
            | TypeKind::BigInt
            | TypeKind::Float
            | TypeKind::Double
    );
    if !allowed {
        return Err(
            "the elements of a VECTOR must be BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, \
                    FLOAT or DOUBLE"
                .to_owned(),
        );
    }
    check_length(u64::from(length))
}

fn check_crs(crs: &str) -> Result<(), String> {
    if crs.trim().is_empty() {
        return Err("the coordinate reference system is blank".to_owned());
    }
    Ok(())
}

fn check_algorithm(algorithm: &str) -> Result<(), String> {
    if GEOGRAPHY_ALGORITHMS.contains(&algorithm) {
        return Ok(());
    }
    let known = GEOGRAPHY_ALGORITHMS.join(", ");
    Err(format!(
        "unknown edge algorithm '{algorithm}'; use one of {known}"
    ))
}

/// Verifies that the names of sibling fields are unique and not blank, as Paimon's `RowType` does.
pub(crate) fn check_names(fields: &[DataField]) -> Result<(), String> {
    let mut seen = HashSet::new();
    for field in fields {
        if field.name.trim().is_empty() {
            return Err("a field name is blank".to_owned());
        }
        if !seen.insert(field.name.as_str()) {
            return Err(format!("the field name '{}' occurs twice", field.name));
        }
    }
    Ok(())
}
