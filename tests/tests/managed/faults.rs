//! A catalog that fails at each call of a commit: before it took note, and after. Rows are as before or as asked for,
//! and what must not be sent twice is not.

use std::time::Duration;

use ftable::{CommitMessage, ErrorKind, FormatTable, Result};
use ftable_testkit::faulty::{Fault, Operation, Rule};
use ftable_testkit::registry::{RegistryCall, RegistryFault};

use super::support::{Managed, Row, append, call, counts, lines_of, p_q, spec, staged};

pub(crate) const OLD: [Row; 4] = [(1, "a", "x"), (2, "a", "y"), (3, "b", "x"), (4, "b", "x")];
const NEW: [Row; 2] = [(10, "a", "x"), (11, "a", "z")];

/// What is done to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Append,
    AppendOneFile,
    Dynamic,
    Partition,
    EmptyPartition,
    Prefix,
    Whole,
    Truncate,
    TruncatePrefix,
    Drop,
    DropPrefix,
}

impl Job {
    pub(crate) const ALL: [Self; 11] = [
        Self::Append,
        Self::AppendOneFile,
        Self::Dynamic,
        Self::Partition,
        Self::EmptyPartition,
        Self::Prefix,
        Self::Whole,
        Self::Truncate,
        Self::TruncatePrefix,
        Self::Drop,
        Self::DropPrefix,
    ];

    pub(crate) fn appends(self) -> bool {
        matches!(self, Self::Append | Self::AppendOneFile)
    }

    pub(crate) fn drops(self) -> bool {
        matches!(self, Self::Drop | Self::DropPrefix)
    }

    fn written(self) -> &'static [Row] {
        match self {
            Self::Append | Self::Dynamic | Self::Prefix | Self::Whole => &NEW,
            Self::AppendOneFile => &NEW[1..],
            Self::Partition => &NEW[..1],
            _ => &[],
        }
    }

    fn replaces(self, row: &Row) -> bool {
        match self {
            Self::Append | Self::AppendOneFile => false,
            Self::Dynamic | Self::Partition | Self::EmptyPartition | Self::Drop => {
                (row.1, row.2) == ("a", "x")
            }
            Self::Prefix | Self::TruncatePrefix | Self::DropPrefix => row.1 == "a",
            Self::Whole | Self::Truncate => true,
        }
    }

    pub(crate) fn new_rows(self) -> Vec<String> {
        let kept = OLD.into_iter().filter(|row| !self.replaces(row));
        let all: Vec<Row> = kept.chain(self.written().iter().copied()).collect();
        lines_of(&all)
    }

    pub(crate) async fn stage(self, table: &FormatTable) -> Vec<CommitMessage> {
        staged(table, self.written()).await
    }

    pub(crate) async fn run(self, table: &FormatTable, messages: Vec<CommitMessage>) -> Result<()> {
        let (leaf, prefix) = (p_q("a", "x"), spec(&[("p", "a")]));
        let context = match self {
            Self::Append | Self::AppendOneFile => table.commit(),
            Self::Dynamic => table.commit().overwrite(),
            Self::Whole => {
                let whole = call(&[("dynamic-partition-overwrite", "false")]);
                table.commit().options(&whole)?.overwrite()
            }
            Self::Partition | Self::EmptyPartition => table.commit().overwrite_partition(&leaf)?,
            Self::Prefix => table.commit().overwrite_partition(&prefix)?,
            Self::Truncate => return table.commit().build()?.truncate_table().await,
            Self::TruncatePrefix => {
                return table.commit().build()?.truncate_partitions(&[prefix]).await;
            }
            Self::Drop => return table.commit().build()?.drop_partitions(&[leaf]).await,
            Self::DropPrefix => return table.commit().build()?.drop_partitions(&[prefix]).await,
        };
        context.build()?.commit(messages).await.map(|_| ())
    }
}

pub(crate) async fn filled(on_disk: bool) -> Managed {
    let managed = Managed::by_p_q(on_disk);
    append(&managed.table, &OLD).await;
    managed.heal();
    managed
}

/// How often a registry was asked to register or to drop.
fn tries(managed: &Managed) -> usize {
    managed.registry.changes().len()
}

/// Does the whole job again and makes sure that it comes out as if nothing had been.
async fn assert_doable(managed: &Managed, job: Job, at: &str) {
    let messages = job.stage(&managed.table).await;
    let again = job.run(&managed.table, messages).await;
    again.unwrap_or_else(|error| panic!("{at}: {error}"));
    assert_eq!(managed.rows().await, job.new_rows(), "{at}");
    assert!(managed.is_clean().await, "{at}");
}

#[tokio::test]
async fn what_the_catalog_refuses_is_taken_back() {
    for on_disk in [true, false] {
        for job in Job::ALL {
            for kind in [ErrorKind::PermissionDenied, ErrorKind::NotFound] {
                let managed = filled(on_disk).await;
                let before = managed.registry.partitions();
                let messages = job.stage(&managed.table).await;
                let refused = RegistryFault::refusal(kind);
                // The call that changes something is the last one.
                let calls = calls_of(job, on_disk).await;
                managed.registry.fail_call(calls, refused);
                let at = format!("{job:?} on disk {on_disk}");
                let error = job.run(&managed.table, messages).await.unwrap_err();
                assert_eq!(error.kind(), kind, "{at}: {error}");
                let text = error.to_string();
                assert!(
                    text.contains("the commit failed and was taken back"),
                    "{text}"
                );
                assert!(text.contains("the catalog is as it was"), "{text}");
                assert!(text.contains("p=a/q="), "{text}");
                assert_eq!(tries(&managed), 1, "{at}");
                assert_eq!(managed.registry.partitions(), before, "{at}");
                managed.heal();
                assert_eq!(managed.rows().await, lines_of(&OLD), "{at}");
                assert!(managed.is_clean().await, "{at}");
                assert_doable(&managed, job, &at).await;
            }
        }
    }
}

/// How many calls of the catalog a job makes when all goes well.
async fn calls_of(job: Job, on_disk: bool) -> usize {
    let managed = filled(on_disk).await;
    let messages = job.stage(&managed.table).await;
    job.run(&managed.table, messages).await.unwrap();
    assert_eq!(managed.rows().await, job.new_rows());
    let calls = managed.registry.calls();
    // What was read afterwards is the last.
    let calls = &calls[..calls.len() - 1];
    let changes = calls.iter().filter(|call| call.is_change()).count();
    assert_eq!(changes, 1, "{job:?} {calls:?}");
    assert!(calls.last().unwrap().is_change(), "{job:?} {calls:?}");
    calls.len()
}

#[tokio::test]
async fn an_append_is_told_once_whatever_becomes_of_the_answer() {
    for on_disk in [true, false] {
        for job in [Job::Append, Job::AppendOneFile] {
            for fault in [RegistryFault::lost(), RegistryFault::lost_answer()] {
                let managed = filled(on_disk).await;
                managed.registry.fail_all(fault);
                let messages = job.stage(&managed.table).await;
                let error = job.run(&managed.table, messages).await.unwrap_err();
                let text = error.to_string();
                assert!(text.contains("was taken back"), "{text}");
                assert!(text.contains("if it did all the same"), "{text}");
                assert!(text.contains("analyze"), "{text}");
                assert!(!error.retryable());
                assert_eq!(managed.registry.calls().len(), 1, "{job:?} {fault:?}");
                let counted = counts(&managed.registry);
                let new = match fault.applied {
                    true => Some(&(1, 1)),
                    false => None,
                };
                assert_eq!(counted.get("a/z"), new);
                managed.heal();
                assert_eq!(managed.rows().await, lines_of(&OLD));
                assert!(managed.is_clean().await);
                managed.repair().await;
                assert_eq!(managed.registry.changes(), []);
                assert_doable(&managed, job, "after a lost answer").await;
                // Measured, the numbers are right again.
                let partitions = managed.table.partitions().build().unwrap();
                partitions.analyze(&[]).await.unwrap();
                assert_eq!(counts(&managed.registry)["a/z"], (1, 1));
            }
        }
    }
}

#[tokio::test]
async fn what_may_be_told_twice_is_told_again() {
    for on_disk in [true, false] {
        for job in Job::ALL.into_iter().filter(|job| !job.appends()) {
            for fault in [RegistryFault::lost(), RegistryFault::lost_answer()] {
                let managed = filled(on_disk).await;
                let last = calls_of(job, on_disk).await;
                managed.registry.fail_call(last, fault);
                let messages = job.stage(&managed.table).await;
                job.run(&managed.table, messages).await.unwrap();
                let at = format!("{job:?} on disk {on_disk}, {fault:?}");
                assert_eq!(managed.registry.faults(), 1, "{at}");
                let changes = managed.registry.changes();
                assert_eq!(changes.len(), 2, "{at}");
                assert_eq!(changes[0], changes[1], "{at}");
                assert_eq!(managed.rows().await, job.new_rows(), "{at}");
                assert!(managed.is_clean().await, "{at}");
            }
        }
    }
}

#[tokio::test]
async fn a_catalog_that_stays_away_leaves_the_rows_as_they_were() {
    for on_disk in [true, false] {
        for job in Job::ALL.into_iter().filter(|job| !job.appends()) {
            for fault in [RegistryFault::lost(), RegistryFault::lost_answer()] {
                let managed = filled(on_disk).await;
                let last = calls_of(job, on_disk).await;
                for call in last..last + 3 {
                    managed.registry.fail_call(call, fault);
                }
                let messages = job.stage(&managed.table).await;
                let error = job.run(&managed.table, messages).await.unwrap_err();
                let at = format!("{job:?} on disk {on_disk}, {fault:?}: {error}");
                assert_eq!(error.kind(), ErrorKind::Unavailable, "{at}");
                assert!(error.to_string().contains("if it did all the same"), "{at}");
                assert_eq!(tries(&managed), 3, "{at}");
                managed.heal();
                assert!(managed.is_clean().await, "{at}");
                if job.drops() && fault.applied {
                    // Not seen, but there: what the error says to do brings them back.
                    assert!(error.to_string().contains("have repair add them"), "{at}");
                    assert_eq!(managed.rows().await, job.new_rows(), "{at}");
                    let partitions = managed.table.partitions().build().unwrap();
                    let mode = ftable_table::PartitionRepair::Add;
                    partitions.repair(mode).await.unwrap();
                }
                assert_eq!(managed.rows().await, lines_of(&OLD), "{at}");
                assert_doable(&managed, job, &at).await;
            }
        }
    }
}

#[tokio::test]
async fn every_call_of_the_catalog_may_fail() {
    let mut cases = 0;
    for on_disk in [true, false] {
        for job in Job::ALL {
            for fault in [
                RegistryFault::lost(),
                RegistryFault::lost_answer(),
                RegistryFault::refusal(ErrorKind::Internal),
            ] {
                for number in 1..=calls_of(job, on_disk).await {
                    let managed = filled(on_disk).await;
                    managed.registry.fail_call(number, fault);
                    let messages = job.stage(&managed.table).await;
                    let done = job.run(&managed.table, messages).await;
                    let at = format!("{job:?} on disk {on_disk}, {fault:?} at {number}: {done:?}");
                    assert_eq!(managed.registry.faults(), 1, "{at}");
                    managed.heal();
                    let expected = match done.is_ok() {
                        true => job.new_rows(),
                        false => lines_of(&OLD),
                    };
                    assert_eq!(managed.rows().await, expected, "{at}");
                    assert!(managed.is_clean().await, "{at}");
                    if done.is_err() {
                        assert_doable(&managed, job, &at).await;
                    }
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 100, "{cases}");
}

#[tokio::test]
async fn a_commit_that_runs_out_of_time_before_the_catalog_is_told_tells_it_nothing() {
    let managed = filled(true).await;
    let messages = Job::Append.stage(&managed.table).await;
    let lease = Duration::from_millis(300);
    let mut commit = managed.table.commit().lease(lease).build().unwrap();
    let slow = Fault::Delay(Duration::from_millis(400));
    managed.files.inject(Rule::new(Operation::Publish, slow));
    let error = commit.commit(messages).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("longer than its lease"), "{text}");
    assert_eq!(managed.registry.changes(), Vec::<RegistryCall>::new());
    managed.heal();
    assert_eq!(managed.rows().await, lines_of(&OLD));
}

#[tokio::test]
async fn a_commit_that_runs_out_of_time_while_the_catalog_answers_is_taken_back_and_says_so() {
    let managed = filled(true).await;
    let messages = Job::Append.stage(&managed.table).await;
    let lease = Duration::from_millis(400);
    let mut commit = managed.table.commit().lease(lease).build().unwrap();
    managed.registry.answer_late(Duration::from_millis(600));
    let error = commit.commit(messages).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("longer than its lease"), "{text}");
    assert!(text.contains("had taken note"), "{text}");
    assert!(!error.retryable());
    assert_eq!(managed.registry.changes().len(), 1);
    managed.heal();
    assert_eq!(managed.rows().await, lines_of(&OLD));
    assert!(managed.is_clean().await);
}

#[tokio::test]
async fn a_caller_that_gives_up_while_the_catalog_answers_leaves_a_whole_commit() {
    let given_up = Job::ALL.map(async |job| {
        let managed = filled(true).await;
        let messages = job.stage(&managed.table).await;
        managed.registry.answer_late(Duration::from_secs(1));
        let running = job.run(&managed.table, messages);
        let given_up = tokio::time::timeout(Duration::from_millis(500), running).await;
        assert!(given_up.is_err(), "{job:?}");
        let mut tries = 0;
        while managed.rows().await != job.new_rows() || !managed.is_clean().await {
            tries += 1;
            assert!(tries < 1000, "{job:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(managed.registry.changes().len(), 1, "{job:?}");
    });
    futures::future::join_all(given_up).await;
}

#[tokio::test]
async fn a_commit_that_fails_after_the_catalog_took_note_says_so() {
    let managed = filled(true).await;
    let messages = Job::Append.stage(&managed.table).await;
    // The decision cannot be written down: the second record after the intent.
    for call in 2..5 {
        let rule = Rule::new(Operation::CreateWholeUnsynced, Fault::Fail).call(call);
        managed.files.inject(rule.on_path(".outcome"));
    }
    let done = Job::Append.run(&managed.table, messages).await;
    let changes = managed.registry.changes().len();
    managed.heal();
    assert_eq!(changes, 1);
    let error = done.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("had taken note"), "{text}");
    assert!(text.contains("analyze them"), "{text}");
    managed.repair().await;
    assert_eq!(managed.rows().await, lines_of(&OLD));
    assert!(managed.is_clean().await);
}

#[tokio::test]
async fn a_commit_that_cannot_publish_tells_the_catalog_nothing() {
    for on_disk in [true, false] {
        for job in Job::ALL {
            let managed = filled(on_disk).await;
            let messages = job.stage(&managed.table).await;
            if messages.is_empty() {
                continue;
            }
            let before = managed.registry.partitions();
            managed
                .files
                .inject(Rule::new(Operation::Publish, Fault::Fail).call(messages.len()));
            job.run(&managed.table, messages).await.unwrap_err();
            assert_eq!(managed.registry.changes(), [], "{job:?}");
            managed.heal();
            assert_eq!(managed.rows().await, lines_of(&OLD), "{job:?}");
            assert_eq!(managed.registry.partitions(), before, "{job:?}");
        }
    }
}
