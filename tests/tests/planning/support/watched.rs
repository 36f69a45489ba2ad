//! A store that tells of its listings, and lets a test come between one listing and the next.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use ftable::FileSystem;
use ftable_io::{
    BlockingLister, Capabilities, Error, FileStatus, InputFile, OutputFile, PublishOutcome,
    RawEntry, Result,
};

/// What happens at the listing of a directory.
type Hook = Box<dyn Fn(&str) -> Option<std::io::ErrorKind> + Send + Sync>;

/// Watches the listings of another store.
pub(crate) struct Watched {
    inner: Arc<dyn FileSystem>,
    state: Arc<State>,
    blocking: bool,
    pause: Duration,
}

struct State {
    listed: Mutex<Vec<String>>,
    opened: Mutex<Vec<String>>,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    before: Hook,
    after: Box<dyn Fn(&str) + Send + Sync>,
}

impl Watched {
    /// Passes everything on. With `blocking` a local store is still walked by threads, else by requests.
    pub(crate) fn new(inner: &Arc<dyn FileSystem>, blocking: bool) -> Self {
        let state = State {
            listed: Mutex::default(),
            opened: Mutex::default(),
            under_way: AtomicUsize::new(0),
            most_under_way: AtomicUsize::new(0),
            before: Box::new(|_| None),
            after: Box::new(|_| {}),
        };
        Self {
            inner: Arc::clone(inner),
            state: Arc::new(state),
            blocking,
            pause: Duration::ZERO,
        }
    }

    fn state(&mut self) -> &mut State {
        Arc::get_mut(&mut self.state).unwrap()
    }

    /// Fails the listings for which `fail` has an error.
    pub(crate) fn failing(
        mut self,
        fail: impl Fn(&str) -> Option<std::io::ErrorKind> + Send + Sync + 'static,
    ) -> Self {
        self.state().before = Box::new(fail);
        self
    }

    /// Runs after each listing, before what it found is looked at.
    pub(crate) fn after(mut self, then: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.state().after = Box::new(then);
        self
    }

    /// Makes every request take a while.
    pub(crate) fn slow(mut self) -> Self {
        self.pause = Duration::from_millis(3);
        self
    }

    /// The directories that were listed, sorted.
    pub(crate) fn listed(&self) -> Vec<String> {
        let mut listed = self.state.listed.lock().unwrap().clone();
        listed.sort();
        listed
    }

    /// The files that were opened, sorted.
    pub(crate) fn opened(&self) -> Vec<String> {
        let mut opened = self.state.opened.lock().unwrap().clone();
        opened.sort();
        opened
    }

    /// The most listings that were under way at once.
    pub(crate) fn most_under_way(&self) -> usize {
        self.state.most_under_way.load(Ordering::SeqCst)
    }
}

impl State {
    fn begin(&self, dir: &str) -> Result<()> {
        self.listed.lock().unwrap().push(dir.to_owned());
        let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_under_way.fetch_max(now, Ordering::SeqCst);
        match (self.before)(dir) {
            None => Ok(()),
            Some(std::io::ErrorKind::NotFound) => Err(Error::NotFound {
                operation: "list",
                path: dir.to_owned(),
            }),
            Some(kind) => Err(Error::Io {
                operation: "list",
                path: dir.to_owned(),
                source: kind.into(),
            }),
        }
    }

    fn end(&self, dir: &str) {
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        (self.after)(dir);
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watched").field(&self.inner).finish()
    }
}

#[async_trait]
impl FileSystem for Watched {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn list(&self, dir: &str) -> Result<Vec<FileStatus>> {
        let begun = self.state.begin(dir);
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
        let listed = match begun {
            Ok(()) => self.inner.list(dir).await,
            Err(error) => Err(error),
        };
        self.state.end(dir);
        listed
    }

    async fn list_recursive(&self, dir: &str) -> Result<Vec<FileStatus>> {
        let begun = self.state.begin(dir);
        let listed = match begun {
            Ok(()) => self.inner.list_recursive(dir).await,
            Err(error) => Err(error),
        };
        self.state.end(dir);
        listed
    }

    async fn stat(&self, path: &str) -> Result<Option<FileStatus>> {
        self.inner.stat(path).await
    }

    async fn open(&self, path: &str, size: Option<u64>) -> Result<Arc<dyn InputFile>> {
        self.state.opened.lock().unwrap().push(path.to_owned());
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
        let inner = self.inner.blocking_lister().filter(|_| self.blocking)?;
        Some(Arc::new(WatchedLister {
            inner,
            state: Arc::clone(&self.state),
        }))
    }
}

struct WatchedLister {
    inner: Arc<dyn BlockingLister>,
    state: Arc<State>,
}

impl fmt::Debug for WatchedLister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WatchedLister").field(&self.inner).finish()
    }
}

/// An entry that outlives its listing.
struct Kept {
    name: String,
    is_dir: bool,
    size: u64,
    modified_millis: Option<i64>,
}

impl BlockingLister for WatchedLister {
    fn list(
        &self,
        dir: &str,
        want_metadata: bool,
        visit: &mut dyn FnMut(RawEntry<'_>),
    ) -> Result<()> {
        let mut kept = Vec::new();
        let listed = self.state.begin(dir).and_then(|()| {
            self.inner.list(dir, want_metadata, &mut |entry| {
                let RawEntry {
                    name,
                    is_dir,
                    size,
                    modified_millis,
                } = entry;
                kept.push(Kept {
                    name: name.to_owned(),
                    is_dir,
                    size,
                    modified_millis,
                });
            })
        });
        self.state.end(dir);
        for Kept {
            name,
            is_dir,
            size,
            modified_millis,
        } in &kept
        {
            visit(RawEntry {
                name,
                is_dir: *is_dir,
                size: *size,
                modified_millis: *modified_millis,
            });
        }
        listed
    }
}
