//! A client that knows no more of HTTP than these tests need: one connection a request.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use ftable_testkit::rest_server::{RestServer, ServerOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the server sent back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    fn parse(bytes: &[u8]) -> io::Result<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        });
        Ok(Self {
            status: status.parse().unwrap(),
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name)?;
        Some(&found.1)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Status, resource type and resource name of an error, whose body has the status as its code.
    pub(crate) fn error(&self) -> (u16, Value, Value) {
        let body = self.json();
        assert_eq!(body["code"], self.status, "{body}");
        assert!(!body["message"].as_str().unwrap().is_empty());
        let members = ["resourceType", "resourceName"].map(|name| body.get(name).unwrap().clone());
        let [kind, name] = members;
        (self.status, kind, name)
    }

    /// Asserts success without a body.
    pub(crate) fn assert_done(&self) {
        assert_eq!(
            (self.status, self.body.as_slice()),
            (200, &b""[..]),
            "{self:?}"
        );
    }
}

/// Sends one request and reads to the end of the connection.
pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> io::Result<Reply> {
    let mut stream = TcpStream::connect(address)?;
    let mut request =
        format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        request.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    request.push_str("\r\n");
    request.push_str(body);
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    Reply::parse(&bytes)
}

/// A server over a directory of its own.
pub(crate) struct Place {
    pub(crate) server: RestServer,
    pub(crate) directory: TempDir,
}

impl Place {
    /// A server with prefix `mock`.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut options = ServerOptions::new(directory.path());
        change(&mut options);
        let server = RestServer::start(options).unwrap();
        Self { server, directory }
    }

    /// A server with database `db` and in it table `t`, partitioned by `dt STRING` and `hr INT`.
    pub(crate) fn with_table() -> Self {
        let place = Self::new();
        place.make_table("t");
        place
    }

    pub(crate) fn make_table(&self, name: &str) {
        self.post("/databases", &json!({"name": "db", "options": {}}));
        let body = create_body("db", name, &json!({"type": "format-table"}));
        self.post("/databases/db/tables", &body).assert_done();
    }

    pub(crate) fn send(&self, method: &str, target: &str, body: &str) -> io::Result<Reply> {
        send(self.server.address(), method, target, &[], body)
    }

    /// GET of a path below the prefix.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", &format!("/v1/mock{path}"), "").unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        let target = format!("/v1/mock{path}");
        self.send("POST", &target, &body.to_string()).unwrap()
    }

    pub(crate) fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", &format!("/v1/mock{path}"), "").unwrap()
    }

    /// The root of all tables, as the server names it.
    pub(crate) fn root(&self) -> String {
        let root = self.directory.path().canonicalize().unwrap();
        root.to_str().unwrap().to_owned()
    }
}

/// The request that makes a table with columns `id, dt, hr`, partitioned by the last two.
pub(crate) fn create_body(database: &str, name: &str, options: &Value) -> Value {
    json!({
        "identifier": {"database": database, "object": name},
        "schema": {
            "fields": [
                {"id": 0, "name": "id", "type": "BIGINT"},
                {"id": 1, "name": "dt", "type": "STRING"},
                {"id": 2, "name": "hr", "type": "INT"},
            ],
            "partitionKeys": ["dt", "hr"],
            "primaryKeys": [],
            "options": options,
        },
    })
}
