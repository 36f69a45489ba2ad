//! Directory names of one table.

use std::borrow::Cow;
use std::sync::Arc;

use super::name::{DirectoryName, ForeignReason, read_key_value};
use super::path::{escape_text, unescape_name};
use super::read::{expected, read};
use super::write::render;
use super::{Layout, is_hidden};
use crate::datum::Datum;
use crate::datum::text::is_blank;
use crate::error::{Error, Result};
use crate::options::FormatTableOptions;
use crate::types::{DataField, TypeKind};

/// The longest directory name, in bytes, that common file systems take.
const MAX_NAME_BYTES: usize = 255;
/// What engines write for NULL unless told otherwise: Paimon, then Hive and Spark.
const NULL_MARKERS: [&str; 2] = ["__DEFAULT_PARTITION__", "__HIVE_DEFAULT_PARTITION__"];

/// Translates between the partition values of a table and its directories.
///
/// Cheap to clone. The rules are in the [module documentation](super).
///
/// ```
/// use ftable_core::partition::{DirectoryName, PartitionCodec};
/// use ftable_core::{DataField, Datum, FormatTableOptions, Options, TypeKind};
///
/// let keys = vec![DataField::new(0, "dt", TypeKind::Date)];
/// let options = FormatTableOptions::resolve(&Options::default())?;
/// let codec = PartitionCodec::new(keys, &options)?;
/// assert_eq!(codec.segment(0, Some(&Datum::Date(19_723)))?, "dt=19723");
///
/// let DirectoryName::Value(text) = codec.read_name(0, "dt=2024-01-01") else { unreachable!() };
/// assert_eq!(codec.parse(0, &text)?, Some(Datum::Date(19_723)));
/// # Ok::<(), ftable_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PartitionCodec {
    inner: Arc<Inner>,
}

#[derive(Debug, Clone)]
struct Inner {
    keys: Vec<DataField>,
    /// `escape(key)=` of each key, or nothing in the value-only layout.
    prefixes: Vec<String>,
    layout: Layout,
    legacy: bool,
    default_name: String,
    /// The default name as it stands in a directory name.
    escaped_default_name: String,
    reserved_first_names: Vec<String>,
}

impl PartitionCodec {
    /// A codec for partition columns in the order of their directory levels; none for an
    /// unpartitioned table.
    ///
    /// # Errors
    ///
    /// `InvalidSchema` naming the column: its type cannot be a partition column, or in the
    /// key-value layout its name begins with `_` or `.`, so that all its directories would be
    /// hidden. `InvalidOption`: `partition.default-name` cannot be a directory name.
    pub fn new(keys: Vec<DataField>, options: &FormatTableOptions) -> Result<Self> {
        let layout = if options.value_only_layout {
            Layout::ValueOnly
        } else {
            Layout::KeyValue
        };
        for key in &keys {
            check_key(key, layout)?;
        }
        let default_name = options.default_partition_name.clone();
        if !keys.is_empty() {
            check_default_name(&default_name, layout)?;
        }
        let prefix = |key: &DataField| match layout {
            Layout::KeyValue => format!("{}=", escape_text(&key.name)),
            Layout::ValueOnly => String::new(),
        };
        let inner = Inner {
            prefixes: keys.iter().map(prefix).collect(),
            keys,
            layout,
            legacy: options.legacy_partition_name,
            escaped_default_name: escape_text(&default_name).into_owned(),
            default_name,
            reserved_first_names: Vec::new(),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The same codec for a table that keeps directories of these names, which are no partitions,
    /// directly below its location: `schema` and `branch` where metadata lies under the table.
    #[must_use]
    pub fn with_reserved_first_names(mut self, names: &[&str]) -> Self {
        let inner = Arc::make_mut(&mut self.inner);
        inner.reserved_first_names = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// The partition columns, one a level.
    pub fn keys(&self) -> &[DataField] {
        &self.inner.keys
    }

    /// Whether there are partition columns.
    pub fn is_partitioned(&self) -> bool {
        !self.inner.keys.is_empty()
    }

    /// The number of partition columns, which is the number of directory levels.
    #[expect(clippy::len_without_is_empty, reason = "is_partitioned says it")]
    pub fn len(&self) -> usize {
        self.inner.keys.len()
    }

    /// How directories are named.
    pub fn layout(&self) -> Layout {
        self.inner.layout
    }

    /// What stands for NULL: `partition.default-name`.
    pub fn default_name(&self) -> &str {
        &self.inner.default_name
    }

    /// The text of a value, not escaped, as a catalog's partition specification holds it: the
    /// default name for NULL and for what is empty or blank.
    ///
    /// # Errors
    ///
    /// `InvalidPartition` naming column and value, when the value is not of the column's type or
    /// could not be read back.
    pub fn text<'a>(&'a self, level: usize, value: Option<&'a Datum>) -> Result<Cow<'a, str>> {
        let key = self.key(level)?;
        let Some(value) = value else {
            return Ok(Cow::Borrowed(&self.inner.default_name));
        };
        match render(value, &key.data_type, self.inner.legacy) {
            Ok(text) if is_blank(&text) => Ok(Cow::Borrowed(&self.inner.default_name)),
            Ok(text) => Ok(text),
            Err(message) => Err(invalid(key, &value.to_string(), message)),
        }
    }

    /// The name of the directory that holds a value at a level.
    ///
    /// # Errors
    ///
    /// `InvalidPartition` naming column and value: see [`text`](Self::text); the name would be
    /// longer than 255 bytes; or, in the value-only layout, it would be hidden or reserved and
    /// never read.
    pub fn segment(&self, level: usize, value: Option<&Datum>) -> Result<String> {
        let key = self.key(level)?;
        let text = self.text(level, value)?;
        let refuse = |message: String| Err(invalid(key, &text, message));
        let escaped = escape_text(&text);
        if self.inner.layout == Layout::ValueOnly {
            if is_hidden(&text) && *text != self.inner.default_name {
                return refuse(
                    "a directory whose name begins with '_' or '.' would be hidden".to_owned(),
                );
            }
            if self.is_reserved(level, &escaped) {
                return refuse("the directory is reserved for the table's metadata".to_owned());
            }
        }
        let prefix = self.inner.prefixes.get(level).map_or("", String::as_str);
        let bytes = prefix.len() + escaped.len();
        if bytes > MAX_NAME_BYTES {
            return refuse(format!(
                "the directory name would have {bytes} bytes, more than {MAX_NAME_BYTES}"
            ));
        }
        Ok(format!("{prefix}{escaped}"))
    }

    /// The directory of a partition relative to the table, without a slash at either end; empty for
    /// an unpartitioned table.
    ///
    /// # Errors
    ///
    /// As [`segment`](Self::segment), and when there is not one value for each key.
    pub fn relative_path(&self, values: &[Option<Datum>]) -> Result<String> {
        self.check_count(values.len(), "value")?;
        let mut path = String::new();
        for (level, value) in values.iter().enumerate() {
            if level > 0 {
                path.push('/');
            }
            path.push_str(&self.segment(level, value.as_ref())?);
        }
        Ok(path)
    }

    /// What a directory name, as the file system gives it, is at a level.
    pub fn read_name<'a>(&self, level: usize, name: &'a str) -> DirectoryName<'a> {
        let inner = &*self.inner;
        let Some((key, prefix)) = inner.keys.get(level).zip(inner.prefixes.get(level)) else {
            return DirectoryName::Foreign(ForeignReason::TooDeep);
        };
        if self.is_reserved(level, name) {
            return DirectoryName::Hidden;
        }
        match inner.layout {
            Layout::ValueOnly
                if name == inner.default_name || name == inner.escaped_default_name =>
            {
                DirectoryName::Value(unescape_name(name))
            }
            _ if is_hidden(name) => DirectoryName::Hidden,
            Layout::ValueOnly if name.is_empty() => {
                DirectoryName::Foreign(ForeignReason::EmptyValue)
            }
            Layout::ValueOnly => DirectoryName::Value(unescape_name(name)),
            Layout::KeyValue => match name.strip_prefix(prefix.as_str()) {
                Some(value) if !value.is_empty() && !value.contains('=') => {
                    DirectoryName::Value(unescape_name(value))
                }
                _ => read_key_value(&key.name, name),
            },
        }
    }

    /// The value an unescaped text stands for at a level; `None` is NULL.
    ///
    /// # Errors
    ///
    /// `InvalidPartition` naming column, text and type.
    pub fn parse(&self, level: usize, raw: &str) -> Result<Option<Datum>> {
        let key = self.key(level)?;
        if raw == self.inner.default_name {
            return Ok(None);
        }
        match read(raw, key.data_type.kind()) {
            Some(value) => Ok(Some(value)),
            None => Err(self.unreadable(key, raw)),
        }
    }

    /// The well-known NULL marker a text is, when it is one that this table takes for a value:
    /// worth a warning that names `partition.default-name`.
    pub fn foreign_null_marker(&self, raw: &str) -> Option<&'static str> {
        let marker = NULL_MARKERS.into_iter().find(|marker| *marker == raw)?;
        (marker != self.inner.default_name).then_some(marker)
    }

    /// Reads what a user names as a partition or part of one, ascending by level. The text of a
    /// value is any the type accepts; the default name is NULL.
    ///
    /// # Errors
    ///
    /// `InvalidPartition` naming key and text: unknown or repeated key, empty or blank text, or
    /// text that is no value of the type.
    pub fn parse_spec(&self, spec: &[(String, String)]) -> Result<Vec<(usize, Option<Datum>)>> {
        for (name, text) in spec {
            if is_blank(text) && *text != self.inner.default_name {
                return Err(Error::InvalidPartition {
                    column: name.clone(),
                    value: shorten(text),
                    message: format!(
                        "an empty or blank value names no partition; NULL is '{}'",
                        self.inner.default_name
                    ),
                });
            }
        }
        self.parse_filter(spec)
    }

    /// Reads what a user looks for, like [`parse_spec`](Self::parse_spec), but takes blank text as it
    /// is: other writers may have directories of such names, and where there are none the answer is
    /// that nothing is found.
    ///
    /// # Errors
    ///
    /// `InvalidPartition` naming key and text: unknown or repeated key, or text that is no value of
    /// the type.
    pub fn parse_filter(&self, spec: &[(String, String)]) -> Result<Vec<(usize, Option<Datum>)>> {
        let mut values: Vec<(usize, Option<Datum>)> = Vec::with_capacity(spec.len());
        for (name, text) in spec {
            let refuse = |message: String| {
                Err(Error::InvalidPartition {
                    column: name.clone(),
                    value: shorten(text),
                    message,
                })
            };
            let Some(level) = self.inner.keys.iter().position(|key| key.name == *name) else {
                return refuse(self.no_such_key());
            };
            if values.iter().any(|(seen, _)| *seen == level) {
                return refuse("the column is given twice".to_owned());
            }
            values.push((level, self.parse(level, text)?));
        }
        values.sort_by_key(|(level, _)| *level);
        Ok(values)
    }

    /// The values of a complete partition's directory, relative to the table.
    ///
    /// # Errors
    ///
    /// `InvalidPartition` naming column and directory, when a level is missing or too many, is
    /// hidden or foreign, or does not parse.
    pub fn parse_path(&self, relative: &str) -> Result<Vec<Option<Datum>>> {
        let trimmed = relative.strip_suffix('/').unwrap_or(relative);
        let names: Vec<&str> = if trimmed.is_empty() {
            Vec::new()
        } else {
            trimmed.split('/').collect()
        };
        self.check_count(names.len(), "directory level")?;
        let read_level = |(level, name): (usize, &&str)| {
            let refuse = |message: String| {
                let column = self
                    .inner
                    .keys
                    .get(level)
                    .map(|key| key.name.clone())
                    .unwrap_or_default();
                Err(Error::InvalidPartition {
                    column,
                    value: shorten(name),
                    message,
                })
            };
            match self.read_name(level, name) {
                DirectoryName::Value(raw) => self.parse(level, &raw),
                DirectoryName::Hidden => refuse("the directory is hidden".to_owned()),
                DirectoryName::Foreign(reason) => refuse(reason.to_string()),
            }
        };
        names.iter().enumerate().map(read_level).collect()
    }

    fn key(&self, level: usize) -> Result<&DataField> {
        self.inner
            .keys
            .get(level)
            .ok_or_else(|| Error::InvalidPartition {
                column: format!("number {level}"),
                value: String::new(),
                message: self.no_such_key(),
            })
    }

    fn no_such_key(&self) -> String {
        let names: Vec<&str> = self
            .inner
            .keys
            .iter()
            .map(|key| key.name.as_str())
            .collect();
        match names.is_empty() {
            true => "the table is not partitioned".to_owned(),
            false => format!("not a partition column; those are {}", names.join(", ")),
        }
    }

    fn check_count(&self, given: usize, what: &str) -> Result<()> {
        let keys = &self.inner.keys;
        if given == keys.len() {
            return Ok(());
        }
        Err(Error::InvalidPartition {
            column: keys
                .iter()
                .map(|key| key.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
            value: String::new(),
            message: format!("a partition has {} {what}s, {given} were given", keys.len()),
        })
    }

    fn is_reserved(&self, level: usize, name: &str) -> bool {
        level == 0
            && self
                .inner
                .reserved_first_names
                .iter()
                .any(|reserved| reserved == name)
    }

    fn unreadable(&self, key: &DataField, raw: &str) -> Error {
        let mut message = format!(
            "not a value of type {}, which is {}",
            key.data_type,
            expected(key.data_type.kind())
        );
        if let Some(marker) = self.foreign_null_marker(raw) {
            message.push_str(&format!(
                "; where it stands for NULL, set 'partition.default-name' = '{marker}'"
            ));
        }
        invalid(key, raw, message)
    }
}

fn check_key(key: &DataField, layout: Layout) -> Result<()> {
    let refuse = |message: String| {
        Err(Error::InvalidColumn {
            column: key.name.clone(),
            message,
        })
    };
    if key.name.is_empty() {
        return refuse("a partition column needs a name".to_owned());
    }
    if layout == Layout::KeyValue && is_hidden(&key.name) {
        return refuse(
            "the name of a partition column cannot begin with '_' or '.': its directories would be hidden".to_owned(),
        );
    }
    match key.data_type.kind() {
        TypeKind::Boolean
        | TypeKind::TinyInt
        | TypeKind::SmallInt
        | TypeKind::Int
        | TypeKind::BigInt
        | TypeKind::Float
        | TypeKind::Double
        | TypeKind::Decimal { .. }
        | TypeKind::Char { .. }
        | TypeKind::VarChar { .. }
        | TypeKind::Date
        | TypeKind::Time { .. }
        | TypeKind::Timestamp { .. }
        | TypeKind::TimestampLtz { .. } => Ok(()),
        _ => refuse(format!(
            "a column of type {} cannot be a partition column: its values have no text that a directory could bear",
            key.data_type
        )),
    }
}

fn check_default_name(name: &str, layout: Layout) -> Result<()> {
    let message = if is_blank(name) {
        "the name of the NULL partition cannot be empty or blank"
    } else if layout == Layout::ValueOnly && matches!(name, "." | "..") {
        "the NULL partition's directory cannot be '.' or '..'"
    } else {
        return Ok(());
    };
    Err(Error::InvalidOption {
        key: "partition.default-name".to_owned(),
        value: name.to_owned(),
        message: message.to_owned(),
    })
}

fn invalid(key: &DataField, value: &str, message: String) -> Error {
    Error::InvalidPartition {
        column: key.name.clone(),
        value: shorten(value),
        message,
    }
}

/// Keeps a value in a message to a readable length.
fn shorten(value: &str) -> String {
    const SHOWN: usize = 60;
    match value.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value.to_owned(),
    }
}
