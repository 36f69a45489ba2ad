//! `add-partition`: a partition comes to be in the catalog that manages the table's partitions.

use serde_json::Value;

use crate::args::AddPartitionArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: AddPartitionArgs) -> Result<()> {
    let table = target::table(&context, &arguments.table).await?;
    let partitions = table
        .partitions()
        .ignore_existing(arguments.if_not_exists)
        .build()?;
    let added = partitions
        .add(std::slice::from_ref(&arguments.partition))
        .await?;
    let mut records = Records::new(["created", "existed"]);
    records.push([added.created, added.existed].map(Value::from));
    context.print(&records)
}
