//! Reading: row groups fetched with coalesced requests, decoded on the blocking pool.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema, TimeUnit};
use bytes::Bytes;
use ftable_core::{DataField, TypeKind};
use ftable_io::InputFile;
use futures::StreamExt;
use futures::stream;
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::ParquetMetaData;

use super::{NAME, metadata};
use crate::align::Alignment;
use crate::error::{CorruptSnafu, Result};
use crate::format::{BatchStream, ReadRequest};
use crate::offload;

/// Decoded bytes after which a visit to the blocking pool ends.
const VISIT_BYTES: usize = 4 * 1024 * 1024;

pub(super) async fn open(request: ReadRequest) -> Result<BatchStream> {
    let footer = metadata::load(&request.file).await?;
    let path: Arc<str> = request.file.path().into();
    let groups = metadata::row_groups_in(&footer, request.range.as_ref());
    let described = describe(&footer, &request.fields, &path)?;
    let file_schema = Arc::clone(described.schema());
    let mut positions = Vec::with_capacity(request.fields.len());
    for field in request.fields.iter() {
        positions.push((field.name.clone(), Alignment::position_by_name(&path, &file_schema, &field.name)?));
    }
    let position = |field: &DataField| positions.iter().find(|(name, _)| *name == field.name).and_then(|(_, p)| *p);
    let alignment = Alignment::new(&path, &file_schema, &request.fields, position)?;
    if alignment.projection().is_empty() {
        let rows = metadata::count(&footer, &groups, &path)?;
        return Ok(counted(alignment, rows, request.batch_size));
    }
    let mask = ProjectionMask::roots(footer.file_metadata().schema_descr(), alignment.projection().iter().copied());
    let decoder = ParquetPushDecoderBuilder::new_with_metadata(described)
        .with_projection(mask)
        .with_row_groups(groups)
        .with_batch_size(request.batch_size.max(1))
        .build()
        .map_err(|error| metadata::corrupt(&path, &error))?;
    let reader = Reader { path, file: request.file, alignment: Arc::new(alignment), decoder: Some(decoder) };
    Ok(reader.into_stream())
}

/// Batches that hold no column of the file: their number of rows is all there is to know.
fn counted(alignment: Alignment, rows: u64, batch_size: usize) -> BatchStream {
    let batch_size = batch_size.max(1) as u64;
    let mut left = rows;
    stream::iter(std::iter::from_fn(move || {
        let rows = left.min(batch_size);
        left -= rows;
        (rows > 0).then(|| alignment.assemble(usize::try_from(rows).unwrap_or(usize::MAX), &[]))
    }))
    .boxed()
}

/// The file's columns as Arrow types, INT96 in the unit that holds every value of the declared precision.
fn describe(footer: &Arc<ParquetMetaData>, fields: &[DataField], path: &str) -> Result<ArrowReaderMetadata> {
    let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let corrupt = |error| metadata::corrupt(path, &error);
    let plain = ArrowReaderMetadata::try_new(Arc::clone(footer), options()).map_err(corrupt)?;
    match micros_for_int96(&plain, footer, fields) {
        None => Ok(plain),
        Some(schema) => {
            ArrowReaderMetadata::try_new(Arc::clone(footer), options().with_schema(Arc::new(schema))).map_err(corrupt)
        }
    }
}

/// INT96 as nanoseconds spans 1677 to 2262 alone, and wraps outside; as microseconds it spans every year.
fn micros_for_int96(
    plain: &ArrowReaderMetadata,
    footer: &ParquetMetaData,
    fields: &[DataField],
) -> Option<ArrowSchema> {
    let root = footer.file_metadata().schema_descr().root_schema().get_fields();
    let mut changed = false;
    let columns = plain.schema().fields().iter().zip(root).map(|(field, node)| {
        let is_int96 = node.is_primitive() && node.get_physical_type() == PhysicalType::INT96;
        let needs_nanos = || {
            let declared = fields.iter().find(|declared| declared.name == *field.name());
            declared.is_some_and(|declared| {
                matches!(
                    declared.data_type.kind(),
                    TypeKind::Timestamp { precision } | TypeKind::TimestampLtz { precision } if *precision > 6
                )
            })
        };
        if !is_int96 || needs_nanos() {
            return Arc::clone(field);
        }
        changed = true;
        let micros = ArrowType::Timestamp(TimeUnit::Microsecond, None);
        Arc::new(Field::new(field.name(), micros, field.is_nullable()).with_metadata(field.metadata().clone()))
    });
    let columns: Vec<_> = columns.collect();
    changed.then(|| ArrowSchema::new_with_metadata(columns, plain.schema().metadata().clone()))
}

struct Reader {
    path: Arc<str>,
    file: Arc<dyn InputFile>,
    alignment: Arc<Alignment>,
    /// Absent once the file has ended.
    decoder: Option<ParquetPushDecoder>,
}

/// What a visit to the blocking pool ended with.
enum Step {
    Batches(Vec<RecordBatch>),
    Needs(Vec<Range<u64>>),
    Finished(Vec<RecordBatch>),
}

impl Reader {
    fn into_stream(self) -> BatchStream {
        stream::try_unfold(self, |mut reader| async move {
            Ok(reader.next().await?.map(|batches| (stream::iter(batches.into_iter().map(Ok)), reader)))
        })
        .flat_map(|visit| match visit {
            Ok(batches) => batches.left_stream(),
            Err(error) => stream::iter([Err(error)]).right_stream(),
        })
        .boxed()
    }

    async fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let mut fetched: Option<(Vec<Range<u64>>, Vec<Bytes>)> = None;
        while let Some(mut decoder) = self.decoder.take() {
            let (path, alignment) = (Arc::clone(&self.path), Arc::clone(&self.alignment));
            let pushed = fetched.take();
            let (decoder, step) = offload::decode(&self.path, NAME, move || {
                if let Some((ranges, bytes)) = pushed {
                    decoder.push_ranges(ranges, bytes).map_err(|error| metadata::corrupt(&path, &error))?;
                }
                let step = visit(&mut decoder, &alignment, &path)?;
                Ok((decoder, step))
            })
            .await?;
            match step {
                Step::Finished(batches) => return Ok((!batches.is_empty()).then_some(batches)),
                Step::Batches(batches) => {
                    self.decoder = Some(decoder);
                    return Ok(Some(batches));
                }
                Step::Needs(ranges) => {
                    self.decoder = Some(decoder);
                    self.check(&ranges)?;
                    let bytes = self.file.read_ranges(&ranges).await?;
                    fetched = Some((ranges, bytes));
                }
            }
        }
        Ok(None)
    }

    /// A footer may name bytes that are not there.
    fn check(&self, ranges: &[Range<u64>]) -> Result<()> {
        let size = self.file.size();
        match ranges.iter().find(|range| range.start > range.end || range.end > size) {
            None => Ok(()),
            Some(range) => {
                let message = format!("a column chunk is said to lie at {}..{} of {size} bytes", range.start, range.end);
                CorruptSnafu { path: &*self.path, format: NAME, message }.fail()
            }
        }
    }
}

fn visit(decoder: &mut ParquetPushDecoder, alignment: &Alignment, path: &str) -> Result<Step> {
    let mut batches = Vec::new();
    let mut bytes = 0;
    loop {
        match decoder.try_decode().map_err(|error| metadata::corrupt(path, &error))? {
            DecodeResult::NeedsData(ranges) if batches.is_empty() => return Ok(Step::Needs(ranges)),
            // The same ranges are asked for again at the next visit.
            DecodeResult::NeedsData(_) => return Ok(Step::Batches(batches)),
            DecodeResult::Finished => return Ok(Step::Finished(batches)),
            DecodeResult::Data(decoded) => {
                let batch = alignment.assemble(decoded.num_rows(), decoded.columns())?;
                bytes += batch.columns().iter().map(|column| column.get_array_memory_size()).sum::<usize>();
                batches.push(batch);
                if bytes >= VISIT_BYTES {
                    return Ok(Step::Batches(batches));
                }
            }
        }
    }
}
