//! What the catalog is told of commits, and what they replace.

use std::time::{SystemTime, UNIX_EPOCH};

use ftable::{ErrorKind, FormatTable};
use ftable_catalog::PartitionStatistics;
use ftable_testkit::registry::{RegistryCall, RegistryFault};

use super::support::{
    Created, ID_P_Q, Managed, Row, append, call, counts, lines_of, numbers, only_create, p_q,
    rows_batch, spec, staged,
};

const OLD: [Row; 4] = [(1, "a", "x"), (2, "a", "y"), (3, "b", "x"), (4, "b", "x")];

async fn filled(on_disk: bool) -> Managed {
    let managed = Managed::by_p_q(on_disk);
    append(&managed.table, &OLD).await;
    managed.heal();
    managed
}

fn millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// The statistics of a request without their time, which is one for all and that of the commit.
#[track_caller]
fn timeless(created: &Created, began: i64) -> Vec<PartitionStatistics> {
    let times: Vec<i64> = created
        .statistics
        .iter()
        .map(|own| own.last_file_creation_millis)
        .collect();
    let first = times[0];
    assert!(times.iter().all(|time| *time == first), "{times:?}");
    assert!((began..=millis()).contains(&first), "{first}");
    let timeless = |own: &PartitionStatistics| numbers(&own.spec, sums(own), 0);
    created.statistics.iter().map(timeless).collect()
}

fn sums(own: &PartitionStatistics) -> (i64, i64, i64) {
    assert_eq!(own.total_buckets, -1);
    (own.record_count, own.file_size_in_bytes, own.file_count)
}

async fn overwrite(table: &FormatTable, rows: &[Row], dynamic: bool) {
    let messages = staged(table, rows).await;
    let options = call(&[("dynamic-partition-overwrite", &dynamic.to_string())]);
    let commit = table.commit().options(&options).unwrap().overwrite();
    commit.build().unwrap().commit(messages).await.unwrap();
}

async fn overwrite_partition(table: &FormatTable, partition: &[(&str, &str)], rows: &[Row]) {
    let messages = staged(table, rows).await;
    let commit = table.commit().overwrite_partition(&spec(partition));
    commit
        .unwrap()
        .build()
        .unwrap()
        .commit(messages)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_append_registers_what_it_wrote_with_its_sums_in_one_request() {
    for on_disk in [true, false] {
        let managed = Managed::by_p_q(on_disk);
        let began = millis();
        append(&managed.table, &OLD).await;
        let created = only_create(&managed.registry);
        assert!(created.ignore_existing && !created.replace);
        assert_eq!(created.specs, [p_q("a", "x"), p_q("a", "y"), p_q("b", "x")]);
        let mut expected = Vec::new();
        for (spec, path, rows) in [
            (p_q("a", "x"), "p=a/q=x", 1),
            (p_q("a", "y"), "p=a/q=y", 1),
            (p_q("b", "x"), "p=b/q=x", 2),
        ] {
            expected.push(numbers(&spec, (rows, managed.bytes_in(path).await, 1), 0));
        }
        assert_eq!(timeless(&created, began), expected);
        assert_eq!(managed.rows().await, lines_of(&OLD));
        // No other call than the one, so nothing is asked of the catalog before or after.
        managed.heal();
        append(&managed.table, &OLD[..1]).await;
        assert_eq!(managed.registry.calls().len(), 1);
        assert_eq!(counts(&managed.registry)["a/x"], (2, 2));
        assert!(managed.is_clean().await);
    }
}

#[tokio::test]
async fn sums_are_over_all_files_and_writers() {
    let managed = Managed::new(ID_P_Q, &["p", "q"], &[("target-file-row-num", "2")]);
    let mut messages = staged(
        &managed.table,
        &[(1, "a", "x"), (2, "a", "x"), (3, "a", "x")],
    )
    .await;
    messages.extend(staged(&managed.table, &[(4, "a", "x")]).await);
    assert_eq!(messages.len(), 3);
    let began = millis();
    let mut commit = managed.table.commit().build().unwrap();
    commit.commit(messages).await.unwrap();
    let bytes = managed.bytes_in("p=a/q=x").await;
    assert_eq!(
        timeless(&only_create(&managed.registry), began),
        [numbers(&p_q("a", "x"), (4, bytes, 3), 0)]
    );
}

#[tokio::test]
async fn texts_are_registered_as_they_are() {
    let managed = Managed::by_p_q(true);
    append(&managed.table, &[(1, "50%", "a/b=c"), (2, "", "é")]).await;
    let created = only_create(&managed.registry);
    assert_eq!(
        created.specs,
        [p_q("50%", "a/b=c"), p_q("__DEFAULT_PARTITION__", "é")]
    );
    assert_eq!(
        managed.directories().await,
        ["p=50%25/q=a%2Fb%3Dc", "p=__DEFAULT_PARTITION__/q=é"]
    );
    assert_eq!(managed.rows().await.len(), 2);
}

#[tokio::test]
async fn an_append_of_nothing_tells_nothing() {
    let managed = filled(true).await;
    append(&managed.table, &[]).await;
    overwrite(&managed.table, &[], true).await;
    assert_eq!(managed.registry.calls(), []);
    assert_eq!(managed.rows().await, lines_of(&OLD));
}

#[tokio::test]
async fn a_dynamic_overwrite_replaces_the_numbers_of_what_it_wrote() {
    for on_disk in [true, false] {
        let managed = filled(on_disk).await;
        let began = millis();
        overwrite(&managed.table, &[(9, "b", "x"), (8, "c", "x")], true).await;
        let created = only_create(&managed.registry);
        assert!(created.ignore_existing && created.replace);
        let sizes = [
            managed.bytes_in("p=b/q=x").await,
            managed.bytes_in("p=c/q=x").await,
        ];
        assert_eq!(
            timeless(&created, began),
            [
                numbers(&p_q("b", "x"), (1, sizes[0], 1), 0),
                numbers(&p_q("c", "x"), (1, sizes[1], 1), 0),
            ]
        );
        assert_eq!(
            managed.rows().await,
            lines_of(&[OLD[0], OLD[1], (9, "b", "x"), (8, "c", "x")])
        );
        assert_eq!(counts(&managed.registry)["a/x"], (1, 1));
    }
}

#[tokio::test]
async fn an_overwrite_of_the_table_replaces_what_is_registered() {
    for on_disk in [true, false] {
        let managed = filled(on_disk).await;
        managed.put("p=u/q=x/f.parquet", b"unseen").await;
        managed.put("p=c/q=x/f.parquet", b"unseen").await;
        let began = millis();
        overwrite(&managed.table, &[(9, "a", "x"), (8, "c", "x")], false).await;
        let created = only_create(&managed.registry);
        assert!(created.replace);
        let sizes = [
            managed.bytes_in("p=a/q=x").await,
            managed.bytes_in("p=c/q=x").await,
        ];
        assert_eq!(
            timeless(&created, began),
            [
                numbers(&p_q("a", "x"), (1, sizes[0], 1), 0),
                numbers(&p_q("a", "y"), (0, 0, 0), 0),
                numbers(&p_q("b", "x"), (0, 0, 0), 0),
                numbers(&p_q("c", "x"), (1, sizes[1], 1), 0),
            ]
        );
        assert_eq!(
            managed.rows().await,
            lines_of(&[(9, "a", "x"), (8, "c", "x")])
        );
        // What nobody sees stays, unless it would be seen now.
        assert_eq!(
            managed.directories().await,
            ["p=a/q=x", "p=c/q=x", "p=u/q=x"]
        );
        assert!(managed.exists("p=u/q=x/f.parquet").await);
        assert!(!managed.exists("p=c/q=x/f.parquet").await);
    }
}

#[tokio::test]
async fn an_overwrite_of_a_prefix_tells_of_the_partitions_that_it_emptied() {
    for on_disk in [true, false] {
        let managed = filled(on_disk).await;
        managed.put("p=a/q=u/f.parquet", b"unseen").await;
        managed.put("p=a/stray", b"unseen").await;
        managed.put("p=a/q=z/f.parquet", b"unseen").await;
        let began = millis();
        overwrite_partition(&managed.table, &[("p", "a")], &[(9, "a", "z")]).await;
        let created = only_create(&managed.registry);
        assert!(created.replace);
        let size = managed.bytes_in("p=a/q=z").await;
        assert_eq!(
            timeless(&created, began),
            [
                numbers(&p_q("a", "x"), (0, 0, 0), 0),
                numbers(&p_q("a", "y"), (0, 0, 0), 0),
                numbers(&p_q("a", "z"), (1, size, 1), 0),
            ]
        );
        assert_eq!(
            managed.rows().await,
            lines_of(&[OLD[2], OLD[3], (9, "a", "z")])
        );
        assert!(managed.exists("p=a/q=u/f.parquet").await);
        assert!(managed.exists("p=a/stray").await);
        assert!(!managed.exists("p=a/q=z/f.parquet").await);
    }
}

#[tokio::test]
async fn a_complete_partition_is_registered_even_without_a_file() {
    let managed = filled(true).await;
    let began = millis();
    overwrite_partition(&managed.table, &[("p", "n"), ("q", "n")], &[]).await;
    let created = only_create(&managed.registry);
    assert!(created.ignore_existing && created.replace);
    assert_eq!(created.specs, [p_q("n", "n")]);
    assert_eq!(
        timeless(&created, began),
        [numbers(&p_q("n", "n"), (0, 0, 0), 0)]
    );
    assert!(managed.exists("p=n/q=n").await);
    // A prefix alone names no partition, so there is nothing to tell.
    managed.heal();
    overwrite_partition(&managed.table, &[("p", "m")], &[]).await;
    assert_eq!(managed.registry.changes(), []);
    assert_eq!(managed.rows().await, lines_of(&OLD));
}

#[tokio::test]
async fn an_overwrite_finds_every_spelling_of_its_partition() {
    let managed = Managed::new("id BIGINT, m INT", &["m"], &[]);
    managed.put("m=03/f.parquet", b"old").await;
    let three = spec(&[("m", "03")]);
    managed.registry.put(numbers(&three, (5, 3, 1), 1));
    let began = millis();
    let commit = managed
        .table
        .commit()
        .overwrite_partition(&spec(&[("m", "3")]));
    commit
        .unwrap()
        .build()
        .unwrap()
        .commit(Vec::new())
        .await
        .unwrap();
    assert_eq!(
        timeless(&only_create(&managed.registry), began),
        [
            numbers(&three, (0, 0, 0), 0),
            numbers(&spec(&[("m", "3")]), (0, 0, 0), 0)
        ]
    );
    assert_eq!(managed.data_files().await, Vec::<String>::new());
}

#[tokio::test]
async fn truncating_the_table_reports_zeros_and_unregisters_nothing() {
    for on_disk in [true, false] {
        let managed = filled(on_disk).await;
        managed
            .registry
            .put(PartitionStatistics::unknown(p_q("e", "e")));
        managed.put("p=u/q=x/f.parquet", b"unseen").await;
        let began = millis();
        let mut commit = managed.table.commit().build().unwrap();
        commit.truncate_table().await.unwrap();
        let created = only_create(&managed.registry);
        assert!(created.ignore_existing && created.replace);
        let zero = |p: &str, q: &str| numbers(&p_q(p, q), (0, 0, 0), 0);
        assert_eq!(
            timeless(&created, began),
            [
                zero("a", "x"),
                zero("a", "y"),
                zero("b", "x"),
                zero("e", "e")
            ]
        );
        assert_eq!(managed.rows().await, Vec::<String>::new());
        assert_eq!(managed.data_files().await, ["p=u/q=x/f.parquet"]);
        assert_eq!(managed.registry.names(), ["a/x", "a/y", "b/x", "e/e"]);
        assert!(managed.is_clean().await);
        // Again: what is empty already is reported, too.
        managed.heal();
        commit.truncate_table().await.unwrap();
        assert_eq!(only_create(&managed.registry).statistics.len(), 4);
    }
}

#[tokio::test]
async fn truncating_what_is_not_registered_registers_nothing() {
    let managed = Managed::by_p_q(true);
    managed.put("p=a/q=x/f.parquet", b"unseen").await;
    let mut commit = managed.table.commit().build().unwrap();
    commit.truncate_table().await.unwrap();
    for partition in [spec(&[("p", "a")]), p_q("a", "x"), p_q("b", "x")] {
        commit.truncate_partitions(&[partition]).await.unwrap();
    }
    assert_eq!(managed.registry.changes(), []);
    assert_eq!(managed.data_files().await, ["p=a/q=x/f.parquet"]);
    assert!(managed.is_clean().await);
}

#[tokio::test]
async fn truncating_partitions_reports_zeros_of_all_below_a_prefix() {
    let managed = filled(true).await;
    let began = millis();
    let mut commit = managed.table.commit().build().unwrap();
    commit
        .truncate_partitions(&[spec(&[("p", "a")]), p_q("b", "x"), p_q("b", "nothing")])
        .await
        .unwrap();
    let zero = |p: &str, q: &str| numbers(&p_q(p, q), (0, 0, 0), 0);
    assert_eq!(
        timeless(&only_create(&managed.registry), began),
        [zero("a", "x"), zero("a", "y"), zero("b", "x")]
    );
    assert_eq!(managed.rows().await, Vec::<String>::new());
    assert!(managed.exists("p=a/q=x").await);
}

#[tokio::test]
async fn dropping_partitions_unregisters_them_and_removes_what_lay_in_them() {
    for on_disk in [true, false] {
        let managed = filled(on_disk).await;
        managed.put("p=a/q=u/f.parquet", b"unseen").await;
        let mut commit = managed.table.commit().build().unwrap();
        commit
            .drop_partitions(&[spec(&[("p", "a")])])
            .await
            .unwrap();
        assert_eq!(
            managed.registry.changes(),
            [RegistryCall::Drop(vec![p_q("a", "x"), p_q("a", "y")])]
        );
        assert_eq!(managed.rows().await, lines_of(&OLD[2..]));
        // An unregistered one below the prefix is nobody's business.
        assert_eq!(managed.directories().await, ["p=a/q=u", "p=b/q=x"]);
        assert!(!managed.exists("p=a/q=x").await);

        managed.heal();
        commit.drop_partitions(&[p_q("b", "x")]).await.unwrap();
        assert_eq!(
            managed.registry.changes(),
            [RegistryCall::Drop(vec![p_q("b", "x")])]
        );
        assert!(!managed.exists("p=b/q=x").await);
        assert!(managed.is_clean().await);

        managed.heal();
        commit.drop_partitions(&[p_q("b", "x")]).await.unwrap();
        commit.drop_partitions(&[p_q("never", "x")]).await.unwrap();
        assert_eq!(managed.registry.changes(), []);
    }
}

#[tokio::test]
async fn a_partition_that_is_dropped_by_name_leaves_no_files_to_come_to_light() {
    let managed = Managed::by_p_q(true);
    // As a drop leaves it whose process died between the catalog and the files.
    managed.put("p=a/q=x/f.parquet", b"unseen").await;
    let mut commit = managed.table.commit().build().unwrap();
    commit.drop_partitions(&[p_q("a", "x")]).await.unwrap();
    assert_eq!(managed.registry.changes(), []);
    assert_eq!(managed.data_files().await, Vec::<String>::new());
    append(&managed.table, &[(1, "a", "x")]).await;
    assert_eq!(managed.rows().await, lines_of(&[(1, "a", "x")]));
}

#[tokio::test]
async fn a_preview_lists_the_files_of_registered_partitions() {
    let managed = filled(true).await;
    managed.put("p=u/q=x/f.parquet", b"unseen").await;
    managed.put("p=c/q=x/f.parquet", b"unseen").await;
    let whole = call(&[("dynamic-partition-overwrite", "false")]);
    let messages = staged(&managed.table, &[(8, "c", "x")]).await;
    let commit = managed.table.commit().options(&whole).unwrap().overwrite();
    let commit = commit.build().unwrap();
    let mut expected = managed.data_files().await;
    expected.retain(|path| !path.starts_with("p=u/"));
    assert_eq!(commit.preview(&messages).await.unwrap(), expected);
    assert_eq!(managed.registry.changes(), []);
}

#[tokio::test]
async fn a_catalog_that_cannot_be_asked_what_is_registered_fails_a_replacement_before_it_begins() {
    let managed = filled(true).await;
    managed.registry.fail_all(RegistryFault::lost());
    let mut commit = managed.table.commit().build().unwrap();
    let prefix = [spec(&[("p", "a")])];
    let errors = [
        commit.truncate_table().await,
        commit.truncate_partitions(&prefix).await,
        commit.drop_partitions(&prefix).await,
    ];
    for error in errors {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Unavailable);
    }
    managed.heal();
    assert_eq!(managed.rows().await, lines_of(&OLD));
    assert!(managed.is_clean().await);
}

#[tokio::test]
async fn value_only_layouts_are_registered_alike() {
    let value_only = ("format-table.partition-path-only-value", "true");
    let managed = Managed::new(ID_P_Q, &["p", "q"], &[value_only]);
    append(&managed.table, &[(1, "a", "x"), (2, "", "y")]).await;
    assert_eq!(
        only_create(&managed.registry).specs,
        [p_q("__DEFAULT_PARTITION__", "y"), p_q("a", "x")]
    );
    assert_eq!(managed.rows().await.len(), 2);
    overwrite_partition(&managed.table, &[("p", "__DEFAULT_PARTITION__")], &[]).await;
    assert_eq!(managed.rows().await, lines_of(&[(1, "a", "x")]));
    assert_eq!(rows_batch(&OLD).num_rows(), 4);
}

#[tokio::test]
async fn messages_of_many_writers_are_registered_by_the_one_who_commits() {
    let managed = Managed::by_p_q(true);
    let mut texts = Vec::new();
    for row in &OLD[..3] {
        let messages = staged(&managed.table, std::slice::from_ref(row)).await;
        texts.push(serde_json::to_string(&messages).unwrap());
    }
    let messages: Vec<ftable::CommitMessage> = texts
        .iter()
        .flat_map(|text| serde_json::from_str::<Vec<_>>(text).unwrap())
        .collect();
    assert_eq!(managed.registry.calls(), []);
    let mut commit = managed.table.commit().build().unwrap();
    commit.commit(messages.clone()).await.unwrap();
    assert_eq!(only_create(&managed.registry).specs.len(), 3);
    // The same messages again are refused, and nothing is counted twice.
    managed.heal();
    let error = commit.commit(messages).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(managed.registry.changes(), []);
    assert_eq!(counts(&managed.registry)["a/x"], (1, 1));
}
