//! `infer` from outside, and `--path` without a schema, on directories that pyarrow wrote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Ran;

/// A working directory with copies of golden tables, and a warehouse `wh`.
struct Desk {
    directory: TempDir,
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

impl Desk {
    fn with(case: &str, name: &str) -> Self {
        let desk = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
        copy(&golden.join(case).join("data"), &desk.path(name));
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_ftable"))
            .current_dir(self.directory.path())
            .args(arguments)
            .output()
            .unwrap();
        output.into()
    }
}

/// What pyarrow wrote to the table `pyarrow-drift-hive-parquet`, as a statement.
const DDL: &str = "\
CREATE TABLE t (
  id BIGINT,
  amount DECIMAL(13, 3),
  seen TIMESTAMP(6),
  score DOUBLE,
  s ROW<a BIGINT, b STRING>,
  note STRING,
  dt DATE,
  h INT
) PARTITIONED BY (dt, h) WITH (
  'file.format' = 'parquet',
  'partition.default-name' = '__HIVE_DEFAULT_PARTITION__',
  'partition.legacy-name' = 'false',
  'type' = 'format-table'
)
";

fn ids(rows: &[Value]) -> Vec<i64> {
    let mut ids: Vec<i64> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    ids
}

/// The identifiers that pyarrow was given.
const IDS: [i64; 5] = [1, 2, 4, 5, 9_007_199_254_740_993];

#[test]
fn the_statement_is_printed_and_create_takes_it() {
    // Among the files in the order of their directories `h=12` is the first.
    let desk = Desk::with("pyarrow-drift-hive-parquet", "events");
    assert_eq!(desk.run(&["infer", "--path", "events"]).ok(), DDL);

    let columns = DDL
        .split_once("(\n")
        .unwrap()
        .1
        .split_once("\n)")
        .unwrap()
        .0;
    let warehouse = ["--warehouse", "wh"];
    let events = desk.path("events");
    let created = [
        &warehouse[..],
        &[
            "create",
            "db.t",
            "--schema",
            columns,
            "--partitioned-by",
            "dt,h",
            "-o",
        ],
        &["partition.default-name=__HIVE_DEFAULT_PARTITION__"],
        &["--location", events.to_str().unwrap()],
    ];
    desk.run(&created.concat()).ok();
    let rows = desk
        .run(&[&warehouse[..], &["scan", "db.t"]].concat())
        .json();
    assert_eq!(ids(&rows), IDS);
}

#[test]
fn as_json_it_is_a_schema_file() {
    let desk = Desk::with("pyarrow-value-only-orc", "events");
    let infer = [
        "infer",
        "--path",
        "events",
        "--partition-keys",
        "year,month",
    ];
    let printed = desk
        .run(&[&infer[..], &["--output", "json"]].concat())
        .json();
    let fields: Vec<Value> = printed[0]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| json!([field["name"], field["type"]]))
        .collect();
    let expected = json!([
        ["id", "INT"],
        ["name", "STRING"],
        ["year", "INT"],
        ["month", "STRING"]
    ]);
    assert_eq!(Value::Array(fields), expected);
    assert_eq!(printed[0]["partitionKeys"], json!(["year", "month"]));
    let options = json!({
        "type": "format-table",
        "file.format": "orc",
        "format-table.partition-path-only-value": "true",
    });
    assert_eq!(printed[0]["options"], options);

    fs::write(desk.path("schema.json"), printed[0].to_string()).unwrap();
    let scan = [
        "scan",
        "--path",
        "events",
        "--schema",
        "schema.json",
        "--where",
        "month = '07'",
    ];
    assert_eq!(ids(&desk.run(&scan).json()), [2, 3, 4]);
    let csv = desk.run(&[&infer[..], &["--output", "csv"]].concat()).ok();
    assert!(csv.starts_with("column,type,partition_key,"), "{csv}");
}

#[test]
fn a_directory_becomes_a_table_and_stays_where_it_is() {
    let desk = Desk::with("pyarrow-drift-hive-parquet", "events");
    let location = desk.path("events");
    let location = location.to_str().unwrap();
    let register = [
        "--warehouse",
        "wh",
        "infer",
        "--path",
        location,
        "--register",
        "db.events",
    ];
    let columns = [
        "id BIGINT",
        "amount DECIMAL(13, 3)",
        "seen TIMESTAMP(6)",
        "score DOUBLE",
        "s ROW<a BIGINT, b STRING>",
        "note STRING",
        "dt DATE",
        "h INT",
    ];
    let registered = json!({
        "table": "db.events",
        "location": location,
        "format": "parquet",
        "partition_keys": ["dt", "h"],
        "columns": columns,
    });
    assert_eq!(desk.run(&register).json()[0], registered);
    let of_table = |verb: &[&str]| desk.run(&[&["--warehouse", "wh"], verb].concat()).json();
    assert_eq!(ids(&of_table(&["scan", "db.events"])), IDS);
    assert_eq!(
        of_table(&["count", "db.events", "--where", "dt IS NULL"]),
        [json!({"count": 1})]
    );
    let partitions = of_table(&["partitions", "db.events"]);
    let partition =
        |dt: Value, h: i64, path: &str| json!({"partition": {"dt": dt, "h": h}, "path": path});
    assert_eq!(
        partitions,
        [
            partition("2024-01-01".into(), 12, "dt=2024-01-01/h=12"),
            partition("2024-01-01".into(), 7, "dt=2024-01-01/h=7"),
            partition(Value::Null, -3, "dt=__HIVE_DEFAULT_PARTITION__/h=-3"),
        ]
    );
    // Rows that are added lie where Hive would put them.
    fs::write(
        desk.path("new.json"),
        r#"{"id": 6, "dt": "2024-01-02", "h": 8}"#,
    )
    .unwrap();
    of_table(&["insert", "db.events", "new.json"]);
    assert!(desk.path("events/dt=2024-01-02/h=8").is_dir());

    let again = desk.run(&register).fails_with(1);
    assert!(again.contains("db.events"), "{again}");
    let kept = desk
        .run(&[&register[..], &["--if-not-exists"]].concat())
        .json();
    assert_eq!(kept, [registered]);
    of_table(&["drop", "db.events"]);
    assert!(
        desk.path("events/dt=2024-01-01/h=7/part-0.parquet")
            .is_file()
    );
}

#[test]
fn files_in_the_place_of_a_table_become_that_table() {
    let desk = Desk::with("pyarrow-value-only-orc", "wh/db.db/t");
    let register = [
        "--warehouse",
        "wh",
        "infer",
        "--path",
        "wh/db.db/t",
        "--register",
        "db.t",
        "--partition-keys",
        "y,m",
    ];
    desk.run(&register).ok();
    let count = ["--warehouse", "wh", "count", "db.t"];
    assert_eq!(desk.run(&count).ok(), "{\"count\":4}\n");
    let told = desk.run(&["infer", "--path", "wh/db.db/t"]).fails_with(1);
    assert!(
        told.ends_with("one lies under it already; open the table by its path"),
        "{told}"
    );
    let told = desk
        .run(&["scan", "--path", "wh/db.db/t", "--sample", "3"])
        .fails_with(2);
    assert_eq!(
        told,
        "a schema lies under wh/db.db/t; leave --partition-keys and --sample out"
    );
}

#[test]
fn every_verb_takes_a_directory_without_a_schema() {
    let desk = Desk::with("pyarrow-value-only-orc", "events");
    let place = ["--path", "events", "--partition-keys", "year,month"];
    let with = |verb: &str, more: &[&str]| desk.run(&[&[verb], &place[..], more].concat());
    assert_eq!(
        ids(&with("scan", &["--where", "month = '07'"]).json()),
        [2, 3, 4]
    );
    assert_eq!(with("count", &[]).json(), [json!({"count": 4})]);
    assert_eq!(
        with("partitions", &["--where", "year = 2023"]).json(),
        [json!({"partition": {"year": 2023, "month": "11"}, "path": "2023/11"})]
    );
    assert_eq!(with("files", &["--where", "year = 2023"]).json().len(), 1);
    assert_eq!(
        with("schema", &[]).json()[0]["partitionKeys"],
        json!(["year", "month"])
    );
    fs::write(desk.path("new.csv"), "id,name,year,month\n5,e,2025,01\n").unwrap();
    assert_eq!(with("insert", &["new.csv"]).json()[0]["rows"], json!(1));
    assert!(desk.path("events/2025/01").is_dir());
    with("truncate", &["--partition", "year=2025,month=01"]).ok();
    assert_eq!(with("count", &[]).json(), [json!({"count": 4})]);
    with("repair", &["--dry-run"]).ok();

    // Without the keys the rows are there, their places are not, and that is told.
    let plain = desk.run(&["count", "--path", "events"]);
    assert_eq!(
        (plain.code, plain.out.as_str()),
        (Some(0), "{\"count\":4}\n")
    );
    assert_eq!(
        plain.err,
        "warning: events: the name of directory 2023 is not key=value and is not read; name the keys with \
         --partition-keys if it is a value\n"
    );
    let sampled = with("count", &["--sample", "2"]);
    assert_eq!(
        sampled.err,
        "warning: events: the schema is inferred from 2 of 3 files; --sample all looks at every one\n"
    );
    assert_eq!(with("count", &["--sample", "all"]).ok(), "{\"count\":4}\n");
}

#[test]
fn options_of_a_call_say_what_the_directories_do_not() {
    let desk = Desk::with("paimon-java-part-hive-default-orc", "events");
    let refused = desk.run(&["count", "--path", "events", "--where", "p IS NULL"]);
    let refused = refused.fails_with(1);
    assert!(
        refused.ends_with("say which one with 'partition.default-name'"),
        "{refused}"
    );
    let hive = [
        "--path",
        "events",
        "-c",
        "partition.default-name=__HIVE_DEFAULT_PARTITION__",
    ];
    let count = desk.run(&[&["count"], &hive[..], &["--where", "p IS NULL", "--quiet"]].concat());
    assert_eq!(count.ok(), "{\"count\":2}\n");
    let schema = desk.run(&[&["schema"], &hive[..], &["-c", "x.secret=hush"]].concat());
    let options = &schema.json()[0]["options"];
    assert_eq!(
        options["partition.default-name"],
        json!("__HIVE_DEFAULT_PARTITION__")
    );
    assert_eq!(options["x.secret"], Value::Null);
    let stored = [
        "infer",
        "--path",
        "events",
        "-o",
        "partition.default-name=__HIVE_DEFAULT_PARTITION__",
    ];
    assert!(desk.run(&stored).ok().contains("PARTITIONED BY (p)"));
}

#[test]
fn what_cannot_be_inferred_is_said_in_one_line() {
    let desk = Desk::with("hand-foreign-names", "events");
    let message = desk.run(&["infer", "--path", "events"]).fails_with(1);
    assert!(message.starts_with("table "), "{message}");
    assert!(
        message.contains(": its schema cannot be inferred: "),
        "{message}"
    );
    assert_eq!(
        desk.run(&["infer", "--path", "no"]).fails_with(1),
        "no: it does not exist"
    );
    let unnamed = desk
        .run(&["infer", "--path", "events", "--register", "db.t"])
        .fails_with(2);
    assert!(unnamed.starts_with("no warehouse is given"), "{unnamed}");
    let format = desk
        .run(&["infer", "--path", "events", "--format", "avro"])
        .fails_with(1);
    assert!(format.contains("avro"), "{format}");
    assert_eq!(
        desk.run(&["infer", "--path", "events", "--sample", "0"])
            .code,
        Some(2)
    );
    let kept = [
        "infer",
        "--path",
        "events",
        "-c",
        "partition.default-name=x",
    ];
    assert_eq!(
        desk.run(&kept).fails_with(2),
        "option 'partition.default-name' is of the table and -c is not kept; say -o partition.default-name=x"
    );
    // A refused table leaves no database behind.
    let register = [
        "--warehouse",
        "wh",
        "infer",
        "--path",
        "events",
        "--register",
        "db.t",
    ];
    desk.run(&register).fails_with(1);
    assert!(!desk.path("wh/db.db").exists());
}
