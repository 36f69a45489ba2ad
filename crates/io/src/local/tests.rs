use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ftable_core::ErrorKind;

use super::*;
use crate::path::join;

struct Place {
    fs: LocalFileSystem,
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            fs: LocalFileSystem::new(),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn root(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    fn path(&self, relative: &str) -> String {
        join(self.root(), relative)
    }

    fn put(&self, relative: &str, content: &[u8]) -> String {
        let path = self.path(relative);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn raw(&self, name: &[u8]) -> PathBuf {
        self.directory.path().join(OsStr::from_bytes(name))
    }

    async fn names(&self) -> Result<Vec<String>> {
        let listed = self.fs.list(self.root()).await?;
        Ok(listed
            .iter()
            .map(|status| status.name().to_owned())
            .collect())
    }
}

#[tokio::test]
async fn links_are_followed() {
    let place = Place::new();
    let file = place.put("real/a.csv", b"abc");
    symlink(place.path("real"), place.path("link")).unwrap();
    symlink(&file, place.path("b.csv")).unwrap();
    let listed = place.fs.list(place.root()).await.unwrap();
    let told: Vec<_> = listed.iter().map(|s| (s.name(), s.kind, s.size)).collect();
    assert_eq!(
        told,
        [
            ("b.csv", EntryKind::File, 3),
            ("link", EntryKind::Directory, 0),
            ("real", EntryKind::Directory, 0),
        ]
    );
    assert_eq!(
        place.fs.list(&place.path("link")).await.unwrap()[0].path,
        place.path("link/a.csv")
    );
    assert_eq!(
        place
            .fs
            .stat(&place.path("b.csv"))
            .await
            .unwrap()
            .unwrap()
            .size,
        3
    );
}

#[tokio::test]
async fn links_that_lead_nowhere_are_absent() {
    let place = Place::new();
    symlink("/no/such/file", place.path("dangling.csv")).unwrap();
    place.put("a.csv", b"");
    assert_eq!(place.names().await.unwrap(), ["a.csv"]);
    assert_eq!(
        place.fs.stat(&place.path("dangling.csv")).await.unwrap(),
        None
    );
}

#[tokio::test]
async fn a_link_to_itself_is_an_error_unless_hidden() {
    let place = Place::new();
    symlink("_self", place.path("_self")).unwrap();
    assert!(place.names().await.unwrap().is_empty());
    symlink("self", place.path("self")).unwrap();
    let error = place.names().await.unwrap_err();
    let expected = format!("cannot inspect '{}'", place.path("self"));
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[tokio::test]
async fn names_that_are_no_text_are_an_error_unless_hidden() {
    let place = Place::new();
    fs::write(place.raw(b"_\xff"), b"").unwrap();
    fs::write(place.raw(b".\xff"), b"").unwrap();
    assert!(place.names().await.unwrap().is_empty());
    fs::write(place.raw(b"a\xff.csv"), b"").unwrap();
    let error = place.names().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let expected = format!(
        "the name 'a\u{fffd}.csv' in directory '{}' is not valid UTF-8; rename or remove it",
        place.root()
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_vanishes_during_a_listing_is_left_out() {
    let place = Place::new();
    place.put("stays.csv", b"x");
    let root = place.root().to_owned();
    let done = Arc::new(AtomicBool::new(false));
    let busy = {
        let done = Arc::clone(&done);
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                for number in 0..50 {
                    fs::write(join(&root, &format!("{number}.csv")), b"y").unwrap();
                }
                for number in 0..50 {
                    fs::remove_file(join(&root, &format!("{number}.csv"))).unwrap();
                }
            }
        })
    };
    for _ in 0..300 {
        assert!(
            place
                .names()
                .await
                .unwrap()
                .contains(&"stays.csv".to_owned())
        );
    }
    done.store(true, Ordering::Relaxed);
    busy.join().unwrap();
}

#[test]
fn the_blocking_lister_looks_up_only_what_is_wanted() {
    let place = Place::new();
    place.put("a.csv", b"abc");
    place.put("d/b.csv", b"b");
    let lister = place.fs.blocking_lister().unwrap();
    for (want_metadata, size) in [(true, 3), (false, 0)] {
        let mut found = Vec::new();
        lister
            .list(place.root(), want_metadata, &mut |entry| {
                let has_time = entry.modified_millis.is_some();
                found.push((entry.name.to_owned(), entry.is_dir, entry.size, has_time));
            })
            .unwrap();
        found.sort();
        assert_eq!(
            found,
            [
                ("a.csv".to_owned(), false, size, want_metadata),
                ("d".to_owned(), true, 0, false),
            ]
        );
    }
}

#[tokio::test]
async fn modification_times_are_milliseconds_since_the_epoch() {
    let place = Place::new();
    let path = place.put("a.csv", b"abc");
    let time = UNIX_EPOCH + std::time::Duration::from_millis(1_700_000_000_123);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let expected = Some(1_700_000_000_123);
    assert_eq!(
        place.fs.stat(&path).await.unwrap().unwrap().modified_millis,
        expected
    );
    assert_eq!(
        place.fs.list(place.root()).await.unwrap()[0].modified_millis,
        expected
    );
}

#[tokio::test]
async fn a_file_truncated_after_it_was_opened_is_corrupt() {
    let place = Place::new();
    let path = place.put("a.csv", b"0123456789");
    let file = place.fs.open(&path, None).await.unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(4)
        .unwrap();
    let error = file.read(2..8).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptFile);
    let expected = format!("cannot read bytes 2..8 of '{path}': it has 4 bytes");
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert_eq!(file.read(1..4).await.unwrap(), "123");
}

#[tokio::test]
async fn an_open_file_is_read_after_it_was_deleted() {
    let place = Place::new();
    let path = place.put("a.csv", b"0123456789");
    let file = place.fs.open(&path, None).await.unwrap();
    assert!(place.fs.delete_file(&path).await.unwrap());
    assert_eq!(file.read(0..10).await.unwrap(), "0123456789");
}

#[tokio::test]
async fn a_range_is_read_on_the_calling_thread_too() {
    let place = Place::new();
    let path = place.put("f", b"0123456789");
    let file = place.fs.open(&path, None).await.unwrap();
    let reader = file.blocking_reader().unwrap();
    assert_eq!(reader.read_blocking(2..5).unwrap(), "234");
    assert_eq!(reader.read_blocking(10..10).unwrap(), "");
    let error = reader.read_blocking(8..11).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptFile);
    assert!(error.to_string().contains(&path), "{error}");
}

#[tokio::test]
async fn near_ranges_are_slices_of_one_buffer() {
    let place = Place::new();
    let path = place.put("a", &[7; 1000]);
    let file = place.fs.open(&path, None).await.unwrap();
    let read = file.read_ranges(&[0..100, 500..600]).await.unwrap();
    let start = |index: usize| read[index].as_ptr() as usize;
    assert_eq!(start(1) - start(0), 500);
}

#[tokio::test]
async fn what_is_no_regular_file_is_not_opened() {
    let place = Place::new();
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    for path in [place.path("socket"), "/dev/null".to_owned()] {
        let error = place.fs.open(&path, None).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot open '{path}': it is not a file")
        );
    }
}

#[test]
fn a_write_given_up_half_way_spoils_the_file() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let place = Place::new();
    let path = place.path(".a");
    runtime.block_on(async {
        let mut file = place.fs.create(&path).await.unwrap();
        // The one blocking thread is busy, so the write cannot be done when it is dropped.
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || wait.recv());
        let mut write = file.write(Bytes::from(vec![1; 5_000_000]));
        assert!(futures::poll!(&mut write).is_pending());
        drop(write);
        release.send(()).unwrap();
        busy.await.unwrap().unwrap();
        let error = file.close().await.unwrap_err();
        assert!(error.to_string().contains("given up half-way"), "{error}");
    });
    assert!(!Path::new(&path).exists());
}

#[tokio::test]
async fn delete_tree_deletes_links_and_not_what_they_lead_to() {
    let place = Place::new();
    let kept = place.put("kept/a.csv", b"abc");
    fs::create_dir(place.path("t")).unwrap();
    symlink(place.path("kept"), place.path("t/link")).unwrap();
    symlink(&kept, place.path("t/file")).unwrap();
    symlink(place.path("kept"), place.path("top")).unwrap();
    place.fs.delete_tree(&place.path("t")).await.unwrap();
    place.fs.delete_tree(&place.path("top/")).await.unwrap();
    assert!(Path::new(&kept).exists());
    assert!(fs::symlink_metadata(place.path("t")).is_err());
    assert!(fs::symlink_metadata(place.path("top")).is_err());
}

#[tokio::test]
async fn a_link_counts_as_taken_even_when_it_leads_nowhere() {
    let place = Place::new();
    symlink("/no/such/file", place.path("target")).unwrap();
    let staged = place.put(".staged", b"abc");
    let target = place.path("target");
    let outcome = place.fs.publish(&staged, &target).await.unwrap();
    assert_eq!(outcome, PublishOutcome::TargetExists);
    assert!(!place.fs.create_whole(&target, Bytes::new()).await.unwrap());
    let error = place.fs.rename(&staged, &target).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(Path::new(&staged).exists());
}

#[tokio::test]
async fn an_interrupted_move_is_completed_by_moving_again() {
    let place = Place::new();
    let from = place.put("a.csv", b"abc");
    let to = place.path("b.csv");
    fs::hard_link(&from, &to).unwrap();
    place.fs.rename(&from, &to).await.unwrap();
    assert!(!Path::new(&from).exists());
    assert_eq!(fs::read(&to).unwrap(), b"abc");
}

#[tokio::test]
async fn publishing_under_a_file_is_an_error() {
    let place = Place::new();
    let staged = place.put(".staged", b"abc");
    place.put("file", b"x");
    assert!(
        place
            .fs
            .publish(&staged, &place.path("file/target"))
            .await
            .is_err()
    );
    assert!(place.fs.create(&place.path("file/new")).await.is_err());
    assert!(Path::new(&staged).exists());
}

#[tokio::test]
async fn a_link_across_file_systems_is_refused_by_name() {
    let place = Place::new();
    let staged = place.put(".staged", b"abc");
    // Another file system than the temporary directory's on most machines; else there is nothing to see.
    let elsewhere = Path::new("/dev/shm");
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    if device(elsewhere).is_none() || device(elsewhere) == device(place.directory.path()) {
        return;
    }
    let directory = tempfile::tempdir_in(elsewhere).unwrap();
    let target = join(directory.path().to_str().unwrap(), "target");
    let error = place.fs.publish(&staged, &target).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("hard link"), "{error}");
    assert!(Path::new(&staged).exists() && !Path::new(&target).exists());
}

#[test]
fn outside_of_a_runtime_a_call_fails_and_does_not_panic() {
    let fs = LocalFileSystem::new();
    let mut stat = Box::pin(fs.stat("/"));
    let waker = futures::task::noop_waker();
    let mut context = std::task::Context::from_waker(&waker);
    let std::task::Poll::Ready(result) = stat.as_mut().poll(&mut context) else {
        panic!("must be ready at once");
    };
    let text = result.unwrap_err().to_string();
    assert!(text.starts_with("cannot inspect '/'"), "{text}");
}
