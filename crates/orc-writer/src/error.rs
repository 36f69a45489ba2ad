//! What can go wrong while a file is written.

use std::io;

use arrow_schema::DataType;
use snafu::Snafu;

use crate::types::OrcKind;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure; columns are named by their path (`a.b`, `a.element`, `m.key`).
#[derive(Debug, Snafu)]
#[non_exhaustive]
#[snafu(visibility(pub(crate)))]
pub enum Error {
    /// An Arrow type that ORC has no type for.
    #[snafu(display("column {column}: ORC has no type for Arrow's {arrow}"))]
    UnsupportedType {
        /// The column.
        column: String,
        /// Its Arrow type.
        arrow: DataType,
    },
    /// An array whose type is not what the column was declared with.
    #[snafu(display(
        "column {column}: an array of Arrow type {arrow} cannot be written as {kind}"
    ))]
    TypeMismatch {
        /// The column.
        column: String,
        /// The type of the array.
        arrow: DataType,
        /// The type of the column.
        kind: OrcKind,
    },
    /// A batch with more or fewer columns than the file.
    #[snafu(display("a batch of {found} columns was given to a file of {expected}"))]
    ColumnCount {
        /// Columns of the file.
        expected: usize,
        /// Columns of the batch.
        found: usize,
    },
    /// A value that the file would give back as another.
    #[snafu(display("column {column}: {value} {reason}"))]
    Value {
        /// The column.
        column: String,
        /// The value.
        value: String,
        /// Why it cannot be stored.
        reason: String,
    },
    /// A setting that no file can be written with.
    #[snafu(display("{option} = {value} is not possible: {reason}"))]
    Option {
        /// The setting.
        option: &'static str,
        /// What it was set to.
        value: String,
        /// What is.
        reason: &'static str,
    },
    /// A type that ORC cannot describe.
    #[snafu(display("column {column}: {reason}"))]
    InvalidType {
        /// The column.
        column: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An array that contradicts itself.
    #[snafu(display("column {column}: {source}"))]
    Array {
        /// The column.
        column: String,
        /// What Arrow says.
        source: arrow_schema::ArrowError,
    },
    /// A codec that failed.
    #[snafu(display("compressing failed"))]
    Compress {
        /// What the codec says.
        source: io::Error,
    },
    /// The sink did not take the bytes.
    #[snafu(display("writing the bytes of the file failed"))]
    Sink {
        /// What the sink says.
        source: io::Error,
    },
    /// A writer that failed before and whose file is therefore incomplete.
    #[snafu(display("the file is incomplete since an earlier write failed; start it again"))]
    Failed,
}
