//! Filters over partition and data columns keep exactly the rows that SQL keeps.

use ftable::{FormatTable, Predicate, col};
use ftable_core::predicate::Literal;
use futures::TryStreamExt;

use crate::support::oracle::evaluate;
use crate::support::rows::{Row, id, of_batches, sorted, write};
use crate::support::{Store, ids, int, plan, spec, text};

/// A row for every combination of values and NULLs of two keys and two data columns.
fn all_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for y in [None, int(2023), int(2024), int(2025)] {
        for m in [None, text("01"), text("1"), text("12")] {
            for v in [None, int(1), int(2), int(9)] {
                for s in [None, text("apple"), text("apricot"), text("B_%")] {
                    rows.push(vec![
                        int(i32::try_from(rows.len()).unwrap()),
                        v.clone(),
                        s,
                        y.clone(),
                        m.clone(),
                    ]);
                }
            }
        }
    }
    rows
}

async fn table(store: &Store) -> FormatTable {
    let table = store
        .table("id INT, v INT, s STRING, y INT, m STRING", &["y", "m"])
        .await;
    write(&table, &all_rows()).await;
    table
}

fn filters() -> Vec<Predicate> {
    let (y, m, v, s) = (|| col("y"), || col("m"), || col("v"), || col("s"));
    let null = || Literal::Null;
    let not_between = Predicate::Between {
        column: "y".into(),
        low: 2023.into(),
        high: 2024.into(),
        negated: true,
    };
    let not_like = Predicate::Like {
        column: "s".into(),
        pattern: "ap%".into(),
        escape: None,
        negated: true,
    };
    let null_bound = Predicate::Between {
        column: "v".into(),
        low: 2.into(),
        high: null(),
        negated: false,
    };
    vec![
        y().eq(2024),
        y().not_eq(2024),
        y().eq(2024).and(m().eq("01")),
        y().eq(2024).and(v().eq(2)),
        y().eq(2024).or(v().eq(2)),
        y().eq(2024).or(m().eq("1")),
        y().eq(2024)
            .and(m().eq("1"))
            .or(y().eq(2025).and(m().eq("12"))),
        y().eq(2024).and(v().gt(1)).or(y().eq(2025)),
        y().eq(2024)
            .and(v().gt(1))
            .or(m().eq("01").and(s().is_null())),
        !y().eq(2024),
        !y().eq(2024).and(v().eq(2)),
        !y().eq(2024).or(v().eq(2)),
        !(!y().eq(2024).and(!v().eq(2))),
        !y().is_null().or(v().is_null()),
        y().is_null(),
        y().is_not_null().and(m().is_null()),
        y().is_null().or(v().is_null()),
        y().is_null()
            .and(v().is_null())
            .or(m().is_null().and(s().is_null())),
        y().in_list([2023, 2025]),
        y().not_in_list([2023, 2025]),
        y().in_list([Literal::from(2023), null()]),
        y().not_in_list([Literal::from(2023), null()]),
        !y().in_list([Literal::from(2023), null()]),
        y().in_list([Literal::from(2023), null()]).or(v().eq(9)),
        y().in_list(Vec::<Literal>::new()),
        y().not_in_list(Vec::<Literal>::new()),
        m().not_in_list(Vec::<Literal>::new()).or(v().eq(1)),
        y().eq(null()),
        y().not_eq(null()).or(m().eq("1")),
        !y().eq(null()),
        y().between(2024, 2025).and(v().between(1, 2)),
        y().between(2025, 2024),
        not_between.clone(),
        !not_between,
        null_bound.clone(),
        !null_bound,
        m().like("1%"),
        m().like("_1"),
        m().like("%"),
        !m().like("1%"),
        s().like("ap%").and(m().like("%1")),
        s().like("ap%").or(m().like("%2")),
        s().like("B_%"),
        not_like.clone(),
        not_like.or(y().eq(2023)),
        m().gt("01").and(m().lt_eq("12")),
        m().lt("1").or(s().gt("apricot")),
        Predicate::Constant(true),
        Predicate::Constant(false),
        Predicate::Constant(false).or(y().eq(2024)),
        Predicate::Constant(true).and(v().eq(2)),
        Predicate::And(vec![]),
        Predicate::Or(vec![]),
        !Predicate::Or(vec![]),
        v().eq(2),
        s().eq("apple").and(v().not_eq(2)),
        v().eq(1).or(v().is_null()).and(y().gt(2023)),
    ]
}

#[tokio::test]
async fn the_rows_kept_are_those_that_sql_keeps() {
    let rows = all_rows();
    for store in Store::each() {
        let table = table(&store).await;
        for filter in filters() {
            let kept = rows
                .iter()
                .filter(|row| evaluate(&filter, table.fields(), row) == Some(true));
            let expected: Vec<i32> = kept.map(|row| id(row)).collect();
            assert_eq!(ids(&table, filter.clone()).await, expected, "{filter}");
        }
    }
}

#[tokio::test]
async fn several_filters_must_all_hold() {
    let store = Store::local();
    let table = table(&store).await;
    let rows = all_rows();
    let filters = filters();
    for (index, first) in filters.iter().enumerate() {
        let second = &filters[(index * 7 + 3) % filters.len()];
        let both = |row: &&Row| {
            [first, second]
                .iter()
                .all(|f| evaluate(f, table.fields(), row) == Some(true))
        };
        let expected: Vec<i32> = rows.iter().filter(both).map(|row| id(row)).collect();
        let scan = table
            .scan()
            .filter(first.clone())
            .filter(second.clone())
            .build()
            .unwrap();
        let planned = scan.plan().await.unwrap();
        let found: Vec<i32> = crate::support::read(&table, &planned)
            .await
            .iter()
            .map(|row| id(row))
            .collect();
        assert_eq!(found, expected, "{first} and {second}");
        // One given to the scan, the other to the reader.
        let planned = plan(&table, first.clone()).await;
        let reader = table
            .read()
            .filter(second.clone())
            .value_kind(false)
            .build()
            .unwrap();
        let batches: Vec<_> = reader
            .stream(&planned)
            .unwrap()
            .try_collect()
            .await
            .unwrap();
        let found: Vec<i32> = sorted(of_batches(table.fields(), &batches))
            .iter()
            .map(|row| id(row))
            .collect();
        assert_eq!(found, expected, "{first} then {second}");
        assert_eq!(reader.count(&planned).await.unwrap(), expected.len() as u64);
    }
}

#[tokio::test]
async fn filter_columns_need_not_be_among_those_read() {
    let store = Store::local();
    let table = table(&store).await;
    let rows = all_rows();
    let fields: Vec<_> = ["id", "m"]
        .map(|name| {
            table
                .fields()
                .iter()
                .find(|field| field.name == name)
                .unwrap()
                .clone()
        })
        .into();
    for filter in filters() {
        let planned = plan(&table, filter.clone()).await;
        let reader = table
            .read()
            .columns(["id", "m"])
            .value_kind(false)
            .build()
            .unwrap();
        let batches: Vec<_> = reader
            .stream(&planned)
            .unwrap()
            .try_collect()
            .await
            .unwrap();
        let expected: Vec<Row> = rows
            .iter()
            .filter(|row| evaluate(&filter, table.fields(), row) == Some(true))
            .map(|row| vec![row[0].clone(), row[4].clone()])
            .collect();
        assert_eq!(sorted(of_batches(&fields, &batches)), expected, "{filter}");
    }
    let planned = plan(&table, col("id").eq(99_999)).await;
    let reader = table
        .read()
        .columns(["m"])
        .value_kind(false)
        .build()
        .unwrap();
    assert_eq!(
        reader
            .stream(&planned)
            .unwrap()
            .try_collect::<Vec<_>>()
            .await
            .unwrap()
            .len(),
        0
    );
}

#[tokio::test]
async fn splits_read_apart_need_the_filter_again() {
    let store = Store::local();
    let table = table(&store).await;
    let filter = col("y").eq(2024).or(col("v").eq(2));
    let planned = plan(&table, filter.clone()).await;
    assert_eq!(planned.residual(), Some(&filter));
    let reader = table
        .read()
        .filter(filter.clone())
        .value_kind(false)
        .build()
        .unwrap();
    let mut found = Vec::new();
    for split in planned.splits() {
        let batches: Vec<_> = reader
            .stream_splits(vec![split.clone()])
            .unwrap()
            .try_collect()
            .await
            .unwrap();
        found.extend(of_batches(table.fields(), &batches));
    }
    let rows = all_rows();
    let expected: Vec<&Row> = rows
        .iter()
        .filter(|row| evaluate(&filter, table.fields(), row) == Some(true))
        .collect();
    assert_eq!(sorted(found).iter().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn only_partitions_that_may_hold_a_match_are_planned() {
    let store = Store::local();
    let table = table(&store).await;
    for (filter, partitions, decided) in [
        (col("y").eq(2024).and(col("m").eq("1")), 1, true),
        (col("y").eq(2024).and(col("v").eq(2)), 4, false),
        (col("y").eq(2024).or(col("v").eq(2)), 16, false),
        (
            col("y")
                .eq(2024)
                .and(col("v").gt(1))
                .or(col("m").eq("01").and(col("v").eq(1))),
            7,
            false,
        ),
        (!col("y").eq(2024).or(col("v").eq(2)), 8, false),
        (!col("y").eq(2024).and(col("v").eq(2)), 16, false),
        (col("y").is_null().or(col("m").is_null()), 7, true),
    ] {
        let planned = plan(&table, filter.clone()).await;
        assert_eq!(
            (planned.metrics().partitions, planned.residual().is_none()),
            (partitions, decided),
            "{filter}"
        );
    }
}

#[tokio::test]
async fn partitions_are_named_by_any_of_their_keys() {
    let store = Store::local();
    let table = table(&store).await;
    let count = async |specs: &[&[(&str, &str)]]| {
        let specs: Vec<_> = specs.iter().map(|pairs| spec(pairs)).collect();
        let scan = match &specs[..] {
            [one] => table.scan().partition(one).unwrap(),
            several => table.scan().partitions(several).unwrap(),
        };
        let planned = scan
            .filter(col("v").is_not_null())
            .build()
            .unwrap()
            .plan()
            .await
            .unwrap();
        (
            planned.metrics().partitions,
            crate::support::read(&table, &planned).await.len(),
        )
    };
    // Of the 16 rows of a partition 4 have no value.
    assert_eq!(count(&[&[("y", "2024"), ("m", "01")]]).await, (1, 12));
    assert_eq!(count(&[&[("m", "01")]]).await, (4, 48));
    assert_eq!(count(&[&[("y", "+2024")]]).await, (4, 48));
    assert_eq!(count(&[&[("y", "__DEFAULT_PARTITION__")]]).await, (4, 48));
    assert_eq!(count(&[&[]]).await, (16, 192));
    assert_eq!(count(&[]).await, (0, 0));
    assert_eq!(count(&[&[("y", "2024")], &[("m", "01")]]).await, (7, 84));
    assert_eq!(
        count(&[&[("y", "2024"), ("m", "01")], &[("y", "2024"), ("m", "01")]]).await,
        (1, 12)
    );
    assert_eq!(
        count(&[
            &[("y", "1999")],
            &[("y", "2023"), ("m", "__DEFAULT_PARTITION__")]
        ])
        .await,
        (1, 12)
    );
}

#[tokio::test]
async fn an_unpartitioned_table_filters_rows_alone() {
    for store in Store::each() {
        let table = store
            .table("id INT, v INT, s STRING, y INT, m STRING", &[])
            .await;
        let rows = all_rows();
        write(&table, &rows).await;
        for filter in filters() {
            let kept = rows
                .iter()
                .filter(|row| evaluate(&filter, table.fields(), row) == Some(true));
            assert_eq!(
                ids(&table, filter.clone()).await,
                kept.map(|row| id(row)).collect::<Vec<_>>(),
                "{filter}"
            );
        }
        assert!(table.scan().partition(&spec(&[("y", "1")])).is_err());
    }
}

#[tokio::test]
async fn a_filter_that_no_row_can_meet_reads_nothing() {
    for keys in [&["y"][..], &[]] {
        let store = Store::local();
        store
            .ids(if keys.is_empty() { "f" } else { "y=1/f" }, &[1])
            .await;
        let table = store.table("id INT, y INT", keys).await;
        for filter in [
            Predicate::Constant(false),
            Predicate::Or(vec![]),
            Predicate::Constant(false).and(col("id").eq(1)),
        ] {
            let planned = plan(&table, filter.clone()).await;
            assert_eq!(
                (planned.file_count(), planned.metrics().directories_listed),
                (0, 0),
                "{filter}"
            );
        }
    }
}
