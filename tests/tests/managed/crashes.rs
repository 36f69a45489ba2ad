//! Processes that die at any call of the store: after repair the rows are exactly those from before or exactly those
//! asked for, and what was dropped does not come to light again.

use std::sync::Arc;
use std::time::Duration;

use ftable_testkit::faulty::{Fault, Rule};
use ftable_testkit::registry::RegistryFault;
use futures::{StreamExt, stream};

use super::faults::{Job, OLD, filled};
use super::support::{append, lines_of};

const SIDE_BY_SIDE: usize = 8;
/// More calls than any job makes.
const MOST_CALLS: usize = 400;

/// Dies at a call; false if the job makes fewer.
async fn dies(job: Job, on_disk: bool, call: usize) -> bool {
    let managed = filled(on_disk).await;
    let messages = job.stage(&managed.table).await;
    managed.heal();
    managed.files.inject(Rule::any(Fault::Crash).call(call));
    let done = job.run(&managed.table, messages).await;
    let has_crashed = managed.files.has_crashed();
    let told = managed.registry.changes();
    managed.heal();
    if !has_crashed {
        done.unwrap();
        return false;
    }
    let at = format!("{job:?} on disk {on_disk}, dead at call {call}: {done:?}");
    managed.repair().await;
    assert!(
        managed.registry.changes().is_empty(),
        "{at}: a repair tells the catalog nothing"
    );
    assert!(managed.is_clean().await, "{at}");
    let (seen, old, new) = (managed.rows().await, lines_of(&OLD), job.new_rows());
    assert!(seen == old || seen == new, "{at}: {seen:?}");
    assert!(done.is_err() || seen == new, "{at}");
    if told.is_empty() {
        assert_eq!(seen, old, "{at}");
    }
    if job.drops() && seen == new {
        let left = managed.directories().await;
        assert!(!left.contains(&"p=a/q=x".to_owned()), "{at}: {left:?}");
        append(&managed.table, &[(77, "a", "x")]).await;
        let mut expected = [new, lines_of(&[(77, "a", "x")])].concat();
        expected.sort();
        assert_eq!(managed.rows().await, expected, "{at}");
        return true;
    }
    if seen == old {
        // Nothing that the commit published is left either, seen or not.
        assert_eq!(
            managed.directories().await,
            ["p=a/q=x", "p=a/q=y", "p=b/q=x"],
            "{at}"
        );
        let messages = job.stage(&managed.table).await;
        let again = job.run(&managed.table, messages).await;
        again.unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_eq!(managed.rows().await, job.new_rows(), "{at}");
    }
    true
}

async fn sweep(job: Job, on_disk: bool) -> usize {
    for call in 1..MOST_CALLS {
        if !dies(job, on_disk, call).await {
            return call - 1;
        }
    }
    panic!("no end in sight");
}

async fn sweep_all(on_disk: bool) {
    let work = Job::ALL.map(|job| tokio::spawn(sweep(job, on_disk)));
    let running = stream::iter(work).buffer_unordered(SIDE_BY_SIDE);
    let cases = Arc::new(running.fold(0, async |sum, done| sum + done.unwrap()).await);
    assert!(*cases > 200, "{cases}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_process_that_dies_on_a_disk_leaves_old_or_new() {
    sweep_all(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_process_that_dies_in_a_store_without_renames_leaves_old_or_new() {
    sweep_all(false).await;
}

/// Dies while it waits for the catalog, which takes note or does not.
async fn dies_at_the_catalog(job: Job, on_disk: bool, fault: RegistryFault) {
    let managed = filled(on_disk).await;
    let messages = job.stage(&managed.table).await;
    managed.registry.fail_changes(fault);
    managed.registry.answer_late(Duration::from_secs(1));
    let (done, ()) = tokio::join!(job.run(&managed.table, messages), async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        managed.files.inject(Rule::any(Fault::Crash));
    });
    let at = format!("{job:?} on disk {on_disk}, {fault:?}: {done:?}");
    assert!(done.is_err(), "{at}");
    managed.heal();
    managed.repair().await;
    let expected = match job.drops() && fault.applied {
        true => job.new_rows(),
        false => lines_of(&OLD),
    };
    assert_eq!(managed.rows().await, expected, "{at}");
    assert!(managed.is_clean().await, "{at}");
    let mut left = vec!["p=a/q=x", "p=a/q=y", "p=b/q=x"];
    left.retain(|directory| {
        let (p, q) = directory.split_once('/').unwrap();
        let row = format!("{:?} {:?}", &p[2..], &q[2..]);
        expected.iter().any(|line| line.ends_with(&row))
    });
    assert_eq!(managed.directories().await, left, "{at}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_process_that_dies_between_publishing_and_the_catalog_is_undone() {
    let mut cases = Vec::new();
    for job in Job::ALL {
        for on_disk in [true, false] {
            for fault in [RegistryFault::lost(), RegistryFault::lost_answer()] {
                cases.push(dies_at_the_catalog(job, on_disk, fault));
            }
        }
    }
    futures::future::join_all(cases).await;
}
