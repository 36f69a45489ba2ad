//! The values of arrays, whatever Arrow layout they come in.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use snafu::ResultExt;

use crate::error::{ArraySnafu, Result};

/// The values of a dictionary array in full; `None` for other arrays.
pub(super) fn unpacked(array: &ArrayRef, path: &str) -> Result<Option<ArrayRef>> {
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        return Ok(None);
    };
    let taken = arrow_select::take::take(dictionary.values(), dictionary.keys(), None);
    let taken = taken.context(ArraySnafu { column: path })?;
    // The values of a dictionary may be a dictionary again.
    Ok(Some(unpacked(&taken, path)?.unwrap_or(taken)))
}

/// Calls `visit` with each range of rows that are not null.
pub(super) fn for_valid_ranges<E>(
    nulls: Option<&NullBuffer>,
    rows: usize,
    mut visit: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    match nulls.filter(|nulls| nulls.null_count() > 0) {
        None => visit(0..rows),
        Some(nulls) => nulls
            .valid_slices()
            .try_for_each(|(start, end)| visit(start..end)),
    }
}

/// Calls `visit` with the bytes of each text or binary value that is not null; `false` for arrays of other types.
pub(super) fn for_bytes<E>(
    array: &dyn Array,
    mut visit: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<bool, E> {
    macro_rules! each {
        ($array:expr, $value:ident => $bytes:expr) => {{
            let array = $array;
            for_valid_ranges(array.nulls(), array.len(), |rows| {
                for row in rows {
                    let $value = array.value(row);
                    visit($bytes)?;
                }
                Ok(())
            })?
        }};
    }
    match array.data_type() {
        DataType::Utf8 => each!(array.as_string::<i32>(), value => value.as_bytes()),
        DataType::LargeUtf8 => each!(array.as_string::<i64>(), value => value.as_bytes()),
        DataType::Utf8View => each!(array.as_string_view(), value => value.as_bytes()),
        DataType::Binary => each!(array.as_binary::<i32>(), value => value),
        DataType::LargeBinary => each!(array.as_binary::<i64>(), value => value),
        DataType::BinaryView => each!(array.as_binary_view(), value => value),
        DataType::FixedSizeBinary(_) => each!(array.as_fixed_size_binary(), value => value),
        _ => return Ok(false),
    }
    Ok(true)
}
