//! The tail of written files, with the types that the table has.
//!
//! `orc-rust` writes varints of 16 and 32 bits with the sign spread over bits that are not there: it reads them back
//! right, and every other reader takes them for other numbers. So it is given BIGINT alone, whose streams are the
//! same as those of SMALLINT, INT and DATE, and the types in the footer are put right here. They get the field ids
//! of Paimon on the way.

use bytes::Bytes;
use ftable_core::{DataField, TypeKind};

use super::chunks;
use super::metadata::{PostScript, decoder_compression};
use super::types::Kind;
use super::wire::{Content, Fields, Malformed, Message};

/// The attribute by which Java Paimon finds a field's id.
const FIELD_ID: &str = "paimon.id";

/// The end of a file, from any stripe's start on, with the types of these columns in its footer.
pub(super) fn retyped(mut end: Vec<u8>, fields: &[DataField]) -> Result<Vec<u8>, String> {
    let size = end.len();
    let postscript = PostScript::find(&end, size as u64)?;
    let range = postscript.footer_range(size as u64);
    // Inside of `end`, as was checked.
    let (from, to) = (range.start as usize, range.end as usize);
    let footer = end.get(from..to).unwrap_or_default();
    let compression = decoder_compression(postscript.codec)?;
    let footer = chunks::unpack(&Bytes::copy_from_slice(footer), compression)?;
    let malformed = |Malformed| "the footer is malformed".to_owned();
    let footer = with_types(&footer, fields).map_err(malformed)?;
    let footer = postscript.codec.store(&footer.into_bytes());
    let tail = end.get(to..size.saturating_sub(1)).unwrap_or_default();
    let tail = with_footer_length(tail, footer.len())
        .map_err(malformed)?
        .into_bytes();
    let length = u8::try_from(tail.len()).map_err(|_| "the postscript is too long")?;
    end.truncate(from);
    end.extend_from_slice(&footer);
    end.extend_from_slice(&tail);
    end.push(length);
    Ok(end)
}

fn with_types(footer: &[u8], fields: &[DataField]) -> Result<Message, Malformed> {
    let mut message = Message::default();
    copy(footer, 4, &mut message)?;
    let mut root = Message::default();
    root.number(1, Kind::Struct.number());
    for (index, field) in fields.iter().enumerate() {
        root.number(2, index as u64 + 1)
            .bytes(3, field.name.as_bytes());
    }
    message.message(4, &root);
    for field in fields {
        let mut attribute = Message::default();
        attribute
            .bytes(1, FIELD_ID.as_bytes())
            .bytes(2, field.id.to_string().as_bytes());
        let mut node = Message::default();
        node.number(1, kind_of(field.data_type.kind()).number())
            .message(7, &attribute);
        message.message(4, &node);
    }
    message.bytes(12, concat!("ftable ", env!("CARGO_PKG_VERSION")).as_bytes());
    Ok(message)
}

fn with_footer_length(postscript: &[u8], length: usize) -> Result<Message, Malformed> {
    let mut message = Message::default();
    message.number(1, length as u64);
    copy(postscript, 1, &mut message)?;
    Ok(message)
}

/// Copies the fields of a message, one excepted.
fn copy(bytes: &[u8], except: u64, message: &mut Message) -> Result<(), Malformed> {
    let mut fields = Fields::new(bytes);
    while let Some((field, content)) = fields.next()? {
        match content {
            _ if field == except => {}
            Content::Number(number) => _ = message.number(field, number),
            Content::Bytes(bytes) => _ = message.bytes(field, bytes),
            Content::Fixed => return Err(Malformed),
        }
    }
    Ok(())
}

/// The ORC type of a column that the encoder knows.
fn kind_of(declared: &TypeKind) -> Kind {
    match declared {
        TypeKind::Boolean => Kind::Boolean,
        TypeKind::TinyInt => Kind::Byte,
        TypeKind::SmallInt => Kind::Short,
        // ORC has no time of day: Java Paimon stores the milliseconds as INT.
        TypeKind::Int | TypeKind::Time { .. } => Kind::Int,
        TypeKind::BigInt => Kind::Long,
        TypeKind::Float => Kind::Float,
        TypeKind::Double => Kind::Double,
        TypeKind::Date => Kind::Date,
        TypeKind::Timestamp { .. } => Kind::Timestamp,
        TypeKind::TimestampLtz { .. } => Kind::TimestampInstant,
        TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => Kind::Binary,
        _ => Kind::String,
    }
}
