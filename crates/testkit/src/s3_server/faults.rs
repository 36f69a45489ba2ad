//! Which requests go wrong, and how.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Requests of one operation that go wrong in one way. Requests that are refused for their credentials are
/// not counted.
#[derive(Debug, Clone)]
pub struct S3Fault {
    operation: String,
    key_part: Option<String>,
    times: usize,
    effect: Effect,
}

/// How a request goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing is done; this is the answer.
    Answer { status: u16, code: String },
    /// All is done; the connection is closed without an answer.
    LoseAnswer,
}

impl S3Fault {
    /// Nothing is done; the answer has this status, 500 in place of one that HTTP does not have, and, in
    /// its body, this code. The operation has the name that S3 gives it, like `PutObject`.
    pub fn answer(operation: &str, status: u16, code: &str) -> Self {
        let code = code.to_owned();
        Self::new(operation, Effect::Answer { status, code })
    }

    /// All is done; the connection is closed without an answer.
    pub fn lost_answer(operation: &str) -> Self {
        Self::new(operation, Effect::LoseAnswer)
    }

    fn new(operation: &str, effect: Effect) -> Self {
        Self {
            operation: operation.to_owned(),
            key_part: None,
            times: usize::MAX,
            effect,
        }
    }

    /// Only requests whose key has this text in it.
    #[must_use]
    pub fn on_key(mut self, part: impl Into<String>) -> Self {
        self.key_part = Some(part.into());
        self
    }

    /// Only so many requests, the first that fit; without this, all of them.
    #[must_use]
    pub fn times(mut self, requests: usize) -> Self {
        self.times = requests;
        self
    }

    fn is_about(&self, operation: &str, key: Option<&str>) -> bool {
        let part = self.key_part.as_deref();
        let right_key = part.is_none_or(|part| key.is_some_and(|key| key.contains(part)));
        self.times > 0 && self.operation == operation && right_key
    }
}

/// The faults of one server.
#[derive(Debug, Default)]
pub(super) struct Faults {
    armed: Mutex<Vec<S3Fault>>,
}

impl Faults {
    pub(super) fn add(&self, fault: S3Fault) {
        self.lock().push(fault);
    }

    /// How a request goes wrong, if it does. That fault has one request less to come.
    pub(super) fn take(&self, operation: &str, key: Option<&str>) -> Option<Effect> {
        let mut armed = self.lock();
        let mut faults = armed.iter_mut();
        let fault = faults.find(|fault| fault.is_about(operation, key))?;
        if fault.times < usize::MAX {
            fault.times -= 1;
        }
        Some(fault.effect.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<S3Fault>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
