//! From options to a catalog.

use std::sync::Arc;

use ftable_core::Options;
use ftable_core::options::keys::{METASTORE, TABLE_TYPE, WAREHOUSE};
use ftable_io::Location;
use snafu::ResultExt;

use crate::Result;
use crate::catalog::Catalog;
use crate::error::{InvalidOptionSnafu, MissingOptionSnafu, StorageSnafu, UnsupportedSnafu};
use crate::filesystem::FileSystemCatalog;

/// Opens the catalog that `options` describe.
///
/// | option | meaning |
/// | --- | --- |
/// | `metastore` | `filesystem`, the default, or `rest`, with the feature `rest` |
/// | `warehouse` | the root directory of a file system catalog, required, made if there is none; the name of the instance in a REST catalog |
/// | `uri`, `token.provider` | where the server of a REST catalog answers and how requests are signed, required there |
/// | `table.type` | `managed`, the default and the only value of a file system catalog |
/// | `table-default.<key>` | `<key>` is put into the options of a new table that does not set it |
/// | `case-sensitive` | for engines; the catalog itself never folds case |
///
/// Every other option is handed to the store.
///
/// # Errors
/// `Unsupported` for another kind of catalog, `InvalidOption` when an option is missing or has a
/// value that cannot be honoured, and when the warehouse cannot be opened or the server does not answer.
pub async fn open(options: Options) -> Result<Arc<dyn Catalog>> {
    match options.get_raw(METASTORE.name()).unwrap_or("filesystem") {
        "filesystem" => open_file_system_catalog(options).await,
        "rest" => open_rest_catalog(options).await,
        other => UnsupportedSnafu {
            what: format!("option 'metastore' = '{other}'"),
            reason: "there is a file system catalog and a REST catalog",
            instead: "use metastore=filesystem or metastore=rest",
        }
        .fail(),
    }
}

async fn open_file_system_catalog(options: Options) -> Result<Arc<dyn Catalog>> {
    check_table_type(options.get_raw(TABLE_TYPE.name()))?;
    let Some(warehouse) = options
        .get_raw(WAREHOUSE.name())
        .filter(|text| !text.trim().is_empty())
    else {
        return MissingOptionSnafu {
            key: WAREHOUSE.name(),
            message: "set it to the root directory of the catalog, such as file:///data/warehouse",
        }
        .fail();
    };
    let warehouse: Location = warehouse.parse().context(StorageSnafu {
        action: "understand warehouse",
        path: warehouse,
    })?;
    Ok(Arc::new(FileSystemCatalog::open(warehouse, options).await?))
}

#[cfg(feature = "rest")]
async fn open_rest_catalog(options: Options) -> Result<Arc<dyn Catalog>> {
    Ok(Arc::new(crate::rest::RestCatalog::open(options).await?))
}

#[cfg(not(feature = "rest"))]
async fn open_rest_catalog(_options: Options) -> Result<Arc<dyn Catalog>> {
    UnsupportedSnafu {
        what: "option 'metastore' = 'rest'",
        reason: "the REST catalog is not built in: the feature 'rest' is off",
        instead: "build with the feature 'rest', use metastore=filesystem with warehouse set to the root directory of the tables, or open a table by its location",
    }
    .fail()
}

fn check_table_type(table_type: Option<&str>) -> Result<()> {
    match table_type {
        Some(value) if !value.eq_ignore_ascii_case("managed") => InvalidOptionSnafu {
            key: TABLE_TYPE.name(),
            value,
            message: "a file system catalog has only 'managed'; leave the option out and give a table a location of its own when it is created",
        }
        .fail(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ftable_core::ErrorKind;

    use super::*;

    async fn open_with(options: &[(&str, &str)]) -> Result<Arc<dyn Catalog>> {
        open(options.iter().copied().collect()).await
    }

    async fn refusal(options: &[(&str, &str)]) -> (ErrorKind, String) {
        let error = open_with(options).await.unwrap_err();
        (error.kind(), error.to_string())
    }

    #[tokio::test]
    async fn a_warehouse_is_all_that_a_file_system_catalog_needs() {
        let warehouse = ("warehouse", "memory://open-tests/wh");
        for more in [
            &[][..],
            &[("metastore", "filesystem")],
            &[("table.type", "managed"), ("case-sensitive", "false")],
            &[("table.type", "MANAGED"), ("lock.enabled", "true")],
        ] {
            let options: Vec<_> = [warehouse].iter().chain(more).copied().collect();
            let catalog = open_with(&options).await.unwrap();
            assert_eq!(catalog.options().get_raw("warehouse"), Some(warehouse.1));
            catalog.create_database("d", true).await.unwrap();
            assert_eq!(catalog.list_databases().await.unwrap(), ["d"]);
        }
    }

    #[tokio::test]
    async fn a_missing_warehouse_is_named() {
        for options in [&[][..], &[("warehouse", "")], &[("warehouse", "  ")]] {
            let (kind, text) = refusal(options).await;
            assert_eq!(kind, ErrorKind::InvalidOption);
            assert!(text.contains("'warehouse' is not set"), "{text}");
        }
    }

    #[tokio::test]
    async fn other_catalogs_are_refused_by_name() {
        for (metastore, words) in [
            (
                "hive",
                &["'hive'", "metastore=filesystem", "metastore=rest"][..],
            ),
            ("jdbc", &["'jdbc'"]),
            ("", &["''"]),
        ] {
            let (kind, text) =
                refusal(&[("metastore", metastore), ("warehouse", "memory:/wh")]).await;
            assert_eq!(kind, ErrorKind::Unsupported);
            for word in words {
                assert!(text.contains(word), "{text}");
            }
        }
    }

    #[cfg(not(feature = "rest"))]
    #[tokio::test]
    async fn the_rest_catalog_is_refused_by_the_name_of_its_feature() {
        let (kind, text) = refusal(&[("metastore", "rest"), ("uri", "http://localhost")]).await;
        assert_eq!(kind, ErrorKind::Unsupported);
        assert!(text.contains("'metastore' = 'rest'"), "{text}");
        assert!(text.contains("build with the feature 'rest'"), "{text}");
    }

    #[cfg(feature = "rest")]
    #[tokio::test]
    async fn the_rest_catalog_needs_a_server_and_no_warehouse() {
        for (options, words) in [
            (&[][..], "'uri' is not set"),
            (&[("uri", " ")], "option 'uri'"),
            (
                &[("uri", "http://localhost")],
                "'token.provider' is not set",
            ),
        ] {
            let options: Vec<_> = [("metastore", "rest")]
                .iter()
                .chain(options)
                .copied()
                .collect();
            let (kind, text) = refusal(&options).await;
            assert_eq!(kind, ErrorKind::InvalidOption);
            assert!(text.contains(words), "{text}");
        }
    }

    #[tokio::test]
    async fn another_table_type_is_refused() {
        let (kind, text) =
            refusal(&[("warehouse", "memory:/wh"), ("table.type", "external")]).await;
        assert_eq!(kind, ErrorKind::InvalidOption);
        assert!(text.contains("option 'table.type' = 'external'"), "{text}");
    }

    #[tokio::test]
    async fn a_warehouse_that_cannot_be_understood_or_served_is_named() {
        let (kind, text) = refusal(&[("warehouse", "file://data/wh")]).await;
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(text.contains("file://data/wh"), "{text}");
        let (kind, text) = refusal(&[("warehouse", "gs://bucket/wh")]).await;
        assert_eq!(kind, ErrorKind::Unsupported);
        assert!(text.contains("gs://bucket/wh"), "{text}");
    }
}
