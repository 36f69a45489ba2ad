//! Tables whose partitions the catalog manages: what is registered decides what is there, and commits are told.
//!
//! Expected requests and numbers are written out from the protocol of Paimon's REST catalog.

#![allow(clippy::unwrap_used, clippy::panic)] // what cannot be made fails the test that needs it

mod analyze;
mod commits;
#[path = "../common/mod.rs"]
mod common;
mod crashes;
mod faults;
mod model;
mod options;
mod repair;
mod scan;
mod support;
