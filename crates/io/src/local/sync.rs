//! Making files and directories durable.
//!
//! `fsync(2)` of a file makes its bytes durable and not its name; that is one of the directory, which is synced like a
//! file.

use std::fs::{File, OpenOptions};
use std::io;

use crate::error::{Error, Result};
use crate::path::parent;

/// Makes the bytes of a closed file durable.
///
/// It is opened anew: whoever wrote it may have been another process. A write that the system could not finish since is
/// told to the first who syncs the file.
pub(super) fn file(path: &str) -> Result<()> {
    // Windows flushes only what is open for writing.
    OpenOptions::new()
        .read(true)
        .write(cfg!(windows))
        .open(path)
        .and_then(|file| file.sync_data())
        .map_err(|error| Error::from_io("sync", path, error))
}

/// Makes durable which names are in a directory, and its own name above it.
pub(super) fn directory(path: &str) -> Result<()> {
    entries(path)?;
    parent(path).map_or(Ok(()), entries)
}

/// Makes durable which names are in a directory, as far as the file system can: some do not sync directories, and
/// Windows has no such call.
pub(super) fn entries(directory: &str) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        Err(error) if !cannot_sync(&error) => Err(Error::from_io("sync", directory, error)),
        _ => Ok(()),
    }
}

/// Whether an error says that directories here are not synced, rather than that one could not be: `EINVAL`, `ENOTSUP`;
/// and one that may be written to but not read cannot be opened.
fn cannot_sync(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_disk_is_told_from_a_file_system_that_syncs_no_directories() {
        // Linux: EINVAL, EOPNOTSUPP, EACCES.
        #[cfg(target_os = "linux")]
        for code in [22, 95, 13] {
            assert!(cannot_sync(&io::Error::from_raw_os_error(code)), "{code}");
        }
        // EIO, ENOSPC, ENOENT.
        for code in [5, 28, 2] {
            assert!(!cannot_sync(&io::Error::from_raw_os_error(code)), "{code}");
        }
    }

    #[test]
    fn what_is_there_is_synced_and_what_is_not_is_not_found() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().to_str().unwrap();
        let inside = format!("{path}/a");
        std::fs::write(&inside, "x").unwrap();
        file(&inside).unwrap();
        directory(path).unwrap();
        directory("/").unwrap();
        let absent = format!("{path}/b");
        assert!(file(&absent).unwrap_err().is_not_found());
        assert!(directory(&absent).unwrap_err().is_not_found());
    }
}
