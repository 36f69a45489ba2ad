//! Rows as values: into batches and files, and back.

use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, Int32Array, PrimitiveArray, RecordBatch,
    StringArray,
};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use bytes::Bytes;
use ftable::FormatTable;
use ftable_core::types::to_arrow_schema;
use ftable_core::{DataField, Datum};
use ftable_table::datum_at;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

/// The values of one row; `None` is NULL.
pub(crate) type Row = Vec<Option<Datum>>;

/// A batch of rows under the table's types.
pub(crate) fn batch(fields: &[DataField], rows: &[Row]) -> RecordBatch {
    let schema = to_arrow_schema(fields).unwrap();
    let columns = schema.fields().iter().enumerate().map(|(index, field)| {
        let values: Vec<Option<&Datum>> = rows.iter().map(|row| row[index].as_ref()).collect();
        column(field.data_type(), &values)
    });
    RecordBatch::try_new(Arc::clone(&schema), columns.collect()).unwrap()
}

fn column(data_type: &ArrowType, values: &[Option<&Datum>]) -> ArrayRef {
    match data_type {
        ArrowType::Boolean => Arc::new(BooleanArray::from_iter(values.iter().map(|value| {
            value.map(|value| match value {
                Datum::Boolean(value) => *value,
                other => panic!("{other:?} is no boolean"),
            })
        }))),
        ArrowType::Utf8 => Arc::new(StringArray::from_iter(values.iter().map(|value| {
            value.map(|value| match value {
                Datum::String(value) => value.as_str(),
                other => panic!("{other:?} is no string"),
            })
        }))),
        ArrowType::Int8 => primitive::<Int8Type>(values, |value| whole(value) as i8),
        ArrowType::Int16 => primitive::<Int16Type>(values, |value| whole(value) as i16),
        ArrowType::Int32 => primitive::<Int32Type>(values, |value| whole(value) as i32),
        ArrowType::Int64 => primitive::<Int64Type>(values, |value| whole(value) as i64),
        ArrowType::Date32 => primitive::<Date32Type>(values, |value| whole(value) as i32),
        ArrowType::Time32(_) => {
            primitive::<Time32MillisecondType>(values, |value| whole(value) as i32)
        }
        ArrowType::Float32 => primitive::<Float32Type>(values, |value| double(value) as f32),
        ArrowType::Float64 => primitive::<Float64Type>(values, double),
        ArrowType::Decimal128(precision, scale) => {
            let values = values.iter().map(|value| value.map(whole));
            let array = PrimitiveArray::<Decimal128Type>::from_iter(values);
            Arc::new(array.with_precision_and_scale(*precision, *scale).unwrap())
        }
        ArrowType::Timestamp(unit, zone) => {
            let zone = zone.clone();
            let units = |nanos: i128| {
                values.iter().map(move |value| {
                    value.map(|value| i64::try_from(whole(value) / nanos).unwrap())
                })
            };
            match unit {
                TimeUnit::Millisecond => Arc::new(
                    PrimitiveArray::<TimestampMillisecondType>::from_iter(units(1_000_000))
                        .with_timezone_opt(zone),
                ),
                TimeUnit::Microsecond => Arc::new(
                    PrimitiveArray::<TimestampMicrosecondType>::from_iter(units(1000))
                        .with_timezone_opt(zone),
                ),
                TimeUnit::Nanosecond => Arc::new(
                    PrimitiveArray::<TimestampNanosecondType>::from_iter(units(1))
                        .with_timezone_opt(zone),
                ),
                TimeUnit::Second => panic!("no type is carried in seconds"),
            }
        }
        other => panic!("no column of {other}"),
    }
}

fn primitive<T: ArrowPrimitiveType>(
    values: &[Option<&Datum>],
    native: impl Fn(&Datum) -> T::Native,
) -> ArrayRef {
    Arc::new(
        values
            .iter()
            .map(|value| value.map(&native))
            .collect::<PrimitiveArray<T>>(),
    )
}

fn whole(value: &Datum) -> i128 {
    match value {
        Datum::TinyInt(value) => i128::from(*value),
        Datum::SmallInt(value) => i128::from(*value),
        Datum::Int(value) | Datum::Date(value) | Datum::Time(value) => i128::from(*value),
        Datum::BigInt(value) => i128::from(*value),
        Datum::Decimal { unscaled, .. } => *unscaled,
        Datum::Timestamp { epoch_nanos, .. } | Datum::TimestampLtz { epoch_nanos, .. } => {
            *epoch_nanos
        }
        other => panic!("{other:?} is not counted"),
    }
}

fn double(value: &Datum) -> f64 {
    match value {
        Datum::Float(value) => f64::from(*value),
        Datum::Double(value) => *value,
        other => panic!("{other:?} is no float"),
    }
}

/// Writes rows through the table and commits them.
pub(crate) async fn write(table: &FormatTable, rows: &[Row]) {
    try_write(table, rows).await.unwrap();
}

/// The same, or why it cannot be.
pub(crate) async fn try_write(table: &FormatTable, rows: &[Row]) -> ftable::Result<()> {
    let mut write = table.write().build()?;
    write.write(batch(table.fields(), rows)).await?;
    let messages = write.prepare_commit().await?;
    table.commit().build()?.commit(messages).await?;
    Ok(())
}

/// The rows of batches that hold these columns.
pub(crate) fn of_batches(fields: &[DataField], batches: &[RecordBatch]) -> Vec<Row> {
    let mut rows = Vec::new();
    for batch in batches {
        assert_eq!(batch.num_columns(), fields.len());
        for row in 0..batch.num_rows() {
            let values = fields.iter().zip(batch.columns());
            rows.push(
                values
                    .map(|(field, array)| datum_at(array, row, &field.data_type).unwrap())
                    .collect(),
            );
        }
    }
    rows
}

/// Rows in the order of their ids, the first column, and where those are equal of their texts.
pub(crate) fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_cached_key(|row| match row.first() {
        Some(Some(Datum::Int(id))) => (*id, show(row)),
        _ => (0, show(row)),
    });
    rows
}

/// The id of a row, its first column.
pub(crate) fn id(row: &[Option<Datum>]) -> i32 {
    match row.first() {
        Some(Some(Datum::Int(id))) => *id,
        other => panic!("the first column is {other:?}, not an id"),
    }
}

/// A row as text.
pub(crate) fn show(row: &[Option<Datum>]) -> String {
    let values = row.iter().map(|value| {
        value
            .as_ref()
            .map_or("NULL".to_owned(), ToString::to_string)
    });
    values.collect::<Vec<_>>().join("|")
}

/// A parquet file of one INT column `id`.
pub(crate) fn parquet_of_ids(ids: &[i32]) -> Bytes {
    let column: ArrayRef = Arc::new(Int32Array::from(ids.to_vec()));
    parquet(
        &RecordBatch::try_from_iter([("id", column)]).unwrap(),
        usize::MAX,
    )
}

/// A parquet file with at most so many rows in a row group.
pub(crate) fn parquet(batch: &RecordBatch, rows_per_group: usize) -> Bytes {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(rows_per_group))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap().into()
}
