//! A catalog's registry of partitions in memory: strict about what it is asked, and failing on command.
//!
//! It takes what a server of Paimon's REST protocol takes and refuses the rest: specs have all keys in order and no
//! empty text, statistics are about the specs of their request, each once. Numbers are kept as such a server keeps
//! them: an addition to an unknown number replaces it, an unknown number leaves what is kept, the later time wins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ftable_catalog::{
    CreatedPartitions, DroppedPartitions, Error, PartitionRegistry, PartitionSpec,
    PartitionStatistics, RegisteredPartition, Result,
};
use ftable_core::predicate::Known;
use ftable_core::{ErrorKind, PartitionCodec, Predicate};

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub enum RegistryCall {
    /// `PartitionRegistry::list`.
    List {
        /// The texts of the first keys.
        prefix: PartitionSpec,
        /// The filter as SQL.
        filter: Option<String>,
    },
    /// `PartitionRegistry::list_by_names`.
    ListByNames(Vec<PartitionSpec>),
    /// `PartitionRegistry::create`.
    Create {
        /// What is registered.
        specs: Vec<PartitionSpec>,
        /// Whether those that exist are fine.
        ignore_existing: bool,
        /// What is reported of them.
        statistics: Vec<PartitionStatistics>,
        /// Whether it takes the place of what is kept.
        replace: bool,
    },
    /// `PartitionRegistry::drop_partitions`.
    Drop(Vec<PartitionSpec>),
}

impl RegistryCall {
    /// Whether it changes what is registered or known.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Create { .. } | Self::Drop(_))
    }
}

/// How a call goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegistryFault {
    /// Whether the call is carried out all the same: only its answer is lost.
    pub applied: bool,
    /// What the caller is told.
    pub kind: ErrorKind,
}

impl RegistryFault {
    /// The catalog does nothing and says why.
    pub fn refusal(kind: ErrorKind) -> Self {
        Self {
            applied: false,
            kind,
        }
    }

    /// The call does not get there.
    pub fn lost() -> Self {
        Self::refusal(ErrorKind::Unavailable)
    }

    /// The call is carried out, and the answer does not get back.
    pub fn lost_answer() -> Self {
        Self {
            applied: true,
            kind: ErrorKind::Unavailable,
        }
    }
}

/// A registry in memory. Clones share everything.
#[derive(Debug, Clone)]
pub struct MemoryRegistry {
    codec: PartitionCodec,
    prunes: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    partitions: BTreeMap<PartitionSpec, PartitionStatistics>,
    done: BTreeSet<PartitionSpec>,
    calls: Vec<RegistryCall>,
    /// By the number of the call, from 1.
    faults: BTreeMap<usize, RegistryFault>,
    outage: Option<RegistryFault>,
    /// Of calls that change something.
    change_fault: Option<RegistryFault>,
    repeats: bool,
    /// How long it takes to answer a call that changes something.
    pause: Duration,
    failed: usize,
}

impl MemoryRegistry {
    /// An empty registry of a table with these keys.
    pub fn new(codec: PartitionCodec) -> Self {
        Self {
            codec,
            prunes: true,
            state: Arc::default(),
        }
    }

    /// The same registry, which lists all its partitions whatever it is told of a filter.
    #[must_use]
    pub fn without_pruning(mut self) -> Self {
        self.prunes = false;
        self
    }

    /// Lists every partition twice from now on.
    pub fn repeat_itself(&self) {
        self.lock().repeats = true;
    }

    /// Registers a partition without a call, whatever its texts are.
    pub fn put(&self, statistics: PartitionStatistics) {
        let spec = statistics.spec.clone();
        self.lock().partitions.insert(spec, statistics);
    }

    /// Has a call go wrong, by its number from 1 since the record was emptied.
    pub fn fail_call(&self, number: usize, fault: RegistryFault) {
        self.lock().faults.insert(number, fault);
    }

    /// Has every call go wrong.
    pub fn fail_all(&self, fault: RegistryFault) {
        self.lock().outage = Some(fault);
    }

    /// Has every call go wrong that changes something.
    pub fn fail_changes(&self, fault: RegistryFault) {
        self.lock().change_fault = Some(fault);
    }

    /// Has every call that changes something be carried out at once and answered after a while.
    pub fn answer_late(&self, pause: Duration) {
        self.lock().pause = pause;
    }

    /// Takes all faults away and empties the record.
    pub fn heal(&self) {
        let mut state = self.lock();
        state.faults.clear();
        state.outage = None;
        state.change_fault = None;
        state.pause = Duration::ZERO;
        state.calls.clear();
        state.failed = 0;
    }

    /// How many calls went wrong as commanded.
    pub fn faults(&self) -> usize {
        self.lock().failed
    }

    /// What was asked for, in the order it came.
    pub fn calls(&self) -> Vec<RegistryCall> {
        self.lock().calls.clone()
    }

    /// Calls that change something.
    pub fn changes(&self) -> Vec<RegistryCall> {
        let mut calls = self.calls();
        calls.retain(RegistryCall::is_change);
        calls
    }

    /// What is registered, by the texts in the order of the keys.
    pub fn partitions(&self) -> BTreeMap<PartitionSpec, PartitionStatistics> {
        self.lock().partitions.clone()
    }

    /// The texts of what is registered, as `a/b` of two keys.
    pub fn names(&self) -> Vec<String> {
        let text = |spec: &PartitionSpec| {
            let texts: Vec<&str> = spec.iter().map(|(_, text)| text.as_str()).collect();
            texts.join("/")
        };
        self.lock().partitions.keys().map(text).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a call and carries it out, unless it is to go wrong.
    fn call<T>(&self, call: RegistryCall, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut state = self.lock();
        let of_change = state.change_fault.filter(|_| call.is_change());
        state.calls.push(call);
        let number = state.calls.len();
        let fault = state.faults.get(&number).copied();
        let Some(fault) = fault.or(state.outage).or(of_change) else {
            return work(&mut state);
        };
        state.failed += 1;
        if fault.applied {
            work(&mut state)?;
        }
        Err(error(fault.kind, "injected fault"))
    }

    /// Gives the answer of a call when it is due.
    async fn answer<T>(&self, outcome: Result<T>) -> Result<T> {
        let pause = self.lock().pause;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        outcome
    }

    /// Refuses specs that are not those of partitions.
    fn check<'a>(&self, specs: impl IntoIterator<Item = &'a PartitionSpec>) -> Result<()> {
        for spec in specs {
            let keys = self.codec.keys().iter().map(|key| key.name.as_str());
            let given = spec.iter().map(|(key, _)| key.as_str());
            if !keys.eq(given) || spec.iter().any(|(_, text)| text.is_empty()) {
                return Err(refusal(&format!("{spec:?} is no partition of the table")));
            }
        }
        Ok(())
    }

    fn might_match(&self, spec: &PartitionSpec, filter: Option<&Predicate>) -> Result<bool> {
        let Some(filter) = filter else {
            return Ok(true);
        };
        let bound = filter
            .bind(self.codec.keys())
            .map_err(|error| refusal(&format!("{filter} is no filter of partitions: {error}")))?;
        let values: Vec<_> = spec
            .iter()
            .enumerate()
            .map(|(level, (_, text))| self.codec.parse(level, text))
            .collect();
        let known = |column: usize| match values.get(column) {
            Some(Ok(value)) => Known::from(value),
            _ => Known::Unknown,
        };
        Ok(bound.might_match(&known))
    }

    fn listed(state: &State, spec: &PartitionSpec) -> Option<RegisteredPartition> {
        Some(RegisteredPartition {
            statistics: state.partitions.get(spec)?.clone(),
            done: state.done.contains(spec),
        })
    }
}

#[async_trait]
impl PartitionRegistry for MemoryRegistry {
    async fn list(
        &self,
        prefix: &[(String, String)],
        filter: Option<&Predicate>,
    ) -> Result<Vec<RegisteredPartition>> {
        let call = RegistryCall::List {
            prefix: prefix.to_vec(),
            filter: filter.map(ToString::to_string),
        };
        self.call(call, |state| {
            let keys = self.codec.keys().iter().map(|key| key.name.as_str());
            let given = prefix.iter().map(|(key, _)| key.as_str());
            if !given.eq(keys.take(prefix.len())) {
                return Err(refusal(&format!("{prefix:?} does not begin a partition")));
            }
            let mut found = Vec::new();
            for spec in state.partitions.keys() {
                let is_wanted = self.might_match(spec, filter)? && spec.starts_with(prefix);
                if is_wanted || !self.prunes {
                    found.extend(Self::listed(state, spec));
                }
            }
            if state.repeats {
                found.extend(found.clone());
            }
            // Not in the order of the directories: no catalog promises that.
            found.reverse();
            Ok(found)
        })
    }

    async fn list_by_names(&self, specs: &[PartitionSpec]) -> Result<Vec<RegisteredPartition>> {
        self.call(RegistryCall::ListByNames(specs.to_vec()), |state| {
            self.check(specs)?;
            let wanted: BTreeSet<_> = specs.iter().collect();
            Ok(wanted
                .into_iter()
                .filter_map(|spec| Self::listed(state, spec))
                .collect())
        })
    }

    async fn create(
        &self,
        specs: &[PartitionSpec],
        ignore_existing: bool,
        statistics: &[PartitionStatistics],
        replace_statistics: bool,
    ) -> Result<CreatedPartitions> {
        let call = RegistryCall::Create {
            specs: specs.to_vec(),
            ignore_existing,
            statistics: statistics.to_vec(),
            replace: replace_statistics,
        };
        let outcome = self.call(call, |state| {
            self.check(specs)?;
            let asked: BTreeSet<_> = specs.iter().collect();
            let told: BTreeSet<_> = statistics.iter().map(|own| &own.spec).collect();
            if specs.is_empty() {
                return Err(refusal("no partition is given"));
            }
            if !statistics.is_empty() && asked.len() < specs.len() {
                return Err(refusal("a partition is given twice"));
            }
            if told.len() < statistics.len() || !told.is_subset(&asked) {
                return Err(refusal("statistics do not fit the partitions"));
            }
            let mut outcome = CreatedPartitions::default();
            for spec in &asked {
                match state.partitions.contains_key(*spec) {
                    true => outcome.existed.push((*spec).clone()),
                    false => outcome.created.push((*spec).clone()),
                }
            }
            if !ignore_existing && !outcome.existed.is_empty() {
                return Err(error(
                    ErrorKind::AlreadyExists,
                    "some partitions already exist",
                ));
            }
            for spec in &outcome.created {
                let unknown = PartitionStatistics::unknown(spec.clone());
                state.partitions.insert(spec.clone(), unknown);
            }
            for own in statistics {
                if let Some(kept) = state.partitions.get_mut(&own.spec) {
                    report(kept, own, replace_statistics);
                }
            }
            Ok(outcome)
        });
        self.answer(outcome).await
    }

    async fn drop_partitions(&self, specs: &[PartitionSpec]) -> Result<DroppedPartitions> {
        let outcome = self.call(RegistryCall::Drop(specs.to_vec()), |state| {
            self.check(specs)?;
            let mut outcome = DroppedPartitions::default();
            for spec in specs {
                match state.partitions.remove(spec) {
                    Some(_) => outcome.dropped.push(spec.clone()),
                    None => outcome.missing.push(spec.clone()),
                }
            }
            Ok(outcome)
        });
        self.answer(outcome).await
    }
}

/// Takes reported numbers in; buckets are never changed.
fn report(kept: &mut PartitionStatistics, told: &PartitionStatistics, replace: bool) {
    let number = |kept: &mut i64, told: i64| {
        *kept = match (*kept, told) {
            (kept, told) if told < 0 => kept,
            (kept, told) if replace || kept < 0 => told,
            (kept, told) => kept + told,
        };
    };
    number(&mut kept.record_count, told.record_count);
    number(&mut kept.file_size_in_bytes, told.file_size_in_bytes);
    number(&mut kept.file_count, told.file_count);
    if told.last_file_creation_millis >= 0 {
        kept.last_file_creation_millis = match replace {
            true => told.last_file_creation_millis,
            false => kept
                .last_file_creation_millis
                .max(told.last_file_creation_millis),
        };
    }
}

fn refusal(reason: &str) -> Error {
    error(ErrorKind::InvalidArgument, reason)
}

fn error(kind: ErrorKind, reason: &str) -> Error {
    Error::Storage {
        action: "reach the partitions of",
        path: "the catalog in memory".to_owned(),
        source: Box::new(ftable_io::Error::Store {
            operation: "call",
            path: "partitions".to_owned(),
            reason: reason.to_owned(),
            kind,
            source: "a rule of the test".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use ftable_core::{DataField, DataType, FormatTableOptions, Options, col};

    use super::*;

    fn registry() -> MemoryRegistry {
        let options = FormatTableOptions::resolve(&Options::new()).unwrap();
        let keys = vec![DataField::new(0, "p", DataType::string())];
        MemoryRegistry::new(PartitionCodec::new(keys, &options).unwrap())
    }

    fn spec(text: &str) -> PartitionSpec {
        vec![("p".to_owned(), text.to_owned())]
    }

    fn numbers(text: &str, rows: i64, bytes: i64, files: i64, time: i64) -> PartitionStatistics {
        PartitionStatistics {
            spec: spec(text),
            record_count: rows,
            file_size_in_bytes: bytes,
            file_count: files,
            last_file_creation_millis: time,
            total_buckets: -1,
        }
    }

    #[tokio::test]
    async fn numbers_are_kept_as_the_protocol_says() {
        let registry = registry();
        let told = async |statistics: PartitionStatistics, replace: bool| {
            let specs = [statistics.spec.clone()];
            let statistics = [statistics];
            registry
                .create(&specs, true, &statistics, replace)
                .await
                .unwrap();
            registry.partitions()[&specs[0]].clone()
        };
        let first = numbers("a", 120, 4096, 2, 1_787_360_523_000);
        assert_eq!(told(first.clone(), false).await, first);
        // An older time does not win, an unknown count changes nothing.
        assert_eq!(
            told(numbers("a", 10, -1, 1, 5), false).await,
            numbers("a", 130, 4096, 3, 1_787_360_523_000)
        );
        assert_eq!(
            told(numbers("a", -1, 7, 0, 5), true).await,
            numbers("a", 130, 7, 0, 5)
        );
    }

    #[tokio::test]
    async fn what_makes_no_sense_is_refused_as_a_whole() {
        let registry = registry();
        let zero = numbers("a", 0, 0, 0, 0);
        for (specs, statistics) in [
            (vec![], vec![]),
            (vec![vec![]], vec![]),
            (vec![spec("")], vec![]),
            (vec![spec("a"), spec("a")], vec![zero.clone()]),
            (vec![spec("a")], vec![zero.clone(), zero.clone()]),
            (vec![spec("b")], vec![zero.clone()]),
        ] {
            let error = registry
                .create(&specs, true, &statistics, true)
                .await
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{specs:?}");
        }
        assert!(registry.partitions().is_empty());
        registry
            .create(&[spec("a")], true, &[], false)
            .await
            .unwrap();
        let both = [spec("b"), spec("a")];
        let error = registry.create(&both, false, &[], false).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(registry.names(), ["a"]);
        let filter = col("x").eq(1);
        assert!(registry.list(&[], Some(&filter)).await.is_err());
    }

    #[tokio::test]
    async fn a_call_goes_wrong_before_or_after_it_was_carried_out() {
        let registry = registry();
        registry.fail_call(1, RegistryFault::lost());
        registry.fail_call(2, RegistryFault::lost_answer());
        for expected in [Vec::<String>::new(), vec!["a".to_owned()]] {
            let error = registry
                .create(&[spec("a")], true, &[], false)
                .await
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert_eq!(registry.names(), expected);
        }
        assert_eq!((registry.faults(), registry.changes().len()), (2, 2));
        let dropped = registry.drop_partitions(&[spec("a"), spec("b")]).await;
        let dropped = dropped.unwrap();
        assert_eq!(dropped.dropped, [spec("a")]);
        assert_eq!(dropped.missing, [spec("b")]);
    }
}
