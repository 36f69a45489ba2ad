//! Staged files: hidden names, and who removes them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use ftable_io::FileSystem;
use futures::{StreamExt, stream};
use uuid::Uuid;

/// The directory beside the targets that holds staged files. All writers of a table share it, so it is never removed.
pub(crate) const STAGING_DIRECTORY: &str = "_temporary";
/// The beginning of a staged file's name.
pub(crate) const STAGED_PREFIX: &str = ".tmp.";

/// Files removed side by side.
const CONCURRENT_REMOVALS: usize = 16;

/// A fresh path for a staged file beside a directory, both relative to the table (Java Paimon
/// `RenamingTwoPhaseOutputStream`).
pub(super) fn staged_path(directory: &str) -> String {
    let name = format!("{STAGING_DIRECTORY}/{STAGED_PREFIX}{}", Uuid::new_v4());
    if directory.is_empty() {
        name
    } else {
        format!("{directory}/{name}")
    }
}

/// Whether a path relative to the table is that of a staged file.
pub(crate) fn is_staged(path: &str) -> bool {
    let mut names = path.rsplit('/');
    names
        .next()
        .is_some_and(|name| name.starts_with(STAGED_PREFIX))
        && names.next() == Some(STAGING_DIRECTORY)
}

/// Removes staged files; one that is gone already is fine.
///
/// # Errors
/// The first failure, after all of them were tried.
pub(crate) async fn discard(
    file_system: &dyn FileSystem,
    paths: Vec<String>,
) -> Result<(), ftable_io::Error> {
    remove_each(file_system, paths, |_| ()).await
}

/// Removes files side by side and tells of each that is gone.
async fn remove_each(
    file_system: &dyn FileSystem,
    paths: Vec<String>,
    gone: impl Fn(&str),
) -> Result<(), ftable_io::Error> {
    let removals = stream::iter(paths).map(|path| async move {
        let removed = file_system.delete_file(&path).await;
        (path, removed)
    });
    let mut removals = removals.buffer_unordered(CONCURRENT_REMOVALS);
    let mut failure = None;
    while let Some((path, removed)) = removals.next().await {
        match removed {
            Ok(_) => gone(&path),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    failure.map_or(Ok(()), Err)
}

/// What a writer has staged, shared with its tasks.
#[derive(Clone)]
pub(super) struct Ledger {
    shared: Arc<Shared>,
}

struct Shared {
    file_system: Arc<dyn FileSystem>,
    paths: Mutex<Paths>,
}

#[derive(Default)]
struct Paths {
    /// Not in any message yet: the writer's to remove.
    staged: HashSet<String>,
    /// In messages that were handed over: removed by an abort alone.
    prepared: HashSet<String>,
}

impl Ledger {
    pub(super) fn new(file_system: Arc<dyn FileSystem>) -> Self {
        Self {
            shared: Arc::new(Shared {
                file_system,
                paths: Mutex::default(),
            }),
        }
    }

    /// Notes a file before it is made.
    pub(super) fn add(&self, path: String) {
        self.paths().staged.insert(path);
    }

    /// The staged files are in messages now.
    pub(super) fn hand_over(&self) {
        let mut paths = self.paths();
        let staged = std::mem::take(&mut paths.staged);
        paths.prepared.extend(staged);
    }

    /// Removes what is in no message.
    pub(super) async fn remove_staged(&self) -> Result<(), ftable_io::Error> {
        let staged = self.paths().staged.iter().cloned().collect();
        self.remove(staged).await
    }

    /// Removes everything staged that is not published.
    pub(super) async fn remove_all(&self) -> Result<(), ftable_io::Error> {
        self.hand_over();
        let prepared = self.paths().prepared.iter().cloned().collect();
        self.remove(prepared).await
    }

    /// What could not be removed, or was not before the caller gave up, stays noted for another try.
    async fn remove(&self, paths: Vec<String>) -> Result<(), ftable_io::Error> {
        remove_each(&*self.shared.file_system, paths, |path| {
            let mut paths = self.paths();
            paths.staged.remove(path);
            paths.prepared.remove(path);
        })
        .await
    }

    fn paths(&self) -> std::sync::MutexGuard<'_, Paths> {
        self.shared
            .paths
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let paths = self.paths.get_mut().unwrap_or_else(PoisonError::into_inner);
        let staged = std::mem::take(&mut paths.staged);
        // Without a runtime nothing can be removed here; what stays is hidden.
        if let (false, Ok(runtime)) = (staged.is_empty(), tokio::runtime::Handle::try_current()) {
            let file_system = Arc::clone(&self.file_system);
            runtime.spawn(async move {
                let _ = discard(&*file_system, staged.into_iter().collect()).await;
            });
        }
    }
}
