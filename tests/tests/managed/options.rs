//! The option by which a catalog manages partitions: who may set it, and what goes with it.

use std::sync::Arc;

use ftable::{CatalogExt, ErrorKind, FileSystem, FormatTable};
use ftable_io::LocalFileSystem;

use super::common::{ID_AND_P, Place, schema};
use super::support::{ID_P_Q, MANAGED, Managed, append, call, lines_of, open, registry_of};

const REFUSED: &str = "option 'metastore.partitioned-table' = 'true' is not supported: it is set on a table whose \
                       catalog does not manage partitions";

#[tokio::test]
async fn without_a_registry_the_schema_cannot_ask_for_it() {
    let schema = schema(ID_AND_P, &["p"], &[MANAGED]);
    let opened = FormatTable::builder("/nowhere/t").unwrap().schema(schema);
    let error = opened.open().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains(REFUSED), "{error}");
}

#[tokio::test]
async fn a_table_of_a_file_system_catalog_cannot_have_it_whoever_made_it() {
    let directory = tempfile::tempdir().unwrap();
    let warehouse = directory.path().to_str().unwrap();
    let catalog = ftable_catalog::open(call(&[("warehouse", warehouse)]))
        .await
        .unwrap();
    catalog.create_database("d", false).await.unwrap();
    let id = "d.t".parse().unwrap();
    let plain = schema(ID_AND_P, &["p"], &[]);
    let managed = schema(ID_AND_P, &["p"], &[MANAGED]);
    let refused = catalog.create_format_table(&id, &managed, None, false);
    assert_eq!(refused.await.unwrap_err().kind(), ErrorKind::Unsupported);
    catalog
        .create_format_table(&id, &plain, None, false)
        .await
        .unwrap();

    let file = directory.path().join("d.db/t/schema/schema-0");
    let json = std::fs::read_to_string(&file).unwrap();
    let json = json.replace(
        r#""type" : "format-table""#,
        r#""type": "format-table", "metastore.partitioned-table": "true""#,
    );
    let json = json.replace(
        r#""type": "format-table""#,
        r#""type": "format-table", "metastore.partitioned-table": "true""#,
    );
    assert!(json.contains("metastore"), "{json}");
    std::fs::write(&file, json).unwrap();
    let by_name = catalog.get_format_table(&id).await.unwrap_err();
    let path = directory.path().join("d.db/t");
    let by_path = FormatTable::open(path.to_str().unwrap(), call(&[]));
    for error in [by_name, by_path.await.unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(REFUSED), "{error}");
    }
}

#[tokio::test]
async fn a_call_cannot_turn_it_on() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let on = call(&[MANAGED]);
    let errors = [
        place.table.with_options(&on).map(drop),
        place.table.scan().options(&on).map(drop),
        place.table.read().options(&on).map(drop),
        place.table.write().options(&on).map(drop),
        place.table.commit().options(&on).map(drop),
        place.table.partitions().options(&on).map(drop),
    ];
    for error in errors {
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(
            error
                .to_string()
                .contains("option 'metastore.partitioned-table' = 'true' for one call"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_call_cannot_turn_it_off_nor_change_what_goes_with_it() {
    let managed = Managed::new(ID_AND_P, &["p"], &[]);
    for (key, value) in [
        ("metastore.partitioned-table", "false"),
        ("format-table.partition-path-only-value", "true"),
        ("format-table.implementation", "engine"),
    ] {
        let change = call(&[(key, value)]);
        for error in [
            managed.table.with_options(&change).map(drop),
            managed.table.scan().options(&change).map(drop),
            managed.table.commit().options(&change).map(drop),
        ] {
            let error = error.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(
                error
                    .to_string()
                    .contains(&format!("option '{key}' = '{value}'")),
                "{error}"
            );
        }
    }
    let same = call(&[
        ("metastore.partitioned-table", "TRUE"),
        ("format-table.partition-path-only-value", "false"),
        ("format-table.implementation", "paimon"),
        ("read.batch-size", "7"),
    ]);
    let table = managed.table.with_options(&same).unwrap();
    assert!(table.has_managed_partitions());
}

#[tokio::test]
async fn an_engine_that_does_not_ask_the_catalog_is_refused() {
    let schema = schema(
        ID_AND_P,
        &["p"],
        &[MANAGED, ("format-table.implementation", "engine")],
    );
    let plain = super::common::schema(ID_AND_P, &["p"], &[]);
    let files: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let error = open("/nowhere/t", &schema, files, &registry_of(&plain)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error
            .to_string()
            .contains("option 'format-table.implementation' = 'engine'"),
        "{error}"
    );
}

#[tokio::test]
async fn with_the_option_off_the_directories_decide_and_the_registry_is_not_asked() {
    let managed = Managed::new(ID_P_Q, &["p", "q"], &[]);
    append(&managed.table, &[(1, "a", "x")]).await;
    managed.heal();
    let mut schema = managed.schema.clone();
    schema.options.set(MANAGED.0, "false");
    let location = managed.table.location().to_string();
    let files: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let plain = open(&location, &schema, files, &managed.registry).unwrap();
    assert!(!plain.has_managed_partitions());
    append(&plain, &[(2, "b", "y")]).await;
    let both = lines_of(&[(1, "a", "x"), (2, "b", "y")]);
    assert_eq!(super::support::rows(&plain).await.unwrap(), both);
    assert_eq!(managed.registry.calls(), []);
    // Whom the catalog tells sees only what is registered.
    assert_eq!(managed.rows().await, lines_of(&[(1, "a", "x")]));
}

#[tokio::test]
async fn an_unpartitioned_table_has_nothing_to_register() {
    let managed = Managed::new(ID_P_Q, &[], &[]);
    assert!(!managed.table.has_managed_partitions());
    append(&managed.table, &[(1, "a", "x")]).await;
    assert_eq!(managed.rows().await, lines_of(&[(1, "a", "x")]));
    let mut commit = managed.table.commit().build().unwrap();
    commit.truncate_table().await.unwrap();
    assert_eq!(managed.rows().await, Vec::<String>::new());
    assert_eq!(managed.registry.calls(), []);
    let error = managed.table.partitions().build().err().unwrap();
    assert!(error.to_string().contains("no partition keys"), "{error}");
}

#[tokio::test]
async fn work_on_registered_partitions_needs_a_catalog_that_manages_them() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let error = place.table.partitions().build().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error.to_string().contains("does not manage its partitions"),
        "{error}"
    );
}
