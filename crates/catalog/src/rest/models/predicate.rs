//! Filters as JSON, for servers that narrow a listing of partitions.

use ftable_core::predicate::{BoundPredicate, CompareOp};
use ftable_core::{DataField, Datum, Predicate, TypeKind};
use serde_json::{Value, json};

/// What a server can be told of a filter on partition columns: JSON that is true wherever the filter is.
///
/// `fields` are the columns of the table, `keys` those of them that are partition columns, in their order. Only
/// columns whose values text and type spell alike, which are strings and integers, are spoken of. None when
/// nothing is left: then all partitions have to be listed.
pub(crate) fn server_filter(
    filter: &Predicate,
    fields: &[DataField],
    keys: &[DataField],
) -> Option<String> {
    let bound = filter.bind(fields).ok()?;
    let key = |column: usize| {
        let name = &fields.get(column)?.name;
        keys.iter().position(|key| key.name == *name)
    };
    let (partitions, _) = bound.split(&|column| key(column).is_some());
    let partitions = partitions?.map_columns(&key)?;
    to_json(&partitions, keys).map(|json| json.to_string())
}

/// The JSON of a predicate, or of what its conjuncts leave of it.
fn to_json(predicate: &BoundPredicate, keys: &[DataField]) -> Option<Value> {
    match predicate {
        BoundPredicate::Compare { column, op, value } => {
            leaf(keys, *column, compare(*op), vec![literal(value)?])
        }
        BoundPredicate::In {
            column,
            values,
            has_null: false,
            negated,
        } => {
            let values = values.iter().map(literal).collect::<Option<Vec<_>>>()?;
            leaf(
                keys,
                *column,
                if *negated { "NOT_IN" } else { "IN" },
                values,
            )
        }
        BoundPredicate::IsNull {
            column,
            negated: true,
        } => leaf(keys, *column, "IS_NOT_NULL", Vec::new()),
        BoundPredicate::And(children) => {
            let told = children.iter().filter_map(|child| to_json(child, keys));
            compound("AND", told.collect())
        }
        BoundPredicate::Or(children) => {
            let told: Option<Vec<_>> = children.iter().map(|child| to_json(child, keys)).collect();
            compound("OR", told?)
        }
        // A server that does not know which name stands for NULL would leave out what `IS NULL` asks for; LIKE has
        // no escapes there; what is constant is not worth a request of its own kind.
        _ => None,
    }
}

fn compound(function: &str, mut children: Vec<Value>) -> Option<Value> {
    match children.len() {
        0 => None,
        1 => children.pop(),
        _ => Some(json!({"kind": "COMPOUND", "function": function, "children": children})),
    }
}

fn leaf(keys: &[DataField], column: usize, function: &str, literals: Vec<Value>) -> Option<Value> {
    let field = keys.get(column).filter(|field| is_plain(field))?;
    Some(json!({
        "kind": "LEAF",
        "transform": {
            "name": "FIELD_REF",
            "fieldRef": {"index": column, "name": field.name, "type": field.data_type},
        },
        "function": function,
        "literals": literals,
    }))
}

fn is_plain(field: &DataField) -> bool {
    matches!(
        field.data_type.kind(),
        TypeKind::VarChar { .. }
            | TypeKind::TinyInt
            | TypeKind::SmallInt
            | TypeKind::Int
            | TypeKind::BigInt
    )
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "EQUAL",
        CompareOp::NotEq => "NOT_EQUAL",
        CompareOp::Lt => "LESS_THAN",
        CompareOp::LtEq => "LESS_OR_EQUAL",
        CompareOp::Gt => "GREATER_THAN",
        CompareOp::GtEq => "GREATER_OR_EQUAL",
    }
}

fn literal(value: &Datum) -> Option<Value> {
    match value {
        Datum::String(_)
        | Datum::TinyInt(_)
        | Datum::SmallInt(_)
        | Datum::Int(_)
        | Datum::BigInt(_) => Some(value.to_json()),
        _ => None,
    }
}
