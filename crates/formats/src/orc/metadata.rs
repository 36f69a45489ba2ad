//! The tail: postscript, footer and metadata.

use std::ops::Range;
use std::sync::Arc;

use ftable_io::InputFile;
use orc_rust::reader::metadata::{FileMetadata, read_metadata};
use orc_rust::stripe::StripeMetadata;

use super::NAME;
use super::buffer::Parts;
use crate::error::{CorruptSnafu, Error, Result};
use crate::offload;

/// Bytes fetched from the end at first: enough for the tail of most files.
const TAIL_GUESS: u64 = 64 * 1024;
/// The shortest file: magic and a postscript.
const SHORTEST: u64 = 4;

/// Reads the tail of a file; `None` for a file of no bytes, which some writers leave for no rows.
///
/// # Errors
/// A file without the magic, or whose tail cannot be decoded or names parts outside the file.
pub(super) async fn load(file: &Arc<dyn InputFile>) -> Result<Option<Arc<FileMetadata>>> {
    let (path, size) = (file.path().to_owned(), file.size());
    if size == 0 {
        return Ok(None);
    }
    if size < SHORTEST {
        let message = format!("{size} bytes are too few for an ORC file");
        return CorruptSnafu { path, format: NAME, message }.fail();
    }
    let guess = TAIL_GUESS.min(size);
    let tail = read_tail(file, guess).await?;
    let needed = tail_length(&path, &tail, size)?;
    let tail = if needed > guess { read_tail(file, needed).await? } else { tail };
    let owned_path = path.clone();
    let metadata = offload::decode(&path, NAME, move || {
        read_metadata(&mut tail.clone()).map_err(|error| corrupt(&owned_path, &error.to_string()))
    })
    .await?;
    check_stripes(&path, &metadata, size)?;
    Ok(Some(Arc::new(metadata)))
}

async fn read_tail(file: &Arc<dyn InputFile>, length: u64) -> Result<Parts> {
    let size = file.size();
    let range = size - length..size;
    let bytes = file.read(range.clone()).await?;
    Ok(Parts::with(size, &[range], vec![bytes]))
}

/// The length of everything behind the stripes, from the postscript.
///
/// `orc-rust` subtracts these lengths from the file's without a check, so they are checked here first.
fn tail_length(path: &str, tail: &Parts, size: u64) -> Result<u64> {
    let broken = |message: &str| corrupt(path, message);
    let last = tail.find(size - 1, 1).and_then(|byte| byte.first().copied()).ok_or_else(|| broken("no last byte"))?;
    let postscript = u64::from(last);
    if postscript == 0 || postscript + 1 > size {
        return Err(broken("the last byte is no length of a postscript"));
    }
    let bytes = tail.find(size - 1 - postscript, postscript).ok_or_else(|| broken("the postscript is cut"))?;
    let lengths = PostscriptLengths::read(&bytes).ok_or_else(|| broken("the postscript is malformed"))?;
    if !lengths.has_magic {
        return Err(broken("the postscript has no ORC magic"));
    }
    let total = lengths.footer.checked_add(lengths.metadata).and_then(|sum| sum.checked_add(postscript + 1));
    match total {
        Some(total) if total <= size => Ok(total.max(TAIL_GUESS.min(size))),
        _ => Err(broken(&format!("footer and metadata are said to be longer than the file of {size} bytes"))),
    }
}

/// What of the postscript is needed before it may be decoded.
#[derive(Default)]
struct PostscriptLengths {
    footer: u64,
    metadata: u64,
    has_magic: bool,
}

impl PostscriptLengths {
    /// Walks the protobuf fields: 1 footer length, 5 metadata length, 8000 magic.
    fn read(mut bytes: &[u8]) -> Option<Self> {
        let mut lengths = Self::default();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes)?;
            match (tag >> 3, tag & 7) {
                (1, 0) => lengths.footer = varint(&mut bytes)?,
                (5, 0) => lengths.metadata = varint(&mut bytes)?,
                (_, 0) => _ = varint(&mut bytes)?,
                (field, 2) => {
                    let length = usize::try_from(varint(&mut bytes)?).ok()?;
                    let (content, rest) = bytes.split_at_checked(length)?;
                    lengths.has_magic |= field == 8000 && content == b"ORC";
                    bytes = rest;
                }
                (_, 1) => bytes = bytes.get(8..)?,
                (_, 5) => bytes = bytes.get(4..)?,
                _ => return None,
            }
        }
        Some(lengths)
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn check_stripes(path: &str, metadata: &FileMetadata, size: u64) -> Result<()> {
    for stripe in metadata.stripe_metadatas() {
        let lengths = [stripe.index_length(), stripe.data_length(), stripe.footer_length()];
        let end = lengths.iter().try_fold(stripe.offset(), |end, length| end.checked_add(*length));
        if end.is_none_or(|end| end > size) {
            return Err(corrupt(path, &format!("a stripe at {} reaches beyond the file of {size} bytes", stripe.offset())));
        }
    }
    Ok(())
}

/// The stripes that start in a byte range.
pub(super) fn stripes_in(metadata: &FileMetadata, range: Option<&Range<u64>>) -> Vec<StripeMetadata> {
    let starts_inside = |stripe: &&StripeMetadata| range.is_none_or(|range| range.contains(&stripe.offset()));
    metadata.stripe_metadatas().iter().filter(starts_inside).cloned().collect()
}

/// The rows of some stripes.
pub(super) fn count(metadata: &FileMetadata, stripes: &[StripeMetadata], path: &str) -> Result<u64> {
    let rows = stripes.iter().try_fold(0_u64, |rows, stripe| rows.checked_add(stripe.number_of_rows()));
    let whole_file = stripes.len() == metadata.stripe_metadatas().len();
    match rows {
        Some(rows) if !whole_file || rows == metadata.number_of_rows() => Ok(rows),
        _ => Err(corrupt(path, "the stripes do not add up to the rows that the footer claims")),
    }
}

pub(super) fn corrupt(path: &str, message: &str) -> Error {
    CorruptSnafu { path, format: NAME, message }.build()
}
