//! `drop`: a table, and its files unless they lie outside the warehouse.

use ftable_core::Identifier;
use serde_json::Value;

use crate::args::DropArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: DropArgs) -> Result<()> {
    let identifier: Identifier = arguments.table.parse()?;
    target::catalog(&context.global)
        .await?
        .drop_table(&identifier, false)
        .await?;
    let mut records = Records::new(["dropped"]);
    records.push([Value::from(identifier.to_string())]);
    context.print(&records)
}
