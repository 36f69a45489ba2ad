//! `repair`: what a process left when it died is finished or undone.

use ftable_table::RepairOptions;
use serde_json::Value;

use crate::args::RepairArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: RepairArgs) -> Result<()> {
    let table = target::table(&context, &arguments.table).await?;
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
    let mut records = Records::new(["finished", "undone", "left", "staged_removed"]);
    records.push(
        [
            report.finished,
            report.undone,
            report.left,
            report.staged_removed,
        ]
        .map(Value::from),
    );
    context.print(&records)
}
