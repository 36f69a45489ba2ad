//! Appending: staged, hidden, published whole, or never there.

#![allow(clippy::unwrap_used)] // what cannot be made fails the test that needs it

mod common;

use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Int64Array, RecordBatch};
use common::{
    ID_AND_P, Place, append, assert_random_uuid, batch, commit, eventually, ids_and_p, lines_of,
    name_parts, rows, rows_in_order, schema, stage,
};
use ftable::{CommitMessage, ErrorKind, FormatTable, Options};
use ftable_table::CommitReport;
use ftable_testkit::faulty::{Fault, Operation, Rule};
use futures::FutureExt;
use tokio::time::timeout;

const ROWS: [(i64, Option<&str>); 4] = [(1, Some("a")), (2, Some("b")), (3, Some("a")), (4, None)];

/// Rows that are so many that they are encoded before the writer is asked to prepare.
fn many(count: i64) -> RecordBatch {
    let ids: Int64Array = (0..count).collect();
    batch([("id", Arc::new(ids))])
}

#[tokio::test]
async fn two_appends_of_the_same_rows_give_two_files_and_all_rows() {
    let place = Place::new(ID_AND_P, &[], &[]).await;
    for appends in 1..=2 {
        let report = append(&place.table, ids_and_p(&ROWS)).await.unwrap();
        assert_eq!((report.rows, report.files, report.partitions), (4, 1, 0));
        let sizes = place.data_files().into_iter();
        let sizes = sizes.map(|file| place.path(&file).metadata().unwrap().len());
        let sizes: Vec<u64> = sizes.collect();
        assert_eq!(sizes.len(), appends);
        assert!(sizes.contains(&report.bytes), "{report:?} {sizes:?}");
    }
    assert_eq!(place.rows().await, lines_of(&[ROWS, ROWS].concat()));
    assert_eq!(place.staged(), [""; 0]);
    let root = place.location();
    assert_eq!(place.files.calls_outside(&root), []);
}

#[tokio::test]
async fn files_are_named_by_prefix_uuid_counter_and_extension() {
    for (options, prefix, extension) in [
        (&[][..], "data-", ".parquet"),
        (&[("file.format", "orc")], "data-", ".orc"),
        (&[("file.format", "ORC")], "data-", ".orc"),
        (&[("data-file.prefix", "part.")], "part.", ".parquet"),
        (
            &[("file.suffix.include.compression", "true")],
            "data-",
            ".snappy.parquet",
        ),
        (
            &[
                ("file.suffix.include.compression", "true"),
                ("file.format", "orc"),
            ],
            "data-",
            ".zst.orc",
        ),
        (
            &[
                ("file.suffix.include.compression", "true"),
                ("file.compression", "none"),
            ],
            "data-",
            ".parquet",
        ),
    ] {
        let place = Place::new(ID_AND_P, &["p"], options).await;
        let mut write = place.table.write().build().unwrap();
        let mut messages = Vec::new();
        for _ in 0..3 {
            write.write(ids_and_p(&ROWS)).await.unwrap();
            messages.extend(write.prepare_commit().await.unwrap());
        }
        commit(&place.table, messages).await.unwrap();

        // One uuid for each partition of a writer; its counter goes on after each prepare.
        let mut uuids = Vec::new();
        for directory in ["p=a/", "p=b/", "p=__DEFAULT_PARTITION__/"] {
            let files = place.data_files().into_iter();
            let files = files.filter(|file| file.starts_with(directory));
            let parts: Vec<_> = files
                .map(|file| name_parts(&file, prefix, extension))
                .collect();
            let numbers: Vec<u64> = parts.iter().map(|(_, number)| *number).collect();
            assert_eq!(numbers, [0, 1, 2], "{options:?}");
            assert!(parts.iter().all(|(uuid, _)| *uuid == parts[0].0));
            uuids.push(parts[0].0.clone());
        }
        uuids.sort();
        uuids.dedup();
        assert_eq!(uuids.len(), 3);
        let all = [ROWS, ROWS, ROWS].concat();
        assert_eq!(place.rows().await, lines_of(&all));
    }
}

#[tokio::test]
async fn a_prefix_that_would_hide_files_is_refused_at_the_first_write_only() {
    for prefix in ["_x", ".x", "a/b"] {
        let place = Place::new(ID_AND_P, &[], &[("data-file.prefix", prefix)]).await;
        assert_eq!(place.rows().await, [""; 0]);
        let error = place.table.write().build().err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidOption);
        assert!(error.to_string().contains("data-file.prefix"), "{error}");
    }
}

#[tokio::test]
async fn rows_are_staged_beside_their_partition_and_unseen_until_the_commit() {
    for (keys, directories) in [
        (&[][..], &[""][..]),
        (&["p"], &["p=__DEFAULT_PARTITION__/", "p=a/", "p=b/"]),
    ] {
        let place = Place::new(ID_AND_P, keys, &[]).await;
        let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
        assert_eq!(messages.len(), directories.len());
        assert_eq!(place.data_files(), [""; 0]);
        assert_eq!(place.rows().await, [""; 0]);

        let staged = place.staged();
        assert_eq!(staged.len(), directories.len());
        for (file, directory) in staged.iter().zip(directories) {
            let name = file.strip_prefix(directory).unwrap();
            assert_random_uuid(name.strip_prefix("_temporary/.tmp.").unwrap());
        }
        for message in &messages {
            let directory = message.partition().map(|path| format!("{path}/"));
            let directory = directory.unwrap_or_default();
            assert!(directories.contains(&directory.as_str()));
            assert!(message.target().starts_with(&directory));
            assert!(message.rows() > 0 && message.bytes() > 0);
        }

        let report = commit(&place.table, messages).await.unwrap();
        assert_eq!((report.rows, report.files), (4, directories.len() as u64));
        assert_eq!(report.partitions, keys.len() as u64 * 3);
        assert_eq!(place.staged(), [""; 0]);
        assert_eq!(place.rows().await, lines_of(&ROWS));
        // The staging directory is shared with other writers, so it stays, though empty.
        for directory in directories {
            let staging = place.path(&format!("{directory}_temporary"));
            assert_eq!(staging.read_dir().unwrap().count(), 0);
        }
    }
}

#[tokio::test]
async fn what_others_keep_in_the_staging_directory_stays() {
    let foreign = [
        "p=a/_temporary/0/_temporary/attempt_x/part-0",
        "p=a/_temporary/.tmp.7c8a2a2c-5a0d-4a8e-9d55-6a4fb0c1d2e3",
        "p=a/_temporary/other",
    ];
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    for path in foreign {
        place.put(path, "foreign");
    }
    let of_b = stage(&place.table, ids_and_p(&[(10, Some("a"))])).await;
    append(&place.table, ids_and_p(&[(1, Some("a"))]))
        .await
        .unwrap();
    let mut third = place.table.write().build().unwrap();
    third.write(ids_and_p(&[(100, Some("a"))])).await.unwrap();
    let of_third = third.prepare_commit().await.unwrap();
    let mut committer = place.table.commit().build().unwrap();
    committer.abort(of_third).await.unwrap();
    third.abort().await.unwrap();

    for path in foreign {
        let content = std::fs::read_to_string(place.path(path)).unwrap();
        assert_eq!(content, "foreign", "{path}");
    }
    commit(&place.table, of_b.unwrap()).await.unwrap();
    let expected = lines_of(&[(1, Some("a")), (10, Some("a"))]);
    assert_eq!(place.rows().await, expected);
    assert_eq!(place.staged(), [foreign[1]]);
}

#[tokio::test]
async fn a_dropped_writer_removes_what_is_in_no_message() {
    let place = Place::new("id BIGINT", &[], &[("target-file-row-num", "1000")]).await;
    // Files that are closed, and one that is being written.
    let slow = Fault::Delay(Duration::from_millis(10));
    place.files.inject(Rule::new(Operation::Close, slow));
    let mut write = place.table.write().build().unwrap();
    write.write(many(40_000)).await.unwrap();
    eventually("files are staged", || place.staged().len() > 3).await;
    assert_eq!(place.data_files(), [""; 0]);
    drop(write);
    eventually("they are removed", || place.staged().is_empty()).await;

    // Files in messages belong to the messages.
    place.files.heal();
    let mut write = place.table.write().build().unwrap();
    write.write(many(10)).await.unwrap();
    let messages = write.prepare_commit().await.unwrap();
    write.write(many(40_000)).await.unwrap();
    eventually("more is staged", || place.staged().len() > 3).await;
    drop(write);
    eventually("the rest is removed", || place.staged().len() == 1).await;
    commit(&place.table, messages).await.unwrap();
    assert_eq!(place.rows().await.len(), 10);
}

#[tokio::test]
async fn an_aborted_writer_removes_what_is_not_published() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut write = place.table.write().build().unwrap();
    write.write(ids_and_p(&[(1, Some("a"))])).await.unwrap();
    let published = write.prepare_commit().await.unwrap();
    commit(&place.table, published).await.unwrap();
    write.write(ids_and_p(&[(2, Some("a"))])).await.unwrap();
    let prepared = write.prepare_commit().await.unwrap();
    write.write(ids_and_p(&[(3, Some("b"))])).await.unwrap();
    assert_eq!(place.staged().len(), 1);
    write.abort().await.unwrap();
    write.abort().await.unwrap();

    assert_eq!(place.staged(), [""; 0]);
    assert_eq!(place.rows().await, lines_of(&[(1, Some("a"))]));
    let error = commit(&place.table, prepared).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    for error in [
        write.write(ids_and_p(&ROWS)).await.unwrap_err(),
        write
            .write_partition(&[], ids_and_p(&ROWS))
            .await
            .unwrap_err(),
        write.prepare_commit().await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let text = error.to_string();
        assert!(text.ends_with("the writer was aborted; open a new one"));
    }
}

#[tokio::test]
async fn an_abort_that_fails_can_be_tried_again() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut write = place.table.write().build().unwrap();
    write.write(ids_and_p(&ROWS)).await.unwrap();
    write.prepare_commit().await.unwrap();
    place
        .files
        .inject(Rule::new(Operation::DeleteFile, Fault::Fail).call(2));
    let error = write.abort().await.unwrap_err();
    assert!(error.to_string().contains("cannot delete '"), "{error}");
    assert_eq!(place.staged().len(), 1);
    write.abort().await.unwrap();
    assert_eq!(place.staged(), [""; 0]);
}

#[tokio::test]
async fn writing_nothing_changes_nothing() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut write = place.table.write().build().unwrap();
    assert_eq!(write.prepare_commit().await.unwrap(), []);
    write.write(ids_and_p(&[])).await.unwrap();
    let spec = [("p".to_owned(), "a".to_owned())];
    write.write_partition(&spec, ids_and_p(&[])).await.unwrap();
    let messages = write.prepare_commit().await.unwrap();
    assert_eq!(messages, []);
    let report = commit(&place.table, messages).await.unwrap();
    assert_eq!(report, CommitReport::default());
    assert!(!place.root().exists());

    // A batch without rows is still looked at.
    let wrong = batch([("id", Arc::new(Int64Array::from(Vec::<i64>::new())))]);
    let error = write.write(wrong).await.unwrap_err();
    assert!(error.to_string().contains("column 'p' is missing"));
}

#[tokio::test]
async fn a_writer_that_failed_has_removed_its_files_and_refuses_more() {
    for operation in [Operation::Create, Operation::Write, Operation::Close] {
        for fault in [Fault::Fail, Fault::LoseAnswer] {
            let place = Place::new(ID_AND_P, &["p"], &[]).await;
            place.files.inject(Rule::new(operation, fault).call(2));
            let mut write = place.table.write().build().unwrap();
            write.write(ids_and_p(&ROWS)).await.unwrap();
            let error = write.prepare_commit().await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert!(error.retryable());
            assert!(error.to_string().contains("_temporary/.tmp."), "{error}");
            // What was being made at that moment is removed as soon as it is there.
            let what = format!("nothing is staged: {operation:?} {fault:?}");
            eventually(&what, || place.staged().is_empty()).await;
            assert_eq!(place.data_files(), [""; 0]);
            let error = write.write(ids_and_p(&ROWS)).await.unwrap_err();
            let text = error.to_string();
            assert!(text.ends_with("the writer failed; open a new one"));
            write.abort().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_the_writer() {
    let place = Place::new("id BIGINT", &[], &[]).await;
    let slow = Fault::Delay(Duration::from_millis(200));
    place.files.inject(Rule::new(Operation::Create, slow));
    let short = Duration::from_millis(20);

    let mut write = place.table.write().build().unwrap();
    write.write(many(40_000)).await.unwrap();
    // The second has to wait for the first. Which of its rows were taken cannot be told.
    timeout(short, write.write(many(40_000))).await.unwrap_err();
    for error in [
        write.write(many(1)).await.unwrap_err(),
        write.prepare_commit().await.unwrap_err(),
    ] {
        let text = error.to_string();
        let end = "the writer was given up in the middle of a call; open a new one";
        assert!(text.ends_with(end), "{text}");
    }
    write.abort().await.unwrap();
    eventually("all is removed", || place.staged().is_empty()).await;

    let mut write = place.table.write().build().unwrap();
    write.write(many(10)).await.unwrap();
    timeout(short, write.prepare_commit()).await.unwrap_err();
    write.prepare_commit().await.unwrap_err();
    drop(write);
    eventually("all is removed", || place.staged().is_empty()).await;
    // Also what was being made at that moment.
    tokio::time::sleep(Duration::from_millis(300)).await;
    eventually("all stays removed", || place.staged().is_empty()).await;
    assert_eq!(place.data_files(), [""; 0]);
}

#[tokio::test]
async fn a_commit_that_is_given_up_still_ends() {
    for fails in [false, true] {
        let place = Place::new(ID_AND_P, &["p"], &[]).await;
        let messages = stage(&place.table, ids_and_p(&ROWS)).await.unwrap();
        if fails {
            place
                .files
                .inject(Rule::new(Operation::Publish, Fault::Fail).call(3));
        }
        let slow = Fault::Delay(Duration::from_millis(100));
        place.files.inject(Rule::new(Operation::Publish, slow));
        place.files.inject(Rule::new(Operation::DeleteFile, slow));
        let short = Duration::from_millis(20);
        timeout(short, commit(&place.table, messages))
            .await
            .unwrap_err();
        if fails {
            let taken_back = || place.files.calls(Operation::DeleteFile) == 3;
            eventually("it is taken back", taken_back).await;
            eventually("all is gone", || place.data_files().is_empty()).await;
            assert_eq!(place.rows().await, [""; 0]);
        } else {
            eventually("all is visible", || place.data_files().len() == 3).await;
            assert_eq!(place.rows().await, lines_of(&ROWS));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_side_by_side_lose_nothing() {
    const WRITERS: i64 = 8;
    const APPENDS: i64 = 5;
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let writers = (0..WRITERS).map(|writer| {
        let table = place.table.clone();
        tokio::spawn(async move {
            for number in 0..APPENDS {
                let id = writer * APPENDS + number;
                let rows = [(id, Some("a")), (id + 1000, Some("b"))];
                append(&table, ids_and_p(&rows)).await.unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let mut before = 0;
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        let count = place.rows().await.len();
        assert!(count >= before);
        before = count;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let rows = (0..WRITERS * APPENDS).flat_map(|id| [(id, Some("a")), (id + 1000, Some("b"))]);
    assert_eq!(place.rows().await, lines_of(&rows.collect::<Vec<_>>()));
    assert_eq!(place.data_files().len(), 80);
    assert_eq!(place.staged(), [""; 0]);
}

#[tokio::test]
async fn the_messages_of_many_writers_are_committed_by_one() {
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut texts = Vec::new();
    for id in 0..3 {
        let row = [(id, Some("a"))];
        let messages = stage(&place.table, ids_and_p(&row)).await.unwrap();
        texts.push(serde_json::to_string(&messages).unwrap());
    }
    let parse = |text: &String| serde_json::from_str::<Vec<CommitMessage>>(text).unwrap();
    let messages: Vec<CommitMessage> = texts.iter().flat_map(parse).collect();
    // The one who commits has opened the table on his own.
    let report = commit(&place.seen, messages).await.unwrap();
    assert_eq!((report.rows, report.files, report.partitions), (3, 3, 1));
    let rows: Vec<_> = (0..3).map(|id| (id, Some("a"))).collect();
    assert_eq!(place.rows().await, lines_of(&rows));
}

#[tokio::test]
async fn a_store_of_keys_is_appended_to_in_the_same_way() {
    let schema = schema(ID_AND_P, &["p"], &[]);
    let open = || async {
        let builder = FormatTable::builder("memory://append/wh/t").unwrap();
        builder.schema(schema.clone()).open().await.unwrap()
    };
    let table = open().await;
    let messages = stage(&table, ids_and_p(&ROWS)).await.unwrap();
    assert_eq!(rows(&table).await.unwrap(), [""; 0]);
    let again = messages.clone();
    commit(&table, messages).await.unwrap();
    let error = commit(&table, again).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    append(&table, ids_and_p(&ROWS)).await.unwrap();
    let mut given_up = table.write().build().unwrap();
    given_up.write(ids_and_p(&ROWS)).await.unwrap();
    given_up.prepare_commit().await.unwrap();
    given_up.abort().await.unwrap();
    let expected = lines_of(&[ROWS, ROWS].concat());
    assert_eq!(rows(&open().await).await.unwrap(), expected);
}

#[tokio::test]
async fn keys_are_directories_in_their_own_order_and_not_in_the_files() {
    let columns = "m INT, id BIGINT, y INT";
    let place = Place::new(columns, &["y", "m"], &[]).await;
    let numbers = |values: [i32; 2]| Arc::new(arrow_array::Int32Array::from(values.to_vec()));
    let ids = Arc::new(Int64Array::from(vec![1, 2]));
    let rows = batch([
        ("m", numbers([7, 8])),
        ("id", ids),
        ("y", numbers([2024; 2])),
    ]);
    append(&place.table, rows).await.unwrap();
    assert_eq!(
        rows_in_order(&place.seen).await.unwrap(),
        ["7 1 2024", "8 2 2024"]
    );
    let names = place.tree();
    assert!(names.contains(&"y=2024/m=7/".to_owned()), "{names:?}");

    // The same files under a table that has the key columns as data: they are not in them.
    let keyless = format!("{}/y=2024/m=7", place.location());
    let builder = FormatTable::builder(&keyless).unwrap();
    let table = builder.schema(schema(columns, &[], &[])).open().await;
    assert_eq!(
        common::rows(&table.unwrap()).await.unwrap(),
        ["NULL 1 NULL"]
    );
}

#[tokio::test]
async fn a_table_may_have_partition_columns_only() {
    for format in ["parquet", "orc"] {
        let options = [("file.format", format)];
        let place = Place::new("p STRING, q INT", &["p", "q"], &options).await;
        let texts = Arc::new(arrow_array::StringArray::from(vec!["a", "b", "a"]));
        let numbers = Arc::new(arrow_array::Int32Array::from(vec![1, 2, 1]));
        let rows = batch([("p", texts), ("q", numbers)]);
        append(&place.table, rows).await.unwrap();
        let expected = ["\"a\" 1", "\"a\" 1", "\"b\" 2"];
        assert_eq!(place.rows().await, expected, "{format}");
    }
}

#[test]
fn without_a_runtime_calls_fail_and_do_not_panic() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let place = runtime.block_on(Place::new(ID_AND_P, &[], &[]));
    let messages = runtime.block_on(stage(&place.table, ids_and_p(&ROWS)));
    let mut write = place.table.write().build().unwrap();
    let written = write.write(ids_and_p(&ROWS)).now_or_never();
    written.unwrap().unwrap();
    let prepared = write.prepare_commit().now_or_never().unwrap();
    let committed = commit(&place.table, messages.unwrap()).now_or_never();
    for error in [prepared.unwrap_err(), committed.unwrap().unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("needs a tokio runtime"));
    }
}

/// The text of a refusal.
fn refusal<T>(result: ftable::Result<T>) -> String {
    let error = result.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    error.to_string()
}

#[tokio::test]
async fn settings_a_format_table_cannot_act_on_are_refused_by_name() {
    let table = Place::new(ID_AND_P, &["p"], &[]).await.table;
    let (scan, read) = (|| table.scan(), || table.read());
    let (write, commit) = (|| table.write(), || table.commit());
    let dynamic = |key: &str, value: &str| Options::from([(key, value)]);
    let refused = [
        (refusal(scan().branch("dev").build()), "branch 'dev'"),
        (refusal(read().branch("dev").build()), "branch 'dev'"),
        (refusal(write().branch("dev").build()), "branch 'dev'"),
        (refusal(commit().branch("dev").build()), "branch 'dev'"),
        (
            refusal(scan().streaming_mode(true).build()),
            "streaming mode",
        ),
        (
            refusal(read().streaming_mode(true).build()),
            "streaming mode",
        ),
        (
            refusal(write().streaming_mode(true).build()),
            "streaming mode",
        ),
        (
            refusal(commit().streaming_mode(true).build()),
            "streaming mode",
        ),
        (refusal(scan().bucket_filter(3).build()), "bucket filter 3"),
        (
            refusal(scan().global_index_result("i").build()),
            "global index 'i'",
        ),
        (refusal(scan().snapshot(7).build()), "snapshot 7"),
        (refusal(read().read_schema().build()), "a read schema"),
        (refusal(write().write_schema().build()), "a write schema"),
        (refusal(write().write_id(5).build()), "write id 5"),
        (
            refusal(commit().ignore_empty_commit(false).build()),
            "an empty commit",
        ),
        (
            refusal(commit().use_rest_catalog_commit(true).build()),
            "the REST catalog",
        ),
        (refusal(commit().table_id("x-1").build()), "table id 'x-1'"),
        (
            refusal(commit().append_commit_check_conflict(true).build()),
            "conflict check",
        ),
    ];
    for (text, what) in refused {
        let (named, rest) = text
            .split_once(" is not possible on a format table: ")
            .unwrap();
        assert!(named.contains(what), "{text}");
        let (reason, instead) = rest.split_once("; ").unwrap();
        assert!(!reason.is_empty() && !instead.is_empty(), "{text}");
    }
    for (key, value) in [
        ("type", "table"),
        ("path", "/elsewhere"),
        ("file.format", "orc"),
        ("partition", "id"),
        ("primary-key", "id"),
        ("branch", "dev"),
        ("metastore.partitioned-table", "true"),
        ("auto-create", "true"),
        ("format-table.commit-hive-sync-url", "thrift://h:1"),
    ] {
        let options = dynamic(key, value);
        for text in [
            refusal(scan().options(&options)),
            refusal(read().options(&options)),
            refusal(write().options(&options)),
            refusal(commit().options(&options)),
        ] {
            assert!(
                text.contains(&format!("option '{key}' = '{value}'")),
                "{text}"
            );
        }
    }
}

#[tokio::test]
async fn settings_left_at_their_defaults_are_never_refused() {
    let table = Place::new(ID_AND_P, &["p"], &[]).await.table;
    let same = Options::from([("type", "format-table"), ("file.format", "parquet")]);
    let scan = table.scan().branch("main").streaming_mode(false);
    scan.options(&same).unwrap().build().unwrap();
    let read = table.read().branch("MAIN").streaming_mode(false);
    read.options(&same).unwrap().build().unwrap();
    let write = table.write().branch("main").streaming_mode(false);
    write.options(&same).unwrap().build().unwrap();
    let commit = table.commit().branch("main").streaming_mode(false);
    let commit = commit
        .ignore_empty_commit(true)
        .use_rest_catalog_commit(false);
    let commit = commit.append_commit_check_conflict(false);
    commit.options(&same).unwrap().build().unwrap();
}
