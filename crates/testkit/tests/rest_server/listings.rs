//! Pages and patterns of every listing.

use serde_json::{Value, json};

use crate::client::{Place, create_body};

/// Every page of a listing, by its member, until there is no token.
fn pages(place: &Place, path: &str, member: &str) -> Vec<Vec<Value>> {
    let mut pages = Vec::new();
    let mut token = Value::Null;
    loop {
        let separator = if path.contains('?') { '&' } else { '?' };
        let target = match token.as_str() {
            None => path.to_owned(),
            Some(token) => {
                let encoded = token.replace('=', "%3D").replace('/', "%2F");
                format!("{path}{separator}pageToken={encoded}")
            }
        };
        let page = place.get(&target).json();
        pages.push(page[member].as_array().unwrap().clone());
        token = page["nextPageToken"].clone();
        if token.is_null() {
            return pages;
        }
    }
}

fn sizes(pages: &[Vec<Value>]) -> Vec<usize> {
    pages.iter().map(Vec::len).collect()
}

#[test]
fn many_tables_come_in_pages_of_a_hundred() {
    let place = Place::new();
    for number in 0..205 {
        place.make_table(&format!("t{number:03}"));
    }
    let found = pages(&place, "/databases/db/tables", "tables");
    assert_eq!(sizes(&found), [100, 100, 5]);
    let names = found.concat();
    assert_eq!((&names[0], &names[204]), (&json!("t000"), &json!("t204")));
    // More than a page holds is not to be had.
    assert_eq!(
        sizes(&pages(
            &place,
            "/databases/db/tables?maxResults=1000",
            "tables"
        )),
        [100, 100, 5]
    );
    let details = pages(
        &place,
        "/databases/db/table-details?maxResults=90",
        "tableDetails",
    );
    assert_eq!(sizes(&details), [90, 90, 25]);
    assert_eq!(details[2][0], place.get("/databases/db/tables/t180").json());
    place.server.set_page_size(200);
    assert_eq!(
        sizes(&pages(&place, "/databases/db/tables", "tables")),
        [200, 5]
    );
    for wrong in ["abc", "1.5"] {
        let reply = place.get(&format!("/databases/db/tables?maxResults={wrong}"));
        assert_eq!(reply.error(), (400, Value::Null, Value::Null));
    }
    assert_eq!(
        place.get("/databases/db/tables?maxResults=0").json()["tables"]
            .as_array()
            .unwrap()
            .len(),
        200
    );
}

#[test]
fn a_full_last_page_is_followed_by_an_empty_one() {
    let place = Place::new();
    for name in ["d1", "d2"] {
        place
            .post("/databases", &json!({"name": name, "options": {}}))
            .assert_done();
    }
    let found = pages(&place, "/databases?maxResults=2", "databases");
    assert_eq!(found, [vec![json!("d1"), json!("d2")], vec![]]);
    assert_eq!(
        sizes(&pages(&place, "/databases?maxResults=1", "databases")),
        [1, 1, 0]
    );
    // An empty token is none.
    let first = place.get("/databases?pageToken=").json();
    assert_eq!(first["databases"], json!(["d1", "d2"]));
}

#[test]
fn tables_of_all_databases_are_identifiers() {
    let place = Place::new();
    for (database, table) in [("a", "t1"), ("a", "u"), ("ab", "t2"), ("b", "t3")] {
        place.post("/databases", &json!({"name": database, "options": {}}));
        let body = create_body(database, table, &json!({}));
        place
            .post(&format!("/databases/{database}/tables"), &body)
            .assert_done();
    }
    let found = pages(&place, "/tables?maxResults=3", "tables");
    assert_eq!(sizes(&found), [3, 1]);
    assert_eq!(found[0][0], json!({"database": "a", "object": "t1"}));
    let narrowed = place
        .get("/tables?databaseNamePattern=a%25&tableNamePattern=t%25")
        .json();
    let expected = json!([{"database": "a", "object": "t1"}, {"database": "ab", "object": "t2"}]);
    assert_eq!(narrowed["tables"], expected);
}

#[test]
fn names_are_narrowed_by_prefix() {
    let place = Place::new();
    for name in ["a_b", "axb", "ab", "b"] {
        place.make_table(name);
        place
            .post("/databases", &json!({"name": name, "options": {}}))
            .assert_done();
    }
    let tables = |pattern: &str| {
        place
            .get(&format!("/databases/db/tables?tableNamePattern={pattern}"))
            .json()["tables"]
            .clone()
    };
    assert_eq!(tables("a%25"), json!(["a_b", "ab", "axb"]));
    assert_eq!(tables("a_b"), json!(["a_b"]));
    assert_eq!(tables("ab"), json!(["ab"]));
    let databases = place.get("/databases?databaseNamePattern=a%25").json();
    assert_eq!(databases["databases"], json!(["a_b", "ab", "axb"]));
    let refused = place.get("/databases/db/tables?tableNamePattern=a%25b");
    assert_eq!(refused.error(), (400, Value::Null, Value::Null));
    let message = "Can only support prefix sql like pattern query now";
    assert_eq!(refused.json()["message"], message);
}

#[test]
fn tables_are_narrowed_by_type() {
    let place = Place::new();
    place.make_table("f");
    let body = create_body("db", "m", &json!({}));
    place.post("/databases/db/tables", &body).assert_done();
    let tables = |kind: &str| {
        place
            .get(&format!("/databases/db/tables?tableType={kind}"))
            .json()["tables"]
            .clone()
    };
    assert_eq!(tables("format-table"), json!(["f"]));
    assert_eq!(tables("FORMAT-TABLE"), json!(["f"]));
    assert_eq!(tables("table"), json!(["m"]));
    assert_eq!(tables("object-table"), json!([]));
}

/// A table with partitions `dt=0..8`, `hr=0..3`.
fn partitioned() -> Place {
    let place = Place::with_table();
    let specs: Vec<Value> = (0..8)
        .flat_map(|dt| (0..3).map(move |hr| json!({"dt": dt.to_string(), "hr": hr.to_string()})))
        .collect();
    let body = json!({"partitionSpecs": specs});
    assert_eq!(
        place
            .post("/databases/db/tables/t/partitions", &body)
            .status,
        200
    );
    place
}

const PARTITIONS: &str = "/databases/db/tables/t/partitions";

fn specs(partitions: &Value) -> Vec<String> {
    let partitions = partitions["partitions"].as_array().unwrap().iter();
    partitions
        .map(|one| {
            format!(
                "{}-{}",
                one["spec"]["dt"].as_str().unwrap(),
                one["spec"]["hr"].as_str().unwrap()
            )
        })
        .collect()
}

#[test]
fn partitions_come_in_descending_pages() {
    let place = partitioned();
    let found = pages(&place, &format!("{PARTITIONS}?maxResults=10"), "partitions");
    assert_eq!(sizes(&found), [10, 10, 4]);
    let names: Vec<String> = found
        .concat()
        .iter()
        .map(|one| {
            format!(
                "{}{}",
                one["spec"]["dt"].as_str().unwrap(),
                one["spec"]["hr"].as_str().unwrap()
            )
        })
        .collect();
    assert!(names.is_sorted_by(|one, next| one > next), "{names:?}");
    assert_eq!(names.len(), 24);

    let list = |pattern: &str| {
        specs(
            &place
                .get(&format!("{PARTITIONS}?partitionNamePattern={pattern}"))
                .json(),
        )
    };
    assert_eq!(list("dt%3D3%2F%25"), ["3-2", "3-1", "3-0"]);
    assert_eq!(list("dt%3D3%2Fhr%3D1"), ["3-1"]);
    assert_eq!(list("dt%3D3").len(), 0);
    let refused = place.get(&format!("{PARTITIONS}?partitionNamePattern=%25hr%3D1"));
    assert_eq!(refused.status, 400);
}

#[test]
fn a_filter_leaves_in_what_may_match() {
    let place = partitioned();
    let leaf = |name: &str, column_type: &str, function: &str, literals: Value| {
        let field = json!({"index": 0, "name": name, "type": column_type});
        json!({"kind": "LEAF", "transform": {"name": "FIELD_REF", "fieldRef": field}, "function": function, "literals": literals})
    };
    let ask = |filter: &Value, more: Value| {
        let mut body = json!({"filter": filter.to_string()});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        place.post(&format!("{PARTITIONS}/list-by-filter"), &body)
    };
    let dt = leaf("dt", "STRING", "EQUAL", json!(["3"]));
    let hr = leaf("hr", "INT", "EQUAL", json!([1]));
    let both = json!({"kind": "COMPOUND", "function": "AND", "children": [dt, hr]});
    // The number is not decided here: the answer holds more than what matches.
    assert_eq!(specs(&ask(&both, json!({})).json()), ["3-2", "3-1", "3-0"]);
    let paged = ask(&both, json!({"maxResults": 2})).json();
    assert_eq!(paged["nextPageToken"], "dt=3/hr=1");
    let rest = ask(&both, json!({"maxResults": 2, "pageToken": "dt=3/hr=1"})).json();
    assert_eq!(
        (specs(&rest), &rest["nextPageToken"]),
        (vec!["3-0".to_owned()], &Value::Null)
    );
    let narrowed = ask(&hr, json!({"partitionNamePattern": "dt=5/%"})).json();
    assert_eq!(specs(&narrowed), ["5-2", "5-1", "5-0"]);
    for wrong in [leaf("id", "BIGINT", "EQUAL", json!([1])), json!("dt = 3")] {
        assert_eq!(
            ask(&wrong, json!({})).error(),
            (400, Value::Null, Value::Null)
        );
    }
    let no_json = place.post(
        &format!("{PARTITIONS}/list-by-filter"),
        &json!({"filter": "dt = 3"}),
    );
    assert_eq!(no_json.status, 400);
}

#[test]
fn named_partitions_are_answered_as_asked() {
    let place = partitioned();
    let path = format!("{PARTITIONS}/list-by-names");
    let asked = json!([{"dt": "9", "hr": "0"}, {"hr": "2", "dt": "4"}, {"dt": "1", "hr": "1"}]);
    let reply = place.post(&path, &json!({"specs": asked})).json();
    assert_eq!(
        (specs(&reply), &reply["nextPageToken"]),
        (vec!["4-2".to_owned(), "1-1".to_owned()], &Value::Null)
    );
    let many = |count: usize| {
        let specs = (0..count).map(|number| json!({"dt": "d", "hr": number.to_string()}));
        json!({"specs": specs.collect::<Vec<_>>()})
    };
    assert_eq!(
        place.post(&path, &many(1000)).json()["partitions"],
        json!([])
    );
    assert_eq!(place.post(&path, &many(1001)).status, 400);
    assert_eq!(
        place.post(&path, &json!({"partitionSpecs": []})).status,
        400
    );
}

#[test]
fn an_answer_by_names_may_be_capped() {
    for (capped, found, token) in [(true, 100, json!("dt=d/hr=99")), (false, 150, Value::Null)] {
        let place = Place::with(|options| options.cap_list_by_names = capped);
        place.make_table("t");
        let specs: Vec<Value> = (0..150)
            .map(|hr| json!({"dt": "d", "hr": hr.to_string()}))
            .collect();
        place.post(PARTITIONS, &json!({"partitionSpecs": specs}));
        let reply = place
            .post(
                &format!("{PARTITIONS}/list-by-names"),
                &json!({"specs": specs}),
            )
            .json();
        assert_eq!(reply["partitions"].as_array().unwrap().len(), found);
        assert_eq!(reply["nextPageToken"], token);
    }
}
