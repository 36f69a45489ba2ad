//! What is hidden, reserved or a marker is never data; what is missing is empty.

use std::sync::Arc;

use ftable::{CatalogExt, FormatTable, Identifier};
use futures::TryStreamExt;

use crate::support::rows::write;
use crate::support::watched::Watched;
use crate::support::{
    NO_IDS, Store, VALUE_ONLY, files, ids, int, partitions, plan, schema, shown, text,
};

#[tokio::test]
async fn marker_and_checksum_files_are_never_opened() {
    let markers = [
        "_SUCCESS",
        "._SUCCESS.crc",
        "_metadata",
        "_common_metadata",
        "k=a/_SUCCESS",
        "k=a/.part-0.parquet.crc",
        "k=a/_other.txt",
        "_k=b/part-0.parquet",
        ".k=c/part-0.parquet",
        "k=a/_delta_log/0.json",
    ];
    for store in Store::each() {
        for name in markers {
            store.put(name, "not parquet").await;
        }
        store.ids("k=a/part-0.parquet", &[1]).await;
        let watched = Arc::new(Watched::new(&store.file_system, false));
        let builder = FormatTable::builder(&store.location)
            .unwrap()
            .file_system(watched.clone());
        let table = builder
            .schema(schema("id INT, k STRING", &["k"], &[]))
            .open()
            .await
            .unwrap();
        assert_eq!(shown(&table).await, ["1|a"]);
        assert_eq!(watched.opened(), [store.path("k=a/part-0.parquet")]);
        assert_eq!(partitions(&table, None).await, ["k=a"]);
        assert_eq!(plan(&table, None).await.metrics().warnings(), [""; 0]);
    }
}

#[tokio::test]
async fn hidden_directories_are_not_entered() {
    for store in Store::each() {
        store
            .numbered(["p=a/f", "p=a/_x/f", "_p=b/f", ".hive-staging_1/p=c/f"])
            .await;
        let watched = Arc::new(Watched::new(&store.file_system, false));
        let builder = FormatTable::builder(&store.location)
            .unwrap()
            .file_system(watched.clone());
        // A filter on the first key, so that a store of keys is walked too and not listed as a whole.
        let table = builder
            .schema(schema("id INT, p STRING", &["p"], &[]))
            .open()
            .await
            .unwrap();
        let found = plan(&table, ftable::col("p").is_not_null()).await;
        assert_eq!(files(&found), ["p=a/f"]);
        assert_eq!(watched.listed(), [store.root.clone(), store.path("p=a")]);
    }
}

#[tokio::test]
async fn staging_trees_are_invisible_in_every_layout() {
    let staged = [
        "_temporary/0/_temporary/attempt_1/part-0",
        "_temporary/.tmp.1",
        "a/_temporary/.tmp.2",
        "_ftable/c/a/f",
        ".spark-staging-1/p=a/f",
        "a/.tmp-3",
    ];
    for store in Store::each() {
        store.ids("a/f", &[1]).await;
        for name in staged {
            store.ids(name, &[9]).await;
        }
        let table = store
            .table_with("id INT, p STRING", &["p"], &[VALUE_ONLY])
            .await;
        assert_eq!(shown(&table).await, ["1|a"]);
        assert_eq!(partitions(&table, None).await, ["a"]);
        let table = store.table("id INT", &[]).await;
        assert_eq!(ids(&table, None).await, [1]);
    }
}

#[tokio::test]
async fn rows_are_visible_only_after_their_commit() {
    for options in [&[][..], &[VALUE_ONLY]] {
        for store in Store::each() {
            let table = store.table_with("id INT, p STRING", &["p"], options).await;
            let mut writer = table.write().build().unwrap();
            let batch = crate::support::rows::batch(table.fields(), &[vec![int(1), text("a")]]);
            writer.write(batch).await.unwrap();
            let messages = writer.prepare_commit().await.unwrap();
            assert_eq!(ids(&table, None).await, NO_IDS);
            table
                .commit()
                .build()
                .unwrap()
                .commit(messages)
                .await
                .unwrap();
            assert_eq!(shown(&table).await, ["1|a"]);
        }
    }
}

#[tokio::test]
async fn directory_markers_of_object_stores_are_directories() {
    for store in Store::each() {
        store.directory("dt=1").await;
        store.ids("dt=1/a.parquet", &[1]).await;
        store.directory("dt=2").await;
        store.directory("dt=1/nested").await;
        let table = store.table("id INT, dt INT", &["dt"]).await;
        assert_eq!(shown(&table).await, ["1|1"]);
        let entries = table
            .scan()
            .build()
            .unwrap()
            .list_partitions()
            .await
            .unwrap();
        let listed: Vec<_> = entries
            .iter()
            .map(|entry| (&*entry.path, entry.file_count))
            .collect();
        assert_eq!(listed, [("dt=1", 1), ("dt=2", 0)], "{}", store.location);
        // The same with a filter on the key, which is another way of listing.
        assert_eq!(
            partitions(&table, ftable::col("dt").gt(0)).await,
            ["dt=1", "dt=2"]
        );
        assert_eq!(ids(&table, ftable::col("dt").eq(2)).await, NO_IDS);
    }
    for store in Store::each() {
        store.directory("").await;
        store.directory("sub").await;
        store.ids("sub/f", &[1]).await;
        assert_eq!(ids(&store.table("id INT", &[]).await, None).await, [1]);
    }
}

#[tokio::test]
async fn a_table_without_anything_in_it_has_no_rows_and_a_schema() {
    for store in Store::each() {
        for (keys, columns) in [
            (&[][..], "id INT NOT NULL, p STRING"),
            (&["p"], "id INT NOT NULL, p STRING"),
        ] {
            let table = store.table(columns, keys).await;
            // There is nothing, then a directory, then only what a writer left.
            for made in [None, Some(""), Some("_temporary")] {
                if let Some(directory) = made {
                    store.directory(directory).await;
                }
                let plan = plan(&table, None).await;
                assert_eq!(plan.splits().len(), 0, "{made:?} {}", store.location);
                assert_eq!(partitions(&table, None).await, [""; 0]);
                let reader = table.read().value_kind(false).build().unwrap();
                assert_eq!(
                    reader
                        .schema()
                        .fields()
                        .iter()
                        .map(|field| field.name())
                        .collect::<Vec<_>>(),
                    ["id", "p"]
                );
                assert!(
                    reader
                        .stream(&plan)
                        .unwrap()
                        .try_next()
                        .await
                        .unwrap()
                        .is_none()
                );
                assert_eq!(reader.count(&plan).await.unwrap(), 0);
            }
        }
    }
}

/// A table that a file system catalog keeps, with its schema below its location.
async fn kept_by_catalog(
    store: &Store,
    columns: &str,
    keys: &[&str],
    options: &[(&str, &str)],
) -> FormatTable {
    let catalog = ftable_catalog::open(
        [("warehouse", store.location.as_str())]
            .into_iter()
            .collect(),
    )
    .await
    .unwrap();
    let name: Identifier = "db.t".parse().unwrap();
    catalog.create_database("db", true).await.unwrap();
    catalog
        .create_format_table(&name, &schema(columns, keys, options), None, false)
        .await
        .unwrap();
    catalog.get_format_table(&name).await.unwrap()
}

#[tokio::test]
async fn a_created_table_is_empty_before_its_first_row() {
    for keys in [&[][..], &["p"]] {
        for store in Store::each() {
            let table = kept_by_catalog(&store, "id INT, p STRING", keys, &[]).await;
            assert_eq!(plan(&table, None).await.splits().len(), 0);
            assert_eq!(partitions(&table, None).await, [""; 0]);
            write(&table, &[vec![int(1), text("a")]]).await;
            assert_eq!(shown(&table).await, ["1|a"]);
        }
    }
}

#[tokio::test]
async fn metadata_below_the_location_is_no_data() {
    for (keys, options) in [(&[][..], &[][..]), (&["p"], &[]), (&["p"], &[VALUE_ONLY])] {
        for store in Store::each() {
            let table = kept_by_catalog(&store, "id INT, p STRING", keys, options).await;
            assert_eq!(files(&plan(&table, None).await), [""; 0], "{keys:?}");
            store.ids("db.db/t/branch/branch-dev/f", &[9]).await;
            write(&table, &[vec![int(1), text("a")]]).await;
            assert_eq!(shown(&table).await, ["1|a"], "{keys:?}");
            assert_eq!(plan(&table, None).await.metrics().warnings(), [""; 0]);
        }
    }
    // Only directly below the location.
    let store = Store::local();
    let table = kept_by_catalog(
        &store,
        "id INT, p STRING, q STRING",
        &["p", "q"],
        &[VALUE_ONLY],
    )
    .await;
    write(&table, &[vec![int(1), text("a"), text("schema")]]).await;
    assert_eq!(shown(&table).await, ["1|a|schema"]);
    let refused =
        crate::support::rows::try_write(&table, &[vec![int(1), text("schema"), text("a")]]).await;
    crate::support::assert_error(
        &refused.unwrap_err(),
        ftable::ErrorKind::InvalidPartition,
        &["'p'", "'schema'"],
    );
}

#[tokio::test]
async fn without_metadata_below_the_location_schema_is_a_name_like_any_other() {
    for store in Store::each() {
        store.ids("schema/schema-0", &[1]).await;
        store.ids("branch/f", &[2]).await;
        assert_eq!(ids(&store.table("id INT", &[]).await, None).await, [1, 2]);
        let table = store
            .table_with("id INT, p STRING", &["p"], &[VALUE_ONLY])
            .await;
        assert_eq!(shown(&table).await, ["1|schema", "2|branch"]);
    }
}
