//! What is written is read.

use std::sync::Arc;

use ftable_core::DataField;
use proptest::prelude::*;

use super::{ORC, reader};
use crate::testing::{concat, named, primitive_type, random_batches, write};

proptest! {
    /// Every flat type, nulls, batches of any size, many stripes.
    #[test]
    fn random_batches_come_back(
        types in prop::collection::vec(primitive_type(), 1..5),
        sizes in prop::collection::vec(0_usize..2000, 0..4),
        batch_size in 1_usize..400,
        block in prop_oneof![Just("1 kb"), Just("20 kb"), Just("128 mb")],
        codec in prop_oneof![Just("none"), Just("zlib"), Just("snappy"), Just("lz4"), Just("zstd")],
        chunk in prop_oneof![Just("300"), Just("262144")],
        seed in any::<u64>(),
    ) {
        let fields: Arc<[DataField]> = named(types).into();
        let batches = random_batches(&fields, &sizes, seed);
        let given = [
            ("file.block-size", block),
            ("file.compression", codec),
            ("orc.compress.size", chunk),
            ("write.batch-size", "100"),
        ];
        let bytes = write(ORC, &given, &fields, &batches).unwrap();
        let read = reader(&fields).batch_size(batch_size);
        let expected = concat(&fields, &batches);
        prop_assert_eq!(read.count(&bytes).unwrap(), expected.num_rows() as u64);
        prop_assert_eq!(read.read(&bytes).unwrap(), expected);
    }
}
