//! Which directories are partitions and which files are theirs.

use std::collections::BTreeSet;

use ftable::{ErrorKind, col};

use crate::support::rows::write;
use crate::support::{
    NO_IDS, Store, VALUE_ONLY, assert_error, files, ids, int, partitions, plan, shown, text,
    try_plan,
};

#[tokio::test]
async fn names_above_the_table_are_no_partitions() {
    for store in Store::each_at("env=prod/db/t") {
        let table = store.table("id INT, dt INT", &["dt"]).await;
        store.ids("dt=1/f", &[1]).await;
        write(&table, &[vec![int(2), int(2)]]).await;
        assert_eq!(partitions(&table, None).await, ["dt=1", "dt=2"]);
        assert_eq!(shown(&table).await, ["1|1", "2|2"]);
    }
    for store in Store::each_at("env=prod/t") {
        store.ids("env=test/f", &[1]).await;
        let table = store.table("id INT, env STRING", &["env"]).await;
        assert_eq!(shown(&table).await, ["1|test"]);
        assert_eq!(ids(&table, col("env").eq("prod")).await, NO_IDS);
    }
}

#[tokio::test]
async fn files_above_the_partitions_are_skipped_with_one_warning() {
    for options in [&[][..], &[VALUE_ONLY]] {
        for store in Store::each() {
            let prefix = if options.is_empty() { "year=" } else { "" };
            let (first, second) = (
                format!("{prefix}2002/a.parquet"),
                format!("{prefix}2003/b.parquet"),
            );
            store
                .numbered([first.as_str(), &second, "baz.parquet"])
                .await;
            let table = store
                .table_with("id INT, year INT", &["year"], options)
                .await;
            assert_eq!(shown(&table).await, ["1|2002", "2|2003"]);
            let plan = plan(&table, None).await;
            assert_eq!(plan.metrics().partitions, 2);
            assert_eq!(
                plan.metrics().warnings(),
                ["baz.parquet lies above the partitions and was skipped"]
            );
        }
    }
}

#[tokio::test]
async fn a_file_named_like_a_partition_is_no_partition() {
    for options in [&[][..], &[VALUE_ONLY]] {
        for store in Store::each() {
            let prefix = if options.is_empty() {
                ["y=", "m="]
            } else {
                ["", ""]
            };
            let [year, month] = prefix;
            let inside = format!("{year}1/{month}1/f");
            store
                .numbered([
                    inside.as_str(),
                    &format!("{year}2"),
                    &format!("{year}1/{month}2"),
                ])
                .await;
            let table = store
                .table_with("id INT, y INT, m INT", &["y", "m"], options)
                .await;
            assert_eq!(files(&plan(&table, None).await), [inside]);
            assert_eq!(plan(&table, None).await.metrics().stray_files.count, 2);
            // An INT that does not parse is nobody's business where no directory bears it.
            store.ids("loose.csv", &[9]).await;
            assert_eq!(ids(&table, None).await, [1]);
        }
    }
}

#[tokio::test]
async fn a_key_that_is_both_a_file_and_a_directory_is_a_partition_beside_a_stray_file() {
    // Only a store of keys can hold both.
    let store = Store::memory();
    store.numbered(["p=a/f", "p=a", "p=a/g", "p=a/g/h"]).await;
    let table = store.table("id INT, p STRING", &["p"]).await;
    for filter in [None, Some(col("p").eq("a"))] {
        let found = plan(&table, filter.clone()).await;
        assert_eq!(files(&found), ["p=a/f", "p=a/g", "p=a/g/h"], "{filter:?}");
        assert_eq!(found.metrics().stray_files.examples, ["p=a"]);
        assert_eq!(ids(&table, filter).await, [1, 3, 4]);
    }
}

#[tokio::test]
async fn files_between_the_levels_belong_to_no_partition() {
    for store in Store::each() {
        store.numbered(["y=1/m=1/f", "y=1/f", "f"]).await;
        let table = store.table("id INT, y INT, m INT", &["y", "m"]).await;
        let plan = plan(&table, None).await;
        assert_eq!(files(&plan), ["y=1/m=1/f"]);
        let stray = &plan.metrics().stray_files;
        assert_eq!(
            (stray.count, &stray.examples[..]),
            (2, &["f", "y=1/f"].map(String::from)[..])
        );
    }
}

#[tokio::test]
async fn directories_below_a_partition_are_read_at_any_depth() {
    let union = [
        "000000_0",
        "HIVE_UNION_SUBDIR_1/000000_0",
        "HIVE_UNION_SUBDIR_2/000000_0",
    ];
    for store in Store::each() {
        store.numbered(union).await;
        store.ids("HIVE_UNION_SUBDIR_1/.x/000000_0", &[9]).await;
        assert_eq!(
            ids(&store.table("id INT", &[]).await, None).await,
            [1, 2, 3]
        );
    }
    for store in Store::each() {
        store
            .numbered(
                union
                    .map(|name| format!("dt=1/{name}"))
                    .iter()
                    .map(String::as_str),
            )
            .await;
        store
            .ids("dt=1/HIVE_UNION_SUBDIR_1/.x/000000_0", &[9])
            .await;
        store.ids("dt=1/a/b/c/d/e/f", &[4]).await;
        store.ids("dt=1/m=7/f", &[5]).await;
        let table = store.table("id INT, dt INT", &["dt"]).await;
        assert_eq!(shown(&table).await, ["1|1", "2|1", "3|1", "4|1", "5|1"]);
        let plan = plan(&table, None).await;
        assert!(files(&plan).contains(&"dt=1/a/b/c/d/e/f".to_owned()));
        assert_eq!((plan.metrics().partitions, plan.metrics().files), (1, 5));
    }
}

#[tokio::test]
async fn a_directory_named_like_a_file_is_a_directory() {
    for store in Store::each() {
        store
            .numbered([
                "p=a/part-0.parquet/part-1.parquet",
                "p=b.parquet/f",
                "p=c/data.csv/x",
            ])
            .await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        assert_eq!(shown(&table).await, ["1|a", "2|b.parquet", "3|c"]);
    }
}

#[tokio::test]
async fn an_unpartitioned_table_is_every_visible_file_at_any_depth() {
    let seen = ["a.csv", "sub/deep/b.csv", "k=v/c.csv"];
    let hidden = [
        "_SUCCESS",
        ".x/d.csv",
        ".e.csv.crc",
        "_temporary/.tmp.1",
        ".hive-staging_1/f",
        "__magic_job-1/f",
    ];
    for store in Store::each() {
        store.numbered(seen).await;
        for name in hidden {
            store.ids(name, &[9]).await;
        }
        let table = store.table("id INT", &[]).await;
        assert_eq!(shown(&table).await, ["1", "2", "3"]);
        assert_eq!(
            files(&plan(&table, None).await),
            ["a.csv", "k=v/c.csv", "sub/deep/b.csv"]
        );
        assert_eq!(partitions(&table, None).await, [""; 0]);
    }
}

#[tokio::test]
async fn the_location_itself_may_be_hidden() {
    for name in ["_t", ".t"] {
        for store in Store::each_at(name) {
            store.ids("p=a/f", &[1]).await;
            let table = store.table("id INT, p STRING", &["p"]).await;
            assert_eq!(shown(&table).await, ["1|a"]);
            assert_eq!(ids(&table, col("p").eq("a")).await, [1]);
        }
        for store in Store::each_at(name) {
            store.ids("f", &[1]).await;
            assert_eq!(ids(&store.table("id INT", &[]).await, None).await, [1]);
        }
    }
}

#[tokio::test]
async fn partitions_and_files_come_sorted_by_their_bytes() {
    for store in Store::each() {
        let names = [
            "p=b/f",
            "p=a/z",
            "p=a/é",
            "p=a/a/z",
            "p=a/a.csv",
            "p=a/a-1.csv",
            "p=a/B.csv",
            "p=a b/f",
            "p=É/f",
        ];
        store.numbered(names).await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        let expected = [
            "p=a/B.csv",
            "p=a/a-1.csv",
            "p=a/a.csv",
            "p=a/a/z",
            "p=a/z",
            "p=a/é",
            "p=a b/f",
            "p=b/f",
            "p=É/f",
        ];
        assert_eq!(files(&plan(&table, None).await), expected);
        assert_eq!(
            partitions(&table, None).await,
            ["p=a", "p=a b", "p=b", "p=É"]
        );
    }
}

#[tokio::test]
async fn a_directory_whose_name_goes_on_where_anothers_ends_is_another_partition() {
    // In a store of keys `p=a-b/f` sorts between the marker of `p=a/` and the keys below it.
    for store in Store::each() {
        store.directory("p=a").await;
        store
            .numbered([
                "p=a-b/f",
                "p=a/f",
                "p=a b/f",
                "p=a.b/f",
                "p=a0/f",
                "p=a/x-y/f",
                "p=a/x/f",
            ])
            .await;
        store.directory("p=a/x").await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        assert_eq!(
            partitions(&table, None).await,
            ["p=a", "p=a b", "p=a-b", "p=a.b", "p=a0"]
        );
        assert_eq!(
            shown(&table).await,
            ["1|a-b", "2|a", "3|a b", "4|a.b", "5|a0", "6|a", "7|a"]
        );
        let scan = table.scan().filter(col("p").eq("a")).build().unwrap();
        let entries = scan.list_partitions().await.unwrap();
        assert_eq!(
            entries
                .iter()
                .map(|entry| entry.file_count)
                .collect::<Vec<_>>(),
            [3]
        );
    }
}

#[tokio::test]
async fn empty_partitions_are_listed_and_have_no_splits() {
    for store in Store::each() {
        store.directory("p=empty").await;
        store.directory("p=aborted/_temporary").await;
        store.ids("p=staged/_temporary/.tmp.1", &[1]).await;
        store.ids("p=full/f", &[2]).await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        let scan = table.scan().build().unwrap();
        let entries = scan.list_partitions().await.unwrap();
        let listed: Vec<_> = entries
            .iter()
            .map(|entry| (&*entry.path, entry.file_count, &entry.values[0]))
            .collect();
        let expected = [
            ("p=aborted", 0, &text("aborted")),
            ("p=empty", 0, &text("empty")),
            ("p=full", 1, &text("full")),
            ("p=staged", 0, &text("staged")),
        ];
        assert_eq!(listed, expected, "{}", store.location);
        assert_eq!(files(&plan(&table, None).await), ["p=full/f"]);
    }
}

#[tokio::test]
async fn a_listing_of_partitions_tells_files_bytes_and_times() {
    for store in Store::each() {
        store.put("p=a/f", "12345").await;
        store.put("p=a/sub/g", "123").await;
        store.put("p=a/_hidden", "1").await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        let entries = table
            .scan()
            .build()
            .unwrap()
            .list_partitions()
            .await
            .unwrap();
        let [entry] = &entries[..] else {
            panic!("{entries:?}")
        };
        assert_eq!(
            (&*entry.path, entry.file_count, entry.total_bytes),
            ("p=a", 2, 8)
        );
        // Some time after this was written, where the store keeps times.
        assert!(
            entry
                .last_modified_millis
                .is_none_or(|millis| millis > 1_700_000_000_000),
            "{entry:?}"
        );
        assert_eq!(
            entry.last_modified_millis.is_some(),
            store.location.starts_with('/')
        );
    }
}

#[tokio::test]
async fn a_stream_of_splits_is_the_plan_in_any_order() {
    for store in Store::each() {
        let names: Vec<String> = (0..30)
            .map(|day| format!("d={}/p=x/f", day / 3 * 10 + day % 3))
            .collect();
        store.numbered(names.iter().map(String::as_str)).await;
        let table = store.table("id INT, d INT, p STRING", &["d", "p"]).await;
        let scan = table.scan().filter(col("d").gt(20)).build().unwrap();
        let streamed: Vec<ftable::Split> = futures::TryStreamExt::try_collect(scan.plan_stream())
            .await
            .unwrap();
        let planned = scan.plan().await.unwrap();
        let paths = |splits: &[ftable::Split]| -> BTreeSet<String> {
            splits
                .iter()
                .filter_map(|split| split.partition().map(str::to_owned))
                .collect()
        };
        assert_eq!(
            (streamed.len(), paths(&streamed)),
            (planned.splits().len(), paths(planned.splits()))
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_links_are_followed_to_partitions_and_files() {
    let elsewhere = Store::local();
    elsewhere.ids("real/f", &[1]).await;
    elsewhere.ids("file", &[2]).await;
    let store = Store::local();
    store.ids("p=own/f", &[3]).await;
    std::os::unix::fs::symlink(elsewhere.path("real"), store.path("p=linked")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path("file"), store.path("p=own/linked")).unwrap();
    // A link that leads nowhere is not there.
    std::os::unix::fs::symlink("/nowhere/to/be/found", store.path("p=gone")).unwrap();
    std::os::unix::fs::symlink("/nowhere/to/be/found", store.path("p=own/gone")).unwrap();
    let table = store.table("id INT, p STRING", &["p"]).await;
    assert_eq!(shown(&table).await, ["1|linked", "2|own", "3|own"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_loop_of_links_below_a_partition_is_an_error_and_above_it_is_none() {
    let store = Store::local();
    store.ids("y=1/m=1/f", &[1]).await;
    // Two levels are walked, whatever lies below them.
    std::os::unix::fs::symlink(store.path("y=1"), store.path("y=2")).unwrap();
    let table = store.table("id INT, y INT, m INT", &["y", "m"]).await;
    assert_eq!(shown(&table).await, ["1|1|1", "1|2|1"]);
    std::os::unix::fs::symlink(store.path("y=1/m=1"), store.path("y=1/m=1/again")).unwrap();
    let error = try_plan(&table, None).await.unwrap_err();
    assert_error(&error, ErrorKind::Unsupported, &["again"]);
    assert_error(
        &try_plan(&table, col("m").eq(1)).await.unwrap_err(),
        ErrorKind::Unsupported,
        &[],
    );
    assert_eq!(ids(&table, col("m").eq(2)).await, NO_IDS);
    // The same where the table has no partitions.
    let table = store.table("id INT", &[]).await;
    assert_error(
        &try_plan(&table, None).await.unwrap_err(),
        ErrorKind::Unsupported,
        &["again"],
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_name_that_is_no_text_is_an_error_unless_hidden() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let store = Store::local();
    store.ids("p=a/f", &[1]).await;
    let path = |name: &[u8]| std::path::Path::new(&store.root).join(OsStr::from_bytes(name));
    std::fs::create_dir(path(b"_\xFF")).unwrap();
    let table = store.table("id INT, p STRING", &["p"]).await;
    assert_eq!(shown(&table).await, ["1|a"]);
    std::fs::create_dir(path(b"p=\xFF")).unwrap();
    let error = try_plan(&table, None).await.unwrap_err();
    assert!(error.to_string().contains("p=\u{FFFD}"), "{error}");
}
