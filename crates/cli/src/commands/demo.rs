//! `demo`: the main job end to end, in a directory that goes away.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::types::{
    Date32Type, Decimal128Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use ftable_core::partition::is_hidden;
use ftable_core::{Identifier, Schema};
use ftable_table::{CatalogExt, FormatTable};
use futures::TryStreamExt;
use snafu::ResultExt;

use super::partition_members;
use crate::args::Global;
use crate::context::Context;
use crate::error::{Error, FileSnafu, RenderSnafu, Result};
use crate::filter::parse_filter;
use crate::render::json;
use crate::render::records::write_json_object;
use crate::target;

/// The filter of the scans: the first part selects directories, the second rows.
const FILTER: &str = "dt >= DATE '2024-01-02' AND price > 10";
/// 2024-01-01 in days since 1970-01-01.
const FIRST_DAY: i32 = 19_723;
/// Microseconds of an hour.
const HOUR: i64 = 3_600_000_000;

/// A row: id, item, quantity, price in cents, weight, gift, hour of the day, day from the first, region.
type Order = (
    i64,
    &'static str,
    i32,
    i128,
    f64,
    Option<bool>,
    i64,
    i32,
    Option<&'static str>,
);

const ORDERS: [Order; 6] = [
    (1, "tea", 2, 450, 0.25, Some(false), 9, 0, Some("EU")),
    (2, "kettle", 1, 3900, 1.1, Some(true), 10, 0, Some("EU")),
    (3, "tea", 1, 450, 0.25, None, 11, 0, Some("US")),
    (4, "teapot", 1, 2750, 0.9, Some(true), 9, 1, Some("EU")),
    (5, "cup", 6, 595, 0.3, Some(false), 15, 1, Some("EU")),
    (6, "tray", 1, 1800, 0.7, None, 16, 1, None),
];

pub(super) async fn run(mut context: Context) -> Result<()> {
    let directory = tempfile::tempdir().context(FileSnafu {
        action: "create",
        path: "a temporary directory",
    })?;
    let warehouse = directory.path().to_string_lossy().into_owned();
    context.global = Global {
        warehouse: Some(warehouse.clone()),
        ..Global::default()
    };
    let mut story =
        format!("A format table is a directory of files. This warehouse is {warehouse}.\n\n");
    let done = tell_all(&context, &mut story, directory.path()).await;
    // A story that breaks off is told as far as it goes.
    context.write(story.as_bytes())?;
    context.flush()?;
    done
}

async fn tell_all(context: &Context, story: &mut String, warehouse: &Path) -> Result<()> {
    parquet(context, story, warehouse).await?;
    orc(context, story, warehouse).await?;
    let last = "The directory is removed now. `ftable --help` says how to make one that stays.";
    tell(story, format_args!("\n{last}"));
    Ok(())
}

async fn parquet(context: &Context, story: &mut String, warehouse: &Path) -> Result<()> {
    let columns = "id BIGINT NOT NULL, item STRING, quantity INT, price DECIMAL(10, 2), weight DOUBLE, gift BOOLEAN, \
                   sold_at TIMESTAMP(6), dt DATE, region STRING";
    tell(
        story,
        format_args!(
            "1. Create shop.orders as Parquet, partitioned by dt and region:\n   {columns}"
        ),
    );
    let table = create(
        context,
        "shop.orders",
        columns,
        &[("file.format", "parquet")],
    )
    .await?;

    let price = decimal_prices().map_err(not_a_batch)?;
    let written = write(&table, orders(price).map_err(not_a_batch)?).await?;
    tell(
        story,
        format_args!("2. Append {written}: each row finds its directory by its own dt and region"),
    );

    partitions(&table, story).await?;
    tell(story, format_args!("4. Scan where {FILTER}:"));
    scan(
        &table,
        story,
        &["id", "item", "price", "gift", "sold_at", "dt", "region"],
    )
    .await?;

    let plan = table.scan().build()?.plan().await?;
    let rows = table.read().build()?.count(&plan).await?;
    tell(
        story,
        format_args!(
            "5. Count: {rows} rows, by the footers of {} files alone",
            plan.file_count()
        ),
    );

    tell(
        story,
        format_args!("6. What lies on disk; a date is spelled as its day number, as Paimon does:"),
    );
    tree(story, &warehouse.join("shop.db/orders"));
    Ok(())
}

async fn partitions(table: &FormatTable, story: &mut String) -> Result<()> {
    tell(
        story,
        format_args!(
            "3. List the partitions; order 6 has no region, and the default partition keeps its null:"
        ),
    );
    for partition in table.scan().build()?.list_partitions().await? {
        let mut values = Vec::new();
        write_json_object(
            partition_members(table, &partition.values).into_iter(),
            &mut values,
        );
        tell(
            story,
            format_args!(
                "   {:<38} {}",
                String::from_utf8_lossy(&values),
                partition.path
            ),
        );
    }
    Ok(())
}

async fn orc(context: &Context, story: &mut String, warehouse: &Path) -> Result<()> {
    let columns = "id BIGINT NOT NULL, item STRING, quantity INT, price DOUBLE, weight DOUBLE, gift BOOLEAN, \
                   sold_at TIMESTAMP(6), dt DATE, region STRING";
    let options = [("file.format", "orc"), ("partition.legacy-name", "false")];
    let table = create(context, "shop.orders_orc", columns, &options).await?;
    let mut prices = PrimitiveBuilder::<Float64Type>::new();
    // A few thousand cents: exact.
    ORDERS
        .iter()
        .for_each(|order| prices.append_value(order.3 as f64 / 100.0));
    let written = write(
        &table,
        orders(Arc::new(prices.finish())).map_err(not_a_batch)?,
    )
    .await?;
    tell(
        story,
        format_args!(
            "7. The same in ORC, dates spelled out (partition.legacy-name=false): {written}; the same scan:"
        ),
    );
    scan(&table, story, &["id", "item", "price", "dt", "region"]).await?;
    tree(story, &warehouse.join("shop.db/orders_orc"));
    Ok(())
}

/// Adds a line. Writing to a string cannot fail.
fn tell(story: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(story, "{line}");
}

async fn create(
    context: &Context,
    name: &str,
    columns: &str,
    options: &[(&str, &str)],
) -> Result<FormatTable> {
    let identifier: Identifier = name.parse()?;
    let schema = Schema::builder()
        .fields(ftable_core::types::parse_columns(columns)?)
        .partition_by(["dt", "region"])
        .options(options.iter().copied())
        .build()?;
    let catalog = target::catalog(&context.global).await?;
    catalog.create_database(identifier.database(), true).await?;
    catalog
        .create_format_table(&identifier, &schema, None, false)
        .await?;
    Ok(catalog.get_format_table(&identifier).await?)
}

async fn write(table: &FormatTable, batch: RecordBatch) -> Result<String> {
    let mut write = table.write().build()?;
    write.write(batch).await?;
    let messages = write.prepare_commit().await?;
    let report = table.commit().build()?.commit(messages).await?;
    Ok(format!(
        "{} rows, {} files, {} partitions",
        report.rows, report.files, report.partitions
    ))
}

async fn scan(table: &FormatTable, story: &mut String, columns: &[&str]) -> Result<()> {
    let plan = table
        .scan()
        .filter(parse_filter(FILTER)?)
        .build()?
        .plan()
        .await?;
    let read = table
        .read()
        .columns(columns.iter().copied())
        .value_kind(false)
        .preserve_order(true)
        .build()?;
    let mut batches = read.stream(&plan)?;
    let mut rows = Vec::new();
    while let Some(batch) = batches.try_next().await? {
        json::write_rows(&batch, &mut rows)?;
    }
    String::from_utf8_lossy(&rows)
        .lines()
        .for_each(|row| tell(story, format_args!("   {row}")));
    Ok(())
}

/// Lists files below a directory, a line for each partition.
fn tree(story: &mut String, root: &Path) {
    tell(
        story,
        format_args!(
            "   {}/",
            root.file_name().unwrap_or_default().to_string_lossy()
        ),
    );
    for first in children(root) {
        tell(story, format_args!("     {}/", name(&first)));
        for second in children(&first) {
            let files: Vec<String> = children(&second).iter().map(|file| name(file)).collect();
            let below = if second.is_dir() {
                format!("/{}", files.join(" "))
            } else {
                String::new()
            };
            tell(story, format_args!("       {}{below}", name(&second)));
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What lies in a directory, without what is hidden from readers.
fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| !is_hidden(&name(path)));
    paths.sort();
    paths
}

fn decimal_prices() -> Result<ArrayRef, ArrowError> {
    let mut prices = PrimitiveBuilder::<Decimal128Type>::new();
    ORDERS.iter().for_each(|order| prices.append_value(order.3));
    Ok(Arc::new(prices.finish().with_precision_and_scale(10, 2)?))
}

fn orders(price: ArrayRef) -> Result<RecordBatch, ArrowError> {
    let mut id = PrimitiveBuilder::<Int64Type>::new();
    let (mut item, mut region) = (StringBuilder::new(), StringBuilder::new());
    let mut quantity = PrimitiveBuilder::<Int32Type>::new();
    let mut weight = PrimitiveBuilder::<Float64Type>::new();
    let mut gift = BooleanBuilder::new();
    let mut sold_at = PrimitiveBuilder::<TimestampMicrosecondType>::new();
    let mut dt = PrimitiveBuilder::<Date32Type>::new();
    for order in ORDERS {
        id.append_value(order.0);
        item.append_value(order.1);
        quantity.append_value(order.2);
        weight.append_value(order.4);
        gift.append_option(order.5);
        let day = FIRST_DAY + order.7;
        sold_at.append_value((i64::from(day) * 24 + order.6) * HOUR);
        dt.append_value(day);
        region.append_option(order.8);
    }
    RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(id.finish()) as ArrayRef, false),
        ("item", Arc::new(item.finish()), true),
        ("quantity", Arc::new(quantity.finish()), true),
        ("price", price, true),
        ("weight", Arc::new(weight.finish()), true),
        ("gift", Arc::new(gift.finish()), true),
        ("sold_at", Arc::new(sold_at.finish()), true),
        ("dt", Arc::new(dt.finish()), true),
        ("region", Arc::new(region.finish()), true),
    ])
}

fn not_a_batch(error: ArrowError) -> Error {
    RenderSnafu {
        format: "a batch",
        message: error.to_string(),
    }
    .build()
}
