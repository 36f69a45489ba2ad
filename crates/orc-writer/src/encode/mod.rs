//! How values become bytes (specification: "Run Length Encoding").

pub(crate) mod bits;
pub(crate) mod bytes;
pub(crate) mod integers;
pub(crate) mod packing;
pub(crate) mod patched;
pub(crate) mod varint;
