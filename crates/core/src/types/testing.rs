//! Random types for property tests.

use proptest::prelude::*;

use super::{DataField, DataType, GEOGRAPHY_ALGORITHMS, MAX_LENGTH, TypeKind};

fn atomic_kind() -> impl Strategy<Value = TypeKind> {
    let length = || prop_oneof![1u32..100, Just(MAX_LENGTH), Just(MAX_LENGTH - 1)];
    prop_oneof![
        Just(TypeKind::Boolean),
        Just(TypeKind::TinyInt),
        Just(TypeKind::SmallInt),
        Just(TypeKind::Int),
        Just(TypeKind::BigInt),
        Just(TypeKind::Float),
        Just(TypeKind::Double),
        (1u8..=38)
            .prop_flat_map(|precision| (Just(precision), 0..=precision))
            .prop_map(|(precision, scale)| TypeKind::Decimal { precision, scale }),
        length().prop_map(|length| TypeKind::Char { length }),
        length().prop_map(|length| TypeKind::VarChar { length }),
        length().prop_map(|length| TypeKind::Binary { length }),
        length().prop_map(|length| TypeKind::VarBinary { length }),
        Just(TypeKind::Date),
        (0u8..=9).prop_map(|precision| TypeKind::Time { precision }),
        (0u8..=9).prop_map(|precision| TypeKind::Timestamp { precision }),
        (0u8..=9).prop_map(|precision| TypeKind::TimestampLtz { precision }),
        Just(TypeKind::Variant),
        Just(TypeKind::Blob),
        crs().prop_map(|crs| TypeKind::Geometry { crs }),
        (crs(), prop::sample::select(&GEOGRAPHY_ALGORITHMS[..])).prop_map(|(crs, algorithm)| {
            TypeKind::Geography {
                crs,
                algorithm: algorithm.to_owned(),
            }
        }),
        (vector_element(), length()).prop_map(|(element, length)| TypeKind::Vector {
            element: Box::new(element),
            length
        }),
    ]
}

fn vector_element() -> impl Strategy<Value = DataType> {
    let kind = prop_oneof![
        Just(TypeKind::Boolean),
        Just(TypeKind::BigInt),
        Just(TypeKind::Float)
    ];
    (kind, any::<bool>()).prop_map(|(kind, nullable)| DataType::new(kind, nullable))
}

fn crs() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Z]{2,5}:[0-9]{1,5}", "[ -~é]{1,12}"]
        .prop_filter("blank", |s| !s.trim().is_empty())
}

/// Any text, quotes and non-ASCII included.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{1,6}", "[ -~é\u{4e2d}]{0,8}"]
}

/// A field name: not blank.
fn name() -> impl Strategy<Value = String> {
    text().prop_filter("blank", |name| !name.trim().is_empty())
}

fn named(types: Vec<(String, DataType, Option<String>, Option<String>)>) -> Vec<DataField> {
    let fields = types.into_iter().enumerate().map(
        |(index, (name, data_type, description, default_value))| {
            // The index keeps sibling names apart.
            DataField {
                id: -1,
                name: format!("{name}{index}"),
                data_type,
                description,
                default_value,
            }
        },
    );
    fields.collect()
}

fn siblings(
    data_type: impl Strategy<Value = DataType>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<DataField>> {
    let texts = || prop::option::weighted(0.2, text());
    prop::collection::vec((name(), data_type, texts(), texts()), count).prop_map(named)
}

/// Any type; ids of `ROW` fields are left open.
fn data_type() -> impl Strategy<Value = DataType> {
    let leaf =
        (atomic_kind(), any::<bool>()).prop_map(|(kind, nullable)| DataType::new(kind, nullable));
    leaf.prop_recursive(5, 24, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let kind = prop_oneof![
            boxed().prop_map(|element| TypeKind::Array { element }),
            boxed().prop_map(|element| TypeKind::Multiset { element }),
            (boxed(), boxed()).prop_map(|(key, value)| TypeKind::Map { key, value }),
            siblings(inner.clone(), 1..4).prop_map(|fields| TypeKind::Row { fields }),
        ];
        (kind, any::<bool>()).prop_map(|(kind, nullable)| DataType::new(kind, nullable))
    })
}

/// Any type, with ids numbered as for a type that stands alone.
pub(crate) fn any_data_type() -> impl Strategy<Value = DataType> {
    data_type().prop_map(|mut data_type| {
        super::ids::assign_type_ids(&mut data_type);
        data_type
    })
}

/// Columns of any type, numbered.
pub(crate) fn any_fields(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<DataField>> {
    siblings(data_type(), count).prop_map(|mut fields| {
        super::assign_field_ids(&mut fields);
        fields
    })
}
