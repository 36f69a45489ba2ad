//! Filters, limits, partitions, files, and what is told beside the rows.

use super::*;

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

/// Lines that are not as the table declares are told of by what reads their values, and end neither.
#[test]
fn records_that_are_not_as_declared_are_told() {
    let shop = Shop::new();
    shop.file("ragged/a.csv", "1,a\n2\n3\n4,b,c\n");
    shop.file("bad/a.csv", "1,a\nx,b\n3,c\ny,d\n");
    shop.file(
        "j/a.json",
        "{\"id\":1,\"s\":\"a\"}\n{\"id\":\"x\",\"s\":\"b\"}\n{\"id\":\n[2]\n",
    );
    let check = |table: [&str; 3], told: &[&str], rows: &str, count: u32| {
        let [path, format, option] = table;
        let columns = "id INT, s STRING";
        let table = [
            "--path", path, "--schema", columns, "--format", format, "-c", option,
        ];
        let warnings: String = told
            .iter()
            .map(|text| format!("warning: {text}\n"))
            .collect();
        let count = format!("{{\"count\":{count}}}\n");
        for (verb, out) in [
            (&["scan"][..], rows),
            (&["count", "--where", "id > 0"], &count),
        ] {
            let arguments = [verb, &table].concat();
            let ran = shop.bare(&arguments);
            assert_eq!((ran.code, ran.out.as_str()), (Some(0), out), "{}", ran.err);
            assert_eq!(ran.err, warnings, "{verb:?} {path}");
            let quiet = [&arguments[..], &["--quiet"]].concat();
            assert_eq!(shop.bare(&quiet).ok(), out);
        }
    };
    check(
        ["ragged", "csv", "csv.mode=failfast"],
        &[
            "2 records have fewer fields than columns: the missing ones are NULL",
            "1 record has more fields than columns: the surplus was not read",
        ],
        "{\"id\":1,\"s\":\"a\"}\n{\"id\":2,\"s\":null}\n{\"id\":3,\"s\":null}\n{\"id\":4,\"s\":\"b\"}\n",
        4,
    );
    check(
        ["bad", "csv", "csv.mode=dropmalformed"],
        &["2 records cannot be read and were left out"],
        "{\"id\":1,\"s\":\"a\"}\n{\"id\":3,\"s\":\"c\"}\n",
        2,
    );
    // Where counting has to look at values it tells of them too.
    let count = [
        "count",
        "--path",
        "bad",
        "--schema",
        "id INT, s STRING",
        "--format",
        "csv",
    ];
    let ran = shop.bare(&[&count[..], &["-c", "csv.mode=dropmalformed"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "{\"count\":2}\n"));
    assert_eq!(
        ran.err,
        "warning: 2 records cannot be read and were left out\n"
    );
    check(
        ["j", "json", "json.ignore-parse-errors=true"],
        &[
            "1 record has a value that cannot be read, and NULL in its place",
            "2 records cannot be read and were left out",
        ],
        "{\"id\":1,\"s\":\"a\"}\n{\"id\":null,\"s\":\"b\"}\n",
        1,
    );
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
