//! Reading: row groups fetched with coalesced requests, decoded on the blocking pool.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use ftable_io::InputFile;
use futures::{StreamExt, TryStreamExt, stream};
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::{NAME, footer, metadata, pages, types};
use crate::align::{Alignment, positions_by_name};
use crate::error::{CorruptSnafu, Error, Result};
use crate::format::{BatchStream, ReadRequest};
use crate::offload;

/// Decoded bytes after which a visit to the blocking pool ends.
const VISIT_BYTES: usize = 4 * 1024 * 1024;

pub(super) async fn open(request: ReadRequest) -> Result<BatchStream> {
    let footer = metadata::load(&request.file).await?;
    let ReadRequest {
        file,
        range,
        fields,
        batch_size,
        ..
    } = request;
    let path: Arc<str> = file.path().into();
    let owned_path = Arc::clone(&path);
    let opened = offload::decode(&path, NAME, move || {
        open_footer(&owned_path, footer, range.as_ref(), &fields, batch_size)
    })
    .await?;
    Ok(match opened {
        Opened::Counted(batches) => batches,
        Opened::Columns { plan, decoder } => Reader {
            plan: Arc::new(plan),
            file,
            decoder: Some(decoder),
        }
        .into_stream(),
    })
}

/// A file whose footer has been read.
enum Opened {
    /// None of its columns is asked for.
    Counted(BatchStream),
    /// Some are.
    Columns { plan: Plan, decoder: Box<Decoder> },
}

fn open_footer(
    path: &Arc<str>,
    footer: metadata::Footer,
    range: Option<&Range<u64>>,
    fields: &[ftable_core::DataField],
    batch_size: usize,
) -> Result<Opened> {
    let groups = metadata::row_groups_in(&footer.metadata, range);
    let rows = metadata::count(&footer.metadata, &groups);
    let positions = positions_by_name(path, &types::names(&footer), fields)?;
    let asked: BTreeSet<usize> = positions.iter().flatten().copied().collect();
    let described = types::describe(path, footer, &asked)?;
    let alignment = Alignment::new(path, NAME, &described.columns, fields, &positions)?;
    if alignment.projection().is_empty() {
        return Ok(Opened::Counted(alignment.counted(rows, batch_size)));
    }
    let metadata = Arc::clone(described.reader.metadata());
    let mask = ProjectionMask::roots(
        metadata.file_metadata().schema_descr(),
        alignment.projection().iter().copied(),
    );
    let chunks = chunks_by_start(&metadata, &groups, &mask);
    let first_row = match groups.first() {
        Some(first) => metadata::count(&metadata, &(0..*first).collect::<Vec<_>>()),
        None => 0,
    };
    // A batch is no longer than what there is to read.
    let batch_size = batch_size.clamp(1, usize::try_from(rows).unwrap_or(usize::MAX).max(1));
    let decoder = ParquetPushDecoderBuilder::new_with_metadata(described.reader)
        .with_projection(mask)
        .with_row_groups(groups)
        .with_batch_size(batch_size)
        .build()
        .map_err(|error| metadata::corrupt(path, &error))?;
    let plan = Plan {
        path: Arc::clone(path),
        alignment,
        metadata,
        chunks,
        rows,
        first_row,
    };
    Ok(Opened::Columns {
        plan,
        decoder: Box::new(Decoder {
            inner: decoder,
            rows: 0,
        }),
    })
}

/// The column chunks that will be fetched, by their first byte: row group and column.
fn chunks_by_start(
    metadata: &ParquetMetaData,
    groups: &[usize],
    mask: &ProjectionMask,
) -> HashMap<u64, Vec<(usize, usize)>> {
    let mut chunks: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    for group in groups {
        let columns = metadata
            .row_groups()
            .get(*group)
            .map_or(&[][..], |group| group.columns());
        for (leaf, chunk) in columns.iter().enumerate() {
            if let (true, Some(range)) = (mask.leaf_included(leaf), footer::chunk_range(chunk)) {
                chunks.entry(range.start).or_default().push((*group, leaf));
            }
        }
    }
    chunks
}

/// What stays the same from row group to row group.
struct Plan {
    path: Arc<str>,
    alignment: Alignment,
    metadata: Arc<ParquetMetaData>,
    chunks: HashMap<u64, Vec<(usize, usize)>>,
    /// The rows that the footer promises.
    rows: u64,
    /// The first of them in the file.
    first_row: u64,
}

struct Decoder {
    inner: ParquetPushDecoder,
    /// The rows decoded so far.
    rows: u64,
}

struct Reader {
    plan: Arc<Plan>,
    file: Arc<dyn InputFile>,
    /// Absent once the file has ended.
    decoder: Option<Box<Decoder>>,
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
            let batches = reader.next().await?;
            Ok::<_, Error>(batches.map(|batches| (stream::iter(batches).map(Ok), reader)))
        })
        .try_flatten()
        .boxed()
    }

    async fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let mut fetched: Option<(Vec<Range<u64>>, Vec<Bytes>)> = None;
        while let Some(mut decoder) = self.decoder.take() {
            let plan = Arc::clone(&self.plan);
            let pushed = fetched.take();
            let (decoder, step) = offload::decode(&self.plan.path, NAME, move || {
                if let Some((ranges, bytes)) = pushed {
                    plan.push(&mut decoder, ranges, bytes)?;
                }
                let step = plan.visit(&mut decoder)?;
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
                    let bytes = self.file.read_ranges(&ranges).await?;
                    fetched = Some((ranges, bytes));
                }
            }
        }
        Ok(None)
    }
}

impl Plan {
    fn corrupt(&self, message: String) -> Error {
        CorruptSnafu {
            path: &*self.path,
            format: NAME,
            message,
        }
        .build()
    }

    fn push(
        &self,
        decoder: &mut Decoder,
        ranges: Vec<Range<u64>>,
        bytes: Vec<Bytes>,
    ) -> Result<()> {
        for (range, bytes) in ranges.iter().zip(&bytes) {
            for (group, leaf) in self.chunks.get(&range.start).into_iter().flatten() {
                let groups = self.metadata.row_groups();
                let chunk: Option<&ColumnChunkMetaData> = groups
                    .get(*group)
                    .and_then(|group| group.columns().get(*leaf));
                if let Some(chunk) = chunk {
                    pages::check(bytes, chunk).map_err(|message| self.corrupt(message))?;
                }
            }
        }
        decoder
            .inner
            .push_ranges(ranges, bytes)
            .map_err(|error| metadata::corrupt(&self.path, &error))
    }

    fn visit(&self, decoder: &mut Decoder) -> Result<Step> {
        let mut batches = Vec::new();
        let mut bytes = 0;
        loop {
            let step = decoder.inner.try_decode();
            match step.map_err(|error| metadata::corrupt(&self.path, &error))? {
                DecodeResult::NeedsData(ranges) if batches.is_empty() => {
                    return Ok(Step::Needs(ranges));
                }
                // The same ranges are asked for again at the next visit.
                DecodeResult::NeedsData(_) => return Ok(Step::Batches(batches)),
                DecodeResult::Finished => {
                    self.check_rows(decoder.rows == self.rows, decoder.rows)?;
                    return Ok(Step::Finished(batches));
                }
                DecodeResult::Data(decoded) => {
                    let first = self.first_row + decoder.rows;
                    decoder.rows += decoded.num_rows() as u64;
                    self.check_rows(decoder.rows <= self.rows, decoder.rows)?;
                    let batch =
                        self.alignment
                            .assemble(first, decoded.num_rows(), decoded.columns())?;
                    bytes += batch.get_array_memory_size();
                    batches.push(batch);
                    if bytes >= offload::visit_bytes(VISIT_BYTES) {
                        return Ok(Step::Batches(batches));
                    }
                }
            }
        }
    }

    /// The pages must hold as many rows as the footer says.
    fn check_rows(&self, holds: bool, decoded: u64) -> Result<()> {
        match holds {
            true => Ok(()),
            false => {
                let promised = self.rows;
                Err(self.corrupt(format!(
                    "the footer claims {promised} rows, the pages hold {decoded}"
                )))
            }
        }
    }
}
