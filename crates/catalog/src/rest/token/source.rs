//! Credentials of a table's files, and when they are renewed.

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use ftable_core::options::keys::{DLF_OSS_ENDPOINT, FILE_IO_ALLOW_CACHE};
use ftable_core::{ErrorKind, Identifier, Options};
use ftable_io::{CredentialSource, FileSystem};
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

/// A file that is to be written is begun with credentials that have half of their life before them, or an hour: it
/// keeps them until it is done.
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

/// A store and the credentials it was opened with.
pub(super) struct Vended {
    pub(super) store: Arc<dyn FileSystem>,
    /// Which store this is: new credentials make a new one.
    pub(super) store_number: u64,
    /// How often credentials were fetched.
    pub(super) fetch_number: u64,
    options: Options,
    expires_at_millis: Option<i64>,
    /// How long they live from when they were fetched, which is less each time for a server that gives the same
    /// ones again: so it is not asked at every call.
    life_millis: i64,
    /// No renewal before this time, after one that failed.
    renew_not_before: AtomicI64,
}

impl Vended {
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

/// Opens a store with options, for which the source gives later credentials.
pub(super) type Open =
    Box<dyn Fn(&Options, Arc<dyn CredentialSource>) -> Result<Arc<dyn FileSystem>> + Send + Sync>;

/// The credentials of one table, for all who use its files.
pub(super) struct TokenSource {
    table: String,
    tokens: Box<dyn Tokens>,
    open: Open,
    clock: Clock,
    current: Mutex<Option<Arc<Vended>>>,
    /// Locked while credentials are fetched: one asks for all.
    fetching: AsyncMutex<()>,
    /// For the stores, which it holds and which do not hold it.
    itself: Weak<Self>,
}

impl TokenSource {
    pub(super) fn new(
        table: String,
        tokens: Box<dyn Tokens>,
        open: Open,
        clock: Clock,
    ) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            table,
            tokens,
            open,
            clock,
            current: Mutex::new(None),
            fetching: AsyncMutex::new(()),
            itself: Weak::clone(itself),
        })
    }

    fn current(&self) -> Option<Arc<Vended>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    /// The store to use now for some work, which is an operation on a path.
    ///
    /// # Errors
    /// When there are no credentials and none can be had.
    pub(super) async fn store(
        &self,
        work: Work,
        operation: &'static str,
        path: &str,
    ) -> ftable_io::Result<Arc<Vended>> {
        let known = self.current();
        let now = self.clock.millis();
        match &known {
            Some(known) if !known.is_due(now, work) => return Ok(Arc::clone(known)),
            Some(known) if known.is_valid(now) => return Ok(self.renew_early(known, now).await),
            _ => {}
        }
        let fetched = known.map(|known| known.fetch_number);
        self.renewed(fetched)
            .await
            .map_err(|error| self.io_error(operation, path, error))
    }

    /// The store with other credentials than those that were refused.
    ///
    /// # Errors
    /// When none can be had.
    pub(super) async fn renew(
        &self,
        refused: &Vended,
        operation: &'static str,
        path: &str,
    ) -> ftable_io::Result<Arc<Vended>> {
        self.renewed(Some(refused.fetch_number))
            .await
            .map_err(|error| self.io_error(operation, path, error))
    }

    /// Renews credentials that are valid still: whoever comes meanwhile uses them, and so does everyone when the
    /// renewal fails.
    async fn renew_early(&self, known: &Arc<Vended>, now: i64) -> Arc<Vended> {
        let Ok(_fetching) = self.fetching.try_lock() else {
            return Arc::clone(known);
        };
        // Someone may have been faster.
        if let Some(current) = self.current()
            && current.fetch_number != known.fetch_number
        {
            return current;
        }
        if now < known.renew_not_before.load(Ordering::SeqCst) {
            return Arc::clone(known);
        }
        match self.fetch(Some(known)).await {
            Ok(vended) => vended,
            Err(_) => {
                known.pause(self.clock.millis());
                Arc::clone(known)
            }
        }
    }

    /// Credentials fetched after those that are known to be no good.
    async fn renewed(&self, known: Option<u64>) -> Result<Arc<Vended>> {
        let _fetching = self.fetching.lock().await;
        let current = self.current();
        match current {
            Some(current) if Some(current.fetch_number) != known => Ok(current),
            current => self.fetch(current.as_ref()).await,
        }
    }

    /// Fetches credentials and opens a store with them, unless they are the same as before.
    async fn fetch(&self, before: Option<&Arc<Vended>>) -> Result<Arc<Vended>> {
        let token = self.tokens.fetch().await?;
        let now = self.clock.millis();
        let life = token
            .expires_at_millis
            .map_or(i64::MAX, |expires| expires.saturating_sub(now));
        let (store, store_number) = match before {
            Some(before) if before.options == token.options => {
                (Arc::clone(&before.store), before.store_number)
            }
            _ => {
                let number = before.map_or(0, |before| before.store_number + 1);
                let later = Arc::new(Later {
                    source: Weak::clone(&self.itself),
                });
                ((self.open)(&token.options, later)?, number)
            }
        };
        let vended = Arc::new(Vended {
            store,
            store_number,
            fetch_number: before.map_or(0, |before| before.fetch_number + 1),
            options: token.options,
            expires_at_millis: token.expires_at_millis,
            life_millis: life,
            renew_not_before: AtomicI64::new(i64::MIN),
        });
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::clone(&vended));
        Ok(vended)
    }

    /// The error of a store whose credentials cannot be had. It is never "not found": that would read as a
    /// directory without files.
    fn io_error(&self, operation: &'static str, path: &str, error: Error) -> ftable_io::Error {
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

/// The credentials of the moment for a store that asks before each request.
#[derive(Debug)]
struct Later {
    source: Weak<TokenSource>,
}

impl Later {
    const OPERATION: &str = "sign a request to";

    fn source(&self) -> ftable_io::Result<Arc<TokenSource>> {
        self.source
            .upgrade()
            .ok_or_else(|| ftable_io::Error::Store {
                operation: Self::OPERATION,
                path: "/".to_owned(),
                reason: "the table has been closed".to_owned(),
                kind: ErrorKind::InvalidArgument,
                source: "its credentials are gone".into(),
            })
    }
}

#[async_trait]
impl CredentialSource for Later {
    async fn options(&self) -> ftable_io::Result<Options> {
        let source = self.source()?;
        let vended = source.store(Work::Call, Self::OPERATION, "/").await?;
        Ok(vended.options.clone())
    }

    async fn renew(&self, refused: &Options) -> ftable_io::Result<Options> {
        let source = self.source()?;
        let vended = match source.current() {
            Some(current) if current.options == *refused => {
                source.renew(&current, Self::OPERATION, "/").await?
            }
            _ => source.store(Work::Call, Self::OPERATION, "/").await?,
        };
        Ok(vended.options.clone())
    }
}

impl Debug for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSource")
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
