//! The registry against a server that answers what a test says.

use ftable_core::{ErrorKind, col};
use serde_json::{Value, json};

use super::super::testing::{Received, Reply, Server};
use super::*;
use crate::Catalog;

const PATH: &str = "/v1/p/databases/d/tables/t/partitions";

fn table() -> Identifier {
    "d.t".parse().unwrap()
}

fn spec(dt: &str, hour: &str) -> PartitionSpec {
    vec![
        ("dt".to_owned(), dt.to_owned()),
        ("hour".to_owned(), hour.to_owned()),
    ]
}

fn entry(dt: &str, hour: &str) -> Value {
    // Not in the order of the table's keys.
    json!({"spec": {"hour": hour, "dt": dt}, "recordCount": 1})
}

fn page(entries: &[Value]) -> Reply {
    Reply::ok(json!({"partitions": entries, "nextPageToken": null}))
}

fn schema(options: &[(&str, &str)]) -> TableSchema {
    let mut schema = ftable_core::Schema::builder()
        .column("id", "INT")
        .unwrap()
        .column("hour", "INT")
        .unwrap()
        .column("dt", "STRING")
        .unwrap()
        .partition_by(["dt", "hour"])
        .build()
        .unwrap();
    schema.options.extend(options.iter().copied());
    TableSchema::new(0, &schema, 1)
}

async fn registry(server: &Server) -> RestPartitions {
    let client = server.catalog().await.client;
    RestPartitions::new(client, table(), &schema(&[]))
}

fn specs(partitions: &[RegisteredPartition]) -> Vec<PartitionSpec> {
    let spec = |partition: &RegisteredPartition| partition.statistics.spec.clone();
    partitions.iter().map(spec).collect()
}

#[tokio::test]
async fn all_pages_are_listed_and_each_partition_once() {
    let server = Server::scripted([
        Reply::ok(json!({"partitions": [], "nextPageToken": "x"})),
        Reply::ok(json!({"partitions": [entry("a", "1"), entry("a", "2")], "nextPageToken": "y"})),
        Reply::ok(json!({"partitions": [entry("a", "1")], "nextPageToken": ""})),
    ])
    .await;
    let listed = registry(&server).await.list(&[], None).await.unwrap();
    assert_eq!(specs(&listed), [spec("a", "1"), spec("a", "2")]);
    assert_eq!(listed[0].statistics.record_count, 1);
    assert_eq!(
        listed[0].statistics.file_count,
        PartitionStatistics::UNKNOWN
    );
    assert_eq!(
        server.lines(),
        [
            format!("GET {PATH}?maxResults=1000"),
            format!("GET {PATH}?maxResults=1000&pageToken=x"),
            format!("GET {PATH}?maxResults=1000&pageToken=y"),
        ]
    );
}

#[tokio::test]
async fn a_token_that_comes_twice_is_an_error() {
    let again = Reply::ok(json!({"partitions": null, "nextPageToken": "x"}));
    let server = Server::scripted([again.clone(), again]).await;
    let error = registry(&server).await.list(&[], None).await.unwrap_err();
    assert!(error.to_string().contains("repeated page token"), "{error}");
}

#[tokio::test]
async fn a_prefix_is_told_where_texts_are_enough_and_checked_again() {
    let all = [entry("a", "1"), entry("a", "06"), entry("b", "6")];
    let server = Server::scripted([page(&all), page(&all), page(&all)]).await;
    let registry = registry(&server).await;
    let prefix = |pairs: usize| spec("a", "6")[..pairs].to_vec();
    let listed = registry.list(&prefix(1), None).await.unwrap();
    assert_eq!(specs(&listed), [spec("a", "1"), spec("a", "06")]);
    // Numbers are the table's to compare: 06 is 6.
    let listed = registry.list(&prefix(2), None).await.unwrap();
    assert_eq!(specs(&listed), [spec("a", "1"), spec("a", "06")]);
    let listed = registry.list(&spec("50%", "6")[..1], None).await.unwrap();
    assert!(listed.is_empty());
    assert_eq!(
        server.lines(),
        [
            format!("GET {PATH}?maxResults=1000&partitionNamePattern=dt%3Da%2F%25"),
            format!("GET {PATH}?maxResults=1000&partitionNamePattern=dt%3Da%2F%25"),
            format!("GET {PATH}?maxResults=1000"),
        ]
    );
    let wrong = [("hour".to_owned(), "6".to_owned())];
    let error = registry.list(&wrong, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[tokio::test]
async fn a_filter_is_a_hint_for_servers_that_take_it() {
    let filter = col("dt").eq("a").and(col("id").eq(1));
    let server = Server::scripted([
        Reply::ok(json!({"partitions": [entry("a", "1")], "nextPageToken": "x"})),
        page(&[entry("b", "1")]),
    ])
    .await;
    let registry = registry(&server).await;
    let listed = registry.list(&[], Some(&filter)).await.unwrap();
    assert_eq!(specs(&listed), [spec("a", "1"), spec("b", "1")]);
    let received = server.received();
    assert_eq!(received[0].line(), format!("POST {PATH}/list-by-filter"));
    let body = received[0].json();
    assert_eq!(body["maxResults"], json!(1000));
    assert!(body.get("pageToken").is_none() && body.get("partitionNamePattern").is_none());
    let told: Value = serde_json::from_str(body["filter"].as_str().unwrap()).unwrap();
    assert_eq!(told["function"], json!("EQUAL"));
    assert_eq!(told["literals"], json!(["a"]));
    assert_eq!(received[1].json()["pageToken"], json!("x"));
}

#[tokio::test]
async fn listings_by_post_change_nothing_and_are_asked_for_again() {
    let filter = col("dt").eq("a");
    let server = Server::scripted([Reply::Reset, page(&[entry("a", "1")])]).await;
    let listed = registry(&server)
        .await
        .list(&[], Some(&filter))
        .await
        .unwrap();
    assert_eq!(specs(&listed), [spec("a", "1")]);
    let server = Server::scripted([Reply::Reset, page(&[entry("a", "1")])]).await;
    let found = registry(&server)
        .await
        .list_by_names(&[spec("a", "1")])
        .await;
    assert_eq!(specs(&found.unwrap()), [spec("a", "1")]);
    // An answer that never ends well is no reason to wonder what the server has done.
    let server = Server::of_catalog(json!({}), |_| Reply::Close).await;
    let error = registry(&server)
        .await
        .list(&[], Some(&filter))
        .await
        .unwrap_err();
    assert!(error.retryable(), "{error}");
    assert!(!error.to_string().contains("not known"), "{error}");
}

#[tokio::test]
async fn a_server_that_takes_no_filter_is_asked_for_all() {
    let filter = col("dt").eq("a");
    let missing =
        json!({"resourceType": null, "resourceName": null, "message": "Not Found", "code": 404});
    for refusal in [Reply::error(501, "", ""), Reply::Json(404, missing)] {
        let server = Server::scripted([refusal, page(&[entry("a", "1")])]).await;
        let listed = registry(&server)
            .await
            .list(&[], Some(&filter))
            .await
            .unwrap();
        assert_eq!(specs(&listed), [spec("a", "1")]);
        assert_eq!(
            server.lines(),
            [
                format!("POST {PATH}/list-by-filter"),
                format!("GET {PATH}?maxResults=1000")
            ]
        );
    }
    // A filter of which nothing can be told is no request of its own.
    let server = Server::scripted([page(&[])]).await;
    let filter = col("id").eq(1);
    registry(&server)
        .await
        .list(&[], Some(&filter))
        .await
        .unwrap();
    assert_eq!(server.lines(), [format!("GET {PATH}?maxResults=1000")]);
}

#[tokio::test]
async fn a_server_that_keeps_no_partitions_is_an_error_and_never_an_empty_listing() {
    for (reply, kind) in [
        (Reply::error(501, "", ""), ErrorKind::Unsupported),
        (Reply::error(404, "TABLE", "t"), ErrorKind::NotFound),
        (Reply::error(404, "", ""), ErrorKind::NotFound),
        (Reply::error(500, "", ""), ErrorKind::Internal),
    ] {
        let server = Server::scripted(vec![reply; 4]).await;
        let registry = registry(&server).await;
        let specs = [spec("a", "1")];
        for error in [
            registry.list(&[], None).await.unwrap_err(),
            registry.list_by_names(&specs).await.unwrap_err(),
            registry.drop_partitions(&specs).await.unwrap_err(),
            registry.create(&specs, true, &[], false).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), kind, "{error}");
        }
    }
}

#[tokio::test]
async fn partitions_that_the_table_cannot_have_are_errors() {
    for (broken, word) in [
        (json!({"dt": "a"}), "no value of key 'hour'"),
        (json!({"dt": "a", "hour": "1", "x": "y"}), "3 keys"),
        (json!({"dt": "", "hour": "1"}), "empty value of key 'dt'"),
        (json!({"dt": null, "hour": "1"}), "empty value of key 'dt'"),
    ] {
        let server = Server::scripted([page(&[json!({"spec": broken})])]).await;
        let error = registry(&server).await.list(&[], None).await.unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    let server = Server::scripted([page(&[entry("..", "1")]), page(&[entry("..", "1")])]).await;
    assert!(registry(&server).await.list(&[], None).await.is_ok());
    let client = server.catalog().await.client;
    let schema = schema(&[("format-table.partition-path-only-value", "true")]);
    let error = RestPartitions::new(client, table(), &schema)
        .list(&[], None)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("'..' of key 'dt'"), "{error}");
}

/// The partitions a request names.
fn asked(request: &Received, member: &str) -> Vec<Value> {
    request.json()[member].as_array().unwrap().clone()
}

#[tokio::test]
async fn names_are_looked_up_in_batches_which_are_smaller_when_the_answer_is_cut() {
    // Answers with what is asked for, 600 at most, and one that is not.
    let server = Server::of_catalog(json!({"defaults": {"prefix": "p"}}), |request| {
        let specs = asked(request, "specs");
        let mut found: Vec<_> = specs
            .iter()
            .take(600)
            .map(|spec| json!({"spec": spec}))
            .collect();
        found.push(entry("other", "1"));
        let token = (specs.len() > 600).then_some("more");
        Reply::ok(json!({"partitions": found, "nextPageToken": token}))
    })
    .await;
    let names: Vec<_> = (0..2100).map(|hour| spec("a", &hour.to_string())).collect();
    let found = registry(&server).await.list_by_names(&names).await.unwrap();
    assert_eq!(specs(&found), names);
    let sizes: Vec<_> = server
        .received()
        .iter()
        .map(|request| asked(request, "specs").len())
        .collect();
    assert_eq!(sizes, [1000, 500, 500, 1000, 500, 500, 100]);
    assert_eq!(server.lines()[0], format!("POST {PATH}/list-by-names"));
    assert!(
        registry(&server)
            .await
            .list_by_names(&[])
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_name_whose_answer_has_more_pages_is_an_error() {
    let server =
        Server::scripted([Reply::ok(json!({"partitions": [], "nextPageToken": "x"}))]).await;
    let registry = registry(&server).await;
    let error = registry.list_by_names(&[spec("a", "1")]).await.unwrap_err();
    assert!(error.to_string().contains("more pages"), "{error}");
}

fn numbers(dt: &str, hour: &str) -> PartitionStatistics {
    PartitionStatistics {
        spec: spec(dt, hour),
        record_count: 120,
        file_size_in_bytes: 4096,
        file_count: 2,
        last_file_creation_millis: 1_787_360_523_000,
        total_buckets: -1,
    }
}

#[tokio::test]
async fn partitions_are_registered_with_what_is_known_of_them() {
    let answer =
        json!({"created": [{"hour": "1", "dt": "a"}], "existed": [{"dt": "b", "hour": "2"}]});
    let server = Server::scripted([Reply::ok(answer)]).await;
    let both = [spec("a", "1"), spec("b", "2")];
    let created = registry(&server)
        .await
        .create(&both, true, &[numbers("b", "2")], false)
        .await
        .unwrap();
    assert_eq!(created.created, [spec("a", "1")]);
    assert_eq!(created.existed, [spec("b", "2")]);
    let request = &server.received()[0];
    assert_eq!(request.line(), format!("POST {PATH}"));
    assert_eq!(
        request.json(),
        json!({"partitionSpecs": [{"dt": "a", "hour": "1"}, {"dt": "b", "hour": "2"}], "ignoreIfExists": true,
            "partitionStatistics": [{"spec": {"dt": "b", "hour": "2"}, "recordCount": 120, "fileSizeInBytes": 4096,
                "fileCount": 2, "lastFileCreationTime": 1_787_360_523_000_i64, "totalBuckets": -1}],
            "replaceStatistics": false})
    );
}

#[tokio::test]
async fn numbers_that_are_added_are_sent_once_and_all_else_again() {
    let one = [spec("a", "1")];
    let server = Server::scripted([Reply::busy()]).await;
    let registry_once = registry(&server).await;
    let error = registry_once
        .create(&one, true, &[numbers("a", "1")], false)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(server.lines().len(), 1);
    for (statistics, replace) in [
        (vec![numbers("a", "1")], true),
        (Vec::new(), true),
        (Vec::new(), false),
    ] {
        let server = Server::scripted([Reply::busy(), Reply::ok(json!({}))]).await;
        let registry = registry(&server).await;
        registry
            .create(&one, true, &statistics, replace)
            .await
            .unwrap();
        assert_eq!(server.lines().len(), 2);
    }
    // Partitions that must not be there before: a second request would find those of the first.
    let server = Server::scripted([Reply::busy()]).await;
    let strict = registry(&server).await;
    let error = strict.create(&one, false, &[], false).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(server.lines().len(), 1);
    // An answer that was lost: nothing is known, and nothing is sent again.
    for reply in [Reply::Close, Reply::Reset, Reply::Cut("{".to_owned())] {
        let server = Server::scripted([reply]).await;
        let registry = registry(&server).await;
        let error = registry
            .create(&one, true, &[numbers("a", "1")], false)
            .await
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("whether the server did it is not known"),
            "{error}"
        );
        assert_eq!(server.lines().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_without_a_body_is_no_registration() {
    let server = Server::scripted([Reply::done()]).await;
    let registry = registry(&server).await;
    let error = registry
        .create(&[spec("a", "1")], true, &[], false)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("empty response"), "{error}");
}

#[tokio::test]
async fn large_registrations_are_batches_unless_they_are_all_or_nothing() {
    let many: Vec<_> = (0..1500).map(|hour| spec("a", &hour.to_string())).collect();
    let statistics = [numbers("a", "1499"), numbers("a", "0")];
    let server = Server::scripted([Reply::ok(json!({})), Reply::busy()]).await;
    let registry_batches = registry(&server).await;
    let error = registry_batches
        .create(&many, true, &statistics, false)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "of 1500 partitions of table d.t the first 1000 are registered"
    );
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let bodies: Vec<_> = server
        .received()
        .iter()
        .map(|request| {
            let statistics = asked(request, "partitionStatistics");
            let hours: Vec<_> = statistics
                .iter()
                .map(|one| one["spec"]["hour"].clone())
                .collect();
            (asked(request, "partitionSpecs").len(), hours)
        })
        .collect();
    assert_eq!(
        bodies,
        [(1000, vec![json!("0")]), (500, vec![json!("1499")])]
    );

    let server = Server::scripted([Reply::error(409, "", "")]).await;
    let strict = registry(&server)
        .await
        .create(&many, false, &[], false)
        .await;
    assert_eq!(strict.unwrap_err().kind(), ErrorKind::AlreadyExists);
    let request = &server.received()[0];
    assert_eq!(asked(request, "partitionSpecs").len(), 1500);
    assert_eq!(request.json()["ignoreIfExists"], json!(false));

    let server = Server::scripted([]).await;
    let none = registry(&server)
        .await
        .create(&[], false, &[], true)
        .await
        .unwrap();
    assert_eq!(none, CreatedPartitions::default());
}

#[tokio::test]
async fn statistics_that_do_not_fit_are_refused_before_anything_is_asked() {
    let server = Server::scripted([]).await;
    let registry = registry(&server).await;
    let (a, b) = (spec("a", "1"), spec("b", "1"));
    let mut turned = numbers("a", "1");
    turned.spec.reverse();
    for (specs, statistics, word) in [
        (
            vec![a.clone()],
            vec![numbers("b", "1")],
            "not to be registered",
        ),
        (
            vec![a.clone(), a.clone()],
            vec![numbers("a", "1")],
            "given twice",
        ),
        (
            vec![a.clone(), b],
            vec![numbers("a", "1"), turned],
            "statistics twice",
        ),
    ] {
        let error = registry
            .create(&specs, true, &statistics, true)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.to_string().contains("d.t"), "{error}");
    }
    assert!(server.lines().is_empty());
}

#[tokio::test]
async fn partitions_are_unregistered_in_batches() {
    let server = Server::scripted([
        Reply::ok(json!({"dropped": [{"dt": "a", "hour": "0"}], "missing": null})),
        Reply::ok(json!({"missing": [{"hour": "1000", "dt": "a"}]})),
    ])
    .await;
    let many: Vec<_> = (0..1001).map(|hour| spec("a", &hour.to_string())).collect();
    let dropped = registry(&server)
        .await
        .drop_partitions(&many)
        .await
        .unwrap();
    assert_eq!(dropped.dropped, [spec("a", "0")]);
    assert_eq!(dropped.missing, [spec("a", "1000")]);
    let received = server.received();
    assert_eq!(received[1].line(), format!("POST {PATH}/drop"));
    assert_eq!(
        received[1].json(),
        json!({"partitionSpecs": [{"dt": "a", "hour": "1000"}], "ignoreIfNotExists": true})
    );
}

#[tokio::test]
async fn an_address_that_is_not_there_is_no_drop() {
    let missing =
        json!({"resourceType": null, "resourceName": null, "message": "Not Found", "code": 404});
    let server = Server::scripted([Reply::Json(404, missing)]).await;
    let registry = registry(&server).await;
    let error = registry
        .drop_partitions(&[spec("a", "1")])
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "table d.t does not exist");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("Not Found"), "{source}");
}

fn table_answer() -> Reply {
    Reply::ok(json!({"path": "/wh/t", "schema": {
        "fields": [{"id": 0, "name": "id", "type": "INT"}, {"id": 1, "name": "hour", "type": "INT"},
            {"id": 2, "name": "dt", "type": "STRING"}],
        "partitionKeys": ["dt", "hour"], "primaryKeys": [], "options": {"type": "format-table"}}}))
}

#[tokio::test]
async fn the_catalog_registers_and_marks_partitions() {
    let server = Server::scripted([
        table_answer(),
        Reply::ok(json!({"created": [{"dt": "a", "hour": "1"}]})),
        Reply::done(),
        Reply::error(501, "", ""),
        Reply::error(404, "TABLE", "t"),
    ])
    .await;
    let catalog = server.catalog().await;
    let one = [spec("a", "1")];
    let created = catalog
        .create_partitions(&table(), &one, true)
        .await
        .unwrap();
    assert_eq!(created.created, one);
    for _ in 0..2 {
        catalog.mark_done_partitions(&table(), &one).await.unwrap();
    }
    let error = catalog
        .mark_done_partitions(&table(), &one)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    catalog.mark_done_partitions(&table(), &[]).await.unwrap();
    let received = server.received();
    assert_eq!(received[2].line(), format!("POST {PATH}/mark"));
    assert_eq!(
        received[2].json(),
        json!({"specs": [{"dt": "a", "hour": "1"}]})
    );
    assert_eq!(received.len(), 5);
}

#[tokio::test]
async fn a_page_of_partitions_is_asked_for_as_told() {
    let server = Server::scripted([
        table_answer(),
        Reply::ok(json!({"partitions": [entry("a", "1")], "nextPageToken": "dt=a/hour=1"})),
    ])
    .await;
    let catalog = server.catalog().await;
    let partitions = catalog.partitions(&table()).await.unwrap();
    let page = partitions
        .list_page(Some(1), Some("k"), Some("dt=a/%"))
        .await
        .unwrap();
    assert_eq!(specs(&page.items), [spec("a", "1")]);
    assert_eq!(page.next_token.as_deref(), Some("dt=a/hour=1"));
    assert_eq!(
        server.lines()[1],
        format!("GET {PATH}?maxResults=1&pageToken=k&partitionNamePattern=dt%3Da%2F%25")
    );
}
