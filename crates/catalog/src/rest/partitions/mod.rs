//! Partitions that the server decides about.

mod pattern;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use async_trait::async_trait;
use ftable_core::options::keys::FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE;
use ftable_core::{DataField, Identifier, Predicate, TableSchema};
use snafu::IntoError;

use super::RestCatalog;
use super::client::RestClient;
use super::http::Request;
use super::models::{
    CreatePartitions, CreatedAnswer, DropPartitions, DroppedAnswer, ListByFilter, PartitionAnswer,
    PartitionPage, Spec, SpecList, server_filter,
};
use super::paging::{Drain, Page};
use super::refusal::{Subject, explain, has_code, lacks_endpoint};
use super::tables::plain;
use crate::catalog::{check_plain, check_readable};
use crate::error::{AnswerSnafu, InvalidPartitionsSnafu, RefusedSnafu};
use crate::partitions::{
    CreatedPartitions, DroppedPartitions, PartitionRegistry, PartitionSpec, PartitionStatistics,
    RegisteredPartition,
};
use crate::rules::refuse_system_database;
use crate::{Error, Result};

use pattern::{is_text, name_pattern};

/// How many partitions one request is about at most, and how many one page is asked for.
const BATCH: usize = 1000;

/// The partitions of one table that a REST catalog keeps.
///
/// Cheap to clone; clones share the connections.
#[derive(Debug, Clone)]
pub struct RestPartitions {
    client: RestClient,
    table: Identifier,
    fields: Vec<DataField>,
    keys: Vec<DataField>,
    value_only: bool,
}

impl RestPartitions {
    /// Those of a table with that schema.
    pub(super) fn new(client: RestClient, table: Identifier, schema: &TableSchema) -> Self {
        let value_only = schema.options.get(&FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE);
        Self {
            client,
            table,
            fields: schema.fields.clone(),
            keys: schema.partition_fields().into_iter().cloned().collect(),
            // A value that is none is refused when the table is opened.
            value_only: value_only.unwrap_or_default(),
        }
    }

    /// One page of the registered partitions, in the order of the server.
    ///
    /// Without `max_results`, or with 0, the server decides how many. `name_pattern` is the beginning of a path
    /// `key=value/…` and `%`; a server may answer more than what matches.
    ///
    /// # Errors
    /// When the server refuses or its answer makes no sense.
    pub async fn list_page(
        &self,
        max_results: Option<u32>,
        page_token: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Page<RegisteredPartition>> {
        let page = self.page(max_results, page_token, name_pattern).await;
        page.map_err(explain(Subject::Partitions(&self.table)))?
            .try_map(|answer| self.registered(&answer))
    }

    /// The page as the server gives it; its refusals as they are.
    async fn page(
        &self,
        max_results: Option<u32>,
        page_token: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Page<PartitionAnswer>> {
        let path = self.client.paths().partitions(&self.table)?;
        let request = Request::get("ListPartitions", path)
            .paged(max_results, page_token)
            .query("partitionNamePattern", name_pattern.map(str::to_owned));
        let answer: PartitionPage = self.client.http().ask(&request).await?;
        Ok(Page::of(answer))
    }

    async fn filtered_page(
        &self,
        filter: &str,
        page_token: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Page<PartitionAnswer>> {
        let body = ListByFilter {
            filter,
            partition_name_pattern: name_pattern,
            max_results: u32::try_from(BATCH).ok(),
            page_token,
        };
        let request = self
            .post("ListPartitionsByFilter", "list-by-filter", &body)?
            .reading();
        let answer: PartitionPage = self.client.http().ask(&request).await?;
        Ok(Page::of(answer))
    }

    fn post(
        &self,
        action: &'static str,
        operation: &str,
        body: &impl serde::Serialize,
    ) -> Result<Request> {
        let paths = self.client.paths();
        let path = paths.partitions_operation(&self.table, operation)?;
        Ok(Request::post(action, path, body))
    }

    /// All pages; with a filter those that the server narrows by it, where it can.
    async fn all(
        &self,
        filter: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Vec<PartitionAnswer>> {
        let mut pages = Drain::new(format!("listing the partitions of table {}", self.table));
        while let Some(token) = pages.ask() {
            let token = token.as_deref();
            let page = match filter {
                Some(filter) => self.filtered_page(filter, token, name_pattern).await,
                None => {
                    let max_results = u32::try_from(BATCH).ok();
                    self.page(max_results, token, name_pattern).await
                }
            };
            pages.add(page?)?;
        }
        Ok(pages.into_items())
    }

    /// A partition of the server, its values in the order of the table's keys.
    ///
    /// # Errors
    /// When its keys are not those of the table, a value is empty, or, where values alone are directory names, a
    /// value is a step in the tree.
    fn registered(&self, answer: &PartitionAnswer) -> Result<RegisteredPartition> {
        let spec = self.ordered(&answer.spec)?;
        Ok(RegisteredPartition {
            statistics: answer.statistics(spec),
            done: answer.is_done(),
        })
    }

    fn ordered(&self, given: &Spec) -> Result<PartitionSpec> {
        let broken = |message: String| {
            AnswerSnafu {
                request: format!("partitions of table {}", self.table),
                message,
            }
            .build()
        };
        let mut spec = PartitionSpec::with_capacity(self.keys.len());
        for key in &self.keys {
            let found = given.0.iter().find(|(name, _)| *name == key.name);
            let Some((name, value)) = found else {
                return Err(broken(format!(
                    "a partition has no value of key '{}'",
                    key.name
                )));
            };
            if value.is_empty() {
                return Err(broken(format!(
                    "a partition has an empty value of key '{name}'"
                )));
            }
            if self.value_only && matches!(value.as_str(), "." | "..") {
                return Err(broken(format!(
                    "a partition has the value '{value}' of key '{name}', which no directory can be called"
                )));
            }
            spec.push((name.clone(), value.clone()));
        }
        if given.0.len() != self.keys.len() {
            return Err(broken(format!(
                "a partition has {} keys, and the table has {}",
                given.0.len(),
                self.keys.len()
            )));
        }
        Ok(spec)
    }

    /// Partitions in the order of the server, each once.
    fn distinct(&self, answers: &[PartitionAnswer]) -> Result<Vec<RegisteredPartition>> {
        let mut seen = HashSet::new();
        let mut partitions = Vec::with_capacity(answers.len());
        for answer in answers {
            let partition = self.registered(answer)?;
            if seen.insert(partition.statistics.spec.clone()) {
                partitions.push(partition);
            }
        }
        Ok(partitions)
    }

    fn specs(&self, given: &[Spec]) -> Result<Vec<PartitionSpec>> {
        given.iter().map(|spec| self.ordered(spec)).collect()
    }

    /// Those of a batch that are registered, in smaller batches where the answer is cut.
    async fn look_up(&self, specs: &[PartitionSpec]) -> Result<Vec<PartitionAnswer>> {
        let mut found = Vec::new();
        let mut batches = vec![specs];
        while let Some(batch) = batches.pop() {
            let body = SpecList::new(batch);
            let request = self
                .post("ListPartitionsByNames", "list-by-names", &body)?
                .reading();
            let answer = self.client.http().ask::<PartitionPage>(&request).await;
            let page = answer
                .map(Page::of)
                .map_err(explain(Subject::Partitions(&self.table)))?;
            match page.next_token {
                None => found.extend(page.items),
                Some(_) if batch.len() > 1 => {
                    let (first, second) = batch.split_at(batch.len() / 2);
                    batches.extend([second, first]);
                }
                Some(_) => {
                    return AnswerSnafu {
                        request: request.to_string(),
                        message: "one partition was asked for, and there are more pages",
                    }
                    .fail();
                }
            }
        }
        Ok(found)
    }

    /// Registers one batch.
    async fn create_batch(
        &self,
        specs: &[PartitionSpec],
        ignore_existing: bool,
        statistics: &[&PartitionStatistics],
        replace: bool,
    ) -> Result<CreatedPartitions> {
        let body = CreatePartitions::new(specs, ignore_existing, statistics, replace);
        let path = self.client.paths().partitions(&self.table)?;
        let mut request = Request::post("CreatePartitions", path, &body);
        // Numbers that are added would count twice, and what was registered by the first request would be refused by
        // the second as registered before.
        if (!statistics.is_empty() && !replace) || !ignore_existing {
            request = request.once();
        }
        let answer = self.client.http().ask::<CreatedAnswer>(&request).await;
        let answer = answer.map_err(explain(Subject::Partitions(&self.table)))?;
        Ok(CreatedPartitions {
            created: self.specs(&answer.created)?,
            existed: self.specs(&answer.existed)?,
        })
    }

    /// Refuses statistics that do not fit the partitions they come with.
    fn check_statistics(
        &self,
        specs: &[PartitionSpec],
        statistics: &[PartitionStatistics],
    ) -> Result<()> {
        if statistics.is_empty() {
            return Ok(());
        }
        let refuse = |message: String| {
            InvalidPartitionsSnafu {
                table: self.table.to_string(),
                message,
            }
            .fail()
        };
        let mut partitions = HashSet::new();
        for spec in specs {
            if !partitions.insert(sorted(spec)) {
                return refuse(format!("{} is given twice", shown(spec)));
            }
        }
        let mut reported = HashSet::new();
        for spec in statistics.iter().map(|statistics| &statistics.spec) {
            if !partitions.contains(&sorted(spec)) {
                return refuse(format!(
                    "statistics are about {}, which is not to be registered",
                    shown(spec)
                ));
            }
            if !reported.insert(sorted(spec)) {
                return refuse(format!("{} has statistics twice", shown(spec)));
            }
        }
        Ok(())
    }

    /// The error of a later batch: what the batches before it did stays.
    fn after(&self, done: usize, all: usize, what: &str) -> impl Fn(Error) -> Error {
        let table = self.table.to_string();
        let what = what.to_owned();
        move |error| match done {
            0 => error,
            _ => RefusedSnafu {
                subject: format!(
                    "of {all} partitions of table {table} the first {done} are {what}"
                ),
                kind: error.kind(),
            }
            .into_error(error),
        }
    }
}

#[async_trait]
impl PartitionRegistry for RestPartitions {
    async fn list(
        &self,
        prefix: &[(String, String)],
        filter: Option<&Predicate>,
    ) -> Result<Vec<RegisteredPartition>> {
        self.check_prefix(prefix)?;
        let pattern = name_pattern(&self.keys, prefix);
        let pattern = pattern.as_deref();
        let filter = filter.and_then(|filter| server_filter(filter, &self.fields, &self.keys));
        let answers = match self.all(filter.as_deref(), pattern).await {
            // The server cannot narrow, which it need not.
            Err(error) if filter.is_some() && lacks_endpoint(&error) => {
                self.all(None, pattern).await
            }
            answers => answers,
        };
        let answers = answers.map_err(explain(Subject::Partitions(&self.table)))?;
        let mut partitions = self.distinct(&answers)?;
        // Texts are compared here; values of other types are for the table to compare.
        partitions.retain(|partition| {
            let spec = partition.statistics.spec.iter();
            let mut asked = spec.zip(&self.keys).zip(prefix);
            asked.all(|((found, key), asked)| !is_text(key) || found == asked)
        });
        Ok(partitions)
    }

    async fn list_by_names(&self, specs: &[PartitionSpec]) -> Result<Vec<RegisteredPartition>> {
        let asked: HashSet<PartitionSpec> = specs.iter().map(|spec| sorted(spec)).collect();
        let mut answers = Vec::new();
        for batch in specs.chunks(BATCH) {
            answers.extend(self.look_up(batch).await?);
        }
        let mut partitions = self.distinct(&answers)?;
        partitions.retain(|partition| asked.contains(&sorted(&partition.statistics.spec)));
        Ok(partitions)
    }

    async fn create(
        &self,
        specs: &[PartitionSpec],
        ignore_existing: bool,
        statistics: &[PartitionStatistics],
        replace_statistics: bool,
    ) -> Result<CreatedPartitions> {
        self.check_statistics(specs, statistics)?;
        // All or nothing is one request.
        let size = if ignore_existing { BATCH } else { specs.len() };
        let mut created = CreatedPartitions::default();
        for (index, batch) in specs.chunks(size.max(1)).enumerate() {
            let own: HashSet<PartitionSpec> = batch.iter().map(|spec| sorted(spec)).collect();
            let of_batch: Vec<_> = statistics
                .iter()
                .filter(|statistics| own.contains(&sorted(&statistics.spec)))
                .collect();
            let answer = self
                .create_batch(batch, ignore_existing, &of_batch, replace_statistics)
                .await
                .map_err(self.after(index * size, specs.len(), "registered"))?;
            created.created.extend(answer.created);
            created.existed.extend(answer.existed);
        }
        Ok(created)
    }

    async fn drop_partitions(&self, specs: &[PartitionSpec]) -> Result<DroppedPartitions> {
        let mut dropped = DroppedPartitions::default();
        for (index, batch) in specs.chunks(BATCH).enumerate() {
            let request = self.post("DropPartitions", "drop", &DropPartitions::new(batch))?;
            let answer = self.client.http().ask::<DroppedAnswer>(&request).await;
            let answer = answer
                .map_err(explain(Subject::Partitions(&self.table)))
                .map_err(self.after(index * BATCH, specs.len(), "unregistered"))?;
            dropped.dropped.extend(self.specs(&answer.dropped)?);
            dropped.missing.extend(self.specs(&answer.missing)?);
        }
        Ok(dropped)
    }
}

impl RestPartitions {
    /// Refuses a prefix whose keys are not the first of the table.
    fn check_prefix(&self, prefix: &[(String, String)]) -> Result<()> {
        let keys = self.keys.iter().map(|key| key.name.as_str());
        let fits = prefix.len() <= self.keys.len()
            && prefix.iter().zip(keys).all(|((name, _), key)| name == key);
        if fits {
            return Ok(());
        }
        InvalidPartitionsSnafu {
            table: self.table.to_string(),
            message: format!(
                "{} does not begin with the partition keys of the table",
                shown(prefix)
            ),
        }
        .fail()
    }
}

impl RestCatalog {
    /// The partitions that the server keeps of a table.
    ///
    /// # Errors
    /// `NotFound` when there is no such table.
    pub async fn partitions(&self, identifier: &Identifier) -> Result<RestPartitions> {
        check_readable(identifier)?;
        let schema = self.schema(identifier).await?;
        let client = self.client.clone();
        Ok(RestPartitions::new(client, plain(identifier)?, &schema))
    }

    pub(super) async fn register(
        &self,
        identifier: &Identifier,
        specs: &[PartitionSpec],
        ignore_existing: bool,
    ) -> Result<CreatedPartitions> {
        check_plain(identifier, "registering partitions of table")?;
        refuse_system_database(identifier.database(), "register partitions in")?;
        let partitions = self.partitions(identifier).await?;
        partitions.create(specs, ignore_existing, &[], false).await
    }

    /// Marks partitions as complete; a server that keeps no such mark is no reason to fail.
    pub(super) async fn mark_done(
        &self,
        identifier: &Identifier,
        specs: &[PartitionSpec],
    ) -> Result<()> {
        check_plain(identifier, "marking partitions of table")?;
        refuse_system_database(identifier.database(), "mark partitions in")?;
        if specs.is_empty() {
            return Ok(());
        }
        let paths = self.client.paths();
        let path = paths.partitions_operation(identifier, "mark")?;
        let request = Request::post("MarkDonePartitions", path, &SpecList::new(specs));
        match self.client.http().send(&request).await.result {
            Ok(_) => Ok(()),
            Err(error) if has_code(&error, 501) => Ok(()),
            Err(error) => Err(explain(Subject::Partitions(identifier))(error)),
        }
    }
}

/// A partition whose keys come in one order, whoever wrote it.
fn sorted(spec: &[(String, String)]) -> PartitionSpec {
    let mut spec = spec.to_vec();
    spec.sort_unstable();
    spec
}

/// A partition in a sentence.
fn shown(spec: &[(String, String)]) -> String {
    let pairs: Vec<_> = spec.iter().map(|(k, v)| format!("{k}={v}")).collect();
    format!("partition '{}'", pairs.join("/"))
}
