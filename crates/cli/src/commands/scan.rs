//! `scan`: rows to the standard output or into a file, in the order of the plan.

use ftable_table::{BatchStream, FormatTable};
use futures::TryStreamExt;
use serde_json::Value;

use super::filter_of;
use crate::args::ScanArgs;
use crate::context::Context;
use crate::error::Result;
use crate::export::Export;
use crate::render::RowWriter;
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: ScanArgs) -> Result<()> {
    let filter = filter_of(&arguments.filtered)?;
    let table = target::table(&context, &arguments.filtered.table).await?;
    let mut scan = table.scan();
    if let Some(filter) = filter {
        scan = scan.filter(filter);
    }
    if let Some(limit) = arguments.limit {
        scan = scan.limit(limit);
    }
    let mut read = table
        .read()
        .value_kind(arguments.value_kind)
        .preserve_order(true);
    if let Some(columns) = &arguments.columns {
        read = read.columns(columns.iter().map(|column| column.trim()));
    }
    let (scan, read) = (scan.build()?, read.build()?);
    let plan = scan.plan().await?;
    context.warn(plan.metrics().warnings());
    let batches = read.stream(&plan)?;
    let done = match &arguments.to {
        None => print(&mut context, &read.schema(), batches).await,
        Some(file) => export(&mut context, &table, file, &read.schema(), batches).await,
    };
    context.warn(read.metrics().warnings());
    done
}

async fn print(
    context: &mut Context,
    schema: &arrow_schema::SchemaRef,
    mut batches: BatchStream,
) -> Result<()> {
    let mut rows = RowWriter::new(context.format(), schema);
    let mut text = Vec::new();
    rows.begin(&mut text);
    while let Some(batch) = batches.try_next().await? {
        rows.write(&batch, &mut text)?;
        context.write(&text)?;
        text.clear();
    }
    rows.end(&mut text);
    context.write(&text)?;
    context.flush()
}

async fn export(
    context: &mut Context,
    table: &FormatTable,
    file: &str,
    schema: &arrow_schema::SchemaRef,
    mut batches: BatchStream,
) -> Result<()> {
    let mut export = Export::create(file, schema, table.fields())?;
    let mut rows = 0;
    let progress = context.progress("reading");
    while let Some(batch) = batches.try_next().await? {
        export.write(&batch)?;
        rows += batch.num_rows();
        progress.add(batch.num_rows());
    }
    let bytes = export.finish()?;
    drop(progress);
    let mut records = Records::new(["file", "rows", "bytes"]);
    records.push([Value::from(file), Value::from(rows), Value::from(bytes)]);
    context.print(&records)
}
