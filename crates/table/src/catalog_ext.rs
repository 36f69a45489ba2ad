//! What a catalog does with format tables, beyond handing out what it knows about one.

use async_trait::async_trait;
use ftable_catalog::Catalog;
use ftable_core::{FormatTableOptions, Identifier, Schema};
use ftable_formats::file_format;
use ftable_io::Location;
use snafu::ResultExt;

use crate::error::{CoreSnafu, FormatSnafu, Result};
use crate::format_table::FormatTable;

/// Format tables of a catalog.
#[async_trait]
pub trait CatalogExt {
    /// The format table of that name, ready to be read and written.
    ///
    /// # Errors
    /// No such table, a table of another type, a schema or option that cannot be served.
    async fn get_format_table(&self, identifier: &Identifier) -> Result<FormatTable>;

    /// Creates a format table, after making sure that its format can write every column.
    ///
    /// With a location the data lies there and only the schema in the catalog.
    ///
    /// # Errors
    /// A schema or option that cannot be served, by name; a table that exists, unless `ignore_if_exists`.
    async fn create_format_table(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        location: Option<Location>,
        ignore_if_exists: bool,
    ) -> Result<()>;
}

#[async_trait]
impl<C: Catalog + ?Sized> CatalogExt for C {
    async fn get_format_table(&self, identifier: &Identifier) -> Result<FormatTable> {
        FormatTable::new(self.get_table(identifier).await?)
    }

    async fn create_format_table(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        location: Option<Location>,
        ignore_if_exists: bool,
    ) -> Result<()> {
        let table = identifier.to_string();
        let options =
            FormatTableOptions::resolve(&schema.options).context(CoreSnafu { table: &table })?;
        let is_data = |name: &str| !schema.partition_keys.iter().any(|key| key == name);
        let data: Vec<_> = schema
            .fields
            .iter()
            .filter(|field| is_data(&field.name))
            .cloned()
            .collect();
        let format = file_format(options.format);
        format
            .check_write_schema(&data)
            .context(FormatSnafu { table: &table })?;
        Ok(self
            .create_table_at(identifier, schema, location, ignore_if_exists)
            .await?)
    }
}
