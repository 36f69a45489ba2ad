//! Where the server answers.

use ftable_core::options::keys::URI;
use reqwest::Url;

use crate::Result;
use crate::error::InvalidOptionSnafu;

/// The URI that the paths of requests are appended to, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BaseUri(String);

impl BaseUri {
    /// Reads option `uri`.
    ///
    /// White space around it and slashes at its end do not count; without `http://` or `https://`
    /// it is `http://`; a path in it is kept.
    ///
    /// # Errors
    /// `InvalidOption` for an empty text, another scheme, and what a base cannot have: credentials,
    /// a query, a fragment.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        let (scheme, rest) = trimmed.split_once("://").unwrap_or(("http", trimmed));
        let rest = rest.trim_end_matches('/');
        if rest.is_empty() {
            return refuse(text, "it is empty; set it to the address of the server");
        }
        if !is_http(scheme) {
            return refuse(text, "use a URI that begins with http:// or https://");
        }
        let whole = format!("{scheme}://{rest}");
        let Ok(url) = Url::parse(&whole) else {
            // Not repeated: what cannot be read may hold a password.
            return refuse("…", "it is not a URI; write https://host:port");
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse(
                "…",
                "it holds a user or a password; leave them out and use token.provider",
            );
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse(text, "it has a query or a fragment; end it with the path");
        }
        if whole.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
            return refuse(text, "it holds a blank, a backslash or a control character");
        }
        Ok(Self(whole))
    }

    /// The text, scheme included.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// What follows the scheme up to the first slash, the port included.
    pub(super) fn host(&self) -> &str {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        rest.split('/').next().unwrap_or_default()
    }
}

fn is_http(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn refuse<T>(value: &str, message: &str) -> Result<T> {
    InvalidOptionSnafu {
        key: URI.name(),
        value,
        message,
    }
    .fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_normalized() {
        for (given, base, host) in [
            ("https://h:8443/dlf/", "https://h:8443/dlf", "h:8443"),
            ("h:8080", "http://h:8080", "h:8080"),
            (" http://h/ ", "http://h", "h"),
            ("https://h/x//", "https://h/x", "h"),
            ("HTTPS://h", "HTTPS://h", "h"),
            ("http://127.0.0.1:1", "http://127.0.0.1:1", "127.0.0.1:1"),
        ] {
            let uri = BaseUri::parse(given).unwrap();
            assert_eq!((uri.as_str(), uri.host()), (base, host));
        }
    }

    #[test]
    fn what_is_no_base_is_refused() {
        for given in [
            "",
            " ",
            "/",
            "ftp://h",
            "http://",
            "https://h/?a=b",
            "https://h/#x",
            "h h",
        ] {
            let error = BaseUri::parse(given).unwrap_err();
            assert!(error.to_string().contains("option 'uri'"), "{error}");
        }
    }

    #[test]
    fn credentials_in_the_uri_are_refused_and_not_repeated() {
        let error = BaseUri::parse("https://ann:hunter2@h").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert!(error.to_string().contains("password"), "{error}");
    }
}
