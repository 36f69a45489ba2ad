//! Values as directory names, and foreign names as values: escaping, decoding, the last `=`.

use ftable::{ErrorKind, col};

use crate::support::rows::{try_write, write};
use crate::support::{
    NO_IDS, Store, VALUE_ONLY, assert_error, ids, int, partitions, plan, shown, text,
};

/// Values with characters of a path in them, and the names Paimon gives them.
const WRITTEN: [(&str, &str); 20] = [
    ("AC/DC", "AC%2FDC"),
    ("a=b", "a%3Db"),
    ("50%", "50%25"),
    ("x:y", "x%3Ay"),
    ("q?", "q%3F"),
    ("#1", "%231"),
    ("[z]", "%5Bz%5D"),
    ("{k}", "%7Bk%7D"),
    ("c^d", "c%5Ed"),
    ("back\\slash", "back%5Cslash"),
    ("tab\tend", "tab%09end"),
    ("it's", "it%27s"),
    ("\"q\"", "%22q%22"),
    ("a*b", "a%2Ab"),
    ("\u{1}", "%01"),
    ("del\u{7F}", "del%7F"),
    ("a/b=c%d", "a%2Fb%3Dc%25d"),
    ("中 文+&~", "中 文+&~"),
    ("München", "München"),
    ("a|b,c(d);<>!$@-.`", "a|b,c(d);<>!$@-.`"),
];

#[tokio::test]
async fn written_values_escape_path_characters_and_read_back() {
    for options in [&[][..], &[VALUE_ONLY]] {
        for store in Store::each() {
            let table = store
                .table_with("id INT, band STRING", &["band"], options)
                .await;
            let rows: Vec<_> = (0..)
                .zip(WRITTEN)
                .map(|(id, (value, _))| vec![int(id), text(value)])
                .collect();
            write(&table, &rows).await;
            let prefix = if options.is_empty() { "band=" } else { "" };
            let mut expected = WRITTEN.map(|(_, name)| format!("{prefix}{name}"));
            expected.sort_unstable();
            assert_eq!(
                partitions(&table, None).await,
                expected,
                "{}",
                store.location
            );
            assert_eq!(crate::support::select(&table, None).await, rows);
            for (id, (value, _)) in (0..).zip(WRITTEN) {
                assert_eq!(ids(&table, col("band").eq(value)).await, [id], "{value}");
            }
        }
    }
}

#[tokio::test]
async fn keys_are_escaped_like_values() {
    for store in Store::each() {
        let table = store.table("id INT, `a=b/c` STRING", &["a=b/c"]).await;
        write(&table, &[vec![int(1), text("v")]]).await;
        assert_eq!(partitions(&table, None).await, ["a%3Db%2Fc=v"]);
        store.ids("a%3Db%2fc=w/f", &[2]).await;
        assert_eq!(shown(&table).await, ["1|v", "2|w"]);
        assert_eq!(ids(&table, col("a=b/c").eq("w")).await, [2]);
    }
}

#[tokio::test]
async fn a_value_too_long_for_a_directory_name_is_refused_by_column() {
    let store = Store::local();
    let table = store.table("id INT, band STRING", &["band"]).await;
    // `band=` and 125 characters that take two bytes each are 255 bytes.
    write(&table, &[vec![int(1), text(&"é".repeat(125))]]).await;
    let error = try_write(&table, &[vec![int(2), text(&"é".repeat(126))]])
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::InvalidPartition,
        &["'band'", "257 bytes"],
    );
    assert_eq!(ids(&table, None).await, [1]);
}

/// Names that other writers give and what they mean.
const DECODED: [(&str, &str); 14] = [
    ("category=foo%2Fbar", "foo/bar"),
    ("category=foo%2fbar", "foo/bar"),
    ("category=San%20Francisco", "San Francisco"),
    ("category=San Francisco", "San Francisco"),
    ("category=plain", "plain"),
    ("category=%70lain", "plain"),
    ("%63ategory=key", "key"),
    ("category=%25%32%46", "%2F"),
    ("category=a+b", "a+b"),
    ("category=a%4", "a%4"),
    ("category=100%", "100%"),
    ("category=%zz", "%zz"),
    ("category=%+5x", "%+5x"),
    ("category=% 5", "% 5"),
];

#[tokio::test]
async fn foreign_names_are_decoded_once_and_found_by_their_values() {
    for store in Store::each() {
        store
            .numbered(
                DECODED
                    .map(|(name, _)| format!("{name}/f"))
                    .iter()
                    .map(String::as_str),
            )
            .await;
        let table = store.table("id INT, category STRING", &["category"]).await;
        let expected: Vec<_> = (1..)
            .zip(DECODED)
            .map(|(id, (_, value))| format!("{id}|{value}"))
            .collect();
        assert_eq!(shown(&table).await, expected);
        for (filter, expected) in [
            (col("category").eq("foo/bar"), vec![1, 2]),
            (col("category").eq("San Francisco"), vec![3, 4]),
            (col("category").eq("plain"), vec![5, 6]),
            (col("category").in_list(["key", "%2F"]), vec![7, 8]),
            (col("category").eq("foo%2Fbar"), vec![]),
            (col("category").like("San%"), vec![3, 4]),
        ] {
            assert_eq!(ids(&table, filter.clone()).await, expected, "{filter}");
        }
    }
}

#[tokio::test]
async fn escaped_utf8_is_read_as_utf8_and_other_bytes_one_by_one() {
    for store in Store::each() {
        // As Java and Hive write it, as DuckDB and pyarrow do, and in Latin-1.
        let names = [
            "city=München/f",
            "city=M%C3%BCnchen/f",
            "city=M%FCnchen/f",
            "city=%E4%B8%AD/f",
            "city=%C3%28/f",
        ];
        store.numbered(names).await;
        let table = store.table("id INT, city STRING", &["city"]).await;
        assert_eq!(
            shown(&table).await,
            ["1|München", "2|München", "3|München", "4|中", "5|Ã("]
        );
        assert_eq!(ids(&table, col("city").eq("München")).await, [1, 2, 3]);
        assert_eq!(ids(&table, col("city").eq("MÃ¼nchen")).await, NO_IDS);
        assert_eq!(ids(&table, col("city").gt("Ñ")).await, [4]);
    }
}

#[tokio::test]
async fn names_that_are_no_partition_of_the_key_are_skipped_with_one_warning() {
    for store in Store::each() {
        let foreign = ["p=a=b/f", "p=/f", "P=a/f", "q=a/f", "plain/f", "=a/f"];
        store.numbered(foreign).await;
        store.ids("p=a/f", &[100]).await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        let plan = plan(&table, None).await;
        assert_eq!(crate::support::files(&plan), ["p=a/f"]);
        assert_eq!(ids(&table, col("p").is_null()).await, NO_IDS);
        assert_eq!(plan.metrics().not_partitions.count, 6);
        let warnings = plan.metrics().warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with(
            "6 entries are no partitions of the next key and were skipped, among them "
        ));
    }
}

#[tokio::test]
async fn an_empty_value_is_skipped_and_named_once() {
    for store in Store::each() {
        store.numbered(["key=/f", "key=a/f"]).await;
        let table = store.table("id INT, key STRING", &["key"]).await;
        let plan = plan(&table, None).await;
        assert_eq!(shown(&table).await, ["2|a"]);
        assert_eq!(
            plan.metrics().warnings(),
            ["key= is no partition of the next key and was skipped"]
        );
    }
}

#[tokio::test]
async fn a_directory_of_another_key_below_a_partition_level_is_skipped() {
    for store in Store::each() {
        store
            .numbered(["y=1/m=1/f", "y=1/d=1/f", "y=1/M=1/f", "m=1/y=1/f"])
            .await;
        let table = store.table("id INT, y INT, m INT", &["y", "m"]).await;
        let plan = plan(&table, None).await;
        assert_eq!(shown(&table).await, ["1|1|1"]);
        let skipped = &plan.metrics().not_partitions;
        assert_eq!(
            (skipped.count, &skipped.examples[..]),
            (3, &["m=1", "y=1/M=1", "y=1/d=1"].map(String::from)[..])
        );
    }
}

#[tokio::test]
async fn names_without_keys_are_values_whatever_is_in_them() {
    for store in Store::each() {
        store
            .numbered(["a%2Fb/f", "k=v/f", "a=/f", "%5Fx/f", "x.parquet/f"])
            .await;
        let table = store
            .table_with("id INT, p STRING", &["p"], &[VALUE_ONLY])
            .await;
        assert_eq!(
            shown(&table).await,
            ["1|a/b", "2|k=v", "3|a=", "4|_x", "5|x.parquet"]
        );
        assert_eq!(ids(&table, col("p").eq("_x")).await, [4]);
    }
}

#[tokio::test]
async fn file_names_are_kept_as_the_store_gives_them() {
    for store in Store::each() {
        let names = [
            "p=a/part 1.parquet",
            "p=a/x%20y",
            "p=a/k=v",
            "p=a/#?é&",
            "p=a/tab\there",
            "p=tab\tin name/f",
        ];
        store.numbered(names).await;
        let table = store.table("id INT, p STRING", &["p"]).await;
        let expected = ["1|a", "2|a", "3|a", "4|a", "5|a", "6|tab\tin name"];
        assert_eq!(shown(&table).await, expected, "{}", store.location);
    }
}
