//! `partitions`: typed values and directories, empty partitions included.

use ftable_core::Predicate;
use ftable_table::{FormatTable, PartitionEntry};
use serde_json::Value;

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
        context.warn(undecided(&table, &filter));
        scan = scan.filter(filter);
    }
    let (partitions, metrics) = scan.build()?.list_partitions_with_metrics().await?;
    context.warn(metrics.warnings());
    if context.format() == OutputFormat::Json {
        let mut lines = Vec::new();
        partitions
            .iter()
            .for_each(|partition| write_line(&table, partition, &mut lines));
        context.write(&lines)?;
        return context.flush();
    }
    // Only a catalog that manages the partitions may know their rows.
    let counts_rows = table.has_managed_partitions();
    let names = table
        .partition_keys()
        .iter()
        .map(String::as_str)
        .chain(["path", "files", "bytes"])
        .chain(counts_rows.then_some("rows"));
    let mut records = Records::new(names);
    for partition in partitions {
        let values = partition_members(&table, &partition.values)
            .into_iter()
            .map(|(_, value)| value);
        let facts = [
            Value::from(partition.path),
            partition.file_count.into(),
            partition.total_bytes.into(),
        ];
        let rows = counts_rows.then(|| Value::from(partition.record_count));
        records.push(values.chain(facts).chain(rows));
    }
    context.print(&records)
}

fn write_line(table: &FormatTable, partition: &PartitionEntry, out: &mut Vec<u8>) {
    let values = partition_members(table, &partition.values).into_iter();
    let values = values
        .map(|(name, value)| (name.to_owned(), value))
        .collect::<serde_json::Map<_, _>>();
    let members = [
        ("partition", Value::from(values)),
        ("path", Value::from(partition.path.as_str())),
    ];
    write_json_object(members.into_iter(), out);
    out.push(b'\n');
}

/// A filter on other columns does not say which partitions there are.
fn undecided(table: &FormatTable, filter: &Predicate) -> Option<String> {
    let is_data = |name: &&str| {
        let is_column = table.fields().iter().any(|field| field.name == **name);
        is_column && !table.partition_keys().iter().any(|key| key == name)
    };
    let columns: Vec<&str> = filter.column_names().into_iter().filter(is_data).collect();
    let told = format!(
        "{} is no partition key: all partitions are listed that may hold rows which match",
        columns.join(", ")
    );
    (!columns.is_empty()).then_some(told)
}
