//! What a failed request means.

use std::error::Error as StdError;
use std::io;

use bytes::Bytes;
use serde_json::Value;

use super::super::models::text_member;
use super::super::secrets::redact;
use super::request::Request;
use crate::Error;

/// What stands in for a message that is not the protocol's.
const NO_MESSAGE: &str = "it gave no reason that can be shown";

/// What stands in for it where the server does not know who asks.
const NOT_AUTHORIZED: &str =
    "it rejects the credentials; check option 'token.provider' and what goes with it";

/// An answer as it came.
#[derive(Debug)]
pub(super) struct RawAnswer {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) request_id: Option<String>,
    pub(super) body: Bytes,
}

impl RawAnswer {
    pub(super) fn is_success(&self) -> bool {
        (200..=204).contains(&self.status)
    }

    /// Whether the server says that it cannot now: too many requests, or not available.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.status, 429 | 503)
    }

    /// The error that the answer is.
    ///
    /// The code in the body counts, and the status only where the body has none. A body that is not
    /// an error of the protocol may hold anything, secrets too: it is not shown.
    pub(super) fn into_error(self, request: &Request, attempts: u32, secrets: &[String]) -> Error {
        let body = serde_json::from_slice::<Value>(&self.body).unwrap_or_default();
        let text = |member| text_member(&body, member);
        let code = body
            .get("code")
            .and_then(Value::as_u64)
            .and_then(|code| u16::try_from(code).ok())
            .filter(|code| *code != 0);
        let message = match text("message") {
            Some(message) if !message.trim().is_empty() => redact(&message, secrets),
            _ if (300..=399).contains(&self.status) => {
                "it points to another place, which is never followed; set 'uri' to the server itself"
                    .to_owned()
            }
            _ if self.status == 401 => NOT_AUTHORIZED.to_owned(),
            _ => NO_MESSAGE.to_owned(),
        };
        Error::Server {
            request: request.to_string(),
            code: code.unwrap_or(self.status),
            resource_type: text("resourceType").unwrap_or_default(),
            resource_name: redact(&text("resourceName").unwrap_or_default(), secrets),
            message,
            request_id: self.request_id.map(|id| redact(&id, secrets)),
            attempts,
        }
    }
}

/// Whether a failure of the connection is one that may pass: the connection broke, but neither was it refused
/// nor did it time out, nor did the peer close it in good order, nor did TLS fail.
pub(super) fn is_passing(error: &reqwest::Error) -> bool {
    if error.is_timeout() || error.is_connect() || error.is_builder() {
        return false;
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            use io::ErrorKind::{
                BrokenPipe, ConnectionAborted, ConnectionReset, Interrupted, NotConnected,
            };
            return matches!(
                error.kind(),
                BrokenPipe | ConnectionAborted | ConnectionReset | Interrupted | NotConnected
            );
        }
        cause = error.source();
    }
    false
}

/// The error of a request that was not answered to the end.
pub(super) fn unanswered(request: &Request, attempts: u32, error: reqwest::Error) -> Error {
    let mut problem = if error.is_connect() {
        "no connection to the server; check option 'uri', the network and the server's certificate"
            .to_owned()
    } else if error.is_timeout() {
        "the server did not answer in time; see option 'rest.client.response-timeout'".to_owned()
    } else {
        "the connection broke before the answer was whole".to_owned()
    };
    if attempts > 1 {
        problem.push_str(&format!(" (at the last of {attempts} attempts)"));
    }
    Error::Exchange {
        request: request.to_string(),
        problem,
        may_be_done: !request.reads && !error.is_connect(),
        // A URL may hold a page token.
        source: Box::new(error.without_url()),
    }
}

#[cfg(test)]
mod tests {
    use ftable_core::ErrorKind;

    use super::*;

    fn error(status: u16, body: &str) -> Error {
        let answer = RawAnswer {
            status,
            retry_after: None,
            request_id: Some("r-7".to_owned()),
            body: Bytes::from(body.to_owned()),
        };
        let request = Request::get("GetTable", "/v1/databases/d/tables/t".to_owned());
        answer.into_error(&request, 1, &["hunter2".to_owned()])
    }

    fn code_and_message(status: u16, body: &str) -> (u16, String) {
        match error(status, body) {
            Error::Server { code, message, .. } => (code, message),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_code_in_the_body_counts_and_the_status_is_the_fallback() {
        for (status, body, code, message) in [
            (404, r#"{"message":"gone"}"#, 404, "gone"),
            (
                403,
                r#"{"Code":"InvalidProtocol.NeedSsl"}"#,
                403,
                NO_MESSAGE,
            ),
            (502, "<html>Bad gateway hunter2</html>", 502, NO_MESSAGE),
            (404, r#"{"message":"no","code":501}"#, 501, "no"),
            (500, r#"{"message":"no","code":0}"#, 500, "no"),
            (500, r#"{"message":"no","code":null}"#, 500, "no"),
            (500, r#"{"message":"no","code":"x"}"#, 500, "no"),
            (401, "Unauthorized", 401, NOT_AUTHORIZED),
            (400, "", 400, NO_MESSAGE),
            (400, r#"["message"]"#, 400, NO_MESSAGE),
        ] {
            assert_eq!(
                code_and_message(status, body),
                (code, message.to_owned()),
                "{body}"
            );
        }
    }

    #[test]
    fn the_error_names_request_code_and_id_and_hides_secrets() {
        let error = error(
            404,
            r#"{"resourceType":"TABLE","resourceName":"t","message":"gone hunter2","code":404}"#,
        );
        assert_eq!(
            error.to_string(),
            "GET /v1/databases/d/tables/t: the server answered 404 (request id r-7): gone ******"
        );
        assert!(!format!("{error:?}").contains("hunter2"));
    }

    #[test]
    fn codes_say_what_a_caller_can_do() {
        for (code, kind) in [
            (302, ErrorKind::Unsupported),
            (400, ErrorKind::InvalidArgument),
            (401, ErrorKind::PermissionDenied),
            (403, ErrorKind::PermissionDenied),
            (404, ErrorKind::NotFound),
            (405, ErrorKind::Unsupported),
            (409, ErrorKind::AlreadyExists),
            (429, ErrorKind::Unavailable),
            (500, ErrorKind::Internal),
            (501, ErrorKind::Unsupported),
            (502, ErrorKind::Unavailable),
            (503, ErrorKind::Unavailable),
        ] {
            assert_eq!(error(code, "").kind(), kind, "{code}");
        }
    }
}
