//! Files written and read, and files that others wrote.

mod bad_input;
mod foreign;
mod round_trip;
mod written;

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use ftable_core::{DataField, FileFormatKind};

use super::wire::Message;
use crate::testing::Read;

const ORC: FileFormatKind = FileFormatKind::Orc;

fn reader(fields: &Arc<[DataField]>) -> Read {
    Read::new(ORC, fields)
}

/// A file of a golden table.
fn golden(path: &str) -> Bytes {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    std::fs::read(root.join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
        .into()
}

/// A type of a file made by hand.
#[derive(Debug, Clone, Default)]
struct TypeDef {
    kind: u64,
    subtypes: Vec<u64>,
    names: Vec<&'static str>,
    length: u64,
    precision: u64,
    scale: u64,
}

const BOOLEAN: u64 = 0;
const INT: u64 = 3;
const LONG: u64 = 4;
const STRING: u64 = 7;
const TIMESTAMP: u64 = 9;
const LIST: u64 = 10;
const MAP: u64 = 11;
const STRUCT: u64 = 12;
const UNION: u64 = 13;
const DECIMAL: u64 = 14;
const CHAR: u64 = 17;
const INSTANT: u64 = 18;

fn leaf(kind: u64) -> TypeDef {
    TypeDef {
        kind,
        ..TypeDef::default()
    }
}

fn group(kind: u64, subtypes: &[u64]) -> TypeDef {
    TypeDef {
        kind,
        subtypes: subtypes.to_vec(),
        ..TypeDef::default()
    }
}

fn row(fields: &[(&'static str, u64)]) -> TypeDef {
    let (names, subtypes) = fields.iter().copied().unzip();
    TypeDef {
        kind: STRUCT,
        subtypes,
        names,
        ..TypeDef::default()
    }
}

/// A file of one stripe without compression, made by hand.
#[derive(Debug, Clone, Default)]
struct FileDef {
    types: Vec<TypeDef>,
    rows: u64,
    /// Kind, column and bytes.
    streams: Vec<(u64, u64, Vec<u8>)>,
    /// Kind and size of the dictionary, where they are not DIRECT_V2 and 0.
    encodings: Vec<(u64, u64)>,
    zone: Option<&'static str>,
    /// Whether stripes without rows stand before and behind the one with rows.
    empty_stripes: bool,
    /// Rows that the footer claims in all, where they are others.
    claimed: Option<u64>,
}

impl FileDef {
    fn types(types: Vec<TypeDef>, rows: u64) -> Self {
        Self {
            types,
            rows,
            ..Self::default()
        }
    }

    fn stream(mut self, kind: u64, column: u64, bytes: &[u8]) -> Self {
        self.streams.push((kind, column, bytes.to_vec()));
        self
    }

    fn zone(mut self, zone: &'static str) -> Self {
        self.zone = Some(zone);
        self
    }

    fn build(&self) -> Bytes {
        let mut file = b"ORC".to_vec();
        let mut stripe_footer = Message::default();
        for (kind, column, bytes) in &self.streams {
            file.extend_from_slice(bytes);
            let mut stream = Message::default();
            stream
                .number(1, *kind)
                .number(2, *column)
                .number(3, bytes.len() as u64);
            stripe_footer.message(1, &stream);
        }
        for id in 0..self.types.len() {
            let (kind, dictionary) = self.encodings.get(id).copied().unwrap_or((2, 0));
            let mut encoding = Message::default();
            encoding.number(1, kind).number(2, dictionary);
            stripe_footer.message(2, &encoding);
        }
        if let Some(zone) = self.zone {
            stripe_footer.bytes(3, zone.as_bytes());
        }
        let data = file.len() as u64 - 3;
        let stripe_footer = stripe_footer.into_bytes();
        file.extend_from_slice(&stripe_footer);
        let mut stripe = Message::default();
        stripe
            .number(1, 3)
            .number(2, 0)
            .number(3, data)
            .number(4, stripe_footer.len() as u64);
        stripe.number(5, self.rows);
        let mut footer = Message::default();
        let mut empty = Message::default();
        empty
            .number(1, 3)
            .number(2, 0)
            .number(3, 0)
            .number(4, 0)
            .number(5, 0);
        footer.number(1, 3).number(2, file.len() as u64);
        if self.empty_stripes {
            footer
                .message(3, &empty)
                .message(3, &stripe)
                .message(3, &empty);
        } else {
            footer.message(3, &stripe);
        }
        for definition in &self.types {
            let mut message = Message::default();
            message.number(1, definition.kind);
            definition
                .subtypes
                .iter()
                .for_each(|subtype| _ = message.number(2, *subtype));
            definition
                .names
                .iter()
                .for_each(|name| _ = message.bytes(3, name.as_bytes()));
            message
                .number(4, definition.length)
                .number(5, definition.precision);
            footer.message(4, message.number(6, definition.scale));
        }
        footer.number(6, self.claimed.unwrap_or(self.rows));
        with_footer(file, &footer.into_bytes(), 0, None)
    }
}

/// A file's bytes up to the footer, with the footer and a postscript behind it.
fn with_footer(mut file: Vec<u8>, footer: &[u8], codec: u64, block: Option<u64>) -> Bytes {
    file.extend_from_slice(footer);
    let mut postscript = Message::default();
    postscript.number(1, footer.len() as u64).number(2, codec);
    if let Some(block) = block {
        postscript.number(3, block);
    }
    postscript.number(5, 0).bytes(8000, b"ORC");
    let postscript = postscript.into_bytes();
    file.extend_from_slice(&postscript);
    file.push(postscript.len() as u8);
    file.into()
}

fn varint(mut value: u128) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Numbers one by one, as runs of one: version 2, DIRECT with 32 or 64 bits.
fn numbers(values: &[i64], signed: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        let stored = (if signed {
            value << 1 ^ value >> 63
        } else {
            *value
        }) as u64;
        match u32::try_from(stored) {
            Ok(stored) => bytes.extend([&[0x76, 0x00][..], &stored.to_be_bytes()].concat()),
            Err(_) => bytes.extend([&[0x7e, 0x00][..], &stored.to_be_bytes()].concat()),
        }
    }
    bytes
}

/// One bit a value, as literal bytes.
fn bits(values: &[bool]) -> Vec<u8> {
    let packed: Vec<u8> = values
        .chunks(8)
        .map(|byte| {
            byte.iter()
                .enumerate()
                .map(|(at, bit)| u8::from(*bit) << (7 - at))
                .sum()
        })
        .collect();
    [vec![(256 - packed.len()) as u8], packed].concat()
}
