//! The types of written files: kinds and ids as Java Paimon's `OrcTypeUtil` sets them.

use ftable_core::types::MAX_LENGTH;
use ftable_core::{DataField, DataType, TypeKind};
use ftable_orc_writer::{OrcField, OrcKind, OrcType};

use super::NAME;
use crate::error::{Result, UnsupportedSnafu};
use crate::field_ids::{key_id, value_id};

/// The attribute that holds the id of a type's field.
const ID: &str = "paimon.id";

/// The root of a file with these columns.
///
/// # Errors
/// Types that Java Paimon does not write to ORC are refused by column.
pub(super) fn root(fields: &[DataField]) -> Result<OrcType> {
    Ok(OrcType::new(OrcKind::Struct(children(fields)?)))
}

fn children(fields: &[DataField]) -> Result<Vec<OrcField>> {
    let fields = fields.iter();
    let child = |field: &DataField| {
        let orc_type = orc_type(field, &field.data_type, field.id, 0, field.id)?;
        Ok(OrcField::new(&field.name, orc_type))
    };
    fields.map(child).collect()
}

/// The type of a column, or of what lies inside it under the id `own`; `depth` counts lists and maps since the column
/// or ROW field `id`.
fn orc_type(
    column: &DataField,
    declared: &DataType,
    id: i32,
    depth: i32,
    own: i32,
) -> Result<OrcType> {
    let depth = depth + 1;
    let below = |declared: &DataType, own: i32| -> Result<Box<OrcType>> {
        Ok(Box::new(orc_type(column, declared, id, depth, own)?))
    };
    let kind = match declared.kind() {
        TypeKind::Boolean => OrcKind::Boolean,
        TypeKind::TinyInt => OrcKind::Byte,
        TypeKind::SmallInt => OrcKind::Short,
        // A time of day is the number of its milliseconds.
        TypeKind::Int | TypeKind::Time { .. } => OrcKind::Int,
        TypeKind::BigInt => OrcKind::Long,
        TypeKind::Float => OrcKind::Float,
        TypeKind::Double => OrcKind::Double,
        TypeKind::Decimal { precision, scale } => OrcKind::Decimal {
            precision: *precision,
            scale: *scale,
        },
        TypeKind::Char { length } => OrcKind::Char { length: *length },
        TypeKind::VarChar { length } if *length == MAX_LENGTH => OrcKind::String,
        TypeKind::VarChar { length } => OrcKind::Varchar { length: *length },
        TypeKind::Binary { .. } | TypeKind::VarBinary { .. } | TypeKind::Blob => OrcKind::Binary,
        TypeKind::Date => OrcKind::Date,
        TypeKind::Timestamp { .. } => OrcKind::Timestamp,
        TypeKind::TimestampLtz { .. } => OrcKind::TimestampInstant,
        TypeKind::Array { element } => OrcKind::List(below(element, value_id(id, depth))?),
        TypeKind::Map { key, value } => OrcKind::Map(
            below(key, key_id(id, depth))?,
            below(value, value_id(id, depth))?,
        ),
        TypeKind::Multiset { element } => {
            let count = DataType::new(TypeKind::Int, false);
            OrcKind::Map(
                below(element, key_id(id, depth))?,
                below(&count, value_id(id, depth))?,
            )
        }
        TypeKind::Row { fields } => OrcKind::Struct(children(fields)?),
        _ => return refused(column),
    };
    Ok(OrcType::new(kind).with_attribute(ID, own.to_string()))
}

fn refused<T>(column: &DataField) -> Result<T> {
    let what = format!(
        "writing column {} of type {}",
        column.name, column.data_type
    );
    UnsupportedSnafu {
        format: NAME,
        what,
        reason: "ORC has no such type; use parquet",
    }
    .fail()
}
