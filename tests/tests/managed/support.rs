//! A table on a disk or in a store of keys, its registry, and both of them failing on command.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use bytes::Bytes;
use ftable::{CommitMessage, FileSystem, FormatTable, Predicate, Result, Schema};
use ftable_catalog::{LoadedTable, PartitionSpec, PartitionStatistics};
use ftable_core::{FormatTableOptions, Options, PartitionCodec, TableSchema};
use ftable_table::RepairOptions;
use ftable_testkit::faulty::FaultyFileSystem;
use ftable_testkit::registry::{MemoryRegistry, RegistryCall};
use futures::TryStreamExt;
use tempfile::TempDir;

use crate::common::{Ground, batch, lines, schema, stage};

pub(crate) const MANAGED: (&str, &str) = ("metastore.partitioned-table", "true");
/// Columns with the keys `p` and `q`.
pub(crate) const ID_P_Q: &str = "id BIGINT, p STRING, q STRING";

/// A row of [`ID_P_Q`].
pub(crate) type Row = (i64, &'static str, &'static str);

pub(crate) struct Managed {
    _directory: TempDir,
    root: String,
    store: Arc<dyn FileSystem>,
    pub(crate) files: FaultyFileSystem,
    pub(crate) registry: MemoryRegistry,
    pub(crate) table: FormatTable,
    pub(crate) schema: Schema,
}

impl Managed {
    pub(crate) fn new(columns: &str, keys: &[&str], options: &[(&str, &str)]) -> Self {
        Self::on(columns, keys, options, true)
    }

    /// A table by `p` and `q`, on a disk or in a store that keeps keys.
    pub(crate) fn by_p_q(on_disk: bool) -> Self {
        Self::on(ID_P_Q, &["p", "q"], &[], on_disk)
    }

    fn on(columns: &str, keys: &[&str], options: &[(&str, &str)], on_disk: bool) -> Self {
        let Ground {
            directory,
            location,
            root,
            store,
        } = Ground::new(on_disk);
        let schema = schema(columns, keys, &[&[MANAGED], options].concat());
        let registry = registry_of(&schema);
        let files = FaultyFileSystem::over(Arc::clone(&store));
        let table = open(&location, &schema, Arc::new(files.clone()), &registry).unwrap();
        Self {
            _directory: directory,
            root,
            store,
            files,
            registry,
            table,
            schema,
        }
    }

    /// Takes all faults away, and empties what was recorded.
    pub(crate) fn heal(&self) {
        self.files.heal();
        self.files.reset_counters();
        self.registry.heal();
    }

    /// Puts a file of others into the table's directory.
    pub(crate) async fn put(&self, path: &str, content: &[u8]) {
        let path = format!("{}/{path}", self.root);
        if self.store.capabilities().local {
            let parent = path.rsplit_once('/').unwrap().0;
            std::fs::create_dir_all(parent).unwrap();
        }
        let content = Bytes::copy_from_slice(content);
        assert!(self.store.create_whole(&path, content).await.unwrap());
    }

    pub(crate) async fn make_directory(&self, path: &str) {
        let path = format!("{}/{path}", self.root);
        self.store.create_dir(&path).await.unwrap();
    }

    pub(crate) async fn remove(&self, path: &str) {
        let path = format!("{}/{path}", self.root);
        self.store.delete_tree(&path).await.unwrap();
    }

    /// The files that a reader of directories sees, sorted.
    pub(crate) async fn data_files(&self) -> Vec<String> {
        let listed = ftable_io::data_files::list_data_files(&*self.store, &self.root, &[]).await;
        let relative = |path: &str| path[self.root.len() + 1..].to_owned();
        let mut files: Vec<_> = listed
            .unwrap()
            .iter()
            .map(|file| relative(&file.path))
            .collect();
        files.sort();
        files
    }

    /// The directories of [`data_files`](Self::data_files), each once.
    pub(crate) async fn directories(&self) -> Vec<String> {
        let files = self.data_files().await;
        let mut found: Vec<_> = files
            .iter()
            .map(|file| file.rsplit_once('/').unwrap().0.to_owned())
            .collect();
        found.dedup();
        found
    }

    pub(crate) async fn exists(&self, path: &str) -> bool {
        let path = format!("{}/{path}", self.root);
        self.store.stat(&path).await.unwrap().is_some()
    }

    /// Bytes of the data files directly in a partition's directory.
    pub(crate) async fn bytes_in(&self, partition: &str) -> i64 {
        let path = format!("{}/{partition}", self.root);
        let listed = self.store.list(&path).await.unwrap();
        let files = listed.iter().filter(|entry| entry.is_file());
        files.map(|file| file.size as i64).sum()
    }

    pub(crate) async fn rows(&self) -> Vec<String> {
        rows(&self.table).await.unwrap()
    }

    /// Whether nothing of a commit is left.
    pub(crate) async fn is_clean(&self) -> bool {
        !self.exists("_ftable").await
    }

    pub(crate) async fn repair(&self) -> ftable_table::RepairReport {
        self.table.repair(&now()).await.unwrap()
    }
}

pub(crate) fn now() -> RepairOptions {
    RepairOptions {
        now: true,
        ..RepairOptions::default()
    }
}

pub(crate) fn registry_of(schema: &Schema) -> MemoryRegistry {
    let options = FormatTableOptions::resolve(&schema.options).unwrap();
    let table = TableSchema::new(0, schema, 0);
    let keys = table.partition_fields().into_iter().cloned().collect();
    MemoryRegistry::new(PartitionCodec::new(keys, &options).unwrap())
}

/// A table as a catalog with a registry hands it out.
pub(crate) fn open(
    location: &str,
    schema: &Schema,
    files: Arc<dyn FileSystem>,
    registry: &MemoryRegistry,
) -> Result<FormatTable> {
    let table = TableSchema::new(0, schema, 0);
    let loaded = LoadedTable::unnamed(location.parse().unwrap(), table, files).unwrap();
    FormatTable::new(loaded.with_partition_registry(Arc::new(registry.clone())))
}

pub(crate) fn spec(values: &[(&str, &str)]) -> PartitionSpec {
    values
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

pub(crate) fn p_q(p: &str, q: &str) -> PartitionSpec {
    spec(&[("p", p), ("q", q)])
}

/// Numbers of a partition; the time is that of the call they were found in.
pub(crate) fn numbers(
    spec: &[(String, String)],
    counts: (i64, i64, i64),
    time: i64,
) -> PartitionStatistics {
    PartitionStatistics {
        spec: spec.to_vec(),
        record_count: counts.0,
        file_size_in_bytes: counts.1,
        file_count: counts.2,
        last_file_creation_millis: time,
        total_buckets: -1,
    }
}

/// What a call that registers says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Created {
    pub(crate) specs: Vec<PartitionSpec>,
    pub(crate) ignore_existing: bool,
    pub(crate) statistics: Vec<PartitionStatistics>,
    pub(crate) replace: bool,
}

/// The one change that a registry was asked for, which is to register.
#[track_caller]
pub(crate) fn only_create(registry: &MemoryRegistry) -> Created {
    let changes = registry.changes();
    let [
        RegistryCall::Create {
            specs,
            ignore_existing,
            statistics,
            replace,
        },
    ] = changes.as_slice()
    else {
        panic!("{changes:?}");
    };
    Created {
        specs: specs.clone(),
        ignore_existing: *ignore_existing,
        statistics: statistics.clone(),
        replace: *replace,
    }
}

pub(crate) fn rows_batch(rows: &[Row]) -> RecordBatch {
    let ids: Int64Array = rows.iter().map(|row| Some(row.0)).collect();
    let p: StringArray = rows.iter().map(|row| Some(row.1)).collect();
    let q: StringArray = rows.iter().map(|row| Some(row.2)).collect();
    batch([
        ("id", Arc::new(ids)),
        ("p", Arc::new(p)),
        ("q", Arc::new(q)),
    ])
}

pub(crate) fn lines_of(rows: &[Row]) -> Vec<String> {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|(id, p, q)| format!("{id} {p:?} {q:?}"))
        .collect();
    lines.sort();
    lines
}

pub(crate) async fn staged(table: &FormatTable, rows: &[Row]) -> Vec<CommitMessage> {
    match rows {
        [] => Vec::new(),
        rows => stage(table, rows_batch(rows)).await.unwrap(),
    }
}

pub(crate) async fn append(table: &FormatTable, rows: &[Row]) {
    let messages = staged(table, rows).await;
    let mut commit = table.commit().build().unwrap();
    commit.commit(messages).await.unwrap();
}

/// Options of one call.
pub(crate) fn call(pairs: &[(&str, &str)]) -> Options {
    pairs.iter().copied().collect()
}

/// All rows of a table, sorted.
pub(crate) async fn rows(table: &FormatTable) -> Result<Vec<String>> {
    matching(table, None).await
}

/// The rows of a table that match, sorted.
pub(crate) async fn matching(
    table: &FormatTable,
    filter: Option<Predicate>,
) -> Result<Vec<String>> {
    let scan = table.scan();
    let scan = match filter {
        Some(filter) => scan.filter(filter),
        None => scan,
    };
    let plan = scan.build()?.plan().await?;
    let read = table.read().value_kind(false).build()?;
    let batches: Vec<RecordBatch> = read.stream(&plan)?.try_collect().await?;
    let mut found: Vec<String> = batches
        .iter()
        .flat_map(|batch| lines(table.fields(), batch))
        .collect();
    found.sort();
    Ok(found)
}

/// The numbers of what is registered, by the texts of the keys: rows, files.
pub(crate) fn counts(registry: &MemoryRegistry) -> BTreeMap<String, (i64, i64)> {
    let count = |(spec, own): (&PartitionSpec, &PartitionStatistics)| {
        let texts: Vec<&str> = spec.iter().map(|(_, text)| text.as_str()).collect();
        (texts.join("/"), (own.record_count, own.file_count))
    };
    registry.partitions().iter().map(count).collect()
}
