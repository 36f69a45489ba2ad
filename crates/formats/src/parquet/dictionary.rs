//! Which columns are worth a dictionary.
//!
//! Java's writer gives a dictionary up after the first page of a column when the page and the dictionary together take
//! as many bytes as the values would have taken alone. The writer below cannot go back, so the same is worked out here
//! from the rows of a first page, before anything is encoded.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, GenericByteArray, PrimitiveArray, RecordBatch,
    downcast_primitive_array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType as ArrowType;

/// Bits of the sketch: a power of two, some times the rows that are looked at.
const SKETCH_BITS: u32 = 17;

/// Counts how many values are different, nearly: each sets one bit, and the bits that stay say how many there were.
struct Sketch {
    words: Vec<u64>,
    values: u64,
    bytes: u64,
}

impl Sketch {
    fn new() -> Self {
        Self {
            words: vec![0; 1 << (SKETCH_BITS - 6)],
            values: 0,
            bytes: 0,
        }
    }

    #[inline]
    fn add(&mut self, hash: u64, bytes: usize) {
        let bit = hash >> (64 - SKETCH_BITS);
        if let Some(word) = self.words.get_mut((bit >> 6) as usize) {
            *word |= 1 << (bit & 63);
        }
        self.values += 1;
        self.bytes += bytes as u64;
    }

    /// How many different values there were.
    fn distinct(&self) -> f64 {
        let ones: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        let bits = f64::from(1_u32 << SKETCH_BITS);
        let zeros = (bits - f64::from(ones)).max(1.0);
        (bits * (bits / zeros).ln()).min(self.values as f64)
    }

    /// Whether a dictionary and the numbers of its entries take fewer bytes than the values.
    fn pays(&self) -> bool {
        if self.values == 0 {
            return true;
        }
        let (values, distinct) = (self.values as f64, self.distinct().max(1.0));
        let bytes_per_value = self.bytes as f64 / values;
        let bits_per_number = distinct.log2().ceil().max(1.0);
        distinct * bytes_per_value + values * bits_per_number / 8.0 < self.bytes as f64
    }
}

/// Spreads a value over all bits; the highest are used.
#[inline]
fn spread(value: u64) -> u64 {
    let mixed = (value ^ (value >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn spread_bytes(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = spread(hash ^ u64::from_le_bytes(*word)).rotate_left(23);
    }
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    spread(hash ^ u64::from_le_bytes(last))
}

/// The names of the columns of `batches` that a dictionary makes no smaller. Nested columns are not looked at.
pub(super) fn not_worth_one(batches: &[RecordBatch]) -> Vec<String> {
    let Some(first) = batches.first() else {
        return Vec::new();
    };
    let schema = first.schema();
    let columns = schema.fields().iter().enumerate();
    let worthless = columns.filter(|(index, _)| {
        let mut sketch = Sketch::new();
        let mut parts = batches
            .iter()
            .filter_map(|batch| batch.columns().get(*index));
        parts.all(|part| look_at(part, &mut sketch)) && !sketch.pays()
    });
    worthless.map(|(_, field)| field.name().clone()).collect()
}

/// Adds the values of an array that are not null; `false` for types that are not looked at.
fn look_at(array: &ArrayRef, sketch: &mut Sketch) -> bool {
    downcast_primitive_array!(
        array => numbers(array, sketch),
        ArrowType::Utf8 => texts(array.as_string::<i32>(), sketch),
        ArrowType::Binary => texts(array.as_binary::<i32>(), sketch),
        _ => return false,
    );
    true
}

/// Adds numbers, each with the bytes it takes in a file.
fn numbers<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, sketch: &mut Sketch) {
    let stored = match array.data_type() {
        ArrowType::Decimal128(..=9, _) => 4,
        ArrowType::Decimal128(10..=18, _) => 8,
        _ => size_of::<T::Native>().max(4),
    };
    let bytes = array.values().inner().as_slice();
    match size_of::<T::Native>() {
        1 => each(bytes.as_chunks::<1>().0, array.nulls(), stored, sketch),
        2 => each(bytes.as_chunks::<2>().0, array.nulls(), stored, sketch),
        4 => each(bytes.as_chunks::<4>().0, array.nulls(), stored, sketch),
        8 => each(bytes.as_chunks::<8>().0, array.nulls(), stored, sketch),
        _ => each(bytes.as_chunks::<16>().0, array.nulls(), stored, sketch),
    }
}

#[inline]
fn each<const WIDTH: usize>(
    values: &[[u8; WIDTH]],
    nulls: Option<&NullBuffer>,
    stored: usize,
    sketch: &mut Sketch,
) {
    let mut add = |value: &[u8; WIDTH]| {
        let mut wide = [0; 16];
        for (to, from) in wide.iter_mut().zip(value) {
            *to = *from;
        }
        let wide = u128::from_le_bytes(wide);
        sketch.add(spread(wide as u64 ^ spread((wide >> 64) as u64)), stored);
    };
    match nulls {
        None => values.iter().for_each(add),
        Some(nulls) => nulls
            .valid_indices()
            .filter_map(|row| values.get(row))
            .for_each(&mut add),
    }
}

/// Adds texts or bytes, each with its length before it, as in a page.
fn texts<T: ByteArrayType>(array: &GenericByteArray<T>, sketch: &mut Sketch) {
    for value in array.iter().flatten() {
        let bytes: &[u8] = value.as_ref();
        sketch.add(spread_bytes(bytes), bytes.len() + size_of::<u32>());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        BinaryArray, Decimal128Array, Float32Array, Float64Array, Int8Array, Int32Array,
        Int64Array, ListArray, StringArray,
    };

    use super::*;

    fn judged(columns: Vec<(&str, ArrayRef)>) -> Vec<String> {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        // Cut, as the rows of a page come in batches.
        let half = batch.num_rows() / 2;
        not_worth_one(&[
            batch.slice(0, half),
            batch.slice(half, batch.num_rows() - half),
        ])
    }

    fn cycle(of: i64) -> impl Iterator<Item = i64> {
        (0..20_000).map(move |row| row % of)
    }

    #[test]
    fn columns_of_values_that_do_not_come_again() {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(Int64Array::from_iter_values(cycle(20_000)))),
            (
                "half",
                Arc::new(Int64Array::from_iter_values(cycle(10_000))),
            ),
            ("few", Arc::new(Int64Array::from_iter_values(cycle(200)))),
            (
                "one",
                Arc::new(Int32Array::from_iter_values(cycle(1).map(|n| n as i32))),
            ),
            (
                "tiny",
                Arc::new(Int8Array::from_iter_values(cycle(100).map(|n| n as i8))),
            ),
            (
                "ratio",
                Arc::new(Float32Array::from_iter_values(
                    cycle(20_000).map(|n| n as f32 / 7.0),
                )),
            ),
            (
                "score",
                Arc::new(Float64Array::from_iter_values(
                    cycle(50).map(|n| n as f64 / 7.0),
                )),
            ),
            (
                "price",
                Arc::new(
                    Decimal128Array::from_iter_values(cycle(19_000).map(i128::from))
                        .with_precision_and_scale(14, 2)
                        .unwrap(),
                ),
            ),
            (
                "name",
                Arc::new(StringArray::from_iter_values(
                    cycle(5_000).map(|n| format!("sensor {n}")),
                )),
            ),
            (
                "key",
                Arc::new(StringArray::from_iter_values(
                    cycle(20_000).map(|n| format!("key {n}")),
                )),
            ),
            (
                "hash",
                Arc::new(BinaryArray::from_iter_values(
                    cycle(20_000).map(|n| n.to_le_bytes().repeat(4)),
                )),
            ),
        ];
        assert_eq!(judged(columns), ["id", "ratio", "price", "key", "hash"]);
    }

    #[test]
    fn nulls_are_no_values() {
        let of = |row: i64| (row % 10 == 0).then_some(row);
        let many: Int64Array = (0..20_000).map(of).collect();
        let none = Int64Array::new_null(20_000);
        let columns: Vec<(&str, ArrayRef)> =
            vec![("many", Arc::new(many)), ("none", Arc::new(none))];
        assert_eq!(judged(columns), ["many"]);
    }

    #[test]
    fn nested_columns_and_no_rows_are_not_looked_at() {
        let lists = ListArray::from_iter_primitive::<arrow_array::types::Int64Type, _, _>(
            (0..2000).map(|row| Some(vec![Some(row)])),
        );
        assert!(judged(vec![("lists", Arc::new(lists))]).is_empty());
        assert!(not_worth_one(&[]).is_empty());
        let empty: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
        assert!(judged(vec![("empty", empty)]).is_empty());
    }

    #[test]
    fn the_sketch_counts_within_a_percent_or_two() {
        for distinct in [1_u64, 10, 1000, 10_000, 20_000] {
            let mut sketch = Sketch::new();
            (0..20_000).for_each(|row| sketch.add(spread(row % distinct), 8));
            let counted = sketch.distinct();
            let error = (counted - distinct as f64).abs() / distinct as f64;
            assert!(error < 0.02, "{distinct}: {counted}");
        }
    }
}
