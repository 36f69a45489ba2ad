//! `truncate` and `drop-partition`: rows, or whole partitions, go.

use ftable_table::FormatTable;
use serde_json::Value;

use crate::args::{DropPartitionArgs, TruncateArgs};
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
use crate::target;

pub(super) async fn truncate(mut context: Context, arguments: TruncateArgs) -> Result<()> {
    let table = target::table(&context, &arguments.table).await?;
    let mut commit = table.commit().build()?;
    match arguments.partition.is_empty() {
        true => commit.truncate_table().await?,
        false => {
            commit
                .truncate_partitions(std::slice::from_ref(&arguments.partition))
                .await?
        }
    }
    report(&mut context, "truncated", &table, &arguments.partition)
}

pub(super) async fn drop_partition(
    mut context: Context,
    arguments: DropPartitionArgs,
) -> Result<()> {
    let table = target::table(&context, &arguments.table).await?;
    let partition = std::slice::from_ref(&arguments.partition);
    table.commit().build()?.drop_partitions(partition).await?;
    report(&mut context, "dropped", &table, &arguments.partition)
}

fn report(
    context: &mut Context,
    done: &str,
    table: &FormatTable,
    partition: &[(String, String)],
) -> Result<()> {
    let name = table
        .identifier()
        .map_or_else(|| table.location().to_string(), ToString::to_string);
    let values = partition
        .iter()
        .map(|(key, value)| (key.clone(), Value::from(value.as_str())));
    let mut records = Records::new([done, "partition"]);
    records.push([Value::from(name), Value::Object(values.collect())]);
    context.print(&records)
}
