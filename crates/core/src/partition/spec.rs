//! Partitions as a catalog knows them: the raw text of each key, never escaped.

use super::Layout;
use super::codec::PartitionCodec;
use super::name::DirectoryName;
use super::path::escape_text;
use crate::error::{Error, Result};
use crate::types::DataField;

impl PartitionCodec {
    /// The text of each key of a complete partition's directory, as a catalog's partition specification holds it:
    /// unescaped, and not read as a value, so that `m=03` stays `03`.
    ///
    /// # Errors
    /// `InvalidPartition` naming column and directory, when a level is missing or too many, or is hidden or foreign.
    pub fn raw_spec(&self, relative: &str) -> Result<Vec<(String, String)>> {
        let names: Vec<&str> = relative.split('/').collect();
        if names.len() != self.len() {
            return Err(Error::InvalidPartition {
                column: self.key_names(),
                value: relative.to_owned(),
                message: format!(
                    "a partition has {} directory levels, this has {}",
                    self.len(),
                    names.len()
                ),
            });
        }
        let raw = |(level, (key, name)): (usize, (&DataField, &&str))| {
            let message = match self.read_name(level, name) {
                DirectoryName::Value(raw) => return Ok((key.name.clone(), raw.into_owned())),
                DirectoryName::Hidden => "the directory is hidden".to_owned(),
                DirectoryName::Foreign(reason) => reason.to_string(),
            };
            Err(Error::InvalidPartition {
                column: key.name.clone(),
                value: (*name).to_owned(),
                message,
            })
        };
        self.keys()
            .iter()
            .zip(&names)
            .enumerate()
            .map(raw)
            .collect()
    }

    /// The directory of a partition that a catalog names by the raw text of each key, relative to the table. The
    /// texts are not read as values: `03` is another directory than `3`.
    ///
    /// # Errors
    /// `InvalidPartition` naming the column, when a key is missing, given twice or none of the table's, or a text that
    /// no directory of the table can bear: an empty one, in the value-only layout also a hidden one, `.` and `..`.
    pub fn raw_path(&self, spec: &[(String, String)]) -> Result<String> {
        for (name, text) in spec {
            let given = spec.iter().filter(|(other, _)| other == name).count();
            let message = match self.keys().iter().any(|key| key.name == *name) {
                true if given == 1 => continue,
                true => "the column is given twice".to_owned(),
                false => format!("not a partition column; those are {}", self.key_names()),
            };
            return Err(Error::InvalidPartition {
                column: name.clone(),
                value: text.clone(),
                message,
            });
        }
        let mut relative = String::new();
        for (level, key) in self.keys().iter().enumerate() {
            let refuse = |value: &str, message: &str| Error::InvalidPartition {
                column: key.name.clone(),
                value: value.to_owned(),
                message: message.to_owned(),
            };
            let Some((_, text)) = spec.iter().find(|(name, _)| *name == key.name) else {
                return Err(refuse("", "the partition has no value for it"));
            };
            let name = match self.layout() {
                Layout::KeyValue => format!("{}={}", escape_text(&key.name), escape_text(text)),
                Layout::ValueOnly => escape_text(text).into_owned(),
            };
            match self.read_name(level, &name) {
                DirectoryName::Value(raw) if *raw == **text => {}
                DirectoryName::Hidden => {
                    return Err(refuse(text, "its directory would be hidden and never read"));
                }
                _ => return Err(refuse(text, "no directory can have this value")),
            }
            if level > 0 {
                relative.push('/');
            }
            relative.push_str(&name);
        }
        Ok(relative)
    }

    fn key_names(&self) -> String {
        let names: Vec<&str> = self.keys().iter().map(|key| key.name.as_str()).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{DataType, FormatTableOptions, Options, TypeKind};

    fn codec(value_only: bool) -> PartitionCodec {
        let keys = vec![
            DataField::new(0, "m", TypeKind::Int),
            DataField::new(1, "p q", DataType::string()),
        ];
        let option = (
            "format-table.partition-path-only-value",
            value_only.to_string(),
        );
        let options = FormatTableOptions::resolve(&Options::from([option])).unwrap();
        PartitionCodec::new(keys, &options).unwrap()
    }

    fn spec(m: &str, p: &str) -> Vec<(String, String)> {
        vec![
            ("m".to_owned(), m.to_owned()),
            ("p q".to_owned(), p.to_owned()),
        ]
    }

    #[test]
    fn raw_texts_and_directories() {
        for (m, p, path, value_only_path) in [
            ("03", "a/b", "m=03/p q=a%2Fb", "03/a%2Fb"),
            ("3", "a=b", "m=3/p q=a%3Db", "3/a%3Db"),
            (
                "x",
                "__DEFAULT_PARTITION__",
                "m=x/p q=__DEFAULT_PARTITION__",
                "x/__DEFAULT_PARTITION__",
            ),
            ("3", " ", "m=3/p q= ", "3/ "),
        ] {
            for (codec, path) in [(codec(false), path), (codec(true), value_only_path)] {
                assert_eq!(codec.raw_path(&spec(m, p)).unwrap(), path);
                assert_eq!(codec.raw_spec(path).unwrap(), spec(m, p));
            }
        }
        let mut turned = spec("3", "x");
        turned.reverse();
        assert_eq!(codec(false).raw_path(&turned).unwrap(), "m=3/p q=x");
        // The directory of `q/z` is spelled otherwise.
        assert_eq!(
            codec(false).raw_spec("m=3/p q=q%2fz").unwrap(),
            spec("3", "q/z")
        );
    }

    #[test]
    fn what_is_no_partition_is_refused() {
        let refused = |value_only: bool, spec: &[(String, String)]| {
            codec(value_only).raw_path(spec).unwrap_err().to_string()
        };
        let whole = spec("3", "x");
        assert!(refused(false, &whole[..1]).contains("column 'p q'"));
        assert!(refused(false, &[]).contains("column 'm'"));
        let twice = [whole[0].clone(), whole[0].clone(), whole[1].clone()];
        assert!(refused(false, &twice).contains("twice"));
        let more = [
            whole[0].clone(),
            whole[1].clone(),
            ("z".to_owned(), "1".to_owned()),
        ];
        assert!(refused(false, &more).contains("those are m, p q"));
        for value_only in [false, true] {
            assert!(refused(value_only, &spec("3", "")).contains("no directory"));
        }
        for hidden in [".", "..", "_x", ".x"] {
            assert!(refused(true, &spec("3", hidden)).contains("hidden"));
            codec(false).raw_path(&spec("3", hidden)).unwrap();
        }
        for path in ["", "m=3", "m=3/p q=x/f", "m=3/q=x", "_m=3/p q=x"] {
            assert!(codec(false).raw_spec(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn every_text_but_the_empty_comes_back(m in "\\PC{1,9}", p in "[ -~]{1,9}") {
            let codec = codec(false);
            let path = codec.raw_path(&spec(&m, &p)).unwrap();
            prop_assert_eq!(path.matches('/').count(), 1);
            prop_assert_eq!(codec.raw_spec(&path).unwrap(), spec(&m, &p));
        }
    }
}
