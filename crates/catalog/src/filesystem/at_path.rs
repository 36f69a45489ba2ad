//! A table opened by its path, without a catalog.

use std::sync::Arc;

use ftable_core::Options;
use ftable_core::options::keys::PATH;
use ftable_io::{FileSystem, Location};
use snafu::ResultExt;

use super::names::SCHEMA_DIRECTORY;
use super::schema_files::SchemaFiles;
use crate::Result;
use crate::catalog::{LoadedTable, open_store};
use crate::error::{NoSchemaSnafu, StorageSnafu};

/// Loads the table whose schema lies under its own path, as a file system catalog keeps it.
///
/// # Errors
/// `NotFound` where no schema lies under the path; `Unsupported`, naming the type, for another kind of table.
pub async fn load_table_at(
    location: Location,
    file_system: Arc<dyn FileSystem>,
) -> Result<LoadedTable> {
    let directory = ftable_io::path::join(location.path(), SCHEMA_DIRECTORY);
    let Some(schema) = SchemaFiles::new(&*file_system, directory).latest().await? else {
        return NoSchemaSnafu {
            location: location.to_string(),
        }
        .fail();
    };
    let data = match schema.options.get_raw(PATH.name()) {
        Some(stored) => Some(stored.parse::<Location>().context(StorageSnafu {
            action: "understand the location",
            path: stored,
        })?),
        None => None,
    };
    match data.filter(|data| !data.same_place(&location)) {
        // Only the schema lies here.
        Some(data) => {
            let file_system = open_store(&data, &Options::default())?;
            LoadedTable::unnamed(data, schema, file_system)
        }
        None => LoadedTable::unnamed(location, schema, file_system)
            .map(LoadedTable::with_metadata_under_location),
    }
}
