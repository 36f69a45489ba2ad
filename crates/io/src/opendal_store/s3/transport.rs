//! Requests to a bucket. One that is refused is signed anew with other credentials and sent again: what was refused was
//! not done.

use std::sync::Arc;
use std::time::Duration;

use ftable_core::{ErrorKind, Options};
use futures::stream;
use http::header::{AUTHORIZATION, HeaderName};
use http::{Method, Request, Response, StatusCode};
use opendal::{Buffer, HttpBody, HttpTransport};
use opendal_http_transport_reqwest::ReqwestTransport;
use reqsign_aws_v4::RequestSigner;
use reqsign_core::{Context, SignRequest};
use reqwest::{Client, redirect};

use super::credential;
use super::settings::Keys;
use crate::credentials::CredentialSource;
use crate::error::{Error, Result};
use crate::tls;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may say nothing.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// Servers close idle connections after some time; one that is used just then fails.
const POOL_IDLE: Duration = Duration::from_secs(15);

/// What a signature adds to a request, besides [`AUTHORIZATION`].
const SIGNED: [HeaderName; 2] = [
    HeaderName::from_static("x-amz-date"),
    HeaderName::from_static("x-amz-security-token"),
];

/// Codes of S3 for credentials that were good once.
const EXPIRED: [&str; 3] = ["ExpiredToken", "InvalidToken", "TokenRefreshRequired"];

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
        let options = match signed_by(&request, &known) {
            true => source.renew(&known).await.map_err(not_given)?,
            false => known,
        };
        let credential = credential(&options).map_err(not_given)?;
        let (mut parts, body) = request.into_parts();
        parts.headers.remove(AUTHORIZATION);
        for name in SIGNED {
            parts.headers.remove(name);
        }
        let context = Context::new();
        let signed = self
            .signer
            .sign_request(&context, &mut parts, Some(&credential), None);
        signed.await.map_err(not_given)?;
        Ok(Request::from_parts(parts, body))
    }
}

impl HttpTransport for Transport {
    async fn fetch(&self, request: Request<Buffer>) -> opendal::Result<Response<HttpBody>> {
        let Some(source) = &self.credentials else {
            return self.inner.fetch(request).await;
        };
        let again = request.clone();
        let response = self.inner.fetch(request).await?;
        let (refused, response) = refusal(again.method(), response).await?;
        if !refused {
            return Ok(response);
        }
        match self.signed_anew(&**source, again).await {
            Ok(again) => self.inner.fetch(again).await,
            // The refusal says what is wrong.
            Err(_) => Ok(response),
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
        .read_timeout(READ_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE)
        .build();
    client.map_err(|error| failed(Box::new(error)))
}

/// Whether a request was signed with the access key of these options.
fn signed_by(request: &Request<Buffer>, options: &Options) -> bool {
    let Ok(Some(keys)) = Keys::new(options) else {
        return true;
    };
    let authorization = request.headers().get(AUTHORIZATION);
    let text = authorization.and_then(|value| value.to_str().ok());
    let credential = text.and_then(|text| text.split_once("Credential="));
    let key = credential.and_then(|(_, rest)| rest.split('/').next());
    key.is_none_or(|key| key == keys.access_key)
}

fn not_given(error: impl std::error::Error + Send + Sync + 'static) -> opendal::Error {
    let message = error.to_string();
    opendal::Error::new(opendal::ErrorKind::PermissionDenied, message).set_source(error)
}
