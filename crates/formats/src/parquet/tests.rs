//! Files written and read, and files that others wrote.

mod bad_input;
mod fields;
mod foreign;
mod round_trip;
mod written;

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::data_type::{ByteArrayType, Int32Type, Int64Type, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use ftable_core::{DataField, FileFormatKind};

use crate::testing::Read;

const PARQUET: FileFormatKind = FileFormatKind::Parquet;

fn reader(fields: &Arc<[DataField]>) -> Read {
    Read::new(PARQUET, fields)
}

/// The values of a leaf column with its definition and repetition levels.
enum Leaf<'a> {
    Int32(Vec<i32>, &'a [i16], &'a [i16]),
    Int64(Vec<i64>, &'a [i16], &'a [i16]),
    Int96(Vec<Int96>, &'a [i16], &'a [i16]),
    Bytes(Vec<&'a [u8]>, &'a [i16], &'a [i16]),
}

/// Levels are left out where they are all zero.
fn given(levels: &[i16]) -> Option<&[i16]> {
    (!levels.is_empty()).then_some(levels)
}

/// A file of one row group with a schema in Parquet's own words.
fn foreign_file(schema: &str, leaves: &[Leaf<'_>]) -> Bytes {
    foreign_file_with(schema, Compression::UNCOMPRESSED, leaves)
}

fn foreign_file_with(schema: &str, codec: Compression, leaves: &[Leaf<'_>]) -> Bytes {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_compression(codec).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for leaf in leaves {
        let mut column = group
            .next_column()
            .unwrap()
            .expect("a column for each leaf");
        match leaf {
            Leaf::Int32(values, def, rep) => column
                .typed::<Int32Type>()
                .write_batch(values, given(def), given(rep))
                .unwrap(),
            Leaf::Int64(values, def, rep) => column
                .typed::<Int64Type>()
                .write_batch(values, given(def), given(rep))
                .unwrap(),
            Leaf::Int96(values, def, rep) => column
                .typed::<Int96Type>()
                .write_batch(values, given(def), given(rep))
                .unwrap(),
            Leaf::Bytes(values, def, rep) => {
                let values: Vec<_> = values.iter().map(|value| value.to_vec().into()).collect();
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&values, given(def), given(rep))
                    .unwrap()
            }
        };
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap().into()
}
