//! A REST catalog server on 127.0.0.1, for tests of clients through real sockets.
//!
//! It speaks Paimon's protocol as Java's mock server does: it remembers databases, tables and registered
//! partitions, keeps the tables it makes below a local directory, pages its listings, checks
//! authorizations, and answers errors with the codes and resource types of Java. On command it fails:
//! [`Faults`]. Every request is recorded: [`RestServer::log`].
//!
//! ```
//! use ftable_testkit::rest_server::{Answer, Fault, RestServer, Route, Rule, ServerOptions};
//!
//! let directory = tempfile::tempdir()?;
//! let server = RestServer::start(ServerOptions::new(directory.path()))?;
//! // The first request for a table is throttled.
//! let throttled = Fault::Answer(Answer::error(429, "too many requests").retry_after("1"));
//! server.faults().add(Rule::on(Route::GetTable, throttled).times(1));
//! // Here a client works with server.uri().
//! assert_eq!(server.requests(Route::GetTable), 0);
//! # std::io::Result::Ok(())
//! ```
//!
//! What it asks of clients is what Java's server cannot do without, and a little more: a member that no
//! body of the protocol has, a partition named twice or more than 1000 of them are answered with 400,
//! so that a mistake of a client is a failure of its test.

mod alter;
mod answer;
mod authorize;
mod call;
mod cast;
mod columns;
mod databases;
mod faults;
mod filter;
mod listing;
mod log;
mod options;
mod partitions;
mod route;
mod serve;
mod state;
mod tables;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use answer::Answer;
pub use faults::{Fault, Faults, Rule};
pub use log::Exchange;
pub use options::{Authorization, DlfKeys, Registry, ServerOptions, TokenMaker};
pub use route::Route;

use crate::loopback::Loopback;
use serve::Shared;
use state::{State, directory_of};

/// A running server. It stops when this is dropped.
///
/// It has a thread and a runtime of its own: it serves tests without a runtime, and tests that block
/// theirs.
#[derive(Debug)]
pub struct RestServer {
    loopback: Loopback,
    shared: Arc<Shared>,
}

/// A registered partition as the server keeps it. A negative number is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionRecord {
    /// Keys and values, in the order of the table's partition keys.
    pub spec: Vec<(String, String)>,
    /// Rows.
    pub record_count: i64,
    /// Bytes of all data files.
    pub file_size_in_bytes: i64,
    /// Data files.
    pub file_count: i64,
    /// When the newest data file was made, in milliseconds since the epoch.
    pub last_file_creation_time: i64,
    /// Buckets.
    pub total_buckets: i32,
    /// Whether it was marked as complete.
    pub done: bool,
    /// When it was registered, in milliseconds since the epoch.
    pub created_at: i64,
}

impl RestServer {
    /// Starts a server.
    ///
    /// # Errors
    /// The root is no directory, or the port cannot be listened on.
    pub fn start(mut options: ServerOptions) -> io::Result<Self> {
        options.root = options.root.canonicalize()?;
        let port = options.port;
        let shared = Arc::new(Shared::new(State::new(options)));
        let connection = serve::connections(&shared);
        Ok(Self {
            loopback: Loopback::start("rest-server", port, connection)?,
            shared,
        })
    }

    /// The base URI for clients, without a slash behind.
    pub fn uri(&self) -> String {
        let base_path = self.shared.state().options.base_path.clone();
        format!("http://{}{base_path}", self.loopback.address())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.loopback.address()
    }

    /// What goes wrong.
    pub fn faults(&self) -> &Faults {
        &self.shared.faults
    }

    /// What was asked so far, in the order in which it arrived.
    pub fn log(&self) -> Vec<Exchange> {
        self.shared.log.all()
    }

    /// How often a call was asked for, those that went wrong included.
    pub fn requests(&self, route: Route) -> usize {
        self.shared.log.count(route)
    }

    /// Forgets what was asked so far.
    pub fn clear_log(&self) {
        self.shared.log.clear();
    }

    /// Lets what clients show so far expire: every request is answered with 401 until
    /// [`RestServer::set_authorization`].
    pub fn expire_token(&self) {
        self.shared.access().expired = true;
    }

    /// Accepts this from now on, and nothing else.
    pub fn set_authorization(&self, authorization: Authorization) {
        let mut access = self.shared.access();
        access.authorization = authorization;
        access.expired = false;
    }

    /// How many table tokens were handed out.
    pub fn tokens_vended(&self) -> usize {
        self.shared.state().tokens
    }

    /// How long the table tokens handed out from now on live.
    pub fn set_data_token_lifetime(&self, lifetime: Duration) {
        self.shared.state().options.data_token_lifetime = lifetime;
    }

    /// How many elements a page has that says nothing, and has at most; at least 1.
    pub fn set_page_size(&self, elements: usize) {
        self.shared.state().options.page_size = elements;
    }

    /// The registered partitions of a table, ordered by name; none when there is no such table.
    pub fn registered(&self, database: &str, table: &str) -> Vec<PartitionRecord> {
        let state = self.shared.state();
        let table = state.table(database, table);
        table.map_or_else(
            |_| Vec::new(),
            |table| table.partitions.values().cloned().collect(),
        )
    }

    /// What a client gets that asks for a table; none when there is no such table.
    pub fn table(&self, database: &str, table: &str) -> Option<Value> {
        let state = self.shared.state();
        let found = state.table(database, table).ok()?;
        Some(found.to_json(database, state::base_table(table)))
    }

    /// The local directory of a table; none when there is no such table or it lies elsewhere.
    pub fn directory(&self, database: &str, table: &str) -> Option<PathBuf> {
        let state = self.shared.state();
        directory_of(&state.table(database, table).ok()?.location)
    }
}
