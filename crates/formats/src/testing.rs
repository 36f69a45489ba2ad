//! What the tests of several modules need: files in memory, options, and random columns of every type.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    ArrayRef, BooleanArray, ListArray, MapArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
    StringArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use arrow_select::concat::concat_batches;
use async_trait::async_trait;
use bytes::Bytes;
use ftable_core::types::{MAX_LENGTH, parse_columns, to_arrow_schema, to_arrow_type};
use ftable_core::{DataField, DataType, FileFormatKind, FormatTableOptions, Options, TypeKind};
use ftable_io::InputFile;
use futures::TryStreamExt;
use proptest::prelude::*;

use crate::error::Result;
use crate::{ReadRequest, WriteRequest, file_format};

/// The path that every file in memory says it has.
pub(crate) const PATH: &str = "/t/data-1";

/// A file in memory.
#[derive(Debug)]
struct MemoryFile(Bytes);

#[async_trait]
impl InputFile for MemoryFile {
    fn path(&self) -> &str {
        PATH
    }

    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    async fn read_ranges(&self, ranges: &[Range<u64>]) -> ftable_io::Result<Vec<Bytes>> {
        let slice = |range: &Range<u64>| {
            assert!(
                range.start <= range.end && range.end <= self.size(),
                "{range:?} of {} bytes was asked for",
                self.size()
            );
            self.0.slice(range.start as usize..range.end as usize)
        };
        Ok(ranges.iter().map(slice).collect())
    }
}

pub(crate) fn file(bytes: impl Into<Bytes>) -> Arc<dyn InputFile> {
    Arc::new(MemoryFile(bytes.into()))
}

/// The columns of a DDL text.
pub(crate) fn columns(text: &str) -> Arc<[DataField]> {
    parse_columns(text).unwrap().into()
}

/// The one type of a DDL text.
pub(crate) fn data_type(text: &str) -> DataType {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What counts the rows of a file.
pub(crate) fn count_request(
    file: Arc<dyn InputFile>,
    range: Option<Range<u64>>,
    options: Arc<FormatTableOptions>,
) -> ReadRequest {
    ReadRequest {
        file,
        range,
        fields: Arc::default(),
        table_fields: Arc::default(),
        batch_size: options.read_batch_size,
        options,
        records: Arc::default(),
    }
}

pub(crate) fn options(kind: FileFormatKind, given: &[(&str, &str)]) -> Arc<FormatTableOptions> {
    let mut all = Options::from_iter([("file.format".to_owned(), kind.name().to_owned())]);
    for (key, value) in given {
        all.set(*key, *value);
    }
    Arc::new(FormatTableOptions::resolve(&all).unwrap())
}

/// Runs a future to its end.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// The bytes of a file with these batches.
pub(crate) fn write(
    kind: FileFormatKind,
    given: &[(&str, &str)],
    fields: &Arc<[DataField]>,
    batches: &[RecordBatch],
) -> Result<Bytes> {
    let request = WriteRequest {
        fields: Arc::clone(fields),
        options: options(kind, given),
    };
    let mut encoder = file_format(kind).encoder(request)?;
    let mut bytes = Vec::new();
    for batch in batches {
        encoder.write(batch)?;
        bytes.extend_from_slice(&encoder.take_bytes());
    }
    bytes.extend_from_slice(&encoder.finish()?);
    Ok(bytes.into())
}

/// What is read of a file.
#[derive(Clone)]
pub(crate) struct Read {
    pub(crate) kind: FileFormatKind,
    pub(crate) fields: Arc<[DataField]>,
    pub(crate) table_fields: Arc<[DataField]>,
    pub(crate) range: Option<Range<u64>>,
    pub(crate) batch_size: usize,
}

impl Read {
    pub(crate) fn new(kind: FileFormatKind, fields: &Arc<[DataField]>) -> Self {
        Self {
            kind,
            fields: Arc::clone(fields),
            table_fields: Arc::clone(fields),
            range: None,
            batch_size: 1024,
        }
    }

    pub(crate) fn range(mut self, range: Range<u64>) -> Self {
        self.range = Some(range);
        self
    }

    pub(crate) fn batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows;
        self
    }

    pub(crate) fn request(&self, bytes: &Bytes) -> ReadRequest {
        ReadRequest {
            file: file(bytes.clone()),
            range: self.range.clone(),
            fields: Arc::clone(&self.fields),
            table_fields: Arc::clone(&self.table_fields),
            batch_size: self.batch_size,
            options: options(self.kind, &[]),
            records: Arc::default(),
        }
    }

    pub(crate) async fn batches(&self, bytes: &Bytes) -> Result<Vec<RecordBatch>> {
        let stream = file_format(self.kind).read(self.request(bytes)).await?;
        stream.try_collect().await
    }

    /// The whole file as one batch.
    pub(crate) fn read(&self, bytes: &Bytes) -> Result<RecordBatch> {
        let batches = run(self.batches(bytes))?;
        let schema = to_arrow_schema(&self.fields).unwrap();
        for batch in &batches {
            assert_eq!(batch.schema(), schema);
            assert!(batch.num_rows() > 0 && batch.num_rows() <= self.batch_size);
        }
        Ok(concat(&self.fields, &batches))
    }

    pub(crate) fn error(&self, bytes: &Bytes) -> String {
        match self.read(bytes) {
            Ok(batch) => panic!("read {} rows", batch.num_rows()),
            Err(error) => error.to_string(),
        }
    }

    pub(crate) fn count(&self, bytes: &Bytes) -> Result<u64> {
        run(file_format(self.kind).count_rows(self.request(bytes)))
    }
}

/// Batches as one, without columns too.
pub(crate) fn concat(fields: &[DataField], batches: &[RecordBatch]) -> RecordBatch {
    let schema = to_arrow_schema(fields).unwrap();
    if fields.is_empty() {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        return RecordBatch::try_new_with_options(schema, Vec::new(), &options).unwrap();
    }
    concat_batches(&schema, batches).unwrap()
}

/// A batch of these columns.
pub(crate) fn batch(fields: &[DataField], columns: Vec<ArrayRef>) -> RecordBatch {
    RecordBatch::try_new(to_arrow_schema(fields).unwrap(), columns).unwrap()
}

/// Numbers that a seed leads to.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number of any size, the limits among them.
    fn integer(&mut self, least: i64, most: i64) -> i64 {
        let number = match self.below(8) {
            0 => least,
            1 => most,
            2 => 0,
            3 => -1,
            4 => self.below(10) as i64,
            5 => (self.next() >> self.below(64)) as i64,
            6 => ((self.next() >> self.below(64)) as i64).wrapping_neg(),
            _ => self.next() as i64,
        };
        if (least..=most).contains(&number) {
            number
        } else {
            least / 2 + most / 2
        }
    }

    fn nulls(&mut self, rows: usize, nullable: bool) -> Option<NullBuffer> {
        let one_in = match self.below(4) {
            0 => return None,
            1 => 1,
            _ => 2 + self.below(9),
        };
        let one_in = if one_in == 1 && self.below(4) > 0 {
            3
        } else {
            one_in
        };
        nullable.then(|| (0..rows).map(|_| self.below(one_in) != 0).collect())
    }
}

/// A random column.
pub(crate) fn random_array(declared: &DataType, rows: usize, random: &mut Random) -> ArrayRef {
    let nulls = random.nulls(rows, declared.is_nullable());
    random_values(declared, rows, nulls, random)
}

fn primitive<T: ArrowPrimitiveType>(
    rows: usize,
    nulls: Option<NullBuffer>,
    mut value: impl FnMut() -> T::Native,
) -> PrimitiveArray<T> {
    // Runs of equal values take other encodings than values that differ.
    let mut values: Vec<T::Native> = Vec::with_capacity(rows);
    while values.len() < rows {
        let next = value();
        let run = if values.len() % 7 == 3 { 20 } else { 1 };
        values.extend(std::iter::repeat_n(next, run.min(rows - values.len())));
    }
    PrimitiveArray::new(values.into(), nulls)
}

fn random_values(
    declared: &DataType,
    rows: usize,
    nulls: Option<NullBuffer>,
    random: &mut Random,
) -> ArrayRef {
    let integer = |random: &mut Random, most: i64| random.integer(-most - 1, most);
    match declared.kind() {
        TypeKind::Boolean => {
            let values = (0..rows).map(|_| random.below(3) == 0).collect();
            Arc::new(BooleanArray::new(values, nulls))
        }
        TypeKind::TinyInt => Arc::new(primitive::<Int8Type>(rows, nulls, || {
            integer(random, 127) as i8
        })),
        TypeKind::SmallInt => Arc::new(primitive::<Int16Type>(rows, nulls, || {
            integer(random, 32_767) as i16
        })),
        TypeKind::Int => Arc::new(primitive::<Int32Type>(rows, nulls, || {
            integer(random, i32::MAX as i64) as i32
        })),
        TypeKind::BigInt => {
            // The ORC encoder refuses the least of them beside other negative ones.
            Arc::new(primitive::<Int64Type>(rows, nulls, || {
                integer(random, i64::MAX).max(-i64::MAX)
            }))
        }
        TypeKind::Float => Arc::new(primitive::<Float32Type>(rows, nulls, || {
            f32::from_bits(random.next() as u32)
        })),
        TypeKind::Double => Arc::new(primitive::<Float64Type>(rows, nulls, || {
            f64::from_bits(random.next())
        })),
        TypeKind::Decimal { precision, scale } => {
            let bound = 10_i128.pow(u32::from(*precision));
            let next = |random: &mut Random| {
                let wide = i128::from(random.next() as i64) << 64 | i128::from(random.next());
                match random.below(4) {
                    0 => bound - 1,
                    1 => 1 - bound,
                    2 => (wide % 1000) % bound,
                    _ => wide % bound,
                }
            };
            let values = primitive::<Decimal128Type>(rows, nulls, || next(random));
            Arc::new(
                values
                    .with_precision_and_scale(*precision, *scale as i8)
                    .unwrap(),
            )
        }
        // ORC does not tell blanks at the end of a CHAR from those it is filled up with.
        TypeKind::Char { length } => {
            let texts = random_text(rows, nulls, *length, random);
            let texts = texts.as_string::<i32>().iter();
            let trimmed = texts.map(|text| text.map(|text| text.trim_end_matches(' ')));
            Arc::new(trimmed.collect::<StringArray>())
        }
        TypeKind::VarChar { length } => random_text(rows, nulls, *length, random),
        TypeKind::Binary { length } | TypeKind::VarBinary { length } => {
            let mut values = BinaryBuilder::new();
            for row in 0..rows {
                let bytes: Vec<u8> = random_bytes(*length, random);
                let valid = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
                values.append_option(valid.then_some(bytes));
            }
            Arc::new(values.finish())
        }
        TypeKind::Date => Arc::new(primitive::<Date32Type>(rows, nulls, || {
            integer(random, i32::MAX as i64) as i32
        })),
        TypeKind::Time { .. } => Arc::new(primitive::<Time32MillisecondType>(rows, nulls, || {
            random.below(86_400_000) as i32
        })),
        TypeKind::Timestamp { .. } | TypeKind::TimestampLtz { .. } => {
            random_timestamps(declared, rows, nulls, random)
        }
        _ => random_nested(declared, rows, nulls, random),
    }
}

fn random_timestamps(
    declared: &DataType,
    rows: usize,
    nulls: Option<NullBuffer>,
    random: &mut Random,
) -> ArrayRef {
    let ArrowType::Timestamp(unit, zone) = to_arrow_type(declared).unwrap() else {
        panic!()
    };
    // ORC cannot keep fractions of the last second before 1970.
    let mut value = |per_second: i64| match random.integer(i64::MIN, i64::MAX) {
        value if (-per_second..0).contains(&value) => -per_second,
        value => value,
    };
    match unit {
        TimeUnit::Millisecond => {
            let values = primitive::<TimestampMillisecondType>(rows, nulls, || value(1_000));
            Arc::new(values.with_timezone_opt(zone))
        }
        TimeUnit::Microsecond => {
            let values = primitive::<TimestampMicrosecondType>(rows, nulls, || value(1_000_000));
            Arc::new(values.with_timezone_opt(zone))
        }
        _ => {
            let values = primitive::<TimestampNanosecondType>(rows, nulls, || value(1_000_000_000));
            Arc::new(values.with_timezone_opt(zone))
        }
    }
}

fn random_bytes(length: u32, random: &mut Random) -> Vec<u8> {
    let length = random.below(u64::from(length.min(20)) + 1);
    (0..length).map(|_| random.next() as u8).collect()
}

fn random_text(
    rows: usize,
    nulls: Option<NullBuffer>,
    length: u32,
    random: &mut Random,
) -> ArrayRef {
    const LETTERS: [char; 8] = ['a', 'b', ' ', '\0', 'é', '漢', '🦀', '\n'];
    let mut values = StringBuilder::new();
    for row in 0..rows {
        let most = if length == MAX_LENGTH {
            30
        } else {
            length.min(30)
        };
        let length = random.below(u64::from(most) + 1);
        let text: String = (0..length)
            .map(|_| LETTERS[random.below(8) as usize])
            .collect();
        let valid = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        values.append_option(valid.then_some(text));
    }
    Arc::new(values.finish())
}

fn random_nested(
    declared: &DataType,
    rows: usize,
    nulls: Option<NullBuffer>,
    random: &mut Random,
) -> ArrayRef {
    let lengths = |random: &mut Random| -> Vec<usize> {
        let length = |row: usize, random: &mut Random| match &nulls {
            Some(nulls) if nulls.is_null(row) => 0,
            _ => [0, 1, 2, 5][random.below(4) as usize],
        };
        (0..rows).map(|row| length(row, random)).collect()
    };
    match (declared.kind(), to_arrow_type(declared).unwrap()) {
        (TypeKind::Array { element }, ArrowType::List(field)) => {
            let lengths = lengths(random);
            let values = random_array(element, lengths.iter().sum(), random);
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(ListArray::new(field, offsets, values, nulls))
        }
        (kind, ArrowType::Map(field, _)) => {
            let (key, value) = match kind {
                TypeKind::Map { key, value } => ((**key).clone(), (**value).clone()),
                TypeKind::Multiset { element } => {
                    ((**element).clone(), DataType::new(TypeKind::Int, false))
                }
                other => panic!("{other:?}"),
            };
            let lengths = lengths(random);
            let total = lengths.iter().sum();
            let keys = random_array(&key.not_null(), total, random);
            let values = random_array(&value, total, random);
            let ArrowType::Struct(fields) = field.data_type() else {
                panic!()
            };
            let entries = StructArray::new(fields.clone(), vec![keys, values], None);
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(MapArray::new(
                Arc::clone(&field),
                offsets,
                entries,
                nulls,
                false,
            ))
        }
        (TypeKind::Row { fields }, ArrowType::Struct(arrow)) => {
            let mut children = Vec::with_capacity(fields.len());
            for field in fields {
                let child = random_array(&field.data_type, rows, random);
                // What lies under a null row is not kept by any format.
                let hidden = nulls
                    .as_ref()
                    .map(|nulls| BooleanArray::new(!nulls.inner(), None));
                children.push(match hidden.filter(|_| field.data_type.is_nullable()) {
                    Some(hidden) => arrow_select::nullif::nullif(&child, &hidden).unwrap(),
                    None => child,
                });
            }
            Arc::new(StructArray::new(arrow, children, nulls))
        }
        (kind, arrow) => panic!("{kind:?} as {arrow}"),
    }
}

/// Every primitive type, with and without nulls.
pub(crate) fn primitive_type() -> impl Strategy<Value = DataType> {
    let kind = prop_oneof![
        Just(TypeKind::Boolean),
        Just(TypeKind::TinyInt),
        Just(TypeKind::SmallInt),
        Just(TypeKind::Int),
        Just(TypeKind::BigInt),
        Just(TypeKind::Float),
        Just(TypeKind::Double),
        Just(TypeKind::Date),
        Just(TypeKind::VarChar { length: MAX_LENGTH }),
        Just(TypeKind::VarBinary { length: MAX_LENGTH }),
        (1_u32..40).prop_map(|length| TypeKind::Char { length }),
        (1_u32..40).prop_map(|length| TypeKind::VarChar { length }),
        (1_u32..40).prop_map(|length| TypeKind::Binary { length }),
        (1_u32..40).prop_map(|length| TypeKind::VarBinary { length }),
        (0_u8..=9).prop_map(|precision| TypeKind::Time { precision }),
        (0_u8..=9).prop_map(|precision| TypeKind::Timestamp { precision }),
        (0_u8..=9).prop_map(|precision| TypeKind::TimestampLtz { precision }),
    ];
    (kind, any::<bool>()).prop_map(|(kind, nullable)| DataType::new(kind, nullable))
}

/// Every type without elements or fields, DECIMAL among them.
pub(crate) fn scalar_type() -> impl Strategy<Value = DataType> {
    let decimal = (1_u8..=38)
        .prop_flat_map(|precision| (Just(precision), 0..=precision))
        .prop_map(|(precision, scale)| TypeKind::Decimal { precision, scale });
    let decimal =
        (decimal, any::<bool>()).prop_map(|(kind, nullable)| DataType::new(kind, nullable));
    prop_oneof![8 => primitive_type(), 1 => decimal]
}

/// Every type that a format table has.
pub(crate) fn any_type() -> impl Strategy<Value = DataType> {
    scalar_type().prop_recursive(3, 12, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let key = inner.clone().prop_map(|key| Box::new(key.not_null()));
        let kind = prop_oneof![
            boxed().prop_map(|element| TypeKind::Array { element }),
            key.clone()
                .prop_map(|element| TypeKind::Multiset { element }),
            (key, boxed()).prop_map(|(key, value)| TypeKind::Map { key, value }),
            prop::collection::vec(inner, 1..4).prop_map(|types| TypeKind::Row {
                fields: named(types)
            }),
        ];
        (kind, any::<bool>()).prop_map(|(kind, nullable)| DataType::new(kind, nullable))
    })
}

/// Fields named `c0`, `c1` and so on, with ids by the numbering rule.
pub(crate) fn named(types: Vec<DataType>) -> Vec<DataField> {
    let fields = types.into_iter().enumerate();
    fields
        .map(|(index, data_type)| DataField::new(index as i32, format!("c{index}"), data_type))
        .collect()
}

/// Random batches of the given columns.
pub(crate) fn random_batches(fields: &[DataField], sizes: &[usize], seed: u64) -> Vec<RecordBatch> {
    let mut random = Random::new(seed);
    let batch_of = |rows: &usize| {
        let columns = fields
            .iter()
            .map(|field| random_array(&field.data_type, *rows, &mut random))
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(*rows));
        RecordBatch::try_new_with_options(to_arrow_schema(fields).unwrap(), columns, &options)
            .unwrap()
    };
    sizes.iter().map(batch_of).collect()
}
