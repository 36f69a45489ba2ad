//! Publishing, and taking it back.

use ftable_io::PublishOutcome;
use ftable_io::path::join;
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
    check_staged(table, messages).await?;
    let publishes: Vec<_> = messages.iter().map(|message| publish(table, message)).collect();
    let mut publishes = stream::iter(publishes).buffer_unordered(CONCURRENT_PUBLISHES);
    let mut ours = Vec::new();
    let mut failure = None;
    while let Some((message, outcome)) = publishes.next().await {
        match outcome {
            Ok(()) => ours.push(message),
            Err(error) => {
                // The store may have done it and lost the answer. The target is ours: its name carries the uuid of
                // its writer, and it was not there before.
                if !matches!(error, Error::TargetExists { .. }) {
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

/// Every staged file must be there and no target, before anything is changed.
async fn check_staged(table: &FormatTable, messages: &[CommitMessage]) -> Result<()> {
    let checks: Vec<_> = messages.iter().map(|message| check_one(table, message)).collect();
    stream::iter(checks).buffer_unordered(CONCURRENT_PUBLISHES).try_collect().await
}

async fn check_one(table: &FormatTable, message: &CommitMessage) -> Result<()> {
    let file_system = table.file_system();
    let target = join(table.root(), message.target());
    let staged = join(table.root(), message.staged());
    if file_system.stat(&target).await.context(table.io())?.is_some() {
        return AlreadyCommittedSnafu { table: table.name(), target: message.target() }.fail();
    }
    if file_system.stat(&staged).await.context(table.io())?.is_none() {
        return StagedFileGoneSnafu { table: table.name(), staged: message.staged() }.fail();
    }
    Ok(())
}

async fn publish<'a>(table: &FormatTable, message: &'a CommitMessage) -> (&'a CommitMessage, Result<()>) {
    let staged = join(table.root(), message.staged());
    let target = join(table.root(), message.target());
    let outcome = match table.file_system().publish(&staged, &target).await {
        Ok(PublishOutcome::Published) => Ok(()),
        Ok(PublishOutcome::TargetExists) => {
            TargetExistsSnafu { table: table.name(), target: message.target() }.fail()
        }
        Err(source) => Err(source).context(table.io()),
    };
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
    table.file_system().delete_file(&target).await.is_err().then(|| message.target().to_owned())
}
