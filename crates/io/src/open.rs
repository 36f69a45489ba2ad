//! The file system of a location.

use std::sync::Arc;

use ftable_core::Options;

use crate::credentials::CredentialSource;
use crate::error::{Result, UnsupportedSchemeSnafu};
use crate::file_system::FileSystem;
use crate::local::LocalFileSystem;
use crate::location::Location;
use crate::opendal_store::OpendalFileSystem;

/// The schemes [`open_file_system`] serves. A location without a scheme is `file`.
#[cfg(not(feature = "s3"))]
pub const SUPPORTED_SCHEMES: &[&str] = &["file", "memory"];
/// The schemes [`open_file_system`] serves. A location without a scheme is `file`.
#[cfg(feature = "s3")]
pub const SUPPORTED_SCHEMES: &[&str] = &["file", "memory", "s3", "s3a"];

/// Opens the file system that serves a location.
///
/// - no scheme, `file`: local disks.
/// - `memory`: for tests; one store per authority and process, so that two opens see the same files.
/// - `s3`, `s3a` (with the feature `s3`): a bucket.
///
/// `options` are the catalog options, which configure access to a store; the first two need none.
///
/// # Errors
/// `Unsupported` for every other scheme, naming it and those that are served; `InvalidOption` by name for options of the
/// store that say nothing or contradict each other.
pub fn open_file_system(location: &Location, options: &Options) -> Result<Arc<dyn FileSystem>> {
    open(location, options, None)
}

/// As [`open_file_system`], with credentials that `source` gives again and again. `options` are what it gave first.
///
/// # Errors
/// As for [`open_file_system`].
pub fn open_vended_file_system(
    location: &Location,
    options: &Options,
    source: Arc<dyn CredentialSource>,
) -> Result<Arc<dyn FileSystem>> {
    open(location, options, Some(source))
}

/// Whether the store of a location, opened by [`open_vended_file_system`], asks its source before each request. Others
/// keep the credentials they were opened with.
pub fn asks_for_credentials(location: &Location) -> bool {
    let scheme = location.scheme().to_ascii_lowercase();
    cfg!(feature = "s3") && matches!(scheme.as_str(), "s3" | "s3a")
}

#[cfg_attr(
    not(feature = "s3"),
    expect(unused_variables, reason = "the other stores have no credentials")
)]
fn open(
    location: &Location,
    options: &Options,
    source: Option<Arc<dyn CredentialSource>>,
) -> Result<Arc<dyn FileSystem>> {
    let scheme = location.scheme();
    match scheme.to_ascii_lowercase().as_str() {
        "file" => Ok(Arc::new(LocalFileSystem::new())),
        "memory" => Ok(Arc::new(OpendalFileSystem::memory(location.authority())?)),
        #[cfg(feature = "s3")]
        "s3" | "s3a" => Ok(Arc::new(OpendalFileSystem::s3(location, options, source)?)),
        _ => UnsupportedSchemeSnafu {
            location: location.to_string(),
            scheme,
            supported: SUPPORTED_SCHEMES.join(", "),
        }
        .fail(),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use ftable_core::ErrorKind;

    use super::*;

    fn open(text: &str) -> Result<Arc<dyn FileSystem>> {
        open_file_system(&text.parse().unwrap(), &Options::default())
    }

    #[test]
    fn paths_and_file_urls_are_local() {
        for text in ["/data/wh", "t", "file:/data/wh", "FILE:///data/wh"] {
            assert!(open(text).unwrap().capabilities().local, "{text}");
        }
    }

    #[tokio::test]
    async fn one_memory_store_per_authority() {
        let first = open("memory://shared/wh").unwrap();
        assert!(
            first
                .create_whole("/wh/a", Bytes::from_static(b"x"))
                .await
                .unwrap()
        );
        let again = open("memory://shared/elsewhere").unwrap();
        assert_eq!(again.stat("/wh/a").await.unwrap().unwrap().size, 1);
        for other in ["memory://Shared/wh", "memory:/wh"] {
            assert_eq!(
                open(other).unwrap().stat("/wh/a").await.unwrap(),
                None,
                "{other}"
            );
        }
    }

    #[test]
    fn other_schemes_are_refused_by_name() {
        let error = open("gs://bucket/wh").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            format!(
                "location 'gs://bucket/wh': no file system for the scheme 'gs' in this build; supported are {}",
                SUPPORTED_SCHEMES.join(", ")
            )
        );
    }
}
