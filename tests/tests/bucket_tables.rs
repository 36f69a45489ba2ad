//! Tables in a bucket of S3, through sockets: what keys files have, what a commit leaves when requests fail, and
//! credentials that expire while files are read and written.

// What cannot be made fails the test that needs it.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, RecordBatch};
use bytes::Bytes;
use common::{
    append, batch, commit, ids_and_p, lines, lines_of, rest_catalog, rows, schema, stage,
};
use ftable::{Catalog, CatalogExt, ErrorKind, FormatTable, Options, RepairOptions};
use ftable_testkit::rest_server::{Authorization, RestServer, Route, ServerOptions, TokenMaker};
use ftable_testkit::s3_server::{S3Fault, S3Options, S3Server};
use futures::TryStreamExt;
use futures::future::join_all;
use tempfile::TempDir;

const PARQUET: (&str, &str) = ("file.format", "parquet");

/// A server with a bucket, listed in pages of three, and keys for it that stay.
fn server() -> S3Server {
    let options = S3Options::new().bucket("lake").page_size(3);
    let server = S3Server::start(options).unwrap();
    server.credentials().allow("AK", "secret", None, None);
    server
}

async fn table(server: &S3Server, columns: &str, keys: &[&str]) -> FormatTable {
    let options = Options::from([
        ("s3.endpoint", server.endpoint().as_str()),
        ("s3.access-key", "AK"),
        ("s3.secret-key", "secret"),
    ]);
    let builder = FormatTable::builder("s3://lake/wh/t").unwrap();
    let schema = schema(columns, keys, &[PARQUET]);
    builder
        .schema(schema)
        .options(options)
        .open()
        .await
        .unwrap()
}

/// The keys of data files without their names, each directory once.
fn directories(server: &S3Server) -> Vec<String> {
    let keys = server.objects("lake");
    let data = keys.iter().filter(|key| key.ends_with(".parquet"));
    let mut directories: Vec<String> = data
        .map(|key| key.rsplit_once('/').unwrap().0.to_owned())
        .collect();
    directories.sort();
    directories.dedup();
    directories
}

/// Keys that no reader sees.
fn hidden(server: &S3Server) -> Vec<String> {
    let is_hidden = |key: &String| key.split('/').any(|part| part.starts_with(['_', '.']));
    let mut keys = server.objects("lake");
    keys.retain(is_hidden);
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_holds_the_name_of_a_partition_escaped_once() {
    let server = server();
    let table = table(&server, "id BIGINT, p STRING", &["p"]).await;
    let values = ["x:y", "R&D", "A/A", "B B", "foo+bar", "100%"];
    let given: Vec<(i64, Option<&str>)> = (1..).zip(values.map(Some)).collect();
    append(&table, ids_and_p(&given)).await.unwrap();
    assert_eq!(
        directories(&server),
        [
            "wh/t/p=100%25",
            "wh/t/p=A%2FA",
            "wh/t/p=B B",
            "wh/t/p=R&D",
            "wh/t/p=foo+bar",
            "wh/t/p=x%3Ay",
        ]
    );
    assert_eq!(rows(&table).await.unwrap(), lines_of(&given));
    for (id, value) in &given {
        let value = value.unwrap();
        let scan = table.scan().filter(ftable::col("p").eq(value));
        let plan = scan.build().unwrap().plan().await.unwrap();
        let read = table.read().value_kind(false).build().unwrap();
        let batches = read.stream(&plan).unwrap();
        let batches: Vec<RecordBatch> = batches.try_collect().await.unwrap();
        let found: Vec<String> = batches
            .iter()
            .flat_map(|batch| lines(table.fields(), batch))
            .collect();
        assert_eq!(found, lines_of(&[(*id, Some(value))]));
    }
    // What a listing returned is handed back to what deletes.
    let spec = [("p".to_owned(), "100%".to_owned())];
    let mut commit = table.commit().build().unwrap();
    commit.drop_partitions(&[spec.to_vec()]).await.unwrap();
    assert_eq!(directories(&server).len(), 5);
    assert_eq!(rows(&table).await.unwrap(), lines_of(&given[..5]));
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_markers_are_no_data() {
    let server = server();
    let table = table(&server, "id BIGINT, dt INT", &["dt"]).await;
    let one = batch([
        ("id", Arc::new(Int64Array::from(vec![7])) as _),
        ("dt", Arc::new(arrow_array::Int32Array::from(vec![1])) as _),
    ]);
    append(&table, one).await.unwrap();
    for marker in ["wh/t/", "wh/t/dt=1/", "wh/t/dt=2/", "wh/"] {
        server.put_object("lake", marker, Bytes::new());
    }
    assert_eq!(rows(&table).await.unwrap(), ["7 1"]);
    let scan = table.scan().build().unwrap();
    let partitions = scan.list_partitions().await.unwrap();
    let found: Vec<_> = partitions
        .iter()
        .map(|entry| (&*entry.path, entry.file_count))
        .collect();
    assert_eq!(found, [("dt=1", 1), ("dt=2", 0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_any_size_are_published_whole_and_once() {
    let server = server();
    let table = table(&server, "id BIGINT", &[]).await;
    // Numbers that no codec makes small: a file longer than what is copied with one request.
    let numbers = |at: i64| at.wrapping_mul(0x5851_F42D_4C95_7F2D).rotate_left(23);
    let ids: Int64Array = (0..2_500_000).map(|at| Some(numbers(at))).collect();
    let sum = ids.values().iter().copied().fold(0, i64::wrapping_add);
    let messages = stage(&table, batch([("id", Arc::new(ids))])).await.unwrap();
    assert_eq!(directories(&server), [""; 0]);
    commit(&table, messages).await.unwrap();
    let keys = server.objects("lake");
    assert_eq!(keys.len(), 1, "{keys:?}");
    assert!(server.object("lake", &keys[0]).unwrap().len() > 17 * 1024 * 1024);
    assert_eq!(server.uploads("lake"), 0);
    let plan = table.scan().build().unwrap().plan().await.unwrap();
    let read = table.read().value_kind(false).build().unwrap();
    let found = read
        .stream(&plan)
        .unwrap()
        .try_fold((0, 0), |(rows, sum), batch| async move {
            let ids: &Int64Array = batch.column(0).as_any().downcast_ref().unwrap();
            let ids = ids.values().iter().copied();
            Ok((rows + batch.num_rows(), ids.fold(sum, i64::wrapping_add)))
        });
    assert_eq!(found.await.unwrap(), (2_500_000, sum));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publish_without_an_answer_doubles_nothing() {
    let server = server();
    let table = table(&server, "id BIGINT, p STRING", &["p"]).await;
    append(&table, ids_and_p(&[(1, Some("a"))])).await.unwrap();
    let before = rows(&table).await.unwrap();
    let messages = stage(&table, ids_and_p(&[(2, Some("a")), (3, Some("b"))])).await;
    server.fail(S3Fault::lost_answer("PutObject").on_key("/data-").times(1));
    let messages = messages.unwrap();
    let error = commit(&table, messages.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert_eq!(rows(&table).await.unwrap(), before);
    assert_eq!(directories(&server), ["wh/t/p=a"]);
    table
        .commit()
        .build()
        .unwrap()
        .abort(messages)
        .await
        .unwrap();
    assert_eq!(hidden(&server), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leftover_of_a_published_file_is_hidden() {
    let server = server();
    let table = table(&server, "id BIGINT, p STRING", &["p"]).await;
    server.fail(S3Fault::answer("DeleteObject", 403, "AccessDenied").on_key("/.tmp."));
    append(&table, ids_and_p(&[(1, Some("a"))])).await.unwrap();
    assert_eq!(rows(&table).await.unwrap(), lines_of(&[(1, Some("a"))]));
    assert_eq!(hidden(&server).len(), 1);
    // And so is what a writer could not take back.
    let messages = stage(&table, ids_and_p(&[(2, Some("a"))])).await.unwrap();
    let error = table.commit().build().unwrap().abort(messages).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::PermissionDenied);
    assert_eq!(rows(&table).await.unwrap(), lines_of(&[(1, Some("a"))]));
}

/// The bucket can be reached no more from some request of an overwrite on, until a repair.
#[tokio::test(flavor = "multi_thread")]
async fn an_overwrite_that_is_cut_off_leaves_the_old_rows_or_the_new() {
    let old = [(1, Some("a")), (2, Some("b")), (3, Some("a"))];
    let new = [(2, Some("b")), (4, Some("a")), (5, Some("c"))];
    let mut cut_off = 0;
    for requests in 0..24 {
        let server = Arc::new(server());
        let table = table(&server, "id BIGINT, p STRING", &["p"]).await;
        append(&table, ids_and_p(&old)).await.unwrap();
        let messages = stage(&table, ids_and_p(&[new[1], new[2]])).await.unwrap();
        let last = server.requests().len() + requests;
        let ended = Arc::new(AtomicBool::new(false));
        let (watched, is_over) = (Arc::clone(&server), Arc::clone(&ended));
        let watch = std::thread::spawn(move || {
            while watched.requests().len() <= last && !is_over.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            watched.credentials().revoke("AK");
        });
        let mut commit = table.commit().overwrite().build().unwrap();
        let done = commit.commit(messages).await;
        ended.store(true, Ordering::SeqCst);
        watch.join().unwrap();
        cut_off += usize::from(done.is_err());
        server.credentials().allow("AK", "secret", None, None);
        let options = RepairOptions {
            now: true,
            staged_age: Duration::ZERO,
            ..RepairOptions::default()
        };
        table.repair(&options).await.unwrap();
        let found = rows(&table).await.unwrap();
        match done {
            Ok(_) => assert_eq!(found, lines_of(&new)),
            Err(error) => assert!(
                found == lines_of(&old) || found == lines_of(&new),
                "after {requests} requests: {error}: {found:?}"
            ),
        }
        assert_eq!(hidden(&server), [""; 0], "after {requests} requests");
    }
    assert!(cut_off > 5, "{cut_off}");
}

/// A REST catalog that gives credentials for tables in a bucket, good for two seconds each.
struct Vending {
    bucket: Arc<S3Server>,
    catalog: Arc<dyn Catalog>,
    server: RestServer,
    _directory: TempDir,
}

const LIFETIME: Duration = Duration::from_secs(2);

impl Vending {
    async fn new() -> Self {
        let bucket = Arc::new(S3Server::start(S3Options::new().bucket("lake")).unwrap());
        let told = Arc::clone(&bucket);
        let maker = TokenMaker::new(move |number| {
            let (key, secret) = (format!("STS.{number}"), format!("secret {number}"));
            let token = format!("session {number}");
            let credentials = told.credentials();
            credentials.allow(&key, &secret, Some(&token), Some(LIFETIME));
            let pair = |key: &str, value: String| (key.to_owned(), value);
            vec![
                pair("fs.s3.endpoint", told.endpoint()),
                pair("fs.s3.accessKeyId", key),
                pair("fs.s3.accessKeySecret", secret),
                pair("fs.s3.securityToken", token),
            ]
        });
        let directory = tempfile::tempdir().unwrap();
        let server = RestServer::start(ServerOptions {
            authorization: Authorization::Bearer("secret".to_owned()),
            overrides: vec![("data-token.enabled".to_owned(), Some("true".to_owned()))],
            data_token_lifetime: LIFETIME,
            token_maker: Some(maker),
            store: Some("s3://lake/wh".to_owned()),
            ..ServerOptions::new(directory.path())
        })
        .unwrap();
        let catalog = rest_catalog(&server).await;
        Self {
            bucket,
            catalog,
            server,
            _directory: directory,
        }
    }

    async fn table(&self) -> FormatTable {
        let schema = schema("id BIGINT, p STRING", &["p"], &[PARQUET]);
        let name = "db.t".parse().unwrap();
        let created = self.catalog.create_table(&name, &schema, false);
        created.await.unwrap();
        self.catalog.get_format_table(&name).await.unwrap()
    }

    /// Whether credentials were renewed before the bucket refused them, but for requests that a busy machine held up.
    fn refused_at_most_a_quarter(&self) -> bool {
        let requests = self.bucket.requests();
        requests.iter().filter(|request| request.refused).count() * 4 <= requests.len()
    }
}

/// Rows in a partition each, and so in a file each.
fn ten_files() -> Vec<(i64, Option<&'static str>)> {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    (0..).zip(names.map(Some)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_goes_on_with_later_credentials() {
    let place = Vending::new().await;
    let began = Instant::now();
    let table = place.table().await;
    append(&table, ids_and_p(&ten_files())).await.unwrap();
    let plan = table.scan().build().unwrap().plan().await.unwrap();
    assert_eq!(plan.metrics().files, 10);
    // One file after the other is opened, a second apart.
    let read = table.read().value_kind(false).preserve_order(true);
    let read = read.parallelism(1).build().unwrap();
    let mut batches = read.stream(&plan).unwrap();
    let mut found = Vec::new();
    while let Some(batch) = batches.try_next().await.unwrap() {
        found.extend(lines(table.fields(), &batch));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(found, lines_of(&ten_files()));
    // Ten seconds take five lives or more, and no renewal comes before the last tenth of one.
    let vended = place.server.tokens_vended() as u128;
    let lives = began.elapsed().as_millis() / 1_800 + 1;
    assert!((5..=lives).contains(&vended), "{vended} in {lives}");
    assert!(place.refused_at_most_a_quarter());
    let keys: Vec<_> = place.bucket.requests();
    let mut keys: Vec<_> = keys
        .into_iter()
        .filter_map(|asked| asked.access_key)
        .collect();
    keys.sort();
    keys.dedup();
    assert!(keys.len() >= 5, "{keys:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_readers_ask_for_new_credentials_once() {
    let place = Vending::new().await;
    let table = place.table().await;
    append(&table, ids_and_p(&ten_files())).await.unwrap();
    let plan = table.scan().build().unwrap().plan().await.unwrap();
    tokio::time::sleep(LIFETIME + Duration::from_millis(100)).await;
    let vended = place.server.tokens_vended();
    let asked = place.server.requests(Route::GetTableToken);
    let readers = join_all((0..8).map(|_| {
        let read = table.read().value_kind(false).build().unwrap();
        let batches = read.stream(&plan).unwrap();
        batches.try_fold(0, |rows, batch| async move { Ok(rows + batch.num_rows()) })
    }));
    let began = Instant::now();
    for rows in readers.await {
        assert_eq!(rows.unwrap(), 10);
    }
    let more = place.server.tokens_vended() - vended;
    // One, and another for each life of one that the reading took.
    let lives = began.elapsed().as_millis() / 1_800 + 1;
    assert!((1..=lives).contains(&(more as u128)), "{more} in {lives}");
    assert_eq!(place.server.requests(Route::GetTableToken) - asked, more);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_takes_longer_than_credentials_live_is_committed() {
    let place = Vending::new().await;
    let table = place.table().await;
    let mut write = table.write().build().unwrap();
    // Enough rows that files are begun, and kept open.
    let rows_of = |from: i64| -> RecordBatch {
        let ids: Int64Array = (from..from + 40_000).map(Some).collect();
        let texts = arrow_array::StringArray::from_iter_values((0..40_000).map(|_| "a"));
        batch([("id", Arc::new(ids)), ("p", Arc::new(texts))])
    };
    for at in 0..5 {
        write.write(rows_of(at * 40_000)).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let messages = write.prepare_commit().await.unwrap();
    assert_eq!(directories(&place.bucket), [""; 0]);
    tokio::time::sleep(LIFETIME).await;
    commit(&table, messages).await.unwrap();
    assert_eq!(directories(&place.bucket), ["wh/db.db/t/p=a"]);
    let count = table.read().build().unwrap();
    let plan = table.scan().build().unwrap().plan().await.unwrap();
    assert_eq!(count.count(&plan).await.unwrap(), 200_000);
    // An abort goes through as well.
    let messages = stage(&table, ids_and_p(&[(1, Some("b"))])).await.unwrap();
    tokio::time::sleep(LIFETIME + Duration::from_millis(100)).await;
    let mut commit = table.commit().build().unwrap();
    commit.abort(messages).await.unwrap();
    assert_eq!(hidden(&place.bucket), [""; 0]);
    assert!(place.refused_at_most_a_quarter());
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_the_store_calls_expired_are_renewed_once_each() {
    let place = Vending::new().await;
    let table = place.table().await;
    let given = [(1, Some("a")), (2, Some("b"))];
    for (status, operation) in [
        (403, "PutObject"),
        (400, "PutObject"),
        (403, "ListObjectsV2"),
        (400, "GetObject"),
        (403, "HeadObject"),
        (400, "DeleteObject"),
    ] {
        let fault = S3Fault::answer(operation, status, "ExpiredToken");
        place.bucket.fail(fault.times(1));
        let before = place.server.tokens_vended();
        let mut commit = table.commit().overwrite().build().unwrap();
        let messages = stage(&table, ids_and_p(&given)).await.unwrap();
        commit.commit(messages).await.unwrap();
        assert_eq!(rows(&table).await.unwrap(), lines_of(&given), "{operation}");
        assert!(place.server.tokens_vended() > before, "{operation}");
    }
    assert_eq!(directories(&place.bucket).len(), 2);
    assert_eq!(hidden(&place.bucket), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stays_refused_is_asked_for_twice_with_one_renewal() {
    let place = Vending::new().await;
    let table = place.table().await;
    let (asked, vended) = (place.bucket.requests().len(), place.server.tokens_vended());
    place
        .bucket
        .fail(S3Fault::answer("ListObjectsV2", 403, "AccessDenied"));
    let scan = table.scan().build().unwrap();
    let error = scan.plan().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("db.t"), "{error}");
    let lists = place.bucket.requests();
    let lists = lists[asked..]
        .iter()
        .filter(|asked| asked.operation == "ListObjectsV2");
    assert_eq!(lists.count(), 2);
    // One to begin with, and one in place of what was refused.
    assert_eq!(place.server.tokens_vended() - vended, 2);
}
