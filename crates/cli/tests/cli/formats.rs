//! What goes in and comes out.

use super::*;

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
