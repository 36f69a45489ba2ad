//! The jobs.

use std::fmt::Display;
use std::fs::File;
use std::time::Instant;

use arrow_array::RecordBatch;
use clap::ValueEnum;
use ftable_cli::parse_filter;
use ftable_core::types::from_arrow_schema;
use ftable_core::{Options, Schema};
use ftable_table::{FormatTable, Plan, ScanContext};
use futures::TryStreamExt;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use crate::Args;

/// Rows of the batches that are written.
const WRITE_BATCH_ROWS: usize = 8192;

/// What is measured.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Op {
    /// Listing directories and packing splits.
    Plan,
    /// Decoding every asked column to Arrow and dropping it.
    Scan,
    /// Counting rows.
    Count,
    /// Routing, encoding, staging and commit into an empty table.
    Write,
}

pub(crate) async fn run(args: &Args, threads: usize) -> Result<Value, String> {
    match args.op {
        Op::Plan => plan(args).await,
        Op::Scan => scan(args, threads).await,
        Op::Count => count(args, threads).await,
        Op::Write => write(args, threads).await,
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}

async fn open(args: &Args) -> Result<FormatTable, String> {
    let path = args.path.as_deref().ok_or("--path is missing")?;
    let builder = FormatTable::builder(path).map_err(text)?;
    let builder = match &args.schema {
        None => builder,
        Some(file) => {
            let json = std::fs::read_to_string(file)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            builder.schema(Schema::from_json(&json).map_err(text)?)
        }
    };
    builder.open().await.map_err(text)
}

fn scan_context(args: &Args, table: &FormatTable) -> Result<ScanContext, String> {
    let mut scan = table.scan();
    if let Some(filter) = &args.filter {
        scan = scan.filter(parse_filter(filter).map_err(text)?);
    }
    if let Some(limit) = args.limit {
        scan = scan.limit(limit);
    }
    Ok(scan)
}

fn line(op: &str, rows: Option<u64>, plan: &Plan, started: Instant) -> Value {
    let metrics = plan.metrics();
    json!({
        "op": op, "rows": rows, "files": metrics.files, "partitions": metrics.partitions, "bytes": metrics.bytes,
        "seconds": started.elapsed().as_secs_f64(),
    })
}

async fn plan(args: &Args) -> Result<Value, String> {
    let table = open(args).await?;
    let started = Instant::now();
    let plan = scan_context(args, &table)?
        .build()
        .map_err(text)?
        .plan()
        .await
        .map_err(text)?;
    Ok(line("plan", None, &plan, started))
}

async fn scan(args: &Args, threads: usize) -> Result<Value, String> {
    let table = open(args).await?;
    let started = Instant::now();
    let plan = scan_context(args, &table)?
        .build()
        .map_err(text)?
        .plan()
        .await
        .map_err(text)?;
    let mut read = table.read().value_kind(false).parallelism(threads);
    if let Some(columns) = &args.columns {
        read = read.columns(columns);
    }
    let batches = read.build().map_err(text)?.stream(&plan).map_err(text)?;
    let rows = batches
        .try_fold(0, |rows, batch| async move {
            Ok(rows + batch.num_rows() as u64)
        })
        .await;
    Ok(line("scan", Some(rows.map_err(text)?), &plan, started))
}

async fn count(args: &Args, threads: usize) -> Result<Value, String> {
    let table = open(args).await?;
    let started = Instant::now();
    let plan = scan_context(args, &table)?
        .build()
        .map_err(text)?
        .plan()
        .await
        .map_err(text)?;
    let read = table.read().parallelism(threads).build().map_err(text)?;
    let rows = read.count(&plan).await.map_err(text)?;
    Ok(line("count", Some(rows), &plan, started))
}

async fn write(args: &Args, threads: usize) -> Result<Value, String> {
    let input = args.input.as_deref().ok_or("--input is missing")?;
    let out = args.out.as_deref().ok_or("--out is missing")?;
    if args.schema.is_some() {
        return Err("write takes its columns from --input; say --format and --partition-keys in place of --schema".to_owned());
    }
    let batches = load(input)?;
    let first = batches.first().ok_or("the input has no rows")?;
    let fields = from_arrow_schema(&first.schema()).map_err(text)?;
    let mut schema = Schema::builder()
        .fields(fields)
        .partition_by(args.partition_keys.iter().map(String::as_str));
    if let Some(format) = &args.format {
        schema = schema.option("file.format", format);
    }
    if let Some(compression) = &args.compression {
        schema = schema.option("file.compression", compression);
    }
    let schema = schema.build().map_err(text)?;
    let out = out.to_str().ok_or("--out is not UTF-8")?;
    let table = FormatTable::builder(out)
        .map_err(text)?
        .schema(schema)
        .options(Options::new());
    let table = table.open().await.map_err(text)?;
    let started = Instant::now();
    let mut write = table.write().parallelism(threads).build().map_err(text)?;
    for batch in batches {
        write.write(batch).await.map_err(text)?;
    }
    let messages = write.prepare_commit().await.map_err(text)?;
    let report = table
        .commit()
        .build()
        .map_err(text)?
        .commit(messages)
        .await
        .map_err(text)?;
    Ok(json!({
        "op": "write", "rows": report.rows, "files": report.files, "partitions": report.partitions,
        "bytes": report.bytes, "seconds": started.elapsed().as_secs_f64(),
    }))
}

fn load(input: &std::path::Path) -> Result<Vec<RecordBatch>, String> {
    let file = File::open(input).map_err(|error| format!("{}: {error}", input.display()))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(text)?;
    let reader = builder
        .with_batch_size(WRITE_BATCH_ROWS)
        .build()
        .map_err(text)?;
    reader.collect::<Result<Vec<_>, _>>().map_err(text)
}
