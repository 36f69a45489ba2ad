//! The store of the moment, opened with the credentials of the moment.

use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

use ftable_core::Options;
use ftable_io::{CredentialSource, FileSystem};

use super::grants::{Granted, Grants, Work};
use crate::Result;

/// A store and the credentials to use it with.
pub(super) struct Vended {
    pub(super) store: Arc<dyn FileSystem>,
    /// Which store this is.
    pub(super) store_number: u64,
    granted: Arc<Granted>,
}

/// Opens a store with options, for which the source gives later credentials.
pub(super) type Open =
    Box<dyn Fn(&Options, Arc<dyn CredentialSource>) -> Result<Arc<dyn FileSystem>> + Send + Sync>;

struct Opened {
    store: Arc<dyn FileSystem>,
    number: u64,
    options: Options,
}

/// Opens the store of a table anew when its credentials are, unless it asks for them itself.
pub(super) struct TokenSource {
    grants: Arc<Grants>,
    open: Open,
    asks_itself: bool,
    opened: Mutex<Option<Opened>>,
}

impl TokenSource {
    /// `asks_itself` is whether a store that `open` gives asks the source before each request.
    pub(super) fn new(grants: Grants, open: Open, asks_itself: bool) -> Self {
        Self {
            grants: Arc::new(grants),
            open,
            asks_itself,
            opened: Mutex::new(None),
        }
    }

    /// Whether the store renews credentials that are refused.
    pub(super) fn asks_itself(&self) -> bool {
        self.asks_itself
    }

    /// The store to use now for some work, which is an operation on a path.
    ///
    /// # Errors
    /// When there are no credentials and none can be had, or no store can be opened with them.
    pub(super) async fn store(
        &self,
        work: Work,
        operation: &'static str,
        path: &str,
    ) -> ftable_io::Result<Vended> {
        let granted = self.grants.granted(work, operation, path).await?;
        self.opened(granted, operation, path)
    }

    /// The store with other credentials than those that were refused.
    ///
    /// # Errors
    /// As for [`Self::store`].
    pub(super) async fn renew(
        &self,
        refused: &Vended,
        operation: &'static str,
        path: &str,
    ) -> ftable_io::Result<Vended> {
        let granted = self.grants.renew(&refused.granted, operation, path).await?;
        self.opened(granted, operation, path)
    }

    fn opened(
        &self,
        granted: Arc<Granted>,
        operation: &'static str,
        path: &str,
    ) -> ftable_io::Result<Vended> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let number = match &*opened {
            Some(known) if self.asks_itself || known.options == granted.options => {
                return Ok(Vended {
                    store: Arc::clone(&known.store),
                    store_number: known.number,
                    granted,
                });
            }
            Some(known) => known.number + 1,
            None => 0,
        };
        let later: Arc<dyn CredentialSource> = Arc::clone(&self.grants) as _;
        let store = (self.open)(&granted.options, later)
            .map_err(|error| self.grants.io_error(operation, path, error))?;
        *opened = Some(Opened {
            store: Arc::clone(&store),
            number,
            options: granted.options.clone(),
        });
        Ok(Vended {
            store,
            store_number: number,
            granted,
        })
    }
}

impl Debug for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSource")
            .field("grants", &self.grants)
            .finish_non_exhaustive()
    }
}
