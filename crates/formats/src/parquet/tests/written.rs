//! What lies in written files, and what is read of parts of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::Schema;
use bytes::Bytes;
use ftable_core::ErrorKind;
use parquet::basic::{Compression, Encoding, PageType};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::printer::print_schema;

use super::{PARQUET, reader};
use crate::testing::{batch, columns, concat, random_batches, write};

fn metadata(bytes: &Bytes) -> ParquetMetaData {
    ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Required)
        .parse_and_finish(bytes)
        .unwrap()
}

fn schema_text(bytes: &Bytes) -> String {
    let mut text = Vec::new();
    print_schema(&mut text, metadata(bytes).file_metadata().schema());
    String::from_utf8(text).unwrap()
}

/// As Java Paimon's `ParquetSchemaConverter` writes them, TIMESTAMP(9) aside, which is INT64 NANOS here.
#[test]
fn types_are_annotated_as_java_does() {
    let fields = columns(
        "b BOOLEAN, t TINYINT, s SMALLINT, i INT NOT NULL, l BIGINT, f FLOAT, d DOUBLE, \
         d9 DECIMAL(9, 2), d18 DECIMAL(18, 0), d19 DECIMAL(19, 1), d38 DECIMAL(38, 38), \
         c CHAR(5), v VARCHAR(5), x STRING NOT NULL, y BINARY(3), z BYTES, dt DATE, tm TIME(3), \
         t0 TIMESTAMP(0), t6 TIMESTAMP(6), t9 TIMESTAMP(9), \
         z3 TIMESTAMP(3) WITH LOCAL TIME ZONE, z6 TIMESTAMP(6) WITH LOCAL TIME ZONE",
    );
    let bytes = write(PARQUET, &[], &fields, &random_batches(&fields, &[3], 1)).unwrap();
    assert_eq!(
        schema_text(&bytes),
        "message paimon_schema {
  OPTIONAL BOOLEAN b [0];
  OPTIONAL INT32 t [1] (INTEGER(8,true));
  OPTIONAL INT32 s [2] (INTEGER(16,true));
  REQUIRED INT32 i [3];
  OPTIONAL INT64 l [4];
  OPTIONAL FLOAT f [5];
  OPTIONAL DOUBLE d [6];
  OPTIONAL INT32 d9 [7] (DECIMAL(9,2));
  OPTIONAL INT64 d18 [8] (DECIMAL(18,0));
  OPTIONAL FIXED_LEN_BYTE_ARRAY (9) d19 [9] (DECIMAL(19,1));
  OPTIONAL FIXED_LEN_BYTE_ARRAY (16) d38 [10] (DECIMAL(38,38));
  OPTIONAL BYTE_ARRAY c [11] (STRING);
  OPTIONAL BYTE_ARRAY v [12] (STRING);
  REQUIRED BYTE_ARRAY x [13] (STRING);
  OPTIONAL BYTE_ARRAY y [14];
  OPTIONAL BYTE_ARRAY z [15];
  OPTIONAL INT32 dt [16] (DATE);
  OPTIONAL INT32 tm [17] (TIME(MILLIS,true));
  OPTIONAL INT64 t0 [18] (TIMESTAMP(MILLIS,false));
  OPTIONAL INT64 t6 [19] (TIMESTAMP(MICROS,false));
  OPTIONAL INT64 t9 [20] (TIMESTAMP(NANOS,false));
  OPTIONAL INT64 z3 [21] (TIMESTAMP(MILLIS,true));
  OPTIONAL INT64 z6 [22] (TIMESTAMP(MICROS,true));
}
"
    );
}

/// Generated children have ids around a quarter of the largest: Java's `SpecialFields`.
#[test]
fn nested_types_are_named_and_numbered_as_java_does() {
    let mut fields = columns(
        "a ARRAY<INT NOT NULL>, m MAP<STRING, ARRAY<BIGINT>>, s MULTISET<STRING>, \
         r ROW<p INT, q ARRAY<TIME(0)>>",
    )
    .to_vec();
    fields[0].id = 21;
    fields[1].id = 22;
    let fields = fields.into();
    let bytes = write(PARQUET, &[], &fields, &random_batches(&fields, &[3], 1)).unwrap();
    let quarter = (i32::MAX / 4) as i64;
    let row_id = |index: usize| fields[index].id as i64;
    let ftable_core::TypeKind::Row { fields: children } = fields[3].data_type.kind() else {
        panic!()
    };
    let (p, q) = (children[0].id as i64, children[1].id as i64);
    assert_eq!(quarter + 21 * 1024 + 1, 536_892_416);
    assert_eq!(quarter - 22 * 1024 - 1, 536_848_382);
    assert_eq!(quarter + 22 * 1024 + 1, 536_893_440);
    let (s_key, s_value) = (
        quarter - row_id(2) * 1024 - 1,
        quarter + row_id(2) * 1024 + 1,
    );
    assert_eq!(
        schema_text(&bytes),
        format!(
            "message paimon_schema {{
  OPTIONAL group a [21] (LIST) {{
    REPEATED group list {{
      REQUIRED INT32 element [536892416];
    }}
  }}
  OPTIONAL group m [22] (MAP) {{
    REPEATED group key_value {{
      REQUIRED BYTE_ARRAY key [536848382] (STRING);
      OPTIONAL group value [536893440] (LIST) {{
        REPEATED group list {{
          OPTIONAL INT64 element [536893441];
        }}
      }}
    }}
  }}
  OPTIONAL group s [{}] (MAP) {{
    REPEATED group key_value {{
      REQUIRED BYTE_ARRAY key [{s_key}] (STRING);
      REQUIRED INT32 value [{s_value}];
    }}
  }}
  OPTIONAL group r [{}] {{
    OPTIONAL INT32 p [{p}];
    OPTIONAL group q [{q}] (LIST) {{
      REPEATED group list {{
        OPTIONAL INT32 element [{}] (TIME(MILLIS,true));
      }}
    }}
  }}
}}
",
            row_id(2),
            row_id(3),
            quarter + q * 1024 + 1
        )
    );
}

#[test]
fn defaults_are_those_of_java() {
    let fields = columns("a INT, b STRING");
    let bytes = write(
        PARQUET,
        &[],
        &fields,
        &random_batches(&fields, &[50_000], 1),
    )
    .unwrap();
    let metadata = metadata(&bytes);
    assert_eq!(metadata.file_metadata().key_value_metadata(), None);
    assert!(
        metadata
            .file_metadata()
            .created_by()
            .unwrap()
            .starts_with("ftable version ")
    );
    let column = metadata.row_group(0).column(1);
    assert_eq!(column.compression(), Compression::SNAPPY);
    assert!(
        column
            .encodings()
            .any(|encoding| encoding == Encoding::RLE_DICTIONARY)
    );
    assert!(column.statistics().is_some());
    assert!(metadata.column_index().is_some() && metadata.offset_index().is_some());
    let file = SerializedFileReader::new(bytes).unwrap();
    let group = file.get_row_group(0).unwrap();
    let mut pages = group.get_column_page_reader(1).unwrap();
    while let Some(page) = pages.get_next_page().unwrap() {
        match page.page_type() {
            PageType::DICTIONARY_PAGE => {}
            // The limit is looked at after every 1024 rows.
            PageType::DATA_PAGE => assert!(page.num_values() < 20_000 + 1_024),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_codec_is_written_and_read() {
    let fields = columns("a INT, b STRING");
    let batches = random_batches(&fields, &[3_000], 7);
    for (name, codec) in [
        ("none", "UNCOMPRESSED"),
        ("snappy", "SNAPPY"),
        ("gzip", "GZIP"),
        ("lz4", "LZ4"),
        ("lz4_raw", "LZ4_RAW"),
        ("zstd", "ZSTD"),
        ("brotli", "BROTLI"),
    ] {
        let bytes = write(PARQUET, &[("file.compression", name)], &fields, &batches).unwrap();
        let written = metadata(&bytes).row_group(0).column(0).compression();
        assert!(
            format!("{written:?}").starts_with(codec),
            "{name}: {written:?}"
        );
        assert_eq!(
            reader(&fields).read(&bytes).unwrap(),
            concat(&fields, &batches),
            "{name}"
        );
    }
}

#[test]
fn options_of_the_writer_do_what_they_say() {
    let fields = columns("a BIGINT, b STRING");
    let batches = random_batches(&fields, &[5_000], 7);
    let metadata = |given: &[(&str, &str)]| {
        let bytes = write(PARQUET, given, &fields, &batches).unwrap();
        assert_eq!(
            reader(&fields).read(&bytes).unwrap(),
            concat(&fields, &batches),
            "{given:?}"
        );
        metadata(&bytes)
    };
    let has = |metadata: &ParquetMetaData, column: usize, wanted: Encoding| {
        metadata
            .row_group(0)
            .column(column)
            .encodings()
            .any(|encoding| encoding == wanted)
    };
    assert!(metadata(&[("parquet.block.size", "20000")]).num_row_groups() > 3);
    let plain = metadata(&[("parquet.enable.dictionary", "false")]);
    assert!(!has(&plain, 0, Encoding::RLE_DICTIONARY));
    let one = metadata(&[("parquet.enable.dictionary#b", "false")]);
    assert!(has(&one, 0, Encoding::RLE_DICTIONARY) && !has(&one, 1, Encoding::RLE_DICTIONARY));
    let second = metadata(&[
        ("parquet.writer.version", "PARQUET_2_0"),
        ("parquet.enable.dictionary", "false"),
    ]);
    assert!(has(&second, 0, Encoding::DELTA_BINARY_PACKED));
    assert!(has(&second, 1, Encoding::DELTA_BYTE_ARRAY));
    let pages = metadata(&[("parquet.page.row.count.limit", "100")]);
    let offsets = pages.offset_index().unwrap();
    assert!(
        offsets[0][0].page_locations().len() >= 5,
        "{:?}",
        offsets[0][0].page_locations().len()
    );
    let longest = |metadata: &ParquetMetaData| {
        let statistics = metadata.row_group(0).column(1).statistics().unwrap();
        statistics.max_bytes_opt().unwrap().len()
    };
    assert!(longest(&metadata(&[])) > 8);
    assert!(longest(&metadata(&[("parquet.statistics.truncate.length", "8")])) <= 8);
}

#[test]
fn options_that_mean_nothing_are_refused_by_name() {
    let fields = columns("a INT");
    for (key, value) in [
        ("parquet.writer.version", "PARQUET_3_0"),
        ("parquet.page.size", "0"),
        ("parquet.enable.dictionary#a", "perhaps"),
        ("parquet.page.row.count.limit", "-1"),
    ] {
        let error = write(PARQUET, &[(key, value)], &fields, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(
            error.to_string().contains(&format!("'{key}' = '{value}'")),
            "{error}"
        );
    }
}

#[test]
fn small_row_groups_do_not_pile_up() {
    let fields = columns("a STRING");
    let rows = 40_000;
    let values: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..rows).map(|row| format!("{row:0>100}")),
    ));
    let given = [
        ("file.block-size", "1 kb"),
        ("parquet.enable.dictionary", "false"),
    ];
    // More row groups than a file may have is an error, not a crash.
    let error = write(
        PARQUET,
        &given,
        &fields,
        &[batch(&fields, vec![Arc::clone(&values)])],
    );
    if let Ok(bytes) = error {
        assert_eq!(reader(&fields).count(&bytes).unwrap(), rows as u64);
    }
    let part = values.slice(0, 5_000);
    let bytes = write(PARQUET, &given, &fields, &[batch(&fields, vec![part])]).unwrap();
    assert!(metadata(&bytes).num_row_groups() >= 50);
    assert_eq!(reader(&fields).read(&bytes).unwrap().num_rows(), 5_000);
}

#[test]
fn no_rows_make_a_file_of_no_rows() {
    let fields = columns("a INT, b ARRAY<INT>");
    for batches in [Vec::new(), random_batches(&fields, &[0, 0], 1)] {
        let bytes = write(PARQUET, &[], &fields, &batches).unwrap();
        assert_eq!(reader(&fields).count(&bytes).unwrap(), 0);
        assert_eq!(reader(&fields).read(&bytes).unwrap().num_rows(), 0);
        assert_eq!(metadata(&bytes).file_metadata().num_rows(), 0);
    }
}

/// Rows without a data column: every column of the table is a partition key.
#[test]
fn files_without_columns_keep_their_number_of_rows() {
    let fields: Arc<[ftable_core::DataField]> = Vec::new().into();
    let rows = |count: usize| {
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let schema = Arc::new(Schema::empty());
        RecordBatch::try_new_with_options(schema, Vec::new(), &options).unwrap()
    };
    let bytes = write(PARQUET, &[], &fields, &[rows(3), rows(0), rows(2_500)]).unwrap();
    assert_eq!(reader(&fields).count(&bytes).unwrap(), 2_503);
    let read = reader(&fields).batch_size(1_000);
    assert_eq!(read.read(&bytes).unwrap().num_rows(), 2_503);
    let size = bytes.len() as u64;
    let counts =
        [0..4, 4..5, 5..size].map(|range| reader(&fields).range(range).count(&bytes).unwrap());
    assert_eq!(counts.iter().sum::<u64>(), 2_503);
    // Columns that the table got later are null.
    let later = columns("a INT, b STRING");
    let read = reader(&later).read(&bytes).unwrap();
    assert_eq!(
        (read.num_rows(), read.column(0).null_count()),
        (2_503, 2_503)
    );
}

#[test]
fn projections_give_what_was_asked_for_in_that_order() {
    let fields = columns("a INT, b ARRAY<ROW<x INT, y STRING>>, c STRING, d DATE");
    let batches = random_batches(&fields, &[700], 5);
    let bytes = write(PARQUET, &[], &fields, &batches).unwrap();
    let whole = concat(&fields, &batches);
    for order in [vec![3, 0], vec![1], vec![2, 1, 0], vec![0, 1, 2, 3]] {
        let asked: Arc<[_]> = order.iter().map(|index| fields[*index].clone()).collect();
        assert_eq!(
            reader(&asked).read(&bytes).unwrap(),
            whole.project(&order).unwrap()
        );
    }
    let nothing: Arc<[ftable_core::DataField]> = Vec::new().into();
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
    let given = [("file.block-size", "4 kb"), ("file.compression", "none")];
    let bytes = write(PARQUET, &given, &fields, &[batch(&fields, vec![ids, text])]).unwrap();
    let size = bytes.len() as u64;
    let groups = metadata(&bytes).num_row_groups();
    assert!(groups >= 5, "{groups}");
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
    for step in [1_000, 4_096, 7_777] {
        let starts = (0..size).step_by(step as usize);
        let parts: Vec<i64> = starts
            .flat_map(|start| ids(start..(start + step).min(size)))
            .collect();
        assert_eq!(parts, all);
    }
}

/// The deepest type that a table may have is written and read on threads with small stacks.
#[test]
fn deep_types_do_not_overflow_the_stack() {
    let mut declared = "INT".to_owned();
    (0..100).for_each(|_| declared = format!("ARRAY<{declared}>"));
    let fields = columns(&format!("a {declared}"));
    let batches = random_batches(&fields, &[20], 3);
    let bytes = write(PARQUET, &[], &fields, &batches).unwrap();
    assert_eq!(
        reader(&fields).read(&bytes).unwrap(),
        concat(&fields, &batches)
    );
}

#[test]
fn a_batch_of_other_columns_is_refused() {
    let fields = columns("a INT");
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let other = batch(&columns("a STRING"), vec![text]);
    assert!(write(PARQUET, &[], &fields, &[other]).is_err());
}
