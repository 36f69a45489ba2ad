//! Connections, and what becomes of each request.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::Body;
use s3s::service::{S3Service, S3ServiceBuilder};
use tokio::net::TcpStream;

use super::faults::Faults;
use super::log::Log;
use super::store::Store;
use super::{S3Credentials, S3Options};

/// How many bytes a body has at most.
pub(super) const MAX_BODY: usize = 256 << 20;

/// What all requests and the handle share.
#[derive(Debug)]
pub(super) struct Shared {
    store: Mutex<Store>,
    pub(super) credentials: S3Credentials,
    pub(super) faults: Faults,
    pub(super) log: Log,
    pub(super) page_size: usize,
}

impl Shared {
    pub(super) fn new(options: S3Options) -> Self {
        Self {
            store: Mutex::new(Store::with_buckets(&options.buckets)),
            credentials: S3Credentials::default(),
            faults: Faults::default(),
            log: Log::default(),
            page_size: options.page_size,
        }
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the traits of the protocol are implemented for.
#[derive(Debug, Clone)]
pub(super) struct Handle(pub(super) Arc<Shared>);

/// The request that a task is about.
pub(super) struct Current {
    /// Its number in the log.
    pub(super) number: usize,
    /// Whether its answer is to be lost.
    pub(super) lost: Cell<bool>,
}

tokio::task_local! {
    /// The traits of the protocol see parts of a request, and its answer never.
    pub(super) static CURRENT: Current;
}

/// What serves each connection.
pub(super) fn connections(
    shared: &Arc<Shared>,
) -> impl Fn(TcpStream) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static {
    let shared = Arc::clone(shared);
    let handle = Handle(Arc::clone(&shared));
    let mut builder = S3ServiceBuilder::new(handle.clone());
    builder.set_auth(handle.clone());
    builder.set_access(handle);
    let service = builder.build();
    move |stream| Box::pin(connection(stream, service.clone(), Arc::clone(&shared)))
}

/// Serves one connection to its end.
async fn connection(stream: TcpStream, service: S3Service, shared: Arc<Shared>) {
    let answering = service_fn(move |request| {
        let service = service.clone();
        let shared = Arc::clone(&shared);
        async move { answer(&service, &shared, request).await }
    });
    // How a connection ends is seen by the client.
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), answering);
    let _ = served.await;
}

/// Does what is asked. An error closes the connection without an answer.
async fn answer(
    service: &S3Service,
    shared: &Shared,
    request: Request<Incoming>,
) -> io::Result<Response<Body>> {
    let current = Current {
        number: shared.log.begin(),
        lost: Cell::new(false),
    };
    let number = current.number;
    // Taken whole first, so that a client is not answered, or cut off, while it still sends.
    let (parts, incoming) = request.into_parts();
    let mut body = Body::from(incoming);
    let whole = body.store_all_limited(MAX_BODY).await;
    let request = Request::from_parts(parts, Body::from(whole.map_err(io::Error::other)?));
    let done = CURRENT.scope(current, async {
        let response = service.call(request).await;
        (response, CURRENT.with(|current| current.lost.get()))
    });
    let (response, lost) = done.await;
    if lost {
        return Err(io::Error::other("injected fault"));
    }
    let response = response.map_err(|error| io::Error::other(format!("{error:?}")))?;
    if response.status() == StatusCode::FORBIDDEN {
        shared.log.note(number, |request| request.refused = true);
    }
    Ok(response)
}
