//! LIST and MAP: how many children each value has; STRUCT: nothing of its own.
//!
//! A child has a slot for each value of its parent that is not null, and none below a null.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType};
use snafu::ResultExt;

use super::stream::IntStream;
use super::{Encoded, Encoder, Group, Refusal};
use crate::compress::Codec;
use crate::error::{ArraySnafu, Result};
use crate::proto::{EncodingKind, StreamKind};
use crate::statistics::Values;

/// The slots of the columns below an array.
pub(super) fn children(array: &ArrayRef, path: &str) -> Result<Vec<ArrayRef>> {
    below(array).context(ArraySnafu { column: path })
}

fn below(array: &ArrayRef) -> Result<Vec<ArrayRef>, ArrowError> {
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    if let Some(array) = array.as_struct_opt() {
        let Some(nulls) = nulls else {
            return Ok(array.columns().to_vec());
        };
        let kept = BooleanArray::new(nulls.inner().clone(), None);
        let columns = array.columns().iter();
        return columns
            .map(|column| arrow_select::filter::filter(column, &kept))
            .collect();
    }
    let Some((ranges, values)) = collections(array.as_ref()) else {
        return Ok(Vec::new());
    };
    if let Some(whole) = contiguous(&ranges) {
        let slices = values.iter();
        return Ok(slices
            .map(|values| values.slice(whole.start, whole.len()))
            .collect());
    }
    let rows: UInt64Array = ranges
        .iter()
        .flat_map(|range| range.start as u64..range.end as u64)
        .collect();
    let values = values.iter();
    values
        .map(|values| arrow_select::take::take(values, &rows, None))
        .collect()
}

/// Where the children of each value that is not null lie, and the children: elements, or keys and values. `None` for
/// arrays of other types.
fn collections(array: &dyn Array) -> Option<(Vec<Range<usize>>, Vec<ArrayRef>)> {
    let nulls = array.nulls();
    Some(match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let ranges = offset_ranges(list.offsets(), nulls);
            (ranges, vec![list.values().clone()])
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let ranges = offset_ranges(list.offsets(), nulls);
            (ranges, vec![list.values().clone()])
        }
        DataType::ListView(_) => {
            let list = array.as_list_view::<i32>();
            let ranges = view_ranges(list.offsets(), list.sizes(), nulls);
            (ranges, vec![list.values().clone()])
        }
        DataType::LargeListView(_) => {
            let list = array.as_list_view::<i64>();
            let ranges = view_ranges(list.offsets(), list.sizes(), nulls);
            (ranges, vec![list.values().clone()])
        }
        DataType::FixedSizeList(_, length) => {
            let list = array.as_fixed_size_list();
            let length = usize::try_from(*length).unwrap_or_default();
            let rows =
                (0..array.len()).filter(|row| nulls.is_none_or(|nulls| nulls.is_valid(*row)));
            let ranges = rows.map(|row| row * length..(row + 1) * length).collect();
            (ranges, vec![list.values().clone()])
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let ranges = offset_ranges(map.offsets(), nulls);
            (ranges, vec![map.keys().clone(), map.values().clone()])
        }
        _ => return None,
    })
}

fn offset_ranges<O>(offsets: &[O], nulls: Option<&NullBuffer>) -> Vec<Range<usize>>
where
    O: Copy + TryInto<usize>,
{
    let place = |offset: O| offset.try_into().unwrap_or_default();
    let pairs = offsets.windows(2).enumerate();
    let valid = pairs.filter(|(row, _)| nulls.is_none_or(|nulls| nulls.is_valid(*row)));
    valid
        .map(|(_, pair)| place(pair[0])..place(pair[1]))
        .collect()
}

fn view_ranges<O>(offsets: &[O], sizes: &[O], nulls: Option<&NullBuffer>) -> Vec<Range<usize>>
where
    O: Copy + TryInto<usize>,
{
    let place = |offset: O| offset.try_into().unwrap_or_default();
    let pairs = offsets.iter().zip(sizes).enumerate();
    let valid = pairs.filter(|(row, _)| nulls.is_none_or(|nulls| nulls.is_valid(*row)));
    valid
        .map(|(_, (offset, size))| place(*offset)..place(*offset) + place(*size))
        .collect()
}

/// The range they make together, if each begins where the one before ends.
fn contiguous(ranges: &[Range<usize>]) -> Option<Range<usize>> {
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
        return Some(0..0);
    };
    let unbroken = ranges.windows(2).all(|pair| pair[0].end == pair[1].start);
    unbroken.then_some(first.start..last.end)
}

/// Whether an encoder is for lists or for maps.
#[derive(Clone, Copy, PartialEq)]
enum Collection {
    List,
    Map,
}

pub(super) struct CollectionEncoder {
    collection: Collection,
    lengths: IntStream,
}

impl CollectionEncoder {
    pub(super) fn list() -> Self {
        Self::new(Collection::List)
    }

    pub(super) fn map() -> Self {
        Self::new(Collection::Map)
    }

    fn new(collection: Collection) -> Self {
        Self {
            collection,
            lengths: IntStream::unsigned(),
        }
    }
}

impl Encoder for CollectionEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        let map = matches!(array.data_type(), DataType::Map(..));
        if map != (self.collection == Collection::Map) {
            return Err(Refusal::Type);
        }
        let (ranges, _) = collections(array).ok_or(Refusal::Type)?;
        if let Values::Collection(range) = &mut group.statistics.values {
            for length in ranges.iter().map(|range| range.len() as u64) {
                range.least = range.least.min(length);
                range.most = range.most.max(length);
                range.sum += length;
            }
        }
        self.lengths
            .extend(ranges.iter().map(|range| range.len() as i64));
        Ok(())
    }

    fn begin_group(&mut self) {
        self.lengths.begin_group();
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        self.lengths.settle(codec)
    }

    fn encoded_bytes(&self) -> usize {
        self.lengths.encoded_bytes()
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        let mut positions = Vec::new();
        let lengths = self.lengths.finish(codec, &mut positions)?;
        Ok(Encoded {
            encoding: EncodingKind::DirectV2,
            dictionary_size: None,
            streams: vec![(StreamKind::Length, lengths)],
            positions,
        })
    }
}

pub(super) struct StructEncoder;

impl Encoder for StructEncoder {
    fn write(&mut self, array: &dyn Array, _: &mut Group) -> Result<(), Refusal> {
        match array.data_type() {
            DataType::Struct(_) => Ok(()),
            _ => Err(Refusal::Type),
        }
    }

    fn begin_group(&mut self) {}

    fn settle(&mut self, _: &mut Codec) -> Result<()> {
        Ok(())
    }

    fn encoded_bytes(&self) -> usize {
        0
    }

    fn finish(&mut self, _: &mut Codec) -> Result<Encoded> {
        Ok(Encoded {
            encoding: EncodingKind::Direct,
            dictionary_size: None,
            streams: Vec::new(),
            positions: Vec::new(),
        })
    }
}
