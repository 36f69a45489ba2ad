//! The `ftable` binary over a REST catalog: every verb, against a server on this machine.

use std::path::Path;
use std::process::Command;

use ftable_testkit::rest_server::{Authorization, RestServer, ServerOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Ran;

/// A server and what its clients say.
struct Shop {
    directory: TempDir,
    server: RestServer,
}

impl Shop {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let server = RestServer::start(ServerOptions {
            authorization: Authorization::Bearer("hunter2".to_owned()),
            ..ServerOptions::new(directory.path())
        })
        .unwrap();
        Self { directory, server }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn run(&self, token: &str, arguments: &[&str]) -> Ran {
        let uri = format!("uri={}", self.server.uri());
        let ran = Command::new(env!("CARGO_BIN_EXE_ftable"))
            .args([
                "-c",
                "metastore=rest",
                "-c",
                &uri,
                "-c",
                &format!("token={token}"),
            ])
            .args(["-c", "rest.client.retry-delay=1 ms", "--quiet"])
            .args(arguments)
            .current_dir(self.path())
            .output()
            .unwrap();
        ran.into()
    }

    fn ok(&self, arguments: &[&str]) -> Vec<Value> {
        self.run("hunter2", arguments).json()
    }
}

#[test]
fn every_verb() {
    let shop = Shop::new();
    let columns = "id BIGINT NOT NULL, item STRING, dt DATE";
    let managed = "metastore.partitioned-table=true";
    shop.ok(&[
        "create",
        "shop.orders",
        "--schema",
        columns,
        "--partitioned-by",
        "dt",
        "-o",
        managed,
    ]);
    assert_eq!(shop.ok(&["databases"]), [json!({"database": "shop"})]);
    assert_eq!(shop.ok(&["tables", "shop"]).len(), 1);
    let rows = "{\"id\":1,\"item\":\"a\",\"dt\":\"2024-01-01\"}\n{\"id\":2,\"item\":null,\"dt\":\"2024-01-02\"}\n";
    std::fs::write(shop.path().join("rows.json"), rows).unwrap();
    let inserted = shop.ok(&["insert", "shop.orders", "rows.json"]);
    assert_eq!(
        (&inserted[0]["rows"], &inserted[0]["files"]),
        (&json!(2), &json!(2))
    );
    let registered: Vec<_> = shop.server.registered("shop", "orders");
    assert_eq!(
        registered
            .iter()
            .map(|partition| partition.record_count)
            .collect::<Vec<_>>(),
        [1, 1]
    );
    assert_eq!(
        shop.ok(&["scan", "shop.orders", "--where", "id = 1"]),
        [json!({"id": 1, "item": "a", "dt": "2024-01-01"})]
    );
    assert_eq!(shop.ok(&["count", "shop.orders"]), [json!({"count": 2})]);
    assert_eq!(shop.ok(&["partitions", "shop.orders"]).len(), 2);
    assert_eq!(shop.ok(&["files", "shop.orders"]).len(), 2);
    assert!(
        !shop
            .ok(&["schema", "shop.orders", "--output", "json"])
            .is_empty()
    );

    shop.ok(&[
        "add-partition",
        "shop.orders",
        "--partition",
        "dt=2024-01-03",
    ]);
    assert_eq!(shop.server.registered("shop", "orders").len(), 3);
    assert_eq!(shop.ok(&["analyze", "shop.orders"]).len(), 3);
    let registered = shop.server.registered("shop", "orders");
    assert_eq!(
        registered
            .iter()
            .map(|partition| partition.record_count)
            .sum::<i64>(),
        2
    );
    shop.ok(&["repair", "shop.orders", "--sync"]);
    shop.ok(&["truncate", "shop.orders"]);
    assert_eq!(shop.ok(&["count", "shop.orders"]), [json!({"count": 0})]);
    shop.ok(&[
        "drop-partition",
        "shop.orders",
        "--partition",
        "dt=2024-01-01",
    ]);
    shop.ok(&["drop", "shop.orders"]);
    assert!(shop.ok(&["tables", "shop"]).is_empty());
}

#[test]
fn a_wrong_token_is_refused_and_not_shown() {
    let shop = Shop::new();
    let message = shop.run("hunter3", &["databases"]).refused();
    assert!(!message.contains("hunter"), "{message}");
}
