//! The REST catalog: databases, tables and partitions are what a server says they are.
//!
//! ```text
//! RestCatalog, RestPartitions          what a catalog does
//!   databases, tables, alter           one request or a few for each
//!   paging, refusal                    listings page by page; what a refusal means
//!   token                              the store of a table whose credentials the server gives and renews
//!   client, config                     one server, and what it says about its catalog
//!     http                             sign, send, send again where that is safe
//!       auth                           who sends it
//!     models, paths, encoding          the documents and addresses of the protocol
//! ```
//!
//! The directory of a table holds data only: `schema` and `branch` in it are partitions like others.

mod alter;
mod auth;
mod base_uri;
mod client;
mod clock;
mod config;
mod databases;
mod encoding;
mod http;
mod models;
mod paging;
mod partitions;
mod paths;
mod refusal;
mod secrets;
mod tables;
mod token;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use ftable_core::{Identifier, Options, Schema, TableSchema};
use ftable_io::Location;

use crate::Result;
use crate::catalog::{Catalog, Database, LoadedTable, TableDetails};
use crate::partitions::{CreatedPartitions, PartitionSpec};

use client::RestClient;
use clock::Clock;

pub use models::{ColumnMove, ColumnPlace, SchemaChange};
pub use paging::Page;
pub use partitions::RestPartitions;

/// A catalog that a server keeps, reached over HTTP by the protocol of Paimon's REST catalog.
///
/// | option | meaning |
/// | --- | --- |
/// | `uri` | where the server answers, required |
/// | `warehouse` | the name of the instance, told to the server |
/// | `token.provider` | `bear`, with `token`, or `dlf`, with a key in `dlf.*`; required |
/// | `header.<name>` | a header of every request |
/// | `rest.client.*` | time limits and retries |
///
/// The server adds options of its own, which may take the place of those given. Requests that are answered with 429
/// or 503 are sent again after a wait; requests without an answer only where HTTP says that it does no harm. A
/// redirect is an error, so that credentials reach no other server.
///
/// Cheap to clone; clones share the connections. No error and no `Debug` output shows a secret.
#[derive(Debug, Clone)]
pub struct RestCatalog {
    client: RestClient,
}

impl RestCatalog {
    /// Asks the server that the options name for its configuration.
    ///
    /// # Errors
    /// `InvalidOption` for an option that is missing or cannot be honoured, and when the server does not answer
    /// or refuses.
    pub async fn open(options: Options) -> Result<Self> {
        Self::open_at(options, Clock::system()).await
    }

    async fn open_at(options: Options, clock: Clock) -> Result<Self> {
        Ok(Self {
            client: RestClient::connect(options, clock).await?,
        })
    }
}

#[async_trait]
impl Catalog for RestCatalog {
    fn options(&self) -> &Options {
        self.client.options()
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

    async fn alter_database(&self, name: &str, set: &Options, remove: &[String]) -> Result<()> {
        self.change_database(name, set, remove).await
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

    async fn list_table_details(
        &self,
        database: &str,
        name_pattern: Option<&str>,
    ) -> Result<Vec<TableDetails>> {
        self.details(database, name_pattern).await
    }

    async fn get_table_schema(&self, identifier: &Identifier) -> Result<TableSchema> {
        self.schema(identifier).await
    }

    async fn get_table_location(&self, identifier: &Identifier) -> Result<Location> {
        self.location(identifier).await
    }

    async fn load_format_table(&self, identifier: &Identifier) -> Result<LoadedTable> {
        self.load(identifier).await
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

    async fn mark_done_partitions(
        &self,
        identifier: &Identifier,
        specs: &[PartitionSpec],
    ) -> Result<()> {
        self.mark_done(identifier, specs).await
    }

    async fn create_partitions(
        &self,
        identifier: &Identifier,
        specs: &[PartitionSpec],
        ignore_existing: bool,
    ) -> Result<CreatedPartitions> {
        self.register(identifier, specs, ignore_existing).await
    }
}
