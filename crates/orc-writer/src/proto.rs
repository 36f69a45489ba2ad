//! The protobuf messages of an ORC file, as far as a writer needs them (specification: "File Tail", "Stripes",
//! "Column Statistics", "Indexes").

use prost::Message;

/// The end of the file, the one message that is never compressed.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct PostScript {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) footer_length: Option<u64>,
    #[prost(int32, optional, tag = "2")]
    pub(crate) compression: Option<i32>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) compression_block_size: Option<u64>,
    #[prost(uint32, repeated, tag = "4")]
    pub(crate) version: Vec<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub(crate) metadata_length: Option<u64>,
    #[prost(uint32, optional, tag = "6")]
    pub(crate) writer_version: Option<u32>,
    #[prost(string, optional, tag = "8000")]
    pub(crate) magic: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Footer {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) header_length: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) content_length: Option<u64>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) stripes: Vec<StripeInformation>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) types: Vec<Type>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) metadata: Vec<UserMetadataItem>,
    #[prost(uint64, optional, tag = "6")]
    pub(crate) number_of_rows: Option<u64>,
    #[prost(message, repeated, tag = "7")]
    pub(crate) statistics: Vec<ColumnStatistics>,
    #[prost(uint32, optional, tag = "8")]
    pub(crate) row_index_stride: Option<u32>,
    #[prost(uint32, optional, tag = "9")]
    pub(crate) writer: Option<u32>,
    #[prost(string, optional, tag = "12")]
    pub(crate) software_version: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StripeInformation {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) offset: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) index_length: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) data_length: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) footer_length: Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    pub(crate) number_of_rows: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Type {
    #[prost(int32, optional, tag = "1")]
    pub(crate) kind: Option<i32>,
    #[prost(uint32, repeated, tag = "2")]
    pub(crate) subtypes: Vec<u32>,
    #[prost(string, repeated, tag = "3")]
    pub(crate) field_names: Vec<String>,
    #[prost(uint32, optional, tag = "4")]
    pub(crate) maximum_length: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    pub(crate) precision: Option<u32>,
    #[prost(uint32, optional, tag = "6")]
    pub(crate) scale: Option<u32>,
    #[prost(message, repeated, tag = "7")]
    pub(crate) attributes: Vec<StringPair>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StringPair {
    #[prost(string, optional, tag = "1")]
    pub(crate) key: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(crate) value: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UserMetadataItem {
    #[prost(string, optional, tag = "1")]
    pub(crate) name: Option<String>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) value: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StripeFooter {
    #[prost(message, repeated, tag = "1")]
    pub(crate) streams: Vec<Stream>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) columns: Vec<ColumnEncoding>,
    #[prost(string, optional, tag = "3")]
    pub(crate) writer_timezone: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Stream {
    #[prost(int32, optional, tag = "1")]
    pub(crate) kind: Option<i32>,
    #[prost(uint32, optional, tag = "2")]
    pub(crate) column: Option<u32>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) length: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ColumnEncoding {
    #[prost(int32, optional, tag = "1")]
    pub(crate) kind: Option<i32>,
    #[prost(uint32, optional, tag = "2")]
    pub(crate) dictionary_size: Option<u32>,
    /// Which hash the bloom filters use; 1 is the one over UTF-8 that every reader of today expects.
    #[prost(uint32, optional, tag = "3")]
    pub(crate) bloom_encoding: Option<u32>,
}

/// The statistics of every stripe.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Metadata {
    #[prost(message, repeated, tag = "1")]
    pub(crate) stripe_statistics: Vec<StripeStatistics>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StripeStatistics {
    #[prost(message, repeated, tag = "1")]
    pub(crate) columns: Vec<ColumnStatistics>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RowIndex {
    #[prost(message, repeated, tag = "1")]
    pub(crate) entries: Vec<RowIndexEntry>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RowIndexEntry {
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) positions: Vec<u64>,
    #[prost(message, optional, tag = "2")]
    pub(crate) statistics: Option<ColumnStatistics>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BloomFilterIndex {
    #[prost(message, repeated, tag = "1")]
    pub(crate) filters: Vec<BloomFilter>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BloomFilter {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) hash_functions: Option<u32>,
    /// The words of the bit set, each little-endian.
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) utf8_bitset: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ColumnStatistics {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) number_of_values: Option<u64>,
    #[prost(message, optional, tag = "2")]
    pub(crate) integer: Option<IntegerStatistics>,
    #[prost(message, optional, tag = "3")]
    pub(crate) double: Option<DoubleStatistics>,
    #[prost(message, optional, tag = "4")]
    pub(crate) string: Option<StringStatistics>,
    #[prost(message, optional, tag = "5")]
    pub(crate) bucket: Option<BucketStatistics>,
    #[prost(message, optional, tag = "6")]
    pub(crate) decimal: Option<DecimalStatistics>,
    #[prost(message, optional, tag = "7")]
    pub(crate) date: Option<DateStatistics>,
    #[prost(message, optional, tag = "8")]
    pub(crate) binary: Option<BinaryStatistics>,
    #[prost(message, optional, tag = "9")]
    pub(crate) timestamp: Option<TimestampStatistics>,
    #[prost(bool, optional, tag = "10")]
    pub(crate) has_null: Option<bool>,
    #[prost(uint64, optional, tag = "11")]
    pub(crate) bytes_on_disk: Option<u64>,
    #[prost(message, optional, tag = "12")]
    pub(crate) collection: Option<CollectionStatistics>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct IntegerStatistics {
    #[prost(sint64, optional, tag = "1")]
    pub(crate) minimum: Option<i64>,
    #[prost(sint64, optional, tag = "2")]
    pub(crate) maximum: Option<i64>,
    #[prost(sint64, optional, tag = "3")]
    pub(crate) sum: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DoubleStatistics {
    #[prost(double, optional, tag = "1")]
    pub(crate) minimum: Option<f64>,
    #[prost(double, optional, tag = "2")]
    pub(crate) maximum: Option<f64>,
    #[prost(double, optional, tag = "3")]
    pub(crate) sum: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StringStatistics {
    #[prost(string, optional, tag = "1")]
    pub(crate) minimum: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(crate) maximum: Option<String>,
    #[prost(sint64, optional, tag = "3")]
    pub(crate) sum: Option<i64>,
    #[prost(string, optional, tag = "4")]
    pub(crate) lower_bound: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub(crate) upper_bound: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BucketStatistics {
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) count: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DecimalStatistics {
    #[prost(string, optional, tag = "1")]
    pub(crate) minimum: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(crate) maximum: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub(crate) sum: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DateStatistics {
    #[prost(sint32, optional, tag = "1")]
    pub(crate) minimum: Option<i32>,
    #[prost(sint32, optional, tag = "2")]
    pub(crate) maximum: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BinaryStatistics {
    #[prost(sint64, optional, tag = "1")]
    pub(crate) sum: Option<i64>,
}

/// Bounds of timestamps: milliseconds, and what of the nanoseconds lies below a millisecond, plus one.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TimestampStatistics {
    #[prost(sint64, optional, tag = "3")]
    pub(crate) minimum_utc: Option<i64>,
    #[prost(sint64, optional, tag = "4")]
    pub(crate) maximum_utc: Option<i64>,
    #[prost(int32, optional, tag = "5")]
    pub(crate) minimum_nanos: Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub(crate) maximum_nanos: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CollectionStatistics {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) minimum_children: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) maximum_children: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) total_children: Option<u64>,
}

/// `PostScript.compression`.
pub(crate) mod compression_kind {
    pub(crate) const NONE: i32 = 0;
    pub(crate) const ZLIB: i32 = 1;
    pub(crate) const SNAPPY: i32 = 2;
    pub(crate) const LZ4: i32 = 4;
    pub(crate) const ZSTD: i32 = 5;
}

/// `Type.kind`.
pub(crate) mod type_kind {
    pub(crate) const BOOLEAN: i32 = 0;
    pub(crate) const BYTE: i32 = 1;
    pub(crate) const SHORT: i32 = 2;
    pub(crate) const INT: i32 = 3;
    pub(crate) const LONG: i32 = 4;
    pub(crate) const FLOAT: i32 = 5;
    pub(crate) const DOUBLE: i32 = 6;
    pub(crate) const STRING: i32 = 7;
    pub(crate) const BINARY: i32 = 8;
    pub(crate) const TIMESTAMP: i32 = 9;
    pub(crate) const LIST: i32 = 10;
    pub(crate) const MAP: i32 = 11;
    pub(crate) const STRUCT: i32 = 12;
    pub(crate) const DECIMAL: i32 = 14;
    pub(crate) const DATE: i32 = 15;
    pub(crate) const VARCHAR: i32 = 16;
    pub(crate) const CHAR: i32 = 17;
    pub(crate) const TIMESTAMP_INSTANT: i32 = 18;
}

/// `Stream.kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamKind {
    Present = 0,
    Data = 1,
    Length = 2,
    DictionaryData = 3,
    Secondary = 5,
    RowIndex = 6,
    BloomFilterUtf8 = 8,
}

/// `ColumnEncoding.kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EncodingKind {
    Direct = 0,
    DirectV2 = 2,
    DictionaryV2 = 3,
}
