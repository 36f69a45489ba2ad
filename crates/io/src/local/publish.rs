//! Putting files in place without replacing others.
//!
//! `link(2)` is the one call of POSIX that gives an existing file a further name and fails when that
//! name is taken; it is atomic between processes too. The staged name is removed afterwards. A crash
//! in between leaves one file with two names, never none and never half a file.

use std::fs;
use std::io::{self, Write};

use snafu::IntoError;
use uuid::Uuid;

use crate::error::{Error, NoHardLinkSnafu, Result};
use crate::file_system::PublishOutcome;
use crate::local::write::create_new;
use crate::local::{create_dirs, create_parents, sync};
use crate::path::{contained, file_name, join, parent};

/// A name may have 255 bytes on the common file systems; this leaves room for what is put around it.
const LONGEST_NAME_IN_TEMPORARY: usize = 200;

/// `EPERM`, on every Unix: "operation not permitted". It is how a file system says that it has no
/// hard links, and how a hardened kernel refuses links to files of others.
const EPERM: i32 = 1;

pub(super) fn publish(staged: &str, target: &str) -> Result<PublishOutcome> {
    if !link(staged, target, "publish")? {
        return Ok(PublishOutcome::TargetExists);
    }
    // The target stands; a leftover of the staged name is hidden and found by a clean-up.
    let _ = fs::remove_file(staged);
    Ok(PublishOutcome::Published)
}

/// Writes a whole file under a hidden temporary name beside `path` and links it in. What is to be durable has its
/// bytes before its name, so that it is never met without them.
pub(super) fn create_whole(path: &str, bytes: &[u8], durable: bool) -> Result<bool> {
    if fs::symlink_metadata(path).is_ok() {
        return Ok(false);
    }
    if durable {
        parent(path).map_or(Ok(()), create_dirs)?;
    }
    let temporary = Temporary(temporary_beside(path));
    let mut file = create_new(&temporary.0, "create")?;
    file.write_all(bytes)
        .and_then(|()| if durable { file.sync_data() } else { Ok(()) })
        .map_err(|error| Error::from_io("create", path, error))?;
    // Network file systems show the bytes to other machines once the file is closed.
    drop(file);
    let created = link(&temporary.0, path, "create")?;
    if let (true, Some(directory)) = (created && durable, parent(path)) {
        sync::entries(directory)?;
    }
    Ok(created)
}

/// Moves a file or directory to a name that is free.
///
/// A file moves by a link and an unlink, so that a file which appears at the target meanwhile is
/// never replaced; when a crash has left both names, moving again completes it. A directory moves by
/// `rename(2)`, which never replaces a directory with anything in it. Where links are refused (files
/// of others on a hardened kernel, file systems without links) a file moves by `rename(2)` too, after
/// a look at the target.
pub(super) fn rename(from: &str, to: &str) -> Result<()> {
    let failed = |error| Error::from_io("rename", from, error);
    let metadata = fs::symlink_metadata(from).map_err(failed)?;
    if from == to || contained(from, to).is_some() {
        return Err(taken(to));
    }
    if !metadata.is_dir() {
        match link(from, to, "rename") {
            Ok(false) if !is_same_file(&metadata, to) => return Err(taken(to)),
            Ok(_) => return fs::remove_file(from).map_err(failed),
            Err(Error::NoHardLink { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if fs::symlink_metadata(to).is_ok() {
        return Err(taken(to));
    }
    create_parents(to)?;
    fs::rename(from, to).map_err(|error| match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => taken(to),
        _ => failed(error),
    })
}

fn taken(path: &str) -> Error {
    Error::AlreadyExists {
        operation: "rename to",
        path: path.to_owned(),
    }
}

/// Gives `from` the further name `to`, making the directories above it; `false` when `to` is taken.
fn link(from: &str, to: &str, operation: &'static str) -> Result<bool> {
    let mut linked = fs::hard_link(from, to);
    if is_kind(&linked, io::ErrorKind::NotFound) {
        // Either name may be the one that is missing.
        fs::symlink_metadata(from).map_err(|error| Error::from_io(operation, from, error))?;
        create_parents(to)?;
        linked = fs::hard_link(from, to);
    }
    let Err(error) = linked else {
        return Ok(true);
    };
    let is_dir = || fs::symlink_metadata(from).is_ok_and(|metadata| metadata.is_dir());
    match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(false),
        _ if refuses_links(&error) && is_dir() => Err(Error::NotAFile {
            operation,
            path: from.to_owned(),
        }),
        _ if refuses_links(&error) => Err(NoHardLinkSnafu {
            operation,
            path: to,
            staged: from,
        }
        .into_error(error)),
        _ => Err(Error::from_io(operation, to, error)),
    }
}

fn is_kind(result: &io::Result<()>, kind: io::ErrorKind) -> bool {
    result.as_ref().is_err_and(|error| error.kind() == kind)
}

/// Whether an error says that these two names cannot be linked at all, rather than not now.
fn refuses_links(error: &io::Error) -> bool {
    error.raw_os_error() == Some(EPERM)
        || matches!(
            error.kind(),
            io::ErrorKind::Unsupported
                | io::ErrorKind::CrossesDevices
                | io::ErrorKind::TooManyLinks
        )
}

#[cfg(unix)]
fn is_same_file(metadata: &fs::Metadata, other: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(other)
        .is_ok_and(|other| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn is_same_file(_metadata: &fs::Metadata, _other: &str) -> bool {
    false
}

/// A hidden name in the directory of `path` that nothing else uses.
fn temporary_beside(path: &str) -> String {
    let name = Some(file_name(path)).filter(|name| name.len() <= LONGEST_NAME_IN_TEMPORARY);
    let temporary = format!(".{}.{}.tmp", name.unwrap_or("long-name"), Uuid::new_v4());
    join(parent(path).unwrap_or_default(), &temporary)
}

/// A temporary file, removed when this goes.
struct Temporary(String);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_links_are_told_from_other_errors() {
        let refused = |code| refuses_links(&io::Error::from_raw_os_error(code));
        // Linux: EPERM, EXDEV, EMLINK, EOPNOTSUPP.
        #[cfg(target_os = "linux")]
        for code in [1, 18, 31, 95] {
            assert!(refused(code), "{code}");
        }
        // EACCES, ENOSPC, EROFS.
        for code in [13, 28, 30] {
            assert!(!refused(code), "{code}");
        }
    }

    #[test]
    fn temporary_names_are_hidden_and_short_enough() {
        let long = format!("/wh/{}", "x".repeat(255));
        for path in ["/wh/schema-0", &long, "/schema-0"] {
            let temporary = temporary_beside(path);
            assert_eq!(parent(&temporary), parent(path));
            let name = file_name(&temporary);
            assert!(
                name.starts_with('.') && name.ends_with(".tmp") && name.len() <= 255,
                "{name}"
            );
        }
    }
}
