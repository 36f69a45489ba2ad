//! Signatures of Alibaba's Data Lake Formation, in three forms.
//!
//! | option `dlf.signing-algorithm` | signature |
//! | --- | --- |
//! | `default` | DLF4-HMAC-SHA256 over method, path, query and a few headers |
//! | `openapi` | HMAC-SHA1 in the style of the public API |
//! | `openapi-v4` | ACS4-HMAC-SHA256, the hash of the body included |

mod default;
mod openapi;
mod openapi_v4;

use std::fmt;
use std::sync::Arc;

use ftable_core::Options;
use ftable_core::options::keys::{
    DLF_ACCESS_KEY_ID, DLF_ACCESS_KEY_SECRET, DLF_REGION, DLF_SECURITY_TOKEN,
    DLF_SIGNING_ALGORITHM, DLF_TOKEN_ECS_METADATA_URL, DLF_TOKEN_ECS_ROLE_NAME, DLF_TOKEN_LOADER,
    DLF_TOKEN_PATH,
};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use reqwest::header::{HeaderName, HeaderValue};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::super::base_uri::BaseUri;
use super::super::clock::Clock;
use super::super::http::{Transport, read};
use super::credentials::{CredentialSource, Credentials, LoadedCredentials};
use super::loader::{EcsLoader, FileLoader, Loader};
use super::{Outgoing, header_value};
use crate::Result;
use crate::error::{InvalidOptionSnafu, MissingOptionSnafu, UnsupportedSnafu};

/// The product that signatures name.
const PRODUCT: &str = "DlfNext";
/// The end of the scope that signatures name.
const REQUEST_TYPE: &str = "aliyun_v4_request";

/// What one signature is made of, the request aside.
struct Context<'a> {
    credentials: &'a Credentials,
    region: &'a str,
    /// Host and port of the server.
    host: &'a str,
    time: Timestamp,
    nonce: &'a str,
}

/// Headers by their names as the protocol spells them.
type Headers = Vec<(&'static str, String)>;

/// How requests are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Default,
    OpenApi,
    OpenApiV4,
}

impl Algorithm {
    /// The one that is set, else the one that the server's name tells.
    fn choose(options: &Options, base: &BaseUri) -> Result<Self> {
        match options.get_raw(DLF_SIGNING_ALGORITHM.name()) {
            Some("default") => Ok(Self::Default),
            Some("openapi") => Ok(Self::OpenApi),
            Some("openapi-v4") => Ok(Self::OpenApiV4),
            Some(other) => UnsupportedSnafu {
                what: format!("option '{}' = '{other}'", DLF_SIGNING_ALGORITHM.name()),
                reason: "there is no such way to sign",
                instead: "use default, openapi or openapi-v4",
            }
            .fail(),
            None if base.as_str().to_lowercase().contains("dlfnext") => Ok(Self::OpenApi),
            None => Ok(Self::Default),
        }
    }
}

/// Signs with a key.
#[derive(Debug)]
pub(in crate::rest) struct DlfAuth {
    source: CredentialSource,
    algorithm: Algorithm,
    region: String,
    host: String,
    clock: Clock,
    nonce: Nonce,
}

/// Makes a text that no other request has.
#[derive(Clone, Copy)]
struct Nonce(fn() -> String);

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce")
    }
}

impl DlfAuth {
    /// What the options `dlf.*` ask for.
    ///
    /// # Errors
    /// `InvalidOption` or `Unsupported` by the name of the option that is missing or cannot be honoured.
    pub(super) fn from_options(
        options: &Options,
        base: &BaseUri,
        transport: &Transport,
        clock: &Clock,
    ) -> Result<Self> {
        Ok(Self {
            source: source(options, transport, clock)?,
            algorithm: Algorithm::choose(options, base)?,
            region: region(options, base)?,
            host: base.host().to_owned(),
            clock: clock.clone(),
            nonce: Nonce(|| Uuid::new_v4().to_string()),
        })
    }

    /// The headers that sign a request.
    ///
    /// # Errors
    /// When the key cannot be had.
    pub(super) async fn headers(
        &self,
        request: &Outgoing<'_>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>> {
        let credentials = self.source.get().await?;
        let nonce = (self.nonce.0)();
        let context = Context {
            credentials: &credentials,
            region: &self.region,
            host: &self.host,
            time: self.clock.now(),
            nonce: &nonce,
        };
        let headers = match self.algorithm {
            Algorithm::Default => default::sign(&context, request),
            Algorithm::OpenApi => openapi::sign(&context, request),
            Algorithm::OpenApiV4 => openapi_v4::sign(&context, request),
        };
        headers
            .into_iter()
            .map(|(name, value)| {
                let value = header_value(DLF_ACCESS_KEY_ID.name(), &value)?;
                Ok((name.to_ascii_lowercase(), value))
            })
            .map(|header: Result<_>| {
                let (name, value) = header?;
                match HeaderName::from_bytes(name.as_bytes()) {
                    Ok(name) => Ok((name, value)),
                    Err(_) => InvalidOptionSnafu {
                        key: DLF_SIGNING_ALGORITHM.name(),
                        value: name,
                        message: "HTTP cannot carry this header",
                    }
                    .fail(),
                }
            })
            .collect()
    }

    /// Everything that must not be shown.
    pub(super) fn secrets(&self) -> Vec<String> {
        self.source.secrets()
    }
}

/// Where the key comes from: a loader, a file or the options, in this order.
fn source(options: &Options, transport: &Transport, clock: &Clock) -> Result<CredentialSource> {
    let set = |key: &str| {
        let value = options.get_raw(key)?;
        (!value.trim().is_empty()).then(|| value.to_owned())
    };
    let loaded = |loader: Box<dyn Loader>| {
        Ok(CredentialSource::Loaded(LoadedCredentials::new(
            loader,
            clock.clone(),
        )))
    };
    let path = set(DLF_TOKEN_PATH.name());
    match (set(DLF_TOKEN_LOADER.name()).as_deref(), path) {
        (Some("ecs"), _) => loaded(Box::new(EcsLoader {
            transport: transport.clone(),
            url: read(options, &DLF_TOKEN_ECS_METADATA_URL)?,
            role: set(DLF_TOKEN_ECS_ROLE_NAME.name()),
        })),
        (Some("local_file") | None, Some(path)) => loaded(Box::new(FileLoader { path })),
        (Some("local_file"), None) => MissingOptionSnafu {
            key: DLF_TOKEN_PATH.name(),
            message: "dlf.token-loader local_file needs it; set it to the file with the key",
        }
        .fail(),
        (Some(other), _) => UnsupportedSnafu {
            what: format!("option '{}' = '{other}'", DLF_TOKEN_LOADER.name()),
            reason: "there is no loader of that name",
            instead: "use ecs or local_file",
        }
        .fail(),
        (None, None) => {
            let key = set(DLF_ACCESS_KEY_ID.name()).zip(set(DLF_ACCESS_KEY_SECRET.name()));
            let Some((access_key_id, access_key_secret)) = key else {
                return MissingOptionSnafu {
                    key: DLF_ACCESS_KEY_ID.name(),
                    message: "token.provider dlf needs a key: set dlf.token-path, or dlf.access-key-id and dlf.access-key-secret, or dlf.token-loader",
                }
                .fail();
            };
            Ok(CredentialSource::Static(Arc::new(Credentials {
                access_key_id,
                access_key_secret,
                security_token: set(DLF_SECURITY_TOKEN.name()),
                expires_at_millis: None,
            })))
        }
    }
}

/// The region that is set, else the first words of the URI that look like one: `cn-hangzhou`, `us-east-1`.
fn region(options: &Options, base: &BaseUri) -> Result<String> {
    let set = options.get_raw(DLF_REGION.name()).map(str::trim);
    if let Some(region) = set.filter(|region| !region.is_empty()) {
        return Ok(region.to_owned());
    }
    match region_in(base.as_str()) {
        Some(region) => Ok(region),
        None => MissingOptionSnafu {
            key: DLF_REGION.name(),
            message: "option 'uri' names no region; set it, such as cn-hangzhou",
        }
        .fail(),
    }
}

/// The first match of `(?:pre-)?([a-z]+-[a-z]+(?:-\d+)?)`.
fn region_in(uri: &str) -> Option<String> {
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase());
    let bytes = uri.as_bytes();
    for start in 0..bytes.len() {
        // A match begins as far left as one can.
        let rest = uri.get(start..).unwrap_or_default();
        let after_pre = rest.strip_prefix("pre-");
        for candidate in after_pre.into_iter().chain([rest]) {
            let first = lowercase_run(candidate);
            let Some(second) = candidate
                .get(first.len()..)
                .and_then(|rest| rest.strip_prefix('-'))
                .map(lowercase_run)
            else {
                continue;
            };
            if !is_word(first) || !is_word(second) {
                continue;
            }
            let mut region = format!("{first}-{second}");
            let digits = candidate
                .get(region.len()..)
                .and_then(|rest| rest.strip_prefix('-'))
                .map(digit_run)
                .unwrap_or_default();
            if !digits.is_empty() {
                region = format!("{region}-{digits}");
            }
            return Some(region);
        }
    }
    None
}

fn lowercase_run(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_lowercase());
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

fn digit_run(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// `20260822T010203Z` or another form of a time in UTC.
fn utc(time: Timestamp, format: &str) -> String {
    time.strftime(format).to_string()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hmac_sha256(key: &[u8], message: &str) -> Vec<u8> {
    // A key of any length is one.
    Hmac::<Sha256>::new_from_slice(key)
        .map(|mut mac| {
            mac.update(message.as_bytes());
            mac.finalize().into_bytes().to_vec()
        })
        .unwrap_or_default()
}

/// The scope of a signature: `yyyyMMdd/region/DlfNext/aliyun_v4_request`.
fn scope(context: &Context<'_>) -> String {
    let date = utc(context.time, "%Y%m%d");
    format!("{date}/{}/{PRODUCT}/{REQUEST_TYPE}", context.region)
}

/// The signature of a text with a key that is derived from the secret, the day and the scope.
fn sign_v4(context: &Context<'_>, string_to_sign: &str) -> String {
    let secret = format!("aliyun_v4{}", context.credentials.access_key_secret);
    let date = utc(context.time, "%Y%m%d");
    let mut key = secret.into_bytes();
    for part in [date.as_str(), context.region, PRODUCT, REQUEST_TYPE] {
        key = hmac_sha256(&key, part);
    }
    hex(&hmac_sha256(&key, string_to_sign))
}

/// The query, sorted by key, each pair spelled by `spell`.
fn sorted_query(request: &Outgoing<'_>, spell: impl Fn(&str, &str) -> String) -> String {
    let mut pairs: Vec<_> = request
        .query
        .iter()
        .map(|(key, value)| (*key, value.as_str()))
        .collect();
    pairs.sort_unstable();
    let spelled: Vec<_> = pairs.iter().map(|(key, value)| spell(key, value)).collect();
    spelled.join("&")
}

#[cfg(test)]
mod tests;
