//! Cases as they lie on disk.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ftable_core::{DataField, Schema};
use serde_json::Value;

use super::copy::copy_tree;

/// The environment variable that names the cases to run, separated by commas; all when it is not set.
pub const CASES_VARIABLE: &str = "FTABLE_GOLDEN_CASES";

/// What reading a case must give.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// These rows, in no order; each is an object with every column.
    Rows(Vec<Value>),
    /// A failure.
    Error {
        /// What is wrong, in one word: `schema`, `partition` or `corrupt`.
        kind: String,
        /// Words that the message must mention.
        mentions: Vec<String>,
    },
}

/// A predicate over a case and what it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The predicate as SQL text.
    pub predicate: String,
    /// How many rows it keeps.
    pub count: usize,
    /// The column `id` of those rows, in no order, where the case gives it.
    pub ids: Option<Vec<i64>>,
}

/// A table written by another engine.
#[derive(Debug, Clone)]
pub struct Golden {
    name: String,
    folder: PathBuf,
    schema: Schema,
    expected: Expected,
    partitions: Vec<Value>,
    filters: Vec<Filter>,
    empty_directories: Vec<String>,
}

impl Golden {
    /// Every case below `root`, ordered by name.
    ///
    /// # Errors
    /// A case that is not whole, named by its file.
    pub fn all(root: &Path) -> io::Result<Vec<Self>> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(root).map_err(|error| at(root, error))? {
            let path = entry?.path();
            if path.join("table.json").is_file() {
                folders.push(path);
            }
        }
        folders.sort();
        folders.iter().map(|folder| Self::load(folder)).collect()
    }

    /// The cases below `root` that the environment variable [`CASES_VARIABLE`] names, else all of them.
    ///
    /// # Errors
    /// A case that is not whole, or a name that no case has.
    pub fn selected(root: &Path) -> io::Result<Vec<Self>> {
        let Ok(names) = env::var(CASES_VARIABLE) else {
            return Self::all(root);
        };
        let names = names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        names.map(|name| Self::load(&root.join(name))).collect()
    }

    /// The case in `folder`.
    ///
    /// # Errors
    /// A file that is missing or malformed, by its name.
    pub fn load(folder: &Path) -> io::Result<Self> {
        let table = folder.join("table.json");
        let schema = Schema::from_json(&text(&table)?).map_err(|error| at(&table, error))?;
        let filters = optional(folder, "filters.jsonl", lines)?.unwrap_or_default();
        let filters = filters.iter().map(filter).collect::<Option<_>>();
        let empty = optional(folder, "empty-dirs.json", json)?.unwrap_or_default();
        Ok(Self {
            name: folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            folder: folder.to_path_buf(),
            schema,
            expected: expected(folder)?,
            partitions: lines(&folder.join("partitions.jsonl"))?,
            filters: filters.ok_or_else(|| at(&folder.join("filters.jsonl"), "malformed"))?,
            empty_directories: strings(&empty),
        })
    }

    /// The name of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns, partition keys and options to open it with.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The partition columns in the order of the directories.
    pub fn partition_fields(&self) -> Vec<DataField> {
        let find = |key: &String| self.schema.fields.iter().find(|field| &field.name == key);
        self.schema
            .partition_keys
            .iter()
            .filter_map(find)
            .cloned()
            .collect()
    }

    /// What reading it must give.
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Its partitions: `{"partition": {...}, "path": "..."}`, in no order, empty ones included.
    pub fn partitions(&self) -> &[Value] {
        &self.partitions
    }

    /// Predicates and what they keep.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// Copies the table below `directory` and gives the path of the copy, empty directories included.
    ///
    /// # Errors
    /// What the file system reports.
    pub fn prepare(&self, directory: &Path) -> io::Result<PathBuf> {
        let table = directory.join(&self.name);
        copy_tree(&self.folder.join("data"), &table)?;
        for empty in &self.empty_directories {
            fs::create_dir_all(table.join(empty))?;
        }
        Ok(table)
    }
}

/// The cases below `root` that are not passed yet, with the reason: the lines `case: reason` of
/// `waiting.txt`; `#` begins a comment.
///
/// # Errors
/// The list cannot be read.
pub fn waiting(root: &Path) -> io::Result<BTreeMap<String, String>> {
    let list = text(&root.join("waiting.txt"))?;
    let lines = list.lines().map(str::trim);
    let entries = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(entries
        .map(|line| line.split_once(':').unwrap_or((line, "")))
        .map(|(case, reason)| (case.trim().to_owned(), reason.trim().to_owned()))
        .collect())
}

fn expected(folder: &Path) -> io::Result<Expected> {
    let Some(error) = optional(folder, "expected-error.json", json)? else {
        return Ok(Expected::Rows(lines(&folder.join("expected.jsonl"))?));
    };
    Ok(Expected::Error {
        kind: error["kind"].as_str().unwrap_or_default().to_owned(),
        mentions: strings(&error["mentions"]),
    })
}

fn filter(line: &Value) -> Option<Filter> {
    let ids = match line.get("id") {
        Some(ids) => Some(
            ids.as_array()?
                .iter()
                .map(Value::as_i64)
                .collect::<Option<_>>()?,
        ),
        None => None,
    };
    Some(Filter {
        predicate: line.get("where")?.as_str()?.to_owned(),
        count: usize::try_from(line.get("count")?.as_u64()?).ok()?,
        ids,
    })
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn optional<T>(
    folder: &Path,
    name: &str,
    read: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<Option<T>> {
    let path = folder.join(name);
    if path.is_file() {
        read(&path).map(Some)
    } else {
        Ok(None)
    }
}

fn text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path).map_err(|error| at(path, error))
}

fn json(path: &Path) -> io::Result<Value> {
    serde_json::from_str(&text(path)?).map_err(|error| at(path, error))
}

fn lines(path: &Path) -> io::Result<Vec<Value>> {
    let text = text(path)?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty());
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| at(path, format!("line {}: {error}", index + 1)))
    };
    lines.map(parse).collect()
}

fn at(path: &Path, error: impl Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) {
        fs::write(folder.join(name), text).unwrap();
    }

    /// A case with a file in a partition, an empty partition and a filter.
    fn sample(root: &Path) -> PathBuf {
        let folder = root.join("sample-parquet");
        fs::create_dir_all(folder.join("data/p=1")).unwrap();
        write(&folder, "data/p=1/f.parquet", "bytes");
        write(&folder, "empty-dirs.json", r#"["p=2", "p=1/_temporary"]"#);
        let table = r#"{"fields": [{"name": "id", "type": "INT NOT NULL"}, {"name": "p", "type": "INT"}],
                        "partitionKeys": ["p"],
                        "options": {"type": "format-table", "file.format": "parquet"}}"#;
        write(&folder, "table.json", table);
        write(
            &folder,
            "expected.jsonl",
            "{\"id\": 9223372036854775807, \"p\": 1}\n\n",
        );
        write(
            &folder,
            "partitions.jsonl",
            "{\"partition\": {\"p\": 1}, \"path\": \"p=1\"}\n",
        );
        let filters = "{\"where\": \"p = 1\", \"count\": 1, \"id\": [7]}\n{\"where\": \"id < 0\", \"count\": 0}\n";
        write(&folder, "filters.jsonl", filters);
        folder
    }

    #[test]
    fn a_case_gives_what_its_files_say() {
        let root = tempfile::tempdir().unwrap();
        sample(root.path());
        write(root.path(), "README.md", "no case");
        let cases = Golden::all(root.path()).unwrap();
        let [case] = cases.as_slice() else {
            panic!("{} cases", cases.len())
        };
        assert_eq!(case.name(), "sample-parquet");
        let names: Vec<&str> = case
            .schema()
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        assert_eq!(names, ["id", "p"]);
        assert_eq!(
            case.schema().options.get_raw("file.format"),
            Some("parquet")
        );
        assert_eq!(case.partition_fields().len(), 1);
        let Expected::Rows(rows) = case.expected() else {
            panic!("{:?}", case.expected())
        };
        assert_eq!(rows[0]["id"].as_i64(), Some(i64::MAX));
        assert_eq!(case.partitions()[0]["path"], "p=1");
        let filters = [
            Filter {
                predicate: "p = 1".into(),
                count: 1,
                ids: Some(vec![7]),
            },
            Filter {
                predicate: "id < 0".into(),
                count: 0,
                ids: None,
            },
        ];
        assert_eq!(case.filters(), filters);
    }

    #[test]
    fn the_copy_has_the_empty_directories() {
        let root = tempfile::tempdir().unwrap();
        let case = Golden::load(&sample(root.path())).unwrap();
        let target = tempfile::tempdir().unwrap();
        let table = case.prepare(target.path()).unwrap();
        assert_eq!(
            fs::read_to_string(table.join("p=1/f.parquet")).unwrap(),
            "bytes"
        );
        assert!(table.join("p=2").is_dir());
        assert!(table.join("p=1/_temporary").is_dir());
    }

    #[test]
    fn an_expected_error_stands_in_place_of_rows() {
        let root = tempfile::tempdir().unwrap();
        let folder = sample(root.path());
        write(
            &folder,
            "expected-error.json",
            r#"{"kind": "corrupt", "mentions": ["f.parquet"]}"#,
        );
        let case = Golden::load(&folder).unwrap();
        let expected = Expected::Error {
            kind: "corrupt".into(),
            mentions: vec!["f.parquet".into()],
        };
        assert_eq!(case.expected(), &expected);
    }

    #[test]
    fn what_is_missing_or_malformed_is_named() {
        let root = tempfile::tempdir().unwrap();
        let folder = sample(root.path());
        write(&folder, "expected.jsonl", "{\"id\": 1}\n{\"id\": \n");
        let message = Golden::load(&folder).unwrap_err().to_string();
        assert!(message.contains("expected.jsonl: line 2"), "{message}");
        fs::remove_file(folder.join("partitions.jsonl")).unwrap();
        write(&folder, "expected.jsonl", "");
        let message = Golden::load(&folder).unwrap_err().to_string();
        assert!(message.contains("partitions.jsonl"), "{message}");
    }

    #[test]
    fn the_waiting_list_gives_reasons() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            "waiting.txt",
            "# none\n\na-orc: the reader: not yet\n",
        );
        let waiting = waiting(root.path()).unwrap();
        assert_eq!(
            waiting.into_iter().collect::<Vec<_>>(),
            [("a-orc".into(), "the reader: not yet".into())]
        );
    }
}
