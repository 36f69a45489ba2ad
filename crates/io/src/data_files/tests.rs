use std::collections::HashMap;
use std::io;
use std::os::unix::fs::symlink;

use async_trait::async_trait;
use bytes::Bytes;
use ftable_core::ErrorKind;

use super::*;
use crate::file_system::{Capabilities, InputFile, OutputFile, PublishOutcome, RawEntry};
use crate::{LocalFileSystem, OpendalFileSystem};

/// A file system whose listings fail where told to, with or without a blocking lister.
#[derive(Debug)]
struct Faulty {
    inner: Arc<dyn FileSystem>,
    faults: HashMap<String, io::ErrorKind>,
    blocking: bool,
}

impl Faulty {
    fn check(&self, dir: &str) -> Result<()> {
        match self.faults.get(dir) {
            Some(&kind) => Err(Error::from_io("list", dir, kind.into())),
            None => Ok(()),
        }
    }
}

#[derive(Debug)]
struct FaultyLister(Arc<dyn BlockingLister>, HashMap<String, io::ErrorKind>);

impl BlockingLister for FaultyLister {
    fn list(&self, dir: &str, metadata: bool, visit: &mut dyn FnMut(RawEntry<'_>)) -> Result<()> {
        match self.1.get(dir) {
            Some(&kind) => Err(Error::from_io("list", dir, kind.into())),
            None => self.0.list(dir, metadata, visit),
        }
    }
}

#[async_trait]
impl FileSystem for Faulty {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        self.check(dir)?;
        self.inner.list(dir).await
    }
    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        self.inner.stat(path).await
    }
    async fn open(&self, path: &str, size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        self.inner.open(path, size).await
    }
    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>> {
        self.inner.create(path).await
    }
    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool> {
        self.inner.create_whole(path, bytes).await
    }
    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome> {
        self.inner.publish(staged, target).await
    }
    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.inner.rename(from, to).await
    }
    async fn delete_file(&self, path: &str) -> Result<bool> {
        self.inner.delete_file(path).await
    }
    async fn create_dir(&self, path: &str) -> Result<()> {
        self.inner.create_dir(path).await
    }
    async fn remove_dir(&self, path: &str) -> Result<bool> {
        self.inner.remove_dir(path).await
    }
    async fn delete_tree(&self, path: &str) -> Result<()> {
        self.inner.delete_tree(path).await
    }
    fn blocking_lister(&self) -> Option<Arc<dyn BlockingLister>> {
        let lister = self.inner.blocking_lister().filter(|_| self.blocking)?;
        Some(Arc::new(FaultyLister(lister, self.faults.clone())))
    }
}

/// The same tree on every way a listing can go: memory, local in one blocking walk, local by calls.
struct Place {
    fs: Faulty,
    root: String,
    _directory: Option<tempfile::TempDir>,
}

fn places() -> Vec<Place> {
    let memory = OpendalFileSystem::memory(&uuid::Uuid::new_v4().to_string()).unwrap();
    let mut places = vec![Place {
        fs: Faulty {
            inner: Arc::new(memory),
            faults: HashMap::new(),
            blocking: false,
        },
        root: "/wh/_t".to_owned(),
        _directory: None,
    }];
    places.extend([true, false].map(local));
    places
}

fn local(blocking: bool) -> Place {
    let directory = tempfile::tempdir().unwrap();
    Place {
        fs: Faulty {
            inner: Arc::new(LocalFileSystem::new()),
            faults: HashMap::new(),
            blocking,
        },
        // Hidden by its name, which is never tested.
        root: join(directory.path().to_str().unwrap(), "_t"),
        _directory: Some(directory),
    }
}

impl Place {
    async fn put(&self, relative: &str) {
        let path = join(&self.root, relative);
        assert!(
            self.fs
                .create_whole(&path, Bytes::from_static(b"abc"))
                .await
                .unwrap()
        );
    }

    async fn files(&self, protected: &[&str]) -> Result<Vec<String>> {
        let files = list_data_files(&self.fs, &self.root, protected).await?;
        Ok(files
            .into_iter()
            .map(|file| {
                assert_eq!((file.kind, file.size), (EntryKind::File, 3));
                crate::contained(&self.root, &file.path).unwrap()
            })
            .collect())
    }

    fn fail(&mut self, relative: &str, kind: io::ErrorKind) {
        self.fs.faults.insert(join(&self.root, relative), kind);
    }
}

#[tokio::test]
async fn every_file_at_any_depth_that_is_not_hidden() {
    for place in places() {
        for path in [
            "_SUCCESS",
            "._SUCCESS.crc",
            "_metadata",
            "_common_metadata",
            ".e.csv.crc",
            ".x/d.csv",
            "_temporary/0/a.csv",
            ".hive-staging_1/b.csv",
            "__magic1/c.csv",
            "k=a/_other.txt",
            "k=a/.part-0.parquet.crc",
            "HIVE_UNION_SUBDIR_1/.x/000000_0",
        ] {
            place.put(path).await;
        }
        let data = [
            "B.csv",
            "HIVE_UNION_SUBDIR_1/000000_0",
            "HIVE_UNION_SUBDIR_2/000000_0",
            "a-1.csv",
            "a.csv",
            "a/z.csv",
            "k=a/part-0.parquet",
            "k=v/c.csv",
            "sub/deep/b.csv",
            "é.csv",
        ];
        for path in data {
            place.put(path).await;
        }
        // Sorted by the bytes of the path.
        assert_eq!(place.files(&[]).await.unwrap(), data, "{:?}", place.fs);
    }
}

#[tokio::test]
async fn protected_names_are_left_out_below_the_root_only() {
    for place in places() {
        for path in [
            "schema/schema-0",
            "branch/b/x",
            "a/schema/x.csv",
            "schema.csv",
        ] {
            place.put(path).await;
        }
        let files = place.files(&["schema", "branch"]).await.unwrap();
        assert_eq!(files, ["a/schema/x.csv", "schema.csv"]);
        assert_eq!(place.files(&[]).await.unwrap().len(), 4);
    }
}

#[tokio::test]
async fn a_missing_or_empty_root_has_no_files() {
    for place in places() {
        assert!(place.files(&[]).await.unwrap().is_empty());
        place
            .fs
            .create_dir(&join(&place.root, "_temporary"))
            .await
            .unwrap();
        assert!(place.files(&[]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_root_that_is_a_file_is_an_error() {
    for place in places() {
        place.put("a.csv").await;
        let root = join(&place.root, "a.csv");
        let error = list_data_files(&place.fs, &root, &[]).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot list '{root}': it is not a directory")
        );
    }
}

#[tokio::test]
async fn a_slash_after_the_root_changes_nothing() {
    for place in places() {
        place.put("d/a.csv").await;
        let files = list_data_files(&place.fs, &format!("{}/", place.root), &[])
            .await
            .unwrap();
        assert_eq!(files[0].path, join(&place.root, "d/a.csv"));
    }
}

#[tokio::test]
async fn a_directory_that_vanishes_is_passed_over() {
    for mut place in places() {
        place.put("dt=1/a.csv").await;
        place.put("dt=2/b.csv").await;
        place.fail("dt=2", io::ErrorKind::NotFound);
        assert_eq!(place.files(&[]).await.unwrap(), ["dt=1/a.csv"]);
    }
}

#[tokio::test]
async fn any_other_failure_fails_the_listing() {
    for mut place in places() {
        place.put("dt=1/a.csv").await;
        place.put("dt=2/b.csv").await;
        place.fail("dt=2", io::ErrorKind::PermissionDenied);
        let error = place.files(&[]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        let expected = format!("cannot list '{}/dt=2': permission denied", place.root);
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn many_directories_are_all_listed() {
    for place in places() {
        let mut expected = Vec::new();
        for directory in 0..100 {
            let path = format!("d{directory:02}/e/f.csv");
            place.put(&path).await;
            expected.push(path);
        }
        assert_eq!(place.files(&[]).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn linked_directories_are_part_of_the_table() {
    for blocking in [true, false] {
        let place = local(blocking);
        place.put("real/a.csv").await;
        symlink("real", join(&place.root, "link")).unwrap();
        symlink("/no/such/file", join(&place.root, "dangling.csv")).unwrap();
        assert_eq!(
            place.files(&[]).await.unwrap(),
            ["link/a.csv", "real/a.csv"]
        );
    }
}

#[tokio::test]
async fn a_cycle_of_links_ends_in_an_error() {
    for blocking in [true, false] {
        let place = local(blocking);
        place.put("d/a.csv").await;
        // Two links at each level: every walk that is broad before it is deep would never end.
        for name in ["x", "y"] {
            symlink("../d", join(&place.root, &format!("d/{name}"))).unwrap();
        }
        let error = place.files(&[]).await.unwrap_err();
        assert!(
            error.to_string().contains(&join(&place.root, "d/")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn directories_nested_too_deep_are_an_error_naming_one() {
    for place in places() {
        let deepest = vec!["d"; MAX_DEPTH].join("/");
        place.put(&format!("{deepest}/a.csv")).await;
        assert_eq!(place.files(&[]).await.unwrap().len(), 1);
        place.put(&format!("{deepest}/e/a.csv")).await;
        let error = place.files(&[]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(
            error.to_string().contains(&format!("{deepest}/e")),
            "{error}"
        );
    }
}

#[test]
fn data_names() {
    for name in ["a.csv", "000000_0", "a_b.c", "é", " ", "-"] {
        assert!(is_data_name(name), "{name}");
    }
    for name in ["", "_SUCCESS", ".crc", "dir/", "_", "."] {
        assert!(!is_data_name(name), "{name}");
    }
}
