//! The verbs, a module each.

mod add_partition;
mod analyze;
mod count;
mod create;
mod demo;
mod drop;
mod files;
mod infer;
mod insert;
mod lists;
mod partitions;
mod remove;
mod repair;
mod scan;
mod schema;

use ftable_core::{Datum, Predicate};
use ftable_table::FormatTable;
use serde_json::Value;

use crate::args::{Cli, Command, FilteredArgs};
use crate::context::Context;
use crate::error::Result;
use crate::filter::parse_filter;

/// Does what was asked.
pub(crate) async fn run(cli: Cli) -> Result<()> {
    let Cli {
        global: before,
        command,
    } = cli;
    match command {
        Command::Create(verb) => {
            create::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Infer(verb) => {
            infer::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Drop(verb) => {
            drop::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Databases(verb) => {
            lists::databases(Context::new(verb.global.merged_over(before))).await
        }
        Command::Tables(verb) => {
            lists::tables(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Schema(verb) => {
            schema::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Insert(verb) => {
            insert::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Scan(verb) => {
            scan::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Count(verb) => {
            count::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Partitions(verb) => {
            partitions::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Files(verb) => {
            files::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Truncate(verb) => {
            remove::truncate(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::DropPartition(verb) => {
            remove::drop_partition(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::AddPartition(verb) => {
            add_partition::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Analyze(verb) => {
            analyze::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Repair(verb) => {
            repair::run(Context::new(verb.global.merged_over(before)), verb.own).await
        }
        Command::Demo(verb) => demo::run(Context::new(verb.global.merged_over(before))).await,
    }
}

/// The filter of a verb, if it has one.
fn filter_of(arguments: &FilteredArgs) -> Result<Option<Predicate>> {
    arguments.filter.as_deref().map(parse_filter).transpose()
}

/// The values of a partition as JSON, by key.
fn partition_members<'a>(
    table: &'a FormatTable,
    values: &[Option<Datum>],
) -> Vec<(&'a str, Value)> {
    let json = |value: &Option<Datum>| value.as_ref().map_or(Value::Null, Datum::to_json);
    table
        .partition_keys()
        .iter()
        .map(String::as_str)
        .zip(values.iter().map(json))
        .collect()
}
