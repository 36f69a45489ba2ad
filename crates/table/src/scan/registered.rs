//! Partitions that the catalog has registered → their directories, listed side by side.
//!
//! The catalog alone says which partitions exist: a directory that is not registered is not looked at, a registered
//! partition without a directory is empty. What it is told of a filter only saves it work. It may compare texts where
//! the table compares values, so all that it lists is compared again here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ftable_catalog::{PartitionRegistry, PartitionSpec, PartitionStatistics, RegisteredPartition};
use ftable_core::partition::DirectoryName;
use ftable_core::predicate::{BoundPredicate, CompareOp, Known};
use ftable_core::{DataField, Datum, PartitionCodec, TypeKind};
use ftable_io::data_files::list_data_files;
use ftable_io::path::join;
use ftable_io::walk::LeafFile;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use snafu::ResultExt;

use super::discover::relative_name;
use super::{FoundPartition, PartitionEntry, PlanLog};
use crate::error::{Error, RegisteredSnafu, Result};
use crate::format_table::FormatTable;

/// A partition that the catalog has registered.
#[derive(Debug, Clone)]
pub(crate) struct Registered {
    pub(crate) values: Vec<Option<Datum>>,
    /// The directory relative to the table.
    pub(crate) path: String,
    /// The partition as the catalog names it, and what it knows of its content.
    pub(crate) statistics: PartitionStatistics,
}

/// The registered partitions that a filter over the keys leaves, sorted by their directories, each once.
///
/// # Errors
/// A catalog that cannot be asked; a partition that cannot be one of the table's. Neither is ever answered by looking
/// at directories.
pub(crate) async fn registered(
    table: &FormatTable,
    registry: &dyn PartitionRegistry,
    filter: Option<&BoundPredicate>,
    log: &PlanLog,
) -> Result<Vec<Registered>> {
    // A filter may be false whatever the values are.
    if filter.is_some_and(|filter| !filter.might_match(&|_| Known::Unknown)) {
        return Ok(Vec::new());
    }
    let keys = table.codec().keys();
    let name = |column: usize| keys.get(column).map(|key| key.name.as_str());
    let hint = filter.and_then(|filter| filter.to_predicate(&name));
    let listed = registry
        .list(&prefix(table.codec(), filter), hint.as_ref())
        .await
        .context(table.registry_error("list its partitions"))?;
    let mut found = BTreeMap::new();
    for partition in listed {
        match read(table, partition, filter, log)? {
            Some(partition) => {
                found.entry(partition.path.clone()).or_insert(partition);
            }
            None => log.skip_pruned(),
        }
    }
    Ok(found.into_values().collect())
}

/// The same for readers, who are told where a table looks as if it were empty.
async fn scanned(
    table: &FormatTable,
    registry: &dyn PartitionRegistry,
    filter: Option<&BoundPredicate>,
    log: &PlanLog,
) -> Result<Vec<Registered>> {
    let found = registered(table, registry, filter, log).await?;
    if found.is_empty() && filter.is_none() {
        see_unregistered(table, log).await;
    }
    Ok(found)
}

/// The registered partitions whose first values are equal to those asked for, however they are spelled.
pub(crate) async fn beginning_with(
    table: &FormatTable,
    registry: &dyn PartitionRegistry,
    values: &[Option<Datum>],
) -> Result<Vec<Registered>> {
    let test = |(column, value): (usize, &Option<Datum>)| match value {
        Some(value) => BoundPredicate::Compare {
            column,
            op: CompareOp::Eq,
            value: value.clone(),
        },
        None => BoundPredicate::IsNull {
            column,
            negated: false,
        },
    };
    let tests: Vec<_> = values.iter().enumerate().map(test).collect();
    let filter = (!tests.is_empty()).then_some(BoundPredicate::And(tests));
    registered(table, registry, filter.as_ref(), &PlanLog::default()).await
}

/// The partitions and their files, in the order of their directories.
pub(super) fn stream(
    table: FormatTable,
    registry: Arc<dyn PartitionRegistry>,
    filter: Option<BoundPredicate>,
    log: Arc<PlanLog>,
) -> BoxStream<'static, Result<Vec<FoundPartition>>> {
    let parallelism = table.options().list_parallelism;
    stream::once(async move {
        let found = scanned(&table, &*registry, filter.as_ref(), &log).await?;
        let listings = found.into_iter().map(move |partition| {
            let (table, log) = (table.clone(), Arc::clone(&log));
            async move {
                let files = data_files(&table, &partition.path, &log).await?;
                Ok(vec![FoundPartition {
                    values: partition.values,
                    path: partition.path,
                    files,
                }])
            }
        });
        Ok::<_, Error>(stream::iter(listings).buffered(parallelism))
    })
    .try_flatten()
    .boxed()
}

/// The partitions with what the catalog knows of them; what it does not know is looked up in their directories.
pub(super) async fn entries(
    table: &FormatTable,
    registry: &dyn PartitionRegistry,
    filter: Option<&BoundPredicate>,
    log: &PlanLog,
) -> Result<Vec<PartitionEntry>> {
    let found = scanned(table, registry, filter, log).await?;
    let entries: Vec<_> = found
        .into_iter()
        .map(|partition| entry(table, partition, log))
        .collect();
    stream::iter(entries)
        .buffered(table.options().list_parallelism)
        .try_collect()
        .await
}

async fn entry(
    table: &FormatTable,
    partition: Registered,
    log: &PlanLog,
) -> Result<PartitionEntry> {
    let known = &partition.statistics;
    let record_count = u64::try_from(known.record_count).ok();
    let sizes = (
        u64::try_from(known.file_count),
        u64::try_from(known.file_size_in_bytes),
    );
    if let (Ok(file_count), Ok(total_bytes)) = sizes {
        let modified = known.last_file_creation_millis;
        return Ok(PartitionEntry {
            values: partition.values,
            path: partition.path,
            file_count,
            total_bytes,
            last_modified_millis: (modified >= 0).then_some(modified),
            record_count,
        });
    }
    let measured = measure(table, partition, log).await?;
    Ok(PartitionEntry {
        record_count,
        ..measured.0
    })
}

/// A partition with what its directory says of its files, and these.
pub(crate) async fn measure(
    table: &FormatTable,
    partition: Registered,
    log: &PlanLog,
) -> Result<(PartitionEntry, Vec<LeafFile>)> {
    let files = data_files(table, &partition.path, log).await?;
    let entry = PartitionEntry {
        values: partition.values,
        path: partition.path,
        file_count: files.len() as u64,
        total_bytes: files.iter().map(|file| file.size).sum(),
        last_modified_millis: files.iter().filter_map(|file| file.modified_millis).max(),
        record_count: None,
    };
    Ok((entry, files))
}

/// The data files of a partition; none where it has no directory.
pub(crate) async fn data_files(
    table: &FormatTable,
    partition: &str,
    log: &PlanLog,
) -> Result<Vec<LeafFile>> {
    log.listings().fetch_add(1, Ordering::Relaxed);
    let (file_system, directory) = (table.file_system(), join(table.root(), partition));
    let listed = list_data_files(&**file_system, &directory, &[]).await;
    let listed = listed.context(table.io())?;
    if listed.is_empty() {
        let found = file_system.stat(&directory).await.context(table.io())?;
        if found.is_none() {
            log.see_missing(partition);
        }
    }
    let files = listed.into_iter().map(|file| LeafFile {
        name: relative_name(&directory, &file.path).into(),
        size: file.size,
        modified_millis: file.modified_millis,
    });
    Ok(files.collect())
}

/// What the catalog lists as one of the table's partitions, if the filter leaves it.
fn read(
    table: &FormatTable,
    partition: RegisteredPartition,
    filter: Option<&BoundPredicate>,
    log: &PlanLog,
) -> Result<Option<Registered>> {
    let codec = table.codec();
    let statistics = partition.statistics;
    let partition = shown(&statistics.spec);
    let unreadable = || RegisteredSnafu {
        table: table.name(),
        partition: partition.as_str(),
    };
    let path = codec.raw_path(&statistics.spec).context(unreadable())?;
    let raw = codec.raw_spec(&path).context(unreadable())?;
    let parsed: Vec<_> = raw
        .iter()
        .enumerate()
        .map(|(level, (_, text))| codec.parse(level, text))
        .collect();
    if raw
        .iter()
        .zip(&parsed)
        .any(|((_, text), value)| value.is_ok() && codec.foreign_null_marker(text).is_some())
    {
        log.see_null_marker("", &path);
    }
    // A text that does not parse is an error only where the other keys leave the partition.
    let known = |level: usize| match parsed.get(level) {
        Some(Ok(value)) => Known::from(value),
        _ => Known::Unknown,
    };
    if filter.is_some_and(|filter| !filter.might_match(&known)) {
        return Ok(None);
    }
    let values: Result<Vec<_>, _> = parsed.into_iter().collect();
    let values = values.context(unreadable())?;
    Ok(Some(Registered {
        values,
        path,
        statistics,
    }))
}

/// A partition as a catalog names it, for messages.
pub(crate) fn shown(spec: &[(String, String)]) -> String {
    let pairs: Vec<String> = spec
        .iter()
        .map(|(key, text)| format!("{key}={text}"))
        .collect();
    pairs.join(", ")
}

/// The values of the first keys that a filter fixes, as far as each has one text only: that is so for texts and for
/// NULL. A number has many, as `3` and `03`, and so has a date.
fn prefix(codec: &PartitionCodec, filter: Option<&BoundPredicate>) -> PartitionSpec {
    let mut conjuncts = Vec::new();
    flatten(filter, &mut conjuncts);
    let mut prefix = Vec::new();
    for (level, key) in codec.keys().iter().enumerate() {
        let text = conjuncts
            .iter()
            .find_map(|conjunct| only_text(codec, level, key, conjunct));
        match text {
            Some(text) => prefix.push((key.name.clone(), text)),
            None => break,
        }
    }
    prefix
}

fn flatten<'a>(filter: Option<&'a BoundPredicate>, conjuncts: &mut Vec<&'a BoundPredicate>) {
    match filter {
        Some(BoundPredicate::And(children)) => children
            .iter()
            .for_each(|child| flatten(Some(child), conjuncts)),
        Some(other) => conjuncts.push(other),
        None => {}
    }
}

/// The one text that a partition of which the test is true has at a level.
fn only_text(
    codec: &PartitionCodec,
    level: usize,
    key: &DataField,
    test: &BoundPredicate,
) -> Option<String> {
    let value = match test {
        BoundPredicate::IsNull {
            column,
            negated: false,
        } if *column == level => return Some(codec.default_name().to_owned()),
        BoundPredicate::Compare {
            column,
            op: CompareOp::Eq,
            value,
        } if *column == level => value,
        BoundPredicate::In {
            column,
            values,
            negated: false,
            ..
        } if *column == level && values.len() == 1 => values.first()?,
        _ => return None,
    };
    let is_text = matches!(
        key.data_type.kind(),
        TypeKind::Char { .. } | TypeKind::VarChar { .. }
    );
    match value {
        // A blank text is one that no catalog is sure to keep.
        Datum::String(text) if is_text && !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    }
}

/// Tells of partition directories where the catalog has nothing registered. It says nothing about rows, so what cannot
/// be listed is let be.
async fn see_unregistered(table: &FormatTable, log: &PlanLog) {
    let entries = table.file_system().list(table.root()).await;
    let directories = entries.unwrap_or_default();
    let named = directories.iter().filter(|entry| {
        entry.is_dir()
            && matches!(
                table.codec().read_name(0, entry.name()),
                DirectoryName::Value(_)
            )
    });
    named.for_each(|entry| log.see_unregistered(entry.name()));
}
