//! Random sequences of commits by several writers, crashes and repairs among them, against a model: a map from
//! partitions to rows.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{ID_AND_P, commit, ids_and_p, lines_of, open, rows, schema, stage};
use ftable::{CommitMessage, FileSystem, FormatTable, Result};
use ftable_io::{LocalFileSystem, OpendalFileSystem};
use ftable_table::RepairOptions;
use ftable_testkit::faulty::{Fault, FaultyFileSystem, Rule};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestCaseResult};

const PARTITIONS: [Option<&str>; 4] = [Some("a"), Some("b"), Some("c"), None];
const WRITERS: usize = 3;

/// How staged rows become visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Append,
    Dynamic,
    /// With all rows in one partition.
    Static,
    Whole,
}

#[derive(Debug, Clone)]
enum Step {
    /// A writer stages a row for each partition of a set.
    Stage {
        writer: usize,
        partitions: Vec<usize>,
    },
    /// A writer commits what it staged; the process may die at a call.
    Commit {
        writer: usize,
        mode: Mode,
        dies: Option<usize>,
    },
    Abort {
        writer: usize,
    },
    Truncate {
        dies: Option<usize>,
    },
    TruncatePartition {
        partition: usize,
        dies: Option<usize>,
    },
    Drop {
        partition: usize,
        dies: Option<usize>,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let writer = 0..WRITERS;
    let partition = 0..PARTITIONS.len();
    let dies = || proptest::option::weighted(0.3, 1_usize..25);
    let mode = prop_oneof![
        2 => Just(Mode::Append),
        2 => Just(Mode::Dynamic),
        1 => Just(Mode::Static),
        1 => Just(Mode::Whole),
    ];
    let step = prop_oneof![
        6 => (writer.clone(), proptest::collection::vec(partition.clone(), 1..4))
            .prop_map(|(writer, partitions)| Step::Stage { writer, partitions }),
        6 => (writer.clone(), mode, dies())
            .prop_map(|(writer, mode, dies)| Step::Commit { writer, mode, dies }),
        1 => writer.prop_map(|writer| Step::Abort { writer }),
        1 => dies().prop_map(|dies| Step::Truncate { dies }),
        1 => (partition.clone(), dies())
            .prop_map(|(partition, dies)| Step::TruncatePartition { partition, dies }),
        1 => (partition, dies()).prop_map(|(partition, dies)| Step::Drop { partition, dies }),
    ];
    proptest::collection::vec(step, 1..16)
}

/// The ids of the rows in each partition.
type Model = BTreeMap<usize, Vec<i64>>;

fn lines_of_model(model: &Model) -> Vec<String> {
    let rows = model
        .iter()
        .flat_map(|(partition, ids)| ids.iter().map(|id| (*id, PARTITIONS[*partition])));
    lines_of(&rows.collect::<Vec<_>>())
}

#[derive(Default, Clone)]
struct Writer {
    rows: Vec<(i64, usize)>,
    messages: Vec<CommitMessage>,
}

struct Run {
    files: FaultyFileSystem,
    table: FormatTable,
    seen: FormatTable,
    model: Model,
    writers: [Writer; WRITERS],
    next_id: i64,
}

fn spec(partition: usize) -> Vec<(String, String)> {
    let text = PARTITIONS[partition].unwrap_or("__DEFAULT_PARTITION__");
    vec![("p".to_owned(), text.to_owned())]
}

impl Run {
    async fn new(location: &str, store: Arc<dyn FileSystem>, value_only: bool) -> Self {
        let option = (
            "format-table.partition-path-only-value",
            value_only.to_string(),
        );
        let schema = schema(ID_AND_P, &["p"], &[(option.0, option.1.as_str())]);
        let files = FaultyFileSystem::over(Arc::clone(&store));
        Self {
            table: open(location, &schema, Arc::new(files.clone())).await,
            seen: open(location, &schema, store).await,
            files,
            model: Model::new(),
            writers: Default::default(),
            next_id: 0,
        }
    }

    async fn step(&mut self, step: &Step) -> TestCaseResult {
        match step {
            Step::Stage { writer, partitions } => {
                let rows: Vec<_> = (self.next_id..).zip(partitions.iter().copied()).collect();
                self.next_id += rows.len() as i64;
                let batch: Vec<_> = rows
                    .iter()
                    .map(|(id, partition)| (*id, PARTITIONS[*partition]))
                    .collect();
                let messages = stage(&self.seen, ids_and_p(&batch)).await.unwrap();
                self.writers[*writer].messages.extend(messages);
                self.writers[*writer].rows.extend(rows);
            }
            Step::Commit { writer, mode, dies } => {
                let Writer { rows, messages } = std::mem::take(&mut self.writers[*writer]);
                self.commit(*mode, rows, messages, *dies).await?;
            }
            Step::Abort { writer } => {
                let Writer { messages, .. } = std::mem::take(&mut self.writers[*writer]);
                let mut committer = self.seen.commit().build().unwrap();
                committer.abort(messages.clone()).await.unwrap();
                if !messages.is_empty() {
                    prop_assert!(commit(&self.seen, messages).await.is_err());
                }
            }
            Step::Truncate { dies } => {
                let mut committer = self.table.commit().build().unwrap();
                self.die_at(*dies);
                let done = committer.truncate_table().await;
                self.settle(Model::new(), done).await?;
            }
            Step::TruncatePartition { partition, dies } | Step::Drop { partition, dies } => {
                let mut committer = self.table.commit().build().unwrap();
                self.die_at(*dies);
                let named = [spec(*partition)];
                let done = match step {
                    Step::Drop { .. } => committer.drop_partitions(&named).await,
                    _ => committer.truncate_partitions(&named).await,
                };
                let mut new = self.model.clone();
                new.remove(partition);
                self.settle(new, done).await?;
            }
        }
        prop_assert_eq!(rows(&self.seen).await.unwrap(), lines_of_model(&self.model));
        Ok(())
    }

    async fn commit(
        &mut self,
        mode: Mode,
        rows: Vec<(i64, usize)>,
        messages: Vec<CommitMessage>,
        dies: Option<usize>,
    ) -> TestCaseResult {
        let first = rows.first().map_or(0, |row| row.1);
        // Rows beside the static partition are refused, and can be committed otherwise.
        let is_refused = mode == Mode::Static && rows.iter().any(|row| row.1 != first);
        let mut new = self.model.clone();
        let context = self.table.commit();
        let context = match mode {
            Mode::Append => context,
            Mode::Dynamic => {
                rows.iter().for_each(|row| drop(new.remove(&row.1)));
                context.overwrite()
            }
            Mode::Static => {
                new.remove(&first);
                context.overwrite_partition(&spec(first)).unwrap()
            }
            Mode::Whole => {
                new.clear();
                let whole = [("dynamic-partition-overwrite", "false")];
                context
                    .options(&whole.into_iter().collect())
                    .unwrap()
                    .overwrite()
            }
        };
        for (id, partition) in &rows {
            new.entry(*partition).or_default().push(*id);
        }
        let mut committer = context.build().unwrap();
        self.die_at(dies);
        let done = committer.commit(messages.clone()).await.map(|_| ());
        if is_refused {
            prop_assert!(done.is_err());
            self.files.heal();
            commit(&self.seen, messages).await.unwrap();
            self.add(rows);
            return Ok(());
        }
        let is_done = self.settle(new, done).await?;
        // Whoever commits again what was done is refused; what was not done may be there to commit.
        let again = match messages.is_empty() {
            true => return Ok(()),
            false => commit(&self.seen, messages).await,
        };
        prop_assert!(!(is_done && again.is_ok()));
        if again.is_ok() {
            self.add(rows);
        }
        Ok(())
    }

    fn add(&mut self, rows: Vec<(i64, usize)>) {
        for (id, partition) in rows {
            self.model.entry(partition).or_default().push(id);
        }
    }

    fn die_at(&self, call: Option<usize>) {
        self.files.reset_counters();
        if let Some(call) = call {
            self.files.inject(Rule::any(Fault::Crash).call(call));
        }
    }

    /// Repairs after a crash. The model goes on with what was done: all or nothing.
    async fn settle(&mut self, new: Model, done: Result<()>) -> Result<bool, TestCaseError> {
        let has_crashed = self.files.has_crashed();
        self.files.heal();
        prop_assert!(has_crashed || done.is_ok(), "{:?}", done);
        if has_crashed {
            let options = RepairOptions {
                now: true,
                ..RepairOptions::default()
            };
            self.seen.repair(&options).await.unwrap();
        }
        let seen = rows(&self.seen).await.unwrap();
        let is_new = seen == lines_of_model(&new);
        prop_assert!(
            is_new || (has_crashed && seen == lines_of_model(&self.model)),
            "{:?}",
            seen
        );
        prop_assert!(is_new || done.is_err());
        if is_new {
            self.model = new;
        }
        Ok(is_new)
    }
}

fn check(steps: &[Step], value_only: bool, on_disk: bool) -> TestCaseResult {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t").to_str().unwrap().to_owned();
        let (location, store): (String, Arc<dyn FileSystem>) = match on_disk {
            true => (path, Arc::new(LocalFileSystem::new())),
            // The directory's name is nobody else's.
            false => {
                let name = directory
                    .path()
                    .file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .trim_start_matches('.');
                let store = OpendalFileSystem::memory(name).unwrap();
                (format!("memory://{name}/t"), Arc::new(store))
            }
        };
        let mut run = Run::new(&location, store, value_only).await;
        for step in steps {
            run.step(step).await?;
        }
        Ok(())
    })
}

proptest! {
    #![proptest_config(Config { cases: 64, failure_persistence: None, ..Config::default() })]

    #[test]
    fn commits_on_a_disk_follow_the_model(steps in steps(), value_only: bool) {
        check(&steps, value_only, true)?;
    }

    #[test]
    fn commits_in_a_store_without_renames_follow_the_model(steps in steps(), value_only: bool) {
        check(&steps, value_only, false)?;
    }
}
