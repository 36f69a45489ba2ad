//! The file system catalog: databases and tables are directories of a warehouse.
//!
//! ```text
//! <warehouse>/                  other content is ignored
//!   <database>.db/              an empty directory is an empty database
//!     <table>/                  a table as soon as it has a schema
//!       schema/schema-0         JSON, a file a version; the highest number counts
//!       <data>
//! ```
//!
//! Nothing else is kept: no list of tables, no hint which schema is the latest. A table created at
//! a location of its own has only `schema/` here; the schema's option `path` says where its data
//! lies.

mod at_path;
mod databases;
mod delete;
mod names;
mod schema_files;
mod tables;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::options::keys::WAREHOUSE;
use ftable_core::{Identifier, Options, Schema, TableSchema};
use ftable_io::{EntryKind, FileStatus, FileSystem, Location};
use snafu::ResultExt;

pub use at_path::load_table_at;

use crate::Result;
use crate::catalog::{Catalog, Database, LoadedTable, check_plain, check_readable, open_store};
use crate::error::{InvalidOptionSnafu, StorageSnafu};

/// A catalog that keeps databases and tables as directories of a warehouse, as Paimon's
/// `FileSystemCatalog` does, and its format tables' schemas below the tables.
///
/// Cheap to clone; clones share the store.
#[derive(Debug, Clone)]
pub struct FileSystemCatalog {
    warehouse: Location,
    options: Options,
    file_system: Arc<dyn FileSystem>,
}

impl FileSystemCatalog {
    /// Opens the warehouse, making its directory if there is none.
    ///
    /// `options` configure the store; those that begin with `table-default.` become options of new
    /// tables.
    ///
    /// # Errors
    /// `InvalidOption` when the warehouse is not a directory, and when the store cannot be opened.
    pub async fn open(warehouse: Location, options: Options) -> Result<Self> {
        let file_system = open_store(&warehouse, &options)?;
        let catalog = Self {
            warehouse,
            options,
            file_system,
        };
        let root = catalog.warehouse.path();
        match catalog.stat(root).await?.map(|status| status.kind) {
            Some(EntryKind::Directory) => {}
            Some(EntryKind::File) => {
                return InvalidOptionSnafu {
                    key: WAREHOUSE.name(),
                    value: catalog.warehouse.to_string(),
                    message: "it is a file; name a directory",
                }
                .fail();
            }
            None => catalog.create_dir(root).await?,
        }
        Ok(catalog)
    }

    /// The directory that holds the databases.
    pub fn warehouse(&self) -> &Location {
        &self.warehouse
    }

    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        self.file_system.stat(path).await.context(StorageSnafu {
            action: "look at",
            path,
        })
    }

    async fn list(&self, path: &str) -> Result<Vec<FileStatus>> {
        self.file_system.list(path).await.context(StorageSnafu {
            action: "list",
            path,
        })
    }

    async fn create_dir(&self, path: &str) -> Result<()> {
        self.file_system
            .create_dir(path)
            .await
            .context(StorageSnafu {
                action: "create directory",
                path,
            })
    }
}

#[async_trait]
impl Catalog for FileSystemCatalog {
    fn options(&self) -> &Options {
        &self.options
    }

    async fn list_databases(&self) -> Result<Vec<String>> {
        self.databases().await
    }

    async fn get_database(&self, name: &str) -> Result<Database> {
        self.database(name).await
    }

    async fn create_database_with(
        &self,
        name: &str,
        properties: &Options,
        ignore_if_exists: bool,
    ) -> Result<()> {
        self.make_database(name, properties, ignore_if_exists).await
    }

    async fn drop_database(
        &self,
        name: &str,
        ignore_if_not_exists: bool,
        cascade: bool,
    ) -> Result<()> {
        self.remove_database(name, ignore_if_not_exists, cascade)
            .await
    }

    async fn list_tables(&self, database: &str) -> Result<Vec<String>> {
        self.tables(database).await
    }

    async fn get_table_schema(&self, identifier: &Identifier) -> Result<TableSchema> {
        check_readable(identifier)?;
        self.latest_schema(identifier).await
    }

    async fn get_table_location(&self, identifier: &Identifier) -> Result<Location> {
        check_readable(identifier)?;
        let schema = self.latest_schema(identifier).await?;
        Ok(self.data_location(identifier, &schema)?.0)
    }

    async fn load_format_table(&self, identifier: &Identifier) -> Result<LoadedTable> {
        check_readable(identifier)?;
        let schema = self.latest_schema(identifier).await?;
        let (location, under_location) = self.data_location(identifier, &schema)?;
        let file_system = if under_location {
            Arc::clone(&self.file_system)
        } else {
            open_store(&location, &self.options)?
        };
        let table = LoadedTable::new(identifier.clone(), location, schema, file_system)?;
        Ok(if under_location {
            table.with_metadata_under_location()
        } else {
            table
        })
    }

    async fn create_table_at(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        location: Option<Location>,
        ignore_if_exists: bool,
    ) -> Result<()> {
        self.make_table(identifier, schema, location, ignore_if_exists)
            .await
    }

    async fn drop_table(&self, identifier: &Identifier, ignore_if_not_exists: bool) -> Result<()> {
        self.remove_table(identifier, ignore_if_not_exists).await
    }

    async fn rename_table(
        &self,
        from: &Identifier,
        to: &Identifier,
        ignore_if_not_exists: bool,
    ) -> Result<()> {
        self.move_table(from, to, ignore_if_not_exists).await
    }
}
