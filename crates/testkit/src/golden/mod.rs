//! Tables written by other engines, with the rows that must be read from them.
//!
//! A case is a folder:
//!
//! | file | content |
//! | --- | --- |
//! | `data/` | the table's directory as the engine left it |
//! | `empty-dirs.json` | directories below it that were empty: version control does not keep those |
//! | `table.json` | `fields`, `partitionKeys` and `options`, spelled as in a schema file |
//! | `expected.jsonl` | a row a line, in no order |
//! | `expected-error.json` | in its place when the table cannot be read: `kind`, and words the message mentions |
//! | `partitions.jsonl` | a partition a line: typed values and relative directory |
//! | `filters.jsonl` | sometimes: a predicate, how many rows it keeps, and their `id` |
//!
//! Tests work on a copy made by [`Golden::prepare`]; nothing writes into a case. Rows are compared by
//! [`assert_rows_equal`], which knows how each type is spelled.

mod case;
mod copy;
mod rows;

pub use case::{CASES_VARIABLE, Expected, Filter, Golden, waiting};
pub use rows::{
    assert_partitions_equal, assert_rows_equal, partitions_difference, rows_difference,
};
