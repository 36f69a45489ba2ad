//! What was asked, in the order in which it arrived.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde_json::Value;

use super::Route;

/// One request, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The call, if it is one of the protocol.
    pub route: Option<Route>,
    /// The method.
    pub method: String,
    /// The path as it was sent, with its encoding.
    pub path: String,
    /// What follows the `?`, as it was sent; empty without.
    pub query: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// The status that was sent; none when the connection was closed instead, and until it is sent.
    pub status: Option<u16>,
}

impl Exchange {
    /// The value of a header; names are compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Path and query as they were sent.
    pub fn target(&self) -> String {
        match self.query.as_str() {
            "" => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }
}

/// The record of one server.
#[derive(Debug, Default)]
pub(super) struct Log {
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    exchanges: Vec<Exchange>,
    /// How many were there before the record was last cleared.
    cleared: usize,
}

impl Log {
    /// Records a request and gives its number.
    pub(super) fn begin(&self, exchange: Exchange) -> usize {
        let mut record = self.lock();
        record.exchanges.push(exchange);
        record.cleared + record.exchanges.len() - 1
    }

    /// Records the status of an answer. A request that was cleared meanwhile has no place for it.
    pub(super) fn end(&self, number: usize, status: u16) {
        let mut record = self.lock();
        let place = number.checked_sub(record.cleared);
        if let Some(exchange) = place.and_then(|place| record.exchanges.get_mut(place)) {
            exchange.status = Some(status);
        }
    }

    pub(super) fn all(&self) -> Vec<Exchange> {
        self.lock().exchanges.clone()
    }

    pub(super) fn count(&self, route: Route) -> usize {
        let record = self.lock();
        let exchanges = record.exchanges.iter();
        exchanges.filter(|one| one.route == Some(route)).count()
    }

    pub(super) fn clear(&self) {
        let mut record = self.lock();
        record.cleared += record.exchanges.len();
        record.exchanges.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
