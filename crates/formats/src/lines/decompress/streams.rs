//! Codecs with streams of their own: gzip, zlib, bzip2, zstd and xz.

use bzip2::Status as BzStatus;
use flate2::{FlushDecompress, Status};
use liblzma::stream::{Action, CONCATENATED, Error as XzError, Status as XzStatus, Stream};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::{CUT_OFF, Unpack};

/// The window of deflate, as a power of two.
const WINDOW_BITS: u8 = 15;
/// The most memory that a decoder of xz may take: what xz needs for its highest level, twice. As much as zstd takes.
const XZ_MEMORY: u64 = 128 * 1024 * 1024;

/// gzip and zlib.
pub(super) struct Inflate {
    gzip: bool,
    /// Absent between members.
    member: Option<flate2::Decompress>,
    /// A member has ended.
    any: bool,
    /// Zeros follow the last member: tapes and some tools fill files up with them.
    padding: bool,
}

impl Inflate {
    pub(super) fn gzip() -> Self {
        Self::new(true)
    }

    pub(super) fn zlib() -> Self {
        Self::new(false)
    }

    fn new(gzip: bool) -> Self {
        Self {
            gzip,
            member: None,
            any: false,
            padding: false,
        }
    }

    fn skip_padding(&mut self, input: &[u8]) -> Result<usize, String> {
        self.padding = true;
        match input.iter().all(|byte| *byte == 0) {
            true => Ok(input.len()),
            false => Err("bytes follow the zeros behind its end".to_owned()),
        }
    }
}

impl Unpack for Inflate {
    fn unpack(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        let Some(first) = input.first().filter(|_| self.member.is_none()) else {
            return match &mut self.member {
                Some(_) => self.inflate(input, out),
                None => Ok(0),
            };
        };
        if self.gzip && self.any && (self.padding || *first == 0) {
            return self.skip_padding(input);
        }
        self.member = Some(match self.gzip {
            true => flate2::Decompress::new_gzip(WINDOW_BITS),
            false => flate2::Decompress::new(true),
        });
        self.inflate(input, out)
    }

    fn end(&mut self) -> Result<(), String> {
        match self.member.is_none() && self.any {
            true => Ok(()),
            false => Err(CUT_OFF.to_owned()),
        }
    }
}

impl Inflate {
    fn inflate(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        let Some(member) = &mut self.member else {
            return Ok(0);
        };
        let before = member.total_in();
        let status = member
            .decompress_vec(input, out, FlushDecompress::None)
            .map_err(|error| {
                let reason = error.message().unwrap_or("the data is wrong").to_owned();
                match self.any && member.total_out() == 0 {
                    true => format!("what follows the end of a member is no other one: {reason}"),
                    false => reason,
                }
            })?;
        let taken = member.total_in() - before;
        if status == Status::StreamEnd {
            self.member = None;
            self.any = true;
        }
        Ok(usize::try_from(taken).unwrap_or(usize::MAX))
    }
}

/// bzip2.
pub(super) struct Bzip2 {
    /// Absent between streams.
    stream: Option<bzip2::Decompress>,
    /// A stream has ended.
    any: bool,
}

impl Bzip2 {
    pub(super) fn new() -> Self {
        Self {
            stream: None,
            any: false,
        }
    }
}

impl Unpack for Bzip2 {
    fn unpack(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        if self.stream.is_none() && input.is_empty() {
            return Ok(0);
        }
        let stream = self
            .stream
            .get_or_insert_with(|| bzip2::Decompress::new(false));
        let before = stream.total_in();
        let status = stream
            .decompress_vec(input, out)
            .map_err(|error| match error {
                bzip2::Error::DataMagic if self.any => {
                    "what follows the end of a stream is no other one".to_owned()
                }
                bzip2::Error::DataMagic => "the file does not begin as one of it".to_owned(),
                _ => "the data is wrong".to_owned(),
            })?;
        let taken = stream.total_in() - before;
        match status {
            BzStatus::MemNeeded => return Err("there is not enough memory".to_owned()),
            BzStatus::StreamEnd => {
                self.stream = None;
                self.any = true;
            }
            _ => {}
        }
        Ok(usize::try_from(taken).unwrap_or(usize::MAX))
    }

    fn end(&mut self) -> Result<(), String> {
        match self.stream.is_none() && self.any {
            true => Ok(()),
            false => Err(CUT_OFF.to_owned()),
        }
    }
}

/// zstd, with windows of up to 128 MiB, which is the library's own limit and what its highest level writes.
pub(super) struct Zstd {
    decoder: Decoder<'static>,
    /// Within a frame, or before the first.
    within: bool,
    begun: bool,
}

impl Zstd {
    pub(super) fn new() -> Result<Self, String> {
        Ok(Self {
            decoder: Decoder::new().map_err(|error| error.to_string())?,
            within: true,
            begun: false,
        })
    }
}

impl Unpack for Zstd {
    fn unpack(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        if input.is_empty() && !(self.begun && self.within) {
            return Ok(0);
        }
        self.begun = true;
        let filled = out.len();
        let mut input = InBuffer::around(input);
        let mut room = OutBuffer::around_pos(out, filled);
        let left = self
            .decoder
            .run(&mut input, &mut room)
            .map_err(|error| error.to_string())?;
        self.within = left > 0;
        Ok(input.pos())
    }

    fn end(&mut self) -> Result<(), String> {
        match self.within {
            true => Err(CUT_OFF.to_owned()),
            false => Ok(()),
        }
    }
}

/// xz.
pub(super) struct Xz {
    stream: Stream,
}

impl Xz {
    pub(super) fn new() -> Result<Self, String> {
        let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED).map_err(xz_reason)?;
        Ok(Self { stream })
    }
}

impl Unpack for Xz {
    fn unpack(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        let before = self.stream.total_in();
        self.stream
            .process_vec(input, out, Action::Run)
            .map_err(xz_reason)?;
        Ok(usize::try_from(self.stream.total_in() - before).unwrap_or(usize::MAX))
    }

    fn end(&mut self) -> Result<(), String> {
        match self.stream.process(&[], &mut [], Action::Finish) {
            Ok(XzStatus::StreamEnd) => Ok(()),
            Ok(_) => Err(CUT_OFF.to_owned()),
            Err(error) => Err(xz_reason(error)),
        }
    }
}

fn xz_reason(error: XzError) -> String {
    match error {
        XzError::MemLimit => {
            "it needs more than 128 MiB of memory; compress it anew with a smaller dictionary".to_owned()
        }
        XzError::Mem => "there is not enough memory".to_owned(),
        XzError::Format => "the file does not begin as one of it, or what follows the end of a stream is no other one".to_owned(),
        XzError::Options | XzError::UnsupportedCheck => {
            "the file uses a part of xz that is not supported".to_owned()
        }
        _ => "the data is wrong".to_owned(),
    }
}
