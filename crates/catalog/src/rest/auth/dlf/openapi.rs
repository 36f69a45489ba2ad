//! HMAC-SHA1 in the style of the public API.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::fmt::rfc2822::DateTimePrinter;
use md5::{Digest, Md5};
use sha1::Sha1;

use super::super::super::encoding::decode;
use super::{Context, Headers, Outgoing, sorted_query};

const JSON: &str = "application/json";
/// The version of the public API.
pub(super) const API_VERSION: &str = "2026-01-18";

/// The headers of a request, the signature last.
pub(super) fn sign(context: &Context<'_>, request: &Outgoing<'_>) -> Headers {
    // Only years before 0 and after 9999 have no such date.
    let date = DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&context.time)
        .unwrap_or_default();
    let body = request.body.filter(|body| !body.is_empty());
    let md5 = body.map_or_else(String::new, |body| STANDARD.encode(Md5::digest(body)));
    let content_type = if body.is_some() { JSON } else { "" };

    // In the order of their names.
    let mut signed: Headers = Vec::new();
    if let Some(token) = &context.credentials.security_token {
        signed.push(("x-acs-security-token", token.clone()));
    }
    signed.push(("x-acs-signature-method", "HMAC-SHA1".to_owned()));
    signed.push(("x-acs-signature-nonce", context.nonce.to_owned()));
    signed.push(("x-acs-signature-version", "1.0".to_owned()));
    signed.push(("x-acs-version", API_VERSION.to_owned()));

    let mut text = format!(
        "{}\n{JSON}\n{md5}\n{content_type}\n{date}\n",
        request.method
    );
    for (name, value) in &signed {
        text.push_str(&format!("{name}:{}\n", value.trim()));
    }
    text.push_str(&decode(request.path));
    let query = sorted_query(request, |key, value| match value {
        "" => key.to_owned(),
        value => format!("{key}={}", decode(value)),
    });
    if !query.is_empty() {
        text.push('?');
        text.push_str(&query);
    }
    let signature = hmac_sha1(&context.credentials.access_key_secret, &text);

    let mut headers: Headers = vec![("Date", date), ("Accept", JSON.to_owned())];
    if body.is_some() {
        headers.push(("Content-MD5", md5));
        headers.push(("Content-Type", content_type.to_owned()));
    }
    headers.push(("Host", context.host.to_owned()));
    headers.extend(signed);
    let id = &context.credentials.access_key_id;
    headers.push(("Authorization", format!("acs {id}:{signature}")));
    headers
}

fn hmac_sha1(key: &str, message: &str) -> String {
    // A key of any length is one.
    Hmac::<Sha1>::new_from_slice(key.as_bytes())
        .map(|mut mac| {
            mac.update(message.as_bytes());
            STANDARD.encode(mac.finalize().into_bytes())
        })
        .unwrap_or_default()
}
