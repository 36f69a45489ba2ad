//! The store of a table whose credentials the server gives: it is opened anew whenever they are.

mod file_system;
mod grants;
mod source;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ftable_core::Identifier;
use ftable_io::{FileSystem, Location, asks_for_credentials};

use super::client::RestClient;
use crate::catalog::open_vended_store;

use file_system::TokenFileSystem;
use grants::{Grants, RestTokens};
use source::TokenSource;

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
    let asks_itself = asks_for_credentials(location);
    let location = location.clone();
    let open = Box::new(move |options: &_, later| open_vended_store(&location, options, later));
    let grants = Grants::new(table.to_string(), Box::new(tokens), client.clock().clone());
    let source = TokenSource::new(grants, open, asks_itself);
    Arc::new(TokenFileSystem::new(Arc::new(source), plain.capabilities()))
}
