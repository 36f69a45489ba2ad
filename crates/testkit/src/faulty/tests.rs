use std::path::PathBuf;
use std::time::{Duration, Instant};

use ftable_io::LocalFileSystem;

use super::*;

struct Place {
    directory: tempfile::TempDir,
    files: FaultyFileSystem,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            files: FaultyFileSystem::over(Arc::new(LocalFileSystem::new())),
        }
    }

    fn path(&self, name: &str) -> String {
        self.local(name).to_str().unwrap().to_owned()
    }

    fn local(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    async fn write(&self, name: &str) -> Result<u64> {
        let mut file = self.files.create(&self.path(name)).await?;
        file.write(Bytes::from_static(b"abc")).await?;
        file.close().await
    }
}

#[tokio::test]
async fn every_operation_is_counted_and_recorded() {
    let place = Place::new();
    let files = &place.files;
    let path = |name: &str| place.path(name);
    files.create_dir(&path("d")).await.unwrap();
    assert_eq!(place.write("d/a").await.unwrap(), 3);
    assert!(
        files
            .create_whole(&path("w"), Bytes::from_static(b"w"))
            .await
            .unwrap()
    );
    files.publish(&path("d/a"), &path("p")).await.unwrap();
    files.sync_file(&path("p")).await.unwrap();
    files.sync_directory(&path("d")).await.unwrap();
    assert!(
        !files
            .create_whole_unsynced(&path("w"), Bytes::new())
            .await
            .unwrap()
    );
    files.rename(&path("p"), &path("r")).await.unwrap();
    assert_eq!(files.list(&path("")).await.unwrap().len(), 3);
    assert_eq!(files.stat(&path("r")).await.unwrap().unwrap().size, 3);
    let file = files.open(&path("r"), None).await.unwrap();
    assert_eq!(file.read(0..file.size()).await.unwrap(), "abc");
    assert!(files.delete_file(&path("r")).await.unwrap());
    assert!(files.remove_dir(&path("d")).await.unwrap());
    files.delete_tree(&path("w")).await.unwrap();

    for operation in Operation::ALL {
        assert_eq!(files.calls(operation), 1, "{operation:?}");
    }
    assert_eq!((files.all_calls(), files.faults()), (17, 0));
    let published = files.trace().swap_remove(5);
    let expected = Call {
        operation: Operation::Publish,
        path: path("p"),
        from: Some(path("d/a")),
    };
    assert_eq!(published, expected);
    let root = place.directory.path().to_str().unwrap();
    assert_eq!(files.calls_outside(root), []);
    let outside_d = files.calls_outside(&path("d"));
    assert!(outside_d.contains(&expected) && outside_d.len() == 11);
    assert!(files.blocking_lister().is_none());

    files.reset_counters();
    assert_eq!((files.all_calls(), files.trace()), (0, Vec::new()));
}

#[tokio::test]
async fn a_failed_call_does_nothing_and_a_lost_answer_does_all() {
    let place = Place::new();
    place
        .files
        .inject(Rule::new(Operation::CreateDir, Fault::Fail).call(2));
    place
        .files
        .inject(Rule::new(Operation::CreateDir, Fault::LoseAnswer).on_path("lost"));
    for name in ["one", "two", "lost", "three"] {
        let made = place.files.create_dir(&place.path(name)).await;
        assert_eq!(
            made.is_ok(),
            ["one", "three"].contains(&name),
            "{name}: {made:?}"
        );
        assert_eq!(place.local(name).exists(), name != "two", "{name}");
    }
    assert_eq!(place.files.faults(), 2);
    let error = place
        .files
        .create_dir(&place.path("lost"))
        .await
        .unwrap_err();
    assert!(error.retryable());
    let text = format!(
        "cannot create directory '{}': injected fault",
        place.path("lost")
    );
    assert_eq!(error.to_string(), text);
    place.files.heal();
    place.files.create_dir(&place.path("lost")).await.unwrap();
}

#[tokio::test]
async fn files_fail_too() {
    for operation in [Operation::Create, Operation::Write, Operation::Close] {
        let place = Place::new();
        place.files.inject(Rule::new(operation, Fault::Fail));
        place.write("a").await.unwrap_err();
        assert!(!place.local("a").exists(), "{operation:?}");
    }
    let place = Place::new();
    place
        .files
        .inject(Rule::new(Operation::Read, Fault::Fail).call(2));
    place.write("a").await.unwrap();
    let file = place.files.open(&place.path("a"), None).await.unwrap();
    file.read(0..1).await.unwrap();
    file.read(0..1).await.unwrap_err();
    file.read(0..1).await.unwrap();
}

#[tokio::test]
async fn what_a_lost_answer_made_is_left() {
    for operation in [Operation::Create, Operation::Close] {
        let place = Place::new();
        place.files.inject(Rule::new(operation, Fault::LoseAnswer));
        place.write("a").await.unwrap_err();
        assert!(place.local("a").exists(), "{operation:?}");
    }
}

#[tokio::test]
async fn after_a_crash_nothing_happens_any_more() {
    let place = Place::new();
    place.files.inject(Rule::any(Fault::Crash).call(3));
    let mut file = place.files.create(&place.path("a")).await.unwrap();
    file.write(Bytes::from_static(b"abc")).await.unwrap();
    file.close().await.unwrap_err();
    file.abort().await.unwrap_err();
    drop(file);
    assert!(place.files.has_crashed());
    assert!(place.local("a").exists());
    place.files.delete_file(&place.path("a")).await.unwrap_err();
    assert!(place.local("a").exists());
    assert_eq!(place.files.all_calls(), 3);

    place.files.heal();
    assert!(place.files.delete_file(&place.path("a")).await.unwrap());
}

#[tokio::test]
async fn delays_come_before_what_else_happens() {
    let place = Place::new();
    let delay = Duration::from_millis(30);
    place
        .files
        .inject(Rule::new(Operation::Stat, Fault::Delay(delay)));
    place
        .files
        .inject(Rule::new(Operation::Stat, Fault::Fail).from_call(2));
    let started = Instant::now();
    place.files.stat(&place.path("a")).await.unwrap();
    assert!(started.elapsed() >= delay);
    place.files.stat(&place.path("a")).await.unwrap_err();
    assert!(started.elapsed() >= 2 * delay);
    assert_eq!(place.files.faults(), 1);
}
