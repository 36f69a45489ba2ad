//! What every catalog can do, and what it hands out.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use ftable_core::options::TableType;
use ftable_core::options::keys::{MAIN_BRANCH, PATH, TYPE};
use ftable_core::{ErrorKind, Identifier, Options, Schema, TableSchema};
#[cfg(feature = "rest")]
use ftable_io::{CredentialSource, open_vended_file_system};
use ftable_io::{FileSystem, Location, open_file_system};
use snafu::ResultExt;

use crate::Result;
use crate::error::{CoreSnafu, StorageSnafu, UnsupportedSnafu, WrongTableTypeSnafu};
use crate::partitions::{CreatedPartitions, PartitionRegistry, PartitionSpec};

/// The database that no one can create, change or drop; it is always there and empty.
pub const SYSTEM_DATABASE: &str = "sys";

/// A database.
#[derive(Debug, Clone)]
pub struct Database {
    /// Its name.
    pub name: String,
    /// Where its tables lie unless they say otherwise; none for the system database.
    pub location: Option<Location>,
    /// What the catalog keeps about it; a file system catalog keeps nothing.
    pub properties: Options,
    /// Its description, where the catalog keeps one.
    pub comment: Option<String>,
}

/// A table as a listing shows it: of any type, not opened.
#[derive(Debug, Clone)]
pub struct TableDetails {
    /// The name of the table.
    pub identifier: Identifier,
    /// Where its data lies.
    pub location: Location,
    /// Its latest schema, as stored.
    pub schema: TableSchema,
}

/// A format table as a catalog hands it out: all that is needed to open it.
#[derive(Debug, Clone)]
pub struct LoadedTable {
    /// The name it was asked for by; none for a table that was given as a directory.
    pub identifier: Option<Identifier>,
    /// Where the data lies.
    pub location: Location,
    /// The latest schema, its option `path` set to the location.
    pub schema: TableSchema,
    /// The store that holds the location.
    pub file_system: Arc<dyn FileSystem>,
    /// Whether the directories `schema` and `branch` directly below the location are the table's
    /// metadata. Where they are not, they are data like any other directory.
    pub metadata_under_location: bool,
    /// Which partitions exist, where the catalog decides that; none = the directories do.
    pub partition_registry: Option<Arc<dyn PartitionRegistry>>,
}

impl LoadedTable {
    /// Puts a table together from what a catalog knows about it, after making sure that it is a
    /// format table. Sets the option `path` to the location.
    ///
    /// # Errors
    /// `Unsupported`, naming the type, when the schema is that of another kind of table.
    pub fn new(
        identifier: Identifier,
        location: Location,
        schema: TableSchema,
        file_system: Arc<dyn FileSystem>,
    ) -> Result<Self> {
        check_type(&identifier.to_string(), &schema)?;
        Ok(Self {
            identifier: Some(identifier),
            ..Self::unnamed(location, schema, file_system)?
        })
    }

    /// The same of a table that is known by its location alone.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn unnamed(
        location: Location,
        mut schema: TableSchema,
        file_system: Arc<dyn FileSystem>,
    ) -> Result<Self> {
        check_type(&location.to_string(), &schema)?;
        schema.options.set(PATH.name(), location.to_string());
        Ok(Self {
            identifier: None,
            location,
            schema,
            file_system,
            metadata_under_location: false,
            partition_registry: None,
        })
    }

    /// The same table with its metadata in `schema` and `branch` below the location.
    pub fn with_metadata_under_location(mut self) -> Self {
        self.metadata_under_location = true;
        self
    }

    /// The same table with partitions that the catalog decides about.
    pub fn with_partition_registry(mut self, registry: Arc<dyn PartitionRegistry>) -> Self {
        self.partition_registry = Some(registry);
        self
    }
}

/// The databases and tables of one warehouse.
///
/// A name given to any method is checked before anything is touched; a name that is refused gives
/// `InvalidArgument`. The system database [`SYSTEM_DATABASE`] exists, holds no tables and cannot
/// be changed. An identifier that names a system table (`t$files`) is refused everywhere, because
/// a format table has none; one that names a branch (`t$branch_dev`) is refused too, except that
/// reading `t$branch_main` gives the table itself.
#[async_trait]
pub trait Catalog: Send + Sync + Debug + 'static {
    /// The options the catalog was opened with; they also configure the stores.
    fn options(&self) -> &Options;

    /// The names of all databases, sorted.
    ///
    /// # Errors
    /// When the store cannot be listed.
    async fn list_databases(&self) -> Result<Vec<String>>;

    /// What is known about one database.
    ///
    /// # Errors
    /// `NotFound` when there is none of that name.
    async fn get_database(&self, name: &str) -> Result<Database>;

    /// Creates an empty database.
    ///
    /// # Errors
    /// `AlreadyExists` when it is there and `ignore_if_exists` is false.
    async fn create_database(&self, name: &str, ignore_if_exists: bool) -> Result<()> {
        self.create_database_with(name, &Options::default(), ignore_if_exists)
            .await
    }

    /// Creates an empty database with properties, where the catalog can keep any.
    ///
    /// # Errors
    /// `AlreadyExists` when it is there and `ignore_if_exists` is false; `Unsupported` for a
    /// property the catalog cannot act on.
    async fn create_database_with(
        &self,
        name: &str,
        properties: &Options,
        ignore_if_exists: bool,
    ) -> Result<()>;

    /// Sets and removes properties of a database.
    ///
    /// # Errors
    /// `Unsupported`, unless the catalog keeps properties.
    async fn alter_database(&self, name: &str, _set: &Options, _remove: &[String]) -> Result<()> {
        UnsupportedSnafu {
            what: format!("altering database '{name}'"),
            reason: "the catalog keeps no properties of databases",
            instead: "set options on the tables",
        }
        .fail()
    }

    /// Drops a database; with `cascade`, all that lies in it.
    ///
    /// # Errors
    /// `NotFound` when it is not there and `ignore_if_not_exists` is false; `InvalidArgument` when
    /// anything lies in it and `cascade` is false.
    async fn drop_database(
        &self,
        name: &str,
        ignore_if_not_exists: bool,
        cascade: bool,
    ) -> Result<()>;

    /// The names of the tables of a database, of any type, sorted.
    ///
    /// # Errors
    /// `NotFound` when there is no such database.
    async fn list_tables(&self, database: &str) -> Result<Vec<String>>;

    /// The tables of a database with location and schema, sorted by name.
    ///
    /// `name_pattern` keeps those whose whole name matches, `%` standing for any text and every
    /// other character, `_` too, for itself. A table that is dropped meanwhile is left out.
    ///
    /// # Errors
    /// `NotFound` when there is no such database, and when a schema cannot be read.
    async fn list_table_details(
        &self,
        database: &str,
        name_pattern: Option<&str>,
    ) -> Result<Vec<TableDetails>> {
        let mut details = Vec::new();
        for name in self.list_tables(database).await? {
            if name_pattern.is_some_and(|pattern| !matches_pattern(pattern, &name)) {
                continue;
            }
            let identifier = Identifier::new(database, name.as_str()).context(CoreSnafu {
                subject: format!("table name '{name}'"),
            })?;
            let schema = match self.get_table_schema(&identifier).await {
                Ok(schema) => schema,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let location = self.get_table_location(&identifier).await?;
            details.push(TableDetails {
                identifier,
                location,
                schema,
            });
        }
        Ok(details)
    }

    /// The format table of that name.
    ///
    /// # Errors
    /// `NotFound` when there is no such table, `Unsupported` when it is of another type (the
    /// message names it), a branch or a system table.
    async fn get_table(&self, identifier: &Identifier) -> Result<LoadedTable> {
        check_readable(identifier)?;
        self.load_format_table(identifier).await
    }

    /// The latest schema of a table of any type, as stored.
    ///
    /// # Errors
    /// `NotFound` when there is no such table, and when its schema cannot be read.
    async fn get_table_schema(&self, identifier: &Identifier) -> Result<TableSchema>;

    /// Where the data of a table lies.
    ///
    /// # Errors
    /// `NotFound` when there is no such table.
    async fn get_table_location(&self, identifier: &Identifier) -> Result<Location>;

    /// Loads a format table; [`get_table`](Self::get_table) calls this once the identifier is
    /// known to name one.
    ///
    /// A catalog that knows more overrides it: where the metadata lies, which partitions are
    /// registered, or the location and the schema from one answer instead of two that could
    /// disagree. As it stands it asks for the schema and the location one after the other.
    ///
    /// # Errors
    /// As [`get_table`](Self::get_table).
    async fn load_format_table(&self, identifier: &Identifier) -> Result<LoadedTable> {
        let schema = self.get_table_schema(identifier).await?;
        let location = self.get_table_location(identifier).await?;
        let file_system = open_store(&location, self.options())?;
        LoadedTable::new(identifier.clone(), location, schema, file_system)
    }

    /// Creates a format table whose data lies where the catalog puts it.
    ///
    /// # Errors
    /// As [`create_table_at`](Self::create_table_at).
    async fn create_table(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        ignore_if_exists: bool,
    ) -> Result<()> {
        self.create_table_at(identifier, schema, None, ignore_if_exists)
            .await
    }

    /// Creates a format table; with a location, one whose data lies there, outside the catalog's
    /// own directories, and stays there when the table is dropped.
    ///
    /// Of several concurrent creators exactly one succeeds.
    ///
    /// # Errors
    /// `NotFound` when there is no such database, `AlreadyExists` when the table is there and
    /// `ignore_if_exists` is false, and when the schema or the location is refused.
    async fn create_table_at(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        location: Option<Location>,
        ignore_if_exists: bool,
    ) -> Result<()>;

    /// Drops a table of any type: its metadata, and its data unless that lies elsewhere.
    ///
    /// # Errors
    /// `NotFound` when it is not there and `ignore_if_not_exists` is false.
    async fn drop_table(&self, identifier: &Identifier, ignore_if_not_exists: bool) -> Result<()>;

    /// Renames a table, to another database too.
    ///
    /// # Errors
    /// `NotFound` when `from` is not there and `ignore_if_not_exists` is false or the database of
    /// `to` is not there, `AlreadyExists` when anything is at `to`, `Unsupported` where the store
    /// cannot do it in one step.
    async fn rename_table(
        &self,
        from: &Identifier,
        to: &Identifier,
        ignore_if_not_exists: bool,
    ) -> Result<()>;

    /// Marks partitions as complete, in a catalog that keeps such a mark; elsewhere it does
    /// nothing.
    ///
    /// # Errors
    /// When the catalog cannot be asked.
    async fn mark_done_partitions(
        &self,
        _identifier: &Identifier,
        _specs: &[PartitionSpec],
    ) -> Result<()> {
        Ok(())
    }

    /// Registers partitions, in a catalog that decides about them.
    ///
    /// # Errors
    /// `Unsupported` elsewhere: there a partition exists as soon as its directory does.
    async fn create_partitions(
        &self,
        identifier: &Identifier,
        _specs: &[PartitionSpec],
        _ignore_existing: bool,
    ) -> Result<CreatedPartitions> {
        UnsupportedSnafu {
            what: format!("registering partitions of table {identifier}"),
            reason: "the partitions of this catalog's tables are their directories",
            instead: "write rows into the partition",
        }
        .fail()
    }
}

/// Refuses a schema of another kind of table, naming the kind.
pub(crate) fn check_type(table: &str, schema: &TableSchema) -> Result<()> {
    if is_format_table(&schema.options) {
        return Ok(());
    }
    WrongTableTypeSnafu {
        table,
        table_type: table_type(&schema.options),
    }
    .fail()
}

/// Whether options are those of a format table.
pub(crate) fn is_format_table(options: &Options) -> bool {
    table_type(options).eq_ignore_ascii_case(TableType::FormatTable.name())
}

/// The type as stored; a table with snapshots where nothing is said.
fn table_type(options: &Options) -> &str {
    options
        .get_raw(TYPE.name())
        .unwrap_or(TableType::Table.name())
}

/// The store of a location, configured by the options of the catalog.
pub(crate) fn open_store(location: &Location, options: &Options) -> Result<Arc<dyn FileSystem>> {
    open_file_system(location, options).context(not_opened(location))
}

/// The store of a location, whose credentials `later` replaces.
#[cfg(feature = "rest")]
pub(crate) fn open_vended_store(
    location: &Location,
    options: &Options,
    later: Arc<dyn CredentialSource>,
) -> Result<Arc<dyn FileSystem>> {
    open_vended_file_system(location, options, later).context(not_opened(location))
}

fn not_opened(location: &Location) -> StorageSnafu<&'static str, String> {
    StorageSnafu {
        action: "open the store of",
        path: location.to_string(),
    }
}

/// Refuses what a format table has none of: system tables, and every branch but `main`.
pub(crate) fn check_readable(identifier: &Identifier) -> Result<()> {
    check_no_system_table(identifier)?;
    match identifier.branch() {
        None => Ok(()),
        Some(branch) if branch.eq_ignore_ascii_case(MAIN_BRANCH) => Ok(()),
        Some(branch) => UnsupportedSnafu {
            what: format!("branch '{branch}' of table {identifier}"),
            reason: "a format table has no branches",
            instead: "name the table without a branch",
        }
        .fail(),
    }
}

/// Refuses an identifier that is not just the name of a table, `main` branch included.
pub(crate) fn check_plain(identifier: &Identifier, action: &str) -> Result<()> {
    check_no_system_table(identifier)?;
    match identifier.branch() {
        None => Ok(()),
        Some(branch) => UnsupportedSnafu {
            what: format!("{action} {identifier}"),
            reason: format!("the name carries the branch '{branch}'"),
            instead: "name the table without a branch",
        }
        .fail(),
    }
}

fn check_no_system_table(identifier: &Identifier) -> Result<()> {
    match identifier.system_table() {
        None => Ok(()),
        Some(name) => UnsupportedSnafu {
            what: format!("system table '{name}' of {identifier}"),
            reason: "a format table has no system tables",
            instead: "name the table without '$'",
        }
        .fail(),
    }
}

/// Whether the whole of `name` matches `pattern`, in which `%` stands for any text.
pub(crate) fn matches_pattern(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('%') else {
        return pattern == name;
    };
    let Some(mut remaining) = name.strip_prefix(head) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('%').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        // The leftmost match leaves most for the parts that follow.
        let Some(at) = remaining.find(part) else {
            return false;
        };
        remaining = remaining.get(at + part.len()..).unwrap_or_default();
    }
    remaining.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A catalog that has no more than what the trait asks of every one.
    #[derive(Debug)]
    struct Minimal {
        options: Options,
        schema: TableSchema,
    }

    #[async_trait]
    impl Catalog for Minimal {
        fn options(&self) -> &Options {
            &self.options
        }
        async fn list_databases(&self) -> Result<Vec<String>> {
            Ok(vec!["d".to_owned()])
        }
        async fn get_database(&self, name: &str) -> Result<Database> {
            crate::error::DatabaseNotFoundSnafu { database: name }.fail()
        }
        async fn create_database_with(&self, _: &str, _: &Options, _: bool) -> Result<()> {
            Ok(())
        }
        async fn drop_database(&self, _: &str, _: bool, _: bool) -> Result<()> {
            Ok(())
        }
        async fn list_tables(&self, _: &str) -> Result<Vec<String>> {
            Ok(vec!["gone".to_owned(), "t".to_owned()])
        }
        async fn get_table_schema(&self, identifier: &Identifier) -> Result<TableSchema> {
            match identifier.table() {
                "gone" => crate::error::TableNotFoundSnafu {
                    table: identifier.to_string(),
                }
                .fail(),
                _ => Ok(self.schema.clone()),
            }
        }
        async fn get_table_location(&self, _: &Identifier) -> Result<Location> {
            Ok("memory://minimal/t".parse().unwrap())
        }
        async fn create_table_at(
            &self,
            _: &Identifier,
            _: &Schema,
            _: Option<Location>,
            _: bool,
        ) -> Result<()> {
            Ok(())
        }
        async fn drop_table(&self, _: &Identifier, _: bool) -> Result<()> {
            Ok(())
        }
        async fn rename_table(&self, _: &Identifier, _: &Identifier, _: bool) -> Result<()> {
            Ok(())
        }
    }

    fn minimal(table_type: &str) -> Arc<dyn Catalog> {
        let schema = Schema::builder()
            .column("id", "INT")
            .unwrap()
            .option("type", table_type)
            .build()
            .unwrap();
        Arc::new(Minimal {
            options: Options::new(),
            schema: TableSchema::new(0, &schema, 1),
        })
    }

    #[tokio::test]
    async fn a_catalog_without_a_loader_serves_tables_by_schema_and_location() {
        let identifier = Identifier::new("d", "t").unwrap();
        let catalog = minimal("Format-Table");
        let table = catalog.get_table(&identifier).await.unwrap();
        assert_eq!(table.identifier, Some(identifier.clone()));
        assert_eq!(table.location.path(), "/t");
        assert_eq!(
            table.schema.options.get_raw("path"),
            Some("memory://minimal/t")
        );
        assert!(!table.metadata_under_location);
        assert!(table.partition_registry.is_none());
        let error = minimal("lance-table")
            .get_table(&identifier)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(
            error.to_string().contains("d.t has type 'lance-table'"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_table_dropped_while_details_are_listed_is_left_out() {
        let details = minimal("format-table")
            .list_table_details("d", None)
            .await
            .unwrap();
        assert_eq!(details.len(), 1);
        assert_eq!(details[0].identifier, Identifier::new("d", "t").unwrap());
    }

    #[test]
    fn percent_stands_for_any_text_and_underscore_for_itself() {
        for (pattern, name, matches) in [
            ("", "", true),
            ("", "t", false),
            ("t", "t", true),
            ("t", "t1", false),
            ("t%", "t", true),
            ("t%", "t1", true),
            ("t%", "s1", false),
            ("%1", "t1", true),
            ("%1", "t12", false),
            ("%", "anything", true),
            ("a%b%c", "abc", true),
            ("a%b%c", "a-b-b-c", true),
            ("a%b%c", "acb", false),
            ("a%a", "a", false),
            ("t_1", "t_1", true),
            ("t_1", "tx1", false),
            ("日%", "日志", true),
        ] {
            assert_eq!(
                matches_pattern(pattern, name),
                matches,
                "{pattern} on {name}"
            );
        }
    }
}
