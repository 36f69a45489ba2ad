//! Reading: one stripe at a time, its streams fetched together, decoded on the blocking pool.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema, SchemaRef, TimeUnit};
use ftable_core::{DataField, TypeKind};
use ftable_io::InputFile;
use futures::{StreamExt, stream};
use orc_rust::array_decoder::NaiveStripeDecoder;
use orc_rust::projection::ProjectionMask;
use orc_rust::reader::metadata::FileMetadata;
use orc_rust::schema::{ArrowSchemaOptions, DataType as OrcType, RootDataType, TimestampPrecision};
use orc_rust::stripe::{Stripe, StripeMetadata};

use super::buffer::{Parts, Recorder};
use super::metadata::{self, corrupt};
use super::NAME;
use crate::align::Alignment;
use crate::error::{Result, UnsupportedSnafu};
use crate::format::{BatchStream, ReadRequest};
use crate::offload;

/// Decoded bytes after which a visit to the blocking pool ends.
const VISIT_BYTES: usize = 4 * 1024 * 1024;

pub(super) async fn open(request: ReadRequest) -> Result<BatchStream> {
    let path: Arc<str> = request.file.path().into();
    let Some(footer) = metadata::load(&request.file).await? else {
        return Ok(stream::empty().boxed());
    };
    let stripes = metadata::stripes_in(&footer, request.range.as_ref());
    let described = describe(&footer, &request, &path)?;
    let by_position = positional(&footer);
    let mut positions: HashMap<&str, Option<usize>> = HashMap::new();
    for field in request.fields.iter() {
        let position = match by_position {
            true => {
                let position = request.table_fields.iter().position(|declared| declared.name == field.name);
                position.filter(|position| *position < described.fields().len())
            }
            false => Alignment::position_by_name(&path, &described, &field.name)?,
        };
        positions.insert(&field.name, position);
    }
    let position = |field: &DataField| positions.get(field.name.as_str()).copied().flatten();
    let alignment = Alignment::new(&path, &described, &request.fields, position)?;
    if alignment.projection().is_empty() {
        let rows = metadata::count(&footer, &stripes, &path)?;
        return Ok(counted(alignment, rows, request.batch_size));
    }
    let roots = footer.root_data_type();
    let projected = alignment.projection().iter().filter_map(|position| roots.children().get(*position));
    let mask = ProjectionMask::roots(roots, projected.map(|column| column.data_type().column_index()));
    let fields = alignment.projection().iter().map(|position| Arc::clone(&described.fields()[*position]));
    let plan = Plan {
        path,
        root: roots.project(&mask),
        schema: Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>())),
        metadata: footer,
        alignment,
        batch_size: request.batch_size.max(1),
    };
    let reader = Reader { plan: Arc::new(plan), file: request.file, stripes: stripes.into(), decoder: None };
    Ok(reader.into_stream())
}

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

/// Whether the file's columns are matched by position: Hive before 2.0 named them all `_col0`, `_col1`, ….
fn positional(footer: &FileMetadata) -> bool {
    let columns = footer.root_data_type().children();
    let placeholder = |name: &str| {
        name.strip_prefix("_col").is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    !columns.is_empty() && columns.iter().all(|column| placeholder(column.name()))
}

/// The file's columns as Arrow types, with timestamps in the unit of the declared precision.
fn describe(footer: &FileMetadata, request: &ReadRequest, path: &str) -> Result<SchemaRef> {
    let by_position = positional(footer);
    let mut columns = Vec::new();
    for (position, column) in footer.root_data_type().children().iter().enumerate() {
        let declared = match by_position {
            true => request.table_fields.get(position),
            false => request.fields.iter().find(|field| field.name == column.name()),
        };
        let arrow = match declared {
            Some(field) => arrow_type(column.data_type(), &field.data_type, path, column.name())?,
            // Not read: any type will do.
            None => ArrowType::Null,
        };
        columns.push(Field::new(column.name(), arrow, true));
    }
    Ok(Arc::new(ArrowSchema::new(columns)))
}

/// The Arrow type a column is decoded to.
fn arrow_type(file: &OrcType, declared: &ftable_core::DataType, path: &str, column: &str) -> Result<ArrowType> {
    if contains_union(file) {
        let what = format!("{path}: column {column} of type UNION");
        return UnsupportedSnafu { format: NAME, what, reason: "no table type holds a union" }.fail();
    }
    let unit = finest_unit(declared);
    let precision = match unit {
        TimeUnit::Nanosecond => TimestampPrecision::Nanosecond,
        _ => TimestampPrecision::Microsecond,
    };
    Ok(file.to_arrow_data_type_with_options(ArrowSchemaOptions::new().with_timestamp_precision(precision)))
}

fn contains_union(file: &OrcType) -> bool {
    match file {
        OrcType::Union { .. } => true,
        OrcType::List { child, .. } => contains_union(child),
        OrcType::Map { key, value, .. } => contains_union(key) || contains_union(value),
        OrcType::Struct { children, .. } => children.iter().any(|child| contains_union(child.data_type())),
        _ => false,
    }
}

/// Nanoseconds where a declared timestamp needs them, else microseconds, which span every year.
fn finest_unit(declared: &ftable_core::DataType) -> TimeUnit {
    let finest = |units: &[TimeUnit]| {
        if units.contains(&TimeUnit::Nanosecond) { TimeUnit::Nanosecond } else { TimeUnit::Microsecond }
    };
    match declared.kind() {
        TypeKind::Timestamp { precision } | TypeKind::TimestampLtz { precision } if *precision > 6 => {
            TimeUnit::Nanosecond
        }
        TypeKind::Array { element } | TypeKind::Multiset { element } => finest_unit(element),
        TypeKind::Map { key, value } => finest(&[finest_unit(key), finest_unit(value)]),
        TypeKind::Row { fields } => {
            finest(&fields.iter().map(|field| finest_unit(&field.data_type)).collect::<Vec<_>>())
        }
        _ => TimeUnit::Microsecond,
    }
}

/// What stays the same from stripe to stripe.
struct Plan {
    path: Arc<str>,
    metadata: Arc<FileMetadata>,
    root: RootDataType,
    schema: SchemaRef,
    alignment: Alignment,
    batch_size: usize,
}

struct Reader {
    plan: Arc<Plan>,
    file: Arc<dyn InputFile>,
    stripes: VecDeque<StripeMetadata>,
    decoder: Option<NaiveStripeDecoder>,
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
        loop {
            let decoder = match self.decoder.take() {
                Some(decoder) => decoder,
                None => match self.stripes.pop_front() {
                    Some(stripe) => self.start(stripe).await?,
                    None => return Ok(None),
                },
            };
            let plan = Arc::clone(&self.plan);
            let (decoder, batches) = offload::decode(&self.plan.path, NAME, move || plan.visit(decoder)).await?;
            self.decoder = decoder;
            if !batches.is_empty() {
                return Ok(Some(batches));
            }
        }
    }

    /// Fetches the streams of a stripe that the projection needs.
    async fn start(&mut self, stripe: StripeMetadata) -> Result<NaiveStripeDecoder> {
        let size = self.file.size();
        let footer = stripe.footer_offset()..stripe.footer_offset().saturating_add(stripe.footer_length());
        let footer_bytes = self.file.read(footer.clone()).await?;
        let parts = Parts::with(size, std::slice::from_ref(&footer), vec![footer_bytes.clone()]);
        let (plan, info) = (Arc::clone(&self.plan), stripe.clone());
        let mut wanted = offload::decode(&self.plan.path, NAME, move || plan.streams(&parts, &info)).await?;
        let mut bytes = self.file.read_ranges(&wanted).await?;
        wanted.push(footer);
        bytes.push(footer_bytes);
        let parts = Parts::with(size, &wanted, bytes);
        let plan = Arc::clone(&self.plan);
        offload::decode(&self.plan.path, NAME, move || plan.decoder(parts, &stripe)).await
    }
}

impl Plan {
    /// The byte ranges of a stripe's streams that the projection needs.
    fn streams(&self, parts: &Parts, stripe: &StripeMetadata) -> Result<Vec<std::ops::Range<u64>>> {
        let mut recorder = Recorder::new(parts);
        Stripe::new(&mut recorder, &self.metadata, &self.root, stripe)
            .map_err(|error| corrupt(&self.path, &error.to_string()))?;
        Ok(recorder.wanted())
    }

    fn decoder(&self, mut parts: Parts, stripe: &StripeMetadata) -> Result<NaiveStripeDecoder> {
        Stripe::new(&mut parts, &self.metadata, &self.root, stripe)
            .and_then(|stripe| NaiveStripeDecoder::new(stripe, Arc::clone(&self.schema), self.batch_size))
            .map_err(|error| corrupt(&self.path, &error.to_string()))
    }

    /// Decodes batches until enough bytes are there; the decoder comes back unless its stripe has ended.
    fn visit(&self, mut decoder: NaiveStripeDecoder) -> Result<(Option<NaiveStripeDecoder>, Vec<RecordBatch>)> {
        let mut batches = Vec::new();
        let mut bytes = 0;
        while let Some(decoded) = decoder.next() {
            let decoded = decoded.map_err(|error| corrupt(&self.path, &error.to_string()))?;
            let columns = self.trimmed(&decoded);
            let batch = self.alignment.assemble(decoded.num_rows(), &columns)?;
            bytes += batch.columns().iter().map(|column| column.get_array_memory_size()).sum::<usize>();
            batches.push(batch);
            if bytes >= VISIT_BYTES {
                return Ok((Some(decoder), batches));
            }
        }
        Ok((None, batches))
    }

    /// CHAR values without the blanks that pad them in the file, as every ORC reader of Hive and Paimon gives them.
    fn trimmed(&self, decoded: &RecordBatch) -> Vec<ArrayRef> {
        let columns = self.root.children().iter().zip(decoded.columns());
        columns
            .map(|(column, array)| match column.data_type() {
                OrcType::Char { .. } => trim(array),
                _ => Arc::clone(array),
            })
            .collect()
    }
}

fn trim(array: &ArrayRef) -> ArrayRef {
    match array.as_string_opt::<i32>() {
        Some(text) => {
            Arc::new(text.iter().map(|value| value.map(|value| value.trim_end_matches(' '))).collect::<StringArray>())
        }
        None => Arc::clone(array),
    }
}
