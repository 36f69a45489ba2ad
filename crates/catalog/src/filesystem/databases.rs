//! Databases: directories of the warehouse whose name ends in `.db`.

use ftable_core::Options;
use ftable_io::EntryKind;
use snafu::ResultExt;

use super::FileSystemCatalog;
use super::names::database_of_directory;
use crate::catalog::{Database, SYSTEM_DATABASE};
use crate::error::{
    DatabaseExistsSnafu, DatabaseNotEmptySnafu, DatabaseNotFoundSnafu, PathExistsSnafu,
    StorageSnafu, UnsupportedSnafu,
};
use crate::rules::refuse_system_database;
use crate::{Error, Result};

impl FileSystemCatalog {
    /// The names of all databases, sorted; directories whose name no database can have are not
    /// among them.
    pub(super) async fn databases(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = self
            .list(self.warehouse.path())
            .await?
            .iter()
            .filter(|entry| entry.kind == EntryKind::Directory)
            .filter_map(|entry| database_of_directory(entry.name()))
            .filter(|name| *name != SYSTEM_DATABASE)
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    pub(super) async fn database(&self, name: &str) -> Result<Database> {
        let location = if name == SYSTEM_DATABASE {
            None
        } else {
            self.require_database(name).await?;
            Some(self.database_location(name)?)
        };
        Ok(Database {
            name: name.to_owned(),
            location,
            properties: Options::default(),
            comment: None,
        })
    }

    /// Fails with `NotFound` unless the database's directory is there.
    pub(super) async fn require_database(&self, name: &str) -> Result<()> {
        match self.database_entry(name).await? {
            Some(EntryKind::Directory) => Ok(()),
            _ => DatabaseNotFoundSnafu { database: name }.fail(),
        }
    }

    pub(super) async fn make_database(
        &self,
        name: &str,
        properties: &Options,
        ignore_if_exists: bool,
    ) -> Result<()> {
        refuse_system_database(name, "create")?;
        let location = self.database_location(name)?;
        match self.database_entry(name).await? {
            Some(EntryKind::Directory) if ignore_if_exists => return Ok(()),
            Some(EntryKind::Directory) => return DatabaseExistsSnafu { database: name }.fail(),
            Some(EntryKind::File) => {
                return PathExistsSnafu {
                    subject: format!("database '{name}'"),
                    path: location.to_string(),
                    advice: "it is a file, remove it or choose another name",
                }
                .fail();
            }
            None => {}
        }
        // Other properties are not kept, as in Java; this one would silently put the tables
        // somewhere else than asked.
        if let Some(value) = properties.get_raw("location") {
            return UnsupportedSnafu {
                what: format!("location '{value}' of database '{name}'"),
                reason: "the databases of a file system catalog lie in its warehouse",
                instead: "leave the property out, or give the tables a location of their own",
            }
            .fail();
        }
        self.create_dir(location.path()).await
    }

    pub(super) async fn remove_database(
        &self,
        name: &str,
        ignore_if_not_exists: bool,
        cascade: bool,
    ) -> Result<()> {
        refuse_system_database(name, "drop")?;
        let exists = self.require_database(name).await;
        if !if_not_exists(exists, ignore_if_not_exists)? {
            return Ok(());
        }
        let location = self.database_location(name)?;
        let path = location.path();
        if cascade {
            return self.delete_tree(path).await;
        }
        // Any child, not just a table: what is no table may still be someone's data.
        if let Some(child) = self.list(path).await?.first() {
            return not_empty(name, child.name());
        }
        let removed = self
            .file_system
            .remove_dir(path)
            .await
            .context(StorageSnafu {
                action: "remove directory",
                path,
            })?;
        if !removed && self.stat(path).await?.is_some() {
            // Filled since it was listed, or with a hidden name that is not text.
            return not_empty(name, "a file or directory that a listing does not show");
        }
        Ok(())
    }

    async fn database_entry(&self, name: &str) -> Result<Option<EntryKind>> {
        let location = self.database_location(name)?;
        Ok(self.stat(location.path()).await?.map(|status| status.kind))
    }
}

fn not_empty(database: &str, child: &str) -> Result<()> {
    DatabaseNotEmptySnafu { database, child }.fail()
}

/// Whether what was asked for is there; its absence is an error unless that is to be ignored.
pub(super) fn if_not_exists(exists: Result<()>, ignore: bool) -> Result<bool> {
    match exists {
        Ok(()) => Ok(true),
        Err(Error::DatabaseNotFound { .. } | Error::TableNotFound { .. }) if ignore => Ok(false),
        Err(error) => Err(error),
    }
}
