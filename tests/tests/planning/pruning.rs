//! What a filter excludes is not listed.

use std::fs;
use std::sync::Arc;

use ftable::{FormatTable, Predicate, col};
use ftable_core::predicate::Literal;

use crate::support::watched::Watched;
use crate::support::{Store, files, plan, schema, spec, text};

const COLUMNS: &str = "id INT, experiment STRING, measurement STRING, date_id INT";
const KEYS: [&str; 3] = ["experiment", "measurement", "date_id"];

/// 50 experiments of 50 measurements on 20 days, without files.
async fn experiments() -> (Store, FormatTable) {
    let store = Store::local();
    for experiment in 0..50 {
        for measurement in 0..50 {
            let directory = store.path(&format!(
                "experiment=e{experiment}/measurement=m{measurement}"
            ));
            fs::create_dir_all(&directory).unwrap();
            for day in 0..20 {
                fs::create_dir(format!("{directory}/date_id={day:02}")).unwrap();
            }
        }
    }
    let table = store.table(COLUMNS, &KEYS).await;
    (store, table)
}

fn at(experiment: &str, measurement: &str, day: i32) -> Predicate {
    col("experiment")
        .eq(experiment)
        .and(col("measurement").eq(measurement))
        .and(col("date_id").eq(day))
}

#[tokio::test]
async fn listings_are_as_many_as_the_filter_leaves_directories() {
    let (_store, table) = experiments().await;
    // The root; then, of each directory that is left, its children; then each partition that is left.
    let all = 1 + 50 + 50 * 50 + 50 * 50 * 20;
    let cases = [
        (at("e7", "m3", 5), 1 + 1 + 1 + 1, 1),
        (at("e7", "m3", 99), 1 + 1 + 1, 0),
        (at("nowhere", "m3", 5), 1, 0),
        (
            col("experiment").eq("e7").and(col("measurement").eq("m3")),
            1 + 1 + 1 + 20,
            20,
        ),
        (col("experiment").eq("e7"), 1 + 1 + 50 + 1000, 1000),
        (at("e1", "m2", 3).or(at("e4", "m5", 6)), 1 + 2 + 2 + 2, 2),
        (at("e1", "m2", 3).or(at("e1", "m5", 6)), 1 + 1 + 2 + 2, 2),
        // e1 with m5 and e4 with m2 are gone into no further.
        (
            at("e1", "m2", 3)
                .or(at("e4", "m5", 6))
                .and(col("date_id").gt(4)),
            1 + 2 + 2 + 1,
            1,
        ),
        (
            col("experiment")
                .in_list(["e1", "e2"])
                .and(col("measurement").like("m4_")),
            1 + 2 + 20 + 400,
            400,
        ),
        (col("experiment").lt("e1"), 1 + 1 + 50 + 1000, 1000),
        (
            col("experiment")
                .between("e10", "e12")
                .and(at("e11", "m0", 0)),
            1 + 1 + 1 + 1,
            1,
        ),
        (
            col("experiment").eq("e0").and(col("date_id").gt_eq(18)),
            1 + 1 + 50 + 100,
            100,
        ),
        (
            col("experiment").eq("e0").and(col("date_id").gt(17.5)),
            1 + 1 + 50 + 100,
            100,
        ),
        (
            col("experiment").eq("e0").and(col("date_id").eq("07")),
            1 + 1 + 50 + 50,
            50,
        ),
        (col("date_id").lt(2), 1 + 50 + 2500 + 5000, 5000),
        (col("date_id").is_null(), 1 + 50 + 2500, 0),
        (col("experiment").is_null(), 1, 0),
        (!col("experiment").is_not_null(), 1, 0),
        (
            !col("experiment")
                .not_eq("e9")
                .or(col("measurement").eq("m1")),
            1 + 1 + 49 + 49 * 20,
            49 * 20,
        ),
        // What rows decide keeps every directory that the keys do not exclude.
        (
            col("id").eq(1).and(col("experiment").eq("e3")),
            1 + 1 + 50 + 1000,
            1000,
        ),
        (col("experiment").eq("e3").or(col("id").eq(1)), all, 50_000),
        (Predicate::Constant(false), 0, 0),
        (Predicate::Or(vec![]), 0, 0),
    ];
    for (filter, listings, partitions) in cases {
        let plan = plan(&table, filter.clone()).await;
        let metrics = plan.metrics();
        assert_eq!(
            (metrics.directories_listed, metrics.partitions),
            (listings, partitions),
            "{filter}"
        );
        assert_eq!(metrics.warnings(), [""; 0]);
    }
    let everything = plan(&table, None).await;
    assert_eq!(
        (
            everything.metrics().directories_listed,
            everything.metrics().partitions
        ),
        (all, 50_000)
    );
}

#[tokio::test]
async fn a_named_partition_costs_a_listing_a_level() {
    let (_store, table) = experiments().await;
    let one = [
        ("experiment", "e7"),
        ("measurement", "m3"),
        ("date_id", "5"),
    ];
    let scan = table
        .scan()
        .partition(&spec(&one))
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(scan.plan().await.unwrap().metrics().directories_listed, 4);
    // Keys need be no prefix, and come in any order.
    let scan = table
        .scan()
        .partition(&spec(&[("date_id", "05"), ("experiment", "e7")]))
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(
        scan.plan().await.unwrap().metrics().directories_listed,
        1 + 1 + 50 + 50
    );
    let both = [
        spec(&one),
        spec(&[
            ("experiment", "e8"),
            ("measurement", "m0"),
            ("date_id", "19"),
        ]),
    ];
    let scan = table.scan().partitions(&both).unwrap().build().unwrap();
    let found = scan.plan().await.unwrap();
    assert_eq!(
        (
            found.metrics().directories_listed,
            found.metrics().partitions
        ),
        (7, 2)
    );
    let listed = scan.list_partitions().await.unwrap();
    assert_eq!(
        listed.iter().map(|entry| &*entry.path).collect::<Vec<_>>(),
        [
            "experiment=e7/measurement=m3/date_id=05",
            "experiment=e8/measurement=m0/date_id=19"
        ]
    );
    let scan = table.scan().partitions(&[]).unwrap().build().unwrap();
    assert_eq!(scan.plan().await.unwrap().metrics().directories_listed, 0);
}

/// A table watched through another store.
async fn watched(
    store: &Store,
    columns: &str,
    keys: &[&str],
    watched: Watched,
    parallelism: &str,
) -> (FormatTable, Arc<Watched>) {
    let watched = Arc::new(watched);
    let options = [("format-table.scan.list-parallelism", parallelism)];
    let builder = FormatTable::builder(&store.location)
        .unwrap()
        .file_system(watched.clone());
    (
        builder
            .schema(schema(columns, keys, &options))
            .open()
            .await
            .unwrap(),
        watched,
    )
}

#[tokio::test]
async fn the_listings_are_those_of_the_directories_that_are_left() {
    for store in Store::each() {
        store
            .numbered(["y=1/m=1/f", "y=1/m=2/f", "y=01/m=1/f", "y=2/m=1/f"])
            .await;
        for blocking in [true, false] {
            let watcher = Watched::new(&store.file_system, blocking);
            let (table, watcher) =
                watched(&store, "id INT, y INT, m INT", &["y", "m"], watcher, "8").await;
            let found = plan(&table, col("y").eq(1).and(col("m").eq(1))).await;
            assert_eq!(files(&found), ["y=01/m=1/f", "y=1/m=1/f"]);
            let mut expected = ["y=1", "y=01", "y=1/m=1", "y=01/m=1"]
                .map(|name| store.path(name))
                .to_vec();
            expected.push(store.root.clone());
            expected.sort();
            assert_eq!(watcher.listed(), expected, "{} {blocking}", store.location);
            assert_eq!(found.metrics().directories_listed, 5);
        }
    }
}

#[tokio::test]
async fn a_store_of_keys_is_listed_as_a_whole_where_the_first_key_is_free() {
    let store = Store::memory();
    for year in 0..10 {
        for month in 0..12 {
            store
                .ids(&format!("y={year}/m={month:02}/f"), &[year * 100 + month])
                .await;
        }
    }
    for (filter, expected, listings) in [
        (None, 120, 1),
        (Some(col("m").eq(7)), 10, 1),
        (Some(col("id").eq(7)), 120, 1),
        (Some(col("y").eq(3).and(col("m").eq(7))), 1, 3),
        (Some(col("y").eq(3)), 12, 14),
    ] {
        let watcher = Watched::new(&store.file_system, false);
        let (table, watcher) =
            watched(&store, "id INT, y INT, m INT", &["y", "m"], watcher, "8").await;
        let found = plan(&table, filter.clone()).await;
        assert_eq!(
            (found.file_count(), watcher.listed().len()),
            (expected, listings),
            "{filter:?}"
        );
        assert_eq!(found.metrics().directories_listed, listings as u64);
    }
}

#[tokio::test]
async fn siblings_are_listed_side_by_side_within_the_bound() {
    let store = Store::local();
    for year in 0..5 {
        for month in 0..10 {
            store.directory(&format!("y={year}/m={month}")).await;
        }
    }
    for bound in [1, 4, 16] {
        let watcher = Watched::new(&store.file_system, false).slow();
        let (table, watcher) = watched(
            &store,
            "id INT, y INT, m INT",
            &["y", "m"],
            watcher,
            &bound.to_string(),
        )
        .await;
        assert_eq!(plan(&table, None).await.metrics().partitions, 50);
        assert_eq!(watcher.listed().len(), 56);
        assert!(
            watcher.most_under_way() <= bound,
            "{} > {bound}",
            watcher.most_under_way()
        );
        // Serial where one is allowed, and not where more are.
        assert_eq!(watcher.most_under_way() > 1, bound > 1);
    }
    for bound in [1, 4] {
        let watcher = Watched::new(&store.file_system, true);
        let (table, watcher) = watched(
            &store,
            "id INT, y INT, m INT",
            &["y", "m"],
            watcher,
            &bound.to_string(),
        )
        .await;
        assert_eq!(plan(&table, None).await.metrics().partitions, 50);
        assert!(watcher.most_under_way() <= bound);
    }
}

#[tokio::test]
async fn listing_partitions_lists_no_more_than_the_filter_leaves() {
    let store = Store::local();
    store
        .numbered(["y=1/m=a/f", "y=1/m=b/f", "y=2/m=a/f"])
        .await;
    let watcher = Watched::new(&store.file_system, true);
    let (table, watcher) =
        watched(&store, "id INT, y INT, m STRING", &["y", "m"], watcher, "4").await;
    let scan = table
        .scan()
        .filter(col("y").eq(1).and(col("m").eq("b")))
        .build()
        .unwrap();
    let entries = scan.list_partitions().await.unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(
        entries[0].values,
        [Some(ftable_core::Datum::Int(1)), text("b")]
    );
    assert_eq!(
        watcher.listed(),
        [store.root.clone(), store.path("y=1"), store.path("y=1/m=b")]
    );
}

#[tokio::test]
async fn a_filter_on_values_that_no_directory_spells_finds_nothing_cheaply() {
    let store = Store::local();
    store.numbered(["y=1/f", "y=2/f"]).await;
    let table = store.table("id INT, y INT", &["y"]).await;
    for filter in [
        col("y").eq(Literal::Null),
        col("y").eq(3_000_000_000_i64),
        col("y").eq(1.5),
        col("y").eq("one"),
        col("y").gt(f64::INFINITY),
        col("y").in_list([Literal::Null]),
        col("y").not_in_list([Literal::Int(1), Literal::Null]),
    ] {
        let plan = plan(&table, filter.clone()).await;
        assert_eq!(
            (plan.file_count(), plan.metrics().partitions),
            (0, 0),
            "{filter}"
        );
        assert!(plan.metrics().directories_listed <= 1, "{filter}");
    }
}
