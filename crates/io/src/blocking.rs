//! Work that blocks, on the pool the runtime keeps for it.

use tokio::runtime::Handle;

use crate::error::{Error, NoRuntimeSnafu, Result};

/// Runs `work` on the blocking pool.
pub(crate) async fn blocking<T, F>(operation: &'static str, path: &str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    let Ok(runtime) = Handle::try_current() else {
        return NoRuntimeSnafu { operation, path }.fail();
    };
    match runtime.spawn_blocking(work).await {
        Ok(result) => result,
        Err(source) => Err(Error::TaskFailed {
            operation,
            path: path.to_owned(),
            source,
        }),
    }
}

/// Runs `work` on a path on the blocking pool.
pub(crate) async fn on_path<T, F>(operation: &'static str, path: &str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(&str) -> Result<T> + Send + 'static,
{
    let owned = path.to_owned();
    blocking(operation, path, move || work(&owned)).await
}
