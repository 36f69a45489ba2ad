//! Credentials of a table's files, and when they are renewed.

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ftable_core::options::keys::{DLF_OSS_ENDPOINT, FILE_IO_ALLOW_CACHE};
use ftable_core::{ErrorKind, Identifier, Options};
use ftable_io::CredentialSource;
use tokio::sync::Mutex as AsyncMutex;

use super::super::client::RestClient;
use super::super::clock::Clock;
use super::super::http::Request;
use super::super::models::TokenAnswer;
use super::super::refusal::{Subject, explain};
use crate::{Error, Result};

/// Credentials are renewed in the last tenth of their life, and at the earliest an hour before its end: one
/// that lives an hour is not renewed at every call.
const MAX_MARGIN_MILLIS: i64 = 3_600_000;

/// A file that is to be written is begun with credentials that have half of their life before them, or an hour: in a
/// store that does not ask for later ones it keeps them until it is done.
const MAX_WRITER_MARGIN_MILLIS: i64 = 3_600_000;

/// After a renewal that failed the next one waits for so long, or for half of what is left if that is less.
const MAX_PAUSE_MILLIS: i64 = 30_000;

/// The endpoint in the credentials of OSS.
const OSS_ENDPOINT: &str = "fs.oss.endpoint";

/// Credentials as options of a store.
pub(super) struct Token {
    pub(super) options: Options,
    /// Milliseconds since the epoch; none where the server does not say.
    pub(super) expires_at_millis: Option<i64>,
}

/// Gives credentials.
#[async_trait]
pub(super) trait Tokens: Debug + Send + Sync {
    /// New ones.
    ///
    /// # Errors
    /// When there are none.
    async fn fetch(&self) -> Result<Token>;
}

/// Credentials from the server of a REST catalog.
#[derive(Debug)]
pub(super) struct RestTokens {
    client: RestClient,
    table: Identifier,
}

impl RestTokens {
    pub(super) fn new(client: RestClient, table: Identifier) -> Self {
        Self { client, table }
    }
}

#[async_trait]
impl Tokens for RestTokens {
    async fn fetch(&self) -> Result<Token> {
        let request = Request::get("GetTableToken", self.client.paths().token(&self.table)?);
        let answer = self.client.http().ask::<TokenAnswer>(&request).await;
        let answer = answer.map_err(explain(Subject::Table(&self.table)))?;
        Ok(Token {
            expires_at_millis: answer.expires_at_millis(),
            options: overlay(self.client.options(), &answer.token),
        })
    }
}

/// The options of a store: those of the catalog, over them the credentials.
fn overlay(catalog: &Options, token: &Options) -> Options {
    let mut options = token.merged_over(catalog);
    let endpoint = catalog.get_raw(DLF_OSS_ENDPOINT.name());
    if let Some(endpoint) = endpoint.filter(|endpoint| !endpoint.is_empty()) {
        options.set(OSS_ENDPOINT, endpoint);
    }
    options.set(FILE_IO_ALLOW_CACHE.name(), "false");
    options
}

/// What credentials are used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A call that is over soon, or can be done again.
    Call,
    /// A file that is written for as long as it takes.
    Write,
}

/// Credentials as they were fetched.
pub(super) struct Granted {
    pub(super) options: Options,
    /// How often credentials were fetched before.
    number: u64,
    expires_at_millis: Option<i64>,
    /// How long they live from when they were fetched, which is less each time for a server that gives the same
    /// ones again: so it is not asked at every call.
    life_millis: i64,
    /// No renewal before this time, after one that failed.
    renew_not_before: AtomicI64,
}

impl Granted {
    fn is_valid(&self, now: i64) -> bool {
        self.expires_at_millis.is_none_or(|expires| now < expires)
    }

    /// Whether they are to be renewed before they are used for `work`.
    fn is_due(&self, now: i64, work: Work) -> bool {
        let margin = match work {
            Work::Call => (self.life_millis / 10).min(MAX_MARGIN_MILLIS),
            Work::Write => (self.life_millis / 2).min(MAX_WRITER_MARGIN_MILLIS),
        };
        self.expires_at_millis
            .is_some_and(|expires| expires.saturating_sub(now) < margin)
    }

    fn pause(&self, now: i64) {
        let left = self
            .expires_at_millis
            .unwrap_or(i64::MAX)
            .saturating_sub(now);
        let pause = (left / 2).min(MAX_PAUSE_MILLIS);
        self.renew_not_before
            .store(now.saturating_add(pause), Ordering::SeqCst);
    }
}

/// The credentials of one table, for all who use its files.
pub(super) struct Grants {
    table: String,
    tokens: Box<dyn Tokens>,
    clock: Clock,
    current: Mutex<Option<Arc<Granted>>>,
    /// Locked while credentials are fetched: one asks for all.
    fetching: AsyncMutex<()>,
}

impl Grants {
    pub(super) fn new(table: String, tokens: Box<dyn Tokens>, clock: Clock) -> Self {
        Self {
            table,
            tokens,
            clock,
            current: Mutex::new(None),
            fetching: AsyncMutex::new(()),
        }
    }

    fn current(&self) -> Option<Arc<Granted>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    /// The credentials to use now for some work, which is an operation on a path.
    ///
    /// # Errors
    /// When there are none and none can be had.
    pub(super) async fn granted(
        &self,
        work: Work,
        operation: &'static str,
        path: &str,
    ) -> ftable_io::Result<Arc<Granted>> {
        let known = self.current();
        let now = self.clock.millis();
        match &known {
            Some(known) if !known.is_due(now, work) => return Ok(Arc::clone(known)),
            Some(known) if known.is_valid(now) => return Ok(self.renew_early(known, now).await),
            _ => {}
        }
        let fetched = known.map(|known| known.number);
        self.renewed(fetched)
            .await
            .map_err(|error| self.io_error(operation, path, error))
    }

    /// Other credentials than those that were refused.
    ///
    /// # Errors
    /// When none can be had.
    pub(super) async fn renew(
        &self,
        refused: &Granted,
        operation: &'static str,
        path: &str,
    ) -> ftable_io::Result<Arc<Granted>> {
        self.renewed(Some(refused.number))
            .await
            .map_err(|error| self.io_error(operation, path, error))
    }

    /// Renews credentials that are valid still: whoever comes meanwhile uses them, and so does everyone when the
    /// renewal fails.
    async fn renew_early(&self, known: &Arc<Granted>, now: i64) -> Arc<Granted> {
        let Ok(_fetching) = self.fetching.try_lock() else {
            return Arc::clone(known);
        };
        // Someone may have been faster.
        if let Some(current) = self.current()
            && current.number != known.number
        {
            return current;
        }
        if now < known.renew_not_before.load(Ordering::SeqCst) {
            return Arc::clone(known);
        }
        match self.fetch(Some(known)).await {
            Ok(granted) => granted,
            Err(_) => {
                known.pause(self.clock.millis());
                Arc::clone(known)
            }
        }
    }

    /// Credentials fetched after those that are known to be no good.
    async fn renewed(&self, known: Option<u64>) -> Result<Arc<Granted>> {
        let _fetching = self.fetching.lock().await;
        let current = self.current();
        match current {
            Some(current) if Some(current.number) != known => Ok(current),
            current => self.fetch(current.as_ref()).await,
        }
    }

    async fn fetch(&self, before: Option<&Arc<Granted>>) -> Result<Arc<Granted>> {
        let token = self.tokens.fetch().await?;
        let now = self.clock.millis();
        let life = token
            .expires_at_millis
            .map_or(i64::MAX, |expires| expires.saturating_sub(now));
        let granted = Arc::new(Granted {
            options: token.options,
            number: before.map_or(0, |before| before.number + 1),
            expires_at_millis: token.expires_at_millis,
            life_millis: life,
            renew_not_before: AtomicI64::new(i64::MIN),
        });
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::clone(&granted));
        Ok(granted)
    }

    /// The error of a store whose credentials cannot be had. It is never "not found": that would read as a
    /// directory without files.
    pub(super) fn io_error(
        &self,
        operation: &'static str,
        path: &str,
        error: Error,
    ) -> ftable_io::Error {
        let kind = match error.kind() {
            ErrorKind::NotFound | ErrorKind::AlreadyExists => ErrorKind::PermissionDenied,
            kind => kind,
        };
        ftable_io::Error::Store {
            operation,
            path: path.to_owned(),
            reason: format!("no credentials for the files of table {}", self.table),
            kind,
            source: Box::new(error),
        }
    }
}

const SIGNING: &str = "sign a request to";

/// For a store that asks before each request.
#[async_trait]
impl CredentialSource for Grants {
    async fn options(&self) -> ftable_io::Result<Options> {
        let granted = self.granted(Work::Call, SIGNING, "/").await?;
        Ok(granted.options.clone())
    }

    async fn renew(&self, refused: &Options) -> ftable_io::Result<Options> {
        let granted = match self.current() {
            Some(current) if current.options == *refused => {
                Self::renew(self, &current, SIGNING, "/").await?
            }
            _ => self.granted(Work::Call, SIGNING, "/").await?,
        };
        Ok(granted.options.clone())
    }
}

impl Debug for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grants")
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn credentials_lie_over_the_options_of_the_catalog() {
        let catalog = Options::from([("a", "1"), ("fs.oss.accessKeyId", "own")]);
        let token = Options::from([("fs.oss.accessKeyId", "STS.x"), ("fs.oss.endpoint", "e")]);
        assert_eq!(
            overlay(&catalog, &token),
            Options::from([
                ("a", "1"),
                ("fs.oss.accessKeyId", "STS.x"),
                ("fs.oss.endpoint", "e"),
                ("file-io.allow-cache", "false"),
            ])
        );
        let catalog = Options::from([("dlf.oss-endpoint", "mine")]);
        let overlaid = overlay(&catalog, &token);
        assert_eq!(overlaid.get_raw("fs.oss.endpoint"), Some("mine"));
        let catalog = Options::from([("dlf.oss-endpoint", "")]);
        let overlaid = overlay(&catalog, &token);
        assert_eq!(overlaid.get_raw("fs.oss.endpoint"), Some("e"));
    }
}
