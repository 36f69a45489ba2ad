//! Predicates with the types of a table.

use std::collections::BTreeSet;

use super::{CompareOp, LikePattern};
use crate::datum::Datum;

/// A predicate whose columns are indexes into the fields it was bound to and whose literals are of
/// those columns' types.
///
/// Where a column is NULL every test but [`IsNull`](Self::IsNull) is NULL; that includes
/// [`In`](Self::In) without values, which is how a comparison that is false for every value but
/// must stay NULL for NULL is written.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundPredicate {
    /// Always this; `None` is NULL.
    Constant(Option<bool>),
    /// `column op value`, as [`Datum::compare`] orders.
    Compare {
        /// Index of the column.
        column: usize,
        /// The comparison.
        op: CompareOp,
        /// A value of the column's type.
        value: Datum,
    },
    /// `column [NOT] IN (values)`.
    In {
        /// Index of the column.
        column: usize,
        /// Values of the column's type, ascending and without duplicates as [`Datum::compare`] orders.
        values: Vec<Datum>,
        /// Whether the list held a NULL: what is not found is then NULL, not false.
        has_null: bool,
        /// `NOT IN`.
        negated: bool,
    },
    /// `column [NOT] LIKE pattern`.
    Like {
        /// Index of the column, a string one.
        column: usize,
        /// The pattern.
        pattern: LikePattern,
        /// `NOT LIKE`.
        negated: bool,
    },
    /// `column IS [NOT] NULL`.
    IsNull {
        /// Index of the column, of any type.
        column: usize,
        /// `IS NOT NULL`.
        negated: bool,
    },
    /// All of them; true when empty.
    And(Vec<BoundPredicate>),
    /// Any of them; false when empty.
    Or(Vec<BoundPredicate>),
    /// The opposite. [`Predicate::bind`](super::Predicate::bind) never makes one: it turns `NOT`
    /// into the opposite test.
    Not(Box<BoundPredicate>),
}

impl BoundPredicate {
    /// The columns it mentions.
    pub fn columns(&self) -> BTreeSet<usize> {
        let mut columns = BTreeSet::new();
        self.visit_columns(&mut |column| {
            columns.insert(column);
        });
        columns
    }

    pub(super) fn visit_columns(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Constant(_) => {}
            Self::Compare { column, .. }
            | Self::In { column, .. }
            | Self::Like { column, .. }
            | Self::IsNull { column, .. } => visit(*column),
            Self::And(children) | Self::Or(children) => {
                children.iter().for_each(|child| child.visit_columns(visit));
            }
            Self::Not(child) => child.visit_columns(visit),
        }
    }

    /// The opposite, with `NOT` pushed down into the tests; true where this is false and NULL
    /// where this is NULL.
    #[must_use]
    pub fn negate(self) -> Self {
        let all = |children: Vec<Self>| children.into_iter().map(Self::negate).collect();
        match self {
            Self::Constant(result) => Self::Constant(result.map(|value| !value)),
            Self::Compare { column, op, value } => Self::Compare {
                column,
                op: op.negate(),
                value,
            },
            Self::In {
                column,
                values,
                has_null,
                negated,
            } => Self::In {
                column,
                values,
                has_null,
                negated: !negated,
            },
            Self::Like {
                column,
                pattern,
                negated,
            } => Self::Like {
                column,
                pattern,
                negated: !negated,
            },
            Self::IsNull { column, negated } => Self::IsNull {
                column,
                negated: !negated,
            },
            Self::And(children) => Self::Or(all(children)),
            Self::Or(children) => Self::And(all(children)),
            Self::Not(child) => *child,
        }
    }

    /// The same predicate over other indexes, as when it moves from a table's columns to the
    /// columns of a projection; `None` when a column has no index there.
    pub fn map_columns(self, index: &dyn Fn(usize) -> Option<usize>) -> Option<Self> {
        let all = |children: Vec<Self>| {
            children
                .into_iter()
                .map(|child| child.map_columns(index))
                .collect::<Option<Vec<_>>>()
        };
        Some(match self {
            Self::Constant(result) => Self::Constant(result),
            Self::Compare { column, op, value } => Self::Compare {
                column: index(column)?,
                op,
                value,
            },
            Self::In {
                column,
                values,
                has_null,
                negated,
            } => Self::In {
                column: index(column)?,
                values,
                has_null,
                negated,
            },
            Self::Like {
                column,
                pattern,
                negated,
            } => Self::Like {
                column: index(column)?,
                pattern,
                negated,
            },
            Self::IsNull { column, negated } => Self::IsNull {
                column: index(column)?,
                negated,
            },
            Self::And(children) => Self::And(all(children)?),
            Self::Or(children) => Self::Or(all(children)?),
            Self::Not(child) => Self::Not(Box::new(child.map_columns(index)?)),
        })
    }
}
