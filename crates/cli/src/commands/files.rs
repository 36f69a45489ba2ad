//! `files`: what a scan reads, split by split.

use ftable_table::{FormatTable, Split};
use serde_json::{Map, Value, json};

use super::{filter_of, partition_members};
use crate::args::FilteredArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::OutputFormat;
use crate::render::records::{Records, write_json_object};
use crate::target;

pub(super) async fn run(mut context: Context, arguments: FilteredArgs) -> Result<()> {
    let filter = filter_of(&arguments)?;
    let table = target::table(&context, &arguments.table).await?;
    let mut scan = table.scan();
    if let Some(filter) = filter {
        scan = scan.filter(filter);
    }
    let plan = scan.build()?.plan().await?;
    context.warn(plan.metrics().warnings());
    if context.format() != OutputFormat::Json {
        return context.print(&rows(plan.splits()));
    }
    let mut lines = Vec::new();
    for split in plan.splits() {
        write_line(&table, split, &mut lines)?;
    }
    context.write(&lines)?;
    context.flush()
}

fn write_line(table: &FormatTable, split: &Split, out: &mut Vec<u8>) -> Result<()> {
    let values = table.partition_values(split.partition().unwrap_or_default())?;
    let values = partition_members(table, &values).into_iter();
    let values: Map<String, Value> = values
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let files = split.files().iter().map(|file| {
        let path = split.path_of(file);
        json!({"path": path, "size": file.size(), "offset": file.offset(), "length": file.length()})
    });
    let members = [
        ("partition", Value::from(values)),
        ("files", files.collect::<Vec<_>>().into()),
    ];
    write_json_object(members.into_iter(), out);
    out.push(b'\n');
    Ok(())
}

/// A row a file, splits numbered from 1.
fn rows(splits: &[Split]) -> Records {
    let mut records = Records::new(["split", "path", "size", "offset", "length"]);
    for (number, split) in splits.iter().enumerate() {
        for file in split.files() {
            records.push([
                Value::from(number + 1),
                Value::from(split.path_of(file)),
                Value::from(file.size()),
                Value::from(file.offset()),
                Value::from(file.length()),
            ]);
        }
    }
    records
}
