//! Tables that are copied from a template for every case, on a disk and in a store without renames.

// Every test binary uses a part of this; what cannot be made fails the test that needs it.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use bytes::Bytes;
use ftable::{CommitMessage, FileSystem, FormatTable, Result, Schema};
use ftable_io::LocalFileSystem;
use ftable_table::{RepairOptions, RepairReport};
use ftable_testkit::faulty::FaultyFileSystem;
use tempfile::TempDir;

use crate::common::{Ground, batch, commit, open, rows, schema, stage};

/// Rows of `id BIGINT, p STRING, q STRING`.
pub(crate) type Row = (i64, &'static str, &'static str);

pub(crate) const OLD: [&[Row]; 2] = [
    &[(1, "a", "x"), (2, "a", "y"), (3, "b", "x")],
    &[(4, "a", "x")],
];
pub(crate) const NEW: [Row; 3] = [(10, "a", "x"), (11, "a", "z"), (12, "a", "y")];

/// What is done to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Append,
    AppendOneFile,
    AppendAlways,
    Dynamic,
    Partition,
    Prefix,
    EmptyPrefix,
    Whole,
    Truncate,
    TruncatePartition,
    Drop,
    DropPrefix,
}

impl Job {
    pub(crate) const ALL: [Self; 12] = [
        Self::Append,
        Self::AppendOneFile,
        Self::AppendAlways,
        Self::Dynamic,
        Self::Partition,
        Self::Prefix,
        Self::EmptyPrefix,
        Self::Whole,
        Self::Truncate,
        Self::TruncatePartition,
        Self::Drop,
        Self::DropPrefix,
    ];

    pub(crate) fn appends(self) -> bool {
        matches!(
            self,
            Self::Append | Self::AppendOneFile | Self::AppendAlways
        )
    }

    /// The rows that it writes.
    fn written(self) -> &'static [Row] {
        match self {
            Self::Append | Self::AppendAlways | Self::Dynamic | Self::Prefix | Self::Whole => &NEW,
            Self::AppendOneFile | Self::Partition => &NEW[..1],
            _ => &[],
        }
    }

    fn replaces(self, row: &Row) -> bool {
        match self {
            Self::Append | Self::AppendOneFile | Self::AppendAlways => false,
            Self::Dynamic | Self::Prefix | Self::EmptyPrefix | Self::DropPrefix => row.1 == "a",
            Self::Partition | Self::TruncatePartition | Self::Drop => (row.1, row.2) == ("a", "x"),
            Self::Whole | Self::Truncate => true,
        }
    }

    pub(crate) fn new_rows(self) -> Vec<String> {
        let kept = OLD.concat().into_iter().filter(|row| !self.replaces(row));
        lines_of(
            &kept
                .chain(self.written().iter().copied())
                .collect::<Vec<_>>(),
        )
    }

    /// Does it with files that were staged before.
    pub(crate) async fn run(self, table: &FormatTable, messages: Vec<CommitMessage>) -> Result<()> {
        let leaf = spec(&[("p", "a"), ("q", "x")]);
        let prefix = spec(&[("p", "a")]);
        let context = match self {
            Self::Append | Self::AppendOneFile => table.commit(),
            Self::AppendAlways => {
                let options = [("format-table.commit.sync", "always")];
                table.commit().options(&options.into_iter().collect())?
            }
            Self::Dynamic | Self::Whole => {
                let dynamic = (self == Self::Dynamic).to_string();
                let options = [("dynamic-partition-overwrite", dynamic.as_str())];
                table
                    .commit()
                    .options(&options.into_iter().collect())?
                    .overwrite()
            }
            Self::Partition => table.commit().overwrite_partition(&leaf)?,
            Self::Prefix | Self::EmptyPrefix => table.commit().overwrite_partition(&prefix)?,
            Self::Truncate => return table.commit().build()?.truncate_table().await,
            Self::TruncatePartition => {
                return table.commit().build()?.truncate_partitions(&[leaf]).await;
            }
            Self::Drop => return table.commit().build()?.drop_partitions(&[leaf]).await,
            Self::DropPrefix => return table.commit().build()?.drop_partitions(&[prefix]).await,
        };
        context.build()?.commit(messages).await.map(|_| ())
    }
}

pub(crate) fn old_rows() -> Vec<String> {
    lines_of(&OLD.concat())
}

pub(crate) fn spec(values: &[(&str, &str)]) -> Vec<(String, String)> {
    values
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

pub(crate) fn lines_of(rows: &[Row]) -> Vec<String> {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|(id, p, q)| format!("{id} {p:?} {q:?}"))
        .collect();
    lines.sort();
    lines
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

fn table_schema() -> Schema {
    schema("id BIGINT, p STRING, q STRING", &["p", "q"], &[])
}

/// A table with old rows and files staged twice for a job: for it, and for when it is done again.
pub(crate) struct Template {
    directory: TempDir,
    messages: [String; 2],
}

impl Template {
    pub(crate) async fn new(job: Job) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let location = directory.path().join("t").to_str().unwrap().to_owned();
        let table = open(&location, &table_schema(), Arc::new(LocalFileSystem::new())).await;
        for rows in OLD {
            commit(&table, stage(&table, rows_batch(rows)).await.unwrap())
                .await
                .unwrap();
        }
        let mut messages = [String::new(), String::new()];
        for staged in &mut messages {
            let new = match job.written() {
                [] => Vec::new(),
                rows => stage(&table, rows_batch(rows)).await.unwrap(),
            };
            *staged = serde_json::to_string(&new)
                .unwrap()
                .replace(&location, "LOCATION");
        }
        Self {
            directory,
            messages,
        }
    }

    /// A copy of the table on a disk or in a store of its own.
    pub(crate) async fn copy(&self, on_disk: bool) -> Copy {
        let Ground {
            directory,
            location,
            root,
            store,
        } = Ground::new(on_disk);
        let from = self.directory.path().join("t");
        for path in crate::common::tree(&from) {
            copy_entry(&from, &path, &root, on_disk, &*store).await;
        }
        let files = FaultyFileSystem::over(Arc::clone(&store));
        let table = open(&location, &table_schema(), Arc::new(files.clone())).await;
        let seen = open(&location, &table_schema(), store).await;
        let normal = table.location().normalized();
        let messages = self.messages.clone().map(|text| {
            let text = text.replace("LOCATION", &normal);
            serde_json::from_str(&text).unwrap()
        });
        files.reset_counters();
        Copy {
            _directory: directory,
            root,
            files,
            table,
            seen,
            messages,
        }
    }
}

async fn copy_entry(from: &Path, path: &str, root: &str, on_disk: bool, store: &dyn FileSystem) {
    let target = format!("{root}/{}", path.trim_end_matches('/'));
    match (path.ends_with('/'), on_disk) {
        (true, true) => std::fs::create_dir_all(target).unwrap(),
        (true, false) => store.create_dir(&target).await.unwrap(),
        (false, true) => {
            std::fs::create_dir_all(Path::new(&target).parent().unwrap()).unwrap();
            std::fs::copy(from.join(path), target).unwrap();
        }
        (false, false) => {
            let content = std::fs::read(from.join(path)).unwrap();
            assert!(
                store
                    .create_whole(&target, Bytes::from(content))
                    .await
                    .unwrap()
            );
        }
    }
}

/// One table for one case.
pub(crate) struct Copy {
    _directory: TempDir,
    pub(crate) root: String,
    pub(crate) files: FaultyFileSystem,
    /// Over the faulty store.
    pub(crate) table: FormatTable,
    /// As others see it.
    pub(crate) seen: FormatTable,
    pub(crate) messages: [Vec<CommitMessage>; 2],
}

impl Copy {
    pub(crate) async fn rows(&self) -> Vec<String> {
        rows(&self.seen).await.unwrap()
    }

    /// Repairs as one does when no other process is at work.
    pub(crate) async fn repair(&self) -> Result<RepairReport> {
        self.table.repair(&now()).await
    }

    /// Whether anything of a commit is left.
    pub(crate) async fn is_clean(&self) -> bool {
        let store = self.seen_store();
        store.list(&format!("{}/_ftable", self.root)).await.is_err()
    }

    fn seen_store(&self) -> &FaultyFileSystem {
        &self.files
    }
}

pub(crate) fn now() -> RepairOptions {
    RepairOptions {
        now: true,
        ..RepairOptions::default()
    }
}

/// Whether every row of one multiset, both sorted, is in another.
pub(crate) fn is_part(rows: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    rows.iter().all(|row| rest.any(|other| other == row))
}
