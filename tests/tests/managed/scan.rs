//! What is registered is what is read.

use std::time::{Duration, Instant};

use ftable::{ErrorKind, Predicate, col};
use ftable_catalog::PartitionStatistics;
use ftable_core::Datum;
use ftable_testkit::faulty::{Fault, Operation, Rule};
use ftable_testkit::registry::{RegistryCall, RegistryFault};

use super::support::{
    Managed, Row, append, lines_of, matching, numbers, p_q, rows, rows_batch, spec, staged,
};

const ROWS: [Row; 4] = [(1, "a", "x"), (2, "a", "y"), (3, "b", "x"), (4, "c", "x")];

async fn filled(on_disk: bool) -> Managed {
    let managed = Managed::by_p_q(on_disk);
    append(&managed.table, &ROWS).await;
    managed.heal();
    managed
}

fn only_list(calls: &[RegistryCall]) -> (Vec<(String, String)>, Option<String>) {
    let [RegistryCall::List { prefix, filter }] = calls else {
        panic!("{calls:?}");
    };
    (prefix.clone(), filter.clone())
}

#[tokio::test]
async fn an_unregistered_directory_is_invisible_and_a_registered_partition_without_one_is_empty() {
    for on_disk in [true, false] {
        let managed = filled(on_disk).await;
        managed.registry.put(numbers(&p_q("d", "z"), (0, 0, 0), 0));
        let dropped = [p_q("b", "x")];
        ftable_catalog::PartitionRegistry::drop_partitions(&managed.registry, &dropped)
            .await
            .unwrap();
        let left = [ROWS[0], ROWS[1], ROWS[3]];
        assert_eq!(managed.rows().await, lines_of(&left));
        let plan = managed.table.scan().build().unwrap().plan().await.unwrap();
        let partitions: Vec<_> = plan
            .splits()
            .iter()
            .map(|split| split.partition())
            .collect();
        assert_eq!(
            partitions,
            [Some("p=a/q=x"), Some("p=a/q=y"), Some("p=c/q=x")]
        );
        assert_eq!(
            plan.metrics().warnings(),
            ["p=d/q=z is registered without a directory and is read as empty"]
        );
        assert_eq!((plan.metrics().partitions, plan.metrics().files), (4, 3));
        let count = managed.table.read().build().unwrap();
        assert_eq!(count.count(&plan).await.unwrap(), 3);
    }
}

#[tokio::test]
async fn only_the_directories_of_registered_partitions_are_listed() {
    let managed = filled(true).await;
    managed.put("p=e/q=x/f.parquet", b"never opened").await;
    managed.rows().await;
    let listed: Vec<_> = managed
        .files
        .trace()
        .into_iter()
        .filter(|call| call.operation == Operation::List)
        .map(|call| call.path[managed.table.location().path().len()..].to_owned())
        .collect();
    let mut listed = listed;
    listed.sort();
    assert_eq!(listed, ["/p=a/q=x", "/p=a/q=y", "/p=b/q=x", "/p=c/q=x"]);
}

#[tokio::test]
async fn the_catalog_is_told_what_it_can_know_for_sure() {
    let managed = filled(true).await;
    let fixed = |p: &str| spec(&[("p", p)]);
    let null = "__DEFAULT_PARTITION__";
    for (filter, prefix, hint) in [
        (col("p").eq("a"), fixed("a"), Some("p = 'a'")),
        (
            col("p").eq("a").and(col("q").eq("x")),
            p_q("a", "x"),
            Some("p = 'a' AND q = 'x'"),
        ),
        (col("q").eq("x"), vec![], Some("q = 'x'")),
        (col("p").in_list(["a"]), fixed("a"), None),
        (
            col("p").in_list(["a", "b"]),
            vec![],
            Some("p IN ('a', 'b')"),
        ),
        (col("p").is_null(), fixed(null), Some("p IS NULL")),
        (col("p").eq("50%/x"), fixed("50%/x"), Some("p = '50%/x'")),
        (col("p").eq(" "), vec![], Some("p = ' '")),
        (col("p").eq("a").or(col("p").eq("b")), vec![], None),
        (col("p").gt("a"), vec![], Some("p > 'a'")),
        // What rows decide is not the catalog's business.
        (
            col("p").eq("a").and(col("id").gt(1)),
            fixed("a"),
            Some("p = 'a'"),
        ),
        (col("id").gt(1), vec![], None),
    ] {
        managed.heal();
        matching(&managed.table, Some(filter.clone()))
            .await
            .unwrap();
        let (told, said) = only_list(&managed.registry.calls());
        assert_eq!(told, prefix, "{filter}");
        if let Some(hint) = hint {
            assert_eq!(said.as_deref(), Some(hint), "{filter}");
        }
        if filter.column_names().into_iter().eq(["id"]) {
            assert_eq!(said, None);
        }
    }
}

#[tokio::test]
async fn what_the_catalog_lists_is_compared_again_as_values() {
    let columns = "id BIGINT, m INT, p STRING";
    for prunes in [true, false] {
        let mut managed = Managed::new(columns, &["m", "p"], &[]);
        if !prunes {
            let registry = managed.registry.clone().without_pruning();
            let location = managed.table.location().to_string();
            let files = std::sync::Arc::new(managed.files.clone());
            managed.table =
                super::support::open(&location, &managed.schema, files, &registry).unwrap();
        }
        // One row each, in directories of both spellings.
        let source = Managed::by_p_q(true);
        append(&source.table, &[(7, "s", "s")]).await;
        let file = source.data_files().await.swap_remove(0);
        let path = format!("{}/{file}", source.table.location().path());
        let content = std::fs::read(path).unwrap();
        for (m, p) in [("3", "a"), ("03", "a"), ("3", "b"), ("4", "a")] {
            managed
                .put(&format!("m={m}/p={p}/f.parquet"), &content)
                .await;
            let own = spec(&[("m", m), ("p", p)]);
            managed.registry.put(PartitionStatistics::unknown(own));
        }
        let count = async |filter: Predicate| {
            let found = matching(&managed.table, Some(filter)).await.unwrap();
            found.len()
        };
        assert_eq!(count(col("m").eq(3)).await, 3);
        assert_eq!(count(col("m").eq(3).and(col("p").eq("a"))).await, 2);
        assert_eq!(count(col("m").gt_eq(4)).await, 1);
        assert_eq!(count(col("m").eq("03")).await, 3);
        assert_eq!(count(col("p").eq("c")).await, 0);
        // A number is not sent as a text.
        managed.heal();
        count(col("m").eq(3).and(col("p").eq("a"))).await;
        assert_eq!(only_list(&managed.registry.calls()).0, []);
    }
}

#[tokio::test]
async fn a_filter_that_nothing_can_satisfy_asks_nobody() {
    let managed = filled(true).await;
    let never = col("p").eq("a").and(Predicate::Constant(false));
    assert_eq!(
        matching(&managed.table, Some(never)).await.unwrap(),
        Vec::<String>::new()
    );
    let plan = managed.table.scan().limit(0).build().unwrap();
    assert_eq!(plan.plan().await.unwrap().splits(), []);
    assert_eq!(managed.registry.calls(), []);
}

#[tokio::test]
async fn a_partition_that_is_listed_twice_is_read_once() {
    let managed = filled(true).await;
    managed.registry.repeat_itself();
    assert_eq!(managed.rows().await, lines_of(&ROWS));
}

#[tokio::test]
async fn a_catalog_that_fails_is_never_answered_by_listing_directories() {
    let managed = filled(true).await;
    for kind in [
        ErrorKind::Unavailable,
        ErrorKind::Unsupported,
        ErrorKind::NotFound,
        ErrorKind::PermissionDenied,
    ] {
        managed.heal();
        managed.registry.fail_all(RegistryFault::refusal(kind));
        let scan = managed.table.scan().build().unwrap();
        let planned = scan.plan().await.unwrap_err();
        let listed = scan.list_partitions().await.unwrap_err();
        for error in [planned, listed] {
            assert_eq!(error.kind(), kind);
            assert!(
                error
                    .to_string()
                    .contains("the catalog did not list its partitions"),
                "{error}"
            );
        }
        assert_eq!(managed.files.all_calls(), 0);
    }
}

#[tokio::test]
async fn what_cannot_be_a_partition_of_the_table_is_an_error_that_names_it() {
    for (broken, what) in [
        (spec(&[("p", "a")]), "partition p=a, which"),
        (spec(&[("p", "a"), ("z", "1")]), "column 'z'"),
        (spec(&[("p", "a"), ("q", "")]), "column 'q'"),
        (spec(&[("p", "a"), ("q", "x"), ("z", "1")]), "column 'z'"),
    ] {
        let managed = filled(true).await;
        managed.registry.put(PartitionStatistics::unknown(broken));
        let unfiltered = managed.registry.clone().without_pruning();
        let location = managed.table.location().to_string();
        let files = std::sync::Arc::new(managed.files.clone());
        let table = super::support::open(&location, &managed.schema, files, &unfiltered).unwrap();
        let error = rows(&table).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition);
        assert!(error.to_string().contains(what), "{error}");
    }
    let columns = "id BIGINT, p STRING, q STRING";
    let value_only = ("format-table.partition-path-only-value", "true");
    for hidden in ["..", ".", "_x"] {
        let managed = Managed::new(columns, &["p", "q"], &[value_only]);
        managed
            .registry
            .put(PartitionStatistics::unknown(p_q("a", hidden)));
        let error = rows(&managed.table).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPartition, "{error}");
    }
}

#[tokio::test]
async fn a_text_that_is_no_value_is_an_error_unless_the_filter_excludes_it_by_another_key() {
    let managed = Managed::new("id BIGINT, p STRING, m INT", &["p", "m"], &[]);
    let odd = spec(&[("p", "a"), ("m", "x")]);
    managed.registry.put(PartitionStatistics::unknown(odd));
    let error = rows(&managed.table).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPartition);
    assert!(error.to_string().contains("p=a, m=x"), "{error}");
    for filter in [col("p").eq("b"), col("p").gt("a").and(col("m").eq(1))] {
        let found = matching(&managed.table, Some(filter)).await.unwrap();
        assert_eq!(found, Vec::<String>::new());
    }
}

#[tokio::test]
async fn null_and_dates_are_registered_as_their_directories_are_named() {
    let managed = Managed::new("id BIGINT, dt DATE", &["dt"], &[]);
    let ids = arrow_array::Int64Array::from(vec![1, 2]);
    let days = arrow_array::Date32Array::from(vec![Some(19_723), None]);
    let batch = super::common::batch([
        ("id", std::sync::Arc::new(ids)),
        ("dt", std::sync::Arc::new(days)),
    ]);
    super::common::append(&managed.table, batch).await.unwrap();
    assert_eq!(managed.registry.names(), ["19723", "__DEFAULT_PARTITION__"]);
    let found = async |filter: Predicate| matching(&managed.table, Some(filter)).await.unwrap();
    assert_eq!(found(col("dt").eq("2024-01-01")).await, ["1 2024-01-01"]);
    assert_eq!(found(col("dt").is_null()).await, ["2 NULL"]);
    assert_eq!(found(col("dt").is_not_null()).await, ["1 2024-01-01"]);
}

#[tokio::test]
async fn directories_are_listed_side_by_side_as_far_as_the_option_allows() {
    let managed = Managed::by_p_q(true);
    let values: Vec<String> = (0..20).map(|number| format!("v{number:02}")).collect();
    for value in &values {
        managed
            .registry
            .put(PartitionStatistics::unknown(p_q("a", value)));
        managed.make_directory(&format!("p=a/q={value}")).await;
    }
    let pause = Duration::from_millis(50);
    managed
        .files
        .inject(Rule::new(Operation::List, Fault::Delay(pause)));
    let time = async |parallelism: &str| {
        let options = super::support::call(&[("format-table.scan.list-parallelism", parallelism)]);
        let scan = managed.table.scan().options(&options).unwrap();
        let started = Instant::now();
        scan.build().unwrap().plan().await.unwrap();
        started.elapsed()
    };
    assert!(time("1").await >= pause * 20);
    assert!(time("20").await < pause * 12);
}

#[tokio::test]
async fn partitions_are_listed_with_what_the_catalog_knows_and_measured_where_it_does_not() {
    let managed = filled(true).await;
    managed
        .registry
        .put(numbers(&p_q("a", "x"), (120, 4096, 2), 1_787_360_523_000));
    managed
        .registry
        .put(PartitionStatistics::unknown(p_q("a", "y")));
    managed.registry.put(numbers(&p_q("b", "x"), (0, 0, 0), -1));
    let scan = managed.table.scan().filter(col("p").not_eq("c"));
    let listed = scan.build().unwrap().list_partitions().await.unwrap();
    let told: Vec<_> = listed
        .iter()
        .map(|entry| {
            (
                entry.path.as_str(),
                entry.record_count,
                entry.file_count,
                entry.total_bytes as i64,
            )
        })
        .collect();
    let measured = managed.bytes_in("p=a/q=y").await;
    assert_eq!(
        told,
        [
            ("p=a/q=x", Some(120), 2, 4096),
            ("p=a/q=y", None, 1, measured),
            ("p=b/q=x", Some(0), 0, 0),
        ]
    );
    assert_eq!(listed[0].last_modified_millis, Some(1_787_360_523_000));
    assert!(listed[1].last_modified_millis.is_some());
    assert_eq!(listed[2].last_modified_millis, None);
    let text = |text: &str| Some(Datum::String(text.to_owned()));
    assert_eq!(listed[0].values, [text("a"), text("x")]);
    let looked_at: Vec<_> = managed.files.trace();
    let lists = looked_at
        .iter()
        .filter(|call| call.operation == Operation::List);
    assert_eq!(lists.count(), 1);
}

#[tokio::test]
async fn a_table_with_nothing_registered_says_what_lies_there_unseen() {
    let managed = Managed::by_p_q(true);
    managed.put("p=a/q=x/f.parquet", b"unseen").await;
    managed.put("other/f.parquet", b"unseen").await;
    let scan = managed.table.scan().build().unwrap();
    let plan = scan.plan().await.unwrap();
    assert_eq!(plan.splits(), []);
    let warnings = plan.metrics().warnings();
    let [warning] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    assert!(warning.starts_with("p=a is not read"), "{warning}");
    // Once anything is registered, the rest is nobody's business.
    append(&managed.table, &[(1, "b", "x")]).await;
    let plan = scan.plan().await.unwrap();
    assert_eq!(plan.metrics().warnings(), Vec::<String>::new());
}

#[tokio::test]
async fn a_limit_ends_the_listing_of_directories() {
    let managed = Managed::by_p_q(true);
    for number in 0..8_i64 {
        let q: &'static str = ["a", "b", "c", "d", "e", "f", "g", "h"][number as usize];
        append(&managed.table, &[(number, "a", q)]).await;
    }
    managed.heal();
    let options = super::support::call(&[("format-table.scan.list-parallelism", "1")]);
    let scan = managed.table.scan().options(&options).unwrap().limit(2);
    let plan = scan.build().unwrap().plan().await.unwrap();
    assert_eq!(plan.file_count(), 2);
    assert!(managed.files.calls(Operation::List) <= 3);
}

#[tokio::test]
async fn files_of_nested_directories_belong_to_the_partition() {
    let managed = filled(true).await;
    let file = managed.data_files().await.swap_remove(0);
    let path = format!("{}/{file}", managed.table.location().path());
    let content = std::fs::read(path).unwrap();
    managed.put("p=a/q=x/sub/deep/f.parquet", &content).await;
    managed.put("p=a/q=x/_hidden/f.parquet", &content).await;
    let found = matching(&managed.table, Some(col("q").eq("x").and(col("p").eq("a"))));
    assert_eq!(
        found.await.unwrap(),
        lines_of(&[(1, "a", "x"), (1, "a", "x")])
    );
    // Staged files are no one's rows either.
    let staged = staged(&managed.table, &[(9, "a", "x")]).await;
    assert_eq!(staged.len(), 1);
    assert_eq!(managed.rows().await.len(), 5);
    assert_eq!(rows_batch(&ROWS).num_rows(), 4);
}
