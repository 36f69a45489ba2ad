//! What becomes of tables and their data.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::client::{Place, create_body};

fn rename(place: &Place, from: [&str; 2], to: [&str; 2]) -> crate::client::Reply {
    let identifier =
        |[database, object]: [&str; 2]| json!({"database": database, "object": object});
    let body = json!({"source": identifier(from), "destination": identifier(to)});
    place.post("/tables/rename", &body)
}

#[test]
fn a_created_table_is_what_was_sent() {
    let place = Place::new();
    place
        .post("/databases", &json!({"name": "sales", "options": {}}))
        .assert_done();
    let body = json!({
        "identifier": {"database": "sales", "object": "orders"},
        "schema": {
            "fields": [
                {"id": 0, "name": "id", "type": "BIGINT NOT NULL"},
                {"id": 1, "name": "total", "type": "DECIMAL(12, 2)", "description": "gross"},
                {"id": 2, "name": "dt", "type": "STRING"},
            ],
            "partitionKeys": ["dt"],
            "primaryKeys": [],
            "comment": "orders by day",
            "options": {"type": "format-table", "file.format": "parquet", "metastore.partitioned-table": "true"},
        },
    });
    place.post("/databases/sales/tables", &body).assert_done();
    let mut table = place.get("/databases/sales/tables/orders").json();
    let members = table.as_object_mut().unwrap();
    let made = members.remove("createdAt").unwrap();
    assert_eq!(members.remove("updatedAt"), Some(made));
    let id = members.remove("id").unwrap();
    let expected = json!({
        "database": "sales",
        "name": "orders",
        "path": format!("file://{}/sales.db/orders", place.root()),
        "isExternal": false,
        "schemaId": 0,
        "schema": body["schema"],
        "owner": "owner",
        "createdBy": "owner",
        "updatedBy": "owner",
    });
    assert_eq!(table, expected);
    let by_id = place
        .get(&format!("/tables/id/{}", id.as_str().unwrap()))
        .json();
    assert_eq!((&by_id["name"], &by_id["id"]), (&json!("orders"), &id));
    let unknown = place.get("/tables/id/unknown");
    assert_eq!(unknown.error(), (404, json!("TABLE"), json!("unknown")));
    assert_eq!(place.server.table("sales", "orders").unwrap(), by_id);
    assert_eq!(place.server.table("sales", "nope"), None);
}

#[test]
fn names_may_have_any_character() {
    let place = Place::new();
    place
        .post("/databases", &json!({"name": "my db", "options": {}}))
        .assert_done();
    let names = [
        ("日 志/α", "%E6%97%A5%20%E5%BF%97%2F%CE%B1"),
        ("a/b c+d%e", "a%2Fb+c%2Bd%25e"),
        ("..", "%2E%2E"),
        ("a.b", "a.b"),
    ];
    for (name, encoded) in names {
        let body = create_body("my db", name, &json!({}));
        place.post("/databases/my+db/tables", &body).assert_done();
        let table = place
            .get(&format!("/databases/my%20db/tables/{encoded}"))
            .json();
        assert_eq!(table["name"], name);
        // One directory below the database's, whatever the name.
        let directory = place.server.directory("my db", name).unwrap();
        let parent = format!("{}/my db.db", place.root());
        assert_eq!(directory.parent().unwrap().to_str(), Some(parent.as_str()));
        assert!(directory.is_dir());
    }
}

#[test]
fn the_main_branch_may_be_named_and_no_other() {
    let place = Place::with_table();
    let table = place.get("/databases/db/tables/t%24branch_main").json();
    assert_eq!(table["name"], "t");
    for object in ["t$branch_dev", "t$snapshots", "t$"] {
        let reply = place.get(&format!(
            "/databases/db/tables/{}",
            object.replace('$', "%24")
        ));
        assert_eq!(reply.error(), (404, json!("TABLE"), json!(object)));
    }
}

#[test]
fn a_renamed_table_stays_where_it_is() {
    let place = Place::with_table();
    place
        .post("/databases", &json!({"name": "other", "options": {}}))
        .assert_done();
    let before = place.get("/databases/db/tables/t").json();
    let directory = place.server.directory("db", "t").unwrap();
    fs::write(directory.join("data.parquet"), "rows").unwrap();
    let spec = json!({"partitionSpecs": [{"dt": "a", "hr": "0"}]});
    place.post("/databases/db/tables/t/partitions", &spec);

    rename(&place, ["db", "t"], ["other", "u"]).assert_done();
    let after = place.get("/databases/other/tables/u").json();
    for member in ["id", "path", "schema", "schemaId", "createdAt"] {
        assert_eq!(after[member], before[member], "{member}");
    }
    assert_eq!(
        (&after["name"], &after["database"]),
        (&json!("u"), &json!("other"))
    );
    assert_eq!(place.server.registered("other", "u").len(), 1);
    assert_eq!(place.get("/databases/db/tables/t").error().0, 404);

    // A new table of the old name shares nothing with it.
    place.make_table("t");
    let again = place.get("/databases/db/tables/t").json();
    assert_eq!(again["path"], format!("file://{}/db.db/t-2", place.root()));
    place.delete("/databases/db/tables/t").assert_done();
    assert_eq!(
        fs::read_to_string(directory.join("data.parquet")).unwrap(),
        "rows"
    );

    let missing = rename(&place, ["db", "t"], ["db", "v"]);
    assert_eq!(missing.error(), (404, json!("TABLE"), json!("t")));
    place.make_table("t");
    let taken = rename(&place, ["db", "t"], ["other", "u"]);
    assert_eq!(taken.error(), (409, json!("TABLE"), json!("u")));
    let nowhere = rename(&place, ["db", "t"], ["nodb", "t"]);
    assert_eq!(nowhere.error(), (404, json!("DATABASE"), json!("nodb")));
    assert_eq!(rename(&place, ["db", "t"], ["db", "t$x"]).status, 400);
}

#[test]
fn dropping_removes_the_data_of_internal_tables_only() {
    let place = Place::with_table();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("data.orc"), "rows").unwrap();
    let path = format!("file://{}", outside.path().display());
    let options = json!({"type": "format-table", "path": path});
    place
        .post("/databases/db/tables", &create_body("db", "e", &options))
        .assert_done();
    let table = place.get("/databases/db/tables/e").json();
    assert_eq!(
        (&table["isExternal"], &table["path"]),
        (&json!(true), &json!(path))
    );
    assert_eq!(table["schema"]["options"], options);

    let internal = place.server.directory("db", "t").unwrap();
    fs::create_dir_all(internal.join("dt=a/hr=0")).unwrap();
    fs::write(internal.join("dt=a/hr=0/data.orc"), "rows").unwrap();
    place.delete("/databases/db/tables/t").assert_done();
    assert!(!internal.exists());
    let again = place.delete("/databases/db/tables/t");
    assert_eq!(again.error(), (404, json!("TABLE"), json!("t")));

    // All that is in a database goes with it.
    place.make_table("t");
    assert!(internal.is_dir());
    place.delete("/databases/db").assert_done();
    assert!(!internal.exists());
    assert!(outside.path().join("data.orc").exists());
    assert_eq!(fs::read_dir(place.directory.path()).unwrap().count(), 0);
}

#[test]
fn a_table_that_lies_somewhere_is_registered() {
    let place = Place::new();
    place
        .post("/databases", &json!({"name": "db", "options": {}}))
        .assert_done();
    let outside = tempfile::tempdir().unwrap();
    let path = format!("file:{}", outside.path().display());
    let identifier = json!({"database": "db", "object": "r"});
    let body = json!({"identifier": identifier, "path": path});
    assert_eq!(place.post("/databases/db/register", &body).error().0, 400);

    let schema = |id: i32, column: &str| {
        let fields = json!([{"id": 0, "name": column, "type": "INT"}, {"id": 1, "name": "dt", "type": "DATE"}]);
        json!({
            "version": 3, "id": id, "fields": fields, "highestFieldId": 4, "partitionKeys": ["dt"],
            "primaryKeys": [], "options": {"type": "format-table"}, "comment": "here", "timeMillis": 1,
        })
    };
    fs::create_dir(outside.path().join("schema")).unwrap();
    // The highest number wins, not the last text; what is no number is no schema.
    for (name, id, column) in [
        ("schema-9", 9, "old"),
        ("schema-10", 10, "new"),
        ("schema-11.tmp", 11, "no"),
    ] {
        fs::write(
            outside.path().join("schema").join(name),
            schema(id, column).to_string(),
        )
        .unwrap();
    }
    place.post("/databases/db/register", &body).assert_done();
    let table = place.get("/databases/db/tables/r").json();
    assert_eq!(table["schemaId"], 10);
    assert_eq!(
        (&table["isExternal"], &table["path"]),
        (&json!(true), &json!(path))
    );
    assert_eq!(table["schema"]["fields"][0]["name"], "new");
    assert_eq!(table["schema"]["comment"], "here");
    let again = place.post("/databases/db/register", &body);
    assert_eq!(again.error(), (409, json!("TABLE"), json!("r")));

    // Ids that dropped columns had are not handed out again.
    let change = json!({"action": "addColumn", "fieldNames": ["x"], "dataType": "INT"});
    place
        .post("/databases/db/tables/r", &json!({"changes": [change]}))
        .assert_done();
    assert_eq!(
        place.get("/databases/db/tables/r").json()["schema"]["fields"][2]["id"],
        5
    );
    place.delete("/databases/db/tables/r").assert_done();
    assert!(outside.path().join("schema/schema-10").exists());
}

#[test]
fn tokens_are_vended_for_internal_tables() {
    let place = Place::with(|options| options.data_token = vec![("k".to_owned(), "v".to_owned())]);
    place.make_table("t");
    let millis = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_millis() as i64
    };
    place.server.set_data_token_lifetime(Duration::from_secs(2));
    let before = millis();
    let token = place.get("/databases/db/tables/t/token").json();
    let expires = token["expiresAtMillis"].as_i64().unwrap();
    assert!((before + 2000..=millis() + 2000).contains(&expires));
    let content =
        |number: usize| json!({"k": "v", "fs.oss.securityToken": format!("vended-token-{number}")});
    assert_eq!(token["token"], content(1));
    assert_eq!(
        place.get("/databases/db/tables/t/token").json()["token"],
        content(2)
    );
    assert_eq!(place.server.tokens_vended(), 2);

    let external = create_body("db", "e", &json!({"path": "file:///nowhere"}));
    place.post("/databases/db/tables", &external).assert_done();
    assert_eq!(place.get("/databases/db/tables/e/token").status, 400);
    let missing = place.get("/databases/db/tables/x/token");
    assert_eq!(missing.error(), (404, json!("TABLE"), json!("x")));
    assert_eq!(place.server.tokens_vended(), 2);
}

#[test]
fn what_format_tables_do_not_have_is_not_implemented() {
    let place = Place::with_table();
    for path in ["replace", "auth"] {
        let reply = place.post(&format!("/databases/db/tables/t/{path}"), &json!({}));
        assert_eq!(reply.error(), (501, Value::Null, Value::Null), "{path}");
    }
}
