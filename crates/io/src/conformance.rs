//! What every file system must do, run against each of them.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use ftable_core::ErrorKind;
#[cfg(feature = "s3")]
use ftable_core::Options;
#[cfg(feature = "s3")]
use ftable_testkit::s3_server::{S3Options, S3Server};
use tokio::sync::Barrier;

use crate::path::join;
use crate::{EntryKind, FileSystem, LocalFileSystem, OpendalFileSystem, PublishOutcome};

/// A file system and a directory of it that a test has for itself.
struct Place {
    fs: Arc<dyn FileSystem>,
    root: String,
    /// What the file system is on, for as long as the test.
    _ground: Box<dyn Any + Send + Sync>,
}

impl Place {
    fn local() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self {
            fs: Arc::new(LocalFileSystem::new()),
            root: directory.path().to_str().unwrap().to_owned(),
            _ground: Box::new(directory),
        }
    }

    fn memory() -> Self {
        let authority = uuid::Uuid::new_v4().to_string();
        let fs = OpendalFileSystem::memory(&authority).unwrap();
        Self {
            fs: Arc::new(fs),
            root: "/wh".to_owned(),
            _ground: Box::new(()),
        }
    }

    /// A bucket, listed in pages of two.
    #[cfg(feature = "s3")]
    fn bucket() -> Self {
        let options = S3Options::new().bucket("lake").page_size(2);
        let server = S3Server::start(options).unwrap();
        server.credentials().allow("AK", "secret", None, None);
        let options = Options::from([
            ("s3.endpoint", server.endpoint().as_str()),
            ("s3.access-key", "AK"),
            ("s3.secret-key", "secret"),
        ]);
        let location = "s3://lake/wh".parse().unwrap();
        let fs = OpendalFileSystem::s3(&location, &options, None).unwrap();
        Self {
            fs: Arc::new(fs),
            root: "/wh".to_owned(),
            _ground: Box::new(server),
        }
    }

    fn path(&self, relative: &str) -> String {
        join(&self.root, relative)
    }

    async fn put(&self, relative: &str, content: &str) {
        let bytes = Bytes::copy_from_slice(content.as_bytes());
        assert!(
            self.fs
                .create_whole(&self.path(relative), bytes)
                .await
                .unwrap()
        );
    }

    async fn get(&self, relative: &str) -> String {
        let file = self.fs.open(&self.path(relative), None).await.unwrap();
        let bytes = file.read(0..file.size()).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    async fn exists(&self, relative: &str) -> bool {
        self.fs.stat(&self.path(relative)).await.unwrap().is_some()
    }

    /// Names of the children of a directory, `/` after those of directories.
    async fn names(&self, relative: &str) -> Vec<String> {
        let listed = self.fs.list(&join(&self.root, relative)).await.unwrap();
        let prefix = format!("{}/", join(&self.root, relative));
        listed
            .iter()
            .map(|status| {
                let name = status.path.strip_prefix(&prefix).unwrap();
                if status.is_dir() {
                    format!("{name}/")
                } else {
                    name.to_owned()
                }
            })
            .collect()
    }
}

/// Runs each case against every file system.
macro_rules! conformance {
    ($($case:ident),* $(,)?) => {
        mod local {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $case() { super::$case(super::Place::local()).await })*
        }
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $case() { super::$case(super::Place::memory()).await })*
        }
        #[cfg(feature = "s3")]
        mod bucket {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $case() { super::$case(super::Place::bucket()).await })*
        }
    };
}

conformance!(
    listing_has_children_only,
    listing_an_absent_directory_is_not_found,
    empty_directories_exist,
    names_are_handed_back_unchanged,
    stat_tells_files_from_directories,
    open_needs_a_file,
    ranges_come_back_in_order,
    ranges_outside_the_file_are_corrupt,
    create_makes_parents_and_never_replaces,
    output_counts_its_bytes,
    given_up_output_leaves_nothing,
    closed_output_stays,
    create_whole_never_replaces,
    create_whole_unsynced_never_replaces,
    what_is_synced_stays_as_it_is,
    publish_moves_and_never_replaces,
    publish_of_an_absent_file_is_not_found,
    rename_moves_files_and_directories,
    rename_never_replaces,
    delete_file_deletes_files_only,
    remove_dir_removes_empty_directories_only,
    delete_tree_deletes_everything_below,
    delete_tree_refuses_the_root,
    one_of_many_publishers_wins,
    one_of_many_creators_wins_and_no_part_is_seen,
);

async fn listing_has_children_only(place: Place) {
    for path in [
        "b/c/d.csv",
        "b/e.csv",
        "a.csv",
        "B.csv",
        "_temporary/x",
        ".h",
    ] {
        place.put(path, path).await;
    }
    let expected = [".h", "B.csv", "_temporary/", "a.csv", "b/"];
    assert_eq!(place.names("").await, expected);
    assert_eq!(place.names("b").await, ["c/", "e.csv"]);

    let listed = place.fs.list(&place.path("b/")).await.unwrap();
    let file = listed.iter().find(|status| status.is_file()).unwrap();
    assert_eq!(file.path, place.path("b/e.csv"));
    assert_eq!(file.size, 7);
    assert_eq!(file.name(), "e.csv");
    let directory = listed.iter().find(|status| status.is_dir()).unwrap();
    assert_eq!((directory.size, directory.kind), (0, EntryKind::Directory));
    assert_eq!(directory.path, place.path("b/c"));
}

async fn listing_an_absent_directory_is_not_found(place: Place) {
    place.put("t/a.csv", "x").await;
    for path in ["t/u", "t/a", "tt"] {
        let error = place.fs.list(&place.path(path)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{path}");
        assert!(error.to_string().contains(&place.path(path)), "{error}");
    }
    let error = place.fs.list(&place.path("t/a.csv")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    // The root of a store is always there, even with nothing in it.
    assert!(place.fs.list("/").await.is_ok());
}

async fn empty_directories_exist(place: Place) {
    place.fs.create_dir(&place.path("t/dt=2")).await.unwrap();
    place.fs.create_dir(&place.path("t/dt=2")).await.unwrap();
    place.put("t/dt=1/a.csv", "x").await;
    place.fs.create_dir(&place.path("t/dt=1/")).await.unwrap();
    assert_eq!(place.names("t").await, ["dt=1/", "dt=2/"]);
    assert_eq!(place.names("t/dt=1").await, ["a.csv"]);
    assert!(place.names("t/dt=2").await.is_empty());
    let error = place
        .fs
        .create_dir(&place.path("t/dt=1/a.csv"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
}

async fn names_are_handed_back_unchanged(place: Place) {
    let names = [
        "p=x%3Ay",
        "p=R&D",
        "p=B B",
        "p=foo+bar",
        "p=100%25",
        "p=a#b?c",
        "p= lead",
        "p=trail ",
        "p=é",
        "p=日本",
        "p=a\\b",
        "p=a\"b",
        "p=..",
        "p=%2E",
    ];
    for name in names {
        place.put(&format!("t/{name}/ f.csv"), name).await;
    }
    let listed = place.fs.list(&place.path("t")).await.unwrap();
    let found: HashSet<&str> = listed.iter().map(|status| status.name()).collect();
    assert_eq!(found, names.into_iter().collect());
    for directory in &listed {
        assert_eq!(
            place.fs.stat(&directory.path).await.unwrap().unwrap().kind,
            EntryKind::Directory
        );
        let files = place.fs.list(&directory.path).await.unwrap();
        assert_eq!(files.len(), 1);
        let file = place.fs.open(&files[0].path, None).await.unwrap();
        assert_eq!(
            file.read(0..file.size()).await.unwrap(),
            directory.name().as_bytes()
        );
        assert!(place.fs.delete_file(&files[0].path).await.unwrap());
    }
}

async fn stat_tells_files_from_directories(place: Place) {
    place.put("t/a.csv", "abc").await;
    let file = place
        .fs
        .stat(&place.path("t/a.csv"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((file.kind, file.size), (EntryKind::File, 3));
    for path in ["t", "t/"] {
        let directory = place.fs.stat(&place.path(path)).await.unwrap().unwrap();
        assert_eq!((directory.kind, directory.size), (EntryKind::Directory, 0));
    }
    for path in ["u", "t/a", "t/a.csv/b", "t/a.csv/"] {
        assert_eq!(
            place.fs.stat(&place.path(path)).await.unwrap(),
            None,
            "{path}"
        );
    }
    assert!(place.fs.stat("/").await.unwrap().unwrap().is_dir());
}

async fn open_needs_a_file(place: Place) {
    place.put("t/a.csv", "abc").await;
    for hint in [None, Some(3), Some(1), Some(u64::MAX)] {
        let file = place.fs.open(&place.path("t/a.csv"), hint).await.unwrap();
        assert_eq!(file.size(), 3);
        assert_eq!(file.path(), place.path("t/a.csv"));
    }
    let absent = place
        .fs
        .open(&place.path("t/b.csv"), Some(3))
        .await
        .unwrap_err();
    assert_eq!(absent.kind(), ErrorKind::NotFound);
    let directory = place.fs.open(&place.path("t"), None).await.unwrap_err();
    assert_eq!(directory.kind(), ErrorKind::InvalidArgument);
}

async fn ranges_come_back_in_order(place: Place) {
    place.put("digits", "0123456789").await;
    let file = place.fs.open(&place.path("digits"), None).await.unwrap();
    let ranges = [8..10, 0..3, 2..5, 4..4, 10..10, 0..10];
    let read = file.read_ranges(&ranges).await.unwrap();
    assert_eq!(read, ["89", "012", "234", "", "", "0123456789"]);
    assert_eq!(file.read(3..4).await.unwrap(), "3");
    assert!(file.read_ranges(&[]).await.unwrap().is_empty());
}

async fn ranges_outside_the_file_are_corrupt(place: Place) {
    place.put("digits", "0123456789").await;
    let file = place.fs.open(&place.path("digits"), None).await.unwrap();
    for range in [9..11, 11..12, 0..u64::MAX, u64::MAX - 8..u64::MAX] {
        let error = file.read(range.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CorruptFile);
        let text = error.to_string();
        assert!(
            text.contains(&format!("bytes {}..{}", range.start, range.end)),
            "{text}"
        );
        assert!(
            text.contains(&place.path("digits")) && text.contains("10 bytes"),
            "{text}"
        );
    }
}

async fn create_makes_parents_and_never_replaces(place: Place) {
    let path = place.path("t/_temporary/.tmp.1");
    let mut file = place.fs.create(&path).await.unwrap();
    file.write(Bytes::from_static(b"abc")).await.unwrap();
    assert_eq!(file.close().await.unwrap(), 3);
    let error = place.fs.create(&path).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(place.get("t/_temporary/.tmp.1").await, "abc");
}

async fn output_counts_its_bytes(place: Place) {
    let mut file = place.fs.create(&place.path(".big")).await.unwrap();
    let mut expected = Vec::new();
    // Small, larger than any buffer, and small pieces that fill a buffer together.
    for (round, length) in [10, 3_000_000, 0, 700_000, 700_000, 5]
        .into_iter()
        .enumerate()
    {
        let piece = vec![round as u8; length];
        expected.extend_from_slice(&piece);
        file.write(Bytes::from(piece)).await.unwrap();
    }
    assert_eq!(file.close().await.unwrap(), expected.len() as u64);
    assert_eq!(file.close().await.unwrap(), expected.len() as u64);
    let error = file.write(Bytes::from_static(b"x")).await.unwrap_err();
    assert!(error.to_string().contains("it is closed"), "{error}");
    let read = place.fs.open(&place.path(".big"), None).await.unwrap();
    assert_eq!(read.read(0..read.size()).await.unwrap(), expected);

    let mut empty = place.fs.create(&place.path(".empty")).await.unwrap();
    assert_eq!(empty.close().await.unwrap(), 0);
    assert_eq!(place.get(".empty").await, "");
}

async fn given_up_output_leaves_nothing(place: Place) {
    let mut dropped = place.fs.create(&place.path(".dropped")).await.unwrap();
    dropped.write(Bytes::from_static(b"abc")).await.unwrap();
    drop(dropped);
    assert!(!place.exists(".dropped").await);

    let mut aborted = place.fs.create(&place.path(".aborted")).await.unwrap();
    aborted
        .write(Bytes::from(vec![0; 2_000_000]))
        .await
        .unwrap();
    aborted.abort().await.unwrap();
    aborted.abort().await.unwrap();
    assert!(!place.exists(".aborted").await);
    assert!(aborted.write(Bytes::from_static(b"x")).await.is_err());
    assert!(aborted.close().await.is_err());
    drop(aborted);
    assert!(!place.exists(".aborted").await);
}

async fn closed_output_stays(place: Place) {
    let mut file = place.fs.create(&place.path(".kept")).await.unwrap();
    file.write(Bytes::from_static(b"abc")).await.unwrap();
    file.close().await.unwrap();
    file.abort().await.unwrap();
    drop(file);
    assert_eq!(place.get(".kept").await, "abc");
}

async fn create_whole_never_replaces(place: Place) {
    let path = place.path("t/schema/schema-0");
    assert!(
        place
            .fs
            .create_whole(&path, Bytes::from_static(b"first"))
            .await
            .unwrap()
    );
    assert!(
        !place
            .fs
            .create_whole(&path, Bytes::from_static(b"second"))
            .await
            .unwrap()
    );
    assert_eq!(place.get("t/schema/schema-0").await, "first");
    assert_eq!(place.names("t/schema").await, ["schema-0"]);
}

async fn create_whole_unsynced_never_replaces(place: Place) {
    let path = place.path("t/_ftable/1.json");
    for (content, is_new) in [("first", true), ("second", false)] {
        let created = place.fs.create_whole_unsynced(&path, content.into()).await;
        assert_eq!(created.unwrap(), is_new);
    }
    assert_eq!(place.get("t/_ftable/1.json").await, "first");
    assert_eq!(place.names("t/_ftable").await, ["1.json"]);
}

async fn what_is_synced_stays_as_it_is(place: Place) {
    let staged = place.path("t/dt=1/_temporary/.tmp.1");
    let mut file = place.fs.create(&staged).await.unwrap();
    file.write(Bytes::from_static(b"abc")).await.unwrap();
    file.close().await.unwrap();
    place.fs.sync_file(&staged).await.unwrap();
    for directory in ["t/dt=1/_temporary", "t/dt=1", "t", ""] {
        let path = place.path(directory);
        place.fs.sync_directory(&path).await.unwrap();
    }
    assert_eq!(place.get("t/dt=1/_temporary/.tmp.1").await, "abc");
    assert_eq!(place.names("t/dt=1/_temporary").await, [".tmp.1"]);
}

async fn publish_moves_and_never_replaces(place: Place) {
    place.put("t/_temporary/.tmp.1", "one").await;
    place.put("t/_temporary/.tmp.2", "two").await;
    let target = place.path("t/dt=1/h=2/data.csv");
    let publish = async |staged: &str| {
        place
            .fs
            .publish(&place.path(staged), &target)
            .await
            .unwrap()
    };
    assert_eq!(
        publish("t/_temporary/.tmp.1").await,
        PublishOutcome::Published
    );
    assert!(!place.exists("t/_temporary/.tmp.1").await);
    assert_eq!(
        publish("t/_temporary/.tmp.2").await,
        PublishOutcome::TargetExists
    );
    assert_eq!(place.get("t/_temporary/.tmp.2").await, "two");
    assert_eq!(place.get("t/dt=1/h=2/data.csv").await, "one");
}

async fn publish_of_an_absent_file_is_not_found(place: Place) {
    place.put("present", "x").await;
    for target in ["absent-too", "present", "no/such/directory/f"] {
        let published = place
            .fs
            .publish(&place.path(".absent"), &place.path(target))
            .await;
        let error = published.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(
            error.to_string().contains(&place.path(".absent")),
            "{error}"
        );
    }
    assert_eq!(place.get("present").await, "x");
    place.put(".d/f", "x").await;
    let error = place
        .fs
        .publish(&place.path(".d"), &place.path("d"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
}

async fn rename_moves_files_and_directories(place: Place) {
    place.put("t/a.csv", "a").await;
    place.put("t/d/b.csv", "b").await;
    place.put("t/d/e/c.csv", "c").await;
    place.fs.create_dir(&place.path("t/d/empty")).await.unwrap();
    let rename =
        async |from: &str, to: &str| place.fs.rename(&place.path(from), &place.path(to)).await;
    rename("t/a.csv", "u/v/a2.csv").await.unwrap();
    rename("t/d", "u/w/d2").await.unwrap();
    assert_eq!(place.get("u/v/a2.csv").await, "a");
    assert_eq!(place.get("u/w/d2/b.csv").await, "b");
    assert_eq!(place.get("u/w/d2/e/c.csv").await, "c");
    assert!(place.names("u/w/d2/empty").await.is_empty());
    for gone in ["t/a.csv", "t/d", "t/d/e/c.csv"] {
        assert!(!place.exists(gone).await, "{gone}");
    }
    assert_eq!(
        rename("t/a.csv", "x").await.unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

async fn rename_never_replaces(place: Place) {
    place.put("a", "a").await;
    place.put("b", "b").await;
    place.put("d/f", "f").await;
    place.put("e/g", "g").await;
    place.fs.create_dir(&place.path("empty")).await.unwrap();
    for (from, to) in [
        ("a", "b"),
        ("a", "a"),
        ("a", "d"),
        ("a", "empty"),
        ("d", "a"),
        ("d", "e"),
        ("d", "empty"),
        ("d", "d"),
        ("d", "d/below"),
    ] {
        let error = place
            .fs
            .rename(&place.path(from), &place.path(to))
            .await
            .unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::AlreadyExists,
            "{from} to {to}: {error}"
        );
    }
    for (path, content) in [("a", "a"), ("b", "b"), ("d/f", "f"), ("e/g", "g")] {
        assert_eq!(place.get(path).await, content);
    }
}

async fn delete_file_deletes_files_only(place: Place) {
    place.put("t/a", "a").await;
    assert!(place.fs.delete_file(&place.path("t/a")).await.unwrap());
    assert!(!place.fs.delete_file(&place.path("t/a")).await.unwrap());
    assert!(
        !place
            .fs
            .delete_file(&place.path("no/such/directory"))
            .await
            .unwrap()
    );
    place.put("t/d/a", "a").await;
    let error = place.fs.delete_file(&place.path("t/d")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert_eq!(place.get("t/d/a").await, "a");
}

async fn remove_dir_removes_empty_directories_only(place: Place) {
    place.fs.create_dir(&place.path("empty")).await.unwrap();
    place.put("full/.h", "x").await;
    assert!(place.fs.remove_dir(&place.path("empty")).await.unwrap());
    assert!(!place.exists("empty").await);
    assert!(!place.fs.remove_dir(&place.path("empty")).await.unwrap());
    assert!(!place.fs.remove_dir(&place.path("full")).await.unwrap());
    assert_eq!(place.get("full/.h").await, "x");
    let error = place
        .fs
        .remove_dir(&place.path("full/.h"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
}

async fn delete_tree_deletes_everything_below(place: Place) {
    for path in ["t/a", "t/d/b", "t/d/.e/c", "tt/a", "file"] {
        place.put(path, path).await;
    }
    place.fs.create_dir(&place.path("t/empty")).await.unwrap();
    place.fs.delete_tree(&place.path("t")).await.unwrap();
    assert!(!place.exists("t").await);
    assert_eq!(place.get("tt/a").await, "tt/a");
    place.fs.delete_tree(&place.path("t")).await.unwrap();
    place.fs.delete_tree(&place.path("file")).await.unwrap();
    assert_eq!(place.names("").await, ["tt/"]);
}

async fn delete_tree_refuses_the_root(place: Place) {
    place.put("a", "a").await;
    let above = place.path("b/..");
    for path in [
        "/",
        "",
        "//",
        "/.",
        "/./",
        ".",
        "relative",
        "/wh/..",
        above.as_str(),
    ] {
        let error = place.fs.delete_tree(path).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path:?}");
    }
    assert_eq!(place.get("a").await, "a");
}

const ROUNDS: usize = 50;
const COMPETITORS: usize = 16;

async fn one_of_many_publishers_wins(place: Place) {
    let place = Arc::new(place);
    let barrier = Arc::new(Barrier::new(COMPETITORS));
    for round in 0..ROUNDS {
        let competitors = (0..COMPETITORS).map(|id| {
            let (place, barrier) = (Arc::clone(&place), Arc::clone(&barrier));
            tokio::spawn(async move {
                let staged = format!("_temporary/.tmp.{round}.{id}");
                place.put(&staged, &content_of(id)).await;
                barrier.wait().await;
                let target = place.path(&format!("data-{round}"));
                (
                    id,
                    place
                        .fs
                        .publish(&place.path(&staged), &target)
                        .await
                        .unwrap(),
                )
            })
        });
        let mut winners = Vec::new();
        for competitor in competitors.collect::<Vec<_>>() {
            let (id, outcome) = competitor.await.unwrap();
            let staged = place.exists(&format!("_temporary/.tmp.{round}.{id}")).await;
            assert_eq!(staged, outcome == PublishOutcome::TargetExists);
            winners.extend((outcome == PublishOutcome::Published).then_some(id));
        }
        assert_eq!(winners.len(), 1, "round {round}: {winners:?}");
        assert_eq!(
            place.get(&format!("data-{round}")).await,
            content_of(winners[0])
        );
    }
}

async fn one_of_many_creators_wins_and_no_part_is_seen(place: Place) {
    let place = Arc::new(place);
    let barrier = Arc::new(Barrier::new(COMPETITORS));
    let done = Arc::new(AtomicBool::new(false));
    let current = Arc::new(AtomicUsize::new(0));
    let reader = {
        let (place, done, current) = (Arc::clone(&place), Arc::clone(&done), Arc::clone(&current));
        tokio::spawn(async move {
            let mut seen = 0_usize;
            while !done.load(Ordering::Relaxed) {
                let path = place.path(&format!("schema-{}", current.load(Ordering::Relaxed)));
                if let Ok(file) = place.fs.open(&path, None).await {
                    let bytes = file.read(0..file.size()).await.unwrap();
                    let text = String::from_utf8(bytes.to_vec()).unwrap();
                    assert!(
                        (0..COMPETITORS).any(|id| text == content_of(id)),
                        "{} bytes",
                        text.len()
                    );
                    seen += 1;
                }
                tokio::task::yield_now().await;
            }
            seen
        })
    };
    for round in 0..ROUNDS {
        current.store(round, Ordering::Relaxed);
        let competitors = (0..COMPETITORS).map(|id| {
            let (place, barrier) = (Arc::clone(&place), Arc::clone(&barrier));
            tokio::spawn(async move {
                barrier.wait().await;
                let path = place.path(&format!("schema-{round}"));
                let won = place
                    .fs
                    .create_whole(&path, Bytes::from(content_of(id)))
                    .await
                    .unwrap();
                won.then_some(id)
            })
        });
        let mut winners = Vec::new();
        for competitor in competitors.collect::<Vec<_>>() {
            winners.extend(competitor.await.unwrap());
        }
        assert_eq!(winners.len(), 1, "round {round}: {winners:?}");
        assert_eq!(
            place.get(&format!("schema-{round}")).await,
            content_of(winners[0])
        );
    }
    done.store(true, Ordering::Relaxed);
    assert!(reader.await.unwrap() > 0, "the reader never saw a file");
    // No temporary file is left.
    assert_eq!(place.names("").await.len(), ROUNDS);
}

/// Content long enough that a part of it could be seen.
fn content_of(id: usize) -> String {
    format!("{id:02}").repeat(20_000)
}
