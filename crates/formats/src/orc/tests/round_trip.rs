//! What is written is read.

use std::sync::Arc;

use ftable_core::DataField;
use proptest::prelude::*;

use super::{ORC, reader};
use crate::testing::{any_type, concat, named, random_batches, write};

proptest! {
    /// Every type, nulls at every level, batches of any size, many stripes.
    #[test]
    fn random_batches_come_back(
        types in prop::collection::vec(any_type(), 1..5),
        sizes in prop::collection::vec(0_usize..1000, 0..4),
        batch_size in 1_usize..400,
        block in prop_oneof![Just("1 kb"), Just("20 kb"), Just("128 mb")],
        codec in prop_oneof![Just("none"), Just("zlib"), Just("snappy"), Just("lz4"), Just("zstd")],
        dictionary in prop_oneof![Just("0"), Just("0.8"), Just("1")],
        stride in prop_oneof![Just("0"), Just("77"), Just("10000")],
        chunk in prop_oneof![Just("300"), Just("262144")],
        seed in any::<u64>(),
    ) {
        let fields: Arc<[DataField]> = named(types).into();
        let batches = random_batches(&fields, &sizes, seed);
        let given = [
            ("file.block-size", block),
            ("file.compression", codec),
            ("orc.compress.size", chunk),
            ("orc.dictionary.key.threshold", dictionary),
            ("orc.row.index.stride", stride),
            ("write.batch-size", "100"),
        ];
        let bytes = write(ORC, &given, &fields, &batches).unwrap();
        let read = reader(&fields).batch_size(batch_size);
        let expected = concat(&fields, &batches);
        prop_assert_eq!(read.count(&bytes).unwrap(), expected.num_rows() as u64);
        prop_assert_eq!(read.read(&bytes).unwrap(), expected);
    }
}
