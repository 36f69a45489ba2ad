//! Publishing, and taking it back.

use std::sync::atomic::{AtomicBool, Ordering};

use ftable_io::path::join;
use ftable_io::{FileStatus, PublishOutcome};
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use crate::error::{
    AlreadyCommittedSnafu, CommitFailedSnafu, Error, Result, StagedFileGoneSnafu, TargetExistsSnafu,
};
use crate::format_table::FormatTable;
use crate::write::CommitMessage;

/// Files published side by side.
const CONCURRENT_PUBLISHES: usize = 16;

/// Publishes all files or, if one fails, none.
pub(super) async fn append(table: &FormatTable, messages: &[CommitMessage]) -> Result<()> {
    check_files(table, messages).await?;
    let failed = AtomicBool::new(false);
    let publishes: Vec<_> = messages.iter().map(|message| publish(table, message, &failed)).collect();
    let mut publishes = stream::iter(publishes).buffer_unordered(CONCURRENT_PUBLISHES);
    let mut ours = Vec::new();
    let mut failure = None;
    while let Some((message, outcome)) = publishes.next().await {
        match outcome {
            Ok(true) => ours.push(message),
            Ok(false) => {}
            Err(error) => {
                if may_be_published(&error) {
                    ours.push(message);
                }
                failure.get_or_insert(error);
            }
        }
    }
    match failure {
        None => Ok(()),
        Some(error) => {
            let not_removed = take_back(table, &ours).await;
            Err(error).context(CommitFailedSnafu { table: table.name(), not_removed })
        }
    }
}

/// Whether a publish that failed may have made its target.
///
/// The store may have done it and lost the answer. The target is ours then: its name carries the uuid of its writer, and
/// it was not there before. Where the target is somebody else's or the staged file is gone, another commit of the
/// same message made it, and removing it would undo that one.
fn may_be_published(error: &Error) -> bool {
    match error {
        Error::TargetExists { .. } => false,
        Error::Io { source, .. } => !source.is_not_found(),
        _ => true,
    }
}

/// Every staged file must be there and no target, before anything is changed.
pub(super) async fn check_files(table: &FormatTable, messages: &[CommitMessage]) -> Result<()> {
    let looks: Vec<_> = messages.iter().map(|message| look(table, message)).collect();
    let files: Vec<Files> = stream::iter(looks).buffered(CONCURRENT_PUBLISHES).try_collect().await?;
    let mut published = messages.iter().zip(&files).filter(|(message, files)| files.are_published(message));
    if let Some((first, _)) = published.next() {
        let count = 1 + published.count();
        return AlreadyCommittedSnafu { table: table.name(), target: first.target(), count, of: messages.len() }.fail();
    }
    for (message, files) in messages.iter().zip(files) {
        if files.target.is_some() {
            return TargetExistsSnafu { table: table.name(), target: message.target() }.fail();
        }
        if files.staged.is_none() {
            return StagedFileGoneSnafu { table: table.name(), staged: message.staged() }.fail();
        }
    }
    Ok(())
}

/// What is at the two places of a message.
struct Files {
    staged: Option<FileStatus>,
    target: Option<FileStatus>,
}

impl Files {
    /// A commit that died between making the target and removing the staged file leaves both.
    fn are_published(&self, message: &CommitMessage) -> bool {
        let Some(target) = &self.target else { return false };
        target.is_file() && (self.staged.is_none() || target.size == message.bytes())
    }
}

async fn look(table: &FormatTable, message: &CommitMessage) -> Result<Files> {
    let file_system = table.file_system();
    let target = join(table.root(), message.target());
    let staged = join(table.root(), message.staged());
    Ok(Files {
        staged: file_system.stat(&staged).await.context(table.io())?,
        target: file_system.stat(&target).await.context(table.io())?,
    })
}

/// Publishes a file, unless another publish has failed.
async fn publish<'a>(
    table: &FormatTable,
    message: &'a CommitMessage,
    failed: &AtomicBool,
) -> (&'a CommitMessage, Result<bool>) {
    if failed.load(Ordering::Relaxed) {
        return (message, Ok(false));
    }
    let staged = join(table.root(), message.staged());
    let target = join(table.root(), message.target());
    let outcome = match table.file_system().publish(&staged, &target).await {
        Ok(PublishOutcome::Published) => Ok(true),
        Ok(PublishOutcome::TargetExists) => {
            TargetExistsSnafu { table: table.name(), target: message.target() }.fail()
        }
        Err(source) => Err(source).context(table.io()),
    };
    if outcome.is_err() {
        failed.store(true, Ordering::Relaxed);
    }
    (message, outcome)
}

/// Removes published files; gives those that could not be removed.
async fn take_back(table: &FormatTable, ours: &[&CommitMessage]) -> Vec<String> {
    let removals: Vec<_> = ours.iter().map(|message| remove(table, message)).collect();
    let removals = stream::iter(removals).buffer_unordered(CONCURRENT_PUBLISHES);
    let mut left: Vec<String> = removals.filter_map(std::future::ready).collect().await;
    left.sort_unstable();
    left
}

async fn remove(table: &FormatTable, message: &CommitMessage) -> Option<String> {
    let target = join(table.root(), message.target());
    let file_system = table.file_system();
    if file_system.delete_file(&target).await.is_ok() {
        return None;
    }
    // It may be gone all the same, if only the answer was lost.
    let is_gone = matches!(file_system.stat(&target).await, Ok(None));
    (!is_gone).then(|| message.target().to_owned())
}
