//! What tests of several crates share. Never a dependency of a library.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`faulty`] | any file system, with counters, a record of calls, and faults on command |
//! | [`golden`] | tables written by other engines, with the rows that must be read from them |
//! | [`registry`] | a registry of partitions in memory, with a record of calls, and faults on command |
//! | `rest_server` | a REST catalog server on 127.0.0.1, with faults on command (feature `rest-server`) |
//! | `s3_server` | an S3 server on 127.0.0.1, whose keys expire and that fails on command (feature `s3-server`) |

#![deny(missing_docs)]

pub mod faulty;
pub mod golden;
#[cfg(any(feature = "rest-server", feature = "s3-server"))]
mod loopback;
pub mod registry;
#[cfg(feature = "rest-server")]
pub mod rest_server;
#[cfg(feature = "s3-server")]
pub mod s3_server;
