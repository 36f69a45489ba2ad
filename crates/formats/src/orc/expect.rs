//! How many values the streams of a stripe must hold, worked out before the decoder makes room for them.
//!
//! The decoder takes the number of rows, the lengths of lists and the size of dictionaries at their word, and it
//! takes a PRESENT stream that ends early for one without nulls. So PRESENT streams and the lengths of lists are
//! read here first: they say how many values each column below them has.

use bytes::Bytes;

use super::metadata::Tail;
use super::rle::{self, Integers};
use super::stripe::{
    DATA, DICTIONARY_DATA, LENGTH, PRESENT, SECONDARY, StreamBytes, Streams, StripeFooter,
};
use super::types::{Kind, TypeNode};
use super::wire::varint_128;

/// The most values of a column in one stripe; Arrow's lists count with 31 bits.
const MOST_VALUES: u64 = i32::MAX as u64;

/// Refuses a stripe whose streams are too short for its rows.
pub(super) struct Expected<'a> {
    pub(super) tail: &'a Tail,
    pub(super) footer: &'a StripeFooter,
    pub(super) streams: &'a Streams,
}

impl Expected<'_> {
    /// Checks a column, and what is below it, that has `slots` values, nulls included.
    pub(super) fn check(&self, column: usize, slots: u64) -> Result<(), String> {
        let Some(node) = self.tail.types.get(column) else {
            return Ok(());
        };
        let fault = |message: &str| Err(format!("type {column}: {message}"));
        let values = self.values(column, slots)?;
        match node.kind {
            Kind::Struct => node
                .subtypes
                .iter()
                .try_for_each(|child| self.check(*child, values)),
            Kind::List | Kind::Map => {
                let elements = self.elements(column, values)?;
                if let (Kind::Map, Some(key)) = (node.kind, node.subtypes.first())
                    && self.values(*key, elements)? != elements
                {
                    return fault("a key of a map is null, which no table type has");
                }
                node.subtypes
                    .iter()
                    .try_for_each(|child| self.check(*child, elements))
            }
            _ if values > self.room(column, node) => {
                fault(&format!("its streams cannot hold {values} values"))
            }
            Kind::Decimal => self.check_scales(column, values, node),
            Kind::String | Kind::Varchar | Kind::Char | Kind::Binary => {
                self.check_texts(column, values)
            }
            _ => Ok(()),
        }
    }

    /// Each decimal has a scale of its own; with more digits than the type's the decoder would cut them off.
    fn check_scales(&self, column: usize, values: u64, node: &TypeNode) -> Result<(), String> {
        let fault = |message: String| format!("type {column}: {message}");
        let most = node.scale;
        let mut scales = self.scales(column)?;
        let mut has_smaller = false;
        let mut left = values;
        while left > 0 {
            let run = scales
                .next_values(left)
                .ok_or_else(|| fault("it has fewer scales than values".to_owned()))?;
            if let Some(scale) = run.iter().find(|scale| **scale > most) {
                let scale = *scale as i64;
                return Err(fault(format!(
                    "a value has the scale {scale}, its type {most}"
                )));
            }
            has_smaller |= run.iter().any(|scale| *scale < most);
            left -= run.len() as u64;
        }
        match has_smaller {
            true => self.check_digits(column, values, node),
            false => Ok(()),
        }
    }

    fn scales(&self, column: usize) -> Result<Integers, String> {
        let bytes = self.unpacked(column, SECONDARY)?;
        let version = self.footer.encoding(column).version();
        Ok(Integers::signed(bytes, version))
    }

    /// The decoder multiplies a value whose scale is smaller than its type's, and would wrap one that has too many
    /// digits for it.
    fn check_digits(&self, column: usize, values: u64, node: &TypeNode) -> Result<(), String> {
        let fault = |message: String| format!("type {column}: {message}");
        let power = |digits: u64| 10_u128.checked_pow(u32::try_from(digits).ok()?);
        let bound = power(node.precision).unwrap_or(u128::MAX);
        let bytes = self.unpacked(column, DATA)?;
        let (mut rest, mut scales) = (&bytes[..], self.scales(column)?);
        for _ in 0..values {
            let (Some(stored), Some(scale)) = (varint_128(&mut rest), scales.next()) else {
                return Err(fault("it has fewer values than scales".to_owned()));
            };
            // The lowest bit is the sign.
            let magnitude = (stored >> 1) + (stored & 1);
            let scaled = power(node.scale.saturating_sub(scale))
                .and_then(|factor| magnitude.checked_mul(factor));
            if scaled.is_none_or(|scaled| scaled >= bound) {
                let (precision, scale) = (node.precision, node.scale);
                return Err(fault(format!(
                    "a value has more digits than DECIMAL({precision}, {scale})"
                )));
            }
        }
        Ok(())
    }

    /// How many of a column's `slots` are not null.
    fn values(&self, column: usize, slots: u64) -> Result<u64, String> {
        let Some(present) = self.streams.get(column, PRESENT) else {
            return Ok(slots);
        };
        rle::count_true(&present.unpacked(self.tail)?, slots).ok_or_else(|| {
            format!("type {column}: its nulls are marked for fewer than {slots} rows")
        })
    }

    /// A stream that is not there has no bytes.
    fn unpacked(&self, column: usize, kind: u64) -> Result<Bytes, String> {
        match self.streams.get(column, kind) {
            Some(stream) => stream.unpacked(self.tail),
            None => Ok(Bytes::new()),
        }
    }

    /// The elements of `lists` lists.
    fn elements(&self, column: usize, lists: u64) -> Result<u64, String> {
        self.total_length(column, lists, MOST_VALUES)?
            .ok_or_else(|| format!("type {column}: its lists are said to be longer than can be"))
    }

    /// The first `count` lengths of a column together; `None` where they are more than `most`.
    fn total_length(&self, column: usize, count: u64, most: u64) -> Result<Option<u64>, String> {
        let bytes = self.unpacked(column, LENGTH)?;
        let mut lengths = Integers::unsigned(bytes, self.footer.encoding(column).version());
        let mut total = 0_u64;
        let mut left = count;
        while left > 0 {
            let run = lengths
                .next_values(left)
                .ok_or_else(|| format!("type {column}: it has too few lengths"))?;
            left -= run.len() as u64;
            let sum = run
                .iter()
                .try_fold(total, |sum, length| sum.checked_add(*length));
            total = match sum.filter(|total| *total <= most) {
                Some(total) => total,
                None => return Ok(None),
            };
        }
        Ok(Some(total))
    }

    /// The decoder makes room for as many bytes as the lengths of texts, or of the dictionary's entries, add up to.
    fn check_texts(&self, column: usize, values: u64) -> Result<(), String> {
        self.check_dictionary(column)?;
        let encoding = self.footer.encoding(column);
        let (count, kind) = match encoding.is_dictionary() {
            true => (encoding.dictionary, DICTIONARY_DATA),
            false => (values, DATA),
        };
        let most = self.most(column, kind);
        match self.total_length(column, count, most)? {
            Some(_) => Ok(()),
            None => Err(format!(
                "type {column}: its texts are said to be longer than their stream of at most {most} bytes"
            )),
        }
    }

    /// The most bytes that a stream unpacks to.
    fn most(&self, column: usize, kind: u64) -> u64 {
        self.streams
            .get(column, kind)
            .map_or(0, |stream: &StreamBytes| stream.most)
    }

    /// The most values that a column's streams can hold.
    fn room(&self, column: usize, node: &TypeNode) -> u64 {
        let most = |kind| self.most(column, kind);
        let direct = !self.footer.encoding(column).is_dictionary();
        match node.kind {
            Kind::Boolean => most(DATA).saturating_mul(rle::BYTES_PER_BYTE * 8),
            Kind::Byte => most(DATA).saturating_mul(rle::BYTES_PER_BYTE),
            Kind::Float => most(DATA) / 4,
            Kind::Double => most(DATA) / 8,
            Kind::Decimal => most(DATA),
            Kind::String | Kind::Varchar | Kind::Char | Kind::Binary if direct => {
                most(LENGTH).saturating_mul(rle::INTEGERS_PER_BYTE)
            }
            _ => most(DATA).saturating_mul(rle::INTEGERS_PER_BYTE),
        }
    }

    fn check_dictionary(&self, column: usize) -> Result<(), String> {
        let encoding = self.footer.encoding(column);
        let room = self
            .most(column, LENGTH)
            .saturating_mul(rle::INTEGERS_PER_BYTE);
        match encoding.is_dictionary() && encoding.dictionary > room {
            true => {
                let size = encoding.dictionary;
                Err(format!(
                    "type {column}: its streams cannot hold a dictionary of {size} entries"
                ))
            }
            false => Ok(()),
        }
    }
}
