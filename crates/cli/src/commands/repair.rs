//! `repair`: what a process left when it died is finished or undone, and directories are registered as partitions.

use ftable_table::{FormatTable, PartitionRepair, PartitionRepairReport, RepairOptions};
use serde_json::Value;

use crate::args::RepairArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: RepairArgs) -> Result<()> {
    let table = target::table(&context, &arguments.table).await?;
    let mode = mode(&arguments);
    if mode.is_some() {
        // What cannot be done is refused before anything is.
        table.partitions().build()?;
    }
    let options = RepairOptions {
        dry_run: arguments.dry_run,
        now: arguments.now,
        ..RepairOptions::default()
    };
    let report = table.repair(&options).await?;
    if !report.left.is_empty() {
        let commits = report.left.join(", ");
        context.warn([format!(
            "left alone, as they may still be under way: {commits}; --now repairs them too"
        )]);
    }
    if !report.undone.is_empty() && table.has_managed_partitions() {
        let told = "the catalog may have counted rows of commits that were undone; analyze sets its numbers right";
        context.warn([told.to_owned()]);
    }
    let mut columns = vec!["finished", "undone", "left", "staged_removed"];
    let mut values = vec![
        report.finished,
        report.undone,
        report.left,
        report.staged_removed,
    ];
    if table.has_managed_partitions() {
        let mode = mode.unwrap_or(PartitionRepair::Add);
        let partitions = repair_partitions(&context, &table, mode, arguments.dry_run).await?;
        columns.extend(["added", "dropped"]);
        values.extend([partitions.added, partitions.dropped]);
    }
    let mut records = Records::new(columns);
    records.push(values.into_iter().map(Value::from));
    context.print(&records)
}

fn mode(arguments: &RepairArgs) -> Option<PartitionRepair> {
    match (arguments.add, arguments.drop, arguments.sync) {
        (true, ..) => Some(PartitionRepair::Add),
        (_, true, _) => Some(PartitionRepair::Drop),
        (.., true) => Some(PartitionRepair::Sync),
        _ => None,
    }
}

async fn repair_partitions(
    context: &Context,
    table: &FormatTable,
    mode: PartitionRepair,
    dry_run: bool,
) -> Result<PartitionRepairReport> {
    let partitions = table.partitions().dry_run(dry_run).build()?;
    let report = partitions.repair(mode).await?;
    context.warn(report.skipped.iter().map(|path| {
        format!("{path} is not spelled as a catalog's partition of its values is and was not registered; rename it")
    }));
    Ok(report)
}
