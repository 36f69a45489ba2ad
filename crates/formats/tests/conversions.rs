//! Which file type is read as which declared type: pairs with their values, and the documented table row by row.
//!
//! The files are those of pyarrow and pyorc in `data`, written by `xtask/interop/test_files.py`, and one that
//! the parquet crate makes here of physical values and annotations. Expected values are what the script was given.

// What cannot be made fails the test that needs it.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;
#[path = "conversions/documented.rs"]
mod documented;
#[path = "conversions/made.rs"]
mod made;
#[path = "conversions/pairs.rs"]
mod pairs;
