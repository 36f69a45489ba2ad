//! Faults and crashes at every call of the store: after repair a table has exactly the old rows or exactly the new.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod common;
mod overwrite_support;

use std::sync::Arc;

use ftable_testkit::faulty::{Fault, Operation, Rule};
use futures::{StreamExt, stream};
use overwrite_support::{Copy, Job, Template, is_part, lines_of, old_rows};

/// Cases that run side by side.
const SIDE_BY_SIDE: usize = 24;

/// More calls than any job makes.
const MOST_CALLS: usize = 400;

/// Runs a case for 1, 2, ... until one says that it was past the last call; gives how many there were.
async fn sweep<W: Future<Output = bool>>(case: impl Fn(usize) -> W) -> usize {
    for call in 1..MOST_CALLS {
        if !case(call).await {
            return call - 1;
        }
    }
    panic!("no end in sight");
}

/// Runs work side by side on all threads and adds up what it counts.
async fn side_by_side<W>(work: impl Iterator<Item = W>) -> usize
where
    W: Future<Output = usize> + Send + 'static,
{
    let running = stream::iter(work.map(tokio::spawn)).buffer_unordered(SIDE_BY_SIDE);
    running.fold(0, async |sum, done| sum + done.unwrap()).await
}

/// What a reader may see while a job is under way or after it was cut off.
async fn assert_readable(copy: &Copy, job: Job, on_disk: bool, at: &str) {
    let (seen, old, new) = (copy.rows().await, old_rows(), job.new_rows());
    let mut both = [old.clone(), new.clone()].concat();
    both.sort();
    both.dedup();
    if job.appends() {
        assert!(
            is_part(&old, &seen) && is_part(&seen, &new),
            "{at}: {seen:?}"
        );
    } else if on_disk {
        assert!(
            is_part(&seen, &old) || is_part(&seen, &new),
            "{at}: {seen:?}"
        );
    } else {
        let complete = is_part(&old, &seen) || is_part(&new, &seen);
        assert!(complete && is_part(&seen, &both), "{at}: {seen:?}");
    }
}

/// Repairs, and does the whole job again if it was not done.
async fn assert_repairable(copy: &Copy, job: Job, at: &str) -> bool {
    copy.files.heal();
    copy.repair().await.unwrap();
    let (seen, old, new) = (copy.rows().await, old_rows(), job.new_rows());
    assert!(seen == old || seen == new, "{at}: {seen:?}");
    assert!(copy.is_clean().await, "{at}");
    let is_done = seen == new;
    if !is_done || !job.appends() {
        let again = job.run(&copy.table, copy.messages[1].clone()).await;
        again.unwrap_or_else(|error| panic!("{at}: {error}"));
    }
    assert_eq!(copy.rows().await, new, "{at}");
    assert!(copy.is_clean().await, "{at}");
    let outside = copy.files.calls_outside(&copy.root);
    assert_eq!(outside, [], "{at}");
    is_done
}

async fn job_with_fault(
    template: Arc<Template>,
    job: Job,
    on_disk: bool,
    fault: Fault,
    call: usize,
) -> bool {
    let copy = template.copy(on_disk).await;
    copy.files.inject(Rule::any(fault).call(call));
    let done = job.run(&copy.table, copy.messages[0].clone()).await;
    if copy.files.faults() == 0 {
        done.unwrap();
        assert_eq!(copy.rows().await, job.new_rows());
        assert!(copy.is_clean().await);
        return false;
    }
    let what = copy.files.trace().swap_remove(call - 1);
    let at = format!("{job:?}, on disk {on_disk}, {fault:?} at call {call}: {what:?}, {done:?}");
    assert_readable(&copy, job, on_disk, &at).await;
    if fault != Fault::Crash {
        let expected = if done.is_ok() {
            job.new_rows()
        } else {
            old_rows()
        };
        assert_eq!(copy.rows().await, expected, "{at}");
    }
    let is_done = assert_repairable(&copy, job, &at).await;
    assert!(
        is_done || done.is_err() || old_rows() == job.new_rows(),
        "{at}"
    );
    true
}

async fn sweep_faults(on_disk: bool) {
    let mut sweeps = Vec::new();
    for job in Job::ALL {
        let template = Arc::new(Template::new(job).await);
        for fault in [Fault::Fail, Fault::LoseAnswer, Fault::Crash] {
            let template = Arc::clone(&template);
            sweeps.push(async move {
                let case = |call| job_with_fault(Arc::clone(&template), job, on_disk, fault, call);
                let calls = sweep(case).await;
                assert!(calls >= 3, "{job:?} {calls}");
                calls
            });
        }
    }
    let cases = side_by_side(sweeps.into_iter()).await;
    eprintln!("{cases} faults, on disk {on_disk}");
    assert!(cases > 500, "{cases}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_fault_at_any_call_on_a_disk_leaves_old_or_new() {
    sweep_faults(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_fault_at_any_call_in_a_store_without_renames_leaves_old_or_new() {
    sweep_faults(false).await;
}

/// Dies in the job, dies in the repair, and is repaired.
async fn job_and_repair_cut_off(
    template: &Template,
    job: Job,
    on_disk: bool,
    call: usize,
    second: usize,
) -> bool {
    let copy = template.copy(on_disk).await;
    copy.files.inject(Rule::any(Fault::Crash).call(call));
    let _ = job.run(&copy.table, copy.messages[0].clone()).await;
    copy.files.heal();
    copy.files.reset_counters();
    copy.files.inject(Rule::any(Fault::Crash).call(second));
    let _ = copy.repair().await;
    let at = format!("{job:?}, on disk {on_disk}, dead at call {call}, repair dead at {second}");
    assert_readable(&copy, job, on_disk, &at).await;
    let is_cut_off = copy.files.has_crashed();
    assert_repairable(&copy, job, &at).await;
    is_cut_off
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_repair_that_dies_is_repaired() {
    let mut sweeps = Vec::new();
    for (job, on_disk) in [
        (Job::Dynamic, true),
        (Job::Drop, true),
        (Job::Append, true),
        (Job::AppendAlways, true),
        (Job::Dynamic, false),
        (Job::Truncate, false),
    ] {
        let template = Arc::new(Template::new(job).await);
        let whole = template.copy(on_disk).await;
        job.run(&whole.table, whole.messages[0].clone())
            .await
            .unwrap();
        for call in 1..=whole.files.all_calls() {
            let template = Arc::clone(&template);
            sweeps.push(async move {
                sweep(|second| job_and_repair_cut_off(&template, job, on_disk, call, second)).await
            });
        }
    }
    let cases = side_by_side(sweeps.into_iter()).await;
    eprintln!("{cases} pairs of a job and a repair that died");
    assert!(cases > 1000, "{cases}");
}

/// Every call of an operation goes wrong from one on.
async fn job_with_outage(
    template: &Template,
    job: Job,
    on_disk: bool,
    rule: (Operation, Fault),
    from: usize,
) -> bool {
    let copy = template.copy(on_disk).await;
    copy.files.inject(Rule::new(rule.0, rule.1).from_call(from));
    let done = job.run(&copy.table, copy.messages[0].clone()).await;
    let at = format!("{job:?}, on disk {on_disk}, {rule:?} from call {from}: {done:?}");
    assert_readable(&copy, job, on_disk, &at).await;
    let is_hit = copy.files.faults() > 0;
    assert_repairable(&copy, job, &at).await;
    is_hit
}

/// What cannot be undone in the process is undone by repair.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_operation_that_fails_for_good_leaves_old_or_new_after_repair() {
    let mut sweeps = Vec::new();
    for job in [
        Job::Dynamic,
        Job::Whole,
        Job::Append,
        Job::AppendAlways,
        Job::DropPrefix,
    ] {
        let template = Arc::new(Template::new(job).await);
        for (on_disk, operation, fault) in Operation::ALL.into_iter().flat_map(|operation| {
            [true, false].into_iter().flat_map(move |on_disk| {
                [Fault::Fail, Fault::LoseAnswer].map(|fault| (on_disk, operation, fault))
            })
        }) {
            let template = Arc::clone(&template);
            sweeps.push(async move {
                sweep(|from| job_with_outage(&template, job, on_disk, (operation, fault), from))
                    .await
            });
        }
    }
    let cases = side_by_side(sweeps.into_iter()).await;
    eprintln!("{cases} outages");
    assert!(cases > 100, "{cases}");
}

#[test]
fn parts_of_multisets_are_told() {
    let lines = |ids: &[i64]| lines_of(&ids.iter().map(|id| (*id, "a", "x")).collect::<Vec<_>>());
    assert!(is_part(&lines(&[1, 3]), &lines(&[1, 2, 3])));
    assert!(!is_part(&lines(&[1, 1]), &lines(&[1, 2])));
}
