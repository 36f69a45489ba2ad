//! Ids of the types inside a column, by Java Paimon's `SpecialFields`: a column has the id of its field, and what is
//! generated below it has ids far from those.

/// Where the ids of generated children begin: a quarter of the largest id.
const GENERATED: i32 = i32::MAX / 4;
/// Ids of generated children set aside for each column.
const PER_COLUMN: i32 = 1024;

/// The id of a list's element or a map's value; wraps where Java's does.
///
/// `depth` counts the lists and maps since the column or ROW field of id `column`, this one included.
pub(crate) fn value_id(column: i32, depth: i32) -> i32 {
    GENERATED
        .wrapping_add(column.wrapping_mul(PER_COLUMN))
        .wrapping_add(depth)
}

/// The id of a map's or multiset's key.
pub(crate) fn key_id(column: i32, depth: i32) -> i32 {
    GENERATED
        .wrapping_sub(column.wrapping_mul(PER_COLUMN))
        .wrapping_sub(depth)
}
