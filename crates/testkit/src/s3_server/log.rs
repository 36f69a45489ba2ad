//! What was asked, in the order in which it arrived.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// One request, and whether it was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct S3Request {
    /// The operation as S3 names it, like `PutObject`; empty when the access key is not known or the
    /// signature not right, for then nothing else of a request is looked at.
    pub operation: String,
    /// The key of the object, decoded; none for operations on a bucket.
    pub key: Option<String>,
    /// The access key that it is signed with, if it is known.
    pub access_key: Option<String>,
    /// Whether it was answered with 403, for its credentials or by a fault.
    pub refused: bool,
}

/// The record of one server.
#[derive(Debug, Default)]
pub(super) struct Log {
    requests: Mutex<Vec<S3Request>>,
}

impl Log {
    /// Records that a request arrived and gives its number.
    pub(super) fn begin(&self) -> usize {
        let mut requests = self.lock();
        requests.push(S3Request::default());
        requests.len() - 1
    }

    /// Records what was learned of a request.
    pub(super) fn note(&self, number: usize, learned: impl FnOnce(&mut S3Request)) {
        if let Some(request) = self.lock().get_mut(number) {
            learned(request);
        }
    }

    pub(super) fn all(&self) -> Vec<S3Request> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<S3Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
