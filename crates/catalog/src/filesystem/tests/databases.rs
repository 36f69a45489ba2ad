use super::*;

#[tokio::test]
async fn databases_are_directories_with_the_suffix_listed_in_order() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        assert_eq!(
            catalog.list_databases().await.unwrap(),
            Vec::<String>::new()
        );
        for name in ["sales", "Sales", "a.b", "日志"] {
            catalog.create_database(name, false).await.unwrap();
        }
        warehouse.make_dir(".db").await;
        warehouse.make_dir("sys.db").await;
        warehouse.make_dir("nosuffix").await;
        warehouse.put("file.db", "x").await;
        assert_eq!(
            catalog.list_databases().await.unwrap(),
            ["Sales", "a.b", "sales", "日志"]
        );
    }
}

#[tokio::test]
async fn a_database_is_found_only_as_a_directory() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        let database = catalog.get_database("d").await.unwrap();
        assert_eq!(database.name, "d");
        assert_eq!(database.location.unwrap().path(), warehouse.path("d.db"));
        warehouse.put("file.db", "x").await;
        for name in ["file", "missing"] {
            assert_refused(
                catalog.get_database(name).await,
                ErrorKind::NotFound,
                &[&format!("database '{name}' does not exist")],
            );
        }
        assert_refused(
            catalog.create_database("file", true).await,
            ErrorKind::AlreadyExists,
            &["database 'file'", "file.db", "it is a file"],
        );
    }
}

#[tokio::test]
async fn creating_what_exists_is_an_error_unless_ignored() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        catalog.create_database("d", true).await.unwrap();
        assert_refused(
            catalog.create_database("d", false).await,
            ErrorKind::AlreadyExists,
            &["database 'd' already exists"],
        );
    }
}

#[tokio::test]
async fn the_property_location_is_refused_and_others_are_not_kept() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        let location = Options::from([("location", "file:///elsewhere")]);
        assert_refused(
            catalog.create_database_with("d", &location, false).await,
            ErrorKind::Unsupported,
            &["file:///elsewhere", "database 'd'"],
        );
        assert!(!warehouse.exists("d.db").await);
        let owner = Options::from([("owner", "ann")]);
        catalog
            .create_database_with("d", &owner, false)
            .await
            .unwrap();
        assert_eq!(warehouse.names("d.db").await, Vec::<String>::new());
        assert!(
            catalog
                .get_database("d")
                .await
                .unwrap()
                .properties
                .is_empty()
        );
        // It exists: nothing is asked of the properties any more.
        catalog
            .create_database_with("d", &location, true)
            .await
            .unwrap();
        assert_refused(
            catalog.alter_database("d", &owner, &[]).await,
            ErrorKind::Unsupported,
            &["altering database 'd'"],
        );
    }
}

#[tokio::test]
async fn the_system_database_is_there_and_empty_and_cannot_be_changed() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        let database = catalog.get_database("sys").await.unwrap();
        assert_eq!(database.name, "sys");
        assert!(database.location.is_none());
        assert_eq!(
            catalog.list_tables("sys").await.unwrap(),
            Vec::<String>::new()
        );
        assert_refused(
            catalog.get_table(&id("sys.tables")).await,
            ErrorKind::NotFound,
            &["table sys.tables does not exist"],
        );
        let refused = [
            catalog.create_database("sys", true).await,
            catalog.drop_database("sys", true, true).await,
            catalog.create_table(&id("sys.t"), &schema(), true).await,
            catalog.drop_table(&id("sys.t"), true).await,
            catalog.rename_table(&id("sys.t"), &id("d.t"), true).await,
            catalog.rename_table(&id("d.t"), &id("sys.t"), true).await,
        ];
        for result in refused {
            assert_refused(
                result,
                ErrorKind::InvalidArgument,
                &["'sys'", "system database"],
            );
        }
        assert_eq!(warehouse.names("").await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_database_that_holds_anything_is_dropped_only_with_cascade() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        // A stray file is no table, but it is someone's.
        catalog.create_database("stray", false).await.unwrap();
        warehouse.put("stray.db/dir/notes.txt", "x").await;
        assert_eq!(
            catalog.list_tables("stray").await.unwrap(),
            Vec::<String>::new()
        );
        assert_refused(
            catalog.drop_database("stray", false, false).await,
            ErrorKind::InvalidArgument,
            &["database 'stray' is not empty", "'dir'"],
        );
        assert!(warehouse.exists("stray.db/dir/notes.txt").await);
        catalog.create_database("hidden", false).await.unwrap();
        warehouse.put("hidden.db/.hidden", "x").await;
        assert_refused(
            catalog.drop_database("hidden", false, false).await,
            ErrorKind::InvalidArgument,
            &["'.hidden'"],
        );
        warehouse.create("full.t").await;
        warehouse.put("full.db/t/dt=a/data-1.parquet", "x").await;
        assert_refused(
            catalog.drop_database("full", false, false).await,
            ErrorKind::InvalidArgument,
            &["database 'full' is not empty", "'t'"],
        );
        assert_eq!(catalog.list_tables("full").await.unwrap(), ["t"]);

        for name in ["stray", "hidden", "full"] {
            catalog.drop_database(name, false, true).await.unwrap();
            assert!(!warehouse.exists(&format!("{name}.db")).await);
        }
        assert_eq!(
            catalog.list_databases().await.unwrap(),
            Vec::<String>::new()
        );
    }
}

#[tokio::test]
async fn an_empty_database_is_dropped_and_a_missing_one_is_an_error_unless_ignored() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        catalog.drop_database("d", false, false).await.unwrap();
        assert_refused(
            catalog.get_database("d").await,
            ErrorKind::NotFound,
            &["database 'd'"],
        );
        catalog.drop_database("d", true, false).await.unwrap();
        for cascade in [false, true] {
            assert_refused(
                catalog.drop_database("d", false, cascade).await,
                ErrorKind::NotFound,
                &["database 'd' does not exist"],
            );
        }
    }
}

#[tokio::test]
async fn a_database_emptied_of_tables_stays_until_it_is_dropped() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        catalog.drop_table(&id("d.t"), false).await.unwrap();
        assert_eq!(catalog.list_databases().await.unwrap(), ["d"]);
        catalog.drop_database("d", false, false).await.unwrap();
        assert_eq!(
            catalog.list_databases().await.unwrap(),
            Vec::<String>::new()
        );
    }
}

#[tokio::test]
async fn the_warehouse_is_made_and_refused_when_it_is_a_file() {
    for warehouse in Warehouse::both().await {
        warehouse.put("deep/file", "x").await;
        let root = warehouse.catalog.warehouse();
        let fresh = root.join("new/wh").unwrap();
        FileSystemCatalog::open(fresh, Options::new())
            .await
            .unwrap();
        assert!(warehouse.exists("new/wh").await);
        let file = root.join("deep/file").unwrap();
        assert_refused(
            FileSystemCatalog::open(file, Options::new()).await,
            ErrorKind::InvalidOption,
            &["option 'warehouse'", "deep/file", "it is a file"],
        );
    }
}
