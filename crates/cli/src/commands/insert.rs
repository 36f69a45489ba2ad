//! `insert`: files of rows → the table, in one commit.

use ftable_table::{CommitReport, FormatTable};
use futures::TryStreamExt;
use serde_json::Value;

use crate::args::InsertArgs;
use crate::context::Context;
use crate::error::{Result, UsageSnafu};
use crate::input::{self, InputFormat, Wanted};
use crate::render::records::Records;
use crate::target;

pub(super) async fn run(mut context: Context, arguments: InsertArgs) -> Result<()> {
    let InsertArgs {
        operands,
        place,
        input_format,
        partition,
    } = arguments;
    let (name, files) = match operands.split_first() {
        Some((name, files)) if place.path.is_none() => (Some(name.as_str()), files),
        _ => (None, operands.as_slice()),
    };
    if files.is_empty() {
        let message =
            "no file is given; name files of rows behind the table, or - for the standard input";
        return UsageSnafu { message }.fail();
    }
    let table = target::table_to_write(&context.global, name, &place).await?;
    let report = insert(&context, &table, files, input_format, &partition).await?;
    let mut records = Records::new(["rows", "files", "bytes", "partitions"]);
    records.push([report.rows, report.files, report.bytes, report.partitions].map(Value::from));
    context.print(&records)
}

/// Writes all files, then commits them together. A failure leaves the table as it was.
async fn insert(
    context: &Context,
    table: &FormatTable,
    files: &[String],
    format: Option<InputFormat>,
    partition: &[(String, String)],
) -> Result<CommitReport> {
    let mut commit = table.commit().build()?;
    let mut write = table.write().build()?;
    let wanted = Wanted::new(
        table.fields(),
        table.partition_keys(),
        !partition.is_empty(),
    );
    let progress = context.progress("writing");
    let written = async {
        for file in files {
            let mut batches = input::open(file, format, &wanted).await?;
            while let Some(batch) = batches.try_next().await? {
                let rows = batch.num_rows();
                match partition.is_empty() {
                    true => write.write(batch).await?,
                    false => write.write_partition(partition, batch).await?,
                }
                progress.add(rows);
            }
        }
        Ok(write.prepare_commit().await?)
    }
    .await;
    let messages = match written {
        Ok(messages) => messages,
        Err(error) => {
            // What cannot be removed is hidden; the error that led here is the one to tell.
            let _ = write.abort().await;
            return Err(error);
        }
    };
    match commit.commit(messages.clone()).await {
        Ok(report) => Ok(report),
        Err(error) => {
            let _ = commit.abort(messages).await;
            Err(error.into())
        }
    }
}
