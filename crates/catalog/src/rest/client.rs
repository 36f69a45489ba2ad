//! One server and what it said about its catalog; all parts of a catalog share it.

use std::sync::Arc;

use ftable_core::Options;
use ftable_core::options::keys::{
    DATA_TOKEN_ENABLED, DLF_TOKEN_ECS_METADATA_URL, DLF_TOKEN_LOADER, PREFIX, URI,
};

use super::auth::Auth;
use super::base_uri::BaseUri;
use super::clock::Clock;
use super::config::merged_options;
use super::http::{HttpClient, RetryPolicy, Timeouts, Transport, read};
use super::paths::Paths;
use crate::Result;
use crate::error::MissingOptionSnafu;

/// A server whose configuration is known.
///
/// Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct RestClient {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    http: HttpClient,
    paths: Paths,
    options: Options,
    vends_credentials: bool,
    clock: Clock,
}

impl RestClient {
    /// Asks the server that the options name for its configuration.
    ///
    /// The server, the signatures and the limits stay as the options of the client say; headers and all
    /// else follow the merged options.
    ///
    /// # Errors
    /// `InvalidOption` for an option that is missing or cannot be honoured, and when the server does not answer.
    pub(super) async fn connect(options: Options, clock: Clock) -> Result<Self> {
        let Some(uri) = options.get_raw(URI.name()) else {
            return MissingOptionSnafu {
                key: URI.name(),
                message: "set it to the address of the server of the REST catalog, such as https://host:port",
            }
            .fail();
        };
        let base = BaseUri::parse(uri)?;
        let transport = Transport::new(
            needs_tls(&base, &options)?,
            &Timeouts::from_options(&options)?,
            RetryPolicy::from_options(&options)?,
            clock.clone(),
        )?;
        let auth = Arc::new(Auth::from_options(&options, &base, &transport, &clock)?);
        let http = HttpClient::new(transport.clone(), base.clone(), Arc::clone(&auth), &options)?;
        let merged = merged_options(&http, &options).await?;
        let headers = merged.merged_over(&options);
        Ok(Self {
            inner: Arc::new(Inner {
                http: HttpClient::new(transport, base, auth, &headers)?,
                paths: Paths::new(merged.get_raw(PREFIX.name()))?,
                vends_credentials: read(&merged, &DATA_TOKEN_ENABLED)?,
                options: merged,
                clock,
            }),
        })
    }

    pub(super) fn http(&self) -> &HttpClient {
        &self.inner.http
    }

    pub(super) fn paths(&self) -> &Paths {
        &self.inner.paths
    }

    /// The merged options.
    pub(super) fn options(&self) -> &Options {
        &self.inner.options
    }

    /// Whether the server gives credentials for the files of its own tables.
    pub(super) fn vends_credentials(&self) -> bool {
        self.inner.vends_credentials
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.inner.clock
    }
}

/// Whether anything is asked over TLS.
fn needs_tls(base: &BaseUri, options: &Options) -> Result<bool> {
    let secure = |uri: &str| uri.to_ascii_lowercase().starts_with("https://");
    let metadata = match options.get_raw(DLF_TOKEN_LOADER.name()) {
        Some("ecs") => read(options, &DLF_TOKEN_ECS_METADATA_URL)?,
        _ => String::new(),
    };
    Ok(secure(base.as_str()) || secure(&metadata))
}
