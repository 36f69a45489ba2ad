use super::*;

#[tokio::test]
async fn names_that_could_lead_elsewhere_are_refused_for_databases() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.put("../beside.db/notes.txt", "x").await;
        for name in [
            "",
            " ",
            ".",
            "..",
            "a/b",
            "../beside",
            "/abs",
            "a\\b",
            "a:b",
            "a\0b",
            "a\nb",
        ] {
            let results = [
                catalog.create_database(name, true).await,
                catalog.drop_database(name, true, true).await,
                catalog.get_database(name).await.map(drop),
                catalog.list_tables(name).await.map(drop),
            ];
            for result in results {
                assert_refused(result, ErrorKind::InvalidArgument, &["database name"]);
            }
        }
        assert_eq!(warehouse.names("").await, Vec::<String>::new());
        assert_eq!(warehouse.names("../beside.db").await, ["notes.txt"]);
    }
}

#[tokio::test]
async fn names_that_could_lead_elsewhere_are_refused_for_tables() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        let hostile = [
            ".", "..", "a/b", "../d.db", "a\\b", "a:b", "a\0b", "a\nb", ".hidden", "_hidden",
        ];
        for name in hostile {
            // Some do not even make an identifier.
            let Ok(identifier) = Identifier::new("d", name) else {
                continue;
            };
            let results = [
                catalog.create_table(&identifier, &schema(), true).await,
                catalog.drop_table(&identifier, true).await,
                catalog.rename_table(&identifier, &id("d.u"), true).await,
                catalog.rename_table(&id("d.t"), &identifier, true).await,
                catalog.get_table(&identifier).await.map(drop),
            ];
            for result in results {
                assert_refused(result, ErrorKind::InvalidArgument, &["table name"]);
            }
        }
        assert_eq!(warehouse.names("").await, ["d.db"]);
        assert_eq!(warehouse.names("d.db").await, ["t"]);
    }
}

#[tokio::test]
async fn a_name_is_split_at_the_first_dot_and_quotes_keep_it_whole() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("a.b.c").await;
        assert!(warehouse.exists("a.db/b.c/schema/schema-0").await);
        warehouse.create("`a.b`.`c`").await;
        assert!(warehouse.exists("a.b.db/c/schema/schema-0").await);
        assert_eq!(catalog.list_tables("a").await.unwrap(), ["b.c"]);
        assert_eq!(catalog.list_tables("a.b").await.unwrap(), ["c"]);
        // What a listing gives names the same table again.
        for database in ["a", "a.b"] {
            for details in catalog.list_table_details(database, None).await.unwrap() {
                let again = id(&details.identifier.to_string());
                assert_eq!(again, details.identifier);
                catalog.get_table(&again).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn unusual_names_stay_as_they_are() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        for name in [
            "with space",
            "100%",
            "%20",
            "日志",
            "a#b?c",
            "Upper",
            "upper",
        ] {
            let identifier = Identifier::new("d", name).unwrap();
            catalog.create_database("d", true).await.unwrap();
            catalog
                .create_table(&identifier, &schema(), false)
                .await
                .unwrap();
            let table = catalog.get_table(&identifier).await.unwrap();
            assert_eq!(
                table.location.path(),
                warehouse.path(&format!("d.db/{name}"))
            );
            assert_eq!(table.identifier.unwrap().table(), name);
        }
        assert_eq!(catalog.list_tables("d").await.unwrap().len(), 7);
    }
}

#[tokio::test]
async fn branches_are_refused_but_the_main_one_reads_as_the_table() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        let main = id("d.t$branch_main");
        let table = catalog.get_table(&main).await.unwrap();
        assert_eq!(table.location.path(), warehouse.path("d.db/t"));
        let dev = id("d.t$branch_dev");
        assert_refused(
            catalog.get_table(&dev).await,
            ErrorKind::Unsupported,
            &["branch 'dev'", "a format table has no branches"],
        );
        for identifier in [main, dev] {
            let results = [
                catalog.create_table(&identifier, &schema(), true).await,
                catalog.drop_table(&identifier, true).await,
                catalog.rename_table(&identifier, &id("d.u"), true).await,
                catalog.rename_table(&id("d.t"), &identifier, true).await,
            ];
            for result in results {
                assert_refused(result, ErrorKind::Unsupported, &["branch"]);
            }
        }
        assert_eq!(warehouse.names("d.db").await, ["t"]);
    }
}

#[tokio::test]
async fn system_tables_are_refused_everywhere() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        warehouse.create("d.t").await;
        for name in ["d.t$snapshots", "d.t$", "d.t$branch_main$files"] {
            let identifier = id(name);
            let results = [
                catalog.get_table(&identifier).await.map(drop),
                catalog.get_table_schema(&identifier).await.map(drop),
                catalog.get_table_location(&identifier).await.map(drop),
                catalog.load_format_table(&identifier).await.map(drop),
                catalog.create_table(&identifier, &schema(), true).await,
                catalog.drop_table(&identifier, true).await,
                catalog.rename_table(&identifier, &id("d.u"), true).await,
                catalog.rename_table(&id("d.t"), &identifier, true).await,
            ];
            for result in results {
                assert_refused(
                    result,
                    ErrorKind::Unsupported,
                    &["a format table has no system tables"],
                );
            }
        }
        assert_eq!(warehouse.names("d.db").await, ["t"]);
    }
}
