use std::sync::Arc;

use super::*;

#[tokio::test]
async fn dropping_a_table_deletes_its_directory_only() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        warehouse.create("d.t2").await;
        warehouse.put("d.db/t/dt=a/data-1.parquet", "x").await;
        warehouse.put("d.db/t/_ftable/intent.json", "x").await;
        warehouse
            .put("d.db/t/branch/branch-dev/schema/schema-0", "x")
            .await;
        catalog.drop_table(&id("d.t"), false).await.unwrap();
        assert_eq!(warehouse.names("d.db").await, ["t2"]);
        assert_refused(
            catalog.get_table(&id("d.t")).await,
            ErrorKind::NotFound,
            &["table d.t does not exist"],
        );
        catalog.get_table(&id("d.t2")).await.unwrap();
    }
}

#[tokio::test]
async fn a_missing_table_is_an_error_unless_ignored_and_a_directory_is_no_table() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.put("d.db/dir/notes.txt", "x").await;
        for name in ["d.dir", "d.missing", "nowhere.t"] {
            assert_refused(
                catalog.drop_table(&id(name), false).await,
                ErrorKind::NotFound,
                &[&format!("table {name} does not exist")],
            );
            catalog.drop_table(&id(name), true).await.unwrap();
        }
        assert_eq!(warehouse.names("d.db/dir").await, ["notes.txt"]);
    }
}

#[tokio::test]
async fn a_drop_that_was_cut_short_leaves_the_table_and_can_be_repeated() {
    for warehouse in Warehouse::both().await {
        warehouse.create("d.t").await;
        for name in ["dt=a", "dt=b", "zone=c"] {
            warehouse
                .put(&format!("d.db/t/{name}/data-1.parquet"), "x")
                .await;
        }
        let mut faulty = warehouse.catalog.clone();
        faulty.file_system =
            Arc::new(Faulty::over(&warehouse).with_stuck(warehouse.path("d.db/t/zone=c")));
        assert_refused(
            faulty.drop_table(&id("d.t"), false).await,
            ErrorKind::InvalidArgument,
            &["cannot delete", "d.db/t/zone=c"],
        );
        assert_eq!(warehouse.names("d.db/t").await, ["schema", "zone=c"]);
        warehouse.catalog.get_table(&id("d.t")).await.unwrap();
        warehouse
            .catalog
            .drop_table(&id("d.t"), false)
            .await
            .unwrap();
        assert_eq!(warehouse.names("d.db").await, Vec::<String>::new());
    }
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    /// A directory outside the warehouse with a table in it, and the warehouse.
    async fn with_outside() -> (Warehouse, PathBuf) {
        let warehouse = Warehouse::local().await;
        warehouse.create("d.t").await;
        warehouse
            .put("../outside/t/dt=a/data-1.parquet", "rows")
            .await;
        let text = warehouse.text("d.db/t/schema/schema-0").await;
        warehouse.put("../outside/t/schema/schema-0", &text).await;
        let outside = warehouse.directory.as_ref().unwrap().path().join("outside");
        (warehouse, outside)
    }

    async fn assert_untouched(warehouse: &Warehouse) {
        assert_eq!(warehouse.names("../outside/t").await, ["dt=a", "schema"]);
        assert_eq!(
            warehouse.text("../outside/t/dt=a/data-1.parquet").await,
            "rows"
        );
    }

    #[tokio::test]
    async fn a_link_inside_a_table_is_deleted_itself() {
        let (warehouse, outside) = with_outside().await;
        symlink(&outside, warehouse.path("d.db/t/dt=b")).unwrap();
        symlink(&outside, warehouse.path("d.db/t/schema/deep")).unwrap();
        warehouse
            .catalog
            .drop_table(&id("d.t"), false)
            .await
            .unwrap();
        assert!(!warehouse.exists("d.db/t").await);
        assert_untouched(&warehouse).await;
    }

    #[tokio::test]
    async fn a_table_that_is_a_link_loses_the_link_only() {
        let (warehouse, outside) = with_outside().await;
        symlink(outside.join("t"), warehouse.path("d.db/link")).unwrap();
        assert_eq!(
            warehouse.catalog.list_tables("d").await.unwrap(),
            ["link", "t"]
        );
        warehouse
            .catalog
            .drop_table(&id("d.link"), false)
            .await
            .unwrap();
        assert_eq!(warehouse.names("d.db").await, ["t"]);
        assert_untouched(&warehouse).await;
    }

    #[tokio::test]
    async fn nothing_is_deleted_through_a_database_that_is_a_link_out() {
        let (warehouse, outside) = with_outside().await;
        symlink(&outside, warehouse.path("out.db")).unwrap();
        assert_eq!(warehouse.catalog.list_tables("out").await.unwrap(), ["t"]);
        assert_refused(
            warehouse.catalog.drop_table(&id("out.t"), false).await,
            ErrorKind::Unsupported,
            &["out.db", "symbolic link out of the warehouse"],
        );
        assert_untouched(&warehouse).await;
        warehouse
            .catalog
            .drop_database("out", false, true)
            .await
            .unwrap();
        assert_eq!(warehouse.catalog.list_databases().await.unwrap(), ["d"]);
        assert_untouched(&warehouse).await;
    }

    #[tokio::test]
    async fn a_warehouse_that_is_reached_by_a_link_works() {
        let (warehouse, outside) = with_outside().await;
        let link = outside.join("link");
        symlink(warehouse.path(""), &link).unwrap();
        let location: Location = link.to_str().unwrap().parse().unwrap();
        let catalog = FileSystemCatalog::open(location, Options::new())
            .await
            .unwrap();
        catalog.drop_table(&id("d.t"), false).await.unwrap();
        assert!(!warehouse.exists("d.db/t").await);
    }
}
