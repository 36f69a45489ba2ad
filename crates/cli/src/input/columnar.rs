//! Parquet and ORC files, read as files of a table with the wanted columns.

use std::io;
use std::sync::Arc;

use ftable_core::{DataField, FileFormatKind, FormatTableOptions, Options};
use ftable_formats::{Error as FormatError, FileFormat, ReadRequest, file_format};
use ftable_io::{InputFile, Location, open_file_system};
use futures::{StreamExt, TryStreamExt};
use tempfile::TempPath;
use tokio::task::spawn_blocking;

use super::{BATCH_ROWS, Batches, STDIN, Wanted, spool};
use crate::error::{Error, InputSnafu, Result};

pub(super) async fn open(file: &str, kind: FileFormatKind, wanted: &Wanted) -> Result<Batches> {
    // Both formats begin at their end, so the standard input has to be there as a whole.
    let spooled: Option<TempPath> = match file {
        STDIN => Some(spool_stdin().await?),
        _ => None,
    };
    let place = match &spooled {
        Some(path) => path.to_str().unwrap_or_default(),
        None => file,
    };
    let location: Location = place.parse()?;
    if !location.scheme().eq_ignore_ascii_case("file") {
        let message = "input is read from local files and the standard input only; copy it here first, or pipe it";
        return InputSnafu { file, message }.fail();
    }
    let input = open_file_system(&location, &Options::new())?
        .open(location.path(), None)
        .await?;
    let format = file_format(kind);
    let request = request(input, kind, wanted)?;
    check_keys(file, &*format, &request, wanted).await?;
    let batches = format.read(request).await?;
    // The file goes away with the stream.
    let batches = batches.map_err(Error::from).inspect(move |_| {
        let _ = &spooled;
    });
    Ok(batches.boxed())
}

async fn spool_stdin() -> Result<TempPath> {
    let copied = spawn_blocking(|| spool(&mut io::stdin().lock())).await;
    let gave_up = || {
        InputSnafu {
            file: "the standard input",
            message: "it could not be copied",
        }
        .build()
    };
    Ok(copied.map_err(|_| gave_up())??.into_temp_path())
}

fn request(file: Arc<dyn InputFile>, kind: FileFormatKind, wanted: &Wanted) -> Result<ReadRequest> {
    let options = FormatTableOptions::resolve(&Options::from([("file.format", kind.name())]))?;
    Ok(ReadRequest {
        file,
        range: None,
        fields: Arc::clone(&wanted.fields),
        table_fields: Arc::clone(&wanted.fields),
        batch_size: BATCH_ROWS,
        options: Arc::new(options),
        records: Arc::default(),
    })
}

/// Refuses a file that lacks a partition key: opening it with the keys as NOT NULL tells.
async fn check_keys(
    file: &str,
    format: &dyn FileFormat,
    request: &ReadRequest,
    wanted: &Wanted,
) -> Result<()> {
    let not_null = |field: &DataField| DataField {
        data_type: field.data_type.clone().not_null(),
        ..field.clone()
    };
    let is_key = |field: &&DataField| wanted.needed.contains(&field.name);
    let keys: Arc<[DataField]> = wanted.fields.iter().filter(is_key).map(not_null).collect();
    if keys.is_empty() {
        return Ok(());
    }
    match format
        .read(ReadRequest {
            fields: keys,
            ..request.clone()
        })
        .await
    {
        Err(FormatError::MissingNotNull { column, .. }) => {
            let message = wanted
                .check_keys(|key| key != column)
                .err()
                .unwrap_or_default();
            InputSnafu { file, message }.fail()
        }
        // Whatever else is wrong is told when the file is read.
        _ => Ok(()),
    }
}
