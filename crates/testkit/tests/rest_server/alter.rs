//! Changes of a schema, and which are refused.

use serde_json::{Value, json};

use crate::client::{Place, Reply, create_body};

const TABLE: &str = "/databases/db/tables/t";

/// Columns `id BIGINT NOT NULL, total DECIMAL(12, 2), addr ROW<geo ROW<lat DOUBLE>, tags ARRAY<STRING>>,
/// m MAP<STRING, INT>, dt STRING`, partitioned by `dt`.
fn orders() -> Place {
    orders_with(&json!({"type": "format-table"}))
}

fn orders_with(options: &Value) -> Place {
    let place = Place::new();
    place
        .post("/databases", &json!({"name": "db", "options": {}}))
        .assert_done();
    let mut body = create_body("db", "t", options);
    let geo = json!({"type": "ROW", "fields": [{"id": 3, "name": "lat", "type": "DOUBLE"}]});
    let tags = json!({"type": "ARRAY", "element": "STRING"});
    let addr = json!({"type": "ROW", "fields": [
        {"id": 4, "name": "geo", "type": geo},
        {"id": 5, "name": "tags", "type": tags},
    ]});
    body["schema"]["fields"] = json!([
        {"id": 0, "name": "id", "type": "BIGINT NOT NULL"},
        {"id": 1, "name": "total", "type": "DECIMAL(12, 2)"},
        {"id": 2, "name": "addr", "type": addr},
        {"id": 6, "name": "m", "type": {"type": "MAP", "key": "STRING", "value": "INT"}},
        {"id": 7, "name": "dt", "type": "STRING"},
    ]);
    body["schema"]["partitionKeys"] = json!(["dt"]);
    place.post("/databases/db/tables", &body).assert_done();
    place
}

fn alter(place: &Place, changes: Value) -> Reply {
    place.post(TABLE, &json!({"changes": changes}))
}

fn schema(place: &Place) -> Value {
    place.get(TABLE).json()["schema"].clone()
}

fn names(place: &Place) -> Vec<String> {
    let schema = schema(place);
    let fields = schema["fields"].as_array().unwrap().iter();
    fields
        .map(|field| field["name"].as_str().unwrap().to_owned())
        .collect()
}

fn field(place: &Place, name: &str) -> Value {
    let schema = schema(place);
    let mut fields = schema["fields"].as_array().unwrap().iter();
    fields.find(|field| field["name"] == name).unwrap().clone()
}

#[test]
fn every_kind_of_change_is_made_in_order() {
    let place = orders_with(&json!({"type": "format-table", "target-file-size": "1 mb"}));
    let changes = json!([
        {"action": "setOption", "key": "file.compression", "value": "snappy"},
        {"action": "removeOption", "key": "target-file-size"},
        {"action": "updateComment", "comment": "orders"},
        {"action": "dropPrimaryKey"},
        {"action": "addColumn", "fieldNames": ["note"], "dataType": "STRING", "comment": "free text",
         "move": {"fieldName": "note", "referenceFieldName": "id", "type": "AFTER"}},
        {"action": "renameColumn", "fieldNames": ["note"], "newName": "remark"},
        {"action": "updateColumnType", "fieldNames": ["total"], "newDataType": "DECIMAL(14, 2)", "keepNullability": true},
        {"action": "updateColumnNullability", "fieldNames": ["id"], "newNullability": true},
        {"action": "updateColumnComment", "fieldNames": ["total"], "newComment": "net"},
        {"action": "updateColumnDefaultValue", "fieldNames": ["total"], "newDefaultValue": "0"},
        {"action": "updateColumnPosition", "move": {"fieldName": "total", "referenceFieldName": null, "type": "LAST"}},
    ]);
    alter(&place, changes).assert_done();
    let table = place.get(TABLE).json();
    assert_eq!(table["schemaId"], 1);
    let schema = &table["schema"];
    assert_eq!(
        schema["options"],
        json!({"file.compression": "snappy", "type": "format-table"})
    );
    assert_eq!(schema["comment"], "orders");
    assert_eq!(names(&place), ["id", "remark", "addr", "m", "dt", "total"]);
    assert_eq!(
        field(&place, "id"),
        json!({"id": 0, "name": "id", "type": "BIGINT"})
    );
    let remark = json!({"id": 8, "name": "remark", "type": "STRING", "description": "free text"});
    assert_eq!(field(&place, "remark"), remark);
    let total = json!({"id": 1, "name": "total", "type": "DECIMAL(14, 2)", "description": "net", "defaultValue": "0"});
    assert_eq!(field(&place, "total"), total);

    let changes = json!([
        {"action": "dropColumn", "fieldNames": ["remark"]},
        {"action": "updateComment", "comment": null},
        {"action": "updateColumnDefaultValue", "fieldNames": ["total"], "newDefaultValue": null},
        {"action": "addColumn", "fieldNames": ["late"], "dataType": "INT", "comment": null, "move": null},
    ]);
    alter(&place, changes).assert_done();
    assert_eq!(names(&place), ["id", "addr", "m", "dt", "total", "late"]);
    // The id of the dropped column is not handed out again.
    assert_eq!(field(&place, "late")["id"], 9);
    assert_eq!(schema_member(&place, "comment"), None);
    assert_eq!(field(&place, "total").get("defaultValue"), None);
}

fn schema_member(place: &Place, name: &str) -> Option<Value> {
    schema(place).get(name).cloned()
}

#[test]
fn no_changes_are_a_new_version_too() {
    let place = orders();
    let before = schema(&place);
    alter(&place, json!([])).assert_done();
    let table = place.get(TABLE).json();
    assert_eq!((&table["schemaId"], &table["schema"]), (&json!(1), &before));
}

#[test]
fn added_columns_take_their_place_and_new_ids() {
    let place = orders();
    let add = |name: &str, moved: Value| json!([{"action": "addColumn", "fieldNames": [name], "dataType": "INT", "move": moved}]);
    let moved = |name: &str, reference: Option<&str>, kind: &str| json!({"fieldName": name, "referenceFieldName": reference, "type": kind});
    for (name, place_of) in [
        ("last", Value::Null),
        ("first", moved("first", None, "FIRST")),
        ("before", moved("before", Some("total"), "BEFORE")),
        ("after", moved("after", Some("total"), "AFTER")),
        ("end", moved("end", None, "LAST")),
    ] {
        alter(&place, add(name, place_of)).assert_done();
    }
    let expected = [
        "first", "id", "before", "total", "after", "addr", "m", "dt", "last", "end",
    ];
    assert_eq!(names(&place), expected);
    let ids =
        ["last", "first", "before", "after", "end"].map(|name| field(&place, name)["id"].clone());
    assert_eq!(ids, [8, 9, 10, 11, 12].map(|id| json!(id)));
    let unknown = alter(&place, add("x", moved("x", Some("nope"), "AFTER")));
    assert_eq!(unknown.error(), (404, json!("COLUMN"), json!("nope")));
    assert_eq!(alter(&place, add("x", moved("x", None, "UP"))).status, 400);

    // A column is numbered before its fields, and those inside a field before it.
    let row = json!({"type": "ROW", "fields": [
        {"id": 0, "name": "s", "type": {"type": "ROW", "fields": [{"id": 1, "name": "p", "type": "INT"}]}},
    ]});
    alter(
        &place,
        json!([{"action": "addColumn", "fieldNames": ["r"], "dataType": row}]),
    )
    .assert_done();
    let added = field(&place, "r");
    let inner = &added["type"]["fields"][0];
    let ids = [
        &added["id"],
        &inner["type"]["fields"][0]["id"],
        &inner["id"],
    ];
    assert_eq!(ids, [&json!(13), &json!(14), &json!(15)]);
}

#[test]
fn columns_may_be_added_before_the_partition() {
    let place = orders_with(&json!({"add-column-before-partition": "true"}));
    alter(
        &place,
        json!([{"action": "addColumn", "fieldNames": ["x"], "dataType": "INT"}]),
    )
    .assert_done();
    assert_eq!(names(&place), ["id", "total", "addr", "m", "x", "dt"]);
}

#[test]
fn fields_inside_columns_change_by_path() {
    let place = orders();
    let changes = json!([
        {"action": "addColumn", "fieldNames": ["addr", "geo", "lon"], "dataType": "DOUBLE", "comment": "east"},
        {"action": "updateColumnType", "fieldNames": ["addr", "tags", "element"], "newDataType": "VARCHAR(9)"},
        {"action": "updateColumnType", "fieldNames": ["m", "value"], "newDataType": "BIGINT"},
        {"action": "renameColumn", "fieldNames": ["addr", "geo"], "newName": "place"},
        {"action": "dropColumn", "fieldNames": ["addr", "place", "lat"]},
    ]);
    alter(&place, changes).assert_done();
    let addr = json!({"type": "ROW", "fields": [
        {"id": 4, "name": "place", "type": {"type": "ROW", "fields": [
            {"id": 8, "name": "lon", "type": "DOUBLE", "description": "east"},
        ]}},
        {"id": 5, "name": "tags", "type": {"type": "ARRAY", "element": "VARCHAR(9)"}},
    ]});
    assert_eq!(
        field(&place, "addr"),
        json!({"id": 2, "name": "addr", "type": addr})
    );
    let map = json!({"type": "MAP", "key": "STRING", "value": "BIGINT"});
    assert_eq!(field(&place, "m")["type"], map);

    for (path, name) in [
        (json!(["addr", "nope"]), "addr.nope"),
        (json!(["addr", "tags", "value"]), "addr.tags.value"),
        (json!(["m", "key"]), "m.key"),
        (json!(["total", "x"]), "total.x"),
        (json!(["nope", "x"]), "nope.x"),
    ] {
        let change =
            json!([{"action": "updateColumnType", "fieldNames": path, "newDataType": "INT"}]);
        assert_eq!(
            alter(&place, change).error(),
            (404, json!("COLUMN"), json!(name))
        );
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let place = orders();
    let before = place.get(TABLE).json();
    let column = |status: i32, name: &str| (status, json!("COLUMN"), json!(name));
    let other = |status: i32| (status, Value::Null, Value::Null);
    let change = |action: &str, name: &str, more: Value| {
        let mut change = json!({"action": action, "fieldNames": [name]});
        change
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        change
    };
    let add = |name: &str, kind: &str| change("addColumn", name, json!({"dataType": kind}));
    let retype =
        |name: &str, kind: &str| change("updateColumnType", name, json!({"newDataType": kind}));
    let cases = [
        // Partition columns stay.
        (change("dropColumn", "dt", json!({})), other(501)),
        (
            change("renameColumn", "dt", json!({"newName": "day"})),
            other(501),
        ),
        (retype("dt", "INT"), other(501)),
        // Columns that are not there, or there already.
        (change("dropColumn", "nope", json!({})), column(404, "nope")),
        (
            change("renameColumn", "nope", json!({"newName": "x"})),
            column(404, "nope"),
        ),
        (
            change("updateColumnComment", "nope", json!({"newComment": "x"})),
            column(404, "nope"),
        ),
        (
            change("renameColumn", "id", json!({"newName": "total"})),
            column(409, "total"),
        ),
        (add("total", "INT"), column(409, "total")),
        // The type of the table.
        (
            json!({"action": "setOption", "key": "type", "value": "table"}),
            other(501),
        ),
        (json!({"action": "removeOption", "key": "type"}), other(501)),
        // Rows that are there have no value for a new column.
        (add("x", "INT NOT NULL"), other(400)),
        (
            change(
                "updateColumnNullability",
                "total",
                json!({"newNullability": false}),
            ),
            other(501),
        ),
        (retype("total", "DECIMAL(14, 2) NOT NULL"), other(501)),
        // Casts and defaults.
        (retype("addr", "STRING"), other(500)),
        (
            change(
                "updateColumnDefaultValue",
                "total",
                json!({"newDefaultValue": "much"}),
            ),
            other(400),
        ),
        // Positions.
        (
            json!({"action": "updateColumnPosition", "move": {"fieldName": "id", "referenceFieldName": "id", "type": "AFTER"}}),
            other(501),
        ),
        (
            json!({"action": "updateColumnPosition", "move": {"fieldName": "nope", "type": "FIRST"}}),
            column(404, "nope"),
        ),
        // What is no change.
        (json!({"action": "reorganize"}), other(400)),
        (json!({"key": "a", "value": "b"}), other(400)),
        (
            json!({"action": "dropColumn", "fieldNames": []}),
            other(400),
        ),
        (add("x", "NUMBER"), other(400)),
    ];
    for (wrong, (status, kind, name)) in cases {
        // A change before the wrong one is not made either.
        let reply = alter(
            &place,
            json!([{"action": "setOption", "key": "k", "value": "v"}, wrong]),
        );
        assert_eq!(
            reply.error(),
            (u16::try_from(status).unwrap(), kind, name),
            "{wrong}"
        );
    }
    assert_eq!(place.get(TABLE).json(), before);
    let missing = place.post("/databases/db/tables/x", &json!({"changes": []}));
    assert_eq!(missing.error(), (404, json!("TABLE"), json!("x")));
}

#[test]
fn options_of_the_table_allow_and_forbid_changes() {
    let place = orders_with(&json!({"alter-column-null-to-not-null.disabled": "false"}));
    let change = json!([{"action": "updateColumnNullability", "fieldNames": ["total"], "newNullability": false}]);
    alter(&place, change).assert_done();
    assert_eq!(field(&place, "total")["type"], "DECIMAL(12, 2) NOT NULL");

    let retype = |kind: &str| json!([{"action": "updateColumnType", "fieldNames": ["total"], "newDataType": kind, "keepNullability": true}]);
    let explicit = orders();
    alter(&explicit, retype("INT")).assert_done();
    assert_eq!(field(&explicit, "total")["type"], "INT");
    let implicit = orders_with(&json!({"disable-explicit-type-casting": "true"}));
    assert_eq!(
        alter(&implicit, retype("INT")).error(),
        (500, Value::Null, Value::Null)
    );
    alter(&implicit, retype("DECIMAL(14, 2)")).assert_done();

    // The same type in other letters is no change.
    let same = json!([{"action": "setOption", "key": "type", "value": "FORMAT-TABLE"}]);
    alter(&orders(), same).assert_done();
}

#[test]
fn the_last_column_stays() {
    let place = Place::new();
    place
        .post("/databases", &json!({"name": "db", "options": {}}))
        .assert_done();
    let mut body = create_body("db", "t", &json!({}));
    body["schema"]["fields"] = json!([{"id": 0, "name": "a", "type": "INT"}]);
    body["schema"]["partitionKeys"] = json!([]);
    place.post("/databases/db/tables", &body).assert_done();
    let reply = alter(
        &place,
        json!([{"action": "dropColumn", "fieldNames": ["a"]}]),
    );
    assert_eq!(reply.error(), (400, Value::Null, Value::Null));
    assert_eq!(names(&place), ["a"]);
}
