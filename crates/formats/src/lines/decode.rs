//! What a format makes of a line.

use arrow_array::RecordBatch;

use crate::error::Result;

/// Turns the lines of one file into rows.
pub(crate) trait LineDecoder: Send + 'static {
    /// Takes one line without its end. At most one row comes of it; after an error, none.
    fn line(&mut self, line: &str) -> Result<(), BadLine>;

    /// The rows held since the last batch.
    fn rows(&self) -> usize;

    /// Bytes of memory of the rows held.
    fn memory_size(&self) -> usize;

    /// Gives the rows held as a batch of the columns asked for.
    fn take_batch(&mut self) -> Result<RecordBatch>;
}

/// Why a line fails a scan. The line layer adds the file and where the line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadLine {
    /// The column, with the path of nested names, if one is to blame.
    pub(crate) column: Option<String>,
    /// What is wrong, with the text that is wrong, cut where it is long.
    pub(crate) reason: String,
}

/// What becomes of bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InvalidText {
    /// The scan fails and names the line.
    Refuse,
    /// U+FFFD stands for them.
    Replace,
}
