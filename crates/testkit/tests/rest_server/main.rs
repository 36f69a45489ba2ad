//! The REST catalog server, asked through real sockets by a client of these tests.

#![allow(clippy::unwrap_used)] // a request that gets no answer fails the test

mod access;
mod alter;
mod client;
mod exchanges;
mod faults;
mod listings;
mod partitions;
mod tables;
