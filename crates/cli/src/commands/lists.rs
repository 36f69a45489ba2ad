//! `databases` and `tables`: what the warehouse holds.

use serde_json::Value;

use crate::args::TablesArgs;
use crate::context::Context;
use crate::error::Result;
use crate::render::records::Records;
use crate::target;

pub(super) async fn databases(mut context: Context) -> Result<()> {
    let mut records = Records::new(["database"]);
    for database in target::catalog(&context.global)
        .await?
        .list_databases()
        .await?
    {
        records.push([Value::from(database)]);
    }
    context.print(&records)
}

pub(super) async fn tables(mut context: Context, arguments: TablesArgs) -> Result<()> {
    let catalog = target::catalog(&context.global).await?;
    let databases = match arguments.database {
        Some(database) => vec![database],
        None => catalog.list_databases().await?,
    };
    let mut records = Records::new(["database", "table"]);
    for database in databases {
        for table in catalog.list_tables(&database).await? {
            records.push([Value::from(database.as_str()), Value::from(table)]);
        }
    }
    context.print(&records)
}
