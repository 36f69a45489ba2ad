//! Entries of maps with the same key.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, StringArray, UInt32Array};
use arrow_buffer::Buffer;
use arrow_schema::DataType as ArrowType;

/// The most entries of a map whose keys are compared in pairs.
const FEW: usize = 16;

/// What is left of the entries of maps.
pub(super) struct LastOfEqual {
    /// The entries that stay.
    pub(super) entries: UInt32Array,
    /// Where the entries of each map end now.
    pub(super) ends: Vec<i32>,
}

/// Which entry is the last with its key, within each map; `None` if all are.
///
/// `ends` is where the entries of each map end, from 0.
pub(super) fn last_of_equal(keys: &dyn Array, ends: &[i32]) -> Option<LastOfEqual> {
    let bytes = Keys::new(keys)?;
    let maps = || {
        ends.windows(2).filter_map(|pair| match pair {
            [start, end] => Some(*start as usize..*end as usize),
            _ => None,
        })
    };
    if !maps().any(|map| bytes.has_equal(map)) {
        return None;
    }
    let mut entries: Vec<u32> = Vec::with_capacity(keys.len());
    let mut kept_ends = Vec::with_capacity(ends.len());
    kept_ends.push(0);
    for map in maps() {
        let last: HashMap<&[u8], usize> =
            map.clone().map(|entry| (bytes.at(entry), entry)).collect();
        let kept = map.filter(|entry| last.get(bytes.at(*entry)) == Some(entry));
        // No more than `i32::MAX`, which is where they end.
        entries.extend(kept.map(|entry| entry as u32));
        kept_ends.push(entries.len() as i32);
    }
    Some(LastOfEqual {
        entries: entries.into(),
        ends: kept_ends,
    })
}

/// Keys as bytes that are equal where the keys are. Of floating-point keys 0 and -0 differ and NaN is NaN, as for Java.
enum Keys<'a> {
    Text(&'a StringArray),
    Boolean(&'a BooleanArray),
    Fixed { bytes: Buffer, width: usize },
}

impl<'a> Keys<'a> {
    fn new(keys: &'a dyn Array) -> Option<Self> {
        match keys.data_type() {
            ArrowType::Utf8 => keys.as_string_opt().map(Self::Text),
            ArrowType::Boolean => keys.as_boolean_opt().map(Self::Boolean),
            other => {
                let width = other.primitive_width()?;
                let data = keys.to_data();
                let bytes = data.buffers().first()?;
                let bytes = bytes.slice_with_length(data.offset() * width, data.len() * width);
                Some(Self::Fixed { bytes, width })
            }
        }
    }

    fn at(&self, entry: usize) -> &[u8] {
        match self {
            Self::Text(texts) => texts.value(entry).as_bytes(),
            Self::Boolean(values) if values.value(entry) => b"true",
            Self::Boolean(_) => b"false",
            Self::Fixed { bytes, width } => bytes
                .get(entry * width..(entry + 1) * width)
                .unwrap_or_default(),
        }
    }

    fn has_equal(&self, map: Range<usize>) -> bool {
        if map.len() <= FEW {
            let before = |entry: usize| map.start..entry;
            map.clone()
                .any(|entry| before(entry).any(|other| self.at(other) == self.at(entry)))
        } else {
            let mut seen = HashSet::with_capacity(map.len());
            !map.into_iter().all(|entry| seen.insert(self.at(entry)))
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Float64Array, Int32Array};

    use super::*;

    fn kept(keys: &dyn Array, ends: &[i32]) -> Option<(Vec<u32>, Vec<i32>)> {
        let last = last_of_equal(keys, ends)?;
        Some((last.entries.values().to_vec(), last.ends))
    }

    #[test]
    fn the_last_of_equal_keys_stays_within_each_map() {
        let keys = Int32Array::from(vec![1, 2, 1, 1, 3, 3, 3]);
        let expected = (vec![1, 2, 3, 6], vec![0, 2, 3, 3, 4]);
        assert_eq!(kept(&keys, &[0, 3, 4, 4, 7]), Some(expected));
        assert_eq!(kept(&keys, &[0, 2, 3, 4, 5]), None);
        assert_eq!(
            kept(&keys.slice(2, 3), &[0, 2, 3]),
            Some((vec![1, 2], vec![0, 1, 2]))
        );
        assert_eq!(kept(&Int32Array::from(Vec::<i32>::new()), &[0, 0]), None);
    }

    #[test]
    fn texts_and_booleans_and_numbers_are_compared_as_values() {
        let texts = StringArray::from(vec!["a", "", "a", ""]);
        assert_eq!(kept(&texts, &[0, 4]), Some((vec![2, 3], vec![0, 2])));
        let booleans = BooleanArray::from(vec![true, false, true]);
        assert_eq!(kept(&booleans, &[0, 3]), Some((vec![1, 2], vec![0, 2])));
        let doubles = Float64Array::from(vec![0.0, -0.0, f64::NAN, 1.0, f64::NAN]);
        assert_eq!(
            kept(&doubles, &[0, 5]),
            Some((vec![0, 1, 3, 4], vec![0, 4]))
        );
    }

    #[test]
    fn many_keys_are_held_against_each_other_too() {
        let mut keys: Vec<i32> = (0..1000).collect();
        assert_eq!(kept(&Int32Array::from(keys.clone()), &[0, 1000]), None);
        keys.push(7);
        let (entries, ends) = kept(&Int32Array::from(keys), &[0, 1001]).unwrap();
        assert_eq!((entries.len(), ends), (1000, vec![0, 1000]));
        assert!(!entries.contains(&7) && entries.contains(&1000));
    }
}
