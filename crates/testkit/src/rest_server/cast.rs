//! Which column type may become which other.

use ftable_core::{DataType, TypeKind};

/// Types whose values are alike.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Family {
    Boolean,
    Number,
    Text,
    Bytes,
    Moment,
    Other,
}

/// Whether a column of one type may become one of the other. Without `explicit` only where no value can
/// be lost.
pub(super) fn can_cast(from: &DataType, to: &DataType, explicit: bool) -> bool {
    from.kind() == to.kind()
        || widens(from.kind(), to.kind())
        || (explicit && is_explicit(from, to))
}

fn family(kind: &TypeKind) -> Family {
    match kind {
        TypeKind::Boolean => Family::Boolean,
        TypeKind::Char { .. } | TypeKind::VarChar { .. } => Family::Text,
        TypeKind::Binary { .. } | TypeKind::VarBinary { .. } => Family::Bytes,
        TypeKind::Date
        | TypeKind::Time { .. }
        | TypeKind::Timestamp { .. }
        | TypeKind::TimestampLtz { .. } => Family::Moment,
        TypeKind::Decimal { .. } => Family::Number,
        _ if rank(kind).is_some() => Family::Number,
        _ => Family::Other,
    }
}

/// The place of a number among those that hold more and more.
fn rank(kind: &TypeKind) -> Option<u8> {
    Some(match kind {
        TypeKind::TinyInt => 0,
        TypeKind::SmallInt => 1,
        TypeKind::Int => 2,
        TypeKind::BigInt => 3,
        TypeKind::Float => 4,
        TypeKind::Double => 5,
        _ => return None,
    })
}

fn widens(from: &TypeKind, to: &TypeKind) -> bool {
    use TypeKind::{Binary, Char, Date, Decimal, Timestamp, TimestampLtz, VarBinary, VarChar};
    match (from, to) {
        (
            Decimal {
                precision: old,
                scale,
            },
            Decimal {
                precision: new,
                scale: new_scale,
            },
        ) => new_scale >= scale && new - new_scale >= old - scale,
        (Char { length: old }, Char { length: new } | VarChar { length: new })
        | (VarChar { length: old }, VarChar { length: new })
        | (Binary { length: old }, Binary { length: new } | VarBinary { length: new })
        | (VarBinary { length: old }, VarBinary { length: new }) => new >= old,
        (Timestamp { precision: old }, Timestamp { precision: new })
        | (TimestampLtz { precision: old }, TimestampLtz { precision: new }) => new >= old,
        (Date, Timestamp { .. }) => true,
        _ => matches!((rank(from), rank(to)), (Some(old), Some(new)) if old < new),
    }
}

fn is_explicit(from: &DataType, to: &DataType) -> bool {
    match (family(from.kind()), family(to.kind())) {
        (Family::Other, _) | (_, Family::Other) => false,
        (Family::Text, _) | (_, Family::Text) => true,
        (Family::Boolean, Family::Number) | (Family::Number, Family::Boolean) => true,
        (old, new) => old == new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(from: &str, to: &str, explicit: bool) -> bool {
        let parse = |text: &str| text.parse::<DataType>().unwrap();
        can_cast(&parse(from), &parse(to), explicit)
    }

    #[test]
    fn what_widens_needs_no_explicit_cast() {
        for (from, to) in [
            ("INT", "INT"),
            ("INT", "BIGINT"),
            ("BIGINT", "DOUBLE"),
            ("DECIMAL(10, 2)", "DECIMAL(12, 2)"),
            ("DECIMAL(10, 2)", "DECIMAL(14, 4)"),
            ("VARCHAR(3)", "STRING"),
            ("CHAR(3)", "VARCHAR(3)"),
            ("DATE", "TIMESTAMP(0)"),
            ("TIMESTAMP(3)", "TIMESTAMP(6)"),
        ] {
            assert!(cast(from, to, false), "{from} to {to}");
        }
    }

    #[test]
    fn what_may_lose_needs_one() {
        for (from, to) in [
            ("BIGINT", "INT"),
            ("DECIMAL(10, 2)", "DECIMAL(10, 4)"),
            ("STRING", "INT"),
            ("INT", "STRING"),
            ("BOOLEAN", "INT"),
            ("TIMESTAMP(6)", "DATE"),
        ] {
            assert!(
                cast(from, to, true) && !cast(from, to, false),
                "{from} to {to}"
            );
        }
        for (from, to) in [
            ("ARRAY<INT>", "STRING"),
            ("INT", "DATE"),
            ("BYTES", "INT"),
            ("INT", "ROW<a INT>"),
        ] {
            assert!(!cast(from, to, true), "{from} to {to}");
        }
    }
}
