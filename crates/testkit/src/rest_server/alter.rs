//! Changes of a schema, by the rules of Java Paimon for a table without snapshots.

use ftable_core::schema::default_value;
use ftable_core::types::{assign_new_field_ids, highest_field_id};
use ftable_core::{DataField, DataType};
use serde_json::Value;

use super::answer::{Done, Failure};
use super::call::{flag, member, required, required_text, text, texts};
use super::cast::can_cast;
use super::columns::{edit_column, edit_siblings, edit_type, position};
use super::state::StoredSchema;

/// Option that puts added columns before the first partition column.
const BEFORE_PARTITION: &str = "add-column-before-partition";
/// Option that keeps nullable columns nullable; on by default.
const KEEP_NULLABLE: &str = "alter-column-null-to-not-null.disabled";
/// Option that allows only type changes that lose nothing.
const NO_EXPLICIT_CAST: &str = "disable-explicit-type-casting";

/// The schema after all changes, in their order.
pub(super) fn alter_schema(schema: &StoredSchema, changes: &[Value]) -> Done<StoredSchema> {
    let mut altered = schema.clone();
    for change in changes {
        apply(&mut altered, change)?;
    }
    Ok(altered)
}

fn apply(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    match required_text(change, "action")?.as_str() {
        "setOption" => set_option(schema, change),
        "removeOption" => remove_option(schema, change),
        "updateComment" => {
            schema.comment = text(change, "comment")?;
            Ok(())
        }
        "dropPrimaryKey" => {
            schema.primary_keys.clear();
            Ok(())
        }
        "addColumn" => add_column(schema, change),
        "renameColumn" => rename_column(schema, change),
        "dropColumn" => drop_column(schema, change),
        "updateColumnType" => update_type(schema, change),
        "updateColumnNullability" => update_nullability(schema, change),
        "updateColumnComment" => {
            let comment = text(change, "newComment")?;
            edit_column(&mut schema.fields, &path(change)?, &mut |field| {
                field.description.clone_from(&comment);
                Ok(())
            })
        }
        "updateColumnDefaultValue" => update_default(schema, change),
        "updateColumnPosition" => update_position(schema, change),
        unknown => Err(Failure::bad_request(format!("unknown change '{unknown}'"))),
    }
}

fn set_option(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let (key, value) = (
        required_text(change, "key")?,
        required_text(change, "value")?,
    );
    if key == "type" {
        let old = schema.options.get("type").map_or("table", String::as_str);
        if old.eq_ignore_ascii_case(&value) {
            return Ok(());
        }
        return Err(Failure::unsupported("Change 'type' is not supported yet"));
    }
    schema.options.insert(key, value);
    Ok(())
}

fn remove_option(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let key = required_text(change, "key")?;
    if key == "type" {
        return Err(Failure::unsupported("Change 'type' is not supported yet"));
    }
    schema.options.remove(&key);
    Ok(())
}

fn add_column(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let path = path(change)?;
    let data_type = data_type(change, "dataType")?;
    let description = text(change, "comment")?;
    if !data_type.is_nullable() {
        let message = format!("column {} cannot specify NOT NULL", path.join("."));
        return Err(Failure::bad_request(message));
    }
    let mut added = DataField::new(0, path.last().cloned().unwrap_or_default(), data_type);
    added.description = description;
    let highest = schema
        .highest_field_id
        .max(highest_field_id(&schema.fields));
    schema.highest_field_id = assign_new_field_ids(&mut added, highest)?;
    let is_nested = path.len() > 1;
    let before_partition = is_true(schema, BEFORE_PARTITION, false) && !is_nested;
    let keys = schema.partition_keys.clone();
    edit_siblings(&mut schema.fields, &path, &mut |fields, name| {
        if fields.iter().any(|field| field.name == name) {
            return Err(Failure::column_exists(&path.join(".")));
        }
        let first_key = || {
            let first = fields.iter().position(|field| keys.contains(&field.name));
            first.filter(|_| before_partition)
        };
        let place = match member(change, "move") {
            Some(moved) => position(fields, moved)?,
            None => first_key().unwrap_or(fields.len()),
        };
        fields.insert(place, added.clone());
        Ok(())
    })
}

fn rename_column(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let path = path(change)?;
    let new_name = required_text(change, "newName")?;
    refuse_key(schema, &path, "rename")?;
    edit_siblings(&mut schema.fields, &path, &mut |fields, name| {
        if fields.iter().any(|field| field.name == new_name) {
            return Err(Failure::column_exists(&new_name));
        }
        let found = fields.iter_mut().find(|field| field.name == name);
        found
            .map(|field| field.name.clone_from(&new_name))
            .ok_or_else(|| Failure::no_column(&path.join(".")))
    })
}

fn drop_column(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let path = path(change)?;
    refuse_key(schema, &path, "drop")?;
    edit_siblings(&mut schema.fields, &path, &mut |fields, name| {
        let place = fields.iter().position(|field| field.name == name);
        let place = place.ok_or_else(|| Failure::no_column(&path.join(".")))?;
        fields.remove(place);
        if fields.is_empty() {
            return Err(Failure::bad_request("cannot drop all columns"));
        }
        Ok(())
    })
}

fn update_type(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let path = path(change)?;
    let wanted = data_type(change, "newDataType")?;
    let keep = flag(change, "keepNullability")?.unwrap_or_default();
    refuse_key(schema, &path, "update the type of")?;
    let explicit = !is_true(schema, NO_EXPLICIT_CAST, false);
    let guard = is_true(schema, KEEP_NULLABLE, true);
    edit_type(&mut schema.fields, &path, &mut |old| {
        let new = match keep {
            true => wanted.clone().with_nullable(old.is_nullable()),
            false => wanted.clone(),
        };
        check_nullability(old, &new, guard, &path)?;
        if !can_cast(old, &new, explicit) {
            let name = path.join(".");
            let message = format!("column {name} of type {old} cannot become {new}");
            return Err(Failure::illegal_state(message));
        }
        Ok(new)
    })?;
    check_defaults(schema)
}

fn update_nullability(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let path = path(change)?;
    let nullable = flag(change, "newNullability")?;
    let nullable =
        nullable.ok_or_else(|| Failure::bad_request("the member 'newNullability' is missing"))?;
    let guard = is_true(schema, KEEP_NULLABLE, true);
    edit_type(&mut schema.fields, &path, &mut |old| {
        let new = old.clone().with_nullable(nullable);
        check_nullability(old, &new, guard, &path)?;
        Ok(new)
    })
}

fn update_default(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let default = text(change, "newDefaultValue")?;
    edit_column(&mut schema.fields, &path(change)?, &mut |field| {
        field.default_value.clone_from(&default);
        Ok(())
    })?;
    check_defaults(schema)
}

fn update_position(schema: &mut StoredSchema, change: &Value) -> Done<()> {
    let moved = required(change, "move")?;
    let name = required_text(moved, "fieldName")?;
    if text(moved, "referenceFieldName")?.as_deref() == Some(&name) {
        let message = format!("cannot move column {name} to itself");
        return Err(Failure::unsupported(message));
    }
    let fields = &mut schema.fields;
    let place = fields.iter().position(|field| field.name == name);
    let field = fields.remove(place.ok_or_else(|| Failure::no_column(&name))?);
    let place = position(fields, moved)?;
    fields.insert(place, field);
    Ok(())
}

/// The names that lead to a column, its own last.
fn path(change: &Value) -> Done<Vec<String>> {
    let path = texts(change, "fieldNames")?;
    match path.is_empty() {
        true => Err(Failure::bad_request("the change names no column")),
        false => Ok(path),
    }
}

fn data_type(change: &Value, name: &str) -> Done<DataType> {
    let refuse = |error: serde_json::Error| Failure::bad_request(error.to_string());
    serde_json::from_value(required(change, name)?.clone()).map_err(refuse)
}

fn is_true(schema: &StoredSchema, key: &str, default: bool) -> bool {
    let value = schema.options.get(key);
    value.map_or(default, |value| value.eq_ignore_ascii_case("true"))
}

/// Partition columns are in the names of directories: they stay as they are.
fn refuse_key(schema: &StoredSchema, path: &[String], verb: &str) -> Done<()> {
    match path {
        [name] if schema.partition_keys.contains(name) => {
            let message = format!("cannot {verb} partition column {name}");
            Err(Failure::unsupported(message))
        }
        _ => Ok(()),
    }
}

fn check_nullability(old: &DataType, new: &DataType, guard: bool, path: &[String]) -> Done<()> {
    if guard && old.is_nullable() && !new.is_nullable() {
        let name = path.join(".");
        let message = format!(
            "cannot make nullable column {name} NOT NULL unless option '{KEEP_NULLABLE}' is 'false'"
        );
        return Err(Failure::unsupported(message));
    }
    Ok(())
}

fn check_defaults(schema: &StoredSchema) -> Done<()> {
    for field in &schema.fields {
        default_value(field)?;
    }
    Ok(())
}
