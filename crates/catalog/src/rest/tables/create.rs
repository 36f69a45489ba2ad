//! Making a table.

use ftable_core::options::keys::{FILE_FORMAT, METASTORE_PARTITIONED_TABLE, PATH, TYPE};
use ftable_core::options::{TableImplementation, TableType};
use ftable_core::schema::validate_create;
use ftable_core::{Identifier, Options, Schema};
use ftable_io::Location;
use snafu::ResultExt;

use super::super::RestCatalog;
use super::super::http::Request;
use super::super::models::CreateTable;
use super::super::refusal::{Subject, explain, has_code};
use super::load::{implementation, managed};
use super::{absolute, location};
use crate::Result;
use crate::catalog::{check_plain, open_store};
use crate::error::{InvalidLocationSnafu, RefusedSchemaSnafu, StorageSnafu, UnsupportedSnafu};
use crate::rules::{absolute_text, completed, refuse_system_database, table_defaults};

impl RestCatalog {
    pub(in crate::rest) async fn make_table(
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
        let asked = location.clone();
        let schema = self.schema_to_create(identifier, schema, location)?;
        self.make_directory(identifier, &schema).await?;
        let request = Request::post("CreateTable", path, &CreateTable::new(identifier, &schema));
        let sent = self.client.http().send(&request).await;
        let retried = sent.retried();
        match sent.result {
            // Whether a table may lie where it is asked to is the server's decision.
            Ok(_) => match asked {
                Some(asked) => self.check_lies_at(identifier, &asked).await,
                None => Ok(()),
            },
            Err(error) if has_code(&error, 409) => {
                if ignore_if_exists || (retried && self.is_made_table(identifier, &schema).await) {
                    return Ok(());
                }
                Err(explain(Subject::NewTable(identifier))(error))
            }
            Err(error) => Err(explain(Subject::NewTable(identifier))(error)),
        }
    }

    async fn check_lies_at(&self, identifier: &Identifier, asked: &Location) -> Result<()> {
        let found = location(identifier, &self.table_answer(identifier).await?)?;
        if found.same_place(asked) {
            return Ok(());
        }
        InvalidLocationSnafu {
            table: identifier.to_string(),
            location: asked.to_string(),
            message: format!(
                "the server has made the table at '{found}'; drop it, and create it without a location, or have the \
                 server allow external tables"
            ),
        }
        .fail()
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
