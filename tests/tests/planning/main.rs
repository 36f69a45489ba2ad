//! Discovery and planning: which directories are partitions, what their names mean, what a filter leaves to
//! be listed, and how files become splits. Expected names and values are Paimon's, or what other engines write.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test that cannot go on fails

mod discovery;
mod failures;
mod hidden;
mod limits;
mod names;
mod nulls;
mod predicates;
mod pruning;
mod random;
mod schemas;
mod spellings;
mod splits;
mod support;
mod types;
