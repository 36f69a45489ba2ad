//! Calls about registered partitions.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use ftable_core::partition::escape;
use serde_json::{Value, json};

use super::answer::{Answer, Done, Failure};
use super::call::{
    Call, flag, integer, list as optional_list, only, required_list, required_text, text,
};
use super::filter;
use super::listing::{NamePattern, Order, PageRequest};
use super::state::{State, Table, spec_json};
use super::{PartitionRecord, Registry};

/// How many partitions a request may name, strict creations aside.
const MOST_SPECS: usize = 1000;
/// How many partitions `list-by-names` answers when it is capped.
const CAP: usize = 100;
/// Option of tables whose partitions the catalog owns.
const MANAGED: &str = "metastore.partitioned-table";

type Spec = Vec<(String, String)>;

/// The table of a call, if it has registered partitions.
fn table<'a>(state: &'a mut State, call: &Call) -> Done<&'a mut Table> {
    let registry = state.options.registry;
    let table = state.table_mut(call.database(), call.table())?;
    let managed = table.schema.options.get(MANAGED);
    let managed = managed.is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let registers = match registry {
        Registry::AllTables => true,
        Registry::ManagedTables => managed,
        Registry::NoTables => false,
    };
    if !registers {
        let message = format!("table '{}' has no registered partitions", call.table());
        return Err(Failure::unsupported(message));
    }
    if table.schema.partition_keys.is_empty() {
        let message = format!("table '{}' is not partitioned", call.table());
        return Err(Failure::bad_request(message));
    }
    Ok(table)
}

/// Reads a partition: a value for each key of the table, none blank, in the table's order.
fn spec(table: &Table, value: &Value) -> Done<Spec> {
    let refuse = || {
        let keys = table.schema.partition_keys.join(", ");
        Failure::bad_request(format!("{value} is no partition by [{keys}]"))
    };
    let keys = &table.schema.partition_keys;
    let members = value.as_object().ok_or_else(refuse)?;
    if members.len() != keys.len() {
        return Err(refuse());
    }
    let pair = |key: &String| {
        let text = members.get(key).and_then(Value::as_str);
        let text = text.filter(|text| !text.is_empty()).ok_or_else(refuse)?;
        Ok((key.clone(), text.to_owned()))
    };
    keys.iter().map(pair).collect()
}

/// The name of a partition, escaped as its directories are: `k1=v1/k2=v2`.
fn name(spec: &Spec) -> Done<String> {
    let level =
        |(key, value): &(String, String)| Ok(format!("{}={}", escape(key)?, escape(value)?));
    Ok(spec.iter().map(level).collect::<Done<Vec<_>>>()?.join("/"))
}

/// Reads a list of partitions, each at most once, by name.
fn named_specs(table: &Table, values: &[Value]) -> Done<Vec<(String, Spec)>> {
    let mut seen = BTreeSet::new();
    let mut specs = Vec::with_capacity(values.len());
    for value in values {
        let spec = spec(table, value)?;
        let name = name(&spec)?;
        if !seen.insert(name.clone()) {
            return Err(Failure::bad_request(format!(
                "partition {name} is given twice"
            )));
        }
        specs.push((name, spec));
    }
    Ok(specs)
}

fn check_count(specs: &[Value]) -> Done<()> {
    if specs.len() > MOST_SPECS {
        let message = format!("{} partitions are more than {MOST_SPECS}", specs.len());
        return Err(Failure::bad_request(message));
    }
    Ok(())
}

fn listing(partitions: &[Value], token: Option<String>) -> Answer {
    Answer::json(
        200,
        &json!({"partitions": partitions, "nextPageToken": token}),
    )
}

pub(super) fn list(state: &mut State, call: &Call) -> Done {
    let page = PageRequest::from_query(&call.query, state.options.page_size)?;
    let pattern = NamePattern::parse(call.asked("partitionNamePattern"))?;
    let partitions = table(state, call)?.partitions.iter();
    let fitting = partitions
        .filter(|(name, _)| pattern.fits(name))
        .map(|(name, partition)| (name.clone(), partition.to_json()));
    let (partitions, token) = page.of(fitting, Order::Descending);
    Ok(listing(&partitions, token))
}

/// Lists what may match a predicate. Only what its equalities of texts exclude is left out.
pub(super) fn list_by_filter(state: &mut State, call: &Call) -> Done {
    only(
        &call.body,
        &["filter", "partitionNamePattern", "maxResults", "pageToken"],
    )?;
    let filter = required_text(&call.body, "filter")?;
    let refuse = |error| Failure::bad_request(format!("the filter is no JSON: {error}"));
    let filter: Value = serde_json::from_str(&filter).map_err(refuse)?;
    let pattern = NamePattern::parse(text(&call.body, "partitionNamePattern")?.as_deref())?;
    let token = text(&call.body, "pageToken")?;
    let size = integer(&call.body, "maxResults")?;
    let page = PageRequest::new(size, token.as_ref(), state.options.page_size);
    let table = table(state, call)?;
    filter::check(&filter, &table.schema.partition_keys)?;
    let fitting = table
        .partitions
        .iter()
        .filter(|(name, partition)| {
            pattern.fits(name) && filter::may_match(&filter, &partition.spec)
        })
        .map(|(name, partition)| (name.clone(), partition.to_json()));
    let (partitions, token) = page.of(fitting, Order::Descending);
    Ok(listing(&partitions, token))
}

pub(super) fn list_by_names(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["specs"])?;
    let specs = required_list(&call.body, "specs")?;
    check_count(specs)?;
    let cap = state.options.cap_list_by_names;
    let table = table(state, call)?;
    let names = named_specs(table, specs)?;
    let mut found: Vec<(String, Value)> = names
        .into_iter()
        .filter_map(|(name, _)| {
            let partition = table.partitions.get(&name)?.to_json();
            Some((name, partition))
        })
        .collect();
    let mut token = None;
    if cap && found.len() > CAP {
        found.truncate(CAP);
        token = found.last().map(|(name, _)| name.clone());
    }
    let partitions: Vec<Value> = found.into_iter().map(|(_, partition)| partition).collect();
    Ok(listing(&partitions, token))
}

/// Registers partitions and takes their statistics, in one step or not at all.
pub(super) fn create(state: &mut State, call: &Call) -> Done {
    only(
        &call.body,
        &[
            "partitionSpecs",
            "ignoreIfExists",
            "partitionStatistics",
            "replaceStatistics",
        ],
    )?;
    let specs = required_list(&call.body, "partitionSpecs")?;
    let ignore = flag(&call.body, "ignoreIfExists")?.unwrap_or(true);
    if ignore {
        check_count(specs)?;
    }
    let table = table(state, call)?;
    let specs = named_specs(table, specs)?;
    let report = Report::read(table, &call.body)?;
    if let Some((name, _)) = specs
        .iter()
        .find(|(name, _)| !ignore && table.partitions.contains_key(name))
    {
        return Err(Failure::partition_exists(name));
    }
    let (mut created, mut existed) = (Vec::new(), Vec::new());
    for (name, spec) in specs {
        let json = spec_json(&spec);
        match table.partitions.entry(name) {
            Entry::Occupied(_) => existed.push(json),
            Entry::Vacant(entry) => {
                entry.insert(PartitionRecord::new(spec));
                created.push(json);
            }
        }
    }
    report.apply(&mut table.partitions);
    let body = json!({"created": created, "existed": existed});
    Ok(Answer::json(200, &body))
}

/// Statistics that a client reports.
struct Report {
    /// The numbers by the name of their partition.
    numbers: Vec<(String, Numbers)>,
    replace: bool,
}

/// Rows, bytes and files, and the time of the newest file.
struct Numbers {
    counts: [i64; 3],
    time: i64,
}

impl Report {
    fn read(table: &Table, body: &Value) -> Done<Self> {
        let statistics = optional_list(body, "partitionStatistics")?;
        let replace = flag(body, "replaceStatistics")?;
        if replace.is_none() && !statistics.is_empty() {
            let message = "statistics need the member 'replaceStatistics'";
            return Err(Failure::bad_request(message));
        }
        let mut seen = BTreeSet::new();
        let mut numbers = Vec::with_capacity(statistics.len());
        for one in statistics {
            only(
                one,
                &[
                    "spec",
                    "recordCount",
                    "fileSizeInBytes",
                    "fileCount",
                    "lastFileCreationTime",
                    "totalBuckets",
                ],
            )?;
            let name = name(&spec(table, one.get("spec").unwrap_or(&Value::Null))?)?;
            if !seen.insert(name.clone()) {
                let message = format!("partition {name} has statistics twice");
                return Err(Failure::bad_request(message));
            }
            let number = |member: &str| integer(one, member).map(|number| number.unwrap_or(-1));
            let counts = [
                number("recordCount")?,
                number("fileSizeInBytes")?,
                number("fileCount")?,
            ];
            let time = number("lastFileCreationTime")?;
            numbers.push((name, Numbers { counts, time }));
        }
        let replace = replace.unwrap_or_default();
        Ok(Self { numbers, replace })
    }

    /// Changes the statistics of registered partitions. A report about one that is not registered is void
    /// as a whole; the number of buckets never changes.
    fn apply(&self, partitions: &mut BTreeMap<String, PartitionRecord>) {
        if !self
            .numbers
            .iter()
            .all(|(name, _)| partitions.contains_key(name))
        {
            return;
        }
        for (name, reported) in &self.numbers {
            let Some(stored) = partitions.get_mut(name) else {
                continue;
            };
            let [rows, bytes, files] = reported.counts;
            stored.record_count = self.count(stored.record_count, rows);
            stored.file_size_in_bytes = self.count(stored.file_size_in_bytes, bytes);
            stored.file_count = self.count(stored.file_count, files);
            stored.last_file_creation_time =
                self.time(stored.last_file_creation_time, reported.time);
        }
    }

    /// A count that is negative is unknown: reported, it says nothing; stored, it is nothing to add to.
    fn count(&self, stored: i64, reported: i64) -> i64 {
        match (stored, reported) {
            (_, ..0) => stored,
            (..0, _) => reported,
            _ if self.replace => reported,
            _ => stored.saturating_add(reported),
        }
    }

    fn time(&self, stored: i64, reported: i64) -> i64 {
        match reported {
            ..0 => stored,
            _ if self.replace => reported,
            _ => stored.max(reported),
        }
    }
}

/// Unregisters partitions; where a missing one is no matter, all but those, else all or none.
pub(super) fn drop(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["partitionSpecs", "ignoreIfNotExists"])?;
    let specs = required_list(&call.body, "partitionSpecs")?;
    check_count(specs)?;
    let ignore = flag(&call.body, "ignoreIfNotExists")?.unwrap_or(true);
    let table = table(state, call)?;
    let specs = named_specs(table, specs)?;
    if let Some((name, _)) = specs
        .iter()
        .find(|(name, _)| !ignore && !table.partitions.contains_key(name))
    {
        return Err(Failure::no_partition(name));
    }
    let (mut dropped, mut missing) = (Vec::new(), Vec::new());
    for (name, spec) in specs {
        match table.partitions.remove(&name) {
            Some(_) => dropped.push(spec_json(&spec)),
            None => missing.push(spec_json(&spec)),
        }
    }
    let body = json!({"dropped": dropped, "missing": missing});
    Ok(Answer::json(200, &body))
}

/// Marks partitions as complete. Those that are not registered are no matter.
pub(super) fn mark_done(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["specs"])?;
    let specs = required_list(&call.body, "specs")?;
    let table = table(state, call)?;
    for (name, _) in named_specs(table, specs)? {
        if let Some(partition) = table.partitions.get_mut(&name) {
            partition.done = true;
        }
    }
    Ok(Answer::empty(200))
}
