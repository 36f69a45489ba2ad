//! A table in a directory of its own, what is written into it and what lies in it.

// Every test binary uses a part of this; what cannot be made fails the test that needs it.
#![allow(dead_code, clippy::panic, clippy::unwrap_used)]

pub(crate) mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_cast::display::array_value_to_string;
use ftable::{Catalog, CommitMessage, FileSystem, FormatTable, Options, Result, Schema};
use ftable_core::types::parse_columns;
use ftable_core::{DataField, Datum};
use ftable_io::{LocalFileSystem, OpendalFileSystem};
use ftable_table::{CommitReport, datum_at};
use ftable_testkit::faulty::FaultyFileSystem;
use ftable_testkit::rest_server::RestServer;
use futures::TryStreamExt;
use tempfile::TempDir;
use uuid::Uuid;

/// Columns that most tests get along with.
pub(crate) const ID_AND_P: &str = "id BIGINT, p STRING";

/// A local table whose store counts and fails on command.
pub(crate) struct Place {
    directory: TempDir,
    /// The store of `table`.
    pub(crate) files: FaultyFileSystem,
    /// The table over that store.
    pub(crate) table: FormatTable,
    /// The same table as others see it, over a store without faults.
    pub(crate) seen: FormatTable,
}

impl Place {
    pub(crate) async fn new(columns: &str, keys: &[&str], options: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let location = directory.path().join("t").to_str().unwrap().to_owned();
        let local: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
        let files = FaultyFileSystem::over(Arc::clone(&local));
        let schema = schema(columns, keys, options);
        let table = open(&location, &schema, Arc::new(files.clone())).await;
        let seen = open(&location, &schema, local).await;
        Self {
            directory,
            files,
            table,
            seen,
        }
    }

    /// The table's directory.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("t")
    }

    /// Its path as text.
    pub(crate) fn location(&self) -> String {
        self.root().to_str().unwrap().to_owned()
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    /// Puts a file of others into the table's directory.
    pub(crate) fn put(&self, relative: &str, content: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Everything in the table's directory, sorted; directories end with a slash.
    pub(crate) fn tree(&self) -> Vec<String> {
        tree(&self.root())
    }

    /// The files that readers see.
    pub(crate) fn data_files(&self) -> Vec<String> {
        let mut files = self.tree();
        let hidden = |part: &str| part.starts_with(['_', '.']);
        files.retain(|path| !path.ends_with('/') && !path.split('/').any(hidden));
        files
    }

    /// The files that wait for a commit.
    pub(crate) fn staged(&self) -> Vec<String> {
        let mut files = self.tree();
        files.retain(|path| format!("/{path}").contains("/_temporary/.tmp."));
        files
    }

    /// All rows as others read them.
    pub(crate) async fn rows(&self) -> Vec<String> {
        rows(&self.seen).await.unwrap()
    }
}

/// Where a table of its own can lie: on a disk, or in a store that keeps keys.
pub(crate) struct Ground {
    pub(crate) directory: TempDir,
    pub(crate) location: String,
    /// The table's directory in the store.
    pub(crate) root: String,
    pub(crate) store: Arc<dyn FileSystem>,
}

impl Ground {
    pub(crate) fn new(on_disk: bool) -> Self {
        static STORES: AtomicUsize = AtomicUsize::new(0);
        let directory = tempfile::tempdir().unwrap();
        if on_disk {
            let root = directory.path().join("t").to_str().unwrap().to_owned();
            return Self {
                directory,
                location: root.clone(),
                root,
                store: Arc::new(LocalFileSystem::new()),
            };
        }
        let number = STORES.fetch_add(1, Ordering::Relaxed);
        let name = format!("ground-{}-{number}", std::process::id());
        Self {
            directory,
            location: format!("memory://{name}/wh/t"),
            root: "/wh/t".to_owned(),
            store: Arc::new(OpendalFileSystem::memory(&name).unwrap()),
        }
    }
}

/// Everything below a directory, sorted; directories end with a slash. Nothing if it is absent.
pub(crate) fn tree(root: &Path) -> Vec<String> {
    fn walk(directory: &Path, prefix: &str, found: &mut Vec<String>) {
        let Ok(entries) = std::fs::read_dir(directory) else {
            return;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                found.push(format!("{name}/"));
                walk(&entry.path(), &format!("{name}/"), found);
            } else {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    walk(root, "", &mut found);
    found.sort();
    found
}

pub(crate) fn schema(columns: &str, keys: &[&str], options: &[(&str, &str)]) -> Schema {
    Schema::builder()
        .fields(parse_columns(columns).unwrap())
        .partition_by(keys.iter().copied())
        .options(options.iter().copied())
        .build()
        .unwrap()
}

pub(crate) async fn open(
    location: &str,
    schema: &Schema,
    files: Arc<dyn FileSystem>,
) -> FormatTable {
    let builder = FormatTable::builder(location).unwrap();
    builder
        .schema(schema.clone())
        .file_system(files)
        .open()
        .await
        .unwrap()
}

/// The catalog of a REST server that takes the bearer token `secret`, with a database `db`.
pub(crate) async fn rest_catalog(server: &RestServer) -> Arc<dyn Catalog> {
    let options = [
        ("metastore", "rest"),
        ("uri", &server.uri()),
        ("token.provider", "bear"),
        ("token", "secret"),
        ("rest.client.retry-delay", "1 ms"),
    ];
    let catalog = ftable_catalog::open(Options::from(options)).await.unwrap();
    catalog.create_database("db", false).await.unwrap();
    catalog
}

/// A batch of named columns.
pub(crate) fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A batch for [`ID_AND_P`].
pub(crate) fn ids_and_p(rows: &[(i64, Option<&str>)]) -> RecordBatch {
    let ids: Int64Array = rows.iter().map(|(id, _)| Some(*id)).collect();
    let texts: StringArray = rows.iter().map(|(_, text)| *text).collect();
    batch([("id", Arc::new(ids)), ("p", Arc::new(texts))])
}

/// The rows of [`ids_and_p`] as [`rows`] gives them.
pub(crate) fn lines_of(rows: &[(i64, Option<&str>)]) -> Vec<String> {
    let line = |(id, text): &(i64, Option<&str>)| match text {
        Some(text) => format!("{id} {text:?}"),
        None => format!("{id} NULL"),
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.sort();
    lines
}

/// Writes a batch; its files wait for a commit.
pub(crate) async fn stage(table: &FormatTable, batch: RecordBatch) -> Result<Vec<CommitMessage>> {
    let mut write = table.write().build()?;
    write.write(batch).await?;
    write.prepare_commit().await
}

pub(crate) async fn commit(
    table: &FormatTable,
    messages: Vec<CommitMessage>,
) -> Result<CommitReport> {
    table.commit().build()?.commit(messages).await
}

/// Writes a batch and makes it visible.
pub(crate) async fn append(table: &FormatTable, batch: RecordBatch) -> Result<CommitReport> {
    commit(table, stage(table, batch).await?).await
}

/// Writes a batch in place of the rows of the partitions that it has rows for.
pub(crate) async fn overwrite(table: &FormatTable, batch: RecordBatch) -> Result<CommitReport> {
    let messages = stage(table, batch).await?;
    table.commit().overwrite().build()?.commit(messages).await
}

/// All rows of a table as [`lines`], sorted.
pub(crate) async fn rows(table: &FormatTable) -> Result<Vec<String>> {
    let mut rows = rows_in_order(table).await?;
    rows.sort();
    Ok(rows)
}

/// All rows of a table, file by file in the order of the plan.
pub(crate) async fn rows_in_order(table: &FormatTable) -> Result<Vec<String>> {
    let plan = table.scan().build()?.plan().await?;
    let read = table
        .read()
        .value_kind(false)
        .preserve_order(true)
        .build()?;
    let batches: Vec<RecordBatch> = read.stream(&plan)?.try_collect().await?;
    Ok(batches
        .iter()
        .flat_map(|batch| lines(table.fields(), batch))
        .collect())
}

/// A line for each row: texts quoted, floats as Java writes them.
pub(crate) fn lines(fields: &[DataField], batch: &RecordBatch) -> Vec<String> {
    let line = |row: usize| {
        let value = |(field, column): (&DataField, &ArrayRef)| {
            if field.data_type.is_nested() {
                return array_value_to_string(column, row).unwrap();
            }
            text_of(&datum_at(column, row, &field.data_type).unwrap())
        };
        let columns = fields.iter().zip(batch.columns());
        columns.map(value).collect::<Vec<_>>().join(" ")
    };
    (0..batch.num_rows()).map(line).collect()
}

pub(crate) fn text_of(value: &Option<Datum>) -> String {
    match value {
        None => "NULL".to_owned(),
        Some(Datum::String(text)) => format!("{text:?}"),
        Some(other) => other.to_string(),
    }
}

/// Splits `data-<uuid>-<n>.<ext>` after checking the uuid's form.
pub(crate) fn name_parts(file: &str, prefix: &str, extension: &str) -> (String, u64) {
    let name = file.rsplit('/').next().unwrap();
    let rest = name.strip_prefix(prefix).unwrap();
    let rest = rest.strip_suffix(extension).unwrap();
    let (uuid, number) = rest.rsplit_once('-').unwrap();
    assert_random_uuid(uuid);
    (uuid.to_owned(), number.parse().unwrap())
}

/// A version 4 uuid, in lower case with dashes.
pub(crate) fn assert_random_uuid(text: &str) {
    let uuid = Uuid::parse_str(text).unwrap();
    assert_eq!(uuid.get_version_num(), 4, "{text}");
    assert_eq!(uuid.hyphenated().to_string(), text);
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) -> impl Future<Output = ()> {
    let caller = std::panic::Location::caller();
    let what = what.to_owned();
    async move {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !condition() {
            assert!(Instant::now() < deadline, "never so: {what} ({caller})");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
