use super::*;

#[tokio::test]
async fn a_table_moves_with_its_data_to_another_database_too() {
    let warehouse = Warehouse::local().await;
    let catalog = &warehouse.catalog;
    warehouse.create("d.t").await;
    warehouse.put("d.db/t/dt=a/data-1.parquet", "rows").await;
    catalog
        .rename_table(&id("d.t"), &id("d.u"), false)
        .await
        .unwrap();
    assert_eq!(catalog.list_tables("d").await.unwrap(), ["u"]);
    catalog.create_database("e", false).await.unwrap();
    catalog
        .rename_table(&id("d.u"), &id("e.t"), false)
        .await
        .unwrap();
    assert_eq!(warehouse.names("d.db").await, Vec::<String>::new());
    assert_eq!(warehouse.text("e.db/t/dt=a/data-1.parquet").await, "rows");
    let table = catalog.get_table(&id("e.t")).await.unwrap();
    assert_eq!(table.location.path(), warehouse.path("e.db/t"));
}

#[tokio::test]
async fn what_is_at_the_new_name_is_never_replaced_or_entered() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t1").await;
        warehouse.create("d.t2").await;
        assert_refused(
            catalog.rename_table(&id("d.t1"), &id("d.t2"), false).await,
            ErrorKind::AlreadyExists,
            &["table d.t2 already exists"],
        );
        assert_refused(
            catalog.rename_table(&id("d.t1"), &id("d.t1"), false).await,
            ErrorKind::AlreadyExists,
            &["table d.t1 already exists"],
        );
        warehouse.make_dir("d.db/empty").await;
        warehouse.put("d.db/full/notes.txt", "x").await;
        warehouse.put("d.db/file", "x").await;
        for name in ["d.empty", "d.full", "d.file"] {
            assert_refused(
                catalog.rename_table(&id("d.t1"), &id(name), false).await,
                ErrorKind::AlreadyExists,
                &[name, "is in the way"],
            );
        }
        assert_eq!(
            warehouse.names("d.db").await,
            ["empty", "file", "full", "t1", "t2"]
        );
        assert_eq!(warehouse.names("d.db/empty").await, Vec::<String>::new());
        assert_eq!(warehouse.names("d.db/full").await, ["notes.txt"]);
        assert_eq!(catalog.list_tables("d").await.unwrap(), ["t1", "t2"]);
    }
}

#[tokio::test]
async fn source_and_target_database_must_exist() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        warehouse.make_dir("d.db/dir").await;
        for missing in ["d.missing", "d.dir", "nowhere.t"] {
            assert_refused(
                catalog.rename_table(&id(missing), &id("d.u"), false).await,
                ErrorKind::NotFound,
                &[missing, "does not exist"],
            );
            catalog
                .rename_table(&id(missing), &id("d.u"), true)
                .await
                .unwrap();
        }
        // A missing target database is not what is to be ignored.
        for ignore in [false, true] {
            assert_refused(
                catalog
                    .rename_table(&id("d.t"), &id("nowhere.t"), ignore)
                    .await,
                ErrorKind::NotFound,
                &["database 'nowhere' does not exist"],
            );
        }
        assert_eq!(warehouse.names("").await, ["d.db"]);
        assert_eq!(catalog.list_tables("d").await.unwrap(), ["t"]);
    }
}

#[tokio::test]
async fn a_store_that_cannot_rename_in_one_step_refuses() {
    let warehouse = Warehouse::memory().await;
    let catalog = &warehouse.catalog;
    warehouse.create("d.t").await;
    assert_refused(
        catalog.rename_table(&id("d.t"), &id("d.u"), false).await,
        ErrorKind::Unsupported,
        &["renaming table d.t", "in one step"],
    );
    assert_eq!(catalog.list_tables("d").await.unwrap(), ["t"]);
}
