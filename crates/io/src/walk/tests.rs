use std::collections::BTreeSet;

use futures::TryStreamExt;

use super::*;
use crate::{LocalFileSystem, Location, open_file_system};

/// Goes two levels down, skips what begins with `x`, fails at `bad`.
struct TwoLevels;

impl Guide for TwoLevels {
    type Node = usize;
    type Error = Error;

    fn visit(&self, level: &usize, directory: &str, entry: RawEntry<'_>) -> Result<Visit<usize>> {
        if entry.name == "bad" {
            return TooDeepSnafu {
                path: directory,
                root: "",
                limit: 0_usize,
            }
            .fail();
        }
        Ok(match (entry.is_dir, entry.name.starts_with('x'), level) {
            (false, _, _) | (_, true, _) => Visit::Skip,
            (_, _, 0) => Visit::Descend(1),
            _ => Visit::Leaf(2),
        })
    }
}

fn options() -> WalkOptions {
    WalkOptions {
        parallelism: 4,
        list_leaves: true,
        prefer_flat: false,
        listings: Arc::default(),
    }
}

async fn collect(
    fs: Arc<dyn FileSystem>,
    root: &str,
    options: WalkOptions,
) -> Result<BTreeSet<String>> {
    let found: Vec<Vec<Leaf<usize>>> = walk(fs, root, 0, Arc::new(TwoLevels), options)
        .try_collect()
        .await?;
    let mut names = BTreeSet::new();
    for leaf in found.into_iter().flatten() {
        assert_eq!(leaf.node, 2);
        assert!(names.insert(leaf.path.clone()), "{} came twice", leaf.path);
        for file in leaf.files {
            names.insert(format!("{}/{}:{}", leaf.path, file.name, file.size));
        }
    }
    Ok(names)
}

const FILES: [&str; 9] = [
    "a/1/f",
    "a/1/g",
    "a/2/f",
    "b/1/sub/deep/f",
    "b/1/_hidden/f",
    "b/1/.f",
    "x/1/f",
    "a/x2/f",
    "loose",
];

const EXPECTED: [&str; 7] = [
    "a/1",
    "a/1/f:3",
    "a/1/g:3",
    "a/2",
    "a/2/f:3",
    "b/1",
    "b/1/sub/deep/f:3",
];

#[tokio::test]
async fn a_local_walk_and_a_walk_by_requests_find_the_same() {
    let directory = tempfile::tempdir().unwrap();
    for file in FILES {
        let path = directory.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "abc").unwrap();
    }
    let expected: BTreeSet<String> = EXPECTED.map(str::to_owned).into();
    let root = directory.path().to_str().unwrap();
    let options_of_local = options();
    let local: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    assert_eq!(
        collect(local, root, options_of_local.clone())
            .await
            .unwrap(),
        expected
    );
    // The root, a, b, a/1, a/2, b/1, b/1/sub and b/1/sub/deep.
    assert_eq!(options_of_local.listings.load(Ordering::Relaxed), 8);

    let location: Location = "memory://walk-finds-the-same/".parse().unwrap();
    let memory = open_file_system(&location, &ftable_core::Options::default()).unwrap();
    for file in FILES {
        assert!(
            memory
                .create_whole(&format!("/t/{file}"), "abc".into())
                .await
                .unwrap()
        );
    }
    assert_eq!(
        collect(Arc::clone(&memory), "/t", options()).await.unwrap(),
        expected
    );

    // `a-b` sorts between the marker of `a` and what lies in it.
    for directory in ["/t/a", "/t/a/3", "/t/a-b/3"] {
        memory.create_dir(directory).await.unwrap();
    }
    let empty = ["a/3".to_owned(), "a-b/3".to_owned()];
    let with_empty: BTreeSet<String> = expected.into_iter().chain(empty).collect();
    let flat = WalkOptions {
        prefer_flat: true,
        ..options()
    };
    assert_eq!(
        collect(Arc::clone(&memory), "/t", flat.clone())
            .await
            .unwrap(),
        with_empty
    );
    assert_eq!(flat.listings.load(Ordering::Relaxed), 1);
    assert_eq!(collect(memory, "/t", options()).await.unwrap(), with_empty);
}

#[tokio::test]
async fn a_missing_root_has_no_leaves() {
    let local: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    assert_eq!(
        collect(local, "/nowhere/to/be/found", options())
            .await
            .unwrap(),
        BTreeSet::new()
    );
}

#[tokio::test]
async fn files_of_leaves_are_listed_only_when_wanted() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("a/1/sub")).unwrap();
    let options = WalkOptions {
        list_leaves: false,
        ..options()
    };
    let local: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let found = collect(local, directory.path().to_str().unwrap(), options.clone())
        .await
        .unwrap();
    assert_eq!(found, ["a/1".to_owned()].into());
    assert_eq!(options.listings.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn an_error_of_the_guide_ends_the_walk() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a/1", "a/bad", "b/1"] {
        std::fs::create_dir_all(directory.path().join(name)).unwrap();
    }
    let local: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let error = collect(local, directory.path().to_str().unwrap(), options())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("'a'"), "{error}");
}

#[tokio::test]
async fn a_loop_of_symbolic_links_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("a/1")).unwrap();
    std::os::unix::fs::symlink(
        directory.path().join("a/1"),
        directory.path().join("a/1/again"),
    )
    .unwrap();
    let local: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let error = collect(local, directory.path().to_str().unwrap(), options())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
}

/// Ends the listing of the root only when what it showed first was listed, which another thread has to do.
#[derive(Debug, Default)]
struct SlowRoot {
    listed: std::sync::Mutex<BTreeSet<String>>,
    is_listed: std::sync::Condvar,
}

impl crate::file_system::BlockingLister for SlowRoot {
    fn list(&self, dir: &str, _: bool, visit: &mut dyn FnMut(RawEntry<'_>)) -> Result<()> {
        if dir != "/t" {
            self.listed.lock().unwrap().insert(dir.to_owned());
            self.is_listed.notify_all();
            return Ok(());
        }
        // Whichever comes first once the other thread waits.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        for number in 0.. {
            visit(RawEntry {
                name: &format!("a{number}"),
                is_dir: true,
                size: 0,
                modified_millis: None,
            });
            let listed = self.listed.lock().unwrap();
            let wait = std::time::Duration::from_millis(5);
            let (listed, _) = self.is_listed.wait_timeout(listed, wait).unwrap();
            if !listed.is_empty() {
                return Ok(());
            }
            assert!(std::time::Instant::now() < deadline, "{listed:?}");
        }
        Ok(())
    }
}

#[tokio::test]
async fn what_is_found_early_in_a_wide_directory_is_not_waited_for() {
    let lister = Arc::new(SlowRoot::default());
    let walked = blocking::walk(
        lister,
        "/t".to_owned(),
        0,
        Arc::new(TwoLevels),
        WalkOptions {
            parallelism: 2,
            ..options()
        },
    );
    let found: Vec<Vec<Leaf<usize>>> = walked.try_collect().await.unwrap();
    assert_eq!(found.into_iter().flatten().count(), 0);
}
