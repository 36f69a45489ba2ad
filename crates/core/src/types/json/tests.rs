use proptest::prelude::*;
use serde_json::json;

use super::super::testing::{any_data_type, any_fields};
use super::*;

fn read(value: Value) -> DataType {
    serde_json::from_value(value).unwrap()
}

fn sql(text: &str) -> DataType {
    text.parse().unwrap()
}

#[test]
fn atomic_types_are_strings() {
    assert_eq!(
        serde_json::to_value(sql("DECIMAL(10,2) NOT NULL")).unwrap(),
        json!("DECIMAL(10, 2) NOT NULL")
    );
    assert_eq!(
        serde_json::to_value(sql("TIMESTAMP_LTZ(3)")).unwrap(),
        json!("TIMESTAMP(3) WITH LOCAL TIME ZONE")
    );
    assert_eq!(
        read(json!("varchar(2147483647) not null")),
        DataType::string().not_null()
    );
}

#[test]
fn nested_types_are_objects() {
    for (text, value) in [
        (
            "ARRAY<INT> NOT NULL",
            json!({"type": "ARRAY NOT NULL", "element": "INT"}),
        ),
        (
            "MULTISET<STRING NOT NULL>",
            json!({"type": "MULTISET", "element": "STRING NOT NULL"}),
        ),
        (
            "MAP<STRING NOT NULL, DECIMAL(10, 2)>",
            json!({"type": "MAP", "key": "STRING NOT NULL", "value": "DECIMAL(10, 2)"}),
        ),
        (
            "VECTOR<FLOAT, 3>",
            json!({"type": "VECTOR", "element": "FLOAT", "length": 3}),
        ),
        (
            "ROW<a INT, b ARRAY<STRING> COMMENT 'c'>",
            json!({"type": "ROW", "fields": [
            {"id": 0, "name": "a", "type": "INT"},
            {"id": 1, "name": "b", "type": {"type": "ARRAY", "element": "STRING"}, "description": "c"}]}),
        ),
    ] {
        let written = serde_json::to_string(&sql(text)).unwrap();
        assert_eq!(written, value.to_string(), "{text}");
        assert_eq!(read(value), sql(text));
    }
}

#[test]
fn the_text_alone_decides_nullability() {
    let value = json!({"type": "ROW", "fields": [{"id": 0, "name": "a", "type": "INT"}], "nullable": false});
    assert!(read(value).is_nullable());
    let value = json!({"type": "row  NOT NULL", "fields": [], "nullable": true});
    assert!(!read(value).is_nullable());
}

#[test]
fn unknown_members_are_ignored_and_null_is_absent() {
    let fields = json!([{"id": 4, "name": "a", "type": "INT", "x": {}, "description": null, "defaultValue": null},
        {"id": 0, "name": "b", "type": "INT", "description": "", "defaultValue": 7}]);
    let fields = fields_from_json(&fields).unwrap();
    assert_eq!(fields[0], DataField::new(4, "a", TypeKind::Int));
    assert_eq!(
        fields[1],
        DataField::new(0, "b", TypeKind::Int)
            .with_description("")
            .with_default("7")
    );
}

#[test]
fn fields_without_ids_are_numbered_parents_first() {
    let row = json!({"type": "ROW", "fields": [{"name": "p", "type": "INT"}, {"name": "q", "type": "INT"}]});
    let fields = json!([{"name": "a", "type": row}, {"name": "b", "type": "INT"}]);
    let fields = fields_from_json(&fields).unwrap();
    let TypeKind::Row { fields: inner } = fields[0].data_type.kind() else {
        unreachable!()
    };
    assert_eq!(
        [fields[0].id, inner[0].id, inner[1].id, fields[1].id],
        [0, 1, 2, 3]
    );
}

#[test]
fn broken_fields_are_refused_by_name() {
    for (value, message) in [
        (
            json!({}),
            "schema JSON cannot be read: 'fields' must be a list of objects",
        ),
        (
            json!(["a"]),
            "schema JSON cannot be read: a field must be an object",
        ),
        (
            json!([{"id": 0, "type": "INT"}]),
            "schema JSON cannot be read: a field has no 'name'",
        ),
        (
            json!([{"id": 0, "name": "a"}]),
            "invalid schema: column 'a': the field has no 'type'",
        ),
        (
            json!([{"id": 0, "name": "a", "type": 3}]),
            "invalid schema: column 'a': a type must be a string or an object",
        ),
        (
            json!([{"id": 0, "name": "a", "type": "FOO"}]),
            "invalid schema: column 'a': type 'FOO': 'FOO' is no type",
        ),
        (
            json!([{"id": 0, "name": "a", "type": "ARRAY<INT>"}]),
            "invalid schema: column 'a': type 'ARRAY<INT>': ARRAY in a schema file is a JSON object, not text",
        ),
        (
            json!([{"id": 0, "name": "a", "type": {"type": "ARRAY"}}]),
            "invalid schema: column 'a': the type ARRAY has no 'element'",
        ),
        (
            json!([{"id": 0, "name": "a", "type": {"type": "MAP", "key": "INT"}}]),
            "invalid schema: column 'a': the type MAP has no 'value'",
        ),
        (
            json!([{"id": 0, "name": "a", "type": {"type": "VECTOR", "element": "INT", "length": 0}}]),
            "invalid schema: column 'a': type 'VECTOR<INT, 0>': the length must be between 1 and 2147483647",
        ),
        (
            json!([{"id": 0, "name": "a", "type": {"type": "INT"}}]),
            "invalid schema: column 'a': 'INT' is no nested type",
        ),
        (
            json!([{"id": 0, "name": "a", "type": {}}]),
            "invalid schema: column 'a': the object of a nested type has no 'type' text",
        ),
        (
            json!([{"id": "0", "name": "a", "type": "INT"}]),
            "invalid schema: column 'a': 'id' must be a 32-bit integer",
        ),
        (
            json!([{"id": 0, "name": "r", "type": {"type": "ROW", "fields": [{"name": "p", "type": "INT"}]}}]),
            "invalid schema: column 'r.p': partial field id is not allowed: give all fields an 'id' or none",
        ),
        (
            json!([{"name": "a", "type": "INT"}, {"id": 1, "name": "b", "type": "INT"}]),
            "invalid schema: column 'b': partial field id is not allowed: give all fields an 'id' or none",
        ),
        (
            json!([{"id": 1, "name": "a", "type": "INT"}, {"id": 1, "name": "b", "type": "INT"}]),
            "invalid schema: field id 1 is duplicated: 'a' and 'b' have it",
        ),
    ] {
        assert_eq!(
            fields_from_json(&value).unwrap_err().to_string(),
            message,
            "{value}"
        );
    }
}

#[test]
fn deep_json_is_refused_and_not_followed() {
    let text = format!(
        "{}\"INT\"{}",
        "{\"type\":\"ARRAY\",\"element\":".repeat(100_000),
        "}".repeat(100_000)
    );
    assert!(serde_json::from_str::<DataType>(&text).is_err());
    let mut value = json!("INT");
    for _ in 0..MAX_NESTING {
        value = json!({"type": "ARRAY", "element": value});
    }
    assert!(serde_json::from_value::<DataType>(value.clone()).is_ok());
    let value = json!({"type": "ARRAY", "element": value});
    let error = serde_json::from_value::<DataType>(value)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "schema JSON cannot be read: it nests deeper than 112 levels (a ROW counts as three)"
    );
}

#[test]
fn the_deepest_type_is_readable_inside_other_json() {
    let mut data_type = DataType::from(TypeKind::Int);
    for id in 0..MAX_NESTING / 3 {
        data_type = DataType::row(vec![DataField::new(id as i32, "a", data_type)]);
    }
    data_type.check().unwrap();
    let text = format!(
        "[[[[[[[[{}]]]]]]]]",
        serde_json::to_string(&data_type).unwrap()
    );
    assert!(serde_json::from_str::<Value>(&text).is_ok());
}

proptest! {
    #[test]
    fn types_are_read_back(data_type in any_data_type()) {
        let text = serde_json::to_string(&data_type).unwrap();
        prop_assert_eq!(serde_json::from_str::<DataType>(&text).unwrap(), data_type);
    }

    #[test]
    fn fields_are_read_back(fields in any_fields(0..5)) {
        let value = serde_json::to_value(&fields).unwrap();
        prop_assert_eq!(fields_from_json(&value).unwrap(), fields);
    }
}
