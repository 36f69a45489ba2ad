//! What is sent back.

use bytes::Bytes;
use serde_json::{Value, json};

/// An answer: status, headers and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers beside `Content-Length` and `x-request-id`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// A status without a body.
    pub fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    /// A JSON document.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::text(status, body.to_string()).header("Content-Type", "application/json")
    }

    /// Any text, without a content type.
    pub fn text(status: u16, body: impl Into<String>) -> Self {
        Self {
            body: Bytes::from(body.into()),
            ..Self::empty(status)
        }
    }

    /// An error as the protocol spells it, about no resource.
    pub fn error(status: u16, message: &str) -> Self {
        Failure::new(status, message).answer()
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same answer with header `Retry-After`: seconds, or an HTTP date.
    #[must_use]
    pub fn retry_after(self, value: &str) -> Self {
        self.header("Retry-After", value)
    }
}

/// Why a request is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    status: u16,
    resource: Option<(&'static str, String)>,
    message: String,
}

pub(super) type Done<T = Answer> = Result<T, Failure>;

impl Failure {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            resource: None,
            message: message.into(),
        }
    }

    fn about(status: u16, kind: &'static str, name: &str, message: String) -> Self {
        Self {
            resource: Some((kind, name.to_owned())),
            ..Self::new(status, message)
        }
    }

    /// The request makes no sense.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    /// What is asked for cannot be done in the present state.
    pub(super) fn illegal_state(message: impl Into<String>) -> Self {
        Self::new(500, message)
    }

    /// What is asked for is never done.
    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(501, message)
    }

    pub(super) fn no_endpoint() -> Self {
        Self::new(404, "Not Found")
    }

    pub(super) fn no_database(name: &str) -> Self {
        let message = format!("Database {name} does not exist");
        Self::about(404, "DATABASE", name, message)
    }

    pub(super) fn database_exists(name: &str) -> Self {
        let message = format!("Database {name} already exists");
        Self::about(409, "DATABASE", name, message)
    }

    pub(super) fn no_table(database: &str, name: &str) -> Self {
        let message = format!("Table {database}.{name} does not exist");
        Self::about(404, "TABLE", name, message)
    }

    pub(super) fn table_exists(database: &str, name: &str) -> Self {
        let message = format!("Table {database}.{name} already exists");
        Self::about(409, "TABLE", name, message)
    }

    pub(super) fn no_column(name: &str) -> Self {
        let message = format!("Column {name} does not exist");
        Self::about(404, "COLUMN", name, message)
    }

    pub(super) fn column_exists(name: &str) -> Self {
        let message = format!("Column {name} already exists");
        Self::about(409, "COLUMN", name, message)
    }

    pub(super) fn no_partition(name: &str) -> Self {
        let message = format!("Partition {name} does not exist");
        Self::about(404, "PARTITION", name, message)
    }

    pub(super) fn partition_exists(name: &str) -> Self {
        let message = format!("Partition {name} already exists");
        Self::about(409, "PARTITION", name, message)
    }

    pub(super) fn answer(self) -> Answer {
        let (kind, name) = self.resource.unzip();
        let body = json!({
            "resourceType": kind,
            "resourceName": name,
            "message": self.message,
            "code": self.status,
        });
        Answer::json(self.status, &body)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::illegal_state(error.to_string())
    }
}

impl From<ftable_core::Error> for Failure {
    fn from(error: ftable_core::Error) -> Self {
        Self::bad_request(error.to_string())
    }
}
