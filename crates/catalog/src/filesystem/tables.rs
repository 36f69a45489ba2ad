//! Tables: directories of a database that hold a schema.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use ftable_core::options::TableType;
use ftable_core::options::keys::{PATH, TYPE};
use ftable_core::schema::validate_create;
use ftable_core::{ErrorKind, FormatTableOptions, Identifier, Options, Schema, TableSchema};
use ftable_io::{EntryKind, FileStatus, Location, contained};
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::databases::if_not_exists;
use super::names::{SCHEMA_DIRECTORY, database_of_directory, is_table_name};
use super::schema_files::SchemaFiles;
use super::{FileSystemCatalog, check_plain, open_store};
use crate::Result;
use crate::catalog::{SYSTEM_DATABASE, is_format_table};
use crate::error::{
    InvalidLocationSnafu, PathExistsSnafu, RefusedSchemaSnafu, StorageSnafu, TableExistsSnafu,
    TableNotFoundSnafu, UnsupportedSnafu,
};
use crate::rules::{absolute_text, completed, refuse_system_database, table_defaults};

/// The type of a table whose creator names none: the only one this catalog creates.
const FORMAT_TABLE: &str = TableType::FormatTable.name();

/// Directories that are looked into at the same time.
const CONCURRENT_LOOKS: usize = 16;

impl FileSystemCatalog {
    /// The names of the tables of a database, sorted.
    pub(super) async fn tables(&self, database: &str) -> Result<Vec<String>> {
        if database == SYSTEM_DATABASE {
            return Ok(Vec::new());
        }
        self.require_database(database).await?;
        let directory = self.database_location(database)?;
        let candidates: Vec<FileStatus> = self
            .list(directory.path())
            .await?
            .into_iter()
            .filter(|entry| entry.is_dir() && is_table_name(entry.name()))
            .collect();
        let mut names: Vec<String> = stream::iter(candidates)
            .map(|entry| async move {
                let exists = self.schema_files(&entry.path).latest_id().await?.is_some();
                Ok(exists.then(|| entry.name().to_owned()))
            })
            .buffered(CONCURRENT_LOOKS)
            .try_filter_map(|name| async { Ok(name) })
            .try_collect()
            .await?;
        names.sort_unstable();
        Ok(names)
    }

    /// The latest schema of a table of any type.
    pub(super) async fn latest_schema(&self, identifier: &Identifier) -> Result<TableSchema> {
        let table = || identifier.to_string();
        if identifier.database() == SYSTEM_DATABASE {
            return TableNotFoundSnafu { table: table() }.fail();
        }
        let directory = self.table_location(identifier)?;
        match self.schema_files(directory.path()).latest().await? {
            Some(schema) => Ok(schema),
            None => TableNotFoundSnafu { table: table() }.fail(),
        }
    }

    /// Where the data of a table lies, and whether that is the directory with its metadata.
    pub(super) fn data_location(
        &self,
        identifier: &Identifier,
        schema: &TableSchema,
    ) -> Result<(Location, bool)> {
        let own = self.table_location(identifier)?;
        // Java overwrites a stored path with the table's directory; only a format table of this
        // library can have been created at a location of its own.
        let stored = schema.options.get_raw(PATH.name());
        let Some(text) = stored.filter(|_| is_format_table(&schema.options)) else {
            return Ok((own, true));
        };
        let location: Location = text.parse().context(StorageSnafu {
            action: "understand the location of a table in",
            path: self.schema_files(own.path()).path(schema.id),
        })?;
        if location.same_place(&own) {
            return Ok((own, true));
        }
        Ok((location, false))
    }

    pub(super) async fn make_table(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        location: Option<Location>,
        ignore_if_exists: bool,
    ) -> Result<()> {
        check_plain(identifier, "creating table")?;
        refuse_system_database(identifier.database(), "create a table in")?;
        let own = self.table_location(identifier)?;
        let schema = completed(schema, Options::from([(TYPE.name(), FORMAT_TABLE)]));
        validate(identifier, &schema)?;
        self.require_database(identifier.database()).await?;
        let files = self.schema_files(own.path());
        if files.latest_id().await?.is_some() {
            return table_exists(identifier, ignore_if_exists);
        }
        // The catalog's defaults are checked like the creator's options.
        let mut schema = completed(&schema, table_defaults(&self.options));
        validate(identifier, &schema)?;
        if let Some(location) = &location {
            self.check_location(identifier, &own, location).await?;
            schema.options.set(PATH.name(), absolute_text(location));
        }
        self.check_free(identifier, &own, location.is_some())
            .await?;
        let json = TableSchema::new(0, &schema, now_millis()).to_json();
        if files.create(0, json).await? {
            return Ok(());
        }
        table_exists(identifier, ignore_if_exists)
    }

    pub(super) async fn remove_table(
        &self,
        identifier: &Identifier,
        ignore_if_not_exists: bool,
    ) -> Result<()> {
        check_plain(identifier, "dropping table")?;
        refuse_system_database(identifier.database(), "drop a table in")?;
        let exists = self.require_table(identifier).await;
        if !if_not_exists(exists, ignore_if_not_exists)? {
            return Ok(());
        }
        let database = self.database_location(identifier.database())?;
        let table = self.table_location(identifier)?;
        self.delete_table(database.path(), table.path()).await
    }

    pub(super) async fn move_table(
        &self,
        from: &Identifier,
        to: &Identifier,
        ignore_if_not_exists: bool,
    ) -> Result<()> {
        for identifier in [from, to] {
            check_plain(identifier, "renaming table")?;
            refuse_system_database(identifier.database(), "rename a table in")?;
        }
        let source = self.table_location(from)?;
        let target = self.table_location(to)?;
        let exists = self.require_table(from).await;
        if !if_not_exists(exists, ignore_if_not_exists)? {
            return Ok(());
        }
        self.require_database(to.database()).await?;
        if self
            .schema_files(target.path())
            .latest_id()
            .await?
            .is_some()
        {
            return table_exists(to, false);
        }
        // Hadoop would move the table into a directory that is there, as `to/from`.
        if self.stat(target.path()).await?.is_some() {
            return in_the_way(to, &target);
        }
        if !self.file_system.capabilities().rename {
            return UnsupportedSnafu {
                what: format!("renaming table {from}"),
                reason: "the store of the warehouse cannot rename a directory in one step",
                instead: format!("create {to}, copy the rows and drop {from}"),
            }
            .fail();
        }
        match self.file_system.rename(source.path(), target.path()).await {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => in_the_way(to, &target),
            result => result.context(StorageSnafu {
                action: "rename",
                path: source.path(),
            }),
        }
    }

    async fn require_table(&self, identifier: &Identifier) -> Result<()> {
        let directory = self.table_location(identifier)?;
        match self.schema_files(directory.path()).latest_id().await? {
            Some(_) => Ok(()),
            None => TableNotFoundSnafu {
                table: identifier.to_string(),
            }
            .fail(),
        }
    }

    fn schema_files(&self, table_directory: &str) -> SchemaFiles<'_> {
        let directory = ftable_io::path::join(table_directory, SCHEMA_DIRECTORY);
        SchemaFiles::new(self.file_system.as_ref(), directory)
    }

    /// Refuses a location that cannot hold a table's data, or where it would share files with the
    /// catalog: there `schema` is data, and an overwrite would delete other tables' schemas.
    async fn check_location(
        &self,
        identifier: &Identifier,
        own: &Location,
        location: &Location,
    ) -> Result<()> {
        let refuse = |message: &str| {
            InvalidLocationSnafu {
                table: identifier.to_string(),
                location: location.to_string(),
                message,
            }
            .fail()
        };
        let same_store = location.scheme().eq_ignore_ascii_case(own.scheme())
            && location.authority() == own.authority();
        if same_store {
            let warehouse = self.warehouse.path();
            if location.same_place(&self.warehouse)
                || contained(location.path(), warehouse).is_some()
            {
                return refuse("the warehouse lies in it; choose a directory of its own");
            }
            let below = contained(warehouse, location.path()).unwrap_or_default();
            let first = below.split('/').next().unwrap_or_default();
            if database_of_directory(first).is_some() {
                return refuse(
                    "it lies in a database of the warehouse; leave the location out, or choose a directory elsewhere",
                );
            }
        }
        let store = open_store(location, &self.options)?;
        let found = store.stat(location.path()).await.context(StorageSnafu {
            action: "look at",
            path: location.to_string(),
        })?;
        match found.map(|status| status.kind) {
            Some(EntryKind::File) => refuse("it is a file; name a directory"),
            _ => Ok(()),
        }
    }

    /// Refuses to put a table where something else lies: a file, or files that a later drop would
    /// take for the catalog's own, because the data of the table is elsewhere.
    async fn check_free(
        &self,
        identifier: &Identifier,
        own: &Location,
        data_is_elsewhere: bool,
    ) -> Result<()> {
        let taken = match self.stat(own.path()).await?.map(|status| status.kind) {
            Some(EntryKind::File) => true,
            Some(EntryKind::Directory) if data_is_elsewhere => self
                .list(own.path())
                .await?
                .iter()
                .any(|child| child.name() != SCHEMA_DIRECTORY),
            _ => false,
        };
        if taken {
            return in_the_way(identifier, own);
        }
        Ok(())
    }
}

/// Refuses a schema that describes no format table, and one that says where it lies.
fn validate(identifier: &Identifier, schema: &Schema) -> Result<()> {
    let refused = || RefusedSchemaSnafu {
        table: identifier.to_string(),
    };
    validate_create(schema).context(refused())?;
    FormatTableOptions::resolve(&schema.options)
        .and_then(|options| options.check_directories_decide())
        .context(refused())?;
    if let Some(path) = schema.options.get_raw(PATH.name()) {
        return UnsupportedSnafu {
            what: format!("option 'path' = '{path}' of table {identifier}"),
            reason: "the catalog decides where its tables lie",
            instead: "leave the option out, or create the table at a location",
        }
        .fail();
    }
    Ok(())
}

fn table_exists(identifier: &Identifier, ignore: bool) -> Result<()> {
    if ignore {
        return Ok(());
    }
    TableExistsSnafu {
        table: identifier.to_string(),
    }
    .fail()
}

fn in_the_way(identifier: &Identifier, path: &Location) -> Result<()> {
    PathExistsSnafu {
        subject: format!("table {identifier}"),
        path: path.to_string(),
        advice: "it is no table of the catalog; move it away or choose another name",
    }
    .fail()
}

/// The time in milliseconds since the epoch, never the same twice in one process.
///
/// So two creators of one table write different bytes, and finding one's own bytes means having
/// won.
fn now_millis() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_millis()).ok())
        .unwrap_or_default();
    let after = |last: i64| now.max(last.saturating_add(1));
    after(LAST.update(Ordering::Relaxed, Ordering::Relaxed, after))
}
