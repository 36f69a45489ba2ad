//! Adding partitions, and bringing what is registered in line with the directories.

use ftable::ErrorKind;
use ftable_catalog::PartitionStatistics;
use ftable_table::{AddedPartitions, PartitionRepair, PartitionRepairReport};
use ftable_testkit::faulty::{Fault, Operation, Rule};
use ftable_testkit::registry::{RegistryCall, RegistryFault};

use super::support::{
    ID_P_Q, Managed, append, lines_of, numbers, only_create, p_q, rows, spec, staged,
};

/// A table with `p=a/q=x` registered and there, `p=b/q=x` there alone, `p=c/q=x` registered alone.
async fn out_of_line(on_disk: bool) -> Managed {
    let managed = Managed::by_p_q(on_disk);
    append(&managed.table, &[(1, "a", "x"), (2, "b", "x")]).await;
    ftable_catalog::PartitionRegistry::drop_partitions(&managed.registry, &[p_q("b", "x")])
        .await
        .unwrap();
    managed.registry.put(numbers(&p_q("c", "x"), (0, 0, 0), 1));
    managed.heal();
    managed
}

async fn repaired(managed: &Managed, mode: PartitionRepair) -> PartitionRepairReport {
    let partitions = managed.table.partitions().build().unwrap();
    partitions.repair(mode).await.unwrap()
}

fn texts(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[tokio::test]
async fn add_registers_directories_drop_unregisters_what_has_none_sync_does_both() {
    for on_disk in [true, false] {
        for (mode, added, dropped, names) in [
            (
                PartitionRepair::Add,
                &["p=b/q=x"][..],
                &[][..],
                &["a/x", "b/x", "c/x"][..],
            ),
            (PartitionRepair::Drop, &[], &["p=c/q=x"], &["a/x"]),
            (
                PartitionRepair::Sync,
                &["p=b/q=x"],
                &["p=c/q=x"],
                &["a/x", "b/x"],
            ),
        ] {
            let managed = out_of_line(on_disk).await;
            let files = managed.data_files().await;
            let partitions = managed.table.partitions().dry_run(true).build().unwrap();
            let foretold = partitions.repair(mode).await.unwrap();
            assert_eq!(managed.registry.changes(), []);

            let report = repaired(&managed, mode).await;
            assert_eq!(report, foretold);
            assert_eq!(report.added, texts(added));
            assert_eq!(report.dropped, texts(dropped));
            assert_eq!(report.skipped, texts(&[]));
            assert_eq!(managed.registry.names(), names);
            for call in managed.registry.changes() {
                match call {
                    RegistryCall::Create {
                        specs,
                        ignore_existing,
                        statistics,
                        replace,
                    } => {
                        assert_eq!(specs, [p_q("b", "x")]);
                        assert!(ignore_existing && !replace && statistics.is_empty());
                    }
                    other => assert_eq!(other, RegistryCall::Drop(vec![p_q("c", "x")])),
                }
            }
            assert_eq!(managed.data_files().await, files);
            let seen = match mode {
                PartitionRepair::Drop => lines_of(&[(1, "a", "x")]),
                _ => lines_of(&[(1, "a", "x"), (2, "b", "x")]),
            };
            assert_eq!(managed.rows().await, seen);
            // In line, it stays so.
            managed.heal();
            let again = repaired(&managed, mode).await;
            assert_eq!(again, PartitionRepairReport::default());
            assert_eq!(managed.registry.changes(), []);
        }
    }
}

#[tokio::test]
async fn texts_are_compared_not_values() {
    let managed = Managed::new("id BIGINT, m INT", &["m"], &[]);
    for name in ["m=3", "m=03", "m=4"] {
        managed.make_directory(name).await;
    }
    managed
        .registry
        .put(PartitionStatistics::unknown(spec(&[("m", "3")])));
    managed
        .registry
        .put(PartitionStatistics::unknown(spec(&[("m", "04")])));
    let report = repaired(&managed, PartitionRepair::Sync).await;
    assert_eq!(report.added, ["m=03", "m=4"]);
    assert_eq!(report.dropped, ["m=04"]);
    assert_eq!(managed.registry.names(), ["03", "3", "4"]);
}

#[tokio::test]
async fn a_directory_that_no_partition_would_have_is_named_and_left() {
    let managed = Managed::by_p_q(true);
    managed.make_directory("p=a%2fb/q=x").await;
    managed.make_directory("p=a%2Fb/q=x").await;
    managed.make_directory("p=a/other").await;
    managed.put("p=a/q=file", b"no directory").await;
    managed.make_directory("_hidden/q=x").await;
    let report = repaired(&managed, PartitionRepair::Sync).await;
    assert_eq!(report.added, ["p=a%2Fb/q=x"]);
    assert_eq!(report.skipped, ["p=a%2fb/q=x"]);
    assert_eq!(managed.registry.names(), ["a/b/x"]);
}

#[tokio::test]
async fn the_partition_of_null_has_a_directory_in_the_value_only_layout_too() {
    let value_only = ("format-table.partition-path-only-value", "true");
    let managed = Managed::new(ID_P_Q, &["p", "q"], &[value_only]);
    append(&managed.table, &[(1, "", "x")]).await;
    let report = repaired(&managed, PartitionRepair::Sync).await;
    assert_eq!(report, PartitionRepairReport::default());
    ftable_catalog::PartitionRegistry::drop_partitions(
        &managed.registry,
        &[p_q("__DEFAULT_PARTITION__", "x")],
    )
    .await
    .unwrap();
    let report = repaired(&managed, PartitionRepair::Add).await;
    assert_eq!(report.added, ["__DEFAULT_PARTITION__/x"]);
    assert_eq!(managed.rows().await, ["1 NULL \"x\""]);
}

#[tokio::test]
async fn whatever_cannot_be_listed_nothing_is_changed() {
    let managed = out_of_line(true).await;
    let names = managed.registry.names();
    let partitions = managed.table.partitions().build().unwrap();
    managed
        .files
        .inject(Rule::new(Operation::List, Fault::Fail).call(2));
    let error = partitions.repair(PartitionRepair::Sync).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    managed.heal();
    managed.registry.fail_all(RegistryFault::lost());
    let error = partitions.repair(PartitionRepair::Sync).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(managed.files.all_calls(), 0);
    managed.heal();
    assert_eq!(managed.registry.names(), names);

    let typed = Managed::new("id BIGINT, m INT", &["m"], &[]);
    typed.make_directory("m=1").await;
    typed.make_directory("m=x").await;
    let error = typed.table.partitions().build().unwrap();
    let error = error.repair(PartitionRepair::Add).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPartition);
    assert!(error.to_string().contains("m=x"), "{error}");
    assert_eq!(typed.registry.changes(), []);
}

#[tokio::test]
async fn a_location_that_is_gone_unregisters_nothing() {
    let managed = out_of_line(true).await;
    managed.remove("").await;
    let names = managed.registry.names();
    let partitions = managed.table.partitions().build().unwrap();
    for mode in [PartitionRepair::Drop, PartitionRepair::Sync] {
        let error = partitions.repair(mode).await.unwrap_err();
        assert!(error.to_string().contains("there is nothing at"), "{error}");
    }
    assert_eq!(managed.registry.names(), names);
    partitions.repair(PartitionRepair::Add).await.unwrap();
}

#[tokio::test]
async fn an_aborted_write_leaves_a_directory_that_is_registered_as_empty() {
    let managed = Managed::by_p_q(true);
    let messages = staged(&managed.table, &[(1, "a", "x")]).await;
    let report = repaired(&managed, PartitionRepair::Add).await;
    assert_eq!(report.added, ["p=a/q=x"]);
    assert_eq!(managed.rows().await, Vec::<String>::new());
    let mut commit = managed.table.commit().build().unwrap();
    commit.commit(messages).await.unwrap();
    assert_eq!(managed.rows().await, lines_of(&[(1, "a", "x")]));
}

#[tokio::test]
async fn a_partition_is_added_as_a_writer_would_spell_it() {
    let managed = Managed::new("id BIGINT, dt DATE, m INT", &["dt", "m"], &[]);
    let partitions = managed.table.partitions().build().unwrap();
    let day = |dt: &str, m: &str| spec(&[("m", m), ("dt", dt)]);
    let null = "__DEFAULT_PARTITION__";
    let added = partitions
        .add(&[day("2024-01-01", "007"), day("19723", "7"), day(null, "1")])
        .await
        .unwrap();
    assert_eq!(
        added,
        AddedPartitions {
            created: texts(&["dt=19723/m=7", "dt=__DEFAULT_PARTITION__/m=1"]),
            existed: Vec::new(),
        }
    );
    let created = only_create(&managed.registry);
    assert_eq!(
        created.specs,
        [
            spec(&[("dt", "19723"), ("m", "7")]),
            spec(&[("dt", null), ("m", "1")])
        ]
    );
    assert!(created.ignore_existing && created.statistics.is_empty() && !created.replace);
    assert!(managed.exists("dt=19723/m=7").await);
    let known = managed.registry.partitions();
    assert!(known.values().all(|own| own.record_count == -1));

    let both = [day("19723", "7"), day("19724", "7")];
    let added = partitions.add(&both).await.unwrap();
    assert_eq!(added.created, ["dt=19724/m=7"]);
    assert_eq!(added.existed, ["dt=19723/m=7"]);
}

#[tokio::test]
async fn strictly_all_partitions_are_new_or_none_is_added() {
    let managed = Managed::by_p_q(true);
    append(&managed.table, &[(1, "a", "x")]).await;
    managed.heal();
    let strict = managed.table.partitions().ignore_existing(false);
    let strict = strict.build().unwrap();
    let error = strict
        .add(&[p_q("b", "x"), p_q("a", "x")])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(managed.registry.names(), ["a/x"]);
    assert!(!managed.exists("p=b/q=x").await);
    strict.add(&[p_q("b", "x")]).await.unwrap();
    assert_eq!(managed.registry.names(), ["a/x", "b/x"]);
}

#[tokio::test]
async fn what_is_no_complete_partition_is_not_added() {
    let managed = Managed::by_p_q(true);
    let partitions = managed.table.partitions().build().unwrap();
    for partition in [
        spec(&[("p", "a")]),
        spec(&[("q", "a")]),
        spec(&[]),
        spec(&[("p", "a"), ("z", "1")]),
        spec(&[("p", "a"), ("q", " ")]),
        spec(&[("p", "a"), ("p", "b"), ("q", "x")]),
    ] {
        let both = [p_q("fine", "x"), partition.clone()];
        assert!(partitions.add(&both).await.is_err(), "{partition:?}");
    }
    assert_eq!(
        partitions.add(&[]).await.unwrap(),
        AddedPartitions::default()
    );
    assert_eq!(managed.registry.calls(), []);
    assert_eq!(rows(&managed.table).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn adding_a_partition_brings_what_lies_in_its_directory_to_light() {
    let managed = out_of_line(true).await;
    let partitions = managed.table.partitions().build().unwrap();
    partitions.add(&[p_q("b", "x")]).await.unwrap();
    assert_eq!(
        managed.rows().await,
        lines_of(&[(1, "a", "x"), (2, "b", "x")])
    );
}

#[tokio::test]
async fn abandoned_staged_files_of_unregistered_directories_are_removed() {
    let managed = Managed::by_p_q(true);
    staged(&managed.table, &[(1, "a", "x")]).await;
    let options = ftable_table::RepairOptions {
        staged_age: std::time::Duration::ZERO,
        ..super::support::now()
    };
    // The age is that of the file system's clock, which may tick coarsely.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let report = managed.table.repair(&options).await.unwrap();
    assert_eq!(report.staged_removed.len(), 1);
    assert!(report.staged_removed[0].starts_with("p=a/q=x/_temporary/"));
}
