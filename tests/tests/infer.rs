//! Schemas of directories that have none.

#![allow(clippy::unwrap_used)] // what cannot be made fails the test that needs it

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use ftable::ErrorKind;
use ftable_cli::render::json;
use ftable_core::{DataField, FileFormatKind, Options};
use ftable_io::{FileSystem, OpendalFileSystem};
use ftable_table::{Error, FormatTable, InferOptions, Inferred, infer_schema};
use ftable_testkit::faulty::{Fault, FaultyFileSystem, Operation, Rule};
use ftable_testkit::golden::{Expected, Golden, rows_difference};
use futures::TryStreamExt;
use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

async fn infer(path: &Path, request: &InferOptions) -> Result<Inferred, Error> {
    infer_schema(path.to_str().unwrap(), None, request).await
}

/// Golden tables of which no schema can be inferred, with a part of what is said.
const REFUSED: [(&str, &str); 5] = [
    // Directories `P=a`, `p`, `q=a` and files beside those of the key.
    ("hand-foreign-names", "cannot be inferred: "),
    // Below `p=a` there are files, and a directory `k=v` with more of them.
    (
        "hand-nested-dirs",
        "p=a/000000_0 lies beside the partition p=a/k=v",
    ),
    // Names of other columns by position in one file, half of them placeholders in another.
    ("hand-orc-col-names", "column name is STRING in"),
    (
        "hand-zero-length-parquet",
        "zero.parquet: not a readable parquet file: it is empty",
    ),
    // A directory of each marker, one of which is a text.
    ("paimon-java-part-hive-default-orc", "both look like NULL"),
];

/// Columns that are declared otherwise than a directory can tell, and what it does tell.
const DIFFERENT: [(&str, &str); 33] = [
    // Files have ROW children that are not declared.
    (
        "hand-drift-struct-orc",
        "s ROW<x INT, y STRING, z BIGINT, w INT>, l ARRAY<ROW<k STRING, v INT, u INT>>",
    ),
    // Texts of partitions that other values than the proposed type's are spelled as.
    ("hand-spell-boolean", "k STRING"),
    ("hand-spell-date", "k STRING"),
    ("hand-spell-int", "k STRING"),
    ("hand-spell-timestamp", "k STRING"),
    ("hand-unparsable-int", "m STRING"),
    ("spark-part-int-padded-parquet", "m STRING, d STRING"),
    // Types of partitions that are never guessed; a DATE as a number of days.
    ("paimon-java-part-bool-int-bigint-parquet", "b STRING"),
    ("paimon-java-part-date-legacy-orc", "dt INT"),
    ("paimon-java-part-decimal-parquet", "d STRING, e STRING"),
    (
        "paimon-java-part-small-float-orc",
        "t INT, s INT, f STRING, d STRING",
    ),
    ("paimon-java-part-ts0-ts9-parquet", "a STRING, b STRING"),
    ("paimon-java-part-ts3-cast-orc", "ts STRING"),
    ("paimon-java-part-ts3-legacy-parquet", "ts STRING"),
    ("pypaimon-part-parquet", "b STRING"),
    ("spark-part-decimal-orc", "d STRING, e STRING"),
    ("spark-part-timestamp-orc", "ts STRING"),
    // INT96 has no precision and no zone.
    ("hive-types-parquet", "c_ts6 TIMESTAMP(9)"),
    (
        "mixed-engines-parquet",
        "c_ltz6 TIMESTAMP(9) WITH LOCAL TIME ZONE",
    ),
    (
        "pyarrow-types-parquet-int96",
        "c_ts6 TIMESTAMP(9), c_ts3 TIMESTAMP(9)",
    ),
    ("spark-int96-as-timestamp", "z TIMESTAMP(9)"),
    ("spark-int96-process-shanghai", "z TIMESTAMP(9)"),
    ("spark-int96-utc", "z TIMESTAMP(9)"),
    // The finest unit of the files.
    (
        "pyarrow-parquet-timestamp-units",
        "a TIMESTAMP(9), b TIMESTAMP(9), z TIMESTAMP(9) WITH LOCAL TIME ZONE",
    ),
    // ORC timestamps have no precision; its TIME is an INT, and bytes have no length.
    ("paimon-java-orc-before-1582", "t TIMESTAMP(6)"),
    ("paimon-java-orc-last-second-1969", "t3 TIMESTAMP(6)"),
    (
        "paimon-java-orc-ltz-instant",
        "z3 TIMESTAMP(6) WITH LOCAL TIME ZONE, t3 TIMESTAMP(6)",
    ),
    ("paimon-java-orc-zone-shanghai", "t3 TIMESTAMP(6)"),
    (
        "paimon-java-types-orc",
        "c_ts3 TIMESTAMP(6), c_ts9 TIMESTAMP(6), c_time INT, c_bin4 BYTES",
    ),
    (
        "pyarrow-types-orc",
        "c_ts3 TIMESTAMP(6), c_ts9 TIMESTAMP(6)",
    ),
    // Parquet has no lengths.
    (
        "paimon-java-types-parquet",
        "c_char STRING, c_vchar STRING, c_bin4 BYTES",
    ),
    // Files without names of columns.
    ("pyorc-hive-names-char", "id -, c -, v -, s -, d -"),
    ("spark-orc-col-names", "id -, s -, d -, f -"),
];

/// The columns that the inferred schema has as they are declared, and what it has in place of the others.
fn compare<'a>(
    declared: &'a [DataField],
    inferred: &[DataField],
) -> (Vec<&'a DataField>, Vec<String>) {
    let (mut same, mut different) = (Vec::new(), Vec::new());
    // Ids inside of ROW are those of the whole schema, and NOT NULL is not proposed.
    let text = |field: &DataField| field.to_string().replace(" NOT NULL", "");
    for field in declared {
        match inferred.iter().find(|other| other.name == field.name) {
            Some(other) if text(other) == text(field) => same.push(field),
            Some(other) => different.push(other.to_string()),
            None => different.push(format!("{} -", field.name)),
        }
    }
    (same, different)
}

async fn rows(table: &FormatTable, columns: &[&DataField]) -> Result<Vec<Value>, String> {
    let plan = table.scan().build().unwrap().plan().await;
    let plan = plan.map_err(|error| error.to_string())?;
    let names = columns.iter().map(|field| field.name.as_str());
    let read = table
        .read()
        .columns(names)
        .value_kind(false)
        .build()
        .unwrap();
    let batches: Vec<_> = read
        .stream(&plan)
        .unwrap()
        .try_collect()
        .await
        .map_err(|error| error.to_string())?;
    Ok(batches
        .iter()
        .flat_map(|batch| json::rows(batch).unwrap())
        .collect())
}

/// The expected rows with these columns alone.
fn projected(rows: &[Value], columns: &[&DataField]) -> Vec<Value> {
    let project = |row: &Value| {
        let members = columns
            .iter()
            .map(|field| (field.name.clone(), row[&field.name].clone()));
        Value::Object(members.collect())
    };
    rows.iter().map(project).collect()
}

/// Compares what is inferred of a golden table with what it is declared as; the number of columns compared.
async fn check(case: &Golden, path: &Path) -> Result<usize, String> {
    let declared = case.schema();
    let value_only = declared
        .options
        .contains("format-table.partition-path-only-value");
    let request = InferOptions {
        sample: None,
        partition_keys: match value_only {
            true => declared.partition_keys.clone(),
            false => Vec::new(),
        },
        ..InferOptions::default()
    };
    let inferred = infer(path, &request).await.map_err(|e| e.to_string())?;
    let schema = inferred.schema;
    if schema.partition_keys != declared.partition_keys {
        return Err(format!("keys {:?}", schema.partition_keys));
    }
    for option in [
        "file.format",
        "format-table.partition-path-only-value",
        "type",
    ] {
        let (is, should) = (
            schema.options.get_raw(option),
            declared.options.get_raw(option),
        );
        if is != should {
            return Err(format!("{option} is {is:?}, not {should:?}"));
        }
    }
    if let Some(field) = schema.fields.iter().find(|f| !f.data_type.is_nullable()) {
        return Err(format!("{} is not nullable", field.name));
    }
    let (columns, different) = compare(&declared.fields, &schema.fields);
    let told = DIFFERENT.iter().find(|(name, _)| *name == case.name());
    if different.join(", ") != told.map_or("", |(_, different)| different) {
        return Err(different.join(", "));
    }
    let Expected::Rows(expected) = case.expected() else {
        return Ok(0);
    };
    let builder = FormatTable::builder(path.to_str().unwrap()).unwrap();
    let table = builder.schema(schema.clone()).open().await;
    let table = table.map_err(|error| error.to_string())?;
    let fields: Vec<DataField> = columns.iter().map(|field| (*field).clone()).collect();
    let expected = projected(expected, &columns);
    match rows_difference(&expected, &rows(&table, &columns).await?, &fields) {
        None => Ok(columns.len()),
        Some(difference) => Err(difference),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_inferred_of_golden_tables_reads_as_they_do() {
    let directory = tempfile::tempdir().unwrap();
    let refused: BTreeMap<&str, &str> = REFUSED.into_iter().collect();
    let (mut findings, mut compared) = (Vec::new(), 0);
    for case in Golden::selected(&root()).unwrap() {
        let path = case.prepare(directory.path()).unwrap();
        let outcome = check(&case, &path).await;
        match (outcome, refused.get(case.name())) {
            (Ok(count), None) => compared += count,
            (Err(message), Some(part)) if message.contains(part) => {}
            // Files of lines say no types, and those without a known extension no format.
            (Err(message), None) if has_lines(&case) && asks_for_more(&message) => {}
            (outcome, _) => findings.push(format!("{}: {outcome:?}", case.name())),
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    // Where types differ, rows are not compared; of 638 columns most are.
    assert!(compared > 560, "{compared}");
}

fn has_lines(case: &Golden) -> bool {
    let format = case.schema().options.get_raw("file.format");
    matches!(format, Some("csv" | "json" | "text"))
}

fn asks_for_more(message: &str) -> bool {
    message.contains("give a schema") || message.contains("'file.format'")
}

/// The declared types of this table are the narrowest that hold every file's.
#[tokio::test]
async fn drifting_files_come_to_the_narrowest_common_types() {
    let directory = tempfile::tempdir().unwrap();
    let case = Golden::load(&root().join("pyarrow-drift-hive-parquet")).unwrap();
    let path = case.prepare(directory.path()).unwrap();
    let inferred = infer(&path, &InferOptions::default()).await.unwrap();
    let text = |fields: &[DataField]| {
        let mut texts: Vec<String> = fields.iter().map(ToString::to_string).collect();
        texts.sort();
        texts
    };
    assert_eq!(text(&inferred.schema.fields), text(&case.schema().fields));
    assert_eq!(inferred.schema.options, case.schema().options);
    assert_eq!((inferred.files, inferred.files_read), (3, 3));

    // The first and the last file alone: neither has the INT that makes a DOUBLE of `score`.
    let request = InferOptions {
        sample: Some(2),
        ..InferOptions::default()
    };
    let inferred = infer(&path, &request).await.unwrap();
    assert_eq!((inferred.files, inferred.files_read), (3, 2));
    let few: Vec<String> = inferred
        .schema
        .fields
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(few.contains(&"score FLOAT".to_owned()), "{few:?}");
}

/// Of a file without names of columns the names are placeholders; lengths of texts are those of the file.
#[tokio::test]
async fn orc_files_say_lengths_and_perhaps_no_names() {
    let golden = |case: &str| root().join(case).join("data");
    let request = InferOptions::default();
    let unnamed = infer(&golden("pyorc-hive-names-char"), &request)
        .await
        .unwrap();
    let expected = [
        "_col0 INT",
        "_col1 CHAR(4)",
        "_col2 VARCHAR(6)",
        "_col3 STRING",
        "_col4 DECIMAL(10, 2)",
    ];
    assert_eq!(columns(&unnamed), expected);
    let named = infer(&golden("paimon-java-char-orc"), &request)
        .await
        .unwrap();
    assert_eq!(columns(&named), ["id INT", "c CHAR(4)", "v VARCHAR(6)"]);
}

#[tokio::test]
async fn options_say_what_the_directories_do_not() {
    let directory = tempfile::tempdir().unwrap();
    let case = Golden::load(&root().join("paimon-java-part-hive-default-orc")).unwrap();
    let path = case.prepare(directory.path()).unwrap();
    let options = Options::from([("partition.default-name", "__HIVE_DEFAULT_PARTITION__")]);
    let table = FormatTable::infer(path.to_str().unwrap(), options)
        .await
        .unwrap();
    assert_eq!(table.partition_keys(), ["p"]);
    assert_eq!(table.format(), FileFormatKind::Orc);
    let Expected::Rows(expected) = case.expected() else {
        panic!("a case with rows");
    };
    let columns: Vec<&DataField> = case.schema().fields.iter().collect();
    let actual = rows(&table, &columns).await.unwrap();
    assert_eq!(
        rows_difference(expected, &actual, &case.schema().fields),
        None
    );
}

/// A directory of copies of one Parquet file.
struct Tree {
    directory: TempDir,
    file: Vec<u8>,
}

impl Tree {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            file: fs::read(root().join("hand-foreign-names/data/P=a/f.parquet")).unwrap(),
        }
    }

    fn with(files: &[&str]) -> Self {
        let tree = Self::new();
        for file in files {
            tree.put(file, &tree.file);
        }
        tree
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("t")
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn directory(&self, name: &str) {
        fs::create_dir_all(self.path().join(name)).unwrap();
    }

    async fn infer(&self, keys: &[&str], options: &[(&str, &str)]) -> Result<Inferred, Error> {
        let request = InferOptions {
            partition_keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            options: options
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            ..InferOptions::default()
        };
        infer(&self.path(), &request).await
    }

    /// The message without what every message begins with.
    async fn refused(&self) -> String {
        self.refused_with(&[], &[]).await
    }

    async fn refused_with(&self, keys: &[&str], options: &[(&str, &str)]) -> String {
        let error = self.infer(keys, options).await.unwrap_err();
        let message = error.to_string();
        let path = self.path();
        let begin = format!("table {}: ", path.to_str().unwrap());
        let message = message.strip_prefix(&begin).unwrap_or(&message);
        let message = message
            .strip_prefix("its schema cannot be inferred: ")
            .unwrap_or(message);
        message.replace(path.to_str().unwrap(), "")
    }
}

fn columns(inferred: &Inferred) -> Vec<String> {
    inferred
        .schema
        .fields
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[tokio::test]
async fn branches_have_to_agree() {
    for (files, message) in [
        (
            &["y=1/f.parquet", "z=2/f.parquet"][..],
            "y=1 and z=2 are partitions of different keys at the same level; move one of them",
        ),
        (
            &["y=1/m=1/f.parquet", "y=2/d=1/f.parquet"],
            "y=1/m=1 and y=2/d=1 are partitions of different keys at the same level; move one of them",
        ),
        (
            &["y=1/m=1/f.parquet", "y=2/f.parquet"],
            "y=2 has data files, and y=1/m=1 lies on another level; every file has to lie below the same keys",
        ),
        (
            &["y=1/f.parquet", "y=2/m=1/f.parquet"],
            "y=1 has data files, and y=2/m=1 lies on another level; every file has to lie below the same keys",
        ),
        (
            &["loose.parquet", "y=1/f.parquet"],
            "the file loose.parquet lies beside the partition y=1 and would not be read; move one of them",
        ),
        (
            &["y=1/f.parquet", "other/f.parquet"],
            "the directory other lies beside the partition y=1, and its name is not key=value; move one of them",
        ),
        (&["y=1/y=2/f.parquet"], "y=1/y=2 has the key 'y' twice"),
        (
            &["old/y=1/f.parquet"],
            "old/y=1 is named like a partition, and old above it is none; move one of them",
        ),
        (
            &["y=1/f.parquet", "y=2/g.orc"],
            "y=1/f.parquet is a parquet file and y=2/g.orc a orc file, and a table has one format; move the others \
             away, or say which one is meant with 'file.format'",
        ),
    ] {
        assert_eq!(Tree::with(files).refused().await, message, "{files:?}");
    }
}

#[tokio::test]
async fn hidden_and_empty_directories_say_nothing_but_their_values() {
    let tree = Tree::with(&[
        "y=1/f.parquet",
        "_z=1/f.parquet",
        ".q/f.orc",
        "y=1/_temporary/.x",
    ]);
    tree.put("_SUCCESS", b"");
    tree.directory("y=2");
    assert_eq!(
        columns(&tree.infer(&[], &[]).await.unwrap()),
        ["id INT", "y INT"]
    );
    // A directory without files is a partition all the same, and its value has to be one of the type.
    tree.directory("y=03");
    assert_eq!(
        columns(&tree.infer(&[], &[]).await.unwrap()),
        ["id INT", "y STRING"]
    );
    // Keys and values are unescaped.
    let tree = Tree::with(&["a%20b=x%2Fy/f.parquet"]);
    let inferred = tree.infer(&[], &[]).await.unwrap();
    assert_eq!(columns(&inferred), ["id INT", "`a b` STRING"]);
    assert_eq!(inferred.schema.partition_keys, ["a b"]);
}

#[tokio::test]
async fn a_date_is_written_as_it_is_found() {
    let tree = Tree::with(&["dt=2024-01-01/f.parquet"]);
    let inferred = tree.infer(&[], &[]).await.unwrap();
    assert_eq!(columns(&inferred), ["id INT", "dt DATE"]);
    let legacy = |inferred: &Inferred| {
        let option = inferred.schema.options.get_raw("partition.legacy-name");
        option.map(str::to_owned)
    };
    assert_eq!(legacy(&inferred).as_deref(), Some("false"));
    let given = tree
        .infer(&[], &[("partition.legacy-name", "true")])
        .await
        .unwrap();
    assert_eq!(legacy(&given).as_deref(), Some("true"));
    let days = Tree::with(&["dt=19723/f.parquet"])
        .infer(&[], &[])
        .await
        .unwrap();
    assert_eq!(
        (columns(&days), legacy(&days)),
        (vec!["id INT".to_owned(), "dt INT".to_owned()], None)
    );
}

#[tokio::test]
async fn keys_may_be_given() {
    let tree = Tree::with(&[
        "2024/06/f.parquet",
        "2024/__HIVE_DEFAULT_PARTITION__/f.parquet",
    ]);
    let inferred = tree.infer(&["y", "m"], &[]).await.unwrap();
    assert_eq!(columns(&inferred), ["id INT", "y INT", "m STRING"]);
    let option = |key: &str| inferred.schema.options.get_raw(key);
    assert_eq!(
        option("format-table.partition-path-only-value"),
        Some("true")
    );
    assert_eq!(
        option("partition.default-name"),
        Some("__HIVE_DEFAULT_PARTITION__")
    );
    // The option of Paimon's SQL says the same.
    let by_option = tree.infer(&[], &[("partition", "y, m")]).await.unwrap();
    assert_eq!(by_option.schema, inferred.schema);
    // Without keys the directories are no more than places of files, which is told.
    let plain = tree.infer(&[], &[]).await.unwrap();
    assert_eq!(
        (columns(&plain), plain.files),
        (vec!["id INT".to_owned()], 1)
    );
    assert_eq!(plain.plain_directory.as_deref(), Some("2024"));

    let too_few = tree.refused_with(&["y", "m", "d"], &[]).await;
    assert_eq!(
        too_few,
        "the file 2024/06/f.parquet lies where directories hold the values of 'd' and would not be read; move it"
    );
    let unnamed = tree
        .refused_with(&[], &[("format-table.partition-path-only-value", "true")])
        .await;
    assert!(unnamed.ends_with("give the partition keys"), "{unnamed}");

    let tree = Tree::with(&["y=1/m=2/f.parquet"]);
    assert_eq!(
        tree.infer(&["y", "m"], &[])
            .await
            .unwrap()
            .schema
            .partition_keys,
        ["y", "m"]
    );
    assert_eq!(
        tree.refused_with(&["m", "y"], &[]).await,
        "its directories have the keys [y, m], not the given [m, y]"
    );
}

#[tokio::test]
async fn formats_are_told_by_name_then_by_content() {
    let tree = Tree::with(&["000000_0", "part-1.c000"]);
    let inferred = tree.infer(&[], &[]).await.unwrap();
    assert_eq!(
        inferred.schema.options.get_raw("file.format"),
        Some("parquet")
    );
    tree.put("zero", b"");
    tree.put("notes.md", b"# Notes");
    assert_eq!(
        tree.refused().await,
        "neither the name of notes.md nor its first bytes say a format; move it away, or say which it has with \
         'file.format'"
    );
    let tree = Tree::with(&["000000_0"]);
    tree.put("000001_0", b"ORC and more");
    assert!(
        tree.refused()
            .await
            .starts_with("000000_0 is a parquet file and 000001_0 a orc file")
    );
    let chosen = [("file.format", "parquet")];
    assert_eq!(
        tree.refused_with(&[], &chosen).await,
        "/000001_0: not a readable parquet file: it does not end in PAR1; it is no parquet file, or cut off"
    );
    // With a format chosen, files that name another are not looked at.
    let tree = Tree::with(&["a.parquet"]);
    tree.put("b.orc", b"ORC");
    assert_eq!(
        columns(&tree.infer(&[], &chosen).await.unwrap()),
        ["id INT"]
    );

    for (name, reason) in [
        (
            "a.csv.gz",
            "csv files do not say the types of their columns; give a schema",
        ),
        (
            "a.jsonl",
            "json files do not say the types of their columns; give a schema",
        ),
        (
            "a.txt",
            "text files do not say their columns; give a schema",
        ),
    ] {
        let tree = Tree::new();
        tree.put(name, b"1\n");
        let error = tree.infer(&[], &[]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn nothing_and_damage_are_named() {
    let tree = Tree::new();
    let error = tree.infer(&[], &[]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(tree.refused().await, "it does not exist");
    tree.directory("p=1/q=2");
    let error = tree.infer(&[], &[]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        tree.refused().await,
        "no data file lies under it; give its columns and partition keys as a schema"
    );
    tree.put("p=1/q=2/zero.parquet", b"");
    assert_eq!(
        tree.refused().await,
        "/p=1/q=2/zero.parquet: not a readable parquet file: it is empty"
    );
    tree.put("p=1/q=2/zero.parquet", &tree.file[..tree.file.len() / 2]);
    assert_eq!(
        tree.refused().await,
        "/p=1/q=2/zero.parquet: not a readable parquet file: it does not end in PAR1; it is no parquet file, or cut off"
    );
    let tree = Tree::new();
    tree.put("zero.orc", b"");
    assert!(
        tree.refused()
            .await
            .starts_with("the files looked at have no columns")
    );
    let file = Tree::with(&["f.parquet"]);
    let request = InferOptions::default();
    let error = infer(&file.path().join("f.parquet"), &request)
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("it is a file; name the directory it lies in"),
        "{error}"
    );
    let none = InferOptions {
        sample: Some(0),
        ..request
    };
    assert_eq!(
        infer(&file.path(), &none).await.unwrap_err().kind(),
        ErrorKind::InvalidArgument
    );
}

/// A store in memory with one file in each of so many partitions, watched.
async fn store(name: &str, partitions: usize) -> (String, FaultyFileSystem) {
    let store = Arc::new(OpendalFileSystem::memory(name).unwrap());
    let file = Bytes::from(Tree::new().file);
    for day in 0..partitions {
        let path = format!("/t/d={day}/f.parquet");
        assert!(store.create_whole(&path, file.clone()).await.unwrap());
    }
    (format!("memory://{name}/t"), FaultyFileSystem::over(store))
}

/// Every failure of the store is one of the inference: what could not be looked at is never taken for nothing.
#[tokio::test]
async fn whatever_fails_is_told() {
    let mut tried = 0;
    for call in 1.. {
        let (location, files) = store(&format!("infer-fails-{call}"), 3).await;
        files.inject(Rule::any(Fault::Fail).call(call));
        let request = InferOptions::default();
        let outcome = infer_schema(&location, Some(Arc::new(files.clone())), &request).await;
        if files.faults() == 0 {
            assert_eq!(columns(&outcome.unwrap()), ["id INT", "d INT"]);
            break;
        }
        assert!(outcome.is_err(), "call {call}: {:?}", files.trace());
        tried = call;
    }
    // At least the root, three partitions, and a request for each file.
    assert!(tried >= 7, "{tried}");
}

#[tokio::test]
async fn a_sample_opens_no_more_files_than_it_has() {
    let (location, files) = store("infer-sample", 100).await;
    let watched: Arc<dyn FileSystem> = Arc::new(files.clone());
    let mut request = InferOptions::default();
    for (sample, opened) in [(Some(16), 16), (Some(1), 1), (None, 100)] {
        files.reset_counters();
        request.sample = sample;
        let inferred = infer_schema(&location, Some(Arc::clone(&watched)), &request)
            .await
            .unwrap();
        assert_eq!((inferred.files, inferred.files_read), (100, opened));
        assert_eq!(files.calls(Operation::Open) as u64, opened);
        // The values of partitions are those of all directories.
        assert_eq!(columns(&inferred), ["id INT", "d INT"]);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn loops_and_names_that_are_no_text_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let tree = Tree::with(&["y=1/f.parquet"]);
    symlink(tree.path(), tree.path().join("y=2")).unwrap();
    assert_eq!(tree.refused().await, "y=2/y=1 has the key 'y' twice");
    let tree = Tree::new();
    tree.directory("y=1");
    symlink(tree.path(), tree.path().join("y=1/y=1")).unwrap();
    assert_eq!(tree.refused().await, "y=1/y=1 has the key 'y' twice");
    let tree = Tree::with(&["f.parquet"]);
    symlink(tree.path(), tree.path().join("again")).unwrap();
    let error = tree.infer(&[], &[]).await.unwrap_err();
    assert!(error.to_string().contains("again/again"), "{error}");

    let tree = Tree::with(&["y=1/f.parquet"]);
    fs::create_dir(tree.path().join(OsStr::from_bytes(b"y=\xFF"))).unwrap();
    let error = tree.infer(&[], &[]).await.unwrap_err();
    assert!(error.to_string().contains("UTF-8"), "{error}");
    // A control character is a character of a name like any other.
    let tree = Tree::with(&["y=a\u{7}b/f.parquet"]);
    assert_eq!(
        columns(&tree.infer(&[], &[]).await.unwrap()),
        ["id INT", "y STRING"]
    );
}

#[tokio::test]
async fn a_table_with_a_schema_is_opened_and_not_inferred() {
    let tree = Tree::with(&["f.parquet"]);
    let schema = r#"{"version": 3, "id": 0, "fields": [{"id": 0, "name": "id", "type": "INT"}], "highestFieldId": 0,
        "partitionKeys": [], "primaryKeys": [], "options": {"type": "format-table"}, "timeMillis": 0}"#;
    tree.put("schema/schema-0", schema.as_bytes());
    let error = tree.infer(&[], &[]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(
        tree.refused().await,
        "one lies under it already; open the table by its path"
    );
    tree.put(
        "schema/schema-0",
        schema.replace("format-table", "table").as_bytes(),
    );
    assert_eq!(
        tree.infer(&[], &[]).await.unwrap_err().kind(),
        ErrorKind::Unsupported
    );
}
