//! Lists and maps as offsets and what they point into, whatever their layout and whatever lies unseen.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, ListArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer, OffsetBuffer};
use arrow_cast::cast;
use arrow_schema::{DataType as ArrowType, Field};
use arrow_select::filter::filter;

use super::mismatch::Failure;

/// The elements of lists that are seen, side by side: what lies outside of them, or under a null, is cut away.
pub(super) struct Elements {
    pub(super) offsets: OffsetBuffer<i32>,
    pub(super) nulls: Option<NullBuffer>,
    pub(super) columns: Vec<ArrayRef>,
}

impl Elements {
    pub(super) fn new(
        offsets: &OffsetBuffer<i32>,
        nulls: Option<&NullBuffer>,
        columns: Vec<ArrayRef>,
    ) -> Option<Self> {
        let (first, last) = (*offsets.first()?, *offsets.last()?);
        let (start, length) = (
            usize::try_from(first).ok()?,
            usize::try_from(last.checked_sub(first)?).ok()?,
        );
        let whole = first == 0 && columns.iter().all(|column| column.len() == length);
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0).cloned();
        if whole {
            return Some(Self {
                offsets: offsets.clone(),
                nulls,
                columns,
            });
        }
        let moved = offsets
            .iter()
            .map(|offset| offset - first)
            .collect::<Vec<_>>();
        let columns = columns
            .iter()
            .map(|column| column.slice(start, length))
            .collect();
        Some(Self {
            offsets: OffsetBuffer::new(moved.into()),
            nulls,
            columns,
        })
    }

    /// Without the elements under null lists; `None` when there are none.
    fn without_hidden(&self) -> Option<Self> {
        let nulls = self.nulls.as_ref()?;
        let total = usize::try_from(*self.offsets.last()?).ok()?;
        let mut seen = BooleanBufferBuilder::new(total);
        let mut offsets = vec![0_i32];
        for (row, pair) in self.offsets.windows(2).enumerate() {
            let (&[from, to], valid) = (<&[i32; 2]>::try_from(pair).ok()?, nulls.is_valid(row));
            seen.append_n(usize::try_from(to - from).ok()?, valid);
            let last = *offsets.last()?;
            offsets.push(if valid { last + (to - from) } else { last });
        }
        let seen: BooleanBuffer = seen.finish();
        if seen.count_set_bits() == total {
            return None;
        }
        let seen = BooleanArray::new(seen, None);
        let columns = self
            .columns
            .iter()
            .map(|column| filter(column, &seen).ok())
            .collect::<Option<Vec<_>>>()?;
        let offsets = OffsetBuffer::new(offsets.into());
        Some(Self {
            offsets,
            nulls: self.nulls.clone(),
            columns,
        })
    }

    /// The list that an element belongs to.
    fn row_of(&self, element: usize) -> usize {
        let ends_before = |offset: &i32| usize::try_from(*offset).is_ok_and(|at| at <= element);
        self.offsets.partition_point(ends_before).saturating_sub(1)
    }

    /// Converts the elements, and once more without those under nulls where one of them does not convert.
    pub(super) fn convert<T>(
        &self,
        work: impl Fn(&Self) -> Result<T, (Failure, usize)>,
    ) -> Result<T, Failure> {
        let first = match work(self) {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        let (failure, row) = match self.without_hidden() {
            None => (first.0, self.row_of(first.1)),
            Some(seen) => match work(&seen) {
                Ok(done) => return Ok(done),
                Err((failure, element)) => (failure, seen.row_of(element)),
            },
        };
        Err(failure.at_row(row))
    }
}

/// The entries of maps: offsets and nulls of the maps, keys and values side by side.
pub(super) struct Entries {
    pub(super) offsets: OffsetBuffer<i32>,
    pub(super) nulls: Option<NullBuffer>,
    pub(super) keys: ArrayRef,
    pub(super) values: ArrayRef,
}

/// Any list shape as the one with 32-bit offsets.
pub(super) fn plain_list(array: &ArrayRef) -> Option<ListArray> {
    let plain = match array.data_type() {
        ArrowType::List(_) => return array.as_list_opt::<i32>().cloned(),
        ArrowType::LargeList(field)
        | ArrowType::FixedSizeList(field, _)
        | ArrowType::ListView(field)
        | ArrowType::LargeListView(field) => {
            cast(array, &ArrowType::List(Arc::clone(field))).ok()?
        }
        _ => return None,
    };
    plain.as_list_opt::<i32>().cloned()
}

pub(super) fn plain_map(array: &ArrayRef) -> Option<Entries> {
    let maps = array.as_map_opt()?;
    Some(Entries {
        offsets: maps.offsets().clone(),
        nulls: maps.nulls().cloned(),
        keys: Arc::clone(maps.keys()),
        values: Arc::clone(maps.values()),
    })
}

/// The list inside a group, null where the group is null.
fn inner_list(array: &ArrayRef) -> Option<(ListArray, Option<NullBuffer>)> {
    let group = array.as_struct_opt()?;
    let inner = plain_list(group.columns().first()?)?;
    let nulls = NullBuffer::union(group.nulls(), inner.nulls());
    Some((inner, nulls))
}

pub(super) fn unwrap_list(array: &ArrayRef) -> Option<ListArray> {
    let (inner, nulls) = inner_list(array)?;
    let values = match inner.values().as_struct_opt() {
        Some(group) => Arc::clone(group.columns().first()?),
        None => Arc::clone(inner.values()),
    };
    let field = Field::new("element", values.data_type().clone(), true);
    ListArray::try_new(Arc::new(field), inner.offsets().clone(), values, nulls).ok()
}

pub(super) fn unwrap_map(array: &ArrayRef) -> Option<Entries> {
    let (inner, nulls) = inner_list(array)?;
    let entries = inner.values().as_struct_opt()?;
    let [keys, values] = entries.columns() else {
        return None;
    };
    Some(Entries {
        offsets: inner.offsets().clone(),
        nulls,
        keys: Arc::clone(keys),
        values: Arc::clone(values),
    })
}
