//! Which table or catalog the arguments mean.

use std::sync::Arc;

use ftable_catalog::Catalog;
use ftable_core::options::is_secret_key;
use ftable_core::types::parse_columns;
use ftable_core::{ErrorKind, Identifier, Options, Schema};
use ftable_io::{FileSystem, Location, open_file_system};
use ftable_table::{CatalogExt, FormatTable, InferOptions, Inferred, infer_schema};
use snafu::ResultExt;

use crate::args::{Global, PathArgs, Sample, TableArgs};
use crate::context::Context;
use crate::error::{FileSnafu, InputSnafu, Result, UsageSnafu};

/// Options that a catalog reads and no table.
const CATALOG_KEYS: [&str; 9] = [
    "warehouse",
    "metastore",
    "table.type",
    "case-sensitive",
    "uri",
    "prefix",
    "token",
    "token.provider",
    "data-token.enabled",
];
/// What the others begin with: what a catalog gives to new tables, and how a server or a store is talked to.
const CATALOG_PREFIXES: [&str; 7] = [
    "table-default.",
    "header.",
    "dlf.",
    "rest.client.",
    "s3.",
    "s3a.",
    "fs.",
];
/// The option that says the files' format.
pub(crate) const FILE_FORMAT: &str = "file.format";

/// The catalog of the warehouse.
///
/// # Errors
/// Wrong usage without a warehouse; what the catalog refuses.
pub(crate) async fn catalog(global: &Global) -> Result<Arc<dyn Catalog>> {
    let mut options: Options = global.options.iter().cloned().collect();
    if let Some(warehouse) = &global.warehouse {
        options.set("warehouse", warehouse);
    }
    if !options.contains("warehouse") && !options.contains("metastore") {
        let message =
            "no warehouse is given; say --warehouse URI, or name a table by --path LOCATION";
        return UsageSnafu { message }.fail();
    }
    Ok(ftable_catalog::open(options).await?)
}

/// The table that is named or that lies at a path, with the options of this call over its own.
pub(crate) async fn table(context: &Context, target: &TableArgs) -> Result<FormatTable> {
    open(context, target, table_options(&context.global)).await
}

/// The same without the options of this call: the table as it is kept.
pub(crate) async fn table_as_kept(context: &Context, target: &TableArgs) -> Result<FormatTable> {
    open(context, target, Options::new()).await
}

/// The table that rows are written to: its directory may be made by that.
pub(crate) async fn table_to_write(
    context: &Context,
    name: Option<&str>,
    place: &PathArgs,
) -> Result<FormatTable> {
    let options = table_options(&context.global);
    match name {
        Some(name) => named(&context.global, name, &options).await,
        None => {
            let store = store_of(context, place)?;
            let exists = path_exists(place, &*store).await?;
            at_path(context, place, store, exists, options).await
        }
    }
}

async fn open(context: &Context, target: &TableArgs, options: Options) -> Result<FormatTable> {
    if let (Some(name), Some(path)) = (&target.table, &target.place.path) {
        let message =
            format!("both a table ({name}) and --path ({path}) are given; name one of them");
        return UsageSnafu { message }.fail();
    }
    let Some(name) = &target.table else {
        let store = store_of(context, &target.place)?;
        let exists = path_exists(&target.place, &*store).await?;
        let table = at_path(context, &target.place, store, exists, options).await?;
        if !exists {
            context.warn([format!("{} does not exist", table.location())]);
        }
        return Ok(table);
    };
    named(&context.global, name, &options).await
}

async fn named(global: &Global, name: &str, options: &Options) -> Result<FormatTable> {
    let identifier: Identifier = name.parse()?;
    let table = catalog(global).await?.get_format_table(&identifier).await?;
    match options.is_empty() {
        true => Ok(table),
        false => Ok(table.with_options(options)?),
    }
}

/// The store of a location, configured by all options of this call.
pub(crate) fn store(global: &Global, path: &str) -> Result<Arc<dyn FileSystem>> {
    let options = global.options.iter().cloned().collect();
    Ok(open_file_system(&path.parse()?, &options)?)
}

fn store_of(context: &Context, place: &PathArgs) -> Result<Arc<dyn FileSystem>> {
    store(&context.global, place.path.as_deref().unwrap_or_default())
}

async fn path_exists(place: &PathArgs, store: &dyn FileSystem) -> Result<bool> {
    let location: Location = place.path.as_deref().unwrap_or_default().parse()?;
    Ok(store.stat(location.path()).await?.is_some())
}

async fn at_path(
    context: &Context,
    place: &PathArgs,
    store: Arc<dyn FileSystem>,
    exists: bool,
    mut options: Options,
) -> Result<FormatTable> {
    let path = place.path.as_deref().unwrap_or_default();
    if let Some(format) = &place.format {
        options.set(FILE_FORMAT, format);
    }
    let builder = FormatTable::builder(path)?.file_system(Arc::clone(&store));
    let Some(text) = &place.schema else {
        return match builder.options(options.clone()).open().await {
            Ok(_) if !place.partition_keys.is_empty() || place.sample.is_some() => {
                let message =
                    format!("a schema lies under {path}; leave --partition-keys and --sample out");
                UsageSnafu { message }.fail()
            }
            Err(error) if error.kind() == ErrorKind::NotFound && exists => {
                inferred(context, place, store, options).await
            }
            Err(error) if error.kind() == ErrorKind::NotFound => InputSnafu {
                file: path,
                message: "it does not exist",
            }
            .fail(),
            opened => Ok(opened?),
        };
    };
    let mut schema = schema(text, &place.partitioned_by)?;
    // A table without a format of its own has the one that this call says.
    if let (false, Some(format)) = (
        schema.options.contains(FILE_FORMAT),
        options.get_raw(FILE_FORMAT),
    ) {
        schema.options.set(FILE_FORMAT, format);
    }
    Ok(builder.schema(schema).options(options).open().await?)
}

/// The table that a directory without a schema is.
async fn inferred(
    context: &Context,
    place: &PathArgs,
    store: Arc<dyn FileSystem>,
    options: Options,
) -> Result<FormatTable> {
    let path = place.path.as_deref().unwrap_or_default();
    let of_call = table_options(&context.global);
    // Nothing is kept here: what is said at the call is all that is known of the table.
    let known = options.merged_over(&of_call);
    let shown = known.iter().filter(|(key, _)| !is_secret_key(key));
    let request = InferOptions {
        sample: sample(place.sample),
        partition_keys: place.partition_keys.clone(),
        options: shown
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    };
    let inferred = infer(context, path, Arc::clone(&store), &request).await?;
    let builder = FormatTable::builder(path)?.file_system(store);
    Ok(builder.schema(inferred.schema).open().await?)
}

/// Infers the schema of a directory, and warns of what it may have missed.
pub(crate) async fn infer(
    context: &Context,
    path: &str,
    file_system: Arc<dyn FileSystem>,
    request: &InferOptions,
) -> Result<Inferred> {
    let inferred = match infer_schema(path, Some(file_system), request).await {
        Err(ftable_table::Error::NothingToInfer { message, .. }) => {
            let message = match message.split_once("; give its columns") {
                Some((what, _)) => format!(
                    "{what}; say its columns with --schema 'id INT, dt DATE' and --partitioned-by dt"
                ),
                None => message,
            };
            return InputSnafu {
                file: path,
                message,
            }
            .fail();
        }
        done => done?,
    };
    let (read, files) = (inferred.files_read, inferred.files);
    context.warn((read < files).then(|| {
        format!(
            "{path}: the schema is inferred from {read} of {files} files; --sample all looks at every one"
        )
    }));
    context.warn(inferred.plain_directory.iter().map(|directory| {
        format!(
            "{path}: the name of directory {directory} is not key=value and is not read; \
             name the keys with --partition-keys if it is a value"
        )
    }));
    Ok(inferred)
}

/// The number of files to look at; none is all.
pub(crate) fn sample(given: Option<Sample>) -> Option<usize> {
    match given {
        None => InferOptions::default().sample,
        Some(Sample::Files(files)) => Some(files),
        Some(Sample::All) => None,
    }
}

pub(crate) fn table_options(global: &Global) -> Options {
    let of_catalog = |key: &str| {
        CATALOG_KEYS.contains(&key)
            || CATALOG_PREFIXES
                .iter()
                .any(|prefix| key.starts_with(prefix))
    };
    global
        .options
        .iter()
        .filter(|(key, _)| !of_catalog(key))
        .cloned()
        .collect()
}

/// The schema that a column list or a file `*.json` describes.
///
/// # Errors
/// A text or file that cannot be read; partition keys that are said twice.
pub(crate) fn schema(text: &str, partitioned_by: &[String]) -> Result<Schema> {
    let keys = partitioned_by.iter().map(|key| key.trim().to_owned());
    if !text.to_ascii_lowercase().ends_with(".json") {
        return Ok(Schema::builder()
            .fields(parse_columns(text)?)
            .partition_by(keys)
            .build()?);
    }
    let json = std::fs::read_to_string(text).context(FileSnafu {
        action: "read",
        path: text,
    })?;
    let mut schema = match Schema::from_json(&json) {
        Ok(schema) => schema,
        Err(error) => {
            return InputSnafu {
                file: text,
                message: error.to_string(),
            }
            .fail();
        }
    };
    if !schema.options.contains("type") {
        schema.options.set("type", "format-table");
    }
    let keys: Vec<String> = keys.collect();
    if !keys.is_empty() {
        if !schema.partition_keys.is_empty() && schema.partition_keys != keys {
            let message = format!("{text} has partitionKeys; leave --partitioned-by out");
            return UsageSnafu { message }.fail();
        }
        schema.partition_keys = keys;
    }
    Ok(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalog_options_are_not_laid_over_tables() {
        let pairs = [
            "warehouse",
            "metastore",
            "table-default.x",
            "read.batch-size",
        ]
        .map(|key| (key.to_owned(), "1".to_owned()));
        let global = Global {
            options: pairs.to_vec(),
            ..Global::default()
        };
        assert_eq!(
            table_options(&global),
            Options::from([("read.batch-size", "1")])
        );
    }

    #[test]
    fn schemas_from_text_and_from_files() {
        let keys = ["b".to_owned(), " a".to_owned()];
        let from_text = schema("a INT, b DATE", &keys).unwrap();
        assert_eq!(from_text.partition_keys, ["b", "a"]);
        assert_eq!(from_text.options.get_raw("type"), Some("format-table"));

        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("s.JSON");
        let file = file.to_str().unwrap();
        let json = r#"{"fields": [{"name": "a", "type": "INT"}], "partitionKeys": ["a"], "options": {"file.format": "orc"}}"#;
        std::fs::write(file, json).unwrap();
        let from_file = schema(file, &[]).unwrap();
        assert_eq!(from_file.partition_keys, ["a"]);
        assert_eq!(from_file.options.get_raw("file.format"), Some("orc"));
        assert_eq!(schema(file, &["b".to_owned()]).unwrap_err().exit_code(), 2);

        std::fs::write(file, "{").unwrap();
        let error = schema(file, &[]).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{file}: schema JSON cannot be read")),
            "{error}"
        );
        assert_eq!(
            schema("missing.json", &[]).unwrap_err().kind(),
            ErrorKind::NotFound
        );
    }
}
