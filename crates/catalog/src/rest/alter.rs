//! Changes of a table's schema. The server works out the new schema; what would give the files of a format table
//! another meaning is not asked for.

use ftable_core::options::keys::{
    ALL, BRANCH, FILE_FORMAT, FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE, METASTORE_PARTITIONED_TABLE,
    PARTITION, PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME, PATH, PRIMARY_KEY, TYPE,
};
use ftable_core::{ErrorKind, Identifier, TableSchema};
use serde::Serialize;

use super::RestCatalog;
use super::http::Request;
use super::models::SchemaChange;
use super::refusal::{Subject, explain};
use super::tables::schema;
use crate::catalog::{check_plain, is_format_table};
use crate::error::UnsupportedSnafu;
use crate::rules::refuse_system_database;
use crate::{Error, Result};

/// Options that say what the files of a format table mean.
const FIXED: [&str; 10] = [
    TYPE.name(),
    PATH.name(),
    PARTITION.name(),
    PRIMARY_KEY.name(),
    BRANCH.name(),
    FILE_FORMAT.name(),
    FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE.name(),
    PARTITION_DEFAULT_NAME.name(),
    PARTITION_LEGACY_NAME.name(),
    METASTORE_PARTITIONED_TABLE.name(),
];

/// The changes as they are sent.
#[derive(Serialize)]
struct AlterTable<'a> {
    changes: &'a [SchemaChange],
}

impl RestCatalog {
    /// Changes the schema of a table, in the order given and all or none, and gives the new one.
    ///
    /// Nothing is asked for when there is nothing to change.
    ///
    /// # Errors
    /// `NotFound` for a table or column that is not there, `AlreadyExists` for a column that is, `Unsupported` for a
    /// change that would give files of a format table another meaning: another type or name of a column, another
    /// format, another layout of partitions.
    pub async fn alter_table(
        &self,
        identifier: &Identifier,
        changes: &[SchemaChange],
    ) -> Result<TableSchema> {
        check_plain(identifier, "altering table")?;
        refuse_system_database(identifier.database(), "alter a table in")?;
        let current = schema(identifier, &self.table_answer(identifier).await?)?;
        let mut changes = changes.to_vec();
        if is_format_table(&current.options) {
            for change in &changes {
                check(identifier, &current, change)?;
            }
            changes.retain(|change| !changes_nothing(&current, change));
        }
        if changes.is_empty() {
            return Ok(current);
        }
        let path = self.client.paths().table(identifier)?;
        let body = AlterTable { changes: &changes };
        let sent = self
            .client
            .http()
            .send(&Request::post("AlterTable", path, &body))
            .await;
        let retried = sent.retried();
        match sent.result.map_err(explain(Subject::Table(identifier))) {
            Ok(_) => {}
            // What is refused now may be what an earlier attempt has done.
            Err(error)
                if retried
                    && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) =>
            {
                return Err(Error::Exchange {
                    request: format!("changing table {identifier}"),
                    problem: "the server was busy, and refused it when it was asked again; look at the table"
                        .to_owned(),
                    may_be_done: true,
                    source: Box::new(error),
                });
            }
            Err(error) => return Err(error),
        }
        schema(identifier, &self.table_answer(identifier).await?)
    }
}

/// Whether a fixed option is set to what it is already.
fn changes_nothing(current: &TableSchema, change: &SchemaChange) -> bool {
    match change {
        SchemaChange::SetOption { key, value } => {
            is_fixed(key) && is_value(current, key, Some(value))
        }
        SchemaChange::RemoveOption { key } => is_fixed(key) && is_value(current, key, None),
        _ => false,
    }
}

fn is_fixed(key: &str) -> bool {
    FIXED.contains(&key)
}

/// Whether an option has that value, its default where none is set; names and flags are the same in any case.
fn is_value(current: &TableSchema, key: &str, value: Option<&str>) -> bool {
    let default = ALL.iter().find(|info| info.name == key);
    let or_default = |value: Option<&str>| {
        let value = value.or(default.and_then(|info| info.default));
        match key {
            _ if key == PARTITION_DEFAULT_NAME.name() || key == PATH.name() => {
                value.map(str::to_owned)
            }
            _ => value.map(str::to_ascii_lowercase),
        }
    };
    or_default(current.options.get_raw(key)) == or_default(value)
}

/// Refuses a change that would give files of a format table another meaning.
fn check(identifier: &Identifier, current: &TableSchema, change: &SchemaChange) -> Result<()> {
    match objection(current, change) {
        None => Ok(()),
        Some((what, reason, instead)) => UnsupportedSnafu {
            what: format!("{what} of table {identifier}"),
            reason,
            instead,
        }
        .fail(),
    }
}

const NEW_TABLE: &str = "create another table and copy the rows";

/// What is asked, why files forbid it, and what to do instead.
fn objection(
    current: &TableSchema,
    change: &SchemaChange,
) -> Option<(String, &'static str, &'static str)> {
    let column = |names: &[String]| format!("column '{}'", names.join("."));
    Some(match change {
        SchemaChange::SetOption { key, .. } | SchemaChange::RemoveOption { key }
            if is_fixed(key) && !changes_nothing(current, change) =>
        {
            let what = format!("changing option '{key}'");
            (what, "it says what the files there are mean", NEW_TABLE)
        }
        SchemaChange::DropPrimaryKey => (
            "dropping the primary key".to_owned(),
            "a format table has none",
            "leave the change out",
        ),
        SchemaChange::RenameColumn { field_names, .. } => (
            format!("renaming {}", column(field_names)),
            "the files there are know it by its name",
            NEW_TABLE,
        ),
        SchemaChange::UpdateColumnType { field_names, .. } => (
            format!("changing the type of {}", column(field_names)),
            "the files there are keep the old one",
            NEW_TABLE,
        ),
        SchemaChange::UpdateColumnNullability {
            field_names,
            new_nullability: false,
        } => (
            format!("forbidding NULL in {}", column(field_names)),
            "the files there are may hold NULL",
            "leave it nullable",
        ),
        SchemaChange::AddColumn {
            field_names,
            data_type,
            ..
        } if !data_type.is_nullable() => (
            format!("adding the NOT NULL {}", column(field_names)),
            "it is NULL in the files there are",
            "add it as nullable",
        ),
        SchemaChange::DropColumn { field_names } if is_needed(current, field_names) => (
            format!("dropping {}", column(field_names)),
            "it is a partition column, or the last one that is none",
            NEW_TABLE,
        ),
        _ => return None,
    })
}

/// Whether a column is a partition column or the only one that is none.
fn is_needed(current: &TableSchema, field_names: &[String]) -> bool {
    let [name] = field_names else {
        return false;
    };
    let data = current.data_fields();
    current.partition_keys.contains(name)
        || matches!(data[..], [only] if only.name == *name && !current.partition_keys.is_empty())
}

#[cfg(test)]
mod tests {
    use ftable_core::Schema;

    use super::*;

    fn current() -> TableSchema {
        let schema = Schema::builder()
            .column("id", "INT")
            .unwrap()
            .column("dt", "STRING")
            .unwrap()
            .partition_by(["dt"])
            .build()
            .unwrap();
        TableSchema::new(0, &schema, 1)
    }

    fn set(key: &str, value: &str) -> SchemaChange {
        SchemaChange::SetOption {
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }

    fn names(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    #[test]
    fn what_files_mean_does_not_change() {
        let table = Identifier::new("d", "t").unwrap();
        for (change, word) in [
            (set("type", "table"), "'type'"),
            (set("path", "/elsewhere"), "'path'"),
            (set("partition", "id"), "'partition'"),
            (set("file.format", "orc"), "'file.format'"),
            (
                set("partition.legacy-name", "false"),
                "'partition.legacy-name'",
            ),
            (
                SchemaChange::RemoveOption {
                    key: "type".to_owned(),
                },
                "'type'",
            ),
            (SchemaChange::DropPrimaryKey, "primary key"),
            (
                SchemaChange::RenameColumn {
                    field_names: names("id"),
                    new_name: "x".to_owned(),
                },
                "'id'",
            ),
            (
                SchemaChange::UpdateColumnType {
                    field_names: names("id"),
                    new_data_type: "BIGINT".parse().unwrap(),
                    keep_nullability: true,
                },
                "'id'",
            ),
            (
                SchemaChange::UpdateColumnNullability {
                    field_names: names("id"),
                    new_nullability: false,
                },
                "NULL in column 'id'",
            ),
            (
                SchemaChange::AddColumn {
                    field_names: names("n"),
                    data_type: "INT NOT NULL".parse().unwrap(),
                    comment: None,
                    r#move: None,
                },
                "'n'",
            ),
            (
                SchemaChange::DropColumn {
                    field_names: names("dt"),
                },
                "'dt'",
            ),
            (
                SchemaChange::DropColumn {
                    field_names: names("id"),
                },
                "'id'",
            ),
        ] {
            let error = check(&table, &current(), &change).unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
            assert!(error.to_string().contains("d.t"), "{error}");
        }
    }

    #[test]
    fn what_is_so_already_is_no_change() {
        let table = Identifier::new("d", "t").unwrap();
        for change in [
            set("type", "Format-Table"),
            set("file.format", "PARQUET"),
            set("partition.legacy-name", "TRUE"),
            SchemaChange::RemoveOption {
                key: "partition.legacy-name".to_owned(),
            },
        ] {
            check(&table, &current(), &change).unwrap();
            assert!(changes_nothing(&current(), &change), "{change:?}");
        }
        for change in [
            set("file.compression", "zstd"),
            SchemaChange::UpdateComment { comment: None },
        ] {
            check(&table, &current(), &change).unwrap();
            assert!(!changes_nothing(&current(), &change), "{change:?}");
        }
    }
}
