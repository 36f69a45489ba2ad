//! The catalog on a local directory and on a store of keys.

mod creators;
mod databases;
mod deleting;
mod faulty;
mod locations;
mod names;
mod renaming;
mod schema_files;
mod tables;

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use ftable_core::{ErrorKind, Identifier, Options, Schema};
use ftable_io::Location;
use ftable_io::path::{join, parent};
use tempfile::TempDir;

use self::faulty::Faulty;
use super::FileSystemCatalog;
use crate::catalog::Catalog;

/// A warehouse of its own, gone at the end of the test.
struct Warehouse {
    catalog: FileSystemCatalog,
    /// What is beside and in the warehouse, on a local disk.
    directory: Option<TempDir>,
}

impl Warehouse {
    async fn local() -> Self {
        Self::local_with(Options::new()).await
    }

    async fn local_with(options: Options) -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("wh");
        let warehouse: Location = format!("file://{}", root.to_str().unwrap())
            .parse()
            .unwrap();
        Self {
            catalog: FileSystemCatalog::open(warehouse, options).await.unwrap(),
            directory: Some(directory),
        }
    }

    async fn memory() -> Self {
        Self::memory_with(Options::new()).await
    }

    async fn memory_with(options: Options) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let warehouse: Location = format!("memory://catalog-{number}/wh").parse().unwrap();
        Self {
            catalog: FileSystemCatalog::open(warehouse, options).await.unwrap(),
            directory: None,
        }
    }

    async fn both() -> [Self; 2] {
        [Self::local().await, Self::memory().await]
    }

    async fn both_with(options: Options) -> [Self; 2] {
        [
            Self::local_with(options.clone()).await,
            Self::memory_with(options).await,
        ]
    }

    /// The absolute path of something below the warehouse, or beside it (`../lake`).
    fn path(&self, relative: &str) -> String {
        let root = self.catalog.warehouse.path();
        match relative.strip_prefix("../") {
            Some(beside) => join(parent(root).unwrap(), beside),
            None => join(root, relative),
        }
    }

    /// Puts a file below the warehouse.
    async fn put(&self, relative: &str, text: &str) {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        let path = self.path(relative);
        assert!(
            self.catalog
                .file_system
                .create_whole(&path, bytes)
                .await
                .unwrap()
        );
    }

    async fn text(&self, relative: &str) -> String {
        let path = self.path(relative);
        let file = self.catalog.file_system.open(&path, None).await.unwrap();
        let bytes = file.read(0..file.size()).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    async fn exists(&self, relative: &str) -> bool {
        let path = self.path(relative);
        self.catalog
            .file_system
            .stat(&path)
            .await
            .unwrap()
            .is_some()
    }

    async fn make_dir(&self, relative: &str) {
        let path = self.path(relative);
        self.catalog.file_system.create_dir(&path).await.unwrap();
    }

    /// The names below a directory of the warehouse.
    async fn names(&self, relative: &str) -> Vec<String> {
        let path = self.path(relative);
        let entries = self.catalog.file_system.list(&path).await.unwrap();
        entries
            .iter()
            .map(|entry| entry.name().to_owned())
            .collect()
    }

    /// Creates the database if need be, and the table.
    async fn create(&self, name: &str) {
        let identifier = id(name);
        self.catalog
            .create_database(identifier.database(), true)
            .await
            .unwrap();
        self.catalog
            .create_table(&identifier, &schema(), false)
            .await
            .unwrap();
    }
}

fn id(name: &str) -> Identifier {
    name.parse().unwrap()
}

/// `id BIGINT NOT NULL, name STRING, dt STRING`, by `dt`.
fn schema() -> Schema {
    schema_with(&[])
}

fn schema_with(options: &[(&str, &str)]) -> Schema {
    Schema::builder()
        .column("id", "BIGINT NOT NULL")
        .unwrap()
        .column("name", "STRING")
        .unwrap()
        .column("dt", "STRING")
        .unwrap()
        .partition_by(["dt"])
        .option("type", "format-table")
        .options(options.iter().copied())
        .build()
        .unwrap()
}

/// The error and its causes, as a user sees them.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// Asserts the kind of an error and words its messages must hold.
#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: crate::Result<T>, kind: ErrorKind, words: &[&str]) {
    let error = result.unwrap_err();
    let text = chain(&error);
    assert_eq!(error.kind(), kind, "{text}");
    for word in words {
        assert!(text.contains(word), "'{word}' is not in: {text}");
    }
}
