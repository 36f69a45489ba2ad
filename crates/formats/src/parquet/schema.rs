//! The schema of written files: names, annotations and field ids as Java Paimon's `ParquetSchemaConverter` sets them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field, FieldRef, Fields, Schema as ArrowSchema};
use ftable_core::types::to_arrow_field;
use ftable_core::{DataField, DataType, TypeKind};
use parquet::arrow::{ArrowSchemaConverter, PARQUET_FIELD_ID_META_KEY};
use parquet::errors::ParquetError;
use parquet::schema::types::SchemaDescriptor;

use super::NAME;
use crate::error::{EncodeSnafu, Result};
use crate::field_ids::{key_id, value_id};

/// The name Java Paimon gives the root of a Parquet schema.
const ROOT: &str = "paimon_schema";
/// The Arrow metadata by which the encoder annotates a time of day as one of UTC, as Java does.
const ADJUSTED_TO_UTC: &str = "adjusted_to_utc";

/// The Parquet schema of a table's data columns.
pub(super) fn parquet_schema(fields: &[DataField]) -> Result<SchemaDescriptor> {
    let fields = fields
        .iter()
        .map(field_with_ids)
        .collect::<Result<Fields>>()?;
    let schema = ArrowSchema::new(fields);
    ArrowSchemaConverter::new()
        .schema_root(ROOT)
        .convert(&schema)
        .map_err(|error: ParquetError| {
            EncodeSnafu {
                format: NAME,
                message: error.to_string(),
            }
            .build()
        })
}

fn field_with_ids(field: &DataField) -> Result<Field> {
    let arrow = to_arrow_field(field)?;
    let inner = type_with_ids(arrow.data_type(), &field.data_type, field.id, 0);
    Ok(annotated(
        arrow.with_data_type(inner),
        &field.data_type,
        field.id,
    ))
}

fn annotated(field: Field, declared: &DataType, id: i32) -> Field {
    let mut metadata = HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_owned(), id.to_string())]);
    if matches!(declared.kind(), TypeKind::Time { .. }) {
        metadata.insert(ADJUSTED_TO_UTC.to_owned(), "true".to_owned());
    }
    field.with_metadata(metadata)
}

/// The Arrow type with the ids of its children; `depth` counts lists and maps since the column or ROW field `id`.
fn type_with_ids(arrow: &ArrowType, declared: &DataType, id: i32, depth: i32) -> ArrowType {
    match (arrow, declared.kind()) {
        (ArrowType::List(field), TypeKind::Array { element }) => ArrowType::List(child(
            field,
            element,
            id,
            depth + 1,
            value_id(id, depth + 1),
        )),
        (ArrowType::Map(entries, sorted), TypeKind::Map { key, value }) => ArrowType::Map(
            entries_with_ids(entries, key, value, id, depth + 1),
            *sorted,
        ),
        (ArrowType::Map(entries, sorted), TypeKind::Multiset { element }) => {
            let count = DataType::new(TypeKind::Int, false);
            ArrowType::Map(
                entries_with_ids(entries, element, &count, id, depth + 1),
                *sorted,
            )
        }
        (ArrowType::Struct(children), TypeKind::Row { fields }) => {
            let children = children.iter().zip(fields).map(|(child, field)| {
                let inner = type_with_ids(child.data_type(), &field.data_type, field.id, 0);
                let child = Field::clone(child).with_data_type(inner);
                annotated(child, &field.data_type, field.id)
            });
            ArrowType::Struct(children.collect())
        }
        _ => arrow.clone(),
    }
}

fn entries_with_ids(
    entries: &FieldRef,
    key: &DataType,
    value: &DataType,
    id: i32,
    depth: i32,
) -> FieldRef {
    let ArrowType::Struct(fields) = entries.data_type() else {
        return Arc::clone(entries);
    };
    let [key_field, value_field] = &fields[..] else {
        return Arc::clone(entries);
    };
    let fields = Fields::from(vec![
        child(key_field, key, id, depth, key_id(id, depth)),
        child(value_field, value, id, depth, value_id(id, depth)),
    ]);
    Arc::new(Field::clone(entries).with_data_type(ArrowType::Struct(fields)))
}

fn child(field: &FieldRef, declared: &DataType, id: i32, depth: i32, own: i32) -> FieldRef {
    let inner = type_with_ids(field.data_type(), declared, id, depth);
    Arc::new(annotated(
        Field::clone(field).with_data_type(inner),
        declared,
        own,
    ))
}
