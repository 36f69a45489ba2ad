//! A whole session as a client of Paimon has it, and the answers around it.

use std::fs;

use ftable_testkit::rest_server::{Authorization, Route};
use serde_json::{Value, json};

use crate::client::{Place, Reply, send};

fn bearer(place: &Place, method: &str, path: &str, body: &Value) -> Reply {
    let text = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let headers = [
        ("Authorization", "Bearer demo-token"),
        ("Accept", "application/json"),
    ];
    send(place.server.address(), method, path, &headers, &text).unwrap()
}

fn events(name: &str, format: &str) -> Value {
    json!({
        "identifier": {"database": "demo", "object": name},
        "schema": {
            "fields": [
                {"id": 0, "name": "id", "type": "BIGINT NOT NULL"},
                {"id": 1, "name": "name", "type": "STRING"},
                {"id": 2, "name": "score", "type": "DOUBLE"},
                {"id": 3, "name": "dt", "type": "STRING"},
                {"id": 4, "name": "hr", "type": "INT"},
            ],
            "partitionKeys": ["dt", "hr"],
            "primaryKeys": [],
            "options": {"type": "format-table", "file.format": format},
            "comment": format!("demo {format}"),
        },
    })
}

fn session() -> Place {
    Place::with(|options| {
        options.prefix = Some("mock-test".to_owned());
        options.warehouse = Some("warehouse".to_owned());
        options.authorization = Authorization::Bearer("demo-token".to_owned());
    })
}

const DATABASES: &str = "/v1/mock-test/databases";
const TABLES: &str = "/v1/mock-test/databases/demo/tables";
const PARQUET: &str = "/v1/mock-test/databases/demo/tables/events_parquet";

#[test]
fn config_databases_and_tables_of_a_session() {
    let place = session();
    let get = |path: &str| bearer(&place, "GET", path, &Value::Null);
    let post = |path: &str, body: &Value| bearer(&place, "POST", path, body);

    let config = get("/v1/config?warehouse=warehouse");
    assert_eq!(config.status, 200);
    assert_eq!(
        config.json(),
        json!({"defaults": {"prefix": "mock-test"}, "overrides": {}})
    );
    post(
        DATABASES,
        &json!({"name": "demo", "options": {"env": "test"}}),
    )
    .assert_done();
    let database = get("/v1/mock-test/databases/demo").json();
    assert_eq!(database["name"], "demo");
    assert_eq!(database["options"], json!({"env": "test"}));
    assert_eq!(
        database["location"],
        format!("file://{}/demo.db", place.root())
    );
    for member in ["id", "owner", "createdBy", "updatedBy"] {
        assert!(database[member].is_string(), "{member}");
    }
    for member in ["createdAt", "updatedAt"] {
        assert!(
            database[member].as_i64().unwrap() > 1_700_000_000_000,
            "{member}"
        );
    }
    assert_eq!(
        get(DATABASES).json(),
        json!({"databases": ["demo"], "nextPageToken": null})
    );

    post(TABLES, &events("events_parquet", "parquet")).assert_done();
    let table = get(PARQUET);
    assert_eq!(table.header("content-type"), Some("application/json"));
    let table = table.json();
    assert_eq!(table["name"], "events_parquet");
    assert_eq!(table["database"], "demo");
    assert_eq!(
        table["path"],
        format!("file://{}/demo.db/events_parquet", place.root())
    );
    assert_eq!(table["isExternal"], false);
    assert_eq!(table["schemaId"], 0);
    assert_eq!(
        table["schema"],
        events("events_parquet", "parquet")["schema"]
    );
    let directory = place.server.directory("demo", "events_parquet").unwrap();
    assert_eq!(fs::read_dir(directory).unwrap().count(), 0);
    post(TABLES, &events("events_orc", "orc")).assert_done();

    let rename = json!({
        "source": {"database": "demo", "object": "events_orc"},
        "destination": {"database": "demo", "object": "renamed_orc"},
    });
    post("/v1/mock-test/tables/rename", &rename).assert_done();
    let listed = json!({"tables": ["events_parquet", "renamed_orc"], "nextPageToken": null});
    assert_eq!(get(TABLES).json(), listed);

    bearer(&place, "DELETE", PARQUET, &Value::Null).assert_done();
    bearer(
        &place,
        "DELETE",
        "/v1/mock-test/databases/demo",
        &Value::Null,
    )
    .assert_done();
    assert_eq!(
        get(DATABASES).json(),
        json!({"databases": [], "nextPageToken": null})
    );
    assert_eq!(fs::read_dir(place.directory.path()).unwrap().count(), 0);
}

#[test]
fn partitions_and_changes_of_a_session() {
    let place = session();
    let get = |path: &str| bearer(&place, "GET", path, &Value::Null);
    let post = |path: &str, body: &Value| bearer(&place, "POST", path, body);
    post(DATABASES, &json!({"name": "demo", "options": null})).assert_done();
    post(TABLES, &events("events_parquet", "parquet")).assert_done();

    let partitions = format!("{PARQUET}/partitions");
    let specs = json!([{"dt": "2026-01-01", "hr": "0"}, {"dt": "2026-01-02", "hr": "0"}]);
    let created = post(
        &partitions,
        &json!({"partitionSpecs": specs, "ignoreIfExists": true}),
    );
    assert_eq!(
        (created.status, created.json()),
        (200, json!({"created": specs, "existed": []}))
    );
    // In descending order; of numbers that nobody reported none is known.
    let page = get(&format!("{partitions}?maxResults=1")).json();
    assert_eq!(page["nextPageToken"], "dt=2026-01-02/hr=0");
    let [partition] = &page["partitions"].as_array().unwrap()[..] else {
        unreachable!("one partition is asked for: {page}");
    };
    let mut expected = json!({
        "spec": {"dt": "2026-01-02", "hr": "0"},
        "recordCount": -1,
        "fileSizeInBytes": -1,
        "fileCount": -1,
        "lastFileCreationTime": -1,
        "totalBuckets": -1,
        "done": false,
        "createdAt": partition["createdAt"],
        "createdBy": "owner",
        "updatedAt": null,
        "updatedBy": null,
        "options": null,
    });
    assert_eq!(*partition, expected);
    let rest = get(&format!("{partitions}?pageToken=dt%3D2026-01-02%2Fhr%3D0")).json();
    expected["spec"]["dt"] = json!("2026-01-01");
    expected["createdAt"] = rest["partitions"][0]["createdAt"].clone();
    assert_eq!(
        rest,
        json!({"partitions": [expected], "nextPageToken": null})
    );

    // The member that says what a change is stands last, as pypaimon writes it.
    let changes = json!({"changes": [
        {"fieldNames": ["extra"], "dataType": "STRING", "comment": "new column", "move": null, "action": "addColumn"},
        {"key": "file.compression", "value": "snappy", "action": "setOption"},
    ]});
    post(PARQUET, &changes).assert_done();
    let table = get(PARQUET).json();
    assert_eq!(table["schemaId"], 1);
    let added = json!({"id": 5, "name": "extra", "type": "STRING", "description": "new column"});
    assert_eq!(table["schema"]["fields"][5], added);
    assert_eq!(table["schema"]["options"]["file.compression"], "snappy");
}

#[test]
fn errors_of_a_session() {
    let place = session();
    let get = |path: &str| bearer(&place, "GET", path, &Value::Null);
    let post = |path: &str, body: &Value| bearer(&place, "POST", path, body);
    post(DATABASES, &json!({"name": "demo", "options": {}})).assert_done();
    post(TABLES, &events("events_parquet", "parquet")).assert_done();

    let nope = get(&format!("{TABLES}/nope"));
    let expected = json!({
        "resourceType": "TABLE",
        "resourceName": "nope",
        "message": "Table demo.nope does not exist",
        "code": 404,
    });
    assert_eq!((nope.status, nope.json()), (404, expected));
    let no_database = get("/v1/mock-test/databases/nodb/tables");
    assert_eq!(no_database.error(), (404, json!("DATABASE"), json!("nodb")));
    let again = post(DATABASES, &json!({"name": "demo", "options": null}));
    let expected = json!({
        "resourceType": "DATABASE",
        "resourceName": "demo",
        "message": "Database demo already exists",
        "code": 409,
    });
    assert_eq!((again.status, again.json()), (409, expected));
    let again = post(TABLES, &events("events_parquet", "parquet"));
    assert_eq!(
        again.error(),
        (409, json!("TABLE"), json!("events_parquet"))
    );
    let elsewhere = post("/v1/mock-test/databases/nodb/tables", &{
        let mut body = events("t", "parquet");
        body["identifier"]["database"] = json!("nodb");
        body
    });
    assert_eq!(elsewhere.error(), (404, json!("DATABASE"), json!("nodb")));

    let partition = json!([{"dt": "a", "hr": "0"}]);
    let strict = json!({"partitionSpecs": partition, "ignoreIfExists": false});
    let partitions = format!("{PARQUET}/partitions");
    assert_eq!(post(&partitions, &strict).status, 200);
    assert_eq!(
        post(&partitions, &strict).error(),
        (409, json!("PARTITION"), json!("dt=a/hr=0"))
    );
}

#[test]
fn a_client_learns_its_options() {
    let text = |value: &str| Some(value.to_owned());
    let place = Place::with(|options| {
        options.prefix = text("p");
        options.defaults = vec![("a".to_owned(), None)];
        options.overrides = vec![("token.x".to_owned(), None), ("b".to_owned(), text("2"))];
    });
    let config = place.send("GET", "/v1/config", "").unwrap().json();
    let expected =
        json!({"defaults": {"a": null, "prefix": "p"}, "overrides": {"token.x": null, "b": "2"}});
    assert_eq!(config, expected);

    let place = Place::with(|options| options.warehouse = text("file:///data/w h"));
    let ask = |query: &str| {
        place
            .send("GET", &format!("/v1/config?{query}"), "")
            .unwrap()
    };
    assert_eq!(ask("warehouse=file%3A%2F%2F%2Fdata%2Fw%20h").status, 200);
    assert_eq!(
        ask("warehouse=file%253A%252F%252F%252Fdata%252Fw%2520h").status,
        404
    );
    assert_eq!(ask("").error(), (404, Value::Null, Value::Null));
}

#[test]
fn paths_have_the_prefix_or_lead_nowhere() {
    let place = Place::new();
    let nowhere =
        json!({"resourceType": null, "resourceName": null, "message": "Not Found", "code": 404});
    for path in [
        "/v1/databases",
        "/v1//databases",
        "/v1/null/databases",
        "/v1/other/databases",
        "/v1/mock/databases/",
        "/v1/mock/databases/d/tables/t/partitions/unknown",
        "/databases",
        "/",
    ] {
        let reply = place.send("GET", path, "").unwrap();
        assert_eq!(
            (reply.status, reply.json()),
            (404, nowhere.clone()),
            "{path}"
        );
    }
    let reply = place.send("PUT", "/v1/mock/databases", "").unwrap();
    assert_eq!(reply.error(), (405, Value::Null, Value::Null));
    let log = place.server.log();
    assert_eq!(log.len(), 9);
    assert_eq!(log[0].route, None);
    assert_eq!(log[3].route, Some(Route::ListDatabases));

    let bare = Place::with(|options| options.prefix = None);
    let config = bare.send("GET", "/v1/config", "").unwrap().json();
    assert_eq!(config, json!({"defaults": {}, "overrides": {}}));
    assert_eq!(bare.send("GET", "/v1/databases", "").unwrap().status, 200);

    let segments = Place::with(|options| {
        options.prefix = Some("paimon/aaaa".to_owned());
        options.base_path = "/dlf".to_owned();
    });
    let uri = format!("http://{}/dlf", segments.server.address());
    assert_eq!(segments.server.uri(), uri);
    for (path, status) in [
        ("/dlf/v1/paimon%2Faaaa/databases", 200),
        ("/dlf/v1/paimon/aaaa/databases", 404),
        ("/v1/paimon%2Faaaa/databases", 404),
        ("/dlf/v1/config", 200),
    ] {
        assert_eq!(
            segments.send("GET", path, "").unwrap().status,
            status,
            "{path}"
        );
    }
}

#[test]
fn every_request_is_recorded_as_it_was_sent() {
    let place = Place::new();
    let address = place.server.address();
    let target = "/v1/mock/databases/a%20b?maxResults=1&pageToken=dt%3D1";
    let headers = [("X-Trace", "7"), ("Content-Type", "application/json")];
    let reply = send(address, "POST", target, &headers, r#"{"updates": {}}"#).unwrap();
    assert_eq!(reply.error(), (404, json!("DATABASE"), json!("a b")));
    assert_eq!(reply.header("x-request-id"), Some("request-0"));

    let [exchange] = &place.server.log()[..] else {
        unreachable!("one request was sent");
    };
    assert_eq!(exchange.route, Some(Route::AlterDatabase));
    assert_eq!(exchange.method, "POST");
    assert_eq!(exchange.path, "/v1/mock/databases/a%20b");
    assert_eq!(exchange.query, "maxResults=1&pageToken=dt%3D1");
    assert_eq!(exchange.target(), target);
    assert_eq!(exchange.header("x-trace"), Some("7"));
    assert_eq!(exchange.header("CONTENT-TYPE"), Some("application/json"));
    assert_eq!(exchange.json(), json!({"updates": {}}));
    assert_eq!(exchange.status, Some(404));
    assert_eq!(place.server.requests(Route::AlterDatabase), 1);
    place.server.clear_log();
    assert_eq!(place.server.log(), []);
    assert_eq!(
        place.get("/databases").header("x-request-id"),
        Some("request-1")
    );
}

#[test]
fn options_of_a_database_are_set_and_removed() {
    let place = Place::new();
    let options = json!({"a": "1", "b": "2"});
    place
        .post("/databases", &json!({"name": "d", "options": options}))
        .assert_done();
    let changes = json!({"removals": ["a", "x"], "updates": {"b": "3", "c": "4"}});
    let reply = place.post("/databases/d", &changes);
    let expected = json!({"removed": ["a"], "updated": ["b", "c"], "missing": ["x"]});
    assert_eq!((reply.status, reply.json()), (200, expected));
    assert_eq!(
        place.get("/databases/d").json()["options"],
        json!({"b": "3", "c": "4"})
    );
    for reply in [place.get("/databases/x"), place.delete("/databases/x")] {
        assert_eq!(reply.error(), (404, json!("DATABASE"), json!("x")));
    }
}

#[test]
fn a_body_that_is_wrong_is_refused() {
    let place = Place::with_table();
    let create = crate::client::create_body("db", "new", &json!({}));
    let without = |member: &str| {
        let mut body = create.clone();
        body["schema"].as_object_mut().unwrap().remove(member);
        body
    };
    let mut misplaced = create.clone();
    misplaced["identifier"]["database"] = json!("other");
    for body in [
        without("fields"),
        without("partitionKeys"),
        without("primaryKeys"),
        without("options"),
        misplaced,
        crate::client::create_body("db", "t$branch_dev", &json!({})),
        crate::client::create_body("db", " ", &json!({})),
        json!({"identifier": create["identifier"]}),
        json!({"identifier": create["identifier"], "schema": create["schema"], "extra": 1}),
    ] {
        let reply = place.post("/databases/db/tables", &body);
        assert_eq!(reply.error(), (400, Value::Null, Value::Null), "{body}");
    }
    let target = "/v1/mock/databases";
    assert_eq!(
        place.send("POST", target, "{\"name\":").unwrap().status,
        400
    );
    assert_eq!(place.send("POST", target, "").unwrap().status, 400);
    assert_eq!(
        place
            .post("/databases", &json!({"name": "", "options": {}}))
            .status,
        400
    );
    let listed = place.get("/databases/db/tables").json();
    assert_eq!(listed["tables"], json!(["t"]));
}
