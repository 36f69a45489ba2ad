//! When credentials are renewed, and what happens to the work that is under way.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use ftable_core::{ErrorKind, Options};
use ftable_io::{
    Capabilities, FileStatus, InputFile, OpendalFileSystem, OutputFile, PublishOutcome, Result,
};
use futures::future::join_all;

use super::super::clock::Clock;
use super::grants::{Token, Tokens};
use super::*;

const HOUR: i64 = 3_600_000;

/// The world of a test: the time, the server of credentials, and which of them the store takes.
#[derive(Debug)]
struct World {
    now: Arc<AtomicI64>,
    /// How long credentials live.
    life: AtomicI64,
    fetched: AtomicU64,
    failing: AtomicBool,
    /// Gives the same credentials again and again.
    stuck: AtomicBool,
    /// The store takes credentials with this number and later ones.
    oldest_accepted: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug)]
struct Fetcher(Arc<World>);

#[async_trait]
impl Tokens for Fetcher {
    async fn fetch(&self) -> crate::Result<Token> {
        let number = self.0.fetched.fetch_add(1, Ordering::SeqCst) + 1;
        // Others get to run meanwhile.
        tokio::task::yield_now().await;
        if self.0.failing.load(Ordering::SeqCst) {
            return crate::error::TableNotFoundSnafu { table: "d.t" }.fail();
        }
        let now = self.0.now.load(Ordering::SeqCst);
        if self.0.stuck.load(Ordering::SeqCst) {
            return Ok(Token {
                options: Options::from([("number", "1")]),
                expires_at_millis: Some(self.0.life.load(Ordering::SeqCst)),
            });
        }
        Ok(Token {
            options: Options::from([("number", number.to_string())]),
            expires_at_millis: Some(now + self.0.life.load(Ordering::SeqCst)),
        })
    }
}

/// A store that takes only some credentials.
#[derive(Debug, Clone)]
struct Guarded {
    world: Arc<World>,
    number: u64,
    inner: Arc<dyn FileSystem>,
}

impl Guarded {
    fn check(&self, path: &str) -> Result<()> {
        if self.number >= self.world.oldest_accepted.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.world.refused.fetch_add(1, Ordering::SeqCst);
        Err(ftable_io::Error::Store {
            operation: "use",
            path: path.to_owned(),
            reason: "the credentials have expired".to_owned(),
            kind: ErrorKind::PermissionDenied,
            source: "from the test".into(),
        })
    }
}

#[async_trait]
impl FileSystem for Guarded {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        self.check(dir)?;
        self.inner.list(dir).await
    }
    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        self.check(path)?;
        self.inner.stat(path).await
    }
    async fn open(&self, path: &str, size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        self.check(path)?;
        let file = self.inner.open(path, size).await?;
        Ok(Arc::new(GuardedFile {
            store: self.clone(),
            file,
        }))
    }
    async fn create(&self, path: &str) -> Result<Box<dyn OutputFile>> {
        self.check(path)?;
        self.inner.create(path).await
    }
    async fn create_whole(&self, path: &str, bytes: Bytes) -> Result<bool> {
        self.check(path)?;
        self.inner.create_whole(path, bytes).await
    }
    async fn publish(&self, staged: &str, target: &str) -> Result<PublishOutcome> {
        self.check(staged)?;
        self.inner.publish(staged, target).await
    }
    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.check(from)?;
        self.inner.rename(from, to).await
    }
    async fn delete_file(&self, path: &str) -> Result<bool> {
        self.check(path)?;
        self.inner.delete_file(path).await
    }
    async fn create_dir(&self, path: &str) -> Result<()> {
        self.check(path)?;
        self.inner.create_dir(path).await
    }
    async fn remove_dir(&self, path: &str) -> Result<bool> {
        self.check(path)?;
        self.inner.remove_dir(path).await
    }
    async fn delete_tree(&self, path: &str) -> Result<()> {
        self.check(path)?;
        self.inner.delete_tree(path).await
    }
}

#[derive(Debug)]
struct GuardedFile {
    store: Guarded,
    file: Arc<dyn InputFile>,
}

#[async_trait]
impl InputFile for GuardedFile {
    fn path(&self) -> &str {
        self.file.path()
    }
    fn size(&self) -> u64 {
        self.file.size()
    }
    async fn read_ranges(&self, ranges: &[std::ops::Range<u64>]) -> Result<Vec<Bytes>> {
        self.store.check(self.path())?;
        self.file.read_ranges(ranges).await
    }
}

/// A file system with credentials that live so long, and how often its stores were opened.
fn file_system(name: &str, life: i64) -> (Arc<World>, TokenFileSystem, Arc<Mutex<Vec<u64>>>) {
    let world = Arc::new(World {
        now: Arc::default(),
        life: AtomicI64::new(life),
        fetched: AtomicU64::new(0),
        failing: AtomicBool::new(false),
        stuck: AtomicBool::new(false),
        oldest_accepted: AtomicU64::new(0),
        refused: AtomicU64::new(0),
    });
    let inner: Arc<dyn FileSystem> = Arc::new(OpendalFileSystem::memory(name).unwrap());
    let capabilities = inner.capabilities();
    let opened = Arc::<Mutex<Vec<u64>>>::default();
    let (record, of_store) = (Arc::clone(&opened), Arc::clone(&world));
    let open = Box::new(move |options: &Options, _| {
        let number = options.get_raw("number").unwrap().parse().unwrap();
        record.lock().unwrap().push(number);
        Ok(Arc::new(Guarded {
            world: Arc::clone(&of_store),
            number,
            inner: Arc::clone(&inner),
        }) as Arc<dyn FileSystem>)
    });
    let grants = Grants::new(
        "d.t".to_owned(),
        Box::new(Fetcher(Arc::clone(&world))),
        Clock::at(&world.now),
    );
    let source = TokenSource::new(grants, open, false);
    let files = TokenFileSystem::new(Arc::new(source), capabilities);
    (world, files, opened)
}

fn at(world: &World, now: i64) {
    world.now.store(now, Ordering::SeqCst);
}

fn fetched(world: &World) -> u64 {
    world.fetched.load(Ordering::SeqCst)
}

#[tokio::test]
async fn credentials_are_asked_for_when_they_are_needed_and_once_for_all() {
    let (world, files, opened) = file_system("token-once", 2 * HOUR);
    assert!(files.capabilities().flat_listing);
    assert_eq!(fetched(&world), 0);
    let found = join_all((0..8).map(|_| files.stat("/t"))).await;
    assert!(found.iter().all(|found| matches!(found, Ok(None))));
    assert_eq!(fetched(&world), 1);
    assert_eq!(*opened.lock().unwrap(), [1]);
}

#[tokio::test]
async fn they_are_renewed_in_their_last_tenth_and_an_hour_before_the_end_at_the_earliest() {
    // With 50 minutes they are used for 45, with 20 hours for 19.
    for (life, due) in [
        (50 * 60_000, 45 * 60_000),
        (20 * HOUR, 19 * HOUR),
        (2000, 1800),
        (HOUR, 54 * 60_000),
    ] {
        let (world, files, _) = file_system(&format!("token-margin-{life}"), life);
        files.stat("/t").await.unwrap();
        at(&world, due);
        for _ in 0..3 {
            files.stat("/t").await.unwrap();
        }
        assert_eq!(fetched(&world), 1, "{life}");
        at(&world, due + 1);
        for _ in 0..3 {
            files.stat("/t").await.unwrap();
        }
        assert_eq!(fetched(&world), 2, "{life}");
    }
}

#[tokio::test]
async fn who_comes_during_a_renewal_uses_what_is_valid() {
    let (world, files, opened) = file_system("token-early", 1000);
    files.stat("/t").await.unwrap();
    at(&world, 950);
    join_all((0..8).map(|_| files.stat("/t"))).await;
    assert_eq!(fetched(&world), 2);
    assert_eq!(*opened.lock().unwrap(), [1, 2]);
}

#[tokio::test]
async fn credentials_are_kept_while_they_are_valid_when_no_others_can_be_had() {
    let (world, files, opened) = file_system("token-keep", 1000);
    files.stat("/t").await.unwrap();
    world.failing.store(true, Ordering::SeqCst);
    at(&world, 920);
    for _ in 0..5 {
        files.stat("/t").await.unwrap();
    }
    // One try, and no other before half of what is left is over.
    assert_eq!(fetched(&world), 2);
    at(&world, 960);
    files.stat("/t").await.unwrap();
    assert_eq!(fetched(&world), 3);
    at(&world, 1000);
    let error = files.stat("/t").await.unwrap_err();
    // A token of a table that is gone is no directory without files.
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(
        error
            .to_string()
            .contains("no credentials for the files of table d.t")
    );
    world.failing.store(false, Ordering::SeqCst);
    files.stat("/t").await.unwrap();
    assert_eq!(opened.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_server_that_gives_the_same_credentials_is_not_asked_at_every_call() {
    let (world, files, opened) = file_system("token-stuck", 1000);
    world.stuck.store(true, Ordering::SeqCst);
    files.stat("/t").await.unwrap();
    at(&world, 920);
    for _ in 0..5 {
        files.stat("/t").await.unwrap();
    }
    assert_eq!(fetched(&world), 2);
    // A tenth of the 80 that were left.
    at(&world, 992);
    files.stat("/t").await.unwrap();
    assert_eq!(fetched(&world), 2);
    at(&world, 993);
    files.stat("/t").await.unwrap();
    assert_eq!(fetched(&world), 3);
    // The same credentials are the same store.
    assert_eq!(*opened.lock().unwrap(), [1]);
}

#[tokio::test]
async fn a_file_is_begun_with_half_of_a_life_or_an_hour_left() {
    for (life, due) in [
        (1000, 500),
        (50 * 60_000, 25 * 60_000),
        (12 * HOUR, 11 * HOUR),
    ] {
        let (world, files, _) = file_system(&format!("token-writer-{life}"), life);
        drop(files.create("/t/_a").await.unwrap());
        at(&world, due);
        drop(files.create("/t/_b").await.unwrap());
        assert_eq!(fetched(&world), 1, "{life}");
        at(&world, due + 1);
        if life < 10 * HOUR {
            // Long enough for a call.
            files.stat("/t").await.unwrap();
            assert_eq!(fetched(&world), 1, "{life}");
        }
        for name in ["/t/_c", "/t/_d"] {
            drop(files.create(name).await.unwrap());
        }
        assert_eq!(fetched(&world), 2, "{life}");
    }
}

#[tokio::test]
async fn a_refused_call_is_done_once_more_with_new_credentials() {
    let (world, files, opened) = file_system("token-refused", HOUR);
    assert!(
        files
            .create_whole("/t/a", Bytes::from_static(b"x"))
            .await
            .unwrap()
    );
    world.oldest_accepted.store(2, Ordering::SeqCst);
    let found = join_all((0..8).map(|_| files.stat("/t/a"))).await;
    assert!(found.iter().all(|found| found.as_ref().unwrap().is_some()));
    assert_eq!(fetched(&world), 2);
    assert_eq!(*opened.lock().unwrap(), [1, 2]);
    assert_eq!(files.list("/t").await.unwrap().len(), 1);
    // Refused for good.
    world.oldest_accepted.store(u64::MAX, Ordering::SeqCst);
    world.refused.store(0, Ordering::SeqCst);
    let error = files.list("/t").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert_eq!(world.refused.load(Ordering::SeqCst), 2);
    assert_eq!(fetched(&world), 3);
}

#[tokio::test]
async fn an_open_file_outlives_its_credentials() {
    let (world, files, _) = file_system("token-open-file", 1000);
    let bytes = Bytes::from_static(b"0123456789");
    assert!(files.create_whole("/t/a", bytes).await.unwrap());
    let open = join_all((0..8).map(|_| files.open("/t/a", Some(10)))).await;
    let open: Vec<_> = open.into_iter().map(std::result::Result::unwrap).collect();
    // Expired by the clock.
    at(&world, 2000);
    world.oldest_accepted.store(2, Ordering::SeqCst);
    let read = join_all(open.iter().map(|file| file.read(2..5))).await;
    assert!(
        read.iter()
            .all(|bytes| bytes.as_ref().unwrap() == &b"234"[..])
    );
    assert_eq!(
        (fetched(&world), world.refused.load(Ordering::SeqCst)),
        (2, 0)
    );
    // Refused by the store before the clock says so.
    world.oldest_accepted.store(3, Ordering::SeqCst);
    let read = join_all(open.iter().map(|file| file.read(5..6))).await;
    assert!(
        read.iter()
            .all(|bytes| bytes.as_ref().unwrap() == &b"5"[..])
    );
    assert_eq!(fetched(&world), 3);
    assert_eq!((open[0].path(), open[0].size()), ("/t/a", 10));
}

#[tokio::test]
async fn a_write_commits_with_other_credentials_than_it_began_with() {
    let (world, files, _) = file_system("token-write", 2000);
    let mut output = files.create("/t/_staged").await.unwrap();
    output.write(Bytes::from_static(b"rows")).await.unwrap();
    output.close().await.unwrap();
    at(&world, 5000);
    world.oldest_accepted.store(2, Ordering::SeqCst);
    let outcome = files.publish("/t/_staged", "/t/data").await.unwrap();
    assert_eq!(outcome, PublishOutcome::Published);
    assert!(!files.delete_file("/t/_staged").await.unwrap());
    assert_eq!(fetched(&world), 2);
}

#[test]
fn debug_shows_no_credentials() {
    let (_, files, _) = file_system("token-debug", 1000);
    let shown = format!("{files:?}");
    assert!(
        shown.contains("d.t") && !shown.contains("number"),
        "{shown}"
    );
}
