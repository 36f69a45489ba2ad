//! ACS4-HMAC-SHA256.

use super::openapi::API_VERSION;
use super::{Context, Headers, Outgoing, scope, sha256_hex, sign_v4, sorted_query, utc};

const ALGORITHM: &str = "ACS4-HMAC-SHA256";

/// The headers of a request, the signature last.
pub(super) fn sign(context: &Context<'_>, request: &Outgoing<'_>) -> Headers {
    let body = request.body.filter(|body| !body.is_empty());
    let body_hash = sha256_hex(body.unwrap_or_default());
    // All of them are signed, in this order, which is that of their names.
    let mut headers: Headers = Vec::new();
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    headers.push(("host", context.host.to_owned()));
    if !request.action.is_empty() {
        headers.push(("x-acs-action", request.action.to_owned()));
    }
    headers.push(("x-acs-content-sha256", body_hash.clone()));
    headers.push(("x-acs-date", utc(context.time, "%Y-%m-%dT%H:%M:%SZ")));
    if let Some(token) = &context.credentials.security_token {
        headers.push(("x-acs-security-token", token.clone()));
    }
    headers.push(("x-acs-signature-nonce", context.nonce.to_owned()));
    headers.push(("x-acs-version", API_VERSION.to_owned()));

    let query = sorted_query(request, |key, value| format!("{key}={value}"));
    let mut canonical = format!("{}\n{}\n{query}\n", request.method, request.path);
    for (name, value) in &headers {
        canonical.push_str(&format!("{name}:{}\n", value.trim()));
    }
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    canonical.push_str(&format!("\n{names}\n{body_hash}"));

    let hash = sha256_hex(canonical.as_bytes());
    let signature = sign_v4(context, &format!("{ALGORITHM}\n{hash}"));
    let id = &context.credentials.access_key_id;
    let scope = scope(context);
    headers.push((
        "authorization",
        format!("{ALGORITHM} Credential={id}/{scope},SignedHeaders={names},Signature={signature}"),
    ));
    headers
}
