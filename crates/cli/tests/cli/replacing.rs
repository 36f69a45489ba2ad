//! Overwrites, removals and repair.

use super::*;

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
