//! One request, and what came of it.

use std::fmt;

use bytes::Bytes;
use reqwest::Method;
use serde::Serialize;

use crate::Result;

/// A request, before it is signed.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path from `/v1` on, encoded.
    pub(crate) path: String,
    /// Keys and values that are not encoded yet.
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Option<Bytes>,
    /// Whether doing it twice is the same as doing it once.
    pub(crate) repeatable: bool,
    /// Whether it changes nothing.
    pub(crate) reads: bool,
    /// The name of the operation, for signatures that include it.
    pub(crate) action: &'static str,
}

impl Request {
    fn new(method: Method, action: &'static str, path: String) -> Self {
        Self {
            reads: method.is_safe(),
            method,
            path,
            query: Vec::new(),
            body: None,
            repeatable: true,
            action,
        }
    }

    pub(crate) fn get(action: &'static str, path: String) -> Self {
        Self::new(Method::GET, action, path)
    }

    pub(crate) fn delete(action: &'static str, path: String) -> Self {
        Self::new(Method::DELETE, action, path)
    }

    /// A request with a JSON body.
    pub(crate) fn post(action: &'static str, path: String, body: &impl Serialize) -> Self {
        // Texts, numbers and lists with text keys: nothing in a body can fail to serialize.
        let json = serde_json::to_vec(body).unwrap_or_default();
        Self {
            body: Some(Bytes::from(json)),
            ..Self::new(Method::POST, action, path)
        }
    }

    /// The same with one more value in the query, if there is one.
    pub(crate) fn query(mut self, key: &'static str, value: Option<String>) -> Self {
        self.query.extend(value.map(|value| (key, value)));
        self
    }

    /// The same for one page of a listing. 0 is no number of results, and an empty token no token.
    pub(crate) fn paged(self, max_results: Option<u32>, page_token: Option<&str>) -> Self {
        let max_results = max_results.filter(|count| *count > 0);
        let page_token = page_token.filter(|token| !token.is_empty());
        self.query("maxResults", max_results.map(|count| count.to_string()))
            .query("pageToken", page_token.map(str::to_owned))
    }

    /// The same request, which is sent once and never again whatever the server answers.
    pub(crate) fn once(mut self) -> Self {
        self.repeatable = false;
        self
    }

    /// The same request, which asks and changes nothing though HTTP cannot tell.
    pub(crate) fn reading(mut self) -> Self {
        self.reads = true;
        self
    }

    /// Whether sending it twice does no harm.
    pub(crate) fn is_idempotent(&self) -> bool {
        self.reads || self.method.is_idempotent()
    }
}

impl fmt::Display for Request {
    /// Method and path; no query, which may hold a page token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl fmt::Debug for Request {
    /// Bodies may hold options with secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What came of a request.
#[derive(Debug)]
pub(crate) struct Sent {
    /// The body of the answer.
    pub(crate) result: Result<Bytes>,
    /// How often the request was sent.
    pub(crate) attempts: u32,
}

impl Sent {
    /// Whether it was sent again, so that an earlier attempt may have done what the last one found done.
    pub(crate) fn retried(&self) -> bool {
        self.attempts > 1
    }
}
