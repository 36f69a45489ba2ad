//! NULL, the empty and the blank value, and the names other engines give to NULL.

use ftable::{ErrorKind, col};

use crate::support::rows::{try_write, write};
use crate::support::{
    NO_IDS, Store, VALUE_ONLY, assert_error, ids, int, partitions, plan, shown, spec, text,
    try_plan,
};

const DEFAULT: &str = "__DEFAULT_PARTITION__";
const HIVE: &str = "__HIVE_DEFAULT_PARTITION__";

#[tokio::test]
async fn empty_and_blank_values_are_written_as_null() {
    for store in Store::each() {
        let table = store.table("id INT, key STRING", &["key"]).await;
        let blank = [
            text(""),
            text("   "),
            None,
            text("\u{3000}"),
            text("\t\n\u{1C}"),
            text(DEFAULT),
        ];
        let rows: Vec<_> = (1..)
            .zip(blank)
            .map(|(id, value)| vec![int(id), value])
            .collect();
        write(&table, &rows).await;
        // Java's whitespace has no U+00A0; blanks around other text are kept.
        write(
            &table,
            &[vec![int(7), text("\u{A0}")], vec![int(8), text(" a ")]],
        )
        .await;
        let expected = [
            "key= a ".to_owned(),
            format!("key={DEFAULT}"),
            "key=\u{A0}".to_owned(),
        ];
        assert_eq!(partitions(&table, None).await, expected);
        let expected = [
            "1|NULL", "2|NULL", "3|NULL", "4|NULL", "5|NULL", "6|NULL", "7|\u{A0}", "8| a ",
        ];
        assert_eq!(shown(&table).await, expected);
        assert_eq!(ids(&table, col("key").is_null()).await, [1, 2, 3, 4, 5, 6]);
        assert_eq!(ids(&table, col("key").is_not_null()).await, [7, 8]);
        assert_eq!(ids(&table, col("key").eq("")).await, NO_IDS);
        assert_eq!(ids(&table, col("key").eq(DEFAULT)).await, NO_IDS);
    }
}

#[tokio::test]
async fn a_filter_on_an_empty_value_selects_nothing_and_never_fails() {
    for options in [&[][..], &[VALUE_ONLY]] {
        let store = Store::local();
        let table = store
            .table_with("id INT, p STRING, q STRING", &["p", "q"], options)
            .await;
        write(&table, &[vec![int(1), text("a"), text("b")]]).await;
        for value in ["", " ", ".", "..", "/", "a/../a"] {
            assert_eq!(ids(&table, col("p").eq(value)).await, NO_IDS, "{value:?}");
            let scan = table
                .scan()
                .partition(&spec(&[("p", value)]))
                .unwrap()
                .build()
                .unwrap();
            assert_eq!(scan.plan().await.unwrap().file_count(), 0, "{value:?}");
        }
        assert_eq!(ids(&table, col("p").in_list(["", "a"])).await, [1]);
    }
}

#[tokio::test]
async fn blank_names_of_other_writers_are_values() {
    for store in Store::each() {
        store.numbered(["p=%20/f", "p=   /f"]).await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        assert_eq!(shown(&table).await, ["1| ", "2|   "]);
        assert_eq!(ids(&table, col("p").eq(" ")).await, [1]);
        assert_eq!(ids(&table, col("p").is_null()).await, NO_IDS);
        let scan = table
            .scan()
            .partition(&spec(&[("p", "   ")]))
            .unwrap()
            .build()
            .unwrap();
        assert_eq!(
            crate::support::files(&scan.plan().await.unwrap()),
            ["p=   /f"]
        );
    }
}

/// Directories of NULL as different engines name it.
async fn markers(store: &Store) {
    let names = [HIVE, DEFAULT, "NULL", "null", "a"];
    store
        .numbered(
            names
                .map(|name| format!("p={name}/f"))
                .iter()
                .map(String::as_str),
        )
        .await;
}

#[tokio::test]
async fn only_the_configured_name_is_null_and_the_other_engines_is_told() {
    for store in Store::each() {
        markers(&store).await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        let expected = [&format!("1|{HIVE}"), "2|NULL", "3|NULL", "4|null", "5|a"];
        assert_eq!(shown(&table).await, expected);
        assert_eq!(ids(&table, col("p").is_null()).await, [2]);
        assert_eq!(ids(&table, col("p").eq("NULL")).await, [3]);
        assert_eq!(ids(&table, col("p").eq(HIVE)).await, [1]);
        // Told also when the filter excludes it: that is when its rows are missed.
        for filter in [None, Some(col("p").is_null())] {
            let warnings = plan(&table, filter).await.metrics().warnings();
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            assert!(
                warnings[0].starts_with(&format!("p={HIVE} ")),
                "{warnings:?}"
            );
            assert!(
                warnings[0].contains("'partition.default-name'"),
                "{warnings:?}"
            );
        }
    }
}

#[tokio::test]
async fn with_hives_name_configured_paimons_is_text() {
    for store in Store::each() {
        markers(&store).await;
        let options = [("partition.default-name", HIVE)];
        let table = store.table_with("id INT, p STRING", &["p"], &options).await;
        assert_eq!(
            shown(&table).await,
            ["1|NULL", &format!("2|{DEFAULT}"), "3|NULL", "4|null", "5|a"]
        );
        assert_eq!(ids(&table, col("p").is_null()).await, [1]);
        write(&table, &[vec![int(6), None]]).await;
        assert_eq!(ids(&table, col("p").is_null()).await, [1, 6]);
        let warnings = plan(&table, None).await.metrics().warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].starts_with(&format!("p={DEFAULT} ")),
            "{warnings:?}"
        );
    }
}

#[tokio::test]
async fn the_same_marker_at_many_places_is_one_warning() {
    let store = Store::local();
    for day in 0..9 {
        store.ids(&format!("d={day}/p={HIVE}/f"), &[day]).await;
    }
    let table = store.table("id INT, d INT, p STRING", &["d", "p"]).await;
    let plan = plan(&table, None).await;
    assert_eq!(plan.metrics().null_markers.count, 9);
    let warnings = plan.metrics().warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].starts_with("9 entries are read as text"),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn another_engines_null_that_is_no_number_names_the_option() {
    for store in Store::each() {
        store.numbered(["m=1/f", &format!("m={HIVE}/f")]).await;
        let table = store.table("id INT, m INT", &["m"]).await;
        let error = try_plan(&table, None).await.unwrap_err();
        let directory = format!("directory m={HIVE}");
        assert_error(
            &error,
            ErrorKind::InvalidPartition,
            &[
                &directory,
                "'m'",
                "INT",
                &format!("'partition.default-name' = '{HIVE}'"),
            ],
        );
        let table = store
            .table_with("id INT, m INT", &["m"], &[("partition.default-name", HIVE)])
            .await;
        assert_eq!(shown(&table).await, ["1|1", "2|NULL"]);
    }
}

#[tokio::test]
async fn null_is_a_directory_of_its_own_at_every_level_of_names_without_keys() {
    for store in Store::each() {
        let table = store
            .table_with("id INT, y STRING, m STRING", &["y", "m"], &[VALUE_ONLY])
            .await;
        let rows = [
            vec![int(1), None, text("01")],
            vec![int(2), text("2024"), None],
            vec![int(3), text("2024"), text("01")],
        ];
        write(&table, &rows).await;
        let expected = [
            "2024/01",
            &format!("2024/{DEFAULT}"),
            &format!("{DEFAULT}/01"),
        ];
        assert_eq!(partitions(&table, None).await, expected);
        assert_eq!(crate::support::select(&table, None).await, rows);
        assert_eq!(ids(&table, col("y").is_null()).await, [1]);
        assert_eq!(ids(&table, col("m").is_null()).await, [2]);
    }
}

#[tokio::test]
async fn values_that_could_not_be_read_back_without_keys_are_refused() {
    for store in Store::each() {
        let table = store
            .table_with("id INT, y STRING, m STRING", &["y", "m"], &[VALUE_ONLY])
            .await;
        for value in ["_tmp", ".x", ".", ".."] {
            let error = try_write(&table, &[vec![int(1), text("2024"), text(value)]])
                .await
                .unwrap_err();
            assert_error(
                &error,
                ErrorKind::InvalidPartition,
                &["'m'", &format!("'{value}'"), "hidden"],
            );
        }
        assert_eq!(partitions(&table, None).await, [""; 0]);
        // With keys none of them is hidden.
        let table = store.table("id INT, y STRING, m STRING", &["y", "m"]).await;
        let rows = (1..)
            .zip(["_tmp", ".x", ".", ".."])
            .map(|(id, value)| vec![int(id), text("2024"), text(value)]);
        write(&table, &rows.collect::<Vec<_>>()).await;
        assert_eq!(
            shown(&table).await,
            ["1|2024|_tmp", "2|2024|.x", "3|2024|.", "4|2024|.."]
        );
        assert_eq!(ids(&table, col("m").eq("..")).await, [4]);
    }
}

#[tokio::test]
async fn nulls_directory_is_visible_at_partition_levels_alone() {
    for store in Store::each() {
        let inside = format!("2024/{DEFAULT}/f");
        store
            .numbered([
                "2024/f",
                &inside,
                &format!("{DEFAULT}/f"),
                "_2024/f",
                ".x/f",
            ])
            .await;
        let table = store
            .table_with("id INT, y STRING", &["y"], &[VALUE_ONLY])
            .await;
        assert_eq!(shown(&table).await, ["1|2024", "3|NULL"]);
        assert_eq!(plan(&table, None).await.metrics().warnings(), [""; 0]);
    }
}

#[tokio::test]
async fn a_null_name_that_needs_escaping_reads_back() {
    for store in Store::each() {
        for (options, expected) in [
            (
                &[VALUE_ONLY, ("partition.default-name", "a=b")][..],
                ["a%3Db", "x"],
            ),
            (&[("partition.default-name", "_a=b")], ["y=_a%3Db", "y=x"]),
        ] {
            let table = store.table_with("id INT, y STRING", &["y"], options).await;
            write(&table, &[vec![int(1), None], vec![int(2), text("x")]]).await;
            assert_eq!(partitions(&table, None).await, expected);
            assert_eq!(shown(&table).await, ["1|NULL", "2|x"]);
            store.file_system.delete_tree(&store.root).await.unwrap();
        }
        // Java tells the directory of NULL by its raw name, so it would never read this one.
        let options = [VALUE_ONLY, ("partition.default-name", "_a=b")];
        let error = store
            .try_table("id INT, y STRING", &["y"], &options)
            .await
            .unwrap_err();
        assert_error(
            &error,
            ErrorKind::InvalidOption,
            &["'partition.default-name'", "'_a=b'", "hidden"],
        );
    }
}

#[tokio::test]
async fn null_of_every_type_is_named_alike() {
    let types = "b BOOLEAN, i INT, d DECIMAL(4, 2), f DOUBLE, s CHAR(3), dt DATE, t TIME(3), ts TIMESTAMP(6)";
    let keys = ["b", "i", "d", "f", "s", "dt", "t", "ts"];
    for store in Store::each() {
        let table = store.table(&format!("id INT, {types}"), &keys).await;
        let mut row = vec![int(1)];
        row.extend(std::iter::repeat_n(None, keys.len()));
        write(&table, std::slice::from_ref(&row)).await;
        let path = keys.map(|key| format!("{key}={DEFAULT}")).join("/");
        assert_eq!(partitions(&table, None).await, [path]);
        assert_eq!(
            crate::support::select(&table, col("ts").is_null().and(col("b").is_null())).await,
            [row]
        );
        let named = spec(&keys.map(|key| (key, DEFAULT)));
        let scan = table.scan().partition(&named).unwrap().build().unwrap();
        assert_eq!(scan.plan().await.unwrap().file_count(), 1);
    }
}
