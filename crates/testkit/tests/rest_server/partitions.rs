//! Registering partitions, and what their statistics become.

use ftable_testkit::rest_server::{PartitionRecord, Registry};
use serde_json::{Value, json};

use crate::client::{Place, Reply, create_body};

const PARTITIONS: &str = "/databases/db/tables/t/partitions";

fn spec(dt: &str) -> Value {
    json!({"dt": dt, "hr": "0"})
}

/// Reports numbers of one partition, which the request registers too.
fn report(place: &Place, dt: &str, numbers: [i64; 4], replace: bool) -> Reply {
    let [records, bytes, files, time] = numbers;
    let statistics = json!({
        "spec": spec(dt), "recordCount": records, "fileSizeInBytes": bytes, "fileCount": files,
        "lastFileCreationTime": time, "totalBuckets": 7,
    });
    let body = json!({
        "partitionSpecs": [spec(dt)], "ignoreIfExists": true, "partitionStatistics": [statistics],
        "replaceStatistics": replace,
    });
    place.post(PARTITIONS, &body)
}

fn numbers(partition: &PartitionRecord) -> [i64; 4] {
    [
        partition.record_count,
        partition.file_size_in_bytes,
        partition.file_count,
        partition.last_file_creation_time,
    ]
}

fn stored(place: &Place) -> [i64; 4] {
    let [partition] = &place.server.registered("db", "t")[..] else {
        unreachable!("one partition is registered");
    };
    assert_eq!(partition.total_buckets, -1);
    numbers(partition)
}

#[test]
fn registered_partitions_are_told_apart_from_new_ones() {
    let place = Place::with_table();
    let first = place.post(PARTITIONS, &json!({"partitionSpecs": [spec("2026-08-21")]}));
    assert_eq!(
        first.json(),
        json!({"created": [spec("2026-08-21")], "existed": []})
    );
    // The example of the protocol: one known and one new, with numbers of the new one.
    let statistics = json!([{
        "spec": spec("2026-08-22"), "recordCount": 120, "fileSizeInBytes": 4096, "fileCount": 2,
        "lastFileCreationTime": 1787360523000_i64, "totalBuckets": -1,
    }]);
    let body = json!({
        "partitionSpecs": [spec("2026-08-21"), spec("2026-08-22")], "ignoreIfExists": true,
        "partitionStatistics": statistics, "replaceStatistics": false,
    });
    let reply = place.post(PARTITIONS, &body);
    let expected = json!({"created": [spec("2026-08-22")], "existed": [spec("2026-08-21")]});
    assert_eq!((reply.status, reply.json()), (200, expected));

    let registered = place.server.registered("db", "t");
    assert_eq!(numbers(&registered[0]), [-1, -1, -1, -1]);
    assert_eq!(numbers(&registered[1]), [120, 4096, 2, 1787360523000]);
    let own = [("dt", "2026-08-22"), ("hr", "0")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(registered[1].spec, own);
    let listed = place.get(PARTITIONS).json();
    assert_eq!(listed["partitions"][0]["recordCount"], 120);
    assert_eq!(
        listed["partitions"][0]["lastFileCreationTime"],
        1787360523000_i64
    );
    assert_eq!(place.server.registered("db", "nope"), []);
}

#[test]
fn numbers_are_added_or_replaced() {
    let place = Place::with_table();
    assert_eq!(report(&place, "a", [10, 1000, 1, 500], false).status, 200);
    // Nothing was known before: the first numbers stand.
    assert_eq!(stored(&place), [10, 1000, 1, 500]);
    report(&place, "a", [5, 200, 1, 400], false);
    // Counts add up, the later time stays.
    assert_eq!(stored(&place), [15, 1200, 2, 500]);
    report(&place, "a", [1, 1, 1, 900], false);
    assert_eq!(stored(&place), [16, 1201, 3, 900]);
    report(&place, "a", [3, 30, 1, 100], true);
    // Replacing takes an older time too.
    assert_eq!(stored(&place), [3, 30, 1, 100]);
    report(&place, "a", [0, 0, 0, 950], true);
    assert_eq!(stored(&place), [0, 0, 0, 950]);
    report(&place, "a", [2, 20, 1, 960], false);
    assert_eq!(stored(&place), [2, 20, 1, 960]);
}

#[test]
fn unknown_numbers_say_nothing() {
    let place = Place::with_table();
    report(&place, "a", [-1, 100, 1, 5], false);
    assert_eq!(stored(&place), [-1, 100, 1, 5]);
    // A stored unknown is no number to add to.
    report(&place, "a", [7, -1, 1, -1], false);
    assert_eq!(stored(&place), [7, 100, 2, 5]);
    report(&place, "a", [-1, 50, -1, -1], true);
    assert_eq!(stored(&place), [7, 50, 2, 5]);
}

#[test]
fn a_report_about_an_unregistered_partition_is_void() {
    let place = Place::with_table();
    let numbers = |dt: &str| json!({"spec": spec(dt), "recordCount": 1, "fileSizeInBytes": 1, "fileCount": 1, "lastFileCreationTime": 1, "totalBuckets": -1});
    let body = json!({
        "partitionSpecs": [spec("a")], "partitionStatistics": [numbers("a"), numbers("b")], "replaceStatistics": true,
    });
    let reply = place.post(PARTITIONS, &body);
    assert_eq!(reply.json(), json!({"created": [spec("a")], "existed": []}));
    assert_eq!(stored(&place), [-1, -1, -1, -1]);
}

#[test]
fn a_strict_request_registers_all_or_none() {
    let place = Place::with_table();
    let body = |dts: &[&str]| {
        let specs: Vec<Value> = dts.iter().map(|dt| spec(dt)).collect();
        json!({"partitionSpecs": specs, "ignoreIfExists": false})
    };
    assert_eq!(place.post(PARTITIONS, &body(&["a"])).status, 200);
    let conflict = place.post(PARTITIONS, &body(&["b", "a"]));
    assert_eq!(
        conflict.error(),
        (409, json!("PARTITION"), json!("dt=a/hr=0"))
    );
    assert_eq!(place.server.registered("db", "t").len(), 1);
    // It may name more than others, because it cannot be split.
    let many: Vec<Value> = (0..1001)
        .map(|number| spec(&format!("x{number}")))
        .collect();
    let loose = place.post(PARTITIONS, &json!({"partitionSpecs": many}));
    assert_eq!(loose.error(), (400, Value::Null, Value::Null));
    let strict = place.post(
        PARTITIONS,
        &json!({"partitionSpecs": many, "ignoreIfExists": false}),
    );
    assert_eq!(strict.json()["created"].as_array().unwrap().len(), 1001);
}

#[test]
fn dropped_partitions_are_told_apart_from_missing_ones() {
    let place = Place::with_table();
    place.post(
        PARTITIONS,
        &json!({"partitionSpecs": [spec("a"), spec("b")]}),
    );
    let path = format!("{PARTITIONS}/drop");
    let strict = json!({"partitionSpecs": [spec("a"), spec("x")], "ignoreIfNotExists": false});
    assert_eq!(
        place.post(&path, &strict).error(),
        (404, json!("PARTITION"), json!("dt=x/hr=0"))
    );
    assert_eq!(place.server.registered("db", "t").len(), 2);
    let reply = place.post(&path, &json!({"partitionSpecs": [spec("a"), spec("x")]}));
    assert_eq!(
        reply.json(),
        json!({"dropped": [spec("a")], "missing": [spec("x")]})
    );
    assert_eq!(place.server.registered("db", "t").len(), 1);
}

#[test]
fn partitions_are_marked_as_done() {
    let place = Place::with_table();
    place.post(
        PARTITIONS,
        &json!({"partitionSpecs": [spec("a"), spec("b")]}),
    );
    place
        .post(
            &format!("{PARTITIONS}/mark"),
            &json!({"specs": [spec("b"), spec("x")]}),
        )
        .assert_done();
    let done: Vec<bool> = place
        .server
        .registered("db", "t")
        .iter()
        .map(|one| one.done)
        .collect();
    assert_eq!(done, [false, true]);
    assert_eq!(place.get(PARTITIONS).json()["partitions"][0]["done"], true);
}

#[test]
fn values_are_raw_and_names_are_escaped() {
    let place = Place::with_table();
    let raw = json!({"dt": "a/b=c d%", "hr": "__DEFAULT_PARTITION__"});
    let reply = place.post(PARTITIONS, &json!({"partitionSpecs": [raw]}));
    assert_eq!(reply.json()["created"][0], raw);
    let page = place.get(&format!("{PARTITIONS}?maxResults=1")).json();
    assert_eq!(page["partitions"][0]["spec"], raw);
    assert_eq!(
        page["nextPageToken"],
        "dt=a%2Fb%3Dc d%25/hr=__DEFAULT_PARTITION__"
    );
}

#[test]
fn requests_that_make_no_sense_change_nothing() {
    let place = Place::with_table();
    let numbers = |dt: &str| json!({"spec": spec(dt), "recordCount": 1, "fileSizeInBytes": 1, "fileCount": 1, "lastFileCreationTime": 1, "totalBuckets": -1});
    for body in [
        json!({}),
        json!({"specs": [spec("a")]}),
        json!({"partitionSpecs": [{"dt": "a"}]}),
        json!({"partitionSpecs": [{"dt": "a", "hr": "0", "x": "1"}]}),
        json!({"partitionSpecs": [{"dt": "a", "x": "1"}]}),
        json!({"partitionSpecs": [{"dt": "a", "hr": 0}]}),
        json!({"partitionSpecs": [{"dt": "a", "hr": null}]}),
        json!({"partitionSpecs": [{"dt": "", "hr": "0"}]}),
        json!({"partitionSpecs": [spec("a"), spec("a")]}),
        json!({"partitionSpecs": [spec("a")], "partitionStatistics": [numbers("a")]}),
        json!({"partitionSpecs": [spec("a")], "partitionStatistics": [numbers("a"), numbers("a")], "replaceStatistics": true}),
    ] {
        let reply = place.post(PARTITIONS, &body);
        assert_eq!(reply.error(), (400, Value::Null, Value::Null), "{body}");
    }
    assert_eq!(place.server.registered("db", "t"), []);
    let missing = place.post(
        "/databases/db/tables/x/partitions",
        &json!({"partitionSpecs": []}),
    );
    assert_eq!(missing.error(), (404, json!("TABLE"), json!("x")));
}

#[test]
fn not_every_table_has_registered_partitions() {
    for (registry, plain, managed) in [
        (Registry::AllTables, 200, 200),
        (Registry::ManagedTables, 501, 200),
        (Registry::NoTables, 501, 501),
    ] {
        let place = Place::with(|options| options.registry = registry);
        place.make_table("plain");
        let options = json!({"metastore.partitioned-table": "true"});
        place
            .post(
                "/databases/db/tables",
                &create_body("db", "managed", &options),
            )
            .assert_done();
        for (table, status) in [("plain", plain), ("managed", managed)] {
            let path = format!("/databases/db/tables/{table}/partitions");
            assert_eq!(place.get(&path).status, status, "{registry:?} {table}");
            let none = json!({"partitionSpecs": []});
            assert_eq!(place.post(&path, &none).status, status);
            assert_eq!(place.post(&format!("{path}/drop"), &none).status, status);
            let none = json!({"specs": []});
            assert_eq!(place.post(&format!("{path}/mark"), &none).status, status);
            assert_eq!(
                place.post(&format!("{path}/list-by-names"), &none).status,
                status
            );
        }
    }
}

#[test]
fn a_table_without_keys_has_no_partitions() {
    let place = Place::new();
    place
        .post("/databases", &json!({"name": "db", "options": {}}))
        .assert_done();
    let mut body = create_body("db", "t", &json!({}));
    body["schema"]["partitionKeys"] = json!([]);
    place.post("/databases/db/tables", &body).assert_done();
    assert_eq!(
        place.get(PARTITIONS).error(),
        (400, Value::Null, Value::Null)
    );
}
