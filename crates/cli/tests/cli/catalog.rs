//! Tables by name, at locations and by path.

use super::*;

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
