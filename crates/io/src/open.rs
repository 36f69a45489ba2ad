//! The file system of a location.

use std::sync::Arc;

use ftable_core::Options;

use crate::error::{Result, UnsupportedSchemeSnafu};
use crate::file_system::FileSystem;
use crate::local::LocalFileSystem;
use crate::location::Location;
use crate::opendal_store::OpendalFileSystem;

/// The schemes [`open_file_system`] serves. A location without a scheme is `file`.
pub const SUPPORTED_SCHEMES: &[&str] = &["file", "memory"];

/// Opens the file system that serves a location.
///
/// - no scheme, `file`: local disks.
/// - `memory`: for tests; one store per authority and process, so that two opens see the same files.
///
/// `options` are the catalog options, which configure access to a store; the two above need none.
///
/// # Errors
/// `Unsupported` for every other scheme, naming it and those that are served.
pub fn open_file_system(location: &Location, _options: &Options) -> Result<Arc<dyn FileSystem>> {
    let scheme = location.scheme();
    if scheme.eq_ignore_ascii_case("file") {
        return Ok(Arc::new(LocalFileSystem::new()));
    }
    if scheme.eq_ignore_ascii_case("memory") {
        return Ok(Arc::new(OpendalFileSystem::memory(location.authority())?));
    }
    UnsupportedSchemeSnafu {
        location: location.to_string(),
        scheme,
        supported: SUPPORTED_SCHEMES.join(", "),
    }
    .fail()
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
        let error = open("s3a://bucket/wh").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            "location 's3a://bucket/wh': no file system for the scheme 's3a' in this build; \
             supported are file, memory"
        );
    }
}
