//! What is written is read.

use std::sync::Arc;

use ftable_core::DataField;
use proptest::prelude::*;

use super::{PARQUET, reader};
use crate::testing::{any_type, concat, named, random_batches, write};

proptest! {
    /// Every type, nulls at every level, batches of any size, both versions of pages.
    #[test]
    fn random_batches_come_back(
        types in prop::collection::vec(any_type(), 1..5),
        sizes in prop::collection::vec(0_usize..300, 0..4),
        batch_size in 1_usize..400,
        block in prop_oneof![Just("1 kb"), Just("20 kb"), Just("128 mb")],
        version in prop_oneof![Just("PARQUET_1_0"), Just("PARQUET_2_0")],
        codec in prop_oneof![Just("none"), Just("snappy"), Just("gzip"), Just("lz4_raw"), Just("zstd")],
        dictionary in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let fields: Arc<[DataField]> = named(types).into();
        let batches = random_batches(&fields, &sizes, seed);
        let dictionary = dictionary.to_string();
        let given = [
            ("file.block-size", block),
            ("file.compression", codec),
            ("parquet.writer.version", version),
            ("parquet.enable.dictionary", dictionary.as_str()),
        ];
        let bytes = write(PARQUET, &given, &fields, &batches).unwrap();
        let read = reader(&fields).batch_size(batch_size);
        let expected = concat(&fields, &batches);
        prop_assert_eq!(read.count(&bytes).unwrap(), expected.num_rows() as u64);
        prop_assert_eq!(read.read(&bytes).unwrap(), expected);
    }
}
