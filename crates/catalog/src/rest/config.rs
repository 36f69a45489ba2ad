//! What the server says about its catalog, and what comes of it.

use ftable_core::Options;
use ftable_core::options::keys::WAREHOUSE;

use super::http::{HttpClient, Request};
use super::models::ConfigAnswer;
use super::paths::CONFIG;
use crate::Result;

/// Asks for the configuration of the warehouse that the options name, if they name one, and merges it: the
/// server's defaults, the options over them, the server's overrides over those. An override of null takes an
/// option away.
///
/// # Errors
/// When the server refuses or its answer makes no sense.
pub(super) async fn merged_options(http: &HttpClient, options: &Options) -> Result<Options> {
    let warehouse = options
        .get_raw(WAREHOUSE.name())
        .filter(|name| !name.trim().is_empty());
    let request = Request::get("GetConfig", CONFIG.to_owned())
        .query("warehouse", warehouse.map(str::to_owned));
    let answer: ConfigAnswer = http.ask(&request).await?;
    Ok(answer.merge(options))
}
