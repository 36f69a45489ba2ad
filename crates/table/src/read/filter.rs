//! Predicates on batches: exact, in SQL's three-valued logic.

use std::cmp::Ordering;

use arrow_arith::boolean::{and_kleene, not, or_kleene};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayAccessor, ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use ftable_core::Datum;
use ftable_core::predicate::{BoundPredicate, CompareOp};

use crate::value::nanos_per_unit;

/// Evaluates a predicate over rows; null where SQL says NULL.
///
/// # Errors
/// A text about a column whose type is not the one the predicate was bound to: a defect.
pub(super) fn evaluate(
    predicate: &BoundPredicate,
    rows: usize,
    column: &mut dyn FnMut(usize) -> Result<ArrayRef, String>,
) -> Result<BooleanArray, String> {
    Ok(match predicate {
        BoundPredicate::Constant(result) => constant(*result, rows),
        BoundPredicate::Compare {
            column: index,
            op,
            value,
        } => mask(
            &column(*index)?,
            &Test::Compare(*op),
            std::slice::from_ref(value),
        )?,
        BoundPredicate::In {
            column: index,
            values,
            has_null,
            negated,
        } => {
            let array = column(*index)?;
            let found = match values.is_empty() {
                true => with_nulls_of(constant(Some(false), rows), &array),
                false => mask(&array, &Test::In, values)?,
            };
            let found = if *has_null {
                null_where_false(&found)
            } else {
                found
            };
            if *negated { negate(&found)? } else { found }
        }
        BoundPredicate::Like {
            column: index,
            pattern,
            negated,
        } => {
            let array = column(*index)?;
            let text = array
                .as_string_opt::<i32>()
                .ok_or_else(|| unexpected(&array))?;
            BooleanArray::from_unary(text, |value| pattern.matches(value) != *negated)
        }
        BoundPredicate::IsNull {
            column: index,
            negated,
        } => {
            let array = column(*index)?;
            let valid = match array.logical_nulls() {
                Some(nulls) => nulls.into_inner(),
                None => BooleanBuffer::new_set(rows),
            };
            BooleanArray::from(if *negated { valid } else { !&valid })
        }
        BoundPredicate::And(children) => combine(children, rows, column, true)?,
        BoundPredicate::Or(children) => combine(children, rows, column, false)?,
        BoundPredicate::Not(child) => negate(&evaluate(child, rows, column)?)?,
    })
}

fn combine(
    children: &[BoundPredicate],
    rows: usize,
    column: &mut dyn FnMut(usize) -> Result<ArrayRef, String>,
    all: bool,
) -> Result<BooleanArray, String> {
    let mut result = constant(Some(all), rows);
    for child in children {
        let next = evaluate(child, rows, column)?;
        let combined = if all {
            and_kleene(&result, &next)
        } else {
            or_kleene(&result, &next)
        };
        result = combined.map_err(|error| error.to_string())?;
    }
    Ok(result)
}

fn constant(result: Option<bool>, rows: usize) -> BooleanArray {
    match result {
        None => BooleanArray::new_null(rows),
        Some(true) => BooleanArray::from(BooleanBuffer::new_set(rows)),
        Some(false) => BooleanArray::from(BooleanBuffer::new_unset(rows)),
    }
}

fn negate(mask: &BooleanArray) -> Result<BooleanArray, String> {
    not(mask).map_err(|error| error.to_string())
}

fn with_nulls_of(mask: BooleanArray, array: &ArrayRef) -> BooleanArray {
    BooleanArray::new(mask.values().clone(), array.logical_nulls())
}

fn null_where_false(mask: &BooleanArray) -> BooleanArray {
    BooleanArray::new(
        mask.values().clone(),
        NullBuffer::union(mask.nulls(), Some(&mask.values().clone().into())),
    )
}

fn unexpected(array: &ArrayRef) -> String {
    format!(
        "a filter was bound to another type than {}",
        array.data_type()
    )
}

enum Test {
    /// Against the only literal.
    Compare(CompareOp),
    /// Among the literals, which are sorted.
    In,
}

/// Tests every value against literals of its type.
fn mask(array: &ArrayRef, test: &Test, literals: &[Datum]) -> Result<BooleanArray, String> {
    use ArrowType as A;
    macro_rules! ints {
        ($arrow:ty, $variant:ident) => {
            apply(
                array.as_primitive::<$arrow>(),
                test,
                collect(array, literals, |d| match d {
                    Datum::$variant(value) => Some(*value),
                    _ => None,
                })?,
                |a, b| a.cmp(b),
            )
        };
    }
    Ok(match array.data_type() {
        A::Boolean => apply(
            array.as_boolean(),
            test,
            collect(array, literals, |d| match d {
                Datum::Boolean(value) => Some(*value),
                _ => None,
            })?,
            |a, b| a.cmp(b),
        ),
        A::Int8 => ints!(Int8Type, TinyInt),
        A::Int16 => ints!(Int16Type, SmallInt),
        A::Int32 => ints!(Int32Type, Int),
        A::Int64 => ints!(Int64Type, BigInt),
        A::Date32 => ints!(Date32Type, Date),
        A::Time32(TimeUnit::Millisecond) => ints!(Time32MillisecondType, Time),
        A::Float32 => {
            let literals = collect(array, literals, float)?;
            apply(
                array.as_primitive::<Float32Type>(),
                test,
                literals,
                |a, b| order_floats(f64::from(a), *b),
            )
        }
        A::Float64 => {
            let literals = collect(array, literals, float)?;
            apply(
                array.as_primitive::<Float64Type>(),
                test,
                literals,
                |a, b| order_floats(a, *b),
            )
        }
        A::Decimal128(_, scale) => {
            let literals = collect(array, literals, |d| match d {
                Datum::Decimal {
                    unscaled,
                    scale: own,
                    ..
                } if i16::from(*own) == i16::from(*scale) => Some(*unscaled),
                _ => None,
            })?;
            apply(
                array.as_primitive::<Decimal128Type>(),
                test,
                literals,
                |a, b| a.cmp(b),
            )
        }
        A::Timestamp(unit, _) => timestamps(array, *unit, test, literals)?,
        A::Utf8 => {
            let literals = collect(array, literals, |d| match d {
                Datum::String(value) => Some(value.as_str()),
                _ => None,
            })?;
            apply(array.as_string::<i32>(), test, literals, |a, b| a.cmp(b))
        }
        A::Binary => {
            let literals = collect(array, literals, |d| match d {
                Datum::Binary(value) => Some(value.as_slice()),
                _ => None,
            })?;
            apply(array.as_binary::<i32>(), test, literals, |a, b| a.cmp(b))
        }
        _ => return Err(unexpected(array)),
    })
}

fn timestamps(
    array: &ArrayRef,
    unit: TimeUnit,
    test: &Test,
    literals: &[Datum],
) -> Result<BooleanArray, String> {
    let literals = collect(array, literals, |d| match d {
        Datum::Timestamp { epoch_nanos, .. } | Datum::TimestampLtz { epoch_nanos, .. } => {
            Some(*epoch_nanos)
        }
        _ => None,
    })?;
    let factor = nanos_per_unit(unit);
    let order = move |a: i64, b: &i128| (i128::from(a) * factor).cmp(b);
    Ok(match unit {
        TimeUnit::Second => return Err(unexpected(array)),
        TimeUnit::Millisecond => apply(
            array.as_primitive::<TimestampMillisecondType>(),
            test,
            literals,
            order,
        ),
        TimeUnit::Microsecond => apply(
            array.as_primitive::<TimestampMicrosecondType>(),
            test,
            literals,
            order,
        ),
        TimeUnit::Nanosecond => apply(
            array.as_primitive::<TimestampNanosecondType>(),
            test,
            literals,
            order,
        ),
    })
}

fn collect<'a, L>(
    array: &ArrayRef,
    literals: &'a [Datum],
    value: impl Fn(&'a Datum) -> Option<L>,
) -> Result<Vec<L>, String> {
    literals
        .iter()
        .map(value)
        .collect::<Option<Vec<L>>>()
        .ok_or_else(|| unexpected(array))
}

fn apply<A, L>(
    array: A,
    test: &Test,
    literals: Vec<L>,
    order: impl Fn(A::Item, &L) -> Ordering,
) -> BooleanArray
where
    A: ArrayAccessor,
    A::Item: Copy,
{
    match (test, literals.first()) {
        (Test::Compare(op), Some(literal)) => {
            BooleanArray::from_unary(array, |value| op.holds(order(value, literal)))
        }
        _ => BooleanArray::from_unary(array, |value| {
            literals
                .binary_search_by(|literal| order(value, literal).reverse())
                .is_ok()
        }),
    }
}

fn float(datum: &Datum) -> Option<f64> {
    match datum {
        Datum::Float(value) => Some(f64::from(*value)),
        Datum::Double(value) => Some(*value),
        _ => None,
    }
}

/// The order of [`Datum::compare`]: NaN equals NaN and is greatest, -0.0 equals 0.0.
fn order_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
mod tests;
