//! Where CPU work runs: where blocking is allowed, so that no async worker is held up.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ftable_io::blocking;

use crate::error::{CorruptSnafu, CutOffSnafu, Result};

/// Runs decoding work of a file on the blocking pool.
///
/// A decoder that panics on bad bytes gives an error that names the file. Programs that abort on panic are not protected
/// from such files: a few damaged parquet pages, and ORC chunks of streams too large to be unpacked at once.
pub(crate) async fn decode<T, F>(path: &str, format: &'static str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    let guarded = move || catch_unwind(AssertUnwindSafe(work));
    match blocking::run(guarded).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => {
            let message = panic_message(panic.as_ref());
            CorruptSnafu {
                path,
                format,
                message: format!("the decoder gave up: {message}"),
            }
            .fail()
        }
        Err(_) => CutOffSnafu {
            path,
            what: "decoding",
        }
        .fail(),
    }
}

/// Bytes of decoded batches after which a visit of a decoder ends: `most` where it takes a hand-over, and one batch where it
/// takes none, so that memory is used again while it is near.
pub(crate) fn visit_bytes(most: usize) -> usize {
    match blocking::is_in_place() {
        true => 1,
        false => most,
    }
}

/// What a decoder gives, or nothing where it gives up.
pub(crate) fn attempt<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok().flatten()
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned())
}
