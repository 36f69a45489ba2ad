//! `count`: how many rows there are, or match.

use serde_json::Value;

use super::filter_of;
use crate::args::FilteredArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
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
    let read = table.read().build()?;
    let count = read.count(&plan).await?;
    context.warn(read.metrics().warnings());
    let mut records = Records::new(["count"]);
    records.push([Value::from(count)]);
    context.print(&records)
}
