//! Appends, and what is looked at before files are published.

use std::time::Duration;

use ftable_io::FileStatus;
use ftable_io::path::join;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::intent::{Intent, Publication};
use super::managed::Replaced;
use super::register::{Kind, Registration};
use super::repair::resolve_overlapping;
use super::replace::Replacement;
use crate::error::{
    AlreadyCommittedSnafu, Result, StagedFileCutSnafu, StagedFileGoneSnafu, TargetExistsSnafu,
};
use crate::format_table::FormatTable;
use crate::write::CommitMessage;

/// Files looked at side by side.
const CONCURRENT_LOOKS: usize = 16;

/// Publishes all files or, if one fails, none.
pub(super) async fn append(
    table: &FormatTable,
    messages: &[CommitMessage],
    lease: Duration,
) -> Result<()> {
    let mut intent = Intent::leased(lease);
    intent.publish = messages.iter().map(publication).collect();
    resolve_overlapping(table, &intent).await?;
    check_files(table, messages).await?;
    let registration = Registration::of(table, Kind::Adds, messages, None, &intent)?;
    Replacement::new(table, &intent, registration)
        .run(std::future::ready(Ok(Replaced::default())))
        .await
}

pub(super) fn publication(message: &CommitMessage) -> Publication {
    Publication {
        staged: message.staged().to_owned(),
        target: message.target().to_owned(),
    }
}

/// Every staged file must be there and no target, before anything is changed.
pub(super) async fn check_files(table: &FormatTable, messages: &[CommitMessage]) -> Result<()> {
    let looks: Vec<_> = messages
        .iter()
        .map(|message| look(table, message))
        .collect();
    let files: Vec<Files> = stream::iter(looks)
        .buffered(CONCURRENT_LOOKS)
        .try_collect()
        .await?;
    let mut published = messages
        .iter()
        .zip(&files)
        .filter(|(message, files)| files.are_published(message));
    if let Some((first, _)) = published.next() {
        let count = 1 + published.count();
        return AlreadyCommittedSnafu {
            table: table.name(),
            target: first.target(),
            count,
            of: messages.len(),
        }
        .fail();
    }
    for (message, files) in messages.iter().zip(files) {
        if files.target.is_some() {
            return TargetExistsSnafu {
                table: table.name(),
                target: message.target(),
            }
            .fail();
        }
        let Some(staged) = files.staged else {
            return StagedFileGoneSnafu {
                table: table.name(),
                staged: message.staged(),
            }
            .fail();
        };
        if staged.size != message.bytes() {
            return StagedFileCutSnafu {
                table: table.name(),
                staged: message.staged(),
                size: staged.size,
                bytes: message.bytes(),
            }
            .fail();
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
        let Some(target) = &self.target else {
            return false;
        };
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
