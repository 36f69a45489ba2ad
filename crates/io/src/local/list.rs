//! Listing one directory with as few system calls as it takes.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;

use ftable_core::partition::is_hidden;

use crate::error::{Error, NameNotUtf8Snafu, Result};
use crate::file_system::{BlockingLister, EntryKind, FileStatus, RawEntry};
use crate::local::modified_millis;
use crate::path::join;

const LIST: &str = "list";

/// Lists local directories on the calling thread.
#[derive(Debug)]
pub(super) struct LocalLister;

impl BlockingLister for LocalLister {
    fn list(
        &self,
        dir: &str,
        want_metadata: bool,
        visit: &mut dyn FnMut(RawEntry<'_>),
    ) -> Result<()> {
        let entries = fs::read_dir(dir).map_err(|error| Error::from_io(LIST, dir, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::from_io(LIST, dir, error))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                if is_hidden_os(&name) {
                    continue;
                }
                return NameNotUtf8Snafu {
                    directory: dir,
                    name: name.to_string_lossy(),
                }
                .fail();
            };
            match look_at(&entry, name, want_metadata) {
                Ok(found) => visit(found),
                // Gone since the directory was read, or a link that leads nowhere.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // What is hidden is not part of the table, whatever is wrong with it.
                Err(_) if is_hidden(name) => {}
                Err(error) => return Err(Error::from_io("inspect", &join(dir, name), error)),
            }
        }
        Ok(())
    }
}

/// The type comes with the directory itself; only links and wanted metadata cost a call more.
fn look_at<'a>(entry: &DirEntry, name: &'a str, want_metadata: bool) -> io::Result<RawEntry<'a>> {
    let file_type = entry.file_type()?;
    let (is_dir, metadata) = if file_type.is_symlink() {
        let metadata = fs::metadata(entry.path())?;
        (metadata.is_dir(), Some(metadata))
    } else if file_type.is_dir() || !want_metadata {
        (file_type.is_dir(), None)
    } else {
        (false, Some(entry.metadata()?))
    };
    let metadata = metadata.filter(|_| want_metadata && !is_dir);
    Ok(RawEntry {
        name,
        is_dir,
        size: metadata.as_ref().map_or(0, fs::Metadata::len),
        modified_millis: metadata.as_ref().and_then(modified_millis),
    })
}

fn is_hidden_os(name: &OsStr) -> bool {
    matches!(name.as_encoded_bytes().first(), Some(b'_' | b'.'))
}

/// The children of a directory, sorted by name.
pub(super) fn list_sorted(dir: &str) -> Result<Vec<FileStatus>> {
    let mut found = Vec::new();
    LocalLister.list(dir, true, &mut |entry| {
        found.push(FileStatus {
            path: join(dir, entry.name),
            kind: if entry.is_dir {
                EntryKind::Directory
            } else {
                EntryKind::File
            },
            size: entry.size,
            modified_millis: entry.modified_millis,
        });
    })?;
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
