//! The tail: postscript and footer, read and checked here, and what of them the decoder is given.
//!
//! The decoder goes down the types by recursion wherever they point, subtracts lengths from the file's without a
//! check and unpacks whatever chunks claim to hold. So it never sees the tail itself, but one made anew: no
//! stripes, and the types with one change. A timestamp is a LONG there, the seconds that its DATA stream holds;
//! its nanoseconds and zone are dealt with in [`super::timestamp`].

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use ftable_io::InputFile;
use orc_rust::compression::Compression;
use orc_rust::reader::metadata::{FileMetadata, read_metadata};

use super::NAME;
use super::buffer::Parts;
use super::chunks::{Codec, Unpacker};
use super::types::{Kind, TypeNode, check_types};
use super::wire::{Content, Fields, Malformed, Message, extend_numbers};
use crate::error::{CorruptSnafu, Error, Result};
use crate::offload;

/// Bytes fetched from the end at first: enough for the tail of most files.
const TAIL_GUESS: u64 = 16 * 1024;
/// The shortest file: magic and a postscript.
const SHORTEST: u64 = 4;

/// What a file says of itself.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) codec: Codec,
    pub(super) types: Vec<TypeNode>,
    pub(super) stripes: Vec<StripeInfo>,
    /// Whether columns are encrypted.
    encrypted: bool,
    /// What the decoder knows of the file: its types and compression.
    pub(super) decoder: FileMetadata,
}

/// Where a stripe lies and how many rows it has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StripeInfo {
    pub(super) offset: u64,
    pub(super) index_length: u64,
    pub(super) data_length: u64,
    pub(super) footer_length: u64,
    pub(super) rows: u64,
    /// The rows of the stripes before.
    pub(super) first_row: u64,
}

impl Tail {
    /// What unpacks the streams of the file.
    pub(super) fn unpacker(&self) -> Unpacker {
        Unpacker::new(self.codec, self.decoder.compression())
    }
}

impl StripeInfo {
    /// Where the stripe's own footer lies.
    pub(super) fn footer(&self) -> Range<u64> {
        // Checked to lie inside of the file.
        let start = self.offset + self.index_length + self.data_length;
        start..start + self.footer_length
    }
}

/// Reads the tail of a file; `None` for a file of no bytes, which some writers leave for no rows.
///
/// # Errors
/// A file without the magic, whose tail cannot be decoded or names parts outside the file, or that is encrypted.
pub(super) async fn load(file: &Arc<dyn InputFile>) -> Result<Option<Arc<Tail>>> {
    let (path, size) = (file.path().to_owned(), file.size());
    if size == 0 {
        return Ok(None);
    }
    if size < SHORTEST {
        return Err(corrupt(
            &path,
            &format!("{size} bytes are too few for an ORC file"),
        ));
    }
    let tail = file.read(size.saturating_sub(TAIL_GUESS)..size).await?;
    let postscript = PostScript::find(&tail, size).map_err(|message| corrupt(&path, &message))?;
    let range = postscript.footer_range(size);
    let tail_start = size - tail.len() as u64;
    let footer = match range.start.checked_sub(tail_start) {
        Some(from) => {
            // Inside of the tail, as its range ends before the file does.
            let to = usize::try_from(range.end - tail_start).unwrap_or(usize::MAX);
            tail.slice(usize::try_from(from).unwrap_or(usize::MAX)..to)
        }
        None => file.read(range).await?,
    };
    let owned_path = path.clone();
    let tail = offload::decode(&path, NAME, move || {
        decode(&postscript, &footer, size).map_err(|message| corrupt(&owned_path, &message))
    })
    .await?;
    match tail.encrypted {
        true => Err(Error::encrypted(&path, NAME)),
        false => Ok(Some(Arc::new(tail))),
    }
}

/// What of the postscript is needed.
#[derive(Debug)]
pub(super) struct PostScript {
    /// Bytes of the postscript and of the byte with its length.
    length: u64,
    footer: u64,
    pub(super) codec: Codec,
}

/// The fields of a postscript as they stand there.
#[derive(Debug, Default)]
struct RawPostScript {
    footer: u64,
    metadata: u64,
    codec: u64,
    block: Option<u64>,
    has_magic: bool,
}

impl RawPostScript {
    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut raw = Self::default();
        let mut fields = Fields::new(bytes);
        while let Some(field) = fields.next()? {
            match field {
                (1, Content::Number(length)) => raw.footer = length,
                (2, Content::Number(number)) => raw.codec = number,
                (3, Content::Number(size)) => raw.block = Some(size),
                (5, Content::Number(length)) => raw.metadata = length,
                (8000, Content::Bytes(magic)) => raw.has_magic = magic == b"ORC",
                _ => {}
            }
        }
        Ok(raw)
    }
}

impl PostScript {
    /// Finds it at the end of a file.
    pub(super) fn find(tail: &[u8], size: u64) -> Result<Self, String> {
        let (last, rest) = tail.split_last().ok_or("it is empty")?;
        let start = rest
            .len()
            .checked_sub(usize::from(*last))
            .filter(|_| *last > 0);
        let start = start.ok_or("the last byte is no length of a postscript")?;
        let raw = RawPostScript::read(rest.get(start..).unwrap_or_default())
            .map_err(|Malformed| "the postscript is malformed; it is no ORC file, or cut off")?;
        if !raw.has_magic {
            return Err(
                "the postscript has no ORC magic; it is no ORC file, or cut off".to_owned(),
            );
        }
        let length = u64::from(*last) + 1;
        let (footer, metadata) = (raw.footer, raw.metadata);
        let total = footer
            .checked_add(metadata)
            .and_then(|sum| sum.checked_add(length));
        if total.is_none_or(|total| total > size) {
            return Err(format!(
                "a footer of {footer} and metadata of {metadata} bytes do not fit into {size}"
            ));
        }
        Ok(Self {
            length,
            footer,
            codec: Codec::new(raw.codec, raw.block)?,
        })
    }

    /// Where the footer lies in a file of this size.
    pub(super) fn footer_range(&self, size: u64) -> Range<u64> {
        let end = size - self.length;
        end - self.footer..end
    }
}

fn decode(postscript: &PostScript, footer: &Bytes, size: u64) -> Result<Tail, String> {
    let codec = postscript.codec;
    codec
        .check(footer)
        .map_err(|message| format!("the footer: {message}"))?;
    let footer = Unpacker::new(codec, decoder_compression(codec)?).unpack(footer)?;
    let (types, mut stripes, rows, encrypted) =
        read_footer(&footer).map_err(|Malformed| "the footer is malformed".to_owned())?;
    check_types(&types)?;
    check_stripes(&mut stripes, rows, size)?;
    let decoder = decoder_metadata(codec, &types)?;
    Ok(Tail {
        codec,
        types,
        stripes,
        encrypted,
        decoder,
    })
}

/// How the decoder unpacks: it tells only in the metadata of a file, so it is given one without columns.
pub(super) fn decoder_compression(codec: Codec) -> Result<Option<Compression>, String> {
    let without_columns = [TypeNode {
        kind: Kind::Struct,
        ..TypeNode::default()
    }];
    Ok(decoder_metadata(codec, &without_columns)?.compression())
}

/// Types, stripes, number of rows, and whether columns are encrypted.
type FooterParts = (Vec<TypeNode>, Vec<StripeInfo>, u64, bool);

fn read_footer(bytes: &[u8]) -> Result<FooterParts, Malformed> {
    let (mut types, mut stripes, mut rows, mut encrypted) = (Vec::new(), Vec::new(), 0, false);
    let mut fields = Fields::new(bytes);
    while let Some(field) = fields.next()? {
        match field {
            (3, Content::Bytes(stripe)) => stripes.push(read_stripe(stripe)?),
            (4, Content::Bytes(node)) => types.push(read_type(node)?),
            (6, Content::Number(number)) => rows = number,
            (10, Content::Bytes(_)) => encrypted = true,
            _ => {}
        }
    }
    Ok((types, stripes, rows, encrypted))
}

fn read_stripe(bytes: &[u8]) -> Result<StripeInfo, Malformed> {
    let mut stripe = StripeInfo::default();
    let mut fields = Fields::new(bytes);
    while let Some(field) = fields.next()? {
        match field {
            (1, Content::Number(offset)) => stripe.offset = offset,
            (2, Content::Number(length)) => stripe.index_length = length,
            (3, Content::Number(length)) => stripe.data_length = length,
            (4, Content::Number(length)) => stripe.footer_length = length,
            (5, Content::Number(rows)) => stripe.rows = rows,
            _ => {}
        }
    }
    Ok(stripe)
}

fn read_type(bytes: &[u8]) -> Result<TypeNode, Malformed> {
    let mut node = TypeNode::default();
    let mut subtypes = Vec::new();
    let mut fields = Fields::new(bytes);
    while let Some(field) = fields.next()? {
        match field {
            (1, Content::Number(kind)) => node.kind = Kind::of(kind),
            (2, content) => extend_numbers(&mut subtypes, content)?,
            (3, Content::Bytes(name)) => {
                node.names
                    .push(String::from_utf8(name.to_vec()).map_err(|_| Malformed)?);
            }
            (4, Content::Number(length)) => node.length = length,
            (5, Content::Number(precision)) => node.precision = precision,
            (6, Content::Number(scale)) => node.scale = scale,
            _ => {}
        }
    }
    let subtypes = subtypes.into_iter().map(usize::try_from);
    node.subtypes = subtypes.collect::<Result<_, _>>().map_err(|_| Malformed)?;
    Ok(node)
}

fn check_stripes(stripes: &mut [StripeInfo], claimed: u64, size: u64) -> Result<(), String> {
    let mut rows = 0_u64;
    for stripe in stripes.iter_mut() {
        let lengths = [
            stripe.index_length,
            stripe.data_length,
            stripe.footer_length,
        ];
        let end = lengths
            .iter()
            .try_fold(stripe.offset, |end, length| end.checked_add(*length));
        if end.is_none_or(|end| end > size) {
            let offset = stripe.offset;
            return Err(format!(
                "the stripe at {offset} reaches beyond the file of {size} bytes"
            ));
        }
        stripe.first_row = rows;
        rows = rows
            .checked_add(stripe.rows)
            .ok_or_else(|| format!("the footer claims {} rows in a stripe", stripe.rows))?;
    }
    match rows == claimed {
        true => Ok(()),
        false => Err(format!(
            "the stripes hold {rows} rows, the footer claims {claimed}"
        )),
    }
}

/// What the decoder makes of a file with these types and no rows.
fn decoder_metadata(codec: Codec, types: &[TypeNode]) -> Result<FileMetadata, String> {
    let mut footer = Message::default();
    for node in types {
        footer.message(4, &node.for_decoder());
    }
    let footer = codec.store(&footer.into_bytes());
    let mut postscript = Message::default();
    postscript
        .number(1, footer.len() as u64)
        .number(2, codec.number())
        .number(3, codec.block);
    postscript.number(5, 0).bytes(8000, b"ORC");
    let postscript = postscript.into_bytes();
    let length = u8::try_from(postscript.len()).map_err(|_| "the postscript is too long")?;
    let mut tail = footer;
    tail.extend_from_slice(&postscript);
    tail.push(length);
    let size = tail.len() as u64;
    read_metadata(&mut Parts::new(size, vec![(0, tail.into())])).map_err(|error| error.to_string())
}

/// The stripes that start in a byte range.
///
/// Every stripe starts in exactly one range of a file cut anywhere, so cut files give each row once.
pub(super) fn stripes_in(tail: &Tail, range: Option<&Range<u64>>) -> Vec<StripeInfo> {
    let starts_inside =
        |stripe: &&StripeInfo| range.is_none_or(|range| range.contains(&stripe.offset));
    tail.stripes.iter().filter(starts_inside).copied().collect()
}

/// The rows of some stripes.
pub(super) fn count(stripes: &[StripeInfo]) -> u64 {
    // Their sum was checked.
    stripes.iter().map(|stripe| stripe.rows).sum()
}

pub(super) fn corrupt(path: &str, message: &str) -> Error {
    CorruptSnafu {
        path,
        format: NAME,
        message,
    }
    .build()
}
