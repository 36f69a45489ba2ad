//! Tables.

use std::sync::Arc;

use ftable_core::options::keys::{
    FILE_FORMAT, FORMAT_TABLE_IMPLEMENTATION, METASTORE_PARTITIONED_TABLE, PATH, TYPE,
};
use ftable_core::options::{TableImplementation, TableType};
use ftable_core::schema::validate_create;
use ftable_core::{ErrorKind, Identifier, Options, Schema, TableSchema};
use ftable_io::{FileSystem, Location};
use snafu::ResultExt;

use super::RestCatalog;
use super::databases::sorted;
use super::http::Request;
use super::models::{
    AllTablesPage, CreateTable, RenameTable, TableAnswer, TableDetailsPage, TablePage,
};
use super::paging::{Drain, Page};
use super::partitions::RestPartitions;
use super::refusal::{Subject, explain, has_code, lacks_endpoint};
use super::token::vended_store;
use crate::Result;
use crate::catalog::{
    LoadedTable, SYSTEM_DATABASE, TableDetails, check_plain, check_readable, check_type,
    matches_pattern, open_store,
};
use crate::error::{
    AnswerSnafu, CoreSnafu, InvalidLocationSnafu, InvalidNameSnafu, RefusedSchemaSnafu,
    StorageSnafu, TableNotFoundSnafu, UnsupportedSnafu,
};
use crate::rules::{absolute_text, completed, refuse_system_database, table_defaults};

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
        let request = Request::get("ListTablesGlobally", self.client.paths().all_tables())
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
        let plain = table_identifier(identifier.database(), identifier.table())?;
        let request = Request::get("GetTable", self.client.paths().table(&plain)?);
        let answer = self.client.http().ask(&request).await;
        answer.map_err(explain(Subject::Table(identifier)))
    }

    pub(super) async fn schema(&self, identifier: &Identifier) -> Result<TableSchema> {
        schema(identifier, &self.table_answer(identifier).await?)
    }

    pub(super) async fn location(&self, identifier: &Identifier) -> Result<Location> {
        location(identifier, &self.table_answer(identifier).await?)
    }

    /// The table, from one answer of the server.
    pub(super) async fn load(&self, identifier: &Identifier) -> Result<LoadedTable> {
        let answer = self.table_answer(identifier).await?;
        let mut schema = schema(identifier, &answer)?;
        check_type(&identifier.to_string(), &schema)?;
        let location = location(identifier, &answer)?;
        schema.options = schema.options.merged_over(&answer.audit_options());
        let is_managed = managed(identifier, &schema.options, answer.is_external())?;
        let store = self.store(identifier, &location, &answer)?;
        let registry = is_managed.then(|| {
            let registry = RestPartitions::new(self.client.clone(), identifier.clone(), &schema);
            Arc::new(registry)
        });
        let table = LoadedTable::new(identifier.clone(), location, schema, store)?;
        Ok(match registry {
            Some(registry) => table.with_partition_registry(registry),
            None => table,
        })
    }

    /// The store of a table's files: with credentials that the server gives, where it gives any, which is for
    /// its own tables only; else as the options of the catalog say.
    fn store(
        &self,
        identifier: &Identifier,
        location: &Location,
        answer: &TableAnswer,
    ) -> Result<Arc<dyn FileSystem>> {
        let plain = open_store(location, self.client.options())?;
        if answer.is_external() || !self.client.vends_credentials() {
            return Ok(plain);
        }
        let identifier = table_identifier(identifier.database(), identifier.table())?;
        Ok(vended_store(&self.client, identifier, location, &*plain))
    }

    pub(super) async fn make_table(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        location: Option<Location>,
        ignore_if_exists: bool,
    ) -> Result<()> {
        check_plain(identifier, "creating table")?;
        refuse_system_database(identifier.database(), "create a table in")?;
        let path = self.client.paths().tables(identifier.database())?;
        // Names that no request can be about are not created.
        self.client.paths().table(identifier)?;
        let schema = self.schema_to_create(identifier, schema, location)?;
        self.make_directory(identifier, &schema).await?;
        let request = Request::post("CreateTable", path, &CreateTable::new(identifier, &schema));
        let sent = self.client.http().send(&request).await;
        let retried = sent.retried();
        match sent.result {
            Ok(_) => Ok(()),
            Err(error) if has_code(&error, 409) => {
                if ignore_if_exists || (retried && self.is_made_table(identifier, &schema).await) {
                    return Ok(());
                }
                Err(explain(Subject::NewTable(identifier))(error))
            }
            Err(error) => Err(explain(Subject::NewTable(identifier))(error)),
        }
    }

    /// The schema that the server is told: with the type of the table, the defaults of the catalog and the
    /// location, checked.
    fn schema_to_create(
        &self,
        identifier: &Identifier,
        schema: &Schema,
        location: Option<Location>,
    ) -> Result<Schema> {
        let format_table = TableType::FormatTable.name();
        let mut schema = completed(schema, Options::from([(TYPE.name(), format_table)]));
        if let Some(location) = location {
            let text = absolute_text(&location);
            let set = schema.options.set(PATH.name(), text);
            if set.is_some_and(|set| set != location.to_string()) {
                return InvalidLocationSnafu {
                    table: identifier.to_string(),
                    location: location.to_string(),
                    message: "option 'path' names another one; leave the option out",
                }
                .fail();
            }
        }
        validate(identifier, &schema)?;
        // The catalog's defaults are checked like the creator's options.
        let mut defaults = table_defaults(self.client.options());
        if let (false, Some(format)) = (
            defaults.contains(FILE_FORMAT.name()),
            FILE_FORMAT.default_text(),
        ) {
            defaults.set(FILE_FORMAT.name(), format);
        }
        if let Some(path) = defaults.remove(PATH.name()) {
            return UnsupportedSnafu {
                what: format!("option 'table-default.path' = '{path}'"),
                reason: "two tables cannot lie in one place",
                instead: "leave the option out",
            }
            .fail();
        }
        let schema = completed(&schema, defaults);
        validate(identifier, &schema)?;
        let engine = implementation(identifier, &schema.options)? == TableImplementation::Engine;
        if engine && self.client.vends_credentials() && !schema.options.contains(PATH.name()) {
            return UnsupportedSnafu {
                what: format!("option 'format-table.implementation' = 'engine' of table {identifier}"),
                reason: "an engine's own file source cannot use the credentials that the server gives for the table",
                instead: "leave the option out, or create the table at a location",
            }
            .fail();
        }
        Ok(schema)
    }

    /// Makes the directory of a table at a location of its own: the server keeps it, but does not make it.
    async fn make_directory(&self, identifier: &Identifier, schema: &Schema) -> Result<()> {
        let Some(text) = schema.options.get_raw(PATH.name()) else {
            return Ok(());
        };
        let location = absolute(identifier, text)?;
        let store = open_store(&location, self.client.options())?;
        let found = store.stat(location.path()).await.context(StorageSnafu {
            action: "look at",
            path: text,
        })?;
        match found {
            Some(found) if found.is_file() => InvalidLocationSnafu {
                table: identifier.to_string(),
                location: text,
                message: "it is a file; name a directory",
            }
            .fail(),
            Some(_) => Ok(()),
            None => store
                .create_dir(location.path())
                .await
                .context(StorageSnafu {
                    action: "create directory",
                    path: text,
                }),
        }
    }

    /// Whether the table is there as it was to be made: then an earlier attempt made it.
    async fn is_made_table(&self, identifier: &Identifier, schema: &Schema) -> bool {
        let Ok(answer) = self.table_answer(identifier).await else {
            return false;
        };
        let Ok(found) = answer.table_schema() else {
            return false;
        };
        // A server may add options; where the data lies it says apart from them.
        let same_options = schema
            .options
            .iter()
            .filter(|(key, _)| *key != PATH.name())
            .all(|(key, value)| found.options.get_raw(key) == Some(value));
        let same_place = match schema.options.get_raw(PATH.name()) {
            None => true,
            Some(path) => match (location(identifier, &answer), path.parse::<Location>()) {
                (Ok(found), Ok(asked)) => found.same_place(&asked),
                _ => false,
            },
        };
        same_options
            && same_place
            && found.fields == schema.fields
            && found.partition_keys == schema.partition_keys
            && found.comment == schema.comment
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
        match sent.result.map_err(explain(Subject::Rename(from, to))) {
            Ok(_) => Ok(()),
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
fn location(identifier: &Identifier, answer: &TableAnswer) -> Result<Location> {
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

/// Whether a pattern is a plain beginning and a `%`.
fn is_prefix_pattern(pattern: &str) -> bool {
    pattern
        .strip_suffix('%')
        .is_some_and(|prefix| !prefix.is_empty() && !prefix.contains(['%', '\\', '_']))
}

/// Whether the server decides which partitions a table has.
///
/// # Errors
/// `Unsupported` by the name of the option where it cannot.
fn managed(identifier: &Identifier, options: &Options, is_external: bool) -> Result<bool> {
    let key = METASTORE_PARTITIONED_TABLE.name();
    let is_managed = options.get(&METASTORE_PARTITIONED_TABLE);
    if !is_managed.context(CoreSnafu {
        subject: format!("table {identifier}"),
    })? {
        return Ok(false);
    }
    let refuse = |reason: &str, instead: &str| {
        UnsupportedSnafu {
            what: format!("option '{key}' = 'true' of table {identifier}"),
            reason,
            instead,
        }
        .fail()
    };
    if is_external {
        return refuse(
            "it is for internal tables only, and this one lies at a location of its own",
            "leave the option out, or let the catalog decide where the table lies",
        );
    }
    if implementation(identifier, options)? == TableImplementation::Engine {
        return refuse(
            "an engine's own file source (format-table.implementation = engine) does not ask which partitions there are",
            "leave one of the two options out",
        );
    }
    Ok(true)
}

fn implementation(identifier: &Identifier, options: &Options) -> Result<TableImplementation> {
    options
        .get(&FORMAT_TABLE_IMPLEMENTATION)
        .context(CoreSnafu {
            subject: format!("table {identifier}"),
        })
}

/// Refuses a schema that describes no format table of this catalog.
fn validate(identifier: &Identifier, schema: &Schema) -> Result<()> {
    managed(
        identifier,
        &schema.options,
        schema.options.contains(PATH.name()),
    )?;
    // That the catalog decides about partitions is for the catalog to allow.
    let mut plain = schema.clone();
    plain.options.remove(METASTORE_PARTITIONED_TABLE.name());
    validate_create(&plain).context(RefusedSchemaSnafu {
        table: identifier.to_string(),
    })
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
