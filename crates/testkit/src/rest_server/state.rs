//! What the server knows: databases, tables, partitions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ftable_core::DataField;
use ftable_core::partition::escape;
use ftable_core::types::{fields_from_json, highest_field_id};
use serde_json::{Map, Value, json};

use super::answer::{Done, Failure};
use super::call::{member, required, required_list, text, text_map, texts};
use super::{PartitionRecord, ServerOptions};

/// Who owns and makes everything.
const OWNER: &str = "owner";
/// What an object name ends in that names the main branch.
const MAIN_BRANCH: &str = "$branch_main";

/// Everything a server remembers.
#[derive(Debug)]
pub(super) struct State {
    pub(super) options: ServerOptions,
    pub(super) databases: BTreeMap<String, Database>,
    /// How many table tokens were handed out.
    pub(super) tokens: usize,
    ids: u64,
}

#[derive(Debug)]
pub(super) struct Database {
    pub(super) id: String,
    pub(super) options: BTreeMap<String, String>,
    pub(super) tables: BTreeMap<String, Table>,
    pub(super) audit: Audit,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) id: String,
    /// The location as clients see it.
    pub(super) location: String,
    /// Whether the data is somebody else's, who made it and removes it.
    pub(super) external: bool,
    pub(super) schema_id: i64,
    pub(super) schema: StoredSchema,
    /// The registered partitions by name.
    pub(super) partitions: BTreeMap<String, PartitionRecord>,
    pub(super) audit: Audit,
}

/// A schema as the protocol carries it.
#[derive(Debug, Clone)]
pub(super) struct StoredSchema {
    pub(super) fields: Vec<DataField>,
    /// The highest field id ever handed out.
    pub(super) highest_field_id: i32,
    pub(super) partition_keys: Vec<String>,
    pub(super) primary_keys: Vec<String>,
    pub(super) options: BTreeMap<String, String>,
    pub(super) comment: Option<String>,
}

/// When something was made and changed, in milliseconds since the epoch.
#[derive(Debug)]
pub(super) struct Audit {
    created_at: i64,
    updated_at: i64,
}

impl State {
    pub(super) fn new(options: ServerOptions) -> Self {
        Self {
            options,
            databases: BTreeMap::new(),
            tokens: 0,
            ids: 0,
        }
    }

    /// An id in the form of a UUID, the same in every run.
    pub(super) fn next_id(&mut self) -> String {
        self.ids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.ids)
    }

    pub(super) fn database(&self, name: &str) -> Done<&Database> {
        let found = self.databases.get(name);
        found.ok_or_else(|| Failure::no_database(name))
    }

    pub(super) fn database_mut(&mut self, name: &str) -> Done<&mut Database> {
        let found = self.databases.get_mut(name);
        found.ok_or_else(|| Failure::no_database(name))
    }

    pub(super) fn table(&self, database: &str, object: &str) -> Done<&Table> {
        let found = self.database(database)?.tables.get(base_table(object));
        found.ok_or_else(|| Failure::no_table(database, object))
    }

    pub(super) fn table_mut(&mut self, database: &str, object: &str) -> Done<&mut Table> {
        let tables = &mut self.database_mut(database)?.tables;
        let found = tables.get_mut(base_table(object));
        found.ok_or_else(|| Failure::no_table(database, object))
    }

    pub(super) fn database_directory(&self, database: &str) -> Done<PathBuf> {
        Ok(self
            .options
            .root
            .join(format!("{}.db", safe_name(database)?)))
    }

    /// Makes the directory of a new internal table. It is never one that is there already: a renamed
    /// table keeps its own.
    pub(super) fn make_directory(&self, database: &str, table: &str) -> Done<String> {
        if let Some(store) = &self.options.store {
            return Ok(format!("{store}/{database}.db/{table}"));
        }
        let parent = self.database_directory(database)?;
        let name = safe_name(table)?;
        let mut directory = parent.join(&name);
        for number in 2.. {
            match fs::create_dir(&directory) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    directory = parent.join(format!("{name}-{number}"));
                }
                other => {
                    other?;
                    break;
                }
            }
        }
        Ok(location_of(&directory))
    }
}

impl Table {
    /// Removes the data of an internal table; that of an external one is not ours.
    pub(super) fn remove_data(&self) -> Done<()> {
        match directory_of(&self.location) {
            Some(directory) if !self.external => remove_tree(&directory),
            _ => Ok(()),
        }
    }

    /// The table type, as option `type` says it.
    pub(super) fn kind(&self) -> &str {
        self.schema
            .options
            .get("type")
            .map_or("table", String::as_str)
    }

    pub(super) fn to_json(&self, database: &str, name: &str) -> Value {
        let mut members = json!({
            "id": self.id,
            "database": database,
            "name": name,
            "path": self.location,
            "isExternal": self.external,
            "schemaId": self.schema_id,
            "schema": self.schema.to_json(),
        });
        self.audit.add_to(&mut members);
        members
    }
}

impl Database {
    pub(super) fn to_json(&self, name: &str, location: &str) -> Value {
        let mut members = json!({
            "id": self.id,
            "name": name,
            "location": location,
            "options": self.options,
        });
        self.audit.add_to(&mut members);
        members
    }
}

impl StoredSchema {
    /// Reads the schema of a request. All lists and the options have to be there.
    pub(super) fn from_json(value: &Value) -> Done<Self> {
        let fields = fields_from_json(required(value, "fields")?)?;
        required_list(value, "partitionKeys")?;
        required_list(value, "primaryKeys")?;
        let schema = Self {
            highest_field_id: highest_field_id(&fields),
            fields,
            partition_keys: texts(value, "partitionKeys")?,
            primary_keys: texts(value, "primaryKeys")?,
            options: text_map(required(value, "options")?, "options")?,
            comment: text(value, "comment")?,
        };
        for (index, field) in schema.fields.iter().enumerate() {
            let before = schema.fields.iter().take(index);
            if before.into_iter().any(|other| other.name == field.name) {
                let message = format!("the column '{}' occurs twice", field.name);
                return Err(Failure::bad_request(message));
            }
        }
        for key in &schema.partition_keys {
            if !schema.fields.iter().any(|field| field.name == *key) {
                let message = format!("the partition key '{key}' is no column");
                return Err(Failure::bad_request(message));
            }
        }
        Ok(schema)
    }

    fn to_json(&self) -> Value {
        let mut members = Map::new();
        members.insert("fields".to_owned(), json!(self.fields));
        members.insert("partitionKeys".to_owned(), json!(self.partition_keys));
        members.insert("primaryKeys".to_owned(), json!(self.primary_keys));
        members.insert("options".to_owned(), json!(self.options));
        if let Some(comment) = &self.comment {
            members.insert("comment".to_owned(), json!(comment));
        }
        Value::Object(members)
    }
}

impl Audit {
    pub(super) fn now() -> Self {
        let now = now_millis();
        Self {
            created_at: now,
            updated_at: now,
        }
    }

    pub(super) fn touch(&mut self) {
        self.updated_at = now_millis();
    }

    fn add_to(&self, value: &mut Value) {
        let audit = [
            ("owner", json!(OWNER)),
            ("createdAt", json!(self.created_at)),
            ("createdBy", json!(OWNER)),
            ("updatedAt", json!(self.updated_at)),
            ("updatedBy", json!(OWNER)),
        ];
        if let Value::Object(members) = value {
            members.extend(audit.map(|(name, value)| (name.to_owned(), value)));
        }
    }
}

impl PartitionRecord {
    /// A partition of which nothing was reported yet.
    pub(super) fn new(spec: Vec<(String, String)>) -> Self {
        Self {
            spec,
            record_count: -1,
            file_size_in_bytes: -1,
            file_count: -1,
            last_file_creation_time: -1,
            total_buckets: -1,
            done: false,
            created_at: now_millis(),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "spec": spec_json(&self.spec),
            "recordCount": self.record_count,
            "fileSizeInBytes": self.file_size_in_bytes,
            "fileCount": self.file_count,
            "lastFileCreationTime": self.last_file_creation_time,
            "totalBuckets": self.total_buckets,
            "done": self.done,
            "createdAt": self.created_at,
            "createdBy": OWNER,
            "updatedAt": null,
            "updatedBy": null,
            "options": null,
        })
    }
}

pub(super) fn spec_json(spec: &[(String, String)]) -> Value {
    let members = spec.iter().map(|(key, value)| (key.clone(), json!(value)));
    Value::Object(members.collect())
}

/// The identifier in a member of a body.
pub(super) fn identifier(object: &Value, name: &str) -> Done<(String, String)> {
    let value = required(object, name)?;
    let part = |part: &str| {
        let given = member(value, part).and_then(Value::as_str);
        let message = || Failure::bad_request(format!("the member '{name}' has no '{part}'"));
        given.map(str::to_owned).ok_or_else(message)
    };
    Ok((part("database")?, part("object")?))
}

/// Verifies that a table can have this name: it is neither blank nor that of a branch or a system table.
pub(super) fn check_table_name(object: &str) -> Done<()> {
    if object.trim().is_empty() || object.contains('$') {
        return Err(Failure::bad_request(format!(
            "'{object}' is no name of a table"
        )));
    }
    Ok(())
}

/// The table that an object name means: the main branch may be named.
pub(super) fn base_table(object: &str) -> &str {
    object.strip_suffix(MAIN_BRANCH).unwrap_or(object)
}

pub(super) fn location_of(directory: &Path) -> String {
    format!("file://{}", directory.display())
}

/// The local directory of a location; none when it lies elsewhere.
pub(super) fn directory_of(location: &str) -> Option<PathBuf> {
    let path = location
        .strip_prefix("file://")
        .or_else(|| location.strip_prefix("file:"))
        .unwrap_or(location);
    path.starts_with('/').then(|| PathBuf::from(path))
}

pub(super) fn remove_tree(directory: &Path) -> Done<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

pub(super) fn now_millis() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}

/// A name as one directory below another: names of catalogs may have any character.
fn safe_name(name: &str) -> Done<String> {
    Ok(match name {
        "." | ".." => name.replace('.', "%2E"),
        _ => escape(name)?,
    })
}
