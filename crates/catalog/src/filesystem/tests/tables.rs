use ftable_core::TableSchema;

use super::*;

#[tokio::test]
async fn creating_writes_one_schema_file_and_nothing_else() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        assert_eq!(warehouse.names("d.db").await, ["t"]);
        assert_eq!(warehouse.names("d.db/t").await, ["schema"]);
        assert_eq!(warehouse.names("d.db/t/schema").await, ["schema-0"]);
        let text = warehouse.text("d.db/t/schema/schema-0").await;
        let stored = TableSchema::from_json(&text).unwrap();
        assert_eq!(
            (stored.version, stored.id, stored.highest_field_id),
            (3, 0, 2)
        );
        assert_eq!(stored.partition_keys, ["dt"]);
        assert_eq!(stored.primary_keys, Vec::<String>::new());
        // The file format is spelled out, the path is not stored.
        assert_eq!(
            stored.options,
            Options::from([("file.format", "parquet"), ("type", "format-table")])
        );
        // 2024-01-01 or later, in milliseconds.
        assert!(stored.time_millis > 1_704_067_200_000);
        assert_eq!(stored.fields, schema().fields);

        let table = catalog.get_table(&id("d.t")).await.unwrap();
        assert!(table.metadata_under_location);
        assert_eq!(table.location.path(), warehouse.path("d.db/t"));
        let mut expected = stored;
        expected.options.set("path", table.location.to_string());
        assert_eq!(table.schema, expected);
    }
}

#[tokio::test]
async fn a_table_without_a_type_is_created_as_format_table() {
    for warehouse in Warehouse::both().await {
        warehouse.catalog.create_database("d", false).await.unwrap();
        let mut untyped = schema();
        untyped.options.remove("type");
        warehouse
            .catalog
            .create_table(&id("d.t"), &untyped, false)
            .await
            .unwrap();
        let table = warehouse.catalog.get_table(&id("d.t")).await.unwrap();
        assert_eq!(table.schema.options.get_raw("type"), Some("format-table"));
    }
}

#[tokio::test]
async fn an_existing_table_is_an_error_unless_ignored_and_stays_as_it_is() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        let before = warehouse.text("d.db/t/schema/schema-0").await;
        let other = schema_with(&[("file.format", "orc")]);
        assert_refused(
            catalog.create_table(&id("d.t"), &other, false).await,
            ErrorKind::AlreadyExists,
            &["table d.t already exists"],
        );
        catalog
            .create_table(&id("d.t"), &other, true)
            .await
            .unwrap();
        assert_eq!(warehouse.text("d.db/t/schema/schema-0").await, before);
        // Also where only a later version is left.
        warehouse.put("d.db/late/schema/schema-3", &before).await;
        assert_refused(
            catalog.create_table(&id("d.late"), &other, false).await,
            ErrorKind::AlreadyExists,
            &["table d.late already exists"],
        );
        assert_eq!(warehouse.names("d.db/late/schema").await, ["schema-3"]);
    }
}

#[tokio::test]
async fn the_database_must_exist() {
    for warehouse in Warehouse::both().await {
        for ignore in [false, true] {
            assert_refused(
                warehouse
                    .catalog
                    .create_table(&id("d.t"), &schema(), ignore)
                    .await,
                ErrorKind::NotFound,
                &["database 'd' does not exist"],
            );
        }
        assert_refused(
            warehouse.catalog.list_tables("d").await,
            ErrorKind::NotFound,
            &["database 'd' does not exist"],
        );
        assert_refused(
            warehouse.catalog.get_table(&id("d.t")).await,
            ErrorKind::NotFound,
            &["table d.t does not exist"],
        );
        assert_eq!(warehouse.names("").await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn checks_come_in_the_order_of_java() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        let bad = schema_with(&[("auto-create", "true")]);
        let with_path = schema_with(&[("path", "/elsewhere")]);
        // Options before the database, also when the table would be left alone.
        for ignore in [false, true] {
            assert_refused(
                catalog.create_table(&id("d.t"), &bad, ignore).await,
                ErrorKind::Unsupported,
                &["d.t", "auto-create"],
            );
            assert_refused(
                catalog.create_table(&id("d.t"), &with_path, ignore).await,
                ErrorKind::Unsupported,
                &["d.t", "option 'path' = '/elsewhere'"],
            );
        }
        // The branch before the options, the database before the table.
        assert_refused(
            catalog
                .create_table(&id("d.t$branch_dev"), &bad, true)
                .await,
            ErrorKind::Unsupported,
            &["branch 'dev'"],
        );
        warehouse.create("d.t").await;
        assert_refused(
            catalog.create_table(&id("d.t"), &with_path, true).await,
            ErrorKind::Unsupported,
            &["option 'path'"],
        );
        assert_eq!(warehouse.names("d.db").await, ["t"]);
    }
}

#[tokio::test]
async fn other_types_and_formats_are_refused_by_name() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        for table_type in ["table", "object-table"] {
            assert_refused(
                catalog
                    .create_table(&id("d.t"), &schema_with(&[("type", table_type)]), false)
                    .await,
                ErrorKind::Unsupported,
                &["d.t", &format!("'{table_type}'")],
            );
        }
        assert_refused(
            catalog
                .create_table(&id("d.t"), &schema_with(&[("file.format", "avro")]), false)
                .await,
            ErrorKind::Unsupported,
            &["d.t", "avro", "parquet"],
        );
        assert_eq!(warehouse.names("d.db").await, Vec::<String>::new());
        catalog
            .create_table(
                &id("d.t"),
                &schema_with(&[("file.format", "Parquet")]),
                false,
            )
            .await
            .unwrap();
        catalog
            .create_table(&id("d.u"), &schema_with(&[("type", "FORMAT-TABLE")]), false)
            .await
            .unwrap();
        assert_eq!(catalog.list_tables("d").await.unwrap(), ["t", "u"]);
        catalog.get_table(&id("d.u")).await.unwrap();
    }
}

#[tokio::test]
async fn catalog_defaults_fill_what_the_creator_did_not_set() {
    let options = Options::from([
        ("table-default.file.format", "orc"),
        ("table-default.file.compression", "zstd"),
        ("table-default.", "nothing"),
        ("file.compression", "not a default"),
    ]);
    for warehouse in Warehouse::both_with(options).await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        let schema = schema_with(&[("file.compression", "snappy")]);
        catalog
            .create_table(&id("d.t"), &schema, false)
            .await
            .unwrap();
        let stored = catalog.get_table_schema(&id("d.t")).await.unwrap();
        assert_eq!(
            stored.options,
            Options::from([
                ("file.compression", "snappy"),
                ("file.format", "orc"),
                ("type", "format-table"),
            ])
        );
    }
}

#[tokio::test]
async fn catalog_defaults_are_checked_like_the_creators_options() {
    for (key, value, kind) in [
        ("auto-create", "true", ErrorKind::Unsupported),
        (
            "metastore.partitioned-table",
            "true",
            ErrorKind::Unsupported,
        ),
        ("target-file-row-num", "0", ErrorKind::InvalidOption),
        ("path", "/elsewhere", ErrorKind::Unsupported),
        ("file.format", "avro", ErrorKind::Unsupported),
    ] {
        let options = Options::from([(format!("table-default.{key}"), value)]);
        for warehouse in Warehouse::both_with(options).await {
            let catalog = &warehouse.catalog;
            catalog.create_database("d", false).await.unwrap();
            let result = catalog.create_table(&id("d.t"), &schema(), false).await;
            assert_refused(result, kind, &["d.t", value]);
            assert_eq!(warehouse.names("d.db").await, Vec::<String>::new());
        }
    }
}

#[tokio::test]
async fn a_directory_with_data_becomes_a_table_and_a_file_in_the_way_is_named() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        warehouse.put("d.db/t/dt=a/data-1.parquet", "rows").await;
        catalog
            .create_table(&id("d.t"), &schema(), false)
            .await
            .unwrap();
        assert_eq!(warehouse.names("d.db/t").await, ["dt=a", "schema"]);
        warehouse.put("d.db/u", "x").await;
        assert_refused(
            catalog.create_table(&id("d.u"), &schema(), true).await,
            ErrorKind::AlreadyExists,
            &["d.u", "is in the way"],
        );
    }
}

#[tokio::test]
async fn details_are_listed_by_pattern() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        for name in ["d.events", "d.events_old", "d.users"] {
            warehouse.create(name).await;
        }
        let names = async |pattern: Option<&str>| -> Vec<String> {
            let details = catalog.list_table_details("d", pattern).await.unwrap();
            details
                .iter()
                .map(|table| table.identifier.table().to_owned())
                .collect()
        };
        assert_eq!(names(None).await, ["events", "events_old", "users"]);
        assert_eq!(names(Some("events%")).await, ["events", "events_old"]);
        assert_eq!(names(Some("%s")).await, ["events", "users"]);
        assert_eq!(names(Some("events")).await, ["events"]);
        assert_eq!(names(Some("x%")).await, Vec::<String>::new());
        let details = catalog
            .list_table_details("d", Some("users"))
            .await
            .unwrap();
        assert_eq!(details[0].location.path(), warehouse.path("d.db/users"));
        assert_eq!(details[0].schema.partition_keys, ["dt"]);
        assert!(details[0].schema.options.get_raw("path").is_none());
        assert_refused(
            catalog.list_table_details("nowhere", None).await,
            ErrorKind::NotFound,
            &["database 'nowhere'"],
        );
    }
}

#[tokio::test]
async fn partitions_are_not_registered_and_marking_them_does_nothing() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        let specs = [vec![("dt".to_owned(), "a".to_owned())]];
        catalog
            .mark_done_partitions(&id("d.t"), &specs)
            .await
            .unwrap();
        assert_refused(
            catalog.create_partitions(&id("d.t"), &specs, true).await,
            ErrorKind::Unsupported,
            &["registering partitions of table d.t"],
        );
        assert_eq!(warehouse.names("d.db/t").await, ["schema"]);
    }
}

#[tokio::test]
async fn a_catalog_is_shared_and_a_new_one_sees_the_same() {
    for warehouse in Warehouse::both().await {
        warehouse.create("d.t").await;
        let location = warehouse.catalog.warehouse().clone();
        let again = FileSystemCatalog::open(location, Options::new())
            .await
            .unwrap();
        assert_eq!(again.list_tables("d").await.unwrap(), ["t"]);
        let task = tokio::spawn(async move { again.get_table(&id("d.t")).await });
        let table = task.await.unwrap().unwrap();
        assert_eq!(table.schema.partition_keys, ["dt"]);
    }
}
