//! The values of partition columns: their types, and which text stands for NULL.

use ftable_core::options::keys::{PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME};
use ftable_core::types::MAX_LENGTH;
use ftable_core::{DataField, FormatTableOptions, Options, PartitionCodec, TypeKind};
use snafu::ResultExt;

use super::Place;
use crate::error::{CoreSnafu, Result};

/// What Paimon writes for NULL unless told otherwise.
const PAIMON_NULL: &str = "__DEFAULT_PARTITION__";
/// What Hive and Spark write.
const HIVE_NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The types that are proposed, the first that fits; STRING fits always.
const CANDIDATES: [TypeKind; 3] = [TypeKind::Int, TypeKind::BigInt, TypeKind::Date];

/// What the values seen so far leave open.
#[derive(Debug)]
pub(super) struct Values {
    /// Spells and reads the candidates, one a level.
    codec: PartitionCodec,
    /// For each key what its values are.
    keys: Vec<Key>,
    /// The text that the caller says is NULL.
    given_null: Option<String>,
    /// The first directory with each of the well-known markers.
    paimon_null: Option<String>,
    hive_null: Option<String>,
}

#[derive(Debug, Clone)]
struct Key {
    /// Which candidates spell every value as it stands.
    fits: [bool; CANDIDATES.len()],
    any: bool,
}

impl Values {
    pub(super) fn new(place: &Place, options: &Options) -> Result<Self> {
        let in_table = || CoreSnafu {
            table: &place.table,
        };
        let iso = Options::from([(PARTITION_LEGACY_NAME.name(), "false")]);
        let resolved = FormatTableOptions::resolve(&iso).context(in_table())?;
        let columns = CANDIDATES
            .into_iter()
            .zip(0..)
            .map(|(kind, id)| DataField::new(id, format!("c{id}"), kind));
        Ok(Self {
            codec: PartitionCodec::new(columns.collect(), &resolved).context(in_table())?,
            keys: Vec::new(),
            given_null: options
                .get_raw(PARTITION_DEFAULT_NAME.name())
                .map(str::to_owned),
            paimon_null: None,
            hive_null: None,
        })
    }

    /// Whether a text may stand for NULL, so that a directory of that name is no hidden one.
    pub(super) fn may_be_null(&self, text: &str) -> bool {
        match &self.given_null {
            Some(given) => text == given,
            None => text == PAIMON_NULL || text == HIVE_NULL,
        }
    }

    /// Takes in the value of a directory at a level.
    pub(super) fn add(&mut self, level: usize, text: &str, path: &str) {
        if self.keys.len() <= level {
            let unseen = Key {
                fits: [true; CANDIDATES.len()],
                any: false,
            };
            self.keys.resize(level + 1, unseen);
        }
        if self.may_be_null(text) {
            let seen = match text {
                HIVE_NULL => &mut self.hive_null,
                _ => &mut self.paimon_null,
            };
            seen.get_or_insert_with(|| path.to_owned());
            return;
        }
        let Some(key) = self.keys.get_mut(level) else {
            return;
        };
        key.any = true;
        for (candidate, fits) in key.fits.iter_mut().enumerate() {
            *fits = *fits && is_spelled_so(&self.codec, candidate, text);
        }
    }

    /// The types of the keys: one whose own spelling every value has, so that `06`, `+5` and `1.0` stay texts.
    pub(super) fn types(&self) -> Vec<TypeKind> {
        let proposed = |key: &Key| {
            let fitting = CANDIDATES.into_iter().zip(key.fits).find(|(_, fits)| *fits);
            match fitting.filter(|_| key.any) {
                Some((kind, _)) => kind,
                None => TypeKind::VarChar { length: MAX_LENGTH },
            }
        };
        self.keys.iter().map(proposed).collect()
    }

    /// The value of `partition.default-name` where it has to be set: Hive's marker is there, and Paimon's is not.
    ///
    /// # Errors
    /// Both are there: then one of them is a value.
    pub(super) fn null_marker(&self, place: &Place, options: &Options) -> Result<Option<&str>> {
        if options.contains(PARTITION_DEFAULT_NAME.name()) {
            return Ok(None);
        }
        match (&self.hive_null, &self.paimon_null) {
            (Some(hive), Some(paimon)) => place.contradiction(format!(
                "{paimon} and {hive} both look like NULL, and only one can be; say which one with \
                 'partition.default-name'"
            )),
            (Some(_), None) => Ok(Some(HIVE_NULL)),
            _ => Ok(None),
        }
    }
}

/// Whether a text is what a candidate would write for the value that it reads.
fn is_spelled_so(codec: &PartitionCodec, candidate: usize, text: &str) -> bool {
    let value = codec.parse(candidate, text).ok().flatten();
    value.is_some_and(|value| {
        codec
            .text(candidate, Some(&value))
            .is_ok_and(|spelled| spelled == text)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ftable_io::LocalFileSystem;

    use super::*;

    fn place() -> Place {
        Place {
            table: "t".to_owned(),
            root: "/t".to_owned(),
            file_system: Arc::new(LocalFileSystem::new()),
        }
    }

    fn proposed(texts: &[&str]) -> String {
        let mut values = Values::new(&place(), &Options::default()).unwrap();
        for text in texts {
            values.add(0, text, text);
        }
        values.types()[0].to_string()
    }

    #[test]
    fn a_type_is_proposed_only_where_every_value_is_spelled_as_it_would_write_it() {
        for (texts, expected) in [
            (&["1", "-7", "0", "2147483647", "-2147483648"][..], "INT"),
            (&["1", "2147483648"], "BIGINT"),
            (&["-9223372036854775808"], "BIGINT"),
            (&["9223372036854775808"], "STRING"),
            (&["7", "06"], "STRING"),
            (&["+5"], "STRING"),
            (&["-0"], "STRING"),
            (&["1.0"], "STRING"),
            (&["1", "x"], "STRING"),
            (&["1e3"], "STRING"),
            (&[" 1"], "STRING"),
            (&["2024-01-01", "1969-12-31", "9999-12-31"], "DATE"),
            (&["2024-02-29"], "DATE"),
            (&["2023-02-29"], "STRING"),
            (&["2024-1-1"], "STRING"),
            (&["2024-01"], "STRING"),
            (&["2024-01-01", "19723"], "STRING"),
            (&["2024-01-01 00:00:00"], "STRING"),
            (&["20240101"], "INT"),
            (&["true", "false"], "STRING"),
            (&["__DEFAULT_PARTITION__", "3"], "INT"),
            (&["__HIVE_DEFAULT_PARTITION__", "2024-01-01"], "DATE"),
            (&["__HIVE_DEFAULT_PARTITION__"], "STRING"),
            (&["NULL", "3"], "STRING"),
        ] {
            assert_eq!(proposed(texts), expected, "{texts:?}");
        }
    }

    #[test]
    fn the_marker_of_null_is_the_one_that_occurs() {
        let marker = |texts: &[&str], options: Options| {
            let mut values = Values::new(&place(), &options).unwrap();
            for text in texts {
                values.add(0, text, &format!("p={text}"));
            }
            let marker = values.null_marker(&place(), &options);
            marker
                .map(|marker| marker.map(str::to_owned))
                .map_err(|error| error.to_string())
        };
        let hive = Some("__HIVE_DEFAULT_PARTITION__".to_owned());
        assert_eq!(marker(&["1"], Options::default()), Ok(None));
        assert_eq!(marker(&[PAIMON_NULL], Options::default()), Ok(None));
        assert_eq!(marker(&[HIVE_NULL, "1"], Options::default()), Ok(hive));
        let both = marker(&[HIVE_NULL, PAIMON_NULL], Options::default()).unwrap_err();
        assert_eq!(
            both,
            "table t: its schema cannot be inferred: p=__DEFAULT_PARTITION__ and p=__HIVE_DEFAULT_PARTITION__ both \
             look like NULL, and only one can be; say which one with 'partition.default-name'"
        );
        let given = Options::from([("partition.default-name", "none")]);
        assert_eq!(marker(&[HIVE_NULL, PAIMON_NULL], given), Ok(None));
    }
}
