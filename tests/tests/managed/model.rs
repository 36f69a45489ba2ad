//! Random sequences of commits with a catalog that fails now and then, against a model: what lies in each directory,
//! and what is registered.

use std::collections::{BTreeMap, BTreeSet};

use ftable::{ErrorKind, Result};
use ftable_table::PartitionRepair;
use ftable_testkit::registry::RegistryFault;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestCaseResult};

use super::common::{ID_AND_P, ids_and_p, lines_of, stage};
use super::support::{Managed, call, counts, spec};

const PARTITIONS: [Option<&str>; 4] = [Some("a"), Some("b"), Some("c/d"), None];
const NULL: &str = "__DEFAULT_PARTITION__";

fn text(partition: usize) -> &'static str {
    PARTITIONS[partition].unwrap_or(NULL)
}

fn named(partition: usize) -> Vec<(String, String)> {
    spec(&[("p", text(partition))])
}

#[derive(Debug, Clone)]
enum Action {
    Append(Vec<usize>),
    Dynamic(Vec<usize>),
    Whole(Vec<usize>),
    /// With a row or without.
    Static(usize, bool),
    Truncate,
    TruncatePartition(usize),
    Drop(usize),
    Add(usize),
    Repair,
    Analyze,
}

#[derive(Debug, Clone, Copy)]
enum Answer {
    Right,
    /// Never gets there.
    Lost,
    /// Is carried out, and nobody hears.
    Unheard,
    Refused,
}

fn steps() -> impl Strategy<Value = Vec<(Action, Answer)>> {
    let one = 0..PARTITIONS.len();
    let some = proptest::collection::vec(one.clone(), 1..4);
    let action = prop_oneof![
        4 => some.clone().prop_map(Action::Append),
        2 => some.clone().prop_map(Action::Dynamic),
        2 => some.prop_map(Action::Whole),
        2 => (one.clone(), any::<bool>()).prop_map(|(one, with)| Action::Static(one, with)),
        1 => Just(Action::Truncate),
        1 => one.clone().prop_map(Action::TruncatePartition),
        2 => one.clone().prop_map(Action::Drop),
        1 => one.prop_map(Action::Add),
        1 => Just(Action::Repair),
        1 => Just(Action::Analyze),
    ];
    let answer = prop_oneof![
        5 => Just(Answer::Right),
        1 => Just(Answer::Lost),
        1 => Just(Answer::Unheard),
        1 => Just(Answer::Refused),
    ];
    proptest::collection::vec((action, answer), 1..14)
}

#[derive(Debug, Default, Clone, PartialEq)]
struct Model {
    /// The rows in each directory that is there.
    content: BTreeMap<usize, Vec<i64>>,
    registered: BTreeSet<usize>,
}

impl Model {
    fn rows(&self) -> Vec<String> {
        let seen = self
            .content
            .iter()
            .filter(|(partition, _)| self.registered.contains(partition));
        let rows: Vec<_> = seen
            .flat_map(|(partition, ids)| ids.iter().map(|id| (*id, PARTITIONS[*partition])))
            .collect();
        lines_of(&rows)
    }

    fn clear(&mut self, partition: usize) {
        if let Some(ids) = self.content.get_mut(&partition) {
            ids.clear();
        }
    }

    /// What becomes of it when an action is done.
    fn after(&self, action: &Action, rows: &[(i64, usize)]) -> Self {
        let mut new = self.clone();
        match action {
            Action::Dynamic(_) => rows.iter().for_each(|row| new.clear(row.1)),
            Action::Whole(_) => {
                self.registered.iter().for_each(|own| new.clear(*own));
                rows.iter().for_each(|row| new.clear(row.1));
            }
            Action::Static(partition, _) => {
                new.clear(*partition);
                new.content.entry(*partition).or_default();
                new.registered.insert(*partition);
            }
            Action::Truncate => self.registered.iter().for_each(|own| new.clear(*own)),
            Action::TruncatePartition(partition) if self.registered.contains(partition) => {
                new.clear(*partition);
            }
            Action::Drop(partition) => {
                new.content.remove(partition);
                new.registered.remove(partition);
            }
            Action::Add(partition) => {
                new.content.entry(*partition).or_default();
                new.registered.insert(*partition);
            }
            Action::Repair => new.registered = new.content.keys().copied().collect(),
            _ => {}
        }
        for (id, partition) in rows {
            new.content.entry(*partition).or_default().push(*id);
            new.registered.insert(*partition);
        }
        new
    }
}

struct Run {
    managed: Managed,
    model: Model,
    next_id: i64,
    /// Partitions of which the catalog may have counted what is not there, or not know anything.
    vague: BTreeSet<usize>,
}

impl Run {
    async fn act(&self, action: &Action, rows: &[(i64, usize)]) -> Result<()> {
        let table = &self.managed.table;
        let messages = match rows {
            [] => Vec::new(),
            rows => {
                let rows: Vec<_> = rows.iter().map(|row| (row.0, PARTITIONS[row.1])).collect();
                stage(table, ids_and_p(&rows)).await.unwrap()
            }
        };
        let partitions = table.partitions().build().unwrap();
        let commit = match action {
            Action::Append(_) => table.commit(),
            Action::Dynamic(_) => table.commit().overwrite(),
            Action::Whole(_) => {
                let whole = call(&[("dynamic-partition-overwrite", "false")]);
                table.commit().options(&whole).unwrap().overwrite()
            }
            Action::Static(partition, _) => table
                .commit()
                .overwrite_partition(&named(*partition))
                .unwrap(),
            Action::Truncate => return table.commit().build()?.truncate_table().await,
            Action::TruncatePartition(partition) => {
                let named = [named(*partition)];
                return table.commit().build()?.truncate_partitions(&named).await;
            }
            Action::Drop(partition) => {
                let named = [named(*partition)];
                return table.commit().build()?.drop_partitions(&named).await;
            }
            Action::Add(partition) => {
                return partitions.add(&[named(*partition)]).await.map(|_| ());
            }
            Action::Repair => {
                return partitions.repair(PartitionRepair::Sync).await.map(|_| ());
            }
            Action::Analyze => return partitions.analyze(&[]).await.map(|_| ()),
        };
        commit.build()?.commit(messages).await.map(|_| ())
    }

    /// Has every change that the catalog is asked for go wrong; what it is asked for knowledge is answered.
    fn arrange(&self, answer: Answer) {
        let fault = match answer {
            Answer::Right => return,
            Answer::Lost => RegistryFault::lost(),
            Answer::Unheard => RegistryFault::lost_answer(),
            Answer::Refused => RegistryFault::refusal(ErrorKind::PermissionDenied),
        };
        self.managed.registry.fail_changes(fault);
    }

    async fn step(&mut self, action: &Action, answer: Answer) -> TestCaseResult {
        let written = match action {
            Action::Append(some) | Action::Dynamic(some) | Action::Whole(some) => some.clone(),
            Action::Static(partition, true) => vec![*partition],
            _ => Vec::new(),
        };
        let rows: Vec<(i64, usize)> = (self.next_id..).zip(written).collect();
        self.next_id += rows.len() as i64;
        // Where rows are staged there is a directory, whatever becomes of them.
        for (_, partition) in &rows {
            self.model.content.entry(*partition).or_default();
        }
        self.managed.heal();
        self.arrange(answer);
        let done = self.act(action, &rows).await;
        let was_told = self.managed.registry.faults() > 0;
        let tries = self.managed.registry.changes().len();
        self.managed.heal();
        prop_assert_eq!(done.is_err(), was_told, "{:?}", done);
        if matches!(action, Action::Append(_)) {
            prop_assert!(tries <= 1);
        }
        let new = self.model.after(action, &rows);
        if done.is_ok() {
            self.note(action, &rows);
            self.model = new;
        } else {
            self.failed(action, answer, &rows, new)?;
        }
        prop_assert_eq!(self.managed.rows().await, self.model.rows());
        prop_assert!(self.managed.is_clean().await);
        let counted = counts(&self.managed.registry);
        let names: Vec<String> = counted.keys().cloned().collect();
        let mut expected: Vec<String> = self
            .model
            .registered
            .iter()
            .map(|partition| text(*partition).to_owned())
            .collect();
        expected.sort();
        prop_assert_eq!(names, expected);
        for partition in self.model.registered.difference(&self.vague) {
            let rows = self.model.content.get(partition).map_or(0, Vec::len) as i64;
            prop_assert_eq!(counted[text(*partition)].0, rows, "{}", text(*partition));
        }
        Ok(())
    }

    /// Which numbers are right after an action that was done.
    fn note(&mut self, action: &Action, rows: &[(i64, usize)]) {
        match action {
            Action::Append(_) => {
                // Added to what was there unseen, the numbers are of the new rows alone.
                for (_, partition) in rows {
                    let is_new = !self.model.registered.contains(partition);
                    let holds = self
                        .model
                        .content
                        .get(partition)
                        .is_some_and(|ids| !ids.is_empty());
                    if is_new && holds {
                        self.vague.insert(*partition);
                    } else if is_new {
                        self.vague.remove(partition);
                    }
                }
            }
            Action::Dynamic(_) => self
                .vague
                .retain(|own| rows.iter().all(|row| row.1 != *own)),
            Action::Whole(_) | Action::Truncate => {
                let registered = &self.model.registered;
                self.vague.retain(|own| {
                    !registered.contains(own) && rows.iter().all(|row| row.1 != *own)
                });
            }
            Action::Static(partition, _) => {
                self.vague.remove(partition);
            }
            Action::TruncatePartition(partition) if self.model.registered.contains(partition) => {
                self.vague.remove(partition);
            }
            Action::Add(partition) if !self.model.registered.contains(partition) => {
                self.vague.insert(*partition);
            }
            Action::Repair => {
                let there = self.model.content.keys();
                let new = there.filter(|partition| !self.model.registered.contains(partition));
                self.vague.extend(new);
            }
            Action::Analyze => self.vague.clear(),
            _ => {}
        }
    }

    /// The rows in the directories are as before. What the catalog took note of without anybody hearing of it holds.
    fn failed(
        &mut self,
        action: &Action,
        answer: Answer,
        rows: &[(i64, usize)],
        new: Model,
    ) -> Result<(), TestCaseError> {
        if !matches!(answer, Answer::Unheard) {
            return Ok(());
        }
        match action {
            Action::Drop(partition) => {
                self.model.registered.remove(partition);
            }
            Action::Repair => {
                // It stops at the first call: what it was to unregister is still registered.
                let before = self.model.registered.clone();
                let added: BTreeSet<_> = new.registered.difference(&before).copied().collect();
                self.vague.extend(&added);
                match added.is_empty() {
                    true => self.model.registered = new.registered,
                    false => self.model.registered.extend(added),
                }
            }
            // Measured numbers are right, whoever heard of it.
            Action::Analyze => self.vague.clear(),
            Action::Add(partition) => {
                if self.model.registered.insert(*partition) {
                    self.vague.insert(*partition);
                }
            }
            Action::Append(_) | Action::Dynamic(_) | Action::Static(..) => {
                for partition in rows.iter().map(|row| row.1).chain(match action {
                    Action::Static(partition, _) => Some(*partition),
                    _ => None,
                }) {
                    self.vague.insert(partition);
                    self.model.registered.insert(partition);
                }
            }
            Action::Whole(_) => {
                self.vague.extend(&new.registered);
                self.model.registered = new.registered;
            }
            Action::Truncate => self.vague.extend(&new.registered),
            Action::TruncatePartition(partition) => {
                self.vague.insert(*partition);
            }
        }
        Ok(())
    }
}

fn check(steps: &[(Action, Answer)]) -> TestCaseResult {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut run = Run {
            managed: Managed::new(ID_AND_P, &["p"], &[]),
            model: Model::default(),
            next_id: 0,
            vague: BTreeSet::new(),
        };
        // A location that is gone as a whole is another matter.
        run.managed.make_directory("_made").await;
        for (action, answer) in steps {
            run.step(action, *answer).await?;
        }
        Ok(())
    })
}

proptest! {
    #![proptest_config(Config { cases: 96, failure_persistence: None, ..Config::default() })]

    #[test]
    fn commits_and_the_catalog_follow_the_model(steps in steps()) {
        check(&steps)?;
    }
}
