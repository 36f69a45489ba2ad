//! Reading: one stripe at a time, its streams fetched together, decoded on the blocking pool.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema as ArrowSchema, SchemaRef};
use bytes::Bytes;
use ftable_core::options::keys::ORC_FORCE_POSITIONAL_EVOLUTION;
use ftable_io::InputFile;
use futures::{StreamExt, TryStreamExt, stream};
use orc_rust::array_decoder::NaiveStripeDecoder;
use orc_rust::projection::ProjectionMask;
use orc_rust::schema::RootDataType;
use orc_rust::stripe::Stripe;

use super::NAME;
use super::expect::Expected;
use super::metadata::{self, StripeInfo, Tail, corrupt};
use super::recode::{StripeFractions, TimestampColumn};
use super::rle::Integers;
use super::stripe::{SECONDARY, Streams, StripeFooter};
use super::timestamp::{Clock, Fractions};
use super::types;
use crate::align::{Alignment, positions_by_name};
use crate::convert::{FileFields, FileType, Site};
use crate::error::{Error, Result, UnsupportedSnafu};
use crate::format::{BatchStream, ReadRequest};
use crate::offload;

/// Decoded bytes after which a visit to the blocking pool ends.
const VISIT_BYTES: usize = 4 * 1024 * 1024;

pub(super) async fn open(request: ReadRequest) -> Result<BatchStream> {
    let path: Arc<str> = request.file.path().into();
    let Some(tail) = metadata::load(&request.file).await? else {
        return Ok(stream::empty().boxed());
    };
    let stripes = metadata::stripes_in(&tail, request.range.as_ref());
    let positions = positions(&path, &tail, &request)?;
    let columns = describe(&tail, &request, &positions);
    let types: Vec<FileType> = columns
        .iter()
        .map(|column| column.described.file_type.clone())
        .collect();
    let alignment = Alignment::new(&path, NAME, &types, &request.fields, &positions)?;
    if alignment.projection().is_empty() {
        return Ok(alignment.counted(metadata::count(&stripes), request.batch_size));
    }
    let plan = Plan::new(path, tail, columns, alignment, request.batch_size);
    let reader = Reader {
        plan: Arc::new(plan),
        file: request.file,
        stripes: stripes.into(),
        decoder: None,
    };
    Ok(reader.into_stream())
}

/// Where the columns asked for are among the file's: by name, or by position where the file has placeholder names
/// or the table says so.
fn positions(path: &str, tail: &Tail, request: &ReadRequest) -> Result<Vec<Option<usize>>> {
    let names = tail.types.first().map_or(&[][..], |root| &root.names);
    let given = &request.options.format_options;
    if !given.get(&ORC_FORCE_POSITIONAL_EVOLUTION)? && !is_positional(names) {
        return positions_by_name(path, names, &request.fields);
    }
    let position = |name: &str| {
        let found = request
            .table_fields
            .iter()
            .position(|declared| declared.name == name);
        found.filter(|position| *position < names.len())
    };
    Ok(request
        .fields
        .iter()
        .map(|field| position(&field.name))
        .collect())
}

/// The columns that a file has by its own schema: none without a tail.
pub(super) fn file_fields(path: &str, tail: Option<&Tail>) -> FileFields {
    let types = tail.map_or(&[][..], |tail| &tail.types);
    let names = types.first().map_or(&[][..], |root| &root.names);
    let ids = types.first().map_or(&[][..], |root| &root.subtypes);
    let columns = names.iter().zip(ids);
    let columns = columns.map(|(name, id)| (name.clone(), types::file_type(types, *id)));
    let fields = FileFields::new(path, columns);
    match is_positional(names) {
        true => fields.unnamed(),
        false => fields,
    }
}

/// Whether the file's columns are matched by position: Hive before 2.0 named them all `_col0`, `_col1`, ….
fn is_positional(names: &[String]) -> bool {
    let is_placeholder = |name: &String| {
        name.strip_prefix("_col").is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    !names.is_empty() && names.iter().all(is_placeholder)
}

/// A top-level column of the file.
struct Column {
    described: types::Described,
    /// Its column id.
    id: usize,
    /// The name of the table's column that it feeds.
    name: String,
}

/// The file's columns, each described for the column of the table that it feeds, if any.
fn describe(tail: &Tail, request: &ReadRequest, positions: &[Option<usize>]) -> Vec<Column> {
    let Some(root) = tail.types.first() else {
        return Vec::new();
    };
    let mut columns = Vec::with_capacity(root.names.len());
    for (position, (name, id)) in root.names.iter().zip(&root.subtypes).enumerate() {
        let fed = positions.iter().position(|found| *found == Some(position));
        let declared = fed.and_then(|index| request.fields.get(index));
        let (described, name) = match declared {
            Some(field) => (
                types::describe(&tail.types, *id, &field.data_type),
                field.name.clone(),
            ),
            None => (types::Described::unread(), name.clone()),
        };
        columns.push(Column {
            described,
            id: *id,
            name,
        });
    }
    columns
}

/// What stays the same from stripe to stripe.
struct Plan {
    path: Arc<str>,
    tail: Arc<Tail>,
    /// The columns that are read, in file order.
    columns: Vec<Column>,
    /// For each type of the file whether it is decoded.
    decoded: Vec<bool>,
    root: RootDataType,
    schema: SchemaRef,
    alignment: Alignment,
    batch_size: usize,
}

/// A stripe being decoded.
struct StripeDecoder {
    inner: NaiveStripeDecoder,
    fractions: StripeFractions,
    /// The row of the file that comes next.
    row: u64,
}

struct Reader {
    plan: Arc<Plan>,
    file: Arc<dyn InputFile>,
    stripes: VecDeque<StripeInfo>,
    decoder: Option<Box<StripeDecoder>>,
}

impl Reader {
    fn into_stream(self) -> BatchStream {
        stream::try_unfold(self, |mut reader| async move {
            let batches = reader.next().await?;
            Ok::<_, Error>(batches.map(|batches| (stream::iter(batches).map(Ok), reader)))
        })
        .try_flatten()
        .boxed()
    }

    async fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        loop {
            let decoder = match self.decoder.take() {
                Some(decoder) => decoder,
                None => match self.stripes.pop_front() {
                    Some(stripe) if stripe.rows == 0 => continue,
                    Some(stripe) => self.start(stripe).await?,
                    None => return Ok(None),
                },
            };
            let plan = Arc::clone(&self.plan);
            let work = move || plan.visit(decoder);
            let (decoder, batches) = offload::decode(&self.plan.path, NAME, work).await?;
            self.decoder = decoder;
            if !batches.is_empty() {
                return Ok(Some(batches));
            }
        }
    }

    /// Fetches the streams of a stripe that the projection needs.
    async fn start(&mut self, stripe: StripeInfo) -> Result<Box<StripeDecoder>> {
        let bytes = self.file.read(stripe.footer()).await?;
        let plan = Arc::clone(&self.plan);
        let work = move || plan.footer(&stripe, &bytes);
        let (footer, ranges) = offload::decode(&self.plan.path, NAME, work).await?;
        let bytes = self.file.read_ranges(&ranges).await?;
        let plan = Arc::clone(&self.plan);
        let work = move || plan.decoder(&stripe, &footer, &bytes);
        offload::decode(&self.plan.path, NAME, work).await
    }
}

impl Plan {
    fn new(
        path: Arc<str>,
        tail: Arc<Tail>,
        columns: Vec<Column>,
        alignment: Alignment,
        batch_size: usize,
    ) -> Self {
        let read = |position: &usize| alignment.projection().binary_search(position).is_ok();
        let columns: Vec<Column> = columns
            .into_iter()
            .enumerate()
            .filter(|(position, _)| read(position))
            .map(|(_, column)| column)
            .collect();
        let root = tail.decoder.root_data_type();
        let mask = ProjectionMask::roots(root, columns.iter().map(|column| column.id));
        let fields = columns
            .iter()
            .map(|column| Field::new(&column.name, column.described.hint.clone(), true));
        let schema = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
        let decoded = (0..tail.types.len())
            .map(|id| mask.is_index_projected(id))
            .collect();
        let root = root.project(&mask);
        let batch_size = batch_size.max(1);
        Self {
            path,
            tail,
            columns,
            decoded,
            root,
            schema,
            alignment,
            batch_size,
        }
    }

    fn corrupt(&self, message: impl AsRef<str>) -> Error {
        corrupt(&self.path, message.as_ref())
    }

    /// The footer of a stripe, and where the streams lie that the projection needs.
    fn footer(
        &self,
        stripe: &StripeInfo,
        bytes: &Bytes,
    ) -> Result<(StripeFooter, Vec<std::ops::Range<u64>>)> {
        let footer = StripeFooter::read(&self.tail, stripe, bytes)
            .map_err(|message| self.corrupt(message))?;
        let ranges = footer.ranges(&self.decoded);
        Ok((footer, ranges))
    }

    fn decoder(
        &self,
        stripe: &StripeInfo,
        footer: &StripeFooter,
        bytes: &[Bytes],
    ) -> Result<Box<StripeDecoder>> {
        let fault =
            |message: String| self.corrupt(format!("the stripe at {}: {message}", stripe.offset));
        let streams = footer
            .streams(&self.tail, &self.decoded, bytes)
            .map_err(fault)?;
        let expected = Expected {
            tail: &self.tail,
            footer,
            streams: &streams,
        };
        for column in &self.columns {
            expected.check(column.id, stripe.rows).map_err(|message| {
                let name = &column.name;
                self.corrupt(format!(
                    "the stripe at {}: column {name}: {message}",
                    stripe.offset
                ))
            })?;
        }
        let fractions = self.fractions(footer, &streams)?;
        let (metadata, mut parts) = footer
            .for_decoder(&self.tail, stripe, &self.decoded, &streams)
            .map_err(fault)?;
        let inner = Stripe::new(&mut parts, &self.tail.decoder, &self.root, &metadata)
            .and_then(|stripe| {
                NaiveStripeDecoder::new(stripe, Arc::clone(&self.schema), self.batch_size)
            })
            .map_err(|error| fault(error.to_string()))?;
        Ok(Box::new(StripeDecoder {
            inner,
            fractions,
            row: stripe.first_row,
        }))
    }

    /// The fractions of the timestamps in a stripe.
    fn fractions(&self, footer: &StripeFooter, streams: &Streams) -> Result<StripeFractions> {
        let mut fractions = StripeFractions::new();
        for column in &self.columns {
            let mut timestamps = Vec::new();
            column.described.recode.timestamps(&mut timestamps);
            for timestamp in timestamps {
                let clock = self.clock(footer, timestamp, &column.name)?;
                let bytes = match streams.get(timestamp.id, SECONDARY) {
                    Some(stream) => stream
                        .unpacked(&self.tail)
                        .map_err(|message| self.corrupt(message))?,
                    None => Bytes::new(),
                };
                let stored = Integers::unsigned(bytes, footer.encoding(timestamp.id).version());
                fractions.insert(timestamp.id, Fractions::new(stored, clock));
            }
        }
        Ok(fractions)
    }

    fn clock(
        &self,
        footer: &StripeFooter,
        timestamp: &TimestampColumn,
        column: &str,
    ) -> Result<Clock> {
        match &footer.zone {
            Some(zone) if !timestamp.instant => match Clock::of_zone(zone) {
                Some(clock) => Ok(clock),
                None => UnsupportedSnafu {
                    format: NAME,
                    what: format!("{}: column {column}: writer time zone '{zone}'", self.path),
                    reason: "it is not in the time zone database; write the file anew in a known zone",
                }
                .fail(),
            },
            _ => Ok(Clock::utc()),
        }
    }

    /// Decodes batches until enough bytes are there; the decoder comes back unless its stripe has ended.
    fn visit(
        &self,
        mut decoder: Box<StripeDecoder>,
    ) -> Result<(Option<Box<StripeDecoder>>, Vec<RecordBatch>)> {
        let mut batches = Vec::new();
        let mut bytes = 0;
        while let Some(decoded) = decoder.inner.next() {
            let decoded = decoded.map_err(|error| self.corrupt(error.to_string()))?;
            let columns = self.recode(&decoded, &mut decoder)?;
            let batch = self
                .alignment
                .assemble(decoder.row, decoded.num_rows(), &columns)?;
            decoder.row += decoded.num_rows() as u64;
            bytes += batch.get_array_memory_size();
            batches.push(batch);
            if bytes >= offload::visit_bytes(VISIT_BYTES) {
                return Ok((Some(decoder), batches));
            }
        }
        Ok((None, batches))
    }

    fn recode(&self, decoded: &RecordBatch, decoder: &mut StripeDecoder) -> Result<Vec<ArrayRef>> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for (column, array) in self.columns.iter().zip(decoded.columns()) {
            let site = Site::root(&column.name);
            columns.push(
                column
                    .described
                    .recode
                    .apply(array, &mut decoder.fractions, &site)
                    .map_err(|failure| failure.in_file(&self.path, NAME, decoder.row))?,
            );
        }
        match columns.len() == self.columns.len() {
            true => Ok(columns),
            false => Err(self.corrupt("the decoder left a column out")),
        }
    }
}
