//! Tables.

mod create;
mod load;

use ftable_core::{ErrorKind, Identifier, TableSchema};
use ftable_io::Location;
use snafu::ResultExt;

use super::RestCatalog;
use super::databases::sorted;
use super::http::Request;
use super::models::{AllTablesPage, RenameTable, TableAnswer, TableDetailsPage, TablePage};
use super::paging::{Drain, Page};
use super::refusal::{Subject, explain, has_code, lacks_endpoint};
use crate::Result;
use crate::catalog::{SYSTEM_DATABASE, TableDetails, check_plain, check_readable, matches_pattern};
use crate::error::{
    AnswerSnafu, CoreSnafu, InvalidLocationSnafu, InvalidNameSnafu, StorageSnafu,
    TableNotFoundSnafu,
};
use crate::rules::{absolute_text, refuse_system_database};

impl RestCatalog {
    /// One page of the names of a database's tables, in the order of the server.
    ///
    /// Without `max_results`, or with 0, the server decides how many. `name_pattern` is a beginning of names
    /// and `%`; a server may answer more than what matches.
    ///
    /// # Errors
    /// `NotFound` when there is no such database, and when the answer makes no sense.
    pub async fn list_tables_page(
        &self,
        database: &str,
        max_results: Option<u32>,
        page_token: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Page<String>> {
        let request = Request::get("ListTables", self.client.paths().tables(database)?)
            .paged(max_results, page_token)
            .query("tableNamePattern", name_pattern.map(str::to_owned));
        let answer = self.client.http().ask::<TablePage>(&request).await;
        answer
            .map(Page::of)
            .map_err(explain(Subject::Database(database)))
    }

    /// One page of a database's tables with location and schema; as
    /// [`list_tables_page`](Self::list_tables_page).
    ///
    /// # Errors
    /// As there, `Unsupported` where the server has no such listing, and for a schema that cannot be read.
    pub async fn list_table_details_page(
        &self,
        database: &str,
        max_results: Option<u32>,
        page_token: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Page<TableDetails>> {
        let page = self
            .details_page(database, max_results, page_token, name_pattern)
            .await;
        page.map_err(explain(Subject::Database(database)))?
            .try_map(|table| detail(database, &table))
    }

    /// One page of the tables of all databases. The patterns are as in
    /// [`list_tables_page`](Self::list_tables_page).
    ///
    /// # Errors
    /// When the server refuses or its answer makes no sense.
    pub async fn list_all_tables_page(
        &self,
        max_results: Option<u32>,
        page_token: Option<&str>,
        database_pattern: Option<&str>,
        table_pattern: Option<&str>,
    ) -> Result<Page<Identifier>> {
        let request = Request::get("", self.client.paths().all_tables())
            .query("databaseNamePattern", database_pattern.map(str::to_owned))
            .query("tableNamePattern", table_pattern.map(str::to_owned))
            .paged(max_results, page_token);
        let answer: AllTablesPage = self.client.http().ask(&request).await?;
        Ok(Page::of(answer))
    }

    pub(super) async fn tables(&self, database: &str) -> Result<Vec<String>> {
        if database == SYSTEM_DATABASE {
            return Ok(Vec::new());
        }
        let mut pages = Drain::new(format!("listing the tables of database '{database}'"));
        while let Some(token) = pages.ask() {
            let token = token.as_deref();
            pages.add(self.list_tables_page(database, None, token, None).await?)?;
        }
        Ok(sorted(pages.into_items()))
    }

    /// The page as the server gives it; its refusals as they are.
    async fn details_page(
        &self,
        database: &str,
        max_results: Option<u32>,
        page_token: Option<&str>,
        name_pattern: Option<&str>,
    ) -> Result<Page<TableAnswer>> {
        let path = self.client.paths().table_details(database)?;
        let request = Request::get("ListTableDetails", path)
            .paged(max_results, page_token)
            .query("tableNamePattern", name_pattern.map(str::to_owned));
        let answer: TableDetailsPage = self.client.http().ask(&request).await?;
        Ok(Page::of(answer))
    }

    pub(super) async fn details(
        &self,
        database: &str,
        name_pattern: Option<&str>,
    ) -> Result<Vec<TableDetails>> {
        if database == SYSTEM_DATABASE {
            return Ok(Vec::new());
        }
        // Servers differ in what else a pattern may hold, so they are told beginnings only.
        let hint = name_pattern.filter(|pattern| is_prefix_pattern(pattern));
        let mut pages = Drain::new(format!("listing the tables of database '{database}'"));
        while let Some(token) = pages.ask() {
            match self
                .details_page(database, None, token.as_deref(), hint)
                .await
            {
                Ok(page) => pages.add(page)?,
                Err(error) if lacks_endpoint(&error) => {
                    return self.details_one_by_one(database, name_pattern).await;
                }
                Err(error) => return Err(explain(Subject::Database(database))(error)),
            }
        }
        let mut details = Vec::new();
        for table in pages.into_items() {
            let table = detail(database, &table)?;
            let name = table.identifier.object();
            if name_pattern.is_none_or(|pattern| matches_pattern(pattern, name)) {
                details.push(table);
            }
        }
        details.sort_by(|a, b| a.identifier.cmp(&b.identifier));
        Ok(details)
    }

    /// The same of a server that has no such listing: the names, then each table.
    async fn details_one_by_one(
        &self,
        database: &str,
        name_pattern: Option<&str>,
    ) -> Result<Vec<TableDetails>> {
        let mut details = Vec::new();
        for name in self.tables(database).await? {
            if name_pattern.is_some_and(|pattern| !matches_pattern(pattern, &name)) {
                continue;
            }
            let identifier = table_identifier(database, &name)?;
            match self.table_answer(&identifier).await {
                Ok(answer) => details.push(TableDetails {
                    location: location(&identifier, &answer)?,
                    schema: schema(&identifier, &answer)?,
                    identifier,
                }),
                // Dropped since it was listed.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(details)
    }

    /// What the server says about a table; the main branch is the table itself.
    pub(super) async fn table_answer(&self, identifier: &Identifier) -> Result<TableAnswer> {
        check_readable(identifier)?;
        let table = || identifier.to_string();
        if identifier.database() == SYSTEM_DATABASE {
            return TableNotFoundSnafu { table: table() }.fail();
        }
        let path = self.client.paths().table(&plain(identifier)?)?;
        let request = Request::get("GetTable", path);
        let answer = self.client.http().ask(&request).await;
        answer.map_err(explain(Subject::Table(identifier)))
    }

    pub(super) async fn schema(&self, identifier: &Identifier) -> Result<TableSchema> {
        schema(identifier, &self.table_answer(identifier).await?)
    }

    pub(super) async fn location(&self, identifier: &Identifier) -> Result<Location> {
        location(identifier, &self.table_answer(identifier).await?)
    }

    pub(super) async fn remove_table(
        &self,
        identifier: &Identifier,
        ignore_if_not_exists: bool,
    ) -> Result<()> {
        check_plain(identifier, "dropping table")?;
        refuse_system_database(identifier.database(), "drop a table in")?;
        let request = Request::delete("DropTable", self.client.paths().table(identifier)?);
        let sent = self.client.http().send(&request).await;
        let retried = sent.retried();
        match sent.result {
            Ok(_) => Ok(()),
            Err(error) if has_code(&error, 404) && (ignore_if_not_exists || retried) => Ok(()),
            Err(error) => Err(explain(Subject::Table(identifier))(error)),
        }
    }

    pub(super) async fn move_table(
        &self,
        from: &Identifier,
        to: &Identifier,
        ignore_if_not_exists: bool,
    ) -> Result<()> {
        for identifier in [from, to] {
            check_plain(identifier, "renaming table")?;
            refuse_system_database(identifier.database(), "rename a table in")?;
            self.client.paths().table(identifier)?;
        }
        let body = RenameTable {
            source: from,
            destination: to,
        };
        let request = Request::post("RenameTable", self.client.paths().rename_table(), &body);
        let sent = self.client.http().send(&request).await;
        let retried = sent.retried();
        match sent.result.map_err(explain(Subject::Rename(from, to))) {
            Ok(_) => Ok(()),
            // An earlier attempt may have done it, and then the table is at its new name alone.
            Err(error) if retried && error.kind() == ErrorKind::NotFound => {
                let (old, new) = (self.table_answer(from).await, self.table_answer(to).await);
                match (old, new) {
                    (Err(gone), Ok(_)) if gone.kind() == ErrorKind::NotFound => Ok(()),
                    _ => Err(error),
                }
            }
            Err(error) if ignore_if_not_exists && error.kind() == ErrorKind::NotFound => {
                // The database of the target may be what is missing.
                match self.table_answer(from).await {
                    Err(gone) if gone.kind() == ErrorKind::NotFound => Ok(()),
                    _ => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }
}

/// The schema that the server keeps of a table.
pub(super) fn schema(identifier: &Identifier, answer: &TableAnswer) -> Result<TableSchema> {
    answer.table_schema().context(CoreSnafu {
        subject: format!("the schema that the server has of table {identifier}"),
    })
}

/// Where the server says that a table lies; the text stays as it is.
pub(super) fn location(identifier: &Identifier, answer: &TableAnswer) -> Result<Location> {
    match answer
        .path
        .as_deref()
        .filter(|path| !path.trim().is_empty())
    {
        Some(path) => absolute(identifier, path),
        None => AnswerSnafu {
            request: format!("looking for table {identifier}"),
            message: "the server does not say where the table lies (member 'path')",
        }
        .fail(),
    }
}

/// A location that means the same in every working directory.
fn absolute(identifier: &Identifier, text: &str) -> Result<Location> {
    let location: Location = text.parse().context(StorageSnafu {
        action: "understand the location",
        path: text,
    })?;
    if absolute_text(&location) == text {
        return Ok(location);
    }
    InvalidLocationSnafu {
        table: identifier.to_string(),
        location: text,
        message: "it is relative; name an absolute path or one with a scheme",
    }
    .fail()
}

/// A table of a listing. Its name is the only thing that says which it is.
fn detail(database: &str, answer: &TableAnswer) -> Result<TableDetails> {
    let Some(name) = answer.name.as_deref().filter(|name| !name.is_empty()) else {
        return AnswerSnafu {
            request: format!("listing the tables of database '{database}'"),
            message: "a table has no name (member 'name')",
        }
        .fail();
    };
    let identifier = table_identifier(database, name)?;
    Ok(TableDetails {
        location: location(&identifier, answer)?,
        schema: schema(&identifier, answer)?,
        identifier,
    })
}

fn table_identifier(database: &str, name: &str) -> Result<Identifier> {
    Identifier::new(database, name).context(InvalidNameSnafu {
        what: "table",
        name,
    })
}

/// The table without the branch `main`, which it may be asked for by.
pub(super) fn plain(identifier: &Identifier) -> Result<Identifier> {
    table_identifier(identifier.database(), identifier.table())
}

/// Whether a pattern is a plain beginning and a `%`.
fn is_prefix_pattern(pattern: &str) -> bool {
    pattern
        .strip_suffix('%')
        .is_some_and(|prefix| !prefix.is_empty() && !prefix.contains(['%', '\\', '_']))
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn only_plain_beginnings_are_told_to_servers() {
        for (pattern, told) in [
            ("t%", true),
            ("a.b%", true),
            ("%", false),
            ("t", false),
            ("t_%", false),
            ("a%b%", false),
            ("a\\%", false),
        ] {
            assert_eq!(is_prefix_pattern(pattern), told, "{pattern}");
        }
    }
}
