//! A schema for a directory that has none: partition keys, format and columns from what lies there.
//!
//! | question | answer |
//! | --- | --- |
//! | partition keys | the keys of directories named `key=value`, the same in every branch, or those the caller gives for directories named by values alone |
//! | their types | INT, BIGINT or DATE where every value is spelled as that type is, else STRING |
//! | NULL | the marker of Paimon or that of Hive, whichever occurs |
//! | format | the extension of the files, else the magic bytes of those that are looked at |
//! | columns | the schemas of a sample of files or of all, merged by name; all of them nullable |
//!
//! What can be read in two ways is refused, naming both: keys that differ, files beside partitions, two formats, two
//! types without a common one. The directories are all looked at, so that no value is met later that the proposed
//! type does not have.

mod files;
mod format;
mod layout;
mod values;

use std::sync::Arc;

use ftable_core::options::keys::{
    FILE_FORMAT, FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE, PARTITION, PARTITION_DEFAULT_NAME,
    PARTITION_LEGACY_NAME,
};
use ftable_core::{DataField, DataType, ErrorKind, Options, Schema, TypeKind};
use ftable_formats::{FileFormat, MergedFields, file_format};
use ftable_io::path::join;
use ftable_io::{FileSystem, Location, open_file_system};
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use crate::error::{
    CoreSnafu, FormatSnafu, IoSnafu, NotInferredSnafu, NothingToInferSnafu, Result,
    SchemaThereSnafu, UnusableSnafu,
};
use crate::format_table::FormatTable;
use files::SampledFile;
use layout::Layout;

/// Files whose schemas are looked at unless told otherwise.
const DEFAULT_SAMPLE: usize = 16;
/// Files that are looked at side by side.
const CONCURRENT_FILES: usize = 8;

/// How the schema of a directory is inferred.
#[derive(Debug, Clone)]
pub struct InferOptions {
    /// How many files are looked at: the first, the last and as many between them, evenly spaced. `None` is all.
    pub sample: Option<usize>,
    /// The partition keys in the order of the directories, for directories that are named by values alone. Where
    /// they are named `key=value`, these have to be the keys that are found.
    pub partition_keys: Vec<String>,
    /// Options of the table. They are part of the schema, and those that say what lies on disk are believed:
    /// `file.format`, `partition.default-name`, `format-table.partition-path-only-value`, `partition`.
    pub options: Options,
}

impl Default for InferOptions {
    /// A sample of 16 files, nothing else given.
    fn default() -> Self {
        Self {
            sample: Some(DEFAULT_SAMPLE),
            partition_keys: Vec::new(),
            options: Options::default(),
        }
    }
}

/// What was inferred.
#[derive(Debug, Clone)]
pub struct Inferred {
    /// Columns, partition keys and options, ready to open or create a table with.
    pub schema: Schema,
    /// The data files that lie there.
    pub files: u64,
    /// Those among them whose schemas were looked at. Where it is fewer, the others may have more columns.
    pub files_read: u64,
    /// A directory with data whose name is no partition: the rows of its files are read, the name is not.
    pub plain_directory: Option<String>,
}

impl FormatTable {
    /// The table that a directory without a schema is: its partition keys, format and columns are inferred from a
    /// sample of its files, as [`infer_schema`] does.
    ///
    /// ```no_run
    /// # async fn example() -> ftable_table::Result<()> {
    /// use ftable_core::Options;
    /// let table = ftable_table::FormatTable::infer("/lake/events", Options::default()).await?;
    /// println!("{:?} by {:?}", table.fields(), table.partition_keys());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`infer_schema`]; a schema that cannot be served.
    pub async fn infer(location: &str, options: Options) -> Result<Self> {
        let request = InferOptions {
            options,
            ..InferOptions::default()
        };
        let inferred = infer_schema(location, None, &request).await?;
        Self::builder(location)?
            .schema(inferred.schema)
            .open()
            .await
    }
}

/// Proposes a schema for a directory that has none; the store is chosen by the location's scheme unless it is given.
///
/// Partition columns come last, in the order of the directories, except where the files hold them too: there they
/// stand where the files have them, and their values are those of the directories all the same.
///
/// # Errors
/// `NotFound` for a location that does not exist or has no data files; `AlreadyExists` for one under which a schema
/// lies; `InvalidSchema` where directories or files contradict each other; what is wrong with a file, by its name.
pub async fn infer_schema(
    location: &str,
    file_system: Option<Arc<dyn FileSystem>>,
    request: &InferOptions,
) -> Result<Inferred> {
    let parsed: Location = location.parse().context(IoSnafu { table: location })?;
    let table = parsed.to_string();
    let file_system = match file_system {
        Some(file_system) => file_system,
        None => open_file_system(&parsed, &request.options).context(IoSnafu { table: &table })?,
    };
    if request.sample == Some(0) {
        let message = "a sample of no files tells nothing; look at one at least";
        return UnusableSnafu { table, message }.fail();
    }
    let place = Place {
        table,
        root: parsed.path().to_owned(),
        file_system,
    };
    place.require_bare_directory(&parsed).await?;
    place.infer(request).await
}

/// A directory to be looked at.
struct Place {
    table: String,
    root: String,
    file_system: Arc<dyn FileSystem>,
}

impl Place {
    fn contradiction<T>(&self, message: impl Into<String>) -> Result<T> {
        NotInferredSnafu {
            table: &self.table,
            message,
        }
        .fail()
    }

    fn nothing<T>(&self, message: &str) -> Result<T> {
        NothingToInferSnafu {
            table: &self.table,
            message,
        }
        .fail()
    }

    fn full(&self, relative: &str) -> String {
        match relative.is_empty() {
            true => self.root.clone(),
            false => join(&self.root, relative),
        }
    }

    /// Refuses what is no directory, and one whose schema is known.
    async fn require_bare_directory(&self, location: &Location) -> Result<()> {
        let found = self.file_system.stat(&self.root).await;
        match found.context(IoSnafu { table: &self.table })? {
            None => return self.nothing("it does not exist"),
            Some(found) if found.is_file() => {
                return self.contradiction("it is a file; name the directory it lies in");
            }
            Some(_) => {}
        }
        let kept =
            ftable_catalog::load_table_at(location.clone(), Arc::clone(&self.file_system)).await;
        match kept {
            Ok(_) => SchemaThereSnafu { table: &self.table }.fail(),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn infer(&self, request: &InferOptions) -> Result<Inferred> {
        let mut options = request.options.clone();
        let given = given_keys(request, &mut options);
        let found = Layout::new(self, &options, request.sample)?
            .find(&given)
            .await?;
        if found.files.total == 0 {
            return self.nothing(
                "no data file lies under it; give its columns and partition keys as a schema",
            );
        }
        let files = found.files.sample();
        let kind = format::choose(self, &options, &found.files, &files).await?;
        let format = file_format(kind);
        options.set(FILE_FORMAT.name(), kind.name());
        if found.value_only {
            options.set(FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE.name(), "true");
        }
        if let Some(marker) = found.values.null_marker(self, &options)? {
            options.set(PARTITION_DEFAULT_NAME.name(), marker);
        }
        let types = found.values.types();
        // By default a DATE is spelled as a number of days: new directories have to look like those that are there.
        if types.contains(&TypeKind::Date) && !options.contains(PARTITION_LEGACY_NAME.name()) {
            options.set(PARTITION_LEGACY_NAME.name(), "false");
        }
        let keys: Vec<(String, DataType)> = found
            .keys
            .into_iter()
            .zip(types.into_iter().map(DataType::from))
            .collect();
        let fields = self.fields(&format, &files, &keys).await?;
        let schema = Schema::builder()
            .fields(fields)
            .partition_by(keys.into_iter().map(|(key, _)| key))
            .options(
                options
                    .iter()
                    .map(|(key, value)| (key.clone(), value.clone())),
            )
            .build()
            .context(CoreSnafu { table: &self.table })?;
        Ok(Inferred {
            schema,
            files: found.files.total,
            files_read: files.len() as u64,
            plain_directory: found.plain_directory,
        })
    }

    /// The columns of the files, then the partition columns that none of them holds.
    async fn fields(
        &self,
        format: &Arc<dyn FileFormat>,
        files: &[SampledFile],
        keys: &[(String, DataType)],
    ) -> Result<Vec<DataField>> {
        let names: Vec<String> = keys.iter().map(|(key, _)| key.clone()).collect();
        let mut merged = MergedFields::new(&names);
        let mut schemas = stream::iter(files)
            .map(|file| async move {
                let path = self.full(&file.path);
                let opened = self.file_system.open(&path, Some(file.size)).await;
                let opened = opened.context(IoSnafu { table: &self.table })?;
                let fields = format.file_fields(opened).await;
                fields.context(FormatSnafu { table: &self.table })
            })
            .buffered(CONCURRENT_FILES);
        while let Some(fields) = schemas.try_next().await? {
            merged
                .add(&fields)
                .context(FormatSnafu { table: &self.table })?;
        }
        let merged = merged
            .finish()
            .context(FormatSnafu { table: &self.table })?;
        let of_key = |name: &str| keys.iter().find(|(key, _)| key == name);
        let mut fields = Vec::with_capacity(merged.len() + keys.len());
        for (name, data_type) in merged {
            // Without a type it is a partition column.
            let key_type = || of_key(&name).map(|(_, data_type)| data_type.clone());
            if let Some(data_type) = data_type.or_else(key_type) {
                fields.push(DataField::new(-1, name, data_type));
            }
        }
        for (key, data_type) in keys {
            if !fields.iter().any(|field| field.name == *key) {
                fields.push(DataField::new(-1, key, data_type.clone()));
            }
        }
        if fields.is_empty() {
            return self.nothing(
                "the files looked at have no columns; give its columns and partition keys as a schema",
            );
        }
        Ok(fields)
    }
}

/// The partition keys that the caller gives, as such or as the option that stands for them.
fn given_keys(request: &InferOptions, options: &mut Options) -> Vec<String> {
    let list = options.remove(PARTITION.name()).unwrap_or_default();
    if !request.partition_keys.is_empty() {
        return request.partition_keys.clone();
    }
    let names = list.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}
