//! The `ftable` binary from outside: arguments, output, messages and exit codes.

#![allow(clippy::unwrap_used)] // what cannot be made or run fails the test that needs it

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory to run the command in, with a warehouse `wh`.
struct Shop {
    directory: TempDir,
}

/// What a run gave.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// The output of a run that did what was asked and had nothing to complain about.
    fn ok(self) -> String {
        assert_eq!(
            (self.code, self.err.as_str()),
            (Some(0), ""),
            "{}",
            self.out
        );
        self.out
    }

    fn json(self) -> Vec<Value> {
        let out = self.ok();
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The message of a run that was refused: one line and no output.
    fn refused(self) -> String {
        assert_eq!(
            (self.code, self.out.as_str()),
            (Some(1), ""),
            "{}",
            self.err
        );
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        self.err
            .trim_end()
            .strip_prefix("error: ")
            .unwrap()
            .to_owned()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Shop {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// A warehouse with an empty table `shop.orders`.
    fn with_orders() -> Self {
        let shop = Self::new();
        let columns = "id BIGINT NOT NULL, item STRING, price DECIMAL(10, 2), raw BYTES, dt DATE";
        shop.run(&[
            "create",
            "shop.orders",
            "--schema",
            columns,
            "--partitioned-by",
            "dt",
        ])
        .ok();
        shop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ftable"));
        command.current_dir(self.directory.path()).args(arguments);
        command
    }

    /// Runs the command with the warehouse.
    fn run(&self, arguments: &[&str]) -> Ran {
        self.command(&["--warehouse", "wh"])
            .args(arguments)
            .output()
            .unwrap()
            .into()
    }

    /// Runs the command without one.
    fn bare(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    fn piped(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(&["--warehouse", "wh"]);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap().into()
    }
}

/// The names below a directory that are not hidden, sorted.
fn visible(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with(['_', '.'])).collect();
    names.sort();
    names
}

const CSV: &str = "dt,id,item,price,raw\n2024-01-01,1,\"tea, green\",4.50,AP/+\n2024-01-02,2,,39,\n,3,\"\",,\"\"\n";

fn rows() -> Vec<Value> {
    vec![
        json!({"id": 1, "item": "tea, green", "price": "4.50", "raw": "AP/+", "dt": "2024-01-01"}),
        json!({"id": 2, "item": null, "price": "39.00", "raw": null, "dt": "2024-01-02"}),
        json!({"id": 3, "item": "", "price": null, "raw": "", "dt": null}),
    ]
}

#[test]
fn csv_goes_in_and_comes_out() {
    let shop = Shop::with_orders();
    shop.file("day.csv", CSV);
    let report = shop.run(&["insert", "shop.orders", "day.csv"]).json();
    assert_eq!(
        (
            &report[0]["rows"],
            &report[0]["files"],
            &report[0]["partitions"]
        ),
        (&json!(3), &json!(3), &json!(3))
    );
    assert!(report[0]["bytes"].as_u64().unwrap() > 0);

    assert_eq!(shop.run(&["scan", "shop.orders"]).json(), rows());
    assert_eq!(shop.run(&["count", "shop.orders"]).ok(), "{\"count\":3}\n");
    let csv = shop
        .run(&[
            "scan",
            "shop.orders",
            "--columns",
            "dt, id,item,price,raw",
            "--output",
            "csv",
        ])
        .ok();
    assert_eq!(
        csv,
        "dt,id,item,price,raw\n2024-01-01,1,\"tea, green\",4.50,AP/+\n2024-01-02,2,,39.00,\n,3,\"\",,\"\"\n"
    );
    let table = shop
        .run(&[
            "scan",
            "shop.orders",
            "--columns",
            "id,dt",
            "--output",
            "table",
        ])
        .ok();
    assert_eq!(
        table,
        "id  dt\n--  ----------\n 1  2024-01-01\n 2  2024-01-02\n 3  NULL\n(3 rows)\n"
    );
}

#[test]
fn filters_limits_and_kinds() {
    let shop = Shop::with_orders();
    shop.file("day.csv", CSV);
    shop.run(&["insert", "shop.orders", "day.csv"]).ok();
    let scan = |arguments: &[&str]| {
        let all: Vec<&str> = ["scan", "shop.orders", "--columns", "id"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        shop.run(&all).ok()
    };
    assert_eq!(
        scan(&["--where", "dt >= DATE '2024-01-02'"]),
        "{\"id\":2}\n"
    );
    assert_eq!(
        scan(&["--where", "dt IS NULL OR price < 5"]),
        "{\"id\":1}\n{\"id\":3}\n"
    );
    assert_eq!(scan(&["--limit", "2"]), "{\"id\":1}\n{\"id\":2}\n");
    assert_eq!(scan(&["--limit", "0"]), "");
    assert_eq!(
        scan(&["--limit", "1", "--value-kind"]),
        "{\"_VALUE_KIND\":0,\"id\":1}\n"
    );
    assert_eq!(
        shop.run(&["count", "shop.orders", "--where", "id > 1"])
            .ok(),
        "{\"count\":2}\n"
    );
}

#[test]
fn partitions_and_files() {
    let shop = Shop::with_orders();
    shop.file("day.csv", CSV);
    shop.run(&["insert", "shop.orders", "day.csv"]).ok();
    // The legacy spelling of a DATE, Paimon's default, is its day number.
    let expected = [
        json!({"partition": {"dt": "2024-01-01"}, "path": "dt=19723"}),
        json!({"partition": {"dt": "2024-01-02"}, "path": "dt=19724"}),
        json!({"partition": {"dt": null}, "path": "dt=__DEFAULT_PARTITION__"}),
    ];
    assert_eq!(shop.run(&["partitions", "shop.orders"]).json(), expected);
    assert_eq!(
        visible(&shop.path("wh/shop.db/orders")),
        ["dt=19723", "dt=19724", "dt=__DEFAULT_PARTITION__", "schema"]
    );
    let one = shop
        .run(&[
            "partitions",
            "shop.orders",
            "--where",
            "dt = DATE '2024-01-02'",
        ])
        .json();
    assert_eq!(one, expected[1..2]);
    let undecided = shop.run(&["partitions", "shop.orders", "--where", "id = 1"]);
    assert_eq!(
        (undecided.code, undecided.out.lines().count()),
        (Some(0), 3)
    );
    assert!(
        undecided.err.starts_with("warning: id is no partition key"),
        "{}",
        undecided.err
    );

    let files = shop
        .run(&["files", "shop.orders", "--where", "dt = DATE '2024-01-01'"])
        .json();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0]["partition"], json!({"dt": "2024-01-01"}));
    let file = &files[0]["files"][0];
    let path = file["path"].as_str().unwrap();
    assert!(
        path.starts_with("dt=19723/data-") && path.ends_with(".parquet"),
        "{path}"
    );
    let size = fs::metadata(shop.path("wh/shop.db/orders").join(path))
        .unwrap()
        .len();
    assert_eq!(
        (&file["size"], &file["offset"], &file["length"]),
        (&json!(size), &json!(0), &json!(size))
    );

    let csv = shop
        .run(&["partitions", "shop.orders", "--output", "csv"])
        .ok();
    assert_eq!(csv.lines().next(), Some("dt,path,files,bytes"));
    assert!(
        csv.lines()
            .nth(3)
            .unwrap()
            .starts_with(",dt=__DEFAULT_PARTITION__,1,"),
        "{csv}"
    );
    let table = shop
        .run(&["files", "shop.orders", "--output", "table"])
        .ok();
    assert!(
        table.starts_with("split  path") && table.ends_with("(3 rows)\n"),
        "{table}"
    );
}

#[test]
fn json_goes_in_and_comes_out() {
    let shop = Shop::with_orders();
    let lines: String = rows().iter().map(|row| format!("{row}\n")).collect();
    shop.piped(
        &["insert", "shop.orders", "--input-format", "json", "-"],
        lines.as_bytes(),
    )
    .ok();
    assert_eq!(shop.run(&["scan", "shop.orders"]).json(), rows());
}

#[test]
fn every_export_goes_in_again() {
    let shop = Shop::with_orders();
    shop.file("day.csv", CSV);
    shop.run(&["insert", "shop.orders", "day.csv"]).ok();
    for extension in ["parquet", "csv", "json", "arrow"] {
        let file = format!("out.{extension}");
        let report = shop.run(&["scan", "shop.orders", "--to", &file]).json();
        let size = fs::metadata(shop.path(&file)).unwrap().len();
        assert_eq!(report, [json!({"file": file, "rows": 3, "bytes": size})]);
        let copy = format!("shop.copy_{extension}");
        let columns = "id BIGINT NOT NULL, item STRING, price DECIMAL(10, 2), raw BYTES, dt DATE";
        shop.run(&["create", &copy, "--schema", columns]).ok();
        shop.run(&["insert", &copy, &file]).ok();
        assert_eq!(shop.run(&["scan", &copy]).json(), rows(), "{extension}");
        // Piped in, each of them has to be recognised from its beginning.
        let bytes = fs::read(shop.path(&file)).unwrap();
        shop.piped(&["insert", &copy, "--input-format", extension, "-"], &bytes)
            .ok();
        assert_eq!(
            shop.run(&["count", &copy]).ok(),
            "{\"count\":6}\n",
            "{extension}"
        );
    }
    let left: Vec<String> = fs::read_dir(shop.directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(left.iter().all(|name| !name.ends_with(".part")), "{left:?}");
}

#[test]
fn orc_tables_and_files() {
    let shop = Shop::new();
    let columns = "id INT, name STRING, ts TIMESTAMP(6), p INT";
    shop.run(&[
        "create",
        "db.t",
        "--schema",
        columns,
        "--partitioned-by",
        "p",
        "-o",
        "file.format=orc",
    ])
    .ok();
    shop.file(
        "in.jsonl",
        "{\"id\":1,\"name\":\"a\",\"ts\":\"2024-01-01 10:00:00.5\",\"p\":7}\n{\"id\":2}\n",
    );
    shop.run(&["insert", "db.t", "in.jsonl"]).ok();
    let expected = "{\"id\":1,\"ts\":\"2024-01-01T10:00:00.500000\",\"p\":7}\n{\"id\":2,\"ts\":null,\"p\":null}\n";
    assert_eq!(
        shop.run(&["scan", "db.t", "--columns", "id,ts,p"]).ok(),
        expected
    );
    shop.run(&["scan", "db.t", "--to", "out.orc"]).ok();
    shop.run(&["insert", "db.t", "out.orc"]).ok();
    assert_eq!(
        shop.run(&["count", "db.t", "--where", "p = 7"]).ok(),
        "{\"count\":2}\n"
    );
}

#[test]
fn a_given_partition_takes_all_rows() {
    let shop = Shop::with_orders();
    shop.file("day.csv", "id,item\n1,a\n2,b\n");
    let refused = shop.run(&["insert", "shop.orders", "day.csv"]).refused();
    assert_eq!(
        refused,
        "day.csv: line 1: the partition key 'dt' is missing; say --partition dt=VALUE"
    );
    shop.run(&[
        "insert",
        "shop.orders",
        "--partition",
        "dt=2024-01-05",
        "day.csv",
        "day.csv",
    ])
    .ok();
    let partitions = shop.run(&["partitions", "shop.orders"]).json();
    assert_eq!(
        partitions,
        [json!({"partition": {"dt": "2024-01-05"}, "path": "dt=19727"})]
    );
    assert_eq!(shop.run(&["count", "shop.orders"]).ok(), "{\"count\":4}\n");
    shop.run(&[
        "scan",
        "shop.orders",
        "--columns",
        "id,item",
        "--to",
        "no_key.parquet",
    ])
    .ok();
    let refused = shop
        .run(&["insert", "shop.orders", "no_key.parquet"])
        .refused();
    assert_eq!(
        refused,
        "no_key.parquet: the partition key 'dt' is missing; say --partition dt=VALUE"
    );
    shop.run(&[
        "insert",
        "shop.orders",
        "--partition",
        "dt=__DEFAULT_PARTITION__",
        "no_key.parquet",
    ])
    .ok();
    assert_eq!(
        shop.run(&["count", "shop.orders", "--where", "dt IS NULL"])
            .ok(),
        "{\"count\":4}\n"
    );
}

#[test]
fn a_failed_insert_leaves_the_table_as_it_was() {
    let shop = Shop::with_orders();
    shop.file("good.csv", "id,dt\n1,2024-01-01\n");
    shop.file("bad.csv", "id,dt\n2,2024-01-01\nx,2024-01-01\n");
    let refused = shop
        .run(&["insert", "shop.orders", "good.csv", "bad.csv"])
        .refused();
    assert_eq!(refused, "bad.csv: line 3: column 'id': 'x' is no BIGINT");
    assert_eq!(shop.run(&["count", "shop.orders"]).ok(), "{\"count\":0}\n");
    shop.file("null.csv", "id,dt\n,2024-01-01\n");
    let refused = shop.run(&["insert", "shop.orders", "null.csv"]).refused();
    assert!(
        refused.contains("shop.orders") && refused.contains("id") && refused.contains("NOT NULL"),
        "{refused}"
    );
    assert!(
        shop.run(&["insert", "shop.orders", "missing.csv"])
            .refused()
            .starts_with("cannot open 'missing.csv': ")
    );
    assert!(
        shop.run(&["insert", "shop.orders", "missing.parquet"])
            .refused()
            .contains("missing.parquet': it does not exist")
    );
    shop.file("no.parquet", "this is no parquet");
    assert!(
        shop.run(&["insert", "shop.orders", "no.parquet"])
            .refused()
            .contains("not a readable parquet file")
    );
    shop.file(
        "no.orc",
        "this is no orc at all, but long enough to have a footer",
    );
    assert!(
        shop.run(&["insert", "shop.orders", "no.orc"])
            .refused()
            .contains("not a readable orc file")
    );
    assert_eq!(shop.run(&["count", "shop.orders"]).ok(), "{\"count\":0}\n");
}

#[test]
fn the_catalog() {
    let shop = Shop::with_orders();
    shop.run(&["create", "other.t", "--schema", "a INT", "--if-not-exists"])
        .ok();
    shop.run(&["create", "other.t", "--schema", "a INT", "--if-not-exists"])
        .ok();
    assert!(
        shop.run(&["create", "other.t", "--schema", "a INT"])
            .refused()
            .contains("other.t already exists")
    );
    let databases = shop.run(&["databases"]).json();
    assert!(
        databases.contains(&json!({"database": "shop"}))
            && databases.contains(&json!({"database": "other"}))
    );
    assert_eq!(
        shop.run(&["tables", "shop"]).ok(),
        "{\"database\":\"shop\",\"table\":\"orders\"}\n"
    );
    assert_eq!(shop.run(&["tables"]).json().len(), 2);
    assert!(
        shop.run(&["tables", "nope"])
            .refused()
            .contains("database 'nope' does not exist")
    );

    let schema = &shop.run(&["schema", "shop.orders"]).json()[0];
    assert_eq!(
        schema["fields"][0],
        json!({"id": 0, "name": "id", "type": "BIGINT NOT NULL"})
    );
    assert_eq!(schema["partitionKeys"], json!(["dt"]));
    assert_eq!(schema["options"]["type"], json!("format-table"));
    let ddl = shop
        .run(&["schema", "shop.orders", "--output", "table"])
        .ok();
    assert!(
        ddl.starts_with("CREATE TABLE shop.orders (\n  id BIGINT NOT NULL,\n  item STRING,\n"),
        "{ddl}"
    );
    assert!(ddl.contains(") PARTITIONED BY (dt) WITH (\n"), "{ddl}");

    assert_eq!(
        shop.run(&["drop", "other.t"]).ok(),
        "{\"dropped\":\"other.t\"}\n"
    );
    assert!(
        shop.run(&["drop", "other.t"])
            .refused()
            .contains("other.t does not exist")
    );
    assert!(
        shop.run(&["scan", "other.t"])
            .refused()
            .contains("other.t does not exist")
    );
}

#[test]
fn a_refused_table_leaves_no_database() {
    let shop = Shop::new();
    for (arguments, message) in [
        (&["--schema", "a INT", "--partitioned-by", "b"][..], "b"),
        (&["--schema", "a FOO"], "'FOO' is no type"),
        (&["--schema", "a INT", "-o", "file.format=avro"], "avro"),
        (&["--schema", "a INT", "-o", "primary-key=a"], "primary"),
    ] {
        let all: Vec<&str> = ["create", "new.t"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let refused = shop.run(&all).refused();
        assert!(refused.contains(message), "{refused}");
    }
    assert!(!shop.path("wh/new.db").exists());
}

#[test]
fn a_location_outside_keeps_its_data() {
    let shop = Shop::new();
    let outside = shop.path("outside");
    let outside = outside.to_str().unwrap();
    let created = shop
        .run(&["create", "db.t", "--schema", "a INT", "--location", outside])
        .json();
    assert_eq!(created, [json!({"table": "db.t", "location": outside})]);
    shop.file("a.csv", "a\n1\n");
    shop.run(&["insert", "db.t", "a.csv"]).ok();
    assert_eq!(visible(Path::new(outside)).len(), 1);
    shop.run(&["drop", "db.t"]).ok();
    assert_eq!(visible(Path::new(outside)).len(), 1);
    assert_eq!(
        shop.bare(&["scan", "--path", outside, "--schema", "a INT"])
            .ok(),
        "{\"a\":1}\n"
    );
}

#[test]
fn a_path_in_place_of_a_name() {
    let shop = Shop::new();
    shop.file("in.csv", "id,city\n1,M\u{fc}nchen\n2,\n");
    let place = [
        "--path",
        "events",
        "--schema",
        "id INT, city STRING",
        "--partitioned-by",
        "city",
    ];
    let with = |verb: &str, more: &[&str]| {
        let all: Vec<&str> = [verb].iter().chain(&place).chain(more).copied().collect();
        shop.bare(&all)
    };
    with("insert", &["in.csv"]).ok();
    assert_eq!(
        visible(&shop.path("events")),
        ["city=M\u{fc}nchen", "city=__DEFAULT_PARTITION__"]
    );
    assert_eq!(
        with("scan", &["--where", "city = 'M\u{fc}nchen'"]).ok(),
        "{\"id\":1,\"city\":\"München\"}\n"
    );
    assert_eq!(with("count", &[]).ok(), "{\"count\":2}\n");

    let hive = with(
        "scan",
        &[
            "-c",
            "partition.default-name=__HIVE_DEFAULT_PARTITION__",
            "--where",
            "id = 2",
        ],
    );
    assert_eq!(hive.out, "{\"id\":2,\"city\":\"__DEFAULT_PARTITION__\"}\n");
    assert!(
        hive.err.starts_with("warning: city=__DEFAULT_PARTITION__ "),
        "{}",
        hive.err
    );
    let json = r#"{"fields": [{"name": "id", "type": "INT"}, {"name": "city", "type": "STRING"}], "partitionKeys": ["city"]}"#;
    shop.file("table.json", json);
    assert_eq!(
        shop.bare(&["count", "--path", "events", "--schema", "table.json"])
            .ok(),
        "{\"count\":2}\n"
    );
    // Without one it is inferred.
    assert_eq!(
        shop.bare(&["scan", "--path", "events", "--where", "city IS NULL"])
            .ok(),
        "{\"id\":2,\"city\":null}\n"
    );
    fs::create_dir(shop.path("bare")).unwrap();
    assert_eq!(
        shop.bare(&["scan", "--path", "bare"]).refused(),
        "bare: no data file lies under it; say its columns with --schema 'id INT, dt DATE' and --partitioned-by dt"
    );
    assert_eq!(
        shop.bare(&["scan", "--path", "elsewhere"]).refused(),
        "elsewhere: it does not exist"
    );
    let missing = shop.bare(&["count", "--path", "elsewhere", "--schema", "id INT"]);
    assert_eq!(
        (missing.code, missing.out.as_str()),
        (Some(0), "{\"count\":0}\n")
    );
    assert_eq!(missing.err, "warning: elsewhere does not exist\n");

    // A table of a warehouse has its schema under its path.
    shop.run(&[
        "create",
        "db.t",
        "--schema",
        "a INT",
        "-o",
        "file.format=orc",
    ])
    .ok();
    assert_eq!(
        shop.bare(&["count", "--path", "wh/db.db/t"]).ok(),
        "{\"count\":0}\n"
    );
    assert_eq!(
        shop.bare(&["count", "--path", "wh/db.db/t", "--format", "orc"])
            .ok(),
        "{\"count\":0}\n"
    );
    let refused = shop
        .bare(&["count", "--path", "wh/db.db/t", "--format", "parquet"])
        .refused();
    assert!(refused.contains("'file.format' = 'parquet'"), "{refused}");
    shop.file("a.csv", "a\n1\n");
    let orc = ["--path", "o", "--schema", "a INT", "--format", "orc"];
    shop.bare(&[&["insert"], &orc[..], &["a.csv"]].concat())
        .ok();
    assert!(visible(&shop.path("o"))[0].ends_with(".orc"));
    assert_eq!(
        shop.bare(&[&["scan"], &orc[..4], &["-c", "file.format=orc"]].concat())
            .ok(),
        "{\"a\":1}\n"
    );
}

#[test]
fn warnings_are_told_and_can_be_silenced() {
    let shop = Shop::new();
    shop.file("t/p=1/_SUCCESS", "");
    shop.file("t/other/x.parquet", "");
    shop.file("t/loose.parquet", "");
    let arguments = [
        "count",
        "--path",
        "t",
        "--schema",
        "a INT, p INT",
        "--partitioned-by",
        "p",
    ];
    let ran = shop.bare(&arguments);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "{\"count\":0}\n"));
    assert_eq!(ran.err.lines().count(), 2, "{}", ran.err);
    assert!(
        ran.err.lines().all(|line| line.starts_with("warning: ")),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("other") && ran.err.contains("loose.parquet"),
        "{}",
        ran.err
    );
    let quiet: Vec<&str> = arguments.iter().chain(&["--quiet"]).copied().collect();
    assert_eq!(shop.bare(&quiet).ok(), "{\"count\":0}\n");
    let listed: Vec<&str> = [&["partitions"], &arguments[1..]].concat();
    assert_eq!(shop.bare(&listed).err, ran.err);
}

#[test]
fn files_that_are_left_out_are_told() {
    let shop = filled();
    let leaf = shop.path("wh/shop.db/orders/dt=19724");
    let name = visible(&leaf).remove(0);
    fs::write(leaf.join(&name), "no parquet at all").unwrap();
    let error = shop.run(&["scan", "shop.orders"]);
    assert_eq!(error.code, Some(1), "{}", error.out);
    for verb in ["scan", "count"] {
        let ran = shop.run(&[verb, "shop.orders", "-c", "scan.ignore-corrupt-files=true"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(
            ran.err.starts_with("warning: 1 file was corrupt"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains(&name), "{}", ran.err);
    }
}

#[test]
fn messages_of_refused_scans() {
    let shop = Shop::with_orders();
    for (arguments, message) in [
        (
            &["--where", "lower(item) = 'x'"][..],
            "filter 'lower(item) = 'x'': function lower is not supported in a filter",
        ),
        (&["--where", "nope = 1"], "nope"),
        (&["--where", "dt = 1"], "dt"),
        (
            &["--columns", "id,nope"],
            "there is no column 'nope'; the columns are id, item, price, raw, dt",
        ),
        (&["-c", "read.batch-size=many"], "read.batch-size"),
        (&["-c", "file.format=orc"], "file.format"),
        (
            &["--to", "nowhere/out.csv"],
            "cannot create 'nowhere/out.csv': ",
        ),
    ] {
        let all: Vec<&str> = ["scan", "shop.orders"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let refused = shop.run(&all).refused();
        assert!(refused.contains(message), "{refused}");
    }
    assert!(shop.run(&["scan", "orders"]).refused().contains("orders"));
}

#[test]
fn damaged_files_are_named() {
    let shop = Shop::new();
    shop.file("t/p=1/x.parquet", "not parquet at all");
    shop.file("o/x.orc", "not orc at all, though long enough for a footer");
    let parquet = [
        "scan",
        "--path",
        "t",
        "--schema",
        "a INT, p INT",
        "--partitioned-by",
        "p",
    ];
    let refused = shop.bare(&parquet).refused();
    assert!(
        refused.contains("p=1/x.parquet: not a readable parquet file"),
        "{refused}"
    );
    let refused = shop
        .bare(&[
            "scan", "--path", "o", "--schema", "a INT", "--format", "orc",
        ])
        .refused();
    assert!(
        refused.contains("x.orc: not a readable orc file"),
        "{refused}"
    );
}

#[test]
fn wrong_usage_is_two() {
    let shop = Shop::with_orders();
    shop.file("a.csv", "id\n");
    for arguments in [
        &["scan"][..],
        &["optimize", "shop.orders"],
        &["scan", "shop.orders", "--schema", "a INT"],
        &["scan", "shop.orders", "--path", "x"],
        &["scan", "shop.orders", "--limit", "-1"],
        &["scan", "shop.orders", "--to", "out.xlsx"],
        &["insert", "shop.orders"],
        &["insert", "shop.orders", "rows"],
        &["insert", "shop.orders", "--partition", "dt", "a.csv"],
        &["insert", "shop.orders", "--schema", "a INT", "a.csv"],
        &["-c", "novalue", "databases"],
    ] {
        let ran = shop.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.starts_with("error: "), "{}", ran.err);
    }
    let ran = shop.bare(&["scan", "shop.orders"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.err,
        "error: no warehouse is given; say --warehouse URI, or name a table by --path LOCATION\n"
    );
    let ran = shop.bare(&["-c", "warehouse=wh", "tables"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn help_has_an_example_for_every_verb() {
    let shop = Shop::new();
    for verb in [
        "create",
        "infer",
        "drop",
        "databases",
        "tables",
        "schema",
        "insert",
        "scan",
        "count",
        "partitions",
        "files",
        "demo",
    ] {
        let help = shop.bare(&["help", verb]).ok();
        assert!(
            help.contains("Example:\n") && help.contains(&format!("ftable {verb}")),
            "{help}"
        );
        assert!(
            shop.bare(&["--help"])
                .ok()
                .contains(&format!("\n  {verb} ")),
            "{verb}"
        );
    }
    assert!(shop.bare(&["--version"]).ok().starts_with("ftable 0."));
}

#[test]
fn the_demo_is_short_and_tells_of_both_formats() {
    let shop = Shop::new();
    let story = shop.bare(&["demo"]).ok();
    assert!(story.lines().count() < 40, "{story}");
    for part in [
        "Parquet",
        "ORC",
        "6 rows, 4 files, 4 partitions",
        "\"region\":null",
        "\"price\":\"27.50\"",
        "dt=2024-01-02",
        "dt=19724",
    ] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let warehouse = story
        .lines()
        .next()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .trim_end_matches('.');
    assert!(!Path::new(warehouse).exists());
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let shop = Shop::with_orders();
    let rows: String = (0..50_000).map(|id| format!("{id},2024-01-01\n")).collect();
    shop.file("many.csv", &format!("id,dt\n{rows}"));
    shop.run(&["insert", "shop.orders", "many.csv"]).ok();
    let mut command = shop.command(&["--warehouse", "wh", "scan", "shop.orders"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

/// A shop with the rows of [`CSV`] and two partitions that hold the orders 1 and 2.
fn filled() -> Shop {
    let shop = Shop::with_orders();
    shop.file("day.csv", CSV);
    shop.run(&["insert", "shop.orders", "day.csv"]).ok();
    shop
}

fn ids(shop: &Shop) -> Vec<Value> {
    let rows = shop.run(&["scan", "shop.orders", "--columns", "id"]).json();
    let mut ids: Vec<Value> = rows.into_iter().map(|row| row["id"].clone()).collect();
    ids.sort_by_key(Value::as_i64);
    ids
}

#[test]
fn an_overwrite_replaces_what_its_mode_says() {
    for (mode, expected) in [
        (vec![], json!([1, 3, 7])),
        (vec!["--overwrite-mode", "dynamic"], json!([1, 3, 7])),
        (vec!["--overwrite-mode", "table"], json!([7])),
        (vec!["--partition", "dt=2024-01-02"], json!([1, 3, 7])),
        (vec!["-c", "dynamic-partition-overwrite=false"], json!([7])),
    ] {
        let shop = filled();
        shop.file("new.csv", "dt,id\n2024-01-02,7\n");
        let mut line = vec!["insert", "shop.orders", "new.csv", "--overwrite"];
        line.extend(&mode);
        assert_eq!(shop.run(&line).json()[0]["rows"], json!(1), "{mode:?}");
        assert_eq!(Value::Array(ids(&shop)), expected, "{mode:?}");
    }
}

#[test]
fn a_dry_run_lists_what_would_go_and_changes_nothing() {
    let shop = filled();
    let files = shop
        .run(&["files", "shop.orders", "--where", "dt = DATE '2024-01-02'"])
        .json();
    shop.file("new.csv", "dt,id\n2024-01-02,7\n");
    let line = [
        "insert",
        "shop.orders",
        "new.csv",
        "--overwrite",
        "--dry-run",
    ];
    let listed = shop.run(&line).json();
    assert_eq!(listed, [json!({"removes": files[0]["files"][0]["path"]})]);
    assert_eq!(ids(&shop), [json!(1), json!(2), json!(3)]);
    assert_eq!(
        shop.run(&["insert", "shop.orders", "new.csv", "--dry-run"])
            .code,
        Some(2)
    );
}

#[test]
fn rows_and_partitions_can_be_removed() {
    let shop = filled();
    let truncated = ["truncate", "shop.orders", "--partition", "dt=2024-01-02"];
    assert_eq!(
        shop.run(&truncated).json(),
        [json!({"truncated": "shop.orders", "partition": {"dt": "2024-01-02"}})]
    );
    assert_eq!(ids(&shop), [json!(1), json!(3)]);
    let partitions = shop.run(&["partitions", "shop.orders"]).json();
    assert_eq!(
        partitions.len(),
        3,
        "the directory of a truncated partition stays"
    );

    let dropped = [
        "drop-partition",
        "shop.orders",
        "--partition",
        "dt=2024-01-01",
    ];
    shop.run(&dropped).json();
    assert_eq!(ids(&shop), [json!(3)]);
    assert_eq!(shop.run(&["partitions", "shop.orders"]).json().len(), 2);

    shop.run(&["truncate", "shop.orders"]).json();
    assert_eq!(ids(&shop), [] as [Value; 0]);
    let error = shop
        .run(&["drop-partition", "shop.orders", "--partition", "day=1"])
        .refused();
    assert!(error.contains("day"), "{error}");
}

#[test]
fn repair_tells_what_it_did() {
    let shop = filled();
    let nothing = "{\"finished\":[],\"undone\":[],\"left\":[],\"staged_removed\":[]}\n";
    assert_eq!(shop.run(&["repair", "shop.orders"]).ok(), nothing);
    let dry = ["repair", "shop.orders", "--dry-run", "--now"];
    assert_eq!(shop.run(&dry).ok(), nothing);
}

#[test]
fn what_needs_a_catalog_that_manages_partitions_is_refused_elsewhere() {
    let shop = filled();
    let partition = ["--partition", "dt=2024-01-01"];
    for line in [
        [&["add-partition", "shop.orders"][..], &partition].concat(),
        vec!["analyze", "shop.orders"],
        vec!["repair", "shop.orders", "--add"],
        vec!["repair", "shop.orders", "--drop"],
        vec!["repair", "shop.orders", "--sync"],
        vec!["analyze", "--path", "wh/shop.db/orders"],
    ] {
        let error = shop.run(&line).refused();
        assert!(
            error.contains("does not manage its partitions"),
            "{line:?}: {error}"
        );
    }
    let option = "metastore.partitioned-table=true";
    for line in [
        vec![
            "create",
            "shop.managed",
            "--schema",
            "id INT, p STRING",
            "--partitioned-by",
            "p",
            "-o",
            option,
        ],
        vec!["scan", "shop.orders", "-c", option],
        vec!["repair", "shop.orders", "-c", option],
    ] {
        let error = shop.run(&line).refused();
        assert!(
            error.contains("option 'metastore.partitioned-table' = 'true'"),
            "{line:?}: {error}"
        );
    }
}
