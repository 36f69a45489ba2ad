//! What SQL says of a predicate on one row, spelled out for the types that random tables have.

use std::cmp::Ordering;

use ftable::Predicate;
use ftable_core::predicate::{CompareOp, Literal};
use ftable_core::{DataField, Datum};

use super::rows::Row;

/// True, false or, as `None`, NULL.
pub(crate) fn evaluate(predicate: &Predicate, fields: &[DataField], row: &Row) -> Option<bool> {
    let value = |column: &str| {
        row[fields
            .iter()
            .position(|field| field.name == *column)
            .unwrap()]
        .as_ref()
    };
    let negate = |result: Option<bool>, negated: bool| result.map(|result| result != negated);
    match predicate {
        Predicate::Constant(result) => Some(*result),
        Predicate::Compare {
            column,
            op,
            value: literal,
        } => compare(value(column), *op, literal),
        Predicate::In {
            column,
            values,
            negated,
        } => {
            let equal = values
                .iter()
                .map(|literal| compare(value(column), CompareOp::Eq, literal));
            // Even an empty list leaves a NULL value NULL: the test is about a value that is not known.
            let found = value(column).and_then(|_| any(equal));
            negate(found, *negated)
        }
        Predicate::Between {
            column,
            low,
            high,
            negated,
        } => {
            let bounds = [(CompareOp::GtEq, low), (CompareOp::LtEq, high)];
            negate(
                all(bounds
                    .into_iter()
                    .map(|(op, bound)| compare(value(column), op, bound))),
                *negated,
            )
        }
        Predicate::Like {
            column,
            pattern,
            escape: None,
            negated,
        } => {
            let Some(Datum::String(text)) = value(column) else {
                return None;
            };
            let (pattern, text): (Vec<char>, Vec<char>) =
                (pattern.chars().collect(), text.chars().collect());
            negate(Some(like(&pattern, &text)), *negated)
        }
        Predicate::IsNull { column, negated } => Some(value(column).is_none() != *negated),
        Predicate::And(children) => all(children.iter().map(|child| evaluate(child, fields, row))),
        Predicate::Or(children) => any(children.iter().map(|child| evaluate(child, fields, row))),
        Predicate::Not(child) => negate(evaluate(child, fields, row), true),
        other => panic!("{other:?} is not among what random tests ask"),
    }
}

fn all(results: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let results: Vec<_> = results.collect();
    match results.contains(&Some(false)) {
        true => Some(false),
        false if results.contains(&None) => None,
        false => Some(true),
    }
}

fn any(results: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(results.map(|result| result.map(|result| !result))).map(|result| !result)
}

fn compare(value: Option<&Datum>, op: CompareOp, literal: &Literal) -> Option<bool> {
    let order = match (value?, literal) {
        (_, Literal::Null) => return None,
        (Datum::Int(value), Literal::Int(literal)) => i64::from(*value).cmp(literal),
        (Datum::Date(value), Literal::Date(literal)) => value.cmp(literal),
        (Datum::String(value), Literal::String(literal)) => value.chars().cmp(literal.chars()),
        (value, literal) => panic!("{value:?} against {literal:?}"),
    };
    Some(match op {
        CompareOp::Eq => order == Ordering::Equal,
        CompareOp::NotEq => order != Ordering::Equal,
        CompareOp::Lt => order == Ordering::Less,
        CompareOp::LtEq => order != Ordering::Greater,
        CompareOp::Gt => order == Ordering::Greater,
        CompareOp::GtEq => order != Ordering::Less,
    })
}

fn like(pattern: &[char], text: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, rest) => rest.is_none(),
        (Some(('%', more)), None) => like(more, text),
        (Some(('%', more)), Some((_, later))) => like(more, text) || like(pattern, later),
        (Some(_), None) => false,
        (Some((wanted, more)), Some((found, later))) => {
            (*wanted == '_' || wanted == found) && like(more, later)
        }
    }
}
