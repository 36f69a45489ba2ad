//! The S3 server, asked through real sockets by OpenDAL and by requests signed by hand.

#![allow(clippy::unwrap_used)] // a request that gets no answer fails the test

mod access;
mod client;
mod faults;
mod listings;
mod objects;
mod uploads;
