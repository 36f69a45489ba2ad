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

    /// The dates that are registered for `shop.orders`, as days since 1970, which is how they are spelled by default.
    fn values(&self) -> Vec<String> {
        let registered = self.server.registered("shop", "orders");
        let mut values: Vec<_> = registered
            .into_iter()
            .map(|partition| partition.spec[0].1.clone())
            .collect();
        values.sort();
        values
    }

    /// Their numbers of rows, by date.
    fn numbers(&self) -> Vec<i64> {
        let mut registered = self.server.registered("shop", "orders");
        registered.sort_by(|one, other| one.spec.cmp(&other.spec));
        registered
            .iter()
            .map(|partition| partition.record_count)
            .collect()
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
    let again = shop.run(
        "hunter2",
        &[
            "add-partition",
            "shop.orders",
            "--partition",
            "dt=2024-01-03",
        ],
    );
    let told = again.refused();
    assert!(told.contains("registered already"), "{told}");
    // A directory that somebody else made is not seen before a repair registers it.
    let directory = shop.server.directory("shop", "orders").unwrap();
    std::fs::create_dir(directory.join("dt=19726")).unwrap();
    std::fs::remove_dir_all(directory.join("dt=19725")).unwrap();
    assert_eq!(shop.ok(&["partitions", "shop.orders"]).len(), 3);
    shop.ok(&["repair", "shop.orders", "--sync", "--dry-run"]);
    assert_eq!(shop.values(), ["19723", "19724", "19725"]);
    shop.ok(&["repair", "shop.orders", "--sync"]);
    assert_eq!(shop.values(), ["19723", "19724", "19726"]);
    shop.ok(&[
        "insert",
        "shop.orders",
        "rows.json",
        "--overwrite",
        "--dry-run",
    ]);
    shop.ok(&["insert", "shop.orders", "rows.json", "--overwrite"]);
    assert_eq!(
        shop.ok(&["count", "shop.orders", "--where", "dt = '2024-01-01'"]),
        [json!({"count": 1})]
    );
    shop.ok(&["truncate", "shop.orders", "--partition", "dt=2024-01-01"]);
    // Nobody has counted the one that the repair has registered.
    assert_eq!(shop.numbers(), [0, 1, -1]);
    shop.ok(&["truncate", "shop.orders"]);
    assert_eq!(shop.ok(&["count", "shop.orders"]), [json!({"count": 0})]);
    assert_eq!(shop.numbers(), [0, 0, 0]);
    shop.ok(&[
        "drop-partition",
        "shop.orders",
        "--partition",
        "dt=2024-01-01",
    ]);
    assert_eq!(shop.values(), ["19724", "19726"]);
    assert!(!directory.join("dt=19723").exists());
    shop.ok(&["drop", "shop.orders"]);
    assert!(shop.ok(&["tables", "shop"]).is_empty());
}

#[test]
fn a_wrong_token_is_refused_and_not_shown() {
    let shop = Shop::new();
    let message = shop.run("hunter3", &["databases"]).refused();
    assert!(!message.contains("hunter"), "{message}");
}

#[test]
fn external_tables_keep_their_files_and_have_no_registered_partitions() {
    let shop = Shop::new();
    let files = shop.path().join("elsewhere/dt=2024-01-01");
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("a.csv"), "1,x\n2,y\n").unwrap();
    let place = shop.path().join("elsewhere");
    let place = place.to_str().unwrap();
    let columns = "id INT, item STRING, dt DATE";
    shop.ok(&[
        "create",
        "shop.hits",
        "--location",
        place,
        "--schema",
        columns,
        "--partitioned-by",
        "dt",
        "-o",
        "file.format=csv",
    ]);
    assert_eq!(shop.ok(&["count", "shop.hits"]), [json!({"count": 2})]);
    for verb in [
        &["add-partition", "shop.hits", "--partition", "dt=2024-01-02"][..],
        &["analyze", "shop.hits"],
        &["repair", "shop.hits", "--sync"],
    ] {
        let told = shop.run("hunter2", verb).refused();
        assert!(
            told.contains("does not manage its partitions"),
            "{verb:?}: {told}"
        );
    }
    for verb in [&["scan", "shop.hits"][..], &["count", "shop.hits"]] {
        let verb = [&["-c", "metastore.partitioned-table=true"], verb].concat();
        let told = shop.run("hunter2", &verb).refused();
        assert!(
            told.contains("metastore.partitioned-table"),
            "{verb:?}: {told}"
        );
    }
    let default = ["-c", "table-default.metastore.partitioned-table=true"];
    let create = [
        "create",
        "shop.more",
        "--location",
        place,
        "--schema",
        "id INT, dt DATE",
        "--partitioned-by",
        "dt",
    ];
    let told = shop
        .run("hunter2", &[&default[..], &create].concat())
        .refused();
    assert!(told.contains("metastore.partitioned-table"), "{told}");
    shop.ok(&["drop", "shop.hits"]);
    assert!(files.join("a.csv").exists());
}
