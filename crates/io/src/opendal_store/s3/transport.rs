//! Requests to a bucket. One that is refused is signed anew with other credentials and sent again: what was refused was
//! not done.

use std::sync::Arc;
use std::time::Duration;

use ftable_core::ErrorKind;
use futures::{Stream, StreamExt, stream};
use http::header::{AUTHORIZATION, HeaderName};
use http::{Method, Request, Response, StatusCode};
use opendal::{Buffer, HttpBody, HttpTransport};
use opendal_http_transport_reqwest::ReqwestTransport;
use reqsign_aws_v4::RequestSigner;
use reqsign_core::{Context, SignRequest};
use reqwest::{Client, redirect};
use tokio::time::timeout;

use super::credential;
use super::settings::Keys;
use crate::credentials::CredentialSource;
use crate::error::{EXPIRED, Error, Result};
use crate::tls;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may say nothing, besides the time that the bytes of a request take.
const SILENCE: Duration = Duration::from_secs(60);
/// Bytes that a line carries in a second at the least.
const SLOWEST: u64 = 64 * 1024;
/// Servers close idle connections after some time; one that is used just then fails.
const POOL_IDLE: Duration = Duration::from_secs(15);

/// What a signature adds to a request, besides [`AUTHORIZATION`].
const SIGNED: [HeaderName; 2] = [
    HeaderName::from_static("x-amz-date"),
    HeaderName::from_static("x-amz-security-token"),
];

/// Sends requests that are signed.
pub(super) struct Transport {
    inner: ReqwestTransport,
    signer: RequestSigner,
    credentials: Option<Arc<dyn CredentialSource>>,
}

impl Transport {
    /// With `secure` servers of `https` can be reached.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub(super) fn new(
        region: &str,
        secure: bool,
        credentials: Option<Arc<dyn CredentialSource>>,
    ) -> Result<Self> {
        Ok(Self {
            inner: ReqwestTransport::new(client(secure)?),
            signer: RequestSigner::new("s3", region),
            credentials,
        })
    }

    /// The request with other credentials than those that were refused.
    async fn signed_anew(
        &self,
        source: &dyn CredentialSource,
        request: Request<Buffer>,
    ) -> opendal::Result<Request<Buffer>> {
        let known = source.options().await.map_err(not_given)?;
        let is_refused = match (key_of(&request), Keys::new(&known).map_err(not_given)?) {
            (Some(used), Some(keys)) => used == keys.access_key,
            _ => false,
        };
        let options = match is_refused {
            true => source.renew(&known).await.map_err(not_given)?,
            false => known,
        };
        let Some(keys) = Keys::new(&options).map_err(not_given)? else {
            let message = "the credentials that were given hold no access key";
            return Err(opendal::Error::new(
                opendal::ErrorKind::PermissionDenied,
                message,
            ));
        };
        let (mut parts, body) = request.into_parts();
        parts.headers.remove(AUTHORIZATION);
        for name in SIGNED {
            parts.headers.remove(name);
        }
        let (context, credential) = (Context::new(), credential(keys));
        let signed = self
            .signer
            .sign_request(&context, &mut parts, Some(&credential), None);
        signed.await.map_err(|error| {
            let message = error.to_string();
            opendal::Error::new(opendal::ErrorKind::Unexpected, message).set_source(error)
        })?;
        Ok(Request::from_parts(parts, body))
    }

    /// Sends a request, and waits for the answer no longer than a slow line takes for the bytes of both.
    async fn send(&self, request: Request<Buffer>) -> opendal::Result<Response<HttpBody>> {
        let patience = SILENCE + Duration::from_secs(request.body().len() as u64 / SLOWEST);
        match timeout(patience, self.inner.fetch(request)).await {
            Ok(response) => {
                Ok(response?
                    .map(|body| body.map_inner(|chunks| Box::new(Box::pin(timely(chunks))))))
            }
            Err(_) => Err(silent()),
        }
    }
}

/// What a body is made of.
type Chunks = Box<dyn Stream<Item = opendal::Result<Buffer>> + Send + Sync + Unpin>;

/// The chunks of a body, each of which comes in time.
fn timely(chunks: Chunks) -> impl Stream<Item = opendal::Result<Buffer>> + Send + Sync {
    stream::unfold(Some(chunks), |chunks| async move {
        let mut chunks = chunks?;
        match timeout(SILENCE, chunks.next()).await {
            Ok(chunk) => Some((chunk?, Some(chunks))),
            Err(_) => Some((Err(silent()), None)),
        }
    })
}

fn silent() -> opendal::Error {
    let message = "the server did not answer in time";
    opendal::Error::new(opendal::ErrorKind::Unexpected, message).set_temporary()
}

impl HttpTransport for Transport {
    async fn fetch(&self, request: Request<Buffer>) -> opendal::Result<Response<HttpBody>> {
        let Some(source) = &self.credentials else {
            return self.send(request).await;
        };
        let request = match key_of(&request).is_some_and(Keys::are_none) {
            true => self.signed_anew(&**source, request).await?,
            false => request,
        };
        let again = request.clone();
        let response = self.send(request).await?;
        let (refused, response) = refusal(again.method(), response).await?;
        match refused {
            true => self.send(self.signed_anew(&**source, again).await?).await,
            false => Ok(response),
        }
    }
}

/// Whether a request was refused for its credentials, and the response as it came.
///
/// Some servers answer 403, and S3 itself answers 400 with a code, or to HEAD with nothing at all.
async fn refusal(
    method: &Method,
    response: Response<HttpBody>,
) -> opendal::Result<(bool, Response<HttpBody>)> {
    match response.status() {
        StatusCode::FORBIDDEN => Ok((true, response)),
        StatusCode::BAD_REQUEST if *method == Method::HEAD => Ok((true, response)),
        StatusCode::BAD_REQUEST => {
            let (parts, mut body) = response.into_parts();
            let content = body.to_buffer().await?;
            let bytes = content.to_bytes();
            let text = String::from_utf8_lossy(&bytes);
            let refused = EXPIRED
                .iter()
                .any(|code| text.contains(&format!("<Code>{code}</Code>")));
            let length = Some(bytes.len() as u64);
            let body = HttpBody::new(stream::iter([Ok(content)]), length);
            Ok((refused, Response::from_parts(parts, body)))
        }
        _ => Ok((false, response)),
    }
}

/// Connections that follow no redirect and use no proxy.
fn client(secure: bool) -> Result<Client> {
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| Error::Store {
        operation: "connect to",
        path: "s3".to_owned(),
        reason: "TLS cannot be set up".to_owned(),
        kind: ErrorKind::Internal,
        source,
    };
    let tls = tls::client_config(secure).map_err(|error| failed(Box::new(error)))?;
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE)
        .build();
    client.map_err(|error| failed(Box::new(error)))
}

/// The access key that a request is signed with.
fn key_of(request: &Request<Buffer>) -> Option<&str> {
    let text = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (_, credential) = text.split_once("Credential=")?;
    credential.split('/').next()
}

fn not_given(error: Error) -> opendal::Error {
    let message = error.to_string();
    match error.retryable() {
        true => opendal::Error::new(opendal::ErrorKind::Unexpected, message).set_temporary(),
        false => opendal::Error::new(opendal::ErrorKind::PermissionDenied, message),
    }
    .set_source(error)
}
