//! A Parquet file of types that pyarrow does not write: one row, of what each annotation makes of its bytes.

use std::sync::Arc;

use bytes::Bytes;
use parquet::data_type::{
    ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
    Int96, Int96Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

enum Value {
    Int32(i32),
    Int64(i64),
    Int96(i64, i32),
    Bytes(&'static [u8]),
    Fixed(&'static [u8]),
}

use Value::{Bytes as B, Fixed as F, Int32 as I, Int64 as L, Int96 as T};

/// The columns in Parquet's own words, and the value of each.
const COLUMNS: &[(&str, Value)] = &[
    ("required int32 int32_annotated (INT_32)", I(300)),
    ("required int32 int16_converted (INT_16)", I(-7)),
    ("required int64 int64_annotated (INT_64)", L(300)),
    ("required binary enum (ENUM)", B(b"RED")),
    ("required binary bson (BSON)", B(b"\x05\0\0\0\0")),
    (
        "required fixed_len_byte_array(12) interval (INTERVAL)",
        F(&[0; 12]),
    ),
    (
        "required binary dec_5_2_bytes (DECIMAL(5,2))",
        B(b"\xfe\x79\x61"),
    ),
    (
        "required fixed_len_byte_array(3) dec_5_2_fixed (DECIMAL(5,2))",
        F(&[0x01, 0x86, 0x9f]),
    ),
    (
        "required fixed_len_byte_array(17) dec_40_0 (DECIMAL(40,0))",
        F(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]),
    ),
    (
        "required int32 dec_5_2_beyond (DECIMAL(5,2))",
        I(10_000_000),
    ),
    (
        "required int64 ts_millis_converted (TIMESTAMP_MILLIS)",
        L(-1),
    ),
    (
        "required int64 ts_micros_converted (TIMESTAMP_MICROS)",
        L(-1),
    ),
    ("required int32 time_millis_converted (TIME_MILLIS)", I(1)),
    ("required int32 time_beyond (TIME_MILLIS)", I(86_400_000)),
    (
        "required int64 time_micros_converted (TIME_MICROS)",
        L(86_399_999_000),
    ),
    ("required int32 date_converted (DATE)", I(-1)),
    // The last nanosecond of 1969 as Java Paimon writes it, with the part of the day negative.
    ("required int96 int96_negative", T(-1, 2_440_588)),
    ("required int96 int96_year_1", T(0, 1_721_426)),
    (
        "required int96 int96_year_9999",
        T(86_399_999_999_000, 5_373_484),
    ),
];

/// The bytes of the file.
pub(crate) fn file() -> Bytes {
    let fields: String = COLUMNS
        .iter()
        .map(|(field, _)| format!("{field}; "))
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message m {{ {fields} }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (_, value) in COLUMNS {
        let mut column = group.next_column().unwrap().unwrap();
        let written = match value {
            I(value) => column
                .typed::<Int32Type>()
                .write_batch(&[*value], None, None),
            L(value) => column
                .typed::<Int64Type>()
                .write_batch(&[*value], None, None),
            T(nanos, day) => {
                let mut value = Int96::new();
                value.set_data(*nanos as u32, (*nanos >> 32) as u32, *day as u32);
                column
                    .typed::<Int96Type>()
                    .write_batch(&[value], None, None)
            }
            B(value) => {
                let value: ByteArray = value.to_vec().into();
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&[value], None, None)
            }
            F(value) => {
                let value = FixedLenByteArray::from(value.to_vec());
                column
                    .typed::<FixedLenByteArrayType>()
                    .write_batch(&[value], None, None)
            }
        };
        written.unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap().into()
}
