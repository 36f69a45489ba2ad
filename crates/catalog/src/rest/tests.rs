//! The catalog against a server that answers what a test says.

use ftable_core::{ErrorKind, Options};
use serde_json::{Value, json};

use super::testing::{Reply, Server};
use super::*;

fn table(name: &str) -> Identifier {
    name.parse().unwrap()
}

fn orders() -> Schema {
    Schema::builder()
        .column("id", "BIGINT NOT NULL")
        .unwrap()
        .column("dt", "STRING")
        .unwrap()
        .partition_by(["dt"])
        .option("file.format", "parquet")
        .build()
        .unwrap()
}

/// The answer for a table of the schema above.
fn answer(path: &str, options: Value) -> Value {
    json!({
        "id": "1", "name": "t", "path": path, "isExternal": false, "schemaId": 3, "owner": "ann",
        "schema": {
            "fields": [{"id": 0, "name": "id", "type": "BIGINT NOT NULL"}, {"id": 1, "name": "dt", "type": "STRING"}],
            "partitionKeys": ["dt"], "primaryKeys": [], "options": options
        }
    })
}

fn format_table() -> Value {
    json!({"type": "format-table", "file.format": "parquet"})
}

#[tokio::test]
async fn the_configuration_is_asked_for_once_and_encoded_once() {
    let config = json!({"defaults": {"prefix": "paimon/a", "a": null, "c": "s"}, "overrides": {"b": "2", "x.token": null}});
    let server = Server::of_catalog(config, |_| Reply::ok(json!({"databases": ["d"]}))).await;
    let catalog = server
        .catalog_with(&[
            ("warehouse", "file:///data/w h"),
            ("a", "1"),
            ("b", "1"),
            ("x.token", "9"),
        ])
        .await
        .unwrap();
    assert_eq!(
        server.config_line(),
        "GET /v1/config?warehouse=file%3A%2F%2F%2Fdata%2Fw%20h"
    );
    let options = catalog.options();
    let found = ["a", "b", "c", "x.token"].map(|key| options.get_raw(key));
    assert_eq!(found, [Some("1"), Some("2"), Some("s"), None]);
    assert_eq!(catalog.list_databases().await.unwrap(), ["d"]);
    assert_eq!(server.lines(), ["GET /v1/paimon%2Fa/databases"]);
}

#[tokio::test]
async fn without_a_warehouse_and_a_prefix_there_is_no_query_and_no_segment() {
    for config in [
        json!({}),
        json!({"defaults": null}),
        json!({"overrides": {"prefix": ""}}),
    ] {
        let server = Server::of_catalog(config, |_| Reply::ok(json!({"databases": null}))).await;
        let catalog = server.catalog().await;
        assert_eq!(server.config_line(), "GET /v1/config");
        assert!(catalog.list_databases().await.unwrap().is_empty());
        assert_eq!(server.lines(), ["GET /v1/databases"]);
    }
}

#[tokio::test]
async fn a_configuration_that_is_refused_is_an_error() {
    let server = Server::start(|_| Reply::Raw(401, Vec::new(), "Unauthorized".to_owned())).await;
    let error = server.catalog_with(&[]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(
        error
            .to_string()
            .contains("GET /v1/config: the server answered 401"),
        "{error}"
    );
}

#[tokio::test]
async fn listings_go_on_until_no_token_comes() {
    let server = Server::scripted([
        Reply::ok(json!({"databases": ["b"], "nextPageToken": "x&y"})),
        Reply::ok(json!({"databases": [], "nextPageToken": "z"})),
        Reply::ok(json!({"databases": ["a", "b"], "nextPageToken": ""})),
        Reply::ok(json!({"tables": ["t"], "nextPageToken": "x"})),
        Reply::ok(json!({"tables": ["u"], "nextPageToken": "x"})),
    ])
    .await;
    let catalog = server.catalog().await;
    assert_eq!(catalog.list_databases().await.unwrap(), ["a", "b"]);
    let error = catalog.list_tables("d").await.unwrap_err();
    assert!(error.to_string().contains("repeated page token"), "{error}");
    assert_eq!(
        server.lines(),
        [
            "GET /v1/p/databases",
            "GET /v1/p/databases?pageToken=x%26y",
            "GET /v1/p/databases?pageToken=z",
            "GET /v1/p/databases/d/tables",
            "GET /v1/p/databases/d/tables?pageToken=x",
        ]
    );
}

#[tokio::test]
async fn single_pages_are_asked_for_as_told() {
    let server = Server::scripted([
        Reply::ok(json!({"databases": ["a"], "nextPageToken": "a"})),
        Reply::ok(json!({"tables": ["t"]})),
        Reply::ok(json!({"tables": [{"database": "d", "object": "t"}]})),
        Reply::ok(json!({"tableDetails": [answer("/wh/t", format_table())], "nextPageToken": "t"})),
    ])
    .await;
    let catalog = server.catalog().await;
    let page = catalog
        .list_databases_page(Some(1), None, Some("a%"))
        .await
        .unwrap();
    assert_eq!(
        (page.items, page.next_token),
        (vec!["a".to_owned()], Some("a".to_owned()))
    );
    let page = catalog
        .list_tables_page("d", Some(0), Some("k"), None)
        .await
        .unwrap();
    assert_eq!(page.next_token, None);
    let page = catalog
        .list_all_tables_page(Some(5), None, Some("d%"), Some("t%"))
        .await
        .unwrap();
    assert_eq!(page.items, [table("d.t")]);
    let page = catalog
        .list_table_details_page("d", None, None, None)
        .await
        .unwrap();
    assert_eq!(page.items[0].identifier, table("d.t"));
    assert_eq!(page.next_token.as_deref(), Some("t"));
    assert_eq!(
        server.lines(),
        [
            "GET /v1/p/databases?maxResults=1&databaseNamePattern=a%25",
            "GET /v1/p/databases/d/tables?pageToken=k",
            "GET /v1/p/tables?databaseNamePattern=d%25&tableNamePattern=t%25&maxResults=5",
            "GET /v1/p/databases/d/table-details",
        ]
    );
}

#[tokio::test]
async fn databases_are_read_made_changed_and_dropped() {
    let server = Server::scripted([
        Reply::done(),
        Reply::ok(json!({ "id": "b1", "name": "sales", "location": "s3://lake/wh/sales.db", "options": { "team": "x", "comment": "c" },
            "owner": "ann", "createdAt": 1, "createdBy": "ann", "updatedAt": 1, "updatedBy": "ann" })),
        Reply::done(),
        Reply::ok(json!({"tables": ["t"]})),
        Reply::ok(json!({"tables": []})),
        Reply::done(),
        Reply::done(),
    ])
    .await;
    let catalog = server.catalog().await;
    catalog.create_database("sales", false).await.unwrap();
    let database = catalog.get_database("sales").await.unwrap();
    assert_eq!(
        database.location.unwrap().to_string(),
        "s3://lake/wh/sales.db"
    );
    assert_eq!(database.properties.get_raw("team"), Some("x"));
    assert_eq!(database.comment.as_deref(), Some("c"));
    let set = Options::from([("k", "v")]);
    catalog
        .alter_database("sales", &set, &["team".to_owned()])
        .await
        .unwrap();
    let error = catalog
        .drop_database("sales", false, false)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("not empty"), "{error}");
    catalog.drop_database("sales", false, false).await.unwrap();
    catalog.drop_database("sales", false, true).await.unwrap();
    let received = server.received();
    assert_eq!(received[0].json(), json!({"name": "sales", "options": {}}));
    assert_eq!(
        received[2].json(),
        json!({"removals": ["team"], "updates": {"k": "v"}})
    );
    assert_eq!(
        server.lines(),
        [
            "POST /v1/p/databases",
            "GET /v1/p/databases/sales",
            "POST /v1/p/databases/sales",
            "GET /v1/p/databases/sales/tables",
            "GET /v1/p/databases/sales/tables",
            "DELETE /v1/p/databases/sales",
            "DELETE /v1/p/databases/sales",
        ]
    );
}

#[tokio::test]
async fn the_system_database_and_names_that_are_none_ask_nothing() {
    let server = Server::scripted([]).await;
    let catalog = server.catalog().await;
    assert!(catalog.list_tables("sys").await.unwrap().is_empty());
    assert!(
        catalog
            .list_table_details("sys", None)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        catalog
            .get_database("sys")
            .await
            .unwrap()
            .location
            .is_none()
    );
    let none = Options::new();
    for refused in [
        catalog.create_database("sys", true).await,
        catalog.alter_database("sys", &none, &[]).await,
        catalog.drop_database("sys", true, true).await,
        catalog.create_table(&table("sys.t"), &orders(), true).await,
        catalog.drop_table(&table("sys.t"), true).await,
        catalog
            .rename_table(&table("sys.t"), &table("d.t"), true)
            .await,
        catalog.alter_table(&table("sys.t"), &[]).await.map(|_| ()),
        catalog.create_database("..", true).await,
        catalog
            .create_table(&table("d.t$branch_main"), &orders(), true)
            .await,
        catalog
            .create_table(&table("d.t$files"), &orders(), true)
            .await,
        catalog.create_table(&table("d..."), &orders(), true).await,
        catalog.drop_table(&table("d.t$branch_dev"), true).await,
        catalog
            .get_table(&table("d.t$branch_dev"))
            .await
            .map(|_| ()),
        catalog.get_table(&table("d.t$snapshots")).await.map(|_| ()),
        catalog.get_table(&table("sys.tables")).await.map(|_| ()),
    ] {
        assert!(refused.is_err());
    }
    assert!(server.lines().is_empty());
}

#[tokio::test]
async fn a_create_whose_answer_was_lost_in_a_retry_succeeds_when_what_is_there_is_the_same() {
    let properties = Options::from([("team", "x")]);
    for (found, is_same) in [("x", true), ("y", false)] {
        let server = Server::scripted([
            Reply::busy(),
            Reply::error(409, "DATABASE", "d"),
            Reply::ok(json!({"name": "d", "options": {"team": found, "made": "by server"}})),
        ])
        .await;
        let made = server
            .catalog()
            .await
            .create_database_with("d", &properties, false)
            .await;
        assert_eq!(made.is_ok(), is_same);
    }
    let same = answer(
        "/wh/t",
        json!({"type": "format-table", "file.format": "parquet", "more": "1"}),
    );
    let mut other = same.clone();
    other["schema"]["fields"][0]["type"] = "INT".into();
    for (found, is_same) in [(same, true), (other, false)] {
        let server = Server::scripted([
            Reply::busy(),
            Reply::error(409, "TABLE", "t"),
            Reply::ok(found),
        ])
        .await;
        let made = server
            .catalog()
            .await
            .create_table(&table("d.t"), &orders(), false)
            .await;
        assert_eq!(made.is_ok(), is_same);
    }
    // Without a retry it is someone else's.
    let server = Server::scripted([
        Reply::error(409, "TABLE", "t"),
        Reply::error(409, "TABLE", "t"),
    ])
    .await;
    let catalog = server.catalog().await;
    let error = catalog
        .create_table(&table("d.t"), &orders(), false)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(error.to_string(), "table d.t already exists");
    catalog
        .create_table(&table("d.t"), &orders(), true)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_drop_that_finds_nothing_after_a_retry_has_done_it() {
    let gone = || Reply::error(404, "TABLE", "t");
    let server = Server::scripted([Reply::busy(), gone(), gone(), gone()]).await;
    let catalog = server.catalog().await;
    catalog.drop_table(&table("d.t"), false).await.unwrap();
    let error = catalog.drop_table(&table("d.t"), false).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    catalog.drop_table(&table("d.t"), true).await.unwrap();
    let gone = || Reply::error(404, "DATABASE", "d");
    let server = Server::scripted([Reply::busy(), gone(), gone(), gone(), gone()]).await;
    let catalog = server.catalog().await;
    catalog.drop_database("d", false, true).await.unwrap();
    assert!(catalog.drop_database("d", false, true).await.is_err());
    catalog.drop_database("d", true, true).await.unwrap();
    catalog.drop_database("d", true, false).await.unwrap();
}

#[tokio::test]
async fn a_table_is_loaded_from_one_answer() {
    let options = json!({"type": "FORMAT-TABLE", "k": null, "path": "stale"});
    let server = Server::scripted([Reply::ok(answer("memory://rest-load/wh/t", options))]).await;
    let catalog = server.catalog().await;
    // The main branch is the table itself; whatever name the server gives, it is the one asked for.
    let loaded = catalog.get_table(&table("d.t$branch_main")).await.unwrap();
    assert_eq!(server.lines(), ["GET /v1/p/databases/d/tables/t"]);
    assert_eq!(loaded.identifier, Some(table("d.t$branch_main")));
    assert_eq!(loaded.location.path(), "/wh/t");
    assert_eq!(loaded.schema.id, 3);
    assert_eq!(
        loaded.schema.options.get_raw("path"),
        Some("memory://rest-load/wh/t")
    );
    assert_eq!(loaded.schema.options.get_raw("owner"), Some("ann"));
    assert!(!loaded.schema.options.contains("createdBy"));
    assert!(!loaded.schema.options.contains("k"));
    assert!(!loaded.metadata_under_location);
    assert!(loaded.partition_registry.is_none());
}

#[tokio::test]
async fn the_schema_and_the_location_are_those_of_the_server() {
    let reply = Reply::ok(answer("s3://lake/wh/t", json!({"type": "table"})));
    let server = Server::scripted([reply.clone(), reply.clone(), reply]).await;
    let catalog = server.catalog().await;
    let schema = catalog.get_table_schema(&table("d.t")).await.unwrap();
    assert_eq!(schema.options, Options::from([("type", "table")]));
    let location = catalog.get_table_location(&table("d.t")).await.unwrap();
    assert_eq!(location.to_string(), "s3://lake/wh/t");
    let error = catalog.get_table(&table("d.t")).await.unwrap_err();
    assert!(error.to_string().contains("has type 'table'"), "{error}");
}

#[tokio::test]
async fn partitions_of_the_catalog_are_for_internal_tables() {
    let managed = json!({"type": "format-table", "metastore.partitioned-table": "true"});
    let engine = json!({"type": "format-table", "metastore.partitioned-table": "TRUE", "format-table.implementation": "engine"});
    let mut external = answer("memory://rest-managed/t", managed.clone());
    external["isExternal"] = true.into();
    let server = Server::scripted([
        Reply::ok(answer("memory://rest-managed/t", managed)),
        Reply::ok(external),
        Reply::ok(answer("memory://rest-managed/t", engine)),
    ])
    .await;
    let catalog = server.catalog().await;
    let loaded = catalog.get_table(&table("d.t")).await.unwrap();
    assert!(loaded.partition_registry.is_some());
    for word in ["internal tables only", "engine"] {
        let error = catalog.get_table(&table("d.t")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let text = error.to_string();
        assert!(
            text.contains("'metastore.partitioned-table'") && text.contains(word),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_table_without_a_place_is_an_error() {
    for (path, word) in [
        (json!(null), "member 'path'"),
        (json!(" "), "member 'path'"),
        (json!("wh/t"), "relative"),
    ] {
        let mut table_answer = answer("", format_table());
        table_answer["path"] = path;
        let server = Server::scripted([Reply::ok(table_answer)]).await;
        let error = server
            .catalog()
            .await
            .get_table(&table("d.t"))
            .await
            .unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[tokio::test]
async fn what_is_missing_is_what_the_server_says() {
    for (reply, text) in [
        (Reply::error(404, "TABLE", "t"), "table d.t does not exist"),
        (
            Reply::error(404, "DATABASE", "d"),
            "database 'd' does not exist",
        ),
        (
            Reply::Json(404, json!({"message": "gone"})),
            "table d.t does not exist",
        ),
    ] {
        let server = Server::scripted([reply]).await;
        let error = server
            .catalog()
            .await
            .get_table(&table("d.t"))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.to_string(), text);
    }
}

#[tokio::test]
async fn a_table_is_made_with_its_whole_schema() {
    let server = Server::scripted([Reply::done()]).await;
    let catalog = server
        .catalog_with(&[
            ("table-default.file.compression", "zstd"),
            ("table-default.type", "table"),
        ])
        .await
        .unwrap();
    let managed = Schema {
        options: Options::from([
            ("type", "format-table"),
            ("metastore.partitioned-table", "true"),
        ]),
        comment: Some("c".to_owned()),
        ..orders()
    };
    catalog
        .create_table(&table("d.日 志"), &managed, false)
        .await
        .unwrap();
    let request = &server.received()[0];
    assert_eq!(request.line(), "POST /v1/p/databases/d/tables");
    assert_eq!(
        request.json(),
        json!({"identifier": {"database": "d", "object": "日 志"}, "schema": {
            "fields": [{"id": 0, "name": "id", "type": "BIGINT NOT NULL"}, {"id": 1, "name": "dt", "type": "STRING"}],
            "partitionKeys": ["dt"], "primaryKeys": [], "comment": "c",
            "options": {"type": "format-table", "file.format": "parquet", "file.compression": "zstd",
                "metastore.partitioned-table": "true"}}})
    );
}

#[tokio::test]
async fn a_table_at_a_location_gets_its_directory_from_the_client() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("ext/orders");
    let text = place.to_str().unwrap().to_owned();
    let there = Reply::ok(answer(&format!("file://{text}"), format_table()));
    let server = Server::scripted([Reply::done(), there, Reply::done()]).await;
    let catalog = server.catalog().await;
    let location: Location = format!("file:{text}").parse().unwrap();
    catalog
        .create_table_at(&table("d.t"), &orders(), Some(location), false)
        .await
        .unwrap();
    assert!(place.is_dir());
    let by_option = Schema {
        options: Options::from([("type", "format-table"), ("path", text.as_str())]),
        ..orders()
    };
    catalog
        .create_table(&table("d.u"), &by_option, false)
        .await
        .unwrap();
    let paths: Vec<_> = server
        .received()
        .iter()
        .filter(|request| request.method == "POST")
        .map(|request| request.json()["schema"]["options"]["path"].clone())
        .collect();
    assert_eq!(paths, [json!(format!("file:{text}")), json!(text)]);
}

#[tokio::test]
async fn a_server_that_puts_a_table_elsewhere_than_it_was_asked_to_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let asked = directory.path().join("orders").to_str().unwrap().to_owned();
    let elsewhere = Reply::ok(answer("/wh/d.db/t", format_table()));
    let server = Server::scripted([Reply::done(), elsewhere]).await;
    let location: Location = asked.parse().unwrap();
    let catalog = server.catalog().await;
    let (name, schema) = (table("d.t"), orders());
    let made = catalog.create_table_at(&name, &schema, Some(location), false);
    let error = made.await.unwrap_err().to_string();
    assert!(
        error.contains(&asked) && error.contains("'/wh/d.db/t'"),
        "{error}"
    );
}

#[tokio::test]
async fn what_an_earlier_attempt_has_done_is_not_told_as_a_refusal() {
    let (t, u) = (table("d.t"), table("e.u"));
    let gone = || Reply::error(404, "TABLE", "t");
    let there = || Reply::ok(answer("/wh/t", format_table()));
    // Renamed by the first request: the old name is gone, and the new one is there.
    for (old, new, is_done) in [
        (gone(), there(), true),
        (gone(), gone(), false),
        (there(), there(), false),
    ] {
        let server = Server::scripted([Reply::busy(), gone(), old, new]).await;
        let renamed = server.catalog().await.rename_table(&t, &u, false).await;
        assert_eq!(renamed.is_ok(), is_done);
    }
    let add = SchemaChange::AddColumn {
        field_names: vec!["note".to_owned()],
        data_type: "STRING".parse().unwrap(),
        comment: None,
        r#move: None,
    };
    let server =
        Server::scripted([there(), Reply::busy(), Reply::error(409, "COLUMN", "note")]).await;
    let error = server
        .catalog()
        .await
        .alter_table(&t, &[add])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(!error.retryable());
    assert_eq!(
        error.to_string(),
        "changing table d.t: the server was busy, and refused it when it was asked again; look at the table; whether \
         the server did it is not known"
    );
}

#[tokio::test]
async fn schemas_that_the_catalog_cannot_serve_are_refused_by_name_before_anything_is_asked() {
    let server = Server::of_catalog(json!({"overrides": {"data-token.enabled": "true"}}), |_| {
        Reply::done()
    })
    .await;
    let catalog = server.catalog().await;
    let with = |options: &[(&str, &str)]| {
        let options: Options = options.iter().copied().collect();
        Schema {
            options: options.merged_over(&Options::from([("type", "format-table")])),
            ..orders()
        }
    };
    for (schema, word) in [
        (
            with(&[("metastore.partitioned-table", "true"), ("path", "/wh/t")]),
            "'metastore.partitioned-table'",
        ),
        (
            with(&[
                ("metastore.partitioned-table", "true"),
                ("format-table.implementation", "engine"),
            ]),
            "'metastore.partitioned-table'",
        ),
        (
            with(&[("format-table.implementation", "engine")]),
            "'format-table.implementation'",
        ),
        (with(&[("type", "table")]), "d.t"),
        (with(&[("path", "wh/t")]), "relative"),
    ] {
        let error = catalog
            .create_table(&table("d.t"), &schema, false)
            .await
            .unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    assert!(server.lines().is_empty());
}

#[tokio::test]
async fn tables_are_renamed() {
    let server = Server::scripted([
        Reply::done(),
        Reply::error(404, "TABLE", "t"),
        Reply::error(409, "TABLE", "u"),
        Reply::error(404, "TABLE", "t"),
        Reply::error(404, "TABLE", "t"),
        Reply::error(404, "DATABASE", "e"),
        Reply::ok(answer("/wh/t", format_table())),
    ])
    .await;
    let catalog = server.catalog().await;
    let (t, u) = (table("d.t"), table("e.u"));
    catalog.rename_table(&t, &u, false).await.unwrap();
    let error = catalog.rename_table(&t, &u, false).await.unwrap_err();
    assert_eq!(error.to_string(), "table d.t does not exist");
    let error = catalog.rename_table(&t, &u, true).await.unwrap_err();
    assert_eq!(error.to_string(), "table e.u already exists");
    catalog.rename_table(&t, &u, true).await.unwrap();
    // The source is there: it is the target's database that is missing.
    let error = catalog.rename_table(&t, &u, true).await.unwrap_err();
    assert_eq!(error.to_string(), "database 'e' does not exist");
    let request = &server.received()[0];
    assert_eq!(request.line(), "POST /v1/p/tables/rename");
    assert_eq!(
        request.json(),
        json!({"source": {"database": "d", "object": "t"}, "destination": {"database": "e", "object": "u"}})
    );
}

#[tokio::test]
async fn tables_are_altered() {
    let before = Reply::ok(answer("/wh/t", format_table()));
    let mut after = answer("/wh/t", format_table());
    after["schemaId"] = 4.into();
    let server = Server::scripted([
        before.clone(),
        Reply::done(),
        Reply::ok(after),
        before.clone(),
        before.clone(),
        Reply::error(409, "COLUMN", "note"),
        before,
    ])
    .await;
    let catalog = server.catalog().await;
    let set = |key: &str, value: &str| SchemaChange::SetOption {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    let t = table("d.t");
    let schema = catalog
        .alter_table(
            &t,
            &[
                set("type", "Format-Table"),
                set("file.compression", "snappy"),
            ],
        )
        .await
        .unwrap();
    assert_eq!(schema.id, 4);
    // Nothing to change.
    let schema = catalog
        .alter_table(&t, &[set("type", "format-table")])
        .await
        .unwrap();
    assert_eq!(schema.id, 3);
    let add = SchemaChange::AddColumn {
        field_names: vec!["note".to_owned()],
        data_type: "STRING".parse().unwrap(),
        comment: None,
        r#move: None,
    };
    let error = catalog.alter_table(&t, &[add]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "column 'note' of table d.t already exists"
    );
    let error = catalog
        .alter_table(&t, &[set("type", "table")])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let received = server.received();
    assert_eq!(received[1].line(), "POST /v1/p/databases/d/tables/t");
    assert_eq!(
        received[1].json(),
        json!({"changes": [{"action": "setOption", "key": "file.compression", "value": "snappy"}]})
    );
    assert_eq!(received.len(), 7);
}

#[tokio::test]
async fn details_come_from_one_listing_or_from_table_after_table() {
    let mut second = answer("/wh/u", json!({"type": "table"}));
    second["name"] = "u".into();
    let first = answer("/wh/t", format_table());
    let server = Server::scripted([
        Reply::ok(json!({"tableDetails": [second, first]})),
        Reply::ok(json!({"tableDetails": [second, first]})),
        // A server without such a listing.
        Reply::Json(404, json!({"resourceType": null, "resourceName": null, "message": "Not Found", "code": 404})),
        Reply::ok(json!({"tables": ["gone", "t", "x"]})),
        Reply::error(404, "TABLE", "gone"),
        Reply::ok(first.clone()),
    ])
    .await;
    let catalog = server.catalog().await;
    let names = |details: Vec<TableDetails>| -> Vec<String> {
        details
            .iter()
            .map(|table| table.identifier.to_string())
            .collect()
    };
    let details = catalog.list_table_details("d", None).await.unwrap();
    assert_eq!(details[0].location.path(), "/wh/t");
    assert_eq!(names(details), ["d.t", "d.u"]);
    // The server narrows or not.
    let details = catalog.list_table_details("d", Some("t%")).await.unwrap();
    assert_eq!(names(details), ["d.t"]);
    let details = catalog.list_table_details("d", Some("%_t")).await.unwrap();
    assert!(details.is_empty());
    let details = Server::scripted([
        Reply::error(501, "", ""),
        Reply::ok(json!({"tables": ["gone", "t"]})),
        Reply::error(404, "TABLE", "gone"),
        Reply::ok(first),
    ])
    .await
    .catalog()
    .await
    .list_table_details("d", None)
    .await
    .unwrap();
    assert_eq!(names(details), ["d.t"]);
    assert_eq!(
        server.lines()[..4],
        [
            "GET /v1/p/databases/d/table-details",
            "GET /v1/p/databases/d/table-details?tableNamePattern=t%25",
            "GET /v1/p/databases/d/table-details",
            "GET /v1/p/databases/d/tables",
        ]
    );
}

/// A server whose tables lie at a path and whose credentials live so many milliseconds.
async fn vending(path: &str, external: bool) -> Server {
    let mut table_answer = answer(path, format_table());
    table_answer["isExternal"] = external.into();
    Server::of_catalog(
        json!({"overrides": {"data-token.enabled": "true"}}),
        move |request| {
            if request.target.ends_with("/token") {
                Reply::ok(
                    json!({"token": {"fs.oss.accessKeyId": "STS.x"}, "expiresAtMillis": 2_000_000}),
                )
            } else {
                Reply::ok(table_answer.clone())
            }
        },
    )
    .await
}

#[tokio::test]
async fn credentials_are_for_the_files_of_internal_tables() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("a"), "rows").unwrap();
    let text = format!("file:{}", path.display());
    for (external, asked) in [(false, 2), (true, 0)] {
        let server = vending(&text, external).await;
        let now = std::sync::Arc::new(std::sync::atomic::AtomicI64::new(1_000_000));
        let clock = Clock::at(&now);
        let catalog = RestCatalog::open_at(server.options(), clock).await.unwrap();
        let loaded = catalog.get_table(&table("d.t")).await.unwrap();
        let tokens = |server: &Server| {
            let lines = server.lines();
            lines.iter().filter(|line| line.ends_with("/token")).count()
        };
        assert_eq!(tokens(&server), 0);
        for _ in 0..3 {
            let listed = loaded
                .file_system
                .list(loaded.location.path())
                .await
                .unwrap();
            assert_eq!(listed.len(), 1);
        }
        assert_eq!(tokens(&server), asked.min(1));
        // In the last tenth of their life.
        now.store(1_900_001, std::sync::atomic::Ordering::SeqCst);
        loaded
            .file_system
            .list(loaded.location.path())
            .await
            .unwrap();
        assert_eq!(tokens(&server), asked);
        if !external {
            let line = "GET /v1/databases/d/tables/t/token".to_owned();
            assert!(server.lines().contains(&line));
        }
    }
}
