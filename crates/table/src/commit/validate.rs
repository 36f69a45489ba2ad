//! Do messages belong to this table, their partition and its staging directory?

use std::collections::HashSet;

use ftable_core::partition::is_hidden;
use ftable_io::check_relative;

use super::Scope;
use crate::error::{ForeignSnafu, Result};
use crate::format_table::FormatTable;
use crate::write::{CommitMessage, STAGED_PREFIX, STAGING_DIRECTORY};

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
            return ForeignSnafu { table: table.name(), what: "a commit message", message }.fail();
        }
    }
    Ok(())
}

/// Refuses messages whose rows lie outside what a static overwrite replaces.
pub(super) fn within(table: &FormatTable, scope: &Scope, messages: &[CommitMessage]) -> Result<()> {
    let Scope::Prefix(prefix) = scope else { return Ok(()) };
    for message in messages {
        let values = table.partition_values(message.directory())?;
        if !values.starts_with(prefix) {
            let message = format!("{} lies outside the partition that is overwritten", message.target());
            return ForeignSnafu { table: table.name(), what: "a commit message", message }.fail();
        }
    }
    Ok(())
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
    let name = below(directory, message.target()).filter(|name| !name.contains('/') && !is_hidden(name));
    if name.is_none() {
        return Err(format!("target {} is no data file of its partition '{directory}'", message.target()));
    }
    let staged = below(directory, message.staged())
        .and_then(|rest| below(STAGING_DIRECTORY, rest))
        .filter(|name| !name.contains('/') && name.starts_with(STAGED_PREFIX));
    if staged.is_none() {
        return Err(format!("{} is no staged file of its partition '{directory}'", message.staged()));
    }
    Ok(())
}

/// A partition's directory must be the one that its values are spelled as.
fn check_partition(table: &FormatTable, directory: &str) -> Result<(), String> {
    if !table.codec().is_partitioned() {
        return match directory.is_empty() {
            true => Ok(()),
            false => Err(format!("it names partition '{directory}' of an unpartitioned table")),
        };
    }
    check_relative(directory).map_err(|error| error.to_string())?;
    let values = table.codec().parse_path(directory).map_err(|error| error.to_string())?;
    let spelled = table.codec().relative_path(&values).map_err(|error| error.to_string())?;
    match spelled == directory {
        true => Ok(()),
        false => Err(format!("partition '{directory}' is spelled '{spelled}' in this table")),
    }
}

fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    if directory.is_empty() { Some(path) } else { path.strip_prefix(directory)?.strip_prefix('/') }
}
