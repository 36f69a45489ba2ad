//! The distinct texts of a stripe, and which of them each value is.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::Encoded;
use super::binary::Direct;
use super::stream::{ByteStream, IntStream};
use crate::compress::Codec;
use crate::encode::packing;
use crate::error::Result;
use crate::proto::{EncodingKind, StreamKind};

#[derive(Default)]
pub(super) struct Dictionary {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    /// The distinct texts one after the other, in the order they came.
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// The row group that saw each of them last, counted from 1.
    seen: Vec<u32>,
    /// Of each value, the number of its text.
    values: Vec<u32>,
    /// The first value of every row group.
    starts: Vec<usize>,
    /// Bytes of all values.
    total: usize,
}

impl Dictionary {
    /// Adds a value and says whether the row group at hand has not had it yet; `None` when no more distinct texts can
    /// be numbered.
    pub(super) fn push(&mut self, text: &[u8]) -> Option<bool> {
        let hash = self.hasher.hash_one(text);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let found = self
            .table
            .find(hash, |known| entry(bytes, ends, *known) == text);
        let number = match found {
            Some(known) => *known,
            None => self.insert(hash, text)?,
        };
        self.values.push(number);
        self.total += text.len();
        let group = self.starts.len() as u32;
        let seen = self.seen.get_mut(number as usize)?;
        Some(std::mem::replace(seen, group) != group)
    }

    fn insert(&mut self, hash: u64, text: &[u8]) -> Option<u32> {
        let number = u32::try_from(self.ends.len()).ok()?;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.seen.push(0);
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        let rehash = |known: &u32| hasher.hash_one(entry(bytes, ends, *known));
        self.table.insert_unique(hash, number, rehash);
        Some(number)
    }

    pub(super) fn begin_group(&mut self) {
        self.starts.push(self.values.len());
    }

    pub(super) fn values(&self) -> usize {
        self.values.len()
    }

    /// Whether a dictionary of at most this share of distinct values is what the stripe should have.
    pub(super) fn pays(&self, threshold: f64) -> bool {
        let distinct = self.ends.len();
        let few = distinct as f64 <= threshold * self.values.len() as f64;
        let index_bits = packing::aligned(packing::bits(distinct as u64));
        let indexed = self.bytes.len() + distinct + self.values.len() * index_bits as usize / 8;
        // A length takes a byte, most of the time.
        few && (threshold >= 1.0 || indexed < self.total + self.values.len())
    }

    pub(super) fn encoded_bytes(&self) -> usize {
        self.bytes.len() + (self.ends.len() + self.values.len()) * size_of::<u32>()
    }

    /// The same values without a dictionary.
    pub(super) fn unfold(&self) -> Direct {
        let mut direct = Direct::new();
        for (group, &start) in self.starts.iter().enumerate() {
            direct.begin_group();
            let end = self.starts.get(group + 1).copied();
            let values = self.values.get(start..end.unwrap_or(self.values.len()));
            for &number in values.into_iter().flatten() {
                direct.push(entry(&self.bytes, &self.ends, number));
            }
        }
        direct
    }

    /// Dictionary, indexes and lengths as streams, the distinct texts sorted by their bytes.
    pub(super) fn encode(&self, codec: &mut Codec) -> Result<Encoded> {
        let text = |number: u32| entry(&self.bytes, &self.ends, number);
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_unstable_by(|left, right| text(*left).cmp(text(*right)));
        let mut places = vec![0_i64; order.len()];
        let mut distinct = ByteStream::default();
        let mut lengths = IntStream::unsigned();
        for (place, &number) in order.iter().enumerate() {
            if let Some(slot) = places.get_mut(number as usize) {
                *slot = place as i64;
            }
            distinct.tail().extend_from_slice(text(number));
        }
        lengths.extend(order.iter().map(|number| text(*number).len() as i64));
        let mut data = IntStream::unsigned();
        for (group, &start) in self.starts.iter().enumerate() {
            data.begin_group();
            let end = self.starts.get(group + 1).copied();
            let values = self.values.get(start..end.unwrap_or(self.values.len()));
            let values = values.into_iter().flatten();
            data.extend(values.filter_map(|number| places.get(*number as usize).copied()));
        }
        let mut positions = Vec::new();
        let data = data.finish(codec, &mut positions)?;
        // The dictionary is read as a whole, so it has no positions.
        let distinct = distinct.finish(codec, &mut Vec::new())?;
        let lengths = lengths.finish(codec, &mut Vec::new())?;
        Ok(Encoded {
            encoding: EncodingKind::DictionaryV2,
            dictionary_size: Some(order.len() as u32),
            streams: vec![
                (StreamKind::Data, data),
                (StreamKind::DictionaryData, distinct),
                (StreamKind::Length, lengths),
            ],
            positions,
        })
    }
}

/// The text of a number that was given out.
fn entry<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).and_then(|before| ends.get(before));
    let end = ends.get(number).copied().unwrap_or_default();
    bytes
        .get(start.copied().unwrap_or_default()..end)
        .unwrap_or_default()
}
