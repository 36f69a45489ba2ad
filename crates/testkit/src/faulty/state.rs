//! What all handles of one faulty file system share: rules, counters, record.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ftable_io::{Error, ErrorKind, contained};

use super::rule::{Fault, Operation, Rule};

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What was asked for.
    pub operation: Operation,
    /// The path it was asked on; of a publish and a rename, where to.
    pub path: String,
    /// Of a publish and a rename, where from.
    pub from: Option<String>,
}

impl Call {
    /// Whether all its paths are a directory or lie below it.
    pub fn is_within(&self, directory: &str) -> bool {
        let same = |path: &str| path.trim_end_matches('/') == directory.trim_end_matches('/');
        let within = |path: &str| same(path) || contained(directory, path).is_some();
        within(&self.path) && self.from.as_deref().is_none_or(within)
    }
}

/// What becomes of a call.
pub(super) enum Verdict {
    Pass,
    Fail(Error),
    LoseAnswer(Error),
}

#[derive(Debug, Default)]
pub(super) struct State {
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    rules: Vec<Rule>,
    calls: HashMap<Operation, usize>,
    trace: Vec<Call>,
    faults: usize,
    crashed: bool,
}

impl State {
    pub(super) fn add(&self, rule: Rule) {
        self.lock().rules.push(rule);
    }

    pub(super) fn heal(&self) {
        let mut shared = self.lock();
        shared.rules.clear();
        shared.crashed = false;
    }

    pub(super) fn reset_counters(&self) {
        let mut shared = self.lock();
        shared.calls.clear();
        shared.trace.clear();
        shared.faults = 0;
    }

    pub(super) fn calls(&self, operation: Operation) -> usize {
        self.lock().calls.get(&operation).copied().unwrap_or(0)
    }

    pub(super) fn all_calls(&self) -> usize {
        self.lock().trace.len()
    }

    pub(super) fn faults(&self) -> usize {
        self.lock().faults
    }

    pub(super) fn has_crashed(&self) -> bool {
        self.lock().crashed
    }

    pub(super) fn trace(&self) -> Vec<Call> {
        self.lock().trace.clone()
    }

    /// Counts a call, waits if a rule says so, and says what becomes of it.
    pub(super) async fn begin(
        &self,
        operation: Operation,
        path: &str,
        from: Option<&str>,
    ) -> Verdict {
        let (delay, verdict) = self.lock().decide(operation, path, from);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        verdict
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn decide(
        &mut self,
        operation: Operation,
        path: &str,
        from: Option<&str>,
    ) -> (Duration, Verdict) {
        if self.crashed {
            return (Duration::ZERO, Verdict::Fail(injected(operation, path)));
        }
        let number = self.calls.entry(operation).or_default();
        *number += 1;
        let number = *number;
        self.trace.push(Call {
            operation,
            path: path.to_owned(),
            from: from.map(str::to_owned),
        });
        let overall = self.trace.len();
        let mut delay = Duration::ZERO;
        let fitting = self
            .rules
            .iter()
            .filter(|rule| rule.fits(operation, number, overall, path));
        for rule in fitting {
            let verdict = match rule.fault() {
                Fault::Delay(more) => {
                    delay += more;
                    continue;
                }
                Fault::Fail => Verdict::Fail(injected(operation, path)),
                Fault::LoseAnswer => Verdict::LoseAnswer(injected(operation, path)),
                Fault::Crash => {
                    self.crashed = true;
                    Verdict::Fail(injected(operation, path))
                }
            };
            self.faults += 1;
            return (delay, verdict);
        }
        (delay, Verdict::Pass)
    }
}

fn injected(operation: Operation, path: &str) -> Error {
    Error::Store {
        operation: operation.verb(),
        path: path.to_owned(),
        reason: "injected fault".to_owned(),
        kind: ErrorKind::Unavailable,
        source: "a rule of the test".into(),
    }
}
