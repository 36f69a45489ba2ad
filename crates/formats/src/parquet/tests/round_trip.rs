//! What is written is read.

use std::sync::Arc;

use ftable_core::{DataField, FileFormatKind};
use proptest::prelude::*;

use crate::testing::{Read, any_type, concat, named, random_batches, write};

const PARQUET: FileFormatKind = FileFormatKind::Parquet;

proptest! {

    /// Every type, nulls at every level, batches of any size.
    #[test]
    fn random_batches_come_back(
        types in prop::collection::vec(any_type(), 1..5),
        sizes in prop::collection::vec(0_usize..300, 0..4),
        batch_size in 1_usize..400,
        block in prop_oneof![Just("1 kb"), Just("20 kb"), Just("128 mb")],
        seed in any::<u64>(),
    ) {
        let fields: Arc<[DataField]> = named(types).into();
        let batches = random_batches(&fields, &sizes, seed);
        let bytes = write(PARQUET, &[("file.block-size", block)], &fields, &batches).unwrap();
        let read = Read::new(PARQUET, &fields).batch_size(batch_size);
        let expected = concat(&fields, &batches);
        prop_assert_eq!(read.count(&bytes).unwrap(), expected.num_rows() as u64);
        prop_assert_eq!(read.read(&bytes).unwrap(), expected);
    }
}
