use ftable_core::{DataType, TableSchema, TypeKind};

use super::*;
use crate::filesystem::schema_files::SchemaFiles;

const IDS: &str = include_str!("data/ids.json");
const EVENTS: &str = include_str!("data/events.json");
const ALTERED: &str = include_str!("data/altered.json");

/// A schema file of version 3 with one column `c` of that type (JSON), and these options (JSON).
fn schema_file(id: i64, column_type: &str, options: &str) -> String {
    format!(
        r#"{{"version": 3, "id": {id}, "fields": [{{"id": 0, "name": "c", "type": {column_type}}}],
            "highestFieldId": 0, "partitionKeys": [], "primaryKeys": [], "options": {options},
            "timeMillis": 1}}"#
    )
}

fn format_table_file(id: i64) -> String {
    schema_file(id, "\"INT\"", r#"{"type": "format-table"}"#)
}

async fn loaded(warehouse: &Warehouse, name: &str) -> TableSchema {
    warehouse.catalog.get_table(&id(name)).await.unwrap().schema
}

#[tokio::test]
async fn an_unpartitioned_table_written_by_java_is_loaded() {
    for warehouse in Warehouse::both().await {
        warehouse.put("default.db/ids/schema/schema-0", IDS).await;
        let table = warehouse
            .catalog
            .get_table(&id("default.ids"))
            .await
            .unwrap();
        assert_eq!(table.identifier, Some(id("default.ids")));
        assert_eq!(table.location.path(), warehouse.path("default.db/ids"));
        assert!(table.metadata_under_location);
        assert!(table.partition_registry.is_none());
        let schema = table.schema;
        assert_eq!((schema.version, schema.id), (3, 0));
        assert_eq!(schema.time_millis, 1_787_360_523_000);
        assert_eq!(schema.highest_field_id, 1);
        assert_eq!(schema.partition_keys, Vec::<String>::new());
        assert_eq!(schema.primary_keys, Vec::<String>::new());
        assert_eq!(schema.comment, None);
        let names: Vec<_> = schema
            .fields
            .iter()
            .map(|f| (f.id, f.name.as_str()))
            .collect();
        assert_eq!(names, [(0, "id"), (1, "name")]);
        assert_eq!(
            schema.fields[0].data_type,
            DataType::from(TypeKind::BigInt).not_null()
        );
        assert_eq!(schema.fields[1].data_type, DataType::string());
        assert_eq!(schema.options.get_raw("file.format"), Some("parquet"));
        assert_eq!(
            schema.options.get_raw("path"),
            Some(table.location.to_string().as_str())
        );
        // The path is set in memory only.
        assert_eq!(warehouse.text("default.db/ids/schema/schema-0").await, IDS);
    }
}

#[tokio::test]
async fn nested_types_comments_and_defaults_written_by_java_are_loaded() {
    for warehouse in Warehouse::both().await {
        warehouse
            .put("default.db/events/schema/schema-0", EVENTS)
            .await;
        let schema = loaded(&warehouse, "default.events").await;
        assert_eq!(schema.partition_keys, ["dt", "hr"]);
        assert_eq!(schema.comment.as_deref(), Some("events by day and hour"));
        assert_eq!(schema.highest_field_id, 12);
        let columns: Vec<_> = schema
            .fields
            .iter()
            .map(|f| format!("{} {} {}", f.id, f.name, f.data_type))
            .collect();
        assert_eq!(columns[0], "0 id BIGINT NOT NULL");
        assert_eq!(columns[1], "1 state VARCHAR(16)");
        assert_eq!(columns[8], "12 hr INT");
        assert_eq!(schema.fields[0].description.as_deref(), Some("row key"));
        assert_eq!(schema.fields[1].default_value.as_deref(), Some("new"));
        let TypeKind::Row { fields } = schema.fields[3].data_type.kind() else {
            panic!("addr is a row");
        };
        assert_eq!((fields[0].id, fields[1].id), (6, 7));
        assert!(!fields[0].data_type.is_nullable());
        assert_eq!(
            schema.options.get_raw("partition.legacy-name"),
            Some("false")
        );
        assert_eq!(schema.options.get_raw("target-file-size"), Some("128 mb"));
    }
}

#[tokio::test]
async fn an_altered_table_written_by_java_is_loaded_without_its_first_versions() {
    for warehouse in Warehouse::both().await {
        warehouse.put("default.db/t/schema/schema-2", ALTERED).await;
        assert_eq!(
            warehouse.catalog.list_tables("default").await.unwrap(),
            ["t"]
        );
        let schema = loaded(&warehouse, "default.t").await;
        assert_eq!(schema.id, 2);
        assert_eq!(schema.highest_field_id, 4);
        let ids: Vec<_> = schema.fields.iter().map(|f| f.id).collect();
        assert_eq!(ids, [4, 0, 1, 3]);
        assert_eq!(
            schema
                .options
                .get_raw("format-table.partition-path-only-value"),
            Some("true")
        );
    }
}

#[tokio::test]
async fn the_latest_schema_is_the_highest_number_and_other_names_are_ignored() {
    for warehouse in Warehouse::both().await {
        let directory = "d.db/t/schema";
        for number in [0, 10, 9] {
            let name = format!("{directory}/schema-{number}");
            warehouse.put(&name, &format_table_file(number)).await;
        }
        let others = [
            "schema-11.tmp",
            ".schema-12.8a5c.tmp",
            "schema-x",
            "schema-013",
            "schema-99999999999999999999",
            "LATEST",
        ];
        for name in others {
            warehouse
                .put(&format!("{directory}/{name}"), "no schema")
                .await;
        }
        warehouse.make_dir(&format!("{directory}/schema-14")).await;
        assert_eq!(loaded(&warehouse, "d.t").await.id, 10);
    }
}

#[tokio::test]
async fn a_directory_without_a_valid_schema_file_is_no_table() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        catalog.create_database("d", false).await.unwrap();
        warehouse
            .put("d.db/only_data/dt=a/data-1.parquet", "x")
            .await;
        warehouse
            .put("d.db/staged/schema/.schema-0.1b2c.tmp", "x")
            .await;
        warehouse
            .put("d.db/odd/schema/schema-00", &format_table_file(0))
            .await;
        warehouse.put("d.db/file_schema/schema", "x").await;
        warehouse.put("d.db/plain_file", "x").await;
        warehouse.make_dir("d.db/empty").await;
        warehouse
            .put("d.db/_hidden/schema/schema-0", &format_table_file(0))
            .await;
        warehouse
            .put("d.db/.hidden/schema/schema-0", &format_table_file(0))
            .await;
        warehouse
            .put("d.db/t/schema/schema-0", &format_table_file(0))
            .await;
        assert_eq!(catalog.list_tables("d").await.unwrap(), ["t"]);
        for name in [
            "only_data",
            "staged",
            "odd",
            "file_schema",
            "plain_file",
            "empty",
            "none",
        ] {
            let identifier = Identifier::new("d", name).unwrap();
            assert_refused(
                catalog.get_table(&identifier).await,
                ErrorKind::NotFound,
                &[&format!("table d.{name} does not exist")],
            );
        }
    }
}

#[tokio::test]
async fn a_broken_schema_file_is_named() {
    for warehouse in Warehouse::both().await {
        let whole = format_table_file(0);
        let cut = &whole[..whole.len() / 2];
        for (name, text) in [
            ("cut", cut),
            ("empty", ""),
            ("list", "[]"),
            ("members", "{}"),
        ] {
            let file = format!("d.db/{name}/schema/schema-0");
            warehouse.put(&file, text).await;
            let error = warehouse
                .catalog
                .get_table(&Identifier::new("d", name).unwrap())
                .await
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidSchema);
            let path = warehouse.path(&file);
            assert_eq!(
                error.to_string(),
                format!("schema file '{path}' cannot be read")
            );
        }
        let newer = format_table_file(0).replace("\"version\": 3", "\"version\": 4");
        warehouse.put("d.db/newer/schema/schema-0", &newer).await;
        assert_refused(
            warehouse.catalog.get_table(&id("d.newer")).await,
            ErrorKind::InvalidSchema,
            &["d.db/newer/schema/schema-0", "4"],
        );
    }
}

#[tokio::test]
async fn a_schema_file_that_is_no_text_is_named() {
    for warehouse in Warehouse::both().await {
        let path = warehouse.path("d.db/t/schema/schema-0");
        let bytes = Bytes::from_static(b"{\"version\": \xff}");
        assert!(
            warehouse
                .catalog
                .file_system
                .create_whole(&path, bytes)
                .await
                .unwrap()
        );
        assert_refused(
            warehouse.catalog.get_table(&id("d.t")).await,
            ErrorKind::CorruptFile,
            &[&path, "UTF-8"],
        );
    }
}

#[tokio::test]
async fn nulls_are_absent_and_the_type_is_compared_in_any_case() {
    for warehouse in Warehouse::both().await {
        let file = schema_file(
            0,
            "\"INT\"",
            r#"{"k": null, "n": 5, "type": "FORMAT-TABLE"}"#,
        )
        .replace("\"timeMillis\": 1", "\"comment\": null");
        warehouse.put("d.db/t/schema/schema-0", &file).await;
        let schema = loaded(&warehouse, "d.t").await;
        assert_eq!(schema.options.get_raw("k"), None);
        assert_eq!(schema.options.get_raw("n"), Some("5"));
        assert_eq!(schema.comment, None);
        assert_eq!(schema.time_millis, 0);
    }
}

#[tokio::test]
async fn only_the_type_text_decides_about_nullability() {
    for warehouse in Warehouse::both().await {
        let row = r#"{"type": "ROW", "fields": [{"id": 1, "name": "a", "type": "INT"}], "nullable": false}"#;
        let file = schema_file(0, row, r#"{"type": "format-table"}"#);
        warehouse.put("d.db/t/schema/schema-0", &file).await;
        assert!(
            loaded(&warehouse, "d.t").await.fields[0]
                .data_type
                .is_nullable()
        );
    }
}

#[tokio::test]
async fn type_texts_are_read_with_their_defaults() {
    for warehouse in Warehouse::both().await {
        for (number, (text, expected)) in [
            ("VARCHAR", "VARCHAR(1)"),
            ("TIMESTAMP", "TIMESTAMP(6)"),
            ("DECIMAL", "DECIMAL(10, 0)"),
            (
                "timestamp_ltz(3) not null",
                "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL",
            ),
        ]
        .into_iter()
        .enumerate()
        {
            let file = schema_file(0, &format!("\"{text}\""), r#"{"type": "format-table"}"#);
            warehouse
                .put(&format!("d.db/t{number}/schema/schema-0"), &file)
                .await;
            let schema = loaded(&warehouse, &format!("d.t{number}")).await;
            assert_eq!(schema.fields[0].data_type.to_string(), expected, "{text}");
        }
        let file = schema_file(0, "\"ARRAY<INT>\"", r#"{"type": "format-table"}"#);
        warehouse.put("d.db/inline/schema/schema-0", &file).await;
        assert_refused(
            warehouse.catalog.get_table(&id("d.inline")).await,
            ErrorKind::InvalidSchema,
            &["d.db/inline/schema/schema-0", "ARRAY<INT>"],
        );
    }
}

#[tokio::test]
async fn older_schema_files_get_the_format_of_their_time() {
    for warehouse in Warehouse::both().await {
        let second = format_table_file(0).replace("\"version\": 3", "\"version\": 2");
        warehouse.put("d.db/second/schema/schema-0", &second).await;
        warehouse
            .put("d.db/third/schema/schema-0", &format_table_file(0))
            .await;
        let format = |schema: TableSchema| schema.options.get_raw("file.format").map(str::to_owned);
        assert_eq!(
            format(loaded(&warehouse, "d.second").await).as_deref(),
            Some("orc")
        );
        assert!(matches!(
            format(loaded(&warehouse, "d.third").await).as_deref(),
            None | Some("parquet")
        ));
    }
}

#[tokio::test]
async fn tables_of_other_types_are_listed_but_not_opened() {
    for warehouse in Warehouse::both().await {
        let catalog = &warehouse.catalog;
        let untyped = schema_file(0, "\"INT\"", "{}");
        warehouse
            .put("d.db/managed/schema/schema-0", &untyped)
            .await;
        let iceberg = schema_file(0, "\"INT\"", r#"{"type": "iceberg-table"}"#);
        warehouse
            .put("d.db/iceberg/schema/schema-0", &iceberg)
            .await;
        assert_eq!(
            catalog.list_tables("d").await.unwrap(),
            ["iceberg", "managed"]
        );
        for (name, table_type) in [("d.managed", "'table'"), ("d.iceberg", "'iceberg-table'")] {
            assert_refused(
                catalog.get_table(&id(name)).await,
                ErrorKind::Unsupported,
                &[name, table_type],
            );
            assert_eq!(catalog.get_table_schema(&id(name)).await.unwrap().id, 0);
        }
        // Their location is their directory, whatever they store, as in Java.
        let stored = schema_file(0, "\"INT\"", r#"{"path": "/elsewhere"}"#);
        warehouse.put("d.db/moved/schema/schema-0", &stored).await;
        assert_eq!(
            catalog
                .get_table_location(&id("d.moved"))
                .await
                .unwrap()
                .path(),
            warehouse.path("d.db/moved")
        );
    }
}

#[tokio::test]
async fn a_conditional_put_whose_answer_was_lost_has_won() {
    let warehouse = Warehouse::memory().await;
    let store = Faulty::over(&warehouse).losing_answers();
    let files = SchemaFiles::new(&store, warehouse.path("d.db/t/schema"));
    assert!(files.create(0, "ours".to_owned()).await.unwrap());
    assert!(!files.create(0, "theirs".to_owned()).await.unwrap());
    assert_eq!(warehouse.text("d.db/t/schema/schema-0").await, "ours");
}
