//! The handle of a format table.

use std::fmt;
use std::sync::Arc;

use ftable_catalog::{LoadedTable, PartitionRegistry};
use ftable_core::options::check_dynamic;
use ftable_core::schema::validate_open;
use ftable_core::{
    DataField, Datum, FileFormatKind, FormatTableOptions, Identifier, Options, PartitionCodec,
    Predicate, Schema, TableSchema,
};
use ftable_formats::{FileFormat, file_format};
use ftable_io::{FileSystem, Location, open_file_system};
use snafu::ResultExt;

use crate::commit::{RepairOptions, RepairReport, repair};
use crate::context::{CommitContext, PartitionContext, ReadContext, ScanContext, WriteContext};
use crate::error::{CoreSnafu, FormatSnafu, IoSnafu, RegistrySnafu, Result, UnusableSnafu};

/// Directories below the location that hold metadata, where a file system catalog keeps the table.
const METADATA_DIRECTORIES: [&str; 2] = ["schema", "branch"];

/// A directory of files of one format, read and written as a table.
///
/// A handle is cheap to clone and moves into tasks. It holds the schema as it was when the table was loaded.
///
/// ```no_run
/// # async fn example() -> ftable_table::Result<()> {
/// use ftable_core::Options;
/// let table = ftable_table::FormatTable::open("/warehouse/db.db/events", Options::default()).await?;
/// println!("{} by {:?}", table.format(), table.partition_keys());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FormatTable {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    loaded: LoadedTable,
    options: Arc<FormatTableOptions>,
    codec: PartitionCodec,
    format: Arc<dyn FileFormat>,
    fields: Arc<[DataField]>,
    data_fields: Arc<[DataField]>,
    /// For each column of the table its position among the partition keys.
    partition_positions: Vec<Option<usize>>,
}

impl FormatTable {
    /// The table that a catalog loaded.
    ///
    /// # Errors
    /// A schema or an option that cannot be served, by name: the checks of creation run again, as the table may have
    /// been made by others.
    pub fn new(loaded: LoadedTable) -> Result<Self> {
        let name = match &loaded.identifier {
            Some(identifier) => identifier.to_string(),
            None => loaded.location.to_string(),
        };
        let in_table = CoreSnafu { table: &name };
        let options = validate_open(&loaded.schema, &loaded.schema.options).context(in_table)?;
        let own = |fields: Vec<&DataField>| fields.into_iter().cloned().collect::<Vec<_>>();
        let keys = own(loaded.schema.partition_fields());
        let mut codec = PartitionCodec::new(keys, &options).context(CoreSnafu { table: &name })?;
        if loaded.metadata_under_location {
            codec = codec.with_reserved_first_names(&METADATA_DIRECTORIES);
        }
        let format = file_format(options.format);
        if loaded.partition_registry.is_none() {
            options
                .check_directories_decide()
                .context(CoreSnafu { table: &name })?;
        }
        let position = |field: &DataField| {
            loaded
                .schema
                .partition_keys
                .iter()
                .position(|key| *key == field.name)
        };
        let inner = Inner {
            partition_positions: loaded.schema.fields.iter().map(position).collect(),
            fields: loaded.schema.fields.clone().into(),
            data_fields: own(loaded.schema.data_fields()).into(),
            options: Arc::new(options),
            codec,
            format,
            name,
            loaded,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The table at a path whose schema lies under it, as a file system catalog keeps it.
    ///
    /// # Errors
    /// A location that cannot be read, one without a schema, a table of another type.
    pub async fn open(location: &str, options: Options) -> Result<Self> {
        Self::builder(location)?.options(options).open().await
    }

    /// A table at a path, to be given its schema or to read it from there.
    ///
    /// # Errors
    /// A text that is no location.
    pub fn builder(location: &str) -> Result<FormatTableBuilder> {
        let parsed: Location = location.parse().context(IoSnafu { table: location })?;
        Ok(FormatTableBuilder {
            location: parsed,
            schema: None,
            options: Options::default(),
            file_system: None,
        })
    }

    /// The same table with options of one call laid over its own. They win, except `type`.
    ///
    /// # Errors
    /// A value that cannot be honoured, or an option that cannot change from call to call, such as `path`.
    pub fn with_options(&self, options: &Options) -> Result<Self> {
        let stored = &self.inner.loaded.schema.options;
        check_dynamic(stored, options).context(self.core())?;
        let mut merged = options.merged_over(stored);
        if let Some(table_type) = stored.get_raw("type") {
            merged.set("type", table_type);
        }
        let mut loaded = self.inner.loaded.clone();
        loaded.schema.options = merged;
        Self::new(loaded)
    }

    /// Starts a scan: which files hold the rows that are wanted.
    pub fn scan(&self) -> ScanContext {
        ScanContext::new(self.clone())
    }

    /// Starts a read of planned files.
    pub fn read(&self) -> ReadContext {
        ReadContext::new(self.clone())
    }

    /// Starts a write.
    pub fn write(&self) -> WriteContext {
        WriteContext::new(self.clone())
    }

    /// Starts a commit of written files.
    pub fn commit(&self) -> CommitContext {
        CommitContext::new(self.clone())
    }

    /// Starts work on the partitions that the catalog has registered, where it manages them.
    pub fn partitions(&self) -> PartitionContext {
        PartitionContext::new(self.clone())
    }

    /// Whether the catalog and not the directory tree says which partitions exist.
    pub fn has_managed_partitions(&self) -> bool {
        self.registry().is_some()
    }

    /// The name it was loaded by; none for a table given as a path.
    pub fn identifier(&self) -> Option<&Identifier> {
        self.inner.loaded.identifier.as_ref()
    }

    /// Where the files lie.
    pub fn location(&self) -> &Location {
        &self.inner.loaded.location
    }

    /// The schema, its options merged with those the table was opened with.
    pub fn schema(&self) -> &TableSchema {
        &self.inner.loaded.schema
    }

    /// The columns in the table's order.
    pub fn fields(&self) -> &Arc<[DataField]> {
        &self.inner.fields
    }

    /// The partition keys in the order of the directories.
    pub fn partition_keys(&self) -> &[String] {
        &self.inner.loaded.schema.partition_keys
    }

    /// The format of the files.
    pub fn format(&self) -> FileFormatKind {
        self.inner.options.format
    }

    /// The options as they are honoured.
    pub fn options(&self) -> &FormatTableOptions {
        &self.inner.options
    }

    /// The values of a partition, by its directory relative to the table.
    ///
    /// # Errors
    /// A path that is no partition of this table.
    pub fn partition_values(&self, path: &str) -> Result<Vec<Option<Datum>>> {
        self.codec().parse_path(path).context(self.core())
    }

    pub(crate) fn name(&self) -> &str {
        &self.inner.name
    }

    /// What says which partitions exist; none where the directories do. An unpartitioned table has nothing to register.
    pub(crate) fn registry(&self) -> Option<&Arc<dyn PartitionRegistry>> {
        let is_managed =
            self.inner.options.catalog_managed_partitions && self.inner.codec.is_partitioned();
        self.inner
            .loaded
            .partition_registry
            .as_ref()
            .filter(|_| is_managed)
    }

    pub(crate) fn registry_error(&self, action: &'static str) -> RegistrySnafu<&str, &'static str> {
        RegistrySnafu {
            table: self.name(),
            action,
        }
    }

    pub(crate) fn core(&self) -> CoreSnafu<&str> {
        CoreSnafu { table: self.name() }
    }

    pub(crate) fn io(&self) -> IoSnafu<&str> {
        IoSnafu { table: self.name() }
    }

    pub(crate) fn format_error(&self) -> FormatSnafu<&str> {
        FormatSnafu { table: self.name() }
    }

    pub(crate) fn codec(&self) -> &PartitionCodec {
        &self.inner.codec
    }

    pub(crate) fn file_format(&self) -> &Arc<dyn FileFormat> {
        &self.inner.format
    }

    /// Whether ranges of a file of this name can be read apart.
    pub(crate) fn can_cut(&self, name: &str) -> bool {
        self.file_format().can_cut(name, self.options())
    }

    pub(crate) fn file_system(&self) -> &Arc<dyn FileSystem> {
        &self.inner.loaded.file_system
    }

    /// The location's path in its store.
    pub(crate) fn root(&self) -> &str {
        self.inner.loaded.location.path()
    }

    pub(crate) fn shared_options(&self) -> &Arc<FormatTableOptions> {
        &self.inner.options
    }

    pub(crate) fn data_fields(&self) -> &Arc<[DataField]> {
        &self.inner.data_fields
    }

    /// The position of a column among the partition keys; `None` for a data column.
    pub(crate) fn partition_position(&self, column: usize) -> Option<usize> {
        self.inner
            .partition_positions
            .get(column)
            .copied()
            .flatten()
    }

    /// Names directly below the location that are metadata, not data.
    pub(crate) fn protected_names(&self) -> &'static [&'static str] {
        if self.inner.loaded.metadata_under_location {
            &METADATA_DIRECTORIES
        } else {
            &[]
        }
    }

    /// Equality with the values of a partition, or of a prefix of one.
    pub(crate) fn partition_predicate(&self, spec: &[(String, String)]) -> Result<Predicate> {
        let values = self.codec().parse_filter(spec).context(self.core())?;
        let keys = self.codec().keys();
        let equal = values.into_iter().filter_map(|(level, value)| {
            let column = ftable_core::col(keys.get(level)?.name.as_str());
            Some(match value {
                Some(value) => column.eq(ftable_core::predicate::Literal::from(value)),
                None => column.is_null(),
            })
        });
        Ok(Predicate::And(equal.collect()))
    }

    /// The values of the first keys, from text: at least one, and none left out before the last.
    pub(crate) fn partition_prefix(&self, spec: &[(String, String)]) -> Result<Vec<Option<Datum>>> {
        let mut values = self.codec().parse_spec(spec).context(self.core())?;
        values.sort_unstable_by_key(|(level, _)| *level);
        let gap = values
            .iter()
            .enumerate()
            .any(|(position, (level, _))| position != *level);
        if values.is_empty() || gap {
            let keys = self.partition_keys().join(", ");
            let message = format!(
                "a partition is named by its first keys, without leaving one out; the keys are {keys}"
            );
            return UnusableSnafu {
                table: self.name(),
                message,
            }
            .fail();
        }
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }

    /// Finishes or undoes commits that a process left when it died, and removes staged files that were abandoned.
    ///
    /// What may still be under way is left alone, unless the options say otherwise.
    ///
    /// # Errors
    /// A failure of the store: run it again.
    pub async fn repair(&self, options: &RepairOptions) -> Result<RepairReport> {
        repair(self, options).await
    }

    /// The names of all columns, for error texts.
    pub(crate) fn known_columns(&self) -> String {
        self.fields()
            .iter()
            .map(|field| field.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl fmt::Debug for FormatTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormatTable")
            .field("name", &self.name())
            .field("format", &self.format())
            .field("partition_keys", &self.partition_keys())
            .finish_non_exhaustive()
    }
}

/// Opens a table that no catalog serves.
#[derive(Debug)]
pub struct FormatTableBuilder {
    location: Location,
    schema: Option<Schema>,
    options: Options,
    file_system: Option<Arc<dyn FileSystem>>,
}

impl FormatTableBuilder {
    /// The schema; without one it is read from under the path.
    ///
    /// With one, directories named `schema` and `branch` below the path are data.
    #[must_use]
    pub fn schema(mut self, schema: Schema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Options laid over those of the schema.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The store; without one it is chosen by the location's scheme.
    #[must_use]
    pub fn file_system(mut self, file_system: Arc<dyn FileSystem>) -> Self {
        self.file_system = Some(file_system);
        self
    }

    /// Opens the table.
    ///
    /// # Errors
    /// A scheme that no store serves, a path without a schema where none was given, a schema that cannot be served.
    pub async fn open(self) -> Result<FormatTable> {
        let Self {
            location,
            schema,
            options,
            file_system,
        } = self;
        let name = location.to_string();
        let file_system = match file_system {
            Some(file_system) => file_system,
            None => open_file_system(&location, &options).context(IoSnafu { table: &name })?,
        };
        let loaded = match schema {
            Some(schema) => {
                LoadedTable::unnamed(location, TableSchema::new(0, &schema, 0), file_system)?
            }
            None => ftable_catalog::load_table_at(location, file_system).await?,
        };
        let table = FormatTable::new(loaded)?;
        if options.is_empty() {
            Ok(table)
        } else {
            table.with_options(&options)
        }
    }
}
