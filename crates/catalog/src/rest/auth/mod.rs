//! Who sends a request: the headers that prove it.

mod credentials;
mod dlf;
mod loader;

#[cfg(test)]
mod tests;

use std::fmt;

use ftable_core::Options;
use ftable_core::options::keys::{TOKEN, TOKEN_PROVIDER};
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use snafu::ensure;

use super::base_uri::BaseUri;
use super::clock::Clock;
use super::http::Transport;
use crate::Result;
use crate::error::{InvalidOptionSnafu, MissingOptionSnafu, UnsupportedSnafu};

use dlf::DlfAuth;

/// What is signed of a request.
pub(super) struct Outgoing<'a> {
    pub(super) method: &'a str,
    /// The path from `/v1` on, encoded as it is sent.
    pub(super) path: &'a str,
    /// Keys, and values encoded as they are sent.
    pub(super) query: &'a [(&'a str, String)],
    pub(super) body: Option<&'a [u8]>,
    /// The name of the operation.
    pub(super) action: &'a str,
}

/// How requests are signed.
pub(super) enum Auth {
    /// With a token as it is.
    Bearer {
        /// The header.
        header: HeaderValue,
        /// The token.
        token: String,
    },
    /// With a signature by a key.
    Dlf(DlfAuth),
}

impl Auth {
    /// What option `token.provider` asks for.
    ///
    /// # Errors
    /// `InvalidOption` or `Unsupported` by the name of the option that is missing or cannot be honoured.
    pub(super) fn from_options(
        options: &Options,
        base: &BaseUri,
        transport: &Transport,
        clock: &Clock,
    ) -> Result<Self> {
        match options.get_raw(TOKEN_PROVIDER.name()) {
            Some("bear") => Self::bearer(options.get_raw(TOKEN.name())),
            Some("dlf") => DlfAuth::from_options(options, base, transport, clock).map(Self::Dlf),
            Some(other) => UnsupportedSnafu {
                what: format!("option '{}' = '{other}'", TOKEN_PROVIDER.name()),
                reason: "there is no provider of that name",
                instead: "use bear or dlf",
            }
            .fail(),
            // Java asks for the provider here too; there is but one that a token can be for.
            None if options.contains(TOKEN.name()) => Self::bearer(options.get_raw(TOKEN.name())),
            None => MissingOptionSnafu {
                key: TOKEN_PROVIDER.name(),
                message: "set it to bear, with option 'token', or to dlf",
            }
            .fail(),
        }
    }

    fn bearer(token: Option<&str>) -> Result<Self> {
        let Some(token) = token.filter(|token| !token.trim().is_empty()) else {
            return MissingOptionSnafu {
                key: TOKEN.name(),
                message: "token.provider bear needs it; set it to the bearer token",
            }
            .fail();
        };
        let header = HeaderValue::from_str(&format!("Bearer {token}")).ok();
        match header.filter(|_| !token.chars().any(char::is_control)) {
            Some(mut header) => {
                header.set_sensitive(true);
                Ok(Self::Bearer {
                    header,
                    token: token.to_owned(),
                })
            }
            None => InvalidOptionSnafu {
                key: TOKEN.name(),
                value: "******",
                message: "it holds a line end or another control character; set it to the token alone",
            }
            .fail(),
        }
    }

    /// The headers that sign a request.
    ///
    /// # Errors
    /// When the key cannot be had.
    pub(super) async fn headers(
        &self,
        request: &Outgoing<'_>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>> {
        match self {
            Self::Bearer { header, .. } => Ok(vec![(AUTHORIZATION, header.clone())]),
            Self::Dlf(dlf) => dlf.headers(request).await,
        }
    }

    /// Everything that must not be shown.
    pub(super) fn secrets(&self) -> Vec<String> {
        match self {
            Self::Bearer { token, .. } => vec![token.clone()],
            Self::Dlf(dlf) => dlf.secrets(),
        }
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bearer { .. } => f.write_str("Bearer(******)"),
            Self::Dlf(dlf) => dlf.fmt(f),
        }
    }
}

/// Refuses what a header cannot carry, without showing it.
fn header_value(name: &str, value: &str) -> Result<HeaderValue> {
    let parsed = HeaderValue::from_str(value).ok();
    ensure!(
        parsed.is_some(),
        InvalidOptionSnafu {
            key: name,
            value: "******",
            message: "HTTP cannot carry it in a header; is there a line end in the key or its id?",
        }
    );
    let mut value = parsed.unwrap_or_else(|| HeaderValue::from_static(""));
    value.set_sensitive(true);
    Ok(value)
}
