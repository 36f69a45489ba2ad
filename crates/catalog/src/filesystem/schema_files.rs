//! Schema files: `schema/schema-0`, `schema/schema-1`, ... below a table, the highest number counts.

use bytes::Bytes;
use ftable_core::{ErrorKind, TableSchema};
use ftable_io::{EntryKind, FileSystem};
use snafu::ResultExt;

use crate::Result;
use crate::error::{BrokenSchemaFileSnafu, SchemaFileSnafu, StorageSnafu};

const PREFIX: &str = "schema-";

/// No schema is that large; a file that is, is none, and is not worth the memory.
const MAX_SIZE: u64 = 64 << 20;

/// The schema files of one table.
pub(super) struct SchemaFiles<'a> {
    file_system: &'a dyn FileSystem,
    directory: String,
}

impl<'a> SchemaFiles<'a> {
    /// Those in `directory`, which need not exist.
    pub(super) fn new(file_system: &'a dyn FileSystem, directory: String) -> Self {
        Self {
            file_system,
            directory,
        }
    }

    /// The path of one version.
    pub(super) fn path(&self, id: i64) -> String {
        format!("{}/{PREFIX}{id}", self.directory)
    }

    /// The number of the latest version; none where there is no schema, and so no table.
    pub(super) async fn latest_id(&self) -> Result<Option<i64>> {
        let entries = match self.file_system.list(&self.directory).await {
            Ok(entries) => entries,
            // Also where `schema` is a file: that is no table either.
            Err(ftable_io::Error::NotFound { .. } | ftable_io::Error::NotADirectory { .. }) => {
                return Ok(None);
            }
            Err(error) => {
                return Err(error).context(StorageSnafu {
                    action: "list",
                    path: &self.directory,
                });
            }
        };
        Ok(entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .filter_map(|entry| parse_name(entry.name()))
            .max())
    }

    /// The latest version; none where there is no schema.
    pub(super) async fn latest(&self) -> Result<Option<TableSchema>> {
        let Some(id) = self.latest_id().await? else {
            return Ok(None);
        };
        let path = self.path(id);
        // Gone since it was listed: the table was dropped.
        let Some(bytes) = self.read(&path).await? else {
            return Ok(None);
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return BrokenSchemaFileSnafu {
                path,
                message: "it is not UTF-8 text",
            }
            .fail();
        };
        TableSchema::from_json(text)
            .context(SchemaFileSnafu { path })
            .map(Some)
    }

    /// Creates one version from its JSON; false when that version is there already.
    ///
    /// A reader sees all of the file or nothing. Of several creators one gets true.
    pub(super) async fn create(&self, id: i64, json: String) -> Result<bool> {
        let path = self.path(id);
        let bytes = Bytes::from(json);
        let created = self
            .file_system
            .create_whole(&path, bytes.clone())
            .await
            .context(StorageSnafu {
                action: "create",
                path: &path,
            })?;
        if created {
            return Ok(true);
        }
        // A conditional put that took effect but lost its answer finds its own file when it is
        // sent again. No two creators write the same bytes, see `tables::now_millis`.
        Ok(self
            .read(&path)
            .await?
            .is_some_and(|stored| stored == bytes))
    }

    async fn read(&self, path: &str) -> Result<Option<Bytes>> {
        let result = async {
            let file = self.file_system.open(path, None).await?;
            let size = file.size();
            if size > MAX_SIZE {
                return Ok(Err(size));
            }
            file.read(0..size).await.map(Ok)
        }
        .await;
        match result {
            Ok(Ok(bytes)) => Ok(Some(bytes)),
            Ok(Err(size)) => BrokenSchemaFileSnafu {
                path,
                message: format!("it has {size} bytes, more than any schema"),
            }
            .fail(),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context(StorageSnafu {
                action: "read",
                path,
            }),
        }
    }
}

/// The version that a file name stands for, when it is spelled as a version is written:
/// `schema-7`, not `schema-07`, `schema-+7` or `schema-7.tmp`.
fn parse_name(name: &str) -> Option<i64> {
    let digits = name.strip_prefix(PREFIX)?;
    let canonical = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    if canonical { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_names_are_versions() {
        assert_eq!(parse_name("schema-0"), Some(0));
        assert_eq!(parse_name("schema-10"), Some(10));
        assert_eq!(parse_name("schema-9223372036854775807"), Some(i64::MAX));
        for name in [
            "schema-",
            "schema-00",
            "schema-01",
            "schema--1",
            "schema-+1",
            "schema- 1",
            "schema-1 ",
            "schema-x",
            "schema-11.tmp",
            "schema-0a3c.tmp",
            ".schema-12.tmp",
            "Schema-1",
            "schema-9223372036854775808",
            "schema-\u{0663}",
        ] {
            assert_eq!(parse_name(name), None, "{name}");
        }
    }
}
