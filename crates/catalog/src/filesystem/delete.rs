//! Deleting, without ever following a symbolic link.
//!
//! A link is deleted itself. A path that leads through a link out of the warehouse, because the
//! directory of the database is one, is refused.

use std::fs;
use std::path::{Path, PathBuf};

use snafu::ResultExt;
use tokio::task::spawn_blocking;

use super::FileSystemCatalog;
use super::names::SCHEMA_DIRECTORY;
use crate::Result;
use crate::error::{StorageSnafu, UnsupportedSnafu};

impl FileSystemCatalog {
    /// Deletes the directory of a table, the schema last: a drop that was cut short can be
    /// repeated, and a new table of the same name never finds old rows.
    pub(super) async fn delete_table(&self, database: &str, table: &str) -> Result<()> {
        if self.leads_out(database).await {
            return UnsupportedSnafu {
                what: format!("dropping a table in '{database}'"),
                reason: "the directory is a symbolic link out of the warehouse",
                instead: format!("delete '{table}' yourself"),
            }
            .fail();
        }
        if !self.is_link(table).await {
            // What cannot be listed is reported when it cannot be deleted either.
            for child in self.list(table).await.unwrap_or_default() {
                if child.name() != SCHEMA_DIRECTORY {
                    self.delete_tree(&child.path).await?;
                }
            }
        }
        self.delete_tree(table).await
    }

    /// Deletes a directory and all below it; a link itself.
    pub(super) async fn delete_tree(&self, path: &str) -> Result<()> {
        self.file_system
            .delete_tree(path)
            .await
            .context(StorageSnafu {
                action: "delete",
                path,
            })
    }

    /// Whether a directory below the warehouse really lies elsewhere. What cannot be looked at is
    /// taken to, so that it is not deleted.
    async fn leads_out(&self, directory: &str) -> bool {
        let warehouse = self.warehouse.path().to_owned();
        self.on_disk(directory, move |directory| {
            match (fs::canonicalize(warehouse), fs::canonicalize(directory)) {
                (Ok(warehouse), Ok(directory)) => !directory.starts_with(warehouse),
                _ => true,
            }
        })
        .await
    }

    /// Whether a path is a symbolic link. What cannot be looked at is taken for one, so that
    /// nothing below it is touched.
    async fn is_link(&self, path: &str) -> bool {
        self.on_disk(path, |path| {
            fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_symlink())
        })
        .await
    }

    /// The answer of `question`, asked on a thread that may block; false on a store that has no
    /// links.
    async fn on_disk<F>(&self, path: &str, question: F) -> bool
    where
        F: FnOnce(&Path) -> bool + Send + 'static,
    {
        if !self.file_system.capabilities().local {
            return false;
        }
        let path = PathBuf::from(path);
        spawn_blocking(move || question(&path))
            .await
            .unwrap_or(true)
    }
}
