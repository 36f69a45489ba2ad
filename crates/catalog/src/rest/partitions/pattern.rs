//! Patterns of partition names: `key=value/…` with `%` for what follows.

use ftable_core::partition::escape;
use ftable_core::{DataField, TypeKind};

/// The pattern that every partition below a prefix matches; none where there is none to be trusted.
///
/// Names are compared as texts, so only the leading string keys are spoken of: `06` and `6` are one number. An
/// escaped character would be taken for a wildcard, and a blank value has another name.
pub(super) fn name_pattern(keys: &[DataField], prefix: &[(String, String)]) -> Option<String> {
    let mut parts = Vec::new();
    for ((name, value), key) in prefix.iter().zip(keys) {
        if !is_text(key) {
            break;
        }
        if value.trim().is_empty() {
            return None;
        }
        parts.push(format!("{}={}", escape(name).ok()?, escape(value).ok()?));
    }
    let text = parts.join("/");
    if parts.is_empty() || text.contains(['%', '\\']) {
        return None;
    }
    if parts.len() == keys.len() {
        Some(text)
    } else {
        Some(format!("{text}/%"))
    }
}

/// Whether values of a column are texts.
pub(super) fn is_text(key: &DataField) -> bool {
    matches!(
        key.data_type.kind(),
        TypeKind::VarChar { .. } | TypeKind::Char { .. }
    )
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    fn pattern(keys: &[(&str, TypeKind)], prefix: &[&str]) -> Option<String> {
        let keys: Vec<_> = keys
            .iter()
            .map(|(name, kind)| DataField::new(0, *name, kind.clone()))
            .collect();
        let prefix: Vec<_> = keys
            .iter()
            .zip(prefix)
            .map(|(key, value)| (key.name.clone(), (*value).to_owned()))
            .collect();
        name_pattern(&keys, &prefix)
    }

    #[test]
    fn patterns_of_leading_values() {
        const TEXT: TypeKind = TypeKind::VarChar {
            length: 2_147_483_647,
        };
        let two = [("dt", TEXT), ("region", TEXT)];
        let mixed = [("dt", TEXT), ("hour", TypeKind::Int)];
        for (keys, prefix, expected) in [
            (&two[..], &["2026-08-22"][..], Some("dt=2026-08-22/%")),
            (&two, &["2026-08-22", "eu"], Some("dt=2026-08-22/region=eu")),
            (&two, &["a_b"], Some("dt=a_b/%")),
            (&two, &["日"], Some("dt=日/%")),
            // Escaped texts and blank ones.
            (&two, &["a/b"], None),
            (&two, &["50%"], None),
            (&two, &["x", "a:b"], None),
            (&two, &[" "], None),
            (&two, &["x", ""], None),
            (&two, &[], None),
            // A number has more than one text.
            (&mixed, &["x", "6"], Some("dt=x/%")),
            (&[("hour", TypeKind::Int)], &["6"], None),
        ] {
            assert_eq!(pattern(keys, prefix).as_deref(), expected, "{prefix:?}");
        }
        assert_eq!(pattern(&[("k/1", TEXT)], &["x"]), None);
    }
}
