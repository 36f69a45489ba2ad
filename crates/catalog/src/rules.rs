//! Rules that every catalog holds to when it makes, changes and drops things.

use ftable_core::options::keys::TABLE_DEFAULT_PREFIX;
use ftable_core::{Options, Schema};
use ftable_io::Location;

use crate::Result;
use crate::catalog::SYSTEM_DATABASE;
use crate::error::SystemDatabaseSnafu;

/// Refuses a change of the system database, before anything is asked.
pub(crate) fn refuse_system_database(name: &str, action: &'static str) -> Result<()> {
    if name == SYSTEM_DATABASE {
        return SystemDatabaseSnafu { action }.fail();
    }
    Ok(())
}

/// The schema with an option for each one its creator did not set.
pub(crate) fn completed(schema: &Schema, defaults: Options) -> Schema {
    Schema {
        options: schema.options.merged_over(&defaults),
        ..schema.clone()
    }
}

/// The options of new tables that the options of a catalog hold.
pub(crate) fn table_defaults(catalog: &Options) -> Options {
    catalog
        .iter()
        .filter_map(|(key, value)| Some((key.strip_prefix(TABLE_DEFAULT_PREFIX)?, value)))
        .filter(|(key, _)| !key.is_empty())
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect()
}

/// The location as it is stored: as given, unless its meaning depends on the working directory.
pub(crate) fn absolute_text(location: &Location) -> String {
    let given = location.to_string();
    let has_scheme = given
        .split_once(':')
        .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case(location.scheme()));
    if given.starts_with('/') || has_scheme {
        given
    } else {
        location.path().to_owned()
    }
}
