//! The documents of the protocol.
//!
//! Unknown members are ignored everywhere, and null is the same as absent unless a type says otherwise.

/// Defines a page by the member that holds the items.
macro_rules! page {
    ($(#[$meta:meta])* $name:ident { $member:ident: $item:ty }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            #[serde(default, deserialize_with = "crate::rest::models::null_default")]
            $member: Vec<$item>,
            next_page_token: Option<String>,
        }

        impl crate::rest::models::PageAnswer for $name {
            type Item = $item;

            fn into_parts(self) -> (Vec<$item>, Option<String>) {
                let token = self.next_page_token.filter(|token| !token.is_empty());
                (self.$member, token)
            }
        }
    };
}
mod changes;
mod partitions;
mod predicate;
mod tables;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use ftable_core::{Identifier, Options};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

pub use changes::{ColumnMove, ColumnPlace, SchemaChange};
pub(super) use partitions::{
    CreatePartitions, CreatedAnswer, DropPartitions, DroppedAnswer, ListByFilter, PartitionAnswer,
    PartitionPage, Spec, SpecList,
};
pub(super) use predicate::server_filter;
pub(super) use tables::{CreateTable, RenameTable, TableAnswer, TableDetailsPage};

/// The text of a member that is a scalar.
pub(super) fn text_member(object: &Value, member: &str) -> Option<String> {
    object.get(member).and_then(text)
}

/// The text of a JSON scalar; null, lists and objects have none.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What is wrong with a document, without any of its values.
pub(super) fn describe(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let place = format!("line {} column {}", error.line(), error.column());
    let message = error.to_string();
    match error.classify() {
        Category::Eof => format!("it is cut off at {place}"),
        // The only message that names a member and quotes nothing.
        Category::Data if message.starts_with("missing field") => message,
        Category::Data => format!("a member has another JSON type than it should have, at {place}"),
        Category::Syntax | Category::Io => format!("it is no JSON, at {place}"),
    }
}

/// The default of a type where the document has null.
fn null_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// One page of a listing.
pub(super) trait PageAnswer {
    /// What is listed.
    type Item;

    /// The items and the token of the next page; an empty token is none.
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>);
}

page! {
    /// Names of databases.
    DatabasePage { databases: String }
}
page! {
    /// Names of the tables of one database.
    TablePage { tables: String }
}
page! {
    /// Tables of all databases.
    AllTablesPage { tables: Identifier }
}

/// What the server says about its catalog.
///
/// A value of null is kept: it takes an option away.
#[derive(Deserialize)]
pub(super) struct ConfigAnswer {
    #[serde(default, deserialize_with = "null_default")]
    defaults: Map<String, Value>,
    #[serde(default, deserialize_with = "null_default")]
    overrides: Map<String, Value>,
}

impl ConfigAnswer {
    /// The defaults of the server, over them the options of the client, over those the overrides of the server;
    /// what is null then is taken away.
    pub(super) fn merge(&self, client: &Options) -> Options {
        let of_server = |members: &Map<String, Value>| -> Vec<(String, Option<String>)> {
            members
                .iter()
                .map(|(key, value)| (key.clone(), text(value)))
                .collect()
        };
        let mut merged: BTreeMap<String, Option<String>> =
            of_server(&self.defaults).into_iter().collect();
        merged.extend(
            client
                .iter()
                .map(|(key, value)| (key.clone(), Some(value.clone()))),
        );
        merged.extend(of_server(&self.overrides));
        merged
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }
}

/// A database.
#[derive(Debug, Deserialize)]
pub(super) struct DatabaseAnswer {
    pub(super) location: Option<String>,
    #[serde(default, deserialize_with = "null_default")]
    pub(super) options: Options,
}

/// A database to be created.
#[derive(Serialize)]
pub(super) struct CreateDatabase<'a> {
    pub(super) name: &'a str,
    pub(super) options: &'a Options,
}

/// Changes of a database's options.
#[derive(Serialize)]
pub(super) struct AlterDatabase<'a> {
    pub(super) removals: &'a [String],
    pub(super) updates: &'a Options,
}

/// Credentials for the files of one table.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenAnswer {
    /// Options of the store; keys without a value are left out.
    #[serde(default, deserialize_with = "null_default")]
    pub(super) token: Options,
    expires_at_millis: Option<i64>,
    expires_at: Option<i64>,
}

impl TokenAnswer {
    /// When they expire, in milliseconds since the epoch. Servers say it under two names.
    pub(super) fn expires_at_millis(&self) -> Option<i64> {
        self.expires_at_millis.or(self.expires_at)
    }
}

impl fmt::Debug for TokenAnswer {
    /// All values are credentials, whatever their keys are called.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenAnswer")
            .field("expires_at_millis", &self.expires_at_millis())
            .finish_non_exhaustive()
    }
}
