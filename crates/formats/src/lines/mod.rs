//! Formats whose records are lines: what csv, json and text files share.
//!
//! A file is a sequence of bytes, those of a compressed file after decompression; lines end with a delimiter; a
//! decoder of the format makes at most one row of each line.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `decode` | what a format makes of a line, and how a line that it cannot read is told |

mod decode;

pub(crate) use decode::{BadLine, InvalidText, LineDecoder};
