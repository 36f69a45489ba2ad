//! Partitions.

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{null_default, text};
use crate::partitions::{PartitionSpec, PartitionStatistics};

/// The values of a partition as an object of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spec(pub(crate) PartitionSpec);

impl<'de> Deserialize<'de> for Spec {
    /// A value that is no scalar becomes the empty text, which no partition has.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::<String, Value>::deserialize(deserializer)?;
        let pairs = members
            .into_iter()
            .map(|(key, value)| (key, text(&value).unwrap_or_default()));
        Ok(Self(pairs.collect()))
    }
}

/// A list of partitions to be sent.
pub(crate) struct Specs<'a>(pub(crate) &'a [PartitionSpec]);

impl Serialize for Specs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(SpecBody))
    }
}

struct SpecBody<'a>(&'a PartitionSpec);

impl Serialize for SpecBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// A registered partition.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartitionAnswer {
    pub(crate) spec: Spec,
    record_count: Option<i64>,
    file_size_in_bytes: Option<i64>,
    file_count: Option<i64>,
    last_file_creation_time: Option<i64>,
    total_buckets: Option<i32>,
    done: Option<bool>,
}

impl PartitionAnswer {
    /// What the server knows of the content, about the partition `spec`; what it does not say is unknown.
    pub(crate) fn statistics(&self, spec: PartitionSpec) -> PartitionStatistics {
        let known = |value: Option<i64>| value.unwrap_or(PartitionStatistics::UNKNOWN);
        PartitionStatistics {
            spec,
            record_count: known(self.record_count),
            file_size_in_bytes: known(self.file_size_in_bytes),
            file_count: known(self.file_count),
            last_file_creation_millis: known(self.last_file_creation_time),
            total_buckets: self.total_buckets.unwrap_or(-1),
        }
    }

    /// Whether the partition was marked as complete.
    pub(crate) fn is_done(&self) -> bool {
        self.done.unwrap_or_default()
    }
}

page! {
    /// Partitions of a table.
    PartitionPage { partitions: PartitionAnswer }
}

/// Statistics to be reported.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatisticsBody<'a> {
    spec: SpecBody<'a>,
    record_count: i64,
    file_size_in_bytes: i64,
    file_count: i64,
    last_file_creation_time: i64,
    total_buckets: i32,
}

impl<'a> From<&'a PartitionStatistics> for StatisticsBody<'a> {
    fn from(statistics: &'a PartitionStatistics) -> Self {
        Self {
            spec: SpecBody(&statistics.spec),
            record_count: statistics.record_count,
            file_size_in_bytes: statistics.file_size_in_bytes,
            file_count: statistics.file_count,
            last_file_creation_time: statistics.last_file_creation_millis,
            total_buckets: statistics.total_buckets,
        }
    }
}

/// Partitions to be registered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatePartitions<'a> {
    partition_specs: Specs<'a>,
    ignore_if_exists: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partition_statistics: Vec<StatisticsBody<'a>>,
    /// There exactly when statistics are.
    #[serde(skip_serializing_if = "Option::is_none")]
    replace_statistics: Option<bool>,
}

impl<'a> CreatePartitions<'a> {
    pub(crate) fn new(
        specs: &'a [PartitionSpec],
        ignore_if_exists: bool,
        statistics: &[&'a PartitionStatistics],
        replace: bool,
    ) -> Self {
        Self {
            partition_specs: Specs(specs),
            ignore_if_exists,
            partition_statistics: statistics.iter().map(|one| (*one).into()).collect(),
            replace_statistics: (!statistics.is_empty()).then_some(replace),
        }
    }
}

/// What became of partitions to be registered.
#[derive(Debug, Deserialize)]
pub(crate) struct CreatedAnswer {
    #[serde(default, deserialize_with = "null_default")]
    pub(crate) created: Vec<Spec>,
    #[serde(default, deserialize_with = "null_default")]
    pub(crate) existed: Vec<Spec>,
}

/// Partitions to be unregistered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DropPartitions<'a> {
    pub(crate) partition_specs: Specs<'a>,
    pub(crate) ignore_if_not_exists: bool,
}

/// What became of partitions to be unregistered.
#[derive(Debug, Deserialize)]
pub(crate) struct DroppedAnswer {
    #[serde(default, deserialize_with = "null_default")]
    pub(crate) dropped: Vec<Spec>,
    #[serde(default, deserialize_with = "null_default")]
    pub(crate) missing: Vec<Spec>,
}

/// Partitions to be looked up or to be marked as complete.
#[derive(Serialize)]
pub(crate) struct SpecList<'a> {
    pub(crate) specs: Specs<'a>,
}

impl<'a> SpecList<'a> {
    pub(crate) fn new(specs: &'a [PartitionSpec]) -> Self {
        Self {
            specs: Specs(specs),
        }
    }
}

impl<'a> DropPartitions<'a> {
    /// Those that are not registered are reported, not refused.
    pub(crate) fn new(specs: &'a [PartitionSpec]) -> Self {
        Self {
            partition_specs: Specs(specs),
            ignore_if_not_exists: true,
        }
    }
}

/// A listing that the server may narrow.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListByFilter<'a> {
    /// A predicate: JSON as a text inside the JSON.
    pub(crate) filter: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) partition_name_pattern: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_results: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_token: Option<&'a str>,
}
