//! Options given at a call, over those a table has.

use super::key::OptionKey;
use super::keys::{
    BRANCH, FILE_FORMAT, FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE, MAIN_BRANCH,
    METASTORE_PARTITIONED_TABLE, PARTITION, PATH, PRIMARY_KEY, TYPE,
};
use super::map::Options;
use crate::error::{Error, Result};

/// Refuses options of a call that would make it work on another table than the one it was given.
///
/// `type`, `path`, `file.format`, `partition`, `primary-key` and `branch` may be given with the value
/// they have and with no other. So may `metastore.partitioned-table` and, on a table whose partitions
/// the catalog manages, `format-table.partition-path-only-value`: the catalog knows partitions of one
/// kind and layout. `schema_options` are the table's options, `path` included.
///
/// # Errors
/// [`Error::Unsupported`] that names the option; [`Error::InvalidOption`] for a value of no meaning.
pub fn check_dynamic(schema_options: &Options, dynamic: &Options) -> Result<()> {
    if dynamic.contains(TYPE.name()) {
        let (old, new) = (schema_options.get(&TYPE)?, dynamic.get(&TYPE)?);
        refuse_change(TYPE.name(), old.name(), new.name())?;
    }
    if dynamic.contains(FILE_FORMAT.name()) {
        let (old, new) = (
            schema_options.get(&FILE_FORMAT)?,
            dynamic.get(&FILE_FORMAT)?,
        );
        refuse_change(FILE_FORMAT.name(), old.name(), new.name())?;
    }
    if let Some(new) = dynamic.get_raw(BRANCH.name()) {
        let old = schema_options.get_raw(BRANCH.name()).unwrap_or(MAIN_BRANCH);
        let same = if is_main(old) {
            is_main(new)
        } else {
            old == new
        };
        refuse_change(BRANCH.name(), old, if same { old } else { new })?;
    }
    check_switch(&METASTORE_PARTITIONED_TABLE, schema_options, dynamic)?;
    if schema_options.get(&METASTORE_PARTITIONED_TABLE)? {
        check_switch(
            &FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE,
            schema_options,
            dynamic,
        )?;
    }
    for key in [PATH.name(), PARTITION.name(), PRIMARY_KEY.name()] {
        if let Some(new) = dynamic.get_raw(key) {
            refuse_change(key, schema_options.get_raw(key).unwrap_or_default(), new)?;
        }
    }
    Ok(())
}

/// Refuses to turn an option on or off that is the table's.
fn check_switch(key: &OptionKey<bool>, schema_options: &Options, dynamic: &Options) -> Result<()> {
    if !dynamic.contains(key.name()) {
        return Ok(());
    }
    let (old, new) = (schema_options.get(key)?, dynamic.get(key)?);
    refuse_change(key.name(), &old.to_string(), &new.to_string())
}

/// Whether this is the name of the main branch, which has any case.
pub(super) fn is_main(branch: &str) -> bool {
    branch.eq_ignore_ascii_case(MAIN_BRANCH)
}

fn refuse_change(key: &str, old: &str, new: &str) -> Result<()> {
    if old == new {
        return Ok(());
    }
    let kept = if old.is_empty() {
        String::new()
    } else {
        format!(", which is '{old}'")
    };
    Err(Error::Unsupported {
        what: format!("option '{key}' = '{new}' for one call"),
        reason: format!("it belongs to the table{kept}"),
        instead: "leave the option out".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dynamic: (&str, &str)) -> Result<()> {
        let table = Options::from([
            ("type", "format-table"),
            ("file.format", "ORC"),
            ("path", "/data/t"),
            ("k", "1"),
        ]);
        check_dynamic(&table, &Options::from([dynamic]))
    }

    #[test]
    fn the_current_value_is_no_change() {
        for same in [
            ("type", "FORMAT-TABLE"),
            ("file.format", "orc"),
            ("path", "/data/t"),
            ("branch", "main"),
            ("branch", "Main"),
            ("k", "2"),
            ("other", "x"),
            ("partition", ""),
            ("metastore.partitioned-table", "FALSE"),
            ("format-table.partition-path-only-value", "true"),
        ] {
            check(same).unwrap();
        }
    }

    #[test]
    fn the_catalogs_hold_on_partitions_is_not_for_a_call_to_change() {
        let managed = Options::from([("metastore.partitioned-table", "true")]);
        let check =
            |key: &str, value: &str| check_dynamic(&managed, &Options::from([(key, value)]));
        check("metastore.partitioned-table", "True").unwrap();
        check("format-table.partition-path-only-value", "false").unwrap();
        for (key, value, old) in [
            ("metastore.partitioned-table", "false", "true"),
            ("format-table.partition-path-only-value", "true", "false"),
        ] {
            let error = check(key, value).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
            let start = format!(
                "option '{key}' = '{value}' for one call is not supported: it belongs to the table, which is '{old}'"
            );
            assert!(error.to_string().starts_with(&start), "{error}");
        }
        assert!(check("metastore.partitioned-table", "yes").is_err());
    }

    #[test]
    fn another_value_is_refused_by_name() {
        for (key, value, reason) in [
            (
                "type",
                "table",
                "it belongs to the table, which is 'format-table'",
            ),
            (
                "file.format",
                "parquet",
                "it belongs to the table, which is 'orc'",
            ),
            (
                "path",
                "/data/u",
                "it belongs to the table, which is '/data/t'",
            ),
            ("branch", "dev", "it belongs to the table, which is 'main'"),
            ("partition", "dt", "it belongs to the table"),
            ("primary-key", "id", "it belongs to the table"),
            (
                "metastore.partitioned-table",
                "true",
                "it belongs to the table, which is 'false'",
            ),
        ] {
            let error = check((key, value)).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
            assert_eq!(
                error.to_string(),
                format!(
                    "option '{key}' = '{value}' for one call is not supported: {reason}; leave the option out"
                )
            );
        }
        assert!(check(("type", "nonsense")).is_err());
        assert!(check(("file.format", "avro")).is_err());
    }
}
