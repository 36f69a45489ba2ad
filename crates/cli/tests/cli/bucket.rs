//! The `ftable` binary on a bucket of S3: a warehouse in it, and a directory that somebody else wrote.

use std::process::Command;

use ftable_testkit::s3_server::{S3Options, S3Server};
use serde_json::{Value, json};

use super::Ran;

fn server() -> S3Server {
    let server = S3Server::start(S3Options::new().bucket("lake")).unwrap();
    server.credentials().allow("AK", "hunter2", None, None);
    server
}

fn run(server: &S3Server, secret: &str, arguments: &[&str]) -> Ran {
    let options = [
        format!("s3.endpoint={}", server.endpoint()),
        "s3.access-key=AK".to_owned(),
        format!("s3.secret-key={secret}"),
    ];
    let options = options.iter().flat_map(|option| ["-c", option]);
    let ran = Command::new(env!("CARGO_BIN_EXE_ftable"))
        .args(options)
        .arg("--quiet")
        .args(arguments)
        .output();
    ran.unwrap().into()
}

fn ok(server: &S3Server, arguments: &[&str]) -> Vec<Value> {
    run(server, "hunter2", arguments).json()
}

#[test]
fn a_warehouse_in_a_bucket() {
    let server = server();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("rows.json");
    std::fs::write(
        &file,
        "{\"id\":1,\"p\":\"x y\"}\n{\"id\":2,\"p\":\"a/b\"}\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let in_warehouse = |arguments: &[&str]| {
        let arguments = [&["--warehouse", "s3://lake/wh"], arguments].concat();
        ok(&server, &arguments)
    };
    in_warehouse(&[
        "create",
        "d.t",
        "--schema",
        "id INT, p STRING",
        "--partitioned-by",
        "p",
    ]);
    let inserted = in_warehouse(&["insert", "d.t", file]);
    assert_eq!(inserted[0]["rows"], json!(2));
    assert_eq!(
        in_warehouse(&["scan", "d.t"]),
        [json!({"id": 2, "p": "a/b"}), json!({"id": 1, "p": "x y"})]
    );
    in_warehouse(&["insert", "d.t", file, "--overwrite"]);
    assert_eq!(in_warehouse(&["count", "d.t"]), [json!({"count": 2})]);
    let scanned = ok(
        &server,
        &[
            "scan",
            "--path",
            "s3a://lake/wh/d.db/t",
            "--where",
            "id = 1",
        ],
    );
    assert_eq!(scanned, [json!({"id": 1, "p": "x y"})]);
    in_warehouse(&["drop", "d.t"]);
    let left = server.objects("lake");
    assert!(
        left.iter().all(|key| !key.starts_with("wh/d.db/t/")),
        "{left:?}"
    );
}

#[test]
fn a_directory_that_somebody_else_wrote() {
    let server = server();
    server.put_object("lake", "logs/day=2024-01-01/a.csv", "1,x\n2,y\n".into());
    server.put_object("lake", "logs/day=2024-01-02/a.csv", "3,z\n".into());
    let rows = ok(
        &server,
        &[
            "scan",
            "--path",
            "s3://lake/logs",
            "--format",
            "csv",
            "--schema",
            "id INT, name STRING, day DATE",
            "--partitioned-by",
            "day",
            "--where",
            "day = '2024-01-02'",
        ],
    );
    assert_eq!(rows, [json!({"id": 3, "name": "z", "day": "2024-01-02"})]);
    let refused = run(&server, "wrong", &["infer", "--path", "s3://lake/logs"]);
    let told = refused.refused();
    assert!(told.contains("logs") && !told.contains("wrong"), "{told}");
}
