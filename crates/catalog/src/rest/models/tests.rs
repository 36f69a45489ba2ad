//! The documents of the protocol, read and written.

use ftable_core::{DataField, DataType, Schema, TypeKind, col};
use serde_json::json;

use super::*;
use crate::partitions::{PartitionSpec, PartitionStatistics};

const TABLE: &str = r#"{ "id": "8d6f6d3e-6b8b-4a52-9d61-3f2a1c0b7e11", "database": "sales", "name": "orders",
  "path": "s3://lake/wh/sales.db/orders", "isExternal": false, "schemaId": 0,
  "schema": { "fields": [ { "id": 0, "name": "id", "type": "BIGINT NOT NULL" },
                          { "id": 1, "name": "total", "type": "DECIMAL(12, 2)", "description": "gross" },
                          { "id": 2, "name": "dt", "type": "STRING" } ],
              "partitionKeys": [ "dt" ], "primaryKeys": [], "comment": "orders by day",
              "options": { "type": "format-table", "file.format": "parquet", "metastore.partitioned-table": "true" } },
  "owner": "ann", "createdAt": 1787360523000, "createdBy": "ann", "updatedAt": 1787360523000, "updatedBy": "ann" }"#;

fn parse<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn spec(pairs: &[(&str, &str)]) -> PartitionSpec {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn orders() -> Schema {
    Schema {
        fields: vec![
            DataField::new(0, "id", "BIGINT NOT NULL".parse::<DataType>().unwrap()),
            DataField::new(1, "total", "DECIMAL(12, 2)".parse::<DataType>().unwrap())
                .with_description("gross"),
            DataField::new(
                2,
                "dt",
                DataType::from(TypeKind::VarChar {
                    length: 2_147_483_647,
                }),
            ),
        ],
        partition_keys: vec!["dt".to_owned()],
        options: Options::from([
            ("type", "format-table"),
            ("file.format", "parquet"),
            ("metastore.partitioned-table", "true"),
        ]),
        comment: Some("orders by day".to_owned()),
    }
}

#[test]
fn a_table_is_read() {
    let table: TableAnswer = serde_json::from_str(TABLE).unwrap();
    assert_eq!(table.path.as_deref(), Some("s3://lake/wh/sales.db/orders"));
    assert!(!table.is_external());
    let schema = table.table_schema().unwrap();
    assert_eq!(schema.to_schema(), orders());
    assert_eq!(
        (schema.id, schema.version, schema.highest_field_id),
        (0, 3, 2)
    );
    assert_eq!(schema.time_millis, 1_787_360_523_000);
    assert_eq!(
        table.audit_options(),
        Options::from([
            ("owner", "ann"),
            ("createdAt", "1787360523000"),
            ("createdBy", "ann"),
            ("updatedAt", "1787360523000"),
            ("updatedBy", "ann"),
        ])
    );
}

#[test]
fn nulls_and_strange_members_of_a_table_are_nothing() {
    let table: TableAnswer = parse(&json!({
        "name": null, "path": "/t", "isExternal": null, "schemaId": null, "owner": null, "createdAt": null,
        "strange": {"x": []},
        "schema": {
            "fields": [{"id": 4, "name": "r", "type": {"type": "ROW", "nullable": false, "fields":
                [{"id": 9, "name": "x", "type": "INT"}]}, "description": null, "strange": 1}],
            "partitionKeys": [], "primaryKeys": [],
            "options": {"k": null, "type": "FORMAT-TABLE", "n": 7, "flag": true}, "comment": null
        }
    }));
    assert!(!table.is_external());
    assert!(table.audit_options().is_empty());
    let schema = table.table_schema().unwrap();
    assert_eq!((schema.id, schema.time_millis), (0, 0));
    // The server's own count would be 0: it ignores fields inside fields.
    assert_eq!(schema.highest_field_id, 9);
    assert!(schema.fields[0].data_type.is_nullable());
    assert_eq!(schema.comment, None);
    assert_eq!(
        schema.options,
        Options::from([("type", "FORMAT-TABLE"), ("n", "7"), ("flag", "true")])
    );
}

#[test]
fn a_schema_without_its_members_is_refused_by_name() {
    for member in ["fields", "partitionKeys", "primaryKeys", "options"] {
        let mut table: Value = serde_json::from_str(TABLE).unwrap();
        table["schema"].as_object_mut().unwrap().remove(member);
        let error = parse::<TableAnswer>(&table).table_schema().unwrap_err();
        assert!(error.to_string().contains(member), "{error}");
    }
    let error = serde_json::from_str::<TableAnswer>("{}").unwrap_err();
    assert_eq!(
        describe(&error),
        "missing field `schema` at line 1 column 2"
    );
}

#[test]
fn a_table_to_be_created_is_written() {
    let identifier = Identifier::new("sales", "orders").unwrap();
    let schema = orders();
    let body = serde_json::to_value(CreateTable::new(&identifier, &schema)).unwrap();
    let expected = json!({ "identifier": { "database": "sales", "object": "orders" },
      "schema": {
        "fields": [ { "id": 0, "name": "id", "type": "BIGINT NOT NULL" }, { "id": 1, "name": "total", "type": "DECIMAL(12, 2)", "description": "gross" },
                    { "id": 2, "name": "dt", "type": "STRING" } ],
        "partitionKeys": [ "dt" ], "primaryKeys": [], "comment": "orders by day",
        "options": { "type": "format-table", "file.format": "parquet", "metastore.partitioned-table": "true" } } });
    assert_eq!(body, expected);
    let schema = Schema {
        comment: None,
        ..orders()
    };
    let body = serde_json::to_value(CreateTable::new(&identifier, &schema)).unwrap();
    assert!(body["schema"].get("comment").is_none());
}

#[test]
fn a_database_is_read_and_written() {
    let database: DatabaseAnswer = parse(
        &json!({ "id": "b1", "name": "sales", "location": "s3://lake/wh/sales.db",
        "options": { "team": "x" }, "owner": "ann", "createdAt": 1, "createdBy": "ann", "updatedAt": 1, "updatedBy": "ann" }),
    );
    assert_eq!(database.location.as_deref(), Some("s3://lake/wh/sales.db"));
    assert_eq!(database.options, Options::from([("team", "x")]));
    let database: DatabaseAnswer = parse(&json!({"location": null, "options": null}));
    assert_eq!((database.location, database.options.len()), (None, 0));
    let options = Options::new();
    let create = CreateDatabase {
        name: "db",
        options: &options,
    };
    assert_eq!(
        serde_json::to_string(&create).unwrap(),
        r#"{"name":"db","options":{}}"#
    );
    let alter = AlterDatabase {
        removals: &["a".to_owned()],
        updates: &Options::from([("b", "1")]),
    };
    assert_eq!(
        serde_json::to_value(alter).unwrap(),
        json!({"removals": ["a"], "updates": {"b": "1"}})
    );
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
#[allow(clippy::too_many_lines)]
fn changes_are_written() {
    let changes = [
        SchemaChange::SetOption {
            key: "file.compression".to_owned(),
            value: "snappy".to_owned(),
        },
        SchemaChange::RemoveOption {
            key: "target-file-size".to_owned(),
        },
        SchemaChange::UpdateComment { comment: None },
        SchemaChange::DropPrimaryKey,
        SchemaChange::AddColumn {
            field_names: names(&["note"]),
            data_type: "STRING".parse().unwrap(),
            comment: Some("free text".to_owned()),
            r#move: Some(ColumnMove {
                field_name: "note".to_owned(),
                reference_field_name: Some("id".to_owned()),
                place: ColumnPlace::After,
            }),
        },
        SchemaChange::RenameColumn {
            field_names: names(&["note"]),
            new_name: "remark".to_owned(),
        },
        SchemaChange::DropColumn {
            field_names: names(&["remark"]),
        },
        SchemaChange::UpdateColumnType {
            field_names: names(&["total"]),
            new_data_type: "DECIMAL(14, 2)".parse().unwrap(),
            keep_nullability: true,
        },
        SchemaChange::UpdateColumnNullability {
            field_names: names(&["id"]),
            new_nullability: true,
        },
        SchemaChange::UpdateColumnComment {
            field_names: names(&["total"]),
            new_comment: Some("net".to_owned()),
        },
        SchemaChange::UpdateColumnDefaultValue {
            field_names: names(&["total"]),
            new_default_value: Some("0".to_owned()),
        },
        SchemaChange::UpdateColumnPosition {
            r#move: ColumnMove {
                field_name: "dt".to_owned(),
                reference_field_name: None,
                place: ColumnPlace::Last,
            },
        },
    ];
    let expected = json!([
      { "action": "setOption", "key": "file.compression", "value": "snappy" }, { "action": "removeOption", "key": "target-file-size" },
      { "action": "updateComment", "comment": null }, { "action": "dropPrimaryKey" },
      { "action": "addColumn", "fieldNames": [ "note" ], "dataType": "STRING", "comment": "free text",
        "move": { "fieldName": "note", "referenceFieldName": "id", "type": "AFTER" } },
      { "action": "renameColumn", "fieldNames": [ "note" ], "newName": "remark" }, { "action": "dropColumn", "fieldNames": [ "remark" ] },
      { "action": "updateColumnType", "fieldNames": [ "total" ], "newDataType": "DECIMAL(14, 2)", "keepNullability": true },
      { "action": "updateColumnNullability", "fieldNames": [ "id" ], "newNullability": true },
      { "action": "updateColumnComment", "fieldNames": [ "total" ], "newComment": "net" },
      { "action": "updateColumnDefaultValue", "fieldNames": [ "total" ], "newDefaultValue": "0" },
      { "action": "updateColumnPosition", "move": { "fieldName": "dt", "referenceFieldName": null, "type": "LAST" } } ]);
    assert_eq!(serde_json::to_value(&changes).unwrap(), expected);
}

#[test]
fn a_change_shows_no_secret() {
    let change = SchemaChange::SetOption {
        key: "fs.s3.secret-key".to_owned(),
        value: "hunter2".to_owned(),
    };
    let shown = format!("{change:?}");
    assert!(
        shown.contains("fs.s3.secret-key") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn partitions_are_written_and_read() {
    let specs = [spec(&[("dt", "2026-08-21")]), spec(&[("dt", "2026-08-22")])];
    let statistics = PartitionStatistics {
        spec: specs[1].clone(),
        record_count: 120,
        file_size_in_bytes: 4096,
        file_count: 2,
        last_file_creation_millis: 1_787_360_523_000,
        total_buckets: -1,
    };
    let body = CreatePartitions::new(&specs, true, &[&statistics], false);
    assert_eq!(
        serde_json::to_value(body).unwrap(),
        json!({ "partitionSpecs": [ { "dt": "2026-08-21" }, { "dt": "2026-08-22" } ], "ignoreIfExists": true,
          "partitionStatistics": [ { "spec": { "dt": "2026-08-22" }, "recordCount": 120, "fileSizeInBytes": 4096, "fileCount": 2,
                                     "lastFileCreationTime": 1787360523000_i64, "totalBuckets": -1 } ],
          "replaceStatistics": false })
    );
    // Both members are absent when nothing is reported.
    let body = CreatePartitions::new(&specs[..1], false, &[], true);
    assert_eq!(
        serde_json::to_value(body).unwrap(),
        json!({"partitionSpecs": [{"dt": "2026-08-21"}], "ignoreIfExists": false})
    );
    let answer: CreatedAnswer = parse(
        &json!({ "created": [ { "dt": "2026-08-22" } ], "existed": [ { "dt": "2026-08-21" } ] }),
    );
    assert_eq!(answer.created, [Spec(specs[1].clone())]);
    assert_eq!(answer.existed, [Spec(specs[0].clone())]);
    let answer: DroppedAnswer = parse(&json!({"dropped": null}));
    assert!(answer.dropped.is_empty() && answer.missing.is_empty());
    assert_eq!(
        serde_json::to_value(DropPartitions::new(&specs[..1])).unwrap(),
        json!({"partitionSpecs": [{"dt": "2026-08-21"}], "ignoreIfNotExists": true})
    );
    assert_eq!(
        serde_json::to_value(SpecList::new(&specs[..1])).unwrap(),
        json!({"specs": [{"dt": "2026-08-21"}]})
    );
    let page: PartitionPage = parse(
        &json!({ "partitions": [ { "spec": { "dt": "2026-08-22" }, "recordCount": 120,
        "fileSizeInBytes": 4096, "fileCount": 2, "lastFileCreationTime": 1787360523000_i64, "totalBuckets": -1, "done": false,
        "createdAt": 1787360523000_i64, "createdBy": "ann", "updatedAt": null, "updatedBy": null, "options": null } ],
      "nextPageToken": "dt=2026-08-22" }),
    );
    let (partitions, token) = page.into_parts();
    assert_eq!(token.as_deref(), Some("dt=2026-08-22"));
    assert_eq!(partitions[0].statistics(specs[1].clone()), statistics);
    assert!(!partitions[0].is_done());
}

#[test]
fn what_a_server_does_not_say_of_a_partition_is_unknown() {
    let partition: PartitionAnswer = parse(
        &json!({"spec": {"dt": "a", "hour": 7}, "recordCount": null, "fileCount": 0, "done": true}),
    );
    assert_eq!(partition.spec, Spec(spec(&[("dt", "a"), ("hour", "7")])));
    let statistics = partition.statistics(Vec::new());
    assert_eq!(
        (statistics.record_count, statistics.file_size_in_bytes),
        (-1, -1)
    );
    assert_eq!((statistics.file_count, statistics.total_buckets), (0, -1));
    assert!(partition.is_done());
}

#[test]
fn pages_of_null_are_empty_and_empty_tokens_are_none() {
    let page: DatabasePage = parse(&json!({"databases": null}));
    assert_eq!(page.into_parts(), (Vec::new(), None));
    let page: TablePage = parse(&json!({"tables": ["a"], "nextPageToken": ""}));
    assert_eq!(page.into_parts(), (names(&["a"]), None));
    let page: TablePage = parse(&json!({"tables": null, "nextPageToken": "x"}));
    assert_eq!(page.into_parts(), (Vec::new(), Some("x".to_owned())));
    let page: AllTablesPage = parse(&json!({"tables": [{"database": "d", "object": "t"}]}));
    assert_eq!(page.into_parts().0, [Identifier::new("d", "t").unwrap()]);
}

#[test]
fn tokens_are_read_in_both_spellings_and_never_shown() {
    let token: TokenAnswer = parse(
        &json!({ "token": { "fs.oss.accessKeyId": "STS.x", "fs.oss.accessKeySecret": "hunter2",
        "fs.oss.securityToken": null, "fs.oss.endpoint": "oss-cn-hangzhou-internal.aliyuncs.com" }, "expiresAtMillis": 1787367723000_i64 }),
    );
    assert_eq!(token.expires_at_millis(), Some(1_787_367_723_000));
    assert_eq!(token.token.get_raw("fs.oss.accessKeyId"), Some("STS.x"));
    assert!(!token.token.contains("fs.oss.securityToken"));
    let shown = format!("{token:?}");
    assert!(
        !shown.contains("hunter2") && !shown.contains("STS.x"),
        "{shown}"
    );
    let token: TokenAnswer = parse(&json!({"token": {}, "expiresAt": 7}));
    assert_eq!(token.expires_at_millis(), Some(7));
}

#[test]
fn the_configuration_of_the_server_is_merged() {
    let client = Options::from([("a", "1"), ("b", "1"), ("token.x", "9")]);
    let answer: ConfigAnswer = parse(
        &json!({"defaults": {"prefix": "p", "a": null}, "overrides": {"token.x": null, "b": "2"}}),
    );
    assert_eq!(
        answer.merge(&client),
        Options::from([("prefix", "p"), ("a", "1"), ("b", "2")])
    );
    for nothing in [
        json!({}),
        json!({"defaults": null}),
        json!({"overrides": null}),
    ] {
        assert_eq!(parse::<ConfigAnswer>(&nothing).merge(&client), client);
    }
}

#[test]
fn errors_of_documents_show_no_value() {
    for (text, words) in [
        (r#"{"tables": ["hunter2""#, "cut off"),
        (r#"{"tables": "hunter2"}"#, "another JSON type"),
        ("hunter2", "no JSON"),
    ] {
        let error = serde_json::from_str::<TablePage>(text).unwrap_err();
        let message = describe(&error);
        assert!(message.contains(words), "{message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
}

#[test]
fn filters_a_server_understands_are_told() {
    let fields = [
        DataField::new(0, "id", TypeKind::BigInt),
        DataField::new(1, "day", TypeKind::Date),
        DataField::new(
            2,
            "dt",
            TypeKind::VarChar {
                length: 2_147_483_647,
            },
        ),
        DataField::new(3, "hour", TypeKind::Int),
    ];
    let keys = [fields[2].clone(), fields[3].clone(), fields[1].clone()];
    let told = |filter: ftable_core::Predicate| {
        let text = server_filter(&filter, &fields, &keys)?;
        Some(serde_json::from_str::<Value>(&text).unwrap())
    };
    let dt = json!({"kind":"LEAF","transform":{"name":"FIELD_REF","fieldRef":{"index":0,"name":"dt","type":"STRING"}},
        "function":"EQUAL","literals":["2026-08-22"]});
    let hours = json!({"kind":"LEAF","transform":{"name":"FIELD_REF","fieldRef":{"index":1,"name":"hour","type":"INT"}},
        "function":"IN","literals":[6, 7]});
    assert_eq!(told(col("dt").eq("2026-08-22")), Some(dt.clone()));
    assert_eq!(
        told(col("dt").eq("2026-08-22").and(col("hour").in_list([7, 6]))),
        Some(json!({"kind":"COMPOUND","function":"AND","children":[dt, hours]}))
    );
    assert_eq!(
        told(col("dt").eq("2026-08-22").or(col("hour").in_list([6, 7]))),
        Some(json!({"kind":"COMPOUND","function":"OR","children":[dt, hours]}))
    );
    // What it does not understand is left out of an AND, and an OR with it is not told at all.
    assert_eq!(
        told(col("dt").eq("2026-08-22").and(col("day").eq("2026-01-01"))),
        Some(dt.clone())
    );
    assert_eq!(
        told(col("dt").eq("2026-08-22").and(col("id").eq(1))),
        Some(dt)
    );
    assert_eq!(
        told(col("dt").eq("a").or(col("day").eq("2026-01-01"))),
        None
    );
    assert_eq!(told(col("dt").eq("a").or(col("id").eq(1))), None);
    assert_eq!(told(col("dt").is_null()), None);
    assert_eq!(told(col("nothing").eq(1)), None);
}
