//! Catalogs: which databases and tables exist, where a table lies and what its schema is.
//!
//! A catalog answers with a [`LoadedTable`]: the location, the schema and the store to reach it with.
//! What is done with the files below that location is not its business.
//!
//! | item | what it answers |
//! | --- | --- |
//! | [`Catalog`] | the operations every catalog has |
//! | [`LoadedTable`] | all that is needed to open a table |
//! | [`PartitionRegistry`] | which partitions exist, where the catalog and not the directory tree says so |
//! | [`FileSystemCatalog`] | databases and tables are directories of a warehouse |
//! | `RestCatalog` | databases, tables and partitions are what a server says; with the feature `rest` |
//! | [`load_table_at`] | a table whose schema lies under its own path |
//! | [`open`] | the catalog that a set of options describes |
//!
//! ```
//! use ftable_core::{Options, Schema};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options::from([("warehouse", "memory://docs/warehouse")]);
//! let catalog = ftable_catalog::open(options).await?;
//! let schema = Schema::builder()
//!     .column("id", "BIGINT NOT NULL")?
//!     .column("dt", "DATE")?
//!     .partition_by(["dt"])
//!     .build()?;
//! catalog.create_database("db", true).await?;
//! catalog.create_table(&"db.events".parse()?, &schema, false).await?;
//!
//! let table = catalog.get_table(&"db.events".parse()?).await?;
//! assert_eq!(table.location.path(), "/warehouse/db.db/events");
//! assert_eq!(table.schema.partition_keys, ["dt"]);
//! # Ok(())
//! # }
//! ```

#![deny(missing_docs)]

mod catalog;
mod error;
mod filesystem;
mod open;
mod partitions;
#[cfg(feature = "rest")]
mod rest;
mod rules;

pub use catalog::{Catalog, Database, LoadedTable, SYSTEM_DATABASE, TableDetails};
pub use error::{Error, Result};
pub use filesystem::{FileSystemCatalog, load_table_at};
pub use open::open;
pub use partitions::{
    CreatedPartitions, DroppedPartitions, PartitionRegistry, PartitionSpec, PartitionStatistics,
    RegisteredPartition,
};
#[cfg(feature = "rest")]
pub use rest::{ColumnMove, ColumnPlace, Page, RestCatalog, RestPartitions, SchemaChange};
