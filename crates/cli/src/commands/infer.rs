//! `infer`: the schema of a directory of files, printed or kept in the warehouse.

use ftable_catalog::Catalog;
use ftable_core::options::keys;
use ftable_core::{Identifier, Options, Schema, TableSchema};
use ftable_io::Location;
use ftable_table::{CatalogExt, InferOptions};
use serde_json::Value;

use super::create::with_database;
use super::schema::{columns, ddl, json_line};
use crate::args::{InferArgs, Sample};
use crate::context::Context;
use crate::error::{Result, UsageSnafu};
use crate::render::OutputFormat;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: InferArgs) -> Result<()> {
    let InferArgs {
        path,
        register,
        if_not_exists,
        format,
        partition_keys,
        sample,
        all,
        table_options,
    } = arguments;
    // What is wrong with the name or the warehouse is told before files are looked at.
    let kept = match &register {
        Some(name) => {
            let identifier: Identifier = name.parse()?;
            Some((target::catalog(&context.global).await?, identifier))
        }
        None => None,
    };
    let mut options: Options = table_options.into_iter().collect();
    if let Some(format) = format {
        options.set(target::FILE_FORMAT, format);
    }
    let request = InferOptions {
        sample: target::sample(all.then_some(Sample::All).or(sample)),
        partition_keys,
        options,
    };
    let location: Location = path.parse()?;
    check_options(&context)?;
    let store = target::store(&context.global, &path)?;
    let inferred = target::infer(&context, &path, store, &request).await?;
    match kept {
        None => print(&mut context, &inferred.schema),
        Some((catalog, identifier)) => {
            keep(
                &*catalog,
                &identifier,
                &inferred.schema,
                location,
                if_not_exists,
            )
            .await?;
            tell(&mut context, &*catalog, &identifier).await
        }
    }
}

/// The options of this call reach the store and are not kept, as they may be secrets.
fn check_options(context: &Context) -> Result<()> {
    let options = target::table_options(&context.global);
    let of_table = |key: &str| keys::ALL.iter().any(|info| info.name == key);
    match options.iter().find(|(key, _)| of_table(key)) {
        Some((key, value)) => {
            let message =
                format!("option '{key}' is of the table and -c is not kept; say -o {key}={value}");
            UsageSnafu { message }.fail()
        }
        None => Ok(()),
    }
}

/// The statement that would create the table, unless another form is asked for.
fn print(context: &mut Context, schema: &Schema) -> Result<()> {
    let whole = TableSchema::new(0, schema, 0);
    match context.global.output {
        Some(OutputFormat::Json) => context.write(&json_line(schema)?)?,
        Some(OutputFormat::Csv) => context.print(&columns(&whole))?,
        Some(OutputFormat::Table) | None => context.write(ddl("t", &whole).as_bytes())?,
    }
    context.flush()
}

async fn keep(
    catalog: &dyn Catalog,
    identifier: &Identifier,
    schema: &Schema,
    location: Location,
    if_not_exists: bool,
) -> Result<()> {
    // Files that lie where the catalog would put them need no location of their own.
    let database = catalog.get_database(identifier.database()).await;
    let own = database.ok().and_then(|database| database.location);
    let own = own.and_then(|database| database.join(identifier.table()).ok());
    let is_own = own.is_some_and(|own| own.same_place(&location));
    // What the format can write does not matter here: the files exist, and are there to be read.
    let created = catalog.create_table_at(
        identifier,
        schema,
        (!is_own).then(|| location.clone()),
        if_not_exists,
    );
    with_database(catalog, identifier.database(), created).await?;
    let found = catalog.get_table(identifier).await?.location;
    if if_not_exists || found.same_place(&location) {
        return Ok(());
    }
    let message = format!(
        "the catalog has made table {identifier} at {found}, and the files lie at {location}; drop the table, and \
         create it with --location"
    );
    UsageSnafu { message }.fail()
}

async fn tell(context: &mut Context, catalog: &dyn Catalog, identifier: &Identifier) -> Result<()> {
    let table = catalog.get_format_table(identifier).await?;
    let columns = table.fields().iter().map(|field| field.to_string());
    let mut records = Records::new(["table", "location", "format", "partition_keys", "columns"]);
    records.push([
        Value::from(identifier.to_string()),
        Value::from(table.location().to_string()),
        Value::from(table.format().name()),
        Value::from(table.partition_keys().to_vec()),
        Value::from(columns.collect::<Vec<_>>()),
    ]);
    context.print(&records)
}
