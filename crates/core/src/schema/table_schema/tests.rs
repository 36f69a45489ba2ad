use proptest::prelude::*;

use super::*;
use crate::types::testing::any_fields;
use crate::{DataType, ErrorKind};

/// An unpartitioned parquet table.
const PLAIN: &str = r#"{ "version" : 3, "id" : 0,
  "fields" : [ { "id" : 0, "name" : "id", "type" : "BIGINT NOT NULL" }, { "id" : 1, "name" : "name", "type" : "STRING" } ],
  "highestFieldId" : 1, "partitionKeys" : [ ], "primaryKeys" : [ ],
  "options" : { "file.format" : "parquet", "type" : "format-table" }, "timeMillis" : 1787360523000 }"#;

/// Two partition levels, nested types, comments and a default.
const NESTED: &str = r#"{ "version" : 3, "id" : 0,
  "fields" : [
    { "id" : 0, "name" : "id", "type" : "BIGINT NOT NULL", "description" : "row key" },
    { "id" : 1, "name" : "state", "type" : "VARCHAR(16)", "defaultValue" : "new" },
    { "id" : 2, "name" : "amounts", "type" : { "type" : "MAP", "key" : "STRING NOT NULL", "value" : "DECIMAL(10, 2)" } },
    { "id" : 3, "name" : "addr", "type" : { "type" : "ROW", "fields" : [
        { "id" : 6, "name" : "geo", "type" : { "type" : "ROW NOT NULL", "fields" : [
            { "id" : 4, "name" : "lat", "type" : "DOUBLE" },
            { "id" : 5, "name" : "lon", "type" : "DOUBLE", "description" : "degrees east" } ] } },
        { "id" : 7, "name" : "tags", "type" : { "type" : "ARRAY NOT NULL", "element" : "STRING" } } ] } },
    { "id" : 8, "name" : "seen", "type" : "TIMESTAMP(3)" },
    { "id" : 9, "name" : "loaded", "type" : "TIMESTAMP(6) WITH LOCAL TIME ZONE" },
    { "id" : 10, "name" : "raw", "type" : "BYTES" },
    { "id" : 11, "name" : "dt", "type" : "DATE" },
    { "id" : 12, "name" : "hr", "type" : "INT" } ],
  "highestFieldId" : 12, "partitionKeys" : [ "dt", "hr" ], "primaryKeys" : [ ],
  "options" : { "file.compression" : "zstd", "file.format" : "orc", "partition.legacy-name" : "false",
                "target-file-size" : "128 mb", "type" : "format-table" },
  "comment" : "events by day and hour", "timeMillis" : 1787360523456 }"#;

/// Column 2 was dropped in version 1, column 4 added in version 2 and placed first.
const ALTERED: &str = r#"{ "version" : 3, "id" : 2,
  "fields" : [ { "id" : 4, "name" : "source", "type" : "STRING", "description" : "added later" },
               { "id" : 0, "name" : "k", "type" : "INT" }, { "id" : 1, "name" : "flag", "type" : "BOOLEAN" },
               { "id" : 3, "name" : "region", "type" : "STRING" } ],
  "highestFieldId" : 4, "partitionKeys" : [ "region" ], "primaryKeys" : [ ],
  "options" : { "file.format" : "parquet", "format-table.partition-path-only-value" : "true", "type" : "format-table" },
  "timeMillis" : 1787361000001 }"#;

fn names<'a>(fields: &[&'a DataField]) -> Vec<&'a str> {
    fields.iter().map(|field| field.name.as_str()).collect()
}

#[test]
fn a_plain_table() {
    let schema = TableSchema::from_json(PLAIN).unwrap();
    assert_eq!(
        (schema.version, schema.id, schema.highest_field_id),
        (3, 0, 1)
    );
    assert_eq!(schema.fields[0].data_type.to_string(), "BIGINT NOT NULL");
    assert_eq!(
        schema.fields[1],
        DataField::new(1, "name", DataType::string())
    );
    assert_eq!(
        (schema.comment.as_deref(), schema.time_millis),
        (None, 1_787_360_523_000)
    );
    let expected = r#"{
  "version" : 3,
  "id" : 0,
  "fields" : [ {
    "id" : 0,
    "name" : "id",
    "type" : "BIGINT NOT NULL"
  }, {
    "id" : 1,
    "name" : "name",
    "type" : "STRING"
  } ],
  "highestFieldId" : 1,
  "partitionKeys" : [ ],
  "primaryKeys" : [ ],
  "options" : {
    "file.format" : "parquet",
    "type" : "format-table"
  },
  "timeMillis" : 1787360523000
}"#;
    assert_eq!(schema.to_json(), expected);
}

#[test]
fn nested_types_comments_and_partitions() {
    let schema = TableSchema::from_json(NESTED).unwrap();
    let types: Vec<_> = schema
        .fields
        .iter()
        .map(|field| field.data_type.to_string())
        .collect();
    assert_eq!(
        types,
        [
            "BIGINT NOT NULL",
            "VARCHAR(16)",
            "MAP<STRING NOT NULL, DECIMAL(10, 2)>",
            "ROW<geo ROW<lat DOUBLE, lon DOUBLE COMMENT 'degrees east'> NOT NULL, tags ARRAY<STRING> NOT NULL>",
            "TIMESTAMP(3)",
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            "BYTES",
            "DATE",
            "INT",
        ]
    );
    assert_eq!(schema.fields[0].description.as_deref(), Some("row key"));
    assert_eq!(schema.fields[1].default_value.as_deref(), Some("new"));
    assert_eq!(names(&schema.partition_fields()), ["dt", "hr"]);
    assert_eq!(
        names(&schema.data_fields()),
        ["id", "state", "amounts", "addr", "seen", "loaded", "raw"]
    );
    assert_eq!(schema.comment.as_deref(), Some("events by day and hour"));
    assert_eq!(highest_field_id(&schema.fields), 12);
    let json: Value = serde_json::from_str(&schema.to_json()).unwrap();
    assert_eq!(json, serde_json::from_str::<Value>(NESTED).unwrap());
    // The ids are those that numbering the columns gives.
    let mut renumbered = schema.fields.clone();
    assert_eq!(crate::types::assign_field_ids(&mut renumbered), 12);
    assert_eq!(renumbered, schema.fields);
}

#[test]
fn an_altered_table() {
    let schema = TableSchema::from_json(ALTERED).unwrap();
    assert_eq!((schema.id, schema.highest_field_id), (2, 4));
    assert_eq!(names(&schema.data_fields()), ["source", "k", "flag"]);
    let json: Value = serde_json::from_str(&schema.to_json()).unwrap();
    assert_eq!(json, serde_json::from_str::<Value>(ALTERED).unwrap());
    assert_eq!(TableSchema::from_json(&schema.to_json()).unwrap(), schema);
}

#[test]
fn partition_fields_have_the_order_of_the_keys() {
    let mut schema = TableSchema::from_json(NESTED).unwrap();
    schema.partition_keys.reverse();
    assert_eq!(names(&schema.partition_fields()), ["hr", "dt"]);
}

#[test]
fn empty_containers_keep_a_blank() {
    let schema = TableSchema::from_json(
        r#"{"version": 3, "id": 0, "fields": [], "highestFieldId": -1, "partitionKeys": [], "primaryKeys": [],
            "options": {}, "timeMillis": 0}"#,
    );
    let text = schema.unwrap().to_json();
    assert!(text.contains("\"fields\" : [ ],\n"), "{text}");
    assert!(text.contains("\"options\" : { },\n"), "{text}");
}

fn minimal(change: impl FnOnce(&mut Map<String, Value>)) -> Result<TableSchema> {
    let mut members = members(PLAIN).unwrap();
    change(&mut members);
    TableSchema::from_json(&Value::Object(members).to_string())
}

#[test]
fn old_versions_have_other_defaults() {
    let format = |version: Value, options: Value| {
        let schema = minimal(|m| {
            m.insert("version".into(), version);
            m.insert("options".into(), options);
        });
        let options = schema.unwrap().options;
        (
            options.get_raw("file.format").map(str::to_owned),
            options.get_raw("bucket").map(str::to_owned),
        )
    };
    let none = || serde_json::json!({});
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(format(3.into(), none()), (None, None));
    assert_eq!(format(2.into(), none()), (text("orc"), None));
    assert_eq!(format(1.into(), none()), (text("orc"), text("1")));
    assert_eq!(format(Value::Null, none()), (text("orc"), text("1")));
    let given = serde_json::json!({"file.format": "csv", "bucket": 4});
    assert_eq!(format(1.into(), given), (text("csv"), text("4")));
    let without = minimal(|m| {
        m.remove("version");
    });
    assert_eq!(without.unwrap().version, 1);
    assert_eq!(
        minimal(|m| drop(m.insert("version".into(), 4.into())))
            .unwrap_err()
            .to_string(),
        "schema JSON cannot be read: version 4 is newer than 3, the newest that is known; use a newer release"
    );
}

#[test]
fn required_members_are_named() {
    for name in [
        "id",
        "fields",
        "highestFieldId",
        "partitionKeys",
        "primaryKeys",
        "options",
    ] {
        let expected = format!("schema JSON cannot be read: the member '{name}' is missing");
        assert_eq!(
            minimal(|m| drop(m.shift_remove(name)))
                .unwrap_err()
                .to_string(),
            expected
        );
        assert_eq!(
            minimal(|m| drop(m.insert(name.into(), Value::Null)))
                .unwrap_err()
                .to_string(),
            expected
        );
        assert!(
            minimal(|m| drop(m.insert(name.into(), true.into()))).is_err(),
            "{name}"
        );
    }
    let schema = minimal(|m| drop(m.shift_remove("timeMillis"))).unwrap();
    assert_eq!(schema.time_millis, 0);
}

#[test]
fn unknown_members_are_ignored_and_null_is_absent() {
    let schema = minimal(|m| {
        m.insert("future".into(), serde_json::json!({"a": [1]}));
        m.insert("comment".into(), Value::Null);
        m.insert(
            "options".into(),
            serde_json::json!({"k": null, "n": 7, "b": true, "type": "FORMAT-TABLE"}),
        );
    })
    .unwrap();
    assert_eq!(schema.comment, None);
    assert_eq!(
        schema.options,
        Options::from([("b", "true"), ("n", "7"), ("type", "FORMAT-TABLE")])
    );
    assert!(!schema.to_json().contains("null"));
}

#[test]
fn broken_texts_are_refused_with_the_place() {
    for (end, expected) in [
        (0, "schema JSON cannot be read: the text is empty"),
        (
            1,
            "schema JSON cannot be read: the text ends at line 1 column 1, in the middle of a value: it is cut off",
        ),
        (
            60,
            "schema JSON cannot be read: the text ends at line 2 column 33, in the middle of a value: it is cut off",
        ),
    ] {
        assert_eq!(
            TableSchema::from_json(&PLAIN[..end])
                .unwrap_err()
                .to_string(),
            expected
        );
    }
    for text in ["[]", "3", "{]", "{} {}", "\u{0}"] {
        assert_eq!(
            TableSchema::from_json(text).unwrap_err().kind(),
            ErrorKind::InvalidSchema,
            "{text}"
        );
    }
    for end in 0..PLAIN.len() {
        assert!(TableSchema::from_json(&PLAIN[..end]).is_err(), "{end}");
    }
    assert_eq!(
        minimal(|m| drop(m.insert("id".into(), "x".into())))
            .unwrap_err()
            .to_string(),
        "schema JSON cannot be read: the member 'id' is no integer of its size: \"x\""
    );
    let deep = "[".repeat(100_000);
    assert!(TableSchema::from_json(&deep).is_err());
    let twice = PLAIN.replace("\"id\" : 1", "\"id\" : 0");
    assert_eq!(
        TableSchema::from_json(&twice).unwrap_err().to_string(),
        "invalid schema: field id 0 is duplicated: 'id' and 'name' have it"
    );
}

#[test]
fn a_new_table() {
    let schema = Schema::builder()
        .column("a", "ROW<p INT>")
        .unwrap()
        .column("dt", "DATE")
        .unwrap()
        .partition_by(["dt"])
        .comment("c")
        .build()
        .unwrap();
    let table = TableSchema::new(0, &schema, 7);
    assert_eq!(
        (
            table.version,
            table.id,
            table.highest_field_id,
            table.time_millis
        ),
        (3, 0, 2, 7)
    );
    let expected = Options::from([("file.format", "parquet"), ("type", "format-table")]);
    assert_eq!(table.options, expected);
    assert_eq!(TableSchema::from_json(&table.to_json()).unwrap(), table);
    assert_eq!(table.to_schema().fields, schema.fields);
    let orc = Schema {
        options: Options::from([("file.format", "ORC")]),
        ..schema
    };
    assert_eq!(
        TableSchema::new(0, &orc, 0).options.get_raw("file.format"),
        Some("ORC")
    );
}

#[test]
fn new_ids_follow_every_id_in_use() {
    let row = r#"{"type": "ROW", "fields": [{"id": 3, "name": "p", "type": "INT"}, {"id": 4, "name": "q", "type": "INT"}]}"#;
    let text = format!(
        r#"{{"version": 3, "id": 0, "fields": [{{"id": 0, "name": "a", "type": "INT"}}, {{"id": 1, "name": "r", "type": {row}}}],
            "highestFieldId": 2, "partitionKeys": [], "primaryKeys": [], "options": {{}}}}"#
    );
    let schema = TableSchema::from_json(&text).unwrap();
    let mut added = DataField::new(-1, "b", DataType::string());
    assert_eq!(schema.number_new_field(&mut added).unwrap(), 5);
    assert_eq!(added.id, 5);
    let dropped = TableSchema {
        highest_field_id: 9,
        ..schema
    };
    assert_eq!(dropped.number_new_field(&mut added).unwrap(), 10);
}

proptest! {
    #[test]
    fn schemas_are_read_back(
        fields in any_fields(1..5),
        id in 0i64..100,
        options in prop::collection::btree_map("[a-z.-]{1,12}", "\\PC{0,12}", 0..5),
        comment in prop::option::of("\\PC{0,12}|[\u{0}-\u{1f}\"\\\\]{1,4}"),
        time_millis in any::<i64>(),
    ) {
        let schema = TableSchema {
            version: CURRENT_VERSION,
            id,
            highest_field_id: highest_field_id(&fields),
            partition_keys: vec![fields[0].name.clone()],
            fields,
            primary_keys: Vec::new(),
            options: options.into_iter().collect(),
            comment,
            time_millis,
        };
        prop_assert_eq!(&TableSchema::from_json(&schema.to_json()).unwrap(), &schema);
        let compact = serde_json::to_string(&schema).unwrap();
        prop_assert_eq!(serde_json::from_str::<TableSchema>(&compact).unwrap(), schema);
    }
}
