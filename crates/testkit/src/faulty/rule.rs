//! Which calls go wrong, and how.

use std::ops::RangeInclusive;
use std::time::Duration;

/// What a file system, or a file of one, is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `FileSystem::list` and `FileSystem::list_recursive`.
    List,
    /// `FileSystem::stat`.
    Stat,
    /// `FileSystem::open`.
    Open,
    /// `InputFile::read` and `InputFile::read_ranges`.
    Read,
    /// `FileSystem::create`.
    Create,
    /// `OutputFile::write`.
    Write,
    /// `OutputFile::close`.
    Close,
    /// `FileSystem::create_whole`.
    CreateWhole,
    /// `FileSystem::create_whole_unsynced`.
    CreateWholeUnsynced,
    /// `FileSystem::sync_file`.
    SyncFile,
    /// `FileSystem::sync_directory`.
    SyncDirectory,
    /// `FileSystem::publish`; its path is the target.
    Publish,
    /// `FileSystem::rename`; its path is the new one.
    Rename,
    /// `FileSystem::delete_file` and `OutputFile::abort`.
    DeleteFile,
    /// `FileSystem::create_dir`.
    CreateDir,
    /// `FileSystem::remove_dir`.
    RemoveDir,
    /// `FileSystem::delete_tree`.
    DeleteTree,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::List,
        Self::Stat,
        Self::Open,
        Self::Read,
        Self::Create,
        Self::Write,
        Self::Close,
        Self::CreateWhole,
        Self::CreateWholeUnsynced,
        Self::SyncFile,
        Self::SyncDirectory,
        Self::Publish,
        Self::Rename,
        Self::DeleteFile,
        Self::CreateDir,
        Self::RemoveDir,
        Self::DeleteTree,
    ];

    /// The verb of error messages.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Stat => "stat",
            Self::Open => "open",
            Self::Read => "read",
            Self::Create | Self::CreateWhole | Self::CreateWholeUnsynced => "create",
            Self::SyncFile | Self::SyncDirectory => "sync",
            Self::Write => "write",
            Self::Close => "close",
            Self::Publish => "publish",
            Self::Rename => "rename",
            Self::DeleteFile | Self::DeleteTree => "delete",
            Self::CreateDir => "create directory",
            Self::RemoveDir => "remove directory",
        }
    }
}

/// How a call goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done, and the call fails.
    Fail,
    /// All is done, and the call fails: the answer was lost on the way.
    LoseAnswer,
    /// Nothing is done, and this call and all after it fail, as if the process had died here. Files that
    /// are being written then stay as they are.
    Crash,
    /// All is done, after a while.
    Delay(Duration),
}

/// Calls of one operation, or of all, that go wrong in one way.
#[derive(Debug, Clone)]
pub struct Rule {
    operation: Option<Operation>,
    calls: RangeInclusive<usize>,
    path_part: Option<String>,
    fault: Fault,
}

impl Rule {
    /// Every call of an operation.
    pub fn new(operation: Operation, fault: Fault) -> Self {
        Self {
            operation: Some(operation),
            calls: 1..=usize::MAX,
            path_part: None,
            fault,
        }
    }

    /// Every call of every operation, numbered over all of them.
    pub fn any(fault: Fault) -> Self {
        Self {
            operation: None,
            ..Self::new(Operation::List, fault)
        }
    }

    /// Only one call, counted from 1 since the counters were set to nothing.
    #[must_use]
    pub fn call(mut self, number: usize) -> Self {
        self.calls = number..=number;
        self
    }

    /// Only calls from this number on.
    #[must_use]
    pub fn from_call(mut self, number: usize) -> Self {
        self.calls = number..=usize::MAX;
        self
    }

    /// Only calls whose path has this text in it.
    #[must_use]
    pub fn on_path(mut self, part: impl Into<String>) -> Self {
        self.path_part = Some(part.into());
        self
    }

    pub(super) fn fault(&self) -> Fault {
        self.fault
    }

    /// Whether it is about a call: the number among calls of its operation, and among all.
    pub(super) fn fits(
        &self,
        operation: Operation,
        number: usize,
        overall: usize,
        path: &str,
    ) -> bool {
        let counted = match self.operation {
            Some(own) => own == operation && self.calls.contains(&number),
            None => self.calls.contains(&overall),
        };
        counted
            && self
                .path_part
                .as_ref()
                .is_none_or(|part| path.contains(part))
    }
}
