//! Which names are allowed, and where what they name lies.
//!
//! Every path below the warehouse that this catalog touches is made here, from the warehouse and
//! from names that were checked, so that no name leads out of its parent directory.

use ftable_core::Identifier;
use ftable_io::Location;
use snafu::ResultExt;

use super::FileSystemCatalog;
use crate::Result;
use crate::error::{InvalidNameSnafu, StorageSnafu};

/// What the name of a database's directory ends in.
pub(super) const DATABASE_SUFFIX: &str = ".db";
/// The directory of a table that holds its schema files.
pub(super) const SCHEMA_DIRECTORY: &str = "schema";

impl FileSystemCatalog {
    /// The directory of a database.
    pub(super) fn database_location(&self, name: &str) -> Result<Location> {
        Identifier::check_name(name).context(InvalidNameSnafu {
            what: "database",
            name,
        })?;
        join(&self.warehouse, &format!("{name}{DATABASE_SUFFIX}"))
    }

    /// The directory of a table: its schema files, and its data unless that lies elsewhere.
    pub(super) fn table_location(&self, identifier: &Identifier) -> Result<Location> {
        let name = identifier.table();
        Identifier::check_table_name(name).context(InvalidNameSnafu {
            what: "table",
            name,
        })?;
        join(&self.database_location(identifier.database())?, name)
    }
}

/// The name of the database whose directory is called that, if a database can have it.
pub(super) fn database_of_directory(directory: &str) -> Option<&str> {
    let name = directory.strip_suffix(DATABASE_SUFFIX)?;
    Identifier::check_name(name).ok().map(|()| name)
}

/// Whether a table can have that name.
pub(super) fn is_table_name(name: &str) -> bool {
    Identifier::check_table_name(name).is_ok()
}

fn join(parent: &Location, name: &str) -> Result<Location> {
    parent.join(name).context(StorageSnafu {
        action: "name a directory in",
        path: parent.to_string(),
    })
}
