//! Predicates over partitions, as far as this server understands them.

use serde_json::Value;

use super::answer::{Done, Failure};
use super::call::{list, required_list, required_text};

/// The functions of a leaf.
const FUNCTIONS: [&str; 18] = [
    "EQUAL",
    "NOT_EQUAL",
    "LESS_THAN",
    "LESS_OR_EQUAL",
    "GREATER_THAN",
    "GREATER_OR_EQUAL",
    "IS_NULL",
    "IS_NOT_NULL",
    "STARTS_WITH",
    "ENDS_WITH",
    "CONTAINS",
    "LIKE",
    "IN",
    "NOT_IN",
    "BETWEEN",
    "NOT_BETWEEN",
    "ALWAYS_TRUE",
    "ALWAYS_FALSE",
];

/// Verifies the form of a predicate, and that it is about partition columns alone.
pub(super) fn check(predicate: &Value, keys: &[String]) -> Done<()> {
    let function = required_text(predicate, "function")?;
    match required_text(predicate, "kind")?.as_str() {
        "COMPOUND" if matches!(function.as_str(), "AND" | "OR") => {
            let children = required_list(predicate, "children")?;
            children.iter().try_for_each(|child| check(child, keys))
        }
        "LEAF" if FUNCTIONS.contains(&function.as_str()) => {
            list(predicate, "literals")?;
            match column(predicate) {
                Some(column) if keys.iter().any(|key| key == column) => Ok(()),
                Some(column) => {
                    let message = format!("the filter's column '{column}' is no partition key");
                    Err(Failure::bad_request(message))
                }
                None if function.starts_with("ALWAYS") => Ok(()),
                None => Err(Failure::bad_request("a leaf of the filter names no column")),
            }
        }
        kind => {
            let message =
                format!("the filter has a part of kind '{kind}' and function '{function}'");
            Err(Failure::bad_request(message))
        }
    }
}

/// Whether a partition may match. Equalities of texts decide, everything else may always match.
pub(super) fn may_match(predicate: &Value, spec: &[(String, String)]) -> bool {
    let children = || {
        let children = predicate.get("children").and_then(Value::as_array);
        children.map_or(&[][..], Vec::as_slice).iter()
    };
    match predicate.get("function").and_then(Value::as_str) {
        Some("AND") => children().all(|child| may_match(child, spec)),
        Some("OR") => children().any(|child| may_match(child, spec)),
        Some("EQUAL" | "IN") if is_text(predicate) => {
            let own = spec
                .iter()
                .find(|(key, _)| Some(key.as_str()) == column(predicate));
            let literals = predicate.get("literals").and_then(Value::as_array);
            match (own, literals) {
                (Some((_, own)), Some(literals)) => {
                    literals.iter().any(|literal| literal.as_str() == Some(own))
                }
                _ => true,
            }
        }
        _ => true,
    }
}

fn column(leaf: &Value) -> Option<&str> {
    leaf.pointer("/transform/fieldRef/name")?.as_str()
}

fn is_text(leaf: &Value) -> bool {
    let column_type = leaf
        .pointer("/transform/fieldRef/type")
        .and_then(Value::as_str);
    column_type.is_some_and(|text| text.starts_with("STRING"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn leaf(column: &str, column_type: &str, function: &str, literals: &Value) -> Value {
        let field = json!({"index": 0, "name": column, "type": column_type});
        json!({
            "kind": "LEAF",
            "transform": {"name": "FIELD_REF", "fieldRef": field},
            "function": function,
            "literals": literals,
        })
    }

    fn both(function: &str, children: &[Value]) -> Value {
        json!({"kind": "COMPOUND", "function": function, "children": children})
    }

    #[test]
    fn only_equal_texts_exclude() {
        let spec = [("dt", "a"), ("hr", "06")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        let equal = |text: &str| leaf("dt", "STRING", "EQUAL", &json!([text]));
        let six = leaf("hr", "INT", "EQUAL", &json!([6]));
        assert!(may_match(&equal("a"), &spec) && !may_match(&equal("b"), &spec));
        assert!(may_match(
            &leaf("dt", "STRING", "IN", &json!(["b", "a"])),
            &spec
        ));
        assert!(!may_match(
            &leaf("dt", "STRING", "IN", &json!(["b"])),
            &spec
        ));
        assert!(may_match(
            &leaf("dt", "STRING", "NOT_EQUAL", &json!(["a"])),
            &spec
        ));
        assert!(may_match(&six, &spec));
        assert!(!may_match(&both("AND", &[equal("b"), six.clone()]), &spec));
        assert!(may_match(&both("OR", &[equal("b"), six]), &spec));
        assert!(!may_match(&both("OR", &[equal("b"), equal("c")]), &spec));
    }

    #[test]
    fn the_form_is_checked() {
        let keys = ["dt".to_owned()];
        let right = leaf("dt", "STRING", "EQUAL", &json!(["a"]));
        assert_eq!(check(&right, &keys), Ok(()));
        assert_eq!(
            check(&both("AND", &[right.clone(), right.clone()]), &keys),
            Ok(())
        );
        for wrong in [
            leaf("id", "STRING", "EQUAL", &json!(["a"])),
            leaf("dt", "STRING", "EQUALS", &json!(["a"])),
            leaf("dt", "STRING", "EQUAL", &json!("a")),
            both("XOR", std::slice::from_ref(&right)),
            both("AND", &[json!({})]),
            json!({"kind": "LEAF", "function": "EQUAL", "literals": ["a"]}),
            json!("dt = 'a'"),
        ] {
            assert!(check(&wrong, &keys).is_err(), "{wrong}");
        }
    }
}
