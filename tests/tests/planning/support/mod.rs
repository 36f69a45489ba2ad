//! Tables laid out by hand on a local disk or in memory, and what a scan and a read say about them.

pub(crate) mod oracle;
pub(crate) mod rows;
pub(crate) mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use ftable::{ErrorKind, FileSystem, FormatTable, Plan, Predicate, Schema};
use ftable_core::types::parse_columns;
use ftable_core::{Datum, Options};
use ftable_io::{Location, open_file_system};
use futures::TryStreamExt;
use tempfile::TempDir;

/// A directory of a store in which a test lays out a table.
pub(crate) struct Store {
    pub(crate) file_system: Arc<dyn FileSystem>,
    /// The table's location, scheme included.
    pub(crate) location: String,
    /// Its path in the store.
    pub(crate) root: String,
    _directory: Option<TempDir>,
}

impl Store {
    /// A fresh directory of the local disk.
    pub(crate) fn local() -> Self {
        Self::local_at("t")
    }

    /// A path below a fresh directory of the local disk.
    pub(crate) fn local_at(path: &str) -> Self {
        let directory = scratch();
        let location = directory.path().join(path).to_str().unwrap().to_owned();
        Self {
            _directory: Some(directory),
            ..Self::open(location)
        }
    }

    /// A fresh store in memory, which keeps keys and no directories, as object stores do.
    pub(crate) fn memory() -> Self {
        Self::memory_at("t")
    }

    /// A path in a fresh store in memory.
    pub(crate) fn memory_at(path: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self::open(format!("memory://planning-{number}/{path}"))
    }

    /// One store of each kind.
    pub(crate) fn each() -> [Self; 2] {
        [Self::local(), Self::memory()]
    }

    /// One store of each kind, the table at this path.
    pub(crate) fn each_at(path: &str) -> [Self; 2] {
        [Self::local_at(path), Self::memory_at(path)]
    }

    fn open(location: String) -> Self {
        let parsed: Location = location.parse().unwrap();
        let file_system = open_file_system(&parsed, &Options::default()).unwrap();
        Self {
            file_system,
            root: parsed.path().to_owned(),
            location,
            _directory: None,
        }
    }

    /// The path of something in the table.
    pub(crate) fn path(&self, relative: &str) -> String {
        format!("{}/{relative}", self.root)
    }

    /// Writes a file.
    pub(crate) async fn put(&self, relative: &str, bytes: impl Into<Bytes>) {
        assert!(
            self.file_system
                .create_whole(&self.path(relative), bytes.into())
                .await
                .unwrap(),
            "{relative} twice"
        );
    }

    /// Writes a data file of one INT column `id`.
    pub(crate) async fn ids(&self, relative: &str, ids: &[i32]) {
        self.put(relative, rows::parquet_of_ids(ids)).await;
    }

    /// Writes data files with one row each, whose ids are 1, 2, 3 ….
    pub(crate) async fn numbered<'a>(&self, files: impl IntoIterator<Item = &'a str>) {
        for (index, file) in files.into_iter().enumerate() {
            self.ids(file, &[i32::try_from(index).unwrap() + 1]).await;
        }
    }

    /// Makes an empty directory.
    pub(crate) async fn directory(&self, relative: &str) {
        self.file_system
            .create_dir(&self.path(relative))
            .await
            .unwrap();
    }

    /// The table of these columns and keys.
    pub(crate) async fn table(&self, columns: &str, keys: &[&str]) -> FormatTable {
        self.table_with(columns, keys, &[]).await
    }

    /// The same with options.
    pub(crate) async fn table_with(
        &self,
        columns: &str,
        keys: &[&str],
        options: &[(&str, &str)],
    ) -> FormatTable {
        self.try_table(columns, keys, options).await.unwrap()
    }

    /// The same, or why it cannot be.
    pub(crate) async fn try_table(
        &self,
        columns: &str,
        keys: &[&str],
        options: &[(&str, &str)],
    ) -> ftable::Result<FormatTable> {
        let builder = FormatTable::builder(&self.location)
            .unwrap()
            .file_system(Arc::clone(&self.file_system));
        builder.schema(schema(columns, keys, options)).open().await
    }
}

/// A fresh directory, in memory where the system has a file system there: tables of many directories are made.
fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// A schema from column texts.
pub(crate) fn schema(columns: &str, keys: &[&str], options: &[(&str, &str)]) -> Schema {
    let mut builder = Schema::builder()
        .fields(parse_columns(columns).unwrap())
        .partition_by(keys.iter().copied());
    for (key, value) in options {
        builder = builder.option(*key, *value);
    }
    builder.build().unwrap()
}

/// No row.
pub(crate) const NO_IDS: [i32; 0] = [];

/// Makes directories be named by values alone.
pub(crate) const VALUE_ONLY: (&str, &str) = ("format-table.partition-path-only-value", "true");

pub(crate) async fn plan(table: &FormatTable, filter: impl Into<Option<Predicate>>) -> Plan {
    try_plan(table, filter).await.unwrap()
}

pub(crate) async fn try_plan(
    table: &FormatTable,
    filter: impl Into<Option<Predicate>>,
) -> ftable::Result<Plan> {
    let mut scan = table.scan();
    if let Some(filter) = filter.into() {
        scan = scan.filter(filter);
    }
    scan.build()?.plan().await
}

/// The files of a plan relative to the table, in the plan's order.
pub(crate) fn files(plan: &Plan) -> Vec<String> {
    plan.splits()
        .iter()
        .flat_map(|split| split.files().iter().map(|file| split.path_of(file)))
        .collect()
}

/// The values of a plan's rows, sorted by the first column.
pub(crate) async fn read(table: &FormatTable, plan: &Plan) -> Vec<rows::Row> {
    let reader = table.read().value_kind(false).build().unwrap();
    let batches = reader
        .stream(plan)
        .unwrap()
        .try_collect::<Vec<_>>()
        .await
        .unwrap();
    rows::sorted(rows::of_batches(table.fields(), &batches))
}

/// Plans with a filter and reads.
pub(crate) async fn select(
    table: &FormatTable,
    filter: impl Into<Option<Predicate>>,
) -> Vec<rows::Row> {
    read(table, &plan(table, filter).await).await
}

/// The ids of the rows that a filter keeps, and a check that counting them agrees.
pub(crate) async fn ids(table: &FormatTable, filter: impl Into<Option<Predicate>>) -> Vec<i32> {
    let plan = plan(table, filter).await;
    let found: Vec<i32> = read(table, &plan)
        .await
        .iter()
        .map(|row| rows::id(row))
        .collect();
    assert_eq!(
        table.read().build().unwrap().count(&plan).await.unwrap(),
        found.len() as u64
    );
    found
}

/// The rows of the whole table as text, `id|value|…`.
pub(crate) async fn shown(table: &FormatTable) -> Vec<String> {
    select(table, None)
        .await
        .iter()
        .map(|row| rows::show(row))
        .collect()
}

/// The directories of the partitions, sorted.
pub(crate) async fn partitions(
    table: &FormatTable,
    filter: impl Into<Option<Predicate>>,
) -> Vec<String> {
    let mut scan = table.scan();
    if let Some(filter) = filter.into() {
        scan = scan.filter(filter);
    }
    let entries = scan.build().unwrap().list_partitions().await.unwrap();
    entries.into_iter().map(|entry| entry.path).collect()
}

/// A spec as users write it.
pub(crate) fn spec(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

pub(crate) fn text(value: &str) -> Option<Datum> {
    Some(Datum::String(value.to_owned()))
}

pub(crate) fn int(value: i32) -> Option<Datum> {
    Some(Datum::Int(value))
}

/// Checks an error's kind and that its text and its causes' hold all of these.
pub(crate) fn assert_error(error: &ftable::Error, kind: ErrorKind, parts: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    for part in parts {
        assert!(message.contains(part), "'{part}' is missing in: {message}");
    }
}
