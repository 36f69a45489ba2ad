//! Whatever Arrow layout values come in, another reader gives them back.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Int32Builder, ListViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int8Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray, Int16Array,
    Int32Array, Int64Array, LargeListArray, LargeStringArray, ListArray, RecordBatch, StringArray,
    StringViewArray, StructArray, UInt16Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use bytes::Bytes;
use ftable_orc_writer::{Compression, Error, OrcField, OrcKind, OrcType, OrcWriter, WriterOptions};
use orc_rust::arrow_reader::ArrowReaderBuilder;

fn write(batches: &[RecordBatch], options: WriterOptions) -> Bytes {
    let schema = OrcType::from_arrow(&batches[0].schema()).unwrap();
    let mut writer = OrcWriter::new(Vec::new(), &schema, options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap().into()
}

fn read(file: Bytes) -> Vec<RecordBatch> {
    let reader = ArrowReaderBuilder::try_new(file).unwrap().build();
    reader.map(Result::unwrap).collect()
}

fn column(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("c", array, true)]).unwrap()
}

/// What the only column of a file of one batch is read as.
fn back(array: ArrayRef) -> ArrayRef {
    let batches = read(write(&[column(array)], WriterOptions::default()));
    assert_eq!(batches.len(), 1);
    Arc::clone(batches[0].column(0))
}

fn texts(array: &ArrayRef) -> Vec<Option<String>> {
    let array = array.as_string::<i32>().iter();
    array.map(|text| text.map(str::to_owned)).collect()
}

fn lists(array: &ArrayRef) -> Vec<Option<Vec<i32>>> {
    let lists = array.as_list::<i32>().iter();
    lists
        .map(|list| list.map(|list| list.as_primitive::<Int32Type>().values().to_vec()))
        .collect()
}

#[test]
fn texts_of_every_layout() {
    let given = [Some("a"), None, Some(""), Some("a text past twelve bytes")];
    let expected: Vec<_> = given.map(|text| text.map(str::to_owned)).to_vec();
    let dictionary: DictionaryArray<Int8Type> = given.into_iter().collect();
    for array in [
        Arc::new(StringArray::from(given.to_vec())) as ArrayRef,
        Arc::new(LargeStringArray::from(given.to_vec())),
        Arc::new(StringViewArray::from(given.to_vec())),
        Arc::new(dictionary),
    ] {
        assert_eq!(texts(&back(Arc::clone(&array))), expected);
        // A part of an array is written as that part.
        assert_eq!(texts(&back(array.slice(1, 2))), expected[1..3]);
    }
}

#[test]
fn bytes_of_every_layout() {
    let views = BinaryViewArray::from(vec![Some(&b"\x00\xff"[..]), None]);
    let read = back(Arc::new(views));
    assert_eq!(read.as_binary::<i32>().value(0), b"\x00\xff");
    assert!(read.is_null(1));
    let fixed = FixedSizeBinaryArray::try_from_iter([[1_u8, 2], [3, 4]].into_iter()).unwrap();
    let read = back(Arc::new(fixed));
    assert_eq!(read.as_binary::<i32>().value(1), [3, 4]);
}

#[test]
fn unsigned_integers_take_the_next_wider_type() {
    let read = back(Arc::new(UInt16Array::from(vec![0, u16::MAX])));
    assert_eq!(read.as_primitive::<Int32Type>().values(), &[0, 65_535]);
    let read = back(Arc::new(UInt64Array::from(vec![u64::MAX])));
    assert_eq!(read.data_type(), &DataType::Decimal128(20, 0));
    let value = read.as_primitive::<Decimal128Type>().value(0);
    assert_eq!(value, i128::from(u64::MAX));
}

#[test]
fn lists_of_every_layout() {
    // A null that hides elements: those are no slots of the child.
    let field = Arc::new(Field::new("item", DataType::Int32, true));
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4, 5]));
    let nulls = NullBuffer::from(vec![true, false, true]);
    let offsets = OffsetBuffer::new(vec![0, 1, 3, 5].into());
    let list = ListArray::new(
        Arc::clone(&field),
        offsets,
        Arc::clone(&values),
        Some(nulls),
    );
    let wanted = vec![Some(vec![1]), None, Some(vec![4, 5])];
    assert_eq!(lists(&back(Arc::new(list.clone()))), wanted);
    assert_eq!(lists(&back(Arc::new(list.slice(1, 2)))), wanted[1..]);

    let offsets = OffsetBuffer::new(vec![1_i64, 3, 5].into());
    let large = LargeListArray::new(field, offsets, values, None);
    let read = lists(&back(Arc::new(large)));
    assert_eq!(read, [Some(vec![2, 3]), Some(vec![4, 5])]);

    let mut views = ListViewBuilder::new(Int32Builder::new());
    views.append_value([Some(7), Some(8)]);
    views.append_null();
    views.append_value([]);
    let read = lists(&back(Arc::new(views.finish())));
    assert_eq!(read, [Some(vec![7, 8]), None, Some(vec![])]);

    let mut fixed = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for (values, valid) in [([1, 2], true), ([3, 4], false), ([5, 6], true)] {
        fixed.values().append_slice(&values);
        fixed.append(valid);
    }
    let read = lists(&back(Arc::new(fixed.finish())));
    assert_eq!(read, [Some(vec![1, 2]), None, Some(vec![5, 6])]);
}

#[test]
fn nothing_lies_below_a_null_struct() {
    let children: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(2), None]));
    let fields = Fields::from(vec![Field::new("a", DataType::Int32, true)]);
    let nulls = NullBuffer::from(vec![true, false, true]);
    let array = StructArray::new(fields, vec![children], Some(nulls));
    let read = back(Arc::new(array));
    let read = read.as_struct();
    assert!(read.is_valid(0) && read.is_null(1) && read.is_valid(2));
    let below = read.column(0).as_primitive::<Int32Type>();
    assert_eq!(below.value(0), 1);
    assert!(below.is_null(2));
}

#[test]
fn rows_survive_every_size_of_stripe_and_group() {
    let ids = |from: i64, to: i64| -> RecordBatch {
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(from..to));
        column(values)
    };
    let all = [
        ids(0, 10),
        ids(10, 5_000),
        ids(5_000, 5_000),
        ids(5_000, 12_345),
    ];
    for (stripe, stride) in [
        (1, 1),
        (1_000, 7),
        (10_000, 0),
        (1 << 20, 1_000),
        (usize::MAX, 50_000),
    ] {
        let options = WriterOptions::default()
            .with_stripe_bytes(stripe)
            .with_row_index_stride(stride)
            .with_compression(Compression::Snappy)
            .with_chunk_bytes(100);
        // Where every row is a stripe, a few will do.
        let batches = if stripe == 1 { &all[..1] } else { &all[..] };
        let rows: i64 = batches.iter().map(|batch| batch.num_rows() as i64).sum();
        let read: Vec<i64> = read(write(batches, options))
            .iter()
            .flat_map(|batch| {
                batch
                    .column(0)
                    .as_primitive::<Int64Type>()
                    .values()
                    .to_vec()
            })
            .collect();
        assert_eq!(read, (0..rows).collect::<Vec<_>>(), "{stripe} {stride}");
    }
}

#[test]
fn chars_are_filled_up_and_nothing_is_cut() {
    let attempt = |kind: OrcKind, text: &str| {
        let schema = OrcKind::Struct(vec![OrcField::new("c", OrcType::new(kind))]);
        let options = WriterOptions::default();
        let mut writer = OrcWriter::new(Vec::new(), &OrcType::new(schema), options).unwrap();
        writer.write(&column(Arc::new(StringArray::from(vec![text]))))?;
        let file = writer.finish()?;
        Ok::<_, Error>(texts(read(file.into())[0].column(0))[0].clone().unwrap())
    };
    let char = || OrcKind::Char { length: 3 };
    assert_eq!(attempt(char(), "é").unwrap(), "é  ");
    assert_eq!(attempt(char(), "abc  ").unwrap(), "abc");
    assert_eq!(
        attempt(char(), "abcd").unwrap_err().to_string(),
        "column c: 'abcd' has 4 characters, and the type has room for 3"
    );
    let varchar = OrcKind::Varchar { length: 3 };
    assert_eq!(attempt(varchar.clone(), "ab").unwrap(), "ab");
    assert!(matches!(attempt(varchar, "abc "), Err(Error::Value { .. })));
}

#[test]
fn what_does_not_fit_is_refused_by_column() {
    let small = column(Arc::new(Int16Array::from(vec![1])));
    let schema = OrcType::from_arrow(&small.schema()).unwrap();
    let mut writer = OrcWriter::new(Vec::new(), &schema, WriterOptions::default()).unwrap();
    let wider = column(Arc::new(Int32Array::from(vec![1])));
    assert_eq!(
        writer.write(&wider).unwrap_err().to_string(),
        "column c: an array of Arrow type Int32 cannot be written as SHORT"
    );
    // The file is incomplete from then on.
    assert!(matches!(writer.finish(), Err(Error::Failed)));

    let options = WriterOptions::default().with_bloom_filter_columns(["d"]);
    assert!(matches!(
        OrcWriter::new(Vec::new(), &schema, options),
        Err(Error::Option { .. })
    ));
}
