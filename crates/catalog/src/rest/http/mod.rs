//! Requests and answers: signing, sending, sending again where that is safe, and what an error means.

mod failure;
mod request;
mod retry;
mod transport;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::Bytes;
use ftable_core::Options;
use ftable_core::options::is_secret_key;
use ftable_core::options::keys::HEADER_PREFIX;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use serde::de::DeserializeOwned;

use super::auth::{Auth, Outgoing};
use super::base_uri::BaseUri;
use super::encoding::encode;
use crate::Result;
use crate::error::{AnswerSnafu, InvalidOptionSnafu};

pub(super) use request::{Request, Sent};
pub(super) use retry::{RetryPolicy, read};
pub(super) use transport::{Call, Timeouts, Transport};

/// Sends requests to one server.
///
/// Cheap to clone; clones share the connections.
#[derive(Debug, Clone)]
pub(super) struct HttpClient {
    transport: Transport,
    base: BaseUri,
    headers: Arc<HeaderMap>,
    auth: Arc<Auth>,
}

impl HttpClient {
    /// A client whose requests carry the headers of `options`.
    ///
    /// # Errors
    /// `InvalidOption` for a header that HTTP cannot carry.
    pub(super) fn new(
        transport: Transport,
        base: BaseUri,
        auth: Arc<Auth>,
        options: &Options,
    ) -> Result<Self> {
        Ok(Self {
            transport,
            base,
            headers: Arc::new(headers(options)?),
            auth,
        })
    }

    /// Sends a request, again where that is safe, and tells what came of it.
    pub(super) async fn send(&self, request: &Request) -> Sent {
        let call = Call {
            base: self.base.as_str(),
            request,
        };
        self.transport.send(&call, self).await
    }

    /// The answer to a request that has one.
    ///
    /// # Errors
    /// What the server refuses, and an answer that is empty or not what it should be.
    pub(super) async fn ask<T: DeserializeOwned>(&self, request: &Request) -> Result<T> {
        let body = self.send(request).await.result?;
        parse(request, &body)
    }

    /// The headers of one attempt: those of the options, those of every request, and the signature, each over
    /// the ones before.
    pub(super) async fn sign(&self, request: &Request) -> Result<HeaderMap> {
        let mut headers = self.headers.as_ref().clone();
        headers.insert(ACCEPT, HeaderValue::from_static(JSON));
        if request.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        }
        let query: Vec<(&str, String)> = request
            .query
            .iter()
            .map(|(key, value)| (*key, encode(value)))
            .collect();
        let outgoing = Outgoing {
            method: request.method.as_str(),
            path: &request.path,
            query: &query,
            body: request.body.as_deref(),
            action: request.action,
        };
        for (name, value) in self.auth.headers(&outgoing).await? {
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// Everything that must not be shown.
    pub(super) fn secrets(&self) -> Vec<String> {
        let mut secrets = self.auth.secrets();
        let of_headers = self
            .headers
            .iter()
            .filter(|(name, _)| is_secret_key(name.as_str()))
            .filter_map(|(_, value)| value.to_str().ok());
        secrets.extend(of_headers.map(str::to_owned));
        secrets
    }
}

/// The media type of every body.
pub(super) const JSON: &str = "application/json";

/// Reads the body of an answer.
///
/// # Errors
/// `CorruptFile` for an empty body and one that is not what it should be; the body is not shown.
pub(super) fn parse<T: DeserializeOwned>(request: &Request, body: &Bytes) -> Result<T> {
    let refuse = |message: String| {
        AnswerSnafu {
            request: request.to_string(),
            message,
        }
        .fail()
    };
    if body.iter().all(u8::is_ascii_whitespace) {
        return refuse("empty response".to_owned());
    }
    match serde_json::from_slice(body) {
        Ok(value) => Ok(value),
        Err(error) => refuse(super::models::describe(&error)),
    }
}

/// The headers that options `header.<name>` set.
fn headers(options: &Options) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(
        USER_AGENT,
        HeaderValue::from_static(concat!("ftable/", env!("CARGO_PKG_VERSION"))),
    );
    for (key, value) in options {
        let Some(name) = key.strip_prefix(HEADER_PREFIX) else {
            continue;
        };
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .ok()
            .zip(HeaderValue::from_str(value).ok());
        let Some((name, mut header)) = parsed else {
            return InvalidOptionSnafu {
                key,
                value: if is_secret_key(key) { "******" } else { value },
                message: "HTTP cannot carry it; use letters, digits and '-' in the name and no control character in the value",
            }
            .fail();
        };
        header.set_sensitive(is_secret_key(key));
        headers.insert(name, header);
    }
    Ok(headers)
}
