//! What is asked of a request before it is carried out.

use async_trait::async_trait;
use hyper::{HeaderMap, StatusCode};
use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::{S3Auth, SecretKey};
use s3s::{S3Error, S3ErrorCode, S3Result, s3_error};

use super::faults::Effect;
use super::serve::{CURRENT, Handle};

/// Headers that change what a request means begin with one of these.
const MEANINGFUL: [&str; 6] = [
    "cache-control",
    "content-",
    "expires",
    "if-",
    "range",
    "x-amz-",
];

/// Of the meaningful headers, those that are honoured, and by which operations if not by all.
const HONOURED_HEADERS: [(&str, &[&str]); 12] = [
    ("content-length", &[]),
    ("content-md5", &["PutObject", "UploadPart", "DeleteObjects"]),
    // Of other requests it tells the form of their bodies.
    ("content-type", &[]),
    ("if-none-match", &["PutObject", "CompleteMultipartUpload"]),
    ("range", &["GetObject"]),
    ("x-amz-content-sha256", &[]),
    ("x-amz-copy-source", &["CopyObject"]),
    ("x-amz-copy-source-if-match", &["CopyObject"]),
    ("x-amz-date", &[]),
    ("x-amz-decoded-content-length", &[]),
    ("x-amz-security-token", &[]),
    ("x-amz-user-agent", &[]),
];

/// The parameters that are honoured.
const HONOURED_PARAMETERS: [&str; 12] = [
    "continuation-token",
    "delete",
    "delimiter",
    "encoding-type",
    "list-type",
    "max-keys",
    "partNumber",
    "prefix",
    "start-after",
    "uploadId",
    "uploads",
    // Names the operation once more.
    "x-id",
];

/// An answer with status 403, whatever status S3 has for its code.
pub(super) fn forbidden(code: S3ErrorCode, message: &'static str) -> S3Error {
    let mut error = S3Error::with_message(code, message);
    error.set_status_code(StatusCode::FORBIDDEN);
    error
}

#[async_trait]
impl S3Auth for Handle {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        let number = CURRENT.with(|current| current.number);
        self.0.log.note(number, |request| {
            request.access_key = Some(access_key.to_owned());
        });
        self.0.credentials.secret(access_key)
    }
}

#[async_trait]
impl S3Access for Handle {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result {
        let operation = context.s3_op().name();
        let key = context.s3_path().get_object_key();
        let number = CURRENT.with(|current| current.number);
        self.0.log.note(number, |request| {
            request.operation = operation.to_owned();
            request.key = key.map(str::to_owned);
        });
        refuse_parameters(context.uri().query().unwrap_or_default())?;
        let Some(credentials) = context.credentials() else {
            return Err(s3_error!(AccessDenied, "The request is not signed."));
        };
        let session_token = text_of(context.headers(), "x-amz-security-token")?;
        let access_key = &credentials.access_key;
        self.0.credentials.check(access_key, session_token)?;
        refuse_headers(operation, context.headers())?;
        match self.0.faults.take(operation, key) {
            None => Ok(()),
            Some(Effect::LoseAnswer) => {
                CURRENT.with(|current| current.lost.set(true));
                Ok(())
            }
            Some(Effect::Answer { status, code }) => Err(injected(status, &code)),
        }
    }
}

/// The value of a header.
fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> S3Result<Option<&'a str>> {
    let value = headers.get(name).map(|value| value.to_str());
    value
        .transpose()
        .map_err(|_| s3_error!(InvalidArgument, "Header '{name}' is no text."))
}

/// Refuses what an operation would leave out of account.
fn refuse_headers(operation: &str, headers: &HeaderMap) -> S3Result {
    let meaningful = headers.keys().filter(|name| {
        let name = name.as_str();
        MEANINGFUL.iter().any(|start| name.starts_with(start))
    });
    for name in meaningful {
        let honoured = HONOURED_HEADERS.iter().any(|(honoured, by)| {
            *honoured == name.as_str() && (by.is_empty() || by.contains(&operation))
        });
        if !honoured {
            return Err(s3_error!(
                NotImplemented,
                "Header '{name}' of {operation} is not implemented."
            ));
        }
    }
    Ok(())
}

/// Refuses parameters that no operation takes, those of presigned addresses too.
fn refuse_parameters(query: &str) -> S3Result {
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let (name, _) = parameter.split_once('=').unwrap_or((parameter, ""));
        if !HONOURED_PARAMETERS.contains(&name) {
            return Err(s3_error!(
                NotImplemented,
                "Parameter '{name}' is not implemented."
            ));
        }
    }
    Ok(())
}

/// The answer of a fault.
fn injected(status: u16, code: &str) -> S3Error {
    let code = S3ErrorCode::from_bytes(code.as_bytes()).unwrap_or(S3ErrorCode::InternalError);
    let mut error = S3Error::with_message(code, "injected fault");
    error
        .set_status_code(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
    error
}
