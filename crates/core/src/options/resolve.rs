//! What the options of a table come to.

use super::compression::{Compression, zstd_level};
use super::dynamic::is_main;
use super::format_kind::FileFormatKind;
use super::key::{OptionKey, Status};
use super::keys::*;
use super::map::Options;
use super::text_formats::check_text_format;
use super::value::{CommitSync, MemorySize, OptionValue, TableImplementation, invalid_option};
use crate::error::{Error, Result};

/// The options of a format table, read, validated and filled with defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatTableOptions {
    /// `file.format`: the format of every data file.
    pub format: FileFormatKind,
    /// `format-table.partition-path-only-value`: directories are named by the value alone.
    pub value_only_layout: bool,
    /// `partition.default-name`: the directory value of NULL.
    pub default_partition_name: String,
    /// `partition.legacy-name`: dates are spelled as day numbers, times as milliseconds.
    pub legacy_partition_name: bool,
    /// The codec of new files, in lower case, `parquet.compression` and `orc.compress` included.
    pub compression: String,
    /// What names of new files end with, the dot included: `.snappy.parquet`, `.csv.gz`.
    pub extension: String,
    /// `data-file.prefix`: what names of new files begin with.
    pub data_file_prefix: String,
    /// `target-file-size` in bytes, at least 1.
    pub target_file_size: u64,
    /// `target-file-row-num`, at least 1.
    pub target_file_row_num: u64,
    /// The zstd level, 1..=22 when the codec is zstd.
    pub zstd_level: i32,
    /// Bytes of a parquet row group or an orc stripe, if they are set.
    pub block_size: Option<u64>,
    /// `source.split.target-size` in bytes, at least 1.
    pub split_target_size: u64,
    /// `source.split.open-file-cost` in bytes.
    pub split_open_file_cost: u64,
    /// `read.batch-size` in rows, at least 1.
    pub read_batch_size: usize,
    /// `format-table.read.max-line-length` in bytes, at least 1.
    pub read_max_line_length: u64,
    /// `write.batch-size` in rows, at least 1.
    pub write_batch_size: usize,
    /// `format-table.write.max-open-files`, at least 1.
    pub write_max_open_files: usize,
    /// `format-table.write.buffer-size` in bytes.
    pub write_buffer_size: u64,
    /// `format-table.commit.sync`: which commits make durable what they did.
    pub commit_sync: CommitSync,
    /// `format-table.scan.list-parallelism`, 1..=1000.
    pub list_parallelism: usize,
    /// `metastore.partitioned-table`: the catalog says which partitions exist.
    /// [`FormatTableOptions::check_directories_decide`] refuses it where no catalog does.
    pub catalog_managed_partitions: bool,
    /// `dynamic-partition-overwrite`: an overwrite replaces the partitions it writes to.
    pub dynamic_partition_overwrite: bool,
    /// `scan.ignore-corrupt-files`.
    pub ignore_corrupt_files: bool,
    /// `scan.ignore-lost-files`.
    pub ignore_lost_files: bool,
    /// The options that begin with `parquet.`, `orc.`, `csv.`, `json.` or `text.`. Those of the table's
    /// format that were given under a fallback key are here under their own.
    pub format_options: Options,
}

impl FormatTableOptions {
    /// Reads the merged options of a table and of a call.
    ///
    /// `type` is not looked at: it is taken from the schema alone. `data-file.prefix` is not verified
    /// here, so that tables of others stay readable; [`FormatTableOptions::check_writable`] does.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for a value that means nothing, [`Error::Unsupported`] for one that a
    /// format table cannot honour; both name the key.
    pub fn resolve(options: &Options) -> Result<Self> {
        refuse(options)?;
        let format = options.get(&FILE_FORMAT)?;
        let compression = Compression::resolve(format, options)?;
        let format_options = format_options(format, options)?;
        check_text_format(format, &format_options)?;
        let value_only_layout = options.get(&FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE)?;
        Ok(Self {
            format,
            value_only_layout,
            default_partition_name: default_partition_name(options, value_only_layout)?,
            legacy_partition_name: options.get(&PARTITION_LEGACY_NAME)?,
            zstd_level: zstd_level(format, &compression.codec, options)?,
            compression: compression.codec,
            extension: compression.extension,
            data_file_prefix: options.get(&DATA_FILE_PREFIX)?,
            // A size of nothing rolls after every row, as does one byte.
            target_file_size: options.get(&TARGET_FILE_SIZE)?.0.max(1),
            target_file_row_num: positive(options, &TARGET_FILE_ROW_NUM)?,
            block_size: block_size(format, options)?,
            split_target_size: positive(options, &SOURCE_SPLIT_TARGET_SIZE)?,
            split_open_file_cost: options.get(&SOURCE_SPLIT_OPEN_FILE_COST)?.0,
            read_batch_size: count(options, &READ_BATCH_SIZE)?,
            read_max_line_length: positive(options, &FORMAT_TABLE_READ_MAX_LINE_LENGTH)?,
            write_batch_size: count(options, &WRITE_BATCH_SIZE)?,
            write_max_open_files: count(options, &FORMAT_TABLE_WRITE_MAX_OPEN_FILES)?,
            write_buffer_size: options.get(&FORMAT_TABLE_WRITE_BUFFER_SIZE)?.0,
            commit_sync: options.get(&FORMAT_TABLE_COMMIT_SYNC)?,
            // Paimon clamps it instead of refusing.
            list_parallelism: options
                .get(&FORMAT_TABLE_SCAN_LIST_PARALLELISM)?
                .clamp(1, 1000) as usize,
            catalog_managed_partitions: options.get(&METASTORE_PARTITIONED_TABLE)?,
            dynamic_partition_overwrite: options.get(&DYNAMIC_PARTITION_OVERWRITE)?,
            ignore_corrupt_files: options.get(&SCAN_IGNORE_CORRUPT_FILES)?,
            ignore_lost_files: options.get(&SCAN_IGNORE_LOST_FILES)?,
            format_options,
        })
    }

    /// Refuses `metastore.partitioned-table` for a table whose catalog does not manage partitions.
    ///
    /// Not a part of [`FormatTableOptions::resolve`], which does not know the catalog.
    ///
    /// # Errors
    /// [`Error::Unsupported`] that names the option.
    pub fn check_directories_decide(&self) -> Result<()> {
        match self.catalog_managed_partitions {
            false => Ok(()),
            true => Err(Error::Unsupported {
                what: format!("option '{}' = 'true'", METASTORE_PARTITIONED_TABLE.name()),
                reason: "it is set on a table whose catalog does not manage partitions".to_owned(),
                instead: "leave the option out: the directories say which partitions exist"
                    .to_owned(),
            }),
        }
    }

    /// Verifies what matters to writers alone: the names of new files must be visible and lie in the
    /// directory they are written to.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for `data-file.prefix`.
    pub fn check_writable(&self) -> Result<()> {
        let prefix = self.data_file_prefix.as_str();
        let refuse = |message: &str| Err(invalid_option(DATA_FILE_PREFIX.name(), prefix, message));
        if prefix.starts_with(['_', '.']) {
            return refuse(
                "names that begin with '_' or '.' are hidden from every reader; use another prefix",
            );
        }
        if prefix.contains(|c: char| c == '/' || c == '\\' || c.is_control()) {
            return refuse(
                "a prefix is part of a file name; leave '/', '\\' and control characters out",
            );
        }
        Ok(())
    }
}

/// Refuses what a format table cannot do, by the name of the option that asks for it.
fn refuse(options: &Options) -> Result<()> {
    let by_engine = options.get(&FORMAT_TABLE_IMPLEMENTATION)? == TableImplementation::Engine;
    if by_engine && options.get(&METASTORE_PARTITIONED_TABLE)? {
        return Err(Error::Unsupported {
            what: format!("option '{}' = 'engine'", FORMAT_TABLE_IMPLEMENTATION.name()),
            reason: "the catalog manages the table's partitions, and an engine that reads and writes the files \
                     itself does not ask it"
                .to_owned(),
            instead: "leave the option out".to_owned(),
        });
    }
    if options.get(&AUTO_CREATE)? {
        return Err(refused(&AUTO_CREATE, "true"));
    }
    if let Some(branch) = options.get_raw(BRANCH.name())
        && !is_main(branch)
    {
        return Err(refused(&BRANCH, branch));
    }
    for key in [&PRIMARY_KEY, &FORMAT_TABLE_COMMIT_HIVE_SYNC_URL] {
        if let Some(value) = options.get_raw(key.name()) {
            return Err(refused(key, value));
        }
    }
    Ok(())
}

fn refused<T>(key: &OptionKey<T>, value: &str) -> Error {
    let reason = match key.status() {
        Status::Refused(reason) | Status::NoEffect(reason) => reason,
        Status::Honoured => "a format table cannot honour it",
    };
    Error::Unsupported {
        what: format!("option '{}' = '{value}'", key.name()),
        reason: reason.to_owned(),
        instead: "leave the option out".to_owned(),
    }
}

fn default_partition_name(options: &Options, value_only_layout: bool) -> Result<String> {
    let name = options.get(&PARTITION_DEFAULT_NAME)?;
    let refuse = |message: &str| {
        Err(invalid_option(
            PARTITION_DEFAULT_NAME.name(),
            &name,
            message,
        ))
    };
    if name.chars().all(|c| c.is_whitespace() || c <= ' ') {
        return refuse("the name stands for NULL and must not be blank");
    }
    if matches!(name.as_str(), "." | "..") {
        return refuse("no directory can have this name; use another");
    }
    // The directory of NULL is exempt from hiding by its raw name only.
    let escaped = crate::partition::escape(&name).is_ok_and(|escaped| escaped != name);
    if value_only_layout && name.starts_with(['_', '.']) && escaped {
        return refuse(
            "in the value-only layout a name that begins with '_' or '.' must have no character that \
             is escaped, or its directory is hidden",
        );
    }
    Ok(name)
}

/// Values that count something, so that there must be at least one.
trait Count: OptionValue {
    fn count(&self) -> u64;
}

impl Count for i32 {
    fn count(&self) -> u64 {
        u64::try_from(*self).unwrap_or(0)
    }
}

impl Count for i64 {
    fn count(&self) -> u64 {
        u64::try_from(*self).unwrap_or(0)
    }
}

impl Count for MemorySize {
    fn count(&self) -> u64 {
        self.0
    }
}

fn positive<T: Count>(options: &Options, key: &OptionKey<T>) -> Result<u64> {
    match options.get(key)?.count() {
        0 => {
            let (name, text) = options.find(key).unwrap_or((key.name(), ""));
            Err(invalid_option(
                name,
                text,
                "the value must be greater than 0",
            ))
        }
        count => Ok(count),
    }
}

fn count(options: &Options, key: &OptionKey<i32>) -> Result<usize> {
    Ok(usize::try_from(positive(options, key)?).unwrap_or(usize::MAX))
}

fn block_size(format: FileFormatKind, options: &Options) -> Result<Option<u64>> {
    let own = match format {
        FileFormatKind::Parquet => &PARQUET_BLOCK_SIZE,
        FileFormatKind::Orc => &ORC_STRIPE_SIZE,
        _ => return Ok(None),
    };
    if options.contains(FILE_BLOCK_SIZE.name()) {
        return positive(options, &FILE_BLOCK_SIZE).map(Some);
    }
    options
        .contains(own.name())
        .then(|| positive(options, own))
        .transpose()
}

fn format_options(format: FileFormatKind, options: &Options) -> Result<Options> {
    let prefixed = |key: &str| {
        let lower = key.to_ascii_lowercase();
        FORMAT_PREFIXES
            .iter()
            .any(|prefix| lower.starts_with(prefix))
    };
    let mut found: Options = options.iter().filter(|(key, _)| prefixed(key)).collect();
    let own = format!("{}.", format.name());
    for info in ALL.iter().filter(|info| info.name.starts_with(&own)) {
        let fallback = info.fallback.iter().find_map(|name| options.get_raw(name));
        if let Some(text) = fallback.filter(|_| !found.contains(info.name)) {
            found.set(info.name, text);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
