//! JSON lines: one object a row.
//!
//! | column type | JSON |
//! | --- | --- |
//! | `BOOLEAN` | `true`, `false` |
//! | `TINYINT` … `BIGINT` | a number with all its digits |
//! | `FLOAT`, `DOUBLE` | a number with the fewest digits that read back as it; `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | `DECIMAL(p, s)` | a string with `s` digits after the point |
//! | `CHAR`, `VARCHAR`, `STRING` | a string |
//! | `BINARY`, `VARBINARY`, `BYTES` | a string of base64 |
//! | `DATE` | `"2024-01-01"` |
//! | `TIME` | `"12:34:56.700"` |
//! | `TIMESTAMP(p)` | `"2024-01-01T00:00:00.123456"`, with nine digits where `p` is above 6 |
//! | `TIMESTAMP(p) WITH LOCAL TIME ZONE` | the same with `Z` |
//! | `ARRAY<T>` | a list |
//! | `MAP<K, V>`, `MULTISET<T>` | a list of `[key, value]` |
//! | `ROW<…>` | an object |
//!
//! NULL is `null`. Columns come in the order of the batch.

use arrow_array::RecordBatch;
use serde_json::Value;

use super::values::{Values, json_key};
use crate::error::{RenderSnafu, Result};

/// Appends the rows of a batch, one object a line.
///
/// The Arrow type of a column says its column type, as
/// [`to_arrow_type`](ftable_core::types::to_arrow_type) pairs them.
///
/// # Errors
/// A column of an Arrow type that stands for no column type, by name.
pub fn write_rows(batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
    let columns = columns(batch, "JSON")?;
    let keys: Vec<Vec<u8>> = batch
        .schema_ref()
        .fields()
        .iter()
        .map(|field| json_key(field.name()))
        .collect();
    for row in 0..batch.num_rows() {
        out.push(b'{');
        for (at, (key, values)) in keys.iter().zip(&columns).enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key);
            values.write_json(row, out);
        }
        out.extend_from_slice(b"}\n");
    }
    Ok(())
}

/// The rows of a batch as JSON values.
///
/// # Errors
/// As [`write_rows`].
pub fn rows(batch: &RecordBatch) -> Result<Vec<Value>> {
    let mut text = Vec::new();
    write_rows(batch, &mut text)?;
    let rows = serde_json::Deserializer::from_slice(&text)
        .into_iter::<Value>()
        .collect::<Result<_, _>>();
    rows.or_else(|error| {
        RenderSnafu {
            format: "JSON",
            message: error.to_string(),
        }
        .fail()
    })
}

/// The columns of a batch, ready to be written.
pub(super) fn columns<'a>(batch: &'a RecordBatch, format: &'static str) -> Result<Vec<Values<'a>>> {
    let named = batch.schema_ref().fields().iter().zip(batch.columns());
    let columns = named.map(|(field, array)| {
        Values::new(array.as_ref()).or_else(|message| {
            let message = format!("column '{}': {message}", field.name());
            RenderSnafu { format, message }.fail()
        })
    });
    columns.collect()
}

#[cfg(test)]
mod tests;
