//! Do messages belong to this table, their partition and its staging directory?

use std::collections::HashSet;

use ftable_core::partition::{DirectoryName, is_hidden};
use ftable_io::check_relative;

use super::intent::{Intent, Outcome, Publication};
use super::select::{Scope, same};
use crate::error::{ForeignSnafu, Result};
use crate::format_table::FormatTable;
use crate::write::{CommitMessage, is_staged};

/// Refuses messages that another table's or a tampered writer could have made.
pub(super) fn messages(table: &FormatTable, messages: &[CommitMessage]) -> Result<()> {
    let mut paths = HashSet::new();
    for message in messages {
        let checked = check(table, message).and_then(|()| {
            match paths.insert(message.target()) && paths.insert(message.staged()) {
                true => Ok(()),
                false => Err(format!("{} is named by two messages", message.target())),
            }
        });
        if let Err(message) = checked {
            return ForeignSnafu {
                table: table.name(),
                what: "a commit message",
                message,
            }
            .fail();
        }
    }
    Ok(())
}

/// Refuses messages whose rows lie outside what a static overwrite replaces.
pub(super) fn within(table: &FormatTable, scope: &Scope, messages: &[CommitMessage]) -> Result<()> {
    let Scope::Prefix(prefix) = scope else {
        return Ok(());
    };
    for message in messages {
        let values = table.partition_values(message.directory())?;
        if !prefix
            .iter()
            .zip(&values)
            .all(|(wanted, value)| same(wanted, value))
        {
            let message = format!(
                "{} lies outside the partition that is overwritten",
                message.target()
            );
            return ForeignSnafu {
                table: table.name(),
                what: "a commit message",
                message,
            }
            .fail();
        }
    }
    Ok(())
}

/// Whether an intent can be one of this table, which no path in it leads out of. Nothing in it is trusted: anybody
/// who may write to the table may have put it there.
pub(super) fn intent(table: &FormatTable, intent: &Intent) -> Result<(), String> {
    let replaced = intent.replaces.iter().filter(|path| !path.is_empty());
    for directory in replaced
        .chain(&intent.create_directories)
        .chain(&intent.remove_directories)
    {
        check_directory(table, directory)?;
    }
    intent
        .publish
        .iter()
        .try_for_each(|file| check_publication(table, file))
}

/// Whether an outcome can be that of a commit.
pub(super) fn outcome(
    table: &FormatTable,
    intent: &Intent,
    outcome: &Outcome,
) -> Result<(), String> {
    for file in &outcome.delete {
        check_visible(table, file)?;
        if !intent.replaces(file) {
            return Err(format!("{file} is not what the commit replaces"));
        }
    }
    Ok(())
}

/// A directory must be a partition or one above partitions.
fn check_directory(table: &FormatTable, directory: &str) -> Result<(), String> {
    check_relative(directory).map_err(|error| error.to_string())?;
    let is_value = |(level, name): (usize, &str)| is_partition(table, level, name);
    match directory.split('/').enumerate().all(is_value) {
        true => Ok(()),
        false => Err(format!("'{directory}' is no partition of this table")),
    }
}

fn is_partition(table: &FormatTable, level: usize, name: &str) -> bool {
    level < table.codec().len()
        && matches!(
            table.codec().read_name(level, name),
            DirectoryName::Value(_)
        )
}

fn check_publication(table: &FormatTable, file: &Publication) -> Result<(), String> {
    check_visible(table, &file.target)?;
    check_relative(&file.staged).map_err(|error| error.to_string())?;
    let directory = file
        .target
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory);
    let levels = if directory.is_empty() {
        0
    } else {
        directory.split('/').count()
    };
    if levels != table.codec().len() {
        return Err(format!(
            "{} does not lie in a partition of this table",
            file.target
        ));
    }
    match is_beside(directory, &file.staged) {
        true => Ok(()),
        false => Err(format!(
            "{} is no staged file of '{directory}'",
            file.staged
        )),
    }
}

/// A file must be one that readers see.
fn check_visible(table: &FormatTable, file: &str) -> Result<(), String> {
    check_relative(file).map_err(|error| error.to_string())?;
    let last = file.matches('/').count();
    let is_seen = |(level, name): (usize, &str)| match level == 0
        && table.protected_names().contains(&name)
    {
        true => false,
        false => !is_hidden(name) || (level < last && is_partition(table, level, name)),
    };
    match file.split('/').enumerate().all(is_seen) {
        true => Ok(()),
        false => Err(format!("{file} is no data file of this table")),
    }
}

/// Whether a path is that of a staged file beside a directory.
fn is_beside(directory: &str, staged: &str) -> bool {
    below(directory, staged).is_some_and(|rest| is_staged(rest) && rest.matches('/').count() == 1)
}

fn check(table: &FormatTable, message: &CommitMessage) -> Result<(), String> {
    if !message.is_readable() {
        return Err("its form is not one of this version".to_owned());
    }
    if message.table() != table.location().normalized() {
        return Err(format!("it was written for {}", message.table()));
    }
    check_relative(message.target()).map_err(|error| error.to_string())?;
    check_relative(message.staged()).map_err(|error| error.to_string())?;
    let directory = message.directory();
    check_partition(table, directory)?;
    let name =
        below(directory, message.target()).filter(|name| !name.contains('/') && !is_hidden(name));
    if name.is_none() {
        return Err(format!(
            "target {} is no data file of its partition '{directory}'",
            message.target()
        ));
    }
    if !is_beside(directory, message.staged()) {
        return Err(format!(
            "{} is no staged file of its partition '{directory}'",
            message.staged()
        ));
    }
    Ok(())
}

/// A partition's directory must be the one that its values are spelled as.
fn check_partition(table: &FormatTable, directory: &str) -> Result<(), String> {
    if !table.codec().is_partitioned() {
        return match directory.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "it names partition '{directory}' of an unpartitioned table"
            )),
        };
    }
    check_relative(directory).map_err(|error| error.to_string())?;
    let values = table
        .codec()
        .parse_path(directory)
        .map_err(|error| error.to_string())?;
    let spelled = table
        .codec()
        .relative_path(&values)
        .map_err(|error| error.to_string())?;
    match spelled == directory {
        true => Ok(()),
        false => Err(format!(
            "partition '{directory}' is spelled '{spelled}' in this table"
        )),
    }
}

fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    if directory.is_empty() {
        Some(path)
    } else {
        path.strip_prefix(directory)?.strip_prefix('/')
    }
}
