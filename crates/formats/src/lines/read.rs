//! Lines to batches.

use std::sync::Arc;

use arrow_array::RecordBatch;
use futures::{StreamExt, TryStreamExt, stream};

use super::blocks::Blocks;
use super::source::{Next, Source, Text};
use super::split::{Failure, Splitter};
use super::{LineDecoder, LineFormat};
use crate::error::{Error, Result};
use crate::format::{BatchStream, ReadRequest};
use crate::offload;

/// Decoded bytes after which a visit to the blocking pool ends.
const VISIT_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of text after which it ends, whatever became of them: few packed bytes may stand for many.
const VISIT_TEXT: usize = 16 * 1024 * 1024;
/// Bytes of text, or of rows, after which a batch ends though it has fewer rows than it may.
const BATCH_BYTES: usize = 32 * 1024 * 1024;

/// Reads `request.range` of `request.file` line by line, in batches of `request.batch_size` rows.
///
/// A batch has fewer rows at the end, and where its rows are very long.
///
/// # Errors
/// Names the file, and the line if one is at fault: one that `decoder` refuses, one that is longer than
/// `format-table.read.max-line-length`, one that is no UTF-8.
pub(crate) async fn read_lines<D: LineDecoder>(
    request: &ReadRequest,
    format: LineFormat,
    decoder: D,
) -> Result<BatchStream> {
    let file = Arc::clone(&request.file);
    let Some(source) = Source::open(file, request.range.clone(), &format).await? else {
        return Ok(stream::empty().boxed());
    };
    let splitter = Splitter::new(
        Arc::clone(&source.path),
        &format,
        &source.range,
        source.whole,
        request.options.read_max_line_length,
    );
    let reader = Reader {
        path: source.path,
        format: format.format,
        needs_block: true,
        work: Some(Box::new(Work {
            blocks: source.blocks,
            text: source.text,
            splitter,
            rows: Rows {
                decoder,
                batch_size: request.batch_size.max(1),
                text: 0,
                batches: Vec::new(),
                bytes: 0,
            },
        })),
    };
    Ok(reader.into_stream())
}

struct Reader<D> {
    path: Arc<str>,
    format: &'static str,
    /// Nothing can be done without another block.
    needs_block: bool,
    /// Absent once the range has ended.
    work: Option<Box<Work<D>>>,
}

/// What is done on the blocking pool.
struct Work<D> {
    blocks: Blocks,
    text: Text,
    splitter: Splitter,
    rows: Rows<D>,
}

/// The rows of one visit.
struct Rows<D> {
    decoder: D,
    batch_size: usize,
    /// Bytes of the lines since the last batch.
    text: usize,
    batches: Vec<RecordBatch>,
    /// Bytes of `batches`.
    bytes: usize,
}

/// What a visit ended with.
#[derive(PartialEq)]
enum Step {
    /// More can be done.
    Goes,
    /// Another block is needed.
    Needs,
    /// The range has ended.
    Ended,
}

impl<D: LineDecoder> Reader<D> {
    fn into_stream(self) -> BatchStream {
        stream::try_unfold(self, |mut reader| async move {
            let batches = reader.next().await?;
            Ok::<_, Error>(batches.map(|batches| (stream::iter(batches).map(Ok), reader)))
        })
        .try_flatten()
        .boxed()
    }

    async fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        while let Some(mut work) = self.work.take() {
            if self.needs_block {
                let block = work.blocks.next().await?;
                work.text.push(block);
            }
            let (work, step) = offload::decode(&self.path, self.format, move || {
                let step = work.visit()?;
                Ok((work, step))
            })
            .await?;
            let mut work = work;
            let batches = work.rows.given();
            self.needs_block = step == Step::Needs;
            if step != Step::Ended {
                self.work = Some(work);
            }
            if !batches.is_empty() {
                return Ok(Some(batches));
            }
        }
        Ok(None)
    }
}

impl<D: LineDecoder> Work<D> {
    fn visit(&mut self) -> Result<Step> {
        let mut seen = 0;
        let most = offload::visit_bytes(VISIT_BYTES);
        while seen < VISIT_TEXT && self.rows.bytes < most {
            let rows = &mut self.rows;
            let more = match self.text.next()? {
                Next::Needs => {
                    let Some(block) = self.blocks.next_blocking() else {
                        return Ok(Step::Needs);
                    };
                    self.text.push(block?);
                    continue;
                }
                Next::Ended => {
                    self.splitter.finish(&mut |line: &str| rows.line(line))?;
                    false
                }
                Next::Window(window) => {
                    seen += window.len();
                    self.splitter
                        .feed(window, &mut |line: &str| rows.line(line))?
                }
            };
            if !more {
                rows.cut()?;
                return Ok(Step::Ended);
            }
            if rows.decoder.memory_size() > BATCH_BYTES {
                rows.cut()?;
            }
        }
        Ok(Step::Goes)
    }
}

impl<D: LineDecoder> Rows<D> {
    #[inline]
    fn line(&mut self, line: &str) -> Result<(), Failure> {
        if self.text + line.len() > BATCH_BYTES {
            self.cut()?;
        }
        self.text += line.len();
        self.decoder.line(line)?;
        if self.decoder.rows() >= self.batch_size {
            self.cut()?;
        }
        Ok(())
    }

    /// Makes a batch of the rows at hand, if there are any.
    fn cut(&mut self) -> Result<()> {
        self.text = 0;
        if self.decoder.rows() > 0 {
            let batch = self.decoder.take_batch()?;
            self.bytes += batch.get_array_memory_size();
            self.batches.push(batch);
        }
        Ok(())
    }

    fn given(&mut self) -> Vec<RecordBatch> {
        self.bytes = 0;
        std::mem::take(&mut self.batches)
    }
}

#[cfg(test)]
mod tests;
