//! Which columns can be partition columns, and tables that have no others.

use ftable::{CatalogExt, ErrorKind, FormatTable, Identifier, col};

use crate::support::rows::write;
use crate::support::{
    NO_IDS, Store, assert_error, ids, int, partitions, plan, schema, select, text,
};

#[tokio::test]
async fn types_without_a_directory_name_are_refused_at_create_and_open() {
    let types = [
        "BINARY(3)",
        "VARBINARY(3)",
        "BYTES",
        "ARRAY<INT>",
        "MAP<STRING, INT>",
        "ROW<a INT>",
        "MULTISET<STRING>",
    ];
    for declared in types {
        let store = Store::local();
        let bad = schema(&format!("id INT, part {declared}"), &["part"], &[]);
        let open = FormatTable::builder(&store.location)
            .unwrap()
            .schema(bad.clone())
            .open()
            .await
            .unwrap_err();
        assert_error(
            &open,
            ErrorKind::InvalidSchema,
            &["'part'", "partition column"],
        );
        let catalog = ftable_catalog::open(
            [("warehouse", store.location.as_str())]
                .into_iter()
                .collect(),
        )
        .await
        .unwrap();
        catalog.create_database("db", false).await.unwrap();
        let name: Identifier = "db.t".parse().unwrap();
        let create = catalog
            .create_format_table(&name, &bad, None, false)
            .await
            .unwrap_err();
        assert_error(
            &create,
            ErrorKind::InvalidSchema,
            &["'part'", "partition column"],
        );
        assert!(
            catalog.get_format_table(&name).await.is_err(),
            "{declared}: nothing was created"
        );
    }
}

#[tokio::test]
async fn keys_whose_directories_would_all_be_hidden_are_refused() {
    for name in ["_p", ".p"] {
        let store = Store::local();
        let columns = format!("id INT, `{name}` INT");
        let error = store.try_table(&columns, &[name], &[]).await.unwrap_err();
        assert_error(
            &error,
            ErrorKind::InvalidSchema,
            &[&format!("'{name}'"), "hidden"],
        );
        // Without keys in the names none is hidden by its key.
        let table = store
            .table_with(&columns, &[name], &[crate::support::VALUE_ONLY])
            .await;
        write(&table, &[vec![int(1), int(2)]]).await;
        assert_eq!(ids(&table, col(name).eq(2)).await, [1]);
    }
}

/// Rows of a table whose every column is in its directories.
async fn only_partition_columns(format: &str) {
    for store in Store::each() {
        let options = [("file.format", format)];
        let table = store
            .table_with("y INT, m STRING", &["y", "m"], &options)
            .await;
        let row = |y, m: &str| vec![int(y), text(m)];
        let mut rows = vec![
            row(1, "a"),
            row(1, "a"),
            row(1, "b"),
            row(2, "a"),
            vec![None, None],
        ];
        write(&table, &rows).await;
        write(&table, &[row(2, "a")]).await;
        rows.insert(4, row(2, "a"));
        let sorted = crate::support::rows::sorted;
        assert_eq!(select(&table, None).await, sorted(rows), "{format}");
        let found = select(&table, col("m").eq("a").and(col("y").eq(2))).await;
        assert_eq!(found, [row(2, "a"), row(2, "a")]);
        let names = [
            "y=1/m=a",
            "y=1/m=b",
            "y=2/m=a",
            "y=__DEFAULT_PARTITION__/m=__DEFAULT_PARTITION__",
        ];
        assert_eq!(partitions(&table, None).await, names);
        let plan = plan(&table, col("y").gt(0)).await;
        assert_eq!(
            table.read().build().unwrap().count(&plan).await.unwrap(),
            5,
            "{format}"
        );
    }
}

#[tokio::test]
async fn a_parquet_table_may_have_partition_columns_only() {
    only_partition_columns("parquet").await;
}

#[tokio::test]
async fn an_orc_table_may_have_partition_columns_only() {
    only_partition_columns("orc").await;
}

#[tokio::test]
async fn the_order_of_keys_is_that_of_the_directories_not_of_the_columns() {
    for store in Store::each() {
        let table = store
            .table("a INT, id INT, b INT, c INT", &["c", "a"])
            .await;
        write(&table, &[vec![int(1), int(10), int(2), int(3)]]).await;
        assert_eq!(partitions(&table, None).await, ["c=3/a=1"]);
        assert_eq!(
            select(&table, col("a").eq(1).and(col("c").eq(3))).await,
            [vec![int(1), int(10), int(2), int(3)]]
        );
        assert!(
            select(&table, col("a").eq(3).or(col("c").eq(1)))
                .await
                .is_empty()
        );
        assert_eq!(table.partition_values("c=3/a=1").unwrap(), [int(3), int(1)]);
    }
}

#[tokio::test]
async fn a_partition_column_that_files_hold_too_comes_from_the_directory() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, RecordBatch, TimestampMillisecondArray};

    // The file's own column of that name has another type and another value.
    let id: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let data: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1_693_206_298_013]));
    let batch = RecordBatch::try_from_iter([("data", data), ("id", id)]).unwrap();
    let store = Store::local();
    store
        .put(
            "data=2023-08-28/f.parquet",
            crate::support::rows::parquet(&batch, 10),
        )
        .await;
    let table = store.table("id INT, data STRING", &["data"]).await;
    assert_eq!(
        select(&table, None).await,
        [vec![int(1), text("2023-08-28")]]
    );
    assert_eq!(
        ids(&table, col("data").eq("2023-08-28").and(col("id").eq(1))).await,
        [1]
    );
    assert_eq!(
        ids(&table, col("data").eq("2023-08-28 07:04:58.013")).await,
        NO_IDS
    );
}
