//! Loading a table from one answer of the server.

use std::sync::Arc;

use ftable_core::options::TableImplementation;
use ftable_core::options::keys::{FORMAT_TABLE_IMPLEMENTATION, METASTORE_PARTITIONED_TABLE};
use ftable_core::{Identifier, Options};
use ftable_io::{FileSystem, Location};
use snafu::ResultExt;

use super::super::RestCatalog;
use super::super::models::TableAnswer;
use super::super::partitions::RestPartitions;
use super::super::token::vended_store;
use super::{location, plain, schema};
use crate::Result;
use crate::catalog::{LoadedTable, check_type, open_store};
use crate::error::{CoreSnafu, UnsupportedSnafu};

impl RestCatalog {
    /// The table, from one answer of the server.
    pub(in crate::rest) async fn load(&self, identifier: &Identifier) -> Result<LoadedTable> {
        let answer = self.table_answer(identifier).await?;
        let mut schema = schema(identifier, &answer)?;
        check_type(&identifier.to_string(), &schema)?;
        let location = location(identifier, &answer)?;
        schema.options = schema.options.merged_over(&answer.audit_options());
        let is_managed = managed(identifier, &schema.options, answer.is_external())?;
        let store = self.store(identifier, &location, &answer)?;
        let plain = plain(identifier)?;
        let registry =
            is_managed.then(|| Arc::new(RestPartitions::new(self.client.clone(), plain, &schema)));
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
        Ok(vended_store(
            &self.client,
            super::plain(identifier)?,
            location,
            &*plain,
        ))
    }
}

/// Whether the server decides which partitions a table has.
///
/// # Errors
/// `Unsupported` by the name of the option where it cannot.
pub(super) fn managed(
    identifier: &Identifier,
    options: &Options,
    is_external: bool,
) -> Result<bool> {
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

/// Who reads and writes the files of a table.
pub(super) fn implementation(
    identifier: &Identifier,
    options: &Options,
) -> Result<TableImplementation> {
    options
        .get(&FORMAT_TABLE_IMPLEMENTATION)
        .context(CoreSnafu {
            subject: format!("table {identifier}"),
        })
}
