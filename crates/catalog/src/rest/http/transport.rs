//! Connections: one attempt after another until there is an answer.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use ftable_core::Options;
use ftable_core::options::keys::{REST_CONNECT_TIMEOUT, REST_RESPONSE_TIMEOUT};
use ftable_io::tls;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response, Url, redirect};
use snafu::IntoError;
use uuid::Uuid;

use super::super::clock::Clock;
use super::super::encoding::encode;
use super::HttpClient;
use super::failure::{RawAnswer, is_passing, unanswered};
use super::request::{Request, Sent};
use super::retry::{RetryPolicy, read};
use crate::error::{AnswerSnafu, ExchangeSnafu, UnsupportedSnafu};
use crate::{Error, Result};

/// An answer of more bytes is none: pages are small.
const MAX_ANSWER: usize = 256 << 20;

/// Servers close idle connections after some time; one that is used just then fails.
const POOL_IDLE: Duration = Duration::from_secs(20);

/// How long is waited.
#[derive(Debug, Clone)]
pub(crate) struct Timeouts {
    connect: Duration,
    response: Duration,
}

impl Timeouts {
    /// Reads the options `rest.client.connect-timeout` and `rest.client.response-timeout`.
    ///
    /// # Errors
    /// `InvalidOption` for a value that is no duration.
    pub(crate) fn from_options(options: &Options) -> Result<Self> {
        Ok(Self {
            connect: read(options, &REST_CONNECT_TIMEOUT)?,
            response: read(options, &REST_RESPONSE_TIMEOUT)?,
        })
    }
}

/// A request and where it goes.
pub(crate) struct Call<'a> {
    /// Scheme, host and leading path.
    pub(crate) base: &'a str,
    pub(crate) request: &'a Request,
}

/// Connections to any server.
///
/// Cheap to clone; clones share the connections.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    client: Client,
    retry: RetryPolicy,
    clock: Clock,
}

/// What one attempt came to.
enum Attempt {
    Answered(RawAnswer),
    Unanswered(reqwest::Error),
    /// The request was not sent, or the answer cannot be taken.
    Hopeless(Error),
}

impl Transport {
    /// Connections that follow no redirect and use no proxy. With `secure` the certificate authorities of this
    /// machine are loaded; without it no `https` server can be reached.
    ///
    /// # Errors
    /// When there are no certificate authorities.
    pub(crate) fn new(
        secure: bool,
        timeouts: &Timeouts,
        retry: RetryPolicy,
        clock: Clock,
    ) -> Result<Self> {
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| {
            ExchangeSnafu {
                request: "setting up TLS".to_owned(),
                problem: "the certificate authorities of this machine cannot be used".to_owned(),
                may_be_done: false,
            }
            .into_error(source)
        };
        let tls = tls::client_config(secure).map_err(|error| failed(Box::new(error)))?;
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .connect_timeout(timeouts.connect)
            .read_timeout(timeouts.response)
            .pool_idle_timeout(POOL_IDLE)
            .build()
            .map_err(|error| failed(Box::new(error)))?;
        Ok(Self {
            client,
            retry,
            clock,
        })
    }

    /// Sends a request with the headers that `signer` gives each attempt anew.
    pub(super) async fn send(&self, call: &Call<'_>, signer: &HttpClient) -> Sent {
        let request = call.request;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let attempt = match signer.sign(request).await {
                Ok(headers) => self.attempt(call, headers).await,
                Err(error) => Attempt::Hopeless(error),
            };
            let (again, retry_after) = match &attempt {
                Attempt::Answered(answer) if answer.is_success() => (false, None),
                Attempt::Answered(answer) => (
                    answer.is_busy() && request.repeatable,
                    answer.retry_after.as_deref(),
                ),
                Attempt::Unanswered(error) => (request.is_idempotent() && is_passing(error), None),
                Attempt::Hopeless(_) => (false, None),
            };
            let now = self.clock.now();
            if again && let Some(delay) = self.retry.delay(attempts, retry_after, now, jitter()) {
                tokio::time::sleep(delay).await;
                continue;
            }
            let result = match attempt {
                Attempt::Answered(answer) if answer.is_success() => Ok(answer.body),
                Attempt::Answered(answer) => {
                    Err(answer.into_error(request, attempts, &signer.secrets()))
                }
                Attempt::Unanswered(error) => Err(unanswered(request, attempts, error)),
                Attempt::Hopeless(error) => Err(error),
            };
            return Sent { result, attempts };
        }
    }

    /// The text at a URL, asked for once and without credentials; what went wrong as a text.
    pub(crate) async fn text(&self, url: &str) -> Result<String, String> {
        let request = Request::get("", String::new());
        let call = Call {
            base: url,
            request: &request,
        };
        match self.attempt(&call, HeaderMap::new()).await {
            Attempt::Answered(answer) if answer.is_success() => {
                Ok(String::from_utf8_lossy(&answer.body).into_owned())
            }
            Attempt::Answered(answer) => Err(format!("the server answered {}", answer.status)),
            Attempt::Unanswered(error) if error.is_connect() => {
                Err("no connection to the server".to_owned())
            }
            Attempt::Unanswered(_) => Err("the server did not answer".to_owned()),
            Attempt::Hopeless(error) => Err(error.to_string()),
        }
    }

    async fn attempt(&self, call: &Call<'_>, headers: HeaderMap) -> Attempt {
        let url = match url(call) {
            Ok(url) => url,
            Err(error) => return Attempt::Hopeless(error),
        };
        let mut builder = self
            .client
            .request(call.request.method.clone(), url)
            .headers(headers);
        if let Some(body) = &call.request.body {
            builder = builder.body(body.clone());
        }
        let response = match builder.send().await {
            Ok(response) => response,
            Err(error) => return Attempt::Unanswered(error),
        };
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let mut answer = RawAnswer {
            status: response.status().as_u16(),
            retry_after: header(RETRY_AFTER.as_str()),
            request_id: header("x-request-id").or_else(|| any_request_id(response.headers())),
            body: Bytes::new(),
        };
        match body(call.request, response).await {
            Ok(body) => answer.body = body,
            Err(attempt) => return attempt,
        }
        Attempt::Answered(answer)
    }
}

/// Reads the body of an answer, up to a limit.
async fn body(request: &Request, mut response: Response) -> Result<Bytes, Attempt> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(Attempt::Unanswered)? {
        if body.len() + chunk.len() > MAX_ANSWER {
            let error = AnswerSnafu {
                request: request.to_string(),
                message: format!("it has more than {MAX_ANSWER} bytes"),
            };
            return Err(Attempt::Hopeless(error.build()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// The whole URL. What is signed is the path as it is encoded here, so the library that parses it must not
/// change it.
fn url(call: &Call<'_>) -> Result<Url> {
    let request = call.request;
    let mut text = format!("{}{}", call.base, request.path);
    for (index, (key, value)) in request.query.iter().enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        text.push_str(key);
        text.push('=');
        text.push_str(&encode(value));
    }
    match Url::parse(&text) {
        Ok(url) if url.path().ends_with(&request.path) => Ok(url),
        _ => UnsupportedSnafu {
            what: request.to_string(),
            reason: "no URL holds this path as it is",
            instead: "use other names",
        }
        .fail(),
    }
}

/// The id of a request under whatever name the server gives it.
fn any_request_id(headers: &HeaderMap) -> Option<String> {
    let (_, value) = headers
        .iter()
        .find(|(name, _)| name.as_str().contains("request-id"))?;
    value.to_str().ok().map(str::to_owned)
}

/// A random number from 0 to 0.1.
fn jitter() -> f64 {
    f64::from(Uuid::new_v4().as_u128() as u16) / f64::from(u16::MAX) / 10.0
}
