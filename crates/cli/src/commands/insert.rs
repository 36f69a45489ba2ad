//! `insert`: files of rows → the table, in one commit.

use ftable_core::Options;
use ftable_table::{CommitMessage, CommitReport, FormatTable, TableCommit};
use futures::TryStreamExt;
use serde_json::Value;

use crate::args::{InsertArgs, OverwriteMode};
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
        overwrite,
        overwrite_mode,
        dry_run,
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
    let table = target::table_to_write(&context, name, &place).await?;
    let overwrite =
        overwrite.then(|| overwrite_mode.unwrap_or_else(|| default_mode(&table, &partition)));
    let mut job = Job {
        commit: commit_of(&table, overwrite, &partition)?,
        table,
        partition,
    };
    let messages = job.write(&context, files, input_format).await?;
    if dry_run {
        return job.tell(&mut context, messages).await;
    }
    let report = job.commit(messages).await?;
    let mut records = Records::new(["rows", "files", "bytes", "partitions"]);
    records.push([report.rows, report.files, report.bytes, report.partitions].map(Value::from));
    context.print(&records)
}

fn default_mode(table: &FormatTable, partition: &[(String, String)]) -> OverwriteMode {
    match (
        partition.is_empty(),
        table.options().dynamic_partition_overwrite,
    ) {
        (false, _) => OverwriteMode::Static,
        (true, true) => OverwriteMode::Dynamic,
        (true, false) => OverwriteMode::Table,
    }
}

fn commit_of(
    table: &FormatTable,
    overwrite: Option<OverwriteMode>,
    partition: &[(String, String)],
) -> Result<Box<dyn TableCommit>> {
    let by_option = |dynamic: &str| {
        let options: Options = [("dynamic-partition-overwrite", dynamic)]
            .into_iter()
            .collect();
        Ok(table.commit().options(&options)?.overwrite().build()?)
    };
    match overwrite {
        None => Ok(table.commit().build()?),
        Some(OverwriteMode::Dynamic) => by_option("true"),
        Some(OverwriteMode::Table) => by_option("false"),
        Some(OverwriteMode::Static) if partition.is_empty() => {
            let message = "--overwrite-mode static needs --partition: it says what is replaced";
            UsageSnafu { message }.fail()
        }
        Some(OverwriteMode::Static) => {
            Ok(table.commit().overwrite_partition(partition)?.build()?)
        }
    }
}

/// One insert: all files are written, then committed together. A failure leaves the table as it was.
struct Job {
    table: FormatTable,
    partition: Vec<(String, String)>,
    commit: Box<dyn TableCommit>,
}

impl Job {
    /// Whether all rows go to one partition, whatever their own columns say. Only the first keys of an overwrite say
    /// what is replaced; the rows name their partitions.
    fn is_declared(&self) -> bool {
        !self.partition.is_empty() && self.partition.len() == self.table.partition_keys().len()
    }

    async fn write(
        &self,
        context: &Context,
        files: &[String],
        format: Option<InputFormat>,
    ) -> Result<Vec<CommitMessage>> {
        let mut write = self.table.write().build()?;
        let wanted = Wanted::new(
            self.table.fields(),
            self.table.partition_keys(),
            self.is_declared(),
        );
        let progress = context.progress("writing");
        let written = async {
            for file in files {
                let mut batches = input::open(file, format, &wanted).await?;
                while let Some(batch) = batches.try_next().await? {
                    let rows = batch.num_rows();
                    match self.is_declared() {
                        false => write.write(batch).await?,
                        true => write.write_partition(&self.partition, batch).await?,
                    }
                    progress.add(rows);
                }
            }
            Ok(write.prepare_commit().await?)
        }
        .await;
        if written.is_err() {
            // What cannot be removed is hidden; the error that led here is the one to tell.
            let _ = write.abort().await;
        }
        written
    }

    async fn commit(&mut self, messages: Vec<CommitMessage>) -> Result<CommitReport> {
        match self.commit.commit(messages.clone()).await {
            Ok(report) => Ok(report),
            Err(error) => {
                let _ = self.commit.abort(messages).await;
                Err(error.into())
            }
        }
    }

    /// Lists what the commit would replace, a line a file, and leaves everything as it was.
    async fn tell(&mut self, context: &mut Context, messages: Vec<CommitMessage>) -> Result<()> {
        let replaced = self.commit.preview(&messages).await;
        self.commit.abort(messages).await?;
        let mut records = Records::new(["removes"]);
        for path in replaced? {
            records.push([Value::from(path)]);
        }
        context.print(&records)
    }
}
