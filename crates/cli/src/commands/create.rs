//! `create`: a table, and its database.

use ftable_catalog::Catalog;
use ftable_core::Identifier;
use ftable_io::Location;
use ftable_table::CatalogExt;
use serde_json::Value;

use crate::args::CreateArgs;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: CreateArgs) -> Result<()> {
    let identifier: Identifier = arguments.table.parse()?;
    let mut schema = target::schema(&arguments.schema, &arguments.partitioned_by)?;
    schema.options.extend(arguments.table_options);
    let location: Option<Location> = arguments.location.as_deref().map(str::parse).transpose()?;
    let catalog = target::catalog(&context.global).await?;
    let created =
        catalog.create_format_table(&identifier, &schema, location, arguments.if_not_exists);
    with_database(&*catalog, identifier.database(), created).await?;
    let location = catalog.get_table_location(&identifier).await?;
    let mut records = Records::new(["table", "location"]);
    records.push([
        Value::from(identifier.to_string()),
        Value::from(location.to_string()),
    ]);
    context.print(&records)
}

/// Creates a table, and its database where there is none: a refused table leaves nothing behind.
pub(super) async fn with_database<E>(
    catalog: &dyn Catalog,
    database: &str,
    create_table: impl Future<Output = Result<(), E>>,
) -> Result<()>
where
    Error: From<E>,
{
    let databases = catalog.list_databases().await?;
    let is_new = !databases.iter().any(|name| name == database);
    catalog.create_database(database, true).await?;
    if let Err(error) = create_table.await {
        if is_new {
            // A database that is in use by now stays.
            let _ = catalog.drop_database(database, true, false).await;
        }
        return Err(error.into());
    }
    Ok(())
}
