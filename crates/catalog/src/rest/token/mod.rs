//! The store of a table whose credentials the server gives: it is opened anew whenever they are.

mod file_system;
mod source;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ftable_core::Identifier;
use ftable_io::{FileSystem, Location};

use super::client::RestClient;
use crate::catalog::open_vended_store;

use file_system::TokenFileSystem;
use source::{RestTokens, TokenSource};

/// The store of a table at a location, with credentials that are asked for when they are first needed and
/// renewed before they expire.
///
/// `plain` is the store as it is without them; it can do the same things.
pub(super) fn vended_store(
    client: &RestClient,
    table: Identifier,
    location: &Location,
    plain: &dyn FileSystem,
) -> Arc<dyn FileSystem> {
    let tokens = RestTokens::new(client.clone(), table.clone());
    let location = location.clone();
    let open = Box::new(move |options: &_, later| open_vended_store(&location, options, later));
    let source = TokenSource::new(
        table.to_string(),
        Box::new(tokens),
        open,
        client.clock().clone(),
    );
    Arc::new(TokenFileSystem::new(source, plain.capabilities()))
}
