//! What lies in written files, what is refused, and what is read of parts of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, Date32Array, Int16Array, Int32Array, Int64Array, RecordBatch,
    RecordBatchOptions, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray,
};
use arrow_schema::Schema;
use bytes::Bytes;
use ftable_core::{DataField, ErrorKind};
use orc_rust::reader::metadata::{FileMetadata, read_metadata};

use super::super::rle::{Integers, Version};
use super::{ORC, reader};
use crate::testing::{batch, columns, concat, random_batches, write};

/// What another reading of the tail says.
fn metadata(bytes: &Bytes) -> FileMetadata {
    read_metadata(&mut bytes.clone()).unwrap()
}

#[test]
fn types_are_those_of_java() {
    let fields = columns(
        "b BOOLEAN, t TINYINT, s SMALLINT, i INT NOT NULL, l BIGINT, f FLOAT, d DOUBLE, c CHAR(5), \
         v VARCHAR(5), x STRING, y BINARY(3), z BYTES, dt DATE, tm TIME(3), t0 TIMESTAMP(0), \
         t9 TIMESTAMP(9), z6 TIMESTAMP(6) WITH LOCAL TIME ZONE",
    );
    let bytes = write(ORC, &[], &fields, &random_batches(&fields, &[3], 1)).unwrap();
    let types: Vec<String> = metadata(&bytes)
        .root_data_type()
        .children()
        .iter()
        .map(|column| format!("{} {}", column.name(), column.data_type()))
        .collect();
    assert_eq!(
        types,
        [
            "b BOOLEAN",
            "t BYTE",
            "s SHORT",
            "i INTEGER",
            "l LONG",
            "f FLOAT",
            "d DOUBLE",
            "c CHAR(5)",
            "v VARCHAR(5)",
            "x STRING",
            "y BINARY",
            "z BINARY",
            "dt DATE",
            "tm INTEGER",
            "t0 TIMESTAMP",
            "t9 TIMESTAMP",
            "z6 TIMESTAMP INSTANT"
        ]
    );
    assert_eq!(
        metadata(&bytes).compression().unwrap().to_string(),
        "Zstd (262144 byte max block size)"
    );
}

/// Numbers are looked at as they lie in the file.
#[test]
fn small_integers_are_written_for_every_reader() {
    let stored = |declared: &str, values: ArrayRef| -> Vec<i64> {
        let fields = columns(&format!("n {declared} NOT NULL"));
        let rows = values.len();
        let batch = batch(&fields, vec![values]);
        let options = [("file.compression", "none"), ("orc.row.index.stride", "0")];
        let bytes = write(ORC, &options, &fields, &[batch]).unwrap();
        // Without an index the stream of the only column stands behind the magic.
        let mut numbers = Integers::signed(bytes[3..].to_vec().into(), Version::V2);
        (0..rows).map(|_| numbers.next().unwrap() as i64).collect()
    };
    let runs = |least: i64, most: i64| -> Vec<i64> {
        let equal = [vec![least; 20], vec![most; 20], vec![0, 1, 2, 3]].concat();
        let steps = (0..50)
            .map(|at| most - 50 + at)
            .chain((0..50).map(|at| least + 50 - at));
        let outliers = (0..200).map(|at| if at % 50 == 7 { most } else { at % 9 - 4 });
        equal.into_iter().chain(steps).chain(outliers).collect()
    };
    let small = runs(i16::MIN.into(), i16::MAX.into());
    let values = Int16Array::from_iter_values(small.iter().map(|value| *value as i16));
    assert_eq!(stored("SMALLINT", Arc::new(values)), small);
    let wide = runs(i32::MIN.into(), i32::MAX.into());
    let values = Int32Array::from_iter_values(wide.iter().map(|value| *value as i32));
    assert_eq!(stored("INT", Arc::new(values)), wide);
    let values = Date32Array::from_iter_values(wide.iter().map(|value| *value as i32));
    assert_eq!(stored("DATE", Arc::new(values)), wide);
}

#[test]
fn columns_have_the_ids_of_their_fields() {
    let mut fields = columns("a INT, b STRING").to_vec();
    fields[1].id = 42;
    let bytes = write(ORC, &[("file.compression", "none")], &fields.into(), &[]).unwrap();
    let attribute = |id: &str| {
        [
            b"paimon.id\x12".as_slice(),
            &[id.len() as u8],
            id.as_bytes(),
        ]
        .concat()
    };
    for id in ["0", "42"] {
        let wanted = attribute(id);
        assert_eq!(
            bytes
                .windows(wanted.len())
                .filter(|bytes| **bytes == wanted[..])
                .count(),
            1
        );
    }
}

#[test]
fn types_that_orc_does_not_have_are_refused_by_column() {
    let format = crate::file_format(ORC);
    for declared in ["VARIANT", "VECTOR<FLOAT, 3>"] {
        let fields = columns(&format!("id INT, bad {declared}"));
        let error = format.check_write_schema(&fields).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            format!(
                "orc: writing column bad of type {declared} is not supported: \
                 ORC has no such type; use parquet"
            )
        );
        assert!(write(ORC, &[], &fields, &[]).is_err());
    }
}

#[test]
fn every_codec_is_written_and_read() {
    let fields = columns("a BIGINT, b STRING");
    let batches = random_batches(&fields, &[3_000], 7);
    for (name, codec) in [
        ("none", None),
        ("zlib", Some("Zlib")),
        ("snappy", Some("Snappy")),
        ("lz4", Some("Lz4")),
        ("zstd", Some("Zstd")),
    ] {
        let bytes = write(ORC, &[("file.compression", name)], &fields, &batches).unwrap();
        let written = metadata(&bytes)
            .compression()
            .map(|codec| codec.compression_type().to_string());
        assert_eq!(written.as_deref(), codec);
        assert_eq!(
            reader(&fields).read(&bytes).unwrap(),
            concat(&fields, &batches),
            "{name}"
        );
    }
    let error = write(ORC, &[("orc.compress.size", "8388608")], &fields, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "orc: 'orc.compress.size' = '8388608' is not supported: use 1 to 8388607 bytes"
    );
}

/// ORC-763: readers tell the seconds before 1970 by their sign, and 0 has none.
#[test]
fn fractions_of_the_last_second_before_1970_are_refused() {
    let ms = |values: Vec<i64>| Arc::new(TimestampMillisecondArray::from(values)) as ArrayRef;
    let us = |values: Vec<i64>| {
        Arc::new(TimestampMicrosecondArray::from(values).with_timezone("UTC")) as ArrayRef
    };
    let ns = |values: Vec<i64>| Arc::new(TimestampNanosecondArray::from(values)) as ArrayRef;
    let refused = |declared: &str, values: ArrayRef, value: &str| {
        let fields = columns(&format!("id TIMESTAMP(3), t {declared}"));
        let ids = ms(vec![0; values.len()]);
        let error = write(ORC, &[], &fields, &[batch(&fields, vec![ids, values])]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let expected =
            format!("orc: column t: value {value} cannot be stored: it lies in the last ");
        assert!(error.to_string().starts_with(&expected), "{error}");
    };
    refused("TIMESTAMP(3)", ms(vec![0, -1]), "1969-12-31T23:59:59.999");
    refused("TIMESTAMP(3)", ms(vec![-999]), "1969-12-31T23:59:59.001");
    let ltz = "TIMESTAMP(6) WITH LOCAL TIME ZONE";
    refused(ltz, us(vec![-999_000]), "1969-12-31T23:59:59.001");
    refused(
        "TIMESTAMP(9)",
        ns(vec![5, -1]),
        "1969-12-31T23:59:59.999999999",
    );
    refused(
        "TIMESTAMP(9)",
        ns(vec![-999_000_000]),
        "1969-12-31T23:59:59.001",
    );
    // Beside the gap everything comes back.
    for (declared, values) in [
        (
            "TIMESTAMP(3)",
            ms(vec![-1_000, 0, -1_001, i64::MIN, i64::MAX]),
        ),
        (
            ltz,
            us(vec![
                -1_000_000,
                -999_001,
                0,
                -1_000_001,
                i64::MIN,
                i64::MAX,
            ]),
        ),
        (
            "TIMESTAMP(9)",
            ns(vec![
                -1_000_000_000,
                -999_000_001,
                0,
                -1_000_000_001,
                i64::MIN,
                i64::MAX,
            ]),
        ),
    ] {
        let fields = columns(&format!("t {declared}"));
        let written = batch(&fields, vec![values]);
        let bytes = write(ORC, &[], &fields, std::slice::from_ref(&written)).unwrap();
        assert_eq!(reader(&fields).read(&bytes).unwrap(), written);
    }
    // What lies under a null is no time.
    let hidden = TimestampMillisecondArray::new(vec![-1, 7].into(), Some(vec![false, true].into()));
    let fields = columns("t TIMESTAMP(3)");
    let bytes = write(ORC, &[], &fields, &[batch(&fields, vec![Arc::new(hidden)])]).unwrap();
    assert_eq!(
        reader(&fields).read(&bytes).unwrap().column(0).null_count(),
        1
    );
}

#[test]
fn extreme_integers_come_back() {
    let fields = columns("n BIGINT");
    let make = |values: Vec<i64>| {
        batch(
            &fields,
            vec![Arc::new(Int64Array::from(values)) as ArrayRef],
        )
    };
    let among = |others: i64| {
        let mut values: Vec<i64> = (0..100).map(|at| others * (1 + at % 7)).collect();
        values[50] = i64::MIN;
        values
    };
    for kept in [
        vec![make(among(1))],
        vec![make(among(-1))],
        vec![make(vec![-5, -4, -9]), make(vec![i64::MIN])],
        vec![make(vec![i64::MIN; 3])],
        vec![make(vec![-1, -2, 0]), make(vec![i64::MIN, -7, 5])],
        vec![make(vec![i64::MIN, i64::MAX, -1, i64::MIN, 0])],
    ] {
        let bytes = write(ORC, &[], &fields, &kept).unwrap();
        assert_eq!(
            reader(&fields).read(&bytes).unwrap(),
            concat(&fields, &kept)
        );
    }
}

#[test]
fn no_rows_make_a_file_of_no_rows() {
    let fields = columns("a INT, b STRING");
    for batches in [Vec::new(), random_batches(&fields, &[0, 0], 1)] {
        let bytes = write(ORC, &[], &fields, &batches).unwrap();
        assert_eq!(reader(&fields).count(&bytes).unwrap(), 0);
        assert_eq!(reader(&fields).read(&bytes).unwrap().num_rows(), 0);
    }
    assert_eq!(reader(&fields).count(&Bytes::new()).unwrap(), 0);
    assert_eq!(reader(&fields).read(&Bytes::new()).unwrap().num_rows(), 0);
}

/// Rows without a data column: every column of the table is a partition key.
#[test]
fn files_without_columns_keep_their_number_of_rows() {
    let fields: Arc<[DataField]> = Vec::new().into();
    let rows = |count: usize| {
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options).unwrap()
    };
    for codec in ["none", "zstd"] {
        let batches = [rows(3), rows(0), rows(2_500)];
        let bytes = write(ORC, &[("file.compression", codec)], &fields, &batches).unwrap();
        assert_eq!(metadata(&bytes).number_of_rows(), 2_503);
        assert_eq!(reader(&fields).count(&bytes).unwrap(), 2_503);
        assert_eq!(
            reader(&fields)
                .batch_size(1_000)
                .read(&bytes)
                .unwrap()
                .num_rows(),
            2_503
        );
        let later = reader(&columns("a INT")).read(&bytes).unwrap();
        assert_eq!(
            (later.num_rows(), later.column(0).null_count()),
            (2_503, 2_503)
        );
    }
}

#[test]
fn projections_give_what_was_asked_for_in_that_order() {
    let fields = columns("a INT, b TIMESTAMP(9), c STRING, d DATE");
    let batches = random_batches(&fields, &[700], 5);
    let bytes = write(ORC, &[], &fields, &batches).unwrap();
    let whole = concat(&fields, &batches);
    for order in [vec![3, 0], vec![1], vec![2, 1, 0], vec![0, 1, 2, 3]] {
        let asked: Arc<[_]> = order.iter().map(|index| fields[*index].clone()).collect();
        assert_eq!(
            reader(&asked).read(&bytes).unwrap(),
            whole.project(&order).unwrap()
        );
    }
    let nothing: Arc<[DataField]> = Vec::new().into();
    assert_eq!(
        reader(&nothing)
            .batch_size(100)
            .read(&bytes)
            .unwrap()
            .num_rows(),
        700
    );
}

/// However a file is cut, each row comes once.
#[test]
fn byte_ranges_share_the_rows_out() {
    let fields = columns("id BIGINT, s STRING");
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..900));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..900).map(|id| format!("{id:>50}")),
    ));
    let given = [("file.block-size", "4 kb"), ("write.batch-size", "50")];
    let bytes = write(ORC, &given, &fields, &[batch(&fields, vec![ids, text])]).unwrap();
    let size = bytes.len() as u64;
    let stripes = metadata(&bytes).stripe_metadatas().len();
    assert!(stripes >= 5, "{stripes}");
    let ids = |range: std::ops::Range<u64>| -> Vec<i64> {
        let read = reader(&fields).range(range.clone()).read(&bytes).unwrap();
        let counted = reader(&fields).range(range).count(&bytes).unwrap();
        assert_eq!(counted, read.num_rows() as u64);
        read.column(0).as_primitive::<Int64Type>().values().to_vec()
    };
    let all: Vec<i64> = (0..900).collect();
    for cut in (0..=size).step_by(101).chain([0, 3, 4, 5, size - 1, size]) {
        assert_eq!([ids(0..cut), ids(cut..size)].concat(), all, "cut at {cut}");
    }
    let parts: Vec<i64> = (0..size)
        .step_by(777)
        .flat_map(|start| ids(start..(start + 777).min(size)))
        .collect();
    assert_eq!(parts, all);
}

#[test]
fn flushing_ends_a_stripe() {
    let fields = columns("a INT");
    let request = crate::WriteRequest {
        fields: Arc::clone(&fields),
        options: crate::testing::options(ORC, &[]),
    };
    let mut encoder = crate::file_format(ORC).encoder(request).unwrap();
    let batches = random_batches(&fields, &[10, 20], 1);
    let mut bytes = Vec::new();
    for batch in &batches {
        encoder.write(batch).unwrap();
        assert!(encoder.memory_size() > 0);
        encoder.flush().unwrap();
        encoder.flush().unwrap();
        assert_eq!(encoder.memory_size(), 0);
        bytes.extend_from_slice(&encoder.take_bytes());
        assert_eq!(encoder.encoded_size(), bytes.len() as u64);
    }
    bytes.extend_from_slice(&encoder.finish().unwrap());
    let bytes = Bytes::from(bytes);
    assert_eq!(metadata(&bytes).stripe_metadatas().len(), 2);
    assert_eq!(
        reader(&fields).read(&bytes).unwrap(),
        concat(&fields, &batches)
    );
}
