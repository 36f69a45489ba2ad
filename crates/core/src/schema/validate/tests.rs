use super::*;
use crate::ErrorKind;
use crate::types::parse_columns;

fn schema(columns: &str, keys: &[&str], options: &[(&str, &str)]) -> Schema {
    Schema::builder()
        .fields(parse_columns(columns).unwrap())
        .partition_by(keys.iter().copied())
        .options(options.iter().copied())
        .build()
        .unwrap()
}

/// Whether creating and opening say the same, and what they say.
fn both(schema: &Schema) -> Result<(), String> {
    let table = TableSchema::new(0, schema, 0);
    let create = validate_create(schema).map_err(|error| error.to_string());
    let open = validate_open(&table, &table.options)
        .map(|_| ())
        .map_err(|error| error.to_string());
    assert_eq!(create, open);
    create
}

fn check(columns: &str, keys: &[&str], options: &[(&str, &str)]) -> Result<(), String> {
    both(&schema(columns, keys, options))
}

fn refusal(columns: &str, keys: &[&str], options: &[(&str, &str)]) -> String {
    check(columns, keys, options).unwrap_err()
}

#[test]
fn the_table_type_comes_from_the_schema() {
    assert_eq!(check("a INT", &[], &[("type", "FORMAT-TABLE")]), Ok(()));
    for (given, named) in [("table", "table"), ("Iceberg-Table", "iceberg-table")] {
        assert_eq!(
            refusal("a INT", &[], &[("type", given)]),
            format!(
                "table type '{named}' (option 'type') is not supported: only tables of type 'format-table' are \
                 served; use a format table, or Paimon itself for this one"
            )
        );
    }
    assert!(
        refusal("a INT", &[], &[("type", "format_table")])
            .starts_with("option 'type' = 'format_table': ")
    );
    // A table without the option is a managed one, and a call cannot change that.
    let managed = Schema {
        options: Options::new(),
        ..schema("a INT", &[], &[])
    };
    assert_eq!(
        validate_create(&managed).unwrap_err().kind(),
        ErrorKind::Unsupported
    );
    let table = TableSchema::new(0, &managed, 0);
    let call = Options::from([("type", "format-table")]);
    assert!(validate_open(&table, &call.merged_over(&table.options)).is_err());
    let table = TableSchema::new(0, &schema("a INT", &[], &[]), 0);
    let call = Options::from([("type", "table")]);
    assert!(validate_open(&table, &call.merged_over(&table.options)).is_ok());
}

#[test]
fn partition_columns_of_every_allowed_type() {
    let columns = "a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(4, 2), i CHAR(3), \
                   j VARCHAR(3), k STRING, l DATE, m TIME(3), n TIMESTAMP(3), o TIMESTAMP_LTZ(3), v INT";
    let keys = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
    ];
    assert_eq!(check(columns, &keys, &[]), Ok(()));
    for bad in [
        "BINARY(3)",
        "VARBINARY(3)",
        "BYTES",
        "ARRAY<INT>",
        "MAP<INT, INT>",
        "ROW<a INT>",
        "MULTISET<INT>",
    ] {
        let error = refusal(&format!("id INT, part {bad}"), &["part"], &[]);
        assert!(
            error.starts_with("invalid schema: column 'part': "),
            "{error}"
        );
        assert!(error.contains(bad), "{error}");
    }
}

#[test]
fn every_column_may_be_a_partition_column() {
    for format in ["parquet", "orc", "csv", "json"] {
        assert_eq!(
            check("a INT, b DATE", &["b", "a"], &[("file.format", format)]),
            Ok(())
        );
    }
}

#[test]
fn columns_and_keys_fit_together() {
    assert_eq!(
        refusal("a INT, a STRING", &[], &[]),
        "invalid schema: the field name 'a' occurs twice"
    );
    assert_eq!(check("a INT, A STRING", &[], &[]), Ok(()));
    assert_eq!(
        refusal("a INT, b INT", &["a", "a"], &[]),
        "invalid schema: partition column 'a' is given twice"
    );
    assert_eq!(
        refusal("a INT, b INT", &["c"], &[]),
        "invalid schema: partition column 'c' is no column of the table"
    );
    assert!(refusal("a INT", &["A"], &[]).contains("'A'"));
    let none = Schema {
        fields: Vec::new(),
        ..schema("a INT", &[], &[])
    };
    assert_eq!(
        both(&none).unwrap_err(),
        "invalid schema: a table needs at least one column"
    );
    assert_eq!(
        refusal("` ` INT", &[], &[]),
        "invalid schema: a field name is blank"
    );
    let row = DataType::row(vec![
        DataField::new(1, "p", TypeKind::Int),
        DataField::new(2, "p", TypeKind::Int),
    ]);
    let nested = Schema {
        fields: vec![DataField::new(0, "r", row)],
        ..schema("a INT", &[], &[])
    };
    assert_eq!(
        both(&nested).unwrap_err(),
        "invalid schema: column 'r': type 'ROW<p INT, p INT>': the field name 'p' occurs twice"
    );
}

#[test]
fn reserved_names_are_refused() {
    for name in [
        "_SEQUENCE_NUMBER",
        "_VALUE_KIND",
        "_LEVEL",
        "rowkind",
        "_ROW_ID",
        "_KEY_",
        "_KEY_id",
    ] {
        assert_eq!(
            refusal(&format!("{name} INT"), &[], &[]),
            format!(
                "invalid schema: column '{name}': the name is reserved for Paimon; use another"
            )
        );
    }
    for name in ["ROWKIND", "_key_id", "_x", "KEY_id"] {
        assert_eq!(check(&format!("{name} INT"), &[], &[]), Ok(()));
    }
}

#[test]
fn names_of_partition_columns_must_be_visible() {
    let value_only = ("format-table.partition-path-only-value", "true");
    for name in ["_p", "`.p`"] {
        let columns = format!("id INT, {name} INT");
        let key = name.trim_matches('`');
        let error = refusal(&columns, &[key], &[]);
        assert!(
            error.starts_with(&format!("invalid schema: column '{key}': ")),
            "{error}"
        );
        assert_eq!(check(&columns, &[key], &[value_only]), Ok(()));
    }
}

#[test]
fn types_that_no_format_holds_are_refused_by_column() {
    for (data_type, named) in [
        ("VARIANT", "VARIANT"),
        ("BLOB", "BLOB"),
        ("GEOMETRY", "GEOMETRY(OGC:CRS84)"),
        ("GEOGRAPHY", "GEOGRAPHY(OGC:CRS84, spherical)"),
        ("VECTOR<FLOAT, 3>", "VECTOR<FLOAT, 3>"),
        ("ARRAY<MAP<INT, ROW<v VARIANT>>>", "VARIANT"),
        ("MAP<BLOB, INT>", "BLOB"),
    ] {
        assert_eq!(
            refusal(&format!("id INT, x {data_type}"), &[], &[]),
            format!("invalid schema: column 'x': type {named} cannot be stored in a format table")
        );
    }
    let wide = TypeKind::Decimal {
        precision: 39,
        scale: 0,
    };
    let unchecked = Schema {
        fields: vec![DataField::new(0, "d", wide)],
        ..schema("a INT", &[], &[])
    };
    assert_eq!(
        both(&unchecked).unwrap_err(),
        "invalid schema: column 'd': type 'DECIMAL(39, 0)': the precision of a DECIMAL must be between 1 and 38"
    );
}

#[test]
fn primary_keys_are_refused_however_declared() {
    let mut table = TableSchema::new(0, &schema("a INT", &[], &[]), 0);
    table.primary_keys = vec!["a".to_owned()];
    let error = validate_open(&table, &table.options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("primaryKeys"));
    let mut with_option = schema("a INT", &[], &[]);
    with_option.options.set("primary-key", "a");
    assert!(
        both(&with_option)
            .unwrap_err()
            .starts_with("option 'primary-key' = 'a' is not supported: ")
    );
}

#[test]
fn option_partition_must_agree_with_the_schema() {
    let mut same = schema("a INT, dt DATE", &["dt"], &[]);
    same.options.set("partition", "dt");
    assert_eq!(both(&same), Ok(()));
    same.options.set("partition", "a");
    assert_eq!(
        both(&same).unwrap_err(),
        "option 'partition' = 'a': the partition columns of the schema are [dt]; leave the option out"
    );
}

#[test]
fn a_text_table_has_one_string_column() {
    let text = [("file.format", "text")];
    for columns in ["line STRING", "line VARCHAR(9)", "line CHAR(9) NOT NULL"] {
        assert_eq!(check(columns, &[], &text), Ok(()));
    }
    assert_eq!(check("line STRING, dt DATE", &["dt"], &text), Ok(()));
    assert_eq!(
        refusal("line INT", &[], &text),
        "invalid schema: column 'line': file.format 'text' holds one STRING column, not INT; use another format"
    );
    for (columns, keys, count) in [
        ("a STRING, b STRING", &[][..], 2),
        ("a STRING", &["a"][..], 0),
        ("a STRING, b STRING, c INT", &["c"][..], 2),
    ] {
        assert_eq!(
            refusal(columns, keys, &text),
            format!(
                "invalid schema: file.format 'text' holds exactly one STRING column beside partition columns, not \
                 {count}; use another format"
            )
        );
    }
}

#[test]
fn defaults_must_be_values_of_their_columns() {
    assert_eq!(
        check("a INT DEFAULT '7', b STRING DEFAULT 'x'", &[], &[]),
        Ok(())
    );
    assert_eq!(
        refusal("a INT DEFAULT 'x'", &[], &[]),
        "invalid schema: column 'a': the default 'x' is no value of type INT"
    );
}

#[test]
fn options_are_validated_with_the_columns() {
    for (key, value) in [
        ("branch", "dev"),
        ("auto-create", "true"),
        ("target-file-row-num", "0"),
        ("file.format", "avro"),
        ("file.compression", "lzo"),
        ("partition.default-name", " "),
        ("format-table.commit-hive-sync-url", "thrift://h"),
    ] {
        assert!(
            refusal("a INT", &[], &[(key, value)]).contains(key),
            "{key}"
        );
    }
    for (format, key) in [
        ("csv", "csv.field-delimiter"),
        ("json", "json.line-delimiter"),
    ] {
        assert_eq!(
            refusal("a INT", &[], &[("file.format", format), (key, "")]),
            format!("option '{key}' = '': the value must not be empty")
        );
    }
    // The merged options count, wherever a value comes from.
    let table = TableSchema::new(0, &schema("a INT", &[], &[]), 0);
    let call = Options::from([("read.batch-size", "7")]);
    let resolved = validate_open(&table, &call.merged_over(&table.options)).unwrap();
    assert_eq!(
        (resolved.read_batch_size, resolved.format),
        (7, FileFormatKind::Parquet)
    );
    let call = Options::from([("auto-create", "true")]);
    assert!(validate_open(&table, &call.merged_over(&table.options)).is_err());
}

#[test]
fn the_file_prefix_is_refused_at_creation_and_left_to_the_writer_at_open() {
    let hidden = schema("a INT", &[], &[("data-file.prefix", "_x")]);
    let error = validate_create(&hidden).unwrap_err().to_string();
    assert!(
        error.starts_with("option 'data-file.prefix' = '_x': "),
        "{error}"
    );
    let table = TableSchema::new(0, &hidden, 0);
    let resolved = validate_open(&table, &table.options).unwrap();
    assert!(resolved.check_writable().is_err());
}
