//! Which format the files have: what their names say, else what they begin with.

use ftable_core::options::keys::FILE_FORMAT;
use ftable_core::{FileFormatKind, Options};
use snafu::ResultExt;

use super::Place;
use super::files::{Files, SampledFile, kind_by_name};
use crate::error::{CoreSnafu, IoSnafu, Result};

/// Bytes that tell a format.
const MAGIC_BYTES: u64 = 4;

/// The format that the caller chose, else the one that all files have.
pub(super) async fn choose(
    place: &Place,
    options: &Options,
    files: &Files,
    sample: &[SampledFile],
) -> Result<FileFormatKind> {
    if let Some(chosen) = chosen(place, options)? {
        return Ok(chosen);
    }
    let mut known = files
        .by_kind
        .iter()
        .map(|(kind, path)| (*kind, path.as_str()));
    let mut one = known.next();
    if let (Some(first), Some(second)) = (one, known.next()) {
        return several(place, first, second);
    }
    let unnamed = |file: &&SampledFile| kind_by_name(&file.path).is_none() && file.size > 0;
    for file in sample.iter().filter(unnamed) {
        let Some(kind) = by_magic(place, file).await? else {
            return place.contradiction(format!(
                "neither the name of {} nor its first bytes say a format; move it away, or say which it has with \
                 'file.format'",
                file.path
            ));
        };
        match one {
            None => one = Some((kind, &file.path)),
            Some((first, _)) if first == kind => {}
            Some(first) => return several(place, first, (kind, &file.path)),
        }
    }
    match one {
        Some((kind, _)) => Ok(kind),
        None => place.contradiction(
            "the files looked at are empty and their names say no format; say which they have with 'file.format'",
        ),
    }
}

/// The format that the caller chose.
pub(super) fn chosen(place: &Place, options: &Options) -> Result<Option<FileFormatKind>> {
    match options.contains(FILE_FORMAT.name()) {
        false => Ok(None),
        true => options.get(&FILE_FORMAT).map(Some).context(CoreSnafu {
            table: &place.table,
        }),
    }
}

fn several<T>(
    place: &Place,
    (first, first_path): (FileFormatKind, &str),
    (second, second_path): (FileFormatKind, &str),
) -> Result<T> {
    place.contradiction(format!(
        "{first_path} is a {} file and {second_path} a {} file, and a table has one format; move the others away, or \
         say which one is meant with 'file.format'",
        first.name(),
        second.name()
    ))
}

async fn by_magic(place: &Place, file: &SampledFile) -> Result<Option<FileFormatKind>> {
    let in_table = || IoSnafu {
        table: &place.table,
    };
    let opened = place
        .file_system
        .open(&place.full(&file.path), Some(file.size))
        .await
        .context(in_table())?;
    let start = opened.read(0..opened.size().min(MAGIC_BYTES)).await;
    let start = start.context(in_table())?;
    Ok(match &start[..] {
        b"PAR1" | b"PARE" => Some(FileFormatKind::Parquet),
        [b'O', b'R', b'C', ..] => Some(FileFormatKind::Orc),
        _ => None,
    })
}
