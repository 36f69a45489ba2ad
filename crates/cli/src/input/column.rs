//! Texts and JSON values → an Arrow column of the declared type.
//!
//! What has no exact value of the type is refused: nothing is rounded, cut or replaced by null.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, PrimitiveBuilder, StringBuilder,
};
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema, TimeUnit};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ftable_core::types::to_arrow_type;
use ftable_core::{DataField, DataType, TypeKind};
use serde_json::value::RawValue;

use crate::scalar;

mod nested;

use nested::Nested;

/// How much of a value a message shows.
const SHOWN: usize = 60;

/// The values of a column so far.
pub(super) struct Column {
    declared: DataType,
    arrow: ArrowType,
    /// Whether a null is refused here. Top-level columns leave that to the writer, which knows defaults.
    takes_nulls: bool,
    values: Values,
}

enum Values {
    Boolean(BooleanBuilder),
    Int8(PrimitiveBuilder<Int8Type>),
    Int16(PrimitiveBuilder<Int16Type>),
    Int32(PrimitiveBuilder<Int32Type>),
    Int64(PrimitiveBuilder<Int64Type>),
    Float32(PrimitiveBuilder<Float32Type>),
    Float64(PrimitiveBuilder<Float64Type>),
    Decimal(PrimitiveBuilder<Decimal128Type>),
    Text(StringBuilder),
    Binary(BinaryBuilder),
    Date(PrimitiveBuilder<Date32Type>),
    Time(PrimitiveBuilder<Time32MillisecondType>),
    /// Counts of the Arrow type's unit.
    Timestamp(PrimitiveBuilder<Int64Type>),
    Nested(Nested),
}

/// A batch of finished columns. All of them are nullable: whether nulls may be there is the writer's to say.
pub(super) fn batch(
    fields: &[DataField],
    arrays: Vec<ArrayRef>,
    rows: usize,
) -> Result<RecordBatch, String> {
    let columns = fields
        .iter()
        .zip(&arrays)
        .map(|(field, array)| Field::new(&field.name, array.data_type().clone(), true));
    let schema = Arc::new(ArrowSchema::new(columns.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options).map_err(|error| error.to_string())
}

impl Column {
    /// An empty column of a table.
    pub(super) fn new(field: &DataField) -> Result<Self, String> {
        Self::of_type(&field.data_type, true)
            .map_err(|message| format!("column '{}': {message}", field.name))
    }

    fn of_type(declared: &DataType, takes_nulls: bool) -> Result<Self, String> {
        let arrow = to_arrow_type(declared).map_err(|error| error.to_string())?;
        let values = match declared.kind() {
            TypeKind::Boolean => Values::Boolean(BooleanBuilder::new()),
            TypeKind::TinyInt => Values::Int8(PrimitiveBuilder::new()),
            TypeKind::SmallInt => Values::Int16(PrimitiveBuilder::new()),
            TypeKind::Int => Values::Int32(PrimitiveBuilder::new()),
            TypeKind::BigInt => Values::Int64(PrimitiveBuilder::new()),
            TypeKind::Float => Values::Float32(PrimitiveBuilder::new()),
            TypeKind::Double => Values::Float64(PrimitiveBuilder::new()),
            TypeKind::Decimal { .. } => {
                Values::Decimal(PrimitiveBuilder::new().with_data_type(arrow.clone()))
            }
            TypeKind::Char { .. } | TypeKind::VarChar { .. } => Values::Text(StringBuilder::new()),
            TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => {
                Values::Binary(BinaryBuilder::new())
            }
            TypeKind::Date => Values::Date(PrimitiveBuilder::new()),
            TypeKind::Time { .. } => Values::Time(PrimitiveBuilder::new()),
            TypeKind::Timestamp { .. } | TypeKind::TimestampLtz { .. } => {
                Values::Timestamp(PrimitiveBuilder::new())
            }
            TypeKind::Array { .. }
            | TypeKind::Map { .. }
            | TypeKind::Multiset { .. }
            | TypeKind::Row { .. } => Values::Nested(Nested::new(declared)?),
            _ => return Err(format!("type {declared} cannot be read from text")),
        };
        Ok(Self {
            declared: declared.clone(),
            arrow,
            takes_nulls,
            values,
        })
    }

    /// Adds a null.
    pub(super) fn append_null(&mut self) -> Result<(), String> {
        if !self.takes_nulls {
            return Err(format!("a null stands where {} is declared", self.declared));
        }
        self.append_filler();
        Ok(())
    }

    /// Adds a null below a null, where no value is declared.
    fn append_filler(&mut self) {
        match &mut self.values {
            Values::Boolean(values) => values.append_null(),
            Values::Int8(values) => values.append_null(),
            Values::Int16(values) => values.append_null(),
            Values::Int32(values) => values.append_null(),
            Values::Int64(values) | Values::Timestamp(values) => values.append_null(),
            Values::Float32(values) => values.append_null(),
            Values::Float64(values) => values.append_null(),
            Values::Decimal(values) => values.append_null(),
            Values::Text(values) => values.append_null(),
            Values::Binary(values) => values.append_null(),
            Values::Date(values) => values.append_null(),
            Values::Time(values) => values.append_null(),
            Values::Nested(values) => values.append_null(),
        }
    }

    /// Values so far.
    fn len(&self) -> usize {
        match &self.values {
            Values::Boolean(values) => values.len(),
            Values::Int8(values) => values.len(),
            Values::Int16(values) => values.len(),
            Values::Int32(values) => values.len(),
            Values::Int64(values) | Values::Timestamp(values) => values.len(),
            Values::Float32(values) => values.len(),
            Values::Float64(values) => values.len(),
            Values::Decimal(values) => values.len(),
            Values::Text(values) => values.len(),
            Values::Binary(values) => values.len(),
            Values::Date(values) => values.len(),
            Values::Time(values) => values.len(),
            Values::Nested(values) => values.len(),
        }
    }

    /// Adds the value that a text stands for; of a nested type its JSON.
    pub(super) fn append_text(&mut self, text: &str) -> Result<(), String> {
        let appended = match &mut self.values {
            Values::Boolean(values) => boolean(text).map(|value| values.append_value(value)),
            Values::Int8(values) => text.parse().ok().map(|value| values.append_value(value)),
            Values::Int16(values) => text.parse().ok().map(|value| values.append_value(value)),
            Values::Int32(values) => text.parse().ok().map(|value| values.append_value(value)),
            Values::Int64(values) => text.parse().ok().map(|value| values.append_value(value)),
            Values::Float32(values) => scalar::float(text).map(|value| values.append_value(value)),
            Values::Float64(values) => scalar::float(text).map(|value| values.append_value(value)),
            Values::Decimal(values) => {
                let value = decimal(text, &self.declared)
                    .map_err(|why| refused(text, &self.declared, why))?;
                values.append_value(value);
                Some(())
            }
            Values::Text(values) => {
                values.append_value(text);
                Some(())
            }
            Values::Binary(values) => match BASE64_STANDARD.decode(text) {
                Ok(bytes) => {
                    values.append_value(bytes);
                    Some(())
                }
                Err(_) => return Err(refused(text, &self.declared, "it is no base64")),
            },
            Values::Date(values) => {
                let days = scalar::date(text).and_then(|days| i32::try_from(days).ok());
                let days =
                    days.ok_or_else(|| refused(text, &self.declared, "write it as yyyy-MM-dd"))?;
                values.append_value(days);
                Some(())
            }
            Values::Time(values) => {
                let millis = time(text).map_err(|why| refused(text, &self.declared, why))?;
                values.append_value(millis);
                Some(())
            }
            Values::Timestamp(values) => {
                let count = timestamp(text, &self.declared)
                    .map_err(|why| refused(text, &self.declared, why))?;
                values.append_value(count);
                Some(())
            }
            Values::Nested(values) => {
                let raw: &RawValue = serde_json::from_str(text)
                    .map_err(|_| refused(text, &self.declared, "write it as JSON"))?;
                return values.append(raw);
            }
        };
        appended.ok_or_else(|| format!("'{}' is no {}", shortened(text), kind_name(&self.declared)))
    }

    /// Adds the value that a JSON value stands for.
    pub(super) fn append_json(&mut self, raw: &RawValue) -> Result<(), String> {
        let json = raw.get();
        if json == "null" {
            return self.append_null();
        }
        if let Values::Nested(values) = &mut self.values {
            return values.append(raw);
        }
        if json.starts_with('"') {
            let text: String = serde_json::from_str(json).map_err(|error| error.to_string())?;
            return self.append_text(&text);
        }
        // Numbers and booleans are read by their text, and stand for no other type.
        let is_boolean = matches!(json, "true" | "false");
        let fits = match self.values {
            Values::Boolean(_) => is_boolean,
            Values::Int8(_) | Values::Int16(_) | Values::Int32(_) | Values::Int64(_) => !is_boolean,
            Values::Float32(_) | Values::Float64(_) | Values::Decimal(_) => !is_boolean,
            _ => return Err(refused(json, &self.declared, "write it in quotes")),
        };
        match fits && !json.starts_with(['[', '{']) {
            true => self.append_text(json),
            false => Err(format!(
                "{} is no {}",
                shortened(json),
                kind_name(&self.declared)
            )),
        }
    }

    /// The column; the next value begins a new one.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, String> {
        Ok(match &mut self.values {
            Values::Boolean(values) => Arc::new(values.finish()),
            Values::Int8(values) => Arc::new(values.finish()),
            Values::Int16(values) => Arc::new(values.finish()),
            Values::Int32(values) => Arc::new(values.finish()),
            Values::Int64(values) => Arc::new(values.finish()),
            Values::Float32(values) => Arc::new(values.finish()),
            Values::Float64(values) => Arc::new(values.finish()),
            Values::Decimal(values) => Arc::new(values.finish()),
            Values::Text(values) => Arc::new(values.finish()),
            Values::Binary(values) => Arc::new(values.finish()),
            Values::Date(values) => Arc::new(values.finish()),
            Values::Time(values) => Arc::new(values.finish()),
            Values::Timestamp(values) => {
                let counts = values.finish();
                match &self.arrow {
                    ArrowType::Timestamp(TimeUnit::Millisecond, zone) => Arc::new(
                        counts
                            .reinterpret_cast::<TimestampMillisecondType>()
                            .with_timezone_opt(zone.clone()),
                    ),
                    ArrowType::Timestamp(TimeUnit::Microsecond, zone) => Arc::new(
                        counts
                            .reinterpret_cast::<TimestampMicrosecondType>()
                            .with_timezone_opt(zone.clone()),
                    ),
                    ArrowType::Timestamp(_, zone) => Arc::new(
                        counts
                            .reinterpret_cast::<TimestampNanosecondType>()
                            .with_timezone_opt(zone.clone()),
                    ),
                    other => return Err(format!("{} came as {other}", self.declared)),
                }
            }
            Values::Nested(values) => return values.finish(&self.arrow),
        })
    }
}

fn boolean(text: &str) -> Option<bool> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("true") {
        Some(true)
    } else {
        is("false").then_some(false)
    }
}

fn decimal(text: &str, declared: &DataType) -> Result<i128, &'static str> {
    match declared.kind() {
        TypeKind::Decimal { precision, scale } => scalar::decimal(text, *precision, *scale),
        _ => Err("it is no number"),
    }
}

fn time(text: &str) -> Result<i32, &'static str> {
    let nanos = scalar::clock(text).ok_or("write it as HH:mm:ss.fff")?;
    match (nanos % 1_000_000, i32::try_from(nanos / 1_000_000)) {
        (0, Ok(millis)) => Ok(millis),
        _ => Err("it is finer than milliseconds"),
    }
}

/// Counts of the unit that the precision has.
fn timestamp(text: &str, declared: &DataType) -> Result<i64, &'static str> {
    let (nanos, precision) = match declared.kind() {
        TypeKind::TimestampLtz { precision } => {
            let nanos = scalar::instant(text)
                .ok_or("write it as yyyy-MM-ddTHH:mm:ss.f with Z or an offset")?;
            (nanos, *precision)
        }
        TypeKind::Timestamp { precision } => {
            let nanos = scalar::timestamp(text)
                .ok_or("write it as yyyy-MM-ddTHH:mm:ss.f without a zone")?;
            (nanos, *precision)
        }
        _ => return Err("it is no timestamp"),
    };
    let finest = 10_i128.pow(u32::from(9 - precision.min(9)));
    if nanos % finest != 0 {
        return Err("it has more digits than the type");
    }
    let unit = match precision {
        0..=3 => 1_000_000,
        4..=6 => 1_000,
        _ => 1,
    };
    i64::try_from(nanos / unit).map_err(|_| "it is beyond the range of the type")
}

fn refused(text: &str, declared: &DataType, why: &str) -> String {
    format!("'{}' is no {}: {why}", shortened(text), kind_name(declared))
}

/// The type without its nullability.
fn kind_name(declared: &DataType) -> String {
    declared.clone().with_nullable(true).to_string()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
