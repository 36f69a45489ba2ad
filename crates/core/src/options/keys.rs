//! One constant for each option key that a format table or a catalog knows.
//!
//! Keys that are not listed here have no effect and are kept as they are. [`ALL`] has every key in
//! the order of the documentation.

use std::time::Duration;

use super::format_kind::FileFormatKind;
use super::key::Status::{Honoured, NoEffect, Refused};
use super::key::{OptionInfo, OptionKey};
use super::value::{
    CommitSync, CsvMode, MapNullKeyMode, MemorySize, PartitionSinkStrategy, TableImplementation,
    TableType,
};

/// Prefix of catalog options whose rest becomes an option of every new table that does not set it.
pub const TABLE_DEFAULT_PREFIX: &str = "table-default.";

/// Prefix of options of a REST catalog whose rest is the name of a header of every request.
pub const HEADER_PREFIX: &str = "header.";

/// The branch every table has, and the only one of a format table.
pub const MAIN_BRANCH: &str = "main";

/// Prefixes of the options that are handed to the file formats, in the order of
/// [`FileFormatKind::ALL`].
pub const FORMAT_PREFIXES: [&str; 5] = ["parquet.", "orc.", "csv.", "json.", "text."];

const ENGINES_ONLY: &str = "it is for engines to act on";
const NO_LOCK: &str = "a schema file is created atomically without a lock";
const NO_FILE_CACHE: &str = "files are not cached";
const NO_CACHE: &str = "table metadata is not cached";
const NOT_WRITTEN: &str = "the writer has no such setting";
const NO_BLOOM: &str = "bloom filters are not written";

/// Defines the constants and the list of all of them, so that neither can miss a key.
macro_rules! option_keys {
    ($($doc:literal $name:ident: $type:ty = $key:literal $([$($fallback:literal),+])?
       $(= $default:literal)?, $status:expr;)+) => {
        $(
            #[doc = concat!("`", $key, "`: ", $doc, ".")]
            pub const $name: OptionKey<$type> = OptionKey::new(
                $key, &[$($($fallback),+)?], option_keys!(@default $($default)?), $status, $doc);
        )+

        /// Every key, in the order of the documentation.
        pub static ALL: &[OptionInfo] = &[$($name.info()),+];
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

option_keys! {
    // The table.
    "the kind of table; a format table has `format-table`, in any case"
    TYPE: TableType = "type" = "table", Honoured;
    "the location of the table; a filesystem catalog decides it itself"
    PATH: String = "path", Honoured;
    "the format of every data file: parquet, orc, csv, json or text"
    FILE_FORMAT: FileFormatKind = "file.format" = "parquet", Honoured;
    "partition columns as a comma list, in place of declaring them; the schema builder takes it out of the options"
    PARTITION: String = "partition", Honoured;
    "primary key columns"
    PRIMARY_KEY: String = "primary-key", Refused("a format table has no primary key");
    "the branch to use"
    BRANCH: String = "branch" = "main", Refused("a format table has the branch main and no other");
    "create the underlying storage when reading or writing"
    AUTO_CREATE: bool = "auto-create" = "false", Refused("a format table is created by its catalog");
    "whether the table library or the engine reads and writes the files; `engine` is refused where the catalog manages the partitions"
    FORMAT_TABLE_IMPLEMENTATION: TableImplementation = "format-table.implementation" = "paimon", NoEffect(ENGINES_ONLY);

    // Partitions.
    "name partition directories by the value alone instead of key=value"
    FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE: bool = "format-table.partition-path-only-value" = "false", Honoured;
    "the directory value that stands for NULL, the empty and the blank text"
    PARTITION_DEFAULT_NAME: String = "partition.default-name" = "__DEFAULT_PARTITION__", Honoured;
    "spell dates as day numbers and times as milliseconds in directory names; both spellings are read"
    PARTITION_LEGACY_NAME: bool = "partition.legacy-name" = "true", Honoured;
    "how an engine distributes rows to writers"
    PARTITION_SINK_STRATEGY: PartitionSinkStrategy = "partition.sink-strategy" = "none", NoEffect(ENGINES_ONLY);
    "an overwrite without a static partition replaces the partitions it writes to, not the whole table"
    DYNAMIC_PARTITION_OVERWRITE: bool = "dynamic-partition-overwrite" = "true", Honoured;
    "the catalog and not the directory tree says which partitions exist; refused on a table whose catalog does not manage partitions"
    METASTORE_PARTITIONED_TABLE: bool = "metastore.partitioned-table" = "false", Honoured;
    "thrift URI of a Hive metastore that committed partitions are added to"
    FORMAT_TABLE_COMMIT_HIVE_SYNC_URL: String = "format-table.commit-hive-sync-url",
        Refused("there is no Hive metastore client; add the partitions with Hive itself");

    // Compression and file names.
    "compression of data files; wins over the two keys below. Without any: snappy for parquet, zstd for orc, none for csv, json and text"
    FILE_COMPRESSION: String = "file.compression", Honoured;
    "compression of data files when `file.compression` is not set"
    FORMAT_TABLE_FILE_COMPRESSION: String = "format-table.file.compression", Honoured;
    "compression of data files when neither key above is set"
    COMPRESSION: String = "compression", Honoured;
    "zstd level, 1 to 22; the key of the format wins"
    FILE_COMPRESSION_ZSTD_LEVEL: i32 = "file.compression.zstd-level" = "1", Honoured;
    "put the compression into names of parquet and orc files: `.snappy.parquet`"
    FILE_SUFFIX_INCLUDE_COMPRESSION: bool = "file.suffix.include.compression" = "false", Honoured;
    "what names of data files begin with"
    DATA_FILE_PREFIX: String = "data-file.prefix" = "data-", Honoured;
    "a directory for data files below the location"
    DATA_FILE_PATH_DIRECTORY: String = "data-file.path-directory", NoEffect("data files lie below the location itself");

    // Writing.
    "size at which a writer starts a new file"
    TARGET_FILE_SIZE: MemorySize = "target-file-size" = "256 mb", Honoured;
    "rows at which a writer starts a new file"
    TARGET_FILE_ROW_NUM: i64 = "target-file-row-num" = "9223372036854775807", Honoured;
    "size of a parquet row group or an orc stripe; wins over the key of the format"
    FILE_BLOCK_SIZE: MemorySize = "file.block-size", Honoured;
    "rows a batch when writing"
    WRITE_BATCH_SIZE: i32 = "write.batch-size" ["orc.write.batch-size"] = "1024", Honoured;
    "files that one writer holds open at once; for one more the file that waited longest for rows is ended"
    FORMAT_TABLE_WRITE_MAX_OPEN_FILES: i32 = "format-table.write.max-open-files" = "128", Honoured;
    "memory for rows that wait to be encoded, over all partitions of one writer; beyond it the fullest partition is encoded"
    FORMAT_TABLE_WRITE_BUFFER_SIZE: MemorySize = "format-table.write.buffer-size" = "256 mb", Honoured;
    "when a commit makes what it did survive a power failure: `overwrite` before it deletes old rows, and an append leaves it to the operating system; `always` after an append too"
    FORMAT_TABLE_COMMIT_SYNC: CommitSync = "format-table.commit.sync" = "overwrite", Honoured;
    "memory a batch when writing orc"
    WRITE_BATCH_MEMORY: MemorySize = "write.batch-memory" = "128 mb", NoEffect("a batch ends by its rows");

    // Reading.
    "bytes a split aims at; larger csv and json files without compression are cut"
    SOURCE_SPLIT_TARGET_SIZE: MemorySize = "source.split.target-size" = "128 mb", Honoured;
    "least weight of a file when files are packed into splits"
    SOURCE_SPLIT_OPEN_FILE_COST: MemorySize = "source.split.open-file-cost" = "4 mb", Honoured;
    "rows a batch when reading"
    READ_BATCH_SIZE: i32 = "read.batch-size" = "1024", Honoured;
    "bytes of one line of a csv, json or text file, its end not counted, beyond which the file is refused; no more than 2 GiB are ever read"
    FORMAT_TABLE_READ_MAX_LINE_LENGTH: MemorySize = "format-table.read.max-line-length" = "64 mb", Honoured;
    "directories listed at once, between 1 and 1000"
    FORMAT_TABLE_SCAN_LIST_PARALLELISM: i32 = "format-table.scan.list-parallelism" = "64", Honoured;
    "skip what cannot be read of a corrupt file, with a warning"
    SCAN_IGNORE_CORRUPT_FILES: bool = "scan.ignore-corrupt-files" = "false", Honoured;
    "skip a file that is gone when it is opened, with a warning"
    SCAN_IGNORE_LOST_FILES: bool = "scan.ignore-lost-files" = "false", Honoured;

    // CSV.
    "the character between fields"
    CSV_FIELD_DELIMITER: String = "csv.field-delimiter" ["field-delimiter", "seq", "delimiter"] = ",", Honoured;
    "the text after each line; one of the three common line ends stands for all of them when reading"
    CSV_LINE_DELIMITER: String = "csv.line-delimiter" ["lineSep"] = "\n", Honoured;
    "the character around fields that need it; U+0000 for none"
    CSV_QUOTE_CHARACTER: String = "csv.quote-character" ["quote"] = "\"", Honoured;
    "the character before a quote inside a quoted field; U+0000 for none"
    CSV_ESCAPE_CHARACTER: String = "csv.escape-character" ["escape"] = "\\", Honoured;
    "files begin with a line of column names, which is written and skipped but not matched"
    CSV_INCLUDE_HEADER: bool = "csv.include-header" ["header"] = "false", Honoured;
    "the field text that stands for NULL"
    CSV_NULL_LITERAL: String = "csv.null-literal" ["nullvalue"] = "", Honoured;
    "what happens to a malformed line: permissive, dropmalformed or failfast"
    CSV_MODE: CsvMode = "csv.mode" ["mode"] = "permissive", Honoured;

    // JSON and text.
    "the text after each line"
    JSON_LINE_DELIMITER: String = "json.line-delimiter" = "\n", Honoured;
    "read what cannot be parsed as NULL and leave out broken lines"
    JSON_IGNORE_PARSE_ERRORS: bool = "json.ignore-parse-errors" = "false", Honoured;
    "what the writer does with a NULL map key: fail, drop or literal"
    JSON_MAP_NULL_KEY_MODE: MapNullKeyMode = "json.map-null-key-mode" = "fail", Honoured;
    "the key written for a NULL map key in mode literal"
    JSON_MAP_NULL_KEY_LITERAL: String = "json.map-null-key-literal" = "null", Honoured;
    "the text after each line"
    TEXT_LINE_DELIMITER: String = "text.line-delimiter" ["lineSep"] = "\n", Honoured;

    // Parquet.
    "compression inside parquet files; wins over the keys above but does not change file names"
    PARQUET_COMPRESSION: String = "parquet.compression", Honoured;
    "zstd level of parquet files, 1 to 22"
    PARQUET_COMPRESSION_CODEC_ZSTD_LEVEL: i32 = "parquet.compression.codec.zstd.level", Honoured;
    "bytes of a row group, when `file.block-size` is not set"
    PARQUET_BLOCK_SIZE: i64 = "parquet.block.size" = "134217728", Honoured;
    "bytes of a data page"
    PARQUET_PAGE_SIZE: i32 = "parquet.page.size" = "1048576", Honoured;
    "rows of a data page"
    PARQUET_PAGE_ROW_COUNT_LIMIT: i32 = "parquet.page.row.count.limit" = "20000", Honoured;
    "use dictionaries; with `#column` appended to the key, for one column"
    PARQUET_ENABLE_DICTIONARY: bool = "parquet.enable.dictionary" = "true", Honoured;
    "bytes of a dictionary page"
    PARQUET_DICTIONARY_PAGE_SIZE: i32 = "parquet.dictionary.page.size" = "1048576", Honoured;
    "PARQUET_1_0 or PARQUET_2_0"
    PARQUET_WRITER_VERSION: String = "parquet.writer.version" = "PARQUET_1_0", Honoured;
    "bytes kept of a minimum or maximum in the footer; unlimited when not set"
    PARQUET_STATISTICS_TRUNCATE_LENGTH: i32 = "parquet.statistics.truncate.length", Honoured;
    "bytes kept of a minimum or maximum in the column index"
    PARQUET_COLUMNINDEX_TRUNCATE_LENGTH: i32 = "parquet.columnindex.truncate.length" = "64", Honoured;
    "write bloom filters; with `#column` appended, for one column"
    PARQUET_BLOOM_FILTER_ENABLED: bool = "parquet.bloom.filter.enabled" = "false", NoEffect(NO_BLOOM);
    "bytes of padding before a row group"
    PARQUET_WRITER_MAX_PADDING: i32 = "parquet.writer.max-padding" = "8388608", NoEffect(NOT_WRITTEN);

    // ORC.
    "compression inside orc files; wins over the keys above but does not change file names"
    ORC_COMPRESS: String = "orc.compress", Honoured;
    "zstd level of orc files, 1 to 22"
    ORC_COMPRESSION_ZSTD_LEVEL: i32 = "orc.compression.zstd.level", Honoured;
    "bytes of a compression chunk"
    ORC_COMPRESS_SIZE: i32 = "orc.compress.size" = "262144", Honoured;
    "bytes of a stripe, when `file.block-size` is not set"
    ORC_STRIPE_SIZE: i64 = "orc.stripe.size" = "67108864", Honoured;
    "rows an entry of the row index; 0 writes none"
    ORC_ROW_INDEX_STRIDE: i32 = "orc.row.index.stride" = "10000", Honoured;
    "share of distinct values up to which a column gets a dictionary; 0 for never"
    ORC_DICTIONARY_KEY_THRESHOLD: f64 = "orc.dictionary.key.threshold" = "0.8", Honoured;
    "columns that never get a dictionary, as a comma list"
    ORC_COLUMN_ENCODING_DIRECT: String = "orc.column.encoding.direct", Honoured;
    "write TIMESTAMP WITH LOCAL TIME ZONE as ORC TIMESTAMP_INSTANT"
    ORC_TIMESTAMP_LTZ_LEGACY_TYPE: bool = "orc.timestamp-ltz.legacy.type" = "true", NoEffect("local-zone timestamps are written and read as the instants they are");
    "columns with a bloom filter, as a comma list"
    ORC_BLOOM_FILTER_COLUMNS: String = "orc.bloom.filter.columns", Honoured;
    "how often a bloom filter may say yes wrongly, between 0 and 1"
    ORC_BLOOM_FILTER_FPP: f64 = "orc.bloom.filter.fpp" = "0.01", Honoured;
    "pad stripes to blocks of the store"
    ORC_BLOCK_PADDING: bool = "orc.block.padding" = "true", NoEffect(NOT_WRITTEN);
    "match the columns of every orc file by position among the data columns, not by name; files whose columns are all named `_col0`, `_col1`, … are matched so without it"
    ORC_FORCE_POSITIONAL_EVOLUTION: bool = "orc.force.positional.evolution" = "false", Honoured;

    // The catalog.
    "the kind of catalog: filesystem or rest"
    METASTORE: String = "metastore" = "filesystem", Honoured;
    "the root directory of a filesystem catalog; the name of the instance in a REST catalog"
    WAREHOUSE: String = "warehouse", Honoured;
    "whether a catalog owns its tables"
    TABLE_TYPE: String = "table.type" = "managed", Refused("a filesystem catalog has managed tables only; leave the option out");
    "match column names exactly; partition directories always match exactly"
    CASE_SENSITIVE: bool = "case-sensitive" ["allow-upper-case"] = "true", NoEffect("names are matched exactly");
    "let a Hive catalog serve format tables"
    FORMAT_TABLE_ENABLED: bool = "format-table.enabled" = "true", NoEffect("it is read by Hive catalogs");
    "guard schema changes by a lock"
    LOCK_ENABLED: bool = "lock.enabled", NoEffect(NO_LOCK);
    "the kind of lock"
    LOCK_TYPE: String = "lock.type", NoEffect(NO_LOCK);
    "longest wait between attempts to lock"
    LOCK_CHECK_MAX_SLEEP: String = "lock-check-max-sleep" = "8s", NoEffect(NO_LOCK);
    "longest wait for a lock"
    LOCK_ACQUIRE_TIMEOUT: String = "lock-acquire-timeout" = "8min", NoEffect(NO_LOCK);
    "cache databases, tables and partitions"
    CACHE_ENABLED: bool = "cache-enabled" = "true", NoEffect(NO_CACHE);
    "how long an unused cache entry lives"
    CACHE_EXPIRE_AFTER_ACCESS: String = "cache.expire-after-access" = "10min", NoEffect(NO_CACHE);
    "how long a cache entry lives"
    CACHE_EXPIRE_AFTER_WRITE: String = "cache.expire-after-write" = "30min", NoEffect(NO_CACHE);
    "choose the store by the scheme of each path"
    RESOLVING_FILE_IO_ENABLED: bool = "resolving-file-io.enabled" = "false", NoEffect("the scheme of the location always chooses");
    "share storage clients"
    FILE_IO_ALLOW_CACHE: bool = "file-io.allow-cache" = "true", NoEffect("clients are always shared by authority");
    "where the server of a REST catalog answers: scheme, host, port and path"
    URI: String = "uri", Honoured;
    "how requests of a REST catalog are signed: bear, with option `token`, or dlf"
    TOKEN_PROVIDER: String = "token.provider", Honoured;
    "the bearer token of a REST catalog"
    TOKEN: String = "token", Honoured;
    "the first part of the paths of a REST catalog; the server names it"
    PREFIX: String = "prefix", Honoured;
    "read and write the files of a REST catalog's tables with credentials that the server gives for each table"
    DATA_TOKEN_ENABLED: bool = "data-token.enabled" = "false", Honoured;
    "longest wait for a connection to the server of a REST catalog"
    REST_CONNECT_TIMEOUT: Duration = "rest.client.connect-timeout" = "3 min", Honoured;
    "longest silence of the server of a REST catalog while it answers"
    REST_RESPONSE_TIMEOUT: Duration = "rest.client.response-timeout" = "3 min", Honoured;
    "how often a request to a REST catalog is sent again when that is safe"
    REST_MAX_RETRIES: i32 = "rest.client.max-retries" = "5", Honoured;
    "wait before a request to a REST catalog is sent again for the first time; doubled each time"
    REST_RETRY_DELAY: Duration = "rest.client.retry-delay" = "1 s", Honoured;
    "longest wait that the server of a REST catalog can ask for"
    REST_MAX_RETRY_AFTER: Duration = "rest.client.max-retry-after" = "3 min", Honoured;
    "id of the key that signs requests (token.provider dlf)"
    DLF_ACCESS_KEY_ID: String = "dlf.access-key-id", Honoured;
    "the key that signs requests (token.provider dlf)"
    DLF_ACCESS_KEY_SECRET: String = "dlf.access-key-secret", Honoured;
    "the token that goes with a temporary key (token.provider dlf)"
    DLF_SECURITY_TOKEN: String = "dlf.security-token", Honoured;
    "a file with the key that signs requests (token.provider dlf); read again before the key expires"
    DLF_TOKEN_PATH: String = "dlf.token-path", Honoured;
    "where the key comes from (token.provider dlf): local_file or ecs"
    DLF_TOKEN_LOADER: String = "dlf.token-loader", Honoured;
    "where an ECS instance tells its keys"
    DLF_TOKEN_ECS_METADATA_URL: String = "dlf.token-ecs-metadata-url" = "http://100.100.100.200/latest/meta-data/Ram/security-credentials/", Honoured;
    "the role of an ECS instance; asked for when it is not set"
    DLF_TOKEN_ECS_ROLE_NAME: String = "dlf.token-ecs-role-name", Honoured;
    "the region that signatures name (token.provider dlf); else read from `uri`"
    DLF_REGION: String = "dlf.region", Honoured;
    "how requests are signed (token.provider dlf): default, openapi or openapi-v4; else chosen by `uri`"
    DLF_SIGNING_ALGORITHM: String = "dlf.signing-algorithm", Honoured;
    "takes the place of the endpoint `fs.oss.endpoint` that comes with a table's credentials"
    DLF_OSS_ENDPOINT: String = "dlf.oss-endpoint", Honoured;
    "cache files near the reader"
    IO_CACHE_ENABLED: bool = "io-cache.enabled" = "false", NoEffect(NO_FILE_CACHE);
    "which files are cached"
    IO_CACHE_WHITELIST_PATH: String = "io-cache.whitelist-path" = "bucket,manifest,index", NoEffect(NO_FILE_CACHE);
    "how files are cached"
    IO_CACHE_POLICY: String = "io-cache.policy", NoEffect(NO_FILE_CACHE);
    "collect statistics while repairing a table in Spark"
    FORMAT_TABLE_REPAIR_COLLECT_STATISTICS: bool = "format-table.repair.collect-statistics" = "false", NoEffect(ENGINES_ONLY);
    "tasks that collect statistics in Spark"
    FORMAT_TABLE_STATISTICS_PARALLELISM: i32 = "format-table.statistics.parallelism" = "8", NoEffect(ENGINES_ONLY);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::{OptionValue, Options};
    use super::*;

    #[test]
    fn every_key_is_listed_once_and_documented() {
        let names: HashSet<_> = ALL.iter().map(|info| info.name).collect();
        assert_eq!(names.len(), ALL.len());
        for info in ALL {
            assert!(
                !info.doc.is_empty() && !info.doc.ends_with('.'),
                "{}",
                info.name
            );
            if let NoEffect(reason) | Refused(reason) = info.status {
                assert!(
                    !reason.is_empty() && !reason.ends_with('.'),
                    "{}",
                    info.name
                );
            }
        }
    }

    #[test]
    fn every_default_is_a_value_of_its_type() {
        fn check<T: OptionValue>(key: &OptionKey<T>) {
            assert!(
                key.default_text().is_none() || Options::new().get(key).is_ok(),
                "{}",
                key.name()
            );
        }
        let none = Options::new();
        assert_eq!(none.get(&TYPE).unwrap(), TableType::Table);
        assert_eq!(none.get(&FILE_FORMAT).unwrap(), FileFormatKind::Parquet);
        assert_eq!(none.get(&TARGET_FILE_SIZE).unwrap(), MemorySize(256 << 20));
        assert_eq!(none.get(&TARGET_FILE_ROW_NUM).unwrap(), i64::MAX);
        assert_eq!(
            none.get(&SOURCE_SPLIT_TARGET_SIZE).unwrap(),
            MemorySize(128 << 20)
        );
        assert_eq!(
            none.get(&SOURCE_SPLIT_OPEN_FILE_COST).unwrap(),
            MemorySize(4 << 20)
        );
        assert_eq!(none.get(&CSV_MODE).unwrap(), CsvMode::Permissive);
        assert_eq!(none.get(&ORC_DICTIONARY_KEY_THRESHOLD).unwrap(), 0.8);
        check(&FORMAT_TABLE_IMPLEMENTATION);
        check(&PARTITION_SINK_STRATEGY);
        check(&JSON_MAP_NULL_KEY_MODE);
        check(&FORMAT_TABLE_STATISTICS_PARALLELISM);
        for info in ALL {
            match (info.type_name, info.default) {
                ("boolean", Some(text)) => assert!(bool::parse(info.name, text).is_ok()),
                ("int", Some(text)) => assert!(i32::parse(info.name, text).is_ok()),
                ("long", Some(text)) => assert!(i64::parse(info.name, text).is_ok()),
                ("size", Some(text)) => assert!(MemorySize::parse(info.name, text).is_ok()),
                _ => {}
            }
        }
    }
}
