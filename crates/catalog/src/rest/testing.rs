//! A server on this machine that answers what a test says, and the catalog that talks to it.

use std::sync::{Arc, Mutex};

use ftable_core::Options;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::RestCatalog;
use crate::Result;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) method: String,
    /// Path and query as sent.
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Received {
    /// Method, path and query.
    pub(super) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What is done with a request.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// An answer of JSON.
    Json(u16, Value),
    /// Any answer.
    Raw(u16, Vec<(&'static str, String)>, String),
    /// The connection is closed in good order.
    Close,
    /// The connection is reset.
    Reset,
    /// More is promised than is sent.
    Cut(String),
    /// Nothing at all.
    Hang,
}

impl Reply {
    pub(super) fn ok(body: Value) -> Self {
        Self::Json(200, body)
    }

    /// Success without a body.
    pub(super) fn done() -> Self {
        Self::Raw(200, Vec::new(), String::new())
    }

    /// An error of the protocol.
    pub(super) fn error(code: u16, resource_type: &str, resource_name: &str) -> Self {
        let body = json!({
            "resourceType": resource_type, "resourceName": resource_name, "message": "from the test", "code": code
        });
        Self::Json(code, body)
    }

    /// The server cannot now.
    pub(super) fn busy() -> Self {
        Self::Json(503, json!({"message": "busy", "code": 503}))
    }
}

/// A server that does with each request what a function says.
pub(super) struct Server {
    uri: String,
    received: Arc<Mutex<Vec<Received>>>,
    task: AbortHandle,
}

impl Server {
    pub(super) async fn start<F>(handler: F) -> Self
    where
        F: FnMut(&Received) -> Reply + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let record = Arc::clone(&received);
        let handler = Arc::new(Mutex::new(handler));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (record, handler) = (Arc::clone(&record), Arc::clone(&handler));
                tokio::spawn(async move {
                    let (request, length) = look_at(&stream).await;
                    record.lock().unwrap().push(request.clone());
                    let reply = (handler.lock().unwrap())(&request);
                    answer(stream, length, reply).await;
                });
            }
        });
        Self {
            uri,
            received,
            task: task.abort_handle(),
        }
    }

    /// A server of a catalog: its configuration is answered, everything else by the function.
    pub(super) async fn of_catalog<F>(config: Value, mut handler: F) -> Self
    where
        F: FnMut(&Received) -> Reply + Send + 'static,
    {
        Self::start(move |request| {
            if request.target.starts_with("/v1/config") {
                Reply::ok(config.clone())
            } else {
                handler(request)
            }
        })
        .await
    }

    /// A server of a catalog whose answers come in this order.
    pub(super) async fn scripted(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: Vec<_> = replies.into_iter().collect();
        replies.reverse();
        Self::of_catalog(json!({"defaults": {"prefix": "p"}}), move |request| {
            replies
                .pop()
                .unwrap_or_else(|| panic!("no answer is left for {}", request.line()))
        })
        .await
    }

    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// All requests but that for the configuration.
    pub(super) fn received(&self) -> Vec<Received> {
        let received = self.received.lock().unwrap();
        let is_call = |request: &&Received| !request.target.starts_with("/v1/config");
        received.iter().filter(is_call).cloned().collect()
    }

    /// Method and path of all requests but that for the configuration.
    pub(super) fn lines(&self) -> Vec<String> {
        self.received().iter().map(Received::line).collect()
    }

    /// The request for the configuration.
    pub(super) fn config_line(&self) -> String {
        self.received.lock().unwrap()[0].line()
    }

    /// Options of a catalog on this server that does not wait long.
    pub(super) fn options(&self) -> Options {
        Options::from([
            ("metastore", "rest"),
            ("uri", self.uri()),
            ("token.provider", "bear"),
            ("token", "demo-token"),
            ("rest.client.retry-delay", "1 ms"),
            ("rest.client.max-retry-after", "2 ms"),
        ])
    }

    pub(super) async fn catalog(&self) -> RestCatalog {
        RestCatalog::open(self.options()).await.unwrap()
    }

    pub(super) async fn catalog_with(&self, options: &[(&str, &str)]) -> Result<RestCatalog> {
        let more: Options = options.iter().copied().collect();
        RestCatalog::open(more.merged_over(&self.options())).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads a whole request without taking it from the connection, and tells its length.
async fn look_at(stream: &TcpStream) -> (Received, usize) {
    let mut buffer = vec![0; 1 << 20];
    loop {
        let seen = stream.peek(&mut buffer).await.unwrap();
        if let Some(request) = whole(&buffer[..seen]) {
            return (request, seen);
        }
        tokio::task::yield_now().await;
    }
}

fn whole(bytes: &[u8]) -> Option<Received> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let request = Received {
        method: words.next()?.to_owned(),
        target: words.next()?.to_owned(),
        headers: lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        body: body.to_owned(),
    };
    let length = request
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    (body.len() >= length).then_some(request)
}

async fn answer(mut stream: TcpStream, length: usize, reply: Reply) {
    if matches!(reply, Reply::Reset) {
        // What was not read makes the system reset the connection.
        return;
    }
    let mut request = vec![0; length];
    stream.read_exact(&mut request).await.unwrap();
    let (status, headers, body, length) = match reply {
        Reply::Json(status, value) => {
            let body = value.to_string();
            let length = body.len();
            (status, Vec::new(), body, length)
        }
        Reply::Raw(status, headers, body) => {
            let length = body.len();
            (status, headers, body, length)
        }
        Reply::Cut(body) => {
            let length = body.len() + 10;
            (200, Vec::new(), body, length)
        }
        Reply::Close | Reply::Reset => return,
        Reply::Hang => {
            std::future::pending::<()>().await;
            return;
        }
    };
    let mut head =
        format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    // The client may be gone.
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(body.as_bytes()).await;
    let _ = stream.shutdown().await;
}
