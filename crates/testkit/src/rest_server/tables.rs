//! Calls about tables.

use std::fs;
use std::path::Path;

use ftable_core::TableSchema;
use serde_json::{Value, json};

use super::alter::alter_schema;
use super::answer::{Answer, Done, Failure};
use super::call::{Call, only, required, required_list, required_text};
use super::listing::{NamePattern, Order, PageRequest};
use super::state::{
    Audit, State, StoredSchema, Table, base_table, check_table_name, directory_of, identifier,
    now_millis,
};

pub(super) fn list(state: &mut State, call: &Call) -> Done {
    let (names, token) = page(state, call, |name, _| json!(name))?;
    let body = json!({"tables": names, "nextPageToken": token});
    Ok(Answer::json(200, &body))
}

pub(super) fn list_details(state: &mut State, call: &Call) -> Done {
    let (tables, token) = page(state, call, |name, table| {
        table.to_json(call.database(), name)
    })?;
    let body = json!({"tableDetails": tables, "nextPageToken": token});
    Ok(Answer::json(200, &body))
}

/// One page of the tables of a database.
fn page<T>(
    state: &State,
    call: &Call,
    show: impl Fn(&str, &Table) -> T,
) -> Done<(Vec<T>, Option<String>)> {
    let page = PageRequest::from_query(&call.query, state.options.page_size)?;
    let pattern = NamePattern::parse(call.asked("tableNamePattern"))?;
    let kind = call.asked("tableType");
    let tables = state.database(call.database())?.tables.iter();
    let shown = tables
        .filter(|(name, _)| pattern.fits(name))
        .filter(|(_, table)| kind.is_none_or(|kind| kind.eq_ignore_ascii_case(table.kind())))
        .map(|(name, table)| (name.clone(), show(name, table)));
    Ok(page.of(shown, Order::Ascending))
}

pub(super) fn list_globally(state: &mut State, call: &Call) -> Done {
    let page = PageRequest::from_query(&call.query, state.options.page_size)?;
    let databases = NamePattern::parse(call.asked("databaseNamePattern"))?;
    let tables = NamePattern::parse(call.asked("tableNamePattern"))?;
    let fitting = state.databases.iter();
    let fitting = fitting.filter(|(name, _)| databases.fits(name));
    let identifiers = fitting.flat_map(|(database, content)| {
        let names = content.tables.keys().filter(|name| tables.fits(name));
        names.map(move |name| {
            let identifier = json!({"database": database, "object": name});
            (format!("{database}.{name}"), identifier)
        })
    });
    let (tables, token) = page.of(identifiers, Order::Ascending);
    let body = json!({"tables": tables, "nextPageToken": token});
    Ok(Answer::json(200, &body))
}

/// Makes a table: external where its options name a `path`, else in an empty directory of its own.
pub(super) fn create(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["identifier", "schema"])?;
    let name = new_name(state, call)?;
    let schema = StoredSchema::from_json(required(&call.body, "schema")?)?;
    let path = schema.options.get("path").cloned();
    let external = path.is_some();
    let location = match path {
        Some(path) => path,
        None => state.make_directory(call.database(), &name)?,
    };
    insert(state, call.database(), name, schema, location, external, 0)
}

/// Takes over a table that lies somewhere already, with the newest of the schema files under it. Its data
/// stays when it is dropped.
pub(super) fn register(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["identifier", "path"])?;
    let name = new_name(state, call)?;
    let location = required_text(&call.body, "path")?;
    let refuse = || Failure::bad_request(format!("no table lies at '{location}'"));
    let directory = directory_of(&location).ok_or_else(refuse)?;
    let found = newest_schema(&directory)?.ok_or_else(refuse)?;
    let schema = StoredSchema {
        fields: found.fields,
        highest_field_id: found.highest_field_id,
        partition_keys: found.partition_keys,
        primary_keys: found.primary_keys,
        options: found
            .options
            .iter()
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
        comment: found.comment,
    };
    insert(
        state,
        call.database(),
        name,
        schema,
        location,
        true,
        found.id,
    )
}

/// The name in the body of a request for a new table, if the database can have it.
fn new_name(state: &State, call: &Call) -> Done<String> {
    let (database, name) = identifier(&call.body, "identifier")?;
    if database != call.database() {
        let message = format!(
            "the body names database '{database}', the path '{}'",
            call.database()
        );
        return Err(Failure::bad_request(message));
    }
    check_table_name(&name)?;
    if state.database(&database)?.tables.contains_key(&name) {
        return Err(Failure::table_exists(&database, &name));
    }
    Ok(name)
}

fn insert(
    state: &mut State,
    database: &str,
    name: String,
    schema: StoredSchema,
    location: String,
    external: bool,
    schema_id: i64,
) -> Done {
    let table = Table {
        id: state.next_id(),
        location,
        external,
        schema_id,
        schema,
        partitions: Default::default(),
        audit: Audit::now(),
    };
    state.database_mut(database)?.tables.insert(name, table);
    Ok(Answer::empty(200))
}

/// The schema file with the highest number under a table's directory.
fn newest_schema(directory: &Path) -> Done<Option<TableSchema>> {
    let Ok(entries) = fs::read_dir(directory.join("schema")) else {
        return Ok(None);
    };
    let numbered = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let number = path.file_name()?.to_str()?.strip_prefix("schema-")?;
        Some((number.parse::<i64>().ok()?, path))
    });
    let Some((_, path)) = numbered.max() else {
        return Ok(None);
    };
    Ok(Some(TableSchema::from_json(&fs::read_to_string(path)?)?))
}

pub(super) fn get(state: &mut State, call: &Call) -> Done {
    let table = state.table(call.database(), call.table())?;
    let name = base_table(call.table());
    Ok(Answer::json(200, &table.to_json(call.database(), name)))
}

pub(super) fn get_by_id(state: &mut State, call: &Call) -> Done {
    let id = call.parameter("id");
    for (database, content) in &state.databases {
        for (name, table) in &content.tables {
            if table.id == id {
                return Ok(Answer::json(200, &table.to_json(database, name)));
            }
        }
    }
    Err(Failure::no_table("id", id))
}

/// Changes the schema: all changes or none. No changes are a new version of the schema too, as in Java.
pub(super) fn alter(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["changes"])?;
    let changes = required_list(&call.body, "changes")?;
    let table = state.table_mut(call.database(), call.table())?;
    table.schema = alter_schema(&table.schema, changes)?;
    table.schema_id += 1;
    table.audit.touch();
    Ok(Answer::empty(200))
}

/// Gives a table another name. Its location, id and partitions stay.
pub(super) fn rename(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["source", "destination"])?;
    let (from_database, from) = identifier(&call.body, "source")?;
    let (to_database, to) = identifier(&call.body, "destination")?;
    check_table_name(&to)?;
    state.table(&from_database, &from)?;
    if state.database(&to_database)?.tables.contains_key(&to) {
        return Err(Failure::table_exists(&to_database, &to));
    }
    let tables = &mut state.database_mut(&from_database)?.tables;
    if let Some(mut table) = tables.remove(base_table(&from)) {
        table.audit.touch();
        state.database_mut(&to_database)?.tables.insert(to, table);
    }
    Ok(Answer::empty(200))
}

pub(super) fn drop(state: &mut State, call: &Call) -> Done {
    let (database, name) = (call.database(), call.table());
    let tables = &mut state.database_mut(database)?.tables;
    let table = tables.remove(name);
    let table = table.ok_or_else(|| Failure::no_table(database, name))?;
    table.remove_data()?;
    Ok(Answer::empty(200))
}

/// Hands out storage options for the files of an internal table, other ones each time.
pub(super) fn token(state: &mut State, call: &Call) -> Done {
    if state.table(call.database(), call.table())?.external {
        let message = format!(
            "table '{}' is external: no token is made for it",
            call.table()
        );
        return Err(Failure::bad_request(message));
    }
    state.tokens += 1;
    let number = state.tokens;
    let token: serde_json::Map<_, _> = match &state.options.token_maker {
        Some(maker) => text_members(maker.make(number)),
        None => {
            let mut token = text_members(state.options.data_token.clone());
            let numbered = format!("vended-token-{number}");
            token.insert("fs.oss.securityToken".to_owned(), json!(numbered));
            token
        }
    };
    let lifetime = state.options.data_token_lifetime.as_millis();
    let expires = now_millis().saturating_add(i64::try_from(lifetime).unwrap_or(i64::MAX));
    let body = json!({"token": token, "expiresAtMillis": expires});
    Ok(Answer::json(200, &body))
}

fn text_members(pairs: Vec<(String, String)>) -> serde_json::Map<String, Value> {
    let members = pairs.into_iter().map(|(key, value)| (key, json!(value)));
    members.collect()
}

/// What format tables do not have: another schema in one step, rules about rows and columns.
pub(super) fn refuse(state: &mut State, call: &Call) -> Done {
    let table = state.table(call.database(), call.table())?;
    let message = format!("a table of type '{}' cannot do this", table.kind());
    Err(Failure::unsupported(message))
}
