//! `analyze`: what partitions hold, measured and reported to the catalog that manages them.

use serde_json::Value;

use super::partition_members;
use crate::args::AnalyzeArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: AnalyzeArgs) -> Result<()> {
    let table = target::table(&context, &arguments.table).await?;
    let partitions = table.partitions().count_rows(!arguments.no_scan).build()?;
    let measured = partitions.analyze(&arguments.partition).await?;
    let mut records = Records::new(["partition", "path", "rows", "files", "bytes"]);
    for partition in measured {
        let values = partition_members(&table, &partition.values).into_iter();
        let values = values.map(|(name, value)| (name.to_owned(), value));
        records.push([
            Value::Object(values.collect()),
            Value::from(partition.path),
            Value::from(partition.record_count),
            Value::from(partition.file_count),
            Value::from(partition.total_bytes),
        ]);
    }
    context.print(&records)
}
