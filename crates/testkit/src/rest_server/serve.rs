//! Connections, and what becomes of each request.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use axum::routing::on;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;

use super::answer::{Done, Failure};
use super::authorize::is_authorized;
use super::call::{self, Call};
use super::faults::Plan;
use super::log::Log;
use super::route::{parameters, query};
use super::state::State;
use super::{Answer, Authorization, Exchange, Fault, Faults, Route, databases, partitions, tables};

/// How many bytes a body has at most.
const MAX_BODY: usize = 64 << 20;

/// What all requests and the handle share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) authorization: Mutex<Access>,
    pub(super) faults: Faults,
    pub(super) log: Log,
    base_path: String,
    has_prefix: bool,
}

/// Who may ask now.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) authorization: Authorization,
    /// Nobody may: what was shown so far is no longer accepted.
    pub(super) expired: bool,
}

/// Marks a response that is not to be sent: the connection is closed in its place.
#[derive(Debug, Clone, Copy)]
struct HangUp;

impl Shared {
    pub(super) fn new(state: State) -> Self {
        let options = &state.options;
        Self {
            base_path: options.base_path.clone(),
            has_prefix: options.prefix.is_some(),
            authorization: Mutex::new(Access {
                authorization: options.authorization.clone(),
                expired: false,
            }),
            faults: Faults::default(),
            log: Log::default(),
            state: Mutex::new(state),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn access(&self) -> MutexGuard<'_, Access> {
        let access = self.authorization.lock();
        access.unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what a request asks for.
    fn done(&self, asked: Asked, exchange: &Exchange) -> Done {
        {
            let access = self.access();
            let shown = is_authorized(&access.authorization, exchange, &self.base_path);
            if access.expired || !shown {
                return Err(Failure::new(401, "Not authorized"));
            }
        }
        let route = match asked {
            Asked::Route(route) => route,
            Asked::OtherMethod => return Err(Failure::new(405, "Method Not Allowed")),
            Asked::Nothing => return Err(Failure::no_endpoint()),
        };
        let template = route.template(&self.base_path, self.has_prefix);
        let call = Call {
            parameters: parameters(&template, &exchange.path),
            query: query(&exchange.query),
            body: call::body(&exchange.body)?,
        };
        let mut state = self.state();
        let prefix = call.parameters.get("prefix");
        if prefix.is_some() && prefix != state.options.prefix.as_ref() {
            return Err(Failure::no_endpoint());
        }
        handler(route)(&mut state, &call)
    }
}

/// A response in the making.
type Answering = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// What a request asks for.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Route(Route),
    /// A path of the protocol, with a method that it does not have.
    OtherMethod,
    Nothing,
}

fn handler(route: Route) -> fn(&mut State, &Call) -> Done {
    match route {
        Route::Config => databases::config,
        Route::ListDatabases => databases::list,
        Route::CreateDatabase => databases::create,
        Route::GetDatabase => databases::get,
        Route::AlterDatabase => databases::alter,
        Route::DropDatabase => databases::drop,
        Route::ListTables => tables::list,
        Route::ListTableDetails => tables::list_details,
        Route::ListTablesGlobally => tables::list_globally,
        Route::CreateTable => tables::create,
        Route::GetTable => tables::get,
        Route::GetTableById => tables::get_by_id,
        Route::AlterTable => tables::alter,
        Route::RenameTable => tables::rename,
        Route::ReplaceTable | Route::AuthorizeQuery => tables::refuse,
        Route::RegisterTable => tables::register,
        Route::DropTable => tables::drop,
        Route::GetTableToken => tables::token,
        Route::ListPartitions => partitions::list,
        Route::CreatePartitions => partitions::create,
        Route::DropPartitions => partitions::drop,
        Route::MarkPartitionsDone => partitions::mark_done,
        Route::ListPartitionsByNames => partitions::list_by_names,
        Route::ListPartitionsByFilter => partitions::list_by_filter,
    }
}

/// All paths of the protocol.
fn router(shared: &Arc<Shared>) -> Router {
    let mut router = Router::new();
    for route in Route::ALL {
        let template = route.template(&shared.base_path, shared.has_prefix);
        let answer = answering(shared, Asked::Route(route));
        router = router.route(&template, on(route.method(), answer));
    }
    router
        .method_not_allowed_fallback(answering(shared, Asked::OtherMethod))
        .fallback(answering(shared, Asked::Nothing))
}

/// The function that answers requests of one kind.
fn answering(
    shared: &Arc<Shared>,
    asked: Asked,
) -> impl Fn(Request) -> Answering + Clone + Send + Sync + 'static {
    let shared = Arc::clone(shared);
    move |request| -> Answering { Box::pin(answer(Arc::clone(&shared), asked, request)) }
}

async fn answer(shared: Arc<Shared>, asked: Asked, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return hang_up();
    };
    let headers = parts.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.as_str().to_owned(), value.into_owned())
    });
    let exchange = Exchange {
        route: match asked {
            Asked::Route(route) => Some(route),
            _ => None,
        },
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: headers.collect(),
        body,
        status: None,
    };
    let number = shared.log.begin(exchange.clone());
    let plan = shared.faults.plan(exchange.route, &exchange.path);
    let response = carry_out(&shared, asked, &exchange, plan).await;
    let Some((answer, whole)) = response else {
        return hang_up();
    };
    shared.log.end(number, answer.status);
    response_of(answer, whole, number)
}

/// Does what is asked, as far as the plan lets it. None when the connection is to be closed; else the
/// answer, and whether all of it is to be sent.
async fn carry_out(
    shared: &Shared,
    asked: Asked,
    exchange: &Exchange,
    plan: Plan,
) -> Option<(Answer, bool)> {
    if !plan.delay.is_zero() {
        tokio::time::sleep(plan.delay).await;
    }
    let answer = match &plan.fault {
        Some(Fault::Refuse) => return None,
        Some(Fault::Answer(answer)) => answer.clone(),
        _ => {
            let done = shared.done(asked, exchange);
            done.unwrap_or_else(Failure::answer)
        }
    };
    if !plan.answer_delay.is_zero() {
        tokio::time::sleep(plan.answer_delay).await;
    }
    match plan.fault {
        Some(Fault::LoseAnswer) => None,
        Some(Fault::AnswerAfter(other)) => Some((other, true)),
        Some(Fault::EmptyBody) => Some((Answer::empty(answer.status), true)),
        Some(Fault::Truncate) => Some((answer, false)),
        _ => Some((answer, true)),
    }
}

fn response_of(answer: Answer, whole: bool, number: usize) -> Response<Body> {
    let length = answer.body.len();
    let body = if whole {
        Body::from(answer.body)
    } else {
        Body::new(CutBody::half_of(&answer.body))
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
    let headers = response.headers_mut();
    let own = [
        ("content-length".to_owned(), length.to_string()),
        ("x-request-id".to_owned(), format!("request-{number}")),
    ];
    for (name, value) in answer.headers.into_iter().chain(own) {
        let parsed = (HeaderName::try_from(name), HeaderValue::try_from(value));
        if let (Ok(name), Ok(value)) = parsed {
            headers.append(name, value);
        }
    }
    response
}

fn hang_up() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(HangUp);
    response
}

/// The first half of a body, and then a failure that closes the connection.
struct CutBody {
    half: Option<Bytes>,
    /// Whether the half had its chance to reach the socket.
    flushed: bool,
    length: u64,
}

impl CutBody {
    fn half_of(body: &Bytes) -> Self {
        Self {
            half: Some(body.slice(..body.len() / 2)),
            flushed: false,
            length: u64::try_from(body.len()).unwrap_or_default(),
        }
    }
}

impl HttpBody for CutBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(half) = self.half.take() {
            return Poll::Ready(Some(Ok(Frame::data(half))));
        }
        if !self.flushed {
            self.flushed = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(io::Error::other("injected fault"))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}

/// What serves each connection.
pub(super) fn connections(
    shared: &Arc<Shared>,
) -> impl Fn(TcpStream) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static {
    let router = router(shared);
    move |stream| Box::pin(connection(stream, router.clone()))
}

/// Serves one connection to its end.
async fn connection(stream: TcpStream, router: Router) {
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let router = TowerToHyperService::new(router.clone());
        async move {
            let response: Result<_, Infallible> = router.call(request).await;
            match response {
                Ok(response) if response.extensions().get::<HangUp>().is_some() => {
                    Err(io::Error::other("injected fault"))
                }
                Ok(response) => Ok(response),
                Err(never) => match never {},
            }
        }
    });
    // How a connection ends is seen by the client.
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let _ = served.await;
}
