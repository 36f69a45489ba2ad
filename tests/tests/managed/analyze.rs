//! Measuring registered partitions.

use std::time::Duration;

use ftable::ErrorKind;
use ftable_catalog::{PartitionRegistry, PartitionStatistics};
use ftable_testkit::faulty::{Fault, Operation, Rule};
use ftable_testkit::registry::RegistryFault;

use super::support::{Managed, Row, append, numbers, only_create, p_q, spec};

const ROWS: [Row; 5] = [
    (1, "a", "x"),
    (2, "a", "x"),
    (3, "a", "y"),
    (4, "b", "x"),
    (5, "b", "x"),
];

/// A table whose catalog knows nothing of what it has registered.
async fn unknown(options: &[(&str, &str)]) -> Managed {
    let managed = Managed::new(super::support::ID_P_Q, &["p", "q"], options);
    append(&managed.table, &ROWS).await;
    append(&managed.table, &ROWS[..1]).await;
    for (p, q) in [("a", "x"), ("a", "y"), ("b", "x"), ("e", "e")] {
        managed
            .registry
            .put(PartitionStatistics::unknown(p_q(p, q)));
    }
    managed.put("p=u/q=x/f.parquet", b"unseen").await;
    managed.heal();
    managed
}

/// When the newest file of a partition was modified, by the file system itself.
fn modified(managed: &Managed, partition: &str) -> i64 {
    let path = format!("{}/{partition}", managed.table.location().path());
    let files = std::fs::read_dir(path).unwrap().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().unwrap().is_file());
    let millis = |entry: std::fs::DirEntry| {
        let modified = entry.metadata().unwrap().modified().unwrap();
        let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    };
    files.map(millis).max().unwrap()
}

#[tokio::test]
async fn rows_files_bytes_and_times_take_the_place_of_what_the_catalog_had() {
    for format in ["parquet", "orc"] {
        let managed = unknown(&[("file.format", format)]).await;
        let partitions = managed.table.partitions().build().unwrap();
        let measured = partitions.analyze(&[]).await.unwrap();
        let told: Vec<_> = measured
            .iter()
            .map(|entry| (entry.path.as_str(), entry.record_count, entry.file_count))
            .collect();
        assert_eq!(
            told,
            [
                ("p=a/q=x", Some(3), 2),
                ("p=a/q=y", Some(1), 1),
                ("p=b/q=x", Some(2), 1),
                ("p=e/q=e", Some(0), 0),
            ]
        );
        let created = only_create(&managed.registry);
        assert!(created.ignore_existing && created.replace);
        let mut expected = Vec::new();
        for (p, q, rows, files) in [("a", "x", 3, 2), ("a", "y", 1, 1), ("b", "x", 2, 1)] {
            let path = format!("p={p}/q={q}");
            let counts = (rows, managed.bytes_in(&path).await, files);
            expected.push(numbers(&p_q(p, q), counts, modified(&managed, &path)));
        }
        expected.push(numbers(&p_q("e", "e"), (0, 0, 0), -1));
        assert_eq!(created.statistics, expected);
        let names = managed.registry.names();
        assert_eq!(names, ["a/x", "a/y", "b/x", "e/e"]);
    }
}

#[tokio::test]
async fn only_the_partitions_below_a_prefix_are_measured() {
    let managed = unknown(&[]).await;
    let partitions = managed.table.partitions().build().unwrap();
    partitions.analyze(&spec(&[("p", "a")])).await.unwrap();
    assert_eq!(
        only_create(&managed.registry).specs,
        [p_q("a", "x"), p_q("a", "y")]
    );
    managed.heal();
    let missing = partitions.analyze(&spec(&[("p", "u")])).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(
        missing.to_string().contains("no partition p=u"),
        "{missing}"
    );
    for gap in [spec(&[("q", "x")]), spec(&[("z", "x")])] {
        assert!(partitions.analyze(&gap).await.is_err());
    }
    assert_eq!(managed.registry.changes(), []);
}

#[tokio::test]
async fn without_a_scan_no_file_is_opened_and_the_rows_stay_as_they_were() {
    let managed = unknown(&[]).await;
    managed.registry.put(numbers(&p_q("b", "x"), (42, 1, 1), 1));
    let partitions = managed
        .table
        .partitions()
        .count_rows(false)
        .build()
        .unwrap();
    let measured = partitions.analyze(&[]).await.unwrap();
    assert!(measured.iter().all(|entry| entry.record_count.is_none()));
    assert_eq!(managed.files.calls(Operation::Open), 0);
    let kept = &managed.registry.partitions()[&p_q("b", "x")];
    assert_eq!((kept.record_count, kept.file_count), (42, 1));
    assert_eq!(kept.file_size_in_bytes, managed.bytes_in("p=b/q=x").await);
}

#[tokio::test]
async fn a_file_whose_footer_cannot_be_read_leaves_the_rows_unknown() {
    let managed = unknown(&[]).await;
    managed.put("p=a/q=x/broken.parquet", b"no footer").await;
    managed.registry.put(numbers(&p_q("a", "x"), (7, 7, 7), 7));
    let partitions = managed.table.partitions().build().unwrap();
    let measured = partitions.analyze(&spec(&[("p", "a")])).await.unwrap();
    assert_eq!(measured[0].record_count, None);
    assert_eq!(measured[1].record_count, Some(1));
    let statistics = only_create(&managed.registry).statistics;
    assert_eq!(
        (statistics[0].record_count, statistics[0].file_count),
        (-1, 3)
    );
    let kept = &managed.registry.partitions()[&p_q("a", "x")];
    assert_eq!((kept.record_count, kept.file_count), (7, 3));
}

#[tokio::test]
async fn a_store_or_catalog_that_fails_changes_no_number() {
    let managed = unknown(&[]).await;
    let before = managed.registry.partitions();
    let partitions = managed.table.partitions().build().unwrap();
    for operation in [Operation::List, Operation::Open] {
        managed.files.inject(Rule::new(operation, Fault::Fail));
        let error = partitions.analyze(&[]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        managed.heal();
    }
    for call in [1, 2] {
        managed.registry.fail_call(call, RegistryFault::lost());
        assert!(partitions.analyze(&[]).await.is_err());
        managed.heal();
    }
    assert_eq!(managed.registry.partitions(), before);
    let empty = Managed::by_p_q(true);
    let partitions = empty.table.partitions().build().unwrap();
    assert_eq!(partitions.analyze(&[]).await.unwrap(), []);
    assert_eq!(empty.registry.changes(), []);
}

#[tokio::test]
async fn a_partition_that_is_dropped_while_it_is_measured_stays_dropped() {
    let managed = unknown(&[]).await;
    let slow = Fault::Delay(Duration::from_millis(500));
    managed.files.inject(Rule::new(Operation::Open, slow));
    let partitions = managed.table.partitions().build().unwrap();
    let dropped = [p_q("a", "y")];
    let (measured, dropped) = tokio::join!(partitions.analyze(&[]), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        managed.registry.drop_partitions(&dropped).await
    });
    assert_eq!(dropped.unwrap().dropped.len(), 1);
    assert_eq!(measured.unwrap().len(), 4);
    assert_eq!(managed.registry.names(), ["a/x", "b/x", "e/e"]);
}
