//! A stripe's own footer: its streams, encodings and zone, checked before the decoder sees them.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use orc_rust::proto::StripeInformation;
use orc_rust::stripe::StripeMetadata;

use super::buffer::Parts;
use super::chunks::HEADER;
use super::metadata::{StripeInfo, Tail};
use super::rle::Version;
use super::wire::{Content, Fields, Malformed, Message};

/// What a stream holds, by its number in the footer.
pub(super) const PRESENT: u64 = 0;
pub(super) const DATA: u64 = 1;
pub(super) const LENGTH: u64 = 2;
pub(super) const DICTIONARY_DATA: u64 = 3;
pub(super) const SECONDARY: u64 = 5;

/// Bytes of streams that are unpacked at once. What a stripe has beyond that, the decoder unpacks chunk by chunk: it
/// takes longer for it, but less memory.
const UNPACKED_AT_ONCE: u64 = 32 * 1024 * 1024;

/// The footer of a stripe.
#[derive(Debug, Default)]
pub(super) struct StripeFooter {
    streams: Vec<Stream>,
    /// The encoding of each column, as the decoder is to have it too.
    encodings: Vec<Encoding>,
    pub(super) zone: Option<String>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Stream {
    kind: u64,
    column: u64,
    offset: u64,
    length: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Encoding {
    kind: u64,
    pub(super) dictionary: u64,
}

impl Encoding {
    pub(super) fn is_dictionary(self) -> bool {
        matches!(self.kind, 1 | 3)
    }

    pub(super) fn version(self) -> Version {
        match self.kind {
            0 | 1 => Version::V1,
            _ => Version::V2,
        }
    }
}

impl StripeFooter {
    /// Reads the footer of a stripe.
    pub(super) fn read(tail: &Tail, stripe: &StripeInfo, bytes: &Bytes) -> Result<Self, String> {
        let fault =
            |message: String| format!("the footer of the stripe at {}: {message}", stripe.offset);
        tail.codec.check(bytes).map_err(fault)?;
        let bytes = tail.unpacker().unpack(bytes).map_err(fault)?;
        let mut footer =
            Self::parse(&bytes).map_err(|Malformed| fault("it is malformed".to_owned()))?;
        let mut end = stripe.offset;
        for stream in &mut footer.streams {
            stream.offset = end;
            end = end
                .checked_add(stream.length)
                .filter(|end| *end <= stripe.footer().start)
                .ok_or_else(|| fault("its streams are longer than the stripe".to_owned()))?;
        }
        if footer.encodings.len() != tail.types.len() {
            let (encodings, types) = (footer.encodings.len(), tail.types.len());
            return Err(fault(format!(
                "it has {encodings} encodings for {types} types"
            )));
        }
        if footer.encodings.iter().any(|encoding| encoding.kind > 3) {
            return Err(fault("it has an encoding that is not known".to_owned()));
        }
        Ok(footer)
    }

    fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut footer = Self::default();
        let mut fields = Fields::new(bytes);
        while let Some(field) = fields.next()? {
            match field {
                (1, Content::Bytes(stream)) => footer.streams.push(parse_stream(stream)?),
                (2, Content::Bytes(encoding)) => footer.encodings.push(parse_encoding(encoding)?),
                (3, Content::Bytes(zone)) => {
                    footer.zone = Some(String::from_utf8_lossy(zone).into_owned());
                }
                _ => {}
            }
        }
        Ok(footer)
    }

    pub(super) fn encoding(&self, column: usize) -> Encoding {
        self.encodings.get(column).copied().unwrap_or_default()
    }

    /// Where the streams lie that decoding these columns takes.
    pub(super) fn ranges(&self, columns: &[bool]) -> Vec<Range<u64>> {
        let wanted = self
            .streams
            .iter()
            .filter(|stream| stream.is_needed(columns));
        wanted
            .map(|stream| stream.offset..stream.offset + stream.length)
            .collect()
    }

    /// The streams that decoding these columns takes, unpacked as far as there is room for them.
    ///
    /// `bytes` are those of [`Self::ranges`]. Refused: two streams of one kind, and chunks that lie.
    pub(super) fn streams(
        &self,
        tail: &Tail,
        columns: &[bool],
        bytes: &[Bytes],
    ) -> Result<Streams, String> {
        let mut streams = HashMap::new();
        let mut unpacker = tail.unpacker();
        let mut room = UNPACKED_AT_ONCE;
        let needed = self
            .streams
            .iter()
            .filter(|stream| stream.is_needed(columns));
        for (stream, bytes) in needed.zip(bytes) {
            let column = usize::try_from(stream.column).unwrap_or(usize::MAX);
            let fault = |message: String| {
                format!(
                    "the stream at {} of type {column}: {message}",
                    stream.offset
                )
            };
            let most = tail.codec.check(bytes).map_err(fault)?;
            let mut found = StreamBytes {
                bytes: bytes.clone(),
                is_one_chunk: false,
                most,
            };
            if tail.codec.can_repack(most) && most <= room {
                found.bytes = unpacker.repack(bytes, most).map_err(fault)?;
                found.is_one_chunk = true;
                room -= most;
            }
            if streams.insert((column, stream.kind), found).is_some() {
                return Err(fault("there is another of its kind".to_owned()));
            }
        }
        Ok(Streams(streams))
    }

    /// The stripe for the decoder: streams it does not need belong to no column and are empty, and there is no zone to
    /// take wrong.
    pub(super) fn for_decoder(
        &self,
        tail: &Tail,
        stripe: &StripeInfo,
        columns: &[bool],
        streams: &Streams,
    ) -> Result<(StripeMetadata, Parts), String> {
        let mut footer = Message::default();
        let mut parts = Vec::new();
        let mut end = stripe.offset;
        for stream in &self.streams {
            let column = usize::try_from(stream.column).unwrap_or(usize::MAX);
            let found = match stream.is_needed(columns) {
                true => streams.get(column, stream.kind),
                false => None,
            };
            let bytes = found.map_or_else(Bytes::new, |found| found.bytes.clone());
            let length = bytes.len() as u64;
            let mut message = Message::default();
            message
                .number(1, stream.kind)
                .number(2, found.map_or(u64::from(u32::MAX), |_| stream.column))
                .number(3, length);
            footer.message(1, &message);
            // Streams without bytes start where another does.
            if length > 0 {
                parts.push((end, bytes));
            }
            end = end
                .checked_add(length)
                .ok_or_else(|| "its streams end beyond any file".to_owned())?;
        }
        for encoding in &self.encodings {
            let mut message = Message::default();
            message
                .number(1, encoding.kind)
                .number(2, encoding.dictionary);
            footer.message(2, &message);
        }
        let footer = Bytes::from(tail.codec.store(&footer.into_bytes()));
        let info = StripeInformation {
            offset: Some(stripe.offset),
            index_length: Some(0),
            data_length: Some(end - stripe.offset),
            footer_length: Some(footer.len() as u64),
            number_of_rows: Some(stripe.rows),
            ..StripeInformation::default()
        };
        let metadata = StripeMetadata::try_from(&info).map_err(|error| error.to_string())?;
        parts.push((end, footer));
        Ok((metadata, Parts::new(u64::MAX, parts)))
    }
}

impl Stream {
    /// Whether decoding these columns takes this stream: indexes and filters are passed over.
    fn is_needed(&self, columns: &[bool]) -> bool {
        let kind = matches!(
            self.kind,
            PRESENT | DATA | LENGTH | DICTIONARY_DATA | SECONDARY
        );
        let column = usize::try_from(self.column)
            .ok()
            .and_then(|column| columns.get(column));
        kind && column.is_some_and(|wanted| *wanted)
    }
}

fn parse_stream(bytes: &[u8]) -> Result<Stream, Malformed> {
    let mut stream = Stream::default();
    let mut fields = Fields::new(bytes);
    while let Some(field) = fields.next()? {
        match field {
            (1, Content::Number(kind)) => stream.kind = kind,
            (2, Content::Number(column)) => stream.column = column,
            (3, Content::Number(length)) => stream.length = length,
            _ => {}
        }
    }
    Ok(stream)
}

fn parse_encoding(bytes: &[u8]) -> Result<Encoding, Malformed> {
    let mut encoding = Encoding::default();
    let mut fields = Fields::new(bytes);
    while let Some(field) = fields.next()? {
        match field {
            (1, Content::Number(kind)) => encoding.kind = kind,
            (2, Content::Number(size)) => encoding.dictionary = size,
            _ => {}
        }
    }
    Ok(encoding)
}

/// The streams of a stripe by column and kind.
pub(super) struct Streams(HashMap<(usize, u64), StreamBytes>);

/// The bytes of a stream.
pub(super) struct StreamBytes {
    /// As they stand in the file, or as one chunk that is stored as it is.
    bytes: Bytes,
    is_one_chunk: bool,
    /// The most bytes it unpacks to.
    pub(super) most: u64,
}

impl StreamBytes {
    /// What the chunks hold.
    pub(super) fn unpacked(&self, tail: &Tail) -> Result<Bytes, String> {
        match self.is_one_chunk {
            true => Ok(self.bytes.slice(HEADER.min(self.bytes.len())..)),
            false => tail.unpacker().unpack(&self.bytes),
        }
    }
}

impl Streams {
    pub(super) fn get(&self, column: usize, kind: u64) -> Option<&StreamBytes> {
        self.0.get(&(column, kind))
    }
}
