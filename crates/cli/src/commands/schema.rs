//! `schema`: the columns, partition keys and options of a table.

use std::fmt::Write;

use ftable_core::TableSchema;
use serde::Serialize;
use serde_json::Value;

use crate::args::SchemaArgs;
use crate::context::Context;
use crate::error::{RenderSnafu, Result};
use crate::render::OutputFormat;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: SchemaArgs) -> Result<()> {
    let table = target::table_as_kept(&context, &arguments.table).await?;
    let schema = table.schema();
    match context.format() {
        OutputFormat::Json => context.write(&json_line(schema)?)?,
        OutputFormat::Table => {
            let name = table.identifier().map(ToString::to_string);
            context.write(ddl(name.as_deref().unwrap_or("t"), schema).as_bytes())?;
        }
        OutputFormat::Csv => context.print(&columns(schema))?,
    }
    context.flush()
}

/// A schema as a line of JSON.
pub(super) fn json_line(schema: &impl Serialize) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(schema).or_else(|error| {
        RenderSnafu {
            format: "JSON",
            message: error.to_string(),
        }
        .fail()
    })?;
    line.push(b'\n');
    Ok(line)
}

/// A row a column.
pub(super) fn columns(schema: &TableSchema) -> Records {
    let mut records = Records::new(["column", "type", "partition_key", "default", "comment"]);
    for field in &schema.fields {
        let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::from);
        records.push([
            Value::from(field.name.as_str()),
            Value::from(field.data_type.to_string()),
            Value::from(schema.partition_keys.contains(&field.name)),
            text(&field.default_value),
            text(&field.description),
        ]);
    }
    records
}

/// The statement that would create the table.
pub(super) fn ddl(name: &str, schema: &TableSchema) -> String {
    let mut text = format!("CREATE TABLE {name} (\n");
    for (at, field) in schema.fields.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "  {} {}", quoted_name(&field.name), field.data_type);
        if let Some(default) = &field.default_value {
            let _ = write!(text, " DEFAULT {}", quoted_text(default));
        }
        if let Some(comment) = &field.description {
            let _ = write!(text, " COMMENT {}", quoted_text(comment));
        }
        text.push_str(if at + 1 < schema.fields.len() {
            ",\n"
        } else {
            "\n"
        });
    }
    text.push(')');
    if !schema.partition_keys.is_empty() {
        let keys: Vec<String> = schema
            .partition_keys
            .iter()
            .map(|key| quoted_name(key))
            .collect();
        let _ = write!(text, " PARTITIONED BY ({})", keys.join(", "));
    }
    if let Some(comment) = &schema.comment {
        let _ = write!(text, " COMMENT {}", quoted_text(comment));
    }
    let options = schema
        .options
        .iter()
        .map(|(key, value)| format!("  {} = {}", quoted_text(key), quoted_text(value)));
    let options: Vec<String> = options.collect();
    if !options.is_empty() {
        let _ = write!(text, " WITH (\n{}\n)", options.join(",\n"));
    }
    text.push('\n');
    text
}

fn quoted_name(name: &str) -> String {
    let plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain {
        name.to_owned()
    } else {
        format!("`{}`", name.replace('`', "``"))
    }
}

fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use ftable_core::Schema;
    use ftable_core::types::parse_columns;

    use super::*;

    const COLUMNS: &str = "id BIGINT NOT NULL, `a ``b` STRING DEFAULT 'it''s' COMMENT 'x', dt DATE";

    #[test]
    fn the_columns_of_the_statement_read_back() {
        let fields = parse_columns(COLUMNS).unwrap();
        let schema = Schema::builder()
            .fields(fields.clone())
            .partition_by(["dt"])
            .option("k", "v'")
            .build()
            .unwrap();
        let text = ddl("db.t", &TableSchema::new(0, &schema, 0));
        let expected = "CREATE TABLE db.t (\n  id BIGINT NOT NULL,\n  `a ``b` STRING DEFAULT 'it''s' COMMENT 'x',\n  dt DATE\n\
                        ) PARTITIONED BY (dt) WITH (\n  'file.format' = 'parquet',\n  'k' = 'v''',\n  'type' = 'format-table'\n)\n";
        assert_eq!(text, expected);
        let list = text
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once("\n)"))
            .unwrap()
            .0;
        assert_eq!(parse_columns(list).unwrap(), fields);
    }
}
