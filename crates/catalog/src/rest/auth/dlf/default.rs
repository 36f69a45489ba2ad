//! DLF4-HMAC-SHA256.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};

use super::{Context, Headers, Outgoing, scope, sha256_hex, sign_v4, sorted_query, utc};

const ALGORITHM: &str = "DLF4-HMAC-SHA256";
/// What stands for the hash of the body.
const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// The headers of a request, the signature last.
pub(super) fn sign(context: &Context<'_>, request: &Outgoing<'_>) -> Headers {
    let date_time = utc(context.time, "%Y%m%dT%H%M%SZ");
    // All of them are signed, in this order, which is that of their names.
    let mut headers: Headers = Vec::new();
    if let Some(body) = request.body.filter(|body| !body.is_empty()) {
        headers.push(("Content-MD5", STANDARD.encode(Md5::digest(body))));
        headers.push(("Content-Type", "application/json".to_owned()));
    }
    headers.push(("x-dlf-content-sha256", UNSIGNED.to_owned()));
    headers.push(("x-dlf-date", date_time.clone()));
    if let Some(token) = &context.credentials.security_token {
        headers.push(("x-dlf-security-token", token.clone()));
    }
    headers.push(("x-dlf-version", "v1".to_owned()));

    let query = sorted_query(request, |key, value| match value {
        "" => key.to_owned(),
        value => format!("{key}={value}"),
    });
    let mut canonical = format!("{}\n{}\n{query}\n", request.method, request.path);
    for (name, value) in &headers {
        canonical.push_str(&format!("{}:{}\n", name.to_lowercase(), value.trim()));
    }
    canonical.push_str(UNSIGNED);

    let scope = scope(context);
    let hash = sha256_hex(canonical.as_bytes());
    let signature = sign_v4(
        context,
        &format!("{ALGORITHM}\n{date_time}\n{scope}\n{hash}"),
    );
    let id = &context.credentials.access_key_id;
    headers.push((
        "Authorization",
        format!("{ALGORITHM} Credential={id}/{scope},Signature={signature}"),
    ));
    headers
}
