//! Databases.

use ftable_core::{ErrorKind, Options};
use ftable_io::Location;
use snafu::ResultExt;

use super::RestCatalog;
use super::http::Request;
use super::models::{AlterDatabase, CreateDatabase, DatabaseAnswer, DatabasePage};
use super::paging::{Drain, Page};
use super::refusal::{Subject, explain, has_code};
use crate::Result;
use crate::catalog::{Database, SYSTEM_DATABASE};
use crate::error::{DatabaseNotEmptySnafu, StorageSnafu};
use crate::rules::refuse_system_database;

/// The option of a database that is its description, as in Paimon.
const COMMENT: &str = "comment";

impl RestCatalog {
    /// One page of the names of databases, in the order of the server.
    ///
    /// Without `max_results`, or with 0, the server decides how many. `name_pattern` is a beginning of names
    /// and `%`; a server may answer more than what matches.
    ///
    /// # Errors
    /// When the server refuses or its answer makes no sense.
    pub async fn list_databases_page(
        &self,
        max_results: Option<u32>,
        page_token: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Page<String>> {
        let request = Request::get("ListDatabases", self.client.paths().databases())
            .paged(max_results, page_token)
            .query("databaseNamePattern", name_pattern.map(str::to_owned));
        let answer: DatabasePage = self.client.http().ask(&request).await?;
        Ok(Page::of(answer))
    }

    pub(super) async fn databases(&self) -> Result<Vec<String>> {
        let mut pages = Drain::new("listing the databases");
        while let Some(token) = pages.ask() {
            let page = self.list_databases_page(None, token.as_deref(), None).await;
            pages.add(page?)?;
        }
        Ok(sorted(pages.into_items()))
    }

    async fn database_answer(&self, name: &str) -> Result<DatabaseAnswer> {
        let request = Request::get("GetDatabase", self.client.paths().database(name)?);
        let answer = self.client.http().ask(&request).await;
        answer.map_err(explain(Subject::Database(name)))
    }

    pub(super) async fn database(&self, name: &str) -> Result<Database> {
        if name == SYSTEM_DATABASE {
            return Ok(Database {
                name: name.to_owned(),
                location: None,
                properties: Options::default(),
                comment: None,
            });
        }
        let answer = self.database_answer(name).await?;
        let location = answer
            .location
            .filter(|location| !location.trim().is_empty());
        let location = match location {
            Some(text) => Some(text.parse::<Location>().context(StorageSnafu {
                action: "understand the location of a database",
                path: text,
            })?),
            None => None,
        };
        Ok(Database {
            name: name.to_owned(),
            location,
            comment: answer.options.get_raw(COMMENT).map(str::to_owned),
            properties: answer.options,
        })
    }

    pub(super) async fn make_database(
        &self,
        name: &str,
        properties: &Options,
        ignore_if_exists: bool,
    ) -> Result<()> {
        refuse_system_database(name, "create")?;
        // Names that no request can be about are not created.
        self.client.paths().database(name)?;
        let body = CreateDatabase {
            name,
            options: properties,
        };
        let request = Request::post("CreateDatabase", self.client.paths().databases(), &body);
        let sent = self.client.http().send(&request).await;
        let retried = sent.retried();
        match sent.result {
            Ok(_) => Ok(()),
            Err(error) if has_code(&error, 409) => {
                let is_ours = ignore_if_exists || (retried && self.is_made(name, properties).await);
                if is_ours {
                    return Ok(());
                }
                Err(explain(Subject::Database(name))(error))
            }
            Err(error) => Err(explain(Subject::Database(name))(error)),
        }
    }

    /// Whether the database is there as it was to be made: then an earlier attempt made it.
    async fn is_made(&self, name: &str, properties: &Options) -> bool {
        let answer = self.database_answer(name).await;
        answer.is_ok_and(|found| {
            properties
                .iter()
                .all(|(key, value)| found.options.get_raw(key) == Some(value))
        })
    }

    pub(super) async fn change_database(
        &self,
        name: &str,
        set: &Options,
        remove: &[String],
    ) -> Result<()> {
        refuse_system_database(name, "alter")?;
        if set.is_empty() && remove.is_empty() {
            return Ok(());
        }
        let body = AlterDatabase {
            removals: remove,
            updates: set,
        };
        let path = self.client.paths().database(name)?;
        let request = Request::post("AlterDatabase", path, &body);
        // Some servers answer with what they changed and others with nothing.
        let sent = self.client.http().send(&request).await;
        sent.result.map_err(explain(Subject::Database(name)))?;
        Ok(())
    }

    pub(super) async fn remove_database(
        &self,
        name: &str,
        ignore_if_not_exists: bool,
        cascade: bool,
    ) -> Result<()> {
        refuse_system_database(name, "drop")?;
        let is_missing = |error: &crate::Error| error.kind() == ErrorKind::NotFound;
        if !cascade {
            // The protocol has no such flag: the server drops all there is. What is made between these two
            // requests is lost.
            match self.tables(name).await {
                Ok(tables) => {
                    if let Some(child) = tables.first() {
                        return DatabaseNotEmptySnafu {
                            database: name,
                            child,
                        }
                        .fail();
                    }
                }
                Err(error) if ignore_if_not_exists && is_missing(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        let request = Request::delete("DropDatabase", self.client.paths().database(name)?);
        let sent = self.client.http().send(&request).await;
        let retried = sent.retried();
        match sent.result {
            Ok(_) => Ok(()),
            Err(error) if has_code(&error, 404) && (ignore_if_not_exists || retried) => Ok(()),
            Err(error) => Err(explain(Subject::Database(name))(error)),
        }
    }
}

/// Names in order, each once.
pub(super) fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}
