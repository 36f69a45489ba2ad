//! Text to compressed bytes, in the forms that [`super::decompress`] reads and Hadoop's codecs write.

use bzip2::Action;
use flate2::{Compression, FlushCompress, Status};
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use zstd::stream::raw::{CParameter, Encoder, InBuffer, Operation, OutBuffer};

/// Room made for compressed bytes at a time.
const ROOM: usize = 64 * 1024;
/// The window of deflate, as a power of two.
const WINDOW_BITS: u8 = 15;
/// The buffers of Hadoop's block codecs: `io.compression.codec.snappy.buffersize`, and that of LZ4. Its readers give
/// a chunk no more room, packed or not.
const HADOOP_BUFFER: usize = 256 * 1024;
/// Blocks of Hadoop's snappy are shorter than the buffer by what bytes that cannot be packed may grow.
const SNAPPY_BLOCK: usize = HADOOP_BUFFER - (HADOOP_BUFFER / 6 + 32);
/// The same for LZ4.
const LZ4_BLOCK: usize = HADOOP_BUFFER - (HADOOP_BUFFER / 255 + 16);

/// A compressor. What goes wrong is told as a text.
pub(super) trait Compress: Send {
    /// Takes text; some of it may be held back.
    fn write(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), String>;

    /// Gives out all that is held back.
    fn flush(&mut self, out: &mut Vec<u8>) -> Result<(), String>;

    /// Ends the stream.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), String>;

    /// Bytes of text that may be held back.
    fn held(&self) -> usize;
}

/// The compressor of `codec`, as option `file.compression` names it; none for `none`.
///
/// # Errors
/// A codec that text files do not have.
pub(super) fn compressor(
    codec: &str,
    zstd_level: i32,
) -> Result<Option<Box<dyn Compress>>, String> {
    Ok(Some(match codec {
        "none" => return Ok(None),
        "gzip" => Box::new(Deflate::gzip()),
        "deflate" => Box::new(Deflate::zlib()),
        "bzip2" => Box::new(Bzip2::new()),
        "snappy" => Box::new(Blocks::snappy()),
        "lz4" => Box::new(Blocks::lz4()),
        "zstd" => Box::new(Zstd::new(zstd_level)?),
        _ => return Err("use none, gzip, bzip2, deflate, snappy, lz4 or zstd".to_owned()),
    }))
}

/// How much text a codec holds back: what came since it gave all out, but never more than its block.
struct Held {
    since: usize,
    block: usize,
}

impl Held {
    fn new(block: usize) -> Self {
        Self { since: 0, block }
    }

    fn add(&mut self, text: &[u8]) {
        self.since = self.since.saturating_add(text.len());
    }

    fn now(&self) -> usize {
        self.since.min(self.block)
    }
}

/// gzip and zlib at the default level, which is Hadoop's too.
struct Deflate {
    inner: flate2::Compress,
    held: Held,
}

impl Deflate {
    fn gzip() -> Self {
        Self::new(flate2::Compress::new_gzip(
            Compression::default(),
            WINDOW_BITS,
        ))
    }

    fn zlib() -> Self {
        Self::new(flate2::Compress::new(Compression::default(), true))
    }

    fn new(inner: flate2::Compress) -> Self {
        Self {
            inner,
            held: Held::new(64 * 1024),
        }
    }

    /// Compresses `text` until the codec has taken it, and given out what `flush` asks for.
    fn run(
        &mut self,
        mut text: &[u8],
        out: &mut Vec<u8>,
        flush: FlushCompress,
    ) -> Result<(), String> {
        loop {
            out.reserve(ROOM);
            let before = self.inner.total_in();
            let status = self
                .inner
                .compress_vec(text, out, flush)
                .map_err(|error| error.to_string())?;
            let taken = usize::try_from(self.inner.total_in() - before).unwrap_or(usize::MAX);
            text = text.get(taken..).unwrap_or_default();
            let all_given = out.len() < out.capacity();
            match flush {
                FlushCompress::Finish if status == Status::StreamEnd => return Ok(()),
                FlushCompress::Finish => {}
                _ if text.is_empty() && all_given => return Ok(()),
                _ => {}
            }
        }
    }
}

impl Compress for Deflate {
    fn write(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        self.held.add(text);
        self.run(text, out, FlushCompress::None)
    }

    fn flush(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        if std::mem::take(&mut self.held.since) == 0 {
            return Ok(());
        }
        self.run(&[], out, FlushCompress::Sync)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        self.held.since = 0;
        self.run(&[], out, FlushCompress::Finish)
    }

    fn held(&self) -> usize {
        self.held.now()
    }
}

/// bzip2 with its largest blocks, as is its default and Hadoop's.
struct Bzip2 {
    inner: bzip2::Compress,
    held: Held,
}

impl Bzip2 {
    fn new() -> Self {
        Self {
            inner: bzip2::Compress::new(bzip2::Compression::best(), 0),
            held: Held::new(900_000),
        }
    }

    fn run(&mut self, mut text: &[u8], out: &mut Vec<u8>, action: Action) -> Result<(), String> {
        loop {
            out.reserve(ROOM);
            let before = self.inner.total_in();
            let status = self
                .inner
                .compress_vec(text, out, action)
                .map_err(|error| error.to_string())?;
            let taken = usize::try_from(self.inner.total_in() - before).unwrap_or(usize::MAX);
            text = text.get(taken..).unwrap_or_default();
            match (action, status) {
                (Action::Run, _) if text.is_empty() && out.len() < out.capacity() => return Ok(()),
                (Action::Flush, bzip2::Status::RunOk) => return Ok(()),
                (Action::Finish, bzip2::Status::StreamEnd) => return Ok(()),
                _ => {}
            }
        }
    }
}

impl Compress for Bzip2 {
    fn write(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        self.held.add(text);
        self.run(text, out, Action::Run)
    }

    fn flush(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        if std::mem::take(&mut self.held.since) == 0 {
            return Ok(());
        }
        self.run(&[], out, Action::Flush)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        self.held.since = 0;
        self.run(&[], out, Action::Finish)
    }

    fn held(&self) -> usize {
        self.held.now()
    }
}

/// One zstd frame with a checksum.
struct Zstd {
    inner: Encoder<'static>,
    held: Held,
}

impl Zstd {
    fn new(level: i32) -> Result<Self, String> {
        let made = || {
            let mut inner = Encoder::new(level)?;
            inner.set_parameter(CParameter::ChecksumFlag(true))?;
            Ok(inner)
        };
        Ok(Self {
            inner: made().map_err(|error: std::io::Error| error.to_string())?,
            held: Held::new(128 * 1024),
        })
    }

    /// Repeats a step until nothing is left of it.
    fn drain(
        &mut self,
        out: &mut Vec<u8>,
        step: impl Fn(&mut Encoder<'static>, &mut OutBuffer<'_, Vec<u8>>) -> std::io::Result<usize>,
    ) -> Result<(), String> {
        loop {
            out.reserve(ROOM);
            let filled = out.len();
            let mut room = OutBuffer::around_pos(out, filled);
            if step(&mut self.inner, &mut room).map_err(|error| error.to_string())? == 0 {
                return Ok(());
            }
        }
    }
}

impl Compress for Zstd {
    fn write(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        self.held.add(text);
        let mut text = InBuffer::around(text);
        while text.pos() < text.src.len() {
            out.reserve(ROOM);
            let filled = out.len();
            let mut room = OutBuffer::around_pos(out, filled);
            self.inner
                .run(&mut text, &mut room)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn flush(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        if std::mem::take(&mut self.held.since) == 0 {
            return Ok(());
        }
        self.drain(out, |encoder, room| encoder.flush(room))
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        self.held.since = 0;
        self.drain(out, |encoder, room| encoder.finish(room, true))
    }

    fn held(&self) -> usize {
        self.held.now()
    }
}

/// Packs a chunk.
enum Raw {
    Snappy(Box<snap::raw::Encoder>),
    Lz4(CompressTable),
}

/// The framing of Hadoop's block codecs: see [`super::decompress`].
struct Blocks {
    raw: Raw,
    /// Bytes of a block.
    block: usize,
    /// The begin of a block.
    text: Vec<u8>,
    packed: Vec<u8>,
    /// Something has been written.
    any: bool,
}

impl Blocks {
    fn snappy() -> Self {
        let room = snap::raw::max_compress_len(SNAPPY_BLOCK);
        let encoder = Box::new(snap::raw::Encoder::new());
        Self::new(Raw::Snappy(encoder), SNAPPY_BLOCK, room)
    }

    fn lz4() -> Self {
        let room = get_maximum_output_size(LZ4_BLOCK);
        Self::new(Raw::Lz4(CompressTable::large()), LZ4_BLOCK, room)
    }

    fn new(raw: Raw, block: usize, room: usize) -> Self {
        Self {
            raw,
            block,
            text: Vec::new(),
            packed: vec![0; room],
            any: false,
        }
    }

    /// Writes a block of one chunk.
    fn block(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let packed = match &mut self.raw {
            Raw::Snappy(encoder) => encoder
                .compress(text, &mut self.packed)
                .map_err(|error| error.to_string())?,
            Raw::Lz4(table) => compress_into_with_table(text, &mut self.packed, table)
                .map_err(|error| error.to_string())?,
        };
        // Both are at most a little more than the buffer.
        out.extend_from_slice(&(text.len() as u32).to_be_bytes());
        out.extend_from_slice(&(packed as u32).to_be_bytes());
        out.extend_from_slice(self.packed.get(..packed).unwrap_or_default());
        self.any = true;
        Ok(())
    }
}

impl Compress for Blocks {
    fn write(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        while self.text.len() + text.len() >= self.block {
            let (part, rest) = text.split_at(self.block - self.text.len());
            text = rest;
            if self.text.is_empty() {
                self.block(part, out)?;
            } else {
                self.text.extend_from_slice(part);
                self.flush(out)?;
            }
        }
        self.text.extend_from_slice(text);
        Ok(())
    }

    fn flush(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        if self.text.is_empty() {
            return Ok(());
        }
        let mut text = std::mem::take(&mut self.text);
        self.block(&text, out)?;
        text.clear();
        self.text = text;
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        self.flush(out)?;
        if !self.any {
            out.extend_from_slice(&[0; 4]);
        }
        Ok(())
    }

    fn held(&self) -> usize {
        self.text.len()
    }
}
