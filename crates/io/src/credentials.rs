//! Credentials of a store that are replaced while it is used.

use std::fmt::Debug;

use async_trait::async_trait;
use ftable_core::Options;

use crate::error::Result;

/// Gives the options of a store with the credentials of the moment. It is asked before every request, so what is begun
/// with some credentials, as writing a file, goes on with later ones.
#[async_trait]
pub trait CredentialSource: Send + Sync + Debug {
    /// Options whose credentials are good for a while.
    ///
    /// # Errors
    /// When there are none.
    async fn options(&self) -> Result<Options>;

    /// Other options than those, which the store has refused: fetched now unless that was done meanwhile.
    ///
    /// # Errors
    /// When there are none.
    async fn renew(&self, refused: &Options) -> Result<Options>;
}
