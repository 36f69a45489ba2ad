//! Tables whose data lies outside the catalog's directories.

use super::*;

async fn create_at(warehouse: &Warehouse, name: &str, location: &str) -> crate::Result<()> {
    let location = location.parse().unwrap();
    warehouse
        .catalog
        .create_table_at(&id(name), &schema(), Some(location), false)
        .await
}

/// The text of a location beside the warehouse.
fn beside(warehouse: &Warehouse, name: &str) -> String {
    let root = warehouse.catalog.warehouse().to_string();
    format!("{}/{name}", root.strip_suffix("/wh").unwrap())
}

#[tokio::test]
async fn data_stays_where_it_is_and_only_the_schema_lies_in_the_warehouse() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        let location = beside(&warehouse, "lake/events");
        warehouse
            .put("../lake/events/dt=a/data-1.parquet", "rows")
            .await;
        create_at(&warehouse, "d.t", &location).await.unwrap();
        assert_eq!(warehouse.names("d.db/t").await, ["schema"]);
        assert_eq!(warehouse.names("../lake/events").await, ["dt=a"]);

        let table = catalog.get_table(&id("d.t")).await.unwrap();
        assert_eq!(table.location.to_string(), location);
        assert!(!table.metadata_under_location);
        assert_eq!(
            table.schema.options.get_raw("path"),
            Some(location.as_str())
        );
        let stored = catalog.get_table_schema(&id("d.t")).await.unwrap();
        assert_eq!(stored.options.get_raw("path"), Some(location.as_str()));
        let found = catalog.get_table_location(&id("d.t")).await.unwrap();
        assert_eq!(found.to_string(), location);
        let entries = table.file_system.list(table.location.path()).await.unwrap();
        assert_eq!(entries[0].name(), "dt=a");
        let details = catalog.list_table_details("d", None).await.unwrap();
        assert_eq!(details[0].location.to_string(), location);

        catalog.drop_table(&id("d.t"), false).await.unwrap();
        assert_eq!(warehouse.names("d.db").await, Vec::<String>::new());
        assert_eq!(
            warehouse.text("../lake/events/dt=a/data-1.parquet").await,
            "rows"
        );
    }
}

#[tokio::test]
async fn dropping_the_database_leaves_the_data_too() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        warehouse.put("../lake/data-1.parquet", "rows").await;
        create_at(&warehouse, "d.t", &beside(&warehouse, "lake"))
            .await
            .unwrap();
        catalog.drop_database("d", false, true).await.unwrap();
        assert_eq!(warehouse.names("").await, Vec::<String>::new());
        assert_eq!(warehouse.text("../lake/data-1.parquet").await, "rows");
    }
}

#[tokio::test]
async fn a_renamed_table_keeps_its_location() {
    let warehouse = Warehouse::local().await;
    let catalog = &warehouse.catalog;
    catalog.create_database("d", false).await.unwrap();
    let location = beside(&warehouse, "lake");
    create_at(&warehouse, "d.t", &location).await.unwrap();
    catalog
        .rename_table(&id("d.t"), &id("d.u"), false)
        .await
        .unwrap();
    let table = catalog.get_table(&id("d.u")).await.unwrap();
    assert_eq!(table.location.to_string(), location);
    assert!(!table.metadata_under_location);
}

#[tokio::test]
async fn a_location_may_be_in_another_store() {
    let warehouse = Warehouse::local().await;
    let lake = Warehouse::memory().await;
    lake.put("events/data-1.parquet", "rows").await;
    warehouse.catalog.create_database("d", false).await.unwrap();
    let location = format!("{}/events", lake.catalog.warehouse());
    create_at(&warehouse, "d.t", &location).await.unwrap();
    let table = warehouse.catalog.get_table(&id("d.t")).await.unwrap();
    assert!(!table.file_system.capabilities().local);
    let entries = table.file_system.list(table.location.path()).await.unwrap();
    assert_eq!(entries[0].name(), "data-1.parquet");
    assert_refused(
        create_at(&warehouse, "d.u", "gs://bucket/events").await,
        ErrorKind::Unsupported,
        &["gs"],
    );
    assert_eq!(warehouse.catalog.list_tables("d").await.unwrap(), ["t"]);
}

#[tokio::test]
async fn a_relative_location_is_stored_as_what_it_means_now() {
    let warehouse = Warehouse::local().await;
    warehouse.catalog.create_database("d", false).await.unwrap();
    let meaning: Location = "./some/lake".parse().unwrap();
    create_at(&warehouse, "d.t", "./some/lake").await.unwrap();
    let stored = warehouse
        .catalog
        .get_table_schema(&id("d.t"))
        .await
        .unwrap();
    assert_eq!(stored.options.get_raw("path"), Some(meaning.path()));
    assert!(meaning.path().starts_with('/'));
}

#[tokio::test]
async fn locations_that_share_files_with_the_catalog_are_refused() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.other").await;
        let root = warehouse.catalog.warehouse().to_string();
        for (location, word) in [
            (root.clone(), "the warehouse lies in it"),
            (format!("{root}/.."), "the warehouse lies in it"),
            (format!("{root}/d.db"), "lies in a database"),
            (format!("{root}/d.db/t"), "lies in a database"),
            (format!("{root}/d.db/other"), "lies in a database"),
            (
                format!("{root}/lake/../d.db/other/deep"),
                "lies in a database",
            ),
            (format!("{root}/later.db/t"), "lies in a database"),
        ] {
            assert_refused(
                create_at(&warehouse, "d.t", &location).await,
                ErrorKind::InvalidArgument,
                &["d.t", &location, word],
            );
        }
        warehouse.put("file", "x").await;
        assert_refused(
            create_at(&warehouse, "d.t", &format!("{root}/file")).await,
            ErrorKind::InvalidArgument,
            &["it is a file"],
        );
        assert_eq!(catalog.list_tables("d").await.unwrap(), ["other"]);
        // Other content of the warehouse is no one's.
        create_at(&warehouse, "d.t", &format!("{root}/lake"))
            .await
            .unwrap();
        assert_eq!(catalog.list_tables("d").await.unwrap(), ["other", "t"]);
    }
}

#[tokio::test]
async fn files_in_the_catalogs_directory_are_not_taken_for_its_own() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        warehouse.put("d.db/t/notes.txt", "x").await;
        assert_refused(
            create_at(&warehouse, "d.t", &beside(&warehouse, "lake")).await,
            ErrorKind::AlreadyExists,
            &["d.t", "is in the way"],
        );
        assert_eq!(
            catalog.list_tables("d").await.unwrap(),
            Vec::<String>::new()
        );
    }
}

#[tokio::test]
async fn the_option_path_stays_refused_with_a_location() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        let location: Location = beside(&warehouse, "lake").parse().unwrap();
        let schema = schema_with(&[("path", &location.to_string())]);
        assert_refused(
            catalog
                .create_table_at(&id("d.t"), &schema, Some(location), false)
                .await,
            ErrorKind::Unsupported,
            &["option 'path'"],
        );
    }
}

#[tokio::test]
async fn a_stored_path_that_is_the_tables_directory_changes_nothing() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        let own = catalog.get_table(&id("d.t")).await.unwrap().location;
        let text = warehouse.text("d.db/t/schema/schema-0").await;
        let mut stored = ftable_core::TableSchema::from_json(&text).unwrap();
        stored.id = 1;
        stored.options.set("path", format!("{own}/"));
        warehouse
            .put("d.db/t/schema/schema-1", &stored.to_json())
            .await;
        let table = catalog.get_table(&id("d.t")).await.unwrap();
        assert_eq!(table.schema.id, 1);
        assert!(table.metadata_under_location);
        assert!(table.location.same_place(&own));
    }
}
