//! Calls about databases, and the config call.

use std::fs;

use serde_json::{Map, Value, json};

use super::answer::{Answer, Done, Failure};
use super::call::{Call, member, only, required_text, text_map, texts};
use super::listing::{NamePattern, Order, PageRequest};
use super::state::{Audit, Database, State, location_of, remove_tree};

pub(super) fn config(state: &mut State, call: &Call) -> Done {
    let options = &state.options;
    if let Some(known) = &options.warehouse {
        let asked = call.asked("warehouse");
        if asked != Some(known) {
            let message = format!("warehouse '{}' does not exist", asked.unwrap_or_default());
            return Err(Failure::new(404, message));
        }
    }
    let object = |pairs: &[(String, Option<String>)]| -> Map<String, Value> {
        pairs
            .iter()
            .map(|(key, value)| (key.clone(), json!(value)))
            .collect()
    };
    let mut defaults = object(&options.defaults);
    if let Some(prefix) = &options.prefix {
        defaults.insert("prefix".to_owned(), json!(prefix));
    }
    let body = json!({"defaults": defaults, "overrides": object(&options.overrides)});
    Ok(Answer::json(200, &body))
}

pub(super) fn list(state: &mut State, call: &Call) -> Done {
    let page = PageRequest::from_query(&call.query, state.options.page_size)?;
    let pattern = NamePattern::parse(call.asked("databaseNamePattern"))?;
    let names = state.databases.keys().filter(|name| pattern.fits(name));
    let keyed = names.map(|name| (name.clone(), name.clone()));
    let (databases, token) = page.of(keyed, Order::Ascending);
    let body = json!({"databases": databases, "nextPageToken": token});
    Ok(Answer::json(200, &body))
}

pub(super) fn create(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["name", "options"])?;
    let name = required_text(&call.body, "name")?;
    if name.trim().is_empty() {
        return Err(Failure::bad_request("the name of a database is blank"));
    }
    let options = member(&call.body, "options").map(|value| text_map(value, "options"));
    let options = options.transpose()?.unwrap_or_default();
    if state.databases.contains_key(&name) {
        return Err(Failure::database_exists(&name));
    }
    fs::create_dir_all(state.database_directory(&name)?)?;
    let database = Database {
        id: state.next_id(),
        options,
        tables: Default::default(),
        audit: Audit::now(),
    };
    state.databases.insert(name, database);
    Ok(Answer::empty(200))
}

pub(super) fn get(state: &mut State, call: &Call) -> Done {
    let name = call.database();
    let database = state.database(name)?;
    let location = location_of(&state.database_directory(name)?);
    Ok(Answer::json(200, &database.to_json(name, &location)))
}

pub(super) fn alter(state: &mut State, call: &Call) -> Done {
    only(&call.body, &["removals", "updates"])?;
    let removals = texts(&call.body, "removals")?;
    let updates = member(&call.body, "updates").map(|value| text_map(value, "updates"));
    let updates = updates.transpose()?.unwrap_or_default();
    let database = state.database_mut(call.database())?;
    let options = &mut database.options;
    let (removed, missing): (Vec<String>, Vec<String>) = removals
        .into_iter()
        .partition(|key| options.remove(key).is_some());
    let updated: Vec<String> = updates.keys().cloned().collect();
    options.extend(updates);
    database.audit.touch();
    let body = json!({"removed": removed, "updated": updated, "missing": missing});
    Ok(Answer::json(200, &body))
}

/// Removes a database with everything in it: clients that mean "only if it is empty" look before.
pub(super) fn drop(state: &mut State, call: &Call) -> Done {
    let name = call.database();
    let directory = state.database_directory(name)?;
    let database = state.databases.remove(name);
    let database = database.ok_or_else(|| Failure::no_database(name))?;
    for table in database.tables.values() {
        table.remove_data()?;
    }
    remove_tree(&directory)?;
    Ok(Answer::empty(200))
}
