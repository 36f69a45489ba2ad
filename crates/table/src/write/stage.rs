//! Staged files: hidden names, and who removes them.

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
    if directory.is_empty() { name } else { format!("{directory}/{name}") }
}

/// Removes staged files; one that is gone already is fine.
///
/// # Errors
/// The first failure, after all of them were tried.
pub(crate) async fn discard(file_system: &dyn FileSystem, paths: Vec<String>) -> Result<(), ftable_io::Error> {
    let removals = stream::iter(paths).map(|path| async move { file_system.delete_file(&path).await });
    let results: Vec<_> = removals.buffer_unordered(CONCURRENT_REMOVALS).collect().await;
    results.into_iter().find_map(Result::err).map_or(Ok(()), Err)
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
    staged: Vec<String>,
    /// In messages that were handed over: removed by an abort alone.
    prepared: Vec<String>,
}

impl Ledger {
    pub(super) fn new(file_system: Arc<dyn FileSystem>) -> Self {
        Self { shared: Arc::new(Shared { file_system, paths: Mutex::default() }) }
    }

    /// Notes a file before it is made.
    pub(super) fn add(&self, path: String) {
        self.paths().staged.push(path);
    }

    /// The staged files are in messages now.
    pub(super) fn hand_over(&self) {
        let mut paths = self.paths();
        let staged = std::mem::take(&mut paths.staged);
        paths.prepared.extend(staged);
    }

    /// Removes what is in no message.
    pub(super) async fn remove_staged(&self) -> Result<(), ftable_io::Error> {
        let staged = std::mem::take(&mut self.paths().staged);
        discard(&*self.shared.file_system, staged).await
    }

    /// Removes everything staged that is not published.
    pub(super) async fn remove_all(&self) -> Result<(), ftable_io::Error> {
        self.hand_over();
        let prepared = std::mem::take(&mut self.paths().prepared);
        discard(&*self.shared.file_system, prepared).await
    }

    fn paths(&self) -> std::sync::MutexGuard<'_, Paths> {
        self.shared.paths.lock().unwrap_or_else(PoisonError::into_inner)
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
                let _ = discard(&*file_system, staged).await;
            });
        }
    }
}
