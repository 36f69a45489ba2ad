//! Tables of a REST catalog, through sockets: loaded, written, registered, and what is told when the server fails.

// What cannot be made fails the test that needs it.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Int64Array, StringArray};
use common::{
    append, batch, commit, ids_and_p, lines_of, overwrite, rest_catalog, rows, schema, stage,
};
use ftable::{Catalog, CatalogExt, ErrorKind, FormatTable, Identifier, Options};
use ftable_io::Location;
use ftable_testkit::rest_server::{
    Answer, Authorization, DlfKeys, Fault, RestServer, Route, Rule, ServerOptions,
};
use tempfile::TempDir;

/// A server, a catalog of it, and a directory for both.
struct Place {
    directory: TempDir,
    server: RestServer,
    catalog: Arc<dyn Catalog>,
}

const MANAGED: (&str, &str) = ("metastore.partitioned-table", "true");

impl Place {
    async fn new() -> Self {
        Self::with(&[]).await
    }

    /// `overrides` are options that the server hands out.
    async fn with(overrides: &[(&str, &str)]) -> Self {
        Self::of(overrides, 100).await
    }

    /// The server lists so many at a time.
    async fn with_pages_of(page_size: usize) -> Self {
        Self::of(&[], page_size).await
    }

    async fn of(overrides: &[(&str, &str)], page_size: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let overrides = overrides.iter();
        let server = RestServer::start(ServerOptions {
            authorization: Authorization::Bearer("secret".to_owned()),
            overrides: overrides
                .map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned())))
                .collect(),
            page_size,
            ..ServerOptions::new(directory.path())
        })
        .unwrap();
        let catalog = rest_catalog(&server).await;
        Self {
            directory,
            server,
            catalog,
        }
    }

    async fn table(&self, keys: &[&str], options: &[(&str, &str)]) -> FormatTable {
        let options = [&[("file.format", "parquet")], options].concat();
        let schema = schema("id BIGINT, p STRING", keys, &options);
        let name = identifier();
        self.catalog
            .create_table(&name, &schema, false)
            .await
            .unwrap();
        self.load().await
    }

    async fn load(&self) -> FormatTable {
        let table = self.catalog.get_format_table(&identifier()).await;
        table.unwrap()
    }

    /// The registered partitions with their rows and files.
    fn registered(&self) -> Vec<(String, i64, i64)> {
        let partitions = self.server.registered("db", "t").into_iter();
        partitions
            .map(|partition| {
                let values: Vec<_> = partition.spec.iter().map(|(_, value)| &**value).collect();
                (
                    values.join("/"),
                    partition.record_count,
                    partition.file_count,
                )
            })
            .collect()
    }
}

fn identifier() -> Identifier {
    "db.t".parse().unwrap()
}

fn shown(expected: &[(&str, i64, i64)]) -> Vec<(String, i64, i64)> {
    let owned = expected.iter();
    owned
        .map(|(name, rows, files)| ((*name).to_owned(), *rows, *files))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_loaded_from_one_answer() {
    let place = Place::new().await;
    place.table(&["p"], &[]).await;
    place.server.clear_log();
    let table = place.load().await;
    let asked: Vec<_> = place
        .server
        .log()
        .iter()
        .map(|asked| asked.target())
        .collect();
    assert_eq!(asked, ["/v1/mock/databases/db/tables/t"]);
    append(&table, ids_and_p(&[(1, Some("a")), (2, None)]))
        .await
        .unwrap();
    assert_eq!(
        rows(&table).await.unwrap(),
        lines_of(&[(1, Some("a")), (2, None)])
    );
    let directory = place.server.directory("db", "t").unwrap();
    assert!(directory.starts_with(place.directory.path()));
    assert_eq!(
        common::tree(&directory)
            .iter()
            .filter(|path| path.ends_with(".parquet"))
            .count(),
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_and_branch_below_the_location_are_data() {
    let place = Place::new().await;
    let options = [("format-table.partition-path-only-value", "true")];
    let table = place.table(&["p"], &options).await;
    let sent = [(1, Some("schema")), (2, Some("branch")), (3, Some("c"))];
    append(&table, ids_and_p(&sent)).await.unwrap();
    assert_eq!(rows(&place.load().await).await.unwrap(), lines_of(&sent));
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_register_what_they_wrote() {
    let place = Place::new().await;
    let table = place.table(&["p"], &[MANAGED]).await;
    append(
        &table,
        ids_and_p(&[(1, Some("a")), (2, Some("b")), (3, Some("b"))]),
    )
    .await
    .unwrap();
    assert_eq!(place.registered(), shown(&[("a", 1, 1), ("b", 2, 1)]));
    append(&table, ids_and_p(&[(4, Some("b"))])).await.unwrap();
    assert_eq!(place.registered(), shown(&[("a", 1, 1), ("b", 3, 2)]));
    // An overwrite takes the place of the numbers.
    overwrite(&table, ids_and_p(&[(5, Some("b"))]))
        .await
        .unwrap();
    assert_eq!(place.registered(), shown(&[("a", 1, 1), ("b", 1, 1)]));
    assert_eq!(
        rows(&table).await.unwrap(),
        lines_of(&[(1, Some("a")), (5, Some("b"))])
    );
    // A directory that is not registered is no partition.
    let directory = place.server.directory("db", "t").unwrap();
    std::fs::rename(directory.join("p=a"), directory.join("p=z")).unwrap();
    assert_eq!(rows(&table).await.unwrap(), lines_of(&[(5, Some("b"))]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_is_registered_once_whatever_is_answered() {
    let faults = [
        Fault::status(503),
        Fault::AnswerAfter(Answer::error(503, "busy").retry_after("1")),
        Fault::LoseAnswer,
        Fault::Truncate,
        Fault::EmptyBody,
        Fault::Refuse,
    ];
    for fault in faults {
        let place = Place::new().await;
        let table = place.table(&["p"], &[MANAGED]).await;
        append(&table, ids_and_p(&[(1, Some("a"))])).await.unwrap();
        let messages = stage(&table, ids_and_p(&[(2, Some("a")), (3, Some("b"))]))
            .await
            .unwrap();
        place.server.clear_log();
        let rule = Rule::on(Route::CreatePartitions, fault.clone());
        place.server.faults().add(rule.times(1));
        let error = commit(&table, messages).await.unwrap_err();
        assert_eq!(
            place.server.requests(Route::CreatePartitions),
            1,
            "{fault:?}"
        );
        let message = error.to_string();
        for word in ["db.t", "if it did all the same"] {
            assert!(message.contains(word), "{fault:?}: {message}");
        }
        assert!(!message.contains("secret"), "{message}");
        // Never twice: the numbers are those of one append, or of none, as the server did it or not.
        let expected = match fault {
            Fault::Answer(_) | Fault::Refuse => shown(&[("a", 1, 1)]),
            _ => shown(&[("a", 2, 2), ("b", 1, 1)]),
        };
        assert_eq!(place.registered(), expected, "{fault:?}");
        // The files were taken back, and those from before are as they were.
        assert_eq!(
            rows(&table).await.unwrap(),
            lines_of(&[(1, Some("a"))]),
            "{fault:?}"
        );
    }
}

/// What is told of a commit, and how it ends.
#[derive(Debug, Clone, Copy)]
enum Job {
    Dynamic,
    Static,
    Truncate,
    Drop,
}

impl Job {
    async fn run(self, table: &FormatTable) {
        let a = [("p".to_owned(), "a".to_owned())];
        let messages = match self {
            Self::Dynamic | Self::Static => {
                stage(table, ids_and_p(&[(9, Some("a"))])).await.unwrap()
            }
            Self::Truncate | Self::Drop => Vec::new(),
        };
        let commit = table.commit();
        let commit = match self {
            Self::Dynamic => commit.overwrite(),
            Self::Static => commit.overwrite_partition(&a).unwrap(),
            Self::Truncate | Self::Drop => commit,
        };
        let mut commit = commit.build().unwrap();
        let partitions = [a.to_vec()];
        match self {
            Self::Dynamic | Self::Static => {
                commit.commit(messages).await.unwrap();
            }
            Self::Truncate => commit.truncate_partitions(&partitions).await.unwrap(),
            Self::Drop => commit.drop_partitions(&partitions).await.unwrap(),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_says_the_same_twice_is_sent_again_when_its_answer_is_lost() {
    for job in [Job::Dynamic, Job::Static, Job::Truncate, Job::Drop] {
        for fault in [Fault::LoseAnswer, Fault::Truncate, Fault::Refuse] {
            let place = Place::new().await;
            let table = place.table(&["p"], &[MANAGED]).await;
            let old = [(1, Some("a")), (2, Some("a")), (3, Some("b"))];
            append(&table, ids_and_p(&old)).await.unwrap();
            place.server.clear_log();
            let route = match job {
                Job::Drop => Route::DropPartitions,
                _ => Route::CreatePartitions,
            };
            place
                .server
                .faults()
                .add(Rule::on(route, fault.clone()).times(1));
            job.run(&table).await;
            let at = format!("{job:?}, {fault:?}");
            assert_eq!(place.server.requests(route), 2, "{at}");
            let (left, registered) = match job {
                Job::Dynamic | Job::Static => (
                    lines_of(&[(9, Some("a")), (3, Some("b"))]),
                    shown(&[("a", 1, 1), ("b", 1, 1)]),
                ),
                Job::Truncate => (lines_of(&[old[2]]), shown(&[("a", 0, 0), ("b", 1, 1)])),
                Job::Drop => (lines_of(&[old[2]]), shown(&[("b", 1, 1)])),
            };
            assert_eq!(rows(&table).await.unwrap(), left, "{at}");
            assert_eq!(place.registered(), registered, "{at}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_whose_listing_fails_half_way_is_an_error_and_never_fewer_rows() {
    for fault in [
        Fault::status(401),
        Fault::LoseAnswer,
        Fault::Truncate,
        Fault::EmptyBody,
    ] {
        for filtered in [false, true] {
            let place = Place::with_pages_of(1).await;
            let table = place.table(&["p"], &[MANAGED]).await;
            let given = [(1, Some("a")), (2, Some("b")), (3, Some("c"))];
            append(&table, ids_and_p(&given)).await.unwrap();
            let route = match filtered {
                true => Route::ListPartitionsByFilter,
                false => Route::ListPartitions,
            };
            place
                .server
                .faults()
                .add(Rule::on(route, fault.clone()).skip(1));
            let scan = match filtered {
                true => table.scan().filter(ftable::col("p").gt_eq("a")),
                false => table.scan(),
            };
            let error = scan.build().unwrap().plan().await.unwrap_err();
            assert!(error.to_string().contains("db.t"), "{fault:?}: {error}");
            assert!(
                place.server.requests(route) > 1,
                "{fault:?}, filtered {filtered}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_safe_is_sent_again() {
    let place = Place::new().await;
    let table = place.table(&["p"], &[MANAGED]).await;
    append(&table, ids_and_p(&[(1, Some("a"))])).await.unwrap();
    let busy = || Fault::Answer(Answer::error(429, "slow down"));
    place
        .server
        .faults()
        .add(Rule::on(Route::ListPartitions, busy()).times(3));
    place
        .server
        .faults()
        .add(Rule::on(Route::GetTable, busy()).times(2));
    assert_eq!(
        rows(&place.load().await).await.unwrap(),
        lines_of(&[(1, Some("a"))])
    );
    // The numbers of an overwrite take the place of others, so it may be sent twice.
    place.server.clear_log();
    place
        .server
        .faults()
        .add(Rule::on(Route::CreatePartitions, busy()).times(2));
    overwrite(&table, ids_and_p(&[(2, Some("a"))]))
        .await
        .unwrap();
    assert_eq!(place.server.requests(Route::CreatePartitions), 3);
    assert_eq!(place.registered(), shown(&[("a", 1, 1)]));
    // A storm that does not end is an error that names the table, and nothing is taken for empty.
    place.server.faults().add(Rule::any(Fault::status(503)));
    let error = rows(&table).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.retryable());
    assert!(error.to_string().contains("db.t"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_are_rejected_are_told_and_not_shown() {
    let place = Place::new().await;
    let table = place.table(&["p"], &[MANAGED]).await;
    append(&table, ids_and_p(&[(1, Some("a"))])).await.unwrap();
    let messages = stage(&table, ids_and_p(&[(2, Some("a"))])).await.unwrap();
    place.server.expire_token();
    let error = commit(&table, messages).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(
        !format!("{error:?} {error}").contains("secret"),
        "{error:?}"
    );
    let read = rows(&table).await.unwrap_err();
    assert_eq!(read.kind(), ErrorKind::PermissionDenied);
    let renewed = Authorization::Bearer("secret".to_owned());
    place.server.set_authorization(renewed);
    assert_eq!(place.registered(), shown(&[("a", 1, 1)]));
    assert_eq!(rows(&table).await.unwrap(), lines_of(&[(1, Some("a"))]));
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_for_files_are_renewed_before_they_expire_and_not_more_often() {
    let place = Place::with(&[("data-token.enabled", "true")]).await;
    let table = place.table(&["p"], &[]).await;
    append(&table, ids_and_p(&[(1, Some("a"))])).await.unwrap();
    assert_eq!(rows(&table).await.unwrap(), lines_of(&[(1, Some("a"))]));
    assert_eq!(place.server.tokens_vended(), 1);

    // One that has expired is not used.
    place
        .server
        .set_data_token_lifetime(Duration::from_millis(1));
    let table = place.load().await;
    for id in 2..4 {
        append(&table, ids_and_p(&[(id, Some("a"))])).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert!(place.server.tokens_vended() > 2);
    place
        .server
        .set_data_token_lifetime(Duration::from_hours(12));
    let expected = [(1, Some("a")), (2, Some("a")), (3, Some("a"))];
    assert_eq!(rows(&table).await.unwrap(), lines_of(&expected));
    let vended = place.server.tokens_vended();
    assert_eq!(rows(&table).await.unwrap(), lines_of(&expected));
    assert_eq!(place.server.tokens_vended(), vended);
}

#[tokio::test(flavor = "multi_thread")]
async fn external_tables_have_no_managed_partitions() {
    let place = Place::new().await;
    let location = place.directory.path().join("elsewhere");
    let location: Location = location.to_str().unwrap().parse().unwrap();
    let options = [("file.format", "parquet"), MANAGED];
    let schema = schema("id BIGINT, p STRING", &["p"], &options);
    let created = place
        .catalog
        .create_table_at(&identifier(), &schema, Some(location), false)
        .await;
    let error = match created {
        Err(error) => error.to_string(),
        Ok(()) => match place.catalog.get_format_table(&identifier()).await {
            Err(error) => error.to_string(),
            Ok(_) => panic!("the table is loaded"),
        },
    };
    assert!(error.contains("metastore.partitioned-table"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_partitions_are_listed_page_by_page() {
    let place = Place::new().await;
    place.server.set_page_size(7);
    let table = place.table(&["p"], &[MANAGED]).await;
    let texts: Vec<String> = (0..50).map(|row| format!("v{row:02}/x y%é")).collect();
    let ids = Int64Array::from_iter_values(0..50);
    let values = StringArray::from_iter_values(&texts);
    append(
        &table,
        batch([("id", Arc::new(ids)), ("p", Arc::new(values))]),
    )
    .await
    .unwrap();
    assert_eq!(place.registered().len(), 50);
    let expected: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(row, text)| (row as i64, Some(&**text)))
        .collect();
    assert_eq!(rows(&table).await.unwrap(), lines_of(&expected));
    let listed = table
        .scan()
        .build()
        .unwrap()
        .list_partitions()
        .await
        .unwrap();
    assert_eq!(listed.len(), 50);
    let filter = ftable::col("p").eq("v07/x y%é");
    let plan = table
        .scan()
        .filter(filter)
        .build()
        .unwrap()
        .plan()
        .await
        .unwrap();
    assert_eq!(plan.file_count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn signed_requests_with_odd_names_are_understood() {
    let directory = tempfile::tempdir().unwrap();
    let server = RestServer::start(ServerOptions {
        authorization: Authorization::Dlf(DlfKeys {
            access_key_id: "AKID".to_owned(),
            access_key_secret: "hunter2".to_owned(),
            security_token: Some("sts".to_owned()),
            region: "cn-hangzhou".to_owned(),
        }),
        base_path: "/dlf".to_owned(),
        prefix: Some("paimon/aaaa".to_owned()),
        page_size: 1,
        ..ServerOptions::new(directory.path())
    })
    .unwrap();
    let open = |secret: &'static str| {
        let uri = server.uri();
        async move {
            let options = [
                ("metastore", "rest"),
                ("uri", uri.as_str()),
                ("token.provider", "dlf"),
                ("dlf.region", "cn-hangzhou"),
                ("dlf.access-key-id", "AKID"),
                ("dlf.access-key-secret", secret),
                ("dlf.security-token", "sts"),
            ];
            ftable_catalog::open(Options::from(options)).await
        }
    };
    let catalog = open("hunter2").await.unwrap();
    let database = "日 志";
    catalog.create_database(database, false).await.unwrap();
    let options = [("file.format", "parquet"), MANAGED];
    let schema = schema("id BIGINT, p STRING", &["p"], &options);
    let name = |table: &str| Identifier::new(database, table).unwrap();
    let given = [(1, Some("a b+c/d%")), (2, Some("~*"))];
    for odd in ["α*~%+", "a b", "c"] {
        catalog
            .create_table(&name(odd), &schema, false)
            .await
            .unwrap();
        let table = catalog.get_format_table(&name(odd)).await.unwrap();
        append(&table, ids_and_p(&given)).await.unwrap();
        assert_eq!(rows(&table).await.unwrap(), lines_of(&given), "{odd}");
    }
    let mut listed = catalog.list_tables(database).await.unwrap();
    listed.sort();
    assert_eq!(listed, ["a b", "c", "α*~%+"]);
    catalog
        .rename_table(&name("α*~%+"), &name("é+"), false)
        .await
        .unwrap();
    let table = catalog.get_format_table(&name("é+")).await.unwrap();
    assert_eq!(rows(&table).await.unwrap(), lines_of(&given));
    catalog.drop_table(&name("é+"), false).await.unwrap();
    assert!(server.log().iter().all(|asked| asked.status != Some(401)));
    let error = open("hunter3").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(!error.to_string().contains("hunter"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_of_a_commit_is_what_it_did() {
    let place = Place::new().await;
    let table = place.table(&["p"], &[MANAGED]).await;
    append(&table, ids_and_p(&[(1, Some("a")), (2, Some("b"))]))
        .await
        .unwrap();
    let told = || {
        let log = place.server.log();
        let last = log
            .iter()
            .rev()
            .find(|asked| asked.route == Some(Route::CreatePartitions));
        let body: serde_json::Value = serde_json::from_slice(&last.unwrap().body).unwrap();
        let mut numbers: Vec<_> = body["partitionStatistics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|of| {
                let count = |member: &str| of[member].as_i64().unwrap();
                let value = of["spec"]["p"].as_str().unwrap().to_owned();
                (value, count("recordCount"), count("fileCount"))
            })
            .collect();
        numbers.sort();
        (
            body["replaceStatistics"].as_bool().unwrap_or_default(),
            numbers,
        )
    };
    assert_eq!(told(), (false, shown(&[("a", 1, 1), ("b", 1, 1)])));
    let mut commit = table.commit().build().unwrap();
    commit
        .truncate_partitions(&[vec![("p".to_owned(), "a".to_owned())]])
        .await
        .unwrap();
    assert_eq!(told(), (true, shown(&[("a", 0, 0)])));
    let whole = Options::from([("dynamic-partition-overwrite", "false")]);
    let whole = table.with_options(&whole).unwrap();
    let messages = stage(&whole, ids_and_p(&[(3, Some("c")), (4, Some("c"))]))
        .await
        .unwrap();
    let mut commit = whole.commit().overwrite().build().unwrap();
    commit.commit(messages).await.unwrap();
    assert_eq!(
        told(),
        (true, shown(&[("a", 0, 0), ("b", 0, 0), ("c", 2, 1)]))
    );
    assert_eq!(
        rows(&table).await.unwrap(),
        lines_of(&[(3, Some("c")), (4, Some("c"))])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_more_than_one_request_takes_may_leave_some_registered() {
    let place = Place::new().await;
    let table = place.table(&["p"], &[MANAGED]).await;
    let values: Vec<String> = (0..1_001).map(|number| format!("v{number:04}")).collect();
    let many: Vec<_> = (0..)
        .zip(values.iter().map(|value| Some(value.as_str())))
        .collect();
    let messages = stage(&table, ids_and_p(&many)).await.unwrap();
    let rule = Rule::on(Route::CreatePartitions, Fault::status(403));
    place.server.faults().add(rule.skip(1));
    let error = commit(&table, messages).await.unwrap_err();
    let told = error.to_string();
    assert!(told.contains("if it did all the same"), "{told}");
    assert!(rows(&table).await.unwrap().is_empty());
}
